/* src/export/megatron.c - a plan as Megatron-LM's and torchrun's flags. */
#include "core/base.h"
#include "core/plan/kind.h"
#include "core/plan/split.h"
#include "src/export/common.h"
#include "src/import/spelling.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a key becomes a flag. */
enum how {
    VALUE,   /* the flag with the key's value */
    POSITIVE, /* the same, where the value is above 0 */
    SEVERAL, /* the same, where the value is above 1 */
    IF_TRUE, /* the flag alone, where the key is true */
    IF_FALSE,
    IF_WORD, /* the flag alone, where the key has the value `word` */
    WORD,    /* the flag with `to`, where the key has the value `word` */
    SPELLED, /* the flag with Megatron's word for the value, where it has one and the value is not `word` */
};

/* Rows are written where `needs` is absent (NULL) or holds. */
struct row {
    enum param key;
    enum how how;
    const char *flag, *word, *to;
    bool (*needs)(const struct plan *);
};

static bool has_experts(const struct plan *plan)
{
    return KEY(model, num_experts) > 0;
}

static bool has_capacity(const struct plan *plan)
{
    return has_experts(plan) && KEY(model, moe_capacity_factor) > 0;
}

/* Dense models too, where somebody chose another than the usual one. */
static bool has_dispatcher(const struct plan *plan)
{
    return has_experts(plan) || KEY(parallel, moe_dispatcher) != DISPATCHER_ALLTOALL;
}

static bool is_latent(const struct plan *plan)
{
    return KEY(model, multi_latent_attention) > 0;
}

static bool has_groups(const struct plan *plan)
{
    return KEY(model, num_query_groups) != KEY(model, num_attention_heads);
}

static bool has_no_bias(const struct plan *plan)
{
    return KEY(model, add_bias_linear) == 0;
}

static bool is_plain(const struct plan *plan)
{
    return KEY(model, gated_mlp) == 0;
}

static bool has_chunks(const struct plan *plan)
{
    return KEY(parallel, vpp) > 1;
}

static bool has_no_layout(const struct plan *plan)
{
    return plan->layout.chunks == 0;
}

static bool is_split_tp(const struct plan *plan)
{
    return KEY(parallel, tp) > 1;
}

static bool has_context(const struct plan *plan)
{
    return KEY(parallel, cp) > 1;
}

static bool has_fsdp(const struct plan *plan)
{
    return KEY(parallel, fsdp) == FSDP_FULL || KEY(parallel, fsdp) == FSDP_SHARD_GRAD_OP;
}

static bool is_deepspeed(const struct plan *plan)
{
    return KEY(framework, name) == FRAMEWORK_DEEPSPEED;
}

static bool is_replicated(const struct plan *plan)
{
    return !has_fsdp(plan) && !is_deepspeed(plan);
}

static bool is_old(const struct plan *plan)
{
    return KEY(framework, name) == FRAMEWORK_MEGATRON_2023 || is_deepspeed(plan);
}

static bool is_new(const struct plan *plan)
{
    return !is_old(plan);
}

/* Megatron-LM core 0.14, whose flags for CUDA graphs and DeepEP have other names. */
static bool is_late_2025(const struct plan *plan)
{
    return KEY(framework, name) == FRAMEWORK_MEGATRON_CORE_014;
}

static bool is_today(const struct plan *plan)
{
    return is_new(plan) && !is_late_2025(plan);
}

/* Experts whose activation Megatron fuses with the router's weights though it is not gated: without biases. */
static bool has_squared_relu(const struct plan *plan)
{
    return is_plain(plan) && has_experts(plan) && is_today(plan) && KEY(model, add_bias_linear) == 0;
}

static bool is_dense_today(const struct plan *plan)
{
    return is_today(plan) && !has_experts(plan);
}

static bool has_experts_today(const struct plan *plan)
{
    return is_today(plan) && has_experts(plan);
}

static bool is_fp8(const struct plan *plan)
{
    return KEY(train, dtype) == DTYPE_FP8 || KEY(train, dtype) == DTYPE_MXFP8;
}

static bool is_full(const struct plan *plan)
{
    return KEY(train, recompute) == RECOMPUTE_FULL;
}

static bool is_selective(const struct plan *plan)
{
    return KEY(train, recompute) == RECOMPUTE_SELECTIVE;
}

