/* The line mode says what the screen says: every view, overlay, action and command answers to its name. */
#include "tests/check.h"

#include "ui/command/action.h"
#include "ui/command/command.h"
#include "ui/pane/pane.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* No file: what is saved asks for a name. */
static const char plan[] =
    "--model llama3-70b --gpu h100-sxm-80 --gpus 64 --set tp=8 --set pp=4 --set sp=true --set seq_length=8192";

/* What the line mode prints for some lines. */
static char *answer_of(const char *files, const char *lines)
{
    static char text[1 << 18];
    char command[5000];
    const char *program = getenv("SHARDTOP") ? getenv("SHARDTOP") : "build/shardtop";
    snprintf(command, sizeof command, "printf '%%b' '%s' | XDG_STATE_HOME= HOME=/dev/null %s --plain %s 2>&1",
             lines, program, files);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    text[fread(text, 1, sizeof text - 1, out)] = '\0';
    assert_int_equal(pclose(out), 0);
    char *end = strchr(text, '\n'); /* the first line is the plan */
    return end ? end + 1 : text;
}

static char *answer(const char *lines)
{
    return answer_of(plan, lines);
}

static void every_view_is_printed(void **state)
{
    (void)state;
    for (int view = PANE_FORMS; view < PANE_COUNT; view++) {
        char line[64];
        snprintf(line, sizeof line, "show %s\\n", view_rows[view].name);
        assert_that(strlen(answer(line)) > 60, "show %s: %s", view_rows[view].name, answer(line));
    }
    assert_non_null(strstr(answer("show what-if\\n"), "change"));
    assert_non_null(strstr(answer("tuner\\n"), "tp"));
}

/* The order of passes of 1F1B, by hand; of many stages and passes a part, and how to ask for the rest. */
static void passes_are_said_as_sentences(void **state)
{
    (void)state;
    const char *said = answer("gbs 512\\nshow schedule 0..8\\n");
    assert_non_null(strstr(said, "1f1b, stages 0 to 3, 256 micro-batches, bubble "));
    assert_non_null(
        strstr(said, "\nstage 0: pass 1 of 512 starts at 0 s: forward 0, forward 1, forward 2, forward 3, waits "));
    assert_non_null(strstr(said, " for backward 0 on stage 1, backward 0, "));
    assert_non_null(strstr(
        said, "forward 0, backward 0, forward 1, backward 1, forward 2, backward 2, forward 3, backward 3; waits "));
    assert_null(strstr(said, "stage 4"));
    assert_non_null(strstr(answer("show schedule 7..600 stages 3..3\\n"), "\nstage 3: pass 7 of 8 starts at "));
    assert_non_null(strstr(answer("show schedule 9..600\\n"), "\nstage 0 has 8 passes; waits "));
    said = answer("gpus 160 pp=20 gbs=64\\nshow schedule 1..100\\n");
    assert_non_null(strstr(
        said, "\nstages 16 to 19: show schedule 1..64 stages 16..19\npasses 65 to 100: show schedule 65..100\n"));
    assert_null(strstr(said, "stage 16:"));
    assert_null(strstr(answer("show schedule 8..1\\n"), "stage 0:"));
}

static void every_overlay_is_printed(void **state)
{
    (void)state;
    assert_non_null(strstr(answer("legend\\n"), "Capital letters are memory"));
    assert_non_null(strstr(answer("press w\\n"), "stage"));
    assert_non_null(strstr(answer("why\\n"), "differs"));
    assert_int_equal(strncmp(answer("find mbs\\n"), "field train.micro_batch_size", 28), 0);
    assert_non_null(strstr(answer("show\\n"), "per 1T tokens"));
    assert_non_null(strstr(answer("-\\nmessages\\n"), "tp 8 -> 4"));
}

