#include "src/import/hf_vision.h"

#include "core/base.h"
#include "src/import/import.h"
#include "src/import/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A tower: its layers, and parameters of what is no matrix of them. */
struct tower {
    double layers, width, ffn, heads, patches, rest;
    bool is_gated;
};

static double number(const struct hf_part *p, const char *key, double otherwise)
{
    char path[80];
    snprintf(path, sizeof path, "vision_config.%s", key);
    return hf_number(p, path, otherwise);
}

/* Members of a list such as [8,16,24]. */
static double count_of(const struct hf_part *p, const char *path)
{
    const struct tree_value *list = tree_first(p->tree, p->prefix, path);
    double count = list && list->text[0] == '[' && list->text[1] != ']';
    for (const char *at = list ? list->text : ""; *at; at++)
        count += *at == ',';
    return count;
}

static double linear(double in, double out)
{
    return in * out + out;
}

/* Patches that are joined to a token. */
static double joined(const struct hf_part *p)
{
    double side = number(p, "spatial_merge_size", 2);
    return side * side;
}

/* Source: transformers models/qwen3_vl: LayerNorm, biases, learned positions, a merger for each tapped layer. */
static struct tower qwen3(const struct hf_part *p, double hidden)
{
    double w = number(p, "hidden_size", NAN), f = number(p, "intermediate_size", NAN);
    double side = number(p, "patch_size", 16), layers = number(p, "depth", NAN);
    double patches = joined(p), wide = w * patches;
    double merger = linear(wide, wide) + linear(wide, number(p, "out_hidden_size", hidden));
    double taps = count_of(p, "vision_config.deepstack_visual_indexes");
    double patch = 3 * number(p, "temporal_patch_size", 2) * side * side * w + w;
    double rest = layers * (9 * w + f) + patch + number(p, "num_position_embeddings", 0) * w + merger + 2 * w +
                  taps * (merger + 2 * wide);
    return (struct tower){layers, w, f, number(p, "num_heads", NAN), patches, rest, false};
}

/* Source: transformers models/qwen2_5_vl: RMSNorm, gated blocks with biases, no positions to learn. */
static struct tower qwen25(const struct hf_part *p, double hidden)
{
    double w = number(p, "hidden_size", NAN), f = number(p, "intermediate_size", NAN);
    double side = number(p, "patch_size", 14), layers = number(p, "depth", NAN);
    double patches = joined(p), wide = w * patches;
    double rest = layers * (7 * w + 2 * f) + 3 * number(p, "temporal_patch_size", 2) * side * side * w + w +
                  linear(wide, wide) + linear(wide, number(p, "out_hidden_size", hidden));
    return (struct tower){layers, w, f, number(p, "num_heads", NAN), patches, rest, true};
}

/* Source: transformers models/qwen2_vl: LayerNorm, blocks of mlp_ratio times the width. */
static struct tower qwen2(const struct hf_part *p, double hidden)
{
    double w = number(p, "embed_dim", NAN), f = w * number(p, "mlp_ratio", 4), side = number(p, "patch_size", 14);
    double layers = number(p, "depth", NAN), patches = joined(p), wide = w * patches;
    double rest = layers * (9 * w + f) + 3 * number(p, "temporal_patch_size", 2) * side * side * w + 2 * w +
                  linear(wide, wide) + linear(wide, number(p, "hidden_size", hidden));
    return (struct tower){layers, w, f, number(p, "num_heads", NAN), patches, rest, false};
}

/* Source: transformers models/siglip and gemma3: a token is the mean of patches; a norm and a matrix project it. */
static struct tower gemma3(const struct hf_part *p, double hidden)
{
    double w = number(p, "hidden_size", 1152), f = number(p, "intermediate_size", 4304);
    double layers = number(p, "num_hidden_layers", 27), side = number(p, "patch_size", 14);
    double patches = pow(floor(number(p, "image_size", 896) / side), 2);
    double rest = layers * (9 * w + f) + 3 * side * side * w + w + patches * w + 2 * w + w * hidden + w;
    return (struct tower){layers, w, f, number(p, "num_attention_heads", 16),
                          patches / hf_number(p, "mm_tokens_per_image", 256), rest, false};
}

/* Source: transformers models/pixtral and mistral3: RMSNorm, no biases. */
static struct tower mistral3(const struct hf_part *p, double hidden)
{
    double w = number(p, "hidden_size", 1024), f = number(p, "intermediate_size", 4096);
    double layers = number(p, "num_hidden_layers", 24), side = number(p, "patch_size", 16);
    double merge = hf_number(p, "spatial_merge_size", 2);
    double rest = layers * 2 * w + 3 * side * side * w + w + w + merge * merge * w * w +
                  w * hidden + hidden * hidden;
    return (struct tower){layers, w, f, number(p, "num_attention_heads", 16), merge * merge, rest, true};
}

