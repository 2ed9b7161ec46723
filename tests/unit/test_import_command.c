/* Scripts that start a trainer other than Megatron: by a configuration that lies beside, or by the Trainer's flags. */
#include "tests/check.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/plan/param.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/text.h"

static char folder[] = "/tmp/shardtop-command-XXXXXX";

/* Files that lie beside the script, written for this test. */
static const struct {
    const char *name, *text;
} beside[] = {
    {"conf/lora.yaml",
     "base_model: meta-llama/Meta-Llama-3-8B\ndatasets:\n  - path: x\nadapter: lora\nlora_r: 32\nlora_target_linear: "
     "true\n"
     "sequence_len: 4096\nmicro_batch_size: 2\ngradient_accumulation_steps: 4\nbf16: auto\n"},
    {"conf/sft.yaml",
     "model_name_or_path: Qwen/Qwen3-4B\nstage: sft\nfinetuning_type: lora\nlora_rank: 8\ncutoff_len: 2048\n"
     "per_device_train_batch_size: 1\nbf16: true\n"},
    {"conf/zero.json", "{\"train_batch_size\": \"auto\", \"zero_optimization\": {\"stage\": 3, \"reduce_bucket_size\": "
                       "\"auto\", \"offload_optimizer\": {\"device\": \"cpu\"}}}"},
    {"conf/fsdp.yaml",
     "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nfsdp_config:\n  fsdp_sharding_strategy: "
     "SHARD_GRAD_OP\n"
     "mixed_precision: bf16\nnum_machines: 2\nnum_processes: 16\n"},
    {"conf/oumi.yaml",
     "model:\n  model_name: meta-llama/Llama-3.1-8B\n  model_max_length: 2048\n  torch_dtype_str: bfloat16\n"
     "training:\n  trainer_type: TRL_SFT\n  use_peft: true\n  per_device_train_batch_size: 3\n"
     "  enable_gradient_checkpointing: true\npeft:\n  q_lora: true\n  lora_r: 16\n"
     "fsdp:\n  enable_fsdp: true\n  sharding_strategy: HYBRID_SHARD\n"},
    {"conf/below.yaml",
     "policy:\n  model_name: Qwen/Qwen2.5-1.5B\n  max_total_sequence_length: 512\n  train_micro_batch_size: 4\n"
     "  precision: bfloat16\n  dtensor_cfg: {enabled: true}\ngrpo: {num_prompts_per_step: 32}\n"
     "cluster: {gpus_per_node: 2, num_nodes: 1}\n"},
    {"conf/above.yaml", "defaults: below.yaml\ngrpo: {num_generations_per_prompt: 4}\n"
                        "policy: {train_global_batch_size: 128}\n"},
    {"conf/sizes.sh", "SIZES=(--num-layers 8 --hidden-size 64 --num-attention-heads 4 --vocab-size 100)\n"},
};

static int make_folder(void **state)
{
    char path[96];
    (void)state;
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/conf", folder);
    int result = mkdir(path, 0700);
    for (size_t i = 0; i < COUNT(beside); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, beside[i].name);
        FILE *file = fopen(path, "w");
        result |= !file || fputs(beside[i].text, file) < 0 || fclose(file) != 0;
    }
    return result;
}

static int remove_folder(void **state)
{
    char path[96];
    (void)state;
    for (size_t i = 0; i < COUNT(beside); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, beside[i].name);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/conf", folder);
    return rmdir(path) | rmdir(folder);
}

static int read_script(const char *text, struct plan *plan, struct errors *errors)
{
    char path[96];
    struct plan_reading reading = {.options.path = path};
    snprintf(path, sizeof path, "%s/run.sh", folder);
    plan_clear(plan);
    return plan_read(plan, text, strlen(text), "run.sh", &reading, errors);
}

