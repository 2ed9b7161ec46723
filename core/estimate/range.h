/* core/estimate/range.h - how far an estimate may be off, and what that says about fitting; apart from the estimate. */
#pragma once

#include "core/estimate/estimate.h"
#include "core/estimate/term.h"
#include "core/plan/key.h"

/** Whether a plan fits the memory: with what probability, in a word. */
enum verdict { VERDICT_FITS, VERDICT_TIGHT, VERDICT_NO, VERDICT_UNKNOWN, VERDICT_COUNT };

extern const char *const verdict_names[VERDICT_COUNT];

/** The ends of an 80 % range; NAN where it is not known. */
struct interval {
    double low, high;
};

/** Memory of one stage: every quantity of core/estimate/range.def. */
struct memory_range {
#define GIVEN(name, ...) double name;
#define TERM(name, ...) double name;
#include "core/estimate/range.def"
};

/** The rows of core/estimate/range.def, over struct memory_range. */
extern const struct term memory_range_terms[];
extern const size_t memory_range_term_count;

/** The 80 % range of the device memory of a stage; all NAN where the stage's memory is not known, and when serving. */
void range_memory(const struct estimate *estimate, int stage, struct memory_range *out);

/** The standard deviations that the headroom of a stage is wide, whose plan and sheet are given. */
double range_stage_deviations(const struct plan *resolved, const struct symbols *symbols, const struct stage *stage);

/**
 * The 80 % range of what a stage allocates (`depth` 1), reserves (2) or needs on the device (3); NAN where not known.
 */
struct interval range_memory_ends(const struct estimate *estimate, int stage, int depth);

/**
 * The probability that the plan fits: the least over the stages, which share their errors; 0 when what is offloaded
 * does not fit the host. NAN when the plan is invalid, not modelled, or serves.
 */
double range_fit_probability(const struct estimate *estimate);

/** `fits` from a probability of 0.9, `no` up to 0.1, else `tight`; of a plan that serves, the estimate's yes or no. */
enum verdict range_verdict(const struct estimate *estimate);

/**
 * True where a plan may fit for samples shorter than the longest one: without what their tokens take it would. Answers
 * are shorter in updates without padding, samples where a batch is padded to its own longest.
 */
bool range_hangs_on_length(const struct estimate *estimate);

/** The same with `fits` from the probability `sure` on. */
enum verdict range_verdict_at(const struct estimate *estimate, double sure);

/** Whether that verdict is unknown because this key was assumed. */
bool range_hangs_on(const struct estimate *estimate, enum param key, double sure);

/** What the iteration is made of, and what else may make it longer: RANGE_PRODUCTS and so on; extras come last. */
enum range_part {
#define RANGE(id, ...) RANGE_##id,
#define EXTRA(id, ...) RANGE_##id,
#include "core/estimate/range.def"
    RANGE_COUNT
};

enum { RANGE_PARTS = RANGE_ROW }; /* of them with a share of the iteration; from here on extras */

/** How near measured runs are: the LEVEL rows of core/estimate/range.def, the nearest first. */
enum range_level {
#define LEVEL(id, ...) LEVEL_##id,
#include "core/estimate/range.def"
    LEVEL_COUNT
};

/** Their words, and the ends of an 80 % range in standard deviations. */
extern const struct range_level_row {
    const char *id, *word;
    double pair, noise, memory;
    double fast, slow;
} range_levels[LEVEL_COUNT];

/** The RANGE and EXTRA rows of core/estimate/range.def. */
extern const struct range_row {
    const char *id, *label;
    const char *why, *remedy; /* of an EXTRA: in a word or two; what would remove it, "" where nothing would */
    enum range_level level;   /* of a range that has it */
    double least;             /* share above which it has */
    int param;                /* enum param: key of the finding about it */
} range_rows[RANGE_COUNT];

/** Standard deviation of ln(measured/estimated) of each: core/estimate/sigma.def. */
extern const double range_sigmas[RANGE_COUNT];

/** The level of shares, and in `why` the largest distance of that level; NULL where all are near. */
enum range_level range_level_of(const double share[RANGE_COUNT], const struct range_row **why);

