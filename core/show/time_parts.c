#include "core/show/time_parts.h"

#define PART(member, letter, words, dim, about)                                                                        \
    {#member, offsetof(struct stage_time, member), words, letter, about, dim}

const struct time_part time_parts[TIME_PARTS_MAX] = {
    PART(compute_s, 'c', "compute", -1, "computing: forward, backward, repeated forward"),
    PART(tp_s, 't', "tensor tp", COMM_TP, "tensor-parallel traffic not hidden"),
    PART(cp_s, 'x', "context cp", COMM_CP, "context-parallel exchange not hidden"),
    PART(ep_s, 'e', "expert ep", COMM_EP, "expert traffic not hidden"),
    PART(pp_s, 'p', "pipeline pp", COMM_PP, "pipeline messages not hidden"),
    PART(bubble_s, '.', "bubble, waiting", -1, "waiting for other stages, the host, the step's end"),
    PART(dp_s, 'd', "data dp", COMM_DP, "gradient and weight exchange not hidden"),
    PART(optimizer_s, 'o', "optimizer", -1, "optimizer step of the fullest rank"),
    PART(offload_s, 'h', "host offload", -1, "offloading to the host not hidden"),
};

double time_part(const struct time_part *part, const struct stage_time *stage)
{
    return *(const double *)((const char *)stage + part->offset);
}
