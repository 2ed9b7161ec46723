/* What-if, sweep and tuner: worked out in slices while a view shows them, taken with Enter, taken back with u. */
#include "tests/check.h"
#include "tests/host.h"

#include "core/search/diff_text.h"
#include "ui/command/action.h"
#include "ui/state/advisor.h"
#include "ui/command/complete.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/pane.h"

static struct plan start_plan;

static struct ui *make(const char *path, int width, int height)
{
    struct ui_options options = {.plan = &start_plan, .ascii = true};
    char why[UI_MESSAGE_MAX] = "";
    plan_clear(&start_plan);
    assert_that(test_host()->load(test_session(), path, &start_plan, why) == 0, "%s", why);
    struct ui *ui = ui_create(test_host(), &options, width, height);
    assert_non_null(ui);
    ui_update(ui);
    return ui;
}

/* As a person would: keys come when the screen has settled. */
static void press(void *ui, int key)
{
    ui_update(ui);
    advisor_settle(ui);
    ui_key(ui, key);
    ui_update(ui);
}

static void play(struct ui *ui, const char *script)
{
    while (key_script_next(&script, press, ui))
        ;
    advisor_finish(ui);
}

static void expect_text(struct ui *ui, const char *part)
{
    static char text[1 << 16];
    struct canvas canvas = {0};
    assert_int_equal(canvas_resize(&canvas, ui->width, ui->height), 0);
    ui_draw(ui, &canvas);
    canvas_lines(&canvas, text, sizeof text);
    canvas_free(&canvas);
    assert_that(check_mentions(text, part), "the screen has no '%s':\n%s", part, text);
}

/* The line needs the single changes and the best layout; what only views show is worked out when they are there. */
static void only_what_is_shown_is_worked_out(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/default.yaml", 100, 30);
    assert_true(advisor_is_busy(ui));
    advisor_finish(ui);
    assert_false(advisor_is_busy(ui));
    assert_int_equal(ui->advisor->advice.phase, ADVICE_DONE);
    ui_free(ui);
}

