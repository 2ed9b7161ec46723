#include "core/show/link.h"

#include "core/base.h"
#include "core/estimate/constants.h"

#include <string.h>

/* Devices whose links are not NVIDIA's, by how their names begin. */
static const struct {
    const char *begins, *link;
} links[] = {{"mi", "xGMI"}, {"tpu", "ICI"}, {"trainium", "Neuron"}, {"gaudi", "RoCE"}};

const char *link_inside(const struct plan *resolved)
{
    if (KEY_OF(resolved, hardware, intra_node_gb_s) <= pcie_link)
        return "PCIe";
    for (size_t i = 0; i < LENGTH(links); i++)
        if (strncmp(resolved->text[TEXT_GPU], links[i].begins, strlen(links[i].begins)) == 0)
            return links[i].link;
    return "NVLink";
}
