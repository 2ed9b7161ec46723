#include "src/import/hf_layers.h"

#include "core/base.h"
#include "core/plan/kind.h"
#include "src/import/import.h"
#include "src/import/table.h"
#include "src/text/errors.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Layers being read: the mixer and the feed-forward block of each. */
struct layers {
    const struct hf_part *part;
    int count;
    unsigned char mixer[PATTERN_LAYERS_MAX], feed[PATTERN_LAYERS_MAX];
};

/* ---- values of the file ----------------------------------------------------------------------------------------- */

static const struct tree_value *look(const struct hf_part *part, const char *paths)
{
    return tree_first(part->tree, part->prefix, paths);
}

/* A number as it is written; NAN for what is none, as `auto` and the first of a list's numbers. */
static double number_in(const struct tree_value *value)
{
    char *end;
    const char *text = value ? value->text + (value->text[0] == '[') : "";
    double n = strtod(text, &end);
    return end == text ? NAN : n;
}

double hf_number(const struct hf_part *part, const char *paths, double otherwise)
{
    double n = number_in(look(part, paths));
    return isnan(n) ? otherwise : n;
}

static bool is_on(const struct hf_part *part, const char *paths, bool otherwise)
{
    const struct tree_value *value = look(part, paths);
    return value ? tree_is_true(value) : otherwise;
}

/* The next member of a list, without its quotes; NULL behind the last. */
static const char *next_member(const char **at, char out[40])
{
    const char *p = *at + strspn(*at, "[, \"");
    size_t n = strcspn(p, ",]\" ");
    if (!*p || *p == ']')
        return NULL;
    snprintf(out, 40, "%.*s", (int)(n < 39 ? n : 39), p);
    *at = p + n;
    return out;
}

static void set_number(const struct hf_part *part, const char *key, double value)
{
    if (value > 0)
        keyvals_number(&part->out->settings, key, value, part->line);
}

/* ---- one rule for each way to say it ---------------------------------------------------------------------------- */

/* What words of a list of layers mean. */
static const struct {
    const char *word;
    enum mixer mixer;
} mixer_words[] = {
    {"full_attention", MIXER_ATTENTION}, {"attention", MIXER_ATTENTION},      {"sliding_attention", MIXER_WINDOW},
    {"chunked_attention", MIXER_CHUNK},  {"linear_attention", MIXER_GDN},     {"mamba", MIXER_MAMBA2},
    {"conv", MIXER_CONV},                {"kda", MIXER_KDA},                  {"lightning_attention", MIXER_LIGHTNING},
};

static int unknown_word(const struct layers *layers, const char *path, const char *word)
{
    char whole[80];
    snprintf(whole, sizeof whole, "%s%s", layers->part->prefix, path);
    errors_add(layers->part->tree->errors, layers->part->tree->file, tree_line(layers->part->tree, whole), whole,
               "\"%s\" is a kind of layer that is not known; give model.layer_pattern with --set", word);
    return -1;
}

/* `layer_types`: a word for each layer; `linear` is what linear attention is here. */
static int read_words(struct layers *layers, const char *path, enum mixer linear)
{
    const struct tree_value *list = look(layers->part, path);
    char word[40];
    const char *at = list ? list->text : "";
    for (int i = 0; i < layers->count && next_member(&at, word); i++) {
        size_t k = 0;
        while (k < LENGTH(mixer_words) && strcmp(mixer_words[k].word, word) != 0)
            k++;
        if (k == LENGTH(mixer_words))
            return unknown_word(layers, path, word);
        layers->mixer[i] = (unsigned char)(mixer_words[k].mixer == MIXER_GDN ? linear : mixer_words[k].mixer);
    }
    return 0;
}

/* A list of numbers, one a layer: 0 is one mixer, others another. */
static void read_numbers(struct layers *layers, const char *path, enum mixer zero, enum mixer other)
{
    const struct tree_value *list = look(layers->part, path);
    char word[40];
    const char *at = list ? list->text : "";
    for (int i = 0; i < layers->count && next_member(&at, word); i++)
        layers->mixer[i] = (unsigned char)(strtod(word, NULL) == 0 ? zero : other);
}

/* Marks the layers of a list, by number from `first`. */
static void mark_indices(const struct layers *layers, unsigned char *of, const char *path, int first, int mark)
{
    const struct tree_value *list = look(layers->part, path);
    char word[40];
    for (const char *at = list ? list->text : ""; next_member(&at, word);) {
        long i = strtol(word, NULL, 10) - first;
        if (i >= 0 && i < layers->count)
            of[i] = (unsigned char)mark;
    }
}

