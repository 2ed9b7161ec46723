/* Megatron's flags on top of a plan: each sets its own key, and one that repeats the plan's value changes nothing. */
#include "tests/check.h"

#include "core/plan/param.h"
#include "src/cli/cli.h"
#include "src/import/megatron_flags.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "src/text/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 12 };

static const char *const plans[] = {"default", "llama3-70b-64h100", "deepseek-v3-2048h800"};

static char file[] = "/tmp/shardtop-test-XXXXXX";

/* The plan of `show PLAN [--set SETTING] [FLAG [VALUE]]`; false where the command line is refused. */
static bool read_line(const char *plan, const char *setting, const char *flag, const char *value, struct plan *out)
{
    char *argv[WORDS_MAX] = {(char *)"shardtop", (char *)"show", (char *)plan};
    int argc = 3;
    struct cli cli = {0};
    struct errors errors = {0};
    if (setting) {
        argv[argc++] = (char *)"--set";
        argv[argc++] = (char *)setting;
    }
    if (flag)
        argv[argc++] = (char *)flag;
    if (value && *value)
        argv[argc++] = (char *)value;
    bool is_good = cli_parse(&cli, argc, argv, &errors) == 0 && cli_plan(&cli, out, &cli.made, &errors) == 0;
    cli_free(&cli);
    errors_free(&errors);
    return is_good;
}

/* How many keys have other values, and the first of them. */
static int count_changes(const struct plan *a, const struct plan *b, enum param *first)
{
    char one[PARAM_TEXT_MAX], other[PARAM_TEXT_MAX];
    int count = 0;
    for (int i = PARAM_COUNT; i-- > 0;) {
        param_print(a, (enum param)i, one, sizeof one);
        param_print(b, (enum param)i, other, sizeof other);
        if (strcmp(one, other) == 0)
            continue;
        *first = (enum param)i;
        count++;
    }
    return count;
}

static void assert_same_plan(const struct plan *a, const struct plan *b, const char *plan, const char *flag,
                        const char *value)
{
    struct plan one, other;
    enum param key = 0;
    plan_resolve(a, &one);
    plan_resolve(b, &other);
    int count = count_changes(&one, &other, &key);
    assert_that(count == 0, "%s %s %s changes %d keys, the first %s", plan, flag, value ? value : "", count,
                param_rows[key].dotted);
}

/* The next of `from=to` words of a CHOOSE row, as two texts. */
static bool next_choice(const char **at, char *from, char *to, size_t size)
{
    *at += strspn(*at, " ");
    size_t n = strcspn(*at, " "), name = strcspn(*at, "= ");
    if (n == 0)
        return false;
    snprintf(from, size, "%.*s", (int)name, *at);
    snprintf(to, size, "%.*s", (int)(name < n ? n - name - 1 : n), name < n ? *at + name + 1 : *at);
    *at += n;
    return true;
}

static int checked;

static void check_repeated(const char *plan, const char *key, const char *to, const char *flag, const char *from)
{
    struct plan without, with;
    char *setting = xasprintf("%s=%s", key, to);
    if (read_line(plan, setting, NULL, NULL, &without)) {
        /* --set would win over the flag: the plan goes through a file */
        struct buffer text = {0};
        struct errors errors = {0};
        plan_emit(&text, &without, NULL, NULL);
        assert_int_equal(write_file(file, text.text, text.size, 0, &errors), 0);
        assert_true(read_line(file, NULL, NULL, NULL, &without));
        assert_that(read_line(file, NULL, flag, from, &with), "%s %s %s is refused", plan, flag, from);
        assert_same_plan(&without, &with, plan, flag, from);
        checked++;
        buffer_free(&text);
    }
    free(setting);
}

