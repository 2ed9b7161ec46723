/* Draws the whole screen from the state: header, figures, panes, overlays, message and hints. */
#include "core/base.h"
#include "core/plan/param.h"
#include "ui/state/advisor.h"
#include "ui/state/effect.h"
#include "ui/command/keymap.h"
#include "ui/pane/lesson_marks.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/pane.h"
#include "ui/state/result.h"
#include "ui/pane/small.h"
#include "ui/widget/table.h"
#include "ui/widget/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t line_glyph(const struct ui *ui)
{
    return ui->utf8 ? 0x2502 : '|';
}

/* ---- header ----------------------------------------------------------------------------------------------------- */

/* "tp8 cp1 pp4 ep1 dp2"; groups of one are left out where there is no room, the last ones first. */
static void say_layout(const struct plan *p, int room, char *out, size_t size)
{
    static const struct {
        enum param id;
        const char *name;
        bool is_kept; /* also when it is 1 */
    } axes[] = {{PARAM_parallel_tp, "tp", true}, {PARAM_parallel_cp, "cp", true}, {PARAM_parallel_pp, "pp", true},
                {PARAM_parallel_vpp, "vpp", false}, {PARAM_parallel_ep, "ep", true}, {PARAM_parallel_dp, "dp", true}};
    for (int kept = LENGTH(axes); kept >= 0; kept--) {
        size_t used = 0;
        out[0] = '\0';
        for (size_t i = 0; i < LENGTH(axes) && used < size; i++) {
            double value = p->value[axes[i].id];
            if (value != 1 || (axes[i].is_kept && (int)i < kept))
                used += (size_t)snprintf(out + used, size - used, isnan(value) ? "%s%s?" : "%s%s%.0f", used ? " " : "",
                                         axes[i].name, value);
        }
        if ((int)used <= room)
            return;
    }
}

/* "STALE INVALID tp: works 1 2 4 8 16": the first fault, and what would do where that is known. */
static void say_fault(const struct ui *ui, int room, char *out, size_t size)
{
    const struct diag *error = ui_first_error(ui);
    const struct hints *h = effect_hints(ui);
    const char *stale = ui->shown != ui->now ? "STALE " : "";
    int used = snprintf(out, size, "%sINVALID %s", stale, param_rows[error->param].key);
    if (!h || (int)h->field != (int)error->param || h->valid_count == 0 || h->valid_count == VALID_MAX)
        return;
    char list[128] = ": works";
    int length = (int)strlen(list);
    for (int i = 0; i < h->valid_count && length + 16 < (int)sizeof list; i++) {
        char text[FIELD_TEXT_MAX];
        param_number(h->field, h->valid[i], text);
        length += snprintf(list + length, sizeof list - (size_t)length, " %.12s", text);
    }
    if (used + length <= room && (size_t)used < size)
        snprintf(out + used, size - (size_t)used, "%s", list);
}

/* FITS, TIGHT or NO, and how much; STALE and what is wrong while the plan has errors. Returns where it begins. */
static int draw_verdict(const struct ui *ui, struct canvas *canvas, int width)
{
    char text[VERDICT_MAX + 128];
    enum role role = verdict_role(result_verdict(ui->shown, text));
    if (ui_first_error(ui)) {
        say_fault(ui, width - 45, text, sizeof text);
        role = ROLE_BAD;
    }
    int at = width - (int)strlen(text);
    at = at < 0 ? 0 : at;
    bool is_selected = ui->mode == MODE_FIGURES && ui->figure == RESULT_HEADROOM;
    int end = canvas_text(canvas, at, 0, is_selected ? ROLE_FOCUS : role, text);
    canvas_link(canvas, at, 0, end - at, LINK_FIGURES + RESULT_HEADROOM);
    return at;
}

