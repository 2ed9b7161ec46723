#include "src/import/log.h"

#include "core/base.h"
#include "core/plan/number.h"
#include "src/text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const log_kind_names[LOG_KIND_COUNT] = {"a log", "a Megatron log", "a DeepSpeed log", "a nanotron log",
                                                     "a torchtitan log", "a log of the Hugging Face trainer",
                                                     "a log of a server"};

enum quantity { ITERATION_TIME, SAMPLE_RATE, TOKEN_RATE, ITERATION_RATE, ALLOCATED, RESERVED };

/* A number that is announced by a text. `scale` makes seconds or bytes of it where no unit follows. */
struct mark {
    const char *text;
    enum quantity quantity;
    enum log_kind kind;
    double scale;
    const char *step;   /* announces the number of the iteration in the same line */
    const char *beside; /* must be in the line, too; NULL where nothing must */
};

/* Time marks in the order of preference: Megatron-DeepSpeed prints Megatron's and DeepSpeed's. */
static const struct mark marks[] = {
    {"elapsed time per iteration (ms):", ITERATION_TIME, LOG_MEGATRON, 1e-3, "iteration", NULL},
    {"elapsed time per iteration (s):", ITERATION_TIME, LOG_MEGATRON, 1, "iteration", NULL},
    {"time_per_iteration_ms:", ITERATION_TIME, LOG_NANOTRON, 1e-3, "iteration:", NULL},
    {"iter time (s):", ITERATION_TIME, LOG_DEEPSPEED, 1, "steps:", NULL},
    {"CurrSamplesPerSec=", SAMPLE_RATE, LOG_DEEPSPEED, 1, "global_step=", NULL},
    {"tps:", TOKEN_RATE, LOG_TORCHTITAN, 1, "step:", NULL},
    {NULL, ITERATION_TIME, LOG_TRAINER, 1, NULL, NULL}, /* the progress bar, see take_progress() */
    {"'train_steps_per_second':", ITERATION_RATE, LOG_TRAINER, 1, NULL, NULL},
    {"max allocated:", ALLOCATED, LOG_MEGATRON, MIB, NULL, NULL},
    {"max reserved:", RESERVED, LOG_MEGATRON, MIB, NULL, NULL},
    {"max cached:", RESERVED, LOG_MEGATRON, MIB, NULL, NULL},
    {"MaxMemAllocated=", ALLOCATED, LOG_DEEPSPEED, GIB, NULL, NULL},
    {"Max_MA ", ALLOCATED, LOG_DEEPSPEED, GIB, NULL, NULL},
    {"Max_CA ", RESERVED, LOG_DEEPSPEED, GIB, NULL, NULL},
    {"Peak allocated", ALLOCATED, LOG_NANOTRON, MIB, NULL, NULL},
    {"Peak reserved", RESERVED, LOG_NANOTRON, MIB, NULL, NULL},
    {"cuda_max_memory_reserved:", RESERVED, LOG_NANOTRON, 1, NULL, NULL},
    {"memory:", RESERVED, LOG_TORCHTITAN, GIB, NULL, "tps:"},
};
enum { MARKS = LENGTH(marks), TIME_MARKS = 8, PROGRESS = 6 };

static const char *const out_of_memory[] = {"OutOfMemoryError", "CUDA out of memory", "HIP out of memory",
                                            "CUDA error: out of memory", "CUBLAS_STATUS_ALLOC_FAILED"};
static const char *const traces[] = {"Traceback (most recent call last)", "ChildFailedError", "[Rank 0]",
                                     "using world size:"};

/* The times that one mark announced. */
struct series {
    int count, averaged;
    double sum, last;
    int step, steps; /* of the last one, and how many there will be; -1 and 0 where that is not said */
};

/* One line, or the part of it that one rank wrote. */
struct span {
    const char *start, *end;
};

static const char *find(struct span span, const char *text)
{
    return memmem(span.start, (size_t)(span.end - span.start), text, strlen(text));
}

