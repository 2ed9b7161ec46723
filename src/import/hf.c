#include "src/import/hf.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "src/import/hf_encoders.h"
#include "src/import/hf_layers.h"
#include "src/import/hf_quantization.h"
#include "src/import/hf_vision.h"
#include "src/import/import.h"
#include "src/import/table.h"
#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One import under way. */
struct hf {
    struct tree tree;
    struct import *out;
    const struct family *family;
    char prefix[32];     /* where the language model stands: "" or "text_config." */
    int line;            /* of model_type */
    size_t faults;       /* before this import */
    double layers, hidden, heads, groups, ffn, head, experts; /* NAN where unknown */
    bool is_known; /* the family is the model's own, not Llama's for one of its keys */
    struct hf_part part;
    bool has_o, has_qkv, has_mlp, has_out; /* biases: output projection, query/key/value, feed-forward, output layer */
};

enum { BIAS_O = 1, BIAS_QKV = 2, BIAS_MLP = 4, BIAS_OUT = 8, BIAS_ALL = BIAS_O | BIAS_QKV | BIAS_MLP };

/* What a model type implies beside what its files say. */
struct family {
    const char *type;
    const char *norm;
    int norms;             /* per layer */
    const char *position;
    bool is_gated;
    int biases;
    int attention_bias;    /* biases that `attention_bias: true` adds */
    bool is_tied;          /* when the file does not say */
    const char *qk_norm;   /* NULL for none */
    const char *fallback;  /* values of keys that a file may leave out: "key=value key=value" */
    void (*rule)(struct hf *);
};

static const struct tree_value *look(struct hf *hf, const char *paths)
{
    return tree_first(&hf->tree, hf->prefix, paths);
}

/* The value that the family assumes for one of several keys; NAN when there is none. */
static double fallback_of(const struct hf *hf, const char *paths)
{
    const char *text = hf->family->fallback;
    for (const char *p = paths; text && *p; p += strcspn(p, "|"), p += *p == '|') {
        size_t n = strcspn(p, "|");
        for (const char *at = text; *at; at += strcspn(at, " "), at += *at == ' ')
            if (strncmp(at, p, n) == 0 && at[n] == '=')
                return strtod(at + n + 1, NULL);
    }
    return NAN;
}

/* The number at one of several keys, else the family's, else `otherwise`. */
static double number(struct hf *hf, const char *paths, double otherwise)
{
    const struct tree_value *value = look(hf, paths);
    double n = fallback_of(hf, paths);
    if (value)
        tree_number(&hf->tree, value, &n);
    return isnan(n) ? otherwise : n;
}

/* A flag of the file; `otherwise` where it is not given. */
static bool is_on(struct hf *hf, const char *paths, bool otherwise)
{
    const struct tree_value *value = look(hf, paths);
    double n = fallback_of(hf, paths);
    bool is = isnan(n) ? otherwise : n != 0;
    if (value)
        tree_bool(&hf->tree, value, &is);
    return is;
}

static bool has_word(struct hf *hf, const char *path, const char *word)
{
    const struct tree_value *value = look(hf, path);
    return value && strcmp(value->text, word) == 0;
}

static void set(struct hf *hf, const char *key, const char *value)
{
    keyvals_add(&hf->out->settings, key, value, hf->line);
}

static void set_if(struct hf *hf, bool is, const char *key, const char *value)
{
    if (is)
        set(hf, key, value);
}

/* Sets a key to the number at one of several keys, with its line; `least` and smaller are the key's default. */
static double copy(struct hf *hf, const char *key, const char *paths, double least)
{
    const struct tree_value *value = look(hf, paths);
    double n = number(hf, paths, NAN);
    if (n > least)
        keyvals_number(&hf->out->settings, key, n, value ? value->line : hf->line);
    return n;
}

static void note(struct hf *hf, const char *path, const char *text)
{
    char whole[80];
    snprintf(whole, sizeof whole, "%s%s", hf->prefix, path);
    tree_note(&hf->tree, whole, text);
}

/* ---- keys that go by several names ------------------------------------------------------------------------------ */

#define LAYERS "num_hidden_layers|n_layer|n_layers|num_layers"
#define HIDDEN "hidden_size|n_embd|n_embed|d_model"
#define HEADS "num_attention_heads|n_head|n_heads|num_heads"
#define GROUPS                                                                                                         \
    "num_key_value_heads|num_attention_groups|num_kv_heads|n_head_kv|multi_query_group_num|attn_config.kv_n_heads"
#define FFN "intermediate_size|ffn_dim|n_inner|ffn_hidden_size|ffn_config.ffn_hidden_size"
#define VOCAB "padded_vocab_size|embedding_size|vocab_size"
#define POSITIONS                                                                                                      \
    "max_position_embeddings|n_positions|n_ctx|max_seq_len|max_sequence_length|seq_length|model_max_length"
#define TOPK                                                                                                           \
    "num_experts_per_tok|num_experts_per_token|experts_per_token|moe_topk|moe_k|moe_top_k|top_k_experts|"              \
    "ffn_config.moe_top_k"
#define EXPERTS "num_local_experts|num_experts|n_routed_experts|moe_num_experts|ffn_config.moe_num_experts"

/* ---- windows ---------------------------------------------------------------------------------------------------- */

/* Sets the window of all layers but each `every`-th. */
static void set_window(struct hf *hf, double window, int every)
{
    if (!(window > 0))
        return;
    keyvals_number(&hf->out->settings, "model.sliding_window", window, hf->line);
    if (every > 0)
        keyvals_number(&hf->out->settings, "model.sliding_window_every", every, hf->line);
}

/*
 * The period of the layers that see everything in a list such as [sliding_attention,full_attention]: 0 when all have
 * the window, 1 when none has, -1 when there is no regular period.
 */
static int period_of(const char *list)
{
    int index = 0, every = 0;
    for (const char *p = list + 1; *p && *p != ']'; p += strcspn(p, ",]"), p += *p == ',') {
        bool is_full = strncmp(p, "full", 4) == 0;
        index++;
        if (is_full && every == 0)
            every = index;
        if (every && is_full != (index % every == 0))
            return -1;
    }
    return every;
}

/* Whether a list of layer types has only attention and windows. */
static bool are_windows(const char *list)
{
    static const char *const words[] = {"full_attention", "sliding_attention"};
    for (const char *p = list + (*list == '['); *p && *p != ']'; p += strcspn(p, ",]"), p += *p == ',') {
        bool is_known = false;
        for (size_t i = 0; i < LENGTH(words); i++)
            is_known |= strncmp(p, words[i], strlen(words[i])) == 0;
        if (!is_known)
            return false;
    }
    return true;
}

/* Whether a mapping or a list of mappings stands at a key. */
static bool has_members(struct hf *hf, const char *key)
{
    char path[80];
    snprintf(path, sizeof path, "%s%s", hf->prefix, key);
    return tree_has(&hf->tree, path);
}

