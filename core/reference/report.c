/*
 * core/reference/report.c - Megatron-LM's theoretical memory report.
 *
 * Parameters of a rank are counted in three kinds: split over tensor-parallel ranks, replicated, and experts, which are
 * split over expert-parallel and expert-tensor-parallel ranks. The most loaded rank holds 1/p of the layers, all
 * multi-token-prediction layers and the embedding. Bytes per parameter are 18, or 6 + 12/d with the distributed
 * optimizer. Activations come in two closed forms, one for sequence parallelism with selective recomputation, the other
 * for everything else.
 */
#include "core/base.h"
#include "core/estimate/term.h"
#include "core/reference/reference.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define ROW(key, field, kind, need, standard)                                                                         \
    {"inputs." key, "", REFERENCE_##kind, REFERENCE_##need, 0, offsetof(struct report_inputs, field), standard}
#define VALUE(path, unit, field)                                                                                      \
    {path, unit, REFERENCE_NUMBER, REFERENCE_NULLABLE, 0, offsetof(struct report_values, field), 0}

static const struct reference_member report_input_rows[] = {
    ROW("num_layers", num_layers, NUMBER, REQUIRED, NAN),
    ROW("hidden_size", hidden_size, NUMBER, REQUIRED, NAN),
    ROW("ffn_hidden_size", ffn_hidden_size, NUMBER, REQUIRED, NAN),
    ROW("num_attention_heads", num_attention_heads, NUMBER, REQUIRED, NAN),
    ROW("kv_channels", kv_channels, NUMBER, NULLABLE, NAN),
    ROW("group_query_attention", is_gqa, BOOL, NULLABLE, 0),
    ROW("num_query_groups", num_query_groups, NUMBER, NULLABLE, 1),
    ROW("seq_length", seq_length, NUMBER, REQUIRED, NAN),
    ROW("micro_batch_size", micro_batch_size, NUMBER, REQUIRED, NAN),
    ROW("vocab_size", vocab_size, NUMBER, NULLABLE, NAN),
    ROW("make_vocab_size_divisible_by", make_vocab_size_divisible_by, NUMBER, NULLABLE, 128),
    ROW("untie_embeddings_and_output_weights", is_untied, BOOL, NULLABLE, 0),
    ROW("normalization", normalization, NAME, NULLABLE, 0),
    ROW("swiglu", is_swiglu, BOOL, NULLABLE, 0),
    ROW("add_bias_linear", has_bias, BOOL, NULLABLE, 1),
    ROW("num_experts", num_experts, NUMBER, NULLABLE, NAN),
    ROW("moe_ffn_hidden_size", moe_ffn_hidden_size, NUMBER, NULLABLE, NAN),
    ROW("moe_layer_freq", moe_layer_freq, LIST, NULLABLE, 1),
    ROW("moe_router_topk", moe_router_topk, NUMBER, NULLABLE, 2),
    ROW("moe_shared_expert_intermediate_size", shared_ffn_hidden_size, NUMBER, NULLABLE, NAN),
    ROW("moe_shared_expert_gate", has_shared_gate, BOOL, NULLABLE, 0),
    ROW("moe_latent_size", moe_latent_size, NUMBER, NULLABLE, NAN),
    ROW("multi_latent_attention", is_mla, BOOL, NULLABLE, 0),
    ROW("q_lora_rank", q_lora_rank, NUMBER, NULLABLE, NAN),
    ROW("kv_lora_rank", kv_lora_rank, NUMBER, NULLABLE, 32),
    ROW("qk_head_dim", qk_head_dim, NUMBER, NULLABLE, 128),
    ROW("qk_pos_emb_head_dim", qk_pos_emb_head_dim, NUMBER, NULLABLE, 64),
    ROW("v_head_dim", v_head_dim, NUMBER, NULLABLE, 128),
    ROW("mtp_num_layers", mtp_num_layers, NUMBER, NULLABLE, NAN),
    ROW("tensor_model_parallel_size", tensor_parallel, NUMBER, REQUIRED, 1),
    ROW("pipeline_model_parallel_size", pipeline_parallel, NUMBER, REQUIRED, 1),
    ROW("virtual_pipeline_model_parallel_size", virtual_pipeline, NUMBER, NULLABLE, NAN),
    ROW("context_parallel_size", context_parallel, NUMBER, REQUIRED, 1),
    ROW("expert_model_parallel_size", expert_parallel, NUMBER, REQUIRED, 1),
    ROW("expert_tensor_parallel_size", expert_tensor_parallel, NUMBER, NULLABLE, NAN),
    ROW("world_size", world_size, NUMBER, REQUIRED, NAN),
    ROW("use_distributed_optimizer", is_distributed_optimizer, BOOL, NULLABLE, 0),
    ROW("sequence_parallel", is_sequence_parallel, BOOL, NULLABLE, 0),
    ROW("recompute_granularity", recompute_granularity, NAME, NULLABLE, 0),
    ROW("padded_vocab_size", padded_vocab_size, NUMBER, NULLABLE, NAN),
    ROW("data_parallel_size", data_parallel_size, NUMBER, NULLABLE, NAN),
    ROW("num_microbatches", num_microbatches, NUMBER, NULLABLE, NAN),
};

static const struct reference_member report_value_rows[] = {
    VALUE("total_params", "params", total_params),
    VALUE("active_params", "params", active_params),
    VALUE("transformer_block_params", "params", block_params),
    VALUE("active_transformer_block_params", "params", active_block_params),
    VALUE("mtp_block_params", "params", mtp_params),
    VALUE("embedding_params", "params", embedding_params),
    VALUE("most_loaded_shard_params", "params", most_loaded_params),
    VALUE("tp_sharded_params_most_loaded", "params", tp_sharded_params),
    VALUE("replicated_params_most_loaded", "params", replicated_params),
    VALUE("expert_params_most_loaded", "params", expert_params),
    VALUE("other_shard_params", "params", other_shard_params),
    VALUE("expert_data_parallel_size", "", expert_data_parallel_size),
    VALUE("weight_and_optimizer_bytes", "bytes", weight_and_optimizer_bytes),
    VALUE("activation_bytes_sp_selective", "bytes", with_sp_bytes),
    VALUE("activation_bytes_without_sp", "bytes", without_sp_bytes),
    {"selected", "", REFERENCE_WORD, REFERENCE_NULLABLE, 0, offsetof(struct report_values, selected), 0},
    VALUE("selected_activation_bytes", "bytes", selected_bytes),
    VALUE("report_MiB.weight_and_optimizer", "MiB", printed_weight),
    VALUE("report_MiB.activation", "MiB", printed_activation),
    VALUE("report_MiB.total", "MiB", printed_total),
};

/* Parameters of one layer by how ranks hold them. */
struct layer {
    double sharded;    /* over tensor-parallel ranks */
    double replicated;
    double experts;    /* all routed experts */
    double active;     /* the experts that see one token */
};

/* The model, read. */
struct model {
    double layers, moe_layers, mtp_layers; /* layers: dense and expert */
    bool mtp_is_moe;
    struct layer dense, moe;
    double final_norm, embedding;
};

static double or_else(double value, double standard)
{
    return isnan(value) ? standard : value;
}

/* Padded vocabulary, sizes that follow from others. */
static struct report_inputs completed(const struct report_inputs *given)
{
    struct report_inputs i = *given;
    double multiple = or_else(i.make_vocab_size_divisible_by, 128) * i.tensor_parallel;
    i.padded_vocab_size = or_else(i.padded_vocab_size, ceil(i.vocab_size / multiple) * multiple);
    i.kv_channels = or_else(i.kv_channels, floor(i.hidden_size / i.num_attention_heads));
    i.num_query_groups = i.is_gqa > 0 ? or_else(i.num_query_groups, 1) : i.num_attention_heads;
    i.expert_tensor_parallel = or_else(i.expert_tensor_parallel, i.tensor_parallel);
    i.data_parallel_size = or_else(
        i.data_parallel_size, floor(i.world_size / (i.tensor_parallel * i.pipeline_parallel * i.context_parallel)));
    i.moe_ffn_hidden_size = or_else(i.moe_ffn_hidden_size, i.ffn_hidden_size);
    return i;
}

static double norm_vectors(const struct report_inputs *i)
{
    return strcmp(i->normalization.text, "RMSNorm") == 0 ? 1 : 2;
}

static double latent_attention(const struct report_inputs *i)
{
    double h = i->hidden_size, a = i->num_attention_heads, norm = norm_vectors(i);
    double query_key = i->qk_head_dim + i->qk_pos_emb_head_dim;
    double query = isnan(i->q_lora_rank) ? h * a * query_key : i->q_lora_rank * (h + a * query_key + norm);
    double key_value = i->kv_lora_rank * (h + a * (i->qk_head_dim + i->v_head_dim) + norm);
    return query + key_value + h * i->qk_pos_emb_head_dim + a * i->v_head_dim * h;
}

static double attention(const struct report_inputs *i)
{
    if (i->is_mla > 0)
        return latent_attention(i);
    return 2 * i->hidden_size * i->kv_channels * (i->num_attention_heads + i->num_query_groups);
}

static void set_layers(const struct report_inputs *i, struct model *model)
{
    double h = i->hidden_size, matrices = i->is_swiglu > 0 ? 3 : 2;
    double shared = or_else(i->shared_ffn_hidden_size, 0), latent = or_else(i->moe_latent_size, 0);
    double expert = matrices * or_else(i->moe_latent_size, h) * i->moe_ffn_hidden_size;
    double norms = 2 * h * norm_vectors(i);
    double router = h * i->num_experts + (i->has_bias > 0 ? i->num_experts : 0);
    double gate = shared > 0 && i->has_shared_gate > 0 ? h : 0;
    model->dense = (struct layer){attention(i) + matrices * h * i->ffn_hidden_size, norms, 0, 0};
    model->moe = (struct layer){attention(i) + matrices * h * shared, norms + 2 * h * latent + router + gate,
                                expert * i->num_experts, expert * i->moe_router_topk};
    model->final_norm = norm_vectors(i) * h;
    model->embedding = h * i->padded_vocab_size;
}

/* A list gives each layer; a number n makes every n-th layer one of experts, beginning with the first. */
static void set_pattern(const struct report_inputs *i, struct model *model, struct reference_answer *out)
{
    const struct reference_list *freq = &i->moe_layer_freq;
    double every = or_else(freq->scalar, 1), L = i->num_layers;
    model->layers = L;
    model->mtp_layers = or_else(i->mtp_num_layers, 0);
    if (isnan(i->num_experts))
        return;
    if (freq->count > 0) {
        if (freq->count != L)
            reference_refuse(out, "moe_pattern_length", "moe_layer_freq lists %g layers of %g", freq->count, L);
        model->moe_layers = freq->sum;
        model->mtp_is_moe = freq->last > 0;
        return;
    }
    model->moe_layers = ceil(reference_divide(out, L, every));
    model->mtp_is_moe = every != 0 && fmod(L - 1, every) == 0;
}

static double total(const struct layer *layer, double experts)
{
    return layer->sharded + layer->replicated + experts;
}

static void count_model(const struct report_inputs *i, const struct model *m, struct report_values *v)
{
    double dense = m->layers - m->moe_layers, block = total(&m->dense, 0) * dense + m->final_norm;
    v->block_params = block + total(&m->moe, m->moe.experts) * (isnan(i->num_experts) ? 0 : m->moe_layers);
    v->active_block_params = block + total(&m->moe, m->moe.active) * m->moe_layers;
    v->mtp_params = m->mtp_layers * (m->mtp_is_moe ? total(&m->moe, m->moe.experts) : total(&m->dense, 0));
    v->embedding_params = m->embedding * (i->is_untied > 0 ? 2 : 1);
    v->total_params = v->block_params + v->mtp_params + v->embedding_params;
    v->active_params = v->active_block_params + v->mtp_params + v->embedding_params;
}

static void count_shards(const struct report_inputs *i, const struct model *m, struct report_values *v)
{
    double t = i->tensor_parallel, p = i->pipeline_parallel, dense = m->layers - m->moe_layers;
    const struct layer *mtp = m->mtp_is_moe ? &m->moe : &m->dense;
    double sharded = m->dense.sharded * dense + m->moe.sharded * m->moe_layers;
    double replicated = m->dense.replicated * dense + m->moe.replicated * m->moe_layers + m->final_norm;
    double experts = m->moe.experts * m->moe_layers, expert_ranks = i->expert_tensor_parallel * i->expert_parallel;
    bool has_output = i->is_untied > 0 && p == 1;
    v->tp_sharded_params = (sharded / p + mtp->sharded * m->mtp_layers + m->embedding * (has_output ? 2 : 1)) / t;
    v->replicated_params = replicated / p + mtp->replicated * m->mtp_layers;
    v->expert_params = (experts / p + mtp->experts * m->mtp_layers) / expert_ranks;
    v->most_loaded_params = v->tp_sharded_params + v->replicated_params + v->expert_params;
    v->other_shard_params = p > 1 ? sharded / (p * t) + replicated / p + experts / (p * expert_ranks) : NAN;
}

static double bytes_per_param(const struct report_inputs *i, double ranks, struct reference_answer *out)
{
    return i->is_distributed_optimizer > 0 ? 6 + reference_divide(out, 12, ranks) : 18;
}

static void weigh(const struct report_inputs *i, struct report_values *v, struct reference_answer *out)
{
    double dense = bytes_per_param(i, i->data_parallel_size, out);
    v->expert_data_parallel_size = floor(i->world_size /
                                         (i->expert_tensor_parallel * i->expert_parallel * i->pipeline_parallel));
    v->weight_and_optimizer_bytes = (v->tp_sharded_params + v->replicated_params) * dense +
                                    v->expert_params * bytes_per_param(i, v->expert_data_parallel_size, out);
}

/* Micro-batches in flight on the first stage, over p. */
static double in_flight(const struct report_inputs *i)
{
    double p = i->pipeline_parallel;
    if (!isnan(i->virtual_pipeline))
        return 1 + (p - 1) / (p * i->virtual_pipeline);
    return p > 1 && !isnan(i->num_microbatches) ? min(1, i->num_microbatches / p) : 1;
}

static void activations(const struct report_inputs *i, struct report_values *v)
{
    double s = i->seq_length, b = i->micro_batch_size, h = i->hidden_size, t = i->tensor_parallel,
           p = i->pipeline_parallel;
    double L = i->num_layers, vocab = i->padded_vocab_size;
    double inputs = 8 * s * b * p + s * b * h * p; /* token ids and dropout mask of the embedding */
    double with_sp = (s * b * (18 * h + 4 * i->ffn_hidden_size) * L + inputs) * in_flight(i);
    double without = (s * b * h * (10 + 24 / t) * L + inputs) * in_flight(i);
    if (p == 1) {
        with_sp += 4 * s * b * (h + vocab);
        without += 2 * (s * b * vocab / t + s * b * h);
    }
    v->with_sp_bytes = with_sp / t;
    v->without_sp_bytes = 1.05 * without;
}

static void print(const struct report_inputs *i, struct report_values *v)
{
    bool has_sp = i->is_sequence_parallel > 0 && strcmp(i->recompute_granularity.text, "selective") == 0;
    v->selected = has_sp ? "with_sp" : "without_sp";
    v->selected_bytes = has_sp ? v->with_sp_bytes : v->without_sp_bytes;
    v->printed_weight = v->weight_and_optimizer_bytes / MIB;
    v->printed_activation = v->selected_bytes / MIB;
    v->printed_total = v->printed_weight + v->printed_activation;
}

static void check(const struct report_inputs *i, struct reference_answer *out)
{
    reference_require_counts(out, report_input_rows, LENGTH(report_input_rows), i);
    if (isnan(i->padded_vocab_size) && isnan(i->vocab_size))
        reference_refuse(out, "input_missing",
                         "vocab_size is not given; megatron-report report needs it or padded_vocab_size");
    if (i->is_mla > 0 && i->is_gqa > 0)
        reference_refuse(out, "mla_with_gqa",
                         "multi_latent_attention and group_query_attention are both set; keep one");
    if (i->virtual_pipeline == 0 || i->expert_tensor_parallel == 0)
        reference_refuse(out, "division_by_zero", "a parallel size is 0; give 1 or more");
}

static void estimate(const struct reference_inputs *in, struct reference_answer *out)
{
    struct report_values *v = &out->values.report;
    struct model model = {0};
    check(&in->of.report, out);
    if (out->rule)
        return;
    const struct report_inputs i = completed(&in->of.report);
    set_pattern(&i, &model, out);
    set_layers(&i, &model);
    if (isnan(i.num_experts))
        model.moe = (struct layer){0};
    count_model(&i, &model, v);
    count_shards(&i, &model, v);
    weigh(&i, v, out);
    activations(&i, v);
    print(&i, v);
}

const struct reference_function report_estimate = {
    .estimator = REFERENCE_REPORT, .name = "report", .help = "parameters and memory of the most loaded rank",
    .inputs = report_input_rows, .input_count = LENGTH(report_input_rows),
    .values = report_value_rows, .value_count = LENGTH(report_value_rows),
    .compute = estimate,
};
