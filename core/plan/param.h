/*
 * core/plan/param.h - the parameter table: one row for each plan key, read by files, command line, help, panes and
 * tests.
 */
#pragma once

#include "core/plan/number.h"
#include "core/plan/key.h"

#include <stdbool.h>
#include <stddef.h>

enum param_group {
    GROUP_model, GROUP_parallel, GROUP_train, GROUP_framework, GROUP_hardware, GROUP_serve, GROUP_rl, GROUP_plan,
    GROUP_COUNT
};

enum param_type_id {
    TYPE_INT,    /* a whole number */
    TYPE_REAL,   /* a number */
    TYPE_BOOL,   /* true or false */
    TYPE_ENUM,   /* one of `choices` */
    TYPE_SET,    /* any of `choices`, as a bit mask */
    TYPE_FROZEN, /* parts of the model: core/plan/frozen.h */
    TYPE_NAME,   /* a text of plan.text */
    TYPE_LAYOUT, /* plan.layout */
    TYPE_PATTERN, /* plan.pattern */
};

/** What a value is in JSON. */
enum param_json { PARAM_JSON_NUMBER, PARAM_JSON_BOOL, PARAM_JSON_TEXT, PARAM_JSON_SET, PARAM_JSON_LAYOUT };

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
    enum param_type_id type;
    double min, max, fallback; /* fallback NAN: derived or unknown */
    enum param_step step;
    enum suffix suffix;
    const char *unit;
    const char *const *choices; /* NULL-terminated, or NULL */
    const char *help, *more;    /* one line; a sentence or two, or "" */
    const char *aliases;        /* other names, "a|b": what people say and what other programs call it; "" for none */
};

struct nearest;

/** What all keys of one type have in common: how a value is read, written, compared, copied and stepped. */
struct param_type {
    const char *name;     /* "integer" */
    const char *if_blank; /* shown in place of a value: "?", "-", "auto" */
    bool is_number;       /* the row's range counts */
    bool is_counted;      /* its values can be tried one by one */
    bool takes_auto;      /* `auto` makes the key blank */
    enum param_json json; /* versions, which are numbers here, are texts there */
    bool (*is_blank)(const struct plan *plan, enum param id);
    bool (*equal)(const struct plan *a, const struct plan *b, enum param id);
    /* what stands beside plan.value; may be NULL */
    void (*copy)(struct plan *to, const struct plan *from, enum param id);
    int (*parse)(struct plan *plan, enum param id, const char *text, bool relative, char *why); /* as param_parse() */
    int (*print)(const struct plan *plan, enum param id, char *out, size_t size);               /* as param_print() */
    /* The value after `now` by the row's rule alone, NAN at the end of the range; NULL: typed only. */
    double (*step)(const struct param_row *row, const struct plan *resolved, double now, int direction);
};

/** By enum param_type_id. */
extern const struct param_type param_types[];

extern const struct param_row param_rows[PARAM_COUNT];
extern const char *const param_group_names[GROUP_COUNT];
extern const char *const origin_names[ORIGIN_COUNT];

enum { PARAM_TEXT_MAX = 4096, PARAM_WHY_MAX = 240 };

/** The key with this dotted name, or with this last part where that is unique; -1 when there is none or several. */
int param_find(const char *name);

/** As param_find(), or the key of which this is another name (`gbs`, `layers`): for what people type, not for files. */
int param_find_alias(const char *name);

/** A key's name without its group, unless another key is called the same: as short as it can be typed. */
const char *param_short_name(enum param key);

/** Offers every key by its name, and by its other names when no name is near. */
void param_nearest(struct nearest *nearest);

/**
 * Reads `text` into key `id` of `plan` with origin `from`. Expressions may name other numeric keys; `+2`, `-2`, `x2`
 * and `/2` change the present value when `relative` is true. Returns 0; or -1 with what is wrong and what to do in
 * `why` (PARAM_WHY_MAX bytes), `plan` unchanged. An empty text or `auto` makes the key blank again.
 */
int param_parse(struct plan *plan, enum param id, const char *text, enum origin from, bool relative, char *why);

/**
 * Reads `text` as a number of GPUs: one node of so many, or as many full nodes as that makes, which must be `nodes`
 * where that was given (NAN: it was not). Returns 0; or -1 with the reason in `why` (PARAM_WHY_MAX bytes), `plan`
 * unchanged.
 */
int param_set_gpus(struct plan *plan, const char *text, double nodes, char *why);

/** True for a name of that number, which is no key: `gpus`, `num_gpus`, `world size`. */
bool param_names_gpus(const char *name);

enum { PARAM_NUMBER_MAX = 40 }; /* bytes */

/** Writes a number as people read it as a value of the key: the name of a choice, on/off, or the number. */
void param_number(enum param id, double value, char out[PARAM_NUMBER_MAX]);

/** Writes the value as a file would hold it ("" when blank) into `out`; returns its length. */
int param_print(const struct plan *plan, enum param id, char *out, size_t size);

/** The slot of a TYPE_NAME key in plan.text. */
enum plan_text param_text_slot(enum param id);

/** The type of a key. */
const struct param_type *param_type(enum param id);

/** True when the key is blank (nobody gave it, nothing derived it). */
bool param_blank(const struct plan *plan, enum param id);

/** Gives a key that has a number its value, as the user does (FROM_SET). */
void param_set(struct plan *plan, enum param id, double value);

/** Makes the key blank. */
void param_clear(struct plan *plan, enum param id);

/** Gives the key the value that it has in another plan, blank or not, with origin `origin`. */
void param_copy(struct plan *to, const struct plan *from, enum param id, enum origin origin);

/** True when the key has the same value in both plans, or none in both. */
bool param_equal(const struct plan *a, const struct plan *b, enum param id);
