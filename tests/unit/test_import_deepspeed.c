/* DeepSpeed's configurations: batch sizes, "auto", old spellings, and what is refused. */
#include "tests/unit/import_check.h"

#include "src/import/deepspeed.h"

static struct outcome read_text(const char *text, size_t size, const char *name, const struct plan *base)
{
    struct import import = {0};
    struct errors errors = {0};
    int result = deepspeed_import(text, size, name, base, &import, &errors);
    return outcome_of(result, &import, &errors);
}

static struct outcome read_input(const char *name, const struct plan *base)
{
    size_t size;
    char *text = input_text(name, &size);
    assert_int_equal(plan_recognise(text, size), KIND_DEEPSPEED);
    struct outcome out = read_text(text, size, name, base);
    free(text);
    return out;
}

static void a_whole_configuration(void **state)
{
    (void)state;
    struct outcome out = read_input("deepspeed.json", NULL);
    assert_string_equal(out.settings,
                        "framework.name=deepspeed\ntrain.optimizer=adam\nframework.accumulate_grad_fp32=true\n"
                        "framework.partition_activations=true\nparallel.overlap_grad_reduce=false\nparallel.dp=16\n"
                        "train.micro_batch_size=4\ntrain.global_batch_size=256\ntrain.dtype=bf16\n"
                        "parallel.zero_stage=3\n"
                        "train.offload_optimizer=0.5\ntrain.offload_params=1\n"
                        "framework.zero_reduce_bucket_elements=200000000\n"
                        "framework.zero_allgather_bucket_elements=100000000\n"
                        "framework.zero_prefetch_bucket_elements=30000000\nframework.zero_persistence_threshold=10000\n"
                        "framework.zero_max_live_params=500000000\nparallel.shard_group=8\n"
                        "train.offload_activations=1\n"
                        "- parallel.overlap_grad_reduce=true\n");
    assert_message(out.messages,
                   "deepspeed.json:2: train_batch_size: the three batch sizes need parallel.dp 16, which is set\n"
                   "deepspeed.json:19: zero_optimization.offload_param.device: NVMe offload is not modelled; "
                   "using host memory\n"
                   "deepspeed.json: activation_checkpointing: configures how checkpoints are stored; the "
                   "training program decides whether layers are recomputed, so set train.recompute\n");
    assert_string_equal(out.unused, "steps_per_print gradient_clipping optimizer.params "
                                    "zero_optimization.offload_optimizer.pin_memory "
                                    "zero_optimization.offload_param.nvme_path");
    outcome_free(&out);
}

/* "auto" is what Hugging Face's Trainer makes of it, for the hidden size and the replicas of the plan. */
static void auto_follows_the_plan(void **state)
{
    (void)state;
    struct plan plan;
    check_plan(&plan, LLAMA2_7B " tp=2 nodes=2");
    struct outcome out = read_input("deepspeed-auto.json", &plan);
    assert_string_equal(out.settings,
                        "framework.name=deepspeed\ntrain.micro_batch_size=2\ntrain.global_batch_size=128\n"
                        "parallel.zero_stage=2\ntrain.offload_optimizer=1\n"
                        "framework.zero_reduce_bucket_elements=16777216\n"
                        "framework.zero_prefetch_bucket_elements=15099494\nframework.zero_persistence_threshold=40960\n"
                        "- parallel.overlap_grad_reduce=false\n");
    assert_message(out.messages,
                   "deepspeed-auto.json:14: zero_optimization.zero_quantized_weights: is not modelled; the "
                   "estimate is made without it\n");
    outcome_free(&out);
}

static void auto_without_a_plan_is_remarked_on(void **state)
{
    (void)state;
    struct outcome out = read_input("deepspeed-auto.json", NULL);
    assert_message(out.messages,
                   "deepspeed-auto.json:14: zero_optimization.zero_quantized_weights: is not modelled; the "
                   "estimate is made without it\n");
    outcome_free(&out);
}

/* A model that comes behind the file decides its sizes, too; without any they are remarked on. */
static void auto_follows_a_model_that_comes_later(void **state)
{
    (void)state;
    static const char path[] = "tests/inputs/deepspeed-auto.json";
    size_t size;
    char *text = input_text("deepspeed-auto.json", &size);
    struct plan plan;
    struct errors errors = {0}, notes = {0};
    struct plan_reading reading = {.options.path = path};
    plan_clear(&plan);
    assert_int_equal(plan_read(&plan, text, size, path, &reading, &errors), 0);
    assert_true(reading.has_auto);
    plan_settle_auto(&plan, path, NULL, &notes);
    assert_that(notes.count == 1 && check_mentions(notes.line[0], "give the model with --model"), "%s",
                notes.count ? notes.line[0] : "nothing");
    check_set(&plan, LLAMA2_7B);
    plan_settle_auto(&plan, path, NULL, &errors);
    assert_same(plan.value[PARAM_framework_zero_reduce_bucket_elements], 16777216);
    assert_same(plan.value[PARAM_framework_zero_persistence_threshold], 40960);
    errors_free(&errors);
    errors_free(&notes);
    free(text);
}

/* ---- single keys and refusals ----------------------------------------------------------------------------------- */

