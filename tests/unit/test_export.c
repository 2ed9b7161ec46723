/*
 * Plans as flags and configurations: what is written reads back to the same estimate, and what cannot be said is named.
 */
#include "tests/check.h"

#include "core/plan/framework.h"
#include "src/export/export.h"
#include "src/import/import.h"
#include "src/import/recognise.h"
#include "src/plan/plan_io.h"
#include "src/plan/preset.h"
#include "src/text/errors.h"
#include "src/text/text.h"

enum { PLANS = 2000 };

/* ---- reading back ----------------------------------------------------------------------------------------------- */

static int read_back(const struct buffer *text, const struct plan *base, struct import *out, struct errors *errors)
{
    enum plan_kind kind = plan_recognise(text->text, text->size);
    out->base = base;
    return formats[kind].read ? recognise_read(kind, text->text, text->size, "x", out, errors) : -1;
}

/* True for keys that a file of the format decides, so that they must not be left from the plan. */
static bool is_replaced(const char *format, const struct import *import, int id)
{
    static const enum param ours[] = {PARAM_model_make_vocab_size_divisible_by, PARAM_model_moe_imbalance,
                                      PARAM_model_moe_capacity_factor};
    if (strcmp(format, "deepspeed") == 0) {
        for (size_t i = 0; i < import->settings.count + import->defaults.count; i++) {
            const struct keyval *kv = i < import->settings.count ? &import->settings.item[i]
                                                                 : &import->defaults.item[i - import->settings.count];
            if (param_find(kv->key) == id)
                return true;
        }
        return false;
    }
    for (size_t i = 0; i < COUNT(ours); i++)
        if (strcmp(format, "hf") == 0 && (int)ours[i] == id)
            return false;
    return strcmp(format, "hf") == 0 ? param_rows[id].group_id == GROUP_model
                                     : param_rows[id].group_id <= GROUP_framework;
}

static void check_same(double a, double b, const char *what, const char *format, const struct plan *plan,
                       const struct buffer *text)
{
    assert_that(a == b || (isnan(a) && isnan(b)), "%s, %s: %.17g read back as %.17g\n%s\n%s", format, what, a, b,
                check_describe(plan), text->text);
}

static void check_estimates(const struct estimate *a, const struct estimate *b, const char *format,
                            const struct plan *plan, const struct buffer *text)
{
    check_same(a->stages, b->stages, "stages", format, plan, text);
    check_same(a->totals.total, b->totals.total, "parameters", format, plan, text);
    check_same(a->totals.total_bytes, b->totals.total_bytes, "bytes of the full model", format, plan, text);
    check_same(a->step.iteration_s, b->step.iteration_s, "iteration", format, plan, text);
    for (int i = 0; i < a->stages; i++) {
        check_same(a->stage[i].params, b->stage[i].params, "parameters of a stage", format, plan, text);
        check_same(a->stage[i].device_bytes, b->stage[i].device_bytes, "device memory", format, plan, text);
    }
}

/* Every fault must name a key. Returns how many there are, and prints those beyond `expected`. */
static int check_faults(const struct errors *notes, const char *format, int expected)
{
    int count = 0;
    for (size_t i = 0; i < notes->count; i++) {
        char key[64];
        if (!check_mentions(notes->line[i], "is not supported in"))
            continue;
        snprintf(key, sizeof key, "%.*s", (int)strcspn(notes->line[i], ":"), notes->line[i]);
        assert_that(!IS_WORDED || param_find(key) >= 0, "%s: names no key: %s", format, notes->line[i]);
        if (count++ >= expected)
            print_error("%s\n", notes->line[i]);
    }
    assert_that(count > 0, "%s: %s", format, notes->count ? notes->line[0] : "no reason");
    return count;
}

/* The plan that a text is read as, beside the keys that the format is not about. */
static void read_plan(const char *format, const struct buffer *text, const struct plan *resolved, struct plan *again)
{
    struct errors errors = {0};
    struct import import = {0};
    assert_that(read_back(text, resolved, &import, &errors) == 0, "%s: %s\n%s", format,
                errors.count ? errors.line[0] : "not recognised", text->text);
    *again = *resolved;
    for (int i = 0; i < PARAM_COUNT; i++)
        if (is_replaced(format, &import, i)) {
            again->value[i] = NAN;
            again->layout.chunks = i == PARAM_parallel_pipeline_layout ? 0 : again->layout.chunks;
        }
    assert_that(plan_apply_import(again, &import, NULL, FROM_FILE, &errors) == 0, "%s: %s\n%s", format,
                errors.line[errors.count - 1], text->text);
    import.base = NULL;
    import_free(&import);
    errors_free(&errors);
}

