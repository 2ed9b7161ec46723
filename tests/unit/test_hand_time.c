/*
 * What is sent, how long it takes, and serving, worked by hand, one row a case. Rings send 2 (n-1)/n of a tensor for an
 * all-reduce and (n-1)/n for its halves (Thakur et al. 2005); the counts follow Korthikanti et al. 2022 section 4.2,
 * Narayanan et al. 2021 section 3.2, Rajbhandari et al. 2020 section 7 and the code that core/estimate/comm.def names.
 */
#include "core/estimate/stage_time.h"
#include "tests/hand.h"

/* ---- traffic: eight GPUs, three micro-batches of one sequence unless said ---------------------------------------- */

#define DENSE_OF_EXPERTS (2 * V * H + H + 4 * (ATT(1) + E * H + 3 * H * FS))
#define EXPERT_WEIGHTS   (4 * E / 4 * 3 * H * FE) /* of four layers, with ep 4 */

#define HYBRID                                                                                                         \
    "num_layers=4 layer_pattern=M-M* mamba_num_heads=8 mamba_head_dim=64 mamba_state_dim=16 mamba_num_groups=1 "

#define TUNED DENSE "framework.name=nemo-lora lora_rank=16 lora_targets=[qkv,o] "

static const struct hand tensor_parallel[] = {
    {DENSE "tp=2 global_batch_size=12", "comm.0.TP_FORWARD.count",
     2 * L * 3}, /* after attention and feed-forward block */
    {DENSE "tp=2 global_batch_size=12", "comm.0.TP_FORWARD.message_bytes", 2 * H * S},
    {DENSE "tp=2 global_batch_size=12", "comm.0.TP_FORWARD.groups", 4},
    {DENSE "tp=2 pp=2 global_batch_size=6", "comm.0.TP_FORWARD.groups", 2},
    {DENSE "tp=4 global_batch_size=6", "comm.0.TP_FORWARD.sent_bytes_per_rank", 2 * L * 3 * 2 * H * S * 2 * 3 / 4},
    {DENSE "tp=4 global_batch_size=6", "comm.0.TP_FORWARD.cluster_bytes", 8 * 2 * L * 3 * 2 * H * S * 2 * 3 / 4},
    {DENSE "tp=4 pp=2 global_batch_size=3", "comm.0.TP_FORWARD.cluster_bytes", 4 * 2 * 2 * 3 * 2 * H * S * 2 * 3 / 4},
    {DENSE "tp=2 global_batch_size=12 recompute=full", "comm.0.TP_FORWARD.count", 2 * 2 * L * 3},
    {DENSE "tp=2 global_batch_size=12", "comm.0.TP_BACKWARD.count", 2 * L * 3},
    {DENSE "tp=2 global_batch_size=12", "comm.0.TP_BACKWARD.message_bytes", 2 * H * S},
    {EXPERTS FSDP "moe_first_dense=1 tp=2 global_batch_size=12", "comm.0.TP_BACKWARD.count", 2 * L * 3},
    {EXPERTS FSDP "tp=2 global_batch_size=12", "comm.0.TP_FORWARD.count", 2 * L * 3},
    {DENSE "tp=2 sp=true global_batch_size=12", "comm.0.TP_FORWARD.when", 0},
    {DENSE "tp=2 sp=true global_batch_size=12", "comm.0.TP_BACKWARD.when", 0},
    {DENSE "tp=2 sp=true global_batch_size=12", "comm.0.SP_GATHER_F.count", 2 * L * 3},
    {DENSE "tp=2 sp=true global_batch_size=12", "comm.0.SP_GATHER_F.message_bytes", 2 * H * S}, /* the whole tensor */
    {DENSE "tp=2 sp=true global_batch_size=12 recompute=full", "comm.0.SP_GATHER_F.count", 2 * 2 * L * 3},
    {DENSE "tp=2 sp=true global_batch_size=12 recompute=selective recompute_modules=[mlp]",
     "comm.0.SP_GATHER_F.count", (2 + 1) * L * 3},
    {DENSE "tp=2 sp=true global_batch_size=12 recompute=selective", "comm.0.SP_GATHER_F.count", 2 * L * 3},
    {DENSE "tp=2 sp=true global_batch_size=12 recompute=full recompute_method=block recompute_num_layers=1",
     "comm.0.SP_GATHER_F.count", (2 * L + 2) * 3},
    {EXPERTS "moe_first_dense=1 tp=2 sp=true etp=1 global_batch_size=12 recompute=selective "
             "recompute_modules=[shared_experts]",
     "comm.0.SP_SCATTER_F.count", (2 * L + 3) * 3},
    {DENSE "tp=2 sp=true global_batch_size=12", "comm.0.SP_SCATTER_F.count", 2 * L * 3},
    {DENSE "tp=2 sp=true global_batch_size=12 recompute=full", "comm.0.SP_SCATTER_F.count", 2 * 2 * L * 3},
    {DENSE "tp=2 sp=true global_batch_size=12", "comm.0.SP_SCATTER_F.message_bytes", 2 * H * S},
    {DENSE "tp=2 sp=true global_batch_size=12", "comm.0.SP_GATHER_B.count", 2 * L * 3},
    {DENSE "tp=2 sp=true global_batch_size=12", "comm.0.SP_GATHER_AGAIN.count", 2 * L * 3},
    {DENSE "tp=2 sp=true global_batch_size=12", "comm.0.SP_GATHER_AGAIN.message_bytes", 2 * H * S},
    {DENSE "tp=2 sp=true global_batch_size=12", "comm.0.SP_GATHER_B.message_bytes", 2 * H * S},
    {DENSE "tp=2 sp=true global_batch_size=12", "comm.0.SP_SCATTER_B.count", 2 * L * 3},
    {DENSE "tp=2 sp=true global_batch_size=12", "comm.0.SP_SCATTER_B.message_bytes", 2 * H * S},
    {DENSE NT "tp=2 tp_mode=reduce_scatter global_batch_size=12", "comm.0.SP_GATHER_AGAIN.count", 2 * L * 3},
    {DENSE NT_OLD "tp=2 tp_mode=reduce_scatter global_batch_size=12", "comm.0.SP_GATHER_B.count", 2 * L * 3},
    {DENSE NT_OLD "tp=2 tp_mode=reduce_scatter global_batch_size=12", "comm.0.SP_GATHER_AGAIN.when", 0},
    {DENSE FSDP "tp=2 sp=true global_batch_size=12", "comm.0.SP_GATHER_B.count", 2 * L * 3},
    {DENSE FSDP "tp=2 sp=true global_batch_size=12", "comm.0.SP_GATHER_AGAIN.when", 0},
    /* a policy keeps what was scattered, not what was gathered; a checkpoint stops before the last product's sum */
    {DENSE FSDP "tp=2 sp=true global_batch_size=12 recompute=selective", "comm.0.SP_GATHER_F.count", 2 * 2 * L * 3},
    {DENSE FSDP "tp=2 sp=true global_batch_size=12 recompute=selective", "comm.0.SP_SCATTER_F.count", 2 * L * 3},
    {DENSE FSDP "tp=2 sp=true global_batch_size=12 recompute=full", "comm.0.SP_GATHER_F.count", 2 * 2 * L * 3},
    {DENSE FSDP "tp=2 sp=true global_batch_size=12 recompute=full", "comm.0.SP_SCATTER_F.count", (2 + 1) * L * 3},
    {DENSE FSDP "tp=2 global_batch_size=12 recompute=full", "comm.0.TP_FORWARD.count", (2 + 1) * L * 3},
    /* experts take their tokens without tensor parallelism; the shared one gathers */
    {EXPERTS "moe_first_dense=1 tp=2 sp=true etp=1 global_batch_size=12", "comm.0.SP_GATHER_F.count", (2 + 2 * 3) * 3},
    {EXPERTS "moe_first_dense=1 moe_shared_ffn_hidden_size=0 tp=2 sp=true etp=1 global_batch_size=12",
     "comm.0.SP_GATHER_F.count", (2 + 3) * 3},
    {EXPERTS "moe_first_dense=1 tp=2 sp=true etp=1 global_batch_size=12 recompute=full", "comm.0.SP_GATHER_F.count",
     2 * (2 + 2 * 3) * 3},
    {EXPERTS "moe_first_dense=1 tp=2 sp=true etp=1 global_batch_size=12 recompute=full", "comm.0.SP_SCATTER_F.count",
     2 * (2 + 2 * 3) * 3},
    {EXPERTS "moe_first_dense=1 tp=2 sp=true etp=1 global_batch_size=12 recompute=selective "
             "recompute_modules=[shared_experts]",
     "comm.0.SP_GATHER_F.count", (2 + 2 * 3 + 3) * 3},
    {EXPERTS "moe_first_dense=1 tp=2 sp=true etp=1 global_batch_size=12 recompute=selective recompute_modules=[moe]",
     "comm.0.SP_GATHER_F.count", (2 + 2 * 3 + 3) * 3}, /* the shared one is part of the block */
    {EXPERTS "moe_first_dense=1 tp=2 sp=true etp=1 global_batch_size=12 recompute=selective recompute_modules=[mlp]",
     "comm.0.SP_GATHER_F.count", (2 + 1 + 2 * 3) * 3},
    {EXPERTS "moe_first_dense=1 tp=2 sp=true etp=1 global_batch_size=12", "comm.0.SP_GATHER_AGAIN.count",
     (2 + 2 * 3) * 3},
    {LATENT "tp=2 sp=true global_batch_size=12", "comm.0.SP_GATHER_AGAIN.count", L * 3},
    {LATENT "tp=2 sp=true global_batch_size=12", "comm.0.SP_SCATTER_B.count", L * 3},
    {LATENT "tp=2 sp=true global_batch_size=12", "comm.0.SP_SCATTER_F.count", 2 * L * 3},
    {LATENT "tp=2 sp=true global_batch_size=12", "comm.0.SP_GATHER_B.count", 2 * L * 3},
    {LATENT "tp=2 sp=true global_batch_size=12 recompute=full", "comm.0.SP_GATHER_F.count", 2 * L * 3},
    {DENSE "tp=2 pp=2 sp=true global_batch_size=6", "comm.0.SP_GATHER_F.groups", 2},
    {DENSE "tp=2 pp=2 sp=true global_batch_size=6", "comm.0.SP_SCATTER_F.groups", 2},
    {DENSE "tp=2 pp=2 sp=true global_batch_size=6", "comm.0.SP_GATHER_B.groups", 2},
    {DENSE "tp=2 pp=2 sp=true global_batch_size=6", "comm.0.SP_GATHER_AGAIN.groups", 2},
    {DENSE "tp=2 pp=2 sp=true global_batch_size=6", "comm.0.SP_SCATTER_B.groups", 2},
    {DENSE "tp=2 pp=2 global_batch_size=6", "comm.0.TP_BACKWARD.groups", 2},
    {LATENT "tp=2 pp=2 sp=true global_batch_size=6", "comm.0.MLA_GATHER.groups", 2},
    {LATENT "tp=2 pp=2 sp=true global_batch_size=6", "comm.0.MLA_SCATTER.groups", 2},
    {DENSE "tp=4 pp=2 global_batch_size=3", "comm.0.KV_GATHER.groups", 1},
    {DENSE "tp=4 pp=2 global_batch_size=3", "comm.0.KV_SCATTER.groups", 1},
    {DENSE "tp=2 pp=2 sp=true global_batch_size=6", "comm.0.NORM_GRADIENTS.groups", 2},
    {DENSE "tp=2 pp=2 global_batch_size=6", "comm.0.EMBED_REDUCE.groups", 2},
    {DENSE "tp=2 pp=2 sp=true global_batch_size=6", "comm.0.EMBED_GATHER.groups", 2},
    {DENSE "tp=2 pp=2 sp=true global_batch_size=6", "comm.0.EMBED_SCATTER.groups", 2},
    {DENSE "tp=2 pp=2 sp=true global_batch_size=6", "comm.1.HEAD_GATHER.groups", 2},
    {DENSE "tp=2 pp=2 sp=true global_batch_size=6", "comm.1.HEAD_SCATTER.groups", 2},
    {DENSE "tp=2 pp=2 global_batch_size=6", "comm.1.HEAD_REDUCE.groups", 2},
    {DENSE "tp=2 pp=2 global_batch_size=6", "comm.1.HEAD_REDUCE.count", 3},
    {DENSE "tp=2 pp=2 global_batch_size=6", "comm.1.LOSS_REDUCE.groups", 2},
    {DENSE "tp=2 pp=2 cross_entropy=te_fused global_batch_size=6", "comm.1.LOSS_GATHER.groups", 2},
    /* adapters on queries to values and on outputs: whole outputs of one matrix a layer, narrow values of both */
    {TUNED "tp=2 sp=true global_batch_size=12", "comm.0.ADAPTER_FORWARD.count", L * 3},
    {TUNED "tp=2 sp=true global_batch_size=12", "comm.0.ADAPTER_FORWARD.message_bytes", 2 * H * S},
    {TUNED "tp=2 sp=true global_batch_size=12 recompute=full", "comm.0.ADAPTER_FORWARD.count", 2 * L * 3},
    {TUNED "tp=2 sp=true global_batch_size=12", "comm.0.ADAPTER_BACKWARD.count", L * 3},
    {TUNED "tp=2 global_batch_size=12", "comm.0.ADAPTER_BACKWARD.when", 0},
    {TUNED "tp=2 sp=true global_batch_size=12", "comm.0.ADAPTER_REDUCE.count", 2 * 2 * L * 3},
    {TUNED "tp=2 sp=true global_batch_size=12", "comm.0.ADAPTER_REDUCE.message_bytes", 2 * 16 * S},
    {TUNED "tp=2 sp=true global_batch_size=12", "comm.0.SP_GATHER_AGAIN.when", 0}, /* frozen weights */
    {DENSE "tp=1", "comm.0.TP_FORWARD.when", 0},
    {DENSE "tp=1", "comm.0.TP_BACKWARD.when", 0},
    {DENSE "tp=1", "comm.0.LOSS_REDUCE.when", 0},
    {DENSE "tp=1", "comm.0.EMBED_REDUCE.when", 0},
    {DENSE "tp=1", "comm.0.HEAD_REDUCE.when", 0},
    {DENSE "tp=1 cross_entropy=te_fused", "comm.0.LOSS_GATHER.when", 0},
    {DENSE "tp=1 qk_norm=head", "comm.0.NORM_GRADIENTS.when", 0},
    {EXPERTS "moe_first_dense=1 moe_shared_ffn_hidden_size=0 tp=2 sp=true etp=1 global_batch_size=12",
     "comm.0.SP_SCATTER_F.count", (2 + 3) * 3},
    {EXPERTS "moe_first_dense=1 moe_shared_ffn_hidden_size=0 tp=2 sp=true etp=1 global_batch_size=12",
     "comm.0.SP_GATHER_AGAIN.count", (2 + 3) * 3},
    {EXPERTS "moe_first_dense=1 moe_shared_ffn_hidden_size=0 tp=2 sp=true etp=1 global_batch_size=12",
     "comm.0.SP_SCATTER_B.count", (2 + 3) * 3},
    {EXPERTS "moe_first_dense=1 tp=2 sp=true etp=1 global_batch_size=12 recompute=full", "comm.0.SP_GATHER_B.count",
     (2 + 2 * 3) * 3},
    {EXPERTS "moe_first_dense=1 tp=2 sp=true etp=1 global_batch_size=12", "comm.0.SP_SCATTER_B.count", (2 + 2 * 3) * 3},
    {EXPERTS "moe_first_dense=1 tp=2 sp=true etp=1 global_batch_size=12", "comm.0.SP_SCATTER_F.count", (2 + 2 * 3) * 3},
    {DENSE "tp=2 pp=2 global_batch_size=6", "comm.0.EMBED_REDUCE.count", 3},
    {DENSE "tp=2 pp=2 global_batch_size=6", "comm.0.EMBED_REDUCE.message_bytes", 2 * H * S},
    {DENSE "tp=2 pp=2 global_batch_size=6", "comm.1.EMBED_REDUCE.when", 0},
    /* a layer of multi-token prediction runs embedding, output layer and loss once more where the model ends */
    {DENSE "tp=2 pp=2 mtp_num_layers=1 global_batch_size=6", "comm.0.EMBED_REDUCE.count", 3},
    {DENSE "tp=2 pp=2 mtp_num_layers=1 global_batch_size=6", "comm.1.EMBED_REDUCE.count", 3},
    {DENSE "tp=2 pp=1 mtp_num_layers=2 global_batch_size=12", "comm.0.EMBED_REDUCE.count", (1 + 2) * 3},
    {DENSE "tp=2 sp=true pp=2 mtp_num_layers=1 global_batch_size=6", "comm.1.EMBED_GATHER.count", 3},
    {DENSE "tp=2 sp=true pp=2 mtp_num_layers=1 global_batch_size=6", "comm.1.EMBED_SCATTER.count", 3},
    {DENSE "tp=2 sp=true pp=2 mtp_num_layers=1 global_batch_size=6", "comm.0.EMBED_SCATTER.count", 3},
    {DENSE "tp=2 sp=true mtp_num_layers=2 global_batch_size=12", "comm.0.EMBED_SCATTER.count", (1 + 2) * 3},
    {DENSE "tp=2 sp=true mtp_num_layers=2 global_batch_size=12", "comm.0.EMBED_GATHER.count", (1 + 2) * 3},
    {DENSE "tp=2 sp=true pp=2 global_batch_size=6", "comm.0.EMBED_SCATTER.count", 3},
    {DENSE "tp=2 sp=true pp=2 global_batch_size=6", "comm.0.EMBED_GATHER.count", 3},
    {DENSE "tp=2 sp=true pp=2 global_batch_size=6", "comm.1.EMBED_SCATTER.when", 0},
    {DENSE "tp=2 pp=2 mtp_num_layers=1 global_batch_size=6", "comm.1.EMBED_SCATTER.when", 0},
    {DENSE "tp=2 pp=2 mtp_num_layers=1 global_batch_size=6", "comm.1.EMBED_GATHER.when", 0},
    {DENSE "tp=2 sp=true pp=2 mtp_num_layers=1 global_batch_size=6", "comm.1.EMBED_REDUCE.when", 0},
    {DENSE "tp=2 sp=true pp=2 mtp_num_layers=1 global_batch_size=6", "comm.0.HEAD_GATHER.when", 0},
    {DENSE "tp=2 sp=true pp=2 mtp_num_layers=1 global_batch_size=6", "comm.0.HEAD_SCATTER.when", 0},
    {DENSE "tp=2 pp=2 mtp_num_layers=1 global_batch_size=6", "comm.0.LOSS_REDUCE.when", 0},
    {DENSE "tp=2 pp=2 mtp_num_layers=1 cross_entropy=te_fused global_batch_size=6", "comm.0.LOSS_GATHER.when", 0},
    {DENSE "tp=2 pp=2 mtp_num_layers=1 cross_entropy=te_fused global_batch_size=6", "comm.1.LOSS_GATHER.count", 2 * 3},
    {DENSE "tp=2 pp=2 mtp_num_layers=1 cross_entropy=native_fused global_batch_size=6", "comm.1.LOSS_REDUCE.count",
     2 * 2 * 3},
    {DENSE "tp=2 sp=true pp=2 mtp_num_layers=1 global_batch_size=6", "comm.1.HEAD_GATHER.count", 2 * 2 * 3},
    {DENSE "tp=2 sp=true pp=2 mtp_num_layers=1 global_batch_size=6", "comm.1.HEAD_SCATTER.count", 2 * 3},
    {DENSE "tp=2 pp=2 mtp_num_layers=1 global_batch_size=6", "comm.1.HEAD_REDUCE.count", 2 * 3},
    {DENSE "tp=2 pp=2 mtp_num_layers=1 global_batch_size=6", "comm.1.LOSS_REDUCE.count", 2 * 3 * 3},
    {DENSE "tp=2 sp=true pp=2 global_batch_size=6", "comm.0.EMBED_SCATTER.message_bytes", 2 * H * S},
    {DENSE "tp=2 sp=true pp=2 global_batch_size=6", "comm.0.EMBED_GATHER.message_bytes", 2 * H * S},
    {DENSE "tp=2 sp=true pp=2 global_batch_size=6", "comm.1.EMBED_GATHER.when", 0},
    {DENSE "tp=2 pp=2 global_batch_size=6", "comm.1.HEAD_REDUCE.message_bytes", 2 * H * S},
    {DENSE "tp=2 pp=2 global_batch_size=6", "comm.0.HEAD_REDUCE.when", 0},
    {DENSE "tp=2 sp=true pp=2 global_batch_size=6", "comm.1.HEAD_GATHER.count", 2 * 3}, /* forward and backward */
    {DENSE "tp=2 sp=true pp=2 global_batch_size=6", "comm.1.HEAD_GATHER.message_bytes", 2 * H * S},
    {DENSE "tp=2 sp=true pp=2 global_batch_size=6", "comm.1.HEAD_SCATTER.count", 3},
    {DENSE "tp=2 sp=true pp=2 global_batch_size=6", "comm.1.HEAD_SCATTER.message_bytes", 2 * H * S},
    {DENSE "tp=2 pp=2 global_batch_size=6", "comm.1.LOSS_REDUCE.count", 3 * 3}, /* maximum, target, sum */
    {DENSE "tp=2 pp=2 global_batch_size=6", "comm.1.LOSS_REDUCE.message_bytes", 4 * S},
    {DENSE "tp=2 cross_entropy=native_fused global_batch_size=12", "comm.0.LOSS_REDUCE.count", 2 * 3},
    {DENSE "tp=2 cross_entropy=native_fused global_batch_size=12", "comm.0.LOSS_REDUCE.message_bytes",
     6 * S}, /* 4, then 8 */
    {DENSE "tp=2 cross_entropy=te_fused global_batch_size=12", "comm.0.LOSS_GATHER.message_bytes", 12 * S * 2},
    {DENSE "tp=2 cross_entropy=te_fused global_batch_size=12", "comm.0.LOSS_GATHER.count", 3},
    {DENSE "tp=2 cross_entropy=te_fused global_batch_size=12", "comm.0.LOSS_REDUCE.when", 0},
    {DENSE "tp=2 sp=true", "comm.0.NORM_GRADIENTS.message_bytes", 4 * L * 2 * H},
    {DENSE "tp=2 sp=true", "comm.0.NORM_GRADIENTS.count", 1},
    {DENSE "tp=2 sp=true normalization=layernorm add_bias_linear=true", "comm.0.NORM_GRADIENTS.message_bytes",
     4 * L * (2 * 2 * H + 2 * H)},
    {DENSE "tp=2 qk_norm=head", "comm.0.NORM_GRADIENTS.message_bytes", 4 * L * 2 * K},
    {DENSE "tp=2", "comm.0.NORM_GRADIENTS.when", 0},
    /* latent attention is compressed on the sequence's shard: its narrow tensors are gathered, once more in backward */
    {LATENT "tp=2 sp=true global_batch_size=12", "comm.0.MLA_GATHER.count", 2 * L * 3},
    {LATENT "tp=2 sp=true global_batch_size=12 recompute=full", "comm.0.MLA_GATHER.count", 3 * L * 3},
    {LATENT "tp=2 sp=true global_batch_size=12", "comm.0.MLA_GATHER.message_bytes", 2 * (QL + KL + QR) * S},
    {LATENT "tp=2 sp=true global_batch_size=12", "comm.0.MLA_GATHER.groups", 4},
    {LATENT "tp=2 sp=true global_batch_size=12", "comm.0.MLA_SCATTER.count", L * 3},
    {LATENT "tp=2 sp=true global_batch_size=12", "comm.0.MLA_SCATTER.message_bytes", 2 * (QL + KL + QR) * S},
    {LATENT "tp=2 sp=true global_batch_size=12", "comm.0.SP_GATHER_F.count", L * 3}, /* for the feed-forward block */
    {DENSE "tp=2 sp=true", "comm.0.MLA_GATHER.when", 0},
    {DENSE "tp=2 sp=true", "comm.0.MLA_SCATTER.when", 0},
    /* two key/value heads on four ranks: the ranks that share one gather the product */
    {DENSE "tp=4 global_batch_size=6", "comm.0.KV_GATHER.count", L * 3},
    {DENSE "tp=4 global_batch_size=6 recompute=full", "comm.0.KV_GATHER.count", 2 * L * 3},
    {DENSE "tp=4 global_batch_size=6", "comm.0.KV_GATHER.message_bytes", 2 * (A + 2 * G) * K * S},
    {DENSE "tp=4 global_batch_size=6", "comm.0.KV_SCATTER.count", L * 3},
    {DENSE "tp=4 global_batch_size=6", "comm.0.KV_SCATTER.message_bytes", 2 * (A + 2 * G) * K * S},
    {DENSE "tp=2 global_batch_size=12", "comm.0.KV_GATHER.when", 0}, /* a head each */
    {DENSE "tp=2 global_batch_size=12", "comm.0.KV_SCATTER.when", 0},
};

