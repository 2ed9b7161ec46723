/*
 * Configurations that are known to have run, tests/data/recipes.csv: none is said not to fit, where it is not sure the
 * table says why, and a search of what their framework can do finds something at least as fast.
 */
#include "tests/check.h"

#include "core/estimate/range.h"
#include "core/search/option.h"
#include "src/plan/preset.h"
#include "src/runs/runs.h"
#include "src/text/csv_in.h"
#include "src/text/errors.h"

enum { RECIPES_MAX = 64, TEXT_MAX = 1000 };

/* A row: a run of runs.csv, or a model and a GPU with settings. */
static struct recipe {
    char id[80], run[80], kept[80], tight[200];
    bool is_read;
    struct plan plan;
} recipes[RECIPES_MAX];
static int count;

static void take_settings(struct plan *plan, const char *model, const char *gpu, const char *settings)
{
    struct errors errors = {0};
    plan_clear(plan);
    assert_int_equal(preset_apply(plan, PARAM_model_name, model, FROM_PRESET, NULL, &errors), 0);
    assert_int_equal(preset_apply(plan, PARAM_hardware_gpu, gpu, FROM_PRESET, NULL, &errors), 0);
    check_set(plan, settings);
}

static void take_run(void *to, const struct run *run)
{
    (void)to;
    for (int i = 0; i < count; i++)
        if (strcmp(recipes[i].run, run->id) == 0) {
            recipes[i].plan = run->plan;
            recipes[i].is_read = true;
        }
}

static int read_recipes(void **state)
{
    static const char *const runs[] = {"tests/data/runs.csv"};
    enum { ID, SOURCE, RUN, MODEL, GPU, SETTINGS, KEPT, TIGHT, COLUMNS };
    static const char *const names[COLUMNS] = {"id", "source", "run", "model", "gpu", "settings", "kept", "tight"};
    struct errors errors = {0};
    struct csv csv;
    FILE *file = fopen("tests/data/recipes.csv", "r");
    (void)state;
    assert_non_null(file);
    assert_int_equal(csv_open(&csv, "", 0, file, "tests/data/recipes.csv", &errors), 0);
    for (int i = 0; i < COLUMNS; i++)
        assert_int_equal(csv_column(&csv, names[i]), i);
    while (csv_next(&csv)) {
        assert_true(count < RECIPES_MAX && *csv.cell[SOURCE]);
        struct recipe *one = &recipes[count++];
        snprintf(one->id, sizeof one->id, "%s", csv.cell[ID]);
        snprintf(one->run, sizeof one->run, "%s", csv.cell[RUN]);
        snprintf(one->kept, sizeof one->kept, "%s", csv.cell[KEPT]);
        snprintf(one->tight, sizeof one->tight, "%s", csv.cell[TIGHT]);
        one->is_read = !*one->run;
        if (one->is_read)
            take_settings(&one->plan, csv.cell[MODEL], csv.cell[GPU], csv.cell[SETTINGS]);
    }
    csv_close(&csv);
    fclose(file);
    return runs_read(&(struct runs_request){.files = runs, .file_count = 1}, take_run, NULL, &errors);
}

static struct estimate estimate;
static struct search search;
static struct search_ask ask;

static void recipes_are_never_refused(void **state)
{
    (void)state;
    assert_true(count >= 30);
    for (int i = 0; i < count; i++) {
        assert_that(recipes[i].is_read, "%s: no such run", recipes[i].id);
        estimate_plan(&recipes[i].plan, &estimate);
        double probability = range_fit_probability(&estimate);
        assert_that(estimate.diags.errors == 0 && probability > verdict_no, "%s: %g", recipes[i].id, probability);
        assert_that((probability < verdict_fits) == (*recipes[i].tight != '\0'), "%s is %s: %g", recipes[i].id,
                    *recipes[i].tight ? "not tight" : "tight", probability);
    }
}

/* With the recipe's own degrees of what `kept` names; "-": its framework has no search. */
static void search_of_features_is_as_fast(const struct recipe *recipe)
{
    char why[SEARCH_WHY_MAX];
    estimate_plan(&recipe->plan, &estimate);
    double own_s = estimate.step.iteration_s;
    search_ask_about(&recipe->plan, &ask);
    ask.fit = *recipe->tight ? SEARCH_TIGHT : SEARCH_FITS;
    assert_int_equal(search_option_read(search_option_named("free"), &ask, "features", &estimate, why), 0);
    assert_int_equal(search_option_read(search_option_named("keep"), &ask, recipe->kept, &estimate, why), 0);
    assert_true(search_begin(&search, &ask, 0, 1));
    while (search_step(&search, 64))
        ;
    assert_that(search.answer.count > 0 && search.answer.best[0].iteration_s <= own_s * (1 + 1e-9),
                "%s: %.9g, the recipe %.9g", recipe->id, search.answer.best[0].iteration_s, own_s);
}

static void a_search_finds_something_as_fast(void **state)
{
    int step = check_is_slow() ? 16 : 1;
    (void)state;
    for (int i = 0; i < count; i += step)
        if (strcmp(recipes[i].kept, "-") != 0)
            search_of_features_is_as_fast(&recipes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recipes_are_never_refused),
        cmocka_unit_test(a_search_finds_something_as_fast),
    };
    return cmocka_run_group_tests(tests, read_recipes, NULL);
}
