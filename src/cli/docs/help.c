#include "src/cli/docs/help.h"

#include "core/base.h"
#include "src/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 79, COMMAND_COLUMN = 14, OPTION_COLUMN = 30 };

const struct help_example help_examples[] = {
    {VERB_SCREEN, "shardtop", "the screen, which asks what you want to plan"},
    {VERB_SCREEN, "shardtop pretrain.sh", "the plan in a launch script"},
    {VERB_SCREEN, "shardtop --model llama3-70b --gpu h100-sxm-80 --gpus 64 --set tp=8", "a plan from options alone"},
    {VERB_SHOW, "shardtop show --model llama3-8b --gpus 8", "the whole report"},
    {VERB_SHOW, "shardtop show --check pretrain.sh", "does it fit? one line and an exit status"},
    {VERB_SHOW, "shardtop show --section memory --csv plan.yaml", "one section for a spreadsheet"},
    {VERB_SHOW, "shardtop show --trace -o schedule.json plan.yaml", "the schedule for Perfetto"},
    {VERB_SHOW, "shardtop show --section time --svg -o schedule.svg plan.yaml", "a figure for slides"},
    {VERB_EXPLAIN, "shardtop explain plan.yaml iteration_s", "how a number is computed"},
    {VERB_EXPLAIN, "shardtop explain --full plan.yaml memory.stages.0.device_bytes",
     "with every input, down to the plan's keys"},
    {VERB_IMPORT, "shardtop import config.json deepspeed.json > plan.yaml", "merge two files into one plan"},
    {VERB_EXPORT, "shardtop export plan.yaml --to megatron", "a plan as launch flags"},
    {VERB_EXPORT, "shardtop export --patch train.sh --set tp=4", "a patch for a script"},
    {VERB_SEARCH, "shardtop search plan.yaml", "the fastest layouts for these GPUs"},
    {VERB_SEARCH, "shardtop search plan.yaml --keep tp,pp --max-memory 72GiB", "fix some keys, limit the memory"},
    {VERB_SEARCH, "shardtop search plan.yaml --nodes 8,16,32 --objective cost", "the cheapest number of nodes"},
    {VERB_SEARCH, "shardtop search plan.yaml --objective size", "the largest number of layers that fits"},
    {VERB_COMPARE,
     "shardtop compare --estimators --model llama2-7b --set seq_length=4k", "results of other estimators"},
    {VERB_COMPARE, "shardtop compare plan.yaml other.yaml", "what changed and why the figures differ"},
    {VERB_COMPARE, "shardtop compare plan.yaml other.yaml --by key", "the effect of each changed key"},
    {VERB_ADVICE, "shardtop advice plan.yaml", "which changes help, and how far the plan can grow"},
    {VERB_GOAL, "shardtop goal train --model llama3-70b --tokens 1.5T --days 30", "how many GPUs, and the cost"},
    {VERB_GOAL, "shardtop goal tune --model llama3-8b --gpu rtx-4090", "LoRA or QLoRA, and what fits"},
    {VERB_GOAL, "shardtop goal serve --model llama3-70b --users 200 --ms-per-token 50", "GPUs for so many users"},
    {VERB_GOAL, "shardtop goal size --gpus 64 --days 30", "the largest model that trains in a month"},
    {VERB_FIND, "shardtop find train in 30 days", "search by words"},
    {VERB_SWEEP, "shardtop sweep plan.yaml tp=1,2,4,8 pp=1..16", "a map of iteration times"},
    {VERB_SWEEP, "shardtop sweep plan.yaml seq_length=4k..64k*2 --metric headroom_gib",
     "the memory left at longer sequences"},
    {VERB_SWEEP, "shardtop sweep plan.yaml gpu=h100-sxm-80,h200-sxm --metric cost --csv", "the cost on other GPUs"},
    {VERB_BATCH, "echo '{\"id\": 1, \"plan\": {\"model\": \"llama3-8b\"}}' | shardtop batch", "one answer a line"},
    {VERB_VALIDATE, "shardtop validate runs.csv --by framework.name", "errors against measured runs"},
    {VERB_VALIDATE, "shardtop validate plan.yaml train.log", "one log against its plan"},
    {VERB_CALIBRATE, "shardtop calibrate runs.csv > my-gpu.yaml", "a hardware file for your cluster"},
    {VERB_WATCH, "shardtop watch plan.yaml train.log", "a running job"},
    {VERB_LESSON, "shardtop lesson", "the lessons, in the order of the course"},
    {VERB_LESSON, "shardtop lesson pipeline", "one lesson"},
    {VERB_LESSON, "shardtop lesson pipeline --handout -o .", "the same on paper: pipeline.md with figures"},
    {VERB_LESSON, "shardtop lesson pipeline --plain --follow", "speaker notes, while another terminal presents it"},
    {VERB_LESSON, "shardtop lesson --record mine.yaml plan.yaml", "record changes on the screen as a lesson"},
    {VERB_LESSON, "shardtop lesson --check mine.yaml", "check your own lesson"},
    {VERB_EXERCISE, "shardtop exercise --kind fits,bubble", "nine questions of two kinds"},
    {VERB_EXERCISE, "shardtop exercise --sheet 30 --seed 17 -o class.csv", "individual questions for thirty students"},
    {VERB_EXERCISE, "shardtop exercise --grade answers.csv --seed 17", "grade their answers"},
    {VERB_GLOSSARY, "shardtop glossary zero bubble", "explain a term"},
    {VERB_WATCH, "shardtop watch --once --json plan.yaml train.log", "one answer for a script"},
    {VERB_LIST, "shardtop list models", "the shipped models"},
    {VERB_LIST, "shardtop list keys", "every key of a plan with its default"},
    {VERB_SCHEMA, "shardtop schema show -o show.schema.json", "for a validator or a type generator"},
    {VERB_MAN, "shardtop man | man -l -", "commands, options and keys of the screen"},
    {VERB_MAN, "shardtop man json", "the members of JSON answers"},
    {VERB_COMPLETION, "source <(shardtop completion bash)", "completion in this shell"},
    {VERB_HELP, "shardtop help show", "help on one command"},
};
const size_t help_example_count = LENGTH(help_examples);

