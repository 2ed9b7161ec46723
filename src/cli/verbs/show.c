/* `shardtop show`: the report, the check, a published estimator, a trace or a figure. */
#include "src/cli/verbs/verbs.h"

#include "core/estimate/constants.h"
#include "core/estimate/range.h"
#include "core/plan/framework.h"
#include "core/plan/param.h"
#include "src/plan/reference_plan.h"
#include "src/report/reference.h"
#include "src/plan/plan_io.h"
#include "src/report/data.h"
#include "src/report/html.h"
#include "src/report/svg.h"
#include "src/report/trace.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/json_out.h"
#include "src/text/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char program[] = "shardtop";

enum { SIDE_BY_SIDE = 16 /* estimates */, COMMANDS_MAX = 32 /* of a script, that are checked */ };

/* Whether what is printed goes to a terminal. */
static bool has_terminal(const struct cli *cli)
{
    return !cli->output && isatty(STDOUT_FILENO);
}

bool verb_has_color(const struct cli *cli)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    bool is_plain = (no_color && *no_color) || !has_terminal(cli) || (term && strcmp(term, "dumb") == 0);
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

/* ---- --check ---------------------------------------------------------------------------------------------------- */

static bool is_about_hardware(const struct question *question)
{
    for (int k = 0; k < question->count; k++)
        if (param_rows[question->decides[k]].group_id != GROUP_hardware)
            return false;
    return true;
}

/* What is open, for --strict: the first question about something else than hardware, or hidden flags; NULL for none. */
static const char *find_strict_question(const struct cli *cli)
{
    const struct questions *questions = &cli->made.questions;
    for (int i = 0; i < questions->count && cli->strict; i++)
        if (!is_about_hardware(&questions->item[i]))
            return questions->item[i].variable;
    return cli->strict && *questions->hidden ? questions->hidden : NULL;
}

/* With --strict, a file is unreadable where it has a setting that no table has and that may decide. */
static bool is_unreadable(const struct cli *cli)
{
    const struct questions *questions = &cli->made.questions;
    for (int i = 0; i < questions->count && cli->strict; i++)
        if (questions->item[i].is_foreign && !is_about_hardware(&questions->item[i]))
            return true;
    return false;
}

static int check_status(const struct check *check)
{
    static const int statuses[] = {[VERDICT_FITS] = STATUS_DONE, [VERDICT_TIGHT] = STATUS_UNFIT,
                                   [VERDICT_NO] = STATUS_UNFIT, [VERDICT_UNKNOWN] = STATUS_UNKNOWN};
    if (check_is_open(check))
        return STATUS_UNKNOWN;
    return check->estimate->diags.errors ? STATUS_INPUT : statuses[check_verdict(check)];
}

/* What the plan is called: its files, its model, or where else it comes from. */
static void name_plan(const struct cli *cli, struct buffer *out)
{
    const char *model = keyvals_last(&cli->settings, "model") ? keyvals_last(&cli->settings, "model")->value : NULL;
    for (int i = 0; i < cli->word_count; i++)
        buffer_printf(out, "%s%s", i ? " + " : "", strcmp(cli->words[i], "-") ? cli->words[i] : "standard input");
    if (cli->word_count == 0)
        buffer_puts(out, cli->made.is_piped  ? "standard input"
                         : cli->made.path    ? cli->made.path
                         : cli->restore      ? cli->restore
                         : model             ? model
                         : cli->model        ? cli->model
                                             : "command line");
    if (cli->check && cli->command > 0)
        buffer_printf(out, ", command %d", cli->command);
}

/* Prints a line or an object for each estimate; returns the worst status. */
static int put_checks(const struct cli *cli, const struct estimate *const all[], size_t count, struct json *json)
{
    struct buffer name = {0};
    const char *open = find_strict_question(cli);
    int status = STATUS_DONE;
    name_plan(cli, &name);
    for (size_t i = 0; i < count; i++) {
        const struct framework *framework = &frameworks[(int)all[i]->plan.value[PARAM_framework_name]];
        struct check check = {.estimate = all[i],
                              .sure = cli->sure > 0 ? cli->sure : verdict_fits,
                              .name = name.text,
                              .framework = count > 1 ? framework->name : NULL,
                              .open = open,
                              .is_foreign = cli->made.foreign != NULL};
        int one = check_status(&check);
        one = one == STATUS_UNKNOWN && is_unreadable(cli) ? STATUS_INPUT : one;
        status = one > status ? one : status;
        if (cli->json)
            json_check(json, &check);
        else
            report_named_check(json->out, &check);
    }
    buffer_free(&name);
    return status;
}

