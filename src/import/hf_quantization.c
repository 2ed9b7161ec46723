/*
 * Methods by transformers' quantizers and vLLM 017e9f4448 model_executor/layers/quantization: fp8, fbgemm_fp8, awq,
 * gptq, compressed-tensors, modelopt, mxfp4, bitsandbytes.
 */
#include "src/import/hf_quantization.h"

#include "core/base.h"
#include "src/import/hf_layers.h"
#include "src/import/import.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "src/text/tree.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a configuration says of its weights. */
struct quantised {
    struct tree *tree;
    const char *at;    /* its path in the file */
    const char *type;  /* of serve.weight_dtype; NULL: not known */
    double bits, group;
    const char *kept;  /* list of what stays in 16 bits, as written; "" for none */
};

static const struct tree_value *find(const struct quantised *q, const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "%s.%s", q->at, name);
    return tree_find(q->tree, path);
}

static const char *text_at(const struct quantised *q, const char *name)
{
    const struct tree_value *value = find(q, name);
    return value ? value->text : "";
}

/* The first of several places, separated by `|`, that has a number; 0 for none. */
static double number_at(const struct quantised *q, const char *names)
{
    char name[96];
    for (const char *p = names; *p;) {
        size_t n = strcspn(p, "|");
        snprintf(name, sizeof name, "%.*s", (int)n, p);
        double value = strtod(text_at(q, name), NULL);
        if (value > 0)
            return value;
        p += n + (p[n] == '|');
    }
    return 0;
}

/* ---- methods ----------------------------------------------------------------------------------------------------- */

#define GROUP "config_groups.group_0.weights."

static const char *type_of_tensors(const struct quantised *q)
{
    bool is_float = strcmp(text_at(q, GROUP "type"), "float") == 0;
    if (q->bits == 8)
        return !is_float ? "int8" : strcmp(text_at(q, GROUP "strategy"), "block") == 0 ? "fp8_block" : "fp8";
    return q->bits != 4 ? NULL : !is_float ? "w4a16" : q->group == 32 ? "mxfp4" : "nvfp4";
}

static const char *type_of_modelopt(const struct quantised *q)
{
    const char *how = text_at(q, "quant_algo");
    return strstr(how, "FP4") ? "nvfp4" : strstr(how, "W4A16") || strstr(how, "AWQ") ? "w4a16" : "fp8";
}

static const char *type_of_method(const struct quantised *q, const char *method)
{
    if (strcmp(method, "compressed-tensors") == 0)
        return type_of_tensors(q);
    if (strncmp(method, "modelopt", 8) == 0)
        return type_of_modelopt(q);
    if (strcmp(method, "fp8") == 0)
        return *text_at(q, "weight_block_size") ? "fp8_block" : "fp8";
    if (strcmp(method, "fbgemm_fp8") == 0)
        return "fp8";
    if (strcmp(method, "mxfp4") == 0)
        return "mxfp4";
    if (strcmp(method, "bitsandbytes") == 0)
        return tree_is_true(find(q, "load_in_8bit")) ? "int8" : "w4a16";
    bool is_eight = q->bits == 8, has_points = strcmp(method, "awq") == 0;
    bool is_known = has_points || strcmp(method, "gptq") == 0 || strcmp(method, "auto-round") == 0 || !*method;
    return !is_known || !(q->bits > 0) ? NULL : is_eight ? "int8" : has_points ? "awq" : "w4a16";
}

/* ---- what stays -------------------------------------------------------------------------------------------------- */

/* How many different layers have an entry that goes on with `part`: "model.layers.0.mlp.down_proj". */
static int layers_with(const char *kept, const char *part)
{
    enum { LAYERS = 1024 };
    bool is_there[LAYERS] = {false};
    int count = 0;
    for (const char *at = strstr(kept, "layers."); at; at = strstr(at + 1, "layers.")) {
        char *end;
        long layer = isdigit((unsigned char)at[7]) ? strtol(at + 7, &end, 10) : -1;
        if (layer < 0 || layer >= LAYERS || is_there[layer] || strncmp(end, part, strlen(part)) != 0)
            continue;
        is_there[layer] = true;
        count++;
    }
    return count;
}

/* A pattern that holds for all layers, or an entry of most of them. */
static bool keeps(const struct quantised *q, const char *part, int layers)
{
    char of_layer[64];
    snprintf(of_layer, sizeof of_layer, ".%s", part);
    const char *pattern = strstr(q->kept, "re:");
    for (; pattern; pattern = strstr(pattern + 1, "re:")) {
        size_t n = strcspn(pattern, ",]");
        if (memmem(pattern, n, part, strlen(part)))
            return true;
    }
    return layers_with(q->kept, of_layer) * 2 > layers;
}

static void set(const struct hf_part *part, const char *key, const char *value)
{
    keyvals_add(&part->out->settings, key, value, part->line);
}

static void set_kept(const struct hf_part *part, const struct quantised *q)
{
    char number[24];
    bool has_experts = hf_number(part, "num_experts|n_routed_experts|num_local_experts", 0) > 0;
    bool keeps_attention = keeps(q, "self_attn", part->layers),
         keeps_dense = has_experts && (keeps(q, "mlp.(", part->layers) || keeps(q, "mlp\\.(", part->layers) ||
                                       keeps(q, "mlp\\\\.(", part->layers));
    int whole = layers_with(q->kept, ".mlp");
    set(part, "serve.weight_dtype", keeps_dense ? "bf16" : q->type);
    if (keeps_dense)
        set(part, "serve.expert_dtype", q->type);
    if (keeps_attention && !keeps_dense && strcmp(q->type, "mxfp4") != 0) /* of which it is the default */
        set(part, "serve.attention_dtype", "bf16");
    snprintf(number, sizeof number, "%d", whole);
    if (whole > 0 && whole * 2 <= part->layers)
        set(part, "serve.bf16_layers", number);
    snprintf(number, sizeof number, "%.0f", q->group);
    if (q->group > 0 && (strcmp(q->type, "awq") == 0 || strcmp(q->type, "w4a16") == 0))
        set(part, "serve.group_size", number);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

void hf_read_quantization(const struct hf_part *part)
{
    char path[64];
    snprintf(path, sizeof path, "%squantization_config", part->prefix);
    struct quantised q = {.tree = part->tree, .at = tree_has(part->tree, path) ? path : "quantization_config"};
    if (!tree_has(q.tree, q.at))
        return;
    const char *method = text_at(&q, "quant_method");
    q.bits = number_at(&q, "bits|" GROUP "num_bits");
    q.group = number_at(&q, "group_size|" GROUP "group_size");
    if (strcmp(method, "awq") == 0 && q.bits == 0)
        q.bits = 4;
    q.type = type_of_method(&q, method);
    if (strcmp(method, "bitsandbytes") == 0)
        q.group = 32; /* fp32 scales of 64 weights take as much as 16-bit ones of 32 */
    const char *const lists[] = {"modules_to_not_convert", "ignore", "ignored_layers", "exclude_modules"};
    q.kept = "";
    for (size_t i = 0; i < LENGTH(lists) && !*q.kept; i++)
        q.kept = text_at(&q, lists[i]);
    if (q.type)
        set_kept(part, &q);
    else
        errors_warn(q.tree->errors, q.tree->file, 0, q.at,
                    "quantisation '%.40s' is not known; give serve.weight_dtype and serve.group_size with --set",
                    method);
    tree_use(q.tree, q.at);
    errors_note(q.tree->errors, q.tree->file, 0, q.at,
                "the published weights are quantized; training uses train.dtype");
}
