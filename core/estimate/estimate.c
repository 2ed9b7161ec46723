#include "core/estimate/estimate.h"

#include "core/base.h"
#include "core/estimate/audit.h"
#include "core/estimate/kinds.h"
#include "core/estimate/pipeline.h"
#include "core/plan/rule.h"

#include <string.h>

/* ---- the stages ------------------------------------------------------------------------------------------------- */

static struct stage_split where_of(const struct split *split, const struct schedule_shape *schedule,
                                   const struct stage *stage)
{
    int i = (int)stage->stage, last = schedule_place(schedule, i, split->chunks - 1);
    return (struct stage_split){.layers = (int)stage->layers, .moe_layers = (int)stage->moe_layers,
                                .first_layer = split->start[i],
                                .last_layer = split->start[last] + split->layers[last] - 1};
}

double estimate_play(const struct estimate *e, double micro_batches, void (*each)(void *, const struct sim_event *),
                     void *context)
{
    struct split split;
    struct schedule_shape shape = e->schedule;
    shape.micro_batches = micro_batches;
    if (!e->is_computed || !e->is_modelled || e->is_serving || !schedule_runs(&e->schedule) ||
        !(e->step.slowest_micro_s > 0) ||
        split_layers(&e->plan, &split) == SPLIT_NONE)
        return NAN;
    return pipeline_play(&shape, &split, &(struct pipeline_sheets){e->stage, e->pass, NULL}, each, context);
}

/* What the step sheet takes from elsewhere. */
static void give_step(const struct plan *plan, const struct totals *totals, struct step *out)
{
#define FROM(name, unit, label, expression) out->name = (expression);
#define KEY(group, key) KEY_OF(plan, group, key)
#define GIVEN(name, ...) const double name __attribute__((unused)) = totals->name;
#define FOLD(name, ...) const double name __attribute__((unused)) = totals->name;
#define TERM(name, ...) const double name __attribute__((unused)) = totals->name;
#include "core/estimate/model.def"
#include "core/estimate/timing.def"
#undef KEY
}

double estimate_goodput(const struct plan *resolved, const struct symbols *symbols)
{
    struct symbols unparallel;
    struct totals totals;
    struct step step = {0};
    if (isnan(KEY_OF(resolved, hardware, mtbf_hours_per_gpu)))
        return 1;
    symbols_unparallel(resolved, symbols, &unparallel);
    model_evaluate(&unparallel, resolved, &totals);
    give_step(resolved, &totals, &step);
    timing_step(symbols, &step);
    return isfinite(step.goodput) ? step.goodput : 1;
}

void estimate_whole(const struct estimate *e, int i, struct whole *out)
{
    *out = (struct whole){.stage = i, .stages = e->stages, .end = e->symbols.folds > 0 ? 0 : e->stages - 1,
                          .layers = e->split[i].layers, .expert_layers = e->split[i].moe_layers};
    model_whole(&e->unparallel, &e->totals, out);
}

/* The whole model; NAN while its sizes are unknown. */
static void evaluate_totals(struct estimate *e)
{
    if (isfinite(e->unparallel.L + e->unparallel.h + e->unparallel.vocab))
        model_evaluate(&e->unparallel, &e->plan, &e->totals);
    else
        model_clear(&e->totals);
}

/* ---- all stages ------------------------------------------------------------------------------------------------- */

