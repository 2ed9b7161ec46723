torchrun --nproc_per_node=8 scripts/training/run_recipe.py --recipe llama32_1b_pretrain_config \
  train.global_batch_size=64 model.tensor_model_parallel_size=2
