#include "src/cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/estimate/estimate.h"
#include "core/explain/explain.h"
#include "core/plan/nearest.h"
#include "core/plan/number.h"
#include "core/plan/param.h"
#include "src/cli/batch.h"
#include "src/cli/compare.h"
#include "src/cli/completion.h"
#include "src/cli/host.h"
#include "src/cli/list.h"
#include "src/cli/man.h"
#include "src/cli/search.h"
#include "src/export/export.h"
#include "src/import/import.h"
#include "src/import/megatron.h"
#include "src/plan/plan_io.h"
#include "src/plan/preset.h"
#include "src/plan/reference_plan.h"
#include "src/report/reference.h"
#include "src/report/svg.h"
#include "src/runs/calibrate.h"
#include "src/runs/validate.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "src/text/write.h"
#include "ui/ui.h"

static const char program[] = "shardtop";

/* ---- tables -------------------------------------------------------------------------------------------------------- */

const struct cli_verb cli_verbs[VERB_COUNT] = {
    [VERB_SCREEN] = {"", "[FILE...]", "open the interactive screen",
                     "Where standard output is no terminal, print what show prints."},
    [VERB_SHOW] = {"show", "[FILE...]", "print the report",
                   "Layers, memory of each stage, device grid, communication and time."},
    [VERB_EXPLAIN] = {"explain", "[FILE...] VALUE", "open one number of the report",
                      "VALUE is a path of the report such as memory.stages.0.activations_bytes, or its last part where "
                      "that is unique: the formula, the same with values, its source and what it leaves out."},
    [VERB_IMPORT] = {"import", "FILE...", "print any file that is understood as a plan",
                     "Flags and keys that do not change the estimate are listed on standard error."},
    [VERB_EXPORT] = {"export", "[FILE...] --to megatron|nanotron|deepspeed|hf", "print launch flags or a configuration for a framework",
                     "What the format cannot say is listed on standard error, with the keys to give beside the file."},
    [VERB_SEARCH] = {"search", "[FILE...] --objective size", "the largest model that fits a layout",
                     "Layers are added until the fullest GPU has no room; width, layout and hardware stay. Exit status 1 when no "
                     "depth fits."},
    [VERB_COMPARE] = {"compare", "--estimators [FILE...]", "our values beside those of published estimators",
                      "Each quantity with the difference and its reason."},
    [VERB_BATCH] = {"batch", "", "answer JSON lines from standard input",
                    "A line is {\"id\", \"plan\": {key: value}} or {\"id\", \"estimator\", \"fn\", \"inputs\"}; the answers come "
                    "in order, one a line."},
    [VERB_VALIDATE] = {"validate", "RUNS.csv|LOG...", "estimate measured runs and print the errors",
                       "A table has a row for each run: id, source, plan keys in dotted form, measured.* columns, tags. Logs "
                       "of Megatron, DeepSpeed and nanotron are taken beside a plan."},
    [VERB_CALIBRATE] = {"calibrate", "RUNS.csv|LOG...", "fit the efficiencies of a device to measured runs",
                        "Prints a hardware file; the error before and after goes to standard error. Values stay as shipped "
                        "where the runs call for no change."},
    [VERB_LIST] = {"list", "models|gpus|clusters|plans|frameworks|constants|estimators|schedules|themes|keys", "print what there is",
                   "Own files in the configuration folder are listed with those that are compiled in."},
    [VERB_MAN] = {"man", "", "print the manual page", "In mdoc, to be read with man -l or mandoc."},
    [VERB_COMPLETION] = {"completion", "bash|zsh|fish", "print a completion script", "To be read by the shell at its start."},
};

#define V(verb)  (1u << VERB_##verb)
#define SCREEN   V(SCREEN)
#define REPORT   V(SHOW)
#define PLAN     (SCREEN | REPORT | V(EXPLAIN) | V(IMPORT) | V(EXPORT) | V(SEARCH) | V(COMPARE))
#define RUNS     (V(VALIDATE) | V(CALIBRATE))
#define OUTPUT   (REPORT | V(EXPLAIN) | V(IMPORT) | V(EXPORT) | V(SEARCH) | V(COMPARE) | RUNS | V(LIST) | V(MAN) | V(COMPLETION))
#define ANY      (~0u) /* what only the screen or a colour minds is taken everywhere, so that an alias may hold it */

enum option_id {
    OPTION_set, OPTION_model, OPTION_gpu, OPTION_gpus, OPTION_framework, OPTION_estimator, OPTION_estimators, OPTION_to, OPTION_objective, OPTION_top, OPTION_restore, OPTION_json, OPTION_csv,
    OPTION_markdown, OPTION_svg, OPTION_tags, OPTION_by, OPTION_ranking, OPTION_section, OPTION_full, OPTION_check, OPTION_output, OPTION_color, OPTION_ascii, OPTION_theme,
    OPTION_screen, OPTION_keys, OPTION_plain, OPTION_no_mouse, OPTION_term, OPTION_present, OPTION_slow, OPTION_quiet,
    OPTION_verbose, OPTION_help, OPTION_version, OPTION_COUNT
};

