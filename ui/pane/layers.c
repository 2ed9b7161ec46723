/* The layers view: every operator, its shape before and after partitioning, memory and time. */
#include "core/base.h"
#include "core/show/figure.h"
#include "ui/pane/pane.h"
#include "ui/table.h"

#include <stdio.h>
#include <string.h>

/* The operators that the model has. */
struct operators {
    const struct estimate *estimate;
    int id[OP_COUNT];
    int count;
};

static void read_operators(const struct ui *ui, struct operators *o)
{
    *o = (struct operators){.estimate = ui->shown};
    for (int i = 0; i < OP_COUNT && ui->shown->is_computed; i++)
        if (estimate_op_count(ui->shown, (enum op_id)i) > 0)
            o->id[o->count++] = i;
}

static int op_at(const void *context, int row)
{
    return ((const struct operators *)context)->id[row];
}

static const struct estimate *estimate_at(const void *context)
{
    return ((const struct operators *)context)->estimate;
}

/* "self_attention/linear_qkv" is shown without the block's long name. */
static void say_path(const void *o, int row, char out[CELL_TEXT_MAX])
{
    static const char *const long_names[][2] = {{"self_attention/", "attn/"}, {"shared_experts/", "shared/"}};
    const char *path = op_rows[op_at(o, row)].path;
    for (size_t i = 0; i < LENGTH(long_names); i++) {
        const char *at = strstr(path, long_names[i][0]);
        if (at) {
            snprintf(out, CELL_TEXT_MAX, "%.*s%s%s", (int)(at - path), path, long_names[i][1],
                     at + strlen(long_names[i][0]));
            return;
        }
    }
    snprintf(out, CELL_TEXT_MAX, "%s", path);
}

static void say_layers(const void *o, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%d", estimate_op_count(estimate_at(o), (enum op_id)op_at(o, row)));
}

/* [out,in] as frameworks print it; a vector has one dimension, an operator without weights none. */
static void say_shape(double times, double out_width, double in_width, char out[CELL_TEXT_MAX])
{
    char many[16] = "";
    if (times > 1)
        snprintf(many, sizeof many, "%.0f x ", times);
    if (!(times > 0) || !(out_width > 0))
        snprintf(out, CELL_TEXT_MAX, "-");
    else if (in_width > 1)
        snprintf(out, CELL_TEXT_MAX, "%s[%.0f,%.0f]", many, out_width, in_width);
    else
        snprintf(out, CELL_TEXT_MAX, "%s[%.0f]", many, out_width);
}

static void say_before(const void *o, int row, char out[CELL_TEXT_MAX])
{
    const struct op *op = &estimate_at(o)->full[op_at(o, row)];
    say_shape(op->times, op->out, op->in, out);
}

static void say_after(const void *o, int row, char out[CELL_TEXT_MAX])
{
    const struct op *op = &estimate_at(o)->op[op_at(o, row)];
    say_shape(op->times, op->out_rank, op->in_rank, out);
}

/* Numbers of operators that have none are left out. */
static void say_number(enum figure_kind kind, double value, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", value == 0 ? "-" : figure(kind, value).text);
}

static void say_params(const void *o, int row, char out[CELL_TEXT_MAX])
{
    say_number(FIGURE_COUNT, estimate_at(o)->op[op_at(o, row)].params, out);
}

static void say_weights(const void *o, int row, char out[CELL_TEXT_MAX])
{
    say_number(FIGURE_MIB, estimate_at(o)->op[op_at(o, row)].params * estimate_at(o)->symbols.Bw, out);
}

static void say_saved(const void *o, int row, char out[CELL_TEXT_MAX])
{
    say_number(FIGURE_MIB, estimate_at(o)->op[op_at(o, row)].saved, out);
}

static void say_forward(const void *o, int row, char out[CELL_TEXT_MAX])
{
    say_number(FIGURE_MS, estimate_at(o)->time[op_at(o, row)].forward_s, out);
}

