/* Layers of several kinds: patterns read and written, each kind against counts worked out by hand from its sources. */
#include "tests/check.h"

#include "core/estimate/fold.h"
#include "core/estimate/kinds.h"
#include "core/plan/kind.h"

#include <string.h>

static struct estimate estimate;

static void patterns_come_back_as_they_were_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *printed, *words;
    } cases[] = {
        {"MEM*E", NULL, "5 layers: 1 attention, 2 Mamba-2, 2 experts"},
        {"MEMEM*EMEMEM*E/*E", NULL, "14 layers: 2 attention, 6 Mamba-2, 6 experts"},
        {"12[GE GE GE *E]", NULL, "48 layers: 12 attention, 36 Gated DeltaNet, 48 experts"},
        {"3[D-] 58[DE]", NULL, "61 layers: 61 sparse attention with an indexer, 3 feed-forward, 58 experts"},
        {"GE GE GE *E GE GE GE *E", "2[GE GE GE *E]", "8 layers: 2 attention, 6 Gated DeltaNet, 8 experts"},
        {"44[(M*)-]", NULL, "44 layers: 44 attention beside Mamba-2, 44 feed-forward"},
        {"2[W- 2[W-] *=]", "2[W- W- W- *=]",
         "8 layers: 2 attention, 6 attention with a window, 6 feed-forward, 2 feed-forward of twice the width"},
        {"++--", "**--", "4 layers: 2 attention, 2 feed-forward"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct layer_pattern pattern, again;
        char why[200], text[600];
        assert_that(pattern_parse(cases[i].text, &pattern, why, sizeof why) == 0, "%s: %s", cases[i].text, why);
        pattern_print(&pattern, text, sizeof text);
        assert_string_equal(text, cases[i].printed ? cases[i].printed : cases[i].text);
        assert_int_equal(pattern_parse(text, &again, why, sizeof why), 0);
        assert_memory_equal(&pattern, &again, sizeof again);
        pattern_words(&pattern, text, sizeof text);
        assert_string_equal(text, cases[i].words);
    }
}

static void what_is_no_pattern_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"MQ", "2[GE", "GE]", "0[GE *E]", "9999[GE]", "2[]", "GE- *E", "/", "",
                                        "MEM|*E", "2[2[2[2[2[2[M ]]]]]]", "ME/", "600[M ]"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct layer_pattern pattern = {.layers = 7};
        char why[200] = "";
        bool is_read = pattern_parse(texts[i], &pattern, why, sizeof why) == 0;
        if (strcmp(texts[i], "ME/") == 0)
            continue;
        assert_that(!is_read, "%s is read", texts[i]);
        assert_int_equal(pattern.layers, 7);
        assert_true(why[0]);
    }
}

/* The mixer of a kind with its norm: parameters, bytes kept and scratch of a token, forward operations of a token. */
struct vector {
    const char *model, *settings;
    enum mixer mixer;
    double params, saved, scratch, flops;
};

#define SHAPE                                                                                                          \
    "vocab_size=32000 seq_length=8192 gpu=h100-sxm-80 norms_per_layer=2 gated_mlp=true "                               \
    "position_embedding=none "
#define NANO                                                                                                           \
    SHAPE "hidden_size=2688 num_attention_heads=32 num_query_groups=2 kv_channels=128 layer_pattern=M* "               \
    "mamba_num_heads=64 mamba_head_dim=64 mamba_state_dim=128 mamba_num_groups=8 "
#define SUPER                                                                                                          \
    SHAPE "hidden_size=4096 num_attention_heads=32 num_query_groups=2 kv_channels=128 layer_pattern=M* "               \
    "mamba_num_heads=128 mamba_head_dim=64 mamba_state_dim=128 mamba_num_groups=8 "
#define FALCON                                                                                                         \
    SHAPE "hidden_size=3072 num_attention_heads=12 num_query_groups=2 kv_channels=128 layer_pattern=M* "               \
    "mamba_num_heads=24 mamba_head_dim=128 mamba_state_dim=256 mamba_num_groups=1 mamba_chunk=256 "
