/* The palette: one list of everything that has a name; typing filters it, Enter goes there or does it. */
#include "core/base.h"
#include "core/plan/param.h"
#include "core/show/glossary.h"
#include "ui/command/browse.h"
#include "ui/command/change.h"
#include "ui/command/command.h"
#include "ui/command/keymap.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/pane.h"
#include "ui/command/preview.h"
#include "ui/widget/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KIND_WIDTH = 9,
    NAME_WIDTH = 25,
    PREVIEW_LEAST = 84, /* columns from which the list has a preview beside it */
    BEST_MAX = 20,      /* rows for what was typed: nobody reads more, and each letter sends them */
    BEST_NARROW = 12,   /* the same without a preview */
};

#define KEY(key, id) {MODE_FIND, key, ACTION_##id}
static const struct binding own_keys[] = {
    KEY(KEY_RETURN, accept), KEY(KEY_TAB, complete), KEY(KEY_ARROW_UP, up), KEY(KEY_CTRL('P'), up),
    KEY(KEY_ARROW_DOWN, down), KEY(KEY_CTRL('N'), down), KEY(KEY_PAGE_UP, page_up), KEY(KEY_PAGE_DOWN, page_down),
    KEY(KEY_ARROW_RIGHT, right), KEY(KEY_ESCAPE, cancel), KEY(KEY_CTRL('C'), cancel), KEY(KEY_CTRL('L'), redraw),
    KEY(KEY_CTRL('Z'), suspend),
    {0},
};

static const struct hint own_hints[] = {
    {MODE_FIND, ACTION_accept, ACTION_NONE, "take", 0},
    {MODE_FIND, ACTION_down, ACTION_up, "select", 0},
    {MODE_FIND, ACTION_complete, ACTION_NONE, "complete", 0},
    {MODE_FIND, ACTION_right, ACTION_NONE, "in full", 0},
    {MODE_FIND, ACTION_cancel, ACTION_NONE, "back", 0},
    {0},
};

/* What the overlay keeps: the list, the row, and what the row means. */
struct finder {
    struct palette palette;
    struct preview preview;
    int row;
    bool is_whole;      /* the preview of the row takes the place of the list */
    int top;            /* its first line that is shown */
    bool is_moved;      /* the row was chosen, so - steps it and is not typed */
    char last[EDIT_MAX]; /* what was typed when a row was taken last, for n and N */
    enum param from;    /* the field that was selected before */
    unsigned generation; /* of the plan that the preview is of */
    const struct palette_item *of;
};

static const struct palette_item *selected(const struct ui *ui)
{
    return palette_at(&ui->finder->palette, ui->finder->row);
}

static void search(struct ui *ui)
{
    palette_find(&ui->finder->palette, ui, ui->edit.text);
    ui->finder->row = 0;
    ui->finder->is_moved = false;
    ui->finder->of = NULL;
    ui->finder->is_whole = false;
}

/* Puts the preview in the place of the list, or the list back. */
static void show_whole(struct finder *f, bool is_whole)
{
    f->is_whole = is_whole;
    f->top = 0;
    f->of = NULL;
}

static void finder_free(struct finder *finder)
{
    palette_free(&finder->palette);
    free(finder);
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

/* Opens the list with a query; the row of `name`, where the list has it, is selected. */
static void open_at(struct ui *ui, enum palette_scope scope, const char *query, const char *name)
{
    if (!ui->finder && !(ui->finder = calloc(1, sizeof *ui->finder))) {
        ui_say(ui, ROLE_BAD, "no memory left for the list");
        return;
    }
    struct finder *f = ui->finder;
    ui->finder_free = finder_free;
    f->palette.scope = scope;
    f->from = ui_field(ui);
    palette_fill(&f->palette, ui);
    overlay_open(ui, MODE_FIND, query, false);
    search(ui);
    for (int i = 0; *name && i < f->palette.found_count; i++)
        if (strcmp(palette_at(&f->palette, i)->name, name) == 0)
            f->row = i;
}

static void open(struct ui *ui) { open_at(ui, SCOPE_ALL, "", ""); }
static void do_find_rank(struct ui *ui) { open_at(ui, SCOPE_ALL, "#", ""); }
static void do_help(struct ui *ui) { open_at(ui, ui->mode == MODE_BROWSE ? SCOPE_HERE : SCOPE_DOING, "", ""); }
/* What the explanation is of, the value that the view has selected, or the selected field. */
static void selected_path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    const struct pane *view = panes[ui->view];
    if (ui->mode == MODE_EXPLAIN)
        snprintf(out, EXPLAIN_PATH_MAX, "%s", ui->page[ui->depth - 1].path);
    else if (!ui->is_view_focused || !view->path || !view->path(ui, out))
        snprintf(out, EXPLAIN_PATH_MAX, "%s", param_rows[ui_field(ui)].dotted);
}

