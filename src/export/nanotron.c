/* src/export/nanotron.c - a plan as nanotron's YAML configuration. */
#include "src/export/common.h"
#include "src/import/spelling.h"
#include "src/text/text.h"

#include <math.h>
#include <string.h>

/* nanotron's model class that says the most of a plan. */
static const char *class_of(const struct plan *plan)
{
    if (KEY(framework, nanotron_model) == 2 ||
        (KEY(model, gated_mlp) == 0 && KEY(model, normalization) == NORM_LAYERNORM))
        return "starcoder2";
    bool is_qwen = KEY(framework, nanotron_model) == 1 || KEY(model, add_qkv_bias) > 0 || KEY(model, num_experts) > 0 ||
                   KEY(model, sliding_window) > 0;
    return is_qwen ? "qwen2" : "llama";
}

static const char *yes(bool is)
{
    return is ? "true" : "false";
}

static void put_general(struct buffer *out)
{
    buffer_puts(out, "# Data, tokenizer and learning rate have placeholders.\n"
                     "checkpoints:\n  checkpoint_interval: 1000\n  checkpoints_path: checkpoints\n"
                     "  checkpoints_path_is_shared_file_system: false\n  resume_checkpoint_path: null\n"
                     "  save_initial_state: false\n\n"
                     "data_stages:\n- data:\n    dataset: null\n    num_loading_workers: 1\n    seed: 42\n"
                     "  name: training\n  start_training_step: 1\n\n"
                     "general:\n  benchmark_csv_path: null\n  consumed_train_samples: null\n"
                     "  ignore_sanity_checks: true\n  project: shardtop\n  run: plan\n  seed: 42\n  step: null\n\n"
                     "lighteval: null\n\nlogging:\n  iteration_step_info_interval: 1\n  log_level: info\n"
                     "  log_level_replica: info\n\n");
}

static void put_experts(struct buffer *out, const struct plan *plan)
{
    if (!(KEY(model, num_experts) > 0))
        return;
    bool has_shared = KEY(model, moe_shared_ffn_hidden_size) > 0;
    buffer_printf(out,
                  "    moe_config:\n      num_experts: %.0f\n      top_k: %.0f\n      moe_intermediate_size: %.0f\n",
                  KEY(model, num_experts), KEY(model, moe_router_topk), KEY(model, moe_ffn_hidden_size));
    buffer_printf(out, "      enable_shared_expert: %s\n", yes(has_shared));
    if (has_shared)
        buffer_printf(out, "      shared_expert_intermediate_size: %.0f\n", KEY(model, moe_shared_ffn_hidden_size));
    buffer_printf(out, "      token_dispatcher_type: %s\n",
                  KEY(parallel, moe_dispatcher) == 1 ? "allgather" : "alltoall");
}

static void put_class(struct buffer *out, const struct plan *plan, const char *class)
{
    bool is_starcoder = strcmp(class, "starcoder2") == 0;
    buffer_printf(out, "    is_%s_config: true\n", class);
    if (is_starcoder) {
        buffer_printf(out, "    num_kv_heads: %.0f\n    grouped_query: %s\n", KEY(model, num_query_groups),
                      yes(KEY(model, num_query_groups) != KEY(model, num_attention_heads)));
        buffer_printf(out, "    resid_pdrop: %.9g\n    attn_pdrop: %.9g\n", KEY(model, hidden_dropout),
                      KEY(model, attention_dropout));
        return;
    }
    buffer_printf(out, "    num_key_value_heads: %.0f\n    hidden_act: silu\n", KEY(model, num_query_groups));
    if (strcmp(class, "qwen2") == 0)
        buffer_printf(out, "    attention_bias: %s\n", yes(KEY(model, add_qkv_bias) > 0));
}

static void put_model(struct buffer *out, const struct plan *plan)
{
    char dtype[SPELLING_MAX];
    double window = KEY(model, sliding_window), bucket = KEY(framework, ddp_bucket_elements);
    spelling_usual(PARAM_train_dtype, fmin(KEY(train, dtype), DTYPE_BF16), DIALECT_TORCH, dtype);
    buffer_printf(out, "model:\n  ddp_bucket_cap_mb: %.9g\n  dtype: %s\n  init_method:\n    std: 0.02\n",
                  bucket > 0 ? bucket * 2 / 1048576 : 25, dtype);
    buffer_printf(out, "  make_vocab_size_divisible_by: %.0f\n  model_config:\n",
                  KEY(model, make_vocab_size_divisible_by));
    buffer_printf(out, "    hidden_size: %.0f\n    intermediate_size: %.0f\n    num_attention_heads: %.0f\n",
                  KEY(model, hidden_size), KEY(model, ffn_hidden_size), KEY(model, num_attention_heads));
    buffer_printf(out, "    num_hidden_layers: %.0f\n    vocab_size: %.0f\n    max_position_embeddings: %.0f\n",
                  KEY(model, num_layers), KEY(model, vocab_size), KEY(model, max_position_embeddings));
    buffer_printf(out, "    tie_word_embeddings: %s\n", yes(KEY(model, tied_embeddings) > 0));
    if (KEY(model, rotary_base) > 0 && strcmp(class_of(plan), "starcoder2") != 0)
        buffer_printf(out, "    rope_theta: %.1f\n", KEY(model, rotary_base));
    if (window > 0)
        buffer_printf(out, "    sliding_window_size: %.0f\n", window);
    put_class(out, plan, class_of(plan));
    put_experts(out, plan);
}

