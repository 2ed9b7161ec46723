/*
 * A search finds what brute force over full estimates finds, however it is cut up; its bound never passes the played
 * time.
 */
#include "tests/check.h"

#include "core/estimate/bound.h"
#include "core/estimate/range.h"
#include "core/plan/framework.h"
#include "core/plan/param.h"
#include "core/plan/rule.h"
#include "core/plan/split.h"
#include "core/search/change.h"
#include "core/search/plan_diff.h"
#include "core/search/feature.h"
#include "core/search/option.h"
#include "core/search/refusal.h"
#include "core/search/search.h"

#include <stddef.h>
#include <string.h>

static struct estimate estimate;
static struct search search;
static struct search_ask ask;

/* ---- brute force ------------------------------------------------------------------------------------------------- */

/*
 * What estimating every layout finds. It knows no order of axes and leaves nothing out before the estimate but by
 * rules.
 */
struct brute {
    long evaluated, feasible;
    double best_s, least_bytes;
    struct {
        double bytes, iteration_s;
    } point[20000]; /* of the feasible ones */
};
static struct brute brute;

static void give(struct plan *plan, enum param key, double value)
{
    plan->value[key] = value;
    plan->from[key] = FROM_SET;
}

static void weigh(const struct plan *plan)
{
    struct plan resolved;
    struct symbols symbols;
    plan_resolve(plan, &resolved);
    if (!check_allows(&resolved, &symbols))
        return;
    estimate_plan(plan, &estimate);
    brute.evaluated++;
    double bytes = estimate.stage[estimate.peak_stage].device_bytes;
    if (range_verdict(&estimate) != VERDICT_FITS)
        return;
    brute.best_s = fmin(brute.best_s, estimate.step.iteration_s);
    brute.least_bytes = fmin(brute.least_bytes, bytes);
    assert_true(brute.feasible < (long)COUNT(brute.point));
    brute.point[brute.feasible].bytes = bytes;
    brute.point[brute.feasible++].iteration_s = estimate.step.iteration_s;
}

static const int sizes[] = {1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32};

/* Splits, chunks and schedules of a number of stages; a split that is the even one counts once. */
static void try_pipelines(struct plan plan, int pp, bool all)
{
    double layers = plan.value[PARAM_model_num_layers], each = ceil(layers / pp), last = layers - each * (pp - 1);
    /* whatever the plan says */
    bool is_by_cost = frameworks[(int)plan.value[PARAM_framework_name]].split == SPLIT_BY_COST;
    for (int split = 0; split < (pp > 1 && !is_by_cost ? 3 : 1); split++)
        for (int vpp = 1; vpp * pp <= (pp > 1 ? layers + 2 : 1);
             vpp++) /* a chunk holds a layer, the embedding or the output */
            for (int schedule = 0; schedule <= SCHEDULE_DUALPIPE; schedule++) {
                bool is_own = schedule == (vpp > 1 ? SCHEDULE_INTERLEAVED : SCHEDULE_1F1B);
                if ((split == 2 && (last == each || last <= 0)) || schedule == SCHEDULE_GPIPE ||
                    (!is_own && (!all || pp == 1)))
                    continue;
                give(&plan, PARAM_parallel_vpp, vpp);
                give(&plan, PARAM_parallel_schedule, schedule);
                give(&plan, PARAM_parallel_embedding_counts_as_layer, split == 1);
                give(&plan, PARAM_parallel_loss_counts_as_layer, split == 1);
                give(&plan, PARAM_parallel_last_stage_layers, split == 2 ? last : 0);
                weigh(&plan);
            }
}

/* Every way to share memory between data-parallel ranks, and to compute again. */
static void try_states(struct plan plan, int pp, bool has_fsdp, bool all)
{
    for (int recompute = 0; recompute <= RECOMPUTE_FULL; recompute++)
        for (int sharding = 0; sharding <= 3; sharding++) {
            bool is_fsdp = has_fsdp && sharding >= 2;
            give(&plan, PARAM_train_recompute, recompute);
            give(&plan, PARAM_parallel_zero_stage, is_fsdp ? 0 : sharding);
            give(&plan, PARAM_parallel_fsdp, is_fsdp ? sharding - 1 : FSDP_NONE);
            try_pipelines(plan, pp, all);
        }
}

static void try_all(const struct plan *base, bool has_fsdp, bool all)
{
    double gpus = base->value[PARAM_hardware_nodes] * base->value[PARAM_hardware_gpus_per_node],
           heads = base->value[PARAM_model_num_attention_heads];
    double experts = base->value[PARAM_model_num_experts] > 0 ? base->value[PARAM_model_num_experts] : 0;
    double most_tp = fmin(heads, 2 * base->value[PARAM_hardware_gpus_per_node]),
           most_pp = base->value[PARAM_model_num_layers] + 2;
    brute = (struct brute){.best_s = INFINITY, .least_bytes = INFINITY};
    for (size_t t = 0; t < COUNT(sizes); t++)
        for (size_t c = 0; c < COUNT(sizes); c++)
            for (size_t p = 0; p < COUNT(sizes); p++)
                for (size_t e = 0; e < (experts > 0 ? COUNT(sizes) : 1); e++)
                    for (int etp = 0; etp < (experts > 0 && sizes[t] > 1 ? 2 : 1); etp++)
                        for (int mbs = 1; mbs <= base->value[PARAM_train_global_batch_size]; mbs++)
                            for (int sp = 0; sp < (sizes[t] > 1 ? 2 : 1); sp++) {
                                struct plan plan = *base;
                                if (fmod(gpus, sizes[t] * sizes[c] * sizes[p]) != 0 || sizes[t] > most_tp ||
                                    sizes[p] > most_pp || fmod(base->value[PARAM_train_global_batch_size], mbs) != 0)
                                    continue;
                                give(&plan, PARAM_parallel_tp, sizes[t]);
                                give(&plan, PARAM_parallel_cp, sizes[c]);
                                give(&plan, PARAM_parallel_pp, sizes[p]);
                                give(&plan, PARAM_parallel_ep, sizes[e]);
                                give(&plan, PARAM_parallel_etp, etp ? 1 : sizes[t]);
                                give(&plan, PARAM_train_micro_batch_size, mbs);
                                give(&plan, PARAM_parallel_sp, sp);
                                try_states(plan, sizes[p], has_fsdp, all);
                            }
}

/* ---- the search against it --------------------------------------------------------------------------------------- */

static void run(const struct plan *plan, bool all, enum search_objective objective, int part, int parts, int blocks)
{
    search_ask_about(plan, &ask);
    ask.space.all_schedules = all;
    ask.objective = objective;
    assert_true(search_begin(&search, &ask, part, parts));
    while (search_step(&search, blocks))
        ;
}

/* Every point of the front was found by brute force, and none of brute force's points has less of both. */
static void check_front(const struct search_answer *answer)
{
    for (int i = 0; i < answer->front_count; i++) {
        const struct search_result *one = &answer->front[i];
        assert_true(i == 0 ||
                    (one[-1].peak_device_bytes < one->peak_device_bytes && one[-1].iteration_s > one->iteration_s));
        bool is_known = false;
        for (long j = 0; j < brute.feasible; j++) {
            is_known |=
                brute.point[j].bytes == one->peak_device_bytes && brute.point[j].iteration_s == one->iteration_s;
            assert_false(brute.point[j].bytes < one->peak_device_bytes * (1 - 1e-12) &&
                         brute.point[j].iteration_s < one->iteration_s * (1 - 1e-12));
        }
        assert_true(is_known);
    }
}

static double in_nine_digits(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.8e", value);
    return strtod(text, NULL);
}

