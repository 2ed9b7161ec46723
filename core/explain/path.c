/* core/explain/path.c - what a path to a number looks like, and every path of a report. */
#include "core/base.h"
#include "core/estimate/iteration.h"
#include "core/explain/detail.h"
#include "core/explain/open.h"
#include "core/show/columns.h"
#include "core/show/components.h"
#include "core/show/quantity.h"
#include "core/show/time_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is shown of the iteration, the training and its checkpoints. */
static const struct quantity_list *const step_lists[] = {&time_quantities, &speed_quantities, &training_quantities,
                                                         &checkpoint_quantities};

/* ---- what a path looks like ------------------------------------------------------------------------------------- */

/* Reads a number of at most seven digits; -1 when there is none. */
static int read_index(const char **p)
{
    size_t n = strspn(*p, "0123456789");
    int value = n > 0 && n < 8 ? atoi(*p) : -1;
    *p += n;
    return value;
}

/* Reads the name of an operator's row; -1 when there is none. */
static int read_operator(const char **p)
{
    size_t n = strcspn(*p, ".");
    for (int i = 0; i < OP_COUNT; i++)
        if (strlen(op_rows[i].id) == n && memcmp(op_rows[i].id, *p, n) == 0) {
            *p += n;
            return i;
        }
    return -1;
}

/* Whether the path has this form; sets what it says. */
static bool fits(const struct path_form *form, const char *path, struct path_index *at, const char **name)
{
    *at = (struct path_index){-1, -1};
    *name = form->member;
    for (const char *f = form->text; *f; f++) {
        int *index = at->first < 0 ? &at->first : &at->second;
        if (*f == '@') {
            *name = path;
            return *path && !strchr(path, '.');
        }
        if (*f != '#' && *f != '*') {
            if (*path++ != *f)
                return false;
        } else if ((*index = *f == '#' ? read_index(&path) : read_operator(&path)) < 0) {
            return false;
        }
    }
    return !*path;
}

/* What is shown under another name than its sheet has, such as time.exposed_communication_s.tp. */
static const struct quantity *shown_step(const char *path)
{
    for (size_t i = 0; i < LENGTH(step_lists); i++)
        for (int k = 0; k < step_lists[i]->count; k++)
            if (strcmp(step_lists[i]->row[k].path, path) == 0)
                return &step_lists[i]->row[k];
    return NULL;
}

/* What of a stage's memory has a range, and how many of range_memory_reasons() widen it; 0 for none. */
static int depth_of(const char *path)
{
    static const char *const ranged[] = {"allocated_bytes", "reserved_bytes", "device_bytes"};
    const char *name = strrchr(path, '.');
    for (int i = 0; i < (int)LENGTH(ranged); i++)
        if (strncmp(path, "memory.stages.", strlen("memory.stages.")) == 0 && strcmp(name + 1, ranged[i]) == 0)
            return i + 1;
    return 0;
}

static void add_memory_range(const struct estimate *e, int depth, struct explanation *out)
{
    int stage = atoi(out->path + strlen("memory.stages."));
    out->range = range_memory_ends(e, stage, depth);
    if (isfinite(out->range.low))
        out->reasons = range_memory_reasons(e, stage, depth, out->reason);
}

/* The range of a value that has one, and why it is as wide. */
static void add_range(const struct estimate *e, const struct quantity *shown, struct explanation *out)
{
    struct time_range time;
    int power = shown ? quantity_power(shown) : 0, depth = depth_of(out->path);
    out->range = (struct interval){NAN, NAN};
    if (depth > 0)
        add_memory_range(e, depth, out);
    if (power == 0)
        return;
    range_time(e, &time);
    out->range = range_of(&time, out->value, power);
    out->is_unseen = time.level == LEVEL_FAR;
    out->reasons = range_reasons(&time, out->reason);
    for (int i = 0; i < out->reasons && power < 0; i++) { /* longer is less */
        struct range_reason *reason = &out->reason[i];
        double low = reason->low;
        reason->low = 1 / (1 + reason->high) - 1;
        reason->high = 1 / (1 + low) - 1;
    }
}

