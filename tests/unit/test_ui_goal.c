/* A goal's fields and its answer: asked, changed, left, opened. */
#include "tests/host.h"
#include "tests/screen.h"

#include "ui/state/state.h"

/* Nothing changes before Enter; Esc leaves; u takes the answer back. */
static void an_answer_is_seen_before_it_is_taken(void **state)
{
    (void)state;
    struct ui *ui = test_ui_at(120, 40);
    struct plan before = ui->plan;
    play(ui, "/ `llama3-8b lora 4090` Enter");
    expect(ui, "nothing changes before Enter");
    expect(ui, "> QLoRA, full recompute");
    expect(ui, "shardtop goal tune --model llama3-8b");
    assert_true(plan_equal(&before, &ui->plan));
    play(ui, "Esc");
    assert_int_equal(ui->mode, MODE_BROWSE);
    assert_true(plan_equal(&before, &ui->plan));
    play(ui, "/ `llama3-8b lora 4090` Enter Enter");
    assert_true(ui->now->fits && strcmp(ui->plan.text[TEXT_GPU], "rtx-4090") == 0);
    play(ui, "u");
    assert_true(plan_equal(&before, &ui->plan));
    ui_free(ui);
}

/* A field is stepped or typed, and the answer follows; what cannot be read is said and stays to be corrected. */
static void fields_change_the_answer(void **state)
{
    (void)state;
    struct ui *ui = test_ui_at(120, 40);
    play(ui, "/ `llama3-8b 200 users` Enter Down 300 Enter");
    expect(ui, "300 users each");
    play(ui, "+");
    expect(ui, "500 users each");
    play(ui, "- -");
    expect(ui, "200 users each");
    play(ui, "Down Down `zzz` Enter");
    expect(ui, "each token within: 'zzz' is not a number of ms above 0");
    play(ui, "Esc Up Up Up `nosuchmodel` Enter");
    expect(ui, "nosuchmodel");
    play(ui, "Esc `qwen3-8b` Enter");
    expect(ui, "shardtop goal serve --model qwen3-8b --users 200");
    play(ui, "Enter");
    assert_string_equal(ui->plan.text[TEXT_MODEL], "qwen3-8b");
    ui_free(ui);
}

/* What nobody gave is what the answer takes; a press selects a field and takes what was typed into another. */
static void fields_say_what_the_answer_takes(void **state)
{
    (void)state;
    struct ui *ui = test_ui_at(120, 40);
    play(ui, "/ `llama3-8b lora 4090` Enter");
    expect(ui, "tokens a sample                4,096");
    play(ui, "Down Down Down 2048");
    ui_event(ui, &(struct event){.key = KEY_MOUSE_EVENT, .button = MOUSE_LEFT, .x = 4, .y = 4}); /* the model */
    expect(ui, "- llama3-8b +");
    expect(ui, "tokens a sample                2,048");
    expect(ui, "--context 2048");
    ui_free(ui);
}

/* Surer answers take no fewer GPUs; the least sure ones no more. */
static void how_sure_is_a_field(void **state)
{
    (void)state;
    struct ui *ui = test_ui_at(120, 40);
    play(ui, "/ `llama3-8b 100B tokens 30 days` Enter");
    expect(ui, "80 %");
    play(ui, "Down Down Down Down Down Down Down Down 95 Enter");
    expect(ui, "--sure 95%");
    play(ui, "100 Enter");
    expect(ui, "below 100");
    ui_free(ui);
}

/* Tab goes through the goals, at each size; those without a plan on the screen open from the start. */
static void each_goal_is_drawn(void **state)
{
    (void)state;
    static const struct {
        int width, height;
    } sizes[] = {{80, 24}, {100, 30}, {200, 60}};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct ui *ui = test_ui_at(sizes[i].width, sizes[i].height);
        play(ui, ": `start` Enter u");
        assert_int_equal(ui->mode, MODE_GOAL);
        for (int goal = 0; goal < 5; goal++) {
            expect(ui, "Answer");
            expect(ui, "Enter open");
            play(ui, "Tab");
        }
        expect(ui, "llama3-8b");
        play(ui, "Esc");
        assert_int_equal(ui->mode, MODE_START);
        ui_free(ui);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_seen_before_it_is_taken),
        cmocka_unit_test(fields_change_the_answer),
        cmocka_unit_test(fields_say_what_the_answer_takes), cmocka_unit_test(how_sure_is_a_field),
        cmocka_unit_test(each_goal_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
