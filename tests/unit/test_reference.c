/* Reference estimators: their tables describe their structs, and their rules come in the estimators' own order. */
#include "tests/check.h"

#include "core/reference/reference.h"

static struct reference_inputs in;
static struct reference_answer out;

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static size_t size_of(const struct reference_member *row)
{
    static const size_t sizes[] = {
        [REFERENCE_NUMBER] = sizeof(double),
        [REFERENCE_BOOL] = sizeof(double),
        [REFERENCE_NAME] = sizeof(struct reference_name),
        [REFERENCE_WORD] = sizeof(const char *),
        [REFERENCE_LIST] = sizeof(struct reference_list),
        [REFERENCE_STAGES] = sizeof(struct reference_stages),
        [REFERENCE_GROUPS] = sizeof(struct reference_groups),
    };
    return sizes[row->type] * (size_t)(row->count ? row->count : 1);
}

static size_t check_rows(const struct reference_member *rows, int count)
{
    size_t size = 0;
    for (int i = 0; i < count; i++) {
        size += size_of(&rows[i]);
        assert_that(strpbrk(rows[i].name, "\"\\ ") == NULL, "%s needs escapes in JSON", rows[i].name);
        for (int k = 0; k < i; k++) {
            assert_that(strcmp(rows[i].name, rows[k].name) != 0, "%s stands twice", rows[i].name);
            assert_that(rows[i].offset != rows[k].offset, "%s and %s are one place", rows[i].name, rows[k].name);
        }
    }
    return size;
}

/* Every value that is computed is printed: the rows of a function fill its struct. */
static void values_have_a_row_each(void **state)
{
    static const size_t sizes[REFERENCE_FN_COUNT] = {
        [REFERENCE_TOOL_ANALYZE] = sizeof(struct tool_values),
        [REFERENCE_REPORT_REPORT] = sizeof(struct report_values),
        [REFERENCE_LLM_TRAIN] = sizeof(struct llm_train_values),
        [REFERENCE_LLM_INFER] = sizeof(struct llm_infer_values),
        [REFERENCE_ZERO2] = sizeof(struct deepspeed_values) - sizeof(double), /* no largest layer */
        [REFERENCE_ZERO3] = sizeof(struct deepspeed_values),
    };
    (void)state;
    for (int fn = 0; fn < REFERENCE_FN_COUNT; fn++) {
        const struct reference_function *f = reference_functions[fn];
        assert_that(check_rows(f->values, f->value_count) == sizes[fn], "%s: a value without a row", f->name);
    }
}

static void inputs_are_found_by_name_from_any_hint(void **state)
{
    (void)state;
    for (int fn = 0; fn < REFERENCE_FN_COUNT; fn++) {
        const struct reference_function *f = reference_functions[fn];
        check_rows(f->inputs, f->input_count);
        for (int i = 0; i < f->input_count; i++)
            for (int hint = -1; hint <= f->input_count; hint++)
                assert_int_equal(reference_member_find(f->inputs, f->input_count, hint, f->inputs[i].name,
                                                       strlen(f->inputs[i].name)),
                                 i);
        assert_int_equal(reference_member_find(f->inputs, f->input_count, 0, "inputs.nothing", 14), -1);
    }
}

static void functions_are_found_by_both_names(void **state)
{
    (void)state;
    for (int fn = 0; fn < REFERENCE_FN_COUNT; fn++)
        assert_int_equal(
            reference_find(reference_rows[reference_functions[fn]->estimator].name, reference_functions[fn]->name), fn);
    assert_int_equal(reference_find("deepspeed", "zero1"), -1);
    assert_int_equal(reference_find("colossal", "train"), -2);
}

/* ---- llm-analysis: rules ---------------------------------------------------------------------------------------- */

/* Sets inputs from a text such as "tp_size=4 model_config.n_head=6"; "null" is no value. */
static void set_inputs(const char *settings)
{
    const struct reference_function *f = reference_functions[in.fn];
    char text[1024], path[160], *rest = NULL;
    strcpy(text, settings);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        snprintf(path, sizeof path, "%s%s", strchr(word, '.') ? "" : "inputs.", word);
        int row = reference_member_find(f->inputs, f->input_count, 0, path, strlen(path));
        assert_that(row >= 0, "%s has no input %s", f->name, path);
        void *place = (char *)&in.of + f->inputs[row].offset;
        if (f->inputs[row].type == REFERENCE_NAME)
            strcpy(((struct reference_name *)place)->text, value);
        else
            *(double *)place = strcmp(value, "null") == 0 ? NAN : strtod(value, NULL);
    }
}

