/* What stands below a figure: the plan's keys at the bottom, and how far it can be trusted because of that. */
#include "core/base.h"
#include "core/explain/live.h"
#include "core/plan/param.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEN_MAX = 1024, SEEN_FOR_BASIS = 192 };

/* The values below a figure, each once. */
struct below {
    char path[SEEN_MAX][EXPLAIN_PATH_MAX];
    int count, most;
    int stages; /* 0: every one of them is followed */
    bool is_full; /* there are more */
};

/* What stands behind the stage in a path of one that is neither the first, nor the second, nor the last; else NULL. */
static const char *in_the_middle(const char *path, int stages)
{
    static const char head[] = "memory.stages.";
    char *rest;
    if (strncmp(path, head, sizeof head - 1) != 0)
        return NULL;
    long stage = strtol(path + sizeof head - 1, &rest, 10);
    return stage > 1 && stage < stages - 1 ? rest : NULL;
}

/* Stages in the middle have the same keys below them; one of them is followed. */
static void meet(struct below *below, const char *path)
{
    const char *rest = in_the_middle(path, below->stages), *other;
    for (int i = 0; i < below->count; i++)
        if (strcmp(below->path[i], path) == 0 ||
            (rest && (other = in_the_middle(below->path[i], below->stages)) && strcmp(rest, other) == 0))
            return;
    below->is_full = below->count == below->most;
    if (!below->is_full)
        memcpy(below->path[below->count++], path, EXPLAIN_PATH_MAX);
}

/* ---- keys ------------------------------------------------------------------------------------------------------- */

/* Adds the keys that a figure has itself, and the values to go on with. */
static int add_keys(const struct explanation *x, struct below *below, enum param keys[PARAM_COUNT], int count)
{
    struct live live;
    bool is_folded = live_write(x, false, &live) == 0;
    for (int i = 0; i < x->inputs; i++) {
        const struct explain_input *in = &x->input[i];
        int id = in->is_key ? param_find(in->path) : -1, at = 0;
        bool is_one = in->is_key && live.counted >> i & 1; /* a factor that need not stay 1 */
        if (is_folded && !is_one && !live_has(&live, in))
            continue;
        while (at < count && (int)keys[at] != id)
            at++;
        if (id >= 0 && at == count)
            keys[count++] = (enum param)id;
        else if (id < 0 && in->path[0])
            meet(below, in->path);
    }
    return count;
}

int explain_keys(const struct estimate *estimate, const char *path, enum param keys[PARAM_COUNT], bool *is_whole)
{
    struct below below;
    struct explanation x;
    int count = 0, next = 0;
    below.count = 0;
    below.most = SEEN_MAX;
    below.stages = estimate->stages;
    below.is_full = false;
    bool is_there = explain_value(estimate, path, &x) == 0;
    while (is_there) {
        count = add_keys(&x, &below, keys, count);
        while (next < below.count && explain_value(estimate, below.path[next], &x) != 0)
            next++;
        is_there = next++ < below.count;
    }
    *is_whole = !below.is_full;
    return count;
}

/* What of a plan is looked at first; the stage is the fullest. */
static void main_path(const struct estimate *e, int i, char out[EXPLAIN_PATH_MAX])
{
    if (i == 0)
        snprintf(out, EXPLAIN_PATH_MAX, "memory.stages.%d.device_bytes", e->peak_stage);
    else
        snprintf(out, EXPLAIN_PATH_MAX, "time.iteration_s");
}

void explain_uses(const struct estimate *estimate, enum param id, bool *in_memory, bool *in_time)
{
    bool uses[2] = {false}, is_whole;
    enum param keys[PARAM_COUNT];
    char path[EXPLAIN_PATH_MAX];
    for (int i = 0; i < 2; i++) {
        main_path(estimate, i, path);
        int count = explain_keys(estimate, path, keys, &is_whole);
        for (int k = 0; k < count; k++)
            uses[i] |= keys[k] == id;
    }
    *in_memory = uses[0];
    *in_time = uses[1];
}

void explain_key(const struct estimate *estimate, enum param id, struct explanation *out)
{
    const struct param_row *row = &param_rows[id];
    bool in_memory, in_time;
    char value[128];
    explain_uses(estimate, id, &in_memory, &in_time);
    *out = (struct explanation){.label = row->help, .unit = row->unit, .value = NAN, .not_included = "",
                                .range = {NAN, NAN}};
    if (row->type == TYPE_INT || row->type == TYPE_REAL || row->type == TYPE_BOOL)
        out->value = estimate->plan.value[id];
    snprintf(out->path, sizeof out->path, "%s", row->dotted);
    snprintf(out->source, sizeof out->source, "%s", row->more);
    snprintf(out->formula, sizeof out->formula, "the key of the plan (%s); %s", origin_names[estimate->plan.from[id]],
             in_memory && in_time ? "memory and time depend on it"
             : in_memory          ? "memory depends on it"
             : in_time            ? "time depends on it"
             : row->type == TYPE_BOOL || row->type == TYPE_ENUM
                 ? "no memory or time equation uses it here; results for its other values are estimated"
                 : "no memory or time equation uses it here");
    param_print(&estimate->plan, id, value, sizeof value);
    snprintf(out->substituted, sizeof out->substituted, "%s", value[0] ? value : "unknown");
}

/* ---- basis ------------------------------------------------------------------------------------------------------ */

/* A key whose default was fitted to runs; what the user gave is taken as it is. */
static bool is_fitted_key(const struct estimate *e, const char *path)
{
    static const enum param fitted[] = {PARAM_hardware_fragmentation, PARAM_hardware_context_gib};
    for (size_t i = 0; i < LENGTH(fitted); i++)
        if (strcmp(param_rows[fitted[i]].dotted, path) == 0)
            return e->plan.from[fitted[i]] < FROM_FILE;
    return false;
}

/* Adds what counts in a figure; true when something of it is fitted. */
static bool has_fitted(const struct estimate *e, const struct explanation *x, struct below *below)
{
    struct live live;
    bool is_folded = live_write(x, false, &live) == 0;
    for (int i = 0; i < x->inputs; i++) {
        const struct explain_input *in = &x->input[i];
        if (is_folded && !live_has(&live, in))
            continue;
        if (in->is_key && is_fitted_key(e, in->path))
            return true;
        if (!in->is_key && in->path[0])
            meet(below, in->path);
    }
    return false;
}

enum basis explain_basis(const struct estimate *estimate, const struct explanation *explanation)
{
    struct below below;
    struct explanation x = *explanation;
    below.count = 0;
    below.most = SEEN_FOR_BASIS;
    below.stages = 0;
    below.is_full = false;
    if (x.basis != BASIS_FORMULA)
        return x.basis;
    for (int next = 0; !x.is_time && !has_fitted(estimate, &x, &below); next++) {
        if (next == below.count && !below.is_full)
            return BASIS_EXACT;
        if (below.is_full || explain_value(estimate, below.path[next], &x) != 0)
            return BASIS_FORMULA;
        if (x.basis != BASIS_EXACT && x.basis != BASIS_FORMULA)
            return x.basis == BASIS_MEASURED ? BASIS_FORMULA : x.basis;
    }
    return BASIS_FORMULA;
}
