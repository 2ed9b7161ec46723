#include "core/base.h"
#include "core/estimate/iteration.h"
#include "core/estimate/load.h"
#include "core/estimate/pipeline.h"
#include "core/estimate/stage_time.h"
#include "core/explain/detail.h"
#include "core/explain/formula.h"
#include "core/explain/open.h"
#include "core/plan/framework.h"
#include "core/plan/split.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what stands beside a formula ------------------------------------------------------------------------------- */

/* What a figure leaves out, by name. */
static const struct {
    const char *name, *not_included;
} limits[] = {
    {"allocated_bytes", "fragmentation, driver context and NCCL buffers, which have their own lines"},
    {"reserved_bytes", "driver context and NCCL buffers"},
    {"device_bytes", "other processes on the device"},
    {"activations_bytes", "logits and temporary memory at the peak (transient_bytes)"},
    {"iteration_s", "data loading, evaluation, checkpoint writing, stragglers"},
    {"tokens_per_s", "data loading, evaluation, checkpoint writing, stragglers"},
    {"cost", "storage, network traffic, idle time, and how far prices of a GPU hour differ"},
    {"cost_per_1t_tokens", "storage, network traffic, idle time, and how far prices of a GPU hour differ"},
    {"kwh", "host, network and cooling"},
    {"total_bytes", "random states and data-loader positions"},
    {"sent_bytes_per_rank", "protocol overhead"},
    {"params", "buffers that are not parameters"},
};

static const char *limits_of(const char *name)
{
    for (size_t i = 0; i < LENGTH(limits); i++)
        if (strcmp(limits[i].name, name) == 0)
            return limits[i].not_included;
    return "";
}

/*
 * How far a time can be trusted: it rests on the efficiencies of the device, which are calibrated when a file or the
 * user gave them, else measured or borrowed as its own file says. Only an iteration that was measured is measured
 * itself.
 */
static enum basis time_basis(const struct estimate *e, const char *name)
{
    if (strcmp(name, "iteration_s") == 0 && !isnan(KEY_OF(&e->plan, train, measured_iteration_s)))
        return BASIS_MEASURED;
    static const enum param keys[] = {PARAM_hardware_gemm_efficiency, PARAM_hardware_attention_efficiency,
                                      PARAM_hardware_memory_efficiency, PARAM_hardware_network_efficiency};
    for (size_t i = 0; i < LENGTH(keys); i++)
        if (e->plan.from[keys[i]] >= FROM_FILE)
            return BASIS_CALIBRATED;
    bool is_measured = strcmp(gpu_basis(&e->plan.gpu, e->symbols.fp8 > 0), "measured") == 0 &&
                       KEY_OF(&e->plan, train, dtype) != DTYPE_NVFP4;
    return is_measured ? BASIS_FORMULA : BASIS_BORROWED;
}

/* ---- scopes ----------------------------------------------------------------------------------------------------- */