/* A flag with the value that the plan has already. */
static void a_flag_that_repeats_the_plan_changes_nothing(void **state)
{
    (void)state;
    char from[64], to[64], value[PARAM_TEXT_MAX];
    for (size_t p = 0; p < COUNT(plans); p++)
        for (size_t i = 0; i < FLAG_ROWS; i++) {
            const struct flag_row *row = &flag_row[i];
            const char *at = row->value;
            struct plan plan, resolved;
            int key = row->key ? param_find(row->key) : -1;
            if (row->kind == FLAG_SET)
                check_repeated(plans[p], row->key, row->value, row->name, NULL);
            bool is_also_recompute = strcmp(row->name, "--activations-checkpoint-method") == 0; /* of the samples */
            while (row->kind == FLAG_CHOOSE && !is_also_recompute && next_choice(&at, from, to, sizeof to))
                check_repeated(plans[p], row->key, to, row->name, from);
            if (row->kind != FLAG_COPY || key < 0 || !read_line(plans[p], NULL, NULL, NULL, &plan))
                continue;
            plan_resolve(&plan, &resolved);
            if (param_print(&resolved, (enum param)key, value, sizeof value) > 0)
                check_repeated(plans[p], row->key, value, row->name, value);
        }
    assert_that(checked > 200, "%d flags were checked", checked);
}

/* Values for flags that have a rule of their own. */
static const struct {
    const char *flag, *value;
} samples[] = {
    {"--num-query-groups", "4"}, {"--vocab-size", "64000"}, {"--padded-vocab-size", "64000"},
    {"--make-vocab-size-divisible-by", "64"}, {"--position-embedding-type", "rope"},
    {"--use-rotary-position-embeddings", ""}, {"--no-position-embedding", ""}, {"--normalization", "RMSNorm"},
    {"--apply-layernorm-1p", ""}, {"--window-size", "(127,0)"}, {"--window-attn-skip-freq", "2"},
    {"--softmax-type", "learnable"}, {"--num-experts", "8"}, {"--moe-layer-freq", "2"},
    {"--moe-expert-capacity-factor", "1.25"}, {"--no-pipeline-parallel", ""}, {"--sequence-parallel", ""},
    {"--pipe-parallel-size", "2"},
    {"--pipeline-model-parallel-layout", "E(tt|)*15ttL"}, {"--cp-comm-type", "a2a"},
    {"--ds-sequence-parallel-size", "2"}, {"--use-distributed-optimizer", ""}, {"--zero-stage", "2"},
    {"--use-megatron-fsdp", ""}, {"--use-torch-fsdp2", ""}, {"--train-iters", "1000"}, {"--train-samples", "100000"},
    {"--train-tokens", "1000000000"}, {"--fp16", ""}, {"--bf16", ""}, {"--fp8-format", "hybrid"},
    {"--fp8-recipe", "blockwise"}, {"--grad-reduce-in-bf16", ""}, {"--accumulate-allreduce-grads-in-fp32", ""},
    {"--main-grads-dtype", "bf16"}, {"--optimizer-cpu-offload", ""}, {"--recompute-activations", ""},
    {"--recompute-granularity", "full"}, {"--recompute-modules", "core_attn"}, {"--moe-layer-recompute", ""},
    {"--checkpoint-activations", ""}, {"--activations-checkpoint-method", "uniform"}, {"--use-flash-attn", ""},
    {"--attention-backend", "unfused"},
    {"--cross-entropy-loss-fusion", ""}, {"--no-bias-swiglu-fusion", ""}, {"--no-bias-gelu-fusion", ""},
    {"--nnodes", "4"}, {"--nproc-per-node", "4"}, {"--hidden-dropout", "0.05"}, {"--seq-length", "1024"},
    {"--global-batch-size", "512"}, {"--tensor-model-parallel-size", "4"}, {"--ffn-hidden-size", "8192"},
    {"--swiglu", ""}, {"--untie-embeddings-and-output-weights", ""}, {"--disable-bias-linear", ""},
};