/* Value, time, complexity, headroom; what agrees in nine digits is a tie. */
static bool stands_before(const struct search_result *a, const struct search_result *b)
{
    if (in_nine_digits(a->value) != in_nine_digits(b->value))
        return a->value < b->value;
    if (in_nine_digits(a->iteration_s) != in_nine_digits(b->iteration_s))
        return a->iteration_s < b->iteration_s;
    return a->complexity != b->complexity ? a->complexity < b->complexity : a->headroom_bytes >= b->headroom_bytes;
}

static void check_results(const struct search_answer *answer)
{
    for (int i = 0; i < answer->count; i++) {
        struct plan plan;
        search_plan(&ask, &answer->best[i], &plan);
        estimate_plan(&plan, &estimate);
        assert_same(answer->best[i].iteration_s, estimate.step.iteration_s);
        assert_same(answer->best[i].peak_device_bytes, estimate.stage[estimate.peak_stage].device_bytes);
        assert_true(i == 0 || stands_before(&answer->best[i - 1], &answer->best[i]));
    }
}

static void check_space(const char *settings, bool all, long evaluated)
{
    struct plan plan, resolved;
    check_plan(&plan, settings);
    plan_resolve(&plan, &resolved);
    give(&plan, PARAM_framework_name, resolved.value[PARAM_framework_name]);
    try_all(&plan,
            resolved.value[PARAM_framework_name] == FRAMEWORK_MEGATRON_CORE ||
                resolved.value[PARAM_framework_name] == FRAMEWORK_FSDP2,
            all);
    run(&plan, all, SEARCH_TIME, 0, 1, 64);
    const struct search_answer *answer = &search.answer;
    assert_that(answer->evaluated == brute.evaluated && answer->feasible == brute.feasible,
                "%ld valid, %ld fit; brute force %ld, %ld: %s", answer->evaluated, answer->feasible, brute.evaluated,
                brute.feasible, settings);
    assert_true(evaluated == 0 || answer->evaluated == evaluated);
    assert_int_equal(answer->count > 0, brute.feasible > 0);
    if (answer->count > 0) {
        assert_near(answer->best[0].iteration_s, brute.best_s, 1e-9);
        assert_near(answer->front[0].peak_device_bytes, brute.least_bytes, 1e-9);
        assert_near(answer->front[answer->front_count - 1].iteration_s, brute.best_s, 1e-9);
        check_results(answer);
        check_front(answer);
        run(&plan, all, SEARCH_MEMORY, 0, 1, 64);
        assert_near(answer->best[0].peak_device_bytes, brute.least_bytes, 1e-9);
        check_results(answer);
    } else {
        assert_true(answer->excluded[LIMIT_FIT] == answer->evaluated && answer->has_nearest == (answer->evaluated > 0));
    }
}

#define H100 "hardware.host_memory_gib=2000 "
static const char tiny[] = "num_layers=4 hidden_size=2048 num_attention_heads=16 num_query_groups=4 vocab_size=32000 "
                           "gated_mlp=true seq_length=4096 ",
                  wide[] = "num_layers=6 hidden_size=8192 num_attention_heads=64 num_query_groups=8 vocab_size=128256 "
                           "gated_mlp=true seq_length=8192 ",
                  experts[] =
                      "num_layers=4 hidden_size=2048 ffn_hidden_size=8192 num_attention_heads=16 vocab_size=32000 "
                      "gated_mlp=true seq_length=4096 num_experts=8 moe_router_topk=2 moe_ffn_hidden_size=1024 ";

static void check_model(const char *model, const char *rest, bool all)
{
    char settings[1024];
    snprintf(settings, sizeof settings, "%s%s%s", model, H100, rest);
    check_space(settings, all, 0);
}

static void a_search_finds_what_brute_force_finds(void **state)
{
    (void)state;
    static const struct {
        const char *model, *rest;
        bool all;
    } spaces[] = {
        {tiny, "nodes=1 gpus_per_node=6 global_batch_size=12", true},
        {tiny, "nodes=1 gpus_per_node=4 global_batch_size=8 framework.name=nanotron", false},
        {wide, "nodes=1 gpus_per_node=8 global_batch_size=8 usable_gib=40", true},
        {wide, "nodes=1 gpus_per_node=2 global_batch_size=4", true}, /* nothing fits */
        {tiny, "nodes=1 gpus_per_node=2 global_batch_size=96", false}, /* micro-batches beyond 16 */
        {experts, "nodes=1 gpus_per_node=4 global_batch_size=8 moe_layer_freq=2", true},
        {experts, "nodes=1 gpus_per_node=4 global_batch_size=8 moe_first_dense=1 mtp_num_layers=1 dtype=fp8", false},
    };
    for (size_t i = 0; i < COUNT(spaces); i++)
        check_model(spaces[i].model, spaces[i].rest, spaces[i].all);
}

/* One of several texts. */
#define ANY(random, ...)                                                                                               \
    ((const char *const[]){__VA_ARGS__})[check_below(random, (int)COUNT(((const char *const[]){__VA_ARGS__})))]

/*
 * Small spaces of all kinds: layers that do not divide, GPUs that are no power of two, every framework that searches
 * have.
 */
static void random_spaces_too(void **state)
{
    (void)state;
    enum { SPACES = 24 };
    struct check_random random = {47};
    for (int i = 0; i < SPACES; i++) {
        char model[512], rest[256];
        bool has_experts = check_below(&random, 3) == 0;
        snprintf(model, sizeof model,
                 "num_layers=%d hidden_size=2048 ffn_hidden_size=8192 num_attention_heads=%s num_query_groups=%s "
                 "vocab_size=32000 "
                 "gated_mlp=true tied_embeddings=%s seq_length=%s %s",
                 2 + check_below(&random, 5), ANY(&random, "16", "12"), ANY(&random, "2", "4"),
                 ANY(&random, "true", "false"), ANY(&random, "2048", "4096"),
                 has_experts ? "num_experts=4 moe_router_topk=2 moe_ffn_hidden_size=1024 " : "");
        snprintf(rest, sizeof rest, "%s global_batch_size=%s usable_gib=%s framework.name=%s",
                 ANY(&random, "nodes=1 gpus_per_node=2", "nodes=1 gpus_per_node=3", "nodes=2 gpus_per_node=2"),
                 ANY(&random, "3", "4", "6"), ANY(&random, "8", "16", "79"),
                 ANY(&random, "megatron-core", "megatron-core", "megatron-2023", "deepspeed", "fsdp2"));
        check_model(model, rest, check_below(&random, 2));
    }
}

/* ---- however it is cut up ---------------------------------------------------------------------------------------- */

static void check_equal(const struct search_result one[], const struct search_result two[], int count)
{
    for (int i = 0; i < count; i++) /* what stands behind its last member is padding */
        assert_memory_equal(&one[i], &two[i], offsetof(struct search_result, complexity) + sizeof one->complexity);
}

static void check_same(const struct search_answer *one, const struct search_answer *two)
{
    assert_int_equal(one->evaluated, two->evaluated);
    assert_int_equal(one->feasible, two->feasible);
    assert_int_equal(one->count, two->count);
    assert_int_equal(one->front_count, two->front_count);
    assert_memory_equal(one->excluded, two->excluded, sizeof one->excluded);
    check_equal(one->best, two->best, one->count);
    check_equal(one->front, two->front, one->front_count);
}

