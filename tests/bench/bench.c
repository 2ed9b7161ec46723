/*
 * Speed and traffic against their budgets. Times depend on the machine, so each stands beside a reference measured in
 * the same run: arithmetic for the estimates, a bare program on the same kind of terminal for the screen, and sc, tig
 * and htop where they are installed. Fails only where a figure is more than twice its budget. --estimates, --screen and
 * --others measure a part.
 */
#include "tests/check.h"

#include "core/estimate/pipeline.h"
#include "core/estimate/quick.h"
#include "core/search/search.h"
#include "core/search/option.h"
#include "core/search/advice.h"
#include "tests/pty/pty.h"

#include "src/plan/preset.h"
#include "src/text/errors.h"

#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLES = 21, PLANS_MAX = 20000 };

/* The sync key is answered with the frame that keys led to, not when the best layout is known, too. */
#define FRAME "SHARDTOP_TEST_SYNC=frame"

static int gross;

static void heading(const char *text, double reference, const char *unit)
{
    printf("\n%-44s %12s %10s %8s   (reference %.3g %s)\n", text, "measured", "budget", "ratio", reference, unit);
}

/* A row of the table; `budget` is a most, or a least when negative; 0 for none. */
static void row(const char *what, double value, const char *unit, double budget, double reference)
{
    bool is_least = budget < 0;
    double allowed = fabs(budget);
    const char *verdict = budget == 0 ? "" : (is_least ? value >= allowed : value <= allowed) ? "ok" : "over";
    if (budget != 0 && (is_least ? value < allowed / 2 : value > allowed * 2)) {
        verdict = "OVER TWICE";
        gross++;
    }
    char text[32] = "", ratio[32] = "";
    if (budget != 0)
        snprintf(text, sizeof text, "%s %.4g", is_least ? ">=" : "<=", allowed);
    if (reference > 0)
        snprintf(ratio, sizeof ratio, "%.3gx", value / reference);
    printf("  %-42s %9.4g %-5s %7s %8s   %s\n", what, value, unit, text, ratio, verdict);
}

/* Milliseconds that this program has computed: what others do beside it is not in it. */
static double own_cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double values[SAMPLES])
{
    qsort(values, SAMPLES, sizeof *values, by_value);
    return values[SAMPLES / 2];
}

/* What a moment in which nobody disturbs takes. */
static double least(const double values[SAMPLES])
{
    double value = values[0];
    for (int i = 1; i < SAMPLES; i++)
        value = fmin(value, values[i]);
    return value;
}

/* ---- estimates -------------------------------------------------------------------------------------------------- */

static struct plan plans[PLANS_MAX];

static void preset(struct plan *plan, enum param key, const char *name)
{
    struct errors errors = {0};
    if (preset_apply(plan, key, name, FROM_PRESET, NULL, &errors) != 0) {
        fprintf(stderr, "bench: no preset %s\n", name);
        exit(2);
    }
    errors_free(&errors);
}

/* Nanoseconds of a thousand dependent divisions: how fast this machine computes right now. */
static double arithmetic_ns(void)
{
    double samples[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        volatile double seed = 1.000001;
        double start = own_cpu_ms(), x = 1e9;
        for (int j = 0; j < 100000; j++)
            x = x / seed + 1;
        seed = x;
        samples[i] = (own_cpu_ms() - start) * 1e6 / 100;
    }
    return median(samples);
}

/* Every layout of llama3-70b on 1,024 GPUs that breaks no rule, resolved; returns how many. `*tried` counts all. */
static int search_space(int *tried)
{
    struct plan base;
    int count = 0;
    plan_clear(&base);
    preset(&base, PARAM_model_name, "llama3-70b");
    preset(&base, PARAM_hardware_gpu, "h100-sxm-80");
    check_set(&base, "nodes=128 global_batch_size=1024 seq_length=8192 zero_stage=1");
    *tried = 0;
    for (int pp = 1; pp <= 80; pp++)
        for (int vpp = 1; vpp <= 10; vpp++)
            for (int mode = 0; mode < 3; mode++)
                for (int cp = 1; cp <= 8; cp *= 2)
                    for (int tp = 1; tp <= 8; tp *= 2)
                        for (int sp = 0; sp < 2; sp++)
                            for (int mbs = 1; mbs <= 4; mbs *= 2) {
                                struct plan plan = base;
                                const double values[] = {pp, vpp, cp, tp, sp, mbs, mode};
                                static const enum param keys[] = {PARAM_parallel_pp,    PARAM_parallel_vpp,
                                                                  PARAM_parallel_cp,    PARAM_parallel_tp,
                                                                  PARAM_parallel_sp,    PARAM_train_micro_batch_size,
                                                                  PARAM_train_recompute};
                                for (size_t i = 0; i < COUNT(keys); i++) {
                                    plan.value[keys[i]] = values[i];
                                    plan.from[keys[i]] = FROM_SET;
                                }
                                if (80 % (pp * vpp) != 0 || (sp && tp == 1))
                                    continue;
                                ++*tried;
                                plan_resolve(&plan, &plans[count]);
                                if (count < PLANS_MAX - 1 && rule_errors(&plans[count]) == 0)
                                    count++;
                            }
    return count;
}

