tune run --nproc_per_node 4 lora_finetune_distributed --config llama3_1/8B_lora batch_size=4 gradient_accumulation_steps=2