/* What the figures below are of: while the plan has errors the last one that had none. */
static void draw_header(const struct ui *ui, struct canvas *canvas)
{
    struct rect r = ui->layout.header;
    char layout[96], text[512];
    const struct plan *p = &ui->shown->plan;
    canvas_clip(canvas, r);
    int end = draw_verdict(ui, canvas, r.width);
    const char *name = p->text[TEXT_MODEL][0] ? p->text[TEXT_MODEL] : "(no model)";
    const char *gpu = p->gpu.name[0] ? p->gpu.name : "GPU";
    const char *guess = p->from[PARAM_hardware_gpu] <= FROM_ASSUMED ? "?" : ""; /* nobody named it */
    int used = snprintf(text, sizeof text, "%s%s  %d x %s%s  ", name, ui_is_modified(ui) ? " [+]" : "",
                        ui->shown->grid.world, gpu, guess);
    say_layout(p, end - 1 - used, layout, sizeof layout);
    snprintf(text + used, sizeof text - (size_t)used, "%s", layout);
    bool is_roomy = end > text_width(text) + 10;
    int x = is_roomy ? canvas_text(canvas, 0, 0, ROLE_TITLE, "shardtop") + 2 : 0;
    x = canvas_fit(canvas, x, 0, end - x - 1, ROLE_TITLE, text);
    const char *slash = strrchr(ui->path, '/'), *file = ui->path;
    if (slash && x + 12 + text_width(file) >= end)
        file = slash + 1;
    if (ui->path[0] && r.width >= NAMES_WIDTH && x + 12 + text_width(file) < end)
        x = canvas_format(canvas, x + 3, 0, ROLE_DIM, "file: %s", file);
}

/* At 1x1 the first letter of the verdict is left. */
static void draw_tiny(const struct ui *ui, struct canvas *canvas)
{
    char text[VERDICT_MAX];
    enum role role = verdict_role(result_verdict(ui->shown, text));
    const struct diag *error = ui_first_error(ui);
    canvas_clip(canvas, ui->layout.header);
    canvas_text(canvas, 0, 0, error ? ROLE_BAD : role, error ? ui->shown != ui->now ? "STALE" : "INVALID" : text);
}

/* ---- the line of figures and the differences below it ------------------------------------------------------------ */

/* The range of the iteration; blank while it is not known, so that what follows stays where it is. */
static void say_iteration_range(const struct ui *ui, int width, char out[RESULT_RANGE_MAX])
{
    bool is_known = ui->range.generation == ui->generation;
    snprintf(out, RESULT_RANGE_MAX, "%s", width < RESULT_RANGE_WIDTH ? "" : ui->range.text);
    if (!is_known)
        memset(out, ' ', strlen(out));
}

/* Calls `draw` for every figure that fits in the width, with its column; returns the column after the last. */
static int each_figure(const struct ui *ui, struct canvas *canvas, int width,
                       void (*draw)(const struct ui *, struct canvas *, int x, enum result_id id, const char *text))
{
    char range[RESULT_RANGE_MAX];
    int x = 0;
    say_iteration_range(ui, width, range);
    for (int i = 0; i < RESULT_COUNT; i++) {
        char text[RESULT_LINE_MAX];
        if (!result_in_line((enum result_id)i, ui->shown, width))
            continue;
        result_line((enum result_id)i, ui->shown, width, range, text);
        if (x > 0 && x + text_width(text) > width)
            continue;
        if (x > 0)
            canvas_text(canvas, x - 2, 0, ROLE_DIM, "|");
        draw(ui, canvas, x, (enum result_id)i, text);
        x += text_width(text) + 3;
    }
    return x > 0 ? x - 3 : 0;
}

/* "2 open" at the right of the figures, "2?" where there is less room; a click lists the questions. */
static void draw_open(const struct ui *ui, struct canvas *canvas, int from, int width)
{
    char text[24];
    int count = messages_open(ui), gap = 1;
    if (count == 0)
        return;
    snprintf(text, sizeof text, "%d open", count);
    if (from + gap + text_width(text) > width)
        snprintf(text, sizeof text, "%d?", count);
    if (from + gap + text_width(text) > width)
        return;
    canvas_right(canvas, width, 0, ROLE_WARN, text);
    canvas_link(canvas, width - text_width(text), 0, text_width(text), (int)ACTION_messages);
}

static void draw_figure(const struct ui *ui, struct canvas *canvas, int x, enum result_id id, const char *text)
{
    bool is_selected = (ui->mode == MODE_FIGURES && ui->figure == (int)id) || lesson_marks_figure(ui, (int)id);
    canvas_text(canvas, x, 0, is_selected ? ROLE_FOCUS : ui->shown != ui->now ? ROLE_DIM : ROLE_TEXT, text);
    canvas_link(canvas, x, 0, text_width(text), LINK_FIGURES + (int)id);
}