/* Moments and weights in other types than fp32, or in host memory, need --use-precision-aware-optimizer. */
static bool has_precise_optimizer(const struct plan *plan)
{
    return KEY(train, main_param_dtype) != DTYPE_FP32 || KEY(train, exp_avg_dtype) != DTYPE_FP32 ||
           KEY(train, exp_avg_sq_dtype) != DTYPE_FP32 || KEY(train, offload_optimizer) > 0;
}

static bool has_positions(const struct plan *plan)
{
    return KEY(model, position_embedding) == POSITION_LEARNED;
}

static bool has_rope(const struct plan *plan)
{
    return KEY(model, position_embedding) == POSITION_ROPE;
}

/* Where linear layers have biases, the router has one, and needs no flag for it. */
static bool has_expert_bias(const struct plan *plan)
{
    return has_experts(plan) && has_no_bias(plan);
}

static bool has_flash(const struct plan *plan)
{
    return is_today(plan) && KEY(train, attention) == ATTENTION_FLASH;
}

/* Whether Megatron's hybrid stack makes the layers: each is a mixer or a block alone. */
static bool is_stack(const struct plan *plan)
{
    return plan->pattern.layers > 0 && is_today(plan) && pattern_is_halves(&plan->pattern);
}

static bool has_mamba(const struct plan *plan)
{
    return is_stack(plan) && pattern_has(&plan->pattern, MIXER_MAMBA2);
}

static bool has_delta(const struct plan *plan)
{
    return is_today(plan) && pattern_has(&plan->pattern, MIXER_GDN);
}

static bool has_indexer(const struct plan *plan)
{
    return is_today(plan) && pattern_has(&plan->pattern, MIXER_SPARSE);
}

static bool has_even_stages(const struct plan *plan)
{
    return has_chunks(plan) && has_no_layout(plan) && !is_stack(plan);
}

#define K(group, name) PARAM_##group##_##name