/* The period of windows by its own key: a number, or letters such as LLLG of which the last sees everything. */
static int period_given(struct hf *hf, int otherwise)
{
    static const char paths[] = "sliding_window_pattern|_sliding_window_pattern";
    const struct tree_value *value = look(hf, paths);
    size_t local = value ? strspn(value->text, "L") : 0;
    return local > 0 && strcmp(value->text + local, "G") == 0 ? (int)local + 1 : (int)number(hf, paths, otherwise);
}

/* A window with the list of layer types of newer files, or with what the family does. */
static void window_of_types(struct hf *hf, int every)
{
    const struct tree_value *types = look(hf, "layer_types");
    double window = number(hf, "sliding_window|window_size", 0);
    every = period_given(hf, every);
    int period = types && types->text[0] == '[' ? period_of(types->text) : every;
    if (types && !are_windows(types->text)) {
        errors_add(hf->tree.errors, hf->tree.file, types->line, "layer_types",
                   "names layers other than attention; write the model as a plan with model.layer_pattern");
        return;
    }
    hf->part.is_irregular |= period < 0;
    if (period >= 0 && period != 1)
        set_window(hf, window, period);
}

static void every_layer(struct hf *hf)
{
    window_of_types(hf, 0);
}

static void every_second(struct hf *hf)
{
    window_of_types(hf, 2);
}

static void every_fourth(struct hf *hf)
{
    window_of_types(hf, 4);
}

static void every_sixth(struct hf *hf)
{
    window_of_types(hf, 6);
}

/* Qwen files name a window that `use_sliding_window` switches on from layer `max_window_layers`. */
static void rule_qwen(struct hf *hf)
{
    bool has_window = is_on(hf, "use_sliding_window", false);
    double from = number(hf, "max_window_layers", 0), window = number(hf, "sliding_window", 0);
    if (!has_window || from >= hf->layers)
        return;
    hf->part.is_irregular = from > 0;
    if (!(from > 0))
        set_window(hf, window, 0);
}

/* The first Qwen's files name both halves of the gated block together. */
static void rule_qwen_first(struct hf *hf)
{
    hf->ffn = hf->ffn / 2;
}

static void rule_qwen_moe(struct hf *hf)
{
    hf->has_qkv = is_on(hf, "qkv_bias", hf->has_qkv);
    rule_qwen(hf);
    set(hf, "model.moe_shared_expert_gate", "true");
}

/* The file counts the keys before the one that looks; the window counts it too. */
static void rule_phi3(struct hf *hf)
{
    double window = number(hf, "sliding_window", 0);
    if (window > 0 && window < number(hf, "max_position_embeddings", 0))
        set_window(hf, window + 1, 0);
}

/* ---- rules of families ------------------------------------------------------------------------------------------ */

static void rule_llama(struct hf *hf)
{
    hf->has_mlp = is_on(hf, "mlp_bias", hf->has_mlp);
    every_layer(hf);
}

static void rule_falcon(struct hf *hf)
{
    bool is_new = is_on(hf, "new_decoder_architecture", false), is_parallel = is_on(hf, "parallel_attn", true);
    double norms = number(hf, "num_ln_in_parallel_attn", is_new ? 2 : 1);
    hf->has_o = hf->has_qkv = hf->has_mlp = is_on(hf, "bias", false);
    if (!is_new && is_on(hf, "multi_query", true))
        hf->groups = 1;
    set(hf, "model.norms_per_layer", is_parallel && !(norms > 1) ? "1" : "2");
    set(hf, "model.position_embedding", is_on(hf, "alibi", false) ? "alibi" : "rope");
}

static void rule_multi_query(struct hf *hf)
{
    if (is_on(hf, "multi_query", true))
        hf->groups = 1;
}

static void rule_chatglm(struct hf *hf)
{
    hf->has_qkv = is_on(hf, "add_qkv_bias", false);
    hf->has_o = hf->has_mlp = is_on(hf, "add_bias_linear", false);
    if (!is_on(hf, "multi_query_attention", false))
        hf->groups = hf->heads;
    set(hf, "model.normalization", is_on(hf, "rmsnorm", true) ? "rmsnorm" : "layernorm");
}

static void rule_mpt(struct hf *hf)
{
    bool has_bias = !is_on(hf, "no_bias", false);
    hf->has_o = hf->has_qkv = hf->has_mlp = has_bias;
    set(hf, "model.normalization", has_bias ? "layernorm" : "layernorm_nobias");
    if (is_on(hf, "attn_config.alibi", false))
        set(hf, "model.position_embedding", "alibi");
    else if (is_on(hf, "attn_config.rope", false))
        set(hf, "model.position_embedding", "rope");
    else
        set(hf, "model.position_embedding", is_on(hf, "learned_pos_emb", true) ? "learned" : "none");
    hf->ffn = floor(number(hf, "expansion_ratio", 4) * hf->hidden);
    set_if(hf, is_on(hf, "attn_config.qk_ln", false), "model.qk_norm", "full");
}

/* The files of the first OLMo name both halves of the gated block together. */
static void rule_olmo_native(struct hf *hf)
{
    double both = number(hf, "mlp_hidden_size", number(hf, "mlp_ratio", 8) * hf->hidden);
    hf->ffn = both / 2;
    hf->has_o = hf->has_qkv = hf->has_mlp = is_on(hf, "include_bias", false);
    set(hf, "model.tied_embeddings", is_on(hf, "weight_tying", true) ? "true" : "false");
}

/* Two rows of the position table are kept in front of the first position. */
static void rule_opt(struct hf *hf)
{
    double positions = number(hf, "max_position_embeddings", NAN);
    if (!isnan(positions))
        keyvals_number(&hf->out->settings, "model.max_position_embeddings", positions + 2, hf->line);
    hf->has_o = hf->has_qkv = hf->has_mlp = is_on(hf, "enable_bias", true);
    double narrow = number(hf, "word_embed_proj_dim", hf->hidden);
    if (narrow < hf->hidden)
        note(hf, "word_embed_proj_dim", "narrower embeddings are not modelled; they are taken as wide as the model");
}

static void rule_parallel_residual(struct hf *hf)
{
    bool is_parallel = is_on(hf, "use_parallel_residual", false);
    hf->has_qkv = is_on(hf, "use_qkv_bias", false);
    set(hf, "model.norms_per_layer", is_parallel ? "1" : "2");
    set_if(hf, is_on(hf, "qk_layernorm", false), "model.qk_norm", "full"); /* a norm for each head */
}

static void rule_neox(struct hf *hf)
{
    hf->has_o = hf->has_qkv = is_on(hf, "attention_bias", true);
}

static void rule_starcoder2(struct hf *hf)
{
    hf->has_o = hf->has_qkv = hf->has_mlp = is_on(hf, "use_bias", true);
    every_layer(hf);
}

static void rule_phi(struct hf *hf)
{
    set_if(hf, is_on(hf, "qk_layernorm", false), "model.qk_norm", "head");
}

static void rule_phimoe(struct hf *hf)
{
    hf->has_out = is_on(hf, "lm_head_bias", false);
    double window = number(hf, "sliding_window", 0);
    if (window < number(hf, "max_position_embeddings", 0))
        set_window(hf, window, 0);
}

