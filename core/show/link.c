#include "core/show/link.h"

#include "core/estimate/constants.h"
#include "core/plan/key.h"

const char *link_inside(const struct plan *resolved)
{
    double gb_s = KEY_OF(resolved, hardware, intra_node_gb_s);
    if (gb_s != resolved->gpu.intra_node_gb_s && gb_s <= pcie_link)
        return "PCIe";
    return resolved->gpu.link[0] ? resolved->gpu.link : "in node";
}
