/* The verbs: what each does, and the table that names them. */
#include "core/base.h"
#include "core/estimate/range.h"
#include "core/explain/explain.h"
#include "core/plan/nearest.h"
#include "core/plan/param.h"
#include "core/search/advice.h"
#include "core/search/search.h"
#include "core/search/standing.h"
#include "src/cli/batch.h"
#include "src/cli/cli.h"
#include "src/cli/compare.h"
#include "src/cli/complete.h"
#include "src/cli/completion.h"
#include "src/cli/exercise.h"
#include "src/cli/help.h"
#include "src/cli/host.h"
#include "src/cli/layouts.h"
#include "src/cli/lesson.h"
#include "src/cli/list.h"
#include "src/cli/man.h"
#include "src/cli/patch.h"
#include "src/cli/preferences.h"
#include "src/cli/reading.h"
#include "src/cli/recorder.h"
#include "src/cli/schema.h"
#include "src/cli/search.h"
#include "src/cli/session.h"
#include "src/cli/slip.h"
#include "src/cli/sweep.h"
#include "src/cli/terminals.h"
#include "src/cli/watch.h"
#include "src/export/export.h"
#include "src/lesson/progress.h"
#include "src/plan/plan_io.h"
#include "src/plan/reference_plan.h"
#include "src/report/advice.h"
#include "src/report/difference.h"
#include "src/report/reference.h"
#include "src/report/svg.h"
#include "src/report/trace.h"
#include "src/runs/calibrate.h"
#include "src/runs/validate.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/json_out.h"
#include "src/text/paths.h"
#include "src/text/text.h"
#include "src/text/worker.h"
#include "src/text/write.h"
#include "ui/settings.h"
#include "ui/ui.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char program[] = "shardtop";

/* ---- verbs that work on a plan ---------------------------------------------------------------------------------- */

/* Whether what is printed goes to a terminal. */
static bool has_terminal(const struct cli *cli)
{
    return !cli->output && isatty(STDOUT_FILENO);
}

static bool wants_color(const struct cli *cli)
{
    const char *no_color = getenv("NO_COLOR");
    bool is_plain = (no_color && *no_color) || !has_terminal(cli);
    return cli->color == COLOR_ALWAYS || (cli->color == COLOR_AUTO && !is_plain);
}

/* The estimates of every framework that was named; at least one. */
static size_t estimate_all(const struct cli *cli, const struct plan *plan, struct estimate **all, size_t max,
                           struct errors *errors)
{
    size_t count = 0;
    char why[PARAM_WHY_MAX];
    const char *at = cli->frameworks ? cli->frameworks : "";
    do {
        struct plan one = *plan;
        char *name = xstrndup(at, strcspn(at, ","));
        if (cli->frameworks && param_parse(&one, PARAM_framework_name, name, FROM_SET, false, why) != 0) {
            errors_add(errors, program, 0, "--framework", "%s", why);
        } else if (count < max) {
            all[count] = xmalloc(sizeof **all);
            estimate_plan(&one, all[count++]);
        }
        free(name);
        at += strcspn(at, ",");
    } while (*at++ == ',');
    return count;
}

static int check_status(const struct estimate *estimate)
{
    if (estimate->diags.errors)
        return STATUS_INPUT;
    return range_verdict(estimate) == VERDICT_UNKNOWN ? STATUS_UNKNOWN : estimate->fits ? STATUS_DONE : STATUS_UNFIT;
}

/* Prints a line for each estimate, or one JSON document; returns the worst status. */
static int print_checks(const struct estimate *const all[], size_t count, bool is_json, struct buffer *out)
{
    struct json json = {.out = out};
    int status = STATUS_DONE;
    if (is_json && count > 1)
        json_open(&json, NULL, '[');
    for (size_t i = 0; i < count; i++) {
        int one = check_status(all[i]);
        status = one > status ? one : status;
        if (is_json)
            json_check(&json, all[i]);
        else
            report_check(out, all[i]);
    }
    if (is_json && count > 1)
        json_close(&json, ']');
    buffer_puts(out, is_json ? "\n" : "");
    return status;
}

/* The estimator of --estimator, -1 with a fault added. */
static int find_estimator(const char *name, struct errors *errors)
{
    for (int id = 0; id < REFERENCE_COUNT; id++)
        if (strcmp(reference_rows[id].name, name) == 0)
            return id;
    errors_add(errors, program, 0, "--estimator", "'%.40s' is not an estimator; `shardtop list estimators` names them",
               name);
    return -1;
}

/*
 * The report of a published estimator for the plan. As llm-analysis itself does, its summary is printed and `-o` has
 * the JSON.
 */
