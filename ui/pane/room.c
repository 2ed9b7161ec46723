/* The largest sequence, micro-batch, batch and number of layers that fit, each with the rest as it is. */
#include "ui/pane/room.h"

#include "core/show/figure.h"
#include "ui/state/advisor.h"
#include "ui/term/canvas.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH_MOST = 54, ROOMY = 50 /* from here on columns are wide */ };

bool room_is_known(const struct ui *ui)
{
    return ui->advisor && ui->advisor->has_advice && ui->advisor->shown_advice.phase > ADVICE_ROOM;
}

/* "17,280", "none", "any" */
static void draw_value(struct canvas *canvas, int end, int y, enum role role, double value)
{
    canvas_right(canvas, end, y, isfinite(value) ? role : ROLE_MUTED,
                 isfinite(value) ? figure(FIGURE_EXACT, value).text : isnan(value) ? "none" : "any");
}

void room_draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    static const char *const heads[] = {"now", "fits", "tight"};
    if (!room_is_known(ui))
        return;
    const struct advice *advice = &ui->advisor->shown_advice;
    width = width > WIDTH_MOST ? WIDTH_MOST : width;
    int column = width < ROOMY ? 8 : 11;
    for (int i = 0; i < 3; i++)
        canvas_right(canvas, width - (2 - i) * column, 0, ROLE_MUTED, heads[i]);
    for (int i = 0; i < advice->rooms && i + 1 < height; i++) {
        const struct room *room = &advice->room[i];
        char name[64];
        form_name(room->key, name);
        canvas_fit(canvas, 2, i + 1, width - 3 * column - 2, ROLE_TEXT, name);
        draw_value(canvas, width - 2 * column, i + 1, ROLE_MUTED, room->now);
        draw_value(canvas, width - column, i + 1, room->fits < room->now ? ROLE_BAD : ROLE_STRONG, room->fits);
        draw_value(canvas, width, i + 1, ROLE_TEXT, fmax(room->tight, room->fits));
    }
}
