/*
 * Configurations of other programs that are a tree of settings: gpt-neox, NeMo, torchtitan, llm-foundry, OLMo,
 * estimators.
 */
#include "tests/check.h"

#include <math.h>

#include "core/estimate/estimate.h"
#include "core/plan/param.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/text.h"

static const char neox[] =
    "{\n  # written for this test\n  \"pipe-parallel-size\": 4, \"model-parallel-size\": 2,\n"
    "  \"num-layers\": 44, \"hidden-size\": 6144, \"num-attention-heads\": 64, \"seq-length\": 2048, "
    "\"max-position-embeddings\": 2048,\n"
    "  \"norm\": \"layernorm\", \"pos-emb\": \"rotary\", \"no-weight-tying\": true, \"make_vocab_size_divisible_by\": "
    "128,\n"
    "  \"tokenizer-type\": \"HFTokenizer\", \"vocab-file\": \"x/20B_tokenizer.json\",\n"
    "  \"zero_optimization\": {\"stage\": 1, \"reduce_bucket_size\": 1260000000},\n"
    "  \"train_micro_batch_size_per_gpu\": 4, \"fp16\": {\"enabled\": true}, \"checkpoint-activations\": true,\n"
    "  \"checkpoint-num-layers\": 1, \"partition-activations\": false,\n}\n";
static const char neox_gated[] =
    "num_layers: 40\nintermediate_size: 40960\nhidden_size: 5120\nnum_attention_heads: 40\nseq_length: 2048\n"
    "max_position_embeddings: 2048\nno_weight_tying: true\n"
    "pos_emb: rotary\nnorm: rmsnorm\nactivation: swiglu\nmlp_multiple_of: 256\nuse_bias_in_attn_linear: false\n"
    "use_bias_in_mlp: false\n"
    "model_parallel_size: 2\npipe_parallel_size: 1\nmake_vocab_size_divisible_by: 1\n";
static const char nemo[] =
    "name: a\ntrainer:\n  devices: 1\n  num_nodes: 2\n  precision: bf16\nexp_manager:\n  checkpoint_callback_params:\n"
    "    model_parallel_size: 8\nmodel:\n  micro_batch_size: 4\n  global_batch_size: 8\n  tensor_model_parallel_size: "
    "1\n"
    "  encoder_seq_length: 4096\n  max_position_embeddings: ${.encoder_seq_length}\n  num_layers: 32\n  hidden_size: "
    "4096\n"
    "  ffn_hidden_size: 11008\n  num_attention_heads: 32\n  hidden_dropout: 0.0\n  make_vocab_size_divisible_by: 128\n "
    " bias: False\n"
    "  activation: 'fast-swiglu'\n  normalization: rmsnorm\n  position_embedding_type: rope\n  "
    "share_embeddings_and_output_weights: False\n"
    "  fp8: False\n  fp8_hybrid: True\n  activations_checkpoint_granularity: null\n  optim:\n    name: "
    "distributed_fused_adam\n"
    "  tokenizer:\n    library: sentencepiece\n    model: /x/y.model\n";
static const char nemo_fp8[] =
    "trainer:\n  devices: 8\nexp_manager: {}\nmodel:\n  micro_batch_size: 1\n  encoder_seq_length: 64\n"
    "  num_layers: 4\n  hidden_size: 64\n  num_attention_heads: 4\n  fp8: true\n"
    "  disable_parameter_transpose_cache: true\n"
    "  activation_func_fp8_input_store: true\n  optim:\n    grad_sync_dtype: bf16\n";
static const char nemo_rl[] =
    "grpo:\n  num_prompts_per_step: 64\n  num_generations_per_prompt: 32\nloss_fn:\n  reference_policy_kl_penalty: 0\n"
    "policy:\n  model_name: Qwen/Qwen2.5-7B\n  train_global_batch_size: 512\n  max_total_sequence_length: 4096\n"
    "  generation:\n    backend: vllm\n    max_new_tokens: ${policy.max_total_sequence_length}\n"
    "    colocated:\n      enabled: false\n      resources: {num_nodes: 1, gpus_per_node: 8}\n"
    "    vllm_cfg: {tensor_parallel_size: 4, gpu_memory_utilization: 0.7}\n"
    "cluster:\n  num_nodes: 3\n  gpus_per_node: 8\n";
static const char nemo_rl_own[] = /* the policy itself generates */
    "grpo: {num_prompts_per_step: 2}\npolicy:\n  model_name: Qwen/Qwen2.5-7B\n  max_total_sequence_length: 64\n"
    "  generation:\n    backend: megatron\n    colocated: {enabled: false, resources: {num_nodes: 1}}\n"
    "cluster:\n  num_nodes: 3\n  gpus_per_node: 8\n";
static const char lingua[] = "distributed:\n  fsdp_type: full_shard\n  model_dtype: bf16\nmodel:\n  dim: 64\n"
                             "  n_layers: 2\n  n_heads: 2\ndata:\n  seq_len: 32\n";
