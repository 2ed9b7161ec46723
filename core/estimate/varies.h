/*
 * core/estimate/varies.h - which symbols and rows follow from the keys in which layouts of one shape differ, so that a
 * search works out the others once. The marks are what the texts of the rows say: tests/unit/test_varies.c reads them,
 * and prints this list where it is another.
 *
 *   SHARDED     follows from parallel.zero_stage and parallel.fsdp
 *   RECOMPUTED  follows from train.recompute and train.recompute_num_layers
 *   ALIVE       follows from what a stage has alive at its peak
 *   FLOOR       of stages: part of stage_floor(), or read by what is
 *   PIPELINED   of symbols and rules: follows from the pipeline, which is parallel.pp, vpp and schedule and how layers
 *               are split, and with them parallel.dp
 *   DIVIDED     of symbols: follows from how the model and the batch are divided over ranks, which is what
 *               symbols_unparallel_plan() sets
 */
#ifndef SHARDTOP_CORE_ESTIMATE_VARIES_H
#define SHARDTOP_CORE_ESTIMATE_VARIES_H

/** What may have changed since a sheet was worked out, as bits; VARIES_ALL: everything. */
enum varies {
    VARIES_SHARDED = 1,
    VARIES_RECOMPUTED = 2,
    VARIES_ALIVE = 4,
    VARIES_PIPELINED = 16,
    VARIES_DIVIDED = 32,
    VARIES_ALL = 63
};