/* Judges one of a script's commands. */
static int check_command(const struct cli *cli, int command, struct json *json, struct errors *errors)
{
    struct cli one = *cli;
    struct plan plan;
    struct estimate *all[SIDE_BY_SIDE];
    int status = STATUS_INPUT;
    one.command = command;
    if (cli_plan(&one, &plan, &one.made, errors) == 0) {
        size_t count = estimate_all(&one, &plan, all, SIDE_BY_SIDE, errors);
        status = put_checks(&one, (const struct estimate *const *)all, count, json);
        while (count > 0)
            free(all[--count]);
    }
    cli_made_free(&one.made);
    return status;
}

/* Prints what is judged, of a script with several commands each of them; returns the worst status. */
static int print_checks(const struct cli *cli, const struct estimate *const all[], size_t count, struct buffer *out,
                        struct errors *errors)
{
    struct json json = {.out = out};
    bool is_list = cli->json && (count > 1 || cli->made.commands > 1);
    int status = STATUS_DONE;
    if (is_list)
        json_open(&json, NULL, '[');
    for (int command = 1; command <= cli->made.commands && cli->made.commands > 1; command++) {
        int one = check_command(cli, command, &json, errors);
        status = one > status ? one : status;
    }
    if (cli->made.commands <= 1)
        status = put_checks(cli, all, count, &json);
    if (is_list)
        json_close(&json, ']');
    buffer_puts(out, cli->json ? "\n" : "");
    return status;
}

/* ---- other reports ---------------------------------------------------------------------------------------------- */

/* The estimator of --estimator, -1 with a fault added. */
int verb_find_estimator(const char *name, struct errors *errors)
{
    for (int id = 0; id < REFERENCE_COUNT; id++)
        if (strcmp(reference_rows[id].name, name) == 0)
            return id;
    errors_add(errors, program, 0, "--estimator", "unknown estimator '%.40s'; see `shardtop list estimators`",
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
    int id = verb_find_estimator(cli->estimator, errors);
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
               "the schedule of this plan is unknown; `shardtop show --check` lists the missing keys");
    return STATUS_INPUT;
}

/* Appends a word as a shell reads it. */
static void put_word(struct buffer *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        buffer_printf(out, " %s", word);
        return;
    }
    buffer_puts(out, " '");
    for (; *word; word++)
        buffer_printf(out, *word == '\'' ? "'\\''" : "%c", *word);
    buffer_puts(out, "'");
}

static void put_option(struct buffer *out, const char *option, const char *value)
{
    if (value) {
        buffer_printf(out, " %s", option);
        put_word(out, value);
    }
}

/* Whether the arguments can be given again as they were. */
static bool is_named(const struct cli *cli)
{
    return !cli->made.is_piped && !cli->made.is_of_nothing && cli->megatron_count == 0 && cli->env.count == 0 &&
           cli->argument_count == 0 && !cli->use_env;
}

/* What the plan is made of, as it was given. */
static void put_arguments(const struct cli *cli, struct buffer *out)
{
    for (int i = 0; i < cli->word_count; i++)
        put_word(out, cli->words[i]);
    put_option(out, "--model", cli->model);
    put_option(out, "--gpus", cli->gpus);
    for (size_t i = 0; i < cli->settings.count; i++) {
        char *setting = xasprintf("%s=%s", cli->settings.item[i].key, cli->settings.item[i].value);
        put_option(out, "--set", setting);
        free(setting);
    }
}

/* The last line of the report of a plan that may not fit: the command that says what to change. */
static void put_next_step(const struct cli *cli, const struct estimate *e, struct buffer *out)
{
    enum verdict verdict = range_verdict(e);
    if (verdict != VERDICT_NO && verdict != VERDICT_TIGHT)
        return;
    buffer_puts(out, "\nNext: shardtop advice");
    if (is_named(cli))
        put_arguments(cli, out);
    buffer_puts(out, is_named(cli) ? "\n" : " with the same arguments\n");
}

/* The page for a browser, with the plan and how it was asked for. */
static void print_page(const struct cli *cli, const struct plan *plan, const struct estimate *e, struct buffer *out)
{
    struct buffer text = {0}, command = {0};
    plan_emit(&text, plan, NULL, NULL);
    buffer_puts(&command, "shardtop show");
    if (is_named(cli))
        put_arguments(cli, &command);
    else
        buffer_puts(&command, " plan.yaml");
    report_html(out, e, &(struct html_parts){text.text, command.text});
    buffer_free(&text);
    buffer_free(&command);
}

