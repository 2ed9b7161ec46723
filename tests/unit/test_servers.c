/* Searches and goals of plans that serve find what estimating every layout finds. */
#include "tests/check.h"

#include "core/estimate/load.h"
#include "core/search/sweep.h"
#include "src/cli/verbs/goal.h"
#include "src/cli/verbs/search_serving.h"
#include "src/text/errors.h"
#include "ui/ui.h"

static struct estimate e;

/* ---- brute force ------------------------------------------------------------------------------------------------- */

/* What is asked for: `users` at once or requests a second; 0: as many as the limits allow. */
struct load_question {
    const char *settings;
    double users, rate;
    enum search_objective objective;
};

#define SERVER                                                                                                         \
    "workload=inference engine=vllm prompt_tokens=2048 generate_tokens=256 max_model_len=3072 gpus_per_node=8 nodes=1 "

static const struct load_question questions[] = {
    {LLAMA3_8B SERVER "max_per_token_ms=12", 90, 0, SEARCH_GPUS},
    {LLAMA3_8B SERVER "max_per_token_ms=16 max_first_token_ms=400", 120, 0, SEARCH_COST},
    {LLAMA3_8B SERVER "max_per_token_ms=20", 0, 0, SEARCH_COST},
    {LLAMA3_8B SERVER "max_per_token_ms=20", 0, 22, SEARCH_GPUS},
    {QWEN3_32B SERVER "max_per_token_ms=35", 40, 0, SEARCH_GPUS},
    {QWEN3_32B SERVER "max_per_token_ms=25 weight_dtype=bf16", 40, 0, SEARCH_GPUS},
    {MIXTRAL_8X7B SERVER "max_per_token_ms=20", 70, 0, SEARCH_GPUS},
    {MIXTRAL_8X7B SERVER "max_per_token_ms=4 max_first_token_ms=20", 400, 0, SEARCH_GPUS},
};

/* The best so far: of equal ones the fastest. */
struct best {
    double gpus, value, tokens_per_s;
    bool is_found;
};

/* What a layout does under the load; a batch of 0 where it does not serve it. */
static void load_of(const struct load_question *asked, double batch, struct load *out)
{
    if (asked->rate > 0)
        load_at_rate(&e, out);
    else if (asked->users > 0)
        load_at(&e, batch, out);
    else
        load_within_limits(&e, out);
}

static void look(const struct load_question *asked, const struct plan *plan, struct best *best)
{
    struct load load;
    estimate_plan(plan, &e);
    if (e.diags.errors > 0 || !e.is_modelled || !e.fits || !(serving_starts(&e) > 0))
        return;
    load_of(asked, plan->value[PARAM_serve_batch_size], &load);
    if (!(load.batch >= 1) || load.batch > plan->value[PARAM_serve_max_num_seqs] || !load_is_within(&e, &load))
        return;
    double gpus = e.symbols.world, cost = gpus / load.tokens_per_s;
    double value = asked->objective == SEARCH_COST ? cost : gpus;
    if (best->is_found && (value > best->value || (value == best->value && load.tokens_per_s <= best->tokens_per_s)))
        return;
    *best = (struct best){gpus, value, load.tokens_per_s, true};
}

/* Every number of sequences of a layout of ranks. */
static void look_at_sequences(const struct load_question *asked, const struct plan *plan, double replicas,
                              struct best *best)
{
    static const double sequences[] = {1, 8, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024};
    struct plan with = *plan;
    double batch = asked->users > 0 ? ceil(asked->users / replicas) : 1;
    param_set(&with, PARAM_serve_batch_size, batch);
    for (size_t i = 0; i <= COUNT(sequences); i++) {
        param_set(&with, PARAM_serve_max_num_seqs, i < COUNT(sequences) ? sequences[i] : batch);
        look(asked, &with, best);
    }
}

/* Every split of some GPUs, with experts of each replica and shared by all, in 16 bits and in 8. */
static void look_at_splits(const struct load_question *asked, const struct plan *base, int gpus, struct best *best)
{
    bool is_given = base->from[PARAM_serve_weight_dtype] >= FROM_FILE;
    for (int tp = 1; tp <= gpus; tp++)
        for (int pp = 1; pp * tp <= gpus; pp++)
            for (int way = 0; way < 4; way++) {
                struct plan plan = *base;
                int ranks = gpus / pp;
                if (gpus % (tp * pp) || (way & 1 && (ranks == 1 || !(base->value[PARAM_model_num_experts] > 0))) ||
                    (way & 2 && is_given))
                    continue;
                param_set(&plan, PARAM_hardware_gpus_per_node, gpus);
                param_set(&plan, PARAM_parallel_tp, tp);
                param_set(&plan, PARAM_parallel_pp, pp);
                param_set(&plan, PARAM_parallel_ep, way & 1 ? ranks : 1);
                if (!is_given)
                    param_set(&plan, PARAM_serve_weight_dtype, way & 2 ? WEIGHT_FP8 : WEIGHT_BF16);
                look_at_sequences(asked, &plan, (double)ranks / tp, best);
            }
}

static struct best try_all(const struct load_question *asked, const struct plan *base)
{
    struct best best = {0};
    for (int gpus = 1; gpus <= 8; gpus++)
        look_at_splits(asked, base, gpus, &best);
    return best;
}