static void rule_cohere(struct hf *hf)
{
    set_if(hf, is_on(hf, "use_qk_norm", false), "model.qk_norm", "full"); /* a weight for each head's values */
    every_fourth(hf);
}

static void rule_gpt_oss(struct hf *hf)
{
    every_second(hf);
    set(hf, "model.attention_sinks", "true");
    set(hf, "model.moe_router_bias", "true");
}

/* Dense and expert layers alternate; the width of the dense ones has a key of its own. */
static void rule_llama4(struct hf *hf)
{
    double expert = hf->ffn, step = number(hf, "interleave_moe_layer_step", 1);
    if (step > 1)
        hf->ffn = number(hf, "intermediate_size_mlp", hf->ffn);
    keyvals_number(&hf->out->settings, "model.moe_ffn_hidden_size", expert, hf->line);
    keyvals_number(&hf->out->settings, "model.moe_shared_ffn_hidden_size", expert, hf->line);
}

static void rule_minimax(struct hf *hf)
{
    set_if(hf, is_on(hf, "use_qk_norm", false), "model.qk_norm", "full");
    set_if(hf, is_on(hf, "use_routing_bias", false), "model.moe_router_bias", "true");
}

static void rule_glm_moe(struct hf *hf)
{
    set_if(hf, is_on(hf, "use_qk_norm", false), "model.qk_norm", "head");
    set(hf, "model.moe_router_bias", "true");
}

static void rule_deepseek(struct hf *hf)
{
    set_if(hf, has_word(hf, "topk_method", "noaux_tc"), "model.moe_router_bias", "true");
    if (look(hf, "index_topk") && !hf_has_kinds(&hf->part))
        note(hf, "index_topk", "sparse attention is not modelled; every token is attended to");
}

static void rule_internlm(struct hf *hf)
{
    hf->has_o = is_on(hf, "bias", false);
    hf->has_qkv = is_on(hf, "qkv_bias", hf->has_o);
}

/* Latent attention whose values are as wide as the heads of a plain model. */
static void rule_minicpm3(struct hf *hf)
{
    if (!look(hf, "v_head_dim") && isfinite(hf->hidden / hf->heads))
        keyvals_number(&hf->out->settings, "model.v_head_dim", hf->hidden / hf->heads, hf->line);
}

static void rule_seed(struct hf *hf)
{
    hf->has_o = is_on(hf, "attention_out_bias", false);
}

/* Trinity: a gate behind attention in every layer. */
static void rule_afmoe(struct hf *hf)
{
    set(hf, "model.attention_output_gate", "element");
    every_fourth(hf);
}

/* The dense block of a model without experts is what stands beside them in the others. */
static void rule_granite(struct hf *hf)
{
    if (!(number(hf, EXPERTS, 0) > 1))
        hf->ffn = number(hf, "shared_intermediate_size", hf->ffn);
}

static void rule_minimax3(struct hf *hf)
{
    hf->ffn = number(hf, "dense_intermediate_size", hf->ffn);
}

/* The file may name a width from which the model's own follows (transformers models/lfm2 Lfm2MLP). */
static void rule_lfm(struct hf *hf)
{
    double multiple = number(hf, "block_multiple_of", 1);
    if (is_on(hf, "block_auto_adjust_ff_dim", false))
        hf->ffn = ceil(floor(number(hf, "block_ffn_dim_multiplier", 1) * floor(2 * hf->ffn / 3)) / multiple) * multiple;
}

/* Nothing here has heads or a feed-forward block; a plan has them. */
static void rule_mamba(struct hf *hf)
{
    hf->heads = hf->groups = hf->hidden / 64;
    hf->head = 64;
    hf->ffn = hf->hidden;
    keyvals_number(&hf->out->settings, "model.num_attention_heads", hf->heads, hf->line);
}

/* The file names both halves of the gated block together. */
static void rule_recurrent(struct hf *hf)
{
    hf->ffn = hf->ffn / 2;
}

/* No heads as attention has them. */
static void rule_rwkv(struct hf *hf)
{
    double ffn = hf->ffn;
    rule_mamba(hf);
    hf->ffn = isnan(ffn) ? 4 * hf->hidden : ffn;
}

/* Layers that see everything have heads of their own, which are the plan's; those with a window have the file's. */
static void rule_gemma4(struct hf *hf)
{
    struct keyvals *out = &hf->out->settings;
    bool shares = is_on(hf, "attention_k_eq_v", false);
    keyvals_number(out, "model.window_num_query_groups", hf->groups, hf->line);
    keyvals_number(out, "model.window_kv_channels", hf->head, hf->line);
    hf->groups = shares ? number(hf, "num_global_key_value_heads", hf->groups) : hf->groups;
    hf->head = number(hf, "global_head_dim", hf->head);
    set_if(hf, shares, "model.k_equals_v", "true");
    if (is_on(hf, "enable_moe_block", false)) /* a dense block beside the experts is a shared expert of its width */
        keyvals_number(out, "model.moe_shared_ffn_hidden_size", hf->ffn, hf->line);
}

/* One layer of the file is two with latent attention; the experts of the second run beside its dense block. */
static void rule_longcat(struct hf *hf)
{
    hf->ffn = number(hf, "ffn_hidden_size", hf->ffn);
    keyvals_number(&hf->out->settings, "model.moe_shared_ffn_hidden_size", hf->ffn, hf->line);
}

/* ---- the table of families -------------------------------------------------------------------------------------- */

#define QO (BIAS_O | BIAS_QKV)
#define LN "layernorm"
#define RMS "rmsnorm"

