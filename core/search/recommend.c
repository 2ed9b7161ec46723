#include "core/search/recommend.h"

/* ln of the ratio to the first; if the objective is tied, by time. */
static double log_worse(const struct search_ask *ask, const struct search_result *first,
                        const struct search_result *one)
{
    if (ask->objective != SEARCH_GPUS)
        return log(one->value / first->value);
    return one->value == first->value ? log(one->iteration_s / first->iteration_s) : INFINITY;
}

/* Errors that both results share cancel. */
static double probability_of(double worse, const struct time_range *first, const struct time_range *one)
{
    double sigma[RANGE_COUNT];
    if (!isfinite(first->sigma) || !isfinite(one->sigma))
        return NAN;
    for (int part = 0; part < RANGE_COUNT; part++)
        sigma[part] = range_sigmas[part];
    return isfinite(worse) ? 1 - range_faster(first, one, sigma, worse) : 0;
}

static bool is_rather(const struct search_answer *answer, const struct recommendation recommendation[], int i, int j)
{
    const struct search_result *one = &answer->best[i], *two = &answer->best[j];
    if (recommendation[i].verdict != recommendation[j].verdict)
        return recommendation[i].verdict < recommendation[j].verdict;
    if (one->complexity != two->complexity)
        return one->complexity < two->complexity;
    return one->headroom_bytes > two->headroom_bytes;
}

/* Whether the next result may be the one to take if it is as good as the first. */
static bool is_candidate(const struct search_ask *ask, const struct search_answer *answer,
                         const struct recommend_state *state, const struct recommendation out[SEARCH_TOP_MAX])
{
    int i = state->judged;
    bool is_cheap = log_worse(ask, &answer->best[0], &answer->best[i]) <= log1p(take_loss) ||
                    out[i].verdict < out[0].verdict;
    return i == 0 || (is_cheap && is_rather(answer, out, i, state->take));
}

static void judge(const struct search_ask *ask, const struct search_answer *answer, struct recommend_state *state,
                  struct recommendation out[SEARCH_TOP_MAX])
{
    int i = state->judged;
    if (i == 0)
        state->first = state->next;
    double worse = log_worse(ask, &answer->best[0], &answer->best[i]);
    out[i].probability = ask->objective == SEARCH_MEMORY ? NAN
                         : i == 0                        ? 1
                                                         : probability_of(worse, &state->first, &state->next);
    out[i].as_good = i == 0 || out[i].probability > 1 - pair_decided;
    bool is_first = i == 0 || (out[i].as_good && is_candidate(ask, answer, state, out));
    out[state->take].is_recommended &= !is_first;
    out[i].is_recommended = is_first;
    state->take = is_first ? i : state->take;
    state->judged++;
}

bool recommend_step(const struct search_ask *ask, const struct search_answer *answer, struct estimate *scratch,
                    struct recommend_state *state, struct recommendation out[SEARCH_TOP_MAX])
{
    int i = state->judged;
    if (i == answer->count)
        return false;
    int step = state->steps++;
    if (step == 0) {
        bool is_shown = state->shown == 0 || i < state->shown;
        /* of all that surely enough fit */
        out[i] = (struct recommendation){.verdict = i > 0 ? out[0].verdict : VERDICT_UNKNOWN};
        state->next = (struct time_range){.sigma = NAN};
        state->needs_range = is_shown || ask->fit != SEARCH_FITS || is_candidate(ask, answer, state, out);
        if (state->needs_range) {
            struct plan plan;
            search_plan(ask, &answer->best[i], &plan);
            estimate_plan(&plan, scratch);
            out[i].verdict = range_verdict(scratch);
            state->needs_range = is_shown || is_candidate(ask, answer, state, out);
        }
    } else if (!state->needs_range || !range_time_step(scratch, step - 1, &state->next)) {
        judge(ask, answer, state, out);
        state->steps = 0;
    }
    return state->judged < answer->count;
}

int recommend_layout(const struct search_ask *ask, const struct search_answer *answer, int shown,
                     struct estimate *scratch, struct recommendation out[SEARCH_TOP_MAX])
{
    struct recommend_state state = {.shown = shown};
    while (recommend_step(ask, answer, scratch, &state, out))
        ;
    return answer->count > 0 ? state.take : -1;
}
