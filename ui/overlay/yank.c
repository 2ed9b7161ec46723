/* What y copies: the view as text, the screen as a picture, the plan as a command or as its values. */
#include "core/base.h"
#include "core/plan/param.h"
#include "ui/command/command.h"
#include "ui/command/keymap.h"
#include "ui/overlay/overlay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY(key, id) {MODE_YANK, key, ACTION_##id}
static const struct binding own_keys[] = {
    KEY(KEY_ESCAPE, cancel), KEY('q', cancel), KEY(KEY_CTRL('C'), cancel), KEY(KEY_CTRL('L'), redraw),
    KEY(KEY_CTRL('Z'), suspend),
    {0},
};

static const struct hint own_hints[] = {
    {MODE_YANK, ACTION_cancel, ACTION_NONE, "back", 0},
    {0},
};

/* ---- what is copied ---------------------------------------------------------------------------------------------- */

static void copy_text(struct ui *ui)
{
    ui_do(ui, ACTION_copy);
}

/* A picture is a file: beside this one if it has the name of the model already. */
static void copy_picture(struct ui *ui)
{
    char line[PLAN_TEXT_MAX + 16];
    const char *model = ui->plan.text[TEXT_MODEL];
    if (!ui->host->write) {
        ui_say(ui, ROLE_BAD, "pictures need the whole program");
        return;
    }
    snprintf(line, sizeof line, "shot %s.svg", *model && !strchr(model, '/') ? model : "shardtop");
    command_run(ui, line);
}

/* Each key that was set, between `before` and `behind` its name and value. */
static void copy_keys(struct ui *ui, const char *first, const char *before, const char *between, const char *behind)
{
    if (!ui->copy && !(ui->copy = malloc(COPY_MAX)))
        return;
    size_t used = (size_t)snprintf(ui->copy, COPY_MAX, "%s", first);
    for (int id = 0; id < PARAM_COUNT && used < COPY_MAX; id++) {
        char value[PARAM_TEXT_MAX];
        if (ui->plan.from[id] < FROM_FILE)
            continue;
        param_print(&ui->plan, (enum param)id, value, sizeof value);
        const char *quote = *behind != '\n' && strpbrk(value, " []*") ? "'" : "";
        used += (size_t)snprintf(ui->copy + used, COPY_MAX - used, "%s%s%s%s%s%s%s", before, quote,
                                 param_rows[id].dotted, between, value, quote, behind);
    }
    ui->request |= REQUEST_COPY;
    ui_say(ui, ROLE_TEXT, "copied to the terminal's clipboard: %.80s", ui->copy);
}

static void copy_command(struct ui *ui) { copy_keys(ui, "shardtop show", " --set ", "=", ""); }
static void copy_values(struct ui *ui) { copy_keys(ui, "", "", ": ", "\n"); }

static const struct {
    int key;
    const char *name;
    void (*run)(struct ui *ui);
} ways[] = {{'t', "text of this view", copy_text}, {'p', "picture of the screen, a file", copy_picture},
            {'c', "command line", copy_command}, {'v', "values of the plan", copy_values}};

/* ---- the overlay ------------------------------------------------------------------------------------------------- */

static void open(struct ui *ui)
{
    ui->mode = MODE_YANK;
}

/* A second y is text, as yy is a line in vi. */
static bool type(struct ui *ui, int key, bool is_pasted)
{
    for (size_t i = 0; i < LENGTH(ways) && !is_pasted; i++)
        if (key == ways[i].key || (key == 'y' && i == 0)) {
            ui->mode = MODE_BROWSE;
            ways[i].run(ui);
            return true;
        }
    return false;
}

static int message(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    enum { GAP = 3 };
    int x = canvas_text(canvas, 0, 0, ROLE_TITLE, "Copy") + GAP, y = 0;
    (void)ui;
    for (size_t i = 0; i < LENGTH(ways) && y < height; i++) {
        int need = text_width(ways[i].name) + 2;
        y += x + need > width;
        x = x + need > width ? 0 : x;
        x = canvas_format(canvas, x, y, ROLE_KEY, "%c", ways[i].key) + 1;
        x = canvas_text(canvas, x, y, ROLE_TEXT, ways[i].name) + GAP;
    }
    return 2;
}

const struct overlay overlay_yank = {
    .keys = own_keys, .hints = own_hints, .open = open, .message = message, .type = type,
};
