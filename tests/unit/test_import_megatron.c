/* Megatron's launch scripts and flags as plan settings; scripts under tests/scripts. */
#include "src/import/import.h"
#include "src/import/megatron.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/text.h"
#include "tests/check.h"

/* ---- helpers ------------------------------------------------------------------------------------------------- */

static void dump(struct buffer *out, const char *title, const struct keyvals *list, bool has_lines)
{
    buffer_printf(out, "%s\n", title);
    for (size_t i = 0; i < list->count; i++) {
        buffer_printf(out, "%s=%s", list->item[i].key, list->item[i].value);
        if (has_lines)
            buffer_printf(out, " @%d", list->item[i].line);
        buffer_puts(out, "\n");
    }
}

/** The value of a key among the settings or else the defaults; the last one counts. */
static const char *value_of(const struct import *import, const char *key)
{
    const struct keyvals *const list[] = {&import->defaults, &import->settings};
    const char *value = NULL;
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < list[k]->count; i++)
            if (strcmp(list[k]->item[i].key, key) == 0)
                value = list[k]->item[i].value;
    return value;
}

enum { WORDS = 64 };

/** Splits at blanks, in place. */
static int split(char *text, char **word)
{
    int n = 0;
    for (char *p = strtok(text, " "); p && n < WORDS; p = strtok(NULL, " "))
        word[n++] = p;
    return n;
}

static char *messages_of(const struct errors *errors)
{
    struct buffer out = {0};
    buffer_puts(&out, "");
    for (size_t i = 0; i < errors->count; i++)
        buffer_printf(&out, "%s\n", errors->line[i]);
    return out.text ? out.text : xstrdup("");
}

/* ---- single flags -------------------------------------------------------------------------------------------- */

