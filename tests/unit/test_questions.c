/* What inputs leave open: which questions are asked, what is assumed meanwhile, and what answers them. */
#include "tests/check.h"

#include "core/estimate/estimate.h"
#include "core/estimate/range.h"
#include "core/plan/param.h"
#include "core/plan/question.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/plan/offer.h"
#include "src/text/keyval.h"
#include "src/text/text.h"

/* `variable:key+key=assumed;` for each question. */
static char *questions_text(const struct questions *questions)
{
    struct buffer out = {0};
    buffer_puts(&out, "");
    for (int i = 0; i < questions->count; i++) {
        const struct question *question = &questions->item[i];
        buffer_printf(&out, "%s:", question->variable);
        for (int k = 0; k < question->count; k++)
            buffer_printf(&out, "%s%s", k ? "+" : "", param_rows[question->decides[k]].key);
        buffer_printf(&out, "=%s;", question->assumed);
    }
    return out.text;
}

/* Reads a text with variables `A=1 B=2` and arguments; a blank separates them. */
static void read_text(const char *text, const char *env, const char *arguments, struct plan *plan,
                      struct plan_reading *reading)
{
    enum { MAX = 8 };
    struct errors errors = {0};
    struct keyvals variables = {0};
    char *words = xstrdup(env), *given = xstrdup(arguments ? arguments : ""), *argument[MAX];
    *reading = (struct plan_reading){.options = {.env = &variables}};
    for (char *p = strtok(words, " "); p; p = strtok(NULL, " ")) {
        char *name = xstrndup(p, strcspn(p, "="));
        keyvals_add(&variables, name, p + strcspn(p, "=") + 1, 0);
        free(name);
    }
    for (char *p = strtok(given, " "); p && reading->options.arguments < MAX; p = strtok(NULL, " "))
        argument[reading->options.arguments++] = p;
    reading->options.argument = arguments ? argument : NULL;
    plan_clear(plan);
    int result = plan_read(plan, text, strlen(text), "f.sh", reading, &errors);
    assert_that(result == 0, "%s\n%s", text, errors.count ? errors.line[0] : "");
    plan_finish(plan);
    plan_ask_hardware(plan, "f.sh", &reading->questions);
    questions_settle(&reading->questions, plan);
    errors_free(&errors);
    keyvals_free(&variables);
    free(words);
    free(given);
}

#define MODEL " --num-layers 4 --hidden-size 64 --num-attention-heads 4 --seq-length 64 --vocab-size 128 "
#define GPUS  "GPUs:nodes=1 x 8;GPU:gpu=h100-sxm-80;"
#define SERVER(labels)                                                                                                 \
    "apiVersion: v1\nkind: Pod\nspec:\n  nodeSelector: {" labels "}\n  containers:\n"                                  \
    "  - image: vllm/vllm-openai\n    args: [--model, Qwen/Qwen2.5-0.5B]\n"                                           \
    "    resources: {limits: {nvidia.com/gpu: 1}}\n"
#define NEMO                                                                                                           \
    "trainer: {devices: 8, num_nodes: 1, precision: bf16}\nmodel:\n  mcore_gpt: true\n  micro_batch_size: 1\n"        \
    "  num_layers: 4\n  hidden_size: 64\n  num_attention_heads: 4\n  encoder_seq_length: 64\n"                       \
    "  override_vocab_size: 99\n  data: "
#define NEMO_RL                                                                                                        \
    "sft: {max_num_steps: 3}\ncluster: {gpus_per_node: 8, num_nodes: 1}\npolicy:\n  model_name: Qwen/Qwen3-0.6B\n"     \
    "  train_global_batch_size: 8\n  train_micro_batch_size: 1\n  max_total_sequence_length: 64\n  sequence_packing: "
#define TITAN                                                                                                          \
    "[model]\nname = 'llama3'\nflavor = 'debugmodel'\n[training]\nlocal_batch_size = 1\nseq_len = 64\n"                \
    "[activation_checkpoint]\nmode = 'none'\n"
#define AXOLOTL "base_model: Qwen/Qwen2.5-0.5B\nmicro_batch_size: 1\nsequence_len: 64\ndatasets: x\n"
#define FACTORY "model_name_or_path: Qwen/Qwen2.5-0.5B\nstage: sft\nper_device_train_batch_size: 1\ncutoff_len: 64\n" \
                "finetuning_type: "
#define RUN   "srun python pretrain_gpt.py" MODEL

