/* src/cli/terminals.h - descriptions of terminals that `make static` puts into the program. */
#ifndef SHARDTOP_SRC_CLI_TERMINALS_H
#define SHARDTOP_SRC_CLI_TERMINALS_H

/** One terminal: its name, and its description as ncurses takes it from $TERMINFO ("b64:" and base64). */
struct terminal {
    const char *name, *description;
};

/** Ends with a row without a name, which is the first where the program is not static. */
extern const struct terminal terminals[];

#endif
