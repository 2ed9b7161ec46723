#include "core/show/spent.h"

#include "core/base.h"

#include <math.h>

/* Parts of serving.per_token_s, as in core/estimate/serving.def. */
static const struct {
    size_t offset;
    const char *name, *words;
} token_parts[] = {
#define PART(member, words) {offsetof(struct serving, member), #member, words}
    PART(token_weights_s, "weights"),           PART(token_cache_s, "cache and attention"),
    PART(token_kernels_s, "small kernels"),     PART(token_traffic_s, "traffic"),
    PART(token_launches_s, "launches and host"), PART(token_drafts_s, "drafts"),
    PART(token_prompts_s, "others' prompts"),
#undef PART
};

static void token_of(const struct estimate *e, struct spent *out)
{
    *out = (struct spent){.whole_s = e->is_computed ? e->serving.per_token_s : (double)NAN, .what = "a token"};
    for (size_t i = 0; i < LENGTH(token_parts) && isfinite(out->whole_s); i++)
        out->part[out->count++] =
            (struct spent_part){token_parts[i].name, token_parts[i].words,
                                *(const double *)((const char *)&e->serving + token_parts[i].offset)};
}

void spent_of(const struct estimate *e, struct spent *out)
{
    struct iteration iteration;
    if (e->is_serving) {
        token_of(e, out);
        return;
    }
    iteration_of(e, &iteration);
    *out = (struct spent){.whole_s = iteration.whole_s, .what = "an iteration"};
    for (int i = 0; i < ITERATION_PARTS && isfinite(out->whole_s); i++)
        out->part[out->count++] = (struct spent_part){iteration_parts[i].name, iteration_parts[i].words,
                                                      iteration_part(&iteration, i)};
}

bool spent_is_shown(const struct spent *spent, int part)
{
    return spent->part[part].seconds >= 5e-4 * spent->whole_s;
}