/* Source: transformers models/llama4: a class token, norms around the blocks; joined patches pass two matrices. */
static struct tower llama4(const struct hf_part *p, double hidden)
{
    double w = number(p, "hidden_size", 768), f = number(p, "intermediate_size", 5632);
    double layers = number(p, "num_hidden_layers", 34), side = number(p, "patch_size", 14);
    double patches = pow(floor(number(p, "image_size", 448) / side), 2);
    double in = number(p, "projector_input_dim", 4096), out = number(p, "projector_output_dim", 4096);
    double share = number(p, "pixel_shuffle_ratio", 0.5);
    double rest = layers * (9 * w + f) + 3 * side * side * w + w + (patches + 1) * w + 4 * w +
                  f * in + out * out + number(p, "vision_output_dim", out) * hidden;
    return (struct tower){layers, w, f, number(p, "num_attention_heads", 16), 1 / (share * share), rest, false};
}

/* Source: vLLM models/kimi_k25_vit.py (2026-08), moonvit.py: LayerNorm, biases, learned positions, a merger. */
static struct tower kimi(const struct hf_part *p, double hidden)
{
    double w = number(p, "vt_hidden_size", number(p, "hidden_size", 1152));
    double f = number(p, "vt_intermediate_size", number(p, "intermediate_size", 4304));
    double layers = number(p, "vt_num_hidden_layers", number(p, "num_hidden_layers", 27));
    double side = number(p, "patch_size", 14), merge = number(p, "merge_kernel_size", 2);
    double positions = number(p, "init_pos_emb_height", 64) * number(p, "init_pos_emb_width", 64);
    double patches = merge * merge, wide = patches * w;
    double rest = layers * (9 * w + f) + 3 * side * side * w + w + positions * w + 2 * w +
                  2 * w + linear(wide, wide) + linear(wide, hidden);
    double heads = number(p, "vt_num_attention_heads", number(p, "num_attention_heads", 16));
    return (struct tower){layers, w, f, heads, patches, rest, false};
}

/* Source: transformers models/gemma4: four RMSNorms, positions of both sides, gated blocks, patches pooled. */
static struct tower gemma4(const struct hf_part *p, double hidden)
{
    double w = number(p, "hidden_size", 768), f = number(p, "intermediate_size", 3072);
    double layers = number(p, "num_hidden_layers", 16), side = number(p, "patch_size", 16);
    double heads = number(p, "num_attention_heads", 12), pool = number(p, "pooling_kernel_size", 3);
    double rest = layers * (4 * w + 2 * number(p, "head_dim", w / heads)) + 3 * side * side * w +
                  2 * number(p, "position_embedding_size", 10240) * w + w * hidden;
    return (struct tower){layers, w, f, heads, pool * pool, rest, true};
}

static const struct {
    const char *type; /* of the whole model */
    struct tower (*read)(const struct hf_part *, double hidden);
} towers[] = {
    {"qwen3_vl", qwen3},   {"qwen3_vl_moe", qwen3}, {"qwen3_5", qwen3},     {"qwen3_5_moe", qwen3},
    {"qwen2_vl", qwen2},   {"qwen2_5_vl", qwen25},  {"gemma3", gemma3},     {"mistral3", mistral3},
    {"llama4", llama4},    {"kimi_k25", kimi},      {"kimi_vl", kimi},      {"gemma4", gemma4},
};

static void set_tower(const struct hf_part *p, const struct tower *tower, double params)
{
    const struct {
        const char *key;
        double value;
    } row[] = {
        {"model.vision_num_layers", tower->layers},           {"model.vision_hidden_size", tower->width},
        {"model.vision_ffn_hidden_size", tower->ffn},         {"model.vision_num_attention_heads", tower->heads},
        {"model.vision_patches", tower->patches},             {"model.vision_params", params},
    };
    for (size_t i = 0; i < LENGTH(row); i++)
        keyvals_number(&p->out->settings, row[i].key, row[i].value, p->line);
    keyvals_add(&p->out->settings, "model.vision_gated_mlp", tower->is_gated ? "true" : "false", p->line);
}

double hf_read_vision(const struct hf_part *whole, double hidden)
{
    char path[] = "vision_config";
    for (size_t i = 0; i < LENGTH(towers) && tree_has(whole->tree, path); i++) {
        if (strcmp(towers[i].type, whole->type) != 0)
            continue;
        struct tower tower = towers[i].read(whole, hidden);
        double block = (tower.is_gated ? 3 : 2) * tower.width * tower.ffn;
        double params = tower.layers * (4 * tower.width * tower.width + block) + tower.rest;
        bool is_whole = params > 0 && params == floor(params) && tower.patches == floor(tower.patches);
        if (is_whole && params < 1e12 && tower.layers <= 1024)
            set_tower(whole, &tower, params);
        return is_whole ? params : NAN;
    }
    return NAN;
}
