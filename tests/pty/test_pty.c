/* The program on a terminal: what keys do, what a terminal is sent, and how it is left behind. */
#include "tests/check.h"
#include "tests/pty/pty.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define UP           "\033[A"
#define DOWN         "\033[B"
#define RIGHT        "\033[C"
#define LEFT         "\033[D"
#define ENTER        "\r"
#define ESC          "\033"
#undef CTRL
#define CTRL(letter) ((const char[]){(letter) & 0x1f, '\0'})

/*
 * What is waited for comes at once or never: the time after which a test gives up is none that it measures. What hangs
 * on time is tested in test_line.c, where time does not depend on the machine.
 */
enum { PATIENCE_MS = 60000 };

static struct pty *pty;

static int end(void **state)
{
    (void)state;
    pty_end(pty);
    pty = NULL;
    return 0;
}

static void start_with(const struct pty_options *options)
{
    pty = pty_start(options);
    assert_that(pty_sync(pty), "the program ended with %d", pty_wait_exit(pty, 1000));
}

static void start(void)
{
    start_with(&(struct pty_options){0});
}

/* With a plan: the screen of all views, not what may be wanted. */
static void start_plan(void)
{
    start_with(&(struct pty_options){.arguments = "default"});
}

static void expect_exit(int status)
{
    int got = pty_wait_exit(pty, PATIENCE_MS);
    assert_int_equal(got, status);
    assert_true(pty_is_restored(pty));
    assert_string_equal(pty_leftovers(pty), "");
}

/* The screen is as it was; frees what it was. */
static void expect_unchanged(char *before)
{
    char *after = pty_screen(pty), *rest[2] = {before, after};
    for (const char *was, *is; (was = strsep(&rest[0], "\n")) && (is = strsep(&rest[1], "\n"));)
        assert_that(strcmp(was, is) == 0, "a row was\n%s\nand is\n%s", was, is);
    free(before);
    free(after);
}

/* Moves to the field of this name. */
static void go_to(const char *field)
{
    pty_type(pty, "/");
    pty_type(pty, field);
    pty_type(pty, ENTER);
}

/* The row of the form that has this label. */
static const char *form_row(const char *label)
{
    int row, column;
    assert_that(pty_find(pty, label, &row, &column), "no row '%s'", label);
    return pty_row(pty, row);
}

static void set(const char *field, const char *value)
{
    go_to(field);
    pty_type(pty, ENTER);
    pty_type(pty, value);
    pty_type(pty, ENTER);
}

static bool file_holds(const char *name, const char *text)
{
    char path[512];
    static char bytes[65536];
    snprintf(path, sizeof path, "%s/%s", pty_home(pty), name);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    size_t n = fread(bytes, 1, sizeof bytes - 1, file);
    bytes[n] = '\0';
    fclose(file);
    return strstr(bytes, text) != NULL;
}

/* Whether a plan that was not saved is kept in this home for a restart, with this in it. */
static bool is_kept(const char *text)
{
    char folder[512], name[512];
    bool is_found = false;
    snprintf(folder, sizeof folder, "%s/.local/state/shardtop/sessions", pty_home(pty));
    DIR *entries = opendir(folder);
    for (const struct dirent *entry; entries && !is_found && (entry = readdir(entries));) {
        snprintf(name, sizeof name, ".local/state/shardtop/sessions/%.250s", entry->d_name);
        is_found = entry->d_name[0] != '.' && file_holds(name, text);
    }
    if (entries)
        closedir(entries);
    return is_found;
}

/* Waits until it is, or is no more: that is done after the keys were answered. */
static void wait_until_kept(const char *text, bool wanted)
{
    for (double end = pty_now() + PATIENCE_MS; is_kept(text) != wanted && pty_now() < end;)
        pty_settle(pty, 1);
    assert_int_equal(is_kept(text), wanted);
}

/* ---- starting and leaving --------------------------------------------------------------------------------------- */

static void starts_on_the_alternate_screen_and_quits(void **state)
{
    (void)state;
    start_plan();
    assert_true(pty_is_alternate(pty));
    pty_expect(pty, "FITS");
    pty_expect(pty, "tp");
    pty_write(pty, "q", 1);
    expect_exit(0);
    assert_false(pty_is_alternate(pty));
    size_t size, left = 0;
    const char *output = pty_output(pty, &size), *p = output;
    for (; (p = memmem(p, size - (size_t)(p - output), "\033[?1049l", 8)); p++)
        left++;
    assert_int_equal(left, 1); /* twice would take a title that is not ours from the stack */
}

static void without_a_plan_it_asks_what_is_wanted(void **state)
{
    (void)state;
    start();
    pty_expect(pty, "NO PLAN");
    pty_expect(pty, "What do you want?");
    pty_type(pty, "/");
    pty_expect(pty, "Find");
    pty_type(pty, ESC); /* back to where it was opened */
    pty_expect(pty, "NO PLAN");
    pty_type(pty, ENTER); /* the answer that is selected */
    assert_false(pty_shows(pty, "NO PLAN"));
    pty_expect(pty, "RTX 4090");
    pty_expect(pty, "FITS");
    pty_type(pty, ":start" ENTER);
    pty_expect(pty, "What do you want?");
    pty_type(pty, "6"); /* a key of the screen works at once */
    pty_expect(pty, "What would be faster");
}

static void the_first_keys_are_told_until_a_change(void **state)
{
    (void)state;
    start();
    pty_expect(pty, "New here?");
    pty_type(pty, DOWN UP);
    pty_type(pty, "+");
    assert_false(pty_shows(pty, "New here?"));
    wait_until_kept("tp: 4", true);
    struct pty *first = pty;
    start_with(&(struct pty_options){.home = pty_home(first)});
    assert_false(pty_shows(pty, "New here?"));
    pty_end(first);
}

