/* src/report/json.c - an estimate as JSON, schema 1. Member names are read by scripts: add, never rename. */
#include "core/base.h"
#include "core/estimate/range.h"
#include "core/estimate/timeline.h"
#include "core/explain/detail.h"
#include "core/explain/explain.h"
#include "core/plan/param.h"
#include "core/plan/question.h"
#include "core/show/columns.h"
#include "core/show/components.h"
#include "core/show/quantity.h"
#include "core/show/time_parts.h"
#include "src/report/data.h"
#include "src/report/report.h"
#include "src/report/want.h"
#include "src/text/errors.h"
#include "src/text/json_out.h"
#include "src/text/keyval.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_quantity(struct json *json, const char *name, double value)
{
    size_t n = strlen(name), suffix = strlen("_bytes");
    bool is_bytes = n >= suffix && strcmp(name + n - suffix, "_bytes") == 0;
    (is_bytes ? json_bytes : json_number)(json, name, value);
}

/* Each as the member that its path names: `time.mfu`; those of `time.exposed_communication_s.` share an object. */
static void write_quantities(struct json *json, const struct estimate *e, const struct quantity_list *list)
{
    char open[48] = "";
    for (int i = 0; i < list->count; i++) {
        const char *name = strchr(list->row[i].path, '.') + 1, *member = strrchr(name, '.');
        char group[48];
        snprintf(group, sizeof group, "%.*s", member ? (int)(member - name) : 0, name);
        if (open[0] && strcmp(open, group) != 0)
            json_close(json, '}');
        if (group[0] && strcmp(open, group) != 0)
            json_open(json, group, '{');
        strcpy(open, group);
        write_quantity(json, member ? member + 1 : name, quantity_value(&list->row[i], e));
    }
    if (open[0])
        json_close(json, '}');
}

/* The 80 % ranges of the rows that follow the time of the iteration. */
static void write_time_range(struct json *json, const struct estimate *e, const struct quantity_list *const lists[],
                             int count)
{
    struct time_range time;
    range_time(e, &time);
    if (isnan(time.sigma)) {
        json_null(json, "range");
        return;
    }
    json_open(json, "range", '{');
    for (int i = 0; i < count; i++)
        for (int k = 0; k < lists[i]->count; k++) {
            const struct quantity *row = &lists[i]->row[k];
            struct interval ends = range_of(&time, quantity_value(row, e), quantity_power(row));
            if (!isfinite(ends.low))
                continue;
            json_open(json, strchr(row->path, '.') + 1, '{');
            json_number(json, "low", ends.low);
            json_number(json, "high", ends.high);
            json_text(json, "basis", time.unseen ? "unseen" : "fitted");
            json_close(json, '}');
        }
    json_close(json, '}');
}

/* A count, or unknown. */
static double if_known(bool is_known, int count)
{
    return is_known ? (double)count : (double)NAN;
}

/* A yes or no, or unknown. */
static void write_if_known(struct json *json, const char *name, bool is_known, bool value)
{
    if (is_known)
        json_bool(json, name, value);
    else
        json_null(json, name);
}

/* ---- plan ------------------------------------------------------------------------------------------------------- */

static void write_set(struct json *json, const char *name, const struct param_row *row, unsigned mask)
{
    json_open(json, name, '[');
    for (int i = 0; row->choices[i]; i++)
        if (mask & 1u << i)
            json_text(json, NULL, row->choices[i]);
    json_close(json, ']');
}

static void write_layout(struct json *json, const char *name, const struct pipeline_layout *layout)
{
    if (layout->chunks == 0) {
        json_text(json, name, "auto");
        return;
    }
    json_open(json, name, '[');
    for (int i = 0; i < layout->chunks; i++) {
        if (layout->per_stage && i % layout->per_stage == 0)
            json_open(json, NULL, '[');
        json_number(json, NULL, layout->layers[i]);
        if (layout->per_stage && (i + 1) % layout->per_stage == 0)
            json_close(json, ']');
    }
    json_close(json, ']');
}