static const char lingua_shards[] = "distributed:\n  fsdp_type: full_shard\n  dp_shard: 8\n  float8_recipe: rowwise\n"
                                    "model:\n  dim: 64\n  n_layers: 2\n  n_heads: 2\ndata:\n  seq_len: 32\n";
static const char titan[] =
    "[model]\nname = \"llama3\"\nflavor = \"405B\"\nconverters = [\"float8\"]\n\n[training]\nlocal_batch_size = 2\n"
    "seq_len = 8192\nsteps = 3000\n\n"
    "[parallelism]\ndata_parallel_replicate_degree = 1\ndata_parallel_shard_degree = -1\ntensor_parallel_degree = 8 # "
    "eight-way\n"
    "enable_async_tensor_parallel = true\n\n[activation_checkpoint]\nmode = \"full\"\n\n[compile]\nenable = true\n";
static const char foundry[] =
    "max_seq_len: 2048\nmodel:\n  name: mpt_causal_lm\n  d_model: 4096\n  n_heads: 32\n  n_layers: 32\n  "
    "expansion_ratio: 4\n"
    "  max_seq_len: ${max_seq_len}\n  vocab_size: 50368\n  attn_config:\n    attn_impl: flash\ntrain_loader:\n  name: "
    "text\n"
    "global_train_batch_size: 1024\ndevice_train_microbatch_size: 8\nprecision: amp_bf16\nfsdp_config:\n  "
    "sharding_strategy: FULL_SHARD\n"
    "  mixed_precision: PURE\n  activation_checkpointing: true\n";
static const char olmo[] =
    "model:\n  d_model: 4096\n  n_heads: 32\n  n_layers: 32\n  mlp_hidden_size: 22016\n  weight_tying: false\n  rope: "
    "true\n"
    "  include_bias: false\n  layer_norm_type: default\n  layer_norm_with_affine: false\n  activation_type: swiglu\n  "
    "block_type: sequential\n"
    "  residual_dropout: 0.0\n  max_sequence_length: 2048\n  vocab_size: 50280\n  embedding_size: 50304\n"
    "global_train_batch_size: 2048\n"
    "device_train_microbatch_size: 2\nprecision: amp_bf16\nfsdp:\n  precision: mixed\n";
static const char olmo_half[] = "model:\n  d_model: 64\n  n_heads: 4\n  n_layers: 10\n  mlp_ratio: 8\n  "
                                "max_sequence_length: 32\nactivation_checkpointing: two_in_three\n";
static const char titan_debug[] = "[model]\nname = \"qwen3\"\nflavor = \"debugmodel_moe\"\n\n[training]\nseq_len = "
                                  "64\n\n[compile]\nenable = true\ncomponents = [\"loss\"]\n";
static const char bridge_lora[] =
    "model:\n  tensor_model_parallel_size: 8\n  seq_length: 4096\npeft:\n  target_modules: [linear_qkv, linear_proj]\n";
static const char llm_model[] =
    "{\"name\": \"j\", \"num_layers\": 28, \"n_head\": 16, \"hidden_dim\": 4096, \"vocab_size\": 50400, "
    "\"max_seq_len\": 2048, \"expansion_ratio\": 4, \"model_type\": \"gptj\"}";
static const char simumax_model[] =
    "{\"model_type\": \"dense\", \"hidden_size\": 4096, \"head_num\": 32, \"kv_head_num\": 8, \"head_size\": 128, "
    "\"intermediate_size\": 14336, \"layer_num\": 32, \"vocab_size\": 128257, \"use_swiglu\": true}";
static const char simumax_strategy[] =
    "{\"seq_len\": 4096, \"micro_batch_size\": 1, \"micro_batch_num\": 8, \"world_size\": 8, \"tp_size\": 1, "
    "\"pp_size\": 2, \"zero_state\": 1, \"enable_sequence_parallel\": true, \"dtype\": \"bf16\"}";
static const char calculon_model[] =
    "{\"hidden\": 12288, \"feedforward\": 49152, \"seq_size\": 2048, \"attn_heads\": 96, \"attn_size\": 128, "
    "\"num_blocks\": 96}";
static const char calculon_execution[] =
    "{\"num_procs\": 3072, \"tensor_par\": 4, \"pipeline_par\": 64, \"data_par\": 12, \"batch_size\": 3072, "
    "\"microbatch_size\": 4, \"datatype\": \"float16\", \"activation_recompute\": \"full\", \"optimizer_sharding\": "
    "true, \"tensor_par_comm_type\": \"rs_ag\"}";

static const char bridge[] =
    "dataset:\n  seq_length: 4096\ntrain:\n  global_batch_size: 8\n  micro_batch_size: 2\nmodel:\n  seq_length: 4096\n "
    " tensor_model_parallel_size: 2\n"
    "  sequence_parallel: true\n  freeze_vision_model: true\n  freeze_vision_projection: true\n"
    "ddp:\n  grad_reduce_in_fp32: false\n  use_distributed_optimizer: false\n"
    "mixed_precision: bf16_with_fp8_mixed\noptimizer:\n  optimizer_offload_fraction: 1.0\n";

