/*
 * core/search/space.h - the layouts of a plan on its GPUs: the axes along which they differ, one layout after the
 * other.
 */
#pragma once

#include "core/plan/key.h"
#include "core/search/balance.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The axes, outermost first. Keys that the caller adds are outermost of all. */
enum search_axis {
    SEARCH_OWN, /* SPACE_OWN_MAX of them */
    SEARCH_NODES = SEARCH_OWN + 17,
    SEARCH_TP,
    SEARCH_SP,
    SEARCH_CP,
    SEARCH_MICRO_BATCH,
    SEARCH_EP,
    SEARCH_ETP,
    SEARCH_PP,
    SEARCH_SPLIT, /* of layers over stages: enum search_split */
    SEARCH_VPP,
    SEARCH_SCHEDULE,
    SEARCH_RECOMPUTE,
    SEARCH_RECOMPUTED, /* layers of a recomputed group */
    SEARCH_SHARDING,   /* what data-parallel ranks shard: 0 nothing, 1 optimizer, 2 gradients too, 3 weights too */
    SEARCH_AXES
};

enum { SPACE_OWN_MAX = SEARCH_NODES - SEARCH_OWN, SPACE_VALUES_MAX = 256, SPACE_CUTS_MAX = 16 };

/** How layers go to stages. */
enum search_split {
    SPLIT_IN_EQUAL,    /* as the framework does, no stage set apart */
    SPLIT_COUNTS_ENDS, /* embedding and loss take a layer's place each */
    SPLIT_SHORT_LAST,  /* the last stage has what is left over */
    SPLIT_BALANCED,    /* by the time that layers take, where several kinds or no equal chunks are */
};

/** What an axis is called and which key it sets; PARAM_COUNT: several. */
struct space_axis {
    const char *name;
    enum param key;
};
extern const struct space_axis space_axes[SEARCH_AXES];

/** The axis that sets a key; -1 when none does. */
int space_axis_of(enum param key);

/**
 * The axis of this name, or that of a key of this name (`mbs`); -1 where there is none, `*key` then being the key that
 * is meant or -1.
 */
int space_axis_named(const char *name, int *key);

/**
 * Reads names with commas between into a bit set of axes that a search tries values of; nothing is none of them.
 * Returns NULL; or where the first one stands that is no such axis, `*axes` then being as it was.
 */
const char *space_axes_read(const char *names, uint32_t *axes);

/** Writes the names of a bit set of axes, with commas between. */
void space_axes_write(uint32_t axes, char *out, size_t size);

/** One layout: a value for each axis, SPACE_AS_GIVEN where the plan's own keys stand. */
enum { SPACE_AS_GIVEN = -1 };
struct space_layout {
    int value[SEARCH_AXES];
};

/** The order in which ties end: negative, 0 or positive as `a` comes before, is, or comes after `b`. */
int space_compare(const struct space_layout *a, const struct space_layout *b);

/** Values that an axis may take; `count` 0 where the axis finds its own. */
struct space_values {
    int count;
    double value[64];
};

/** What a search may change. */
struct space_ask {
    struct plan plan;            /* blanks allowed */
    uint32_t free;               /* bit set of enum search_axis; the others stay as the plan has them */
    struct space_values values[SEARCH_AXES]; /* in place of an axis's own */
    struct space_values dp;                  /* that a layout may leave on the GPUs; `count` 0: any */
    enum param own[SPACE_OWN_MAX];           /* the keys of SEARCH_OWN axes, whose values must be given */
    int pinned[SPACE_OWN_MAX];   /* number of the only value of an own axis that is tried, counted from 1; 0: all */
    bool all_schedules;          /* published schedules too, which the framework does not have */
    bool tp_in_domain;           /* tensor-parallel ranks share a scale-up link */
    bool by_time;                /* layers that do not divide are cut by the time that they take, too */
};

/** The axes that are free unless told: all but nodes, recomputed layers and the caller's own. */
uint32_t space_default_axes(void);

/** Where a walk over the layouts is. */
struct space {
    const struct space_ask *ask;
    /* with the axes up to sp set, blanks allowed; of the layout, before plan_resolve_layout() */
    struct plan plan, prepared;
    struct space_layout at; /* its values; those of the plan where an axis is not free */
    bool keeps_dp; /* a given dp says how many GPUs there are: each layout has what it leaves of it */
    double layers, heads, experts, batch, sequence, world, domain, gpus_per_node, models_fsdp, needs_sp;
    int part, parts;
    long outer; /* combinations of the axes outside the pipeline so far: parts are dealt by them */
    struct space_cuts { /* by time, with the axes up to sp set */
        bool is_timed;
        int count;
        struct balance_times times;
        struct pipeline_layout cut[SPACE_CUTS_MAX];
    } cuts;
    enum search_axis changed; /* the outermost axis along which the last two layouts differ */
    int depth;
    struct space_level {
        int count, next;
        int value[SPACE_VALUES_MAX];
    } level[SEARCH_AXES];
};

/**
 * Begins a walk over part `part` of `parts` of the layouts; `ask` must stay. False when the plan lacks a number that
 * the axes need: the model's sizes, the batch, the GPUs.
 */
bool space_begin(struct space *space, const struct space_ask *ask, int part, int parts);

/**
 * Goes to the next layout; false after the last. Every layout comes once, in canonical form; whether it is valid is for
 * the rules to say, divisibility has been looked at.
 */
bool space_next(struct space *space);

/**
 * Passes over the layouts that share all axes up to `axis` with the current one and come after it, without setting
 * their keys; returns how many they are.
 */
long space_skip(struct space *space, enum search_axis axis);

/**
 * Sets the pipeline layout of `plan`, made from the current layout, if that is to be balanced by time. `plan` may be
 * resolved.
 */
void space_balance(struct space *space, struct plan *plan);

/**
 * The largest value of an axis that a search tries where larger ones would divide the GPUs too; 0 where none would, and
 * where the values of the axis are given: tp within two NVLink domains, pp up to 256 stages.
 */
int space_bound(const struct space_ask *ask, enum search_axis axis);

/** The plan of a layout, blanks allowed. */
void space_plan(const struct space_ask *ask, const struct space_layout *layout, struct plan *out);

/**
 * How complicated a layout is to run: one for each kind of parallelism and each setting that somebody has to get right.
 */
int space_complexity(const struct plan *resolved);
