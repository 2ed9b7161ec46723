#include "src/cli/batch.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/reference/reference.h"
#include "src/plan/plan_io.h"
#include "src/plan/reference_plan.h"
#include "src/report/reference.h"
#include "src/report/report.h"
#include "src/report/want.h"
#include "src/text/errors.h"
#include "src/text/json_out.h"
#include "src/text/json_pull.h"
#include "src/text/keyval.h"
#include "src/text/progress.h"
#include "src/text/text.h"
#include "src/text/tree.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    IGNORED_MAX = 8,
    GROUPS_MAX = 8,
    PATH_MAX_BYTES = 128,
    MESSAGE_MAX = 400,
    STATUS_READ_ALL = 0,
    STATUS_UNREADABLE = 2,
    STATUS_UNWRITTEN = 3
};

struct batch {
    FILE *err;   /* for what is no request; NULL for nothing */
    long number; /* of the request, from 1 */
    struct buffer reply;
    struct reference_inputs inputs;
    struct reference_answer answer;
    struct estimate *estimate; /* made with the first plan */
    struct buffer result;      /* what is wanted is taken from */
    struct want want;
    struct json_piece ignored[IGNORED_MAX]; /* inputs that the estimator does not have */
    int ignored_count;
    bool is_unread; /* some line was */
};

/* What golden lines hold beside a request of an estimator; passed over. */
static const char *const golden_notes[] = {"expected", "warnings", "source", "commit", "model", "unit"};

/* The members of a request; objects other than the plan are groups of inputs. */
struct request {
    struct json_piece id, plan, estimator, fn, want;
    struct json_piece unknown, note; /* the first member that no request has, and that only golden lines have */
    struct json_piece group[GROUPS_MAX], members[GROUPS_MAX];
    int groups;
};

/* ---- replies ---------------------------------------------------------------------------------------------------- */

static void begin_reply(struct batch *batch, const struct request *request)
{
    batch->reply.size = 0;
    buffer_puts(&batch->reply, "{\"id\": ");
    if (request && request->id.size)
        json_copy(&batch->reply, request->id.text, request->id.size);
    else
        buffer_puts(&batch->reply, "null");
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
    buffer_puts(&batch->reply, "}");
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
    batch->is_unread = true;
    if (batch->err)
        fprintf(batch->err, "-:%ld: %s%s; write one JSON object a line\n", batch->number, where, what);
    reply_fault(batch, NULL, rule, "line %ld: %s%s", batch->number, where, what);
}

/* ---- plans ------------------------------------------------------------------------------------------------------ */

/* The wanted part of a result behind the reply's beginning. */
static void reply_wanted(struct batch *batch, const struct request *request, const struct report_options *options)
{
    struct json json = {.out = &batch->result};
    batch->result.size = 0;
    json_result(&json, NULL, batch->estimate, options);
    const char *missing =
        want_copy(&batch->want, &batch->reply, (struct json_piece){batch->result.text, batch->result.size});
    if (missing)
        reply_fault(batch, request, "unknown_value",
                    "want: '%s' is no value of a result; `shardtop show --json` has them", missing);
    else
        buffer_puts(&batch->reply, "}");
}

static void reply_estimate(struct batch *batch, const struct request *request, struct plan *plan)
{
    const struct report_options options = {.format = REPORT_JSON, .want = request->want.size ? &batch->want : NULL};
    struct json json = {.out = &batch->reply};
    if (!batch->estimate)
        batch->estimate = xmalloc(sizeof *batch->estimate);
    plan_finish(plan);
    estimate_plan(plan, batch->estimate);
    begin_reply(batch, request);
    buffer_puts(&batch->reply, ", \"result\": ");
    if (options.want) {
        reply_wanted(batch, request, &options);
        return;
    }
    json_result(&json, NULL, batch->estimate, &options);
    buffer_puts(&batch->reply, "}");
}

/* What a published estimator says of a plan. */
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
    buffer_puts(&batch->reply, "}");
}

static void reply_plan(struct batch *batch, const struct request *request)
{
    struct keyvals settings = {0};
    struct errors errors = {0};
    struct plan plan;
    char estimator[64] = "";
    json_pull_text(request->estimator, estimator, sizeof estimator);
    const struct plan_source source = {.file = "plan", .from = FROM_SET};
    char *text = xstrndup(request->plan.text, request->plan.size);
    plan_clear(&plan);
    bool is_read = tree_settings(text, request->plan.size, source.file, TREE_JSON, &settings, &errors) == 0 &&
                   plan_apply(&plan, &settings, &source, &errors) == 0;
    if (!is_read)
        reply_fault(batch, request, "bad_plan", "%s", errors.count ? errors.line[0] : "the plan cannot be read");
    else if (*estimator && strcmp(estimator, "shardtop") != 0)
        reply_mapped(batch, request, &plan, estimator);
    else
        reply_estimate(batch, request, &plan);
    keyvals_free(&settings);
    errors_free(&errors);
    free(text);
}

