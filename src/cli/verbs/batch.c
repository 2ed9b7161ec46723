#include "src/cli/verbs/batch.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/estimate/range.h"
#include "core/explain/explain.h"
#include "core/plan/param.h"
#include "core/reference/reference.h"
#include "src/cli/threads.h"
#include "src/cli/verbs/batch_verb.h"
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
#include "src/text/version.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    IGNORED_MAX = 8,
    GROUPS_MAX = 8,
    PATH_MAX_BYTES = 128,
    VALUES_MAX = 100000, /* in a request */
    MESSAGE_MAX = 400,
    LINES_MIN = 2 << 20, /* of input, which is more than is read at a time */
    REPLY_MIN = 512, /* room for an error without more memory */
    STATUS_READ_ALL = 0,
    STATUS_UNREADABLE = 2,
    STATUS_UNWRITTEN = 3
};

struct batch {
    char *base;             /* the text that `base_plan` was read from, NULL for none */
    struct plan base_plan;
    char why[MESSAGE_MAX];  /* what is wrong with a question in numbers */
    FILE *err;   /* for lines that are no request; NULL for none */
    long number; /* of the request, from 1 */
    struct buffer reply;
    struct reference_inputs inputs;
    struct reference_answer answer;
    struct estimate *estimate;
    struct explanation opened;
    struct want want;
    const char *ignored[IGNORED_MAX]; /* inputs that the estimator does not have */
    int ignored_count;
    bool has_unread; /* a line was not a request */
};

static const struct node_limits request_limits = {0, VALUES_MAX, "a request has four levels", "split it"};

/* Members that lines of expected answers have beside a request; ignored. */
static const char *const golden_notes[] = {"expected", "warnings", "source", "commit", "model", "unit"};

/* Commands that a request may ask for beside a plan: {"plan": {..}, "search": {"top": 3}}. */
static const char *const request_verbs[] = {"search", "advice", "sweep"};

/* The members of a request, NULL where it has none; objects other than the plan are groups of inputs. */
struct request {
    const struct node *id, *plan, *estimator, *fn, *want;
    const struct node *verb;           /* the member of one of request_verbs */
    const struct node *unknown, *note; /* the first that no request has, and the last of golden_notes */
    const struct node *twice;          /* one that stands there again */
    const struct node *group[GROUPS_MAX];
    int groups;
};

