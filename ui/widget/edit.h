/* ui/widget/edit.h - a line editor over UTF-8: text, cursor, one remembered selection; no terminal, no files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { EDIT_MAX = 1024 }; /* bytes of the line, its NUL included */

/** A line being typed. */
struct edit {
    char text[EDIT_MAX];
    size_t length, cursor; /* bytes; the cursor stands on the first byte of a character, or at the end */
    bool is_selected;      /* the whole text is selected: the next character replaces it */
};

/** Starts with `text`, the cursor behind it; when `selected`, typing replaces it. */
void edit_start(struct edit *edit, const char *text, bool selected);

/** Applies an editing key; returns false when the key is not one (Enter, Esc, Tab, function keys ...). */
bool edit_key(struct edit *edit, int key);

/** Puts text at the cursor; control characters are left out. */
void edit_insert(struct edit *edit, const char *text);

/**
 * The text from where it is drawn in `width` columns so that the cursor is seen; `*cursor` gets the cursor's column
 * there.
 */
const char *edit_scrolled(const struct edit *edit, int width, int *cursor);
