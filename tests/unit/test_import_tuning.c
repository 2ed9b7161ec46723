/* Files of fine-tuning: what each reader makes of one of our own, and what is refused or remarked on. */
#include "tests/unit/import_check.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/import/recognise.h"
#include "src/import/tuning.h"

static struct outcome outcome_as(enum plan_kind kind, const char *text, const char *name)
{
    struct import import = {0};
    struct errors errors = {0};
    assert_int_equal(plan_recognise(text, strlen(text)), kind);
    int result = formats[kind].read(text, strlen(text), name, &import, &errors);
    return outcome_of(result, &import, &errors);
}

static void llama_factory_trains_adapters(void **state)
{
    (void)state;
    struct outcome out = outcome_as(KIND_LLAMA_FACTORY,
                                    "model_name_or_path: Qwen/Qwen3-4B\nstage: sft\nfinetuning_type: lora\n"
                                    "lora_target: q_proj,v_proj\n"
                                    "quantization_bit: 4\ntemplate: qwen3\ncutoff_len: 1024\n"
                                    "per_device_train_batch_size: 2\n"
                                    "gradient_accumulation_steps: 8\nbf16: true\ndeepspeed: "
                                    "examples/deepspeed/ds_z3_config.json\n"
                                    "optim: paged_adamw_8bit\nenable_liger_kernel: true\nlearning_rate: 1.0e-4\n", "f");
    assert_string_equal(out.settings,
                        "model=Qwen/Qwen3-4B\nframework.name=llama-factory\ntrain.micro_batch_size=2\n"
                        "train.gradient_accumulation_steps=8\ntrain.seq_length=1024\ntrain.optimizer=paged_adam8bit\n"
                        "train.dtype=bf16\n"
                        "train.peft=qlora\ntrain.double_quant=true\ntrain.lora_targets=q_proj,v_proj\n"
                        "train.packing=padded\n"
                        "framework.fast_kernels=liger\nparallel.zero_stage=3\n- train.seq_length=2048\n- "
                        "train.lora_rank=8\n");
    assert_string_equal(out.messages, "");
    assert_string_equal(out.unused, "template learning_rate");
    outcome_free(&out);
}

static void llama_factory_in_full(void **state)
{
    (void)state;
    struct outcome out = outcome_as(KIND_LLAMA_FACTORY,
                                    "model_name_or_path: llama3-8b\nfinetuning_type: full\npure_bf16: true\n"
                                    "use_galore: true\n"
                                    "disable_gradient_checkpointing: true\npacking: true\nstage: dpo\n", "f");
    assert_string_equal(
        out.settings,
        "model=llama3-8b\nframework.name=llama-factory\ntrain.dtype=bf16\ntrain.peft=none\ntrain.optimizer=galore\n"
        "train.main_param_dtype=bf16\ntrain.recompute=none\ntrain.packing=packed\n"
        "train.micro_batch_size=2\ntrain.reference_model=frozen\n- train.seq_length=2048\n- train.lora_rank=8\n- "
        "train.galore_rank=16\n");
    assert_message(out.messages,
                   "f:7: stage: runs two samples together, so micro_batch_size is doubled\n");
    outcome_free(&out);
    out = outcome_as(KIND_LLAMA_FACTORY, "model_name_or_path: llama3-8b\ntemplate: llama3\ninfer_backend: vllm\n", "f");
    assert_string_equal(out.settings, "model=llama3-8b\nworkload=inference\n");
    outcome_free(&out);
}

