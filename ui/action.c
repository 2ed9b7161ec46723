#include "ui/action.h"

#include "core/plan/param.h"
#include "ui/command.h"
#include "ui/keymap.h"
#include "ui/overlay/estimators.h"
#include "ui/pane/pane.h"
#include "ui/result.h"
#include "ui/table.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- moving ------------------------------------------------------------------------------------------------------- */

/* Goes `by` fields on, through all forms as one list. */
static void move_field(struct ui *ui, int by)
{
    int form = (int)ui->form, field = ui->field[form] + by;
    while (field < 0 && form > 0)
        field += ui->field_count[--form];
    while (field >= ui->field_count[form] && form < PANE_FORMS - 1)
        field -= ui->field_count[form++];
    field = field < 0 ? 0 : field >= ui->field_count[form] ? ui->field_count[form] - 1 : field;
    ui->form = (enum pane_id)form;
    ui->field[form] = field;
}

static void move_view(struct ui *ui, int dx, int dy)
{
    const struct pane *pane = panes[ui->view];
    int *row = &ui->at[ui->view].row, *column = &ui->at[ui->view].column;
    bool is_moved = true;
    if (pane->move) {
        is_moved = pane->move(ui, dx, dy);
    } else if (dy != 0) {
        int rows = pane->rows(ui);
        *row = row_within(*row + dy, rows);
    } else {
        int columns = pane->columns ? pane->columns(ui) : 1;
        is_moved = *column + dx >= 0 && *column + dx < columns;
        *column += is_moved ? dx : 0;
    }
    if (!is_moved && dx < 0)
        ui->is_view_focused = false;
}

static void move(struct ui *ui, int dx, int dy)
{
    if (ui->mode == MODE_HELP) {
        enum action found[ACTION_COUNT];
        ui->help_row = row_within(ui->help_row + dy, help_matches(ui->edit.text, found));
    } else if (ui->mode == MODE_EXPLAIN) {
        struct page *page = &ui->page[ui->depth - 1];
        struct explanation x;
        int inputs = explain_value(ui->shown, page->path, &x) == 0 ? x.inputs : 0;
        page->row = row_within(page->row + dy, inputs);
    } else if (ui->mode == MODE_ESTIMATORS) {
        estimators_update(ui);
        ui->estimator_row = row_within(ui->estimator_row + dy, ui->estimators->count);
    } else if (ui->is_view_focused) {
        move_view(ui, dx, dy);
    } else if (dx > 0) {
        ui->is_view_focused = true;
    } else if (dy != 0) {
        move_field(ui, dy);
    }
}

static int page_rows(const struct ui *ui)
{
    if (ui->mode == MODE_ESTIMATORS)
        return ui->layout.results.height > 8 ? ui->layout.results.height / 4 : 2; /* a row has two to four lines */
    struct rect rect = layout_find(&ui->layout, ui->is_view_focused ? ui->view : ui->form);
    int rows = rect.height - 1 - ui->is_view_focused; /* title, and the head of a table */
    return rows > 2 ? rows : 2;
}

static void run_up(struct ui *ui) { move(ui, 0, -1); }
static void run_down(struct ui *ui) { move(ui, 0, 1); }
static void run_left(struct ui *ui) { move(ui, -1, 0); }
static void run_right(struct ui *ui) { move(ui, 1, 0); }
static void run_page_up(struct ui *ui) { move(ui, 0, -page_rows(ui)); }
static void run_page_down(struct ui *ui) { move(ui, 0, page_rows(ui)); }
static void run_top(struct ui *ui) { move(ui, 0, -100000); }
static void run_bottom(struct ui *ui) { move(ui, 0, 100000); }

/* The form panes in order, then the view. */
static void go_pane(struct ui *ui, int by)
{
    int stops = PANE_FORMS + 1, at = ui->is_view_focused ? PANE_FORMS : (int)ui->form;
    at = (at + by + stops) % stops;
    ui->is_view_focused = at == PANE_FORMS;
    if (at < PANE_FORMS)
        ui->form = (enum pane_id)at;
}

