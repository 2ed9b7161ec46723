/*
 * Every kind of file is told by its content, whatever the order of its keys; what is not read says what to do instead.
 */
#include "tests/check.h"

#include "src/import/recognise.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "src/text/tree.h"

/* Keys as the examples of each framework have them, written anew; blocks may be shuffled. */
static const struct {
    enum plan_kind kind;
    const char *text;
} rows[] = {
    {KIND_HF, "{\"architectures\": [\"A\"], \"num_hidden_layers\": 2, \"tokenizer_class\": \"B\"}"},
    {KIND_KUBERNETES, "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata:\n  name: a\nspec:\n  x: 1\n"},
    {KIND_CARD, "title: a\nvalidated_on: x\nsummary: tried\nmodel:\n  hf_id: a/b\n"},
    {KIND_CARD, "model:\n  hf_id: a/b\nverification_environment:\n  base_container: x\n"},
    {KIND_EVALUATION, "max_seq_len: 2048\nmodels:\n- model_name: x\nicl_tasks: tasks/a.yaml\n"},
    {KIND_EVALUATION, "model: {_component_: a.b}\ncheckpointer: {checkpoint_dir: x}\nmax_new_tokens: 9\n"},
    {KIND_EVALUATION, "inference:\n  greedy: true\ntrainer:\n  devices: 1\ntensor_model_parallel_size: -1\n"},
    {KIND_LLM_FOUNDRY, "icl_tasks: tasks/a.yaml\ntrain_loader:\n  a: 1\nmodel:\n  name: mpt_causal_lm\n"},
    {KIND_TESTS, "type: basic\nformat_version: 1\nspec:\n  model: gpt\n  nodes: 1\n"},
    {KIND_CLOUD, "provider: a\ngpu: h100\nnode_count: 1\n"},
    {KIND_VERL_PART, "_target_: verl.workers.config.ActorConfig\nppo_mini_batch_size: 256\n"},
    {KIND_VERL_PART, "train_files: a\nmax_prompt_length: 512\ntrain_batch_size: 1024\n"},
    {KIND_LLM_RESULT, "{\"batch_size_per_gpu\": 1, \"seq_len\": 512, \"tp_size\": 1, \"weight_memory_per_gpu\": 1.5}"},
    {KIND_SKYPILOT, "resources:\n  accelerators: H100:8\nnum_nodes: 2\nrun: |\n  torchrun x.py\n"},
    {KIND_MCLI,
     "name: a\nimage: b\ncompute:\n  gpus: 8\ncommand: composer train.py f.yaml\nparameters:\n  max_seq_len: 2048\n"},
    {KIND_RECORD, "{\"command\": {\"command\": \"torchrun x.py\"}, \"model\": {\"num_layers\": 2}}"},
    {KIND_RECORD, "{\"program\": \"x.py\", \"args\": [\"--lr\", \"1\"], \"codePath\": \"x.py\"}"},
    {KIND_DSTACK, "type: task\nenv: [A=1]\ncommands:\n  - torchrun x.py\nresources:\n  gpu: H100:8\n"},
    {KIND_WORKFLOW, "name: CI\non:\n  push: {branches: [main]}\njobs:\n  a:\n    runs-on: x\n"},
    {KIND_COMPOSE, "version: '3'\nservices:\n  a:\n    image: x\n"},
    {KIND_PACKAGE, "{\"name\": \"x\", \"version\": \"1\", \"dependencies\": {\"a\": \"1\"}}"},
    {KIND_PACKAGE, "[build-system]\nrequires = [\"setuptools\"]\n\n[project]\nname = \"x\"\ndependencies = [\"a\"]\n"},
    {KIND_PACKAGE, "repos:\n- repo: https://x\n  rev: v1\n"},
    {KIND_VERL, "data:\n  max_length: 3\nactor_rollout_ref:\n  model:\n    path: x\ntrainer:\n  nnodes: 1\n"},
    {KIND_VERL_SFT,
     "data:\n  train_batch_size: 256\n  micro_batch_size_per_gpu: 4\nmodel:\n  partial_pretrain: a/b\ntrainer:\n  "
     "nnodes: 1\n"},
    {KIND_ARGUMENTS, "ENV_VARS:\n  A: 1\nMODEL_ARGS:\n  --num-layers: 12\n"},
    {KIND_ARGUMENTS, "num_layers: 4\ntensor_model_parallel_size: 2\n"},
    {KIND_ARGUMENTS, "num-layers: 4\ntensor-model-parallel-size: 2\n"},
    {KIND_ARGUMENTS, "language_model:\n  num_layers: 3\nmodel_parallel:\n  a: 1\n"},
    {KIND_NANOTRON,
     "parallelism:\n  tp: 1\ntokens:\n  sequence_length: 5\nmodel:\n  model_config:\n    hidden_size: 4\n"},
    {KIND_PRIMUS, "modules:\n  pre_trainer:\n    framework: megatron\n    model: llama3_8B.yaml\n    overrides:\n"
                  "      micro_batch_size: 2\n"},
    {KIND_PRIMUS_PART, "extends:\n  - llama3_base.yaml\ntokenizer_type: a\nnum_layers: 32\n"},
    {KIND_SWIFT_MEGATRON, "model: Qwen/Qwen2.5-7B\ntuner_type: lora\nmicro_batch_size: 1\n"},
    {KIND_LITGPT, "checkpoint_dir: a/b\nprecision: bf16-true\ntrain:\n  micro_batch_size: 1\n"},
    {KIND_NEMO_RL, "defaults: ../sft.yaml\nsft:\n  max_num_steps: 4\npolicy:\n  model_name: a\n"},
    {KIND_MAXTEXT, "per_device_batch_size: 4\nici_fsdp_parallelism: 8\nmax_target_length: 64\n"},
    {KIND_AUTOMODEL, "recipe: TrainFinetuneRecipe\nstep_scheduler:\n  local_batch_size: 2\nmodel:\n  _target_: a.b\n"},
    {KIND_SKYRL, "trainer:\n  strategy: fsdp2\n  policy:\n    model:\n      path: a/b\n"},
    {KIND_OLMO_CORE, "sequence_length: 4096\nrank_microbatch_size: 8192\nrecipe: olmo2_7B\n"},
    {KIND_LEVANTER, "model:\n  type: llama\n  hidden_dim: 64\ntrainer:\n  mp: p=f32,c=bf16\n  train_batch_size: 4\n"},
    {KIND_NANOTRON, "parallelism:\n  tp: 1\noptimizer:\n  zero_stage: 0\n"},
    {KIND_ACCELERATE,
     "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nfsdp_config:\n  fsdp_offload_params: true\n"
     "num_machines: 1\n"},
    {KIND_MLX, "model: Qwen/Qwen2.5-1.5B\ntrain: true\niters: 9\nlora_parameters: {rank: 8}\nadapter_path: a\n"},
    {KIND_MERGEKIT, "merge_method: slerp\nslices:\n- sources: [a]\ndtype: bfloat16\n"},
    {KIND_TORCHTUNE,
     "model:\n  _component_: torchtune.models.llama3_1.llama3_1_8b\nbatch_size: 2\ntokenizer:\n  path: x\n"},
    {KIND_BRIDGE_DUMP, "_target_: megatron.bridge.training.config.ConfigContainer\nmodel:\n  num_layers: 3\n"},
    {KIND_LLM_MODEL,
     "{\"name\": \"a\", \"num_layers\": 28, \"n_head\": 16, \"hidden_dim\": 4096, \"vocab_size\": 50400, "
     "\"model_type\": \"gptj\"}"},
    {KIND_LLM_GPU, "{\"name\": \"a\", \"mem_per_GPU_in_GB\": 80}"},
    {KIND_LLM_DTYPE, "{\"name\": \"w16\", \"weight_bits\": 16, \"activation_bits\": 16}"},
    {KIND_SIMUMAX_MODEL, "{\"model_type\": \"dense\", \"hidden_size\": 4096, \"head_num\": 32, \"layer_num\": 32}"},
    {KIND_SIMUMAX_STRATEGY, "{\"seq_len\": 4096, \"micro_batch_num\": 8, \"world_size\": 8, \"tp_size\": 1}"},
    {KIND_SIMUMAX_SYSTEM, "{\"sys_name\": \"A\", \"num_per_node\": 8, \"accelerator\": {\"mem_gbs\": 80}}"},
    {KIND_CALCULON_MODEL, "{\"hidden\": 12288, \"attn_heads\": 96, \"num_blocks\": 96}"},
    {KIND_CALCULON_EXECUTION, "{\"num_procs\": 64, \"tensor_par\": 8, \"pipeline_par\": 8}"},
    {KIND_CALCULON_SYSTEM, "{\"matrix\": {\"float16\": {\"tflops\": 312}}, \"mem1\": {\"GiB\": 80}}"},
    {KIND_PICOTRON,
     "{\"distributed\": {\"tp_size\": 1, \"cp_size\": 1}, \"model\": {\"name\": \"x\"}, \"training\": {\"seq_length\": "
     "1}}"},
    {KIND_TORCHTITAN,
     "# a comment\n\n[job]\ndump_folder = \"./outputs\"\n\n[model]\nname = \"llama3\"\nflavor = \"8B\"\n\n[training]\n"
     "seq_len = 8192\n"},
    {KIND_TORCHTITAN,
     "{\"model\": {\"name\": \"llama3\"}, \"parallelism\": {\"tensor_parallel_degree\": 2}, \"training\": "
     "{\"seq_len\": 4}}"},
    {KIND_AXOLOTL,
     "base_model: a/b\nload_in_8bit: true\ndatasets:\n- path: x\nsequence_len: 4096\nadapter: lora\nmicro_batch_size: "
     "2\n"},
    {KIND_LLAMA_FACTORY_V1, "model: a/b\ntrain_dataset: x\ndist_config:\n  name: fsdp2\nmicro_batch_size: 1\n"},
    {KIND_LLAMA_FACTORY,
     "model_name_or_path: a/b\nstage: sft\ndo_train: true\nfinetuning_type: lora\nper_device_train_batch_size: 1\n"},
    {KIND_ADAPTER, "{\"peft_type\": \"LORA\", \"r\": 8, \"base_model_name_or_path\": \"x\"}"},
    {KIND_HF_TRAINER, "per_device_train_batch_size: 4\nlearning_rate: 1e-5\noutput_dir: x\n"},
    {KIND_TOKENIZER, "{\"bos_token\": \"a\", \"eos_token\": \"b\", \"tokenizer_class\": \"X\"}"},
    {KIND_TOKENIZER, "{\"version\": \"1.0\", \"added_tokens\": [], \"model\": {\"type\": \"BPE\", \"vocab\": {}}}"},
    {KIND_GENERATION, "{\"bos_token_id\": 1, \"eos_token_id\": 2, \"transformers_version\": \"4\"}"},
    {KIND_WEIGHTS, "{\"metadata\": {\"total_size\": 1}, \"weight_map\": {\"a\": \"b\"}}"},
    {KIND_RUN_STATE, "{\"global_step\": 3, \"log_history\": [{\"loss\": 1}]}"},
    {KIND_HF, "{\"model_type\": \"llama\", \"hidden_size\": 4, \"vocab_size\": 3}"},
    {KIND_HF, "{\"architectures\": [\"LlamaForCausalLM\"], \"hidden_size\": 4}"},
    {KIND_LLM_FOUNDRY,
     "max_seq_len: 2048\nmodel:\n  name: mpt_causal_lm\n  d_model: 4\n  n_layers: 3\ntrain_loader:\n  a: 1\nprecision: "
     "amp_bf16\n"},
    {KIND_OLMO,
     "run_name: a\nmodel:\n  d_model: 4096\n  n_layers: 32\n  mlp_ratio: 8\n  block_type: sequential\nfsdp:\n  "
     "precision: mixed\n"},
    {KIND_NEMO,
     "name: a\ntrainer:\n  devices: 1\nexp_manager:\n  name: x\nmodel:\n  encoder_seq_length: 4096\n  num_layers: 32\n "
     " tensor_model_parallel_size: 2\n"},
    {KIND_EASY_R1, "data:\n  rollout_batch_size: 512\nworker:\n  actor:\n    model:\n      model_path: a\n  rollout:\n"
                   "    n: 5\n"},
    {KIND_LINGUA, "grad_acc_steps: 1\ndistributed:\n  tp_size: 1\nmodel:\n  dim: 64\ndata:\n  seq_len: 64\n"},
    {KIND_INTERNEVO, "data:\n  micro_bsz: 1\nparallel:\n  tensor: 2\n"},
    {KIND_OTHER, "net:\n  model: a\ndata:\n  bsz: 4\n  seq_len: 64\nopt:\n  lr: 0.1\n"},
    {KIND_NEMO_OTHER, "name: a\ntrainer:\n  devices: 1\nexp_manager:\n  name: x\nmodel:\n  sample_rate: 16000\n"},
    {KIND_HYDRA, "defaults:\n- base\nfoo: 1\n"},
    {KIND_YAML, "model: llama2-7b\nparallel:\n  tp: 2\n"},
    {KIND_YAML, "tp: 2\nhidden_size: 128\n"},
    {KIND_YAML, "tp: 2\npp: 2\nassumed:\n  tp: TP\ndefaults: [pp]\n"},
    {KIND_HYDRA, "defaults:\n  - _self_\n  - base\nmodel:\n  num_layers: 3\n"},
    {KIND_HYDRA, "defaults:\n  - base\n  - _self_\nnum_layers: 3\n"},
    {KIND_HYDRA, "defaults:\n  - model: base\nnum_layers: 3\n"},
    {KIND_HYDRA, "defaults:\n  - base\n  - model: big\nnum_layers: 3\n"},
    {KIND_YAML, "model:\n  num_layers: 3\nparalel:\n  tp: 2\n"},
    {KIND_YAML, "modl: llama2-7b\n"},
    {KIND_JSON, "{\"model\": \"x\", \"parallel\": {\"tp\": 2}}"},
    {KIND_JSON, "{\"model\": {\"hidden_size\": 64}, \"train\": {\"optimizer\": \"adam\", \"dtype\": \"bf16\"}}"},
    {KIND_JSON, "{\"model\": \"x\",, }"},
    {KIND_BRIDGE,
     "model:\n  tensor_model_parallel_size: 1\n  seq_length: 4096\ntrain:\n  train_iters: 10\n  global_batch_size: "
     "8\n"},
    {KIND_GPT_NEOX,
     "{\n   # parallelism\n   \"pipe-parallel-size\": 1,\n   \"num-layers\": 12, \"hidden-size\": 768,\n   "
     "\"zero_optimization\": {\"stage\": 1},\n   \"fp16\": {\"enabled\": true},\n}\n"},
    {KIND_GPT_NEOX,
     "{\"pipe_parallel_size\": 0, \"num_layers\": 12, \"train_micro_batch_size_per_gpu\": 4, \"zero_optimization\": "
     "{\"stage\": 1}}"},
    {KIND_GPT_NEOX, "data_path: x\nvocab_file: y\nsave: z\n"},
    {KIND_DEEPSPEED, "{\"train_batch_size\" : 4}"},
    {KIND_DEEPSPEED, "{\"bf16\": {\"enabled\": true}}"},
    {KIND_DEEPSPEED, "{\"train_batch_size\": CONFIG_BATCH_SIZE, \"zero_optimization\": {\"stage\": ZERO_STAGE}}"},
    {KIND_DEEPSPEED, "{\"zero_optimization\": {\"stage\": 3}, \"optimizer\": {\"type\": \"AdamW\"}}"},
    {KIND_SRT_SLURM, "resources:\n  gpus_per_node: 8\nbackend:\n  sglang_config:\n    decode: {tp-size: 8}\n"},
    {KIND_CHART, "servingEngineSpec:\n  modelSpec:\n  - name: a\n    modelURL: a/b\n"},
    {KIND_SERVER_LOG, "INFO [utils.py:233] non-default args: {'model': 'a/b', 'max_model_len': 8192}\n"},
    {KIND_VLLM, "model: a/b\ntensor-parallel-size: 4\nmax-model-len: 8192\nport: 8000\n"},
    {KIND_SLURM_NODES, "NodeName=a Arch=x86_64 CoresPerSocket=8\n   Gres=gpu:8\n"},
    {KIND_MEGATRON, "torchrun pretrain_gpt.py --num-layers 4 --hidden-size 64 --tensor-model-parallel-size 2\n"},
    {KIND_MEGATRON,
     "[ -z \"$TP\" ] && TP=4\npython x.py --num-layers 4 --hidden-size 64 --tensor-model-parallel-size $TP\n"},
    {KIND_MEGATRON, "#!/bin/bash\nARGS: 3\ntorchrun pretrain_gpt.py --num-layers 4 --hidden-size 64 --seq-length 2\n"},
    {KIND_MEGATRON, "NLAYERS=4\nA=\"--num-layers $NLAYERS --hidden-size 64\"\n"},
    {KIND_SCRIPT, "#!/bin/sh\necho hello\n"},
    {KIND_SCRIPT, "export A=1\nmake\n"},
    {KIND_PYTHON, "import torch\nfrom x import y\n\ndef f():\n    pass\n"},
    {KIND_PYTHON, "#!/usr/bin/env python3\nprint(1)\n"},
    {KIND_MAPPING, "zzzzzzzz: 1\nyyyyyyyy: 2\n"},
    {KIND_MAPPING, "model:\n  type: a\n  seq_len: 8\n  layernorm: b\n  hidden_size: 4\n  bos: 1\n"},
    {KIND_MAPPING, "hidden_size: 4\nnum_layers: 2\nvocab_size: 4\naaaaaaa: 1\nbbbbbbb: 1\nccccccc: 1\n"},
    {KIND_MAPPING, "[qqqqqqqq]\nzzzzzzzz = 1\n"},
    {KIND_LIST, "[1, 2, 3]\n"},
    {KIND_EMPTY, ""},
    {KIND_EMPTY, " \n\t\n# a comment\n"},
    {KIND_UNKNOWN, "just some words\n"},
    {KIND_UNKNOWN, "http://example.org\n"},
    {KIND_UNKNOWN, "- a\n- b\n"},
};

