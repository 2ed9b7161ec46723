/* nanotron's configurations: old and new spelling, the three model classes, and what is refused. */
#include "tests/unit/import_check.h"

#include "src/import/nanotron.h"

static struct outcome read_text(const char *text, size_t size, const char *name)
{
    struct import import = {0};
    struct errors errors = {0};
    int result = nanotron_import(text, size, name, &import, &errors);
    return outcome_of(result, &import, &errors);
}

static struct outcome read_input(const char *name)
{
    size_t size;
    char *text = input_text(name, &size);
    assert_int_equal(plan_recognise(text, size), KIND_NANOTRON);
    struct outcome out = read_text(text, size, name);
    free(text);
    return out;
}

static void a_configuration_of_today(void **state)
{
    (void)state;
    struct outcome out = read_input("nanotron.yaml");
    assert_string_equal(out.settings,
                        "framework.name=nanotron\nframework.nanotron_model=llama\nmodel.name=llama\n"
                        "model.position_embedding=rope\nmodel.gated_mlp=true\nmodel.num_layers=20\n"
                        "model.hidden_size=1024\n"
                        "model.ffn_hidden_size=2816\nmodel.num_attention_heads=16\nmodel.max_position_embeddings=2048\n"
                        "model.tied_embeddings=false\nmodel.vocab_size=30000\nparallel.dp=4\nparallel.tp=2\n"
                        "parallel.pp=2\n"
                        "parallel.cp=2\nparallel.ep=1\nparallel.schedule=1f1b\nframework.tp_mode=reduce_scatter\n"
                        "framework.tp_async=true\nframework.tp_recompute_allgather=false\ntrain.dtype=bf16\n"
                        "model.make_vocab_size_divisible_by=64\nframework.accumulate_grad_fp32=true\n"
                        "train.optimizer=adam\n"
                        "train.seq_length=2048\ntrain.micro_batch_size=2\nparallel.sp=true\ntrain.recompute=full\n"
                        "parallel.zero_stage=1\ntrain.global_batch_size=64\ntrain.total_tokens=131072000\n"
                        "framework.ddp_bucket_elements=26214400\n- model.normalization=rmsnorm\n");
    assert_message(out.messages,
                   "nanotron.yaml:48: optimizer.zero_stage: nanotron only shards the optimizer; using stage "
                   "1\n"
                   "nanotron.yaml:18: data_stages.1.sequence_length: differs from tokens.sequence_length, which "
                   "is used; set train.seq_length for this stage\n");
    assert_string_equal(out.unused,
                        "general data_stages.0 data_stages.1.data data_stages.1.name data_stages.1.start_training_step "
                        "lighteval model.model_config.hidden_act model.model_config.rope_scaling optimizer.clip_grad "
                        "optimizer.learning_rate_scheduler optimizer.optimizer_factory.adam_eps "
                        "tokens.val_check_interval");
    outcome_free(&out);
}

static void experts_and_a_key_given_twice(void **state)
{
    (void)state;
    struct outcome out = read_input("nanotron-experts.yaml");
    assert_string_equal(out.settings,
                        "framework.name=nanotron\nframework.nanotron_model=qwen2\nmodel.name=qwen2\n"
                        "model.position_embedding=rope\nmodel.gated_mlp=true\nmodel.num_layers=6\n"
                        "model.hidden_size=512\n"
                        "model.ffn_hidden_size=1536\nmodel.num_attention_heads=8\nmodel.num_query_groups=2\n"
                        "model.max_position_embeddings=1024\nmodel.tied_embeddings=true\nmodel.sliding_window=256\n"
                        "model.vocab_size=5000\nmodel.add_qkv_bias=true\nmodel.num_experts=4\nmodel.moe_router_topk=1\n"
                        "parallel.moe_dispatcher=allgather\nmodel.moe_shared_ffn_hidden_size=768\n"
                        "model.moe_shared_expert_gate=true\nparallel.dp=2\nparallel.tp=1\nparallel.pp=1\n"
                        "parallel.ep=2\n"
                        "parallel.schedule=gpipe\nframework.tp_mode=all_reduce\ntrain.dtype=fp32\n"
                        "framework.accumulate_grad_fp32=false\ntrain.seq_length=1024\ntrain.micro_batch_size=1\n"
                        "parallel.zero_stage=0\ntrain.global_batch_size=8\ntrain.total_tokens=81920\n"
                        "- model.normalization=rmsnorm\n- model.moe_ffn_hidden_size=1408\n");
    assert_message(out.messages,
                   "nanotron-experts.yaml:11: moe_config: is given again on line 18; the last one counts\n"
                   "nanotron-experts.yaml:29: optimizer: is in the spelling before 2024; for memory as of then "
                   "set "
                   "framework.name nanotron-pre203\n"
                   "nanotron-experts.yaml:2: parallelism.expert_parallel_size: nanotron of 2026 does not start "
                   "with more "
                   "than 1\n");
    outcome_free(&out);
}

/* ---- single keys and refusals ----------------------------------------------------------------------------------- */

