#include "core/estimate/estimate.h"

#include "core/estimate/simulate.h"
#include "core/plan/framework.h"
#include "core/plan/rule.h"
#include "core/plan/split.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define VALUE(plan, group, key) ((plan)->value[PARAM_##group##_##key])

/* ---- what one layer costs: shared by all layouts with the same tp, cp, ep, sp, micro-batch and recomputation ---- */

struct layer_part {
    struct op op[OP_COUNT];
    struct layer_cost cost;
};

/*
 * Elements over the distinct shapes of the weight matrices whose gradients TransformerEngine replaces by a dummy:
 * every product but the router and the gate of shared experts.
 */
static double distinct_shapes(const struct op op[OP_COUNT], bool dense, bool moe, bool last)
{
    const bool present[OP_KIND_COUNT] = {
        [OP_ATTENTION] = dense || moe, [OP_MLP] = dense, [OP_MOE] = moe, [OP_HEAD] = last};
    double rows[OP_COUNT], columns[OP_COUNT], elements = 0;
    int count = 0;
    for (int i = 0; i < OP_COUNT; i++) {
        if (!present[op_rows[i].kind] || op[i].when == 0 || op[i].m == 0 ||
            i == OP_ID_ROUTER || i == OP_ID_SHARED_GATE)
            continue;
        bool is_new = true;
        for (int j = 0; j < count; j++)
            is_new &= rows[j] != op[i].out_rank || columns[j] != op[i].in_rank;
        if (!is_new)
            continue;
        rows[count] = op[i].out_rank;
        columns[count++] = op[i].in_rank;
        elements += op[i].out_rank * op[i].in_rank;
    }
    return elements;
}

static void price_operators(const struct symbols *y, const struct op ops[OP_COUNT], struct layer_cost *cost, struct op_time *time)
{
    for (int i = 0; i < OP_COUNT; i++) {
        struct op_time one;
        if (ops[i].when == 0)
            continue;
        timing_op(y, &ops[i], &op_rows[i], &one);
        cost->forward[op_rows[i].kind] += one.forward_s;
        cost->backward[op_rows[i].kind] += one.backward_s;
        cost->wgrad[op_rows[i].kind] += one.gemm_wgrad_s;
        if (i == OP_ID_CORE || i == OP_ID_MLA_CORE)
            cost->core_forward += one.forward_s;
        if (i == OP_ID_FC2)
            cost->fc2_forward = one.gemm_forward_s;
        if (time)
            time[i] = one;
    }
}

static void evaluate_layers(const struct symbols *y, const struct plan *plan, struct layer_part *part, struct op_time *time)
{
    struct layer_cost *cost = &part->cost;
    memset(part, 0, sizeof *part);
    for (int kind = 0; kind < OP_KIND_COUNT; kind++) {
        if (kind == OP_MOE && !(y->E > 0))
            continue;
        op_evaluate(y, (enum op_kind)kind, part->op);
        op_sum_of(part->op, (enum op_kind)kind, &cost->sum[kind]);
    }
    price_operators(y, part->op, cost, time);
    if (y->selective > 0) {
        unsigned modules = (unsigned)VALUE(plan, train, recompute_modules);
        cost->dense_dropped = op_dropped(part->op, OP_MLP, modules);
        cost->moe_dropped = op_dropped(part->op, OP_MOE, modules);
    }
    for (int i = 0; i < 8; i++)
        cost->dummy[i] = distinct_shapes(part->op, i & 1, i & 2, i & 4);
}

/* ---- one stage ---------------------------------------------------------------------------------------------------- */

