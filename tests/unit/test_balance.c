/* Layers cut into stages and chunks by time: no other cut into as many has a faster slowest one. */
#include "tests/check.h"

#include "core/search/balance.h"

static struct estimate estimate;

static int balance(int chunks, struct pipeline_layout *out)
{
    struct balance_times times;
    balance_time(&estimate.plan, &times);
    return balance_layers(&times, chunks, out);
}

#define HYBRID                                                                                                         \
    "vocab_size=131072 hidden_size=4480 ffn_hidden_size=15680 num_attention_heads=40 num_query_groups=8 "              \
    "kv_channels=128 mamba_num_heads=128 mamba_head_dim=80 mamba_state_dim=128 mamba_num_groups=8 "                    \
    "position_embedding=none gated_mlp=false seq_length=8192 gpu=h100-sxm-80 nodes=1 global_batch_size=32 tp=2 pp=4 "  \
    "layer_pattern=M-M-M-MM-M-M-M*-M-M-M*-M-M-M-M*-M-M-M-M*-M-MM-M-M-M-M-M- "

/* DeepSeek-V3 */
#define EXPERTS                                                                                                        \
    "num_layers=61 hidden_size=7168 ffn_hidden_size=18432 num_attention_heads=128 vocab_size=129280 "                  \
    "multi_latent_attention=true q_lora_rank=1536 kv_lora_rank=512 qk_head_dim=128 qk_pos_emb_head_dim=64 "            \
    "v_head_dim=128 num_experts=256 moe_router_topk=8 moe_ffn_hidden_size=2048 moe_shared_ffn_hidden_size=2048 "       \
    "moe_first_dense=3 mtp_num_layers=1 position_embedding=rope normalization=rmsnorm gated_mlp=true "                 \
    "seq_length=4096 gpu=h800-sxm-80 nodes=256 global_batch_size=15360 tp=2 pp=8 ep=32 etp=1 sp=true "                 \
    "pipeline_layout=[8,8,8,8,8,8,8,5]"

/* Seconds that the slowest stage computes for one micro-batch. */
static double slowest(const char *layout)
{
    char settings[1000];
    snprintf(settings, sizeof settings, "%s%s", HYBRID, layout);
    check_estimate(&estimate, settings);
    double most = 0;
    for (int i = 0; i < estimate.stages; i++)
        most = fmax(most, estimate.pass[i].forward_s + estimate.pass[i].backward_s + estimate.pass[i].recompute_s);
    return most;
}

static void the_slowest_stage_is_faster_than_of_even_cuts(void **state)
{
    (void)state;
    struct pipeline_layout layout;
    char text[200];
    check_estimate(&estimate, HYBRID);
    assert_int_equal(balance(4, &layout), 0);
    assert_int_equal(layout.chunks, 4);
    assert_int_equal(layout.layers[0] + layout.layers[1] + layout.layers[2] + layout.layers[3], 56);
    snprintf(text, sizeof text, "pipeline_layout=[%d,%d,%d,%d]", layout.layers[0], layout.layers[1], layout.layers[2],
             layout.layers[3]);
    double best = slowest(text);
    assert_true(best < 0.95 * slowest("pipeline_layout=[14,14,14,14]"));
    for (int i = 0; i < 4; i++) { /* a layer more and one less somewhere is no better */
        struct pipeline_layout other = layout;
        other.layers[i]++;
        other.layers[(i + 1) % 4]--;
        snprintf(text, sizeof text, "pipeline_layout=[%d,%d,%d,%d]", other.layers[0], other.layers[1], other.layers[2],
                 other.layers[3]);
        assert_true(slowest(text) >= 0.999 * best);
    }
}

static void what_cannot_be_cut_is_not(void **state)
{
    (void)state;
    struct pipeline_layout layout;
    check_estimate(&estimate, HYBRID);
    assert_int_equal(balance(57, &layout), -1);
    assert_int_equal(balance(56, &layout), 0);
}

/* Sixteen chunks of 61 layers: four each but at the ends, where prediction and the loss take their time. */
static void layers_that_do_not_divide_are_cut(void **state)
{
    (void)state;
    struct pipeline_layout layout;
    int layers = 0;
    check_estimate(&estimate, EXPERTS);
    assert_int_equal(balance(16, &layout), 0);
    assert_int_equal(layout.chunks, 16);
    for (int i = 0; i < 16; i++) {
        assert_in_range(layout.layers[i], i < 15, 4);
        layers += layout.layers[i];
    }
    assert_int_equal(layers, 61);
    assert_true(layout.layers[15] <= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slowest_stage_is_faster_than_of_even_cuts),
        cmocka_unit_test(what_cannot_be_cut_is_not),
        cmocka_unit_test(layers_that_do_not_divide_are_cut),
    };
    return cmocka_run_group_tests_name("balance", tests, NULL, NULL) != 0;
}