/*
 * Exports, imports, and compares the estimates. Returns 0, or the number of keys that the format has no place for, and
 * prints those beyond `expected`.
 */
static int check_round_trip(const struct plan *plan, const char *format, int expected)
{
    static struct estimate before, after;
    struct plan resolved, again;
    struct buffer text = {0};
    struct errors notes = {0};
    int count = 0;
    plan_resolve(plan, &resolved);
    if (export_plan(export_find(format), plan, &resolved, &text, &notes) == 0) {
        read_plan(format, &text, &resolved, &again);
        estimate_plan(plan, &before);
        estimate_plan(&again, &after);
        check_estimates(&before, &after, format, plan, &text);
    } else {
        count = check_faults(&notes, format, expected);
    }
    errors_free(&notes);
    buffer_free(&text);
    return count;
}

/* A framework that takes files of the format, by the order of export_names. */
static const enum framework_id framework_of[] = {FRAMEWORK_MEGATRON_CORE, FRAMEWORK_NANOTRON, FRAMEWORK_DEEPSPEED,
                                                 FRAMEWORK_MEGATRON_CORE};

static void random_plans_read_back_to_the_same_estimate(void **state)
{
    (void)state;
    struct check_random random = {11};
    int written[COUNT(framework_of)] = {0};
    const int plans = check_cases(PLANS);
    for (int i = 0; i < plans; i++) {
        struct plan plan;
        check_random_plan(&random, &plan);
        for (int k = 0; k < (int)COUNT(framework_of); k++) {
            plan.value[PARAM_framework_name] = framework_of[k];
            plan.from[PARAM_framework_name] = FROM_SET;
            written[k] += check_round_trip(&plan, export_names[k], PARAM_COUNT) == 0;
        }
    }
    for (int k = 0; k < (int)COUNT(framework_of); k++)
        assert_that(written[k] > plans / 20, "%s: only %d of %d plans are written", export_names[k], written[k], plans);
}

/* A random plan of a shipped model, as formats need it that name their model. */
static void random_named_plan(struct check_random *random, enum framework_id framework, struct plan *out)
{
    static const char *const models[] = {"llama3.1-8b", "llama3.1-70b", "qwen3-8b", "qwen3-30b-a3b", "deepseek-v3"};
    static const char *const tuned[] = {"", "", "peft=lora", "peft=lora lora_targets=[q,v] lora_rank=8", "peft=qlora",
                                        "peft=lora packing=packed", "peft=none main_param_dtype=bf16 packing=padded",
                                        "peft=lora fast_kernels=liger compile=true", "fsdp=full zero_stage=0",
                                        "zero_stage=3", "optimizer=adam8bit"};
    struct errors errors = {0};
    check_random_plan(random, out);
    for (int i = 0; i < PARAM_COUNT; i++)
        if (param_rows[i].group_id == GROUP_model)
            param_clear(out, (enum param)i);
    out->layout.chunks = 0;
    assert_int_equal(preset_apply(out, PARAM_model_name, models[check_below(random, COUNT(models))], FROM_PRESET, NULL,
                                  &errors),
                     0);
    KEY_OF(out, framework, name) = framework;
    out->from[PARAM_framework_name] = FROM_SET;
    if (framework != FRAMEWORK_MEGATRON_CORE)
        param_clear(out, PARAM_train_grad_dtype);
    if (framework != FRAMEWORK_MEGATRON_CORE && framework != FRAMEWORK_FSDP2) {
        check_set(out, "tp=1 sp=false pp=1 cp=1 ep=1 etp=1 vpp=1 zero_stage=0");
        check_set(out, tuned[check_below(random, COUNT(tuned))]);
    } else if (framework == FRAMEWORK_FSDP2) {
        check_set(out, check_below(random, 2) ? "fsdp=full zero_stage=0"
                                              : "fsdp=shard_grad_op zero_stage=0 compile=true");
        check_set(out, KEY_OF(out, parallel, tp) > 1 ? "sp=true vpp=1 dtype=bf16" : "vpp=1 dtype=bf16");
    }
    errors_free(&errors);
}