/* Sets the GIVEN members that come from the layer rows. */
static void give_layers(const struct layer_cost *cost, struct stage *stage, struct pass *pass)
{
    stage->attn_params = cost->sum[OP_ATTENTION].params;
    stage->mlp_params = cost->sum[OP_MLP].params;
    stage->moe_params = cost->sum[OP_MOE].params;
    stage->expert_params = cost->sum[OP_MOE].expert_params;
    stage->embed_params = cost->sum[OP_EMBEDDING].params;
    stage->head_params = cost->sum[OP_HEAD].params;
    stage->dense_saved = cost->sum[OP_ATTENTION].saved + cost->sum[OP_MLP].saved;
    stage->moe_saved = cost->sum[OP_ATTENTION].saved + cost->sum[OP_MOE].saved;
    stage->dense_dropped = cost->dense_dropped;
    stage->moe_dropped = cost->moe_dropped;
    stage->embed_saved = cost->sum[OP_EMBEDDING].saved;
    stage->head_saved = cost->sum[OP_HEAD].saved;
    stage->dummy_elements = cost->dummy[(stage->layers > stage->moe_layers) + 2 * (stage->moe_layers > 0) + 4 * (stage->last > 0)];
    *pass = (struct pass){
        .attn_f = cost->forward[OP_ATTENTION], .attn_b = cost->backward[OP_ATTENTION],
        .mlp_f = cost->forward[OP_MLP],        .mlp_b = cost->backward[OP_MLP],
        .moe_f = cost->forward[OP_MOE],        .moe_b = cost->backward[OP_MOE],
        .embed_f = cost->forward[OP_EMBEDDING], .embed_b = cost->backward[OP_EMBEDDING],
        .head_f = cost->forward[OP_HEAD],      .head_b = cost->backward[OP_HEAD],
        .attn_w = cost->wgrad[OP_ATTENTION],   .mlp_w = cost->wgrad[OP_MLP],
        .moe_w = cost->wgrad[OP_MOE],          .core_f = cost->core_forward,         .fc2_f = cost->fc2_forward,
    };
}

/* Layers of a stage whose chunks differ, and how many of them are alive at the peak. */
static void add_chunks(const struct plan *plan, const struct split *split, const struct schedule_shape *schedule, int i,
                       struct stage *stage)
{
    for (int chunk = 0; chunk < split->chunks; chunk++) {
        int n = chunk * split->stages + i, layers = split->layers[n];
        int moe = split_moe_layers(plan, split->start[n], split->start[n] + layers);
        double alive = schedule_chunk_in_flight(schedule, i, chunk);
        stage->layers += layers;
        stage->moe_layers += moe;
        stage->dense_in_flight += alive * (layers - moe);
        stage->moe_in_flight += alive * moe;
    }
}

/* Sets the GIVEN members that come from the split and the schedule. */
static void give_split(const struct plan *plan, const struct split *split, const struct schedule_shape *schedule, int i,
                       struct stage *stage)
{
    int p = split->stages, V = split->chunks;
    *stage = (struct stage){.stage = i, .first = i == 0, .last = i == p - 1};
    stage->chunks_in_flight = schedule_in_flight(schedule, i);
    stage->embed_in_flight = schedule_first_chunk_peak(schedule, i);
    if (split->is_uniform && !(VALUE(plan, model, num_experts) > 0)) {
        stage->layers = V * split->layers[0];
        stage->dense_in_flight = stage->chunks_in_flight * split->layers[0];
    } else {
        add_chunks(plan, split, schedule, i, stage);
    }
}

static struct stage_split where_of(const struct split *split, const struct stage *stage)
{
    int i = (int)stage->stage, last = (split->chunks - 1) * split->stages + i;
    return (struct stage_split){.layers = (int)stage->layers, .moe_layers = (int)stage->moe_layers,
                                .first_layer = split->start[i], .last_layer = split->start[last] + split->layers[last] - 1};
}

/* Traffic of an iteration that nothing hides, by dimension. */
static void sum_exposed(const struct comm_table *comm, double exposed_s[COMM_DIM_COUNT])
{
    memset(exposed_s, 0, COMM_DIM_COUNT * sizeof *exposed_s);
    for (int i = 0; i < comm->count; i++)
        exposed_s[comm_rows[comm->present[i]].dim] += comm->row[comm->present[i]].exposed_s;
}

