/*
 * src/shell/shell.h - reads the part of a bash script that builds command lines; runs nothing, opens nothing.
 *
 * What is read: comments, quoting, `\`-newline, variables and arrays with `=` and `+=` (also after export, declare,
 * local, readonly), parameter expansion with the operators :- - := = :+ + :? ? % %% # ## and lengths, integer
 * arithmetic with `**`, elements of arrays by their keys, `$(echo ...)`, `$(expr ...)` and `$(echo ... | bc)` of whole
 * numbers, also in backticks, `printf -v` with `%s` and `%d`, word splitting at blanks, functions with their arguments,
 * `eval` and `bash -c` of known text, here-documents (kept where `cat` or `tee` writes them into a file) and
 * redirections (skipped).
 *
 * What is not known stays unknown and says why: `$(...)`, backticks and process substitutions are never executed; the
 * environment and the script's own arguments are those that the caller hands over; files are never tested or globbed.
 * What is sourced is read where it lies beside the script: an unknown beginning of its path, as in `$DIR/model.sh`, is
 * taken for the script's own folder.
 * Where the script itself says what happens without a value (`${V:-8}`, `[ -z "$V" ]`), a variable that it never sets
 * counts as not set.
 *
 * Rules for control flow:
 *  - a condition made of tests (`[ ]`, `[[ ]]`, `(( ))`, true, false) with known operands is decided;
 *  - where `if` compares a variable that the caller could give with plain words, the branch of the first of several
 *    words is taken, in doubt, and `else` beside one word; of an argument of the script the word's branch;
 *  - with any other condition every branch is read in order, what it sets is marked uncertain, and a variable to
 *    which two branches give different values becomes unknown; `case` of an unknown word is treated the same way, but
 *    for a word that the caller could give: the first branch that has a plain word is then taken, in doubt;
 *  - a plain command before `&&` or `||` is taken to succeed;
 *  - `for` runs over its words, SHELL_LOOP_MAX at most, and `for ((...))` while its condition is known; `while` and
 *    `until` run as long as their condition is decided, and their body is left out, with a note, where it is not; so is
 *    that of a `for` without words;
 *  - `exit` and `return` end the reading only when certain, and `exit` only with status 0: a script's own checks
 *    that end in `exit 1` are taken to pass;
 *  - a subshell is read as a group: what it sets stays set.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "src/text/keyval.h"

struct errors;

/** Limits; a script beyond them is refused. */
enum {
    SHELL_DEPTH_MAX = 64,         /* nesting of quotes, commands, functions and evaluated text */
    SHELL_LOOP_MAX = 64,          /* turns of one loop */
    SHELL_COUNT_MAX = 1000,       /* turns of one `for ((...))` */
    SHELL_SOURCED_MAX = 32,       /* files that one script sources */
    SHELL_EXPANDED_MAX = 1 << 20, /* bytes that all expansions together may produce */
    SHELL_VARIABLES_MAX = 4096,   /* variables of one script */
    SHELL_COMMANDS_MAX = 50000    /* commands read, loops counted as often as they turn */
};

/** Why a value is not known, or in doubt. */
enum shell_reason_kind {
    REASON_NONE,
    REASON_UNSET,         /* a variable that the script does not set */
    REASON_FILE_UNSET,    /* the same of a file that is not a script */
    REASON_ARGUMENT,      /* `$1`, `$@` of the script */
    REASON_BRANCHES,      /* a variable that branches of an unknown condition set differently */
    REASON_ARRAY,         /* all elements of an array */
    REASON_NOT_EXECUTED,  /* a piece of script, as all below */
    REASON_NOT_EVALUATED,
    REASON_CONDITION      /* the condition in `line` */
};

/** One reason; zero-initialise. */
struct shell_reason {
    enum shell_reason_kind kind;
    bool is_doubt; /* a condition depends on it, not the value itself */
    bool is_first; /* the branch of the first of `words` was taken; else that of none of them */
    int line;      /* of the condition, or of the `if` or `case` with those words; 0 for none */
    char *source;  /* a variable's name without `$`, or a piece of the script; NULL for none */
    char *words;   /* with which branches compare the variable, separated by blanks; NULL for none */
};

/** A copy in fresh memory, NULL of NULL. */
struct shell_reason *shell_reason_copy(const struct shell_reason *reason);

/** Releases a copy; NULL is allowed. */
void shell_reason_free(struct shell_reason *reason);

/** True when both are given and equal. */
bool shell_reason_equal(const struct shell_reason *a, const struct shell_reason *b);

/** The name of the variable whose value is missing, NULL where there is none. */
const char *shell_reason_variable(const struct shell_reason *reason);

/** What is not known, in fresh memory: "$TP", "$(wc -l <x)", "the condition in line 3". */
char *shell_reason_source(const struct shell_reason *reason);

/**
 * "comes from $TP, which the script does not set", "is not known" for NULL, in fresh memory; with MESSAGES_AS_IDS the
 * kind's name.
 */
char *shell_reason_text(const struct shell_reason *reason);

/** One word of a command after expansion. */
struct shell_word {
    char *text;        /* what is known of the word; unknown parts are left out */
    int line;          /* 1-based line in which the word was written, also when it came out of a variable */
    bool is_unknown;   /* some part has no known value */
    bool is_uncertain; /* the word depends on a condition that is not known */
    struct shell_reason *why; /* for either, else NULL */
};

/** One simple command, or the words held by one variable. */
struct shell_command {
    struct shell_word *word;
    size_t count;
    int line;          /* where the command begins, or the variable was last set */
    size_t parent;     /* 1 + index of the command whose `-c` text holds this one; 0: none */
    bool is_uncertain; /* whether it runs depends on a condition that is not known */
    struct keyvals environment; /* `NAME=VALUE` in front of it, of which the value is known */
};

/** Everything a script would run, in order; zero-initialise, release with shell_free(). */
struct shell_script {
    struct shell_command *command;
    size_t count;
    struct keyvals skipped; /* texts of branches left out because of a value that nobody gave */
    struct keyvals file; /* files that it writes, by name, with the text that is known: `null` for what is not */
    struct shell_command *variable; /* at the end of the script: word 0 is the name, the others its split value */
    size_t variables;
};

/** What the caller knows beside the text. */
struct shell_options {
    /** The value of a variable that the script does not set, NULL when there is none; may be NULL. */
    const char *(*lookup)(const void *context, const char *name);
    const void *context;
    const char *folder;    /* beside which sourced files are looked for; NULL: none is read */
    /** The text of the file at `path` in fresh memory; NULL where there is none. */
    char *(*read)(const void *context, const char *path, size_t *size);
    char *const *argument; /* `$1` and so on; NULL: not known */
    int arguments;
};

/**
 * Reads `size` bytes of script text into `out`; `name` is used in messages, `options` may be NULL.
 * Returns 0, or -1 with a fault added for text that is not a script (a quote never closed, `if` without `fi`) or that
 * exceeds a limit above; `out` then holds the commands met so far and is to be freed as well.
 */
int shell_read(const char *text, size_t size, const char *name, const struct shell_options *options,
               struct shell_script *out, struct errors *errors);

/** Releases a script and leaves an empty one. */
void shell_free(struct shell_script *script);
