/* A changed plan back into the file that it came from: only what changed, read again as wanted. */
#include "tests/check.h"

#include <dirent.h>
#include <unistd.h>

#include "core/plan/param.h"
#include "src/export/patch.h"
#include "src/import/args.h"
#include "src/plan/plan_io.h"
#include "src/plan/save.h"
#include "src/text/diff.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/text.h"

/* ---- one file in a folder of its own ---------------------------------------------------------------------------- */

static char folder[] = "/tmp/shardtop-patch-XXXXXX";
static char path[sizeof folder + 8]; /* of the file that is patched */

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/file", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void write_path(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static void read_plan(const char *text, struct plan *plan)
{
    struct errors errors = {0};
    struct plan_reading reading = {.options.path = path};
    plan_clear(plan);
    int result = plan_read(plan, text, strlen(text), path, &reading, &errors);
    assert_that(result == 0, "%s in:\n%s", errors.count ? errors.line[0] : "no reason", text);
    plan_finish(plan);
    errors_free(&errors);
}

static struct patch patch_to(const char *text, const struct plan *wanted, struct errors *notes)
{
    struct patch patch;
    const char *const files[] = {path};
    write_path(text);
    int result =
        patch_make(&(struct patch_ask){.wanted = wanted, .file = files, .files = 1, .target = path}, &patch, notes);
    assert_that(result == 0, "%s", notes->count ? notes->line[0] : "no reason");
    return patch;
}

/* A file as a patch leaves it. */
static const char *text_after(const struct patch *patch, const char *before)
{
    const struct keyval *it = keyvals_last(&patch->file, path);
    return it ? it->value : before;
}

/* ---- files of each kind, written for this test ------------------------------------------------------------------ */

static const char server[] =
    "#!/bin/bash\nvllm serve Qwen/Qwen3-8B \\\n  -tp 8 \\\n  -q fp8 -pp=2 # two stages\n";

/* settings of servers, as `vllm serve --config` and `trtllm-serve --config` take them */
static const char vllm_file[] = "model: Qwen/Qwen3-8B\nmax-model-len: 8192 # enough\n";
static const char trtllm_file[] =
    "model: Qwen/Qwen3-8B\nmax_batch_size: 64 # users\nkv_cache_config:\n  free_gpu_memory_fraction: 0.9\n";

static const char script[] =
    "#!/bin/bash\n#SBATCH --nodes=4 # of the grey ones\nTP=${TP:-2}\nPP=2 # stages\nLAYERS=$((8 * 4))\nGPUS=8\n"
    "MODEL=(\n    --num-layers $LAYERS --hidden-size 4096 # the 7B\n    --num-attention-heads 32\n    "
    "--max-position-embeddings 4096\n"
    "    --swiglu\n)\nPARALLEL=\"--tensor-model-parallel-size $TP \\\n    --pipeline-model-parallel-size=$PP\"\n"
    "torchrun --nnodes $SLURM_NNODES --nproc_per_node $GPUS pretrain_gpt.py ${MODEL[@]} $PARALLEL \\\n    --seq-length "
    "4096 \\\n"
    "    --micro_batch_size 1 --global-batch-size 256 \\\n    --bf16 --use-distributed-optimizer \\\n    --train-iters "
    "1000 --vocab-size 32000\n";
static const char arguments[] =
    "ENV:\n  X: 1\nMODEL_ARGS:\n  --num-layers: 16 # few\n  --hidden-size: 2048\n  --num-attention-heads: 16\n  "
    "--seq-length: 4096\n"
    "  --micro-batch-size: 1\n  --global-batch-size: 64\n  --tensor-model-parallel-size: 2\n  --bf16: true\n  "
    "--vocab-size: 32000\n";
static const char neox[] =
    "{\n  # sizes\n  \"model-parallel-size\": 2, \"pipe-parallel-size\": 1,\n  \"num-layers\": 24, \"hidden-size\": "
    "2048, # wide\n"
    "  \"num-attention-heads\": 16, \"seq-length\": 2048, \"max-position-embeddings\": 2048,\n  \"vocab-file\": "
    "\"x/20B_tokenizer.json\",\n"
    "  \"train_micro_batch_size_per_gpu\": 4, \"zero_optimization\": {\"stage\": 1},\n  \"fp16\": {\"enabled\": "
    "true},\n}\n";
