/* Findings: every rule broken once, with its whole message. */
#include "tests/check.h"

static struct estimate estimate;

#define BASE LLAMA3_8B "nodes=2 global_batch_size=64 "
#define HYBRID                                                                                                         \
    BASE "num_layers=4 layer_pattern=M-*- mamba_num_heads=64 mamba_head_dim=64 mamba_state_dim=128 "                   \
         "mamba_num_groups=8 "
#define SPARSE                                                                                                         \
    BASE "multi_latent_attention=true q_lora_rank=1536 kv_lora_rank=512 qk_head_dim=128 qk_pos_emb_head_dim=64 "       \
         "v_head_dim=128 dsa_indexer_n_heads=64 dsa_indexer_head_dim=128 dsa_indexer_topk=2048 "
#define VISION                                                                                                         \
    BASE "seq_length=8192 vision_num_layers=27 vision_hidden_size=1152 vision_ffn_hidden_size=4304 "                   \
         "vision_num_attention_heads=16 vision_params=576388336 "
#define TUNE LLAMA3_8B "framework.name=hf-trainer dp=1 "
#define MOE  MIXTRAL_8X7B "nodes=2 global_batch_size=64 "

static const struct {
    const char *rule;
    enum diag_level level;
    const char *key, *settings, *message;
} cases[] = {
#define CASE(rule, level, key, settings, message) {#rule, DIAG_##level, key, settings, message}
    CASE(missing_layers, ERROR, "model.num_layers", BASE "num_layers=auto",
         "is not given; name a model or give the number of layers"),
    CASE(missing_hidden, ERROR, "model.hidden_size", BASE "hidden_size=auto",
         "is not given; name a model or give the hidden size"),
    CASE(missing_heads, ERROR, "model.num_attention_heads", BASE "num_attention_heads=auto",
         "is not given; name a model or give the number of heads"),
    CASE(missing_vocab, ERROR, "model.vocab_size", BASE "vocab_size=auto",
         "is not given; name a model or give the vocabulary"),
    CASE(missing_sequence, ERROR, "train.seq_length", BASE "seq_length=auto", "is not given; give the sequence length"),
    CASE(head_width_whole, ERROR, "model.num_attention_heads", BASE "num_attention_heads=24",
         "24 heads do not divide the hidden size 4096; give kv_channels or other heads; works: 8 16 32 64 128 256 512 "
         "1024"),
    CASE(groups_divide_heads, ERROR, "model.num_query_groups", BASE "num_query_groups=6",
         "6 key/value heads do not divide 32 heads; works: 1 2 4 8 16 32"),
    CASE(heads_divisible_by_tp, ERROR, "parallel.tp", BASE "tp=3 dp=1",
         "tp 3 does not divide 32 heads; works: 1 2 4 8 16"),
    CASE(groups_divisible_by_tp, ERROR, "parallel.tp",
         BASE "num_query_groups=2 num_attention_heads=30 kv_channels=128 tp=5 dp=1",
         "tp 5 and 2 key/value heads do not divide each other; works: 1 2"),
    CASE(ffn_divisible_by_tp, ERROR, "parallel.tp", BASE "ffn_hidden_size=14337 tp=2",
         "tp 2 does not divide the feed-forward width 14337; works: 1"),
    CASE(hidden_divisible_by_tp, ERROR, "parallel.tp", BASE "hidden_size=4100 kv_channels=128 tp=8",
         "tp 8 does not divide the hidden size 4100; works: 1 2 4"),
    CASE(positions_cover_sequence, ERROR, "train.seq_length", GPT_6B "seq_length=4096 nodes=2 global_batch_size=64",
         "4096 tokens is more than the 2048 learned positions; nearest that work: 2048"),
    CASE(topk_of_experts, ERROR, "model.moe_router_topk", MOE "moe_router_topk=9",
         "9 experts per token is not between 1 and the 8 experts; works: 1 2 3 4 5 6 7 8"),
    CASE(mla_ranks, ERROR, "model.kv_lora_rank", BASE "multi_latent_attention=true",
         "latent attention needs kv_lora_rank, qk_head_dim and v_head_dim"),
    CASE(pattern_layers, ERROR, "model.layer_pattern", BASE "layer_pattern=**-",
         "describes another number of layers than num_layers 32; leave num_layers blank"),
    CASE(mamba_shapes, ERROR, "model.mamba_num_heads", BASE "num_layers=4 layer_pattern=M-*-",
         "Mamba layers need mamba_num_heads, mamba_head_dim and mamba_state_dim"),
    CASE(linear_shapes, ERROR, "model.linear_num_key_heads", BASE "num_layers=4 layer_pattern=G-*-",
         "linear attention needs linear_num_key_heads, linear_key_head_dim, linear_num_value_heads and "
         "linear_value_head_dim"),
    CASE(indexer_shapes, ERROR, "model.dsa_indexer_topk", BASE "num_layers=4 layer_pattern=D-*-",
         "sparse attention needs latent attention, dsa_indexer_n_heads, dsa_indexer_head_dim and dsa_indexer_topk"),
    CASE(window_given, ERROR, "model.sliding_window", BASE "num_layers=4 layer_pattern=W-*-",
         "layers with a window need sliding_window; nearest that work: 1"),
    CASE(chunk_given, ERROR, "model.attention_chunk", BASE "num_layers=4 layer_pattern=B-*-",
         "chunked attention needs attention_chunk; nearest that work: 1"),
    CASE(mamba_divisible_by_tp, ERROR, "parallel.tp", HYBRID "tp=16",
         "tp 16 does not divide 64 Mamba heads and 8 groups; works: 1 2 4 8"),
    CASE(linear_divisible_by_tp, ERROR, "parallel.tp",
         BASE "num_layers=4 layer_pattern=G-*- linear_num_key_heads=2 linear_key_head_dim=64 linear_num_value_heads=4 "
              "linear_value_head_dim=64 tp=4",
         "tp 4 does not divide 2 key heads and 4 value heads of linear attention; works: 1 2"),
    CASE(vision_shapes, ERROR, "train.vision_tokens", BASE "train.vision_tokens=256",
         "images need the vision tower's layers, widths, heads, patches and parameters; nearest that work: 0"),
    CASE(images_in_sequence, ERROR, "train.vision_tokens", VISION "train.vision_tokens=16384",
         "more image tokens than the sequence has, 8192; nearest that work: 8192"),
    CASE(vision_divisible_by_tp, ERROR, "parallel.tp",
         VISION "train.vision_tokens=256 vision_num_attention_heads=12 tp=8",
         "tp 8 does not divide the vision tower's 12 heads; works: 1 2 4"),
    CASE(pattern_experts, ERROR, "model.layer_pattern", BASE "num_layers=3 layer_pattern=**E",
         "has layers with experts, but num_experts is 0"),
    CASE(recurrences_modelled, WARNING, "model.layer_pattern", BASE "num_layers=4 layer_pattern=R-*-",
         "this recurrence is counted, but its memory and time are not modelled"),
    CASE(layer_tables_modelled, WARNING, "parallel.pp", BASE "per_layer_embedding=256 per_layer_vocab=128256 pp=2",
         "embeddings for each layer are modelled on one stage; use pp 1"),
    CASE(kinds_tuned, WARNING, "train.peft", HYBRID "framework.name=hf-trainer peft=lora",
         "adapters and quantised weights are not modelled for layers of several kinds; use none"),
    CASE(kinds_scheduled, WARNING, "parallel.schedule", HYBRID "pp=2 schedule=zb-h1",
         "only 1F1B and the interleaved schedule are modelled for layers of several kinds"),
    CASE(kinds_have_flags, WARNING, "model.layer_pattern", BASE "num_layers=4 layer_pattern=C-*-",
         "megatron-core has no flags for some of these layers; the estimate holds for a fork that has them"),
    CASE(kinds_served, NOTE, "workload", HYBRID "workload=inference",
         "serving of models with several kinds of layers was not measured; its speed follows from what it reads "
         "and computes"),
    CASE(kinds_in_context, WARNING, "parallel.cp", BASE "num_layers=4 layer_pattern=C-*- cp=2",
         "context parallelism is modelled for layers with attention, Mamba-2, Gated DeltaNet and KDA; use cp 1"),
    CASE(mamba_groups, ERROR, "model.mamba_num_groups", HYBRID "mamba_num_heads=20",
         "8 groups do not divide 20 Mamba heads; works: 1 2 4 5 10 20"),
    CASE(mamba_divisible_by_cp, ERROR, "parallel.cp", HYBRID "mamba_num_heads=24 cp=16 nodes=4",
         "cp 16 and tp 1 do not divide 24 Mamba heads and 8 groups; works: 1 2 4 8"),
    CASE(linear_divisible_by_cp, ERROR, "parallel.cp",
         BASE "num_layers=4 layer_pattern=G-*- linear_num_key_heads=2 linear_key_head_dim=64 linear_num_value_heads=4 "
              "linear_value_head_dim=64 cp=4",
         "cp 4 and tp 1 do not divide 2 key heads and 4 value heads of linear attention; works: 1 2"),
    CASE(indices_on_stage, ERROR, "parallel.pp", SPARSE "num_layers=8 layer_pattern=D-d-d-d- pp=2",
         "a stage begins with sparse layers whose indices another stage computes; use a pp that cuts at layers with an "
         "indexer; works: 1"),
    CASE(gpus_divisible, ERROR, "parallel.pp", BASE "pp=32 tp=2",
         "tp x pp x cp = 64 does not divide 16 GPUs; works: 1 2 4 8"),
    CASE(gpus_enough, ERROR, "parallel.dp", BASE "tp=8 dp=4",
         "32 ranks do not fit on 16 GPUs; add nodes or shrink tp, pp, cp or dp; works: 1 2"),
    CASE(gpus_all_used, WARNING, "parallel.dp", BASE "tp=2 dp=4", "8 ranks leave some of the 16 GPUs idle"),
    CASE(layers_split, ERROR, "parallel.pp", BASE "num_layers=30 pp=4",
         "30 layers do not spread over 4 stages x 1 chunks; give pipeline_layout or other sizes; works: 1 2"),
    CASE(partition_used, WARNING, "parallel.partition_method", BASE "pp=2 partition_method=uniform",
         "has no effect: megatron-core splits layers by its own rule; use deepspeed or pipeline_layout"),
    CASE(reference_traffic, WARNING, "train.reference_model", BASE "tp=2 reference_model=frozen",
         "the time excludes the reference model's own tp, cp and ep traffic"),
    CASE(vpp_needs_pp, ERROR, "parallel.vpp", BASE "vpp=2",
         "virtual stages need a pipeline longer than 1; works: 1"),
    CASE(interleaved_needs_vpp, ERROR, "parallel.schedule", BASE "pp=2 schedule=interleaved",
         "the interleaved schedule needs vpp > 1"),
    CASE(zb_v_chunks, ERROR, "parallel.vpp", BASE "pp=2 schedule=zb-v", "the V schedule needs vpp 2; works: 2"),
    CASE(dualpipe_pairs, ERROR, "train.global_batch_size", BASE "pp=2 schedule=dualpipe global_batch_size=24",
         "DualPipe needs an even number of stages and of micro-batches, and at least two micro-batches per stage; 2 "
         "stages have 3; "
         "nearest that work: 32"),
    CASE(plain_schedules, ERROR, "parallel.vpp", BASE "pp=2 vpp=2 schedule=1f1b",
         "vpp 2 needs the interleaved schedule or zb-v; works: 1"),
    CASE(expert_ffn_divisible, ERROR, "parallel.etp", MOE "ffn_hidden_size=14338 tp=4 sp=true",
         "etp 4 does not divide the expert width 14338; works: 1 2"),
    CASE(shared_ffn_divisible, ERROR, "parallel.tp", MOE "moe_shared_ffn_hidden_size=1026 tp=4 sp=true",
         "tp 4 does not divide the shared experts' width 1026; works: 1 2"),
    CASE(literature, NOTE, "parallel.schedule", BASE "pp=2 schedule=zb-h1",
         "memory and time follow the schedule as published; few runs with it have been measured"),
    CASE(not_played, NOTE, "parallel.schedule", BASE "pp=2 vpp=2 microbatch_group=4000 global_batch_size=64000",
         "8000 micro-batches on 2 stages are too many to simulate pass by pass; the bubble assumes that all stages "
         "take equally long"),
    CASE(too_large_to_play, NOTE, "parallel.schedule", BASE "pp=2 schedule=zb-h1 global_batch_size=160000",
         "20000 micro-batches on 2 stages are too many to simulate pass by pass; 8192 are simulated and the rest "
         "follow the steady state"),
    CASE(hidden_tiles, NOTE, "model.hidden_size", BASE "hidden_size=4160 kv_channels=128",
         "4160 is not a multiple of 128, so matrix tiles are partly empty; BigScience gained a quarter "
         "going from 14400 to 13824 "
         "on A100"),
    CASE(head_tiles, NOTE, "model.kv_channels", BASE "kv_channels=124",
         "a head size of 124 is not a multiple of 8, so tensor cores are not fully used"),
    CASE(ffn_tiles, NOTE, "model.ffn_hidden_size", BASE "ffn_hidden_size=14352",
         "14352 over tp 1 is not a multiple of 64, so matrix tiles are partly empty"),
    CASE(vocab_tiles, NOTE, "model.make_vocab_size_divisible_by",
         BASE "vocab_size=50257 make_vocab_size_divisible_by=1",
         "the padded vocabulary 50257 over tp 1 is not a multiple of 64; pad it to 128"),
    CASE(group_in_range, ERROR, "parallel.microbatch_group", BASE "pp=4 vpp=2 microbatch_group=2",
         "a group of 2 micro-batches is not between 4 (stages) and 16 (micro-batches); works: 0 4 6 8 9 10 11 12 16"),
    CASE(group_divides, ERROR, "train.global_batch_size", BASE "pp=4 vpp=2 tp=4 dp=1 global_batch_size=6",
         "6 micro-batches do not divide into groups of 4; nearest that work: 4, 8"),
    CASE(sp_needs_tp, NOTE, "parallel.sp", BASE "sp=true", "sequence parallelism has no effect with tp 1"),
    CASE(failures_left_out, NOTE, "hardware.mtbf_hours_per_gpu", BASE "mtbf_hours_per_gpu=50700",
         "time and cost ignore failures; set storage_gb_s and restart_s to include them"),
    CASE(failures_twice, NOTE, "hardware.availability",
         BASE "mtbf_hours_per_gpu=50700 restart_s=600 storage_gb_s=100 availability=0.9",
         "failures are counted in addition to hardware.availability; set availability to 1 if it already includes "
         "them"),
    CASE(failures_outrun, WARNING, "hardware.mtbf_hours_per_gpu",
         BASE "mtbf_hours_per_gpu=1 restart_s=3600 storage_gb_s=100",
         "the job fails more often than it can restart, so it makes hardly any progress; use fewer GPUs or a shorter "
         "restart_s"),
    CASE(measured_time, NOTE, "train.measured_iteration_s", BASE "measured_iteration_s=9",
         "time, speed and cost use the measured time; clear it to see the estimate for a changed plan"),
    CASE(sp_divides_sequence, ERROR, "train.seq_length", BASE "seq_length=8190 tp=8 sp=true",
         "tp x cp does not divide the sequence length 8190; nearest that work: 32760"),
    CASE(cp_divides_sequence, ERROR, "parallel.cp", BASE "seq_length=8196 cp=4",
         "context parallelism needs a sequence length divisible by 2 x 4; 8196 is not; works: 1 2"),
    CASE(moe_tp_needs_sp, ERROR, "parallel.sp", MOE "tp=2", "experts with tp 2 need sequence parallelism; set sp true"),
    CASE(experts_divisible, ERROR, "parallel.ep", MOE "ep=3", "ep 3 does not divide 8 experts; works: 1 2 4 8"),
    CASE(expert_grid, ERROR, "parallel.ep", MOE "tp=2 sp=true ep=8 dp=2",
         "ep x etp x pp does not divide 4 ranks; works: 1 2"),
    CASE(a2a_groups, ERROR, "parallel.cp", BASE "cp=4 cp_comm=a2a tp=4",
         "all-to-all context parallelism needs at least 4 key/value heads per rank; works: 1 2"),
    CASE(cp_needs_flash, ERROR, "train.attention", BASE "cp=2 attention=unfused",
         "context parallelism needs fused attention; use flash"),
    CASE(recompute_of_layers, WARNING, "train.recompute_num_layers",
         BASE "pp=2 vpp=2 recompute=full recompute_method=block recompute_num_layers=9 nodes=1",
         "9 layers is more than the 8 in a stage's chunk; all of them are recomputed"),
    CASE(fsdp_stages, ERROR, "parallel.fsdp", BASE "pp=2 fsdp=full",
         "megatron-core does not combine full sharding with a pipeline; use zero_stage 1 or pp 1"),
    CASE(gather_needs_shards, ERROR, "parallel.overlap_param_gather",
         BASE "overlap_param_gather=true zero_stage=0 overlap_grad_reduce=true",
         "megatron-core overlaps the parameter gather only with sharded optimizer states and overlap_grad_reduce; set "
         "zero_stage 1 and overlap_grad_reduce true"),
    CASE(gather_needs_shards, ERROR, "parallel.overlap_param_gather", BASE "overlap_param_gather=true zero_stage=1",
         "megatron-core overlaps the parameter gather only with sharded optimizer states and overlap_grad_reduce; set "
         "zero_stage 1 and overlap_grad_reduce true"),
    CASE(precision_needs_shards, ERROR, "train.optimizer_dtype", BASE "optimizer_dtype=bf16",
         "megatron-core supports optimizer states below fp32 only when they are sharded; set zero_stage 1"),
    CASE(positions_trained, NOTE, "train.seq_length", BASE "seq_length=131072 max_position_embeddings=8192",
         "131072 tokens is more than the 8192 positions that the model was trained for; rotary embeddings then need "
         "scaling"),
    CASE(batch_divisible, ERROR, "train.global_batch_size", BASE "global_batch_size=65",
         "65 is not a multiple of micro_batch_size x dp = 16; nearest that work: 64, 80"),
    CASE(exchanges_heads, ERROR, "parallel.cp_comm", BASE "framework.name=deepspeed cp=2",
         "deepspeed supports only all-to-all context parallelism; set cp_comm a2a"),
    CASE(experts_borrowed, WARNING, "framework.name", BASE "framework.name=deepspeed cp=2 cp_comm=a2a",
         "experts and all-to-all context parallelism are counted as in megatron-core; no run of them under deepspeed "
         "has been measured"),
    CASE(dense_only, ERROR, "framework.name", BASE "framework.name=megatron-2023 cp=2",
         "context and expert parallelism, experts and latent attention are not supported by megatron-2023 here; use "
         "megatron-core"),
    CASE(flash_needs_half, ERROR, "train.dtype", BASE "framework.name=megatron-2023 dtype=fp32",
         "fused attention in megatron-2023 needs fp16 or bf16"),
    CASE(tp_in_node, WARNING, "parallel.tp", BASE "tp=16",
         "tp 16 crosses nodes (8 GPUs share a fast link), so every layer waits for the network"),
    CASE(usable_within, WARNING, "hardware.usable_gib", BASE "usable_gib=500",
         "500 GiB usable is more than the GPU's 80 GiB; set hardware.memory_gib for a larger card"),
    CASE(peak_known, WARNING, "hardware.peak_tflops", BASE "dtype=nvfp4",
         "the GPU's peak rate for this type is unknown, so time is too; use another dtype or set hardware.peak_tflops"),
    CASE(fewer_micro_batches, NOTE, "train.global_batch_size", BASE "pp=16 global_batch_size=8",
         "8 micro-batches do not fill 16 stages, so the bubble is large"),
    CASE(vocab_padding, NOTE, "model.vocab_size", BASE "vocab_size=1100 tp=8",
         "padding adds 2048 - 1100 rows to the vocabulary"),
    CASE(kv_head_per_rank, ERROR, "parallel.tp", BASE "framework.name=nanotron tp=16",
         "nanotron needs at least tp key/value heads; 8 is less than 16; works: 1 2 4 8"),
    CASE(interleaves, ERROR, "parallel.vpp", BASE "framework.name=nanotron pp=2 vpp=2",
         "the interleaved schedule is not supported by nanotron; works: 1"),
    CASE(fills_pipeline, ERROR, "train.global_batch_size", BASE "framework.name=nanotron pp=4 dp=1 global_batch_size=2",
         "the 1F1B schedule of nanotron needs at least pp - 1 micro-batches; 2 is too few for 4 stages; nearest that "
         "work: 3"),
    CASE(ep_and_mla_start, ERROR, "parallel.ep", MOE "framework.name=nanotron ep=2",
         "nanotron cannot start with expert parallelism or latent attention; works: 1"),
    CASE(zero1_fp32_starts, WARNING, "parallel.zero_stage",
         BASE "framework.name=nanotron zero_stage=1 accumulate_grad_fp32=true",
         "nanotron rejects ZeRO-1 with fp32 accumulation and dp > 1 (make_ddp)"),
    CASE(interleaves, ERROR, "parallel.vpp", BASE "framework.name=deepspeed pp=2 vpp=2",
         "the interleaved schedule is not supported by deepspeed; works: 1"),
    CASE(zero_with_pipeline, ERROR, "parallel.zero_stage", BASE "framework.name=deepspeed pp=2 zero_stage=2",
         "deepspeed does not support ZeRO stages 2 and 3 with a pipeline; works: 0 1"),
    CASE(has_sp, ERROR, "parallel.sp", BASE "framework.name=deepspeed tp=2 sp=true",
         "sequence parallelism is not supported by deepspeed here"),
    CASE(ep_modelled, ERROR, "parallel.ep", MOE "framework.name=fsdp2 ep=2",
         "expert parallelism is not modelled for fsdp2; works: 1"),
    CASE(host_known, WARNING, "hardware.host_memory_gib", BASE "offload_optimizer=0.5",
         "host memory is unknown, so whether offloaded data fits is too; set hardware.host_memory_gib"),
    CASE(zero_modelled, WARNING, "parallel.zero_stage", BASE "zero_stage=2",
         "ZeRO stages 2 and 3 of megatron-core are not modelled; use stage 0 or 1, or deepspeed or fsdp2"),
    CASE(fsdp_modelled, WARNING, "parallel.fsdp", BASE "framework.name=deepspeed fsdp=full",
         "fully sharded data parallelism is modelled only for fsdp2, hf-trainer and megatron-core"),
    CASE(galore_rank_used, WARNING, "train.galore_rank", TUNE "galore_rank=64",
         "has no effect with this optimizer; set train.optimizer galore"),
    CASE(frozen_in_model, ERROR, "train.frozen", TUNE "frozen=layers:4-999",
         "names layers outside the model, which has 32 (counted from 0)"),
    CASE(nothing_trainable, ERROR, "train.frozen", TUNE "frozen=[embeddings,layers:0-31]",
         "every weight is frozen and nothing is added; set train.peft lora or train.frozen none"),
    CASE(nothing_trainable, ERROR, "train.frozen", TUNE "frozen=base",
         "every weight is frozen and nothing is added; set train.peft lora or train.frozen none"),
    CASE(expert_shards, ERROR, "parallel.shard_group",
         LLAMA3_8B "num_experts=16 moe_router_topk=2 nodes=2 dp=16 ep=8 zero_stage=1 shard_group=4",
         "the 2 data-parallel ranks of an expert do not divide into as many sharding groups as those of the other "
         "weights; use a larger shard_group or a smaller ep; nearest that work: 0, 8"),
    CASE(frozen_inputs_kept, NOTE, "train.frozen", TUNE "frozen=all-but:layers:4-7",
         "activations are an upper bound: frozen layers below trained ones are counted with inputs that only weight "
         "gradients need"),
    CASE(lora_rank_in_matrix, ERROR, "train.lora_rank", TUNE "peft=lora lora_rank=2048",
         "rank 2048 is larger than the narrowest matrix with an adapter; nearest that work: 1024"),
    CASE(lora_target_exists, ERROR, "train.lora_targets", TUNE "peft=lora lora_targets=[gate] gated_mlp=false",
         "the model has no such matrix; gate needs gated_mlp, experts and router need num_experts"),
    CASE(lora_target_exists, ERROR, "train.lora_targets", TUNE "peft=lora lora_targets=[experts]",
         "the model has no such matrix; gate needs gated_mlp, experts and router need num_experts"),
    CASE(lora_targets_given, ERROR, "train.lora_targets", TUNE "peft=lora lora_targets=[]",
         "no matrix has an adapter; name some, or all"),
    CASE(quantised_base_frozen, ERROR, "train.quant_dtype", TUNE "quant_dtype=nf4",
         "quantised weights cannot be trained; set train.peft lora or qlora"),
    CASE(quant_storage_shards, ERROR, "train.quant_storage", TUNE "peft=qlora fsdp=full dp=2 quant_storage=uint8",
         "sharded quantised weights must be stored in the same type as the others; set train.quant_storage to "
         "train.dtype"),
    CASE(step_in_backward, ERROR, "train.optimizer_in_backward", TUNE "optimizer_in_backward=true global_batch_size=4",
         "an optimizer step in backward needs exactly one micro-batch, not 4"),
    CASE(accumulation_agrees, ERROR, "train.gradient_accumulation_steps",
         TUNE "gradient_accumulation_steps=3 global_batch_size=4",
         "global_batch_size gives 4 micro-batches; leave one of the two blank; works: 4"),
    CASE(lora_keys_used, WARNING, "train.lora_rank", TUNE "lora_rank=8",
         "has no effect without adapters; set train.peft lora"),
    CASE(inputs_retained, WARNING, "train.checkpoint_reentrant", TUNE "peft=lora fsdp=full dp=2 recompute=full",
         "with frozen layers, FSDP with reentrant checkpointing keeps every layer's input and its gradient until "
         "backward ends; set checkpoint_reentrant false"),
    CASE(lengths_fragment, WARNING, "train.packing", TUNE "packing=padded",
         "samples of different lengths fragment the cache, so reserved memory may be well above the estimate; use "
         "packing or a fused loss"),
    CASE(padded_tokens, NOTE, "train.mean_tokens", TUNE "packing=padded", "time and speed include padding tokens"),
    CASE(peft_modelled, WARNING, "train.peft", TUNE "peft=ia3",
         "this method is not modelled; use none, lora, qlora or dora, without latent attention"),
    CASE(tuning_modelled, WARNING, "train.peft", BASE "peft=lora",
         "adapters and quantised weights are modelled for hf-trainer and the frameworks on it; megatron-core is not "
         "among them"),
    CASE(tuning_split_modelled, WARNING, "parallel.tp", TUNE "tp=2",
         "tensor, pipeline and context parallelism are not modelled for Hugging Face modules"),
    CASE(fp4_modelled, WARNING, "train.dtype", BASE "dtype=nvfp4 transformer_impl=local",
         "fp4 is modelled only with TransformerEngine in megatron-core; use fp8, bf16, fp16 or fp32"),
#undef CASE
};

