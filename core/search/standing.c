#include "core/search/standing.h"

#include "core/estimate/constants.h"

#include <math.h>

/* How much worse a result is than the first, as a logarithm: by time where the aim is as well met. */
static double log_worse(const struct search_ask *ask, const struct search_result *first, const struct search_result *one)
{
    if (ask->objective != SEARCH_GPUS)
        return log(one->value / first->value);
    return one->value == first->value ? log(one->iteration_s / first->iteration_s) : INFINITY;
}

/* The probability that a result is no worse than the first: errors that both share say nothing. */
static double probability_of(double worse, const struct time_range *first, const struct time_range *one)
{
    double sigma[RANGE_COUNT];
    if (!isfinite(first->sigma) || !isfinite(one->sigma))
        return NAN;
    for (int part = 0; part < RANGE_COUNT; part++)
        sigma[part] = range_sigmas[part];
    return isfinite(worse) ? 1 - range_faster(first, one, sigma, worse) : 0;
}

/* Whether result `i` is to be taken rather than `j`; both are as good as the first. */
static bool is_rather(const struct search_answer *answer, const struct standing standing[], int i, int j)
{
    const struct search_result *one = &answer->best[i], *two = &answer->best[j];
    if (standing[i].verdict != standing[j].verdict)
        return standing[i].verdict < standing[j].verdict;
    if (one->complexity != two->complexity)
        return one->complexity < two->complexity;
    return one->headroom_bytes > two->headroom_bytes;
}

int standing_judge(const struct search_ask *ask, const struct search_answer *answer, struct estimate *scratch,
                   struct standing out[SEARCH_TOP_MAX])
{
    struct time_range first, one;
    int take = answer->count > 0 ? 0 : -1;
    for (int i = 0; i < answer->count; i++) {
        struct plan plan;
        search_plan(ask, &answer->best[i], &plan);
        estimate_plan(&plan, scratch);
        range_time(scratch, i == 0 ? &first : &one);
        out[i].verdict = range_verdict(scratch);
        double worse = log_worse(ask, &answer->best[0], &answer->best[i]);
        out[i].probability = ask->objective == SEARCH_MEMORY ? NAN : i == 0 ? 1 : probability_of(worse, &first, &one);
        out[i].as_good = i == 0 || out[i].probability > 1 - pair_decided;
        if (out[i].as_good && is_rather(answer, out, i, take))
            take = i;
        out[i].is_taken = false;
    }
    if (take >= 0)
        out[take].is_taken = true;
    return take;
}
