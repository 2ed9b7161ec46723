#include "src/import/hf_encoders.h"

#include "core/base.h"
#include "src/text/tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Two matrices and their biases. */
static double block_of(double h, double f)
{
    return 2 * h * f + f + h;
}

/* Source: transformers models/bert: post-norm layers, three tables, a pooler. */
static double bert(const struct hf_part *p)
{
    double h = hf_number(p, "hidden_size", NAN), f = hf_number(p, "intermediate_size", NAN);
    double layer = 4 * (h * h + h) + block_of(h, f) + 4 * h;
    double rows = hf_number(p, "vocab_size", NAN) + hf_number(p, "max_position_embeddings", NAN) +
                  hf_number(p, "type_vocab_size", 2);
    return hf_number(p, "num_hidden_layers", NAN) * layer + rows * h + 2 * h + h * h + h;
}

/* Source: transformers models/modernbert: gated blocks without biases; the first layer has one norm. */
static double modernbert(const struct hf_part *p)
{
    double h = hf_number(p, "hidden_size", NAN), f = hf_number(p, "intermediate_size", NAN);
    double layers = hf_number(p, "num_hidden_layers", NAN);
    return layers * (4 * h * h + 3 * h * f + 2 * h) - h + hf_number(p, "vocab_size", NAN) * h + 2 * h;
}

/* Source: transformers models/t5: relative positions in the first layer of each half. */
static double t5(const struct hf_part *p)
{
    const struct tree_value *kind = tree_first(p->tree, p->prefix, "feed_forward_proj");
    const struct tree_value *tied = tree_first(p->tree, p->prefix, "tie_word_embeddings");
    double d = hf_number(p, "d_model", NAN), heads = hf_number(p, "num_heads", NAN);
    double attention = 4 * d * hf_number(p, "d_kv", NAN) * heads;
    double block = (kind && strstr(kind->text, "gated") ? 3 : 2) * d * hf_number(p, "d_ff", NAN);
    double layers = hf_number(p, "num_layers", NAN), decoder = hf_number(p, "num_decoder_layers", layers);
    return layers * (attention + block + 2 * d) + decoder * (2 * attention + block + 3 * d) + 2 * d +
           2 * hf_number(p, "relative_attention_num_buckets", 32) * heads +
           hf_number(p, "vocab_size", NAN) * d * (!tied || tree_is_true(tied) ? 1 : 2);
}

/* Source: transformers models/whisper: keys without a bias, two convolutions, tables of positions. */
static double whisper(const struct hf_part *p)
{
    double d = hf_number(p, "d_model", NAN), attention = 4 * d * d + 3 * d;
    double block = block_of(d, hf_number(p, "encoder_ffn_dim", NAN));
    double layers = hf_number(p, "encoder_layers", NAN) * (attention + block + 4 * d) +
                    hf_number(p, "decoder_layers", NAN) * (2 * attention + block + 6 * d);
    double rows = hf_number(p, "max_source_positions", 1500) + hf_number(p, "max_target_positions", 448) +
                  hf_number(p, "vocab_size", NAN);
    return layers + 4 * d + hf_number(p, "num_mel_bins", 80) * d * 3 + d + d * d * 3 + d + rows * d;
}

/* ---- decoders whose layers all differ ---------------------------------------------------------------------------- */

static const struct tree_value *look(const struct hf_part *p, const char *path)
{
    return tree_first(p->tree, p->prefix, path);
}

static bool is_on(const struct hf_part *p, const char *path, bool otherwise)
{
    const struct tree_value *value = look(p, path);
    return value ? tree_is_true(value) : otherwise;
}

/* Embedding and final norm; the output layer too, where it is not the embedding. */
static double ends_of(const struct hf_part *p, bool is_tied)
{
    double h = hf_number(p, "hidden_size", NAN), v = hf_number(p, "vocab_size", NAN);
    return v * h * (is_on(p, "tie_word_embeddings", is_tied) ? 1 : 2) + h;
}

/* A number of one block of a NAS model. */
static double block_number(const struct hf_part *p, int block, const char *key)
{
    char path[80];
    snprintf(path, sizeof path, "block_configs.%d.%s", block, key);
    return hf_number(p, path, NAN);
}

static bool block_is(const struct hf_part *p, int block, const char *key)
{
    char path[80];
    snprintf(path, sizeof path, "block_configs.%d.%s", block, key);
    return is_on(p, path, false);
}