void find_word(struct ui *ui, const char *text)
{
    char path[EXPLAIN_PATH_MAX];
    selected_path(ui, path);
    const struct glossary_row *row = *text ? glossary_find(text) : glossary_about(path, NULL);
    open_at(ui, SCOPE_WORDS, "", row ? row->term : "");
    if (!row && *text)
        ui_say(ui, ROLE_WARN, "unknown term '%.60s'", text);
}

static void do_glossary(struct ui *ui) { find_word(ui, ""); }

/* A word's key or value is where it lives. */
static void take_word(struct ui *ui, const struct glossary_row *row)
{
    char path[EXPLAIN_PATH_MAX];
    const char *list = *row->paths ? row->paths : row->keys;
    snprintf(path, sizeof path, "%.*s", (int)strcspn(list, "|"), list);
    if (*path)
        explain_open(ui, path);
    else
        ui_say(ui, ROLE_TEXT, "%s: %s", row->term, row->sentence);
}

void find_lesson(struct ui *ui) { open_at(ui, SCOPE_LESSONS, "", ""); }
static void do_open(struct ui *ui) { open_at(ui, SCOPE_PLANS, "", ""); }
static void do_theme(struct ui *ui) { open_at(ui, SCOPE_THEMES, "", ui->theme.name); }

bool find_preset(struct ui *ui, enum param id)
{
    static const struct {
        enum param key;
        enum palette_scope scope;
    } pickers[] = {
        {PARAM_model_name, SCOPE_MODELS}, {PARAM_hardware_gpu, SCOPE_GPUS}, {PARAM_plan_cluster, SCOPE_CLUSTERS}};
    for (size_t i = 0; i < LENGTH(pickers); i++)
        if (pickers[i].key == id) {
            open_at(ui, pickers[i].scope, "", ui->plan.text[param_text_slot(id)]);
            return true;
        }
    return false;
}

/* ---- taking ----------------------------------------------------------------------------------------------------- */

static void go(struct ui *ui, enum param id)
{
    ui_select(ui, id);
    ui->is_view_focused = false;
}

static void take_preset(struct ui *ui, enum param key, const char *name)
{
    struct plan plan = ui->plan;
    char why[UI_MESSAGE_MAX];
    go(ui, key);
    if (ui->host->preset(ui->host->context, key, name, &plan, why) != 0)
        ui_say(ui, ROLE_BAD, "%s", why);
    else if (plan_equal(&plan, &ui->plan))
        ui_say(ui, ROLE_TEXT, "%s: nothing changes", name);
    else
        ui_change_key(ui, &plan, key);
}

/* An action runs; a command that takes an argument waits for it in the command line. */
static void take_doing(struct ui *ui, const struct palette_item *item)
{
    char line[64];
    const struct command *command = item->id < 0 ? &commands[-1 - item->id] : NULL;
    snprintf(line, sizeof line, "%.60s ", item->name);
    if (!command)
        ui_do(ui, (enum action)item->id);
    else if (*command->usage)
        overlay_open(ui, MODE_COMMAND, line, false);
    else
        command_run(ui, line);
}

static void take_line(struct ui *ui, const char *command, const char *name)
{
    char line[PATH_MAX_BYTES + 16];
    snprintf(line, sizeof line, "%s %s", command, name);
    command_run(ui, line);
}