static void a_lesson_is_played_and_left(void **state)
{
    (void)state;
    start_with(&(struct pty_options){.arguments = "lesson pipeline"});
    assert_true(pty_shows(pty, "pipeline 1/15 bubble"));
    pty_type(pty, " ");
    assert_true(pty_shows(pty, "answer >"));
    pty_type(pty, "8.6" ENTER);
    assert_true(pty_shows(pty, "right"));
    pty_type(pty, "\t");
    pty_type(pty, ":micro_batch_size 2" ENTER);
    pty_type(pty, "C");
    assert_true(pty_shows(pty, "yours: r resets"));
    pty_type(pty, " ");
    assert_true(pty_shows(pty, "pipeline 3/15 m64"));
    pty_type(pty, "q");
    assert_true(pty_shows(pty, "your plan is as it was"));
    assert_true(pty_shows(pty, "gpt-6.6b"));
    assert_true(file_holds(".local/state/shardtop/lessons.yaml", "pipeline: {step: m64, finished: 0, done: 1"));
    pty_type(pty, ":q!" ENTER);
    expect_exit(0);
}

static void asks_before_changes_are_lost(void **state)
{
    (void)state;
    start();
    go_to("tp");
    pty_type(pty, "+");
    pty_type(pty, "q");
    pty_expect(pty, "1 change");
    pty_type(pty, "n");
    assert_false(pty_shows(pty, "1 change"));
    pty_type(pty, "q");
    pty_write(pty, "y", 1);
    expect_exit(0);
}

static void interrupt_leaves_and_keeps_the_plan(void **state)
{
    (void)state;
    start();
    set("micro_batch_size", "2");
    pty_type(pty, ":tp 4");
    pty_write(pty, "\003\003", 2); /* closes the line; a second one leaves */
    int status = pty_wait_exit(pty, PATIENCE_MS);
    assert_true(status == 0 || status == 130);
    assert_true(pty_is_restored(pty));
    assert_string_equal(pty_leftovers(pty), "");
}

static void a_terminal_without_cursor_addressing_is_refused(void **state)
{
    (void)state;
    pty = pty_start(&(struct pty_options){.term = "dumb"});
    assert_int_equal(pty_wait_exit(pty, PATIENCE_MS), 2);
    assert_true(pty_is_restored(pty));
    size_t count;
    assert_non_null(strstr(pty_output(pty, &count), "dumb"));
}

static void an_unknown_terminal_falls_back(void **state)
{
    (void)state;
    start_with(&(struct pty_options){.arguments = "default", .term = "xterm-nobody-knows"});
    pty_expect(pty, "FITS");
    pty_write(pty, "q", 1);
    expect_exit(0);
}

static void plain_terminals_work(void **state)
{
    (void)state;
    static const char *const terms[] = {"vt100", "linux", "xterm", "screen-256color", "vt220"};
    for (size_t i = 0; i < COUNT(terms); i++) {
        start_with(&(struct pty_options){.arguments = "default", .term = terms[i]});
        pty_expect(pty, "FITS");
        pty_type(pty, DOWN);
        pty_write(pty, "q", 1);
        assert_int_equal(pty_wait_exit(pty, PATIENCE_MS), 0);
        assert_true(pty_is_restored(pty));
        assert_string_equal(pty_row(pty, 23), ""); /* where a prompt stands then */
        end(NULL);
    }
}

static void the_c_locale_shows_ascii_only(void **state)
{
    (void)state;
    start_with(&(struct pty_options){.arguments = "default", .locale = "C"});
    pty_expect(pty, "FITS");
    pty_type(pty, "3");
    size_t count;
    const char *output = pty_output(pty, &count);
    for (size_t i = 0; i < count; i++)
        assert_that((unsigned char)output[i] < 0x80, "byte %zu is %02x", i, (unsigned char)output[i]);
}

static void no_color_sends_no_colour(void **state)
{
    (void)state;
    start_with(&(struct pty_options){.arguments = "default", .env = {"NO_COLOR=1"}});
    assert_false(pty_has_colour(pty));
    pty_expect(pty, "FITS");
    end(NULL);
    start_plan();
    assert_true(pty_has_colour(pty));
}

/* ---- editing ---------------------------------------------------------------------------------------------------- */

static void an_edit_with_a_suffix_changes_the_numbers(void **state)
{
    (void)state;
    start();
    char before[256];
    snprintf(before, sizeof before, "%s", pty_row(pty, 1));
    set("seq_length", "1k");
    pty_expect(pty, "1,024");
    assert_string_not_equal(before, pty_row(pty, 1));
}

static void expressions_and_relative_changes_are_taken(void **state)
{
    (void)state;
    start();
    set("global_batch_size", "2*128");
    pty_expect(pty, "256");
    set("global_batch_size", "x2");
    pty_expect(pty, "512");
}

static void a_bad_value_is_refused_with_its_reason(void **state)
{
    (void)state;
    start();
    go_to("parallel.tp");
    pty_type(pty, ENTER);
    pty_type(pty, "eight");
    pty_type(pty, ENTER);
    pty_expect(pty, "is not a number");
    pty_type(pty, ESC);
    assert_null(strstr(form_row("tp "), " eight"));
    pty_expect(pty, "FITS");
}

static void an_invalid_plan_says_which_values_work(void **state)
{
    (void)state;
    start();
    set("parallel.tp", "3");
    pty_expect(pty, "NOT VALID");
    pty_expect(pty, "works: 1 2 4");
    pty_type(pty, "u");
    assert_false(pty_shows(pty, "NOT VALID"));
}

static void plus_and_minus_step_to_values_that_work(void **state)
{
    (void)state;
    start();
    go_to("parallel.tp");
    pty_expect(pty, "tp 2");
    pty_type(pty, "+");
    pty_expect(pty, "tp 4");
    pty_type(pty, "-");
    pty_expect(pty, "tp 2");
    pty_type(pty, "-");
    pty_expect(pty, "tp 1");
    assert_false(pty_shows(pty, "NOT VALID"));
}

static void undo_and_redo_walk_through_the_changes(void **state)
{
    (void)state;
    start();
    char *first = pty_screen(pty);
    go_to("parallel.tp");
    pty_type(pty, "+");
    pty_type(pty, "+");
    pty_expect(pty, "tp 8");
    pty_type(pty, "u");
    pty_expect(pty, "tp 4");
    pty_type(pty, "u");
    pty_expect(pty, "tp 2");
    pty_type(pty, CTRL('R'));
    pty_expect(pty, "tp 4");
    pty_type(pty, CTRL('R'));
    pty_expect(pty, "tp 8");
    free(first);
}

