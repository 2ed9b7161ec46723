/* The forms: plan keys with their values, where each value comes from, and which one is selected. */
#include "core/plan/param.h"
#include "ui/state/effect.h"
#include "ui/pane/lesson_marks.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/pane.h"
#include "ui/state/result.h"
#include "ui/widget/rule.h"
#include "ui/widget/table.h"

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
        snprintf(out, size, "%s parameters|%s", figure(FIGURE_COUNT, totals->total).text,
                 figure(FIGURE_COUNT, totals->total).text);
}

static void parallel_summary(const struct ui *ui, char *out, size_t size)
{
    snprintf(out, size, ui_gpus(ui) == 1 ? "%s GPU" : "%s GPUs", figure(FIGURE_EXACT, ui_gpus(ui)).text);
}

static void no_summary(const struct ui *ui, char *out, size_t size)
{
    (void)ui;
    snprintf(out, size, "%s", "");
}

static void hardware_summary(const struct ui *ui, char *out, size_t size)
{
    const struct plan *p = &ui->now->plan;
    snprintf(out, size, p->value[PARAM_hardware_nodes] == 1 ? "%s node" : "%s nodes",
             figure(FIGURE_EXACT, p->value[PARAM_hardware_nodes]).text);
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
    [PANE_MODEL] = model_summary, [PANE_PARALLEL] = parallel_summary, [PANE_TRAIN] = no_summary,
    [PANE_HARDWARE] = hardware_summary, [PANE_FRAMEWORK] = no_summary, [PANE_SERVE] = serve_summary,
    [PANE_RL] = rl_summary,
};

static void draw_title(const struct ui *ui, struct canvas *canvas, enum pane_id form, int width)
{
    char summary[48];
    summaries[form](ui, summary, sizeof summary);
    rule_draw(canvas, 0, width, &(struct rule){.name = forms[form].title, .about = summary, .note = "",
                                               .is_focused = pane_has_focus(ui, form)});
}

/* ---- fields ----------------------------------------------------------------------------------------------------- */

const char *form_origin(const struct plan *resolved, enum param id)
{
    static const char *const words[ORIGIN_COUNT] = {[FROM_DEFAULT] = "default", [FROM_ASSUMED] = "assumed",
                                                    [FROM_DERIVED] = "derived", [FROM_PRESET] = "preset"};
    const char *word = words[resolved->from[id]];
    return word ? word : "";
}

static enum role field_role(const struct ui *ui, enum param id)
{
    const struct diag *finding = ui_finding(ui, id);
    return !finding || finding->level == DIAG_NOTE ? ROLE_TEXT : finding->level == DIAG_ERROR ? ROLE_BAD : ROLE_WARN;
}

/* The name of a field, and behind it the baseline's value where that is another: "tp was 4". */
static void draw_name(const struct ui *ui, struct canvas *canvas, int y, int room, enum param id, bool is_own)
{
    char was[FIELD_TEXT_MAX], text[FIELD_TEXT_MAX + 8], label[64];
    bool differs = ui->has_baseline && !param_equal(&ui->baseline->plan, &ui->now->plan, id);
    enum role role = field_role(ui, id);
    form_label(id, room - 1, label);
    if (text_width(label) > room - 1)
        return;
    int x = canvas_fit(canvas, 1, y, room - 1, role != ROLE_TEXT || is_own ? role : ROLE_MUTED, label);
    if (!differs)
        return;
    form_value(&ui->baseline->plan, id, was);
    snprintf(text, sizeof text, "was %s|'", was);
    canvas_pick(canvas, x + 1, y, room - x - 1, ROLE_WARN, text);
}

/* "- 8 +": steps in both directions exist; while that is not known both signs stand. */
static void draw_steps(const struct ui *ui, struct canvas *canvas, int left, int right, int y)
{
    const struct hints *h = effect_hints(ui);
    if (!h || h->down.exists)
        canvas_text(canvas, left, y, ROLE_KEY, "-");
    if (!h || h->up.exists)
        canvas_text(canvas, right, y, ROLE_KEY, "+");
}

enum { LABEL_LEAST = 7, WORDS = 9 /* columns of "preset" and a blank before it */,
       WORDS_WIDTH = 30 /* of a form that has them */ };

/* Shortens a name to its first parts where all do not fit: nemotron3-super-120b. Returns its columns. */
static int fit_parts(char *text, int room)
{
    char *last;
    while (text_width(text) > room && (last = strrchr(text, '-')) && last > text)
        *last = '\0';
    return text_width(text);
}

/* Shortens repeats in a list that does not fit: [3,4,4,4,2] is 3,3x4,2. */
static void fit_list(char *text, int room)
{
    char out[FIELD_TEXT_MAX] = "";
    size_t used = 0;
    if (text_width(text) <= room || text[0] != '[')
        return;
    for (const char *at = text + 1; *at && *at != ']' && used < sizeof out;) {
        size_t n = strcspn(at, ",]");
        int times = 1;
        const char *next = at + n;
        while (*next == ',' && strncmp(next + 1, at, n) == 0 && strchr(",]", next[1 + n]))
            next += 1 + n, times++;
        used += (size_t)snprintf(out + used, sizeof out - used, times > 1 ? "%s%dx%.*s" : "%s%.0d%.*s", used ? "," : "",
                                 times > 1 ? times : 0, (int)n, at);
        at = next + (*next == ',');
    }
    snprintf(text, FIELD_TEXT_MAX, "%s", out);
}