static void random_plans_of_named_models_read_back(void **state)
{
    (void)state;
    static const struct {
        const char *format;
        enum framework_id framework;
    } named[] = {{"torchtitan", FRAMEWORK_FSDP2}, {"megatron-bridge", FRAMEWORK_MEGATRON_CORE},
                 {"llama-factory", FRAMEWORK_LLAMA_FACTORY}, {"axolotl", FRAMEWORK_AXOLOTL},
                 {"trl", FRAMEWORK_TRL_SFT}};
    struct check_random random = {28};
    int written[COUNT(named)] = {0};
    const int plans = check_cases(PLANS);
    for (int i = 0; i < plans; i++)
        for (size_t k = 0; k < COUNT(named); k++) {
            struct plan plan;
            random_named_plan(&random, named[k].framework, &plan);
            written[k] += check_round_trip(&plan, named[k].format, PARAM_COUNT) == 0;
        }
    for (size_t k = 0; k < COUNT(named); k++)
        assert_that(written[k] > plans / 20, "%s: only %d of %d plans are written", named[k].format, written[k],
                    plans);
}

/* ---- what each format must be able to say ----------------------------------------------------------------------- */

static const struct {
    const char *format, *settings;
} whole_rows[] = {
    {"megatron", GPT3_175B " tp=8 pp=8 dp=2 sp=true recompute=selective hidden_dropout=0.1"},
    {"megatron", LLAMA3_70B " tp=8 pp=4 vpp=2 dp=4 sp=true zero_stage=1 overlap_grad_reduce=true global_batch_size=64"},
    {"megatron", LLAMA2_7B " tp=2 pp=4 dp=2 pipeline_layout=[7,8,8,9] total_tokens=4.096e9"},
    {"megatron", DEEPSEEK_V3 " pp=2 vpp=2 dp=8 ep=8 mtp_num_layers=1 pipeline_layout=[16,16,16,13]"},
    {"megatron", LLAMA3_8B " tp=4 cp=2 dp=2 dtype=fp8 cross_entropy=te_fused recompute=full recompute_num_layers=2"},
    {"megatron", LLAMA3_8B " tp=2 pp=2 dp=2 sliding_window=4096 sliding_window_every=4 optimizer=sgd"},
    {"megatron", QWEN3_32B " tp=8 dp=2 order=tp-cp-ep-pp-dp tied_embeddings=true add_qkv_bias=true"},
    {"megatron", MIXTRAL_8X7B " tp=2 sp=true ep=4 dp=4 moe_dispatcher=allgather moe_capacity_factor=1.25 "
                 "moe_pad_to_capacity=true"},
    {"megatron", DEEPSEEK_V3 " tp=4 sp=true ep=16 etp=1 pp=1 dp=32 mtp_num_layers=1"},
    {"megatron", LLAMA3_8B " tp=2 dp=8 offload_optimizer=0.5 fragmentation=1.1"},
    {"megatron-bridge", LLAMA2_7B " model.name=llama2-7b pp=4 dp=2 pipeline_layout=[7,8,8,9]"},
    {"megatron-bridge", DEEPSEEK_V3 " model.name=deepseek-v3 pp=2 vpp=2 dp=8 ep=8 mtp_num_layers=1 "
                        "pipeline_layout=[16,16,16,13]"},
    {"nanotron", LLAMA2_7B " framework.name=nanotron tp=4 tp_mode=reduce_scatter tp_async=true pp=2 dp=2 zero_stage=1"},
    {"nanotron",
     LLAMA3_8B " framework.name=nanotron tp=2 schedule=gpipe dp=8 recompute=full accumulate_grad_fp32=false"},
    {"nanotron", LLAMA3_8B " framework.name=nanotron framework.nanotron_model=qwen2 add_qkv_bias=true tp=2 dp=4"},
    {"deepspeed", LLAMA2_7B " framework.name=deepspeed zero_stage=3 dp=16 offload_optimizer=1 global_batch_size=64"},
    {"deepspeed", GPT3_175B " framework.name=deepspeed tp=8 pp=8 zero_stage=1 dp=2 dtype=fp16"},
    {"hf", GPT3_175B " ffn_hidden_size=49152"},
    {"hf", LLAMA2_7B},
    {"hf", LLAMA3_8B " max_position_embeddings=8192 sliding_window=4096"},
    {"hf", QWEN3_32B " tied_embeddings=true"},
    {"hf", MIXTRAL_8X7B},
    {"hf", DEEPSEEK_V3 " mtp_num_layers=1"},
};

