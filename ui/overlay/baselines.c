/* The plans that are pinned: what each comes to, how it differs from the plan, and what may become of it. */
#include "core/plan/param.h"
#include "core/show/figure.h"
#include "core/show/spent.h"
#include "ui/state/baseline.h"
#include "ui/command/browse.h"
#include "ui/command/keymap.h"
#include "ui/overlay/overlay.h"
#include "ui/state/result.h"
#include "ui/widget/table.h"
#include "ui/widget/units.h"

#include <stdio.h>
#include <string.h>

#define KEY(key, id) {MODE_BASELINES, key, ACTION_##id}
static const struct binding own_keys[] = {
    KEY(KEY_RETURN, accept), KEY(KEY_ARROW_UP, up), KEY('k', up), KEY(KEY_ARROW_DOWN, down), KEY('j', down),
    KEY('g', top), KEY(KEY_TO_HOME, top), KEY('G', bottom), KEY(KEY_TO_END, bottom), KEY('d', diff), KEY('u', undo),
    KEY(KEY_CTRL('R'), redo), KEY('q', cancel), KEY('B', cancel), KEY(KEY_ESCAPE, cancel), KEY(KEY_CTRL('C'), cancel),
    KEY(KEY_ARROW_LEFT, cancel), KEY('h', cancel), KEY('?', help), KEY(KEY_F1, help), KEY(':', command),
    KEY(KEY_CTRL('L'), redraw), KEY(KEY_CTRL('Z'), suspend),
    {0},
};

static const struct hint own_hints[] = {
    {MODE_BASELINES, ACTION_accept, ACTION_NONE, "compare with it", 0},
    {MODE_BASELINES, ACTION_down, ACTION_up, "select", 0},
    {MODE_BASELINES, ACTION_diff, ACTION_NONE, "differences", 0},
    {MODE_BASELINES, ACTION_undo, ACTION_NONE, "undo", 0},
    {MODE_BASELINES, ACTION_cancel, ACTION_NONE, "back", 0},
    {0},
};

static void open(struct ui *ui)
{
    if (ui->pins == 0) {
        ui_say(ui, ROLE_WARN, "nothing is pinned; b pins the plan");
        return;
    }
    ui->mode = MODE_BASELINES;
    ui->pin_row = ui->baseline_number - 1;
}

static int selected(const struct ui *ui)
{
    return row_within(ui->pin_row, ui->pins);
}

/* ---- what is shown ---------------------------------------------------------------------------------------------- */

enum { NUMBER = 4, CLOCK = 7, NAME = 16, GIGABYTES = 7, TIME = 11, TEXT_LEAST = 24 /* columns */ };

/* "pp 4 -> 2, micro_batch_size 1 -> 2": what leads from the pinned plan to this one. */
static void say_differences(const struct ui *ui, const struct plan *pinned, char *out, size_t size)
{
    size_t used = 0;
    char before[FIELD_TEXT_MAX], after[FIELD_TEXT_MAX];
    snprintf(out, size, "the same as the plan");
    for (int id = 0; id < PARAM_COUNT && used < size; id++) {
        if (param_equal(pinned, &ui->plan, (enum param)id))
            continue;
        form_value(&ui->scratch->plan, (enum param)id, before); /* the pinned plan's estimate is there */
        form_value(&ui->now->plan, (enum param)id, after);
        used += (size_t)snprintf(out + used, size - used, "%s%s %s -> %s", used ? ", " : "", param_rows[id].key, before,
                                 after);
    }
}

static void draw_row(const struct ui *ui, struct canvas *canvas, int y, int width, int i)
{
    const struct pin *pin = &ui->pin[i];
    char text[400];
    estimate_plan(&pin->plan, ui->scratch);
    canvas_format(canvas, 0, y, ROLE_TEXT, "%d%s", i + 1, i + 1 == ui->baseline_number ? "*" : "");
    canvas_text(canvas, NUMBER, y, ROLE_MUTED, pin->time);
    canvas_fit(canvas, NUMBER + CLOCK, y, NAME - 1, ROLE_TEXT, *pin->name ? pin->name : pin->plan.text[TEXT_MODEL]);
    int x = NUMBER + CLOCK + NAME + GIGABYTES;
    canvas_right(canvas, x, y, ROLE_TEXT, units_figure(FIGURE_GIB, result_value(RESULT_PEAK, ui->scratch)).text);
    canvas_right(canvas, x += TIME, y, ROLE_TEXT, result_text(RESULT_ITERATION, ui->scratch).text);
    say_differences(ui, &pin->plan, text, sizeof text);
    if (width - x >= TEXT_LEAST)
        canvas_fit(canvas, x + 2, y, width - x - 2, *pin->note ? ROLE_TEXT : ROLE_MUTED, *pin->note ? pin->note : text);
    canvas_link(canvas, 0, y, width, LINK_ROWS + i);
}

