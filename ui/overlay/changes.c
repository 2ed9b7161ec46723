/* What differs between the plan and another one, below the question that asked for it: that question stays. */
#include "core/plan/param.h"
#include "ui/command/browse.h"
#include "ui/command/keymap.h"
#include "ui/overlay/overlay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY(key, id) {MODE_CHANGES, key, ACTION_##id}
static const struct binding own_keys[] = {
    KEY(KEY_ARROW_UP, up), KEY('k', up), KEY(KEY_ARROW_DOWN, down), KEY('j', down), KEY(KEY_PAGE_UP, page_up),
    KEY(KEY_PAGE_DOWN, page_down), KEY(KEY_TO_HOME, top), KEY(KEY_TO_END, bottom), KEY('d', cancel),
    KEY(KEY_CTRL('L'), redraw), KEY(KEY_CTRL('Z'), suspend),
    {0},
};

static const struct hint own_hints[] = {
    {MODE_CHANGES, ACTION_down, ACTION_up, "scroll", 0},
    {MODE_CHANGES, ACTION_cancel, ACTION_NONE, "hide the list", 0},
    {0},
};

enum { NAME_WIDTH = 26, LINE_WIDTH = NAME_WIDTH + 2 * FIELD_TEXT_MAX + 16 };

/* "tp                        8 -> 4", a line for each key that differs. */
static char *list(const struct ui *ui, const struct plan *before, const struct plan *now)
{
    char *text = malloc((size_t)PARAM_COUNT * LINE_WIDTH + 1), *at = text;
    if (text)
        *text = '\0';
    for (int id = 0; id < PARAM_COUNT && text; id++) {
        char old[FIELD_TEXT_MAX], new[FIELD_TEXT_MAX];
        bool is_answer = ui_is_answer(ui, before, now, (enum param)id);
        if (param_equal(before, now, (enum param)id) && !is_answer)
            continue;
        ui_values(before, now, (enum param)id, old, new);
        at += snprintf(at, LINE_WIDTH, "%-*.*s %s -> %s\n", NAME_WIDTH, NAME_WIDTH, param_rows[id].key, old, new);
    }
    return text;
}

void changes_open(struct ui *ui, const struct plan *before, const struct plan *now, const char *what)
{
    char *text = list(ui, before, now);
    if (!text)
        return;
    text_show(ui, text);
    snprintf(ui->changes.what, sizeof ui->changes.what, "%s", what);
    ui->changes.asked = ui->mode;
    ui->mode = MODE_CHANGES;
}

static void title(const struct ui *ui, char text[OVERLAY_TITLE_MAX], char remark[OVERLAY_REMARK_MAX])
{
    snprintf(text, OVERLAY_TITLE_MAX, "%s", ui->changes.what);
    snprintf(remark, OVERLAY_REMARK_MAX, "%d change%s  d back", ui->exported.lines,
             ui->exported.lines == 1 ? "" : "s");
}

static void move(struct ui *ui, int dx, int dy)
{
    (void)dx;
    text_move(ui, dy);
}

static void back(struct ui *ui)
{
    ui->mode = ui->changes.asked;
}

/* Every key that does not scroll answers the question; one that is no answer leaves the list as it is. */
static bool type(struct ui *ui, int key, bool is_pasted)
{
    if (is_pasted)
        return false;
    enum mode asked = ui->mode = ui->changes.asked;
    ui_key(ui, key);
    if (ui->mode == asked)
        ui->mode = MODE_CHANGES;
    return true;
}

static int message(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    const struct overlay *asked = overlays[ui->changes.asked];
    return asked->message ? asked->message(ui, canvas, width, height) : 0;
}

const struct overlay overlay_changes = {
    .keys = own_keys, .hints = own_hints, .title = title, .draw = text_draw, .move = move, .page = browse_page,
    .back = back, .type = type, .message = message, .copy = text_copy,
};
