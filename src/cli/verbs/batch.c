#include "src/cli/verbs/batch.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/plan/param.h"
#include "core/reference/reference.h"
#include "src/cli/verbs/batch_worker.h"
#include "src/plan/plan_io.h"
#include "src/plan/reference_plan.h"
#include "src/report/reference.h"
#include "src/report/report.h"
#include "src/text/errors.h"
#include "src/text/json.h"
#include "src/text/json_out.h"
#include "src/text/keyval.h"
#include "src/text/node.h"
#include "src/text/progress.h"
#include "src/text/text.h"
#include "src/text/tree.h"
#include "src/text/version.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    IGNORED_MAX = 8,
    GROUPS_MAX = 8,
    PATH_MAX_BYTES = 128,
    VALUES_MAX = 100000, /* in a request */
    MESSAGE_MAX = 400,
    STATUS_READ_ALL = 0,
    STATUS_UNREADABLE = 2,
    STATUS_UNWRITTEN = 3
};

struct batch {
    FILE *err;   /* for lines that are no request; NULL for none */
    long number; /* of the request, from 1 */
    struct buffer reply;
    struct reference_inputs inputs;
    struct reference_answer answer;
    struct estimate *estimate; /* allocated with the first plan */
    struct want want;
    const char *ignored[IGNORED_MAX]; /* inputs that the estimator does not have */
    int ignored_count;
    bool has_unread; /* a line was not a request */
};

/* Members that lines of expected answers have beside a request; ignored. */
static const char *const golden_notes[] = {"expected", "warnings", "source", "commit", "model", "unit"};

/* The members of a request, NULL where it has none; objects other than the plan are groups of inputs. */
struct request {
    const struct node *id, *plan, *estimator, *fn, *want;
    const struct node *unknown, *note; /* the first that no request has, and the last of golden_notes */
    const struct node *group[GROUPS_MAX];
    int groups;
};

static const char *key_of(const struct node *member)
{
    return member->key ? member->key : "";
}

static bool is_null(const struct node *value)
{
    return value->kind == NODE_VALUE && value->is_bare && strcmp(value->text, "null") == 0;
}

/* Copies a string; false for anything else, for NUL in it, and for one too long. */
static bool copy_text(const struct node *value, char *out, size_t size)
{
    if (!value || value->kind != NODE_VALUE || value->is_bare || value->has_nul || strlen(value->text) >= size)
        return false;
    strcpy(out, value->text);
    return true;
}

static bool copy_number(const struct node *value, double *out)
{
    *out = value->number;
    return isfinite(value->number);
}

/* ---- replies ---------------------------------------------------------------------------------------------------- */

static void begin_reply(struct batch *batch, const struct request *request)
{
    batch->reply.size = 0;
    buffer_puts(&batch->reply, "{\"id\": ");
    if (request && request->id)
        json_copy(&batch->reply, request->id->source, request->id->source_size);
    else
        buffer_puts(&batch->reply, "null");
}

static void end_reply(struct batch *batch)
{
    struct json json = {.out = &batch->reply, .has_member = true};
    version_program_json(&json);
    buffer_puts(&batch->reply, "}");
}

static void reply_error(struct batch *batch, const struct request *request, const char *rule, const char *message)
{
    struct json json = {.out = &batch->reply};
    begin_reply(batch, request);
    buffer_puts(&batch->reply, ", \"error\": ");
    json_open(&json, NULL, '{');
    json_text(&json, "rule", rule);
    json_text(&json, "message", message);
    json_close(&json, '}');
    end_reply(batch);
}

