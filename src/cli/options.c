/* The options as a table, and the command line read into a struct cli. */
#include "core/base.h"
#include "core/plan/param.h"
#include "core/search/search.h"
#include "src/cli/cli.h"
#include "src/cli/detect.h"
#include "src/cli/suggest.h"
#include "src/cli/verbs/batch.h"
#include "src/import/megatron.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/process.h"
#include "src/text/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char program[] = "shardtop";

/* ---- what an option's argument is read as ----------------------------------------------------------------------- */

/* Reads `120x40`. */
static void parse_size(struct cli *cli, const char *text, struct errors *errors)
{
    enum { SIDE_MAX = 1000 };
    char *end;
    long width = strtol(text, &end, 10), height = 0;
    bool is_good = end != text && *end == 'x';
    if (is_good) {
        const char *rest = end + 1;
        height = strtol(rest, &end, 10);
        is_good = end != rest && !*end && width >= 1 && height >= 1 && width <= SIDE_MAX && height <= SIDE_MAX;
    }
    if (!is_good)
        errors_add(errors, program, 0, "--screen", "'%.40s' is not a size; write columns and lines such as 120x40",
                   text);
    cli->width = is_good ? (int)width : 0;
    cli->height = is_good ? (int)height : 0;
}

static void parse_color(struct cli *cli, const char *text, struct errors *errors)
{
    if (strcmp(text, "auto") == 0)
        cli->color = COLOR_AUTO;
    else if (strcmp(text, "always") == 0)
        cli->color = COLOR_ALWAYS;
    else if (strcmp(text, "never") == 0)
        cli->color = COLOR_NEVER;
    else
        errors_add(errors, program, 0, "--color", "'%.40s' is not a choice; use auto, always or never", text);
}

static void parse_section(struct cli *cli, const char *text, struct errors *errors)
{
    int section = report_section_find(text);
    if (section >= 0) {
        cli->report.section = (enum report_section)section;
        return;
    }
    struct buffer all = {0};
    for (int i = 0; i < SECTION_COUNT; i++)
        buffer_printf(&all, "%s%s", i ? ", " : "", report_section_names[i]);
    errors_add(errors, program, 0, "--section", "'%.40s' is not a section; use one of %s", text, all.text);
    buffer_free(&all);
}

static void parse_top(struct cli *cli, const char *text, struct errors *errors)
{
    enum { TOP_MAX = 1000 };
    char *end;
    long top = strtol(text, &end, 10);
    if (end == text || *end || top < 1 || top > TOP_MAX)
        errors_add(errors, program, 0, "--top", "'%.40s' is not a number of results; write one from 1 to %d", text,
                   TOP_MAX);
    cli->top = (int)top;
}

/* Reads a number of processors, or `all`. */
static void parse_threads(struct cli *cli, const char *text, struct errors *errors)
{
    char *end;
    long all = process_cores(), count = strcmp(text, "all") == 0 ? all : strtol(text, &end, 10);
    bool is_good = strcmp(text, "all") == 0 || (end != text && !*end && count >= 1 && count <= BATCH_WORKERS_MAX);
    if (!is_good)
        errors_add(errors, program, 0, "--threads",
                   "'%.40s' is not a number of processors; write one from 1 to %d, or all", text, BATCH_WORKERS_MAX);
    cli->threads = count > BATCH_WORKERS_MAX ? BATCH_WORKERS_MAX : (int)count;
}

static const char objectives[] =
#define GOAL_NAME(id, name, ...) name " "
    SEARCH_GOALS(GOAL_NAME)
#undef GOAL_NAME
    "size";

static void parse_objective(struct cli *cli, const char *text, struct errors *errors)
{
    if (search_goal_named(text) == SEARCH_OBJECTIVES && strcmp(text, "size") != 0)
        errors_add(errors, program, 0, "--objective", "'%.40s' is not an objective; use one of %s", text, objectives);
    cli->objective = text;
}

/* Reads `90%` or `0.9`. */
static void parse_sure(struct cli *cli, const char *text, struct errors *errors)
{
    char *end;
    double sure = strtod(text, &end);
    if (end != text && *end == '%')
        sure /= 100, end++;
    if (end == text || *end || !(sure > 0 && sure < 1))
        errors_add(errors, program, 0, "--sure", "'%.40s' is not a probability; use one such as 90%% or 0.9", text);
    cli->sure = sure;
}

static void parse_values(struct cli *cli, const char *text, struct errors *errors)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1]) {
        errors_add(errors, program, 0, "--values", "expected KEY=VALUE,VALUE, found '%.60s'", text);
        return;
    }
    char *key = xstrndup(text, (size_t)(equals - text));
    keyvals_add(&cli->values, key, equals + 1, 0);
    free(key);
}

static void parse_where(struct cli *cli, const char *text, struct errors *errors)
{
    (void)errors;
    keyvals_add(&cli->where, text, "", 0);
}

