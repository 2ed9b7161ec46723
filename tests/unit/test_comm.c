/* Traffic: the corrected volumes of the analysis tool's example, ring factors, and who talks to whom. */
#include "tests/check.h"

static struct estimate estimate;

#define EXAMPLE GPT_6B "tp=2 pp=2 zero_stage=1 micro_batch_size=4 global_batch_size=512 nodes=2"

static void check_row(int stage, enum comm_id id, double count, double message_mib, double sent_gib)
{
    struct comm row = check_comm(&estimate, stage, id);
    assert_that(row.when != 0, "stage %d has no %s", stage, comm_rows[id].id);
    assert_same(row.count, count);
    assert_near(row.message_bytes, message_mib * MIB, 1e-3);
    assert_near(row.sent_bytes_per_rank, sent_gib * GIB, 1e-3);
}

static void traffic_of_the_example(void **state)
{
    (void)state;
    check_estimate(&estimate, EXAMPLE);
    check_row(0, COMM_ID_TP_FORWARD, 1024, 64, 64); /* 16 layers x 32 micro-batches x 2; ring factor 1 at t = 2 */
    check_row(0, COMM_ID_TP_BACKWARD, 1024, 64, 64);
    check_row(1, COMM_ID_TP_FORWARD, 1024, 64, 64);
    check_row(0, COMM_ID_EMBED_REDUCE, 32, 64, 2);
    check_row(1, COMM_ID_HEAD_REDUCE, 32, 64, 2);
    check_row(1, COMM_ID_LOSS_REDUCE, 96, 4 * 8192 / MIB, 96 * 4 * 8192 / GIB);
    check_row(0, COMM_ID_DP_SCATTER, 1, 6.403 * 1024, 4.802);
    check_row(0, COMM_ID_DP_GATHER, 1, 3.2014 * 1024, 2.401);
    check_row(0, COMM_ID_TIED, 1, 394, 394 / 1024.0);
    check_row(1, COMM_ID_TIED, 1, 394, 394 / 1024.0);
    check_row(0, COMM_ID_PP_FORWARD, 32, 64, 2);
    check_row(1, COMM_ID_PP_BACKWARD, 32, 64, 2);
    assert_true(check_comm(&estimate, 1, COMM_ID_PP_FORWARD).when == 0);
    assert_true(check_comm(&estimate, 0, COMM_ID_PP_BACKWARD).when == 0);
    assert_true(check_comm(&estimate, 0, COMM_ID_HEAD_REDUCE).when == 0);
    assert_true(check_comm(&estimate, 1, COMM_ID_EMBED_REDUCE).when == 0);
}

static void the_gradients_of_norms_fill_their_shape(void **state)
{
    (void)state;
    static const char *const plans[] = {"tp=2 sp=true", "tp=2 sp=true add_bias_linear=true normalization=layernorm",
                                        "tp=2 qk_norm=head"};
    for (size_t i = 0; i < COUNT(plans); i++) {
        char settings[400];
        snprintf(settings, sizeof settings, LLAMA3_8B "nodes=1 %s", plans[i]);
        check_estimate(&estimate, settings);
        struct comm row = check_comm(&estimate, 0, COMM_ID_NORM_GRADIENTS);
        assert_near(row.message_bytes, 4 * row.shape[0] * row.shape[1] * row.shape[2], 1e-12);
    }
}

/* 512 messages of 64 MiB cross the link between the stages: 32 GiB, not the 128 that the tool printed. */
static void pipeline_volume_of_the_example(void **state)
{
    (void)state;
    double bytes = 0;
    check_estimate(&estimate, EXAMPLE);
    for (int stage = 0; stage < 2; stage++) {
        struct comm rows[COMM_COUNT];
        estimate_comm(&estimate, stage, rows);
        for (int i = 0; i < COMM_COUNT; i++)
            if (rows[i].when != 0 && comm_rows[i].dim == COMM_PP)
                bytes += rows[i].cluster_bytes;
    }
    assert_same(bytes, 32 * GIB);
}

static double layer_traffic(int stage)
{
    static const enum comm_id ids[] = {COMM_ID_TP_FORWARD,   COMM_ID_TP_BACKWARD, COMM_ID_SP_GATHER_F,
                                       COMM_ID_SP_SCATTER_F, COMM_ID_SP_GATHER_B, COMM_ID_SP_SCATTER_B,
                                       COMM_ID_SP_GATHER_AGAIN};
    double bytes = 0;
    for (size_t i = 0; i < COUNT(ids); i++) {
        struct comm row = check_comm(&estimate, stage, ids[i]);
        bytes += row.when != 0 ? row.sent_bytes_per_rank : 0;
    }
    return bytes;
}