/* What a script gives: `key=value` words. */
static const struct {
    const char *script, *settings;
} rows[] = {
    {"BS=4\naccelerate launch --num_processes 4 -m axolotl.cli.train conf/lora.yaml --micro-batch-size $BS "
     "--lora_r=64\n",
     "framework.name=axolotl micro_batch_size=4 lora_rank=64 seq_length=4096 gradient_accumulation_steps=4 nodes=1 "
     "gpus_per_node=4"},
    {"axolotl train ./conf/lora.yaml\n", "micro_batch_size=2 lora_rank=32 model.name=llama3-8b"},
    {"llamafactory-cli train conf/sft.yaml per_device_train_batch_size=8 deepspeed=conf/zero.json\n",
     "framework.name=llama-factory micro_batch_size=8 zero_stage=3 offload_optimizer=1 model.name=qwen3-4b"},
    {"accelerate launch --config_file conf/fsdp.yaml sft.py --model_name_or_path Qwen/Qwen2.5-7B --learning_rate 1e-4 "
     "--bf16\n",
     "framework.name=hf-trainer fsdp=shard_grad_op nodes=2 gpus_per_node=8 train.dtype=bf16 model.name=qwen2.5-7b"},
    {"accelerate launch --config_file conf/fsdp.yaml --num_processes 4 --num_machines 1 sft.py --model_name_or_path x "
     "--max_steps 9\n", "nodes=1 gpus_per_node=4"},
    {"torchrun --nnodes 2 --nproc_per_node 4 run_clm.py --per_device_train_batch_size 2 --deepspeed conf/zero.json "
     "--block_size 4096 \\\n"
     "  --gradient_checkpointing --bf16 True --output_dir $1\n",
     "micro_batch_size=2 zero_stage=3 seq_length=4096 recompute=full train.dtype=bf16 nodes=2 gpus_per_node=4"},
    {"#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --gres=gpu:8\nsrun python train.py --per_device_train_batch_size 2\n",
     "micro_batch_size=2 nodes=4 gpus_per_node=8"},
    {"python sft.py --model_name_or_path Qwen/Qwen2.5-7B --use_peft --lora_r 32 --lora_target_modules q_proj v_proj "
     "--max_steps 10\n", "peft=lora lora_rank=32 lora_targets=[q,v] nodes=1 gpus_per_node=1"},
    /* what accelerate is told by flags, or by the name of a file that is not there */
    {"accelerate launch --use_deepspeed --zero_stage 3 --offload_optimizer_device cpu --num_processes 4 -m sft "
     "--model_name_or_path Qwen/Qwen2.5-7B --max_steps 9\n",
     "zero_stage=3 offload_optimizer=1 nodes=1 gpus_per_node=4 model.name=qwen2.5-7b"},
    {"accelerate launch --use_fsdp --fsdp_sharding_strategy SHARD_GRAD_OP --fsdp_offload_params true sft.py "
     "--model_name_or_path Qwen/Qwen2.5-7B --max_steps 9\n",
     "fsdp=shard_grad_op offload_params=1 offload_optimizer=1"},
    {"accelerate launch --config_file=acc/deepspeed_zero3.yaml sft.py --model_name_or_path Qwen/Qwen2.5-7B "
     "--max_steps 9\n", "zero_stage=3"},
    {"accelerate launch --config_file acc/fsdp2.yaml sft.py --model_name_or_path Qwen/Qwen2.5-7B --max_steps 9\n",
     "fsdp=full"},
    {"accelerate launch examples/prm.py --model_name_or_path Qwen/Qwen2.5-7B --per_device_train_batch_size 4 "
     "--max_length 64\n", "micro_batch_size=4 cross_entropy=fused_linear"},
    {"python train.py --model_name_or_path Qwen/Qwen2.5-7B --per_device_train_batch_size 2 --max_prompt_length 64 "
     "--max_length 128 --lora_r 8 --use_peft\n", "micro_batch_size=4 seq_length=128 lora_targets=[q,v]"},
    /* carriers: dstack, a ConfigMap alone, a chart's command, variables alone */
    {"type: task\nnodes: 2\nenv: [BS=4]\ncommands:\n  - pip install trl\n  - torchrun --nnodes $DSTACK_NODES_NUM "
     "--nproc_per_node $DSTACK_GPUS_PER_NODE train.py\n    --model_name_or_path Qwen/Qwen2.5-7B --max_length 64\n    "
     "--per_device_train_batch_size $BS\nresources:\n  gpu: A100:4\n",
     "micro_batch_size=4 nodes=2 gpus_per_node=4 gpu=a100-sxm-80"},
    {"torchrun --nproc_per_node 8 -m llamafactory.cli train --stage sft --finetuning_type lora --cutoff_len 64 "
     "--model_name_or_path Qwen/Qwen2.5-7B --per_device_train_batch_size 2\n",
     "framework.name=llama-factory micro_batch_size=2"},
    {"{\"program\": \"train.py\", \"codePath\": \"train.py\", \"args\": [\"--model_name_or_path\",\n"
     "\"Qwen/Qwen2.5-7B\", \"--per_device_train_batch_size\", \"2\", \"--max_length\", \"64\"],\n"
     "\"gpu\": \"NVIDIA H100 80GB HBM3\", \"gpu_count\": 4}", "micro_batch_size=2 gpus_per_node=4 gpu=h100-sxm-80"},
    {"apiVersion: v1\nkind: ConfigMap\ndata:\n  training_config.yaml: |\n    training_config:\n"
     "      QuantizationConfig: {load_in_4bit: true}\n      LoraConfig: {r: 16}\n"
     "      TrainingArguments: {per_device_train_batch_size: 2}\n", "peft=qlora lora_rank=16 micro_batch_size=2"},
    {"image: {tag: x}\nresources: {limits: {nvidia.com/gpu: 4}}\ncommand: [axolotl, train, conf/lora.yaml]\n",
     "micro_batch_size=2 gpus_per_node=4"},
    {"export GBS=64\nexport MBS=2\nexport MAX_LR=1e-4\nexport WARMUP_STEPS=4\nexport TP=2\nexport NNODES=4\n",
     "framework.name=other global_batch_size=64 micro_batch_size=2 tp=2"},
    {"oumi distributed torchrun -m oumi train -c conf/oumi.yaml --training.gradient_accumulation_steps 4\n",
     "framework.name=hf-trainer model.name=llama3.1-8b micro_batch_size=3 gradient_accumulation_steps=4 peft=qlora "
     "lora_rank=16 lora_targets=[q,v] seq_length=2048 fsdp=hybrid recompute=full train.dtype=bf16"},
    {"cat > ds.json <<EOF\r\n{\"zero_optimization\": {\"stage\": 2}}\r\nEOF\r\n"
     "deepspeed --num_gpus 4 sft.py --model_name_or_path Qwen/Qwen2.5-7B --max_seq_length 64 \\\r\n"
     "  --per_device_train_batch_size 2 --bf16 --deepspeed ds.json\r\n",
     "zero_stage=2 micro_batch_size=2 gpus_per_node=4"},
    {"litgpt finetune meta-llama/Llama-2-7b-hf --quantize bnb.nf4 --train.max_seq_length 64\n",
     "framework.name=litgpt model.name=llama2-7b peft=qlora lora_rank=8 gpus_per_node=1"},
    {"litgpt pretrain EleutherAI/pythia-160m --train.max_tokens 9 --devices 4\n",
     "framework.name=litgpt model.name=pythia-160m micro_batch_size=4 global_batch_size=512 gpus_per_node=4"},
    {"python litgpt/finetune/lora.py --checkpoint_dir checkpoints/tiiuae/falcon-7b --lora_r 4\n",
     "framework.name=litgpt model.name=falcon-7b peft=lora lora_rank=4"},
    {"xpk workload create --cluster c --tpu-type=v5p-128 --command \"python3 -m MaxText.train base.yml \\\n"
     "  model_name=llama2-7b per_device_batch_size=4\"\n",
     "framework.name=maxtext micro_batch_size=4 gpu=tpu-v5p nodes=16 gpus_per_node=4"},
    {"export E=train.py\npython3 MaxText/$E MaxText/configs/base.yml model_name=llama2-7b per_device_batch_size=4 \\\n"
     "  dtype=bfloat16 weight_dtype=bfloat16\n", "framework.name=maxtext micro_batch_size=4 main_param_dtype=bf16"},
    {"xpk workload create --device-type=v6e-16 --command='python3 -m src.maxtext.train src/maxtext/configs/base.yml "
     "model_name=llama2-7b per_device_batch_size=2'\n", "framework.name=maxtext gpu=tpu-v6e nodes=4 gpus_per_node=4"},
    {"python3 xpk.py workload create --command='python3 -m MaxText.train base.yml model_name=llama2-7b "
     "per_device_batch_size=2'\n", "framework.name=maxtext micro_batch_size=2"},
    {"model_name_or_path: {{ model }}\nstage: sft\nper_device_train_batch_size: 2\ncutoff_len: {{ len }}\n",
     "framework.name=llama-factory micro_batch_size=2"},
    {"megatron sft --model Qwen/Qwen2.5-7B-Instruct --tuner_type lora --lora_rank 8 --modules_to_save embed_tokens \\\n"
     "  lm_head --micro_batch_size 1\n", "framework.name=nemo-lora modules_to_save=[embedding,head]"},
    {"bash train.sh bandit model.path=x training.micro_batch_size=2\n", "framework.name=other micro_batch_size=2"},
    {"trl sft --model_name_or_path Qwen/Qwen2.5-7B --dataset_name x --per_device_train_batch_size 2\n",
     "framework.name=trl-sft train.dtype=bf16 recompute=full micro_batch_size=2"},
    {"cat <<END > ds.json\n{\"zero_optimization\": {\"stage\": $Z, \"offload_optimizer\": {\"device\": \"cpu\"}}}\n"
     "END\n"
     "Z=2\ncat <<END > ds.json\n{\"zero_optimization\": {\"stage\": $Z, \"offload_optimizer\": {\"device\": "
     "\"cpu\"}}}\nEND\n"
     "deepspeed --num_gpus 8 pretrain_gpt.py --deepspeed --deepspeed_config ds.json --num-layers 24 --hidden-size 1024 "
     "--vocab-size 50257 \\\n"
     "  --num-attention-heads 16 --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 2 "
     "--global-batch-size 16 --fp16\n", "framework.name=deepspeed zero_stage=2 offload_optimizer=1 gpus_per_node=8"},
    {"name: fine\nnum_nodes: 2\nresources:\n  accelerators: H100:4\nenvs:\n  BS: 4\nsetup: pip install axolotl\nrun: "
     "|\n"
     "  cd work\n  axolotl train conf/lora.yaml --micro-batch-size=$BS\n",
     "micro_batch_size=4 nodes=2 gpus_per_node=4"},
    {"num_nodes: 4\nresources:\n  accelerators: {A100-80GB: 8}\nrun: |\n  torchrun --nnodes $SKYPILOT_NUM_NODES "
     "--nproc_per_node \\\n"
     "    $SKYPILOT_NUM_GPUS_PER_NODE pretrain_gpt.py --num-layers 8 --hidden-size 64 --num-attention-heads 4 "
     "--vocab-size 100\n", "nodes=4 gpus_per_node=8 num_layers=8"},
    {"apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nspec:\n  pytorchReplicaSpecs:\n    Master:\n      replicas: 1\n   "
     "   template: &t\n        spec:\n"
     "          nodeSelector: {nvidia.com/gpu.product: NVIDIA-A100-SXM4-40GB}\n          containers:\n          - "
     "name: a\n            env: [{name: TP, value: \"4\"}]\n"
     "            command: [torchrun]\n            args: [--nproc_per_node, \"8\", pretrain_gpt.py, --num-layers, "
     "\"8\", --hidden-size, \"64\",\n"
     "              --num-attention-heads, \"4\", --vocab-size, \"100\", --tensor-model-parallel-size, $(TP)]\n        "
     "    resources: {limits: {nvidia.com/gpu: 8}}\n"
     "    Worker:\n      replicas: 3\n      template: *t\n", "nodes=4 gpus_per_node=8 tp=4 gpu=a100-sxm-40"},
    {"apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nspec:\n  replicatedJobs:\n  - name: w\n    replicas: 2\n    "
     "template:\n      spec:\n        parallelism: 4\n"
     "        template:\n          spec:\n            containers:\n            - command: [bash, -c, \"cd /w && "
     "axolotl train conf/lora.yaml\"]\n"
     "              resources: {limits: {nvidia.com/gpu: \"8\"}}\n", "nodes=8 gpus_per_node=8 micro_batch_size=2"},
    {"apiVersion: v1\nkind: ConfigMap\ndata:\n  train.yaml: |\n    base_model: NousResearch/Meta-Llama-3-8B\n    "
     "sequence_len: 1024\n    micro_batch_size: 3\n"
     "---\napiVersion: batch/v1\nkind: Job\nspec:\n  template:\n    spec:\n      containers:\n      - command: "
     "[axolotl, train, /etc/conf/train.yaml]\n"
     "        resources: {limits: {amd.com/gpu: 4}}\n", "nodes=1 gpus_per_node=4 micro_batch_size=3 seq_length=1024"},
    {"apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nspec:\n  trainer:\n    numNodes: 5\n    "
     "resourcesPerNode: {limits: {nvidia.com/gpu: 2}}\n"
     "    command: [axolotl]\n    args: [train, conf/lora.yaml]\n", "nodes=5 gpus_per_node=2"},
    {"name: x\nimage: y\ncompute:\n  gpus: 16\n  gpu_type: h100_80gb\ncommand: |\n  composer train.py\nparameters:\n  "
     "max_seq_len: 2048\n  model:\n    name: mpt_causal_lm\n"
     "    d_model: 512\n    n_heads: 8\n    n_layers: 4\n  train_loader:\n    name: t\n  device_train_microbatch_size: "
     "8\n  global_train_batch_size: 256\n", "nodes=2 gpus_per_node=8 num_layers=4 micro_batch_size=8 gpu=h100-sxm-80"},
    {"python3 -m verl.trainer.main_ppo --config-name='ppo_megatron_trainer.yaml' data.max_prompt_length=1024 "
     "data.max_response_length=1024 \\\n"
     "  actor_rollout_ref.model.path=Qwen/Qwen2-7B-Instruct actor_rollout_ref.actor.ppo_mini_batch_size=256 "
     "actor_rollout_ref.rollout.n=5 \\\n"
     "  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 "
     "actor_rollout_ref.actor.megatron.tensor_model_parallel_size=2 \\\n"
     "  actor_rollout_ref.actor.megatron.virtual_pipeline_model_parallel_size=null $@\n",
     "framework.name=megatron-core seq_length=2048 global_batch_size=1280 micro_batch_size=4 tp=2 sp=true zero_stage=1 "
     "nodes=1 gpus_per_node=8"},
    {"python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen2-7B-Instruct "
     "actor_rollout_ref.actor.use_dynamic_bsz=True trainer.nnodes=2 \\\n"
     "  actor_rollout_ref.actor.ppo_max_token_len_per_gpu=8192 "
     "actor_rollout_ref.actor.ulysses_sequence_parallel_size=2 actor_rollout_ref.model.lora_rank=32\n",
     "framework.name=fsdp2 fsdp=full cp=2 cp_comm=a2a micro_batch_size=16 seq_length=1024 recompute=full nodes=2 "
     "peft=lora lora_rank=32"},
    /* reinforcement learning: the engine, and what the trainer frees for it */
    {"accelerate launch --num_processes 8 -m trl.scripts.grpo --model_name_or_path Qwen/Qwen2.5-7B-Instruct "
     "--use_vllm --vllm_device auto --bf16 --gradient_checkpointing --per_device_train_batch_size 4\n",
     "rl.placement=split train.reference_model=frozen"},
    {"accelerate launch --num_processes 8 -m trl.scripts.grpo --model_name_or_path Qwen/Qwen2.5-7B-Instruct "
     "--per_device_train_batch_size 8 \\\n"
     "  --num_generations 4 --max_prompt_length 512 --max_completion_length 2048 --use_vllm --vllm_mode colocate "
     "--vllm_gpu_memory_utilization 0.4 \\\n"
     "  --vllm_tensor_parallel_size 2 --vllm_enable_sleep_mode true --bf16\n",
     "workload=rl rl.program=trl rl.algorithm=grpo rl.placement=colocate rl.rollout_share=0.4 rl.rollout_tp=2 "
     "rl.answers=4 rl.sleep_level=2 rl.max_prompt=512 rl.max_answer=2048 reference_model=frozen seq_length=2560"},
    {"NPROC_PER_NODE=8 swift rlhf --rlhf_type grpo --model Qwen/Qwen2.5-7B-Instruct --train_type full --use_vllm true "
     "--vllm_mode colocate --sleep_level 1 \\\n"
     "  --offload_model true --offload_optimizer true --max_completion_length 1024 --deepspeed zero3\n",
     "workload=rl rl.program=ms-swift rl.sleep_level=1 rl.param_offload=true rl.optimizer_offload=true "
     "offload_optimizer=0 rl.max_answer=1024"},
    {"python3 -m openrlhf.cli.train_ppo_ray --pretrain meta-llama/Llama-3.1-8B-Instruct --actor_num_nodes 1 "
     "--actor_num_gpus_per_node 8 --colocate_all_models \\\n"
     "  --vllm_num_engines 4 --vllm_tensor_parallel_size 2 --vllm_gpu_memory_utilization 0.5 --vllm_enable_sleep "
     "--deepspeed_enable_sleep --zero_stage 3 \\\n"
     "  --rollout_batch_size 1024 --n_samples_per_prompt 2 --prompt_max_len 1024 --generate_max_len 2048\n",
     "workload=rl rl.program=openrlhf rl.algorithm=ppo rl.placement=colocate rl.rollout_share=0.5 rl.rollout_tp=2 "
     "rl.samples=2048 rl.answers=2 rl.max_prompt=1024 rl.max_answer=2048 rl.param_offload=true gpus_per_node=8"},
    {"python3 -m openrlhf.cli.train_ppo_ray --actor.model_name_or_path Qwen/Qwen3-4B --actor.num_nodes 1 "
     "--actor.num_gpus_per_node 4 --train.colocate_all --train.async_enable \\\n"
     "  --vllm.num_engines 2 --vllm.tensor_parallel_size 2 --data.max_len 9216 --rollout.max_new_tokens 8192 "
     "--algo.advantage.estimator rloo \\\n"
     "  --train.dynamic_batch_enable --train.max_tokens_per_gpu 32768 --actor.gradient_checkpointing_enable\n",
     "rl.algorithm=reinforce rl.placement=split rl.max_prompt=1024 seq_length=9216 micro_batch_size=4 recompute=full "
     "rl.logprob_tokens=32768"},
    {"NPROC_PER_NODE=8 megatron rlhf --rlhf_type grpo --model Qwen/Qwen3-30B-A3B --tensor_model_parallel_size 4 "
     "--expert_model_parallel_size 8 --global_batch_size 128 \\\n"
     "  --steps_per_generation 4 --num_generations 8 --use_vllm true --vllm_mode colocate --sleep_level 2 "
     "--max_completion_length 2048 --tuner_type full\n",
     "workload=rl rl.program=ms-swift rl.samples=512 rl.sleep_level=2 rl.max_answer=2048 global_batch_size=128 tp=4 "
     "ep=8 etp=1"},
    {"python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo actor_rollout_ref.model.path=Qwen/Qwen2.5-3B "
     "actor_rollout_ref.model.lora_rank=64 \\\n"
     "  actor_rollout_ref.actor.use_kl_loss=True actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1\n",
     "rl.reference=lora rl.answers=1 rl.max_answer=512 rl.algorithm=grpo"},
    {"python3 train.py --actor-num-nodes 1 --actor-num-gpus-per-node 8 --colocate --num-layers 4 --hidden-size 64 "
     "--num-attention-heads 4 --vocab-size 100 \\\n"
     "  --rollout-batch-size 32 --n-samples-per-prompt 8 --rollout-max-response-len 8192 --advantage-estimator grpo "
     "--kl-coef 0.01 --rollout-num-gpus-per-engine 2 --sglang-mem-fraction-static 0.7\n",
     "workload=rl rl.program=slime rl.samples=256 rl.answers=8 rl.max_answer=8192 rl.rollout_tp=2 rl.reference=full "
     "rl.rollout_share=0.7 rl.param_offload=true rl.optimizer_offload=true"},
    {"torchrun --nproc_per_node=4 -m verl.trainer.fsdp_sft_trainer model.partial_pretrain=Qwen/Qwen2.5-0.5B "
     "data.micro_batch_size_per_gpu=2\n",
     "framework.name=fsdp2 micro_batch_size=2 global_batch_size=256 seq_length=1024 gpus_per_node=4"},
    {"torchrun --nproc_per_node=8 scripts/training/run_recipe.py --recipe llama32_1b_pretrain_config "
     "train.global_batch_size=64 model.tensor_model_parallel_size=2\n",
     "framework.name=megatron-core model.name=llama3.2-1b global_batch_size=64 tp=2 zero_stage=1 gpus_per_node=8"},
    {"L=4\ntorchrun --nproc_per_node 4 run_clm.py --model_type gpt2 --per_device_train_batch_size 2 --block_size 512 "
     "--fp16 \\\n"
     "  --config_overrides \"n_embd=64,n_head=4,n_layer=$L,n_positions=512,gradient_checkpointing=true\"\n",
     "num_layers=4 hidden_size=64 ffn_hidden_size=256 num_attention_heads=4 vocab_size=50257 seq_length=512 "
     "recompute=full train.dtype=fp16"},
    {"uv run python -m torch.distributed.run --nproc_per_node=4 scripts/training/run_recipe.py --recipe "
     "qwen3_600m_sft_config train.micro_batch_size=2\n",
     "framework.name=megatron-core model.name=qwen3-0.6b micro_batch_size=2 gpus_per_node=4 tp=1"},
    {"python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=$HOME/models/Qwen2.5-7B-Instruct\n",
     "model.name=qwen2.5-7b"},
    {"source /opt/elsewhere/conf/sizes.sh\ntorchrun --nproc_per_node 8 pretrain_gpt.py ${SIZES[@]} --seq-length 64 "
     "--micro-batch-size 1\n", "num_layers=8 hidden_size=64"},
    {"torchrun --nproc_per_node 8 train.py --actor-num-nodes 2 --actor-num-gpus-per-node 4 --hf-checkpoint "
     "/opt/Qwen3-4B --seq-length 64 \\\n"
     "  --micro-batch-size 1 --tensor-model-parallel-size 2\n", "model.name=qwen3-4b tp=2 nodes=2 gpus_per_node=4"},
    {"tune run lora_finetune_single_device --config llama3_1/8B_qlora_single_device batch_size=4\n",
     "framework.name=torchtune model.name=llama3.1-8b peft=qlora micro_batch_size=4 dp=1"},
    {"tune run --nproc_per_node 4 full_finetune_distributed --config qwen2_5/7B_full\n",
     "framework.name=torchtune model.name=qwen2.5-7b fsdp=full gpus_per_node=4"},
    /* trainers with names of their own (src/import/dialects.def) */
    {"python qlora.py --model_name_or_path huggyllama/llama-7b --bits 4 --double_quant --quant_type nf4 --bf16 "
     "--source_max_len 16 --target_max_len 512 --lora_modules all\n",
     "peft=qlora double_quant=true seq_length=528 lora_rank=64 micro_batch_size=1 recompute=full "
     "optimizer=paged_adam32bit"},
    {"deepspeed main.py --data_split 2,4,4 --model_name_or_path facebook/opt-1.3b --zero_stage 3 --lora_dim 128 "
     "--deepspeed\n",
     "zero_stage=3 seq_length=512 dtype=fp16 micro_batch_size=16 peft=lora lora_rank=128"},
    {"read -r -d '' cmd <<EOF\nopenrlhf.cli.train_sft \\\n --data.max_len 2048 --train.batch_size 256 \\\n"
     "--train.micro_batch_size 2 --model.model_name_or_path meta-llama/Meta-Llama-3-8B --ds.zero_stage 3 \\\n"
     "--ds.adam_offload --ds.lora.rank 64\nEOF\ndeepspeed --module $cmd\n",
     "global_batch_size=256 micro_batch_size=2 seq_length=2048 zero_stage=3 offload_optimizer=1 peft=lora lora_rank=64 "
     "dtype=bf16 model.name=llama3-8b"},
    {"NPROC_PER_NODE=2 swift sft --model Qwen/Qwen2.5-7B-Instruct --train_type lora --deepspeed zero2 "
     "--max_length 2048\n",
     "framework.name=ms-swift peft=lora lora_rank=8 zero_stage=2 seq_length=2048 recompute=full dtype=bf16"},
    {"swift sft --model Qwen/Qwen2.5-7B-Instruct --tuner_type full --max_length 64\n", "peft=none"},
    {"accelerate launch finetune.py --model_name_or_path meta-llama/Llama-3.2-3B --use_qlora 1 --quant_bit 4 "
     "--lora_r 8 --block_size 512 --conversation_template x\n",
     "peft=qlora lora_rank=8 seq_length=512"},
    {"deepspeed fastchat/train/train_lora.py --model_name_or_path meta-llama/Llama-2-7b-hf --q_lora True "
     "--model_max_length 2048 --per_device_train_batch_size 2\n",
     "peft=qlora lora_rank=8 seq_length=2048"},
    {"python finetune.py --model_name_or_path meta-llama/Llama-2-7b-hf --per_device_train_batch_size 2 "
     "--use_lora False --lora_rank 8\n",
     "peft=none"},
    {"python3 -m verl.trainer.main worker.actor.model.model_path=Qwen/Qwen3-4B worker.actor.global_batch_size=64 "
     "worker.rollout.n=4 worker.actor.model.lora.rank=32 worker.actor.micro_batch_size_per_device_for_update=2 "
     "trainer.n_gpus_per_node=4 algorithm.adv_estimator=grpo\n",
     "workload=rl model.name=qwen3-4b global_batch_size=256 micro_batch_size=2 peft=lora lora_rank=32 fsdp=full "
     "gpus_per_node=4"},
    {"CUDA_VISIBLE_DEVICES=0,1 swift sft --model Qwen/Qwen2.5-7B-Instruct --tuner_type full --max_length 64\n",
     "nodes=1 gpus_per_node=2"},
    {"export CUDA_VISIBLE_DEVICES=0,1,2\nNNODES=2 NPROC_PER_NODE=4 swift sft --model Qwen/Qwen2.5-7B --max_length 64\n",
     "nodes=2 gpus_per_node=4 peft=lora"},
    {"torchrun --nproc_per_node 4 tools/run.py --base_model meta-llama/Llama-2-7b-hf --bsz_per_gpu 2 --seq_len 512\n",
     "framework.name=other model.name=llama2-7b seq_length=512 gpus_per_node=4"},
    {"X=7B\nif [[ $X =~ ^(7|13)B$ ]]; then B=2; else B=4; fi\naxolotl train conf/lora.yaml --micro_batch_size $B\n",
     "micro_batch_size=2"},
    {"python -m examples.inference.gpt_static_inference --num-layers 8 --hidden-size 64 --num-attention-heads 4 "
     "--vocab-size 100 --max-position-embeddings 64\n", "workload=inference num_layers=8"},
    /* declarations that are not read, and here-documents */
    {"#!/bin/bash\nf() { local x=(1 2); }\nif false; then declare -a Y=(1 2); fi\naxolotl train conf/lora.yaml\n",
     "micro_batch_size=2"},
    {"for i in 1 2; do echo $i; done\nmkdir -p out\naxolotl train conf/lora.yaml\n", "micro_batch_size=2"},
    /* a configuration's base lies beside it, not beside the script */
    {"uv run python examples/run_grpo.py --config conf/above.yaml policy.model_name=Qwen/Qwen2.5-3B\n",
     "seq_length=512 micro_batch_size=4 global_batch_size=128 gpus_per_node=2"},
    /* DeepSpeed's copies are in fp32, whatever type the weights are loaded in */
    {"torchrun --nproc_per_node 8 sft.py --model_name_or_path Qwen/Qwen3-4B --torch_dtype bfloat16 --bf16 "
     "--max_length 64 --per_device_train_batch_size 1 --deepspeed conf/zero.json\n", "main_param_dtype=fp32"},
    {"torchrun --nproc_per_node 8 sft.py --model_name_or_path Qwen/Qwen3-4B --torch_dtype bfloat16 --bf16 "
     "--max_length 64 --per_device_train_batch_size 1\n", "main_param_dtype=bf16"},
    /* a loop that runs until it worked, whose rounds are one command */
    {"while true; do\n  if [ $M -gt 3 ]; then llamafactory-cli train conf/sft.yaml; break; else sleep 9; fi\ndone\n",
     "lora_rank=8"},
    /* mpirun and aprun: ranks of a node */
    {"#PBS -l select=2\naprun -n $N -N 4 python3 pretrain_gpt.py --num-layers 2 --hidden-size 64 "
     "--num-attention-heads 4 --micro-batch-size 1 --seq-length 64\n", "nodes=2 gpus_per_node=4"},
    {"torchrun --nproc_per_node 4 pretrain_gpt.py --num-layers 4 --hidden-size 64 --num-attention-heads 4 "
     "--micro-batch-size 1 --seq-length 64 --experimental-attention-variant gated_delta_net "
     "--linear-attention-freq [1]*3+[0]\n", "layer_pattern=3[G-]*-"},
};