#define NEXT                                                                                                           \
    SHAPE "hidden_size=2048 num_attention_heads=16 num_query_groups=2 kv_channels=256 qk_norm=head "                   \
    "attention_output_gate=element layer_pattern=G* linear_num_key_heads=16 linear_key_head_dim=128 "                  \
    "linear_num_value_heads=32 linear_value_head_dim=128 "
#define QWEN397                                                                                                        \
    SHAPE "hidden_size=4096 num_attention_heads=32 num_query_groups=2 kv_channels=256 qk_norm=head "                   \
    "attention_output_gate=element layer_pattern=G* linear_num_key_heads=16 linear_key_head_dim=128 "                  \
    "linear_num_value_heads=64 linear_value_head_dim=128 "
#define KIMI                                                                                                           \
    SHAPE "hidden_size=2304 num_attention_heads=32 layer_pattern=K* linear_num_key_heads=32 "                          \
    "linear_key_head_dim=128 linear_num_value_heads=32 linear_value_head_dim=128 linear_gate_rank=128 "
#define MINIMAX                                                                                                        \
    SHAPE "hidden_size=6144 num_attention_heads=64 kv_channels=128 layer_pattern=L* linear_num_key_heads=64 "          \
    "linear_key_head_dim=128 linear_num_value_heads=64 linear_value_head_dim=128 "
#define LFM                                                                                                            \
    SHAPE "hidden_size=2048 num_attention_heads=32 layer_pattern=C* linear_conv_kernel_dim=3 "
#define JAMBA                                                                                                          \
    SHAPE "hidden_size=4096 num_attention_heads=32 layer_pattern=m* mamba_num_heads=8192 mamba_head_dim=1 "            \
    "mamba_state_dim=16 mamba_dt_rank=256 "
#define MIMO                                                                                                           \
    SHAPE "hidden_size=4096 num_attention_heads=64 num_query_groups=4 kv_channels=192 v_channels=128 "                 \
    "window_num_query_groups=8 sliding_window=128 layer_pattern=W* "
#define SCOUT                                                                                                          \
    SHAPE "hidden_size=5120 num_attention_heads=40 num_query_groups=8 kv_channels=128 layer_pattern=B* "               \
    "attention_chunk=8192 seq_length=32768 "
#define GEMMA4                                                                                                         \
    SHAPE "hidden_size=5376 num_attention_heads=32 num_query_groups=4 kv_channels=512 "                                \
    "window_num_query_groups=16 window_kv_channels=256 sliding_window=1024 layer_pattern=W* "
#define STEP                                                                                                           \
    SHAPE "hidden_size=4096 num_attention_heads=64 num_query_groups=8 kv_channels=128 "                                \
    "attention_output_gate=head window_num_attention_heads=96 sliding_window=512 layer_pattern=W* "
#define GLM5                                                                                                           \
    SHAPE "hidden_size=6144 num_attention_heads=64 multi_latent_attention=true q_lora_rank=2048 "                      \
    "kv_lora_rank=512 qk_head_dim=192 qk_pos_emb_head_dim=64 v_head_dim=256 dsa_indexer_n_heads=32 "                   \
    "dsa_indexer_head_dim=128 dsa_indexer_topk=2048 layer_pattern=D "
#define V32                                                                                                            \
    SHAPE "hidden_size=7168 num_attention_heads=128 multi_latent_attention=true q_lora_rank=1536 "                     \
    "kv_lora_rank=512 qk_head_dim=128 qk_pos_emb_head_dim=64 v_head_dim=128 dsa_indexer_n_heads=64 "                   \
    "dsa_indexer_head_dim=128 dsa_indexer_topk=2048 layer_pattern=D "

