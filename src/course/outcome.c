#include "src/course/outcome.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/plan/param.h"
#include "src/plan/reference_plan.h"
#include "src/report/reference.h"
#include "src/report/report.h"
#include "src/text/errors.h"
#include "src/text/json.h"
#include "src/text/json_out.h"
#include "src/text/node.h"
#include "src/text/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_ROOM = 256 };

/* Members of the answer come into being when they are asked for. */
struct outcome {
    struct estimate *estimate;
    struct node *members; /* all but the grid */
    struct node *grid;    /* thousands of ranks, which few ask for */
    struct node *reference[REFERENCE_COUNT];
};

static const struct short_name {
    const char *name, *path;
} short_names[] = {
#define NAME(name, path) {#name, path},
#include "src/course/names.def"
};

struct outcome *outcome_make(const struct plan *plan)
{
    struct outcome *out = xmalloc(sizeof *out);
    *out = (struct outcome){.estimate = xmalloc(sizeof *out->estimate)};
    estimate_plan(plan, out->estimate);
    return out;
}

void outcome_free(struct outcome *outcome)
{
    if (!outcome)
        return;
    node_free(outcome->members);
    node_free(outcome->grid);
    for (int i = 0; i < REFERENCE_COUNT; i++)
        node_free(outcome->reference[i]);
    free(outcome->estimate);
    free(outcome);
}

const struct plan *outcome_plan(const struct outcome *outcome)
{
    return &outcome->estimate->plan;
}

int outcome_errors(const struct outcome *outcome)
{
    return outcome->estimate->diags.errors;
}

/* ---- the answer as nodes ----------------------------------------------------------------------------------------- */

static struct node *parse(struct buffer *text)
{
    static const struct node_limits limits = {4000000, 4000000, "", ""};
    struct errors errors = {0};
    struct node_parse parse = {.limits = &limits, .file = "result", .errors = &errors};
    struct node *out = json_parse(text->text, text->size, &parse);
    errors_free(&errors);
    buffer_free(text);
    return out;
}

static struct node *write_members(const struct estimate *estimate, const char *const *names, size_t count)
{
    struct want want = {0};
    const struct report_options options = {0};
    struct buffer text = {0};
    struct json json = {.out = &text, .want = &want};
    for (size_t i = 0; i < count; i++)
        want_add(&want, names[i]);
    json_result(&json, NULL, estimate, &options);
    return parse(&text);
}

static const struct node *members_of(struct outcome *outcome, const char *path)
{
    static const char *const most[] = {"valid", "plan", "diagnostics", "parameters", "full_model", "layers", "memory",
                                       "communication", "time", "training", "checkpoint", "serving"};
    static const char *const grid[] = {"grid"};
    bool is_grid = strncmp(path, "grid", strlen("grid")) == 0;
    struct node **slot = is_grid ? &outcome->grid : &outcome->members;
    if (!*slot)
        *slot = write_members(outcome->estimate, is_grid ? grid : most, is_grid ? 1 : LENGTH(most));
    return *slot;
}

/* What a published estimator answers to the plan; NULL with the reason. */
static const struct node *reference_of(struct outcome *outcome, const char *name, size_t size, char *why)
{
    int id = 0;
    while (id < REFERENCE_COUNT &&
           (strlen(reference_rows[id].name) != size || memcmp(reference_rows[id].name, name, size) != 0))
        id++;
    if (id == REFERENCE_COUNT) {
        snprintf(why, EXPR_WHY_MAX, "unknown estimator '%.*s'; see `shardtop list estimators`",
                 (int)(size > 40 ? 40 : size), name);
        return NULL;
    }
    if (!outcome->reference[id]) {
        struct reference_inputs *inputs = xmalloc(sizeof *inputs);
        struct reference_answer *answer = xmalloc(sizeof *answer);
        struct buffer text = {0};
        char refusal[REFERENCE_WHY_MAX];
        if (reference_from_plan(&outcome->estimate->plan, (enum reference_id)id, inputs, refusal) == 0) {
            reference_run(inputs, answer);
            report_reference_json(&text, answer);
            outcome->reference[id] = parse(&text);
        } else {
            snprintf(why, EXPR_WHY_MAX, "%s cannot estimate this plan: %.140s", reference_rows[id].name, refusal);
        }
        free(answer);
        free(inputs);
    }
    return outcome->reference[id];
}