static void commands_give_their_settings(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct plan plan, wanted;
        struct errors errors = {0};
        int result = read_script(rows[i].script, &plan, &errors);
        assert_that(result == 0, "%s\n%s", rows[i].script, errors.count ? errors.line[0] : "");
        wanted = plan;
        check_set(&wanted, rows[i].settings);
        for (int k = 0; k < PARAM_COUNT; k++) {
            char is[PARAM_TEXT_MAX], expected[PARAM_TEXT_MAX];
            param_print(&plan, (enum param)k, is, sizeof is);
            param_print(&wanted, (enum param)k, expected, sizeof expected);
            assert_that(strcmp(is, expected) == 0, "%s\n%s is %s, not %s", rows[i].script, param_rows[k].dotted, is,
                        expected);
        }
        errors_free(&errors);
    }
}

static void others_are_refused_with_what_to_do(void **state)
{
    (void)state;
    static const char *const refused[][2] = {
        {"tune run --nproc_per_node 2 lora_finetune_distributed --config llama3/8B_lora.yaml\n",
         "run.sh:1: starts a training from llama3/8B_lora.yaml, which is not in the same folder; give that file"},
        {"#!/bin/sh\npython setup.py install\n", "run.sh: looks like a shell script; none of its commands passes"},
        {"num_nodes: 2\nresources: {cpus: 2}\nrun: echo hello\n",
         "run.sh: none of its commands passes training flags"},
        {"deepspeed --module openrlhf.cli.serve_rm --reward.model_name_or_path x\n",
         "run.sh:1: openrlhf.cli.serve_rm generates text; it does not train"},
        {"#!/bin/sh\nswift export --model x --quant_bits 4\n",
         "run.sh:2: swift export converts checkpoints; it does not train"},
        {"python download_model.py 124M\npython src/main.py --is_train 1 --batch_size 50\n",
         "looks like a shell script"},
        {"python3 -m judge.dpo.run --model_name_or_path x --lang hi\n",
         "run.sh:1: judge.dpo.run evaluates a model; it does not train"},
        {"set -e\nwhich swift\npython download_model.py\n",
         "run.sh:3: download_model.py prepares data; it does not train"},
        {"#!/bin/sh\naccelerate launch evaluate.py --model_name_or_path x --output_dir y\n",
         "run.sh:2: evaluate.py evaluates a model; it does not train"},
        {"#!/bin/sh\ntorchrun main.py --do_predict --model_name_or_path x --per_device_train_batch_size 2\n",
         "run.sh:2: main.py evaluates a model; it does not train"},
        {"#!/bin/sh\npython -m verl.trainer.main_ppo actor_rollout_ref.model.path=x +trainer.val_only=true\n",
         "run.sh:2: verl.trainer.main_ppo evaluates a model; it does not train"},
        {"#!/bin/sh\nwhile [ $# -gt 0 ]; do\n  case $1 in\n    -c|--config)\n      C=$2\n      shift 2\n      ;;\n"
         "    --help)\n      exit\n      ;;\n  esac\ndone\naxolotl train conf/x$C.yaml\n",
         "give that file, or the script's arguments: shardtop show run.sh -- --config VALUE"},
        {"#!/bin/sh\naxolotl train /etc/passwd.yaml\n", "run.sh:2: starts a training from /etc/passwd.yaml"},
    };
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct plan plan;
        struct errors errors = {0};
        assert_int_equal(read_script(refused[i][0], &plan, &errors), -1);
        assert_that(errors.count && check_mentions(errors.line[errors.count - 1], refused[i][1]), "%s",
                    errors.count ? errors.line[0] : "nothing is said");
        errors_free(&errors);
    }
}

