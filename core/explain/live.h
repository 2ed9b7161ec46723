/*
 * core/explain/live.h - what of a formula counts in this plan: dead terms folded away, values with their units, its
 * basis.
 */
#pragma once

#include "core/explain/explain.h"
#include "core/plan/key.h"

enum { LIVE_TEXT_MAX = 480 };

/** A formula without what does not count. */
struct live {
    char names[LIVE_TEXT_MAX];  /* "O x owned" */
    char values[LIVE_TEXT_MAX]; /* "12 bytes x 1.136B elements = 12.69 GiB" */
    double value;               /* of what is printed: that of the explanation */
    bool is_single;             /* one name and nothing else: `names` is it */
    uint32_t counted;           /* inputs that it hangs on, by bit: factors that are 1 now as well */
};

/**
 * Folds sums with 0, products with 0 and 1, branches not taken, arguments of min and max that lose, and comparisons.
 * `is_decimal`: bytes are written in GB, not GiB. Returns 0; or -1 where the formula is words, is too long or has
 * something else in it.
 */
int live_write(const struct explanation *explanation, bool is_decimal, struct live *out);

/** True when the folded formula still has this input. */
bool live_has(const struct live *live, const struct explain_input *input);

/**
 * The weakest basis of all that counts in a figure: exact where everything is counted and no constant below it was
 * fitted. Walks down to the plan's keys, which takes up to some milliseconds.
 */
enum basis explain_basis(const struct estimate *estimate, const struct explanation *explanation);

/**
 * The plan's keys at the bottom of a figure, the nearest first; dead terms do not count. Returns how many; `is_whole`
 * is false where more values stand below than are followed. Takes up to some milliseconds.
 */
int explain_keys(const struct estimate *estimate, const char *path, enum param keys[PARAM_COUNT], bool *is_whole);

/**
 * Whether an equation of the fullest stage's memory or of the iteration names a key in this plan; choices may change
 * both and be named by none. Takes as long as explain_keys() twice.
 */
void explain_uses(const struct estimate *estimate, enum param id, bool *in_memory, bool *in_time);

/** Opens a key of the plan: its value and origin, what depends on it; `source` is what there is to know of it. */
void explain_key(const struct estimate *estimate, enum param id, struct explanation *out);

/**
 * Writes a value with its unit to four digits: 268.3 MiB (281.3 MB of `is_decimal`), 297.2 ms, 1.136B elements, 44.68 %
 * of a share.
 */
void live_value(double value, const char *unit, bool is_decimal, char *out, size_t size);
