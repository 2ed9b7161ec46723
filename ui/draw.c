/* Draws the whole screen from the state: header, figures, panes, overlays, message and hints. */
#include "core/base.h"
#include "core/plan/param.h"
#include "ui/state/advisor.h"
#include "ui/state/effect.h"
#include "ui/command/keymap.h"
#include "ui/pane/lesson_marks.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/pane.h"
#include "ui/pane/room.h"
#include "ui/state/result.h"
#include "ui/pane/small.h"
#include "ui/widget/rule.h"
#include "ui/widget/table.h"
#include "ui/widget/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- panes ------------------------------------------------------------------------------------------------------ */

static bool has_tab(const struct ui *ui, int id)
{
    return id == (int)ui->view || !panes[id]->is_hidden_in_serving || !ui->shown->is_serving;
}

/* The name of a view in the row of all. */
static const char *tab_name(const struct ui *ui, int id)
{
    return id == PANE_TIME && ui->shown->is_serving ? "Serving" : panes[id]->title;
}

/* Columns of the row with the names of all views. */
static int tabs_width(const struct ui *ui)
{
    int width = (int)strlen("0 All");
    for (int i = PANE_FORMS; i < PANE_COUNT; i++)
        width += has_tab(ui, i) ? 4 + text_width(tab_name(ui, i)) : 0;
    return width;
}

/* One of them, by key and name, or by its key alone. */
static int draw_tab(const struct ui *ui, struct canvas *canvas, int x, int id, bool has_name)
{
    char text[40];
    int from = x;
    if (id == (int)ui->view) {
        snprintf(text, sizeof text, " %s ", tab_name(ui, id));
        x = canvas_text(canvas, x, 0, ROLE_FOCUS, text);
    } else {
        x = canvas_format(canvas, x, 0, ROLE_KEY, "%c", view_rows[id].key);
        x = has_name ? canvas_text(canvas, x + 1, 0, ROLE_MUTED, tab_name(ui, id)) : x;
    }
    canvas_link(canvas, from, 0, x - from, (int)view_rows[id].action);
    return x;
}

/* The views by key, the current one by its name; returns the column after them. */
static int draw_tabs(const struct ui *ui, struct canvas *canvas, int width)
{
    bool has_names = tabs_width(ui) <= width;
    int x = canvas_text(canvas, 0, 0, ROLE_KEY, "0");
    x = has_names ? canvas_text(canvas, x + 1, 0, ROLE_MUTED, "All") : x;
    canvas_link(canvas, 0, 0, x, (int)ACTION_figures);
    for (int i = PANE_FORMS; i < PANE_COUNT; i++)
        if (has_tab(ui, i))
            x = draw_tab(ui, canvas, x + (has_names ? 2 : 1), i, has_names);
    return x;
}

static void draw_view_title(const struct ui *ui, struct canvas *canvas, enum pane_id id, int width)
{
    char about[SUBTITLE_MAX], note[SUBTITLE_MAX];
    struct rule rule = {.key = view_rows[id].key, .name = panes[id]->title, .about = about, .note = "",
                        .is_focused = pane_has_focus(ui, id)};
    panes[id]->subtitle(ui, about);
    char *last = ui->options.present ? strrchr(about, '|') : NULL;
    if (last) /* few words for those who look on */
        memmove(about, last + 1, strlen(last + 1) + 1);
    if (panes[id]->question && !ui->options.present)
        rule.name = panes[id]->question(ui);
    if (panes[id]->note && !ui->options.present) {
        panes[id]->note(ui, note);
        rule.note = note;
    }
    if (id == PANE_WHATIF && !ui->shown->is_serving && !ui->options.present) {
        snprintf(note, sizeof note, "all layouts");
        if (ui->advisor && ui->advisor->has_search && ui->advisor->is_searching)
            snprintf(note, sizeof note, "looks: %d %%", 10 * (int)(10 * search_share(&ui->advisor->search)));
        rule.note = note;
        rule.note_key = view_rows[PANE_TUNER].key;
    }
    rule_draw(canvas, 0, width, &rule);
    canvas_link(canvas, 0, 0, width, (int)view_rows[id].action);
    if (rule.note_key)
        canvas_link(canvas, width - 13, 0, 13, (int)ACTION_tuner);
}

