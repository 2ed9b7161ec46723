/* Operators: parameters and saved bytes of a layer against counts made by hand. */
#include "tests/check.h"

static struct estimate estimate;

static double params_of(enum op_kind kind)
{
    double sum = 0;
    for (int i = 0; i < OP_COUNT; i++)
        sum += op_rows[i].kind == kind ? check_op(&estimate, (enum op_id)i).params : 0;
    return sum;
}

static double saved_by(enum op_kind kind)
{
    double sum = 0;
    for (int i = 0; i < OP_COUNT; i++)
        sum += op_rows[i].kind == kind ? check_op(&estimate, (enum op_id)i).saved : 0;
    return sum;
}

/* Bytes that one dense layer keeps, per token of the sequence and with tensor parallelism multiplied out again. */
static double saved_per_token(const char *settings)
{
    check_estimate(&estimate, settings);
    return (saved_by(OP_ATTENTION) + saved_by(OP_MLP)) * estimate.symbols.t / estimate.symbols.Tk;
}

static void every_row_has_a_path_and_a_source(void **state)
{
    (void)state;
    for (int i = 0; i < OP_COUNT; i++) {
        assert_that(op_rows[i].path && op_rows[i].path[0], "%s", op_rows[i].id);
        assert_that(op_rows[i].source && op_rows[i].source[0], "%s", op_rows[i].id);
        for (size_t j = 0; j < op_column_count; j++)
            assert_true(op_columns[j].name && op_columns[j].label);
        for (int j = 0; j < i; j++)
            assert_that(strcmp(op_rows[i].id, op_rows[j].id) != 0, "%s twice", op_rows[i].id);
    }
}

/*
 * Published counts of bytes a token and layer with sequence parallelism (megatron formulas, one copy of the attention
 * output). They leave out fp32 norm statistics, 4 bytes a token for each RMSNorm and 8 for each LayerNorm, and the
 * inputs of query/key norms; both are added here, and nothing else.
 */
