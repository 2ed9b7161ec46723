/* The communication view: what one GPU of a stage sends in one iteration, where, how fast, and what it costs. */
#include "core/base.h"
#include "core/plan/param.h"
#include "core/show/columns.h"
#include "core/show/link.h"
#include "ui/pane/pane.h"
#include "ui/state/result.h"
#include "ui/widget/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* One row, or the same row of all stages together. */
struct line {
    enum comm_id id;
    double count, message_bytes, sent_bytes, time_s, exposed_s, group_size;
    bool crosses_nodes;
};

/* The rows that are shown, in order. */
struct traffic {
    struct line line[COMM_COUNT];
    int count;
    double iteration_s; /* of all stages that are added up */
    bool is_brief, is_all; /* collectives have short names; all stages are added up */
};

static int stage_of(const struct ui *ui)
{
    return ui->stage >= 0 && ui->stage < ui->shown->stages ? ui->stage : ui->shown->binding_stage;
}

/* Traffic of experts' tensor parallelism belongs to that of experts, of replicas of experts and embeddings to dp. */
static enum comm_dim dim_of(enum comm_id id)
{
    enum comm_dim dim = comm_rows[id].dim;
    return dim == COMM_ETP ? COMM_EP : dim == COMM_EDP || dim == COMM_EMBEDDING ? COMM_DP : dim;
}

static void add_row(struct traffic *t, enum comm_id id, const struct comm *row)
{
    int i = 0;
    while (i < t->count && t->line[i].id != id)
        i++;
    if (i == t->count)
        t->line[t->count++] =
            (struct line){.id = id, .message_bytes = row->message_bytes, .group_size = row->group_size};
    struct line *line = &t->line[i];
    line->count += row->count;
    line->sent_bytes += row->sent_bytes_per_rank;
    line->time_s += row->time_s;
    line->exposed_s += row->exposed_s;
    line->crosses_nodes |= row->crosses_nodes;
}

static double sort_value(const struct line *line, enum traffic_sort sort)
{
    switch (sort) {
    case TRAFFIC_BY_VOLUME: return line->sent_bytes;
    case TRAFFIC_BY_COUNT: return line->count;
    case TRAFFIC_BY_DIM: return -(double)dim_of(line->id);
    default: return line->exposed_s + 1e-6 * line->time_s;
    }
}

static void sort_rows(struct traffic *t, enum traffic_sort sort)
{
    for (int i = 1; i < t->count; i++) {
        struct line line = t->line[i];
        int at = i;
        for (; at > 0 && sort_value(&t->line[at - 1], sort) < sort_value(&line, sort); at--)
            t->line[at] = t->line[at - 1];
        t->line[at] = line;
    }
}

static void read_traffic(const struct ui *ui, struct traffic *t)
{
    const struct estimate *e = ui->shown;
    *t = (struct traffic){.iteration_s = e->step.iteration_s, .is_brief = ui->width < NAMES_WIDTH};
    if (!e->is_computed || e->is_serving)
        return;
    int first = ui->traffic.is_all ? 0 : stage_of(ui), last = ui->traffic.is_all ? e->stages - 1 : first;
    t->iteration_s *= last - first + 1;
    t->is_all = ui->traffic.is_all;
    for (int stage = first; stage <= last; stage++) {
        struct comm_table table;
        estimate_comm_table(e, stage, &table);
        for (int i = 0; i < table.count; i++)
            if (ui->traffic.only == 0 || ui->traffic.only == (int)dim_of(table.present[i]) + 1)
                add_row(t, table.present[i], &table.row[table.present[i]]);
    }
    sort_rows(t, ui->traffic.sort);
}

/* ---- columns ---------------------------------------------------------------------------------------------------- */

static const struct line *line_at(const void *context, int row)
{
    return &((const struct traffic *)context)->line[row];
}

/* The row that costs most has the mark of what decides. */
static void say_dim(const void *context, int row, char out[CELL_TEXT_MAX])
{
    const struct traffic *t = context;
    bool is_most = t->line[row].exposed_s > 0;
    for (int i = 0; i < t->count; i++)
        is_most &= t->line[i].exposed_s <= t->line[row].exposed_s;
    snprintf(out, CELL_TEXT_MAX, "%s%s", is_most ? "*" : " ", comm_dim_names[comm_rows[t->line[row].id].dim]);
}