/* The ring sends keys and values c - 1 times, backward their gradients too; all-to-all sends q, k, v and the output. */
static const struct hand context_and_pipeline[] = {
    {DENSE "cp=4 global_batch_size=6", "comm.0.CP_RING_F.count", 3 * L * 3},
    {DENSE "cp=4 global_batch_size=6 recompute=full", "comm.0.CP_RING_F.count", 2 * 3 * L * 3},
    {DENSE "cp=4 global_batch_size=6", "comm.0.CP_RING_F.message_bytes", 2 * 2 * S / 4 * G * K},
    {DENSE "cp=4 global_batch_size=6", "comm.0.CP_RING_F.groups", 2},
    {DENSE "cp=4 tp=2 global_batch_size=3", "comm.0.CP_RING_F.message_bytes", 2 * 2 * S / 4 * G / 2 * K},
    {LATENT "cp=4 tp=2 sp=true global_batch_size=3", "comm.0.CP_RING_F.message_bytes",
     2 * S / 4 * A / 2 * (QN + QR + VD)},
    {DENSE "cp=4 global_batch_size=6", "comm.0.CP_RING_B.count", 2 * 3 * L * 3},
    /* two ranks are the least of a group, one needs nothing */
    {DENSE "cp=2 global_batch_size=12", "comm.0.CP_RING_F.count", 1 * L * 3},
    {DENSE "cp=2 global_batch_size=12", "comm.0.CP_RING_B.count", 2 * 1 * L * 3},
    {DENSE "cp=2 global_batch_size=12", "comm.0.CP_RING_B.group_size", 2},
    {DENSE "cp=2 global_batch_size=12", "comm.0.CP_RING_B.groups", 4},
    {DENSE "cp=2 cp_comm=all_gather global_batch_size=12", "comm.0.CP_GATHER.count", 2 * L * 3},
    {DENSE "cp=2 cp_comm=all_gather global_batch_size=12", "comm.0.CP_GATHER.groups", 4},
    {DENSE "cp=2 cp_comm=all_gather global_batch_size=12", "comm.0.CP_SCATTER.count", L * 3},
    {DENSE "cp=2 cp_comm=all_gather global_batch_size=12", "comm.0.CP_SCATTER.groups", 4},
    {DENSE FSDP "cp=2 cp_comm=all_gather global_batch_size=12", "comm.0.CP_RING_G.count", 2 * L * 3},
    {DENSE FSDP "cp=2 cp_comm=all_gather global_batch_size=12", "comm.0.CP_RING_G.groups", 4},
    /* PyTorch's ring: keys and values once more, their fp32 gradients as often as there are ranks */
    {DENSE FSDP "cp=2 cp_comm=p2p global_batch_size=12", "comm.0.CP_RING_B.count", L * 3},
    {DENSE FSDP "cp=2 cp_comm=p2p global_batch_size=12", "comm.0.CP_RING_G.count", 2 * L * 3},
    {DENSE FSDP "cp=2 cp_comm=p2p tp=2 global_batch_size=6", "comm.0.CP_RING_G.message_bytes",
     4 * 2 * S / 2 * A / 2 * K},
    {LATENT FSDP "cp=2 cp_comm=p2p tp=2 global_batch_size=6", "comm.0.CP_RING_G.message_bytes",
     4 * S / 2 * A / 2 * (QN + QR + VD)},
    {DENSE FSDP "cp=2 cp_comm=a2a global_batch_size=12", "comm.0.CP_RING_G.when", 0},
    {DENSE "cp=2 cp_comm=p2p global_batch_size=12", "comm.0.CP_RING_G.when", 0},
    {DENSE FSDP "", "symbols.waits_for_ring", 0}, /* eager: beside the next step */
    {DENSE FSDP "compile=true", "symbols.waits_for_ring", 1},
    /* what merges steps: of c - 1 outputs forward, of c gradients backward; the factor of the list is no part of it */
    {DENSE FSDP "cp=4 cp_comm=all_gather tp=2 compile=true", "op.CORE.fwd_bytes", 3 * 9.5 / 0.8 * A * K / 2 * S / 4},
    {DENSE FSDP "cp=4 cp_comm=all_gather tp=2 compile=true", "op.CORE.bwd_bytes", 4 * 28.5 / 0.8 * A * K / 2 * S / 4},
    {DENSE FSDP "cp=4 cp_comm=p2p", "op.CORE.fwd_bytes", 3 * 40.5 / 2.15 * A * K * S / 4},
    {DENSE FSDP "cp=4 cp_comm=p2p", "op.CORE.bwd_bytes", 4 * 58.5 / 2.15 * A * K * S / 4},
    {LATENT FSDP "cp=4 tp=2 compile=true", "op.MLA_CORE.fwd_bytes", 3 * 9.5 / 0.8 * A / 2 * VD * S / 4},
    {LATENT FSDP "cp=4 tp=2 compile=true", "op.MLA_CORE.bwd_bytes",
     4 * 9.5 / 0.8 * A / 2 * (2 * (QN + QR) + VD) * S / 4},
    {DENSE FSDP "cp=2 cp_comm=a2a", "op.CORE.fwd_bytes", 0},
    {DENSE FSDP "", "op.CORE.bwd_bytes", 0},
    {DENSE "cp=4", "op.CORE.fwd_bytes", 0},
    {DENSE "cp=2 cp_comm=a2a global_batch_size=12", "comm.0.CP_A2A.groups", 4},
    {DENSE "cp=1", "comm.0.CP_RING_F.when", 0},
    {DENSE "cp=1", "comm.0.CP_RING_B.when", 0},
    {DENSE "cp=1 cp_comm=all_gather", "comm.0.CP_GATHER.when", 0},
    {DENSE "cp=1 cp_comm=all_gather", "comm.0.CP_SCATTER.when", 0},
    {DENSE FSDP "cp=1 cp_comm=all_gather", "comm.0.CP_RING_G.when", 0},
    {DENSE "cp=1 cp_comm=a2a", "comm.0.CP_A2A.when", 0},
    {DENSE "cp=4 pp=2 global_batch_size=3", "comm.0.CP_RING_F.groups", 1},
    {DENSE "cp=4 pp=2 global_batch_size=3", "comm.0.CP_RING_B.groups", 1},
    {DENSE "cp=2 pp=2 cp_comm=all_gather global_batch_size=6", "comm.0.CP_GATHER.groups", 2},
    {DENSE "cp=2 pp=2 cp_comm=all_gather global_batch_size=6", "comm.0.CP_SCATTER.groups", 2},
    {DENSE "cp=2 pp=2 cp_comm=a2a global_batch_size=6", "comm.0.CP_A2A.groups", 2},
    {DENSE "cp=2 cp_comm=a2a global_batch_size=12 recompute=selective", "comm.0.CP_A2A.count", 3 * L * 3},
    {DENSE "cp=4 global_batch_size=6 recompute=selective", "comm.0.CP_RING_F.count", 2 * 3 * L * 3},
    {DENSE "pp=1", "comm.0.PP_FORWARD.when", 0},
    {DENSE "pp=1", "comm.0.PP_BACKWARD.when", 0},
    {DENSE "cp=4 global_batch_size=6", "comm.0.CP_RING_B.message_bytes", 2 * 2 * S / 4 * G * K},
    {LATENT "cp=4 tp=2 sp=true global_batch_size=3", "comm.0.CP_RING_B.message_bytes",
     2 * S / 4 * A / 2 * (QN + QR + VD)},
    {DENSE "cp=4 cp_comm=all_gather global_batch_size=6", "comm.0.CP_GATHER.count", 2 * L * 3},
    {DENSE "cp=4 cp_comm=all_gather global_batch_size=6 recompute=full", "comm.0.CP_GATHER.count", 3 * L * 3},
    {DENSE "cp=4 cp_comm=all_gather global_batch_size=6 recompute=selective", "comm.0.CP_GATHER.count", 3 * L * 3},
    {DENSE "cp=4 cp_comm=all_gather global_batch_size=6 recompute=selective recompute_modules=[mlp]",
     "comm.0.CP_GATHER.count", 2 * L * 3},
    {DENSE "cp=4 cp_comm=all_gather global_batch_size=6", "comm.0.CP_GATHER.message_bytes", 2 * 2 * S * G * K},
    {LATENT "cp=4 tp=2 sp=true cp_comm=all_gather global_batch_size=3", "comm.0.CP_GATHER.message_bytes",
     2 * S * A / 2 * (QN + QR + VD)},
    {DENSE "cp=4 cp_comm=all_gather global_batch_size=6", "comm.0.CP_SCATTER.count", L * 3},
    {DENSE "cp=4 cp_comm=all_gather global_batch_size=6", "comm.0.CP_SCATTER.message_bytes", 2 * 2 * S * G * K},
    {LATENT "cp=4 tp=2 sp=true cp_comm=all_gather global_batch_size=3", "comm.0.CP_SCATTER.message_bytes",
     2 * S * A / 2 * (QN + QR + VD)},
    /* PyTorch gathers keys and values repeated to all query heads, and passes their fp32 gradients on four times */
    {DENSE FSDP "cp=4 cp_comm=all_gather global_batch_size=6", "comm.0.CP_GATHER.message_bytes", 2 * 2 * S * A * K},
    {DENSE FSDP "cp=4 cp_comm=all_gather global_batch_size=6", "comm.0.CP_SCATTER.when", 0},
    {DENSE FSDP "cp=4 cp_comm=all_gather global_batch_size=6", "comm.0.CP_RING_G.count", 4 * L * 3},
    {DENSE FSDP "cp=4 cp_comm=all_gather global_batch_size=6", "comm.0.CP_RING_G.message_bytes", 2 * 4 * S / 4 * A * K},
    {DENSE FSDP "cp=2 tp=2 sp=true cp_comm=all_gather global_batch_size=6", "comm.0.CP_RING_G.message_bytes",
     2 * 4 * S / 2 * A / 2 * K},
    {DENSE "cp=4 cp_comm=all_gather global_batch_size=6", "comm.0.CP_RING_G.when", 0},
    {DENSE "cp=2 cp_comm=a2a global_batch_size=12", "comm.0.CP_A2A.count", 2 * L * 3},
    {DENSE "cp=2 cp_comm=a2a global_batch_size=12 recompute=full", "comm.0.CP_A2A.count", 3 * L * 3},
    {DENSE "cp=2 cp_comm=a2a global_batch_size=12", "comm.0.CP_A2A.message_bytes", 2 * S / 2 * (2 * A + 2 * G) * K},
    {DENSE "cp=2 cp_comm=a2a global_batch_size=12", "comm.0.CP_A2A.factor", 0.5},
    {DENSE "cp=2 cp_comm=a2a tp=2 num_query_groups=8 global_batch_size=6", "comm.0.CP_A2A.message_bytes",
     2 * S / 2 * (2 * A + 2 * 8) / 2 * K},
    {LATENT "cp=2 cp_comm=a2a tp=2 sp=true num_query_groups=8 global_batch_size=6", "comm.0.CP_A2A.message_bytes",
     2 * S / 2 * A / 2 * (2 * (QN + QR) + 2 * VD)},
    {DENSE "cp=2 cp_comm=a2a global_batch_size=12", "comm.0.CP_RING_F.when", 0},
    {DENSE "cp=2 cp_comm=a2a global_batch_size=12", "comm.0.CP_GATHER.when", 0},
    {DENSE "cp=2 cp_comm=all_gather global_batch_size=12", "comm.0.CP_A2A.when", 0},
    {DENSE "pp=2 global_batch_size=12", "comm.0.PP_FORWARD.count", 3},
    {DENSE "pp=2 global_batch_size=12", "comm.0.PP_BACKWARD.when", 0},
    {DENSE "pp=2 global_batch_size=12", "comm.1.PP_FORWARD.when", 0},
    /* a V over two stages: the first ends what it began, the second hands its own chunks on inside itself */
    {DENSE "pp=2 vpp=2 schedule=zb-v global_batch_size=12", "comm.0.PP_FORWARD.count", 2 * 3 - 3},
    {DENSE "pp=2 vpp=2 schedule=zb-v global_batch_size=12", "comm.1.PP_FORWARD.count", 2 * 3 - 3},
    {DENSE "pp=2 vpp=2 schedule=zb-v global_batch_size=12", "comm.0.PP_BACKWARD.count", 2 * 3 - 3},
    {DENSE "pp=2 vpp=2 schedule=zb-v global_batch_size=12", "comm.1.PP_BACKWARD.count", 2 * 3 - 3},
    {DENSE "pp=2 global_batch_size=12", "comm.1.PP_BACKWARD.count", 3},
    {DENSE "pp=2 vpp=2 global_batch_size=16", "comm.0.PP_FORWARD.count", 2 * 4},
    {DENSE "pp=2 vpp=2 global_batch_size=16", "comm.0.PP_BACKWARD.count", 2 * 4 - 4},
    {DENSE "pp=2 vpp=2 global_batch_size=16", "comm.1.PP_FORWARD.count", 2 * 4 - 4},
    {DENSE "pp=2 vpp=2 global_batch_size=16", "comm.1.PP_BACKWARD.count", 2 * 4},
    {DENSE "pp=2 global_batch_size=12", "comm.0.PP_FORWARD.sent_bytes_per_rank", 3 * 2 * H * S},
    {DENSE "pp=2 global_batch_size=12", "comm.0.PP_FORWARD.groups", 4},
    {DENSE "pp=2 global_batch_size=12", "comm.1.PP_BACKWARD.group_size", 2},
    {DENSE "pp=2 tied_embeddings=true", "comm.1.TIED.message_bytes", 4 * V * H},
    {DENSE "pp=2 mtp_num_layers=1", "comm.1.TIED.message_bytes", 4 * V * H}, /* its embedding is the first stage's */
    {DENSE "pp=2", "comm.1.TIED.when", 0},
    {DENSE "pp=4 tied_embeddings=true", "comm.1.TIED.when", 0},
    {DENSE "pp=4 tied_embeddings=true", "comm.3.TIED.count", 1},
    {DENSE "pp=2 tp=2 tied_embeddings=true", "comm.0.TIED.message_bytes", 4 * V / 2 * H},
    {DENSE "pp=2 tp=2 tied_embeddings=true", "comm.0.TIED.group_size", 2},
};