static void inputs_ask_for_what_they_leave_open(void **state)
{
    (void)state;
    static const struct {
        const char *text, *env, *arguments, *questions;
    } table[] = {
        {RUN, "", NULL, GPUS},
        {RUN "--tensor-model-parallel-size $TP", "", NULL, "TP:tp=1;" GPUS},
        {RUN "--tensor-model-parallel-size $TP", "TP=2", NULL, GPUS},
        {RUN "--tensor-model-parallel-size ${TP:-2}", "", NULL, GPUS},
        {"TP=4\n" RUN "--tensor-model-parallel-size $TP", "TP=2", NULL, GPUS},
        {"TP=$1\n" RUN "--tensor-model-parallel-size $TP", "", NULL, "$1:tp=1;" GPUS},
        {"TP=$1\n" RUN "--tensor-model-parallel-size $TP", "", "2", GPUS},
        {"shift\n" RUN "--tensor-model-parallel-size $1", "", "a 2", GPUS},
        {"if [ $# -eq 2 ]; then TP=2; fi\n" RUN "--tensor-model-parallel-size $TP", "", "a b", GPUS},
        {RUN "--tensor-model-parallel-size $N --expert-model-parallel-size $N --num-experts $N", "", NULL,
         "N:num_experts+tp+ep=;" GPUS},
        {RUN "--tensor-model-parallel-size $(f x)", "", NULL, "$(f x):tp=1;" GPUS},
        {"torchrun --nnodes $NODES --nproc_per_node 8 train.py" MODEL, "", NULL,
         "NODES:nodes=1;GPU:gpu=h100-sxm-80;"},
        {"torchrun --nnodes 2 --nproc_per_node 8 train.py" MODEL, "", NULL, "GPU:gpu=h100-sxm-80;"},
        {"if x; then A='--bf16'; fi\n" RUN "$A", "", NULL, "the condition in line 1:dtype=bf16;" GPUS},
        {"srun python train.py --num-layers 4 --hidden-size 64 --tokenizer-type Mine", "", NULL,
         "Mine:vocab_size=131072;" GPUS},
        {"srun python train.py --num-layers 4 --hidden-size 64 --tokenizer-type SentencePieceTokenizer "
         "--tokenizer-model $M", "",
         NULL, "SentencePieceTokenizer:vocab_size=32000;" GPUS},
        {"srun python train.py --num-layers 4 --hidden-size 64", "", NULL, "vocabulary:vocab_size=131072;" GPUS},
        {"srun python train.py --num-layers 4 --hidden-size 64 --tokenizer-type GPT2BPETokenizer --merge-file $D/m.txt",
         "",
         NULL, GPUS},
        {"MODEL_ARGS:\n  --num-layers: 4\n  --tensor-model-parallel-size: ${TP}\n  --vocab-size: 9\n", "", NULL,
         "TP:tp=1;" GPUS},
        {"MODEL_ARGS:\n  --num-layers: 4\n  --tensor-model-parallel-size: ${TP}\n  --vocab-size: 9\n", "TP=2", NULL,
         GPUS},
        {"MODEL_ARGS:\n  --num-layers: 4\n  --merge-file: ${DATA}/gpt2-merges.txt\n", "", NULL, GPUS},
        {"model: llama2-7b\nparallel: {tp: 2}\n", "", NULL, GPUS},
        {"SIZE=$2\nTP=$3\n" RUN "--tensor-model-parallel-size $TP --micro-batch-size $1", "", "TP=4",
         "$1:micro_batch_size=1;" GPUS},
        /* a file that is not there may name the method too, unless the command does */
        {"llamafactory-cli train no.yaml model_name_or_path=Qwen/Qwen2.5-0.5B cutoff_len=64 bf16=true", "", NULL,
         "no.yaml:peft+zero_stage+micro_batch_size+recompute+optimizer=lora;" GPUS},
        {"llamafactory-cli train no.yaml model_name_or_path=Qwen/Qwen2.5-0.5B cutoff_len=64 finetuning_type=full", "",
         NULL, "no.yaml:zero_stage+micro_batch_size+dtype+recompute+optimizer=0;" GPUS},
        /* flags and settings of nobody's table, by their words */
        {"srun python x.py" MODEL, "", NULL, "x.py:workload=train;" GPUS},
        {RUN "--shared-expert-number 1", "", NULL, "--shared-expert-number 1:moe_shared_ffn_hidden_size=0;" GPUS},
        {RUN "--first-k-dense 3", "", NULL, "--first-k-dense 3:moe_first_dense=3;" GPUS},
        {RUN "--adapter-rank 8", "", NULL, "--adapter-rank 8:peft+lora_rank=lora;" GPUS},
        {RUN "--swap-adam", "", NULL, "--swap-adam:offload_optimizer=0;" GPUS},
        {RUN "--tensor-degree=4", "", NULL, "--tensor-degree 4:tp=4;" GPUS},
        {RUN "--tensor-degree 4 --tensor-model-parallel-size 2", "", NULL, "--tensor-degree 4:tp=2;" GPUS},
        {RUN "--tensor-degree 1 --eval-micro-batch 3 --swap-adam false", "", NULL, GPUS},
        {"per_device_train_batch_size: 1\nmodel_name_or_path: meta-llama/Llama-2-7b-hf\nbf16: true\n"
         "max_length: 64\nshard_optimizer: 2\n", "", NULL,
         "launcher:fsdp=none;shard_optimizer 2:fsdp+zero_stage=none;" GPUS},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct plan plan;
        struct plan_reading reading;
        read_text(table[i].text, table[i].env, table[i].arguments, &plan, &reading);
        char *found = questions_text(&reading.questions);
        assert_that(strcmp(found, table[i].questions) == 0, "%s\nasks\n%s\nnot\n%s", table[i].text, found,
                    table[i].questions);
        free(found);
    }
}