/* all_reduce reads better as all-reduce. */
static void say_op(const void *context, int row, char out[CELL_TEXT_MAX])
{
    enum comm_id id = line_at(context, row)->id;
    snprintf(out, CELL_TEXT_MAX, "%s", comm_op_names[comm_rows[id].op]);
    for (char *p = out; *p; p++)
        *p = *p == '_' ? '-' : *p;
}

static void say_brief(const void *context, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", comm_op_brief(line_at(context, row)->id));
}

static void say_where(const void *context, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", comm_where_text(line_at(context, row)->id));
}

static void say_count(const void *context, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", figure(FIGURE_COUNT, line_at(context, row)->count).text);
}

static void say_message(const void *context, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", units_figure(FIGURE_BYTES, line_at(context, row)->message_bytes).text);
}

static void say_sent(const void *context, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", units_figure(FIGURE_BYTES, line_at(context, row)->sent_bytes).text);
}

static double speed_of(const struct line *line)
{
    return line->sent_bytes / line->time_s / 1e9;
}

static void say_speed(const void *context, int row, char out[CELL_TEXT_MAX])
{
    double speed = speed_of(line_at(context, row));
    snprintf(out, CELL_TEXT_MAX, speed < 9.95 ? "%.1f" : "%.0f", speed);
    if (!isfinite(speed))
        snprintf(out, CELL_TEXT_MAX, "?");
}

static void say_time(const void *context, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", figure(FIGURE_SECONDS, line_at(context, row)->time_s).text);
}

static void say_exposed(const void *context, int row, char out[CELL_TEXT_MAX])
{
    const struct line *line = line_at(context, row);
    bool is_hidden = line->exposed_s == 0 && line->time_s > 0;
    snprintf(out, CELL_TEXT_MAX, "%s", is_hidden ? "hidden" : figure(FIGURE_SECONDS, line->exposed_s).text);
}

static void say_share(const void *context, int row, char out[CELL_TEXT_MAX])
{
    const struct traffic *t = context;
    snprintf(out, CELL_TEXT_MAX, "%s", figure(FIGURE_PERCENT, line_at(context, row)->exposed_s / t->iteration_s).text);
}

static void say_link(const void *context, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", line_at(context, row)->crosses_nodes ? "net!" : "node");
}

static const struct column brief_columns[] = {
    {"dim", 4, 0, COLUMN_LEFT, "exposed_s", say_dim},      {"op", 4, 2, COLUMN_LEFT, "count", say_brief},
    {"where", 18, 1, COLUMN_LEFT, "exposed_s", say_where}, {"count", 6, 3, COLUMN_RIGHT, "count", say_count},
    {"GB/s", 5, 4, COLUMN_RIGHT, "time_s", say_speed},     {"exposed", 9, 0, COLUMN_RIGHT, "exposed_s", say_exposed},
    {"share", 6, 2, COLUMN_RIGHT, "exposed_s", say_share},
};

static const struct column wide_columns[] = {
    {"dim", 5, 0, COLUMN_LEFT, "exposed_s", say_dim},      {"op", 15, 2, COLUMN_LEFT, "count", say_op},
    {"where", 18, 1, COLUMN_LEFT, "exposed_s", say_where}, {"count", 7, 4, COLUMN_RIGHT, "count", say_count},
    {"message", 9, 5, COLUMN_RIGHT, "message_bytes", say_message},
    {"sent", 10, 5, COLUMN_RIGHT, "sent_bytes_per_rank", say_sent},
    {"GB/s", 5, 4, COLUMN_RIGHT, "time_s", say_speed},     {"time", 9, 7, COLUMN_RIGHT, "time_s", say_time},
    {"exposed", 9, 0, COLUMN_RIGHT, "exposed_s", say_exposed}, {"share", 6, 2, COLUMN_RIGHT, "exposed_s", say_share},
    {"link", 6, 6, COLUMN_LEFT, NULL, say_link},
};