const struct cli_option cli_options[] = {
    [OPTION_set] = {"set", 0, "KEY=VALUE", "set one plan key; may be repeated, the last wins", PLAN | RUNS, WORDS_KEYS, NULL},
    [OPTION_model] = {"model", 0, "NAME|FILE", "take the model from a preset or a file", PLAN, WORDS_MODELS, NULL},
    [OPTION_gpu] = {"gpu", 0, "NAME", "take the device from a preset", PLAN | RUNS, WORDS_GPUS, NULL},
    [OPTION_gpus] = {"gpus", 0, "N", "number of GPUs: one node of N, or as many full nodes as that makes", PLAN, WORDS_NONE, NULL},
    [OPTION_framework] = {"framework", 0, "NAME[,NAME...]", "framework; show puts several side by side", PLAN | RUNS, WORDS_FRAMEWORKS, NULL},
    [OPTION_estimator] = {"estimator", 0, "NAME", "answer as a published estimator does; the plan's keys are mapped to its inputs", REPORT, WORDS_ESTIMATORS, NULL},
    [OPTION_estimators] = {"estimators", 0, NULL, "compare with the published estimators", V(COMPARE), WORDS_NONE, NULL},
    [OPTION_to] = {"to", 0, "NAME", "framework to write for", V(EXPORT), WORDS_EXPORTS, NULL},
    [OPTION_objective] = {"objective", 0, "NAME", "what is best: size, the most layers", V(SEARCH), WORDS_CHOICES, "size"},
    [OPTION_top] = {"top", 0, "K", "how many to print, 5 unless told", V(SEARCH), WORDS_NONE, NULL},
    [OPTION_restore] = {"restore", 0, NULL, "begin with the plan of the last session", PLAN, WORDS_NONE, NULL},
    [OPTION_json] = {"json", 0, NULL, "print JSON", REPORT | V(EXPLAIN) | V(LIST) | V(VALIDATE) | V(COMPARE) | V(SEARCH), WORDS_NONE, NULL},
    [OPTION_csv] = {"csv", 0, NULL, "print CSV", REPORT | V(VALIDATE) | V(SEARCH), WORDS_NONE, NULL},
    [OPTION_markdown] = {"markdown", 0, NULL, "print Markdown", REPORT, WORDS_NONE, NULL},
    [OPTION_svg] = {"svg", 0, NULL, "print a figure for slides: memory bars (--section memory) or the schedule (--section time)", REPORT, WORDS_NONE, NULL},
    [OPTION_tags] = {"tags", 0, "TAG,...", "only runs with all of these tags; -TAG leaves runs out", RUNS, WORDS_NONE, NULL},
    [OPTION_by] = {"by", 0, "COLUMN", "sum up by a column too: family, source or a plan key", V(VALIDATE), WORDS_KEYS, NULL},
    [OPTION_ranking] = {"ranking", 0, NULL, "how well layouts of the same model and GPUs are put in order", V(VALIDATE), WORDS_NONE, NULL},
    [OPTION_section] = {"section", 0, "NAME", "print one section of the report", REPORT, WORDS_SECTIONS, NULL},
    [OPTION_full] = {"full", 0, NULL, "print every group and rank, however many", REPORT, WORDS_NONE, NULL},
    [OPTION_check] = {"check", 0, NULL, "print one line; exit with 0 when the plan fits, with 1 when it does not", REPORT, WORDS_NONE, NULL},
    [OPTION_output] = {"output", 'o', "FILE", "write to FILE instead of standard output", OUTPUT, WORDS_FILE, NULL},
    [OPTION_color] = {"color", 0, "WHEN", "colours: auto, always or never", ANY, WORDS_CHOICES, "auto always never"},
    [OPTION_ascii] = {"ascii", 0, NULL, "use no characters beyond ASCII", ANY, WORDS_NONE, NULL},
    [OPTION_theme] = {"theme", 0, "NAME", "colour theme of the screen", ANY, WORDS_THEMES, NULL},
    [OPTION_screen] = {"screen", 0, "WxH", "draw the screen as W columns and H lines of text, without a terminal", SCREEN, WORDS_NONE, NULL},
    [OPTION_keys] = {"keys", 0, "KEYS", "keys to play before the screen is drawn, separated by blanks", SCREEN, WORDS_NONE, NULL},
    [OPTION_plain] = {"plain", 0, NULL, "line mode for screen readers and logs", SCREEN, WORDS_NONE, NULL},
    [OPTION_no_mouse] = {"no-mouse", 0, NULL, "leave the mouse to the terminal", ANY, WORDS_NONE, NULL},
    [OPTION_term] = {"term", 0, "NAME", "terminal type instead of $TERM", ANY, WORDS_NONE, NULL},
    [OPTION_present] = {"present", 0, NULL, "for an audience: larger gaps, one view at a time", ANY, WORDS_NONE, NULL},
    [OPTION_slow] = {"slow", 0, NULL, "for slow lines: few colours, one pane at a time, fewer redraws", ANY, WORDS_NONE, NULL},
    [OPTION_quiet] = {"quiet", 'q', NULL, "no remarks on standard error", ANY, WORDS_NONE, NULL},
    [OPTION_verbose] = {"verbose", 'v', NULL, "say what each file was taken for", ANY, WORDS_NONE, NULL},
    [OPTION_help] = {"help", 'h', NULL, "print this help", ANY, WORDS_NONE, NULL},
    [OPTION_version] = {"version", 0, NULL, "print the version", ANY, WORDS_NONE, NULL},
};
const size_t cli_option_count = sizeof cli_options / sizeof *cli_options;
_Static_assert(sizeof cli_options / sizeof *cli_options == OPTION_COUNT, "every option has a row");