static void expect_kind(const char *text, enum plan_kind kind)
{
    enum plan_kind found = plan_recognise(text, strlen(text));
    assert_that(found == kind, "%s\nis taken for %s, not for %s", text, formats[found].what, formats[kind].what);
}

static void kinds_are_told_by_content(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_kind(rows[i].text, rows[i].kind);
}

/* Blocks of a YAML text: a line at the margin with the lines below it. */
static size_t blocks_of(const char *text, const char *block[], size_t size[], size_t max)
{
    size_t count = 0;
    for (const char *p = text; *p && count < max; count++) {
        const char *end = p;
        do
            end += strcspn(end, "\n"), end += *end == '\n';
        while (*end == ' ' || *end == '-');
        block[count] = p;
        size[count] = (size_t)(end - p);
        p = end;
    }
    return count;
}

static void the_order_of_keys_does_not_matter(void **state)
{
    (void)state;
    enum { BLOCKS = 16 };
    size_t tried = 0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *block[BLOCKS], *text = rows[i].text;
        size_t size[BLOCKS],
            n = text[0] && strspn(text, "abcdefghijklmnopqrstuvwxyz_-") == strcspn(text, ":") && strchr(text, '\n')
                    ? blocks_of(text, block, size, BLOCKS)
                    : 0;
        for (size_t turn = 1; turn < n; turn++, tried++) {
            struct buffer turned = {0};
            for (size_t k = 0; k < n; k++)
                buffer_add(&turned, block[(k + turn) % n], size[(k + turn) % n]);
            expect_kind(turned.text, rows[i].kind);
            buffer_free(&turned);
        }
    }
    assert_true(tried > 50);
}

