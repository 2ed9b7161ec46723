/*
 * Lessons: every shipped one is true and is played in both directions; templates, numbers, faults, answers and tasks.
 */
#include "tests/check.h"

#include "core/search/search.h"
#include "src/course/answer.h"
#include "src/course/audit.h"
#include "src/course/draft.h"
#include "src/course/outcome.h"
#include "src/course/tutor.h"
#include "src/course/unit.h"
#include "src/plan/plan_io.h"
#include "src/plan/preset.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/keyval.h"
#include "src/text/node.h"
#include "src/text/text.h"

static struct tutor *tutor; /* too large for a stack */

static int make(void **state)
{
    (void)state;
    tutor = malloc(sizeof *tutor);
    return tutor ? 0 : -1;
}

static int release(void **state)
{
    (void)state;
    free(tutor);
    return 0;
}

static void begin(const char *name)
{
    struct errors errors = {0};
    int result = tutor_begin(tutor, name, &errors);
    assert_that(result == 0, "%s: %s", name, errors.count ? errors.line[0] : "");
    errors_free(&errors);
}

static bool is_listed(const struct node *list, const char *name)
{
    for (int i = 0; lesson_item(list, i); i++)
        if (strcmp(lesson_item(list, i), name) == 0)
            return true;
    return false;
}

/* ---- the shipped lessons ----------------------------------------------------------------------------------------- */

static void test_every_lesson_is_true(void **state)
{
    (void)state;
    const char *const *names;
    size_t count = preset_names(PRESET_LESSON, &names), faults = 0;
    assert_int_equal(count, 18);
    for (size_t i = 0; i < count; i++) {
        struct errors errors = {0};
        begin(names[i]);
        lesson_audit(&tutor->play, &errors);
        for (size_t k = 0; k < errors.count; k++)
            print_error("%s\n", errors.line[k]);
        faults += errors.count;
        assert_string_equal(tutor->play.lesson.name->text, strchr(names[i], '-') + 1);
        for (size_t k = i; k < count; k++) /* what a lesson needs stands before it, so there is no circle */
            assert_false(is_listed(tutor->play.lesson.needs, strchr(names[k], '-') + 1));
        errors_free(&errors);
        tutor_free(tutor);
    }
    assert_int_equal(faults, 0);
}

/* Whatever the way to a step, its plan is the same; what the learner changed on the way is not in it. */
static void test_steps_are_the_same_in_both_directions(void **state)
{
    (void)state;
    const char *const *names;
    size_t count = preset_names(PRESET_LESSON, &names);
    struct check_random random = {17};
    for (size_t i = 0; i < count; i++) {
        struct plan there[LESSON_STEPS_MAX];
        begin(names[i]);
        int steps = tutor->play.lesson.steps;
        for (int step = 0; step < steps; step++) {
            assert_true(tutor_go(tutor, step));
            there[step] = tutor->own;
        }
        for (int step = steps - 1; step >= 0; step--) {
            assert_true(tutor_go(tutor, step));
            assert_memory_equal(&tutor->own, &there[step], sizeof there[step]);
        }
        for (int walk = 0; walk < 200; walk++) {
            int step = check_below(&random, steps);
            struct plan other = tutor->own;
            const char *key;
            other.value[PARAM_parallel_cp] = 3;
            tutor_edit(tutor, &other, &key);
            assert_true(tutor_go(tutor, step));
            assert_memory_equal(&tutor->own, &there[step], sizeof there[step]);
        }
        assert_false(tutor_go(tutor, steps));
        assert_false(tutor_go(tutor, -1));
        tutor_free(tutor);
    }
}