/* Where nobody would read it, or a line is slow, nothing is worked out at all. */
static void where_there_is_no_line_nothing_is_worked_out(void **state)
{
    (void)state;
    static const struct {
        const char *path, *keys;
        bool slow, present;
    } cases[] = {{"configs/plans/default.yaml", "", true, false},
                 {"configs/plans/default.yaml", "", false, true},
                 {"configs/plans/llama3-8b-serving.yaml", "", true, false},
                 {"configs/plans/default.yaml", "5", true, false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ui *ui = make(cases[i].path, 80, 24);
        ui->options.slow = cases[i].slow;
        ui->options.present = cases[i].present;
        for (const char *script = cases[i].keys; key_script_next(&script, (void (*)(void *, int))ui_key, ui);)
            ui_update(ui);
        ui_update(ui);
        assert_false(advisor_is_busy(ui));
        ui_free(ui);
    }
}

/* What stands at the end of a row. */
static void line_of(const struct ui *ui, int width, const char *text, char out[ADVISOR_TEXT_MAX])
{
    struct canvas canvas = {0};
    canvas_resize(&canvas, width, 1);
    canvas_text(&canvas, 0, 0, ROLE_TEXT, text);
    advisor_draw(ui, &canvas, 0, width);
    canvas_line(&canvas, 0, out, ADVISOR_TEXT_MAX);
    canvas_free(&canvas);
}

/* Both sentences where there is room, briefly where there is less, and nothing over what stands there. */
static void the_line_takes_the_room_that_is_left(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/default.yaml", 80, 24);
    char wide[ADVISOR_TEXT_MAX], narrow[ADVISOR_TEXT_MAX], none[ADVISOR_TEXT_MAX];
    advisor_finish(ui);
    line_of(ui, 150, "help", wide);
    line_of(ui, 60, "help", narrow);
    line_of(ui, 14, "help", none);
    assert_non_null(strstr(wide, "6 pp 1, dp 8: "));
    assert_non_null(strstr(wide, "8 best tp 1, pp 1"));
    assert_non_null(strstr(narrow, "6 pp 1 .. -"));
    assert_non_null(strstr(narrow, "8 best -"));
    assert_memory_equal(narrow, "help   ", 7);
    assert_memory_equal(none, "help", 5);
    ui_select(ui, PARAM_parallel_tp);
    ui_key(ui, '+');
    ui_update(ui);
    assert_true(ui->advisor->change.generation != ui->generation); /* the old one stays, dimmed */
    advisor_finish(ui);
    assert_int_equal(ui->advisor->change.generation, ui->generation);
    assert_int_equal(ui->advisor->best.generation, ui->generation);
    ui_free(ui);
}

/* Where another result is as good as the fastest and simpler, the line names that one, as the tuner does. */
static void the_line_names_the_layout_to_take(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/llama3-70b-64h100.yaml", 80, 24);
    struct plan plan, resolved;
    char keys[ADVISOR_TEXT_MAX];
    advisor_finish(ui);
    const struct advisor *advisor = ui->advisor;
    assert_true(advisor->is_judged && advisor->take > 0);
    search_plan(&advisor->search.ask, &advisor->search.answer.best[advisor->take], &plan);
    plan_resolve(&plan, &resolved);
    form_changes(&ui->now->plan, &resolved, 60, keys, sizeof keys);
    assert_non_null(strstr(advisor->best.text, keys));
    ui_free(ui);
}

/* Of all layouts that are as good as the first, as the command line judges them, not of those in a list of some. */
static void the_layout_to_take_is_of_all_as_good(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/llama3-70b-64h100.yaml", 80, 24);
    advisor_finish(ui);
    const struct advisor *advisor = ui->advisor;
    int last = advisor->search.answer.count - 1;
    assert_true(advisor->recommendation[advisor->take].as_good && advisor->take < last);
    assert_true(last + 1 == SEARCH_TOP_MAX || !advisor->recommendation[last].as_good);
    ui_free(ui);
}

/* Where the layout to take is no faster than the plan, view 6 says so as the line does, and shows no other. */
static void the_best_layout_has_none_to_go_to(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/llama3-70b-64h100.yaml", 80, 24);
    play(ui, "8 ENTER 6 6");
    expect_text(ui, "best of all: no layout is certain to be faster");
    assert_string_equal(ui->advisor->best.text, "no layout is certain to be faster");
    ui_free(ui);
}

/* The work ends, so that an idle screen is silent, and begins again with a change. */
static void work_ends_and_begins_again(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/default.yaml", 120, 40);
    ui_key(ui, '6');
    ui_update(ui);
    int slices = 0, news = 0;
    for (; advisor_is_busy(ui); slices++)
        news += advisor_step(ui);
    assert_true(slices > 20 && news >= 3 && news < 40);
    assert_non_null(strstr(ui->advisor->best.text, "best "));
    assert_int_equal(ui->advisor->shown_advice.phase, ADVICE_DONE);
    assert_true(ui->advisor->search.answer.is_complete);
    assert_false(advisor_is_busy(ui));
    play(ui, "ESC");
    ui_select(ui, PARAM_parallel_tp);
    ui_key(ui, '+');
    ui_update(ui);
    assert_true(advisor_is_busy(ui));
    ui_free(ui);
}

static void a_change_is_taken_and_taken_back(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/llama3-70b-64h100.yaml", 80, 24);
    struct plan plan;
    play(ui, "6");
    const struct advice_row row = ui->advisor->shown_advice.row[1];
    advice_plan(&ui->advisor->shown_advice, &ui->advisor->shown_advice.row[1].change, 1, &plan);
    play(ui, "DOWN ENTER");
    assert_true(plan_equal(&ui->plan, &plan));
    assert_same(ui->now->step.iteration_s, row.figures.iteration_s);
    play(ui, "u");
    assert_true(plan_equal(&ui->plan, &start_plan));
    ui_free(ui);
}

static void the_best_layout_is_loaded(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/llama3-70b-64h100.yaml", 80, 24);
    play(ui, "8");
    const struct search_answer *answer = &ui->advisor->search.answer;
    assert_true(answer->is_complete && answer->count > 0);
    const struct search_result best = answer->best[0], taken = answer->best[ui->advisor->take];
    /* at most 1.5 % slower than the fastest, and never harder to run */
    assert_true(taken.iteration_s <= 1.015 * best.iteration_s && taken.complexity <= best.complexity);
    play(ui, "ENTER");
    assert_same(ui->now->step.iteration_s, taken.iteration_s);
    assert_true(ui->now->fits);
    play(ui, "u");
    assert_true(plan_equal(&ui->plan, &start_plan));
    play(ui, "8 o");
    assert_int_equal(ui->advisor->objective, SEARCH_MEMORY);
    assert_true(answer->best[0].peak_device_bytes < best.peak_device_bytes);
    play(ui, ": `search time` ENTER");
    assert_same(answer->best[0].iteration_s, best.iteration_s);
    ui_free(ui);
}

static void what_is_undone_is_cut_between_changes(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/llama2-13b-recompute-full.yaml", 80, 24);
    play(ui, "8 ENTER u");
    expect_text(ui, "undone: tp 4 > 1, sp true > false, cp 1 > 2, zero_stage 1 > 0, fsdp none >");
    expect_text(ui, "shard_grad_op ..");
    ui_free(ui);
}

/* Right walks along the front, which no layout of the plot beats; Enter takes a point of it. */
static void the_front_is_walked(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/llama3-70b-64h100.yaml", 120, 50);
    play(ui, "8");
    const struct search_answer *answer = &ui->advisor->search.answer;
    assert_true(answer->front_count > 3 && ui->advisor->dots > 50);
    for (int i = 0; i < ui->advisor->dots; i++)
        for (int k = 0; k < answer->front_count; k++)
            assert_false(ui->advisor->dot[i].bytes < answer->front[k].peak_device_bytes &&
                         ui->advisor->dot[i].iteration_s < answer->front[k].iteration_s);
    play(ui, ": `search where=tp>=8,sp=false` ENTER"); /* which the plot keeps to, too */
    double fastest = answer->best[0].iteration_s;
    assert_true(ui->advisor->dots > 20 && answer->front_count > 3);
    for (int i = 0; i < ui->advisor->dots; i++)
        assert_true(ui->advisor->dot[i].iteration_s >= fastest);
    play(ui, ": `search time` ENTER");
    assert_true(answer->best[0].iteration_s < fastest);
    const struct search_result third = answer->front[answer->front_count - 3];
    play(ui, "RIGHT RIGHT RIGHT ENTER");
    assert_same(ui->now->step.iteration_s, third.iteration_s);
    assert_int_equal(ui->at[PANE_TUNER].column, 0);
    play(ui, "u RIGHT DOWN");
    assert_int_equal(ui->at[PANE_TUNER].column, 0);
    assert_int_equal(ui->at[PANE_TUNER].row, 1);
    ui_free(ui);
}

/* Where no single change makes the plan fit, two that do stand first. */
/* Presses the first cell that has this link. */
static void press_link(struct ui *ui, enum mouse_button button, int link)
{
    struct canvas canvas = {.has_links = true};
    struct event event = {.key = KEY_MOUSE_EVENT, .button = button};
    assert_int_equal(canvas_resize(&canvas, ui->width, ui->height), 0);
    ui_update(ui);
    ui_draw(ui, &canvas);
    while (event.y < ui->height && canvas_link_at(&canvas, event.x, event.y) != link)
        event.x + 1 < ui->width ? event.x++ : (event.x = 0, event.y++);
    canvas_free(&canvas);
    assert_true(event.y < ui->height);
    ui_event(ui, &event);
}

/* Points of the front and rows of the list are clicked, a second press loads; the wheel walks along what it is over. */
static void the_tuner_takes_the_mouse(void **state)
{
    enum { POINTS = LINK_ROWS + 1000 };
    struct ui *ui = make("configs/plans/default.yaml", 120, 40);
    (void)state;
    play(ui, "8");
    press_link(ui, MOUSE_LEFT, POINTS + 4);
    assert_int_equal(ui->at[PANE_TUNER].column, 5);
    press_link(ui, MOUSE_WHEEL_UP, POINTS + 4);
    assert_int_equal(ui->at[PANE_TUNER].column, 4);
    ui->clock_ms = 1000;
    press_link(ui, MOUSE_LEFT, POINTS);
    press_link(ui, MOUSE_LEFT, POINTS);
    assert_true(ui_is_modified(ui));
    play(ui, "u 8");
    press_link(ui, MOUSE_LEFT, LINK_ROWS + 2);
    assert_true(ui->at[PANE_TUNER].row == 2 && ui->at[PANE_TUNER].column == 0);
    press_link(ui, MOUSE_WHEEL_DOWN, LINK_ROWS + 2);
    assert_int_equal(ui->at[PANE_TUNER].row, 3);
    ui_free(ui);
}

static void a_pair_that_mends_is_taken(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/llama3-70b-64h100.yaml", 80, 24);
    play(ui, ": `set tp=2 pp=8 micro_batch_size=8` ENTER 6");
    assert_false(ui->now->fits);
    assert_int_equal(ui->advisor->shown_advice.fix.changes, 2);
    play(ui, "ENTER");
    assert_true(ui->now->fits);
    ui_free(ui);
}

/* o puts single changes in the order of another objective, inside what fits. */
static void changes_are_put_in_order(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/llama3-70b-64h100.yaml", 120, 40);
    play(ui, "6 o");
    assert_int_equal(ui->advisor->objective, SEARCH_MEMORY);
    const struct advice *told = &ui->advisor->shown_advice;
    double least = INFINITY;
    for (int i = 0; i < told->rows; i++)
        if (told->row[i].group == CHANGE_LAYOUT && told->row[i].figures.verdict == VERDICT_FITS)
            least = fmin(least, told->row[i].figures.device_bytes);
    const struct advice_row first = told->row[ui->advisor->order[0]];
    assert_same(first.figures.device_bytes, least);
    play(ui, "ENTER");
    assert_same(ui->now->step.iteration_s, first.figures.iteration_s);
    play(ui, "u");
    for (int i = 0; i < SEARCH_CHANGES && ui->advisor->objective != SEARCH_TIME; i++)
        play(ui, "o");
    assert_int_equal(ui->advisor->objective, SEARCH_TIME);
    for (int i = 1; i < ui->advisor->shown_advice.rows; i++) /* the parts of the list in their order */
        assert_true(advisor_section(&told->row[ui->advisor->order[i - 1]]) <=
                    advisor_section(&told->row[ui->advisor->order[i]]));
    ui_free(ui);
}

static void a_cell_is_loaded(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/llama3-70b-64h100.yaml", 80, 24);
    play(ui, ": `sweep tp=4,8,16 pp=1..8` ENTER");
    assert_int_equal(ui->view, PANE_SWEEP);
    assert_int_equal(ui->advisor->axes, 2);
    assert_int_equal(advisor_columns(ui->advisor), 4);
    assert_int_equal(ui->advisor->cells, 12);
    assert_int_equal(ui->advisor->cell[11].state, SWEEP_INVALID);
    play(ui, "RIGHT RIGHT RIGHT ENTER"); /* tp 4, pp 8 */
    assert_same(ui->plan.value[PARAM_parallel_tp], 4);
    assert_same(ui->plan.value[PARAM_parallel_pp], 8);
    assert_same(ui->now->step.iteration_s, ui->advisor->cell[3].figures.iteration_s);
    play(ui, "u v");
    assert_true(plan_equal(&ui->plan, &start_plan));
    assert_string_equal(sweep_metrics[ui->advisor->metric].name, "tokens_per_s");
    play(ui, ": `sweep recompute=*` ENTER");
    assert_int_equal(ui->advisor->axis[0].count, 3);
    play(ui, ": `sweep dp=*` ENTER"); /* 0 is one of the others */
    assert_int_equal(ui->advisor->axis[0].count, 2);
    play(ui, ": `sweep dp=0..2` ENTER");
    assert_int_equal(ui->advisor->axis[0].count, 3);
    ui_free(ui);
}

static void expect_hint(const struct ui *ui, const char *part)
{
    char hint[UI_MESSAGE_MAX];
    complete_hint(ui, hint, sizeof hint);
    assert_that(strstr(hint, part), "'%s' has no '%s'", hint, part);
}

/* View 8 says why no layout is valid, and what a condition rules out where nothing is left. */
static void view_8_says_why_there_is_nothing(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/llama3-70b-64h100.yaml", 80, 24);
    play(ui, ": `search tp=3,5` ENTER");
    expect_text(ui, "No layout is valid: tp 3 does not divide 64 heads; works: 1 2 4 8 16. F");
    play(ui, ": `search where=tp<8,pp>100` ENTER");
    expect_text(ui, "7977 ruled out by pp>100 (pp is 1 to 16). F changes the limits");
    play(ui, ": `search where=mfu>=99%` ENTER");
    expect_text(ui, "\nof the 2160 left meets mfu>=99%. F");
    play(ui, ": `search max-memory=9GiB` ENTER");
    expect_text(ui, "The least memory has ");
    play(ui, ": `search dp=4` ENTER");
    assert_true(ui->advisor->search.answer.count > 3);
    ui_free(ui);
    ui = make("configs/plans/llama3-70b-too-big.yaml", 80, 24);
    play(ui, "8");
    expect_text(ui, "least memory has ZeRO 0: 158.3 GiB.");
    ui_free(ui);
}

/* Each option of a search says what it takes where nothing is typed yet, in a line of 80 columns; keys their values. */
static void options_of_a_search_say_what_they_take(void **state)
{
    enum { MOST = 60 };
    (void)state;
    struct ui *ui = make("configs/plans/llama3-70b-64h100.yaml", 80, 24);
    for (const struct search_option *option = search_options; option->name; option++) {
        char line[80], hint[UI_MESSAGE_MAX];
        if (!option->argument)
            continue;
        snprintf(line, sizeof line, "search cost %s=", option->name);
        overlay_open(ui, MODE_COMMAND, line, false);
        complete_hint(ui, hint, sizeof hint);
        assert_string_equal(hint, option->hint);
        assert_that(strlen(hint) <= MOST, "%s: %s", option->name, hint);
    }
    static const char *const with_values[] = {"search tp=", "search where=tp<=", "search tp<=8 tp>",
                                              "search where=pp>2,tp!="};
    for (size_t i = 0; i < COUNT(with_values); i++) {
        overlay_open(ui, MODE_COMMAND, with_values[i], false);
        expect_hint(ui, "1 2 4 8 16");
    }
    ui_free(ui);
}

/* `a` asks for a sweep of the selected field, of a second one too, and in view 7 for other values. */
static void a_field_is_swept(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/llama3-70b-64h100.yaml", 80, 24);
    play(ui, ": `go tp` ENTER a");
    assert_int_equal(ui->mode, MODE_COMMAND);
    assert_string_equal(ui->edit.text, "sweep tp=*");
    expect_hint(ui, "tp: 1 2 4 8 16; Enter tries them; pp=* behind makes a map");
    play(ui, "ENTER");
    assert_int_equal(ui->view, PANE_SWEEP);
    assert_int_equal(ui->advisor->axes, 1);
    assert_int_equal(ui->advisor->axis[0].count, 5);
    play(ui, ": `go pp` ENTER a");
    assert_string_equal(ui->edit.text, "sweep tp=* pp=*");
    expect_hint(ui, "; Enter makes the map");
    play(ui, "ENTER");
    assert_int_equal(ui->advisor->axes, 2);
    play(ui, "a"); /* in the view that has the keys */
    assert_string_equal(ui->edit.text, "sweep tp=* pp=*");
    play(ui, "ESC : `go pp` ENTER a"); /* of a key that is swept already */
    assert_string_equal(ui->edit.text, "sweep tp=* pp=*");
    play(ui, "ESC : `go seq_length` ENTER a"); /* of a third one, with too many values for `*` */
    assert_string_equal(ui->edit.text, "sweep seq_length=2048..32768*2");
    play(ui, "ENTER");
    assert_int_equal(ui->advisor->axis[0].count, 5);
    play(ui, ": `sweep tp=1,2` ENTER : `go hardware.gpu` ENTER a");
    assert_string_equal(ui->edit.text, "sweep tp=1,2 gpu=h100-sxm-80,");
    play(ui, "ESC : `sweep recompute=none,`"); /* behind a comma comes another value, no key */
    expect_hint(ui, "none selective full");
    play(ui, "ESC : `sweep pp=*`");
    expect_hint(ui, "Enter tries them; tp=* behind makes a map");
    ui_free(ui);
}

static void press_at(struct ui *ui, int x, int y)
{
    ui_update(ui);
    advisor_settle(ui);
    for (int i = 0; i < 2; i++)
        ui_event(ui, &(struct event){.key = KEY_MOUSE_EVENT, .button = MOUSE_LEFT, .x = x, .y = y});
    advisor_finish(ui);
}

/* Two presses on a cell load it; beside the map they load nothing. */
static void a_cell_is_pressed_twice(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/llama3-70b-64h100.yaml", 120, 40);
    play(ui, ": `sweep tp=4,8 pp=2,4` ENTER");
    ui->clock_ms = 1000;
    press_at(ui, 80, 24);
    assert_true(plan_equal(&ui->plan, &start_plan));
    ui->clock_ms = 5000;
    press_at(ui, 14, 7);
    assert_same(ui->plan.value[PARAM_parallel_tp], 4);
    assert_same(ui->plan.value[PARAM_parallel_pp], 2);
    ui_free(ui);
}

/* Without a price there is no best by cost, and nothing says that no layout fits. */
static void what_an_objective_lacks_is_said(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/llama3-70b-64h100.yaml", 120, 40);
    play(ui, "8 o o");
    assert_int_equal(ui->advisor->objective, SEARCH_COST);
    play(ui, ": `set gpu h800-sxm-80` ENTER");
    play(ui, "o");
    assert_int_equal(ui->advisor->objective, SEARCH_ENERGY);
    play(ui, ": `search memory` ENTER o"); /* o passes what is not known, and says why */
    assert_int_equal(ui->advisor->objective, SEARCH_ENERGY);
    assert_non_null(strstr(ui->message, "cost needs hardware.price_per_gpu_hour"));
    play(ui, ": `search` ENTER");
    assert_int_equal(ui->advisor->objective, SEARCH_TIME);
    play(ui, ": `search train-time` ENTER");
    assert_int_equal(ui->advisor->objective, SEARCH_TRAIN_TIME);
    play(ui, ": `search` ENTER : `search cost` ENTER");
    assert_int_equal(ui->advisor->objective, SEARCH_TIME);
    assert_non_null(strstr(ui->message, "cost needs hardware.price_per_gpu_hour"));
    ui_free(ui);
    ui = make("configs/plans/first-steps.yaml", 80, 24); /* nobody said for how many tokens */
    play(ui, ": `search train-time` ENTER");
    assert_true(!ui->advisor || ui->advisor->objective == SEARCH_TIME);
    assert_non_null(strstr(ui->message, "train-time needs train.total_tokens; set it, as in :total_tokens=1T"));
    play(ui, "ESC : `sweep tp=1,2` ENTER v v v v v v v v"); /* v passes it, too */
    assert_int_equal(ui->advisor->metric, 0);
    assert_non_null(strstr(ui->message, "the map shows iteration_s; training_days needs train.total_tokens"));
    play(ui, ": `total_tokens=1T` ENTER : `search train-time` ENTER");
    assert_int_equal(ui->advisor->objective, SEARCH_TRAIN_TIME);
    ui_free(ui);
}

/* A line of limits leaves what the command line would leave; F has it for changes, and it holds for other plans. */
static void a_search_has_limits(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/llama3-70b-64h100.yaml", 80, 24);
    const struct search_answer *answer;
    advisor_finish(ui);
    assert_non_null(strstr(ui->advisor->best.text, "best "));
    play(ui, ": `search energy max-memory=70GiB where=tp<=4 pp>=8 free=tp,pp,cp,vpp` ENTER");
    assert_string_equal(ui->advisor->best.text, ""); /* the best by time within no limits is no longer said */
    assert_int_equal(ui->view, PANE_TUNER);
    assert_int_equal(ui->advisor->objective, SEARCH_ENERGY);
    for (int k = 0; k < 2; k++) {
        answer = &ui->advisor->search.answer;
        assert_true(answer->is_complete && answer->count > 1 && answer->excluded[LIMIT_MAX_MEMORY] > 0 &&
                    answer->excluded[LIMIT_WHERE] > 0);
        for (int i = 0; i < answer->count; i++) {
            struct plan plan, resolved;
            search_plan(&ui->advisor->search.ask, &answer->best[i], &plan);
            plan_resolve(&plan, &resolved);
            assert_true(KEY_OF(&resolved, parallel, tp) <= 4 && KEY_OF(&resolved, parallel, pp) >= 8);
            assert_true(answer->best[i].peak_device_bytes <= 70.0 * (1 << 30));
        }
        play(ui, ": `seq_length 4096` ENTER");
    }
    play(ui, "u F");
    assert_string_equal(ui->edit.text,
                        "search energy max-memory=70GiB where=tp<=4 pp>=8 free=tp,cp,pp,vpp");
    play(ui, "ESC : `search gpus nodes=4,8 tp=4 tp-in-node fit=tight` ENTER");
    answer = &ui->advisor->search.answer;
    assert_true(answer->count > 0 && answer->best[0].value == 32);
    play(ui, ": `search free=tp,dp,pp` ENTER");
    long all = ui->advisor->search.answer.evaluated;
    play(ui, ": `search free=tp,pp keep=dp` ENTER"); /* of these those that leave as many replicas */
    answer = &ui->advisor->search.answer;
    assert_true(answer->count > 0 && answer->evaluated == all && answer->excluded[LIMIT_WHERE] > 0);
    for (int i = 0; i < answer->count; i++) {
        struct plan plan, resolved;
        search_plan(&ui->advisor->search.ask, &answer->best[i], &plan);
        plan_resolve(&plan, &resolved);
        assert_same(KEY_OF(&resolved, parallel, dp), KEY_OF(&ui->now->plan, parallel, dp));
    }
    play(ui, ": `search size` ENTER");
    assert_non_null(strstr(ui->message, "layers are the most that fit"));
    play(ui, ": `search max-memory=1GiB` ENTER");
    assert_int_equal(ui->advisor->search.answer.count, 0);
    play(ui, ": `search free=` ENTER");
    assert_true(ui->advisor->line.count == 0 && ui->advisor->search.answer.count > 0);
    ui_free(ui);
}

/* Esc stops a search and stays, with what was found; the next one leaves the view. */
static void a_search_is_stopped(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/llama3-70b-64h100.yaml", 80, 24);
    const char *script = "8 : `search schedules=all free=+recompute_num_layers` ENTER";
    while (key_script_next(&script, (void (*)(void *, int))ui_key, ui))
        ui_update(ui);
    while (ui->advisor->search.answer.count == 0)
        advisor_step(ui);
    expect_text(ui, "% (Esc stops): ");
    ui_key(ui, KEY_ESCAPE);
    ui_update(ui);
    assert_true(ui->is_view_focused && strstr(ui->message, "stopped at "));
    advisor_finish(ui);
    assert_true(!ui->advisor->search.answer.is_complete && ui->advisor->is_judged && !advisor_is_busy(ui));
    assert_string_equal(ui->advisor->best.text, "search stopped");
    expect_text(ui, "by time, stopped at ");
    play(ui, "F ENTER");
    assert_true(ui->advisor->search.answer.is_complete);
    play(ui, "ESC");
    assert_false(ui->is_view_focused);
    ui_free(ui);
}

static void faults_of_a_search_are_said(void **state)
{
    (void)state;
    static const struct {
        const char *line, *why;
    } wrong[] = {{"crystals",
                  "search: unknown objective 'crystals' (time memory cost energy gpus train-time train-cost size)"},
                 {"max-memory=much", "search max-memory: 'much' is not a size"},
                 {"max-memory", "unknown objective 'max-memory'"},
                 {"tp-in-node=1", "unknown objective 'tp-in-node=1'"},
                 {"keep=seq_length", "search keep: a search cannot change 'seq_length'; it changes tp,sp,cp"},
                 {"crystals<3", "search where: 'crystals' is neither a key"},
                 {"tp=x", "search values: tp: 'x'"},
                 {"deadline=soon", "search deadline: 'soon' is not a time"},
                 {"deadline=30d total_tokens=1T", "search deadline: a deadline needs a fixed total_tokens; set"},
                 {"total_tokens=1T deadline=30d", "search deadline: a deadline needs a fixed total_tokens; set"},
                 {"fit=well", "use one of fits, tight, any"}};
    struct ui *ui = make("configs/plans/default.yaml", 80, 24);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char why[UI_MESSAGE_MAX] = "";
        assert_that(advisor_search(ui, wrong[i].line, why) == -1 && strstr(why, wrong[i].why), "search %s: %s",
                    wrong[i].line, why);
        assert_int_equal(ui->advisor->line.count, 0);
    }
    ui_free(ui);
}