static const struct row rows[] = {
    {K(model, num_layers), VALUE, "--num-layers", NULL, NULL, NULL},
    {K(model, hidden_size), VALUE, "--hidden-size", NULL, NULL, NULL},
    {K(model, ffn_hidden_size), VALUE, "--ffn-hidden-size", NULL, NULL, NULL},
    {K(model, num_attention_heads), VALUE, "--num-attention-heads", NULL, NULL, NULL},
    {K(model, num_query_groups), VALUE, "--group-query-attention --num-query-groups", NULL, NULL, has_groups},
    {K(model, kv_channels), VALUE, "--kv-channels", NULL, NULL, NULL},
    {K(model, vocab_size), VALUE, "--tokenizer-type NullTokenizer --vocab-size", NULL, NULL, NULL},
    {K(model, make_vocab_size_divisible_by), VALUE, "--make-vocab-size-divisible-by", NULL, NULL, NULL},
    {K(model, max_position_embeddings), VALUE, "--max-position-embeddings", NULL, NULL, has_positions},
    {K(model, position_embedding), SPELLED, "--position-embedding-type", NULL, NULL, NULL},
    {K(model, rotary_base), POSITIVE, "--rotary-base", NULL, NULL, has_rope},
    {K(model, gated_mlp), IF_TRUE, "--swiglu", NULL, NULL, NULL},
    {K(model, normalization), WORD, "--normalization", "rmsnorm", "RMSNorm", NULL},
    {K(model, normalization), IF_WORD, "--apply-layernorm-1p", "layernorm1p", NULL, NULL},
    {K(model, embedding_norm), IF_TRUE, "--embed-layernorm", NULL, NULL, NULL},
    {K(model, add_bias_linear), IF_FALSE, "--disable-bias-linear", NULL, NULL, NULL},
    {K(model, add_qkv_bias), IF_TRUE, "--add-qkv-bias", NULL, NULL, has_no_bias},
    {K(model, qk_norm), IF_WORD, "--qk-layernorm", "head", NULL, NULL},
    {K(model, attention_sinks), IF_TRUE, "--softmax-type learnable", NULL, NULL, is_today},
    {K(model, tied_embeddings), IF_FALSE, "--untie-embeddings-and-output-weights", NULL, NULL, NULL},
    {K(model, sliding_window_every), POSITIVE, "--window-attn-skip-freq", NULL, NULL, is_today},
    {K(model, hidden_dropout), VALUE, "--hidden-dropout", NULL, NULL, NULL},
    {K(model, attention_dropout), VALUE, "--attention-dropout", NULL, NULL, NULL},
    {K(model, multi_latent_attention), IF_TRUE, "--multi-latent-attention", NULL, NULL, NULL},
    {K(model, q_lora_rank), POSITIVE, "--q-lora-rank", NULL, NULL, is_latent},
    {K(model, kv_lora_rank), VALUE, "--kv-lora-rank", NULL, NULL, is_latent},
    {K(model, qk_head_dim), VALUE, "--qk-head-dim", NULL, NULL, is_latent},
    {K(model, qk_pos_emb_head_dim), VALUE, "--qk-pos-emb-head-dim", NULL, NULL, is_latent},
    {K(model, v_head_dim), VALUE, "--v-head-dim", NULL, NULL, is_latent},
    {K(model, num_experts), VALUE, "--num-experts", NULL, NULL, has_experts},
    {K(model, moe_router_topk), VALUE, "--moe-router-topk", NULL, NULL, has_experts},
    {K(model, moe_router_num_groups), POSITIVE, "--moe-router-num-groups", NULL, NULL, has_experts},
    {K(model, moe_router_topk_groups), POSITIVE, "--moe-router-group-topk", NULL, NULL, has_experts},
    {K(model, moe_ffn_hidden_size), VALUE, "--moe-ffn-hidden-size", NULL, NULL, has_experts},
    {K(model, moe_shared_ffn_hidden_size), POSITIVE, "--moe-shared-expert-intermediate-size", NULL, NULL, has_experts},
    {K(model, moe_router_bias), IF_TRUE, "--moe-router-enable-expert-bias --moe-router-score-function sigmoid", NULL,
     NULL, has_expert_bias},
    {K(model, moe_shared_expert_gate), IF_TRUE, "--moe-shared-expert-gate", NULL, NULL, has_experts},
    {K(model, moe_capacity_factor), POSITIVE, "--moe-expert-capacity-factor", NULL, NULL, has_experts},
    {K(model, moe_latent_size), POSITIVE, "--moe-latent-size", NULL, NULL, is_today},
    {K(model, mtp_num_layers), POSITIVE, "--mtp-num-layers", NULL, NULL, NULL},
    {K(model, mtp_repeated), IF_TRUE, "--mtp-use-repeated-layer", NULL, NULL, is_today},
    {K(model, attention_output_gate), IF_WORD, "--attention-output-gate", "element", NULL, is_today},
    {K(model, mamba_num_heads), VALUE, "--mamba-num-heads", NULL, NULL, has_mamba},
    {K(model, mamba_head_dim), VALUE, "--mamba-head-dim", NULL, NULL, has_mamba},
    {K(model, mamba_state_dim), VALUE, "--mamba-state-dim", NULL, NULL, has_mamba},
    {K(model, mamba_num_groups), VALUE, "--mamba-num-groups", NULL, NULL, has_mamba},
    {K(model, linear_conv_kernel_dim), VALUE, "--linear-conv-kernel-dim", NULL, NULL, has_delta},
    {K(model, linear_key_head_dim), VALUE, "--linear-key-head-dim", NULL, NULL, has_delta},
    {K(model, linear_value_head_dim), VALUE, "--linear-value-head-dim", NULL, NULL, has_delta},
    {K(model, linear_num_key_heads), VALUE, "--linear-num-key-heads", NULL, NULL, has_delta},
    {K(model, linear_num_value_heads), VALUE, "--linear-num-value-heads", NULL, NULL, has_delta},
    {K(model, dsa_indexer_n_heads), VALUE, "--dsa-indexer-n-heads", NULL, NULL, has_indexer},
    {K(model, dsa_indexer_head_dim), VALUE, "--dsa-indexer-head-dim", NULL, NULL, has_indexer},
    {K(model, dsa_indexer_topk), VALUE, "--dsa-indexer-topk", NULL, NULL, has_indexer},

    {K(parallel, tp), VALUE, "--tensor-model-parallel-size", NULL, NULL, NULL},
    {K(parallel, sp), IF_TRUE, "--sequence-parallel", NULL, NULL, is_split_tp},
    {K(parallel, pp), VALUE, "--pipeline-model-parallel-size", NULL, NULL, NULL},
    {K(parallel, vpp), VALUE, "--num-virtual-stages-per-pipeline-rank", NULL, NULL, has_even_stages},
    {K(parallel, microbatch_group), POSITIVE, "--microbatch-group-size-per-virtual-pipeline-stage", NULL, NULL, NULL},
    {K(parallel, cp), VALUE, "--context-parallel-size", NULL, NULL, has_context},
    {K(parallel, cp_comm), SPELLED, "--cp-comm-type", NULL, NULL, has_context},
    {K(parallel, ep), VALUE, "--expert-model-parallel-size", NULL, NULL, has_experts},
    {K(parallel, etp), VALUE, "--expert-tensor-parallel-size", NULL, NULL, has_experts},
    {K(parallel, first_stage_layers), POSITIVE, "--decoder-first-pipeline-num-layers", NULL, NULL, has_no_layout},
    {K(parallel, last_stage_layers), POSITIVE, "--decoder-last-pipeline-num-layers", NULL, NULL, has_no_layout},
    {K(parallel, embedding_counts_as_layer), IF_TRUE, "--account-for-embedding-in-pipeline-split", NULL, NULL,
     has_no_layout},
    {K(parallel, loss_counts_as_layer), IF_TRUE, "--account-for-loss-in-pipeline-split", NULL, NULL, has_no_layout},
    {K(parallel, partition_method), SPELLED, "--pp-partition-method", NULL, NULL, is_deepspeed},
    {K(parallel, order), IF_WORD, "--use-tp-pp-dp-mapping", "tp-cp-ep-pp-dp", NULL, NULL},
    {K(parallel, moe_dispatcher), SPELLED, "--moe-token-dispatcher-type", NULL, NULL, has_dispatcher},
    {K(parallel, moe_dispatcher), WORD, "--moe-flex-dispatcher-backend", "flex", "deepep", is_today},
    {K(parallel, moe_dispatcher), IF_WORD, "--moe-enable-deepep", "flex", NULL, is_late_2025},
    {K(parallel, zero_stage), IF_WORD, "--use-distributed-optimizer", "1", NULL, is_replicated},
    {K(parallel, zero_stage), VALUE, "--deepspeed --zero-stage", NULL, NULL, is_deepspeed},
    {K(parallel, fsdp), IF_WORD, "--use-distributed-optimizer", "full", NULL, is_late_2025},
    {K(parallel, fsdp), IF_WORD, "--use-distributed-optimizer", "shard_grad_op", NULL, is_late_2025},
    {K(parallel, fsdp), SPELLED, "--use-megatron-fsdp --ckpt-format fsdp_dtensor --data-parallel-sharding-strategy",
     "none", NULL, is_new},
    {K(parallel, overlap_grad_reduce), IF_TRUE, "--overlap-grad-reduce", NULL, NULL, NULL},
    {K(parallel, overlap_param_gather), IF_TRUE, "--overlap-param-gather", NULL, NULL, NULL},
    {K(parallel, overlap_tp), IF_TRUE, "--tp-comm-overlap", NULL, NULL, NULL},
    {K(parallel, overlap_p2p), IF_FALSE, "--no-overlap-p2p-communication", NULL, NULL, has_chunks},
    {K(parallel, overlap_ep), IF_TRUE, "--overlap-moe-expert-parallel-comm", NULL, NULL, has_experts},
    {K(framework, cuda_graph), IF_WORD, "--no-check-for-nan-in-loss-and-grad", "full", NULL, NULL},
    {K(framework, cuda_graph), WORD, "--cuda-graph-impl", "full", "full_iteration", is_today},
    {K(framework, cuda_graph), IF_WORD, "--cuda-graph-impl transformer_engine --cuda-graph-modules attn", "partial",
     NULL, is_dense_today},
    {K(framework, cuda_graph), IF_WORD,
     "--cuda-graph-impl transformer_engine --cuda-graph-modules attn moe_router moe_preprocess", "partial", NULL,
     has_experts_today},
    {K(framework, cuda_graph), IF_WORD, "--enable-cuda-graph --cuda-graph-scope full_iteration", "full", NULL,
     is_late_2025},
    {K(framework, cuda_graph), IF_WORD, "--external-cuda-graph --cuda-graph-scope attn", "partial", NULL,
     is_late_2025},

    {K(train, seq_length), VALUE, "--seq-length", NULL, NULL, NULL},
    {K(train, micro_batch_size), VALUE, "--micro-batch-size", NULL, NULL, NULL},
    {K(train, global_batch_size), VALUE, "--global-batch-size", NULL, NULL, NULL},
    {K(train, dtype), IF_WORD, "--fp16", "fp16", NULL, NULL},
    {K(train, dtype), IF_WORD, "--bf16", "bf16", NULL, NULL},
    {K(train, dtype), IF_WORD, "--bf16 --fp8-format hybrid", "fp8", NULL, NULL},
    {K(train, dtype), IF_WORD, "--bf16 --fp8-format e4m3 --fp8-recipe mxfp8", "mxfp8", NULL, NULL},
    {K(train, dtype), IF_WORD, "--bf16 --fp4-format e2m1", "nvfp4", NULL, NULL},
    {K(train, grad_dtype), IF_WORD, "--accumulate-allreduce-grads-in-fp32", "fp32", NULL, NULL},
    {K(train, grad_dtype), IF_WORD, "--grad-reduce-in-bf16", "bf16", NULL, NULL},
    {K(train, main_param_dtype), VALUE, "--use-precision-aware-optimizer --main-params-dtype", NULL, NULL,
     has_precise_optimizer},
    {K(train, exp_avg_dtype), VALUE, "--exp-avg-dtype", NULL, NULL, has_precise_optimizer},
    {K(train, exp_avg_sq_dtype), VALUE, "--exp-avg-sq-dtype", NULL, NULL, has_precise_optimizer},
    {K(train, optimizer), SPELLED, "--optimizer", NULL, NULL, NULL},
    {K(train, optimizer), IF_WORD, "--use-bnb-optimizer", "adam8bit", NULL, NULL},
    {K(train, attention), IF_WORD, "--use-flash-attn", "flash", NULL, is_old},
    {K(train, attention), IF_WORD, "--attention-backend unfused", "unfused", NULL, is_new},
    {K(train, attention_kernel), WORD, "--flash-attention-version", "fa2", "2", has_flash},
    {K(train, attention_kernel), WORD, "--flash-attention-version", "fa3", "3", has_flash},
    {K(train, fused_glu), IF_FALSE, "--no-bias-swiglu-fusion", NULL, NULL, NULL},
    {K(train, fused_glu), IF_TRUE, "--squared-relu --use-fused-weighted-squared-relu", NULL, NULL, has_squared_relu},
    {K(framework, bias_activation_fusion), IF_FALSE, "--no-bias-gelu-fusion", NULL, NULL, is_plain},
    {K(train, cross_entropy), IF_WORD, "--cross-entropy-loss-fusion", "native_fused", NULL, NULL},
    {K(train, cross_entropy), IF_WORD, "--cross-entropy-loss-fusion --cross-entropy-fusion-impl te", "te_fused", NULL,
     NULL},
    {K(train, recompute), SPELLED, "--recompute-granularity", NULL, NULL, NULL},
    {K(train, recompute_method), VALUE, "--recompute-method", NULL, NULL, is_full},
    {K(train, recompute_num_layers), VALUE, "--recompute-num-layers", NULL, NULL, is_full},
    {K(train, offload_optimizer), POSITIVE, "--optimizer-cpu-offload --optimizer-offload-fraction", NULL, NULL, NULL},

    {K(framework, transformer_impl), WORD, "--transformer-impl", "te", "transformer_engine", is_new},
    {K(framework, transformer_impl), WORD, "--transformer-impl", "local", "local", NULL},
    {K(framework, transformer_impl), IF_WORD, "--no-persist-layer-norm", "local", NULL, is_new},
    {K(framework, gradient_accumulation_fusion), IF_FALSE, "--no-gradient-accumulation-fusion", NULL, NULL, NULL},
    {K(framework, defer_embedding_wgrad), IF_TRUE, "--defer-embedding-wgrad-compute", NULL, NULL, NULL},
    {K(framework, defer_embedding_wgrad_limit), POSITIVE, "--wgrad-deferral-limit", NULL, NULL, NULL},
    {K(framework, create_attention_mask), IF_FALSE, "--no-create-attention-mask-in-dataloader", NULL, NULL, NULL},
    {K(framework, masked_softmax_fusion), IF_FALSE, "--no-masked-softmax-fusion", NULL, NULL, NULL},
    {K(framework, deterministic), IF_TRUE, "--deterministic-mode", NULL, NULL, NULL},
    {K(framework, fp8_param_gather), IF_TRUE, "--fp8-param-gather", NULL, NULL, is_fp8},
    {K(framework, moe_pad_to_capacity), IF_TRUE, "--moe-pad-expert-input-to-capacity", NULL, NULL, has_capacity},
    {K(framework, moe_grouped_gemm), IF_TRUE, "--moe-grouped-gemm", NULL, NULL, has_experts},
    {K(framework, moe_router_dtype), WORD, "--moe-router-dtype", "fp32", "fp32", has_experts},
    {K(framework, partition_activations), IF_TRUE, "--distribute-saved-activations", NULL, NULL, NULL},
};

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static void put(struct buffer *out, const char *flag, const char *value)
{
    buffer_printf(out, " \\\n    %s%s%s", flag, value ? " " : "", value ? value : "");
}