#define TAIL "parallelism: {dp: 1, tp: 1, pp: 1}\ntokens: {sequence_length: 8, micro_batch_size: 1}\n"
#define MODEL(config) "model:\n  model_config: {" config "}\n" TAIL

static const struct {
    const char *text, *line;
} setting_rows[] = {
    {MODEL("is_starcoder2_config: true"), "model.hidden_dropout=0.1\n"},
    {MODEL("num_kv_heads: 2, resid_pdrop: 0"), "framework.nanotron_model=starcoder2\n"},
    {MODEL("multi_query: true, is_starcoder2_config: true"), "model.num_query_groups=1\n"},
    {MODEL("_use_qkv_packed: true"), "framework.nanotron_model=qwen2\n"},
    {MODEL("is_llamoe_config: true, moe_num_experts: 4, num_experts_per_tok: 2, moe_capacity_factor: 1.5"),
     "model.moe_capacity_factor=1.5\n"},
    {MODEL("hidden_size: null"), "- model.hidden_size=4096\n"},
    {MODEL("hidden_size: 1_024"), "model.hidden_size=1024\n"},
    {MODEL("hidden_size: 1.024e3"), "model.hidden_size=1024\n"},
    {MODEL("_attn_implementation: eager"), "train.attention=unfused\n"},
    {"model: {model_config: {use_cache: true}}\noptimizer: {optimizer_factory: {name: sgd}}\n" TAIL,
     "train.optimizer=sgd\n"},
    {"model: {model_config: {use_cache: true}}\nparallelism: {recompute_granularity: SELECTIVE}\n",
     "train.recompute=selective\n"},
    {MODEL("use_cache: true"), "- parallel.schedule=gpipe\n"},
};

static void single_settings(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(setting_rows); i++) {
        struct outcome out = read_text(setting_rows[i].text, strlen(setting_rows[i].text), "file");
        assert_that(out.result == 0 && strstr(out.settings, setting_rows[i].line), "%s\ndoes not give %s\n%s%s",
                    setting_rows[i].text, setting_rows[i].line, out.settings, out.messages);
        outcome_free(&out);
    }
}

static const struct {
    const char *text, *messages;
    int result;
} message_rows[] = {
    {MODEL("is_mamba_config: true, d_model: 8"),
     "file:2: model.model_config.is_mamba_config: a Mamba model has state-space layers, which are not modelled; give a "
     "transformer\n", -1},
    {TAIL, "file: model.model_config: is missing; give the whole nanotron configuration\n", -1},
    {"model: {model_config: {hidden_size: 8}}\n",
     "file: parallelism: is missing; give the whole nanotron configuration\n", -1},
    {MODEL("hidden_size: wide"), "file:2: model.model_config.hidden_size: \"wide\" is not a number; ignored\n",
     0},
    {MODEL("num_hidden_layers: 1.5"),
     "file:2: model.model_config.num_hidden_layers: 1.5 is not a whole number of at least 0; ignored\n", 0},
    {MODEL("tie_word_embeddings: perhaps"),
     "file:2: model.model_config.tie_word_embeddings: \"perhaps\" is not true or false; ignored\n", 0},
    {"model: {model_config: {use_cache: true}}\nparallelism: {dp: -1}\n",
     "file:2: parallelism.dp: -1 is not a whole number of at least 0; ignored\n", 0},
    {"model:\n\t- x\n",
     "file:2: is not valid YAML (found character that cannot start any token while scanning for the next token); check "
     "indentation, colons and quotes\n", -1},
    {"a: &a {b: *a}\n", "file:1: an alias contains itself; write the value out\n", -1},
    {"- a\n", "file: is not a mapping of keys to values; give the whole file\n", -1},
    {MODEL("vocab_size: -1"),
     "file:2: model.model_config.vocab_size: comes from the tokenizer, which is not read; give model.vocab_size with "
     "--set\n", 0},
    {"model: {model_config: {use_cache: true}}\nparallelism: {tp_mode: SIDEWAYS}\n",
     "file:2: parallelism.tp_mode: SIDEWAYS has no counterpart here; give framework.tp_mode with --set\n", 0},
};

static void whole_messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(message_rows); i++) {
        struct outcome out = read_text(message_rows[i].text, strlen(message_rows[i].text), "file");
        assert_message(out.messages, message_rows[i].messages);
        assert_int_equal(out.result, message_rows[i].result);
        outcome_free(&out);
    }
}

/* Aliases of aliases: few bytes, many values. */
static void aliases_that_multiply_are_refused(void **state)
{
    (void)state;
    struct buffer text = {0};
    buffer_puts(&text, "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n");
    for (int i = 1; i < 12; i++)
        buffer_printf(&text, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i, i, i - 1, i - 1, i - 1,
                      i - 1, i - 1, i - 1, i - 1, i - 1);
    struct outcome out = read_text(text.text, text.size, "file");
    assert_message(out.messages,
                   "file:1: has more than 100000 values, aliases written out; give the configuration alone\n");
    outcome_free(&out);
    buffer_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_configuration_of_today),
        cmocka_unit_test(experts_and_a_key_given_twice),
        cmocka_unit_test(single_settings),
        cmocka_unit_test(whole_messages),
        cmocka_unit_test(aliases_that_multiply_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