static const struct column *columns_for(const struct ui *ui, int *count)
{
    bool is_brief = layout_find(&ui->layout, PANE_COMM).width < 60;
    *count = is_brief ? LENGTH(brief_columns) : LENGTH(wide_columns);
    return is_brief ? brief_columns : wide_columns;
}

/* ---- sums ------------------------------------------------------------------------------------------------------- */

/* The dimensions whose sums are shown, with the letter of their time. */
static const struct {
    enum comm_dim dim;
    char letter;
    enum role role;
} sums[] = {{COMM_TP, 't', ROLE_ACTIVATIONS}, {COMM_CP, 'x', ROLE_OPTIMIZER}, {COMM_EP, 'e', ROLE_GRADIENTS},
            {COMM_PP, 'p', ROLE_TRANSIENT},   {COMM_DP, 'd', ROLE_SCRATCH}};

static double sum_of(const struct traffic *t, enum comm_dim dim)
{
    double sum = 0;
    for (int i = 0; i < t->count; i++)
        sum += dim_of(t->line[i].id) == dim ? t->line[i].exposed_s : 0;
    return sum;
}

static bool is_there(const struct traffic *t, enum comm_dim dim)
{
    for (int i = 0; i < t->count; i++)
        if (dim_of(t->line[i].id) == dim)
            return true;
    return false;
}

/* With a row that parts them from the table. */
static int sum_rows(const struct traffic *t)
{
    int rows = 2;
    for (size_t i = 0; i < LENGTH(sums); i++)
        rows += is_there(t, sums[i].dim);
    return rows;
}

/* A dimension: a bar of its letters, its time and share. */
static void draw_sum(struct canvas *canvas, int y, int width, const char *name, double seconds, double whole_s,
                     char letter, enum role role)
{
    enum { NAME = 7, NUMBERS = 18 };
    int room = width - NAME - NUMBERS;
    canvas_format(canvas, 0, y, ROLE_TITLE, "= %s", name);
    canvas_repeat(canvas, NAME, y, role, (uint32_t)(unsigned char)letter, (int)lround(room * seconds / whole_s));
    canvas_right(canvas, width - 7, y, ROLE_TITLE, figure(FIGURE_SECONDS, seconds).text);
    canvas_right(canvas, width, y, ROLE_TITLE, figure(FIGURE_PERCENT, seconds / whole_s).text);
}

/* "= all  exposed 17.8 s of 71.4 s", and its share. */
static void draw_all(const struct traffic *t, struct canvas *canvas, int y, int width, double seconds)
{
    struct figure exposed = figure(FIGURE_SECONDS, seconds), whole = figure(FIGURE_SECONDS, t->iteration_s);
    canvas_format(canvas, 0, y, ROLE_TITLE, "= all  exposed %s of %s%s", exposed.text, whole.text,
                  t->is_all ? " of all stages" : "");
    canvas_right(canvas, width, y, ROLE_TITLE, figure(FIGURE_PERCENT, seconds / t->iteration_s).text);
}

/* The largest first; below a line where there is room for one. */
static void draw_sums(const struct ui *ui, const struct traffic *t, struct canvas *canvas, int y, int width, int height)
{
    double all = 0, sum[LENGTH(sums)];
    bool is_drawn[LENGTH(sums)];
    for (size_t i = 0; i < LENGTH(sums); i++) {
        sum[i] = sum_of(t, sums[i].dim);
        is_drawn[i] = !is_there(t, sums[i].dim);
        all += sum[i];
    }
    if (height >= sum_rows(t) && !ui->draws_lines)
        canvas_repeat(canvas, 0, y++, ROLE_MUTED, ui->utf8 ? 0x2500 : '-', width);
    for (size_t k = 0; k < LENGTH(sums); k++) {
        size_t most = LENGTH(sums);
        for (size_t i = 0; i < LENGTH(sums); i++)
            if (!is_drawn[i] && (most == LENGTH(sums) || sum[i] > sum[most]))
                most = i;
        if (most == LENGTH(sums))
            break;
        is_drawn[most] = true;
        draw_sum(canvas, y++, width, comm_dim_names[sums[most].dim], sum[most], t->iteration_s, sums[most].letter,
                 sums[most].role);
    }
    draw_all(t, canvas, y, width, all);
}