/* Times one stage; `exposed_s` receives its traffic, `comm` is kept from stage to stage. */
static void time_stage(const struct symbols *y, const struct stage *stage, const struct rank_grid *grid,
                       struct comm_table *comm, struct pass *pass, double exposed_s[COMM_DIM_COUNT])
{
    timing_pass(y, stage, pass);
    comm_evaluate(y, stage, grid, comm);
    timing_overlap(y, pass, comm);
    sum_exposed(comm, exposed_s);
    pass->tp_s = exposed_s[COMM_TP];
    pass->cp_s = exposed_s[COMM_CP];
    pass->ep_s = exposed_s[COMM_EP];
    pass->pp_s = exposed_s[COMM_PP];
    timing_pass(y, stage, pass);
}

/* ---- the iteration ------------------------------------------------------------------------------------------------ */

/* Collects over stages what the step sheet is given. */
struct step_given {
    struct step step;
    double exposed_s[COMM_DIM_COUNT];
    int binding;
};

static double compute_of(const struct pass *pass)
{
    return pass->forward_s + pass->recompute_s + pass->backward_s;
}

static void add_stage(struct step_given *given, const struct symbols *y, const struct stage *stage, const struct pass *pass,
                      const double exposed_s[COMM_DIM_COUNT], double stages)
{
    struct step *step = &given->step;
    double dp = exposed_s[COMM_DP] + exposed_s[COMM_EDP] + exposed_s[COMM_EMBEDDING];
    step->sum_micro_s += stages * pass->micro_s;
    step->dp_exposed_s = max(step->dp_exposed_s, dp);
    step->most_params = max(step->most_params, stage->params);
    step->most_sharded = max(step->most_sharded, stage->params_dense / y->D + stage->params_experts / y->De);
    if (isnan(step->slowest_micro_s) || pass->micro_s <= step->slowest_micro_s) /* an unknown one is the slowest */
        return;
    given->binding = (int)stage->stage;
    step->slowest_micro_s = pass->micro_s;
    step->slowest_wgrad_s = pass->wgrad_s;
    step->slowest_compute_s = compute_of(pass);
    step->tp_exposed_s = pass->tp_s;
    step->cp_exposed_s = pass->cp_s;
    step->pp_exposed_s = pass->pp_s;
    step->ep_exposed_s = pass->ep_s;
    memcpy(given->exposed_s, exposed_s, sizeof given->exposed_s);
}

/* DualPipe: a GPU runs half of the micro-batches on its own stage and half on the mirrored one. */
static void pair_stages(const struct pass passes[], int p, struct step *step)
{
    step->slowest_micro_s = 0;
    for (int i = 0; i < p; i++) {
        const struct pass *a = &passes[i], *b = &passes[p - 1 - i];
        double micro_s = (a->micro_s + b->micro_s) / 2;
        if (isnan(step->slowest_micro_s) || micro_s <= step->slowest_micro_s)
            continue;
        step->slowest_micro_s = micro_s;
        step->slowest_wgrad_s = (a->wgrad_s + b->wgrad_s) / 2;
        step->slowest_compute_s = (compute_of(a) + compute_of(b)) / 2;
    }
}

/* Seconds of every chunk's passes, in the order of the model. */
struct chunk_times {
    double forward_s[LAYOUT_CHUNKS_MAX], backward_s[LAYOUT_CHUNKS_MAX], wgrad_s[LAYOUT_CHUNKS_MAX];
};

/*
 * Each chunk takes its share of the stage's time by layers, the first the embedding's on top, the last the output
 * layer's; exposed traffic is spread evenly.
 */