/* A setting that a file gives, or what is resolved from it. */
static const char primus[] = "modules:\n  pre_trainer:\n    framework: megatron\n    model: ${M:llama3.1_8B}.yaml\n"
                             "    overrides:\n      micro_batch_size: 2\n      seq_length: 8192\n"
                             "      tensor_model_parallel_size: ${TP:2}\n",
                  swift[] = "model: Qwen/Qwen2.5-7B\ntuner_type: lora\nlora_rank: 16\nmax_length: 64\n"
                            "micro_batch_size: 4\ntensor_model_parallel_size: 2\n",
                  litgpt[] = "checkpoint_dir: checkpoints/mistralai/Mistral-7B-v0.1\nprecision: bf16-true\n"
                             "quantize: bnb.nf4-dq\ndevices: 2\nlora_r: 32\nlora_key: true\ntrain:\n"
                             "  micro_batch_size: 2\n  global_batch_size: 8\n  max_seq_length: 512\n",
                  rl[] = "sft: {max_num_steps: 3}\npolicy:\n  model_name: Qwen/Qwen3-0.6B\n"
                         "  train_global_batch_size: 8\n  max_total_sequence_length: 1024\n  megatron_cfg:\n    "
                         "enabled: true\n"
                         "    tensor_model_parallel_size: 2\n    activation_checkpointing: true\n"
                         "    attention_backend: unfused\n"
                         "    optimizer: {optimizer_cpu_offload: true, optimizer_offload_fraction: 0.5}\n",
                  rl_pairs[] = "dpo: {max_num_steps: 3}\npolicy:\n  model_name: Qwen/Qwen3-0.6B\n"
                               "  train_global_batch_size: 8\n  train_micro_batch_size: 2\n"
                               "  max_total_sequence_length: 64\n  dtensor_cfg: {enabled: true}\n",
                  rl_dtensor[] = "policy:\n  model_name: Qwen/Qwen3-0.6B\n  train_micro_batch_size: 4\n  dtensor_cfg:\n"
                                 "    enabled: true\n    tensor_parallel_size: 4\n    cpu_offload: true\n",
                  levanter[] = "model:\n  type: llama\n  hidden_dim: 64\n  num_layers: 4\n  num_heads: 4\n"
                               "  seq_len: 128\ntrainer:\n  mp: p=f32,c=bfloat16\n  train_batch_size: 16\n",
                  maxtext[] = "model_name: llama2-7b\nper_device_batch_size: 4\nici_tensor_parallelism: 2\n"
                              "dcn_tensor_parallelism: 2\nmax_target_length: 64\nremat_policy: minimal\n";

/* written for this test: models by their sizes, and what their trainers have where a file says nothing */
static const char litgpt_sizes[] =
    "model_name: a\nmodel_config: {n_layer: 6, n_embd: 288, n_head: 6, padded_vocab_size: 32000, block_size: 256, "
    "bias: false, norm_class_name: RMSNorm, mlp_class_name: LLaMAMLP, intermediate_size: 768}\n"
    "precision: bf16-mixed\ndevices: 1\ntrain: {tie_embeddings: true, max_tokens: 9}\n",
    litgpt_whole[] = "checkpoint_dir: a/Mistral-7B-v0.1\nprecision: 32-true\nquantize: bnb.fp4\nlora_r: 4\n"
                     "optimizer: {class_path: bitsandbytes.optim.PagedAdamW8bit}\ntrain: {micro_batch_size: 2}\n",
    levanter_sizes[] = "model: {type: gpt2, hidden_dim: 64}\ntrainer: {mp: 'p=bfloat16,c=bfloat16', "
                       "model_axis_size: 2, train_batch_size: 16, tensor_parallel_axes: [mlp, heads]}\n",
    levanter_class[] = "model: {type: mixtral}\ntrainer: {mp: 'params=float32,compute=bfloat16', train_batch_size: 8}\n"
                       "lora: {r: 4}\n",
    maxtext_scale[] = "global_parameter_scale: 32\nper_device_batch_size: 1\nweight_dtype: bfloat16\n"
                      "ici_fsdp_parallelism: 1\nmax_target_length: 64\n";

/* written for this test, after huggingface/picotron's template */
static const char picotron[] =
    "{\"distributed\": {\"tp_size\": 2, \"cp_size\": 1, \"pp_size\": 4, \"dp_size\": 2, \"pp_engine\": "
    "\"afab\"},\n \"model\": {\"name\": \"meta-llama/Llama-2-7b-hf\", \"num_hidden_layers\": 16},\n"
    " \"training\": {\"seq_length\": 1024, \"micro_batch_size\": 8, \"gradient_accumulation_steps\": 4}}\n";

