/* src/report/svg.h - figures of an estimate for slides, as SVG without scripts, styles or fonts from elsewhere. */
#pragma once

#include "src/report/report.h"

#include <stddef.h>

/**
 * Appends one figure of `count` (at least 1) estimates to `out`, a whole SVG document; several estimates are the same
 * plan under several frameworks. SECTION_MEMORY and SECTION_ALL: what each pipeline stage holds, as stacked bars, and
 * the usable memory; the groups of several frameworks stand beside each other. SECTION_TIME: the pipeline schedule, a
 * row for each stage; several frameworks below each other on one time scale. SECTION_COMMUNICATION: bars of what one
 * GPU of the slowest stage sends; SECTION_GRID: ranks with their stages, and groups; SECTION_LAYERS: what operators
 * keep and how long they take; all three of the first framework. Unknown numbers are "unknown", texts from
 * plans are safe in XML. Returns 0, or -1 with `out` unchanged for a section that has no figure.
 */
int report_svg(struct buffer *out, const struct estimate *const estimates[], size_t count, enum report_section section);
