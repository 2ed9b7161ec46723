/* The forms: plan keys with their values, where each value comes from, and which one is selected. */
#include "core/plan/param.h"
#include "ui/state/effect.h"
#include "ui/pane/lesson_marks.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/pane.h"
#include "ui/state/result.h"
#include "ui/widget/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- titles ----------------------------------------------------------------------------------------------------- */

static void model_summary(const struct ui *ui, char *out, size_t size)
{
    const struct totals *totals = &ui->shown->totals;
    if (totals->frozen > 0)
        snprintf(out, size, "%s of %s", figure(FIGURE_COUNT, totals->trainable).text,
                 figure(FIGURE_COUNT, totals->trainable + totals->frozen).text);
    else
        snprintf(out, size, "%s params", figure(FIGURE_COUNT, totals->total).text);
}

static void parallel_summary(const struct ui *ui, char *out, size_t size)
{
    snprintf(out, size, "%d gpu", ui->shown->grid.world);
}

/* Sizes of the batch, and the sequence where they leave room for it; beside wider forms the type. */
static void train_summary(const struct ui *ui, char *out, size_t size)
{
    enum { ROOM = 16 /* columns of a narrow form behind its name */ };
    const struct plan *p = &ui->shown->plan;
    char dtype[FIELD_TEXT_MAX], sequence[FIELD_TEXT_MAX];
    form_value(p, PARAM_train_dtype, dtype);
    form_value(p, PARAM_train_seq_length, sequence);
    int used = snprintf(out, size, "mbs%.0f gbs%.0f", p->value[PARAM_train_micro_batch_size],
                        p->value[PARAM_train_global_batch_size]);
    bool is_wide = ui->width >= 120;
    if (used >= 0 && (is_wide || used + 1 + (int)strlen(sequence) <= ROOM))
        snprintf(out + used, size - (size_t)used, " %.8s", is_wide ? dtype : sequence);
}

static void hardware_summary(const struct ui *ui, char *out, size_t size)
{
    const struct plan *p = &ui->shown->plan;
    snprintf(out, size, "%.0fx%.0f", p->value[PARAM_hardware_nodes], p->value[PARAM_hardware_gpus_per_node]);
}

static void framework_summary(const struct ui *ui, char *out, size_t size)
{
    char name[FIELD_TEXT_MAX];
    form_value(&ui->shown->plan, PARAM_framework_name, name);
    snprintf(out, size, "%.14s", name);
}

static void serve_summary(const struct ui *ui, char *out, size_t size)
{
    snprintf(out, size, "%s", ui->shown->plan.value[PARAM_plan_workload] == WORKLOAD_TRAIN ? "unused" : "");
}

static void rl_summary(const struct ui *ui, char *out, size_t size)
{
    char algorithm[FIELD_TEXT_MAX];
    form_value(&ui->shown->plan, PARAM_rl_algorithm, algorithm);
    snprintf(out, size, "%.14s", ui->shown->plan.value[PARAM_plan_workload] == WORKLOAD_RL ? algorithm : "unused");
}

static void (*const summaries[PANE_FORMS])(const struct ui *, char *, size_t) = {
    [PANE_MODEL] = model_summary, [PANE_PARALLEL] = parallel_summary, [PANE_TRAIN] = train_summary,
    [PANE_HARDWARE] = hardware_summary, [PANE_FRAMEWORK] = framework_summary, [PANE_SERVE] = serve_summary,
    [PANE_RL] = rl_summary,
};

static void draw_title(const struct ui *ui, struct canvas *canvas, enum pane_id form, int width)
{
    char summary[48];
    summaries[form](ui, summary, sizeof summary);
    bool is_focused = pane_has_focus(ui, form);
    int x = canvas_format(canvas, 0, 0, ROLE_TITLE, "%s%s%s", is_focused ? "[" : " ", forms[form].title,
                          is_focused ? "]" : " ");
    int end = width - text_width(summary);
    if (end < x)
        return;
    canvas_repeat(canvas, x, 0, ROLE_DIM, ui->utf8 ? 0x2500 : '-', end - x - 1);
    canvas_right(canvas, width, 0, ROLE_TEXT, summary);
}

/* ---- fields ----------------------------------------------------------------------------------------------------- */

/* Who set a value: a sign in the last column, a word where there is room; nothing where it was the user. */
static const struct {
    char sign;
    const char *word;
} origins[ORIGIN_COUNT] = {
    [FROM_DEFAULT] = {'d', "default"},
    [FROM_ASSUMED] = {'?', "assumed"},
    [FROM_DERIVED] = {'=', "derived"},
    [FROM_PRESET] = {'p', "preset"},
    [FROM_FILE] = {' ', ""},
    [FROM_SET] = {' ', ""},
};

char form_origin(const struct plan *resolved, enum param id)
{
    return origins[resolved->from[id]].sign;
}

