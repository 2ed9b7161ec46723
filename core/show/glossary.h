/*
 * core/show/glossary.h - the words of the field: what each means, which keys and values it is about, where it is
 * taught.
 */
#pragma once

/** One word. Lists are separated by `|`, "" is none. */
struct glossary_row {
    const char *term, *also; /* also: other names */
    const char *sentence, *formula;
    const char *keys, *paths; /* dotted keys; values of a result, of stage or row 0 */
    const char *lesson;
};

/** The words, in the order of the alphabet. */
extern const struct glossary_row glossary[];
extern const int glossary_count;

/**
 * The word that `text` means, whatever its case: its name, another name, the beginning of one, or one slip away; or
 * NULL.
 */
const struct glossary_row *glossary_find(const char *text);

/**
 * The next word after `after` (NULL: the first) that is about a key or value; numbers of stages and rows do not count.
 */
const struct glossary_row *glossary_about(const char *path, const struct glossary_row *after);
