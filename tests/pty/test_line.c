/* Slow lines, and answers of the terminal at any moment, in a time of their own: nothing depends on the machine. */
#include "tests/check.h"
#include "tests/pty/line.h"

#include <locale.h>
#include <signal.h>

#define UP    "\033[A"
#define DOWN  "\033[B"
#define RIGHT "\033[C"
#define ENTER "\r"
#define ESC   "\033"

enum { LONG_MS = 60000 };

static int end(void **state)
{
    (void)state;
    line_end();
    return 0;
}

/* Starts it and waits until all has settled. */
static void start(const struct line_options *options)
{
    line_start(options);
    line_settle();
    assert_true(line_is_up());
}

static void type(const char *keys)
{
    line_type(keys);
    line_settle();
}

/* How often a text was sent. */
static int times_sent(const char *text)
{
    size_t count;
    int times = 0;
    for (const char *at = line_sent(&count); (at = strstr(at, text)); at++)
        times++;
    return times;
}

static size_t sent(void)
{
    size_t count;
    line_sent(&count);
    return count;
}

/* ---- slow lines ------------------------------------------------------------------------------------------------- */

/* A line, and how many seconds it may need after the last key until the header stands. */
struct slow {
    double bytes_per_s;
    bool is_mute; /* its terminal answers nothing */
    int rows, columns;
    int later_rows, later_columns; /* a size that it gets between the keys; 0: none */
    double behind_s;
};

/* Presses + and - in turn, 60 times a second, then + twice; returns the seconds until the header shows them. */
static double seconds_behind(const struct slow *slow)
{
    enum { PRESSES = 60 };
    start(&(struct line_options){
        .rows = slow->rows, .columns = slow->columns, .bytes_per_s = slow->bytes_per_s, .is_mute = slow->is_mute});
    type("/tp" ENTER);
    for (int i = 0; i < PRESSES; i++) {
        line_type(i % 2 ? "-" : "+");
        if (i == PRESSES / 2 && slow->later_rows)
            line_resize(slow->later_rows, slow->later_columns);
        line_run(1000 / 60.0);
    }
    line_type("++");
    return line_until("tp 8 ", LONG_MS) / 1e3;
}

static void a_slow_line_is_not_flooded(void **state)
{
    (void)state;
    static const struct slow lines[] = {{960, false, 24, 80, 0, 0, 1}, {960, false, 60, 200, 0, 0, 1},
                                        {960, false, 24, 80, 30, 100, 1}, {240, false, 24, 80, 0, 0, 3},
                                        {960, true, 60, 200, 0, 0, 1},    {960, true, 24, 80, 30, 100, 1},
                                        {240, true, 24, 80, 30, 100, 3}};
    for (size_t i = 0; i < COUNT(lines); i++) {
        double behind = seconds_behind(&lines[i]);
        assert_that(behind < lines[i].behind_s, "line %zu: %.2f s behind", i, behind);
        line_end();
    }
}

#define LAYOUT_64 "--set model.name=llama3-70b --set hardware.nodes=8 --set parallel.tp=8 --set parallel.pp=4"

/* What people come for, five keys a second, and what then shows that it is done. */
static const struct {
    const char *arguments, *keys, *done;
} tasks[] = {{NULL, "/llama3-70b" ENTER, "llama3-70b   16 "}, /* another model */
             {NULL, "/gpus 64" ENTER, "6b   64 "},
             {NULL, "/#13" ENTER, "rank 13 = n1 g5"},
             {LAYOUT_64, "/#37" ENTER, "rank 37 = n4 g5"},
             {LAYOUT_64, "/#37" ENTER, " 5 21 37 53"}, /* its groups */
             {NULL, "x", "Export"},
             {"default", "te", "time.stages.1.compute_s"},
             {"default", ENTER "4" ENTER, "tp 4 "},
             {NULL, "/gpus 64" ENTER "+", "6b   128 "}}; /* while the whole screen is on its way */

/* Does a task at a line of this speed; returns the seconds from the last key until it shows. */
static double seconds_of_task(size_t task, struct line_options line)
{
    enum { KEY_MS = 200 };
    line.arguments = tasks[task].arguments;
    start(&line);
    for (const char *key = tasks[task].keys; *key; key++) {
        line_type((const char[]){*key, '\0'});
        line_run(key[1] ? KEY_MS : 0);
    }
    double seconds = line_until(tasks[task].done, LONG_MS) / 1e3;
    line_end();
    return seconds;
}

