/* src/cli/man.h - the manual page and the usage text, printed from the tables of the program. */
#ifndef SHARDTOP_SRC_CLI_MAN_H
#define SHARDTOP_SRC_CLI_MAN_H

struct buffer;

/** Appends the manual page in mdoc. */
void man_write(struct buffer *out);

/** Appends what `--help` prints. */
void man_usage(struct buffer *out);

#endif
