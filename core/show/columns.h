/* core/show/columns.h - what is shown of a communication row and of an operator: one row for each column, in order. */
#pragma once

#include "core/estimate/estimate.h"
#include "core/show/figure.h"

/** What a column of communication holds. */
enum column_content { CONTENT_STAGE, CONTENT_TEXT, CONTENT_YES_NO, CONTENT_SHAPE, CONTENT_NUMBER };

/** A column of the communication rows. */
struct comm_column {
    const char *name;  /* in CSV and JSON; of numbers also the end of their path */
    const char *title; /* in reports; NULL: for programs only */
    enum column_content content;
    const char *(*text)(enum comm_id id); /* of CONTENT_TEXT */
    size_t offset;                        /* of CONTENT_NUMBER, in struct comm */
    enum figure_kind kind;                /* of CONTENT_NUMBER */
    bool is_listed;                       /* among the paths of explain */
};

extern const struct comm_column comm_shown[];
extern const int comm_shown_count;

/** A number of a communication row. */
double comm_number(const struct comm_column *column, const struct comm *row);

/** Name of a row's dimension; "sp" for the tensor-parallel rows of sequence parallelism. */
const char *comm_dim_text(enum comm_id id);

/** Where a row's traffic is, in 17 columns at most: "fwd attn, mlp in". */
const char *comm_where_text(enum comm_id id);

/** Name of a row's collective in two or three letters: AG, RS, AR, SR, A2A. */
const char *comm_op_brief(enum comm_id id);

/** A number of the operators on one rank. */
struct layer_column {
    const char *name; /* in CSV and JSON, and the end of its path */
    double (*of)(const struct estimate *estimate, enum op_id id);
    enum figure_kind kind;
    bool is_tabled; /* CSV and Markdown have it too */
    bool is_listed; /* among the paths of explain */
};

extern const struct layer_column layer_shown[];
extern const int layer_shown_count;