static void parse_setting(struct cli *cli, const char *text, struct errors *errors)
{
    const char *end = strchr(text, '=');
    if (!end)
        end = text + strcspn(text, ": ");
    if (!*end || end == text) {
        errors_add(errors, program, 0, "--set", "expected KEY=VALUE, found '%.60s'", text);
        return;
    }
    size_t size = (size_t)(end - text);
    while (size > 1 && text[size - 1] == ' ')
        size--;
    char *key = xstrndup(text, size);
    const char *value = end + 1 + strspn(end + 1, " ");
    if (!*value)
        errors_add(errors, program, 0, key, "empty value; is a variable of the shell unset? %s=default resets it", key);
    refuse_setting(key, end + 1, errors);
    keyvals_add(&cli->settings, key, value, 0);
    free(key);
}

static void parse_env(struct cli *cli, const char *text, struct errors *errors)
{
    const char *equals = strchr(text, '=');
    size_t n = equals ? (size_t)(equals - text) : 0;
    bool is_name = n > 0 && !isdigit((unsigned char)*text) &&
                   strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == n;
    if (!is_name) {
        errors_add(errors, program, 0, "--env", "expected NAME=VALUE, found '%.60s'", text);
        return;
    }
    char *name = xstrndup(text, n);
    keyvals_add(&cli->env, name, equals + 1, 0);
    free(name);
}

static void parse_command(struct cli *cli, const char *text, struct errors *errors)
{
    enum { COMMANDS_MAX = 1000 };
    char *end;
    long command = strtol(text, &end, 10);
    if (end == text || *end || command < 1 || command > COMMANDS_MAX)
        errors_add(errors, program, 0, "--command", "'%.40s' is not a command number; use 1 to %d",
                   text, COMMANDS_MAX);
    cli->command = (int)command;
}

static void parse_format(struct cli *cli, enum report_format format, struct errors *errors)
{
    if (cli->report.format != REPORT_TEXT && cli->report.format != format)
        errors_add(errors, program, 0, NULL, "--json, --csv and --markdown cannot be combined; use one");
    cli->report.format = format;
    cli->json = format == REPORT_JSON;
}

static void take_json(struct cli *cli, const char *text, struct errors *errors)
{
    (void)text;
    parse_format(cli, REPORT_JSON, errors);
}

static void take_csv(struct cli *cli, const char *text, struct errors *errors)
{
    (void)text;
    parse_format(cli, REPORT_CSV, errors);
}

static void take_markdown(struct cli *cli, const char *text, struct errors *errors)
{
    (void)text;
    parse_format(cli, REPORT_MARKDOWN, errors);
}

/* Sets the GPU type and count of this machine, with a note on what was found. */
static void take_found_gpu(struct cli *cli, struct errors *errors)
{
    struct detected found = detect_gpus();
    char count[16];
    if (!found.by) {
        errors_add(errors, program, 0, "--gpu", "auto: no GPU found by nvidia-smi, in /proc/driver/nvidia or by "
                                                "rocm-smi; name one (see `shardtop list gpus`)");
        return;
    }
    errors_note(errors, program, 0, "--gpu", "auto: %d x %s, found by %s", found.count, found.name, found.by);
    snprintf(count, sizeof count, "%d", found.count);
    keyvals_add(&cli->settings, "hardware.gpu", found.name, 0);
    keyvals_add(&cli->settings, "hardware.gpus_per_node", count, 0);
}

static void take_gpu(struct cli *cli, const char *text, struct errors *errors)
{
    if (strcmp(text, "auto") == 0)
        take_found_gpu(cli, errors);
    else if (!refuse_devices("--gpu", text, errors))
        keyvals_add(&cli->settings, "hardware.gpu", text, 0);
}