struct row {
    const char *text, *key, *value;
};

static const struct row rows[] = {
    {picotron, "parallel.tp", "2"},            {picotron, "parallel.pp", "4"},       {picotron, "parallel.dp", "2"},
    {picotron, "parallel.schedule", "gpipe"},  {picotron, "model.num_layers", "16"},
    {picotron, "train.micro_batch_size", "8"}, {picotron, "model.hidden_size", "4096"},
    {picotron, "framework.name", "nanotron"},
    {neox, "framework.name", "deepspeed"},     {neox, "parallel.tp", "2"},           {neox, "parallel.pp", "4"},
    {neox, "model.vocab_size", "50277"},       {neox, "model.ffn_hidden_size", "24576"},
    {neox, "model.tied_embeddings", "false"},
    {neox, "parallel.zero_stage", "1"},        {neox, "train.recompute", "full"},    {neox, "train.dtype", "fp16"},
    {neox, "model.position_embedding", "rope"}, {neox, "framework.zero_reduce_bucket_elements", "1260000000"},
    {neox_gated, "model.ffn_hidden_size", "13824"}, {neox_gated, "model.gated_mlp", "true"},
    {neox_gated, "parallel.pp", "1"},
    {nemo, "parallel.tp", "1"},                {nemo, "train.dtype", "bf16"},        {nemo, "model.gated_mlp", "true"},
    {nemo, "model.tied_embeddings", "false"},  {nemo, "model.add_bias_linear", "false"},
    {nemo, "parallel.zero_stage", "1"},
    {nemo, "hardware.gpus_per_node", "1"},     {nemo, "hardware.nodes", "2"},        {nemo, "train.seq_length", "4096"},
    {nemo, "model.vocab_size", "32000"},       {titan, "model.name", "llama3.1-405b"}, {titan, "parallel.tp", "8"},
    {rl, "train.attention", "unfused"},        {rl_pairs, "train.micro_batch_size", "4"},
    {rl_pairs, "train.global_batch_size", "16"},
    {nemo_rl_own, "hardware.nodes", "2"},      {lingua, "train.dtype", "bf16"},
    {lingua_shards, "parallel.fsdp", "hybrid"}, {lingua_shards, "parallel.shard_group", "8"},
    {lingua_shards, "train.dtype", "fp8"},
    {nemo_rl, "workload", "rl"},               {nemo_rl, "rl.samples", "2048"},      {nemo_rl, "rl.rollout_tp", "4"},
    {nemo_rl, "rl.reference", "none"},         {nemo_rl, "rl.placement", "split"},   {nemo_rl, "hardware.nodes", "2"},
    {nemo_rl, "rl.rollout_share", "0.7"},      {nemo_rl, "rl.max_answer", "3584"},
    {titan, "parallel.sp", "true"},            {titan, "parallel.overlap_tp", "true"},
    {titan, "train.micro_batch_size", "2"},
    {titan, "train.dtype", "fp8"},             {titan, "framework.fp8_recipe", "tensorwise"},
    {titan, "train.recompute", "full"},
    {titan, "parallel.fsdp", "full"},          {titan, "framework.compile", "true"}, {foundry, "parallel.fsdp", "full"},
    {foundry, "train.grad_dtype", "bf16"},     {foundry, "train.recompute", "full"},
    {foundry, "train.seq_length", "2048"},
    {foundry, "model.position_embedding", "learned"}, {olmo, "model.ffn_hidden_size", "11008"},
    {olmo, "model.normalization", "layernorm_nonparametric"}, {olmo, "train.micro_batch_size", "2"},
    {olmo, "train.grad_dtype", "fp32"},
    {olmo_half, "train.recompute", "full"},    {olmo_half, "train.recompute_method", "block"},
    {olmo_half, "train.recompute_num_layers", "6"},
    {titan_debug, "framework.compile", "false"}, {titan_debug, "model.num_layers", "8"},
    {titan_debug, "model.num_experts", "64"},
    {bridge, "train.frozen", "vision"},
    {bridge_lora, "framework.name", "nemo-lora"}, {bridge_lora, "train.lora_rank", "32"},
    {bridge_lora, "train.lora_targets", "[o,qkv]"},
    {simumax_strategy, "parallel.dp", "4"},    {simumax_strategy, "train.global_batch_size", "32"},
    {simumax_strategy, "parallel.sp", "true"},
    {simumax_strategy, "parallel.zero_stage", "1"}, {calculon_model, "model.vocab_size", "51200"},
    {calculon_execution, "parallel.tp", "4"},
    {calculon_execution, "parallel.dp", "12"}, {calculon_execution, "parallel.sp", "true"},
    {calculon_execution, "train.recompute", "full"},
    {calculon_execution, "parallel.zero_stage", "1"}, {llm_model, "model.ffn_hidden_size", "16384"},
    {bridge, "parallel.tp", "2"},              {bridge, "parallel.sp", "true"},
    {bridge, "train.grad_dtype", "bf16"},
    {bridge, "parallel.zero_stage", "0"},      {bridge, "framework.fp8_param_gather", "true"},
    {bridge, "framework.fp8_recipe", "delayed"},
    {bridge, "train.dtype", "fp8"},            {bridge, "train.offload_optimizer", "0"},
    {rl, "train.offload_optimizer", "0.5"},
    {bridge, "train.micro_batch_size", "2"},
    {primus, "parallel.tp", "2"},              {primus, "model.name", "llama3.1-8b"},
    {primus, "model.hidden_dropout", "0"},     {primus, "model.attention_dropout", "0"},
    {primus, "train.seq_length", "8192"},      {primus, "parallel.zero_stage", "1"},
    {swift, "train.lora_rank", "16"},          {swift, "framework.name", "nemo-lora"},
    {swift, "train.micro_batch_size", "4"},    {swift, "train.recompute", "selective"},
    {litgpt, "train.peft", "qlora"},           {litgpt, "train.lora_targets", "[q,k,v]"},
    {litgpt, "model.name", "mistral-7b-v0.1"}, {litgpt, "parallel.fsdp", "full"},
    {rl, "framework.name", "megatron-core"},   {rl, "parallel.tp", "2"}, {rl, "train.recompute", "full"},
    {rl_dtensor, "parallel.tp", "4"},          {rl_dtensor, "train.offload_params", "1"},
    {nemo_fp8, "framework.fp8_transpose_cache", "false"}, {nemo_fp8, "framework.fp8_activation_input", "true"},
    {nemo_fp8, "train.grad_dtype", "bf16"},
    {litgpt_sizes, "model.num_layers", "6"},   {litgpt_sizes, "model.gated_mlp", "true"},
    {litgpt_sizes, "model.tied_embeddings", "true"}, {litgpt_sizes, "train.main_param_dtype", "fp32"},
    {litgpt_sizes, "train.global_batch_size", "512"}, {litgpt_sizes, "train.seq_length", "256"},
    {litgpt_whole, "train.dtype", "fp32"},     {litgpt_whole, "train.peft", "qlora"},
    {litgpt_whole, "train.optimizer", "paged_adam8bit"},
    {levanter_sizes, "model.num_layers", "12"}, {levanter_sizes, "model.vocab_size", "50257"},
    {levanter_sizes, "model.tied_embeddings", "true"},
    {levanter_sizes, "parallel.tp", "2"},      {levanter_sizes, "train.main_param_dtype", "bf16"},
    {levanter_class, "train.dtype", "bf16"},   {levanter_class, "model.num_experts", "8"},
    {levanter_class, "train.lora_rank", "4"},  {levanter_class, "train.main_param_dtype", "fp32"},
    {maxtext, "train.micro_batch_size", "16"}, {maxtext_scale, "model.hidden_size", "8192"},
    {maxtext_scale, "model.num_attention_heads", "64"}, {maxtext_scale, "model.num_layers", "32"},
    {maxtext_scale, "train.main_param_dtype", "bf16"}, {maxtext_scale, "parallel.fsdp", "none"},
    {levanter, "framework.name", "maxtext"}, {levanter, "framework.basis", "like"},
    {neox, "framework.basis", "like"},        {olmo, "framework.basis", "like"},
       {levanter, "model.hidden_size", "64"},
    {maxtext, "parallel.tp", "4"},             {maxtext, "train.recompute", "selective"},
    {maxtext, "model.name", "llama2-7b"},
    {simumax_model, "model.num_query_groups", "8"}, {simumax_model, "model.kv_channels", "128"},
};