/* Every question takes its own answer and refuses another; every task its solution. */
static void test_answers_and_solutions_are_taken(void **state)
{
    (void)state;
    const char *const *names, *key;
    size_t count = preset_names(PRESET_LESSON, &names);
    int questions = 0, tasks = 0, of;
    for (size_t i = 0; i < count; i++) {
        begin(names[i]);
        for (int step = 0; step < tutor->play.lesson.steps; step++) {
            tutor_go(tutor, step);
            const struct lesson_ask *ask = &tutor_step(tutor)->ask;
            char said[ANSWER_TEXT_MAX];
            if (ask->line) {
                char *text = answer_text(&tutor->play, ask);
                enum answer_kind kind = answer_judge(&tutor->play, step, text, said);
                assert_that(kind == ANSWER_RIGHT, "%s %s: '%s' is not taken: %s", names[i], tutor_step(tutor)->id->text,
                            text, said);
                assert_int_not_equal(answer_judge(&tutor->play, step, "123456789", said), ANSWER_RIGHT);
                free(text);
                questions++;
            }
            if (tutor_step(tutor)->task.line) {
                assert_false(tutor_is_solved(tutor));
                struct plan solution = tutor->play.plan[step][PLAY_DONE];
                assert_true(tutor_edit(tutor, &solution, &key));
                assert_true(tutor_is_solved(tutor));
                tasks++;
            }
        }
        tutor_score(tutor, &of);
        tutor_free(tutor);
        assert_true(of > 0);
    }
    assert_int_equal(questions, 41);
    assert_int_equal(tasks, 5);
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

static const char small[] = "schema: 1\nname: small\ntitle: A small lesson\ngoal: Try.\ntake: Done.\nminutes: 5\n"
                            "plan: {model: llama3.2-1b, hardware.gpu: a100-sxm-80, hardware.nodes: 1, "
                            "hardware.gpus_per_node: 1,\n"
                            "  train.seq_length: 2048, train.micro_batch_size: 1, train.global_batch_size: 1}\n"
                            "steps:\n"
                            "- id: one\n  view: memory\n  look: [W]\n  note: It takes {W|GiB} and {O|GiB}, 12 bytes "
                            "each.\n"
                            "  check: [O == 12*P, fits]\n"
                            "  ask: {q: \"How many?\", answer: W/P, unit: .0, within: \"0\", hints: [two]}\n"
                            "- id: two\n  set: {parallel.tp: 1}\n  note: The same.\n"
                            "  task: {free: [train], until: [A > 2*@one:A], solution: {train.micro_batch_size: 4, "
                            "train.global_batch_size: 4}}\n"
                            "sources: [here]\n";

/* The small lesson with one text in the place of another. */
static char *changed(const char *from, const char *to)
{
    const char *at = strstr(small, from);
    assert_that(at, "'%s' is not in the lesson", from);
    return xasprintf("%.*s%s%s", (int)(at - small), small, to, at + strlen(from));
}

/* All messages on a lesson's text in fresh memory. */
static char *faults_of(const char *text)
{
    struct errors errors = {0};
    struct lesson lesson = {0};
    struct buffer out = {0};
    buffer_puts(&out, "");
    memset(tutor, 0, sizeof *tutor);
    if (lesson_read(text, strlen(text), "mine.yaml", &lesson, &errors) != 0)
        lesson_free(&lesson);
    else if (play_begin(&tutor->play, &lesson, &errors) == 0)
        lesson_audit(&tutor->play, &errors);
    for (size_t i = 0; i < errors.count; i++)
        buffer_printf(&out, "%s\n", errors.line[i]);
    tutor_free(tutor);
    errors_free(&errors);
    return out.text;
}

static void test_faults_have_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *said;
    } cases[] = {
        {"12*P", "8*P", "mine.yaml:14: one: the claim 'O == 8*P' is false"},
        {"12 bytes", "20 bytes", "mine.yaml:13: one: the note contains the literal number 20"},
        {"12 bytes", "1,234 bytes", "the literal number 1234;"},
        {"12 bytes", "2048 bytes", ""},
        {"12 bytes", "`20` bytes", ""},
        {"12 bytes", "H100 {!20} bytes", ""},
        {"minutes: 5", "minutes: 5\ngiven: [77]", "mine.yaml:7: one: 77 is given but not used in the note"},
        {"{W|GiB}", "{W|Gib}",
         "mine.yaml:13: one: 'It takes {W|Gib} and {O|GiB}, 12 bytes each....': unknown unit 'Gib'"},
        {"{W|GiB}", "{W", "has an unpaired brace"},
        {"{W|GiB}", "{memory.stages.0.nothing}", "'nothing' is not in the result"},
        {"{W|GiB}", "{plan.parallel.zz}", "'parallel.zz' is not a key"},
        {"{W|GiB}", "{@three:W|GiB}", "unknown step 'three'"},
        {"{W|GiB}", "{~nobody:x}", "unknown estimator 'nobody'"},
        {"{W|GiB}", "{memory.stages}", "the path selects several values"},
        {"{W|GiB}", "{W+}", "ends where a value is expected"},
        {"{W|GiB}", "{W/0|GiB}", ""},
        {"look: [W]", "look: [memory.nothing]", "mine.yaml:12: one: cannot highlight 'memory.nothing'"},
        {"view: memory", "view: mem", "mine.yaml:11: view: is not a view"},
        {"view: memory", "veiw: memory", "mine.yaml:11: veiw: is not a member here; did you mean view?"},
        {"  note: The same.\n", "", "note: is missing; add it"},
        {"id: two", "id: one", "mine.yaml:16: id: is already used by an earlier step"},
        {"schema: 1", "schema: 2", "mine.yaml:1: schema: unknown version"},
        {"parallel.tp: 1", "parallel.tp: 3", "mine.yaml:16: two: the plan is invalid"},
        {"parallel.tp: 1", "parallel.tq: 1", "mine.yaml:17: parallel.tq: is not a key"},
        {"parallel.tp: 1", "parallel.tp: lots", "mine.yaml:17: parallel.tp: "},
        {"note: The same.", "note: The same.\n  invalid: true", "two: the plan is valid; remove invalid"},
        {"note: The same.", "note: The same.\n  from: two", "from: is not an earlier step"},
        {"note: The same.", "note: Every operator of a layer.\n  figure: memory", "use figure: layers"},
        {"note: The same.", "note: The same.\n  figure: cake", "figure: is not a figure"},
        {"note: The same.", "note: The same.\n  figure: memory\n  look: [layers.2.saved_bytes]",
         "the figure memory does not show 'layers.2.saved_bytes'; use figure: layers"},
        {"look: [W]", "look: [W]\n  mark: memory.stages.0.weights_bytes", ""},
        {"look: [W]", "mark: memory.stages.0.butter_bytes", "cannot mark 'memory.stages.0.butter_bytes'"},
        {"look: [W]", "mark: layers.2.saved_bytes", "the figure memory does not show 'layers.2.saved_bytes'"},
        {"note: The same.", "note: It falls.\n  figure: curve\n  sweep: train.seq_length=1024,2048", ""},
        {"note: The same.", "note: It falls.\n  figure: curve", "a curve goes over one key"},
        {"note: The same.", "note: It falls.\n  figure: curve\n  sweep: tp=1,2 pp=1,2", "a curve goes over one key"},
        {"note: The same.", "note: A map.\n  figure: map\n  sweep: tp=1,2", "a map goes over two keys"},
        {"note: The same.", "note: The same.\n  sweep: tp=1,2", "belongs to a map or a curve; add figure: curve"},
        {"within: \"0\"", "within: \"100%\"", "mine.yaml:15: one: accepts 0 or twice the answer"},
        {"within: \"0\"", "within: near", "invalid tolerance 'near'"},
        {"answer: W/P", "answer: time.nothing", "the answer 'time.nothing' is unknown"},
        {"answer: W/P, unit: .0, within: \"0\"", "choices: [{text: a, when: fits}, {text: b, right: true}]",
         "exactly one choice must be correct"},
        {"answer: W/P, unit: .0, within: \"0\"", "choices: [{text: a}, {text: a, right: true}]",
         "two choices have the same text"},
        {"answer: W/P, unit: .0, within: \"0\"", "choices: [{text: a, when: fist}, {text: b, right: true}]",
         "'fist' is not in the result"},
        {"answer: W/P, ", "", "ask: needs either answer or choices"},
        {"A > 2*@one:A", "A > 9*@one:A", "two: the solution does not meet 'A > 9*@one:A'"},
        {"A > 2*@one:A", "A > 0", "two: the task is done before it begins"},
        {"free: [train]", "free: [parallel]", "the solution sets train.micro_batch_size, which is not free"},
        {"minutes: 5", "minutes: 5\nneeds: [nobody]", "mine.yaml:7: needs: unknown lesson 'nobody'"},
        {"sources: [here]", "sources: []", "sources: is empty"},
        {"steps:", "steps: []\nsteps:", "steps: is given twice"},
    };
    char *good = faults_of(small);
    assert_string_equal(good, "");
    free(good);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *text = changed(cases[i].from, cases[i].to), *said = faults_of(text);
        bool is_said = *cases[i].said ? check_mentions(said, cases[i].said) : *said == '\0';
        assert_that(is_said, "'%s' for '%s': %s", cases[i].to, cases[i].from, said);
        free(said);
        free(text);
    }
}