static void read_words(struct ui *ui, const char *words, struct inquiry *out)
{
    struct lexicon *lexicon = lexicon_new();
    intent_read(ui, lexicon, words, out);
    free(lexicon);
}

bool find_goal_plan(struct ui *ui, const char *words, const char *goal, struct plan *answer, char *why)
{
    struct inquiry said;
    read_words(ui, words, &said);
    return goal_plan(ui, &said, goal, answer, NULL, why);
}

void find_goal(struct ui *ui, const char *words, const char *goal, enum action view)
{
    struct plan answer;
    char why[UI_MESSAGE_MAX];
    if (find_goal_plan(ui, words, goal, &answer, why))
        goal_take(ui, &answer, goal, view, why);
    else
        ui_say(ui, ROLE_WARN, "%s", why);
}

void find_goal_fields(struct ui *ui, const char *words, const char *goal)
{
    struct inquiry said;
    read_words(ui, words, &said);
    goal_open(ui, goal, &said);
}

/* What leads to a goal's answer, and how the palette shows it before. */
struct lead {
    const char *goal, *name; /* of `shardtop goal` */
    enum { NOT_ASKED, ASKED_AT_ONCE, ASKED_IN_FULL /* as it takes longer than between two keys */ } asked;
    enum action action;
};

static const struct lead *lead_of(const char *goal)
{
    static const struct lead leads[] = {
        {"train", "train", ASKED_IN_FULL, ACTION_time}, {"tune", "tune", ASKED_AT_ONCE, ACTION_memory},
        {"serve", "serve", ASKED_AT_ONCE, ACTION_serving}, {"largest", "size", ASKED_IN_FULL, ACTION_whatif},
        {"faster", "faster", NOT_ASKED, ACTION_whatif}, {"fit-run", "", NOT_ASKED, ACTION_open},
        {"make-it-fit", "", NOT_ASKED, ACTION_whatif}};
    size_t i = 0;
    while (i + 1 < LENGTH(leads) && strcmp(leads[i].goal, goal) != 0)
        i++;
    return &leads[i];
}

/* Whether a goal is answered: the largest is that of what was named, else of the plan on the screen, in its view. */
static bool is_answered(const struct lead *lead, const struct inquiry *said)
{
    bool is_named = *said->model || *said->gpu || isfinite(said->gpus) || isfinite(said->context);
    return lead->asked != NOT_ASKED && (is_named || strcmp(lead->name, "size") != 0);
}

/* Goals that are asked with words of their own open with them; others lead to the view that answers. */
static void take_goal(struct ui *ui, const char *goal)
{
    const struct lead *lead = lead_of(goal);
    const struct inquiry *said = &ui->finder->palette.inquiry;
    struct plan plan;
    char why[UI_MESSAGE_MAX];
    bool is_run = lead->action == ACTION_open && *said->model && (*said->gpu || isfinite(said->gpus));
    if (is_answered(lead, said))
        goal_open(ui, lead->name, said);
    else if (is_run && goal_base(ui, said, true, &plan, why)) /* the verdict is the answer */
        ui_change(ui, &plan, goal);
    else
        ui_do(ui, lead->action);
}

/* The answer before it is taken, the ways beside it, those that hold first, and the same as a command. */
static void preview_answer(struct ui *ui, const char *goal, struct preview *out)
{
    struct ui_goal_ways ways = {.count = 0};
    struct plan answer;
    char why[UI_MESSAGE_MAX];
    bool is_found = goal_plan(ui, &ui->finder->palette.inquiry, goal, &answer, &ways, why);
    size_t first = strcspn(why, ";"); /* the layout behind it has a line of its own */
    preview_say(out, "%.*s", (int)first, why);
    if (why[first])
        preview_say(out, "  %.120s", why + first + 2);
    for (int missed = 0; missed < 2; missed++)
        for (int i = 0, count = 0; i < ways.count; i++) {
            const struct ui_goal_way *way = &ways.way[i];
            if (way->is_answer || (*way->why_not != '\0') != missed)
                continue;
            if (count++ == 0)
                preview_say(out, missed ? "not:" : "or:");
            preview_say(out, "  %.120s", way->text);
            if (missed)
                preview_say(out, "    %.120s", way->why_not);
        }
    if (is_found)
        preview_say(out, "Enter opens it as a plan, u takes it back. As a command:");
    if (*ways.command)
        preview_say(out, "  %.120s", ways.command);
}

