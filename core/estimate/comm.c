#include "core/estimate/comm.h"

#include "core/base.h"
#include "core/estimate/stage.h"
#include "core/estimate/symbols.h"

#include <string.h>

const char *const comm_dim_names[COMM_DIM_COUNT] = {"tp", "cp", "pp", "dp", "ep", "etp", "edp", "embedding"};
const char *const comm_op_names[COMM_OP_COUNT] = {"all_reduce", "reduce_scatter", "all_gather", "all_to_all",
                                                  "send_recv"};

const struct comm_row comm_rows[COMM_COUNT] = {
#define COMM(id_, dim_, op_, what_, when_, n_, groups_, count_, message_, s0_, s1_, s2_, phase_, source_)              \
    [COMM_ID_##id_] = {.dim = COMM_##dim_, .op = COMM_##op_, .id = #id_, .what = what_, .phase = phase_,              \
                       .source = source_, .text = {#when_, #n_, #groups_, #count_, #message_, #s0_, #s1_, #s2_}},
#include "core/estimate/comm.def"
#undef COMM
};

#define COLUMN(name_, unit_, label_, text_)                                                                           \
    {.name = #name_, .unit = unit_, .label = label_, .text = text_, .source = "",                                      \
     .offset = offsetof(struct comm, name_)}
const struct term comm_columns[] = {
    COLUMN(when, "", "present when not 0", NULL),
    COLUMN(group_size, "ranks", "ranks in a group", NULL),
    COLUMN(groups, "", "groups on this stage", NULL),
    COLUMN(count, "calls", "calls per rank and iteration", NULL),
    COLUMN(message_bytes, "bytes", "one call", NULL),
    COLUMN(factor, "", "share of the message that each rank sends", NULL),
    COLUMN(call_s, "s", "one call", NULL),
#define TOTAL(name, unit, label, expression) COLUMN(name, unit, label, #expression),
#include "core/estimate/comm.def"
#undef TOTAL
    COLUMN(exposed_s, "s", "of it not hidden behind compute", NULL),
};
const size_t comm_column_count = LENGTH(comm_columns);

const struct term call_terms[] = {
#define GIVEN(name_, unit_, label_, words_)                                                                           \
    {.name = #name_, .unit = unit_, .label = label_, .text = words_, .source = "",                                     \
     .offset = offsetof(struct call, name_)},
#define TERM(name_, unit_, label_, text_, source_)                                                                    \
    {.name = #name_, .unit = unit_, .label = label_, .text = #text_, .source = source_, .basis = BASIS_FORMULA,       \
     .offset = offsetof(struct call, name_)},
#include "core/estimate/call.def"
#undef GIVEN
#undef TERM
};
const size_t call_term_count = LENGTH(call_terms);

/* The dimensions of the rows, close together: they are looked at for every call. */
static const unsigned char dims[COMM_COUNT] = {
#define COMM(id, dim, ...) [COMM_ID_##id] = COMM_##dim,
#include "core/estimate/comm.def"
#undef COMM
};

/* Ranks of a group; degrees of an invalid plan may make it larger than any grid. */
static int ranks_of(double group_size)
{
    return (int)min(group_size, GRID_RANKS_MAX);
}

/* True for sums over the copies that sharding groups hold: their ranks lie whole groups apart. */
static inline bool is_over_replicas(enum comm_id id)
{
    return id == COMM_ID_REPLICA_REDUCE || id == COMM_ID_EDP_REPLICA;
}

/* How far apart the ranks of n copies are that sharding groups hold. */
static int replica_stride(const struct rank_grid *grid, enum comm_dim dim, int stride, int n)
{
    int all = dim == COMM_DP ? rank_span(grid->size[AXIS_DP], grid->size[AXIS_CP]) : grid->size[AXIS_EDP];
    return rank_span(stride, n > 0 && n < all ? all / n : 1);
}

/* How far apart the members of a row's groups of n ranks are. */
static inline int stride_of(const struct rank_grid *grid, enum comm_id id, int n)
{
    enum comm_dim dim = (enum comm_dim)dims[id];
    static const unsigned char axis[COMM_DIM_COUNT] = {[COMM_TP] = AXIS_TP, [COMM_CP] = AXIS_CP, [COMM_PP] = AXIS_PP,
                                                       [COMM_DP] = AXIS_CP, [COMM_EP] = AXIS_EP, [COMM_ETP] = AXIS_ETP,
                                                       [COMM_EDP] = AXIS_EDP, [COMM_EMBEDDING] = AXIS_PP};
    int stride = grid->stride[axis[dim]];
    if (is_over_replicas(id))
        return replica_stride(grid, dim, stride, n);
    return dim == COMM_EMBEDDING ? rank_span(stride, grid->size[AXIS_PP] - 1) : stride;
}

/* The stage at the other end of a message. */
static int other_end(enum comm_id id, int stage, int stages)
{
    return id == COMM_ID_PP_FORWARD    ? (stage + 1) % stages
           : id == COMM_ID_PP_BACKWARD ? (stage + stages - 1) % stages
                                       : stages - 1 - stage;
}

/* True for messages between stages, some of which may leave a domain and others not. */
static inline bool depends_on_stage(enum comm_dim dim)
{
    return dim == COMM_PP || dim == COMM_EMBEDDING;
}

/* Whether some group of a row, or the hop of this stage, has members in more than one scale-up domain. */
static bool crosses(const struct rank_grid *grid, enum comm_id id, int n, int stage)
{
    enum comm_dim dim = (enum comm_dim)dims[id];
    if (depends_on_stage(dim))
        return rank_stage_domain(grid, stage) != rank_stage_domain(grid, other_end(id, stage, grid->size[AXIS_PP]));
    if (dim == COMM_DP && grid->pp_inside_dp)
        return rank_axis_crosses(grid, AXIS_DP) || rank_axis_crosses(grid, AXIS_CP);
    return rank_group_crosses(grid, n, stride_of(grid, id, n));
}

/* Sharded weights and their gradients, layer by layer. */
#define IS_SHARDED(id)                                                                                                 \
    ((id) == COMM_ID_SHARD_GATHER_F || (id) == COMM_ID_SHARD_GATHER_B || (id) == COMM_ID_SHARD_SCATTER)

/* As comm_call(); inline, so that set_price() works out only what it keeps. */
static inline __attribute__((always_inline)) void price(const struct symbols *symbols, const struct rank_grid *grid,
                                                        enum comm_id id, const struct comm *row, struct call *out)
{
    enum comm_op op = comm_rows[id].op;
    enum comm_dim dim = comm_rows[id].dim;
    out->message_bytes = row->message_bytes;
    out->group_size = row->group_size;
    out->reduces = op == COMM_ALL_REDUCE;
    out->pairs = op == COMM_SEND_RECV;
    out->exchanges = op == COMM_ALL_TO_ALL;
    out->experts = dim == COMM_EP;
    out->sharded = IS_SHARDED(id);
    out->ranks = ranks_of(row->group_size);
    out->stride = stride_of(grid, id, ranks_of(row->group_size));
    out->crosses = row->crosses_nodes;
    out->domain_gpus = grid->domain;
#include "core/estimate/locals.def"
#define GIVEN(name, ...) const double name = out->name;
#define TERM(name, unit, label, expression, source) const double name = (expression); out->name = name;
#include "core/estimate/call.def"
#undef GIVEN
#undef TERM
}

void comm_call(const struct symbols *symbols, const struct rank_grid *grid, enum comm_id id,
               const struct comm *row, struct call *out)
{
    price(symbols, grid, id, row, out);
}

/* What of its row the price of a call depends on; never 0. */
enum { KINDS = 1 + 4 * COMM_OP_COUNT };
static const unsigned char kinds[COMM_COUNT] = {
#define COMM(id, dim, op, ...)                                                                                         \
    [COMM_ID_##id] = 1 + COMM_##op + COMM_OP_COUNT * ((COMM_##dim == COMM_EP) + 2 * IS_SHARDED(COMM_ID_##id)),
#include "core/estimate/comm.def"
#undef COMM
};

/*
 * Where the price of a call like this one stands in the memo: the same kind, group, message and place, or an old one.
 */
static struct call_entry *remembered(struct call_memo *memo, const struct rank_grid *grid, enum comm_id id,
                                     const struct comm *row, int *kind)
{
    *kind = kinds[id] + KINDS * (row->crosses_nodes + 2 * stride_of(grid, id, ranks_of(row->group_size)));
    uint64_t bits[2];
    memcpy(&bits[0], &row->message_bytes, sizeof bits[0]);
    memcpy(&bits[1], &row->group_size, sizeof bits[1]);
    uint64_t hash = (bits[0] + bits[1] * 31 + (uint64_t)*kind) * 0x9e3779b97f4a7c15;
    return &memo->entry[(hash >> 32) % CALL_ENTRIES];
}

/* Prices the call of a row; apart, because few calls are new. */
static __attribute__((noinline)) void price_anew(const struct symbols *y, const struct rank_grid *grid, enum comm_id id,
                                                 struct comm *row)
{
    struct call call;
    price(y, grid, id, row, &call);
    row->factor = call.factor;
    row->call_s = call.call_s;
}

/* Prices the call of a row, or remembers what such a call cost. */
static void set_price(const struct symbols *y, const struct rank_grid *grid, enum comm_id id, struct call_memo *memo,
                      struct comm *row)
{
    int kind = 0;
    struct call_entry *entry = memo ? remembered(memo, grid, id, row, &kind) : NULL;
    if (entry && entry->kind == kind && entry->group_size == row->group_size &&
        entry->message_bytes == row->message_bytes) {
        row->factor = entry->factor;
        row->call_s = entry->call_s;
        return;
    }
    price_anew(y, grid, id, row);
    if (entry)
        *entry = (struct call_entry){row->group_size, row->message_bytes, row->factor, row->call_s, kind};
}

_Static_assert(COMM_COUNT <= 64, "a bit for each row");
#define HOLDS(table, id) ((table)->held >> (id) & 1)

/* As crosses(), of groups that do not depend on the stage worked out once for a dimension. */
static bool is_far_apart(const struct rank_grid *grid, enum comm_id id, double group_size, int stage,
                         struct comm_table *table)
{
    enum comm_dim dim = (enum comm_dim)dims[id];
    struct comm_place *place = &table->place[dim];
    if (depends_on_stage(dim) || is_over_replicas(id))
        return crosses(grid, id, ranks_of(group_size), stage);
    if (place->group_size != group_size) {
        place->group_size = group_size;
        place->is_far = crosses(grid, id, ranks_of(group_size), stage);
    }
    return place->is_far;
}

/*
 * Prices the call of a row as that of the last row of its dimension where they are alike, as forward and backward are;
 * but over replicas, whose ranks lie apart otherwise.
 */
static void set_price_alike(const struct symbols *y, const struct rank_grid *grid, enum comm_id id,
                            struct comm_table *table)
{
    struct comm_place *place = &table->place[dims[id]];
    struct comm *row = &table->row[id];
    const struct comm *last = &table->row[place->last];
    if (place->has_last && place->last != id && !is_over_replicas(id) && kinds[place->last] == kinds[id] &&
        last->group_size == row->group_size && last->message_bytes == row->message_bytes &&
        last->crosses_nodes == row->crosses_nodes) {
        row->factor = last->factor;
        row->call_s = last->call_s;
    } else {
        set_price(y, grid, id, table->memo, row);
    }
    place->has_last = !is_over_replicas(id);
    place->last = id;
}

/* Sets group and message of a row that held another call, or may have; prices one call. */
static void set_call(const struct symbols *y, const struct rank_grid *grid, enum comm_id id, int stage,
                     double group_size, double message_bytes, struct comm_table *table)
{
    struct comm *row = &table->row[id];
    bool is_far = is_far_apart(grid, id, group_size, stage, table);
    if (HOLDS(table, id) && row->group_size == group_size && row->message_bytes == message_bytes &&
        row->crosses_nodes == is_far)
        return;
    table->held |= UINT64_C(1) << id;
    row->group_size = group_size;
    row->message_bytes = message_bytes;
    row->crosses_nodes = is_far;
    set_price_alike(y, grid, id, table);
}

void comm_clear(struct comm_table *table, struct call_memo *memo)
{
    table->held = 0;
    table->count = 0;
    table->memo = memo;
    memset(table->place, 0, sizeof table->place);
}

/* What follows from the calls of a row; `is_shown` as in evaluate(). */
static inline __attribute__((always_inline)) void add_up(const struct symbols *y, bool is_shown, struct comm *row)
{
    const double count = row->count, message_bytes = row->message_bytes, factor = row->factor, call_s = row->call_s;
    const double world = y->world, p = y->p;
#define TOTAL(name, unit, label, expression)                                                                           \
    const double name = (expression);                                                                                  \
    if (is_shown)                                                                                                      \
        row->name = name;
#include "core/estimate/comm.def"
#undef TOTAL
    row->exposed_s = row->time_s = time_s;
}

static inline __attribute__((always_inline)) bool is_of_passes(enum comm_dim dim)
{
    return dim == COMM_TP || dim == COMM_CP || dim == COMM_PP || dim == COMM_EP || dim == COMM_ETP;
}

bool comm_is_of_passes(enum comm_dim dim)
{
    return is_of_passes(dim);
}

/* Whether most plans have rows of a dimension; the code of the others is out of the way. */
#define IS_USUAL(dim) ((dim) == COMM_TP || (dim) == COMM_PP || (dim) == COMM_DP)

/* The rows of some parts, and where `is_shown` what no time depends on; inline, so that the rest costs nothing. */
static inline __attribute__((always_inline)) void evaluate(const struct symbols *symbols, const struct stage *sheet,
                                                           const struct rank_grid *grid, unsigned parts, bool is_shown,
                                                           struct comm_table *out)
{
#include "core/estimate/locals.def"
#include "core/estimate/stage_locals.def"
    out->count = 0;
#define COMM(id_, dim_, op_, what_, when_, n_, groups_, count_, message_, s0_, s1_, s2_, phase_, source_)              \
    if (parts & (is_of_passes(COMM_##dim_) ? COMM_OF_PASSES : COMM_OF_WEIGHTS)) {                                      \
        struct comm *row = &out->row[COMM_ID_##id_];                                                                   \
        const double when = (when_);                                                                                  \
        if (is_shown)                                                                                                 \
            row->when = when != 0 && (count_) > 0 ? when : 0;                                                         \
        if (__builtin_expect(when != 0 && (count_) > 0, IS_USUAL(COMM_##dim_))) {                                      \
            row->count = (count_);                                                                                    \
            if (is_shown) {                                                                                           \
                row->groups = (groups_);                                                                              \
                row->shape[0] = (s0_);                                                                                \
                row->shape[1] = (s1_);                                                                                \
                row->shape[2] = (s2_);                                                                                \
            }                                                                                                         \
            const double call_ranks = (n_), call_bytes = (message_);                                                   \
            if (!HOLDS(out, COMM_ID_##id_) || row->group_size != call_ranks || row->message_bytes != call_bytes ||     \
                depends_on_stage(COMM_##dim_))                                                                        \
                set_call(symbols, grid, COMM_ID_##id_, (int)sheet->stage, call_ranks, call_bytes, out);                \
            out->present[out->count++] = COMM_ID_##id_;                                                                \
            add_up(symbols, is_shown, row);                                                                           \
        }                                                                                                             \
    }
#include "core/estimate/comm.def"
#undef COMM
}

void comm_evaluate(const struct symbols *symbols, const struct stage *sheet, const struct rank_grid *grid,
                   struct comm_table *out)
{
    evaluate(symbols, sheet, grid, COMM_OF_PASSES | COMM_OF_WEIGHTS, true, out);
}

void comm_times(const struct symbols *symbols, const struct stage *sheet, const struct rank_grid *grid,
                struct comm_table *out)
{
    evaluate(symbols, sheet, grid, COMM_OF_PASSES | COMM_OF_WEIGHTS, false, out);
}

void comm_evaluate_part(const struct symbols *symbols, const struct stage *sheet, const struct rank_grid *grid,
                        enum comm_part part, struct comm_table *out)
{
    if (part == COMM_OF_PASSES)
        evaluate(symbols, sheet, grid, COMM_OF_PASSES, false, out);
    else
        evaluate(symbols, sheet, grid, COMM_OF_WEIGHTS, false, out);
}