static void escape_leaves_an_edit_as_it_was(void **state)
{
    (void)state;
    start();
    go_to("parallel.tp");
    char before[256];
    snprintf(before, sizeof before, "%s", pty_row(pty, 0));
    pty_type(pty, ENTER);
    pty_type(pty, "8");
    pty_type(pty, ESC);
    assert_string_equal(pty_row(pty, 0), before);
}

static void pasted_text_is_text_and_never_a_command(void **state)
{
    (void)state;
    start_plan();
    pty_type(pty, "\033[200~qqq\ry\033[201~");
    assert_int_equal(pty_wait_exit(pty, 50), -1);
    pty_expect(pty, "FITS");
    pty_type(pty, ESC);
    go_to("global_batch_size");
    pty_type(pty, ENTER);
    pty_type(pty, "\033[200~1024\033[201~");
    pty_type(pty, ENTER);
    pty_expect(pty, "1,024");
}

/* ---- views ------------------------------------------------------------------------------------------------------ */

static void the_views_differ(void **state)
{
    (void)state;
    start();
    static const char *const keys[] = {"1", "2", "3", "5"};
    pty_type(pty, "l"); /* digits typed fast in a form may be a number */
    char *seen[COUNT(keys)];
    for (size_t i = 0; i < COUNT(keys); i++) {
        pty_type(pty, keys[i]);
        seen[i] = pty_screen(pty);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(seen[i], seen[j]);
    }
    for (size_t i = 0; i < COUNT(keys); i++)
        free(seen[i]);
}

static void help_is_searched_by_typing_and_run(void **state)
{
    (void)state;
    start_plan();
    pty_type(pty, "?");
    pty_expect(pty, "Keys here");
    pty_type(pty, "?");
    pty_expect(pty, "Keys and commands");
    pty_type(pty, "devices");
    pty_expect(pty, "view 3");
    pty_type(pty, ENTER);
    assert_false(pty_shows(pty, "Keys and commands"));
    pty_expect(pty, "3 Who talks");
}

static void explain_opens_a_number_and_its_parts(void **state)
{
    (void)state;
    start();
    pty_type(pty, "e");
    pty_expect(pty, "Explain");
    pty_type(pty, ESC);
    assert_false(pty_shows(pty, "Explain"));
    pty_type(pty, ":explain activations_bytes" ENTER);
    pty_expect(pty, "activations_bytes");
    pty_type(pty, "q");
    assert_false(pty_shows(pty, "Explain"));
}

static void search_goes_to_a_field(void **state)
{
    (void)state;
    start();
    go_to("gpus_per_node");
    pty_expect(pty, "gpus_per_node");
    go_to("vocab_size");
    pty_expect(pty, "vocab_size");
}

static void the_command_line_sets_keys_and_says_what_is_wrong(void **state)
{
    (void)state;
    start();
    pty_type(pty, ":set tp 8" ENTER);
    pty_expect(pty, "tp 8");
    pty_type(pty, ":set hiden_size 8" ENTER);
    pty_expect(pty, "hidden_size");
    pty_type(pty, ESC);
    pty_type(pty, ":nonsense" ENTER);
    pty_expect(pty, "nonsense");
}

