/* Everything that can be done, with its keys: type to search, Enter does it. */
#include "ui/browse.h"
#include "ui/keymap.h"
#include "ui/overlay/overlay.h"
#include "ui/table.h"

#include <stdio.h>
#include <string.h>

#define KEY(key, id) {MODE_HELP, key, ACTION_##id}
static const struct binding own_keys[] = {
    KEY(KEY_RETURN, accept), KEY(KEY_ARROW_UP, up), KEY(KEY_ARROW_DOWN, down), KEY(KEY_PAGE_UP, page_up),
    KEY(KEY_PAGE_DOWN, page_down), KEY(KEY_ESCAPE, cancel), KEY(KEY_CTRL('C'), cancel), KEY(KEY_F1, cancel),
    KEY(KEY_CTRL('L'), redraw), KEY(KEY_CTRL('Z'), suspend),
    {0},
};

static const struct hint own_hints[] = {
    {MODE_HELP, ACTION_accept, ACTION_NONE, "run", 0},
    {MODE_HELP, ACTION_down, ACTION_up, "select", 0},
    {MODE_HELP, ACTION_cancel, ACTION_NONE, "back", 0},
    {0},
};

/* Actions that are listed and whose name, key or help contain what is typed; returns how many. */
static int find_matches(const struct ui *ui, enum action out[ACTION_COUNT])
{
    const char *text = ui->edit.text;
    int count = 0;
    for (int i = 1; i < ACTION_accept; i++) {
        char names[64];
        if (keymap_keys(MODE_BROWSE, (enum action)i, 4, names, sizeof names) == 0)
            continue;
        if (strcasestr(actions[i].help, text) || strcasestr(actions[i].name, text) || strcasestr(names, text))
            out[count++] = (enum action)i;
    }
    return count;
}

void action_help(struct ui *ui)
{
    overlay_open(ui, MODE_HELP, "", false);
    ui->help_row = 0;
}

static void title(const struct ui *ui, char text[OVERLAY_TITLE_MAX], char remark[OVERLAY_REMARK_MAX])
{
    snprintf(text, OVERLAY_TITLE_MAX, "Help, find: %.60s", ui->edit.text);
    snprintf(remark, OVERLAY_REMARK_MAX, "Esc back");
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    enum action found[ACTION_COUNT];
    int count = find_matches(ui, found);
    int selected = row_within(ui->help_row, count), top = page_top(selected, count, height);
    for (int i = 0; i < height && top + i < count; i++) {
        char names[64];
        keymap_keys(MODE_BROWSE, found[top + i], 3, names, sizeof names);
        canvas_fit(canvas, 0, i, 12, ROLE_KEY, names);
        canvas_fit(canvas, 13, i, width - 13, ROLE_TEXT, actions[found[top + i]].help);
        if (top + i == selected)
            canvas_paint(canvas, 0, i, 12, ROLE_FOCUS, 0);
    }
    if (count == 0)
        canvas_text(canvas, 0, 0, ROLE_TEXT, "nothing has this name; BS removes a character");
}

static void move(struct ui *ui, int dx, int dy)
{
    enum action found[ACTION_COUNT];
    (void)dx;
    ui->help_row = row_within(ui->help_row + dy, find_matches(ui, found));
}

static void accept(struct ui *ui)
{
    enum action found[ACTION_COUNT];
    int count = find_matches(ui, found);
    ui->mode = MODE_BROWSE;
    if (count > 0)
        actions[found[row_within(ui->help_row, count)]].run(ui);
}

/* A q leaves as long as nothing is typed. */
static bool type(struct ui *ui, int key, bool is_pasted)
{
    if (key == 'q' && ui->edit.length == 0 && !is_pasted) {
        ui->mode = MODE_BROWSE;
        return true;
    }
    if (!edit_key(&ui->edit, key))
        return false;
    ui->help_row = 0;
    return true;
}

const struct overlay overlay_help = {
    .keys = own_keys, .hints = own_hints, .title = title, .draw = draw, .move = move, .page = browse_page, .accept = accept,
    .type = type,
};
