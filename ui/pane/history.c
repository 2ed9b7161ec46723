/* The history of the session: each state of the plan, how it came about and what it comes to; beside others only. */
#include "core/show/figure.h"
#include "ui/pane/pane.h"
#include "ui/widget/table.h"

#include <stdio.h>

enum { NUMBER = 4, TIME = 9, MEMORY = 7 }; /* columns */

static void draw_entry(const struct ui *ui, struct canvas *canvas, int y, int width, int index)
{
    const struct history_entry *entry = history_at(&ui->history, index);
    enum role role = index == ui->history.now ? ROLE_TITLE : index > ui->history.now ? ROLE_MUTED : ROLE_TEXT;
    char number[16];
    snprintf(number, sizeof number, "%d", index + 1);
    canvas_right(canvas, NUMBER - 1, y, role, number);
    canvas_fit(canvas, NUMBER, y, width - NUMBER - TIME - MEMORY - 1, role, entry->label);
    canvas_right(canvas, width - MEMORY, y, role, figure(FIGURE_SECONDS, entry->iteration_s).text);
    canvas_right(canvas, width, y, role, units_figure(FIGURE_GIB, entry->peak_bytes).text);
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    int top = page_top(ui->history.now, ui->history.count, height);
    for (int i = 0; i < height && top + i < ui->history.count; i++)
        draw_entry(ui, canvas, i, width, top + i);
}

static int rows_of(const struct ui *ui)
{
    (void)ui;
    return 0;
}

static int wish(const struct ui *ui)
{
    return ui->history.count + 1;
}

static void subtitle(const struct ui *ui, char out[SUBTITLE_MAX])
{
    (void)ui;
    snprintf(out, SUBTITLE_MAX, "u goes back, ^R on; time and %s of each", units_name());
}

const struct pane pane_history = {
    .is_steady = true, .title = "History", .wish = wish, .rows = rows_of,
    .subtitle = subtitle, .draw = draw,
};
