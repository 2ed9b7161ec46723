/* core/estimate/comm.h - communication of one stage: which collective, how often, how large, over which link. */
#pragma once

#include "core/estimate/rank.h"
#include "core/estimate/term.h"

#include <stdbool.h>
#include <stdint.h>

struct symbols;
struct stage;

enum comm_dim { COMM_TP, COMM_CP, COMM_PP, COMM_DP, COMM_EP, COMM_ETP, COMM_EDP, COMM_EMBEDDING, COMM_DIM_COUNT };
enum comm_op { COMM_ALL_REDUCE, COMM_REDUCE_SCATTER, COMM_ALL_GATHER, COMM_ALL_TO_ALL, COMM_SEND_RECV, COMM_OP_COUNT };

extern const char *const comm_dim_names[COMM_DIM_COUNT];
extern const char *const comm_op_names[COMM_OP_COUNT];

enum comm_id {
#define COMM(id, ...) COMM_ID_##id,
#include "core/estimate/comm.def"
#undef COMM
    COMM_COUNT
};

/** The figures of one row on one rank of a stage. */
struct comm {
    double when;          /* 0: nothing is sent, and the other members mean nothing */
    double group_size, groups;
    double count;         /* calls per rank and iteration */
    double message_bytes; /* one call */
    double shape[3];
    double factor;        /* share of the message that a rank sends: ring or pairwise */
    double sent_bytes_per_rank; /* per iteration */
    double cluster_bytes; /* summed over all ranks of the row */
    double call_s;        /* one call */
    double time_s;        /* all calls of an iteration */
    double exposed_s;     /* of it not hidden behind compute */
    bool crosses_nodes;
};

/** The constant part of a row. */
struct comm_row {
    enum comm_dim dim;
    enum comm_op op;
    const char *id, *what, *phase, *source;
    const char *text[8]; /* formulas of when, group_size, groups, count, message_bytes, and of the shape */
};

extern const struct comm_row comm_rows[COMM_COUNT];

/** Members of struct comm that reports show and `explain` opens. */
extern const struct term comm_columns[];
extern const size_t comm_column_count;

/** One call of a row: every quantity of core/estimate/call.def. */
struct call {
#define GIVEN(name, ...) double name;
#define TERM(name, ...) double name;
#include "core/estimate/call.def"
#undef GIVEN
#undef TERM
};

/** The rows of core/estimate/call.def, over struct call. */
extern const struct term call_terms[];
extern const size_t call_term_count;

/** Prices one call of a stage's row of which group_size, message_bytes and crosses_nodes are set. */
void comm_call(const struct symbols *symbols, const struct rank_grid *grid, enum comm_id id, const struct comm *row,
               struct call *out);

enum { CALL_ENTRIES = 512 };

/** Prices of calls by all that one depends on beside the model, the framework and the hardware; zero-initialise. */
struct call_memo {
    struct call_entry {
        double group_size, message_bytes, factor, call_s;
        int kind; /* of call, its stride and whether it crosses domains; 0: nothing there */
    } entry[CALL_ENTRIES];
};

/** All rows of one stage, and which of them are there. */
struct comm_table {
    struct comm row[COMM_COUNT];
    uint64_t held;            /* rows that hold a call, of this stage or another; by bit */
    int count;                /* rows that are there */
    enum comm_id present[COMM_COUNT]; /* their indices, ascending */
    struct call_memo *memo;   /* prices that plans share, or NULL */
    struct comm_place {
        double group_size; /* of the last row of a dimension; 0: none yet */
        bool is_far;       /* whether such groups leave a domain */
        bool has_last;     /* whether `last` is one of it whose price others may take */
        enum comm_id last;
    } place[COMM_DIM_COUNT];
};

/** Forgets what rows held, before their first use; `memo` (may be NULL) keeps prices from plan to plan. */
void comm_clear(struct comm_table *table, struct call_memo *memo);

/**
 * Computes all rows of one stage (volumes and time of a call; exposed_s is left equal to time_s). `out` must be
 * cleared before its first use; when it holds another stage of the same plan, calls of the same size are not priced
 * again.
 */
void comm_evaluate(const struct symbols *symbols, const struct stage *sheet, const struct rank_grid *grid,
                   struct comm_table *out);

/** The same without what no time depends on: when, groups, shapes, sent_bytes_per_rank and cluster_bytes. */
void comm_times(const struct symbols *symbols, const struct stage *sheet, const struct rank_grid *grid,
                struct comm_table *out);

/** Traffic of micro-batches, and that of weights and gradients. */
enum comm_part { COMM_OF_PASSES = 1, COMM_OF_WEIGHTS = 2 };

/** Whether the rows of a dimension are of micro-batches. */
bool comm_is_of_passes(enum comm_dim dim);

/** As comm_times(), of one part of the rows; only they are there afterwards. */
void comm_evaluate_part(const struct symbols *symbols, const struct stage *sheet, const struct rank_grid *grid,
                        enum comm_part part, struct comm_table *out);