static const char nemo[] =
    "trainer:\n  devices: 8\n  num_nodes: 2\n  precision: bf16 # half\nmodel:\n  micro_batch_size: 4\n  "
    "global_batch_size: 64\n"
    "  tensor_model_parallel_size: 2\n  pipeline_model_parallel_size: 1\n  encoder_seq_length: 4096\n  num_layers: 32\n"
    "  hidden_size: 4096\n  ffn_hidden_size: 11008\n  num_attention_heads: 32\n  sequence_parallel: False # not yet\n"
    "  activation: 'fast-swiglu'\n  optim:\n    name: fused_adam\n";
static const char titan[] =
    "[model]\nname = \"llama3\" # the family\nflavor = \"8B\"\n\n[training]\nlocal_batch_size = 2\nseq_len = 8192\n\n"
    "[parallelism]\ntensor_parallel_degree = 2 # in a node\n\n# memory\n[activation_checkpoint]\nmode = "
    "\"selective\"\n";
static const char factory[] =
    "### model\nmodel_name_or_path: Qwen/Qwen3-4B\nstage: sft\nfinetuning_type: lora\nlora_rank: 8 # small\n"
    "lora_target: all\ncutoff_len: 2048\n"
    "per_device_train_batch_size: 1\ngradient_accumulation_steps: 8\nbf16: true\n";
static const char frozen[] =
    "model_name_or_path: Qwen/Qwen3-4B\nstage: sft\nfinetuning_type: freeze\nfreeze_trainable_layers: 2 # the last\n"
    "bf16: true\n";
static const char axolotl[] =
    "base_model: meta-llama/Meta-Llama-3-8B\ndatasets:\n  - path: x # 1\n    type: alpaca\nadapter: lora\nlora_r: 32\n"
    "lora_target_linear: true\n"
    "sequence_len: 4096   # tokens\nsample_packing: true\nmicro_batch_size: 2\ngradient_accumulation_steps: 4\n"
    "optimizer: adamw_bnb_8bit\n"
    "bf16: auto\ngradient_checkpointing: true\n";
static const char torchtune[] =
    "model:\n  _component_: torchtune.models.llama3_1.lora_llama3_1_8b\n  lora_attn_modules: ['q_proj', 'v_proj']\n  "
    "lora_rank: 8\n"
    "tokenizer:\n  max_seq_len: 2048 # not null\noptimizer:\n  _component_: torch.optim.AdamW\n  lr: 3e-4\nbatch_size: "
    "2\n"
    "gradient_accumulation_steps: 8\nenable_activation_checkpointing: False\ndtype: bf16\n";
static const char nanotron[] =
    "model:\n  dtype: bfloat16\n  model_config:\n    is_llama_config: true\n    hidden_size: 2048\n    "
    "intermediate_size: 5632\n"
    "    num_attention_heads: 16\n    num_hidden_layers: 16 # deep\n    vocab_size: 32000\nparallelism:\n  dp: 4\n  "
    "pp: 1\n  tp: 2\n"
    "  pp_engine: 1f1b\ntokens:\n  sequence_length: 2048\n  micro_batch_size: 2\n  batch_accumulation_per_replica: 4\n";
static const char deepspeed[] =
    "{\n\t\"train_micro_batch_size_per_gpu\": 2,\n\t\"gradient_accumulation_steps\": 4,\n\t\"bf16\": {\"enabled\": "
    "true},\n"
    "\t\"zero_optimization\": {\n\t\t\"stage\": 2,\n\t\t\"reduce_bucket_size\": 200000000\n\t}\n}\n";
static const char model[] =
    "{\n  \"architectures\": [\"LlamaForCausalLM\"],\n  \"model_type\": \"llama\",\n  \"hidden_size\": 2048,\n  "
    "\"intermediate_size\": 5632,\n"
    "  \"num_attention_heads\": 16,\n  \"num_hidden_layers\": 16,\n  \"vocab_size\": 32000\n}";
static const char accelerate[] =
    "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nfsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD # "
    "all\n"
    "mixed_precision: bf16\nnum_machines: 2\nnum_processes: 16\n";
static const char olmo[] =
    "model:\n  d_model: 2048\n  n_heads: 16\n  n_layers: 16\n  mlp_hidden_size: 11008\n  weight_tying: false\n  rope: "
    "true\n"
    "  block_type: sequential\n  max_sequence_length: 2048\n  vocab_size: 50280\nglobal_train_batch_size: 512 # rows\n"
    "device_train_microbatch_size: 4\nprecision: amp_bf16\n";