static void saved_bytes_of_a_layer(void **state)
{
    (void)state;
    static const struct {
        const char *name, *settings;
        double published, statistics, qk_norm;
    } cases[] = {
        {"GPT-3 with dropout", GPT3_175B "hidden_dropout=0.1 attention_dropout=0.1 tp=8 sp=true", 34 * 12288 + 4 * 96,
         2 * 8, 0},
        {"Llama-2 7B", LLAMA2_7B "tp=2 sp=true", 131712, 2 * 4, 0},
        {"Llama-3 8B", LLAMA3_8B "tp=4 sp=true", 139392, 2 * 4, 0},
        {"Llama-3 70B", LLAMA3_70B "tp=8 sp=true", 274688, 2 * 4, 0},
        {"Qwen3-32B", QWEN3_32B "tp=8 sp=true", 231680, 2 * 4, 2 * (64 + 8) * 128},
        {"Llama-3 8B without sharding", LLAMA3_8B "tp=1", 139392, 2 * 4, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        double bytes = saved_per_token(cases[i].settings),
               expected = cases[i].published + cases[i].statistics + cases[i].qk_norm;
        assert_that(fabs(bytes - expected) < 1e-6, "%s: %.3f bytes, expected %.3f", cases[i].name, bytes, expected);
    }
    assert_near(34 * 12288 + 4 * 96, 34.03 * 12288, 1e-4);
}

/* Without sequence parallelism norms and dropouts are whole on every rank: 10 + 24/t (Korthikanti et al. 2022). */
static void saved_bytes_without_sequence_parallelism(void **state)
{
    (void)state;
    double h = 12288, a = 96, t = 8;
    double bytes = saved_per_token(GPT3_175B "hidden_dropout=0.1 attention_dropout=0.1 tp=8") / t;
    assert_near(bytes, 10 * h + 24 * h / t + 4 * a / t + 2 * 8, 1e-12);
}

static void unfused_attention_keeps_scores(void **state)
{
    (void)state;
    double s = 2048, a = 96, t = 8;
    double flash = saved_per_token(GPT3_175B "attention_dropout=0.1 tp=8 sp=true");
    double unfused = saved_per_token(GPT3_175B "attention_dropout=0.1 tp=8 sp=true attention=unfused");
    assert_near(unfused - flash, (5 * a * s / t - 4 * a / t) * t, 1e-12);
}

static void a_second_copy_of_the_attention_output(void **state)
{
    (void)state;
    double copy = 2 * 32 * 128;
    assert_near(saved_per_token(LLAMA2_7B "micro_batch_size=2 attention_kernel=fa2") -
                    saved_per_token(LLAMA2_7B "attention_kernel=fa2"),
                copy, 1e-9);
    assert_near(saved_per_token(LLAMA2_7B "micro_batch_size=2 attention_kernel=cudnn"),
                saved_per_token(LLAMA2_7B "attention_kernel=fa2"), 1e-12);
    assert_near(saved_per_token(LLAMA2_7B "cp=2") - saved_per_token(LLAMA2_7B), copy, 1e-9);
    assert_near(saved_per_token(LLAMA2_7B "cp=2 cp_comm=all_gather"), saved_per_token(LLAMA2_7B), 1e-12);
}

static void an_unfused_gate_keeps_one_more_tensor(void **state)
{
    (void)state;
    assert_near(saved_per_token(LLAMA2_7B "fused_glu=false") - saved_per_token(LLAMA2_7B "fused_glu=true"), 2 * 11008,
                1e-9);
}

static double layer_params(const char *settings, enum op_kind kind)
{
    check_estimate(&estimate, settings);
    return params_of(OP_ATTENTION) + params_of(kind);
}

static void parameters_of_a_layer_on_one_rank(void **state)
{
    (void)state;
    assert_same(layer_params(GPT_6B "tp=2 pp=2 micro_batch_size=4 global_batch_size=512 nodes=2", OP_MLP), 100442752);
    double h = 4096, f = 14336, q = 4096, kv = 1024;
    assert_same(layer_params(LLAMA3_8B, OP_MLP), h * (q + 2 * kv) + q * h + 3 * h * f + 2 * h);
    assert_same(layer_params(LLAMA3_8B "tp=4", OP_MLP), (h * (q + 2 * kv) + q * h + 3 * h * f) / 4 + 2 * h);
    assert_same(layer_params(MIXTRAL_8X7B, OP_MOE), h * (q + 2 * kv) + q * h + 2 * h + 8 * h + 8 * 3 * h * f);
    assert_same(layer_params(MIXTRAL_8X7B "ep=4", OP_MOE), h * (q + 2 * kv) + q * h + 2 * h + 8 * h + 2 * 3 * h * f);
    assert_same(layer_params(MIXTRAL_8X7B "tp=2 sp=true ep=4 etp=1", OP_MOE),
                (h * (q + 2 * kv) + q * h) / 2 + 2 * h + 8 * h + 2 * 3 * h * f);
}

/* Latent attention of DeepSeek-V3: the down-projections are whole on every tensor-parallel rank. */
static void parameters_of_latent_attention(void **state)
{
    (void)state;
    double h = 7168, a = 128, ql = 1536, kl = 512, qn = 128, qr = 64, vd = 128, f = 18432;
    double down = h * ql + h * (kl + qr) + ql + kl, up = ql * a * (qn + qr) + kl * a * (qn + vd) + a * vd * h;
    assert_same(layer_params(DEEPSEEK_V3, OP_MLP), down + up + 2 * h + 3 * h * f);
    assert_same(layer_params(DEEPSEEK_V3 "tp=4 sp=true", OP_MLP), down + up / 4 + 2 * h + 3 * h * f / 4);
}

static void shapes_are_cut_where_weights_are(void **state)
{
    (void)state;
    check_estimate(&estimate, LLAMA3_70B "tp=8");
    const struct op qkv = check_op(&estimate, OP_ID_QKV), proj = check_op(&estimate, OP_ID_PROJ),
                    fc1 = check_op(&estimate, OP_ID_FC1), fc2 = check_op(&estimate, OP_ID_FC2);
    assert_same(qkv.out, 10240);
    assert_same(qkv.out_rank, 1280);
    assert_same(qkv.in_rank, 8192);
    assert_same(proj.out_rank, 8192);
    assert_same(proj.in_rank, 1024);
    assert_same(fc1.out_rank, 7168);
    assert_same(fc1.in_rank, 8192);
    assert_same(fc2.out_rank, 8192);
    assert_same(fc2.in_rank, 3584);
}

/* Matrix products cost two operations for each weight and token. */
static void products_cost_two_operations_a_weight(void **state)
{
    (void)state;
    check_estimate(&estimate, LLAMA3_70B "tp=8 micro_batch_size=2");
    for (int i = 0; i < OP_COUNT; i++) {
        const struct op op = check_op(&estimate, (enum op_id)i);
        if (op.m > 0 && op_rows[i].split < SPLIT_EOUT)
            assert_near(op.gemm_flops, 2 * op.m * op.out_rank * op.in_rank, 1e-12);
    }
}

/* llm-analysis' inputs: bits of what the feed-forward block keeps, and no activation where it is computed again. */
static void feed_forward_keeps_as_many_bits_as_asked_for(void **state)
{
    (void)state;
    static struct estimate e;
    static const struct {
        const char *settings;
        double fc1, activation, fc2; /* bytes a value */
    } cases[] = {
        {"", 2, 2, 2},
        {"mlp_activation_quant_bits=8", 1, 1, 1},
        {"mlp_1linear_quant_bits=4 mlp_gelu_input_quant_bits=8", 0.5, 1, 2},
        {"mlp_2linear_quant_bits=6", 2, 2, 0.75},
        {"mlp_activation_quant_bits=8 mlp_2linear_quant_bits=6", 1, 1, 1},
        {"mlp_recompute_gelu=true", 2, 2, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char settings[512];
        snprintf(settings, sizeof settings, "%s%s", LLAMA2_7B "dp=1 global_batch_size=1 ", cases[i].settings);
        check_estimate(&e, settings);
        double tokens = e.symbols.Tk, h = e.symbols.h, f = e.symbols.f;
        assert_near(check_op(&e, OP_ID_FC1).saved, cases[i].fc1 * h * tokens, 1e-12);
        assert_near(check_op(&e, OP_ID_ACTIVATION).saved, cases[i].activation * 2 * f * tokens, 1e-12);
        assert_near(check_op(&e, OP_ID_FC2).saved, cases[i].fc2 * f * tokens, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feed_forward_keeps_as_many_bits_as_asked_for),
        cmocka_unit_test(every_row_has_a_path_and_a_source),
        cmocka_unit_test(saved_bytes_of_a_layer),
        cmocka_unit_test(saved_bytes_without_sequence_parallelism),
        cmocka_unit_test(unfused_attention_keeps_scores),
        cmocka_unit_test(a_second_copy_of_the_attention_output),
        cmocka_unit_test(an_unfused_gate_keeps_one_more_tensor),
        cmocka_unit_test(parameters_of_a_layer_on_one_rank),
        cmocka_unit_test(parameters_of_latent_attention),
        cmocka_unit_test(shapes_are_cut_where_weights_are),
        cmocka_unit_test(products_cost_two_operations_a_weight),
    };
    return cmocka_run_group_tests_name("op", tests, NULL, NULL) != 0;
}