/* Dispatch and combination, forward and backward: four times a token's copies; twice more where they are repeated. */
static const struct hand expert_parallel[] = {
    {EXPERTS "moe_first_dense=1 ep=4 global_batch_size=24", "comm.0.EP_DISPATCH.count", 1 * 3 * 3},
    {EXPERTS "moe_first_dense=1 ep=4 global_batch_size=24", "comm.0.EP_COMBINE.count", 3 * 3 * 3},
    {EXPERTS "moe_first_dense=1 ep=4 global_batch_size=24 recompute=full", "comm.0.EP_DISPATCH.count", 2 * 3 * 3},
    {EXPERTS "moe_first_dense=1 ep=4 global_batch_size=24 recompute=full", "comm.0.EP_COMBINE.count", 4 * 3 * 3},
    {EXPERTS "moe_first_dense=1 ep=4 global_batch_size=24 recompute=selective recompute_modules=[moe]",
     "comm.0.EP_DISPATCH.count", 2 * 3 * 3}, /* tokens go to the experts and back once more */
    {EXPERTS "moe_first_dense=1 ep=4 global_batch_size=24 recompute=selective recompute_modules=[moe_act]",
     "comm.0.EP_DISPATCH.count", 1 * 3 * 3},
    {EXPERTS "ep=2 global_batch_size=24", "comm.0.EP_DISPATCH.count", L * 3},
    {EXPERTS "ep=2 global_batch_size=24", "comm.0.EP_DISPATCH.groups", 4},
    {EXPERTS "ep=2 global_batch_size=24", "comm.0.EP_COMBINE.count", 3 * L * 3},
    {EXPERTS "ep=2 global_batch_size=24", "comm.0.EP_COMBINE.groups", 4},
    {EXPERTS "ep=1", "comm.0.EP_DISPATCH.when", 0},
    {EXPERTS "ep=1", "comm.0.EP_COMBINE.when", 0},
    {EXPERTS "ep=1 moe_dispatcher=allgather", "comm.0.EP_GATHER.when", 0},
    {EXPERTS "ep=1 moe_dispatcher=allgather", "comm.0.EP_SCATTER.when", 0},
    {EXPERTS "ep=2 moe_dispatcher=allgather global_batch_size=24", "comm.0.EP_GATHER.count", 2 * L * 3},
    {EXPERTS "ep=2 moe_dispatcher=allgather global_batch_size=24", "comm.0.EP_SCATTER.groups", 4},
    {EXPERTS "ep=2 moe_dispatcher=allgather global_batch_size=24", "comm.0.EP_DISPATCH.when", 0},
    {EXPERTS "ep=2 moe_dispatcher=allgather global_batch_size=24", "comm.0.EP_COMBINE.when", 0},
    {DENSE "tp=2", "comm.0.EP_DISPATCH.when", 0},
    /* no experts on this stage */
    {EXPERTS "ep=4 pp=2 moe_first_dense=2 global_batch_size=12", "comm.0.EP_DISPATCH.when", 0},
    {EXPERTS "ep=4 pp=2 moe_first_dense=2 global_batch_size=12", "comm.0.EP_COMBINE.when", 0},
    {EXPERTS "ep=4 pp=2 moe_first_dense=2 global_batch_size=12", "comm.1.EP_DISPATCH.count", 2 * 3},
    {EXPERTS "ep=4 pp=2 moe_first_dense=2 moe_dispatcher=allgather global_batch_size=12", "comm.0.EP_GATHER.when", 0},
    {EXPERTS "ep=4 pp=2 moe_first_dense=2 moe_dispatcher=allgather global_batch_size=12", "comm.0.EP_SCATTER.when", 0},
    {EXPERTS "tp=2 sp=true etp=2 pp=2 moe_first_dense=2 global_batch_size=6", "comm.0.ETP_GATHER.when", 0},
    {EXPERTS "tp=2 sp=true etp=2 pp=2 moe_first_dense=2 global_batch_size=6", "comm.0.ETP_SCATTER.when", 0},
    {EXPERTS "tp=2 sp=true etp=2 pp=2 global_batch_size=6", "comm.0.ETP_SCATTER.groups", 2},
    {EXPERTS "tp=2 sp=true etp=2 pp=2 global_batch_size=6", "comm.0.ETP_GATHER.groups", 2},
    {EXPERTS "tp=2 sp=true etp=1 ep=2 global_batch_size=12", "comm.0.ETP_SCATTER.when", 0},
    {EXPERTS "tp=2 sp=true etp=2 ep=2 moe_dispatcher=allgather global_batch_size=12", "comm.0.ETP_SCATTER.when", 0},
    {EXPERTS "ep=4 global_batch_size=24", "comm.0.EP_DISPATCH.message_bytes", 2 * S * TOP * H},
    {EXPERTS "ep=4 global_batch_size=24 dtype=fp8", "comm.0.EP_DISPATCH.message_bytes", 2 * S * TOP * H},
    {EXPERTS "ep=4 global_batch_size=24 dtype=fp8 moe_dispatcher=flex", "comm.0.EP_DISPATCH.message_bytes",
     2 * S * 4 * (1 - 27 / 64.0) * H}, /* one for each rank that any of 3 experts is on */
    {EXPERTS "ep=4 global_batch_size=24 dtype=fp8 moe_dispatcher=flex", "comm.0.EP_COMBINE.message_bytes",
     2 * S * 4 * (1 - 27 / 64.0) * H}, /* one for each rank that any of 3 experts is on */
    {EXPERTS "ep=4 global_batch_size=24", "comm.0.EP_COMBINE.sent_bytes_per_rank", 3 * L * 3 * 2 * S * TOP * H * 3 / 4},
    {EXPERTS "ep=4 tp=2 sp=true etp=1 global_batch_size=12", "comm.0.EP_DISPATCH.message_bytes", 2 * S / 2 * TOP * H},
    {EXPERTS "ep=4 global_batch_size=24", "comm.0.EP_DISPATCH.groups", 2},
    /* the ranks of an expert gather its tokens and sum what they computed, forward and backward */
    {EXPERTS "tp=2 sp=true etp=2 ep=2 global_batch_size=12", "comm.0.ETP_GATHER.count", 2 * L * 3},
    {EXPERTS "tp=2 sp=true etp=2 ep=2 global_batch_size=12", "comm.0.ETP_GATHER.message_bytes",
     2 * S / 2 * TOP * H * 2},
    {EXPERTS "tp=2 sp=true etp=2 ep=2 global_batch_size=12", "comm.0.ETP_GATHER.group_size", 2},
    {EXPERTS "tp=2 sp=true etp=2 ep=2 global_batch_size=12 recompute=full", "comm.0.ETP_GATHER.count", 3 * L * 3},
    {EXPERTS "tp=2 sp=true etp=2 ep=2 global_batch_size=12", "comm.0.ETP_SCATTER.count", 2 * L * 3},
    {EXPERTS "tp=2 sp=true etp=2 ep=2 global_batch_size=12 recompute=full", "comm.0.ETP_SCATTER.count", 3 * L * 3},
    {EXPERTS "tp=2 sp=true etp=2 ep=2 global_batch_size=12", "comm.0.ETP_SCATTER.sent_bytes_per_rank",
     2 * L * 3 * 2 * S / 2 * TOP * H * 2 / 2},
    {EXPERTS "tp=2 sp=true etp=1 ep=2 global_batch_size=12", "comm.0.ETP_GATHER.when", 0},
    {EXPERTS "tp=2 sp=true etp=2 ep=2 moe_dispatcher=allgather global_batch_size=12", "comm.0.ETP_GATHER.when", 0},
    {EXPERTS "ep=2 tp=2 sp=true etp=2 moe_dispatcher=allgather global_batch_size=12", "comm.0.EP_GATHER.count",
     2 * L * 3},
    {EXPERTS "ep=2 tp=2 sp=true etp=2 moe_dispatcher=allgather global_batch_size=12 recompute=full",
     "comm.0.EP_GATHER.count", 3 * L * 3},
    {EXPERTS "ep=2 tp=2 sp=true etp=2 moe_dispatcher=allgather global_batch_size=12", "comm.0.EP_GATHER.message_bytes",
     2 * S / 2 * 4 * H},
    {EXPERTS "ep=2 tp=2 sp=true etp=2 moe_dispatcher=allgather global_batch_size=12", "comm.0.EP_GATHER.group_size", 4},
    {EXPERTS "ep=2 tp=2 sp=true etp=2 moe_dispatcher=allgather global_batch_size=12", "comm.0.EP_SCATTER.count",
     2 * L * 3},
    {EXPERTS "ep=2 tp=2 sp=true etp=2 moe_dispatcher=allgather global_batch_size=12 recompute=full",
     "comm.0.EP_SCATTER.count", 3 * L * 3},
    {EXPERTS "ep=2 tp=2 sp=true etp=2 moe_dispatcher=allgather global_batch_size=12", "comm.0.EP_SCATTER.message_bytes",
     2 * S / 2 * 4 * H},
    {EXPERTS "ep=2 tp=2 sp=true etp=2 moe_dispatcher=allgather global_batch_size=12", "comm.0.EP_SCATTER.group_size",
     4},
    {EXPERTS "ep=2 tp=2 sp=true etp=2 moe_dispatcher=allgather global_batch_size=12", "comm.0.EP_SCATTER.groups", 2},
    {EXPERTS "ep=2 tp=2 sp=true etp=2 moe_dispatcher=allgather global_batch_size=12", "comm.0.EP_GATHER.groups", 2},
    {EXPERTS "ep=4 dp=8 zero_stage=1", "comm.0.EDP_SCATTER.message_bytes", 4 * EXPERT_WEIGHTS},
    {EXPERTS "ep=4 dp=8 zero_stage=1", "comm.0.EDP_SCATTER.group_size", 2},
    {EXPERTS "ep=4 dp=8 zero_stage=1", "comm.0.EDP_SCATTER.groups", 4},
    {EXPERTS "ep=4 dp=8 zero_stage=1", "comm.0.EDP_SCATTER.count", 1},
    {EXPERTS "ep=4 dp=8 zero_stage=1", "comm.0.EDP_GATHER.message_bytes", 2 * EXPERT_WEIGHTS},
    {EXPERTS "ep=4 dp=8 zero_stage=1", "comm.0.EDP_REDUCE.when", 0},
    {EXPERTS "ep=4 dp=8", "comm.0.EDP_REDUCE.message_bytes", 4 * EXPERT_WEIGHTS},
    {EXPERTS "ep=4 dp=8", "comm.0.EDP_SCATTER.when", 0},
    {EXPERTS "ep=8 dp=8", "comm.0.EDP_REDUCE.when", 0},
    {EXPERTS "ep=8 dp=8 zero_stage=1", "comm.0.EDP_SCATTER.when", 0}, /* nobody else has a rank's experts */
    {EXPERTS "ep=8 dp=8 zero_stage=1", "comm.0.EDP_GATHER.when", 0},
    {DENSE "dp=8 zero_stage=1", "comm.0.EDP_SCATTER.when", 0},
    {DENSE "dp=8 zero_stage=1", "comm.0.EDP_GATHER.when", 0},
    {DENSE "dp=8", "comm.0.EDP_REDUCE.when", 0},
    {EXPERTS "ep=4 dp=8 zero_stage=1 global_batch_size=24", "comm.0.EDP_GATHER.count", 1},
    {EXPERTS "ep=4 dp=8 zero_stage=1", "comm.0.EDP_GATHER.group_size", 2},
    {EXPERTS "ep=4 dp=8 zero_stage=1", "comm.0.EDP_GATHER.groups", 4},
    {EXPERTS "ep=4 dp=8 zero_stage=1", "comm.0.EDP_GATHER.sent_bytes_per_rank", 2 * EXPERT_WEIGHTS / 2},
    {EXPERTS "ep=2 dp=8 global_batch_size=24", "comm.0.EDP_REDUCE.count", 1},
    {EXPERTS "ep=2 dp=8", "comm.0.EDP_REDUCE.group_size", 4},
    {EXPERTS "ep=2 dp=8", "comm.0.EDP_REDUCE.groups", 2},
    {EXPERTS "ep=2 dp=8", "comm.0.EDP_REDUCE.sent_bytes_per_rank", 4 * 2 * EXPERT_WEIGHTS * 2 * 3 / 4},
    {EXPERTS "ep=2 dp=4 pp=2 zero_stage=1", "comm.0.EDP_GATHER.groups", 2},
    {EXPERTS "ep=2 dp=4 pp=2 zero_stage=1", "comm.0.EDP_SCATTER.groups", 2},
    {EXPERTS "ep=2 dp=4 pp=2", "comm.0.EDP_REDUCE.groups", 2},
    {EXPERTS "ep=4 dp=8 zero_stage=2", "comm.0.EDP_GATHER.message_bytes", 2 * EXPERT_WEIGHTS},
    {EXPERTS "ep=4 dp=8 zero_stage=2", "comm.0.EDP_REDUCE.when", 0},
    {EXPERTS "ep=4 dp=8 zero_stage=2", "comm.0.EDP_SCATTER.count", 1},
    {EXPERTS FSDP "dp=8", "comm.0.EDP_SCATTER.when", 0}, /* layer by layer with the rest */
    {EXPERTS FSDP "dp=8", "comm.0.EDP_GATHER.when", 0},
    {EXPERTS FSDP "dp=8", "comm.0.EDP_REDUCE.when", 0},
    {EXPERTS "ep=4 dp=8 zero_stage=1", "comm.0.DP_SCATTER.message_bytes", 4 * DENSE_OF_EXPERTS},
};

