/* src/export/export.h - a plan as launch flags or a configuration of a training framework. */
#ifndef SHARDTOP_SRC_EXPORT_EXPORT_H
#define SHARDTOP_SRC_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct errors;
struct plan;

/**
 * Writes `plan` in one format; `resolved` is plan_resolve() of it. What the format cannot say and the estimate or the
 * user cares about is remarked on in `notes` by its key: reading the text again and setting those keys gives the same
 * estimate. Returns 0, or -1 with a fault and nothing written when the plan lacks a value that the format needs.
 */
typedef int exporter(const struct plan *plan, const struct plan *resolved, struct buffer *out, struct errors *notes);

/** A bash script that starts Megatron-LM with torchrun. */
exporter export_megatron;

/** A nanotron configuration; what does not concern a plan (data, tokenizer, learning rate) has placeholders. */
exporter export_nanotron;

/** A DeepSpeed configuration: batch, types, ZeRO and offloading; the model and the other splits stay outside. */
exporter export_deepspeed;

/** A Hugging Face config.json of the model type that says the most of the plan's model group. */
exporter export_hf;

/** Names that `--to` takes, NULL-terminated. */
extern const char *const export_names[];

/** The exporter of a name; NULL when there is none. */
exporter *export_find(const char *name);

/**
 * Appends a resolved plan in the format `name`, without a word on what that cannot say. Returns false, with nothing
 * written, when the plan lacks a value that the format needs.
 */
bool export_text(const char *name, const struct plan *resolved, struct buffer *out);

#endif
