/* Which layers a stage and chunk hold. */
#include "tests/check.h"

#include "core/plan/split.h"

/* Layers of the chunks in the order of the model, as text; "~" in front when they do not divide and this is the
 * nearest. */
static const char *split_of(const char *settings)
{
    static char out[512];
    struct plan plan, resolved;
    struct split split;
    check_plan(&plan, settings);
    plan_resolve(&plan, &resolved);
    enum split_fit fit = split_layers(&resolved, &split);
    if (fit == SPLIT_NONE)
        return "-";
    size_t used = (size_t)snprintf(out, sizeof out, "%s", fit == SPLIT_NEAR ? "~" : "");
    int start = 0;
    for (int i = 0; i < split.stages * split.chunks; i++) {
        assert_int_equal(split.start[i], start);
        start += split.layers[i];
        used += (size_t)snprintf(out + used, sizeof out - used, "%s%d", i ? " " : "", split.layers[i]);
    }
    assert_int_equal(start, (int)resolved.value[PARAM_model_num_layers]);
    return out;
}

#define ZERO "framework.name=deepspeed "
#define TYPE "partition_method=type:"
#define SIZED                                                                                                          \
    "partition_method=parameters hidden_size=1024 num_attention_heads=16 max_position_embeddings=1024 "                \
    "position_embedding=learned "
#define ENDS "embedding_counts_as_layer=true loss_counts_as_layer=true "

static void layers_go_where_megatron_puts_them(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *layers;
    } cases[] = {
        {"num_layers=32", "32"},
        {"num_layers=32 pp=4", "8 8 8 8"},
        {"num_layers=32 pp=4 vpp=2", "4 4 4 4 4 4 4 4"},
        {"num_layers=30 pp=4", "~7 8 8 7"},
        {"num_layers=32 pp=4 vpp=3", "~2 2 3 3 3 3 3 3 3 3 2 2"},
        {"num_layers=4 pp=8", "~0 0 1 1 1 1 0 0"},
        /* as Megatron-Bridge's recipes of DeepSeek-V3 and Kimi-K2, GLM-4.5V and Sarvam give them */
        {"num_layers=61 pp=4", "~16 16 16 13"},
        {"num_layers=61 pp=8 vpp=2", "~4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 1"},
        {"num_layers=46 pp=4", "~11 12 12 11"},
        {"num_layers=19 pp=4", "~5 5 5 4"},
        {"num_layers=30 pp=4 embedding_counts_as_layer=true loss_counts_as_layer=true", "7 8 8 7"},
        {"num_layers=31 pp=4 embedding_counts_as_layer=true", "7 8 8 8"},
        {"num_layers=31 pp=4 loss_counts_as_layer=true", "8 8 8 7"},
        {"num_layers=30 pp=4 vpp=2 embedding_counts_as_layer=true loss_counts_as_layer=true", "3 4 4 4 4 4 4 3"},
        {"num_layers=32 pp=4 first_stage_layers=5 last_stage_layers=7", "5 10 10 7"},
        {"num_layers=32 pp=4 first_stage_layers=5", "5 9 9 9"},
        {"num_layers=32 pp=4 first_stage_layers=6", "~8 8 8 8"},
        {"num_layers=32 pp=2 first_stage_layers=10 last_stage_layers=22", "10 22"},
        {"num_layers=32 pp=2 first_stage_layers=10", "10 22"},
        {"num_layers=32 pp=2 first_stage_layers=10 last_stage_layers=20", "~16 16"},
        {"num_layers=32 pp=4 vpp=2 first_stage_layers=4 last_stage_layers=4", "2 6 6 2 2 6 6 2"},
        {"num_layers=64 pp=4 pipeline_layout=[15,16,16,17]", "15 16 16 17"},
        {"num_layers=64 pp=4 pipeline_layout=[15,16,16,16]", "~16 16 16 16"},
        {"num_layers=64 pp=4 pipeline_layout=[32,32]", "~16 16 16 16"},
        {"num_layers=32 pp=512 vpp=2", "-"},
        {"num_layers=20 pp=2 vpp=2 pipeline_layout=[[4,5],[5,6]]", "4 5 5 6"},
        {"num_layers=20 pp=2 vpp=2 pipeline_layout=[4,5,5,6]", "4 5 5 6"},
        {"num_layers=20 pp=2 vpp=2 pipeline_layout=[8,12]", "4 6 4 6"},
        {"num_layers=20 pp=2 vpp=2 pipeline_layout=[9,11]", "~5 5 5 5"},
        {"num_layers=20 pp=4 pipeline_layout=[[4,5],[5,6]]", "~5 5 5 5"},
        /* as DeepSpeed's partition_balanced() gives them, the second with type:transformer|embedding (BLOOM) */
        {ZERO "num_layers=70 pp=12", "6 6 6 6 6 6 6 6 6 6 5 5"},
        {ZERO ENDS "num_layers=70 pp=12", "5 6 6 6 6 6 6 6 6 6 6 5"},
        {ZERO "num_layers=32 pp=6", "6 6 5 5 5 5"},
        {ZERO ENDS "num_layers=32 pp=6", "5 6 6 6 5 4"},
        {ZERO ENDS "num_layers=44 pp=4", "11 12 11 10"},
        {ZERO ENDS "num_layers=26 pp=8", "3 4 4 4 3 3 3 2"},
        {ZERO ENDS "num_layers=6 pp=8", "0 1 1 1 1 1 1 0"},
        {ZERO "num_layers=6 pp=8", "1 1 1 1 1 1 0 0"},
        /* as torchtitan's generate_split_points() gives them: the first stage has no layer more */
        {"framework.name=fsdp2 num_layers=126 pp=8", "15 16 16 16 16 16 16 15"},
        {"framework.name=fsdp2 num_layers=23 pp=6", "3 4 4 4 4 4"},
        {"framework.name=fsdp2 num_layers=32 pp=4", "8 8 8 8"},
        {"framework.name=fsdp2 num_layers=3 pp=4", "~1 1 1 0"}, /* which it refuses */
        /*
         * partition_method; parameters as DeepSpeed's partition_balanced() of 2023-12 gives them, run on the same
         * weights
         */
        {ZERO TYPE "transformer num_layers=30 pp=4", "8 8 7 7"},
        {ZERO TYPE "transformer|mlp num_layers=30 pp=4", "8 8 7 7"},
        {ZERO TYPE "transformer|embedding tied_embeddings=true num_layers=30 pp=4", "7 8 8 7"},
        {ZERO TYPE "transformer|embedding tied_embeddings=true num_layers=70 pp=72",
         "0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 "
         "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0"},
        {ZERO TYPE "transformer|embedding num_layers=31 pp=4", "7 8 8 8"}, /* an untied output layer is no embedding */
        {ZERO ENDS TYPE "transformer num_layers=32 pp=6", "6 6 5 5 5 5"},
        {ZERO "partition_method=uniform num_layers=24 pp=4 dtype=bf16", "6 7 7 4"}, /* 29 modules: 8 7 7 7 */
        {ZERO "partition_method=uniform num_layers=24 pp=4 dtype=fp32", "6 7 7 4"}, /* 27 modules: 7 7 7 6 */
        {ZERO SIZED "vocab_size=51200 num_layers=24 pp=4", "4 8 8 4"},
        {ZERO SIZED "vocab_size=256000 num_layers=24 pp=4", "0 12 12 0"},
        {ZERO SIZED "vocab_size=51200 num_layers=32 pp=6", "2 7 7 7 7 2"},
        {ZERO SIZED "vocab_size=128256 num_layers=48 pp=16", "0 4 4 4 4 4 4 3 3 3 3 3 3 3 3 0"},
        {ZERO SIZED "vocab_size=51200 num_layers=24 pp=8", "0 4 4 4 4 4 4 0"},
        {"framework.name=megatron-core partition_method=uniform num_layers=24 pp=4", "6 6 6 6"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *layers = split_of(cases[i].settings);
        assert_that(strcmp(layers, cases[i].layers) == 0, "%s: %s, expected %s", cases[i].settings, layers,
                    cases[i].layers);
    }
}