/* At 9600 baud nobody waits much over a second, at 2400 for six. */
static void tasks_are_done_over_a_slow_line(void **state)
{
    (void)state;
    static const int sizes[][2] = {{24, 80}, {40, 120}, {60, 200}};
    /* speed, seconds, the same where it is mute */
    static const double limits[][3] = {{960, 1.4, 1.4}, {240, 5, 6}};
    for (size_t i = 0; i < 2 * COUNT(tasks) * COUNT(sizes) * COUNT(limits); i++) {
        const int *size = sizes[i / (2 * COUNT(tasks)) % COUNT(sizes)];
        const double *limit = limits[i / (2 * COUNT(tasks) * COUNT(sizes))];
        size_t task = i / 2 % COUNT(tasks);
        double seconds = seconds_of_task(task, (struct line_options){.rows = size[0],
                                                                     .columns = size[1],
                                                                     .bytes_per_s = limit[0],
                                                                     .is_mute = i % 2});
        assert_that(seconds <= limit[1 + i % 2], "%s at %dx%d, %.0f B/s%s: %.2f s", tasks[task].done, size[1], size[0],
                    limit[0], i % 2 ? ", mute" : "", seconds);
    }
}

static int by_size(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Bytes of a key. */
static int bytes_of(const char *key)
{
    size_t before = sent();
    line_type(key);
    line_run(200);
    return (int)(sent() - before);
}

/* Types each query of the palette's cases; returns what the slowest tenth of the letters is not less than. */
static int slowest_tenth_of_letters(void)
{
    enum { LETTERS_MAX = 2000 };
    static int bytes[LETTERS_MAX];
    char text[256];
    int n = 0;
    FILE *file = fopen("tests/data/palette.tsv", "r");
    assert_non_null(file);
    while (fgets(text, sizeof text, file)) {
        if (*text == '#')
            continue;
        bytes_of("/");
        for (const char *at = text; *at && *at != '\t' && *at != '\n' && n < LETTERS_MAX; at++)
            bytes[n++] = bytes_of((const char[]){*at, '\0'});
        bytes_of(ESC);
    }
    fclose(file);
    qsort(bytes, (size_t)n, sizeof *bytes, by_size);
    assert_true(n > 500);
    return bytes[n - 1 - n / 10];
}

static void a_letter_in_the_palette_is_few_bytes(void **state)
{
    (void)state;
    static const struct {
        int rows, columns, most;
    } sizes[] = {{24, 80, 700}, {40, 120, 1200}, {60, 200, 1200}};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        start(&(struct line_options){
            .rows = sizes[i].rows, .columns = sizes[i].columns, .arguments = LAYOUT_64});
        int bytes = slowest_tenth_of_letters();
        assert_that(bytes <= sizes[i].most, "%dx%d: %d bytes", sizes[i].columns, sizes[i].rows, bytes);
        line_end();
    }
}

/* What a step of a field sends, the rest of a large screen and the advice that comes later included. */
static void a_step_is_few_bytes(void **state)
{
    (void)state;
    static const struct {
        int rows, columns;
        const char *field;
        int most;
    } steps[] = {{24, 80, "/global_batch_size" ENTER, 400},   {24, 80, "/recompute" ENTER, 700},
                 {24, 80, "/micro_batch_size" ENTER, 840},    {24, 80, "/tp" ENTER, 1400},
                 {60, 200, "/global_batch_size" ENTER, 2000}, {60, 200, "/recompute" ENTER, 2300},
                 {60, 200, "/micro_batch_size" ENTER, 3000},  {60, 200, "/tp" ENTER, 4300}};
    for (size_t i = 0; i < COUNT(steps); i++) {
        start(&(struct line_options){
            .rows = steps[i].rows, .columns = steps[i].columns, .arguments = "llama3-70b-64h100 --theme slate"});
        type(steps[i].field);
        for (int k = 0; k < 2; k++) {
            size_t before = sent();
            type(k ? "-" : "+");
            int bytes = (int)(sent() - before);
            assert_that(bytes <= steps[i].most, "%s at %dx%d: %d bytes", steps[i].field, steps[i].columns,
                        steps[i].rows, bytes);
        }
        line_end();
    }
}