static void the_answer_does_not_depend_on_slices_or_parts(void **state)
{
    (void)state;
    static struct search_answer whole, merged;
    struct plan plan;
    char settings[1024];
    snprintf(settings, sizeof settings, "%s%snodes=4 gpus_per_node=8 global_batch_size=64", wide, H100);
    check_plan(&plan, settings);
    run(&plan, true, SEARCH_TIME, 0, 1, 64);
    whole = search.answer;
    assert_true(whole.count == 5 && whole.front_count > 3);
    assert_true(search_begin(&search, &ask, 0, 1));
    for (long played = 0, candidates = -1; search_step(&search, 1);
         played = search.answer.played, candidates = search.answer.candidates)
        assert_true(search.answer.candidates > candidates ||
                    search.answer.played <= played + 1); /* at the end one at a time */
    for (int blocks = 1; blocks <= 7; blocks += 6) {
        run(&plan, true, SEARCH_TIME, 0, 1, blocks);
        check_same(&whole, &search.answer);
    }
    for (int parts = 2; parts <= 8; parts += 3) {
        for (int part = 0; part < parts; part++) {
            run(&plan, true, SEARCH_TIME, part, parts, 64);
            if (part > 0)
                search_merge(&merged, &search.answer, &ask);
            else
                merged = search.answer;
        }
        check_same(&whole, &merged);
    }
}

static void meets(enum param key, const struct search_figure *figure, enum search_relation relation, double value)
{
    ask.condition[ask.conditions++] = (struct search_condition){"", 0, key, figure, relation, value};
}

/* Conditions leave what the same search without them has of layouts that meet them. */
static void conditions_leave_the_others_out(void **state)
{
    (void)state;
    static struct search_answer all;
    struct plan plan, resolved;
    char settings[1024];
    snprintf(settings, sizeof settings, "%s%snodes=2 gpus_per_node=8 global_batch_size=32", wide, H100);
    check_plan(&plan, settings);
    for (const struct search_figure *figure = search_figures; figure->name; figure++) {
        search_ask_about(&plan, &ask);
        ask.top = SEARCH_TOP_MAX;
        assert_true(search_begin(&search, &ask, 0, 1));
        while (search_step(&search, 64))
            ;
        all = search.answer;
        search_plan(&ask, &all.best[all.count / 2], &resolved);
        estimate_plan(&resolved, &estimate);
        double limit = figure->of(&estimate);
        int first = 0;
        meets(PARAM_parallel_tp, NULL, RELATION_ABOVE, 1);
        meets(PARAM_COUNT, figure, RELATION_AT_MOST, limit);
        for (bool meets_them = false; first < all.count && !meets_them; first += !meets_them) {
            search_plan(&ask, &all.best[first], &resolved);
            estimate_plan(&resolved, &estimate);
            meets_them = KEY_OF(&estimate.plan, parallel, tp) > 1 && figure->of(&estimate) <= limit;
        }
        assert_true(search_begin(&search, &ask, 0, 1));
        while (search_step(&search, 1))
            ;
        assert_true(first < all.count && search.answer.excluded[LIMIT_WHERE] > 0);
        check_equal(&all.best[first], &search.answer.best[0], 1);
        for (int i = 0; i < search.answer.front_count; i++) {
            search_plan(&ask, &search.answer.front[i], &resolved);
            estimate_plan(&resolved, &estimate);
            assert_true(KEY_OF(&estimate.plan, parallel, tp) > 1 && figure->of(&estimate) <= limit);
        }
    }
}

/* ---- the bound --------------------------------------------------------------------------------------------------- */

static struct quick_cache cache;

static void bound_holds(struct plan *plan)
{
    static const double allowed[SCHEDULE_DUALPIPE + 1] = {[SCHEDULE_1F1B] = 0.05, [SCHEDULE_INTERLEAVED] = 0.15};
    static double loosest[SCHEDULE_DUALPIPE + 1]; /* a looser bound is as right, and costs plays that nobody sees */
    struct quick bound, played;
    estimate_quick(&estimate.plan, QUICK_BOUND, &cache, &bound);
    estimate_quick(&estimate.plan, QUICK_PLAYED, &cache, &played);
    assert_that(bound.iteration_s <= played.iteration_s * (1 + 1e-12), "%.12g s, played %.12g: %s", bound.iteration_s,
                played.iteration_s, check_describe(plan));
    assert_true(bound.is_bound || bound.iteration_s == played.iteration_s);
    assert_same(bound.peak_device_bytes, played.peak_device_bytes);
    int schedule = (int)estimate.plan.value[PARAM_parallel_schedule];
    loosest[schedule] = fmax(loosest[schedule], 1 - bound.iteration_s / played.iteration_s);
    assert_true(allowed[schedule] == 0 || loosest[schedule] < allowed[schedule]);
}

static void the_bound_is_never_above_the_played_time(void **state)
{
    (void)state;
    struct check_random random = {31};
    for (int i = 0; i < 3000; i++) {
        struct plan plan;
        check_random_plan(&random, &plan);
        estimate_plan(&plan, &estimate);
        bound_holds(&plan);
    }
}

/* ---- large spaces ------------------------------------------------------------------------------------------------ */

static struct space space;
static struct quick_layout layout, other;

/* Whether two stages have the same from the split and the schedule. */
static bool same_place(const struct stage *one, const struct stage *two)
{
    bool is_same = true;
#define GIVEN(name, ...) is_same &= memcmp(&one->name, &two->name, sizeof one->name) == 0;
#define FOLD(...)
#define TERM(...)
#include "core/estimate/stage.def"
#undef GIVEN
#undef FOLD
#undef TERM
    return is_same;
}

/* Layouts that differ in recomputation and sharding alone have one shape, which a search works out once. */
static void check_shape(const struct plan *prepared)
{
    for (int recompute = 0; recompute <= RECOMPUTE_FULL; recompute++)
        for (int sharding = 0; sharding <= FSDP_FULL; sharding++) {
            struct plan plan = *prepared;
            give(&plan, PARAM_train_recompute, recompute);
            give(&plan, PARAM_parallel_fsdp, sharding);
            give(&plan, PARAM_parallel_zero_stage, sharding == FSDP_NONE ? recompute : 0);
            plan_resolve_layout(&plan);
            symbols_of(&plan, &other.symbols);
            assert_int_equal(split_quickly(&plan, &other.split), SPLIT_EXACT);
            quick_shape(&plan, &other);
            assert_memory_equal(&other.grid, &layout.grid, sizeof other.grid);
            assert_memory_equal(&other.schedule, &layout.schedule, sizeof other.schedule);
            assert_int_equal(other.classes.count, layout.classes.count);
            assert_memory_equal(other.classes.of, layout.classes.of,
                                (size_t)layout.split.stages * sizeof *other.classes.of);
            for (int c = 0; c < layout.classes.count; c++)
                assert_true(same_place(&other.stage[c], &layout.stage[c]));
        }
}

/* A layout that the walk came to: filled in, judged and estimated as a plan of its own would be. */
static void check_layout(void)
{
    struct plan prepared = space.prepared, plan, resolved;
    struct quick quick;
    space_plan(&ask.space, &space.at, &plan);
    plan_resolve(&plan, &resolved);
    plan_resolve_layout(&prepared);
    assert_true(plan_equal(&prepared, &resolved));
    estimate_plan(&plan, &estimate);
    bool is_valid = check_allows(&prepared, &layout.symbols);
    assert_int_equal(is_valid, estimate.diags.errors == 0 && estimate.is_modelled);
    if (!is_valid)
        return;
    assert_int_equal(split_quickly(&prepared, &layout.split), SPLIT_EXACT);
    quick_shape(&prepared, &layout);
    check_shape(&space.prepared);
    quick_memory(&prepared, VARIES_ALL, INFINITY, &cache, &layout, &quick);
    assert_near(quick.peak_device_bytes, estimate.stage[estimate.peak_stage].device_bytes, 1e-12);
    assert_near(normal(quick.fit_deviations), range_fit_probability(&estimate), 1e-12);
    double least_s = quick_least_s(&layout), busy_s = quick_busy_s(&layout);
    quick_time(&layout, QUICK_BOUND, &quick);
    assert_at_most(least_s, busy_s);
    assert_at_most(busy_s, quick.iteration_s * (1 + 1e-12));
    assert_at_most(quick.iteration_s, estimate.step.iteration_s * (1 + 1e-12));
    quick_time(&layout, QUICK_PLAYED, &quick);
    assert_near(quick.iteration_s, estimate.step.iteration_s, 1e-12);
}

