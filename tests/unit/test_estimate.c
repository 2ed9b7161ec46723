/* The whole estimate: identities that hold for every plan, checked on known shapes with random layouts. */
#include "core/estimate/iteration.h"
#include "core/estimate/timeline.h"
#include "tests/check.h"

#include "core/estimate/quick.h"
#include "core/show/time_parts.h"

static struct estimate estimate, other;

enum { PLANS = 400 };

/* Runs `each` on random valid plans, the same ones on every machine. */
static void for_random_plans(uint64_t seed, int count, void (*each)(struct plan *plan))
{
    struct check_random random = {seed};
    for (int i = 0; i < count; i++) {
        struct plan plan;
        check_random_plan(&random, &plan);
        estimate_plan(&plan, &estimate);
        assert_that(estimate.is_computed && estimate.is_modelled, "%s", check_describe(&plan));
        each(&plan);
    }
}

/* ---- one estimate ----------------------------------------------------------------------------------------------- */

static void parts_sum(struct plan *plan)
{
    for (int i = 0; i < estimate.stages; i++) {
        const struct stage *stage = &estimate.stage[i];
        double sum = stage->weights_bytes + stage->gradients_bytes + stage->optimizer_bytes + stage->activations_bytes +
                     stage->transient_bytes + stage->buffers_bytes;
        assert_that(sum == stage->allocated_bytes, "stage %d: %.17g, parts %.17g: %s", i, stage->allocated_bytes, sum,
                    check_describe(plan));
        assert_near(stage->reserved_bytes, stage->allocated_bytes + stage->fragmentation_bytes, 1e-15);
        assert_near(stage->device_bytes, stage->reserved_bytes + stage->context_bytes + stage->communicator_bytes,
                    1e-15);
        assert_near(stage->headroom_bytes, estimate.usable_bytes - stage->device_bytes, 1e-12);
    }
}

static void parts_sum_to_the_whole(void **state)
{
    (void)state;
    for_random_plans(10, PLANS, parts_sum);
}

/* Where each stage's iteration goes: parts that are not negative and sum to it, without a bubble that is cut off. */
static void stage_times_sum(struct plan *plan)
{
    if (!isfinite(estimate.step.estimated_s))
        return;
    for (int i = 0; i < estimate.stages; i++) {
        struct stage_time time;
        double sum = 0;
        stage_time_of(&estimate, i, &time);
        for (int k = 0; k < TIME_PARTS_MAX; k++) {
            double part = time_part(&time_parts[k], &time);
            assert_that(part >= 0, "stage %d: %s is %g: %s", i, time_parts[k].term, part, check_describe(plan));
            sum += part;
        }
        assert_that(fabs(sum - estimate.step.estimated_s) <= 1e-9 * sum, "stage %d: parts %.17g of %.17g: %s", i, sum,
                    estimate.step.estimated_s, check_describe(plan));
    }
}

static void times_of_stages_sum_to_the_iteration(void **state)
{
    static const char *const settings[] = {
        DEEPSEEK_V3 "ep=64 nodes=256 zero_stage=1 pp=16 schedule=dualpipe global_batch_size=4096",
        LLAMA3_8B "pp=4 tp=2 nodes=2 schedule=zb-h1 global_batch_size=64",
        LLAMA3_8B "pp=4 tp=2 nodes=2 schedule=zb-v vpp=2 global_batch_size=64",
        LLAMA3_8B "pp=4 tp=2 nodes=2 vpp=2 global_batch_size=64",
        LLAMA3_8B "pp=4 tp=2 nodes=2 global_batch_size=64 offload_optimizer=1",
        LLAMA3_8B "tp=1 nodes=1 fsdp=full framework.name=fsdp2"};
    (void)state;
    for_random_plans(11, PLANS, stage_times_sum);
    for (size_t i = 0; i < COUNT(settings); i++) {
        struct plan plan;
        check_plan(&plan, settings[i]);
        estimate_plan(&plan, &estimate);
        assert_that(isfinite(estimate.step.estimated_s), "%s", settings[i]);
        stage_times_sum(&plan);
    }
}