/* A terminal that never answers is asked three times, and then draws as it always did. */
static void a_mute_terminal_is_not_waited_for(void **state)
{
    (void)state;
    start(&(struct line_options){.is_mute = true});
    type("/tp" ENTER);
    for (int i = 0; i < 6; i++) {
        line_type(i % 2 ? "-" : "+");
        line_until(i % 2 ? "tp 2 " : "tp 4 ", LONG_MS);
    }
    assert_between(times_sent("\033[5n"), 1, 11);
    line_settle();
    line_type("+");
    assert_at_most(line_until("tp 4 ", LONG_MS), 600); /* what a line of 9600 baud takes for the frame before */
}

/* Between a frame and its answer nothing is sent, and any number of keys become one frame. */
static void a_frame_waits_for_the_answer_to_the_last(void **state)
{
    (void)state;
    start(&(struct line_options){.delay_ms = 900});
    type("/tp" ENTER);
    int asked = times_sent("\033[5n");
    size_t before = 0;
    for (int i = 0; i < 80; i++) {
        line_type(i % 2 ? "-" : "+");
        line_run(10);
        before = i == 0 ? sent() : before;
    }
    assert_int_equal(times_sent("\033[5n"), asked + 1);
    assert_int_equal(sent(), before);
    line_type("+");
    line_until("tp 4 ", 1000);
}

/* ---- keys and answers in pieces --------------------------------------------------------------------------------- */

/* A lone Esc is one after a moment; a sequence that comes in two parts within it is one key. */
static void escape_is_known_by_the_silence_after_it(void **state)
{
    (void)state;
    start(&(struct line_options){0});
    type(":set tp");
    line_type(ESC);
    line_run(20);
    line_expect(":set tp");
    line_run(20);
    assert_false(line_shows(":set tp"));
    type("/tp" ENTER ENTER "16");
    line_type(ESC);
    line_run(20);
    type("[D");
    type("0" ENTER);
    line_expect("106");
}

/* Answers are no keys and no text: in pieces, late, more than were asked for, cut by a key, or with rubbish in them. */
static void answers_never_become_text(void **state)
{
    (void)state;
    static const char *const pieces[] = {"\033[0n", "\033", "[0n", "\033[", "0n", "\033[0", "n",
                                         "\033[0n\033[0n", "\033[C\033[0n\033[C", "\033[0;9;9n", "\033[?0n"};
    start(&(struct line_options){.is_mute = true});
    type("/micro_batch_size" ENTER);
    line_type(ENTER "1");
    for (size_t i = 0; i < COUNT(pieces); i++) {
        line_type(pieces[i]);
        line_run(60);
    }
    type("6" ENTER);
    assert_false(line_shows("does nothing here"));
    line_expect(" 16 ");
}

/* Alt and a letter is a key at once, also while the terminal owes an answer: nobody asked for what begins like it. */
static void alt_is_no_answer(void **state)
{
    (void)state;
    start(&(struct line_options){0});
    type("/global_batch_size" ENTER);
    line_expect(" 512 ");
    line_mute(true);
    line_type(DOWN UP);
    line_run(1);
    line_type("\033_");
    line_type("\033X\033^");
    line_run(1);
    line_mute(false);
    line_type("\033[0n");
    line_settle();
    line_expect(" 256 ");
}

/* Half a second is long for an answer: frames go on meanwhile, and it is still none of the keys. */
static void a_late_answer_is_an_answer(void **state)
{
    (void)state;
    start(&(struct line_options){.is_mute = true});
    type("/tp" ENTER);
    for (int i = 0; i < 2; i++) {
        line_type(i % 2 ? "-" : "+");
        line_until(i % 2 ? "tp 2 " : "tp 4 ", LONG_MS);
        line_run(500);
        line_type("\033[0n");
    }
    line_settle();
    assert_false(line_shows("does nothing here"));
    line_expect("tp 2 ");
}

