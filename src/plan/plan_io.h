/* src/plan/plan_io.h - plans from files and settings, and back to files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/plan/plan.h"
#include "src/import/import.h"
#include "src/import/recognise.h"
#include "src/text/comment.h"

struct buffer;

/** Where settings come from. */
struct plan_source {
    const char *file;  /* for messages; NULL for none */
    enum origin from;  /* what the values are marked with */
    bool is_last_wins; /* a key may be given several times */
    bool is_typed;     /* somebody typed it: other names of keys are taken too, and `default` makes one blank */
    bool has_steps;    /* `x2`, `/2`, `+1` and `-1` change the value that is there */
};

/**
 * Applies settings to `plan`, whatever their order: `model: NAME` and `cluster: NAME` load presets first, then the
 * device, then all other keys; expressions are read last. Every fault is added. Returns 0, or -1 with `plan` unchanged.
 */
int plan_apply(struct plan *plan, const struct keyvals *list, const struct plan_source *source, struct errors *errors);

/** One reading: what the caller knows, and what it learns beside the plan; zero-initialise. */
struct plan_reading {
    struct import_options options;
    enum plan_kind kind;        /* of the text; KIND_UNKNOWN for a shipped plan */
    struct questions questions; /* those of this text are added */
    int commands;               /* of it that run training, where several do and none was chosen */
    bool has_auto;              /* it has sizes for plan_settle_auto() */
    bool asks_hardware;         /* it is a plan for whose GPUs plan_ask_hardware() asks, as its input left them open */
    struct comment_figures figures; /* what a comment of this text states that was measured */
    struct keyvals *unused;     /* gets its settings that change nothing; NULL: nobody wants them */
    struct import *import;      /* gets what a foreign file gave, for import_free(); NULL: nobody wants it */
};

/**
 * Applies a text of any kind that is read in this version; `reading` may be NULL. What a foreign file holds and a plan
 * does not is listed once as a remark. Returns 0, or -1 with faults added and `plan` unchanged.
 */
int plan_read(struct plan *plan, const char *text, size_t size, const char *name, struct plan_reading *reading,
              struct errors *errors);

/**
 * Applies what was read of Megatron's flags: settings with origin `from`, then Megatron's own defaults where the plan
 * is still blank; flags that change nothing are listed in one remark. Returns 0, or -1 with `plan` unchanged.
 */
int plan_apply_import(struct plan *plan, struct import *import, const char *name, enum origin from,
                      struct errors *errors);

/**
 * plan_read() of a file, of standard input (`-`), or, where there is no such file, of the shipped plan of that name.
 */
int plan_load(struct plan *plan, const char *path, struct plan_reading *reading, struct errors *errors);

/**
 * Gives the sizes that a file leaves to the width of the model ("auto" of DeepSpeed's configurations) their values,
 * once the plan has a model: the file is read again. `options` are those of its first reading. Where there is no model
 * it remarks.
 */
void plan_settle_auto(struct plan *plan, const char *path, const struct import_options *options, struct errors *errors);

/** Applies the shipped or own plan `name` (`configs/plans/`). */
int plan_load_preset(struct plan *plan, const char *name, struct errors *errors);

/** Whether `--model` of this names a file, or a model that a hub's client has kept, and no preset. */
bool plan_is_model_file(const char *name_or_path);

/** Replaces the model group of a plan by that of another. */
void plan_take_model(struct plan *to, const struct plan *from, enum origin origin);

/** Replaces the model group by that of a preset name, of a file, or of a model that a hub's client has kept. */
int plan_load_model(struct plan *plan, const char *name_or_path, enum origin from, struct errors *errors);

/** The device of plans that name none. */
extern const char plan_default_gpu[];

/** What plan_ask_hardware() and plan_ask_model() call what they ask for. */
#define PLAN_ASKS_GPUS  "GPUs"
#define PLAN_ASKS_GPU   "GPU"
#define PLAN_ASKS_MODEL "model"

/** Asks for the model where the file `where` names none. */
void plan_ask_model(const struct plan *plan, const char *where, struct questions *questions);

/** Marks the number of GPUs as assumed if the input does not give it, so that the verdict may depend on it. */
void plan_mark_nodes(struct plan *plan);

/** Asks for the GPUs, their number and kind, where a file left them to defaults; `where` is the file. */
void plan_ask_hardware(const struct plan *plan, const char *where, struct questions *questions);

/** Loads the default device when nobody named one. */
void plan_finish(struct plan *plan);

/**
 * Appends the plan as YAML: every key that is not blank, in the order of the parameter table; a group that stands close
 * to a preset is written as the preset's name and the keys that differ, and what is open in groups of its own. Reading
 * it back gives an equal plan. Each line of `comment` (may be NULL) becomes a comment at the top. `questions`: what the
 * inputs left open, or NULL.
 */
void plan_emit(struct buffer *out, const struct plan *plan, const struct questions *questions, const char *comment);
