/* The plans that are pinned: what each comes to, how it differs from the plan, and what may become of it. */
#include "core/estimate/range.h"
#include "core/plan/param.h"
#include "ui/state/baseline.h"
#include "ui/command/browse.h"
#include "ui/command/keymap.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/pane.h"
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
    canvas_format(canvas, 0, y, ROLE_TEXT, "b%d%s", i + 1, i + 1 == ui->baseline_number ? "*" : "");
    canvas_text(canvas, NUMBER, y, ROLE_MUTED, pin->time);
    canvas_fit(canvas, NUMBER + CLOCK, y, NAME - 1, ROLE_TEXT, *pin->name ? pin->name : pin->plan.text[TEXT_MODEL]);
    int x = NUMBER + CLOCK + NAME + GIGABYTES;
    canvas_right(canvas, x, y, ROLE_TEXT, units_figure(FIGURE_GIB, result_value(RESULT_PEAK, ui->scratch)).text);
    canvas_right(canvas, x += TIME, y, ROLE_TEXT, result_text(RESULT_ITERATION, ui->scratch).text);
    say_differences(ui, &pin->plan, text, sizeof text);
    if (width - x >= TEXT_LEAST)
        canvas_fit(canvas, x + 2, y, width - x - 2, ROLE_MUTED, text);
    canvas_link(canvas, 0, y, width, LINK_ROWS + i);
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    int x = NUMBER + CLOCK, at = selected(ui), top = page_top(at, ui->pins, height - 1);
    canvas_text(canvas, NUMBER, 0, ROLE_TITLE, "pinned");
    canvas_text(canvas, x, 0, ROLE_TITLE, "name");
    canvas_right(canvas, x += NAME + GIGABYTES, 0, ROLE_TITLE, units_name());
    canvas_right(canvas, x += TIME, 0, ROLE_TITLE, "iteration");
    if (width - x >= TEXT_LEAST)
        canvas_fit(canvas, x + 2, 0, width - x - 2, ROLE_TITLE, "from it to the plan");
    for (int i = top; i < ui->pins && i - top < height - 1; i++) {
        draw_row(ui, canvas, i - top + 1, width, i);
        if (i == at)
            canvas_paint(canvas, 0, i - top + 1, NUMBER - 1, ROLE_FOCUS, 0);
    }
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
        canvas_fit(canvas, 0, 1, width, ROLE_MUTED,
                   "s swaps it with the plan  r goes back to it  n names it  Del unpins it");
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

/* s, r, n and Del do something to the selected one. */
static bool type(struct ui *ui, int key, bool is_pasted)
{
    char line[32];
    int number = selected(ui) + 1;
    bool is_own = key == 's' || key == 'r' || key == 'n' || key == KEY_DELETE || key == KEY_RUBOUT;
    if (is_pasted || !is_own)
        return false;
    if (key == 's' || key == 'r')
        baseline_choose(ui, number);
    if (key == 's') {
        baseline_swap(ui);
    } else if (key == 'r') {
        baseline_back(ui);
    } else if (key == 'n') {
        snprintf(line, sizeof line, "baseline %d ", number);
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