static void all(struct layers *layers, enum mixer mixer)
{
    memset(layers->mixer, (int)mixer, (size_t)layers->count);
}

/* Every `period`-th layer, from `offset` on, has another mixer than the rest. */
static void every(struct layers *layers, int period, int offset, enum mixer mixer)
{
    for (int i = 0; i < layers->count && period > 0; i++)
        if (i % period == offset)
            layers->mixer[i] = (unsigned char)mixer;
}

/* Which layers have experts: a list, a number of dense ones in front, a period. */
static void read_feeds(struct layers *layers)
{
    const struct hf_part *part = layers->part;
    double experts = hf_number(part, "num_local_experts|num_experts|n_routed_experts|moe_num_experts", 0);
    int dense = (int)hf_number(part, "first_k_dense_replace|num_dense_layers|moe_layer_start_index", 0);
    int period = (int)hf_number(part, "expert_layer_period|decoder_sparse_step|interleave_moe_layer_step|"
                                      "moe_layer_interval", 1),
        offset = (int)hf_number(part, "expert_layer_offset", period - 1);
    const struct tree_value *list = look(part, "moe_layer_freq|mlp_layer_types");
    char word[40];
    memset(layers->feed, FEED_DENSE, (size_t)layers->count);
    if (!(experts > 1))
        return;
    for (int i = dense; i < layers->count && period > 0; i++)
        layers->feed[i] = i % period == offset ? FEED_EXPERTS : FEED_DENSE;
    const char *at = list && list->text[0] == '[' ? list->text : "";
    for (int i = 0; i < layers->count && next_member(&at, word); i++)
        layers->feed[i] = strcmp(word, "0") != 0 && strcmp(word, "dense") != 0 ? FEED_EXPERTS : FEED_DENSE;
    mark_indices(layers, layers->feed, "mlp_only_layers", 0, FEED_DENSE);
}

/* ---- families ---------------------------------------------------------------------------------------------------- */

static int layers_of_qwen(struct layers *layers)
{
    all(layers, MIXER_GDN);
    int period = (int)hf_number(layers->part, "full_attention_interval", 4);
    every(layers, period, period - 1, MIXER_ATTENTION);
    return read_words(layers, "layer_types", MIXER_GDN);
}

/* Attention, with a window in some layers: those that layer_types names, or those behind the first of a Qwen file. */
static int layers_of_windows(struct layers *layers)
{
    int from = is_on(layers->part, "use_sliding_window", false) ? (int)hf_number(layers->part, "max_window_layers", 0)
                                                                : layers->count;
    for (int i = 0; i < layers->count; i++)
        layers->mixer[i] = i < from ? MIXER_ATTENTION : MIXER_WINDOW;
    return read_words(layers, "layer_types", MIXER_GDN);
}

/* Attention in chunks where a layer has rotary embeddings; those without see everything. */
static int layers_of_llama4(struct layers *layers)
{
    bool has_chunks = hf_number(layers->part, "attention_chunk_size", 0) > 0;
    int period = (int)hf_number(layers->part, "no_rope_layer_interval", 4);
    all(layers, has_chunks ? MIXER_CHUNK : MIXER_ATTENTION);
    every(layers, period, period - 1, MIXER_ATTENTION);
    if (has_chunks)
        read_numbers(layers, "no_rope_layers", MIXER_ATTENTION, MIXER_CHUNK);
    return has_chunks ? read_words(layers, "layer_types", MIXER_GDN) : 0;
}

static int layers_of_mimo(struct layers *layers)
{
    all(layers, MIXER_ATTENTION);
    read_numbers(layers, "hybrid_layer_pattern", MIXER_ATTENTION, MIXER_WINDOW);
    return 0;
}

static int layers_of_sparse(struct layers *layers)
{
    const struct tree_value *list = look(layers->part, "indexer_types");
    char word[40];
    all(layers, MIXER_SPARSE);
    const char *at = list ? list->text : "";
    for (int i = 0; i < layers->count && next_member(&at, word); i++)
        layers->mixer[i] = strcmp(word, "full") == 0 ? MIXER_SPARSE : MIXER_SPARSE_SHARED;
    return 0;
}

static int layers_of_kimi(struct layers *layers)
{
    all(layers, MIXER_KDA);
    mark_indices(layers, layers->mixer, "linear_attn_config.full_attn_layers", 1, MIXER_ATTENTION);
    return 0;
}