static void time_chunk(const struct split *split, const struct stage stages[], const struct pass passes[], int n, struct chunk_times *out)
{
    int p = split->stages, V = split->chunks, i = n % p;
    const struct pass *pass = &passes[i];
    bool is_first = i == 0 && p > 1, is_last = i == p - 1 && p > 1; /* one stage is one chunk, ends and all */
    double share = stages[i].layers > 0 ? (split->is_uniform ? split->layers[0] : split->layers[n]) / stages[i].layers : 1.0 / V;
    double all_f = is_first ? pass->embed_f : is_last ? pass->head_f : 0;
    double all_b = is_first ? pass->embed_b : is_last ? pass->head_b : 0;
    bool is_end = n == 0 || n == p * V - 1;
    double stretch = compute_of(pass) > 0 ? pass->micro_s / compute_of(pass) : 1;
    out->forward_s[n] = stretch * ((pass->forward_s - all_f) * share + (is_end ? all_f : 0));
    out->backward_s[n] = stretch * ((pass->recompute_s + pass->backward_s - all_b) * share + (is_end ? all_b : 0));
    out->wgrad_s[n] = stretch * pass->wgrad_s * share;
}

/* Seconds of the schedule played event by event. */
static double play_schedule(const struct schedule_shape *shape, const struct split *split, const struct stage stages[],
                            const struct pass passes[], void (*each)(void *, const struct sim_event *), void *context)
{
    struct sim_scratch scratch;
    struct chunk_times times;
    for (int n = 0; n < split->stages * split->chunks; n++)
        time_chunk(split, stages, passes, n, &times);
    return simulate(shape, &(struct sim_times){times.forward_s, times.backward_s, times.wgrad_s}, &scratch, each, context);
}

double estimate_play(const struct estimate *e, double micro_batches, void (*each)(void *, const struct sim_event *), void *context)
{
    struct split split;
    struct schedule_shape shape = e->schedule;
    shape.micro_batches = micro_batches;
    if (!e->is_computed || !e->is_modelled || e->is_serving || !(e->step.slowest_micro_s > 0) ||
        split_layers(&e->plan, &split) == SPLIT_NONE)
        return NAN;
    return play_schedule(&shape, &split, e->stage, e->pass, each, context);
}

static void give_plan(const struct plan *plan, const struct totals *totals, struct step *step)
{
    step->total_params = totals->total;
    step->price = VALUE(plan, hardware, price_per_gpu_hour);
    step->watts = VALUE(plan, hardware, watts);
    step->available = VALUE(plan, hardware, availability);
    step->total_tokens = VALUE(plan, train, total_tokens);
    step->storage = VALUE(plan, hardware, storage_gb_s);
}

/* Forward operations of the whole model for one micro-batch. */
static void give_flops(const struct plan *plan, const struct symbols *one, const struct op full[OP_COUNT], struct step *step)
{
    double layers = one->L, moe = split_moe_layers(plan, 0, (int)one->L);
    const double times[OP_KIND_COUNT] = {
        [OP_ATTENTION] = layers, [OP_MLP] = layers - moe, [OP_MOE] = moe, [OP_EMBEDDING] = 1, [OP_HEAD] = 1};
    double matrix = 0;
    for (int i = 0; i < OP_COUNT; i++)
        if (full[i].when != 0)
            matrix += times[op_rows[i].kind] * full[i].gemm_flops;
    double width = one->mla > 0 ? one->qn + one->qr + one->vd : 2 * one->k;
    step->matrix_flops = matrix;
    step->attention_flops = layers * 2 * one->a * width * one->s * one->s * one->b;
}

/* ---- totals of the model ------------------------------------------------------------------------------------------ */

static double model_params(const struct op_sum sum[OP_KIND_COUNT], double layers, double moe_layers, double share)
{
    return layers * sum[OP_ATTENTION].params + (layers - moe_layers) * sum[OP_MLP].params +
           moe_layers * (sum[OP_MOE].params + share * sum[OP_MOE].expert_params) + sum[OP_EMBEDDING].params +
           sum[OP_HEAD].params;
}