/* MFU and price of a row are those of its plan: the vocabulary is padded for tp, so they do not follow from time. */
static void a_row_has_the_figures_of_its_plan(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/llama3-70b-64h100.yaml", 200, 60);
    play(ui, "8");
    int count = ui->advisor->search.answer.count;
    assert_int_equal(ui->advisor->estimated, count);
    for (int i = 0; i < count; i++) {
        static struct estimate estimate;
        struct plan plan;
        search_plan(&ui->advisor->search.ask, &ui->advisor->search.answer.best[i], &plan);
        estimate_plan(&plan, &estimate);
        assert_same(ui->advisor->mfu[i], estimate.step.mfu);
        assert_same(ui->advisor->price[i], result_value(RESULT_PRICE, &estimate));
    }
    ui_free(ui);
}

/* c: each cell has the best layout with its values, and Enter loads that layout. */
static void a_cell_has_its_best_layout(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/llama3-70b-64h100.yaml", 80, 24);
    play(ui, ": `sweep tp=4,8 pp=2,4` ENTER");
    double own[4];
    for (int i = 0; i < 4; i++)
        own[i] = ui->advisor->cell[i].figures.iteration_s;
    bool did_fit = ui->advisor->cell[3].state == SWEEP_FITS;
    expect_text(ui, "iteration, s, tp by pp");
    play(ui, "c");
    expect_text(ui, "iteration, s of the best layout");
    assert_int_equal(ui->advisor->cells, 4);
    assert_true(did_fit && ui->advisor->cell[3].figures.iteration_s <= own[3]);
    double best = ui->advisor->cell[3].figures.iteration_s;
    play(ui, "DOWN RIGHT ENTER");
    assert_same(ui->now->step.iteration_s, best);
    assert_same(ui->plan.value[PARAM_parallel_tp], 8);
    play(ui, "u c");
    assert_same(ui->advisor->cell[3].figures.iteration_s, own[3]);
    ui_free(ui);
}