static bool finds_any(struct span span, const char *const texts[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (find(span, texts[i]))
            return true;
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A comma between thousands. */
static bool is_comma(const char *p, const char *end)
{
    return *p == ',' && end - p > 3 && is_digit(p[1]) && is_digit(p[2]) && is_digit(p[3]) &&
           (end - p == 4 || !is_digit(p[4]));
}

/* Reads a decimal number at `*at`, behind blanks and a colon; moves behind it. NAN when there is none. */
static double take_number(const char **at, const char *end)
{
    char text[40], why[NUMBER_WHY_MAX];
    size_t n = 0;
    double value;
    const char *p = *at;
    while (p < end && (*p == ' ' || *p == ':' || *p == '\t'))
        p++;
    while (p < end && n < sizeof text - 6 && (is_digit(*p) || *p == '.' || is_comma(p, end))) {
        if (*p != ',')
            text[n++] = *p;
        p++;
    }
    if (n > 0 && end - p > 2 && (*p == 'e' || *p == 'E') && (p[1] == '+' || p[1] == '-') && is_digit(p[2])) {
        text[n++] = 'e';
        text[n++] = p[1];
        for (p += 2; p < end && n < sizeof text - 1 && is_digit(*p); p++)
            text[n++] = *p;
    }
    text[n] = '\0';
    if (n == 0 || !is_digit(text[0]) || number_parse(text, SUFFIX_PLAIN, NULL, NULL, &value, why) != 0 ||
        !isfinite(value))
        return NAN;
    *at = p;
    return value;
}

/*
 * What a unit behind a number stands for: `G` of nanotron is 10^9; `GB`, `GiB` of memory reports 2^30; 0 without one.
 */
static double take_unit(const char *at, const char *end)
{
    static const struct {
        const char *text;
        double size;
    } units[] = {{"MiB", MIB}, {"GiB", GIB}, {"MB", MIB}, {"GB", GIB}, {"KB", 1024},
                 {"K", 1e3},       {"M", 1e6},          {"G", 1e9},      {"B", 1e9},         {"T", 1e12}};
    at += at < end && *at == ' ';
    for (size_t i = 0; i < LENGTH(units); i++) {
        size_t n = strlen(units[i].text);
        bool is_word = (size_t)(end - at) >= n && memcmp(at, units[i].text, n) == 0;
        bool is_longer = is_word && (size_t)(end - at) > n && ((at[n] | 32) >= 'a' && (at[n] | 32) <= 'z');
        if (is_word && !is_longer)
            return units[i].size;
    }
    return 0;
}

/* A whole number announced by `text`, -1 when there is none. */
static int number_behind(struct span span, const char *text)
{
    const char *at = find(span, text);
    if (!at)
        return -1;
    at += strlen(text);
    double value = take_number(&at, span.end);
    return value >= 0 && value < 1e9 ? (int)value : -1;
}

static void widen(int *low, int *high, int value)
{
    if (value < 0)
        return;
    *low = *low < 0 || value < *low ? value : *low;
    *high = value > *high ? value : *high;
}

/* A line that several ranks print counts once. */
static void take_time(struct series *series, const struct mark *mark, int step, double value)
{
    if (value <= 0 || (step >= 0 && series->count > 0 && step == series->step))
        return;
    series->step = step;
    series->last = mark->quantity == ITERATION_TIME ? value : 1 / value;
    if (++series->count > LOG_WARM_UP) {
        series->sum += series->last;
        series->averaged++;
    }
}

/* "of 500000" in Megatron's "iteration 10/ 500000" and nanotron's "iteration: 10 / 500000". */
static void take_step(struct series *series, const struct mark *mark, struct span line, double value)
{
    int step = mark->step ? number_behind(line, mark->step) : -1;
    const char *at = step >= 0 ? find(line, mark->step) + strlen(mark->step) : NULL;
    if (at && !isnan(take_number(&at, line.end))) {
        double steps = NAN;
        while (at < line.end && *at == ' ')
            at++;
        if (at < line.end && *at++ == '/')
            steps = take_number(&at, line.end);
        series->steps = steps > 0 && steps < 1e9 ? (int)steps : series->steps;
    }
    take_time(series, mark, step, value);
}

/* The trainer's progress bar has nothing before its percentage: "  1%|#    | 10/1000 [00:12<20:15,  1.23s/it]". */
static void take_progress(struct series *series, struct span line)
{
    const char *at = line.start;
    bool is_bar = !isnan(take_number(&at, line.end)) && line.end - at > 2 && at[0] == '%' && at[1] == '|';
    const char *bar = is_bar ? memchr(at + 2, '|', (size_t)(line.end - at - 2)) : NULL,
               *open = bar ? find((struct span){bar, line.end}, "[") : NULL;
    const char *comma = open ? find((struct span){open, line.end}, ",") : NULL;
    if (!comma)
        return;
    at = bar + 1;
    double step = take_number(&at, line.end), steps = at < line.end && *at++ == '/' ? take_number(&at, line.end) : NAN;
    at = comma + 1;
    double value = take_number(&at, line.end);
    bool is_time = line.end - at >= 4 && memcmp(at, "s/it", 4) == 0,
         is_rate = line.end - at >= 4 && memcmp(at, "it/s", 4) == 0;
    if (!(step >= 1 && step < 1e9 && steps >= step && steps < 1e9) || !(value > 0) || !(is_time || is_rate))
        return;
    series->steps = (int)steps;
    take_time(series, &marks[PROGRESS], (int)step, is_rate ? 1 / value : value);
}

static void take_memory(struct log_run *run, const struct mark *mark, struct span line, double bytes)
{
    double *peak = mark->quantity == ALLOCATED ? &run->allocated_bytes : &run->reserved_bytes;
    if (bytes <= 0)
        return;
    *peak = isnan(*peak) || bytes > *peak ? bytes : *peak;
    if (run->kind == LOG_NONE)
        run->kind = mark->kind;
    widen(&run->rank_low, &run->rank_high, mark->kind == LOG_DEEPSPEED ? 0 : number_behind(line, "[Rank "));
    widen(&run->stage_low, &run->stage_high, number_behind(line, "|PP="));
}

static void take_line(struct log_run *run, struct series series[], struct span line)
{
    for (int i = 0; i < MARKS; i++) {
        const char *at = marks[i].text ? find(line, marks[i].text) : NULL;
        if (!at || (marks[i].beside && !find(line, marks[i].beside)))
            continue;
        at += strlen(marks[i].text);
        double value = take_number(&at, line.end);
        double unit = isnan(value) ? 0 : take_unit(at, line.end);
        if (isnan(value))
            continue;
        if (i < TIME_MARKS)
            take_step(&series[i], &marks[i], line, value * marks[i].scale * (unit > 0 ? unit : 1));
        else
            take_memory(run, &marks[i], line, value * (unit > 0 ? unit : marks[i].scale));
    }
    take_progress(&series[PROGRESS], line);
    log_server_take(&run->served, line.start, (size_t)(line.end - line.start));
    if (line.start < line.end && *line.start != '#') {
        run->is_out_of_memory |= finds_any(line, out_of_memory, LENGTH(out_of_memory));
        run->has_trace |= finds_any(line, traces, LENGTH(traces));
    }
}

/* Takes the times of the first mark that announced any. */
static void take_series(struct log_run *run, const struct series series[])
{
    if (run->kind == LOG_NONE && log_server_says_something(&run->served))
        run->kind = LOG_SERVER;
    for (int i = 0; i < TIME_MARKS; i++) {
        const struct series *it = &series[i];
        if (it->count == 0)
            continue;
        double mean = it->averaged ? it->sum / it->averaged : it->last;
        run->kind = marks[i].kind;
        run->iterations = it->count;
        run->averaged = it->averaged ? it->averaged : 1;
        double *slot = marks[i].quantity == SAMPLE_RATE  ? &run->sample_s
                       : marks[i].quantity == TOKEN_RATE ? &run->token_s
                                                         : &run->iteration_s;
        *slot = mean;
        run->last_s = it->last;
        run->step = it->step;
        run->steps = it->steps;
        return;
    }
}

/* Ranks that write at the same time leave several reports in one line. */
static void take_parts(struct log_run *run, struct series series[], struct span line)
{
    static const char rank[] = "[Rank ";
    while (line.start < line.end) {
        const char *next = find((struct span){line.start + 1, line.end}, rank);
        struct span part = {line.start, next ? next : line.end};
        take_line(run, series, part);
        line.start = part.end;
    }
}

/* A log while it is read. */
struct log_reader {
    struct log_run run;
    struct series series[TIME_MARKS];
    struct buffer rest; /* the line whose end has not come yet */
};

struct log_reader *log_open(void)
{
    struct log_reader *reader = xmalloc(sizeof *reader);
    *reader = (struct log_reader){.run = {.iteration_s = NAN, .sample_s = NAN, .token_s = NAN, .last_s = NAN,
                                          .step = -1, .allocated_bytes = NAN, .reserved_bytes = NAN,
                                          .rank_low = -1, .rank_high = -1, .stage_low = -1, .stage_high = -1,
                                          .served = log_server_new()}};
    return reader;
}

/* Takes what was kept of a line, with what has come of it now. */
static void take_rest(struct log_reader *reader, struct span more)
{
    buffer_add(&reader->rest, more.start, (size_t)(more.end - more.start));
    take_parts(&reader->run, reader->series, (struct span){reader->rest.text, reader->rest.text + reader->rest.size});
    reader->rest.size = 0;
}

void log_feed(struct log_reader *reader, const char *text, size_t size)
{
    const char *end = text + size;
    for (const char *at = text; at < end; at++) {
        struct span line = {at, at};
        while (line.end < end && *line.end != '\n' && *line.end != '\r')
            line.end++;
        at = line.end;
        bool is_whole = line.end < end;
        if (is_whole && reader->rest.size == 0)
            take_parts(&reader->run, reader->series, line);
        else if (is_whole || reader->rest.size > LOG_LINE_MAX)
            take_rest(reader, line);
        else
            buffer_add(&reader->rest, line.start, (size_t)(line.end - line.start));
    }
}

void log_close(struct log_reader *reader, struct log_run *out)
{
    if (reader->rest.size > 0)
        take_rest(reader, (struct span){"", ""});
    take_series(&reader->run, reader->series);
    *out = reader->run;
    buffer_free(&reader->rest);
    free(reader);
}

void log_peek(const struct log_reader *reader, struct log_run *out)
{
    *out = reader->run;
    take_series(out, reader->series);
}

bool log_says_something(const struct log_run *run)
{
    return run->iterations > 0 || !isnan(run->allocated_bytes) || !isnan(run->reserved_bytes) ||
           run->is_out_of_memory || run->has_trace || log_server_says_something(&run->served);
}
