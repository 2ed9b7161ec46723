/* ui/state/result.h - the figures that screens show and compare, one row each. */
#pragma once

#include "core/estimate/range.h"
#include "core/show/figure.h"
#include "ui/term/theme.h"

#include <stdbool.h>

/** One figure of an estimate. */
struct result {
    const char *name;  /* in tables: "iteration" */
    const char *unit;  /* written behind the figure: " tok/s" */
    const char *path;  /* what explain opens */
    enum figure_kind kind;
    int better;        /* 1: more is better, -1: less is, 0: neither */
    int from_width;    /* columns of a screen whose line of figures has it; 0: none has */
    const char *caption; /* below or behind the headline figure: "long|short"; NULL: it is none */
    double (*of)(const struct estimate *estimate);
};

enum { NAMES_WIDTH = 100, EVERY_WIDTH = 1 };

/** The figures of a plan that trains, in the order of the line of figures. */
enum result_id {
    RESULT_PEAK, RESULT_ITERATION, RESULT_MFU, RESULT_BUBBLE, RESULT_EXPOSED, RESULT_TOKENS, RESULT_TOKENS_GPU,
    RESULT_PRICE, RESULT_TFLOPS, RESULT_SPAN, RESULT_COST, RESULT_GPU_HOURS, RESULT_HEADROOM, RESULT_COUNT
};

/** Those of a plan that serves, which stand in the same places: memory first, then time, headroom last. */
enum serving_result_id {
    SERVING_NEEDS, SERVING_FIRST_TOKEN, SERVING_TOKEN, SERVING_TOKENS, SERVING_COST, SERVING_BATCH, SERVING_CACHE,
    SERVING_CONTEXT, SERVING_PREFILL, SERVING_ANSWER, SERVING_STEP, SERVING_ROOM, SERVING_HEADROOM, SERVING_RESULT_COUNT
};

/** The row of a figure: of the one that stands in the same place when the plan serves. */
const struct result *result_row(enum result_id id, const struct estimate *estimate);

/** How much a figure changed; NAN when the two do not mean the same. */
double result_delta(enum result_id id, const struct estimate *before, const struct estimate *after);

/** The value, NAN when the plan's layout has no meaning. */
double result_value(enum result_id id, const struct estimate *estimate);

enum { VERDICT_MAX = 48 }; /* bytes */

/** The verdict in two parts: "FITS" and "28.4 GiB free", "TIGHT" and "fits in 27 of 100 runs". */
struct verdict_text {
    enum verdict verdict;
    char word[16], detail[VERDICT_MAX];
};

/** Says whether an estimate fits. */
struct verdict_text result_verdict_text(const struct estimate *estimate);

/** The look of the pill with a verdict of this look. */
enum role verdict_pill(enum role role);

/** Writes both in one: "FITS 30.7 GiB free", "DOES NOT FIT 2.1 GiB over" or "UNKNOWN memory not known". */
enum verdict result_verdict(const struct estimate *estimate, char out[VERDICT_MAX]);

/** How a verdict is painted. */
enum role verdict_role(enum verdict verdict);

/** True when the iteration's time is one that was measured and given, not an estimate. */
bool result_is_measured(const struct estimate *estimate);

enum {
    RESULT_RANGE_MAX = 48 /* bytes */,
    RESULT_RANGE_WIDTH = 80 /* columns: from here the screen has it */
};

/**
 * True when the line of figures of a screen of this width has this one, if there is room: what it may lack must be
 * known.
 */
bool result_in_line(enum result_id id, const struct estimate *estimate, int width);

/**
 * Writes the 80 % range of the iteration, and in a word or two why it is wide: "67-78 (GPU guessed)"; ""
 * where there is none. Takes up to a millisecond.
 */
void result_range(const struct estimate *estimate, char out[RESULT_RANGE_MAX]);

/** Writes a figure as headlines have it: "43.1 %", with `!` where its estimate is doubted. */
struct figure result_headline(enum result_id id, const struct estimate *estimate);

/** Writes the figure with its unit. */
struct figure result_text(enum result_id id, const struct estimate *estimate);
