/*
 * src/runs/runs.c - a table is checked column by column first, then each row becomes a plan through the reader of
 * plans, so that a cell means what the same text means in a file. Logs get the plan files that stand beside them.
 */
#include "src/runs/runs.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/plan/nearest.h"
#include "core/plan/number.h"
#include "core/plan/param.h"
#include "src/import/log.h"
#include "src/plan/plan_io.h"
#include "src/plan/preset.h"
#include "src/text/csv_in.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/keyval.h"
#include "src/text/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const metric_names[METRIC_COUNT] = {
    "allocated_gib", "reserved_gib", "device_gib", "steady_gib", "iteration_s", "tokens_per_s_per_gpu",
    "tflops_per_gpu", "fits", "samples_per_s", "time_to_first_token_s", "request_s", "tokens_per_s",
    "per_token_s", "weights_gib", "activation_gib", "non_torch_gib", "graphs_gib", "kv_gib", "kv_tokens", "starts",
    "step_s", "rollout_s", "logprob_s", "update_s",
};

/* ---- files of the command line ---------------------------------------------------------------------------------- */

enum file_kind { FILE_PLAN, FILE_TABLE, FILE_LOG };

/* One file. */
struct source {
    const char *name;
    struct buffer head; /* a plan, whole; the beginning of a table */
    FILE *rest;         /* of a table, to be read in its turn; else NULL */
    enum file_kind kind;
    struct log_run log;
    bool is_read; /* a plan: it could be */
    int group;    /* logs and the plans that hold for them */
};

/* ---- columns ---------------------------------------------------------------------------------------------------- */

/* What a column is: text about the run, something measured, or a plan key. */
enum column {
    COLUMN_ID, COLUMN_SOURCE, COLUMN_TAGS, COLUMN_NOTES, COLUMN_GROUP, COLUMN_STUDY, COLUMN_ASSUMED, COLUMN_STAGE,
    COLUMN_METRIC, COLUMN_KEY = COLUMN_METRIC + METRIC_COUNT
};

static const char *const column_texts[] = {"id", "source", "tags", "notes", "group", "study",
                                           "assumed", "measured.stage"};
static const char *const preset_columns[] = {"model", "cluster", "workload"}; /* keys without a dot */
static const char measured[] = "measured.";

static int find_text(const char *name, const char *const list[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, list[i]) == 0)
            return (int)i;
    return -1;
}

#define FIND(name, list) find_text(name, list, LENGTH(list))

/* Which column a name is, -1 for none. */
static int column_of(const char *name)
{
    int id = FIND(name, column_texts);
    if (id >= 0)
        return id;
    if (strncmp(name, measured, sizeof measured - 1) == 0) {
        id = FIND(name + sizeof measured - 1, metric_names);
        return id < 0 ? -1 : COLUMN_METRIC + id;
    }
    bool is_key = strchr(name, '.') ? param_find(name) >= 0 : FIND(name, preset_columns) >= 0;
    return is_key ? COLUMN_KEY : -1;
}

static void unknown_column(const char *name, const char *file, int line, struct errors *errors)
{
    struct nearest nearest = {.typed = name, .takes_any = true};
    char text[64];
    int id = param_find_alias(name);
    for (size_t i = 0; i < LENGTH(column_texts); i++)
        nearest_offer(&nearest, column_texts[i], column_texts[i]);
    for (int i = 0; i < METRIC_COUNT; i++) {
        snprintf(text, sizeof text, "%s%s", measured, metric_names[i]);
        nearest_offer(&nearest, text, metric_names[i]);
        nearest_offer(&nearest, metric_names[i], metric_names[i]);
    }
    param_nearest(&nearest);
    const char *best = id >= 0 ? param_rows[id].dotted : nearest.name[0];
    errors_add(errors, file, line, name, "is not a column; did you mean %s%s?",
               FIND(best, metric_names) >= 0 ? measured : "", best);
}

