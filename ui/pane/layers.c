/* The layers view: what the operators of a stage come to, block by block, with their shapes. */
#include "core/base.h"
#include "core/explain/detail.h"
#include "core/plan/kind.h"
#include "core/show/figure.h"
#include "ui/pane/lecture.h"
#include "ui/pane/pane.h"
#include "ui/widget/bar.h"
#include "ui/widget/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The blocks of a stage in the order in which tokens go through them. */
static const struct block {
    enum op_kind kind;
    const char *name;
} blocks[] = {{OP_EMBEDDING, "embedding"}, {OP_ATTENTION, "attention"}, {OP_MLP, "MLP"},
              {OP_MOE, "experts"},        {OP_MTP, "multi-token pred."},      {OP_HEAD, "output layer, loss"}};
enum { BLOCKS = LENGTH(blocks), ROW_STAGE = -1, ROW_INPUTS = -2, ROW_BLOCKS = -3, ROWS_MAX = OP_COUNT + BLOCKS + 2 };

/* A row: an operator, a block (ROW_BLOCKS less its number), all of the stage, or what recomputation keeps instead. */
struct operators {
    const struct estimate *estimate;
    int stage;
    int layers[OP_COUNT]; /* of the stage that contain it */
    int id[ROWS_MAX];
    int count;
};

static int stage_of(const struct ui *ui)
{
    return ui->shown->is_computed ? ui_stage(ui) : 0;
}

static bool is_of(const struct operators *o, int block, int id)
{
    return op_rows[id].kind == blocks[block].kind && o->layers[id] > 0;
}

/* How many of a block the stage has: the layers with its most common operator. */
static int block_count(const struct operators *o, int block)
{
    int most = 0;
    for (int i = 0; i < OP_COUNT; i++)
        most = is_of(o, block, i) && o->layers[i] > most ? o->layers[i] : most;
    return most;
}

static const struct operators *operators_of(const void *context)
{
    return context;
}

static int op_at(const void *context, int row)
{
    return operators_of(context)->id[row];
}

static const struct estimate *estimate_at(const void *context)
{
    return operators_of(context)->estimate;
}

/* What one operator of the stage comes to, all its layers together. */
enum figure_of { OF_WEIGHTS, OF_KEPT, OF_FORWARD, OF_BACKWARD, OF_FLOPS };

static double op_figure(const struct operators *o, int id, enum figure_of what)
{
    const struct estimate *e = o->estimate;
    struct kept kept;
    struct op op;
    struct op_time time;
    double count = o->layers[id] * (op_rows[id].kind == OP_HEAD ? 1 + e->symbols.J : 1);
    if (what == OF_KEPT)
        return detail_keep(e, o->stage, (enum op_id)id, &kept);
    if (what == OF_WEIGHTS || what == OF_FLOPS) {
        estimate_op(e, (enum op_id)id, &op);
        return count * (what == OF_WEIGHTS ? op.params * e->symbols.Bw : op.forward_flops);
    }
    estimate_op_time(e, (enum op_id)id, &time);
    return count * (what == OF_FORWARD ? time.forward_s : time.backward_s + time.repeat_s);
}

/* What rows may be put in order by; first comes the order in which tokens go through them. */
static const struct order {
    const char *name;
    enum figure_of what;
} orders[] = {{"place", OF_WEIGHTS},
              {"weights", OF_WEIGHTS},
              {"kept", OF_KEPT},
              {"forward", OF_FORWARD},
              {"backward", OF_BACKWARD}};

/* Puts an operator among those of its block: before the first that comes to less. */
static void insert(struct operators *o, int first, int id, int order)
{
    int at = o->count++;
    double value = op_figure(o, id, orders[order].what);
    for (; order > 0 && at > first && op_figure(o, o->id[at - 1], orders[order].what) < value; at--)
        o->id[at] = o->id[at - 1];
    o->id[at] = id;
}

/* All operators of a block together. */
static double block_figure(const struct operators *o, int block, enum figure_of what)
{
    double sum = 0;
    for (int i = 0; i < OP_COUNT; i++)
        if (is_of(o, block, i))
            sum += op_figure(o, i, what);
    return sum;
}