/* What two-sample methods and reference models ask for, with and without adapters. */
static void preferences_need_pairs_and_a_reference(void **state)
{
    (void)state;
    static const struct {
        const char *text, *micro, *reference, *message;
    } cases[] = {
        {"rl: dpo\n", "4", "frozen", "doubled"},       {"rl: dpo\nadapter: lora\n", "4", NULL, "doubled"},
        {"rl: orpo\n", "4", NULL, "doubled"},          {"rl: grpo\n", "2", "frozen", "are not counted"},
        {"ref_model: other\n", "2", "frozen", ""},   {"learning_rate: 1e-5\n", "2", NULL, ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[256], want[64];
        snprintf(text, sizeof text, "base_model: llama3-8b\nmicro_batch_size: 2\n%s", cases[i].text);
        struct outcome out = outcome_as(KIND_AXOLOTL, text, "f");
        snprintf(want, sizeof want, "train.micro_batch_size=%s\n", cases[i].micro);
        bool has_reference = strstr(out.settings, "train.reference_model=frozen");
        assert_that(strstr(out.settings, want) && has_reference == (cases[i].reference != NULL) &&
                        (!*cases[i].message || check_mentions(out.messages, cases[i].message)),
                    "%s: %s%s", cases[i].text, out.settings, out.messages);
        outcome_free(&out);
    }
}

static void llama_factory_since_version_1(void **state)
{
    (void)state;
    struct outcome out = outcome_as(KIND_LLAMA_FACTORY_V1,
                                    "model: Qwen/Qwen3-4B\nmodel_class: llm\npeft_config:\n  name: lora\n  r: 16\n  "
                                    "target_modules: all\n"
                                    "quant_config: {name: bnb, quantization_bit: 4}\ndist_config:\n  name: fsdp2\n"
                                    "micro_batch_size: 1\ncutoff_len: 4096\nenable_activation_checkpointing: false\n",
                                    "f");
    assert_string_equal(out.settings,
                        "framework.name=llama-factory\nmodel=Qwen/Qwen3-4B\ntrain.micro_batch_size=1\n"
                        "train.seq_length=4096\n"
                        "train.lora_rank=16\ntrain.dtype=bf16\ntrain.peft=qlora\ntrain.lora_targets=all\n"
                        "train.recompute=none\n"
                        "parallel.fsdp=full\ntrain.checkpoint_reentrant=false\n- train.seq_length=2048\n");
    outcome_free(&out);
}

static void axolotl_in_8_bits(void **state)
{
    (void)state;
    struct outcome out = outcome_as(KIND_AXOLOTL,
                                    "base_model: NousResearch/Meta-Llama-3-8B\nload_in_8bit: true\nadapter: lora\n"
                                    "lora_r: 32\n"
                                    "lora_target_linear: true\nlora_modules_to_save: [embed_tokens, lm_head]\n"
                                    "sequence_len: 4096\n"
                                    "sample_packing: true\nmicro_batch_size: 2\ngradient_accumulation_steps: 4\n"
                                    "optimizer: adamw_bnb_8bit\nbf16: auto\ngradient_checkpointing: true\nfsdp: "
                                    "[full_shard, auto_wrap]\n"
                                    "fsdp_config: {fsdp_offload_params: true}\n", "f");
    assert_string_equal(out.settings,
                        "framework.name=axolotl\nmodel=NousResearch/Meta-Llama-3-8B\ntrain.micro_batch_size=2\n"
                        "train.gradient_accumulation_steps=4\ntrain.seq_length=4096\ntrain.optimizer=adam8bit\n"
                        "train.lora_rank=32\n"
                        "train.peft=lora\ntrain.quant_dtype=int8\ntrain.lora_targets=[all]\n"
                        "train.modules_to_save=[embed_tokens,lm_head]\ntrain.recompute=full\n"
                        "train.packing=padding_free\n"
                        "parallel.fsdp=full\ntrain.offload_params=1\ntrain.offload_optimizer=1\n- "
                        "train.seq_length=512\n- train.dtype=bf16\n");
    outcome_free(&out);
    out = outcome_as(
        KIND_AXOLOTL,
        "base_model: llama2-7b\nsequence_len: 64\nfsdp_config:\n  fsdp_version: 2\n  reshard_after_forward: true\n",
        "f");
    assert_non_null(strstr(out.settings, "parallel.fsdp=full\n")); /* FSDP2 needs no list beside its settings */
    outcome_free(&out);
    out = outcome_as(KIND_AXOLOTL, "base_model: llama2-7b\nsequence_len: 64\nfsdp:\nfsdp_config:\n", "f");
    assert_null(strstr(out.settings, "parallel.fsdp"));
    outcome_free(&out);
    static const char *const unfrozen[][2] = {
        {"\n- transformer.blocks.[0-7].\n", "all-but:layers:0-7"},
        {"\n- model.layers.4\n- model.layers.[5-6].*\n- lm_head.weight\n- model.embed_tokens\n",
         "all-but:embeddings,layers:4-6"},
        {"\n- model.layers.[0-9]+.\n", ""}, {"\n- model.layers.[28-31]\n- lm_head.weight\n", ""},
        {"\n- model.layers.2[0-9]+.self_attn\n", ""}, {"\n- model.layers.1\n- model.layers.9\n", ""}, {"[lm_head]", ""},
    };
    for (size_t i = 0; i < COUNT(unfrozen); i++) {
        char *text = xasprintf("base_model: llama2-7b\nsequence_len: 64\nunfrozen_parameters: %s\n", unfrozen[i][0]);
        out = outcome_as(KIND_AXOLOTL, text, "f");
        const char *frozen = strstr(out.settings, "train.frozen=");
        size_t n = frozen ? strcspn(frozen + 13, "\n") : 0;
        assert_that(n == strlen(unfrozen[i][1]) && (n == 0 || strncmp(frozen + 13, unfrozen[i][1], n) == 0), "%s: %s",
                    text, out.settings);
        assert_that(n > 0 || check_mentions(out.messages, "unfrozen_parameters: is not modelled"), "%s: %s", text,
                    out.messages);
        outcome_free(&out);
        free(text);
    }
}

/* ORPO and SimPO, as losses of the stage dpo, have no reference model. */
static void losses_without_a_reference(void **state)
{
    (void)state;
    static const char *const losses[][2] = {{"sigmoid", "yes"}, {"orpo", ""}, {"simpo", ""}};
    for (size_t i = 0; i < COUNT(losses); i++) {
        char *text = xasprintf("model_name_or_path: llama2-7b\nstage: dpo\nfinetuning_type: full\npref_loss: %s\n"
                               "per_device_train_batch_size: 1\n", losses[i][0]);
        struct outcome out = outcome_as(KIND_LLAMA_FACTORY, text, "f");
        assert_int_equal(strstr(out.settings, "train.reference_model=frozen") != NULL, *losses[i][1] != '\0');
        assert_non_null(strstr(out.settings, "train.micro_batch_size=2\n"));
        outcome_free(&out);
        free(text);
    }
}

/* `freeze` trains some layers: the last ones or the first ones, and perhaps both ends. */
static void llama_factory_freezes_layers(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"", "train.frozen=all-but:layers:-2\n", NULL},
        {"freeze_trainable_layers: 8\n", "train.frozen=all-but:layers:-8\n", NULL},
        {"freeze_trainable_layers: -4\nfreeze_trainable_modules: all\n", "train.frozen=all-but:layers:+4\n", NULL},
        {"freeze_extra_modules: embed_tokens,lm_head\n", "train.frozen=all-but:embeddings,layers:-2\n", NULL},
        {"freeze_extra_modules: lm_head\n", "train.frozen=all-but:embeddings,layers:-2\n",
         "freeze_extra_modules: trains one of"},
        {"freeze_trainable_modules: mlp,self_attn\n", "train.frozen=all-but:layers:-2\n",
         "freeze_trainable_modules: trains parts of layers"},
        {"use_llama_pro: true\nfreeze_trainable_layers: 8\n", "train.frozen=all-but:layers:-8\n",
         "use_llama_pro: spreads the trained layers"},
        {"freeze_trainable_layers: 0\n", "train.peft=none\n", "freeze_trainable_layers: is not a number of layers"},
        {"freeze_trainable_layers: 99999999999\n", "train.frozen=all-but:layers:-4095\n", NULL},
        {"freeze_trainable_layers: -2147483648\n", "train.frozen=all-but:layers:+4095\n", NULL},
        {"quantization_bit: 4\n", "train.peft=none\n", "quantization_bit: LLaMA-Factory rejects it"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text =
            xasprintf("model_name_or_path: llama2-7b\nstage: sft\nfinetuning_type: freeze\nbf16: true\n%s", rows[i][0]);
        struct outcome out = outcome_as(KIND_LLAMA_FACTORY, text, "f");
        assert_that(strstr(out.settings, rows[i][1]), "%s: %s", text, out.settings);
        assert_that(!rows[i][2] || check_mentions(out.messages, rows[i][2]), "%s: %s", text, out.messages);
        assert_that(rows[i][2] || !strstr(out.messages, "freeze"), "%s: %s", text, out.messages);
        outcome_free(&out);
        free(text);
    }
}