#define SHARDED                                                                                                        \
    "stage: sft\nfinetuning_type: full\nper_device_train_batch_size: 1\ncutoff_len: 64\nbf16: true\n"                  \
    "deepspeed: {zero_optimization: {stage: 3}}\n"
#define ENGINE                                                                                                         \
    "torchrun --nproc_per_node 8 --nnodes 1 src/train.py --stage sft --finetuning_type full --bf16 true "              \
    "--cutoff_len 64 --per_device_train_batch_size 1 --gradient_accumulation_steps 1 --model_name_or_path meta-llama/"
#define FORK(program)                                                                                                  \
    "torchrun --nproc_per_node 2 --nnodes 1 " program                                                                  \
    " --num-layers 4 --hidden-size 64 --num-attention-heads 4 --max-position-embeddings 64 --seq-length 64 "           \
    "--micro-batch-size 1 --global-batch-size 2 --bf16 --train-iters 1 --vocab-size 64 "
#define VERL                                                                                                           \
    " algorithm.adv_estimator=grpo data.train_batch_size=64 data.max_prompt_length=64 data.max_response_length=64 "    \
    "actor_rollout_ref.model.path=Qwen/Qwen2.5-0.5B actor_rollout_ref.actor.ppo_mini_batch_size=64 "                   \
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1 "                                                          \
    "actor_rollout_ref.model.enable_gradient_checkpointing=True "                                                      \
    "trainer.n_gpus_per_node=8 trainer.nnodes=1"
#define SLIME                                                                                                          \
    "python3 train.py --actor-num-nodes 1 --actor-num-gpus-per-node 8 --colocate --rollout-batch-size 8 "              \
    "--n-samples-per-prompt 8 --global-batch-size 64 --rollout-num-gpus-per-engine 1 --rollout-max-response-len 64 "   \
    "--num-layers 24 --hidden-size 896 --ffn-hidden-size 4864 --num-attention-heads 14 --vocab-size 151936 --swiglu "  \
    "--group-query-attention --num-query-groups 2 --max-tokens-per-gpu 4096 --use-dynamic-batch-size --hf-checkpoint "
#define RLHF                                                                                                           \
    " --pretrain Qwen/Qwen2.5-0.5B --bf16 --micro_train_batch_size 1 --max_len 64 --zero_stage 3 --ptx_coef 0.1 "
#define PPO                                                                                                            \
    "python3 -m openrlhf.cli.train_ppo_ray --pretrain Qwen/Qwen2.5-0.5B --bf16 --micro_train_batch_size 1 "            \
    "--zero_stage 3 --advantage_estimator reinforce --vllm_num_engines 2 --prompt_max_len 64 --generate_max_len 64 "   \
    "--actor_num_gpus_per_node 8 "
#define OUMI                                                                                                           \
    "training: {trainer_type: TRL_SFT, per_device_train_batch_size: 1}\n"                                              \
    "model: {model_max_length: 64, torch_dtype_str: bfloat16, model_name: "
#define REPLICAS                                                                                                       \
    " sft.py --model_name_or_path Qwen/Qwen2.5-0.5B --bf16 true --per_device_train_batch_size 1 --max_length 64 "      \
    "--use_peft false --learning_rate 1e-5 --gradient_accumulation_steps 1"
#define KUBEFLOW                                                                                                       \
    "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nspec:\n  pytorchReplicaSpecs:\n    Master:\n      replicas: 1\n"   \
    "      template:\n        spec:\n          containers:\n          - {command: [bash, -c, \""
#define SHARDS                                                                                                         \
    " src/train.py --stage sft --finetuning_type full --bf16 true --cutoff_len 64 --per_device_train_batch_size 1 "    \
    "--model_name_or_path meta-llama/Llama-2-7b-hf --deepspeed examples/deepspeed/ds_z3_config.json\"]"
#define NEOX                                                                                                           \
    "{'pipe_parallel_size': 1, 'num_layers': 4, 'hidden_size': 64, 'num_attention_heads': 4, 'seq_length': 64, "       \
    "'pos_emb': 'rotary', 'gpt_j_tied': false, "
#define TUNE                                                                                                           \
    "model: {_component_: torchtune.models.qwen2_5.qwen2_5_0_5b}\nbatch_size: 1\ndtype: bf16\n"                        \
    "optimizer: {_component_: torch.optim.AdamW}\n"

