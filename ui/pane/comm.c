/* The communication view: what one GPU of a stage sends in one iteration, where, how fast, and what it costs. */
#include "core/base.h"
#include "core/plan/param.h"
#include "core/show/columns.h"
#include "core/show/link.h"
#include "ui/pane/lecture.h"
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
    const char *inside;    /* the link inside nodes */
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
    *t = (struct traffic){.iteration_s = e->step.iteration_s, .is_brief = ui->width < NAMES_WIDTH,
                          .inside = link_inside(&e->plan)};
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

static void say_dim(const void *context, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", comm_dim_names[dim_of(line_at(context, row)->id)]);
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
    snprintf(out, CELL_TEXT_MAX, "%s", units_figure(FIGURE_COUNT, line_at(context, row)->count).text);
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

/* Seconds with two digits, milliseconds in iterations below a second. */
static void print_time(const struct traffic *t, double seconds, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, t->iteration_s < 1 ? "%.1f" : "%.2f", seconds * (t->iteration_s < 1 ? 1e3 : 1));
}

static void say_time(const void *context, int row, char out[CELL_TEXT_MAX])
{
    print_time(context, line_at(context, row)->time_s, out);
}

static void say_exposed(const void *context, int row, char out[CELL_TEXT_MAX])
{
    const struct line *line = line_at(context, row);
    print_time(context, line->exposed_s, out);
    if (line->exposed_s == 0 && line->time_s > 0)
        snprintf(out, CELL_TEXT_MAX, "hidden");
}

static void say_share(const void *context, int row, char out[CELL_TEXT_MAX])
{
    const struct traffic *t = context;
    snprintf(out, CELL_TEXT_MAX, "%s", figure(FIGURE_PERCENT, line_at(context, row)->exposed_s / t->iteration_s).text);
}

static void say_link(const void *context, int row, char out[CELL_TEXT_MAX])
{
    const struct traffic *t = context;
    snprintf(out, CELL_TEXT_MAX, "%s", t->line[row].crosses_nodes ? "network" : t->inside);
}

static const struct column brief_columns[] = {
    {"", 4, 0, COLUMN_LEFT, "exposed_s", say_dim},         {"op", 4, 2, COLUMN_LEFT, "count", say_brief},
    {"where", 18, 1, COLUMN_LEFT, "exposed_s", say_where}, {"calls", 7, 3, COLUMN_RIGHT, "count", say_count},
    {"GB/s", 5, 4, COLUMN_RIGHT, "time_s", say_speed},     {"waited", 8, 0, COLUMN_RIGHT, "exposed_s", say_exposed},
    {"share", 7, 2, COLUMN_RIGHT, "exposed_s", say_share},
};

static const struct column wide_columns[] = {
    {"", 4, 0, COLUMN_LEFT, "exposed_s", say_dim},         {"", 15, 2, COLUMN_LEFT, "count", say_op},
    {"", 19, 1, COLUMN_LEFT, "exposed_s", say_where},      {"calls", 7, 3, COLUMN_RIGHT, "count", say_count},
    {"each", 10, 5, COLUMN_RIGHT, "message_bytes", say_message},
    {"sent", 10, 4, COLUMN_RIGHT, "sent_bytes_per_rank", say_sent},
    {"GB/s", 6, 6, COLUMN_RIGHT, "time_s", say_speed},     {"busy", 7, 7, COLUMN_RIGHT, "time_s", say_time},
    {"waited", 8, 0, COLUMN_RIGHT, "exposed_s", say_exposed}, {"link", 9, 8, COLUMN_LEFT, NULL, say_link},
};

static const struct column *columns_for(const struct ui *ui, int *count)
{
    bool is_brief = layout_find(&ui->layout, PANE_COMM).width < 60;
    *count = is_brief ? LENGTH(brief_columns) : LENGTH(wide_columns);
    return is_brief ? brief_columns : wide_columns;
}

/* ---- sums ------------------------------------------------------------------------------------------------------- */

/* The dimensions whose sums are shown. */
static const enum comm_dim sums[] = {COMM_TP, COMM_CP, COMM_EP, COMM_PP, COMM_DP};

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
        rows += is_there(t, sums[i]);
    return rows;
}