/* What all GPUs spend the iteration on: parts that are not negative and sum to it, measured or estimated. */
static void iteration_sums(const struct plan *plan)
{
    struct iteration iteration;
    double sum = 0;
    iteration_of(&estimate, &iteration);
    for (int k = 0; k < ITERATION_PARTS; k++) {
        double part = iteration_part(&iteration, k);
        assert_that(part >= 0, "%s is %g: %s", iteration_parts[k].name, part, check_describe(plan));
        sum += part;
    }
    assert_that(fabs(sum - estimate.step.iteration_s) <= 1e-9 * sum, "parts %.17g of %.17g: %s", sum,
                estimate.step.iteration_s, check_describe(plan));
}

static void iteration_of_plan_sums(struct plan *plan)
{
    if (!isfinite(estimate.step.estimated_s))
        return;
    iteration_sums(plan);
    const double measured[] = {0.01, 0.5, 1, 2}; /* of the estimate: the first is less than the maths at the peak */
    double estimated_s = estimate.step.estimated_s;
    for (size_t i = 0; i < COUNT(measured); i++) {
        KEY_OF(plan, train, measured_iteration_s) = measured[i] * estimated_s;
        plan->from[PARAM_train_measured_iteration_s] = FROM_SET;
        estimate_plan(plan, &estimate);
        assert_near(estimate.step.iteration_s, measured[i] * estimated_s, 1e-12);
        iteration_sums(plan);
    }
}

static void parts_of_the_iteration_sum_to_it(void **state)
{
    static const char *const settings[] = {
        DEEPSEEK_V3 "ep=64 nodes=256 zero_stage=1 pp=16 schedule=dualpipe global_batch_size=4096",
        LLAMA3_8B "pp=4 tp=2 nodes=2 schedule=zb-v vpp=2 global_batch_size=64",
        LLAMA3_8B "pp=4 tp=2 nodes=2 vpp=2 global_batch_size=64 recompute=full",
        LLAMA3_8B "pp=2 nodes=1 global_batch_size=64 offload_optimizer=1 hardware.fixed_overhead_ms=200",
        LLAMA3_8B "tp=1 nodes=1 fsdp=full framework.name=fsdp2",
        LLAMA3_8B "tp=8 nodes=1 seq_length=131072 cp=1 recompute=full global_batch_size=8"};
    (void)state;
    for_random_plans(12, PLANS, iteration_of_plan_sums);
    for (size_t i = 0; i < COUNT(settings); i++) {
        struct plan plan;
        check_plan(&plan, settings[i]);
        estimate_plan(&plan, &estimate);
        assert_that(isfinite(estimate.step.estimated_s), "%s", settings[i]);
        iteration_of_plan_sums(&plan);
    }
}

static void unknown_iterations_have_no_parts(void **state)
{
    struct plan plan;
    struct iteration iteration;
    (void)state;
    check_plan(&plan, LLAMA3_8B "workload=inference tp=8 nodes=1");
    estimate_plan(&plan, &estimate);
    iteration_of(&estimate, &iteration);
    for (int k = 0; k < ITERATION_PARTS; k++)
        assert_true(isnan(iteration_part(&iteration, k)));
}

static void no_negative(struct plan *plan)
{
    for (int i = 0; i < estimate.stages; i++) {
        for (size_t j = 0; j < stage_term_count; j++)
            if (strcmp(stage_terms[j].name, "headroom_bytes") != 0)
                assert_that(term_value(&stage_terms[j], &estimate.stage[i]) >= 0, "stage %d: %s is %g: %s", i,
                            stage_terms[j].name, term_value(&stage_terms[j], &estimate.stage[i]), check_describe(plan));
        for (size_t j = 0; j < pass_term_count; j++)
            assert_that(term_value(&pass_terms[j], &estimate.pass[i]) >= 0, "stage %d: %s is %g: %s", i,
                        pass_terms[j].name, term_value(&pass_terms[j], &estimate.pass[i]), check_describe(plan));
    }
    for (int i = 0; i < OP_COUNT; i++) {
        const struct op op = check_op(&estimate, (enum op_id)i);
        for (size_t j = 0; j < op_column_count; j++)
            assert_that(term_value(&op_columns[j], &op) >= 0, "%s: %s is negative: %s", op_rows[i].id,
                        op_columns[j].name, check_describe(plan));
    }
}

