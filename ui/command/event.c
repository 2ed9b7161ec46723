/* Applies what the user does: keys go to what lies over the panes, or to the panes. */
#include "core/base.h"
#include "core/plan/param.h"
#include "ui/command/action.h"
#include "ui/command/browse.h"
#include "ui/command/command.h"
#include "ui/state/effect.h"
#include "ui/command/keymap.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/pane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct overlay *top(const struct ui *ui)
{
    return overlays[ui->mode];
}

/* ---- moving, taking and leaving --------------------------------------------------------------------------------- */

static void move(struct ui *ui, int dx, int dy)
{
    if (top(ui)->move)
        top(ui)->move(ui, dx, dy);
}

static void move_page(struct ui *ui, int direction)
{
    if (top(ui)->page)
        move(ui, 0, direction * top(ui)->page(ui));
}

static void do_up(struct ui *ui) { move(ui, 0, -1); }
static void do_down(struct ui *ui) { move(ui, 0, 1); }
static void do_left(struct ui *ui) { move(ui, -1, 0); }
static void do_right(struct ui *ui) { move(ui, 1, 0); }
static void do_page_up(struct ui *ui) { move_page(ui, -1); }
static void do_page_down(struct ui *ui) { move_page(ui, 1); }
static void do_top(struct ui *ui) { move(ui, 0, -100000); }
static void do_bottom(struct ui *ui) { move(ui, 0, 100000); }

static void do_accept(struct ui *ui)
{
    if (top(ui)->accept)
        top(ui)->accept(ui);
}

static void do_complete(struct ui *ui)
{
    if (top(ui)->complete)
        top(ui)->complete(ui);
}

static void do_cancel(struct ui *ui)
{
    if (top(ui)->back)
        top(ui)->back(ui);
    else
        ui->mode = MODE_BROWSE;
}

/* ---- files, clipboard, terminal --------------------------------------------------------------------------------- */

static void do_save(struct ui *ui)
{
    if (ui->path[0] || ui->aside)
        command_run(ui, "save");
    else
        overlay_open(ui, MODE_COMMAND, "save ", false);
}

static void do_copy(struct ui *ui)
{
    if (!ui->copy)
        ui->copy = malloc(COPY_MAX);
    if (!ui->copy || !top(ui)->copy)
        return;
    size_t n = top(ui)->copy(ui, ui->copy, COPY_MAX);
    ui->request |= REQUEST_COPY;
    ui_say(ui, ROLE_TEXT, "%zu bytes sent to the terminal's clipboard (OSC 52); if yours refuses, x writes a file", n);
}

/* What a lecture needs; the theme that was there comes back. */
static void do_present(struct ui *ui)
{
    char why[UI_MESSAGE_MAX];
    ui->options.present = !ui->options.present;
    ui_show_theme(ui, ui->options.present ? "projector" : ui_theme_choice(ui), why);
    ui->request |= REQUEST_REDRAW;
}

static void do_mouse(struct ui *ui)
{
    ui->has_mouse = !ui->has_mouse;
    ui->request |= REQUEST_MOUSE;
    ui_say(ui, ROLE_TEXT,
           ui->has_mouse ? "mouse on: click selects, the wheel steps; select text with Shift" : "mouse off");
}

static void do_redraw(struct ui *ui)
{
    ui->request |= REQUEST_REDRAW;
}

static void do_suspend(struct ui *ui)
{
    ui->request |= REQUEST_SUSPEND;
}

/* The second of two leaves, from anywhere: the first one closes what is open. */
static void do_interrupt(struct ui *ui)
{
    enum { AGAIN_MS = 1000 };
    bool is_first = ui->clock_ms > 0 && (ui->interrupted_ms == 0 || ui->clock_ms - ui->interrupted_ms > AGAIN_MS);
    ui->interrupted_ms = ui->clock_ms;
    if (is_first) {
        ui_say(ui, ROLE_WARN, "^C again quits at once; unsaved changes are offered at the next start");
        return;
    }
    ui->is_done = true;
    ui->status = 130;
}

/* ---- keys ------------------------------------------------------------------------------------------------------- */

/* Text goes to the line editor where there is one. Returns false for other keys. */
static bool type(struct ui *ui, int key, bool is_pasted)
{
    if (!top(ui)->type || (!is_pasted && keymap_find(&ui->settings.bindings, ui->mode, key) != ACTION_NONE))
        return false;
    return top(ui)->type(ui, key, is_pasted);
}

