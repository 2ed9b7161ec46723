/* src/cli/docs/complete.h - what may stand where somebody types: the words that completion offers in every shell. */
#pragma once

struct buffer;

/**
 * Appends the words that begin as the last of `words` does, which follow `shardtop` on a command line, one a line, each
 * with its meaning behind a tab where it has one; `:files` stands for the names of files. No word means that nothing is
 * known.
 */
void complete_words(struct buffer *out, int count, char *const words[]);
