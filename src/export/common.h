/* src/export/common.h - what the exporters share: the way of writing a format, and of finding what it cannot say. */
#ifndef SHARDTOP_SRC_EXPORT_COMMON_H
#define SHARDTOP_SRC_EXPORT_COMMON_H

#include <stdbool.h>
#include <stddef.h>

#include "core/plan/param.h"

struct buffer;
struct errors;
struct import;

/** The value of a key of the plan that is written. */
#define KEY(group, key) KEY_OF(plan, group, key)

/** A format: how it is written and read again. */
struct export_format {
    const char *name;              /* in remarks: "Megatron's flags" */
    const enum param *needs;       /* keys that must be known, ending with PARAM_COUNT */
    bool (*holds)(enum param key); /* true for keys that the format is about */
    void (*write)(struct buffer *out, const struct plan *resolved);
    int (*read)(const char *text, size_t size, const struct plan *base, struct import *out,
                struct errors *errors);
};

/** The formats by the order of export_names. */
extern const struct export_format megatron_format, nanotron_format, deepspeed_format, hf_format;

/** True for all keys but those of the hardware and of serving: what a training run's own files are about. */
bool export_holds_run(enum param key);

/**
 * Reads `text` again over the keys that the format does not hold. `again` (may be NULL) gets the plan, blanks as they
 * are. Returns how many keys that the format holds differ, -1 when the text cannot be read.
 */
int export_read_again(const struct export_format *format, const struct plan *resolved, const struct buffer *text,
                      struct plan *again);

#endif
