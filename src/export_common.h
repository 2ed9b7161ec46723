/* src/export_common.h - what the exporters share: needed keys, and the check of what a format cannot say. */
#ifndef SHARDTOP_SRC_EXPORT_COMMON_H
#define SHARDTOP_SRC_EXPORT_COMMON_H

#include <stdbool.h>
#include <stddef.h>

#include "core/param.h"

struct buffer;
struct errors;
struct megatron_import;

/** The value of a key of a plan. */
#define KEY_OF(plan, group, name) ((plan)->value[PARAM_##group##_##name])

/** A format and how it is read again. */
struct export_format {
    const char *name;                  /* in remarks: "Megatron's flags" */
    bool (*holds)(enum param key);     /* true for keys that the format is about */
    int (*read)(const char *text, size_t size, const struct plan *base, struct megatron_import *out,
                struct errors *errors);
};

/** Adds a fault for each key that is not known in `resolved`; returns 0 when all are. */
int export_needs(const struct plan *resolved, const enum param *keys, size_t count, struct errors *notes);

/** True when the user or a file gave this key. */
bool export_is_given(const struct plan *plan, enum param key);

/**
 * Reads `text` again over the keys that the format does not hold. `again` (may be NULL) gets the plan, blanks as they
 * are. Returns how many keys that the format holds differ, -1 when the text cannot be read.
 */
int export_read_again(const struct export_format *format, const struct plan *resolved, const struct buffer *text,
                      struct plan *again);

/**
 * Remarks on each key that the format holds in principle and that `text` does not say, where the estimate changes by it
 * or somebody gave it, and in one line on the keys that the plan gives and the format is not about.
 */
void export_note_missing(const struct export_format *format, const struct plan *plan, const struct plan *resolved,
                         const struct buffer *text, struct errors *notes);

#endif