static void evaluate_totals(const struct symbols *one, const struct plan *plan, struct estimate *out)
{
    struct symbols unpadded = *one;
    struct op_sum sum[OP_KIND_COUNT], true_sum[OP_KIND_COUNT];
    struct op true_vocabulary[OP_COUNT] = {{0}};
    unpadded.v = one->vocab;
    memset(out->full, 0, sizeof out->full);
    for (int kind = 0; kind < OP_KIND_COUNT; kind++) {
        op_evaluate(one, (enum op_kind)kind, out->full);
        op_sum_of(out->full, (enum op_kind)kind, &sum[kind]);
        op_evaluate(&unpadded, (enum op_kind)kind, true_vocabulary);
        op_sum_of(true_vocabulary, (enum op_kind)kind, &true_sum[kind]);
    }
    struct totals *t = &out->totals;
    double moe = split_moe_layers(plan, 0, (int)one->L);
    t->total = t->params = model_params(sum, one->L, moe, 1);
    t->unpadded = model_params(true_sum, one->L, moe, 1);
    t->active = model_params(true_sum, one->L, moe, one->E > 0 ? one->K / one->E : 1);
    t->embedding = true_vocabulary[OP_ID_WORD].params + true_vocabulary[OP_ID_POSITION].params;
    t->param_bytes = one->Bw * t->params;
    t->gradient_bytes = one->G * t->params;
    t->optimizer_bytes = one->O * t->params;
    t->activations_bytes = one->L * sum[OP_ATTENTION].saved + (one->L - moe) * sum[OP_MLP].saved +
                           moe * sum[OP_MOE].saved + sum[OP_EMBEDDING].saved + sum[OP_HEAD].saved + one->loss_bytes_per_logit * one->Z;
    t->total_bytes = t->param_bytes + t->gradient_bytes + t->optimizer_bytes + t->activations_bytes;
}

/* Parameters of a whole stage: all tensor-parallel ranks, replicated tensors once. */
static double stage_params_all(const struct estimate *e, int i)
{
    struct op_sum sum[OP_KIND_COUNT];
    for (int kind = 0; kind < OP_KIND_COUNT; kind++)
        op_sum_of(e->full, (enum op_kind)kind, &sum[kind]);
    double layers = e->split[i].layers, moe = e->split[i].moe_layers;
    double copy = e->symbols.tied > 0 && e->symbols.p > 1 ? e->full[OP_ID_WORD].params : 0;
    return layers * sum[OP_ATTENTION].params + (layers - moe) * sum[OP_MLP].params +
           moe * (sum[OP_MOE].params + sum[OP_MOE].expert_params) + (i == 0 ? sum[OP_EMBEDDING].params : 0) +
           (i == e->stages - 1 ? sum[OP_HEAD].params + copy : 0);
}

/* ---- the facade --------------------------------------------------------------------------------------------------- */

/* Where no schedule can run, the number of micro-batches is unknown, and with it all that depends on it. */
static void schedule_of(const struct plan *plan, struct symbols *y, struct schedule_shape *out)
{
    out->kind = (int)VALUE(plan, parallel, schedule);
    out->stages = (int)y->p;
    out->chunks = (int)y->V;
    out->group = (int)y->N;
    out->micro_batches = y->m;
    if (!schedule_is_possible(out))
        out->micro_batches = y->m = NAN;
}

/* Memory and time that the framework's row does not model are unknown, not zero. */
static void forget(struct estimate *e)
{
    for (int i = 0; i < e->stages; i++) {
        for (size_t j = 0; j < stage_term_count; j++)
            if (strcmp(stage_terms[j].unit, "bytes") == 0)
                *(double *)((char *)&e->stage[i] + stage_terms[j].offset) = NAN;
        for (size_t j = 0; j < pass_term_count; j++)
            *(double *)((char *)&e->pass[i] + pass_terms[j].offset) = NAN;
    }
    for (size_t j = 0; j < step_term_count; j++)
        if (strcmp(step_terms[j].unit, "elements") != 0)
            *(double *)((char *)&e->step + step_terms[j].offset) = NAN;
    for (int i = 0; i < OP_COUNT; i++) {
        e->op[i].saved = NAN;
        for (size_t j = 0; j < op_time_term_count; j++)
            *(double *)((char *)&e->time[i] + op_time_terms[j].offset) = NAN;
    }
    for (int i = 0; i < COMM_DIM_COUNT; i++)
        e->exposed_s[i] = NAN;
    e->totals.gradient_bytes = e->totals.optimizer_bytes = e->totals.activations_bytes = e->totals.total_bytes = NAN;
}

