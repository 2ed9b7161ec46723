/*
 * src/plan/preset.h - models, GPUs, clusters, plans, themes and lessons by name: those compiled in, and the user's own
 * over them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/plan/param.h"

struct errors;
struct keyvals;

/** What a preset describes. */
enum preset_kind {
    PRESET_MODEL, PRESET_GPU, PRESET_CLUSTER, PRESET_PLAN, PRESET_THEME, PRESET_LESSON, PRESET_KIND_COUNT
};

/** Folders below `configs/` and the user's directory: "models", "gpus", ... */
extern const char *const preset_folders[PRESET_KIND_COUNT];

/** Where a name was written, for messages; any member may be NULL or 0. */
struct place {
    const char *file;
    int line;
    const char *key;
};

/** The kind of preset that a TYPE_NAME key takes: model.name, hardware.gpu, cluster. */
enum preset_kind preset_kind_of(enum param key);

/** All names, own and shipped, each once, in natural order; valid until the program ends. No file is opened. */
size_t preset_names(enum preset_kind kind, const char *const **names);

/** True when there is a preset of this name. */
bool preset_known(enum preset_kind kind, const char *name);

/** Adds the fault at `place` that there is none, with the nearest names. */
void preset_unknown(enum preset_kind kind, const char *name, const struct place *place, struct errors *errors);

/**
 * The text of a preset in fresh memory, NUL-terminated, and the path that messages name in `*path` (fresh memory too).
 * NULL with a fault at `place` when there is none or it cannot be read.
 */
char *preset_text(enum preset_kind kind, const char *name, size_t *size, char **path, const struct place *place,
                  struct errors *errors);

/**
 * The settings of a model, GPU, cluster or theme, `*path` as above: keys that its kind of file has. Returns 0, or -1
 * with a fault added (`out` then holds what could be read).
 */
int preset_read(enum preset_kind kind, const char *name, struct keyvals *out, char **path, const struct place *place,
                struct errors *errors);

/**
 * Loads the preset `name` of a TYPE_NAME key into `plan`: a model or a cluster replaces its whole group (origin
 * FROM_PRESET), a GPU replaces plan.gpu; the name itself gets origin `from`. Returns 0, or -1 with a fault added and
 * `plan` unchanged.
 */
int preset_apply(struct plan *plan, enum param key, const char *name, enum origin from, const struct place *place,
                 struct errors *errors);

/** Makes every key of a group blank; the device of the hardware group is forgotten too. */
void preset_blank_group(struct plan *plan, enum param_group group);

/** Stores a text key, with nothing left behind of a longer text before it. */
void preset_set_name(struct plan *plan, enum param key, const char *name, enum origin from);