static void test_each_flag_gives_its_key(void **state)
{
    (void)state;
    static const struct {
        const char *flags, *key, *value;
    } table[] = {
        {"--num-layers 32", "model.num_layers", "32"},
        {"--num_layers=32", "model.num_layers", "32"},
        {"--num-layers 8 --num-layers 32", "model.num_layers", "32"},
        {"--hidden-size 64 --ffn-hidden-size 100", "model.ffn_hidden_size", "100"},
        {"--hidden-size 4096", "model.ffn_hidden_size", "16384"},
        {"--hidden-size 4096 --swiglu", "model.ffn_hidden_size", "10880"},
        {"--hidden-size 4096 --quick-geglu", "model.ffn_hidden_size", "16384"},
        {"--swiglu", "model.gated_mlp", "true"},
        {"--squared-relu", "model.gated_mlp", "false"},
        {"", "model.gated_mlp", "false"},
        {"--group-query-attention --num-query-groups 8", "model.num_query_groups", "8"},
        {"--group-query-attention", "model.num_query_groups", "1"},
        {"--num-query-groups 8", "model.num_query_groups", NULL},
        {"--vocab-size 50257", "model.make_vocab_size_divisible_by", "128"},
        {"--padded-vocab-size 50304", "model.make_vocab_size_divisible_by", "1"},
        {"--padded-vocab-size 50304", "model.vocab_size", "50304"},
        {"--tokenizer-type GPT2BPETokenizer", "model.vocab_size", "50257"},
        {"", "model.vocab_size", NULL},
        {"--seq-length 2048", "model.max_position_embeddings", "2048"},
        {"", "model.position_embedding", "learned"},
        {"--position-embedding-type rope", "model.position_embedding", "rope"},
        {"--position-embedding-type none", "model.position_embedding", "none"},
        {"--use-rotary-position-embeddings", "model.position_embedding", "rope"},
        {"--no-position-embedding", "model.position_embedding", "none"},
        {"", "model.normalization", "layernorm"},
        {"--normalization RMSNorm", "model.normalization", "rmsnorm"},
        {"--apply-layernorm-1p", "model.normalization", "layernorm1p"},
        {"--apply-layernorm-1p --normalization RMSNorm", "model.normalization", "rmsnorm"},
        {"", "model.add_bias_linear", "true"},
        {"", "model.add_qkv_bias", "true"},
        {"--disable-bias-linear", "model.add_bias_linear", "false"},
        {"--disable-bias-linear", "model.add_qkv_bias", "false"},
        {"--disable-bias-linear --add-qkv-bias", "model.add_qkv_bias", "true"},
        {"", "model.tied_embeddings", "true"},
        {"--untie-embeddings-and-output-weights", "model.tied_embeddings", "false"},
        {"--qk-layernorm", "model.qk_norm", "head"},
        {"", "model.hidden_dropout", "0.1"},
        {"--attention-dropout 0", "model.attention_dropout", "0"},
        {"--window-size (127,0)", "model.sliding_window", "128"},
        {"--window-size -1,0", "model.sliding_window", NULL},
        {"--window-attn-skip-freq 2", "model.sliding_window_every", "2"},
        {"--softmax-type learnable", "model.attention_sinks", "true"},
        {"--multi-latent-attention", "model.kv_lora_rank", "32"},
        {"--multi-latent-attention --kv-lora-rank 512", "model.kv_lora_rank", "512"},
        {"--num-experts 8", "model.moe_router_topk", "2"},
        {"--num-experts 8", "parallel.moe_dispatcher", "allgather"},
        {"--num-experts 8 --ffn-hidden-size 99", "model.moe_ffn_hidden_size", "99"},
        {"--num-experts 8 --tensor-model-parallel-size 4", "parallel.etp", "4"},
        {"--hybrid-layer-pattern MEM*E", "model.layer_pattern", "MEM*E"},
        {"--hybrid-layer-pattern MEM*E", "model.num_layers", "5"},
        {"--hybrid-layer-pattern ME|M*|E/*E/*E", "model.layer_pattern", "MEM*E"},
        {"--hybrid-layer-pattern ME|M*|E/*E/*E", "parallel.pipeline_layout", "[2,2,1]"},
        {"--hybrid-layer-pattern ME|M*|E/*E/*E", "model.mtp_pattern", "*E"},
        {"--hybrid-layer-pattern ME|M*|E/*E/*E", "model.mtp_num_layers", "2"},
        {"--mamba-state-dim 128", "model.mamba_state_dim", "128"},
        {"--hybrid-layer-pattern M*", "model.mamba_state_dim", "128"},
        {"--hybrid-layer-pattern M* --hidden-size 1024", "model.mamba_num_heads", "32"},
        {"--hybrid-layer-pattern M* --hidden-size 1024 --mamba-head-dim 128", "model.mamba_num_heads", "16"},
        {"--hybrid-layer-pattern G*", "model.linear_num_value_heads", "32"},
        {"--moe-latent-size 1024", "model.moe_latent_size", "1024"},
        {"--attention-output-gate", "model.attention_output_gate", "element"},
        {"--mtp-use-repeated-layer", "model.mtp_repeated", "true"},
        {"--moe-layer-freq 2", "model.moe_layer_freq", "2"},
        {"--moe-layer-freq ([0]*3+[1]*58)", "model.moe_first_dense", "3"},
        {"--moe-layer-freq ([0]*3+[1]*58)", "model.moe_layer_freq", "1"},
        {"--moe-layer-freq ([1,0])*4", "model.moe_layer_freq", "2"},
        {"--moe-layer-freq ([0,1])*4", "model.moe_layer_freq", "2"},
        {"--moe-layer-freq ([0,1])*4", "model.moe_first_dense", NULL},
        {"--moe-layer-freq ([0]*3+[0,1]*4)", "model.moe_first_dense", "3"},
        {"--moe-layer-freq [1,1,0,1]", "model.moe_layer_freq", NULL},
        {"--moe-layer-freq [1]*99999", "model.moe_layer_freq", NULL},
        {"--moe-shared-expert-intermediate-size 512", "model.moe_shared_ffn_hidden_size", "512"},
        {"--moe-router-dtype fp32", "framework.moe_router_dtype", "fp32"},
        {"--moe-expert-capacity-factor -1", "model.moe_capacity_factor", NULL},
        {"--moe-expert-capacity-factor 1.25", "model.moe_capacity_factor", "1.25"},
        {"--moe-pad-expert-input-to-capacity", "framework.moe_pad_to_capacity", "true"},
        {"--mtp-num-layers 1", "model.mtp_num_layers", "1"},
        {"--tensor-model-parallel-size 2 --sequence-parallel", "parallel.sp", "true"},
        {"--sequence-parallel", "parallel.sp", "true"}, /* a wish: without effect while tp is 1 */
        {"--tokenizer-type Llama2Tokenizer --tokenizer-model x/y.model", "model.vocab_size", NULL},
        {"--tokenizer-type Llama2Tokenizer --tokenizer-model x/llama2/tokenizer.model", "model.vocab_size", "32000"},
        {"--tokenizer-type Llama2Tokenizer --tokenizer-model x/Mistral-7B-v0.1/y", "model.vocab_size", "32000"},
        {"--tokenizer-type HuggingFaceTokenizer --tokenizer-model meta-llama/Meta-Llama-3-8B", "model.vocab_size",
         "128256"},
        {"--tokenizer-type TikTokenizer --tokenizer-model a/multiMixV8.gpt4o_nc_sd.500000.128k.vocab.json",
         "model.vocab_size", "131072"},
        {"--tokenizer-type GPTSentencePieceTokenizer --tokenizer-model /a/nemotron_2_256k.model", "model.vocab_size",
         "256000"},
        {"--tokenizer-type PretrainedFromHF --tokenizer-name-or-path t5-small", "model.vocab_size", "32100"},
        {"--tokenizer-type GPT2BPETokenizer --extra-vocab-size 3", "model.vocab_size", "50260"},
        {"--tokenizer-type NullTokenizer --vocab-size 131072", "model.vocab_size", "131072"},
        {"--tokenizer-type NullTokenizer --vocab-size 131072 --legacy-tokenizer", "model.vocab_size", "131073"},
        {"--tokenizer-type SomeTokenizer", "model.vocab_size", NULL},
        {"--deepspeed --num-experts 1", "model.num_experts", NULL}, /* dense */
        {"--num-experts 8", "model.num_experts", "8"},
        {"--deepspeed --num-experts 64 128 --topk 2", "model.num_experts", "128"},
        {"--deepspeed --num-experts 128", "model.moe_layer_freq", "2"},
        {"--deepspeed --num-experts 128", "model.moe_first_dense", NULL}, /* layers 2, 4, 6 */
        {"--deepspeed --num-experts 128", "model.moe_router_topk", "1"},
        {"--deepspeed --num-experts 128 --expert-interval 1", "model.moe_layer_freq", "1"},
        {"--deepspeed --num-experts 8 --topk 2", "model.moe_router_topk", "2"},
        {"--deepspeed --num-experts 8 --ffn-hidden-size 64 --mlp-type residual", "model.moe_shared_ffn_hidden_size",
         "64"},
        {"--num-experts 8 --moe-expert-parallel-size 4", "parallel.ep", "4"},
        {"--num-experts 8 --moe-train-capacity-factor 1.5", "model.moe_capacity_factor", "1.5"},
        {"--num-experts 8 --moe-train-capacity-factor 1.5 --disable-moe-token-dropping", "model.moe_capacity_factor",
         NULL},
        {"--ds-sequence-parallel-size 4", "parallel.cp", "4"},
        {"--ds-sequence-parallel-size 4", "parallel.cp_comm", "a2a"},
        {"--rollout-batch-size 32 --n-samples-per-prompt 8", "train.dtype", "bf16"},
        {"--rollout-batch-size 32 --n-samples-per-prompt 8", "train.global_batch_size", "256"},
        {"--rollout-batch-size 32 --use-dynamic-batch-size --max-tokens-per-gpu 9216 --context-parallel-size 2",
         "train.seq_length", "18432"},
        {"--num-key-value-heads 4", "model.num_query_groups", "4"},
        {"--pipeline-model-parallel-size 4 --no-pipeline-parallel", "parallel.pp", "1"},
        {"--pipe-parallel-size 4", "parallel.pp", "4"},
        {"--pipe-parallel-size 0", "parallel.pp", "1"},
        {"--enable-zbh1-pipeline", "parallel.schedule", "zb-h1"},
        {"--num-layers 24 --pipeline-model-parallel-size 3 --num-layers-per-virtual-pipeline-stage 4", "parallel.vpp",
         "2"},
        {"--num-layers 30 --pipeline-model-parallel-size 4 --num-layers-per-virtual-pipeline-stage 2 "
         "--account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split",
         "parallel.vpp", "4"},
        {"--deepspeed --pp-partition-method type:transformer|embedding", "parallel.partition_method",
         "type:transformer|embedding"},
        {"--deepspeed --pp-partition-method uniform", "parallel.partition_method", "uniform"},
        {"--num-virtual-stages-per-pipeline-rank 3", "parallel.vpp", "3"},
        {"--num-virtual-stages-per-pipeline-rank 3", "parallel.overlap_p2p", "true"},
        {"--microbatch-group-size-per-virtual-pipeline-stage 6", "parallel.microbatch_group", "6"},
        {"--pipeline-model-parallel-size 4 --pipeline-model-parallel-layout Et*2|(tt|)*2,t|mL",
         "parallel.pipeline_layout", NULL},
        {"--pipeline-model-parallel-size 5 --pipeline-model-parallel-layout Et*2|(tt|)*2,t|mL",
         "parallel.pipeline_layout", "[2,2,2,1,0]"},
        {"--pipeline-model-parallel-size 2 --pipeline-model-parallel-layout Et|t|tt|tL", "parallel.vpp", "2"},
        {"--pipeline-model-parallel-size 2 --pipeline-model-parallel-layout (t|)*9999999", "parallel.vpp", NULL},
        {"--context-parallel-size 2 --cp-comm-type allgather", "parallel.cp_comm", "all_gather"},
        {"--cp-comm-type a2a a2a", "parallel.cp_comm", "a2a"},
        {"--cp-comm-type p2p a2a", "parallel.cp_comm", NULL},
        {"--decoder-first-pipeline-num-layers 7", "parallel.first_stage_layers", "7"},
        {"--decoder-last-pipeline-num-layers 6", "parallel.last_stage_layers", "6"},
        {"--use-tp-pp-dp-mapping", "parallel.order", "tp-cp-ep-pp-dp"},
        {"", "parallel.zero_stage", "0"},
        {"--use-distributed-optimizer", "parallel.zero_stage", "1"},
        {"--use-megatron-fsdp", "parallel.fsdp", "full"},
        {"--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads", "parallel.fsdp", "shard_grad_op"},
        {"--use-megatron-fsdp --data-parallel-sharding-strategy optim", "parallel.zero_stage", "1"},
        {"--use-torch-fsdp2 --torch-fsdp2-no-reshard-after-forward", "parallel.fsdp", "shard_grad_op"},
        {"--nnodes 2 --nproc_per_node 8 --tensor-model-parallel-size 2 --num-distributed-optimizer-instances 2",
         "parallel.shard_group", "4"},
        {"--overlap-grad-reduce", "parallel.overlap_grad_reduce", "true"},
        {"--tp-comm-overlap", "parallel.overlap_tp", "true"},
        {"", "train.dtype", "fp32"},
        {"--bf16", "train.dtype", "bf16"},
        {"--bf16 --fp8-format hybrid", "train.dtype", "fp8"},
        {"--bf16 --fp8-format hybrid", "framework.fp8_recipe", "delayed"},
        {"--bf16 --fp8-format e4m3 --fp8-recipe mxfp8", "train.dtype", "mxfp8"},
        {"--bf16 --fp4-format e2m1", "train.dtype", "nvfp4"},
        {"--bf16", "train.grad_dtype", "fp32"},
        {"--fp16", "train.grad_dtype", "fp16"},
        {"--fp16 --accumulate-allreduce-grads-in-fp32", "train.grad_dtype", "fp32"},
        {"--bf16 --grad-reduce-in-bf16", "train.grad_dtype", "bf16"},
        {"--main-grads-dtype bf16", "train.grad_dtype", "bf16"},
        {"--exp-avg-dtype bf16", "train.exp_avg_dtype", "bf16"},
        {"--exp-avg-sq-dtype fp16", "train.exp_avg_sq_dtype", "fp16"},
        {"--exp-avg-dtype bf16 --exp-avg-sq-dtype bf16", "train.optimizer_dtype", "bf16"},
        {"--rotary-base 500000", "model.rotary_base", "500000"},
        {"--moe-router-num-groups 8", "model.moe_router_num_groups", "8"},
        {"--flash-attention-version 3 --attention-backend flash", "train.attention_kernel", "fa3"},
        {"--optimizer dist_muon", "train.optimizer", "muon"},
        {"--optimizer soap", "train.optimizer", NULL},
        {"--optimizer-cpu-offload", "train.offload_optimizer", "1"},
        {"--optimizer-cpu-offload --optimizer-offload-fraction 0.5", "train.offload_optimizer", "0.5"},
        {"--recompute-activations", "train.recompute", "selective"},
        {"--recompute-granularity full --recompute-method block", "train.recompute_method", "block"},
        {"--recompute-modules mlp moe", "train.recompute_modules", "[mlp,moe]"},
        {"--checkpoint-activations --checkpoint-num-layers 2", "train.recompute_num_layers", "2"},
        {"--activations-checkpoint-method uniform", "train.recompute", "full"},
        {"", "train.attention", "flash"},
        {"--transformer-impl local", "train.attention", "unfused"},
        {"--transformer-impl local --use-flash-attn", "train.attention", "flash"},
        {"--data-impl mmap", "train.attention", "unfused"},
        {"--layernorm-epsilon 1e-6 --use-flash-attn", "train.attention", "flash"},
        {"--no-query-key-layer-scaling --transformer-impl transformer_engine", "train.attention", "flash"},
        {"--norm-epsilon 1e-6 --no-async-tensor-model-parallel-allreduce", "train.attention", "flash"},
        {"--attention-backend unfused", "train.attention", "unfused"},
        {"--attention-backend fused", "train.attention_kernel", "cudnn"},
        {"--cross-entropy-loss-fusion", "train.cross_entropy", "native_fused"},
        {"--cross-entropy-loss-fusion --cross-entropy-fusion-impl te", "train.cross_entropy", "te_fused"},
        {"--swiglu --no-bias-swiglu-fusion", "train.fused_glu", "false"},
        {"--no-gradient-accumulation-fusion", "framework.gradient_accumulation_fusion", "false"},
        {"", "framework.create_attention_mask", "true"},
        {"--no-create-attention-mask-in-dataloader", "framework.create_attention_mask", "false"},
        {"--deterministic-mode", "framework.deterministic", "true"},
        {"--defer-embedding-wgrad-compute --wgrad-deferral-limit 3", "framework.defer_embedding_wgrad_limit", "3"},
        {"--train-iters 10 --global-batch-size 4 --seq-length 8", "train.total_tokens", "320"},
        {"--train-samples 10 --seq-length 8", "train.total_tokens", "80"},
        {"--train-iters 9223372036854775807 --global-batch-size 4 --seq-length 8", "train.total_tokens", NULL},
        {"--nnodes 2 --nproc-per-node 4 --micro-batch-size 2 --train-iters 3 --seq-length 8", "train.total_tokens",
         "384"},
        {"--checkpoint-in-cpu", "train.offload_activations", "1"},
        {"--partition-activations", "framework.partition_activations", "true"},
        {"--remote-device cpu", "train.offload_params", "1"},
        {"--zero-reduce-bucket-size 5000", "framework.zero_reduce_bucket_elements", "5000"},
        {"--vocab-file v.json --merge-file m.txt", "model.vocab_size", "50257"},
        {"--vocab-file v.json", "model.vocab_size", NULL},
        /* forks */
        {"--num-experts 8 --moe-intermediate-size 64 --n-shared-experts 2", "model.moe_shared_ffn_hidden_size", "128"},
        {"--num-experts 8 --moe-ffn-hidden-size 64 --shared-moe-ffn-hidden-size 96", "model.moe_shared_ffn_hidden_size",
         "96"},
        {"--num-experts 8 --first-k-dense-replace 3", "model.moe_first_dense", "3"},
        {"--num-layers 8 --noop-layers 6,7", "model.num_layers", "6"},
        {"--num-layers 8 --pipeline-model-parallel-size 4 --noop-layers 0,7", "parallel.pipeline_layout", "[1,2,2,1]"},
        {"--swap-optimizer", "train.offload_optimizer", "1"},
        {"--lora-r 8 --lora-target-modules linear_qkv nonsense", "train.lora_targets", "[all]"},
        {"--lora-r 8", "framework.name", "nemo-lora"},
        {"--qlora --lora-r 8", "train.peft", "qlora"},
        {"--attention-head-type multiquery", "model.num_query_groups", "1"},
        {"--context-parallel-size 4 --context-parallel-algo ulysses_cp_algo --group-query-attention "
         "--num-query-groups 2",
         "parallel.cp_comm", NULL},
        {"--context-parallel-size 4 --context-parallel-algo ulysses_cp_algo --group-query-attention "
         "--num-query-groups 8",
         "parallel.cp_comm", "a2a"},
        {"--nnodes 1:4", "hardware.nodes", "1"},
        {"--nproc_per_node auto", "hardware.gpus_per_node", NULL},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char *text = xstrdup(table[i].flags), *word[WORDS];
        int rest[WORDS], words = split(text, word);
        struct import import = {0};
        struct errors errors = {0};
        assert_int_equal(megatron_arguments(words, word, &import, rest, &errors), 0);
        const char *value = value_of(&import, table[i].key);
        if (!value || !table[i].value ? value != table[i].value : strcmp(value, table[i].value) != 0)
            fail_msg("%s: %s is %s, not %s", table[i].flags, table[i].key, value ? value : "absent",
                     table[i].value ? table[i].value : "absent");
        import_free(&import);
        errors_free(&errors);
        free(text);
    }
}