/* For each layer and micro-batch, with S bytes of a full activation: 8 S (t-1)/t, and 10 S (t-1)/t with sequence
 * parallelism. */
static void tensor_parallel_ring_bytes(void **state)
{
    (void)state;
    double S = 2.0 * 8192 * 8192, layers = 80, micro = 4;
    check_estimate(&estimate, LLAMA3_70B "tp=8 dp=1 global_batch_size=4");
    assert_near(layer_traffic(0), layers * micro * 8 * S * 7 / 8, 1e-12);
    check_estimate(&estimate, LLAMA3_70B "tp=8 sp=true dp=1 global_batch_size=4");
    assert_near(layer_traffic(0), layers * micro * 10 * S * 7 / 8, 1e-12);
    check_estimate(&estimate, LLAMA3_70B "tp=8 dp=1 global_batch_size=4 recompute=full");
    assert_near(layer_traffic(0), layers * micro * 12 * S * 7 / 8, 1e-12);
    check_estimate(&estimate, LLAMA3_70B "tp=8 sp=true dp=1 global_batch_size=4 recompute=full");
    assert_near(layer_traffic(0), layers * micro * 14 * S * 7 / 8, 1e-12);
}

static void data_parallel_ring_bytes(void **state)
{
    (void)state;
    check_estimate(&estimate, LLAMA3_8B "dp=8 zero_stage=1");
    double params = estimate.stage[0].params;
    assert_near(check_comm(&estimate, 0, COMM_ID_DP_SCATTER).sent_bytes_per_rank, 4 * params * 7 / 8, 1e-12);
    assert_near(check_comm(&estimate, 0, COMM_ID_DP_GATHER).sent_bytes_per_rank, 2 * params * 7 / 8, 1e-12);
    check_estimate(&estimate, LLAMA3_8B "dp=8 zero_stage=0");
    assert_near(check_comm(&estimate, 0, COMM_ID_DP_REDUCE).sent_bytes_per_rank, 2 * 4 * params * 7 / 8, 1e-12);
    assert_true(check_comm(&estimate, 0, COMM_ID_DP_GATHER).when == 0);
    check_estimate(&estimate, LLAMA3_8B "dp=4 cp=2 zero_stage=1");
    assert_same(check_comm(&estimate, 0, COMM_ID_DP_SCATTER).group_size, 8);
}

/* 2 m (p V - 1) messages in each pipeline and iteration. */
static void pipeline_messages(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        double p, V, m;
    } cases[] = {{LLAMA2_7B "pp=4 dp=1 global_batch_size=8", 4, 1, 8},
                 {LLAMA2_7B "pp=4 vpp=2 dp=1 global_batch_size=8", 4, 2, 8},
                 {LLAMA2_7B "pp=2 dp=2 global_batch_size=12", 2, 1, 6}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        double messages = 0;
        check_estimate(&estimate, cases[i].settings);
        for (int stage = 0; stage < estimate.stages; stage++) {
            struct comm forward = check_comm(&estimate, stage, COMM_ID_PP_FORWARD),
                        backward = check_comm(&estimate, stage, COMM_ID_PP_BACKWARD);
            messages += (forward.when != 0 ? forward.count : 0) + (backward.when != 0 ? backward.count : 0);
        }
        assert_same(messages, 2 * cases[i].m * (cases[i].p * cases[i].V - 1));
    }
    check_estimate(&estimate, LLAMA2_7B "tp=4 sp=true pp=2 dp=1 global_batch_size=4");
    assert_same(check_comm(&estimate, 0, COMM_ID_PP_FORWARD).message_bytes, 2.0 * 4096 * 4096 / 4);
    check_estimate(&estimate, LLAMA2_7B "tp=4 pp=2 dp=1 global_batch_size=4");
    assert_same(check_comm(&estimate, 0, COMM_ID_PP_FORWARD).message_bytes, 2.0 * 4096 * 4096);
}