/* "=   tp in all   4.35   23.5 % of 18.5 s": `end` is where the seconds end. */
static void draw_sum(const struct traffic *t, struct canvas *canvas, int y, int end, int width, const char *name,
                     double seconds)
{
    char text[CELL_TEXT_MAX], share[64];
    print_time(t, seconds, text);
    snprintf(share, sizeof share, "%.1f %% of %s|%.1f %%", 100 * seconds / t->iteration_s,
             figure(FIGURE_SECONDS, t->iteration_s).text, 100 * seconds / t->iteration_s);
    canvas_text(canvas, 0, y, ROLE_MUTED, "=");
    canvas_text(canvas, 4, y, ROLE_TEXT, name);
    canvas_right(canvas, end, y, ROLE_STRONG, text);
    canvas_pick(canvas, end + 2, y, width - end - 2, ROLE_MUTED, share);
}

/* The largest first; below a blank row where there is room for one. */
static void draw_sums(const struct traffic *t, struct canvas *canvas, int y, int end, int width, int height)
{
    double all = 0, sum[LENGTH(sums)];
    bool is_drawn[LENGTH(sums)];
    for (size_t i = 0; i < LENGTH(sums); i++) {
        sum[i] = sum_of(t, sums[i]);
        is_drawn[i] = !is_there(t, sums[i]);
        all += sum[i];
    }
    y += height >= sum_rows(t);
    for (size_t k = 0; k < LENGTH(sums); k++) {
        size_t most = LENGTH(sums);
        for (size_t i = 0; i < LENGTH(sums); i++)
            if (!is_drawn[i] && (most == LENGTH(sums) || sum[i] > sum[most]))
                most = i;
        if (most == LENGTH(sums))
            break;
        is_drawn[most] = true;
        char name[32];
        snprintf(name, sizeof name, "%s in all", comm_dim_names[sums[most]]);
        draw_sum(t, canvas, y++, end, width, name, sum[most]);
    }
    draw_sum(t, canvas, y, end, width, t->is_all ? "waited in all stages" : "waited", all);
}

/* Behind each row what it waits, to the scale of the most. */
static void draw_bars(const struct traffic *t, struct canvas *canvas, int x, int width, int top, int rows)
{
    enum { LEAST = 6, MOST = 24 };
    double most = 0;
    width = width - x < MOST ? width - x : MOST;
    for (int i = 0; i < t->count; i++)
        most = fmax(most, t->line[i].exposed_s);
    for (int y = 1; y < rows && top + y - 1 < t->count && width >= LEAST && most > 0; y++)
        if (t->line[top + y - 1].exposed_s > 0)
            bar_step(canvas, x, y, width, 0, t->line[top + y - 1].exposed_s / most,
                     t->line[top + y - 1].exposed_s >= most ? ROLE_TRAFFIC_MOST : ROLE_TRAFFIC, '=');
}

