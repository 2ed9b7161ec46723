/* The table of commands, and what runs one. */
#include "src/cli/verbs/verbs.h"

#include "core/plan/param.h"
#include "src/cli/docs/help.h"
#include "src/cli/session/session.h"
#include "src/cli/verbs/exercise.h"
#include "src/cli/verbs/lesson.h"
#include "src/cli/verbs/watch.h"
#include "src/plan/reference_plan.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "src/text/version.h"

#include <string.h>

static const char program[] = "shardtop";

const struct cli_verb cli_verbs[VERB_COUNT] = {
    [VERB_SCREEN] = {"", "[FILE...]", "open the interactive screen",
                     "Where standard output is no terminal, print what show prints.",
                     verb_screen, true},
    [VERB_SHOW] = {"show", "[FILE...]", "print the report",
                   "Layers, memory of each stage, device grid, communication and time. On a terminal one screen of it; "
                   "--full prints all, which a pager shows.",
                   verb_show, true},
    [VERB_EXPLAIN] = {"explain", "[FILE...] VALUE", "open one number of the report",
                      "VALUE is a path of the report such as memory.stages.0.activations_bytes, or its last part where "
                      "that is unique: the formula, the same with values, its source and what it leaves out. With "
                      "--full the values in the formula follow, and those in theirs, down to the plan's keys; JSON "
                      "nests them. A key of the plan, too: of a switch or a choice what each other value would give.",
                      verb_explain, true},
    [VERB_IMPORT] = {"import", "FILE...", "print any file that is understood as a plan",
                     "Flags and keys that do not change the estimate are listed on standard error.",
                     verb_import, true},
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
                     verb_export, true},
    [VERB_SEARCH] = {"search", "[FILE...]", "the best layouts for the plan's GPUs",
                     "Every valid layout is estimated: tp, sp, pp, vpp, cp, ep, etp, micro-batch, recomputation, "
                     "sharding and how layers are split; model, batch and GPUs stay. Each result says what it changes "
                     "and why that is better; ~ marks those as good as the first within the error of the estimate, and "
                     "the simplest or roomiest of them stands first, as the one to take. With --objective size layers "
                     "are added until the fullest GPU has no room. Exit status 1 when nothing is within the limits, "
                     "130 when interrupted, with what was found so far.",
                     verb_search, true},
    [VERB_COMPARE] = {"compare", "A B | --estimators [FILE...]", "two plans, or our values beside published estimators",
                      "What was changed, what follows from it, and what leads from one plan's memory and time to the "
                      "other's, in steps that sum exactly: parts of memory and time, or with --by key the changed "
                      "keys. Options hold for both plans. With --estimators each quantity with the difference and its "
                      "reason.",
                      verb_compare, false},
    [VERB_ADVICE] = {"advice", "[FILE...]", "what to change, and what limits",
                     "Every single change with its time and memory; the fewest that make the plan fit; the layout "
                     "to take of all; how far micro-batch, sequence, layers and batch can grow; what 10 % more of each "
                     "figure of the hardware is worth.",
                     verb_advice, true},
    [VERB_FIND] = {"find", "PHRASE", "what the screen's / lists for words: `find train in 30 days`",
                   "Goals, keys, models, GPUs, plans, views, commands, results and lessons, best first. Numbers of the "
                   "phrase are taken along: `find 1.5T tokens in 30 days`. Exit status 1 when nothing is found.",
                   verb_find, false},
    [VERB_SWEEP] = {"sweep", "[FILE...] KEY=V1,V2 [KEY=A..B]", "one or two keys over values",
                    "Values are listed (tp=1,2,4), a range of valid ones (pp=1..16), in steps (seq_length=4k..64k*2, "
                    "micro_batch_size=1..8+1) or all that are valid (recompute=*). A cell that is no plan says why; "
                    "< stands at one whose ranks leave GPUs idle. JSON and CSV have all of it, and with --follow or "
                    "--best the keys that differ in a cell. Exit status 130 when --best was "
                    "interrupted; cells that nobody looked at say so.",
                    verb_sweep, false},
    [VERB_BATCH] = {"batch", "", "answer JSON lines from standard input",
                    "A line is {\"id\", \"plan\": {key: value}} or {\"id\", \"estimator\", \"fn\", \"inputs\"}; the "
                    "answers come in order, one a line. Beside a plan, \"want\": [\"memory.fits\", "
                    "\"time.iteration_s\"] names the values that are answered; an array's position may be left out "
                    "(memory.stages.device_bytes). Other members are refused.",
                    verb_batch, false},
    [VERB_VALIDATE] = {"validate", "RUNS.csv|LOG...", "estimate measured runs and print the errors",
                       "A table has a row for each run: id, source, plan keys in dotted form, measured.* columns, "
                       "tags. A month in a source (202506) dates the framework where the row does not: it fills "
                       "framework.version. Logs of Megatron, DeepSpeed, nanotron, torchtitan and the Hugging Face "
                       "trainer are taken beside a plan.",
                       verb_runs, false},
    [VERB_CALIBRATE] = {"calibrate", "RUNS.csv|LOG...", "fit the efficiencies of a device to measured runs",
                        "Prints a hardware file; the error before and after goes to standard error. Values stay as "
                        "shipped where the runs call for no change.",
                        verb_runs, false},
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
                   "formats|keys|settings | gpus|models|clusters|frameworks|plans NAME --yaml", "print what there is",
                   "Your own files in the configuration folder are listed with the built-in ones. With NAME and --yaml "
                   "it prints a template for a file of your own: every key with its unit and meaning.",
                   verb_list, false},
    [VERB_SCHEMA] = {"schema", "[COMMAND]", "print what JSON answers hold, as a JSON Schema",
                     "Of one command's answer, or of all (draft 2020-12). Members are added to answers; none is "
                     "renamed or taken away.", verb_schema, false},
    [VERB_MAN] = {"man", "[plan|json|lesson]", "print a manual page",
                    "In mdoc, to be read with man -l or mandoc: shardtop(1), of plan shardtop-plan(5), of json "
                    "shardtop-json(5), of lesson shardtop-lesson(5).",
                  verb_man, false},
    [VERB_COMPLETION] = {"completion", "bash|zsh|fish", "print a completion script",
                         "To be read by the shell at its start.", verb_completion, false},
    [VERB_HELP] = {"help", "[COMMAND]", "print this overview, or all about one command",
                   "The same as --help behind the command.",
                   verb_help, false},
};

/* `--help`, with a verb of that one; beside `--estimator NAME` what that one takes from a plan too. */
static int print_help(const struct cli *cli, struct buffer *out, struct errors *errors)
{
    bool is_published = cli->estimator && strcmp(cli->estimator, program) != 0;
    int id = is_published ? verb_find_estimator(cli->estimator, errors) : -1;
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
    if (!cli->made.path && !cli->made.foreign && !cli->models && !verb_opens_screen(cli))
        errors_note(errors, program, 0, "--model",
                    "is not given, nor a plan; add --model NAME, one of `shardtop list models`, or a file");
}

int cli_run_verb(struct cli *cli, struct buffer *out, struct errors *errors)
{
    const struct cli_verb *verb = &cli_verbs[cli->verb];
    struct plan plan;
    if (cli->version) {
        buffer_printf(out, "shardtop %s", version_number);
        buffer_printf(out, version_commit ? " (%s)\n" : "\n", version_commit);
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