static void plans_that_a_format_can_say_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(whole_rows); i++) {
        struct plan plan;
        check_plan(&plan, whole_rows[i].settings);
        assert_that(check_round_trip(&plan, whole_rows[i].format, 0) == 0, "%s cannot say all of %s",
                    whole_rows[i].format, whole_rows[i].settings);
    }
}

/* ---- remarks and faults ----------------------------------------------------------------------------------------- */

static const struct {
    const char *format, *settings, *messages;
} message_rows[] = {
    {"megatron", "hidden_size=64",
     "model.num_layers: unknown, but the format needs it; set it\n"
     "model.num_attention_heads: unknown, but the format needs it; set it\n"
     "model.vocab_size: unknown, but the format needs it; set it\n"
     "train.seq_length: unknown, but the format needs it; set it\n"},
    {"megatron", LLAMA2_7B " dp=2 norms_per_layer=4",
     "model.norms_per_layer: 4 is not supported in Megatron's flags; use 2\n"},
    {"megatron", LLAMA2_7B " dp=2 framework.name=fsdp2",
     "framework.name: fsdp2 does not read Megatron's flags; use --framework megatron-core\n"},
    {"nanotron", LLAMA2_7B " framework.name=nanotron-pre203 dp=2 qk_norm=head",
     "model.qk_norm: head is not supported in nanotron's configuration; use none\n"},
    {"deepspeed", "framework.name=deepspeed dp=2 tp=2 micro_batch_size=1 global_batch_size=4",
     "not in a DeepSpeed configuration: parallel.tp\n"},
    {"hf", LLAMA2_7B " embedding_norm=true",
     "model.embedding_norm: true is not supported in a config.json; use false\n"
     "not in a config.json: train.seq_length\n"},
    {"megatron", LLAMA2_7B " dp=2 layer_pattern=32[B-] attention_chunk=8192", /* no number shows it at 4096 */
     "model.layer_pattern: 32[B-] is not supported in Megatron's flags; use auto\nmodel.attention_chunk: 8192 is not "
     "in Megatron's flags, which means 0; no number of the estimate depends on it\n"},
};

static void remarks_name_what_is_missing(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(message_rows); i++) {
        struct plan plan, resolved;
        struct buffer out = {0}, text = {0};
        struct errors notes = {0};
        check_plan(&plan, message_rows[i].settings);
        plan_resolve(&plan, &resolved);
        int result = export_plan(export_find(message_rows[i].format), &plan, &resolved, &out, &notes);
        buffer_puts(&text, "");
        for (size_t k = 0; k < notes.count; k++)
            buffer_printf(&text, "%s\n", notes.line[k]);
        assert_message(text.text, message_rows[i].messages);
        assert_int_equal(result, errors_any(&notes) ? -1 : 0);
        assert_int_equal(out.size == 0, errors_any(&notes));
        buffer_free(&out);
        buffer_free(&text);
        errors_free(&notes);
    }
}

/* DeepSpeed's own classes (deepspeed/runtime/config.py, ADAM_OPTIMIZER and below); any other stops its start. */
static void every_optimizer_has_a_deepspeed_type(void **state)
{
    (void)state;
    static const char *const types[] = {"\"AdamW\"", "\"Lion\"", "\"SGD\"", "\"Muon\""};
    const enum param key = PARAM_train_optimizer;
    int written = 0;
    for (int value = 0; param_rows[key].choices[value]; value++) {
        struct plan plan, resolved;
        struct buffer out = {0};
        struct errors notes = {0};
        size_t known = 0;
        check_plan(&plan, LLAMA2_7B " framework.name=deepspeed dp=8");
        plan.value[key] = value;
        plan.from[key] = FROM_SET;
        plan_resolve(&plan, &resolved);
        bool is_written = export_plan(export_find("deepspeed"), &plan, &resolved, &out, &notes) == 0;
        for (size_t i = 0; i < COUNT(types) && is_written; i++)
            known += strstr(out.text, types[i]) != NULL;
        written += is_written;
        assert_that(known == is_written, "%s: %s", param_rows[key].choices[value], out.text);
        assert_that(is_written || strncmp(notes.line[0], "train.optimizer: ", 17) == 0, "%s", notes.line[0]);
        buffer_free(&out);
        errors_free(&notes);
    }
    assert_int_equal(written, COUNT(types) + 1); /* one kernel or several, AdamW is one class */
}