static int run_estimator(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    struct plan resolved;
    struct reference_inputs inputs;
    struct reference_answer *answer;
    char why[REFERENCE_WHY_MAX];
    int id = find_estimator(cli->estimator, errors);
    if (id < 0)
        return STATUS_INPUT;
    plan_resolve(plan, &resolved);
    if (reference_from_plan(&resolved, (enum reference_id)id, &inputs, why) != 0) {
        errors_add(errors, program, 0, reference_rows[id].name, "%s", why);
        return STATUS_INPUT;
    }
    answer = xmalloc(sizeof *answer);
    reference_run(&inputs, answer);
    bool has_file = cli->output && strcmp(cli->output, "-") != 0,
         is_both = id == REFERENCE_LLM && has_file && !cli->json;
    if (cli->json || is_both) {
        report_reference_json(out, answer);
        buffer_puts(out, "\n");
    }
    struct buffer text = {0};
    if (!cli->json)
        report_reference(is_both ? &text : out, &inputs, answer);
    int status = is_both && !cli->quiet ? cli_print(&text, errors) : STATUS_DONE;
    buffer_free(&text);
    free(answer);
    return status;
}

static int print_trace(const struct estimate *e, struct buffer *out, struct errors *errors)
{
    if (report_trace(out, e) == 0)
        return STATUS_DONE;
    errors_add(errors, program, 0, "--trace",
               "no order of passes is known of this plan; `shardtop show --check` says what is missing");
    return STATUS_INPUT;
}

static int run_show(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    enum { SIDE_BY_SIDE = 16 };
    if (cli->estimator && strcmp(cli->estimator, program) != 0)
        return run_estimator(cli, plan, out, errors);
    struct estimate *all[SIDE_BY_SIDE];
    int status = STATUS_DONE;
    size_t count = estimate_all(cli, plan, all, SIDE_BY_SIDE, errors);
    struct report_options options = cli->report;
    options.color = wants_color(cli);
    options.brief = has_terminal(cli) && !options.full && options.section == SECTION_ALL;
    options.questions = &cli->made.questions;
    options.remarks = errors;
    options.unused = &cli->made.unused;
    if (errors_any(errors)) {
        status = STATUS_INPUT;
    } else if (cli->check) {
        status = print_checks((const struct estimate *const *)all, count, cli->json, out);
    } else if (cli->trace) {
        status = print_trace(all[0], out, errors);
    } else if (!cli->svg) {
        report_write(out, (const struct estimate *const *)all, count, &options);
        if (options.format == REPORT_TEXT && (options.section == SECTION_ALL || options.section == SECTION_DIAGNOSTICS))
            errors_free(errors); /* the report has them */
    } else if (report_svg(out, (const struct estimate *const *)all, count, options.section) != 0) {
        errors_add(errors, program, 0, "--svg",
                   "there is no figure of %s; use --section memory, time, communication, grid or layers",
                   report_section_names[options.section]);
        status = STATUS_INPUT;
    }
    for (size_t i = 0; i < count; i++)
        free(all[i]);
    return status;
}

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
                   param_rows[estimate->diags.item[0].param].dotted, estimate->diags.item[0].message);
    else if (access(path, F_OK) == 0)
        errors_add(errors, program, 0, path, "is a file; name the value behind it, such as time.iteration_s");
    else if (*meant)
        errors_add(errors, program, 0, path, "is not a value of this report; did you mean %s?", meant);
    else
        errors_add(errors, program, 0, path,
                   "is not a value of this report; `shardtop show --json` has them all, such as time.iteration_s");
}