/* The table of single changes that the screen keeps current: of the default plan and of 70B on 1,024 GPUs. */
static void bench_advice(double reference)
{
    static const char *const settings[] = {
        GPT_6B "tp=2 pp=2 zero_stage=1 micro_batch_size=4 global_batch_size=512 nodes=2",
        LLAMA3_70B "framework.name=megatron-core tp=8 sp=true pp=4 zero_stage=1 global_batch_size=2048 nodes=128"};
    static struct advice advice;
    static struct estimate scratch;
    double samples[SAMPLES];
    for (size_t k = 0; k < COUNT(settings); k++) {
        struct plan plan;
        plan_clear(&plan);
        preset(&plan, PARAM_hardware_gpu, "h100-sxm-80");
        check_set(&plan, settings[k]);
        for (int i = 0; i < SAMPLES; i++) {
            double start = own_cpu_ms();
            advice_begin(&advice, &plan);
            while (advice.phase <= ADVICE_CHANGES)
                advice_step(&advice, &scratch, 1);
            samples[i] = own_cpu_ms() - start;
        }
        row(k ? "single changes of 70B on 1,024 GPUs" : "single changes of the default plan", median(samples), "ms", 1,
            reference / 1e6);
    }
}

/* Microseconds of a full estimate, the least of several, as of searches. */
static double estimate_us(const struct plan *plan, int times, struct estimate *out)
{
    double samples[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        double start = own_cpu_ms();
        for (int j = 0; j < times; j++)
            estimate_plan(plan, out);
        samples[i] = (own_cpu_ms() - start) * 1e3 / times;
    }
    return least(samples);
}

/* Microseconds of an estimate's play alone, from the passes of its stages to the time of the last. */
static double play_us(const struct estimate *e)
{
    enum { TIMES = 200 };
    const struct pipeline_sheets sheets = {e->stage, e->pass, NULL};
    struct split split;
    double samples[SAMPLES];
    split_layers(&e->plan, &split);
    for (int i = 0; i < SAMPLES; i++) {
        double start = own_cpu_ms();
        for (int j = 0; j < TIMES; j++)
            pipeline_play(&e->schedule, &split, &sheets, NULL, NULL);
        samples[i] = (own_cpu_ms() - start) * 1e3 / TIMES;
    }
    return least(samples);
}

/*
 * Microseconds without their plays of estimates as keys ask for them on the screen: the plan with one key changed after
 * another, into two answers in turn.
 */
static double keyed_us(const struct plan *plan, const char *const settings[], int count)
{
    enum { TIMES = 40, KEYED_MAX = 5 };
    static struct estimate answer[2];
    static struct plan keyed[KEYED_MAX];
    double samples[SAMPLES], play = 0;
    for (int i = 0; i < count; i++) {
        keyed[i] = *plan;
        check_set(&keyed[i], settings[i]);
        estimate_plan(&keyed[i], &answer[0]);
        assert_true(answer[0].diags.errors == 0);
        play += answer[0].stages > 1 ? play_us(&answer[0]) / count : 0;
    }
    for (int i = 0; i < SAMPLES; i++) {
        double start = own_cpu_ms();
        for (int j = 0; j < TIMES * count; j++)
            estimate_plan(&keyed[j % count], &answer[j % 2]);
        samples[i] = (own_cpu_ms() - start) * 1e3 / (TIMES * count);
    }
    return least(samples) - play;
}

