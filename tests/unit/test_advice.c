/* Advice: every row shows what the changed plan is estimated at; room is exact; what is said to fix does. */
#include "tests/check.h"

#include "core/plan/rule.h"
#include "core/search/advice.h"
#include "core/search/diff_text.h"

static struct advice advice;
static struct estimate scratch, other;

#define CLUSTER                                                                                                        \
    LLAMA3_70B "framework.name=megatron-core nodes=128 gpus_per_node=8 global_batch_size=2048 sp=true zero_stage=1 "

static void advise(const struct plan *plan, int at_once)
{
    advice_begin(&advice, plan);
    while (advice_step(&advice, &scratch, at_once))
        ;
    assert_int_equal(advice.phase, ADVICE_DONE);
}

static void advise_on(const char *settings)
{
    struct plan plan;
    check_plan(&plan, settings);
    advise(&plan, 1000);
}

static struct figures figures_with(enum param key, double value)
{
    struct figures figures;
    struct plan plan = advice.plan;
    plan.value[key] = value;
    plan.from[key] = FROM_SET;
    estimate_plan(&plan, &scratch);
    figures_of(&scratch, &figures);
    return figures;
}

/* ---- a plan that serves ----------------------------------------------------------------------------------------- */

/* 70B in 16 bits on two H100 leaves no room for a request of 131,072 tokens: replicas stay, GPUs follow from tp. */
static void a_server_that_does_not_start_is_mended(void **state)
{
    (void)state;
    struct plan plan;
    advise_on(LLAMA3_70B "nodes=1 gpus_per_node=2 tp=2 workload=inference serve.engine=vllm max_model_len=131072");
    assert_int_equal(advice.now.verdict, VERDICT_NO);
    assert_int_equal(advice.fix.changes, 1);
    assert_int_equal(advice.fix.change[0].key, PARAM_parallel_tp);
    bool has_type = false, has_length = false;
    for (int i = 0; i < advice.fixes; i++) {
        const struct advice_fix *fix = &advice.fixed[i];
        has_type |= fix->change[0].key == PARAM_serve_weight_dtype;
        has_length |= fix->change[0].key == PARAM_serve_max_model_len;
        advice_plan(&advice, fix->change, fix->changes, &plan);
        estimate_plan(&plan, &scratch);
        assert_true(serving_starts(&scratch) > 0);
        assert_same(scratch.symbols.d, 1);
    }
    assert_true(has_type && has_length);
}

/* ---- single changes --------------------------------------------------------------------------------------------- */

static void rows_are_estimates_of_their_plans(void **state)
{
    (void)state;
    static const char *const servers[] = {
        LLAMA3_8B "engine=vllm nodes=1 gpus_per_node=2 batch_size=32", LLAMA3_70B "engine=sglang nodes=1 tp=4 dp=2",
        MIXTRAL_8X7B "engine=vllm nodes=1 gpus_per_node=4 ep=4 batch_size=16 max_per_token_ms=20",
        LLAMA3_70B "engine=trtllm nodes=1 gpus_per_node=4 tp=2 weight_dtype=fp8 request_rate=3",
        LLAMA3_8B "nodes=1 dp=8"};
    struct check_random random = {7};
    for (int i = 0; i < 40; i++) {
        struct plan plan;
        check_random_plan(&random, &plan);
        if (i < (int)COUNT(servers)) {
            check_plan(&plan, servers[i]);
            check_set(&plan, "workload=inference prompt_tokens=2048 generate_tokens=256");
        }
        advise(&plan, 1000);
        for (int k = 0; k < advice.rows; k++) {
            struct figures figures;
            advice_plan(&advice, &advice.row[k].change, 1, &plan);
            estimate_plan(&plan, &scratch);
            figures_of(&scratch, &figures);
            assert_int_equal(scratch.diags.errors, 0);
            assert_same(figures.iteration_s, advice.row[k].figures.iteration_s);
            assert_same(figures.device_bytes, advice.row[k].figures.device_bytes);
            assert_true(figures.kv_tokens == advice.row[k].figures.kv_tokens || isnan(figures.kv_tokens));
            assert_int_equal(figures.verdict, advice.row[k].figures.verdict);
        }
    }
}