static void nothing_is_negative_or_unknown(void **state)
{
    (void)state;
    for_random_plans(11, PLANS, no_negative);
}

static void verdict(struct plan *plan)
{
    (void)plan;
    double least = INFINITY, most = 0;
    for (int i = 0; i < estimate.stages; i++) {
        least = fmin(least, estimate.stage[i].headroom_bytes);
        most = fmax(most, estimate.stage[i].device_bytes);
    }
    assert_same(estimate.headroom_bytes, least);
    assert_int_equal(estimate.fits, least >= 0);
    assert_same(estimate.stage[estimate.peak_stage].device_bytes, most);
    for (int i = 0; i < estimate.stages; i++)
        assert_at_most(estimate.pass[i].micro_s, estimate.pass[estimate.binding_stage].micro_s);
}

static void a_plan_fits_when_every_stage_does(void **state)
{
    (void)state;
    for_random_plans(12, PLANS, verdict);
}

/*
 * Whole stages, replicas once, are the model; with stages, copies of the embedding: tied, and for multi-token
 * prediction.
 */
static void stages_sum(struct plan *plan)
{
    const struct symbols *y = &estimate.symbols;
    double sum = 0, copy = y->p > 1 ? ((y->tied > 0) + (y->J > 0)) * y->v * y->h : 0;
    int layers = 0;
    for (int i = 0; i < estimate.stages; i++) {
        sum += estimate.stage_params_all[i];
        layers += estimate.split[i].layers;
    }
    assert_that(sum == estimate.totals.total + copy, "stages hold %.0f, the model %.0f: %s", sum,
                estimate.totals.total + copy, check_describe(plan));
    assert_int_equal(layers, (int)y->L);
}

static void stages_sum_to_the_model(void **state)
{
    (void)state;
    for_random_plans(13, PLANS, stages_sum);
}

/* A rank holds its share of what is cut, and all of what is not. */
static void ranks_hold(struct plan *plan)
{
    const struct symbols *y = &estimate.symbols;
    for (int i = 0; i < estimate.stages; i++) {
        double all = estimate.stage_params_all[i], rank = estimate.stage[i].params;
        assert_that(rank <= all * (1 + 1e-12) && rank * y->t * fmax(1, y->ep) * fmax(1, y->et) >= all * (1 - 1e-12),
                    "stage %d: a rank holds %.0f of %.0f: %s", i, rank, all, check_describe(plan));
        assert_that(estimate.stage[i].params == floor(estimate.stage[i].params), "stage %d: %.3f parameters: %s", i,
                    rank, check_describe(plan));
        if (y->t == 1 && y->ep == 1)
            assert_same(rank, all);
    }
}

static void ranks_hold_their_share(void **state)
{
    (void)state;
    for_random_plans(14, PLANS, ranks_hold);
}

static void same_bytes(struct plan *plan)
{
    memset(&other, 0x5a, sizeof other);
    estimate_plan(plan, &other);
    assert_memory_equal(&estimate.stage, &other.stage, sizeof *estimate.stage * (size_t)estimate.stages);
    assert_memory_equal(&estimate.step, &other.step, sizeof estimate.step);
    assert_memory_equal(&estimate.totals, &other.totals, sizeof estimate.totals);
    assert_int_equal(estimate.diags.count, other.diags.count);
}

static void the_same_plan_gives_the_same_bytes(void **state)
{
    (void)state;
    for_random_plans(15, 100, same_bytes);
}

/* ---- two estimates: what a change may do ------------------------------------------------------------------------ */

/* Estimates `plan` with settings over it into `other`; false when the result breaks a rule. */
static bool with(const struct plan *plan, const char *settings)
{
    struct plan changed = *plan;
    check_set(&changed, settings);
    estimate_plan(&changed, &other);
    return other.diags.errors == 0 && other.is_modelled;
}

static double layers_saved(const struct estimate *e, int stage)
{
    return e->stage[stage].activations_bytes;
}