/*
 * A full estimate, and the same without its play: all of memory, traffic, time, findings and the audit. What is left
 * out is pipeline_play(), in place of which the closed form would stand, and nothing else; its time is taken off, for
 * no estimate of several stages does without. First of one plan, then of plans in turn.
 */
static void bench_full(const struct plan *plan, double reference)
{
    static const char *const of_pipeline[] = {"pp=2", "pp=4", "zero_stage=0", "nodes=4", "schedule=gpipe"};
    static const char *const of_layers[] = {"tp=2", "tp=4", "micro_batch_size=2", "tp=1", "micro_batch_size=8"};
    static struct estimate estimate;
    struct plan broken = *plan;
    double full_us = estimate_us(plan, 200, &estimate);
    row("full estimate of the default plan", full_us, "us", 20, reference / 1e3);
    row("  without the play", full_us - play_us(&estimate), "us", 2.5, reference / 1e3);
    row("  so, pp, zero, nodes, schedule in turn", keyed_us(plan, of_pipeline, COUNT(of_pipeline)), "us", 2.5,
        reference / 1e3);
    row("  so, tp, micro-batch in turn", keyed_us(plan, of_layers, COUNT(of_layers)), "us", 2.5,
        reference / 1e3);
    check_set(&broken, "tp=3 pp=3");
    row("an estimate with findings (values that work)", estimate_us(&broken, 5, &estimate), "us", 500, reference / 1e3);
}

static void bench_estimates(void)
{
    double reference = arithmetic_ns(), samples[SAMPLES];
    struct plan plan;
    heading("estimates", reference, "ns for 1,000 divisions");
    plan_clear(&plan);
    preset(&plan, PARAM_hardware_gpu, "h100-sxm-80");
    check_set(&plan, GPT_6B "tp=2 pp=2 zero_stage=1 micro_batch_size=4 global_batch_size=512 nodes=2");
    bench_full(&plan, reference);

    int tried, count;
    double start = own_cpu_ms();
    count = search_space(&tried);
    double enumerate_us = (own_cpu_ms() - start) * 1e3 / tried;
    row("filling in and checking one layout", enumerate_us, "us", 0, reference / 1e3);
    static struct quick_cache cache;
    struct quick quick, best = {.iteration_s = INFINITY};
    int fitting = 0;
    for (int i = 0; i < SAMPLES; i++) {
        memset(&cache, 0, sizeof cache);
        start = own_cpu_ms();
        for (int j = 0; j < count; j++) {
            estimate_quick(&plans[j], QUICK_CLOSED, &cache, &quick);
            if (i == 0 && quick.fits) {
                fitting++;
                best = quick.iteration_s < best.iteration_s ? quick : best;
            }
        }
        samples[i] = (own_cpu_ms() - start) * 1e3 / count;
    }
    row("a quick estimate of one plan, no play", median(samples), "us", 2.5, reference / 1e3);
    printf("  %d valid layouts of %d; %d fit; the fastest takes %.3g s\n", count, tried, fitting, best.iteration_s);
    bench_advice(reference);
}

/* ---- searches --------------------------------------------------------------------------------------------------- */

/* Milliseconds of a core for a whole search that knows nothing yet, the least of several. */
static double search_ms(const struct search_ask *ask, struct search *search)
{
    enum { TIMES = 5 };
    double least = INFINITY;
    for (int i = 0; i < TIMES; i++) {
        double start = own_cpu_ms();
        memset(&search->cache, 0, sizeof search->cache);
        search_begin(search, ask, 0, 1);
        while (search_step(search, 64))
            ;
        least = fmin(least, own_cpu_ms() - start);
    }
    return least;
}

/* What a search of layouts has free: those of the framework's schedules, of all, and what the framework can do, too. */
enum freedom { OWN_SCHEDULES, ALL_SCHEDULES, FEATURES, FREEDOMS };

/*
 * A whole space on one core. The rate counts all that are looked
 * at, as its budget does: it stands for spaces in which fewer rules forbade layouts; the valid ones are those of today.
 */