/* An answer that comes just after the end does not become what is typed to the shell. */
static void an_answer_after_the_end_is_taken(void **state)
{
    (void)state;
    start(&(struct line_options){0});
    line_mute(true);
    size_t before = sent();
    line_type(DOWN);
    while (sent() == before)
        line_run(1);
    line_type("q");
    line_run(30);
    assert_true(line_is_up());
    line_type("\033[0n");
    line_run(1);
    assert_false(line_is_up());
    assert_int_equal(line_unread(), 0);
}

/* The connection is lost: the program ends at once. */
static void a_lost_line_ends_it_at_once(void **state)
{
    (void)state;
    start(&(struct line_options){0});
    type("/tp" ENTER "+");
    double lost = line_now();
    assert_int_equal(line_end(), 129);
    assert_at_most(line_now() - lost, 100);
}

static void expect_theme(const char *name)
{
    char text[64];
    snprintf(text, sizeof text, "theme %s:", name);
    line_type(":theme" ENTER);
    line_until(text, 2000);
}

/* A theme for each background follows what the terminal says of it, whole or in pieces; none is waited for. */
static void a_theme_follows_the_background(void **state)
{
    (void)state;
    static const struct {
        const char *piece[4], *theme;
    } reports[] = {{{"\033[?997;1n"}, "slate"},
                   {{"\033[?997;", "2n"}, "paper"},
                   {{"\033]11;rgb:1010/1010/1010\033\\"}, "slate"},
                   {{"\033]1", "1;rgb:ff/f", "0/f0\033", "\\"}, "paper"},
                   {{"\033]11;rgb:10/10/10\007"}, "slate"},
                   {{"\033[?997;2n"}, "slate"}}; /* its own background is asked for again, and decides */
    line_start(&(struct line_options){.arguments = "--theme light:paper/dark:slate", .is_mute = true});
    line_run(300);
    assert_int_equal(times_sent("\033[?2031h\033]11;?\033\\\033[5n"), 1);
    expect_theme("default");
    for (size_t i = 0; i < COUNT(reports); i++) {
        line_type(DOWN);
        line_run(300);
        for (int k = 0; k < 4 && reports[i].piece[k]; k++) {
            line_type(reports[i].piece[k]);
            line_run(60);
        }
        expect_theme(reports[i].theme);
        assert_false(line_shows("does nothing here"));
    }
    line_type("q");
    line_run(200);
    assert_false(line_is_up());
    assert_true(times_sent("\033[?2031l") > 0);
}

/* ---- work between keys ------------------------------------------------------------------------------------------ */

/* The best of 150,000 layouts is sought between keys: what is typed shows before it is found; then all is silent. */
static void keys_are_not_kept_waiting_by_a_search(void **state)
{
    (void)state;
    line_start(&(struct line_options){
        .rows = 30,
        .columns = 190,
        .arguments = "--set model.name=deepseek-v3 --set hardware.gpu=h800-sxm-80 --set hardware.nodes=256 "
                     "--set parallel.ep=64"});
    line_until("deepseek-v3", LONG_MS);
    line_type(":zzz");
    line_until("zzz", LONG_MS);
    assert_int_equal(times_sent("best of all"), 0);
    line_type(ESC);
    line_until("best of all", LONG_MS);
    line_settle();
    size_t before = sent();
    line_run(LONG_MS);
    assert_int_equal(sent(), before);
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    signal(SIGPIPE, SIG_IGN);
#define TEST(name) cmocka_unit_test_teardown(name, end)
    const struct CMUnitTest tests[] = {
        TEST(a_slow_line_is_not_flooded),
        TEST(tasks_are_done_over_a_slow_line),
        TEST(a_letter_in_the_palette_is_few_bytes),
        TEST(a_step_is_few_bytes),
        TEST(a_mute_terminal_is_not_waited_for),
        TEST(a_frame_waits_for_the_answer_to_the_last),
        TEST(escape_is_known_by_the_silence_after_it),
        TEST(answers_never_become_text),
        TEST(alt_is_no_answer),
        TEST(a_late_answer_is_an_answer),
        TEST(an_answer_after_the_end_is_taken),
        TEST(a_lost_line_ends_it_at_once),
        TEST(a_theme_follows_the_background),
        TEST(keys_are_not_kept_waiting_by_a_search),
    };
    return cmocka_run_group_tests_name("line", tests, NULL, NULL) != 0;
}
