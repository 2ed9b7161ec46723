/* How far a figure can be trusted: exact where all that counts in it is counted, and no constant was fitted. */
#include "core/base.h"
#include "core/explain/live.h"
#include "core/plan/param.h"

#include <string.h>

enum { SEEN_MAX = 192 };

/* The values below a figure, each once. */
struct below {
    char path[SEEN_MAX][EXPLAIN_PATH_MAX];
    int count;
    bool is_full; /* there are more */
};

static void meet(struct below *below, const char *path)
{
    for (int i = 0; i < below->count; i++)
        if (strcmp(below->path[i], path) == 0)
            return;
    below->is_full = below->count == SEEN_MAX;
    if (!below->is_full)
        memcpy(below->path[below->count++], path, EXPLAIN_PATH_MAX);
}

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
    bool is_folded = live_write(x, &live) == 0;
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

/* A basis that is weaker than counting, whatever stands below. */
static bool is_weak(enum basis basis)
{
    return basis != BASIS_EXACT && basis != BASIS_FORMULA;
}

enum basis explain_basis(const struct estimate *estimate, const struct explanation *explanation)
{
    struct below below = {0};
    struct explanation x = *explanation;
    if (x.basis != BASIS_FORMULA)
        return x.basis;
    for (int next = 0; !x.is_time && !has_fitted(estimate, &x, &below); next++) {
        if (next == below.count && !below.is_full)
            return BASIS_EXACT;
        if (below.is_full || explain_value(estimate, below.path[next], &x) != 0)
            return BASIS_FORMULA;
        if (is_weak(x.basis))
            return x.basis == BASIS_MEASURED ? BASIS_FORMULA : x.basis;
    }
    return BASIS_FORMULA;
}
