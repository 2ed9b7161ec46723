#include "ui/term/paint_order.h"

#include "core/base.h"
#include "ui/overlay/overlay.h"

/* What takes the keys: an overlay, the only field of a small screen, or a pane. */
static struct rect part_in_use(const struct ui *ui)
{
    if (overlays[ui->mode]->draw)
        return overlay_rect(ui);
    return ui->layout.is_small ? ui->layout.field : layout_find(&ui->layout, ui->is_view_focused ? ui->view : ui->form);
}

/* The row of a cell in the pane, overlay or line that it belongs to. */
static struct rect row_of(const struct ui *ui, struct rect used, int x, int y)
{
    const struct rect lines[] = {used, ui->layout.message, ui->layout.header, ui->layout.figures};
    struct rect r = ui->layout.results;
    for (int i = 0; i < ui->layout.slots; i++)
        r = rect_has(ui->layout.slot[i].rect, x, y) ? ui->layout.slot[i].rect : r;
    for (size_t i = LENGTH(lines); i-- > 0;)
        r = rect_has(lines[i], x, y) ? lines[i] : r;
    return (struct rect){r.x, y, r.width, 1};
}

/* Appends a part that is on the screen. */
static void add(struct rect parts[ORDER_MAX], int *count, struct rect part)
{
    if (part.height > 0)
        parts[(*count)++] = part;
}

void order_parts(const struct ui *ui, const struct canvas *canvas, struct rect parts[ORDER_MAX])
{
    enum { ABOVE = 4 /* rows before the selection that say something of it */ };
    const struct layout *l = &ui->layout;
    const struct rect used = part_in_use(ui), view = layout_find(l, ui->view);
    const struct rect title = {used.x > 0 ? used.x - 1 : 0, used.y, used.width + (used.x > 0), used.height > 0};
    int x, y, count = 0;
    canvas_selected(canvas, &x, &y);
    add(parts, &count, row_of(ui, used, x, y));
    add(parts, &count, l->header);
    add(parts, &count, l->figures);
    add(parts, &count, title); /* with the bracket before it */
    if (rect_has(used, x, y) && !overlays[ui->mode]->draw) { /* which is read from its title on */
        add(parts, &count, rect_below(used, y - used.y));
        add(parts, &count, rect_below(used, y - used.y > ABOVE ? y - used.y - ABOVE : 0));
    }
    add(parts, &count, used);
    add(parts, &count, l->message);
    add(parts, &count, view);
    parts[count] = (struct rect){0};
}