static void a_pinned_baseline_shows_differences(void **state)
{
    (void)state;
    start();
    pty_type(pty, "b");
    set("micro_batch_size", "2");
    pty_expect(pty, "against pinned 1");
    pty_type(pty, "d");
    pty_expect(pty, "micro-batch           4 -> 2");
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static void a_plan_is_saved_and_loaded(void **state)
{
    (void)state;
    start();
    set("parallel.tp", "8");
    pty_type(pty, ":save kept.yaml" ENTER);
    assert_true(file_holds("kept.yaml", "tp: 8"));
    pty_type(pty, ":set tp 1" ENTER);
    pty_expect(pty, "tp 1");
    pty_type(pty, ":load kept.yaml" ENTER);
    pty_expect(pty, "tp 8");
    pty_write(pty, "q", 1);
    expect_exit(0);
}

static const char commented[] = "# ours\nmodel: llama2-7b\nparallel:\n  tp: 2   # two: why\n  pp: 1\n";

/* A home of the test's own, for several runs one after the other or at once. */
static char home[64];

static void make_home(const char *name, const char *text)
{
    char path[128];
    snprintf(home, sizeof home, "%s/test_pty.XXXXXX", pty_room());
    assert_non_null(mkdtemp(home));
    snprintf(path, sizeof path, "%s/%s", home, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void append(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", home, name);
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void start_at_home(const char *arguments)
{
    start_with(&(struct pty_options){.home = home, .arguments = arguments});
}

static int end_home(void **state)
{
    char command[96];
    end(state);
    snprintf(command, sizeof command, "rm -rf '%s'", home);
    return system(command) == 0 ? 0 : -1;
}

static void saving_keeps_comments_and_changes_one_value(void **state)
{
    (void)state;
    make_home("p.yaml", commented);
    start_at_home("p.yaml");
    pty_type(pty, CTRL('S')); /* nothing is written, nothing kept */
    pty_expect(pty, "already holds this plan");
    go_to("parallel.tp");
    pty_type(pty, "+");
    pty_type(pty, CTRL('S'));
    pty_expect(pty, "p.yaml: 1 value changes: tp 2 -> 4");
    pty_type(pty, "y");
    pty_expect(pty, "saved p.yaml: 1 value changed");
    assert_true(file_holds("p.yaml", "# ours\nmodel: llama2-7b\nparallel:\n  tp: 4   # two: why\n  pp: 1\n"));
    pty_expect(pty, "before: p.yaml~");
    pty_type(pty, "+");
    pty_type(pty, CTRL('S')); /* asked and kept once */
    pty_expect(pty, "saved p.yaml: 1 value changed, the rest as it was");
    assert_true(file_holds("p.yaml~", "tp: 2   # two: why"));
    assert_true(file_holds("p.yaml", "tp: 8   # two: why"));
}

static void a_script_is_never_replaced_by_a_plan(void **state)
{
    (void)state;
    static const char script[] = "#!/bin/sh\ntorchrun pretrain_gpt.py --num-layers 4 --hidden-size 512 "
                                 "--num-attention-heads 8 --seq-length 512\n";
    make_home("train.sh", script);
    start_at_home(NULL);
    pty_type(pty, ":load train.sh" ENTER);
    go_to("micro_batch_size");
    pty_type(pty, "+");
    pty_type(pty, CTRL('S'));
    pty_expect(pty, "save train.yaml");
    pty_type(pty, ENTER);
    pty_expect(pty, "saved train.yaml");
    assert_true(file_holds("train.sh", script));
    assert_true(file_holds("train.yaml", "micro_batch_size: 2"));
}

static void a_script_is_changed_by_a_patch_that_was_shown(void **state)
{
    (void)state;
    make_home("run.sh",
              "TP=2 # two\ntorchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 8 --hidden-size 1024 "
              "--num-attention-heads 16 \\\n"
              "  --seq-length 1024 --max-position-embeddings 1024 --global-batch-size 8 --vocab-size 32000 \\\n"
              "  --tensor-model-parallel-size $TP\n");
    start_at_home("run.sh");
    set("parallel.tp", "4");
    pty_type(pty, CTRL('S'));
    pty_expect(pty, "`:export patch` change it");
    pty_type(pty, ESC);
    pty_type(pty, ":export patch" ENTER);
    pty_expect(pty, "+TP=4 # two");
    assert_true(file_holds("run.sh", "TP=2 # two"));
    pty_type(pty, ENTER);
    pty_expect(pty, "export patch run.sh");
    pty_type(pty, ENTER);
    pty_expect(pty, "changed run.sh as shown");
    assert_true(file_holds("run.sh", "TP=4 # two"));
    assert_true(file_holds("run.sh", "--tensor-model-parallel-size $TP"));
}

static void a_file_changed_on_disk_is_asked_about(void **state)
{
    (void)state;
    make_home("p.yaml", commented);
    start_at_home("p.yaml");
    go_to("parallel.tp");
    pty_type(pty, "+");
    append("p.yaml", "train:\n  seq_length: 512 # by another\n");
    pty_type(pty, CTRL('S'));
    pty_expect(pty, "Changed on disk");
    pty_type(pty, "d");
    pty_expect(pty, "on disk -> here");
    pty_type(pty, "a");
    pty_expect(pty, ":save");
    pty_type(pty, ESC);
    pty_type(pty, CTRL('S'));
    pty_type(pty, ESC);
    assert_false(pty_shows(pty, "Changed on disk"));
    assert_true(file_holds("p.yaml", "tp: 2   # two: why"));
    pty_type(pty, CTRL('S'));
    pty_type(pty, ENTER);
    pty_expect(pty, "saved p.yaml");
    assert_true(file_holds("p.yaml", "tp: 4   # two: why"));
    assert_true(file_holds("p.yaml", "# by another"));
    pty_type(pty, "+");
    pty_type(pty, CTRL('S'));
    pty_expect(pty, "saved p.yaml");
    append("p.yaml", "# by another, later\n"); /* what this run did not write is never lost */
    pty_type(pty, "-");
    pty_type(pty, CTRL('S'));
    pty_type(pty, "o");
    pty_expect(pty, "before: p.yaml~2");
    assert_true(file_holds("p.yaml~2", "# by another, later"));
    assert_true(file_holds("p.yaml~", "tp: 2   # two: why"));
}

static void a_file_that_was_not_opened_is_asked_about(void **state)
{
    (void)state;
    make_home("other.yaml", "tp: 1 # mine\n");
    append("precious.txt", "notes\n");
    start_at_home(NULL);
    pty_type(pty, ":w other.yaml" ENTER);
    pty_expect(pty, "not opened here");
    pty_type(pty, ESC);
    assert_true(file_holds("other.yaml", "tp: 1 # mine"));
    pty_type(pty, ":export precious.txt" ENTER);
    pty_expect(pty, "not opened here");
    pty_type(pty, "n");
    assert_true(file_holds("precious.txt", "notes"));
    pty_type(pty, ":export precious.txt" ENTER);
    pty_type(pty, ENTER);
    pty_expect(pty, "wrote the report");
    pty_type(pty, ":w precious.txt" ENTER);
    pty_expect(pty, "save precious.yaml");
}

static void two_runs_on_one_plan_do_not_overwrite_each_other(void **state)
{
    (void)state;
    make_home("p.yaml", commented);
    start_at_home("p.yaml");
    struct pty *first = pty;
    start_at_home("p.yaml");
    struct pty *second = pty;
    assert_false(pty_shows(second, "Restore"));
    pty = first;
    set("parallel.pp", "4");
    pty_type(first, CTRL('S'));
    pty_type(first, "y");
    pty_expect(first, "saved p.yaml");
    pty = second;
    set("parallel.cp", "2");
    pty_type(second, CTRL('S'));
    pty_expect(second, "Changed on disk");
    pty_type(second, ESC);
    assert_true(file_holds("p.yaml", "pp: 4"));
    pty_end(first);
}

static void what_a_killed_run_had_is_offered_until_it_is_taken(void **state)
{
    (void)state;
    make_home("p.yaml", commented);
    start_at_home("p.yaml");
    set("parallel.tp", "8");
    wait_until_kept("tp: 8", true);
    struct pty *first = pty;
    start_at_home(NULL); /* the other still runs */
    assert_false(pty_shows(pty, "Restore"));
    pty_end(pty);
    pty_signal(first, SIGKILL);
    pty_wait_exit(first, PATIENCE_MS);
    pty_end(first);
    for (int i = 0; i < 2; i++) { /* a start that ends at once takes nothing away */
        start_at_home(NULL);
        pty_expect(pty, "p, 1 change (tp 8). Restore it?");
        pty_type(pty, "d"); /* looked at, the question stays */
        pty_expect(pty, "here -> as it was kept");
        pty_expect(pty, "Restore it?");
        pty_type(pty, ESC);
        assert_false(pty_shows(pty, "Restore"));
        pty_signal(pty, SIGTERM);
        pty_wait_exit(pty, PATIENCE_MS);
        pty_end(pty);
    }
    start_at_home("p.yaml");
    pty_expect(pty, "Restore it?");
    pty_type(pty, ENTER);
    pty_expect(pty, "tp 8");
    pty_type(pty, CTRL('S'));
    pty_type(pty, "y");
    pty_expect(pty, "saved");
    assert_true(file_holds("p.yaml", "tp: 8   # two: why"));
    wait_until_kept("", false);
    pty_end(pty);
    start_at_home("p.yaml");
    assert_false(pty_shows(pty, "Restore"));
}

static void leaving_without_saving_keeps_nothing(void **state)
{
    (void)state;
    make_home("p.yaml", commented);
    start_at_home("p.yaml");
    set("parallel.tp", "8");
    pty_type(pty, "q");
    pty_write(pty, "y", 1);
    expect_exit(0);
    pty_end(pty);
    start_at_home("p.yaml");
    assert_false(pty_shows(pty, "Restore"));
}

static void a_plan_that_cannot_be_kept_is_said_once(void **state)
{
    (void)state;
    make_home("blocked", "");
    char state_home[96];
    snprintf(state_home, sizeof state_home, "XDG_STATE_HOME=%s/blocked", home);
    start_with(&(struct pty_options){.home = home, .env = {state_home}});
    set("parallel.tp", "8");
    assert_true(pty_wait_for(pty, "not kept for a restart", PATIENCE_MS));
    set("parallel.tp", "4");
    pty_settle(pty, 50);
    assert_false(pty_shows(pty, "not kept"));
}

/* Fills the disk that home is on up to the last byte. */
static void fill_disk(void)
{
    char path[96], block[4096] = "";
    snprintf(path, sizeof path, "%s/ballast", home);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    while (fwrite(block, 1, sizeof block, file) == sizeof block && fflush(file) == 0)
        continue;
    fclose(file);
}

/*
 * A disk of its own where this process may mount one, full when the plan is saved: told, and nothing is lost or left.
 */
static void a_full_disk_is_told_and_takes_nothing_away(void **state)
{
    (void)state;
    char ballast[96];
    make_home("p.yaml", commented);
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", home, "tmpfs", 0, "size=64k") != 0)
        skip();
    append("p.yaml", commented);
    start_at_home("p.yaml");
    fill_disk();
    go_to("parallel.tp");
    pty_type(pty, "+");
    for (int i = 0; i < 100 && !pty_wait_for(pty, "not kept for a restart", 200); i++) { /* said when it is known */
        pty_type(pty, "+");
        pty_type(pty, "-");
    }
    pty_type(pty, CTRL('S'));
    pty_type(pty, "y");
    assert_true(pty_wait_for(pty, "No space left", PATIENCE_MS));
    assert_true(file_holds("p.yaml", commented));
    snprintf(ballast, sizeof ballast, "%s/ballast", home);
    unlink(ballast);
    pty_type(pty, CTRL('S'));
    pty_type(pty, "y");
    pty_expect(pty, "saved p.yaml: 1 value changed");
    assert_true(file_holds("p.yaml", "tp: 4   # two: why"));
    pty_write(pty, "q", 1);
    expect_exit(0);
    DIR *entries = opendir(home);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));)
        assert_null(strstr(entry->d_name, ".shardtop"));
    closedir(entries);
    assert_int_equal(umount2(home, MNT_DETACH), 0);
}

static void a_killed_save_leaves_no_file_after_the_next_start(void **state)
{
    (void)state;
    char name[256], host[65] = "";
    make_home("p.yaml", commented);
    gethostname(host, sizeof host - 1);
    snprintf(name, sizeof name, ".p.yaml.%s-2147483646-000001.shardtop", host);
    append(name, "half");
    start_at_home("p.yaml");
    snprintf(name, sizeof name, "%s/.p.yaml.%.64s-2147483646-000001.shardtop", home, host);
    assert_int_equal(access(name, F_OK), -1);
}

static void a_file_that_is_not_there_is_an_error_in_one_line(void **state)
{
    (void)state;
    start();
    pty_type(pty, ":load nowhere.yaml" ENTER);
    pty_expect(pty, "nowhere.yaml");
    pty_expect(pty, "FITS");
}

static void copying_sends_osc_52(void **state)
{
    (void)state;
    start();
    size_t before, after;
    pty_output(pty, &before);
    pty_type(pty, "yt");
    const char *output = pty_output(pty, &after), *mark = strstr(output + before, "\033]52;c;");
    assert_non_null(mark);
    mark += strlen("\033]52;c;");
    size_t n = strspn(mark, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=");
    assert_true(n >= 4 && n % 4 == 0);
    assert_true(mark[n] == '\a' || (mark[n] == '\033' && mark[n + 1] == '\\'));
}

/* ---- the terminal ----------------------------------------------------------------------------------------------- */

/* Magnifiers and screen readers follow the cursor: it is where the selection is, or what is typed. */
static void the_cursor_stands_on_what_is_selected(void **state)
{
    (void)state;
    int row = 0, column, at, first;
    start_plan();
    assert_true(pty_find(pty, "tp ", &at, &column) && pty_cursor(pty, &row, &first));
    assert_that(strstr(pty_row(pty, row), "tp ") && first >= 0 && first < 26, "row %d column %d", row, first);
    pty_type(pty, DOWN);
    assert_true(pty_cursor(pty, &at, &column) && at == row + 1);
    pty_type(pty, ENTER);
    pty_type(pty, "16");
    assert_true(pty_cursor(pty, &row, &column) && row == at);
    pty_type(pty, "0");
    assert_true(pty_cursor(pty, &row, &first) && first == column + 1);
    pty_type(pty, ESC);
    pty_type(pty, "2" DOWN);
    assert_true(pty_cursor(pty, &row, &column) && column > 26);
    pty_type(pty, DOWN);
    assert_true(pty_cursor(pty, &at, &column) && at == row + 1);
}

static void a_storm_of_sizes_is_survived(void **state)
{
    (void)state;
    static const struct {
        int rows, columns;
    } sizes[] = {{1, 1},  {60, 200}, {2, 3},     {5, 20}, {24, 80}, {1, 200},
                 {60, 1}, {12, 40},  {100, 300}, {3, 10}, {24, 80}};
    start();
    char *before = pty_screen(pty);
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < COUNT(sizes); i++) {
            pty_resize(pty, sizes[i].rows, sizes[i].columns);
            if (round != 1)
                assert_true(pty_sync(pty));
        }
    pty_sync(pty);
    expect_unchanged(before);
    pty_write(pty, "q", 1);
    expect_exit(0);
}

static void the_mouse_is_off_until_asked_for(void **state)
{
    (void)state;
    start();
    size_t count;
    assert_null(strstr(pty_output(pty, &count), "\033[?1000h"));
    pty_type(pty, "M");
    assert_non_null(strstr(pty_output(pty, &count), "1000h"));
    int row, column;
    assert_true(pty_find(pty, "pp", &row, &column));
    char click[64];
    snprintf(click, sizeof click, "\033[<0;%d;%dM\033[<0;%d;%dm", column + 1, row + 1, column + 1, row + 1);
    pty_type(pty, click);
    pty_type(pty, "\033[<64;5;5M");
    pty_expect(pty, "usable");
    pty_type(pty, "u");
    pty_write(pty, click, 4); /* the rest of a report comes late over a line that stops and goes, and is no key */
    pty_settle(pty, 120);
    pty_type(pty, click + 4);
    assert_false(pty_shows(pty, "Enter first"));
    assert_false(pty_shows(pty, "does nothing here"));
    pty_type(pty, "M");
    assert_string_not_equal(pty_leftovers(pty), "mouse");
    pty_type(pty, "\003");
    pty_expect(pty, "^C again quits");
    pty_write(pty, "\003\003", 2); /* soon enough after the other */
    pty_wait_exit(pty, PATIENCE_MS);
    assert_string_equal(pty_leftovers(pty), "");
}

static void suspending_restores_and_coming_back_redraws(void **state)
{
    (void)state;
    start();
    pty_type(pty, "3");
    char *before = pty_screen(pty);
    pty_write(pty, CTRL('Z'), 1);
    assert_true(pty_wait_stopped(pty, PATIENCE_MS));
    assert_true(pty_is_restored(pty));
    assert_string_equal(pty_leftovers(pty), "");
    pty_foreground(pty);
    assert_true(pty_sync(pty));
    expect_unchanged(before);
    pty_write(pty, "q", 1);
    expect_exit(0);
}

static void a_size_changed_while_suspended_is_noticed(void **state)
{
    (void)state;
    start();
    pty_write(pty, CTRL('Z'), 1);
    assert_true(pty_wait_stopped(pty, PATIENCE_MS));
    pty_resize(pty, 40, 120);
    pty_foreground(pty);
    assert_true(pty_sync(pty));
    assert_true(strlen(pty_row(pty, 39)) > 0);
}

static void signals_leave_the_terminal_as_it_was(void **state)
{
    (void)state;
    static const int signals[] = {SIGTERM, SIGHUP, SIGINT, SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGQUIT};
    for (size_t i = 0; i < COUNT(signals); i++) {
        start();
        pty_type(pty, "M");
        pty_signal(pty, signals[i]);
        int status = pty_wait_exit(pty, PATIENCE_MS);
        assert_that(status == 128 + signals[i], "signal %d: status %d", signals[i], status);
        assert_that(pty_is_restored(pty), "signal %d leaves the line settings", signals[i]);
        assert_that(!pty_leftovers(pty)[0], "signal %d leaves: %s", signals[i], pty_leftovers(pty));
        end(NULL);
    }
}

/* Three at once: each gives its terminal a second. */
static void a_terminal_that_takes_nothing_does_not_keep_it(void **state)
{
    (void)state;
    static const int signals[] = {SIGTERM, SIGHUP, SIGINT};
    struct pty *all[COUNT(signals)];
    for (size_t i = 0; i < COUNT(signals); i++) {
        start_with(&(struct pty_options){.rows = 200, .columns = 400});
        all[i] = pty;
        assert_true(pty_fill(pty));
    }
    for (size_t i = 0; i < COUNT(signals); i++)
        pty_signal(all[i], signals[i]);
    for (size_t i = 0; i < COUNT(signals); i++) {
        pty = all[i];
        assert_that(pty_ends_unread(pty, PATIENCE_MS), "signal %d does not end it", signals[i]);
        assert_int_equal(pty_wait_exit(pty, PATIENCE_MS), 128 + signals[i]);
        end(NULL);
    }
}

/* A file that another program made one that does not wait: all of a frame comes all the same. */
static void a_file_that_does_not_wait_gets_whole_frames(void **state)
{
    (void)state;
    start_with(&(struct pty_options){.arguments = "default", .rows = 80, .columns = 250, .is_unwaiting = true});
    char *before = pty_screen(pty);
    assert_true(pty_fill(pty));
    assert_true(pty_sync(pty));
    expect_unchanged(before);
    pty_write(pty, "q", 1);
    expect_exit(0);
}

/* The connection is lost while the session leader ignores SIGHUP: the program sees an end of input. */
static void a_lost_line_ends_it_and_keeps_the_plan(void **state)
{
    (void)state;
    start();
    set("parallel.tp", "4");
    pty_drop(pty);
    assert_true(pty_wait_exit(pty, PATIENCE_MS) > 0);
    struct pty *dropped = pty;
    start_with(&(struct pty_options){.home = pty_home(dropped)});
    pty_expect(pty, "Restore it?");
    pty_type(pty, ENTER);
    pty_expect(pty, "tp 4");
    pty_end(dropped);
}

static void an_idle_program_is_silent(void **state)
{
    (void)state;
    start();
    size_t before = pty_bytes(pty);
    pty_settle(pty, 400);
    assert_int_equal(pty_bytes(pty), before);
}

/* Unknown sequences do nothing, least of all what their letters would do. */
static void unknown_sequences_do_nothing(void **state)
{
    (void)state;
    static const char *const sequences[] = {
        "\033[99;5q", "\033[1;9A", "\033Oq", "\033[<999;1;1M", "\033[200;1u", "\033]11;rgb:00/00/00\033\\",
        "\033[?62;c", "\033[I",    "\033[O", "\xff\xfe",       "\xe2\x82",    "\033[27;5;113~"};
    start_plan();
    char row[256];
    snprintf(row, sizeof row, "%s", pty_row(pty, 0));
    for (size_t i = 0; i < COUNT(sequences); i++) {
        pty_type(pty, sequences[i]);
        assert_int_equal(pty_wait_exit(pty, 5), -1);
    }
    pty_type(pty, ESC);
    assert_string_equal(pty_row(pty, 0), row);
}

/* Draws everything anew without a key, which would change the message: stopped and continued from outside. */
static void draw_in_full(void)
{
    pty_signal(pty, SIGTSTP);
    assert_true(pty_wait_stopped(pty, PATIENCE_MS));
    pty_foreground(pty);
    assert_true(pty_sync(pty));
}

/* A key, a click or turn of the wheel anywhere, a pasted text, or a number that arrives at once. */
static const char *random_event(struct check_random *random, bool *is_mouse)
{
    static const char *const keys[] = {UP,   DOWN,      LEFT,      RIGHT,  "\t", "\033[Z", "1",    "2",   "3", "5",
                                       "+",  "-",       "u",       "\022", "b",  "d",      "e",    ESC,   "?", ENTER,
                                       "v",  "z",       "<",       ">",    "/",  "h",      "8",    "n",   "T", "0",
                                       "i",  "\033[5~", "\033[6~", "g",    "G",  ":",      "\177", "w",   "t", " ",
                                       "a",  "L",       "H",       "m",    "4",  "6",      "x",    "s",   "f", "c",
                                       "[",  "]",       "*",       "E",    "C",  "F",      "o",    "\003"};
    static const char *const texts[] = {"4096\r", "8k", "1.5M", "\033[200~tp 4\r\nq\033[201~", "\033[200~\033[201~",
                                        "\033[200~:q!\r\033[A\033[201~", "64/pp", "12345678901234567890"};
    static char event[96];
    int kind = check_below(random, 10);
    *is_mouse = kind == 0;
    if (kind == 1)
        return check_pick(random, texts, COUNT(texts));
    if (kind > 1)
        return check_pick(random, keys, COUNT(keys));
    int button = check_below(random, 3) ? 0 : 64 + check_below(random, 2), x = 1 + check_below(random, 200);
    int y = 1 + check_below(random, 60);
    snprintf(event, sizeof event, "\033[<%d;%d;%dM\033[<%d;%d;%dm", button, x, y, button, x, y);
    return event;
}

/* What was drawn piece by piece equals a full redraw. */
static void check_pieces(int run, int number, const char *event)
{
    char *pieces = pty_screen(pty);
    draw_in_full();
    char *whole = pty_screen(pty);
    assert_that(strcmp(pieces, whole) == 0, "run %d event %d '%s': drawn by differences:\n%s\nin full:\n%s", run,
                number, event, pieces, whole);
    free(pieces);
    free(whole);
}

/* Any events at any sizes: it draws, a click is no unknown key, and it ends only where it is asked to. */
static void drawing_by_differences_equals_drawing_in_full(void **state)
{
    (void)state;
    static const char *const terms[] = {NULL, NULL, "linux", "screen-256color"}; /* and backgrounds, in the last */
    const char *wanted = getenv("SHARDTOP_RANDOM_EVENTS"); /* so many in one run, for a longer look */
    struct check_random random = {30};
    for (int run = 0; run < (wanted ? 1 : 4); run++) {
        for (int i = 0; i < (wanted ? atoi(wanted) : 120); i++) {
            bool is_mouse, was_refused = pty && pty_shows(pty, "does nothing here");
            if (!pty) {
                start_with(&(struct pty_options){.rows = run % 2 ? 40 : 24,
                                                 .columns = run % 2 ? 130 : 80,
                                                 .term = terms[run],
                                                 .arguments = run == 3 ? "--theme projector" : NULL});
                pty_type(pty, "M");
            }
            if (check_below(&random, 20) == 0)
                pty_resize(pty, 4 + check_below(&random, 60), 20 + check_below(&random, 180));
            const char *event = random_event(&random, &is_mouse);
            pty_type(pty, event);
            int status = pty_wait_exit(pty, 0);
            if (status >= 0) { /* a click on the hint that leaves, or ^C twice */
                assert_true(status == 0 || status == 130);
                expect_exit(status);
                end(NULL);
                continue;
            }
            assert_that(!is_mouse || was_refused || !pty_shows(pty, "does nothing here"), "'%s' is refused", event);
            if (!wanted || i % 10 == 0)
                check_pieces(run, i, event);
        }
        end(NULL);
    }
}

/* ---- budgets ---------------------------------------------------------------------------------------------------- */

static size_t bytes_of(const char *keys)
{
    size_t before = pty_bytes(pty);
    pty_type(pty, keys);
    return pty_bytes(pty) - before;
}

/* The aim for a move is 150 bytes (200 on a wide screen), see `make bench`; a field's help and effects come on top. */
static void check_budget(int rows, int columns, size_t move, size_t edit, size_t redraw)
{
    start_with(&(struct pty_options){.rows = rows, .columns = columns});
    go_to("micro_batch_size");
    bytes_of(DOWN);
    bytes_of(UP);
    size_t down = bytes_of(DOWN), up = bytes_of(UP), plus = bytes_of("+"), minus = bytes_of("-"),
           full = bytes_of(CTRL('L'));
    assert_that(down <= move && up <= move, "%dx%d: %zu and %zu bytes for a move, at most %zu", columns, rows, down, up,
                move);
    assert_that(plus <= edit && minus <= edit, "%dx%d: %zu and %zu bytes for an edit, at most %zu", columns, rows, plus,
                minus, edit);
    assert_that(full <= redraw, "%dx%d: %zu bytes for a redraw, at most %zu", columns, rows, full, redraw);
}

static void bytes_of_a_key_stay_within_their_budget(void **state)
{
    (void)state;
    check_budget(24, 80, 280, 2000, 4000);
    end(NULL);
    check_budget(50, 200, 400, 4000, 12000);
}

/* Explain leaves the views beside and below it in sight, so that leaving it writes what it covered and no more. */
static void leaving_explain_draws_what_it_covered(void **state)
{
    (void)state;
    static const struct {
        int rows, columns;
        size_t most;
    } sizes[] = {{24, 80, 1500}, {40, 120, 2500}, {60, 200, 2500}};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        start_with(&(struct pty_options){.rows = sizes[i].rows, .columns = sizes[i].columns});
        bytes_of("1e");
        size_t back = bytes_of("q");
        assert_that(back <= sizes[i].most, "%dx%d: %zu bytes, at most %zu", sizes[i].columns, sizes[i].rows, back,
                    sizes[i].most);
        go_to("parallel.tp");
        pty_type(pty, "e");
        pty_expect(pty, "Explain  parallel.tp");
        assert_true(i > 0 || pty_shows(pty, "What would be faster")); /* below it */
        end(NULL);
    }
}