static const char foundry[] =
    "max_seq_len: 2048\nmodel:\n  name: mpt_causal_lm\n  d_model: 2048\n  n_heads: 16\n  n_layers: 24\n  max_seq_len: "
    "${max_seq_len}\n"
    "  vocab_size: 50368\ntrain_loader:\n  name: text\nglobal_train_batch_size: 256\ndevice_train_microbatch_size: 8 # "
    "fits\n"
    "precision: amp_bf16\nfsdp_config:\n  sharding_strategy: FULL_SHARD\n";

/* ---- examples --------------------------------------------------------------------------------------------------- */

/* The lines that a patch takes away and adds. */
static char *changed_lines(const struct buffer *diff)
{
    struct buffer out = {0};
    buffer_puts(&out, "");
    for (const char *line = diff->text; line && *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (strchr("+-", *line) && strncmp(line, "+++", 3) != 0 && strncmp(line, "--- /", 5) != 0)
            buffer_printf(&out, "%.*s\n", (int)strcspn(line, "\n"), line);
    return out.text;
}

static const struct {
    const char *text, *settings, *lines, *note; /* note: what a remark says, NULL for none that is looked for */
} examples[] = {
    {script, "", "", NULL},
    {script, "tp=4", "-TP=${TP:-2}\n+TP=${TP:-4}\n", NULL},
    {script, "pp=4", "-PP=2 # stages\n+PP=4 # stages\n", NULL},
    {script, "micro_batch_size=2",
     "-    --micro_batch_size 1 --global-batch-size 256 \\\n+    --micro_batch_size 2 --global-batch-size 256 \\\n",
     NULL},
    {script, "nodes=8", "-#SBATCH --nodes=4 # of the grey ones\n+#SBATCH --nodes=8 # of the grey ones\n", NULL},
    {script, "seq_length=8192", "-    --seq-length 4096 \\\n+    --seq-length 8192 \\\n",
     "also set: train.total_tokens"},
    {script, "total_tokens=2097152000",
     "-    --train-iters 1000 --vocab-size 32000\n+    --train-iters 2000 --vocab-size 32000\n", NULL},
    {script, "num_layers=40",
     "-    --num-layers $LAYERS --hidden-size 4096 # the 7B\n+    --num-layers 40 --hidden-size 4096 # the 7B\n", NULL},
    {script, "sp=true", "+    --sequence-parallel \\\n", NULL},
    {script, "zero_stage=0", "-    --bf16 --use-distributed-optimizer \\\n+    --bf16 \\\n", NULL},
    {script, "dp=2", "", "no place for: parallel.dp 2"},
    {arguments, "tp=4", "-  --tensor-model-parallel-size: 2\n+  --tensor-model-parallel-size: 4\n", NULL},
    {arguments, "sp=true", "+  --sequence-parallel: true\n", NULL},
    {neox, "tp=4",
     "-  \"model-parallel-size\": 2, \"pipe-parallel-size\": 1,\n+  \"model-parallel-size\": 4, "
     "\"pipe-parallel-size\": 1,\n", NULL},
    {nemo, "sp=true", "-  sequence_parallel: False # not yet\n+  sequence_parallel: True # not yet\n", NULL},
    {nemo, "train.dtype=fp16", "-  precision: bf16 # half\n+  precision: 16 # half\n", NULL},
    {nemo, "zero_stage=1", "-    name: fused_adam\n+    name: distributed_fused_adam\n", NULL},
    {titan, "tp=8", "-tensor_parallel_degree = 2 # in a node\n+tensor_parallel_degree = 8 # in a node\n", NULL},
    {titan, "pp=2", "+pipeline_parallel_degree = 2\n+pipeline_parallel_microbatch_size = 2\n", NULL},
    {titan, "recompute=full", "-mode = \"selective\"\n+mode = \"full\"\n", NULL},
    {titan, "framework.compile=true", "+\n+[compile]\n+enable = true\n", NULL},
    {factory, "micro_batch_size=4", "-per_device_train_batch_size: 1\n+per_device_train_batch_size: 4\n", NULL},
    {factory, "recompute=none", "+disable_gradient_checkpointing: true\n", NULL},
    {factory, "peft=none", "-finetuning_type: lora\n+finetuning_type: full\n", NULL},
    {frozen, "frozen=all-but:layers:-4",
     "-freeze_trainable_layers: 2 # the last\n+freeze_trainable_layers: 4 # the last\n", NULL},
    {factory, "zero_stage=3", "", "no place for: parallel.zero_stage 3"},
    {axolotl, "recompute=none", "-gradient_checkpointing: true\n+gradient_checkpointing: false\n", NULL},
    {axolotl, "optimizer=adamw_fused", "-optimizer: adamw_bnb_8bit\n+optimizer: adamw_torch_fused\n", NULL},
    {axolotl, "peft=none", "-adapter: lora\n+adapter: null\n", "also set: train.main_param_dtype bf16"},
    {axolotl, "fsdp=full", "+fsdp: full_shard\n", NULL},
    {torchtune, "recompute=full", "-enable_activation_checkpointing: False\n+enable_activation_checkpointing: True\n",
     NULL},
    {torchtune, "optimizer=sgd", "-  _component_: torch.optim.AdamW\n+  _component_: torch.optim.SGD\n", NULL},
    {nanotron, "tp=4", "-  tp: 2\n+  tp: 4\n", NULL},
    {nanotron, "train.dtype=fp16", "-  dtype: bfloat16\n+  dtype: float16\n", NULL},
    {deepspeed, "zero_stage=3", "-\t\t\"stage\": 2,\n+\t\t\"stage\": 3,\n", NULL},
    {model, "num_layers=20", "-  \"num_hidden_layers\": 16,\n+  \"num_hidden_layers\": 20,\n", NULL},
    {accelerate, "fsdp=shard_grad_op",
     "-  fsdp_sharding_strategy: FULL_SHARD # all\n+  fsdp_sharding_strategy: SHARD_GRAD_OP # all\n", NULL},
    {olmo, "recompute=full", "+activation_checkpointing: whole_layer\n", NULL},
    {foundry, "recompute=full", "+  activation_checkpointing: true\n", NULL},
    {server, "tp=4", "-  -tp 8 \\\n+  -tp 4 \\\n", "also set: hardware.nodes 1"},
    {server, "pp=1", "-  -q fp8 -pp=2 # two stages\n+  -q fp8 -pp=1 # two stages\n", "also set: hardware.nodes 1"},
    {server, "max_model_len=4096", "-  -q fp8 -pp=2 # two stages\n+  -q fp8 -pp=2 --max-model-len 4096 # two stages\n",
     NULL},
};

static void examples_change_as_their_author_would(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(examples); i++) {
        struct plan plan;
        struct errors notes = {0};
        struct buffer all = {0};
        read_plan(examples[i].text, &plan);
        check_set(&plan, examples[i].settings);
        struct patch patch = patch_to(examples[i].text, &plan, &notes);
        char *lines = changed_lines(&patch.diff);
        buffer_puts(&all, "");
        for (size_t k = 0; k < notes.count; k++)
            buffer_printf(&all, "%s\n", notes.line[k]);
        assert_that(strcmp(lines, examples[i].lines) == 0, "%.40s, %s:\n%s\nnot:\n%s\n%s", examples[i].text,
                    examples[i].settings, lines, examples[i].lines, all.text);
        assert_that(!examples[i].note || check_mentions(all.text, examples[i].note), "%s: %s", examples[i].settings,
                    all.text);
        buffer_free(&all);
        free(lines);
        patch_free(&patch);
        errors_free(&notes);
    }
}