/* ---- a plan that serves ----------------------------------------------------------------------------------------- */

static int draw_link(struct canvas *canvas, int y, int width, const char *what, double step_s, double prefill_s)
{
    if (!(step_s > 0))
        return y;
    canvas_fit(canvas, 0, y, width - 24, ROLE_TEXT, what);
    canvas_right(canvas, width - 12, y, ROLE_TEXT, figure(FIGURE_SECONDS, step_s).text);
    canvas_right(canvas, width, y, ROLE_TEXT, figure(FIGURE_SECONDS, prefill_s).text);
    return y + 1;
}

/* What links cost in a step that gives each sequence of the batch a token, and in reading their prompts. */
static void draw_links(const struct ui *ui, struct canvas *canvas, int width)
{
    const struct estimate *e = ui->shown;
    const struct serving *s = &e->serving;
    double batch = e->plan.value[PARAM_serve_batch_size], prompt = e->plan.value[PARAM_serve_prompt_tokens];
    char reductions[64];
    snprintf(reductions, sizeof reductions, "tp all-reduce, %.0f of %s", 2 * e->symbols.L,
             figure(FIGURE_BYTES, 2 * e->symbols.h * batch).text);
    canvas_fit(canvas, 0, 0, width - 24, ROLE_TITLE, "link times");
    canvas_right(canvas, width - 12, 0, ROLE_TITLE, "a step");
    canvas_right(canvas, width, 0, ROLE_TITLE, "prefill");
    int y = draw_link(canvas, 1, width, reductions, s->reduce_latency_s + batch * s->reduce_token_s,
                      s->reduce_latency_s + batch * prompt * s->reduce_token_s);
    y = draw_link(canvas, y, width, "ep to the experts and back", s->dispatch_latency_s + batch * s->dispatch_token_s,
                  s->dispatch_latency_s + batch * prompt * s->dispatch_token_s);
    y = draw_link(canvas, y, width, "pp to the next stages", s->hop_s, s->hop_s);
    if (y == 1)
        canvas_wrap(canvas, 0, 1, width, ROLE_TEXT, "One GPU serves: nothing is sent.");
    else
        draw_link(canvas, y, width, "of the whole, computing too", s->decode_step_s, s->prefill_s);
}

/* ---- the view --------------------------------------------------------------------------------------------------- */

static void subtitle(const struct ui *ui, char out[SUBTITLE_MAX])
{
    static const char *const orders[TRAFFIC_SORTS] = {"time", "volume", "count", "dimension"};
    char where[40];
    snprintf(where, sizeof where, ui->traffic.is_all ? "all stages" : "stage %d of 0-%d", stage_of(ui),
             ui->shown->is_computed ? ui->shown->stages - 1 : 0);
    snprintf(out, SUBTITLE_MAX, "%s, one GPU; s: by %s%s%s", where, orders[ui->traffic.sort],
             ui->traffic.only ? "; only " : "", ui->traffic.only ? comm_dim_names[ui->traffic.only - 1] : "");
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    struct traffic t;
    int columns;
    if (pane_draw_unavailable(ui, canvas, width))
        return;
    read_traffic(ui, &t);
    if (ui->shown->is_serving) {
        draw_links(ui, canvas, width);
        return;
    }
    if (t.count == 0) {
        canvas_wrap(canvas, 0, 0, width, ROLE_TEXT,
                    ui->traffic.only > 0 ? "Nothing of this dimension is sent; f shows others."
                                           : "One rank: nothing is sent.");
        return;
    }
    const struct column *column = columns_for(ui, &columns);
    int below = sum_rows(&t) - 1, rows = height - below >= 4 ? height - below : height;
    rows = rows < t.count + 1 ? rows : t.count + 1;
    struct table table = {.columns = column, .count = columns, .context = &t, .rows = t.count,
                          .row = ui->at[PANE_COMM].row,
                          .column = ui->at[PANE_COMM].column, .is_focused = pane_has_focus(ui, PANE_COMM),
                          .ui = ui, .pane = PANE_COMM};
    table_draw(&table, canvas, 0, width, rows);
    if (height - rows >= below)
        draw_sums(ui, &t, canvas, rows, width, height - rows);
}

