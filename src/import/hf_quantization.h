/* src/import/hf_quantization.h - the types of weights that the `quantization_config` of a config.json tells. */
#pragma once

struct hf_part;

/**
 * Sets serve.weight_dtype, and serve.attention_dtype, expert_dtype, group_size and bf16_layers where the file overrides
 * them. Warns of unknown methods. Does nothing if the file has no `quantization_config`.
 */
void hf_read_quantization(const struct hf_part *part);
