/*
 * Plans that break rules: every shipped plan with every choice and number of chunks, and random sets of keys. No
 * estimate plays or indexes by a value that has no meaning, and what depends on it is unknown.
 */
#include "tests/check.h"

#include "core/estimate/timeline.h"
#include "core/explain/explain.h"
#include "src/plan/plan_io.h"
#include "src/plan/preset.h"
#include "src/text/errors.h"
#include "tests/verbs.h"

enum { VPP_MAX = 16, RUN_EVERY = 101 /* plans */, SMALL = 16 /* nodes */ };

static struct estimate estimate;
static struct timeline_point curve[TIMELINE_POINTS_MAX];

static void open_path(void *context, const char *path)
{
    static struct explanation explanation;
    assert_that(explain_value(context, path, &explanation) == 0, "%s is listed, but does not open", path);
}

static void count_event(void *context, const struct sim_event *event)
{
    const struct estimate *e = &estimate;
    assert_true(event->stage >= 0 && event->stage < e->stages);
    assert_true(event->chunk >= 0 && event->chunk < e->schedule.chunks);
    ++*(int *)context;
}

/* Every stage holds chunks of the model, and every chunk is held by the stage that it is placed on. */
static void check_places(const struct estimate *e)
{
    const struct schedule_shape *shape = &e->schedule;
    for (int n = 0; n < shape->stages * shape->chunks; n++) {
        int stage = schedule_stage(shape, n);
        assert_true(stage >= 0 && stage < shape->stages);
        assert_int_equal(split_stage(shape->stages, shape->kind == SCHEDULE_ZB_V, n), stage);
    }
    for (int i = 0; i < shape->stages; i++)
        for (int chunk = 0; chunk < shape->chunks; chunk++) {
            int n = schedule_place(shape, i, chunk);
            assert_true(n >= 0 && n < shape->stages * shape->chunks);
        }
}

/* A schedule that cannot run breaks a rule, and nothing of it is played. */
static void check_unplayed(const struct estimate *e)
{
    int passes = 0;
    assert_that(e->diags.errors > 0, "%s: no rule is broken", check_describe(&e->plan));
    if (param_blank(&e->plan, PARAM_train_measured_iteration_s))
        assert_that(isnan(e->step.iteration_s), "%s: %g s", check_describe(&e->plan), e->step.iteration_s);
    assert_true(isnan(estimate_play(e, 2 * e->stages, count_event, &passes)) && passes == 0);
    for (int i = 0; i < e->stages; i++)
        assert_int_equal(timeline_of(e, i, curve, TIMELINE_POINTS_MAX), 0);
}

/* Estimates a plan, looks at its curves and, of some, opens every number. */
static void check_all(const struct plan *plan, bool opens)
{
    estimate_plan(plan, &estimate);
    if (!estimate.is_computed)
        return;
    check_places(&estimate);
    if (!schedule_runs(&estimate.schedule))
        check_unplayed(&estimate);
    else if (opens)
        for (int i = 0; i < estimate.stages; i += estimate.stages > 4 ? estimate.stages / 3 : 1)
            timeline_of(&estimate, i, curve, TIMELINE_POINTS_MAX);
    if (opens && estimate.stages <= 16)
        explain_paths(&estimate, open_path, &estimate);
}

static void set_number(struct plan *plan, enum param id, double value)
{
    plan->value[id] = value;
    plan->from[id] = FROM_SET;
}

static bool has_choices(enum param id)
{
    return param_rows[id].type == TYPE_ENUM || param_rows[id].type == TYPE_BOOL;
}

/* Runs one command over a plan, each in its turn. */
static void run_verb(const struct plan *plan, int turn)
{
    const struct verb_case *it = &verb_cases[turn % VERB_CASES];
    if (!verb_has_plan(it))
        return;
    struct buffer out = {0};
    struct errors errors = {0};
    int status = verb_run_case(it, plan, &out, &errors);
    buffer_free(&out);
    errors_free(&errors);
    assert_that(status >= 0 && status <= STATUS_INTERNAL, "%s %s over %s: status %d", cli_verbs[it->verb].name,
                it->words, check_describe(plan), status);
}

/*
 * One plan and one choice with each number of chunks, all numbers opened for some, and some through the next command.
 * Of keys other than the schedule a share of the numbers, another for each plan; all with BROKEN_PLANS, and then each
 * through a command, and schedules through every one.
 */
static void check_choice(const struct plan *given, enum param id, int value, int turn)
{
    static int plans, runs;
    struct plan plan = *given;
    bool is_schedule = id == PARAM_parallel_schedule, takes_all = getenv("BROKEN_PLANS"),
         is_small = KEY_OF(given, hardware, nodes) <= SMALL;
    set_number(&plan, id, value);
    for (int vpp = 1; vpp <= VPP_MAX; vpp++) {
        if (!is_schedule && !takes_all && (vpp + turn) % VPP_MAX != 0)
            continue;
        set_number(&plan, PARAM_parallel_vpp, vpp);
        check_all(&plan, is_schedule && (vpp + turn) % 8 == 0);
        int times = takes_all && is_schedule ? VERB_CASES : takes_all || (is_small && plans++ % RUN_EVERY == 0);
        for (int i = 0; i < times; i++)
            run_verb(&plan, runs++);
    }
}

