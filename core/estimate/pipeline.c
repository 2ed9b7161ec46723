#include "core/estimate/pipeline.h"

#include "core/plan/frozen.h"
#include "core/plan/key.h"

#include <string.h>

/* A number as a count; 0 where it is unknown, negative or too large for one, with which no schedule can run. */
static int count_of(double value)
{
    return value >= 1 && value <= INT32_MAX ? (int)value : 0;
}

void pipeline_schedule(const struct plan *plan, struct symbols *y, struct schedule_shape *out)
{
    out->kind = (int)KEY_OF(plan, parallel, schedule);
    out->stages = count_of(y->p);
    out->chunks = count_of(y->V);
    out->group = count_of(y->N);
    out->micro_batches = y->m;
    if (!schedule_is_possible(out))
        out->micro_batches = y->m = NAN;
}

/* ---- what one layer costs --------------------------------------------------------------------------------------- */

/* Of which stages an operator is part, as bits of what struct layer_cost's `dummy` counts by. */
static unsigned char stages_of(enum op_kind kind)
{
    enum { DENSE = 0xaa, EXPERTS = 0xcc, LAST = 0xf0 }; /* bit i: with i & 1, i & 2, i & 4 */
    static const unsigned char stages[OP_KIND_COUNT] = {
        [OP_ATTENTION] = DENSE | EXPERTS, [OP_MLP] = DENSE, [OP_MOE] = EXPERTS, [OP_HEAD] = LAST, [OP_MTP] = LAST};
    return stages[kind];
}

/*
 * Elements over the distinct shapes of the weight matrices whose gradients TransformerEngine replaces by a dummy:
 * every product but the router and the gate of shared experts.
 */
static void sum_distinct_shapes(const struct op_shapes *shapes, double dummy[8])
{
    unsigned of[OP_COUNT]; /* stages, each where its shape is new */
    memset(dummy, 0, 8 * sizeof *dummy);
    for (int i = 0; i < shapes->count; i++) {
        const struct op_shape *shape = &shapes->of[i];
        of[i] = shape->id == OP_ID_ROUTER || shape->id == OP_ID_SHARED_GATE ? 0 : stages_of(op_rows[shape->id].kind);
        for (int j = 0; j < i; j++)
            if (shapes->of[j].rows == shape->rows && shapes->of[j].columns == shape->columns)
                of[i] &= ~of[j];
        for (int k = 0; k < 8; k++)
            if (of[i] >> k & 1)
                dummy[k] += shape->rows * shape->columns;
    }
}

void pipeline_layers(const struct symbols *symbols, struct layer_cost *cost)
{
    struct op_shapes shapes;
    fold_layers(symbols, cost, &shapes);
    sum_distinct_shapes(&shapes, cost->dummy);
}

/* ---- one stage -------------------------------------------------------------------------------------------------- */

void pipeline_give_layers(const struct split *split, const struct schedule_shape *schedule,
                          const struct layer_cost *cost, struct stage *stage)
{
    bool is_last = schedule_stage(schedule, split->stages * split->chunks - 1) == (int)stage->stage;
#define FOLD(name, ...) stage->name = cost->name;
#define GIVEN(...)
#define TERM(...)
#include "core/estimate/stage.def"
#undef FOLD
#undef GIVEN
#undef TERM
    stage->mixing = cost->share.mixing;
    stage->attending = cost->share.attending;
    stage->feeding = cost->share.feeding;
    stage->widest_saved = cost->share.widest_saved;
    stage->widest_dropped = cost->share.widest_dropped;
    stage->scratch = cost->share.scratch;
    stage->exchanging = cost->share.exchanging;
    stage->exchanged = cost->share.exchanged;
    stage->dummy_elements =
        cost->dummy[(stage->layers > stage->moe_layers) + 2 * (stage->moe_layers > 0) + 4 * is_last];
}

void pipeline_give_pass(const struct layer_cost *cost, struct pass *pass)
{
#define GIVEN_PASS(name, ...) pass->name = 0;
#define FOLD_PASS(name, ...) pass->name = cost->name;
#include "core/estimate/timing.def"
}

