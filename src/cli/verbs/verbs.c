/* The table of commands, and what runs one. */
#include "src/cli/verbs/verbs.h"

#include "core/plan/param.h"
#include "src/cli/docs/help.h"
#include "src/plan/reference_plan.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "src/text/version.h"

#include <string.h>

static const char program[] = "shardtop";

const struct cli_verb cli_verbs[VERB_COUNT] = {
    [VERB_SCREEN] = {"", "[FILE...]", "open the interactive screen",
                     "If standard output is not a terminal, print the report of show instead.",
                     verb_screen, true},
    [VERB_SHOW] = {"show", "[FILE...]", "print the report",
                   "Prints layers, memory of each stage, device grid, communication and time; on a terminal, a "
                   "summary that fits one screen. --full prints every table through a pager.",
                   verb_show, true},
    [VERB_EXPLAIN] = {"explain", "[FILE...] VALUE", "explain one number of the report",
                      "VALUE is a path such as memory.stages.0.activations_bytes, or its last part if that is unique. "
                      "Prints the formula, the formula with its values, the source, and what the number leaves out. "
                      "--full also explains each input, down to the plan's keys; JSON nests them. VALUE may be a plan "
                      "key too: for a switch or choice, prints the result of every other value.",
                      verb_explain, true},
    [VERB_IMPORT] = {"import", "FILE...", "convert a file of another program to a plan",
                     "Flags and keys that do not change the estimate are listed on standard error.",
                     verb_import, true},
    [VERB_EXPORT] = {"export", "[FILE...] --to NAME | --patch FILE [--apply]",
                     "print launch flags or a configuration for a framework, or a patch for yours",
                     "NAME is megatron, nanotron, deepspeed, hf, torchtitan (TOML), megatron-bridge (a recipe with "
                     "overrides), llama-factory, axolotl, trl, vllm, sglang or trtllm. "
                     "Settings that the format cannot carry are listed on standard error, with the keys to give beside "
                     "the file. If no framework would start the plan, nothing is written: its errors are listed and "
                     "the exit status is 2. "
                     "--patch FILE reads your script or configuration and prints a unified diff that applies the plan "
                     "to it, keeping comments and layout: `shardtop export --patch train.sh --set tp=4`. Other files "
                     "on the command line are read but not changed; a plan among them sets the target. The patched "
                     "file is read again before the diff is printed. Settings that cannot be written, such as a value "
                     "that the script computes, are listed and the exit status is 1. --apply changes the file.",
                     verb_export, true},
    [VERB_SEARCH] = {"search", "[FILE...]", "find the best layouts for the plan's GPUs",
                     "Estimates every valid layout: tp, sp, pp, vpp, cp, ep, etp, micro-batch, recomputation, "
                     "sharding and the split of layers over stages; model, batch and GPUs stay the same. Each result "
                     "lists its changes and why it is better. ~ marks layouts that the estimate does not tell apart "
                     "from the first; the recommended one, the simplest or roomiest of them within 1.5 % of the "
                     "fastest, comes first. --free features also tries what the framework can do on this GPU: "
                     "dispatchers of experts, overlap, groups of micro-batches, recomputed modules, fp8, types of "
                     "gradients and moments, CUDA graphs; each result lists the flags that it adds. --objective size "
                     "adds layers until the fullest GPU is full. For a plan that serves, it tries tp, pp, ep, weights "
                     "in 16 and 8 bits and max_num_seqs, and with --objective gpus or cost the number of GPUs; the "
                     "limits are serve.max_first_token_ms and serve.max_per_token_ms, the load is serve.batch_size or "
                     "serve.request_rate. The exit status is 1 if nothing meets the limits, and 130 if interrupted, "
                     "after printing the results so far.",
                     verb_search, true},
    [VERB_COMPARE] = {"compare", "A B | --estimators [FILE...]",
                      "compare two plans, or our values with published estimators",
                      "Lists the changed keys, the keys that follow from them, and the steps from one plan's memory "
                      "and time to the other's. The steps sum exactly: they are parts of memory and time, or with --by "
                      "key the changed keys. Options apply to both plans. --estimators prints each quantity with its "
                      "difference and the reason.",
                      verb_compare, false},
    [VERB_ADVICE] = {"advice", "[FILE...]", "suggest changes and show the limits",
                     "Lists every single change with its time and memory, the fewest changes that make the plan "
                     "fit, the "
                     "recommended layout, how far micro-batch, sequence, layers and batch can grow, and the gain from "
                     "10 % more of each hardware figure.",
                     verb_advice, true},
    [VERB_GOAL] = {"goal", "train|tune|serve|size|faster [FILE...]", "find the plan for a goal",
                   "train: the GPUs that train --tokens in --days, and the cost. tune: the method, recomputation "
                   "and sequence that fine-tune --model on --gpu. serve: the GPUs for --users with --context tokens "
                   "within --ms-per-token and --first-token. size: the largest model for --gpus, with --days the "
                   "largest that trains in time; or the longest sequence and the most layers of --model. faster: "
                   "the changes that save the most time. The answer holds with the probability --sure (default "
                   "80%). The exit status is 1 if there is no answer.",
                   verb_goal, true},
    [VERB_FIND] = {"find", "PHRASE", "search goals, keys, models and commands by words",
                   "Lists goals, keys, models, GPUs, plans, views, commands, results and lessons, best first, as / "
                   "does on the screen. Numbers in the phrase become values: `find 1.5T tokens in 30 days`. The exit "
                   "status is 1 if nothing is found.",
                   verb_find, false},
    [VERB_SWEEP] = {"sweep", "[FILE...] KEY=V1,V2 [KEY=A..B]", "try one or two keys over several values",
                    "Values are a list (tp=1,2,4), a range of valid ones (pp=1..16), steps (seq_length=4k..64k*2, "
                    "micro_batch_size=1..8+1) or every valid one (recompute=*). Invalid cells show the reason; < marks "
                    "cells that leave GPUs idle. JSON and CSV have every figure, and with --follow or --best the keys "
                    "that differ in a cell. If --best is interrupted, the exit status is 130 and the remaining cells "
                    "are marked as not searched.",
                    verb_sweep, false},
    [VERB_BATCH] = {"batch", "", "answer JSON lines from standard input",
                    "A line is {\"id\", \"plan\": {key: value}} or {\"id\", \"estimator\", \"fn\", \"inputs\"}. "
                    "Answers come in order, one a line. With a plan, \"want\": [\"memory.fits\", "
                    "\"time.iteration_s\"] selects the values to return; omit an array's index for all its entries "
                    "(memory.stages.device_bytes). \"search\": {\"top\": 3}, \"advice\": {} or \"sweep\": "
                    "{\"keys\": {\"tp\": [1, 2]}} instead runs that command, with its options as members. Unknown "
                    "members are rejected.",
                    verb_batch, false},
    [VERB_VALIDATE] = {"validate", "RUNS.csv|LOG...", "estimate measured runs and print the errors",
                       "A table has one row per run: id, source, plan keys in dotted form, measured.* columns, tags. "
                       "A month in the source (202506) sets framework.version if the row does not. Logs of Megatron, "
                       "DeepSpeed, nanotron, torchtitan and the Hugging Face trainer need a plan as well, and so "
                       "does the output of a server's benchmark. Logs of vLLM and SGLang print the server's settings.",
                       verb_runs, false},
    [VERB_CALIBRATE] = {"calibrate", "RUNS.csv|LOG...", "fit a device's efficiencies to measured runs",
                        "Prints a hardware file; the errors before and after go to standard error. One to four "
                        "runs shift "
                        "and narrow estimates; five or more also fit efficiencies. Values keep their shipped defaults "
                        "where the runs give no reason to change them. Start-up logs of a server set serve.other_gib, "
                        "its benchmarks serve.time_factor.",
                        verb_runs, false},
    [VERB_WATCH] = {"watch", "[PLAN...] LOG", "follow a growing log and compare it with the estimate",
                    "Prints step, time, tokens per second and memory as measured, the estimate with its range, and the "
                    "likely cause of a difference. Reads logs of Megatron, DeepSpeed, nanotron, torchtitan and the "
                    "Hugging Face trainer, and start-up logs and benchmarks of vLLM and SGLang; - is standard input. "
                    "If standard output is not a terminal, prints a line for each new report.",
                    verb_watch, true},
    [VERB_LESSON] = {"lesson", "[NAME] | --new NAME [PLAN] | --record FILE [PLAN] | --check FILE...",
                     "learn about parallelism on live plans",
                     "Without a name, lists the lessons and your progress. Each step of a lesson changes a key or two, "
                     "explains the effect and may ask you to predict it. Lessons run on the screen, or with --plain in "
                     "line mode: type answers, n next, back, g STEP, h hint, r reset, q quit, or KEY=VALUE to change "
                     "the plan. NAME may be your own file; --check finds its errors.",
                     verb_lesson, false},
    [VERB_EXERCISE] = {"exercise", "", "generate questions, to answer here or as a sheet for a class",
                       "Asks what fits, what is fastest and how much memory a change frees. Every answer is farther "
                       "from the next than the estimate's error. The same seed gives the same questions in one "
                       "version. --sheet N prints a CSV "
                       "table for N students; --grade FILE grades their answers (student,question,answer).",
                       verb_exercise, false},
    [VERB_GLOSSARY] = {"glossary", "[WORD]", "explain the terms of the field",
                       "Finds a term by any of its names and prints its keys and values; without one, lists all terms.",
                       verb_glossary, false},
    [VERB_LIST] = {"list",
                   "models|gpus|clusters|plans|lessons|glossary|frameworks|fabrics|constants|estimators|schedules|"
                   "themes|formats|keys|settings | gpus|models|clusters|frameworks|plans NAME --yaml",
                   "list presets, keys and other names",
                   "Includes your own files in the configuration folder. With NAME and --yaml, prints a template for a "
                   "file of your own, with the unit and meaning of every key.",
                   verb_list, false},
    [VERB_SCHEMA] = {"schema", "[COMMAND]", "print the JSON Schema of the answers",
                     "For one command's answer, or for all (draft 2020-12). Members are added to answers, never "
                     "renamed or removed.", verb_schema, false},
    [VERB_MAN] = {"man", "[PAGE]", "print a manual page",
                  "PAGE is plan, json, lesson or a topic: accuracy, add-gpu-or-model, calibrate, formats, python, "
                  "scripts or troubleshooting; without it, shardtop(1) is printed. On a terminal pages are plain "
                  "text, elsewhere mdoc, for man -l or mandoc.",
                  verb_man, false},
    [VERB_COMPLETION] = {"completion", "bash|zsh|fish", "print a completion script",
                         "Source it in your shell's startup file.", verb_completion, false},
    [VERB_HELP] = {"help", "[COMMAND]", "print this overview, or help on one command",
                   "Same as --help after the command.",
                   verb_help, false},
};

