/* Lessons on the screen: steps, answers, tasks; what is set aside comes back; every size draws. */
#include "tests/screen.h"
#include "tests/host.h"

#include "src/course/follow.h"
#include "src/course/progress.h"
#include "src/course/tutor.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/lesson_marks.h"
#include "ui/state/advisor.h"

#include <locale.h>
#include <unistd.h>

static struct plan start_plan;
static char state_folder[] = "/tmp/test_ui_lesson.XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    setlocale(LC_CTYPE, "C.UTF-8");
    progress_on();
    return mkdtemp(state_folder) ? setenv("XDG_STATE_HOME", state_folder, 1) : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const files[] = {"lessons.yaml", "lines"}; /* the command line keeps its own */
    char *folder = xasprintf("%s/shardtop", state_folder);
    for (size_t i = 0; i < COUNT(files); i++) {
        char *file = xasprintf("%s/%s", folder, files[i]);
        unlink(file);
        free(file);
    }
    rmdir(folder);
    free(folder);
    return rmdir(state_folder);
}

static struct ui *make(int width, int height)
{
    struct ui_options options = {.plan = &start_plan, .ascii = true};
    char why[UI_MESSAGE_MAX] = "";
    plan_clear(&start_plan);
    assert_that(test_host()->load(test_session(), "configs/plans/default.yaml", &start_plan, why) == 0, "%s", why);
    struct ui_host *host = malloc(sizeof *host);
    *host = *test_host();
    host->autosave = NULL;
    struct ui *ui = ui_create(host, &options, width, height);
    assert_non_null(ui);
    ui_update(ui);
    return ui;
}

static void end(struct ui *ui)
{
    const struct ui_host *host = ui->host;
    host->lessons->close(host->context);
    ui_free(ui);
    free((void *)host);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static void test_a_step_shows_its_plan_note_and_question(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, ": `lesson pipeline` ENTER");
    assert_int_equal(ui->mode, MODE_LESSON);
    assert_int_equal(ui->view, PANE_SCHEDULE);
    expect(ui, "pipeline 1/15 bubble");
    play(ui, "SPACE SPACE SPACE SPACE");
    expect(ui, "pipeline 5/15 stage0");
    expect(ui, "Who holds what?");
    expect(ui, "? Stage 3 keeps how many micro-batches?");
    expect(ui, "look: stage 0, activations kept for backward at the peak: 16.08 GiB (1 of 2)");
    expect(ui, ">16.1<");
    expect(ui, ">2.0<");
    assert_int_equal(ui->view, PANE_MEMORY);
    assert_int_equal(ui->stage, 0);
    play(ui, "l");
    expect(ui, "look: stage 7, activations kept for backward at the peak: 2.01 GiB (2 of 2)");
    assert_int_equal(ui->stage, 7);
    play(ui, "BSPACE");
    expect(ui, "pipeline 4/15 gbsfixed");
    play(ui, "BSPACE BSPACE BSPACE BSPACE");
    expect(ui, "this is the first step");
    play(ui, "g `vpp4` ENTER");
    expect(ui, "pipeline 10/15 vpp4");
    play(ui, ": `lesson 15` ENTER SPACE");
    expect(ui, "To take away:");
    play(ui, ": `lesson zero` ENTER : `lesson 13` ENTER 2 SPACE"); /* an answer does not keep the end away */
    expect(ui, "To take away:");
    end(ui);
}

/* From 100 columns on the text takes one half, one figure the other, and the time of the iteration stands below it. */
static void test_text_and_figure_share_a_wide_screen(void **state)
{
    (void)state;
    struct ui *ui = make(120, 40);
    play(ui, ": `lesson pipeline` ENTER : `lesson balance` ENTER");
    expect(ui, "step 14 of 15");
    expect(ui, "Question ====");
    expect(ui, " 2  slower");
    assert_true(ui->layout.is_halved);
    assert_int_equal(ui->layout.slots, 1);
    play(ui, "2");
    expect(ui, "no, not 2");
    expect(ui, "answer 1 to 3");
    play(ui, "1");
    expect(ui, "answer: faster");
    play(ui, "e ESC");
    assert_int_equal(ui->mode, MODE_LESSON); /* what opened over the lesson closes to it */
    play(ui, ": `lesson gbsfixed` ENTER");
    assert_int_equal(ui->layout.slots, 2);
    assert_true(ui->layout.slot[0].pane == PANE_SCHEDULE && ui->layout.slot[1].pane == PANE_TIME);
    assert_true(ui->schedule.is_whole);
    play(ui, "TAB");
    assert_false(ui->layout.is_halved);
    expect(ui, "tp   tensor");
    play(ui, "C");
    assert_true(ui->layout.is_halved);
    end(ui);
}

