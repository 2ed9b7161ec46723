/* core/estimate/rank.h - which rank sits where: coordinates, groups and nodes, by arithmetic alone. */
#pragma once

#include <stdbool.h>

struct symbols;
struct plan;

/** The axes along which ranks form groups. */
enum rank_axis { AXIS_TP, AXIS_CP, AXIS_DP, AXIS_PP, AXIS_EP, AXIS_EDP, AXIS_ETP, AXIS_COUNT };

extern const char *const rank_axis_names[AXIS_COUNT];

enum { GRID_RANKS_MAX = 1 << 20 }; /* no grid is larger */

/** Sizes of the rank grid. The dense axes and the expert axes are two readings of the same rank list. */
struct rank_grid {
    int world, gpus_per_node, domain; /* domain: GPUs that share a scale-up link */
    int size[AXIS_COUNT];
    int stride[AXIS_COUNT]; /* distance in ranks between neighbours along the axis */
    int domain_stages;      /* neighbouring stages that share a domain */
    bool pp_inside_dp;      /* order tp-cp-ep-pp-dp */
};

/** Position of one rank. */
struct rank_place {
    int rank, node, gpu;
    int at[AXIS_COUNT]; /* coordinate along each axis */
};

/**
 * The grid of a resolved plan: leftmost axis of `parallel.order` fastest.
 * Source: Megatron-LM core parallel_state.py (RankGenerator), orders tp-cp-ep-dp-pp and tp-cp-ep-pp-dp.
 */
void rank_grid_of(const struct plan *resolved, struct rank_grid *grid);

/** Where `rank` sits; coordinates along every axis. */
void rank_place_of(const struct rank_grid *grid, int rank, struct rank_place *place);

/** How many groups the axis has. */
int rank_group_count(const struct rank_grid *grid, enum rank_axis axis);

/** The first rank of group number `index`, in ascending order of first ranks; members follow `stride` apart. */
int rank_group_first(const struct rank_grid *grid, enum rank_axis axis, int index);

/** The first rank of the group that `rank` belongs to. */
int rank_group_of(const struct rank_grid *grid, enum rank_axis axis, int rank);

/**
 * True when some group of `size` ranks `stride` apart has members in different scale-up domains. Groups fill aligned
 * blocks of size x stride ranks; in domains of several nodes blocks are placed whole.
 */
bool rank_group_crosses(const struct rank_grid *grid, int size, int stride);

/** The scale-up domain that the first rank of a pipeline stage sits in, counted from 0; its neighbour may share it. */
int rank_stage_domain(const struct rank_grid *grid, int stage);

/** True when some group along the axis has members in different scale-up domains. */
bool rank_axis_crosses(const struct rank_grid *grid, enum rank_axis axis);

/** `size` x `stride`, at most GRID_RANKS_MAX: hostile degrees don't overflow. */
int rank_span(int size, int stride);

/** Scale-up domains that a group of `size` ranks `stride` apart touches, when it starts at a domain's first rank. */
int rank_domains(const struct rank_grid *grid, int size, int stride);

/** The pipeline stage of a rank. */
int rank_stage(const struct rank_grid *grid, int rank);