static void layouts_of_large_spaces_are_as_in_full(void **state)
{
    (void)state;
    static const char *const settings[] = {LLAMA3_70B "nodes=128 seq_length=8192 global_batch_size=2048 " H100,
                                           "num_layers=126 hidden_size=16384 ffn_hidden_size=53248 gated_mlp=true "
                                           "num_attention_heads=128 num_query_groups=8 vocab_size=128256 nodes=2048 "
                                           "seq_length=8192 global_batch_size=2048 " H100,
                                           DEEPSEEK_V3 "nodes=256 seq_length=4096 global_batch_size=15360 " H100};
    for (size_t i = 0; i < COUNT(settings); i++) {
        struct plan plan;
        long count = 0;
        check_plan(&plan, settings[i]);
        search_ask_about(&plan, &ask);
        ask.space.all_schedules = true;
        assert_true(space_begin(&space, &ask.space, 0, 1));
        while (space_next(&space))
            if (++count % 997 == 0)
                check_layout();
        assert_true(count > 50000);
    }
}

/* Layouts that one rule forbids at once are counted as if each had been looked at. */
static void layouts_that_are_passed_over_are_counted(void **state)
{
    static const char *const settings[] = {
        MIXTRAL_8X7B "nodes=4 global_batch_size=96 moe_dispatcher=flex overlap_ep=true " H100,
        LLAMA3_8B "nodes=3 global_batch_size=96 framework.name=nanotron " H100};
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++) {
        struct plan plan;
        long count = 0;
        check_plan(&plan, settings[i]);
        search_ask_about(&plan, &ask);
        ask.space.free |= (uint32_t)i << SEARCH_RECOMPUTED;
        assert_true(space_begin(&space, &ask.space, 0, 1));
        while (space_next(&space))
            count++;
        assert_true(search_begin(&search, &ask, 0, 1));
        while (search_step(&search, 64))
            ;
        assert_true(search.answer.evaluated > 0 && search.answer.evaluated < count / 2);
        assert_int_equal(search.answer.candidates, count);
    }
}

/* Groups of micro-batches are free by name, and tried within the pipeline's own bounds. */
static void groups_of_micro_batches_are_free(void **state)
{
    struct plan plan, best;
    char why[SEARCH_WHY_MAX];
    (void)state;
    check_plan(&plan, LLAMA3_8B "nodes=1 pp=4 vpp=4 tp=2 sp=true global_batch_size=64 " H100);
    search_ask_about(&plan, &ask);
    assert_int_equal(search_option_read(search_option_named("free"), &ask, "microbatch_group", &estimate, why), 0);
    assert_true(search_begin(&search, &ask, 0, 1));
    while (search_step(&search, 64))
        ;
    assert_int_equal(search.answer.evaluated, 6); /* the plan's, which is pp, and 4 to 64, all of its micro-batches */
    search_plan(&ask, &search.answer.best[0], &best);
    estimate_plan(&plan, &estimate);
    assert_true(search.answer.best[0].iteration_s <= estimate.step.iteration_s);
}

/* ---- what is kept from plan to plan ------------------------------------------------------------------------------ */

/* Layers cost the same when the symbols that their rows name are the same, whatever else differs. */
static void only_symbols_that_rows_name_matter(void **state)
{
    (void)state;
    struct check_random random = {32};
    struct depend layers, calls;
    depend_layers(&layers);
    depend_calls(&calls);
    for (int i = 0; i < 300; i++) {
        struct plan plan;
        struct symbols one, two;
        struct layer_cost first, second;
        check_random_plan(&random, &plan);
        estimate_plan(&plan, &estimate);
        one = two = estimate.symbols;
        for (int j = 0; j < DEPEND_MAX; j++) {
            bool is_named = false;
            for (int k = 0; k < layers.count; k++)
                is_named |= layers.symbol[k] == j;
            if (!is_named)
                ((double *)&two)[j] = ((double *)&two)[j] * 3 + 7;
        }
        memset(&first, 0, sizeof first);
        memset(&second, 0, sizeof second);
        pipeline_layers(&one, &first);
        pipeline_layers(&two, &second);
        assert_memory_equal(&first, &second, sizeof first);
    }
    assert_true(layers.count > 40 && layers.count <= QUICK_KEY_MAX);
    assert_true(calls.count > 5 && calls.count < layers.count);
}

/* A cache that knows prices of calls for scale-up domains of one size does not answer for those of another. */
static void prices_stand_for_one_domain(void **state)
{
    (void)state;
    static struct quick_cache kept, fresh;
    memset(&kept, 0, sizeof kept);
    for (int domain = 8; domain <= 32; domain *= 2) {
        struct plan plan, resolved;
        struct quick one, anew;
        check_plan(&plan, LLAMA3_70B "tp=8 pp=4 zero_stage=1 global_batch_size=2048 nodes=128");
        plan.value[PARAM_hardware_nvlink_domain] = domain;
        plan.from[PARAM_hardware_nvlink_domain] = FROM_SET;
        plan_resolve(&plan, &resolved);
        memset(&fresh, 0, sizeof fresh);
        estimate_quick(&resolved, QUICK_PLAYED, &kept, &one);
        estimate_quick(&resolved, QUICK_PLAYED, &fresh, &anew);
        assert_same(one.iteration_s, anew.iteration_s);
    }
}

/* ---- what is asked ---------------------------------------------------------------------------------------------- */

static void what_is_not_free_stays(void **state)
{
    (void)state;
    struct plan plan;
    char settings[1024];
    snprintf(settings, sizeof settings,
             "%s%snodes=1 gpus_per_node=8 global_batch_size=16 tp=2 sp=true pp=2 recompute=full zero_stage=1", tiny,
             H100);
    check_plan(&plan, settings);
    search_ask_about(&plan, &ask);
    ask.space.free = 1u << SEARCH_CP | 1u << SEARCH_MICRO_BATCH;
    assert_true(search_begin(&search, &ask, 0, 1));
    while (search_step(&search, 1))
        ;
    assert_true(search.answer.evaluated > 3 && search.answer.evaluated < 30);
    for (int i = 0; i < search.answer.count; i++) {
        struct plan best, resolved;
        search_plan(&ask, &search.answer.best[i], &best);
        plan_resolve(&best, &resolved);
        assert_same(resolved.value[PARAM_parallel_tp], 2);
        assert_same(resolved.value[PARAM_parallel_pp], 2);
        assert_same(resolved.value[PARAM_train_recompute], RECOMPUTE_FULL);
        assert_same(resolved.value[PARAM_train_global_batch_size], 16);
    }
}

/* Layouts of a trainer that generates are compared by its whole iteration, as a full estimate has it. */
static void reinforcement_learning_is_compared_by_its_iteration(void **state)
{
    struct plan plan, of;
    (void)state;
    check_plan(&plan, LLAMA3_8B "nodes=1 framework.name=fsdp2 fsdp=full workload=rl global_batch_size=64 " H100);
    run(&plan, false, SEARCH_TIME, 0, 1, 1000);
    assert_true(search.answer.count > 1);
    for (int i = 0; i < search.answer.count; i++) {
        const struct search_result *found = &search.answer.best[i];
        search_plan(&search.ask, found, &of);
        estimate_plan(&of, &estimate);
        assert_that(fabs(estimate.rl.iteration_s / found->iteration_s - 1) < 1e-9, "%g, not %g", found->iteration_s,
                    estimate.rl.iteration_s);
    }
}

