/* An estimate that keeps what it can of the one before equals one from nothing, to the bit, whatever key changes. */
#include "tests/check.h"

static struct estimate fresh;
static struct estimate_memory memory;
static struct estimate_depends depends;

enum { STEPS = 5000, FRESH_PLAN = 100 };

/* ---- walks over plans ------------------------------------------------------------------------------------------- */

/* Another value of a number: its neighbours, multiples and parts, or none. */
static double other_value(struct check_random *random, double value, const struct param_row *row)
{
    const double choices[] = {value + 1, value - 1, 2 * value, value / 2, 3 * value, row->min, NAN, value * 1.1};
    double other = choices[check_below(random, COUNT(choices))];
    other = row->type == TYPE_REAL ? other : floor(other);
    return other >= row->min && other <= row->max ? other : NAN;
}

/* Changes a key, any but names. */
static void change(struct check_random *random, const struct plan *resolved, struct plan *plan)
{
    enum param id = (enum param)check_below(random, PARAM_COUNT);
    const struct param_row *row = &param_rows[id];
    static const char *const frozen[] = {"frozen=layers:0-7", "frozen=all-but:layers:4-31", "frozen=norms",
                                         "frozen=embeddings", "frozen=none"};
    if (row->type == TYPE_FROZEN)
        check_set(plan, check_pick(random, frozen, COUNT(frozen)));
    if (row->type == TYPE_NAME || row->type == TYPE_LAYOUT || row->type == TYPE_FROZEN)
        return;
    bool is_choice = row->choices != NULL && row->type != TYPE_SET;
    double value = is_choice ? row->min + check_below(random, (int)(row->max - row->min) + 1)
                             : other_value(random, resolved->value[id], row);
    plan->value[id] = value;
    plan->from[id] = isnan(value) ? 0 : FROM_SET;
}

/* ---- what is compared ------------------------------------------------------------------------------------------- */

static bool same_findings(const struct diags *a, const struct diags *b)
{
    bool is_same = a->count == b->count && a->errors == b->errors && a->warnings == b->warnings;
    for (int i = 0; i < a->count && is_same; i++)
        is_same = a->item[i].rule == b->item[i].rule && strcmp(a->item[i].message, b->item[i].message) == 0;
    return is_same;
}

#define SAME(member) (memcmp(&a->member, &b->member, sizeof a->member) == 0)
#define SAME_STAGES(member) (memcmp(a->member, b->member, sizeof *a->member * (size_t)a->stages) == 0)

/* The first part in which two estimates differ, or NULL. */
static const char *differs_in(const struct estimate *a, const struct estimate *b)
{
    if (!plan_equal(&a->plan, &b->plan) || !SAME(symbols) || !SAME(unparallel))
        return "symbols";
    if (!same_findings(&a->diags, &b->diags) || a->is_computed != b->is_computed || a->is_modelled != b->is_modelled)
        return "findings";
    if (!SAME(totals))
        return "the whole model";
    if (!a->is_computed)
        return NULL;
    if (a->stages != b->stages || !SAME_STAGES(stage) || !SAME_STAGES(pass) || !SAME_STAGES(stage_params_all))
        return "stages";
    if (!SAME(step) || !SAME(exposed_s) || !SAME(headroom_bytes) || a->fits != b->fits ||
        a->host_fits != b->host_fits || a->peak_stage != b->peak_stage || a->binding_stage != b->binding_stage)
        return "the step";
    return a->is_serving && !SAME(serving) ? "serving" : NULL;
}

/* ---- tests ------------------------------------------------------------------------------------------------------ */

/* Whether a key is known and has the same values as before; `before` is what it had. */
static bool has_stood(const struct estimate_key *key, const struct estimate_key *before)
{
    return before->is_known && key->is_known && memcmp(key->value, before->value, sizeof key->value) == 0;
}

static void walks_equal_estimates_from_nothing(void **state)
{
    (void)state;
    struct check_random random = {41};
    struct plan plan, before;
    struct estimate_key model, layers;
    int kept = 0, models = 0, valid = 0;
    for (int i = 0; i < STEPS; i++) {
        if (i % FRESH_PLAN == 0)
            check_random_plan(&random, &plan);
        before = plan;
        model = memory.totals;
        layers = memory.layers;
        if (i % FRESH_PLAN)
            change(&random, &memory.answer.plan, &plan);
        estimate_plan(&plan, &fresh);
        estimate_again(&plan, &memory);
        const char *part = differs_in(&fresh, &memory.answer);
        assert_that(part == NULL, "step %d: %s of %s", i, part, check_describe(&plan));
        kept += has_stood(&memory.layers, &layers);
        models += has_stood(&memory.totals, &model);
        valid += fresh.diags.errors == 0;
        if (fresh.diags.errors > 0 && check_below(&random, 8) > 0)
            plan = before;
    }
    assert_true(kept > STEPS / 3 && kept < STEPS - STEPS / 10);
    assert_true(models > STEPS / 3 && models < STEPS - STEPS / 10);
    assert_true(valid > STEPS / 3 && valid < STEPS - STEPS / 10);
}

/* Without the symbols that rows read nothing is kept, and nothing is wrong. */
static void a_memory_without_symbols_keeps_nothing(void **state)
{
    (void)state;
    static struct estimate_memory bare;
    struct plan plan;
    for (int pp = 1; pp <= 4; pp *= 2) {
        check_plan(&plan, LLAMA3_8B "tp=2 nodes=1 global_batch_size=64");
        plan.value[PARAM_parallel_pp] = pp;
        estimate_plan(&plan, &fresh);
        estimate_again(&plan, &bare);
        assert_null(differs_in(&fresh, &bare.answer));
        assert_false(bare.layers.is_known);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_equal_estimates_from_nothing),
        cmocka_unit_test(a_memory_without_symbols_keeps_nothing),
    };
    estimate_depends_of(&depends);
    memory.depends = &depends;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