static int views_shown(const struct layout *layout)
{
    int count = 0;
    for (int i = 0; i < layout->slots; i++)
        count += layout->slot[i].pane >= PANE_FORMS;
    return count;
}

const struct view_key *pane_own_keys(const struct ui *ui)
{
    const struct pane *pane = ui->is_view_focused ? panes[ui->view] : NULL;
    return !pane || (pane->of_training && ui->shown->is_serving) ? NULL : pane->keys;
}

bool pane_is_beside(const struct ui *ui)
{
    return views_shown(&ui->layout) > 1;
}

/* A view alone has a row with the names of all above its title. */
static bool has_two_titles(const struct ui *ui, const struct rect *r)
{
    enum { LEAST_ROWS = 12 };
    return r->height >= LEAST_ROWS && !pane_is_beside(ui) && !ui->options.present && !ui->layout.is_halved;
}

bool pane_is_lecture(const struct ui *ui)
{
    return ui->options.present && !ui->aside;
}

struct rect pane_inside(const struct ui *ui, enum pane_id pane)
{
    struct rect r = layout_find(&ui->layout, pane);
    return r.height > 0 ? rect_below(r, 1 + has_two_titles(ui, &r)) : r;
}

bool pane_has_tabs(const struct ui *ui)
{
    struct rect r = layout_find(&ui->layout, ui->view);
    return has_two_titles(ui, &r);
}

static void draw_titles(const struct ui *ui, struct canvas *canvas, const struct slot *slot)
{
    struct rect r = slot->rect;
    if (has_two_titles(ui, &r)) {
        draw_tabs(ui, canvas, r.width);
        canvas_clip(canvas, rect_below(r, 1));
    }
    draw_view_title(ui, canvas, slot->pane, r.width);
}

static void draw_slot(const struct ui *ui, struct canvas *canvas, const struct slot *slot)
{
    struct rect r = slot->rect;
    canvas_clip(canvas, r);
    if (slot->pane < PANE_FORMS) {
        form_draw(ui, canvas, slot->pane, r.width, r.height);
        return;
    }
    draw_titles(ui, canvas, slot);
    struct rect inside = pane_inside(ui, slot->pane);
    canvas_clip(canvas, inside);
    if (inside.height > 0)
        panes[slot->pane]->draw(ui, canvas, inside.width, inside.height);
}

/* ---- what lies over the panes ----------------------------------------------------------------------------------- */

/* Views below what an overlay has to say stay in sight. */
static void draw_below(const struct ui *ui, struct canvas *canvas, struct rect over)
{
    canvas_clip(canvas, over);
    while (over.height > 0 && canvas_end(canvas, over.height - 1) == 0)
        over.height--;
    for (int i = 0; i < ui->layout.slots; i++)
        if (ui->layout.slot[i].rect.x >= over.x && ui->layout.slot[i].rect.y >= over.y + over.height)
            draw_slot(ui, canvas, &ui->layout.slot[i]);
}

/* It covers the results, or a corner of them, with a title of its own. */
static void draw_overlay(const struct ui *ui, struct canvas *canvas, const struct overlay *overlay)
{
    char title[OVERLAY_TITLE_MAX], remark[OVERLAY_REMARK_MAX];
    struct rect r = overlay_rect(ui);
    overlay->title(ui, title, remark);
    canvas_blank(canvas, r);
    canvas_clip(canvas, r);
    canvas_fit(canvas, 0, 0, r.width - (int)strlen(remark) - 1, ROLE_TITLE, title);
    canvas_right(canvas, r.width, 0, ROLE_MUTED, remark);
    r = rect_below(r, 1);
    canvas_clip(canvas, r);
    overlay->draw(ui, canvas, r.width, r.height);
    if (overlay->is_in_corner)
        draw_below(ui, canvas, r);
}

/* ---- message and hints ------------------------------------------------------------------------------------------ */

