#include "src/text/diff.h"

#include "src/text/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 3, CHANGES_MAX = 1000 };

/* ---- lines ------------------------------------------------------------------------------------------------------- */

struct line {
    const char *at;
    size_t size; /* including its line break */
    bool is_kept;
};

struct lines {
    struct line *item;
    int count;
};

static struct lines split(const char *text)
{
    struct lines lines = {.item = xmalloc((strlen(text) + 1) * sizeof *lines.item)};
    for (size_t n; *text; text += n) {
        n = strcspn(text, "\n");
        n += text[n] == '\n';
        lines.item[lines.count++] = (struct line){text, n, false};
    }
    return lines;
}

static bool is_same(const struct line *a, const struct line *b)
{
    return a->size == b->size && memcmp(a->at, b->at, a->size) == 0;
}

/* ---- which lines stay -------------------------------------------------------------------------------------------- */

/* The part of both texts between their common prefix and suffix. */
struct middle {
    const struct lines *a, *b;
    int first, a_count, b_count;
};

/* The furthest x on diagonal k = x - y after `changes` edits, given those reached with one edit less. */
static int reach(const struct middle *m, const int *far, int k, int changes)
{
    bool is_down = k == -changes || (k != changes && far[k - 1] < far[k + 1]);
    int x = changes == 0 ? 0 : is_down ? far[k + 1] : far[k - 1] + 1;
    while (x < m->a_count && x - k < m->b_count && is_same(&m->a->item[m->first + x], &m->b->item[m->first + (x - k)]))
        x++;
    return x;
}

/* Walks back from the end through the trace and marks the lines common to both texts. */
static void mark_kept(const struct middle *m, int *const *trace, int changes)
{
    int x = m->a_count, y = m->b_count;
    for (; changes >= 0; changes--) {
        const int *far = changes > 0 ? trace[changes - 1] : NULL;
        int k = x - y;
        bool is_down = changes > 0 && (k == -changes || (k != changes && far[k - 1] < far[k + 1]));
        int from = changes == 0 ? 0 : is_down ? far[k + 1] : far[k - 1] + 1;
        for (; x > from; x--, y--)
            m->a->item[m->first + x - 1].is_kept = m->b->item[m->first + y - 1].is_kept = true;
        x -= changes > 0 && !is_down;
        y -= is_down;
    }
}

static void compare_middle(const struct middle *m)
{
    int most = m->a_count + m->b_count, changes = 0;
    most = most > CHANGES_MAX ? CHANGES_MAX : most;
    int **store = xmalloc(((size_t)most + 1) * sizeof *store), **trace = xmalloc(((size_t)most + 1) * sizeof *trace);
    bool is_done = false;
    while (!is_done && changes <= most) {
        store[changes] = xmalloc((2 * (size_t)changes + 3) * sizeof **store);
        trace[changes] = store[changes] + changes + 1;
        for (int k = -changes; k <= changes; k += 2) {
            int x = reach(m, changes > 0 ? trace[changes - 1] : NULL, k, changes);
            trace[changes][k] = x;
            is_done |= x >= m->a_count && x - k >= m->b_count;
        }
        changes++;
    }
    if (is_done)
        mark_kept(m, trace, changes - 1);
    while (changes > 0)
        free(store[--changes]);
    free(store);
    free(trace);
}

static void compare(const struct lines *a, const struct lines *b)
{
    int first = 0, last = 0, least = a->count < b->count ? a->count : b->count;
    while (first < least && is_same(&a->item[first], &b->item[first]))
        first++;
    while (last < least - first && is_same(&a->item[a->count - 1 - last], &b->item[b->count - 1 - last]))
        last++;
    for (int i = 0; i < first; i++)
        a->item[i].is_kept = b->item[i].is_kept = true;
    for (int i = 1; i <= last; i++)
        a->item[a->count - i].is_kept = b->item[b->count - i].is_kept = true;
    const struct middle m = {a, b, first, a->count - first - last, b->count - first - last};
    compare_middle(&m);
}

