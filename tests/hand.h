/* tests/hand.h - figures worked by hand: small models, a round device, and rows that say what must come out. */
#pragma once

#include "tests/check.h"

/* One case: the settings over blanks, the figure, and its arithmetic; numbers stand for the model's sizes. */
struct hand {
    const char *settings, *figure;
    double value;
};

/* ---- the models and the device ----------------------------------------------------------------------------------- */

/* No two sizes are equal, so that one taken for another shows. */
#define L 4.0
#define H 1024.0
#define F 3072.0
#define A 8.0  /* query heads */
#define G 2.0  /* key/value heads */
#define K 64.0 /* width of a head */
#define S 2048.0
#define V 32000.0
#define DENSE                                                                                                          \
    " num_layers=4 hidden_size=1024 ffn_hidden_size=3072 num_attention_heads=8 num_query_groups=2 kv_channels=64"      \
    " vocab_size=32000 seq_length=2048 gated_mlp=true "

/* Latent attention: ranks of the compressed queries and keys, widths of a head. */
#define QL 256.0
#define KL 128.0
#define QN 32.0
#define QR 16.0
#define VD 24.0
#define LATENT                                                                                                         \
    DENSE "multi_latent_attention=true q_lora_rank=256 kv_lora_rank=128 qk_head_dim=32 qk_pos_emb_head_dim=16"         \
          " v_head_dim=24 "

/* Sixteen experts of which a token meets three, and a shared one. */
#define E  16.0
#define TOP 3.0
#define FE  448.0
#define FS  640.0
#define EXPERTS                                                                                                        \
    DENSE "num_experts=16 moe_router_topk=3 moe_ffn_hidden_size=448 moe_shared_ffn_hidden_size=640 "

/* A device with round figures: products 500 TFLOP/s, memory 1 TB/s, links 200 GB/s, network 20 GB/s. */
#define PRODUCTS  500e12
#define ATTENTION (989e12 * 0.4)
#define MEMORY    1e12
#define LINK      200e9
#define NETWORK   20e9
#define DEVICE                                                                                                         \
    " peak_tflops=1000 gemm_efficiency=0.5 attention_efficiency=0.4 memory_gb_s=2000 memory_efficiency=0.5"            \
    " intra_node_gb_s=400 link_efficiency=0.5 intra_node_latency_us=10 inter_node_gb_s=40 network_efficiency=0.5"      \
    " inter_node_latency_us=5 "

#define M23    " framework.name=megatron-2023 "
#define NT     " framework.name=nanotron "
#define NT_OLD " framework.name=nanotron-pre203 "
#define ZERO   " framework.name=deepspeed "
#define FSDP   " framework.name=fsdp2 "
#define FSDP1  " framework.name=fsdp1 "

/* Parameters of a layer on one of t ranks, and what it keeps on one rank without parallelism. */
#define ATT(t) (((A + 2 * G) * K * H + A * K * H) / (t) + 2 * H)
#define MLP(t) (3 * H * F / (t))
#define WHOLE  (V * H + L * (ATT(1) + MLP(1)) + H + V * H)
#define KEPT   ((8 * H + 8 + 2 * (2 * A + 2 * G) * K + 4 * A + 6 * F) * S)

/* ---- looking a figure up ----------------------------------------------------------------------------------------- */

static struct estimate hand_estimate;

static double member_of(const struct term *terms, size_t count, const void *sheet, const char *name)
{
    const struct term *term = term_find(terms, count, name, strlen(name));
    assert_that(term, "no figure '%s'", name);
    return term_value(term, sheet);
}

/* The length of `id` where `path` is "ID.NAME", else 0. */
static size_t is_row(const char *path, const char *id)
{
    size_t length = strlen(id);
    return strncmp(path, id, length) == 0 && path[length] == '.' ? length : 0;
}

/* A column of an operator's row, or what follows from the columns. */
static double of_operator(const struct op *op, const char *name)
{
    bool is_column = term_find(op_columns, op_column_count, name, strlen(name)) != NULL;
    return is_column ? member_of(op_columns, op_column_count, op, name) : member_of(op_terms, op_term_count, op, name);
}

static double operator_figure(const char *path, bool is_time)
{
    for (int i = 0; i < OP_COUNT; i++) {
        const char *name = path + is_row(path, op_rows[i].id) + 1;
        if (!is_row(path, op_rows[i].id))
            continue;
        const struct op op = check_op(&hand_estimate, (enum op_id)i);
        if (!is_time)
            return of_operator(&op, name);
        struct op_time time = check_op_time(&hand_estimate, (enum op_id)i);
        return member_of(op_time_terms, op_time_term_count, &time, name);
    }
    fail_msg("no operator '%s'", path);
    return NAN;
}

static double comm_figure(int stage, const char *path)
{
    for (int i = 0; i < COMM_COUNT; i++)
        if (is_row(path, comm_rows[i].id)) {
            struct comm row = check_comm(&hand_estimate, stage, (enum comm_id)i);
            const char *name = path + is_row(path, comm_rows[i].id) + 1;
            struct call call;
            if (term_find(comm_columns, comm_column_count, name, strlen(name)))
                return member_of(comm_columns, comm_column_count, &row, name);
            assert_that(row.when != 0, "no traffic '%s' in this plan", path);
            comm_call(&hand_estimate.symbols, &hand_estimate.grid, (enum comm_id)i, &row, &call);
            return member_of(call_terms, call_term_count, &call, name);
        }
    fail_msg("no traffic '%s'", path);
    return NAN;
}

/* The figure of a stage: "stage.0.NAME", "pass.0.NAME", "comm.0.ROW.NAME" (a column of the row, or of its call). */
static double stage_figure(const char *path)
{
    int stage = atoi(strchr(path, '.') + 1);
    const char *name = strchr(strchr(path, '.') + 1, '.') + 1;
    assert_between(stage, 0, hand_estimate.stages - 1);
    return is_row(path, "comm")   ? comm_figure(stage, name)
           : is_row(path, "pass") ? member_of(pass_terms, pass_term_count, &hand_estimate.pass[stage], name)
                                  : member_of(stage_terms, stage_term_count, &hand_estimate.stage[stage], name);
}

/*
 * Any figure: those of a stage, "op.ROW.NAME", "time.ROW.NAME", "step.NAME", "serving.NAME", "symbols.NAME",
 * "model.NAME".
 */
static double hand_figure(const char *path)
{
    const char *name = strchr(path, '.') + 1;
    if (is_row(path, "op") || is_row(path, "time"))
        return operator_figure(name, is_row(path, "time"));
    if (is_row(path, "step"))
        return member_of(step_terms, step_term_count, &hand_estimate.step, name);
    if (is_row(path, "serving"))
        return member_of(serving_terms, serving_term_count, &hand_estimate.serving, name);
    if (is_row(path, "symbols"))
        return member_of(symbol_terms, symbol_term_count, &hand_estimate.symbols, name);
    if (is_row(path, "model"))
        return member_of(model_terms, model_term_count, &hand_estimate.totals, name);
    return stage_figure(path);
}

/* Checks every row; says all that are wrong. */
static void check_hand(const struct hand *rows, size_t count)
{
    int wrong = 0;
    for (size_t i = 0; i < count; i++) {
        check_estimate(&hand_estimate, rows[i].settings);
        double value = hand_figure(rows[i].figure), expected = rows[i].value;
        if (value == expected || fabs(value - expected) <= 1e-9 * fabs(expected))
            continue;
        wrong++;
        print_error("%s is %.12g, by hand %.12g:%s\n", rows[i].figure, value, expected, rows[i].settings);
    }
    assert_int_equal(wrong, 0);
}