/* Finds out what the columns are; -1 with faults. */
static int read_columns(const struct csv *csv, int *kind)
{
    struct errors *errors = csv->errors;
    size_t faults = errors->faults;
    bool has_metric = false;
    for (size_t i = 0; i < csv->columns; i++) {
        kind[i] = column_of(csv->name[i]);
        has_metric |= kind[i] >= COLUMN_METRIC && kind[i] < COLUMN_KEY;
        if (kind[i] < 0)
            unknown_column(csv->name[i], csv->path, 1, errors);
    }
    if (!has_metric && errors->faults == faults)
        errors_add(errors, csv->path, 1, NULL, "has no measured column; add one such as measured.iteration_s");
    return errors->faults > faults ? -1 : 0;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static char *clean_copy(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = xmalloc(size);
    text_clean(text, copy, size);
    return copy;
}

/* Everything that reading needs on its way. */
struct reading {
    const struct runs_request *request;
    run_taker *take;
    void *to;
    struct errors *errors;
    size_t faults; /* before reading began */
    size_t runs;   /* handed over */
    size_t unread; /* rows that could not be read */
};

/* Hands over what is wrong with rows; `id` and `line` where it is one. Leaves no messages. */
static void take_unread(struct reading *reading, const struct csv *csv, const char *id, int line, struct errors *errors)
{
    size_t path = strlen(csv->path);
    for (size_t i = 0; i < errors->count; i++) {
        const char *message = errors->line[i];
        int at = 0, number = 0; /* of the line, which a record that was passed over has only here */
        bool has_place =
            strncmp(message, csv->path, path) == 0 && sscanf(message + path, ":%9d: %n", &number, &at) == 1;
        const char *reason = has_place && at ? message + path + at : message;
        reading->request->unread(reading->to, csv->path, line ? line : number, id, reason);
        reading->unread++;
    }
    errors_free(errors);
}

static bool is_faulty(const struct reading *reading)
{
    return reading->errors->faults > reading->faults;
}

struct run run_new(const char *file, int line)
{
    struct run run = {
        .file = file, .line = line, .stage = STAGE_MAX, .rank_low = -1, .rank_high = -1, .sample_s = NAN};
    for (int i = 0; i < METRIC_COUNT; i++)
        run.measured[i] = NAN;
    return run;
}

void run_free(struct run *run)
{
    free(run->id);
    free(run->source);
    free(run->tags);
    free(run->notes);
    free(run->group);
    free(run->study);
    free(run->assumed);
    free(run->remark);
}

bool metric_is_answer(enum metric metric)
{
    return metric == METRIC_FITS || metric == METRIC_STARTS;
}

/* Reads a measured number or, for `fits`, yes or no. */
static double read_metric(enum metric metric, const char *text, char *why)
{
    double value;
    if (metric_is_answer(metric)) {
        if (strcmp(text, "yes") == 0 || strcmp(text, "no") == 0)
            return *text == 'y';
        if (metric == METRIC_STARTS && strlen(text) == 1 && strchr("01", *text))
            return *text == '1';
        snprintf(why, PARAM_WHY_MAX, "'%.40s' is neither yes nor no; write one of them", text);
        return NAN;
    }
    bool is_memory = metric <= METRIC_STEADY || (metric >= METRIC_WEIGHTS && metric <= METRIC_KV);
    char fault[NUMBER_WHY_MAX];
    if (number_parse(text, is_memory ? SUFFIX_GIB : SUFFIX_PLAIN, NULL, NULL, &value, fault) != 0) {
        snprintf(why, PARAM_WHY_MAX, "'%.40s' %.120s; write a number such as 1.5, or leave the cell empty", text,
                 fault);
        return NAN;
    }
    if (value > 0 && isfinite(value))
        return value;
    snprintf(why, PARAM_WHY_MAX,
             "'%.40s' is not a positive number; write one, or leave the cell empty", text);
    return NAN;
}

static int read_stage(const char *text, int *stage, char *why)
{
    double value;
    *stage = strcmp(text, "last") == 0 ? STAGE_LAST : STAGE_MAX;
    if (strcmp(text, "max") == 0 || strcmp(text, "last") == 0)
        return 0;
    if (number_parse(text, SUFFIX_PLAIN, NULL, NULL, &value, why) == 0 && value >= 0 && value < STAGES_MAX &&
        floor(value) == value) {
        *stage = (int)value;
        return 0;
    }
    snprintf(why, PARAM_WHY_MAX, "'%.40s' is not a stage; write max, last or a stage number", text);
    return -1;
}

static void take_text(struct run *run, int kind, const char *text)
{
    char **const slot[] = {&run->id, &run->source, &run->tags, &run->notes, &run->group, &run->study, &run->assumed};
    free(*slot[kind]);
    *slot[kind] = clean_copy(text);
}

/* Takes a cell that is no plan key. */
static void take_cell(struct run *run, int kind, const char *name, const char *text, struct errors *errors)
{
    char why[PARAM_WHY_MAX] = "";
    int result = 0;
    if (kind < COLUMN_STAGE) {
        take_text(run, kind, text);
    } else if (kind == COLUMN_STAGE) {
        result = read_stage(text, &run->stage, why);
    } else {
        double *value = &run->measured[kind - COLUMN_METRIC];
        *value = read_metric((enum metric)(kind - COLUMN_METRIC), text, why);
        result = isnan(*value) ? -1 : 0;
    }
    if (result != 0)
        errors_add(errors, run->file, run->line, name, "%s", why);
}

static void fill_texts(struct run *run)
{
    if (!run->id)
        run->id = run->line ? xasprintf("line %d", run->line) : clean_copy(run->file);
    run->source = run->source ? run->source : xstrdup("");
    run->tags = run->tags ? run->tags : xstrdup("");
    run->notes = run->notes ? run->notes : xstrdup("");
    run->group = run->group ? run->group : xstrdup("");
    run->study = run->study ? run->study : xstrdup("");
    run->assumed = run->assumed ? run->assumed : xstrdup("");
}

/* `--set`, which is not of a file. */
static const struct plan_source typed = {.from = FROM_SET, .is_last_wins = true, .is_typed = true};

/* Marks keys of the column `assumed`, which widens the range. */
static void mark_assumed(struct run *run, struct errors *errors)
{
    char name[PARAM_WHY_MAX];
    for (const char *at = run->assumed + strspn(run->assumed, " "); *at; at += strspn(at, " ")) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
        int id = param_find(name);
        if (id < 0)
            errors_add(errors, run->file, run->line, "assumed", "unknown key '%.60s'", name);
        else
            run->plan.from[id] = FROM_ASSUMED;
        at += strcspn(at, " ");
    }
}

