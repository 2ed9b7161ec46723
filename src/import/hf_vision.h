/* src/import/hf_vision.h - vision towers of models with a vision_config: their shape and their parameters. */
#ifndef SHARDTOP_SRC_IMPORT_HF_VISION_H
#define SHARDTOP_SRC_IMPORT_HF_VISION_H

#include "src/import/hf_layers.h"

/**
 * Sets the vision keys of a model whose tower is counted, for a language model of this hidden size; `whole` looks at
 * the whole file. Returns the parameters of tower and projector, NAN where the tower is not counted.
 */
double hf_read_vision(const struct hf_part *whole, double hidden);

#endif