static void read_text(const char *text, struct plan *plan, struct plan_reading *reading)
{
    struct errors errors = {0};
    plan_clear(plan);
    *reading = (struct plan_reading){0};
    int result = plan_read(plan, text, strlen(text), "f", reading, &errors);
    assert_that(result == 0, "%s\n%s", text, errors.count ? errors.line[0] : "");
    plan_finish(plan);
    errors_free(&errors);
}

static void files_give_their_settings(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char value[PARAM_TEXT_MAX];
        struct plan plan;
        struct plan_reading reading;
        read_text(rows[i].text, &plan, &reading);
        param_print(&plan, (enum param)param_find(rows[i].key), value, sizeof value);
        assert_that(strcmp(value, rows[i].value) == 0, "%.60s: %s is %s, not %s", rows[i].text, rows[i].key, value,
                    rows[i].value);
    }
}

/* Parameters as published, or as the framework counts them with its padding. */
static void models_have_their_size(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double vocab, total;
    } table[] = {
        {neox, NAN, 20554567680}, {neox_gated, 32000, 13015864320}, {nemo, NAN, 6738415616}, {foundry, NAN, 6658859008},
        {olmo, NAN, 6888095744}, {simumax_model, NAN, 8031309824}, {titan, NAN, 405853388800},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct plan plan;
        struct plan_reading reading;
        struct estimate *estimate = xmalloc(sizeof *estimate);
        read_text(table[i].text, &plan, &reading);
        if (!isnan(table[i].vocab))
            plan.value[PARAM_model_vocab_size] = table[i].vocab;
        estimate_plan(&plan, estimate);
        assert_that(estimate->totals.total == table[i].total, "%.60s: %.0f parameters, not %.0f", table[i].text,
                    estimate->totals.total, table[i].total);
        free(estimate);
    }
}