/** The first key that the time rests on and that was assumed, PARAM_COUNT for none; the GPU is another question. */
enum param range_assumed(const struct plan *plan);

/** Why a plan is far from all measured runs, or NULL. */
const struct range_row *range_far(const struct estimate *estimate);

/** Rate of large 16-bit products on the fastest machine known with the GPU over the assumed one; NAN where unknown. */
double range_fastest(const struct estimate *estimate);

/** How far an iteration may be off. */
struct time_range {
    double share[RANGE_COUNT]; /* d ln(iteration)/d ln(part); of extras how far: 0 or 1, or between */
    double sigma;              /* of ln(measured/estimated); NAN where the time is not known or was measured */
    enum range_level level;    /* how near measured runs are */
    /* the largest distance from them; at level near, that of a borrowed GPU, or NULL */
    const struct range_row *why;
    char borrowed_from[GPU_NAME_MAX]; /* the GPU whose efficiencies are taken; "" where none or not named */
    int calibrated_runs;       /* of this cluster and stack that the efficiencies were fitted to */
    double faster;             /* logarithm of estimate over time on the fastest machine known with these GPUs */
    bool is_near_full;         /* weights are gathered on a card so full that the allocator may have to try again */
    struct interval factor;    /* the 80 % range over the estimate; NAN as sigma */
};

/** The ends of the range of the iteration: the GIVEN_TIME and TERM_TIME rows of core/estimate/range.def. */
struct time_ends {
#define GIVEN_TIME(name, ...) double name;
#define TERM_TIME(name, ...) double name;
#include "core/estimate/range.def"
};

/** Those rows, over struct time_ends. */
extern const struct term time_ends_terms[];
extern const size_t time_ends_term_count;

/** The range of the iteration, opened; NAN where range_time() has none. */
void range_ends(const struct estimate *estimate, const struct time_range *range, struct time_ends *out);

enum { RANGE_LABEL_MAX = 64, RANGE_WHY_MAX = 64 };

/** What a part or a distance is called, with the GPU that efficiencies are borrowed from. */
void range_label(const struct time_range *range, enum range_part part, char out[RANGE_LABEL_MAX]);

/** Why a range is wide, or that it was calibrated, in a few words; "" where measured runs are near. */
void range_why(const struct time_range *range, char out[RANGE_WHY_MAX]);

/** How many times as wide the range is for one distance. */
double range_widens(const struct time_range *range, enum range_part part);

/** One reason why a range is as wide as it is. */
struct range_reason {
    char label[RANGE_LABEL_MAX];
    const char *remedy; /* what would remove it, "" or NULL where nothing would */
    double sigma;     /* standard deviation that it alone makes */
    double share;     /* of the iteration; NAN where it is no part of the time */
    double low, high; /* where it alone puts the ends: a change of the value, -0.02 and 0.03 */
    double weight;    /* share of the whole variance */
    double widens;    /* how many times as wide the range is for it */
};

/** The reasons that make up nine tenths of a time's variance, the largest first; returns how many. */
int range_reasons(const struct time_range *range, struct range_reason out[RANGE_COUNT]);

enum { MEMORY_REASONS = 4, MEMORY_DEPTHS = 3 /* allocated, reserved, of the device */ };

/** The same for what a stage allocates (`depth` 1), reserves (2) or needs on the device (3): all that there are. */
int range_memory_reasons(const struct estimate *estimate, int stage, int depth,
                         struct range_reason out[MEMORY_REASONS]);

/** The range of the iteration: about nine times the work of timing its stages. Tokens per second divide by `factor`. */
void range_time(const struct estimate *estimate, struct time_range *out);

/** The same part by part, from 0 on; true while there are more. */
bool range_time_step(const struct estimate *estimate, int part, struct time_range *out);

/** The range of a value that follows the time (`power` 1) or its inverse (-1); NAN for others. */
struct interval range_of(const struct time_range *range, double value, int power);

/**
 * The probability that plan A is faster than B, whose estimate is exp(`log_ratio`) times as long (per token and GPU
 * where batches differ): parts in which both share an error say nothing. Kept within 0.05 and 0.95.
 */
double range_faster(const struct time_range *a, const struct time_range *b, const double sigma[RANGE_COUNT],
                    double log_ratio);
