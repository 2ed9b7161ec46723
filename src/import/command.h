/*
 * src/import/command.h - scripts whose commands start a trainer other than Megatron, with a configuration or with
 * flags.
 */
#pragma once

#include "src/import/recognise.h"

/**
 * Reads the command (the first, or the one that the caller chose) that names a configuration of a kind that is read
 * here and lies beside (src/import/sibling_files.h), or that passes the flags of the Hugging Face Trainer. Behind a
 * configuration `--key value`, `--key=value` and `key=value` count more than it. What accelerate's own file and the
 * launcher say of nodes, GPUs and sharding is taken, too.
 */
importer command_import;

/** Programs of trainers that are not Python files, such as `litgpt`; NULL at the end. */
extern const char *const command_own_names[];