/* ---- expressions and units --------------------------------------------------------------------------------------- */

static bool no_names(void *context, const char *path, size_t size, struct expr_value *out, char *why)
{
    (void)context;
    *out = (struct expr_value){0};
    if (size == 4 && memcmp(path, "none", 4) == 0)
        return true;
    *out = (struct expr_value){.kind = EXPR_WORD};
    snprintf(out->word, sizeof out->word, "%.*s", (int)size, path);
    snprintf(why, EXPR_WHY_MAX, "there is none");
    return size < 3;
}

static void test_expressions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value; /* NAN: unknown; INFINITY: refused */
    } cases[] = {
        {"1+2*3", 7}, {"(1+2)*3", 9}, {"-2*-3", 6}, {"7/2", 3.5}, {"1/0", NAN}, {"2-3-4", -5}, {"1e3+1.5e-1", 1000.15},
        {"min(3, 1, 2)", 1}, {"max(3,1)", 3}, {"abs(-4)", 4}, {"round(2.5)", 3}, {"1 < 2", 1}, {"2 <= 1", 0},
        {"1 == 1 and 2 > 3", 0},
        {"1 == 2 or not 1 == 2", 1}, {"ab == ab", 1}, {"ab != cd", 1}, {"ab == 1", NAN}, {"none > 1", NAN},
        {"not none", NAN},
        {"none and 1", 0}, {"none or 1", 1}, {"min(none, 1)", NAN}, {"1 +", INFINITY}, {"", INFINITY}, {"(1", INFINITY},
        {"1 2", INFINITY},
        {"min()", INFINITY}, {"abs(1,2)", INFINITY}, {"abcdef", INFINITY}, {"1..2", INFINITY}, {"1e999", INFINITY},
        {"0x10", INFINITY}, {"min(1,2,3,4,5,6,7,8,9)", INFINITY}, {"1 = 1", INFINITY},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct expr_value value;
        char why[EXPR_WHY_MAX] = "";
        int result = expr_evaluate(cases[i].text, strlen(cases[i].text), no_names, NULL, &value, why);
        assert_that((result == 0) == !isinf(cases[i].value), "'%s': %s", cases[i].text, why);
        if (result == 0 && isnan(cases[i].value))
            assert_int_equal(value.kind, EXPR_UNKNOWN);
        else if (result == 0)
            assert_that(value.kind == EXPR_NUMBER && fabs(value.number - cases[i].value) < 1e-9, "'%s'", cases[i].text);
    }
}