/* Verbs and options that a later version has; refused by name, so that a script learns why. */
static const char *const later_verbs[] = {"sweep"};
static const char *const later_options[] = {"free", "metric"};

/* ---- reading the command line ---------------------------------------------------------------------------------------- */

/* Reads `120x40`. */
static int parse_size(struct cli *cli, const char *text, struct errors *errors)
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
    if (!is_good) {
        errors_add(errors, program, 0, "--screen", "'%.40s' is not a size; write columns and lines such as 120x40", text);
        return -1;
    }
    cli->width = (int)width;
    cli->height = (int)height;
    return 0;
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
        errors_add(errors, program, 0, "--top", "'%.40s' is not a number of results; write one from 1 to %d", text, TOP_MAX);
    cli->top = (int)top;
}

static void parse_objective(struct cli *cli, const char *text, struct errors *errors)
{
    if (strcmp(text, "time") == 0 || strcmp(text, "memory") == 0 || strcmp(text, "cost") == 0)
        errors_add(errors, program, 0, "--objective", "%s is not available in this version; use size", text);
    else if (strcmp(text, "size") != 0)
        errors_add(errors, program, 0, "--objective", "'%.40s' is not an objective; use size", text);
    cli->objective = text;
}

static void parse_setting(struct cli *cli, const char *text, struct errors *errors)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text) {
        errors_add(errors, program, 0, "--set", "'%.60s' has no key and value; write --set KEY=VALUE", text);
        return;
    }
    char *key = xstrndup(text, (size_t)(equals - text));
    keyvals_add(&cli->settings, key, equals + 1, 0);
    free(key);
}

static void parse_format(struct cli *cli, enum report_format format, struct errors *errors)
{
    if (cli->report.format != REPORT_TEXT && cli->report.format != format)
        errors_add(errors, program, 0, NULL, "--json, --csv and --markdown exclude each other; give one of them");
    cli->report.format = format;
    cli->json = format == REPORT_JSON;
}

/* The first name of `--framework a,b` is the plan's. */
static void parse_frameworks(struct cli *cli, const char *text)
{
    char *first = xstrndup(text, strcspn(text, ","));
    keyvals_add(&cli->settings, "framework.name", first, 0);
    free(first);
    cli->frameworks = text;
}

static void take_option(struct cli *cli, enum option_id id, const char *argument, struct errors *errors)
{
    switch (id) {
    case OPTION_set: parse_setting(cli, argument, errors); break;
    case OPTION_model: cli->model = argument; break;
    case OPTION_gpu: keyvals_add(&cli->settings, "hardware.gpu", argument, 0); break;
    case OPTION_gpus: cli->gpus = argument; break;
    case OPTION_framework: parse_frameworks(cli, argument); break;
    case OPTION_restore: cli->restore = true; break;
    case OPTION_json: parse_format(cli, REPORT_JSON, errors); break;
    case OPTION_csv: parse_format(cli, REPORT_CSV, errors); break;
    case OPTION_markdown: parse_format(cli, REPORT_MARKDOWN, errors); break;
    case OPTION_svg: cli->svg = true; break;
    case OPTION_estimator: cli->estimator = argument; break;
    case OPTION_estimators: cli->estimators = true; break;
    case OPTION_to: cli->to = argument; break;
    case OPTION_objective: parse_objective(cli, argument, errors); break;
    case OPTION_top: parse_top(cli, argument, errors); break;
    case OPTION_tags: cli->tags = argument; break;
    case OPTION_by: cli->by = argument; break;
    case OPTION_ranking: cli->ranking = true; break;
    case OPTION_section: parse_section(cli, argument, errors); break;
    case OPTION_full: cli->report.full = true; break;
    case OPTION_check: cli->check = true; break;
    case OPTION_output: cli->output = argument; break;
    case OPTION_color: parse_color(cli, argument, errors); break;
    case OPTION_ascii: cli->report.ascii = true; break;
    case OPTION_theme: cli->theme = argument; break;
    case OPTION_screen: parse_size(cli, argument, errors); break;
    case OPTION_keys: cli->keys = argument; break;
    case OPTION_plain: cli->plain = true; break;
    case OPTION_no_mouse: cli->no_mouse = true; break;
    case OPTION_term: cli->term = argument; break;
    case OPTION_present: cli->present = true; break;
    case OPTION_slow: cli->slow = true; break;
    case OPTION_quiet: cli->quiet = true; break;
    case OPTION_verbose: cli->verbose = true; break;
    case OPTION_help: cli->help = true; break;
    case OPTION_version: cli->version = true; break;
    case OPTION_COUNT: break;
    }
}

/* Progress through argv. */
struct scan {
    int argc, at;
    char **argv;
    unsigned given[OPTION_COUNT];
};

static int find_option(const char *name, size_t length)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (strlen(cli_options[i].name) == length && strncmp(cli_options[i].name, name, length) == 0)
            return i;
    return -1;
}

static int find_letter(char letter)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (cli_options[i].letter == letter)
            return i;
    return -1;
}