static void judge_memory(struct estimate *e)
{
    e->capacity_bytes = VALUE(&e->plan, hardware, memory_gib) * 1073741824.0;
    e->usable_bytes = VALUE(&e->plan, hardware, usable_gib) * 1073741824.0;
    e->headroom_bytes = NAN;
    for (int i = 0; i < e->stages; i++) {
        if (e->stage[i].device_bytes > e->stage[e->peak_stage].device_bytes)
            e->peak_stage = i;
        if (!(e->stage[i].headroom_bytes >= e->headroom_bytes))
            e->headroom_bytes = e->stage[i].headroom_bytes;
    }
    double host_bytes = 0, per_node = min(e->symbols.world, VALUE(&e->plan, hardware, gpus_per_node));
    for (int i = 0; i < e->stages; i++)
        host_bytes = max(host_bytes, e->stage[i].host_bytes * per_node);
    e->host_fits = !(host_bytes > VALUE(&e->plan, hardware, host_memory_gib) * 1073741824.0);
    e->fits = e->headroom_bytes >= 0 && e->host_fits;
}

static void evaluate_stages(struct estimate *e, const struct split *split)
{
    struct layer_part part;
    struct step_given given = {0};
    struct comm_table comm;
    comm_clear(&comm);
    evaluate_layers(&e->symbols, &e->plan, &part, e->time);
    memcpy(e->op, part.op, sizeof e->op);
    e->stages = split->stages;
    for (int i = 0; i < e->stages; i++) {
        double exposed_s[COMM_DIM_COUNT];
        give_split(&e->plan, split, &e->schedule, i, &e->stage[i]);
        e->split[i] = where_of(split, &e->stage[i]);
        give_layers(&part.cost, &e->stage[i], &e->pass[i]);
        stage_evaluate(&e->symbols, &e->stage[i]);
        time_stage(&e->symbols, &e->stage[i], &e->grid, &comm, &e->pass[i], exposed_s);
        add_stage(&given, &e->symbols, &e->stage[i], &e->pass[i], exposed_s, 1);
        e->stage_params_all[i] = stage_params_all(e, i);
    }
    if (e->schedule.kind == SCHEDULE_DUALPIPE)
        pair_stages(e->pass, e->stages, &given.step);
    e->step = given.step;
    e->step.played_s = split->stages > 1 ? play_schedule(&e->schedule, split, e->stage, e->pass, NULL, NULL) : NAN;
    e->binding_stage = given.binding;
    memcpy(e->exposed_s, given.exposed_s, sizeof e->exposed_s);
    e->exposed_s[COMM_DP] = e->step.dp_exposed_s;
    give_plan(&e->plan, &e->totals, &e->step);
    give_flops(&e->plan, &e->unparallel, e->full, &e->step);
    timing_step(&e->symbols, &e->step);
}

/* Scale-up domains that a group along an axis touches. */
static double axis_domains(const struct rank_grid *grid, enum rank_axis axis)
{
    return rank_axis_crosses(grid, axis) ? max(2, rank_domains(grid, grid->size[axis], grid->stride[axis])) : 1;
}