/* ---- estimators ------------------------------------------------------------------------------------------------- */

static bool read_bool(struct json_piece value, double *out)
{
    if (*value.text == 't' || *value.text == 'f')
        *out = *value.text == 't';
    else if (json_pull_number(value, out))
        *out = *out != 0;
    else
        return false;
    return true;
}

static bool read_list(struct json_piece value, struct reference_list *out)
{
    struct json_walk walk;
    struct json_piece key, entry;
    *out = (struct reference_list){.scalar = NAN};
    if (!json_pull_open(&walk, value) || walk.is_object)
        return json_pull_number(value, &out->scalar);
    while (json_pull_next(&walk, &key, &entry)) {
        if (!json_pull_number(entry, &out->last))
            return false;
        out->sum += out->last;
        out->count++;
    }
    return true;
}

/* null leaves what an input is without a value: no number, no text. */
static bool read_input(const struct reference_member *row, struct json_piece value, void *place)
{
    bool is_null = *value.text == 'n';
    switch (row->type) {
    case REFERENCE_NAME: {
        struct reference_name *name = place;
        name->text[0] = '\0';
        return is_null || json_pull_text(value, name->text, sizeof name->text);
    }
    case REFERENCE_LIST:
        if (!is_null)
            return read_list(value, place);
        *(struct reference_list *)place = (struct reference_list){.scalar = NAN};
        return true;
    case REFERENCE_BOOL:
        *(double *)place = NAN;
        return is_null || read_bool(value, place);
    default:
        *(double *)place = NAN;
        return is_null || json_pull_number(value, place);
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
static bool read_group(struct batch *batch, const struct request *request, struct json_piece group,
                       struct json_piece object)
{
    const struct reference_function *f = reference_functions[batch->inputs.fn];
    char path[PATH_MAX_BYTES];
    struct json_walk walk;
    struct json_piece key, value;
    int row = -1;
    if (group.size + 2 > sizeof path || !json_pull_open(&walk, object) || !walk.is_object)
        return true;
    memcpy(path, group.text, group.size);
    path[group.size] = '.';
    while (json_pull_next(&walk, &key, &value)) {
        size_t n = group.size + 1 + key.size;
        int hint = row + 1;
        if (n <= sizeof path)
            memcpy(path + group.size + 1, key.text, key.size);
        int found = n <= sizeof path ? reference_member_find(f->inputs, f->input_count, hint, path, n) : -1;
        if (found < 0) {
            if (json_pull_is(group, "inputs") && batch->ignored_count < IGNORED_MAX)
                batch->ignored[batch->ignored_count++] = key;
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
        if (!read_group(batch, request, request->group[i], request->members[i]))
            return false;
    return true;
}

static void put_ignored(struct batch *batch)
{
    for (int i = 0; i < batch->ignored_count; i++) {
        buffer_puts(&batch->reply, i ? ", \"" : ", \"ignored\": [\"");
        json_copy(&batch->reply, batch->ignored[i].text, batch->ignored[i].size);
        buffer_puts(&batch->reply, "\"");
    }
    if (batch->ignored_count)
        buffer_puts(&batch->reply, "]");
}

static void reply_reference(struct batch *batch, const struct request *request)
{
    char estimator[64] = "", fn[64] = "";
    json_pull_text(request->estimator, estimator, sizeof estimator);
    json_pull_text(request->fn, fn, sizeof fn);
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
    buffer_puts(&batch->reply, "}");
}

/* ---- requests -------------------------------------------------------------------------------------------------- */

static bool is_note(struct json_piece key)
{
    for (size_t i = 0; i < LENGTH(golden_notes); i++)
        if (json_pull_is(key, golden_notes[i]))
            return true;
    return false;
}

static struct request read_request(struct json_piece all)
{
    static const struct {
        const char *name;
        size_t slot;
    } known[] = {
        {"id", offsetof(struct request, id)},         {"plan", offsetof(struct request, plan)},
        {"estimator", offsetof(struct request, estimator)},
        {"fn", offsetof(struct request, fn)},         {"want", offsetof(struct request, want)},
    };
    struct request request = {0};
    struct json_walk walk;
    struct json_piece key, value;
    json_pull_open(&walk, all);
    while (json_pull_next(&walk, &key, &value)) {
        size_t i = 0;
        while (i < LENGTH(known) && !json_pull_is(key, known[i].name))
            i++;
        if (is_note(key)) {
            request.note = key;
        } else if (i < LENGTH(known)) {
            *(struct json_piece *)((char *)&request + known[i].slot) = value;
        } else if (*value.text == '{' && request.groups < GROUPS_MAX) {
            request.group[request.groups] = key;
            request.members[request.groups++] = value;
        } else if (!request.unknown.size) {
            request.unknown = key;
        }
    }
    return request;
}

/* The text without the blanks around it. */
static struct json_piece trimmed(const char *text, size_t size)
{
    const char *first = text + strspn(text, " \t\r\n"), *end = text + size;
    while (end > first && strchr(" \t\r\n", end[-1]) && end[-1])
        end--;
    return (struct json_piece){first, (size_t)(end - first)};
}

/* Whether an estimator has inputs in a group of this name. */
static bool is_group(const struct reference_function *f, struct json_piece group)
{
    for (int i = 0; i < f->input_count; i++)
        if (strncmp(f->inputs[i].name, group.text, group.size) == 0 && f->inputs[i].name[group.size] == '.')
            return true;
    return false;
}

/*
 * The first member that this request must not have; size 0 for none. Groups of inputs go with an estimator's function.
 */
static struct json_piece unknown_member(const struct request *request)
{
    char estimator[64] = "", fn[64] = "";
    if (request->unknown.size)
        return request->unknown;
    if (request->plan.size)
        return request->groups ? request->group[0] : request->note;
    json_pull_text(request->estimator, estimator, sizeof estimator);
    json_pull_text(request->fn, fn, sizeof fn);
    int found = reference_find(estimator, fn);
    for (int i = 0; i < request->groups && found >= 0; i++)
        if (!is_group(reference_functions[found], request->group[i]))
            return request->group[i];
    return (struct json_piece){0};
}

/* Replies with a fault of the request as a whole; false when it has none. */
static bool refuses(struct batch *batch, const struct request *request)
{
    struct json_piece unknown = unknown_member(request);
    if (unknown.size) {
        reply_fault(batch, request, "unknown_member",
                    "a request has no member '%.*s'; it has id, plan, want, estimator, fn and inputs",
                    (int)(unknown.size < 60 ? unknown.size : 60), unknown.text);
        return true;
    }
    if (!request->want.size)
        return false;
    bool is_ours = request->plan.size && !request->estimator.size;
    const char *why = is_ours ? want_read(&batch->want, request->want) : "want goes with a plan alone; leave it out";
    if (why)
        reply_error(batch, request, "bad_want", why);
    return why;
}

static void reply(struct batch *batch, const char *text, size_t size)
{
    const char *why = NULL;
    size_t column = json_pull_check(text, size, &why);
    struct json_piece all = trimmed(text, size);
    if (column || *all.text != '{') {
        reply_unread(batch, "not_json", column ? why : "not an object", column);
        return;
    }
    struct request request = read_request(all);
    if (refuses(batch, &request))
        return;
    if (request.plan.size)
        reply_plan(batch, &request);
    else if (request.estimator.size)
        reply_reference(batch, &request);
    else
        reply_error(batch, &request, "unknown_request",
                    "the line has neither plan nor estimator; write {\"id\": 1, \"plan\": {}}");
}

struct batch *batch_open(FILE *err)
{
    struct batch *batch = xmalloc(sizeof *batch);
    memset(batch, 0, sizeof *batch);
    batch->err = err;
    return batch;
}

const char *batch_answer(struct batch *batch, const char *request, size_t size)
{
    batch->number++;
    if (size > BATCH_LINE_MAX)
        reply_unread(batch, "line_too_long", "longer than 1 MiB", 0);
    else
        reply(batch, request, size);
    return batch->reply.text;
}

void batch_close(struct batch *batch)
{
    buffer_free(&batch->reply);
    buffer_free(&batch->result);
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

/* Returns false when the answer could not be written. */
static bool write_reply(struct batch *batch, FILE *out)
{
    buffer_add(&batch->reply, "\n", 1);
    return fwrite(batch->reply.text, 1, batch->reply.size, out) == batch->reply.size && fflush(out) == 0;
}

int batch_run(FILE *in, FILE *out, FILE *err)
{
    struct batch *batch = batch_open(err);
    char *line = xmalloc(BATCH_LINE_MAX + 2);
    ssize_t size;
    bool is_written = true, is_quiet = isatty(fileno(out)); /* the answers themselves show how far it is */
    while (is_written && (size = next_line(in, line)) >= 0) {
        if (strspn(line, " \t\r") == (size_t)size) {
            batch->number++;
            continue;
        }
        batch_answer(batch, line, (size_t)size);
        is_written = write_reply(batch, out);
        if (!is_quiet)
            progress_say((size_t)batch->number, "lines answered");
    }
    progress_end();
    if (!is_written)
        fputs("-: the answers cannot be written; check the disk or the reader\n", err);
    int status = !is_written ? STATUS_UNWRITTEN : batch->is_unread ? STATUS_UNREADABLE : STATUS_READ_ALL;
    batch_close(batch);
    free(line);
    return status;
}
