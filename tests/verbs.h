/* tests/verbs.h - every command in this process: over a plan in memory, or over a file of it. */
#pragma once

#include "core/plan/param.h"
#include "src/cli/cli.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "tests/scratch.h"

#include <fcntl.h>

/* A command line: one without a plan has `@` for the file of one. What stands before ` | ` is set in the plan. */
struct verb_case {
    enum cli_verb_id verb;
    const char *words;
};

/* Each command at least once; a test tells when one is missing. */
static const struct verb_case verb_cases[] = {
    {VERB_SCREEN, "--screen 80x24"},
    {VERB_SCREEN, "--screen 160x50"},
    {VERB_SHOW, "--full"},
    {VERB_SHOW, "--check"},
    {VERB_SHOW, "--json"},
    {VERB_SHOW, "--csv --section grid"},
    {VERB_SHOW, "--markdown"},
    {VERB_SHOW, "--svg --section memory"},
    {VERB_SHOW, "--svg --section time"},
    {VERB_SHOW, "--trace"},
    {VERB_SHOW, "--framework megatron-core,nanotron,deepspeed,fsdp2"},
    {VERB_EXPLAIN, "memory.usable_bytes"},
    {VERB_EXPLAIN, "iteration_s --full"},
    {VERB_EXPLAIN, "schedule"},
    {VERB_IMPORT, ""},
    {VERB_EXPORT, "--to megatron"},
    {VERB_EXPORT, "--to megatron-bridge"},
    {VERB_EXPORT, "framework.name=nanotron | --to nanotron"},
    {VERB_EXPORT, "framework.name=deepspeed zero_stage=1 | --to deepspeed"},
    {VERB_EXPORT, "framework.name=fsdp2 fsdp=full zero_stage=0 | --to torchtitan"},
    {VERB_EXPORT, "framework.name=llama-factory train.peft=lora | --to llama-factory"},
    {VERB_EXPORT, "framework.name=axolotl train.peft=lora | --to axolotl"},
    {VERB_EXPORT, "framework.name=trl-sft | --to trl"},
    {VERB_EXPORT, "--to hf"},
    {VERB_EXPORT, "workload=inference | --to vllm"},
    {VERB_EXPORT, "workload=inference | --to sglang"},
    {VERB_EXPORT, "workload=inference | --to trtllm"},
    {VERB_EXPLAIN, "time.bubble_s --full --json"},
    {VERB_EXPLAIN, "mfu"},
    {VERB_EXPLAIN, "memory.stages.0.activations_bytes --full"},
    {VERB_EXPLAIN, "time.range.iteration_s.low"},
    {VERB_SEARCH, "--top 3"},
    {VERB_SEARCH, "--top 1 --objective memory --fit any --json"},
    {VERB_SEARCH, "--objective size"},
    {VERB_SEARCH, "total_tokens=1e9 price_per_gpu_hour=2 | --objective cost --where tp<=4 --where mfu>=1% --nodes 1,2 "
                  "--deadline 30d --csv"},
    {VERB_SEARCH, "--schedules all --max-memory 60GiB --headroom 1GiB --tokens-per-s 1000 --top 2"},
    {VERB_SEARCH, "--free tp,pp --values micro_batch_size=1,2 --tp-in-node --where pp=2"},
    {VERB_SEARCH, "--keep tp,pp,cp --where recompute=none,tokens_per_s_per_gpu>1,bubble_fraction<1,host_gib!=7"},
    {VERB_SEARCH, "--values tp=3 --free tp"},
    {VERB_SEARCH, "--free features --top 2"},
    {VERB_SEARCH, "nodes=2 | --free features --objective memory --fit any --json"},
    {VERB_SEARCH, "parallel.pp=2 | --free +recompute_modules --objective energy"},
    {VERB_SEARCH, "--values tp=3,5 --values pp=7 --values dp=3 --free tp,pp"},
    {VERB_SEARCH, "--keep dp --nodes 1,3 --objective gpus --where pp<3"},
    {VERB_SEARCH, "total_tokens=1e9 | --objective train-time --deadline 1h"},
    {VERB_SEARCH, "total_tokens=1e9 price_per_gpu_hour=2 | --objective train-cost --csv"},
    {VERB_SEARCH, "workload=inference engine=vllm price_per_gpu_hour=2 | --objective cost --top 3"},
    {VERB_SEARCH, "workload=inference engine=vllm | --objective memory --json"},
    {VERB_COMPARE, "@ default"},
    {VERB_COMPARE, "@ default --by key --json"},
    {VERB_COMPARE, "--estimators @"},
    {VERB_COMPARE, "default @ --csv"},
    {VERB_COMPARE, "llama3.1-405b-16k @ --markdown"},
    {VERB_COMPARE, "@ mixtral-8x7b-64h100"},
    {VERB_ADVICE, ""},
    {VERB_ADVICE, "--json"},
    {VERB_GOAL, "faster @"},
    {VERB_FIND, "tp"},
    {VERB_SWEEP, "@ tp=1,2,4 pp=1..3"},
    {VERB_SWEEP, "@ micro_batch_size=1,2 --best"},
    {VERB_SWEEP, "@ tp=1..8 recompute=* --csv"},
    {VERB_SWEEP, "@ seq_length=1k..8k*2 --json --metric mfu"},
    {VERB_SWEEP, "@ micro_batch_size=1..4+1 pp=1,2,4 --svg"},
    {VERB_SWEEP, "@ nodes=1,2 --follow --markdown"},
    {VERB_SWEEP, "@ tp=1,2 pp=1,2 --metric peak_gib"},
    {VERB_SWEEP, "@ micro_batch_size=1,2 --metric headroom_gib --csv"},
    {VERB_SWEEP, "@ tp=1,2 dp=2,3 --follow --metric memory.stages.0.device_bytes"},
    {VERB_SWEEP, "@ dp=1,2,3 tp=2,3 --best"},
    {VERB_SWEEP, "total_tokens=1e9 price_per_gpu_hour=2 | @ tp=1,2 --metric cost"},
    {VERB_SWEEP, "total_tokens=1e9 | @ tp=1,2 nodes=1,2 --metric training_days --json"},
    {VERB_WATCH, "tests/inputs/arguments.log --once"},
    {VERB_BATCH, ""},
    {VERB_VALIDATE, "tests/data/measured_h100.csv"},
    {VERB_VALIDATE, "tests/data/measured_h100.csv --json --ranking"},
    {VERB_VALIDATE, "tests/data/measured_h100.csv --ranges --by framework.name"},
    {VERB_VALIDATE, "tests/data/measured_h100.csv --csv --ranking"},
    {VERB_VALIDATE, "tests/data/measured_h100.csv --csv --ranges --tags h100,-moe"},
    {VERB_VALIDATE, "tests/data/serving_memory.csv --by serve.engine"},
    {VERB_VALIDATE, "tests/data/serving_memory.csv --json"},
    {VERB_VALIDATE, "tests/data/rl_memory.csv tests/data/rl_time.csv"},
    {VERB_VALIDATE, "@ tests/fuzz/corpus/log/torchtitan.log --csv --by source"},
    {VERB_VALIDATE, "@ tests/fuzz/corpus/server/vllm-log"},
    {VERB_CALIBRATE, "tests/data/measured_h100.csv"},
    {VERB_LESSON, "activations --json"},
    {VERB_EXERCISE, "--seed 1 --count 3 --key"},
    {VERB_GLOSSARY, "mfu"},
    {VERB_LIST, "models"},
    {VERB_SCHEMA, "show"},
    {VERB_MAN, ""},
    {VERB_COMPLETION, "bash"},
    {VERB_HELP, "show"},
};
enum { VERB_CASES = sizeof verb_cases / sizeof *verb_cases, VERB_WORDS_MAX = 64 };