static void preview_goal(struct ui *ui, const char *goal, struct preview *out)
{
    const struct inquiry *said = &ui->finder->palette.inquiry;
    const struct lead *lead = lead_of(goal);
    if (!is_answered(lead, said))
        return;
    out->count = 0;
    if (lead->asked == ASKED_AT_ONCE || out->is_whole) {
        preview_answer(ui, lead->name, out);
        return;
    }
    preview_say(out, "%.60s", *said->model ? said->model : ui->plan.text[TEXT_MODEL]);
    if (isfinite(said->tokens))
        preview_say(out, "%s tokens", figure(FIGURE_COUNT, said->tokens).text);
    if (isfinite(said->days))
        preview_say(out, "in %s days", figure(FIGURE_PLAIN, said->days).text);
    preview_say(out, "on %.60s", *said->gpu ? said->gpu : ui->plan.text[TEXT_GPU]);
    bool is_size = strcmp(lead->name, "size") == 0;
    preview_say(out, "Right shows the answer: %s", is_size ? "the largest that fits" : "how many GPUs, days and cost");
    preview_say(out, "Enter opens it as a plan, u takes it back");
}

static void take_framework(struct ui *ui, const char *name)
{
    struct plan plan = ui->plan;
    char why[UI_MESSAGE_MAX];
    go(ui, PARAM_framework_name);
    if (ui_parse(ui, &plan, PARAM_framework_name, name, why) != 0)
        ui_say(ui, ROLE_BAD, "%s", why);
    else
        ui_change_key(ui, &plan, PARAM_framework_name);
}

static void take(struct ui *ui, const struct palette_item *item)
{
    char path[EXPLAIN_PATH_MAX];
    switch (item->kind) {
    case ITEM_SET: assign_take(ui, &ui->finder->palette.assigned); break;
    case ITEM_GOAL: take_goal(ui, item->path); break;
    case ITEM_FRAMEWORK: take_framework(ui, item->path); break;
    case ITEM_FIELD: go(ui, (enum param)item->id); break;
    case ITEM_VIEW:
    case ITEM_COMMAND: take_doing(ui, item); break;
    case ITEM_MODEL: take_preset(ui, PARAM_model_name, item->name); break;
    case ITEM_GPU: take_preset(ui, PARAM_hardware_gpu, item->name); break;
    case ITEM_CLUSTER: take_preset(ui, PARAM_plan_cluster, item->name); break;
    case ITEM_PLAN:
    case ITEM_FILE: take_line(ui, "load", item->name); break;
    case ITEM_THEME: take_line(ui, "theme", item->name); break;
    case ITEM_WORD: take_word(ui, &glossary[item->id]); break;
    case ITEM_LESSON: take_line(ui, "lesson", item->name); break;
    case ITEM_RANK: command_run(ui, item->name); break;
    case ITEM_KEY: panes[ui->view]->keys[item->id].run(ui); break;
    case ITEM_RESULT:
        preview_path(ui, item->path, path);
        explain_open(ui, path);
        break;
    default: break;
    }
}

/* The next or previous field that the last query finds, round and round. */
static void find_again(struct ui *ui, int by)
{
    struct finder *f = ui->finder;
    if (!f || !*f->last) {
        ui_say(ui, ROLE_MUTED, "nothing was searched for; / finds fields");
        return;
    }
    int at = -1, fields = 0, which[BEST_MAX];
    f->palette.scope = SCOPE_ALL;
    palette_fill(&f->palette, ui);
    palette_find(&f->palette, ui, f->last);
    for (int i = 0; i < f->palette.found_count && fields < BEST_MAX; i++) {
        const struct palette_item *item = palette_at(&f->palette, i);
        if (item->kind != ITEM_FIELD)
            continue;
        at = item->id == (int)ui_field(ui) ? fields : at;
        which[fields++] = item->id;
    }
    if (fields == 0) {
        ui_say(ui, ROLE_MUTED, "'%.60s' finds no field", f->last);
        return;
    }
    at = at < 0 ? by > 0 ? 0 : fields - 1 : (at + by + fields) % fields;
    go(ui, (enum param)which[at]);
    ui_say(ui, ROLE_TEXT, "'%.60s': %d of %d", f->last, at + 1, fields);
}