static const char *key_of(const struct node *member)
{
    return member->key ? member->key : "";
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
    plan_finish(plan);
    estimate_plan(plan, batch->estimate);
    begin_reply(batch, request);
    buffer_puts(&batch->reply, ", \"result\": ");
    if (request->want && batch->want.count == 0)
        buffer_puts(&batch->reply, "{}");
    else
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

/* Reads a plan; false with a fault in `errors`. */
static bool read_plan(const struct node *node, struct plan *plan, struct errors *errors)
{
    struct keyvals settings = {0};
    char gpus[64], why[PARAM_WHY_MAX];
    const struct plan_source source = {.file = "plan", .from = FROM_SET};
    plan_clear(plan);
    bool is_read = batch_settings(node, &settings, errors) == 0;
    take_gpus(&settings, gpus, sizeof gpus);
    is_read = is_read && plan_apply(plan, &settings, &source, errors) == 0;
    if (is_read && *gpus) {
        bool has_nodes = plan->from[PARAM_hardware_nodes] == FROM_SET;
        plan_finish(plan);
        is_read = param_set_gpus(plan, gpus, has_nodes ? KEY_OF(plan, hardware, nodes) : (double)NAN, why) == 0;
        if (!is_read)
            errors_add(errors, source.file, 0, "gpus", "%s", why);
    }
    keyvals_free(&settings);
    return is_read;
}

static void reply_plan(struct batch *batch, const struct request *request)
{
    struct errors errors = {0};
    struct plan plan;
    char estimator[64] = "";
    copy_text(request->estimator, estimator, sizeof estimator);
    if (!read_plan(request->plan, &plan, &errors))
        reply_fault(batch, request, "bad_plan", "%s", errors.count ? errors.line[0] : "the plan cannot be read");
    else if (*estimator && strcmp(estimator, "shardtop") != 0)
        reply_mapped(batch, request, &plan, estimator);
    else
        reply_estimate(batch, request, &plan);
    errors_free(&errors);
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

/* Reads the plan that numbers are set in, unless it is the one of the last question. */
static bool read_base(struct batch *batch, const char *base)
{
    struct errors errors = {0};
    if (batch->base && strcmp(batch->base, base) == 0)
        return true;
    free(batch->base);
    batch->base = NULL;
    struct node_parse parse = {.limits = &request_limits, .errors = &errors, .is_rfc = true};
    struct node *all = json_parse(base, strlen(base), &parse);
    bool is_read = all && all->kind == NODE_MAPPING && read_plan(all, &batch->base_plan, &errors);
    if (is_read)
        memory_drop(batch->base = xstrdup(base)); /* it serves the next question */
    else
        snprintf(batch->why, sizeof batch->why, "base: %s", errors.count ? errors.line[0] : "is not a JSON object");
    node_free(all);
    errors_free(&errors);
    return is_read;
}

static bool set_number(struct batch *batch, struct plan *plan, const char *key, double value)
{
    int id = param_find_alias(key);
    const struct param_row *row = id >= 0 ? &param_rows[id] : NULL;
    bool is_number = row && row->type <= TYPE_SET && (row->type == TYPE_REAL || value == floor(value));
    if (is_number && value >= row->min && value <= row->max) {
        plan->value[id] = value;
        plan->from[id] = FROM_SET;
        return true;
    }
    snprintf(batch->why, sizeof batch->why, row ? "%.80s: %g is not a value of this key" : "%.80s: is not a key", key,
             value);
    return false;
}

static bool take_number(struct batch *batch, const char *path, double *out)
{
    const struct estimate *e = batch->estimate;
    if (strcmp(path, "valid") == 0)
        *out = e->diags.errors == 0;
    else if (strcmp(path, "memory.probability") == 0)
        *out = range_fit_probability(e);
    else if (strcmp(path, "memory.headroom_bytes") == 0)
        *out = e->headroom_bytes;
    else if (explain_number(e, path, &batch->opened, out) != 0)
        return snprintf(batch->why, sizeof batch->why, "want: '%.80s' is not a number of a result", path), false;
    return true;
}

const char *batch_answer_numbers(struct batch *batch, const struct batch_numbers *asked, double out[])
{
    for (size_t i = 0; i < asked->wanted; i++)
        out[i] = NAN;
    if (!read_base(batch, asked->base ? asked->base : "{}"))
        return batch->why;
    struct plan plan = batch->base_plan;
    for (size_t i = 0; i < asked->count; i++)
        if (!set_number(batch, &plan, asked->keys[i], asked->values[i]))
            return batch->why;
    plan_finish(&plan);
    estimate_plan(&plan, batch->estimate);
    for (size_t i = 0; i < asked->wanted; i++)
        if (!take_number(batch, asked->want[i], &out[i]))
            return batch->why;
    return NULL;
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
    bool is_clear = value->kind == NODE_VALUE && value->is_bare && strcmp(value->text, "null") == 0;
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

static bool is_verb(const char *key)
{
    for (size_t i = 0; i < LENGTH(request_verbs); i++)
        if (strcmp(key, request_verbs[i]) == 0)
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
        else if (is_verb(key_of(member)) && !request.verb)
            request.verb = member;
        else if (i < LENGTH(known) && *known[i].slot)
            request.twice = member;
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
    memset(want->is_found, 0, sizeof want->is_found);
    want->count = want->depth = want->whole = want->skipped = 0;
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
    if (request->twice) {
        reply_fault(batch, request, "repeated_member", "'%.60s' is given twice; keep one", key_of(request->twice));
        return true;
    }
    if (unknown && request->verb && is_verb(key_of(unknown))) {
        reply_fault(batch, request, "unknown_member", "'%.60s' is another question; ask it on a line of its own",
                    key_of(unknown));
        return true;
    }
    if (unknown) {
        reply_fault(batch, request, "unknown_member",
                    "unknown member '%.60s'; a request has id, plan, want, search, advice, sweep, estimator, fn and "
                    "inputs",
                    key_of(unknown));
        return true;
    }
    if (!request->want)
        return false;
    bool is_ours = request->plan && !request->estimator && !request->verb;
    const char *why = is_ours ? read_want(&batch->want, request->want)
                              : "want needs a plan, and no estimator, search, advice or sweep";
    if (why)
        reply_error(batch, request, "bad_want", why);
    return why;
}

/* Replies with the answer of a search, an advice or a sweep. */
static void reply_verb(struct batch *batch, const struct request *request)
{
    struct buffer answer = {0};
    struct errors errors = {0};
    const struct batch_verb verb = {request->verb->key, request->plan, request->verb};
    if (batch_verb_answer(&verb, &answer, &errors) != 0) {
        reply_fault(batch, request, "bad_plan", "%s", errors.count ? errors.line[0] : "there is no answer");
    } else {
        begin_reply(batch, request);
        buffer_printf(&batch->reply, ", \"%s\": ", verb.name);
        buffer_add(&batch->reply, answer.text, answer.size);
        end_reply(batch);
    }
    buffer_free(&answer);
    errors_free(&errors);
}

static void reply_request(struct batch *batch, const struct node *all)
{
    struct request request = read_request(all);
    if (refuses(batch, &request))
        return;
    if (request.verb)
        reply_verb(batch, &request);
    else if (request.plan)
        reply_plan(batch, &request);
    else if (request.estimator)
        reply_reference(batch, &request);
    else
        reply_error(batch, &request, "unknown_request",
                    "the line has neither plan nor estimator; write {\"id\": 1, \"plan\": {}}");
}

static void reply(struct batch *batch, const char *text, size_t size)
{
    struct errors errors = {0};
    struct node_parse parse = {.limits = &request_limits, .errors = &errors, .is_rfc = true};
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
    batch->estimate = xmalloc(sizeof *batch->estimate); /* its pages are taken with the first plan */
    batch->reply = (struct buffer){.text = xcalloc(1, REPLY_MIN), .capacity = REPLY_MIN};
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
    free(batch->base);
    free(batch);
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

/* What the error of a request says that did not end by itself. */
static const struct {
    const char *rule, *message;
} endings[] = {
    [WORKER_CRASHED] = {"crashed", "the program failed on this request; please report it"},
    [WORKER_TOO_SLOW] = {"too_slow", "the request takes too much processor time; ask for less"},
    [WORKER_NO_MEMORY] = {"out_of_memory", "memory has run out; ask for less"},
};

/* The error for a request that ended so, with the request's id where it can be read. */
static void reply_ending(struct batch *batch, const char *text, size_t size, enum worker_end end)
{
    struct errors errors = {0};
    struct node_parse parse = {.limits = &request_limits, .errors = &errors, .is_rfc = true};
    struct node *all = text ? json_parse(text, size, &parse) : NULL;
    struct request request = {0};
    if (all && all->kind == NODE_MAPPING)
        request = read_request(all);
    reply_fault(batch, &request, endings[end].rule, "line %ld: %s", batch->number, endings[end].message);
    node_free(all);
    errors_free(&errors);
}

static bool is_blank(const char *line, size_t size)
{
    while (size > 0 && strchr(" \t\r", line[size - 1]) && line[size - 1])
        size--;
    return size == 0;
}

/* The bytes of the first line, without its end. */
static size_t line_size(const char *text, size_t size)
{
    const char *end = memchr(text, '\n', size);
    return end ? (size_t)(end - text) : size;
}

/* Writes the error of a line for which there is no memory. */
static void reply_no_memory(long number, char out[REPLY_MIN])
{
    snprintf(out, REPLY_MIN, "{\"id\": null, \"error\": {\"rule\": \"%s\", \"message\": \"line %ld: %s\"}}",
             endings[WORKER_NO_MEMORY].rule, number, endings[WORKER_NO_MEMORY].message);
}

/* A line, and how it ended before. */
struct turn {
    struct batch *batch;
    const char *line;
    size_t size;
    enum worker_end after;
};

static void take_turn(void *context)
{
    const struct turn *turn = context;
    char *line = xmalloc(turn->size + 1); /* a line may hold NUL */
    memcpy(line, turn->line, turn->size);
    line[turn->size] = '\0';
    if (turn->after != WORKER_ANSWERED)
        reply_ending(turn->batch, line, turn->size, turn->after);
    else
        answer(turn->batch, line, turn->size);
    free(line);
}

/* Makes the reply to a line, even when there is no memory for a better one. */
static void answer_line(struct batch *batch, const char *line, size_t size, enum worker_end after)
{
    batch->has_unread = false;
    if (memory_try(take_turn, &(struct turn){batch, line, size, after}))
        return;
    reply_no_memory(batch->number, batch->reply.text);
    batch->reply.size = strlen(batch->reply.text);
}

/* A worker_function. The first byte of each answer tells whether the line was a request. */
static void answer_lines(void *context, const char *text, size_t size, long number, enum worker_end after,
                         struct buffer *out)
{
    struct batch *batch = context;
    for (const char *at = text, *end = text + size; at < end; number++) {
        size_t n = line_size(at, (size_t)(end - at));
        batch->number = number;
        worker_begin();
        if (!is_blank(at, n)) {
            answer_line(batch, at, n, after);
            buffer_add(out, batch->has_unread ? "-" : "+", 1);
            buffer_add(out, batch->reply.text, batch->reply.size);
            buffer_add(out, "\n", 1);
        }
        at += n + 1;
    }
    if (batch->err)
        fflush(batch->err);
}

/* Input, of which a chunk of whole lines is taken at a time. */
struct lines {
    FILE *in;
    char *text; /* what was read and not taken yet */
    size_t size, capacity;
    bool is_at_end;
};

/* Whether more can be read without waiting. */
static bool is_ready(const struct lines *lines)
{
    struct pollfd in = {.fd = fileno(lines->in), .events = POLLIN};
    return in.fd < 0 || poll(&in, 1, 0) > 0;
}

/* Reads what there is, and waits for it where there is nothing. */
static void read_more(struct lines *lines)
{
    enum { READ_BYTES = 64 << 10 };
    int fd = fileno(lines->in);
    if (lines->capacity - lines->size < READ_BYTES) {
        lines->capacity = lines->capacity * 2 + READ_BYTES;
        lines->text = xrealloc(lines->text, lines->capacity);
    }
    char *to = lines->text + lines->size;
    ssize_t n;
    do
        n = fd < 0 ? (ssize_t)fread(to, 1, READ_BYTES, lines->in) : read(fd, to, READ_BYTES);
    while (n < 0 && errno == EINTR);
    lines->is_at_end = n <= 0;
    lines->size += n > 0 ? (size_t)n : 0;
}

/* Cuts the end off a line that is too long, so that no more of it is kept while the rest is read. */
static void drop_excess(struct lines *lines, size_t *dropped)
{
    bool is_whole = memchr(lines->text, '\n', lines->size) != NULL;
    if (!is_whole && lines->size > BATCH_LINE_MAX + 1) {
        *dropped += lines->size - (BATCH_LINE_MAX + 1);
        lines->size = BATCH_LINE_MAX + 1;
    }
}

/*
 * The bytes of the next lines, CHUNK_LINES at most, with their ends; 0 at the end of the input. Lines that are there
 * are answered before others are waited for.
 */
static size_t next_chunk(struct lines *lines)
{
    enum { CHUNK_LINES = 64, CHUNK_BYTES = 256 << 10 };
    size_t size = 0, dropped = 0;
    for (int count = 0; count < CHUNK_LINES && size < CHUNK_BYTES;) {
        size_t rest = lines->size - size, n = rest ? line_size(lines->text + size, rest) : 0;
        if (n < rest) {
            size += n + 1;
            count++;
        } else if (lines->is_at_end) {
            return lines->size;
        } else if (size > 0 && !is_ready(lines)) {
            break;
        } else {
            read_more(lines);
            if (size == 0)
                drop_excess(lines, &dropped);
        }
    }
    return size;
}

/* Prints the answers of a chunk; false where they cannot be written. */
static bool print_answers(const struct buffer *answers, FILE *out, bool *has_unread)
{
    const char *at = answers->size ? answers->text : "", *end = at + answers->size;
    while (at < end) {
        size_t n = line_size(at, (size_t)(end - at)) + 1;
        *has_unread |= *at == '-';
        if (fwrite(at + 1, 1, n - 1, out) != n - 1)
            return false;
        at += n;
    }
    return fflush(out) == 0;
}

/* Has the lines of a chunk that ended the worker answered one by one; one that ends it again gets an error. */
static void ask_one_by_one(struct batch_worker *worker, const char *text, size_t size, long number, struct buffer *out)
{
    struct buffer one = {0};
    for (const char *at = text, *last = text + size; at < last; number++) {
        size_t n = line_size(at, (size_t)(last - at));
        worker_send(worker, at, n, number, WORKER_ANSWERED);
        enum worker_end end = worker_receive(worker, &one);
        if (end != WORKER_ANSWERED) {
            worker_send(worker, at, n, number, end);
            if (worker_receive(worker, &one) != WORKER_ANSWERED) {
                struct batch *batch = worker->context;
                batch->number = number;
                reply_ending(batch, NULL, 0, end);
                one.size = 0;
                buffer_printf(&one, "+%s\n", batch->reply.text);
            }
        }
        buffer_add(out, one.text, one.size);
        at += n + 1;
    }
    buffer_free(&one);
}

/* A worker and whether it has lines to answer. */
struct post {
    struct batch_worker worker;
    bool is_busy;
};

/* Lines that go to a worker, or come back with what is to be printed. */
struct exchange {
    struct post *post;
    const char *text;
    size_t size;
    long number;
    FILE *out;
    bool *has_unread;
    bool is_written;
};

/* Prints the error of each line of a chunk that there is no memory for; false where they cannot be written. */
static bool print_no_memory(const struct exchange *chunk)
{
    char error[REPLY_MIN];
    long number = chunk->number;
    for (const char *at = chunk->text, *end = at + chunk->size; at < end; number++) {
        size_t n = line_size(at, (size_t)(end - at));
        reply_no_memory(number, error);
        if (!is_blank(at, n))
            fprintf(chunk->out, "%s\n", error);
        at += n + 1;
    }
    return fflush(chunk->out) == 0 && !ferror(chunk->out);
}

static void receive(void *context)
{
    struct exchange *chunk = context;
    struct batch_worker *worker = &chunk->post->worker;
    struct buffer answers = {0};
    if (worker_receive(worker, &answers) != WORKER_ANSWERED) {
        struct buffer asked = {0};
        buffer_add(&asked, worker->asked.text, worker->asked.size);
        ask_one_by_one(worker, asked.text, asked.size, worker->number, &answers);
        buffer_free(&asked);
    }
    chunk->is_written = print_answers(&answers, chunk->out, chunk->has_unread);
    buffer_free(&answers);
}

/* Prints what a worker was asked; false where that cannot be written. */
static bool finish_post(struct post *post, FILE *out, bool *has_unread)
{
    const struct buffer *asked = &post->worker.asked;
    struct exchange chunk = {post, asked->text, asked->size, post->worker.number, out, has_unread, true};
    if (!post->is_busy)
        return true;
    post->is_busy = false;
    if (memory_try(receive, &chunk))
        return chunk.is_written;
    worker_end_now(&post->worker);
    chunk.text = asked->text;
    return print_no_memory(&chunk);
}

static void send_chunk(void *context)
{
    const struct exchange *chunk = context;
    worker_send(&chunk->post->worker, chunk->text, chunk->size, chunk->number, WORKER_ANSWERED);
}

static bool finish_all(struct post *posts, int count, int next, FILE *out, bool *has_unread)
{
    bool is_written = true;
    for (int i = 0; i < count && is_written; i++)
        is_written = finish_post(&posts[(next + i) % count], out, has_unread);
    return is_written;
}

static long count_lines(const char *text, size_t size)
{
    long count = 0;
    for (size_t at = 0; at < size; at += line_size(text + at, size - at) + 1)
        count++;
    return count;
}

/* Whether nothing can be asked without waiting for input. */
static bool must_wait(const struct lines *lines)
{
    return !memchr(lines->text ? lines->text : "", '\n', lines->size) && !lines->is_at_end && !is_ready(lines);
}

/* Answers the lines of `lines` in order. Returns whether the answers could be written. */
static bool answer_all(struct lines *lines, struct post *posts, int count, FILE *out, bool *has_unread)
{
    bool is_written = true, is_quiet = isatty(fileno(out)); /* answers show how far it is */
    long number = 1;
    int next = 0;
    for (size_t size; is_written; next = (next + 1) % count) {
        if (must_wait(lines))
            is_written = finish_all(posts, count, next, out, has_unread);
        if (!is_written || (size = next_chunk(lines)) == 0)
            break;
        is_written = finish_post(&posts[next], out, has_unread);
        struct exchange chunk = {&posts[next], lines->text, size, number, out, has_unread, true};
        posts[next].is_busy = memory_try(send_chunk, &chunk);
        if (!posts[next].is_busy)
            is_written = finish_all(posts, count, next, out, has_unread) && print_no_memory(&chunk);
        number += count_lines(lines->text, size);
        lines->size -= size;
        memmove(lines->text, lines->text + size, lines->size);
        if (!is_quiet)
            progress_say((size_t)number - 1, "lines answered");
    }
    return is_written && finish_all(posts, count, next, out, has_unread);
}

int batch_run(FILE *in, FILE *out, FILE *err, const struct batch_options *options)
{
    struct batch *batch = batch_open(err);
    struct lines lines = {.in = in, .text = xmalloc(LINES_MIN), .capacity = LINES_MIN};
    struct post posts[BATCH_WORKERS_MAX] = {0};
    int count = options->workers > 0 ? options->workers : 1;
    bool has_unread = false;
    threads_share(count);
    for (int i = 0; i < count; i++) {
        posts[i].worker = (struct batch_worker){.run = answer_lines, .context = batch, .is_apart = options->is_apart};
        buffer_add(&posts[i].worker.asked, "", 0);
    }
    bool is_written = answer_all(&lines, posts, count, out, &has_unread);
    progress_end();
    for (int i = 0; i < count; i++)
        worker_close(&posts[i].worker);
    if (!is_written)
        fputs("-: the answers cannot be written; check the disk or the reader\n", err);
    batch_close(batch);
    free(lines.text);
    return !is_written ? STATUS_UNWRITTEN : has_unread ? STATUS_UNREADABLE : STATUS_READ_ALL;
}