/* Where the seconds that a GPU waits end, and where the table does. */
static int waited_end(const struct column *columns, int count, int width, int *table_end)
{
    int shown[TABLE_COLUMNS_MAX], end = 0;
    int n = table_columns(columns, count, width, shown);
    *table_end = 0;
    for (int i = 0; i < n; i++) {
        *table_end += columns[shown[i]].width;
        if (columns[shown[i]].text == say_exposed)
            end = *table_end;
    }
    return end;
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

/* ---- for those who look on --------------------------------------------------------------------------------------- */

/* The groups that send something, that which waits most first; returns how many. */
static int order_dims(const struct traffic *t, enum comm_dim out[LENGTH(sums)])
{
    int count = 0;
    for (size_t i = 0; i < LENGTH(sums); i++) {
        int at = count;
        if (!is_there(t, sums[i]))
            continue;
        for (; at > 0 && sum_of(t, out[at - 1]) < sum_of(t, sums[i]); at--)
            out[at] = out[at - 1];
        out[at] = sums[i];
        count++;
    }
    return count;
}

/* A bar for each group: the seconds that GPUs wait for it. */
static void draw_afar(const struct traffic *t, struct canvas *canvas, int width, int height)
{
    struct lecture_bar bar[LENGTH(sums)];
    enum comm_dim dim[LENGTH(sums)];
    int count = order_dims(t, dim);
    for (int i = 0; i < count; i++) {
        double seconds = sum_of(t, dim[i]);
        bool crosses = false;
        for (int k = 0; k < t->count; k++)
            crosses |= dim_of(t->line[k].id) == dim[i] && t->line[k].crosses_nodes;
        bar[i] = (struct lecture_bar){
            .part = {{'=', i == 0 ? ROLE_TRAFFIC_MOST : ROLE_TRAFFIC, seconds, NULL}}, .parts = 1};
        snprintf(bar[i].name, LECTURE_TEXT_MAX, "%s", comm_dim_names[dim[i]]);
        snprintf(bar[i].below, LECTURE_TEXT_MAX, "%s", crosses ? "network" : t->inside);
        snprintf(bar[i].value, LECTURE_TEXT_MAX, "%s", seconds > 0 ? figure(FIGURE_SECONDS, seconds).text : "hidden");
    }
    lecture_draw(canvas, bar, count, NAN, width, height);
}

static void sentence(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    struct traffic t;
    enum comm_dim dim[LENGTH(sums)];
    *out = '\0';
    read_traffic(ui, &t);
    if (order_dims(&t, dim) > 0 && t.iteration_s > 0)
        snprintf(out, UI_MESSAGE_MAX, "Waiting for %s traffic takes %.0f %% of the time.", comm_dim_names[dim[0]],
                 100 * sum_of(&t, dim[0]) / t.iteration_s);
}

/* ---- the view --------------------------------------------------------------------------------------------------- */

static void subtitle(const struct ui *ui, char out[SUBTITLE_MAX])
{
    static const char *const orders[TRAFFIC_SORTS] = {"", ", by volume", ", by calls", ", by group"};
    char whose[40], more[40] = "";
    snprintf(whose, sizeof whose, ui->traffic.is_all ? "all stages send" : "one GPU of stage %d sends", stage_of(ui));
    if (ui->traffic.only)
        snprintf(more, sizeof more, ", %s only", comm_dim_names[ui->traffic.only - 1]);
    snprintf(out, SUBTITLE_MAX, "what %s in an iteration, %s%s%s|what %s%s%s|", whose,
             ui->shown->step.iteration_s < 1 ? "ms" : "s", orders[ui->traffic.sort], more, whose,
             orders[ui->traffic.sort], more);
    if (ui->shown->is_serving)
        snprintf(out, SUBTITLE_MAX, "what links cost");
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    struct traffic t;
    int columns, table_end;
    if (pane_draw_unavailable(ui, canvas, width, PANE_COMM))
        return;
    read_traffic(ui, &t);
    if (ui->shown->is_serving) {
        draw_links(ui, canvas, width);
        return;
    }
    bool is_invalid = ui->shown->diags.errors > 0;
    if (t.count == 0 || is_invalid) {
        canvas_wrap(canvas, 2, 0, width - 2, ROLE_MUTED,
                    is_invalid             ? "not known: the plan is not valid; 6 mends it"
                    : ui->traffic.only > 0 ? "Nothing of this group is sent; f shows others."
                                           : "one GPU: nothing is sent");
        return;
    }
    if (pane_is_lecture(ui)) {
        draw_afar(&t, canvas, width, height);
        return;
    }
    const struct column *column = columns_for(ui, &columns);
    int below = sum_rows(&t) - 1, rows = height - below >= 4 ? height - below : height;
    rows = rows < t.count + 1 ? rows : t.count + 1;
    struct table table = {.columns = column, .count = columns, .context = &t, .rows = t.count,
                          .row = ui->at[PANE_COMM].row,
                          .column = ui->at[PANE_COMM].column, .is_focused = pane_has_focus(ui, PANE_COMM),
                          .ui = ui, .pane = PANE_COMM};
    int end = waited_end(column, columns, width, &table_end);
    table_draw(&table, canvas, 0, table_end, rows);
    draw_bars(&t, canvas, table_end + 1, width, page_top(table.row, t.count, rows - 1), rows);
    if (height - rows >= below)
        draw_sums(&t, canvas, rows, end, width, height - rows);
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
             comm_dim_names[comm_rows[line->id].dim], comm_rows[line->id].what,
             units_figure(FIGURE_COUNT, line->count).text,
             line->count == 1 ? "" : "s", units_figure(FIGURE_BYTES, line->message_bytes).text,
             units_figure(FIGURE_BYTES, line->sent_bytes).text,
             line->group_size, line->crosses_nodes ? "network" : link_inside(p), speed_of(line),
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
    {'s', "sort", "by time, volume, calls or kind of group", next_sort},
    {'a', "all stages", "all stages added up, and back", all_stages},
    {'f', "one group only", "only the rows of one kind of group", next_dim},
    {0},
};

static const struct pane_member members[] = {PANE_MEMBER(traffic.sort), PANE_MEMBER(traffic.only),
    PANE_MEMBER(traffic.is_all), {0}};

const struct pane pane_comm = {
    .is_steady = true, .is_page = true, .is_extra = true, .members = members, .title = "Traffic", .wish = wish,
    .rows = rows_of, .sentence = sentence,
    .columns = columns_of, .subtitle = subtitle, .draw = draw, .path = path, .describe = describe, .keys = keys,
    .of_training = true,
};
