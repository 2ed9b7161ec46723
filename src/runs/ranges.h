/* src/runs/ranges.h - how far estimates of time are off, learnt from measured runs, and what ranges made of it hold. */
#pragma once

#include "core/estimate/range.h"
#include "src/runs/runs.h"

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct json;
struct page;

/** A run whose time is measured and estimated. */
struct ranges_run {
    int source, stack;           /* place among the sources; enum framework_id without its dated versions */
    bool is_core;                /* has the tag */
    bool is_amd;
    char gpu[GPU_NAME_MAX];
    double compute_capability;
    double q;                    /* ln(measured/estimated) */
    double weight;               /* runs of a large source say less each: its square root shared out */
    struct time_range compiled;  /* with the program's own table */
    double share[RANGE_COUNT];   /* of it, with the distances from other sources */
    double sigma;                /* these as if its own source had never been seen */
    enum range_level level;
    struct interval ends;        /* logarithms over the estimate */
};

/** What ranges hold. */
struct ranges_cover {
    int rows, core_rows, sources;
    double inside, inside_sources; /* share of the runs; mean over sources, each counted once */
    double error, bias;            /* mean of estimated/measured - 1, absolute and signed */
    double width, core_width;      /* mean ln(high/low); of runs tagged core */
};

enum { RANGES_RUNS_MAX = 20000 };

/** Runs and what follows from them; zero-initialise, release with ranges_free(). */
struct ranges {
    struct ranges_run *item;
    size_t count, capacity; /* of runs: at most RANGES_RUNS_MAX, later ones are left out */
    char **source;
    int sources;
    double sigma[RANGE_COUNT]; /* fitted to all; of rows that no run has, the prior */
    int rows[RANGE_COUNT];     /* runs of which the part is 1 % or more */
    int in_sources[RANGE_COUNT];
    struct interval ends[LEVEL_COUNT]; /* in standard deviations, from runs of sources left out */
};

/**
 * Takes a run whose time is measured and estimated, unless it is tagged not-modelled. Its source is its group up to a
 * slash, else its first tag.
 */
void ranges_take(struct ranges *ranges, const struct run *run, const struct estimate *estimate);

/**
 * Fits the standard deviation of every row of range.def to the runs (Student's t with 4 degrees of freedom, a prior on
 * each), and without each source in turn, whose stack and GPU then count as seen only if another source has them; sets
 * all that follows. Seconds for 600 runs.
 */
void ranges_fit(struct ranges *ranges);

/** What ranges hold of all runs, or of one level (enum range_level; LEVEL_COUNT for all). */
void ranges_cover(const struct ranges *ranges, int level, bool is_left_out, struct ranges_cover *out);

/** The same of one source; -1 for all, without the mean over sources. */
void ranges_cover_source(const struct ranges *ranges, int source, int level, bool is_left_out,
                         struct ranges_cover *out);

/** Appends coverage by source, worst first, the parts, and the lines of core/estimate/sigma.def. */
void ranges_print(struct page *page, const struct ranges *ranges);

/** Adds the same as the member `ranges`. */
void ranges_json(struct json *json, const struct ranges *ranges);

/** Appends the parts as a table: CSV or Markdown. */
void ranges_table(struct buffer *out, const struct ranges *ranges, bool is_csv);

void ranges_free(struct ranges *ranges);