/* A verdict that hangs on a guessed size is none. */
static void a_guessed_size_makes_the_verdict_unknown(void **state)
{
    (void)state;
    static const struct {
        const char *text, *env;
        bool is_unknown;
    } table[] = {
        {RUN "--tensor-model-parallel-size $TP --micro-batch-size 1", "", true},
        {RUN "--tensor-model-parallel-size $TP --micro-batch-size 1", "TP=2", false},
        {RUN "--micro-batch-size $B", "", true},
        {"srun python train.py --num-layers 4 --hidden-size 64 --num-attention-heads 4 --seq-length 64 "
         "--tokenizer-type Mine",
         "", true},
        {"srun python train.py --num-layers 4 --hidden-size 64 --num-attention-heads 4 --seq-length 64 "
         "--tokenizer-type PretrainedFromHF --tokenizer-name-or-path bloomz_tokenizer",
         "", false},
        {RUN "--micro-batch-size 1 --swap-adam", "", true},
        {RUN "--micro-batch-size 1 --num-query-groups $G --group-query-attention", "", true},
        /* the number of GPUs, where it decides: states are split over them, and neither none nor all of them fit */
        {SHARDED "model_name_or_path: meta-llama/Llama-2-70b-hf\n", "", true},
        {SHARDED "model_name_or_path: meta-llama/Llama-2-7b-hf\n", "", true},
        {SHARDED "model_name_or_path: Qwen/Qwen2.5-0.5B\n", "", false},
        {"accelerate launch --num_processes 8 --num_machines 1 sft.py --model_name_or_path Qwen/Qwen2.5-0.5B "
         "--bf16 true --per_device_train_batch_size 1 --max_length 64 --deepspeed ds_z3.json --fsdp full_shard",
         "", false},
        /* a file of DeepSpeed that is not there may offload */
        {ENGINE "Llama-2-70b-hf --deepspeed conf/zero3.json", "", true},
        {ENGINE "Llama-2-70b-hf --deepspeed conf/ds_z3_config.json", "", false},
        {"accelerate launch --config_file conf/zero3.yaml --num_processes 8 --num_machines 1 sft.py --bf16 true "
         "--model_name_or_path Qwen/Qwen2.5-0.5B --per_device_train_batch_size 1 --max_length 64",
         "", true},
        {ENGINE "Llama-2-7b-hf --deepspeed conf/zero3.json", "", false},
        /* what a server's flag takes, and nobody knows how much */
        {"vllm serve Qwen/Qwen2.5-0.5B -tp 1 --max-model-len 64 --enable-lora --max-loras 8", "", true},
        {"vllm serve Qwen/Qwen2.5-0.5B -tp 1 --max-model-len 64", "", false},
        {"vllm serve Qwen/Qwen2.5-0.5B --max-model-len 64 --all2all-backend deepep_low_latency", "", true},
        {"vllm serve Qwen/Qwen2.5-0.5B --max-model-len 64 --all2all-backend allgather_reducescatter", "", false},
        {"export VLLM_ALL2ALL_BACKEND=deepep_low_latency\nvllm serve Qwen/Qwen2.5-0.5B --max-model-len 64", "", true},
        {"VLLM_ALL2ALL_BACKEND=naive vllm serve Qwen/Qwen2.5-0.5B --max-model-len 64", "", false},
        {"scenario:\n- common:\n    model: {name: openai/gpt-oss-120b, maxModelLen: 65536}\n"
         "  kustomize: {enabled: true}\n",
         "", true},
        /* a checkpoint that is served with fewer bits than it is trained with */
        {SLIME "/models/Qwen2.5-0.5B-INT4", "", true},
        {SLIME "/models/Kimi-K2-Thinking", "", true},
        {SLIME "/models/DeepSeek-R1-bf16", "", false},
        {SLIME "Qwen/Qwen2.5-0.5B", "", false},
        /* a branch that nobody chose; one process over several GPUs; programs that differ from what they are read as */
        {"TP=1\nif test -s conf; then TP=2; fi\n" RUN "--tensor-model-parallel-size $TP --micro-batch-size 1",
         "", true},
        {"CUDA_VISIBLE_DEVICES=0,1 swift sft --model Qwen/Qwen2.5-0.5B --train_type full --max_length 64", "", true},
        {"CUDA_VISIBLE_DEVICES=0 swift sft --model Qwen/Qwen2.5-0.5B --train_type full --max_length 64", "", false},
        {"#SBATCH --nodes=1\n#SBATCH --gpus-per-node=4\npython" REPLICAS, "", true}, /* nn.DataParallel */
        {"#SBATCH --nodes=1\n#SBATCH --gpus-per-node=1\npython" REPLICAS, "", false},
        {"#SBATCH --nodes=1\n#SBATCH --gpus-per-node=4\ntorchrun --nproc_per_node 4" REPLICAS, "", false},
        {"swift sft --model meta-llama/Llama-2-7b-hf --train_type full --max_length 64 --deepspeed zero3\n"
         "export CUDA_VISIBLE_DEVICES=0\n", "", true},
        {"NPROC_PER_NODE=2 megatron rlhf --rlhf_type dpo --model Qwen/Qwen2.5-0.5B --max_length 64", "", true},
        {FORK("pretrain_yuan.py") "--lf-conv2d-group 1", "", true},
        {FORK("pretrain_gpt.py") "--lf-conv2d-group 1", "", false},
        {FORK("pretrain_vlm.py"), "", true},
        {"python3 -m verl.trainer.main_ppo" VERL, "", false},
        {"python3 -m recipe.sppo.main_sppo" VERL, "", true},
        {"python3 -m verl.trainer.main_ppo env.max_steps=4" VERL, "", true},
        {OUMI "Qwen/Qwen2.5-0.5B}\n", "", false},
        {OUMI "meta-llama/Llama-2-70b-hf}\nfsdp: {enable_fsdp: true}\n", "", true},
        {KUBEFLOW "torchrun --nproc_per_node $N" SHARDS "}\n", "", true},
        {KUBEFLOW "torchrun" SHARDS "}\n", "", true},
        {KUBEFLOW "torchrun" SHARDS ", resources: {limits: {nvidia.com/gpu: 8}}}\n", "", false},
        {KUBEFLOW "torchrun --nproc_per_node 8" SHARDS ", resources: {limits: {nvidia.com/gpu: 8}}}\n", "", false},
        /* recipes that torchtune's files do not name, and samples of any length */
        {TUNE "tokenizer: {max_seq_len: 64}\nfsdp_cpu_offload: true\n", "", false},
        {TUNE "tokenizer: {max_seq_len: 64}\n", "", true},
        {TUNE "fsdp_cpu_offload: true\n", "", true},
        {TUNE "tokenizer: {max_seq_len: 64}\nfsdp_cpu_offload: true\ngrpo_samples: 4\n", "", true},
        {"base_model: Qwen/Qwen2.5-0.5B\nmicro_batch_size: 1\nsequence_len: 64\ndatasets: x\nlora_r: 8\n", "", true},
        {"model_name_or_path: Qwen/Qwen2.5-0.5B\nstage: ttl\nfinetuning_type: full\n"
         "per_device_train_batch_size: 1\n", "", true},
        {"model_name_or_path: Qwen/Qwen2.5-0.5B\nstage: sft\nfinetuning_type: freeze\nuse_llama_pro: true\n"
         "per_device_train_batch_size: 1\n", "", true},
        {"model_name_or_path: Qwen/Qwen2.5-0.5B\nstage: sft\nfinetuning_type: full\ntokenized_path: x\n", "", true},
        /* settings that the trainer's own parser refuses, beside those that it takes */
        {RUN "--micro-batch-size 1 --frob 3", "", true},
        {RUN "--micro-batch-size 1 --frob-log 3 --use-flash-attn-triton --rm-type x", "", false},
        {"MODEL_ARGS: {--num-layers: 4, --vocab-size: 9, --frob: 3}\n", "", true},
        {"deepspeed --num_gpus 8 --module openrlhf.cli.train_sft" RLHF, "", false},
        {"deepspeed --num_gpus 8 --module openrlhf.cli.train_sft --frob x" RLHF, "", true},
        {"deepspeed --num_gpus 8 --module openrlhf.cli.train_weighted_sft" RLHF, "", true}, /* a fork's own */
        /* samples, a critic and a reward model, whatever else the program's name has */
        {"deepspeed --num_gpus 8 --module openrlhf.cli.train_ppo_with_prm" RLHF, "", true},
        {"deepspeed --num_gpus 8 custom_reward.py --critic_learning_rate 9e-6 --actor_learning_rate 5e-7" RLHF, "",
         true},
        /* what a configuration that is not there may say, and the one below it */
        {"llamafactory-cli train conf/no.yaml --model_name_or_path Qwen/Qwen2.5-0.5B --cutoff_len 64\n", "", true},
        {"defaults: no.yaml\npolicy: {model_name: Qwen/Qwen2.5-0.5B, train_global_batch_size: 8}\n"
         "grpo: {num_prompts_per_step: 8}\ncluster: {gpus_per_node: 8, num_nodes: 1}\n", "", true},
        /* nodes of which nobody says how many GPUs they have */
        {"#SBATCH --nodes=2\nsrun python pretrain_gpt.py --num-layers 80 --hidden-size 8192 --num-attention-heads 64 "
         "--seq-length 64 --vocab-size 128 --micro-batch-size 1 --deepspeed --zero-stage 3 --bf16", "", true},
        {"python3 -m verl.trainer.main_ppo actor_rollout_ref.actor.frob=4" VERL, "", true},
        {"python3 -m verl.trainer.main_ppo actor_rollout_ref.actor.use_torch_compile=true" VERL, "", false},
        {NEOX "'train_micro_batch_size_per_gpu': 1}", "", false},
        {NEOX "'train_micro_batch_size_per_gpu': 1, 'frob': 3}", "", true},
        {NEOX "'hostfile': 'x'}", "", true}, /* batch and sharding are in the other file */
        /* OpenRLHF before 0.9 trains in fp32 where nobody says a type; a host file beside CUDA_VISIBLE_DEVICES */
        {"deepspeed --num_gpus 8 --module openrlhf.cli.train_sft --pretrain Qwen/Qwen2.5-0.5B "
         "--micro_train_batch_size 1 --max_len 64 --zero_stage 3", "", true},
        {"export CUDA_VISIBLE_DEVICES=4\ndeepspeed --hostfile=h --module openrlhf.cli.train_sft --pretrain "
         "Qwen/Qwen2.5-7B --bf16 --micro_train_batch_size 1 --max_len 64 --zero_stage 3", "", true},
        /* a reference on fewer GPUs than an eighth of the actor's may be what does not fit */
        {PPO "--ref_num_gpus_per_node 2", "", false},
        {PPO "--ref_num_gpus_per_node 1 --actor_num_nodes 4", "", true},
        {PPO "--ref_num_gpus_per_node 1 --actor_num_nodes 4 --colocate_actor_ref", "", false},
        /* a critic on fewer GPUs than the actor's has more to hold on each */
        {PPO "--advantage_estimator gae --critic_num_gpus_per_node 1", "", true},
        {PPO "--advantage_estimator gae --critic_num_gpus_per_node 8", "", false},
        /* a program named after a gated model builds it, whatever its flags say */
        {"srun python pretrain_llama.py" MODEL "--micro-batch-size 1", "", true},
        {"srun python pretrain_llama.py" MODEL "--micro-batch-size 1 --swiglu", "", false},
        {"if [ $X = 0 ]; then S=pretrain_gpt.py; else S=pretrain_retro.py; fi\nsrun python $S" MODEL
         "--micro-batch-size 1", "", true},
        /* one replica on the fewest GPUs: more of them shrink its states */
        {"torchrun --nproc_per_node 8 --nnodes $N pretrain_gpt.py --num-layers 80 --hidden-size 8192 --seq-length 2048 "
         "--num-attention-heads 64 --vocab-size 32000 --micro-batch-size 1 --bf16 --tensor-model-parallel-size 8 "
         "--pipeline-model-parallel-size 2 --use-distributed-optimizer", "", true},
        /* what is not modelled; names that no axolotl had; plugins and methods that are not known */
        {AXOLOTL, "", false},
        {AXOLOTL "train_on_inputs: true\nplugins: [axolotl.integrations.liger.LigerPlugin]\nrl: false\n", "", false},
        {AXOLOTL "selective_checkpointing: true\n", "", true},
        {AXOLOTL "lora_target_parameters: [mlp.experts.gate_up_proj]\n", "", true},
        {AXOLOTL "frob: true\n", "", true},
        {AXOLOTL "plugins: [axolotl.integrations.liger.LigerPlugin, frob.Plugin]\n", "", true},
        {AXOLOTL "rl: gdpo\n", "", true},
        {FACTORY "full\n", "", false},
        {FACTORY "full\nmixture_of_depths: convert\n", "", true},
        {FACTORY "full\nuse_vllm: true\n", "", true},
        {FACTORY "full\nuse_mca: true\n", "", true},
        {RUN "--micro-batch-size 1 --freeze-all-layers", "", true},
        {RUN "--micro-batch-size 1 --rampup-batch-size 1 1 9", "", false},
        /* NeMo's file of a model, which has no data */
        {NEMO "{data_impl: mmap, data_prefix: [1.0, x]}\n", "", false},
        {NEMO "{data_impl: mmap}\n", "", true},
        /* NeMo-RL: micro-batches in tokens, replicas of shards, fp8 */
        {NEMO_RL "{enabled: true, train_mb_tokens: 64}\n  dtensor_cfg: {enabled: true}\n", "", false},
        {NEMO_RL "{enabled: true, train_mb_tokens: 640}\n  dtensor_cfg: {enabled: true}\n", "", true},
        {NEMO_RL "{enabled: false}\n  dtensor_cfg: {enabled: true, dp_replicate_size: 2}\n", "", true},
        {NEMO_RL "{enabled: false}\n  megatron_cfg: {enabled: true, fp8_cfg: {enabled: true}}\n", "", true},
        /* torchtitan's replicas of shards over the GPUs that are left; the type of an export decides nothing */
        {TITAN "[checkpoint]\nexport_dtype = 'float32'\n[float8]\nfilter_fqns = ['output']\n", "", false},
        {TITAN "[parallelism]\ndata_parallel_replicate_degree = 2\n", "", true},
        /* a label may say that there is a GPU, and not which; a name that is not known leaves it open */
        {SERVER("workload: gpu, gpu: 'true', accelerator: nvidia, nvidia.com/gpu.count: '8'"), "", false},
        {SERVER("gpu-type: nvidia-2080ti"), "", true},
        {SERVER("nvidia.com/gpu.product: AGX-Thor"), "", true},
        {SERVER("accelerator: RTX-2080-Ti"), "", true},
        {SERVER("nvidia.com/gpu.memory: '24576'"), "", true},
        {SERVER("node.kubernetes.io/instance-type: g5.xlarge"), "", true},
        {SERVER("node.kubernetes.io/instance-type: m5.large"), "", true},
        {"{\"program\": \"train_sft.py\", \"args\": [\"--pretrain\", \"Qwen/Qwen2.5-7B\", \"--bf16\", "
         "\"--micro_train_batch_size\", \"1\", \"--max_len\", \"64\", \"--zero_stage\", \"3\"], "
         "\"executable\": \"python\", \"gpu\": \"NVIDIA GeForce RTX 2080 Ti\"}", "", true},
        {"{\"program\": \"train_sft.py\", \"args\": [\"--pretrain\", \"Qwen/Qwen2.5-7B\", \"--bf16\", "
         "\"--micro_train_batch_size\", \"1\", \"--max_len\", \"64\", \"--zero_stage\", \"3\"], "
         "\"executable\": \"python\", \"gpu\": \"NVIDIA H200\"}", "", false},
        /* servers on what is no GPU */
        {"vllm serve Qwen/Qwen2.5-0.5B --device cuda", "", false},
        {"docker run vllm/vllm-tpu:latest --model Qwen/Qwen2.5-0.5B", "", true},
        /* a record's count of GPUs is of the machine */
        {"{\"program\": \"train_sft.py\", \"args\": [\"--pretrain\", \"Qwen/Qwen2.5-7B\", \"--bf16\", "
         "\"--micro_train_batch_size\", \"1\", \"--max_len\", \"64\", \"--zero_stage\", \"3\"], "
         "\"executable\": \"python\", \"gpu_count\": 8}", "", true},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct plan plan;
        struct plan_reading reading;
        struct estimate *estimate = xmalloc(sizeof *estimate);
        read_text(table[i].text, table[i].env, NULL, &plan, &reading);
        estimate_plan(&plan, estimate);
        assert_that((range_verdict(estimate) == VERDICT_UNKNOWN) == table[i].is_unknown, "%s", table[i].text);
        free(estimate);
    }
}