static const struct diag *find(const char *rule, const char *key)
{
    for (int i = 0; i < estimate.diags.count; i++)
        if (strcmp(estimate.diags.item[i].rule, rule) == 0 &&
            strcmp(param_rows[estimate.diags.item[i].param].dotted, key) == 0)
            return &estimate.diags.item[i];
    return NULL;
}

/* The rule's finding about the key, with that message. */
static void expect(const char *rule, const char *key, const char *message)
{
    const struct diag *diag = find(rule, key);
    assert_that(diag, "%s: no finding", rule);
    const struct finding_text actual = finding_text(diag);
    assert_that(check_message(actual.text, message), "%s:\n    \"%s\"\nexpected\n    \"%s\"", rule, actual.text,
                message);
}

static void every_rule_broken_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct plan plan;
        check_plan(&plan, cases[i].settings);
        estimate_plan(&plan, &estimate);
        const struct diag *diag = find(cases[i].rule, cases[i].key);
        assert_that(diag, "%s: no finding", cases[i].rule);
        assert_that(diag->level == cases[i].level, "%s: level %s", cases[i].rule, diag_level_names[diag->level]);
        expect(cases[i].rule, cases[i].key, cases[i].message);
    }
}

/* Rules that need a device without figures. */
static void what_a_device_lacks_is_said(void **state)
{
    (void)state;
    struct plan plan;
    plan_clear(&plan);
    check_set(&plan, LLAMA3_8B);
    estimate_plan(&plan, &estimate);
    expect("missing_gpus_per_node", "hardware.gpus_per_node", "is not given; name a GPU or give the GPUs of a node");
    check_set(&plan, "gpus_per_node=8");
    estimate_plan(&plan, &estimate);
    expect("usable_known", "hardware.usable_gib",
           "usable memory is unknown, so whether the plan fits is too; set hardware.usable_gib");
}