/* The blocks that the stage has, in the chosen order; returns how many. */
static int order_blocks(const struct operators *o, int order, int out[BLOCKS])
{
    int count = 0;
    for (int block = 0; block < BLOCKS; block++) {
        if (block_count(o, block) == 0)
            continue;
        double value = block_figure(o, block, orders[order].what);
        int at = count++;
        for (; order > 0 && at > 0 && block_figure(o, out[at - 1], orders[order].what) < value; at--)
            out[at] = out[at - 1];
        out[at] = block;
    }
    return count;
}

static void read_operators(const struct ui *ui, struct operators *o)
{
    const struct estimate *e = ui->shown;
    struct kept kept;
    *o = (struct operators){.estimate = e, .stage = stage_of(ui)};
    if (!e->is_computed)
        return;
    for (int i = 0; i < OP_COUNT; i++)
        o->layers[i] = estimate_stage_op_count(e, o->stage, (enum op_id)i);
    o->id[o->count++] = ROW_STAGE;
    int order[BLOCKS], count = order_blocks(o, ui->layer_order, order);
    for (int k = 0; k < count; k++) {
        int block = order[k];
        o->id[o->count++] = ROW_BLOCKS - block;
        int first = o->count;
        for (int i = 0; i < OP_COUNT && !(ui->closed_blocks & 1u << block); i++)
            if (is_of(o, block, i))
                insert(o, first, i, ui->layer_order);
    }
    if (detail_keep(e, o->stage, OP_COUNT, &kept) > 0)
        o->id[o->count++] = ROW_INPUTS;
}

/* Sums over a block, or over all of them. */
static double row_figure(const void *context, int row, enum figure_of what)
{
    const struct operators *o = context;
    struct kept kept;
    double sum = 0;
    int id = o->id[row], only = id <= ROW_BLOCKS ? ROW_BLOCKS - id : -1;
    if (id >= 0)
        return op_figure(o, id, what);
    if (id == ROW_INPUTS || id == ROW_STAGE)
        sum = what == OF_KEPT ? detail_keep(o->estimate, o->stage, OP_COUNT, &kept) : 0;
    for (int block = 0; block < BLOCKS && id != ROW_INPUTS; block++)
        if (only < 0 || only == block)
            sum += block_figure(o, block, what);
    return sum;
}

/* Names of the framework in words; others keep theirs, with blanks for `_`. */
static void say_operator(enum op_id id, char out[CELL_TEXT_MAX])
{
    static const struct {
        const char *name, *words;
    } known[] = {{"word_embeddings", "word embedding"},   {"position_embeddings", "position embedding"},
                 {"input_layernorm", "norm"},             {"pre_mlp_layernorm", "norm"},
                 {"linear_qkv", "query, key, value"},     {"core_attention", "attention core"},
                 {"linear_proj", "output projection"},    {"bias_dropout_add", "residual add"},
                 {"linear_fc1", "up projection"},         {"linear_fc2", "down projection"},
                 {"final_layernorm", "final norm"},       {"output_layer", "output layer"}};
    const char *slash = strrchr(op_rows[id].path, '/'), *name = slash ? slash + 1 : op_rows[id].path;
    for (size_t i = 0; i < LENGTH(known); i++)
        name = strcmp(known[i].name, name) == 0 ? known[i].words : name;
    snprintf(out, CELL_TEXT_MAX, "  %s%s", strstr(op_rows[id].path, "shared_experts/") ? "shared " : "", name);
    for (char *at = out; (at = strchr(at, '_'));)
        *at = ' ';
}

