#include "src/import/hf_encoders.h"

#include "core/base.h"
#include "src/text/tree.h"

#include <math.h>
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

double hf_encoder_params(const struct hf_part *part)
{
    static const struct {
        const char *type;
        double (*count)(const struct hf_part *);
    } rows[] = {{"bert", bert},   {"roberta", bert}, {"xlm-roberta", bert}, {"modernbert", modernbert},
                {"t5", t5},       {"mt5", t5},       {"whisper", whisper}};
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (strcmp(rows[i].type, part->type) == 0)
            return rows[i].count(part);
    return NAN;
}