/* Rules about the kind of GPU: the tests' own is an H100. */
static void what_an_older_device_cannot_do_is_said(void **state)
{
    (void)state;
    struct plan plan;
    check_plan(&plan, BASE "attention_kernel=fa3");
    estimate_plan(&plan, &estimate);
    assert_null(find("fa3_needs_hopper", "train.attention_kernel"));
    plan.gpu.compute_capability = 8;
    estimate_plan(&plan, &estimate);
    expect("fa3_needs_hopper", "train.attention_kernel", "FlashAttention 3 needs a Hopper GPU; use fa2");
}

static void older_devices_are_told_apart(void **state)
{
    (void)state;
    struct plan plan;
    check_plan(&plan, TUNE "attention_kernel=fa2");
    estimate_plan(&plan, &estimate);
    assert_null(find("bf16_on_device", "train.dtype"));
    assert_null(find("kernel_on_device", "train.attention_kernel"));
    plan.gpu.compute_capability = 7.5;
    estimate_plan(&plan, &estimate);
    assert_null(find("bf16_on_device", "train.dtype")); /* nobody asked for it, so it is fp16 */
    assert_same(estimate.plan.value[PARAM_train_dtype], DTYPE_FP16);
    check_set(&plan, "dtype=bf16");
    estimate_plan(&plan, &estimate);
    expect("bf16_on_device", "train.dtype", "this GPU does not support bf16; use fp16");
    expect("kernel_on_device", "train.attention_kernel", "FlashAttention 2 needs Ampere or later; leave it blank");
}