static const struct family family_rows[] = {
    /* type           norm norms position  gated   biases         attention_bias tied  qk_norm  fallback, rule */
    {"llama",         RMS, 2, "rope",    true,  0,                       QO,       false, NULL,   NULL, rule_llama},
    {"mistral",       RMS, 2, "rope",    true,  0,                       0,        false, NULL,   NULL, every_layer},
    {"ministral",     RMS, 2, "rope",    true,  0,                       0,        false, NULL,   NULL, every_layer},
    {"mixtral",       RMS, 2, "rope",    true,  0,                       0,        false, NULL,   NULL, every_layer},
    {"mimo",          RMS, 2, "rope",    true,  0,                       BIAS_QKV, false, NULL,   NULL, rule_qwen},
    {"qwen",          RMS, 2, "rope",    true,  BIAS_QKV,                0,        false, NULL,   NULL,
     rule_qwen_first},
    {"qwen2",         RMS, 2, "rope",    true,  BIAS_QKV,                0,        false, NULL,   NULL, rule_qwen},
    {"qwen2_vl",      RMS, 2, "rope",    true,  BIAS_QKV,                0,        false, NULL,   NULL, rule_qwen},
    {"qwen2_5_vl",    RMS, 2, "rope",    true,  BIAS_QKV,                0,        false, NULL,   NULL, rule_qwen},
    {"qwen2_moe",     RMS, 2, "rope",    true,  BIAS_QKV,                0,        false, NULL,   NULL, rule_qwen_moe},
    {"qwen3",         RMS, 2, "rope",    true,  0,                       QO,       false, "head", "head_dim=128",
     rule_qwen},
    {"qwen3_vl_text", RMS, 2, "rope",    true,  0,                       QO,       false, "head", "head_dim=128",
     rule_qwen},
    {"qwen3_moe",     RMS, 2, "rope",    true,  0,                       QO,       false, "head", "head_dim=128",
     rule_qwen},
    {"qwen3_vl_moe_text", RMS, 2, "rope", true, 0,                       QO,       false, "head", "head_dim=128",
     rule_qwen},
    {"deepseek",      RMS, 2, "rope",    true,  0,                       QO,       false, NULL,   NULL, rule_deepseek},
    {"deepseek_v2",   RMS, 2, "rope",    true,  0,                       0,        false, NULL,   NULL, rule_deepseek},
    {"deepseek_v3",   RMS, 2, "rope",    true,  0,                       0,        false, NULL,   NULL, rule_deepseek},
    {"deepseek_v32",  RMS, 2, "rope",    true,  0,                       0,        false, NULL,   NULL, rule_deepseek},
    {"kimi_k2",       RMS, 2, "rope",    true,  0,                       0,        false, NULL,   NULL, rule_deepseek},
    {"gemma",         RMS, 2, "rope",    true,  0,                       QO,       true,  NULL,   "head_dim=256", NULL},
    {"gemma2",        RMS, 4, "rope",    true,  0,                       QO,       true,  NULL,   "head_dim=256",
     every_second},
    {"gemma3_text",   RMS, 4, "rope",    true,  0,                       QO,       true,  "head",
     "num_attention_heads=8 num_key_value_heads=4 head_dim=256 vocab_size=262208 max_position_embeddings=131072 "
     "sliding_window=4096", every_sixth},
    {"phi",           LN,  1, "rope",    false, BIAS_ALL | BIAS_OUT,     0,        false, NULL,   NULL, rule_phi},
    {"phi3",          RMS, 2, "rope",    true,  0,                       0,        false, NULL,   NULL, rule_phi3},
    {"phimoe",        LN,  2, "rope",    true,  0,                       QO,       false, NULL,   NULL, rule_phimoe},
    {"falcon",        LN,  0, "",        false, 0,                       0,        true,  NULL,
     "max_position_embeddings=2048 vocab_size=65024", rule_falcon},
    {"RefinedWebModel", LN, 0, "",       false, 0,                       0,        true,  NULL,
     "max_position_embeddings=2048 vocab_size=65024", rule_falcon},
    {"RefinedWeb",    LN,  0, "",        false, 0,                       0,        true,  NULL,
     "max_position_embeddings=2048 vocab_size=65024 new_decoder_architecture=1", rule_falcon},
    {"gpt2",          LN,  2, "learned", false, BIAS_ALL,                0,        true,  NULL,
     "n_positions=1024 vocab_size=50257 resid_pdrop=0.1 attn_pdrop=0.1", NULL},
    {"gpt_bigcode",   LN,  2, "learned", false, BIAS_ALL,                0,        true,  NULL,   NULL,
     rule_multi_query},
    {"gpt_neox",      LN,  2, "rope",    false, BIAS_ALL,                0,        false, NULL,   NULL, rule_neox},
    {"gptj",          LN,  1, "rope",    false, BIAS_MLP | BIAS_OUT,     0,        false, NULL,
     "n_positions=2048 vocab_size=50400", NULL},
    {"codegen",       LN,  1, "rope",    false, BIAS_MLP | BIAS_OUT,     0,        false, NULL,
     "n_positions=2048 vocab_size=50400", NULL},
    {"opt",           LN,  2, "learned", false, BIAS_ALL,                0,        true,  NULL,   "dropout=0.1",
     rule_opt},
    {"bloom",         LN,  2, "alibi",   false, BIAS_ALL,                0,        true,  NULL,
     "seq_length=2048 vocab_size=250880", NULL},
    {"mpt",           LN,  2, "",        false, BIAS_ALL,                0,        true,  NULL,   NULL, rule_mpt},
    {"olmo",          "layernorm_nonparametric", 2, "rope", true, 0,     QO,       false, NULL,   NULL, NULL},
    {"hf_olmo",       "layernorm_nonparametric", 2, "rope", true, 0,     QO,       false, NULL,   NULL,
     rule_olmo_native},
    {"olmo2",         RMS, 2, "rope",    true,  0,                       QO,       false, "full", NULL, NULL},
    {"olmo3",         RMS, 2, "rope",    true,  0,                       QO,       false, "full", NULL, every_fourth},
    {"olmoe",         RMS, 2, "rope",    true,  0,                       QO,       false, "full", NULL, NULL},
    {"gpt_oss",       RMS, 2, "rope",    true,  BIAS_MLP,                QO,       false, NULL,   "attention_bias=1",
     rule_gpt_oss},
    {"glm",           RMS, 2, "rope",    true,  0,                       BIAS_QKV,        false, NULL,
     "attention_bias=1", NULL},
    {"glm4",          RMS, 4, "rope",    true,  0,                       BIAS_QKV,        false, NULL,
     "attention_bias=1", NULL},
    {"chatglm",       RMS, 2, "rope",    true,  0,                       0,        false, NULL,   NULL, rule_chatglm},
    {"glm4_moe",      RMS, 2, "rope",    true,  0,                       BIAS_QKV, false, NULL,   NULL, rule_glm_moe},
    {"glm4v_moe_text", RMS, 2, "rope",   true,  0,                       BIAS_QKV, false, NULL,   NULL, rule_glm_moe},
    {"glm_moe_dsa",   RMS, 2, "rope",    true,  0,                       0,        false, NULL,   NULL, rule_deepseek},
    {"llama4_text",   RMS, 2, "rope",    true,  0,                       QO,       false, NULL,   NULL, rule_llama4},
    {"minimax_m2",    RMS, 2, "rope",    true,  0,                       0,        false, NULL,   NULL, rule_minimax},
    {"smollm3",       RMS, 2, "rope",    true,  0,                       QO,       true,  NULL,   NULL, rule_qwen},
    {"stablelm",      LN,  2, "rope",    true,  0,                       0,        false, NULL,   NULL,
     rule_parallel_residual},
    {"starcoder2",    LN,  2, "rope",    false, BIAS_ALL,                0,        true,  NULL,   NULL,
     rule_starcoder2},
    {"cohere",        "layernorm_nobias", 1, "rope", true, 0,            QO,       true,  NULL,   NULL, rule_cohere},
    {"cohere2",       "layernorm_nobias", 1, "rope", true, 0,            QO,       true,  NULL,   NULL, rule_cohere},
    {"granite",       RMS, 2, "rope",    true,  0,                       QO,       false, NULL,   NULL, rule_llama},
    {"granitemoe",    RMS, 2, "rope",    true,  0,                       QO,       false, NULL,   NULL, NULL},
    {"nemotron",      "layernorm1p", 2, "rope", false, 0,                QO,       false, NULL,   NULL, NULL},
    {"ministral3",    RMS, 2, "rope",    true,  0,                       0,        false, NULL,   NULL, every_layer},
    {"seed_oss",      RMS, 2, "rope",    true,  0,                       BIAS_QKV, false, NULL,   "attention_bias=1",
     rule_seed},
    {"exaone4",       RMS, 2, "rope",    true,  0,                       0,        false, "head", NULL, every_fourth},
    {"exaone_moe",    RMS, 2, "rope",    true,  0,                       0,        false, "head", NULL, every_fourth},
    {"hunyuan_v1_dense", RMS, 2, "rope", true,  0,                       QO,       true,  "head", NULL, NULL},
    {"hunyuan_v1_moe", RMS, 2, "rope",   true,  0,                       QO,       true,  "head", NULL, NULL},
    {"apertus",       RMS, 2, "rope",    false, 0,                       QO,       false, "head", NULL, NULL},
    {"arcee",         RMS, 2, "rope",    false, 0,                       QO,       false, NULL,   NULL, NULL},
    {"afmoe",         RMS, 4, "rope",    true,  0,                       0,        false, "head", NULL, rule_afmoe},
    {"dots1",         RMS, 2, "rope",    true,  0,                       QO,       false, "head", NULL, NULL},
    {"hy_v3",         RMS, 2, "rope",    true,  0,                       QO,       false, "head", NULL, NULL},
    {"bailing_moe_v2", RMS, 2, "rope",   true,  0,                       0,        false, "head", NULL, NULL},
    {"mellum",        RMS, 2, "rope",    true,  0,                       0,        false, "head", NULL, NULL},
    {"ernie4_5",      RMS, 2, "rope",    true,  0,                       0,        true,  NULL,   NULL, NULL},
    {"ernie4_5_moe",  RMS, 2, "rope",    true,  0,                       0,        true,  NULL,   NULL, NULL},
    {"mistral4",      RMS, 2, "rope",    true,  0,                       0,        false, NULL,   NULL, rule_deepseek},
    {"glm4_moe_lite", RMS, 2, "rope",    true,  0,                       0,        false, NULL,   NULL, rule_deepseek},
    {"qwen3_next",    RMS, 2, "rope",    true,  0,                       QO,       false, "head", "head_dim=256", NULL},
    {"qwen3_5_text",  RMS, 2, "rope",    true,  0,                       QO,       false, "head", "head_dim=256", NULL},
    {"qwen3_5_moe_text", RMS, 2, "rope", true,  0,                       QO,       false, "head", "head_dim=256", NULL},
    {"kimi_linear",   RMS, 2, "none",    true,  0,                       0,        false, NULL,   NULL, NULL},
    {"nemotron_h",    RMS, 2, "none",    false, 0,                       QO,       false, NULL,   NULL, NULL},
    {"jamba",         RMS, 2, "none",    true,  0,                       0,        false, NULL,   NULL, NULL},
    {"bamba",         RMS, 2, "rope",    true,  0,                       QO,       false, NULL,   NULL, NULL},
    {"granitemoehybrid", RMS, 2, "none", true,  0,                       QO,       true,  NULL,   NULL, rule_granite},
    {"falcon_h1",     RMS, 2, "rope",    true,  0,                       QO,       false, NULL,   NULL, NULL},
    {"minimax",       RMS, 2, "rope",    true,  0,                       0,        false, NULL,   NULL, NULL},
    {"minimax_text_01", RMS, 2, "rope",  true,  0,                       0,        false, NULL,   NULL, NULL},
    {"minimax_m3",    RMS, 2, "rope",    true,  0,                       0,        false, "head", NULL, rule_minimax3},
    {"minimax_m3_vl", RMS, 2, "rope",    true,  0,                       0,        false, "head", NULL, rule_minimax3},
    {"lfm2",          RMS, 2, "rope",    true,  0,                       0,        true,  "head", NULL, rule_lfm},
    {"lfm2_moe",      RMS, 2, "rope",    true,  0,                       0,        true,  "head", NULL, rule_lfm},
    {"mamba",         RMS, 2, "none",    true,  0,                       0,        true,  NULL,   NULL, rule_mamba},
    {"mamba2",        RMS, 2, "none",    true,  0,                       0,        false, NULL,   NULL, rule_mamba},
    {"falcon_mamba",  RMS, 2, "none",    true,  0,                       0,        true,  NULL,   NULL, rule_mamba},
    {"mimo_v2_flash", RMS, 2, "rope",    true,  0,                       BIAS_QKV, false, NULL,   NULL, NULL},
    {"step3p5",       RMS, 2, "rope",    true,  0,                       0,        false, "head", NULL, NULL},
    {"step3p7",       RMS, 2, "rope",    true,  0,                       0,        false, "head", NULL, NULL},
    {"gemma4_text",   RMS, 4, "rope",    true,  0,                       0,        true,  "head", NULL, rule_gemma4},
    {"deepseek_v4",   RMS, 2, "rope",    true,  0,                       0,        false, NULL,   NULL, NULL},
    {"internlm",      RMS, 2, "rope",    true,  0,                       0,        false, NULL,   "bias=1",
     rule_internlm},
    {"internlm2",     RMS, 2, "rope",    true,  0,                       0,        false, NULL,   NULL, rule_internlm},
    {"minicpm",       RMS, 2, "rope",    true,  0,                       QO,       true,  NULL,   NULL, NULL},
    {"minicpm3",      RMS, 2, "rope",    true,  0,                       0,        true,  NULL,   NULL, rule_minicpm3},
    {"bailing_moe",   RMS, 2, "rope",    true,  0,                       0,        false, NULL,   NULL, NULL},
    {"exaone",        RMS, 2, "rope",    true,  0,                       0,        false, NULL,   NULL, NULL},
    {"flex_olmo",     RMS, 2, "rope",    true,  0,                       QO,       false, "full", NULL, NULL},
    {"gpt_neo",       LN,  2, "learned", false, BIAS_O | BIAS_MLP,       0,        true,  NULL,
     "max_position_embeddings=2048 vocab_size=50257 window_size=256", every_second},
    {"dbrx",          "layernorm_nobias", 2, "rope", true, 0,            0,        false, NULL,   NULL, NULL},
    {"persimmon",     LN,  2, "rope",    false, BIAS_ALL,                0,        false, NULL,   NULL, rule_phi},
    {"orion",         LN,  2, "rope",    true,  0,                       0,        false, NULL,   NULL, NULL},
    {"recurrent_gemma", RMS, 2, "rope",  true,  BIAS_O | BIAS_MLP,       0,        true,  NULL,   NULL, rule_recurrent},
    {"rwkv7",         RMS, 2, "none",    false, 0,                       0,        false, NULL,   NULL, rule_rwkv},
    {"longcat_flash", RMS, 2, "rope",    true,  0,                       0,        false, NULL,   NULL, rule_longcat},
};