/* ---- files beside ----------------------------------------------------------------------------------------------- */

static const char command[] =
    "#!/bin/bash\nHERE=$(cd \"$(dirname \"$0\")\" && pwd)\nsource $HERE/env.sh\nsource \"$HERE/model.sh\"\n"
    "torchrun --nproc_per_node 8 pretrain_gpt.py \"${MODEL[@]}\" --tensor-model-parallel-size $TP \\\n    "
    "--micro-batch-size $MBS \\\n"
    "    --global-batch-size $((16 * MBS)) --seq-length 4096 --max-position-embeddings 4096 --bf16 --vocab-size 32000 "
    "--swiglu $RECOMPUTE\n";
static const char named[] =
    "model_name_or_path: Qwen/Qwen3-4B\nstage: sft\nfinetuning_type: full\ndeepspeed: ds.json\nbf16: true\n"
    "per_device_train_batch_size: 1\n";
static const char launch[] =
    "accelerate launch --config_file acc.yaml sft.py --model_name_or_path Qwen/Qwen2.5-7B --max_steps 9 --bf16 \\\n"
    "    --per_device_train_batch_size 2\n";
static const char pipeline[] =
    "PP=2\nV=2\nsource conf_$V.sh\ntorchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 \\\n"
    "    --num-attention-heads 32 --seq-length $SEQ --max-position-embeddings 8192 --micro-batch-size 1 --bf16 \\\n"
    "    --global-batch-size 64 --pipeline-model-parallel-size $PP --vocab-size 32000 \\\n"
    "    --num-layers-per-virtual-pipeline-stage $V\n";
