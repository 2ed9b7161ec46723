/* src/import/hf_encoders.h - parameters of models that are counted and otherwise refused. */
#pragma once

#include "src/import/hf_layers.h"

/**
 * Parameters of an encoder, an encoder and a decoder, or a decoder whose layers all differ, by its config.json; NAN
 * where the type is not counted.
 */
double hf_encoder_params(const struct hf_part *part);