#define V4                                                                                                             \
    SHAPE "hidden_size=4096 num_attention_heads=64 num_query_groups=1 kv_channels=512 q_lora_rank=1024 "               \
    "o_lora_rank=1024 o_groups=8 sliding_window=128 dsa_indexer_n_heads=64 dsa_indexer_head_dim=128 "                  \
    "dsa_indexer_topk=512 residual_streams=4 attention_kernel=fa2 layer_pattern=wcx "
#define RWKV                                                                                                           \
    SHAPE "hidden_size=2560 num_attention_heads=40 kv_channels=64 ffn_hidden_size=10240 gated_mlp=false "              \
    "linear_gate_rank=576 layer_pattern=r "

/*
 * Counted apart from the sheets, by a script that reads the implementations named in core/plan/kind.def. Scratch is
 * that of backward: B*(W + 3X + 3di) + 12 di N/Q + 8GQ for Mamba-2, its chunk states and their gradients in 16 bits.
 */
static const struct vector vectors[] = {
    {"Nemotron-3 Nano", NANO, MIXER_MAMBA2, 38744896, 55972, 139392, 80347136},
    {"Nemotron-3 Super", SUPER, MIXER_MAMBA2, 109640064, 102692, 254208, 224739328},
    {"Falcon-H1-7B", FALCON, MIXER_MAMBA2, 29982280, 44088, 92208, 64008192},
    {"Qwen3-Next", NEXT, MIXER_GDN, 33720512, 94980, 180224, 71892992},
    {"Qwen3-Next, attention", NEXT, MIXER_ATTENTION, 27265536, 52292, 0, 121634816},
    {"Qwen3.5-397B", QWEN397, MIXER_GDN, 118018304, 173444, 360448, 244940800},
    {"Qwen3.5-397B, attention", QWEN397, MIXER_ATTENTION, 104862208, 101508, 0, 343932928},
    {"Kimi-Linear", KIMI, MIXER_KDA, 39516576, 100420, 245760, 83476480},
    {"MiniMax-Text-01", MINIMAX, MIXER_LIGHTNING, 251672576, 204808, 0, 511705088},
    {"LFM2-1.2B", LFM, MIXER_CONV, 16785408, 32772, 0, 33566720},
    {"Jamba", JAMBA, MIXER_MAMBA1, 105312544, 132740, 0, 211484672},
    {"MiMo-V2-Flash", MIMO "attention_sinks=true", MIXER_WINDOW, 94376000, 62724, 0, 193945600},
    {"MiMo-V2-Flash, global", MIMO, MIXER_ATTENTION, 89133056, 60164, 0, 346030080},
    /* the gate, and what linear_proj reads */
    {"Step-3.5", STEP, MIXER_WINDOW, 109449216, 70020 + 2*96*128 + 2*96, 0, 243269632},
    {"Llama 4 Scout", SCOUT, MIXER_CHUNK, 62919680, 45220, 0, 209715200},
    {"Gemma 4 31B, global", GEMMA4, MIXER_ATTENTION, 198186240, 95364, 0, 664797184},
    {"Gemma 4 31B, window", GEMMA4, MIXER_WINDOW, 132125952, 70788, 0, 295698432},
    {"DeepSeek-V3.2", V32, MIXER_SPARSE, 201073920, 375180, 0, 968359936},
    /* with the hyper-connections of both halves: 393243 parameters, 65536 bytes and 786432 operations more */
    {"DeepSeek-V4-Flash, window", V4, MIXER_ONE_KEY, 107353691 + 393243, 301316 + 65536, 0, 231342080 + 786432},
    {"DeepSeek-V4-Flash, 1/4", V4, MIXER_COMPRESSED, 126495963 + 393243, 325124 + 65536, 0, 353501184 + 786432},
    {"DeepSeek-V4-Flash, 1/128", V4, MIXER_CONDENSED, 111614043 + 393243, 303372 + 65536, 0, 243924992 + 786432},
    {"GLM-5", GLM5, MIXER_SPARSE, 174400256, 225356, 0, 631898112},
};