/* Says once that a key does nothing; pressed again it is silent. */
static void say_unknown(struct ui *ui, int key)
{
    char name[KEY_NAME_MAX];
    if (key == ui->unknown_key)
        return;
    key_name(key, name);
    ui->unknown_key = key;
    if (key == KEY_UNKNOWN || !name[0])
        ui_say(ui, ROLE_MUTED, "unknown key; ? lists the keys");
    else
        ui_say(ui, ROLE_MUTED, "%s does nothing here; %s", name,
               ui->mode == MODE_BROWSE ? "? lists keys" : "Esc goes back");
}

/*
 * A message stands until the next key, a fault until one that does more than move; in a lecture until there is another
 * one.
 */
static bool keeps_message(const struct ui *ui, int key)
{
    enum action action = keymap_find(&ui->settings.bindings, ui->mode, key);
    bool is_grave = ui->message_role == ROLE_BAD || ui->message_role == ROLE_WARN;
    bool is_move = action >= ACTION_up && action <= ACTION_previous_pane;
    return action == ACTION_redraw || (is_grave && is_move && ui->mode == MODE_BROWSE) ||
           (ui->options.present && ui->mode == MODE_BROWSE && action != ACTION_NONE);
}

/* What a press means where it is: the screen is drawn once more to be asked. */
static int link_at(struct ui *ui, const struct event *event)
{
    struct canvas canvas = {.has_links = true};
    int link = LINK_NONE;
    if (event->button == MOUSE_LEFT && canvas_resize(&canvas, ui->width, ui->height) == 0) {
        ui_update(ui);
        ui_draw(ui, &canvas);
        link = canvas_link_at(&canvas, event->x, event->y);
    }
    canvas_free(&canvas);
    return link;
}

/* What does this action; NULL where it opens an overlay. */
static const struct action_handler *handler_of(enum action action)
{
    static const struct action_handler *const all[] = {
        baseline_handlers, browse_handlers, change_handlers, event_handlers,
        explain_handlers,  find_handlers,   lesson_handlers, value_handlers};
    for (size_t i = 0; i < LENGTH(all); i++)
        for (const struct action_handler *handler = all[i]; handler->action != ACTION_NONE; handler++)
            if (handler->action == action)
                return handler;
    return NULL;
}

void ui_do(struct ui *ui, enum action action)
{
    const struct action_handler *handler = handler_of(action);
    int view = view_of_action(action);
    if (view >= 0)
        browse_view(ui, (enum pane_id)view);
    else
        (handler ? handler->run : overlays[actions[action].opens]->open)(ui);
}

/* Where a button was pressed, and whether twice. */
static void remember_press(struct ui *ui, const struct event *event)
{
    enum { DOUBLE_MS = 400 };
    bool is_left = event->button == MOUSE_LEFT, is_same = event->x == ui->pressed.x && event->y == ui->pressed.y;
    ui->pressed.is_again = is_left && is_same && ui->clock_ms > 0 && ui->clock_ms - ui->pressed.ms < DOUBLE_MS;
    ui->pressed.x = event->x;
    ui->pressed.y = event->y;
    ui->pressed.ms = is_left && !ui->pressed.is_again ? ui->clock_ms : 0;
}

/* The wheel moves in what lies over the panes; a press selects a row, a second one takes it. */
static void point_at_overlay(struct ui *ui, const struct event *event)
{
    int row = ui->pressed.link - LINK_ROWS, *selected = top(ui)->row ? top(ui)->row(ui) : NULL;
    if (!top(ui)->draw && !top(ui)->draw_whole)
        return;
    if (event->button != MOUSE_LEFT) {
        move(ui, 0, event->button == MOUSE_WHEEL_UP ? -1 : 1);
    } else if (selected && row >= 0) {
        *selected = row;
        if (ui->pressed.is_again)
            do_accept(ui);
    }
}

/* A question waits for its answer: a press elsewhere does nothing. */
static bool is_beside_question(const struct ui *ui, int link)
{
    char keys[KEY_NAME_MAX];
    bool is_asked = ui->mode == MODE_QUIT || ui->mode == MODE_CHANGES ||
                    (ui->mode == MODE_QUESTION && ui->question.kind != QUESTION_OFFER);
    bool is_action = link > ACTION_NONE && link < ACTION_COUNT;
    return is_asked && link != LINK_NONE &&
           !(is_action && keymap_keys(&ui->settings.bindings, ui->mode, (enum action)link, 1, keys, sizeof keys) > 0);
}