/* Each row of the table has a file above, and each that is not read says why not. */
static void every_kind_has_an_example(void **state)
{
    (void)state;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        bool is_there = false;
        for (size_t i = 0; i < COUNT(rows); i++)
            is_there |= rows[i].kind == (enum plan_kind)kind;
        assert_that(is_there, "%s", formats[kind].id);
    }
}

static void what_is_not_read_says_what_to_do(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } table[] = {
        {"apiVersion: v1\nkind: Pod\n",
         "f: has no container with a command; give the script that its containers start"},
        {"jobs: {a: {b: 1}}\non: {push: {c: 1}}\n",
         "f: looks like a CI workflow; it does not start training; give the script that it runs"},
        {"vllm serve Qwen/Qwen2.5-0.5B --device cpu\n",
         "f: serves on a CPU, which is not modelled; give a server that has GPUs"},
        {"VLLM_CPU_KVCACHE_SPACE=4 vllm serve Qwen/Qwen2.5-0.5B\n",
         "f: serves on a CPU, which is not modelled; give a server that has GPUs"},
        {"docker run vllm/vllm-openai-cpu:latest --model Qwen/Qwen2.5-0.5B\n",
         "f: serves on a CPU, which is not modelled; give a server that has GPUs"},
        {"apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - image: own\n    args: [--model, a/b, "
         "--max-model-len, 9]\n",
         "f: passes flags of vLLM to what is not known to start it, such as an image of its own; give them as `vllm "
         "serve MODEL FLAGS`"},
        {"just words\n", "f: format not recognised; see `shardtop list formats`"},
        {"\"\\e[2Jqqqqqqqq\": 1\nzzzz: {a: 1, b: 2}\n",
         "f: is a mapping with the keys ?[2Jqqqqqqqq, zzzz; no format that is known has them; give the script that "
         "starts the run, or a plan (`shardtop list keys`)"},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct errors errors = {0};
        struct plan plan;
        plan_clear(&plan);
        assert_int_equal(plan_read(&plan, table[i].text, strlen(table[i].text), "f", NULL, &errors), -1);
        assert_message(errors.line[0], table[i].message);
        assert_int_equal(errors.count, 1);
        errors_free(&errors);
    }
    for (int kind = 0; kind < KIND_COUNT; kind++)
        assert_that(formats[kind].read || *formats[kind].instead || kind == KIND_YAML || kind == KIND_JSON ||
                        kind == KIND_EMPTY || kind == KIND_MAPPING || kind == KIND_UNKNOWN,
                    "%s", formats[kind].id);
}

