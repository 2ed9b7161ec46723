accelerate launch --num_processes 4 train.py --model_name_or_path a/b --per_device_train_batch_size 2 --deepspeed ds_z3.json --lora_target_modules q v --bf16 True --max_steps=$N x=1