static bool comes_first(const struct figures *a, const struct figures *b)
{
    if (a->verdict != b->verdict)
        return a->verdict < b->verdict;
    if (a->verdict == VERDICT_NO && a->headroom_bytes != b->headroom_bytes)
        return a->headroom_bytes > b->headroom_bytes;
    return a->iteration_s < b->iteration_s;
}

/* Groups in order; inside, what fits first, then the fastest; the GPUs stay unless their number is the change. */
static void rows_are_sorted_and_keep_the_gpus(void **state)
{
    (void)state;
    advise_on(CLUSTER "tp=8 pp=4 micro_batch_size=1");
    double world = advice.resolved.value[PARAM_hardware_nodes];
    for (int i = 0; i < advice.rows; i++) {
        struct plan plan, resolved;
        const struct advice_row *row = &advice.row[i];
        advice_plan(&advice, &row->change, 1, &plan);
        plan_resolve(&plan, &resolved);
        assert_true((resolved.value[PARAM_hardware_nodes] == world) == (row->group != CHANGE_HARDWARE));
        assert_true(i == 0 || row->group > row[-1].group ||
                    (row->group == row[-1].group && !comes_first(&row->figures, &row[-1].figures)));
    }
    assert_int_equal(advice.row[0].change.key, PARAM_parallel_vpp);
    assert_int_equal(advice.row[0].figures.verdict, VERDICT_FITS);
    assert_true(advice.row[0].figures.iteration_s < advice.now.iteration_s);
}

/* Where nothing makes the plan fit the changes that come nearest to it stand first, however slow they are. */
static void what_is_nearest_to_fitting_comes_first(void **state)
{
    (void)state;
    int faster = 0;
    advise_on(LLAMA3_70B "framework.name=megatron-core nodes=1 gpus_per_node=8 global_batch_size=64 tp=8 sp=true "
                         "zero_stage=1 recompute=full");
    assert_int_equal(advice.now.verdict, VERDICT_NO);
    assert_true(advice.fix.changes == 0 || change_group_of(advice.fix.change[0].key) == CHANGE_HARDWARE);
    assert_true(advice.rows > 5);
    for (int i = 1; i < advice.rows && advice.row[i].group == CHANGE_LAYOUT; i++) {
        const struct figures *before = &advice.row[i - 1].figures, *figures = &advice.row[i].figures;
        assert_int_equal(figures->verdict, VERDICT_NO);
        assert_true(before->headroom_bytes >= figures->headroom_bytes);
        faster += figures->iteration_s < before->iteration_s;
    }
    assert_true(faster > 0);
}

/*
 * A size that was given as dp is what the others leave; a pipeline of one has no chunks, and chunks have their
 * schedule.
 */
static void what_must_follow_follows(void **state)
{
    (void)state;
    struct plan plan, resolved, out;
    check_plan(&plan, CLUSTER "tp=8 pp=4 vpp=2 dp=32 schedule=interleaved");
    plan_resolve(&plan, &resolved);
    change_make(&plan, &resolved, &(struct change){PARAM_parallel_tp, 1}, &out);
    plan_resolve(&out, &resolved);
    assert_same(resolved.value[PARAM_parallel_dp], 256);
    assert_same(resolved.value[PARAM_parallel_sp], 0);
    assert_same(resolved.value[PARAM_hardware_nodes], 128);
    plan_resolve(&plan, &resolved);
    change_make(&plan, &resolved, &(struct change){PARAM_parallel_pp, 1}, &out);
    plan_resolve(&out, &resolved);
    assert_same(resolved.value[PARAM_parallel_vpp], 1);
    assert_same(resolved.value[PARAM_parallel_schedule], SCHEDULE_1F1B);
    assert_same(resolved.value[PARAM_parallel_dp], 128);
}