static void bench_search(const char *model, const char *gpu, const char *settings, int contexts, enum freedom freedom,
                         double budget_ms, double reference)
{
    static const char *const names[] = {"", ", all schedules", ", features"};
    static struct search search;
    struct search_ask ask;
    struct plan plan;
    char what[64], why[SEARCH_WHY_MAX];
    plan_clear(&plan);
    preset(&plan, PARAM_model_name, model);
    preset(&plan, PARAM_hardware_gpu, gpu);
    check_set(&plan, settings);
    search_ask_about(&plan, &ask);
    ask.space.all_schedules = freedom == ALL_SCHEDULES;
    ask.space.values[SEARCH_TP] = (struct space_values){5, {1, 2, 4, 8, 16}};
    ask.space.values[SEARCH_CP] = (struct space_values){contexts, {1, 2, 4, 8, 16}};
    ask.space.values[SEARCH_MICRO_BATCH] = (struct space_values){4, {1, 2, 4, 8}};
    if (freedom == FEATURES)
        search_option_read(search_option_named("free"), &ask, "features", &search.whole, why);
    double ms = search_ms(&ask, &search);
    snprintf(what, sizeof what, "%s%s", model, names[freedom]);
    row(what, ms, "ms", budget_ms, reference);
    if (freedom == FEATURES)
        return;
    snprintf(what, sizeof what, "  its %ld layouts, a second", search.answer.candidates);
    row(what, (double)search.answer.candidates / ms * 1e3, "1/s", -2500000, 0);
    snprintf(what, sizeof what, "  %ld of them valid, %ld played, a second", search.answer.evaluated,
             search.answer.played);
    row(what, (double)search.answer.evaluated / ms * 1e3, "1/s", 0, 0);
}

static void bench_searches(void)
{
    static const struct {
        const char *model, *gpu, *settings;
        int contexts;
        double budget_ms[FREEDOMS];
    } spaces[] = {
        {"llama3-70b", "h100-sxm-80", "nodes=128 seq_length=8192 global_batch_size=2048", 4, {15, 25, 150}},
        {"llama3.1-405b", "h100-sxm-80", "nodes=2048 seq_length=8192 global_batch_size=2048", 5, {30, 80, 300}},
        {"deepseek-v3", "h800-sxm-80", "nodes=256 seq_length=4096 global_batch_size=15360", 4, {35, 100, 350}},
    };
    double reference = arithmetic_ns() / 1e6;
    heading("exact searches, one core", reference, "ms for 1,000 divisions");
    for (int freedom = 0; freedom < FREEDOMS; freedom++)
        for (size_t i = 0; i < COUNT(spaces); i++)
            bench_search(spaces[i].model, spaces[i].gpu, spaces[i].settings, spaces[i].contexts, (enum freedom)freedom,
                         spaces[i].budget_ms[freedom], reference);
}

/* ---- the screen ------------------------------------------------------------------------------------------------- */

/* A bare program: draws a screen of dots, answers the sync key. What a terminal and two processes cost here. */
static int bare_program(void)
{
    struct termios raw;
    static const char key[] = "\033[?9999~", mark[] = "\033]5151;0\033\\";
    static char frame[80 * 24];
    size_t matched = 0;
    char c;
    memset(frame, '.', sizeof frame);
    tcgetattr(0, &raw);
    cfmakeraw(&raw);
    tcsetattr(0, TCSANOW, &raw);
    if (write(1, frame, sizeof frame) < 0)
        return 1;
    while (read(0, &c, 1) == 1) {
        if (c == 'q')
            return 0;
        matched = c == key[matched] ? matched + 1 : c == key[0];
        if (matched == sizeof key - 1) {
            matched = 0;
            if (write(1, mark, sizeof mark - 1) < 0)
                return 1;
        }
    }
    return 0;
}

struct cost {
    double ms, bytes;
};

/* Median time from the keys to the drawn answer, and bytes, over SAMPLES presses; `back` undoes each press. */
static struct cost cost_of(struct pty *pty, const char *keys, const char *back)
{
    double ms[SAMPLES], bytes[SAMPLES];
    pty_type(pty, keys);
    pty_type(pty, back);
    for (int i = 0; i < SAMPLES; i++) {
        size_t before = pty_bytes(pty);
        double start = pty_now();
        pty_type(pty, keys);
        ms[i] = pty_now() - start;
        bytes[i] = (double)(pty_bytes(pty) - before);
        pty_type(pty, back);
    }
    return (struct cost){median(ms), median(bytes)};
}

