/* src/import/python.h - settings in Python programs and notebooks, read without running them. */
#pragma once

#include "src/import/recognise.h"

/**
 * Reads the keyword arguments of known constructors (TrainingArguments, SFTConfig, LoraConfig, from_pretrained, ...) as
 * settings of the Hugging Face Trainer: literals, lists of them, and names to which the program gives a literal. An
 * argument that is computed is asked for. A program without such calls is refused. Nothing is executed.
 */
importer python_import;
