/* core/plan/choice.h - the values of keys of words, as core/plan/choice.def lists them. */
#pragma once

#define KIND(name) enum name {
#define CHOICE(id, ...) id,
#define OPTIMIZER(id, ...) id,
#define FABRIC(id, ...) id,
#define END(name, count) count };
#include "core/plan/choice.def"

/* States and moments are stored as the same numbers as the types of a computation. */
_Static_assert((int)STATE_BF16 == DTYPE_BF16 && (int)MOMENT_FP8 == DTYPE_FP8, "one numbering of types");

/** What the sheets read of an optimizer. */
struct optimizer_facts {
    double moments, is_8bit, is_paged, update_bytes;
};

/** What the sheets read of a network between nodes, and where that was measured. */
struct fabric_facts {
    double rate, exchange, start_us, node_us, exchange_us, exchange_node_us, link_bytes, slow;
    const char *word, *help, *source;
};

extern const struct optimizer_facts optimizer_facts[OPTIMIZER_COUNT];
extern const struct fabric_facts fabric_facts[FABRIC_COUNT];