static double first_frame(int rows, int columns, const char *arguments, size_t *bytes)
{
    double ms[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        double start = pty_now();
        struct pty *pty =
            pty_start(&(struct pty_options){.rows = rows, .columns = columns, .arguments = arguments, .env = {FRAME}});
        pty_sync(pty);
        ms[i] = pty_now() - start;
        *bytes = pty_bytes(pty);
        pty_end(pty);
    }
    return median(ms);
}

static double status_of(struct pty *pty, const char *key)
{
    char path[64], line[256];
    double value = NAN;
    snprintf(path, sizeof path, "/proc/%d/status", pty_pid(pty));
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0)
            sscanf(line + strlen(key), ": %lf", &value);
    if (file)
        fclose(file);
    return value;
}

/* Share of the bytes of a frame that are colour sequences, per cent. */
static double colour_share(struct pty *pty, size_t from)
{
    size_t count, colour = 0;
    const char *output = pty_output(pty, &count);
    for (const char *p = output + from, *end = output + count; p < end; p++) {
        if (*p != '\033' || p + 1 == end || p[1] != '[')
            continue;
        const char *stop = p + 2;
        while (stop < end && (unsigned char)*stop < 0x40)
            stop++;
        if (stop < end && *stop == 'm')
            colour += (size_t)(stop - p) + 1;
        p = stop;
    }
    return 100.0 * (double)colour / (double)(count - from);
}

/*
 * 30 presses, 15 a second, over a line of 9600 baud: milliseconds from the last press until the header, or where that
 * does not change, the last byte. What is worked out beside the first frame is shown before; two moves tell the program
 * how fast the line is.
 */
static double slow_line_lag(int rows, int columns, const char *key, bool is_mute)
{
    enum { PRESSES = 30, BYTES_PER_S = 960, LONGEST_MS = 20000, QUIET_MS = 300 };
    char header[1024];
    double header_ms = 0, last_ms = 0;
    struct pty *pty = pty_start(
        &(struct pty_options){
            .rows = rows, .columns = columns, .arguments = "default", .is_mute = is_mute, .env = {FRAME}});
    pty_sync(pty);
    pty_type(pty, "/num_layers\r");
    pty_settle(pty, QUIET_MS);
    for (int i = 0; i < 2; i++) {
        pty_write(pty, i ? "\033[A" : "\033[B", 3);
        pty_trickle(pty, BYTES_PER_S, 400);
    }
    for (int i = 0; i < PRESSES; i++) {
        pty_write(pty, key, strlen(key));
        pty_trickle(pty, BYTES_PER_S, i + 1 < PRESSES ? 1000 / 15 : 0);
    }
    snprintf(header, sizeof header, "%s", pty_row(pty, 0));
    double start = pty_now();
    while (pty_now() - start < LONGEST_MS && pty_now() - start < last_ms + 1500) {
        last_ms = pty_trickle(pty, BYTES_PER_S, 50) > 0 ? pty_now() - start : last_ms;
        header_ms = strcmp(header, pty_row(pty, 0)) != 0 ? last_ms : header_ms;
        snprintf(header, sizeof header, "%s", pty_row(pty, 0));
    }
    pty_end(pty);
    return *key == '+' ? header_ms : last_ms;
}

/* What else is done all the time: bytes of it. */
static void bench_actions(struct pty *pty, bool is_large)
{
    static const struct {
        const char *what, *before, *keys, *back, *after;
        double budget[2];
    } actions[] = {{"switching the view", "", "t", "1", "", {1800, 5000}},
                   {"opening the palette", "", "/", "\033", "", {1800, 5000}},
                   {"a key typed in the palette", "/m", "b", "\177", "\033", {600, 1200}},
                   {"closing the palette", "/mb", "\033", "/mb", "\033", {1800, 5500}},
                   {"opening an explanation", "", "e", "q", "", {1300, 1600}},
                   {"leaving an explanation", "e", "q", "e", "q", {1300, 1600}},
                   {"a pass of the schedule", "4", "n", "N", "1", {900, 1500}}};
    for (size_t i = 0; i < COUNT(actions); i++) {
        char what[64];
        pty_type(pty, actions[i].before);
        snprintf(what, sizeof what, "%s: bytes", actions[i].what);
        row(what, cost_of(pty, actions[i].keys, actions[i].back).bytes, "B", actions[i].budget[is_large], 0);
        pty_type(pty, actions[i].after);
    }
}