/* An answer closes its key; the question goes with the last one. */
static void answers_close_questions(void **state)
{
    (void)state;
    char why[PARAM_WHY_MAX];
    struct plan plan;
    struct plan_reading reading;
    read_text(RUN "--tensor-model-parallel-size $N --pipeline-model-parallel-size $N", "", NULL, &plan, &reading);
    assert_int_equal(reading.questions.count, 3);
    assert_int_equal(plan.from[PARAM_parallel_tp], FROM_ASSUMED);
    assert_int_equal(param_parse(&plan, PARAM_parallel_tp, "2", FROM_SET, false, why), 0);
    questions_settle(&reading.questions, &plan);
    assert_int_equal(reading.questions.item[0].count, 1);
    assert_int_equal(param_parse(&plan, PARAM_parallel_pp, "2", FROM_SET, false, why), 0);
    questions_settle(&reading.questions, &plan);
    assert_int_equal(reading.questions.count, 2);
    assert_string_equal(reading.questions.item[0].variable, "GPUs");
}

/* A file to the right answers what the one before left open, and what it assumed does not replace what was said. */
static void later_files_answer(void **state)
{
    (void)state;
    struct plan plan;
    struct plan_reading reading;
    struct errors errors = {0};
    static const char config[] =
        "{\"model_type\": \"llama\", \"hidden_size\": 64, \"num_hidden_layers\": 4, \"num_attention_heads\": 4, "
        "\"intermediate_size\": 128, \"vocab_size\": 99}",
                      script[] = "srun python train.py --num-layers 4 --hidden-size 64";
    read_text(script, "", NULL, &plan, &reading);
    assert_int_equal(plan_read(&plan, config, strlen(config), "c", NULL, &errors), 0);
    assert_same(plan.value[PARAM_model_vocab_size], 99);
    assert_int_equal(plan_read(&plan, script, strlen(script), "s", NULL, &errors), 0);
    assert_same(plan.value[PARAM_model_vocab_size], 99);
    errors_free(&errors);
}