/* Memory sheet after sheet, then time: their rows are much code, which the processor reads once that way. */
static void evaluate_sheets(struct estimate *e, const struct split *split, const struct layer_cost *cost,
                            const struct kind_costs *kinds, struct comm_table *comm, struct pipeline *all)
{
    struct whole whole;
    struct layer_cost mixed;
    for (int i = 0; i < e->stages; i++) {
        pipeline_place(&e->plan, split, &e->schedule, i, &e->stage[i]);
        pipeline_hold(&e->plan, &e->symbols, split, &e->schedule,
                      kinds_mix(cost, kinds, split, &e->schedule, i, &mixed), &e->stage[i], &e->pass[i]);
        e->split[i] = where_of(split, &e->schedule, &e->stage[i]);
        estimate_whole(e, i, &whole);
        e->stage_params_all[i] = whole.whole;
    }
    for (int i = 0; i < e->stages; i++) {
        double exposed_s[COMM_DIM_COUNT];
        pipeline_time(&e->symbols, &e->stage[i], &e->grid, NULL, comm, &e->pass[i], exposed_s);
        pipeline_add(all, &e->stage[i], &e->pass[i], exposed_s, 1);
    }
}

static void evaluate_stages(struct estimate *e, const struct split *split)
{
    struct layer_cost cost;
    struct kind_costs kinds;
    struct pipeline all = {0};
    struct comm_table comm;
    const struct pipeline_sheets sheets = {e->stage, e->pass, NULL};
    comm_clear(&comm, NULL);
    pipeline_layers(&e->symbols, &cost);
    kinds_costs(&e->plan, &cost, &kinds);
    e->stages = split->stages;
    evaluate_sheets(e, split, &cost, &kinds, &comm, &all);
    if (e->schedule.kind == SCHEDULE_DUALPIPE)
        pipeline_pair(&sheets, e->stages, &all.step);
    e->step = all.step;
    e->step.played_s = split->stages > 1 ? pipeline_play(&e->schedule, split, &sheets, NULL, NULL) : NAN;
    e->binding_stage = all.binding;
    memcpy(e->exposed_s, all.exposed_s, sizeof e->exposed_s);
    e->exposed_s[COMM_DP] = e->step.dp_exposed_s;
    give_step(&e->plan, &e->totals, &e->step);
    timing_step(&e->symbols, &e->step);
}

/* ---- the verdict ------------------------------------------------------------------------------------------------ */

/* Memory and time that the framework's row does not model are unknown, not zero. */
static void forget(struct estimate *e)
{
    for (int i = 0; i < e->stages; i++) {
        for (size_t j = 0; j < stage_term_count; j++)
            if (strcmp(stage_terms[j].unit, "bytes") == 0)
                *(double *)((char *)&e->stage[i] + stage_terms[j].offset) = NAN;
        e->stage[i].at_step = NAN;
        for (size_t j = 0; j < pass_term_count; j++)
            *(double *)((char *)&e->pass[i] + pass_terms[j].offset) = NAN;
    }
    for (size_t j = 0; j < step_term_count; j++)
        if (strcmp(step_terms[j].unit, "elements") != 0)
            *(double *)((char *)&e->step + step_terms[j].offset) = NAN;
    for (int i = 0; i < COMM_DIM_COUNT; i++)
        e->exposed_s[i] = NAN;
    e->totals.gradient_bytes = e->totals.optimizer_bytes = e->totals.activations_bytes = e->totals.total_bytes = NAN;
}

static void judge_memory(struct estimate *e)
{
    e->capacity_bytes = e->symbols.capacity_bytes;
    e->usable_bytes = e->symbols.usable_bytes;
    e->headroom_bytes = NAN;
    for (int i = 0; i < e->stages; i++) {
        if (e->stage[i].device_bytes > e->stage[e->peak_stage].device_bytes)
            e->peak_stage = i;
        if (!(e->stage[i].headroom_bytes >= e->headroom_bytes))
            e->headroom_bytes = e->stage[i].headroom_bytes;
    }
    double host_bytes = 0, per_node = min(e->symbols.world, KEY_OF(&e->plan, hardware, gpus_per_node));
    for (int i = 0; i < e->stages; i++)
        host_bytes = max(host_bytes, e->stage[i].host_bytes * per_node);
    e->host_fits = !(host_bytes > KEY_OF(&e->plan, hardware, host_memory_gib) * GIB);
    e->fits = e->headroom_bytes >= 0 && e->host_fits;
}