/* The length of the next word. A word longer than a line is broken after a bar: "models|gpus|". */
static int word_length(const char *text, int room)
{
    int n = (int)strcspn(text, " ");
    for (int at = room; n > room && at > 1; at--)
        if (text[at - 1] == '|')
            return at;
    return n;
}

/* Appends `left`, then `text` wrapped at 80 columns and indented to `column`. */
static void put_row(struct buffer *out, const char *left, int column, const char *text)
{
    int at = (int)strlen(left);
    buffer_puts(out, left);
    if (at >= column && column > 0) {
        buffer_puts(out, "\n");
        at = 0;
    }
    buffer_printf(out, "%*s", column - at, "");
    at = column;
    while (*text) {
        int n = word_length(text, WIDTH - column);
        bool is_first = at == column, is_full = !is_first && at + 1 + n > WIDTH;
        if (is_full)
            buffer_printf(out, "\n%*s", column, "");
        buffer_printf(out, "%s%.*s", is_first || is_full ? "" : " ", n, text);
        at = is_full ? column + n : at + n + !is_first;
        text += n;
        text += strspn(text, " ");
    }
    buffer_puts(out, "\n");
}

static void put_option(struct buffer *out, const struct cli_option *option)
{
    char left[64], letter[8] = "    ";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(left, sizeof left, "  %s--%s%s%s", letter, option->name, option->argument ? " " : "",
             option->argument ? option->argument : "");
    put_row(out, left, OPTION_COLUMN, option->help);
}

static bool is_for_all(const struct cli_option *option)
{
    unsigned all = (1u << VERB_COUNT) - 1;
    return (option->verbs & all) == all;
}

static void put_options(struct buffer *out, const char *title, enum cli_verb_id verb, bool for_all)
{
    const char *heading = title;
    for (size_t i = 0; i < cli_option_count; i++) {
        if (!(cli_options[i].verbs & 1u << verb) || is_for_all(&cli_options[i]) != for_all)
            continue;
        buffer_puts(out, heading);
        put_option(out, &cli_options[i]);
        heading = "";
    }
}

static void put_examples(struct buffer *out, enum cli_verb_id verb)
{
    buffer_puts(out, "\nExamples:\n");
    for (size_t i = 0; i < help_example_count; i++)
        if (help_examples[i].verb == verb)
            buffer_printf(out, "  %s\n      %s\n", help_examples[i].command, help_examples[i].purpose);
}

static void put_files(struct buffer *out)
{
    buffer_puts(out, "\n");
    put_row(out, "", 0,
            "FILE is a plan, a launch script or another program's configuration (see list formats), recognised by "
            "its content, or the name of a shipped plan; - is standard input. Several files are applied from left "
            "to right. Plan keys and Megatron-LM flags are options: --tp 8, --seq-length 4096.");
}

/* The names alone of the options that go with every command. */
static void put_common(struct buffer *out)
{
    struct buffer names = {0};
    for (size_t i = 0; i < cli_option_count; i++)
        if (is_for_all(&cli_options[i]))
            buffer_printf(&names, "--%s ", cli_options[i].name);
    buffer_puts(out, "\n");
    put_row(out, "Of every command, see shardtop help:", OPTION_COLUMN + 8, names.text);
    buffer_free(&names);
}

void help_overview(struct buffer *out)
{
    put_row(out, "", 0,
            "shardtop estimates memory, communication, time and cost of training and serving large language models, "
            "before anyone queues a job.");
    buffer_puts(out, "\nCommands:\n");
    for (int i = 0; i < VERB_COUNT; i++) {
        char *left = xasprintf("  %s", *cli_verbs[i].name ? cli_verbs[i].name : "(none)");
        put_row(out, left, COMMAND_COLUMN, cli_verbs[i].help);
        free(left);
    }
    put_files(out);
    put_examples(out, VERB_SCREEN);
    put_options(out, "\nOptions of the screen:\n", VERB_SCREEN, false);
    put_options(out, "\nOptions of every command:\n", VERB_SCREEN, true);
    buffer_puts(out, "\n");
    put_row(out, "", 0,
            "All about a command: shardtop help COMMAND. Keys of a plan and their defaults: shardtop list keys. "
            "Everything: shardtop man | man -l -");
}

void help_verb(struct buffer *out, enum cli_verb_id verb)
{
    const struct cli_verb *row = &cli_verbs[verb];
    char *usage = xasprintf("[OPTION...] %s", row->arguments),
         *summary = xasprintf("shardtop %s: %s", row->name, row->help);
    char *left = xasprintf("Usage: shardtop %s", row->name);
    put_row(out, "", 0, summary);
    buffer_puts(out, "\n");
    put_row(out, left, (int)strlen(left) + 1, usage);
    buffer_puts(out, "\n");
    put_row(out, "", 0, row->more);
    if (strstr(row->arguments, "FILE") && row->takes_plan)
        put_files(out);
    put_examples(out, verb);
    put_options(out, "\nOptions:\n", verb, false);
    put_common(out);
    free(summary);
    free(usage);
    free(left);
}