/* Takes option `id`; its argument is `attached` or the next word. */
static void scan_option(struct cli *cli, struct scan *scan, int id, const char *attached, struct errors *errors)
{
    const struct cli_option *option = &cli_options[id];
    char label[32];
    snprintf(label, sizeof label, "--%s", option->name);
    scan->given[id] = 1;
    if (!option->argument && attached)
        errors_add(errors, program, 0, label, "takes no value; leave out '=%.40s'", attached);
    else if (option->argument && !attached && scan->at + 1 >= scan->argc)
        errors_add(errors, program, 0, label, "needs a value; write --%s %s", option->name, option->argument);
    else
        take_option(cli, (enum option_id)id, !option->argument ? NULL : attached ? attached : scan->argv[++scan->at], errors);
}

/* Moves a flag of Megatron and its values over to cli->megatron. */
static void scan_megatron(struct cli *cli, struct scan *scan, int arity)
{
    bool has_value = strchr(scan->argv[scan->at], '=') != NULL;
    cli->megatron[cli->megatron_count++] = scan->argv[scan->at];
    int values = has_value ? 0 : arity == MEGATRON_SEVERAL ? scan->argc : arity;
    while (values-- > 0 && scan->at + 1 < scan->argc) {
        if (arity == MEGATRON_SEVERAL && strncmp(scan->argv[scan->at + 1], "--", 2) == 0)
            break;
        cli->megatron[cli->megatron_count++] = scan->argv[++scan->at];
    }
}

/* The known option nearest to `--name`, ours before Megatron's. */
static const char *nearest_option(const char *name, size_t length)
{
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)(length < 63 ? length : 63), name);
    struct nearest nearest = {.typed = text};
    for (int i = 0; i < OPTION_COUNT; i++)
        nearest_offer(&nearest, cli_options[i].name, cli_options[i].name);
    for (size_t i = 0; megatron_flag_name(i); i++)
        nearest_offer(&nearest, megatron_flag_name(i), megatron_flag_name(i));
    return nearest.name[0];
}

static bool is_later(const char *const *list, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], word) == 0)
            return true;
    return false;
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
    if (is_later(later_options, sizeof later_options / sizeof *later_options, flag + 2)) {
        errors_add(errors, program, 0, flag, "not available in this version");
    } else if (megatron_flag_known(flag, &arity)) {
        scan_megatron(cli, scan, arity);
    } else {
        const char *near = nearest_option(name, length);
        if (near)
            errors_add(errors, program, 0, flag, "is not an option; did you mean --%s?", near);
        else
            errors_add(errors, program, 0, flag, "is not an option; see shardtop --help");
    }
    free(flag);
}

/* `-q`, `-qv`, `-o FILE`, `-oFILE`. */
static void scan_short(struct cli *cli, struct scan *scan, struct errors *errors)
{
    for (const char *p = scan->argv[scan->at] + 1; *p; p++) {
        int id = find_letter(*p);
        if (id < 0) {
            char label[3] = {'-', *p, '\0'};
            errors_add(errors, program, 0, label, "is not an option; see shardtop --help");
            return;
        }
        bool takes_rest = cli_options[id].argument && p[1];
        scan_option(cli, scan, id, takes_rest ? p + 1 : NULL, errors);
        if (cli_options[id].argument)
            return;
    }
}

static void scan_words(struct cli *cli, struct scan *scan, struct errors *errors)
{
    bool is_over = false;
    for (scan->at = 1; scan->at < scan->argc; scan->at++) {
        char *word = scan->argv[scan->at];
        if (!is_over && strcmp(word, "--") == 0)
            is_over = true;
        else if (!is_over && strncmp(word, "--", 2) == 0)
            scan_long(cli, scan, errors);
        else if (!is_over && word[0] == '-' && word[1])
            scan_short(cli, scan, errors);
        else
            cli->words[cli->word_count++] = word;
    }
}

static void drop_word(struct cli *cli, int at)
{
    memmove(cli->words + at, cli->words + at + 1, (size_t)(cli->word_count - at - 1) * sizeof *cli->words);
    cli->word_count--;
}

/* Takes the verb off the words. */
static void find_verb(struct cli *cli, struct errors *errors)
{
    const char *first = cli->word_count ? cli->words[0] : "";
    if (is_later(later_verbs, sizeof later_verbs / sizeof *later_verbs, first) && access(first, F_OK) != 0)
        errors_add(errors, program, 0, first, "not available in this version");
    for (int i = VERB_SCREEN + 1; i < VERB_COUNT; i++)
        if (strcmp(first, cli_verbs[i].name) == 0) {
            cli->verb = (enum cli_verb_id)i;
            drop_word(cli, 0);
            return;
        }
}

/* A word that is no file may be a verb with a slip in it. */
static void check_slip(const struct cli *cli, struct errors *errors)
{
    const char *first = cli->word_count ? cli->words[0] : "";
    bool is_other = cli->verb != VERB_SCREEN || !*first || strcmp(first, "-") == 0 || strchr(first, '.') ||
                    strchr(first, '/') || access(first, F_OK) == 0 || preset_known(PRESET_PLAN, first);
    for (int i = VERB_SCREEN + 1; i < VERB_COUNT && !is_other; i++)
        if (text_distance(first, cli_verbs[i].name) <= 2) {
            errors_add(errors, program, 0, first, "is no file and no command; did you mean %s?", cli_verbs[i].name);
            return;
        }
}

