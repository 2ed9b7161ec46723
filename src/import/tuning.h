/*
 * src/import/tuning.h - files of fine-tuning: the Hugging Face Trainer's, LLaMA-Factory's, axolotl's, torchtune's,
 * accelerate's.
 */
#pragma once

#include "src/import/recognise.h"

/*
 * Each reads one file, YAML or JSON, as `importer` of src/import/recognise.h says. `model` is set to the name that the
 * file has, which may be none that is known here. What changes memory or time and has no counterpart is remarked on; a
 * DeepSpeed file that is named is read where it lies beside (src/import/sibling_files.h); of one that is not there
 * the stage in its name is taken.
 */

/** TrainingArguments and TRL's options (transformers training_args.py at 00349ae8, TRL at f2cd5771). */
importer trainer_import;

/**
 * LLaMA-Factory (hparams/ at ff6d4d12): all options of the Trainer and its own; recomputation is on, LoRA the default.
 */
importer llama_factory_import;

/** LLaMA-Factory's files since version 1 (examples/v1 at ff6d4d12). */
importer llama_factory_v1_import;

/** axolotl (utils/schemas/ at 067b021c). */
importer axolotl_import;

/** torchtune (recipes/configs at bd2a0fc7); a file whose name ends in _single_device.yaml is of one GPU. */
importer torchtune_import;

/** accelerate (commands/config/ at 16cb6eb8): machines and sharding, no model. */
importer accelerate_import;