static const char *const beside[][2] = {
    {"conf_1.sh", "SEQ=4096\n"}, {"conf_2.sh", "SEQ=4096\n"}, {"conf_4.sh", "SEQ=4096\n"}, {"conf_8.sh", "SEQ=8192\n"},
    {"env.sh", "export TP=2 # in a node\nMBS=1\nRECOMPUTE=\"--recompute-granularity selective\"\n"},
    {"model.sh", "MODEL=(\n  --num-layers 32\n  --hidden-size $((512 * 8)) # wide\n  --num-attention-heads 32\n)\n"},
    {"ds.json", "{\n  \"zero_optimization\": {\n    \"stage\": 3 }\n}\n"},
    {"acc.yaml",
     "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nfsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD\n"
     "num_machines: 1\nnum_processes: 8\n"},
};

static void what_others_say_changes_in_them(void **state)
{
    (void)state;
    static const struct {
        const char *text, *settings, *diff, *note;
    } rows[] = {
        {command, "tp=4", "--- env.sh\n-export TP=2 # in a node\n+export TP=4 # in a node\n", NULL},
        {command, "num_layers=40 tp=1",
         "--- env.sh\n-export TP=2 # in a node\n+export TP=1 # in a node\n--- model.sh\n-  --num-layers 32\n"
         "+  --num-layers 40\n", NULL},
        {command, "hidden_size=5120",
         "--- model.sh\n-  --hidden-size $((512 * 8)) # wide\n+  --hidden-size 5120 # wide\n", NULL},
        {command, "recompute=none", "--- env.sh\n-RECOMPUTE=\"--recompute-granularity selective\"\n+RECOMPUTE=\"\"\n",
         NULL},
        {command, "seq_length=8192",
         "--- file\n-    --global-batch-size $((16 * MBS)) --seq-length 4096 --max-position-embeddings 4096 --bf16 "
         "--vocab-size 32000 --swiglu $RECOMPUTE\n"
         "+    --global-batch-size $((16 * MBS)) --seq-length 8192 --max-position-embeddings 4096 --bf16 --vocab-size "
         "32000 --swiglu $RECOMPUTE\n", NULL},
        {vllm_file, "max_model_len=4096 kv_dtype=fp8",
         "--- file\n-max-model-len: 8192 # enough\n+max-model-len: 4096 # enough\n+kv-cache-dtype: fp8\n", NULL},
        {trtllm_file, "max_num_seqs=32 memory_share=0.8 kv_block_size=64",
         "--- file\n-max_batch_size: 64 # users\n+max_batch_size: 32 # users\n"
         "-  free_gpu_memory_fraction: 0.9\n+  free_gpu_memory_fraction: 0.8\n+  tokens_per_block: 64\n", NULL},
        {pipeline, "vpp=4", "--- file\n-V=2\n+V=4\n", NULL},
        {pipeline, "pp=4", "--- file\n-PP=2\n-V=2\n+PP=4\n+V=1\n", NULL},
        {pipeline, "pp=16", "", "parallel.pp: 16 cannot be written here"}, /* tried with other files in between */
        {command, "hardware.gpu=b200-sxm", "", "has no place for: hardware.gpu b200-sxm"},
        {named, "zero_stage=2 micro_batch_size=4",
         "--- file\n-per_device_train_batch_size: 1\n+per_device_train_batch_size: 4\n--- ds.json\n-    \"stage\": 3 "
         "}\n+    \"stage\": 2 }\n", NULL},
        {launch, "fsdp=shard_grad_op",
         "--- acc.yaml\n-  fsdp_sharding_strategy: FULL_SHARD\n+  fsdp_sharding_strategy: SHARD_GRAD_OP\n", NULL},
        {launch, "nodes=2 gpus_per_node=8",
         "--- acc.yaml\n-num_machines: 1\n-num_processes: 8\n+num_machines: 2\n+num_processes: 16\n", NULL},
    };
    char *old = getcwd(NULL, 0), whole[sizeof path];
    memcpy(whole, path, sizeof path);
    assert_true(chdir(folder) == 0);
    for (size_t i = 0; i < COUNT(beside); i++) {
        snprintf(path, sizeof path, "%s", beside[i][0]);
        write_path(beside[i][1]);
    }
    snprintf(path, sizeof path, "file");
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct plan plan;
        struct errors notes = {0};
        write_path(rows[i].text);
        read_plan(rows[i].text, &plan);
        check_set(&plan, rows[i].settings);
        struct patch patch = patch_to(rows[i].text, &plan, &notes);
        char *lines = changed_lines(&patch.diff);
        assert_that(strcmp(lines, rows[i].diff) == 0, "%s:\n%s\nnot:\n%s\n%s", rows[i].settings, lines, rows[i].diff,
                    notes.count ? notes.line[0] : "");
        assert_that(!rows[i].note || (notes.count && check_mentions(notes.line[0], rows[i].note)), "%s: %s",
                    rows[i].settings, notes.count ? notes.line[0] : "");
        free(lines);
        patch_free(&patch);
        errors_free(&notes);
    }
    for (size_t i = 0; i < COUNT(beside); i++)
        unlink(beside[i][0]);
    memcpy(path, whole, sizeof path);
    assert_true(chdir(old) == 0);
    free(old);
}