void json_value(struct json *json, const char *name, const struct plan *plan, enum param id)
{
    const struct param_row *row = &param_rows[id];
    char text[PARAM_TEXT_MAX];
    enum param_json kind = row->suffix == SUFFIX_VERSION ? PARAM_JSON_TEXT : param_type(id)->json;
    if (kind == PARAM_JSON_LAYOUT)
        write_layout(json, name, &plan->layout);
    else if (param_blank(plan, id))
        json_null(json, name);
    else if (kind == PARAM_JSON_BOOL)
        json_bool(json, name, plan->value[id] > 0);
    else if (kind == PARAM_JSON_SET)
        write_set(json, name, row, (unsigned)plan->value[id]);
    else if (kind == PARAM_JSON_TEXT)
        json_text(json, name, param_print(plan, id, text, sizeof text) > 0 ? text : NULL);
    else
        json_number(json, name, plan->value[id]);
}

static void write_plan(struct json *json, const struct estimate *e, const struct report_options *options)
{
    (void)options;
    int lines = json->lines; /* a key stands on one line */
    json->lines -= lines > 1;
    json_open(json, "plan", '{');
    for (int i = 0; i < PARAM_COUNT; i++) {
        json_open(json, param_rows[i].dotted, '{');
        json_value(json, "value", &e->plan, (enum param)i);
        json_text(json, "from", origin_names[e->plan.from[i]]);
        json_close(json, '}');
    }
    json_close(json, '}');
    json->lines = lines;
}

static void write_valid(struct json *json, const struct estimate *e, const struct report_options *options)
{
    (void)options;
    json_bool(json, "valid", e->diags.errors == 0);
}

static void write_probability(struct json *json, const struct estimate *e, const struct report_options *options)
{
    (void)e;
    (void)options;
    json_number(json, "range_probability", range_probability);
}

/* The paths of the values that a finding doubts. */
static void write_doubts(struct json *json, const char *doubts)
{
    char path[64];
    int used;
    json_open(json, "doubts", '[');
    for (; sscanf(doubts, "%63s%n", path, &used) == 1; doubts += used)
        json_text(json, NULL, path);
    json_close(json, ']');
}