static void __attribute__((format(printf, 4, 5)))
reply_fault(struct batch *batch, const struct request *request, const char *rule, const char *format, ...)
{
    char message[MESSAGE_MAX], clean[MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    text_clean(message, clean, sizeof clean);
    reply_error(batch, request, rule, clean);
}

/* A line that is no request at all. */
static void reply_unread(struct batch *batch, const char *rule, const char *what, size_t column)
{
    char where[32] = "";
    if (column)
        snprintf(where, sizeof where, "column %zu: ", column);
    batch->has_unread = true;
    if (batch->err)
        fprintf(batch->err, "-:%ld: %s%s; write one JSON object a line\n", batch->number, where, what);
    reply_fault(batch, NULL, rule, "line %ld: %s%s", batch->number, where, what);
}

/* ---- plans ------------------------------------------------------------------------------------------------------ */

static void reply_estimate(struct batch *batch, const struct request *request, struct plan *plan)
{
    const struct report_options options = {.format = REPORT_JSON};
    struct json json = {.out = &batch->reply, .want = request->want ? &batch->want : NULL};
    if (!batch->estimate)
        batch->estimate = xmalloc(sizeof *batch->estimate);
    plan_finish(plan);
    estimate_plan(plan, batch->estimate);
    begin_reply(batch, request);
    buffer_puts(&batch->reply, ", \"result\": ");
    json_result(&json, NULL, batch->estimate, &options);
    end_reply(batch);
    if (request->want && want_missing(&batch->want))
        reply_fault(batch, request, "unknown_value",
                    "want: '%s' is not a value of a result; see `shardtop show --json`",
                    want_missing(&batch->want));
}

/* Replies with a published estimator's answer to a plan. */
static void reply_mapped(struct batch *batch, const struct request *request, struct plan *plan, const char *estimator)
{
    struct plan resolved;
    char why[REFERENCE_WHY_MAX];
    int id = 0;
    while (id < REFERENCE_COUNT && strcmp(reference_rows[id].name, estimator) != 0)
        id++;
    if (id == REFERENCE_COUNT) {
        reply_fault(batch, request, "unknown_estimator", "no estimator '%s'; see `shardtop list estimators`",
                    estimator);
        return;
    }
    plan_finish(plan);
    plan_resolve(plan, &resolved);
    if (reference_from_plan(&resolved, (enum reference_id)id, &batch->inputs, why) != 0) {
        reply_fault(batch, request, "bad_plan", "%s", why);
        return;
    }
    reference_run(&batch->inputs, &batch->answer);
    begin_reply(batch, request);
    buffer_puts(&batch->reply, batch->answer.rule ? ", \"error\": " : ", \"values\": ");
    report_reference_json(&batch->reply, &batch->answer);
    end_reply(batch);
}

/* Takes `gpus` out of the settings: a number of GPUs, as `--gpus` gives it. Returns its text, "" for none. */
static void take_gpus(struct keyvals *settings, char *gpus, size_t size)
{
    struct keyvals rest = {0};
    *gpus = '\0';
    for (size_t i = 0; i < settings->count; i++)
        if (param_names_gpus(settings->item[i].key))
            snprintf(gpus, size, "%s", settings->item[i].value);
        else
            keyvals_add(&rest, settings->item[i].key, settings->item[i].value, settings->item[i].line);
    keyvals_free(settings);
    *settings = rest;
}

static void reply_plan(struct batch *batch, const struct request *request)
{
    struct keyvals settings = {0};
    struct errors errors = {0};
    char gpus[64], why[PARAM_WHY_MAX];
    struct plan plan;
    char estimator[64] = "";
    copy_text(request->estimator, estimator, sizeof estimator);
    const struct plan_source source = {.file = "plan", .from = FROM_SET};
    plan_clear(&plan);
    bool is_read = tree_node_settings(request->plan, source.file, &settings, &errors) == 0;
    take_gpus(&settings, gpus, sizeof gpus);
    is_read = is_read && plan_apply(&plan, &settings, &source, &errors) == 0;
    if (is_read && *gpus) {
        plan_finish(&plan);
        is_read = param_set_gpus(&plan, gpus, why) == 0;
        if (!is_read)
            errors_add(&errors, source.file, 0, "gpus", "%s", why);
    }
    if (!is_read)
        reply_fault(batch, request, "bad_plan", "%s", errors.count ? errors.line[0] : "the plan cannot be read");
    else if (*estimator && strcmp(estimator, "shardtop") != 0)
        reply_mapped(batch, request, &plan, estimator);
    else
        reply_estimate(batch, request, &plan);
    keyvals_free(&settings);
    errors_free(&errors);
}

/* ---- estimators ------------------------------------------------------------------------------------------------- */

static bool read_bool(const struct node *value, double *out)
{
    if (value->kind == NODE_VALUE && value->is_bare && (*value->text == 't' || *value->text == 'f'))
        *out = *value->text == 't';
    else if (copy_number(value, out))
        *out = *out != 0;
    else
        return false;
    return true;
}

static bool read_list(const struct node *value, struct reference_list *out)
{
    *out = (struct reference_list){.scalar = NAN};
    if (value->kind != NODE_LIST)
        return copy_number(value, &out->scalar);
    for (const struct node *entry = value->child; entry; entry = entry->next) {
        if (!copy_number(entry, &out->last))
            return false;
        out->sum += out->last;
        out->count++;
    }
    return true;
}

/* Reads an input; null clears it. */
static bool read_input(const struct reference_member *row, const struct node *value, void *place)
{
    bool is_clear = is_null(value);
    switch (row->type) {
    case REFERENCE_NAME: {
        struct reference_name *name = place;
        name->text[0] = '\0';
        return is_clear || copy_text(value, name->text, sizeof name->text);
    }
    case REFERENCE_LIST:
        if (!is_clear)
            return read_list(value, place);
        *(struct reference_list *)place = (struct reference_list){.scalar = NAN};
        return true;
    case REFERENCE_BOOL:
        *(double *)place = NAN;
        return is_clear || read_bool(value, place);
    default:
        *(double *)place = NAN;
        return is_clear || copy_number(value, place);
    }
}

static const char *wanted(enum reference_type type)
{
    return type == REFERENCE_NAME   ? "a text"
           : type == REFERENCE_BOOL ? "true or false"
           : type == REFERENCE_LIST ? "a number or a list of numbers"
                                    : "a number";
}

/* Reads the members of one object of the line ("inputs", "model_config" ...). Returns false with the reply made. */
static bool read_group(struct batch *batch, const struct request *request, const struct node *group)
{
    const struct reference_function *f = reference_functions[batch->inputs.fn];
    char path[PATH_MAX_BYTES];
    int row = -1;
    for (const struct node *value = group->child; value; value = value->next) {
        int n = snprintf(path, sizeof path, "%s.%s", key_of(group), key_of(value));
        bool has_room = n < (int)sizeof path;
        int found = has_room ? reference_member_find(f->inputs, f->input_count, row + 1, path, (size_t)n) : -1;
        if (found < 0) {
            if (strcmp(key_of(group), "inputs") == 0 && batch->ignored_count < IGNORED_MAX)
                batch->ignored[batch->ignored_count++] = key_of(value);
            continue;
        }
        row = found;
        if (read_input(&f->inputs[row], value, (char *)&batch->inputs.of + f->inputs[row].offset))
            continue;
        reply_fault(batch, request, "input_kind", "%s must be %s", f->inputs[row].name, wanted(f->inputs[row].type));
        return false;
    }
    return true;
}

static bool read_inputs(struct batch *batch, const struct request *request)
{
    batch->ignored_count = 0;
    for (int i = 0; i < request->groups; i++)
        if (!read_group(batch, request, request->group[i]))
            return false;
    return true;
}

static void put_ignored(struct batch *batch)
{
    struct json json = {.out = &batch->reply, .has_member = true};
    if (batch->ignored_count == 0)
        return;
    json_open(&json, "ignored", '[');
    for (int i = 0; i < batch->ignored_count; i++)
        json_text(&json, NULL, batch->ignored[i]);
    json_close(&json, ']');
}

static void reply_reference(struct batch *batch, const struct request *request)
{
    char estimator[64] = "", fn[64] = "";
    copy_text(request->estimator, estimator, sizeof estimator);
    copy_text(request->fn, fn, sizeof fn);
    int found = reference_find(estimator, fn);
    if (found < 0) {
        reply_fault(batch, request, found == -2 ? "unknown_estimator" : "unknown_fn",
                    found == -2 ? "no estimator '%s'; see `shardtop list estimators`"
                                : "the estimator '%s' has no function '%s'",
                    estimator, fn);
        return;
    }
    reference_defaults((enum reference_fn)found, &batch->inputs);
    if (!read_inputs(batch, request))
        return;
    reference_run(&batch->inputs, &batch->answer);
    begin_reply(batch, request);
    buffer_puts(&batch->reply, batch->answer.rule ? ", \"error\": " : ", \"values\": ");
    report_reference_json(&batch->reply, &batch->answer);
    put_ignored(batch);
    end_reply(batch);
}

/* ---- requests -------------------------------------------------------------------------------------------------- */

static bool is_note(const char *key)
{
    for (size_t i = 0; i < LENGTH(golden_notes); i++)
        if (strcmp(key, golden_notes[i]) == 0)
            return true;
    return false;
}

static struct request read_request(const struct node *all)
{
    struct request request = {0};
    const struct {
        const char *name;
        const struct node **slot;
    } known[] = {{"id", &request.id}, {"plan", &request.plan}, {"estimator", &request.estimator},
                 {"fn", &request.fn}, {"want", &request.want}};
    for (const struct node *member = all->child; member; member = member->next) {
        size_t i = 0;
        while (i < LENGTH(known) && strcmp(key_of(member), known[i].name) != 0)
            i++;
        if (is_note(key_of(member)))
            request.note = member;
        else if (i < LENGTH(known))
            *known[i].slot = member;
        else if (member->kind == NODE_MAPPING && request.groups < GROUPS_MAX)
            request.group[request.groups++] = member;
        else if (!request.unknown)
            request.unknown = member;
    }
    return request;
}

/* Whether an estimator has inputs in a group of this name. */
static bool is_group(const struct reference_function *f, const char *group)
{
    size_t size = strlen(group);
    for (int i = 0; i < f->input_count; i++)
        if (strncmp(f->inputs[i].name, group, size) == 0 && f->inputs[i].name[size] == '.')
            return true;
    return false;
}

/* The first member that this request must not have; NULL for none. Groups of inputs go with an estimator's function. */
static const struct node *unknown_member(const struct request *request)
{
    char estimator[64] = "", fn[64] = "";
    if (request->unknown)
        return request->unknown;
    if (request->plan)
        return request->groups ? request->group[0] : request->note;
    copy_text(request->estimator, estimator, sizeof estimator);
    copy_text(request->fn, fn, sizeof fn);
    int found = reference_find(estimator, fn);
    for (int i = 0; i < request->groups && found >= 0; i++)
        if (!is_group(reference_functions[found], key_of(request->group[i])))
            return request->group[i];
    return NULL;
}

/* Reads the paths to answer with. Returns NULL, or the fault. */
static const char *read_want(struct want *want, const struct node *paths)
{
    char path[WANT_PATH_MAX];
    memset(want, 0, sizeof *want);
    if (paths->kind != NODE_LIST)
        return "want must be an array of paths, such as [\"memory.fits\"]";
    for (const struct node *entry = paths->child; entry; entry = entry->next) {
        if (want->count == WANT_MAX)
            return "want may have at most 64 paths; request whole parts, such as \"memory\"";
        if (!copy_text(entry, path, sizeof path) || !*path || !want_add(want, path))
            return "an entry of want is not a path; expected paths such as \"memory.fits\"";
    }
    return NULL;
}

/* Replies with a fault of the request as a whole; false when it has none. */
static bool refuses(struct batch *batch, const struct request *request)
{
    const struct node *unknown = unknown_member(request);
    if (unknown) {
        reply_fault(batch, request, "unknown_member",
                    "unknown member '%.60s'; a request has id, plan, want, estimator, fn and inputs",
                    key_of(unknown));
        return true;
    }
    if (!request->want)
        return false;
    bool is_ours = request->plan && !request->estimator;
    const char *why = is_ours ? read_want(&batch->want, request->want) :
    "want needs a plan and cannot be combined with estimator";
    if (why)
        reply_error(batch, request, "bad_want", why);
    return why;
}

static void reply_request(struct batch *batch, const struct node *all)
{
    struct request request = read_request(all);
    if (refuses(batch, &request))
        return;
    if (request.plan)
        reply_plan(batch, &request);
    else if (request.estimator)
        reply_reference(batch, &request);
    else
        reply_error(batch, &request, "unknown_request",
                    "the line has neither plan nor estimator; write {\"id\": 1, \"plan\": {}}");
}

static void reply(struct batch *batch, const char *text, size_t size)
{
    static const struct node_limits limits = {0, VALUES_MAX, "a request has four levels", "split it"};
    struct errors errors = {0};
    struct node_parse parse = {.limits = &limits, .errors = &errors, .is_rfc = true};
    struct node *all = json_parse(text, size, &parse);
    if (all && all->kind == NODE_MAPPING)
        reply_request(batch, all);
    else
        reply_unread(batch, "not_json", all ? "not an object" : errors.count ? errors.line[0] : "", parse.column);
    node_free(all);
    errors_free(&errors);
}

struct batch *batch_open(FILE *err)
{
    struct batch *batch = xmalloc(sizeof *batch);
    memset(batch, 0, sizeof *batch);
    batch->err = err;
    return batch;
}

static void answer(struct batch *batch, const char *request, size_t size)
{
    if (size > BATCH_LINE_MAX)
        reply_unread(batch, "line_too_long", "longer than 1 MiB", 0);
    else
        reply(batch, request, size);
}

const char *batch_answer(struct batch *batch, const char *request, size_t size)
{
    batch->number++;
    answer(batch, request, size);
    return batch->reply.text;
}

void batch_close(struct batch *batch)
{
    buffer_free(&batch->reply);
    free(batch->estimate);
    free(batch);
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

/* Reads one line without its end and returns its size, -1 at the end. Of one that is too long a byte beyond is kept. */
static ssize_t next_line(FILE *in, char line[BATCH_LINE_MAX + 2])
{
    ssize_t size = 0;
    int sign;
    while ((sign = getc_unlocked(in)) != EOF && sign != '\n')
        if (size <= BATCH_LINE_MAX)
            line[size++] = (char)sign;
    line[size] = '\0';
    return sign == EOF && size == 0 ? -1 : size;
}

/* What the error of a request says that did not end by itself. */
static const struct {
    const char *rule, *message;
} endings[] = {
    [WORKER_CRASHED] = {"crashed", "the program failed on this request; please report it"},
    [WORKER_TOO_SLOW] = {"too_slow", "the request takes too much processor time; ask for less"},
};

/* The error for a request that ended so, with the request's id where it can be read. */
static void reply_ending(struct batch *batch, const char *text, size_t size, enum worker_end end)
{
    static const struct node_limits limits = {0, VALUES_MAX, "a request has four levels", "split it"};
    struct errors errors = {0};
    struct node_parse parse = {.limits = &limits, .errors = &errors, .is_rfc = true};
    struct node *all = text ? json_parse(text, size, &parse) : NULL;
    struct request request = {0};
    if (all && all->kind == NODE_MAPPING)
        request = read_request(all);
    reply_fault(batch, &request, endings[end].rule, "line %ld: %s", batch->number, endings[end].message);
    node_free(all);
    errors_free(&errors);
}

/* A worker_function. The first byte of the answer tells whether the line was a request. */
static void answer_line(void *context, const char *line, size_t size, long number, enum worker_end after,
                        struct buffer *out)
{
    struct batch *batch = context;
    batch->number = number;
    batch->has_unread = false;
    if (after != WORKER_ANSWERED)
        reply_ending(batch, line, size, after);
    else
        answer(batch, line, size);
    if (batch->err)
        fflush(batch->err);
    buffer_add(out, batch->has_unread ? "-" : "+", 1);
    buffer_add(out, batch->reply.text, batch->reply.size);
}

/* Has a line answered by the worker, asking once more for the error of one that ended it; `out` gets the answer. */
static void ask_worker(struct batch_worker *worker, const char *line, size_t size, long number, struct buffer *out)
{
    enum worker_end end = worker_ask(worker, line, size, number, WORKER_ANSWERED, out);
    if (end != WORKER_ANSWERED && worker_ask(worker, line, size, number, end, out) != WORKER_ANSWERED) {
        struct batch *batch = worker->context;
        batch->number = number;
        reply_ending(batch, NULL, 0, end);
        out->size = 0;
        buffer_puts(out, "+");
        buffer_add(out, batch->reply.text, batch->reply.size);
    }
    buffer_puts(out, "\n");
}

int batch_run(FILE *in, FILE *out, FILE *err, bool is_apart)
{
    struct batch *batch = batch_open(err);
    struct batch_worker worker = {.run = answer_line, .context = batch, .is_apart = is_apart};
    struct buffer reply = {0};
    char *line = xmalloc(BATCH_LINE_MAX + 2);
    ssize_t size;
    long number = 0;
    bool is_written = true, has_unread = false, is_quiet = isatty(fileno(out)); /* answers show how far it is */
    while (is_written && (size = next_line(in, line)) >= 0) {
        number++;
        if (strspn(line, " \t\r") == (size_t)size)
            continue;
        ask_worker(&worker, line, (size_t)size, number, &reply);
        has_unread |= reply.text[0] == '-';
        is_written = fwrite(reply.text + 1, 1, reply.size - 1, out) == reply.size - 1 && fflush(out) == 0;
        if (!is_quiet)
            progress_say((size_t)number, "lines answered");
    }
    progress_end();
    worker_close(&worker);
    if (!is_written)
        fputs("-: the answers cannot be written; check the disk or the reader\n", err);
    batch_close(batch);
    buffer_free(&reply);
    free(line);
    return !is_written ? STATUS_UNWRITTEN : has_unread ? STATUS_UNREADABLE : STATUS_READ_ALL;
}
