/*
 * ui/limits.h - what limits the iteration: how much shorter it were with a tenth more of each thing that the hardware
 * does.
 */
#ifndef SHARDTOP_UI_LIMITS_H
#define SHARDTOP_UI_LIMITS_H

#include "ui/state.h"

/** FLOPS, NVLink, HBM, network. */
extern const char *const limit_names[LIMITS_MAX];

/** Works them out for the plan that is shown, unless they are known: one estimate each. */
void limits_update(struct ui *ui);

/** Those that are known, the one that shortens most first; returns how many. */
int limits_order(const struct limits *limits, int out[LIMITS_MAX]);

#endif
