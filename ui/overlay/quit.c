/* The question whether to leave without saving. */
#include "ui/command.h"
#include "ui/keymap.h"
#include "ui/overlay/overlay.h"

#define KEY(key, id) {MODE_QUIT, key, ACTION_##id}
static const struct binding own_keys[] = {
    KEY('y', quit), KEY('q', quit), KEY('s', accept), KEY('n', cancel), KEY(KEY_ESCAPE, cancel),
    KEY(KEY_CTRL('C'), interrupt), KEY(KEY_CTRL('L'), redraw), KEY(KEY_CTRL('Z'), suspend),
    {0},
};

static const struct hint own_hints[] = {
    {MODE_QUIT, ACTION_quit, ACTION_NONE, "leave without saving", 0},
    {MODE_QUIT, ACTION_accept, ACTION_NONE, "save", 0},
    {MODE_QUIT, ACTION_cancel, ACTION_NONE, "stay", 0},
    {0},
};

/* Asks where something is not saved; leaves when it was asked before. */
void action_quit(struct ui *ui)
{
    bool is_asked = ui->mode == MODE_QUIT || !ui_is_modified(ui);
    ui->is_done = is_asked;
    ui->mode = is_asked ? MODE_BROWSE : MODE_QUIT;
}

/* Saves first; a plan without a file gets the name of one typed. */
static void accept(struct ui *ui)
{
    if (!ui->path[0]) {
        overlay_open(ui, MODE_COMMAND, "wq ", false);
        return;
    }
    ui->mode = MODE_BROWSE;
    command_run(ui, "wq");
}

static int message(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    (void)ui;
    (void)height;
    canvas_fit(canvas, 0, 0, width, ROLE_WARN,
               "The plan has changes that are not saved. y leaves, s saves first, n stays.");
    return 1;
}

const struct overlay overlay_quit = {.keys = own_keys, .hints = own_hints, .message = message, .accept = accept};