/* A block is open or closed, as its sign says. */
static void say_name(const void *context, int row, char out[CELL_TEXT_MAX])
{
    const struct operators *o = context;
    int id = o->id[row];
    if (id == ROW_STAGE) {
        snprintf(out, CELL_TEXT_MAX, "= stage %d", o->stage);
    } else if (id == ROW_INPUTS) {
        snprintf(out, CELL_TEXT_MAX, "  inputs kept instead");
    } else if (id <= ROW_BLOCKS) {
        bool is_open = row + 1 < o->count && o->id[row + 1] >= 0;
        bool is_mixed = o->estimate->plan.pattern.layers > 0 && blocks[ROW_BLOCKS - id].kind == OP_ATTENTION;
        int count = is_mixed ? 1 : block_count(o, ROW_BLOCKS - id);
        snprintf(out, CELL_TEXT_MAX, count > 1 ? "%c %s x %d" : "%c %s", is_open ? '-' : '+',
                 is_mixed ? "mixers" : blocks[ROW_BLOCKS - id].name, count);
    } else {
        say_operator((enum op_id)id, out);
    }
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
    out[0] = '\0';
    if (op_at(o, row) < 0)
        return;
    struct op op;
    estimate_full_op(estimate_at(o), (enum op_id)op_at(o, row), &op);
    say_shape(op.times, op.out, op.in, out);
}

static void say_after(const void *o, int row, char out[CELL_TEXT_MAX])
{
    out[0] = '\0';
    if (op_at(o, row) < 0)
        return;
    struct op op;
    estimate_op(estimate_at(o), (enum op_id)op_at(o, row), &op);
    say_shape(op.times, op.out_rank, op.in_rank, out);
}

/* Numbers of operators that have none are left out. */
static void say_number(enum figure_kind kind, double value, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", value == 0 ? "-" : units_figure(kind, value).text);
}

static void say_weights(const void *o, int row, char out[CELL_TEXT_MAX])
{
    say_number(FIGURE_MIB, row_figure(o, row, OF_WEIGHTS), out);
}

static void say_kept(const void *o, int row, char out[CELL_TEXT_MAX])
{
    say_number(FIGURE_MIB, row_figure(o, row, OF_KEPT), out);
}

static void say_forward(const void *o, int row, char out[CELL_TEXT_MAX])
{
    say_number(FIGURE_MS, row_figure(o, row, OF_FORWARD), out);
}

static void say_backward(const void *o, int row, char out[CELL_TEXT_MAX])
{
    say_number(FIGURE_MS, row_figure(o, row, OF_BACKWARD), out);
}

/* Only matrix products have an efficiency. */
static void say_efficiency(const void *o, int row, char out[CELL_TEXT_MAX])
{
    int id = op_at(o, row);
    struct op_time time;
    if (id >= 0)
        estimate_op_time(estimate_at(o), (enum op_id)id, &time);
    snprintf(out, CELL_TEXT_MAX, "%s",
             id < 0          ? ""
             : time.rows > 0 ? figure(FIGURE_PERCENT, time.gemm_efficiency).text
                             : "-");
}

static void say_flops(const void *o, int row, char out[CELL_TEXT_MAX])
{
    say_number(FIGURE_COUNT, row_figure(o, row, OF_FLOPS), out);
}

/* Of all operations of the stage; the first row is the stage. */
static void say_share(const void *o, int row, char out[CELL_TEXT_MAX])
{
    say_number(FIGURE_PERCENT, row_figure(o, row, OF_FLOPS) / row_figure(o, 0, OF_FLOPS), out);
}

static const struct column sums[] = {
    {"", 20, 0, COLUMN_LEFT, "saved_bytes", say_name},
    {"whole model", 19, 5, COLUMN_RIGHT, NULL, say_before},
    {"on a GPU", 17, 3, COLUMN_RIGHT, "params", say_after},
    {"weights", 8, 1, COLUMN_RIGHT, "param_bytes", say_weights},
    {"kept", 8, 1, COLUMN_RIGHT, "saved_bytes", say_kept},
    {"forward", 8, 1, COLUMN_RIGHT, "forward_s", say_forward},
    {"backward", 9, 1, COLUMN_RIGHT, "backward_s", say_backward},
    {"GEMM", 7, 4, COLUMN_RIGHT, "gemm_efficiency", say_efficiency},
};

/* A plan that serves keeps nothing, and what its passes take stands in its own view. */
static const struct column serving_sums[] = {
    {"", 22, 0, COLUMN_LEFT, "param_bytes", say_name},
    {"whole model", 15, 2, COLUMN_RIGHT, NULL, say_before},
    {"on a GPU", 14, 1, COLUMN_RIGHT, "params", say_after},
    {"weights", 8, 1, COLUMN_RIGHT, "param_bytes", say_weights},
};