/* "time.range.mfu.low" is an end of the range of time.mfu: opens it; -1 for another path. */
static int open_end(const struct estimate *e, const char *path, struct explanation *out)
{
    static const char range[] = ".range.";
    char of[EXPLAIN_PATH_MAX];
    const char *at = strstr(path, range), *dot = strrchr(path, '.');
    bool is_low = dot && strcmp(dot, ".low") == 0;
    if (!at || (!is_low && strcmp(dot, ".high") != 0) || dot < at + sizeof range - 1)
        return -1;
    at += sizeof range - 1;
    snprintf(of, sizeof of, "%.*s.%.*s", (int)(at - path) - (int)(sizeof range - 1), path, (int)(dot - at), at);
    const struct quantity *shown = shown_step(of);
    return shown ? open_quantity_end(e, shown, is_low, out) : -1;
}

static int open_row(const struct estimate *e, const struct quantity *shown, const char *path, struct explanation *out)
{
    if (shown)
        return open_step(e, (struct path_index){-1, -1}, shown->term, out);
    for (size_t i = 0; i < path_form_count; i++) {
        struct path_index at;
        const char *name;
        if (fits(&path_forms[i], path, &at, &name))
            return path_forms[i].open(e, at, name, out);
    }
    return open_end(e, path, out);
}

static int open_path(const struct estimate *e, const char *path, struct explanation *out)
{
    const struct quantity *shown = shown_step(path);
    *out = (struct explanation){.not_included = "", .is_number = out->is_number};
    snprintf(out->path, sizeof out->path, "%s", path);
    if (open_row(e, shown, path, out) != 0)
        return -1;
    if (!out->is_number)
        add_range(e, shown, out);
    return 0;
}

/* ---- a path by its last part ------------------------------------------------------------------------------------ */

struct search {
    const char *wanted;
    char found[EXPLAIN_PATH_MAX];
    int matches;
};

static void match_last_part(void *context, const char *path)
{
    struct search *search = context;
    const char *dot = strrchr(path, '.');
    if (strcmp(dot ? dot + 1 : path, search->wanted) != 0)
        return;
    if (search->matches++ == 0)
        snprintf(search->found, sizeof search->found, "%s", path);
}

/* The value whose range a path of the report names as a whole, in `of`: "time.range.mfu" is that of time.mfu. */
static bool name_ranged(const struct estimate *e, const char *path, char of[EXPLAIN_PATH_MAX])
{
    static const char memory[] = "memory.range.", time[] = "time.range";
    const char *dot = strrchr(path, '.');
    if (strcmp(dot, ".low") == 0 || strcmp(dot, ".high") == 0)
        return false;
    if (strncmp(path, memory, strlen(memory)) == 0) {
        const char *name = path + strlen(memory);
        int length = (int)strcspn(name, ".");
        snprintf(of, EXPLAIN_PATH_MAX, "memory.stages.%d.%.*s", name[length] ? atoi(name + length + 1) : e->peak_stage,
                 length, name);
        return true;
    }
    const char *rest = strncmp(path, time, strlen(time)) == 0 ? path + strlen(time) : "?";
    bool is_all = !*rest || strcmp(rest, "_level") == 0 || strcmp(rest, "_distances") == 0;
    if (!is_all && *rest != '.')
        return false;
    snprintf(of, EXPLAIN_PATH_MAX, "time.%s", is_all ? "iteration_s" : rest + 1);
    return true;
}