static void every_kind_is_its_vector(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(vectors); i++) {
        const struct vector *v = &vectors[i];
        struct symbols symbols;
        struct layer_cost cost;
        struct op_shapes shapes;
        double flops = 0;
        check_estimate(&estimate, v->settings);
        kinds_symbols(&estimate.plan, layer_of(v->mixer, FEED_NONE), &symbols);
        fold_layers(&symbols, &cost, &shapes);
        for (int id = 0; id < OP_COUNT; id++) {
            struct op op;
            op_evaluate(&symbols, (enum op_id)id, &op);
            flops += op_rows[id].kind == OP_ATTENTION && op.when != 0 ? op.gemm_flops + op.flops : 0;
        }
        assert_that(cost.attn_params == v->params, "%s: %.0f parameters, not %.0f", v->model, cost.attn_params,
                    v->params);
        assert_that(fabs(cost.attn_saved / symbols.Tk - v->saved) < 0.5, "%s: keeps %.1f bytes a token, not %.0f",
                    v->model, cost.attn_saved / symbols.Tk, v->saved);
        assert_that(fabs(fold_scratch(&symbols) / symbols.Tk - v->scratch) < 0.5, "%s: scratch of %.1f, not %.0f",
                    v->model, fold_scratch(&symbols) / symbols.Tk, v->scratch);
        assert_that(fabs(flops / symbols.Tk / v->flops - 1) < 1e-6, "%s: %.0f operations a token, not %.0f", v->model,
                    flops / symbols.Tk, v->flops);
    }
}

/*
 * Expert blocks, balanced: parameters, bytes kept of a token, forward operations of a token. Their norm, of h
 * parameters and 2h + 4 bytes, is another operator's; of a latent vector only the sum of the experts' outputs is kept.
 */
static void every_expert_block_is_its_vector(void **state)
{
    (void)state;
    static const struct {
        const char *model, *settings;
        double h, latent, params, saved, flops;
    } rows[] = {
        {"Nemotron-3 Super", SUPER "gated_mlp=false num_experts=512 moe_router_topk=22 moe_ffn_hidden_size=2688 "
                                   "moe_shared_ffn_hidden_size=5376 moe_latent_size=1024 layer_pattern=ME ",
         4096, 1024, 2873102336, 335964, 351272960},
        {"Qwen3-Next", NEXT "num_experts=512 moe_router_topk=10 moe_ffn_hidden_size=512 moe_shared_ffn_hidden_size=512 "
                            "moe_shared_expert_gate=true layer_pattern=GE ",
         2048, 0, 1614811136, 95276, 71303168},
        {"LongCat", SHAPE "hidden_size=6144 num_attention_heads=64 num_experts=512 moe_zero_experts=256 "
                          "moe_router_topk=12 moe_ffn_hidden_size=2048 layer_pattern=*E ",
         6144, 0, 19332077568, 239652, 613416960},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct symbols symbols;
        struct layer_cost cost;
        struct op_shapes shapes;
        double flops = 0;
        check_estimate(&estimate, rows[i].settings);
        kinds_symbols(&estimate.plan, layer_of(MIXER_NONE, FEED_EXPERTS), &symbols);
        fold_layers(&symbols, &cost, &shapes);
        for (int id = 0; id < OP_COUNT; id++) {
            struct op op;
            op_evaluate(&symbols, (enum op_id)id, &op);
            flops += op_rows[id].kind == OP_MOE && op.when != 0 ? op.gemm_flops + op.flops : 0;
        }
        double params = cost.moe_params + cost.expert_params + rows[i].h;
        double saved = cost.expert_saved / symbols.Tk + 2 * rows[i].h + 4 + 2 * rows[i].latent;
        assert_that(params == rows[i].params, "%s: %.0f parameters, not %.0f", rows[i].model, params, rows[i].params);
        assert_that(fabs(saved - rows[i].saved) < 0.5, "%s: keeps %.1f, not %.0f", rows[i].model, saved, rows[i].saved);
        assert_that(fabs(flops / symbols.Tk / rows[i].flops - 1) < 1e-6, "%s: %.0f operations, not %.0f", rows[i].model,
                    flops / symbols.Tk, rows[i].flops);
    }
}

