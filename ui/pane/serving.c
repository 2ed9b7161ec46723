/* The memory view of a plan that serves a model. */
#include "core/show/figure.h"
#include "ui/pane/pane.h"
#include "ui/table.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define AT(member) #member, offsetof(struct serving, member)
static const struct {
    char letter; /* in the bar; 0: only in the table */
    enum role role;
    const char *label, *name;
    size_t offset;
    enum figure_kind kind;
} rows[SERVING_ROWS] = {
    {'W', ROLE_WEIGHTS, "weights", AT(weights_bytes), FIGURE_BYTES},
    {'K', ROLE_OPTIMIZER, "key/value cache", AT(kv_cache_bytes), FIGURE_BYTES},
    {'A', ROLE_ACTIVATIONS, "working set of a prefill", AT(activations_bytes), FIGURE_BYTES},
    {0, ROLE_TITLE, "needed", AT(needed_bytes), FIGURE_BYTES},
    {0, ROLE_TEXT, "memory that serving may use", AT(room_bytes), FIGURE_BYTES},
    {0, ROLE_TEXT, "largest batch that fits", AT(max_batch_size), FIGURE_COUNT},
    {0, ROLE_TEXT, "longest context that fits", AT(max_context_tokens), FIGURE_COUNT},
    {0, ROLE_TEXT, "time to the first token", AT(time_to_first_token_s), FIGURE_SECONDS},
    {0, ROLE_TEXT, "each further token", AT(per_token_s), FIGURE_SECONDS},
    {0, ROLE_TEXT, "whole answers of a batch", AT(request_s), FIGURE_SECONDS},
    {0, ROLE_TEXT, "tokens generated per second", AT(tokens_per_s), FIGURE_COUNT},
};
enum { BAR_PARTS = 3, NEEDED = 3, ROOM = 4, LABEL = 30 };

static double value_of(const struct serving *s, int row)
{
    return *(const double *)((const char *)s + rows[row].offset);
}

/* One bar: what is needed of what may be used. */
static void draw_bar(const struct serving *s, struct canvas *canvas, int width)
{
    double room = s->room_bytes, scale = s->needed_bytes > room || isnan(room) ? s->needed_bytes : room, sum = 0;
    int at = 0, end = isnan(room) ? width : (int)lround(room / scale * width);
    for (int i = 0; i < BAR_PARTS && !isnan(scale); i++) {
        sum += value_of(s, i);
        int to = (int)lround(sum / scale * width);
        canvas_repeat(canvas, at, 0, rows[i].role, (uint32_t)(unsigned char)rows[i].letter, to - at);
        at = to;
    }
    canvas_repeat(canvas, at, 0, ROLE_TEXT, '.', end - at);
    if (end < width)
        canvas_repeat(canvas, end, 0, ROLE_BAD, '|', 1);
}

void serving_draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    const struct serving *s = &ui->shown->serving;
    bool is_focused = pane_has_focus(ui, PANE_MEMORY);
    int selected = ui->at[PANE_MEMORY].row, top = page_top(selected, SERVING_ROWS, height - 2);
    int label = width < LABEL + 14 ? width - 14 : LABEL;
    draw_bar(s, canvas, width);
    for (int i = 0; i < height - 2 && top + i < SERVING_ROWS; i++) {
        int row = top + i, y = i + 2;
        bool is_over = row == NEEDED && value_of(s, NEEDED) > value_of(s, ROOM);
        if (rows[row].letter)
            canvas_repeat(canvas, 0, y, rows[row].role, (uint32_t)(unsigned char)rows[row].letter, 1);
        canvas_fit(canvas, 2, y, label - 2, row == NEEDED ? ROLE_TITLE : ROLE_TEXT, rows[row].label);
        canvas_right(canvas, label + 12, y, is_over ? ROLE_BAD : ROLE_TEXT,
                     figure(rows[row].kind, value_of(s, row)).text);
        if (is_focused && row == selected)
            canvas_paint(canvas, 2, y, label + 10, ROLE_FOCUS, 0);
    }
}

bool serving_path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    int row = ui->at[PANE_MEMORY].row;
    snprintf(out, EXPLAIN_PATH_MAX, "serving.%s", rows[row < SERVING_ROWS ? row : 0].name);
    return true;
}