/* The first name of `--framework a,b` is the plan's. */
static void parse_frameworks(struct cli *cli, const char *text, struct errors *errors)
{
    (void)errors;
    char *first = xstrndup(text, strcspn(text, ","));
    keyvals_add(&cli->settings, "framework.name", first, 0);
    free(first);
    cli->frameworks = text;
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

#define V(verb)  (1u << VERB_##verb)
#define SCREEN   V(SCREEN)
#define REPORT   V(SHOW)
#define GOAL     V(GOAL)
#define PLAN                                                                                                           \
    (SCREEN | REPORT | V(EXPLAIN) | V(IMPORT) | V(EXPORT) | V(SEARCH) | V(COMPARE) | V(ADVICE) | V(SWEEP) |            \
     V(WATCH) | GOAL)
#define RUNS     (V(VALIDATE) | V(CALIBRATE))
#define OUTPUT                                                                                                         \
    (REPORT | V(EXPLAIN) | V(IMPORT) | V(EXPORT) | V(SEARCH) | V(COMPARE) | V(ADVICE) | V(SWEEP) | RUNS | V(WATCH) |   \
     V(LESSON) | V(EXERCISE) | V(GLOSSARY) | V(FIND) | GOAL | V(LIST) | V(SCHEMA) | V(MAN) |       \
     V(COMPLETION) | V(HELP))
#define ANY      (~0u) /* options about the screen are valid everywhere, so that a shell alias may contain them */

/* Stores an argument in a member, or passes it to a function. */
#define SLOT(member)   offsetof(struct cli, member), NULL
#define CALL(function) 0, function

const struct cli_option cli_options[] = {
    {"set", 0, "KEY=VALUE",
     "set a plan key, as --KEY VALUE does; x2, /2 and +1 modify it, default resets it; repeatable, the last one "
     "wins",
     PLAN | RUNS, WORDS_KEYS, NULL, CALL(parse_setting)},
    {"env", 0, "NAME=VALUE", "set a variable of a launch script; repeatable", PLAN, WORDS_NONE, NULL,
     CALL(parse_env)},
    {"use-env", 0, NULL,
     "read variables of launch scripts from the environment", PLAN, WORDS_NONE, NULL, SLOT(use_env)},
    {"command", 0, "N",
     "use the Nth training command of a script; its servers come behind those (default: the first; --check: each)",
     PLAN, WORDS_NONE, NULL, CALL(parse_command)},
    {"model", 0, "NAME|FILE", "use the model of a preset or a file", PLAN, WORDS_MODELS, NULL, SLOT(model)},
    {"gpu", 0, "NAME|auto",
     "use this GPU (see list gpus); auto: the GPUs of this machine", PLAN | RUNS,
     WORDS_GPUS, NULL, CALL(take_gpu)},
    {"gpus", 0, "N", "number of GPUs: one node of N, or full nodes that add up to N",
     PLAN, WORDS_NONE, NULL, SLOT(gpus)},
    {"framework", 0, "NAME[,NAME...]", "framework; show puts several side by side",
     PLAN | RUNS, WORDS_FRAMEWORKS, NULL, CALL(parse_frameworks)},
    {"estimator", 0, "NAME", "answer as a published estimator would, with inputs taken from the plan",
     REPORT, WORDS_ESTIMATORS, NULL, SLOT(estimator)},
    {"estimators", 0, NULL, "compare with the published estimators", V(COMPARE), WORDS_NONE, NULL, SLOT(estimators)},
    {"to", 0, "NAME", "framework to export to", V(EXPORT), WORDS_EXPORTS, NULL, SLOT(to)},
    {"patch", 0, "FILE",
     "print a unified diff that applies the plan to this script or configuration and the files it "
     "includes", V(EXPORT), WORDS_FILE, NULL, SLOT(patch)},
    {"apply", 0, NULL, "with --patch: also change the files", V(EXPORT), WORDS_NONE, NULL, SLOT(apply)},
    {"objective", 0, "NAME",
     "minimize time, memory, cost, energy, gpus, train-time or train-cost; size: the most layers that fit",
     V(SEARCH), WORDS_CHOICES, objectives, CALL(parse_objective)},
    {"models", 0, "NAME,...", "with --objective size: the largest of these models that fits",
     V(SEARCH), WORDS_MODELS, NULL, SLOT(models)},
    {"top", 0, "K", "number of results (default 5; advice: 8 per group; goal: 12)",
     V(SEARCH) | V(ADVICE) | V(FIND) | GOAL, WORDS_NONE, NULL, CALL(parse_top)},
    {"free", 0, "KEY,...",
     "change only these keys; +KEY,... adds keys to the default set, features all that the framework can do", V(SEARCH),
     WORDS_KEYS, NULL, SLOT(free)},
    {"keep", 0, "KEY,...", "do not change these keys", V(SEARCH), WORDS_KEYS, NULL, SLOT(keep)},
    {"values", 0, "KEY=V,...", "values to try for a key; repeatable", V(SEARCH), WORDS_KEYS, NULL,
     CALL(parse_values)},
    {"nodes", 0, "N,...", "numbers of nodes to try", V(SEARCH), WORDS_NONE, NULL, SLOT(nodes)},
    {"max-memory", 0, "SIZE", "use at most this much memory per GPU, such as 72GiB", V(SEARCH), WORDS_NONE, NULL,
     SLOT(max_memory)},
    {"headroom", 0, "SIZE",
     "leave at least this much memory free on each GPU", V(SEARCH), WORDS_NONE, NULL, SLOT(headroom)},
    {"deadline", 0, "TIME", "finish training within this time, such as 30d; needs total_tokens", V(SEARCH), WORDS_NONE,
     NULL, SLOT(deadline)},
    {"tokens-per-s", 0, "N",
     "reach at least this many tokens per second", V(SEARCH), WORDS_NONE, NULL, SLOT(tokens_per_s)},
    {"where", 0, "CONDITION",
     "only layouts that meet a condition, such as 'tp<=8', schedule=1f1b or 'mfu>=40%': on a key, "
     "mfu, tokens_per_s_per_gpu, bubble_fraction, host_gib; several with commas, 'tp<=8,pp>2', or the option again",
     V(SEARCH), WORDS_KEYS, NULL, CALL(parse_where)},
    {"tp-in-node", 0, NULL,
     "keep tensor parallelism within the fast links of a node", V(SEARCH), WORDS_NONE, NULL, SLOT(tp_in_node)},
    {"fit", 0, "HOW", "required memory verdict: fits, tight or any", V(SEARCH), WORDS_CHOICES, "fits tight any",
     SLOT(fit)},
    {"schedules", 0, "WHICH", "own: schedules of the framework; all: also published ones",
     V(SEARCH), WORDS_CHOICES, "own all", SLOT(schedules)},
    {"metric", 0, "NAME",
     "figure to show: iteration_s, mfu, peak_gib, headroom_gib, cost, ... or a path of the report",
     V(SWEEP), WORDS_CHOICES,
     "iteration_s tokens_per_s tokens_per_s_per_gpu mfu bubble_fraction peak_gib headroom_gib cost training_days",
     SLOT(metric)},
    {"follow", 0, NULL,
     "sweep: adjust dp, sp and micro_batch_size where that makes a cell valid; lesson --plain: print speaker "
     "notes and answers while another terminal presents the lesson",
     V(SWEEP) | V(LESSON), WORDS_NONE, NULL, SLOT(follow)},
    {"best", 0, NULL, "find the best layout for each cell", V(SWEEP), WORDS_NONE, NULL,
     SLOT(best)},
    {"tokens", 0, "N", "tokens of the whole training, such as 1.5T", GOAL, WORDS_NONE, NULL, SLOT(tokens)},
    {"days", 0, "N", "days until the training ends, such as 30", GOAL, WORDS_NONE, NULL, SLOT(days)},
    {"users", 0, "N", "concurrent requests", GOAL, WORDS_NONE, NULL, SLOT(users)},
    {"context", 0, "N", "tokens of a sample or prompt, such as 4k", GOAL, WORDS_NONE, NULL, SLOT(context)},
    {"ms-per-token", 0, "N", "at most this many milliseconds per token", GOAL, WORDS_NONE, NULL, SLOT(ms_per_token)},
    {"first-token", 0, "S", "at most this many seconds to the first token", GOAL, WORDS_NONE, NULL, SLOT(first_token)},
    {"restore", 0, "[N|NAME]", "list unsaved plans, or open one", PLAN, WORDS_NONE, NULL,
     SLOT(restore)},
    {"json", 0, NULL, "print JSON",
     REPORT | V(WATCH) | V(EXPLAIN) | V(LIST) | V(VALIDATE) | V(COMPARE) | V(SEARCH) | V(ADVICE) | V(SWEEP) |
         V(LESSON) | V(FIND) | GOAL,
     WORDS_NONE, NULL, CALL(take_json)},
    {"threads", 0, "N|all", "answer on so many processors; answers stay in order", V(BATCH), WORDS_NONE, NULL,
     CALL(parse_threads)},
    {"yaml", 0, NULL, "print a template of NAME with every key, its unit and its meaning", V(LIST), WORDS_NONE, NULL,
     SLOT(yaml)},
    {"csv", 0, NULL, "print CSV", REPORT | V(VALIDATE) | V(SEARCH) | V(COMPARE) | V(ADVICE) | V(SWEEP), WORDS_NONE,
     NULL, CALL(take_csv)},
    {"markdown", 0, NULL, "print Markdown", REPORT | V(COMPARE) | V(SWEEP), WORDS_NONE, NULL, CALL(take_markdown)},
    {"svg", 0, NULL,
     "print a figure for slides: the --section memory, time (schedule), communication, grid or layers, or a sweep's "
     "map",
     REPORT | V(SWEEP), WORDS_NONE, NULL, SLOT(svg)},
    {"html", 0, NULL, "print one page for a browser, offline: verdict, figures, report, plan and command",
     REPORT, WORDS_NONE, NULL, SLOT(html)},
    {"trace", 0, NULL, "print the schedule as a Chrome trace, for Perfetto",
     REPORT, WORDS_NONE, NULL, SLOT(trace)},
    {"tags", 0, "TAG,...", "only runs with all of these tags; -TAG excludes runs",
     RUNS, WORDS_NONE, NULL, SLOT(tags)},
    {"by", 0, "COLUMN",
     "also summarize by a column: family, source or a plan key; compare: term or key, the steps to show",
     V(VALIDATE) | V(COMPARE), WORDS_KEYS, NULL, SLOT(by)},
    {"ranking", 0, NULL, "check how well layouts of the same model and GPUs are ranked",
     V(VALIDATE), WORDS_NONE, NULL, SLOT(ranking)},
    {"ranges", 0, NULL, "check the 80 % ranges of time, and the error of each part of the time",
     V(VALIDATE), WORDS_NONE, NULL, SLOT(ranges)},
    {"section", 0, "NAME", "print one section of the report", REPORT, WORDS_SECTIONS, NULL, CALL(parse_section)},
    {"full", 0, NULL,
     "print every table, with up to 256 groups and ranks (JSON: all); explain: also explain the inputs of "
     "inputs", REPORT | V(EXPLAIN), WORDS_NONE, NULL, SLOT(report.full)},
    {"check", 0, NULL,
     "print one line; exit status 0: fits, 1: does not fit or not surely enough, 2: no valid plan, 3: unknown; "
     "lesson: check its files", REPORT | V(LESSON), WORDS_NONE, NULL,
     SLOT(check)},
    {"sure", 0, "PERCENT",
     "with --check: the probability required to fit (default 90%); goal: that the answer holds (default 80%)",
     REPORT | GOAL, WORDS_NONE, NULL, CALL(parse_sure)},
    {"strict", 0, NULL, "with --check: any open question not about hardware makes the answer unknown", REPORT,
     WORDS_NONE, NULL, SLOT(strict)},
    {"step", 0, "N|ID", "start at this step", V(LESSON), WORDS_NONE, NULL, SLOT(step)},
    {"no-progress", 0, NULL, "do not save progress; start at the first step",
     SCREEN | V(LESSON) | V(EXERCISE), WORDS_NONE, NULL, SLOT(no_progress)},
    {"handout", 0, NULL, "write the lesson as NAME.md with figures to the folder of -o", V(LESSON), WORDS_NONE, NULL,
     SLOT(handout)},
    {"answers", 0, NULL,
     "include the answers: on the last page of the handout, or in --json", V(LESSON), WORDS_NONE, NULL,
     SLOT(answers)},
    {"new", 0, NULL, "print the skeleton of a lesson that starts with the given plan", V(LESSON),
     WORDS_NONE, NULL, SLOT(is_new)},
    {"record", 0, "FILE", "open the screen and record every change of the plan as a lesson step in FILE",
     V(LESSON), WORDS_FILE, NULL, SLOT(record)},
    {"seed", 0, "N", "seed of the questions", V(EXERCISE), WORDS_NONE, NULL, SLOT(seed)},
    {"count", 0, "N", "number of questions (default 9)", V(EXERCISE), WORDS_NONE, NULL, SLOT(count)},
    {"kind", 0, "KIND,...",
     "only questions of these kinds: fits, memory, fastest, largest, bubble, crosses, kv, static, frees", V(EXERCISE),
     WORDS_NONE, NULL, SLOT(kind)},
    {"level", 0, "N", "1: one node; 2: all; 3: several nodes, experts, fp8 and uneven stages (default 2)", V(EXERCISE),
     WORDS_NONE, NULL, SLOT(level)},
    {"key", 0, NULL, "include the answers", V(EXERCISE), WORDS_NONE, NULL, SLOT(key)},
    {"sheet", 0, "N", "print a table of questions for N students", V(EXERCISE), WORDS_NONE, NULL, SLOT(sheet)},
    {"grade", 0, "FILE", "grade a table of answers: student,question,answer", V(EXERCISE), WORDS_FILE, NULL,
     SLOT(grade)},
    {"once", 0, NULL, "read the log once and print one line, for scripts", V(WATCH), WORDS_NONE, NULL, SLOT(once)},
    {"output", 'o', "FILE", "write to FILE instead of standard output; with --screen and FILE.svg, a picture",
     OUTPUT | SCREEN, WORDS_FILE, NULL, SLOT(output)},
    {"color", 0, "WHEN", "colours: auto, always or never", ANY, WORDS_CHOICES, "auto always never", CALL(parse_color)},
    {"ascii", 0, NULL, "use ASCII characters only", ANY, WORDS_NONE, NULL, SLOT(report.ascii)},
    {"theme", 0, "NAME", "colour theme of the screen, or `light NAME, dark NAME` to follow the terminal's background",
     ANY, WORDS_THEMES, NULL, SLOT(theme)},
    {"screen", 0, "WxH", "print the screen as W columns and H lines of text, without a terminal",
     SCREEN | V(LESSON), WORDS_NONE, NULL, CALL(parse_size)},
    {"keys", 0, "KEYS", "keys to press before the screen is printed, separated by blanks",
     SCREEN | V(LESSON), WORDS_NONE, NULL, SLOT(keys)},
    {"plain", 0, NULL, "line mode for screen readers and logs", SCREEN | V(LESSON), WORDS_NONE, NULL, SLOT(plain)},
    {"no-mouse", 0, NULL, "do not use the mouse", ANY, WORDS_NONE, NULL, SLOT(no_mouse)},
    {"term", 0, "NAME", "terminal type, instead of $TERM", ANY, WORDS_NONE, NULL, SLOT(term)},
    {"present", 0, NULL, "for an audience: larger gaps, one view at a time", ANY, WORDS_NONE, NULL, SLOT(present)},
    {"slow", 0, NULL, "for slow connections: few colours, one pane at a time, fewer redraws",
     ANY, WORDS_NONE, NULL, SLOT(slow)},
    {"quiet", 'q', NULL, "print no notes on standard error", ANY, WORDS_NONE, NULL, SLOT(quiet)},
    {"verbose", 'v', NULL,
     "print the format each file was recognised as; line mode: write units as words", ANY, WORDS_NONE, NULL,
     SLOT(verbose)},
    {"help", 'h', NULL, "print this help", ANY, WORDS_NONE, NULL, SLOT(help)},
    {"version", 'V', NULL, "print the version", ANY, WORDS_NONE, NULL, SLOT(version)},
};
enum { OPTIONS = LENGTH(cli_options) };
const size_t cli_option_count = OPTIONS;

/* ---- reading the command line ----------------------------------------------------------------------------------- */

/* Stores an option's argument, or true for a switch. */
static void take_option(struct cli *cli, const struct cli_option *option, const char *argument, struct errors *errors)
{
    if (option->take)
        option->take(cli, argument, errors);
    else if (option->argument)
        *(const char **)((char *)cli + option->slot) = argument;
    else
        *(bool *)((char *)cli + option->slot) = true;
}

/* Progress through argv. */
struct scan {
    int argc, at;
    char **argv;
    const char *key; /* a plan key given as an option, without its dashes; NULL for none */
    unsigned given[OPTIONS];
};

static int find_option(const char *name, size_t length)
{
    for (int i = 0; i < OPTIONS; i++)
        if (strlen(cli_options[i].name) == length && strncmp(cli_options[i].name, name, length) == 0)
            return i;
    return -1;
}

static int find_letter(char letter)
{
    for (int i = 0; i < OPTIONS; i++)
        if (cli_options[i].letter == letter)
            return i;
    return -1;
}

/* Takes option `id`; its argument is `attached` or the next word. */
static void scan_option(struct cli *cli, struct scan *scan, int id, const char *attached, struct errors *errors)
{
    const struct cli_option *option = &cli_options[id];
    char label[32];
    bool is_optional = option->argument && *option->argument == '[';
    snprintf(label, sizeof label, "--%s", option->name);
    scan->given[id] = 1;
    if (!option->argument && attached)
        errors_add(errors, program, 0, label, "takes no value; leave out '=%.40s'", attached);
    else if (is_optional && !attached && (scan->at + 1 >= scan->argc || *scan->argv[scan->at + 1] == '-'))
        take_option(cli, option, "", errors);
    else if (option->argument && !attached && scan->at + 1 >= scan->argc)
        errors_add(errors, program, 0, label, "needs a value; write --%s %s", option->name, option->argument);
    else if (option->argument && !*(attached = attached ? attached : scan->argv[++scan->at]))
        errors_add(errors, program, 0, label, "empty value; is a variable of the shell unset?");
    else
        take_option(cli, option, attached, errors);
}

/* Whether the words of a flag give it a value as the parser of the training script would take it. */
static void check_megatron(const char *flag, int arity, const char *value, struct errors *errors)
{
    if (arity != 0 && !value)
        errors_add(errors, program, 0, flag, "needs a value; write %s VALUE", flag);
    else if (arity != 0 && value && !*value)
        errors_add(errors, program, 0, flag, "empty value; is a variable of the shell unset?");
    else if (arity == 0 && value)
        errors_add(errors, program, 0, flag, "takes no value; leave out '=%.40s'", value);
}

/* Moves a flag of Megatron and its values over to cli->megatron. */
static void scan_megatron(struct cli *cli, struct scan *scan, const char *flag, int arity, struct errors *errors)
{
    const char *equals = strchr(scan->argv[scan->at], '='), *value = equals ? equals + 1 : NULL;
    cli->megatron[cli->megatron_count++] = scan->argv[scan->at];
    int values = equals ? 0 : arity == MEGATRON_SEVERAL ? scan->argc : arity;
    while (values-- > 0 && scan->at + 1 < scan->argc && strncmp(scan->argv[scan->at + 1], "--", 2) != 0) {
        cli->megatron[cli->megatron_count++] = scan->argv[++scan->at];
        value = value && !*value ? value : scan->argv[scan->at];
    }
    check_megatron(flag, arity, value, errors);
}

static bool is_truth(const char *word)
{
    return word && (strcmp(word, "true") == 0 || strcmp(word, "false") == 0);
}

/* Adds a plan key as `--set` does; its value is `attached`, the next word, or for a switch without one `true`. */
static void take_key(struct cli *cli, struct scan *scan, const char *key, bool is_switch, const char *attached,
                     struct errors *errors)
{
    char *next = scan->at + 1 < scan->argc ? scan->argv[scan->at + 1] : NULL;
    bool has_next = next && (!is_switch || is_truth(next));
    const char *value = attached ? attached : has_next ? next : is_switch ? "true" : "";
    scan->at += !attached && has_next;
    if (!*value) {
        char *label = xasprintf("--%s", key);
        errors_add(errors, program, 0, label, "needs a value; write %s VALUE", label);
        free(label);
        return;
    }
    refuse_setting(key, value, errors);
    keyvals_add(&cli->settings, key, value, 0);
}

/* The name of an option as that of a plan key, in fresh memory: `num-layers` is num_layers. */
static char *key_name(const char *name, size_t length)
{
    char *key = xstrndup(name, length);
    for (char *at = key; *at; at++)
        *at = *at == '-' ? '_' : (char)tolower((unsigned char)*at);
    return key;
}

/* A plan key as an option: `--tp 8` is `--set tp=8`, `--sp` is `--set sp=true`. Returns false for other names. */
static bool scan_key(struct cli *cli, struct scan *scan, const char *name, size_t length, struct errors *errors)
{
    char *key = key_name(name, length);
    int id = param_find_alias(key);
    bool is_key = id >= 0 || param_names_gpus(key);
    if (is_key) {
        scan->key = scan->argv[scan->at] + 2;
        take_key(cli, scan, key, id >= 0 && param_rows[id].type == TYPE_BOOL, name[length] ? name + length + 1 : NULL,
                 errors);
    }
    free(key);
    return is_key;
}

/*
 * Whether a flag of Megatron is better read as the plan key of that name: the flag sets no key, or another than of
 * reinforcement learning, or it is a switch that is given a value.
 */
static bool means_key(const struct scan *scan, const char *flag, int arity)
{
    const char *word = scan->argv[scan->at], *next = scan->at + 1 < scan->argc ? scan->argv[scan->at + 1] : NULL;
    char *key = key_name(flag + 2, strlen(flag + 2));
    int id = param_find_alias(key);
    free(key);
    if (id < 0)
        return false;
    return !megatron_flag_key(flag) || param_rows[id].group_id == GROUP_rl ||
           (arity == 0 && (strchr(word, '=') || is_truth(next)));
}

static void scan_long(struct cli *cli, struct scan *scan, struct errors *errors)
{
    const char *word = scan->argv[scan->at], *name = word + 2;
    size_t length = strcspn(name, "=");
    int id = find_option(name, length), arity = 0;
    if (id >= 0) {
        scan_option(cli, scan, id, name[length] ? name + length + 1 : NULL, errors);
        return;
    }
    char *flag = xstrndup(word, length + 2);
    if (megatron_flag_known(flag, &arity) && !means_key(scan, flag, arity))
        scan_megatron(cli, scan, flag, arity, errors);
    else if (!scan_key(cli, scan, name, length, errors))
        refuse_option(name, length, errors);
    free(flag);
}

/* `-q`, `-qv`, `-o FILE`, `-oFILE`. */
static void scan_short(struct cli *cli, struct scan *scan, struct errors *errors)
{
    if (refuse_letters(scan->argv[scan->at], errors))
        return;
    for (const char *p = scan->argv[scan->at] + 1; *p; p++) {
        int id = find_letter(*p);
        if (id < 0) {
            char label[3] = {'-', *p, '\0'};
            if (find_option(scan->argv[scan->at] + 1, strcspn(scan->argv[scan->at] + 1, "=")) >= 0)
                errors_add(errors, program, 0, label, "is not an option; did you mean -%s?", scan->argv[scan->at]);
            else
                errors_add(errors, program, 0, label, "is not an option; see shardtop --help");
            return;
        }
        bool takes_rest = cli_options[id].argument && p[1];
        scan_option(cli, scan, id, takes_rest ? p + 1 : NULL, errors);
        if (cli_options[id].argument)
            return;
    }
}

/* Whether arguments can follow a file: a launch script, or a stream, which is not read yet. */
static bool may_be_script(const char *word)
{
    struct errors ignored = {0};
    size_t size;
    if (strcmp(word, "-") == 0 || file_is_fifo(word))
        return true;
    char *text = access(word, F_OK) == 0 ? file_read(word, &size, &ignored) : NULL;
    bool is_script = text && cli_takes_arguments(plan_recognise(text, size));
    free(text);
    errors_free(&ignored);
    return is_script;
}

/* Whether the words behind `--` belong to a script before it, or to the completion of a command line. */
static bool has_script(const struct cli *cli)
{
    if (cli->word_count > 0 && strcmp(cli->words[0], cli_verbs[VERB_COMPLETION].name) == 0)
        return true;
    for (int i = 0; i < cli->word_count; i++)
        if (may_be_script(cli->words[i]))
            return true;
    return false;
}

static void scan_operand(struct cli *cli, char *word, struct errors *errors)
{
    if (*word)
        cli->words[cli->word_count++] = word;
    else
        errors_add(errors, program, 0, NULL, "empty argument; is a variable of the shell unset?");
}

static void scan_words(struct cli *cli, struct scan *scan, struct errors *errors)
{
    bool is_over = false;
    for (scan->at = 1; scan->at < scan->argc; scan->at++) {
        char *word = scan->argv[scan->at];
        if (!is_over && strcmp(word, "--") == 0 && has_script(cli)) {
            cli->arguments = scan->argv + scan->at + 1;
            cli->argument_count = scan->argc - scan->at - 1;
            return;
        }
        if (!is_over && strcmp(word, "--") == 0)
            is_over = true;
        else if (!is_over && strncmp(word, "--", 2) == 0)
            scan_long(cli, scan, errors);
        else if (!is_over && word[0] == '-' && word[1])
            scan_short(cli, scan, errors);
        else
            scan_operand(cli, word, errors);
    }
}

static void drop_word(struct cli *cli, int at)
{
    memmove(cli->words + at, cli->words + at + 1, (size_t)(cli->word_count - at - 1) * sizeof *cli->words);
    cli->word_count--;
}

/* Takes the verb off the words. */
static void find_verb(struct cli *cli)
{
    const char *first = cli->word_count ? cli->words[0] : "";
    for (int i = VERB_SCREEN + 1; i < VERB_COUNT; i++)
        if (strcmp(first, cli_verbs[i].name) == 0) {
            cli->verb = (enum cli_verb_id)i;
            drop_word(cli, 0);
            return;
        }
}

/* The file of `--patch` is read before the others, unless it is named among them. */
static void add_patched(struct cli *cli)
{
    for (int i = 0; i < cli->word_count; i++)
        if (strcmp(cli->words[i], cli->patch) == 0) {
            cli->patch = cli->words[i];
            return;
        }
    memmove(cli->words + 1, cli->words, (size_t)cli->word_count++ * sizeof *cli->words);
    cli->words[0] = (char *)cli->patch;
}

/* Refuses options that do not belong to the verb, unless a key of the plan is called the same: `show --nodes 4`. */
static void check_places(struct cli *cli, const struct scan *scan, struct errors *errors)
{
    const char *verb = cli->verb == VERB_SCREEN ? "the screen" : cli_verbs[cli->verb].name;
    bool has_plan = (PLAN | RUNS) & 1u << cli->verb;
    for (int i = 0; i < OPTIONS; i++) {
        const struct cli_option *it = &cli_options[i];
        if (!scan->given[i] || it->verbs & 1u << cli->verb)
            continue;
        if (has_plan && it->argument && !it->take && suggest_key(it->name, strlen(it->name)) >= 0)
            keyvals_add(&cli->settings, it->name, *(const char **)((char *)cli + it->slot), 0);
        else
            refuse_place(it->name, verb, errors);
    }
    if (scan->key && !has_plan)
        refuse_place(scan->key, verb, errors);
}

/* Refuses options that do not go together, or of which one would do nothing. */
static void check_combinations(const struct cli *cli, struct errors *errors)
{
    const int pictures = cli->svg + cli->trace + cli->html;
    const bool is_show = cli->verb == VERB_SHOW, has_section = cli->report.section != SECTION_ALL;
    const bool is_table = cli->report.format == REPORT_CSV || cli->report.format == REPORT_MARKDOWN;
    const bool has_frameworks = cli->frameworks && strchr(cli->frameworks, ',');
    const bool is_figure = cli->report.format != REPORT_TEXT && pictures > 0;
    const struct {
        bool is_wrong;
        const char *option, *why;
    } rows[] = {
        {cli->verb == VERB_BATCH && cli->word_count, "batch", "takes no files; give the lines on standard input"},
        {cli->apply && !cli->patch, "--apply", "needs a file to change; add --patch FILE"},
        {cli->to && cli->patch, "--patch", "changes a file, --to writes a new one; leave out one of them"},
        {cli->strict && !cli->check, "--strict", "needs --check"},
        {cli->sure > 0 && !cli->check && cli->verb != VERB_GOAL, "--sure", "needs --check"},
        {cli->check && cli->restore && !*cli->restore, "--restore", "lists plans and checks none; write --restore N"},
        {cli->keys && !cli->width, "--keys", "needs a screen to play on; add --screen 120x40"},
        {is_figure || pictures > 1, cli->trace ? "--trace" : cli->html ? "--html" : "--svg",
         "is a format of its own; leave out the other one"},
        {(is_table || pictures > 0) && cli->check, "--check",
         "prints one line or, with --json, an object; leave out the other format"},
        {is_show && has_section && (cli->check || cli->html || cli->trace || cli->estimator), "--section",
         "is a part of the report; leave out --check, --html, --trace or --estimator"},
        {cli->estimator && (is_table || pictures > 0), "--estimator",
         "prints text or --json; leave out the other format"},
        {has_frameworks && (!is_show || cli->html || cli->trace), "--framework",
         "takes one framework here; only show compares several"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (rows[i].is_wrong)
            errors_add(errors, program, 0, rows[i].option, "%s", rows[i].why);
}

/* Options that do not belong to the verb; a report option alone means `show`. */
static void check_verb(struct cli *cli, const struct scan *scan, struct errors *errors)
{
    if (cli->verb == VERB_SCREEN && cli->output && !cli->width)
        cli->verb = VERB_SHOW;
    for (int i = 0; i < OPTIONS && cli->verb == VERB_SCREEN; i++)
        if (scan->given[i] && !(cli_options[i].verbs & SCREEN) && (cli_options[i].verbs & REPORT))
            cli->verb = VERB_SHOW;
    check_places(cli, scan, errors);
    check_combinations(cli, errors);
}

int cli_parse(struct cli *cli, int argc, char **argv, struct errors *errors)
{
    struct scan scan = {.argc = argc, .argv = argv};
    size_t faults = errors->faults;
    cli->words = xmalloc((size_t)argc * sizeof *cli->words);
    cli->megatron = xmalloc((size_t)argc * sizeof *cli->megatron);
    scan_words(cli, &scan, errors);
    find_verb(cli);
    if (cli->verb == VERB_GOAL && cli->word_count > 0) {
        cli->goal = cli->words[0];
        drop_word(cli, 0);
    }
    if (cli->patch)
        add_patched(cli);
    if (!errors_any(errors) && !cli->help && !cli->version) {
        check_verb(cli, &scan, errors);
        refuse_words(cli, errors);
    }
    return errors->faults > faults ? -1 : 0;
}

void cli_free(struct cli *cli)
{
    free(cli->words);
    free(cli->megatron);
    keyvals_free(&cli->settings);
    keyvals_free(&cli->values);
    keyvals_free(&cli->where);
    keyvals_free(&cli->env);
    cli_made_free(&cli->made);
    *cli = (struct cli){0};
}