/* The frameworks' own checks: settings that break each, and settings near by that do not. */
static const struct {
    const char *rule, *breaks, *holds;
} refusals[] = {
    {"overlap_tp_needs_sp", LLAMA3_8B " tp=2 dp=4 overlap_tp=true",
     LLAMA3_8B " tp=2 sp=true dp=4 overlap_tp=true"},
    {"vpp_overlaps_p2p", LLAMA3_8B " pp=2 vpp=2 dp=4 overlap_p2p=false",
     LLAMA3_8B " pp=2 vpp=2 dp=4"},
    {"p2p_overlap_needs_vpp", LLAMA3_8B " pp=2 dp=4 overlap_p2p=true",
     LLAMA3_8B " pp=2 dp=4"},
    {"te_loss_disabled", LLAMA3_8B " dp=8 cross_entropy=te_fused",
     LLAMA3_8B " dp=8 cross_entropy=te_fused framework.name=megatron-core-0.14"},
    {"losses_of_core", LLAMA3_8B " dp=8 cross_entropy=chunked",
     LLAMA3_8B " dp=8 cross_entropy=native_fused"},
    {"partition_needs_full", LLAMA3_8B " tp=2 dp=4 partition_activations=true",
     LLAMA3_8B " tp=2 dp=4 partition_activations=true recompute=full"},
    {"fp8_gather_needs_shards", LLAMA3_8B " dp=8 dtype=fp8 fp8_param_gather=true",
     LLAMA3_8B " dp=8 dtype=fp8 fp8_param_gather=true zero_stage=1"},
    {"fp8_gather_needs_fp8", LLAMA3_8B " dp=8 zero_stage=1 fp8_param_gather=true",
     LLAMA3_8B " dp=8 dtype=fp8 zero_stage=1 fp8_param_gather=true"},
    {"offload_fp8_gather", LLAMA3_8B
     " dp=8 dtype=fp8 zero_stage=1 fp8_param_gather=true fp8_recipe=tensorwise offload_optimizer=1",
     LLAMA3_8B " dp=8 dtype=fp8 zero_stage=1 fp8_param_gather=true offload_optimizer=1"},
    {"offload_fp8_gather", LLAMA3_8B " dp=8 dtype=mxfp8 zero_stage=1 fp8_param_gather=true offload_optimizer=1",
     LLAMA3_8B " dp=8 dtype=mxfp8 zero_stage=1 fp8_param_gather=true"},
    {"precision_needs_adam", LLAMA3_8B " dp=8 zero_stage=1 optimizer=sgd exp_avg_dtype=bf16",
     LLAMA3_8B " dp=8 zero_stage=1 optimizer=sgd"},
    {"main_params_of_core", LLAMA3_8B " dp=8 zero_stage=1 main_param_dtype=bf16",
     LLAMA3_8B " dp=8 zero_stage=1 main_param_dtype=fp16"},
    {"moments_in_fp32", LLAMA3_8B " dp=8 zero_stage=1 dtype=fp32 attention=unfused optimizer_dtype=bf16",
     LLAMA3_8B " dp=8 zero_stage=1 dtype=fp32 attention=unfused"},
    {"mamba_fp8_rows", HYBRID "mamba_num_heads=8 mamba_head_dim=65 dtype=fp8", HYBRID "dtype=fp8"},
    {"sparse_beside_attention", SPARSE "num_layers=4 layer_pattern=D-*-", SPARSE "num_layers=4 layer_pattern=D-D-"},
    {"sparse_gathers", SPARSE "num_layers=4 layer_pattern=D-D- cp=2",
     SPARSE "num_layers=4 layer_pattern=D-D- cp=2 cp_comm=all_gather"},
    {"offload_needs_shards", LLAMA3_8B " dp=8 offload_optimizer=1",
     LLAMA3_8B " dp=8 zero_stage=1 offload_optimizer=1"},
    {"optimizers_of_core", LLAMA3_8B " dp=8 optimizer=adafactor",
     LLAMA3_8B " dp=8 optimizer=muon"},
    {"optimizers_of_014", LLAMA3_8B " dp=8 optimizer=muon framework.name=megatron-core-0.14",
     LLAMA3_8B " dp=8 optimizer=sgd framework.name=megatron-core-0.14"},
    {"muon_types", LLAMA3_8B " dp=8 optimizer=muon dtype=fp16", LLAMA3_8B " dp=8 optimizer=muon"},
    {"muon_instances", LLAMA3_8B " dp=8 optimizer=muon zero_stage=1 shard_group=4",
     LLAMA3_8B " dp=8 zero_stage=1 shard_group=4"},
    {"fp4_of_014", LLAMA3_8B " dp=8 dtype=nvfp4 framework.name=megatron-core-0.14", LLAMA3_8B " dp=8 dtype=nvfp4"},
    {"ep_types_014", MIXTRAL_8X7B " dp=8 ep=8 dtype=fp16 framework.name=megatron-core-0.14",
     MIXTRAL_8X7B " dp=8 dtype=fp16 framework.name=megatron-core-0.14"},
    {"flash_latent", DEEPSEEK_V3 " dp=8 ep=8 attention_kernel=fa2 framework.name=megatron-core-0.14",
     DEEPSEEK_V3 " dp=8 ep=8 attention_kernel=fa2"},
    {"async_needs_compile", LLAMA3_8B " tp=2 dp=4 framework.name=fsdp2 overlap_tp=true",
     LLAMA3_8B " tp=2 dp=4 framework.name=fsdp2 overlap_tp=true compile=true"},
    {"titan_sp", LLAMA3_8B " tp=2 dp=4 framework.name=fsdp2", LLAMA3_8B " tp=2 sp=true dp=4 framework.name=fsdp2"},
    {"titan_cp", LLAMA3_8B " cp=2 dp=4 framework.name=fsdp2 cp_comm=a2a",
     LLAMA3_8B " cp=2 dp=4 framework.name=fsdp2 cp_comm=p2p"},
    {"titan_loss", LLAMA3_8B " dp=8 framework.name=fsdp2 cross_entropy=native_fused",
     LLAMA3_8B " dp=8 framework.name=fsdp2 cross_entropy=native_fused compile=true"},
    {"titan_types", LLAMA3_8B " dp=8 framework.name=fsdp2 dtype=fp32",
     LLAMA3_8B " dp=8 framework.name=fsdp2 dtype=fp8"},
    {"titan_groups", LLAMA3_8B " dp=8 framework.name=fsdp2 fsdp=hybrid",
     LLAMA3_8B " dp=8 framework.name=fsdp2 fsdp=hybrid shard_group=4"},
    {"titan_cp_shards", LLAMA3_8B " dp=4 cp=2 framework.name=fsdp2 fsdp=none",
     LLAMA3_8B " dp=4 cp=2 framework.name=fsdp2 fsdp=full"},
    {"titan_graphs", LLAMA3_8B " dp=8 framework.name=fsdp2 cuda_graph=full", LLAMA3_8B " dp=8 framework.name=fsdp2"},
    {"nanotron_graphs", LLAMA3_8B " dp=8 framework.name=nanotron cuda_graph=full",
     LLAMA3_8B " dp=8 framework.name=nanotron"},
    {"nanotron_types", LLAMA3_8B " dp=8 framework.name=nanotron dtype=fp8",
     LLAMA3_8B " dp=8 framework.name=nanotron dtype=bf16"},
    {"nanotron_recompute", LLAMA3_8B " dp=8 framework.name=nanotron recompute=selective",
     LLAMA3_8B " dp=8 framework.name=nanotron recompute=full"},
    {"nanotron_overlap", LLAMA3_8B " dp=8 framework.name=nanotron overlap_grad_reduce=true",
     LLAMA3_8B " dp=8 framework.name=nanotron"},
    {"nanotron_dispatcher", MIXTRAL_8X7B " dp=8 ep=8 framework.name=nanotron moe_dispatcher=flex",
     MIXTRAL_8X7B " dp=8 ep=8 framework.name=nanotron"},
    {"nanotron_heads", LLAMA3_8B " dp=8 framework.name=nanotron kv_channels=256",
     LLAMA3_8B " dp=8 framework.name=nanotron kv_channels=128"},
    {"deepspeed_fp8", LLAMA3_8B " dp=8 framework.name=deepspeed zero_stage=1 dtype=fp8",
     LLAMA3_8B " dp=8 framework.name=deepspeed zero_stage=1"},
    {"deepspeed_offload", LLAMA3_8B " dp=8 framework.name=deepspeed zero_stage=2 offload_optimizer=0.5",
     LLAMA3_8B " dp=8 framework.name=deepspeed zero_stage=3 offload_optimizer=0.5"},
    {"shards_together", LLAMA3_8B " dp=8 framework.name=fsdp2 fsdp=none zero_stage=1",
     LLAMA3_8B " dp=8 framework.name=fsdp2 fsdp=shard_grad_op"},
    {"fsdp_optimizer", LLAMA3_8B " dp=8 fsdp=full optimizer=muon",
     LLAMA3_8B " dp=8 fsdp=full optimizer=sgd"},
    {"fsdp_of_core", LLAMA3_8B " dp=8 fsdp=hybrid",
     LLAMA3_8B " dp=8 fsdp=full"},
    {"instances_need_shards", LLAMA3_8B " dp=8 shard_group=2",
     LLAMA3_8B " dp=8 shard_group=2 zero_stage=1"},
    {"deterministic_loss", LLAMA3_8B " dp=8 deterministic=true cross_entropy=native_fused",
     LLAMA3_8B " dp=8 deterministic=true"},
    {"graph_recompute", LLAMA3_8B " dp=8 cuda_graph=partial recompute=full",
     LLAMA3_8B " dp=8 cuda_graph=full recompute=full"},
    {"graph_recompute_014", LLAMA3_8B " dp=8 cuda_graph=full recompute=selective framework.name=megatron-core-0.14",
     LLAMA3_8B " dp=8 cuda_graph=full framework.name=megatron-core-0.14"},
    {"graph_recomputes_moe", MIXTRAL_8X7B " dp=8 ep=8 cuda_graph=partial recompute=selective recompute_modules=[moe]",
     MIXTRAL_8X7B " dp=8 ep=8 cuda_graph=partial recompute=selective recompute_modules=[moe_act]"},
    {"graph_capacity", MIXTRAL_8X7B " dp=8 ep=8 cuda_graph=partial moe_capacity_factor=1",
     MIXTRAL_8X7B " dp=8 ep=8 cuda_graph=partial"},
    {"graph_full_experts", MIXTRAL_8X7B " dp=8 ep=8 cuda_graph=full", MIXTRAL_8X7B " dp=8 ep=8 cuda_graph=partial"},
    {"grads_of_core", LLAMA3_8B " dp=8 grad_dtype=fp16", LLAMA3_8B " dp=8 grad_dtype=bf16"},
    {"recipes_of_core", LLAMA3_8B " dp=8 dtype=fp8 fp8_recipe=rowwise",
     LLAMA3_8B " dp=8 dtype=fp8 fp8_recipe=tensorwise"},
    {"graph_overlap_fsdp", MIXTRAL_8X7B " dp=8 ep=8 fsdp=full overlap_ep=true cuda_graph=partial",
     MIXTRAL_8X7B " dp=8 ep=8 zero_stage=1 overlap_ep=true cuda_graph=partial"},
    {"graph_dropout", LLAMA3_8B " dp=8 cuda_graph=partial recompute=selective attention_dropout=0.1",
     LLAMA3_8B " dp=8 cuda_graph=partial recompute=selective attention_dropout=0"},
    {"mtp_positions", LLAMA3_8B " dp=8 mtp_num_layers=1 position_embedding=learned max_position_embeddings=8192",
     LLAMA3_8B " dp=8 mtp_num_layers=1 position_embedding=rope"},
    {"local_norm_experts", MIXTRAL_8X7B " dp=8 transformer_impl=local normalization=rmsnorm",
     MIXTRAL_8X7B " dp=8 normalization=rmsnorm"},
    {"overlap_prediction_014",
     LLAMA3_8B " tp=2 sp=true overlap_tp=true mtp_num_layers=1 framework.name=megatron-core-0.14",
     LLAMA3_8B " tp=2 sp=true overlap_tp=true mtp_num_layers=1"},
    {"groups_of_014", LLAMA3_8B " tp=16 framework.name=megatron-core-0.14", LLAMA3_8B " tp=16"},
    {"grouped_types_014", MIXTRAL_8X7B " dp=8 dtype=fp16 framework.name=megatron-core-0.14",
     MIXTRAL_8X7B " dp=8 dtype=fp16"},
    {"sinks_deterministic", LLAMA3_8B " dp=8 attention_sinks=true deterministic=true",
     LLAMA3_8B " dp=8 attention_sinks=true deterministic=true attention=unfused"},
    {"norms_flag", LLAMA3_8B " dp=8 norms_per_layer=4", LLAMA3_8B " dp=8"},
    {"blocks_of_nanotron", LLAMA3_8B " pp=64 framework.name=nanotron global_batch_size=64",
     LLAMA3_8B " pp=32 framework.name=nanotron global_batch_size=64"},
    {"defer_needs_pp", LLAMA3_8B " dp=8 defer_embedding_wgrad=true",
     LLAMA3_8B " pp=2 dp=4 defer_embedding_wgrad=true"},
    {"recompute_fp8_delayed", LLAMA3_8B " dp=8 dtype=fp8 recompute=selective recompute_modules=[layernorm]",
     LLAMA3_8B " dp=8 dtype=fp8 fp8_recipe=tensorwise recompute=selective recompute_modules=[layernorm]"},
    {"recompute_moe_act", LLAMA3_8B " dp=8 recompute=selective recompute_modules=[moe_act]",
     MIXTRAL_8X7B " dp=8 recompute=selective recompute_modules=[moe_act]"},
    {"recompute_nothing", LLAMA3_8B " dp=8 recompute=selective recompute_modules=[]",
     LLAMA3_8B " dp=8 recompute=none recompute_modules=[]"},
    {"recompute_mla", LLAMA3_8B " dp=8 recompute=selective recompute_modules=[mla_up_proj]",
     DEEPSEEK_V3 " dp=8 recompute=selective recompute_modules=[mla_up_proj]"},
    {"recompute_gate", MIXTRAL_8X7B " dp=8 recompute=selective recompute_modules=[moe_gate]",
     MIXTRAL_8X7B " dp=8 recompute=selective recompute_modules=[mlp]"},
    {"overlap_ep_needs_vpp", MIXTRAL_8X7B " pp=2 dp=8 ep=8 overlap_ep=true",
     MIXTRAL_8X7B " pp=2 vpp=2 dp=8 ep=8 overlap_ep=true"},
    {"overlap_ep_needs_ep", MIXTRAL_8X7B " dp=8 ep=1 overlap_ep=true",
     MIXTRAL_8X7B " dp=8 ep=2 overlap_ep=true"},
    {"overlap_ep_recompute", MIXTRAL_8X7B " dp=8 ep=8 overlap_ep=true recompute=full",
     MIXTRAL_8X7B " dp=8 ep=8 overlap_ep=true recompute=selective recompute_modules=[moe_act]"},
    {"overlap_ep_types", MIXTRAL_8X7B " dp=8 ep=8 overlap_ep=true dtype=fp32",
     MIXTRAL_8X7B " dp=8 ep=8 overlap_ep=true"},
    {"flex_needs_split", MIXTRAL_8X7B " dp=8 moe_dispatcher=flex",
     MIXTRAL_8X7B " dp=8 ep=2 moe_dispatcher=flex"},
    {"expert_bias_etp", MIXTRAL_8X7B " tp=2 sp=true dp=4 add_bias_linear=true",
     MIXTRAL_8X7B " tp=2 sp=true dp=4 etp=1 add_bias_linear=true"},
    {"router_groups", DEEPSEEK_V3 " dp=8 ep=8 moe_router_topk_groups=4",
     DEEPSEEK_V3 " dp=8 ep=8 moe_router_num_groups=8 moe_router_topk_groups=4"},
    {"alibi_of_core", LLAMA3_8B " dp=8 framework.name=megatron-core position_embedding=alibi",
     LLAMA3_8B " dp=8 position_embedding=alibi"},
    {"alibi_flag", LLAMA3_8B " dp=8 position_embedding=alibi",
     LLAMA3_8B " dp=8"},
    {"embedding_norm_of_core", LLAMA3_8B " dp=8 framework.name=megatron-core embedding_norm=true",
     LLAMA3_8B " dp=8 embedding_norm=true"},
    {"embedding_norm_flag", LLAMA3_8B " dp=8 embedding_norm=true",
     LLAMA3_8B " dp=8"},
    {"windows_of_014", LLAMA3_8B " dp=8 framework.name=megatron-core-0.14 sliding_window=1024",
     LLAMA3_8B " dp=8 framework.name=megatron-core sliding_window=1024"},
    {"sinks_of_014", LLAMA3_8B " dp=8 framework.name=megatron-core-0.14 attention_sinks=true",
     LLAMA3_8B " dp=8 framework.name=megatron-core attention_sinks=true"},
    {"attention_in_16", LLAMA3_8B " dp=8 dtype=fp32",
     LLAMA3_8B " dp=8 dtype=fp32 attention=unfused"},
    {"cudnn_heads", LLAMA3_8B " dp=8 kv_channels=288 attention_kernel=cudnn",
     LLAMA3_8B " dp=8 attention_kernel=cudnn"},
    {"flash_heads", LLAMA3_8B " dp=8 kv_channels=288 attention_kernel=fa2",
     LLAMA3_8B " dp=8 attention_kernel=fa2"},
    {"kernels_of_core", LLAMA3_8B " dp=8 attention_kernel=fa1",
     LLAMA3_8B " dp=8 attention_kernel=fa2"},
    {"cp_windows", LLAMA3_8B " cp=2 dp=4 sliding_window=1024",
     LLAMA3_8B " cp=2 cp_comm=a2a dp=4 sliding_window=1024"},
    {"cp_sinks", LLAMA3_8B " cp=2 dp=4 attention_sinks=true",
     LLAMA3_8B " cp=2 cp_comm=a2a dp=4 attention_sinks=true"},
    {"cp_heads", LLAMA3_8B " tp=4 cp=4 cp_comm=a2a num_attention_heads=40 num_query_groups=40 kv_channels=128",
     LLAMA3_8B " tp=4 cp=2 cp_comm=a2a num_attention_heads=40 num_query_groups=40 kv_channels=128"},
    {"cp_unfused", LLAMA3_8B " cp=2 cp_comm=a2a dp=4 attention=unfused",
     LLAMA3_8B " cp=2 cp_comm=a2a dp=4"},
    {"cp_needs_te", LLAMA3_8B " cp=2 dp=4 transformer_impl=local",
     LLAMA3_8B " cp=2 dp=4"},
    {"gather_needs_reduce", LLAMA3_8B " dp=8 fsdp=full overlap_param_gather=true",
     LLAMA3_8B " dp=8 fsdp=full overlap_param_gather=true overlap_grad_reduce=true"},
    {"ends_counted_twice", LLAMA3_8B " pp=2 dp=4 first_stage_layers=16 loss_counts_as_layer=true",
     LLAMA3_8B " pp=2 dp=4 first_stage_layers=16"},
    {"order_of_experts", MIXTRAL_8X7B " pp=2 dp=8 ep=8 order=tp-cp-ep-pp-dp", MIXTRAL_8X7B " pp=2 dp=8 ep=8"},
    {"local_norm_sp", LLAMA3_8B " tp=2 sp=true dp=4 transformer_impl=local", LLAMA3_8B " tp=2 sp=true dp=4"},
    {"scratch_without_cp", LLAMA3_8B " framework.name=nanotron cp=2 dp=4",
     LLAMA3_8B " framework.name=nanotron dp=8"},
    {"zero0_gradient_types", LLAMA3_8B " framework.name=deepspeed dp=8 accumulate_grad_fp32=true",
     LLAMA3_8B " framework.name=deepspeed dp=8 zero_stage=1 accumulate_grad_fp32=true"},
    {"fp32_gradient_types", LLAMA3_8B " framework.name=deepspeed dp=8 dtype=fp32 accumulate_grad_fp32=false",
     LLAMA3_8B " framework.name=deepspeed dp=8 dtype=fp32 accumulate_grad_fp32=true"},
};