static void say_backward(const void *o, int row, char out[CELL_TEXT_MAX])
{
    say_number(FIGURE_MS, estimate_at(o)->time[op_at(o, row)].backward_s, out);
}

/* Only matrix products have an efficiency. */
static void say_efficiency(const void *o, int row, char out[CELL_TEXT_MAX])
{
    int id = op_at(o, row);
    bool is_product = estimate_at(o)->op[id].m > 0;
    double share = estimate_at(o)->time[id].gemm_efficiency;
    snprintf(out, CELL_TEXT_MAX, "%s", is_product ? figure(FIGURE_PERCENT, share).text : "-");
}

static const struct column columns[] = {
    {"operator", 20, 0, true, "saved_bytes", say_path},
    {"x", 4, 6, false, NULL, say_layers},
    {"whole", 14, 4, false, NULL, say_before},
    {"one rank", 14, 1, false, "params", say_after},
    {"params", 8, 5, false, "params", say_params},
    {"MiB", 7, 6, false, "param_bytes", say_weights},
    {"saved", 8, 2, false, "saved_bytes", say_saved},
    {"fwd ms", 7, 3, false, "forward_s", say_forward},
    {"bwd ms", 8, 3, false, "backward_s", say_backward},
    {"GEMM", 7, 5, false, "gemm_efficiency", say_efficiency},
};
enum { COLUMNS = LENGTH(columns) };

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    struct operators o;
    if (!ui->shown->is_computed) {
        pane_excuse(ui, canvas, width);
        return;
    }
    read_operators(ui, &o);
    struct table table = {
        .columns = columns, .count = COLUMNS, .context = &o, .rows = o.count, .row = ui->at[PANE_LAYERS].row,
        .column = ui->at[PANE_LAYERS].column, .is_focused = pane_has_focus(ui, PANE_LAYERS),
    };
    table_draw(&table, canvas, 0, width, height);
}

static int rows_of(const struct ui *ui)
{
    struct operators o;
    read_operators(ui, &o);
    return o.count;
}

static int wish(const struct ui *ui)
{
    return rows_of(ui) + 2;
}

static int columns_of(const struct ui *ui)
{
    int shown[TABLE_COLUMNS_MAX];
    return table_columns(columns, COLUMNS, layout_find(&ui->layout, PANE_LAYERS).width, shown);
}

static void subtitle(const struct ui *ui, char out[SUBTITLE_MAX])
{
    (void)ui;
    snprintf(out, SUBTITLE_MAX, "one micro-batch on one rank; MiB of weights and saved for backward");
}

static bool path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    struct operators o;
    int column = ui->at[PANE_LAYERS].column;
    enum op_id id;
    read_operators(ui, &o);
    const char *member = table_member(columns, COLUMNS, layout_find(&ui->layout, PANE_LAYERS).width, column);
    if (o.count == 0)
        return false;
    for (int i = 0; explain_layer_row(ui->shown, i, &id); i++)
        if ((int)id == o.id[ui->at[PANE_LAYERS].row]) {
            snprintf(out, EXPLAIN_PATH_MAX, "layers.%d.%s", i, member ? member : "params");
            return true;
        }
    return false;
}

static void describe(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    struct operators o;
    read_operators(ui, &o);
    out[0] = '\0';
    if (o.count > 0) {
        const struct op_row *row = &op_rows[o.id[ui->at[PANE_LAYERS].row]];
        snprintf(out, UI_MESSAGE_MAX, "%s: %s", row->path, row->source);
    }
}

static void click(struct ui *ui, int x, int y)
{
    (void)x;
    if (y >= 1 && y <= rows_of(ui))
        ui->at[PANE_LAYERS].row = y - 1;
}

const struct pane pane_layers = {
    .name = "layers", .title = "Layers", .tab = "Lay", .key = '5', .wish = wish, .rows = rows_of,
    .columns = columns_of, .subtitle = subtitle, .draw = draw, .path = path, .describe = describe, .click = click,
};