static const struct {
    const char *text, *line; /* for a plan of 8 replicas */
} setting_rows[] = {
    {"{\"zero_optimization\": true}", "parallel.zero_stage=1\n"},
    {"{\"zero_optimization\": false}", "parallel.zero_stage=0\n"},
    {"{\"train_batch_size\": 64}", "train.micro_batch_size=8\n"},
    {"{\"train_batch_size\": 64, \"gradient_accumulation_steps\": 2}", "train.micro_batch_size=4\n"},
    {"{\"train_micro_batch_size_per_gpu\": 3, \"gradient_accumulation_steps\": 2}", "train.global_batch_size=48\n"},
    {"{\"train_micro_batch_size_per_gpu\": 3}", "train.global_batch_size=24\n"},
    {"{\"train_batch_size\": 64, \"train_micro_batch_size_per_gpu\": 4, \"gradient_accumulation_steps\": 4}",
     "parallel.dp=4\n"},
    {"{\"fp16\": {\"enabled\": true, \"loss_scale\": 0}}", "train.dtype=fp16\n"},
    {"{\"bfloat16\": {\"enabled\": true}}", "train.dtype=bf16\n"},
    {"{\"fp16\": {\"enabled\": false}, \"bf16\": {\"enabled\": true}}", "train.dtype=bf16\n"},
    {"{\"train_batch_size\": 8}", "- train.dtype=fp32\n"},
    {"{\"zero_optimization\": {\"stage\": 3, \"offload_optimizer\": {\"device\": \"none\"}}}",
     "- parallel.overlap_grad_reduce=true\n"},
    {"{\"zero_optimization\": {\"stage\": 3, \"cpu_offload_params\": true}}", "train.offload_params=1\n"},
    {"{\"optimizer\": {\"type\": \"OneBitAdam\"}, \"zero_optimization\": {}}", "train.optimizer=adam\n"},
    {"{\"optimizer\": {\"type\": \"sgd\"}, \"zero_optimization\": {}}", "train.optimizer=sgd\n"},
    {"{\"data_types\": {\"grad_accum_dtype\": \"bf16\"}, \"zero_optimization\": {}}",
     "framework.accumulate_grad_fp32=false\n"},
    {"{\"tensor_parallel\": {\"autotp_size\": 4}, \"train_micro_batch_size_per_gpu\": 1}",
     "train.global_batch_size=2\n"},
};

static void single_settings(void **state)
{
    (void)state;
    struct plan plan;
    check_plan(&plan, LLAMA2_7B);
    for (size_t i = 0; i < COUNT(setting_rows); i++) {
        struct outcome out = read_text(setting_rows[i].text, strlen(setting_rows[i].text), "file", &plan);
        assert_that(out.result == 0 && strstr(out.settings, setting_rows[i].line), "%s does not give %s\n%s%s",
                    setting_rows[i].text, setting_rows[i].line, out.settings, out.messages);
        outcome_free(&out);
    }
}

static const struct {
    const char *text, *messages;
    int result;
} message_rows[] = {
    {"{\n\"train_batch_size\": 64,\n\"train_micro_batch_size_per_gpu\": 4, \"gradient_accumulation_steps\": 5}",
     "file:2: train_batch_size: 64 is not a multiple of train_micro_batch_size_per_gpu x gradient_accumulation_steps = "
     "4 x 5; all three are ignored\n", 0},
    {"{\"train_batch_size\": 0}", "file:1: train_batch_size: 0 is not a whole number above 0; ignored\n", 0},
    {"{\"train_batch_size\": \"many\"}", "file:1: train_batch_size: \"many\" is not a number; ignored\n", 0},
    {"{\"fp16\": {\"enabled\": true}, \"bf16\": {\"enabled\": true}}",
     "file:1: bf16.enabled: fp16 and bf16 are both enabled; both are ignored\n", 0},
    {"{\"zero_optimization\": {\"stage\": 4}}",
     "file:1: zero_optimization.stage: invalid ZeRO stage 4 (0, 1, 2 or 3); ignored\n", 0},
    {"{\"zero_optimization\": \"on?\"}", "file:1: zero_optimization: \"on?\" is not true or false; ignored\n",
     0},
    {"{\"zero_optimization\": {\"reduce_bucket_size\": \"big\"}}",
     "file:1: zero_optimization.reduce_bucket_size: \"big\" is not a number; ignored\n", 0},
    {"{\"fp16\": {\"enabled\": 3}}", "file:1: fp16.enabled: \"3\" is not true or false; ignored\n", 0},
    {"{\"train_batch_size\": 8,", "file:1: is not valid JSON; check commas, quotes and braces here\n", -1},
    {"{\"zero_optimization\": {\"stage\": 1, \"stage\": 2}}",
     "file:1: stage: is given again on line 1; the last one counts\n", 0},
    {"{\"optimizer\": {\"type\": \"Sophia\"}, \"fp16\": {}}",
     "file:1: optimizer.type: Sophia has no counterpart here; give train.optimizer with --set\n", 0},
    {"{\"zero_optimization\": {\"stage\": 3, \"zero_hpz_partition_size\": 8}}",
     "file:1: zero_optimization.zero_hpz_partition_size: a second copy of the weights inside a node is not modelled\n",
     0},
};

static void whole_messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(message_rows); i++) {
        struct outcome out = read_text(message_rows[i].text, strlen(message_rows[i].text), "file", NULL);
        assert_message(out.messages, message_rows[i].messages);
        assert_int_equal(out.result, message_rows[i].result);
        outcome_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_configuration),
        cmocka_unit_test(auto_follows_the_plan),
        cmocka_unit_test(auto_without_a_plan_is_remarked_on),
        cmocka_unit_test(auto_follows_a_model_that_comes_later),
        cmocka_unit_test(single_settings),
        cmocka_unit_test(whole_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