static void put_number(struct buffer *out, const char *flag, double value)
{
    char text[40];
    number_print(value, text, sizeof text);
    put(out, flag, text);
}

/* A flag with Megatron's word for a value, in quotes where a shell would take it apart. */
static void put_spelled(struct buffer *out, const struct row *row, const struct plan *plan)
{
    char word[SPELLING_MAX], quoted[SPELLING_MAX + 2];
    if (!spelling_usual(row->key, plan->value[row->key], DIALECT_MEGATRON, word))
        return;
    const char *quote = strchr(word, '|') ? "'" : "";
    snprintf(quoted, sizeof quoted, "%s%s%s", quote, word, quote);
    put(out, row->flag, quoted);
}

static void put_row(struct buffer *out, const struct row *row, const struct plan *plan)
{
    char text[PARAM_TEXT_MAX];
    double value = plan->value[row->key];
    param_print(plan, row->key, text, sizeof text);
    bool is_word = row->word && strcmp(text, row->word) == 0;
    if (row->how == VALUE || (row->how == POSITIVE && value > 0) || (row->how == SEVERAL && value > 1))
        put(out, row->flag, text);
    else if (row->how == WORD && is_word)
        put(out, row->flag, row->to);
    else if (row->how == SPELLED && !is_word)
        put_spelled(out, row, plan);
    else if ((row->how == IF_TRUE && value > 0) || (row->how == IF_FALSE && value == 0) ||
             (row->how == IF_WORD && is_word))
        put(out, row->flag, NULL);
}