#define STACK                                                                                                          \
    LLAMA3_8B " layer_pattern=MEM*/*E mtp_num_layers=2 mtp_repeated=true num_layers=4 num_experts=8 gated_mlp=false "  \
              "moe_router_topk=2 moe_ffn_hidden_size=512 moe_latent_size=256 rotary_base=10000 mamba_num_heads=128 "   \
              "mamba_head_dim=64 mamba_state_dim=128 mamba_num_groups=8"

/* What Megatron's checks ask for, and what must not be there: arguments.py and transformer_config.py at d98e8a6. */
static const struct {
    const char *settings, *has, *lacks;
} flag_rows[] = {
    {LLAMA3_8B " tp=2 dp=4", "export CUDA_DEVICE_MAX_CONNECTIONS=1\n", "unset"},
    {LLAMA3_8B " cp=2 dp=4", "export CUDA_DEVICE_MAX_CONNECTIONS=1\n", "unset"},
    {LLAMA3_8B " tp=1 dp=8", "--rotary-base 500000", "CUDA_DEVICE_MAX_CONNECTIONS"},
    {LLAMA3_8B " tp=1 dp=8 fsdp=full", "unset CUDA_DEVICE_MAX_CONNECTIONS\n", "CONNECTIONS=1"},
    {LLAMA3_8B " tp=1 dp=8 fsdp=full", "--ckpt-format fsdp_dtensor", "--use-distributed-optimizer"},
    {LLAMA3_8B " dp=8 seq_length=131072", "--max-position-embeddings 131072", NULL},
    {LLAMA3_8B " dp=8 zero_stage=1 exp_avg_dtype=bf16", "--exp-avg-dtype bf16 \\\n    --exp-avg-sq-dtype fp32", NULL},
    {LLAMA3_8B " dp=8 zero_stage=1 optimizer_dtype=bf16", "--exp-avg-dtype bf16 \\\n    --exp-avg-sq-dtype bf16", NULL},
    {LLAMA3_8B " dp=8 zero_stage=1 offload_optimizer=1", "--use-precision-aware-optimizer", NULL},
    {LLAMA3_8B " dp=8 cuda_graph=full", "--no-check-for-nan-in-loss-and-grad", NULL},
    {LLAMA3_8B " dp=8 deterministic=true", "NCCL_ALGO=Ring", NULL},
    {LLAMA3_8B " dp=8 total_tokens=8388608000", "--train-samples", "--train-iters"},
    {LLAMA3_8B " dp=8", "--train-iters", "--train-samples"},
    {LLAMA3_8B " dp=8 attention_kernel=fa3", "--flash-attention-version 3", "fused"},
    {DEEPSEEK_V3 " dp=8 ep=8 moe_router_bias=true", "--moe-router-score-function sigmoid", NULL},
    {DEEPSEEK_V3 " dp=8 ep=8 moe_router_num_groups=8 moe_router_topk_groups=4", "--moe-router-num-groups 8", NULL},
    {DEEPSEEK_V3 " pp=2 vpp=2 dp=8 ep=8 mtp_num_layers=1 pipeline_layout=[16,16,16,13]", "t*16|t*13m*1L'",
     "--num-virtual-stages-per-pipeline-rank"},
    {DEEPSEEK_V3 " dp=8 ep=8 moe_dispatcher=flex", "--moe-flex-dispatcher-backend deepep", "--moe-enable-deepep"},
    {DEEPSEEK_V3 " dp=8 ep=8 moe_dispatcher=flex framework.name=megatron-core-0.14", "--moe-enable-deepep",
     "--moe-flex-dispatcher-backend"},
    {MIXTRAL_8X7B " dp=8 ep=8 moe_router_topk=1", "--moe-router-pre-softmax", NULL},
    {LLAMA3_8B " dp=8 framework.name=megatron-core-0.14", "# shardtop: framework.name=megatron-core-0.14", NULL},
    {MIXTRAL_8X7B " dp=8 ep=8 moe_imbalance=1.5", "# shardtop: model.moe_imbalance=1.5", NULL},
    {STACK " dp=8 ep=8", "--hybrid-layer-pattern 'MEM*/*E/*E'", "pretrain_gpt.py"},
    {STACK " dp=8 ep=8", "--squared-relu --use-fused-weighted-squared-relu", "--moe-layer-freq"},
    {STACK " dp=8 ep=8 fused_glu=false", "--mamba-num-heads 128", "--use-fused-weighted-squared-relu"},
    {STACK " pp=2 vpp=2 dp=8 ep=8 global_batch_size=64", "--hybrid-layer-pattern 'M|E|M|*/*E/*E'",
     "--num-virtual-stages-per-pipeline-rank"},
    {STACK " pp=2 dp=8 ep=8 global_batch_size=64", "--hybrid-layer-pattern 'MEM*/*E/*E'", "--num-virtual"},
    {LLAMA3_8B " dp=8 num_layers=8 layer_pattern=GGG*GGG* linear_num_key_heads=16 linear_key_head_dim=128 "
               "linear_num_value_heads=32 linear_value_head_dim=128", "--hybrid-layer-pattern 'GGG*GGG*'", NULL},
};