/* Serving: the fullest GPU of a replica, and whether weights, cache and working set fit what serving may use. */
static void evaluate_serving(struct estimate *e)
{
    struct serving *out = &e->serving;
    *out = (struct serving){0};
    for (int i = 0; i < e->stages; i++) {
        if (e->stage[i].params > out->rank_params) {
            out->rank_params = e->stage[i].params;
            e->peak_stage = i;
        }
        out->rank_layers = max(out->rank_layers, e->stage[i].layers);
        out->replica_params += e->stage[i].params;
        out->replica_experts += e->stage[i].params_experts;
        out->moe_layers += e->stage[i].moe_layers;
    }
    if (!(e->symbols.tied > 0 && e->stages == 1)) /* a tied embedding is the output layer, which every token reads */
        out->replica_params -= e->stage[0].embed_params;
    out->token_flops = e->step.matrix_flops / (e->symbols.s * e->symbols.b);
    out->head_flops = e->full[OP_ID_OUTPUT].gemm_flops / (e->symbols.s * e->symbols.b);
    out->tp_domains = axis_domains(&e->grid, AXIS_TP);
    out->ep_domains = axis_domains(&e->grid, AXIS_EP);
    serving_evaluate(&e->symbols, &e->plan, out);
    forget(e);
    e->headroom_bytes = out->room_bytes - out->needed_bytes;
    e->fits = e->headroom_bytes >= 0;
}

/* The numbers without which nothing can be computed. */
static bool is_complete(const struct symbols *y)
{
    double all = y->L + y->h + y->f + y->a + y->g + y->k + y->vocab + y->x + y->s + y->b + y->t + y->p + y->V + y->c + y->gbs/y->d;
    return isfinite(all);
}