/* What a command prints beside its answer is thrown away until the end; returns what restores it. */
static int verb_hush(void)
{
    fflush(stdout);
    int kept = dup(STDOUT_FILENO), nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nothing, STDOUT_FILENO);
    close(nothing);
    return kept;
}

static void verb_unhush(int kept)
{
    fflush(stdout);
    if (kept >= 0) {
        dup2(kept, STDOUT_FILENO);
        close(kept);
    }
}

/* Runs a command line without the program's name over a plan; returns its exit status and what it answered. */
static int verb_run(int argc, char **argv, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    struct cli cli = {0};
    int status = STATUS_INPUT, kept = verb_hush();
    bool is_parsed = cli_parse(&cli, argc, argv, errors) == 0, is_empty = cli.verb == VERB_EXPLAIN && !cli.word_count;
    if (is_parsed && is_empty) { /* which the program refuses before it makes the plan */
        errors_add(errors, NULL, 0, "explain", "has nothing to work on; name a value");
    } else if (is_parsed) {
        const struct cli_verb *verb = &cli_verbs[cli.verb];
        cli.no_stdin = true;
        status = verb->takes_plan ? verb->run(&cli, plan, out, errors) : cli_run_verb(&cli, out, errors);
    }
    verb_unhush(kept);
    cli_free(&cli);
    return status;
}

/* The file of a plan. */
static const char *verb_plan_file(const struct plan *plan)
{
    struct buffer text = {0};
    plan_emit(&text, plan, NULL, NULL);
    const char *path = scratch_put("plan.yaml", text.text ? text.text : "", text.size);
    buffer_free(&text);
    return path;
}

/* Whether a case is about the plan. */
static inline bool verb_has_plan(const struct verb_case *it)
{
    return cli_verbs[it->verb].takes_plan || strchr(it->words, '@');
}

/* Sets a key from KEY=VALUE. */
static void verb_set(struct plan *plan, const char *setting)
{
    char key[64], why[PARAM_WHY_MAX];
    const char *equals = strchr(setting, '=');
    snprintf(key, sizeof key, "%.*s", (int)(equals - setting), setting);
    int id = param_find(key);
    if (id < 0 || param_parse(plan, (enum param)id, equals + 1, FROM_SET, false, why) != 0)
        abort();
}

/* Runs one case; returns its exit status and what it answered. */
static inline int verb_run_case(const struct verb_case *it, const struct plan *given, struct buffer *out,
                                struct errors *errors)
{
    char words[256], name[] = "shardtop", *argv[VERB_WORDS_MAX] = {name};
    char *verb = xstrdup(cli_verbs[it->verb].name), *file = NULL;
    struct plan plan = *given;
    bool has_keys = strstr(it->words, " | ");
    int argc = 1;
    if (*verb)
        argv[argc++] = verb;
    snprintf(words, sizeof words, "%s", it->words);
    for (char *rest = NULL, *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (strcmp(word, "|") == 0) {
            has_keys = false;
        } else if (has_keys) {
            verb_set(&plan, word);
        } else if (strcmp(word, "@") == 0) {
            argv[argc++] = file = xstrdup(verb_plan_file(&plan));
        } else {
            argv[argc++] = word;
        }
    }
    int status = verb_run(argc, argv, &plan, out, errors);
    free(file);
    free(verb);
    return status;
}
