/* A field being searched for, by name or meaning. */
#include "core/plan/param.h"
#include "ui/overlay/overlay.h"
#include "ui/overlay/prompt.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* 3: the key itself, 2: it begins so, 1: in key or help; 0: no match. */
static int match(enum param id, const char *text)
{
    const struct param_row *row = &param_rows[id];
    if (strcasecmp(row->key, text) == 0 || strcasecmp(row->dotted, text) == 0)
        return 3;
    if (strncasecmp(row->key, text, strlen(text)) == 0)
        return 2;
    return strcasestr(row->dotted, text) || strcasestr(row->help, text);
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

static void search_again(struct ui *ui, int direction, const char *text)
{
    if (!*text)
        ui_say(ui, ROLE_DIM, "nothing was searched for; / searches");
    else if (!search(ui, text, direction))
        ui_say(ui, ROLE_WARN, "no field matches '%.60s'", text);
}

/* What is being typed, or what was searched for last. */
static const char *searched_text(const struct ui *ui)
{
    return ui->mode == MODE_SEARCH ? ui->edit.text : ui->last_search;
}

void action_search_next(struct ui *ui) { search_again(ui, 1, searched_text(ui)); }
void action_search_previous(struct ui *ui) { search_again(ui, -1, searched_text(ui)); }

/* ---- the prompt --------------------------------------------------------------------------------------------------- */

void action_search(struct ui *ui)
{
    ui->searched_from = ui_field(ui);
    overlay_open(ui, MODE_SEARCH, "", false);
}

static void accept(struct ui *ui)
{
    const char *text = ui->edit.text;
    ui->mode = MODE_BROWSE;
    if (!*text)
        return;
    snprintf(ui->last_search, sizeof ui->last_search, "%.60s", text);
    if (!search(ui, text, 0))
        ui_say(ui, ROLE_WARN, "no field matches '%.60s'", text);
}

static void back(struct ui *ui)
{
    ui_select(ui, ui->searched_from);
    ui->mode = MODE_BROWSE;
}

/* The best match is selected while one types. */
static bool type(struct ui *ui, int key, bool is_pasted)
{
    (void)is_pasted;
    if (!edit_key(&ui->edit, key))
        return false;
    search(ui, ui->edit.text, 0);
    return true;
}

static int message(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    char hint[UI_MESSAGE_MAX];
    (void)height;
    snprintf(hint, sizeof hint, "%s  %s", param_rows[ui_field(ui)].dotted, param_rows[ui_field(ui)].help);
    return prompt_draw(ui, canvas, width, "/", hint);
}

const struct overlay overlay_search = {.message = message, .accept = accept, .back = back, .type = type};