/* Scale-up domains that a group along an axis touches. */
static double axis_domains(const struct rank_grid *grid, enum rank_axis axis)
{
    return rank_axis_crosses(grid, axis) ? max(2, rank_domains(grid, grid->size[axis], grid->stride[axis])) : 1;
}

/* What the stage with most parameters holds. */
static void give_fullest(const struct stage *stage, struct serving *out)
{
    out->rank_params = stage->params;
    out->rank_ends = stage->embeds * stage->embed_params + stage->heads * stage->head_params;
    out->rank_mlp_params = (stage->held_layers - stage->held_moe_layers) * stage->mlp_params;
    out->rank_expert_params = stage->params_experts;
}

/* What layers of several kinds keep of a sequence. */
static void give_kinds(const struct estimate *e, struct serving *out)
{
    struct split split;
    if (e->plan.pattern.layers > 0 && split_layers(&e->plan, &split) != SPLIT_NONE)
        kinds_served(&e->plan, &split, out);
}

/* Serving: the fullest GPU of a replica, and whether weights, cache and working set fit what serving may use. */
static void evaluate_serving(struct estimate *e)
{
    struct serving *out = &e->serving;
    *out = (struct serving){0};
    for (int i = 0; i < e->stages; i++) {
        if (e->stage[i].params > out->rank_params) {
            give_fullest(&e->stage[i], out);
            e->peak_stage = i;
        }
        out->rank_layers = max(out->rank_layers, e->stage[i].layers);
        out->replica_params += e->stage[i].params;
        out->replica_experts += e->stage[i].params_experts;
        out->moe_layers += e->stage[i].moe_layers;
        out->rank_moe_layers = max(out->rank_moe_layers, e->stage[i].moe_layers);
    }
    give_kinds(e, out);
    out->first_layers = e->stage[0].layers, out->first_moe_layers = e->stage[0].moe_layers;
    out->last_layers = e->stage[e->stages - 1].layers, out->last_moe_layers = e->stage[e->stages - 1].moe_layers;
    if (!(e->symbols.tied > 0 && e->stages == 1)) /* a tied embedding is the output layer, which every token reads */
        out->replica_params -= e->stage[0].embed_params;
    out->tp_domains = axis_domains(&e->grid, AXIS_TP);
    out->ep_domains = axis_domains(&e->grid, AXIS_EP);
    serving_evaluate(&e->symbols, &e->plan, &e->totals, out);
    forget(e);
    e->headroom_bytes = out->room_bytes - out->needed_bytes;
    e->fits = e->headroom_bytes >= 0 && serving_why(out) <= SERVING_UNKNOWN;
}

/* Reinforcement learning: the largest phase of an iteration is what has to fit. */
static void evaluate_rl(struct estimate *e)
{
    rl_evaluate(e, &e->rl);
    e->headroom_bytes = e->rl.left_bytes;
    e->fits = e->rl.left_bytes >= 0 && e->host_fits;
}

double estimate_pace(const struct estimate *e)
{
    return e->is_serving ? e->serving.request_s : e->is_rl ? e->rl.iteration_s : e->step.iteration_s;
}

double serving_starts(const struct estimate *e)
{
    if (!e->is_serving || !e->is_computed || e->diags.errors > 0)
        return NAN;
    enum serving_why why = serving_why(&e->serving);
    return why == SERVING_UNKNOWN ? NAN : why == SERVING_STARTS;
}

/* ---- the facade ------------------------------------------------------------------------------------------------- */

/* The numbers without which nothing can be computed. */
static bool is_complete(const struct symbols *y)
{
    double all = y->L + y->h + y->f + y->a + y->g + y->k + y->vocab + y->x + y->s + y->b + y->t + y->p + y->V + y->c +
                 y->gbs / y->d;
    return isfinite(all);
}