/* The question's plan: without a number of users or of GPUs. */
static struct plan plan_of(const struct load_question *asked)
{
    struct plan plan;
    check_plan(&plan, asked->settings);
    if (asked->rate > 0)
        param_set(&plan, PARAM_serve_request_rate, asked->rate);
    return plan;
}

/* ---- searches ---------------------------------------------------------------------------------------------------- */

static void searches_find_what_brute_force_finds(void **state)
{
    (void)state;
    struct servers *found = malloc(sizeof *found);
    static struct search_ask ask;
    for (size_t i = 0; i < COUNT(questions); i++) {
        const struct load_question *asked = &questions[i];
        const struct plan plan = plan_of(asked);
        struct errors errors = {0};
        struct keyvals values = {0};
        search_ask_about(&plan, &ask);
        ask.objective = asked->objective;
        keyvals_add(&values, "gpus", "1,2,3,4,5,6,7,8", 0);
        const struct servers_ask wanted = {&ask, &values, NULL, NULL, asked->users > 0 ? asked->users : NAN};
        assert_true(servers_find(&wanted, found, &errors));
        struct best best = try_all(asked, &plan);
        assert_that(best.is_found == (found->count > 0), "%zu: brute force %d, search %d", i, best.is_found,
                    found->count);
        if (best.is_found && asked->objective == SEARCH_GPUS)
            assert_that(found->best[0].gpus == best.gpus, "%zu: %g GPUs, search %g", i, best.gpus,
                        found->best[0].gpus);
        if (best.is_found)
            assert_that(found->best[0].load.tokens_per_s >= best.tokens_per_s * 0.999 ||
                            found->best[0].gpus < best.gpus || asked->objective == SEARCH_COST,
                        "%zu: %g tokens/s, search %g", i, best.tokens_per_s, found->best[0].load.tokens_per_s);
        if (best.is_found && asked->objective == SEARCH_COST)
            assert_at_most(found->best[0].gpus / found->best[0].load.tokens_per_s, best.value * 1.001);
        keyvals_free(&values);
        errors_free(&errors);
    }
    free(found);
}

/* The plan that a goal answers with has the fewest GPUs, and does what was asked. */
static void goals_find_the_fewest_gpus(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(questions); i++) {
        const struct load_question *asked = &questions[i];
        struct plan plan = plan_of(asked), answer;
        struct load load;
        char text[GOAL_TEXT_MAX];
        if (asked->objective != SEARCH_GPUS || asked->rate > 0)
            continue;
        const struct ui_goal figures = {NAN, NAN, asked->users, NAN, NAN, NAN, NAN, false, true};
        bool is_found = goal_answer("serve", &figures, &plan, &answer, NULL, text) == 0;
        struct best best = try_all(asked, &plan);
        assert_that(is_found || !best.is_found, "%zu: %s", i, text);
        if (!is_found)
            continue;
        estimate_plan(&answer, &e);
        assert_that(best.is_found ? e.symbols.world == best.gpus : e.symbols.world > 8, "%zu: %g GPUs, goal %g", i,
                    best.gpus, e.symbols.world);
        load_at(&e, e.plan.value[PARAM_serve_batch_size], &load);
        assert_true(serving_starts(&e) > 0 && load_is_within(&e, &load));
        assert_true(load.batch * e.symbols.d >= asked->users);
    }
}

/* ---- sweeps ------------------------------------------------------------------------------------------------------ */

/* A cell of a sweep is the estimate of its plan. */
static void cells_are_estimates_of_their_plans(void **state)
{
    (void)state;
    static const char *const metrics[] = {"request_s", "tokens_per_s", "first_token_s", "per_token_s", "cost"};
    static const enum param keys[] = {PARAM_parallel_tp, PARAM_serve_max_num_seqs};
    static struct estimate scratch;
    static struct explanation opened;
    for (int tp = 1; tp <= 8; tp++) {
        struct plan plan;
        check_plan(&plan, QWEN3_32B SERVER "dp=1 batch_size=8");
        param_set(&plan, PARAM_hardware_gpus_per_node, tp);
        param_set(&plan, PARAM_parallel_tp, tp);
        estimate_plan(&plan, &e);
        const double values[] = {e.serving.request_s, e.serving.tokens_per_s, e.serving.time_to_first_token_s,
                                 e.serving.per_token_s, e.serving.cost_per_million_tokens};
        for (size_t i = 0; i < COUNT(metrics); i++) {
            struct sweep_metric metric = sweep_metric_named(metrics[i], true);
            struct sweep_cell cell;
            sweep_evaluate(&plan, &metric, keys, COUNT(keys), false, &scratch, &opened, &cell);
            assert_int_equal(cell.state == SWEEP_INVALID, e.diags.errors > 0);
            assert_true(cell.state == SWEEP_INVALID || cell.value == values[i]);
            assert_true((cell.state == SWEEP_FITS) <= (e.fits && serving_starts(&e) > 0));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches_find_what_brute_force_finds),
        cmocka_unit_test(goals_find_the_fewest_gpus),
        cmocka_unit_test(cells_are_estimates_of_their_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