/* True where a file that lies beside the script is read and asks for a variable. */
static bool asks(const char *text, const char *variable, struct plan *plan)
{
    char path[96];
    struct errors errors = {0};
    struct plan_reading reading = {.options.path = path};
    snprintf(path, sizeof path, "%s/run.sh", folder);
    plan_clear(plan);
    assert_int_equal(plan_read(plan, text, strlen(text), "run.sh", &reading, &errors), 0);
    bool is_asked = false;
    for (int i = 0; i < reading.questions.count; i++)
        is_asked |= strcmp(reading.questions.item[i].variable, variable) == 0;
    errors_free(&errors);
    return is_asked;
}

/* Of a DeepSpeed file that is not there the stage in its name is taken, and asked about; without one it is assumed. */
static void a_missing_file_is_asked_about(void **state)
{
    struct plan plan;
    (void)state;
    assert_true(asks("llamafactory-cli train conf/sft.yaml deepspeed=x/ds_z2.json\n", "x/ds_z2.json", &plan));
    assert_same(plan.value[PARAM_parallel_zero_stage], 2);
    assert_int_equal(plan.from[PARAM_parallel_zero_stage], FROM_FILE);
    assert_true(asks("llamafactory-cli train conf/sft.yaml deepspeed=x/ds.json\n", "x/ds.json", &plan));
    assert_int_equal(plan.from[PARAM_parallel_zero_stage], FROM_ASSUMED);
    assert_true(asks("llamafactory-cli train conf/sft.yaml deepspeed=x/z3_offload.json\n", "x/z3_offload.json", &plan));
    assert_int_equal(plan.from[PARAM_train_offload_optimizer], FROM_ASSUMED);
}

