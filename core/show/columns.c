#include "core/show/columns.h"

#include "core/base.h"

/* ---- communication ---------------------------------------------------------------------------------------------- */

const char *comm_dim_text(enum comm_id id)
{
    static const enum comm_id sequence_parallel[] = {
        COMM_ID_SP_GATHER_F,   COMM_ID_SP_SCATTER_F, COMM_ID_SP_GATHER_B, COMM_ID_SP_SCATTER_B, COMM_ID_SP_GATHER_AGAIN,
        COMM_ID_EMBED_SCATTER, COMM_ID_EMBED_GATHER, COMM_ID_HEAD_GATHER, COMM_ID_HEAD_SCATTER};
    for (size_t i = 0; i < LENGTH(sequence_parallel); i++)
        if (sequence_parallel[i] == id)
            return "sp";
    return comm_dim_names[comm_rows[id].dim];
}

const char *comm_where_text(enum comm_id id)
{
    static const char *const where[COMM_COUNT] = {
        [COMM_ID_TP_FORWARD] = "fwd attn, mlp out",   [COMM_ID_TP_BACKWARD] = "bwd attn, mlp in",
        [COMM_ID_SP_GATHER_F] = "fwd attn, mlp in",   [COMM_ID_SP_SCATTER_F] = "fwd attn, mlp out",
        [COMM_ID_SP_GATHER_B] = "bwd attn, mlp out",  [COMM_ID_SP_SCATTER_B] = "bwd attn, mlp in",
        [COMM_ID_SP_GATHER_AGAIN] = "bwd attn, mlp in",
        [COMM_ID_MLA_GATHER] = "latent qkv",          [COMM_ID_MLA_SCATTER] = "latent qkv, bwd",
        [COMM_ID_KV_GATHER] = "shared kv heads",      [COMM_ID_KV_SCATTER] = "shared kv, bwd",
        [COMM_ID_ADAPTER_FORWARD] = "adapters, fwd",  [COMM_ID_ADAPTER_BACKWARD] = "adapters, bwd",
        [COMM_ID_ADAPTER_REDUCE] = "adapters",
        [COMM_ID_EMBED_REDUCE] = "embedding",         [COMM_ID_EMBED_SCATTER] = "embedding",
        [COMM_ID_EMBED_GATHER] = "embedding, bwd",    [COMM_ID_HEAD_REDUCE] = "output layer bwd",
        [COMM_ID_HEAD_GATHER] = "output layer",       [COMM_ID_HEAD_SCATTER] = "output layer bwd",
        [COMM_ID_LOSS_REDUCE] = "loss",               [COMM_ID_LOSS_GATHER] = "loss",
        [COMM_ID_NORM_GRADIENTS] = "norms, after bwd", [COMM_ID_CP_RING_F] = "ring, fwd",
        [COMM_ID_CP_RING_B] = "ring, bwd",            [COMM_ID_CP_GATHER] = "keys and values",
        [COMM_ID_CP_SCATTER] = "keys, values bwd",    [COMM_ID_CP_RING_G] = "ring, bwd",
        [COMM_ID_CP_A2A] = "heads for sequence",      [COMM_ID_CP_MIXERS] = "recurrent layers",
        [COMM_ID_PP_FORWARD] = "to next stage",       [COMM_ID_PP_BACKWARD] = "to previous, bwd",
        [COMM_ID_EP_DISPATCH] = "tokens to experts",  [COMM_ID_EP_COMBINE] = "experts back, bwd",
        [COMM_ID_ETP_GATHER] = "inside an expert",    [COMM_ID_ETP_SCATTER] = "inside an expert",
        [COMM_ID_EP_GATHER] = "tokens to all",        [COMM_ID_EP_SCATTER] = "experts back",
        [COMM_ID_DP_SCATTER] = "last micro-batch",    [COMM_ID_DP_REDUCE] = "last micro-batch",
        [COMM_ID_DP_GATHER] = "after the step",       [COMM_ID_SHARD_GATHER_F] = "each layer, fwd",
        [COMM_ID_SHARD_GATHER_B] = "each layer, bwd", [COMM_ID_SHARD_SCATTER] = "each layer, bwd",
        [COMM_ID_REPLICA_REDUCE] = "over replicas",   [COMM_ID_EDP_SCATTER] = "experts, last mb",
        [COMM_ID_EDP_GATHER] = "experts, the step",   [COMM_ID_EDP_REDUCE] = "experts, last mb",
        [COMM_ID_EDP_REPLICA] = "experts, replicas",
        [COMM_ID_TIED] = "shared embedding"};
    return where[id];
}

