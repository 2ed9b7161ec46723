/* The communication view: what one GPU of a stage sends in one iteration. */
#include "core/base.h"
#include "core/show/columns.h"
#include "ui/pane/pane.h"
#include "ui/result.h"
#include "ui/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The rows of a stage that send something. */
struct traffic {
    struct comm comm[COMM_COUNT];
    int id[COMM_COUNT];
    int count;
};

static void read_traffic(const struct ui *ui, struct traffic *t)
{
    t->count = 0;
    if (!ui->shown->is_computed || ui->shown->is_serving)
        return;
    estimate_comm(ui->shown, ui_stage(ui), t->comm);
    for (int i = 0; i < COMM_COUNT; i++)
        if (t->comm[i].when != 0)
            t->id[t->count++] = i;
}

#define TRAFFIC(context, row) (&((const struct traffic *)(context))->comm[((const struct traffic *)(context))->id[row]])
#define TRAFFIC_ROW(context, row) (&comm_rows[((const struct traffic *)(context))->id[row]])

static void say_dim(const void *t, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", comm_dim_text((enum comm_id)((const struct traffic *)t)->id[row]));
}

/* all_reduce reads better as all-reduce. */
static void say_op(const void *t, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", comm_op_names[TRAFFIC_ROW(t, row)->op]);
    for (char *p = out; *p; p++)
        *p = *p == '_' ? '-' : *p;
}

static void say_what(const void *t, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", TRAFFIC_ROW(t, row)->what);
}

static void say_ranks(const void *t, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", figure(FIGURE_COUNT, TRAFFIC(t, row)->group_size).text);
}

static void say_count(const void *t, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", figure(FIGURE_COUNT, TRAFFIC(t, row)->count).text);
}

static void say_message(const void *t, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", figure(FIGURE_BYTES, TRAFFIC(t, row)->message_bytes).text);
}

static void say_sent(const void *t, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", figure(FIGURE_BYTES, TRAFFIC(t, row)->sent_bytes_per_rank).text);
}

static void say_time(const void *t, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", figure(FIGURE_SECONDS, TRAFFIC(t, row)->time_s).text);
}

static void say_exposed(const void *t, int row, char out[CELL_TEXT_MAX])
{
    const struct comm *c = TRAFFIC(t, row);
    bool is_hidden = c->exposed_s == 0 && c->time_s > 0;
    snprintf(out, CELL_TEXT_MAX, "%s", is_hidden ? "hidden" : figure(FIGURE_SECONDS, c->exposed_s).text);
}

static void say_link(const void *t, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", TRAFFIC(t, row)->crosses_nodes ? "net!" : "node");
}

static const struct column columns[] = {
    {"op", 14, 0, true, "count", say_op},
    {"dim", 5, 1, true, "group_size", say_dim},
    {"count", 7, 2, false, "count", say_count},
    {"message", 10, 2, false, "message_bytes", say_message},
    {"sent", 9, 5, false, "sent_bytes_per_rank", say_sent},
    {"time", 9, 4, false, "time_s", say_time},
    {"exposed", 10, 2, false, "exposed_s", say_exposed},
    {"link", 6, 3, true, NULL, say_link},
    {"ranks", 6, 6, false, "group_size", say_ranks},
    {"what", 26, 7, true, NULL, say_what},
};
enum { COLUMNS = LENGTH(columns) };

static void draw_total(const struct ui *ui, struct canvas *canvas, int y, int width)
{
    double share = result_value(RESULT_EXPOSED, ui->shown), iteration = result_value(RESULT_ITERATION, ui->shown);
    char text[160];
    snprintf(text, sizeof text, "exposed %s of %s (%s), stage %d%s", figure(FIGURE_SECONDS, share * iteration).text,
             figure(FIGURE_SECONDS, iteration).text, figure(FIGURE_PERCENT, share).text, ui->shown->binding_stage,
             width > 64 ? "; net! crosses nodes" : "");
    canvas_fit(canvas, 0, y, width, ROLE_TEXT, text);
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    struct traffic t;
    if (pane_excuse(ui, canvas, width))
        return;
    read_traffic(ui, &t);
    struct table table = {
        .columns = columns, .count = COLUMNS, .context = &t, .rows = t.count, .row = ui->at[PANE_COMM].row,
        .column = ui->at[PANE_COMM].column, .is_focused = pane_has_focus(ui, PANE_COMM),
    };
    if (t.count == 0)
        canvas_wrap(canvas, 0, 0, width, ROLE_TEXT,
                    ui->shown->is_serving ? "Serving: what the links cost is part of prefill and decode in view 1."
                                          : "One rank: nothing is sent.");
    else
        table_draw(&table, canvas, 0, width, height - (height > t.count + 1));
    if (t.count > 0 && height > t.count + 1)
        draw_total(ui, canvas, t.count + 1, width);
}

static int rows_of(const struct ui *ui)
{
    struct traffic t;
    read_traffic(ui, &t);
    return t.count;
}

static int wish(const struct ui *ui)
{
    return rows_of(ui) + 4;
}

static int columns_of(const struct ui *ui)
{
    int shown[TABLE_COLUMNS_MAX];
    return table_columns(columns, COLUMNS, layout_find(&ui->layout, PANE_COMM).width, shown);
}

static void subtitle(const struct ui *ui, char out[SUBTITLE_MAX])
{
    snprintf(out, SUBTITLE_MAX, "one iteration, one GPU of stage %d (< > stage)", ui_stage(ui));
}

static bool path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    struct traffic t;
    int stage, column = ui->at[PANE_COMM].column;
    enum comm_id id;
    read_traffic(ui, &t);
    const char *member = table_member(columns, COLUMNS, layout_find(&ui->layout, PANE_COMM).width, column);
    if (t.count == 0)
        return false;
    for (int i = 0; explain_comm_row(ui->shown, i, &stage, &id); i++)
        if (stage == ui_stage(ui) && (int)id == t.id[ui->at[PANE_COMM].row]) {
            snprintf(out, EXPLAIN_PATH_MAX, "communication.%d.%s", i, member && column > 0 ? member : "exposed_s");
            return true;
        }
    return false;
}

static void describe(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    struct traffic t;
    read_traffic(ui, &t);
    out[0] = '\0';
    if (t.count > 0) {
        const struct comm_row *row = TRAFFIC_ROW(&t, ui->at[PANE_COMM].row);
        snprintf(out, UI_MESSAGE_MAX, "%s: %s, %.0f ranks", row->what, row->phase,
                 TRAFFIC(&t, ui->at[PANE_COMM].row)->group_size);
    }
}

static void click(struct ui *ui, int x, int y)
{
    (void)x;
    if (y >= 1 && y <= rows_of(ui))
        ui->at[PANE_COMM].row = y - 1;
}

const struct pane pane_comm = {
    .name = "communication", .title = "Communication", .tab = "Comm", .key = '2', .wish = wish, .rows = rows_of,
    .columns = columns_of, .subtitle = subtitle, .draw = draw, .path = path, .describe = describe, .click = click,
};