/* What a file leaves open is asked for and refuses nothing. */
#define VERL                                                                                                           \
    "python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen2.5-3B data.train_batch_size=64 "          \
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1 trainer.n_gpus_per_node=8\n"

static void open_values_are_asked_for(void **state)
{
    (void)state;
    static const struct {
        const char *text, *variable;
    } table[] = {
        {"trainer:\n  devices: 8\nmodel:\n  num_layers: ???\n  tensor_model_parallel_size: 2\n", "model.num_layers"},
        {"trainer:\n  devices: 8\nmodel:\n  num_layers: ${n.o}\n  tensor_model_parallel_size: 2\n", "model.num_layers"},
        {"trainer:\n  devices: 8\nmodel:\n  restore_from_path: x\n  tensor_model_parallel_size: 2\n",
         "model.restore_from_path"},
        {"[model]\nname = \"llama3\"\nflavor = \"new\"\n[training]\nseq_len = 4\n", "model.flavor"},
        {"train_loader:\n  a: 1\ndevice_train_microbatch_size: auto\nmodel:\n  d_model: 8\n",
         "device_train_microbatch_size"},
        {"num_layers: 2\nhidden_size: 64\nnum_attention_heads: 4\npos_emb: rotary\ntokenizer_type: Mine\n", "Mine"},
        {"tensor_parallel_size: ${TP}\nmax_num_tokens: 8192\nkv_cache_config: {dtype: fp8}\n", "${TP}"},
        {"kv_cache_config:\n  free_gpu_memory_fraction: $SHARE\n", "$SHARE"},
        {"tensor_parallel_size: 2\nkv_cache_config: {dtype: fp8}\nmax_batch_size: '{{ batch }}'\n", "{{ batch }}"},
        {"cat > a.yml <<EOF\nmoe_expert_parallel_size: $EP\nEOF\n"
         "trtllm-serve Qwen/Qwen3-8B --extra_llm_api_options a.yml\n", "moe_expert_parallel_size"},
        {"trtllm-serve Qwen/Qwen3-8B --max_batch_size $BATCH\n", "BATCH"},
        {VERL, "verl before 0.4"},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct plan plan;
        struct plan_reading reading;
        bool is_asked = false;
        read_text(table[i].text, &plan, &reading);
        for (int k = 0; k < reading.questions.count; k++)
            is_asked |= strcmp(reading.questions.item[k].variable, table[i].variable) == 0;
        assert_that(is_asked, "%s", table[i].text);
    }
}