/* Too many questions are cut, not written past the end. */
/* What a later plan leaves open, and an earlier file gave, is no question. */
static void earlier_files_answer(void **state)
{
    (void)state;
    struct plan plan;
    struct errors errors = {0};
    struct plan_reading reading = {0};
    static const char first[] = "model: llama3-8b\ntp: 4\ncp: 1\nhidden_dropout: 0.1\n",
                      second[] = "pp: 2\nep: 1\nassumed:\n  tp: TP\n  pp: PP\n  dp: DP\n"
                                 "uncertain:\n  cp: CP\n  ep: EP\ndefaults: [hidden_dropout]\n";
    plan_clear(&plan);
    assert_int_equal(plan_read(&plan, first, strlen(first), "a", NULL, &errors), 0);
    assert_int_equal(plan_read(&plan, second, strlen(second), "b", &reading, &errors), 0);
    char *text = questions_text(&reading.questions);
    assert_string_equal(text, "PP:pp=2;DP:dp=;EP:ep=1;");
    free(text);
    assert_int_equal(plan.from[PARAM_parallel_tp], FROM_FILE);
    assert_int_equal(plan.from[PARAM_parallel_pp], FROM_ASSUMED);
    assert_int_equal(plan.from[PARAM_model_hidden_dropout], FROM_FILE);
    errors_free(&errors);
}