static void torchtune_on_one_gpu(void **state)
{
    (void)state;
    struct outcome out = outcome_as(KIND_TORCHTUNE,
                                    "model:\n  _component_: torchtune.models.qwen2_5.qlora_qwen2_5_1_5b_base\n  "
                                    "lora_rank: 8\n"
                                    "  lora_attn_modules: [q_proj, v_proj, output_proj]\n  apply_lora_to_mlp: true\n"
                                    "batch_size: 2\n"
                                    "optimizer:\n  _component_: bitsandbytes.optim.PagedAdamW8bit\ndtype: bf16\n"
                                    "enable_activation_checkpointing: true\n", "1.5B_qlora_single_device.yaml");
    assert_string_equal(out.settings,
                        "framework.name=torchtune\nmodel=qwen2.5-1.5b-base\ntrain.micro_batch_size=2\n"
                        "train.optimizer=paged_adam8bit\ntrain.lora_rank=8\ntrain.dtype=bf16\ntrain.peft=qlora\n"
                        "train.lora_targets=[q_proj,v_proj,output_proj],mlp\ntrain.recompute=full\nparallel.dp=1\n"
                        "train.packing=padded\n");
    outcome_free(&out);
    out = outcome_as(KIND_TORCHTUNE, "model:\n  _component_: torchtune.models.qwen3.qwen3_0_6b_instruct\ndtype: fp32\n",
                     "0.6B_full.yaml");
    assert_string_equal(out.settings,
                        "framework.name=torchtune\nmodel=qwen3-0.6b-instruct\ntrain.dtype=fp32\nparallel.fsdp=full\n"
                        "train.packing=padded\n");
    outcome_free(&out);
    out = outcome_as(
        KIND_TORCHTUNE,
        "model:\n  _component_: torchtune.models.llama3.lora_llama3_8b\n  use_dora: true\n  quantize_base: true\n",
        "f.yaml");
    assert_non_null(strstr(out.settings, "train.peft=dora\ntrain.quant_dtype=nf4\n"));
    outcome_free(&out);
    out = outcome_as(
        KIND_TORCHTUNE,
        "policy_model:\n  _component_: torchtune.models.llama2.llama2\n  num_layers: 22\n  embed_dim: 2048\n",
        "f.yaml");
    assert_non_null(strstr(out.settings, "model.num_layers=22\nmodel.hidden_size=2048\nmodel.gated_mlp=true\n"));
    outcome_free(&out);
    out = outcome_as(KIND_TORCHTUNE,
                     "model:\n  _component_: torchtune.models.llama3_1.lora_llama3_1_8b\n  lora_rank: 8\n",
                     "8B_lora.yaml");
    assert_non_null(strstr(out.settings, "train.lora_targets=[all]\n"));
    outcome_free(&out);
}

