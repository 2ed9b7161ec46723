/* Exercises: the same seed asks the same, every answer is taken and no other; sheets are graded; lessons on paper. */
#include "tests/check.h"

#include "src/cli/verbs/verbs.h"
#include "src/course/exercise.h"
#include "src/course/handout.h"
#include "src/course/play.h"
#include "src/text/csv_in.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/text.h"
#include "src/text/write.h"

#include <dirent.h>
#include <unistd.h>

static struct exercise e, other;

static void test_a_seed_asks_the_same_questions(void **state)
{
    (void)state;
    static const struct {
        int number;
        const char *text, *choice; /* the first */
    } known[] = {
        {1, "llama2-13b on 2 x dgx-h100, 4096 tokens, global batch 256: which of these layouts fits",
         "tp 4 pp 4 cp 1 mbs 4 recompute none"},
        {2, "qwen2.5-32b on 8 x dgx-h100, 8192 tokens, global batch 256, tp 1 pp 8 cp 1 mbs 4 recompute full: the "
            "fullest GPU needs", NULL},
        {3, "mixtral-8x7b on 4 x dgx-h100, 4096 tokens, global batch 256: all fit; which is the fastest?",
         "tp 4 pp 4 cp 2 mbs 1 ep 8 recompute full"},
        {6, "mixtral-8x7b on 4 x dgx-h100, 4096 tokens, global batch 256, tp 4 pp 1 cp 2 mbs 1 ep 1 recompute none, "
            "order tp-cp-ep-dp-pp", NULL},
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        assert_int_equal(exercise_make(2026, known[i].number, 0, EXERCISE_LEVEL, &e), 0);
        assert_that(strncmp(e.text, known[i].text, strlen(known[i].text)) == 0, "%d: %s", known[i].number, e.text);
        if (known[i].choice)
            assert_string_equal(e.choice[0], known[i].choice);
        assert_int_equal(exercise_make(2026, known[i].number, 0, EXERCISE_LEVEL, &other), 0);
        assert_string_equal(e.text, other.text);
        assert_string_equal(e.because, other.because);
    }
}

/* Nothing but the right letter, or a number near the right one. */
static void check_question(const struct exercise *q)
{
    char answer[EXERCISE_CHOICE_MAX], typed[64];
    exercise_answer(q, answer);
    assert_that(exercise_is_right(q, answer), "%s: '%s' is not taken", q->text, answer);
    assert_false(exercise_is_right(q, ""));
    assert_false(exercise_is_right(q, "x"));
    for (int i = 0; i < q->choices; i++) {
        snprintf(typed, sizeof typed, "%c", 'A' + i);
        assert_int_equal(exercise_is_right(q, typed), i == (int)q->answer);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(q->choice[i], q->choice[k]);
    }
    if (q->choices || q->kind == EXERCISE_CROSSES)
        return;
    assert_true(isfinite(q->answer) && q->answer > 0 && q->within > 0 && q->within < 0.5);
    for (int i = -1; i <= 1; i++) {
        snprintf(typed, sizeof typed, "%.9g%s", q->answer * (1 + 0.9 * i * q->within), q->unit);
        assert_true(exercise_is_right(q, typed));
        snprintf(typed, sizeof typed, "%.9g", q->answer * (1 + 1.1 * i * q->within));
        assert_int_equal(exercise_is_right(q, typed), i == 0);
    }
}

static void test_every_kind_has_questions(void **state)
{
    (void)state;
    int missing = 0;
    for (int seed = 1; seed <= 60; seed++)
        for (int i = 1; i <= EXERCISE_KINDS; i++) {
            assert_int_equal(exercise_make((uint64_t)seed, i, 0, EXERCISE_LEVEL, &e), 0);
            missing += (int)e.kind != i - 1;
            check_question(&e);
        }
    assert_at_most(missing, 5);
    assert_int_equal(exercise_make(5, 1, 1u << EXERCISE_KV, EXERCISE_LEVEL, &e), 0);
    assert_int_equal(e.kind, EXERCISE_KV);
}