static void there_is_room_for_many(void **state)
{
    (void)state;
    struct questions questions = {0};
    for (int i = 0; i < 2 * QUESTIONS_MAX; i++) {
        struct question question = {0};
        snprintf(question.variable, sizeof question.variable, "V%d", i);
        for (int k = 0; k < 2 * QUESTION_KEYS_MAX; k++)
            question_ask(&questions, &question, (enum param)k);
    }
    assert_int_equal(questions.count, QUESTIONS_MAX);
    assert_int_equal(questions.item[3].count, QUESTION_KEYS_MAX);
}

/* Nodes that nobody gave are the fewest that hold the layout. */
static void nodes_are_derived(void **state)
{
    (void)state;
    static const struct {
        double tp, pp, cp, ep, experts, nodes;
    } table[] = {{8, 4, 1, 1, 0, 4}, {2, 1, 1, 1, 0, 1}, {1, 1, 1, 64, 64, 8}, {3, 1, 1, 1, 0, 1},
                 {8, 3, 1, 1, 0, 3}, {2, 2, 4, 1, 0, 2}, {4, 64, 1, 1, 0, 32}};
    for (size_t i = 0; i < COUNT(table); i++) {
        struct plan plan, resolved;
        plan_clear(&plan);
        plan_finish(&plan);
        plan.value[PARAM_parallel_tp] = table[i].tp;
        plan.value[PARAM_parallel_pp] = table[i].pp;
        plan.value[PARAM_parallel_cp] = table[i].cp;
        plan.value[PARAM_parallel_ep] = table[i].ep;
        plan.value[PARAM_parallel_etp] = 1;
        plan.value[PARAM_model_num_experts] = table[i].experts;
        plan_resolve(&plan, &resolved);
        assert_same(resolved.value[PARAM_hardware_nodes], table[i].nodes);
        assert_int_equal(resolved.from[PARAM_hardware_nodes], table[i].nodes > 1 ? FROM_DERIVED : FROM_DEFAULT);
    }
}