static int rows_of(const struct ui *ui)
{
    struct traffic t;
    read_traffic(ui, &t);
    return t.count;
}

static int wish(const struct ui *ui)
{
    struct traffic t;
    read_traffic(ui, &t);
    return 2 + t.count + sum_rows(&t);
}

static int columns_of(const struct ui *ui)
{
    int shown[TABLE_COLUMNS_MAX], count;
    const struct column *columns = columns_for(ui, &count);
    return table_columns(columns, count, layout_find(&ui->layout, PANE_COMM).width, shown);
}

static bool path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    struct traffic t;
    int stage, count, column = ui->at[PANE_COMM].column;
    enum comm_id id;
    const struct column *columns = columns_for(ui, &count);
    read_traffic(ui, &t);
    const char *member = table_member(columns, count, layout_find(&ui->layout, PANE_COMM).width, column);
    if (t.count == 0)
        return false;
    for (int i = 0; explain_comm_row(ui->shown, i, &stage, &id); i++)
        if ((stage == stage_of(ui) || ui->traffic.is_all) &&
            id == t.line[row_within(ui->at[PANE_COMM].row, t.count)].id) {
            snprintf(out, EXPLAIN_PATH_MAX, "communication.%d.%s", i, member && column > 0 ? member : "exposed_s");
            return true;
        }
    return false;
}

/* What is sent and how near that is to what the link does. */
static void describe(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    struct traffic t;
    char op[CELL_TEXT_MAX];
    read_traffic(ui, &t);
    out[0] = '\0';
    if (t.count == 0)
        return;
    int row = row_within(ui->at[PANE_COMM].row, t.count);
    const struct line *line = &t.line[row];
    const struct plan *p = &ui->shown->plan;
    double link = p->value[line->crosses_nodes ? PARAM_hardware_inter_node_gb_s : PARAM_hardware_intra_node_gb_s];
    say_op(&t, row, op);
    bool is_mixed = speed_of(line) > link; /* part of it never leaves the node */
    snprintf(out, UI_MESSAGE_MAX, "%.32s %s, %s: %s call%s of %s, %s sent among %.0f ranks, %s %.3g GB/s %s %.3g", op,
             comm_dim_names[comm_rows[line->id].dim], comm_rows[line->id].what, figure(FIGURE_COUNT, line->count).text,
             line->count == 1 ? "" : "s", units_figure(FIGURE_BYTES, line->message_bytes).text,
             units_figure(FIGURE_BYTES, line->sent_bytes).text,
             line->group_size, line->crosses_nodes ? "network!" : link_inside(p), speed_of(line),
             is_mixed ? "with what stays in nodes, network" : "of", link);
}

static void next_sort(struct ui *ui)
{
    ui->traffic.sort = (enum traffic_sort)((ui->traffic.sort + 1) % TRAFFIC_SORTS);
}

static void all_stages(struct ui *ui)
{
    ui->traffic.is_all = !ui->traffic.is_all;
}

/* The next dimension that sends something, then all of them. */
static void next_dim(struct ui *ui)
{
    struct traffic t;
    int from = ui->traffic.only;
    ui->traffic.only = 0;
    read_traffic(ui, &t);
    for (int dim = from; dim < COMM_DIM_COUNT && ui->traffic.only == 0; dim++)
        if (is_there(&t, (enum comm_dim)dim))
            ui->traffic.only = dim + 1;
}

static const struct view_key keys[] = {
    {'s', "sort", "by time, volume, count or dimension", next_sort},
    {'a', "all stages", "all stages added up, and back", all_stages},
    {'f', "dimension", "only the rows of one dimension", next_dim},
    {0},
};

static const struct pane_member members[] = {PANE_MEMBER(traffic.sort), PANE_MEMBER(traffic.only),
    PANE_MEMBER(traffic.is_all), {0}};

const struct pane pane_comm = {
    .is_steady = true, .members = members, .title = "Traffic", .wish = wish,
    .rows = rows_of,
    .columns = columns_of, .subtitle = subtitle, .draw = draw, .path = path, .describe = describe, .keys = keys,
    .of_training = true,
};
