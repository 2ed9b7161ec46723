/* The screen without a terminal: keys in, lines of text out. */
#include "ui/action.h"
#include "ui/advisor.h"
#include "ui/pane/pane.h"
#include "ui/ui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void play(void *context, int key)
{
    struct ui *ui = context;
    if (ui->is_done)
        return;
    ui_update(ui);
    advisor_finish(ui);
    ui_key(ui, key);
}

/* The escape sequence of a role with 256 colours. */
static int paint(const struct theme *theme, int role, unsigned mark, char *out, size_t size)
{
    const struct look *look = &theme->look[role];
    char fg[16] = "", bg[16] = "";
    if (look->fg256 >= 0)
        snprintf(fg, sizeof fg, ";38;5;%d", look->fg256);
    if (look->bg256 >= 0)
        snprintf(bg, sizeof bg, ";48;5;%d", look->bg256);
    bool reverse = look->reverse != ((mark & CELL_INVERSE) != 0);
    return snprintf(out, size, "\033[0%s%s%s%s%s%s", look->bold || mark & CELL_STRONG ? ";1" : "",
                    look->dim ? ";2" : "",
                    look->underline || mark & CELL_UNDER ? ";4" : "", reverse ? ";7" : "", fg, bg);
}

/* One row with its colours; a new sequence only where the look changes. */
static void colored_line(const struct ui *ui, const struct canvas *canvas, int y, char *out, size_t size)
{
    size_t used = 0;
    int role = -1, mark = 0;
    for (int x = 0; x < canvas->width && used + 64 < size; x++) {
        const struct cell *cell = &canvas->cells[(size_t)y * (size_t)canvas->width + (size_t)x];
        if (cell->glyph == 0)
            continue;
        if (cell->role != role || cell->mark != mark) {
            used += (size_t)paint(&ui->theme, cell->role, cell->mark, out + used, size - used);
            out[used++] = 'm';
            role = cell->role;
            mark = cell->mark;
        }
        used += (size_t)utf8_put(cell->glyph, out + used);
    }
    snprintf(out + used, size - used, "\033[0m");
}

static int print_lines(struct ui *ui, struct canvas *canvas, void (*line)(void *, const char *), void *context)
{
    size_t size = (size_t)canvas->width * 48 + 64;
    char *text = malloc(size);
    if (!text)
        return -1;
    for (int y = 0; y < canvas->height; y++) {
        if (ui->options.always_color)
            colored_line(ui, canvas, y, text, size);
        else
            canvas_line(canvas, y, text, size);
        line(context, text);
    }
    free(text);
    return 0;
}

int ui_screen(const struct ui_host *host, const struct ui_options *options,
              void (*line)(void *context, const char *text),
              void *context)
{
    struct canvas canvas = {0};
    struct ui *ui = ui_create(host, options, options->width, options->height);
    const char *script = options->keys ? options->keys : "";
    int status = 3;
    if (!ui || canvas_resize(&canvas, options->width, options->height) != 0)
        goto done;
    while (!ui->is_done && key_script_next(&script, play, ui))
        ;
    ui_update(ui);
    advisor_finish(ui);
    ui_update(ui);
    ui_draw(ui, &canvas);
    status = print_lines(ui, &canvas, line, context) == 0 ? ui->status : 3;
done:
    canvas_free(&canvas);
    ui_free(ui);
    return status;
}