/* The same on GPUs of a compute capability that breaks each, and of one that does not. */
static const struct {
    const char *rule, *plan;
    double breaks, holds;
} device_refusals[] = {
    {"fp8_device", LLAMA3_8B " dp=8 dtype=fp8", 8, 8.9},
    {"mxfp8_device", LLAMA3_8B " dp=8 dtype=mxfp8", 9, 10},
    {"mxfp8_device", LLAMA3_8B " dp=8 dtype=mxfp8", 12, 10.3},
    {"blockwise_device", LLAMA3_8B " dp=8 dtype=fp8 fp8_recipe=blockwise", 8.9, 9},
    {"cudnn_deterministic", LLAMA3_8B " dp=8 attention_kernel=cudnn deterministic=true", 8, 9},
    {"grouped_gemm_device", MIXTRAL_8X7B " dp=8 ep=8", 7.5, 8},
};

static bool has_refusal(const char *settings, const char *rule, double cc)
{
    struct plan plan;
    check_plan(&plan, settings);
    plan.gpu.compute_capability = cc;
    estimate_plan(&plan, &estimate);
    for (int i = 0; i < estimate.diags.count; i++)
        if (strcmp(estimate.diags.item[i].rule, rule) == 0)
            return true;
    return false;
}

static void frameworks_refuse_what_they_check(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        assert_that(has_refusal(refusals[i].breaks, refusals[i].rule, 9), "%s: %s", refusals[i].rule,
                    refusals[i].breaks);
        assert_that(!has_refusal(refusals[i].holds, refusals[i].rule, 9), "%s: %s", refusals[i].rule,
                    refusals[i].holds);
    }
    for (size_t i = 0; i < COUNT(device_refusals); i++) {
        const char *rule = device_refusals[i].rule;
        assert_that(has_refusal(device_refusals[i].plan, rule, device_refusals[i].breaks), "%s", rule);
        assert_that(!has_refusal(device_refusals[i].plan, rule, device_refusals[i].holds), "%s", rule);
    }
}