void estimate_plan(const struct plan *plan, struct estimate *out)
{
    struct split split;
    plan_resolve(plan, &out->plan);
    symbols_of(&out->plan, &out->symbols);
    symbols_unparallel(&out->plan, &out->symbols, &out->unparallel);
    findings_of(plan, &out->plan, &out->symbols, &out->diags);
    rank_grid_of(&out->plan, &out->grid);
    pipeline_schedule(&out->plan, &out->symbols, &out->schedule);
    out->stages = out->peak_stage = out->binding_stage = 0;
    out->fits = false;
    out->host_fits = true;
    out->is_rl = false;
    out->is_serving = KEY_OF(&out->plan, plan, workload) == WORKLOAD_INFERENCE;
    out->capacity_bytes = out->usable_bytes = out->headroom_bytes = NAN;
    out->is_computed = is_complete(&out->symbols) && split_layers(&out->plan, &split) != SPLIT_NONE &&
                       split.stages <= STAGES_MAX;
    out->is_modelled = out->diags.is_modelled;
    evaluate_totals(out);
    if (!out->is_computed)
        return;
    evaluate_stages(out, &split);
    if (!out->is_modelled) {
        forget(out);
        out->totals.matrix_flops = out->totals.attention_flops = out->totals.core_repeated_flops = NAN;
    }
    judge_memory(out);
    if (out->is_serving)
        evaluate_serving(out);
    out->is_rl = out->is_modelled && KEY_OF(&out->plan, plan, workload) == WORKLOAD_RL;
    if (out->is_rl)
        evaluate_rl(out);
    audit_estimate(out);
}

void estimate_comm_table(const struct estimate *estimate, int stage, struct comm_table *out)
{
    comm_clear(out, NULL);
    comm_evaluate(&estimate->symbols, &estimate->stage[stage], &estimate->grid, out);
    timing_overlap(&estimate->symbols, &estimate->pass[stage], out);
}

void estimate_comm(const struct estimate *estimate, int stage, struct comm out[COMM_COUNT])
{
    struct comm_table table;
    estimate_comm_table(estimate, stage, &table);
    memcpy(out, table.row, sizeof table.row);
}

static bool is_trained(const struct estimate *e)
{
    return e->is_modelled && !e->is_serving;
}

/* Symbols of the first kind of layer that has an operator; the plan's own where all are alike, or none has it. */
static const struct symbols *symbols_with(const struct estimate *e, enum op_id id, bool is_whole,
                                          struct symbols *scratch)
{
    const struct symbols *own = is_whole ? &e->unparallel : &e->symbols;
    unsigned char kind[KINDS_MAX];
    int count = e->plan.pattern.layers > 0 && !op_is_there(own, id) ? pattern_kinds(&e->plan.pattern, kind) : 0;
    for (int k = 0; k < count; k++) {
        struct plan plan;
        struct symbols symbols;
        kind_plan(&e->plan, kind[k], &plan);
        symbols_of(&plan, is_whole ? &symbols : scratch);
        if (is_whole)
            symbols_unparallel(&plan, &symbols, scratch);
        if (op_is_there(scratch, id))
            return scratch;
    }
    return own;
}

void estimate_op(const struct estimate *e, enum op_id id, struct op *out)
{
    struct symbols scratch;
    op_evaluate(symbols_with(e, id, false, &scratch), id, out);
    if (!is_trained(e))
        out->saved = out->freed = out->input = out->held = NAN;
}

void estimate_full_op(const struct estimate *e, enum op_id id, struct op *out)
{
    struct symbols scratch;
    op_evaluate(symbols_with(e, id, true, &scratch), id, out);
}

void estimate_op_time(const struct estimate *e, enum op_id id, struct op_time *out)
{
    struct op op;
    struct symbols scratch;
    const struct symbols *symbols = symbols_with(e, id, false, &scratch);
    op_evaluate(symbols, id, &op);
    timing_op(symbols, &op, out);
    if (is_trained(e))
        return;
#define OPTIME(name, ...) out->name = NAN;
#include "core/estimate/timing.def"
}

