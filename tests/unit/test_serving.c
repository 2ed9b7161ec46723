/* Serving: cache and weights by hand, and directions that must hold. */
#include "tests/check.h"

#include "core/estimate/load.h"
#include "core/estimate/serving.h"
#include "core/show/spent.h"

#include <math.h>

static struct estimate estimate;

static const struct serving *serve(const char *settings)
{
    struct plan plan;
    check_plan(&plan, settings);
    check_set(&plan, "workload=inference");
    estimate_plan(&plan, &estimate);
    assert_that(estimate.diags.errors == 0, "%s", finding_text(&estimate.diags.item[0]).text);
    return &estimate.serving;
}

/* Llama-3 8B in bf16 caches 2 x 32 layers x 8 heads x 128 x 2 bytes = 128 KiB a token. */
static void a_cache_counted_by_hand(void **state)
{
    (void)state;
    const struct serving *s = serve(LLAMA3_8B "dp=1 batch_size=4 prompt_tokens=1000 generate_tokens=24");
    assert_same(s->kv_cache_bytes, 4 * 1024 * 131072.0);
    assert_near(s->weights_bytes, 2 * 8030261248.0, 1e-3); /* whole segments of the allocator, and the rotary table */
    s = serve(LLAMA3_8B "dp=1 batch_size=4 prompt_tokens=1000 generate_tokens=24 kv_dtype=fp8 weight_dtype=fp8");
    assert_same(s->kv_cache_bytes, 4 * 1024 * 65536.0);
    /* embedding and output layer, 128,256 x 4,096 each, stay in 16 bits; a scale of 4 bytes for each output channel */
    double tables = 2 * 128256 * 4096.0, channels = 32 * (6144 + 4096 + 2 * 14336 + 4096.0);
    assert_near(s->weights_bytes, 8030261248.0 + tables + 4 * channels, 1e-3);
    s = serve(LLAMA3_8B "dp=1 tp=4 batch_size=4 prompt_tokens=1000 generate_tokens=24");
    assert_same(s->kv_cache_bytes, 4 * 1024 * 131072.0 / 4);
}

/* Latent attention caches 512 + 64 values a token and layer: 70,272 bytes in bf16 (DeepSeek-V3). */
static void a_latent_cache_counted_by_hand(void **state)
{
    (void)state;
    const struct serving *s = serve(DEEPSEEK_V3 "dp=1 batch_size=1 prompt_tokens=1000 generate_tokens=24 nodes=1");
    assert_same(s->kv_cache_bytes, 1024 * 61 * 576 * 2.0);
}

/* The largest batch fits, one more does not. */
static void the_largest_batch_is_the_largest(void **state)
{
    (void)state;
    double most = serve(LLAMA3_8B "dp=1 prompt_tokens=2048 generate_tokens=256")->max_batch_size;
    char text[512];
    assert_true(most > 10);
    snprintf(text, sizeof text, LLAMA3_8B "dp=1 prompt_tokens=2048 generate_tokens=256 batch_size=%.0f", most);
    const struct serving *s = serve(text);
    assert_at_most(s->needed_bytes, s->room_bytes);
    snprintf(text, sizeof text, LLAMA3_8B "dp=1 prompt_tokens=2048 generate_tokens=256 batch_size=%.0f", most + 1);
    s = serve(text);
    assert_true(s->needed_bytes > s->room_bytes);
}

static void times_go_the_right_way(void **state)
{
    (void)state;
    const struct serving *s = serve(LLAMA3_8B "dp=1 batch_size=1");
    double step = s->decode_step_s, first = s->prefill_s, speed = s->tokens_per_s;
    assert_true(step > 0 && first > 0 && speed > 0);
    /*
     * decode reads every weight but the input embedding once: 15 GB over 3.35 TB/s at 0.75, and launches 7 kernels a
     * layer
     */
    assert_near(s->read_weights_s, 2 * (8030261248.0 - 128256 * 4096.0) / (3350e9 * 0.75), 1e-9);
    assert_near(step, s->read_weights_s + 32 * 7 * 4.5e-6, 0.01);
    s = serve(LLAMA3_8B "dp=1 batch_size=8");
    assert_true(s->decode_step_s >= step && s->decode_step_s < 2 * step);
    assert_true(s->tokens_per_s > 4 * speed);
    s = serve(LLAMA3_8B "dp=1 tp=4 batch_size=1");
    assert_true(s->decode_step_s < step && s->prefill_s < first);
    s = serve(LLAMA3_8B "dp=1 batch_size=1 prompt_tokens=4096");
    assert_true(s->prefill_s > first);
}