static int layers_of_jamba(struct layers *layers)
{
    all(layers, MIXER_MAMBA1);
    every(layers, (int)hf_number(layers->part, "attn_layer_period", 8),
          (int)hf_number(layers->part, "attn_layer_offset", 4), MIXER_ATTENTION);
    return 0;
}

static int layers_of_mamba(struct layers *layers)
{
    all(layers, strcmp(layers->part->type, "mamba2") == 0 ? MIXER_MAMBA2 : MIXER_MAMBA1);
    return 0;
}

static int layers_of_bamba(struct layers *layers)
{
    all(layers, MIXER_MAMBA2);
    mark_indices(layers, layers->mixer, "attn_layer_indices", 0, MIXER_ATTENTION);
    return read_words(layers, "layer_types|layers_block_type", MIXER_GDN);
}

static int layers_of_falcon(struct layers *layers)
{
    all(layers, MIXER_PARALLEL);
    return 0;
}

static int layers_of_minimax(struct layers *layers)
{
    all(layers, MIXER_LIGHTNING);
    read_numbers(layers, "attn_type_list", MIXER_LIGHTNING, MIXER_ATTENTION);
    return read_words(layers, "layer_types", MIXER_LIGHTNING);
}

static int layers_of_minimax3(struct layers *layers)
{
    all(layers, MIXER_ATTENTION);
    read_numbers(layers, "sparse_attention_config.sparse_attention_freq", MIXER_ATTENTION, MIXER_BLOCK_SPARSE);
    return 0;
}

static int layers_of_lfm(struct layers *layers)
{
    all(layers, MIXER_CONV);
    mark_indices(layers, layers->mixer, "full_attn_idxs", 0, MIXER_ATTENTION);
    return read_words(layers, "layer_types", MIXER_GDN);
}

static int layers_of_deepseek4(struct layers *layers)
{
    const struct tree_value *list = look(layers->part, "compress_ratios");
    char word[40];
    all(layers, MIXER_ONE_KEY);
    const char *at = list ? list->text : "";
    for (int i = 0; i < layers->count && next_member(&at, word); i++) {
        long ratio = strtol(word, NULL, 10);
        layers->mixer[i] = ratio == 0 ? MIXER_ONE_KEY : ratio == 4 ? MIXER_COMPRESSED : MIXER_CONDENSED;
        if (ratio != 0 && ratio != 4 && ratio != 128)
            return unknown_word(layers, "compress_ratios", word);
    }
    return 0;
}

/* Two layers with latent attention each; the experts run beside the second one's dense block. */
static int layers_of_longcat(struct layers *layers)
{
    all(layers, MIXER_ATTENTION);
    return 0;
}

/* `block_types` is one period. */
static int layers_of_recurrent_gemma(struct layers *layers)
{
    const struct tree_value *list = look(layers->part, "block_types|_block_types");
    char word[40];
    int period = 0;
    all(layers, MIXER_RGLRU);
    for (const char *at = list ? list->text : ""; period < layers->count && next_member(&at, word); period++)
        layers->mixer[period] = strcmp(word, "recurrent") == 0 ? MIXER_RGLRU : MIXER_WINDOW;
    for (int i = period; i < layers->count && period > 0; i++)
        layers->mixer[i] = layers->mixer[i - period];
    return 0;
}

static int layers_of_rwkv(struct layers *layers)
{
    all(layers, MIXER_RWKV);
    return 0;
}

