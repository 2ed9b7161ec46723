/*
 * core/estimate/varies.h - which symbols and rows follow from the keys in which layouts of one shape differ, so that a
 * search works out the others once. The marks are what the texts of the rows say: core/mark.c reads them while
 * the program is built, and writes marks.h.
 *
 *   SHARDED     follows from parallel.zero_stage and parallel.fsdp
 *   RECOMPUTED  follows from train.recompute and train.recompute_num_layers
 *   ALIVE       follows from what a stage has alive at its peak
 *   FLOOR       of stages: part of stage_floor(), or read by what is
 *   PIPELINED   of symbols and rules: follows from the pipeline, which is parallel.pp, vpp and schedule and how layers
 *               are split, and with them parallel.dp
 *   DIVIDED     of symbols: follows from how the model and the batch are divided over ranks, which is what
 *               symbols_unparallel_plan() sets
 */
#pragma once

#include "core/estimate/marks.h"

/** What may have changed since a sheet was worked out, as bits; VARIES_ALL: everything. */
enum varies {
    VARIES_SHARDED = 1, VARIES_RECOMPUTED = 2, VARIES_ALIVE = 4, VARIES_PIPELINED = 16, VARIES_DIVIDED = 32,
    VARIES_ALL = 63
};

/** The bits of a symbol, a rule or a stage's row; it is worked out where it has one of those that changed. */
#define VARIES(name)                                                                                                   \
    (MARK_OF_(SHARDED_##name) | MARK_OF_(RECOMPUTED_##name) << 1 | MARK_OF_(ALIVE_##name) << 2 |                       \
     MARK_OF_(PIPELINED_##name) << 4 | MARK_OF_(DIVIDED_##name) << 5 | 8)

/** Whether a stage's row is part of stage_floor(). */
#define IS_OF_FLOOR(name) MARK_OF_(FLOOR_##name)

/* 1 where the name of a mark is defined, as `~, 1`; else 0. */
#define MARK_OF_(...)           MARK_SECOND_(__VA_ARGS__, 0, 0)
#define MARK_SECOND_(a, b, ...) b

/** Plan keys that follow from the two of sharding, as KEY_(group, key), and those two; see plan_resolve_states(). */
#define SHARDED_KEYS(KEY_)                                                                                             \
    KEY_(parallel, zero_stage)                                                                                        \
    KEY_(parallel, fsdp)                                                                                              \
    KEY_(train, grad_dtype)                                                                                           \
    KEY_(framework, accumulate_grad_fp32)                                                                             \
    KEY_(train, quant_storage)