static void draw_difference(const struct ui *ui, struct canvas *canvas, int x, enum result_id id, const char *text)
{
    const struct result *row = result_row(id, ui->shown);
    double delta = result_delta(id, ui->baseline, ui->shown);
    struct figure change = units_delta(row->kind, delta);
    bool is_same = change.text[0] == '=' || change.text[0] == '?';
    enum role role = is_same || !row->better ? ROLE_TEXT : (delta > 0) == (row->better > 0) ? ROLE_GOOD : ROLE_BAD;
    int end = x + text_width(text);
    if (x == 0)
        x = canvas_format(canvas, 0, 0, ROLE_TEXT, "vs b%d ", ui->baseline_number);
    int after = canvas_text(canvas, x, 0, role, units_within(change, end - x).text);
    bool has_unit = row->kind == FIGURE_GIB && !is_same && after + 1 + text_width(units_name()) <= end;
    canvas_text(canvas, after + 1, 0, role, has_unit ? units_name() : "");
}

/* ---- panes ------------------------------------------------------------------------------------------------------ */

static bool has_tab(const struct ui *ui, int id)
{
    return id == (int)ui->view || !panes[id]->is_hidden_in_serving || !ui->shown->is_serving;
}

/* The names of the views in one row. */
struct tabs {
    enum { TAB_TITLE, TAB_SHORT, TAB_TIGHT } size[PANE_COUNT]; /* "1 Memory", "1 Mem", "1Mem" */
    int width; /* with the brackets around them */
};

static void say_tab(const struct ui *ui, const struct tabs *tabs, int id, char out[32])
{
    const struct pane *pane = panes[id];
    bool is_curve = id == PANE_TIME && ui->shown->is_serving, is_brief = tabs->size[id] != TAB_TITLE;
    const char *name = is_curve ? is_brief ? "Serve" : "Serving" : is_brief ? pane->tab : pane->title;
    snprintf(out, 32, tabs->size[id] == TAB_TIGHT ? "%c%s" : "%c %s", view_rows[id].key, name);
}

static void measure_tabs(const struct ui *ui, struct tabs *tabs)
{
    tabs->width = 1;
    for (int i = PANE_FORMS; i < PANE_VIEWS_END; i++) {
        char tab[32];
        say_tab(ui, tabs, i, tab);
        tabs->width += has_tab(ui, i) ? text_width(tab) + 1 : 0;
    }
}

/* The title that is shortened by most, the last of those; -1 where none is left. */
static int longest_title(const struct ui *ui, const struct tabs *tabs)
{
    size_t most = 0;
    int longest = -1;
    for (int i = PANE_FORMS; i < PANE_VIEWS_END; i++) {
        size_t saved = strlen(panes[i]->title) - strlen(panes[i]->tab);
        if (!has_tab(ui, i) || tabs->size[i] != TAB_TITLE || saved == 0 || saved < most)
            continue;
        most = saved;
        longest = i;
    }
    return longest;
}

/* Titles as long as they fit, then the longest ones short, then all of them short and tight. */
static void choose_tabs(const struct ui *ui, int width, struct tabs *tabs)
{
    int longest;
    memset(tabs, 0, sizeof *tabs);
    for (measure_tabs(ui, tabs); tabs->width > width; measure_tabs(ui, tabs)) {
        longest = longest_title(ui, tabs);
        if (longest < 0)
            break;
        tabs->size[longest] = TAB_SHORT;
    }
    if (tabs->width <= width)
        return;
    for (int i = 0; i < PANE_COUNT; i++)
        tabs->size[i] = TAB_TIGHT;
    measure_tabs(ui, tabs);
}

/* The views by key, the one shown in brackets: "[1Mem]2Comm 3Grid". */
static void draw_tabs(const struct ui *ui, struct canvas *canvas, int width)
{
    int x = 0;
    bool was_shown = false;
    struct tabs tabs;
    choose_tabs(ui, width, &tabs);
    for (int i = PANE_FORMS; i < PANE_VIEWS_END; i++) {
        char tab[32];
        bool is_shown = i == (int)ui->view;
        int from = x;
        say_tab(ui, &tabs, i, tab);
        if (!has_tab(ui, i))
            continue;
        if (x + 2 + text_width(tab) > width)
            break;
        canvas_text(canvas, x, 0, ROLE_TITLE, is_shown ? "[" : was_shown ? "]" : " ");
        x = canvas_text(canvas, x + 1, 0, is_shown ? ROLE_TITLE : ROLE_DIM, tab);
        canvas_link(canvas, from, 0, x - from, (int)view_rows[i].action);
        was_shown = is_shown;
    }
    canvas_text(canvas, x, 0, ROLE_TITLE, was_shown ? "]" : " ");
    char subtitle[SUBTITLE_MAX];
    panes[ui->view]->subtitle(ui, subtitle);
    if (!overlays[ui->mode]->draw && x + 3 + text_width(subtitle) <= width) /* which is about the view below */
        canvas_right(canvas, width, 0, ROLE_DIM, subtitle);
}