/* Runs of layers with experts and without: `([0]*3+[1]*58)`. */
static void put_expert_runs(struct buffer *out, const struct layer_pattern *pattern)
{
    struct buffer list = {0};
    buffer_puts(&list, "'(");
    for (int i = 0, end; i < pattern->layers; i = end) {
        int is = pattern_experts(pattern, i, i + 1);
        for (end = i + 1; end < pattern->layers && pattern_experts(pattern, end, end + 1) == is;)
            end++;
        buffer_printf(&list, "%s[%d]*%d", i ? "+" : "", is, end - i);
    }
    buffer_puts(&list, ")'");
    put(out, "--moe-layer-freq", list.text);
    buffer_free(&list);
}

/* Which layers have experts: the first dense ones, then the last of each group, written out. */
static void put_expert_layers(struct buffer *out, const struct plan *plan)
{
    int first = (int)KEY(model, moe_first_dense), every = (int)KEY(model, moe_layer_freq),
        layers = (int)KEY(model, num_layers);
    struct buffer list = {0};
    if (has_experts(plan) && plan->pattern.layers > 0) {
        if (!is_stack(plan) && pattern_experts(&plan->pattern, 0, layers) < layers)
            put_expert_runs(out, &plan->pattern);
        return;
    }
    if (!has_experts(plan) || (first == 0 && every == 1))
        return;
    if (first == 0) {
        put_number(out, "--moe-layer-freq", every);
        return;
    }
    buffer_printf(&list, "'([0]*%d+[", first);
    for (int i = first; i < layers && list.size < PARAM_TEXT_MAX && every > 1; i++)
        buffer_printf(&list, "%s%d", i > first ? "," : "", (i - first + 1) % every == 0);
    if (every == 1)
        buffer_printf(&list, "1]*%d)'", layers - first);
    else
        buffer_puts(&list, "])'");
    put(out, "--moe-layer-freq", list.text);
    buffer_free(&list);
}