static void point(struct ui *ui, const struct event *event)
{
    remember_press(ui, event);
    int link = ui->pressed.link = link_at(ui, event);
    if (is_beside_question(ui, link))
        return;
    bool is_place = link == LINK_NONE || link >= LINK_ROWS;
    if (is_place && top(ui)->mouse) {
        top(ui)->mouse(ui, event);
    } else if (is_place) {
        point_at_overlay(ui, event);
    } else if (link >= LINK_FIGURES) {
        ui->mode = MODE_FIGURES;
        ui->figure = link - LINK_FIGURES;
        ui_do(ui, ACTION_accept);
    } else if (link >= LINK_KEYS) {
        panes[ui->view]->keys[link - LINK_KEYS].run(ui);
    } else {
        ui_do(ui, (enum action)link);
    }
}

/* The meaning of a key in the view that has the focus, or NULL. */
static const struct view_key *view_key_of(const struct ui *ui, int key)
{
    const struct view_key *own = ui->mode == MODE_BROWSE ? pane_own_keys(ui) : NULL;
    for (; own && own->key; own++)
        if (own->key == key)
            return own;
    return NULL;
}

/* Pasted text begins the value of the selected field; the end of a line in it takes nothing. */
static void paste(struct ui *ui, int key)
{
    if (ui->mode != MODE_BROWSE || key < ' ')
        return;
    if (ui->is_view_focused) {
        ui_say(ui, ROLE_MUTED, "pasted text goes into a field: press Enter first");
        return;
    }
    ui_do(ui, ACTION_edit);
    type(ui, key, true);
}

/* A digit typed while a field is selected shows a view, if it is not the first of a number. */
static void remember_digit(struct ui *ui, int key)
{
    bool is_digit = key >= '0' && key <= '9' && ui->mode == MODE_BROWSE && !ui->is_view_focused;
    ui->number.ms = is_digit ? ui->clock_ms : 0;
    if (!is_digit)
        return;
    ui->number.view = ui->view;
    ui->number.is_zoomed = ui->is_zoomed;
    snprintf(ui->number.text, sizeof ui->number.text, "%c", key);
}

/* True where a value of the selected field, one that works where these are known, begins with what was typed. */
static bool begins_value(const struct ui *ui, const char *typed)
{
    enum param id = ui_field(ui);
    const struct hints *h = effect_hints(ui);
    if (!param_type(id)->is_number || strtod(typed, NULL) > param_rows[id].max)
        return false;
    bool is_free = !h || h->valid_count == 0 || h->valid_count == VALID_MAX;
    for (int i = 0; !is_free && i < h->valid_count; i++) {
        char value[32];
        snprintf(value, sizeof value, "%.15g", h->valid[i]);
        if (strncmp(value, typed, strlen(typed)) == 0)
            return true;
    }
    return is_free;
}

/* A number typed without Enter is no row of commands: the view is again what it was, and how to type it is said. */
static bool goes_on_number(struct ui *ui, int key)
{
    enum { TYPING_MS = 600 };
    char typed[sizeof ui->number.text];
    bool is_part = key > 0 && key < KEY_RUBOUT && strchr("0123456789.kMG", key);
    bool is_soon = ui->number.ms > 0 && ui->clock_ms - ui->number.ms < TYPING_MS;
    if (!is_part || !is_soon || (ui->mode != MODE_BROWSE && ui->mode != MODE_FIGURES))
        return false;
    snprintf(typed, sizeof typed, "%.14s%c", ui->number.text, key);
    if (!begins_value(ui, typed))
        return false;
    memcpy(ui->number.text, typed, sizeof typed);
    ui->mode = MODE_BROWSE;
    ui->view = ui->number.view;
    ui->is_zoomed = ui->number.is_zoomed;
    ui->is_view_focused = false;
    ui->number.ms = ui->clock_ms;
    ui_say(ui, ROLE_TEXT, "Enter first: Enter %s", ui->number.text);
    return true;
}

/* The terminal is light or dark from now on: a theme for each follows. */
static void take_ground(struct ui *ui, enum ground ground)
{
    bool is_projected = ui->options.present && strcmp(ui->theme.name, "projector") == 0;
    bool is_told = strncmp(ui->message, "theme ", 6) == 0;
    char name[THEME_NAME_MAX], why[UI_MESSAGE_MAX];
    ui->ground = ground;
    theme_chosen(ui_theme_choice(ui), ground, name);
    if (is_projected || strcmp(name, ui->theme.name) == 0 || ui_show_theme(ui, ui_theme_choice(ui), why) != 0)
        return;
    if (is_told)
        ui_say(ui, ROLE_TEXT, "theme %s: %s", ui->theme.name, ui->theme.about);
}