/* A heading as far as it has room: cut between what it says, if there is such a place, and then without a mark. */
static void draw_words(struct canvas *canvas, int x, int y, int width, const char *text)
{
    static const char *const breaks[] = {"  ", "; ", ", ", " ("};
    char part[SUBTITLE_MAX];
    int end = 0;
    snprintf(part, sizeof part, "%s", text);
    for (size_t i = 0; text_width(text) > width && i < LENGTH(breaks); i++)
        for (const char *at = text; (at = strstr(at, breaks[i])) && at - text <= width; at++)
            end = at - text > end ? (int)(at - text) : end;
    if (end > 0)
        part[end] = '\0';
    canvas_fit(canvas, x, y, width, ROLE_DIM, part);
}

static void draw_view_title(const struct ui *ui, struct canvas *canvas, enum pane_id id, int width)
{
    char subtitle[SUBTITLE_MAX], text[64];
    bool is_focused = pane_has_focus(ui, id);
    int key = view_rows[id].key;
    snprintf(text, sizeof text, key ? "%c %s" : "%c%s", key ? key : ' ', panes[id]->title);
    int x = canvas_format(canvas, 0, 0, ROLE_TITLE, "%s%s%s", is_focused ? "[" : "", text, is_focused ? "]" : "");
    panes[id]->subtitle(ui, subtitle);
    draw_words(canvas, x + 2, 0, width - x - 2, subtitle);
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

bool pane_has_tabs(const struct ui *ui)
{
    return views_shown(&ui->layout) == 1;
}

/* Whether the title row is that of all views, with no room for the words of this one, which then have the next row. */
static bool has_row_of_words(const struct ui *ui, enum pane_id pane, const struct rect *r)
{
    enum { LEAST_ROWS = 14 };
    char subtitle[SUBTITLE_MAX];
    if (!panes[pane]->keeps_subtitle || r->height < LEAST_ROWS || pane_is_beside(ui))
        return false;
    panes[pane]->subtitle(ui, subtitle);
    int width = r->width + (r->x > 0); /* as draw_titles() */
    struct tabs tabs;
    choose_tabs(ui, width, &tabs);
    return tabs.width + 2 + text_width(subtitle) > width;
}

struct rect pane_inside(const struct ui *ui, enum pane_id pane)
{
    struct rect r = layout_find(&ui->layout, pane);
    return r.height > 0 ? rect_below(r, 1 + has_row_of_words(ui, pane, &r)) : r;
}

static void draw_titles(const struct ui *ui, struct canvas *canvas, const struct slot *slot)
{
    struct rect r = slot->rect;
    int before = r.x > 0; /* the blank column before the pane is theirs too: all tabs have room at 80 columns */
    if (pane_is_beside(ui)) {
        draw_view_title(ui, canvas, slot->pane, r.width);
        return;
    }
    if (has_row_of_words(ui, slot->pane, &r)) {
        char subtitle[SUBTITLE_MAX];
        panes[slot->pane]->subtitle(ui, subtitle);
        draw_words(canvas, 0, 1, r.width, subtitle);
    }
    canvas_clip(canvas, (struct rect){r.x - before, r.y, r.width + before, 1});
    draw_tabs(ui, canvas, r.width + before);
}

static void draw_slot(const struct ui *ui, struct canvas *canvas, const struct slot *slot)
{
    struct rect r = slot->rect;
    for (int y = 0; y < r.height && r.x > 0; y++) {
        canvas_clip(canvas, (struct rect){r.x - 2, r.y, 1, r.height});
        canvas_repeat(canvas, 0, y, ROLE_TEXT, line_glyph(ui), 1);
    }
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

/* It covers the results, or a corner of them, with a title of its own. */
static void draw_overlay(const struct ui *ui, struct canvas *canvas, const struct overlay *overlay)
{
    char title[OVERLAY_TITLE_MAX], remark[OVERLAY_REMARK_MAX];
    struct rect r = overlay_rect(ui);
    overlay->title(ui, title, remark);
    canvas_blank(canvas, r);
    canvas_clip(canvas, r);
    canvas_fit(canvas, 0, 0, r.width - (int)strlen(remark) - 1, ROLE_TITLE, title);
    canvas_right(canvas, r.width, 0, ROLE_DIM, remark);
    r = rect_below(r, 1);
    canvas_clip(canvas, r);
    overlay->draw(ui, canvas, r.width, r.height);
}

/* ---- message and hints ------------------------------------------------------------------------------------------ */

static bool is_current(const struct ui *ui, double value)
{
    double now = ui->now->plan.value[ui_field(ui)];
    return value == now;
}

/* ": 1 2 <4> 8": the values that raise no error. */
static void say_valid(const struct ui *ui, char *out, size_t size)
{
    const struct hints *h = effect_hints(ui);
    size_t used = 0;
    bool has_now = false;
    out[0] = '\0';
    for (int i = 0; h && i < h->valid_count; i++)
        has_now |= is_current(ui, h->valid[i]);
    if (!h || h->valid_count == 0 || (!has_now && h->valid_count == VALID_MAX))
        return;
    used = (size_t)snprintf(out, size, ":");
    for (int i = 0; i < h->valid_count && used + 16 < size; i++) {
        char text[FIELD_TEXT_MAX];
        param_number(h->field, h->valid[i], text);
        used += (size_t)snprintf(out + used, size - used, is_current(ui, h->valid[i]) ? " <%s>" : " %s", text);
    }
    if (h->valid_count == VALID_MAX && used + 5 < size)
        snprintf(out + used, size - used, " ...");
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
    enum param id = ui_field(ui);
    const struct diag *finding = ui_finding(ui, id), *error = ui_first_error(ui);
    char valid[256];
    int width = r.width;
    if (error && !(finding && finding->level == DIAG_ERROR))
        finding = error;
    if (finding)
        return draw_finding(ui, canvas, r, finding);
    int x = canvas_text(canvas, 0, 0, ROLE_TEXT, param_rows[id].key); /* plain: attributes cost bytes on every move */
    x = canvas_fit(canvas, x + 2, 0, width - x - 2, ROLE_TEXT, param_rows[id].help);
    valid[0] = '\0';
    if (!ui->layout.is_small) /* there they have a line of their own */
        say_valid(ui, valid, sizeof valid);
    x = canvas_fit(canvas, x, 0, width - x, ROLE_TEXT, valid);
    if (!valid[0] && *param_rows[id].more && x + 2 + text_width(param_rows[id].more) <= width)
        canvas_text(canvas, canvas_text(canvas, x, 0, ROLE_TEXT, ". "), 0, ROLE_DIM, param_rows[id].more);
    return 1;
}

/* The steps of the field from column `x` on. */
static void draw_steps_at(const struct ui *ui, struct canvas *canvas, int x, int y, int width)
{
    char down[160], up[160];
    const struct hints *h = effect_hints(ui);
    int half = (width - x) / 2;
    bool is_switch = param_rows[h->field].type == TYPE_BOOL && h->up.exists; /* both steps go the same way */
    effect_text(ui, &h->down, "-", half - 1, down, sizeof down);
    effect_text(ui, &h->up, is_switch ? "+ -" : "+", is_switch ? width - x : width - x - half, up, sizeof up);
    if (!is_switch)
        canvas_fit(canvas, x, y, half - 1, ROLE_TEXT, down);
    canvas_fit(canvas, is_switch ? x : x + half, y, is_switch ? width - x : width - x - half, ROLE_TEXT, up);
}

/* What the steps of the field give; over the page of another value its name stands before them. */
static void draw_steps(const struct ui *ui, struct canvas *canvas, int y, int width)
{
    const struct hints *h = effect_hints(ui);
    bool is_elsewhere = ui->mode == MODE_EXPLAIN && param_find(ui->page[ui->depth - 1].path) != (int)ui_field(ui);
    if (!h || (!h->down.exists && !h->up.exists))
        return;
    int x = is_elsewhere ? canvas_format(canvas, 0, y, ROLE_DIM, "%s ", param_rows[h->field].key) : 0;
    draw_steps_at(ui, canvas, x, y, width);
}

static void draw_message(const struct ui *ui, struct canvas *canvas)
{
    const struct overlay *overlay = overlays[ui->mode];
    struct rect r = ui->layout.message;
    canvas_clip(canvas, r);
    int drawn = overlay->message ? overlay->message(ui, canvas, r.width, r.height) : 0;
    if (drawn == 0 && ui->message[0])
        drawn = draw_rows(canvas, r, ui->message_role, ui->message);
    else if (drawn == 0 && !draw_row_help(ui, canvas, r))
        drawn = draw_field_help(ui, canvas, r);
    if (drawn < 2 && r.height > 1 && !ui->is_view_focused && !ui->layout.is_small)
        draw_steps(ui, canvas, 1, r.width);
    if (ui->mode == MODE_BROWSE || ui->mode == MODE_EXPLAIN) /* whose keys 6 and 8 are */
        advisor_draw(ui, canvas, ui->is_view_focused ? r.height - 1 : 0, r.width);
}

enum { PRESENT_HINTS = 6 /* that an audience has before it */ };

/* Those of the view that has the focus come first; returns the column after them. */
static int draw_view_hints(const struct ui *ui, struct canvas *canvas, int width, int gap, int *drawn)
{
    int x = 0;
    const struct view_key *own = ui->mode == MODE_BROWSE ? pane_own_keys(ui) : NULL;
    for (int i = 0; own && own[i].key; i++) {
        char name[KEY_NAME_MAX];
        int from = x;
        key_name(own[i].key, name);
        if (!own[i].hint || x + (int)strlen(name) + 1 + (int)strlen(own[i].hint) > width)
            continue;
        if (ui->options.present && (*drawn)++ == PRESENT_HINTS)
            break;
        x = canvas_text(canvas, x, 0, ROLE_KEY, name) + 1;
        x = canvas_text(canvas, x, 0, ROLE_DIM, own[i].hint) + gap;
        canvas_link(canvas, from, 0, x - gap - from, LINK_KEYS + i);
    }
    return x;
}

/* Enter edits a field; in a view it opens what is selected, or takes a plan that stands there. */
static const char *hint_text(const struct ui *ui, const struct hint *hint)
{
    bool is_enter = hint->mode == MODE_BROWSE && hint->action == ACTION_edit && ui->is_view_focused;
    return !is_enter ? hint->text : panes[ui->view]->choices ? "take" : "open"; /* as long as "edit" */
}

static void draw_hints(const struct ui *ui, struct canvas *canvas)
{
    struct rect r = ui->layout.hint;
    const struct hint *h;
    int drawn = 0;
    int gap = layout_shape(ui->width, ui->height).hint_gap;
    canvas_clip(canvas, r);
    for (int i = 0, x = draw_view_hints(ui, canvas, r.width, gap, &drawn); (h = hint_at(ui->mode, i)); i++) {
        char keys[KEY_NAME_MAX * 2 + 4], other[KEY_NAME_MAX];
        if (h->mode != ui->mode || r.width < h->least_width)
            continue;
        if (ui->options.present && drawn++ >= PRESENT_HINTS)
            return;
        if (keymap_keys(&ui->settings.bindings, h->mode, h->action, 1, keys, KEY_NAME_MAX) == 0)
            continue;
        if (h->other != ACTION_NONE) {
            keymap_keys(&ui->settings.bindings, h->mode, h->other, 1, other, sizeof other);
            snprintf(keys + strlen(keys), KEY_NAME_MAX + 4, "/%s", other);
        }
        if (x + (int)strlen(keys) + 1 + (int)strlen(h->text) > r.width)
            return;
        int from = x;
        x = canvas_text(canvas, x, 0, ROLE_KEY, keys) + 1;
        x = canvas_text(canvas, x, 0, ROLE_DIM, hint_text(ui, h)) + gap;
        canvas_link(canvas, from, 0, x - gap - from, (int)h->action);
        if (h->other != ACTION_NONE)
            canvas_link(canvas, from + (int)strcspn(keys, "/") + 1, 0, (int)strlen(other), (int)h->other);
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
    ask->is_zoomed = ui_is_zoomed(ui);
    ask->has_baseline = ui->has_baseline && !(ui->aside && ui->height < 30);
    ask->is_single = ui->options.present;
    ask->is_alone = ui->options.slow || (ui->aside && ui->width < 100);
    ask->bar = ui->aside ? lesson_rows(ui) : 0;
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
    if (!ui->is_hurried && ui->width >= RESULT_RANGE_WIDTH && ui->range.generation != ui->generation) {
        ui->range.generation = ui->generation;
        result_range(ui->shown, ui->range.text);
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
    PANE_MEMBER(generation), PANE_MEMBER(limits.generation), PANE_MEMBER(has_baseline), PANE_MEMBER(baseline_number),
    PANE_MEMBER(baseline_generation), PANE_MEMBER(options.present), PANE_MEMBER(marks.found_for),
    PANE_MEMBER(settings.units), PANE_MEMBER(view), PANE_MEMBER(stage), PANE_MEMBER(rank), {0}};

static uint64_t mix_members(uint64_t hash, const struct ui *ui, const struct pane_member *member)
{
    for (; member && member->size > 0; member++)
        hash = mix(hash, (const char *)ui + member->at, member->size);
    return hash;
}

/* All that the steady panes show follows from this. */
static uint64_t pane_signature(const struct ui *ui, enum pane_id pane)
{
    const bool flags[] = {pane_has_focus(ui, pane), theme_has_bars(&ui->theme), ui->shown != ui->now};
    uint64_t hash = MIX(0xcbf29ce484222325u, flags);
    hash = mix_members(hash, ui, shown_by_all);
    hash = mix_members(hash, ui, panes[pane]->members);
    hash = MIX(hash, ui->at[pane]);
    if (pane == PANE_WHY) { /* it is about what is selected in the view */
        hash = mix_members(hash, ui, panes[ui->view]->members);
        hash = MIX(hash, ui->at[ui->view]);
        hash = MIX(hash, ui->is_view_focused);
    }
    return hash | 1;
}

/* ---- everything ------------------------------------------------------------------------------------------------- */

/* In haste what takes long stays as it is; on a slow line all views do but the one in use. */
static bool is_left_for_later(const struct ui *ui, enum pane_id pane)
{
    bool has_forms = ui->layout.results.x > 0;
    bool is_old = pane == PANE_SCHEDULE && ui->schedule.gantt.generation != ui->generation;
    bool is_other_view = ui->is_line_slow && has_forms && pane >= PANE_FORMS && !pane_has_focus(ui, pane);
    bool is_extra = pane == PANE_WHY || pane == PANE_HISTORY ||
                    (!ui->is_view_focused && (pane == PANE_WHATIF || pane == PANE_TUNER));
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
    draw_header(ui, canvas);
    canvas_clip(canvas, ui->layout.figures);
    draw_open(ui, canvas, each_figure(ui, canvas, ui->width, draw_figure), ui->width);
    canvas_clip(canvas, ui->layout.delta);
    if (ui->layout.delta.height > 0)
        each_figure(ui, canvas, ui->width, draw_difference);
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

_Static_assert((int)PANE_COUNT < (int)CANVAS_NOTES, "a note for each pane and one for the layout");

void ui_draw(const struct ui *ui, struct canvas *canvas)
{
    canvas->ascii = !ui->utf8;
    if (ui->layout.is_tiny) {
        canvas_clear(canvas);
        draw_tiny(ui, canvas);
        return;
    }
    if (lesson_is_hidden(ui)) {
        draw_question(ui, canvas);
        return;
    }
    if (ui->layout.is_small) {
        canvas_clear(canvas);
        small_draw(ui, canvas);
        if (overlays[ui->mode]->draw)
            draw_overlay(ui, canvas, overlays[ui->mode]);
        draw_message(ui, canvas);
        draw_hints(ui, canvas);
        return;
    }
    bool is_covered = overlays[ui->mode]->draw, is_new = is_covered || canvas->note[0] != layout_signature(ui);
    bool is_light = ui->is_hurried && ui->layout.message.height > 0 && !is_new;
    if (is_new)
        canvas_clear(canvas);
    else
        blank_due(ui, canvas, is_light);
    draw_body(ui, canvas);
    canvas->note[0] = is_covered ? 0 : layout_signature(ui);
    if (is_light)
        return;
    if (ui->layout.bar.height > 0)
        lesson_draw(ui, canvas);
    if (ui->layout.message.height > 0)
        draw_message(ui, canvas);
    if (ui->layout.hint.height > 0)
        draw_hints(ui, canvas);
}