static void test_a_value_without_counterpart_or_effect_is_remarked_on(void **state)
{
    (void)state;
    static const struct {
        const char *flags, *message;
    } table[] = {
        {"--num-layers 4", ""}, /* a plan without a vocabulary says so itself */
        {"--optimizer soap", "--optimizer: soap has no counterpart here; give train.optimizer with --set\n"},
        {"--num-layers", "--num-layers: needs a value after it\n"},
        {"--rampup-batch-size 1 2 3", "--rampup-batch-size: is not modelled; the estimate is made without it\n"},
        {"--contigious-checkpointing",
         "--contigious-checkpointing: takes the saved layer inputs from one buffer of the same "
         "size; the peak does not change\n"},
        {"--split-transformers",
         "--split-transformers: would save between attention and MLP too; the estimate keeps whole "
         "layers, so it is an upper bound\n"},
        {"--num-query-groups 8",
         "--num-query-groups: has no effect without --group-query-attention; add that flag or give "
         "model.num_query_groups\n"},
        {"--sequence-parallel", ""},
        {"--nnodes a", "--nnodes: a is not a number; give hardware.nodes with --set\n"},
        {"--train-iters 5",
         "--train-iters: needs known --global-batch-size and --seq-length; give train.total_tokens with --set\n"},
        {"--num-layers 10 --pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 3",
         "--num-layers-per-virtual-pipeline-stage: 10 layers do not split over 2 stages in groups of 3; give "
         "parallel.vpp with --set\n"},
        {"--num-layers 25 --moe-layer-freq 2",
         "--moe-layer-freq: gives 13 of 25 layers experts, of which 12 are counted: memory and time are lower "
         "bounds\n"},
        {"--num-layers 24 --moe-layer-freq 2", ""},
        {"--moe-layer-freq [1,1,0,1]",
         "--moe-layer-freq: [1,1,0,1] has no counterpart here; give model.moe_layer_freq with --set\n"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char *text = xstrdup(table[i].flags), *word[WORDS];
        int rest[WORDS], words = split(text, word);
        struct import import = {0};
        struct errors errors = {0};
        megatron_arguments(words, word, &import, rest, &errors);
        char *messages = messages_of(&errors);
        assert_message(messages, table[i].message);
        assert_false(errors_any(&errors));
        free(messages);
        import_free(&import);
        errors_free(&errors);
        free(text);
    }
}

/* ---- argument vectors ---------------------------------------------------------------------------------------- */

static void test_arguments_that_are_not_flags_are_given_back(void **state)
{
    (void)state;
    char *word[] = {"plan.yaml", "--num-layers", "4",  "--no-such-flag", "5",  "pretrain_gpt.py", "--lr",
                    "1e-4",      "--data-path",  "a",  "b",              "-o", "x",               "--bf16"};
    int rest[14];
    struct import import = {0};
    struct errors errors = {0};
    assert_int_equal(megatron_arguments(14, word, &import, rest, &errors), 5);
    static const int expected[] = {0, 3, 4, 11, 12};
    assert_memory_equal(rest, expected, sizeof expected);
    assert_int_equal(import.unused.count, 2);
    assert_string_equal(import.unused.item[0].key, "--lr");
    assert_string_equal(import.unused.item[0].value, IMPORT_NO_EFFECT);
    assert_string_equal(import.unused.item[1].key, "--data-path");
    import_free(&import);
    errors_free(&errors);
}

static void test_every_listed_flag_is_known_once(void **state)
{
    (void)state;
    size_t n = 0;
    for (const char *name; (name = megatron_flag_name(n)) != NULL; n++) {
        char *flag = xasprintf("--%s", name);
        assert_true(megatron_flag_known(flag, NULL));
        for (size_t i = 0; i < n; i++)
            assert_string_not_equal(megatron_flag_name(i), name);
        free(flag);
    }
    assert_true(n > 250);
    int arity = 7;
    assert_false(megatron_flag_known("--no-such-flag", &arity));
    assert_false(megatron_flag_known("-N", &arity));
    assert_int_equal(arity, 7);
    assert_true(megatron_flag_known("--num_layers", &arity));
    assert_int_equal(arity, 1);
    assert_true(megatron_flag_known("--bf16", &arity));
    assert_int_equal(arity, 0);
    assert_true(megatron_flag_known("--data-path", &arity));
    assert_int_equal(arity, MEGATRON_SEVERAL);
}

/* ---- scripts ------------------------------------------------------------------------------------------------- */

/** Imports a script and compares all that comes out. */
static void check_script(const char *text, const char *name, const char *expected, bool has_lines)
{
    struct import import = {0};
    struct errors errors = {0};
    int result = megatron_import(text, strlen(text), name, &import, &errors);
    struct buffer out = {0};
    char *messages = messages_of(&errors);
    if (result == 0) {
        dump(&out, "settings", &import.settings, has_lines);
        dump(&out, "defaults", &import.defaults, false);
        dump(&out, "unused", &import.unused, has_lines);
    }
    buffer_puts(&out, "messages\n");
    size_t facts = out.size;
    buffer_puts(&out, messages);
    assert_message(out.text, expected);
    assert_memory_equal(out.text, expected, facts);
    assert_int_equal(result, errors_any(&errors) ? -1 : 0);
    free(messages);
    buffer_free(&out);
    import_free(&import);
    errors_free(&errors);
}

static void check_file(const char *path, const char *expected)
{
    struct errors errors = {0};
    size_t size = 0;
    char *text = file_read(path, &size, &errors);
    assert_non_null(text);
    assert_true(megatron_recognise(text, size));
    check_script(text, strrchr(path, '/') + 1, expected, true);
    free(text);
    errors_free(&errors);
}

static void test_a_script_of_strings(void **state)
{
    (void)state;
    check_file("tests/scripts/gpt_2023.sh",
               "settings\n"
               "model.num_layers=32 @11\n"
               "model.hidden_size=4096 @12\n"
               "model.num_attention_heads=32 @13\n"
               "model.max_position_embeddings=2048 @15\n"
               "model.gated_mlp=true @19\n"
               "parallel.tp=2 @25\n"
               "parallel.pp=2 @26\n"
               "train.seq_length=2048 @14\n"
               "train.micro_batch_size=4 @16\n"
               "train.global_batch_size=512 @17\n"
               "model.vocab_size=50257 @28\n"
               "parallel.zero_stage=1 @27\n"
               "train.dtype=bf16 @20\n"
               "train.attention=flash @27\n"
               "hardware.nodes=2 @8\n"
               "hardware.gpus_per_node=8 @8\n"
               "train.total_tokens=524288000000 @18\n"
               "defaults\n"
               "model.make_vocab_size_divisible_by=128\n"
               "model.position_embedding=learned\n"
               "model.normalization=layernorm\n"
               "model.ffn_hidden_size=10880\n"
               "model.add_bias_linear=true\n"
               "model.add_qkv_bias=true\n"
               "train.grad_dtype=fp32\n"
               "model.hidden_dropout=0.1\n"
               "model.attention_dropout=0.1\n"
               "model.tied_embeddings=true\n"
               "train.optimizer=adam\n"
               "framework.create_attention_mask=true\n"
               "unused\n"
               "--master-addr=does not change the estimate @8\n"
               "--data-path=does not change the estimate @29\n"
               "--lr=does not change the estimate @29\n"
               "--made-up-data=is not known here @29\n"
               "messages\n");
}

static void test_a_script_of_arrays_under_srun(void **state)
{
    (void)state;
    check_file("tests/scripts/moe_slurm.sh",
               "settings\n"
               "model.num_layers=24 @11\n"
               "model.hidden_size=2048 @11\n"
               "model.ffn_hidden_size=8192 @13\n"
               "model.num_attention_heads=16 @11\n"
               "model.max_position_embeddings=4096 @38\n"
               "model.gated_mlp=true @13\n"
               "model.add_bias_linear=false @14\n"
               "model.tied_embeddings=false @16\n"
               "model.hidden_dropout=0 @17\n"
               "model.attention_dropout=0 @17\n"
               "model.moe_router_topk=6 @18\n"
               "model.moe_ffn_hidden_size=1024 @18\n"
               "parallel.tp=2 @23\n"
               "parallel.pp=3 @24\n"
               "parallel.ep=8 @26\n"
               "parallel.moe_dispatcher=alltoall @20\n"
               "train.seq_length=4096 @38\n"
               "train.micro_batch_size=1 @39\n"
               "train.global_batch_size=256 @39\n"
               "framework.moe_grouped_gemm=true @20\n"
               "model.num_query_groups=4 @12\n"
               "model.position_embedding=rope @15\n"
               "model.normalization=rmsnorm @14\n"
               "model.moe_first_dense=1 @19\n"
               "model.moe_layer_freq=1 @19\n"
               "model.num_experts=64 @18\n"
               "parallel.sp=true @23\n"
               "parallel.vpp=2 @25\n"
               "parallel.zero_stage=1 @40\n"
               "train.dtype=bf16 @31\n"
               "train.attention=flash @34\n"
               "train.attention_kernel=cudnn @34\n"
               "hardware.nodes=4 @2\n"
               "hardware.gpus_per_node=8 @3\n"
               "defaults\n"
               "model.make_vocab_size_divisible_by=128\n"
               "model.add_qkv_bias=false\n"
               "parallel.etp=2\n"
               "train.grad_dtype=fp32\n"
               "parallel.overlap_p2p=true\n"
               "train.optimizer=adam\n"
               "framework.create_attention_mask=true\n"
               "unused\n"
               "messages\n"
               "moe_slurm.sh:6: the file ./site.sh is not read; its settings are unknown\n"
               "moe_slurm.sh:39: --train-samples: comes from $(cat samples), which is not executed; give "
               "train.total_tokens with --set\n"
               "moe_slurm.sh:34: --attention-backend: depends on the condition in line 33, which is unknown; check "
               "train.attention = flash\n"
               "moe_slurm.sh:34: --attention-backend: depends on the condition in line 33, which is unknown; check "
               "train.attention_kernel = cudnn\n");
}

static void test_variables_tell_the_network(void **state)
{
    (void)state;
    static const char *const table[][2] = {
        {"export FI_PROVIDER=efa\ntorchrun t.py $A", "efa"},
        {"FI_EFA_USE_DEVICE_RDMA=1 torchrun t.py $A", "efa"},
        {"export FI_PROVIDER=cxi\nexport NCCL_IB_DISABLE=1\ntorchrun t.py $A", "slingshot"},
        {"export NCCL_FASTRAK_CTRL_DEV=enp0s12\ntorchrun t.py $A", "tcpxo"},
        {"export NCCL_IB_GID_INDEX=3 NCCL_IB_HCA=mlx5\ntorchrun t.py $A", "roce"},
        {"export NCCL_IB_DISABLE=1\ntorchrun t.py $A", "tcp"},
        {"export NCCL_IB_DISABLE=0 FI_PROVIDER=$P\ntorchrun t.py $A", NULL},
        {"torchrun t.py $A", NULL},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char *text = xasprintf("A='--num-layers 4 --hidden-size 64'\n%s\n", table[i][0]);
        struct import import = {0};
        struct errors errors = {0};
        assert_int_equal(megatron_import(text, strlen(text), "a.sh", &import, &errors), 0);
        const struct keyval *found = keyvals_last(&import.settings, "hardware.fabric");
        assert_that(table[i][1] ? found && strcmp(found->value, table[i][1]) == 0 : !found, "%s: %s", table[i][0],
                    found ? found->value : "none");
        import_free(&import);
        free(text);
    }
}

static void test_the_training_command_is_found_however_it_is_started(void **state)
{
    (void)state;
    static const struct {
        const char *script, *nodes, *gpus;
    } table[] = {
        {"torchrun --nnodes 2 --nproc_per_node=8 pretrain_gpt.py $A", "2", "8"},
        {"python -m torch.distributed.launch --nproc-per-node 4 pretrain_gpt.py $A", "1", "4"},
        {"python3 pretrain_gpt.py $A", "1", "1"},
        {"srun -N 3 --ntasks-per-node=8 python -u pretrain_gpt.py $A", "3", "8"},
        {"deepspeed --num_nodes 2 --num_gpus 4 pretrain_gpt.py $A", "2", "4"},
        {"shardtop --nnodes 2 --nproc_per_node 8 $A", "2", "8"},
        {"srun --nodes=5 bash -c \"torchrun --nproc_per_node 8 pretrain_gpt.py $A\"", "5", "8"},
        {"run_cmd=\"torchrun --nnodes 2 --nproc_per_node 8 pretrain_gpt.py $A\"; echo $run_cmd; eval ${run_cmd}", "2",
         "8"},
        {"launch() { torchrun --nnodes 2 --nproc_per_node 8 \"$@\"; }; launch pretrain_gpt.py $A", "2", "8"},
        {"#SBATCH -N 6\n#SBATCH --gpus-per-node=4\nsrun python pretrain_gpt.py $A", "6", "4"},
        {"torchrun --nnodes $SLURM_NNODES --nproc_per_node 8 t.py $A\n#SBATCH --nodes 7\n", "7", "8"},
        {"for n in 2 4; do torchrun --nnodes $n --nproc_per_node 8 t.py $A; done", "2", "8"},
        {"if x; then torchrun --nnodes 1 t.py $A; fi; torchrun --nnodes 2 --nproc_per_node 8 t.py $A", "2", "8"},
        {"B=\"--nnodes 2 --nproc_per_node 8 --seq-length 8\"", "2", "8"},
        /* schedulers and launchers in all spellings */
        {"#SBATCH --nodes=8\n#SBATCH --gres=gpu:8\nN=${SLURM_JOB_NUM_NODES:-1}\ntorchrun --nnodes $N --nproc_per_node "
         "8 t.py $A", "8", "8"},
        {"#SBATCH --ntasks=64\n#SBATCH --ntasks-per-node=8\nsrun python t.py $A", "8", "8"},
        {"#SBATCH -N8\nsrun -N4 --gpus-per-node=a100:4 python t.py $A", "4", "4"},
        {"#SBATCH -G 64\nsrun python t.py $A", "8", "8"},
        {"python t.py $A", "1", "1"},
        {"#SBATCH <SLURM OPTIONS> --nodes=3 --gpus-per-node=8\nsrun python t.py --load <THE DIR> --vocab-file <a file> "
         "$A",
         "3", "8"},
        {"#$ -l rt_AF=5\nif [ $SGE_RESOURCE_TYPE == rt_F ]; then G=4; elif [ $SGE_RESOURCE_TYPE == rt_AF ]; then G=8; "
         "fi\nmpirun -np $(($NHOSTS * G)) --npernode $G python t.py $A", "5", "8"},
        {"#SBATCH --gpus=64\n#SBATCH --nodes=16\nsrun python t.py $A", "16", "4"},
        {"srun -n 64 python pretrain_gpt.py $A", "8", "8"},
        {"#SBATCH --gpus=64 --nodes=16 # all\nsrun python t.py $A", "16", "4"},
        {"#SBATCH -J \"x y\" -N 2 --gres=gpu\nsrun python t.py $A", "2", "1"},
        {"#SBATCH --nodes=4-8\n#SBATCH --gres=gpu:h100:4\nsrun python t.py $A", "4", "4"},
        {"#SBATCH --nodes=-2\n#SBATCH --gres=gpu:h100:4\nsrun python t.py $A", NULL, "4"},
        {"#SBATCH --nodes=lots\n#SBATCH --gres=gpu:h100:4\nsrun python t.py $A", NULL, "4"},
        {"#SBATCH --nodes=24\n#SBATCH --ntasks-per-node=1\n#SBATCH --gres=gpu:8\nsrun torchrun --nproc_per_node 8 "
         "--nnodes 24 t.py $A", "24", "8"},
        {"mpirun -np 64 python t.py $A", "8", "8"},
        {"mpirun -np 64 -npernode 4 python t.py $A", "16", "4"},
        {"mpiexec -n 64 -ppn 4 python t.py $A", "16", "4"},
        {"mpirun -np 4 python t.py $A", "1", "4"},
        {"accelerate launch --num_processes 16 --num_machines 2 t.py $A", "2", "8"},
        {"deepspeed --include localhost:0,1,2,3 t.py $A", "1", "4"},
        {"deepspeed --include worker-0@worker-1:0,1 t.py $A", "2", "2"},
        {"torchrun --nnodes 1:4 --nproc_per_node 8 t.py $A", "1", "8"},
        {"#PBS -l select=4:ncpus=64:ngpus=8\npython t.py $A", "4", "8"},
        {"#PBS -l nodes=4:ppn=8:gpus=8\npython t.py $A", "4", "8"},
        {"#BSUB -nnodes 4\n#BSUB -gpu \"num=8:gmodel=NVIDIAA100\"\npython t.py $A", "4", "8"},
        {"python train.py $A --actor-num-nodes 16 --actor-num-gpus-per-node 8", "16", "8"},
        {"docker run -p 80:80 -n 3 x python t.py $A", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char *text = xasprintf("A='--num-layers 4 --hidden-size 64'\n%s\n", table[i].script);
        struct import import = {0};
        struct errors errors = {0};
        assert_int_equal(megatron_import(text, strlen(text), "a.sh", &import, &errors), 0);
        const char *const key[] = {"model.num_layers", "hardware.nodes", "hardware.gpus_per_node"};
        const char *const expected[] = {"4", table[i].nodes, table[i].gpus};
        for (size_t k = 0; k < 3; k++) {
            const char *value = value_of(&import, key[k]);
            if (!value || !expected[k] ? value != expected[k] : strcmp(value, expected[k]) != 0)
                fail_msg("%s: %s is %s, not %s", table[i].script, key[k], value ? value : "absent",
                         expected[k] ? expected[k] : "absent");
        }
        import_free(&import);
        errors_free(&errors);
        free(text);
    }
}

static void test_two_types_of_weights_are_a_fault(void **state)
{
    (void)state;
    static const char script[] = "python a.py --num-layers 4 --hidden-size 8 --vocab-size 9 \\\n --bf16 --fp16\n";
    struct import import = {0};
    struct errors errors = {0};
    assert_int_equal(megatron_import(script, sizeof script - 1, "a.sh", &import, &errors), -1);
    assert_int_equal(errors.count, 1);
    assert_message(errors.line[0], "a.sh:2: --fp16: Megatron-LM refuses it beside --bf16; remove one of them");
    errors_free(&errors);
    import_free(&import);
}

static void test_remarks_and_faults_of_scripts(void **state)
{
    (void)state;
    static const struct {
        const char *script, *messages;
    } table[] = {
        {"echo --num-layers 4 --hidden-size 8\n",
         "a.sh: no command in it passes Megatron's flags (--num-layers, --hidden-size, ...); give the script that "
         "starts the training\n"},
        {"torchrun t.py --num-layers 'x\n", "a.sh:1: a ' is opened here and never closed; add the missing quote\n"},
        {"T=$TP\npython t.py --num-layers 4 --hidden-size 8 \\\n --vocab-size $(wc -l <v) \\\n "
         "--tensor-model-parallel-size $T --lr $LR $MORE\n",
         "a.sh:4: a part of the training command comes from $MORE, which the script does not set; its flags are not "
         "read\n"
         "a.sh:3: --vocab-size: comes from $(wc -l <v), which is not executed; give model.vocab_size with --set\n"
         "a.sh:4: --tensor-model-parallel-size: comes from $TP, which the script does not set; give parallel.tp with "
         "--set\n"},
        {"A='--vocab-size 9'\nif which x; then\n A+=' --bf16'\nfi\npython t.py --num-layers 4 --hidden-size 8 $A\n",
         "a.sh:3: --bf16: depends on the condition in line 2, which is unknown; check train.dtype = bf16\n"},
        {"A='--num-layers 4 --hidden-size 8 --vocab-size 9'\npython a.py $A\npython b.py $A\n",
         "a.sh: 2 commands run training: 1 line 2, 2 line 3; --command N takes another\n"},
        {"python a.py --num-layers 4 --hidden-size 8 --vocab-size 9 # what \\\n  --bf16\n",
         "a.sh:2: --bf16: belongs to no command, because a comment or a missing backslash ends the line above; it is "
         "not passed\n"},
        {"python a.py --num-layers 4 --hidden-size 8 --vocab-size 9 --load <dir> --bf16\n",
         "a.sh:1: --bf16 is read as a file name because of the `>` before it, as in `<NAME>`, and is not passed\n"},
        {"if x; then python a.py --num-layers 4 --hidden-size 8 --vocab-size 9; fi\n",
         "a.sh:1: whether this command runs depends on a condition that is not known\n"},
        {"python convert_ckpt.py --num-layers 4 --hidden-size 8\n",
         "a.sh:1: convert_ckpt.py converts checkpoints; it does not train; give a training script\n"},
        {"python eval.py --num-layers 4 --hidden-size 8\n"
         "python train.py --num-layers 4 --hidden-size 8 --vocab-size 9\n",
         ""},
        {"ARGS='--num-layers 4 --hidden-size 8 --vocab-size 9'\n",
         "a.sh: no command runs training; the flags are those of $ARGS\n"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct import import = {0};
        struct errors errors = {0};
        int result = megatron_import(table[i].script, strlen(table[i].script), "a.sh", &import, &errors);
        char *messages = messages_of(&errors);
        assert_message(messages, table[i].messages);
        assert_int_equal(result, errors_any(&errors) ? -1 : 0);
        if (result != 0)
            assert_int_equal(import.settings.count + import.defaults.count + import.unused.count, 0);
        free(messages);
        import_free(&import);
        errors_free(&errors);
    }
}

/* A program with none of Megatron's own flags, and with one that Megatron lacks, is another trainer. */
static void test_other_trainers_are_not_megatron(void **state)
{
    (void)state;
    static const struct {
        const char *script;
        bool is_other;
    } table[] = {
        {"torchrun own.py --num_layers 4 --hidden_size 8 --heads 2 --vocab-size 9", true},
        {"torchrun own.py --num-layers 4 --hidden-size 8 --vocab-size 9", false},
        {"torchrun own.py --num-layers 4 --hidden-size 8 --heads 2 --vocab-size 9 --num-attention-heads 2", false},
        {"torchrun own.py --num-layers 4 --hidden-size 8 --mine 2 --vocab-size 9 --train-iters 5", false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct import import = {0};
        struct errors errors = {0};
        assert_int_equal(megatron_import(table[i].script, strlen(table[i].script), "a.sh", &import, &errors), 0);
        char *messages = messages_of(&errors);
        assert_int_equal(keyvals_last(&import.defaults, "framework.name") != NULL, table[i].is_other);
        if (IS_WORDED)
            assert_int_equal(strstr(messages, "estimated as other") != NULL, table[i].is_other);
        free(messages);
        import_free(&import);
        errors_free(&errors);
    }
}

static void test_scripts_are_told_from_other_files(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_script;
    } table[] = {
        {"torchrun t.py --num-layers 4 --hidden-size 8", true},
        {"A=\"--num_layers 4\n--seq-length=8\"", true},
        {"", false},
        {"echo --num-layers", false},
        {"echo --num-layers-per-virtual-pipeline-stage --hidden-sizes", false},
        {"{\"num_layers\": 4, \"x\": \"--num-layers --hidden-size\"}", false},
        {"model:\n  num_layers: 4\n  hidden_size: 8\n", false},
        {"-----", false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(megatron_recognise(table[i].text, strlen(table[i].text)), table[i].is_script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_flag_gives_its_key),
        cmocka_unit_test(test_a_value_without_counterpart_or_effect_is_remarked_on),
        cmocka_unit_test(test_arguments_that_are_not_flags_are_given_back),
        cmocka_unit_test(test_every_listed_flag_is_known_once),
        cmocka_unit_test(test_a_script_of_strings),
        cmocka_unit_test(test_a_script_of_arrays_under_srun),
        cmocka_unit_test(test_variables_tell_the_network),
        cmocka_unit_test(test_the_training_command_is_found_however_it_is_started),
        cmocka_unit_test(test_two_types_of_weights_are_a_fault),
        cmocka_unit_test(test_remarks_and_faults_of_scripts),
        cmocka_unit_test(test_other_trainers_are_not_megatron),
        cmocka_unit_test(test_scripts_are_told_from_other_files),
    };
    int n = cmocka_run_group_tests(tests, NULL, NULL);
    return n != 0;
}