static const char *rule_of(enum reference_fn fn, const char *base, const char *settings)
{
    reference_defaults(fn, &in);
    set_inputs(base);
    set_inputs(settings);
    reference_run(&in, &out);
    return out.rule ? out.rule : "none";
}

#define LLAMA "model_name=decapoda-research_llama-7b-hf gpu_name=a100-sxm-80gb flops_efficiency=0.5"
#define SMALL "model_name=gpt2 gpu_name=a100-sxm-80gb flops_efficiency=0.5"
#define OWN                                                                                                            \
    "gpu_name=a100-sxm-80gb model_config.num_layers=4 model_config.hidden_dim=768 model_config.vocab_size=1000 "

#define TOOL                                                                                                          \
    "--num-layers=32 --hidden-size=4096 --seq-length=2048 --vocab-entries=50257 --nproc_per_node=8 --bf16=1"          \
    " --micro-batch-size=4 --global-batch-size=512 --use-flash-attn=1 --use-distributed-optimizer=1 --swiglu=1"

struct rule_case {
    enum reference_fn fn;
    const char *base, *settings, *rule;
};

/* Where several rules are broken, the one that the original meets first is the answer. */
static const struct rule_case rule_cases[] = {
    {REFERENCE_LLM_TRAIN, SMALL, "", "none"},
    {REFERENCE_LLM_TRAIN, LLAMA, "tp_size=16 total_num_gpus=3 dp_size=1 model_name=x", "tp_above_gpus_per_node"},
    {REFERENCE_LLM_TRAIN, LLAMA, "total_num_gpus=5 dp_size=2 model_name=x", "gpus_not_dp_tp_pp"},
    {REFERENCE_LLM_TRAIN, LLAMA, "total_num_gpus=5 tp_size=2 model_name=x", "gpus_not_multiple_of_tp_pp"},
    {REFERENCE_LLM_TRAIN, LLAMA, "model_name=x gpu_name=y", "unknown_model"},
    {REFERENCE_LLM_TRAIN, OWN, "model_config.n_head=6 model_config.num_key_value_heads=4 gpu_name=y",
     "heads_not_divisible_by_kv_heads"},
    {REFERENCE_LLM_TRAIN, OWN, "model_config.n_head=6 model_config.ffn_embed_dim=2000 gpu_name=y",
     "ffn_not_multiple_of_hidden"},
    {REFERENCE_LLM_TRAIN, LLAMA, "gpu_name=y dtype_name=z", "unknown_gpu"},
    {REFERENCE_LLM_TRAIN, LLAMA, "dtype_name=fp8 hbm_memory_efficiency=2", "unknown_dtype"},
    {REFERENCE_LLM_TRAIN, LLAMA, "hbm_memory_efficiency=1.1 flops_efficiency=2", "hbm_efficiency_range"},
    {REFERENCE_LLM_TRAIN, LLAMA, "achieved_tflops=400 sp_size=3", "flops_efficiency_range"},
    {REFERENCE_LLM_TRAIN, LLAMA, "tp_size=4 sp_size=2 activation_recomputation=7", "sp_not_equal_tp"},
    {REFERENCE_LLM_TRAIN, LLAMA, "activation_recomputation=3 ds_zero=4", "bad_recompute_level"},
    {REFERENCE_LLM_TRAIN, LLAMA, "ds_zero=4 seq_len=9999", "bad_zero_stage"},
    {REFERENCE_LLM_TRAIN, LLAMA, "seq_len=9999", "seq_len_above_max"},
    {REFERENCE_LLM_TRAIN, LLAMA, "model_name=bigscience_bloom-7b1", "seq_len_missing"},
    {REFERENCE_LLM_TRAIN, LLAMA, "model_name=bigscience_bloom-7b1 seq_len=128", "seq_len_compare_with_null_max"},
    {REFERENCE_LLM_TRAIN, SMALL, "global_batch_size=9 batch_size_per_gpu=2 gradient_accumulation_steps=4",
     "gbs_not_mbs_ga_dp"},
    {REFERENCE_LLM_TRAIN, SMALL, "global_batch_size=9 batch_size_per_gpu=2", "gbs_not_divisible_by_mbs_dp"},
    {REFERENCE_LLM_TRAIN, SMALL, "global_batch_size=9 gradient_accumulation_steps=2", "gbs_not_divisible_by_ga_dp"},
    {REFERENCE_LLM_TRAIN, SMALL, "global_batch_size=9 dp_size=2", "gbs_not_divisible_by_dp"},
    {REFERENCE_LLM_TRAIN, SMALL, "batch_size_per_gpu=4096", "mbs_above_max"},
    {REFERENCE_LLM_TRAIN, LLAMA, "global_batch_size=8", "no_batch_fits"},
    {REFERENCE_LLM_TRAIN, LLAMA, "", "no_batch_fits"},
    {REFERENCE_LLM_TRAIN, SMALL, "gpu_name=v100-sxm-32gb dtype_name=w8a8e16 batch_size_per_gpu=1", "division_by_zero"},
    {REFERENCE_LLM_TRAIN, SMALL, "tp_size=null", "input_missing"},
    {REFERENCE_LLM_TRAIN, SMALL, "tp_size=1e19", "input_out_of_range"},
    {REFERENCE_LLM_INFER, LLAMA, "", "none"},
    {REFERENCE_LLM_INFER, LLAMA, "ds_zero=4 seq_len=9999", "bad_zero_stage"},
    {REFERENCE_LLM_INFER, LLAMA, "seq_len=9999", "seq_len_above_max"},
    {REFERENCE_LLM_INFER, LLAMA, "model_name=decapoda-research_llama-65b-hf", "infer_weights_over_memory"},
    {REFERENCE_LLM_INFER, LLAMA, "batch_size_per_gpu=4096", "infer_prefill_over_memory"},
    {REFERENCE_LLM_INFER, LLAMA, "batch_size_per_gpu=512", "infer_kv_over_memory"},
    {REFERENCE_LLM_INFER, LLAMA, "num_tokens_to_generate=0", "division_by_zero"},
    {REFERENCE_TOOL_ANALYZE, TOOL, "--use-flash-attn=0 --swiglu=0", "flash_attention_required"},
    {REFERENCE_TOOL_ANALYZE, TOOL, "--use-distributed-optimizer=0 --swiglu=0", "distributed_optimizer_required"},
    {REFERENCE_TOOL_ANALYZE, TOOL, "--swiglu=0", "swiglu_required"},
    {REFERENCE_TOOL_ANALYZE, TOOL, "--num-layers=2.5", "input_not_a_count"},
    {REFERENCE_TOOL_ANALYZE, TOOL, "--nnodes=1000000", "input_out_of_range"},
    {REFERENCE_TOOL_ANALYZE, TOOL, "--tensor-model-parallel-size=16", "division_by_zero"},
    {REFERENCE_TOOL_ANALYZE, TOOL, "--hidden-size=null", "input_missing"},
    {REFERENCE_ZERO2, "total_params=1e9 nodes=0 offload_optimizer=0", "", "division_by_zero"},
    {REFERENCE_ZERO3, "total_params=1e9", "", "input_missing"},
};

