/* src/runs/ranges.h - how far estimates of time are off, learnt from measured runs, and what ranges made of it hold. */
#ifndef SHARDTOP_SRC_RUNS_RANGES_H
#define SHARDTOP_SRC_RUNS_RANGES_H

#include "core/estimate/range.h"
#include "src/runs/runs.h"

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct json;
struct page;

/** A run whose time is measured and estimated, and whose settings are trusted. */
struct ranges_run {
    int family;                /* place among the families */
    bool is_core;              /* has the tag */
    double q;                  /* ln(measured/estimated) */
    double weight;             /* runs of a large family say less each: its square root shared out */
    struct time_range compiled; /* with the program's own table */
    double squares[RANGE_COUNT]; /* of the shares */
    double sigma_without;      /* from the other families alone */
};

/** What ranges hold. */
struct ranges_cover {
    int rows;
    double inside, inside_families; /* share of the runs; mean over families, each counted once */
    double width, core_width;       /* mean ln(high/low); of runs tagged core */
};

enum { RANGES_RUNS_MAX = 20000 };

/** Runs and what follows from them; zero-initialise, release with ranges_free(). */
struct ranges {
    struct ranges_run *item;
    size_t count, capacity; /* of runs: at most RANGES_RUNS_MAX, later ones are left out */
    char **family;
    int families;
    double sigma[RANGE_COUNT];   /* fitted to all; of parts that no run has, the prior */
    int rows[RANGE_COUNT];       /* runs of which the part is 1 % or more */
    int in_families[RANGE_COUNT];
    double fast, slow;           /* 10 and 90 % quantiles of q over its sigma, as positive numbers */
    double widening;             /* that ranges without a family's own runs need to hold 80 % of families */
    struct ranges_cover compiled; /* ranges as the program has them */
    /* made for each family from the others, with `fast`, `slow` and `widening` of this table */
    struct ranges_cover without;
};

/**
 * Takes a run whose time is measured and estimated when it is trusted: tagged core, or with none of the tags loose,
 * slow-unexplained, bigscience, nanotron and automodel. Its family is its first tag.
 */
void ranges_take(struct ranges *ranges, const struct run *run, const struct estimate *estimate);

/**
 * Fits the standard deviation of every part of range.def to the runs (Student's t with 4 degrees of freedom, a prior on
 * each part), and with `is_left_out` without each family in turn; sets all that follows. Half a second for 300 runs.
 */
void ranges_fit(struct ranges *ranges, bool is_left_out);

/** Runs of one family inside their range, and their number. */
int ranges_inside(const struct ranges *ranges, int family, bool is_left_out, int *count);

/** Appends the coverage by family, the parts, and the lines of core/estimate/sigma.def. */
void ranges_print(struct page *page, const struct ranges *ranges);

/** Adds the same as the member `ranges`. */
void ranges_json(struct json *json, const struct ranges *ranges);

/** Appends the parts as a table: CSV or Markdown. */
void ranges_table(struct buffer *out, const struct ranges *ranges, bool is_csv);

void ranges_free(struct ranges *ranges);

#endif