static const struct column shapes[] = {
    {"", 22, 0, COLUMN_LEFT, "params", say_name},
    {"whole model", 15, 1, COLUMN_RIGHT, NULL, say_before},
    {"on a GPU", 14, 1, COLUMN_RIGHT, "params", say_after},
    {"GEMM", 7, 2, COLUMN_RIGHT, "gemm_efficiency", say_efficiency},
};

static const struct column operations[] = {
    {"", 22, 0, COLUMN_LEFT, "forward_flops", say_name},
    {"FLOP", 9, 1, COLUMN_RIGHT, "forward_flops", say_flops},
    {"share", 7, 1, COLUMN_RIGHT, "forward_flops", say_share},
    {"forward", 8, 1, COLUMN_RIGHT, "forward_s", say_forward},
    {"GEMM", 7, 1, COLUMN_RIGHT, "gemm_efficiency", say_efficiency},
};

/* What `c` chooses from. */
static const struct columns_of {
    const char *name;
    const struct column *column;
    int count;
} sets[] = {
    {"sums", sums, LENGTH(sums)}, {"shapes", shapes, LENGTH(shapes)}, {"operations", operations, LENGTH(operations)}};

static const struct columns_of *set_of(const struct ui *ui)
{
    static const struct columns_of serving = {"weights", serving_sums, LENGTH(serving_sums)};
    return ui->shown->is_serving ? &serving : &sets[ui->layer_columns];
}

enum { BARS_LEAST = 104, BARS_WIDTH = 24 };

/* Forward and backward of each row, to the scale of the stage. */
static void draw_bars(const struct operators *o, struct canvas *canvas, int x, int top, int height)
{
    double all = row_figure(o, 0, OF_FORWARD) + row_figure(o, 0, OF_BACKWARD);
    canvas_text(canvas, x, 0, ROLE_MUTED, "forward, backward");
    for (int y = 1; y < height && top + y - 1 < o->count && all > 0; y++) {
        double forward = row_figure(o, top + y - 1, OF_FORWARD) / all,
               backward = row_figure(o, top + y - 1, OF_BACKWARD) / all;
        if (forward > 0)
            bar_step(canvas, x, y, BARS_WIDTH, 0, forward, ROLE_USEFUL, 'f');
        if (backward > 0)
            bar_step(canvas, x, y, BARS_WIDTH, forward, forward + backward, ROLE_BELOW, 'b');
    }
}

/* For those who look on: a bar for each block, forward and backward; returns the blocks. */
static int afar_bars(const struct operators *o, struct lecture_bar bar[BLOCKS])
{
    int order[BLOCKS], count = 0;
    for (int i = 0, blocks_here = order_blocks(o, 0, order); i < blocks_here; i++) {
        double forward = block_figure(o, order[i], OF_FORWARD), backward = block_figure(o, order[i], OF_BACKWARD);
        int at = count++;
        for (; at > 0 && bar[at - 1].part[0].amount + bar[at - 1].part[1].amount < forward + backward; at--)
            bar[at] = bar[at - 1];
        bar[at] = (struct lecture_bar){.part = {{'f', ROLE_USEFUL, forward, "forward"},
                                                {'b', ROLE_BELOW, backward, "backward"}}, .parts = 1 + (backward > 0)};
        snprintf(bar[at].name, LECTURE_TEXT_MAX, "%s", blocks[order[i]].name);
        snprintf(bar[at].value, LECTURE_TEXT_MAX, "%s", figure(FIGURE_SECONDS, forward + backward).text);
    }
    return count;
}