static void run_next_pane(struct ui *ui) { go_pane(ui, 1); }
static void run_previous_pane(struct ui *ui) { go_pane(ui, -1); }

/* A number key shows the view; where several are on the screen it moves the focus there too. */
static void show(struct ui *ui, enum pane_id view)
{
    ui->view = view;
    bool is_only = ui->is_zoomed || ui->options.slow || ui->width < 64, are_many = ui->width >= 120 && ui->height >= 30;
    ui->is_view_focused |= is_only || are_many;
}

static void run_memory(struct ui *ui) { show(ui, PANE_MEMORY); }
static void run_communication(struct ui *ui) { show(ui, PANE_COMM); }
static void run_grid(struct ui *ui) { show(ui, PANE_GRID); }
static void run_layers(struct ui *ui) { show(ui, PANE_LAYERS); }

static void run_diff(struct ui *ui)
{
    show(ui, ui->view == PANE_DIFF ? PANE_MEMORY : PANE_DIFF);
}

static void run_zoom(struct ui *ui)
{
    ui->is_zoomed = !ui->is_zoomed;
    ui->is_view_focused |= ui->is_zoomed;
}

static void go_stage(struct ui *ui, int by)
{
    int stage = ui_stage(ui) + by, stages = ui->shown->is_computed ? ui->shown->stages : 1;
    ui->stage = stage < 0 ? stages - 1 : stage >= stages ? 0 : stage;
}

static void run_next_stage(struct ui *ui) { go_stage(ui, 1); }
static void run_previous_stage(struct ui *ui) { go_stage(ui, -1); }

static void run_label(struct ui *ui)
{
    ui->label = (enum grid_label)((ui->label + 1) % LABEL_COUNT);
}

/* ---- changing values ---------------------------------------------------------------------------------------------- */

static void step(struct ui *ui, int direction)
{
    struct plan plan = ui->plan;
    enum param id = ui_field(ui);
    if (ui_step(ui, &plan, id, direction) != 0) {
        ui_say(ui, ROLE_WARN, "%s: no %s value works; Enter types one", param_rows[id].key,
               direction > 0 ? "larger" : "smaller");
        return;
    }
    ui_change_key(ui, &plan, id);
}

static void run_step_up(struct ui *ui) { step(ui, 1); }
static void run_step_down(struct ui *ui) { step(ui, -1); }

/* Reads a text into the selected field as if it had been typed; returns false when it is refused. */
static bool enter(struct ui *ui, const char *text)
{
    struct plan plan = ui->plan;
    char why[UI_MESSAGE_MAX];
    enum param id = ui_field(ui);
    if (ui_parse(ui, &plan, id, text, why) != 0) {
        ui_say(ui, ROLE_BAD, "%s: %.200s", param_rows[id].key, why);
        return false;
    }
    if (plan_equal(&plan, &ui->plan) && plan.from[id] == ui->plan.from[id])
        return true;
    ui_change_key(ui, &plan, id);
    return true;
}

static void run_double(struct ui *ui) { enter(ui, "x2"); }
static void run_halve(struct ui *ui) { enter(ui, "/2"); }
static void run_reset(struct ui *ui) { enter(ui, ""); }

/* Makes a state of the history the present one. */
static void go_to(struct ui *ui, const struct history_entry *entry)
{
    ui_adopt(ui, &entry->plan);
    ui->is_autosave_due = true;
}

static void run_undo(struct ui *ui)
{
    const struct history_entry *undone = history_at(&ui->history, ui->history.now);
    const struct history_entry *entry = history_undo(&ui->history);
    if (!entry) {
        ui_say(ui, ROLE_DIM, "nothing left to undo");
        return;
    }
    go_to(ui, entry);
    ui_say(ui, ROLE_TEXT, "undone: %s", undone->label);
}

static void run_redo(struct ui *ui)
{
    const struct history_entry *entry = history_redo(&ui->history);
    if (!entry) {
        ui_say(ui, ROLE_DIM, "nothing to redo");
        return;
    }
    go_to(ui, entry);
    ui_say(ui, ROLE_TEXT, "done again: %s", entry->label);
}

