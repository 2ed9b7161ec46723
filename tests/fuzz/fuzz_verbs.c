/*
 * Any command with any of its options over a plan near valid ones: no crash, no leak, status 2 for a fault.
 * Commands and options are rows of the program's own tables, so that new ones are tried too; a first byte from ROW on
 * means a row of tests/verbs.h.
 */
#include "src/cli/cli.h"
#include "tests/fuzz/plans.h"
#include "tests/verbs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 10, OPTIONS_MAX = 3, WORD_MAX = 3, ROW = 160 };

/* Options that write files, follow one for ever, or ask the machine. */
static const char *const left_out[] = {"output", "apply", "record", "handout", "restore", "follow", "use-env", "keys"};

/* Words that some command or option takes. */
static const char *const words[] = {
    "default", "llama3-8b", "gpt3-175b-megatron-2021", "h100-sxm-80", "megatron-core", "nanotron", "mfu", "memory.fits",
    "iteration_s", "time.iteration_s", "peak_bytes", "tp", "schedule", "memory.stages.0.activations_bytes", "tp=1,2,4",
    "pp=1..8", "seq_length=4k..64k*2", "recompute=*", "schedule=*", "micro_batch_size=1..8+1", "tp<=8", "mfu>=40%",
    "1", "2", "8", "64", "0", "-1", "1e30", "80GiB", "90%", "30d", "x", "time", "memory", "grid", "models", "keys",
    "plans", "show", "bash", "activations", "fits", "size", "cost", "any", "all", "own", "120x40", "80x24", "id",
    "key", "core", "tests/data/measured_h100.csv", "tests/inputs/arguments.log", "tests/inputs/nanotron.yaml",
    "tests/inputs/deepspeed.json", "shardtop", "megatron", "hf", "deepspeed", "mono", "features", "@"};

static bool is_left_out(const struct cli_option *option)
{
    for (size_t i = 0; i < COUNT(left_out); i++)
        if (strcmp(option->name, left_out[i]) == 0)
            return true;
    return false;
}

/* The option that a byte means among those of a command. */
static const struct cli_option *option_of(enum cli_verb_id verb, uint8_t byte)
{
    const struct cli_option *mine[256];
    size_t count = 0;
    for (size_t i = 0; i < cli_option_count && count < COUNT(mine); i++)
        if (cli_options[i].verbs & 1u << verb && !is_left_out(&cli_options[i]))
            mine[count++] = &cli_options[i];
    return count ? mine[byte % count] : NULL;
}

/* One of an option's choices, or any word. */
static const char *word_of(const char *choices, uint8_t byte)
{
    static char all[512];
    const char *choice[32];
    size_t count = 0;
    if (!choices || byte >= 240)
        return words[byte % COUNT(words)];
    snprintf(all, sizeof all, "%s", choices);
    for (char *rest = NULL, *word = strtok_r(all, " ", &rest); word && count < 32; word = strtok_r(NULL, " ", &rest))
        choice[count++] = word;
    return count ? choice[byte % count] : "";
}

struct line {
    char *argv[VERB_WORDS_MAX];
    int argc;
};

static void add(struct line *line, const char *before, const char *word, const struct plan *plan)
{
    if (strcmp(word, "@") == 0)
        word = verb_plan_file(plan);
    line->argv[line->argc++] = xasprintf("%s%s", before, word);
}

static void make_line(struct line *line, const uint8_t *data, const struct plan *plan)
{
    enum cli_verb_id verb = (enum cli_verb_id)(data[0] % VERB_COUNT);
    add(line, "", "shardtop", plan);
    if (*cli_verbs[verb].name)
        add(line, "", cli_verbs[verb].name, plan);
    if (verb == VERB_COMPARE || verb == VERB_SWEEP)
        add(line, "", "@", plan);
    for (int i = 0; i < data[2] % (WORD_MAX + 1); i++)
        add(line, "", words[data[3 + i] % COUNT(words)], plan);
    for (int i = 0; i < data[6] % (OPTIONS_MAX + 1); i++) {
        const struct cli_option *option = option_of(verb, data[7 + i]);
        if (option)
            add(line, "--", option->name, plan);
        if (option && option->argument)
            add(line, "", word_of(option->choices, (uint8_t)(data[7 + i] * 7 + data[6])), plan);
    }
    if (verb == VERB_WATCH)
        add(line, "--", "once", plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct line line = {0};
    struct buffer out = {0};
    struct errors errors = {0};
    if (size < HEAD)
        return 0;
    scratch_begin();
    struct plan plan = *base_plan(data[1]);
    change_all(&plan, data + HEAD, size - HEAD);
    if (data[0] >= ROW) {
        verb_run_case(&verb_cases[data[2] % VERB_CASES], &plan, &out, &errors);
        buffer_free(&out);
        errors_free(&errors);
        return 0;
    }
    make_line(&line, data, &plan);
    int status = verb_run(line.argc, line.argv, &plan, &out, &errors);
    if (status < 0 || (status > STATUS_INTERNAL && status != 130) || (status == STATUS_INPUT && !errors.faults &&
                                                                    out.size == 0))
        abort();
    for (int i = 0; i < line.argc; i++)
        free(line.argv[i]);
    buffer_free(&out);
    errors_free(&errors);
    return 0;
}
