/* `shardtop explain`: one number opened. */
#include "src/cli/verbs/verbs.h"

#include "core/explain/explain.h"
#include "core/plan/nearest.h"
#include "core/plan/param.h"
#include "src/report/report.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char program[] = "shardtop";

/* The path nearest to one that does not exist. */
struct nearest_path {
    struct nearest nearest;
    char path[EXPLAIN_PATH_MAX]; /* nearest.name[0] */
    char holds[EXPLAIN_PATH_MAX]; /* the first that has what is typed in it */
};

static void compare_path(void *context, const char *path)
{
    struct nearest_path *best = context;
    const char *last = strrchr(path, '.');
    struct nearest next = best->nearest;
    if (!best->holds[0] && strlen(next.typed) > 2 && strstr(path, next.typed))
        snprintf(best->holds, sizeof best->holds, "%s", path);
    if (!nearest_offer(&next, strchr(next.typed, '.') || !last ? path : last + 1, path))
        return;
    snprintf(best->path, sizeof best->path, "%s", path);
    next.name[0] = best->path;
    next.count = 1;
    best->nearest = next;
}

/* Says that a report has no such value, and what may be meant. */
static void refuse_path(const struct estimate *estimate, const char *path, struct errors *errors)
{
    struct nearest_path best = {.nearest = {.typed = path}};
    bool is_verdict = strcmp(path, "memory.fits") == 0 || strcmp(path, "memory.verdict") == 0;
    explain_paths(estimate, compare_path, &best);
    const char *meant = is_verdict ? "memory.probability" : best.path[0] ? best.path : best.holds;
    if (!estimate->is_computed && estimate->diags.count > 0)
        errors_add(errors, program, 0, path, "is not known for this plan: %s %s",
                   param_rows[estimate->diags.item[0].param].dotted, finding_text(&estimate->diags.item[0]).text);
    else if (access(path, F_OK) == 0)
        errors_add(errors, program, 0, path, "is a file; add the value to explain, such as time.iteration_s");
    else if (*meant)
        errors_add(errors, program, 0, path, "is not a value of this report; did you mean %s?", meant);
    else
        errors_add(errors, program, 0, path,
                   "is not a value of this report; `shardtop show --json` lists them");
}

int verb_explain(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    struct estimate *estimate = xmalloc(sizeof *estimate);
    const char *path = cli->words[cli->word_count - 1];
    estimate_plan(plan, estimate);
    bool is_found = report_explain(out, plan, estimate, path, cli->json, cli->report.full) == 0;
    if (!is_found)
        refuse_path(estimate, path, errors);
    free(estimate);
    return is_found ? STATUS_DONE : STATUS_INPUT;
}