static void write_diagnostics(struct json *json, const struct estimate *e, const struct report_options *options)
{
    (void)options;
    json_open(json, "diagnostics", '[');
    for (int i = 0; i < e->diags.count; i++) {
        const struct diag *diag = &e->diags.item[i];
        json_open(json, NULL, '{');
        json_text(json, "level", diag_level_names[diag->level]);
        json_text(json, "key", param_rows[diag->param].dotted);
        json_text(json, "rule", diag->rule);
        json_text(json, "message", diag->message);
        if (diag->doubts && diag->doubts[0])
            write_doubts(json, diag->doubts);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_remarks(struct json *json, const struct estimate *e, const struct report_options *options)
{
    (void)e;
    json_open(json, "remarks", '[');
    for (size_t i = 0; options->remarks && i < options->remarks->count; i++) {
        json_open(json, NULL, '{');
        json_text(json, "level", options->remarks->level[i] == MESSAGE_NOTE ? "note" : "warning");
        json_text(json, "message", options->remarks->line[i]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_unused(struct json *json, const struct estimate *e, const struct report_options *options)
{
    (void)e;
    json_open(json, "unused", '[');
    for (size_t i = 0; options->unused && i < options->unused->count; i++)
        json_text(json, NULL, options->unused->item[i].key);
    json_close(json, ']');
}

/* Words separated by blanks, numbers as such. */
static void write_choices(struct json *json, const char *choices)
{
    char word[QUESTION_TEXT_MAX];
    int used;
    json_open(json, "choices", '[');
    for (; sscanf(choices, "%95s%n", word, &used) == 1; choices += used)
        json_word(json, NULL, word);
    json_close(json, ']');
}

static void write_questions(struct json *json, const struct estimate *e, const struct report_options *options)
{
    (void)e;
    json_open(json, "questions", '[');
    for (int i = 0; options->questions && i < options->questions->count; i++) {
        const struct question *question = &options->questions->item[i];
        json_open(json, NULL, '{');
        json_text(json, "variable", question->variable);
        json_text(json, "kind", question_kind_names[question->kind]);
        write_choices(json, question->choices);
        json_bytes(json, "effect_bytes", question->effect_bytes);
        json_open(json, "decides", '[');
        for (int k = 0; k < question->count; k++)
            json_text(json, NULL, param_rows[question->decides[k]].dotted);
        json_close(json, ']');
        json_word(json, "assumed", *question->assumed ? question->assumed : NULL);
        json_text(json, "where", question->where);
        json_text(json, "how", question->how);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* ---- model ------------------------------------------------------------------------------------------------------ */

static void write_parameters(struct json *json, const struct estimate *e, const struct report_options *options)
{
    (void)options;
    json_open(json, "parameters", '{');
    json_number(json, "total", e->totals.total);
    json_number(json, "mtp", e->totals.mtp);
    json_number(json, "unpadded", e->totals.unpadded);
    json_number(json, "active", e->totals.active);
    json_number(json, "embedding", e->totals.embedding);
    json_number(json, "trainable", e->totals.trainable);
    json_number(json, "frozen", e->totals.frozen);
    json_number(json, "quantised", e->totals.quantised);
    if (e->is_computed)
        json_numbers(json, "per_stage", e->stage_params_all, (size_t)e->stages);
    else
        json_null(json, "per_stage");
    json_close(json, '}');
}

static void write_full_model(struct json *json, const struct estimate *e, const struct report_options *options)
{
    (void)options;
    const struct totals *t = &e->totals;
    json_open(json, "full_model", '{');
    json_number(json, "params", t->params);
    json_bytes(json, "param_bytes", t->param_bytes);
    json_bytes(json, "gradient_bytes", t->gradient_bytes);
    json_bytes(json, "optimizer_bytes", t->optimizer_bytes);
    json_bytes(json, "activations_bytes", t->activations_bytes);
    json_bytes(json, "total_bytes", t->total_bytes);
    json_close(json, '}');
}

/* A weight's shape: nothing for an operator without weights, one number for a vector. */
static void write_shape(struct json *json, const char *name, const struct op *op, double rows, double columns)
{
    const double shape[2] = {rows, columns};
    json_numbers(json, name, shape, op->times == 0 || rows == 0 ? 0 : columns == 1 && op->m == 0 ? 1 : 2);
}

static void write_traffic(struct json *json, const char *name, const struct layer_traffic *traffic)
{
    if (!traffic->op) {
        json_null(json, name);
        return;
    }
    json_open(json, name, '{');
    json_text(json, "op", traffic->op);
    json_numbers(json, "shape", traffic->shape, 3);
    json_bytes(json, "bytes", traffic->bytes);
    json_close(json, '}');
}

static void write_layer(struct json *json, const struct estimate *e, enum op_id id)
{
    struct op op;
    struct layer_traffic forward, backward;
    char path[REPORT_PATH_MAX];
    estimate_op(e, id, &op);
    double bias = op.out > 0 ? op.bias * op.out_rank / op.out : op.bias;
    report_layer_path(id, path);
    detail_traffic(e, id, &forward, &backward);
    json_open(json, NULL, '{');
    json_text(json, "path", path);
    json_number(json, "count", estimate_op_count(e, id));
    write_shape(json, "full_shape", &op, op.out, op.in);
    write_shape(json, "param_shape", &op, op.out_rank, op.in_rank);
    json_numbers(json, "bias_shape", &bias, bias > 0);
    json_number(json, "weights", op.times);
    for (int i = 0; i < layer_shown_count; i++)
        write_quantity(json, layer_shown[i].name, layer_shown[i].of(e, id));
    write_traffic(json, "tp_forward", &forward);
    write_traffic(json, "tp_backward", &backward);
    json_close(json, '}');
}

static void write_layers(struct json *json, const struct estimate *e, const struct report_options *options)
{
    (void)options;
    enum op_id id;
    if (!e->is_computed) {
        json_null(json, "layers");
        return;
    }
    json_open(json, "layers", '[');
    for (int i = 0; explain_layer_row(e, i, &id); i++)
        write_layer(json, e, id);
    json_close(json, ']');
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static void write_by_operator(struct json *json, const struct estimate *e, int stage)
{
    char path[REPORT_PATH_MAX];
    enum op_id id;
    double bytes;
    if (!e->is_modelled) {
        json_null(json, "by_operator");
        return;
    }
    json_open(json, "by_operator", '[');
    for (int i = 0; detail_kept(e, stage, i, &id, &bytes); i++) {
        if (id < OP_COUNT)
            report_layer_path(id, path);
        else
            snprintf(path, sizeof path, "decoder/layer/input");
        json_open(json, NULL, '{');
        json_text(json, "path", path);
        json_bytes(json, "bytes", bytes);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* Points as [event, bytes]; the event names pass, micro-batch and, with several chunks, the chunk. */
static void write_timeline(struct json *json, const struct estimate *e, int stage)
{
    struct timeline_point *points = xmalloc(TIMELINE_POINTS_MAX * sizeof *points);
    int count = timeline_of(e, stage, points, TIMELINE_POINTS_MAX);
    if (count == 0)
        json_null(json, "timeline");
    else
        json_open(json, "timeline", '[');
    for (int i = 0; i < count; i++) {
        char event[48];
        int used = snprintf(event, sizeof event, "%s", timeline_event_names[points[i].event]);
        if (points[i].micro_batch >= 0)
            used += snprintf(event + used, sizeof event - (size_t)used, " %d", points[i].micro_batch);
        if (points[i].micro_batch >= 0 && e->schedule.chunks > 1)
            snprintf(event + used, sizeof event - (size_t)used, " chunk %d", points[i].chunk);
        json_open(json, NULL, '[');
        json_text(json, NULL, event);
        json_bytes(json, NULL, points[i].bytes);
        json_close(json, ']');
    }
    if (count > 0)
        json_close(json, ']');
    free(points);
}

static void write_stage(struct json *json, const struct estimate *e, int i)
{
    struct stage stage;
    report_stage_rounded(e, i, &stage);
    const double layers[2] = {e->split[i].first_layer, e->split[i].last_layer};
    json_open(json, NULL, '{');
    json_number(json, "stage", i);
    json_numbers(json, "layers", layers, e->split[i].layers > 0 ? 2 : 0);
    json_number(json, "layer_count", e->split[i].layers);
    json_number(json, "in_flight", stage.chunks_in_flight);
    json_number(json, "chunks_waiting", stage.chunks_waiting);
    json_number(json, "params", stage.params);
    for (int k = 0; k < stage_components.count; k++)
        if (stage_components.row[k].kind != COMPONENT_ROOM)
            json_bytes(json, stage_components.row[k].term, stage_component(&stage_components.row[k], e, &stage));
    json_text(json, "peak_at", e->is_modelled && !e->is_serving ? peak_at_names[stage_peak_at(&e->stage[i])] : NULL);
    write_by_operator(json, e, i);
    write_timeline(json, e, i);
    json_bytes(json, "steady_bytes", e->stage[i].steady_bytes);
    json_bytes(json, "host_bytes", e->stage[i].host_bytes);
    json_close(json, '}');
}

/* The 80 % range of one figure. */
static void write_ends(struct json *json, const char *name, double low, double high)
{
    json_open(json, name, '{');
    write_quantity(json, "low", round(low));
    write_quantity(json, "high", round(high));
    json_close(json, '}');
}

/* The ranges of every stage's memory. */
static void write_memory_range(struct json *json, const struct estimate *e)
{
    static const struct {
        const char *name;
        size_t low, high;
    } rows[] = {
#define ROW(figure)                                                                                                    \
    {#figure "_bytes", offsetof(struct memory_range, figure##_low), offsetof(struct memory_range, figure##_high)}
        ROW(allocated), ROW(reserved), ROW(device)
#undef ROW
    };
    if (!e->is_computed || !e->is_modelled || e->is_serving) {
        json_null(json, "range");
        return;
    }
    json_open(json, "range", '{');
    for (size_t k = 0; k < LENGTH(rows); k++) {
        json_open(json, rows[k].name, '[');
        for (int i = 0; i < e->stages; i++) {
            struct memory_range range;
            range_memory(e, i, &range);
            write_ends(json, NULL, *(double *)((char *)&range + rows[k].low),
                       *(double *)((char *)&range + rows[k].high));
        }
        json_close(json, ']');
    }
    json_close(json, '}');
}

static void write_memory(struct json *json, const struct estimate *e, const struct report_options *options)
{
    (void)options;
    bool is_known = isfinite(e->headroom_bytes);
    json_open(json, "memory", '{');
    json_bytes(json, "capacity_bytes", e->capacity_bytes);
    json_bytes(json, "usable_bytes", e->usable_bytes);
    write_if_known(json, "fits", is_known && range_verdict(e) != VERDICT_UNKNOWN, e->fits);
    json_text(json, "verdict", verdict_names[range_verdict(e)]);
    json_number(json, "probability", range_fit_probability(e));
    json_bytes(json, "headroom_bytes", report_headroom(e));
    json_number(json, "peak_stage", if_known(e->is_modelled && e->is_computed, e->peak_stage));
    if (e->is_computed) {
        json_open(json, "stages", '[');
        for (int i = 0; i < e->stages; i++)
            write_stage(json, e, i);
        json_close(json, ']');
    } else {
        json_null(json, "stages");
    }
    write_if_known(json, "host_fits", e->is_computed && e->is_modelled, e->host_fits);
    write_memory_range(json, e);
    json_close(json, '}');
}

/* ---- grid ------------------------------------------------------------------------------------------------------- */

static void write_groups(struct json *json, const struct rank_grid *grid, enum rank_axis axis)
{
    json_open(json, rank_axis_names[axis], '[');
    for (int i = 0; i < rank_group_count(grid, axis); i++) {
        int first = rank_group_first(grid, axis, i);
        json_open(json, NULL, '[');
        for (int k = 0; k < grid->size[axis]; k++)
            json_number(json, NULL, first + k * grid->stride[axis]);
        json_close(json, ']');
    }
    json_close(json, ']');
}

static void write_rank(struct json *json, const struct rank_grid *grid, int rank)
{
    static const enum rank_axis axes[] = {AXIS_TP, AXIS_CP, AXIS_DP, AXIS_PP, AXIS_EP};
    struct rank_place place;
    rank_place_of(grid, rank, &place);
    json_open(json, NULL, '{');
    json_number(json, "rank", rank);
    json_number(json, "node", place.node);
    json_number(json, "gpu", place.gpu);
    for (size_t i = 0; i < LENGTH(axes); i++)
        json_number(json, rank_axis_names[axes[i]], place.at[axes[i]]);
    json_close(json, '}');
}

static void write_grid(struct json *json, const struct estimate *e, const struct report_options *options)
{
    const struct rank_grid *grid = &e->grid;
    char order[64];
    param_print(&e->plan, PARAM_parallel_order, order, sizeof order);
    json_open(json, "grid", '{');
    json_text(json, "order", order);
    json_number(json, "world", if_known(e->is_computed, grid->world));
    json_number(json, "gpus_per_node", if_known(e->is_computed, grid->gpus_per_node));
    if (report_lists_ranks(e, options)) {
        json_open(json, "groups", '{');
        for (int axis = 0; axis < AXIS_COUNT; axis++)
            write_groups(json, grid, (enum rank_axis)axis);
        json_close(json, '}');
        json_open(json, "rank", '[');
        for (int rank = 0; rank < grid->world; rank++)
            write_rank(json, grid, rank);
        json_close(json, ']');
    }
    json_close(json, '}');
}

/* ---- communication, time ---------------------------------------------------------------------------------------- */

static void write_comm_column(struct json *json, const struct comm_column *column, const struct comm_walk *walk)
{
    const struct comm *row = &walk->comm[walk->id];
    size_t rank = 0;
    while (rank < LENGTH(row->shape) && row->shape[rank] > 0)
        rank++;
    if (column->content == CONTENT_STAGE)
        json_number(json, column->name, walk->stage);
    else if (column->content == CONTENT_TEXT)
        json_text(json, column->name, column->text(walk->id));
    else if (column->content == CONTENT_YES_NO)
        json_bool(json, column->name, row->crosses_nodes);
    else if (column->content == CONTENT_SHAPE)
        json_numbers(json, column->name, row->shape, rank);
    else
        write_quantity(json, column->name, comm_number(column, row));
}

static void write_row(struct json *json, const struct comm_walk *walk)
{
    json_open(json, NULL, '{');
    for (int i = 0; i < comm_shown_count; i++)
        write_comm_column(json, &comm_shown[i], walk);
    json_close(json, '}');
}

static void write_communication(struct json *json, const struct estimate *e, const struct report_options *options)
{
    (void)options;
    struct comm_walk walk = {.estimate = e};
    if (!e->is_computed) {
        json_null(json, "communication");
        return;
    }
    json_open(json, "communication", '[');
    while (comm_walk_next(&walk))
        write_row(json, &walk);
    json_close(json, ']');
}

/* Where the iteration of each stage goes; the parts sum to it. */
static void write_stage_times(struct json *json, const struct estimate *e)
{
    json_open(json, "stages", '[');
    for (int i = 0; i < e->stages && !e->is_serving; i++) {
        struct stage_time time;
        stage_time_of(e, i, &time);
        json_open(json, NULL, '{');
        json_number(json, "stage", i);
        for (int k = 0; k < TIME_PARTS_MAX; k++)
            json_number(json, time_parts[k].term, time_part(&time_parts[k], &time));
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_time(struct json *json, const struct estimate *e, const struct report_options *options)
{
    (void)options;
    json_open(json, "time", '{');
    write_quantities(json, e, &time_quantities);
    write_quantities(json, e, &speed_quantities);
    json_number(json, "binding_stage", if_known(isfinite(report_step(e, "iteration_s")), e->binding_stage));
    write_time_range(json, e, (const struct quantity_list *const[]){&time_quantities, &speed_quantities}, 2);
    write_stage_times(json, e);
    json_close(json, '}');
}

static void write_training(struct json *json, const struct estimate *e, const struct report_options *options)
{
    (void)options;
    json_open(json, "training", '{');
    write_quantities(json, e, &training_quantities);
    write_time_range(json, e, (const struct quantity_list *const[]){&training_quantities}, 1);
    json_close(json, '}');
}

static void write_checkpoint(struct json *json, const struct estimate *e, const struct report_options *options)
{
    (void)options;
    json_open(json, "checkpoint", '{');
    write_quantities(json, e, &checkpoint_quantities);
    json_close(json, '}');
}

static void write_serving(struct json *json, const struct estimate *e, const struct report_options *options)
{
    (void)options;
    if (!e->is_serving || !e->is_computed) {
        json_null(json, "serving");
        return;
    }
    json_open(json, "serving", '{');
    for (size_t i = 0; i < serving_term_count; i++) {
        bool is_bytes = strcmp(serving_terms[i].unit, "bytes") == 0 && serving_terms[i].text[0];
        (is_bytes ? json_bytes : json_number)(json, serving_terms[i].name, term_value(&serving_terms[i], &e->serving));
    }
    json_close(json, '}');
}

/* ---- the check -------------------------------------------------------------------------------------------------- */

void json_check(struct json *json, const struct estimate *e)
{
    struct buffer line = {0};
    report_check(&line, e);
    line.text[line.size - 1] = '\0'; /* the line's end */
    json_open(json, NULL, '{');
    json_number(json, "schema", JSON_SCHEMA);
    json_bool(json, "valid", e->diags.errors == 0);
    json_text(json, "verdict", verdict_names[range_verdict(e)]);
    json_number(json, "probability", range_fit_probability(e));
    json_bytes(json, "headroom_bytes", report_headroom(e));
    if (e->plan.text[TEXT_GPU][0])
        json_text(json, "gpu", e->plan.text[TEXT_GPU]);
    else
        json_null(json, "gpu");
    json_open(json, "assumed", '[');
    for (const enum param *key = report_rests_on; *key != PARAM_COUNT; key++)
        if (report_is_assumed(e, *key))
            json_text(json, NULL, param_rows[*key].dotted);
    json_close(json, ']');
    json_text(json, "message", line.text);
    json_close(json, '}');
    buffer_free(&line);
}

/* ---- the result ------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum report_section section;
    void (*write)(struct json *json, const struct estimate *e, const struct report_options *options);
} members[] = {
    {"valid", SECTION_SUMMARY, write_valid},
    {"range_probability", SECTION_SUMMARY, write_probability},
    {"plan", SECTION_SUMMARY, write_plan},
    {"diagnostics", SECTION_DIAGNOSTICS, write_diagnostics},
    {"remarks", SECTION_DIAGNOSTICS, write_remarks},
    {"unused", SECTION_DIAGNOSTICS, write_unused},
    {"questions", SECTION_DIAGNOSTICS, write_questions},
    {"parameters", SECTION_SUMMARY, write_parameters},
    {"full_model", SECTION_LAYERS, write_full_model},
    {"layers", SECTION_LAYERS, write_layers},
    {"memory", SECTION_MEMORY, write_memory},
    {"grid", SECTION_GRID, write_grid},
    {"communication", SECTION_COMMUNICATION, write_communication},
    {"time", SECTION_TIME, write_time},
    {"training", SECTION_TRAINING, write_training},
    {"checkpoint", SECTION_CHECKPOINT, write_checkpoint},
    {"serving", SECTION_SERVING, write_serving},
};

/* A member of a section that is not asked for, or that nobody wants, is not written. */
static bool is_asked(const struct report_options *options, size_t member)
{
    bool is_in = options->section == SECTION_ALL || options->section == members[member].section;
    return is_in && (!options->want || want_has(options->want, members[member].name));
}

void json_result(struct json *json, const char *name, const struct estimate *e, const struct report_options *options)
{
    json_open(json, name, '{');
    json_number(json, "schema", JSON_SCHEMA);
    for (size_t i = 0; i < LENGTH(members); i++)
        if (is_asked(options, i))
            members[i].write(json, e, options);
    json_close(json, '}');
}
