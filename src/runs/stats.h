/* src/runs/stats.h - statistics of estimation errors, and of how well an estimate orders layouts. */
#pragma once

#include <stdbool.h>

/** Errors of some values; every number is NAN when nothing was estimated. */
struct error_stats {
    int rows;   /* values measured */
    int missed; /* of them not estimated: error NAN */
    double mean_abs, mean, median_abs;
    double p90;   /* of the absolute errors in ascending order, that at floor(0.9 (n - 1)) */
    double worst; /* the error that is largest without its sign */
};

enum { STATS_KEPT_MAX = 16384 };

/** Errors that come one by one, in bounded memory; zero-initialise, release with stats_free(). */
struct error_tally {
    int rows, missed;
    double sum, sum_abs, worst;
    double *kept; /* absolute errors, for median and p90: every one, or every step-th once there are STATS_KEPT_MAX */
    int count, capacity, step;
};

/** Takes an error (estimated / measured - 1, NAN where not estimated); true when it is the worst so far. */
bool stats_add(struct error_tally *tally, double error);

/** Sums up what came; more may follow. */
void stats_sum(const struct error_tally *tally, struct error_stats *out);

void stats_free(struct error_tally *tally);

/** How well estimated costs order layouts of one group. */
struct order_stats {
    int rows;           /* layouts with both costs known */
    double pairs;       /* of layouts whose measured costs differ by more than the gap */
    double agreement;   /* pairs ordered rightly minus pairs ordered wrongly; equal estimates count for neither */
    double tau;         /* Kendall's: agreement / pairs; NAN without pairs */
    double regret; /* measured cost of the layout that the estimate would choose / the best one - 1; NAN without rows */
    int chosen, best;   /* places of these two layouts, -1 without rows */
};

/**
 * Compares the order of `count` layouts by measured and by estimated cost (smaller is better, NAN where not known).
 * Pairs whose measured costs differ by no more than `gap` (a share of the smaller) say nothing and are left out.
 */
void stats_order(const double measured[], const double estimated[], int count, double gap, struct order_stats *out);