static void accelerate_counts_all_processes(void **state)
{
    (void)state;
    struct outcome out = outcome_as(KIND_ACCELERATE,
                                    "distributed_type: FSDP\nfsdp_config: {fsdp_sharding_strategy: 2}\n"
                                    "mixed_precision: bf16\n"
                                    "num_machines: 2\nnum_processes: 8\n", "f");
    assert_string_equal(out.settings,
                        "framework.name=hf-trainer\nhardware.nodes=2\nhardware.gpus_per_node=4\ntrain.dtype=bf16\n"
                        "parallel.fsdp=shard_grad_op\n- parallel.fsdp=full\n");
    outcome_free(&out);
}

static void the_trainer_takes_fp32_by_default(void **state)
{
    (void)state;
    struct outcome out = outcome_as(KIND_HF_TRAINER,
                                    "{\"model_name_or_path\": \"gpt2\", \"per_device_train_batch_size\": 4, "
                                    "\"use_peft\": true,"
                                    " \"lora_target_modules\": \"model.*proj\", \"fsdp\": \"hybrid_shard offload\"}",
                                    "f");
    assert_string_equal(out.settings,
                        "framework.name=hf-trainer\nmodel=gpt2\ntrain.micro_batch_size=4\n"
                        "train.mixed_precision=none\ntrain.peft=lora\ntrain.lora_targets=[all]\nparallel.fsdp=hybrid\n"
                        "train.offload_params=1\ntrain.offload_optimizer=1\n- train.packing=padded\n");
    assert_message(out.messages,
                   "f:1: lora_target_modules: names unknown matrices; counting all of a layer\n");
    outcome_free(&out);
}

