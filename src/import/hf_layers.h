/* src/import/hf_layers.h - what the layers of a Hugging Face config.json are made of, where they differ. */
#pragma once

#include "core/plan/plan.h"

#include <stdbool.h>

struct import;
struct tree;

/** The part of a file that describes the language model. */
struct hf_part {
    struct tree *tree;
    const char *prefix, *type; /* where it stands, "" or "text_config."; its model_type */
    int line, layers;          /* of model_type; layers of the model */
    struct import *out;
    bool is_irregular; /* layers of one family follow no period: model.layer_pattern names each of them */
};

/** The first of several paths of the part that is there, as a number; `otherwise` where none is. */
double hf_number(const struct hf_part *part, const char *paths, double otherwise);

/** Whether a model of this type is made of layers of several kinds, or of one that is no plain attention. */
bool hf_has_kinds(const struct hf_part *part);

/**
 * Reads the kinds of layers: sets model.layer_pattern and the keys that the kinds read. Returns 0, or -1 with a fault.
 */
int hf_read_kinds(const struct hf_part *part);