/* No step shows which answer is right before it is given. */
static void test_right_answers_are_not_shown_before(void **state)
{
    (void)state;
    const char *const *names, *const *titles;
    struct ui *ui = make(120, 40);
    size_t count = ui->host->lessons->list(ui->host->context, &names, &titles);
    for (size_t i = 0; i < count; i++) {
        lesson_begin(ui, names[i], "1");
        for (int step = 0; step == ui->host->lessons->page(test_session())->step; step++) {
            const struct ui_lesson *page = ui->host->lessons->page(test_session());
            assert_that(page->right < 0 || page->chain[step].mark == '+', "%s %s", page->name, page->id);
            play(ui, "SPACE");
        }
    }
    end(ui);
}

/* True for a value that a view has a cell for; others stand in the message line. */
static bool has_cell(const char *path)
{
    return (strncmp(path, "memory.stages.", 14) == 0 && !strstr(path, "peak_at")) ||
           strncmp(path, "time.stages.", 12) == 0 || strncmp(path, "communication.", 14) == 0 ||
           strncmp(path, "layers.", 7) == 0;
}

/* What a step marks is in the colour of a warning, in bar and table; a curve shows what is looked at over one key. */
static void test_parts_are_marked_and_curves_drawn(void **state)
{
    (void)state;
    struct ui *ui = make(120, 40);
    lesson_begin(ui, "what-fills-a-gpu", "gradients");
    ui_update(ui);
    assert_true(lesson_marks_part(ui, "memory.", "gradients_bytes"));
    assert_false(lesson_marks_part(ui, "memory.", "weights_bytes"));
    assert_false(lesson_marks_part(ui, "time.waterfall", "gradients_bytes"));
    lesson_begin(ui, "pipeline", "bubble");
    ui_update(ui);
    assert_true(lesson_marks_part(ui, "time.waterfall", "bubble"));
    lesson_begin(ui, "pipeline", "m64");
    ui_update(ui);
    advisor_finish(ui);
    ui_update(ui);
    expect(ui, "bubble, share");
    expect(ui, "[0.0859:]");
    end(ui);
}

/* The values at which a step looks are marked where they stand. */
static void test_what_a_step_looks_at_is_marked(void **state)
{
    (void)state;
    static const struct { int width, height; } sizes[] = {{80, 24}, {120, 40}};
    const char *const *names, *const *titles;
    struct ui *ui = make(80, 24);
    size_t count = ui->host->lessons->list(ui->host->context, &names, &titles);
    for (size_t i = 0; i < count * COUNT(sizes); i++) {
        ui_resize(ui, sizes[i % COUNT(sizes)].width, sizes[i % COUNT(sizes)].height);
        lesson_begin(ui, names[i / COUNT(sizes)], "1");
        for (int step = 0; step == ui->host->lessons->page(test_session())->step; step++) {
            const struct ui_lesson *page = ui->host->lessons->page(test_session());
            ui_update(ui);
            int wanted = 0;
            for (int k = 0; k < page->looks; k++)
                wanted += has_cell(page->look[k]);
            assert_that(ui->marks.count >= wanted, "%dx%d %s %s: %d of %d are marked", ui->width, ui->height,
                        page->name, page->id, ui->marks.count, wanted);
            play(ui, "SPACE");
        }
    }
    end(ui);
}

static void test_answers_are_judged(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, ": `lesson pipeline` ENTER : `lesson stage0` ENTER 4 0 BSPACE ENTER");
    expect(ui, "no: too low by 20 %");
    play(ui, "1 0 ENTER");
    expect(ui, "a factor of two too high");
    play(ui, "5 ENTER");
    expect(ui, "right");
    expect(ui, "answer: 5");
    play(ui, ": `lesson balance` ENTER c");
    expect(ui, "no, not 3");
    play(ui, "a");
    expect(ui, "answer: faster");
    play(ui, "h");
    expect(ui, "no more hints here");
    end(ui);
}

static void test_a_task_is_ticked_off(void **state)
{
    (void)state;
    struct ui *ui = make(120, 40);
    play(ui, ": `lesson capstone-70b` ENTER : `lesson vpp` ENTER");
    expect(ui, "task: [x] fits  [ ] it < 0.99*@task3_done:it");
    play(ui, "TAB : `micro_batch_size 2` ENTER");
    expect(ui, "this task does not change train.micro_batch_size");
    assert_true(plan_equal(&ui->plan, ui->host->lessons->page(test_session())->plan));
    play(ui, ": `vpp 4` ENTER");
    expect(ui, "[x] it < 0.99*@task3_done:it");
    expect(ui, "done: vpp 4");
    expect(ui, "yours: r resets");
    play(ui, "u");
    expect(ui, "[ ] it < 0.99*@task3_done:it");
    play(ui, "C r");
    expect_not(ui, "yours: r resets");
    end(ui);
}