/* A served sequence: bytes a token adds in 16 bits, and bytes whatever the length, full windows among them. */
static void every_kind_keeps_its_cache(void **state)
{
    (void)state;
    static const struct {
        const char *model, *settings;
        enum mixer mixer;
        double token, fixed;
    } cases[] = {
        {"Nemotron-3 Nano", NANO, MIXER_MAMBA2, 0, 2134016},
        {"Nemotron-3 Super", SUPER, MIXER_MAMBA2, 0, 4255744},
        {"Falcon-H1-7B", FALCON, MIXER_MAMBA2, 0, 3167232},
        {"Qwen3-Next", NEXT, MIXER_GDN, 0, 2146304},
        {"Qwen3-Next, attention", NEXT, MIXER_ATTENTION, 2048, 0},
        {"Kimi-Linear", KIMI, MIXER_KDA, 0, 2170880},
        {"MiniMax-Text-01", MINIMAX, MIXER_LIGHTNING, 0, 4194304},
        {"LFM2-1.2B", LFM, MIXER_CONV, 0, 8192},
        {"Jamba", JAMBA, MIXER_MAMBA1, 0, 573440},
        {"MiMo-V2-Flash", MIMO, MIXER_WINDOW, 0, 655360},
        {"MiMo-V2-Flash, global", MIMO, MIXER_ATTENTION, 2560, 0},
        {"Step-3.5", STEP, MIXER_WINDOW, 0, 2097152},
        {"Llama 4 Scout", SCOUT, MIXER_CHUNK, 0, 33554432},
        {"Gemma 4 31B, global", GEMMA4, MIXER_ATTENTION, 8192, 0},
        {"Gemma 4 31B, window", GEMMA4, MIXER_WINDOW, 0, 16777216},
        {"DeepSeek-V3.2", V32, MIXER_SPARSE, 1284, 0},
        {"DeepSeek-V4-Flash, window", V4, MIXER_ONE_KEY, 0, 131072},
        {"DeepSeek-V4-Flash, 1/4", V4, MIXER_COMPRESSED, 288, 196608},
        {"DeepSeek-V4-Flash, 1/128", V4, MIXER_CONDENSED, 8, 655360},
        {"RWKV-7 2.9B", RWKV, MIXER_RWKV, 0, 665600},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct symbols symbols;
        struct layer_cache cache;
        check_estimate(&estimate, cases[i].settings);
        kinds_symbols(&estimate.plan, layer_of(cases[i].mixer, FEED_NONE), &symbols);
        fold_cache(&symbols, &cache);
        assert_that(2 * cache.values + cache.bytes == cases[i].token, "%s: %g bytes a token", cases[i].model,
                    2 * cache.values + cache.bytes);
        assert_that(cache.state + 2 * cache.near * symbols.forgets == cases[i].fixed, "%s: %.0f bytes of state",
                    cases[i].model, cache.state + 2 * cache.near * symbols.forgets);
    }
}

/* The tower of Qwen3-VL-8B with an image of 1024 x 1024, for each of its 1024 tokens, without the projector's work. */
static void a_vision_tower_is_its_vector(void **state)
{
    (void)state;
    double params = 0, saved = 0, flops = 0;
    check_estimate(&estimate, SHAPE "num_layers=36 hidden_size=4096 num_attention_heads=32 train.vision_tokens=1024 "
                                    "vision_num_layers=27 vision_hidden_size=1152 vision_ffn_hidden_size=4304 "
                                    "vision_num_attention_heads=16 vision_params=576388336");
    for (int id = OP_ID_VISION_NORM; id <= OP_ID_VISION_REST; id++) {
        struct op op;
        op_evaluate(&estimate.symbols, (enum op_id)id, &op);
        params += op.params;
        saved += op.saved;
        flops += id < OP_ID_VISION_REST ? op.gemm_flops + op.flops : 0;
    }
    assert_true(params == 576388336);
    assert_true(saved / 1024 == 3858624);
    assert_true(flops / 1024 == 5326995456);
    double with = estimate.totals.total;
    check_estimate(&estimate, SHAPE "num_layers=36 hidden_size=4096 num_attention_heads=32 vision_num_layers=27");
    assert_true(with - estimate.totals.total == 576388336);
}