/* Applies what the user wants of every run. */
static void apply_typed(struct reading *reading, struct plan *plan)
{
    if (!is_faulty(reading) && reading->request->settings)
        plan_apply(plan, reading->request->settings, &typed, reading->errors);
}

/* Takes the default device; hands the run over and forgets it. */
static void finish_run(struct reading *reading, struct run *run)
{
    plan_finish(&run->plan);
    if (run->plan.value[PARAM_train_packing] == PACKING_PADDED && isnan(run->plan.value[PARAM_train_mean_tokens]))
        run->plan.value[PARAM_train_mean_tokens] = run->plan.value[PARAM_train_seq_length]; /* as it was measured */
    if (run->assumed)
        mark_assumed(run, reading->errors);
    if (!is_faulty(reading))
        reading->take(reading->to, run);
    reading->runs++;
    run_free(run);
}

/*
 * A column as a key. The name of a shipped model stands for its shape where the row gives none; beside a shape it is a
 * label, as in a plan.
 */
static const char *key_of(const struct csv *csv, size_t column)
{
    bool has_shape = false;
    if (strcmp(csv->name[column], "model.name") != 0 || !preset_known(PRESET_MODEL, csv->cell[column]))
        return csv->name[column];
    for (size_t i = 0; i < csv->columns; i++)
        has_shape = has_shape || (strcmp(csv->name[i], "model.hidden_size") == 0 && *csv->cell[i]);
    return has_shape ? csv->name[column] : "model";
}

#define DIGITS "0123456789"

/*
 * The month that stands in a source, 202506 in "benchmarks/llama3_h200_202506.md", as "2025-06"; false where none does.
 */
static bool month_in(const char *source, char out[8])
{
    for (const char *p = source; *p; p += strspn(p, DIGITS) + strcspn(p + strspn(p, DIGITS), DIGITS))
        if (strspn(p, DIGITS) == 6 && memcmp(p, "20", 2) == 0 && memcmp(p + 4, "01", 2) >= 0 &&
            memcmp(p + 4, "12", 2) <= 0 && (p == source || !isalnum((unsigned char)p[-1])) &&
            !isalpha((unsigned char)p[6])) { /* no part of a commit's name */
            snprintf(out, 8, "%.4s-%.2s", p, p + 4);
            return true;
        }
    return false;
}

/* Reads the plan of a row; its faults go to `faults`, and remarks on a plan without any to those of the reading. */
static void read_plan(struct reading *reading, const struct csv *csv, const struct keyvals *keys,
                      const struct plan *base, struct plan *out, struct errors *faults)
{
    const struct plan_source source = {.file = csv->path, .from = FROM_FILE};
    *out = *base;
    plan_apply(out, keys, &source, faults);
    if (faults == reading->errors || errors_any(faults) || faults->count == 0)
        return;
    errors_free(faults);
    *out = *base;
    plan_apply(out, keys, &source, reading->errors);
}

static void read_row(struct reading *reading, const struct csv *csv, const int *kind, const struct plan *base)
{
    struct errors own = {0}, *faults = reading->request->unread ? &own : reading->errors;
    struct run run = run_new(csv->path, csv->line);
    struct keyvals keys = {0};
    for (size_t i = 0; i < csv->columns; i++) {
        if (kind[i] == COLUMN_KEY && *csv->cell[i])
            keyvals_add(&keys, key_of(csv, i), csv->cell[i], csv->line);
        else if (kind[i] != COLUMN_KEY && *csv->cell[i])
            take_cell(&run, kind[i], csv->name[i], csv->cell[i], faults);
    }
    fill_texts(&run);
    char month[8];
    if (!keyvals_last(&keys, "framework.version") && month_in(run.source, month))
        keyvals_add(&keys, "framework.version", month, csv->line);
    read_plan(reading, csv, &keys, base, &run.plan, faults);
    if (errors_any(&own)) {
        take_unread(reading, csv, run.id, run.line, &own);
        run_free(&run);
    } else {
        apply_typed(reading, &run.plan);
        finish_run(reading, &run);
    }
    keyvals_free(&keys);
}

bool runs_has_tag(const char *list, const char *word, size_t length)
{
    while (*list) {
        list += strspn(list, " ");
        size_t n = strcspn(list, " ");
        if (n == length && n > 0 && memcmp(list, word, n) == 0)
            return true;
        list += n;
    }
    return false;
}

/* One word of the filter: a tag, `-tag`, or `column=cell`. */
static bool is_wanted_by(const char *word, size_t length, const struct csv *csv)
{
    const char *equals = memchr(word, '=', length);
    char *name = xstrndup(word, equals ? (size_t)(equals - word) : 0);
    int column = csv_column(csv, equals ? name : "tags");
    const char *cell = column >= 0 ? csv->cell[column] : "";
    bool is_without = *word == '-';
    free(name);
    if (equals)
        return strlen(cell) == length - (size_t)(equals + 1 - word) && memcmp(cell, equals + 1, strlen(cell)) == 0;
    return runs_has_tag(cell, word + is_without, length - is_without) != is_without;
}