/* Megatron scatters gradients and gathers weights; DeepSpeed and nanotron reduce whole; FSDP gathers layer by layer. */
static const struct hand data_parallel[] = {
    {DENSE "dp=8 zero_stage=1", "comm.0.DP_SCATTER.message_bytes", 4 * WHOLE},
    {DENSE "dp=8 zero_stage=1 grad_dtype=bf16", "comm.0.DP_SCATTER.message_bytes", 2 * WHOLE},
    {DENSE "dp=8 zero_stage=1", "comm.0.DP_SCATTER.sent_bytes_per_rank", 4 * WHOLE * 7 / 8},
    {DENSE "dp=4 tp=2 zero_stage=1", "comm.0.DP_SCATTER.groups", 2},
    {DENSE "dp=4 cp=2 zero_stage=1", "comm.0.DP_SCATTER.group_size", 8},
    {DENSE "dp=8 zero_stage=1", "comm.0.DP_GATHER.message_bytes", 2 * WHOLE},
    /* of the layers' products one byte, of all else two */
    {DENSE "dp=8 zero_stage=1 dtype=fp8 fp8_param_gather=true", "comm.0.DP_GATHER.message_bytes",
     2 * WHOLE - L * (ATT(1) + MLP(1) - 2 * H)},
    {EXPERTS "ep=4 dp=8 zero_stage=1 dtype=fp8 fp8_param_gather=true", "comm.0.EDP_GATHER.message_bytes",
     EXPERT_WEIGHTS},
    {DENSE "dp=8 zero_stage=1", "comm.0.DP_REDUCE.when", 0},
    {DENSE "dp=1 cp=2 zero_stage=1", "comm.0.DP_GATHER.group_size", 2},
    {DENSE "dp=8", "comm.0.DP_REDUCE.message_bytes", 4 * WHOLE},
    {DENSE "dp=8", "comm.0.DP_REDUCE.sent_bytes_per_rank", 4 * WHOLE * 2 * 7 / 8},
    {DENSE "dp=8", "comm.0.DP_GATHER.when", 0},
    {DENSE "dp=1 tp=8", "comm.0.DP_REDUCE.when", 0},
    {DENSE "dp=1 tp=8 zero_stage=1", "comm.0.DP_SCATTER.when", 0},
    {DENSE "dp=1 tp=8 zero_stage=1", "comm.0.DP_GATHER.when", 0},
    {DENSE "dp=2 tp=4 zero_stage=1 global_batch_size=6", "comm.0.DP_SCATTER.count", 1},
    {DENSE "dp=2 tp=4 zero_stage=1 global_batch_size=6", "comm.0.DP_GATHER.count", 1},
    {DENSE "dp=2 tp=4 zero_stage=1 global_batch_size=6", "comm.0.DP_GATHER.groups", 4},
    {DENSE "dp=2 tp=4 global_batch_size=6", "comm.0.DP_REDUCE.count", 1},
    {DENSE "dp=2 tp=4 global_batch_size=6", "comm.0.DP_REDUCE.group_size", 2},
    {DENSE "dp=2 tp=4 global_batch_size=6", "comm.0.DP_REDUCE.groups", 4},
    {DENSE "dp=1 cp=2 global_batch_size=3", "comm.0.DP_REDUCE.group_size", 2},
    {DENSE "dp=2 pp=2 tp=2 zero_stage=1 global_batch_size=6", "comm.0.DP_SCATTER.groups", 2},
    {DENSE "dp=2 pp=2 tp=2 zero_stage=1 global_batch_size=6", "comm.0.DP_GATHER.groups", 2},
    {DENSE "dp=8 zero_stage=2", "comm.0.DP_SCATTER.count", 1},
    {DENSE "dp=8 zero_stage=2", "comm.0.DP_GATHER.count", 1},
    {DENSE "dp=8 zero_stage=2", "comm.0.DP_REDUCE.when", 0},
    {DENSE FSDP "dp=2 tp=4 sp=true global_batch_size=6", "comm.0.SHARD_GATHER_F.count", L * 3},
    {DENSE FSDP "dp=2 tp=4 sp=true global_batch_size=6", "comm.0.SHARD_GATHER_F.groups", 4},
    {DENSE FSDP "dp=2 tp=4 sp=true global_batch_size=6", "comm.0.SHARD_GATHER_B.count", L * 3},
    {DENSE FSDP "dp=2 tp=4 sp=true global_batch_size=6", "comm.0.SHARD_GATHER_B.groups", 4},
    {DENSE FSDP "dp=2 tp=4 sp=true global_batch_size=6", "comm.0.SHARD_SCATTER.count", L * 3},
    {DENSE FSDP "dp=2 tp=4 sp=true global_batch_size=6", "comm.0.SHARD_SCATTER.groups", 4},
    {DENSE FSDP "dp=4 pp=2 global_batch_size=12", "comm.0.SHARD_GATHER_F.groups", 1},
    {DENSE FSDP "dp=1 tp=8", "comm.0.SHARD_GATHER_B.when", 0},
    {DENSE FSDP "dp=8 fsdp=hybrid shard_group=4", "comm.0.REPLICA_REDUCE.group_size", 2},
    {DENSE FSDP "dp=8 fsdp=hybrid shard_group=4", "comm.0.REPLICA_REDUCE.groups", 4},
    {DENSE FSDP "dp=4 pp=2 fsdp=hybrid shard_group=2", "comm.0.REPLICA_REDUCE.groups", 2},
    {DENSE FSDP "dp=8 fsdp=none", "comm.0.SHARD_GATHER_F.when", 0},
    {DENSE FSDP "dp=8 fsdp=none", "comm.0.SHARD_SCATTER.when", 0},
    {DENSE "dp=8", "comm.0.DP_SCATTER.when", 0},
    {DENSE ZERO "dp=8 zero_stage=1 global_batch_size=24", "comm.0.DP_REDUCE.count", 1},
    {DENSE ZERO "dp=8 zero_stage=2 global_batch_size=24", "comm.0.DP_REDUCE.count", 3}, /* after every micro-batch */
    {DENSE ZERO "dp=8 zero_stage=2 global_batch_size=24", "comm.0.DP_REDUCE.message_bytes", 2 * WHOLE},
    {DENSE ZERO "dp=8 zero_stage=2 global_batch_size=24", "comm.0.DP_GATHER.count", 1},
    {DENSE ZERO "dp=8 zero_stage=3 global_batch_size=24", "comm.0.DP_GATHER.when", 0},
    {DENSE ZERO "dp=8 zero_stage=3 global_batch_size=24", "comm.0.DP_REDUCE.when", 0},
    {DENSE ZERO "dp=8 zero_stage=3 global_batch_size=24", "comm.0.SHARD_GATHER_B.count", L * 3},
    {DENSE NT "dp=8 zero_stage=1", "comm.0.DP_REDUCE.message_bytes", 4 * WHOLE},
    {DENSE NT "dp=8 zero_stage=1", "comm.0.DP_GATHER.message_bytes", 2 * WHOLE},
    {DENSE FSDP "dp=8 global_batch_size=24", "comm.0.SHARD_GATHER_F.count", L * 3},
    {DENSE FSDP "dp=8 global_batch_size=24", "comm.0.SHARD_GATHER_F.message_bytes", 2 * WHOLE / L},
    {DENSE FSDP "dp=8 global_batch_size=24", "comm.0.SHARD_GATHER_B.count", L * 3},
    /* the root unit stays */
    {DENSE FSDP "dp=8 global_batch_size=24", "comm.0.SHARD_GATHER_B.message_bytes", 2 * (ATT(1) + MLP(1))},
    {DENSE ZERO "dp=8 zero_stage=3 global_batch_size=24", "comm.0.SHARD_GATHER_B.message_bytes", 2 * WHOLE / L},
    {DENSE FSDP1 "dp=8 global_batch_size=24", "comm.0.SHARD_SCATTER.message_bytes", 4 * WHOLE / L},
    {DENSE FSDP1 "dp=8 grad_dtype=bf16 global_batch_size=24", "comm.0.SHARD_SCATTER.message_bytes", 2 * WHOLE / L},
    {DENSE FSDP1 "dp=8 grad_dtype=bf16", "symbols.G", 4}, /* the shard has its weight's type */
    {DENSE FSDP "dp=8 global_batch_size=24", "comm.0.SHARD_SCATTER.count", L * 3},
    {DENSE FSDP "dp=8 global_batch_size=24", "comm.0.SHARD_SCATTER.message_bytes", 4 * WHOLE / L},
    {DENSE FSDP "dp=8 fsdp=shard_grad_op global_batch_size=24", "comm.0.SHARD_GATHER_F.count", L},
    {DENSE FSDP "dp=8 global_batch_size=24 reference_model=frozen", "comm.0.SHARD_GATHER_F.count", 2 * L * 3},
    {DENSE FSDP "dp=8 fsdp=shard_grad_op global_batch_size=24", "comm.0.SHARD_GATHER_B.when", 0},
    {DENSE FSDP "dp=8 fsdp=hybrid shard_group=2", "comm.0.SHARD_GATHER_F.group_size", 2},
    {DENSE FSDP "dp=8 fsdp=hybrid shard_group=2", "comm.0.SHARD_GATHER_F.groups", 4},
    {DENSE FSDP "dp=8 fsdp=hybrid shard_group=2", "comm.0.SHARD_SCATTER.group_size", 2},
    {DENSE FSDP "dp=8 fsdp=hybrid shard_group=2", "comm.0.REPLICA_REDUCE.group_size", 4},
    {DENSE FSDP "dp=8 fsdp=hybrid shard_group=2", "comm.0.REPLICA_REDUCE.groups", 2},
    {DENSE FSDP "dp=4 cp=2 cp_comm=all_gather fsdp=hybrid shard_group=2", "comm.0.REPLICA_REDUCE.group_size", 4},
    {DENSE FSDP "dp=4 cp=2 cp_comm=all_gather fsdp=hybrid shard_group=2", "comm.0.REPLICA_REDUCE.groups", 2},
    {DENSE FSDP "dp=8 fsdp=hybrid shard_group=2 global_batch_size=24", "comm.0.REPLICA_REDUCE.count", 1},
    {DENSE FSDP "dp=8 fsdp=hybrid shard_group=2", "comm.0.REPLICA_REDUCE.message_bytes", 4 * WHOLE / 2},
    {DENSE FSDP "dp=8", "comm.0.REPLICA_REDUCE.when", 0},
    {DENSE "dp=8 zero_stage=1 shard_group=2", "comm.0.REPLICA_REDUCE.message_bytes", 4 * WHOLE / 2},
    {DENSE "dp=8", "comm.0.REPLICA_REDUCE.when", 0},
    /* copies lie a sharding group apart: 4 ranks of 16, 4 from each other, over two nodes of 8 */
    {DENSE "dp=16 nodes=2 zero_stage=1 shard_group=4", "comm.0.REPLICA_REDUCE.stride", 4},
    {DENSE "dp=16 nodes=2 zero_stage=1 shard_group=4", "comm.0.REPLICA_REDUCE.crosses", 1},
    {DENSE "dp=16 nodes=2 zero_stage=1 shard_group=4", "comm.0.DP_SCATTER.crosses", 0},
    {DENSE "tp=2 cp=2 cp_comm=all_gather dp=4 nodes=2 zero_stage=1 shard_group=4", "comm.0.REPLICA_REDUCE.stride",
     2 * 4},
    /* experts have as many sharding groups: 8 copies of an expert rank, 2 to a group of theirs */
    {EXPERTS "ep=2 dp=16 nodes=2 zero_stage=1 shard_group=4", "symbols.De", 2},
    {EXPERTS "ep=2 dp=16 nodes=2 zero_stage=1 shard_group=4", "comm.0.EDP_SCATTER.group_size", 2},
    {EXPERTS "ep=2 dp=16 nodes=2 zero_stage=1 shard_group=4", "comm.0.EDP_GATHER.group_size", 2},
    {EXPERTS "ep=2 dp=16 nodes=2 zero_stage=1 shard_group=4", "comm.0.EDP_REPLICA.group_size", 4},
    {EXPERTS "ep=2 dp=16 nodes=2 zero_stage=1 shard_group=4", "comm.0.EDP_REPLICA.groups", 4},
    {EXPERTS "ep=2 dp=16 nodes=2 zero_stage=1 shard_group=4", "comm.0.EDP_REPLICA.stride", 2 * 2},
    {EXPERTS "ep=2 dp=16 nodes=2 zero_stage=1 shard_group=4", "comm.0.EDP_REPLICA.crosses", 1},
    {EXPERTS "ep=2 dp=16 nodes=2 zero_stage=1 shard_group=4", "comm.0.EDP_REPLICA.message_bytes",
     4 * L * 8 * 3 * FE * H / 2},
    {EXPERTS "ep=2 dp=16 nodes=2 zero_stage=1", "comm.0.EDP_REPLICA.when", 0},
    /*
     * states of two ranks: what is scattered stays between the two, as the updated weights do; what is all-reduced is
     * whole
     */
    {DENSE "dp=8 zero_stage=1 shard_group=2", "comm.0.DP_SCATTER.group_size", 2},
    {DENSE "dp=8 zero_stage=1 shard_group=2", "comm.0.DP_SCATTER.groups", 4},
    {DENSE "framework.name=megatron-core dp=8 fsdp=full", "comm.0.DP_SCATTER.when", 0}, /* layer by layer */
    {DENSE "framework.name=megatron-core dp=8 fsdp=full", "comm.0.SHARD_SCATTER.group_size", 8},
    {DENSE "dp=8 zero_stage=1 shard_group=2", "comm.0.DP_GATHER.group_size", 2},
    {DENSE ZERO "dp=8 zero_stage=1 shard_group=2", "comm.0.DP_REDUCE.group_size", 8},
    {DENSE ZERO "dp=8 zero_stage=1 shard_group=2", "comm.0.DP_GATHER.group_size", 2},
    {DENSE ZERO "dp=8 zero_stage=1 shard_group=2", "comm.0.REPLICA_REDUCE.when", 0},
    {DENSE FSDP "dp=1 tp=8", "comm.0.SHARD_GATHER_F.when", 0},
    {DENSE FSDP "dp=1 tp=8", "comm.0.SHARD_SCATTER.when", 0},
};

/*
 * A call: 10 us, and the message with the 8 MB (at 300 GB/s; here 10.67) at which a ring reaches half its rate. Over
 * nodes 5 us each, 4 MB, the node's eight ports together, 2 % for each doubling of nodes; switches of NVLink reduce at
 * 482 over 368 of the ring's rate on more than four GPUs.
 */
#define HALF     (8e6 * 400 / 300)
#define FAR_HALF 4e6
static const struct hand calls[] = {
    {DENSE DEVICE "tp=2", "comm.0.TP_FORWARD.call_s", 10e-6 + (2 * H * S + HALF) * 1 / LINK},
    {DENSE DEVICE "tp=4", "comm.0.TP_FORWARD.call_s", 10e-6 + (2 * H * S + HALF) * 1.5 / LINK},
    {DENSE DEVICE "tp=8", "comm.0.TP_FORWARD.call_s", 10e-6 + (2 * H * S + HALF) * 1.75 / (LINK * 482 / 368)},
    {DENSE DEVICE "tp=8 intra_node_gb_s=300", "comm.0.TP_FORWARD.call_s", 10e-6 + (2 * H * S + 8e6) * 1.75 / 150e9},
    {DENSE DEVICE "tp=8 sp=true", "comm.0.SP_GATHER_F.call_s", 10e-6 + (2 * H * S + HALF) * 0.875 / LINK},
    {DENSE DEVICE "tp=8 global_batch_size=3", "comm.0.TP_FORWARD.time_s",
     2 * L * 3 * (10e-6 + (2 * H * S + HALF) * 1.75 / (LINK * 482 / 368))},
    {DENSE DEVICE "pp=2", "comm.0.PP_FORWARD.call_s", 10e-6 + 2 * H * S / LINK},
    {DENSE DEVICE "pp=2 tp=8 sp=true nodes=2", "comm.0.PP_FORWARD.call_s", 15e-6 + 2 * H * S / 8 / NETWORK},
    {DENSE DEVICE "dp=16 nodes=2 zero_stage=1", "comm.0.DP_SCATTER.call_s",
     20e-6 + (4 * WHOLE + FAR_HALF) * 15 / 16 / (8 * NETWORK) * 1.02},
    {DENSE DEVICE "dp=16 nodes=2 zero_stage=1 inter_node_gb_s=400", "comm.0.DP_SCATTER.call_s", /* links are slower */
     20e-6 + (4 * WHOLE + HALF) * 15 / 16 / LINK},
    {DENSE DEVICE "tp=8 dp=4 nodes=4 zero_stage=1", "comm.0.DP_GATHER.call_s",
     30e-6 + (2 * (2 * 4096 * H + H + 4 * (ATT(8) + MLP(8))) + FAR_HALF) * 0.75 / NETWORK * 1.04}, /* 32 x 1024 rows */
    {DENSE DEVICE "dp=16 nodes=2 nvlink_domain=16 zero_stage=1", "comm.0.DP_SCATTER.call_s",
     10e-6 + (4 * WHOLE + HALF) * 15 / 16 / LINK},
    /* networks: start-up and what a node adds beyond that; TCPXO's link could send 17 MB while a message starts */
    {DENSE DEVICE "dp=16 nodes=2 zero_stage=1 fabric=roce", "comm.0.DP_SCATTER.call_s",
     23.8e-6 + (4 * WHOLE + FAR_HALF) * 15 / 16 / (8 * NETWORK) * 1.02},
    {DENSE DEVICE "dp=16 nodes=2 zero_stage=1 fabric=slingshot", "comm.0.DP_SCATTER.call_s",
     90e-6 + (4 * WHOLE + FAR_HALF) * 15 / 16 / (8 * NETWORK) * 1.02},
    {DENSE DEVICE "dp=16 nodes=2 zero_stage=1 fabric=efa", "comm.0.DP_SCATTER.call_s",
     160e-6 + (4 * WHOLE + FAR_HALF) * 15 / 16 / (8 * NETWORK) * 1.02},
    {DENSE DEVICE "dp=16 nodes=2 zero_stage=1 fabric=tcpxo", "comm.0.DP_SCATTER.call_s",
     120e-6 + (4 * WHOLE + 8 * 17e6) * 15 / 16 / (8 * NETWORK) * 1.02},
    {DENSE DEVICE "pp=2 tp=8 sp=true nodes=2 fabric=tcpxo", "comm.0.PP_FORWARD.call_s",
     115e-6 + 10 * (2 * H * S / 8) / NETWORK}, /* nine times more for a small one */
    {EXPERTS DEVICE "dp=16 ep=16 nodes=2 fabric=efa", "comm.0.EP_DISPATCH.call_s",
     320e-6 + (2 * S * TOP * H + FAR_HALF) / 2 / (1.05 * NETWORK)},
    {DENSE "gpu=h100-sxm-80 dp=16 nodes=2 fabric=tcp", "symbols.en", 0.65 * 0.42},
    {DENSE "gpu=a100-sxm-80 memory_gib=40", "symbols.usable", 0.97 * 40}, /* not what 80 GiB leave */
    {DENSE "framework.name=unsloth peft=qlora gated_mlp=true lora_targets=[all-linear]", "symbols.remakes_product", 1},
    {DENSE "framework.name=unsloth peft=qlora gated_mlp=true lora_targets=[q,v]", "symbols.remakes_product", 0},
    {DENSE "gpu=h100-sxm-80 dp=16 nodes=2 fabric=efa network_efficiency=0.7", "symbols.en", 0.7},
    /* an all-to-all: every GPU through its own port, 16 ranks on two nodes; inside a node at 1/1.2 of a ring's rate */
    {EXPERTS DEVICE "dp=16 ep=16 nodes=2", "comm.0.EP_DISPATCH.call_s",
     20e-6 + (2 * S * TOP * H + FAR_HALF) / 2 / NETWORK},
    {EXPERTS DEVICE "dp=8 ep=8", "comm.0.EP_DISPATCH.call_s", 10e-6 + 1.2 * (2 * S * TOP * H + HALF) * 7 / 8 / LINK},
    {EXPERTS DEVICE "dp=16 ep=16 nodes=2 moe_dispatcher=flex", "comm.0.EP_DISPATCH.copies_far",
     2 * (1 - 1 / 8.0) / TOP},
    {EXPERTS DEVICE "dp=16 ep=16 nodes=2 moe_dispatcher=flex moe_router_topk_groups=1", "comm.0.EP_DISPATCH.copies_far",
     1 / TOP},
    {EXPERTS DEVICE "dp=4 ep=4 moe_dispatcher=flex", "comm.0.EP_DISPATCH.copies_near", 4 * (1 - 27 / 64.0) / TOP},
    {DENSE DEVICE "cp=16 cp_comm=a2a num_query_groups=16 num_attention_heads=16 dp=1 nodes=2 seq_length=4096",
     "comm.0.CP_A2A.exchange_near_s", 1.2 * (2 * 4096 / 16 * (2 * 16 + 2 * 16) * K + HALF) * 7 / 16 / LINK},
    /* PCIe: neighbours share a root, groups apart all use it */
    {DENSE DEVICE "tp=4 intra_node_gb_s=32", "comm.0.TP_FORWARD.near_share", 0.65},
    {DENSE DEVICE "tp=8 intra_node_gb_s=32", "comm.0.TP_FORWARD.near_share", 0.40},
    {DENSE DEVICE "tp=4 dp=2 zero_stage=1 intra_node_gb_s=32", "comm.0.DP_SCATTER.near_share", 0.12},
    {DENSE DEVICE "pp=2 intra_node_gb_s=32", "comm.0.PP_FORWARD.near_share", 0.47},
    {DENSE DEVICE "tp=4 intra_node_gb_s=400", "comm.0.TP_FORWARD.near_share", 0.5},
    {DENSE ZERO DEVICE "dp=16 nodes=2 zero_stage=3", "comm.0.SHARD_GATHER_F.lanes", 1.4},
    {DENSE FSDP DEVICE "dp=16 nodes=2", "comm.0.SHARD_GATHER_F.lanes", 8},
    {DENSE DEVICE "tp=4 pp=2 dp=2 nodes=2 order=tp-cp-ep-pp-dp", "comm.0.PP_FORWARD.call_s", 10e-6 + 2 * H * S / LINK},
    {DENSE DEVICE "tp=4 pp=2 dp=2 nodes=2 order=tp-cp-ep-dp-pp", "comm.0.PP_FORWARD.call_s",
     15e-6 + 2 * H * S / NETWORK},
    /* with stages inside data ranks the replicas of a stage are a node apart, the ranks of a tensor group are not */
    {DENSE DEVICE "tp=4 pp=2 dp=2 nodes=2 order=tp-cp-ep-pp-dp", "comm.0.DP_REDUCE.crosses", 1},
    {DENSE DEVICE "tp=4 pp=2 dp=2 nodes=2 order=tp-cp-ep-pp-dp", "comm.0.TP_FORWARD.crosses", 0},
    {DENSE DEVICE "tp=4 pp=2 dp=2 nodes=2 order=tp-cp-ep-dp-pp", "comm.0.DP_REDUCE.crosses", 0},
    {DENSE DEVICE "tp=2 cp=4 pp=2 dp=1 nodes=2 order=tp-cp-ep-pp-dp cp_comm=all_gather", "comm.0.CP_GATHER.crosses", 0},
};

