/*
 * core/estimate/depend.h - which symbols the rows of a sheet read, found in their text: what a kept result stands for.
 */
#pragma once

#include "core/estimate/symbols.h"

#include <stdbool.h>

enum { DEPEND_MAX = sizeof(struct symbols) / sizeof(double) };

/** Symbols, as indices of struct symbols; in ascending order as they are found. */
struct depend {
    int count;
    short symbol[DEPEND_MAX];
};

/** What fold_layers() reads: the rows of core/estimate/op.def, and the operators' of core/estimate/timing.def. */
void depend_layers(struct depend *out);

/** What comm_call() reads: the rows of core/estimate/call.def. */
void depend_calls(struct depend *out);

/**
 * Of the symbols that follow from sharding (core/estimate/varies.h) those that layers and the traffic of passes read:
 * while they are the same, another sharding leaves these alone where passes hide as much.
 */
void depend_states(struct depend *out);

/** Copies the values of the symbols to `key`. */
void depend_take(const struct depend *depend, const struct symbols *symbols, double key[]);

/** Whether the symbols have these values, to the bit. */
bool depend_equal(const struct depend *depend, const struct symbols *symbols, const double key[]);

/** The same of the first `count` of them. */
bool depend_equal_first(const struct depend *depend, int count, const struct symbols *symbols, const double key[]);