/* ---- along a path ------------------------------------------------------------------------------------------------ */

/* What was found so far: a sum, or the first word. */
struct found {
    struct expr_value value;
    char *why;
};

static const struct node *child_of(const struct node *mapping, const char *key, size_t size)
{
    for (const struct node *child = mapping->child; child; child = child->next)
        if (child->key && strlen(child->key) == size && memcmp(child->key, key, size) == 0)
            return child;
    return NULL;
}

static const struct node *entry_of(const struct node *list, const char *digits, size_t size)
{
    long index = 0;
    for (size_t i = 0; i < size; i++) {
        if (!isdigit((unsigned char)digits[i]) || index > 1000000)
            return NULL;
        index = 10 * index + (digits[i] - '0');
    }
    const struct node *child = list->child;
    while (child && index-- > 0)
        child = child->next;
    return child;
}

static bool is_null(const struct node *node)
{
    return node->kind == NODE_VALUE && node->is_bare && strcmp(node->text, "null") == 0;
}

static bool no_value(struct found *found, const char *path)
{
    snprintf(found->why, EXPR_WHY_MAX, "'%.60s' is not in the result; see `shardtop show --json`", path);
    return false;
}

static bool add_value(const struct node *node, struct found *found)
{
    struct expr_value *out = &found->value;
    if (node->kind != NODE_VALUE) {
        snprintf(found->why, EXPR_WHY_MAX, "the path selects several values; select one of them, or .length");
        return false;
    }
    if (is_null(node)) {
        *out = (struct expr_value){0};
        return true;
    }
    if (!node->is_bare) {
        bool is_first = out->kind != EXPR_WORD;
        out->kind = EXPR_WORD;
        if (is_first)
            snprintf(out->word, sizeof out->word, "%s", node->text);
        return true;
    }
    bool is_true = strcmp(node->text, "true") == 0, is_false = strcmp(node->text, "false") == 0;
    if (out->kind == EXPR_NUMBER)
        *out = expr_number(out->number + (is_true ? 1 : is_false ? 0 : strtod(node->text, NULL)));
    return true;
}

/* True when an entry has all of `KEY=VALUE KEY=VALUE`. */
static bool is_selected(const struct node *entry, const char *at, const char *end)
{
    while (at < end) {
        const char *stop = at;
        while (stop < end && *stop != ' ')
            stop++;
        const char *equal = memchr(at, '=', (size_t)(stop - at));
        const struct node *value = equal ? child_of(entry, at, (size_t)(equal - at)) : NULL;
        size_t size = equal ? (size_t)(stop - equal - 1) : 0;
        if (!value || value->kind != NODE_VALUE || strlen(value->text) != size ||
            memcmp(value->text, equal + 1, size) != 0)
            return false;
        at = stop + (stop < end);
    }
    return true;
}

static bool walk(const struct node *node, const char *path, struct found *found);

static bool walk_selected(const struct node *list, const char *path, struct found *found)
{
    const char *end = strchr(path, ']');
    if (list->kind != NODE_LIST || !end) {
        snprintf(found->why, EXPR_WHY_MAX,
                 "'%.40s' is not a valid selector; write one such as communication[dim=dp].time_s", path);
        return false;
    }
    for (const struct node *entry = list->child; entry; entry = entry->next)
        if (is_selected(entry, path + 1, end) && !walk(entry, end + 1, found))
            return false;
    return true;
}

