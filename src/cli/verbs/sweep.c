/* `shardtop sweep`: one or two keys over values. */
#include "src/cli/verbs/verbs.h"

#include "core/estimate/estimate.h"
#include "core/plan/param.h"
#include "src/cli/cli.h"
#include "src/cli/threads.h"
#include "src/plan/plan_io.h"
#include "src/report/sweep.h"
#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/progress.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char program[] = "shardtop";

/*
 * What is swept: `word` holds one or two texts such as "tp=1,2,4", "pp=1..16", "seq_length=4096..65536*2" or
 * "recompute=*".
 */
struct sweep_request {
    char *const *word;
    int words;
    const char *metric; /* NULL: the time of an iteration, or of whole answers when serving */
    bool follow, svg;
    bool best; /* each cell has the best layout with the swept keys as they are */
    const struct report_options *report;
};

/* True when a word is a key with values, and not a file of that name. */
static bool is_axis_word(const char *word)
{
    const char *equals = strchr(word, '=');
    return equals && equals > word && access(word, F_OK) != 0;
}

/* ---- plans ------------------------------------------------------------------------------------------------------ */

static int plan_of_cell(const struct plan *plan, const struct sweep *sweep, char *const name[], const int at[],
                        struct plan *out, struct errors *errors)
{
    const struct plan_source source = {.file = program, .from = FROM_SET, .is_last_wins = true, .is_typed = true};
    struct keyvals list = {0};
    *out = *plan;
    for (int i = 0; i < sweep->axes; i++)
        keyvals_add(&list, name[i], sweep->axis[i].text[at[i]], 0);
    int result = plan_apply(out, &list, &source, errors);
    keyvals_free(&list);
    if (result == 0)
        plan_finish(out);
    return result;
}

static void find_axes(struct sweep *sweep, char *const name[], const char *const list[], const struct plan *plan,
                      struct errors *errors)
{
    char why[SWEEP_WHY_MAX];
    size_t faults = errors->faults;
    for (int i = 0; i < sweep->axes; i++) {
        char full[64];
        snprintf(full, sizeof full, "%.40s.name", name[i]); /* `model` and `framework` stand for their names */
        int id = param_find(full) >= 0 ? param_find(full) : param_find_alias(name[i]);
        if (id < 0)
            errors_add(errors, program, 0, name[i], "unknown key; `shardtop list keys` lists all");
        sweep->axis[i].key = (enum param)(id < 0 ? 0 : id);
    }
    int fault = errors->faults > faults ? -1 : sweep_axes_read(sweep->axis, list, sweep->axes, plan, NULL, NULL, why);
    if (fault >= 0)
        errors_add(errors, program, 0, name[fault], "%s", why);
}

static const struct sweep_cell interrupted = {
    .state = SWEEP_UNKNOWN, .value = NAN, .gpus = NAN, .idle_gpus = NAN,
    .figures = FIGURES_UNKNOWN,
    .reasons = 1, .reason = {{.why = "search interrupted"}}};

/* ---- the best layout of each cell ------------------------------------------------------------------------------- */

enum { BLOCK = 256 /* cells whose plans are made at a time */ };

/* What a thread works with. */
struct desk {
    struct search_ask ask;
    struct estimate scratch;
    struct explanation opened;
};

struct best {
    struct sweep *sweep;
    enum param keys[SWEEP_AXES];
    int first; /* the cell that plan[0] is of */
    struct plan plan[BLOCK];
    struct desk *desk[THREADS_MAX];
};

static void search_cell(void *context, int worker, struct search *search, int cell)
{
    struct best *best = context;
    struct sweep *sweep = best->sweep;
    struct desk *desk = best->desk[worker];
    struct plan *plan = &best->plan[cell - best->first];
    sweep_ask(plan, &sweep->metric, best->keys, sweep->axes, &desk->ask);
    search_begin(search, &desk->ask, 0, 1);
    if (threads_finish(search))
        sweep_evaluate_best(plan, &sweep->metric, &desk->ask, &search->answer, &desk->scratch, &desk->opened,
                            &sweep->cell[cell]);
}

