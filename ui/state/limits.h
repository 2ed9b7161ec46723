/*
 * ui/state/limits.h - what limits the iteration: how much shorter it were with a tenth more of each thing that the
 * hardware does.
 */
#pragma once

#include "ui/state/state.h"

/** FLOPS, NVLink or what the plan's GPUs have in its place, HBM, network. */
const char *limit_name(const struct ui *ui, int limit);

/** Works them out for the plan that is shown, unless they are known: one estimate each. */
void limits_update(struct ui *ui);

/** Those that are known, the one that shortens most first; returns how many. */
int limits_order(const struct limits *limits, int out[LIMITS_MAX]);