static void put_optimizer(struct buffer *out, const struct plan *plan)
{
    buffer_printf(out, "\noptimizer:\n  accumulate_grad_in_fp32: %s\n  clip_grad: 1.0\n",
                  yes(KEY(framework, accumulate_grad_fp32) > 0));
    buffer_puts(out, "  learning_rate_scheduler:\n    learning_rate: 0.0003\n    lr_decay_steps: null\n"
                     "    lr_decay_style: cosine\n    lr_warmup_steps: 100\n    lr_warmup_style: linear\n"
                     "    min_decay_lr: 1.0e-05\n  optimizer_factory:\n");
    if (KEY(train, optimizer) == OPTIMIZER_SGD)
        buffer_puts(out, "    name: sgd\n");
    else
        buffer_puts(out, "    adam_beta1: 0.9\n    adam_beta2: 0.95\n    adam_eps: 1.0e-08\n    name: adamW\n"
                         "    torch_adam_is_fused: true\n");
    buffer_printf(out, "  weight_decay: 0.01\n  zero_stage: %.0f\n", fmin(KEY(parallel, zero_stage), 1));
}

static void put_parallelism(struct buffer *out, const struct plan *plan)
{
    bool is_scatter = KEY(framework, tp_mode) > 0;
    buffer_printf(out, "\nparallelism:\n  context_parallel_size: %.0f\n  dp: %.0f\n  expert_parallel_size: %.0f\n",
                  KEY(parallel, cp), KEY(parallel, dp), KEY(parallel, ep));
    buffer_printf(out, "  pp: %.0f\n  pp_engine: %s\n  recompute_layer: %s\n  tp: %.0f\n", KEY(parallel, pp),
                  KEY(parallel, schedule) == SCHEDULE_GPIPE ? "afab" : "1f1b",
                  yes(KEY(train, recompute) == RECOMPUTE_FULL), KEY(parallel, tp));
    buffer_printf(out, "  tp_linear_async_communication: %s\n  tp_mode: %s\n  tp_recompute_allgather: %s\n",
                  yes(KEY(framework, tp_async) > 0), is_scatter ? "REDUCE_SCATTER" : "ALL_REDUCE",
                  yes(KEY(framework, tp_recompute_allgather) > 0));
}

static void put_tokens(struct buffer *out, const struct plan *plan)
{
    double batch = KEY(train, global_batch_size), micro = KEY(train, micro_batch_size), length = KEY(train, seq_length);
    double steps = KEY(train, total_tokens) / (batch * length);
    buffer_printf(out, "\ntokenizer:\n  tokenizer_max_length: null\n  tokenizer_name_or_path: gpt2\n"
                       "  tokenizer_revision: null\n\ntokens:\n  batch_accumulation_per_replica: %.0f\n",
                  fmax(floor(batch / (micro * KEY(parallel, dp))), 1));
    buffer_printf(
        out, "  limit_test_batches: 0\n  limit_val_batches: 0\n  micro_batch_size: %.0f\n  sequence_length: %.0f\n",
        micro, length);
    buffer_printf(out, "  train_steps: %.0f\n  val_check_interval: -1\n",
                  isfinite(steps) ? fmax(floor(steps), 1) : 1000);
}

/* ---- the format ------------------------------------------------------------------------------------------------- */

static void write_config(struct buffer *out, const struct plan *plan)
{
    put_general(out);
    put_model(out, plan);
    put_optimizer(out, plan);
    put_parallelism(out, plan);
    put_tokens(out, plan);
}

static const enum param needed[] = {PARAM_model_num_layers,          PARAM_model_hidden_size,
                                    PARAM_model_num_attention_heads, PARAM_model_vocab_size,
                                    PARAM_train_seq_length,          PARAM_train_global_batch_size,
                                    PARAM_COUNT};

static const enum framework_id of[] = {FRAMEWORK_NANOTRON, FRAMEWORK_COUNT};

const struct export_format nanotron_format = {"nanotron's configuration", needed, export_holds_run, write_config,
    KIND_NANOTRON, true, of, false};