/* train.frozen has the tower by itself, with the embeddings, and as all that is trained. */
static void a_frozen_tower_is_not_trained(void **state)
{
    (void)state;
    static const char tower[] = SHAPE "num_layers=4 hidden_size=4096 num_attention_heads=32 train.vision_tokens=1024 "
                                      "vision_num_layers=27 vision_hidden_size=1152 vision_ffn_hidden_size=4304 "
                                      "vision_num_attention_heads=16 vision_params=576388336 train.frozen=";
    static const struct {
        const char *frozen;
        bool is_frozen, is_alone;
    } rows[] = {{"vision", true, false}, {"norms,vision", true, false}, {"embeddings", true, false},
                {"all-but:vision", false, true}, {"none", false, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char settings[1024];
        snprintf(settings, sizeof settings, "%s%s", tower, rows[i].frozen);
        check_estimate(&estimate, settings);
        const struct totals *all = &estimate.totals;
        assert_true(all->trainable + all->frozen == all->total);
        assert_true((all->frozen >= 576388336) == (rows[i].is_frozen || rows[i].is_alone));
        assert_true((all->trainable == 576388336) == rows[i].is_alone);
        assert_true(estimate.stage[0].trained == all->trainable);
    }
}

/* The operators of each stage, as often as its layers have them, hold the parameters of the stage. */
static void operators_of_a_stage_hold_its_parameters(void **state)
{
    (void)state;
    static const char *const plans[] = {
        DEEPSEEK_V3 "pp=4 ep=8 nodes=16 zero_stage=1 mtp_num_layers=1 last_stage_layers=13",
        NANO "num_experts=8 moe_router_topk=2 moe_ffn_hidden_size=1024 ffn_hidden_size=1024 mtp_num_layers=2 pp=2 "
             "layer_pattern=MEMEM*EMEMEM*E/*E nodes=1 gpus_per_node=8",
        NANO "num_experts=8 moe_router_topk=2 moe_ffn_hidden_size=1024 ffn_hidden_size=4096 pp=2 vpp=2 "
             "layer_pattern=M-*EM-*EM-ME*-ME nodes=1 gpus_per_node=8 global_batch_size=64"};
    for (size_t i = 0; i < COUNT(plans); i++) {
        check_estimate(&estimate, plans[i]);
        for (int stage = 0; stage < estimate.stages; stage++) {
            double sum = 0;
            for (int id = 0; id < OP_COUNT; id++) {
                struct op op;
                estimate_op(&estimate, (enum op_id)id, &op);
                sum += estimate_stage_op_count(&estimate, stage, (enum op_id)id) * op.params;
            }
            assert_that(sum == estimate.stage[stage].params, "stage %d: operators hold %.0f of %.0f: %s", stage, sum,
                        estimate.stage[stage].params, plans[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_come_back_as_they_were_read),
        cmocka_unit_test(what_is_no_pattern_is_refused),
        cmocka_unit_test(every_kind_is_its_vector),
        cmocka_unit_test(every_expert_block_is_its_vector),
        cmocka_unit_test(every_kind_keeps_its_cache),
        cmocka_unit_test(a_vision_tower_is_its_vector),
        cmocka_unit_test(a_frozen_tower_is_not_trained),
        cmocka_unit_test(operators_of_a_stage_hold_its_parameters),
    };
    return cmocka_run_group_tests_name("kinds", tests, NULL, NULL) != 0;
}
