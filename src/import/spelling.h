/* src/import/spelling.h - what other programs call the values of a key: the spellings of core/plan/choice.def. */
#pragma once

#include "core/plan/param.h"

#include <stddef.h>

/** Groups of programs with one vocabulary. */
enum dialect {
    DIALECT_MEGATRON, /* Megatron-LM, Megatron-DeepSpeed, NeMo, Megatron-Bridge */
    DIALECT_DEEPSPEED,
    DIALECT_NANOTRON,
    DIALECT_TRAINER, /* Hugging Face, accelerate, LLaMA-Factory, axolotl, torchtune */
    DIALECT_CONFIG,  /* gpt-neox, NeMo, torchtitan, llm-foundry and OLMo */
    DIALECT_NEOX,
    DIALECT_NEMO,
    DIALECT_TITAN,
    DIALECT_COMPOSER, /* llm-foundry and OLMo */
    DIALECT_TORCH,    /* PyTorch's own names: types, FSDP strategies */
    DIALECT_ESTIMATOR, /* SimuMax, Calculon */
    DIALECT_COUNT
};

/** The words for a value of `key`, separated by blanks, the usual one first; NULL where the dialect has none. */
const char *spelling_words(enum param key, int value, enum dialect dialect);

/** The value of `key` that a word stands for, whatever its case; -1 where the dialect does not have the word. */
int spelling_find(enum param key, enum dialect dialect, const char *word);

enum { SPELLING_MAX = 64 }; /* bytes */

/** Copies the usual word for a value into `out`; false, with "" in `out`, where the dialect has none. */
bool spelling_usual(enum param key, double value, enum dialect dialect, char out[SPELLING_MAX]);