/* What decides and is not told is assumed: who shards, images, experts and quantized weights in a name, a length. */
static void what_decides_is_assumed(void **state)
{
    static const struct {
        const char *script, *variable;
        enum param key;
    } open[] = {
        {"accelerate launch sft.py --model_name_or_path Qwen/Qwen2.5-7B --max_steps 9 --max_length 64\n", "launcher",
         PARAM_parallel_fsdp},
        {"accelerate launch --config_file my.yaml sft.py --model_name_or_path Qwen/Qwen2.5-7B --max_steps 9\n",
         "my.yaml", PARAM_parallel_fsdp},
        {"python sft.py --model_name_or_path Qwen/Qwen2-VL-7B --max_steps 9\n", "Qwen/Qwen2-VL-7B",
         PARAM_train_vision_tokens},
        {"python sft.py --model_name_or_path LlamaMoE/llama-7b --max_steps 9\n", "LlamaMoE/llama-7b",
         PARAM_model_num_experts},
        {"python sft.py --model_name_or_path a/llama-7b-AWQ --max_steps 9 --lora_r 8 --use_peft\n", "a/llama-7b-AWQ",
         PARAM_train_quant_dtype},
        {"python sft.py --model_name_or_path Qwen/Qwen2.5-7B --max_steps 9\n", "max_length", PARAM_train_seq_length},
        {"python sft.py --model_name_or_path Qwen/Qwen2.5-7B --max_length 64 --per_device_train_batch_size $B\n", "B",
         PARAM_train_micro_batch_size},
        {"X=$2\nif [ \"$X\" == \"\" ]; then X=3; fi\ntorchrun --nproc_per_node 2 sft.py --model_name_or_path "
         "a/llama-7b --max_length 64 --per_device_train_batch_size $1 --gradient_accumulation_steps $X\n", "$2",
         PARAM_train_micro_batch_size},
        {"python sft.py --model_name_or_path Qwen/Qwen2.5-7B --max_length 64 --max_steps 9 --deepspeed $DS\n",
         "deepspeed DS", PARAM_parallel_zero_stage},
        {"python -m verl.trainer.main_ppo actor_rollout_ref.model.path=a/llama-7b "
         "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2 actor_rollout_ref.model.lora_adapter_path=x\n",
         "actor_rollout_ref.model.lora_adapter_path x", PARAM_train_peft},
        {"torchrun pretrain_gpt.py --num-layers 2 --hidden-size 64 --num-attention-heads 4 --micro-batch-size 1 "
         "--seq-length 64 --vocab-size 64 --t5-swiglu --gas 4\n",
         "--t5-swiglu", PARAM_model_gated_mlp},
        {"python tune_it.py --model_name_or_path Qwen/Qwen2.5-7B --max_length 64 --max_steps 9\n", "tune_it.py",
         PARAM_train_peft},
        {"python train_qlora_x.py --model_name_or_path Qwen/Qwen2.5-7B --max_length 64 --max_steps 9\n", "lora_r",
         PARAM_train_lora_rank},
        {"python sft.py --model_name_or_path a/llama-7b --max_length 64 --max_steps 9 --full_finetune False\n",
         "lora_r", PARAM_train_lora_rank},
        {"if [ \"$1\" = a ]; then torchrun --nproc_per_node 2 sft.py --model_name_or_path a/llama-7b --max_length 64 "
         "--max_steps 9\nelse torchrun --nproc_per_node 2 sft.py --model_name_or_path a/llama-7b --max_length 64 "
         "--max_steps 9 --use_peft --lora_r 8\nfi\n",
         "use_peft in another branch", PARAM_train_peft},
        {"if [ \"$1\" = a ]; then torchrun pretrain_gpt.py --num-layers 2 --hidden-size 64 --num-attention-heads 4 "
         "--micro-batch-size 1 --seq-length 64 --bf16\nelif [ \"$1\" = b ]; then torchrun pretrain_gpt.py --num-layers "
         "2 --hidden-size 64 --num-attention-heads 4 --micro-batch-size 1 --seq-length 64 --fp16\nfi\n",
         "train.dtype in another branch", PARAM_train_dtype},
        {"export HCCL_CONNECT_TIMEOUT=9\npython sft.py --model_name_or_path a/llama-7b --max_length 64 --max_steps 9\n",
         "Ascend NPUs", PARAM_hardware_gpu},
        {"python -m verl.trainer.main_ppo actor_rollout_ref.model.path=a/llama-7b "
         "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2\n",
         "train.recompute", PARAM_train_recompute},
        {"python tune_it.py --model_name_or_path a/llama-7b --max_length 64 --max_steps 9 --use_peft --lora_r 8\n",
         "lora_target_modules", PARAM_train_lora_targets},
        {"python tune_it.py --model_name_or_path a/llama-7b --max_length 64 --max_steps 9\n", "bf16",
         PARAM_train_dtype},
        {"torchrun train.py --model_name_or_path a/llama-7b --data_path x --per_device_train_batch_size 1 "
         "--deepspeed x.json\n", /* stanford_alpaca's gives the type */
         "bf16", PARAM_train_dtype},
        {"python tune_it.py --model_name_or_path a/llama-7b --max_length 64 --max_steps 9 --load_in_8bit --lora_r 8\n",
         "gradient_checkpointing", PARAM_train_recompute},
        {"python sft.py --model_name_or_path a/llama-7b --max_length 64 --max_steps 9 --optim rmsprop --bf16\n",
         "optim rmsprop", PARAM_train_optimizer},
        {"python -m my.main_rl algorithm.adv_estimator=grpo actor_rollout_ref.model.path=a/llama-7b "
         "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2 data.train_batch_size=8\n",
         "my.main_rl", PARAM_framework_name},
        {"llamafactory-cli train --stage sft --model_name_or_path a/llama-7b --cutoff_len 64 --variance_layers 4\n",
         "variance_layers", PARAM_framework_name},
        {"python finetune.py --model_name_or_path a/llama-7b --source_max_len 16 --target_max_len 64 --max_steps 9\n",
         "finetune.py", PARAM_train_peft},
        {"megatron sft --model Qwen/Qwen3-8B --task_type embedding\n", "--task-type embedding", PARAM_plan_workload},
        {"python dpo_online.py --model_name_or_path Qwen/Qwen2.5-7B --max_steps 9 --max_length 64\n", "online",
         PARAM_plan_workload},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(open); i++) {
        struct plan plan;
        assert_that(asks(open[i].script, open[i].variable, &plan), "%s", open[i].script);
        assert_that(plan.from[open[i].key] == FROM_ASSUMED, "%s: %s", open[i].script, param_rows[open[i].key].dotted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_give_their_settings),
        cmocka_unit_test(others_are_refused_with_what_to_do),
        cmocka_unit_test(a_missing_file_is_asked_about),
        cmocka_unit_test(what_decides_is_assumed),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
