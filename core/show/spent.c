#include "core/show/spent.h"

#include "core/base.h"

struct offset_part {
    size_t offset;
    const char *name, *words;
};

/* Parts of serving.per_token_s, as in core/estimate/serving.def. */
static const struct offset_part token_parts[] = {
#define PART(member, words) {offsetof(struct serving, member), #member, words}
    PART(token_weights_s, "weights"),           PART(token_cache_s, "cache and attention"),
    PART(token_kernels_s, "small kernels"),     PART(token_traffic_s, "traffic"),
    PART(token_launches_s, "launches and host"), PART(token_drafts_s, "drafts"),
    PART(token_prompts_s, "others' prompts"),
#undef PART
};

/* Parts of rl.iteration_s, as in core/estimate/rl.def. */
static const struct offset_part rl_parts[] = {
#define PART(member, words) {offsetof(struct rl, member), #member, words}
    PART(rollout_s, "rollout"), PART(logprob_s, "log-probabilities"), PART(update_s, "update"),
    PART(refit_s, "weights to engine"), PART(other_s, "rewards, data"),
#undef PART
};

static void list_parts(const void *sheet, const struct offset_part part[], size_t count, struct spent *out)
{
    for (size_t i = 0; i < count && isfinite(out->whole_s); i++)
        out->part[out->count++] = (struct spent_part){part[i].name, part[i].words,
                                                      *(const double *)((const char *)sheet + part[i].offset)};
}

void spent_of(const struct estimate *e, struct spent *out)
{
    struct iteration iteration;
    *out = (struct spent){.whole_s = NAN, .what = e->is_serving ? "a token" : "an iteration",
                          .is_mean = !e->is_serving && !e->is_rl,
                          .title = e->is_serving ? "What each further token is spent on"
                                   : e->is_rl    ? "What an iteration of reinforcement learning is spent on"
                                                 : "What the iteration is spent on, the mean of all GPUs"};
    if (e->is_computed && (e->is_serving || e->is_rl)) {
        out->whole_s = e->is_serving ? e->serving.per_token_s : e->rl.iteration_s;
        list_parts(e->is_serving ? (const void *)&e->serving : &e->rl, e->is_serving ? token_parts : rl_parts,
                   e->is_serving ? LENGTH(token_parts) : LENGTH(rl_parts), out);
        return;
    }
    iteration_of(e, &iteration);
    out->whole_s = iteration.whole_s;
    for (int i = 0; i < ITERATION_PARTS && isfinite(out->whole_s); i++)
        out->part[out->count++] = (struct spent_part){iteration_parts[i].name, iteration_parts[i].words,
                                                      iteration_part(&iteration, i)};
}

bool spent_is_shown(const struct spent *spent, int part)
{
    return spent->part[part].seconds >= 5e-4 * spent->whole_s;
}