bool pipeline_is_played(const struct schedule_shape *schedule)
{
    return schedule_rows[schedule->kind].apart && schedule->stages > 1 && schedule_runs(schedule);
}

/* Layers of chunk `n` of the model, and how many of them have experts. */
static double layers_of(const struct plan *plan, const struct split *split, int n, double *moe)
{
    int layers = split->is_uniform ? split->layers[0] : split->layers[n];
    *moe = KEY_OF(plan, model, num_experts) > 0 ? split->moe[n] : 0;
    return layers;
}

void pipeline_chunk(const struct plan *plan, const struct split *split, const struct schedule_shape *schedule,
                    int stage, int chunk, double in_flight, struct chunk *out)
{
    out->chunk = chunk;
    out->layers = layers_of(plan, split, schedule_place(schedule, stage, chunk), &out->moe_layers);
    out->in_flight = in_flight;
    schedule_chunk(out);
}

/* Of the layers of chunk `n` those that are frozen, and those below everything that is trained. */
static struct split_frozen frozen_of(const struct plan *plan, const struct split *split, int n)
{
    int layers = split->is_uniform ? split->layers[0] : split->layers[n];
    return split_frozen(plan, split->start[n], split->start[n] + layers);
}

static void add_frozen(const struct plan *plan, const struct split *split, int n, struct stage *stage)
{
    struct split_frozen frozen = frozen_of(plan, split, n);
    stage->fixed_layers += frozen.layers;
    stage->fixed_moe_layers += frozen.moe_layers;
    stage->idle_layers += frozen.idle;
    stage->idle_moe_layers += frozen.idle_moe;
}

/* Layers of a stage, and how many of them are alive at the peak. */
static void add_chunks(const struct plan *plan, const struct split *split, const struct schedule_shape *schedule, int i,
                       struct stage *stage)
{
    for (int chunk = 0; chunk < split->chunks; chunk++) {
        struct chunk one;
        pipeline_chunk(plan, split, schedule, i, chunk,
                       schedule_share_in_flight(schedule, stage->chunks_in_flight, chunk), &one);
        stage->layers += one.layers;
        stage->moe_layers += one.moe_layers;
        stage->dense_in_flight += one.dense_in_flight;
        stage->moe_in_flight += one.moe_in_flight;
    }
}

/* Frozen layers of a stage, and among all those that its rank holds. */
static void place_frozen(const struct plan *plan, const struct split *split, const struct schedule_shape *schedule,
                         int i, struct stage *stage)
{
    bool is_mirrored = schedule->kind == SCHEDULE_DUALPIPE;
    for (int chunk = 0; chunk < split->chunks; chunk++)
        add_frozen(plan, split, is_mirrored ? i : schedule_place(schedule, i, chunk), stage);
    struct split_frozen far = {0};
    if (is_mirrored && split->stages > 1)
        far = frozen_of(plan, split, split->stages - 1 - i);
    stage->held_fixed_layers = stage->fixed_layers + far.layers;
    stage->held_fixed_moe_layers = stage->fixed_moe_layers + far.moe_layers;
}

void pipeline_place(const struct plan *plan, const struct split *split, const struct schedule_shape *schedule, int i,
                    struct stage *stage)
{
#define GIVEN(name, ...) stage->name = 0;
#define FOLD(...)
#define TERM(...)
#include "core/estimate/stage.def"
#undef GIVEN
#undef FOLD
#undef TERM
    stage->stage = i;
    stage->chunks_in_flight = schedule_in_flight(schedule, i);
    stage->embed_in_flight = schedule_first_chunk_peak(schedule, i);
    add_chunks(plan, split, schedule, i, stage);
    if (schedule->kind == SCHEDULE_DUALPIPE) /* of a rank's two stages its own, which is not always its first chunk */
        stage->layers = layers_of(plan, split, i, &stage->moe_layers);
    stage->held_layers = stage->layers;
    stage->held_moe_layers = stage->moe_layers;
    if (schedule->kind == SCHEDULE_DUALPIPE && split->stages > 1) {
        double moe, layers = layers_of(plan, split, split->stages - 1 - i, &moe);
        stage->held_layers += layers;
        stage->held_moe_layers += moe;
    }
    if (KEY_OF(plan, train, frozen) > FROZEN_BASE)
        place_frozen(plan, split, schedule, i, stage);
}