const char *comm_op_brief(enum comm_id id)
{
    static const char *const brief[COMM_OP_COUNT] = {
        [COMM_ALL_REDUCE] = "AR", [COMM_REDUCE_SCATTER] = "RS", [COMM_ALL_GATHER] = "AG", [COMM_ALL_TO_ALL] = "A2A",
        [COMM_SEND_RECV] = "SR"};
    return brief[comm_rows[id].op];
}

static const char *op_text(enum comm_id id)
{
    return comm_op_names[comm_rows[id].op];
}

static const char *what_text(enum comm_id id)
{
    return comm_rows[id].what;
}

static const char *when_text(enum comm_id id)
{
    return comm_rows[id].phase;
}

#define TEXT(name, title, text) {name, title, CONTENT_TEXT, text, 0, FIGURE_PLAIN, false}
#define OTHER(name, title, content, is_listed) {name, title, content, NULL, 0, FIGURE_PLAIN, is_listed}
#define NUMBER(member, title, kind, is_listed)                                                                        \
    {#member, title, CONTENT_NUMBER, NULL, offsetof(struct comm, member), kind, is_listed}

const struct comm_column comm_shown[] = {
    OTHER("stage", "stage", CONTENT_STAGE, true),
    TEXT("dim", NULL, comm_dim_text),
    TEXT("op", "collective", op_text),
    TEXT("what", NULL, what_text),
    TEXT("when", NULL, when_text),
    NUMBER(group_size, NULL, FIGURE_EXACT, false),
    NUMBER(groups, NULL, FIGURE_EXACT, false),
    OTHER("crosses_nodes", NULL, CONTENT_YES_NO, false),
    NUMBER(count, "calls", FIGURE_EXACT, true),
    OTHER("shape", "tensor", CONTENT_SHAPE, false),
    NUMBER(message_bytes, "message", FIGURE_BYTES, true),
    NUMBER(sent_bytes_per_rank, "sent/GPU", FIGURE_BYTES, true),
    NUMBER(cluster_bytes, NULL, FIGURE_BYTES, true),
    NUMBER(time_s, "time", FIGURE_SECONDS, true),
    NUMBER(exposed_s, "not hidden", FIGURE_SECONDS, true),
};
const int comm_shown_count = LENGTH(comm_shown);

double comm_number(const struct comm_column *column, const struct comm *row)
{
    return *(const double *)((const char *)row + column->offset);
}

/* ---- operators -------------------------------------------------------------------------------------------------- */

static struct op op_of(const struct estimate *e, enum op_id id)
{
    struct op op;
    estimate_op(e, id, &op);
    return op;
}

static double params(const struct estimate *e, enum op_id id)
{
    return op_of(e, id).params;
}

static double param_bytes(const struct estimate *e, enum op_id id)
{
    return e->symbols.Bw * op_of(e, id).params;
}

static double saved_bytes(const struct estimate *e, enum op_id id)
{
    return op_of(e, id).saved;
}

static double forward_flops(const struct estimate *e, enum op_id id)
{
    return op_of(e, id).forward_flops;
}

static struct op_time op_time_of(const struct estimate *e, enum op_id id)
{
    struct op_time time;
    estimate_op_time(e, id, &time);
    return time;
}

static double gemm_efficiency(const struct estimate *e, enum op_id id)
{
    return op_time_of(e, id).gemm_efficiency;
}

static double wave_efficiency(const struct estimate *e, enum op_id id)
{
    return op_time_of(e, id).wave_efficiency;
}

static double forward_s(const struct estimate *e, enum op_id id)
{
    return op_time_of(e, id).forward_s;
}

static double backward_s(const struct estimate *e, enum op_id id)
{
    return op_time_of(e, id).backward_s;
}

const struct layer_column layer_shown[] = {
    {"params", params, FIGURE_EXACT, true, true},
    {"param_bytes", param_bytes, FIGURE_BYTES, true, true},
    {"saved_bytes", saved_bytes, FIGURE_BYTES, true, true},
    {"forward_flops", forward_flops, FIGURE_PLAIN, true, true},
    {"gemm_efficiency", gemm_efficiency, FIGURE_PERCENT, false, true},
    {"wave_efficiency", wave_efficiency, FIGURE_PERCENT, false, false},
    {"forward_s", forward_s, FIGURE_SECONDS, true, true},
    {"backward_s", backward_s, FIGURE_SECONDS, true, true},
};
const int layer_shown_count = LENGTH(layer_shown);
