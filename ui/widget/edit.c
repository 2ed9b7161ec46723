#include "ui/widget/edit.h"

#include "core/show/glyph.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"

#include <stdio.h>
#include <string.h>

void edit_start(struct edit *edit, const char *text, bool selected)
{
    *edit = (struct edit){0};
    edit_insert(edit, text);
    edit->is_selected = selected && edit->length > 0;
}

/* Removes the bytes from `from` to `to` and puts the cursor there. */
static void cut(struct edit *edit, size_t from, size_t to)
{
    memmove(edit->text + from, edit->text + to, edit->length - to + 1);
    edit->length -= to - from;
    edit->cursor = from;
}

static size_t before(const struct edit *edit, size_t at)
{
    while (at > 0 && (edit->text[--at] & 0xc0) == 0x80)
        ;
    return at;
}

static size_t after(const struct edit *edit, size_t at)
{
    if (at < edit->length)
        at++;
    while (at < edit->length && (edit->text[at] & 0xc0) == 0x80)
        at++;
    return at;
}

static size_t word_start(const struct edit *edit)
{
    size_t at = edit->cursor;
    while (at > 0 && edit->text[at - 1] == ' ')
        at--;
    while (at > 0 && edit->text[at - 1] != ' ')
        at--;
    return at;
}

void edit_insert(struct edit *edit, const char *text)
{
    if (edit->is_selected)
        cut(edit, 0, edit->length);
    edit->is_selected = false;
    for (uint32_t glyph; (glyph = utf8_next(&text)) != 0;) {
        char bytes[4];
        if (!glyph_is_safe(glyph) || glyph == 0xfffd)
            continue;
        size_t n = (size_t)utf8_put(glyph, bytes);
        if (edit->length + n >= EDIT_MAX)
            return;
        memmove(edit->text + edit->cursor + n, edit->text + edit->cursor, edit->length - edit->cursor + 1);
        memcpy(edit->text + edit->cursor, bytes, n);
        edit->length += n;
        edit->cursor += n;
    }
}

/* Keys that only move. */
static bool move(struct edit *edit, int key)
{
    switch (key) {
    case KEY_ARROW_LEFT:
    case KEY_CTRL('B'):
        edit->cursor = edit->is_selected ? 0 : before(edit, edit->cursor);
        return true;
    case KEY_ARROW_RIGHT:
    case KEY_CTRL('F'):
        edit->cursor = edit->is_selected ? edit->length : after(edit, edit->cursor);
        return true;
    case KEY_TO_HOME:
    case KEY_CTRL('A'):
        edit->cursor = 0;
        return true;
    case KEY_TO_END:
    case KEY_CTRL('E'):
        edit->cursor = edit->length;
        return true;
    default:
        return false;
    }
}

/* Keys that remove. */
static bool erase(struct edit *edit, int key)
{
    if (edit->is_selected && (key == KEY_RUBOUT || key == KEY_DELETE)) {
        cut(edit, 0, edit->length);
        return true;
    }
    switch (key) {
    case KEY_RUBOUT:
        cut(edit, before(edit, edit->cursor), edit->cursor);
        return true;
    case KEY_DELETE:
    case KEY_CTRL('D'):
        cut(edit, edit->cursor, after(edit, edit->cursor));
        return true;
    case KEY_CTRL('U'):
        cut(edit, 0, edit->cursor);
        return true;
    case KEY_CTRL('K'):
        cut(edit, edit->cursor, edit->length);
        return true;
    case KEY_CTRL('W'):
        cut(edit, word_start(edit), edit->cursor);
        return true;
    default:
        return false;
    }
}

bool edit_key(struct edit *edit, int key)
{
    if (key >= 0x20 && key < KEY_FIRST && key != KEY_RUBOUT) {
        char text[5] = {0};
        utf8_put((uint32_t)key, text);
        edit_insert(edit, text);
        return true;
    }
    bool is_taken = move(edit, key) || erase(edit, key);
    if (is_taken)
        edit->is_selected = false;
    return is_taken;
}

const char *edit_scrolled(const struct edit *edit, int width, int *cursor)
{
    char head[EDIT_MAX];
    const char *text = edit->text;
    snprintf(head, sizeof head, "%.*s", (int)edit->cursor, edit->text);
    int column = text_width(head), hidden = column >= width ? column - width + 1 : 0;
    for (int skipped = 0; skipped < hidden && *text;)
        skipped += glyph_width(utf8_next(&text));
    *cursor = column - hidden;
    return text;
}