static void run_baseline(struct ui *ui)
{
    if (ui->now->diags.errors > 0) {
        ui_say(ui, ROLE_WARN, "the plan has errors; mend it before pinning it");
        return;
    }
    if (ui->has_baseline && plan_equal(&ui->plan, &ui->baseline_plan)) {
        ui->has_baseline = false;
        ui_say(ui, ROLE_TEXT, "b%d unpinned", ui->baseline_number);
        return;
    }
    ui->baseline_plan = ui->plan;
    estimate_plan(&ui->plan, ui->baseline);
    ui->has_baseline = true;
    ui->baseline_number++;
    ui_say(ui, ROLE_TEXT, "pinned as b%d; differences are shown against it", ui->baseline_number);
}

/* ---- typing ------------------------------------------------------------------------------------------------------- */

static void start_mode(struct ui *ui, enum mode mode, const char *text, bool selected)
{
    ui->mode = mode;
    edit_start(&ui->edit, text, selected);
}

static void run_edit(struct ui *ui)
{
    char text[PARAM_TEXT_MAX], shown[FIELD_TEXT_MAX];
    enum param id = ui_field(ui);
    if (ui->is_view_focused) {
        actions[ACTION_explain].run(ui);
        return;
    }
    param_print(&ui->plan, id, text, sizeof text);
    form_value(&ui->now->plan, id, shown);
    bool is_blank = param_blank(&ui->plan, id);
    start_mode(ui, MODE_EDIT, is_blank && !param_blank(&ui->now->plan, id) ? shown : text, true);
}

static void run_command(struct ui *ui)
{
    start_mode(ui, MODE_COMMAND, "", false);
}

static void run_search(struct ui *ui)
{
    ui->searched_from = ui_field(ui);
    start_mode(ui, MODE_SEARCH, "", false);
}

static bool contains(const char *text, const char *part)
{
    size_t n = strlen(part);
    for (; *text; text++)
        if (strncasecmp(text, part, n) == 0)
            return true;
    return n == 0;
}

/* 3: the key itself, 2: it begins so, 1: in key or help; 0: no match. */
static int match(enum param id, const char *text)
{
    const struct param_row *row = &param_rows[id];
    if (strcasecmp(row->key, text) == 0 || strcasecmp(row->dotted, text) == 0)
        return 3;
    if (strncasecmp(row->key, text, strlen(text)) == 0)
        return 2;
    return contains(row->dotted, text) || contains(row->help, text);
}

/* Field number `at` of all forms taken as one list. */
static enum param field_at(const struct ui *ui, int at)
{
    int form = 0;
    while (at >= ui->field_count[form])
        at -= ui->field_count[form++];
    return ui->fields[form][at];
}

/* Moves the selection to the next field whose name or help has the text; returns false when none has. */
static bool search(struct ui *ui, const char *text, int direction)
{
    int all = 0, now = 0, best = 0, found = -1;
    for (int i = 0; i < PANE_FORMS; i++)
        all += ui->field_count[i];
    while (field_at(ui, now) != ui_field(ui))
        now++;
    for (int i = direction ? 1 : 0; i <= all && *text; i++) {
        int at = direction < 0 ? (now - i + 2 * all) % all : (now + i) % all;
        int quality = match(field_at(ui, at), text);
        quality = direction && quality ? 1 : quality; /* n takes any next match, typing the best one */
        if (quality > best) {
            best = quality;
            found = at;
        }
    }
    if (found < 0)
        return false;
    ui_select(ui, field_at(ui, found));
    ui->is_view_focused = false;
    return true;
}

static void search_again(struct ui *ui, int direction)
{
    const char *text = ui->mode == MODE_SEARCH ? ui->edit.text : ui->last_search;
    if (!*text)
        ui_say(ui, ROLE_DIM, "nothing was searched for; / searches");
    else if (!search(ui, text, direction))
        ui_say(ui, ROLE_WARN, "no field matches '%.60s'", text);
}

