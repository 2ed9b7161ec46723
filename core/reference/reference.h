/*
 * core/reference/reference.h - published estimators, each reproduced as it computes, behind one interface; never part
 * of ours.
 */
#pragma once

#include "core/reference/deepspeed.h"
#include "core/reference/llm.h"
#include "core/reference/member.h"
#include "core/reference/report.h"
#include "core/reference/tool.h"

/** The estimators. */
enum reference_id { REFERENCE_TOOL, REFERENCE_REPORT, REFERENCE_LLM, REFERENCE_DEEPSPEED, REFERENCE_COUNT };

/** Their functions. */
enum reference_fn {
    REFERENCE_TOOL_ANALYZE, REFERENCE_REPORT_REPORT, REFERENCE_LLM_TRAIN, REFERENCE_LLM_INFER, REFERENCE_ZERO2,
    REFERENCE_ZERO3, REFERENCE_FN_COUNT
};

/** What one function is given. */
struct reference_inputs {
    enum reference_fn fn;
    union {
        struct tool_inputs tool;
        struct report_inputs report;
        struct llm_inputs llm;
        struct deepspeed_inputs deepspeed;
    } of;
};

enum { REFERENCE_WARNINGS_MAX = 12, REFERENCE_MESSAGE_MAX = 240 };

/** What it answers: values, or the rule that its inputs break. */
struct reference_answer {
    enum reference_fn fn;
    const char *rule; /* NULL when there are values */
    char message[REFERENCE_MESSAGE_MAX];
    const char *warning[REFERENCE_WARNINGS_MAX]; /* rules, in the order of the estimator */
    int warnings;
    union {
        struct tool_values tool;
        struct report_values report;
        struct llm_train_values train;
        struct llm_infer_values infer;
        struct deepspeed_values deepspeed;
    } values;
};

/** An estimator. */
struct reference_row {
    const char *name, *help, *source;
};

/** One function of an estimator: how its inputs and values lie in their structs, and the function itself. */
struct reference_function {
    enum reference_id estimator;
    const char *name, *help;
    const struct reference_member *inputs;
    int input_count;
    const struct reference_member *values;
    int value_count;
    void (*compute)(const struct reference_inputs *in, struct reference_answer *out);
    int has_warnings; /* its answer carries a list of warnings, empty or not */
};

extern const struct reference_row reference_rows[REFERENCE_COUNT];
extern const struct reference_function *const reference_functions[REFERENCE_FN_COUNT];

/**
 * The function of this estimator and name (enum reference_fn), -1 when there is no such function, -2 no such estimator.
 */
int reference_find(const char *estimator, const char *fn);

/** The row of this name among `count` rows, or -1. The search begins at `hint`, so that lists in order cost nothing. */
int reference_member_find(const struct reference_member *rows, int count, int hint, const char *name, size_t length);

/** Sets every input of `fn` to what stands when it is not given. */
void reference_defaults(enum reference_fn fn, struct reference_inputs *out);

/** Answers. Never fails: refusals are in `out->rule`. Same input, same answer. */
void reference_run(const struct reference_inputs *in, struct reference_answer *out);

/** A sentence on a rule code (refusals and warnings), or NULL for a code that no estimator uses. */
const char *reference_rule_text(const char *rule);

/* ---- for the estimators ----------------------------------------------------------------------------------------- */

/** Records the rule that was broken, unless one was before; `format` says what is wrong. */
void reference_refuse(struct reference_answer *out, const char *rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Refuses the first required number among `rows` of `inputs` that is not a whole number above 0. */
void reference_require_counts(struct reference_answer *out, const struct reference_member *rows, int count,
                              const void *inputs);

/** one / two; refuses with division_by_zero and returns 0 when `two` is 0. */
double reference_divide(struct reference_answer *out, double one, double two);