static void test_presenting_a_note_comes_by_sentences(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, "F11 : `lesson pipeline` ENTER : `lesson stage0` ENTER");
    expect(ui, "Who holds what?");
    expect_not(ui, "Stage 0 keeps");
    play(ui, "SPACE");
    expect(ui, "Stage 0 keeps");
    expect_not(ui, "? Stage 3 keeps");
    play(ui, "SPACE SPACE");
    expect(ui, "? Stage 3 keeps");
    play(ui, "SPACE");
    expect(ui, "answer: 5");
    play(ui, ".");
    expect_not(ui, "Who holds what?");
    play(ui, "SPACE");
    expect(ui, "pipeline 6/15 paradox");
    expect(ui, "A consequence:");
    end(ui);
}

/* What is presented is followed on another terminal: note, answer, next step, once for each step. */
static void test_a_presenter_has_notes(void **state)
{
    (void)state;
    static struct tutor tutor;
    struct errors errors = {0};
    struct ui *ui = make(80, 24);
    char text[4096];
    int shown = -1;
    FILE *out = tmpfile();
    assert_non_null(out);
    assert_int_equal(tutor_begin(&tutor, "pipeline", &errors), 0);
    play(ui, ": `lesson pipeline` ENTER : `lesson stage0` ENTER");
    follow_look(&tutor, &shown, out);
    follow_look(&tutor, &shown, out);
    play(ui, "SPACE");
    follow_look(&tutor, &shown, out);
    rewind(out);
    text[fread(text, 1, sizeof text - 1, out)] = '\0';
    assert_non_null(strstr(text, "answer: 5"));
    assert_non_null(strstr(text, "next: paradox\n\n-- pipeline 6/15 paradox"));
    assert_non_null(strstr(text, "next: pp4, set pp 4"));
    fclose(out);
    tutor_free(&tutor);
    end(ui);
}

/* ---- the user's own ---------------------------------------------------------------------------------------------- */

static void test_leaving_gives_everything_back(void **state)
{
    (void)state;
    struct ui *ui = make(120, 40);
    play(ui, ": `tp 4` ENTER b : `pp 4` ENTER 2");
    struct plan plan = ui->plan, saved = ui->saved, pinned = ui->pin[0].plan;
    struct history history = ui->history;
    char *before = xstrdup(screen_of(ui));
    play(ui, ": `lesson zero` ENTER SPACE SPACE TAB + + : `pp 2` ENTER C SPACE");
    assert_false(plan_equal(&ui->plan, &plan));
    play(ui, ": `lesson network` ENTER SPACE q");
    assert_int_equal(ui->mode, MODE_BROWSE);
    assert_memory_equal(&ui->plan, &plan, sizeof plan);
    assert_memory_equal(&ui->saved, &saved, sizeof saved);
    assert_memory_equal(&ui->pin[0].plan, &pinned, sizeof pinned);
    assert_memory_equal(&ui->history, &history, sizeof history);
    assert_int_equal(ui->pins, 1);
    assert_null(ui->aside);
    ui->message[0] = '\0';
    assert_string_equal(screen_of(ui), before);
    play(ui, "u u");
    assert_memory_equal(&ui->plan, &start_plan, sizeof start_plan);
    free(before);
    end(ui);
}

static void test_keep_is_one_step_to_undo(void **state)
{
    (void)state;
    struct ui *ui = make(120, 40);
    struct plan before = ui->plan;
    play(ui, ": `lesson zero` ENTER SPACE SPACE");
    struct plan lesson = ui->plan;
    play(ui, "k");
    assert_true(plan_equal(&ui->plan, &lesson));
    play(ui, "u");
    assert_memory_equal(&ui->plan, &before, sizeof before);
    end(ui);
}

static void test_files_are_left_alone_in_a_lesson(void **state)
{
    (void)state;
    struct ui *ui = make(120, 40);
    play(ui, ": `lesson zero` ENTER : `load configs/plans/first-steps.yaml` ENTER");
    expect(ui, "load: a lesson is open");
    play(ui, "C ^S");
    expect(ui, "save: a lesson is open");
    play(ui, ": q ENTER");
    assert_null(ui->aside);
    assert_false(ui->is_done);
    end(ui);
}

static void test_a_lesson_goes_on_where_it_was_left(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, ": `lesson moe` ENTER b SPACE SPACE q");
    end(ui);
    ui = make(80, 24);
    play(ui, ": `lesson moe` ENTER");
    expect(ui, "moe 3/9 edp");
    expect(ui, "1/1 right");
    play(ui, "q : `lesson nothing` ENTER");
    expect(ui, "'nothing' is not a known lesson");
    play(ui, "ESC C");
    expect(ui, "what-fills-a-gpu");
    end(ui);
}