static void no_rule_is_without_a_case(void **state)
{
    (void)state;
    static const char *const ids[] = {
#define RULE(id, ...) #id,
#include "core/plan/rule.def"
#undef RULE
    };
    for (size_t i = 0; i < COUNT(ids); i++) {
        bool is_tested = strcmp(ids[i], "missing_gpus_per_node") == 0 || strcmp(ids[i], "usable_known") == 0 ||
                         strcmp(ids[i], "fa3_needs_hopper") == 0 || strcmp(ids[i], "bf16_on_device") == 0 ||
                         strcmp(ids[i], "kernel_on_device") == 0;
        for (size_t j = 0; j < COUNT(device_refusals); j++)
            is_tested |= strcmp(device_refusals[j].rule, ids[i]) == 0;
        for (size_t j = 0; j < COUNT(cases); j++)
            is_tested |= strcmp(cases[j].rule, ids[i]) == 0;
        for (size_t j = 0; j < COUNT(refusals); j++)
            is_tested |= strcmp(refusals[j].rule, ids[i]) == 0;
        assert_that(is_tested, "%s has no case", ids[i]);
    }
}

static void findings_come_errors_first_and_are_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct plan plan;
        check_plan(&plan, cases[i].settings);
        estimate_plan(&plan, &estimate);
        int errors = 0, warnings = 0;
        for (int j = 0; j < estimate.diags.count; j++) {
            assert_true(j == 0 || estimate.diags.item[j].level >= estimate.diags.item[j - 1].level);
            errors += estimate.diags.item[j].level == DIAG_ERROR;
            warnings += estimate.diags.item[j].level == DIAG_WARNING;
        }
        assert_int_equal(estimate.diags.errors, errors);
        assert_int_equal(estimate.diags.warnings, warnings);
        assert_int_equal(rule_errors(&estimate.plan) != 0, errors > 0);
    }
}

