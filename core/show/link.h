/* core/show/link.h - what the link between the GPUs of a node is called. */
#pragma once

#include "core/plan/plan.h"

/**
 * The `link` of the GPU's file ("NVLink4", "xGMI"); "PCIe" where the plan sets a slower hardware.intra_node_gb_s that
 * formulas take for it; "in node" where no GPU is named. Valid as long as the plan.
 */
const char *link_inside(const struct plan *resolved);