/* Per layer and micro-batch with KV bytes of keys and values: (c-1) KV forward and 2 (c-1) KV backward. */
static void context_parallel_bytes(void **state)
{
    (void)state;
    double KV = 2 * 2.0 * (8192 / 4.0) * 8 * 128, layers = 32;
    check_estimate(&estimate, LLAMA3_8B "cp=4 dp=1 global_batch_size=1");
    assert_near(check_comm(&estimate, 0, COMM_ID_CP_RING_F).sent_bytes_per_rank, layers * 3 * KV, 1e-12);
    assert_near(check_comm(&estimate, 0, COMM_ID_CP_RING_B).sent_bytes_per_rank, layers * 6 * KV, 1e-12);
    check_estimate(&estimate, LLAMA3_8B "cp=4 cp_comm=all_gather dp=1 global_batch_size=1");
    assert_near(check_comm(&estimate, 0, COMM_ID_CP_GATHER).sent_bytes_per_rank, layers * 2 * 3 * KV, 1e-12);
    assert_near(check_comm(&estimate, 0, COMM_ID_CP_SCATTER).sent_bytes_per_rank, layers * 3 * KV, 1e-12);
}

static void expert_parallel_bytes(void **state)
{
    (void)state;
    check_estimate(&estimate, MIXTRAL_8X7B "ep=8 dp=8 global_batch_size=8");
    assert_near(check_comm(&estimate, 0, COMM_ID_EP_DISPATCH).sent_bytes_per_rank,
                32 * 1 * 2.0 * 4096 * 2 * 4096 * 7 / 8, 1e-12);
    assert_near(check_comm(&estimate, 0, COMM_ID_EP_COMBINE).sent_bytes_per_rank,
                32 * 3 * 2.0 * 4096 * 2 * 4096 * 7 / 8, 1e-12);
    check_estimate(&estimate, MIXTRAL_8X7B "ep=1 dp=8 global_batch_size=8");
    assert_true(check_comm(&estimate, 0, COMM_ID_EP_DISPATCH).when == 0);
}

static void groups_cross_nodes_where_ranks_do(void **state)
{
    (void)state;
    check_estimate(&estimate, LLAMA3_70B "tp=8 sp=true pp=4 nodes=8 global_batch_size=64 zero_stage=1");
    assert_false(check_comm(&estimate, 0, COMM_ID_SP_GATHER_F).crosses_nodes);
    assert_true(check_comm(&estimate, 0, COMM_ID_PP_FORWARD).crosses_nodes);
    assert_true(check_comm(&estimate, 0, COMM_ID_DP_SCATTER).crosses_nodes);
    check_estimate(&estimate, LLAMA3_8B "tp=4 pp=2 global_batch_size=8");
    assert_false(check_comm(&estimate, 0, COMM_ID_PP_FORWARD).crosses_nodes);
    check_estimate(&estimate, LLAMA3_70B "tp=16 sp=true nodes=2 global_batch_size=8");
    assert_true(check_comm(&estimate, 0, COMM_ID_SP_GATHER_F).crosses_nodes);
}

/* Volumes sent by all ranks: what one rank sends times the ranks of the stage. */
static void cluster_bytes_are_those_of_all_ranks(void **state)
{
    (void)state;
    struct check_random random = {3};
    for (int i = 0; i < 200; i++) {
        struct plan plan;
        check_random_plan(&random, &plan);
        estimate_plan(&plan, &estimate);
        for (int stage = 0; stage < estimate.stages; stage++) {
            struct comm rows[COMM_COUNT];
            estimate_comm(&estimate, stage, rows);
            for (int j = 0; j < COMM_COUNT; j++) {
                if (rows[j].when == 0)
                    continue;
                double n = rows[j].group_size, stage_ranks = estimate.symbols.world / estimate.symbols.p;
                double factor =
                    comm_rows[j].op == COMM_SEND_RECV ? 1 : (comm_rows[j].op == COMM_ALL_REDUCE ? 2 : 1) * (n - 1) / n;
                assert_that(n >= 2, "%s: a group of %g: %s", comm_rows[j].id, n, check_describe(&plan));
                assert_near(rows[j].sent_bytes_per_rank, rows[j].count * rows[j].message_bytes * factor, 1e-12);
                assert_near(rows[j].cluster_bytes, rows[j].sent_bytes_per_rank * stage_ranks, 1e-12);
                if (comm_rows[j].dim != COMM_PP && comm_rows[j].dim != COMM_EMBEDDING)
                    assert_that(fabs(n * rows[j].groups - stage_ranks) < 1e-9, "%s: %g groups of %g on %g ranks: %s",
                                comm_rows[j].id, rows[j].groups, n, stage_ranks, check_describe(&plan));
                assert_true(rows[j].time_s > 0 && rows[j].exposed_s >= 0);
                assert_at_most(rows[j].exposed_s, rows[j].time_s * (1 + 1e-12));
            }
        }
    }
}