/* `--help`: the overview or one command; with `--estimator NAME` also the inputs that estimator takes from a plan. */
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
        buffer_printf(out, "\nInputs taken from a plan, with their keys and conversions:\n\n");
        reference_plan_help(out, (enum reference_id)id);
    }
    return STATUS_DONE;
}

/* Errors that need no file to be opened. */
static int check_words(const struct cli *cli, struct errors *errors)
{
    if ((cli->verb == VERB_EXPLAIN || cli->verb == VERB_IMPORT) && cli->word_count == 0) {
        errors_add(errors, program, 0, cli_verbs[cli->verb].name, "needs more arguments; use shardtop %s %s",
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
        buffer_puts(out, "no unsaved plans\n");
    sessions_free(&kept);
}

/* Warns if no option and no file gives a model; on the screen one can still be chosen, and a goal asks itself. */
static void ask_for_model(const struct cli *cli, const struct plan *plan, struct errors *errors)
{
    for (int i = 0; i < PARAM_COUNT; i++)
        if (param_rows[i].group_id == GROUP_model && plan->from[i] > FROM_DEFAULT)
            return;
    if (!cli->made.path && !cli->made.foreign && !cli->models && !verb_opens_screen(cli) && cli->verb != VERB_GOAL)
        errors_note(errors, program, 0, "--model",
                    "no model and no plan given; add --model NAME (see `shardtop list models`) or a file");
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
