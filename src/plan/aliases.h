/*
 * src/plan/aliases.h - the presets that people mean when they write a name as their tools do: h100,
 * Qwen/Qwen2.5-7B-Instruct.
 */
#pragma once

#include "src/plan/preset.h"

/**
 * The name of the preset that `typed` means, NULL when that is none or not clear. A preset's own name means itself. A
 * model may be named as on a hub (an organisation before it, what it was trained for or quantised to behind it), a GPU
 * as drivers, schedulers and clouds name it. Rows of src/plan/aliases.def and the names of the presets decide.
 */
const char *preset_meant(enum preset_kind kind, const char *typed);

/**
 * The newest config.json that a hub's client has kept of the model `typed` ("organisation/name"), in fresh memory; NULL
 * when there is none. Looks below $HF_HUB_CACHE, $HF_HOME/hub and ~/.cache/huggingface/hub, the first that is set.
 */
char *preset_hub_file(const char *typed);