/* Each question says what kind it is, which values work and how much hangs on them; the weightiest comes first. */
static void answers_are_offered(void **state)
{
    (void)state;
    struct plan plan;
    struct plan_reading reading;
    read_text("python pretrain_gpt.py --num-layers 4 --hidden-size 1024 --num-attention-heads 8 --seq-length 64 "
              "--vocab-size 32000 "
              "--micro-batch-size 1 --tensor-model-parallel-size $TP\n",
              "", NULL, &plan, &reading);
    questions_offer(&plan, &reading.questions);
    const struct question *first = &reading.questions.item[0];
    assert_string_equal(first->variable, "TP");
    assert_int_equal(first->kind, QUESTION_ENVIRONMENT);
    assert_string_equal(first->choices, "1 2 4 8");
    assert_true(first->effect_bytes > 0);
    for (int i = 0; i < reading.questions.count; i++) {
        const struct question *it = &reading.questions.item[i];
        bool is_gpu = strcmp(it->variable, "GPU") == 0;
        assert_true(!is_gpu || (it->kind == QUESTION_GPU && strstr(it->choices, "h100-sxm-80")));
    }
}

int main(void)
{
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_ask_for_what_they_leave_open),
        cmocka_unit_test(a_guessed_size_makes_the_verdict_unknown),
        cmocka_unit_test(answers_close_questions),             cmocka_unit_test(later_files_answer),
        cmocka_unit_test(earlier_files_answer),
        cmocka_unit_test(there_is_room_for_many),              cmocka_unit_test(nodes_are_derived),
        cmocka_unit_test(answers_are_offered),
    };
    return cmocka_run_group_tests_name("questions", tests, NULL, NULL) != 0;
}