static void rules_come_in_the_order_of_the_original(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rule_cases); i++) {
        const struct rule_case *c = &rule_cases[i];
        const char *rule = rule_of(c->fn, c->base, c->settings);
        assert_that(strcmp(rule, c->rule) == 0, "%s %s: %s instead of %s (%s)", c->base, c->settings, rule, c->rule,
                    out.message);
        if (out.rule) {
            assert_non_null(reference_rule_text(out.rule));
            assert_true(*out.message);
        }
        for (int k = 0; k < out.warnings; k++)
            assert_non_null(reference_rule_text(out.warning[k]));
    }
    assert_null(reference_rule_text("no such rule"));
}

static void what_does_not_fit_is_said_with_the_shortfall(void **state)
{
    (void)state;
    rule_of(REFERENCE_LLM_TRAIN, LLAMA, "");
    assert_string_equal(out.message,
                        "one sequence needs 10.42 GiB besides the model states; -30.20 GiB are left, 40.62 short");
}

/*
 * Any two of global batch, micro-batch and accumulation steps give the third; of the global batch alone the largest
 * fits.
 */
static void batches_follow_from_what_is_given(void **state)
{
    static const struct {
        const char *settings;
        double batch, steps, global;
    } cases[] = {
        {"global_batch_size=64 batch_size_per_gpu=4 dp_size=2", 4, 8, 64},
        {"global_batch_size=64 gradient_accumulation_steps=8 dp_size=2", 4, 8, 64},
        {"batch_size_per_gpu=4 gradient_accumulation_steps=3 dp_size=2", 4, 3, 24},
        {"batch_size_per_gpu=4", 4, 1, 4},
        {"global_batch_size=64 dp_size=2", 32, 1, 64},
        {"global_batch_size=7919", 1, 7919, 7919}, /* a prime */
        {"batch_size_per_gpu=8192 global_batch_size=8192", 8192, 1, 8192}, /* both given: memory is not asked */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_string_equal(rule_of(REFERENCE_LLM_TRAIN, SMALL, cases[i].settings), "none");
        assert_same(out.values.train.batch_size_per_gpu, cases[i].batch);
        assert_same(out.values.train.gradient_accumulation_steps, cases[i].steps);
        assert_same(out.values.train.global_batch_size, cases[i].global);
    }
}