static int run_explain(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
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

static void screen_line(void *context, const char *text)
{
    buffer_printf(context, "%s\n", text);
}

/* What ncurses may be told of a terminal that this machine does not describe. */
static const char *describe_terminal(const char *name)
{
    const struct terminal *it = terminals;
    while (it->name && strcmp(it->name, name) != 0)
        it++;
    return it->description;
}

/* True while there is nothing of the screen's own in the state folder. */
static bool is_new_here(void)
{
    static const char *const traces[] = {"lines", "sessions", "lessons.yaml"};
    bool is_new = true;
    for (size_t i = 0; i < LENGTH(traces); i++) {
        char *path = paths_state(traces[i]);
        is_new &= path && access(path, F_OK) != 0;
        free(path);
    }
    return is_new;
}

/* What the screen is told; `saved` is the copy of a session that ended early, or NULL. */
static struct ui_options options_of(const struct cli *cli, const struct plan *plan, const struct settings *settings,
                                    const struct plan *saved, const struct errors *errors)
{
    const char *no_color = getenv("NO_COLOR");
    return (struct ui_options){
        .plan = plan,
        .saved = saved,
        .path = cli->made.path,
        .questions = &cli->made.questions,
        .settings = settings,
        .theme = cli->theme,
        .term = cli->term,
        .describe = describe_terminal,
        .notice = errors->count && !cli->plain ? errors->line[0] : NULL, /* on lines it was printed */
        .is_new = is_new_here(),
        .keys = cli->keys,
        .lesson = cli->lesson,
        .step = cli->step,
        .width = cli->width,
        .height = cli->height,
        .shot = cli->output,
        .is_settled = true,
        .is_spoken = cli->verbose,
        .ascii = cli->report.ascii,
        .no_color = cli->color == COLOR_NEVER || (cli->color == COLOR_AUTO && no_color && *no_color),
        .always_color = cli->color == COLOR_ALWAYS,
        .no_mouse = cli->no_mouse,
        .present = cli->present,
        .slow = cli->slow,
    };
}

/* The file of the plan is read once more when its lines are asked for. */
static void read_again(const struct cli *cli, const char *path)
{
    reading_given(path, &(struct import_options){.env = &cli->env, .use_env = cli->use_env, .argument = cli->arguments,
                                                 .arguments = cli->argument_count, .command = cli->command});
}

static int open_screen(const struct cli *cli, const struct plan *plan, const struct settings *settings,
                       struct buffer *out, struct errors *errors)
{
    enum { FINISH_MS = 2000 }; /* for what is still to be written at the end */
    struct plan kept, saved;
    const struct session *session = cli->restore ? session_named(cli->restore, errors) : NULL;
    bool has_saved = session && session_load(session, &kept, &saved, NULL, errors) == 0;
    struct ui_options options = options_of(cli, plan, settings, has_saved ? &saved : NULL, errors);
    host_remember(errors);
    host_ask(&cli->made.questions);
    host_offer(cli->made.is_of_nothing ? NULL : plan->text[TEXT_MODEL]);
    read_again(cli, cli->made.foreign ? cli->made.path : NULL);
    if (!cli->width && !cli->no_progress)
        progress_on();
    struct ui_host host = host_functions;
    host.record = cli->record ? recorder_take : NULL;
    if (cli->width)
        return ui_screen(&host, &options, screen_line, out);
    if (options.saved && !session->is_running) /* else a copy is opened: it stays the other's */
        session_take(session);
    sessions_expire(settings->recovery_days);
    if (cli->made.path)
        write_clean(cli->made.path);
    options.plain = ui_plain_from;
    int status = cli->plain ? ui_plain(&host, &options) : ui_run(&host, &options);
    worker_finish(FINISH_MS);
    return status;
}

int cli_screen(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    struct settings settings;
    preferences_load(&settings, errors);
    if (!cli->width)
        cli_print_errors(cli, errors);
    int status = open_screen(cli, plan, &settings, out, errors);
    errors_free(errors);
    return status;
}

/* Whether the screen is asked for: on a terminal, drawn as text or line by line. */
static bool opens_screen(const struct cli *cli)
{
    return cli->verb == VERB_SCREEN && (cli->width || cli->plain || isatty(STDOUT_FILENO));
}

static int run_screen(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    return opens_screen(cli) ? cli_screen(cli, plan, out, errors) : run_show(cli, plan, out, errors);
}

static int run_import(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    (void)errors;
    plan_emit(out, plan, &cli->made.questions,
              "A plan for shardtop; keys that are not here follow the framework's defaults.");
    return STATUS_DONE;
}

static int run_estimators(const struct cli *cli, struct buffer *out, struct errors *errors)
{
    static const char *const forms[] = {[REPORT_CSV] = "--csv", [REPORT_MARKDOWN] = "--markdown"};
    struct plan plan;
    bool is_other = cli->report.format == REPORT_CSV || cli->report.format == REPORT_MARKDOWN;
    if (cli->by || is_other)
        return errors_add(errors, program, 0, cli->by ? "--by" : forms[cli->report.format],
                          "does not go with --estimators; leave it out"),
               STATUS_INPUT;
    if (cli_plan(cli, &plan, NULL, errors) != 0)
        return STATUS_INPUT;
    struct estimate *estimate = xmalloc(sizeof *estimate);
    estimate_plan(&plan, estimate);
    compare_estimators(out, estimate, cli->json);
    free(estimate);
    return STATUS_DONE;
}

/* The plan of one of the words, with the options that hold for both. */
static int plan_of_word(const struct cli *cli, int word, struct plan *plan, struct errors *errors)
{
    struct cli one = *cli;
    one.words = cli->words + word;
    one.word_count = 1;
    return cli_plan(&one, plan, NULL, errors);
}

static int run_compare(const struct cli *cli, const struct plan *none, struct buffer *out, struct errors *errors)
{
    (void)none;
    struct plan plan[2];
    struct report_options options = cli->report;
    bool by_key = cli->by && strcmp(cli->by, "key") == 0;
    options.color = wants_color(cli);
    if (cli->estimators)
        return run_estimators(cli, out, errors);
    if (cli->word_count != 2)
        errors_add(errors, program, 0, "compare",
                   "takes two plans; write shardtop compare A B, or --estimators for one plan beside "
                   "the published estimators");
    else if (cli->by && !by_key && strcmp(cli->by, "term") != 0)
        errors_add(errors, program, 0, "--by", "'%.40s' is no way to take a difference apart; use term or key",
                   cli->by);
    else if (plan_of_word(cli, 0, &plan[0], errors) == 0 && plan_of_word(cli, 1, &plan[1], errors) == 0) {
        struct estimate *a = xmalloc(sizeof *a), *b = xmalloc(sizeof *b);
        estimate_plan(&plan[0], a);
        estimate_plan(&plan[1], b);
        report_difference(out,
                          &(struct difference){.name = {cli->words[0], cli->words[1]},
                                               .plan = {&plan[0], &plan[1]},
                                               .estimate = {a, b},
                                               .by_key = by_key},
                          &options);
        free(a);
        free(b);
        return STATUS_DONE;
    }
    return STATUS_INPUT;
}

/* Where a key was given: the last file that has it, and the line; the program where none does, or a stream may. */
static int place_of(const struct cli *cli, enum param key, const char **file)
{
    for (int i = cli->word_count; i-- > 0 && strcmp(cli->words[i], "-") != 0 && !file_is_fifo(cli->words[i]);) {
        read_again(cli, cli->words[i]);
        int line = reading_line_of(key);
        if (line > 0)
            return *file = cli->words[i], line;
    }
    *file = program;
    return 0;
}

/* Says what keeps any framework from starting with the plan, with the line of each key. Returns how much there is. */
static int say_faults(const struct cli *cli, const struct plan *plan, bool is_model, struct errors *errors)
{
    struct estimate *e = xmalloc(sizeof *e);
    int faults = 0;
    estimate_plan(plan, e);
    for (int i = 0; i < e->diags.count; i++) {
        const struct diag *it = &e->diags.item[i];
        const char *file = program;
        if (it->level != DIAG_ERROR || it->is_missing || (is_model && param_rows[it->param].group_id != GROUP_model))
            continue;
        faults++;
        int line = plan->from[it->param] == FROM_FILE ? place_of(cli, (enum param)it->param, &file) : 0;
        (cli->patch ? errors_warn : errors_add)(errors, file, line, param_rows[it->param].dotted, "%s", it->message);
    }
    read_again(cli, cli->made.path);
    free(e);
    return faults;
}

/* A change of the user's own file is shown all the same: the fault may stand in it. */
static int run_export_patch(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    if (say_faults(cli, plan, false, errors) > 0)
        errors_warn(errors, program, 0, "--patch", "no framework would start with this plan");
    return patch_run(cli, plan, out, errors);
}

static int run_export(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    struct plan resolved;
    if (cli->patch)
        return run_export_patch(cli, plan, out, errors);
    const struct export_format *format = cli->to ? export_find(cli->to) : NULL;
    if (!format) {
        struct buffer names = {0};
        for (int i = 0; export_names[i]; i++)
            buffer_printf(&names, "%s%s", i ? ", " : "", export_names[i]);
        errors_add(errors, program, 0, "--to", "%s%.40s%s; use one of %s", cli->to ? "'" : "",
                   cli->to ? cli->to : "is not given", cli->to ? "' is no framework that is written for" : "",
                   names.text);
        buffer_free(&names);
        return STATUS_INPUT;
    }
    if (say_faults(cli, plan, strcmp(cli->to, "hf") == 0 /* it has nothing else */, errors) > 0) {
        errors_add(errors, program, 0, "--to",
                   "no framework would start with this plan, so nothing is written; `shardtop show` has the report");
        return STATUS_INPUT;
    }
    plan_resolve(plan, &resolved);
    return export_plan(format, plan, &resolved, out, errors) == 0 ? STATUS_DONE : STATUS_INPUT;
}

/* Where the layout stays and layers are added, what layouts to try and to leave out says nothing. */
static void refuse_layouts(const struct cli *cli, struct errors *errors)
{
    const struct {
        const char *option;
        bool is_given;
    } options[] = {{"--where", cli->where.count > 0}, {"--free", cli->free}, {"--keep", cli->keep},
                   {"--values", cli->values.count > 0},
                   {"--nodes", cli->nodes}, {"--max-memory", cli->max_memory}, {"--headroom", cli->headroom},
                   {"--deadline", cli->deadline}, {"--tokens-per-s", cli->tokens_per_s},
                   {"--tp-in-node", cli->tp_in_node}, {"--fit", cli->fit}, {"--schedules", cli->schedules}};
    for (size_t i = 0; i < LENGTH(options); i++)
        if (options[i].is_given)
            errors_add(errors, program, 0, options[i].option,
                       "is about layouts, and --objective size keeps the plan's; with --models it counts");
}

static int run_search(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    enum { TOP = 5 };
    size_t faults = errors->faults;
    if (!cli->objective || strcmp(cli->objective, "size") != 0) {
        if (!cli->models)
            return layouts_run(cli, plan, out, errors);
        errors_add(errors, program, 0, "--models",
                   "needs --objective size: the largest of them that there is a layout for");
        return STATUS_INPUT;
    }
    if (cli->models)
        return layouts_models(cli, plan, out, errors);
    refuse_layouts(cli, errors);
    if (errors->faults > faults)
        return STATUS_INPUT;
    int result = search_size(out, plan, cli->top ? cli->top : TOP, cli->report.format, errors);
    return result < 0 ? STATUS_INPUT : result ? STATUS_UNFIT : STATUS_DONE;
}

/* The layout to take of all that fit; false where none does or nothing is known. `scratch` is used for estimates. */
static bool find_best(const struct plan *plan, enum search_objective objective, struct estimate *scratch,
                      struct plan *out)
{
    enum { AT_ONCE = 1 << 20 };
    struct standing standing[SEARCH_TOP_MAX];
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
    if (is_found)
        search_plan(&ask, &search->answer.best[standing_judge(&ask, &search->answer, scratch, standing)], out);
    free(search);
    return is_found;
}

static int run_advice(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    enum { TOP = 8, AT_ONCE = 1000 };
    (void)errors;
    struct plan best, nearest;
    struct report_options options = cli->report;
    struct advice *advice = xmalloc(sizeof *advice);
    struct estimate *scratch = xmalloc(sizeof *scratch);
    options.color = wants_color(cli);
    advice_begin(advice, plan);
    while (advice_step(advice, scratch, AT_ONCE))
        ;
    bool is_over = advice->now.verdict == VERDICT_NO || advice->now.verdict == VERDICT_TIGHT;
    bool has_best = find_best(plan, SEARCH_TIME, scratch, &best);
    bool has_nearest =
        has_best && is_over && advice->mend.changes == 0 && find_best(plan, SEARCH_CHANGES, scratch, &nearest);
    report_advice(out, advice, has_best ? &best : NULL, has_nearest ? &nearest : NULL, cli->top ? cli->top : TOP,
                  &options);
    free(scratch);
    free(advice);
    return STATUS_DONE;
}

/* Words with a sign are swept, the others are files. */
static int run_sweep(const struct cli *cli, const struct plan *none, struct buffer *out, struct errors *errors)
{
    (void)none;
    struct plan plan;
    struct cli files = *cli;
    struct report_options options = cli->report;
    char **word = xmalloc((size_t)(cli->word_count + 1) * sizeof *word);
    int swept = 0;
    options.color = wants_color(cli);
    files.words = xmalloc((size_t)(cli->word_count + 1) * sizeof *files.words);
    files.word_count = 0;
    for (int i = 0; i < cli->word_count; i++)
        if (sweep_is_axis(cli->words[i]))
            word[swept++] = cli->words[i];
        else
            files.words[files.word_count++] = cli->words[i];
    int status = cli_plan(&files, &plan, NULL, errors) == 0 ? STATUS_DONE : STATUS_INPUT;
    if (status == STATUS_DONE)
        status = sweep_run(
            out, &plan, &(struct sweep_request){word, swept, cli->metric, cli->follow, cli->svg, cli->best, &options},
            errors);
    free(files.words);
    free(word);
    return status;
}

/* Verbs that work on tables and logs of measured runs. */
/* Prints what is there so far; a fault shows when the rest is printed. */
static void spill(struct buffer *out)
{
    fwrite(out->text, 1, out->size, stdout);
    buffer_free(out);
}

static int run_runs(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    (void)plan;
    const char *const *files = (const char *const *)cli->words;
    size_t count = (size_t)cli->word_count;
    struct report_options report = cli->report;
    report.color = wants_color(cli);
    if (count == 0) {
        errors_add(errors, program, 0, cli_verbs[cli->verb].name, "has no runs; write shardtop %s %s",
                   cli_verbs[cli->verb].name, cli_verbs[cli->verb].arguments);
        return STATUS_INPUT;
    }
    if (cli->verb == VERB_CALIBRATE)
        return calibrate_run(&(struct calibrate_request){.files = files,
                                                         .file_count = count,
                                                         .settings = &cli->settings,
                                                         .tags = cli->tags,
                                                         .out = out,
                                                         .errors = errors});
    return validate_run(&(struct validate_request){
        .files = files, .file_count = count, .settings = &cli->settings, .tags = cli->tags, .by = cli->by,
        .ranking = cli->ranking, .ranges = cli->ranges, .report = report, .out = out,
        .spill = !cli->output || strcmp(cli->output, "-") == 0 ? spill : NULL, .errors = errors});
}

/* ---- verbs that need no plan ------------------------------------------------------------------------------------ */

static int run_batch(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    (void)cli;
    (void)plan;
    (void)out;
    (void)errors;
    return batch_run(stdin, stdout, stderr);
}

/* The only word of a verb that takes one, NULL with a fault added. */
static const char *only_word(const struct cli *cli, struct errors *errors)
{
    const struct cli_verb *verb = &cli_verbs[cli->verb];
    if (cli->word_count == 1)
        return cli->words[0];
    errors_add(errors, program, 0, verb->name, "takes one word; write shardtop %s %s", verb->name, verb->arguments);
    return NULL;
}

static int run_list(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    (void)plan;
    const char *word = only_word(cli, errors);
    return word && list_write(out, word, cli->json, errors) == 0 ? STATUS_DONE : STATUS_INPUT;
}

static int run_schema(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    (void)plan;
    if (cli->word_count > 1)
        only_word(cli, errors);
    else if (schema_write(out, cli->word_count ? cli->words[0] : NULL, errors) == 0)
        return STATUS_DONE;
    return STATUS_INPUT;
}

static int run_completion(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    (void)plan;
    const char *word = only_word(cli, errors);
    if (word && strcmp(word, "words") == 0) { /* the scripts ask so */
        complete_words(out, cli->argument_count, cli->arguments);
        return STATUS_DONE;
    }
    return word && completion_write(out, word, errors) == 0 ? STATUS_DONE : STATUS_INPUT;
}

static int run_man(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    (void)plan;
    const char *page = cli->word_count ? only_word(cli, errors) : man_pages[0];
    return page && man_write(out, page, errors) == 0 ? STATUS_DONE : STATUS_INPUT;
}

static int run_help(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    (void)plan;
    if (cli->word_count == 0) {
        help_overview(out);
        return STATUS_DONE;
    }
    const char *word = only_word(cli, errors);
    for (int i = VERB_SCREEN + 1; word && i < VERB_COUNT; i++)
        if (strcmp(word, cli_verbs[i].name) == 0) {
            help_verb(out, (enum cli_verb_id)i);
            return STATUS_DONE;
        }
    const char *near = word ? slip_command(word) : NULL;
    if (near)
        errors_add(errors, program, 0, "help", "'%.40s' is not a command; did you mean %s?", word, near);
    else if (word)
        errors_add(errors, program, 0, "help", "'%.40s' is not a command; `shardtop help` names them", word);
    return STATUS_INPUT;
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

const struct cli_verb cli_verbs[VERB_COUNT] = {
    [VERB_SCREEN] = {"", "[FILE...]", "open the interactive screen",
                     "Where standard output is no terminal, print what show prints.",
                     run_screen, true},
    [VERB_SHOW] = {"show", "[FILE...]", "print the report",
                   "Layers, memory of each stage, device grid, communication and time. On a terminal one screen of it; "
                   "--full prints all, which a pager shows.",
                   run_show, true},
    [VERB_EXPLAIN] = {"explain", "[FILE...] VALUE", "open one number of the report",
                      "VALUE is a path of the report such as memory.stages.0.activations_bytes, or its last part where "
                      "that is unique: the formula, the same with values, its source and what it leaves out. With "
                      "--full the values in the formula follow, and those in theirs, down to the plan's keys; JSON "
                      "nests them. A key of the plan, too: of a switch or a choice what each other value would give.",
                      run_explain, true},
    [VERB_IMPORT] = {"import", "FILE...", "print any file that is understood as a plan",
                     "Flags and keys that do not change the estimate are listed on standard error.",
                     run_import, true},
    [VERB_EXPORT] = {"export", "[FILE...] --to megatron|nanotron|deepspeed|hf | --patch FILE [--apply]",
                     "print launch flags or a configuration for a framework, or what to change in yours",
                     "What the format cannot say is listed on standard error, with the keys to give beside the file. "
                     "Of a plan that no framework would start with nothing is written: its faults are listed, and "
                     "the exit status is 2. "
                     "With --patch FILE a script or configuration of another program is read like any file, and "
                     "printed is a unified diff that makes it say the plan, with its comments and layout kept: "
                     "`shardtop export --patch train.sh --set tp=4`. Files beside it are read too and stay as they "
                     "are; a plan among them tells what is wanted. Every change was read again before it is offered; "
                     "what cannot be said in the file, such as a value that it works out, is listed, and the exit "
                     "status is 1. --apply then changes the file.",
                     run_export, true},
    [VERB_SEARCH] = {"search", "[FILE...]", "the best layouts for the plan's GPUs",
                     "Every valid layout is estimated: tp, sp, pp, vpp, cp, ep, etp, micro-batch, recomputation, "
                     "sharding and how layers are split; model, batch and GPUs stay. Each result says what it changes "
                     "and why that is better; ~ marks those as good as the first within the error of the estimate, and "
                     "the simplest or roomiest of them stands first, as the one to take. With --objective size layers "
                     "are added until the fullest GPU has no room. Exit status 1 when nothing is within the limits, "
                     "130 when interrupted, with what was found so far.",
                     run_search, true},
    [VERB_COMPARE] = {"compare", "A B | --estimators [FILE...]", "two plans, or our values beside published estimators",
                      "What was changed, what follows from it, and what leads from one plan's memory and time to the "
                      "other's, in steps that sum exactly: parts of memory and time, or with --by key the changed "
                      "keys. Options hold for both plans. With --estimators each quantity with the difference and its "
                      "reason.",
                      run_compare, false},
    [VERB_ADVICE] = {"advice", "[FILE...]", "what to change, and what limits",
                     "Every single change with its time and memory; the fewest that make the plan fit; the layout "
                     "to take of all; how far micro-batch, sequence, layers and batch can grow; what 10 % more of each "
                     "figure of the hardware is worth.",
                     run_advice, true},
    [VERB_SWEEP] = {"sweep", "[FILE...] KEY=V1,V2 [KEY=A..B]", "one or two keys over values",
                    "Values are listed (tp=1,2,4), a range of valid ones (pp=1..16), in steps (seq_length=4k..64k*2, "
                    "micro_batch_size=1..8+1) or all that are valid (recompute=*). A cell that is no plan says why; "
                    "< stands at one whose ranks leave GPUs idle. JSON and CSV have all of it, and with --follow or "
                    "--best the keys that differ in a cell. Exit status 130 when --best was "
                    "interrupted; cells that nobody looked at say so.",
                    run_sweep, false},
    [VERB_BATCH] = {"batch", "", "answer JSON lines from standard input",
                    "A line is {\"id\", \"plan\": {key: value}} or {\"id\", \"estimator\", \"fn\", \"inputs\"}; the "
                    "answers come in order, one a line. Beside a plan, \"want\": [\"memory.fits\", "
                    "\"time.iteration_s\"] names the values that are answered; an array's position may be left out "
                    "(memory.stages.device_bytes). Other members are refused.",
                    run_batch, false},
    [VERB_VALIDATE] = {"validate", "RUNS.csv|LOG...", "estimate measured runs and print the errors",
                       "A table has a row for each run: id, source, plan keys in dotted form, measured.* columns, "
                       "tags. A month in a source (202506) dates the framework where the row does not: it fills "
                       "framework.version. Logs of Megatron, DeepSpeed, nanotron, torchtitan and the Hugging Face "
                       "trainer are taken beside a plan.",
                       run_runs, false},
    [VERB_CALIBRATE] = {"calibrate", "RUNS.csv|LOG...", "fit the efficiencies of a device to measured runs",
                        "Prints a hardware file; the error before and after goes to standard error. Values stay as "
                        "shipped where the runs call for no change.",
                        run_runs, false},
    [VERB_WATCH] = {"watch", "[PLAN...] LOG", "follow a run's growing log beside the estimate",
                    "Step, time, tokens a second and memory as measured, the estimate with its range, and the likely "
                    "cause of what is off. Logs of Megatron, DeepSpeed, nanotron, torchtitan and the Hugging Face "
                    "trainer are read; - is standard input. Where standard output is no terminal, each new report is a "
                    "line.",
                    watch_run, true},
    [VERB_LESSON] = {"lesson", "[NAME] | --new NAME [PLAN] | --record FILE [PLAN] | --check FILE...",
                     "learn parallelism on plans that move",
                     "Without a name, the lessons and how far each is. A lesson has steps: each changes a key or two, "
                     "says what follows from it and may ask before it shows. On a terminal it is played on the screen, "
                     "with --plain on lines: answers, n next, back, g STEP, h hint, r reset, q leave, or KEY=VALUE, "
                     "which changes the plan. NAME may be a file of one's own; --check says what in it is not so.",
                     lesson_run, false},
    [VERB_EXERCISE] = {"exercise", "", "questions made by the program, on lines or as a sheet for a class",
                       "What fits, what is fastest, how much a change frees: each question is safe against the error "
                       "of the estimate. The same seed asks the same questions of the same version. With --sheet N a "
                       "CSV table for N students, with --grade FILE what their answers (student,question,answer) come "
                       "to.",
                       exercise_run, false},
    [VERB_GLOSSARY] = {"glossary", "[WORD]", "the words of the field",
                       "A word by any of its names, with its keys and values; without one, all.", glossary_run, false},
    [VERB_LIST] = {"list",
                   "models|gpus|clusters|plans|lessons|glossary|frameworks|constants|estimators|schedules|themes|"
                   "formats|keys", "print what there is",
                   "Own files in the configuration folder are listed with those that are compiled in.",
                   run_list, false},
    [VERB_SCHEMA] = {"schema", "[COMMAND]", "print what JSON answers hold, as a JSON Schema",
                     "Of one command's answer, or of all (draft 2020-12). Members are added to answers; none is "
                     "renamed or taken away.", run_schema, false},
    [VERB_MAN] = {"man", "[plan|json|lesson]", "print a manual page",
                    "In mdoc, to be read with man -l or mandoc: shardtop(1), of plan shardtop-plan(5), of json "
                    "shardtop-json(5), of lesson shardtop-lesson(5).",
                  run_man, false},
    [VERB_COMPLETION] = {"completion", "bash|zsh|fish", "print a completion script",
                         "To be read by the shell at its start.", run_completion, false},
    [VERB_HELP] = {"help", "[COMMAND]", "print this overview, or all about one command",
                   "The same as --help behind the command.",
                   run_help, false},
};

/* `--help`, with a verb of that one; beside `--estimator NAME` what that one takes from a plan too. */
static int print_help(const struct cli *cli, struct buffer *out, struct errors *errors)
{
    bool is_published = cli->estimator && strcmp(cli->estimator, program) != 0;
    int id = is_published ? find_estimator(cli->estimator, errors) : -1;
    if (is_published && id < 0)
        return STATUS_INPUT;
    if (cli->verb == VERB_SCREEN || cli->verb == VERB_HELP)
        help_overview(out);
    else
        help_verb(out, cli->verb);
    if (is_published) {
        buffer_printf(out, "\nInputs that are taken from a plan, the key, and how:\n\n");
        reference_plan_help(out, (enum reference_id)id);
    }
    return STATUS_DONE;
}

/* What can be refused before any file is opened. */
static int check_words(const struct cli *cli, struct errors *errors)
{
    if ((cli->verb == VERB_EXPLAIN || cli->verb == VERB_IMPORT) && cli->word_count == 0) {
        errors_add(errors, program, 0, cli_verbs[cli->verb].name, "has nothing to work on; write shardtop %s %s",
                   cli_verbs[cli->verb].name, cli_verbs[cli->verb].arguments);
        return -1;
    }
    return 0;
}

static void list_kept(struct buffer *out)
{
    struct sessions kept = {0};
    sessions_read(&kept);
    sessions_list(&kept, out);
    if (!kept.count)
        buffer_puts(out, "nothing is kept: every plan was saved\n");
    sessions_free(&kept);
}

/* Options alone that say nothing of a model are a plan that lacks most; on the screen one can be chosen. */
static void ask_for_model(const struct cli *cli, const struct plan *plan, struct errors *errors)
{
    for (int i = 0; i < PARAM_COUNT; i++)
        if (param_rows[i].group_id == GROUP_model && plan->from[i] > FROM_DEFAULT)
            return;
    if (!cli->made.path && !cli->made.foreign && !cli->models && !opens_screen(cli))
        errors_note(errors, program, 0, "--model",
                    "is not given, nor a plan; add --model NAME, one of `shardtop list models`, or a file");
}

int cli_run_verb(struct cli *cli, struct buffer *out, struct errors *errors)
{
    const struct cli_verb *verb = &cli_verbs[cli->verb];
    struct plan plan;
    if (cli->version) {
        buffer_printf(out, "shardtop %s\n", SHARDTOP_VERSION);
        return STATUS_DONE;
    }
    if (cli->help)
        return print_help(cli, out, errors);
    if (cli->restore && !*cli->restore) {
        list_kept(out);
        return STATUS_DONE;
    }
    if (verb->takes_plan && (check_words(cli, errors) != 0 || cli_plan(cli, &plan, &cli->made, errors) != 0))
        return STATUS_INPUT;
    if (verb->takes_plan)
        ask_for_model(cli, &plan, errors);
    return verb->run(cli, verb->takes_plan ? &plan : NULL, out, errors);
}