/* What a token is spent on sums to it. */
static void token_sums(const char *settings)
{
    struct spent spent;
    double sum = 0;
    spent_of(&estimate, &spent);
    for (int i = 0; i < spent.count; i++) {
        assert_that(spent.part[i].seconds >= 0, "%s is %g: %s", spent.part[i].name, spent.part[i].seconds, settings);
        sum += spent.part[i].seconds;
    }
    assert_that(fabs(sum - estimate.serving.per_token_s) <= 1e-9 * sum, "parts %.17g of %.17g: %s", sum,
                estimate.serving.per_token_s, settings);
}

static void figures_of_every_served_plan_are_consistent(void **state)
{
    (void)state;
    static const char *const shapes[] = {GPT3_175B, LLAMA2_7B,    LLAMA3_8B,  LLAMA3_70B,
                                         QWEN3_32B, MIXTRAL_8X7B, DEEPSEEK_V3};
    static const char *const engines[] = {"", "engine=vllm", "engine=sglang", "engine=trtllm",
                                          "engine=vllm spec_tokens=2"};
    struct check_random random = {60};
    for (int i = 0; i < 200; i++) {
        char text[1024], served[1100];
        snprintf(text, sizeof text,
                 "%s tp=%d pp=1 dp=1 sp=true nodes=1 batch_size=%d prompt_tokens=%d generate_tokens=%d",
                 check_pick(&random, shapes, COUNT(shapes)), 1 << check_below(&random, 4), 1 + check_below(&random, 64),
                 1 + check_below(&random, 1800), 1 + check_below(&random, 200));
        const struct serving *s = serve(text);
        for (size_t j = 0; j < serving_term_count; j++)
            assert_that(term_value(&serving_terms[j], s) >= 0, "%s is %g: %s", serving_terms[j].name,
                        term_value(&serving_terms[j], s), text);
        assert_near(s->needed_bytes, s->weights_bytes + s->kv_cache_bytes + s->activations_bytes + s->beside_bytes,
                    1e-12);
        assert_near(s->tokens_per_s * s->request_s, s->batch * s->generate, 1e-9);
        assert_that((s->max_batch_size >= s->batch) == (s->needed_bytes <= s->room_bytes),
                    "largest batch %g, %g asked: %s", s->max_batch_size, s->batch, text);
        snprintf(served, sizeof served, "%s %s", text, engines[(size_t)i % COUNT(engines)]);
        serve(served);
        token_sums(served);
    }
}

/* Llama-3 8B on one H100 with vLLM 0.19's defaults, by the rules of core/estimate/server_cache.def. */
static void a_server_profiles_its_memory(void **state)
{
    (void)state;
    const struct serving *s = serve(LLAMA3_8B "dp=1 tp=1 nodes=1 engine=vllm engine_version=0.19 gpu=h100-sxm-80");
    double sampler = 14 * 1024 * 128256.0 + 132 * 4 * 128256.0, hidden = 2 * 4096 * (8192 + 2 * 1024.0);
    assert_near(s->activations_bytes, sampler + hidden + 32 * 1048576.0, 1e-9);
    assert_near(s->outside_bytes, 0.25 * 1073741824, 1e-9);
    double taken = s->weights_bytes + s->activations_bytes + s->outside_bytes;
    assert_near(s->cache_bytes, s->total_bytes * 0.9 - taken, 1e-9);
    assert_same(s->kv_tokens, 16 * floor(s->cache_bytes / (16 * 131072)));
    assert_int_equal(serving_why(s), SERVING_STARTS);
}