/* The values that raise no error, the current one in focus; where not all fit those around it. */
static void draw_valid(const struct ui *ui, struct canvas *canvas, int x, int width)
{
    const struct hints *h = effect_hints(ui);
    double now = ui->now->plan.value[ui_field(ui)];
    int at = 0;
    while (h && at < h->valid_count && h->valid[at] != now)
        at++;
    if (!h || h->valid_count == 0 || (at == h->valid_count && h->valid_count == VALID_MAX))
        return;
    for (int i = at < h->valid_count && at > 8 ? at - 4 : 0; i < h->valid_count; i++) {
        char text[FIELD_TEXT_MAX + 4], value[FIELD_TEXT_MAX];
        param_number(h->field, h->valid[i], value);
        snprintf(text, sizeof text, " %s ", value);
        if (x + text_width(text) > width)
            return;
        int from = x;
        x = canvas_text(canvas, x, 0, i == at ? ROLE_FOCUS : ROLE_TEXT, text);
        canvas_mark(canvas, from, 0, x - from, CELL_ASIDE);
    }
}

/* Columns of the values that work, as many as matter. */
static int valid_width(const struct ui *ui)
{
    enum { SHOWN = 12 };
    const struct hints *h = effect_hints(ui);
    int width = 0;
    for (int i = 0; h && i < h->valid_count && i < SHOWN; i++) {
        char value[FIELD_TEXT_MAX];
        param_number(h->field, h->valid[i], value);
        width += text_width(value) + 2;
    }
    return width;
}

/* A text over two rows where one does not do; returns how many it takes. */
static int draw_rows(struct canvas *canvas, struct rect r, enum role role, const char *text)
{
    if (text_width(text) <= r.width || r.height < 2)
        canvas_fit(canvas, 0, 0, r.width, role, text);
    else
        canvas_wrap(canvas, 0, 0, r.width, role, text);
    return text_width(text) <= r.width ? 1 : 2;
}

/* What the selected row of a view means. */
static bool draw_row_help(const struct ui *ui, struct canvas *canvas, struct rect r)
{
    char text[UI_MESSAGE_MAX];
    if (!ui->is_view_focused || !panes[ui->view]->describe || ui_first_error(ui))
        return false;
    panes[ui->view]->describe(ui, text);
    draw_rows(canvas, r, ROLE_TEXT, text);
    return true;
}

/* A fault; while other figures are shown it is said whose, in the second row where a view has the keys. */
static int draw_fault(const struct ui *ui, struct canvas *canvas, struct rect r, const struct diag *fault)
{
    char text[DIAG_TEXT_MAX + 80], stale[UI_MESSAGE_MAX];
    bool is_stale = ui_stale(ui, stale);
    snprintf(text, sizeof text, "%s: %s%s", param_rows[fault->param].key, finding_text(fault).text,
             is_stale ? "; figures: last valid plan" : "");
    if (is_stale && (ui->is_view_focused || text_width(stale) <= r.width) && fault == ui_first_error(ui))
        snprintf(text, sizeof text, "%s", stale);
    else if (is_stale && text_width(text) > r.width) /* the title says that they are stale */
        snprintf(text, sizeof text, "%s: %s", param_rows[fault->param].key, finding_text(fault).text);
    return draw_rows(canvas, r, ROLE_BAD, text);
}

/*
 * What is wrong with the field or else with the plan; an error that says much goes on in the second row. Returns the
 * rows.
 */
static int draw_finding(const struct ui *ui, struct canvas *canvas, struct rect r, const struct diag *finding)
{
    bool is_error = finding->level == DIAG_ERROR;
    if (is_error && ui->shown != ui->now)
        return draw_fault(ui, canvas, r, finding);
    char text[DIAG_TEXT_MAX + 40];
    int x = canvas_format(canvas, 0, 0, is_error ? ROLE_BAD : ROLE_WARN, "%s: ", param_rows[finding->param].key);
    snprintf(text, sizeof text, "%s: %s", param_rows[finding->param].key, finding_text(finding).text);
    if (is_error && text_width(text) > r.width)
        return draw_rows(canvas, r, ROLE_BAD, text);
    canvas_fit(canvas, x, 0, r.width - x, ROLE_TEXT, finding_text(finding).text);
    return 1;
}