static void own_keys_and_values_are_tried(void **state)
{
    (void)state;
    struct plan plan;
    char settings[1024];
    snprintf(settings, sizeof settings, "%s%snodes=1 gpus_per_node=4 global_batch_size=16", tiny, H100);
    check_plan(&plan, settings);
    search_ask_about(&plan, &ask);
    ask.space.free = 1u << SEARCH_OWN | 1u << SEARCH_TP;
    ask.space.own[0] = PARAM_train_seq_length;
    ask.space.values[SEARCH_OWN] = (struct space_values){3, {2048, 4096, 8192}};
    ask.space.values[SEARCH_TP] = (struct space_values){2, {1, 4}};
    assert_true(search_begin(&search, &ask, 0, 1));
    while (search_step(&search, 1))
        ;
    assert_int_equal(search.answer.evaluated, 6);
}

/* The fastest of all combinations of own keys, each searched by itself. */
static double fastest_of_each(const struct search_ask *all)
{
    struct search_ask each = *all;
    double best_s = INFINITY;
    int number[SPACE_OWN_MAX] = {0};
    for (int axis = 0; axis < SPACE_OWN_MAX;) {
        for (int i = 0; i < SPACE_OWN_MAX; i++)
            each.space.pinned[i] = all->space.free & 1u << i ? number[i] + 1 : 0;
        assert_true(search_begin(&search, &each, 0, 1));
        while (search_step(&search, 64))
            ;
        best_s = search.answer.count > 0 ? fmin(best_s, search.answer.best[0].iteration_s) : best_s;
        for (axis = 0; axis < SPACE_OWN_MAX; axis++) {
            if (all->space.free & 1u << axis && ++number[axis] < all->space.values[axis].count)
                break;
            number[axis] = 0;
        }
    }
    return best_s;
}