/* What is asked for in part, of other stages, the other way round, or by a name that nothing has. */
static void questions_are_answered(void **state)
{
    (void)state;
    static const struct {
        const char *lines, *expected;
    } cases[] = {
        {"show comm\\n", "=   waited  "}, {"tp 4\\nshow mess\\n", " tp 8 -> 4: peak "},
        {"show nonsense\\n", "'nonsense' is not"},
        {"why 0 2\\n", "stage 2"}, {"why s1 s3\\n", "stage 1   stage 3"}, {"why 9 2\\n", "is not a value"},
        {"why time 3 0\\n", "works 0."}, {"why time\\n", "= busy "}, {"press t w\\n", "on both; idle: "},
        {"show time\\nwhy 0 3\\n", "on the device"}, {"press t e w\\n", "c compute"},
        {"why memory.stages.0.activations_bytes\\n", "20 layers x 4 passes x 268.3 MiB = 20.96 GiB"},
        {"explain time.mfu\\n", "TFLOP/s"},
        {"next tp\\n", "tp 8 -> 16: peak "}, {"go tp\\nprevious\\n", " slower, does not fit, "},
        {"tp 4\\ntp 8\\n", " GiB less, iteration "},
        {"workload train\\n", "workload train is now given: peak "},
        {"tp 4 pp 8\\nundo\\n", "undone: tp 4 -> 8, pp 8 -> 4: peak "},
        {"tp 4\\nundo\\nredo\\n", "done again: tp 8 -> 4: peak "}, {"load default\\nundo\\n", "undone: load default"},
        {"baseline\\ntp 4\\nbaseline 1 wide\\nbaselines\\n", "wide "},
        {"baseline\\ntp 4\\nchanged device_bytes\\n", "  tp 8 -> 4  "},
        {"baseline\\ntp 4\\nshow diff\\n", "Compare: pinned 1 ("}, {"changed\\n", "nothing is pinned"},
        {"framework fsdp2\\n", ", a guess, "}, {"show keys\\n", "start_view"},
        {"tp\\n", "works: 1 2 4 <8> 16"}, {"press 0 Right\\n", "one iteration: all micro-batches"},
        {"tp 3\\nshow time\\n", "works: 1 2 4 8 16; figures are those of the last valid plan\nmaths at peak speed "},
        {"tp 3\\nexplain time.iteration_s\\n", "valid plan\nExplain"},
        {"show\\n", "64 x h100-sxm-80, tp 8, cp 1, pp 4, vpp 1, ep 1, dp 2\n"},
        {"tp 4\\nshow\\n", ", dp 4, not saved\n"},
        {"baseline\\ntp 4\\nshow\\n", " against pinned 1\nMFU "},
        {"baseline\\nshow\\n", ", the same as pinned 1\nMFU "},
        {"tp 4\\nshow\\n", "headroom DOES NOT FIT "},
        {"gpus 160 pp=20 gbs=64\\ncolumns 200\\nshow memory\\n", "   s18   s19\n"},
        {"columns 9\\n", "columns are 40 to 400\npages are 100 columns wide"},
        {"help rank\\n", "rank N: go to a GPU"}, {"help legend\\n", "W weights"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_that(strstr(answer(cases[i].lines), cases[i].expected), "%s: %s", cases[i].lines,
                    answer(cases[i].lines));
    assert_null(strstr(answer("help rank\\n"), "lesson"));
}

static void keys_of_views_are_pressed(void **state)
{
    (void)state;
    assert_non_null(strstr(answer("press 3 H\\n"), "0#"));
    assert_non_null(strstr(answer("press 4 v\\n"), "passes of stage 0"));
    assert_non_null(strstr(answer("press - 1\\n"), "tp 8 -> 4: peak"));
}

static void every_action_and_command_is_known(void **state)
{
    (void)state;
    char lines[4096] = "";
    for (int i = 1; i < ACTION_accept; i++)
        if (i != ACTION_quit && i != ACTION_interrupt)
            snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%s\\n", actions[i].name);
    assert_null(strstr(answer(lines), "is not a command"));
    lines[0] = '\0';
    for (int i = 0; i < command_count; i++)
        if (!strchr("qw", commands[i].name[0]))
            snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%s\\n", commands[i].name);
    assert_null(strstr(answer(lines), "is not a command"));
}

/* The file, what is assumed and open, and what to do: as the screen has them around its views. */
static void the_head_of_the_screen_is_said(void **state)
{
    (void)state;
    const char *said = answer_of("tests/screens/plan.yaml", "show\\n");
    assert_non_null(strstr(said, "64 x h100-sxm-80, tp 8, "));
    assert_non_null(strstr(said, ", dp 2, file tests/screens/plan.yaml\n"));
    const char *change = strstr(said, "\nwhat-if: "), *best = strstr(said, "\ntuner: best ");
    assert_true(change && best && strchr(change, '%') < strchr(change + 1, '\n') && strchr(best, '%'));
    assert_null(strstr(said, "open question"));
    said = answer_of("-q tests/scripts/gpt_2023.sh", "show\\n");
    assert_non_null(strstr(said, "16 x h100-sxm-80 (assumed), "));
    assert_non_null(strstr(said, "\n1 open question: messages lists it\n"));
}

/* What no framework would start with is shown, with the reason, and not written. */
static void a_plan_with_faults_is_not_written(void **state)
{
    (void)state;
    static const char why[] = "no framework would start with this plan";
    static const char path[] = "/tmp/shardtop-test-export.sh";
    char lines[200];
    unlink(path);
    snprintf(lines, sizeof lines, "tp 8\\nexport megatron\\n");
    assert_null(strstr(answer(lines), why));
    snprintf(lines, sizeof lines, "tp 3\\nexport megatron\\n");
    const char *said = answer(lines);
    assert_true(strstr(said, "torchrun") && strstr(said, why));
    snprintf(lines, sizeof lines, "tp 3\\nexport megatron %s\\n", path);
    said = strstr(answer(lines), why);
    assert_true(said && check_mentions(said, "no file is written: tp: tp 3 does not divide 64 heads"));
    assert_int_not_equal(access(path, F_OK), 0);
}

static void ranks_and_streams_answer(void **state)
{
    (void)state;
    assert_non_null(strstr(answer("#37\\n"), "5 21 37 53"));
    assert_non_null(strstr(answer(":#37\\n:#37\\nrank 36\\n"), "rank 36 = n4 g4"));
    assert_non_null(strstr(answer("#-1\\n"), "there are 0 to 63"));
    assert_non_null(strstr(answer(":#999999999999\\n"), "there are 0 to 63"));
    assert_string_equal(answer("# 37 is a rank\\n"), "");
    assert_non_null(strstr(answer("load -\\ntp 4\\n"), "standard input is the keyboard"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_view_is_printed),
        cmocka_unit_test(passes_are_said_as_sentences),
        cmocka_unit_test(every_overlay_is_printed),
        cmocka_unit_test(questions_are_answered),
        cmocka_unit_test(keys_of_views_are_pressed),
        cmocka_unit_test(the_head_of_the_screen_is_said),
        cmocka_unit_test(a_plan_with_faults_is_not_written),
        cmocka_unit_test(ranks_and_streams_answer),
        cmocka_unit_test(every_action_and_command_is_known),
    };
    return cmocka_run_group_tests_name("plain", tests, NULL, NULL) != 0;
}
