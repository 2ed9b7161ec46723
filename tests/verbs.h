/* tests/verbs.h - every command in this process: over a plan in memory, or over a file of it. */
#ifndef SHARDTOP_TESTS_VERBS_H
#define SHARDTOP_TESTS_VERBS_H

#include "src/cli/cli.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "tests/scratch.h"

#include <fcntl.h>

/* A command line: one without a plan has `@` for the file of one. */
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
    {VERB_SHOW, "--csv"},
    {VERB_SHOW, "--markdown"},
    {VERB_SHOW, "--svg --section memory"},
    {VERB_SHOW, "--svg --section time"},
    {VERB_SHOW, "--trace"},
    {VERB_SHOW, "--framework megatron-core,nanotron,deepspeed,fsdp2"},
    {VERB_EXPLAIN, "peak_bytes"},
    {VERB_EXPLAIN, "iteration_s --full"},
    {VERB_EXPLAIN, "schedule"},
    {VERB_IMPORT, ""},
    {VERB_EXPORT, "--to megatron"},
    {VERB_EXPORT, "--to nanotron"},
    {VERB_EXPORT, "--to deepspeed"},
    {VERB_EXPORT, "--to hf"},
    {VERB_EXPORT, "--to vllm"},
    {VERB_EXPORT, "--to sglang"},
    {VERB_EXPORT, "--to trtllm"},
    {VERB_EXPLAIN, "time.bubble_s --full --json"},
    {VERB_EXPLAIN, "mfu"},
    {VERB_EXPLAIN, "memory.stages.0.activations_bytes --full"},
    {VERB_EXPLAIN, "time.range.iteration_s.low"},
    {VERB_SEARCH, "--top 3"},
    {VERB_SEARCH, "--top 1 --objective memory --fit any --json"},
    {VERB_SEARCH, "--objective size"},
    {VERB_SEARCH, "--objective cost --where tp<=4 --where mfu>=10% --nodes 1,2 --deadline 30d --csv"},
    {VERB_SEARCH, "--schedules all --max-memory 60GiB --headroom 1GiB --tokens-per-s 1000 --top 2"},
    {VERB_SEARCH, "--free tp,pp --values micro_batch_size=1,2 --tp-in-node --where pp=2"},
    {VERB_SEARCH, "--keep tp,pp,cp --where recompute=none --where tokens_per_s>=1"},
    {VERB_SEARCH, "--values tp=3 --free tp"},
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
    {VERB_WATCH, "tests/inputs/arguments.log --once"},
    {VERB_BATCH, ""},
    {VERB_VALIDATE, "tests/data/measured_h100.csv"},
    {VERB_VALIDATE, "tests/data/measured_h100.csv --json --ranking"},
    {VERB_VALIDATE, "tests/data/measured_h100.csv --ranges --by framework.name"},
    {VERB_VALIDATE, "@ tests/inputs/arguments.log --csv --by source"},
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

/* Runs one case. */
static inline int verb_run_case(const struct verb_case *it, const struct plan *plan)
{
    char words[256], name[] = "shardtop", *argv[VERB_WORDS_MAX] = {name};
    char *verb = xstrdup(cli_verbs[it->verb].name), *file = NULL;
    int argc = 1;
    if (*verb)
        argv[argc++] = verb;
    snprintf(words, sizeof words, "%s", it->words);
    for (char *rest = NULL, *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (strcmp(word, "@") == 0)
            word = file = xstrdup(verb_plan_file(plan));
        argv[argc++] = word;
    }
    struct buffer out = {0};
    struct errors errors = {0};
    int status = verb_run(argc, argv, plan, &out, &errors);
    buffer_free(&out);
    errors_free(&errors);
    free(file);
    free(verb);
    return status;
}

#endif