static const struct {
    enum plan_kind kind;
    const char *text, *message;
} refused[] = {
    {KIND_LLAMA_FACTORY, "model_name_or_path: llama3-8b\nstage: sft\ncutoff_len: long\n",
     "f:3: cutoff_len: \"long\" is not a number; ignored\n"},
    {KIND_AXOLOTL, "base_model: llama3-8b\nadapter: lora\nlora_r: -4\n",
     "f:3: lora_r: -4 is not a whole number of at least 0; ignored\n"},
    {KIND_ACCELERATE, "distributed_type: TPU\n",
     "f:1: distributed_type: is for TPU; GPUs are estimated; give a configuration of them\n"},
    {KIND_ACCELERATE, "distributed_type: MULTI_GPU\nnum_machines: 2\nnum_processes: 3\n",
     "f:3: num_processes: 3 processes do not divide over 2 machines; both are ignored\n"},
    {KIND_TORCHTUNE, "model:\n  _component_: torchtune.models.llama3.llama3_8b\nbatch_size: 1.5\n",
     "f:3: batch_size: 1.5 is not a whole number of at least 0; ignored\n"},
};

static void faults_have_a_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct outcome out = outcome_as(refused[i].kind, refused[i].text, "f");
        assert_that(check_message(out.messages, refused[i].message), "%s\ngives\n%s\nnot\n%s", refused[i].text,
                    out.messages, refused[i].message);
        outcome_free(&out);
    }
}

/* A name that no preset has leaves the model to be given. */
static void an_unknown_model_is_asked_for(void **state)
{
    (void)state;
    static const char text[] = "base_model: nobody/nothing-at-all\nsequence_len: 4096\n";
    struct errors errors = {0};
    struct plan plan;
    plan_clear(&plan);
    assert_int_equal(plan_read(&plan, text, sizeof text - 1, "f", NULL, &errors), 0);
    assert_message(errors.line[0],
                   "f:1: model: 'nobody/nothing-at-all' is not a known model; give its config.json with --model");
    assert_same(plan.value[PARAM_train_seq_length], 4096);
    assert_true(isnan(plan.value[PARAM_model_num_layers]));
    errors_free(&errors);
}

