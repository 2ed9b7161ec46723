/*
 * core/estimate/pipeline.h - the stages of a pipeline one after the other: what the full and the quick estimate share.
 */
#pragma once

#include "core/estimate/estimate.h"
#include "core/estimate/passes.h"
#include "core/plan/split.h"

/** Collects over stages what the step sheet is given. */
struct pipeline {
    struct step step;
    double exposed_s[COMM_DIM_COUNT]; /* of the binding stage */
    int binding;
};

/**
 * The shape of a resolved plan's schedule. Where none can run, the number of micro-batches is unknown, there and in the
 * symbols, and with it all that depends on it.
 */
void pipeline_schedule(const struct plan *resolved, struct symbols *symbols, struct schedule_shape *out);

/** What one layer of each kind costs on one rank, and what stands beside layers. */
void pipeline_layers(const struct symbols *symbols, struct layer_cost *cost);

/**
 * Whether what is alive at the peak comes from the order of passes, played, and not from a formula of the schedule's
 * row.
 */
bool pipeline_is_played(const struct schedule_shape *schedule);

/** Bytes of the passes of such a schedule's stage, whose sheet is evaluated. */
void pipeline_weigh(const struct plan *resolved, const struct split *split, const struct schedule_shape *schedule,
                    const struct stage *stage, struct pass_weights *out);

/** What is alive where such a stage is fullest. */
void pipeline_fullest(const struct plan *resolved, const struct split *split, const struct schedule_shape *schedule,
                      const struct stage *stage, struct fullest *out);

/** Chunks whose passes a stage runs: with DualPipe its own and the mirrored stage's. */
int pipeline_pass_chunks(const struct schedule_shape *schedule);

/** One chunk of a stage, of which `in_flight` forward passes are alive at the peak. */
void pipeline_chunk(const struct plan *resolved, const struct split *split, const struct schedule_shape *schedule,
                    int stage, int chunk, double in_flight, struct chunk *out);

/** Sets what stage `i` has from the split and the schedule: the layouts that differ in neither have it in common. */
void pipeline_place(const struct plan *resolved, const struct split *split, const struct schedule_shape *schedule,
                    int i, struct stage *out);

/** Evaluates the memory of a stage in its place, and what its passes are given by the layers' costs. */
void pipeline_hold(const struct plan *resolved, const struct symbols *symbols, const struct split *split,
                   const struct schedule_shape *schedule, const struct layer_cost *cost, struct stage *stage,
                   struct pass *pass);

/** The same in steps: what a stage and its passes are given by the layers' costs; */
void pipeline_give_layers(const struct split *split, const struct schedule_shape *schedule,
                          const struct layer_cost *cost, struct stage *stage);
void pipeline_give_pass(const struct layer_cost *cost, struct pass *pass);

/** where the order of passes is played, one micro-batch alive, whose bytes pipeline_weigh() tells; */
void pipeline_give_one(const struct schedule_shape *schedule, struct stage *stage);

/** then what is alive where the stage is fullest, of which stage_alive() makes its memory. */
void pipeline_give_alive(const struct plan *resolved, const struct split *split, const struct schedule_shape *schedule,
                         const struct fullest *fullest, struct stage *stage);

/**
 * Whether of stages that hold the same layers the one whose passes have most alive needs the most memory, on the host
 * too.
 */
bool pipeline_height_decides(const struct symbols *symbols);

/**
 * Times one stage that was evaluated; `exposed_s` receives its traffic, `comm` is kept from stage to stage. The
 * FOLD_PASS members of `pass` are set. `slower` (may be NULL) says how many times as long as estimated the traffic of
 * each dimension takes.
 */
void pipeline_time(const struct symbols *symbols, const struct stage *stage, const struct rank_grid *grid,
                   const double *slower, struct comm_table *comm, struct pass *pass, double exposed_s[COMM_DIM_COUNT]);

/**
 * Of a stage that timing_pass() timed: the traffic of micro-batches, which passes wait for, and then that of weights
 * and gradients.
 */
void pipeline_pass_traffic(const struct symbols *symbols, const struct stage *stage, const struct rank_grid *grid,
                           struct comm_table *comm, struct pass *pass, double exposed_s[COMM_DIM_COUNT]);
void pipeline_exchange(const struct symbols *symbols, const struct stage *stage, const struct rank_grid *grid,
                       struct comm_table *comm, const struct pass *pass, double exposed_s[COMM_DIM_COUNT]);

/** Takes a stage into what was collected, `stages` over. */
void pipeline_add(struct pipeline *all, const struct stage *stage, const struct pass *pass,
                  const double exposed_s[COMM_DIM_COUNT], double stages);

/**
 * Stages that are alike: the same layers in every chunk, the same hops, none at an end. They take the same time. The
 * first of a class holds most unless pipeline_is_played(): what waits for weight gradients differs from stage to stage.
 */
struct pipeline_classes {
    int count;
    short of[STAGES_MAX];                        /* the class of a stage */
    short first[STAGES_MAX], stages[STAGES_MAX]; /* of a class: its first stage, and how many it has */
};

/** Sorts the stages of a split into classes, in the order of their first stages. */
void pipeline_classify(const struct plan *resolved, const struct split *split, const struct schedule_shape *schedule,
                       const struct rank_grid *grid, struct pipeline_classes *out);

/** The sheets of all stages: those of stage i are entry of[i], or entry i where `of` is NULL. */
struct pipeline_sheets {
    const struct stage *stage;
    const struct pass *pass;
    const short *of;
};

/** DualPipe: a GPU runs half of the micro-batches on its own stage and half on the mirrored one. */
void pipeline_pair(const struct pipeline_sheets *sheets, int stages, struct step *step);

/** Seconds of every chunk's passes, in the order of the model. */
struct chunk_times {
    double forward_s[LAYOUT_CHUNKS_MAX], backward_s[LAYOUT_CHUNKS_MAX], wgrad_s[LAYOUT_CHUNKS_MAX];
};

/** The times that a schedule is played with. */
void pipeline_times(const struct schedule_shape *shape, const struct split *split, const struct pipeline_sheets *sheets,
                    struct chunk_times *out);

/** Seconds of the schedule simulated event by event, as simulate(). */
double pipeline_play(const struct schedule_shape *shape, const struct split *split,
                     const struct pipeline_sheets *sheets, void (*each)(void *, const struct sim_event *),
                     void *context);