static void sentence(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    struct operators o;
    struct lecture_bar bar[BLOCKS];
    *out = '\0';
    read_operators(ui, &o);
    int count = o.count > 0 ? afar_bars(&o, bar) : 0;
    double all = 0;
    for (int i = 0; i < count; i++)
        all += bar[i].part[0].amount + bar[i].part[1].amount;
    if (all > 0)
        snprintf(out, UI_MESSAGE_MAX, "On stage %d %s takes %.0f %% of the time.", o.stage, bar[0].name,
                 100 * (bar[0].part[0].amount + bar[0].part[1].amount) / all);
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    struct operators o;
    if (!ui->shown->is_computed) {
        pane_draw_unavailable(ui, canvas, width, PANE_LAYERS);
        return;
    }
    read_operators(ui, &o);
    if (pane_is_lecture(ui)) {
        struct lecture_bar bar[BLOCKS];
        lecture_draw(canvas, bar, afar_bars(&o, bar), NAN, width, height);
        return;
    }
    struct table table = {
        .columns = set_of(ui)->column, .count = set_of(ui)->count, .context = &o, .rows = o.count,
        .row = ui->at[PANE_LAYERS].row,
        .column = ui->at[PANE_LAYERS].column, .is_focused = pane_has_focus(ui, PANE_LAYERS),
        .ui = ui, .pane = PANE_LAYERS,
    };
    int shown[TABLE_COLUMNS_MAX], end = 0, room = width >= BARS_LEAST ? width - BARS_WIDTH - 2 : width;
    int count = table_columns(table.columns, table.count, room, shown);
    for (int i = 0; i < count; i++)
        end += table.columns[shown[i]].width;
    enum { WIDER = 8 /* columns of long names */ };
    int spare = width - BARS_WIDTH - 2 - end;
    end = width < BARS_LEAST ? width : end + (spare > WIDER ? WIDER : spare > 0 ? spare : 0);
    table_draw(&table, canvas, 0, end, height);
    if (width >= BARS_LEAST && !ui->shown->is_serving)
        draw_bars(&o, canvas, end + 2, page_top(table.row, o.count, height - 1), height);
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
    return table_columns(set_of(ui)->column, set_of(ui)->count, layout_find(&ui->layout, PANE_LAYERS).width, shown);
}

static void subtitle(const struct ui *ui, char out[SUBTITLE_MAX])
{
    static const char *const what[] = {" a GPU, ms a micro-batch", "shapes of weights", "operations of a forward"};
    int set = ui->shown->is_serving ? 1 : (int)ui->layer_columns, used = 0;
    struct layer_pattern pattern;
    estimate_stage_pattern(ui->shown, stage_of(ui), &pattern);
    if (pattern.layers > 0) { /* "52 layers: 24 Mamba-2, 24 feed-forward, 4 attention" */
        used = pattern_words(&pattern, out, SUBTITLE_MAX / 2);
        used = used < SUBTITLE_MAX / 2 ? used + snprintf(out + used, (size_t)(SUBTITLE_MAX - used), "|") : 0;
    }
    snprintf(out + used, (size_t)(SUBTITLE_MAX - used), "of stage %d; %s%s%s%s|of stage %d|", stage_of(ui),
             set == 0 ? units_word("MiB").text : "", what[set], ui->layer_order ? ", by " : "",
             ui->layer_order ? orders[ui->layer_order].name : "", stage_of(ui));
}

static bool path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    struct operators o;
    int column = ui->at[PANE_LAYERS].column;
    enum op_id id;
    read_operators(ui, &o);
    const char *member =
        table_member(set_of(ui)->column, set_of(ui)->count, layout_find(&ui->layout, PANE_LAYERS).width, column);
    if (o.count == 0)
        return false;
    int row = o.id[row_within(ui->at[PANE_LAYERS].row, o.count)];
    if (row < 0)
        return false;
    for (int i = 0; explain_layer_row(ui->shown, i, &id); i++)
        if ((int)id == row) {
            snprintf(out, EXPLAIN_PATH_MAX, "layers.%d.%s", i, member ? member : "params");
            return true;
        }
    return false;
}