/* Number of layers among these with an operator. */
static int count_in(const struct estimate *e, const unsigned char of[], int layers, enum op_id id)
{
    const enum op_kind part = op_rows[id].kind;
    unsigned char kind[KINDS_MAX];
    int kinds = pattern_kinds(&e->plan.pattern, kind), count = 0;
    for (int k = 0; k < kinds && layers > 0; k++) {
        struct symbols symbols;
        kinds_symbols(&e->plan, kind[k], &symbols);
        for (int i = 0; i < layers && op_is_there(&symbols, id); i++) {
            enum feed feed = layer_feed(of[i]);
            bool is_its = part == OP_ATTENTION || (feed != FEED_NONE && (part == OP_MOE) == (feed == FEED_EXPERTS));
            count += kind[k] == layer_kind(of[i]) && is_its;
        }
    }
    return count;
}

/* The same of a pattern; a multi-token-prediction module that it does not describe counts as one layer like others. */
static int count_in_pattern(const struct estimate *e, const struct layer_pattern *pattern, int modules, enum op_id id)
{
    int module = pattern->mtp > 0 ? count_in(e, pattern->of_mtp, pattern->mtp, id) : op_is_there(&e->symbols, id);
    return count_in(e, pattern->of, pattern->layers, id) + (modules > 0 ? modules * module : 0);
}

/* Of layers that are alike but for experts; multi-token prediction has a copy of the embedding. */
static int count_alike(const struct estimate *e, int layers, int experts, bool is_first, bool is_last, enum op_id id)
{
    int mtp = is_last ? (int)e->symbols.J : 0, mtp_moe = e->symbols.E > 0 ? mtp : 0;
    const int count[OP_KIND_COUNT] = {[OP_ATTENTION] = layers + mtp, [OP_MLP] = layers - experts + mtp - mtp_moe,
                                      [OP_MOE] = experts + mtp_moe,
                                      [OP_EMBEDDING] = is_first || (mtp > 0 && id == OP_ID_WORD),
                                      [OP_HEAD] = is_last, [OP_MTP] = mtp};
    return op_is_there(&e->symbols, id) ? count[op_rows[id].kind] : 0;
}

int estimate_op_count(const struct estimate *e, enum op_id id)
{
    int layers = (int)e->symbols.L;
    if (e->plan.pattern.layers > 0 && op_rows[id].kind <= OP_MOE)
        return count_in_pattern(e, &e->plan.pattern, (int)e->symbols.J, id);
    return count_alike(e, layers, split_moe_layers(&e->plan, 0, layers), true, true, id);
}

void estimate_stage_pattern(const struct estimate *e, int stage, struct layer_pattern *out)
{
    struct split split;
    *out = e->plan.pattern;
    if (out->layers == 0 || split_layers(&e->plan, &split) == SPLIT_NONE)
        return;
    out->layers = 0;
    for (int chunk = 0; chunk < split.chunks; chunk++) {
        int n = split_place(split.stages, split.folds, stage, chunk);
        memcpy(out->of + out->layers, e->plan.pattern.of + split.start[n], (size_t)split.layers[n]);
        out->layers = (int16_t)(out->layers + split.layers[n]);
    }
}

int estimate_stage_op_count(const struct estimate *e, int stage, enum op_id id)
{
    const struct stage *s = &e->stage[stage];
    struct layer_pattern pattern;
    if (e->plan.pattern.layers == 0 || op_rows[id].kind > OP_MOE)
        return count_alike(e, (int)s->layers, (int)s->moe_layers, s->first > 0, s->last > 0, id);
    estimate_stage_pattern(e, stage, &pattern);
    return count_in_pattern(e, &pattern, s->last > 0 ? (int)e->symbols.J : 0, id);
}

bool estimate_counts_causal(const struct estimate *e)
{
    enum { LONG_SEQUENCE = 16384 };
    return KEY_OF(&e->plan, train, seq_length) >= LONG_SEQUENCE;
}