/* Every value that a finding offers removes it. */
static void values_offered_work(void **state)
{
    (void)state;
    int offered[DIAG_VALID_NEAREST + 1] = {0};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct plan plan;
        check_plan(&plan, cases[i].settings);
        estimate_plan(&plan, &estimate);
        const struct diag *found = find(cases[i].rule, cases[i].key);
        assert_that(found, "%s: no finding", cases[i].rule);
        const struct diag diag = *found;
        assert_int_equal(diag.valid_kind == DIAG_VALID_UNKNOWN, diag.valid_count == 0);
        offered[diag.valid_kind] += diag.valid_count;
        for (int k = 0; k < diag.valid_count; k++) {
            struct plan fixed = plan;
            fixed.value[diag.param] = diag.valid[k];
            fixed.from[diag.param] = FROM_SET;
            estimate_plan(&fixed, &estimate);
            assert_that(!find(cases[i].rule, cases[i].key), "%s: %s=%g does not work", cases[i].rule, cases[i].key,
                        diag.valid[k]);
        }
    }
    assert_true(offered[DIAG_VALID_ALL] > 0 && offered[DIAG_VALID_NEAREST] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_broken_once), cmocka_unit_test(what_a_device_lacks_is_said),
        cmocka_unit_test(what_an_older_device_cannot_do_is_said), cmocka_unit_test(older_devices_are_told_apart),
        cmocka_unit_test(frameworks_refuse_what_they_check),
        cmocka_unit_test(no_rule_is_without_a_case),
        cmocka_unit_test(findings_come_errors_first_and_are_counted), cmocka_unit_test(values_offered_work),
    };
    return cmocka_run_group_tests_name("rule", tests, NULL, NULL) != 0;
}