static int draw_field_help(const struct ui *ui, struct canvas *canvas, struct rect r)
{
    enum { VALID_COLUMN = 28 }; /* of the values that work, behind short help */
    enum param id = ui_field(ui);
    const struct diag *finding = ui_finding(ui, id), *error = ui_first_error(ui);
    int width = r.width;
    if (error && !(finding && finding->level == DIAG_ERROR))
        finding = error;
    if (finding)
        return draw_finding(ui, canvas, r, finding);
    int valid = ui->layout.is_small ? 0 : valid_width(ui);
    int x = canvas_text(canvas, 1, 0, ROLE_TITLE, param_rows[id].key);
    char help[256];
    snprintf(help, sizeof help, "%s|%.*s", param_rows[id].help, (int)strcspn(param_rows[id].help, ":;,("),
             param_rows[id].help);
    valid = x + 2 + valid + text_width(strchr(help, '|') + 1) > width ? width / 3 : valid;
    if (text_width(help) <= 2 * width && ui->layout.is_small)
        x = canvas_fit(canvas, x + 2, 0, width - x - 2, ROLE_TEXT, param_rows[id].help);
    else
        x = canvas_pick(canvas, x + 2, 0, width - x - 3 - valid, ROLE_TEXT, help);
    bool has_column = x + 1 < VALID_COLUMN && VALID_COLUMN + valid <= width; /* where they stay from field to field */
    if (!ui->layout.is_small) /* there they have a line of their own */
        draw_valid(ui, canvas, has_column ? VALID_COLUMN : x + 1, width);
    if (valid == 0 && *param_rows[id].more && x + 2 + text_width(param_rows[id].more) <= width)
        canvas_text(canvas, canvas_text(canvas, x, 0, ROLE_TEXT, ". "), 0, ROLE_MUTED, param_rows[id].more);
    return 1;
}

/* A step: its key, the value after it, what that gives. */
static void draw_step(const struct ui *ui, struct canvas *canvas, int x, int y, int width, const struct effect *effect,
                      const char *sign)
{
    char text[200];
    int from = x;
    x = canvas_text(canvas, x, y, ROLE_KEY, sign) + 1;
    x = canvas_format(canvas, x, y, ROLE_TEXT, "%.24s", effect->exists ? effect->value : "none");
    if (!effect->exists)
        return;
    effect_figures(ui, effect, from + width - x - 3, text, sizeof text);
    canvas_pick(canvas, x + 3, y, from + width - x - 3, effect->headroom_bytes < 0 ? ROLE_BAD : ROLE_TEXT, text);
}

/* The steps of the field from column `x` on. */
static void draw_steps_at(const struct ui *ui, struct canvas *canvas, int x, int y, int width)
{
    const struct hints *h = effect_hints(ui);
    int half = (width - x) / 2;
    bool is_switch = param_rows[h->field].type == TYPE_BOOL && h->up.exists; /* both steps go the same way */
    if (!is_switch)
        draw_step(ui, canvas, x, y, half - 1, &h->down, "-");
    draw_step(ui, canvas, is_switch ? x : x + half, y, is_switch ? width - x : width - x - half, &h->up,
              is_switch ? "- +" : "+");
}

/* What the steps of the field give; over the page of another value its name stands before them. */
static void draw_steps(const struct ui *ui, struct canvas *canvas, int y, int width)
{
    const struct hints *h = effect_hints(ui);
    bool is_elsewhere = ui->mode == MODE_EXPLAIN && param_find(ui->page[ui->depth - 1].path) != (int)ui_field(ui);
    if (!h || (!h->down.exists && !h->up.exists))
        return;
    int x = is_elsewhere ? canvas_format(canvas, 1, y, ROLE_MUTED, "%s ", param_rows[h->field].key) : 1;
    draw_steps_at(ui, canvas, x, y, width);
}

/* One figure for all who look on, without a lesson's words. */
static bool is_lecture(const struct ui *ui)
{
    return pane_is_lecture(ui) && ui->mode == MODE_BROWSE;
}

/* What the figure shows, in a sentence. */
static void draw_sentence(const struct ui *ui, struct canvas *canvas, int width)
{
    char text[UI_MESSAGE_MAX] = "";
    if (panes[ui->view]->sentence)
        panes[ui->view]->sentence(ui, text);
    canvas_fit(canvas, 1, 0, width - 1, ROLE_STRONG, text);
}