static double ranks_of(const struct plan *resolved)
{
    return resolved->value[PARAM_parallel_dp] * resolved->value[PARAM_parallel_tp] *
           resolved->value[PARAM_parallel_pp] * resolved->value[PARAM_parallel_cp];
}

/* Whether a given dp says how many GPUs there are. */
static bool dp_holds_gpus(const struct plan *resolved)
{
    return resolved->from[PARAM_parallel_dp] > FROM_DERIVED && resolved->from[PARAM_hardware_nodes] <= FROM_DERIVED;
}

/* Twelve GPUs, which are no whole nodes: every change of the layout has twelve, other hardware is twice as many. */
static void a_given_dp_keeps_its_gpus(void **state)
{
    (void)state;
    int layouts = 0, others = 0;
    struct plan plan, resolved;
    check_plan(&plan, LLAMA3_8B "dp=3 tp=2 pp=2 global_batch_size=48");
    advise(&plan, 1000);
    assert_same(ranks_of(&advice.resolved), 12);
    for (int i = 0; i < advice.changes; i++) {
        advice_plan(&advice, &advice.change[i], 1, &plan);
        plan_resolve(&plan, &resolved);
        bool is_other = advice.change[i].key == PARAM_hardware_nodes;
        assert_same(ranks_of(&resolved), is_other ? 24 : 12);
        layouts += advice.change[i].key == PARAM_parallel_tp || advice.change[i].key == PARAM_parallel_pp ||
                   advice.change[i].key == PARAM_parallel_cp;
        others += is_other;
    }
    assert_true(layouts > 3 && others == 1);
}

static void slices_change_nothing(void **state)
{
    (void)state;
    static struct advice whole;
    struct plan plan;
    check_plan(&plan, CLUSTER "tp=4 pp=8 micro_batch_size=2");
    advise(&plan, 100000);
    whole = advice;
    advise(&plan, 1);
    assert_int_equal(whole.rows, advice.rows);
    assert_memory_equal(&whole.room, &advice.room, sizeof whole.room);
    assert_memory_equal(&whole.fix.change, &advice.fix.change, sizeof whole.fix.change);
    assert_same(whole.sensitivity[0].relative, advice.sensitivity[0].relative);
}

/* ---- against all there are -------------------------------------------------------------------------------------- */

/* Keys of a layout, and the largest value that is worth trying. */
static const struct {
    enum param key;
    int most;
} layout_keys[] = {{PARAM_parallel_tp, 64}, {PARAM_parallel_sp, 1}, {PARAM_parallel_pp, 256}, {PARAM_parallel_vpp, 16},
                   {PARAM_parallel_cp, 64}, {PARAM_parallel_ep, 512}, {PARAM_parallel_etp, 64},
                   {PARAM_parallel_zero_stage, 3}, {PARAM_parallel_fsdp, 3},
                   {PARAM_parallel_embedding_counts_as_layer, 1}, {PARAM_parallel_loss_counts_as_layer, 1},
                   {PARAM_train_micro_batch_size, 16}, {PARAM_train_recompute, 2},
                   {PARAM_train_recompute_modules, 255}};

static double gpus_of(const struct plan *resolved)
{
    return resolved->value[PARAM_hardware_nodes] * resolved->value[PARAM_hardware_gpus_per_node];
}

/*
 * Whether another value of a key may be part of a plan on these GPUs that is worth a try: tensor parallelism spans two
 * domains at most, experts are split as the rest is or not at all, and of modules one more or less is computed again.
 */
