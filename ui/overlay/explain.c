/* One number opened: its formula, values and source; Enter goes on to what it is made of. */
#include "core/explain/live.h"
#include "core/plan/param.h"
#include "core/show/figure.h"
#include "ui/command/browse.h"
#include "ui/command/keymap.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/pane.h"
#include "ui/widget/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY(key, id) {MODE_EXPLAIN, key, ACTION_##id}
static const struct binding own_keys[] = {
    KEY(KEY_RETURN, accept), KEY(KEY_ARROW_UP, up), KEY('k', up), KEY(KEY_ARROW_DOWN, down), KEY('j', down),
    KEY('q', cancel), KEY(KEY_ESCAPE, cancel), KEY(KEY_CTRL('C'), cancel), KEY(KEY_ARROW_LEFT, cancel),
    KEY('h', cancel), KEY(KEY_ARROW_RIGHT, accept), KEY('l', accept), KEY('y', copy), KEY('w', stages),
    KEY('c', changed), KEY('b', baseline), KEY('?', help),
    KEY(KEY_F1, help), KEY(KEY_PAGE_UP, page_up), KEY(KEY_PAGE_DOWN, page_down), KEY('+', step_up), KEY('=', step_up),
    KEY('-', step_down), KEY('_', step_down), KEY('u', undo), KEY(KEY_CTRL('R'), redo), KEY(KEY_CTRL('L'), redraw),
    KEY(KEY_CTRL('Z'), suspend), KEY(':', command), KEY('/', find),
    {0},
};

static const struct hint own_hints[] = {
    {MODE_EXPLAIN, ACTION_accept, ACTION_NONE, "open", 0},
    {MODE_EXPLAIN, ACTION_step_up, ACTION_step_down, "step", 0}, /* it and the next two stand where they do elsewhere */
    {MODE_EXPLAIN, ACTION_undo, ACTION_NONE, "undo", 0},
    {MODE_EXPLAIN, ACTION_baseline, ACTION_NONE, "pin", 0},
    {MODE_EXPLAIN, ACTION_down, ACTION_up, "select", 0},
    {MODE_EXPLAIN, ACTION_cancel, ACTION_NONE, "back", 0},
    {MODE_EXPLAIN, ACTION_stages, ACTION_NONE, "why more than another stage", 100},
    {MODE_EXPLAIN, ACTION_changed, ACTION_NONE, "since the baseline", 100},
    {MODE_EXPLAIN, ACTION_copy, ACTION_NONE, "copy", 0},
    {0},
};

/* ---- opening ----------------------------------------------------------------------------------------------------- */

void explain_open(struct ui *ui, const char *path)
{
    struct explanation x;
    bool is_key = param_find(path) >= 0;
    if (!is_key && explain_value(ui->shown, path, &x) != 0) {
        ui_say(ui, ROLE_WARN, "'%.80s' has nothing to explain here", path);
        return;
    }
    if (ui->mode != MODE_EXPLAIN) {
        ui->depth = 0;
        ui->below = ui->mode;
    }
    if (ui->depth == EXPLAIN_DEPTH) {
        ui_say(ui, ROLE_WARN, "deep enough; q goes back");
        return;
    }
    struct page *page = &ui->page[ui->depth++];
    snprintf(page->path, sizeof page->path, "%s", is_key ? param_rows[param_find(path)].dotted : x.path);
    page->row = 0;
    ui->mode = MODE_EXPLAIN;
    if (is_key)
        ui_select(ui, (enum param)param_find(path)); /* what + and - step */
}

static void open(struct ui *ui)
{
    char path[EXPLAIN_PATH_MAX];
    const struct pane *view = panes[ui->view];
    if (ui->mode == MODE_FIGURES)
        figures_path(ui, path);
    if (ui->mode == MODE_FIGURES || (ui->is_view_focused && view->path && view->path(ui, path)))
        explain_open(ui, path);
    else if (ui->is_view_focused && view->path && view->rows(ui) > 0)
        ui_say(ui, ROLE_WARN, "this row has no value; Up and Down select one");
    else
        explain_open(ui, param_rows[ui_field(ui)].dotted);
}

