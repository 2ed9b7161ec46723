/* src/export/common.h - what the exporters share: the way of writing a format, and of finding what it cannot say. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/plan/framework.h"
#include "core/plan/param.h"
#include "src/import/recognise.h"

struct buffer;

/** The value of a key of the plan that is written. */
#define KEY(group, key) KEY_OF(plan, group, key)

/** A format: how it is written and read again. */
struct export_format {
    const char *name;              /* in remarks: "Megatron's flags" */
    const enum param *needs;       /* keys that must be known, ending with PARAM_COUNT */
    bool (*holds)(enum param key); /* true for keys that the format is about */
    void (*write)(struct buffer *out, const struct plan *resolved);
    enum plan_kind kind;           /* what reads it again */
    bool has_comments;             /* `#` begins a comment in it */
    const enum framework_id *of;   /* frameworks that read it, up to FRAMEWORK_COUNT; NULL: any */
    bool is_server;                /* it starts a server, else a training; config.json does neither */
};

/** The formats by the order of export_names. */
extern const struct export_format megatron_format, nanotron_format, deepspeed_format, hf_format, titan_export,
    bridge_export, llama_factory_export, axolotl_export, trl_export, vllm_format, sglang_format, trtllm_format;

/** True for all keys but those of the hardware and of serving: what a training run's own files are about. */
bool export_holds_run(enum param key);

/**
 * Writes the layout of a plan as Megatron takes it, "Et*7|t*8|t*8|t*9L": chunks in the order of the model, E the
 * embedding, t a layer, m a module of prediction, L the loss; nothing where the plan has none.
 */
void export_pipeline_layout(struct buffer *out, const struct plan *resolved);

/** How many keys that the format holds differ when `text` is read again; -1 when it cannot be read. */
int export_count_lost(const struct export_format *format, const struct plan *resolved, const struct buffer *text);
