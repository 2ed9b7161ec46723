/* src/export/hf.c - the model of a plan as Hugging Face's config.json, of the family that says most of it. */
#include "core/base.h"
#include "src/export/common.h"
#include "src/import/spelling.h"
#include "src/text/json_out.h"
#include "src/text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How the files of a model type name things; NULL where they are named like Llama's. */
struct words {
    const char *type, *architecture;
    const char *layers, *hidden, *heads, *groups, *ffn, *positions, *experts;
};

/*
 * Types to choose from: the one that says the most of a plan is taken, the first of several. Later ones only have to
 * differ from earlier ones in what the importer takes them to mean.
 */
static const struct words types[] = {
    {"llama", "LlamaForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {"mistral", "MistralForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {"qwen2", "Qwen2ForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {"qwen3", "Qwen3ForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {"mixtral", "MixtralForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, "num_local_experts"},
    {"qwen2_moe", "Qwen2MoeForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {"qwen3_moe", "Qwen3MoeForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {"deepseek_v3", "DeepseekV3ForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, "n_routed_experts"},
    {"glm4_moe", "Glm4MoeForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, "n_routed_experts"},
    {"gpt_oss", "GptOssForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, "num_local_experts"},
    {"minimax_m2", "MiniMaxM2ForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, "num_local_experts"},
    {"phimoe", "PhimoeForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, "num_local_experts"},
    {"olmo", "OlmoForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {"olmo2", "Olmo2ForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {"gemma2", "Gemma2ForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {"gemma3_text", "Gemma3ForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {"glm", "GlmForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {"glm4", "Glm4ForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {"gpt2", "GPT2LMHeadModel", "n_layer", "n_embd", "n_head", NULL, "n_inner", "n_positions", NULL},
    {"gpt_neox", "GPTNeoXForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {"gptj", "GPTJForCausalLM", "n_layer", "n_embd", "n_head", NULL, "n_inner", "n_positions", NULL},
    {"bloom", "BloomForCausalLM", "n_layer", "hidden_size", "n_head", NULL, NULL, "seq_length", NULL},
    {"falcon", "FalconForCausalLM", NULL, NULL, NULL, "num_kv_heads", "ffn_hidden_size", NULL, NULL},
    {"phi", "PhiForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {"mpt", "MPTForCausalLM", "n_layers", "d_model", "n_heads", NULL, NULL, "max_seq_len", NULL},
    {"starcoder2", "Starcoder2ForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {"stablelm", "StableLmForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {"cohere", "CohereForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {"nemotron", "NemotronForCausalLM", NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};

enum { TYPES = LENGTH(types) };

static bool is_type(const struct words *w, const char *type)
{
    return strcmp(w->type, type) == 0;
}

static void put_shape(struct json *json, const struct words *w, const struct plan *plan)
{
    bool is_opt_like = KEY(model, position_embedding) == POSITION_LEARNED;
    json_number(json, w->layers ? w->layers : "num_hidden_layers", KEY(model, num_layers));
    json_number(json, w->hidden ? w->hidden : "hidden_size", KEY(model, hidden_size));
    json_number(json, w->heads ? w->heads : "num_attention_heads", KEY(model, num_attention_heads));
    json_number(json, w->groups ? w->groups : "num_key_value_heads", KEY(model, num_query_groups));
    if (KEY(model, kv_channels) * KEY(model, num_attention_heads) != KEY(model, hidden_size) || is_type(w, "gemma2") ||
        is_type(w, "gemma3_text") || is_type(w, "qwen3") || is_type(w, "qwen3_moe"))
        json_number(json, "head_dim", KEY(model, kv_channels));
    json_number(json, w->ffn ? w->ffn : "intermediate_size", KEY(model, ffn_hidden_size));
    json_number(json, "vocab_size", KEY(model, vocab_size));
    json_number(json, w->positions ? w->positions : "max_position_embeddings", KEY(model, max_position_embeddings));
    if (KEY(model, rotary_base) > 0)
        json_number(json, "rope_theta", KEY(model, rotary_base));
    if (KEY(model, attention_dropout) > 0 || is_opt_like)
        json_number(json, is_type(w, "gpt2") ? "attn_pdrop" : "attention_dropout", KEY(model, attention_dropout));
    if (KEY(model, hidden_dropout) > 0 || is_opt_like)
        json_number(json, is_type(w, "gpt2") ? "resid_pdrop" : "hidden_dropout", KEY(model, hidden_dropout));
}

/* Biases under the names that any of the types has. */
static void put_biases(struct json *json, const struct words *w, const struct plan *plan)
{
    bool has_qkv = KEY(model, add_qkv_bias) > 0, has_o = KEY(model, add_bias_linear) > 0,
         has_mlp = KEY(model, add_mlp_bias) > 0;
    if (is_type(w, "mpt")) {
        json_bool(json, "no_bias", !has_o);
        json_number(json, "expansion_ratio", KEY(model, ffn_hidden_size) / KEY(model, hidden_size));
        json_bool(json, "learned_pos_emb", KEY(model, position_embedding) == POSITION_LEARNED);
        json_open(json, "attn_config", '{');
        json_bool(json, "alibi", KEY(model, position_embedding) == POSITION_ALIBI);
        json_bool(json, "rope", KEY(model, position_embedding) == POSITION_ROPE);
        json_number(json, "kv_n_heads", KEY(model, num_query_groups));
        json_close(json, '}');
    } else if (is_type(w, "falcon")) {
        json_bool(json, "bias", has_o);
        json_bool(json, "multi_query", KEY(model, num_query_groups) == 1);
        json_bool(json, "new_decoder_architecture", KEY(model, num_query_groups) != 1);
        json_number(json, "num_ln_in_parallel_attn", KEY(model, norms_per_layer));
        json_bool(json, "alibi", KEY(model, position_embedding) == POSITION_ALIBI);
    } else if (is_type(w, "stablelm")) {
        json_bool(json, "use_qkv_bias", has_qkv);
        json_bool(json, "use_parallel_residual", KEY(model, norms_per_layer) == 1);
    } else if (is_type(w, "starcoder2")) {
        json_bool(json, "use_bias", has_o);
    } else {
        json_bool(json, "attention_bias", has_qkv);
        if (has_mlp)
            json_bool(json, "mlp_bias", true);
    }
    if (is_type(w, "phimoe"))
        json_bool(json, "lm_head_bias", KEY(model, output_bias) > 0);
}

/* The window, and which layers have it. */
static void put_window(struct json *json, const struct words *w, const struct plan *plan)
{
    int layers = (int)KEY(model, num_layers), every = (int)KEY(model, sliding_window_every);
    if (!(KEY(model, sliding_window) > 0))
        return;
    json_number(json, "sliding_window", KEY(model, sliding_window));
    if (strncmp(w->type, "qwen", 4) == 0) {
        json_bool(json, "use_sliding_window", true);
        json_number(json, "max_window_layers", 0);
        return;
    }
    json_open(json, "layer_types", '[');
    for (int i = 0; i < layers; i++)
        json_text(json, NULL, every > 0 && (i + 1) % every == 0 ? "full_attention" : "sliding_attention");
    json_close(json, ']');
}

static void put_latent_attention(struct json *json, const struct plan *plan)
{
    if (!(KEY(model, multi_latent_attention) > 0))
        return;
    if (KEY(model, q_lora_rank) > 0)
        json_number(json, "q_lora_rank", KEY(model, q_lora_rank));
    else
        json_null(json, "q_lora_rank");
    json_number(json, "kv_lora_rank", KEY(model, kv_lora_rank));
    json_number(json, "qk_nope_head_dim", KEY(model, qk_head_dim));
    json_number(json, "qk_rope_head_dim", KEY(model, qk_pos_emb_head_dim));
    json_number(json, "v_head_dim", KEY(model, v_head_dim));
}

static void put_shared_experts(struct json *json, const struct words *w, const struct plan *plan)
{
    double shared = KEY(model, moe_shared_ffn_hidden_size), width = KEY(model, moe_ffn_hidden_size);
    bool is_counted = w->experts && strcmp(w->experts, "n_routed_experts") == 0;
    if (shared > 0 && is_counted && fmod(shared, width) == 0)
        json_number(json, "n_shared_experts", shared / width);
    else if (shared > 0)
        json_number(json, "shared_expert_intermediate_size", shared);
}

static void put_experts(struct json *json, const struct words *w, const struct plan *plan)
{
    if (!(KEY(model, num_experts) > 0))
        return;
    bool is_qwen = strncmp(w->type, "qwen", 4) == 0;
    json_number(json, w->experts ? w->experts : "num_experts", KEY(model, num_experts));
    json_number(json, "num_experts_per_tok", KEY(model, moe_router_topk));
    if (KEY(model, moe_router_num_groups) > 0) {
        json_number(json, "n_group", KEY(model, moe_router_num_groups));
        json_number(json, "topk_group", KEY(model, moe_router_topk_groups));
    }
    json_number(json, "moe_intermediate_size", KEY(model, moe_ffn_hidden_size));
    put_shared_experts(json, w, plan);
    json_number(json, "first_k_dense_replace", KEY(model, moe_first_dense));
    json_number(json, is_qwen ? "decoder_sparse_step" : "moe_layer_freq", KEY(model, moe_layer_freq));
    if (KEY(model, moe_router_bias) > 0) {
        json_text(json, "topk_method", "noaux_tc");
        json_bool(json, "use_routing_bias", true);
    }
    if (KEY(model, mtp_num_layers) > 0)
        json_number(json, "num_nextn_predict_layers", KEY(model, mtp_num_layers));
}

static void put_config(struct buffer *out, const struct words *w, const struct plan *plan)
{
    char dtype[SPELLING_MAX];
    struct json json = {.out = out, .lines = 1};
    json_open(&json, NULL, '{');
    json_open(&json, "architectures", '[');
    json_text(&json, NULL, w->architecture);
    json_close(&json, ']');
    json_text(&json, "model_type", w->type);
    put_shape(&json, w, plan);
    put_biases(&json, w, plan);
    json_bool(&json, "tie_word_embeddings", KEY(model, tied_embeddings) > 0);
    if (KEY(model, qk_norm) != QK_NORM_NONE) {
        json_bool(&json, "use_qk_norm", true);
        json_bool(&json, "qk_layernorm", true);
    }
    put_window(&json, w, plan);
    put_latent_attention(&json, plan);
    put_experts(&json, w, plan);
    spelling_usual(PARAM_train_dtype, fmin(KEY(train, dtype), DTYPE_BF16), DIALECT_TORCH, dtype);
    json_text(&json, "torch_dtype", dtype);
    json_close(&json, '}');
    buffer_puts(out, "\n");
}

/* ---- choosing the type ------------------------------------------------------------------------------------------ */

static bool holds(enum param key)
{
    return param_rows[key].group_id == GROUP_model && key != PARAM_model_make_vocab_size_divisible_by &&
           key != PARAM_model_moe_imbalance && key != PARAM_model_moe_capacity_factor;
}

static const enum param needed[] = {PARAM_model_num_layers, PARAM_model_hidden_size, PARAM_model_num_attention_heads,
                                    PARAM_model_vocab_size, PARAM_COUNT};

static void write_best(struct buffer *out, const struct plan *plan);

const struct export_format hf_format = {"a config.json", needed, holds, write_best,
    KIND_HF, false, NULL, false};

/* The type whose file, read again, differs in the fewest keys; of models with experts where the plan has some. */
static const struct words *choose_type(const struct plan *plan)
{
    const struct words *best = types;
    int least = PARAM_COUNT;
    for (const struct words *w = types; w < types + TYPES && least > 0; w++) {
        struct buffer text = {0};
        if ((w->experts || strstr(w->type, "moe")) != (KEY(model, num_experts) > 0))
            continue;
        put_config(&text, w, plan);
        int count = export_count_lost(&hf_format, plan, &text);
        if (count >= 0 && count < least) {
            least = count;
            best = w;
        }
        buffer_free(&text);
    }
    return best;
}

static void write_best(struct buffer *out, const struct plan *plan)
{
    put_config(out, choose_type(plan), plan);
}