/* Keys that came while it was busy are handled together and drawn once. */
static void a_burst_of_keys_is_drawn_once(void **state)
{
    (void)state;
    start();
    go_to("micro_batch_size");
    bytes_of("+");
    bytes_of("-");
    size_t one = bytes_of("+");
    bytes_of("-");
    size_t many = bytes_of("+-+-+-+-+-+-+-+-+-+-+");
    assert_that(many <= 3 * one + 200, "21 steps in one write take %zu bytes, one takes %zu", many, one);
}

/* Only a theme that depends on it is a reason to ask, and only a terminal that may know. */
static void others_are_not_asked_for_their_background(void **state)
{
    (void)state;
    static const struct pty_options all[] = {
        {.arguments = "--theme default"},
        {.arguments = "--theme light:paper/dark:slate", .term = "linux"},
        {.arguments = "--theme light:paper/dark:slate", .term = "vt100"},
        {.arguments = "--theme light:paper/dark:slate", .env = {"NO_COLOR=1"}}};
    for (size_t i = 0; i < COUNT(all); i++) {
        size_t count;
        start_with(&all[i]);
        assert_null(strstr(pty_output(pty, &count), "\033]11"));
        assert_null(strstr(pty_output(pty, &count), "\033[?2031h"));
        end(NULL);
    }
}