static void only_fewer_saved(struct plan *plan, const char *settings)
{
    if (!with(plan, settings) || other.stages != estimate.stages)
        return;
    for (int i = 0; i < estimate.stages; i++)
        assert_that(layers_saved(&other, i) <= layers_saved(&estimate, i) * (1 + 1e-12),
                    "%s raises saved bytes of stage %d from %.0f to %.0f: %s", settings, i, layers_saved(&estimate, i),
                    layers_saved(&other, i), check_describe(plan));
}

static void savers(struct plan *plan)
{
    static const char *const settings[] = {
        "sp=true",
        "recompute=full",
        "recompute=selective",
        "recompute=full recompute_method=block",
        "recompute=selective recompute_modules=[core_attn,layernorm,mlp,moe_act,shared_experts,mla_up_proj]",
        "attention=flash",
        "fused_glu=true"};
    struct plan base = *plan;
    check_set(&base, "sp=false recompute=none attention=unfused fused_glu=false");
    estimate_plan(&base, &estimate);
    if (estimate.diags.errors == 0)
        for (size_t i = 0; i < COUNT(settings); i++)
            only_fewer_saved(&base, settings[i]);
}

static void sharding_the_sequence_and_recomputing_never_raise_saved_bytes(void **state)
{
    (void)state;
    for_random_plans(16, 200, savers);
}

/* Context parallelism halves the tokens; the ring and the exchange keep one more copy of the attention output. */
static void context_parallelism_never_raises_saved_bytes(void **state)
{
    (void)state;
    static const char *const models[] = {GPT3_175B, LLAMA2_7B, LLAMA3_8B, QWEN3_32B, MIXTRAL_8X7B, DEEPSEEK_V3};
    for (size_t i = 0; i < COUNT(models); i++)
        for (int comm = 0; comm < CP_A2A + 1; comm++) {
            struct plan plan;
            char text[80];
            double last = INFINITY;
            for (int cp = 1; cp <= 8; cp *= 2) {
                check_plan(&plan, models[i]);
                snprintf(text, sizeof text, "dp=1 global_batch_size=1 cp=%d cp_comm=%s", cp,
                         param_rows[PARAM_parallel_cp_comm].choices[comm]);
                check_set(&plan, text);
                estimate_plan(&plan, &estimate);
                if (estimate.diags.errors)
                    continue;
                assert_that(estimate.stage[0].activations_bytes < last, "%s: %.0f", text,
                            estimate.stage[0].activations_bytes);
                last = estimate.stage[0].activations_bytes;
            }
        }
}

static void weights_by_tp(struct plan *plan)
{
    if (estimate.symbols.t < 8)
        for (int tp = (int)estimate.symbols.t * 2; tp <= 8; tp *= 2) {
            char text[32];
            snprintf(text, sizeof text, "tp=%d", tp);
            if (!with(plan, text) || other.stages != estimate.stages)
                continue;
            for (int i = 0; i < other.stages; i++)
                assert_that(other.stage[i].params_dense <= estimate.stage[i].params_dense,
                            "tp %d: stage %d holds %.0f, before %.0f: %s", tp, i, other.stage[i].params_dense,
                            estimate.stage[i].params_dense, check_describe(plan));
        }
}

static void more_tp_never_means_more_weights(void **state)
{
    (void)state;
    for_random_plans(17, 200, weights_by_tp);
}

/*
 * Megatron of 2023 flattens 16-bit gradients once more without its distributed optimizer, and DeepSpeed takes another
 * optimizer without ZeRO, so there the two differ.
 */
static void zero_by_dp(struct plan *plan)
{
    bool is_flattened = estimate.symbols.flat_gradients > 0 && estimate.symbols.Gm > 0;
    if (!is_flattened && estimate.symbols.d * estimate.symbols.c == 1 && estimate.symbols.ed == 1 &&
        with(plan, "zero_stage=0") && !(other.symbols.shards_states > 0)) {
        for (int i = 0; i < estimate.stages; i++)
            assert_that(other.stage[i].allocated_bytes == estimate.stage[i].allocated_bytes,
                        "stage %d: %.0f, without ZeRO %.0f: %s", i, estimate.stage[i].allocated_bytes,
                        other.stage[i].allocated_bytes, check_describe(plan));
        assert_same(other.step.iteration_s, estimate.step.iteration_s);
    }
    if (estimate.symbols.zero > 0 && with(plan, "zero_stage=0"))
        for (int i = 0; i < estimate.stages; i++)
            assert_at_most(estimate.stage[i].optimizer_bytes, other.stage[i].optimizer_bytes);
}