/* A Primus experiment over the files that it names: each value over those before, blanks and groups too. */
static void experiments_are_read_over_their_files(void **state)
{
    (void)state;
    static const struct keyval files[] = {
        {"primus/configs/modules/megatron/pre_trainer.yaml", "extends: [base.yaml]\nseq_length: 1024\n", 0},
        {"primus/configs/modules/megatron/base.yaml",
         "micro_batch_size: 2\nsft_block_size: 7\nlora: {enabled: false, dim: 8}\ngrad_reduce_in_bf16: false\n", 0},
        {"primus/configs/models/megatron/small.yaml",
         "extends:\n  - base.yaml\nnum_layers: 4\ngroup_query_attention: true\nnum_query_groups: 2\n"
         "mtp_num_layers: 1\n", 0},
        {"primus/configs/models/megatron/other.yaml",
         "extends: [small.yaml, other.yaml, other.yaml]\nmodel_type: kimi_k3\n", 0},
        {"primus/configs/models/megatron/base.yaml",
         "hidden_size: 512\nnum_attention_heads: 8\ngroup_query_attention: false\nvocab_size: 1000\n"
         "multi_latent_attention: true\nswiglu: true\n", 0},
        {"data/owt.yaml", "tokenizer: EleutherAI/gpt-neox-20b\n", 0},
        {"models/mine.yml", "base_emb_dim: 256\nbase_num_decoder_layers: 3\nbase_num_query_heads: 2\n"
         "decoder_block: gemma2\nbase_mlp_dim: 512\n", 0},
        {"primus/configs/modules/torchtitan/pre_trainer.yaml", "training: {local_batch_size: 8, seq_len: 2048}\n", 0},
        {"primus/configs/models/torchtitan/large.yaml", "model: {name: llama3, flavor: 70B}\n", 0}};
#define RUN(framework, model, own)                                                                                     \
    "modules:\n  pre_trainer:\n    framework: " framework "\n    config: pre_trainer.yaml\n    model: " model         \
    ".yaml\n    overrides:\n" own
#define SMALL                                                                                                          \
    RUN("megatron", "small", "      mtp_num_layers: null\n      multi_latent_attention: false\n"                       \
        "      recompute_granularity: full\n      recompute_method: block\n      recompute_num_layers: 0\n"            \
        "      lora:\n        enabled: true\n        dim: ${DIM:16}\n")
#define OTHER RUN("megatron", "other", "      seq_length: 64\n")
#define LARGE RUN("torchtitan", "large", "      training:\n        local_batch_size: 4\n")
#define DATA "data: !include data/owt.yaml\nmodel: {type: llama}\ntrainer: {train_batch_size: 8}\n"
#define MINE "model_name: mine\nper_device_batch_size: 1\nmax_target_length: 64\n"
    static const struct row table[] = {
        {SMALL, "model.num_query_groups", "2"}, {SMALL, "model.hidden_size", "512"},
        {SMALL, "model.mtp_num_layers", ""},
        {SMALL, "model.multi_latent_attention", "false"}, {SMALL, "train.recompute", "none"},
        {SMALL, "train.seq_length", "1024"}, {SMALL, "train.micro_batch_size", "2"}, {SMALL, "train.peft", "lora"},
        {OTHER, "model.num_layers", "4"}, {SMALL, "train.lora_rank", "16"}, {LARGE, "model.name", "llama3.1-70b"},
        {LARGE, "train.micro_batch_size", "4"},
        {DATA, "model.vocab_size", "50432"}, {MINE, "model.num_layers", "6"}, {MINE, "model.kv_channels", "128"},
        {MINE, "model.ffn_hidden_size", "512"},
        {LARGE, "train.seq_length", "2048"}, {LARGE, "parallel.fsdp", "full"}};
    for (size_t i = 0; i < COUNT(table); i++) {
        char value[PARAM_TEXT_MAX];
        struct plan plan;
        struct keyvals beside = {0};
        struct plan_reading reading = {.options = {.path = "f.yaml", .beside = &beside}};
        struct errors errors = {0};
        for (size_t k = 0; k < COUNT(files); k++)
            keyvals_add(&beside, files[k].key, files[k].value, 0);
        plan_clear(&plan);
        assert_int_equal(plan_read(&plan, table[i].text, strlen(table[i].text), "f.yaml", &reading, &errors), 0);
        plan_finish(&plan);
        param_print(&plan, (enum param)param_find(table[i].key), value, sizeof value);
        assert_that(strcmp(value, table[i].value) == 0, "%s is %s, not %s", table[i].key, value, table[i].value);
        bool is_other = false;
        for (int k = 0; k < reading.questions.count; k++) { /* not about what the trainer's own file has */
            assert_null(strstr(reading.questions.item[k].variable, "block-size"));
            is_other |= strcmp(reading.questions.item[k].variable, "layers of another kind") == 0;
        }
        assert_int_equal(is_other, strstr(table[i].text, "other.yaml") != NULL);
        keyvals_free(&beside);
        errors_free(&errors);
    }
}

#define OTHERS "which is not supported; give a decoder-only transformer"

