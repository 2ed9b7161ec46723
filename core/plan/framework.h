/* core/plan/framework.h - training frameworks: what each does and ships with, as rows of core/plan/framework.def. */
#pragma once

#include "core/plan/key.h"

enum { FRAMEWORK_DEFAULTS_MAX = 16 };

/** The frameworks and their dated versions: FRAMEWORK_NANOTRON and so on, in the order of core/plan/framework.def. */
enum framework_id {
#define FRAMEWORK(id, ...) FRAMEWORK_##id,
#define VERSION(id, ...) FRAMEWORK_##id,
#include "core/plan/framework.def"
    FRAMEWORK_COUNT
};

/** How layers go to pipeline stages where a plan does not say. */
enum framework_split {
    SPLIT_EVENLY,     /* as many each; what does not divide is refused */
    SPLIT_FIRST_MORE, /* the first stages take one more where they do not divide */
    SPLIT_NEXT_MORE,  /* the first stage takes the least, those after it one more where they do not divide */
    SPLIT_BY_COST     /* by the running cost of the blocks */
};

/** One framework, or a dated version of one. */
struct framework {
    const char *name;        /* as `framework.name` spells it */
    const char *date;        /* year and month of what the model follows */
    const char *version;     /* the release or commit that the model follows */
    const char *summary;     /* what it is, one line */
    enum framework_split split;
    enum framework_id of;    /* whose row says what this one does not; itself where it is no version */
    struct {
        enum param param;
        double value;
    } fallback[FRAMEWORK_DEFAULTS_MAX]; /* what a blank becomes; ends with param PARAM_COUNT */
};

/** The frameworks, indexed by enum framework_id. */
extern const struct framework frameworks[FRAMEWORK_COUNT];

/** What `param` defaults to under a framework; NAN when the framework says nothing about it. */
double framework_default(enum framework_id framework, enum param param);

/**
 * The dated row that a release follows, `text` as in "transformers 4.45.2, peft 0.13" or "transformers==4.45.2": of the
 * versions of `framework` that end in a release, the oldest that is no older. Or that a month follows, as in "2025-06":
 * of the versions younger than the framework's own row the youngest that is no younger. `framework` itself when there
 * is none or `text` names neither.
 */
enum framework_id framework_dated(enum framework_id framework, const char *text);

/** A behaviour's cell: its formula and where that stands. */
struct framework_cell {
    const char *text, *source;
    const struct framework *row; /* whose cell it is; NULL: the column's own */
};

/**
 * The cell of a behaviour in a framework's row, in that of `of`, or the column's own; text NULL when there is no such
 * behaviour.
 */
struct framework_cell framework_cell(enum framework_id framework, const char *behaviour);
