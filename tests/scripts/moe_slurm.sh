#!/bin/bash
#SBATCH --nodes=4
#SBATCH --gres=gpu:8
# Mixture of experts under srun, flags in arrays, one of them behind a condition.
set -euo pipefail
source ./site.sh

TP=${TP:-2}
FP8=${FP8:-no}
MODEL_ARGS=(
    --num-layers 24 --hidden-size 2048 --num-attention-heads 16
    --group-query-attention --num-query-groups 4
    --ffn-hidden-size 8192 --swiglu
    --normalization RMSNorm --disable-bias-linear   # as most models of 2024
    --position-embedding-type rope
    --untie-embeddings-and-output-weights
    --hidden-dropout 0 --attention-dropout 0
    --num-experts 64 --moe-router-topk 6 --moe-ffn-hidden-size 1024
    --moe-layer-freq "'([0]*1+[1]*23)'"
    --moe-token-dispatcher-type alltoall --moe-grouped-gemm
)
PARALLEL_ARGS=(
    --tensor-model-parallel-size $TP --sequence-parallel
    --pipeline-model-parallel-size 3
    --num-layers-per-virtual-pipeline-stage 4
    --expert-model-parallel-size 8
)
if [ "$FP8" = yes ]; then
    PRECISION=(--fp8-format hybrid)
else
    PRECISION=(--bf16)
fi
if nvidia-smi | grep -q H100; then
    PRECISION+=(--attention-backend fused)
fi

run_cmd="python -u pretrain_gpt.py ${MODEL_ARGS[*]} ${PARALLEL_ARGS[*]} ${PRECISION[*]} \
    --seq-length 4096 --max-position-embeddings 4096 \
    --micro-batch-size 1 --global-batch-size 256 --train-samples $(cat samples) \
    --tokenizer-model ${TOKENIZER} --use-distributed-optimizer"

srun -l --container-image ./image sh -c "${run_cmd}"