/* F: what is not named stays as the plan has it. */
static void keys_are_freed(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/llama3-70b-64h100.yaml", 120, 50);
    struct plan plan, resolved;
    char names[256];
    uint32_t axes = 0;
    play(ui, "8");
    long all = ui->advisor->search.answer.evaluated;
    play(ui, ": `search free=pp,mbs` ENTER");
    assert_true(ui->advisor->search.answer.evaluated < all && ui->advisor->search.answer.count > 0);
    search_plan(&ui->advisor->search.ask, &ui->advisor->search.answer.best[0], &plan);
    plan_resolve(&plan, &resolved);
    assert_same(resolved.value[PARAM_parallel_tp], ui->now->plan.value[PARAM_parallel_tp]);
    space_axes_write(ui->advisor->free, names, sizeof names);
    assert_string_equal(names, "micro_batch_size,pp");
    assert_string_equal(space_axes_read("tp,crystals,pp", &axes), "crystals,pp");
    assert_int_equal(axes, 0);
    play(ui, "F");
    assert_int_equal(ui->mode, MODE_COMMAND);
    assert_string_equal(ui->edit.text, "search free=micro_batch_size,pp");
    play(ui, "ESC ESC");
    play(ui, ": `search memory free=` ENTER");
    assert_int_equal(ui->advisor->search.answer.evaluated, all);
    assert_int_equal(ui->advisor->objective, SEARCH_MEMORY);
    ui_free(ui);
}

