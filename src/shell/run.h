/* src/shell/run.h - the commands of a script: simple ones, and the constructs that decide which of them run. */
#pragma once

#include "src/shell/condition.h"
#include "src/shell/lex.h"

struct shell_command;

/** A function of the script. */
struct function {
    char *name;
    struct reader body;
};

/** The status of a command that is not run. */
#define COMMAND_ASSUMED ((struct verdict){ASSUMED, 0})

/** A whole text; a fault for what is left over. */
void run_text(struct shell *sh, struct reader *r);

/** Marked text that the script evaluates itself, by `eval` or `bash -c`. */
void run_evaluated(struct shell *sh, const char *text, int line);

/** One command of any kind, with the redirections behind it. */
struct verdict run_command(struct shell *sh, struct reader *r);

/** One simple command with its assignments and redirections. */
struct verdict run_simple(struct shell *sh, struct reader *r);

/** Reads past a redirection, if one is at the reader; `<(...)` leaves an unknown word in `w`. */
bool skip_redirection(struct shell *sh, struct reader *r, struct words *w);

/** Words as they are handed out. */
void command_make(const struct shell *sh, const struct words *w, int line, struct shell_command *c);
