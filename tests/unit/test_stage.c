/* Memory of a stage: the 2023 analysis tool's example and measured runs, recomputation, and where the peak is. */
#include "tests/check.h"

static struct estimate estimate;

static const struct stage *stage_of(const char *settings, int stage)
{
    check_estimate(&estimate, settings);
    assert_between(stage, 0, estimate.stages - 1);
    return &estimate.stage[stage];
}

#define EXAMPLE GPT_6B "tp=2 pp=2 zero_stage=1 micro_batch_size=4 global_batch_size=512 nodes=2"

/* The tool's printed example with its errors corrected: two stages of 16 layers. */
static void the_example_of_the_analysis_tool(void **state)
{
    (void)state;
    const struct stage *first = stage_of(EXAMPLE, 0), *last = &estimate.stage[1];
    assert_same(estimate.totals.total, 6642515968);
    assert_same(first->params, 1718757376);
    assert_same(last->params, 1710376960);
    assert_near(first->dense_saved, 820.625 * MIB, 1e-12);
    assert_same(first->chunks_in_flight, 2);
    assert_same(last->chunks_in_flight, 1);
    assert_near(first->allocated_bytes, 40.66 * GIB, 0.005);
    assert_near(last->allocated_bytes, 29.21 * GIB, 0.005);
    /* the figures above leave out the two cuBLAS workspaces of 32 MiB; with them they agree to the printed digits */
    assert_same(first->workspace_bytes, 64 * MIB);
    assert_near(first->allocated_bytes - first->workspace_bytes, 40.66 * GIB, 2e-4);
    assert_near(last->allocated_bytes - last->workspace_bytes, 29.21 * GIB, 2e-4);
}

/*
 * Four runs of the tool's author on one H800 node, max_memory_allocated() in GiB printed to 0.1. Beside the
 * measurement stands what the same formulas give by hand, workspaces included.
 */
static void four_measured_runs(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        double measured, by_hand;
    } runs[] = {
        {GPT_6B "zero_stage=1 dp=8 micro_batch_size=2 global_batch_size=2048", 69.1, 69.10},
        {GPT_6B "zero_stage=1 tp=2 dp=4 micro_batch_size=4 global_batch_size=512", 55.7, 55.67},
        {GPT_6B "zero_stage=1 pp=2 dp=4 micro_batch_size=2 global_batch_size=2048", 49.8, 49.95},
        {GPT_6B "zero_stage=1 tp=8 dp=1 micro_batch_size=4 global_batch_size=128", 28.8, 28.68},
    };
    for (size_t i = 0; i < COUNT(runs); i++) {
        double peak = 0;
        check_estimate(&estimate, runs[i].settings);
        for (int j = 0; j < estimate.stages; j++)
            peak = fmax(peak, estimate.stage[j].allocated_bytes / GIB);
        assert_near(peak, runs[i].measured, 0.01);
        assert_near(peak, runs[i].by_hand, 2e-4);
    }
}

static void states_cost_six_bytes_and_a_shard_of_twelve(void **state)
{
    (void)state;
    const struct stage *stage = stage_of(LLAMA3_8B "tp=2 dp=4 zero_stage=1", 0);
    assert_same(stage->weights_bytes, 2 * stage->params);
    assert_same(stage->gradients_bytes, 4 * stage->params);
    assert_same(stage->optimizer_bytes, 12 * stage->params / 4);
    stage = stage_of(LLAMA3_8B "tp=2 dp=4 zero_stage=0", 0);
    assert_same(stage->optimizer_bytes, 12 * stage->params);
}

static void experts_shard_over_their_own_data_parallel_group(void **state)
{
    (void)state;
    const struct stage *stage = stage_of(MIXTRAL_8X7B "ep=8 etp=1 dp=16 zero_stage=1", 0);
    assert_true(stage->params_experts > stage->params_dense);
    assert_near(stage->optimizer_bytes, 12 * (stage->params_dense / 16 + stage->params_experts / 2), 1e-15);
}