/*
 * The layers of a hybrid stack, a symbol each, with `|` where a pipeline is cut and `/` before each module of
 * prediction. MC core/models/hybrid/hybrid_layer_allocation.py, training/arguments.py 787-900.
 */
static void put_pattern(struct buffer *out, const struct plan *plan)
{
    struct split split;
    struct buffer text = {0};
    const struct layer_pattern *pattern = &plan->pattern;
    if (!is_stack(plan) || split_layers(plan, &split) == SPLIT_NONE)
        return;
    bool is_cut = has_chunks(plan) || !has_no_layout(plan);
    for (int slot = 0, i = 0; slot < split.stages * split.chunks; slot++)
        for (int end = i + split.layers[slot]; i < end && i < pattern->layers; i++) {
            enum feed feed = layer_feed(pattern->of[i]);
            bool opens = is_cut && i > 0 && i == end - split.layers[slot];
            buffer_printf(&text, "%s%s", opens ? "|" : i ? "" : "'",
                          feed ? feed_rows[feed].symbol : mixer_rows[layer_mixer(pattern->of[i])].symbol);
        }
    for (int module = 0; module < KEY(model, mtp_num_layers); module++) {
        buffer_puts(&text, "/");
        for (int i = 0; i < pattern->mtp; i++) {
            enum feed feed = layer_feed(pattern->of_mtp[i]);
            buffer_puts(&text, feed ? feed_rows[feed].symbol : mixer_rows[layer_mixer(pattern->of_mtp[i])].symbol);
        }
    }
    buffer_puts(&text, "'");
    put(out, "--spec megatron.core.models.hybrid.hybrid_layer_specs hybrid_stack_spec --hybrid-layer-pattern",
        text.text);
    buffer_free(&text);
}

