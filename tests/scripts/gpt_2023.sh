#!/bin/bash
# A small GPT in the style of 2023: one string of flags for each subject.
GPUS_PER_NODE=8
NNODES=2
WORLD_SIZE=$(($GPUS_PER_NODE*$NNODES))
DATA=$1

DISTRIBUTED_ARGS="--nproc_per_node $GPUS_PER_NODE --nnodes=$NNODES --master_addr localhost"

GPT_ARGS="
    --num-layers 32 \
    --hidden-size 4096 \
    --num-attention-heads 32 \
    --seq-length 2048 \
    --max-position-embeddings 2048 \
    --micro-batch-size 4 \
    --global-batch-size $(( WORLD_SIZE * 32 )) \
    --train-iters 500000 \
    --swiglu \
    --bf16
"

python -m torch.distributed.launch $DISTRIBUTED_ARGS pretrain_gpt.py \
    $GPT_ARGS \
    --tensor_model_parallel_size 2 \
    --pipeline-model-parallel-size=2 \
    --use-flash-attn --use-distributed-optimizer \
    --vocab-size 50257 \
    --data-path $DATA --lr 0.00015 --made-up-data 3