static void full_recompute_keeps_only_layer_inputs(void **state)
{
    (void)state;
    const struct stage *stage = stage_of(LLAMA2_7B "recompute=full", 0);
    assert_same(stage->dense_kept, 2.0 * 4096 * 4096);
    assert_same(stage->activations_bytes, 32 * 2.0 * 4096 * 4096);
    assert_same(stage->recomputed_bytes, stage->dense_saved);
    stage = stage_of(LLAMA2_7B "recompute=full recompute_num_layers=4", 0);
    assert_same(stage->activations_bytes, 8 * 2.0 * 4096 * 4096);
    assert_same(stage->recomputed_bytes, 4 * stage->dense_saved);
    stage = stage_of(LLAMA2_7B "recompute=full recompute_method=block recompute_num_layers=8", 0);
    assert_near(stage->activations_bytes, 8 * 2.0 * 4096 * 4096 + 24 * stage->dense_saved, 1e-15);
}

static void selective_recompute_of_the_core_frees_scores(void **state)
{
    (void)state;
    const char *const unfused =
        GPT3_175B "attention=unfused attention_dropout=0.1 hidden_dropout=0.1 tp=8 sp=true recompute=selective";
    const struct stage *stage = stage_of(unfused, 0);
    assert_near(stage->dense_dropped, 5.0 * 96 * 2048 * 2048 / 8, 1e-15);
    assert_near(stage->dense_kept, stage->dense_saved - stage->dense_dropped, 1e-15);
    assert_same(stage_of(LLAMA2_7B "recompute=selective", 0)->dense_dropped, 0); /* flash has none */
    stage = stage_of(LLAMA2_7B "recompute=selective recompute_modules=[mlp]", 0);
    /* with the norm that is part of the first product */
    assert_same(stage->dense_dropped, (6.0 * 11008 + 2 * 4096) * 4096);
}

static void the_last_stage_peaks_at_the_loss_with_a_large_vocabulary(void **state)
{
    (void)state;
    const struct stage *stage = stage_of(LLAMA3_8B "num_layers=4 pp=1", 0);
    assert_int_equal(stage_peak_at(stage), PEAK_LOSS);
    assert_near(stage->loss_peak_bytes, 6 * 8192.0 * 128256 + stage->head_saved, 1e-12);
    stage_of(LLAMA2_7B "pp=2 global_batch_size=16 nodes=1", 0);
    assert_int_equal(stage_peak_at(&estimate.stage[0]), PEAK_BACKWARD);
}

static void each_workspace_is_counted(void **state)
{
    (void)state;
    assert_near(stage_of(LLAMA2_7B, 0)->workspace_bytes, 96 * MIB, 1e-4); /* H100: 2 x 32 and TransformerEngine's 32 */
    assert_near(stage_of(LLAMA2_7B "tp=2 sp=true overlap_tp=true", 0)->workspace_bytes, 192 * MIB, 1e-4);
    assert_near(stage_of(MIXTRAL_8X7B "ep=8", 0)->workspace_bytes, 224 * MIB, 1e-4);
}

/* One throw-away gradient for each shape of weight: qkv, proj, fc1, fc2 and output layer all differ here. */
static void dummy_gradients_one_for_each_shape(void **state)
{
    (void)state;
    double h = 4096;
    assert_same(stage_of(LLAMA3_8B, 0)->dummy_bytes, 2 * (h * 6144 + h * h + h * 2 * 14336 + h * 14336 + h * 128256));
    assert_same(stage_of(LLAMA3_8B "gradient_accumulation_fusion=false", 0)->dummy_bytes, 0);
}

static void sheets_have_unique_documented_terms(void **state)
{
    (void)state;
    for (size_t i = 0; i < stage_term_count; i++) {
        assert_that(stage_terms[i].label[0], "%s", stage_terms[i].name);
        assert_ptr_equal(term_find(stage_terms, stage_term_count, stage_terms[i].name, strlen(stage_terms[i].name)),
                         &stage_terms[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_analysis_tool),
        cmocka_unit_test(four_measured_runs),
        cmocka_unit_test(states_cost_six_bytes_and_a_shard_of_twelve),
        cmocka_unit_test(experts_shard_over_their_own_data_parallel_group),
        cmocka_unit_test(full_recompute_keeps_only_layer_inputs),
        cmocka_unit_test(selective_recompute_of_the_core_frees_scores),
        cmocka_unit_test(the_last_stage_peaks_at_the_loss_with_a_large_vocabulary),
        cmocka_unit_test(each_workspace_is_counted),
        cmocka_unit_test(dummy_gradients_one_for_each_shape),
        cmocka_unit_test(sheets_have_unique_documented_terms),
    };
    return cmocka_run_group_tests_name("stage", tests, NULL, NULL) != 0;
}