static void draw_message(const struct ui *ui, struct canvas *canvas)
{
    const struct overlay *overlay = overlays[ui->mode];
    struct rect r = ui->layout.message;
    canvas_clip(canvas, r);
    if (is_lecture(ui) && !ui->message[0] && !ui_first_error(ui)) {
        draw_sentence(ui, canvas, r.width);
        return;
    }
    int drawn = overlay->message ? overlay->message(ui, canvas, r.width, r.height) : 0;
    if (drawn == 0 && ui->message[0])
        drawn = draw_rows(canvas, r, ui->message_role, ui->message);
    else if (drawn == 0 && !draw_row_help(ui, canvas, r))
        drawn = draw_field_help(ui, canvas, r);
    if (drawn < 2 && r.height > 1 && !ui->is_view_focused && !ui->layout.is_small)
        draw_steps(ui, canvas, 1, r.width);
    bool is_told = layout_find(&ui->layout, PANE_WHATIF).height > 0;
    if (!is_told && (ui->mode == MODE_BROWSE || ui->mode == MODE_EXPLAIN)) /* whose keys 6 and 8 are */
        advisor_draw(ui, canvas, ui->is_view_focused ? r.height - 1 : 0, r.width);
}

enum { PRESENT_HINTS = 6 /* that an audience has before it */ };

/* Those of the view that has the focus come first; returns the column after them. */
static int draw_view_hints(const struct ui *ui, struct canvas *canvas, int width, int gap, int *drawn)
{
    int x = ui->width >= NAMES_WIDTH / 2;
    const struct view_key *own = ui->mode == MODE_BROWSE ? pane_own_keys(ui) : NULL;
    for (int i = 0; own && own[i].key; i++) {
        char name[KEY_NAME_MAX];
        int from = x;
        key_name(own[i].key, name);
        if (!hint_has_view_key(ui, &own[i]) || x + (int)strlen(name) + 1 + (int)strlen(own[i].hint) > width)
            continue;
        if (ui->options.present && (*drawn)++ == PRESENT_HINTS)
            break;
        x = canvas_text(canvas, x, 0, ROLE_KEY, name) + 1;
        x = canvas_text(canvas, x, 0, ROLE_MUTED, own[i].hint) + gap;
        canvas_link(canvas, from, 0, x - gap - from, LINK_KEYS + i);
    }
    return x;
}

/* Enter edits a field; in a view it opens what is selected, or takes a plan that stands there. */
static const char *hint_text(const struct ui *ui, const struct hint *hint)
{
    bool is_enter = hint->mode == MODE_BROWSE && hint->action == ACTION_edit && ui->is_view_focused;
    return !is_enter ? hint->text : panes[ui->view]->choices ? "take" : "open"; /* as long as "type" */
}

/* What a lecture needs. */
static void draw_lecture_hints(const struct ui *ui, struct canvas *canvas, int width)
{
    char step[FIELD_TEXT_MAX];
    snprintf(step, sizeof step, "%.40s", param_rows[ui_field(ui)].key);
    const struct {
        const char *keys, *words;
        enum action action;
    } all[] = {{"Space", "next", ACTION_toggle}, {"1-8", "figure", ACTION_NONE}, {"- +", step, ACTION_step_up},
               {".", ui->is_dark ? "light" : "dark", ACTION_lesson_blank}, {"F11", "leave", ACTION_present}};
    for (size_t i = 0, x = 1; i < LENGTH(all); i++) {
        int from = (int)x, need = text_width(all[i].keys) + 1 + text_width(all[i].words);
        if (from + need > width)
            return;
        x = (size_t)canvas_text(canvas, from, 0, ROLE_KEY, all[i].keys) + 1;
        x = (size_t)canvas_text(canvas, (int)x, 0, ROLE_MUTED, all[i].words) + 3;
        canvas_link(canvas, from, 0, need, (int)all[i].action);
    }
}