void estimate_plan(const struct plan *plan, struct estimate *out)
{
    struct split split;
    plan_resolve(plan, &out->plan);
    symbols_of(&out->plan, &out->symbols);
    symbols_unparallel(&out->plan, &out->unparallel);
    rule_check(plan, &out->plan, &out->diags);
    rank_grid_of(&out->plan, &out->grid);
    schedule_of(&out->plan, &out->symbols, &out->schedule);
    out->stages = out->peak_stage = out->binding_stage = 0;
    out->fits = false;
    out->host_fits = true;
    out->is_serving = VALUE(&out->plan, plan, workload) == WORKLOAD_INFERENCE;
    out->capacity_bytes = out->usable_bytes = out->headroom_bytes = NAN;
    out->is_computed = is_complete(&out->symbols) && split_layers(&out->plan, &split) != SPLIT_NONE && split.stages <= STAGES_MAX;
    out->is_modelled = rule_is_modelled(&out->plan);
    out->totals = (struct totals){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (isfinite(out->unparallel.L + out->unparallel.h + out->unparallel.vocab))
        evaluate_totals(&out->unparallel, &out->plan, out);
    if (!out->is_computed)
        return;
    evaluate_stages(out, &split);
    if (!out->is_modelled)
        forget(out);
    judge_memory(out);
    if (out->is_serving)
        evaluate_serving(out);
}

void estimate_comm_table(const struct estimate *estimate, int stage, struct comm_table *out)
{
    comm_clear(out);
    comm_evaluate(&estimate->symbols, &estimate->stage[stage], &estimate->grid, out);
    timing_overlap(&estimate->symbols, &estimate->pass[stage], out);
}

void estimate_comm(const struct estimate *estimate, int stage, struct comm out[COMM_COUNT])
{
    struct comm_table table;
    estimate_comm_table(estimate, stage, &table);
    memcpy(out, table.row, sizeof table.row);
}

int estimate_op_count(const struct estimate *e, enum op_id op)
{
    int L = (int)e->symbols.L, moe = split_moe_layers(&e->plan, 0, L);
    const int count[OP_KIND_COUNT] = {[OP_ATTENTION] = L, [OP_MLP] = L - moe, [OP_MOE] = moe, [OP_EMBEDDING] = 1, [OP_HEAD] = 1};
    return e->op[op].when != 0 ? count[op_rows[op].kind] : 0;
}

/* ---- the part of it that a search needs --------------------------------------------------------------------------- */

/* The keys that the cost of a layer depends on, beside the model, the framework and the hardware. */
static const enum param layer_keys[LAYER_KEYS] = {
    PARAM_parallel_tp, PARAM_parallel_sp, PARAM_parallel_cp, PARAM_parallel_cp_comm, PARAM_parallel_ep,
    PARAM_parallel_etp, PARAM_train_micro_batch_size, PARAM_train_recompute, PARAM_train_recompute_modules,
    PARAM_train_attention};

static const struct layer_cost *cached_layers(const struct symbols *y, const struct plan *plan, struct quick_cache *cache)
{
    double key[LAYER_KEYS + 1];
    double hash = key[LAYER_KEYS] = y->tied > 0 && y->p == 1; /* a tied output layer on another stage holds a copy */
    for (int i = 0; i < LAYER_KEYS; i++) {
        key[i] = plan->value[layer_keys[i]];
        hash = hash * 7 + (key[i] < 4096 ? key[i] : 0);
    }
    uint64_t home = (uint64_t)hash;
    struct quick_entry *entry = &cache->entry[home % QUICK_ENTRIES];
    for (int i = 1; i < QUICK_PROBES && entry->is_set && memcmp(entry->key, key, sizeof key) != 0; i++)
        entry = &cache->entry[(home + (uint64_t)i) % QUICK_ENTRIES];
    if (!entry->is_set || memcmp(entry->key, key, sizeof key) != 0) {
        struct layer_part part;
        evaluate_layers(y, plan, &part, NULL);
        entry->cost = part.cost;
        memcpy(entry->key, key, sizeof key);
        entry->is_set = true;
    }
    return &entry->cost;
}

/* True when the stages between the first and the last are alike, so that one of them stands for all. */
static bool is_even(const struct plan *plan, const struct split *split)
{
    return split->is_uniform && !(VALUE(plan, model, num_experts) > 0);
}

void estimate_quick(const struct plan *plan, struct quick_cache *cache, struct quick *out)
{
    struct symbols y;
    struct split split;
    struct schedule_shape schedule;
    struct rank_grid grid;
    struct step_given given = {0};
    struct comm_table comm;
    comm_clear(&comm);
    symbols_of(plan, &y);
    *out = (struct quick){.peak_device_bytes = NAN, .iteration_s = NAN};
    if (!split_evenly(plan, &split) && split_layers(plan, &split) == SPLIT_NONE)
        return;
    rank_grid_of(plan, &grid);
    schedule_of(plan, &y, &schedule);
    const struct layer_cost *cost = cached_layers(&y, plan, cache);
    int p = split.stages, skip = is_even(plan, &split) && p > 3 ? p - 2 : 1; /* stage 1 stands for 1 .. p-2: it holds most */
    struct stage stages[STAGES_MAX];
    struct pass passes[STAGES_MAX];
    double peak = 0;
    for (int i = 0; i < p; i = i == 1 ? i + skip : i + 1) {
        double exposed_s[COMM_DIM_COUNT];
        give_split(plan, &split, &schedule, i, &stages[i]);
        give_layers(cost, &stages[i], &passes[i]);
        stage_evaluate(&y, &stages[i]);
        time_stage(&y, &stages[i], &grid, &comm, &passes[i], exposed_s);
        add_stage(&given, &y, &stages[i], &passes[i], exposed_s, i == 1 ? skip : 1);
        peak = max(peak, stages[i].device_bytes);
    }
    for (int i = 2; i <= skip; i++) {
        stages[i] = stages[1];
        passes[i] = passes[1];
    }
    if (schedule.kind == SCHEDULE_DUALPIPE)
        pair_stages(passes, p, &given.step);
    given.step.played_s = cache->plays && p > 1 ? play_schedule(&schedule, &split, stages, passes, NULL, NULL) : NAN;
    timing_step(&y, &given.step);
    out->peak_device_bytes = peak;
    out->iteration_s = given.step.iteration_s;
    out->fits = peak <= y.usable * 1073741824.0;
}
