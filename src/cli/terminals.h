/* src/cli/terminals.h - descriptions of terminals that `make static` puts into the program. */
#pragma once

/** One terminal: its name, and its description as ncurses takes it from $TERMINFO ("b64:" and base64). */
struct terminal {
    const char *name, *description;
};

/** Ends with a row without a name, which is the first where the program is not static. */
extern const struct terminal terminals[];