static bool is_worth_it(const struct plan *now, enum param key, double value)
{
    double experts = fmax(now->value[PARAM_model_num_experts], 1), present = now->value[key];
    double whole = dp_holds_gpus(now) ? now->value[PARAM_parallel_dp] * present : gpus_of(now);
    if (value == present || (value == 0 && param_rows[key].min == 1))
        return false;
    switch ((int)key) {
    case PARAM_parallel_tp:
        return fmod(whole, value) == 0 && value <= 2 * now->value[PARAM_hardware_nvlink_domain];
    case PARAM_parallel_pp:
    case PARAM_parallel_cp: return fmod(whole, value) == 0;
    case PARAM_parallel_ep: return fmod(experts, value) == 0;
    case PARAM_parallel_etp: return value == 1 || value == now->value[PARAM_parallel_tp];
    case PARAM_train_recompute_modules: return __builtin_popcount((unsigned)present ^ (unsigned)value) == 1;
    default: return true;
    }
}

/* The plan with another value of a key, on the same GPUs; whether it can be started. */
static bool try_value(const struct plan *plan, const struct plan *now, enum param key, double value, struct plan *out,
                      struct figures *figures)
{
    struct plan resolved;
    change_make(plan, now, &(struct change){key, value}, out);
    plan_resolve(out, &resolved);
    if (rule_errors(&resolved) || rule_adds_refusal(&resolved, &advice.resolved))
        return false;
    assert_same(gpus_of(&resolved), gpus_of(&advice.resolved));
    assert_true(!dp_holds_gpus(now) || ranks_of(&resolved) == ranks_of(&advice.resolved));
    estimate_plan(out, &scratch);
    figures_of(&scratch, figures);
    return figures->is_valid &&
           (figures->iteration_s != advice.now.iteration_s || figures->device_bytes != advice.now.device_bytes);
}

/* The best of all plans that so many more changes make, of keys from `first` on. */
static void find_best(const struct plan *plan, size_t first, int changes, struct advice_row *best)
{
    struct plan one, now;
    struct figures figures;
    plan_resolve(plan, &now);
    for (size_t k = first; k < COUNT(layout_keys); k++)
        for (int value = 0; value <= layout_keys[k].most; value++) {
            enum param key = layout_keys[k].key;
            if (!is_worth_it(&now, key, value))
                continue;
            bool is_plan = try_value(plan, &now, key, value, &one, &figures);
            if (changes > 1)
                find_best(&one, k + 1, changes - 1, best);
            else if (is_plan && comes_first(&figures, &best->figures))
                *best = (struct advice_row){{key, value}, CHANGE_LAYOUT, figures};
        }
}

/* The first row of the layout is the best of all full estimates with one key changed. */
static void the_best_row_is_the_best_change(void **state)
{
    (void)state;
    struct check_random random = {23};
    for (int i = 0; i < 60; i++) {
        struct plan plan;
        struct advice_row best = {.figures.verdict = VERDICT_UNKNOWN};
        check_random_plan(&random, &plan);
        advise(&plan, 1000);
        find_best(&plan, 0, 1, &best);
        const struct advice_row *row = &advice.row[0];
        bool has_row = advice.rows > 0 && row->group == CHANGE_LAYOUT;
        if (has_row || best.figures.verdict != VERDICT_UNKNOWN)
            assert_that(has_row && row->figures.verdict == best.figures.verdict &&
                            row->figures.iteration_s == best.figures.iteration_s,
                        "%s %g first, %g s; of all changes %s %g, %g s: %s", param_rows[row->change.key].key,
                        row->change.value, row->figures.iteration_s, param_rows[best.change.key].key,
                        best.change.value, best.figures.iteration_s, check_describe(&plan));
    }
}

/* ---- what makes it fit ------------------------------------------------------------------------------------------ */