/* ---- random changes --------------------------------------------------------------------------------------------- */

static const char *const texts[] = {script,    arguments, neox,      nemo,  titan,      factory, axolotl,
                                    torchtune, nanotron,  deepspeed, model, accelerate, olmo,    foundry};
static const char *const changes[] = {
    "tp=1", "tp=4", "pp=4", "cp=2", "sp=true", "sp=false", "micro_batch_size=1", "micro_batch_size=8",
    "global_batch_size=1024", "seq_length=1024", "seq_length=16384", "num_layers=12", "num_layers=48",
    "hidden_size=3072", "recompute=none", "recompute=full", "recompute=selective", "zero_stage=0", "zero_stage=1",
    "zero_stage=3", "optimizer=adam", "optimizer=sgd", "train.dtype=fp16", "train.dtype=bf16", "lora_rank=64",
    "gradient_accumulation_steps=16", "nodes=1", "nodes=16", "gpus_per_node=4", "fsdp=full", "fsdp=none",
    "ep=2", "vocab_size=64000", "framework.compile=true", "tied_embeddings=true", "attention=unfused"};

/* Every comment of the one text is in the other. */
static void check_comments(const char *before, const char *after)
{
    for (const char *at = before; (at = strstr(at, "# ")); at++) {
        char *comment = xstrndup(at, strcspn(at, "\n"));
        assert_that(strstr(after, comment), "%s is gone from:\n%s", comment, after);
        free(comment);
    }
}

/* How many of the keys that were changed read otherwise than wanted. */
static int count_wrong(const char *text, const struct plan *before, const struct plan *wanted)
{
    struct plan again, resolved, meant;
    int wrong = 0;
    read_plan(text, &again);
    plan_resolve(&again, &resolved);
    plan_resolve(wanted, &meant);
    for (int i = 0; i < PARAM_COUNT; i++)
        wrong += !param_equal(before, wanted, (enum param)i) && !param_equal(&again, wanted, (enum param)i) &&
                 !param_equal(&resolved, &meant, (enum param)i);
    return wrong;
}

static void what_is_patched_reads_as_wanted(void **state)
{
    (void)state;
    struct check_random random = {7};
    for (int round = 0; round < 8 * (int)COUNT(texts); round++) {
        const char *text = texts[(size_t)round % COUNT(texts)];
        struct plan before, wanted;
        struct errors notes = {0};
        read_plan(text, &before);
        wanted = before;
        for (int i = check_below(&random, 3); i >= 0; i--)
            check_set(&wanted, changes[check_below(&random, COUNT(changes))]);
        struct patch patch = patch_to(text, &wanted, &notes);
        const char *after = text_after(&patch, text);
        int wrong = count_wrong(after, &before, &wanted);
        assert_that(wrong <= patch.left, "%d keys read otherwise, %d were left, in:\n%s", wrong, patch.left, after);
        assert_that((patch.left > 0) <= (notes.count > 0), "nothing is said of %d keys", patch.left);
        check_comments(text, after);
        struct patch again = patch_to(after, &wanted, &notes); /* nothing more can be done */
        bool has_more = patch.left > 0;
        for (size_t i = 0; i < notes.count; i++)
            has_more |= check_mentions(notes.line[i], "also set");
        assert_that(!again.diff.size || has_more, "%s", again.diff.text);
        patch_free(&again);
        patch_free(&patch);
        errors_free(&notes);
    }
}