/* Rounds find what all combinations have, or lose a percent, and their results are full estimates. */
static void features_are_found_in_rounds(void **state)
{
    (void)state;
    static const struct {
        const char *plan, *features;
    } cases[] = {
        {MIXTRAL_8X7B "num_layers=8 nodes=1 global_batch_size=64 zero_stage=1 gpu=h100-sxm-80 ",
         "tp,pp,vpp,ep,recompute,moe_dispatcher,overlap_ep,overlap_tp,cross_entropy,cuda_graph"},
        {LLAMA3_8B "num_layers=8 nodes=1 global_batch_size=64 seq_length=8192 usable_gib=24 gpu=h100-sxm-80 ",
         "tp,sp,pp,recompute,sharding,overlap_tp,cuda_graph,grad_dtype,overlap_grad_reduce"},
        {LLAMA3_8B "nodes=1 global_batch_size=64 seq_length=4096 usable_gib=14 gpu=h100-sxm-80 ", /* nothing fits */
         "tp,mbs,recompute,overlap_tp,optimizer_dtype,grad_dtype,exp_avg_dtype"},
        {LLAMA3_8B "num_layers=8 nodes=1 global_batch_size=64 gpu=h100-sxm-80 cross_entropy=te_fused ", /* refused */
         "tp,mbs,recompute,overlap_tp,cross_entropy,cuda_graph,grad_dtype"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct plan plan;
        char why[SEARCH_WHY_MAX];
        check_plan(&plan, cases[i].plan);
        search_ask_about(&plan, &ask);
        assert_int_equal(search_option_read(search_option_named("free"), &ask, cases[i].features, &estimate, why), 0);
        assert_true(feature_has_rounds(&ask));
        const struct search_ask asked = ask;
        double best_s = fastest_of_each(&asked);
        assert_true(search_begin(&search, &asked, 0, 1));
        while (search_step(&search, 64))
            ;
        assert_int_equal(search.answer.count > 0, isfinite(best_s));
        if (search.answer.count > 0) {
            assert_that(search.answer.best[0].iteration_s <= best_s * 1.01, "%s: %.9g, all combinations %.9g",
                        cases[i].plan, search.answer.best[0].iteration_s, best_s);
            assert_true(search.answer.best[0].iteration_s >= best_s * (1 - 1e-9));
        }
        ask = asked;
        check_results(&search.answer);
    }
}

/*
 * With failures on its mind a search counts the days that they cost: those of the full estimate, but for whole
 * iterations.
 */
static void failures_count_where_they_are_asked_about(void **state)
{
    (void)state;
    static const enum search_objective objectives[] = {SEARCH_TRAIN_TIME, SEARCH_TRAIN_COST};
    struct plan plan;
    check_plan(&plan,
               LLAMA3_8B "hardware.host_memory_gib=2000 nodes=4 global_batch_size=64 seq_length=8192 total_tokens=1T "
                         "price_per_gpu_hour=2 mtbf_hours_per_gpu=400 storage_gb_s=5 restart_s=600");
    for (size_t i = 0; i < COUNT(objectives); i++) {
        search_ask_about(&plan, &ask);
        ask.objective = objectives[i];
        ask.space.free = 1u << SEARCH_NODES | 1u << SEARCH_TP | 1u << SEARCH_SP;
        ask.space.values[SEARCH_NODES] = (struct space_values){3, {1, 2, 4}};
        assert_true(search_begin(&search, &ask, 0, 1));
        while (search_step(&search, 64))
            ;
        assert_true(search.answer.count > 1);
        for (int k = 0; k < search.answer.count; k++) {
            struct plan best;
            search_plan(&ask, &search.answer.best[k], &best);
            estimate_plan(&best, &estimate);
            assert_true(estimate.step.goodput > 0 && estimate.step.goodput < 0.999);
            assert_same(estimate_goodput(&estimate.plan, &estimate.symbols), estimate.step.goodput);
            assert_near(search.answer.best[k].value, i ? estimate.step.cost : estimate.step.seconds, 1e-5);
        }
    }
}

/* Whether the plan is the one that is wanted, in every key. */
static bool makes(const struct plan *plan, const struct plan *wanted)
{
    struct plan resolved;
    plan_resolve(plan, &resolved);
    for (int i = 0; i < PARAM_COUNT; i++)
        if (!param_equal(&resolved, wanted, (enum param)i))
            return false;
    return true;
}

/* The keys to set, set in the plan that was given, make the layout; none of them is needless. */
static void check_changes(const struct plan *given, const struct plan *chosen)
{
    struct diff_keys keys;
    struct plan now, wanted, plan = *given, resolved;
    plan_resolve(given, &now);
    plan_resolve(chosen, &wanted);
    plan_diff_keys(&now, &wanted, &keys);
    for (int i = 0; i < PARAM_COUNT; i++)
        if (keys.set[i])
            param_copy(&plan, &wanted, (enum param)i, FROM_SET);
    plan_resolve(&plan, &resolved);
    for (int i = 0; i < PARAM_COUNT; i++) {
        assert_that(param_equal(&resolved, &wanted, (enum param)i), "%s is not that of the layout",
                    param_rows[i].dotted);
        bool is_needless = keys.set[i] && param_equal(&now, &wanted, (enum param)i) && given->from[i] > FROM_PRESET;
        assert_that(!is_needless && !(keys.set[i] && keys.follows[i]), "%s", param_rows[i].dotted);
        struct plan without = plan;
        param_copy(&without, given, (enum param)i, given->from[i]);
        assert_that(!keys.set[i] || !makes(&without, &wanted), "%s need not be set", param_rows[i].dotted);
    }
}

#define BATCH "global_batch_size=64 "

static void changes_lead_to_the_layout(void **state)
{
    (void)state;
    static const char *const rests[] = {
        BATCH "nodes=2 tp=2 pp=2", BATCH "nodes=2 tp=2 pp=2 dp=4 schedule=1f1b gradient_accumulation_steps=8",
        "nodes=2 tp=2 pp=2 gradient_accumulation_steps=8", /* which make the batch */
        BATCH "dp=4 tp=2 num_experts=8 moe_router_topk=2 moe_ffn_hidden_size=1024 ep=2",
        BATCH "nodes=2 pp=2 pipeline_layout=[2,2] zero_stage=1"};
    struct plan plan, chosen;
    char settings[1024];
    for (size_t i = 0; i < COUNT(rests); i++) {
        snprintf(settings, sizeof settings, "%s%sgpus_per_node=8 %s", tiny, H100, rests[i]);
        check_plan(&plan, settings);
        run(&plan, false, SEARCH_TIME, 0, 1, 64);
        assert_true(search.answer.count == 5 && search.answer.front_count > 1);
        for (int k = 0; k < search.answer.count; k++) {
            search_plan(&ask, &search.answer.best[k], &chosen);
            check_changes(&plan, &chosen);
        }
        for (int k = 0; k < search.answer.front_count; k++) {
            search_plan(&ask, &search.answer.front[k], &chosen);
            check_changes(&plan, &chosen);
        }
    }
}

/* Of GPUs that a given dp holds, which are no whole nodes, all layouts have as many. */
static void a_given_dp_keeps_its_gpus(void **state)
{
    (void)state;
    struct plan plan, chosen, resolved;
    char settings[1024];
    snprintf(settings, sizeof settings, "%s%sgpus_per_node=8 global_batch_size=48 dp=3 tp=2 pp=2", tiny, H100);
    check_plan(&plan, settings);
    run(&plan, false, SEARCH_TIME, 0, 1, 64);
    assert_true(search.answer.count == 5 && search.answer.evaluated > 50);
    for (int i = 0; i < search.answer.count + search.answer.front_count; i++) {
        int point = i - search.answer.count;
        search_plan(&ask, point < 0 ? &search.answer.best[i] : &search.answer.front[point], &chosen);
        plan_resolve(&chosen, &resolved);
        assert_same(resolved.value[PARAM_parallel_dp] * resolved.value[PARAM_parallel_tp] *
                        resolved.value[PARAM_parallel_pp] * resolved.value[PARAM_parallel_cp],
                    12);
        assert_same(resolved.value[PARAM_hardware_nodes], 2);
    }
}

static void read_option(const char *name, const char *text)
{
    char why[SEARCH_WHY_MAX] = "";
    assert_that(search_option_read(search_option_named(name), &ask, text, &estimate, why) == 0, "%s=%s: %s", name,
                text, why);
}

static void search_it(void)
{
    assert_true(search_begin(&search, &ask, 0, 1));
    while (search_step(&search, 64))
        ;
}

/* Values of dp choose among the layouts of the same GPUs, 12 of 16 here; with dp given or without. */
static void values_of_dp_keep_the_gpus(void **state)
{
    (void)state;
    struct plan plan, resolved;
    for (int is_given = 0; is_given < 2; is_given++) {
        check_plan(&plan, is_given ? LLAMA3_8B H100 "tp=2 pp=2 dp=3 gpus_per_node=8 global_batch_size=96"
                                   : LLAMA3_8B H100 "tp=2 nodes=3 gpus_per_node=4 global_batch_size=96");
        search_ask_about(&plan, &ask);
        ask.top = SEARCH_TOP_MAX;
        read_option("values", "dp=3,6,5");
        search_it();
        assert_true(search.answer.count > 5);
        for (int i = 0; i < search.answer.count; i++) {
            search_plan(&ask, &search.answer.best[i], &resolved);
            plan_resolve(&resolved, &resolved);
            double dp = KEY_OF(&resolved, parallel, dp);
            assert_true(dp == 3 || dp == 6);
            assert_same(dp * KEY_OF(&resolved, parallel, tp) * KEY_OF(&resolved, parallel, pp) *
                            KEY_OF(&resolved, parallel, cp), 12);
        }
    }
}

/* Nodes that a cluster has are nothing to set in a layout on them. */
static void nodes_of_a_cluster_are_not_told(void **state)
{
    (void)state;
    struct plan plan, chosen, now;
    struct diff_keys keys;
    check_plan(&plan, LLAMA3_8B H100 "nodes=2 gpus_per_node=8 global_batch_size=32");
    plan.from[PARAM_hardware_nodes] = FROM_PRESET;
    run(&plan, false, SEARCH_TIME, 0, 1, 64);
    plan_resolve(&plan, &now);
    for (int i = 0; i < search.answer.count; i++) {
        search_plan(&ask, &search.answer.best[i], &chosen);
        plan_resolve(&chosen, &chosen);
        plan_diff_keys(&now, &chosen, &keys);
        assert_false(keys.set[PARAM_hardware_nodes]);
    }
}

/* Commas stand between conditions, and between the members of a set. */
static void conditions_come_with_commas(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int count;
    } good[] = {{"tp<=8", 1}, {"tp<8,pp>2", 2}, {"tp<8, pp>2 , mfu>=40%", 3},
                {"recompute_modules=core_attn,mlp", 1}, {"recompute_modules=core_attn,mlp,tp=2", 2}};
    static const struct {
        const char *text, *why;
    } bad[] = {{"tp=2,4", "several values; use the option values"}, {"tp<8 pp>2", "separate them with a comma"},
               {"tp<8,", "several values"}, {"tp<8,crystals>2", "'crystals' is neither"}, {"tp", "'tp<=8,pp>2'"}};
    struct plan plan;
    check_plan(&plan, LLAMA3_8B H100 "nodes=1 global_batch_size=8");
    for (size_t i = 0; i < COUNT(good); i++) {
        search_ask_about(&plan, &ask);
        read_option("where", good[i].text);
        assert_that(ask.conditions == good[i].count, "%s: %d", good[i].text, ask.conditions);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        char why[SEARCH_WHY_MAX] = "";
        assert_int_equal(search_option_read(search_option_named("where"), &ask, bad[i].text, &estimate, why), -1);
        assert_that(strstr(why, bad[i].why), "%s: %s", bad[i].text, why);
    }
}

/* What rules out everything is counted by condition, with what there is instead. */
static void conditions_say_what_they_rule_out(void **state)
{
    (void)state;
    struct plan plan;
    char range[SEARCH_RANGE_MAX];
    check_plan(&plan, LLAMA3_8B H100 "nodes=2 gpus_per_node=8 global_batch_size=32");
    search_ask_about(&plan, &ask);
    read_option("where", "tp<4,pp>100,mfu>0");
    search_it();
    const struct search_answer *answer = &search.answer;
    assert_true(answer->count == 0 && answer->tally[0].excluded > 0 && answer->tally[2].excluded == 0);
    assert_int_equal(answer->tally[0].excluded + answer->tally[1].excluded, answer->evaluated);
    assert_int_equal(answer->excluded[LIMIT_WHERE], answer->evaluated);
    search_range(&ask.condition[0], &answer->tally[0], range);
    assert_string_equal(range, ""); /* some layouts meet it */
    search_range(&ask.condition[1], &answer->tally[1], range);
    assert_string_equal(range, "pp is 1 to 16");
}