/* Level 1 has one node; level 3 has several, experts, fp8 and layers that the embedding and the loss count as. */
static void test_levels_have_their_plans(void **state)
{
    (void)state;
    bool has_experts = false, has_fp8 = false, has_counted = false;
    for (int seed = 1; seed <= 8; seed++)
        for (int i = 1; i <= EXERCISE_KINDS; i++) {
            assert_int_equal(exercise_make((uint64_t)seed, i, 0, 1, &e), 0);
            check_question(&e);
            if (e.kind != EXERCISE_KV)
                assert_non_null(strstr(e.text, " on 1 x "));
            assert_int_equal(exercise_make((uint64_t)seed, i, 0, 3, &e), 0);
            check_question(&e);
            assert_null(strstr(e.text, " on 1 x "));
            has_experts |= strstr(e.text, "mixtral") != NULL;
            has_fp8 |= strstr(e.text, "fp8") != NULL;
            has_counted |= strstr(e.text, "as a layer each") != NULL;
        }
    assert_true(has_experts && has_fp8 && has_counted);
}

/* One node has no groups that span nodes, and that costs no search. */
static void test_kinds_without_a_plan_are_refused(void **state)
{
    (void)state;
    assert_int_equal(exercise_make(1, 1, 1u << EXERCISE_CROSSES, 1, &e), -1);
    assert_int_equal(exercise_make(1, 1, 1u << EXERCISE_CROSSES, 2, &e), 0);
}

/* What is known well comes seldom. */
static void test_kinds_are_drawn_by_weight(void **state)
{
    (void)state;
    int weight[EXERCISE_KINDS] = {16, 1}, drawn[EXERCISE_KINDS] = {0};
    for (int i = 1; i <= 1700; i++)
        drawn[exercise_draw(7, i, weight)]++;
    assert_int_equal(drawn[0] + drawn[1], 1700);
    assert_between(drawn[1], 70, 130);
}

/* ---- for a class ------------------------------------------------------------------------------------------------- */

static void test_a_sheet_with_its_key_is_all_right(void **state)
{
    (void)state;
    struct cli cli = {.verb = VERB_EXERCISE, .seed = "17", .sheet = "3", .key = true};
    struct errors errors = {0};
    struct buffer sheet = {0}, answers = {0}, grades = {0};
    struct csv csv;
    assert_int_equal(verb_exercise(&cli, NULL, &sheet, &errors), STATUS_DONE);
    assert_int_equal(csv_open(&csv, sheet.text, sheet.size, NULL, "sheet", &errors), 0);
    buffer_puts(&answers, "student,question,answer\n");
    int rows = 0;
    for (; csv_next(&csv); rows++)
        buffer_printf(&answers, "%s,%s,%s\n", csv.cell[csv_column(&csv, "student")],
                      csv.cell[csv_column(&csv, "question")],
                      rows == 4 ? "nothing" : csv.cell[csv_column(&csv, "answer")]);
    csv_close(&csv);
    assert_int_equal(rows, 27);
    char path[] = "/tmp/test_exercise.XXXXXX";
    int file = mkstemp(path);
    assert_int_equal(write(file, answers.text, answers.size), (ssize_t)answers.size);
    close(file);
    cli.grade = path;
    assert_int_equal(verb_exercise(&cli, NULL, &grades, &errors), STATUS_DONE);
    assert_non_null(strstr(grades.text, "1,8,9\r\n2,9,9\r\n3,9,9\r\n"));
    assert_non_null(strstr(grades.text, "5,2,3\r\n"));
    assert_int_equal(write_file(path, "student,question,answer\n1,no,a\n", 31, 0, &errors), 0);
    assert_int_equal(verb_exercise(&cli, NULL, &grades, &errors), STATUS_INPUT);
    assert_true(check_mentions(errors.line[0], ":2: student: student and question are not numbers of the sheet"));
    unlink(path);
    errors_free(&errors);
    buffer_free(&sheet);
    buffer_free(&answers);
    buffer_free(&grades);
}

