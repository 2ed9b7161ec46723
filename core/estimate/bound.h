/* core/estimate/bound.h - how long a pipeline schedule takes at least: what a search compares before it plays one. */
#pragma once

#include "core/estimate/pipeline.h"

/**
 * Seconds that pipeline_play() does not fall below, rounding apart, found without playing: lengths of paths through the
 * passes. NAN where pipeline_play() is.
 */
double bound_play(const struct schedule_shape *shape, const struct split *split, const struct pipeline_sheets *sheets);