/* Milliseconds that the program's main thread has run. */
static double cpu_ms(struct pty *pty)
{
    char path[64];
    double ns = NAN;
    snprintf(path, sizeof path, "/proc/%d/schedstat", pty_pid(pty));
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%lf", &ns) != 1)
        ns = NAN;
    if (file)
        fclose(file);
    return ns / 1e6;
}

/*
 * Milliseconds from a key to its echo, of the slowest tenth, while the screen goes through the layouts of deepseek-v3
 * on 2,048 GPUs between keys. A key counts when the program was still computing after its echo.
 */
static double echo_beside_a_search(void)
{
    enum { STARTS = 12, KEYS = 6, WAIT_MS = 1000 };
    double ms[STARTS * KEYS];
    size_t n = 0;
    for (int i = 0; i < STARTS; i++) {
        struct pty *pty = pty_start(&(struct pty_options){
            .arguments = "--set model.name=deepseek-v3 --set hardware.gpu=h800-sxm-80 --set hardware.nodes=256 "
                         "--set parallel.ep=64"});
        pty_wait_for(pty, "deepseek-v3", WAIT_MS);
        pty_write(pty, ":", 1);
        char typed[KEYS + 1] = "";
        for (int k = 0; k < KEYS; k++) {
            typed[k] = 'z';
            double start = pty_now();
            pty_write(pty, "z", 1);
            pty_wait_for(pty, typed, WAIT_MS);
            double echo = pty_now() - start, computed = cpu_ms(pty);
            pty_settle(pty, 2);
            if (cpu_ms(pty) - computed > 1)
                ms[n++] = echo;
        }
        pty_end(pty);
    }
    qsort(ms, n, sizeof *ms, by_value);
    return n > 0 ? ms[n - 1 - n / 10] : NAN;
}

static void bench_size(int columns, int rows, const double budget[12])
{
    size_t bytes;
    char title[64];
    const char *program = getenv("SHARDTOP") ? getenv("SHARDTOP") : "build/shardtop";
    char kept[4096], self[4096];
    snprintf(kept, sizeof kept, "%s", program);
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    setenv("SHARDTOP", self, 1);
    double start_reference = first_frame(rows, columns, "--bare", &bytes);
    struct pty *bare = pty_start(&(struct pty_options){.rows = rows, .columns = columns, .arguments = "--bare"});
    pty_sync(bare);
    double key_reference = cost_of(bare, "x", "y").ms;
    pty_end(bare);
    setenv("SHARDTOP", kept, 1);

    snprintf(title, sizeof title, "screen %dx%d", columns, rows);
    heading(title, key_reference, "ms a key on a bare program");
    row("first complete frame", first_frame(rows, columns, "default", &bytes), "ms", budget[0], start_reference);
    row("its bytes", (double)bytes, "B", budget[5], 0);
    struct pty *pty = pty_start(
        &(struct pty_options){.rows = rows, .columns = columns, .arguments = "default", .env = {FRAME}});
    pty_sync(pty);
    row("resident memory", status_of(pty, "VmRSS") / 1024, "MiB", budget[6], 0);
    row("of it anonymous", status_of(pty, "RssAnon") / 1024, "MiB", budget[7], 0);
    struct cost move = cost_of(pty, "\033[B", "\033[A");
    row("moving the selection", move.ms, "ms", budget[1], key_reference);
    row("its bytes", move.bytes, "B", budget[2], 0);
    pty_type(pty, "/micro_batch\r");
    struct cost step = cost_of(pty, "+", "-");
    row("an edit that changes all numbers", step.ms, "ms", budget[3], key_reference);
    row("its bytes", step.bytes, "B", budget[4], 0);
    size_t before;
    pty_output(pty, &before);
    struct cost redraw = cost_of(pty, "\014", "");
    row("forced redraw (^L)", redraw.ms, "ms", budget[8], key_reference);
    row("its bytes", redraw.bytes, "B", budget[5], 0);
    row("colour in a frame", colour_share(pty, before), "%", budget[9], 0);

    bench_actions(pty, columns > 100);
    row("behind after 30 steps at 9600 baud", slow_line_lag(rows, columns, "+", false), "ms", 1000, 0);
    row("the same where no question is answered", slow_line_lag(rows, columns, "+", true), "ms", 2000, 0);
    row("all shown after 30 moves", slow_line_lag(rows, columns, "\033[B", false), "ms", 1500, 0);

    pty_settle(pty, 50);
    size_t silent = pty_bytes(pty);
    double switches = status_of(pty, "voluntary_ctxt_switches");
    pty_settle(pty, 1000);
    row("bytes in an idle second", (double)(pty_bytes(pty) - silent), "B", 0, 0);
    row("wake-ups in an idle second", status_of(pty, "voluntary_ctxt_switches") - switches, "", 0, 0);
    if (pty_bytes(pty) != silent || status_of(pty, "voluntary_ctxt_switches") - switches > 1) {
        printf("  NOT SILENT\n");
        gross++;
    }
    pty_end(pty);
}