/** The bits of a symbol, a rule or a stage's row; it is worked out where it has one of those that changed. */
#define VARIES(name)                                                                                                   \
    (MARK_OF_(SHARDED_##name) | MARK_OF_(RECOMPUTED_##name) << 1 | MARK_OF_(ALIVE_##name) << 2 |                       \
     MARK_OF_(PIPELINED_##name) << 4 | MARK_OF_(DIVIDED_##name) << 5 | 8)

/** Whether a stage's row is part of stage_floor(). */
#define IS_OF_FLOOR(name) MARK_OF_(FLOOR_##name)

/* 1 where the name of a mark is defined, as `~, 1`; else 0. */
#define MARK_OF_(...)           MARK_SECOND_(__VA_ARGS__, 0, 0)
#define MARK_SECOND_(a, b, ...) b

/** Plan keys that follow from the two of sharding, as KEY_(group, key), and those two; see plan_resolve_states(). */
#define SHARDED_KEYS(KEY_)                                                                                             \
    KEY_(parallel, zero_stage)                                                                                        \
    KEY_(parallel, fsdp)                                                                                              \
    KEY_(train, grad_dtype)                                                                                           \
    KEY_(framework, accumulate_grad_fp32)                                                                             \
    KEY_(train, quant_storage)

#define SHARDED_zero ~, 1
#define SHARDED_acc32 ~, 1
#define SHARDED_regather ~, 1
#define SHARDED_allocated_band ~, 1
#define SHARDED_main_copy ~, 1
#define SHARDED_moments_as_compute ~, 1
#define SHARDED_grads_beside_fp32 ~, 1
#define SHARDED_grads_of_core ~, 1
#define SHARDED_graph_overlap_fsdp ~, 1
#define SHARDED_layer_host_ms ~, 1
#define SHARDED_shard_lanes ~, 1
#define SHARDED_shards_states ~, 1
#define SHARDED_zero_buckets ~, 1
#define SHARDED_grad16_copy ~, 1
#define SHARDED_step_grad_copy ~, 1
#define SHARDED_retains_inputs ~, 1
#define SHARDED_autocast_copies ~, 1
#define SHARDED_zs ~, 1
#define SHARDED_shard ~, 1
#define SHARDED_expert_shards ~, 1
#define SHARDED_D ~, 1
#define SHARDED_De ~, 1
#define SHARDED_Gr ~, 1
#define SHARDED_G ~, 1
#define SHARDED_scatter_copy ~, 1
#define SHARDED_Mp ~, 1
#define SHARDED_Gm ~, 1
#define SHARDED_moment ~, 1
#define SHARDED_moment_sq ~, 1
#define SHARDED_S ~, 1
#define SHARDED_O ~, 1
#define SHARDED_ddp_copy ~, 1
#define SHARDED_host_dense_s ~, 1
#define SHARDED_gather_needs_shards ~, 1
#define SHARDED_precision_needs_shards ~, 1
#define SHARDED_quant_storage_shards ~, 1
#define SHARDED_inputs_retained ~, 1
#define SHARDED_zero1_fp32_starts ~, 1
#define SHARDED_zero_with_pipeline ~, 1
#define SHARDED_zero_modelled ~, 1
#define SHARDED_fsdp_modelled ~, 1
#define SHARDED_fsdp_stages ~, 1
#define SHARDED_trained_owned ~, 1
#define SHARDED_owned ~, 1
#define SHARDED_primary_bytes ~, 1
#define SHARDED_base_weights_bytes ~, 1
#define SHARDED_reference_bytes ~, 1
#define SHARDED_retained_bytes ~, 1
#define SHARDED_weight_copies_bytes ~, 1
#define SHARDED_upcast_bytes ~, 1
#define SHARDED_adapter_bytes ~, 1
#define SHARDED_saved_modules_bytes ~, 1
#define SHARDED_saved_modules_gradients_bytes ~, 1
#define SHARDED_saved_modules_states_bytes ~, 1
#define SHARDED_weights_bytes ~, 1
#define SHARDED_gradients_all_bytes ~, 1
#define SHARDED_states_bytes ~, 1
#define SHARDED_optimizer_bytes ~, 1
#define SHARDED_paged_bytes ~, 1
#define SHARDED_bucket_bytes ~, 1
#define SHARDED_unit_bytes ~, 1
#define SHARDED_gathered_bytes ~, 1
#define SHARDED_autocast_bytes ~, 1
#define SHARDED_wgrad_bytes ~, 1
#define SHARDED_unit_gradient_bytes ~, 1
#define SHARDED_layer_backward_bytes ~, 1
#define SHARDED_gradients_end_bytes ~, 1
#define SHARDED_flat_bytes ~, 1
#define SHARDED_grad16_bytes ~, 1
#define SHARDED_backward_pass_bytes ~, 1
#define SHARDED_pass_bytes ~, 1
#define SHARDED_step_bytes ~, 1
#define SHARDED_end_bytes ~, 1
#define SHARDED_fresh_bytes ~, 1
#define SHARDED_at_end ~, 1
#define SHARDED_step_peak_bytes ~, 1
#define SHARDED_pass_peak_bytes ~, 1
#define SHARDED_at_step ~, 1
#define SHARDED_gradients_bytes ~, 1
#define SHARDED_activations_bytes ~, 1
#define SHARDED_transient_bytes ~, 1
#define SHARDED_buffers_bytes ~, 1
#define SHARDED_allocated_bytes ~, 1
#define SHARDED_steady_bytes ~, 1
#define SHARDED_loss_cache_bytes ~, 1
#define SHARDED_freed_bytes ~, 1
#define SHARDED_ring_cache_bytes ~, 1
#define SHARDED_fragmentation_bytes ~, 1
#define SHARDED_reserved_bytes ~, 1
#define SHARDED_device_bytes ~, 1
#define SHARDED_host_bytes ~, 1
#define SHARDED_fetched_bytes ~, 1
#define SHARDED_headroom_bytes ~, 1
#define SHARDED_Bq ~, 1
#define SHARDED_Bt ~, 1
#define SHARDED_Bw ~, 1
#define SHARDED_foreach_copy ~, 1
#define SHARDED_moments_as_weights ~, 1
#define SHARDED_stores_main_weights ~, 1
#define SHARDED_fp8_gather_needs_shards ~, 1
#define SHARDED_offload_needs_shards ~, 1
#define SHARDED_fsdp_optimizer ~, 1
#define SHARDED_fsdp_of_core ~, 1
#define SHARDED_instances_need_shards ~, 1
#define SHARDED_zero0_gradient_types ~, 1
#define SHARDED_fp32_gradient_types ~, 1

#define RECOMPUTED_norm1_bytes ~, 1
#define RECOMPUTED_retains_inputs ~, 1
#define RECOMPUTED_full_recompute ~, 1
#define RECOMPUTED_selective ~, 1
#define RECOMPUTED_policy ~, 1
#define RECOMPUTED_re_core ~, 1
#define RECOMPUTED_re_norm ~, 1
#define RECOMPUTED_re_up ~, 1
#define RECOMPUTED_re_mlp ~, 1
#define RECOMPUTED_re_moe ~, 1
#define RECOMPUTED_re_act ~, 1
#define RECOMPUTED_re_shared ~, 1
#define RECOMPUTED_U ~, 1
#define RECOMPUTED_block ~, 1
#define RECOMPUTED_recompute_of_layers ~, 1
#define RECOMPUTED_frozen_inputs_kept ~, 1
#define RECOMPUTED_inputs_retained ~, 1
#define RECOMPUTED_block_share ~, 1
#define RECOMPUTED_layers_again ~, 1
#define RECOMPUTED_dense_recomputed ~, 1
#define RECOMPUTED_moe_recomputed ~, 1
#define RECOMPUTED_core_again ~, 1
#define RECOMPUTED_mlp_again ~, 1
#define RECOMPUTED_mlp_out_again ~, 1
#define RECOMPUTED_moe_again ~, 1
#define RECOMPUTED_shared_again ~, 1
#define RECOMPUTED_checkpoint_bytes ~, 1
#define RECOMPUTED_dense_kept ~, 1
#define RECOMPUTED_moe_kept ~, 1
#define RECOMPUTED_dense_alive ~, 1
#define RECOMPUTED_moe_alive ~, 1
#define RECOMPUTED_in_flight_bytes ~, 1
#define RECOMPUTED_mtp_bytes ~, 1
#define RECOMPUTED_loss_peak_bytes ~, 1
#define RECOMPUTED_head_backward_bytes ~, 1
#define RECOMPUTED_recomputed_bytes ~, 1
#define RECOMPUTED_layer_backward_bytes ~, 1
#define RECOMPUTED_gradients_end_bytes ~, 1
#define RECOMPUTED_loss_pass_bytes ~, 1
#define RECOMPUTED_backward_pass_bytes ~, 1
#define RECOMPUTED_pass_bytes ~, 1
#define RECOMPUTED_last_layer_bytes ~, 1
#define RECOMPUTED_retained_bytes ~, 1
#define RECOMPUTED_end_bytes ~, 1
#define RECOMPUTED_at_end ~, 1
#define RECOMPUTED_pass_peak_bytes ~, 1
#define RECOMPUTED_at_step ~, 1
#define RECOMPUTED_gradients_bytes ~, 1
#define RECOMPUTED_saved_modules_gradients_bytes ~, 1
#define RECOMPUTED_activations_bytes ~, 1
#define RECOMPUTED_transient_bytes ~, 1
#define RECOMPUTED_buffers_bytes ~, 1
#define RECOMPUTED_allocated_bytes ~, 1
#define RECOMPUTED_loss_cache_bytes ~, 1
#define RECOMPUTED_freed_bytes ~, 1
#define RECOMPUTED_ring_cache_bytes ~, 1
#define RECOMPUTED_fragmentation_bytes ~, 1
#define RECOMPUTED_reserved_bytes ~, 1
#define RECOMPUTED_device_bytes ~, 1
#define RECOMPUTED_host_bytes ~, 1
#define RECOMPUTED_moved_bytes ~, 1
#define RECOMPUTED_headroom_bytes ~, 1
#define RECOMPUTED_attn_freed ~, 1
#define RECOMPUTED_mlp_freed ~, 1
#define RECOMPUTED_expert_freed ~, 1
#define RECOMPUTED_dense_dropped ~, 1
#define RECOMPUTED_moe_dropped ~, 1
#define RECOMPUTED_partition_needs_full ~, 1
#define RECOMPUTED_graph_recompute ~, 1
#define RECOMPUTED_graph_dropout ~, 1
#define RECOMPUTED_graph_recomputes_moe ~, 1
#define RECOMPUTED_recompute_fp8_delayed ~, 1
#define RECOMPUTED_recompute_moe_act ~, 1
#define RECOMPUTED_recompute_mla ~, 1
#define RECOMPUTED_recompute_gate ~, 1
#define RECOMPUTED_overlap_ep_recompute ~, 1

#define ALIVE_waiting_bytes ~, 1
#define ALIVE_in_flight_bytes ~, 1
#define ALIVE_all_messages ~, 1
#define ALIVE_p2p_bytes ~, 1
#define ALIVE_gradients_end_bytes ~, 1
#define ALIVE_backward_pass_bytes ~, 1
#define ALIVE_pass_bytes ~, 1
#define ALIVE_last_layer_bytes ~, 1
#define ALIVE_retained_bytes ~, 1
#define ALIVE_end_bytes ~, 1
#define ALIVE_at_end ~, 1
#define ALIVE_pass_peak_bytes ~, 1
#define ALIVE_at_step ~, 1
#define ALIVE_gradients_bytes ~, 1
#define ALIVE_saved_modules_gradients_bytes ~, 1
#define ALIVE_activations_bytes ~, 1
#define ALIVE_transient_bytes ~, 1
#define ALIVE_buffers_bytes ~, 1
#define ALIVE_allocated_bytes ~, 1
#define ALIVE_loss_cache_bytes ~, 1
#define ALIVE_freed_bytes ~, 1
#define ALIVE_ring_cache_bytes ~, 1
#define ALIVE_fragmentation_bytes ~, 1
#define ALIVE_reserved_bytes ~, 1
#define ALIVE_device_bytes ~, 1
#define ALIVE_host_bytes ~, 1
#define ALIVE_headroom_bytes ~, 1

#define FLOOR_first ~, 1
#define FLOOR_last ~, 1
#define FLOOR_embeds ~, 1
#define FLOOR_heads ~, 1
#define FLOOR_dense_saved ~, 1
#define FLOOR_moe_saved ~, 1
#define FLOOR_dense_dropped ~, 1
#define FLOOR_dense_held ~, 1
#define FLOOR_moe_held ~, 1
#define FLOOR_moe_dropped ~, 1
#define FLOOR_dense_layers ~, 1
#define FLOOR_held_mtp ~, 1
#define FLOOR_held_mtp_moe ~, 1
#define FLOOR_block_share ~, 1
#define FLOOR_mtp_params ~, 1
#define FLOOR_params_experts ~, 1
#define FLOOR_params_dense ~, 1
#define FLOOR_params ~, 1
#define FLOOR_adapters ~, 1
#define FLOOR_adapters_experts ~, 1
#define FLOOR_copied ~, 1
#define FLOOR_frozen_ends ~, 1
#define FLOOR_fixed_dense ~, 1
#define FLOOR_fixed_experts ~, 1
#define FLOOR_trained_dense ~, 1
#define FLOOR_trained_experts ~, 1
#define FLOOR_trained ~, 1
#define FLOOR_trained_owned ~, 1
#define FLOOR_owned ~, 1
#define FLOOR_quantised_dense ~, 1
#define FLOOR_quantised_experts ~, 1
#define FLOOR_primary_bytes ~, 1
#define FLOOR_weight_copies_bytes ~, 1
#define FLOOR_base_weights_bytes ~, 1
#define FLOOR_quant_constants_bytes ~, 1
#define FLOOR_upcast_bytes ~, 1
#define FLOOR_adapter_bytes ~, 1
#define FLOOR_saved_modules_bytes ~, 1
#define FLOOR_reference_bytes ~, 1
#define FLOOR_weights_bytes ~, 1
#define FLOOR_gradients_all_bytes ~, 1
#define FLOOR_saved_dense ~, 1
#define FLOOR_saved_experts ~, 1
#define FLOOR_states_bytes ~, 1
#define FLOOR_optimizer_bytes ~, 1
#define FLOOR_checkpoint_bytes ~, 1
#define FLOOR_dense_kept ~, 1
#define FLOOR_moe_kept ~, 1
#define FLOOR_dense_alive ~, 1
#define FLOOR_moe_alive ~, 1
#define FLOOR_waiting_bytes ~, 1
#define FLOOR_busy_share ~, 1
#define FLOOR_in_flight_bytes ~, 1

#define PIPELINED_blocks_of_nanotron ~, 1
#define PIPELINED_indices_on_stage ~, 1
#define PIPELINED_layer_tables_modelled ~, 1
#define PIPELINED_kinds_scheduled ~, 1
#define PIPELINED_p ~, 1
#define PIPELINED_V ~, 1
#define PIPELINED_d ~, 1
#define PIPELINED_partitions_inputs ~, 1
#define PIPELINED_allocated_band ~, 1
#define PIPELINED_timed_stack ~, 1
#define PIPELINED_interleaves ~, 1
#define PIPELINED_fills_pipeline ~, 1
#define PIPELINED_N ~, 1
#define PIPELINED_world ~, 1
#define PIPELINED_ed ~, 1
#define PIPELINED_expert_shards ~, 1
#define PIPELINED_shard ~, 1
#define PIPELINED_D ~, 1
#define PIPELINED_De ~, 1
#define PIPELINED_m ~, 1
#define PIPELINED_node_gpus ~, 1
#define PIPELINED_ovm ~, 1
#define PIPELINED_defer ~, 1
#define PIPELINED_ddp_copy ~, 1
#define PIPELINED_kept_share ~, 1
#define PIPELINED_mirrored ~, 1
#define PIPELINED_folds ~, 1
#define PIPELINED_shares_head ~, 1
#define PIPELINED_zb_w ~, 1
#define PIPELINED_gpus_divisible ~, 1
#define PIPELINED_gpus_enough ~, 1
#define PIPELINED_gpus_all_used ~, 1
#define PIPELINED_layers_split ~, 1
#define PIPELINED_vpp_needs_pp ~, 1
#define PIPELINED_interleaved_needs_vpp ~, 1
#define PIPELINED_zb_v_chunks ~, 1
#define PIPELINED_dualpipe_pairs ~, 1
#define PIPELINED_plain_schedules ~, 1
#define PIPELINED_literature ~, 1
#define PIPELINED_not_played ~, 1
#define PIPELINED_too_large_to_play ~, 1
#define PIPELINED_group_in_range ~, 1
#define PIPELINED_group_divides ~, 1
#define PIPELINED_expert_grid ~, 1
#define PIPELINED_recompute_of_layers ~, 1
#define PIPELINED_batch_divisible ~, 1
#define PIPELINED_step_in_backward ~, 1
#define PIPELINED_accumulation_agrees ~, 1
#define PIPELINED_fsdp_stages ~, 1
#define PIPELINED_zero1_fp32_starts ~, 1
#define PIPELINED_zero_with_pipeline ~, 1
#define PIPELINED_tp_in_node ~, 1
#define PIPELINED_failures_outrun ~, 1
#define PIPELINED_fewer_micro_batches ~, 1
#define PIPELINED_tuning_split_modelled ~, 1
#define PIPELINED_vpp_overlaps_p2p ~, 1
#define PIPELINED_p2p_overlap_needs_vpp ~, 1
#define PIPELINED_instances_need_shards ~, 1
#define PIPELINED_defer_needs_pp ~, 1
#define PIPELINED_overlap_ep_needs_vpp ~, 1
#define PIPELINED_ends_counted_twice ~, 1
#define PIPELINED_order_of_experts ~, 1
#define DIVIDED_x ~, 1
#define DIVIDED_t ~, 1
#define DIVIDED_p ~, 1
#define DIVIDED_V ~, 1
#define DIVIDED_c ~, 1
#define DIVIDED_ep ~, 1
#define DIVIDED_et ~, 1
#define DIVIDED_d ~, 1
#define DIVIDED_zero ~, 1
#define DIVIDED_acc32 ~, 1
#define DIVIDED_stores_main_weights ~, 1
#define DIVIDED_main_copy ~, 1
#define DIVIDED_moments_as_weights ~, 1
#define DIVIDED_moments_as_compute ~, 1
#define DIVIDED_shards_states ~, 1
#define DIVIDED_regather ~, 1
#define DIVIDED_splits_sequence ~, 1
#define DIVIDED_keeps_context_copy ~, 1
#define DIVIDED_partitions_inputs ~, 1
#define DIVIDED_zero_buckets ~, 1
#define DIVIDED_loss_bytes_per_logit ~, 1
#define DIVIDED_grads_beside_fp32 ~, 1
#define DIVIDED_grad16_copy ~, 1
#define DIVIDED_step_grad_copy ~, 1
#define DIVIDED_foreach_copy ~, 1
#define DIVIDED_autocast_copies ~, 1
#define DIVIDED_loss_chunk_bytes ~, 1
#define DIVIDED_allocated_band ~, 1
#define DIVIDED_layer_host_ms ~, 1
#define DIVIDED_shard_lanes ~, 1
#define DIVIDED_timed_stack ~, 1
#define DIVIDED_interleaves ~, 1
#define DIVIDED_fills_pipeline ~, 1
#define DIVIDED_has_sp ~, 1
#define DIVIDED_dense_only ~, 1
#define DIVIDED_kv_head_per_rank ~, 1
#define DIVIDED_N ~, 1
#define DIVIDED_world ~, 1
#define DIVIDED_ed ~, 1
#define DIVIDED_tS ~, 1
#define DIVIDED_zs ~, 1
#define DIVIDED_shard ~, 1
#define DIVIDED_D ~, 1
#define DIVIDED_De ~, 1
#define DIVIDED_m ~, 1
#define DIVIDED_Tk ~, 1
#define DIVIDED_T1 ~, 1
#define DIVIDED_Bw ~, 1
#define DIVIDED_Gr ~, 1
#define DIVIDED_G ~, 1
#define DIVIDED_scatter_copy ~, 1
#define DIVIDED_Bt ~, 1
#define DIVIDED_Bq ~, 1
#define DIVIDED_Mp ~, 1
#define DIVIDED_Gm ~, 1
#define DIVIDED_moment ~, 1
#define DIVIDED_moment_sq ~, 1
#define DIVIDED_S ~, 1
#define DIVIDED_O ~, 1
#define DIVIDED_v ~, 1
#define DIVIDED_Z ~, 1
#define DIVIDED_gt ~, 1
#define DIVIDED_gc ~, 1
#define DIVIDED_R ~, 1
#define DIVIDED_Tcol ~, 1
#define DIVIDED_te_ws ~, 1
#define DIVIDED_node_gpus ~, 1
#define DIVIDED_ovm ~, 1
#define DIVIDED_arriving ~, 1
#define DIVIDED_moved_tokens ~, 1
#define DIVIDED_defer ~, 1
#define DIVIDED_ddp_copy ~, 1
#define DIVIDED_kept_share ~, 1
#define DIVIDED_host_dense_s ~, 1
#define DIVIDED_mirrored ~, 1
#define DIVIDED_folds ~, 1
#define DIVIDED_shares_head ~, 1

#endif
