/* core/show/link.h - what the link between the GPUs of a node is called. */
#ifndef SHARDTOP_CORE_SHOW_LINK_H
#define SHARDTOP_CORE_SHOW_LINK_H

#include "core/plan/plan.h"

/** "NVLink", "PCIe", "xGMI" ..., by the GPU of a resolved plan and its hardware.intra_node_gb_s. Makers' own names. */
const char *link_inside(const struct plan *resolved);

#endif