/* Options that do not belong to the verb; a report option alone means `show`. */
static void check_verb(struct cli *cli, const struct scan *scan, struct errors *errors)
{
    for (int i = 0; i < OPTION_COUNT && cli->verb == VERB_SCREEN; i++)
        if (scan->given[i] && !(cli_options[i].verbs & SCREEN) && (cli_options[i].verbs & REPORT))
            cli->verb = VERB_SHOW;
    for (int i = 0; i < OPTION_COUNT; i++) {
        char label[32];
        snprintf(label, sizeof label, "--%s", cli_options[i].name);
        if (scan->given[i] && !(cli_options[i].verbs & 1u << cli->verb))
            errors_add(errors, program, 0, label, "does not go with %s; leave it out",
                       cli->verb == VERB_SCREEN ? "the screen" : cli_verbs[cli->verb].name);
    }
    if (cli->verb == VERB_BATCH && cli->word_count)
        errors_add(errors, program, 0, "batch", "takes no files; give the lines on standard input");
    if (cli->keys && !cli->width)
        errors_add(errors, program, 0, "--keys", "needs a screen to play on; add --screen 120x40");
    if (cli->report.format != REPORT_TEXT && cli->svg)
        errors_add(errors, program, 0, "--svg", "is a format of its own; leave out the other one");
    if ((cli->report.format != REPORT_TEXT || cli->svg) && cli->check)
        errors_add(errors, program, 0, "--check", "prints one line; leave out the other format");
}

int cli_parse(struct cli *cli, int argc, char **argv, struct errors *errors)
{
    struct scan scan = {.argc = argc, .argv = argv};
    size_t faults = errors->faults;
    cli->words = xmalloc((size_t)argc * sizeof *cli->words);
    cli->megatron = xmalloc((size_t)argc * sizeof *cli->megatron);
    scan_words(cli, &scan, errors);
    find_verb(cli, errors);
    if (!errors_any(errors) && !cli->help && !cli->version) {
        check_verb(cli, &scan, errors);
        check_slip(cli, errors);
    }
    return errors->faults > faults ? -1 : 0;
}

void cli_free(struct cli *cli)
{
    free(cli->words);
    free(cli->megatron);
    keyvals_free(&cli->settings);
    *cli = (struct cli){0};
}

/* ---- the plan that is asked for -------------------------------------------------------------------------------------- */

/* Files in order. The training script's own name between Megatron's flags is passed over. */
static void load_files(const struct cli *cli, int count, struct plan *plan, const char **path, struct errors *errors)
{
    for (int i = 0; i < count; i++) {
        enum plan_kind kind = KIND_UNKNOWN;
        if (cli->megatron_count && text_ends_with(cli->words[i], ".py"))
            continue;
        int result = plan_load(plan, cli->words[i], &kind, errors);
        if (cli->verbose && result == 0)
            errors_note(errors, cli->words[i], 0, NULL, "is taken for %s",
                        kind == KIND_UNKNOWN ? "the shipped plan of that name" : plan_kind_names[kind]);
        if (path && count == 1 && kind == KIND_YAML && strcmp(cli->words[i], "-") != 0)
            *path = cli->words[i];
    }
}

static void load_session(struct plan *plan, struct errors *errors)
{
    char *path = host_session_path();
    if (path && access(path, F_OK) == 0)
        plan_load(plan, path, NULL, errors);
    else
        errors_add(errors, program, 0, "--restore", "there is no last session; open a FILE instead");
    free(path);
}

static void apply_megatron(const struct cli *cli, struct plan *plan, struct errors *errors)
{
    struct import import = {0};
    int *rest = xmalloc((size_t)cli->megatron_count * sizeof *rest + sizeof *rest);
    int left = megatron_arguments(cli->megatron_count, cli->megatron, &import, rest, errors);
    for (int i = 0; i < left; i++)
        errors_add(errors, program, 0, cli->megatron[rest[i]], "is not an option or a value of one; see shardtop --help");
    if (!errors_any(errors))
        plan_apply_import(plan, &import, program, FROM_SET, errors);
    free(rest);
    import_free(&import);
}

/* `--gpus N`: one node of N, or full nodes. */
static void apply_gpus(const char *text, struct plan *plan, struct errors *errors)
{
    struct plan resolved;
    struct keyvals list = {0};
    char why[NUMBER_WHY_MAX], nodes[40], per_node[40];
    double n;
    if (number_parse(text, SUFFIX_PLAIN, NULL, NULL, &n, why) != 0 || !(n >= 1 && n <= 1e9) || n != floor(n)) {
        errors_add(errors, program, 0, "--gpus", "'%.40s' is not a number of GPUs; write a whole number such as 16", text);
        return;
    }
    plan_resolve(plan, &resolved);
    double size = resolved.value[PARAM_hardware_gpus_per_node];
    size = isnan(size) || n < size ? n : size;
    if (fmod(n, size) != 0) {
        errors_add(errors, program, 0, "--gpus", "%.0f does not fill nodes of %.0f GPUs; try %.0f or %.0f", n, size,
                   floor(n / size) * size, ceil(n / size) * size);
        return;
    }
    number_print(n / size, nodes, sizeof nodes);
    number_print(size, per_node, sizeof per_node);
    keyvals_add(&list, "hardware.nodes", nodes, 0);
    if (size != resolved.value[PARAM_hardware_gpus_per_node])
        keyvals_add(&list, "hardware.gpus_per_node", per_node, 0);
    plan_apply(plan, &list, &(struct plan_source){.file = program, .from = FROM_SET, .is_last_wins = true}, errors);
    keyvals_free(&list);
}