/* ---- time of operators ------------------------------------------------------------------------------------------- */

/* A product takes its operations or its bytes, whichever is slower, and a start; a kernel its bytes and a launch. */
#define START  23e-6
#define SHORT(k) (((k) + 110.0) / (k) / (1 + 110 / 4096.0)) /* a short reduced dimension, relative to 4096 */
#define HALF_S   (1100 * 0.4 / 0.52)                        /* tokens at which this kernel is at half its rate */
#define LATENT_ATTEND(tokens) (ATTEND(tokens) / 0.81 * 0.84) /* queries are wider than values */
#define ATTEND(tokens)                                                                                                 \
    (ATTENTION * 0.81 * 4096 / 4596 * (4096 + HALF_S) / 4096 * (tokens) / ((tokens) + HALF_S)) /* heads of 64 */
#define LAUNCH 4.5e-6
#define QKV_S  (2 * (S * H + (A + 2 * G) * K * H + S * (A + 2 * G) * K) / MEMORY + START)
#define FC1_S  (2 * S * 2 * F * H / PRODUCTS * SHORT(H) + START)
#define EXPERT_FC1_S (2 * TOP * S * H * 2 * FE / PRODUCTS + 1.2 * 2 * 4 * 2 * FE * H / 2000e9 + START)
static const struct hand operators[] = {
    {DENSE DEVICE, "time.FC1.product", 2 * S * 2 * F * H},
    {DENSE DEVICE, "time.FC1.forward_s", FC1_S},
    {DENSE DEVICE, "time.FC1.backward_s",
     2 * S * 2 * F * H / PRODUCTS * SHORT(2 * F) + START + (2 * (S * H + S * 2 * F) + 8 * 2 * F * H) / MEMORY + START},
    {DENSE DEVICE "grad_dtype=bf16", "time.FC1.gemm_wgrad_s",
     (2 * (S * H + S * 2 * F) + 4 * 2 * F * H) / MEMORY + START},
    {DENSE DEVICE "memory_gb_s=20000", "pass.0.fixed_w", 0},
    {DENSE DEVICE "memory_gb_s=20000 frozen=embeddings", "pass.0.fixed_w", 2 * S * V * H / PRODUCTS * SHORT(S) + START},
    /* the output layer's */
    {DENSE DEVICE, "time.QKV.gemm_forward_s", QKV_S},
    {DENSE DEVICE "memory_gb_s=20000", "time.QKV.gemm_wgrad_s",
     2 * S * (A + 2 * G) * K * H / PRODUCTS * SHORT(S) + START},
    {DENSE DEVICE, "time.QKV.forward_s", QKV_S + 3 * 2 * (A + 2 * G) * K * S / MEMORY + 3 * LAUNCH},
    {DENSE DEVICE, "time.QKV.backward_s",
     2 * QKV_S + (8 - 2) * (A + 2 * G) * K * H / MEMORY + 2 * (S * (A + 2 * G) * K - S * (A + 2 * G) * K) / MEMORY +
         2 * 2 * (A + 2 * G) * K * S / MEMORY + 3 * LAUNCH},
    {EXPERTS "ep=4", "time.EXPERT_FC1.product_bytes", 2 * (TOP * S * H + 4 * 2 * FE * H + TOP * S * 2 * FE)},
    {EXPERTS "ep=4", "time.EXPERT_FC1.wgrad_bytes", 2 * (TOP * S * H + TOP * S * 2 * FE) + 8 * 4 * 2 * FE * H},
    {EXPERTS "ep=4 grad_dtype=bf16", "time.EXPERT_FC2.wgrad_bytes", 2 * (TOP * S * FE + TOP * S * H) + 4 * 4 * FE * H},
    {DENSE DEVICE "qk_norm=head", "time.Q_NORM.forward_s", 2 * 2 * A * K * S / MEMORY + LAUNCH},
    {DENSE DEVICE "qk_norm=head", "time.K_NORM.forward_s", 2 * 2 * G * K * S / MEMORY + LAUNCH},
    {DENSE DEVICE "qk_norm=head", "time.K_NORM.backward_s", 4 * 2 * G * K * S / MEMORY + LAUNCH},
    {DENSE DEVICE, "time.CORE.forward_s", 4 * A * K * S * S / 2 / ATTEND(S)},
    {DENSE DEVICE, "time.CORE.backward_s", 2.5 / 0.85 * 4 * A * K * S * S / 2 / ATTEND(S)},
    {DENSE DEVICE "attention_dropout=0.1", "time.CORE.forward_s",
     1.25 * 4 * A * K * S * S / 2 / ATTEND(S)},
    {DENSE DEVICE "attention=unfused", "time.CORE.attention_forward_s", 4 * A * K * S * S / (989e12 * 0.5 * 0.55)},
    /* rows of 40 bytes, which tensor cores cannot load at once, and of 48, which they can */
    {DENSE DEVICE "attention=unfused kv_channels=20", "time.CORE.attention_forward_s",
     4 * A * 20 * S * S / (989e12 * 0.5 * 0.55 * 0.1)},
    {DENSE DEVICE "attention=unfused kv_channels=24", "time.CORE.attention_forward_s",
     4 * A * 24 * S * S / (989e12 * 0.5 * 0.55)},
    {DENSE DEVICE "attention=unfused attention_dropout=0.1", "time.CORE.attention_forward_s",
     4 * A * K * S * S / (989e12 * 0.5 * 0.55)},
    {DENSE DEVICE "attention=unfused", "time.CORE.attention_backward_s", 2 * 4 * A * K * S * S / (989e12 * 0.5 * 0.55)},
    {DENSE DEVICE "attention=unfused", "time.CORE.memory_forward_s", 8 * A * S * S / MEMORY + 3 * LAUNCH},
    {DENSE DEVICE "attention=unfused", "time.CORE.memory_backward_s", 12 * A * S * S / MEMORY + 3 * LAUNCH},
    {DENSE DEVICE M23, "time.ATTN_BDA.memory_forward_s", 0.95 * 3 * 2 * H * S / MEMORY + LAUNCH},
    {DENSE DEVICE FSDP "compile=true", "time.ATTN_BDA.memory_backward_s", 0.8 * 2 * 2 * H * S / MEMORY + LAUNCH},
    {DENSE "dtype=fp8", "time.OUTPUT.rate", 989e12 * 0.67}, /* the output layer stays in 16 bits */
    {DENSE "dtype=fp8", "time.FC1.rate", 1979e12 * 0.5},
    {DENSE, "time.OUTPUT.rate", 989e12 * 0.67},
    {DENSE "dtype=fp32", "time.OUTPUT.rate", 67e12 * 0.67},
    {DENSE "dtype=fp16", "time.OUTPUT.rate", 989e12 * 0.67},
    {DENSE, "time.FC1.tiles", 2048 / 128 * 6144 / 256},
    /* what carries no adapter has no time of one, a table of words neither */
    {DENSE DEVICE, "time.QKV.adapter_forward_s", 0},
    {DENSE DEVICE, "time.QKV.adapter_backward_s", 0},
    {DENSE DEVICE, "time.WORD.adapter_forward_s", 0},
    {DENSE DEVICE, "time.WORD.adapter_backward_s", 0},
    {DENSE DEVICE, "time.INPUT_NORM.adapter_forward_s", 0},
    {DENSE "dtype=nvfp4", "time.WORD.adapter_forward_s", 0}, /* of products in 4 bits this device has no rate */
    {DENSE "dtype=nvfp4", "time.WORD.adapter_backward_s", 0},
    {DENSE DEVICE "global_batch_size=16 pp=2 tp=2", "time.WORD.forward_s", 3 * 2 * H * S / MEMORY + LAUNCH},
    {DENSE, "time.FC1.wave_efficiency", 384 / (3 * 132.0)},
    {EXPERTS "ep=4", "time.EXPERT_FC1.tiles", 48 * 4 * 4}, /* 6144 rows, 896 columns, four experts */
    /* four experts' products, and beside them their weights, which the memory gives at 2 TB/s, 1.2 times */
    {EXPERTS DEVICE "ep=4", "time.EXPERT_FC1.gemm_dgrad_s", EXPERT_FC1_S},
    {EXPERTS DEVICE "ep=4", "time.EXPERT_FC1.gemm_forward_s", EXPERT_FC1_S},
    {DENSE DEVICE, "time.FC1.gemm_efficiency", 2 * S * 2 * F * H / (FC1_S * 1000e12)},
    /*
     * multi-token prediction: two norms read and write, backward twice that; their outputs, joined, are read and
     * written
     */
    {DENSE "mtp_num_layers=1 tp=2 sp=true", "op.MTP_EMBED_NORM.fwd_bytes", 2 * 2 * H * S / 2},
    {DENSE "mtp_num_layers=1 tp=2 sp=true", "op.MTP_EMBED_NORM.bwd_bytes", 4 * 2 * H * S / 2},
    {DENSE "mtp_num_layers=1 tp=2 sp=true", "op.MTP_EMBED_NORM.saved", (2 * H + 4) * S / 2},
    {DENSE "mtp_num_layers=1 tp=2 sp=true", "op.MTP_HIDDEN_NORM.fwd_bytes", 2 * 2 * H * S / 2},
    {DENSE "mtp_num_layers=1 tp=2 sp=true", "op.MTP_HIDDEN_NORM.bwd_bytes", 4 * 2 * H * S / 2},
    {DENSE "mtp_num_layers=1 tp=2 sp=true", "op.MTP_HIDDEN_NORM.saved", (2 * H + 4) * S / 2},
    {DENSE "mtp_num_layers=1 tp=2 sp=true", "op.MTP_PROJ.fwd_bytes", 2 * 2 * 2 * H * S / 2},
    {DENSE "mtp_num_layers=1 tp=2 sp=true", "op.MTP_PROJ.bwd_bytes", 2 * 2 * 2 * H * S / 2},
    {DENSE "mtp_num_layers=1 tp=2 sp=true", "op.MTP_PROJ.saved", 2 * 2 * H * S / 2},
    {DENSE "mtp_num_layers=1 tp=2 sp=true", "op.MTP_FINAL_NORM.saved", (2 * H + 4) * S / 2},
    /* grouped products read their weights, and weight gradients also read and write gradients, at the full bandwidth */
    {EXPERTS DEVICE "ep=4", "time.EXPERT_FC1.expert_read_s", 1.2 * 2 * E / 4 * 2 * FE * H / (2 * MEMORY)},
    {EXPERTS DEVICE "ep=4 dtype=fp8 peak_tflops=2000", "time.EXPERT_FC1.expert_read_s",
     1.2 * E / 4 * 2 * FE * H / (2 * MEMORY)},
    {EXPERTS DEVICE "ep=4", "time.EXPERT_FC1.expert_wgrad_s", 2.2 * 4 * E / 4 * 2 * FE * H / (2 * MEMORY)},
    {EXPERTS DEVICE "tp=2 sp=true etp=2 ep=2", "time.EXPERT_FC2.expert_wgrad_s",
     2.2 * 4 * E / 2 * H * FE / 2 / (2 * MEMORY)},
    {EXPERTS DEVICE "grad_dtype=bf16 ep=4", "time.EXPERT_FC1.expert_wgrad_s",
     2.2 * 2 * E / 4 * 2 * FE * H / (2 * MEMORY)},
    {DENSE "mtp_num_layers=1", "op.MTP_EMBED_NORM.kernels", 1},
    {DENSE "mtp_num_layers=1", "op.MTP_HIDDEN_NORM.kernels", 1},
    {DENSE "mtp_num_layers=1", "op.MTP_PROJ.kernels", 1},
    {DENSE "mtp_num_layers=1", "op.MTP_FINAL_NORM.kernels", 0},
    {DENSE, "op.MTP_PROJ.when", 0},
};

/*
 * What frameworks do to all kernels, to the host and to the ranges of memory: measured and counted as
 * core/estimate/constants.def says, 12 passes of 6 bytes an update in PyTorch, fp32 complex rotations four times the
 * fused ones'.
 */
static const struct hand behaviours[] = {
    {DENSE, "symbols.memory_traffic_factor", 1},
    {DENSE M23, "symbols.memory_traffic_factor", 0.95},
    {DENSE NT, "symbols.memory_traffic_factor", 1.2},
    {DENSE ZERO, "symbols.memory_traffic_factor", 1.2},
    {DENSE FSDP, "symbols.memory_traffic_factor", 2.15},
    {DENSE FSDP "compile=true", "symbols.memory_traffic_factor", 0.8},
    {DENSE, "symbols.rotary_factor", 1},
    {DENSE FSDP, "symbols.rotary_factor", 4 / 2.15}, /* whatever compiles the rest */
    {DENSE FSDP "compile=true", "symbols.rotary_factor", 4 / 0.8},
    {DENSE FSDP "compile=true", "op.QKV.fwd_bytes", 4 / 0.8 * 3 * 2 * (A + 2 * G) * K * S},
    {DENSE FSDP "compile=true", "op.QKV.bwd_bytes", 4 / 0.8 * 2 * 2 * (A + 2 * G) * K * S},
    {DENSE, "symbols.layer_host_ms", 2},
    {DENSE "framework.name=nemo-lora", "symbols.layer_host_ms", 8.6},
    {DENSE "framework.name=nemo-lora", "symbols.attention_limit", 936},
    {DENSE "framework.name=megatron-core-0.14", "symbols.attention_limit", 936},
    {DENSE "framework.name=megatron-core-0.14", "symbols.product_limit", 2790},
    {DENSE, "symbols.product_limit", 0},
    {DENSE M23, "symbols.norm_factor", 8}, /* RMSNorm */
    {DENSE M23 "normalization=layernorm", "symbols.norm_factor", 1},
    {DENSE M23 "fused_norm=true", "symbols.norm_factor", 1},
    {DENSE M23, "symbols.rotary_factor", 4},
    {DENSE "framework.name=other", "symbols.norm_factor", 8},
    {DENSE "framework.name=other", "symbols.hides_tp", 0},
    {DENSE "framework.name=other", "symbols.timed_stack", 0},
    {DENSE NT, "symbols.layer_host_ms", 1.5},
    {DENSE ZERO "zero_stage=2", "symbols.layer_host_ms", 2},
    {DENSE ZERO "zero_stage=3", "symbols.layer_host_ms", 8},
    {DENSE FSDP, "symbols.layer_host_ms", 1.5},
    {DENSE FSDP "compile=true", "symbols.layer_host_ms", 0.3},
    {DENSE, "symbols.cast_bytes", 3.2},
    {DENSE FSDP, "symbols.cast_bytes", 6},
    {DENSE, "symbols.host_copies", 1},
    {DENSE ZERO, "symbols.host_copies", 0.3},
    {DENSE ZERO "zero_stage=2", "symbols.shard_lanes", 0},
    {DENSE ZERO "zero_stage=3", "symbols.shard_lanes", 1.4},
    {DENSE FSDP, "symbols.shard_lanes", 0},
    {DENSE, "symbols.eager_factor", 1},
    {DENSE FSDP, "symbols.eager_factor", 1.15},
    {DENSE FSDP "compile=true", "symbols.eager_factor", 1},
    {DENSE FSDP, "symbols.loss_cache_per_logit", 2},
    {DENSE FSDP "cross_entropy=native_fused", "symbols.loss_cache_per_logit", 0},
    {DENSE "cross_entropy=chunked", "symbols.loss_cache_per_logit", 0},
    {DENSE NT, "symbols.step_bytes_owned", 72 + 12},
    {DENSE NT "dtype=fp32", "symbols.loss_bytes_per_logit", 8},
    {DENSE ZERO "dtype=fp32", "symbols.loss_bytes_per_logit", 8},
    /*
     * runs of Megatron-LM differ by 1.5 % from what is estimated, of others by 3, in 8 bits 4, with weight gradients
     * apart 12
     */
    {DENSE, "symbols.allocated_band", 0.015},
    {DENSE "pp=2 vpp=2 global_batch_size=16", "symbols.allocated_band", 0.015},
    {EXPERTS, "symbols.allocated_band", 0.03},
    {EXPERTS "dtype=fp8", "symbols.allocated_band", 0.04},
    {DENSE "dtype=mxfp8", "symbols.allocated_band", 0.04},
    {DENSE "schedule=zb-h1 pp=2 dtype=fp8 global_batch_size=16", "symbols.allocated_band", 0.12},
    {EXPERTS "fsdp=full dp=8", "symbols.allocated_band", 0.06},
    {DENSE NT "schedule=gpipe", "symbols.allocated_band", 0.03},
    {DENSE ZERO, "symbols.allocated_band", 0.03},
    {DENSE FSDP, "symbols.allocated_band", 0.06},
    {DENSE FSDP "tp=2", "symbols.allocated_band", 0.15},
    {DENSE FSDP "pp=2", "symbols.allocated_band", 0.15},
    {DENSE, "symbols.cache_low", 1.005},
    {DENSE, "symbols.cache_high", 1.13},
    {DENSE M23, "symbols.cache_low", 1.08},
    {DENSE M23, "symbols.cache_high", 1.26},
    {DENSE ZERO, "symbols.cache_low", 1.08},
    {DENSE ZERO, "symbols.cache_high", 1.26},
    {DENSE NT, "symbols.cache_low", 1.01},
    {DENSE NT, "symbols.cache_high", 1.07},
    {DENSE FSDP, "symbols.cache_low", 1.01},
    {DENSE FSDP, "symbols.cache_high", 1.2},
    {DENSE FSDP, "symbols.timed_stack", 1}, /* timed runs have neither tensor nor pipeline parallelism */
    {DENSE FSDP "tp=2", "symbols.timed_stack", 0},
    {DENSE FSDP "pp=2", "symbols.timed_stack", 0},
    {DENSE NT, "symbols.timed_stack", 0},
    {DENSE ZERO, "symbols.timed_stack", 0},
};