/* A family whose layers are read here. */
static const struct layered {
    const char *type;
    int (*read)(struct layers *);
    enum { PLAIN, ONCE_MORE, NONE_BEHIND } feeds; /* two layers for each one of the file; nothing behind the mixer */
} layered[] = {
    {"qwen3_next", layers_of_qwen, PLAIN},       {"qwen3_5_text", layers_of_qwen, PLAIN},
    {"qwen3_5_moe_text", layers_of_qwen, PLAIN}, {"deepseek_v32", layers_of_sparse, PLAIN},
    {"glm_moe_dsa", layers_of_sparse, PLAIN},    {"kimi_linear", layers_of_kimi, PLAIN},
    {"jamba", layers_of_jamba, PLAIN},           {"mamba", layers_of_mamba, NONE_BEHIND},
    {"mamba2", layers_of_mamba, NONE_BEHIND},    {"falcon_mamba", layers_of_mamba, NONE_BEHIND},
    {"bamba", layers_of_bamba, PLAIN},           {"granitemoehybrid", layers_of_bamba, PLAIN},
    {"falcon_h1", layers_of_falcon, PLAIN},      {"minimax", layers_of_minimax, PLAIN},
    {"minimax_text_01", layers_of_minimax, PLAIN}, {"minimax_m3", layers_of_minimax3, PLAIN},
    {"minimax_m3_vl", layers_of_minimax3, PLAIN}, {"lfm2", layers_of_lfm, PLAIN},
    {"lfm2_moe", layers_of_lfm, PLAIN},          {"mimo_v2_flash", layers_of_mimo, PLAIN},
    {"llama4_text", layers_of_llama4, PLAIN},
    {"step3p5", layers_of_windows, PLAIN},       {"step3p7", layers_of_windows, PLAIN},
    {"gemma4_text", layers_of_windows, PLAIN},   {"deepseek_v4", layers_of_deepseek4, PLAIN},
    {"longcat_flash", layers_of_longcat, ONCE_MORE}, {"nemotron_h", NULL, PLAIN},
    {"recurrent_gemma", layers_of_recurrent_gemma, PLAIN}, {"rwkv7", layers_of_rwkv, PLAIN},
};

static const struct layered *find(const struct hf_part *part)
{
    static const struct layered irregular = {"", layers_of_windows, PLAIN};
    const char *type = part->type;
    for (size_t i = 0; i < LENGTH(layered); i++)
        if (strcmp(layered[i].type, type) == 0)
            return &layered[i];
    return part->is_irregular ? &irregular : NULL;
}

bool hf_has_kinds(const struct hf_part *part)
{
    return find(part) != NULL;
}

/* ---- shapes of kinds --------------------------------------------------------------------------------------------- */

/* Keys that are read as they stand, the first of several names. */
static const struct {
    const char *key, *paths;
} shapes[] = {
    {"model.mamba_state_dim", "ssm_state_size|mamba_d_state|state_size"},
    {"model.mamba_num_groups", "n_groups|mamba_n_groups|mamba_ngroups"},
    {"model.mamba_conv_dim", "conv_kernel|mamba_d_conv"},
    {"model.mamba_chunk", "chunk_size|mamba_chunk_size"},
    {"model.linear_num_key_heads", "linear_num_key_heads|linear_attn_config.num_heads"},
    {"model.linear_key_head_dim", "linear_key_head_dim|linear_attn_config.head_dim"},
    {"model.linear_num_value_heads", "linear_num_value_heads|linear_attn_config.num_heads"},
    {"model.linear_value_head_dim", "linear_value_head_dim|linear_attn_config.head_dim"},
    {"model.linear_conv_kernel_dim", "linear_conv_kernel_dim|linear_attn_config.short_conv_kernel_size|conv_L_cache"},
    {"model.dsa_indexer_n_heads", "index_n_heads|sparse_attention_config.sparse_num_index_heads"},
    {"model.dsa_indexer_head_dim", "index_head_dim|sparse_attention_config.sparse_index_dim"},
    {"model.dsa_indexer_topk", "index_topk|sparse_attention_config.sparse_topk_blocks"},
    {"model.sparse_block", "sparse_attention_config.sparse_block_size"},
    {"model.moe_latent_size", "moe_latent_size|routed_expert_hidden_size"},
    {"model.moe_zero_experts", "zero_expert_num"},
    {"model.per_layer_embedding", "hidden_size_per_layer_input"},
    {"model.q_lora_rank", "q_lora_rank"},
    {"model.o_groups", "o_groups"},
    {"model.o_lora_rank", "o_lora_rank"},
    {"model.residual_streams", "hc_mult"},
    {"model.mtp_num_layers", "mtp_num_hidden_layers|num_nextn_predict_layers|num_mtp_modules"},
    {"model.sliding_window", "sliding_window"},
    {"model.attention_chunk", "attention_chunk_size"},
    {"model.window_num_attention_heads", "swa_num_attention_heads|attention_other_setting.num_attention_heads"},
    {"model.window_num_query_groups", "swa_num_key_value_heads|attention_other_setting.num_attention_groups"},
    {"model.window_kv_channels", "swa_head_dim|attention_other_setting.head_dim"},
    {"model.window_v_channels", "swa_v_head_dim"},
};

static bool is_type(const struct hf_part *part, const char *start)
{
    return strncmp(part->type, start, strlen(start)) == 0;
}