static void do_find_next(struct ui *ui) { find_again(ui, 1); }
static void do_find_previous(struct ui *ui) { find_again(ui, -1); }

static void complete(struct ui *ui)
{
    const struct palette_item *item = selected(ui);
    if (!item || item->kind == ITEM_SET)
        return;
    edit_start(&ui->edit, item->name, false);
    search(ui);
}

/* Enter: a folder is gone into, and a file that no list has is loaded by what was typed. */
static void accept(struct ui *ui)
{
    const struct palette_item *item = selected(ui);
    char near[128], typed[EDIT_MAX];
    snprintf(typed, sizeof typed, "%s", ui->edit.text);
    if (item && item->kind == ITEM_FILE && item->name[strlen(item->name) - 1] == '/') {
        complete(ui);
        return;
    }
    ui->mode = MODE_BROWSE;
    if (item) {
        if (ui->finder->palette.scope == SCOPE_ALL)
            memcpy(ui->finder->last, typed, sizeof typed);
        palette_took(&ui->finder->palette, item);
        take(ui, item);
        if (item->kind == ITEM_FIELD && ui->finder->palette.fault[0])
            ui_say(ui, ROLE_WARN, "%s", ui->finder->palette.fault);
        return;
    }
    if (strchr(typed, '/') || (ui->finder->palette.scope == SCOPE_PLANS && strchr(typed, '.'))) {
        take_line(ui, "load", typed);
        return;
    }
    ui->mode = MODE_FIND;
    if (ui->finder->palette.fault[0]) {
        ui_say(ui, ROLE_WARN, "'%.60s': %.180s", typed, ui->finder->palette.fault);
        return;
    }
    palette_nearest(&ui->finder->palette, typed, near, sizeof near);
    ui_say(ui, ROLE_WARN, "nothing is called '%.60s'; near are %s", typed, near);
}

/* ---- keys ------------------------------------------------------------------------------------------------------- */

static void back(struct ui *ui)
{
    if (ui->finder->is_whole) {
        show_whole(ui->finder, false);
        return;
    }
    ui->mode = MODE_BROWSE;
    if (!ui->finder->is_moved)
        ui_select(ui, ui->finder->from);
}

/* Right opens what the row is about: an explanation, or its preview in full. */
static void move(struct ui *ui, int dx, int dy)
{
    struct finder *f = ui->finder;
    const struct palette_item *item = selected(ui);
    if (f->is_whole) {
        f->top = row_within(f->top + dy, f->preview.count);
    } else if (dy != 0) {
        f->row = row_within(f->row + dy, f->palette.found_count);
        f->is_moved = true;
    } else if (dx > 0 && item && item->kind == ITEM_FIELD) {
        ui->mode = MODE_BROWSE;
        explain_open(ui, param_rows[item->id].dotted);
    } else if (dx > 0 && item && item->kind == ITEM_RESULT) {
        ui->mode = MODE_BROWSE;
        take(ui, item);
    } else if (dx > 0 && item) {
        show_whole(f, true);
    }
}

/* + steps the field of the row, and - does once a row was chosen; before that it belongs to a name. */
static bool step(struct ui *ui, int key)
{
    const struct palette_item *item = selected(ui);
    bool is_step = key == '+' || (key == '-' && ui->finder->is_moved);
    if (!is_step || !item || item->kind != ITEM_FIELD)
        return false;
    ui_select(ui, (enum param)item->id);
    change_step(ui, key == '+' ? 1 : -1);
    ui->finder->is_moved = true;
    return true;
}