static bool is_wanted(const char *filter, const struct csv *csv)
{
    for (const char *word = filter; word && *word; word += *word == ',') {
        size_t length = strcspn(word, ",");
        if (length > 0 && !is_wanted_by(word, length, csv))
            return false;
        word += length;
    }
    return true;
}

static void read_rows(struct reading *reading, struct csv *csv, const int *kind, const struct plan *base)
{
    struct errors own = {0};
    enum csv_record record;
    int id = csv_column(csv, "id");
    csv->errors = reading->request->unread ? &own : reading->errors;
    do {
        record = csv_record(csv);
        take_unread(reading, csv, record == CSV_BAD && id >= 0 ? csv->cell[id] : "", 0, &own);
        if (record == CSV_ROW && is_wanted(reading->request->tags, csv))
            read_row(reading, csv, kind, base);
    } while (record != CSV_END);
}

static void read_table(struct reading *reading, const struct source *source, const struct plan *base)
{
    struct csv csv;
    int *kind = NULL;
    if (csv_open(&csv, source->head.text, source->head.size, source->rest, source->name, reading->errors) == 0)
        kind = xmalloc(csv.columns * sizeof *kind);
    if (kind && read_columns(&csv, kind) == 0)
        read_rows(reading, &csv, kind, base);
    free(kind);
    csv_close(&csv);
}

/* ---- logs ------------------------------------------------------------------------------------------------------- */

/* Tells what a log says about fitting: a run that trained fits, one that ran out of memory at its start does not. */
static void judge(struct run *run, const struct log_run *log)
{
    bool has_trained = log->iterations > LOG_WARM_UP || (log->iterations > 0 && !log->is_out_of_memory);
    if (has_trained)
        run->measured[METRIC_FITS] = 1;
    else if (log->is_out_of_memory)
        run->measured[METRIC_FITS] = 0;
    if (log->iterations == 0)
        run->remark = xasprintf("fail: no iteration ran; %s", log->is_out_of_memory
                                                                  ? "the device ran out of memory"
                                                                  : "the log gives no memory error");
    else if (log->iterations <= LOG_WARM_UP)
        run->remark =
            xasprintf("only %d iteration%s, so the last one counts", log->iterations, log->iterations == 1 ? "" : "s");
}

/* What a server's log shows; blocks of a cache whose tokens are not printed are those of the plan. */
static void take_served(struct run *run, const struct log_server *served)
{
    static const struct {
        enum metric metric;
        enum served_figure figure;
        double unit;
    } rows[] = {{METRIC_WEIGHTS, SERVED_WEIGHTS, GIB},      {METRIC_PROFILE, SERVED_PROFILE, GIB},
                {METRIC_OUTSIDE, SERVED_OUTSIDE, GIB},      {METRIC_GRAPHS, SERVED_GRAPHS, GIB},
                {METRIC_KV, SERVED_KV, GIB},                {METRIC_KV_TOKENS, SERVED_KV_TOKENS, 1},
                {METRIC_FIRST_TOKEN, SERVED_FIRST_MS, 1e3}, {METRIC_PER_TOKEN, SERVED_TOKEN_MS, 1e3},
                {METRIC_GENERATED, SERVED_TOKENS_PER_S, 1}};
    struct plan resolved;
    for (size_t i = 0; i < LENGTH(rows); i++)
        run->measured[rows[i].metric] = served->figure[rows[i].figure] / rows[i].unit;
    plan_resolve(&run->plan, &resolved);
    if (isnan(run->measured[METRIC_KV_TOKENS]))
        run->measured[METRIC_KV_TOKENS] = served->figure[SERVED_BLOCKS] * KEY_OF(&resolved, serve, kv_block_size);
    if (served->figure[SERVED_UNDER_WAY] >= 1 && run->plan.from[PARAM_serve_batch_size] < FROM_FILE)
        param_set(&run->plan, PARAM_serve_batch_size,
                  ceil(served->figure[SERVED_UNDER_WAY] / KEY_OF(&resolved, parallel, dp)));
    run->measured[METRIC_STARTS] = served->starts < 0 ? (double)NAN : served->starts;
    if (served->why)
        run->remark = xasprintf("the server did not start: %s", served->why);
}