/* Heads of Mamba: given, or the inner width in heads of one value for Mamba-1. */
static void set_mamba(const struct hf_part *part, bool is_first)
{
    double hidden = hf_number(part, "hidden_size|d_model", NAN);
    double inner = hf_number(part, "mamba_d_ssm", hf_number(part, "mamba_expand|expand", 2) * hidden);
    double heads = hf_number(part, "mamba_num_heads|mamba_n_heads|num_heads", NAN);
    double width = hf_number(part, "mamba_head_dim|mamba_d_head|mamba_headdim|head_dim",
                             isnan(heads) ? 64 : inner / heads);
    if (is_first && !is_type(part, "jamba")) /* whose files mean the feed-forward block by it */
        inner = hf_number(part, "intermediate_size", inner);
    set_number(part, "model.mamba_num_heads", is_first ? inner : isnan(heads) ? inner / width : heads);
    set_number(part, "model.mamba_head_dim", is_first ? 1 : width);
    if (is_first)
        set_number(part, "model.mamba_dt_rank", hf_number(part, "mamba_dt_rank|time_step_rank", ceil(hidden / 16)));
}

static void set_word(const struct hf_part *part, const char *key, const char *value)
{
    keyvals_add(&part->out->settings, key, value, part->line);
}

static void set_shapes(const struct hf_part *part)
{
    for (size_t i = 0; i < LENGTH(shapes); i++)
        set_number(part, shapes[i].key, hf_number(part, shapes[i].paths, 0));
}

/* Gates, and what published models have that their files leave out. */
static void set_published(const struct hf_part *part, double heads)
{
    if (is_type(part, "qwen3_") || is_on(part, "mla_use_output_gate", false))
        set_word(part, "model.attention_output_gate", "element");
    if (is_type(part, "step3p"))
        set_word(part, "model.attention_output_gate", "head");
    if (is_type(part, "qwen3_next")) /* the published weights have a module that the file leaves out */
        set_number(part, "model.mtp_num_layers", hf_number(part, "mtp_num_hidden_layers", 1));
    if (is_type(part, "mimo_v2") && !isnan(hf_number(part, "v_head_dim", NAN)))
        set_number(part, "model.v_channels", hf_number(part, "v_head_dim", 0));
    if (is_type(part, "gemma4") && hf_number(part, "hidden_size_per_layer_input", 0) > 0)
        set_number(part, "model.per_layer_vocab", hf_number(part, "vocab_size_per_layer_input", 0));
    if (is_type(part, "step3p") && isnan(hf_number(part, "attention_other_setting.num_attention_heads", NAN)))
        set_number(part, "model.window_num_attention_heads", 1.5 * heads); /* published: 96 beside 64 */
}

