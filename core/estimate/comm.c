#include "core/estimate/comm.h"

#include "core/estimate/stage.h"
#include "core/estimate/symbols.h"

#include <stddef.h>

const char *const comm_dim_names[COMM_DIM_COUNT] = {"tp", "cp", "pp", "dp", "ep", "edp", "embedding"};
const char *const comm_op_names[COMM_OP_COUNT] = {"all_reduce", "reduce_scatter", "all_gather", "all_to_all", "send_recv"};

const struct comm_row comm_rows[COMM_COUNT] = {
#define COMM(id_, dim_, op_, what_, when_, n_, groups_, count_, message_, s0_, s1_, s2_, phase_, source_)              \
    [COMM_ID_##id_] = {.dim = COMM_##dim_, .op = COMM_##op_, .id = #id_, .what = what_, .phase = phase_,              \
                       .source = source_, .text = {#when_, #n_, #groups_, #count_, #message_}},
#include "core/estimate/comm.def"
#undef COMM
};

#define COLUMN(name_, unit_, label_, text_)                                                                           \
    {.name = #name_, .unit = unit_, .label = label_, .text = text_, .source = "", .offset = offsetof(struct comm, name_)}
const struct term comm_columns[] = {
    COLUMN(when, "", "present when not 0", NULL),
    COLUMN(group_size, "ranks", "ranks in a group", NULL),
    COLUMN(groups, "", "groups on this stage", NULL),
    COLUMN(count, "", "calls per rank and iteration", NULL),
    COLUMN(message_bytes, "bytes", "one call", NULL),
    COLUMN(factor, "", "share of the message that each rank sends", "2*(n-1)/n for all_reduce, (n-1)/n for gathers, scatters and all_to_all, 1 for send_recv"),
    COLUMN(sent_bytes_per_rank, "bytes", "sent by one rank in one iteration", "count*message_bytes*factor"),
    COLUMN(cluster_bytes, "bytes", "sent by all ranks of the row in one iteration", "sent_bytes_per_rank*world/p"),
    COLUMN(call_s, "s", "one call", "latency + (message_bytes + half)*factor/bandwidth"),
    COLUMN(time_s, "s", "all calls of an iteration", "count*call_s"),
    COLUMN(exposed_s, "s", "of it not hidden behind compute", "time_s less what overlaps"),
};
const size_t comm_column_count = sizeof comm_columns / sizeof *comm_columns;

/* Ring algorithms send 2(n-1)/n of the tensor for an all-reduce and (n-1)/n for its halves; pairs send it once. */
static double sent_factor(enum comm_op op, double n)
{
    if (op == COMM_SEND_RECV)
        return 1;
    return (op == COMM_ALL_REDUCE ? 2 : 1) * (n - 1) / n;
}

/* Ranks of a group; degrees of an invalid plan may make it larger than any grid. */
static int ranks_of(double group_size)
{
    return (int)min(group_size, GRID_RANKS_MAX);
}

/* How far apart the members of a row's groups are. */
static int stride_of(const struct rank_grid *grid, enum comm_dim dim)
{
    static const enum rank_axis axis[COMM_DIM_COUNT] = {[COMM_TP] = AXIS_TP, [COMM_CP] = AXIS_CP, [COMM_PP] = AXIS_PP,
                                                        [COMM_DP] = AXIS_CP, [COMM_EP] = AXIS_EP, [COMM_EDP] = AXIS_EDP,
                                                        [COMM_EMBEDDING] = AXIS_PP};
    int stride = grid->stride[axis[dim]];
    return dim == COMM_EMBEDDING ? rank_span(stride, grid->size[AXIS_PP] - 1) : stride;
}

static bool crosses(const struct rank_grid *grid, enum comm_dim dim, int n)
{
    if (dim == COMM_DP && grid->pp_inside_dp)
        return rank_axis_crosses(grid, AXIS_DP) || rank_axis_crosses(grid, AXIS_CP);
    int block = dim == COMM_EMBEDDING || dim == COMM_PP ? rank_span(grid->size[AXIS_PP], grid->stride[AXIS_PP]) : rank_span(n, stride_of(grid, dim));
    return grid->world > grid->domain && (block <= 0 || grid->domain % block != 0);
}

/* How often `count` has doubled from 1. */
static int doublings(int count)
{
    int n = 0;
    while (count >>= 1)
        n++;
    return n;
}

/*
 * Seconds of one call. Inside a domain: latency + (S + half) * factor / rate, where `half` is the message at which a
 * ring reaches half its rate, in proportion to the link inside. Across domains the slower of the two levels counts, and
 * each doubling of domains costs a little. The figures stand in core/estimate/constants.def.
 */
static double call_seconds(const struct symbols *y, const struct rank_grid *grid, enum comm_op op, enum comm_dim dim,
                           const struct comm *row)
{
    int n = ranks_of(row->group_size);
    int stride = stride_of(grid, dim);
    int domains = row->crosses_nodes ? rank_domains(grid, n, stride) : 1;
    if (row->crosses_nodes && domains < 2)
        domains = 2;
    double near_rate = y->link * 1e9 * y->el, far_rate = y->net * 1e9 * y->en;
    double latency = y->lat * 1e-6;
    if (op == COMM_SEND_RECV) {
        double rate = row->crosses_nodes ? far_rate : near_rate;
        return latency + (row->crosses_nodes ? y->latn * 1e-6 : 0) + row->message_bytes / rate;
    }
    /* NVLink switches of Hopper and later reduce for more than four GPUs */
    bool in_switch = op == COMM_ALL_REDUCE && y->cc >= 9 && n > 4 && y->link >= switch_link;
    double near_s = (row->message_bytes + near_half_bytes * y->link / near_half_link) * row->factor / (near_rate * (in_switch ? switch_rate : 1));
    if (domains == 1)
        return latency + near_s;
    double per_domain = max(1, (double)n / domains);
    double far_s = (row->message_bytes + far_half_bytes) * row->factor / (per_domain * far_rate) * (1 + doubling_cost * doublings(domains));
    return latency + y->latn * 1e-6 * domains + max(far_s, per_domain > 1 ? near_s : 0);
}

/* Sets group and message of a row; prices one call unless the row held the same call before. */
static void set_call(const struct symbols *y, const struct rank_grid *grid, enum comm_dim dim, enum comm_op op,
                     double group_size, double message_bytes, struct comm *row)
{
    if (row->group_size == group_size && row->message_bytes == message_bytes)
        return;
    row->group_size = group_size;
    row->message_bytes = message_bytes;
    row->factor = sent_factor(op, group_size);
    row->crosses_nodes = crosses(grid, dim, ranks_of(group_size));
    row->call_s = call_seconds(y, grid, op, dim, row);
}

void comm_clear(struct comm_table *table)
{
    table->count = 0;
    for (int i = 0; i < COMM_COUNT; i++)
        table->row[i].when = table->row[i].group_size = table->row[i].message_bytes = 0;
}

static void add_up(const struct symbols *y, struct comm *row)
{
    row->sent_bytes_per_rank = row->count * row->message_bytes * row->factor;
    row->cluster_bytes = row->sent_bytes_per_rank * y->world / y->p;
    row->time_s = row->count * row->call_s;
    row->exposed_s = row->time_s;
}

void comm_evaluate(const struct symbols *symbols, const struct stage *sheet, const struct rank_grid *grid,
                   struct comm_table *out)
{
#define SYM(name, key, unit, meaning, expression) const double name __attribute__((unused)) = symbols->name;
#include "core/estimate/symbols.def"
#undef SYM
#define GIVEN(name, ...) const double name __attribute__((unused)) = sheet->name;
#define TERM(name, ...) const double name __attribute__((unused)) = sheet->name;
#include "core/estimate/stage.def"
#undef GIVEN
#undef TERM
    out->count = 0;
#define COMM(id_, dim_, op_, what_, when_, n_, groups_, count_, message_, s0_, s1_, s2_, phase_, source_)              \
    {                                                                                                                 \
        struct comm *row = &out->row[COMM_ID_##id_];                                                                      \
        row->when = (when_);                                                                                          \
        if (row->when != 0 && (count_) > 0) {                                                                         \
            row->groups = (groups_);                                                                                  \
            row->count = (count_);                                                                                    \
            row->shape[0] = (s0_);                                                                                    \
            row->shape[1] = (s1_);                                                                                    \
            row->shape[2] = (s2_);                                                                                    \
            set_call(symbols, grid, COMM_##dim_, COMM_##op_, (n_), (message_), row);                                  \
            out->present[out->count++] = COMM_ID_##id_;                                                                \
            add_up(symbols, row);                                                                                     \
        } else {                                                                                                      \
            row->when = 0;                                                                                            \
        }                                                                                                             \
    }
#include "core/estimate/comm.def"
#undef COMM
}