static bool type(struct ui *ui, int key, bool is_pasted)
{
    if (ui->finder->is_whole && !is_pasted && (key == 'q' || key == KEY_ARROW_LEFT || key == KEY_RUBOUT)) {
        show_whole(ui->finder, false);
        return true;
    }
    if (!is_pasted && step(ui, key))
        return true;
    if (key == KEY_RUBOUT && ui->edit.length == 0) {
        back(ui);
        return true;
    }
    if (key == '?' && ui->edit.length == 0 && ui->finder->palette.scope == SCOPE_HERE) {
        open_at(ui, SCOPE_DOING, "", "");
        return true;
    }
    if (key == '?' && ui->edit.length == 0 && ui->finder->palette.scope == SCOPE_DOING) {
        ui_do(ui, ACTION_legend);
        return true;
    }
    if (key == 'q' && ui->edit.length == 0 && !is_pasted &&
        (ui->finder->palette.scope == SCOPE_DOING || ui->finder->palette.scope == SCOPE_HERE)) {
        ui->mode = MODE_BROWSE;
        return true;
    }
    if (!edit_key(&ui->edit, key))
        return false;
    search(ui);
    return true;
}

/* What a query may begin with, in one row or two. */
static const char *const ways[] = {"> commands  @ models GPUs  # rank  = results  ",
                                   "/ files  tp 4 pp 8 sets  +/- steps"};

/* Rows that it takes below the list, where there is room. */
static int way_rows(const struct ui *ui, int width, int height)
{
    bool has_room = ui->finder->palette.scope == SCOPE_ALL && height >= 10;
    return !has_room ? 0 : width >= (int)(strlen(ways[0]) + strlen(ways[1])) ? 1 : 2;
}

/* The list of everything leaves the panes below it in sight: they need not be drawn again when it closes. */
static int wide_rows(const struct ui *ui)
{
    enum { ROWS = BEST_MAX + 4 /* title, line, a fault, ways */, IN_SIGHT = 8 };
    bool has_room = ui->layout.body.height >= ROWS + IN_SIGHT;
    return has_room && ui->finder->palette.scope == SCOPE_ALL ? ROWS : ui->height;
}

static int list_rows(const struct ui *ui, int width, int height)
{
    int rows = height - 1 - way_rows(ui, width, height), best = width < PREVIEW_LEAST ? BEST_NARROW : BEST_MAX;
    return ui->edit.length > 0 && rows > best ? best : rows;
}

static void mouse(struct ui *ui, const struct event *event)
{
    struct rect r = rect_below(overlay_rect(ui), 2);
    if (event->button != MOUSE_LEFT || ui->finder->is_whole) {
        move(ui, 0, event->button == MOUSE_WHEEL_UP ? -1 : 1);
        return;
    }
    int rows = list_rows(ui, r.width, r.height + 1);
    int top = page_top(ui->finder->row, ui->finder->palette.found_count, rows);
    int row = top + event->y - r.y;
    if (!rect_has(r, event->x, event->y) || event->y >= r.y + rows || row >= ui->finder->palette.found_count)
        return;
    ui->finder->row = row;
    ui->finder->is_moved = true;
    if (ui->pressed.is_again)
        accept(ui);
}

/* ---- drawing ---------------------------------------------------------------------------------------------------- */

static void update(struct ui *ui)
{
    struct finder *f = ui->finder;
    const struct palette_item *item = selected(ui);
    if (f->of == item && f->generation == ui->generation && item)
        return;
    f->preview.is_whole = f->is_whole;
    preview_of(ui, &f->palette, item, &f->preview);
    if (item && item->kind == ITEM_GOAL && (f->is_whole || ui->width >= PREVIEW_LEAST))
        preview_goal(ui, item->path, &f->preview);
    f->of = item;
    f->generation = ui->generation;
}

static void title(const struct ui *ui, char text[OVERLAY_TITLE_MAX], char remark[OVERLAY_REMARK_MAX])
{
    const struct finder *f = ui->finder;
    if (f->is_whole) {
        snprintf(text, OVERLAY_TITLE_MAX, "%s  %.80s", palette_kind_names[selected(ui)->kind], selected(ui)->name);
        snprintf(remark, OVERLAY_REMARK_MAX, "%d lines  Left back", f->preview.count);
        return;
    }
    snprintf(text, OVERLAY_TITLE_MAX, "%s", palette_scope_names[f->palette.scope]);
    bool has_more = f->palette.scope == SCOPE_HERE || f->palette.scope == SCOPE_DOING;
    if (has_more)
        snprintf(remark, OVERLAY_REMARK_MAX, "? %s  Esc back", f->palette.scope == SCOPE_HERE ? "all keys" : "letters");
    else
        snprintf(remark, OVERLAY_REMARK_MAX, "%d found  Esc back", f->palette.found_count);
}

