/* Serving: cache and weights by hand, and directions that must hold. */
#include "tests/check.h"

#include "core/estimate/serving.h"

static struct estimate estimate;

static const struct serving *serve(const char *settings)
{
    struct plan plan;
    check_plan(&plan, settings);
    check_set(&plan, "workload=inference");
    estimate_plan(&plan, &estimate);
    assert_that(estimate.diags.errors == 0, "%s", estimate.diags.item[0].message);
    return &estimate.serving;
}

/* Llama-3 8B in bf16 caches 2 x 32 layers x 8 heads x 128 x 2 bytes = 128 KiB a token. */
static void a_cache_counted_by_hand(void **state)
{
    (void)state;
    const struct serving *s = serve(LLAMA3_8B "dp=1 batch_size=4 prompt_tokens=1000 generate_tokens=24");
    assert_same(s->kv_cache_bytes, 4 * 1024 * 131072.0);
    assert_same(s->weights_bytes, 2 * 8030261248.0);
    s = serve(LLAMA3_8B "dp=1 batch_size=4 prompt_tokens=1000 generate_tokens=24 kv_dtype=fp8 weight_dtype=fp8");
    assert_same(s->kv_cache_bytes, 4 * 1024 * 65536.0);
    assert_same(s->weights_bytes, 8030261248.0);
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
    /* decode reads every weight once: 16 GB over 3.35 TB/s at 0.75 */
    assert_near(step, 2 * 8030261248.0 / (3350e9 * 0.75), 0.1);
    s = serve(LLAMA3_8B "dp=1 batch_size=8");
    assert_true(s->decode_step_s >= step && s->decode_step_s < 2 * step);
    assert_true(s->tokens_per_s > 4 * speed);
    s = serve(LLAMA3_8B "dp=1 tp=4 batch_size=1");
    assert_true(s->decode_step_s < step && s->prefill_s < first);
    s = serve(LLAMA3_8B "dp=1 batch_size=1 prompt_tokens=4096");
    assert_true(s->prefill_s > first);
}

static void figures_of_every_served_plan_are_consistent(void **state)
{
    (void)state;
    static const char *const shapes[] = {GPT3_175B, LLAMA2_7B,    LLAMA3_8B,  LLAMA3_70B,
                                         QWEN3_32B, MIXTRAL_8X7B, DEEPSEEK_V3};
    struct check_random random = {60};
    for (int i = 0; i < 200; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "%s tp=%d pp=1 dp=1 sp=true nodes=1 batch_size=%d prompt_tokens=%d generate_tokens=%d",
                 check_pick(&random, shapes, COUNT(shapes)), 1 << check_below(&random, 4), 1 + check_below(&random, 64),
                 1 + check_below(&random, 1800), 1 + check_below(&random, 200));
        const struct serving *s = serve(text);
        for (size_t j = 0; j < serving_term_count; j++)
            assert_that(term_value(&serving_terms[j], s) >= 0, "%s is %g: %s", serving_terms[j].name,
                        term_value(&serving_terms[j], s), text);
        assert_near(s->needed_bytes, s->weights_bytes + s->kv_cache_bytes + s->activations_bytes, 1e-12);
        assert_near(s->tokens_per_s * s->request_s, s->batch * s->generate, 1e-9);
        assert_that((s->max_batch_size >= s->batch) == (s->needed_bytes <= s->room_bytes),
                    "largest batch %g, %g asked: %s", s->max_batch_size, s->batch, text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cache_counted_by_hand),
        cmocka_unit_test(a_latent_cache_counted_by_hand),
        cmocka_unit_test(the_largest_batch_is_the_largest),
        cmocka_unit_test(times_go_the_right_way),
        cmocka_unit_test(figures_of_every_served_plan_are_consistent),
    };
    return cmocka_run_group_tests_name("serving", tests, NULL, NULL) != 0;
}
