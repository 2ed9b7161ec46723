/* src/report/data.h - what a report says beyond the members of struct estimate; shared by text, JSON and tables. */
#pragma once

#include "core/estimate/comm.h"
#include "core/estimate/op.h"
#include "core/estimate/stage.h"
#include "core/plan/key.h"

#include <stdbool.h>
#include <stddef.h>

struct estimate;
struct interval;
struct json;
struct report_options;

enum {
    REPORT_PATH_MAX = 96,           /* bytes of an operator's path */
    REPORT_RANKS_MAX = 4096, /* up to which all ranks are listed without --full */
};

/** True when JSON and tables list every rank: where they are few, or with --full. */
bool report_lists_ranks(const struct estimate *estimate, const struct report_options *options);

/** Path of an operator in results: `decoder/layer/` before those of a layer. */
void report_layer_path(enum op_id id, char out[REPORT_PATH_MAX]);

/**
 * Goes through the communication rows of an estimate in the order of explain_comm_row(); zero all but `estimate` to
 * start.
 */
struct comm_walk {
    const struct estimate *estimate;
    int stage; /* of the present row */
    int seen;  /* rows of the stage that were passed, the present one included */
    enum comm_id id;
    struct comm comm[COMM_COUNT];
};

/** Moves to the next row; false past the end. The row is then `walk->comm[walk->id]` of `walk->stage`. */
bool comm_walk_next(struct comm_walk *walk);

/** Collectives (or messages) of a row in the whole cluster and one iteration. */
double report_comm_calls(const struct estimate *estimate, const struct comm *row, enum comm_id id);

/** A stage with whole bytes: parts rounded, sums taken over the rounded parts, so that they add up when printed. */
void report_stage_rounded(const struct estimate *estimate, int stage, struct stage *out);

/** What is left on the fullest GPU, in whole bytes as the line of its stage has it; NAN where it is not known. */
double report_headroom(const struct estimate *estimate);

/** True when all numbers of two stages are equal (their number and place apart). */
bool report_stages_equal(const struct estimate *estimate, int one, int other);

/** One member: the value of a plan's key, null when it is blank. */
void json_value(struct json *json, const char *name, const struct plan *plan, enum param id);

/**
 * Members `changes`, the keys to set that lead from one resolved plan to another, and `follows`, those that then differ
 * too.
 */
void json_changes(struct json *json, const struct plan *a, const struct plan *b);

/** One member: an 80 % range. */
void json_ends(struct json *json, const char *name, const struct interval *ends, bool is_unseen);

/** A quantity of the iteration by its name in core/estimate/timing.def; NAN when it is not known. */
double report_step(const struct estimate *estimate, const char *name);