/* A nested list names stages; chunk j of stage i comes after chunk j of stage i - 1. */
static void nested_lists_are_by_stage(void **state)
{
    (void)state;
    assert_string_equal(split_of("num_layers=10 pp=2 vpp=2 pipeline_layout=[[1,2],[3,4]]"), "1 3 2 4");
}

static void expert_layers_are_counted_from_the_first(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        int from, to, moe;
    } cases[] = {
        {"num_layers=61 num_experts=256 moe_first_dense=3", 0, 61, 58},
        {"num_layers=61 num_experts=256 moe_first_dense=3", 0, 3, 0},
        {"num_layers=61 num_experts=256 moe_first_dense=3", 2, 5, 2},
        {"num_layers=24 num_experts=8 moe_layer_freq=2", 0, 24, 12},
        {"num_layers=24 num_experts=8 moe_layer_freq=2", 0, 1, 0},
        {"num_layers=24 num_experts=8 moe_layer_freq=2", 1, 2, 1},
        {"num_layers=24", 0, 24, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct plan plan, resolved;
        check_plan(&plan, cases[i].settings);
        plan_resolve(&plan, &resolved);
        int moe = split_moe_layers(&resolved, cases[i].from, cases[i].to);
        assert_that(moe == cases[i].moe, "%s [%d, %d): %d expert layers, expected %d", cases[i].settings, cases[i].from,
                    cases[i].to, moe, cases[i].moe);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_go_where_megatron_puts_them),
        cmocka_unit_test(nested_lists_are_by_stage),
        cmocka_unit_test(expert_layers_are_counted_from_the_first),
    };
    return cmocka_run_group_tests_name("split", tests, NULL, NULL) != 0;
}
