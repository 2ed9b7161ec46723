/*
 * src/shell/state.h - what the reading of one script knows, with its faults and the reasons why values are not known.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "src/shell/shell.h"
#include "src/text/text.h"

struct variable; /* src/shell/vars.h */
struct function; /* src/shell/run.h */
struct words;    /* src/shell/words.h */

/** How the text under the reader is taken: left out, or read with a doubt about whether it runs. */
struct frame {
    bool is_skipped;
    int doubt;             /* reason for the doubt, 0 for none */
    int construct, branch; /* the undecided `if` or `case` around it and which branch of it, 0 for none */
};

/** What the tests of one condition compare a variable with that nobody gave. */
struct compared {
    int reason;          /* the variable's; 0: none is compared, -1: several are */
    struct buffer words; /* separated by blanks */
};

/** One reading; reasons are told by their index in `reason`, where 0 stands for none. */
struct shell {
    const char *name;
    const struct shell_options *options; /* NULL for none */
    struct errors *errors;
    struct shell_script *out;
    size_t command_capacity, parent;
    struct variable *variable;
    size_t variables, variable_capacity;
    struct function *function;
    size_t functions;
    struct shell_reason **reason;
    size_t reasons;
    char **text; /* evaluated texts; functions may point into them */
    size_t texts;
    const struct words *argument; /* of the function that runs; NULL at the top */
    size_t shifted;
    struct frame frame;
    struct compared compared; /* by the condition that is being read, or was last */
    struct keyvals front; /* what stands in front of the command that runs: its environment */
    char *target; /* of the command's last redirection of its output, as marked text; NULL for none */
    bool appends; /* that one is `>>` */
    int constructs, depth;
    size_t expanded, scanned, commands, sourced;
    bool is_failed, is_stopped, is_returning, is_breaking, is_continuing;
};

/** Adds the first fault and ends the reading; later ones are left out. */
void shell_fail(struct shell *sh, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/** One level deeper, a fault past SHELL_DEPTH_MAX; `sh->depth--` leaves it again. */
void shell_enter(struct shell *sh, int line);

/** Counts `bytes` of expansion; false, with a fault, once there are too many. */
bool shell_spend(struct shell *sh, size_t bytes, int line);

/** True where commands are carried out, false where they are only read past. */
bool shell_is_live(const struct shell *sh);

/** A piece of script for a message: in one line and shortened; fresh memory. */
char *shell_excerpt(const char *text, size_t size);

/** Index of a reason, which is copied. */
int reason_add(struct shell *sh, const struct shell_reason *reason);

/** A piece of the script. */
int reason_source(struct shell *sh, const char *text, size_t size, enum shell_reason_kind kind);

/** A variable. */
int reason_variable(struct shell *sh, const char *name, enum shell_reason_kind kind);

/** A variable that the script does not set, or an argument of the script. */
int reason_unset(struct shell *sh, const char *name);

/** The same reason for a doubt: not the value but a condition depends on it. */
int reason_doubt(struct shell *sh, int reason);

/** True for a variable that the script never sets, and for its arguments. */
bool reason_is_unset(const struct shell *sh, int reason);