/* Whether a published estimator is to answer. */
static bool has_estimator(const struct cli *cli)
{
    return cli->estimator && strcmp(cli->estimator, program) != 0;
}

/* Whether the plan came from what cannot be read again. */
static bool reads_stream(const struct cli *cli)
{
    bool is_stream = cli->made.is_piped;
    for (int i = 0; i < cli->word_count; i++)
        is_stream |= strcmp(cli->words[i], "-") == 0 || file_is_fifo(cli->words[i]);
    return is_stream;
}

/* Whether the arguments ask for what cannot be shown; says why. */
static bool refuse_arguments(const struct cli *cli, struct errors *errors)
{
    const bool checks_nothing = cli->check && cli->made.is_of_nothing;
    const bool checks_several = cli->check && cli->made.models > 1;
    const bool checks_commands = cli->check && cli->made.commands > (reads_stream(cli) ? 1 : COMMANDS_MAX);
    const bool checks_otherwise = cli->check && has_estimator(cli);
    const bool mixes_tables = cli->report.format == REPORT_CSV && cli->report.section == SECTION_ALL && !cli->check;
    if (checks_nothing)
        errors_add(errors, program, 0, "--check",
                   "no plan to check; give a file, --model NAME, or - for standard input");
    else if (checks_several)
        errors_add(errors, program, 0, "--check", "%d files give a model; check one plan at a time",
                   cli->made.models);
    else if (checks_commands)
        errors_add(errors, program, 0, "--check", "%d commands train or serve; choose one with --command N",
                   cli->made.commands);
    else if (checks_otherwise)
        errors_add(errors, program, 0, "--estimator", "does not go with --check; leave out one of them");
    else if (mixes_tables)
        errors_add(errors, program, 0, "--csv",
                   "prints one table; add --section memory, layers, grid, communication, time or summary");
    return checks_nothing || checks_several || checks_commands || checks_otherwise || mixes_tables;
}

/* Reports how many ranks the table leaves out. */
static void note_left_out(const struct estimate *e, const struct report_options *options, struct errors *errors)
{
    if (options->format == REPORT_CSV && options->section == SECTION_GRID && e->is_computed &&
        !report_lists_ranks(e, options))
        errors_note(errors, program, 0, "--section grid", "the %d ranks are not listed; add --full", e->grid.world);
}

int verb_show(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    if (refuse_arguments(cli, errors))
        return STATUS_INPUT;
    if (has_estimator(cli))
        return run_estimator(cli, plan, out, errors);
    struct estimate *all[SIDE_BY_SIDE];
    int status = STATUS_DONE;
    size_t count = estimate_all(cli, plan, all, SIDE_BY_SIDE, errors);
    struct report_options options = cli->report;
    options.color = verb_has_color(cli);
    options.brief = has_terminal(cli) && !options.full && options.section == SECTION_ALL;
    options.questions = &cli->made.questions;
    options.figures = &cli->made.figures;
    options.remarks = errors;
    options.unused = &cli->made.unused;
    if (errors_any(errors)) {
        status = STATUS_INPUT;
    } else if (cli->check) {
        status = print_checks(cli, (const struct estimate *const *)all, count, out, errors);
    } else if (cli->trace) {
        status = print_trace(all[0], out, errors);
    } else if (cli->html) {
        print_page(cli, plan, all[0], out);
    } else if (!cli->svg) {
        report_write(out, (const struct estimate *const *)all, count, &options);
        note_left_out(all[0], &options, errors);
        if (options.format == REPORT_TEXT && options.section == SECTION_ALL)
            put_next_step(cli, all[0], out);
        if (options.format == REPORT_TEXT && (options.section == SECTION_ALL || options.section == SECTION_DIAGNOSTICS))
            errors_free(errors); /* the report has them */
    } else if (report_svg(out, (const struct estimate *const *)all, count, options.section) != 0) {
        errors_add(errors, program, 0, "--svg",
                   "no figure for %s; use --section memory, time, communication, grid or layers",
                   report_section_names[options.section]);
        status = STATUS_INPUT;
    }
    for (size_t i = 0; i < count; i++)
        free(all[i]);
    return status;
}
