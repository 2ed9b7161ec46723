#include "ui/overlay/prompt.h"

#include "ui/command.h"
#include "ui/overlay/overlay.h"

#include <stdio.h>

int prompt_draw(const struct ui *ui, struct canvas *canvas, int width, const char *mark, const char *hint)
{
    int x = canvas_text(canvas, 0, 0, ROLE_KEY, mark), cursor;
    const char *text = edit_scrolled(&ui->edit, width - x, &cursor);
    canvas_text(canvas, x, 0, ROLE_TEXT, text);
    canvas_paint(canvas, x + cursor, 0, 1, ROLE_TEXT, CELL_INVERSE);
    if (ui->message[0])
        canvas_fit(canvas, 0, 1, width, ui->message_role, ui->message);
    else
        canvas_fit(canvas, 0, 1, width, ROLE_DIM, hint);
    return 2;
}

/* ---- the command line --------------------------------------------------------------------------------------------- */

void action_command(struct ui *ui)
{
    overlay_open(ui, MODE_COMMAND, "", false);
}

static void accept(struct ui *ui)
{
    char line[EDIT_MAX];
    snprintf(line, sizeof line, "%s", ui->edit.text);
    ui->mode = MODE_BROWSE;
    command_run(ui, line);
}

/* Removing what is not there leaves. */
static bool type(struct ui *ui, int key, bool is_pasted)
{
    (void)is_pasted;
    if (key == KEY_RUBOUT && ui->edit.length == 0) {
        ui->mode = MODE_BROWSE;
        return true;
    }
    return edit_key(&ui->edit, key);
}

static int message(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    char hint[UI_MESSAGE_MAX];
    (void)height;
    command_hint(ui, hint, sizeof hint);
    return prompt_draw(ui, canvas, width, ":", hint);
}

const struct overlay overlay_command = {
    .message = message, .accept = accept, .complete = command_complete, .type = type,
};
