#include "core/estimate/rank.h"

#include "core/plan/key.h"

const char *const rank_axis_names[AXIS_COUNT] = {"tp", "cp", "dp", "pp", "ep", "edp", "etp"};

static int size_of(const struct plan *plan, enum param id)
{
    double value = plan->value[id];
    return value >= 1 && value <= GRID_RANKS_MAX ? (int)value : 1;
}

void rank_grid_of(const struct plan *plan, struct rank_grid *grid)
{
    int tp = size_of(plan, PARAM_parallel_tp), cp = size_of(plan, PARAM_parallel_cp);
    int dp = size_of(plan, PARAM_parallel_dp), pp = size_of(plan, PARAM_parallel_pp);
    int ep = size_of(plan, PARAM_parallel_ep), etp = size_of(plan, PARAM_parallel_etp);
    double world = (double)tp * cp * dp * pp;
    grid->world = world <= GRID_RANKS_MAX ? (int)world : GRID_RANKS_MAX;
    grid->gpus_per_node = size_of(plan, PARAM_hardware_gpus_per_node);
    grid->domain = size_of(plan, PARAM_hardware_nvlink_domain);
    grid->pp_inside_dp = plan->value[PARAM_parallel_order] == 1;
    int edp = grid->world / rank_span(rank_span(etp, ep), pp);
    edp = edp > 0 ? edp : 1;
    int dense = rank_span(tp, cp), expert = rank_span(etp, ep); /* ranks that vary faster than dp (pp) */
    const int sizes[AXIS_COUNT] = {[AXIS_TP] = tp, [AXIS_CP] = cp, [AXIS_DP] = dp, [AXIS_PP] = pp, [AXIS_EP] = ep,
                                   [AXIS_EDP] = edp, [AXIS_ETP] = etp};
    const int strides[AXIS_COUNT] = {
        [AXIS_TP] = 1,
        [AXIS_CP] = tp,
        [AXIS_DP] = grid->pp_inside_dp ? rank_span(dense, pp) : dense,
        [AXIS_PP] = grid->pp_inside_dp ? dense : grid->world / pp,
        [AXIS_EP] = etp,
        [AXIS_ETP] = 1,
        [AXIS_EDP] = grid->pp_inside_dp ? rank_span(expert, pp) : expert,
    };
    for (int i = 0; i < AXIS_COUNT; i++) {
        grid->stride[i] = strides[i] > 0 ? strides[i] : 1;
        int most = GRID_RANKS_MAX / grid->stride[i]; /* sizes that do not go together reach beyond any grid */
        grid->size[i] = sizes[i] < most ? sizes[i] : most;
    }
    int stages = grid->domain / grid->stride[AXIS_PP];
    grid->domain_stages = grid->world <= grid->domain ? GRID_RANKS_MAX : stages > 0 ? stages : 1;
}

void rank_place_of(const struct rank_grid *grid, int rank, struct rank_place *place)
{
    place->rank = rank;
    place->node = rank / grid->gpus_per_node;
    place->gpu = rank % grid->gpus_per_node;
    for (int i = 0; i < AXIS_COUNT; i++)
        place->at[i] = rank / grid->stride[i] % grid->size[i];
}

int rank_group_count(const struct rank_grid *grid, enum rank_axis axis)
{
    return grid->world / grid->size[axis];
}

int rank_group_first(const struct rank_grid *grid, enum rank_axis axis, int index)
{
    int stride = grid->stride[axis];
    return index / stride * rank_span(grid->size[axis], stride) + index % stride;
}

int rank_group_of(const struct rank_grid *grid, enum rank_axis axis, int rank)
{
    return rank - rank / grid->stride[axis] % grid->size[axis] * grid->stride[axis];
}

bool rank_group_crosses(const struct rank_grid *grid, int size, int stride)
{
    int block = rank_span(size, stride);
    if (size <= 1 || grid->world <= grid->domain)
        return false;
    /*
     * Inside nodes ranks follow one another, so a block that does not divide a node straddles two of them; in a domain
     * of several nodes the scheduler places whole blocks (64 of 72).
     */
    return grid->domain > grid->gpus_per_node ? block > grid->domain : grid->domain % block != 0;
}

bool rank_axis_crosses(const struct rank_grid *grid, enum rank_axis axis)
{
    return rank_group_crosses(grid, grid->size[axis], grid->stride[axis]);
}

int rank_stage_domain(const struct rank_grid *grid, int stage)
{
    return grid->domain_stages == 1 ? stage : stage < grid->domain_stages ? 0 : stage / grid->domain_stages;
}

int rank_span(int size, int stride)
{
    long long span = (long long)size * stride;
    return span < GRID_RANKS_MAX ? (int)span : GRID_RANKS_MAX;
}

int rank_domains(const struct rank_grid *grid, int size, int stride)
{
    int per_domain = stride >= grid->domain ? 1 : grid->domain / stride;
    return (size + per_domain - 1) / per_domain;
}

int rank_stage(const struct rank_grid *grid, int rank)
{
    return rank / grid->stride[AXIS_PP] % grid->size[AXIS_PP];
}