/* Bytes and blocks are what vLLM makes, tokens at most what SGLang makes; a token takes 32 x 2 x 8 x 128 x 2 bytes. */
static void a_cache_is_as_large_as_it_is_told_to_be(void **state)
{
    (void)state;
    const struct serving *s = serve(LLAMA3_8B "dp=1 tp=1 nodes=1 gpu=h100-sxm-80 engine=vllm "
                                    "kv_cache_memory_bytes=13107200000");
    assert_same(s->kv_tokens, 100000);
    assert_near(s->room_bytes, s->taken_bytes + 13107200000, 1e-9);
    s = serve(LLAMA3_8B "dp=1 tp=1 nodes=1 gpu=h100-sxm-80 engine=vllm num_gpu_blocks=5000");
    assert_same(s->kv_tokens, 80000);
    assert_same(s->cache_bytes, 80000 * 131072.0);
    s = serve(LLAMA3_8B "dp=1 tp=1 nodes=1 gpu=h100-sxm-80 engine=sglang max_total_tokens=65536");
    assert_same(s->kv_tokens, 65536);
    double left = serve(LLAMA3_8B "dp=1 tp=1 nodes=1 gpu=h100-sxm-80 engine=sglang")->kv_tokens;
    s = serve(LLAMA3_8B "dp=1 tp=1 nodes=1 gpu=h100-sxm-80 engine=sglang max_total_tokens=100000000");
    assert_same(s->kv_tokens, left);
}

static void what_a_server_lacks_is_named(void **state)
{
    static const struct {
        const char *settings;
        enum serving_why why;
    } cases[] = {
        {"", SERVING_UNKNOWN},
        {"engine=vllm", SERVING_STARTS},
        {"engine=vllm max_model_len=1048576", SERVING_TOO_LONG},
        {"engine=vllm memory_share=1", SERVING_NO_SHARE},
        {"engine=vllm memory_share=0.2", SERVING_NO_CACHE},
        {"engine=vllm memory_share=0.2 kv_cache_memory_bytes=42949672960", SERVING_STARTS},
        {"engine=vllm kv_cache_memory_bytes=85899345920", SERVING_NO_MEMORY},
        {"engine=vllm num_gpu_blocks=100 max_model_len=4096", SERVING_TOO_LONG},
        {"engine=sglang max_total_tokens=100", SERVING_STARTS},
        {"engine=sglang", SERVING_STARTS},
        {"engine=trtllm", SERVING_STARTS},
        {"engine=trtllm memory_share=0.2", SERVING_STARTS}, /* of what weights and buffers leave */
        {"engine=vllm max_model_len=450000", SERVING_UNKNOWN},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[1024];
        snprintf(text, sizeof text, LLAMA3_8B "dp=1 tp=1 nodes=1 gpu=h100-sxm-80 %s", cases[i].settings);
        const struct serving *s = serve(text);
        assert_that(serving_why(s) == cases[i].why, "%d: %s", (int)serving_why(s), cases[i].settings);
        assert_true(cases[i].why != SERVING_STARTS || estimate.fits);
        double starts = serving_starts(&estimate);
        assert_true(cases[i].why == SERVING_UNKNOWN ? isnan(starts) : starts == (cases[i].why == SERVING_STARTS));
    }
}

#define ON_VLLM LLAMA3_8B "dp=1 tp=1 nodes=1 gpu=h100-sxm-80 engine=vllm prompt_tokens=1000 generate_tokens=200 "

/* One request more is over the limit; a server that is asked for less than it can do keeps up, else not. */
static void limits_and_rates_bound_the_load(void **state)
{
    (void)state;
    struct load load, more;
    serve(ON_VLLM "max_per_token_ms=25 max_first_token_ms=1000");
    load_within_limits(&estimate, &load);
    assert_true(load.batch > 1 && load.per_token_s <= 0.025 && load.first_s <= 1);
    load_at(&estimate, load.batch + 1, &more);
    assert_true(more.per_token_s > 0.025 || more.first_s > 1);
    assert_true(load.first_low_s <= load.first_high_s);
    serve(ON_VLLM "max_per_token_ms=1");
    load_within_limits(&estimate, &load);
    assert_same(load.batch, 0);
    serve(ON_VLLM "request_rate=2");
    load_at_rate(&estimate, &load);
    assert_true(load.batch >= 1 && load.tokens_per_s >= 2 * 200);
    serve(ON_VLLM "request_rate=100000");
    load_at_rate(&estimate, &load);
    assert_true(isnan(load.batch));
}