int pipeline_pass_chunks(const struct schedule_shape *schedule)
{
    return schedule->kind == SCHEDULE_DUALPIPE ? 2 : schedule->chunks;
}

void pipeline_weigh(const struct plan *plan, const struct split *split, const struct schedule_shape *schedule,
                    const struct stage *stage, struct pass_weights *out)
{
    *out = (struct pass_weights){.forward = stage->moe_forward_bytes, .loss = stage->loss_pass_bytes,
                                 .backward = stage->backward_pass_bytes, .loss_chunk = PASS_NONE};
    for (int chunk = 0; chunk < pipeline_pass_chunks(schedule); chunk++) {
        int n = schedule_place(schedule, (int)stage->stage, chunk);
        double moe, dense = layers_of(plan, split, n, &moe) - moe;
        out->kept[chunk] = dense * stage->dense_alive + moe * stage->moe_alive + (n == 0 ? stage->embed_saved : 0);
        out->waiting[chunk] = dense * stage->dense_held + moe * stage->moe_held;
        if (n == schedule->stages * schedule->chunks - 1)
            out->loss_chunk = chunk;
    }
}

void pipeline_fullest(const struct plan *plan, const struct split *split, const struct schedule_shape *schedule,
                      const struct stage *stage, struct fullest *out)
{
    struct peak peaks[PASS_PEAKS_MAX];
    struct pass_weights weights;
    pipeline_weigh(plan, split, schedule, stage, &weights);
    passes_fullest(peaks, passes_peaks(schedule, (int)stage->stage, peaks), &weights, out);
}

/* Adds what is alive of one chunk where the stage is fullest. */
static void add_alive(const struct plan *plan, const struct split *split, int n, double kept, double waiting,
                      struct stage *stage)
{
    double moe, dense = layers_of(plan, split, n, &moe) - moe;
    stage->chunks_in_flight += kept;
    stage->dense_in_flight += kept * dense;
    stage->moe_in_flight += kept * moe;
    stage->embed_in_flight += n == 0 ? kept : 0;
    stage->chunks_waiting += waiting;
    stage->dense_waiting += waiting * dense;
    stage->moe_waiting += waiting * moe;
}

void pipeline_give_one(const struct schedule_shape *schedule, struct stage *stage)
{
    stage->chunks_in_flight = schedule->chunks;
    stage->dense_in_flight = stage->layers - stage->moe_layers;
    stage->moe_in_flight = stage->moe_layers;
    stage->embed_in_flight = stage->peak_pass = 0;
    stage->chunks_waiting = stage->dense_waiting = stage->moe_waiting = 0;
}

void pipeline_give_alive(const struct plan *plan, const struct split *split, const struct schedule_shape *schedule,
                         const struct fullest *fullest, struct stage *stage)
{
    stage->peak_pass = fullest->pass;
    stage->chunks_in_flight = stage->dense_in_flight = stage->moe_in_flight = stage->embed_in_flight = 0;
    stage->chunks_waiting = stage->dense_waiting = stage->moe_waiting = 0;
    for (int chunk = 0; chunk < pipeline_pass_chunks(schedule); chunk++)
        add_alive(plan, split, schedule_place(schedule, (int)stage->stage, chunk), fullest->alive.kept[chunk],
                  fullest->alive.waiting[chunk], stage);
}

/* Adds the traffic of an iteration not hidden, by dimension. */
static void add_exposed(const struct comm_table *comm, double exposed_s[COMM_DIM_COUNT])
{
    for (int i = 0; i < comm->count; i++)
        exposed_s[comm_rows[comm->present[i]].dim] += comm->row[comm->present[i]].exposed_s;
}

/* Traffic that takes longer than estimated. */
static void slow_down(struct comm_table *comm, const double slower[COMM_DIM_COUNT])
{
    for (int i = 0; i < comm->count; i++)
        comm->row[comm->present[i]].time_s *= slower[comm_rows[comm->present[i]].dim];
}