/* The other value of a switch or a choice that is selected on its page; NULL on other pages. */
static const struct value_diff *value_of(const struct ui *ui)
{
    const struct page *page = &ui->page[ui->depth - 1];
    bool is_there = strcmp(ui->explained.path, page->path) == 0 && param_find(page->path) >= 0;
    return is_there && page->row < ui->explained.value_count ? &ui->explained.value[page->row] : NULL;
}

/* Makes that value the key's. */
static void take_value(struct ui *ui, enum param id, double value)
{
    struct plan plan = ui->plan;
    param_set(&plan, id, value);
    ui_change_key(ui, &plan, id);
    ui->page[ui->depth - 1].row = 0;
}

/* Enter on an input: a number opens, a key is edited; on another value: the key takes it. */
static void accept(struct ui *ui)
{
    const struct page *page = &ui->page[ui->depth - 1];
    struct explanation x;
    int rows[EXPLAIN_INPUTS_MAX];
    if (value_of(ui)) {
        take_value(ui, (enum param)param_find(page->path), value_of(ui)->value);
        return;
    }
    if (page->row >= explain_page(ui, page->path, &x, rows)) {
        ui_say(ui, ROLE_MUTED, "no further detail");
        return;
    }
    const struct explain_input *in = &x.input[rows[page->row]];
    int key = in->is_key ? param_find(in->path) : -1;
    if (key < 0) {
        explain_open(ui, in->path);
        return;
    }
    ui->mode = MODE_BROWSE;
    ui->is_view_focused = false;
    ui_select(ui, (enum param)key);
    ui_say(ui, ROLE_TEXT, "%s is a key: change it here and watch the effect; e explains again", param_rows[key].dotted);
}

static void back(struct ui *ui)
{
    if (--ui->depth == 0)
        ui->mode = ui->below;
}

/* The same figure of the next stage; of a figure that no stage has it is said. */
static void go_stage(struct ui *ui, int by)
{
    struct page *page = &ui->page[ui->depth - 1];
    char path[EXPLAIN_PATH_MAX], *rest;
    struct explanation x;
    const char *stages_at = strstr(page->path, ".stages.");
    int stages = ui->shown->stages, head = stages_at ? (int)(stages_at - page->path) + (int)strlen(".stages.") : 0;
    if (head == 0) {
        ui_say(ui, ROLE_MUTED, "not a figure of a stage; < and > change the stage of figures that are");
        return;
    }
    int stage = (int)strtol(page->path + head, &rest, 10) + by;
    stage = stage < 0 ? stages - 1 : stage >= stages ? 0 : stage;
    snprintf(path, sizeof path, "%.*s%d%.60s", head, page->path, stage, rest);
    if (explain_value(ui->shown, path, &x) == 0)
        snprintf(page->path, sizeof page->path, "%s", path);
}

/* The page of the selected number, against the baseline; there the key turns that off again. */
static void do_changed(struct ui *ui)
{
    bool is_page = ui->mode == MODE_EXPLAIN;
    if (!ui->has_baseline) {
        ui_say(ui, ROLE_WARN, "nothing is pinned; press b to pin the plan, then c to see the changes");
        return;
    }
    if (!is_page && ui->mode == MODE_BROWSE && !ui->is_view_focused) {
        ui_say(ui, ROLE_WARN, "c asks about a number: select one in a view, or with 0 in the line of figures");
        return;
    }
    if (!is_page)
        open(ui);
    ui->explains_change = !is_page || !ui->explains_change;
}

const struct action_handler explain_handlers[] = {{ACTION_changed, do_changed}, {0}};

/* ---- what is shown ----------------------------------------------------------------------------------------------- */

