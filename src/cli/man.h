/* src/cli/man.h - the manual page, printed from the tables of the program. */
#ifndef SHARDTOP_SRC_CLI_MAN_H
#define SHARDTOP_SRC_CLI_MAN_H

struct buffer;

/** Appends the manual page in mdoc. */
void man_write(struct buffer *out);

#endif