/* A micro-batch with the traffic that it waits for. */
static void take_exposed(const struct symbols *y, const double exposed_s[COMM_DIM_COUNT], struct pass *pass)
{
    pass->tp_s = exposed_s[COMM_TP];
    pass->cp_s = exposed_s[COMM_CP];
    pass->ep_s = exposed_s[COMM_EP] + exposed_s[COMM_ETP];
    pass->pp_s = exposed_s[COMM_PP];
    timing_traffic(y, pass);
}

void pipeline_pass_traffic(const struct symbols *y, const struct stage *stage, const struct rank_grid *grid,
                           struct comm_table *comm, struct pass *pass, double exposed_s[COMM_DIM_COUNT])
{
    comm_evaluate_part(y, stage, grid, COMM_OF_PASSES, comm);
    timing_overlap(y, pass, comm);
    memset(exposed_s, 0, COMM_DIM_COUNT * sizeof *exposed_s);
    add_exposed(comm, exposed_s);
    take_exposed(y, exposed_s, pass);
}

void pipeline_exchange(const struct symbols *y, const struct stage *stage, const struct rank_grid *grid,
                       struct comm_table *comm, const struct pass *pass, double exposed_s[COMM_DIM_COUNT])
{
    comm_evaluate_part(y, stage, grid, COMM_OF_WEIGHTS, comm);
    timing_overlap(y, pass, comm);
    for (int dim = 0; dim < COMM_DIM_COUNT; dim++)
        exposed_s[dim] = comm_is_of_passes((enum comm_dim)dim) ? exposed_s[dim] : 0;
    add_exposed(comm, exposed_s);
}

void pipeline_time(const struct symbols *y, const struct stage *stage, const struct rank_grid *grid,
                   const double *slower, struct comm_table *comm, struct pass *pass, double exposed_s[COMM_DIM_COUNT])
{
    timing_pass(y, stage, pass);
    comm_times(y, stage, grid, comm);
    if (slower)
        slow_down(comm, slower);
    timing_overlap(y, pass, comm);
    memset(exposed_s, 0, COMM_DIM_COUNT * sizeof *exposed_s);
    add_exposed(comm, exposed_s);
    take_exposed(y, exposed_s, pass);
}

static double compute_of(const struct pass *pass)
{
    return pass->forward_s + pass->recompute_s + pass->backward_s;
}

static double backward_of(const struct pass *pass)
{
    return pass->recompute_s + pass->backward_s;
}

static double offload_of(const struct pass *pass)
{
    return pass->offload_forward_s + pass->offload_backward_s;
}

void pipeline_add(struct pipeline *given, const struct stage *stage, const struct pass *pass,
                  const double exposed_s[COMM_DIM_COUNT], double stages)
{
    struct step *step = &given->step;
    double dp = exposed_s[COMM_DP] + exposed_s[COMM_EDP] + exposed_s[COMM_EMBEDDING];
    step->sum_micro_s += stages * pass->micro_s;
    step->dense_repeating += stages * stage->dense_recomputed;
    step->moe_repeating += stages * stage->moe_recomputed;
    step->dp_exposed_s = max(step->dp_exposed_s, dp);
    step->most_params = max(step->most_params, stage->trained);
    step->most_sharded = max(step->most_sharded, stage->trained_owned);
    if (isnan(step->slowest_micro_s) || pass->micro_s <= step->slowest_micro_s) /* an unknown one is the slowest */
        return;
    given->binding = (int)stage->stage;
    step->slowest_micro_s = pass->micro_s;
    step->slowest_backward_s = backward_of(pass);
    step->slowest_wgrad_s = pass->wgrad_s;
    step->slowest_compute_s = compute_of(pass);
    step->slowest_offload_s = offload_of(pass);
    step->slowest_wait_s = pass->micro_s - pass->busy_s;
    step->tp_exposed_s = pass->tp_s;
    step->cp_exposed_s = pass->cp_s;
    step->pp_exposed_s = pass->pp_s;
    step->ep_exposed_s = pass->ep_s;
    memcpy(given->exposed_s, exposed_s, sizeof given->exposed_s);
}

