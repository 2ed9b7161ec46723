/* src/runs/ranking.h - how well estimates put the layouts of a published study in order. */
#pragma once

#include "src/runs/runs.h"
#include "src/runs/stats.h"

/** One layout of a study; runs of the same layout are one, at their mean. */
struct ranking_row {
    char *id;        /* of the first of them */
    int runs;
    size_t place;    /* among all that were taken */
    struct plan plan; /* as it was given */
    char *study;     /* "" where none was named */
    bool has_failed;               /* ran out of memory: no time was measured */
    bool is_said_to_fit;           /* by the estimate */
    double measured_s, estimated_s; /* seconds of an iteration; measured is NAN when it failed */
    double measured_cost, cost;    /* seconds of one GPU for a token: what is compared */
    int rank_measured, rank_estimated; /* 1 is the best; 0 for none */
    char *key;                     /* equal for rows of one study */
};

/** Layouts of one model on the same GPUs from one source. */
struct ranking_study {
    char *name; /* of the column `study`, else what the rows have in common */
    struct ranking_row *row; /* by measured rank, failed ones last */
    int rows, layouts;       /* all; of them timed */
    struct order_stats stats;
    bool is_counted;  /* has three layouts and three pairs: enough to say something */
    bool has_failed;  /* the layout that the estimate would choose ran out of memory; its regret counts as 1 */
    const struct ranking_row *chosen, *best;
    /* the simplest within the loss that searches accept for one, and how much slower than the best it ran */
    const struct ranking_row *taken;
    double take_regret;
};

/** All studies; zero-initialise, release with ranking_free(). */
struct ranking {
    struct ranking_row *row;
    size_t rows, capacity;
    struct ranking_study *study; /* counted ones first */
    size_t studies, counted;
    /* over the studies that are counted; NAN without any */
    double pairs, tau_mean, tau_pooled, regret_mean, regret_max;
    double take_regret_mean, take_regret_max;
    double top3;      /* share of the studies whose best layout is among our first three */
    double within_sd; /* standard deviation of ln(measured/estimated) about its study's mean */
};

/** Takes a run whose speed is measured and estimated, or that ran out of memory. */
void ranking_take(struct ranking *ranking, const struct run *run, const struct estimate *estimate);

/** Puts what was taken into studies and sums them up. */
void ranking_finish(struct ranking *ranking);

void ranking_free(struct ranking *ranking);