/* Answers share GPUs with their trainer: what the engine takes while awake, and what the trainer keeps beside it. */
static void phases_of_reinforcement_learning_are_counted(void **state)
{
    (void)state;
    struct plan plan;
    check_plan(&plan, LLAMA3_8B "dp=8 tp=1 nodes=1 gpu=h100-sxm-80 framework.name=fsdp2 fsdp=full workload=rl "
                                "rl.rollout_share=0.5 rl.rollout_tp=2 seq_length=4096 micro_batch_size=1 "
                                "recompute=full");
    estimate_plan(&plan, &estimate);
    assert_true(estimate.is_rl);
    const struct rl *rl = &estimate.rl;
    double trained = rl->actor_weights_bytes + rl->actor_optimizer_bytes;
    assert_near(rl->rollout_bytes, 0.5 * rl->total_bytes + 1.8 * GIB + rl->served_graphs_bytes + trained, 1e-9);
    assert_near(rl->served_weights_bytes, 8030261248.0, 0.01);
    assert_true(rl->iteration_s > rl->rollout_s && rl->rollout_s > 0);
    check_set(&plan, "rl.optimizer_offload=true rl.param_offload=true");
    estimate_plan(&plan, &estimate);
    assert_near(rl->rollout_bytes, 0.5 * rl->total_bytes + 1.8 * GIB + rl->served_graphs_bytes, 1e-9);
    check_set(&plan, "rl.rollout_share=0.95 rl.staged_wake=false rl.sleep_level=0");
    estimate_plan(&plan, &estimate);
    assert_same(rl_fits(rl), 0);
    check_set(&plan, "rl.reference=full");
    estimate_plan(&plan, &estimate);
    assert_true(rl->reference_bytes > 0 && rl->passes == 2);
    double weights = rl->actor_weights_bytes;
    check_set(&plan, "train.reference_model=frozen"); /* on the device all the time, and counted once */
    estimate_plan(&plan, &estimate);
    assert_true(rl->actor_weights_bytes > weights && rl->reference_bytes == 0 && rl->passes == 1);
}

/* TRL's GRPO computes logits of answers alone, which what releases 0.20 to 0.22 hold beside them makes less certain. */
static void logits_of_answers_alone_are_counted(void **state)
{
    (void)state;
    struct plan plan;
    const struct rl *rl = &estimate.rl;
    check_plan(&plan, LLAMA3_8B "dp=8 tp=1 nodes=1 gpu=h100-sxm-80 framework.name=hf-trainer fsdp=full workload=rl "
                                "rl.program=trl rl.rollout_share=0.3 rl.max_prompt=3072 rl.max_answer=1024 "
                                "seq_length=4096 micro_batch_size=4 recompute=full rl.algorithm=online_dpo");
    estimate_plan(&plan, &estimate);
    double whole = estimate.stage[0].logits_bytes, logprobs = rl->logprob_bytes, logits = 4 * 4096.0 * 128256;
    assert_near(rl->band_bytes, 0.2 * rl->total_bytes, 1e-9);
    check_set(&plan, "rl.algorithm=grpo");
    estimate_plan(&plan, &estimate);
    assert_near(whole - estimate.stage[0].logits_bytes, (12 - 10 / 4.0) * logits, 1e-6);
    assert_near(logprobs - rl->logprob_bytes, 6 * 3 / 4.0 * logits, 1e-6);
    assert_near(rl->band_bytes - 0.2 * rl->total_bytes, (20 - 10) / 4.0 * logits, 1e-6);
}

/* With the largest share every phase that grows with it fits, with a little more one does not. */
static void the_largest_share_is_the_largest(void **state)
{
    (void)state;
    static const char *const ways[] = {"rl.sleep_level=2", "rl.sleep_level=0", "rl.staged_wake=false",
                                       "rl.sleep_level=1 rl.staged_wake=false rl.param_offload=true"};
    const struct rl *rl = &estimate.rl;
    for (size_t i = 0; i < COUNT(ways); i++) {
        struct plan plan;
        check_plan(&plan, LLAMA3_8B "dp=8 tp=1 nodes=1 framework.name=fsdp2 fsdp=full workload=rl rl.rollout_tp=1 "
                                    "seq_length=4096 micro_batch_size=1 recompute=full rl.rollout_share=0.6");
        check_set(&plan, ways[i]);
        estimate_plan(&plan, &estimate);
        double share = rl->largest_share;
        assert_true(share > 0.5 && share < 1);
        param_set(&plan, PARAM_rl_rollout_share, share - 0.001);
        estimate_plan(&plan, &estimate);
        assert_true(rl->left_bytes > 0);
        param_set(&plan, PARAM_rl_rollout_share, share + 0.001);
        estimate_plan(&plan, &estimate);
        assert_true(rl->left_bytes < 0);
    }
}