static void run_search_next(struct ui *ui) { search_again(ui, 1); }
static void run_search_previous(struct ui *ui) { search_again(ui, -1); }

/* ---- explain ------------------------------------------------------------------------------------------------------ */

void ui_explain(struct ui *ui, const char *path)
{
    struct explanation x;
    bool is_key = param_find(path) >= 0;
    if (!is_key && explain_value(ui->shown, path, &x) != 0) {
        ui_say(ui, ROLE_WARN, "'%.80s' has nothing to explain here", path);
        return;
    }
    if (ui->mode != MODE_EXPLAIN) {
        ui->depth = 0;
        ui->below = ui->mode == MODE_ESTIMATORS ? MODE_ESTIMATORS : MODE_BROWSE;
    }
    if (ui->depth == EXPLAIN_DEPTH) {
        ui_say(ui, ROLE_WARN, "deep enough; q goes back");
        return;
    }
    struct page *page = &ui->page[ui->depth++];
    snprintf(page->path, sizeof page->path, "%s", is_key ? param_rows[param_find(path)].dotted : x.path);
    page->row = 0;
    ui->mode = MODE_EXPLAIN;
}

static void run_explain(struct ui *ui)
{
    char path[EXPLAIN_PATH_MAX];
    const struct pane *view = panes[ui->view];
    if (ui->is_view_focused && view->path && view->path(ui, path))
        ui_explain(ui, path);
    else
        ui_explain(ui, param_rows[ui_field(ui)].dotted);
}

/* Enter on an input: a number opens, a key is edited. */
static void open_input(struct ui *ui)
{
    const struct page *page = &ui->page[ui->depth - 1];
    struct explanation x;
    if (explain_value(ui->shown, page->path, &x) != 0 || page->row >= x.inputs) {
        ui_say(ui, ROLE_DIM, "nothing further inside");
        return;
    }
    const struct explain_input *in = &x.input[page->row];
    int key = in->is_key ? param_find(in->path) : -1;
    if (key < 0) {
        ui_explain(ui, in->path);
        return;
    }
    ui->mode = MODE_BROWSE;
    ui->is_view_focused = false;
    ui_select(ui, (enum param)key);
    ui_say(ui, ROLE_TEXT, "%s is a key: change it here and see what follows; e explains again", param_rows[key].dotted);
}

/* ---- estimators ----------------------------------------------------------------------------------------------- */

static void run_estimators(struct ui *ui)
{
    if (estimators_update(ui) != 0) {
        ui_say(ui, ROLE_DIM, "no estimators can be asked here");
        return;
    }
    ui->mode = MODE_ESTIMATORS;
    ui->estimator_row = 0;
}

/* Enter on a row explains our value; q comes back here. */
static void open_ours(struct ui *ui)
{
    const struct estimators *all = ui->estimators;
    const char *path = ui->estimator_row < all->count ? all->row[ui->estimator_row].path : "";
    struct explanation x;
    if (explain_value(ui->shown, path, &x) == 0)
        ui_explain(ui, path);
    else
        ui_say(ui, ROLE_DIM, "nothing further inside");
}

/* ---- help --------------------------------------------------------------------------------------------------------- */

int help_matches(const char *filter, enum action out[ACTION_COUNT])
{
    int count = 0;
    for (int i = 1; i < ACTION_accept; i++) {
        char keys[64];
        if (keymap_keys(MODE_BROWSE, (enum action)i, 4, keys, sizeof keys) == 0)
            continue;
        if (contains(actions[i].help, filter) || contains(actions[i].name, filter) || contains(keys, filter))
            out[count++] = (enum action)i;
    }
    return count;
}

static void run_help(struct ui *ui)
{
    start_mode(ui, MODE_HELP, "", false);
    ui->help_row = 0;
}

/* ---- files, clipboard, terminal ----------------------------------------------------------------------------------- */