/* Whether a member of the stage comes from the order of passes, played, so that words stand for a formula. */
static bool is_played(const struct estimate *e, const char *name)
{
    static const char *const names[] = {"chunks_in_flight", "dense_in_flight", "moe_in_flight", "embed_in_flight"};
    for (size_t i = 0; pipeline_is_played(&e->schedule) && i < LENGTH(names); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static struct scopes scopes_of(const struct estimate *e)
{
    return (struct scopes){.estimate = e, .plan = &e->plan};
}

static void add_symbols(struct scopes *scopes)
{
    scope_add(scopes, symbol_terms, symbol_term_count, &scopes->estimate->symbols, "symbols.", 0);
    scope_add(scopes, constant_terms, constant_count, constant_values, "constants.", 0);
}

static void add_full_symbols(struct scopes *scopes)
{
    scope_add(scopes, symbol_terms, symbol_term_count, &scopes->estimate->unparallel, "full_model.symbols.", 0);
    scope_add(scopes, constant_terms, constant_count, constant_values, "constants.", 0);
}

static void add_stage(struct scopes *scopes, int stage)
{
    scope_add(scopes, stage_terms, stage_term_count, &scopes->estimate->stage[stage], "memory.stages.#.", stage);
}

static void add_pass(struct scopes *scopes, int stage)
{
    scope_add(scopes, pass_terms, pass_term_count, &scopes->estimate->pass[stage], "memory.stages.#.", stage);
}

static const struct term *find(const struct term *rows, size_t count, const char *name)
{
    return term_find(rows, count, name, strlen(name));
}

/* ---- one term --------------------------------------------------------------------------------------------------- */

/* Where the columns of an operator are opened. */
static void op_prefix(const struct estimate *e, enum op_id id, bool is_full, char out[64])
{
    int layer = is_full ? -1 : explain_layer_of(e, id);
    if (layer >= 0)
        snprintf(out, 64, "layers.%d.", layer);
    else
        snprintf(out, 64, "%soperators.%s.", is_full ? "full_model." : "", op_rows[id].id);
}

/* A figure of an operator, or of its time. */
static double op_value(const struct estimate *e, enum op_id id, const struct op *op, const char *column)
{
    const struct term *term = find(op_columns, op_column_count, column);
    struct op_time time;
    term = term ? term : find(op_terms, op_term_count, column);
    if (term)
        return term_value(term, op);
    estimate_op_time(e, id, &time);
    return term_value(find(op_time_terms, op_time_term_count, column), &time);
}

/* A sum of one column over the operators of a set. */
static void write_fold(const struct scopes *scopes, const struct term *term, struct explanation *out)
{
    const struct estimate *e = scopes->estimate;
    sum_begin(out);
    for (int i = 0; i < OP_COUNT; i++) {
        struct op op;
        char prefix[64];
        if (!op_is_in((enum op_set)term->set, (enum op_id)i))
            continue;
        (scopes->is_full ? estimate_full_op : estimate_op)(e, (enum op_id)i, &op);
        if (op.when == 0)
            continue;
        const char *slash = strchr(op_rows[i].path, '/');
        struct summand part = {.label = op_rows[i].path, .value = op_value(e, (enum op_id)i, &op, term->column)};
        snprintf(part.name, sizeof part.name, "%s", slash ? slash + 1 : op_rows[i].path);
        for (char *c = part.name; *c; c++)
            *c = *c == '/' ? '.' : *c;
        op_prefix(e, (enum op_id)i, scopes->is_full, prefix);
        snprintf(part.path, sizeof part.path, "%s%s", prefix, term->column);
        sum_add(out, &part);
    }
    sum_end(out);
}

/* What every kind of figure has. */
static void describe(const struct scopes *scopes, const struct term *term, double value, const char *source,
                     struct explanation *out)
{
    out->label = term->label;
    out->unit = term->unit;
    out->value = value;
    source_write(source ? source : term->source, out->source, sizeof out->source);
    out->is_time = strcmp(term->unit, "s") == 0 || strstr(term->unit, "/s") || strncmp(term->name + 1, "fu", 2) == 0;
    out->basis = out->is_time ? time_basis(scopes->estimate, term->name) : term->basis;
    out->not_included = limits_of(term->name);
}

/* Opens a term with another text than its own, or with its own where `text` is NULL. */
static int open_text(const struct scopes *scopes, const struct term *term, double value, const char *text,
                     const char *source, struct explanation *out)
{
    out->value = value;
    if (out->is_number)
        return 0;
    describe(scopes, term, value, source, out);
    text = text ? text : term->text;
    if (term->column && isnan(value))
        formula_words(scopes, "the sum over the operators of a part of the model", out);
    else if (term->column && scopes->estimate->plan.pattern.layers > 0)
        formula_words(scopes, "the mean over the layers here, each by its kind in model.layer_pattern", out);
    else if (term->column)
        write_fold(scopes, term, out);
    else if (strncmp(text, "the ", 4) == 0)
        formula_words(scopes, text, out);
    else
        formula_write(scopes, text, out);
    return 0;
}

static int open_term(const struct scopes *scopes, const struct term *term, const void *sheet, struct explanation *out)
{
    return open_text(scopes, term, term_value(term, sheet), NULL, NULL, out);
}

/* A figure that no sheet holds. */
static int open_fact(const struct scopes *scopes, const char *name, const char *unit, const char *label, double value,
                     const char *text, struct explanation *out)
{
    const struct term term = {
        .name = name, .unit = unit, .label = label, .text = text, .source = "", .basis = BASIS_EXACT};
    return open_text(scopes, &term, value, NULL, NULL, out);
}

int open_plain(const struct estimate *e, const char *name, const char *unit, const char *label, double value,
               const char *text, struct explanation *out)
{
    struct scopes scopes = scopes_of(e);
    add_symbols(&scopes);
    return open_fact(&scopes, name, unit, label, value, text, out);
}

/* ---- stages ----------------------------------------------------------------------------------------------------- */

/* The chunk of a stage; false when there is none. */
static bool chunk_of(const struct estimate *e, int stage, int chunk, struct chunk *out)
{
    struct split split;
    struct fullest fullest;
    const struct schedule_shape *schedule = &e->schedule;
    if (stage < 0 || stage >= e->stages || split_layers(&e->plan, &split) == SPLIT_NONE || chunk < 0 ||
        chunk >= pipeline_pass_chunks(schedule))
        return false;
    bool is_played = pipeline_is_played(schedule);
    if (is_played)
        pipeline_fullest(&e->plan, &split, schedule, &e->stage[stage], &fullest);
    double in_flight = is_played ? fullest.alive.kept[chunk] : schedule_chunk_in_flight(schedule, stage, chunk);
    pipeline_chunk(&e->plan, &split, schedule, stage, chunk, in_flight, out);
    return true;
}

/* An equation that holds where parts are alike, and what it gives. */
struct spelled {
    const char *text;
    double value;
};
#define SPELLED(expression) {#expression, (expression)}

static int open_chunk(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    const struct term *term = find(chunk_terms, chunk_term_count, name);
    struct scopes scopes = scopes_of(e);
    struct chunk chunk;
    if (!term || !chunk_of(e, at.first, at.second, &chunk))
        return -1;
    char prefix[64];
    snprintf(prefix, sizeof prefix, "memory.stages.%d.chunks.#.", at.first);
    scope_add(&scopes, chunk_terms, chunk_term_count, &chunk, prefix, at.second);
    add_stage(&scopes, at.first);
    add_symbols(&scopes);
    const double L = e->symbols.L, p = e->symbols.p, V = e->symbols.V;
    const struct spelled even = SPELLED(L/(p*V));
    if (strcmp(name, "layers") == 0 && chunk.layers == even.value)
        return open_text(&scopes, term, chunk.layers, even.text, "", out);
    const struct schedule_row *row = &schedule_rows[e->schedule.kind];
    const char *text = pipeline_is_played(&e->schedule) ? "the order of passes, simulated up to the stage's peak: "
                                                          "forward passes of the chunk whose backward pass has not run"
                                                        : row->text[SCHEDULE_CHUNK_IN_FLIGHT];
    return term->text ? open_term(&scopes, term, &chunk, out)
                      : open_text(&scopes, term, chunk.in_flight, text, row->source, out);
}

/* The first chunk of the stage itself: with DualPipe, chunk 0 of the later half belongs to the other end. */
static int first_own_chunk(const struct schedule_shape *schedule, int stage)
{
    return schedule->kind == SCHEDULE_DUALPIPE && schedule_place(schedule, stage, 0) != stage;
}

/* A member of the stage that is the sum of the same member over its chunks. */
static int open_chunk_sum(const struct scopes *scopes, int stage, const struct term *term, struct explanation *out)
{
    const struct estimate *e = scopes->estimate;
    const struct term *member = find(chunk_terms, chunk_term_count, term->name);
    struct chunk chunk;
    describe(scopes, term, term_value(term, &e->stage[stage]), NULL, out);
    if (e->schedule.chunks > EXPLAIN_INPUTS_MAX / 2) {
        formula_words(scopes, "the sum over the chunks of the stage", out);
        return 0;
    }
    sum_begin(out);
    int own = first_own_chunk(&e->schedule, stage);
    for (int i = own; i < own + e->schedule.chunks && chunk_of(e, stage, i, &chunk); i++) {
        struct summand part = {.label = member->label, .value = term_value(member, &chunk)};
        snprintf(part.name, sizeof part.name, "chunk_%d", i);
        snprintf(part.path, sizeof part.path, "memory.stages.%d.chunks.%d.%s", stage, i, term->name);
        sum_add(out, &part);
    }
    sum_end(out);
    return 0;
}

/* What comes from the schedule. */
static int open_flight(struct scopes *scopes, int stage, const struct term *term, enum schedule_column column,
                       struct explanation *out)
{
    const struct estimate *e = scopes->estimate;
    const struct schedule_row *row = &schedule_rows[e->schedule.kind];
    struct flight flight;
    schedule_flight(&e->schedule, stage, &flight);
    scope_add(scopes, flight_terms, flight_term_count, &flight, "memory.stages.#.", stage);
    add_symbols(scopes);
    bool is_alone = column == SCHEDULE_IN_FLIGHT && e->schedule.stages == 1;
    return open_text(scopes, term, term_value(term, &e->stage[stage]),
                     is_alone ? schedule_one_stage : row->text[column], row->source, out);
}

static int open_flight_term(struct scopes *scopes, int stage, const struct term *term, struct explanation *out)
{
    struct flight flight;
    schedule_flight(&scopes->estimate->schedule, stage, &flight);
    scope_add(scopes, flight_terms, flight_term_count, &flight, "memory.stages.#.", stage);
    add_symbols(scopes);
    return open_term(scopes, term, &flight, out);
}

/* As the result calls members of the stage. */
static const char *stage_name(const char *name)
{
    static const char *const other[][2] = {{"in_flight", "chunks_in_flight"}, {"layer_count", "layers"}};
    for (size_t i = 0; i < LENGTH(other); i++)
        if (strcmp(other[i][0], name) == 0)
            return other[i][1];
    return name;
}

/* Where all chunks of a stage are alike, layers in flight are written as layers of a chunk times passes. */
static void spell_layers(struct scopes *scopes, int stage)
{
#define EVEN(ROW)                                                                                                      \
    ROW(dense_in_flight, (layers - moe_layers)/V*chunks_in_flight) ROW(moe_in_flight, moe_layers/V*chunks_in_flight)
#define TEXT(name_, expression) {.name = #name_, .text = #expression},
#define DIFFERS(name, expression) || y->name != (expression)
    static const struct term even[] = {EVEN(TEXT)};
    const struct stage *y = &scopes->estimate->stage[stage];
    const double V = scopes->estimate->symbols.V, layers = y->layers, moe_layers = y->moe_layers,
                 chunks_in_flight = y->chunks_in_flight;
    if (false EVEN(DIFFERS))
        return;
    scopes->spelled = even;
    scopes->spelled_count = LENGTH(even);
}

static int open_stage(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    if (at.first < 0 || at.first >= e->stages)
        return -1;
    struct scopes scopes = scopes_of(e);
    name = stage_name(name);
    const struct term *term = find(stage_terms, stage_term_count, name),
                      *pass = find(pass_terms, pass_term_count, name);
    const struct term *flight = find(flight_terms, flight_term_count, name);
    if (strcmp(name, "first_in_flight") == 0)
        return open_chunk(e, (struct path_index){at.first, 0}, "in_flight", out);
    add_stage(&scopes, at.first);
    if (strcmp(name, "in_flight_bytes") == 0)
        spell_layers(&scopes, at.first);
    if (term && is_played(e, name))
        return open_text(&scopes, term, term_value(term, &e->stage[at.first]), NULL,
                         schedule_rows[e->schedule.kind].source, out);
    if (term && strcmp(name, "chunks_in_flight") == 0)
        return open_flight(&scopes, at.first, term, SCHEDULE_IN_FLIGHT, out);
    if (term && strcmp(name, "embed_in_flight") == 0)
        return open_flight(&scopes, at.first, term, SCHEDULE_FIRST_CHUNK, out);
    if (term && find(chunk_terms, chunk_term_count, name))
        return open_chunk_sum(&scopes, at.first, term, out);
    if (!term && flight)
        return open_flight_term(&scopes, at.first, flight, out);
    if (!term && !pass)
        return -1;
    if (!term)
        add_pass(&scopes, at.first);
    add_symbols(&scopes);
    return term ? open_term(&scopes, term, &e->stage[at.first], out)
                : open_term(&scopes, pass, &e->pass[at.first], out);
}

static int open_kept(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    const struct term *term = find(kept_terms, kept_term_count, name);
    struct scopes scopes = scopes_of(e);
    struct kept kept;
    struct op op;
    enum op_id id;
    double bytes;
    char prefix[64];
    if (!term || at.first < 0 || at.first >= e->stages || at.second < 0 ||
        !detail_kept(e, at.first, at.second, &id, &bytes))
        return -1;
    detail_keep(e, at.first, id, &kept);
    snprintf(prefix, sizeof prefix, "memory.stages.%d.by_operator.#.", at.first);
    scope_add(&scopes, kept_terms, kept_term_count, &kept, prefix, at.second);
    if (id < OP_COUNT) {
        op_prefix(e, id, false, prefix);
        estimate_op(e, id, &op);
        scope_add(&scopes, op_columns, op_column_count, &op, prefix, 0);
        scope_add(&scopes, op_terms, op_term_count, &op, prefix, 0);
    }
    add_stage(&scopes, at.first);
    add_symbols(&scopes);
    spell_layers(&scopes, at.first);
    if (id == OP_COUNT && strcmp(name, "bytes") == 0)
        term = find(kept_terms, kept_term_count, "inputs_bytes");
    return open_term(&scopes, term, &kept, out);
}

static int open_memory(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    (void)at;
    struct scopes scopes = scopes_of(e);
    double fullest = e->is_modelled && e->is_computed ? e->peak_stage : (double)NAN;
    if (strcmp(name, "peak_stage") == 0 && e->stages > 0)
        return open_fact(&scopes, name, "", "the stage whose device memory is fullest, counted from 0", fullest,
                         e->is_serving ? "the first stage with the largest params"
                                       : "the first stage with the largest device_bytes",
                         out);
    if (strcmp(name, "headroom_bytes") == 0 && e->is_serving && e->stages > 0) {
        scope_add(&scopes, serving_terms, serving_term_count, &e->serving, "serving.", 0);
        return open_fact(&scopes, name, "bytes", "left of the memory that serving may use", e->headroom_bytes,
                         "room_bytes - needed_bytes", out);
    }
    if (strcmp(name, "headroom_bytes") == 0 && open_stage(e, (struct path_index){e->peak_stage, -1}, name, out) == 0) {
        out->label = "left on the fullest stage";
        return 0;
    }
    if (strcmp(name, "headroom_bytes") == 0)
        return open_fact(&scopes, name, "bytes", "left on the fullest stage", e->headroom_bytes,
                         "the least headroom_bytes over the stages", out);
    add_symbols(&scopes);
    bool is_usable = strcmp(name, "usable_bytes") == 0;
    if (!is_usable && strcmp(name, "capacity_bytes") != 0)
        return -1;
    return open_text(&scopes, find(symbol_terms, symbol_term_count, name),
                     is_usable ? e->usable_bytes : e->capacity_bytes, NULL, NULL, out);
}

/* ---- operators -------------------------------------------------------------------------------------------------- */

/* As the result calls columns of an operator. */
static const char *column_name(const char *name)
{
    static const char *const other[][2] = {{"saved_bytes", "saved"}, {"weights", "times"}};
    for (size_t i = 0; i < LENGTH(other); i++)
        if (strcmp(other[i][0], name) == 0)
            return other[i][1];
    return name;
}

/* The text of a member that follows from the columns. */
static const char *derived_text(enum op_id id, const char *name)
{
    static const char *const linear[LINEAR_COLUMNS] = {"matrices", "adapters", "adapter_in", "adapter_out",
                                                       "adapter_own"};
    for (int i = 0; i < LINEAR_COLUMNS; i++)
        if (strcmp(linear[i], name) == 0)
            return op_linear_text[id][i] ? op_linear_text[id][i] : "0";
    return strcmp(name, "rows_cut") == 0      ? split_rows_text[op_rows[id].split]
           : strcmp(name, "columns_cut") == 0 ? split_columns_text[op_rows[id].split]
           : strcmp(name, "input") == 0       ? (op_input_text[id] ? op_input_text[id] : "0")
                                              : NULL;
}

/* Opens a member of an operator; `scopes` holds the symbols of its sheet, `time` is NULL for the full model. */
static int open_op(struct scopes *scopes, enum op_id id, const struct op *op, const struct op_time *time,
                   const char *name, struct explanation *out)
{
    name = column_name(name);
    const struct term *column = find(op_columns, op_column_count, name), *derived = find(op_terms, op_term_count, name);
    const struct term *timed = time ? find(op_time_terms, op_time_term_count, name) : NULL;
    char prefix[64];
    op_prefix(scopes->estimate, id, !time, prefix);
    if (column) { /* a formula may use columns before it; names of symbols come first */
        scope_add(scopes, op_columns, op_column_count, op, prefix, 0);
        scope_add(scopes, op_terms, op_term_count, op, prefix, 0);
        return open_text(scopes, column, term_value(column, op), op_rows[id].text[column - op_columns],
                         op_rows[id].source, out);
    }
    struct scopes all = *scopes;
    all.count = 0;
    if (!derived && timed)
        scope_add(&all, op_time_terms, op_time_term_count, time, prefix, 0);
    scope_add(&all, op_columns, op_column_count, op, prefix, 0);
    scope_add(&all, op_terms, op_term_count, op, prefix, 0);
    all.scope[all.count++] = scopes->scope[0];
    all.scope[all.count++] = scopes->scope[1];
    return derived ? open_text(&all, derived, term_value(derived, op), derived_text(id, name), op_rows[id].source, out)
           : timed ? open_term(&all, timed, time, out)
                   : -1;
}

static int open_operator(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    struct scopes scopes = scopes_of(e);
    struct op op;
    struct op_time time;
    if (at.first < 0 || e->stages == 0 || !op_is_there(&e->symbols, (enum op_id)at.first))
        return -1;
    add_symbols(&scopes);
    estimate_op(e, (enum op_id)at.first, &op);
    estimate_op_time(e, (enum op_id)at.first, &time);
    return open_op(&scopes, (enum op_id)at.first, &op, &time, name, out);
}

static int open_full_operator(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    struct scopes scopes = scopes_of(e);
    struct plan plan;
    struct op op;
    if (at.first < 0 || isnan(e->totals.total) || !op_is_there(&e->unparallel, (enum op_id)at.first))
        return -1;
    symbols_unparallel_plan(&e->plan, &plan);
    scopes.plan = &plan;
    scopes.is_full = true;
    add_full_symbols(&scopes);
    estimate_full_op(e, (enum op_id)at.first, &op);
    return open_op(&scopes, (enum op_id)at.first, &op, NULL, name, out);
}

static int open_layer(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    enum op_id id;
    if (at.first < 0 || !explain_layer_row(e, at.first, &id))
        return -1;
    struct scopes scopes = scopes_of(e);
    if (strcmp(name, "count") == 0)
        return open_fact(&scopes, name, "", "how many there are of the operator, all stages together",
                         estimate_op_count(e, id), "the layers of the model that have the operator, or 1", out);
    return open_operator(e, (struct path_index){(int)id, -1}, name, out);
}

static int open_traffic(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    struct layer_traffic traffic[2];
    struct scopes scopes = scopes_of(e);
    enum op_id id;
    bool is_forward = strcmp(name, "forward") == 0;
    if (!explain_layer_row(e, at.first, &id))
        return -1;
    detail_traffic(e, id, &traffic[0], &traffic[1]);
    if (!traffic[!is_forward].op)
        return -1;
    add_symbols(&scopes);
    return open_fact(&scopes, "tp_bytes", "bytes", "one tensor-parallel collective of the operator",
                     traffic[!is_forward].bytes, traffic[!is_forward].text, out);
}

/* One size of what such a collective sends. */
static int open_traffic_shape(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    struct layer_traffic traffic[2];
    struct scopes scopes = scopes_of(e);
    enum op_id id;
    bool is_forward = strcmp(name, "forward") == 0;
    if (at.second < 0 || at.second > 2 || !explain_layer_row(e, at.first, &id))
        return -1;
    detail_traffic(e, id, &traffic[0], &traffic[1]);
    const struct layer_traffic *it = &traffic[!is_forward];
    if (!it->op)
        return -1;
    add_symbols(&scopes);
    return open_fact(&scopes, "shape", "",
                     "one dimension of the tensor sent by a tensor-parallel collective", it->shape[at.second],
                     it->shape_text[at.second], out);
}

/* ---- communication ---------------------------------------------------------------------------------------------- */

/* The formula of a column that comm.def holds, or NULL. */
static const char *comm_text(enum comm_id id, const char *name)
{
    static const char *const columns[] = {"when", "group_size", "groups", "count", "message_bytes"};
    for (size_t i = 0; i < LENGTH(columns); i++)
        if (strcmp(columns[i], name) == 0)
            return comm_rows[id].text[i];
    return NULL;
}

static int open_exposed(struct scopes *scopes, int index, int stage, enum comm_id id, const struct comm_table *comm,
                        struct explanation *out)
{
    struct exposure exposure;
    timing_exposure(id, comm, &exposure);
    scope_add(scopes, exposure_terms, exposure_term_count, &exposure, "communication.#.", index);
    add_pass(scopes, stage);
    add_symbols(scopes);
    return open_text(scopes, find(comm_columns, comm_column_count, "exposed_s"), comm->row[id].exposed_s,
                     exposed_text[comm_rows[id].dim], exposed_source[comm_rows[id].dim], out);
}

/* Opens what follows from the columns of a row: its call, its totals. */
static int open_call(struct scopes *scopes, int index, enum comm_id id, const struct comm_table *comm, const char *name,
                     struct explanation *out)
{
    const struct term *total = find(comm_columns, comm_column_count, name),
                      *term = find(call_terms, call_term_count, name);
    const struct comm *row = &comm->row[id];
    struct exposure exposure;
    struct call call;
    comm_call(&scopes->estimate->symbols, &scopes->estimate->grid, id, row, &call);
    timing_exposure(id, comm, &exposure);
    total = total && total->text ? total : NULL; /* the others are the call's */
    if (total)
        scope_add(scopes, comm_columns, comm_column_count, row, "communication.#.", index);
    scope_add(scopes, call_terms, call_term_count, &call, "communication.#.", index);
    add_symbols(scopes);
    const struct term *fact = find(exposure_terms, exposure_term_count, name);
    return total  ? open_text(scopes, total, term_value(total, row), NULL, comm_rows[id].source, out)
           : term ? open_term(scopes, term, &call, out)
           : fact ? open_term(scopes, fact, &exposure, out)
                  : -1;
}

static int open_comm(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    struct scopes scopes = scopes_of(e);
    struct comm_table comm;
    int stage;
    enum comm_id id;
    if (at.first < 0 || !open_comm_table(e, at.first, &stage, &id, &comm))
        return -1;
    if (strcmp(name, "stage") == 0)
        return open_fact(&scopes, name, "", "pipeline stage, counted from 0", stage,
                         "the stage whose ranks make these calls", out);
    const struct comm *row = &comm.row[id];
    if (strcmp(name, "exposed_s") == 0)
        return open_exposed(&scopes, at.first, stage, id, &comm, out);
    const char *text = comm_text(id, name);
    if (!text && at.second < 0)
        return open_call(&scopes, at.first, id, &comm, name, out);
    add_stage(&scopes, stage);
    add_symbols(&scopes);
    if (at.second >= 0)
        return at.second < 3 ? open_fact(&scopes, name, "", "one size of the message's tensor", row->shape[at.second],
                                         comm_rows[id].text[5 + at.second], out) : -1;
    const struct term *column = find(comm_columns, comm_column_count, name);
    return open_text(&scopes, column, term_value(column, row), text, comm_rows[id].source, out);
}

/* ---- the model -------------------------------------------------------------------------------------------------- */

static int open_model(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    (void)at;
    const struct term *term = find(model_terms, model_term_count, name);
    struct scopes scopes = scopes_of(e);
    if (!term)
        return -1;
    scopes.is_full = true;
    scope_add(&scopes, model_terms, model_term_count, &e->totals, "full_model.", 0);
    add_full_symbols(&scopes);
    return open_term(&scopes, term, &e->totals, out);
}

static int open_whole(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    const struct term *term = find(whole_terms, whole_term_count, name);
    struct scopes scopes = scopes_of(e);
    if (!term || at.first < 0 || at.first >= e->stages)
        return -1;
    struct whole whole;
    estimate_whole(e, at.first, &whole);
    scope_add(&scopes, whole_terms, whole_term_count, &whole, "parameters.per_stage.#.", at.first);
    scope_add(&scopes, model_terms, model_term_count, &e->totals, "full_model.", 0);
    add_full_symbols(&scopes);
    return open_term(&scopes, term, &whole, out);
}

/* ---- the iteration, serving, symbols ---------------------------------------------------------------------------- */

int open_step(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    (void)at;
    struct scopes scopes = scopes_of(e);
    bool is_known = isfinite(e->step.iteration_s);
    if (e->stages == 0)
        return -1;
    if (strcmp(name, "binding_stage") == 0)
        return open_fact(&scopes, name, "", "the stage that the others wait for, counted from 0",
                         is_known ? e->binding_stage : (double)NAN, "the first stage with the largest micro_s", out);
    const struct term *term = find(step_terms, step_term_count, name);
    if (!term)
        return -1;
    if (find(model_terms, model_term_count, term->text)) { /* taken over from the whole model */
        scope_add(&scopes, model_terms, model_term_count, &e->totals, "full_model.", 0);
        return open_term(&scopes, term, &e->step, out);
    }
    scope_add(&scopes, step_terms, step_term_count, &e->step, "time.", 0);
    add_symbols(&scopes);
    add_pass(&scopes, e->binding_stage);
    return open_term(&scopes, term, &e->step, out);
}

/* A part of a stage's iteration; what it takes over from the stage's passes is opened there. */
static int open_stage_time(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    const struct term *term = find(stage_time_terms, stage_time_term_count, name);
    struct scopes scopes = scopes_of(e);
    struct stage_time time;
    if (!term || at.first < 0 || at.first >= e->stages || e->is_serving)
        return -1;
    stage_time_of(e, at.first, &time);
    if (strncmp(term->text, "the ", 4) == 0) {
        add_pass(&scopes, at.first);
        scope_add(&scopes, step_terms, step_term_count, &e->step, "time.", 0);
    } else {
        scope_add(&scopes, stage_time_terms, stage_time_term_count, &time, "time.stages.#.", at.first);
        add_symbols(&scopes);
    }
    return open_term(&scopes, term, &time, out);
}

/* A part of the iteration, by its name or its place in the list. */
static int open_iteration(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    struct scopes scopes = scopes_of(e);
    struct iteration iteration;
    if (at.first >= ITERATION_PARTS || e->is_serving || e->stages == 0)
        return -1;
    const struct term *term =
        find(iteration_terms, iteration_term_count, at.first >= 0 ? iteration_parts[at.first].name : name);
    if (!term)
        return -1;
    iteration_of(e, &iteration);
    scope_add(&scopes, iteration_terms, iteration_term_count, &iteration, "time.waterfall.", 0);
    add_symbols(&scopes);
    return open_term(&scopes, term, &iteration, out);
}

static int open_serving(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    (void)at;
    const struct term *term = find(serving_terms, serving_term_count, name);
    struct scopes scopes = scopes_of(e);
    if (!term || !e->is_serving || e->stages == 0)
        return -1;
    scope_add(&scopes, serving_terms, serving_term_count, &e->serving, "serving.", 0);
    add_symbols(&scopes);
    scope_add(&scopes, model_terms, model_term_count, &e->totals, "full_model.", 0);
    return open_term(&scopes, term, &e->serving, out);
}

/* Whether the server starts: the condition that decides. */
static int open_starts(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    static const char *const decides[SERVING_WHY_COUNT] = {
        [SERVING_STARTS] = "cache_bytes > 0 && (is_sglang > 0 || max_concurrency >= 1)",
        [SERVING_UNKNOWN] = "the requests that the cache holds: too close to 1 to tell, or no engine",
        [SERVING_NO_SHARE] = "room_bytes <= total_bytes - context_gib*GiB",
        [SERVING_NO_MEMORY] = "room_bytes <= total_bytes - context_gib*GiB",
        [SERVING_NO_CACHE] = "cache_bytes > 0",
        [SERVING_TOO_LONG] = "max_concurrency >= 1",
        [SERVING_NO_GRAPHS] = "graphs_bytes <= left_out_bytes"};
    struct scopes scopes = scopes_of(e);
    (void)at;
    if (!e->is_serving || e->stages == 0)
        return -1;
    scope_add(&scopes, serving_terms, serving_term_count, &e->serving, "serving.", 0);
    return open_fact(&scopes, name, "", "the server starts: 1, or 0", serving_starts(e),
                     decides[serving_why(&e->serving)], out);
}

/* Explains one figure of serving at a given load, such as per_token_s; `words` name what determines it. */
static int open_load(const struct estimate *e, const struct load *load, const char *prefix, const char *name,
                     const char *words, struct explanation *out)
{
    static const char *const terms[][2] = {{"p99_low_s", "first_token_low_s"}, {"p99_high_s", "first_token_high_s"}};
    struct scopes scopes = scopes_of(e);
    struct serving sheet = e->serving;
    struct plan plan = e->plan;
    for (size_t i = 0; i < LENGTH(terms); i++)
        name = strcmp(name, terms[i][0]) == 0 ? terms[i][1] : name;
    const struct term *term = find(serving_terms, serving_term_count, name);
    bool is_count = strcmp(name, "requests") == 0;
    if (!e->is_serving || e->stages == 0 || (!term && !is_count))
        return -1;
    if (is_count || !(load->batch >= 1))
        return open_fact(&scopes, name, term ? term->unit : "requests",
                         term ? term->label : "requests under way on one replica",
                         is_count ? load->batch : (double)NAN, words, out);
    KEY_OF(&plan, serve, batch_size) = load->batch;
    serving_evaluate(&e->symbols, &plan, &e->totals, &sheet);
    scopes.plan = &plan;
    scope_add(&scopes, serving_terms, serving_term_count, &sheet, prefix, 0);
    add_symbols(&scopes);
    scope_add(&scopes, model_terms, model_term_count, &e->totals, "full_model.", 0);
    return open_term(&scopes, term, &sheet, out);
}

static int open_within_limits(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    struct load load;
    (void)at;
    load_within_limits(e, &load);
    return open_load(e, &load, "serving.within_limits.", name,
                     "the most of queued_batch whose time_to_first_token_s and per_token_s are within "
                     "serve.max_first_token_ms and serve.max_per_token_ms, by halving", out);
}

static int open_at_rate(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    struct load load;
    (void)at;
    load_at_rate(e, &load);
    return open_load(e, &load, "serving.at_rate.", name,
                     "the fewest whose tokens_per_s over serve.generate_tokens keep up with "
                     "serve.request_rate, by halving; none without a rate", out);
}

static int open_rl_fits(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    struct scopes scopes = scopes_of(e);
    double fits = rl_fits(&e->rl);
    (void)at;
    if (!e->is_rl || e->stages == 0)
        return -1;
    scope_add(&scopes, rl_terms, rl_term_count, &e->rl, "rl.", 0);
    return open_fact(&scopes, name, "", "every phase fits: 1, or 0", fits,
                     isnan(fits) ? "the room that left_bytes leaves: within band_bytes, so nothing is claimed"
                                 : "left_bytes > band_bytes", out);
}

static int open_rl(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    (void)at;
    const struct term *term = find(rl_terms, rl_term_count, name);
    struct scopes scopes = scopes_of(e);
    if (!term || !e->is_rl || e->stages == 0)
        return -1;
    scope_add(&scopes, rl_terms, rl_term_count, &e->rl, "rl.", 0);
    add_symbols(&scopes);
    scope_add(&scopes, model_terms, model_term_count, &e->totals, "full_model.", 0);
    return open_term(&scopes, term, &e->rl, out);
}

/* A symbol; a behaviour's formula and source are those of the plan's framework. */
static int open_cell(const struct scopes *scopes, const struct term *term, const struct symbols *symbols,
                     struct explanation *out)
{
    enum framework_id id = (enum framework_id)KEY_OF(&scopes->estimate->plan, framework, name);
    struct framework_cell cell = framework_cell(id, term->name);
    char source[320];
    if (cell.row)
        snprintf(source, sizeof source, "%s (%s): %s", cell.row->name, cell.row->date, cell.source);
    return open_text(scopes, term, term_value(term, symbols), cell.text, cell.row ? source : NULL, out);
}

static int open_symbol(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    (void)at;
    const struct term *term = find(symbol_terms, symbol_term_count, name);
    struct scopes scopes = scopes_of(e);
    add_symbols(&scopes);
    return term ? open_cell(&scopes, term, &e->symbols, out) : -1;
}

static int open_full_symbol(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    (void)at;
    const struct term *term = find(symbol_terms, symbol_term_count, name);
    struct scopes scopes = scopes_of(e);
    struct plan plan;
    symbols_unparallel_plan(&e->plan, &plan);
    scopes.plan = &plan;
    add_full_symbols(&scopes);
    return term ? open_cell(&scopes, term, &e->unparallel, out) : -1;
}

/* No formula, but what it was fitted to and how far it may be off. */
static int open_constant(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    (void)at;
    const struct term *term = find(constant_terms, constant_count, name);
    struct scopes scopes = scopes_of(e);
    if (!term)
        return -1;
    const struct constant_range *range = &constant_ranges[term - constant_terms];
    char words[80] = "the constant, as it was read or counted";
    if (range->low < range->high)
        snprintf(words, sizeof words, "the constant, plausible from %.4g to %.4g", range->low, range->high);
    open_text(&scopes, term, term_value(term, constant_values), words, NULL, out);
    out->basis = term->basis;
    return 0;
}

/* ---- ranges ----------------------------------------------------------------------------------------------------- */

/* The stage that is least likely to fit. */
static int doubtful_stage(const struct estimate *e)
{
    int found = 0;
    double least = INFINITY;
    for (int i = 0; i < e->stages; i++) {
        struct memory_range range;
        range_memory(e, i, &range);
        if (range.fit_probability < least) {
            least = range.fit_probability;
            found = i;
        }
    }
    return found;
}

/* A term of a stage's range; without a stage, of the one that is least likely to fit. */
static int open_memory_range(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    const struct term *term = find(memory_range_terms, memory_range_term_count, name);
    struct scopes scopes = scopes_of(e);
    struct memory_range range;
    if (!term || e->is_serving || at.first >= e->stages || e->stages == 0)
        return -1;
    int stage = at.first < 0 ? doubtful_stage(e) : at.first;
    range_memory(e, stage, &range);
    scope_add(&scopes, memory_range_terms, memory_range_term_count, &range, "memory.stages.#.range.", stage);
    add_stage(&scopes, stage);
    add_symbols(&scopes);
    return open_term(&scopes, term, &range, out);
}

static int open_time_range(const struct estimate *e, struct path_index at, const char *name, struct explanation *out)
{
    (void)at;
    const struct term *term = find(time_ends_terms, time_ends_term_count, name);
    struct scopes scopes = scopes_of(e);
    struct time_range range;
    struct time_ends ends;
    if (!term || e->stages == 0)
        return -1;
    range_time(e, &range);
    range_ends(e, &range, &ends);
    scope_add(&scopes, time_ends_terms, time_ends_term_count, &ends, "time.range.", 0);
    scope_add(&scopes, step_terms, step_term_count, &e->step, "time.", 0);
    add_symbols(&scopes);
    return open_term(&scopes, term, &ends, out);
}

int open_quantity_end(const struct estimate *e, const struct quantity *shown, bool is_low, struct explanation *out)
{
    struct time_range range;
    struct time_ends ends;
    char text[80];
    int power = quantity_power(shown);
    const struct term *term = find(step_terms, step_term_count, shown->term);
    if (power == 0 || !term || e->stages == 0 || e->is_serving)
        return -1;
    struct scopes scopes = scopes_of(e);
    range_time(e, &range);
    range_ends(e, &range, &ends);
    scope_add(&scopes, step_terms, step_term_count, &e->step, "time.", 0);
    scope_add(&scopes, time_ends_terms, time_ends_term_count, &ends, "time.range.", 0);
    if (power > 0)
        snprintf(text, sizeof text, is_low ? "low_factor*%s" : "high_factor*%s", term->name);
    else
        snprintf(text, sizeof text, is_low ? "%s/high_factor" : "%s/low_factor", term->name);
    struct interval found = range_of(&range, term_value(term, &e->step), power);
    open_fact(&scopes, term->name, term->unit, is_low ? "lower end of its 80 % range" : "upper end of its 80 % range",
              is_low ? found.low : found.high, text, out);
    out->basis = BASIS_FORMULA;
    return 0;
}

/* ---- what opens which path -------------------------------------------------------------------------------------- */

/* The first form that fits is taken. */
const struct path_form path_forms[] = {
    {"memory.stages.#.by_operator.#.@", NULL, open_kept},
    {"memory.stages.#.layers.#", "layers", open_held_layer},
    {"memory.stages.#.timeline.#.1", "timeline", open_point},
    {"memory.stages.#.stage", "stage", open_stage_number},
    {"memory.stages.#.chunks.#.@", NULL, open_chunk},
    {"memory.stages.#.range.@", NULL, open_memory_range},
    {"memory.range.allocated_bytes.#.low", "allocated_low", open_memory_range},
    {"memory.range.allocated_bytes.#.high", "allocated_high", open_memory_range},
    {"memory.range.reserved_bytes.#.low", "reserved_low", open_memory_range},
    {"memory.range.reserved_bytes.#.high", "reserved_high", open_memory_range},
    {"memory.range.device_bytes.#.low", "device_low", open_memory_range},
    {"memory.range.device_bytes.#.high", "device_high", open_memory_range},
    {"memory.probability", "fit_probability", open_memory_range},
    {"memory.stages.#.@", NULL, open_stage},
    {"memory.@", NULL, open_memory},
    {"layers.#.tp_forward.bytes", "forward", open_traffic},
    {"layers.#.tp_backward.bytes", "backward", open_traffic},
    {"layers.#.tp_forward.shape.#", "forward", open_traffic_shape},
    {"layers.#.tp_backward.shape.#", "backward", open_traffic_shape},
    {"layers.#.full_shape.0", "out", open_layer}, {"layers.#.full_shape.1", "in", open_layer},
    {"layers.#.param_shape.0", "out_rank", open_layer}, {"layers.#.param_shape.1", "in_rank", open_layer},
    {"layers.#.bias_shape.0", "bias_rank", open_layer}, {"layers.#.@", NULL, open_layer},
    {"operators.*.@", NULL, open_operator},
    {"full_model.operators.*.@", NULL, open_full_operator},
    {"full_model.symbols.@", NULL, open_full_symbol}, {"full_model.@", NULL, open_model},
    {"parameters.per_stage.#", "whole", open_whole}, {"parameters.per_stage.#.@", NULL, open_whole},
    {"parameters.@", NULL, open_model}, {"communication.#.shape.#", "shape", open_comm},
    {"communication.#.@", NULL, open_comm}, {"grid.world", "world", open_symbol},
    {"grid.gpus_per_node", "gpus_per_node", open_grid}, {"grid.rank.#.@", NULL, open_rank},
    {"grid.groups.tp.#.#", "tp", open_member}, {"grid.groups.cp.#.#", "cp", open_member},
    {"grid.groups.dp.#.#", "dp", open_member}, {"grid.groups.pp.#.#", "pp", open_member},
    {"grid.groups.ep.#.#", "ep", open_member}, {"grid.groups.edp.#.#", "edp", open_member},
    {"grid.groups.etp.#.#", "etp", open_member}, {"serving.starts", "starts", open_starts},
    {"serving.why", "starts", open_starts},
    {"serving.within_limits", "requests", open_within_limits},
    {"serving.within_limits.@", NULL, open_within_limits},
    {"serving.at_rate", "requests", open_at_rate}, {"serving.at_rate.@", NULL, open_at_rate},
    {"serving.@", NULL, open_serving}, {"rl.fits", "fits", open_rl_fits}, {"rl.@", NULL, open_rl},
    {"symbols.@", NULL, open_symbol}, {"constants.@", NULL, open_constant},
    {"time.stages.#.stage", "stage", open_stage_number}, {"time.stages.#.@", NULL, open_stage_time},
    {"time.waterfall.#.seconds", "", open_iteration}, {"time.waterfall.@", NULL, open_iteration},
    {"time.range.iteration_s.low", "iteration_low_s", open_time_range},
    {"time.range.iteration_s.high", "iteration_high_s", open_time_range},
    {"time.range.@", NULL, open_time_range},
    {"time.@", NULL, open_step},
    {"training.@", NULL, open_step},
    {"checkpoint.@", NULL, open_step},
};

const size_t path_form_count = LENGTH(path_forms);
