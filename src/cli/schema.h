/* src/cli/schema.h - what every JSON answer holds, as a JSON Schema (draft 2020-12). */
#ifndef SHARDTOP_SRC_CLI_SCHEMA_H
#define SHARDTOP_SRC_CLI_SCHEMA_H

struct buffer;
struct errors;

/** Appends the schema of a command's answer, or with NULL of all. Returns 0, or -1 with a fault added for no such command. */
int schema_write(struct buffer *out, const char *command, struct errors *errors);

#endif