/* ---- the iteration and serving ----------------------------------------------------------------------------------- */

#define MATRICES (L * ((A + 2 * G) * K * H + A * K * H + 3 * H * F) + V * H) /* weights that multiply a token */
static const struct hand iteration[] = {
    {DENSE "micro_batch_size=3 dp=8", "step.matrix_flops", 2 * 3 * S * MATRICES},
    {DENSE "micro_batch_size=3 dp=8", "step.attention_flops", L * 4 * A * K * S * S * 3},
    {DENSE "dp=8 global_batch_size=24 measured_iteration_s=7 price_per_gpu_hour=3", "step.cost_per_1t_tokens",
     8 * 3 * 1e12 / (24 * S / 7 * 3600)},
    {DENSE "dp=8 global_batch_size=24 measured_iteration_s=7 price_per_gpu_hour=3 availability=0.5",
     "step.cost_per_1t_tokens", 8 * 3 * 1e12 / (24 * S / 7 * 3600) * 2},
    /* multi-token prediction: a layer, a projection of 2h to h, and the output layer once more */
    {DENSE "mtp_num_layers=2", "step.matrix_flops",
     2 * S * (MATRICES + 2 * (ATT(1) + MLP(1) - 2 * H + 2 * H * H + V * H))},
    {DENSE "mtp_num_layers=2", "step.attention_flops", 6 * 4 * A * K * S * S},
    {DENSE "mtp_num_layers=1", "step.total_params", WHOLE + ATT(1) + MLP(1) + 2 * H * H + 3 * H},
    {DENSE "mtp_num_layers=1 dp=8 global_batch_size=24 recompute=full", "step.repeated_flops",
     24 * (2 * S * (MATRICES - V * H + MATRICES / 4 - V * H / 4 + 2 * H * H) + 5 * 4 * A * K * S * S)},
    {DENSE "mtp_num_layers=1 dp=8 global_batch_size=24 recompute=full recompute_method=block recompute_num_layers=4",
     "step.repeated_flops", 24 * (2 * S * (MATRICES - V * H) + 4 * 4 * A * K * S * S)}, /* block leaves it out */
    {LATENT "micro_batch_size=3 dp=8", "step.attention_flops", L * 2 * A * (QN + QR + VD) * S * S * 3},
    {EXPERTS "moe_first_dense=1 ep=4 dp=8", "step.matrix_flops",
     2 * S * (4 * (2 * A + 2 * G) * K * H + 3 * H * F + 3 * (E * H + 3 * H * FS + TOP * 3 * H * FE) + V * H)},
    {EXPERTS "ep=4 dp=8", "step.matrix_flops",
     2 * S * (4 * ((2 * A + 2 * G) * K * H + E * H + 3 * H * FS + TOP * 3 * H * FE) + V * H)},
    {DENSE "dp=8 global_batch_size=24", "step.model_flops", 6 * 24 * S * MATRICES + 3 * 24 * L * 4 * A * K * S * S},
    /* a query needs 64 keys but for the first 64 */
    {DENSE "dp=8 global_batch_size=24 sliding_window=64", "step.model_flops",
     6 * 24 * S * MATRICES + 3 * 24 * L * 4 * A * K * S * 2 * (64 - 64 * 64 / (2.0 * S))},
    {DENSE "dp=8 global_batch_size=24", "step.model_flops_causal",
     6 * 24 * S * MATRICES + 3 * 24 * L * 4 * A * K * S * S / 2},
    {DENSE "dp=8 global_batch_size=24 measured_iteration_s=7", "step.model_tflops_per_gpu",
     (6 * 24 * S * MATRICES + 3 * 24 * L * 4 * A * K * S * S) / 7 / 8 / 1e12},
    {DENSE "dp=8 global_batch_size=24 measured_iteration_s=7", "step.mfu",
     (6 * 24 * S * MATRICES + 3 * 24 * L * 4 * A * K * S * S) / 7 / 8 / 989e12},
    {DENSE "dp=8 global_batch_size=24 measured_iteration_s=7 recompute=full", "step.hfu",
     (8 * 24 * S * MATRICES + 4 * 24 * L * 4 * A * K * S * S - 2 * 24 * S * V * H) / 7 / 8 / 989e12},
    {DENSE "dp=8 global_batch_size=24 measured_iteration_s=7 recompute=full", "step.hfu_causal",
     (8 * 24 * S * MATRICES + 4 * 24 * L * 4 * A * K * S * S / 2 - 2 * 24 * S * V * H) / 7 / 8 / 989e12},
    /* what is repeated: nothing; one layer of four; the kernel; feed-forward blocks; not PyTorch's last product */
    {DENSE "dp=8 global_batch_size=24", "step.repeated_flops", 0},
    {DENSE "dp=8 global_batch_size=24 recompute=full recompute_method=block recompute_num_layers=1",
     "step.repeated_flops", 24 * (2 * S * (MATRICES - V * H) / 4 + 4 * A * K * S * S)},
    {DENSE "dp=2 pp=2 global_batch_size=24 recompute=full recompute_method=block recompute_num_layers=1",
     "step.repeated_flops", 24 * (2 * S * (MATRICES - V * H) / 2 + 2 * 4 * A * K * S * S)},
    {DENSE "dp=8 global_batch_size=24 recompute=selective", "step.repeated_flops", 24 * L * 4 * A * K * S * S},
    {DENSE "dp=8 global_batch_size=24 recompute=selective", "step.repeated_flops_causal", 24 * L * 2 * A * K * S * S},
    {DENSE "dp=8 global_batch_size=24 recompute=selective recompute_modules=[mlp]", "step.repeated_flops",
     24 * L * 2 * S * 3 * H * F},
    {DENSE FSDP "dp=8 global_batch_size=24 recompute=full", "step.repeated_flops",
     24 * L * (2 * S * ((2 * A + 2 * G) * K * H + 2 * H * F) + 4 * A * K * S * S)},
    {DENSE FSDP "dp=8 global_batch_size=24 recompute=selective", "step.repeated_flops",
     24 * L * 2 * S * (G * K * H + A * K * H + H * F)}, /* key, output and gate */
    {EXPERTS "moe_first_dense=1 ep=4 dp=8 global_batch_size=24 recompute=selective recompute_modules=[moe]",
     "step.repeated_flops", 24 * 3 * 2 * S * (E * H + 3 * H * FS + TOP * 3 * H * FE)},
    /* offloading: 64 GB/s to the host; Adam of a node's eight ranks on its processors; activations there and back */
    {DENSE "offload_optimizer=0.5 host_memory_gib=1000 dp=8 global_batch_size=24", "step.host_adam_s",
     0.5 * WHOLE * ((4 + 2) / 64e9 + 8 / 2e9)},
    {DENSE "offload_optimizer=0.5 host_memory_gib=1000 dp=8 zero_stage=1 global_batch_size=24", "step.host_adam_s",
     0.5 * WHOLE / 8 * ((4 + 2) / 64e9 + 8 / 2e9)},
    /*
     * FSDP2 reads and writes what it gathered, and each gradient in both types; FSDP1 joins the gradients, and casts
     * them
     */
    {DENSE FSDP DEVICE "dp=8 global_batch_size=24", "pass.0.copy_f", 4 * WHOLE / MEMORY},
    {DENSE FSDP DEVICE "dp=8 global_batch_size=24", "pass.0.copy_b", (4 * L * (ATT(1) + MLP(1)) + 6 * WHOLE) / MEMORY},
    {DENSE FSDP DEVICE "dp=8 fsdp=shard_grad_op global_batch_size=24", "pass.0.copy_f", 4 * WHOLE / 3 / MEMORY},
    {DENSE FSDP DEVICE "dp=8 fsdp=shard_grad_op global_batch_size=24", "pass.0.copy_b", 6 * WHOLE / MEMORY},
    {DENSE FSDP1 DEVICE "dp=8", "pass.0.copy_f", 0},
    {DENSE FSDP DEVICE "dp=8 attention_kernel=triton", "pass.0.copy_f", 0}, /* llm-foundry of 2023 had FSDP1 */
    {DENSE FSDP DEVICE "dp=8 attention_kernel=triton", "pass.0.copy_b", (4 + 6) * WHOLE / MEMORY},
    /* a kernel of its own reads a new gradient and the sum of those before it, and writes the sum */
    {DENSE DEVICE "dp=8 global_batch_size=24", "pass.0.accumulate_s", 0},
    {DENSE DEVICE "dp=8 global_batch_size=24 gradient_accumulation_fusion=false", "pass.0.accumulate_s",
     (2 + 2 * 4) * WHOLE / MEMORY},
    {DENSE DEVICE "dp=8 grad_dtype=bf16 gradient_accumulation_fusion=false", "pass.0.accumulate_s", 0},
    {DENSE DEVICE "dp=8 grad_dtype=bf16 gradient_accumulation_fusion=false global_batch_size=24", "pass.0.accumulate_s",
     (2 + 2 * 2) * WHOLE / MEMORY},
    {DENSE FSDP DEVICE "dp=8 global_batch_size=24", "pass.0.accumulate_s", 0}, /* added up in shards */
    {DENSE FSDP1 DEVICE "dp=8", "pass.0.copy_b", (4 + 6) * WHOLE / MEMORY},
    {DENSE FSDP1 DEVICE "dp=8 grad_dtype=bf16", "pass.0.copy_b", 4 * WHOLE / MEMORY},
    {DENSE FSDP1 DEVICE "dp=8 fsdp=none", "pass.0.copy_b", 0},
    {DENSE FSDP DEVICE "dp=8", "step.optimizer_s", (72 + 12 + 6) * WHOLE / 8 / MEMORY}, /* of shards alone */
    {DENSE "offload_activations=0.25 host_memory_gib=1000", "pass.0.moved_s", 0.25 * 4 * KEPT / 64e9},
    {DENSE "offload_activations=0.25 host_memory_gib=1000 recompute=full", "pass.0.moved_s",
     0.25 * 4 * 2 * H * S / 64e9},
    {DENSE "offload_activations=1 host_memory_gib=1000 host_gb_s=100000", "pass.0.offload_forward_s",
     0.1 * 4 * KEPT / 100000e9}, /* hidden but for a tenth */
    {DENSE ZERO "offload_activations=1 host_memory_gib=1000 recompute=full", "pass.0.offload_backward_s",
     4 * 2 * H * S / (64e9 * 0.3)}, /* DeepSpeed waits for the copy, which is not to page-locked memory */
    {DENSE ZERO "dp=8 zero_stage=3 offload_params=1 host_memory_gib=1000", "pass.0.offload_forward_s",
     2 * WHOLE / 8 / 64e9},
    {DENSE FSDP "dp=8 host_memory_gib=1000 offload_activations=1 offload_params=1 host_gb_s=1", "pass.0.moved_s",
     4 * KEPT / 1e9},
    {DENSE FSDP "dp=8 host_memory_gib=1000 offload_activations=1 offload_params=1 host_gb_s=1", "pass.0.fetched_s",
     4 * WHOLE / 8 / 1e9},
    {DENSE, "step.offload_s", 0},
    /* BigScience's formulas over the years */
    {DENSE "dp=8 global_batch_size=24 measured_iteration_s=7", "step.bigscience_tflops",
     24 * 24 * S * L * H * H * 3 * (1 + S / (6 * H) + V / (16 * L * H)) / 7 / 8 / 1e12},
    {DENSE "dp=8 global_batch_size=24 measured_iteration_s=7 recompute=full", "step.bigscience_tflops",
     24 * 24 * S * L * H * H * 4 * (1 + S / (6 * H) + V / (16 * L * H)) / 7 / 8 / 1e12},
    {DENSE "dp=8 global_batch_size=24 measured_iteration_s=7", "step.bigscience_layers_tflops",
     6 * 24 * S * L * (12 * H * H + 13 * H) / 7 / 8 / 1e12},
    {DENSE "dp=8 global_batch_size=24 measured_iteration_s=7 recompute=full", "step.bigscience_layers_tflops",
     8 * 24 * S * L * (12 * H * H + 13 * H) / 7 / 8 / 1e12},
    {DENSE "dp=8 global_batch_size=24 measured_iteration_s=7", "step.bigscience_size_tflops",
     6 * 24 * S * WHOLE / 7 / 8 / 1e12},
    {DENSE "dp=8 global_batch_size=24 measured_iteration_s=7 recompute=full", "step.bigscience_size_tflops",
     8 * 24 * S * WHOLE / 7 / 8 / 1e12},
    {DENSE "dp=8 global_batch_size=24 measured_iteration_s=7 total_tokens=4915200 availability=0.5", "step.seconds",
     100 * 7 / 0.5}, /* 24 x 2048 tokens an iteration */
    {DENSE "storage_gb_s=50", "step.write_s", 14 * WHOLE / 50e9},
    {DENSE, "step.weights_bytes", 2 * WHOLE},
    {DENSE, "step.checkpoint_optimizer_bytes", 12 * WHOLE},
    {DENSE "tp=2 pp=2", "step.total_bytes", 14 * WHOLE},
    {DENSE "dtype=fp32", "step.total_bytes", 12 * WHOLE},
    {DENSE FSDP, "step.weights_bytes", 4 * WHOLE},
    /* gradient 4, weight and moments read and written; copy, norm, clipping */
    {DENSE, "symbols.step_bytes_owned", 28 + 14},
    {DENSE NT, "symbols.step_bytes_owned", 72 + 12}, /* twelve passes of six bytes */
    {DENSE FSDP, "symbols.step_bytes_owned", 72 + 12},
    {DENSE FSDP "optimizer=adamw_fused", "symbols.step_bytes_owned", 28 + 12},
    {DENSE "optimizer=adam8bit", "symbols.step_bytes_owned", 16 + 14},
    {DENSE "optimizer=lion8bit", "symbols.step_bytes_owned", 14 + 14}, /* gradient 4, weight 8, moment 2 */
    {DENSE "optimizer=adafactor", "symbols.step_bytes_owned", 12 + 14},
    {DENSE "optimizer=lion", "symbols.step_bytes_owned", 20 + 14},
    {DENSE FSDP, "step.total_bytes", 12 * WHOLE},
    {DENSE "dp=8 micro_batch_size=2 global_batch_size=48", "symbols.m", 3},
    /* what was not asked for: every rank sends whole messages; interleaving hides them, one chunk a stage does not */
    {DENSE "tp=2 pp=2", "symbols.split_p2p", 0},
    {DENSE NT "tp=2 pp=2", "symbols.split_p2p", 0},
    {DENSE ZERO "tp=2 pp=2", "symbols.split_p2p", 0},
    {DENSE FSDP "tp=2 pp=2", "symbols.split_p2p", 0},
    {DENSE "pp=2 vpp=2 global_batch_size=16", "symbols.ovm", 1},
    {DENSE "pp=2", "symbols.ovm", 0},
    /* a host launches every kernel, or one graph */
    {DENSE, "symbols.host_work", 1},
    {DENSE "cuda_graph=partial", "symbols.host_work", 0.6},
    {DENSE "cuda_graph=full", "symbols.host_work", 0},
    {DENSE, "symbols.launch", 4.5},
    {DENSE "cuda_graph=partial", "symbols.launch", 0.65 * 4.5},
    {DENSE "cuda_graph=full", "symbols.t0", 0.3 * 23},
    {DENSE, "symbols.host_dense_s", 2e-3},
    {EXPERTS, "symbols.host_expert_s", 11e-3},
    {EXPERTS "host_speed=0.5", "symbols.host_expert_s", 22e-3},
    {DENSE "host_speed=0.5", "symbols.host_dense_s", 4e-3},
    {EXPERTS "dtype=fp8", "symbols.host_expert_s", 9.5e-3},
    {EXPERTS "cuda_graph=partial", "symbols.host_expert_s", 0.6 * 11e-3},
    /* work of the host for a micro-batch of one dense and three expert layers; a third more where forward runs again */
    {EXPERTS "moe_first_dense=1", "pass.0.host_s", 2e-3 + 3 * 11e-3},
    {EXPERTS "moe_first_dense=1 recompute=full", "pass.0.host_s", 4 / 3.0 * (2e-3 + 3 * 11e-3)},
    {EXPERTS "moe_first_dense=1", "pass.0.counting_s", 2e-3 + 3 * 11e-3},
    {EXPERTS "moe_first_dense=1 moe_dispatcher=flex", "pass.0.counting_s", 0},
    {EXPERTS "moe_first_dense=1 moe_capacity_factor=1", "pass.0.counting_s", 2e-3 + 3 * 11e-3},
    {EXPERTS "moe_first_dense=1 moe_capacity_factor=1 moe_pad_to_capacity=true", "pass.0.counting_s", 0},
    {EXPERTS "moe_first_dense=1 cuda_graph=full", "pass.0.counting_s", 0},
    {DENSE, "pass.0.counting_s", 0},
    /* of layers M - M *: two recurrent mixers, one attention and one block of half a dense layer each */
    {DENSE HYBRID, "pass.0.host_s", 2 * 5.5e-3 + 2 * 1e-3},
    {DENSE HYBRID "host_speed=2", "symbols.host_recurrent_s", 5.5e-3 / 2},
    {DENSE HYBRID, "pass.0.drained_s", 0},
    {EXPERTS HYBRID "ep=4 dp=4 layer_pattern=MEM* moe_dispatcher=flex", "pass.0.drained_s", 2 * 5.5e-3},
    {EXPERTS HYBRID "ep=4 dp=4 layer_pattern=MEM* moe_dispatcher=flex moe_capacity_factor=1 "
     "moe_pad_to_capacity=true", "pass.0.drained_s", 0},
    {EXPERTS HYBRID "ep=4 dp=4 layer_pattern=MEM*", "pass.0.drained_s", 0},
    {DENSE FSDP "compile=true", "pass.0.host_s", L * 0.3e-3},
    {DENSE FSDP "dp=8 reference_model=frozen", "pass.0.host_s", 4 / 3.0 * L * 1.5e-3},
    {DENSE FSDP "dp=8 reference_model=frozen recompute=full", "pass.0.host_s", 5 / 3.0 * L * 1.5e-3},
};