static void what_mends_fits(void **state)
{
    (void)state;
    advise_on(CLUSTER "tp=4 pp=8 micro_batch_size=2");
    assert_int_equal(advice.now.verdict, VERDICT_NO);
    assert_int_equal(advice.fix.changes, 1);
    assert_int_equal(advice.fix.figures.verdict, VERDICT_FITS);
    /* one GPU of 30 GiB: no single change of the layout is enough */
    advise_on(CLUSTER "tp=4 pp=2 micro_batch_size=2 usable_gib=24");
    assert_int_equal(advice.fix.changes, 2);
    for (int i = 0; i < advice.rows; i++)
        assert_true(advice.row[i].group == CHANGE_HARDWARE || advice.row[i].figures.verdict != VERDICT_FITS);
    struct plan plan;
    advice_plan(&advice, advice.fix.change, 2, &plan);
    estimate_plan(&plan, &scratch);
    assert_int_equal(range_verdict(&scratch), VERDICT_FITS);
    advise_on(CLUSTER "tp=8 pp=4");
    assert_int_equal(advice.fix.changes, 0);
}

/* Where no single change of the layout makes it fit, two do it at the least loss of time, or none do. */
/* Beyond the layout: what gives up least stands first, and every row does what it is listed for. */
static void what_saves_memory_makes_it_fit(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        enum param first;
        int changes;
    } cases[] = {{LLAMA3_8B "framework.name=hf-trainer nodes=1 gpus_per_node=1 usable_gib=23.6 peft=lora "
                            "seq_length=4096 global_batch_size=16", PARAM_train_recompute, 2},
                 {LLAMA3_70B "framework.name=megatron-core nodes=1 gpus_per_node=8 global_batch_size=64 tp=8 sp=true "
                             "zero_stage=1 recompute=full", PARAM_train_offload_optimizer, 1}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        advise_on(cases[i].settings);
        assert_int_equal(advice.now.verdict, VERDICT_NO);
        assert_true(advice.fixes > 1);
        assert_int_equal(advice.fix.changes, cases[i].changes);
        assert_int_equal(advice.fix.change[0].key, cases[i].first);
        for (int k = 0; k < advice.fixes; k++) {
            struct plan plan;
            struct figures figures;
            advice_plan(&advice, advice.fixed[k].change, advice.fixed[k].changes, &plan);
            estimate_plan(&plan, &scratch);
            figures_of(&scratch, &figures);
            assert_int_equal(figures.verdict, VERDICT_FITS);
            assert_true(figures.device_bytes == advice.fixed[k].figures.device_bytes);
        }
    }
}

/* A plan that no single change makes valid: two do. */
static void two_changes_make_a_plan_valid(void **state)
{
    (void)state;
    advise_on(LLAMA3_8B "nodes=1 gpus_per_node=1 tp=2 pp=2 global_batch_size=16");
    assert_false(advice.now.is_valid);
    assert_int_equal(advice.rows, 0);
    assert_int_equal(advice.fix.changes, 2);
    struct plan plan, resolved;
    advice_plan(&advice, advice.fix.change, 2, &plan);
    plan_resolve(&plan, &resolved);
    assert_int_equal(rule_errors(&resolved), 0);
    assert_true(KEY_OF(&resolved, parallel, tp) == 1 && KEY_OF(&resolved, parallel, pp) == 1);
}

static void the_pair_that_mends_is_the_best_pair(void **state)
{
    (void)state;
    struct check_random random = {29};
    int mended = 0;
    for (int i = 0; i < 20;) {
        struct plan plan;
        struct advice_row best = {.figures.verdict = VERDICT_UNKNOWN};
        check_random_plan(&random, &plan);
        advise(&plan, 1000);
        if (advice.now.verdict == VERDICT_FITS || advice.fix.changes == 1)
            continue;
        i++;
        find_best(&plan, 0, 2, &best);
        bool has_best = best.figures.verdict == VERDICT_FITS;
        if (!has_best)
            continue; /* what saves memory otherwise may */
        assert_that(advice.fix.changes == 2 && advice.fix.figures.iteration_s == best.figures.iteration_s,
                    "%d changes, %g s; of all pairs %g s with %s %g: %s", advice.fix.changes,
                    advice.fix.figures.iteration_s, best.figures.iteration_s, param_rows[best.change.key].key,
                    best.change.value, check_describe(&plan));
        mended += has_best;
    }
    assert_true(mended > 1);
}