void pipeline_hold(const struct plan *plan, const struct symbols *y, const struct split *split,
                   const struct schedule_shape *schedule, const struct layer_cost *cost, struct stage *stage,
                   struct pass *pass)
{
    struct fullest fullest;
    pipeline_give_layers(split, schedule, cost, stage);
    pipeline_give_pass(cost, pass);
    if (pipeline_is_played(schedule))
        pipeline_give_one(schedule, stage);
    stage_evaluate(y, stage);
    if (!pipeline_is_played(schedule))
        return;
    pipeline_fullest(plan, split, schedule, stage, &fullest);
    pipeline_give_alive(plan, split, schedule, &fullest, stage);
    stage_alive(y, stage);
}

bool pipeline_height_decides(const struct symbols *y)
{
    return y->on_device == 1 && !(y->fresh_gradients > 0) && !(y->grads_beside_fp32 > 0);
}

static const struct pass *pass_of(const struct pipeline_sheets *sheets, int i)
{
    return &sheets->pass[sheets->of ? sheets->of[i] : i];
}

void pipeline_pair(const struct pipeline_sheets *sheets, int p, struct step *step)
{
    step->slowest_micro_s = 0;
    for (int i = 0; i < p; i++) {
        const struct pass *a = pass_of(sheets, i), *b = pass_of(sheets, p - 1 - i);
        double micro_s = (a->micro_s + b->micro_s) / 2;
        if (isnan(step->slowest_micro_s) || micro_s <= step->slowest_micro_s)
            continue;
        step->slowest_micro_s = micro_s;
        step->slowest_backward_s = (backward_of(a) + backward_of(b)) / 2;
        step->slowest_wgrad_s = (a->wgrad_s + b->wgrad_s) / 2;
        step->slowest_compute_s = (compute_of(a) + compute_of(b)) / 2;
        step->slowest_offload_s = (offload_of(a) + offload_of(b)) / 2;
        step->slowest_wait_s = (a->micro_s - a->busy_s + b->micro_s - b->busy_s) / 2;
        step->tp_exposed_s = (a->tp_s + b->tp_s) / 2;
        step->cp_exposed_s = (a->cp_s + b->cp_s) / 2;
        step->pp_exposed_s = (a->pp_s + b->pp_s) / 2;
        step->ep_exposed_s = (a->ep_s + b->ep_s) / 2;
    }
}

/* ---- stages that are alike -------------------------------------------------------------------------------------- */

/* Which of a stage's two hops leave the domain. */
static int hops_of(const struct rank_grid *grid, int stage)
{
    int here = rank_stage_domain(grid, stage);
    return (here != rank_stage_domain(grid, stage + 1)) + 2 * (here != rank_stage_domain(grid, stage - 1));
}

/* Whether two chunks of the model hold the same layers. */
static bool same_layers(const struct split *split, int a, int b)
{
    bool is_same = split->layers[a] == split->layers[b] && split->moe[a] == split->moe[b];
    for (int k = 0; k < split->kinds; k++)
        is_same &= split->of_kind[k][a] == split->of_kind[k][b];
    return is_same;
}

/*
 * Whether a stage holds the same layers as another, chunk by chunk; with DualPipe also as its own and the mirrored
 * stage's.
 */
static bool same_chunks(const struct split *split, const struct schedule_shape *schedule, int a, int b)
{
    bool is_same = schedule->kind != SCHEDULE_DUALPIPE || same_layers(split, a, b);
    for (int chunk = 0; chunk < pipeline_pass_chunks(schedule) && is_same; chunk++)
        is_same = same_layers(split, schedule_place(schedule, a, chunk), schedule_place(schedule, b, chunk));
    return is_same;
}