/* ---- TOML ------------------------------------------------------------------------------------------------------- */

/* A text as `path=value` lines, or its first message. */
static char *toml(const char *text)
{
    struct tree tree;
    struct errors errors = {0};
    struct buffer out = {0};
    buffer_puts(&out, "");
    tree_read(text, strlen(text), "f", TREE_TOML, TREE_LENIENT, &tree, &errors);
    for (size_t i = 0; i < tree.count && !errors_any(&errors); i++)
        buffer_printf(&out, "%s=%s@%d ", tree.item[i].path, tree.item[i].text, tree.item[i].line);
    if (errors_any(&errors))
        buffer_puts(&out, errors.line[0]);
    tree_free(&tree);
    errors_free(&errors);
    return out.text;
}

static void toml_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } table[] = {
        {"a = 1\n[b]\nc = \"x # y\" # z\nd.e = 'q\\'\n", "a=1@1 b.c=x # y@3 b.d.e=q\\@4 "},
        {"[a.b]\nc = [1, 2,\n  3, # x\n]\n[a]\nd = {e = true, f = [\"g\"]}\n",
         "a.b.c=[1,2,3]@2 a.d.e=true@6 a.d.f=[g]@6 "},
        {"[[a]]\nb = 1\n[[a]]\nb = 2\n", "a.0.b=1@2 a.1.b=2@4 "},
        {"a = \"\"\"\nb\n\"c\"\"\"\nd = 1_000\n", "a=\nb\n\"c@1 d=1_000@4 "},
        {"\"a b\" = \"x\\ty\\u00e9\"\r\nc = -1.5e3\r\n", "a b=x\ty?@1 c=-1.5e3@2 "},
        {"a = \n", "f:1: is not valid TOML: expected a value"},
        {"a = 1 2\n", "a=1 2@1 "},
        {"a = [1, 2\n", "f:2: is not valid TOML: unclosed array"},
        {"a = \"x\n", "f:1: is not valid TOML: unclosed string"},
        {"[a\nb = 1\n", "f:1: is not valid TOML: unclosed table name"},
        {"a = 1\n[a]\n", "f:2: is not valid TOML: a value is used as a table"},
        {"a = {b = 1\n", "f:2: is not valid TOML: unclosed table"},
        {"a 1\n", "f:1: is not valid TOML: expected `=` after the key"},
        {"= 1\n", "f:1: is not valid TOML: expected a key"},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        char *found = toml(table[i].text);
        assert_that(check_message(found, table[i].expected), "%s\ngives\n%s\nnot\n%s", table[i].text, found,
                    table[i].expected);
        free(found);
    }
}

static void deep_toml_is_refused(void **state)
{
    (void)state;
    struct buffer text = {0};
    buffer_puts(&text, "a = ");
    for (int i = 0; i < 100000; i++)
        buffer_puts(&text, "[");
    char *found = toml(text.text);
    assert_message(found, "f:1: is not valid TOML: nested more than 64 deep");
    free(found);
    buffer_free(&text);
}

int main(void)
{
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_told_by_content),        cmocka_unit_test(the_order_of_keys_does_not_matter),
        cmocka_unit_test(every_kind_has_an_example),        cmocka_unit_test(what_is_not_read_says_what_to_do),
        cmocka_unit_test(toml_is_read),                     cmocka_unit_test(deep_toml_is_refused),
    };
    return cmocka_run_group_tests_name("recognise", tests, NULL, NULL) != 0;
}