/* Where no layout is valid the rules that refuse them are named, with what works. */
static void no_valid_layout_has_a_reason(void **state)
{
    (void)state;
    static const struct {
        const char *option[2], *text[2], *rule, *message;
    } cases[] = {
        {{"values"}, {"tp=3,5"}, "heads_divisible_by_tp", "tp 3 does not divide 32 heads; works: 1 2 4 8"},
        {{"values"}, {"mbs=3"}, "batch_divisible", "; micro_batch_size may be 1 2"},
        {{"values"}, {"cp=3"}, "cp_divides_sequence", "2 x 3; 8192 is not; works: 1 2 4"},
        {{"values"}, {"ep=2"}, "experts_divisible", "ep 2 does not divide 0 experts; works: 1"},
        {{"values"}, {"dp=3"}, "gpus_divisible", "dp 3 does not divide 16 GPUs; works: 1 2 4 8 16"},
        {{"values", "values"}, {"tp=2", "pp=7"}, "gpus_divisible", "tp x pp x cp = 14 does not divide 16 GPUs"},
        {{"free", "values"}, {"pp", "pp=3"}, "gpus_divisible", "tp x pp x cp = 3 does not divide 16 GPUs; works: 1 2"},
        {{"free", "values"}, {"vpp", "vpp=2"}, "vpp_needs_pp", "a pipeline longer than 1"},
        {{"free", "values"}, {"+features", "cp=3"}, "cp_divides_sequence", "2 x 3; 8192 is not; works: 1 2 4"},
    };
    static struct refusals refused;
    struct plan plan;
    check_plan(&plan, LLAMA3_8B H100 "nodes=2 gpus_per_node=8 global_batch_size=32");
    for (size_t i = 0; i < COUNT(cases); i++) {
        search_ask_about(&plan, &ask);
        for (size_t k = 0; k < COUNT(cases[i].option) && cases[i].option[k]; k++)
            read_option(cases[i].option[k], cases[i].text[k]);
        search_it();
        refusals_of(&ask, &search.answer, &estimate, &refused);
        assert_that(search.answer.evaluated == 0 && refused.count == 1 && refused.item[0].layouts == refused.tried,
                    "%s: %d", cases[i].text[0], refused.count);
        assert_string_equal(refused.item[0].rule, cases[i].rule);
        const struct refusal_text said = refusal_text(&refused.item[0]);
        assert_that(check_mentions(said.text, cases[i].message), "%s", said.text);
    }
    search_ask_about(&plan, &ask);
    search_it();
    refusals_of(&ask, &search.answer, &estimate, &refused);
    assert_int_equal(refused.count, 0);
    /* Of features, the combinations that were not looked at are left out. */
    check_set(&plan, "framework.name=megatron-core position_embedding=alibi");
    search_ask_about(&plan, &ask);
    read_option("free", "+features");
    search_it();
    refusals_of(&ask, &search.answer, &estimate, &refused);
    assert_true(search.answer.candidates > 0 && refused.count == 1);
    assert_string_equal(refused.item[0].rule, "alibi_of_core");
}

/* The divisors of a batch are found without trying every number below it. */
static void the_largest_batch_has_its_micro_batches(void **state)
{
    (void)state;
    struct plan plan;
    check_plan(&plan, LLAMA3_8B H100 "nodes=2 gpus_per_node=8 tp=8 zero_stage=1 global_batch_size=1073741824");
    search_ask_about(&plan, &ask);
    read_option("free", "micro_batch_size");
    ask.fit = SEARCH_ANY;
    search_it();
    assert_int_equal(search.answer.candidates, 31);
}

/* Each key of which no value can be has its own rule; one that only its company spoils has none. */
static void each_key_that_cannot_be_has_a_reason(void **state)
{
    (void)state;
    static const struct {
        const char *text[3], *rule[REFUSALS_MAX];
    } cases[] = {
        {{"ep=3", "mbs=3"}, {"experts_divisible", "batch_divisible"}},
        {{"mbs=3,5", "tp=3", "cp=3"}, {"heads_divisible_by_tp", "cp_divides_sequence", "batch_divisible"}},
        {{"dp=3", "tp=3"}, {"gpus_divisible", "heads_divisible_by_tp"}},
        {{"tp=2", "pp=7"}, {"gpus_divisible"}},
        {{"tp=8", "pp=8"}, {"gpus_divisible"}},
    };
    static struct refusals refused;
    struct plan plan;
    check_plan(&plan, LLAMA3_8B H100 "nodes=2 gpus_per_node=8 global_batch_size=32");
    for (size_t i = 0; i < COUNT(cases); i++) {
        search_ask_about(&plan, &ask);
        for (size_t k = 0; k < COUNT(cases[i].text) && cases[i].text[k]; k++)
            read_option("values", cases[i].text[k]);
        search_it();
        refusals_of(&ask, &search.answer, &estimate, &refused);
        for (int k = 0; k < REFUSALS_MAX && cases[i].rule[k]; k++) {
            assert_that(k < refused.count && refused.item[k].layouts == refused.tried, "%s: %d of %d",
                        cases[i].text[0], k, refused.count);
            assert_string_equal(refused.item[k].rule, cases[i].rule[k]);
        }
        assert_true(refused.count == REFUSALS_MAX || !cases[i].rule[refused.count]);
    }
}

/* A name that is none is answered with the nearest that a search changes, or with all of it. */
static void names_that_are_none_are_answered(void **state)
{
    (void)state;
    static const struct {
        const char *option, *text, *why;
    } wrong[] = {{"keep", "tpp", "a search cannot change 'tpp'; did you mean tp, pp or vpp?"},
                 {"keep", "gpu", "a search cannot change 'gpu'; it changes tp,sp,cp,"},
                 {"free", "hiddn_size", "; did you mean model.hidden_size?"},
                 {"values", "tpp=3", "; did you mean tp, pp or vpp?"}};
    struct plan plan;
    check_plan(&plan, LLAMA3_8B "nodes=1 global_batch_size=64");
    search_ask_about(&plan, &ask);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char why[SEARCH_WHY_MAX] = "";
        const struct search_option *option = search_option_named(wrong[i].option);
        assert_int_equal(search_option_read(option, &ask, wrong[i].text, &estimate, why), -1);
        assert_that(strstr(why, wrong[i].why), "%s %s: %s", wrong[i].option, wrong[i].text, why);
    }
}

/* What a key may be stands in one of the refusals, that of its own rule where it has one. */
static void what_a_key_may_be_is_said_once(void **state)
{
    (void)state;
    static struct refusals refused;
    struct plan plan;
    check_plan(&plan, LLAMA3_8B H100 "nodes=2 gpus_per_node=8 global_batch_size=32 tp=2 pp=4");
    search_ask_about(&plan, &ask);
    read_option("values", "mbs=3,5");
    read_option("values", "tp=8");
    read_option("values", "vpp=3");
    search_it();
    refusals_of(&ask, &search.answer, &estimate, &refused);
    int listed[PARAM_COUNT] = {0};
    assert_int_equal(refused.count, 2);
    for (int i = 0; i < refused.count; i++)
        for (int k = 0; k < refused.item[i].valid_count; k++) {
            const struct refusal_valid *valid = &refused.item[i].valid[k];
            assert_true(valid->count >= 2 && valid->value[0] == 1 && valid->value[1] == 2);
            listed[valid->key]++;
        }
    assert_true(listed[PARAM_train_micro_batch_size] == 1 && listed[PARAM_parallel_vpp] == 1);
    assert_int_equal(refused.item[0].valid[refused.item[0].valid_count - 1].key, PARAM_parallel_vpp);
    assert_int_equal(refused.item[1].valid[0].key, PARAM_train_micro_batch_size);
    assert_non_null(strstr(refusal_text(&refused.item[0]).text, "; vpp may be 1 2"));
}