/* Searches the cells of a block. Returns false after an interrupt or with a fault in `errors`. */
static bool search_block(struct best *best, int threads, int cells, char *const name[], const struct plan *plan,
                         struct errors *errors)
{
    int columns = best->sweep->axes > 1 ? best->sweep->axis[1].count : 1,
        last = best->first + BLOCK < cells ? best->first + BLOCK : cells;
    char what[64];
    for (int i = best->first; i < last; i++)
        if (plan_of_cell(plan, best->sweep, name, (const int[]){i / columns, i % columns}, &best->plan[i - best->first],
                         errors) != 0)
            return false;
    snprintf(what, sizeof what, "of %d cells searched", cells);
    return threads_items(threads, best->first, last, search_cell, best, what);
}

static bool evaluate_best(struct sweep *sweep, int cells, char *const name[], const struct plan *plan,
                          struct errors *errors)
{
    struct best *best = xmalloc(sizeof *best);
    int threads = cells < threads_here() ? cells : threads_here();
    bool goes_on = true;
    best->sweep = sweep;
    best->keys[0] = sweep->axis[0].key;
    best->keys[1] = sweep->axis[1].key;
    for (int i = 0; i < threads; i++)
        best->desk[i] = xmalloc(sizeof *best->desk[i]);
    for (best->first = 0; best->first < cells && goes_on; best->first += BLOCK)
        goes_on = search_block(best, threads, cells, name, plan, errors);
    progress_end();
    for (int i = 0; i < threads; i++)
        free(best->desk[i]);
    free(best);
    return goes_on;
}

/* ---- all cells -------------------------------------------------------------------------------------------------- */

static void evaluate_each(struct sweep *sweep, int cells, char *const name[], const struct plan *plan, bool follow,
                          struct errors *errors)
{
    struct estimate *scratch = xmalloc(sizeof *scratch);
    struct explanation *opened = xmalloc(sizeof *opened);
    const enum param keys[SWEEP_AXES] = {sweep->axis[0].key, sweep->axis[1].key};
    int columns = sweep->axes > 1 ? sweep->axis[1].count : 1;
    for (int i = 0; i < cells; i++) {
        struct plan cell;
        if (plan_of_cell(plan, sweep, name, (const int[]){i / columns, i % columns}, &cell, errors) != 0)
            break;
        sweep_evaluate(&cell, &sweep->metric, keys, sweep->axes, follow, scratch, opened, &sweep->cell[i]);
    }
    free(opened);
    free(scratch);
}

/* Returns false if the user interrupted it; the remaining cells are unknown. */
static bool evaluate(struct sweep *sweep, char *const name[], const struct plan *plan,
                     const struct sweep_request *request, struct errors *errors)
{
    int cells = sweep->axis[0].count * (sweep->axes > 1 ? sweep->axis[1].count : 1);
    sweep->cell = xmalloc((size_t)cells * sizeof *sweep->cell);
    for (int i = 0; i < cells; i++)
        sweep->cell[i] = interrupted;
    if (request->best)
        return evaluate_best(sweep, cells, name, plan, errors);
    evaluate_each(sweep, cells, name, plan, request->follow, errors);
    return true;
}

static void check_metric(const struct sweep *sweep, const char *name, struct errors *errors)
{
    struct explanation *opened = xmalloc(sizeof *opened);
    bool is_path =
        sweep->metric.name && (sweep->metric.of || explain_value(sweep->now, sweep->metric.path, opened) == 0);
    if (!is_path && sweep->now->is_computed) {
        struct buffer names = {0};
        for (const struct sweep_metric *row = sweep_metrics; row->name; row++)
            if (sweep_metric_is_of(row, sweep->now->is_serving))
                buffer_printf(&names, "%s, ", row->name);
        errors_add(errors, program, 0, "--metric", "'%.40s' is not a value of the report; use one of %sor a path", name,
                   names.text);
        buffer_free(&names);
    }
    free(opened);
}