static void run_save(struct ui *ui)
{
    if (ui->path[0]) {
        bool is_quitting = ui->mode == MODE_QUIT;
        command_run(ui, "save");
        ui->is_done = is_quitting && !ui_is_modified(ui);
        ui->mode = MODE_BROWSE;
        return;
    }
    start_mode(ui, MODE_COMMAND, ui->mode == MODE_QUIT ? "wq " : "save ", false);
}

static void run_open(struct ui *ui)
{
    start_mode(ui, MODE_COMMAND, "load ", false);
}

static void run_export(struct ui *ui)
{
    start_mode(ui, MODE_COMMAND, "export ", false);
}

/* Text of an explanation, as it would be pasted into a mail. */
static size_t copy_explanation(const struct ui *ui, char *out, size_t size)
{
    struct explanation x;
    const char *path = ui->page[ui->depth - 1].path;
    if (explain_value(ui->shown, path, &x) != 0)
        return (size_t)snprintf(out, size, "%s\n", path);
    int n = snprintf(out, size, "%s: %s = %s %s\n  formula: %s\n  here:    %s\n  basis:   %s\n  source:  %s\n", x.path,
                     x.label, figure(FIGURE_PLAIN, x.value).text, x.unit, x.formula, x.substituted, basis_names[x.basis],
                     x.source);
    return (size_t)n < size ? (size_t)n : size - 1;
}

/* The whole comparison, a line for each row. */
static size_t copy_estimators(const struct ui *ui, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < ui->estimators->count && used + ESTIMATOR_LINE_MAX + 1 < size; i++) {
        char line[ESTIMATOR_LINE_MAX];
        estimators_line(&ui->estimators->row[i], line);
        used += (size_t)snprintf(out + used, size - used, "%s\n", line);
    }
    return used;
}

/* Text of the focused pane as it is on the screen. */
static size_t copy_pane(struct ui *ui, char *out, size_t size)
{
    struct canvas canvas = {0};
    struct rect r = layout_find(&ui->layout, ui->is_view_focused || ui->width >= 64 ? ui->view : ui->form);
    size_t used = 0;
    out[0] = '\0';
    if (r.height == 0 || canvas_resize(&canvas, r.width, r.height) != 0)
        return 0;
    canvas.ascii = !ui->utf8;
    canvas_clip(&canvas, (struct rect){0, 0, r.width, r.height});
    if (r.width > 0 && ui->width >= 64)
        panes[ui->view]->draw(ui, &canvas, r.width, r.height - 1);
    for (int y = 0; y < r.height && used + (size_t)r.width * 4 + 2 < size; y++) {
        used += canvas_line(&canvas, y, out + used, size - used - 1);
        out[used++] = '\n';
        out[used] = '\0';
    }
    canvas_free(&canvas);
    return used;
}

static void run_copy(struct ui *ui)
{
    if (!ui->copy)
        ui->copy = malloc(COPY_MAX);
    if (!ui->copy)
        return;
    size_t n = ui->mode == MODE_EXPLAIN      ? copy_explanation(ui, ui->copy, COPY_MAX)
               : ui->mode == MODE_ESTIMATORS ? copy_estimators(ui, ui->copy, COPY_MAX)
                                             : copy_pane(ui, ui->copy, COPY_MAX);
    ui->request |= REQUEST_COPY;
    ui_say(ui, ROLE_TEXT, "%zu bytes sent to the terminal's clipboard (OSC 52); if yours refuses, x writes a file", n);
}

static void run_theme(struct ui *ui)
{
    const char *const *names = NULL;
    char line[THEME_NAME_MAX + 16];
    size_t count = ui->host->theme_names ? ui->host->theme_names(ui->host->context, &names) : 0, next = 0;
    if (count == 0) {
        ui_say(ui, ROLE_DIM, "there are no themes");
        return;
    }
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], ui->theme.name) == 0)
            next = (i + 1) % count;
    snprintf(line, sizeof line, "theme %s", names[next]);
    command_run(ui, line);
}

