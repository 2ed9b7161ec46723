#include "ui/pane/choices.h"

#include "core/search/diff_text.h"
#include "ui/state/baseline.h"

#include <stdio.h>
#include <string.h>

static bool plan_here(const struct ui *ui, struct plan *out)
{
    const struct pane *pane = panes[ui->view];
    if (pane->rows(ui) == 0 || pane->choices->is_old(ui))
        return false;
    pane->choices->plan(ui, ui->at[ui->view].row, out);
    return true;
}

static bool selected(struct ui *ui, struct plan *out)
{
    bool is_any = plan_here(ui, out);
    if (!is_any)
        ui_say(ui, ROLE_MUTED, "nothing to load yet");
    return is_any;
}

enum { FIGURE_MOST = 14 /* columns of a figure */ };

static void widen(struct column *column, const char *text, int gap, int most)
{
    int width = !*text ? 0 : text_width(text) + gap < most ? text_width(text) + gap : most;
    column->width = width > column->width ? width : column->width;
}

/* Columns of figures, and names in the first one, are as wide as their texts on the page. */
static void fit_columns(const struct ui *ui, enum pane_id pane, int height, int most, int count,
                        struct column out[TABLE_COLUMNS_MAX])
{
    int rows = panes[pane]->rows(ui), top = page_top(ui->at[pane].row, rows, height - 1);
    for (int row = top; row < rows && row < top + height - 1; row++)
        for (int i = 0; i < count; i++) {
            char text[CELL_TEXT_MAX];
            if (i > 0 ? out[i].side != COLUMN_RIGHT : most <= 0)
                continue;
            out[i].text(ui, row, text);
            if (out[i].width == 0 && *text) /* only if not empty */
                out[i].width = text_width(out[i].title) + 1;
            widen(&out[i], text, i > 0, i > 0 ? FIGURE_MOST : most);
        }
}

void choices_draw(const struct ui *ui, enum pane_id pane, struct canvas *canvas, int top, int width, int height)
{
    const struct choices *choices = panes[pane]->choices;
    struct column columns[TABLE_COLUMNS_MAX];
    bool is_page = choices->page && width >= choices->page_least;
    int count = is_page ? choices->page_count : choices->count;
    memcpy(columns, is_page ? choices->page : choices->columns, (size_t)count * sizeof *columns);
    fit_columns(ui, pane, height, choices->reserved && !is_page ? width - choices->reserved : 0, count, columns);
    const struct table table = {.columns = columns,
                                .count = count,
                                .context = ui,
                                .rows = panes[pane]->rows(ui),
                                .row = ui->at[pane].row,
                                .column = -1,
                                .is_focused = pane_has_focus(ui, pane) && ui->at[pane].column == 0};
    table_draw(&table, canvas, top, width, height);
    for (int y = top; y < top + height && ui->view == pane && choices->is_open(ui);
         y++) /* next to other views that would need a frame */
        canvas_paint(canvas, 0, y, width, ROLE_MUTED, 0);
}

/* Removes the first brackets after the colon: reasons of time go before those of memory. */
static bool drop_brackets(char *sentence)
{
    char *colon = strstr(sentence, ": "), *from = colon ? strstr(colon, " (") : NULL;
    char *to = from ? strchr(from, ')') : NULL;
    if (to)
        memmove(from, to + 1, strlen(to + 1) + 1);
    return to != NULL;
}

int choices_room(const struct ui *ui)
{
    enum { BROKEN = 12 /* columns that two rows lose where words break */ };
    struct rect r = ui->layout.message;
    return ui->draws_lines ? UI_MESSAGE_MAX : r.height > 1 ? 2 * r.width - BROKEN : r.width;
}

void choices_shorten(const struct ui *ui, char *sentence, char out[UI_MESSAGE_MAX])
{
    while (text_width(sentence) > choices_room(ui) && drop_brackets(sentence))
        ;
    int used = snprintf(out, UI_MESSAGE_MAX, "%s", sentence);
    if (used >= UI_MESSAGE_MAX)
        out[UI_MESSAGE_MAX - 2] = '~';
}

void choices_name_changes(const struct ui *ui, char *sentence, size_t size)
{
    enum { ROOM = 60 };
    const char *figures = strstr(sentence, ": ");
    char words[DIFF_TEXT_MAX], rest[DIFF_TEXT_MAX];
    form_changes(&ui->now->plan, &ui->scratch->plan, ROOM, words, sizeof words);
    if (!figures || !*words)
        return;
    snprintf(rest, sizeof rest, "%s", figures);
    snprintf(sentence, size, "%.120s%.270s", words, rest);
}

void choices_describe(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    char sentence[DIFF_TEXT_MAX];
    struct plan plan;
    out[0] = '\0';
    if (!plan_here(ui, &plan))
        return;
    estimate_plan(&plan, ui->scratch);
    diff_text(ui->now, ui->scratch, sentence);
    choices_name_changes(ui, sentence, sizeof sentence);
    choices_shorten(ui, sentence, out);
}

void choices_label(const struct ui *ui, const struct plan *plan, char out[HISTORY_LABEL_MAX])
{
    struct plan resolved;
    char keys[DIFF_TEXT_MAX];
    plan_resolve(plan, &resolved);
    diff_text_keys(&ui->now->plan, &resolved, keys, sizeof keys);
    diff_text_shorten(keys, HISTORY_LABEL_MAX - 1);
    snprintf(out, HISTORY_LABEL_MAX, "%.*s", HISTORY_LABEL_MAX - 1, keys);
}

bool choices_take(struct ui *ui)
{
    char label[HISTORY_LABEL_MAX];
    struct plan plan;
    if (!selected(ui, &plan))
        return true;
    choices_label(ui, &plan, label);
    ui_change(ui, &plan, label);
    return true;
}

void choices_pin(struct ui *ui)
{
    struct plan plan;
    if (selected(ui, &plan))
        baseline_pin(ui, &plan);
}

void choices_compare(struct ui *ui)
{
    struct plan plan;
    if (!selected(ui, &plan))
        return;
    baseline_pin(ui, &plan);
    if (ui->has_baseline && ui->view != PANE_DIFF)
        ui_do(ui, ACTION_diff);
}