/* An operator's shapes and where its row comes from; what the sums of a stage are elsewhere. */
static void describe(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    struct operators o;
    char whole[CELL_TEXT_MAX], here[CELL_TEXT_MAX];
    read_operators(ui, &o);
    out[0] = '\0';
    if (o.count == 0)
        return;
    int row = row_within(ui->at[PANE_LAYERS].row, o.count), id = o.id[row];
    say_before(&o, row, whole);
    say_after(&o, row, here);
    int used = 0;
    if (id >= 0)
        used = snprintf(out, UI_MESSAGE_MAX, "%.60s: %.60s whole, %.60s here", op_rows[id].path, whole, here);
    if (id >= 0)
        snprintf(out + used, UI_MESSAGE_MAX - (size_t)used, "; %s", op_rows[id].source);
    else if (id == ROW_STAGE && ui->shown->is_serving)
        snprintf(out, UI_MESSAGE_MAX, "all operators of stage %d; serving times and cache: views t and 1",
                 o.stage);
    else if (id == ROW_STAGE)
        snprintf(out, UI_MESSAGE_MAX, "all operators of stage %d; kept, of all in flight, is A of view 1: %s %s",
                 o.stage, units_figure(FIGURE_GIB, ui->shown->stage[o.stage].activations_bytes).text, units_name());
    else
        snprintf(out, UI_MESSAGE_MAX,
                 id == ROW_INPUTS ? "kept by recomputation: inputs of layers or modules"
                                  : "all layers of the stage together; Enter, Right and Left open and close the block");
}

/* The block whose row is selected; -1 for another row. */
static int selected_block(const struct operators *o, int row)
{
    return o->count > 0 && o->id[row] <= ROW_BLOCKS ? ROW_BLOCKS - o->id[row] : -1;
}

/* Left of the first column an open block closes, and what is in one goes to it; to the right a closed one opens. */
static bool move_in_tree(struct ui *ui, int dx)
{
    struct operators o;
    int *row = &ui->at[PANE_LAYERS].row;
    read_operators(ui, &o);
    int at = row_within(*row, o.count), block = selected_block(&o, at);
    bool is_closed = block >= 0 && ui->closed_blocks & 1u << block;
    bool is_inside = o.count > 0 && o.id[at] >= 0;
    if (block >= 0 && is_closed == (dx > 0)) {
        ui->closed_blocks ^= 1u << block;
        return true;
    }
    while (dx < 0 && is_inside && at > 0 && o.id[at] >= 0)
        *row = --at;
    return dx < 0 && is_inside;
}

static bool move(struct ui *ui, int dx, int dy)
{
    int *row = &ui->at[PANE_LAYERS].row, *column = &ui->at[PANE_LAYERS].column;
    if (dy != 0) {
        *row = row_within(*row + dy, rows_of(ui));
        return true;
    }
    if (*column == 0 && move_in_tree(ui, dx))
        return true;
    bool is_moved = *column + dx >= 0 && *column + dx < columns_of(ui);
    *column += is_moved ? dx : 0;
    return is_moved;
}

/* Enter opens or closes a block. */
static bool open(struct ui *ui)
{
    struct operators o;
    read_operators(ui, &o);
    int block = selected_block(&o, row_within(ui->at[PANE_LAYERS].row, o.count));
    if (block >= 0)
        ui->closed_blocks ^= 1u << block;
    return block >= 0;
}

static void open_all(struct ui *ui)
{
    ui->closed_blocks = ui->closed_blocks ? 0 : ~0u;
    ui->at[PANE_LAYERS].row = 0;
}

static void next_order(struct ui *ui)
{
    ui->layer_order = (ui->layer_order + 1) % (int)LENGTH(orders);
}

static void next_columns(struct ui *ui)
{
    ui->layer_columns = (ui->layer_columns + 1) % (int)LENGTH(sets);
    ui->at[PANE_LAYERS].column = 0;
}

static const struct view_key keys[] = {{'*', "open all", "all blocks open or closed", open_all},
                                       {'s', "sort", "in order, or by weights, activations, forward or backward",
                                        next_order},
                                       {'c', "columns", "sums, shapes, or operations", next_columns},
                                       {0}};

static const struct pane_member members[] = {PANE_MEMBER(layer_order), PANE_MEMBER(layer_columns),
    PANE_MEMBER(closed_blocks), {0}};

const struct pane pane_layers = {
    .is_steady = true, .is_page = true, .members = members, .title = "Layers", .wish = wish, .rows = rows_of,
    .columns = columns_of, .subtitle = subtitle, .sentence = sentence, .draw = draw, .path = path,
    .describe = describe, .move = move, .open = open, .keys = keys,
};