/* The kind of attention of GPT models: linear in all layers but every n-th, or sparse in all. */
static void put_variant(struct buffer *out, const struct plan *plan)
{
    const struct layer_pattern *pattern = &plan->pattern;
    int period = 0;
    if (is_stack(plan))
        return;
    while (period < pattern->layers && layer_mixer(pattern->of[period]) != MIXER_ATTENTION)
        period++;
    if (has_indexer(plan))
        put(out, "--no-rope-fusion --experimental-attention-variant", "dsa"); /* transformer_config.py 3163 */
    else if (has_delta(plan)) {
        put(out, "--experimental-attention-variant", "gated_delta_net");
        put_number(out, "--linear-attention-freq", period + 1);
    }
}

void export_pipeline_layout(struct buffer *out, const struct plan *plan)
{
    struct split split;
    if (has_no_layout(plan) || split_layers(plan, &split) == SPLIT_NONE)
        return;
    int slots = split.stages * split.chunks;
    for (int i = 0; i < slots; i++) {
        buffer_puts(out, i == 0 ? "E" : "|");
        if (split.layers[i] > 0)
            buffer_printf(out, "t*%d", split.layers[i]);
    }
    if (KEY(model, mtp_num_layers) > 0)
        buffer_printf(out, "m*%.0f", KEY(model, mtp_num_layers));
    buffer_puts(out, "L");
}

static void put_layout(struct buffer *out, const struct plan *plan)
{
    struct buffer text = {0}, quoted = {0};
    if (!is_stack(plan))
        export_pipeline_layout(&text, plan);
    if (text.size) {
        buffer_printf(&quoted, "'%s'", text.text);
        put(out, "--pipeline-model-parallel-layout", quoted.text);
    }
    buffer_free(&quoted);
    buffer_free(&text);
}

/*
 * Variables that Megatron checks or that overlapping needs: one queue keeps the order of kernels and traffic, FSDP and
 * overlapped experts need several. MC training/arguments.py 1067, 1166, 1450-1480, training/determinism.py at d98e8a6.
 */
static void put_environment(struct buffer *out, const struct plan *plan)
{
    bool has_order = KEY(parallel, tp) > 1 || KEY(parallel, cp) > 1, has_one = !(plan->gpu.compute_capability >= 10);
    buffer_puts(out, "#!/bin/bash\n");
    if (has_fsdp(plan))
        buffer_puts(out, "unset CUDA_DEVICE_MAX_CONNECTIONS\n");
    else if (KEY(parallel, overlap_ep) > 0)
        buffer_puts(out, "export CUDA_DEVICE_MAX_CONNECTIONS=32\n");
    else if (has_order && has_one)
        buffer_puts(out, "export CUDA_DEVICE_MAX_CONNECTIONS=1\n");
    if (KEY(framework, deterministic) > 0 && is_new(plan))
        buffer_puts(out, "export NVTE_ALLOW_NONDETERMINISTIC_ALGO=0 NCCL_ALGO=Ring CUBLAS_WORKSPACE_CONFIG=:4096:8\n");
}