/* No default of Megatron comes in with a flag, and giving it twice is giving it once. */
static void a_flag_sets_its_own_key_alone(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(plans); p++)
        for (size_t i = 0; i < COUNT(samples); i++) {
            struct plan before, once, again;
            struct buffer text = {0};
            struct errors errors = {0};
            enum param key = 0;
            assert_true(read_line(plans[p], NULL, NULL, NULL, &before));
            assert_that(read_line(plans[p], NULL, samples[i].flag, samples[i].value, &once), "%s %s is refused",
                        plans[p], samples[i].flag);
            int count = count_changes(&before, &once, &key);
            assert_that(count <= 2, "%s %s sets %d keys, the first %s", plans[p], samples[i].flag, count,
                        param_rows[key].dotted);
            for (int k = 0; k < PARAM_COUNT; k++)
                assert_that(once.from[k] == before.from[k] || once.from[k] == FROM_SET, "%s %s: %s", plans[p],
                            samples[i].flag, param_rows[k].dotted);
            plan_emit(&text, &once, NULL, NULL);
            assert_int_equal(write_file(file, text.text, text.size, 0, &errors), 0);
            assert_true(read_line(file, NULL, NULL, NULL, &once));
            assert_true(read_line(file, NULL, samples[i].flag, samples[i].value, &again));
            assert_same_plan(&once, &again, plans[p], samples[i].flag, samples[i].value);
            buffer_free(&text);
        }
}

/* A flag that has the name of a key takes the key's words, and never drops one. */
static void a_flag_takes_what_its_key_takes(void **state)
{
    (void)state;
    static const struct {
        const char *flag, *value, *key, *wanted;
    } rows[] = {
        {"--sequence-parallel", NULL, "parallel.sp", "true"},
        {"--sequence-parallel", "false", "parallel.sp", "false"},
        {"--sequence-parallel=false", NULL, "parallel.sp", "false"},
        {"--swiglu=false", NULL, "model.gated_mlp", "false"},
        {"--optimizer", "paged_lion8bit", "train.optimizer", "paged_lion8bit"},
        {"--attention-output-gate=head", NULL, "model.attention_output_gate", "head"},
        {"--rollout-batch-size", "64", "rl.samples", "64"},
        {"--n-samples-per-prompt", "4", "rl.answers", "4"},
        {"--num-speculative-tokens", "3", "serve.spec_tokens", "3"},
        {"--lora-r", "8", "train.lora_rank", "8"},
        {"--TP", "4", "parallel.tp", "4"},
    };
    for (size_t p = 0; p < COUNT(plans); p++)
        for (size_t i = 0; i < COUNT(rows); i++) {
            struct plan before, plan;
            char value[PARAM_TEXT_MAX];
            enum param first, key = (enum param)param_find(rows[i].key);
            assert_true(read_line(plans[p], NULL, NULL, NULL, &before));
            assert_that(read_line(plans[p], NULL, rows[i].flag, rows[i].value, &plan), "%s is refused", rows[i].flag);
            param_print(&plan, key, value, sizeof value);
            assert_string_equal(value, rows[i].wanted);
            assert_in_range(count_changes(&before, &plan, &first), 0, 1);
        }
}

/* The flags that describe a whole run still come with Megatron's defaults. */
static void flags_alone_are_a_run(void **state)
{
    (void)state;
    char *argv[] = {"shardtop", "show", "--num-layers", "24", "--hidden-size", "2048", "--num-attention-heads", "16"};
    struct cli cli = {0};
    struct errors errors = {0};
    struct plan plan;
    assert_int_equal(cli_parse(&cli, COUNT(argv), argv, &errors), 0);
    assert_int_equal(cli_plan(&cli, &plan, &cli.made, &errors), 0);
    assert_true(plan.value[PARAM_model_hidden_dropout] == 0.1);
    assert_int_equal(plan.from[PARAM_train_dtype], FROM_DEFAULT);
    cli_free(&cli);
    errors_free(&errors);
}

static int make_file(void **state)
{
    (void)state;
    return close(mkstemp(file));
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flag_that_repeats_the_plan_changes_nothing),
        cmocka_unit_test(a_flag_sets_its_own_key_alone),
        cmocka_unit_test(a_flag_takes_what_its_key_takes),
        cmocka_unit_test(flags_alone_are_a_run),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file) != 0;
}