/* What a family's files do not say, or say in a way of their own. */
static void set_family(const struct hf_part *part, const struct layers *layers)
{
    double heads = hf_number(part, "num_attention_heads", NAN), width = hf_number(part, "head_dim", NAN);
    bool has_mamba1 = memchr(layers->mixer, MIXER_MAMBA1, (size_t)layers->count),
         has_mamba = memchr(layers->mixer, MIXER_MAMBA2, (size_t)layers->count) ||
                     memchr(layers->mixer, MIXER_PARALLEL, (size_t)layers->count);
    if (has_mamba1 || has_mamba)
        set_mamba(part, has_mamba1);
    if (has_mamba1 && !is_type(part, "jamba"))
        set_word(part, "model.mamba_norm", "false");
    if (is_type(part, "falcon_h1"))
        set_word(part, "model.mamba_norm", is_on(part, "mamba_rms_norm", false) ? "true" : "false");
    if (memchr(layers->mixer, MIXER_LIGHTNING, (size_t)layers->count)) {
        set_number(part, "model.linear_num_key_heads", heads);
        set_number(part, "model.linear_key_head_dim", width);
        set_number(part, "model.linear_num_value_heads", heads);
        set_number(part, "model.linear_value_head_dim", width);
    }
    if (is_type(part, "recurrent_gemma")) {
        set_number(part, "model.linear_num_key_heads", heads);
        set_number(part, "model.linear_key_head_dim",
                   hf_number(part, "lru_width", hf_number(part, "hidden_size", 0)) / heads);
        set_number(part, "model.linear_conv_kernel_dim", hf_number(part, "conv1d_width", 4));
        set_number(part, "model.sliding_window", hf_number(part, "attention_window_size", 0));
    }
    if (is_type(part, "rwkv7"))
        set_number(part, "model.linear_gate_rank",
                   hf_number(part, "decay_low_rank_dim", 0) + hf_number(part, "gate_low_rank_dim", 0) +
                       hf_number(part, "a_low_rank_dim", 0) + hf_number(part, "v_low_rank_dim", 0));
    if (is_type(part, "kimi_linear") && !is_on(part, "linear_attn_config.use_full_rank_gate", false))
        set_number(part, "model.linear_gate_rank", hf_number(part, "linear_attn_config.head_dim", 0));
    set_published(part, heads);
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static int write_pattern(const struct layers *layers, const struct layer_pattern *given)
{
    struct layer_pattern pattern = {.layers = (int16_t)layers->count};
    char text[4 * PATTERN_LAYERS_MAX];
    for (int i = 0; i < layers->count; i++)
        pattern.of[i] = layer_of((enum mixer)layers->mixer[i], (enum feed)layers->feed[i]);
    pattern_print(given ? given : &pattern, text, sizeof text);
    set_word(layers->part, "model.layer_pattern", text);
    return 0;
}

/* Nemotron-H: Megatron's string, or a word for each layer, and the same for multi-token prediction. */
static int read_nemotron(struct layers *layers)
{
    static const char *const word[] = {"mamba", "attention", "mlp", "moe"}, symbol[] = "M*-E";
    const struct hf_part *part = layers->part;
    const struct tree_value *list = look(part, "layers_block_type"), *given = look(part, "hybrid_override_pattern"),
                            *mtp = look(part, "mtp_layers_block_type"),
                            *mtp_given = look(part, "mtp_hybrid_override_pattern");
    char text[PATTERN_LAYERS_MAX + 16] = "", why[160], name[40];
    size_t used = 0;
    const char *both[] = {given ? given->text : list ? list->text : "",
                          mtp_given ? mtp_given->text : mtp ? mtp->text : ""};
    for (int k = 0; k < 2 && *both[k]; k++) {
        if (k == 1 && used < sizeof text - 1)
            text[used++] = '/';
        if (both[k][0] != '[') {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", both[k]);
            used = used < sizeof text ? used : sizeof text - 1;
            continue;
        }
        for (const char *at = both[k]; next_member(&at, name) && used < sizeof text - 1;) {
            size_t i = 0;
            while (i < LENGTH(word) && strcmp(word[i], name) != 0)
                i++;
            if (i == LENGTH(word))
                return unknown_word(layers, k ? "mtp_layers_block_type" : "layers_block_type", name);
            text[used++] = symbol[i];
        }
    }
    struct layer_pattern pattern;
    if (pattern_parse(text, &pattern, why, sizeof why) != 0) {
        errors_add(part->tree->errors, part->tree->file, part->line, "hybrid_override_pattern", "%s", why);
        return -1;
    }
    layers->count = pattern.layers;
    for (int i = 0; i < layers->count; i++) {
        layers->mixer[i] = (unsigned char)layer_mixer(pattern.of[i]);
        layers->feed[i] = (unsigned char)layer_feed(pattern.of[i]);
    }
    return write_pattern(layers, &pattern);
}

static int read_others(struct layers *layers, const struct layered *family)
{
    if (family->read(layers) != 0)
        return -1;
    read_feeds(layers);
    if (family->feeds == NONE_BEHIND)
        memset(layers->feed, FEED_NONE, (size_t)layers->count);
    if (family->feeds == ONCE_MORE)
        for (int i = 0; i < layers->count; i++)
            layers->feed[i] = i % 2 ? FEED_EXPERTS : FEED_DENSE;
    int shared = (int)hf_number(layers->part, "num_kv_shared_layers", 0);
    if (is_on(layers->part, "use_double_wide_mlp", false))
        for (int i = layers->count - shared; i < layers->count && i >= 0; i++)
            layers->feed[i] = FEED_WIDE;
    return write_pattern(layers, NULL);
}

int hf_read_kinds(const struct hf_part *part)
{
    const struct layered *family = find(part);
    struct layers layers = {.part = part, .count = part->layers * (family->feeds == ONCE_MORE ? 2 : 1)};
    if (layers.count < 0 || layers.count > PATTERN_LAYERS_MAX) {
        errors_add(part->tree->errors, part->tree->file, part->line, "num_hidden_layers",
                   "%d layers of several kinds are more than the %d that are read; write the model as a plan",
                   layers.count, PATTERN_LAYERS_MAX);
        return -1;
    }
    if ((family->read ? read_others(&layers, family) : read_nemotron(&layers)) != 0)
        return -1;
    set_number(part, "model.num_layers", layers.count);
    set_shapes(part);
    set_family(part, &layers);
    return 0;
}