/* The desktop has changed: a terminal that has told its background is asked for it, as that may be its own. */
static void take_scheme(struct ui *ui, enum ground ground)
{
    if (ui->has_told_ground)
        ui->request |= REQUEST_GROUND;
    else
        take_ground(ui, ground);
}

/* Takes what a terminal says without a key; false for a key. */
static bool take_report(struct ui *ui, int key)
{
    switch (key) {
    case KEY_SYNC: ui->request |= REQUEST_SYNC; return true;
    case KEY_GROUND_LIGHT:
    case KEY_GROUND_DARK:
        ui->has_told_ground = true;
        take_ground(ui, key == KEY_GROUND_LIGHT ? GROUND_LIGHT : GROUND_DARK);
        return true;
    case KEY_SCHEME_LIGHT: take_scheme(ui, GROUND_LIGHT); return true;
    case KEY_SCHEME_DARK: take_scheme(ui, GROUND_DARK); return true;
    case KEY_FOCUS_IN:
    case KEY_FOCUS_OUT:
    case KEY_PASTE_START:
    case KEY_PASTE_END:
    case KEY_STATUS:
    case KEY_REPORT: return true;
    default: return false;
    }
}

/* Keys of views work over what lies over one, too, where they mean nothing else: their names stand above it. */
static enum action action_of(const struct ui *ui, int key)
{
    enum action action = keymap_find(&ui->settings.bindings, ui->mode, key);
    enum action view = top(ui)->draw ? keymap_find(&ui->settings.bindings, MODE_BROWSE, key) : ACTION_NONE;
    return action == ACTION_NONE && view_of_action(view) >= 0 ? view : action;
}

static void take_event(struct ui *ui, const struct event *event)
{
    int key = event->key;
    if (take_report(ui, key))
        return;
    if (key == KEY_MOUSE_EVENT && event->button == MOUSE_NONE)
        return; /* a release, motion, another button */
    if (!keeps_message(ui, key))
        ui->message[0] = '\0';
    if (key == KEY_MOUSE_EVENT) {
        point(ui, event);
        return;
    }
    if (type(ui, key, event->is_pasted))
        return;
    if (event->is_pasted) {
        paste(ui, key);
        return;
    }
    if (goes_on_number(ui, key))
        return;
    enum action action = action_of(ui, key);
    const struct view_key *own = view_key_of(ui, key);
    if (own) {
        own->run(ui);
        return;
    }
    if (action == ACTION_NONE) {
        say_unknown(ui, key);
        return;
    }
    ui->unknown_key = KEY_NONE;
    ui->interrupted_ms = key == KEY_CTRL('C') && action == ACTION_cancel ? ui->clock_ms : ui->interrupted_ms;
    remember_digit(ui, key);
    int view = view_of_action(action);
    if (view < 0 || !browse_again(ui, (enum pane_id)view))
        ui_do(ui, action);
}

void ui_event(struct ui *ui, const struct event *event)
{
    enum mode before = ui->mode;
    take_event(ui, event);
    if (ui->aside && ui->lesson.has_keys && ui->mode == MODE_BROWSE) /* what opened over a lesson closes to it */
        ui->mode = MODE_LESSON;
    if (ui->is_starting && ui->mode == MODE_BROWSE) { /* what opened over the start closes to it, unless it led on */
        ui->is_starting = keymap_find(&ui->settings.bindings, before, event->key) == ACTION_cancel;
        ui->mode = ui->is_starting ? MODE_START : MODE_BROWSE;
    }
    ui->is_dark &= event->key == '.'; /* any other key is for the figure */
    if (event->key == 'q' && before != MODE_BROWSE && before != MODE_QUIT && ui->mode != before)
        ui->closed_ms = ui->clock_ms; /* a letter of a text closes nothing */
}

void ui_key(struct ui *ui, int key)
{
    struct event event = {.key = key};
    ui_event(ui, &event);
}

const struct action_handler event_handlers[] = {
    {ACTION_up, do_up}, {ACTION_down, do_down}, {ACTION_left, do_left}, {ACTION_right, do_right},
    {ACTION_page_up, do_page_up}, {ACTION_page_down, do_page_down}, {ACTION_top, do_top}, {ACTION_bottom, do_bottom},
    {ACTION_accept, do_accept}, {ACTION_complete, do_complete}, {ACTION_cancel, do_cancel}, {ACTION_save, do_save},
    {ACTION_copy, do_copy}, {ACTION_present, do_present}, {ACTION_mouse, do_mouse}, {ACTION_redraw, do_redraw},
    {ACTION_suspend, do_suspend}, {ACTION_interrupt, do_interrupt}, {0},
};
