#include "core/search/standing.h"

#include "core/estimate/constants.h"

#include <math.h>

/* How much worse a result is than the first, as a logarithm: by time where the aim is as well met. */
static double log_worse(const struct search_ask *ask, const struct search_result *first,
                        const struct search_result *one)
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

/* Judges a result whose estimate and range of time are there. */
static void judge(const struct search_ask *ask, const struct search_answer *answer, const struct estimate *e,
                  struct judging *judging, struct standing out[SEARCH_TOP_MAX])
{
    int i = judging->judged++;
    if (i == 0)
        judging->first = judging->next;
    double worse = log_worse(ask, &answer->best[0], &answer->best[i]);
    out[i] = (struct standing){.verdict = range_verdict(e)};
    out[i].probability = ask->objective == SEARCH_MEMORY ? NAN
                         : i == 0                        ? 1
                                                         : probability_of(worse, &judging->first, &judging->next);
    out[i].as_good = i == 0 || out[i].probability > 1 - pair_decided;
    bool is_first = i == 0 || (out[i].as_good && is_rather(answer, out, i, judging->take));
    out[judging->take].is_taken &= !is_first;
    out[i].is_taken = is_first;
    judging->take = is_first ? i : judging->take;
}

bool standing_step(const struct search_ask *ask, const struct search_answer *answer, struct estimate *scratch,
                   struct judging *judging, struct standing out[SEARCH_TOP_MAX])
{
    if (judging->judged == answer->count)
        return false;
    int step = judging->steps++;
    if (step == 0) {
        struct plan plan;
        search_plan(ask, &answer->best[judging->judged], &plan);
        estimate_plan(&plan, scratch);
    } else if (!range_time_step(scratch, step - 1, &judging->next)) {
        judge(ask, answer, scratch, judging, out);
        judging->steps = 0;
    }
    return judging->judged < answer->count;
}

int standing_judge(const struct search_ask *ask, const struct search_answer *answer, struct estimate *scratch,
                   struct standing out[SEARCH_TOP_MAX])
{
    struct judging judging = {.judged = 0};
    while (standing_step(ask, answer, scratch, &judging, out))
        ;
    return answer->count > 0 ? judging.take : -1;
}