static void run_mouse(struct ui *ui)
{
    ui->has_mouse = !ui->has_mouse;
    ui->request |= REQUEST_MOUSE;
    ui_say(ui, ROLE_TEXT,
           ui->has_mouse ? "mouse on: click selects, the wheel steps; select text with Shift" : "mouse off");
}

static void run_redraw(struct ui *ui)
{
    ui->request |= REQUEST_REDRAW;
}

static void run_suspend(struct ui *ui)
{
    ui->request |= REQUEST_SUSPEND;
}

static void run_quit(struct ui *ui)
{
    bool is_asked = ui->mode == MODE_QUIT || !ui_is_modified(ui);
    ui->is_done = is_asked;
    ui->mode = is_asked ? MODE_BROWSE : MODE_QUIT;
}

static void run_interrupt(struct ui *ui)
{
    ui->is_done = true;
    ui->status = 130;
}

/* ---- taking and leaving ------------------------------------------------------------------------------------------- */

static void accept_help(struct ui *ui)
{
    enum action found[ACTION_COUNT];
    int count = help_matches(ui->edit.text, found);
    ui->mode = MODE_BROWSE;
    if (count > 0)
        actions[found[ui->help_row < count ? ui->help_row : count - 1]].run(ui);
}

static void accept_command(struct ui *ui)
{
    char line[EDIT_MAX];
    snprintf(line, sizeof line, "%s", ui->edit.text);
    ui->mode = MODE_BROWSE;
    command_run(ui, line);
}

static void accept_search(struct ui *ui)
{
    if (ui->edit.text[0])
        snprintf(ui->last_search, sizeof ui->last_search, "%.60s", ui->edit.text);
    if (ui->edit.text[0] && !search(ui, ui->edit.text, 0))
        ui_say(ui, ROLE_WARN, "no field matches '%.60s'", ui->edit.text);
    ui->mode = MODE_BROWSE;
}

static bool accept_edit(struct ui *ui)
{
    bool is_taken = enter(ui, ui->edit.text);
    if (is_taken)
        ui->mode = MODE_BROWSE;
    return is_taken;
}

static void run_accept(struct ui *ui)
{
    switch (ui->mode) {
    case MODE_EDIT:
        accept_edit(ui);
        break;
    case MODE_COMMAND:
        accept_command(ui);
        break;
    case MODE_SEARCH:
        accept_search(ui);
        break;
    case MODE_HELP:
        accept_help(ui);
        break;
    case MODE_EXPLAIN:
        open_input(ui);
        break;
    case MODE_ESTIMATORS:
        open_ours(ui);
        break;
    default:
        break;
    }
}

/* Esc at the top closes what is open there: zoom, the focus of the view. */
static void run_cancel(struct ui *ui)
{
    if (ui->mode == MODE_EXPLAIN && --ui->depth > 0)
        return;
    if (ui->mode == MODE_EXPLAIN && ui->below == MODE_ESTIMATORS) {
        ui->mode = MODE_ESTIMATORS;
        return;
    }
    if (ui->mode == MODE_SEARCH)
        ui_select(ui, ui->searched_from);
    if (ui->mode == MODE_BROWSE) {
        if (ui->is_zoomed)
            ui->is_zoomed = false;
        else
            ui->is_view_focused = false;
    }
    ui->mode = MODE_BROWSE;
}

static void run_complete(struct ui *ui)
{
    if (ui->mode == MODE_COMMAND) {
        command_complete(ui);
        return;
    }
    if (!command_complete_value(ui, ui_field(ui), &ui->edit) && accept_edit(ui))
        move_field(ui, 1);
}

static void run_accept_up(struct ui *ui)
{
    if (accept_edit(ui))
        move_field(ui, -1);
}

const struct action_row actions[ACTION_COUNT] = {
#define ACTION_ROW(id, name, help) [ACTION_##id] = {name, help, run_##id},
    ACTIONS(ACTION_ROW)
#undef ACTION_ROW
};

/* ---- keys --------------------------------------------------------------------------------------------------------- */