#define SERVE DENSE DEVICE "workload=inference dp=1 batch_size=5 prompt_tokens=500 generate_tokens=100 "
static const struct hand serving[] = {
    {SERVE, "serving.weights_bytes", 2 * WHOLE},
    /* servers quantise the matrices of the layers; embedding, output layer and norms stay in 16 bits */
#define MATRIX_WEIGHTS (L * (ATT(1) + MLP(1) - 2 * H))
    {SERVE "weight_dtype=fp8", "serving.weights_bytes", 2 * WHOLE - MATRIX_WEIGHTS},
    {SERVE "weight_dtype=nvfp4", "serving.weights_bytes", 2 * WHOLE - (2 - 4.5 / 8) * MATRIX_WEIGHTS},
    {SERVE "weight_dtype=mxfp8", "serving.weights_bytes", 2 * WHOLE - (1 - 1 / 32.0) * MATRIX_WEIGHTS},
    {SERVE "pp=2", "serving.weights_bytes", 2 * (V * H + 2 * (ATT(1) + MLP(1)) + H)},
    {SERVE, "serving.context_tokens", 600},
    {SERVE, "serving.kv_sequence_bytes", 600 * 2 * G * K * L * 2},
    {SERVE, "serving.kv_cache_bytes", 5 * 600 * 2 * G * K * L * 2},
    {SERVE "tp=2", "serving.kv_width", 2 * G / 2 * K},
    {SERVE "tp=4", "serving.kv_width", 2 * 1 * K},
    {SERVE "pp=2", "serving.kv_sequence_bytes", 600 * 2 * G * K * 2 * 2},
    {SERVE "kv_dtype=fp8", "serving.kv_sequence_bytes", 600 * 2 * G * K * L},
    {LATENT DEVICE "workload=inference dp=1", "serving.kv_width", KL + QR},
    {SERVE "sliding_window=256", "serving.cached_tokens", 256},
    {SERVE "sliding_window=1024", "serving.cached_tokens", 600},
    {SERVE "sliding_window=256 sliding_window_every=4", "serving.cached_tokens", 600 / 4.0 + 256 * 3 / 4.0},
    {SERVE "sliding_window=1024 sliding_window_every=4", "serving.cached_tokens", 600},
    {SERVE "sliding_window=256 sliding_window_every=4 memory_share=0.5 usable_gib=64", "serving.context_room_bytes",
     (32 * GIB - 2 * WHOLE) / 5 - 4 * V - 0.75 * 256 * 2 * G * K * L * 2}, /* beside the windows, which stay full */
    {SERVE "memory_share=0.5 usable_gib=64", "serving.context_room_bytes", (32 * GIB - 2 * WHOLE) / 5 - 4 * V},
    {SERVE "tp=2", "serving.token_working_bytes", 2 * (2 * H + 2 * F / 2)},
    {SERVE "ffn_hidden_size=256", "serving.token_working_bytes", 2 * (2 * H + (A + 2 * G) * K)},
    {SERVE, "serving.activations_bytes", 5 * (2 * 500 * (2 * H + 2 * F) + 4 * V)},
    {SERVE "prompt_tokens=2000", "serving.activations_bytes", 8192 * 2 * (2 * H + 2 * F) + 5 * 4 * V}, /* in chunks */
    {SERVE "memory_share=0.5 usable_gib=64", "serving.room_bytes", 32 * GIB},
    {SERVE, "serving.token_flops", 2 * MATRICES},
    {SERVE "micro_batch_size=2", "serving.token_flops", 2 * MATRICES},
    {SERVE "tp=2", "serving.prompt_matrix_token_s",
     2 * (MATRICES - V * H) / (2 * PRODUCTS)}, /* no logits but the last */
    {SERVE "tp=2", "serving.prompt_attention_s", L * 4 * A / 2 * K * 500 * 250 / ATTEND(500)},
    {LATENT DEVICE "workload=inference dp=1 prompt_tokens=500", "serving.prompt_attention_s",
     L * 2 * A * (QN + QR + VD) * 500 * 250 / LATENT_ATTEND(500)},
    {SERVE "tp=4", "serving.reduce_latency_s", 2 * L * 2 * 10e-6},
    {SERVE "tp=2", "serving.reduce_latency_s", 2 * L * 2 * 10e-6},
    {SERVE "tp=1", "serving.reduce_latency_s", 0},
    {SERVE "tp=4", "serving.reduce_token_s", 2 * L * 2 * 2 * H * 3 / 4 / LINK},
    {SERVE, "serving.reduce_token_s", 0},
    {SERVE, "serving.read_weights_s", 2 * (WHOLE - V * H) / MEMORY}, /* one row of the embedding */
    {SERVE, "serving.read_cache_s", 2 * G * K * L * 2 * 550 / (2 * MEMORY * 0.85)}, /* at the mean length */
    {SERVE "tp=2", "serving.matrix_token_s", 2 * MATRICES / (2 * PRODUCTS)},
    {LATENT DEVICE "workload=inference dp=1 prompt_tokens=500 generate_tokens=100", "serving.step_attention_s",
     /* on the compressed vector */
     L * 2 * A * (2 * KL + QR) * 550 / (ATTENTION * 4096 / 4596 * (4096 + HALF_S) / 4096)},
    {SERVE "tp=2", "serving.reduce_token_s", 2 * L * 2 * 2 * H * 1 / 2 / LINK},
    {EXPERTS DEVICE "workload=inference dp=1 batch_size=1", "serving.touched", TOP / E},
    {EXPERTS DEVICE "workload=inference dp=1 batch_size=2", "serving.touched", 1 - 13 / 16.0 * 13 / 16.0},
    {EXPERTS DEVICE "workload=inference dp=4 ep=4 batch_size=1", "serving.touched",
     1 - 13.0 * 13 * 13 * 13 / (16.0 * 16 * 16 * 16)},
    {EXPERTS DEVICE "workload=inference dp=4 ep=4 batch_size=1", "serving.dispatch_token_s",
     2 * L * 2 * TOP * H * 1.2 * 3 / 4 / LINK},
    {EXPERTS DEVICE "workload=inference dp=1 batch_size=1 prompt_tokens=2", "serving.touched_by_prompts",
     1 - 13 / 16.0 * 13 / 16.0},
    {SERVE, "serving.touched_by_prompts", 1},
    {SERVE, "serving.read_prompt_weights_s", 2 * (WHOLE - V * H) / MEMORY},
    {SERVE, "serving.touched", 1},
    {SERVE "max_position_embeddings=4096", "serving.max_context_tokens", 4096}, /* given positions are a limit */
    /*
     * the cache grows by a token's keys and values of the layers without a window, beside the working set of a chunk of
     * prompts
     */
#define ROOM  ((32 * GIB - 2 * WHOLE) / 5 - 4 * V) /* half of 64 GiB for five sequences */
#define WHOLE_OF(x) ((double)(int64_t)(x)) /* floor() is no constant */
#define CACHE (2 * G * K * L * 2)
#define WORK  (2 * (2 * H + 2 * F))
    {SERVE "memory_share=0.5 usable_gib=64", "serving.context_over_chunk", (ROOM - 8192 * WORK / 5) / CACHE},
    {SERVE "memory_share=0.5 usable_gib=64", "serving.max_context_tokens", WHOLE_OF((ROOM - 8192 * WORK / 5) / CACHE)},
    {SERVE "memory_share=0.5 usable_gib=64 sliding_window=256 sliding_window_every=4", "serving.context_over_chunk",
     (ROOM - 0.75 * 256 * CACHE - 8192 * WORK / 5) / (CACHE / 4)},
    {SERVE "memory_share=0.5 usable_gib=64 sliding_window=256 sliding_window_every=4", "serving.max_context_tokens",
     WHOLE_OF((ROOM - 0.75 * 256 * CACHE - 8192 * WORK / 5) / (CACHE / 4))},
    /* windows do not grow */
    {SERVE "memory_share=0.5 usable_gib=64 sliding_window=256", "serving.max_context_tokens", INFINITY},
    {SERVE "memory_share=0.5 usable_gib=64 sliding_window=256 max_position_embeddings=4096",
     "serving.context_over_chunk", 4096},
    {SERVE "memory_share=0.5 usable_gib=64", "serving.context_in_chunk", 8192 / 5.0 + 100},
    {SERVE "memory_share=0.0625 usable_gib=4.25", "serving.context_in_chunk", /* 272 MiB: all of it is in a chunk */
     ((272 * MIB - 2 * WHOLE) / 5 - 4 * V + 100 * WORK) / (CACHE + WORK)},
    {SERVE "memory_share=0.0625 usable_gib=4.25 sliding_window=64 sliding_window_every=4", "serving.context_in_chunk",
     ((272 * MIB - 2 * WHOLE) / 5 - 4 * V - 0.75 * 64 * CACHE + 100 * WORK) / (CACHE / 4 + WORK)},
    {SERVE "memory_share=0.0625 usable_gib=4.25", "serving.max_context_tokens",
     WHOLE_OF(((272 * MIB - 2 * WHOLE) / 5 - 4 * V + 100 * WORK) / (CACHE + WORK))},
    {SERVE "memory_share=0.5 usable_gib=64", "serving.batch_over_chunk",
     WHOLE_OF((32 * GIB - 2 * WHOLE - 8192 * WORK) / (600 * CACHE + 4 * V))},
    {SERVE "memory_share=0.5 usable_gib=64", "serving.batch_in_chunk", 16}, /* prompts of 500 in a chunk of 8192 */
    {SERVE "memory_share=0.0625 usable_gib=4.25", "serving.max_batch_size",
     WHOLE_OF((272 * MIB - 2 * WHOLE) / (600 * CACHE + 4 * V + 500 * WORK))},
    {SERVE "memory_share=0.5 usable_gib=64", "serving.queued_batch",
     WHOLE_OF((32 * GIB - 2 * WHOLE - 8192 * WORK) / (550 * CACHE + 4 * V))},
    {SERVE "memory_share=0.0625 usable_gib=4.25", "serving.queued_batch", 0}, /* no room beside a chunk */
    {SERVE "memory_share=0.0625 usable_gib=4.25", "serving.queued_tokens_per_s", 0},
    {SERVE "pp=2", "serving.hop_s", 15e-6},
    {SERVE "pp=4", "serving.hop_s", 3 * 15e-6},
    {SERVE, "serving.hop_s", 0},
    /* two norms with their additions, rotary positions, the activation: what the kernels between the products move */
    {SERVE "tp=2", "serving.kernel_token_bytes", 2 * (10 * H + (3 * (A + 2 * G) * K + 3 * F) / 2)},
    {SERVE "gated_mlp=false", "serving.kernel_token_bytes", 2 * (10 * H + 3 * (A + 2 * G) * K + 2 * F)},
    {SERVE "tp=2 weight_dtype=fp8", "serving.kernel_token_bytes", /* and casts of what feeds the products, 3.2 bytes */
     2 * (10 * H + (3 * (A + 2 * G) * K + 3 * F) / 2) + 3.2 * (2 * H + (A * K + F) / 2)},
    {SERVE, "serving.kernel_token_s", L * 2 * (10 * H + 3 * (A + 2 * G) * K + 3 * F) / MEMORY},
    {SERVE, "serving.launches_s", 7 * L * LAUNCH},
    {EXPERTS DEVICE "workload=inference dp=1 moe_first_dense=1", "serving.launches_s", (7 * L + 6 * 3) * LAUNCH},
    {EXPERTS DEVICE "workload=inference dp=4 ep=4 moe_first_dense=1", "serving.dispatch_latency_s", 2 * 3 * 10e-6},
    {EXPERTS DEVICE "workload=inference dp=2 ep=2 moe_first_dense=1", "serving.dispatch_latency_s", 2 * 3 * 10e-6},
    {EXPERTS DEVICE "workload=inference dp=4", "serving.dispatch_latency_s", 0},
    {SERVE "tp=8 gpus_per_node=4 nvlink_domain=4", "serving.reduce_latency_s", 2 * L * (2 * 10e-6 + 2 * 5e-6)},
    {SERVE "tp=8 gpus_per_node=4 nvlink_domain=4", "serving.reduce_token_s", 2 * L * 2 * 2 * H * 7 / 8 / (4 * NETWORK)},
    {SERVE, "serving.prompt_reach", 250},
    {SERVE "sliding_window=256", "serving.prompt_reach", 256 - 256 * 256 / 1000.0}, /* the first 256 see fewer */
    {SERVE "sliding_window=256 sliding_window_every=4", "serving.prompt_reach", 250 / 4.0 + 190.464 * 3 / 4},
    {SERVE "sliding_window=1024", "serving.prompt_reach", 250},
    {SERVE "sliding_window=530", "serving.step_tokens", 530},
    {SERVE "sliding_window=570", "serving.step_tokens", 550}, /* half of the answer lies before a step */
    {SERVE "sliding_window=530", "serving.queued_sequence_bytes", 530 * 2 * G * K * L * 2},
    {SERVE "sliding_window=570", "serving.queued_sequence_bytes", 550 * 2 * G * K * L * 2},
    {SERVE "sliding_window=570", "serving.cached_tokens", 570},
    {SERVE, "serving.queued_sequence_bytes", 550 * 2 * G * K * L * 2},
    {SERVE "sliding_window=256 sliding_window_every=4", "serving.queued_sequence_bytes",
     (550 / 4.0 + 256 * 3 / 4.0) * 2 * G * K * L * 2},
    {SERVE, "serving.queued_read_s", 2 * (WHOLE - V * H) / MEMORY},
    {SERVE, "serving.first_token_host_s", 3.5e-3},
    {SERVE, "serving.step_tokens", 550},
    {SERVE "sliding_window=256", "serving.step_tokens", 256},
    {SERVE "sliding_window=256 sliding_window_every=4", "serving.step_tokens", 550 / 4.0 + 256 * 3 / 4.0},
};

/* ---- what holds for every plan ----------------------------------------------------------------------------------- */

/* Seconds of one kind's operators in one micro-batch: forward, backward, weight gradients. */
struct seconds {
    double forward, backward, wgrad;
};

static struct seconds seconds_of(enum op_kind kind)
{
    struct seconds sum = {0};
    for (int i = 0; i < OP_COUNT; i++)
        if (op_rows[i].kind == kind && op_is_there(&hand_estimate.symbols, (enum op_id)i)) {
            const struct op_time time = check_op_time(&hand_estimate, (enum op_id)i);
            sum.forward += time.forward_s;
            sum.backward += time.backward_s;
            sum.wgrad += time.gemm_wgrad_s;
        }
    return sum;
}

/* A pass is its layers' operators, and those of the ends on the first and the last stage. */
static void a_pass_is_the_sum(void)
{
    struct seconds attn = seconds_of(OP_ATTENTION), mlp = seconds_of(OP_MLP), moe = seconds_of(OP_MOE),
                   embedding = seconds_of(OP_EMBEDDING), head = seconds_of(OP_HEAD), mtp = seconds_of(OP_MTP);
    for (int j = 0; j < hand_estimate.stages; j++) {
        const struct pass *pass = &hand_estimate.pass[j];
        double moes = hand_estimate.split[j].moe_layers, layers = hand_estimate.split[j].layers, dense = layers - moes;
        bool first = j == 0, last = j == hand_estimate.stages - 1;
        double depths = last * hand_estimate.symbols.J; /* each a layer, and the ends of the model once more */
        layers += depths;
        double expert_depths = op_is_there(&hand_estimate.symbols, OP_ID_ROUTER) ? depths : 0;
        moes += expert_depths;
        dense += depths - expert_depths;
        assert_near(pass->forward_s,
                    layers * attn.forward + dense * mlp.forward + moes * moe.forward +
                        (first + depths) * embedding.forward + depths * mtp.forward + (last + depths) * head.forward +
                        pass->copy_f,
                    1e-12);
        assert_near(pass->backward_s,
                    layers * attn.backward + dense * mlp.backward + moes * moe.backward +
                        (first + depths) * embedding.backward + depths * mtp.backward +
                        (last + depths) * head.backward + pass->copy_b + pass->accumulate_s,
                    1e-12);
        assert_near(pass->wgrad_s,
                    (layers - depths) * attn.wgrad + (dense - depths + expert_depths) * mlp.wgrad +
                        (moes - expert_depths) * moe.wgrad,
                    1e-12);
        double busy = pass->forward_s + pass->recompute_s + pass->backward_s + pass->offload_forward_s +
                      pass->offload_backward_s +
                      (pass->tp_s + pass->cp_s + pass->ep_s + pass->pp_s) / hand_estimate.symbols.m;
        double waiting = pow(pow(busy, 3) + pow(pass->host_s, 3), 1 / 3.0); /* for token counts */
        assert_near(pass->micro_s, pass->counting_s > 0 ? waiting : fmax(pass->host_s, busy), 1e-12);
    }
}

static void a_pass_is_the_sum_of_its_operators(void **state)
{
    (void)state;
    struct check_random random = {42};
    for (int i = 0; i < 300; i++) {
        struct plan plan;
        check_random_plan(&random, &plan);
        estimate_plan(&plan, &hand_estimate);
        a_pass_is_the_sum();
    }
    static const char *const predicting[] = {DENSE DEVICE "mtp_num_layers=2 pp=2 tp=2",
                                             EXPERTS DEVICE "mtp_num_layers=1 moe_first_dense=1"};
    for (size_t i = 0; i < COUNT(predicting); i++) {
        check_estimate(&hand_estimate, predicting[i]);
        a_pass_is_the_sum();
    }
}

static double recomputed(const char *settings)
{
    check_estimate(&hand_estimate, settings);
    return hand_estimate.pass[0].recompute_s;
}

/* Full recomputation repeats the layers; PyTorch's checkpoint stops before the last product; core_attn the core alone.
 */
static void recomputation_repeats_operators(void **state)
{
    (void)state;
    double again = recomputed(DENSE DEVICE "recompute=full");
    assert_near(again, L * (seconds_of(OP_ATTENTION).forward + seconds_of(OP_MLP).forward), 1e-12);
    again = recomputed(EXPERTS DEVICE "moe_first_dense=1 recompute=full");
    assert_near(again,
                L * seconds_of(OP_ATTENTION).forward + seconds_of(OP_MLP).forward + 3 * seconds_of(OP_MOE).forward,
                1e-12);
    again = recomputed(DENSE DEVICE FSDP "recompute=full");
    assert_near(again,
                L * (seconds_of(OP_ATTENTION).forward + seconds_of(OP_MLP).forward -
                     check_op_time(&hand_estimate, OP_ID_FC2).gemm_forward_s),
                1e-12);
    again = recomputed(DENSE DEVICE "recompute=selective");
    assert_near(again, L * check_op_time(&hand_estimate, OP_ID_CORE).forward_s, 1e-12);
    again = recomputed(LATENT DEVICE "recompute=selective");
    assert_near(again, L * check_op_time(&hand_estimate, OP_ID_MLA_CORE).forward_s, 1e-12);
    assert_same(recomputed(DENSE DEVICE), 0);
}

static double forward_of(enum op_id id)
{
    return check_op_time(&hand_estimate, id).forward_s;
}