/* ---- reports ---------------------------------------------------------------------------------------------------- */

/* What a command prints that ends by itself. */
static const char *report(const char *arguments, const char *pager)
{
    size_t count;
    pty = pty_start(&(struct pty_options){.arguments = arguments, .env = {pager}, .has_no_sync = true});
    assert_int_equal(pty_wait_exit(pty, PATIENCE_MS), 0);
    return pty_output(pty, &count);
}

static void a_report_on_a_terminal_is_one_screen(void **state)
{
    (void)state;
    assert_null(strstr(report("show", "PAGER=sed s/^/paged:/"), "paged:"));
    pty_expect(pty, "all of it: --full");
    pty_expect(pty, "driver context and NCCL");
}

static void what_is_longer_goes_through_the_pager(void **state)
{
    (void)state;
    assert_non_null(strstr(report("show --full", "PAGER=sed s/^/paged:/"), "paged:gpt-6.6b"));
}

static void without_a_pager_all_is_printed(void **state)
{
    (void)state;
    report("list gpus", "PAGER=no-such-pager");
    pty_expect(pty, "v100-sxm-32");
}

static void a_pager_that_leaves_early_is_no_fault(void **state)
{
    (void)state;
    assert_null(strstr(report("show --full", "PAGER=true"), "Full model"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, end)
    const struct CMUnitTest tests[] = {
        TEST(starts_on_the_alternate_screen_and_quits),
        TEST(without_a_plan_it_asks_what_is_wanted),
        TEST(the_first_keys_are_told_until_a_change),
        TEST(a_lesson_is_played_and_left),
        TEST(asks_before_changes_are_lost),
        TEST(interrupt_leaves_and_keeps_the_plan),
        TEST(a_terminal_without_cursor_addressing_is_refused),
        TEST(an_unknown_terminal_falls_back),
        TEST(plain_terminals_work),
        TEST(a_report_on_a_terminal_is_one_screen),
        TEST(what_is_longer_goes_through_the_pager),
        TEST(without_a_pager_all_is_printed),
        TEST(a_pager_that_leaves_early_is_no_fault),
        TEST(others_are_not_asked_for_their_background),
        TEST(the_c_locale_shows_ascii_only),
        TEST(no_color_sends_no_colour),
        TEST(an_edit_with_a_suffix_changes_the_numbers),
        TEST(expressions_and_relative_changes_are_taken),
        TEST(a_bad_value_is_refused_with_its_reason),
        TEST(an_invalid_plan_says_which_values_work),
        TEST(plus_and_minus_step_to_values_that_work),
        TEST(undo_and_redo_walk_through_the_changes),
        TEST(escape_leaves_an_edit_as_it_was),
        TEST(pasted_text_is_text_and_never_a_command),
        TEST(the_views_differ),
        TEST(help_is_searched_by_typing_and_run),
        TEST(explain_opens_a_number_and_its_parts),
        TEST(search_goes_to_a_field),
        TEST(the_command_line_sets_keys_and_says_what_is_wrong),
        TEST(a_pinned_baseline_shows_differences),
        TEST(a_plan_is_saved_and_loaded),
#define HOME_TEST(name) cmocka_unit_test_teardown(name, end_home)
        HOME_TEST(saving_keeps_comments_and_changes_one_value),
        HOME_TEST(a_script_is_never_replaced_by_a_plan),
        HOME_TEST(a_file_changed_on_disk_is_asked_about),
        HOME_TEST(a_script_is_changed_by_a_patch_that_was_shown),
        HOME_TEST(a_file_that_was_not_opened_is_asked_about),
        HOME_TEST(two_runs_on_one_plan_do_not_overwrite_each_other),
        HOME_TEST(what_a_killed_run_had_is_offered_until_it_is_taken),
        HOME_TEST(leaving_without_saving_keeps_nothing),
        HOME_TEST(a_plan_that_cannot_be_kept_is_said_once),
        HOME_TEST(a_full_disk_is_told_and_takes_nothing_away),
        HOME_TEST(a_killed_save_leaves_no_file_after_the_next_start),
        TEST(a_file_that_is_not_there_is_an_error_in_one_line),
        TEST(copying_sends_osc_52),
        TEST(the_cursor_stands_on_what_is_selected),
        TEST(a_storm_of_sizes_is_survived),
        TEST(the_mouse_is_off_until_asked_for),
        TEST(suspending_restores_and_coming_back_redraws),
        TEST(a_size_changed_while_suspended_is_noticed),
        TEST(signals_leave_the_terminal_as_it_was),
        TEST(a_file_that_does_not_wait_gets_whole_frames),
        TEST(a_terminal_that_takes_nothing_does_not_keep_it),
        TEST(a_lost_line_ends_it_and_keeps_the_plan),
        TEST(an_idle_program_is_silent),
        TEST(unknown_sequences_do_nothing),
        TEST(drawing_by_differences_equals_drawing_in_full),
        TEST(bytes_of_a_key_stay_within_their_budget),
        TEST(leaving_explain_draws_what_it_covered),
        TEST(a_burst_of_keys_is_drawn_once),
    };
    return cmocka_run_group_tests_name("pty", tests, NULL, NULL) != 0;
}