/* ---- side by side ----------------------------------------------------------------------------------------------- */

enum { BESIDE_NAME = 22, BESIDE_COLUMN = 13, BESIDE_MOST = 3 /* pinned plans */, BESIDE_LEAST = 8 /* rows */ };

/* The plan, and pinned ones that are others, each in a column. */
struct beside {
    const struct ui *ui;
    int pin[BESIDE_MOST], pins;
};

static const struct plan *plan_beside(const struct beside *b, int column)
{
    return column == 0 ? &b->ui->plan : &b->ui->pin[b->pin[column - 1]].plan;
}

/* Whether a key is another in one of the plans. */
static bool differs(const struct beside *b, enum param id)
{
    for (int column = 1; column <= b->pins; column++)
        if (!param_equal(&b->ui->plan, plan_beside(b, column), id))
            return true;
    return false;
}

/* The keys that differ, what each plan comes to, and where its time goes; of the plan in `ui->scratch`. */
static void draw_column(const struct beside *b, struct canvas *canvas, int y, int height, int column)
{
    const struct estimate *e = b->ui->scratch;
    struct spent now, own;
    int end = BESIDE_NAME + (column + 1) * BESIDE_COLUMN, last = y + height;
    char text[FIELD_TEXT_MAX], name[64];
    snprintf(text, sizeof text, column == 0 ? "the plan" : "pinned %d", column == 0 ? 0 : b->pin[column - 1] + 1);
    canvas_right(canvas, end, y, ROLE_TITLE, text);
    for (int id = 0; id < PARAM_COUNT && y + 1 < last; id++)
        if (differs(b, (enum param)id)) {
            form_name((enum param)id, name);
            form_shown(&e->plan, (enum param)id, text);
            canvas_fit(canvas, 0, ++y, BESIDE_NAME, ROLE_MUTED, name);
            canvas_right(canvas, end, y, param_equal(&b->ui->plan, plan_beside(b, column), (enum param)id) ? ROLE_TEXT
                         : ROLE_STRONG, text);
        }
    for (int i = 0; i < RESULT_COUNT && y + 1 < last; i++)
        if (*result_text((enum result_id)i, b->ui->now).text) {
            const struct result *row = result_row((enum result_id)i, b->ui->now);
            bool has_unit = row->kind == FIGURE_GIB;
            snprintf(name, sizeof name, "%s%s%s", row->name, has_unit ? ", " : "", has_unit ? units_name() : "");
            canvas_fit(canvas, 0, ++y, BESIDE_NAME, ROLE_MUTED, name);
            canvas_right(canvas, end, y, ROLE_TEXT, units_figure(row->kind, row->of(e)).text);
        }
    spent_of(b->ui->now, &now);
    spent_of(e, &own);
    for (int part = 0; part < now.count && y + 1 < last; part++)
        if (spent_is_shown(&now, part)) {
            canvas_fit(canvas, 0, ++y, BESIDE_NAME, ROLE_MUTED, now.part[part].words);
            canvas_right(canvas, end, y, ROLE_TEXT,
                         own.count == now.count ? figure(FIGURE_SECONDS, own.part[part].seconds).text : "?");
        }
}

static void draw_beside(const struct ui *ui, struct canvas *canvas, int y, int width, int height)
{
    int room = (width - BESIDE_NAME) / BESIDE_COLUMN - 1, most = room < BESIDE_MOST ? room : BESIDE_MOST;
    struct beside b = {.ui = ui};
    for (int i = 0; i < ui->pins && b.pins < most; i++) { /* from the selected one on */
        int at = (selected(ui) + i) % ui->pins;
        if (!plan_equal(&ui->pin[at].plan, &ui->plan))
            b.pin[b.pins++] = at;
    }
    for (int column = 0; column <= b.pins && b.pins > 0; column++) {
        estimate_plan(plan_beside(&b, column), ui->scratch);
        draw_column(&b, canvas, y, height, column);
    }
}