static void warn_of_missing_key(const struct sweep *sweep, struct errors *errors)
{
    enum param lacks = sweep_missing_key(&sweep->metric, &sweep->now->plan);
    int cells = sweep->axis[0].count * (sweep->axes > 1 ? sweep->axis[1].count : 1);
    bool is_known = lacks == PARAM_COUNT;
    for (int i = 0; i < cells && !is_known; i++)
        is_known = isfinite(sweep->cell[i].value);
    if (is_known)
        return;
    const char *example = search_example(lacks), *dotted = param_rows[lacks].dotted;
    errors_warn(errors, program, 0, "--metric", "%s needs %s; give it with --set %s%s", sweep->metric.name, dotted,
                *example ? example : dotted, *example ? "" : "=VALUE");
}

static int run(struct buffer *out, struct sweep *sweep, char *const name[], const struct plan *plan,
               const struct sweep_request *request, struct errors *errors)
{
    size_t faults = errors->faults;
    bool is_serving = sweep->now->is_serving;
    const char *list[SWEEP_AXES];
    const char *metric = request->metric ? request->metric : sweep_metrics[sweep_metric_for(0, is_serving)].name;
    sweep->metric = sweep_metric_named(metric, is_serving);
    check_metric(sweep, metric, errors);
    for (int i = 0; i < sweep->axes; i++)
        list[i] = request->word[i] + strlen(name[i]) + 1;
    find_axes(sweep, name, list, plan, errors);
    if (request->best && is_serving)
        errors_add(errors, program, 0, "--best", "searches layouts for training, but this plan serves");
    bool is_whole = errors->faults > faults || evaluate(sweep, name, plan, request, errors);
    if (errors->faults > faults)
        return STATUS_INPUT;
    warn_of_missing_key(sweep, errors);
    report_sweep(out, sweep, request->svg, request->report);
    return is_whole ? STATUS_DONE : STATUS_INTERRUPTED;
}

static int run_sweep(struct buffer *out, const struct plan *plan, const struct sweep_request *request,
                     struct errors *errors)
{
    if (request->words < 1 || request->words > SWEEP_AXES) {
        errors_add(errors, program, 0, "sweep",
                   "takes one or two keys with values; write shardtop sweep [FILE...] tp=1,2,4,8 pp=1..16");
        return STATUS_INPUT;
    }
    struct sweep *sweep = xmalloc(sizeof *sweep);
    sweep->cell = NULL;
    struct estimate *now = xmalloc(sizeof *now);
    char *name[SWEEP_AXES] = {NULL};
    estimate_plan(plan, now);
    sweep->axes = request->words;
    sweep->has_best = request->best;
    sweep->now = now;
    for (int i = 0; i < sweep->axes; i++)
        name[i] = xstrndup(request->word[i], strcspn(request->word[i], "="));
    int status = run(out, sweep, name, plan, request, errors);
    for (int i = 0; i < sweep->axes; i++)
        free(name[i]);
    free(sweep->cell);
    free(sweep);
    free(now);
    return status;
}

/* Words with a sign are swept, the others are files. */
int verb_sweep(const struct cli *cli, const struct plan *none, struct buffer *out, struct errors *errors)
{
    (void)none;
    struct plan plan;
    struct cli files = *cli;
    struct report_options options = cli->report;
    char **word = xmalloc((size_t)(cli->word_count + 1) * sizeof *word);
    int swept = 0;
    options.color = verb_has_color(cli);
    files.words = xmalloc((size_t)(cli->word_count + 1) * sizeof *files.words);
    files.word_count = 0;
    for (int i = 0; i < cli->word_count; i++)
        if (is_axis_word(cli->words[i]))
            word[swept++] = cli->words[i];
        else
            files.words[files.word_count++] = cli->words[i];
    int status = cli_plan(&files, &plan, NULL, errors) == 0 ? STATUS_DONE : STATUS_INPUT;
    if (status == STATUS_DONE)
        status = run_sweep(
            out, &plan, &(struct sweep_request){word, swept, cli->metric, cli->follow, cli->svg, cli->best, &options},
            errors);
    free(files.words);
    free(word);
    return status;
}