/* A value, in brackets where nobody gave it and there is no room for who did. */
static int draw_value(const struct ui *ui, struct canvas *canvas, int y, int width, enum param id, bool is_own)
{
    char value[FIELD_TEXT_MAX], text[FIELD_TEXT_MAX + 4];
    bool has_words = width >= WORDS_WIDTH;
    enum role role = field_role(ui, id);
    form_shown(&ui->now->plan, id, value);
    fit_list(value, width / 2);
    has_words = has_words && text_width(value) + LABEL_LEAST <= width - WORDS; /* a long one takes their place */
    int end = has_words ? width - WORDS : width - is_own;
    fit_parts(value, end - 1 - 2 * !is_own);
    snprintf(text, sizeof text, is_own || has_words ? "%s" : "(%s)", value);
    int x = end - text_width(text);
    x = x < 1 ? 1 : x;
    canvas_fit(canvas, x, y, end - x + !is_own, role != ROLE_TEXT ? role : is_own ? ROLE_STRONG : ROLE_MUTED, text);
    if (has_words)
        canvas_text(canvas, end + 1, y, ROLE_MUTED, form_origin(&ui->now->plan, id));
    if (lesson_marks_key(ui, id))
        lesson_marks_draw(canvas, x, y, end - x);
    return x;
}

static void draw_selected(const struct ui *ui, struct canvas *canvas, int y, int width, enum param id)
{
    char value[FIELD_TEXT_MAX], label[64];
    form_shown(&ui->now->plan, id, value);
    fit_list(value, width / 2);
    bool has_words = width >= WORDS_WIDTH && text_width(value) + LABEL_LEAST <= width - WORDS;
    int end = has_words ? width - WORDS + 2 : width - 1, x = end - 1 - fit_parts(value, end - 4);
    x = x < 3 ? 3 : x;
    form_label(id, x - 4, label);
    if (text_width(label) <= x - 4)
        canvas_text(canvas, 1, y, ROLE_TEXT, label);
    canvas_fit(canvas, x, y, end - x, field_role(ui, id), value);
    draw_steps(ui, canvas, x - 2, end, y);
    if (!ui->is_view_focused)
        canvas_paint(canvas, 0, y, width, ROLE_FOCUS, 0);
    else
        canvas_mark(canvas, 1, y, x - 4, CELL_UNDER);
}

static void draw_field(const struct ui *ui, struct canvas *canvas, int y, int width, enum param id, bool is_selected)
{
    bool is_own = ui->now->plan.from[id] >= FROM_FILE && !param_blank(&ui->now->plan, id);
    if (is_selected && overlays[ui->mode]->value) {
        char label[64];
        int room = width * 2 / 3 > 12 ? width * 2 / 3 : width;
        form_label(id, width - room - 2, label);
        canvas_fit(canvas, 1, y, width - room - 2, ROLE_TEXT, label);
        overlays[ui->mode]->value(ui, canvas, width - room, y, room - 1);
    } else if (is_selected) {
        draw_selected(ui, canvas, y, width, id);
    } else {
        int x = draw_value(ui, canvas, y, width, id, is_own);
        if (x > 2)
            draw_name(ui, canvas, y, x - 1, id, is_own);
    }
}

/*
 * Fields that are shown in a form of this height; where not all are, a wide screen says in the last row how many more.
 */
static int fields_shown(const struct ui *ui, enum pane_id form, int height)
{
    enum { ROOMY = 4 };
    int rows = height - 1;
    return rows >= ROOMY && ui->field_count[form] > rows ? rows - 1 : rows;
}

void form_draw(const struct ui *ui, struct canvas *canvas, enum pane_id form, int width, int height)
{
    int count = ui->field_count[form], selected = ui->form == form ? ui->field[form] : 0;
    int shown = fields_shown(ui, form, height), top = page_top(selected, count, shown);
    draw_title(ui, canvas, form, width);
    for (int i = 0; i < shown && top + i < count; i++)
        draw_field(ui, canvas, i + 1, width, ui->fields[form][top + i], ui->form == form && top + i == selected);
    if (shown < height - 1)
        canvas_format(canvas, 1, height - 1, ROLE_MUTED, "%d more", count - shown);
}

int form_hit(const struct ui *ui, enum pane_id form, int height, int y)
{
    int count = ui->field_count[form], selected = ui->form == form ? ui->field[form] : 0;
    int shown = fields_shown(ui, form, height), field = page_top(selected, count, shown) + y - 1;
    return y >= 1 && y <= shown && field < count ? field : -1;
}