/* D and p: a row is compared with, or kept for that, without being taken. */
static void a_row_is_pinned(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/llama3-70b-64h100.yaml", 80, 24);
    play(ui, "8 p");
    assert_int_equal(ui->pins, 1);
    assert_int_equal(ui->view, PANE_TUNER);
    assert_same(ui->baseline->step.iteration_s, ui->advisor->search.answer.best[ui->advisor->take].iteration_s);
    play(ui, "6 DOWN D");
    assert_int_equal(ui->pins, 2);
    assert_int_equal(ui->view, PANE_DIFF);
    assert_true(plan_equal(&ui->plan, &start_plan));
    ui_free(ui);
}

static void faults_of_a_sweep_are_said(void **state)
{
    (void)state;
    static const struct {
        const char *line, *why;
    } wrong[] = {{"crystals=1", "crystals"},
                 {"tp", "tp: no values"},
                 {"tp=", "tp: no values"},
                 {"tp=1,,2", "empty value"},
                 {"tp=x", "'x'"},
                 {"tp=a..b", "write tp=A..B, A..B*2 or A..B+S"},
                 {"tp=8..1", "ends before it begins"},
                 {"tp=8..1+1", "ends before it begins"},
                 {"pp=1000..2000", "no valid values in '1000..2000'; write values, or a step such as pp=1..8*2"},
                 {"gpu=*", "no valid values in '*'; list them, as in gpu=V1,V2"},
                 {"recompute=0..2", "have no order"},
                 {"gemm_efficiency=0.5..0.8", "a range needs a step"},
                 {"num_layers=*", "more than 256 values"},
                 {"tp=1 pp=1 cp=1", "cp=1"},
                 {"tp=0", "range"},
                 {"tp=1 tp=2", "twice"},
                 {"seq_length=1k..2k*1", "no progress"},
                 {"seq_length=1k..9M+1", "more than 256 values"}};
    struct ui *ui = make("configs/plans/default.yaml", 80, 24);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char why[UI_MESSAGE_MAX] = "";
        assert_that(advisor_sweep(ui, wrong[i].line, why) == -1 && strstr(why, wrong[i].why), "sweep %s: %s",
                    wrong[i].line, why);
    }
    ui_free(ui);
}