static int open_value(const struct estimate *estimate, const char *path, struct explanation *out)
{
    char of[EXPLAIN_PATH_MAX];
    if (strlen(path) >= EXPLAIN_PATH_MAX)
        return -1;
    if (strchr(path, '.'))
        return open_path(estimate, path, out) == 0              ? 0
               : name_ranged(estimate, path, of) ? open_path(estimate, of, out)
                                                 : -1;
    if (strcmp(path, "peak_stage") == 0 || strcmp(path, "binding_stage") == 0)
        return open_path(estimate, *path == 'p' ? "memory.peak_stage" : "time.binding_stage", out);
    if (strcmp(path, "range_probability") == 0)
        return open_path(estimate, "constants.range_probability", out);
    /* a member of the stages means the stage that binds memory */
    char full[EXPLAIN_PATH_MAX + 40];
    bool is_count = strcmp(path, "in_flight") == 0 || strcmp(path, "layer_count") == 0;
    if ((is_count || term_find(stage_terms, stage_term_count, path, strlen(path))) &&
        strcmp(path, "headroom_bytes") != 0 && strcmp(path, "weights_bytes") != 0) {
        snprintf(full, sizeof full, "memory.stages.%d.%s", estimate->peak_stage, path);
        return open_path(estimate, full, out);
    }
    struct search search = {.wanted = path};
    explain_paths(estimate, match_last_part, &search);
    return search.matches == 1 ? open_path(estimate, search.found, out) : -1;
}

int explain_value(const struct estimate *estimate, const char *path, struct explanation *out)
{
    out->is_number = false;
    return open_value(estimate, path, out);
}

int explain_number(const struct estimate *estimate, const char *path, struct explanation *scratch, double *out)
{
    scratch->is_number = true;
    if (open_value(estimate, path, scratch) != 0)
        return -1;
    *out = scratch->value;
    return 0;
}

/* ---- every path of the report ----------------------------------------------------------------------------------- */

static const char *const model_paths[] = {
    "parameters.total", "parameters.mtp", "parameters.unpadded", "parameters.active", "parameters.embedding",
    "parameters.trainable", "parameters.frozen", "parameters.quantised", "full_model.params", "full_model.param_bytes",
    "full_model.gradient_bytes",
    "full_model.optimizer_bytes", "full_model.activations_bytes", "full_model.total_bytes"};
static const char *const memory_names[] = {"capacity_bytes", "usable_bytes", "headroom_bytes"};

static void each_of(const char *prefix, const char *const names[], size_t count, void (*each)(void *, const char *),
                    void *context)
{
    for (size_t i = 0; i < count; i++) {
        char path[EXPLAIN_PATH_MAX];
        snprintf(path, sizeof path, "%s%s", prefix, names[i]);
        each(context, path);
    }
}

/* The components of a stage; what is left of its memory is one of the whole plan's. */
static void each_component(const char *prefix, void (*each)(void *, const char *), void *context)
{
    for (int i = 0; i < stage_components.count; i++)
        if (stage_components.row[i].kind < COMPONENT_ROOM)
            each_of(prefix, &stage_components.row[i].term, 1, each, context);
}

static void each_quantity(const struct quantity_list *list, void (*each)(void *, const char *), void *context)
{
    for (int k = 0; k < list->count; k++)
        each(context, list->row[k].path);
}

/* Memory that serving has in place of a step's. */
static const char *const serving_memory[] = {"weights_bytes", "kv_cache_bytes", "activations_bytes", "decode_step_s"};

static void each_stage_time(const struct estimate *e, void (*each)(void *, const char *), void *context)
{
    for (int i = 0; i < e->stages; i++) {
        char prefix[64];
        snprintf(prefix, sizeof prefix, "time.stages.%d.", i);
        for (int k = 0; k < TIME_PARTS_MAX; k++)
            each_of(prefix, &time_parts[k].term, 1, each, context);
    }
}

static void each_result(const struct estimate *e, void (*each)(void *, const char *), void *context)
{
    if (e->is_serving) {
        each_of("serving.", serving_memory, LENGTH(serving_memory), each, context);
        each_quantity(&serving_quantities, each, context);
        return;
    }
    for (size_t i = 0; i < LENGTH(step_lists); i++)
        each_quantity(step_lists[i], each, context);
    each_stage_time(e, each, context);
    for (int i = 0; i < ITERATION_PARTS; i++)
        each_of("time.waterfall.", &iteration_parts[i].name, 1, each, context);
}