static const struct serving *serve_prompt(const char *model, int batch, double prompt)
{
    char text[1024];
    snprintf(text, sizeof text, "%s dp=1 nodes=1 tp=4 batch_size=%d generate_tokens=128 prompt_tokens=%.0f", model,
             batch, prompt);
    return serve(text);
}

/*
 * What is said to be the longest context fits when it is asked for, and one token more does not, unless the model ends.
 */
static void the_longest_context_is_the_longest(void **state)
{
    (void)state;
    static const char *const plans[] = {LLAMA3_8B, LLAMA2_7B, QWEN3_32B};
    for (size_t i = 0; i < COUNT(plans); i++)
        for (int batch = 1; batch <= 16; batch *= 4) {
            double most = serve_prompt(plans[i], batch, 512)->max_context_tokens;
            assert_true(most > 640);
            assert_true(serve_prompt(plans[i], batch, most - 128)->max_batch_size >= batch);
            assert_true(serve_prompt(plans[i], batch, most - 127)->max_batch_size < batch ||
                        most == estimate.serving.positions);
        }
}

/* An answer of one token costs the prefill and no step; the first token is the prefill's. */
static void the_first_token_comes_from_the_prompt(void **state)
{
    (void)state;
    const struct serving *s = serve(LLAMA3_8B "dp=1 batch_size=4 generate_tokens=1");
    assert_same(s->request_s, s->time_to_first_token_s);
    s = serve(LLAMA3_8B "dp=1 batch_size=4 generate_tokens=17");
    assert_near(s->request_s, s->time_to_first_token_s + 16 * s->decode_step_s, 1e-12);
}

/*
 * Mixtral with 8 expert ranks: eight replicas of batch 1 draw 2 of 8 experts each, so a rank's one expert is read with
 * probability 1 - 0.75^8 = 0.8999; without expert parallelism one sequence reads a quarter.
 */
static void experts_are_read_for_all_replicas(void **state)
{
    (void)state;
    const struct serving *s = serve(MIXTRAL_8X7B "nodes=1 tp=1 ep=8 etp=1 batch_size=1");
    assert_near(s->touched, 1 - pow(0.75, 8), 1e-12);
    assert_true(s->dispatch_latency_s > 0 && s->dispatch_token_s > 0);
    s = serve(MIXTRAL_8X7B "nodes=1 dp=1 tp=8 sp=true ep=1 batch_size=1");
    assert_near(s->touched, 0.25, 1e-12);
    assert_same(s->dispatch_latency_s, 0);
}

/*
 * Data-parallel attention shares its experts: Mixtral with tp 2 and dp 4 has an eighth of each expert, or one expert,
 * on each GPU; without it every replica has halves of all of them.
 */
static void data_parallel_attention_shares_experts(void **state)
{
    (void)state;
    double third = 32 * 3 * 4096 * 14336.0; /* an expert of all layers */
    const struct serving *s = serve(MIXTRAL_8X7B "nodes=1 tp=2 dp=4 engine=vllm");
    double whole = s->weights_bytes;
    s = serve(MIXTRAL_8X7B "nodes=1 tp=2 dp=4 engine=vllm attention_dp=true");
    assert_near(whole - s->weights_bytes, 2 * third * (8 / 2.0 - 8 / 8.0), 1e-3);
    double shared = s->weights_bytes;
    s = serve(MIXTRAL_8X7B "nodes=1 tp=2 dp=4 ep=8 engine=vllm attention_dp=true");
    assert_near(s->weights_bytes, shared, 1e-3);
    assert_same(serve(LLAMA3_8B "tp=2 dp=4 nodes=1 engine=vllm attention_dp=true")->weights_bytes,
                serve(LLAMA3_8B "tp=2 dp=4 nodes=1 engine=vllm")->weights_bytes);
}

/*
 * Tensor parallelism over two nodes waits for the network: two all-reduces a layer over 2 x 8 GPUs' links of 50 GB/s.
 */
