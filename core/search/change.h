/* core/search/change.h - one change from a plan: what may be changed, and the plan that it makes. */
#pragma once

#include "core/plan/key.h"

#include <stdbool.h>

/** Whose decision a change is. */
enum change_group {
    CHANGE_LAYOUT,    /* of whoever starts the job */
    CHANGE_FRAMEWORK, /* only where the framework does it */
    CHANGE_HARDWARE,  /* of whoever pays */
    CHANGE_GROUPS
};

extern const char *const change_group_names[CHANGE_GROUPS];

/** A key and the value that it takes. */
struct change {
    enum param key;
    double value;
};

enum { CHANGES_MAX = 192 };

/**
 * All single changes from a resolved plan that are worth an estimate, in the order of groups and keys: sizes that
 * divide what they must, switches, twice and half the nodes. Whether the plan is then valid is for its rules to say.
 */
int change_list(const struct plan *resolved, struct change out[CHANGES_MAX]);

/** Those of the layout alone that change a key behind `key`, in the order of keys. */
int change_list_behind(const struct plan *resolved, enum param key, struct change out[CHANGES_MAX]);

/**
 * Changes that save memory and are worth a try where nothing of the layout does: recomputation, sharding, 8-bit and
 * paged optimizers, offloading, a quantised base, a shorter sequence, more nodes.
 */
int change_list_saving(const struct plan *resolved, struct change out[CHANGES_MAX]);

/** Other methods of tuning and other frameworks, for a plan whose method its framework is not modelled with. */
int change_list_modelled(const struct plan *resolved, struct change out[CHANGES_MAX]);

/** How much such a change gives up, from 0; of two that help equally the lesser is offered first. */
int change_price(enum param key);

/** The group of a key; CHANGE_HARDWARE for those that change_list() never changes. */
enum change_group change_group_of(enum param key);

/**
 * The plan with one key changed, on the same GPUs with the same batch, and what must follow: data parallelism is what
 * the others leave, without tensor parallelism there is none of the sequence, with it experts need that, without a
 * pipeline there are no chunks, chunks have their schedule, stages that a list gave layers to get an even split. `plan`
 * has its blanks, `resolved` is the same with them filled in.
 */
void change_make(const struct plan *plan, const struct plan *resolved, const struct change *change, struct plan *out);
