/* src/import/megatron_flags.h - the flags of Megatron's command lines, and what an import knows of those given. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/import/import.h"
#include "src/import/megatron.h"

/** What a flag does to the plan; src/import/megatron_flags.def says more. */
enum flag_kind { FLAG_COPY, FLAG_SET, FLAG_CHOOSE, FLAG_RULE, FLAG_UNMODELLED, FLAG_OTHER_MODEL };

/** One flag of the table. */
struct flag_row {
    const char *name;
    int arity;
    enum flag_kind kind;
    const char *key;
    /* that of FLAG_SET, the choices of FLAG_CHOOSE, the reason of FLAG_UNMODELLED, what FLAG_OTHER_MODEL has */
    const char *value;
    bool is_launcher;
};

/** How many there are. */
enum {
    FLAG_ROWS = 0
#define COPY(flag, key)            +1
#define SET(flag, key, value)      +1
#define CHOOSE(flag, key, choices) +1
#define RULE(flag, words, key)     +1
#define LAUNCHER(flag, key)        +1
#define UNMODELLED(flag, words)    +1
#define REASON(flag, words, why)   +1
#define OTHER(flag, words, what)   +1
#include "src/import/megatron_flags.def"
#undef COPY
#undef SET
#undef CHOOSE
#undef RULE
#undef LAUNCHER
#undef UNMODELLED
#undef REASON
#undef OTHER
};

/** All of them, as src/import/megatron_flags.def has them. */
extern const struct flag_row flag_row[FLAG_ROWS];

/** Flag names are equal when they differ in `-` against `_` alone; `a` may go on with `=value`. */
bool flag_is(const char *a, const char *b);

/** The row of a flag, NULL if it has none. */
const struct flag_row *flag_find(const char *flag);

/** True if the flag is known to change nothing; `arity` is set as in megatron_flag_known(). */
bool flag_is_other(const char *flag, int *arity);

/** The last occurrence of one flag of the table. */
struct seen {
    bool is_given, is_unknown, is_uncertain;
    bool is_context; /* not given: the value that the plan has, for rules about other flags */
    char *value; /* words joined by blanks; "" for a switch */
    struct shell_reason *why;
    int line;
};

/** What starts the command. */
enum launch_kind { LAUNCH_NONE, LAUNCH_SCHEDULER, LAUNCH_MPI };

/** One import under way. */
struct megatron {
    const char *file;
    struct errors *errors;
    struct import *out;
    struct seen seen[FLAG_ROWS]; /* by row */
    const struct shell_word *word;
    size_t count, at;
    const struct keyvals *arguments; /* the script's own by name; NULL for none */
    bool serves;       /* the wanted command starts a server, which was read */
    const char *program; /* the script that is started; NULL before it, or for none */
    int unknown_flags;   /* of it that no table has */
    bool names_model; /* of a script: whoever reads it takes the setting `model` as a file's */
    bool is_script;    /* the training script's name has been passed */
    bool is_hybrid;    /* the script trains hybrids, whose layers a pattern names */
    bool has_launcher; /* torchrun or its like starts the processes */
    bool is_alone;     /* the command begins with python, and no scheduler is told anything */
    enum launch_kind launch; /* by what the command begins */
};

/** Turns all that was seen into settings, defaults and remarks (src/import/megatron_rules.c). */
void apply_rules(struct megatron *im);

/** True if the flag is given with a known value. */
bool is_known_value(const struct seen *s);

/** What is known of a flag, and its row. */
const struct seen *seen_of(const struct megatron *im, const char *flag);
const struct flag_row *row_of(const struct seen *s, const struct megatron *im);

/** True if the flag is given. */
bool has(const struct megatron *im, const char *flag);

/** Sets a key to a number from a flag; a later flag for the same key wins. */
void setting_number(struct megatron *im, const struct seen *s, const char *key, int64_t value);

/** Sets a key where no flag does. */
void default_add(struct megatron *im, const char *key, const char *value);

/** Remarks on a flag whose value is not known, and asks for its key. */
void note_unknown(struct megatron *im, const struct seen *s, const char *key);

/** Reports a value that cannot be read: an error on the command line, a note in a file. Asks for the flag's key. */
void note_unreadable(struct megatron *im, const struct seen *s, const char *message);

/** Reads nodes, GPUs and their kind from what launchers and schedulers are told (src/import/megatron_launch.c). */
void rule_hardware(struct megatron *im);

/** The family of the device that a text names as a whole part of it: "h100" of `gpu:h100:4`; NULL for none. */
const char *launch_device(const char *text);

/** The flags in the scheduler's lines of a script (`#SBATCH --nodes=4`), with their values and lines. */
void launch_directives(const char *text, size_t size, struct keyvals *out);

/** Adds the variables that the scheduler sets for these flags. */
void launch_variables(const struct keyvals *directives, struct keyvals *out);

/** Adds the network between nodes to the settings, where the script sets a variable that tells it. */
void launch_fabric(const struct shell_script *script, struct import *out);

/** The line in which the script gives a variable the value, or any for NULL; 0: nowhere. */
int launch_line(const struct shell_script *script, const char *name, const char *value);