static void scripts_have_what_megatron_asks_for(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(flag_rows); i++) {
        struct plan plan, resolved;
        struct buffer out = {0};
        struct errors notes = {0};
        check_plan(&plan, flag_rows[i].settings);
        if (strstr(flag_rows[i].has, "rotary"))
            check_set(&plan, "rotary_base=500000");
        plan_resolve(&plan, &resolved);
        assert_that(export_plan(export_find("megatron"), &plan, &resolved, &out, &notes) == 0, "%s: %s",
                    flag_rows[i].settings, notes.count ? notes.line[0] : "");
        assert_that(strstr(out.text, flag_rows[i].has) != NULL, "%s: no %s\n%s", flag_rows[i].settings,
                    flag_rows[i].has, out.text);
        assert_that(!flag_rows[i].lacks || !strstr(out.text, flag_rows[i].lacks), "%s: %s\n%s", flag_rows[i].settings,
                    flag_rows[i].lacks, out.text);
        buffer_free(&out);
        errors_free(&notes);
    }
}

/* Layers of GPT models whose attention is linear or sparse: the flags read back to the same plan, or there are none. */
static void kinds_of_attention_have_flags(void **state)
{
    static const struct {
        const char *settings, *layers, *has;
    } rows[] = {
        {LLAMA3_8B " dp=8 num_layers=8 linear_num_key_heads=16 linear_key_head_dim=128 linear_num_value_heads=32 "
                   "linear_value_head_dim=128",
         "2[G- G- G- *-]", "gated_delta_net \\\n    --linear-attention-freq 4"},
        {DEEPSEEK_V3 " dp=8 ep=8 dsa_indexer_n_heads=64 dsa_indexer_head_dim=128 dsa_indexer_topk=2048",
         "3[D-] 58[DE]",
         "--moe-layer-freq '([0]*3+[1]*58)' \\\n    --no-rope-fusion --experimental-attention-variant dsa"},
        {LLAMA3_8B " dp=8 num_layers=8 linear_num_key_heads=16 linear_key_head_dim=128", "2[L- L- L- *-]", NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct plan plan, resolved;
        struct buffer out = {0};
        struct errors notes = {0};
        char why[PARAM_WHY_MAX];
        check_plan(&plan, rows[i].settings);
        assert_int_equal(param_parse(&plan, PARAM_model_layer_pattern, rows[i].layers, FROM_SET, false, why), 0);
        plan_resolve(&plan, &resolved);
        int failed = export_plan(export_find("megatron"), &plan, &resolved, &out, &notes);
        assert_that(rows[i].has ? failed == 0 && strstr(out.text, rows[i].has) : failed != 0, "%s: %s", rows[i].layers,
                    out.text ? out.text : "");
        buffer_free(&out);
        errors_free(&notes);
    }
}

static void formats_are_found_by_name(void **state)
{
    (void)state;
    assert_non_null(export_find("hf"));
    assert_null(export_find("jax"));
    for (int i = 0; export_names[i]; i++)
        assert_non_null(export_find(export_names[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_plans_read_back_to_the_same_estimate),
        cmocka_unit_test(random_plans_of_named_models_read_back),
        cmocka_unit_test(plans_that_a_format_can_say_whole),
        cmocka_unit_test(remarks_name_what_is_missing),
        cmocka_unit_test(every_optimizer_has_a_deepspeed_type),
        cmocka_unit_test(scripts_have_what_megatron_asks_for),
        cmocka_unit_test(kinds_of_attention_have_flags),
        cmocka_unit_test(formats_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