/* ---- beside other programs -------------------------------------------------------------------------------------- */

/* Where a program lies in the PATH; false when it does not. */
static bool find_program(const char *name, char path[4096])
{
    char command[128];
    snprintf(command, sizeof command, "command -v %s", name);
    FILE *out = popen(command, "r");
    bool is_found = out && fgets(path, 4096, out);
    if (is_found)
        path[strcspn(path, "\n")] = '\0';
    return out && pclose(out) == 0 && is_found;
}

/*
 * A selection moved down and up at 80x24: what each press writes and computes; none of the others knows the sync key.
 */
static void bench_moves(const char *name, const char *path, const char *arguments, const char *const keys[2])
{
    enum { PRESSES = 40, QUIET_MS = 30, START_MS = 500 };
    char what[64];
    setenv("SHARDTOP", path, 1);
    struct pty *pty =
        pty_start(&(struct pty_options){.rows = 24, .columns = 80, .arguments = arguments, .has_no_sync = true});
    pty_settle(pty, START_MS);
    size_t bytes = pty_bytes(pty);
    double ms = cpu_ms(pty);
    for (int i = 0; i < PRESSES; i++) {
        pty_write(pty, keys[i % 2], strlen(keys[i % 2]));
        pty_settle(pty, QUIET_MS);
    }
    snprintf(what, sizeof what, "%s: bytes of a press", name);
    row(what, (double)(pty_bytes(pty) - bytes) / PRESSES, "B", 0, 0);
    snprintf(what, sizeof what, "%s: its CPU", name);
    row(what, (cpu_ms(pty) - ms) / PRESSES, "ms", 0, 0);
    pty_end(pty);
}

static void bench_others(void)
{
    char folder[4000], tig[4096], path[4096], kept[4096];
    const char *program = getenv("SHARDTOP") ? getenv("SHARDTOP") : "build/shardtop";
    const struct {
        const char *name, *arguments, *keys[2];
    } others[] = {{"sc", NULL, {"j", "k"}}, {"tig", tig, {"j", "k"}}, {"htop", "-d 100", {"\033OB", "\033OA"}}};
    snprintf(kept, sizeof kept, "%s", program);
    snprintf(tig, sizeof tig, "-C %s", getcwd(folder, sizeof folder) ? folder : ".");
    printf("\nmoving a selection at 80x24, beside other programs\n");
    bench_moves("shardtop", kept, "default", (const char *[]){"\033[B", "\033[A"});
    for (size_t i = 0; i < COUNT(others); i++)
        if (find_program(others[i].name, path))
            bench_moves(others[i].name, path, others[i].arguments, others[i].keys);
        else
            printf("  %-42s not installed\n", others[i].name);
    setenv("SHARDTOP", kept, 1);
}

int main(int argc, char **argv)
{
    static const double small[12] = {5, 0.4, 150, 1, 1600, 4000, 8, 3, 1, 30},
                        large[12] = {5, 0.4, 200, 1.5, 5500, 14000, 8, 4, 2, 25};
    if (argc > 1 && strcmp(argv[1], "--bare") == 0)
        return bare_program();
    if (argc > 1 && strcmp(argv[1], "--others") == 0) {
        bench_others();
        return 0;
    }
    bool is_screen = argc > 1 && strcmp(argv[1], "--screen") == 0;
    if (!is_screen) {
        bench_estimates();
        bench_searches();
    }
    if (argc > 1 && strcmp(argv[1], "--estimates") == 0)
        return gross != 0;
    bench_size(80, 24, small);
    row("the echo of a key while a search runs", echo_beside_a_search(), "ms", 2, 0);
    bench_size(200, 60, large);
    bench_others();
    printf("\n%s\n", gross ? "more than twice a budget: see above" : "no figure is more than twice its budget");
    return gross != 0;
}
