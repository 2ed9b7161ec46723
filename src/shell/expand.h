/* src/shell/expand.h - what `$V`, `${V:-x}`, `$(( ))`, quotes and backslashes stand for; sums and patterns. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reader;
struct shell;
struct words;

/** Expands the word at the reader into whole words and moves past it. */
void expand_word(struct shell *sh, struct reader *r, struct words *w);

/** The text from `p` to `end` expanded without being split, as marked text in fresh memory. */
char *expand_whole(struct shell *sh, const char *p, const char *end, bool is_quoted, int line);

/** The whole word at the reader in the same way, past which it moves. */
char *expand_whole_word(struct shell *sh, struct reader *r);

/** Value of an integer expression; reasons why it is not known or in doubt go to `unknown` and `doubt`, 0 for none. */
int64_t arithmetic(struct shell *sh, const char *p, const char *end, int line, int *unknown, int *doubt);

/** Puts that value. */
void expand_arithmetic(struct shell *sh, const char *p, const char *end, struct words *w);

/** True if the text matches a pattern with `*`, `?` and `[...]`. */
bool pattern_matches(const char *pattern, const char *text);