/* A dimension of size 1 sends nothing, whatever else is set. */
static void a_degree_of_one_sends_nothing(void **state)
{
    (void)state;
    struct check_random random = {4};
    for (int i = 0; i < 300; i++) {
        struct plan plan;
        check_random_plan(&random, &plan);
        estimate_plan(&plan, &estimate);
        const struct symbols *y = &estimate.symbols;
        const double degree[COMM_DIM_COUNT] = {
            [COMM_TP] = y->t,          [COMM_CP] = y->c,   [COMM_PP] = y->p,       [COMM_DP] = y->d * y->c,
            [COMM_ETP] = y->et, [COMM_EP] = y->ep * y->et, [COMM_EDP] = y->ed, [COMM_EMBEDDING] = y->p};
        for (int stage = 0; stage < estimate.stages; stage++) {
            struct comm rows[COMM_COUNT];
            estimate_comm(&estimate, stage, rows);
            for (int j = 0; j < COMM_COUNT; j++)
                assert_that(rows[j].when == 0 || degree[comm_rows[j].dim] > 1, "%s with degree 1: %s", comm_rows[j].id,
                            check_describe(&plan));
        }
    }
}

/* A call costs what it costs alone, whichever rows and stages were priced before it. */
static void calls_are_priced_as_if_alone(void **state)
{
    (void)state;
    struct check_random random = {37};
    int calls = 0;
    for (int i = 0; i < 400; i++) {
        struct plan plan;
        check_random_plan(&random, &plan);
        estimate_plan(&plan, &estimate);
        struct comm_table table;
        comm_clear(&table, NULL);
        for (int stage = 0; stage < estimate.stages; stage++) {
            comm_times(&estimate.symbols, &estimate.stage[stage], &estimate.grid, &table);
            for (int j = 0; j < table.count; j++) {
                enum comm_id id = table.present[j];
                struct call alone;
                comm_call(&estimate.symbols, &estimate.grid, id, &table.row[id], &alone);
                assert_that(memcmp(&alone.call_s, &table.row[id].call_s, sizeof alone.call_s) == 0 &&
                                memcmp(&alone.factor, &table.row[id].factor, sizeof alone.factor) == 0,
                            "stage %d, %s: %s", stage, comm_rows[id].id, check_describe(&plan));
                calls++;
            }
        }
    }
    assert_true(calls > 4000);
}

/* More bytes never take less time, and a faster link never takes more. */
static void time_grows_with_bytes_and_shrinks_with_the_link(void **state)
{
    (void)state;
    check_estimate(&estimate, LLAMA3_8B "tp=8 global_batch_size=1 seq_length=4096");
    struct comm small = check_comm(&estimate, 0, COMM_ID_TP_FORWARD);
    check_estimate(&estimate, LLAMA3_8B "tp=8 global_batch_size=1 seq_length=8192");
    struct comm large = check_comm(&estimate, 0, COMM_ID_TP_FORWARD);
    assert_true(large.call_s > small.call_s && large.call_s < 2 * small.call_s);
    check_estimate(&estimate, LLAMA3_8B "tp=8 global_batch_size=1 seq_length=8192 intra_node_gb_s=900");
    assert_true(check_comm(&estimate, 0, COMM_ID_TP_FORWARD).call_s < large.call_s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traffic_of_the_example),
        cmocka_unit_test(the_gradients_of_norms_fill_their_shape),
        cmocka_unit_test(pipeline_volume_of_the_example),
        cmocka_unit_test(tensor_parallel_ring_bytes),
        cmocka_unit_test(data_parallel_ring_bytes),
        cmocka_unit_test(pipeline_messages),
        cmocka_unit_test(context_parallel_bytes),
        cmocka_unit_test(expert_parallel_bytes),
        cmocka_unit_test(groups_cross_nodes_where_ranks_do),
        cmocka_unit_test(cluster_bytes_are_those_of_all_ranks),
        cmocka_unit_test(a_degree_of_one_sends_nothing),
        cmocka_unit_test(calls_are_priced_as_if_alone),
        cmocka_unit_test(time_grows_with_bytes_and_shrinks_with_the_link),
    };
    return cmocka_run_group_tests_name("comm", tests, NULL, NULL) != 0;
}