static void draw_hints(const struct ui *ui, struct canvas *canvas)
{
    struct rect r = ui->layout.hint;
    if (is_lecture(ui)) {
        canvas_clip(canvas, r);
        draw_lecture_hints(ui, canvas, r.width);
        return;
    }
    const struct hint *h;
    int drawn = 0;
    int gap = layout_shape(ui->width, ui->height).hint_gap;
    canvas_clip(canvas, r);
    for (int i = 0, x = draw_view_hints(ui, canvas, r.width, gap, &drawn); (h = hint_at(ui->mode, i)); i++) {
        char keys[KEY_NAME_MAX * 2 + 4], other[KEY_NAME_MAX], text[48];
        if (!hint_is_shown(ui, h))
            continue;
        if (ui->options.present && drawn++ >= PRESENT_HINTS)
            return;
        if (keymap_keys(&ui->settings.bindings, h->mode, h->action, 1, keys, KEY_NAME_MAX) == 0)
            continue;
        if (h->other != ACTION_NONE) {
            keymap_keys(&ui->settings.bindings, h->mode, h->other, 1, other, sizeof other);
            snprintf(keys + strlen(keys), KEY_NAME_MAX + 4, " %s", other);
        }
        const char *words = hint_text(ui, h), *brief = strchr(words, '|');
        snprintf(text, sizeof text, "%.*s", brief && r.width >= NAMES_WIDTH ? (int)(brief - words) : 40,
                 brief && r.width < NAMES_WIDTH ? brief + 1 : words);
        if (x + (int)strlen(keys) + 1 + (int)strlen(text) > r.width)
            return;
        int from = x;
        x = canvas_text(canvas, x, 0, ROLE_KEY, keys) + 1;
        x = canvas_text(canvas, x, 0, ROLE_MUTED, text) + gap;
        canvas_link(canvas, from, 0, x - gap - from, (int)h->action);
        if (h->other != ACTION_NONE)
            canvas_link(canvas, from + (int)strcspn(keys, " ") + 1, 0, (int)strlen(other), (int)h->other);
    }
}

/* ---- before drawing --------------------------------------------------------------------------------------------- */

/* What the layout follows from; all bytes are set, so that two can be compared. */
static void ask_layout(const struct ui *ui, struct layout_ask *ask)
{
    memset(ask, 0, sizeof *ask);
    ask->width = ui->width;
    ask->height = ui->height;
    ask->form = ui->form;
    ask->view = ui->view;
    ask->is_view_focused = ui->is_view_focused;
    ask->is_zoomed = pane_is_zoomed(ui);
    ask->has_baseline = ui->has_baseline && !(ui->aside && ui->height < 30);
    ask->is_single = ui->options.present;
    ask->is_alone = ui->options.slow || (ui->aside && ui->width < 100);
    ask->is_halved = lesson_is_halved(ui);
    ask->has_waterfall = ask->is_halved && lesson_has_waterfall(ui);
    ask->bar = ui->aside && !ask->is_halved ? lesson_rows(ui) : 0;
    ask->is_serving = ui->now->is_serving;
    ask->is_rl = ui->now->plan.value[PARAM_plan_workload] == WORKLOAD_RL;
    ask->has_message = ui->message[0] || overlays[ui->mode]->message;
    for (int i = 0; i < PANE_FORMS; i++) {
        ask->fields[i] = ui->field_count[i];
        ask->brief[i] = form_brief((enum pane_id)i, ui->now->is_serving);
    }
    for (int i = PANE_FORMS; i < PANE_COUNT; i++)
        ask->wish[i] = panes[i]->wish(ui);
}

/* In haste panes stay where they are, although what they show may have another height. True when they have moved. */
static bool update_layout(struct ui *ui)
{
    struct layout_ask ask, kept;
    ask_layout(ui, &ask);
    kept = ask;
    memcpy(kept.wish, ui->asked.wish, sizeof kept.wish);
    if (memcmp(ui->is_hurried ? &kept : &ask, &ui->asked, sizeof kept) == 0)
        return false;
    ui->asked = ask;
    layout_of(&ask, &ui->layout);
    return true;
}

static void update_panes(struct ui *ui)
{
    for (int i = 0; i < ui->layout.slots; i++) {
        enum pane_id pane = ui->layout.slot[i].pane;
        bool is_later = ui->is_hurried && pane == PANE_SCHEDULE && !pane_has_focus(ui, pane);
        if (pane >= PANE_FORMS && panes[pane]->update && !is_later)
            panes[pane]->update(ui);
    }
}

void ui_update(struct ui *ui)
{
    for (int i = PANE_FORMS; i < PANE_COUNT; i++)
        ui->at[i].row = row_within(ui->at[i].row, panes[i]->rows(ui));
    update_layout(ui);
    lesson_marks_update(ui);
    update_panes(ui);
    if (update_layout(ui)) /* what was worked out has more rows */
        update_panes(ui);
    if (!ui->is_hurried)
        effect_of_steps(ui);
    if (ui->width >= RESULT_RANGE_WIDTH && ui->range.generation != ui->generation) {
        ui->range.generation = ui->generation;
        result_range(ui->shown, ui->range.text);
        const char *text = ui->range.text, *why = strstr(text, " (");
        int ends = why ? (int)(why - text) : (int)strlen(text);
        snprintf(ui->range.runs, sizeof ui->range.runs, "%.*s in 8 of 10 runs%s%s%s|%.*s in 8 of 10|%.*s", ends, text,
                 text + ends, why ? "|" : "", why ? text : "", ends, text, ends, text);
    }
    if (overlays[ui->mode]->update)
        overlays[ui->mode]->update(ui);
}