/* Text goes to the line editor, in the modes that have one. Returns false for other keys. */
static bool type(struct ui *ui, int key, bool is_pasted)
{
    bool takes_text = ui->mode == MODE_EDIT || ui->mode == MODE_COMMAND || ui->mode == MODE_SEARCH || ui->mode == MODE_HELP;
    if (!takes_text || (!is_pasted && keymap_find(ui->mode, key) != ACTION_NONE))
        return false;
    if (ui->mode == MODE_HELP && key == 'q' && ui->edit.length == 0 && !is_pasted) {
        ui->mode = MODE_BROWSE;
        return true;
    }
    if (ui->mode == MODE_COMMAND && key == KEY_RUBOUT && ui->edit.length == 0) {
        ui->mode = MODE_BROWSE;
        return true;
    }
    if (!edit_key(&ui->edit, key))
        return false;
    ui->help_row = 0;
    if (ui->mode == MODE_SEARCH)
        search(ui, ui->edit.text, 0);
    return true;
}

static void say_unknown(struct ui *ui, int key)
{
    char name[KEY_NAME_MAX];
    key_name(key, name);
    if (key == KEY_UNKNOWN || !name[0])
        ui_say(ui, ROLE_DIM, "unknown key; ? lists all");
    else if (ui->mode != MODE_BROWSE && keymap_find(MODE_BROWSE, key) != ACTION_NONE)
        ui_say(ui, ROLE_DIM, "%s does nothing here; Esc goes back", name);
    else
        ui_say(ui, ROLE_DIM, "unknown key %s; ? lists all", name);
}

static void mouse(struct ui *ui, const struct event *event)
{
    if (ui->mode != MODE_BROWSE)
        return;
    for (int i = 0; i < ui->layout.slots; i++) {
        const struct slot *slot = &ui->layout.slot[i];
        if (!rect_has(slot->rect, event->x, event->y) || slot->pane == PANE_WHY)
            continue;
        int x = event->x - slot->rect.x, y = event->y - slot->rect.y;
        ui->is_view_focused = slot->pane >= PANE_FORMS;
        if (slot->pane < PANE_FORMS) {
            int field = form_hit(ui, slot->pane, slot->rect.height, y);
            ui->form = slot->pane;
            ui->field[slot->pane] = field < 0 ? ui->field[slot->pane] : field;
            if (field >= 0 && event->button != MOUSE_LEFT)
                step(ui, event->button == MOUSE_WHEEL_UP ? 1 : -1);
            return;
        }
        ui->view = slot->pane;
        if (event->button != MOUSE_LEFT)
            move_view(ui, 0, event->button == MOUSE_WHEEL_UP ? -1 : 1);
        else if (panes[slot->pane]->click)
            panes[slot->pane]->click(ui, x, y - 1);
        return;
    }
}

/* A message stands until the next key; in a lecture until there is another one. ^L changes nothing. */
static bool keeps_message(const struct ui *ui, int key)
{
    enum action action = keymap_find(ui->mode, key);
    return action == ACTION_redraw || (ui->options.present && ui->mode == MODE_BROWSE && action != ACTION_NONE);
}

void ui_event(struct ui *ui, const struct event *event)
{
    int key = event->key;
    if (key == KEY_SYNC) {
        ui->request |= REQUEST_SYNC;
        return;
    }
    if (key == KEY_FOCUS_IN || key == KEY_FOCUS_OUT || key == KEY_PASTE_START || key == KEY_PASTE_END)
        return;
    if (!keeps_message(ui, key))
        ui->message[0] = '\0';
    if (key == KEY_MOUSE_EVENT) {
        mouse(ui, event);
        return;
    }
    if (type(ui, key, event->is_pasted))
        return;
    if (event->is_pasted) {
        ui_say(ui, ROLE_DIM, "pasted text goes into a field: press Enter first");
        return;
    }
    enum action action = keymap_find(ui->mode, key);
    if (action == ACTION_NONE)
        say_unknown(ui, key);
    else
        actions[action].run(ui);
}

void ui_key(struct ui *ui, int key)
{
    struct event event = {.key = key};
    ui_event(ui, &event);
}