static void test_expressions_end(void **state)
{
    (void)state;
    struct expr_value value;
    char why[EXPR_WHY_MAX], text[1001];
    memset(text, '(', 40);
    assert_int_equal(expr_evaluate(text, 40, no_names, NULL, &value, why), -1);
    assert_non_null(strstr(why, "nested too deeply"));
    memset(text, '-', 40);
    text[40] = '1';
    assert_int_equal(expr_evaluate(text, 41, no_names, NULL, &value, why), -1);
    memset(text, '1', 1000);
    assert_int_equal(expr_evaluate(text, 1000, no_names, NULL, &value, why), -1);
    assert_non_null(strstr(why, "longer than 900"));
}

static void test_numbers_are_written_with_their_unit(void **state)
{
    (void)state;
    static const struct {
        const char *format;
        double value;
        const char *text;
    } cases[] = {
        {"GiB", 0x1p30, "1.00 GiB"}, {"GB.1", 1.26e9, "1.3 GB"}, {"%", 0.156, "15.6%"}, {"%.0", 0.156, "16%"},
        {"s", 3.439, "3.44 s"},
        {"s", 25.86, "25.9 s"}, {"s", 133, "133 s"}, {"ms", 0.0479, "47.9 ms"}, {"us", 12.34e-6, "12.3 us"},
        {"n", 1234567, "1,234,567"}, {"n", 999, "999"},
        {"n", -1234, "-1,234"}, {"B", 1.236e9, "1.24 billion"}, {"x.1", 11.42, "11.4x"}, {"$", 1234567, "$1.23M"},
        {"$", 950, "$950"},
        {"", 131072, "131072"}, {"", 0.12345, "0.123"}, {".2", 1.999, "2.00"}, {"TFLOP.0", 5.3e14, "530 TFLOP"},
        {"GiB", NAN, "n/a"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct unit_format format;
        char text[UNIT_TEXT_MAX];
        assert_true(unit_find(cases[i].format, strlen(cases[i].format), &format));
        unit_write(&format, cases[i].value, text);
        assert_string_equal(text, cases[i].text);
    }
    struct unit_format format;
    assert_false(unit_find("gib", 3, &format));
    assert_false(unit_find("GiB.", 4, &format));
    assert_false(unit_find("GiB.12", 6, &format));
}

static void test_answers_are_read_with_any_unit_of_their_kind(void **state)
{
    (void)state;
    static const struct {
        const char *format, *typed;
        double value; /* NAN: refused */
    } cases[] = {
        {"GB.1", "29.2", 29.2e9}, {"GB.1", "29.2GB", 29.2e9}, {"GB.1", "29.2 gb", 29.2e9},
        {"GB.1", "27.15GiB", 27.15 * 0x1p30},
        {"GiB", "1,024 MiB", 0x1p30}, {"%", "8.6", 0.086}, {"%", "8.6%", 0.086}, {"s", "250 ms", 0.25},
        {"", "1.22", 1.22}, {"", "7/71", 7.0 / 71},
        {"B", "1.3 billion", 1.3e9}, {"GB", "3 s", NAN}, {"s", "soon", NAN}, {"s", "", NAN}, {"n", "15,000", 15000},
        {"", "2x", 2},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct unit_format format;
        double value;
        assert_true(unit_find(cases[i].format, strlen(cases[i].format), &format));
        bool is_read = unit_read(&format, cases[i].typed, &value);
        assert_that(is_read == !isnan(cases[i].value), "'%s'", cases[i].typed);
        if (is_read)
            assert_near(value, cases[i].value, 1e-9);
    }
}

/* ---- a learner --------------------------------------------------------------------------------------------------- */

/* What is said to an answer holds `part`. */
static void answer(const char *typed, const char *part)
{
    char *said = tutor_answer(tutor, typed);
    assert_that(strstr(said, part), "'%s' to '%s', not '%s'", said, typed, part);
    free(said);
}

static void test_a_wrong_answer_says_how(void **state)
{
    (void)state;
    begin("pipeline");
    tutor_go(tutor, tutor_find(tutor, "stage0"));
    answer("what", "answer with a number");
    answer("40", "no: off by the factor pp");
    answer("10", "no: a factor of two too high");
    assert_int_equal(tutor->at[tutor->step].tries, 2);
    answer("4", "answer: 5");
    assert_true(tutor->at[tutor->step].is_shown);
    assert_false(tutor->at[tutor->step].is_right);
    tutor_free(tutor);
    begin("what-fills-a-gpu");
    answer("d", "no, not 4");
    answer("o opt", "right\nanswer: O optimizer states");
    tutor_go(tutor, 1);
    char text[UNIT_TEXT_MAX];
    struct unit_format gib;
    double device = play_answer(&tutor->play, &tutor_step(tutor)->ask);
    assert_true(unit_find("GiB.2", 5, &gib));
    unit_write(&gib, device, text);
    answer(text, "right");                      /* 26.77 GiB, with its unit */
    *strchr(text, ' ') = '\0';
    answer(text, "no: GB and GiB differ");
    answer("5", "no: too low by");
    tutor_free(tutor);
}

static void test_a_task_leaves_other_keys_alone(void **state)
{
    (void)state;
    const char *key;
    int of;
    begin("capstone-70b");
    tutor_go(tutor, tutor_find(tutor, "vpp"));
    struct plan plan = tutor->own;
    plan.value[PARAM_train_micro_batch_size] = 2;
    assert_false(tutor_edit(tutor, &plan, &key));
    assert_string_equal(key, "train.micro_batch_size");
    plan = tutor->own;
    plan.value[PARAM_parallel_vpp] = 4;
    assert_true(tutor_edit(tutor, &plan, &key));
    assert_true(tutor->is_edited);
    int met = tutor_met(tutor, &of); /* another solution than the file's */
    assert_int_equal(met, of);
    tutor_go(tutor, tutor->step); /* takes the changes back */
    assert_false(tutor->is_edited);
    assert_int_equal(tutor_find(tutor, "8"), 7);
    assert_int_equal(tutor_find(tutor, "0"), -1);
    assert_int_equal(tutor_find(tutor, "nowhere"), -1);
    tutor_free(tutor);
}

/* ---- what a lesson says of a search ------------------------------------------------------------------------------ */

static void test_the_capstone_ends_with_the_first_of_a_search(void **state)
{
    (void)state;
    static const enum param keys[] = {PARAM_parallel_tp, PARAM_parallel_cp, PARAM_parallel_pp, PARAM_parallel_vpp};
    begin("capstone-70b");
    struct search *search = calloc(1, sizeof *search);
    struct search_ask ask;
    struct plan best, *last;
    search_ask_about(&tutor->play.plan[0][PLAY_START], &ask);
    ask.top = 1;
    ask.space.free &= ~(1u << SEARCH_SHARDING | 1u << SEARCH_SPLIT);
    assert_true(search_begin(search, &ask, 0, 1));
    while (search_step(search, 1 << 20))
        ;
    assert_int_equal(search->answer.count, 1);
    search_plan(&ask, &search->answer.best[0], &best);
    last = &tutor->play.plan[tutor->play.lesson.steps - 1][PLAY_START];
    for (size_t i = 0; i < COUNT(keys); i++)
        assert_that(best.value[keys[i]] == last->value[keys[i]], "the search says %s %g", param_rows[keys[i]].key,
                    best.value[keys[i]]);
    free(search);
    tutor_free(tutor);
}

/* ---- drafts ------------------------------------------------------------------------------------------------------ */

/* A lesson made of plans is true as it is, and its steps have these plans. */
static void test_a_draft_has_the_plans_that_it_is_made_of(void **state)
{
    (void)state;
    static const char *const settings[][2] = {{"parallel.tp", "2"}, {"model", "llama3-8b"},
                                              {"parallel.pipeline_layout", "[16,16]"},
                                              {"model.num_layers", "30"}, {"parallel.tp", ""}, {"cluster", "dgx-h100"}};
    enum { PLANS = COUNT(settings) + 1 };
    static struct plan plans[PLANS];
    struct errors errors = {0};
    struct lesson lesson = {0};
    struct buffer text = {0};
    plan_clear(&plans[0]);
    assert_int_equal(plan_load_preset(&plans[0], "first-steps", &errors), 0);
    for (size_t i = 0; i < COUNT(settings); i++) {
        const struct plan_source source = {.from = FROM_SET};
        struct keyvals list = {0};
        keyvals_add(&list, settings[i][0], settings[i][1], 0);
        plans[i + 1] = plans[i];
        assert_that(plan_apply(&plans[i + 1], &list, &source, &errors) == 0, "%s", errors.line[0]);
        keyvals_free(&list);
    }
    draft_write(&text, "mine", plans, PLANS);
    memset(tutor, 0, sizeof *tutor);
    assert_that(lesson_read(text.text, text.size, "mine.yaml", &lesson, &errors) == 0, "%s\n%s", errors.line[0],
                text.text);
    if (play_begin(&tutor->play, &lesson, &errors) == 0)
        lesson_audit(&tutor->play, &errors);
    assert_that(errors.count == 0, "%s\n%s", errors.count ? errors.line[0] : "", text.text);
    assert_int_equal(tutor->play.lesson.steps, PLANS);
    for (int i = 0; i < PLANS; i++)
        assert_that(plan_equal(&tutor->play.plan[i][PLAY_START], &plans[i]), "step %d has another plan\n%s", i + 1,
                    text.text);
    buffer_free(&text);
    errors_free(&errors);
    tutor_free(tutor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_lesson_is_true),
        cmocka_unit_test(test_steps_are_the_same_in_both_directions),
        cmocka_unit_test(test_answers_and_solutions_are_taken),
        cmocka_unit_test(test_faults_have_their_line),
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_expressions_end),
        cmocka_unit_test(test_numbers_are_written_with_their_unit),
        cmocka_unit_test(test_answers_are_read_with_any_unit_of_their_kind),
        cmocka_unit_test(test_a_wrong_answer_says_how),
        cmocka_unit_test(test_a_task_leaves_other_keys_alone),
        cmocka_unit_test(test_a_draft_has_the_plans_that_it_is_made_of),
        cmocka_unit_test(test_the_capstone_ends_with_the_first_of_a_search),
    };
    return cmocka_run_group_tests(tests, make, release);
}
