/* src/import/hf_quantization.h - the types of weights that the `quantization_config` of a config.json tells. */
#ifndef SHARDTOP_SRC_IMPORT_HF_QUANTIZATION_H
#define SHARDTOP_SRC_IMPORT_HF_QUANTIZATION_H

struct hf_part;

/**
 * Sets serve.weight_dtype, and serve.attention_dtype, expert_dtype, group_size and bf16_layers where they differ from
 * what follows from it, and remarks on a method that is not known. Does nothing where the file has no such part.
 */
void hf_read_quantization(const struct hf_part *part);

#endif