static void one_data_parallel_rank_has_nothing_to_shard(void **state)
{
    (void)state;
    for_random_plans(18, PLANS, zero_by_dp);
    check_estimate(&estimate, LLAMA3_8B "tp=8 dp=1 global_batch_size=4 zero_stage=1");
    check_estimate(&other, LLAMA3_8B "tp=8 dp=1 global_batch_size=4 zero_stage=0");
    assert_same(estimate.stage[0].allocated_bytes, other.stage[0].allocated_bytes);
    assert_same(estimate.step.iteration_s, other.step.iteration_s);
}

/* Fewer micro-batches than stages leave the pipeline partly empty, so the first stages keep less. */
static void memory_falls_with_fewer_micro_batches_than_stages(void **state)
{
    (void)state;
    double last = 0;
    for (int m = 1; m <= 12; m++) {
        char text[512];
        snprintf(text, sizeof text, LLAMA3_70B "tp=8 pp=8 dp=1 global_batch_size=%d", m);
        check_estimate(&estimate, text);
        double bytes = estimate.stage[0].allocated_bytes;
        assert_that(m <= 8 ? bytes > last : bytes == last, "%d micro-batches: %.0f after %.0f", m, bytes, last);
        assert_near(estimate.stage[0].activations_bytes, fmin(m, 8) * 10 * estimate.stage[0].dense_saved, 1e-12);
        last = bytes;
    }
}

/* Turning a feature off is the same as a degree of one. */
static void off_is_degree_one(struct plan *plan)
{
    static const char *const pairs[][2] = {
        {"tp=1 sp=true", "tp=1 sp=false"},
        {"vpp=1 schedule=auto", "vpp=auto schedule=auto microbatch_group=0"},
        {"cp=1 cp_comm=a2a", "cp=1 cp_comm=p2p"},
        {"tp=1 overlap_tp=true", "tp=1 overlap_tp=false"},
        {"pp=1 vpp=1 schedule=1f1b overlap_p2p=true",
         "pp=1 vpp=1 schedule=1f1b overlap_p2p=false p2p_scatter_gather=false"},
        {"sliding_window=0 sliding_window_every=4", "sliding_window=0"},
        {"pp=1 vpp=1 schedule=gpipe", "pp=1 vpp=1 schedule=1f1b"},
    };
    for (size_t i = 0; i < COUNT(pairs); i++) {
        if (!with(plan, pairs[i][0]))
            continue;
        estimate = other;
        if (!with(plan, pairs[i][1]))
            continue;
        assert_int_equal(estimate.stages, other.stages);
        for (int j = 0; j < other.stages; j++)
            assert_that(fabs(estimate.stage[j].allocated_bytes - other.stage[j].allocated_bytes) < 1,
                        "%s and %s differ on stage %d: %.0f, %.0f: %s", pairs[i][0], pairs[i][1], j,
                        estimate.stage[j].allocated_bytes, other.stage[j].allocated_bytes, check_describe(plan));
        assert_that(fabs(estimate.step.iteration_s - other.step.iteration_s) <= 1e-12 * other.step.iteration_s,
                    "%s and %s differ in time: %s", pairs[i][0], pairs[i][1], check_describe(plan));
    }
}

static void a_feature_off_equals_degree_one(void **state)
{
    (void)state;
    for_random_plans(19, 200, off_is_degree_one);
}

/* ---- search ----------------------------------------------------------------------------------------------------- */

static struct quick_cache cache;

static void compare_quick(struct plan *plan)
{
    struct quick quick;
    const struct stage *peak = &estimate.stage[estimate.peak_stage];
    estimate_quick(&estimate.plan, QUICK_PLAYED, &cache, &quick);
    assert_that(fabs(quick.peak_device_bytes - peak->device_bytes) <= 1e-12 * peak->device_bytes,
                "%.0f bytes, in full %.0f: %s", quick.peak_device_bytes, peak->device_bytes, check_describe(plan));
    assert_that(fabs(quick.iteration_s - estimate.step.iteration_s) <= 1e-12 * quick.iteration_s,
                "%.9g s, in full %.9g: %s", quick.iteration_s, estimate.step.iteration_s, check_describe(plan));
    assert_int_equal(quick.fits, estimate.fits);
}