enum { FAMILIES = LENGTH(family_rows) };

/* Names of the same thing, and of models whose language part has a family of its own. */
static const struct {
    const char *type, *family;
} type_alias[] = {
    {"gemma3", "gemma3_text"},   {"llama4", "llama4_text"},          {"RWForCausalLM", "falcon"},
    {"ChatGLM", "chatglm"},      {"phi-msft", "phi"},                {"kimi_k25", "deepseek_v3"},
    {"qwen3_vl", "qwen3_vl_text"}, {"qwen3_vl_moe", "qwen3_vl_moe_text"}, {"mistral3", "mistral"},
    {"qwen2_5_vl_text", "qwen2"}, {"qwen3_5", "qwen3_5_text"}, {"qwen3_5_moe", "qwen3_5_moe_text"},
    {"internlm3", "internlm2"},  {"baichuan", "llama"}, {"cwm", "llama"}, {"helium", "llama"}, {"xverse", "llama"},
    {"aquila", "llama"}, {"minimax_m1", "minimax_text_01"},
    {"deepseek_ref", "deepseek_v4"},
    {"gemma4", "gemma4_text"}, {"glm_moe", "glm4_moe"}, {"phi3_v", "phi3"}, {"glm4v_moe", "glm4v_moe_text"},
};

/* Models that no plan can describe, by the first letters of their type; a `$` stands for the end. */
static const struct {
    const char *start, *why;
} refused[] = {
    {"bert", "an encoder"},          {"roberta", "an encoder"},       {"xlm-roberta", "an encoder"},
    {"camembert", "an encoder"},     {"distilbert", "an encoder"},    {"albert", "an encoder"},
    {"electra", "an encoder"},       {"deberta", "an encoder"},       {"modernbert", "an encoder"},
    {"nomic_bert", "an encoder"},    {"mpnet", "an encoder"},         {"longformer", "an encoder"},
    {"vit", "a vision model"},       {"clip", "a vision model"},      {"siglip", "a vision model"},
    {"swin", "a vision model"},      {"dinov", "a vision model"},     {"t5", "an encoder and a decoder"},
    {"mt5", "an encoder and a decoder"}, {"umt5", "an encoder and a decoder"}, {"bart", "an encoder and a decoder"},
    {"mbart", "an encoder and a decoder"}, {"pegasus", "an encoder and a decoder"},
    {"whisper", "an encoder and a decoder"}, {"m2m_100", "an encoder and a decoder"},
    {"marian", "an encoder and a decoder"}, {"wav2vec2", "a speech model"}, {"hubert", "a speech model"},
    {"rwkv$", "a recurrent model"},
    {"zamba", "a decoder with shared layers"},
    {"nemotron-nas", "a decoder whose layers all differ"},
    {"gemma3n", "a decoder whose layers all differ"}, {"openelm", "a model whose layers all differ"},
    {"mllama", "a model whose layers differ"}, {"jetmoe", "a decoder whose attention has experts"},
};

