/* core/search/values.h - what the other values of a switch or a choice would give, the rest of the plan as it is. */
#ifndef SHARDTOP_CORE_SEARCH_VALUES_H
#define SHARDTOP_CORE_SEARCH_VALUES_H

#include "core/estimate/estimate.h"
#include "core/search/advice.h"
#include "core/show/figure.h"

enum { VALUE_PARTS = 3 /* that are named, the largest */, VALUES_MAX = 40, VALUE_TEXT_MAX = 240 };

/** How one part of the memory, the time or the traffic changes. */
struct value_part {
    const char *label; /* "activations" */
    const char *op, *where; /* of traffic: "all-gather", "fwd attn, mlp in"; "" else */
    double delta; /* bytes of the fullest GPU, seconds of an iteration, bytes that all GPUs send in one */
};

/** One value and what it leads to. */
struct value_effect {
    double value;
    struct figures figures;    /* with is_valid false only `why` is known */
    char why[VALUE_TEXT_MAX];  /* the first fault of the plan with it, or what is not modelled; "" */
    double memory_bytes, iteration_s; /* changes; NAN where they are not known in both */
    struct value_part memory[VALUE_PARTS], time[VALUE_PARTS], traffic[VALUE_PARTS]; /* label NULL: no more */
};

/** How many values a switch or a choice has, as zero_stage too (their numbers are 0 and on); 0 of other keys. */
int values_count(enum param id);

/** Estimates `plan`, of which `now` is the estimate, with that value into `scratch`, and says what is different. */
void values_try(const struct plan *plan, const struct estimate *now, enum param id, double value,
                struct estimate *scratch, struct value_effect *out);

/** True when nothing that is shown is another. */
bool values_is_same(const struct value_effect *effect);

/** "activations +31.2 GiB, transient +3.10 GiB"; `delta` writes a difference as figure_delta() does. */
void values_write(const struct value_part part[VALUE_PARTS], enum figure_kind kind,
                  struct figure (*delta)(enum figure_kind kind, double difference), char out[VALUE_TEXT_MAX]);

/** "tensor-parallel traffic", "tp all-reduce (loss)". */
void values_label(const struct value_part *part, char *out, size_t size);

enum { VALUE_LINES_MAX = 4 * VALUE_TEXT_MAX };

/** How figures are written: figure() and figure_delta(), or such that follow a user's units. */
struct value_words {
    struct figure (*figure)(enum figure_kind kind, double value), (*delta)(enum figure_kind kind, double difference);
};

/**
 * A few lines on a value, each with its end: "off: 87.3 GiB (+36.6 GiB), 70.1 s (-1.32 s), no", "  memory: ...",
 * "  time: ...", "  all GPUs send: ..."; or "off: not valid: tp: ...".
 */
void values_lines(const struct value_effect *effect, enum param id, const struct value_words *words,
                  char out[VALUE_LINES_MAX]);

#endif