static void quick_equals_full(struct plan *plan)
{
    compare_quick(plan); /* after any other plan */
    compare_quick(plan); /* from the cache */
    struct quick quick;  /* the closed form is near */
    estimate_quick(&estimate.plan, QUICK_CLOSED, &cache, &quick);
    assert_that(fabs(quick.iteration_s / estimate.step.iteration_s - 1) < 0.25, "closed form %.6g s, played %.6g: %s",
                quick.iteration_s, estimate.step.iteration_s, check_describe(plan));
}

static void the_quick_estimate_equals_the_full_one(void **state)
{
    (void)state;
    for_random_plans(20, 2000, quick_equals_full);
}

/* A search walks from neighbour to neighbour of one model, where the cache hits. */
static void the_cache_of_the_quick_estimate_is_never_stale(void **state)
{
    (void)state;
    static const enum param keys[] = {PARAM_parallel_tp,
                                      PARAM_parallel_sp,
                                      PARAM_parallel_pp,
                                      PARAM_parallel_vpp,
                                      PARAM_parallel_cp,
                                      PARAM_parallel_cp_comm,
                                      PARAM_parallel_ep,
                                      PARAM_parallel_etp,
                                      PARAM_parallel_zero_stage,
                                      PARAM_parallel_schedule,
                                      PARAM_train_micro_batch_size,
                                      PARAM_train_global_batch_size,
                                      PARAM_train_recompute,
                                      PARAM_train_recompute_num_layers,
                                      PARAM_train_recompute_method,
                                      PARAM_train_attention,
                                      PARAM_parallel_order};
    struct check_random random = {21};
    for (int i = 0; i < 100; i++) {
        struct plan plan;
        check_random_plan(&random, &plan);
        for (int j = 0; j < 40; j++) {
            struct plan next = plan;
            param_step(&next, keys[check_below(&random, COUNT(keys))], check_below(&random, 2) ? 1 : -1);
            estimate_plan(&next, &estimate);
            if (estimate.diags.errors || !estimate.is_modelled)
                continue;
            plan = next;
            compare_quick(&plan);
        }
    }
}

/* ---- unknown and impossible ------------------------------------------------------------------------------------- */

static void an_empty_plan_says_what_is_missing(void **state)
{
    (void)state;
    struct plan plan;
    plan_clear(&plan);
    estimate_plan(&plan, &estimate);
    assert_false(estimate.is_computed);
    assert_false(estimate.fits);
    assert_int_equal(estimate.stages, 0);
    assert_true(isnan(estimate.totals.total) && isnan(estimate.headroom_bytes));
    assert_true(estimate.diags.errors >= 5);
    for (int i = 0; i < estimate.diags.errors; i++)
        assert_that(strncmp(estimate.diags.item[i].rule, "missing_", 8) == 0, "%s", estimate.diags.item[i].rule);
}

/* While a user passes through sizes that do not divide, the numbers of the nearest split stay on the screen. */
static void a_split_that_does_not_divide_is_still_computed(void **state)
{
    (void)state;
    struct plan plan;
    check_plan(&plan, LLAMA3_8B "pp=3");
    estimate_plan(&plan, &estimate);
    assert_true(estimate.is_computed);
    assert_true(estimate.diags.errors > 0);
    assert_same(estimate.totals.total, 8030261248);
    assert_int_equal(estimate.split[0].layers + estimate.split[1].layers + estimate.split[2].layers, 32);
    assert_near(estimate.stage_params_all[0] + estimate.stage_params_all[1] + estimate.stage_params_all[2], 8030261248,
                0);
}

/*
 * Half a micro-batch does not run, nor does a group that the schedule cannot walk through: a finding, and no numbers.
 */
