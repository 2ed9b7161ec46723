MODEL_ARGS=(--num-layers 4 --hidden-size 512 --num-attention-heads 8 --swiglu --vocab-size 32000)
PERF_ARGS=(
   --tensor-model-parallel-size 2
   --sequence-parallel
   --pipeline-model-parallel-size 1
   --recompute-granularity full
   --recompute-method uniform
   --recompute-num-layers 1 # each
   --micro-batch-size 1
)
ray job submit -- python3 train.py --actor-num-nodes 1 --actor-num-gpus-per-node 8 --seq-length 2048 --global-batch-size 64 \
   ${MODEL_ARGS[@]} ${PERF_ARGS[@]}