/* ---- hunks ------------------------------------------------------------------------------------------------------- */

static void put_line(struct buffer *out, char mark, const struct line *line)
{
    buffer_add(out, &mark, 1);
    buffer_add(out, line->at, line->size);
    if (line->at[line->size - 1] != '\n')
        buffer_puts(out, "\n\\ No newline at end of file\n");
}

/* A pair of corresponding positions. */
struct place {
    int a, b;
};

/* The end of the hunk that starts at `from`; changes close to each other share a hunk. */
static struct place hunk_end(const struct lines *a, const struct lines *b, struct place from)
{
    struct place end = from, at = from;
    for (int same = 0; same <= 2 * AROUND && (at.a < a->count || at.b < b->count);) {
        bool gone = at.a < a->count && !a->item[at.a].is_kept, is_new = at.b < b->count && !b->item[at.b].is_kept;
        at.a += gone || !is_new;
        at.b += is_new || !gone;
        same = gone || is_new ? 0 : same + 1;
        end = gone || is_new ? at : end;
    }
    return end;
}

static void put_hunk(struct buffer *out, const struct lines *a, const struct lines *b, struct place from,
                     struct place to)
{
    int before = from.a < AROUND ? from.a : AROUND, left = a->count - to.a, after = left < AROUND ? left : AROUND;
    struct place at = {from.a - before, from.b - before}, end = {to.a + after, to.b + after};
    int a_lines = end.a - at.a, b_lines = end.b - at.b;
    buffer_printf(out, "@@ -%d,%d +%d,%d @@\n", at.a + (a_lines > 0), a_lines, at.b + (b_lines > 0), b_lines);
    while (at.a < end.a || at.b < end.b) {
        if (at.a < end.a && !a->item[at.a].is_kept) {
            put_line(out, '-', &a->item[at.a++]);
        } else if (at.b < end.b && !b->item[at.b].is_kept) {
            put_line(out, '+', &b->item[at.b++]);
        } else {
            put_line(out, ' ', &a->item[at.a++]);
            at.b++;
        }
    }
}

/* Appends a header line; quotes unusual names as git does (core.quotePath). */
static void put_name(struct buffer *out, const char *mark, const char *name)
{
    static const char letters[] = "abtnvfr"; /* escapes for bytes 7 to 13 */
    bool is_quoted = false;
    for (const unsigned char *p = (const unsigned char *)name; *p; p++)
        is_quoted |= *p < ' ' || *p > '~' || *p == '"' || *p == '\\';
    buffer_printf(out, "%s %s", mark, is_quoted ? "\"" : "");
    for (const unsigned char *p = (const unsigned char *)name; *p; p++) {
        if (*p >= '\a' && *p <= '\r')
            buffer_printf(out, "\\%c", letters[*p - '\a']);
        else if (*p < ' ' || *p > '~')
            buffer_printf(out, "\\%03o", *p);
        else
            buffer_printf(out, "%s%c", *p == '"' || *p == '\\' ? "\\" : "", *p);
    }
    buffer_puts(out, is_quoted ? "\"\n" : strchr(name, ' ') ? "\t\n" : "\n");
}

void diff_unified(struct buffer *out, const char *name, const char *before, const char *after)
{
    struct lines a = split(before), b = split(after);
    struct place at = {0, 0};
    compare(&a, &b);
    bool has_head = false;
    while (at.a < a.count || at.b < b.count) {
        bool is_same_line = at.a < a.count && at.b < b.count && a.item[at.a].is_kept && b.item[at.b].is_kept;
        if (is_same_line) {
            at = (struct place){at.a + 1, at.b + 1};
            continue;
        }
        if (!has_head) {
            put_name(out, "---", name);
            put_name(out, "+++", name);
        }
        has_head = true;
        struct place end = hunk_end(&a, &b, at);
        put_hunk(out, &a, &b, at, end);
        at = end;
    }
    free(a.item);
    free(b.item);
}