/* Ranks in all, and the nodes they fill. */
static void put_launcher(struct buffer *out, const struct plan *plan)
{
    double world = KEY(parallel, tp) * KEY(parallel, pp) * KEY(parallel, cp) * KEY(parallel, dp);
    double node = fmin(KEY(hardware, gpus_per_node), world);
    buffer_printf(out, "torchrun --nnodes %.0f --nproc-per-node %.0f pretrain_%s.py", ceil(world / node), node,
                  is_stack(plan) ? "hybrid" : "gpt");
}

/* What routers of single experts, and experts with biases, need to start. */
static void put_routing(struct buffer *out, const struct plan *plan)
{
    if (!has_experts(plan))
        return;
    if (KEY(model, moe_router_topk) == 1 && !(KEY(model, moe_router_bias) > 0 && has_no_bias(plan)))
        put(out, "--moe-router-pre-softmax", NULL);
    if (!has_no_bias(plan))
        put(out, "--no-bias-dropout-fusion", NULL);
}

/* The longest sequence that rotations are made for: Megatron refuses longer ones than it is told of. */
static void put_positions(struct buffer *out, const struct plan *plan)
{
    if (!has_positions(plan))
        put_number(out, "--max-position-embeddings", fmax(KEY(model, max_position_embeddings), KEY(train, seq_length)));
}

static void put_sizes(struct buffer *out, const struct plan *plan)
{
    double samples = KEY(train, total_tokens) / KEY(train, seq_length), group = KEY(parallel, shard_group);
    double replicas = KEY(parallel, dp) * KEY(parallel, cp), window = KEY(model, sliding_window);
    if (window > 0 && is_today(plan))
        buffer_printf(out, " \\\n    --window-size '(%.0f,0)'", window - 1);
    if (samples == floor(samples))
        put_number(out, "--train-samples", samples);
    if (group > 0 && group < replicas && fmod(replicas, group) == 0)
        put_number(out, "--num-distributed-optimizer-instances", replicas / group);
}

static void put_kernels(struct buffer *out, const struct plan *plan)
{
    static const char *const recipes[] = {"tensorwise", NULL, "delayed", "blockwise", "mxfp8"};
    const char *recipe = recipes[(int)KEY(framework, fp8_recipe)];
    if (is_new(plan) && KEY(train, attention) == ATTENTION_FLASH)
        put(out, "--attention-backend", KEY(train, attention_kernel) == KERNEL_CUDNN ? "fused" : "flash");
    if (KEY(train, dtype) == DTYPE_FP8 && recipe)
        put(out, "--fp8-recipe", recipe);
    if (!is_selective(plan))
        return;
    char text[PARAM_TEXT_MAX];
    param_print(plan, PARAM_train_recompute_modules, text, sizeof text);
    for (char *p = text; *p; p++)
        if (strchr("[],", *p))
            *p = ' ';
    put(out, "--recompute-modules", text + strspn(text, " "));
}

/* What a run needs and no plan has: the script's own arguments, or these. */
static void put_placeholders(struct buffer *out)
{
    bool has_length = strstr(out->text, " --train-samples ") != NULL;
    buffer_printf(out, " \\\n    ${@:---mock-data --lr 3e-4 --min-lr 3e-5%s}\n",
                  has_length ? "" : " --train-iters 1000");
}

/* ---- the format ------------------------------------------------------------------------------------------------- */

static void write_flags(struct buffer *out, const struct plan *plan)
{
    put_environment(out, plan);
    put_launcher(out, plan);
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (!rows[i].needs || rows[i].needs(plan))
            put_row(out, &rows[i], plan);
    put_routing(out, plan);
    put_positions(out, plan);
    put_expert_layers(out, plan);
    put_pattern(out, plan);
    put_variant(out, plan);
    put_layout(out, plan);
    put_sizes(out, plan);
    put_kernels(out, plan);
    put_placeholders(out);
}

static const enum param needed[] = {PARAM_model_num_layers,          PARAM_model_hidden_size,
                                    PARAM_model_num_attention_heads, PARAM_model_vocab_size,
                                    PARAM_train_seq_length,          PARAM_train_global_batch_size,
                                    PARAM_hardware_gpus_per_node,    PARAM_COUNT};

static const enum framework_id of[] = {FRAMEWORK_MEGATRON_CORE, FRAMEWORK_MEGATRON_2023, FRAMEWORK_DEEPSPEED,
                                       FRAMEWORK_COUNT};

const struct export_format megatron_format = {"Megatron's flags", needed, export_holds_run, write_flags,
    KIND_MEGATRON, true, of, false};
