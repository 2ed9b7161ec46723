/*
 * src/import/foreign.h - configurations of other programs that are a tree of settings: a table of paths and plan keys
 * for each, what the program takes where a file is silent, and a rule for what depends on several settings.
 */
#pragma once

#include <stddef.h>

struct errors;
struct import;

/**
 * Readers of one format each: YAML, JSON or TOML. A value that the file leaves open (`???`, `auto`, `${...}`, a
 * placeholder) is asked for. Return 0, or -1 with a fault added. The file's defaults are those of the commit in
 * src/import/foreign.c.
 */
int neox_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
int nemo_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
int titan_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
int foundry_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
int olmo_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
int llm_model_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
int simumax_model_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
int simumax_strategy_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
int calculon_model_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
int calculon_execution_import(const char *text, size_t size, const char *name, struct import *out,
                              struct errors *errors);

/**
 * Tables alone (src/import/recipes.c): litgpt; NeMo-RL, whose recipes are read over the file that their `defaults`
 * name; levanter and MaxText.
 */
int litgpt_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
int nemo_rl_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
int automodel_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
int skyrl_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
int levanter_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
int maxtext_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);

/** lingua, picotron, and InternEvo, whose configurations are Python (src/import/research.c). */
int picotron_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
int lingua_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
int olmo_core_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
int internevo_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);

/**
 * A trainer that nobody knows (src/import/other.c): every setting is judged by the words of its name, and what it may
 * decide is assumed and asked about.
 */
int other_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);

/** verl: the actor's training step, that of EasyR1, or supervised fine-tuning (src/import/verl.c). */
int easy_r1_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
int verl_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
int verl_sft_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);

/** Megatron-Bridge (src/import/bridge.c). */
int bridge_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
