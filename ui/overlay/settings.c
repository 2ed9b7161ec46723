/* The settings and the map of keys, as their file has them: to read, or to copy into it. */
#include "ui/command/browse.h"
#include "ui/command/keymap.h"
#include "ui/overlay/overlay.h"

#include <stdio.h>
#include <string.h>

#define KEY(key, id) {MODE_SETTINGS, key, ACTION_##id}
static const struct binding own_keys[] = {
    KEY(KEY_ARROW_UP, up), KEY('k', up), KEY(KEY_ARROW_DOWN, down), KEY('j', down), KEY(KEY_PAGE_UP, page_up),
    KEY(KEY_PAGE_DOWN, page_down), KEY('g', top), KEY(KEY_TO_HOME, top), KEY('G', bottom), KEY(KEY_TO_END, bottom),
    KEY('y', copy), KEY('q', cancel), KEY(KEY_RETURN, cancel), KEY(KEY_ESCAPE, cancel), KEY('?', help),
    KEY(KEY_CTRL('C'), cancel), KEY(KEY_CTRL('L'), redraw), KEY(KEY_CTRL('Z'), suspend),
    {0},
};

static const struct hint own_hints[] = {
    {MODE_SETTINGS, ACTION_down, ACTION_up, "scroll", 0},
    {MODE_SETTINGS, ACTION_copy, ACTION_NONE, "copy", 0},
    {MODE_SETTINGS, ACTION_help, ACTION_NONE, "search keys", 0},
    {MODE_SETTINGS, ACTION_cancel, ACTION_NONE, "back", 0},
    {0},
};

void settings_open(struct ui *ui)
{
    char *text = ui->host->settings_text ? ui->host->settings_text(ui->host->context, &ui->settings) : NULL;
    if (!text) {
        ui_say(ui, ROLE_BAD, "keys: no memory left for the list");
        return;
    }
    text_show(ui, text);
    const char *keys = strstr(text, "\nkeys:");
    for (const char *p = text; keys && p <= keys; p++)
        text_move(ui, *p == '\n');
    ui->mode = MODE_SETTINGS;
}

static void title(const struct ui *ui, char text[OVERLAY_TITLE_MAX], char remark[OVERLAY_REMARK_MAX])
{
    snprintf(text, OVERLAY_TITLE_MAX, "Settings and keys, as settings.yaml has them");
    snprintf(remark, OVERLAY_REMARK_MAX, "%d lines  q back", ui->exported.lines);
}

static void move(struct ui *ui, int dx, int dy)
{
    (void)dx;
    text_move(ui, dy);
}

const struct overlay overlay_settings = {
    .keys = own_keys, .hints = own_hints, .title = title, .draw = text_draw, .move = move, .page = browse_page,
    .copy = text_copy,
};