/* A model that no preset is: parts of its name, its size, or what is not counted in it. */
static void models_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double layers; /* NAN: to be given */
        enum origin from;
        const char *message;
    } rows[] = {
        {"Qwen/Qwen3-VL-4B-Instruct", 36, FROM_PRESET, "f:1: model: 'Qwen/Qwen3-VL-4B-Instruct' has parts besides the "
                                                      "language model that are not counted: memory and time are lower "
                                                      "bounds"},
        {"saves/qwen3-4b/full/sft", 36, FROM_PRESET, "f:1: model: 'saves/qwen3-4b/full/sft' is read as qwen3-4b"},
        {"somebody/thing-36B-Instruct", 64, FROM_ASSUMED, "f:1: model: unknown model 'somebody/thing-36B-Instruct': "
                                                        "assuming the shape of qwen2.5-32b because of the size in "
                                                        "its name; give its config.json with --model"},
        {"somebody/thing-2-1_6b", 24, FROM_ASSUMED, NULL},
        {"somebody/thing-270m-it", 32, FROM_ASSUMED, NULL},
        {"somebody/thing-9x3B", 64, FROM_ASSUMED, NULL},
        {"somebody/thing-A3B", NAN, FROM_DEFAULT,
         "f:1: model: 'somebody/thing-A3B' is not a known model; give its config.json with --model"},
        {"Qwen/Qwen3.5-27B", 64, FROM_PRESET, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        struct errors errors = {0};
        struct plan plan;
        snprintf(text, sizeof text, "base_model: %s\nsequence_len: 4096\n", rows[i].name);
        plan_clear(&plan);
        assert_int_equal(plan_read(&plan, text, strlen(text), "f", NULL, &errors), 0);
        bool is_same = isnan(rows[i].layers) ? isnan(plan.value[PARAM_model_num_layers])
                                             : plan.value[PARAM_model_num_layers] == rows[i].layers;
        assert_that(is_same && plan.from[PARAM_model_num_layers] == rows[i].from, "%s: %g layers", rows[i].name,
                    plan.value[PARAM_model_num_layers]);
        if (rows[i].message)
            assert_message(errors.line[0], rows[i].message);
        errors_free(&errors);
    }
}

/* What lies beside the file counts before the name. */
static void a_model_beside_is_read(void **state)
{
    (void)state;
    static const char text[] = "base_model: ./models/small\nsequence_len: 512\n";
    static const char config[] =
        "{\"model_type\": \"llama\", \"hidden_size\": 256, \"num_hidden_layers\": 3, \"num_attention_heads\": 4,"
        " \"intermediate_size\": 512, \"vocab_size\": 1000}";
    struct errors errors = {0};
    struct plan plan;
    char folder[] = "/tmp/shardtop-named-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char *path = xasprintf("%s/run.yaml", folder), *below = xasprintf("%s/models", folder),
         *small = xasprintf("%s/small", below);
    char *model = xasprintf("%s/config.json", small);
    assert_int_equal(mkdir(below, 0700) | mkdir(small, 0700), 0);
    FILE *file = fopen(model, "w");
    assert_true(file && fputs(config, file) >= 0 && fclose(file) == 0);
    struct plan_reading reading = {.options.path = path};
    plan_clear(&plan);
    assert_int_equal(plan_read(&plan, text, sizeof text - 1, path, &reading, &errors), 0);
    assert_same(plan.value[PARAM_model_num_layers], 3);
    assert_int_equal(plan.from[PARAM_model_num_layers], FROM_FILE);
    assert_int_equal(unlink(model) | rmdir(small) | rmdir(below) | rmdir(folder), 0);
    free(path), free(below), free(small), free(model);
    errors_free(&errors);
}

