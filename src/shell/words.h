/*
 * src/shell/words.h - words under construction, and the marks in them that say what is not known.
 *
 * Values carry marks that have no width: MARK, a letter, a number, MARK_END. `L12` says that the text after it was
 * written in line 12, `U3` stands for a part that is not known (reason 3), `D4` says that the text after it depends on
 * something that is not known (reason 4), up to `D0`. So a variable can hold half-known text and still be split.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "src/text/text.h"

struct shell;

enum { MARK = 1, MARK_END = 2 }; /* characters */

/** What a marked text says without its marks; reasons and line are those of the first mark of each kind, 0 for none. */
struct plain {
    char *text;
    int unknown, doubt, line;
};

/** Reads marked text; `text` is fresh memory. */
struct plain plain_of(const char *marked);

/** A text from outside in fresh memory, with `?` for the bytes that marks are made of. */
char *unmarked(const char *text);

/** The text alone, in fresh memory. */
char *plain_text(const char *marked);

/** Length of all marks at `p`. */
size_t marks_size(const char *p, const char *end);

/** Length of the one mark at `p`, or 0; its letter and number go to `letter` and `number`. */
size_t mark_at(const char *p, char *letter, int *number);

/** A growing list of marked words; `open` is the word being built. Zero-initialise, release with words_free(). */
struct words {
    char **item;
    size_t count, capacity;
    struct buffer open;
    bool is_open;
    bool is_unsplit;   /* blanks never end a word */
    int line, emitted; /* source line of what comes next, 0 if not known; line of the last mark in the open word */
    int doubt, marked; /* reason why what comes next is in doubt; the doubt last marked in the open word */
};

/** Opens a word, which may stay empty. */
void words_open(struct words *w);

/** Puts a character into the open word. */
void words_put(struct shell *sh, struct words *w, char c);

/** Puts a part that is not known. */
void words_unknown(struct shell *sh, struct words *w, int reason);

/** Marks what comes next in the open word as depending on `doubt`; nothing for 0. */
void words_doubt(struct words *w, int doubt);

/** Takes the character or mark at `p` and returns its length; unless quoted, a blank ends the word. */
size_t words_take(struct shell *sh, struct words *w, const char *p, bool is_quoted);

/** Takes a whole value; its marks are kept. */
void words_value(struct shell *sh, struct words *w, const char *value, bool is_quoted);

/** Ends the open word, if there is one. */
void words_close(struct shell *sh, struct words *w);

/** Releases all words and leaves an empty list. */
void words_free(struct words *w);