/* ---- room ------------------------------------------------------------------------------------------------------- */

static bool fits(enum param key, double value, enum verdict wanted)
{
    return figures_with(key, value).verdict <= wanted;
}

/* The largest value that fits among all multiples of `grain` up to `last`; NAN for none. */
static double scan(enum param key, double first, double grain, double last, enum verdict wanted)
{
    double found = NAN;
    for (double value = first; value <= last; value += grain)
        if (fits(key, value, wanted))
            found = value;
    return found;
}

static void check_room(int at, double found, enum verdict wanted)
{
    const struct room *room = &advice.room[at];
    double said = wanted == VERDICT_FITS ? room->fits : room->tight;
    assert_that((isnan(found) && isnan(said)) || found == said, "%s: %g, a scan finds %g", param_rows[room->key].key,
                said, found);
}

static void room_is_exact(void **state)
{
    (void)state;
    static const char *const plans[] = {
        CLUSTER "tp=8 pp=4", CLUSTER "tp=4 pp=8 micro_batch_size=2", CLUSTER "tp=8 pp=4 vpp=2 cp=2",
        LLAMA3_8B "nodes=1 gpus_per_node=8 global_batch_size=64",
        LLAMA3_8B "framework.name=fsdp2 nodes=1 gpus_per_node=8 global_batch_size=64",
        MIXTRAL_8X7B "nodes=8 gpus_per_node=8 global_batch_size=256 ep=8 zero_stage=1"};
    for (size_t i = 0; i < COUNT(plans); i++) {
        advise_on(plans[i]);
        assert_int_equal(advice.rooms, ROOMS);
        const struct plan *p = &advice.resolved;
        double sequences = KEY_OF(p, train, global_batch_size) / KEY_OF(p, parallel, dp), most[2] = {NAN, NAN};
        double chunks = KEY_OF(p, parallel, pp) * KEY_OF(p, parallel, vpp), tokens = 128;
        for (double value = 1; value <= sequences; value++)
            for (int wanted = VERDICT_FITS; fmod(sequences, value) == 0 && wanted <= VERDICT_TIGHT; wanted++)
                if (fits(PARAM_train_micro_batch_size, value, (enum verdict)wanted))
                    most[wanted] = value;
        for (int wanted = VERDICT_FITS; wanted <= VERDICT_TIGHT; wanted++) {
            check_room(0, most[wanted], (enum verdict)wanted);
            if (!isinf(advice.room[1].fits))
                check_room(1, scan(PARAM_train_seq_length, tokens, tokens, 60000, (enum verdict)wanted),
                           (enum verdict)wanted);
            check_room(2, scan(PARAM_model_num_layers, chunks, chunks, 900, (enum verdict)wanted),
                       (enum verdict)wanted);
        }
    }
}

/* ---- sensitivity ------------------------------------------------------------------------------------------------ */

static void ten_percent_more(void **state)
{
    (void)state;
    advise_on(CLUSTER "tp=8 pp=4");
    assert_true(advice.sensitivities > 8);
    assert_int_equal(advice.sensitivity[0].key, PARAM_hardware_peak_tflops);
    double now = advice.now.iteration_s;
    for (int i = 0; i < advice.sensitivities; i++) {
        const struct sensitivity *row = &advice.sensitivity[i];
        struct figures figures = figures_with(row->key, 1.1 * advice.resolved.value[row->key]);
        assert_near(row->delta_s, figures.iteration_s - now, 1e-12);
        assert_near(row->relative, figures.iteration_s / now - 1, 1e-6);
        assert_true(i == 0 || row->relative >= row[-1].relative);
        if (row->key == PARAM_hardware_usable_gib)
            assert_near(row->headroom_bytes, 0.1 * advice.resolved.value[row->key] * GIB, 1e-9);
    }
}