static void test_mistakes_are_said(void **state)
{
    (void)state;
    static const struct {
        struct cli cli;
        const char *said;
    } cases[] = {
        {{.seed = "x"}, "--seed: 'x' is not a whole number"}, {{.sheet = "3"}, "--seed: missing"},
        {{.seed = "1", .kind = "fits,nothing"}, "--kind: unknown kind 'nothing'"},
        {{.seed = "1", .count = "99999"}, "--count: '99999' is not a whole number up to 1000"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct errors errors = {0};
        struct buffer out = {0};
        assert_int_equal(verb_exercise(&cases[i].cli, NULL, &out, &errors), STATUS_INPUT);
        assert_that(check_mentions(errors.line[0], cases[i].said), "%s", errors.line[0]);
        errors_free(&errors);
        buffer_free(&out);
    }
}

/* ---- on paper ---------------------------------------------------------------------------------------------------- */

/* What a command prints whose plan lies in a folder. */
static void run_in(const char *folder, const char *command, size_t length, struct buffer *out)
{
    enum { WORDS_MAX = 40 };
    char text[2048], *argv[WORDS_MAX] = {NULL}, *rest = NULL, *plan = NULL;
    struct cli cli = {0};
    struct errors errors = {0};
    int argc = 0;
    snprintf(text, sizeof text, "%.*s", (int)length, command);
    for (char *word = strtok_r(text, " '", &rest); word && argc < WORDS_MAX; word = strtok_r(NULL, " '", &rest))
        argv[argc++] = word;
    plan = xasprintf("%s/%s", folder, argv[2]);
    argv[2] = plan;
    assert_int_equal(cli_parse(&cli, argc, argv, &errors), 0);
    assert_that(cli_run_verb(&cli, out, &errors) == STATUS_DONE, "%s: %s", command, errors.count ? errors.line[0] : "");
    cli_free(&cli);
    errors_free(&errors);
    free(plan);
}

/* Every figure that the page names is there, is a whole SVG, and what the command below it prints; returns how many. */
static int check_figures(const char *folder, const char *page)
{
    int count = 0;
    for (const char *at = page; (at = strstr(at, "](")); at++) {
        struct errors errors = {0};
        struct buffer again = {0};
        size_t size;
        char *path = xasprintf("%s/%.*s", folder, (int)strcspn(at + 2, ")"), at + 2);
        char *svg = file_read(path, &size, &errors);
        const char *command = strchr(at, '`') + 1;
        assert_that(svg, "no %s", path);
        assert_true(strncmp(svg, "<svg", 4) == 0);
        assert_true(text_ends_with(svg, "</svg>\n"));
        run_in(folder, command, strcspn(command, "`"), &again);
        assert_string_equal(again.text, svg);
        buffer_free(&again);
        free(svg);
        free(path);
        errors_free(&errors);
        count++;
    }
    return count;
}

static void empty(const char *folder)
{
    DIR *files = opendir(folder);
    for (const struct dirent *file; files && (file = readdir(files));) {
        char *path = xasprintf("%s/%s", folder, file->d_name);
        unlink(path);
        free(path);
    }
    closedir(files);
}

static void test_a_handout_has_its_figures(void **state)
{
    (void)state;
    static struct play play;
    char folder[] = "/tmp/test_handout.XXXXXX";
    struct errors errors = {0};
    size_t size, again_size;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(play_load(&play, "pipeline", &errors), 0);
    char *path = xasprintf("%s/pipeline.md", folder);
    assert_int_equal(handout_write(&play, folder, true, &errors), 0);
    char *page = file_read(path, &size, &errors);
    assert_int_equal(handout_write(&play, folder, true, &errors), 0);
    char *again = file_read(path, &again_size, &errors);
    assert_string_equal(page, again);
    assert_non_null(strstr(page, "# The pipeline, its bubble and its schedules\n"));
    assert_non_null(strstr(page, "**Question.** Stage 3 keeps how many micro-batches?"));
    assert_non_null(strstr(page, "## Answers"));
    assert_non_null(strstr(page, "- **bubble**: "));
    assert_true(check_figures(folder, page) >= 10);
    empty(folder);
    assert_int_equal(handout_write(&play, "/nonexistent/folder", false, &errors), -1);
    play_free(&play);
    free(page);
    free(again);
    free(path);
    errors_free(&errors);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_seed_asks_the_same_questions),
        cmocka_unit_test(test_every_kind_has_questions),
        cmocka_unit_test(test_levels_have_their_plans),
        cmocka_unit_test(test_kinds_without_a_plan_are_refused),
        cmocka_unit_test(test_kinds_are_drawn_by_weight),
        cmocka_unit_test(test_a_sheet_with_its_key_is_all_right),
        cmocka_unit_test(test_mistakes_are_said),
        cmocka_unit_test(test_a_handout_has_its_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