/* The ends of the ranges of memory and of the iteration, and the probability that the plan fits. */
static void each_range(const struct estimate *e, void (*each)(void *, const char *), void *context)
{
    static const char *const ranged[] = {"allocated", "reserved", "device"};
    char path[EXPLAIN_PATH_MAX];
    each(context, "memory.probability");
    for (size_t k = 0; k < LENGTH(ranged); k++)
        for (int i = 0; i < 2 * e->stages; i++) {
            snprintf(path, sizeof path, "memory.range.%s_bytes.%d.%s", ranged[k], i / 2, i % 2 ? "high" : "low");
            each(context, path);
        }
    each(context, "time.range.iteration_s.low");
    each(context, "time.range.iteration_s.high");
}

void explain_paths(const struct estimate *e, void (*each)(void *context, const char *path), void *context)
{
    static const char *const stage_facts[] = {"in_flight", "params"};
    char prefix[64];
    enum op_id op;
    enum comm_id comm;
    double bytes;
    int stage;
    each_of("", model_paths, LENGTH(model_paths), each, context);
    for (int i = 0; explain_layer_row(e, i, &op); i++) {
        snprintf(prefix, sizeof prefix, "layers.%d.", i);
        for (int k = 0; k < layer_shown_count; k++)
            if (layer_shown[k].is_listed)
                each_of(prefix, &layer_shown[k].name, 1, each, context);
    }
    each_of("memory.", memory_names, LENGTH(memory_names), each, context);
    if (e->stages > 0 && e->is_modelled && !e->is_serving)
        each_range(e, each, context);
    for (int i = 0; i < e->stages; i++) {
        snprintf(prefix, sizeof prefix, "memory.stages.%d.", i);
        each_of(prefix, stage_facts, LENGTH(stage_facts), each, context);
        each_component(prefix, each, context);
        for (int k = 0; detail_kept(e, i, k, &op, &bytes); k++) {
            snprintf(prefix, sizeof prefix, "memory.stages.%d.by_operator.%d.bytes", i, k);
            each(context, prefix);
        }
    }
    for (int i = 0; i < e->stages; i++) {
        snprintf(prefix, sizeof prefix, "parameters.per_stage.%d", i);
        each(context, prefix);
    }
    for (int i = 0; explain_comm_row(e, i, &stage, &comm); i++) {
        snprintf(prefix, sizeof prefix, "communication.%d.", i);
        for (int k = 0; k < comm_shown_count; k++)
            if (comm_shown[k].is_listed)
                each_of(prefix, &comm_shown[k].name, 1, each, context);
    }
    if (e->stages > 0)
        each_result(e, each, context);
}

bool open_comm_table(const struct estimate *e, int index, int *stage, enum comm_id *id, struct comm_table *comm)
{
    for (int i = 0, n = 0; i < e->stages; i++) {
        estimate_comm_table(e, i, comm);
        if (index < n + comm->count) {
            *stage = i;
            *id = comm->present[index - n];
            return true;
        }
        n += comm->count;
    }
    return false;
}

bool explain_comm_row(const struct estimate *e, int index, int *stage, enum comm_id *id)
{
    struct comm_table comm;
    return open_comm_table(e, index, stage, id, &comm);
}

/* Goes through the rows up to the one of this index, or of this operator; returns its index, -1 when there is none. */
static int find_layer_row(const struct estimate *e, int index, int wanted, enum op_id *id)
{
    static const enum op_kind order[] = {OP_EMBEDDING, OP_ATTENTION, OP_MLP, OP_MOE, OP_MTP, OP_HEAD};
    int row = -1;
    for (size_t kind = 0; kind < LENGTH(order) && e->stages > 0; kind++)
        for (int i = 0; i < OP_COUNT; i++) {
            if (op_rows[i].kind != order[kind] || estimate_op_count(e, (enum op_id)i) <= 0)
                continue;
            *id = (enum op_id)i;
            if (++row == index || i == wanted)
                return row;
        }
    return -1;
}

bool explain_layer_row(const struct estimate *e, int index, enum op_id *id)
{
    enum op_id found;
    if (find_layer_row(e, index, -1, &found) < 0)
        return false;
    *id = found;
    return true;
}

int explain_layer_of(const struct estimate *e, enum op_id id)
{
    return find_layer_row(e, -1, (int)id, &id);
}