/* Failures that are rarer by a tenth take nothing from an iteration, and from the cost what they took. */
static void failures_are_a_figure_of_the_hardware(void **state)
{
    (void)state;
    static const char plan[] = CLUSTER "tp=8 pp=4 restart_s=600 storage_gb_s=20 price_per_gpu_hour=2 ";
    char now[512], rarer[512];
    snprintf(now, sizeof now, "%s%s", plan, "mtbf_hours_per_gpu=5000");
    snprintf(rarer, sizeof rarer, "%s%s", plan, "mtbf_hours_per_gpu=5500");
    check_estimate(&scratch, now);
    double cost = scratch.step.cost_per_1t_tokens;
    check_estimate(&scratch, rarer);
    double less = scratch.step.cost_per_1t_tokens / cost - 1;
    advise_on(now);
    bool is_there = false;
    for (int i = 0; i < advice.sensitivities; i++) {
        const struct sensitivity *row = &advice.sensitivity[i];
        if (row->key != PARAM_hardware_mtbf_hours_per_gpu)
            continue;
        is_there = true;
        assert_same(row->delta_s, 0);
        assert_true(less < -1e-4);
        assert_near(row->cost, less, 1e-12);
    }
    assert_true(is_there);
}

/* ---- what cannot be advised ------------------------------------------------------------------------------------- */

static void invalid_and_serving_plans(void **state)
{
    (void)state;
    advise_on("num_layers=4");
    assert_int_equal(advice.rows + advice.rooms + advice.sensitivities, 0);
    advise_on(LLAMA3_8B "workload=inference nodes=1");
    assert_int_equal(advice.rooms, 0);
    assert_true(advice.rows > 0 && advice.sensitivities > 0);
    advise_on(CLUSTER "tp=3"); /* what makes it valid */
    assert_true(advice.rows > 0);
    assert_int_equal(advice.sensitivities + advice.fix.changes, 0);
}

/* ---- sentences -------------------------------------------------------------------------------------------------- */

static void a_sentence(void **state)
{
    (void)state;
    char text[DIFF_TEXT_MAX];
    check_estimate(&scratch, CLUSTER "tp=8 pp=4 micro_batch_size=1");
    check_estimate(&other, CLUSTER "tp=4 pp=8 micro_batch_size=2");
    diff_text(&scratch, &other, text);
    assert_non_null(strstr(text, "tp 8 > 4, pp 4 > 8, micro_batch_size 1 > 2: -"));
    assert_non_null(strstr(text, " s tensor-parallel traffic, +"));
    assert_non_null(strstr(text, " s pipeline bubble); +"));
    assert_non_null(strstr(text, " GiB activations, no longer fits"));
    diff_text(&scratch, &scratch, text);
    assert_string_equal(text, "no change");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_that_does_not_start_is_mended),
        cmocka_unit_test(rows_are_estimates_of_their_plans),
        cmocka_unit_test(rows_are_sorted_and_keep_the_gpus),
        cmocka_unit_test(what_is_nearest_to_fitting_comes_first),
        cmocka_unit_test(the_best_row_is_the_best_change),
        cmocka_unit_test(what_must_follow_follows),
        cmocka_unit_test(a_given_dp_keeps_its_gpus),
        cmocka_unit_test(slices_change_nothing),
        cmocka_unit_test(what_mends_fits),
        cmocka_unit_test(the_pair_that_mends_is_the_best_pair),
        cmocka_unit_test(what_saves_memory_makes_it_fit), cmocka_unit_test(two_changes_make_a_plan_valid),
        cmocka_unit_test(room_is_exact),
        cmocka_unit_test(ten_percent_more),
        cmocka_unit_test(failures_are_a_figure_of_the_hardware),
        cmocka_unit_test(invalid_and_serving_plans),
        cmocka_unit_test(a_sentence),
    };
    return cmocka_run_group_tests_name("advice", tests, NULL, NULL) != 0;
}