/* Kernels, meshes and other backends, as each file says them. */
static void what_else_files_say(void **state)
{
    (void)state;
    static const struct {
        enum plan_kind kind;
        const char *text, *settings;
    } rows[] = {
        {KIND_AXOLOTL,
         "base_model: llama2-7b\nsequence_len: 512\nattn_implementation: eager\nplugins:\n- "
         "axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin\n"
         "liger_rms_norm: false\nliger_rope: true\nfsdp_version: 2\nfsdp_config:\n  reshard_after_forward: false\n",
         "train.attention=unfused train.cross_entropy=fused_linear framework.fast_kernels=liger "
         "parallel.fsdp=shard_grad_op"},
        {KIND_LLAMA_FACTORY,
         "model_name_or_path: llama2-7b\nstage: sft\nfinetuning_type: full\ntensor_model_parallel_size: 2\n"
         "pipeline_model_parallel_size: 4\n"
         "sequence_parallel: true\nuse_distributed_optimizer: true\n",
         "framework.name=megatron-core parallel.tp=2 parallel.pp=4 parallel.sp=true parallel.zero_stage=1"},
        {KIND_LLAMA_FACTORY,
         "model_name_or_path: llama2-7b\nstage: sft\nfinetuning_type: full\nfreeze_vision_tower: true\n",
         "train.frozen=vision"},
        {KIND_LLAMA_FACTORY,
         "model_name_or_path: llama2-7b\nstage: sft\nfinetuning_type: full\nfreeze_vision_tower: false\n"
         "freeze_multi_modal_projector: false\nfreeze_language_model: true\n", "train.frozen=all-but:vision"},
        {KIND_ACCELERATE,
         "distributed_type: MEGATRON_LM\nmegatron_lm_config:\n  megatron_lm_tp_degree: 2\n  megatron_lm_pp_degree: 2\n "
         " megatron_lm_num_micro_batches: 4\n"
         "num_processes: 8\n", "framework.name=megatron-core parallel.tp=2 parallel.pp=2 "
                               "train.gradient_accumulation_steps=4"},
        {KIND_ACCELERATE,
         "distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 2\nnum_processes: 8\nparallelism_config:\n  "
         "parallelism_config_dp_replicate_size: 2\n"
         "  parallelism_config_dp_shard_size: 2\n  parallelism_config_tp_size: 2\n",
         "parallel.tp=2 parallel.fsdp=hybrid parallel.shard_group=2"},
        {KIND_TORCHTUNE,
         "model:\n  _component_: torchtune.models.llama3_1.llama3_1_8b\nbatch_size: 2\nloss:\n  _component_: "
         "torch.nn.CrossEntropyLoss\n"
         "tensor_parallel_dim: 2\n", "train.cross_entropy=unfused framework.loss=hf parallel.tp=2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome out = outcome_as(rows[i].kind, rows[i].text, "f");
        char *wanted = xstrdup(rows[i].settings);
        assert_int_equal(out.result, 0);
        for (char *p = strtok(wanted, " "); p; p = strtok(NULL, " "))
            assert_that(strstr(out.settings, p), "%s\nlacks %s\n%s", rows[i].text, p, out.settings);
        free(wanted);
        outcome_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(llama_factory_trains_adapters),
        cmocka_unit_test(llama_factory_in_full),
        cmocka_unit_test(preferences_need_pairs_and_a_reference),
        cmocka_unit_test(llama_factory_since_version_1),
        cmocka_unit_test(llama_factory_freezes_layers),
        cmocka_unit_test(losses_without_a_reference),
        cmocka_unit_test(axolotl_in_8_bits),
        cmocka_unit_test(torchtune_on_one_gpu),
        cmocka_unit_test(accelerate_counts_all_processes),
        cmocka_unit_test(what_else_files_say),
        cmocka_unit_test(the_trainer_takes_fp32_by_default),
        cmocka_unit_test(faults_have_a_line),
        cmocka_unit_test(an_unknown_model_is_asked_for),
        cmocka_unit_test(models_are_named),
        cmocka_unit_test(a_model_beside_is_read),
    };
    return cmocka_run_group_tests_name("import_tuning", tests, NULL, NULL) != 0;
}