static void faults_and_bad_values_have_whole_messages(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        bool is_read; /* but for one value */
    } table[] = {
        {"num_layers: x\nhidden_size: 64\npos_emb: rotary\n", "f:1: num_layers: \"x\" is not a number; ignored",
         true},
        {"[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nseq_len = 4.5\n",
         "f:5: training.seq_len: 4.5 is not a whole number of at least 0; ignored", true},
        {"{\"attn_heads\": 4, \"num_blocks\": -2}",
         "f:1: num_blocks: -2 is not a whole number of at least 0; ignored", true},
        {"trainer: {a: 1}\nmodel:\n  micro_batch_size: 1\n  bias: perhaps\n",
         "f:4: model.bias: \"perhaps\" is not true or false; ignored", true},
        {"num_layers: 2\nhidden_size: 64\npos_emb: none\nattention_config: [[[\"mamba\"], 2]]\n",
         "f:4: attention_config: describes a model with state-space layers, " OTHERS, false},
        {"name: megatron_t5\ntrainer: {a: 1}\nmodel:\n  micro_batch_size: 1\n",
         "f:1: name: describes a model with an encoder and a decoder, " OTHERS, false},
        {"trainer: {a: 1}\nmodel:\n  micro_batch_size: 1\n  target: nemo.megatron_bert_model.MegatronBertModel\n",
         "f:4: model.target: describes a model with an encoder, " OTHERS, false},
        {"max_seq_len: 8\ntrain_loader: {name: a}\nmodel:\n  d_model: -4\n",
         "f:4: model.d_model: -4 is not a whole number of at least 0; ignored", true},
        {"model:\n  d_model: 8\n  n_layers: 2.5\n  block_type: a\n",
         "f:3: model.n_layers: 2.5 is not a whole number of at least 0; ignored", true},
        {"{\"n_head\": 4, \"hidden_dim\": \"wide\", \"num_layers\": 2}",
         "f:1: hidden_dim: \"wide\" is not a number; ignored", true},
        {"{\"head_num\": 4, \"layer_num\": \"x\"}", "f:1: layer_num: \"x\" is not a number; ignored", true},
        {"{\"micro_batch_num\": 4, \"world_size\": 8, \"tp_size\": 1.5}",
         "f:1: tp_size: 1.5 is not a whole number of at least 0; ignored", true},
        {"{\"tensor_par\": \"x\", \"pipeline_par\": 2}", "f:1: tensor_par: \"x\" is not a number; ignored",
         true},
        {"actor_rollout_ref:\n  actor:\n    ppo_micro_batch_size_per_gpu: many\n",
         "f:3: actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu: \"many\" is not a number; ignored", true},
        {"data: {micro_batch_size_per_gpu: -1.5}\nmodel: {partial_pretrain: a}\n",
         "f:1: data.micro_batch_size_per_gpu: -1.5 is not a whole number of at least 0; ignored", true},
        {"model:\n  tensor_model_parallel_size: two\ntrain: {global_batch_size: 8}\n",
         "f:2: model.tensor_model_parallel_size: \"two\" is not a number; ignored", true},
        {"command: x\nimage: y\ncompute: {gpus: 8}\n",
         "f: none of its commands passes training flags that shardtop reads; give the "
         "script or the configuration that it starts", false},
        {"apiVersion: v1\nkind: Service\n", NULL, false},
        {"MODEL_ARGS:\n  --num-layers: 2\n  --experimental-attention-variant: mla2\n",
         "f:3: --experimental-attention-variant: mla2 attention is not modelled; use dsa or "
         "gated_delta_net", false},
        {"torchrun pretrain_t5.py --num-layers 2 --hidden-size 64 --seq-length 8\n",
         "f:1: pretrain_t5.py: starts a model with an encoder and a decoder, " OTHERS, false},
        {"torchrun pretrain_gpt.py --num-layers 2 --hidden-size 64 \\\n  --spec a.b.mamba_specs get\n",
         "f:2: --spec: describes layers (mamba) that are not supported; give a decoder-only transformer", false},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct plan plan;
        struct errors errors = {0};
        plan_clear(&plan);
        assert_int_equal(plan_read(&plan, table[i].text, strlen(table[i].text), "f", NULL, &errors),
                         table[i].is_read ? 0 : -1);
        if (table[i].message)
            assert_message(errors.line[0], table[i].message);
        assert_int_equal(errors_any(&errors), !table[i].is_read);
        errors_free(&errors);
    }
}

/* One value that its key cannot have is a finding; the rest is read. */
static void impossible_values_are_left_out(void **state)
{
    (void)state;
    static const char text[] =
        "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 8 --hidden-size 64 --recompute-granularity full \\\n"
        "  --recompute-num-layers -1 --num-attention-heads 4\n";
    struct plan plan;
    struct errors errors = {0};
    plan_clear(&plan);
    assert_int_equal(plan_read(&plan, text, strlen(text), "f", NULL, &errors), 0);
    assert_false(errors_any(&errors));
    assert_message(errors.line[0],
                   "f:2: train.recompute_num_layers: '-1' is out of range; use 1 to 4096; ignored");
    assert_same(plan.value[PARAM_model_num_layers], 8);
    errors_free(&errors);
}

/* A second file of the format leaves alone what it does not say. */
static void later_files_keep_what_earlier_ones_say(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {neox, "{\"vocab_file\": \"data/own.json\", \"save\": \"x\", \"load\": \"x\"}"},
        {nemo, "trainer: {devices: 1}\nexp_manager: {a: 1}\nmodel:\n  micro_batch_size: 4\n"},
    };
    for (size_t i = 0; i < COUNT(pairs); i++) {
        struct plan plan, before, after;
        struct plan_reading reading;
        struct errors errors = {0};
        read_text(pairs[i][0], &plan, &reading);
        plan_resolve(&plan, &before);
        assert_int_equal(plan_read(&plan, pairs[i][1], strlen(pairs[i][1]), "second", NULL, &errors), 0);
        plan_resolve(&plan, &after);
        for (int k = 0; k < PARAM_COUNT; k++)
            assert_that(param_equal(&before, &after, (enum param)k), "%s", param_rows[k].dotted);
        errors_free(&errors);
    }
}

int main(void)
{
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_give_their_settings), cmocka_unit_test(models_have_their_size),
        cmocka_unit_test(experiments_are_read_over_their_files), cmocka_unit_test(open_values_are_asked_for),
        cmocka_unit_test(faults_and_bad_values_have_whole_messages),
        cmocka_unit_test(later_files_keep_what_earlier_ones_say),
        cmocka_unit_test(impossible_values_are_left_out),
    };
    return cmocka_run_group_tests_name("import_foreign", tests, NULL, NULL) != 0;
}