/* `--model`, `--set` and the like, as one list, so that a preset comes before the keys that change it. */
static void apply_settings(const struct cli *cli, struct plan *plan, struct errors *errors)
{
    struct keyvals list = {0};
    bool is_file = cli->model && !preset_known(PRESET_MODEL, cli->model) &&
                   (strcmp(cli->model, "-") == 0 || access(cli->model, F_OK) == 0);
    if (is_file)
        plan_load_model(plan, cli->model, FROM_FILE, errors);
    else if (cli->model)
        keyvals_add(&list, "model", cli->model, 0);
    for (size_t i = 0; i < cli->settings.count; i++)
        keyvals_add(&list, cli->settings.item[i].key, cli->settings.item[i].value, 0);
    const struct plan_source source = {.file = program, .from = FROM_SET, .is_last_wins = true, .is_typed = true};
    plan_apply(plan, &list, &source, errors);
    keyvals_free(&list);
}

int cli_plan(const struct cli *cli, struct plan *plan, const char **path, struct errors *errors)
{
    int files = cli->word_count - (cli->verb == VERB_EXPLAIN);
    bool is_nothing = files <= 0 && !cli->restore && !cli->megatron_count && !cli->settings.count && !cli->model && !cli->gpus;
    size_t faults = errors->faults;
    if (path)
        *path = NULL;
    plan_clear(plan);
    if (is_nothing)
        plan_load_preset(plan, "default", errors);
    if (cli->restore)
        load_session(plan, errors);
    load_files(cli, files, plan, path, errors);
    if (cli->megatron_count)
        apply_megatron(cli, plan, errors);
    apply_settings(cli, plan, errors);
    plan_finish(plan);
    if (cli->gpus)
        apply_gpus(cli->gpus, plan, errors);
    return errors->faults > faults ? -1 : 0;
}

/* ---- verbs ----------------------------------------------------------------------------------------------------------- */

static int print_output(const struct buffer *out, struct errors *errors)
{
    if (fwrite(out->text, 1, out->size, stdout) == out->size && fflush(stdout) == 0)
        return STATUS_DONE;
    errors_add(errors, "standard output", 0, NULL, "cannot be written: %s; check the disk or the pipe", strerror(errno));
    return STATUS_INTERNAL;
}

/* Writes what a verb printed to standard output or to `-o FILE`. */
static int put_output(const struct cli *cli, const struct buffer *out, struct errors *errors)
{
    enum { AS_TOOLS_DO = WRITE_DURABLE | WRITE_PATIENT };
    if (!cli->output || strcmp(cli->output, "-") == 0)
        return print_output(out, errors);
    return write_file(cli->output, out->text, out->size, AS_TOOLS_DO, errors) == 0 ? STATUS_DONE : STATUS_INTERNAL;
}

static bool wants_color(const struct cli *cli)
{
    const char *no_color = getenv("NO_COLOR");
    bool is_plain = (no_color && *no_color) || cli->output || !isatty(STDOUT_FILENO);
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
    bool is_unknown = isnan(estimate->headroom_bytes);
    return estimate->diags.errors || is_unknown ? STATUS_INPUT : estimate->fits ? STATUS_DONE : STATUS_UNFIT;
}