/* ---- what has changed ------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * 0x100000001b3u; /* FNV-1a */
    return hash;
}

#define MIX(hash, value) mix(hash, &(value), sizeof(value))

static uint64_t layout_signature(const struct ui *ui)
{
    uint64_t hash = MIX(0xcbf29ce484222325u, ui->width);
    hash = MIX(hash, ui->height);
    hash = MIX(hash, ui->has_baseline);
    for (int i = 0; i < ui->layout.slots; i++)
        hash = MIX(hash, ui->layout.slot[i]);
    return hash | 1;
}

/* What every steady view shows of the state, beside the selection in it, its focus and its own members. */
static const struct pane_member shown_by_all[] = {
    PANE_MEMBER(generation), PANE_MEMBER(limits.generation), PANE_MEMBER(range.generation),
    PANE_MEMBER(has_baseline), PANE_MEMBER(baseline_number),
    PANE_MEMBER(baseline_generation), PANE_MEMBER(options.present), PANE_MEMBER(marks.found_for),
    PANE_MEMBER(settings.units), PANE_MEMBER(view), PANE_MEMBER(stage), PANE_MEMBER(rank), {0}};

static uint64_t mix_members(uint64_t hash, const struct ui *ui, const struct pane_member *member)
{
    for (; member && member->size > 0; member++)
        hash = mix(hash, (const char *)ui + member->at, member->size);
    return hash;
}

/*
 * Gaps between bars, on a line known to be fast, as they cost bytes, and not between tall bars. Where they may be drawn
 * from now on all panes are drawn anew; where they may not any more, each when it shows something else.
 */
static bool has_gaps(const struct ui *ui)
{
    return ui->utf8 && ui->theme.look[ROLE_TRACK].bg256 >= 0 && ui->can_gap && !ui->options.present;
}

/* All that the steady panes show follows from this. */
static uint64_t pane_signature(const struct ui *ui, enum pane_id pane)
{
    const bool flags[] = {pane_has_focus(ui, pane), theme_has_bars(&ui->theme), ui->shown != ui->now,
                          pane == PANE_GRID && ui->shown->grid.world == 1 && room_is_known(ui)};
    uint64_t hash = MIX(0xcbf29ce484222325u, flags);
    hash = mix_members(hash, ui, shown_by_all);
    hash = mix_members(hash, ui, panes[pane]->members);
    hash = MIX(hash, ui->at[pane]);
    return hash | 1;
}

/* ---- everything ------------------------------------------------------------------------------------------------- */

/* In haste what takes long stays as it is; on a slow line all views do but the one in use. */
static bool is_left_for_later(const struct ui *ui, enum pane_id pane)
{
    bool has_forms = ui->layout.results.x > 0;
    bool is_old = pane == PANE_SCHEDULE && ui->schedule.gantt.generation != ui->generation;
    bool is_other_view = ui->is_line_slow && has_forms && pane >= PANE_FORMS && !pane_has_focus(ui, pane);
    bool is_extra = pane >= PANE_FORMS && panes[pane]->is_extra && !pane_has_focus(ui, pane) && has_forms &&
                    pane_is_beside(ui);
    return ui->is_hurried && (is_extra || is_old || is_other_view);
}

/* Whether a pane is drawn in this frame: not when it shows what it would show again. */
static bool is_due(const struct ui *ui, const struct canvas *canvas, enum pane_id pane)
{
    /* drawn once, when it is known */
    bool is_unfinished = canvas->note[pane + 1] && pane != ui->view && advisor_owes(ui, pane);
    bool is_blank = canvas->note[0] == 0; /* nothing stays where nothing is */
    if (is_unfinished || (!is_blank && is_left_for_later(ui, pane)))
        return false;
    return pane < PANE_FORMS || !panes[pane]->is_steady || canvas->note[pane + 1] != pane_signature(ui, pane);
}