/* A remark names the key: what cannot be written, and what comes along. */
static bool is_named(const struct errors *notes, const char *key)
{
    bool is_it = false;
    for (size_t i = 0; i < notes->count; i++)
        is_it |= check_mentions(notes->line[i], key);
    return is_it;
}

/*
 * Changes a file at random, patches it, and reads what that gives: the plan that was wanted, but for what is remarked
 * on.
 */
static void check_round_trip(const char *name, const char *text, struct check_random *random)
{
    struct plan wanted, again, meant, resolved;
    struct errors notes = {0};
    struct buffer asked = {0};
    write_path(text);
    read_plan(text, &wanted);
    for (int i = check_below(random, 3); i >= 0; i--) {
        const char *change = check_pick(random, changes, COUNT(changes));
        check_set(&wanted, change);
        buffer_printf(&asked, "%s ", change);
    }
    struct patch patch = patch_to(text, &wanted, &notes);
    const char *after = text_after(&patch, text);
    read_plan(after, &again);
    plan_resolve(&again, &resolved);
    plan_resolve(&wanted, &meant);
    for (int i = 0; i < PARAM_COUNT; i++) {
        char is[PARAM_TEXT_MAX], expected[PARAM_TEXT_MAX];
        bool is_equal = param_equal(&again, &wanted, (enum param)i) || param_equal(&resolved, &meant, (enum param)i);
        param_print(&resolved, (enum param)i, is, sizeof is);
        param_print(&meant, (enum param)i, expected, sizeof expected);
        assert_that(is_equal || is_named(&notes, param_rows[i].dotted), "%s, %s: %s is %s, not %s, in:\n%s", name,
                    asked.text, param_rows[i].dotted, is, expected, after);
    }
    buffer_free(&asked);
    patch_free(&patch);
    errors_free(&notes);
}

static bool is_readable(const char *text)
{
    struct errors errors = {0};
    struct plan_reading reading = {.options.path = path};
    struct plan plan;
    plan_clear(&plan);
    enum plan_kind kind = plan_recognise(text, strlen(text));
    bool is_it = kind != KIND_YAML && kind != KIND_JSON && kind != KIND_SLURM_NODES && strlen(text) <= EDIT_TEXT_MAX &&
                 !args_is_dump(text, strlen(text)) &&
                 plan_read(&plan, text, strlen(text), path, &reading, &errors) == 0;
    errors_free(&errors);
    return is_it;
}

/* Every readable file of a folder of this repository; returns how many there are. */
static int check_round_trips(const char *from, struct check_random *random)
{
    enum { ROUNDS = 4 };
    struct dirent **entries;
    int count = scandir(from, &entries, NULL, alphasort), read = 0;
    assert_that(count > 2, "nothing in %s", from);
    for (int i = 0; i < count; i++) {
        struct errors errors = {0};
        size_t size;
        char *name = xasprintf("%s/%s", from, entries[i]->d_name);
        char *text = entries[i]->d_name[0] != '.' ? file_read(name, &size, &errors) : NULL;
        bool is_it = text && *text && is_readable(text);
        for (int round = 0; round < ROUNDS && is_it; round++)
            check_round_trip(name, text, random);
        read += is_it;
        free(text);
        free(name);
        free(entries[i]);
        errors_free(&errors);
    }
    free(entries);
    return read;
}

static void every_file_makes_its_round_trip(void **state)
{
    (void)state;
    static const char *const folders[] = {"tests/inputs", "tests/scripts", "tests/fuzz/corpus/foreign",
                                          "tests/fuzz/corpus/tuning", "tests/fuzz/corpus/megatron",
                                          "tests/fuzz/corpus/nanotron", "tests/fuzz/corpus/hf",
                                          "tests/fuzz/corpus/deepspeed"};
    struct check_random random = {13};
    int read = 0;
    for (size_t i = 0; i < COUNT(folders); i++)
        read += check_round_trips(folders[i], &random);
    for (size_t i = 0; i < COUNT(texts); i++)
        check_round_trip("of this test", texts[i], &random);
    assert_true(read >= 40);
}