/* A plan is within the limits by its full estimate where its layout is by the search. */
static void what_a_search_takes_is_known_of_one_plan(void **state)
{
    (void)state;
    static const char *const limits[][2] = {{"where", "tp>1,mfu>=30%"}, {"max-memory", "40GiB"}, {"headroom", "30GiB"},
                                            {"fit", "tight"}, {"fit", "any"}, {"tokens-per-s", "100k"}};
    static struct space walk;
    struct plan plan;
    check_plan(&plan, LLAMA3_8B H100 "nodes=2 gpus_per_node=8 global_batch_size=32 vpp=1");
    for (size_t i = 0; i < COUNT(limits); i++) {
        long taken = 0;
        search_ask_about(&plan, &ask);
        read_option("keep", "vpp,ep,etp,recompute");
        read_option(limits[i][0], limits[i][1]);
        ask.top = SEARCH_TOP_MAX;
        search_it();
        double best = INFINITY;
        for (space_begin(&walk, &ask.space, 0, 1); space_next(&walk);) {
            space_plan(&ask.space, &walk.at, &plan);
            estimate_plan(&plan, &estimate);
            bool is_recommended = search_takes(&ask, &estimate);
            taken += is_recommended;
            best = is_recommended ? fmin(best, estimate.step.iteration_s) : best;
        }
        assert_that(taken > 0 && taken < search.answer.candidates, "%s=%s: %ld", limits[i][0], limits[i][1], taken);
        assert_same(search.answer.best[0].iteration_s, best);
        check_plan(&plan, LLAMA3_8B H100 "nodes=2 gpus_per_node=8 global_batch_size=32 vpp=1");
    }
}

static const enum param layout_keys[] = {
    PARAM_parallel_tp, PARAM_parallel_pp, PARAM_parallel_vpp, PARAM_parallel_cp, PARAM_parallel_zero_stage,
    PARAM_parallel_fsdp,
    PARAM_parallel_last_stage_layers, PARAM_parallel_embedding_counts_as_layer, PARAM_parallel_loss_counts_as_layer,
    PARAM_train_micro_batch_size, PARAM_train_recompute};

/* The fewest keys of the layout that have to change for a plan to fit: as counted over all layouts. */
static void the_nearest_that_fits_changes_least(void **state)
{
    (void)state;
    static struct space walk;
    struct plan plan, now, one;
    char settings[1024];
    int least = PARAM_COUNT;
    double least_s = INFINITY;
    snprintf(settings, sizeof settings, "%s%snodes=1 gpus_per_node=8 global_batch_size=64 micro_batch_size=8 sp=true",
             tiny, H100);
    check_plan(&plan, settings);
    give(&plan, PARAM_hardware_usable_gib, 4);
    run(&plan, false, SEARCH_CHANGES, 0, 1, 64);
    assert_true(search.answer.count > 0);
    plan_resolve(&plan, &now);
    for (space_begin(&walk, &ask.space, 0, 1); space_next(&walk);) {
        struct symbols symbols;
        space_plan(&ask.space, &walk.at, &one);
        plan_resolve(&one, &one);
        if (!check_allows(&one, &symbols))
            continue;
        estimate_plan(&one, &estimate);
        int count =
            one.value[PARAM_parallel_tp] > 1 && now.value[PARAM_parallel_tp] > 1 && one.value[PARAM_parallel_sp] != 1;
        for (size_t i = 0; i < COUNT(layout_keys); i++)
            count += now.value[layout_keys[i]] != one.value[layout_keys[i]];
        if (range_verdict(&estimate) != VERDICT_FITS || count > least)
            continue;
        least_s = count < least ? estimate.step.iteration_s : fmin(least_s, estimate.step.iteration_s);
        least = count;
    }
    assert_true(least > 0);
    assert_same(search.answer.best[0].value, least);
    assert_near(search.answer.best[0].iteration_s, least_s, 1e-9);
}

/* An objective says which key it lacks: one of several, too. */
static void an_objective_needs_its_keys(void **state)
{
    (void)state;
    static const enum param price = PARAM_hardware_price_per_gpu_hour;
    struct plan plan;
    check_plan(&plan, LLAMA3_8B "nodes=1 global_batch_size=8");
    plan_resolve(&plan, &plan);
    plan.value[price] = NAN;
    assert_int_equal(search_missing_key(SEARCH_TIME, &plan), PARAM_COUNT);
    assert_int_equal(search_missing_key(SEARCH_COST, &plan), price);
    assert_int_equal(search_missing_key(SEARCH_TRAIN_COST, &plan), PARAM_train_total_tokens);
    give(&plan, PARAM_train_total_tokens, 1e12);
    assert_int_equal(search_missing_key(SEARCH_TRAIN_TIME, &plan), PARAM_COUNT);
    assert_int_equal(search_missing_key(SEARCH_TRAIN_COST, &plan), price);
    give(&plan, price, 2);
    assert_int_equal(search_missing_key(SEARCH_TRAIN_COST, &plan), PARAM_COUNT);
}

static void a_plan_without_numbers_is_not_searched(void **state)
{
    (void)state;
    struct plan plan;
    check_plan(&plan, "num_layers=4");
    search_ask_about(&plan, &ask);
    assert_false(search_begin(&search, &ask, 0, 1));
}

/* What an objective needs can be given as it is said. */
static void what_is_needed_has_an_example(void **state)
{
    (void)state;
    for (int i = 0; i < SEARCH_OBJECTIVES; i++)
        for (size_t k = 0; k < COUNT(search_goals[i].needs); k++) {
            enum param key = search_goals[i].needs[k];
            struct plan plan;
            if (key == PARAM_COUNT)
                continue;
            check_plan(&plan, search_example(key));
            assert_that(plan.value[key] > 0, "%s: '%s'", param_rows[key].dotted, search_example(key));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_are_none_are_answered),
        cmocka_unit_test(a_search_finds_what_brute_force_finds),
        cmocka_unit_test(random_spaces_too),
        cmocka_unit_test(the_answer_does_not_depend_on_slices_or_parts),
        cmocka_unit_test(conditions_leave_the_others_out),
        cmocka_unit_test(the_bound_is_never_above_the_played_time),
        cmocka_unit_test(layouts_of_large_spaces_are_as_in_full),
        cmocka_unit_test(only_symbols_that_rows_name_matter),
        cmocka_unit_test(prices_stand_for_one_domain),
        cmocka_unit_test(what_is_not_free_stays),
        cmocka_unit_test(reinforcement_learning_is_compared_by_its_iteration),
        cmocka_unit_test(own_keys_and_values_are_tried),
        cmocka_unit_test(features_are_found_in_rounds),
        cmocka_unit_test(layouts_that_are_passed_over_are_counted),
        cmocka_unit_test(groups_of_micro_batches_are_free),
        cmocka_unit_test(failures_count_where_they_are_asked_about),
        cmocka_unit_test(changes_lead_to_the_layout),
        cmocka_unit_test(a_given_dp_keeps_its_gpus),
        cmocka_unit_test(values_of_dp_keep_the_gpus),
        cmocka_unit_test(nodes_of_a_cluster_are_not_told),
        cmocka_unit_test(conditions_come_with_commas),
        cmocka_unit_test(conditions_say_what_they_rule_out),
        cmocka_unit_test(no_valid_layout_has_a_reason),
        cmocka_unit_test(the_largest_batch_has_its_micro_batches),
        cmocka_unit_test(each_key_that_cannot_be_has_a_reason),
        cmocka_unit_test(what_a_key_may_be_is_said_once),
        cmocka_unit_test(what_is_needed_has_an_example),
        cmocka_unit_test(what_a_search_takes_is_known_of_one_plan),
        cmocka_unit_test(the_nearest_that_fits_changes_least),
        cmocka_unit_test(an_objective_needs_its_keys),
        cmocka_unit_test(a_plan_without_numbers_is_not_searched),
    };
    return cmocka_run_group_tests_name("search", tests, NULL, NULL) != 0;
}