static void a_schedule_that_cannot_run_has_no_numbers(void **state)
{
    (void)state;
    static const char *const settings[] = {"nodes=4 pp=2 vpp=2 global_batch_size=40", "nodes=1 global_batch_size=9",
                                           "nodes=1 pp=2 schedule=zb-h1 global_batch_size=9",
                                           "nodes=1 pp=4 global_batch_size=1", "nodes=1 pp=4 vpp=2 global_batch_size=6",
                                           "nodes=1 pp=2 schedule=zb-v global_batch_size=8",
                                           "nodes=1 pp=4 schedule=dualpipe global_batch_size=8"};
    for (size_t i = 0; i < COUNT(settings); i++) {
        struct plan plan;
        struct timeline_point point[TIMELINE_POINTS_MAX];
        char text[256];
        snprintf(text, sizeof text, LLAMA3_8B "gpus_per_node=8 %s", settings[i]);
        check_plan(&plan, text);
        estimate_plan(&plan, &estimate);
        const struct step *step = &estimate.step;
        const double unknown[] = {step->iteration_s,  step->compute_s, step->bubble_s, step->bubble_fraction,
                                  step->tokens_per_s, step->mfu,       estimate.stage[0].chunks_in_flight,
                                  estimate.stage[0].activations_bytes, estimate.stage[0].device_bytes,
                                  estimate.headroom_bytes};
        assert_true(estimate.is_computed && estimate.diags.errors > 0);
        for (size_t j = 0; j < COUNT(unknown); j++)
            assert_that(isnan(unknown[j]), "number %zu is %g: %s", j, unknown[j], settings[i]);
        assert_int_equal(timeline_of(&estimate, 0, point, TIMELINE_POINTS_MAX), 0);
        assert_true(estimate.stage[0].weights_bytes > 0 && !estimate.fits);
    }
}

static void more_chunks_than_the_program_keeps_still_counts_parameters(void **state)
{
    (void)state;
    struct plan plan;
    check_plan(&plan, LLAMA3_8B "pp=1024");
    estimate_plan(&plan, &estimate);
    assert_false(estimate.is_computed);
    assert_true(estimate.diags.errors > 0);
    assert_same(estimate.totals.total, 8030261248);
}

static void what_is_not_modelled_is_unknown_and_never_zero(void **state)
{
    (void)state;
    static const char *const settings[] = {"dtype=nvfp4 transformer_impl=local", "zero_stage=2",
                                           "framework.name=megatron-2023 zero_stage=3"};
    for (size_t i = 0; i < COUNT(settings); i++) {
        struct plan plan;
        check_plan(&plan, LLAMA3_8B "nodes=2 global_batch_size=64");
        check_set(&plan, settings[i]);
        estimate_plan(&plan, &estimate);
        assert_that(!estimate.is_modelled, "%s", settings[i]);
        assert_that(!estimate.fits && isnan(estimate.headroom_bytes), "%s", settings[i]);
        assert_that(isnan(estimate.step.iteration_s) && isnan(estimate.step.mfu) && isnan(estimate.step.cost), "%s",
                    settings[i]);
        for (int j = 0; j < estimate.stages; j++) {
            const struct stage *stage = &estimate.stage[j];
            assert_that(isnan(stage->activations_bytes) && isnan(stage->allocated_bytes) && isnan(stage->device_bytes),
                        "%s", settings[i]);
            assert_that(stage->params > 0, "%s", settings[i]);
        }
        assert_true(estimate.totals.total > 8.0e9);
        assert_true(isnan(estimate.totals.attention_flops) && isnan(estimate.totals.core_repeated_flops));
        bool is_said = false;
        for (int j = 0; j < estimate.diags.count; j++)
            is_said |= estimate.diags.item[j].is_unmodelled;
        assert_that(is_said, "%s: no finding", settings[i]);
    }
}

static void an_unknown_device_leaves_time_and_verdict_unknown(void **state)
{
    (void)state;
    struct plan plan;
    plan_clear(&plan);
    check_set(&plan, LLAMA3_8B "gpus_per_node=8 global_batch_size=64");
    estimate_plan(&plan, &estimate);
    assert_true(estimate.is_computed);
    assert_true(estimate.stage[0].weights_bytes > 0);
    assert_false(estimate.fits);
    assert_true(isnan(estimate.headroom_bytes) && isnan(estimate.step.iteration_s));
}