static void title(const struct ui *ui, char text[OVERLAY_TITLE_MAX], char remark[OVERLAY_REMARK_MAX])
{
    snprintf(text, OVERLAY_TITLE_MAX, "Explain  %s", ui->page[ui->depth - 1].path);
    snprintf(remark, OVERLAY_REMARK_MAX, ui->depth > 1 ? "%d deep, q back" : "q back", ui->depth);
}

static void update(struct ui *ui)
{
    explain_update(ui, ui->page[ui->depth - 1].path);
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    const struct page *page = &ui->page[ui->depth - 1];
    explain_draw(ui, canvas, width, height, page->path, page->row);
}

/* Number of selectable rows. */
static int rows_of(const struct ui *ui)
{
    struct explanation x;
    int rows[EXPLAIN_INPUTS_MAX];
    return value_of(ui) ? ui->explained.value_count : explain_page(ui, ui->page[ui->depth - 1].path, &x, rows);
}

static void move(struct ui *ui, int dx, int dy)
{
    struct page *page = &ui->page[ui->depth - 1];
    (void)dx;
    page->row = row_within(page->row + dy, rows_of(ui));
}

static bool does(const struct ui *ui, enum action action)
{
    if (action == ACTION_accept || action == ACTION_down)
        return rows_of(ui) > (action == ACTION_down);
    return action != ACTION_changed || ui->has_baseline;
}

/* Keys of the page that no other place has: all terms, the words, another stage, the first page. */
static bool type(struct ui *ui, int key, bool is_pasted)
{
    bool is_first = key == 'g' || key == KEY_TO_HOME;
    if (is_pasted || (!is_first && (key == 0 || !strchr("aW<>", key))))
        return false;
    if (key == 'a')
        ui->explains_all = !ui->explains_all;
    if (key == 'W') {
        find_word(ui, "");
        return true;
    }
    if (is_first)
        ui->depth = 1;
    if (key == '<' || key == '>')
        go_stage(ui, key == '>' ? 1 : -1);
    ui->page[ui->depth - 1].row = 0;
    return true;
}

/* What the selected number is. */
static int message(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    const struct page *page = &ui->page[ui->depth - 1];
    struct explanation x;
    int rows[EXPLAIN_INPUTS_MAX];
    (void)height;
    if (!ui->message[0] && value_of(ui)) {
        char name[FIELD_TEXT_MAX];
        param_number((enum param)param_find(page->path), value_of(ui)->value, name);
        canvas_format(canvas, 0, 0, ROLE_TEXT, "%s: Enter makes it the value; u takes that back", name);
        return 1;
    }
    if (ui->message[0] || page->row >= explain_page(ui, page->path, &x, rows))
        return 0;
    const struct explain_input *in = &x.input[rows[page->row]];
    int at = canvas_text(canvas, 0, 0, ROLE_TEXT, in->is_key ? in->path : in->name);
    canvas_fit(canvas, at + 2, 0, width - at - 2, ROLE_TEXT, in->label ? in->label : "");
    return 1;
}

/* Text of an explanation, as it would be pasted into a mail. */
static size_t copy(const struct ui *ui, char *out, size_t size)
{
    struct explanation x;
    const char *path = ui->page[ui->depth - 1].path;
    if (explain_value(ui->shown, path, &x) != 0)
        return (size_t)snprintf(out, size, "%s\n", path);
    int n = snprintf(out, size, "%s: %s = %s %s\n  formula: %s\n  here:    %s\n  basis:   %s\n  source:  %s\n", x.path,
                     x.label, figure(FIGURE_PLAIN, x.value).text, x.unit, x.formula, x.substituted,
                     basis_names[explain_basis(ui->shown, &x)], x.source);
    return (size_t)n < size ? (size_t)n : size - 1;
}

static int *row_of(struct ui *ui)
{
    return &ui->page[ui->depth - 1].row;
}

const struct overlay overlay_explain = {
    .keys = own_keys, .hints = own_hints, .is_in_corner = true, .open = open, .update = update, .title = title,
    .draw = draw, .row = row_of, .move = move,
    .page = browse_page, .accept = accept, .does = does, .back = back, .type = type, .copy = copy, .message = message,
};
