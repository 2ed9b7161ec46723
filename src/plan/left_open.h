/*
 * src/plan/left_open.h - which values of a plan's file nobody gave: groups beside those of the keys, `assumed:` for
 * keys whose value was assumed or that have none, `uncertain:` for values that were read and may not hold. Each member
 * is a key with what decides it, and what that was taken for where that is another word than the key's value:
 * `parallel.tp: TP`, `model.num_layers: SIZE = 7B`. `defaults:` lists keys whose value is what the framework of an
 * input does by itself.
 */
#pragma once

#include "core/plan/question.h"

#include <stdbool.h>

struct buffer;
struct errors;
struct keyvals;
struct plan_reading;

enum { LEFT_TEXT_MAX = 2 * QUESTION_TEXT_MAX + 4 }; /* bytes of what decides a key */

/** The groups of what is open. */
enum left_open { LEFT_ASSUMED, LEFT_UNCERTAIN, LEFT_KINDS };

/** Their names: "assumed", "uncertain". */
extern const char *const left_open_names[LEFT_KINDS];

/**
 * The group in which a key of `plan` belongs, LEFT_KINDS for none; `decides` gets what decides it, "" for a value that
 * was assumed with another. `questions`: what the inputs left open, NULL where only the plan is known.
 */
enum left_open left_open_of(const struct plan *plan, const struct questions *questions, enum param key,
                            char decides[LEFT_TEXT_MAX]);

/** True while nobody has answered a key that stands in a group. */
bool left_open_still(const struct plan *plan, enum left_open group, enum param key);

/**
 * Appends `[model.hidden_dropout, ...]`, quoted in JSON: the keys whose value is a default in both plans; nothing for
 * none. Returns how many there are.
 */
int left_open_defaults(struct buffer *out, const struct plan *plan, const struct plan *among, bool is_json);

/** Takes the settings of the groups out of a file's. */
void left_open_split(struct keyvals *settings, struct keyvals *open);

/** The groups of a file whose other settings were applied already. */
struct left_open_file {
    const char *name;
    const struct keyvals *settings, *open;
    const struct plan *before; /* the plan of the files before it: values that it leaves as they are stay theirs */
};

/**
 * Marks keys of a plan that was just read as what its groups say, and adds their questions to `reading` (NULL: nobody
 * asks). Every fault is added.
 */
void left_open_apply(struct plan *plan, const struct left_open_file *file, struct plan_reading *reading,
                     struct errors *errors);

/** Appends the groups as YAML; nothing where nothing is open. */
void left_open_emit(struct buffer *out, const struct plan *plan, const struct questions *questions);