static const char *why_refused(const char *type)
{
    for (size_t i = 0; i < LENGTH(refused); i++) {
        size_t n = strcspn(refused[i].start, "$");
        if (strncmp(type, refused[i].start, n) != 0)
            continue;
        bool is_word = !type[n] || type[n] == '-' || type[n] == '_' || isdigit((unsigned char)type[n]);
        if (refused[i].start[n] == '$' ? !type[n] : is_word)
            return refused[i].why;
    }
    return NULL;
}

static const struct family *find_family(const char *type)
{
    for (size_t i = 0; i < LENGTH(type_alias); i++)
        if (strcmp(type_alias[i].type, type) == 0)
            type = type_alias[i].family;
    for (size_t i = 0; i < FAMILIES; i++)
        if (strcmp(family_rows[i].type, type) == 0)
            return &family_rows[i];
    return NULL;
}

/* ---- keys that all families share ------------------------------------------------------------------------------- */

static void need(struct hf *hf, double value, const char *path, const char *key)
{
    if (isnan(value) && hf->tree.errors->faults == hf->faults)
        errors_note(hf->tree.errors, hf->tree.file, 0, path, "is not given; give %s with --set", key);
}

static void read_shape(struct hf *hf)
{
    hf->layers = copy(hf, "model.num_layers", LAYERS, -INFINITY);
    hf->hidden = copy(hf, "model.hidden_size", HIDDEN, -INFINITY);
    hf->heads = copy(hf, "model.num_attention_heads", HEADS, -INFINITY);
    double vocabulary = copy(hf, "model.vocab_size", VOCAB, -INFINITY);
    hf->groups = number(hf, GROUPS, hf->heads);
    hf->ffn = number(hf, FFN, hf->family->is_gated ? NAN : 4 * hf->hidden);
    hf->head = number(hf, "head_dim|kv_channels", hf->hidden / hf->heads);
    need(hf, hf->layers, "num_hidden_layers", "model.num_layers");
    need(hf, hf->hidden, "hidden_size", "model.hidden_size");
    if (hf->family->rule != rule_mamba && hf->family->rule != rule_rwkv)
        need(hf, hf->heads, "num_attention_heads", "model.num_attention_heads");
    need(hf, vocabulary, "vocab_size", "model.vocab_size");
    if (strcmp(hf->family->type, "opt") != 0)
        copy(hf, "model.max_position_embeddings", POSITIONS, 0);
    copy(hf, "model.rotary_base", "rope_theta|rope_parameters.rope_theta|rotary_emb_base", 0);
    copy(hf, "model.hidden_dropout", "hidden_dropout|resid_pdrop|residual_dropout|dropout", 0);
    copy(hf, "model.attention_dropout", "attention_dropout|attn_pdrop|attn_config.attn_pdrop", 0);
}

/* A file of a type that is not known says by its activation whether the block is gated: these never are. */
static bool is_gated(struct hf *hf)
{
    static const char *const plain[] = {"relu2", "xielu", "relu", "gelu_new", "gelu_fast", "squared_relu"};
    const struct tree_value *act = look(hf, "hidden_act|hidden_activation|mlp_hidden_act|activation_function");
    for (size_t i = 0; act && !hf->is_known && i < LENGTH(plain); i++)
        if (strcmp(act->text, plain[i]) == 0)
            return false;
    return hf->family->is_gated;
}

static void read_family(struct hf *hf)
{
    const struct family *f = hf->family;
    int biases = f->biases | (is_on(hf, "attention_bias", false) ? f->attention_bias : 0);
    hf->has_o = biases & BIAS_O;
    hf->has_qkv = biases & BIAS_QKV;
    hf->has_mlp = biases & BIAS_MLP;
    hf->has_out = biases & BIAS_OUT;
    set(hf, "model.normalization", f->norm);
    set(hf, "model.position_embedding", *f->position ? f->position : "rope");
    set(hf, "model.gated_mlp", is_gated(hf) ? "true" : "false");
    if (f->norms)
        keyvals_number(&hf->out->settings, "model.norms_per_layer", f->norms, hf->line);
    set_if(hf, f->qk_norm, "model.qk_norm", f->qk_norm);
    set_if(hf, strcmp(f->type, "bloom") == 0, "model.embedding_norm", "true");
    const struct tree_value *tied = look(hf, "tie_word_embeddings");
    if (!tied)
        tied = tree_find(&hf->tree, "tie_word_embeddings"); /* beside the language part of a larger model */
    bool is_tied = f->is_tied;
    if (tied)
        tree_bool(&hf->tree, tied, &is_tied);
    set(hf, "model.tied_embeddings", is_tied ? "true" : "false");
}