static enum role field_role(const struct ui *ui, enum param id)
{
    const struct diag *finding = ui_finding(ui, id);
    return !finding || finding->level == DIAG_NOTE ? ROLE_TEXT : finding->level == DIAG_ERROR ? ROLE_BAD : ROLE_WARN;
}

/* "tp'" when the value is not the baseline's, with the baseline's where there is room for it. */
static void draw_name(const struct ui *ui, struct canvas *canvas, int y, int room, enum param id)
{
    char was[FIELD_TEXT_MAX], text[FIELD_TEXT_MAX + 8];
    bool differs = ui->has_baseline && !param_equal(&ui->baseline->plan, &ui->now->plan, id);
    int x = canvas_fit(canvas, 0, y, room - differs, field_role(ui, id), param_rows[id].key);
    if (!differs)
        return;
    x = canvas_text(canvas, x, y, ROLE_KEY, "'");
    form_value(&ui->baseline->plan, id, was);
    snprintf(text, sizeof text, "was %s", was);
    if (x + 1 + text_width(text) <= room)
        canvas_text(canvas, x + 1, y, ROLE_DIM, text);
}

/* "> 8 <": steps in both directions exist; while that is not known both signs stand. */
static void draw_steps(const struct ui *ui, struct canvas *canvas, int left, int right, int y)
{
    const struct hints *h = effect_hints(ui);
    if (!h || h->up.exists)
        canvas_text(canvas, left, y, ROLE_KEY, ">");
    if (!h || h->down.exists)
        canvas_text(canvas, right, y, ROLE_KEY, "<");
    if (!ui->is_view_focused)
        canvas_paint(canvas, left, y, right - left + 1, ROLE_FOCUS, 0);
}

/* From WORDS_WIDTH columns of a screen on the origin is a word. */
enum { WORDS_WIDTH = 160 };

static void draw_field(const struct ui *ui, struct canvas *canvas, int y, int width, enum param id, bool is_selected)
{
    char value[FIELD_TEXT_MAX], word[16] = "";
    enum role role = field_role(ui, id);
    const struct diag *finding = ui_finding(ui, id);
    bool is_warned = finding && finding->level != DIAG_NOTE;
    if (is_selected && overlays[ui->mode]->value) {
        int room = width * 2 / 3 > 12 ? width * 2 / 3 : width;
        canvas_fit(canvas, 0, y, width - room - 1, ROLE_TEXT, param_rows[id].key);
        overlays[ui->mode]->value(ui, canvas, width - room, y, room - 1);
        return;
    }
    form_value(&ui->now->plan, id, value);
    const char *origin = origins[ui->now->plan.from[id]].word;
    bool has_room = (int)(strlen(param_rows[id].key) + strlen(value) + strlen(origin)) + 5 <= width;
    if (ui->width >= WORDS_WIDTH && *origin && has_room && !param_blank(&ui->now->plan, id))
        snprintf(word, sizeof word, " %s", origin);
    int end = width - (*word ? (int)strlen(word) : 2), x = end - text_width(value);
    x = x < 5 ? 5 : x;
    draw_name(ui, canvas, y, x - 2 < 4 ? 4 : x - 2, id);
    canvas_fit(canvas, x, y, end - x, role, value);
    char sign[2] = {is_warned ? '!' : origins[ui->now->plan.from[id]].sign, '\0'};
    if (*word && !is_warned)
        canvas_text(canvas, end, y, ROLE_DIM, word);
    else
        canvas_text(canvas, width - 1, y, is_warned ? role : ROLE_DIM, sign);
    if (lesson_marks_key(ui, id))
        lesson_marks_draw(canvas, x, y, end - x);
    if (is_selected)
        draw_steps(ui, canvas, x - 2, *word ? end : width - 1, y);
}

/*
 * Fields that are shown in a form of this height; where not all are, a wide screen says in the last row how many more.
 */
static int fields_shown(const struct ui *ui, enum pane_id form, int height)
{
    enum { ROOMY = 4, WIDE = 120 };
    int rows = height - 1;
    return ui->width >= WIDE && rows >= ROOMY && ui->field_count[form] > rows ? rows - 1 : rows;
}

void form_draw(const struct ui *ui, struct canvas *canvas, enum pane_id form, int width, int height)
{
    int count = ui->field_count[form], selected = ui->form == form ? ui->field[form] : 0;
    int shown = fields_shown(ui, form, height), top = page_top(selected, count, shown);
    draw_title(ui, canvas, form, width);
    for (int i = 0; i < shown && top + i < count; i++)
        draw_field(ui, canvas, i + 1, width, ui->fields[form][top + i], ui->form == form && top + i == selected);
    if (shown < height - 1)
        canvas_format(canvas, 2, height - 1, ROLE_DIM, "%d more", count - shown);
}

int form_hit(const struct ui *ui, enum pane_id form, int height, int y)
{
    int count = ui->field_count[form], selected = ui->form == form ? ui->field[form] : 0;
    int shown = fields_shown(ui, form, height), field = page_top(selected, count, shown) + y - 1;
    return y >= 1 && y <= shown && field < count ? field : -1;
}