#define MODULES(names) DEVICE " recompute=selective recompute_modules=[" names "] "

/* Modules repeat their own operators; a norm is part of the first product in TransformerEngine's dense layers. */
static void modules_repeat_their_operators(void **state)
{
    (void)state;
    double again = recomputed(DENSE MODULES("mlp"));
    assert_near(again, L * (seconds_of(OP_MLP).forward - forward_of(OP_ID_MLP_BDA) + forward_of(OP_ID_MLP_NORM)),
                1e-12);
    /* the layer that predicts a token more does as the others */
    again = recomputed(DENSE MODULES("mlp") "mtp_num_layers=1");
    assert_near(again, (L + 1) * (seconds_of(OP_MLP).forward - forward_of(OP_ID_MLP_BDA) + forward_of(OP_ID_MLP_NORM)),
                1e-12);
    again = recomputed(DENSE MODULES("mlp") "transformer_impl=local");
    assert_near(again, L * (seconds_of(OP_MLP).forward - forward_of(OP_ID_MLP_BDA)), 1e-12);
    assert_same(recomputed(DENSE MODULES("layernorm")), 0);
    again = recomputed(DENSE MODULES("layernorm") "transformer_impl=local");
    assert_near(again, L * (forward_of(OP_ID_INPUT_NORM) + forward_of(OP_ID_MLP_NORM)), 1e-12);
    again = recomputed(EXPERTS MODULES("layernorm") "moe_first_dense=1");
    assert_near(again, 3 * forward_of(OP_ID_MLP_NORM), 1e-12);
    again = recomputed(LATENT MODULES("layernorm"));
    assert_near(again, L * forward_of(OP_ID_INPUT_NORM), 1e-12);
    again = recomputed(LATENT MODULES("mla_up_proj"));
    assert_near(again, L * (forward_of(OP_ID_MLA_Q_UP) + forward_of(OP_ID_MLA_KV_UP)), 1e-12);
    double shared = (recomputed(EXPERTS MODULES("shared_experts") "moe_first_dense=1"));
    assert_near(shared,
                3 * (forward_of(OP_ID_SHARED_FC1) + forward_of(OP_ID_SHARED_ACT) + forward_of(OP_ID_SHARED_FC2)),
                1e-12);
    again = recomputed(EXPERTS MODULES("moe_act") "moe_first_dense=1");
    assert_near(again, 3 * forward_of(OP_ID_EXPERT_ACT), 1e-12);
    again = recomputed(EXPERTS MODULES("moe") "moe_first_dense=1");
    assert_near(again, 3 * (seconds_of(OP_MOE).forward - forward_of(OP_ID_MOE_BDA)), 1e-12);
    assert_near(recomputed(EXPERTS MODULES("moe,shared_experts,moe_act") "moe_first_dense=1"), again, 1e-12);
    again = recomputed(DENSE DEVICE "recompute=full recompute_method=block recompute_num_layers=1");
    assert_near(again, seconds_of(OP_ATTENTION).forward + seconds_of(OP_MLP).forward, 1e-12);
}

/*
 * Every second product runs again (the key's, the output's, the gate's), and all that is bound by memory; the kernel
 * does not.
 */
static void a_policy_repeats_every_second_product(void **state)
{
    (void)state;
    double again = recomputed(DENSE DEVICE FSDP "recompute=selective compile=true");
    double products = G / (A + 2 * G) * check_op_time(&hand_estimate, OP_ID_QKV).gemm_forward_s +
                      check_op_time(&hand_estimate, OP_ID_PROJ).gemm_forward_s +
                      check_op_time(&hand_estimate, OP_ID_FC1).gemm_forward_s / 2,
           kernels = 0;
    for (int i = 0; i < OP_COUNT; i++)
        if ((op_rows[i].kind == OP_ATTENTION || op_rows[i].kind == OP_MLP) &&
            op_is_there(&hand_estimate.symbols, (enum op_id)i))
            kernels += check_op_time(&hand_estimate, (enum op_id)i).memory_forward_s;
    assert_near(again, L * (products + kernels), 1e-12);
}

/* Six bytes for each held parameter (gradients cleared, weights written) and some for each that the rank owns. */
static void the_optimizer_step_reads_what_a_rank_owns(void **state)
{
    (void)state;
    check_estimate(&hand_estimate, DENSE DEVICE "dp=8 zero_stage=0");
    double whole = hand_estimate.step.optimizer_s;
    check_estimate(&hand_estimate, DENSE DEVICE "dp=8 zero_stage=1");
    double eighth = hand_estimate.step.optimizer_s;
    assert_near((8 * eighth - whole) / 7, 6 * WHOLE / MEMORY, 1e-9);
    /* twelve passes over an update of 28 bytes: 72; 12, and 6 */
    check_estimate(&hand_estimate, DENSE DEVICE FSDP "dp=1");
    assert_near(hand_estimate.step.optimizer_s, (72 + 12 + 6) * WHOLE / MEMORY, 1e-9);
}

/*
 * Copies to the host and back hide behind the passes, both ways behind backward; what stays and the host's Adam are
 * offloading.
 */
static void offloading_waits_for_what_nothing_hides(void **state)
{
    (void)state;
    struct stage_time time;
    check_estimate(&hand_estimate,
                   DENSE DEVICE FSDP "dp=8 global_batch_size=24 host_memory_gib=1000 host_gb_s=1 offload_optimizer=1"
                                     " offload_activations=1 offload_params=1");
    const struct pass *pass = &hand_estimate.pass[0];
    assert_near(pass->offload_backward_s, pass->moved_s + pass->fetched_s - pass->recompute_s - pass->backward_s,
                1e-12);
    stage_time_of(&hand_estimate, 0, &time);
    assert_true(hand_estimate.step.host_adam_s > 0);
    assert_near(time.offload_s,
                3 * (pass->offload_forward_s + pass->offload_backward_s) + hand_estimate.step.host_adam_s, 1e-12);
}

/* Seconds that the last stage spends in each of its two chunks. */
struct chunk_seconds {
    double forward[2], backward[2];
};

static void add_event(void *context, const struct sim_event *event)
{
    struct chunk_seconds *sum = context;
    if (event->stage != 1)
        return;
    bool is_backward = event->pass != SIM_FORWARD;
    (is_backward ? sum->backward : sum->forward)[event->chunk] += event->end_s - event->start_s;
}

/* Layers share a stage's time evenly among its chunks; the output layer is in the last one alone. */
static void the_output_layer_is_in_the_last_chunk(void **state)
{
    (void)state;
    struct chunk_seconds sum = {{0}, {0}};
    check_estimate(&hand_estimate, DENSE DEVICE "pp=2 vpp=2 overlap_p2p=false global_batch_size=16");
    estimate_play(&hand_estimate, 4, add_event, &sum);
    const struct pass *pass = &hand_estimate.pass[1];
    double stretch = pass->micro_s / (pass->forward_s + pass->recompute_s + pass->backward_s);
    struct seconds head = seconds_of(OP_HEAD);
    assert_near(sum.forward[0], 4 * stretch * (pass->forward_s - head.forward) / 2, 1e-9);
    assert_near(sum.forward[1] - sum.forward[0], 4 * stretch * head.forward, 1e-9);
    assert_near(sum.backward[0], 4 * stretch * (pass->backward_s - head.backward) / 2, 1e-9);
    assert_near(sum.backward[1] - sum.backward[0], 4 * stretch * head.backward, 1e-9);
}

/* Of traffic behind compute this much shows through contention, and what the compute is too short for. */
#define CONTENTION 0.5
#define OVERLAPPED_TP 0.42 /* cut into pieces between the products of a layer */
static double shown(const struct comm *row, double compute_s)
{
    return fmax(CONTENTION * row->time_s, row->time_s - compute_s);
}

static struct comm exposed(const char *settings, enum comm_id id)
{
    check_estimate(&hand_estimate, settings);
    return check_comm(&hand_estimate, 0, id);
}

/* Weight gradients of the matrices cut by columns, by their share of the operations. */
static double column_wgrad_s(void)
{
    return L * (seconds_of(OP_ATTENTION).wgrad * (A + 2 * G) / (2 * A + 2 * G) + seconds_of(OP_MLP).wgrad * 2 / 3);
}

/* Each kind of traffic hides behind the passes that run beside it, when its switch is on; on fast and on slow links. */
static void traffic_hides_behind_its_passes(void **state)
{
    (void)state;
    static const char *const links[] = {"", "intra_node_gb_s=4 inter_node_gb_s=4"};
    for (size_t i = 0; i < COUNT(links); i++) {
        char text[1024];
        const struct pass *pass = &hand_estimate.pass[0];
        struct comm row;
        double both_s;
#define WITH(settings) (snprintf(text, sizeof text, "%s %s", settings, links[i]), text)
        row = exposed(WITH(DENSE DEVICE "tp=2 overlap_tp=false"), COMM_ID_TP_FORWARD);
        assert_same(row.exposed_s, row.time_s);
        row = exposed(WITH(DENSE DEVICE "tp=2 overlap_tp=true"), COMM_ID_TP_FORWARD);
        assert_near(row.exposed_s, OVERLAPPED_TP * row.time_s, 1e-12);
        row = exposed(WITH(DENSE DEVICE "cp=2 global_batch_size=12 overlap_cp=true"), COMM_ID_CP_RING_F);
        assert_near(row.exposed_s, shown(&row, 3 * pass->forward_s), 1e-12);
        row = exposed(WITH(DENSE DEVICE "cp=2 cp_comm=all_gather overlap_cp=true"), COMM_ID_CP_GATHER);
        assert_same(row.exposed_s, row.time_s);
        row = exposed(WITH(DENSE DEVICE "cp=2 overlap_cp=false"), COMM_ID_CP_RING_F);
        assert_same(row.exposed_s, row.time_s);
        row = exposed(WITH(DENSE DEVICE "tp=2 sp=true global_batch_size=12"), COMM_ID_SP_SCATTER_B);
        assert_near(row.exposed_s, shown(&row, 3 * column_wgrad_s()), 1e-12);
        row = exposed(WITH(DENSE DEVICE "tp=2 sp=true global_batch_size=12"), COMM_ID_SP_GATHER_AGAIN);
        assert_near(row.exposed_s, shown(&row, 3 * column_wgrad_s()), 1e-12);
        row = exposed(WITH(LATENT DEVICE "tp=2 sp=true global_batch_size=12"), COMM_ID_SP_SCATTER_B);
        /* attention's are not cut so */
        assert_near(row.exposed_s, shown(&row, 3 * L * seconds_of(OP_MLP).wgrad * 2 / 3), 1e-12);
        row = exposed(WITH(DENSE DEVICE "tp=2 sp=true gated_mlp=false global_batch_size=12"), COMM_ID_SP_SCATTER_B);
        assert_near(row.exposed_s, shown(&row, 3 * L * (seconds_of(OP_ATTENTION).wgrad * (A + 2 * G) / (2 * A + 2 * G) +
                                                        seconds_of(OP_MLP).wgrad / 2)), 1e-12);
        row = exposed(WITH(DENSE DEVICE "tp=2 sp=true"), COMM_ID_SP_GATHER_B);
        assert_same(row.exposed_s, row.time_s);
        row = exposed(WITH(DENSE DEVICE FSDP "tp=2"), COMM_ID_TP_BACKWARD);
        assert_same(row.exposed_s, row.time_s);
        row = exposed(WITH(DENSE DEVICE "pp=2 global_batch_size=12 overlap_p2p=true"), COMM_ID_PP_FORWARD);
        assert_near(row.exposed_s, shown(&row, 3 * pass->forward_s), 1e-12);
        row =
            exposed(WITH(DENSE DEVICE "dp=8 zero_stage=1 recompute=full overlap_grad_reduce=true"), COMM_ID_DP_SCATTER);
        assert_near(row.exposed_s, shown(&row, pass->backward_span_s), 1e-12);
        row = exposed(WITH(DENSE DEVICE "dp=8 zero_stage=1 overlap_grad_reduce=true"), COMM_ID_DP_GATHER);
        assert_same(row.exposed_s, row.time_s);
        row = exposed(WITH(DENSE DEVICE "dp=8 zero_stage=1 overlap_grad_reduce=true overlap_param_gather=true"),
                      COMM_ID_DP_GATHER);
        assert_near(row.exposed_s, shown(&row, pass->forward_s), 1e-12);
        row = exposed(WITH(DENSE DEVICE FSDP "dp=8 global_batch_size=24"), COMM_ID_SHARD_GATHER_F);
        assert_near(row.exposed_s, shown(&row, 3 * pass->forward_s), 1e-12);
        row = exposed(WITH(DENSE DEVICE FSDP "dp=8 global_batch_size=24"), COMM_ID_SHARD_SCATTER);
        both_s = row.time_s + exposed(text, COMM_ID_SHARD_GATHER_B).time_s; /* they share backward */
        assert_near(row.exposed_s, shown(&row, 3 * pass->backward_span_s * row.time_s / both_s), 1e-12);
        row = exposed(WITH(EXPERTS DEVICE "ep=4 dp=8 zero_stage=1 overlap_grad_reduce=true"), COMM_ID_EDP_SCATTER);
        both_s = row.time_s + exposed(text, COMM_ID_DP_SCATTER).time_s;
        assert_near(row.exposed_s, shown(&row, pass->backward_span_s * row.time_s / both_s), 1e-12);
        row = exposed(WITH(DENSE DEVICE FSDP "dp=8 fsdp_prefetch=false"), COMM_ID_SHARD_GATHER_F);
        assert_same(row.exposed_s, row.time_s);
        row = exposed(WITH(DENSE DEVICE ZERO "dp=8 zero_stage=3"), COMM_ID_SHARD_GATHER_F);
        assert_same(row.exposed_s, row.time_s);
#undef WITH
    }
}

/* The figures of serving follow from one another. */
static void serving_adds_up(void **state)
{
    (void)state;
    static const char *const plans[] = {SERVE, SERVE "tp=4 pp=2", SERVE "batch_size=2000", SERVE "nodes=2 dp=16",
                                        SERVE "usable_gib=2 memory_share=0.5",
                                        EXPERTS DEVICE "workload=inference tp=2 sp=true dp=2"};
    for (size_t i = 0; i < COUNT(plans); i++) {
        check_estimate(&hand_estimate, plans[i]);
        const struct serving *s = &hand_estimate.serving;
        const struct symbols *y = &hand_estimate.symbols;
        double pass_s = s->launches_s + s->reduce_latency_s + s->dispatch_latency_s + s->hop_s;
        double token_s = s->kernel_token_s + s->reduce_token_s + s->dispatch_token_s;
        double prompts = s->batch * s->prompt;
        assert_true(isinf(s->positions)); /* nobody gave any */
        assert_near(s->prefill_s,
                    prompts * token_s + s->batch * s->prompt_attention_s + pass_s +
                        fmax(prompts * s->prompt_matrix_token_s, s->read_prompt_weights_s),
                    1e-12);
        assert_near(s->time_to_first_token_s, s->prefill_s + s->first_token_host_s, 1e-12);
        assert_near(s->decode_step_s,
                    s->batch * (token_s + fmax(s->read_cache_s, s->step_attention_s)) + pass_s +
                        fmax(s->batch * s->matrix_token_s, s->read_weights_s),
                    1e-12);
        assert_near(s->queued_step_s,
                    s->queued_batch * (token_s + fmax(s->read_cache_s, s->step_attention_s)) + pass_s +
                        fmax(s->queued_batch * s->matrix_token_s, s->queued_read_s),
                    1e-12);
        double answer_s =
            s->prompt * s->prompt_matrix_token_s + s->prompt_s + s->generate * s->queued_step_s / s->queued_batch;
        assert_near(s->queued_tokens_per_s, s->queued_batch >= 1 ? y->d * s->generate / answer_s : 0, 1e-12);
        assert_near(s->request_s, s->time_to_first_token_s + (s->generate - 1) * s->decode_step_s, 1e-12);
        assert_near(hand_estimate.headroom_bytes, s->room_bytes - s->needed_bytes, 1e-12);
        assert_near(s->tokens_per_s, y->d * s->batch * s->generate / s->request_s, 1e-12);
        assert_near(s->cost_per_million_tokens, 1e6 / s->tokens_per_s * y->world * 2.5 / 3600, 1e-12);
        assert_near(s->needed_bytes, s->weights_bytes + s->kv_cache_bytes + s->activations_bytes, 1e-12);
    }
}

static void tensor_parallel_by_hand(void **state)
{
    (void)state;
    check_hand(tensor_parallel, COUNT(tensor_parallel));
}

static void context_and_pipeline_by_hand(void **state)
{
    (void)state;
    check_hand(context_and_pipeline, COUNT(context_and_pipeline));
}

static void expert_parallel_by_hand(void **state)
{
    (void)state;
    check_hand(expert_parallel, COUNT(expert_parallel));
}

static void data_parallel_by_hand(void **state)
{
    (void)state;
    check_hand(data_parallel, COUNT(data_parallel));
}

static void calls_by_hand(void **state)
{
    (void)state;
    check_hand(calls, COUNT(calls));
}

static void operators_by_hand(void **state)
{
    (void)state;
    check_hand(operators, COUNT(operators));
}

static void behaviours_by_hand(void **state)
{
    (void)state;
    check_hand(behaviours, COUNT(behaviours));
}

static void iteration_by_hand(void **state)
{
    (void)state;
    check_hand(iteration, COUNT(iteration));
}

static void serving_by_hand(void **state)
{
    (void)state;
    check_hand(serving, COUNT(serving));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensor_parallel_by_hand),
        cmocka_unit_test(context_and_pipeline_by_hand),
        cmocka_unit_test(expert_parallel_by_hand),
        cmocka_unit_test(data_parallel_by_hand),
        cmocka_unit_test(calls_by_hand),
        cmocka_unit_test(operators_by_hand),
        cmocka_unit_test(behaviours_by_hand),
        cmocka_unit_test(iteration_by_hand),
        cmocka_unit_test(serving_by_hand),
        cmocka_unit_test(serving_adds_up),
        cmocka_unit_test(a_pass_is_the_sum_of_its_operators),
        cmocka_unit_test(recomputation_repeats_operators),
        cmocka_unit_test(modules_repeat_their_operators),
        cmocka_unit_test(a_policy_repeats_every_second_product),
        cmocka_unit_test(the_optimizer_step_reads_what_a_rank_owns),
        cmocka_unit_test(offloading_waits_for_what_nothing_hides),
        cmocka_unit_test(the_output_layer_is_in_the_last_chunk),
        cmocka_unit_test(traffic_hides_behind_its_passes),
    };
    return cmocka_run_group_tests_name("hand_time", tests, NULL, NULL) != 0;
}