static void tensor_parallelism_crosses_nodes(void **state)
{
    (void)state;
    const struct serving *near = serve(LLAMA3_70B "dp=1 nodes=1 tp=8 batch_size=1");
    double in_node = near->reduce_token_s, latency = near->reduce_latency_s;
    assert_near(in_node, 2 * 80 * 2 * 2 * 8192.0 * 7 / 8 / (450e9 * 0.7), 1e-9);
    const struct serving *far = serve(LLAMA3_70B "dp=1 nodes=2 tp=16 batch_size=1");
    assert_near(far->reduce_token_s, 2 * 80 * 2 * 2 * 8192.0 * 15 / 16 / (8 * 50e9 * 0.65), 1e-9);
    assert_true(far->reduce_latency_s > latency);
}

/* The weights' type decides the rate of the products, whatever training would use. */
static void weights_decide_the_rate(void **state)
{
    (void)state;
    double wide = serve(LLAMA3_8B "dp=1 batch_size=8 prompt_tokens=4096")->prompt_matrix_token_s;
    double narrow = serve(LLAMA3_8B "dp=1 batch_size=8 prompt_tokens=4096 weight_dtype=fp8")->prompt_matrix_token_s;
    assert_true(narrow < 0.7 * wide);
    assert_same(serve(LLAMA3_8B "dp=1 batch_size=8 prompt_tokens=4096 dtype=fp8")->prompt_matrix_token_s, wide);
}

/*
 * Windows of 128 tokens in every other layer: a token of a prompt of 32768 sees 16384 keys in one layer and
 * 128 - 128^2/65536 = 127.75 in the next.
 */
static void windows_shorten_attention_where_they_are(void **state)
{
    (void)state;
    const struct serving *s = serve(
        LLAMA3_8B "dp=1 prompt_tokens=32768 max_position_embeddings=65536 sliding_window=128 sliding_window_every=2");
    assert_near(s->prompt_reach, (16384 + 127.75) / 2, 1e-12);
    assert_near(s->step_tokens, (32768 + 64 + 128) / 2.0, 1e-12);
}

/*
 * 13 billion parameters on one A100-40: 63.17 ms for 512 tokens, 22.0 ms for each further one (llm-analysis' example
 * page).
 */
static void a_published_latency(void **state)
{
    (void)state;
    const struct serving *s = serve(
        "num_layers=40 hidden_size=5120 num_attention_heads=40 ffn_hidden_size=13824 gated_mlp=true vocab_size=32000 "
        "max_position_embeddings=4096 peak_tflops=312 gemm_efficiency=0.78 memory_gb_s=1555 usable_gib=39.4 "
        "nodes=1 gpus_per_node=1 prompt_tokens=512");
    assert_near(s->prefill_s, 63.17e-3, 0.1);
    assert_near(s->decode_step_s, 22.0e-3, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cache_counted_by_hand),
        cmocka_unit_test(a_latent_cache_counted_by_hand),
        cmocka_unit_test(the_largest_batch_is_the_largest),
        cmocka_unit_test(times_go_the_right_way),
        cmocka_unit_test(a_server_profiles_its_memory),
        cmocka_unit_test(a_cache_is_as_large_as_it_is_told_to_be),
        cmocka_unit_test(what_a_server_lacks_is_named),
        cmocka_unit_test(limits_and_rates_bound_the_load),
        cmocka_unit_test(phases_of_reinforcement_learning_are_counted),
        cmocka_unit_test(logits_of_answers_alone_are_counted),
        cmocka_unit_test(the_largest_share_is_the_largest),
        cmocka_unit_test(the_longest_context_is_the_longest),
        cmocka_unit_test(the_first_token_comes_from_the_prompt),
        cmocka_unit_test(experts_are_read_for_all_replicas),
        cmocka_unit_test(data_parallel_attention_shares_experts),
        cmocka_unit_test(tensor_parallelism_crosses_nodes),
        cmocka_unit_test(weights_decide_the_rate),
        cmocka_unit_test(windows_shorten_attention_where_they_are),
        cmocka_unit_test(a_published_latency),
        cmocka_unit_test(figures_of_every_served_plan_are_consistent),
    };
    return cmocka_run_group_tests_name("serving", tests, NULL, NULL) != 0;
}