/* What stands right of the name: a field's value, the keys of an action. */
static void say_state(const struct ui *ui, const struct palette_item *item, char *out, size_t size)
{
    out[0] = '\0';
    if (item->kind == ITEM_FIELD) {
        char value[FIELD_TEXT_MAX];
        form_value(&ui->now->plan, (enum param)item->id, value);
        snprintf(out, size, "%.20s %s", value, form_origin(&ui->now->plan, (enum param)item->id));
    } else if (item->kind == ITEM_KEY) {
        char name[KEY_NAME_MAX];
        key_name(panes[ui->view]->keys[item->id].key, name);
        snprintf(out, size, "%s", name);
    } else if (item->id > 0 && (item->kind == ITEM_COMMAND || item->kind == ITEM_VIEW)) {
        keymap_keys(&ui->settings.bindings, MODE_BROWSE, (enum action)item->id, 2, out, size);
    }
}

static void draw_item(const struct ui *ui, struct canvas *canvas, int y, int width, const struct palette_item *item)
{
    char state[32];
    const char *name = item->kind == ITEM_RESULT ? item->path : item->name;
    say_state(ui, item, state, sizeof state);
    bool is_mixed = ui->finder->palette.scope == SCOPE_ALL;
    int x = is_mixed ? KIND_WIDTH : 0, right = text_width(state);
    if (is_mixed)
        canvas_fit(canvas, 0, y, KIND_WIDTH - 1, ROLE_MUTED, palette_kind_names[item->kind]);
    int end = canvas_fit(canvas, x, y, width - x - right - 1, ROLE_TEXT, name);
    int at = is_mixed && x + NAME_WIDTH + right < width ? x + NAME_WIDTH : width - right;
    at = at > end || end + right >= width ? at : end + 1;
    canvas_text(canvas, at, y, item->kind == ITEM_FIELD ? ROLE_TEXT : ROLE_KEY, state);
    if (*item->help && end + 4 < width - right && item->kind != ITEM_FIELD &&
        (ui->finder->palette.scope == SCOPE_DOING || ui->finder->palette.scope == SCOPE_HERE ||
         ui->finder->palette.scope == SCOPE_LESSONS ||
         ui->finder->palette.scope == SCOPE_WORDS)) {
        int from = end < x + 18 ? x + 18 : end + 2;
        canvas_fit(canvas, from, y, width - from - right - 1, ROLE_MUTED, item->help);
    }
}

static void draw_prompt(const struct ui *ui, struct canvas *canvas, int width)
{
    int cursor, x = canvas_text(canvas, 0, 0, ROLE_KEY, "> ");
    canvas_text(canvas, x, 0, ROLE_TEXT, edit_scrolled(&ui->edit, width - x, &cursor));
    canvas_paint(canvas, x + cursor, 0, 1, ROLE_TEXT, CELL_INVERSE);
}

/* Where nothing is found; returns the row below. */
static int draw_nothing(const struct ui *ui, struct canvas *canvas, int y, int width)
{
    char near[128], text[UI_MESSAGE_MAX];
    palette_nearest(&ui->finder->palette, ui->edit.text, near, sizeof near);
    snprintf(text, sizeof text, "Nothing is called that. Nearest: %s.", near);
    return canvas_wrap(canvas, 0, y, width, ROLE_TEXT, text);
}

