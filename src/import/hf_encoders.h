/* src/import/hf_encoders.h - parameters of models that are counted and otherwise refused. */
#ifndef SHARDTOP_SRC_IMPORT_HF_ENCODERS_H
#define SHARDTOP_SRC_IMPORT_HF_ENCODERS_H

#include "src/import/hf_layers.h"

/**
 * Parameters of an encoder, an encoder and a decoder, or a decoder whose layers all differ, by its config.json; NAN
 * where the type is not counted.
 */
double hf_encoder_params(const struct hf_part *part);

#endif