/* Cells say that they are this plan, that GPUs are idle, what does not fit, and which rules refuse them. */
static void cells_say_what_they_are(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/llama3-70b-64h100.yaml", 120, 40);
    play(ui, ": `sweep tp=4,6,8 dp=1,2` ENTER");
    expect_text(ui, "this plan is best"); /* a dp that the plan leaves blank */
    expect_text(ui, "35.98");
    expect_text(ui, "leaves GPUs idle");
    expect_text(ui, "on 16 of 64 GPUs; ");
    play(ui, "RIGHT");
    expect_text(ui, "on 32 of 64 GPUs; 20.3 GiB too much; ");
    play(ui, "DOWN");
    expect_text(ui, "heads_divisible_by_tp: parallel.tp tp 6 does not divide 64 heads");
    expect_text(ui, "also groups_divisible_by_tp");
    play(ui, ": `sweep recompute=*` ENTER");
    expect_text(ui, "[18.50.*]");
    play(ui, ": `sweep tp=4,8 gpu=h100-sxm-80,a100-sxm-80` ENTER"); /* columns as wide as their names */
    expect_text(ui, "GPU h100-sxm-80");
    ui_free(ui);
}

static void a_file_is_compared(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/llama2-13b-recompute-none.yaml", 80, 24);
    play(ui, ": `compare configs/plans/llama2-13b-recompute-full.yaml` ENTER");
    assert_int_equal(ui->view, PANE_DIFF);
    assert_true(ui->has_baseline);
    assert_same(ui->baseline->plan.value[PARAM_train_recompute], RECOMPUTE_FULL);
    assert_true(plan_equal(&ui->plan, &start_plan));
    assert_string_equal(ui->pin[0].name, "llama2-13b-recompute-fu"); /* what there is room for */
    play(ui, ": `baseline configs/plans/default.yaml` ENTER");
    expect_text(ui, "default.yaml against this plan");
    ui_free(ui);
}