static void active_parameters_count_the_chosen_experts(void **state)
{
    (void)state;
    check_estimate(&estimate, MIXTRAL_8X7B "dp=8");
    assert_same(estimate.totals.unpadded, 46702792704);
    assert_same(estimate.totals.active, 46702792704 - 32 * 6 * 3 * 4096.0 * 14336);
    check_estimate(&estimate, DEEPSEEK_V3 "dp=8");
    assert_same(estimate.totals.unpadded, 671026419200);
    assert_same(estimate.totals.active, 37552297472);
    check_estimate(&estimate, LLAMA3_8B "dp=8");
    assert_same(estimate.totals.active, estimate.totals.unpadded);
}

/* Random settings of any kind, valid or not: no crash, no undefined behaviour, findings within their limits. */
static void any_settings_are_survived(void **state)
{
    (void)state;
    struct check_random random = {22};
    for (int i = 0; i < 4000; i++) {
        struct plan plan;
        plan_clear(&plan);
        check_h100(&plan);
        if (check_below(&random, 4))
            check_set(&plan, check_below(&random, 2) ? LLAMA3_8B : DEEPSEEK_V3);
        for (int j = 0; j < 6; j++) {
            int id = check_below(&random, PARAM_COUNT);
            const struct param_row *row = &param_rows[id];
            if (row->type == TYPE_NAME || row->type == TYPE_LAYOUT)
                continue;
            double value = check_below(&random, 3)   ? row->min + check_below(&random, 16)
                           : check_below(&random, 2) ? row->max
                                                     : row->min;
            plan.value[id] = fmin(value, row->max);
            plan.from[id] = FROM_SET;
        }
        estimate_plan(&plan, &estimate);
        assert_between(estimate.diags.count, 0, DIAG_MAX);
        assert_between(estimate.stages, 0, STAGES_MAX);
        for (int j = 0; j < estimate.diags.count; j++)
            assert_true(strlen(finding_text(&estimate.diags.item[j]).text) < DIAG_TEXT_MAX - 1);
        if (estimate.diags.errors == 0 && estimate.stages > 0) {
            struct comm rows[COMM_COUNT];
            estimate_comm(&estimate, estimate.stages - 1, rows);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_sum_to_the_whole),
        cmocka_unit_test(times_of_stages_sum_to_the_iteration),
        cmocka_unit_test(parts_of_the_iteration_sum_to_it),
        cmocka_unit_test(unknown_iterations_have_no_parts),
        cmocka_unit_test(nothing_is_negative_or_unknown),
        cmocka_unit_test(a_plan_fits_when_every_stage_does),
        cmocka_unit_test(stages_sum_to_the_model),
        cmocka_unit_test(ranks_hold_their_share),
        cmocka_unit_test(the_same_plan_gives_the_same_bytes),
        cmocka_unit_test(sharding_the_sequence_and_recomputing_never_raise_saved_bytes),
        cmocka_unit_test(context_parallelism_never_raises_saved_bytes),
        cmocka_unit_test(more_tp_never_means_more_weights),
        cmocka_unit_test(one_data_parallel_rank_has_nothing_to_shard),
        cmocka_unit_test(memory_falls_with_fewer_micro_batches_than_stages),
        cmocka_unit_test(a_feature_off_equals_degree_one),
        cmocka_unit_test(the_quick_estimate_equals_the_full_one),
        cmocka_unit_test(the_cache_of_the_quick_estimate_is_never_stale),
        cmocka_unit_test(an_empty_plan_says_what_is_missing),
        cmocka_unit_test(a_split_that_does_not_divide_is_still_computed),
        cmocka_unit_test(a_schedule_that_cannot_run_has_no_numbers),
        cmocka_unit_test(more_chunks_than_the_program_keeps_still_counts_parameters),
        cmocka_unit_test(what_is_not_modelled_is_unknown_and_never_zero),
        cmocka_unit_test(an_unknown_device_leaves_time_and_verdict_unknown),
        cmocka_unit_test(active_parameters_count_the_chosen_experts),
        cmocka_unit_test(any_settings_are_survived),
    };
    return cmocka_run_group_tests_name("estimate", tests, NULL, NULL) != 0;
}