static void read_latent_attention(struct hf *hf)
{
    static const struct tree_row rows[] = {
        {"q_lora_rank", "model.q_lora_rank", TREE_WHOLE, NULL},
        {"kv_lora_rank", "model.kv_lora_rank", TREE_WHOLE, NULL},
        {"qk_nope_head_dim", "model.qk_head_dim", TREE_WHOLE, NULL},
        {"qk_rope_head_dim", "model.qk_pos_emb_head_dim", TREE_WHOLE, NULL},
        {"v_head_dim", "model.v_head_dim", TREE_WHOLE, NULL},
    };
    if (!look(hf, "kv_lora_rank"))
        return;
    set(hf, "model.multi_latent_attention", "true");
    tree_apply(&hf->tree, hf->prefix, rows, LENGTH(rows), hf->out);
    hf->head = number(hf, "v_head_dim", hf->head);
}

/* How many layers at the start have no experts; -1 where the file names others, or each layer by itself. */
static double leading_dense(struct hf *hf)
{
    const struct tree_value *list = look(hf, "mlp_only_layers");
    double first = number(hf, "first_k_dense_replace|moe_layer_start_index", 0);
    int expected = 0;
    for (const char *p = list ? list->text + (list->text[0] == '[') : ""; *p && *p != ']'; p += *p == ',') {
        char *end;
        long layer = strtol(p, &end, 10);
        if (end == p || layer != expected++)
            return -1;
        p = end;
    }
    return expected > 0 ? expected : first;
}

static void read_layers_with_experts(struct hf *hf)
{
    const struct tree_value *freq =
        look(hf, "moe_layer_freq|decoder_sparse_step|interleave_moe_layer_step|moe_layer_interval");
    double first = leading_dense(hf), every = 1;
    hf->part.is_irregular |= first < 0 || (freq && freq->text[0] == '[');
    if (hf->part.is_irregular)
        return;
    if (first > 0)
        keyvals_number(&hf->out->settings, "model.moe_first_dense", first, hf->line);
    if (freq && tree_number(&hf->tree, freq, &every) && every > 1)
        keyvals_number(&hf->out->settings, "model.moe_layer_freq", every, freq->line);
}

/* A number that may be a list with one for each layer, all alike. */
static double each(struct hf *hf, const char *paths, double otherwise)
{
    const struct tree_value *value = look(hf, paths);
    double n = otherwise;
    if (value && value->text[0] != '[')
        tree_number(&hf->tree, value, &n); /* says what is wrong with it */
    return hf_number(&hf->part, paths, otherwise);
}

static void read_experts(struct hf *hf)
{
    hf->experts = each(hf, EXPERTS, 0);
    if (!(hf->experts > 1))
        return;
    struct keyvals *out = &hf->out->settings;
    double width = each(hf, "moe_intermediate_size|expert_ffn_hidden_size", hf->ffn), chosen = each(hf, TOPK, 0);
    double shared = number(hf, "shared_expert_intermediate_size|shared_intermediate_size|share_expert_dim|"
                               "moe_shared_expert_intermediate_size", NAN);
    if (isnan(shared))
        shared = each(hf, "n_shared_experts|num_shared_experts|num_shared_expert|moe_num_shared_experts", 0) * width;
    keyvals_number(out, "model.num_experts", hf->experts, hf->line);
    if (chosen > 0)
        keyvals_number(out, "model.moe_router_topk", chosen, hf->line);
    if (number(hf, "n_group", 1) > 1) {
        copy(hf, "model.moe_router_num_groups", "n_group", 0);
        copy(hf, "model.moe_router_topk_groups", "topk_group", 0);
    }
    if (strcmp(hf->family->type, "llama4_text") != 0 && !isnan(width))
        keyvals_number(out, "model.moe_ffn_hidden_size", width, hf->line);
    if (shared > 0)
        keyvals_number(out, "model.moe_shared_ffn_hidden_size", shared, hf->line);
    if (!hf_has_kinds(&hf->part))
        read_layers_with_experts(hf);
    if (strncmp(hf->family->type, "qwen3_", 6) == 0 && shared > 0)
        set(hf, "model.moe_shared_expert_gate", "true");
}

/* What rules may have changed since it was read. */
static void write_shape(struct hf *hf)
{
    struct keyvals *out = &hf->out->settings;
    const struct {
        const char *key;
        double value;
    } row[] = {
        {"model.num_query_groups", hf->groups}, {"model.ffn_hidden_size", hf->ffn}, {"model.kv_channels", hf->head}};
    for (size_t i = 0; i < LENGTH(row); i++)
        if (isfinite(row[i].value) && row[i].value == floor(row[i].value))
            keyvals_number(out, row[i].key, row[i].value, hf->line);
    set(hf, "model.add_bias_linear", hf->has_o ? "true" : "false");
    set(hf, "model.add_qkv_bias", hf->has_qkv ? "true" : "false");
    set_if(hf, hf->has_mlp != hf->has_o, "model.add_mlp_bias", hf->has_mlp ? "true" : "false");
    set_if(hf, hf->has_out, "model.output_bias", "true");
}

/* A label: the last part of the name that the file was saved under, or the model type. */
static void name_model(struct hf *hf, const char *type)
{
    const struct tree_value *from = tree_find(&hf->tree, "_name_or_path");
    const char *slash = from ? strrchr(from->text, '/') : NULL;
    const char *label = slash ? slash + 1 : from ? from->text : "";
    bool is_plain = *label && strlen(label) < PLAN_TEXT_MAX && isalnum((unsigned char)*label);
    for (const char *p = label; *p; p++)
        is_plain = is_plain && (isalnum((unsigned char)*p) || strchr("-_.", *p));
    set(hf, "model.name", is_plain ? label : type);
}

/* ---- finding the language model --------------------------------------------------------------------------------- */

/* Finds the part that describes the language model. */
static void find_part(struct hf *hf)
{
    static const char *const parts[] = {"text_config", "llm_config", "language_config", "language_model_config"};
    for (size_t i = 0; i < LENGTH(parts); i++) {
        char path[64];
        snprintf(path, sizeof path, "%s.num_hidden_layers", parts[i]);
        if (tree_has(&hf->tree, path)) {
            snprintf(hf->prefix, sizeof hf->prefix, "%s.", parts[i]);
            break;
        }
    }
    tree_use(&hf->tree, "audio_config");
}

/* True when a class such as [GPTNeoXForCausalLM] is one of the type gpt_neox. */
static bool is_class_of(const char *class, const char *type)
{
    class += strspn(class, "[\"");
    for (; *type; type++) {
        if (*type == '_')
            continue;
        if (tolower((unsigned char)*class++) != tolower((unsigned char)*type))
            return false;
    }
    return strncmp(class, "For", 3) == 0 || strncmp(class, "LMHead", 6) == 0;
}

/* The type by the class of the model; the oldest files, those of GPT-2, have not even that. */
static const char *type_of_class(struct hf *hf)
{
    const struct tree_value *classes = look(hf, "architectures");
    for (size_t i = 0; classes && i < FAMILIES; i++)
        if (is_class_of(classes->text, family_rows[i].type))
            return family_rows[i].type;
    return !classes && look(hf, "n_embd") && look(hf, "n_head") ? "gpt2" : "";
}

