/* src/export/export.h - a plan as launch flags or a configuration of a training framework. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct errors;
struct plan;

/**
 * megatron   a bash script that starts Megatron-LM with torchrun
 * nanotron   a nanotron configuration; what does not concern a plan (data, tokenizer, learning rate) has placeholders
 * deepspeed  a DeepSpeed configuration: batch, types, ZeRO and offloading; the model and the other splits stay outside
 * hf         a Hugging Face config.json of the model type that says the most of the plan's model group
 * torchtitan, llama-factory, axolotl  their configurations; the model is a name, as in the next two
 * megatron-bridge  a bash script that starts a recipe with overrides
 * trl        a bash script that starts `trl sft`
 * vllm, sglang, trtllm  the command that starts the server, of a plan that serves
 */
struct export_format;

/** Names that `--to` takes, NULL-terminated. */
extern const char *const export_names[];

/** The format of a name; NULL when there is none. */
const struct export_format *export_find(const char *name);

/**
 * Writes `plan` in a format; `resolved` is plan_resolve() of it. Reading the text again gives the same estimate: a key
 * that the format has no place for and that changes a number is a fault, one that changes none is a note.
 * Returns 0, or -1 with faults and nothing written: also where the plan lacks a value that the format needs, or its
 * framework does not read the format.
 */
int export_plan(const struct export_format *format, const struct plan *plan, const struct plan *resolved,
                struct buffer *out, struct errors *notes);
