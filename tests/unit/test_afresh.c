/* An estimate over another one is what it is in fresh memory, to the bit, whatever key changed between them. */
#include "tests/check.h"

static struct estimate fresh, again;

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
        is_same = a->item[i].rule == b->item[i].rule &&
                  strcmp(finding_text(&a->item[i]).text, finding_text(&b->item[i]).text) == 0;
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

static void walks_equal_estimates_from_nothing(void **state)
{
    (void)state;
    struct check_random random = {41};
    struct plan plan, before;
    int valid = 0;
    for (int i = 0; i < STEPS; i++) {
        if (i % FRESH_PLAN == 0)
            check_random_plan(&random, &plan);
        before = plan;
        if (i % FRESH_PLAN)
            change(&random, &again.plan, &plan);
        memset(&fresh, i % 2 ? 0 : 0xff, sizeof fresh);
        estimate_plan(&plan, &fresh);
        estimate_plan(&plan, &again);
        const char *part = differs_in(&fresh, &again);
        assert_that(part == NULL, "step %d: %s of %s", i, part, check_describe(&plan));
        valid += fresh.diags.errors == 0;
        if (fresh.diags.errors > 0 && check_below(&random, 8) > 0)
            plan = before;
    }
    assert_true(valid > STEPS / 3 && valid < STEPS - STEPS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(walks_equal_estimates_from_nothing)};
    return cmocka_run_group_tests_name("afresh", tests, NULL, NULL) != 0;
}