static void load(struct plan *plan, const char *name, bool is_model)
{
    struct errors errors = {0};
    plan_clear(plan);
    if (is_model)
        plan_load_model(plan, name, FROM_FILE, &errors);
    else
        plan_load_preset(plan, name, &errors);
    assert_that(errors.count == 0, "%s", errors.line[0]);
    plan_finish(plan);
}

static void every_shipped_plan_with_every_choice(void **state)
{
    (void)state;
    const char *const *names;
    size_t count = preset_names(PRESET_PLAN, &names);
    assert_true(count > 10);
    for (size_t i = 0; i < count; i += check_is_slow() ? 3 : 1) {
        struct plan plan;
        load(&plan, names[i], false);
        for (enum param id = 0; id < PARAM_COUNT; id++) {
            for (int value = (int)param_rows[id].min; has_choices(id) && value <= (int)param_rows[id].max; value++)
                check_choice(&plan, id, value, (int)i + (int)id + value);
        }
    }
}

/* A value within a key's range: small ones, round ones and the ends. */
static double random_value(struct check_random *random, const struct param_row *row)
{
    const double tries[] = {row->min + check_below(random, 20), ldexp(1, check_below(random, 16)), row->max, row->min,
                            check_below(random, 1000) / 10.0};
    double value = tries[check_below(random, row->type == TYPE_REAL ? 5 : 4)];
    return fmin(fmax(value, row->min), row->max);
}

/* Keys that a layout or a schedule is made of. */
static const enum param structural[] = {
    PARAM_parallel_schedule,           PARAM_parallel_vpp,
    PARAM_parallel_pp,                 PARAM_parallel_tp,
    PARAM_parallel_cp,                 PARAM_parallel_ep,
    PARAM_parallel_dp,                 PARAM_parallel_microbatch_group,
    PARAM_parallel_first_stage_layers, PARAM_parallel_last_stage_layers,
    PARAM_parallel_partition_method,   PARAM_parallel_embedding_counts_as_layer,
    PARAM_model_num_layers,            PARAM_train_global_batch_size,
    PARAM_train_micro_batch_size,      PARAM_train_recompute_num_layers};

/* Every case answers over a plan without faults: what it is for is reached, and not its refusal. */
static void every_command_has_a_case(void **state)
{
    (void)state;
    struct plan plan;
    load(&plan, "llama3.1-8b", true);
    for (int i = 0; i < VERB_CASES; i += check_is_slow() ? 4 : 1) {
        struct buffer out = {0};
        struct errors errors = {0};
        int status = verb_run_case(&verb_cases[i], &plan, &out, &errors);
        assert_that(status == STATUS_DONE || status == STATUS_UNFIT, "%s %s: status %d, %s",
                    cli_verbs[verb_cases[i].verb].name, verb_cases[i].words, status,
                    errors.count ? errors.line[0] : "");
        buffer_free(&out);
        errors_free(&errors);
    }
    for (int verb = 0; verb < VERB_COUNT; verb++) {
        int cases = 0;
        for (int i = 0; i < VERB_CASES; i++)
            cases += (int)verb_cases[i].verb == verb;
        assert_that(cases > 0, "tests/verbs.h has no row for %s", cli_verbs[verb].name);
    }
}

static void random_sets_of_keys(void **state)
{
    (void)state;
    const char *const *names;
    size_t plans = preset_names(PRESET_PLAN, &names);
    const char *wanted = getenv("BROKEN_PLANS");
    int count = wanted ? atoi(wanted) : check_is_slow() ? 500 : 2000;
    struct check_random random = {27};
    struct plan given;
    for (int i = 0; i < count; i++) {
        if (i % 50 == 0)
            load(&given, names[check_below(&random, (int)plans)], false);
        struct plan plan = given;
        for (int changes = 1 + check_below(&random, 6); changes > 0; changes--) {
            enum param id = check_below(&random, 4) ? structural[check_below(&random, COUNT(structural))]
                                                    : (enum param)check_below(&random, PARAM_COUNT);
            if (param_rows[id].type != TYPE_NAME && param_rows[id].type != TYPE_LAYOUT &&
                param_rows[id].type != TYPE_FROZEN)
                set_number(&plan, id, random_value(&random, &param_rows[id]));
        }
        check_all(&plan, i % 200 == 0);
        if (i % (wanted ? 1 : 20) == 0)
            run_verb(&plan, wanted ? i : i / 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shipped_plan_with_every_choice),
        cmocka_unit_test(every_command_has_a_case),
        cmocka_unit_test(random_sets_of_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