void run_take_log(struct run *run, const struct log_run *log)
{
    if (log->kind == LOG_SERVER) {
        take_served(run, &log->served);
        return;
    }
    run->measured[METRIC_ALLOCATED] = log->allocated_bytes / GIB;
    run->measured[METRIC_RESERVED] = log->reserved_bytes / GIB;
    run->measured[METRIC_ITERATION] = log->iteration_s;
    run->sample_s = log->sample_s;
    run->measured[METRIC_TOKENS] = 1 / log->token_s;
    run->rank_low = log->rank_low;
    run->rank_high = log->rank_high;
    if (log->stage_low >= 0 && log->stage_low == log->stage_high)
        run->stage = log->stage_low;
    judge(run, log);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* True when the first line that is not empty is a list of columns. */
static bool is_table(const char *text)
{
    text += strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    text += strspn(text, "\r\n");
    size_t n = strcspn(text, "\r\n");
    char *line = xstrndup(text, n);
    bool is_id = strncmp(line, "id,", 3) == 0 || strncmp(line, "\"id\",", 5) == 0;
    bool is_it = is_id || (strchr(line, ',') && (strstr(line, measured) || strstr(line, ",id")) && !strstr(line, ": "));
    free(line);
    return is_it;
}

/* Takes a block of what may be a log or a plan. */
static void take_block(struct source *source, struct log_reader *reader, char *block, size_t size)
{
    if (source->head.size <= FILE_MAX)
        buffer_add(&source->head, block, size);
    for (size_t i = 0; i < size; i++)
        block[i] = block[i] ? block[i] : ' ';
    log_feed(reader, block, size);
}

/* Tells a log from a plan, where NULs count as blanks. */
static enum file_kind kind_of(const struct source *source)
{
    char *text = xmalloc(source->head.size + 1);
    memcpy(text, source->head.text, source->head.size + 1);
    for (size_t i = 0; i < source->head.size; i++)
        text[i] = text[i] ? text[i] : ' ';
    bool has_numbers = source->log.iterations > 0 || !isnan(source->log.allocated_bytes) ||
                       !isnan(source->log.reserved_bytes) || log_server_says_something(&source->log.served);
    enum plan_kind plan = has_numbers ? KIND_UNKNOWN : plan_recognise(text, source->head.size);
    bool may_be_log = !formats[plan].read && plan != KIND_JSON;
    free(text);
    return may_be_log && log_says_something(&source->log) ? FILE_LOG : FILE_PLAN;
}

/* Reads the rest of a file that is no table, of any size, as a log and as much of it as a plan may have. */
static void read_rest(struct source *source, FILE *file, char *block, size_t size, struct errors *errors)
{
    struct log_reader *reader = log_open();
    for (size_t n = size; n > 0; n = fread(block, 1, size, file))
        take_block(source, reader, block, n);
    log_close(reader, &source->log);
    if (ferror(file))
        errors_add(errors, source->name, 0, NULL, "cannot be read: %s; check the file", strerror(errno));
    else if ((source->kind = kind_of(source)) == FILE_PLAN)
        source->is_read = file_check(source->name, source->head.text, source->head.size, errors) == 0;
}

/* The text of a shipped plan, where there is no file of its name. */
static bool read_shipped(struct source *source, const char *path, struct errors *errors)
{
    size_t size;
    char *file = NULL;
    if (access(path, F_OK) == 0 || !preset_known(PRESET_PLAN, path))
        return false;
    char *text = preset_text(PRESET_PLAN, path, &size, &file, &(struct place){0}, errors);
    *source = (struct source){.name = path, .kind = FILE_PLAN, .is_read = text != NULL};
    if (text)
        buffer_add(&source->head, text, size);
    free(text);
    free(file);
    return true;
}

/* Opens a file and finds out what it is: a table stays open, all else is read. */
static void open_source(struct source *source, const char *path, struct errors *errors)
{
    enum { BLOCK = 65536 };
    if (read_shipped(source, path, errors))
        return;
    int fd = file_open(path, FILE_WAITS, &source->name, errors);
    FILE *file = fd >= 0 ? fdopen(fd, "rb") : NULL;
    if (!file)
        return;
    char *block = xmalloc(BLOCK);
    size_t n = fread(block, 1, BLOCK, file);
    buffer_add(&source->head, block, n);
    if (is_table(source->head.text)) {
        source->kind = FILE_TABLE;
        source->rest = file;
    } else {
        source->head.size = 0;
        read_rest(source, file, block, n, errors);
        fclose(file);
    }
    free(block);
}

static void close_source(struct source *source)
{
    if (source->rest)
        fclose(source->rest);
    buffer_free(&source->head);
}

/* A plan that follows a log and its plan begins the next group. */
static int make_groups(struct source *sources, size_t count)
{
    int group = 0;
    bool has_plan = false, has_log = false;
    for (size_t i = 0; i < count; i++) {
        if (sources[i].kind == FILE_PLAN && has_plan && has_log) {
            group++;
            has_plan = has_log = false;
        }
        has_plan |= sources[i].kind == FILE_PLAN;
        has_log |= sources[i].kind == FILE_LOG;
        sources[i].group = group;
    }
    return group + 1;
}

/*
 * The plan files of one group from left to right (of all groups for -1), after the settings that a server's log prints
 * (NULL for none); returns how many there are.
 */
static int group_plan(const struct source *sources, size_t count, int group, const struct source *log,
                      struct plan *plan, struct errors *errors)
{
    int plans = 0;
    plan_clear(plan);
    if (log && log->log.kind == LOG_SERVER && log_server_recognise(log->head.text)) {
        plan_read(plan, log->head.text, log->head.size, log->name, NULL, errors);
        plans++;
    }
    for (size_t i = 0; i < count; i++) {
        const struct source *s = &sources[i];
        bool is_other_server = log && log_server_recognise(s->head.text); /* its log has no figures yet */
        if (!s->is_read || is_other_server || (group >= 0 && s->group != group))
            continue;
        plan_read(plan, s->head.text, s->head.size, s->name, NULL, errors);
        plans++;
    }
    return plans;
}

static void read_log(struct reading *reading, const struct source *source, const struct plan *plan)
{
    struct run run = run_new(source->name, 0);
    const struct keyvals *settings = reading->request->settings;
    run.plan = *plan;
    apply_typed(reading, &run.plan); /* blocks of a cache are as long as the plan says */
    run_take_log(&run, &source->log);
    if (source->log.kind == LOG_SERVER && plan->from[PARAM_hardware_gpu] <= FROM_DERIVED &&
        !(settings && keyvals_last(settings, "hardware.gpu")))
        errors_note(reading->errors, source->name, 0, "hardware.gpu",
                    "the log names no GPU; assuming the default; use --gpu NAME");
    run.tags = xstrdup(source->log.kind == LOG_MEGATRON    ? "megatron-log"
                       : source->log.kind == LOG_DEEPSPEED ? "deepspeed-log"
                       : source->log.kind == LOG_NANOTRON  ? "nanotron-log"
                       : source->log.kind == LOG_SERVER    ? "server-log"
                                                           : "log");
    fill_texts(&run);
    finish_run(reading, &run);
}

/* The logs of one group; returns how many there are. */
static int read_group(struct reading *reading, const struct source *sources, size_t count, int group)
{
    struct plan plan;
    int logs = 0;
    for (size_t i = 0; i < count; i++) {
        if (sources[i].group != group || sources[i].kind != FILE_LOG)
            continue;
        int plans = group_plan(sources, count, group, &sources[i], &plan, reading->errors);
        if (plans == 0 && !reading->request->settings)
            errors_add(reading->errors, sources[i].name, 0, NULL,
                       "is %s, which does not describe the plan; give the run's plan as well",
                       log_kind_names[sources[i].log.kind]);
        else
            read_log(reading, &sources[i], &plan);
        logs++;
    }
    return logs;
}

/* A plan without a log whose comment states what was measured: that is its run. Returns whether there is one. */
static bool read_stated(struct reading *reading, const struct source *source)
{
    struct plan_reading read = {.kind = KIND_UNKNOWN};
    struct run run = run_new(source->name, 0);
    plan_clear(&run.plan);
    int result = plan_read(&run.plan, source->head.text, source->head.size, source->name, &read, reading->errors);
    bool is_stated = result == 0 && read.figures.line > 0;
    run.measured[METRIC_DEVICE] = read.figures.bytes / GIB;
    run.measured[METRIC_ITERATION] = read.figures.seconds;
    run.tags = xstrdup("comment");
    if (is_stated) {
        fill_texts(&run);
        apply_typed(reading, &run.plan);
        finish_run(reading, &run);
    } else {
        run_free(&run);
    }
    return is_stated;
}

static void read_logs(struct reading *reading, struct source *sources, size_t count)
{
    int groups = make_groups(sources, count);
    bool has_table = false;
    for (size_t i = 0; i < count; i++)
        has_table |= sources[i].kind == FILE_TABLE;
    for (int group = 0; group < groups; group++) {
        bool has_run = read_group(reading, sources, count, group) > 0 || has_table;
        for (size_t i = 0; i < count && !has_run; i++)
            if (sources[i].group == group && sources[i].is_read && !read_stated(reading, &sources[i]))
                errors_add(reading->errors, sources[i].name, 0, NULL,
                           "is a plan without a measured run; give a table of runs or the log of this one");
    }
}

/* Says what is wrong with the settings once, not for every run. */
static void check_settings(const struct runs_request *request, struct errors *errors)
{
    struct plan scratch;
    plan_clear(&scratch);
    if (request->settings)
        plan_apply(&scratch, request->settings, &typed, errors);
}

static void read_tables(struct reading *reading, const struct source *sources, size_t count)
{
    struct plan base;
    bool has_base = false;
    for (size_t i = 0; i < count && !is_faulty(reading); i++) {
        if (sources[i].kind != FILE_TABLE)
            continue;
        if (!has_base)
            group_plan(sources, count, -1, NULL, &base, reading->errors);
        has_base = true;
        if (!is_faulty(reading))
            read_table(reading, &sources[i], &base);
    }
}

int runs_read(const struct runs_request *request, run_taker *take, void *to, struct errors *errors)
{
    struct reading reading = {request, take, to, errors, errors->faults, 0, 0};
    size_t count = request->file_count;
    struct source *sources = xmalloc(count * sizeof *sources);
    for (size_t i = 0; i < count; i++) {
        sources[i] = (struct source){0};
        open_source(&sources[i], request->files[i], errors);
    }
    check_settings(request, errors);
    if (!is_faulty(&reading))
        read_tables(&reading, sources, count);
    if (!is_faulty(&reading))
        read_logs(&reading, sources, count);
    if (!is_faulty(&reading) && reading.runs == 0)
        errors_add(errors, "shardtop", 0, NULL,
                   reading.unread ? "no row can be read; correct the table"
                   : count        ? "no run matches; check --tags and the table"
                                  : "nothing to compare with; give a table of measured runs, or a log and its plan");
    for (size_t i = 0; i < count; i++)
        close_source(&sources[i]);
    free(sources);
    return is_faulty(&reading) ? -1 : 0;
}

/* ---- measured and estimated ------------------------------------------------------------------------------------- */

/* The stage whose memory was measured, STAGE_MAX when it may be any. */
static int stage_of(const struct run *run, const struct estimate *e)
{
    if (run->rank_low < 0 || run->stage >= 0 || run->rank_high >= e->grid.world)
        return run->stage == STAGE_LAST ? e->stages - 1 : run->stage;
    int low = rank_stage(&e->grid, run->rank_low);
    return low == rank_stage(&e->grid, run->rank_high) ? low : STAGE_MAX;
}

static double memory_of(const struct stage *stage, enum metric metric)
{
    return (metric == METRIC_ALLOCATED  ? stage->allocated_bytes
            : metric == METRIC_RESERVED ? stage->reserved_bytes
            : metric == METRIC_STEADY   ? stage->steady_bytes
                                        : stage->device_bytes) /
           GIB;
}

/* The stage whose memory a run is compared with: the measured one, else that with the most; -1 when that is unknown. */
static int compared_stage(const struct run *run, enum metric metric, const struct estimate *e)
{
    int stage = stage_of(run, e), most = 0;
    if (stage >= 0)
        return stage < e->stages ? stage : -1;
    for (int i = 0; i < e->stages; i++) {
        double memory = memory_of(&e->stage[i], metric);
        if (isnan(memory))
            return -1;
        most = memory > memory_of(&e->stage[most], metric) ? i : most;
    }
    return most;
}

static double estimated_memory(const struct run *run, enum metric metric, const struct estimate *e)
{
    int stage = compared_stage(run, metric, e);
    return stage >= 0 ? memory_of(&e->stage[stage], metric) : NAN;
}

/* The range of a server's figure; false where it has none. */
static bool served_range(const struct run *run, enum metric metric, const struct estimate *e, struct interval *out)
{
    const struct serving *s = &e->serving;
    double spread = metric == METRIC_FIRST_TOKEN                                    ? s->first_spread
                    : metric == METRIC_GENERATED || metric == METRIC_PER_TOKEN ? s->speed_spread
                    : metric == METRIC_KV_TOKENS                                    ? s->cache_spread
                                                                                    : 0;
    double estimated = run_estimated(run, metric, e);
    *out = (struct interval){estimated / spread, estimated * spread};
    return spread > 0 && s->has_engine > 0;
}

struct interval run_range(const struct run *run, enum metric metric, const struct estimate *e)
{
    struct memory_range of;
    struct interval served;
    if (metric >= METRIC_ITERATION && metric <= METRIC_TFLOPS) {
        struct time_range time;
        range_time(e, &time);
        return range_of(&time, run_estimated(run, metric, e), metric == METRIC_ITERATION ? 1 : -1);
    }
    if (e->is_serving && served_range(run, metric, e, &served))
        return served;
    int stage = metric <= METRIC_DEVICE && e->is_computed ? compared_stage(run, metric, e) : -1;
    if (stage < 0)
        return (struct interval){NAN, NAN};
    range_memory(e, stage, &of);
    switch (metric) {
    case METRIC_ALLOCATED: return (struct interval){of.allocated_low / GIB, of.allocated_high / GIB};
    case METRIC_RESERVED: return (struct interval){of.reserved_low / GIB, of.reserved_high / GIB};
    default: return (struct interval){of.device_low / GIB, of.device_high / GIB};
    }
}

/* Generated tokens per second: of a batch whose size the run gives, else with requests always waiting. */
static double generated(const struct run *run, const struct estimate *e)
{
    bool has_batch = !isnan(run->plan.value[PARAM_serve_batch_size]);
    return has_batch ? e->serving.tokens_per_s : e->serving.queued_tokens_per_s;
}

/* Samples of all ranks in a second; unknown where several share a sequence. */
static double samples(const struct estimate *e)
{
    bool is_one =
        e->plan.value[PARAM_train_packing] == PACKING_FIXED || e->plan.value[PARAM_train_packing] == PACKING_PADDED;
    return is_one ? e->symbols.gbs / e->step.iteration_s : (double)NAN;
}

/* What a server's start-up log shows. */
static double served(enum metric metric, const struct estimate *e)
{
    const struct serving *s = &e->serving;
    bool has_engine = e->is_serving && s->has_engine > 0;
    return !e->is_serving             ? (double)NAN
           : metric == METRIC_WEIGHTS ? s->weights_gib
           : !has_engine              ? (double)NAN
           : metric == METRIC_PROFILE ? s->activations_bytes / GIB
           : metric == METRIC_OUTSIDE ? s->outside_gib
           : metric == METRIC_GRAPHS  ? s->graphs_bytes / GIB
           : metric == METRIC_KV      ? s->kv_gib
                                      : s->kv_tokens;
}

/* Whether it is said that the plan fits or does not; of reinforcement learning nothing is within the band. */
static bool has_verdict(const struct estimate *e)
{
    enum verdict verdict = range_verdict(e);
    return verdict != VERDICT_UNKNOWN && !(e->is_rl && verdict == VERDICT_TIGHT);
}

double run_estimated(const struct run *run, enum metric metric, const struct estimate *e)
{
    if (!e->is_computed)
        return NAN;
    switch (metric) {
    case METRIC_ITERATION: return e->step.iteration_s;
    case METRIC_TOKENS: return e->step.tokens_per_s_per_gpu;
    case METRIC_TFLOPS: return e->step.model_tflops_per_gpu;
    case METRIC_FITS: return has_verdict(e) ? e->fits : NAN;
    case METRIC_SAMPLES: return samples(e);
    case METRIC_FIRST_TOKEN: return e->is_serving ? e->serving.time_to_first_token_s : NAN;
    case METRIC_REQUEST: return e->is_serving ? e->serving.request_s : NAN;
    case METRIC_GENERATED: return e->is_serving ? generated(run, e) : NAN;
    case METRIC_PER_TOKEN: return e->is_serving ? e->serving.per_token_s : NAN;
    case METRIC_STARTS: return serving_starts(e);
    case METRIC_RL_STEP: return e->is_rl ? e->rl.iteration_s : NAN;
    case METRIC_RL_ROLLOUT: return e->is_rl ? e->rl.rollout_s : NAN;
    case METRIC_RL_LOGPROB: return e->is_rl ? e->rl.logprob_s : NAN;
    case METRIC_RL_UPDATE: return e->is_rl ? e->rl.update_s : NAN;
    default: return metric >= METRIC_WEIGHTS ? served(metric, e) : estimated_memory(run, metric, e);
    }
}

double run_measured(const struct run *run, enum metric metric, const struct estimate *e)
{
    double value = run->measured[metric];
    if (metric == METRIC_ITERATION && isnan(value) && !isnan(run->sample_s))
        return run->sample_s * e->plan.value[PARAM_train_global_batch_size];
    return value;
}

double run_error(enum metric metric, double measured_value, double estimated)
{
    double error;
    if (metric_is_answer(metric))
        return measured_value - estimated;
    if (metric == METRIC_TOKENS || metric == METRIC_TFLOPS || metric == METRIC_SAMPLES || metric == METRIC_GENERATED)
        error = measured_value / estimated - 1;
    else
        error = estimated / measured_value - 1;
    return isfinite(error) ? error : NAN;
}

/* The first finding that is an error, or the one that says what is not modelled. */
static const struct diag *finding_of(const struct estimate *e, bool also_not_modelled)
{
    for (int i = 0; i < e->diags.count; i++)
        if (e->diags.item[i].level == DIAG_ERROR || (also_not_modelled && e->diags.item[i].is_unmodelled))
            return &e->diags.item[i];
    return NULL;
}

const char *run_finding(const struct estimate *e, char *out, size_t size)
{
    const struct diag *found = finding_of(e, false);
    out[0] = '\0';
    if (found)
        snprintf(out, size, "%s: %s", param_rows[found->param].dotted, finding_text(found).text);
    return out;
}

/* The first key that a metric needs and nobody gave, PARAM_COUNT when all are known. */
static enum param blank_key(enum metric metric, const struct plan *plan)
{
    static const enum param needed[] = {
        PARAM_hardware_usable_gib,         PARAM_hardware_peak_tflops,          PARAM_hardware_memory_gb_s,
        PARAM_hardware_gemm_efficiency,    PARAM_hardware_attention_efficiency, PARAM_hardware_memory_efficiency,
        PARAM_hardware_intra_node_gb_s,    PARAM_hardware_inter_node_gb_s,      PARAM_hardware_link_efficiency,
        PARAM_hardware_network_efficiency,
    };
    bool is_time = metric >= METRIC_ITERATION && metric <= METRIC_TFLOPS;
    for (size_t i = metric == METRIC_FITS ? 0 : 1; i < (is_time ? LENGTH(needed) : 1); i++)
        if (param_blank(plan, needed[i]))
            return needed[i];
    return PARAM_COUNT;
}

const char *run_why(const struct run *run, enum metric metric, const struct estimate *e, char *out, size_t size)
{
    const struct diag *found = finding_of(e, true);
    int stage = e->is_computed ? stage_of(run, e) : STAGE_MAX;
    enum param blank = blank_key(metric, &e->plan);
    if (found)
        snprintf(out, size, "%s: %s", param_rows[found->param].dotted, finding_text(found).text);
    else if (metric <= METRIC_STEADY && stage >= e->stages)
        snprintf(out, size, "measured.stage: %d is not among the %d stages of this plan", stage, e->stages);
    else if (blank != PARAM_COUNT)
        snprintf(out, size, "%s: unknown; set it", param_rows[blank].dotted);
    else if (metric == METRIC_FITS && e->is_rl)
        snprintf(out, size, "no verdict: within the error of the estimate");
    else
        snprintf(out, size, "a required number is unknown");
    return out;
}