/* Source: modeling_decilm.py of Llama-3_3-Nemotron-Super-49B-v1: a block may be gone, or one matrix, or narrower. */
static double nemotron_nas(const struct hf_part *p)
{
    double h = hf_number(p, "hidden_size", NAN), heads = hf_number(p, "num_attention_heads", NAN), sum = 0;
    int layers = (int)fmin(hf_number(p, "num_hidden_layers", 0), PATTERN_LAYERS_MAX);
    for (int i = 0; i < layers; i++) {
        double groups = heads / block_number(p, i, "attention.n_heads_in_group");
        double width = floor(2 * block_number(p, i, "ffn.ffn_mult") * h / 3);
        if (block_is(p, i, "attention.replace_with_linear"))
            sum += h * h + h;
        else if (!block_is(p, i, "attention.no_op"))
            sum += 2 * h * h + 2 * h * groups * h / heads + h;
        if (block_is(p, i, "ffn.replace_with_linear"))
            sum += h * h + h;
        else if (!block_is(p, i, "ffn.no_op"))
            sum += 3 * h * ceil(width / 256) * 256 + h;
    }
    return sum + ends_of(p, false);
}

/* Source: transformers models/zamba2: blocks of attention and feed-forward shared by the layers that have one. */
static double zamba2(const struct hf_part *p)
{
    double h = hf_number(p, "hidden_size", NAN), f = hf_number(p, "intermediate_size", NAN);
    double inner = hf_number(p, "mamba_expand", 2) * h, heads = inner / hf_number(p, "mamba_headdim", 64);
    double states = 2 * hf_number(p, "mamba_ngroups", 1) * hf_number(p, "mamba_d_state", 64);
    double rank = hf_number(p, "adapter_rank", 128), blocks = hf_number(p, "num_mem_blocks", 1), hybrids = 0;
    double mamba = h * (2 * inner + states + heads) + (inner + states) * (hf_number(p, "mamba_d_conv", 4) + 1) +
                   3 * heads + inner + inner * h + h;
    double shared = 3 * 4 * h * h + 2 * h * h + 3 * h * f + 3 * h;
    double own = h * h + rank * (h + 2 * f) + (is_on(p, "use_shared_attention_adapter", false) ? 12 * h * rank : 0);
    const struct tree_value *list = look(p, "layers_block_type");
    for (const char *at = list ? list->text : ""; (at = strstr(at, "hybrid")); at++)
        hybrids++;
    return hf_number(p, "num_hidden_layers", NAN) * mamba + blocks * shared + hybrids * own + ends_of(p, true);
}

/* Source: transformers models/gemma3n: streams that layers predict and correct, low ranks, an input for each layer. */
static double gemma3n(const struct hf_part *p)
{
    double h = hf_number(p, "hidden_size", NAN), f = hf_number(p, "intermediate_size", NAN);
    double layers = hf_number(p, "num_hidden_layers", NAN), k = hf_number(p, "head_dim", 256);
    double heads = hf_number(p, "num_attention_heads", NAN), groups = hf_number(p, "num_key_value_heads", heads);
    double n = hf_number(p, "altup_num_inputs", 4), own = hf_number(p, "hidden_size_per_layer_input", 256);
    double attention = 2 * h * heads * k + 2 * h * groups * k + 2 * k;
    double streams = n * n * n + n * n + n * h + 2 * h;
    double layer = attention + 4 * h + 3 * h * f + 2 * h * hf_number(p, "laurel_rank", 64) + h + streams +
                   2 * h * own + h;
    double tables = (hf_number(p, "vocab_size_per_layer_input", NAN) + h) * layers * own + own + 2 * (n - 1) * h * h;
    return layers * layer + tables + ends_of(p, true);
}

double hf_encoder_params(const struct hf_part *part)
{
    static const struct {
        const char *type;
        double (*count)(const struct hf_part *);
    } rows[] = {{"bert", bert},   {"roberta", bert}, {"xlm-roberta", bert}, {"modernbert", modernbert},
                {"t5", t5},       {"mt5", t5},       {"whisper", whisper},
                {"zamba2", zamba2}, {"gemma3n", gemma3n}, {"gemma3n_text", gemma3n},
                {"nemotron-nas", nemotron_nas}};
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (strcmp(rows[i].type, part->type) == 0)
            return rows[i].count(part);
    return NAN;
}