/* Files with pieces cut out, doubled or replaced: whatever they are, a patch of them is honest or none. */
static void damaged_files_do_no_harm(void **state)
{
    (void)state;
    static const char *const pieces[] = {"",   "\n", "\"",   "'",  "{", "}", "[",  "]",    ":",   " - ",
                                         "$(", "${", "\\\n", "--", "=", "#", "\t", "\r\n", "\xff"};
    struct check_random random = {11};
    for (int round = 0; round < 20 * (int)COUNT(texts); round++) {
        const char *text = texts[(size_t)round % COUNT(texts)];
        struct plan wanted;
        struct patch patch;
        struct errors notes = {0};
        struct buffer damaged = {0};
        size_t from = (size_t)check_below(&random, (int)strlen(text)), to = from + (size_t)check_below(&random, 12);
        const char *const files[] = {path};
        read_plan(text, &wanted);
        check_set(&wanted, changes[check_below(&random, COUNT(changes))]);
        buffer_add(&damaged, text, from);
        buffer_puts(&damaged, check_pick(&random, pieces, COUNT(pieces)));
        buffer_puts(&damaged, text + (to < strlen(text) ? to : strlen(text)));
        write_path(damaged.text);
        if (patch_make(&(struct patch_ask){.wanted = &wanted, .file = files, .files = 1, .target = path}, &patch,
                       &notes) == 0)
            assert_true(*text_after(&patch, damaged.text));
        else
            assert_true(errors_any(&notes));
        patch_free(&patch);
        buffer_free(&damaged);
        errors_free(&notes);
    }
}

/* ---- refusals and diffs ----------------------------------------------------------------------------------------- */

static void what_cannot_be_changed_is_refused(void **state)
{
    (void)state;
    static const char *const refused[][2] = {{"", "is empty"}, {"import torch\nimport os\n", "Python"},
                                             {"#!/bin/bash\nfor x in 1 2; do echo; done\n", "none of its commands"}};
    struct plan plan;
    const char *const files[] = {path};
    plan_clear(&plan);
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct patch patch;
        struct errors errors = {0};
        write_path(refused[i][0]);
        const struct patch_ask ask = {.wanted = &plan, .file = files, .files = 1, .target = path};
        assert_int_equal(patch_make(&ask, &patch, &errors), -1);
        assert_that(errors.count && check_mentions(errors.line[0], refused[i][1]), "%s",
                    errors.count ? errors.line[0] : "nothing");
        patch_free(&patch);
        errors_free(&errors);
    }
}

static void diffs_are_unified(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"", "", ""},
        {"a\n", "a\n", ""},
        {"a\nb\n", "a\nc\n", "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"},
        {"", "a\n", "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+a\n"},
        {"a\n", "", "--- f\n+++ f\n@@ -1,1 +0,0 @@\n-a\n"},
        {"a", "a\n", "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
        {"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\nx\n3\n4\n5\n6\n7\n8\n9\ny\n",
         "--- f\n+++ f\n@@ -1,5 +1,5 @@\n 1\n-2\n+x\n 3\n 4\n 5\n@@ -7,3 +7,4 @@\n 7\n 8\n 9\n+y\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buffer out = {0};
        buffer_puts(&out, "");
        diff_unified(&out, "f", rows[i][0], rows[i][1]);
        assert_string_equal(out.text, rows[i][2]);
        buffer_free(&out);
    }
}

/* No name ends its line, so that it cannot forge a header: what git prints for these files. */
static void names_are_quoted_in_headers(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"a/b.sh", "a/b.sh"},
        {"two words.sh", "two words.sh\t"},
        {"x\n+++ evil.sh", "\"x\\n+++ evil.sh\""},
        {"a\tb\r\"c\\", "\"a\\tb\\r\\\"c\\\\\""},
        {"\033[2J\x7f\xc3\xa9", "\"\\033[2J\\177\\303\\251\""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buffer out = {0};
        char *head = xasprintf("--- %s\n+++ %s\n@@ ", rows[i][1], rows[i][1]);
        diff_unified(&out, rows[i][0], "a\n", "b\n");
        assert_that(strncmp(out.text, head, strlen(head)) == 0, "%s", out.text);
        free(head);
        buffer_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_change_as_their_author_would),
        cmocka_unit_test(what_others_say_changes_in_them),
        cmocka_unit_test(what_is_patched_reads_as_wanted),
        cmocka_unit_test(every_file_makes_its_round_trip),
        cmocka_unit_test(names_are_quoted_in_headers),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(what_cannot_be_changed_is_refused),
        cmocka_unit_test(diffs_are_unified),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