/* ---- the list --------------------------------------------------------------------------------------------------- */

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    bool has_beside = height >= ui->pins + 2 + BESIDE_LEAST;
    int rows = has_beside ? ui->pins + 1 : height;
    int x = NUMBER + CLOCK, at = selected(ui), top = page_top(at, ui->pins, rows - 1);
    canvas_text(canvas, NUMBER, 0, ROLE_TITLE, "pinned");
    canvas_text(canvas, x, 0, ROLE_TITLE, "name");
    canvas_right(canvas, x += NAME + GIGABYTES, 0, ROLE_TITLE, units_name());
    canvas_right(canvas, x += TIME, 0, ROLE_TITLE, "iteration");
    if (width - x >= TEXT_LEAST)
        canvas_pick(canvas, x + 2, 0, width - x - 2, ROLE_TITLE,
                    "its note, or what leads from it to the plan|note, or what leads to the plan|note or changes");
    for (int i = top; i < ui->pins && i - top < rows - 1; i++) {
        draw_row(ui, canvas, i - top + 1, width, i);
        if (i == at)
            canvas_paint(canvas, 0, i - top + 1, NUMBER - 1, ROLE_FOCUS, 0);
    }
    if (has_beside)
        draw_beside(ui, canvas, rows + 1, width, height - rows - 1);
}

static void title(const struct ui *ui, char text[OVERLAY_TITLE_MAX], char remark[OVERLAY_REMARK_MAX])
{
    snprintf(text, OVERLAY_TITLE_MAX, "Baselines  %d of %d, * is compared with", ui->pins, BASELINES_MAX);
    snprintf(remark, OVERLAY_REMARK_MAX, "q back");
}

/* What leads from the selected one to the plan, and the keys. */
static int message(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    char text[400];
    const struct plan *pinned = &ui->pin[selected(ui)].plan;
    if (ui->pins == 0)
        return 0;
    estimate_plan(pinned, ui->scratch);
    say_differences(ui, pinned, text, sizeof text);
    if (ui->message[0])
        canvas_fit(canvas, 0, 0, width, ui->message_role, ui->message);
    else
        canvas_fit(canvas, 0, 0, width, ROLE_TEXT, text);
    if (height > 1)
        canvas_pick(canvas, 0, 1, width, ROLE_MUTED,
                    "s swaps it with the plan  r goes back to it  n names it  N notes why  Del unpins it|"
                    "s swaps  r goes back  n names  N notes why  Del unpins");
    return 2;
}

/* ---- keys ------------------------------------------------------------------------------------------------------- */

static int *row_of(struct ui *ui)
{
    return &ui->pin_row;
}

static void move(struct ui *ui, int dx, int dy)
{
    (void)dx;
    ui->pin_row = row_within(ui->pin_row + dy, ui->pins);
}

static void accept(struct ui *ui)
{
    ui->mode = MODE_BROWSE;
    baseline_choose(ui, selected(ui) + 1);
}

/* s, r, n, N and Del do something to the selected one. */
static bool type(struct ui *ui, int key, bool is_pasted)
{
    char line[32];
    int number = selected(ui) + 1;
    bool is_own = key == 's' || key == 'r' || key == 'n' || key == 'N' || key == KEY_DELETE || key == KEY_RUBOUT;
    if (is_pasted || !is_own)
        return false;
    if (key == 's' || key == 'r')
        baseline_choose(ui, number);
    if (key == 's') {
        baseline_swap(ui);
    } else if (key == 'r') {
        baseline_back(ui);
    } else if (key == 'n' || key == 'N') {
        snprintf(line, sizeof line, key == 'n' ? "baseline %d " : "note %d ", number);
        overlay_open(ui, MODE_COMMAND, line, false);
    } else {
        baseline_unpin(ui, number);
        move(ui, 0, 0);
        ui->mode = ui->pins > 0 ? MODE_BASELINES : MODE_BROWSE;
    }
    return true;
}

const struct overlay overlay_baselines = {
    .keys = own_keys, .hints = own_hints, .is_in_corner = true, .open = open, .title = title, .draw = draw,
    .row = row_of, .move = move, .page = browse_page, .accept = accept, .type = type, .message = message,
};
