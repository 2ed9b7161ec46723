/* src/plan/family.h - the preset that a fine-tuned or renamed model is built on, told by family before size. */
#pragma once

/**
 * The preset whose family, version and sizes all stand in the last part of a model's name; of derived models the family
 * of src/plan/named.def counts. NULL for none. The text lives as long as the presets.
 */
const char *family_preset(const char *typed);