/* Blanks what is drawn anew. */
static void blank_due(const struct ui *ui, struct canvas *canvas, bool is_light)
{
    const struct layout *l = &ui->layout;
    canvas_blank(canvas, (struct rect){0, 0, canvas->width, l->body.y});
    canvas_blank(canvas, (struct rect){0, l->body.y, l->results.x - 2, l->body.height}); /* the line beside it stays */
    for (int i = 0; i < l->slots; i++) {
        struct rect r = l->slot[i].rect;
        if (is_due(ui, canvas, l->slot[i].pane))
            canvas_blank(canvas, r);
    }
    if (is_light)
        return;
    canvas_blank(canvas, l->bar);
    canvas_blank(canvas, (struct rect){0, l->body.y + l->body.height, canvas->width, canvas->height});
}

static void draw_body(const struct ui *ui, struct canvas *canvas)
{
    header_draw(ui, canvas);
    if (ui->layout.is_halved)
        lesson_draw(ui, canvas);
    for (int i = 0; i < ui->layout.slots; i++) {
        enum pane_id pane = ui->layout.slot[i].pane;
        if (!is_due(ui, canvas, pane))
            continue;
        draw_slot(ui, canvas, &ui->layout.slot[i]);
        canvas->note[pane + 1] = pane < PANE_FORMS ? 0 : pane_signature(ui, pane);
    }
    if (overlays[ui->mode]->draw)
        draw_overlay(ui, canvas, overlays[ui->mode]);
}

/* A question that the figures would answer. */
static void draw_question(const struct ui *ui, struct canvas *canvas)
{
    canvas_clear(canvas);
    canvas->note[0] = 0;
    lesson_draw(ui, canvas);
    if (overlays[ui->mode]->draw)
        draw_overlay(ui, canvas, overlays[ui->mode]);
    draw_message(ui, canvas);
    draw_hints(ui, canvas);
}

static void draw_in_place(const struct ui *ui, struct canvas *canvas)
{
    canvas_clear(canvas);
    canvas->note[0] = 0;
    if (overlays[ui->mode]->draw_whole)
        overlays[ui->mode]->draw_whole(ui, canvas);
    draw_hints(ui, canvas);
}

static void draw_small(const struct ui *ui, struct canvas *canvas)
{
    canvas_clear(canvas);
    small_draw(ui, canvas);
    if (overlays[ui->mode]->draw)
        draw_overlay(ui, canvas, overlays[ui->mode]);
    draw_message(ui, canvas);
    draw_hints(ui, canvas);
}

_Static_assert((int)PANE_COUNT < (int)CANVAS_NOTES, "a note for each pane and one for the layout");

void ui_draw(const struct ui *ui, struct canvas *canvas)
{
    bool had_gaps = canvas->has_gaps;
    canvas->ascii = !ui->utf8;
    canvas->has_gaps = has_gaps(ui);
    canvas->is_coarse = ui->utf8 && !theme_has_bars(&ui->theme);
    if (ui->layout.is_tiny) {
        canvas_clear(canvas);
        header_draw_tiny(ui, canvas);
        return;
    }
    if (overlays[ui->mode]->draw_whole || (ui->is_dark && is_lecture(ui))) {
        draw_in_place(ui, canvas);
        return;
    }
    if (lesson_is_hidden(ui)) {
        draw_question(ui, canvas);
        return;
    }
    if (ui->layout.is_small) {
        draw_small(ui, canvas);
        return;
    }
    bool is_covered = overlays[ui->mode]->draw, gains_gaps = canvas->has_gaps && !had_gaps;
    bool is_new = is_covered || gains_gaps || canvas->note[0] != layout_signature(ui);
    bool is_light = ui->is_hurried && ui->layout.message.height > 0 && !is_new;
    if (is_new)
        canvas_clear(canvas);
    else
        blank_due(ui, canvas, is_light);
    draw_body(ui, canvas);
    canvas->note[0] = is_covered ? 0 : layout_signature(ui);
    if (is_light)
        return;
    if (ui->layout.bar.height > 0 && !ui->layout.is_halved)
        lesson_draw(ui, canvas);
    if (ui->layout.message.height > 0)
        draw_message(ui, canvas);
    if (ui->layout.hint.height > 0)
        draw_hints(ui, canvas);
}
