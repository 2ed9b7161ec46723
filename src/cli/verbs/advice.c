/* `shardtop advice`: what to change, and what limits. */
#include "src/cli/verbs/verbs.h"

#include "core/estimate/range.h"
#include "core/search/advice.h"
#include "core/search/search.h"
#include "core/search/recommend.h"
#include "src/report/advice.h"
#include "src/text/text.h"

#include <stdlib.h>
#include <string.h>

/* The layout to take of all that fit; false where none does or nothing is known. `scratch` is used for estimates. */
static bool find_best(const struct plan *plan, enum search_objective objective, struct estimate *scratch,
                      struct plan *out)
{
    enum { AT_ONCE = 1 << 20 };
    struct recommendation recommendation[SEARCH_TOP_MAX];
    struct search_ask ask;
    struct search *search = xmalloc(sizeof *search);
    memset(search, 0, sizeof *search);
    search_ask_about(plan, &ask);
    ask.top = objective == SEARCH_TIME ? SEARCH_TOP_MAX : 1;
    ask.objective = objective;
    bool is_found = search_begin(search, &ask, 0, 1);
    while (is_found && search_step(search, AT_ONCE))
        ;
    is_found = is_found && search->answer.count > 0;
    if (is_found) {
        int take = recommend_layout(&ask, &search->answer, 1, scratch, recommendation);
        search_plan(&ask, &search->answer.best[take], out);
    }
    free(search);
    return is_found;
}

int verb_advice(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    enum { TOP = 8, AT_ONCE = 1000 };
    (void)errors;
    struct plan best, nearest;
    struct report_options options = cli->report;
    struct advice *advice = xmalloc(sizeof *advice);
    struct estimate *scratch = xmalloc(sizeof *scratch);
    options.color = verb_has_color(cli);
    advice_begin(advice, plan);
    while (advice_step(advice, scratch, AT_ONCE))
        ;
    bool is_over = advice->now.verdict == VERDICT_NO || advice->now.verdict == VERDICT_TIGHT;
    bool has_best = find_best(plan, SEARCH_TIME, scratch, &best);
    bool has_nearest =
        has_best && is_over && advice->fix.changes == 0 && find_best(plan, SEARCH_CHANGES, scratch, &nearest);
    report_advice(out, advice, has_best ? &best : NULL, has_nearest ? &nearest : NULL, cli->top ? cli->top : TOP,
                  &options);
    free(scratch);
    free(advice);
    return STATUS_DONE;
}