/* The class that a stage between the ends belongs to, or -1; most often that of the stage before it. */
static int class_of(const struct plan *plan, const struct split *split, const struct schedule_shape *schedule,
                    const struct rank_grid *grid, int i, const struct pipeline_classes *classes)
{
    bool is_even = split->is_uniform && split->kinds == 0 && !(KEY_OF(plan, model, num_experts) > 0);
    bool is_flat = grid->world <= grid->domain || 2 * grid->stride[AXIS_PP] > grid->domain;
    int before = classes->of[i - 1] > 0 ? classes->of[i - 1] : 1;
    for (int k = 1; k < classes->count; k++) {
        int c = k == 1 ? before : k == before ? 1 : k;
        if ((is_flat || hops_of(grid, classes->first[c]) == hops_of(grid, i)) &&
            (is_even || same_chunks(split, schedule, classes->first[c], i)))
            return c;
    }
    return -1;
}

void pipeline_classify(const struct plan *plan, const struct split *split, const struct schedule_shape *schedule,
                       const struct rank_grid *grid, struct pipeline_classes *out)
{
    int p = split->stages;
    out->count = 0;
    for (int i = 0; i < p; i++) {
        int c = i > 0 && i < p - 1 ? class_of(plan, split, schedule, grid, i, out) : -1;
        if (c < 0) {
            c = out->count++;
            out->first[c] = (short)i;
            out->stages[c] = 0;
        }
        out->of[i] = (short)c;
        out->stages[c]++;
    }
}

/* ---- the schedule, played --------------------------------------------------------------------------------------- */

/*
 * Each chunk takes its share of the stage's time by layers, the first the embedding's on top, the last the output
 * layer's; exposed traffic is spread evenly.
 */
static void time_chunk(const struct schedule_shape *shape, const struct split *split,
                       const struct pipeline_sheets *sheets, int n, struct chunk_times *out)
{
    int p = split->stages, V = split->chunks, i = schedule_stage(shape, n);
    const struct pass *pass = pass_of(sheets, i);
    const struct stage *stage = &sheets->stage[sheets->of ? sheets->of[i] : i];
    bool is_first = n == 0 && p > 1, is_last = n == p * V - 1 && p > 1; /* one stage is one chunk, ends and all */
    double share =
        stage->layers > 0 ? (split->is_uniform ? split->layers[0] : split->layers[n]) / stage->layers : 1.0 / V;
    double all_f = p > 1 ? pass->ends_f : 0, all_b = p > 1 ? pass->ends_b + pass->ends_r : 0;
    double end_f = is_first ? pass->embed_f : is_last ? all_f - stage->first * pass->embed_f : 0;
    double end_b = is_first ? pass->embed_b : is_last ? all_b - stage->first * pass->embed_b : 0;
    double stretch = compute_of(pass) > 0 ? pass->micro_s / compute_of(pass) : 1;
    out->forward_s[n] = stretch * ((pass->forward_s - all_f) * share + end_f);
    out->backward_s[n] = stretch * ((pass->recompute_s + pass->backward_s - all_b) * share + end_b);
    out->wgrad_s[n] = stretch * pass->wgrad_s * share;
}

void pipeline_times(const struct schedule_shape *shape, const struct split *split, const struct pipeline_sheets *sheets,
                    struct chunk_times *out)
{
    int last = split->stages * split->chunks - 1;
    short like[STAGES_MAX] = {0}; /* of each sheet: a chunk between the ends that was timed */
    for (int n = 0; n <= last; n++) {
        int i = schedule_stage(shape, n), same = sheets->of ? sheets->of[i] : i, known = n < last ? like[same] : 0;
        if (known && (split->is_uniform || split->layers[known] == split->layers[n])) {
            out->forward_s[n] = out->forward_s[known];
            out->backward_s[n] = out->backward_s[known];
            out->wgrad_s[n] = out->wgrad_s[known];
            continue;
        }
        time_chunk(shape, split, sheets, n, out);
        like[same] = (short)(n < last ? n : 0);
    }
}

double pipeline_play(const struct schedule_shape *shape, const struct split *split,
                     const struct pipeline_sheets *sheets, void (*each)(void *, const struct sim_event *),
                     void *context)
{
    struct sim_scratch scratch;
    struct chunk_times times;
    if (!schedule_runs(shape))
        return NAN;
    pipeline_times(shape, split, sheets, &times);
    return simulate(shape, &(struct sim_times){times.forward_s, times.backward_s, times.wgrad_s}, &scratch, each,
                    context);
}