/* The type of the language model as the file names it, "" when it cannot be known. */
static const char *find_type(struct hf *hf)
{
    const struct tree_value *whole = tree_find(&hf->tree, "model_type");
    const struct tree_value *part = *hf->prefix ? look(hf, "model_type") : NULL;
    const struct tree_value *value = part && *part->text ? part : whole;
    hf->line = value ? value->line : 0;
    return value && *value->text ? value->text : type_of_class(hf);
}

static bool is_like_llama(struct hf *hf)
{
    static const char *const keys[] = {"hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size",
                                       "intermediate_size"};
    for (size_t i = 0; i < LENGTH(keys); i++)
        if (!look(hf, keys[i]))
            return false;
    return true;
}

/* Keys of layers that a Llama does not have: a file of a type that is not known is refused for them. */
static const char *foreign_key(struct hf *hf)
{
    static const char *const keys[] = {
        "block_configs", "layers_block_type", "hybrid_override_pattern", "hybrid_layer_pattern", "linear_attn_config",
        "linear_num_value_heads", "linear_num_key_heads", "full_attention_interval", "attn_layer_period",
        "attn_layer_indices", "full_attn_idxs", "ssm_state_size", "mamba_d_state", "mamba_expand", "state_size",
        "ssm_cfg", "conv_L_cache", "index_topk", "compress_ratios", "sparse_attention_config", "hc_mult",
        "altup_num_inputs", "hidden_size_per_layer_input", "zero_expert_num", "moe_latent_size", "lru_width",
        "attn_output_gate", "attention_other_setting", "swa_num_attention_heads", "swa_num_key_value_heads",
        "cross_attention_layers", "decay_low_rank_dim", "num_mem_blocks",
    };
    for (size_t i = 0; i < LENGTH(keys); i++)
        if (look(hf, keys[i]) || has_members(hf, keys[i]))
            return keys[i];
    const struct tree_value *types = look(hf, "layer_types");
    return types && !are_windows(types->text) ? "layer_types" : NULL;
}

/* The family to read the file with; NULL with a fault when there is none. */
static const struct family *choose_family(struct hf *hf, const char *type)
{
    struct errors *errors = hf->tree.errors;
    const struct family *family = find_family(type);
    const char *why = why_refused(type);
    if (tree_is_true(tree_peek(&hf->tree, "is_encoder_decoder")))
        why = "an encoder and a decoder";
    const struct hf_part part = {&hf->tree, hf->prefix, type, hf->line, 0, hf->out, false};
    double params = why ? hf_encoder_params(&part) : NAN;
    if (params > 0) {
        errors_add(errors, hf->tree.file, hf->line, "model_type",
                   "\"%s\" is %s with %.0f parameters, whose memory and time are not modelled; give another model",
                   type, why, params);
        return NULL;
    }
    if (why) {
        errors_add(errors, hf->tree.file, hf->line, "model_type",
                   "\"%s\" is %s, which is not modelled; give a decoder-only transformer", type, why);
        return NULL;
    }
    hf->is_known = family != NULL;
    if (family)
        return family;
    const char *foreign = foreign_key(hf);
    if (foreign) {
        errors_add(errors, hf->tree.file, hf->line, "model_type",
                   "\"%s\" is not known, and a Llama has no %s; write the model as a plan with model.layer_pattern",
                   type, foreign);
        return NULL;
    }
    if (is_like_llama(hf)) {
        errors_note(errors, hf->tree.file, hf->line, "model_type",
                    "\"%s\" is not known, so it is read like a Llama; check biases, norms and tied embeddings", type);
        return &family_rows[0];
    }
    errors_add(errors, hf->tree.file, hf->line, "model_type",
               "\"%s\" is not known and the keys are not those of a Llama; write the model as a plan", type);
    return NULL;
}

/* The vision tower, and what is said about it and other parts. */
static void read_vision(struct hf *hf)
{
    const struct tree_value *type = tree_find(&hf->tree, "model_type");
    struct hf_part whole = hf->part;
    whole.prefix = "";
    whole.type = type ? type->text : "";
    double params = hf_read_vision(&whole, hf->hidden);
    bool has_sound = tree_has(&hf->tree, "audio_config.hidden_size");
    if (params > 0)
        errors_note(hf->tree.errors, hf->tree.file, 0, NULL,
                    "the vision part of %.0f parameters is counted where train.vision_tokens is above 0%s", params,
                    has_sound ? "; the audio part is not counted" : "");
    else if (*hf->prefix || tree_has(&hf->tree, "vision_config"))
        errors_note(hf->tree.errors, hf->tree.file, 0, NULL,
                    "only the language model is read; vision and audio parts are not counted");
    tree_use(&hf->tree, "vision_config");
}

/* What nothing has read changes nothing where the type is known; else it may, but for these. */
static void judge_rest(struct hf *hf)
{
    static const char *const harmless[] = {
        "architectures", "auto_map", "torch_dtype", "dtype", "initializer_range", "pretraining_tp", "rope_scaling",
        "rope_parameters", "partial_rotary_factor", "rope_interleave", "use_sliding_window", "max_window_layers",
        "norm_topk_prob", "scoring_func", "routed_scaling_factor", "embedding_multiplier", "logits_scaling",
        "residual_multiplier", "attention_multiplier", "final_logit_softcapping",
    };
    char path[80];
    for (size_t i = 0; !hf->is_known && i < LENGTH(harmless); i++) {
        snprintf(path, sizeof path, "%s%s", hf->prefix, harmless[i]);
        tree_use(&hf->tree, path);
    }
    tree_use(&hf->tree, "architectures");
    tree_unused(&hf->tree, hf->prefix, hf->is_known ? IMPORT_NO_EFFECT : NULL, hf->out);
}

static int import_family(struct hf *hf)
{
    const char *type = find_type(hf);
    hf->family = choose_family(hf, type);
    if (!hf->family)
        return -1;
    name_model(hf, type);
    read_family(hf);
    read_shape(hf);
    read_latent_attention(hf);
    hf->part = (struct hf_part){&hf->tree, hf->prefix, hf->family->type, hf->line,
                                isnan(hf->layers) ? 0 : (int)fmin(hf->layers, 1 << 20), hf->out, false};
    if (hf->family->rule)
        hf->family->rule(hf);
    read_experts(hf);
    if (hf_has_kinds(&hf->part) && hf_read_kinds(&hf->part) != 0)
        return -1;
    copy(hf, "model.mtp_num_layers", "num_nextn_predict_layers|mtp_num_hidden_layers", 0);
    write_shape(hf);
    read_vision(hf);
    hf_read_quantization(&hf->part);
    judge_rest(hf);
    return hf->tree.errors->faults > hf->faults ? -1 : 0;
}

int hf_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    struct hf hf = {.out = out, .faults = errors->faults};
    int result = tree_read(text, size, name, TREE_JSON, TREE_LENIENT, &hf.tree, errors);
    if (result == 0) {
        find_part(&hf);
        result = import_family(&hf);
    }
    tree_free(&hf.tree);
    return result;
}