static void a_plan_that_serves_is_left_alone(void **state)
{
    (void)state;
    struct ui *ui = make("configs/plans/llama3-8b-serving.yaml", 120, 40);
    play(ui, "6 8 ENTER");
    assert_false(advisor_is_busy(ui));
    assert_true(plan_equal(&ui->plan, &start_plan));
    play(ui, ": `sweep batch_size=1,16` ENTER"); /* whose sweep has figures of serving */
    expect_text(ui, "a whole answer, s");
    assert_same(ui->advisor->cell[1].value, ui->now->serving.request_s);
    play(ui, "v");
    assert_same(ui->advisor->cell[1].value, ui->now->serving.tokens_per_s);
    ui_free(ui);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_shown_is_worked_out),
        cmocka_unit_test(where_there_is_no_line_nothing_is_worked_out),
        cmocka_unit_test(the_line_takes_the_room_that_is_left),
        cmocka_unit_test(the_line_names_the_layout_to_take),
        cmocka_unit_test(the_layout_to_take_is_of_all_as_good),
        cmocka_unit_test(the_best_layout_has_none_to_go_to),
        cmocka_unit_test(work_ends_and_begins_again),
        cmocka_unit_test(a_change_is_taken_and_taken_back),
        cmocka_unit_test(the_best_layout_is_loaded),
        cmocka_unit_test(what_is_undone_is_cut_between_changes),
        cmocka_unit_test(the_front_is_walked),
        cmocka_unit_test(the_tuner_takes_the_mouse),
        cmocka_unit_test(a_pair_that_mends_is_taken),
        cmocka_unit_test(changes_are_put_in_order),
        cmocka_unit_test(a_cell_is_loaded),
        cmocka_unit_test(view_8_says_why_there_is_nothing),
        cmocka_unit_test(options_of_a_search_say_what_they_take),
        cmocka_unit_test(a_field_is_swept),
        cmocka_unit_test(a_cell_is_pressed_twice),
        cmocka_unit_test(what_an_objective_lacks_is_said),
        cmocka_unit_test(a_cell_has_its_best_layout),
        cmocka_unit_test(keys_are_freed),
        cmocka_unit_test(a_search_has_limits),
        cmocka_unit_test(a_search_is_stopped),
        cmocka_unit_test(faults_of_a_search_are_said),
        cmocka_unit_test(a_row_has_the_figures_of_its_plan),
        cmocka_unit_test(a_row_is_pinned),
        cmocka_unit_test(faults_of_a_sweep_are_said),
        cmocka_unit_test(cells_say_what_they_are),
        cmocka_unit_test(a_file_is_compared),
        cmocka_unit_test(a_plan_that_serves_is_left_alone),
    };
    return cmocka_run_group_tests_name("ui_advisor", tests, NULL, NULL) != 0;
}