static int run_show(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    enum { SIDE_BY_SIDE = 16 };
    struct estimate *all[SIDE_BY_SIDE];
    int status = STATUS_DONE;
    size_t count = estimate_all(cli, plan, all, SIDE_BY_SIDE, errors);
    struct report_options options = cli->report;
    options.color = wants_color(cli);
    if (errors_any(errors)) {
        status = STATUS_INPUT;
    } else if (cli->check) {
        for (size_t i = 0; i < count; i++) {
            report_check(out, all[i]);
            int one = check_status(all[i]);
            status = one > status ? one : status;
        }
    } else if (!cli->svg) {
        report_write(out, (const struct estimate *const *)all, count, &options);
    } else if (report_svg(out, (const struct estimate *const *)all, count, options.section) != 0) {
        errors_add(errors, program, 0, "--svg", "there is no figure of %s; use --section memory or time", report_section_names[options.section]);
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
};

static void compare_path(void *context, const char *path)
{
    struct nearest_path *best = context;
    const char *last = strrchr(path, '.');
    struct nearest next = best->nearest;
    if (!nearest_offer(&next, strchr(next.typed, '.') || !last ? path : last + 1, path))
        return;
    snprintf(best->path, sizeof best->path, "%s", path);
    next.name[0] = best->path;
    next.count = 1;
    best->nearest = next;
}

static int run_explain(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    struct estimate *estimate = xmalloc(sizeof *estimate);
    struct explanation *explanation = xmalloc(sizeof *explanation);
    const char *path = cli->words[cli->word_count - 1];
    int status = STATUS_DONE;
    estimate_plan(plan, estimate);
    if (explain_value(estimate, path, explanation) == 0) {
        report_explain(out, explanation, cli->json);
    } else {
        struct nearest_path best = {.nearest = {.typed = path}};
        explain_paths(estimate, compare_path, &best);
        if (!estimate->is_computed && estimate->diags.count > 0)
            errors_add(errors, program, 0, path, "is not known for this plan: %s %s",
                       param_rows[estimate->diags.item[0].param].dotted, estimate->diags.item[0].message);
        else if (access(path, F_OK) == 0)
            errors_add(errors, program, 0, path, "is a file; name the value behind it, such as time.iteration_s");
        else if (best.path[0])
            errors_add(errors, program, 0, path, "is not a value of this report; did you mean %s?", best.path);
        else
            errors_add(errors, program, 0, path,
                       "is not a value of this report; `shardtop show --json` has them all, such as time.iteration_s");
        status = STATUS_INPUT;
    }
    free(explanation);
    free(estimate);
    return status;
}

static void screen_line(void *context, const char *text)
{
    buffer_printf(context, "%s\n", text);
}

static int run_screen(const struct cli *cli, const struct plan *plan, const char *path, struct buffer *out,
                      struct errors *errors)
{
    const char *no_color = getenv("NO_COLOR");
    struct ui_options options = {
        .plan = plan,
        .path = path,
        .theme = cli->theme,
        .term = cli->term,
        .notice = errors->count ? errors->line[0] : NULL,
        .keys = cli->keys,
        .width = cli->width,
        .height = cli->height,
        .ascii = cli->report.ascii,
        .no_color = cli->color == COLOR_NEVER || (cli->color == COLOR_AUTO && no_color && *no_color),
        .always_color = cli->color == COLOR_ALWAYS,
        .no_mouse = cli->no_mouse,
        .present = cli->present,
        .slow = cli->slow,
    };
    if (cli->width)
        return ui_screen(&host_functions, &options, screen_line, out);
    return cli->plain ? ui_plain(&host_functions, &options) : ui_run(&host_functions, &options);
}

/* The estimator of --estimator, -1 with a fault added. */
static int find_estimator(const char *name, struct errors *errors)
{
    for (int id = 0; id < REFERENCE_COUNT; id++)
        if (strcmp(reference_rows[id].name, name) == 0)
            return id;
    errors_add(errors, program, 0, "--estimator", "'%.40s' is not an estimator; `shardtop list estimators` names them", name);
    return -1;
}

/* The report of a published estimator for the plan. As llm-analysis itself does, its summary is printed and `-o` has the JSON. */
static int run_estimator(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    static struct plan resolved;
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
    bool has_file = cli->output && strcmp(cli->output, "-") != 0, is_both = id == REFERENCE_LLM && has_file && !cli->json;
    if (cli->json || is_both) {
        report_reference_json(out, answer);
        buffer_puts(out, "\n");
    }
    struct buffer text = {0};
    if (!cli->json)
        report_reference(is_both ? &text : out, &inputs, answer);
    int status = is_both && !cli->quiet ? print_output(&text, errors) : STATUS_DONE;
    buffer_free(&text);
    free(answer);
    return status;
}

/* `--help`; beside `--estimator NAME` what that one takes from a plan too. */
static int run_help(const struct cli *cli, struct buffer *out, struct errors *errors)
{
    bool is_published = cli->estimator && strcmp(cli->estimator, program) != 0;
    int id = is_published ? find_estimator(cli->estimator, errors) : -1;
    if (is_published && id < 0)
        return STATUS_INPUT;
    man_usage(out);
    if (is_published) {
        buffer_printf(out, "\nInputs that are taken from a plan, the key, and how:\n\n");
        reference_plan_help(out, (enum reference_id)id);
    }
    return STATUS_DONE;
}

static int run_compare(const struct cli *cli, const struct plan *plan, struct buffer *out)
{
    struct estimate *estimate = xmalloc(sizeof *estimate);
    estimate_plan(plan, estimate);
    compare_estimators(out, estimate, cli->json);
    free(estimate);
    return STATUS_DONE;
}

static int run_export(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    static struct plan resolved;
    exporter *write = cli->to ? export_find(cli->to) : NULL;
    if (!write) {
        struct buffer names = {0};
        for (int i = 0; export_names[i]; i++)
            buffer_printf(&names, "%s%s", i ? ", " : "", export_names[i]);
        errors_add(errors, program, 0, "--to", "%s%.40s%s; use one of %s", cli->to ? "'" : "", cli->to ? cli->to : "is not given",
                   cli->to ? "' is no framework that is written for" : "", names.text);
        buffer_free(&names);
        return STATUS_INPUT;
    }
    plan_resolve(plan, &resolved);
    return write(plan, &resolved, out, errors) == 0 ? STATUS_DONE : STATUS_INPUT;
}

static int run_search(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    enum { TOP = 5 };
    int result = search_size(out, plan, cli->top ? cli->top : TOP, cli->report.format, errors);
    return result < 0 ? STATUS_INPUT : result ? STATUS_UNFIT : STATUS_DONE;
}

/* Verbs that work on tables and logs of measured runs. */
static int run_runs(const struct cli *cli, struct buffer *out, struct errors *errors)
{
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
        return calibrate_run(&(struct calibrate_request){
            .files = files, .file_count = count, .settings = &cli->settings, .tags = cli->tags, .out = out, .errors = errors});
    return validate_run(&(struct validate_request){
        .files = files, .file_count = count, .settings = &cli->settings, .tags = cli->tags, .by = cli->by,
        .ranking = cli->ranking, .report = report, .out = out, .errors = errors});
}

/* Verbs that need no plan. */
static int run_text(const struct cli *cli, struct buffer *out, struct errors *errors)
{
    const char *word = cli->word_count == 1 ? cli->words[0] : "";
    bool is_man = cli->verb == VERB_MAN;
    if (cli->word_count != (is_man ? 0 : 1)) {
        errors_add(errors, program, 0, cli_verbs[cli->verb].name, "%s; write shardtop %s%s%s",
                   is_man ? "takes no words" : "takes one word", cli_verbs[cli->verb].name, is_man ? "" : " ",
                   cli_verbs[cli->verb].arguments);
        return STATUS_INPUT;
    }
    int result = 0;
    if (is_man)
        man_write(out);
    else if (cli->verb == VERB_LIST)
        result = list_write(out, word, cli->json, errors);
    else
        result = completion_write(out, word, errors);
    return result == 0 ? STATUS_DONE : STATUS_INPUT;
}

/* What can be refused before any file is opened. */
static int check_words(const struct cli *cli, struct errors *errors)
{
    if ((cli->verb == VERB_EXPLAIN || cli->verb == VERB_IMPORT) && cli->word_count == 0) {
        errors_add(errors, program, 0, cli_verbs[cli->verb].name, "has nothing to work on; write shardtop %s %s",
                   cli_verbs[cli->verb].name, cli_verbs[cli->verb].arguments);
        return -1;
    }
    if (cli->verb == VERB_COMPARE && !cli->estimators) {
        errors_add(errors, program, 0, "compare", "of two plans is not available in this version; add --estimators to compare "
                                                  "one plan with the published estimators");
        return -1;
    }
    if (cli->verb == VERB_SEARCH && !cli->objective) {
        errors_add(errors, program, 0, "search", "of layouts is not available in this version; add --objective size for the largest "
                                                 "model that fits this layout");
        return -1;
    }
    return 0;
}

static void print_errors(const struct cli *cli, const struct errors *errors)
{
    if (cli->quiet && !errors_any(errors))
        return;
    for (size_t i = 0; i < errors->count; i++)
        fprintf(stderr, "%s\n", errors->line[i]);
    if (errors->faults > ERRORS_MAX)
        fprintf(stderr, "%s: and more faults; mend these first\n", program);
}

/* Verbs that work on a plan. */
static int run_plan(const struct cli *cli, struct buffer *out, struct errors *errors)
{
    static struct plan plan;
    const char *path = NULL;
    if (check_words(cli, errors) != 0 || cli_plan(cli, &plan, &path, errors) != 0)
        return STATUS_INPUT;
    bool is_screen = cli->verb == VERB_SCREEN && (cli->width || cli->plain || isatty(STDOUT_FILENO));
    if (is_screen) {
        if (!cli->width)
            print_errors(cli, errors);
        int status = run_screen(cli, &plan, path, out, errors);
        errors_free(errors);
        return status;
    }
    if (cli->verb == VERB_EXPLAIN)
        return run_explain(cli, &plan, out, errors);
    if (cli->verb == VERB_EXPORT)
        return run_export(cli, &plan, out, errors);
    if (cli->verb == VERB_SEARCH)
        return run_search(cli, &plan, out, errors);
    if (cli->verb == VERB_COMPARE)
        return run_compare(cli, &plan, out);
    if (cli->verb == VERB_SHOW && cli->estimator && strcmp(cli->estimator, program) != 0)
        return run_estimator(cli, &plan, out, errors);
    if (cli->verb != VERB_IMPORT)
        return run_show(cli, &plan, out, errors);
    plan_emit(out, &plan, "A plan for shardtop; keys that are not here follow the framework's defaults.");
    return STATUS_DONE;
}

static int run_verb(const struct cli *cli, struct buffer *out, struct errors *errors)
{
    if (cli->version)
        buffer_printf(out, "shardtop %s\n", SHARDTOP_VERSION);
    else if (cli->help)
        return run_help(cli, out, errors);
    else if (cli->verb == VERB_LIST || cli->verb == VERB_MAN || cli->verb == VERB_COMPLETION)
        return run_text(cli, out, errors);
    else if (cli->verb == VERB_BATCH)
        return batch_run(stdin, stdout, stderr);
    else if (cli->verb == VERB_VALIDATE || cli->verb == VERB_CALIBRATE)
        return run_runs(cli, out, errors);
    else
        return run_plan(cli, out, errors);
    return STATUS_DONE;
}

int cli_run(int argc, char **argv)
{
    struct cli cli = {0};
    struct errors errors = {0};
    struct buffer out = {0};
    int status = cli_parse(&cli, argc, argv, &errors) == 0 ? run_verb(&cli, &out, &errors) : STATUS_INPUT;
    if (out.size > 0 && status != STATUS_INTERNAL) {
        int written = put_output(&cli, &out, &errors);
        status = written == STATUS_DONE ? status : written;
    }
    print_errors(&cli, &errors);
    buffer_free(&out);
    errors_free(&errors);
    cli_free(&cli);
    return status;
}
