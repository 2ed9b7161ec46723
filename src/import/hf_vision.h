/* src/import/hf_vision.h - vision towers of models with a vision_config: their shape and their parameters. */
#pragma once

#include "src/import/hf_layers.h"

/**
 * Sets the vision keys of a model whose tower is counted, for a language model of this hidden size; `whole` looks at
 * the whole file. Returns the parameters of tower and projector, NAN where the tower is not counted.
 */
double hf_read_vision(const struct hf_part *whole, double hidden);