static bool walk(const struct node *node, const char *path, struct found *found)
{
    if (*path == '[')
        return walk_selected(node, path, found);
    if (!*path || is_null(node))
        return add_value(node, found);
    const char *part = path + (*path == '.');
    size_t size = strcspn(part, ".[");
    if (node->kind == NODE_LIST && size == strlen("length") && memcmp(part, "length", size) == 0) {
        found->value = expr_number((double)node->count);
        return part[size] ? no_value(found, part) : true;
    }
    const struct node *below = node->kind == NODE_LIST      ? entry_of(node, part, size)
                               : node->kind == NODE_MAPPING ? child_of(node, part, size)
                                                            : NULL;
    return below ? walk(below, part + size, found) : no_value(found, part);
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

/* A path with its short name written out, in `out` (`size` bytes): "A" is "memory.stages.0.activations_bytes". */
static void expand(struct outcome *outcome, const char *path, char *out, size_t size)
{
    size_t head = strcspn(path, ".[");
    for (size_t i = 0; i < LENGTH(short_names); i++) {
        const struct short_name *row = &short_names[i];
        if (strlen(row->name) != head || memcmp(row->name, path, head) != 0)
            continue;
        const char *peak = strstr(row->path, "{peak}");
        if (peak)
            snprintf(out, size, "%.*s%d%s%s", (int)(peak - row->path), row->path, outcome->estimate->peak_stage,
                     peak + strlen("{peak}"), path + head);
        else
            snprintf(out, size, "%s%s", row->path, path + head);
        return;
    }
    snprintf(out, size, "%s", path);
}

/* `plan.KEY`: the value as the report has it. */
static bool plan_value(struct outcome *outcome, const char *key, struct found *found)
{
    const struct node *plan = child_of(members_of(outcome, "plan"), "plan", strlen("plan"));
    int id = param_find(key);
    const struct node *row = id >= 0 ? child_of(plan, param_rows[id].dotted, strlen(param_rows[id].dotted)) : NULL;
    if (id < 0)
        snprintf(found->why, EXPR_WHY_MAX, "'%.60s' is not a key; see `shardtop list keys`", key);
    else if (!row)
        found->value = (struct expr_value){0};
    return id >= 0 && (!row || walk(row, "value", found));
}

static bool find(struct outcome *outcome, const char *path, struct found *found)
{
    char full[PATH_ROOM];
    if (strncmp(path, "plan.", strlen("plan.")) == 0)
        return plan_value(outcome, path + strlen("plan."), found);
    if (*path == '~') {
        size_t size = strcspn(path, ":");
        const struct node *answer = reference_of(outcome, path + 1, size - 1, found->why);
        return answer && walk(answer, path + size + (path[size] == ':'), found);
    }
    expand(outcome, path, full, sizeof full);
    if (strcmp(full, "grid.world") == 0) {
        found->value = expr_number(outcome->estimate->grid.world);
        return true;
    }
    return walk(members_of(outcome, full), full, found);
}

bool outcome_value(struct outcome *outcome, const char *path, size_t size, struct expr_value *out, char *why)
{
    char text[PATH_ROOM];
    struct found found = {.value = expr_number(0), .why = why};
    if (size >= sizeof text) {
        snprintf(why, EXPR_WHY_MAX, "the path is too long");
        return false;
    }
    memcpy(text, path, size);
    text[size] = '\0';
    if (!find(outcome, text, &found))
        return false;
    *out = found.value;
    return true;
}

/* The index of the first entry that `[KEY=VALUE]` at `path` selects, -1 for none. */
static int first_selected(const struct node *list, const char *path, const char *end)
{
    int index = 0;
    for (const struct node *entry = list->child; entry; entry = entry->next, index++)
        if (is_selected(entry, path + 1, end))
            return index;
    return -1;
}

bool outcome_locate(struct outcome *outcome, const char *path, char *out, size_t size, char *why)
{
    char full[PATH_ROOM], part[PATH_ROOM];
    size_t used = 0;
    expand(outcome, path, full, sizeof full);
    const struct node *node = members_of(outcome, full);
    *out = '\0';
    for (const char *at = full; *at && node && used < size;) {
        const char *end = *at == '[' ? strchr(at, ']') : at + strcspn(at, ".[");
        if (*at == '[') {
            int index = end && node->kind == NODE_LIST ? first_selected(node, at, end) : -1;
            snprintf(part, sizeof part, "%d", index);
        } else {
            snprintf(part, sizeof part, "%.*s", (int)(end - at), at);
        }
        node = node->kind == NODE_LIST ? entry_of(node, part, strlen(part)) : child_of(node, part, strlen(part));
        used += (size_t)snprintf(out + used, size - used, "%s%s", used ? "." : "", part);
        at = end ? end + (*end == ']') : "";
        at += *at == '.';
    }
    return (node && used < size) || no_value(&(struct found){.why = why}, path);
}

void outcome_names(void (*each)(void *context, const char *name, const char *path), void *context)
{
    for (size_t i = 0; i < LENGTH(short_names); i++)
        each(context, short_names[i].name, short_names[i].path);
}
