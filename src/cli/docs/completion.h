/* src/cli/docs/completion.h - completion scripts for bash, zsh and fish, printed from the tables of the program. */
#pragma once

struct buffer;
struct errors;

/** Appends the script for `shell`. Returns 0, or -1 with a fault added. */
int completion_write(struct buffer *out, const char *shell, struct errors *errors);