/* The figures open with the answer, the plan with them; the user's own comes back. */
static void test_exercises_are_asked_and_scored(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    struct plan before = ui->plan;
    play(ui, ": `exercise nothing` ENTER");
    expect(ui, "'nothing' is not a kind of exercise");
    play(ui, "ESC : `exercise seed=2026` ENTER");
    expect(ui, "exercise 1: fits");
    expect(ui, "(d) tp 1 pp 1 cp 2 mbs 1 recompute none");
    expect_not(ui, "GiB free");
    play(ui, "TAB");
    expect(ui, "answer first");
    play(ui, "b");
    expect(ui, "no, not (b)");
    expect_not(ui, "GiB free");
    play(ui, "a");
    expect(ui, "answer: a; a ");
    expect(ui, "GiB free");
    assert_int_equal(progress_kind_of("fits").box, 1); /* found at the second answer */
    play(ui, "SPACE 1 0 0 0 ENTER");
    expect(ui, "exercise 2: memory");
    expect(ui, "no: too high");
    play(ui, "BSPACE a SPACE SPACE SPACE SPACE SPACE");
    expect(ui, "exercise 6: crosses");
    play(ui, "p p ENTER");
    expect(ui, "no");
    play(ui, "d p ENTER");
    expect(ui, "answer: dp");
    play(ui, "q");
    assert_memory_equal(&ui->plan, &before, sizeof before);
    assert_int_equal(progress_kind_of("fits").asked, 2);
    assert_int_equal(progress_kind_of("fits").box, 2);
    int of;
    assert_int_equal(progress_level_of(2, &of), 1);
    assert_int_equal(of, 3);
    play(ui, ": `exercise bubble 1` ENTER");
    expect(ui, "exercise 1: bubble");
    expect(ui, "on 1 x dgx-");
    end(ui);
}

static void test_words_open_from_a_field_and_an_explanation(void **state)
{
    (void)state;
    struct ui *ui = make(120, 40);
    play(ui, ": `go zero_stage` ENTER W");
    expect(ui, "Words of the field");
    expect(ui, "Megatron's name for ZeRO 1.");
    play(ui, "ESC : `explain time.bubble_s` ENTER W");
    expect(ui, "Time in which a stage waits because the pipeline fills or drains.");
    play(ui, "ESC : `glossary kv cache` ENTER");
    expect(ui, "Keys and values of all earlier tokens");
    play(ui, "ENTER");
    assert_int_equal(ui->mode, MODE_BROWSE); /* a plan that trains has no cache */
    play(ui, ": `glossary in flight` ENTER ENTER");
    assert_int_equal(ui->mode, MODE_EXPLAIN);
    end(ui);
}

static void test_every_size_draws(void **state)
{
    (void)state;
    static const char *const scripts[] = {": `lesson pipeline` ENTER : `lesson stage0` ENTER", "1 2 ENTER",
                                          "q : `lesson long-context` ENTER : `lesson a2a` ENTER", "a", "F11",
                                          "q : `lesson serving` ENTER",
                                          "q : `lesson capstone-70b` ENTER : `lesson task3` ENTER"};
    struct ui *ui = make(80, 24);
    for (size_t i = 0; i < COUNT(scripts); i++) {
        ui_resize(ui, 80, 24);
        play(ui, scripts[i]);
        for (int width = 1; width <= 200; width += width < 50 ? 7 : 29)
            for (int height = 1; height <= 60; height += height < 26 ? 1 : 11) {
                ui_resize(ui, width, height);
                screen_of(ui);
            }
    }
    end(ui);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_step_shows_its_plan_note_and_question),
        cmocka_unit_test(test_text_and_figure_share_a_wide_screen),
        cmocka_unit_test(test_answers_are_judged),
        cmocka_unit_test(test_a_task_is_ticked_off),
        cmocka_unit_test(test_presenting_a_note_comes_by_sentences),
        cmocka_unit_test(test_a_presenter_has_notes),
        cmocka_unit_test(test_leaving_gives_everything_back),
        cmocka_unit_test(test_keep_is_one_step_to_undo),
        cmocka_unit_test(test_files_are_left_alone_in_a_lesson),
        cmocka_unit_test(test_a_lesson_goes_on_where_it_was_left),
        cmocka_unit_test(test_exercises_are_asked_and_scored),
        cmocka_unit_test(test_words_open_from_a_field_and_an_explanation),
        cmocka_unit_test(test_what_a_step_looks_at_is_marked),
        cmocka_unit_test(test_parts_are_marked_and_curves_drawn),
        cmocka_unit_test(test_right_answers_are_not_shown_before),
        cmocka_unit_test(test_every_size_draws),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