static void shipped_names_all_answer(void **state)
{
    (void)state;
    assert_int_equal(llm_model_count, 47);
    assert_int_equal(llm_gpu_count, 17);
    assert_int_equal(llm_dtype_count, 12);
    for (int m = 0; m < llm_model_count; m++) {
        char text[256];
        snprintf(text, sizeof text, "model_name=%s gpu_name=mi250-128gb tp_size=8 pp_size=8 seq_len=128",
                 llm_models[m].name);
        assert_that(strcmp(rule_of(REFERENCE_LLM_INFER, text, ""), "none") == 0, "%s: %s", llm_models[m].name,
                    out.message);
    }
    for (int g = 0; g < llm_gpu_count; g++)
        assert_true(llm_find_gpu(llm_gpus[g].name) == &llm_gpus[g]);
    for (int d = 0; d < llm_dtype_count; d++)
        assert_true(llm_find_dtype(llm_dtypes[d].name) == &llm_dtypes[d]);
}

/* ---- the others: published figures ------------------------------------------------------------------------------ */

/* The tool's published table; its first row shows 68.8, which no released version prints. */
static void tool_prints_its_published_table(void **state)
{
    static const struct {
        const char *settings;
        double peak;
    } rows[] = {
        {"--micro-batch-size=2 --global-batch-size=2048", 69.0},
        {"--micro-batch-size=4 --global-batch-size=512 --tensor-model-parallel-size=2", 55.5},
        {"--micro-batch-size=2 --global-batch-size=2048 --pipeline-model-parallel-size=2", 49.5},
        {"--micro-batch-size=4 --global-batch-size=128 --tensor-model-parallel-size=8", 28.6},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_string_equal(rule_of(REFERENCE_TOOL_ANALYZE, TOOL, rows[i].settings), "none");
        assert_same(out.values.tool.gpu.printed_peak, rows[i].peak);
    }
}

/* Published in DeepSpeed's documentation for a model of 2.851e9 parameters, largest layer 32e6, on 8 GPUs. */
static void deepspeed_matches_its_documentation(void **state)
{
    (void)state;
    rule_of(REFERENCE_ZERO3, "total_params=2851e6 largest_layer_params=32e6 gpus_per_node=8", "zero_init=0");
    assert_near(out.values.deepspeed.cpu_bytes / GIB, 127.48, 1e-3); /* 4 x 8 bytes a parameter exceed 18 */
    rule_of(REFERENCE_ZERO3, "total_params=2851e6 largest_layer_params=32e6 gpus_per_node=8", "zero_init=1");
    assert_near(out.values.deepspeed.cpu_bytes / GIB, 71.71, 1e-3);
    assert_near(out.values.deepspeed.gpu_bytes / GIB, 0.12, 0.01);
}

static void answers_do_not_depend_on_what_was_before(void **state)
{
    (void)state;
    rule_of(REFERENCE_LLM_INFER, LLAMA, "");
    struct reference_answer first = out;
    memset(&out, 0x5a, sizeof out);
    memset(&in, 0x5a, sizeof in);
    rule_of(REFERENCE_LLM_INFER, LLAMA, "");
    assert_memory_equal(&first, &out, sizeof out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_have_a_row_each),
        cmocka_unit_test(inputs_are_found_by_name_from_any_hint),
        cmocka_unit_test(functions_are_found_by_both_names),
        cmocka_unit_test(rules_come_in_the_order_of_the_original),
        cmocka_unit_test(what_does_not_fit_is_said_with_the_shortfall),
        cmocka_unit_test(batches_follow_from_what_is_given),
        cmocka_unit_test(shipped_names_all_answer),
        cmocka_unit_test(tool_prints_its_published_table),
        cmocka_unit_test(deepspeed_matches_its_documentation),
        cmocka_unit_test(answers_do_not_depend_on_what_was_before),
    };
    return cmocka_run_group_tests_name("reference", tests, NULL, NULL);
}