static void draw_list(const struct ui *ui, struct canvas *canvas, int width, int rows)
{
    const struct palette *p = &ui->finder->palette;
    int y = 1, end = y + rows, top = page_top(ui->finder->row, p->found_count, rows);
    if (p->is_ignored)
        canvas_wrap(canvas, 0, y++, width, ROLE_WARN, "changes neither memory nor time; not a key");
    else if (p->fault[0])
        y = canvas_wrap(canvas, 0, y, width, ROLE_WARN, p->fault);
    else if (p->found_count == 0)
        y = draw_nothing(ui, canvas, y, width);
    for (int i = top; i < p->found_count && y < end; i++, y++) {
        draw_item(ui, canvas, y, width, palette_at(p, i));
        if (i == ui->finder->row)
            canvas_paint(canvas, 0, y, width, ROLE_FOCUS, 0);
    }
}

static void draw_preview(const struct ui *ui, struct canvas *canvas, int x, int y, int width, int height)
{
    const struct preview *preview = &ui->finder->preview;
    const struct rect whole = canvas->clip;
    canvas_clip(canvas, (struct rect){whole.x, whole.y, whole.width, height < whole.height ? height : whole.height});
    for (int i = ui->finder->top; i < preview->count && y < height; i++)
        y = canvas_wrap(canvas, x, y, width, i ? ROLE_TEXT : ROLE_TITLE, preview->line[i]);
    canvas_clip(canvas, whole);
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    if (ui->finder->is_whole) {
        draw_preview(ui, canvas, 0, 0, width, height);
        return;
    }
    int left = width >= PREVIEW_LEAST && ui->finder->palette.scope != SCOPE_LESSONS ? width / 2 : width;
    int end = height - way_rows(ui, width, height);
    draw_prompt(ui, canvas, width);
    draw_list(ui, canvas, left - (left < width), list_rows(ui, width, height));
    if (end < height) {
        int x = canvas_text(canvas, 0, end, ROLE_MUTED, ways[0]);
        canvas_text(canvas, end + 1 < height ? 0 : x, height - 1, ROLE_MUTED, ways[1]);
    }
    if (left == width)
        return;
    for (int y = 1; y < end; y++)
        canvas_repeat(canvas, left, y, ROLE_TEXT, ui->utf8 ? 0x2502 : '|', 1);
    draw_preview(ui, canvas, left + 2, 1, width - left - 2, end);
}

/* A line of the preview without the blanks that put its columns below each other. */
static void squeeze(const char *line, char out[PREVIEW_LINE_MAX])
{
    enum { COLUMNS = 4 };
    size_t used = 0;
    for (const char *at = line; *at && used + 1 < PREVIEW_LINE_MAX;) {
        size_t blanks = strspn(at, " ");
        out[used++] = *at;
        at += blanks >= COLUMNS ? blanks : 1;
    }
    out[used] = '\0';
}

/* Below the list: what the row is, and what it would do; as many lines of it in a row as have room. */
static int message(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    enum { GAP = 3 };
    const struct preview *preview = &ui->finder->preview;
    int y = ui->message[0] ? canvas_wrap(canvas, 0, 0, width, ui->message_role, ui->message) : 0, x = 0;
    for (int i = 0; i < preview->count && !preview->is_whole; i++) {
        char text[PREVIEW_LINE_MAX];
        squeeze(preview->line[i], text);
        y += x > 0 && x + text_width(text) > width;
        if (y >= height)
            break;
        bool is_beside = x > 0 && x + text_width(text) <= width;
        int end = canvas_wrap(canvas, is_beside ? x : 0, y, is_beside ? width - x : width, ROLE_TEXT, text);
        x = end == y + 1 ? (is_beside ? x : 0) + text_width(text) + GAP : width;
        y = end - 1;
    }
    return 2;
}

const struct overlay overlay_find = {
    .keys = own_keys, .hints = own_hints, .is_wide = true, .rows = wide_rows, .open = open, .update = update,
    .title = title, .draw = draw, .message = message, .move = move, .page = browse_page, .accept = accept,
    .complete = complete, .back = back, .type = type, .mouse = mouse,
};

const struct action_handler find_handlers[] = {
    {ACTION_find_rank, do_find_rank}, {ACTION_help, do_help}, {ACTION_glossary, do_glossary}, {ACTION_open, do_open},
    {ACTION_theme, do_theme}, {ACTION_find_next, do_find_next}, {ACTION_find_previous, do_find_previous}, {0},
};
