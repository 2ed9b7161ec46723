/* core/plan/param.h - the parameter table: one row for each plan key, read by files, command line, help, panes and tests. */
#ifndef SHARDTOP_CORE_PLAN_PARAM_H
#define SHARDTOP_CORE_PLAN_PARAM_H

#include "core/plan/number.h"
#include "core/plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

enum param_group { GROUP_model, GROUP_parallel, GROUP_train, GROUP_framework, GROUP_hardware, GROUP_serve, GROUP_plan, GROUP_COUNT };

enum param_type {
    TYPE_INT,    /* a whole number */
    TYPE_REAL,   /* a number */
    TYPE_BOOL,   /* true or false */
    TYPE_ENUM,   /* one of `choices` */
    TYPE_SET,    /* any of `choices`, as a bit mask */
    TYPE_NAME,   /* a text of plan.text */
    TYPE_LAYOUT, /* plan.layout */
};

/** How `+` and `-` find the next value. */
enum param_step {
    STEP_FIXED,  /* typed only */
    STEP_UNIT,   /* the next whole number that works */
    STEP_DOUBLE, /* times or divided by two */
    STEP_GRAIN,  /* 1/16 of the power of two below, so that widths stay round */
    STEP_SHARE,  /* 0.05 */
    STEP_BATCH,  /* the next multiple of dp x micro_batch_size */
    STEP_CHOICE, /* the next choice */
    STEP_NAMES,  /* the next name of a list outside the core */
};

/** One plan key. */
struct param_row {
    const char *group, *key; /* "parallel", "tp" */
    const char *dotted;      /* "parallel.tp"; top-level keys have no group: "workload" */
    enum param_group group_id;
    enum param_type type;
    double min, max, fallback; /* fallback NAN: derived or unknown */
    enum param_step step;
    enum suffix suffix;
    const char *unit;
    const char *const *choices; /* NULL-terminated, or NULL */
    const char *help, *more;    /* one line; a sentence or two, or "" */
    const char *aliases;        /* other names, "a|b": what people say and what other programs call it; "" for none */
};

struct nearest;

extern const struct param_row param_rows[PARAM_COUNT];
extern const char *const param_group_names[GROUP_COUNT];
extern const char *const origin_names[ORIGIN_COUNT];

enum { PARAM_TEXT_MAX = 4096, PARAM_WHY_MAX = 240 };

/** The key with this dotted name, or with this last part where that is unique; -1 when there is none or several. */
int param_find(const char *name);

/** As param_find(), or the key of which this is another name (`gbs`, `layers`): for what people type, not for files. */
int param_find_alias(const char *name);

/** Offers every key by its name, and by its other names when no name is near. */
void param_nearest(struct nearest *nearest);

/**
 * Reads `text` into key `id` of `plan` with origin `from`. Expressions may name other numeric keys; `+2`, `-2`, `x2`
 * and `/2` change the present value when `relative` is true. Returns 0; or -1 with what is wrong and what to do in
 * `why` (PARAM_WHY_MAX bytes), `plan` unchanged. An empty text or `auto` makes the key blank again.
 */
int param_parse(struct plan *plan, enum param id, const char *text, enum origin from, bool relative, char *why);

/** Writes the value as a file would hold it ("" when blank) into `out`; returns its length. */
int param_print(const struct plan *plan, enum param id, char *out, size_t size);

/** The slot of a TYPE_NAME key in plan.text. */
enum plan_text param_text_slot(enum param id);

/** True when the key is blank (nobody gave it, nothing derived it). */
bool param_blank(const struct plan *plan, enum param id);

/**
 * Makes the key the next (`direction` > 0) or previous value that raises no error. Returns 0, or -1 with `plan`
 * unchanged when there is none. STEP_NAMES and STEP_FIXED keys return -1.
 */
int param_step(struct plan *plan, enum param id, int direction);

/**
 * Values of an integer, boolean or enumerated key that raise no error in this plan, ascending, at most `max`.
 * Returns how many were written to `out`.
 */
int param_valid(const struct plan *plan, enum param id, double out[], int max);

#endif
