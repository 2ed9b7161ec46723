/* src/import/hf_encoders.h - parameters of encoders, which are counted and otherwise refused. */
#ifndef SHARDTOP_SRC_IMPORT_HF_ENCODERS_H
#define SHARDTOP_SRC_IMPORT_HF_ENCODERS_H

#include "src/import/hf_layers.h"

/** Parameters of an encoder, or of an encoder and a decoder, by its config.json; NAN where the type is not counted. */
double hf_encoder_params(const struct hf_part *part);

#endif
