#include "src/import/foreign.h"

#include "core/base.h"
#include "core/plan/number.h"
#include "core/plan/param.h"
#include "src/import/foreign_read.h"
#include "src/import/import.h"
#include "src/import/tokenizer.h"
#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ROWS(array) array, LENGTH(array)
#define NO_ROWS     NULL, 0

static const struct tree_choice pure_choice[] = {
    {"PURE", "bf16"}, {"pure", "bf16"}, {"mixed", "fp32"}, {"DEFAULT", "fp32"}, {NULL, NULL}};

/*
 * The vocabulary of a tokenizer that the file names by kind, hub name or path; one without a row is assumed and asked
 * for.
 */
static void import_vocabulary(struct foreign *im, const char *type, const char *name, const char *path)
{
    const struct tokenizer *found = NULL;
    char size[24];
    static const char *const prefix[] = {"hub:", "len:", "file:"};
    if (im->out->base && !param_blank(im->out->base, PARAM_model_vocab_size) && !tree_peek(&im->tree, path))
        return; /* an earlier file has it */
    for (size_t i = 0; i < LENGTH(prefix) && *name && !found; i++)
        found = tokenizer_find(prefix[i], name);
    if (!found && *type)
        found = tokenizer_find("type:", type);
    snprintf(size, sizeof size, "%d", found ? found->size : (int)TOKENIZER_GUESS);
    if (found && found->kind != TOKENIZER_ASSUMED)
        keyvals_add(&im->out->defaults, "model.vocab_size", size, 0);
    else
        import_ask(im->out, "model.vocab_size",
                   &(struct asked){*name   ? name
                                   : *type ? type
                                           : "vocabulary",
                                   size, im->tree.file, tree_line(&im->tree, path), "--set vocab_size=N", false});
}

/* ---- gpt-neox: megatron/neox_arguments and megatron/model/transformer.py at ea7aefd8 ---------------------------- */

static const struct tree_row neox_rows[] = {
    TREE_SIZE("num_layers", "model.num_layers"), TREE_SIZE("hidden_size", "model.hidden_size"),
    TREE_SIZE("num_attention_heads", "model.num_attention_heads"), TREE_SIZE("num_kv_heads", "model.num_query_groups"),
    TREE_SIZE("max_position_embeddings", "model.max_position_embeddings"), TREE_SIZE("seq_length", "train.seq_length"),
    {"pos_emb", "model.position_embedding", TREE_AS(NEOX)},
    {"norm", "model.normalization", TREE_AS(NEOX)},
    TREE_SIZE("sliding_window_width", "model.sliding_window"),
    TREE_SIZE("make_vocab_size_divisible_by", "model.make_vocab_size_divisible_by"),
    TREE_REAL("hidden_dropout", "model.hidden_dropout"), TREE_REAL("attention_dropout", "model.attention_dropout"),
    TREE_SIZE("moe_top_k", "model.moe_router_topk"), TREE_FLAG("use_bias_in_attn_linear", "model.add_qkv_bias"),
    TREE_FLAG("use_bias_in_attn_linear", "model.add_bias_linear"), TREE_FLAG("use_bias_in_mlp", "model.add_mlp_bias"),
    TREE_SIZE("model_parallel_size", "parallel.tp"),
    {"pipe_partition_method", "parallel.partition_method", TREE_AS(MEGATRON)},
    {"sequence_parallel", "parallel.sp", TREE_BOOL, NULL},
    {"train_micro_batch_size_per_gpu", "train.micro_batch_size", TREE_WHOLE, NULL},
    {"train_batch_size", "train.global_batch_size", TREE_WHOLE, NULL},
    {"gradient_accumulation_steps|gas", "train.gradient_accumulation_steps", TREE_WHOLE, NULL},
    {"optimizer.type", "train.optimizer", TREE_AS(CONFIG)},
    {"zero_optimization.stage", "parallel.zero_stage", TREE_WHOLE, NULL},
    {"zero_optimization.reduce_bucket_size", "framework.zero_reduce_bucket_elements", TREE_WHOLE, NULL},
    {"zero_optimization.allgather_bucket_size", "framework.zero_allgather_bucket_elements", TREE_WHOLE, NULL},
    {"zero_optimization.overlap_comm", "parallel.overlap_grad_reduce", TREE_BOOL, NULL},
    {"partition_activations", "framework.partition_activations", TREE_BOOL, NULL},
    {"scaled_upper_triang_masked_softmax_fusion", "framework.masked_softmax_fusion", TREE_BOOL, NULL},
    {"fp32_allreduce", "framework.accumulate_grad_fp32", TREE_BOOL, NULL},
    TREE_SIZE("num_nodes", "hardware.nodes"), TREE_SIZE("num_gpus", "hardware.gpus_per_node"),
};
static const struct foreign_fixed neox_silent[] = {
    {"model.normalization", "layernorm"}, {"model.position_embedding", "learned"}, {"model.add_bias_linear", "true"},
    {"model.add_qkv_bias", "true"}, {"model.add_mlp_bias", "true"}, {"model.make_vocab_size_divisible_by", "128"},
    {"parallel.zero_stage", "0"}, {"train.attention", "unfused"}, {NULL, NULL}};

/*
 * The width of the block: of gated ones two thirds of what is written, a half on each side, rounded up to
 * mlp_multiple_of.
 */
static void neox_width(struct foreign *im)
{
    double h = foreign_number(im, "hidden_size", NAN), m = foreign_number(im, "mlp_multiple_of", 1);
    double wide = foreign_number(im, "intermediate_size", foreign_number(im, "expansion_factor", 4) * h);
    bool is_llama = foreign_is_word(im, "mlp_type", "llama"); /* LLaMAParallelMLP of f36aed7f, before `swiglu` */
    bool is_gated = is_llama || foreign_is_word(im, "activation", "geglu swiglu reglu bilinear glu");
    m = m >= 1 ? m : 1;
    foreign_set(im, "model.gated_mlp", is_gated ? "true" : "false", is_llama ? "mlp_type" : "activation");
    double llama = foreign_number(im, "intermediate_size", 256 * ceil(floor(h * 8 / 3) / 256));
    double ffn = is_llama ? llama
                 : is_gated ? m * ceil(floor(floor(wide * 2 / 3) / 2) / m) : 2 * m * ceil(wide / (2 * m));
    if (ffn >= 1 && ffn < INT32_MAX)
        foreign_set_number(im, "model.ffn_hidden_size", ffn, "intermediate_size");
}

/* Adds the fault of a model that is not counted. */
static void refuse(struct foreign *im, const char *path, const char *what)
{
    errors_add(im->tree.errors, im->tree.file, tree_line(&im->tree, path), path,
               "describes a model with %s, which is not supported; give a decoder-only transformer", what);
}

/* Layers of another kind (megatron/model/transformer.py knows them by these words). */
static void neox_refuse(struct foreign *im)
{
    static const char *const others[][2] = {{"mamba", "state-space layers"}, {"rwkv", "recurrent layers"},
                                            {"gmlp", "gated layers without attention"},
                                            {"amlp", "gated layers without attention"}};
    for (size_t i = 0; i < LENGTH(others); i++)
        if (strstr(foreign_text(im, "attention_config"), others[i][0]))
            refuse(im, "attention_config", others[i][1]);
}

/* The file has the model only; batch, dtype and sharding are in a second file. */
static void neox_ask_rest(struct foreign *im)
{
    static const char *const rest[][3] = {{"train_batch_size", "train.micro_batch_size", "1"},
                                          {"fp16", "train.dtype", "fp32"},
                                          {"zero_optimization", "parallel.zero_stage", "0"}};
    if (tree_has(&im->tree, "train_micro_batch_size_per_gpu") || tree_has(&im->tree, rest[0][0]))
        return;
    for (size_t i = 0; i < LENGTH(rest); i++)
        if (!tree_has(&im->tree, rest[i][0]) && !keyvals_last(&im->out->settings, rest[i][1]))
            import_ask(im->out, rest[i][1],
                       &(struct asked){rest[i][0], rest[i][2], im->tree.file, 0, "the other file of the run", false});
}

static void neox_rule(struct foreign *im)
{
    neox_refuse(im);
    neox_ask_rest(im);
    foreign_like(im, "gpt-neox", "deepspeed");
    double stages = foreign_number(im, "pipe_parallel_size", 0), each = foreign_number(im, "checkpoint_num_layers", 1);
    const char *precision = foreign_text(im, "precision");
    neox_width(im);
    foreign_set(im, "model.tied_embeddings", foreign_is_true(im, "no_weight_tying") ? "false" : "true",
                "no_weight_tying");
    foreign_set_number(im, "parallel.pp", stages > 1 ? stages : 1, "pipe_parallel_size");
    if (foreign_is_true(im, "gpt_j_tied"))
        foreign_set(im, "model.norms_per_layer", "1", "gpt_j_tied");
    if (foreign_is_true(im, "use_qk_layernorm"))
        foreign_set(im, "model.qk_norm", "head", "use_qk_layernorm");
    if (foreign_number(im, "moe_num_experts", 1) > 1)
        foreign_set_number(im, "model.num_experts", foreign_number(im, "moe_num_experts", 1), "moe_num_experts");
    tree_use(&im->tree, "fp16");
    bool is_bf16 = foreign_is_word(im, "fp16.type", "bfloat16") || foreign_is_true(im, "bf16.enabled") ||
                   strcasecmp(precision, "bfloat16") == 0;
    bool is_fp16 = foreign_is_true(im, "fp16.enabled") || strcasecmp(precision, "fp16") == 0;
    foreign_set(im, "train.dtype",
                is_bf16   ? "bf16"
                : is_fp16 ? "fp16"
                          : "fp32",
                is_bf16 ? "bf16.enabled" : "fp16.enabled");
    if (foreign_is_true(im, "checkpoint_activations")) {
        foreign_set(im, "train.recompute", "full", "checkpoint_activations");
        foreign_set_number(im, "train.recompute_num_layers", each, "checkpoint_num_layers");
    }
    if (strstr(foreign_text(im, "attention_config"), "flash"))
        foreign_set(im, "train.attention", "flash", "attention_config");
    if (foreign_is_true(im, "gpt_j_residual"))
        tree_note(&im->tree, "gpt_j_residual",
                  "attention and feed-forward side by side reduce once a layer, not twice; time is an upper bound");
    if (foreign_number(im, "num_layers", 0) > 0)
        import_vocabulary(im,
                          *foreign_text(im, "tokenizer_type") ? foreign_text(im, "tokenizer_type") : "GPT2BPETokenizer",
                          foreign_text(im, "vocab_file"), "tokenizer_type");
}

static const struct tree_row neox_rules[] = {
    {"pipe_parallel_size", "parallel.pp", TREE_WHOLE, NULL},
    {"checkpoint_activations", "train.recompute", TREE_CHOICE, checkpointing_choice},
    TREE_SIZE("checkpoint_num_layers", "train.recompute_num_layers"),
    TREE_SIZE("intermediate_size", "model.ffn_hidden_size"), TREE_SIZE("moe_num_experts", "model.num_experts"),
};
static const struct foreign_format neox = {ROWS(neox_rows), ROWS(neox_rules), foreign_nothing, neox_silent, neox_rule};
FOREIGN_READER(neox_import, neox)

/* ---- NeMo 1: examples/nlp/language_modeling/conf at 8cfedd72 ---------------------------------------------------- */

static const struct tree_choice cache_choice[] = {{"true", "false"}, {"false", "true"}, {NULL, NULL}},
                                sync_choice[] = {{"bf16", "bf16"}, {"torch.bfloat16", "bf16"}, {"fp32", "fp32"},
                                                 {"torch.float32", "fp32"}, {"fp16", "fp16"}, {NULL, NULL}};

static const struct tree_row nemo_rows[] = {
    MEGATRON_SIZES("model."),
    MEGATRON_LAYOUT("model."),
    TREE_SIZE("model.max_position_embeddings", "model.max_position_embeddings"),
    TREE_SIZE("model.override_vocab_size", "model.vocab_size"), TREE_FLAG("model.bias", "model.add_bias_linear"),
    TREE_FLAG("model.qkv_bias|model.bias", "model.add_qkv_bias"),
    {"model.normalization", "model.normalization", TREE_AS(NEMO)},
    {"model.position_embedding_type", "model.position_embedding", TREE_AS(MEGATRON)},
    {"model.data.train_ds.max_seq_length|model.data.seq_length|model.encoder_seq_length", "train.seq_length",
     TREE_WHOLE, NULL},
    {"model.micro_batch_size", "train.micro_batch_size", TREE_WHOLE, NULL},
    {"model.global_batch_size", "train.global_batch_size", TREE_WHOLE, NULL},
    {"model.activations_checkpoint_granularity", "train.recompute", TREE_AS(CONFIG)},
    {"model.activations_checkpoint_method", "train.recompute_method", TREE_AS(MEGATRON)},
    {"model.activations_checkpoint_num_layers", "train.recompute_num_layers", TREE_WHOLE, NULL},
    {"model.gradient_accumulation_fusion", "framework.gradient_accumulation_fusion", TREE_BOOL, NULL},
    {"model.masked_softmax_fusion", "framework.masked_softmax_fusion", TREE_BOOL, NULL},
    {"model.fp8_params", "framework.fp8_param_gather", TREE_BOOL, NULL},
    {"model.disable_parameter_transpose_cache", "framework.fp8_transpose_cache", TREE_CHOICE, cache_choice},
    {"model.activation_func_fp8_input_store", "framework.fp8_activation_input", TREE_BOOL, NULL},
    {"model.optim.grad_sync_dtype", "train.grad_dtype", TREE_CHOICE, sync_choice},
    {"model.optim.overlap_grad_sync", "parallel.overlap_grad_reduce", TREE_BOOL, NULL},
    {"model.optim.overlap_param_sync", "parallel.overlap_param_gather", TREE_BOOL, NULL},
    {"model.optim.name", "train.optimizer", TREE_AS(CONFIG)},
    {"trainer.num_nodes", "hardware.nodes", TREE_WHOLE, NULL},
    {"trainer.precision", "train.dtype", TREE_AS(NEMO)},
};
static const struct foreign_fixed nemo_given[] = {{"framework.name", "megatron-core"}, {NULL, NULL}};
static const struct foreign_fixed nemo_silent[] = {
    {"model.normalization", "layernorm"}, {"model.position_embedding", "learned"}, {"model.add_bias_linear", "true"},
    {"model.tied_embeddings", "true"}, {"model.make_vocab_size_divisible_by", "128"}, {"train.dtype", "fp32"},
    {NULL, NULL}};

static const struct tree_choice nemo_strategy[] = {
    {"full", "full"}, {"hybrid", "hybrid"}, {"grad", "shard_grad_op"}, {NULL, NULL}};
static const struct tree_row nemo_fsdp[] = {
    {"model.fsdp_sharding_strategy", "parallel.fsdp", TREE_CHOICE, nemo_strategy}};

/* Models of other kinds, by their names or by their halves. */
static void nemo_refuse(struct foreign *im)
{
    static const char encoder[] = "an encoder", both[] = "an encoder and a decoder",
                      recurrent[] = "state-space or recurrent layers";
    static const char *const others[][2] = {{"t5", both}, {"bart", both}, {"ul2", both}, {"bert", encoder},
                                            {"retro", "a retriever"},
                                            {"mamba", recurrent}, {"griffin", recurrent}, {"hyena", recurrent}};
    const char *path = tree_has(&im->tree, "model.target") ? "model.target"
                       : tree_has(&im->tree, "target")     ? "target"
                                                           : "name";
    for (size_t i = 0; i < LENGTH(others); i++) {
        char *part = xasprintf("megatron_%s", others[i][0]);
        if (strstr(foreign_text(im, path), part)) {
            refuse(im, path, others[i][1]);
            free(part);
            return;
        }
        free(part);
    }
    if (tree_has(&im->tree, "model.encoder") && tree_has(&im->tree, "model.decoder"))
        refuse(im, "model.encoder", both);
}

/* megatron_amp_O2: weights of 16 bits with a copy of 32; FSDP is a switch and its way. */
static void nemo_types(struct foreign *im)
{
    bool is_half = strstr(foreign_text(im, "trainer.precision"), "16") != NULL;
    if (tree_has(&im->tree, "model.megatron_amp_O2") && !foreign_is_true(im, "model.megatron_amp_O2") && is_half)
        foreign_set(im, "train.mixed_precision", "autocast", "model.megatron_amp_O2");
    tree_use(&im->tree, "model.megatron_amp_O2");
    if (foreign_is_true(im, "model.fsdp"))
        tree_apply(&im->tree, "", nemo_fsdp, LENGTH(nemo_fsdp), im->out);
    tree_use(&im->tree, "model.fsdp_sharding_strategy");
    if (foreign_is_word(im, "model.peft.peft_scheme", "lora qlora")) {
        static const char rank[] = "model.peft.lora_tuning.adapter_dim";
        foreign_set(im, "framework.name", "nemo-lora", "model.peft.peft_scheme");
        foreign_set(im, "train.peft", foreign_text(im, "model.peft.peft_scheme"), "model.peft.peft_scheme");
        foreign_set_number(im, "train.lora_rank", foreign_number(im, rank, 32), rank);
    }
    tree_use(&im->tree, "model.peft");
}

/* The model of a launcher's configuration that is not there, and what that decides too. */
static void nemo_recipe(struct foreign *im)
{
    static const char *const keys[][2] = {{"parallel.tp", "1"}, {"parallel.pp", "1"}, {"train.micro_batch_size", "1"}};
    char name[FOREIGN_RECIPE];
    foreign_recipe(foreign_text(im, "recipe"), name);
    foreign_set(im, "model", name, "recipe");
    foreign_ask_recipe(im, keys, LENGTH(keys));
}

/* Without its data a file is a model's, which a converter reads, or one that a command completes. */
static void nemo_ask_data(struct foreign *im)
{
    static const char data[] = "model.data.data_prefix";
    if (tree_has(&im->tree, "model.data.data_impl") && !tree_has(&im->tree, data))
        import_ask(im->out, "workload",
                   &(struct asked){data, "train", im->tree.file, 0, "--set workload=train", false});
}

static void nemo_rule(struct foreign *im)
{
    nemo_refuse(im);
    nemo_ask_data(im);
    static const char *const without[] = {"trainer.accumulate_grad_batches", "exp_manager", "model.fp8_hybrid",
                                          "model.fp8_e4m3", "model.fp8_amax_compute_algo", "model.fp8_amax_history_len",
                                          "model.fp8_margin", "model.fp8_interval", "model.precision",
                                          "model.fp8_wgrad", "model.fp8_dot_product_attention",
                                          "model.grad_allreduce_chunk_size_mb",
                                          "model.grad_div_ar_fusion", "model.fsdp_grad_reduce_dtype",
                                          "model.fsdp_sharded_checkpoint", "model.fsdp_use_orig_params"};
    bool is_gated = foreign_is_word(im, "model.activation", "swiglu fast-swiglu geglu fast-geglu reglu fast-reglu");
    double devices = foreign_number(im, "trainer.devices", 0);
    bool shards = foreign_is_word(im, "model.optim.name", "distributed_fused_adam mcore_distributed_optim");
    foreign_set(im, "model.gated_mlp", is_gated ? "true" : "false", "model.activation");
    foreign_set(im, "parallel.zero_stage", shards ? "1" : "0", "model.optim.name");
    if (devices >= 1)
        foreign_set_number(im, "hardware.gpus_per_node", devices, "trainer.devices");
    if (foreign_is_true(im, "model.fp8"))
        foreign_set(im, "train.dtype", "fp8", "model.fp8");
    if (foreign_is_word(im, "model.tokenizer.library", "huggingface"))
        import_vocabulary(im, "", foreign_text(im, "model.tokenizer.type"), "model.tokenizer.type");
    else if (foreign_is_word(im, "model.tokenizer.library", "sentencepiece"))
        import_vocabulary(im, "SentencePieceTokenizer", foreign_text(im, "model.tokenizer.model"),
                          "model.tokenizer.library");
    else
        import_vocabulary(im, foreign_text(im, "model.tokenizer.type"), foreign_text(im, "model.tokenizer.vocab_file"),
                          "model.tokenizer.type");
    nemo_types(im);
    if (strstr(foreign_text(im, "name"), "distill"))
        import_ask(im->out, "train.reference_model",
                   &(struct asked){"the teacher", "frozen", im->tree.file, 0, "--set reference_model=VALUE", false});
    for (size_t i = 0; i < LENGTH(without); i++)
        tree_use(&im->tree, without[i]);
    if (!tree_has(&im->tree, "model.num_layers") && *foreign_text(im, "recipe"))
        nemo_recipe(im);
    else if (!tree_has(&im->tree, "model.num_layers"))
        import_ask(im->out, "model.num_layers",
                   &(struct asked){"model.restore_from_path", "", im->tree.file, 0, "--model NAME", false});
}

static const struct tree_choice nemo_zero[] = {{"distributed_fused_adam", "1"}, {"fused_adam", "0"}, {NULL, NULL}};
static const struct tree_row nemo_rules[] = {
    {"model.optim.name", "parallel.zero_stage", TREE_CHOICE, nemo_zero},
    {"trainer.devices", "hardware.gpus_per_node", TREE_WHOLE, NULL},
};
static const struct foreign_format nemo = {ROWS(nemo_rows), ROWS(nemo_rules), nemo_given, nemo_silent, nemo_rule};
FOREIGN_READER(nemo_import, nemo)

/* ---- torchtitan: torchtitan/config/job_config.py at v0.2.2 ------------------------------------------------------ */

static const struct tree_row titan_rows[] = {
    {"training.seq_len", "train.seq_length", TREE_WHOLE, NULL},
    {"training.global_batch_size", "train.global_batch_size", TREE_WHOLE, NULL},
    {"parallelism.tensor_parallel_degree", "parallel.tp", TREE_WHOLE, NULL},
    {"parallelism.pipeline_parallel_degree", "parallel.pp", TREE_WHOLE, NULL},
    {"parallelism.pipeline_parallel_schedule", "parallel.schedule", TREE_AS(TITAN)},
    {"parallelism.context_parallel_degree", "parallel.cp", TREE_WHOLE, NULL},
    {"parallelism.context_parallel_rotate_method", "parallel.cp_comm", TREE_AS(TITAN)},
    {"parallelism.expert_parallel_degree", "parallel.ep", TREE_WHOLE, NULL},
    {"parallelism.expert_tensor_parallel_degree", "parallel.etp", TREE_WHOLE, NULL},
    {"parallelism.enable_async_tensor_parallel", "parallel.overlap_tp", TREE_BOOL, NULL},
    {"activation_checkpoint.mode", "train.recompute", TREE_AS(CONFIG)},
    {"optimizer.name", "train.optimizer", TREE_AS(CONFIG)},
};
static const struct foreign_fixed titan_given[] = {{"framework.name", "fsdp2"}, {"parallel.sp", "true"}, {NULL, NULL}};
static const struct foreign_fixed titan_silent[] = {{"train.seq_length", "2048"}, {"train.micro_batch_size", "8"},
                                            {"train.recompute", "selective"}, {"train.dtype", "bf16"}, {NULL, NULL}};

/* Presets by the name and the size that a file gives. */
static const struct {
    const char *name, *flavor, *preset;
} titan_models[] = {
    {"llama3", "8B", "llama3.1-8b"}, {"llama3", "70B", "llama3.1-70b"}, {"llama3", "405B", "llama3.1-405b"},
    {"deepseek_v3", "16B", "deepseek-v2-lite"}, {"deepseek_v3", "236B", "deepseek-v2"},
    {"deepseek_v3", "671B", "deepseek-v3"},
    {"qwen3", "0.6B", "qwen3-0.6b"}, {"qwen3", "1.7B", "qwen3-1.7b"}, {"qwen3", "4B", "qwen3-4b"},
    {"qwen3", "8B", "qwen3-8b"},
    {"qwen3", "14B", "qwen3-14b"}, {"qwen3", "32B", "qwen3-32b"}, {"qwen3", "30B-A3B", "qwen3-30b-a3b"},
    {"qwen3", "235B-A22B", "qwen3-235b-a22b"}, {"llama4", "17bx16e", "llama4-scout-17b-16e"},
    {"llama4", "17bx128e", "llama4-maverick-17b-128e"}, {"gpt_oss", "20b", "gpt-oss-20b"},
    {"gpt_oss", "120b", "gpt-oss-120b"},
    {"llama3", "8B", "llama3-8b"}, {"llama3", "70B", "llama3-70b"}, /* written alone: 3.1 is read */
};

const char *titan_name_of(const char *model, const char **flavor)
{
    for (size_t i = 0; i < LENGTH(titan_models); i++)
        if (strcmp(titan_models[i].preset, model) == 0) {
            *flavor = titan_models[i].flavor;
            return titan_models[i].name;
        }
    return NULL;
}

/* torchtitan/models/NAME/__init__.py: what its tests train; what all of them have, then what one has. */
static const struct {
    const char *names, *flavor, *pairs;
} titan_debug[] = {
    {"llama3 llama3_ft deepseek_v3 qwen3", "debugmodel",
     "hidden_size=256 num_attention_heads=16 vocab_size=2048 gated_mlp=true normalization=rmsnorm "
     "position_embedding=rope add_bias_linear=false"},
    {"llama3 llama3_ft deepseek_v3", "debugmodel", "num_layers=6 tied_embeddings=false"},
    {"llama3 llama3_ft", "debugmodel", "ffn_hidden_size=768"},
    {"deepseek_v3", "debugmodel",
     "ffn_hidden_size=1024 num_experts=8 moe_ffn_hidden_size=256 moe_shared_ffn_hidden_size=512 moe_router_topk=3 "
     "moe_first_dense=1 multi_latent_attention=true q_lora_rank=0 kv_lora_rank=512 qk_head_dim=128 "
     "qk_pos_emb_head_dim=64 v_head_dim=128"},
    {"qwen3", "debugmodel",
     "num_layers=8 ffn_hidden_size=3072 num_query_groups=8 kv_channels=128 qk_norm=head tied_embeddings=true"},
    {"qwen3", "debugmodel_moe", "num_experts=64 moe_router_topk=8 moe_ffn_hidden_size=768"}};

/* The shape that the project's tests train; false for another model. */
static bool titan_debug_shape(struct foreign *im)
{
    const char *flavor = foreign_text(im, "model.flavor");
    bool is_one = false;
    for (size_t i = 0; i < LENGTH(titan_debug); i++) {
        if (!foreign_is_word(im, "model.name", titan_debug[i].names) ||
            strncmp(flavor, titan_debug[i].flavor, strlen(titan_debug[i].flavor)) != 0)
            continue;
        foreign_pairs(im, titan_debug[i].pairs, "model.flavor");
        is_one = true;
    }
    return is_one;
}

static void titan_model(struct foreign *im)
{
    const char *flavor = foreign_text(im, "model.flavor");
    for (size_t i = 0; i < LENGTH(titan_models); i++) {
        size_t n = strlen(titan_models[i].flavor);
        if (foreign_is_word(im, "model.name", titan_models[i].name) &&
            strncasecmp(flavor, titan_models[i].flavor, n) == 0 && (!flavor[n] || flavor[n] == '_')) {
            foreign_set(im, "model", titan_models[i].preset, "model.flavor");
            return;
        }
    }
    const char *named = foreign_is_word(im, "model.name", "flux") ? "model.name" : "hf_transformers.model";
    if (titan_debug_shape(im))
        return;
    if (*foreign_text(im, named))
        foreign_set(im, "model", foreign_text(im, named), named);
    else
        import_ask(im->out, "model.num_layers",
                   &(struct asked){"model.flavor", "", im->tree.file, tree_line(&im->tree, "model.flavor"),
                                   "--model NAME", false});
}

/*
 * How data-parallel ranks share the states: replicas of shards, whole shards, or copies. Context-parallel ranks are
 * among those that shard (parallel_dims.py, dp_shard_cp).
 */
static void titan_sharding(struct foreign *im)
{
    double replicas = foreign_number(im, "parallelism.data_parallel_replicate_degree", 1);
    double shards = foreign_number(im, "parallelism.data_parallel_shard_degree", -1);
    double group = shards * foreign_number(im, "parallelism.context_parallel_degree", 1);
    bool keeps = foreign_is_word(im, "parallelism.fsdp_reshard_after_forward", "never");
    const char *path = "parallelism.data_parallel_shard_degree";
    foreign_set(im, "parallel.fsdp",
                group == 1                  ? "none"
                : replicas > 1 && group > 1 ? "hybrid"
                : keeps                     ? "shard_grad_op"
                                            : "full",
                path);
    if (replicas > 1 && group > 1)
        foreign_set_number(im, "parallel.shard_group", group, path);
    else if (replicas > 1 && shards < 0) /* over the rest of the GPUs, which are not told */
        keyvals_add(&im->out->unread, "parallel.fsdp", "parallelism.data_parallel_replicate_degree", 0);
}

static void titan_rule(struct foreign *im)
{
    double local = foreign_number(im, "training.local_batch_size", 8),
           stages = foreign_number(im, "parallelism.pipeline_parallel_degree", 1);
    double micro = stages > 1 ? foreign_number(im, "parallelism.pipeline_parallel_microbatch_size", 1) : local;
    titan_model(im);
    titan_sharding(im);
    if (foreign_is_true(im, "compile.enable")) {
        const char *parts = foreign_text(im, "compile.components");
        foreign_set(im, "framework.compile", !*parts || strstr(parts, "model") ? "true" : "false", "compile.enable");
    }
    if (micro >= 1)
        foreign_set_number(im, "train.micro_batch_size", micro, "training.local_batch_size");
    if (foreign_is_true(im, "training.enable_cpu_offload")) {
        foreign_set(im, "train.offload_params", "1", "training.enable_cpu_offload");
        foreign_set(im, "train.offload_optimizer", "1", "training.enable_cpu_offload");
    }
    if (strstr(foreign_text(im, "model.converters"), "float8")) {
        foreign_set(im, "train.dtype", "fp8", "model.converters");
        foreign_set(im, "framework.fp8_recipe",
                    foreign_is_word(im, "quantize.linear.float8.recipe_name", "rowwise") ? "rowwise" : "tensorwise",
                    "model.converters");
    } else if (strstr(foreign_text(im, "model.converters"), "mx")) {
        foreign_set(im, "train.dtype", "mxfp8", "model.converters");
    }
}

static const struct tree_choice reshard_choice[] = {{"never", "shard_grad_op"}, {"always", "full"}, {NULL, NULL}};
static const struct tree_choice shards_choice[] = {{"1", "none"}, {"-1", "full"}, {NULL, NULL}};
static const struct tree_row titan_rules[] = {
    {"training.local_batch_size|parallelism.pipeline_parallel_microbatch_size", "train.micro_batch_size", TREE_WHOLE,
     NULL},
    {"parallelism.fsdp_reshard_after_forward", "parallel.fsdp", TREE_CHOICE, reshard_choice},
    {"parallelism.data_parallel_shard_degree", "parallel.fsdp", TREE_CHOICE, shards_choice},
    {"training.enable_cpu_offload", "train.offload_optimizer", TREE_CHOICE, share_choice},
    {"compile.enable", "framework.compile", TREE_BOOL, NULL},
};
const struct foreign_format titan_format = {ROWS(titan_rows), ROWS(titan_rules), titan_given, titan_silent, titan_rule};
FOREIGN_READER(titan_import, titan_format)

/* ---- llm-foundry: llmfoundry/models/utils/config_defaults.py at 8c8dd48f ---------------------------------------- */

static const struct tree_row foundry_rows[] = {
    TREE_SIZE("model.d_model", "model.hidden_size"), TREE_SIZE("model.n_layers", "model.num_layers"),
    TREE_SIZE("model.n_heads", "model.num_attention_heads"),
    TREE_SIZE("model.attn_config.kv_n_heads", "model.num_query_groups"),
    TREE_SIZE("model.vocab_size", "model.vocab_size"), TREE_FLAG("model.tie_word_embeddings", "model.tied_embeddings"),
    {"model.attn_config.attn_impl", "train.attention", TREE_AS(COMPOSER)},
    {"max_seq_len|model.max_seq_len", "train.seq_length", TREE_WHOLE, NULL},
    {"global_train_batch_size", "train.global_batch_size", TREE_WHOLE, NULL},
    {"device_train_microbatch_size", "train.micro_batch_size", TREE_WHOLE, NULL},
    {"precision", "train.dtype", TREE_AS(COMPOSER)},
    {"fsdp_config.sharding_strategy", "parallel.fsdp", TREE_AS(TORCH)},
    {"optimizer.name", "train.optimizer", TREE_AS(CONFIG)},
};
static const struct foreign_fixed foundry_given[] = {
    {"framework.name", "fsdp1"}, {"model.make_vocab_size_divisible_by", "1"}, {NULL, NULL}};
static const struct foreign_fixed foundry_silent[] = {
    {"model.vocab_size", "50368"}, {"model.tied_embeddings", "true"}, {"train.dtype", "bf16"}, {NULL, NULL}};

/* The shape of an MPT, as llmfoundry/models/utils/config_defaults.py fills it in. */
static void foundry_shape(struct foreign *im)
{
    double h = foreign_number(im, "model.d_model", NAN), ratio = foreign_number(im, "model.expansion_ratio", 4);
    bool is_alibi = foreign_is_true(im, "model.attn_config.alibi"),
         is_rope = foreign_is_true(im, "model.attn_config.rope");
    bool is_gated = foreign_is_word(im, "model.ffn_config.ffn_type", "mptglu"),
         has_bias = !foreign_is_true(im, "model.no_bias");
    bool is_rms = strstr(foreign_text(im, "model.norm_type"), "rmsnorm") != NULL;
    if (h * ratio >= 1)
        foreign_set_number(im, "model.ffn_hidden_size", h * ratio, "model.expansion_ratio");
    foreign_set(im, "model.gated_mlp", is_gated ? "true" : "false", "model.ffn_config.ffn_type");
    foreign_set(im, "model.position_embedding", is_alibi ? "alibi" : is_rope ? "rope" : "learned", "model.attn_config");
    foreign_set(im, "model.add_bias_linear", has_bias ? "true" : "false", "model.no_bias");
    foreign_set(im, "model.normalization",
                is_rms     ? "rmsnorm"
                : has_bias ? "layernorm"
                           : "layernorm_nobias",
                "model.norm_type");
}

/* A model of a hub, and its adapters. */
static void foundry_model(struct foreign *im)
{
    const char *name = foreign_text(im, "model.pretrained_model_name_or_path"), *rank = "model.peft_config.r";
    if (*name)
        foreign_set(im, "model", name, "model.pretrained_model_name_or_path");
    else
        import_ask(im->out, "model.num_layers",
                   &(struct asked){"model.pretrained_model_name_or_path", "", im->tree.file, 0, "--model NAME", false});
    if (foreign_number(im, rank, 0) >= 1) {
        foreign_set(im, "train.peft", "lora", rank);
        foreign_set_number(im, "train.lora_rank", foreign_number(im, rank, 0), rank);
        foreign_set(im, "train.lora_targets", "[all]", "model.peft_config.target_modules");
    }
}

static void foundry_rule(struct foreign *im)
{
    if (tree_has(&im->tree, "model.d_model"))
        foundry_shape(im);
    else
        foundry_model(im);
    if (foreign_is_true(im, "fsdp_config.activation_checkpointing"))
        foreign_set(im, "train.recompute", "full", "fsdp_config.activation_checkpointing");
    if (foreign_is_word(im, "fsdp_config.mixed_precision", "PURE"))
        foreign_set(im, "train.grad_dtype", "bf16", "fsdp_config.mixed_precision");
    if (!tree_has(&im->tree, "fsdp_config"))
        foreign_set(im, "parallel.fsdp", "none", "fsdp_config");
}

static const struct tree_row foundry_rules[] = {
    {"fsdp_config.activation_checkpointing", "train.recompute", TREE_CHOICE, checkpointing_choice},
    {"fsdp_config.mixed_precision", "train.grad_dtype", TREE_CHOICE, pure_choice},
};
static const struct foreign_format foundry = {ROWS(foundry_rows), ROWS(foundry_rules), foundry_given, foundry_silent,
                                              foundry_rule};
FOREIGN_READER(foundry_import, foundry)

/* ---- OLMo: olmo/config.py at 59a53e3f --------------------------------------------------------------------------- */

static const struct tree_row olmo_rows[] = {
    TREE_SIZE("model.d_model", "model.hidden_size"), TREE_SIZE("model.n_layers", "model.num_layers"),
    TREE_SIZE("model.n_heads", "model.num_attention_heads"), TREE_SIZE("model.n_kv_heads", "model.num_query_groups"),
    TREE_SIZE("model.embedding_size|model.vocab_size", "model.vocab_size"),
    TREE_SIZE("model.max_sequence_length", "train.seq_length"),
    TREE_REAL("model.attention_dropout", "model.attention_dropout"),
    TREE_REAL("model.residual_dropout", "model.hidden_dropout"),
    TREE_FLAG("model.include_bias", "model.add_bias_linear"), TREE_FLAG("model.weight_tying", "model.tied_embeddings"),
    TREE_SIZE("global_train_batch_size", "train.global_batch_size"),
    TREE_SIZE("device_train_microbatch_size", "train.micro_batch_size"),
    {"precision", "train.dtype", TREE_AS(COMPOSER)},
    {"fsdp.sharding_strategy", "parallel.fsdp", TREE_AS(TORCH)},
    {"optimizer.name", "train.optimizer", TREE_AS(CONFIG)},
};
static const struct foreign_fixed olmo_given[] = {{"model.make_vocab_size_divisible_by", "1"}, {NULL, NULL}};
static const struct foreign_fixed olmo_silent[] = {{"model.add_bias_linear", "true"}, {"model.tied_embeddings", "true"},
                                                   {"train.dtype", "bf16"},
                                           {"train.micro_batch_size", "16"}, {"train.global_batch_size", "512"},
                                           {NULL, NULL}};

/* Gate and up are written as one width. */
static void olmo_width(struct foreign *im)
{
    double whole = foreign_number(im, "model.mlp_hidden_size",
                                  foreign_number(im, "model.mlp_ratio", 4) * foreign_number(im, "model.d_model", NAN));
    bool is_gated =
        foreign_is_word(im, "model.activation_type", "swiglu") || !tree_has(&im->tree, "model.activation_type");
    foreign_set(im, "model.gated_mlp", is_gated ? "true" : "false", "model.activation_type");
    if (whole >= 2)
        foreign_set_number(im, "model.ffn_hidden_size", is_gated ? whole / 2 : whole, "model.mlp_hidden_size");
}

/* Every n-th layer is run again, or every one but these (ActivationCheckpointingStrategy, olmo/model.py). */
static void olmo_checkpointing(struct foreign *im)
{
    static const struct {
        const char *name;
        int every;
        bool is_rest;
    } rows[] = {{"whole_layer", 1, false}, {"one_in_two", 2, false}, {"one_in_three", 3, false},
                {"one_in_four", 4, false},
                {"one_in_eight", 8, false}, {"two_in_three", 3, true}, {"three_in_four", 4, true}};
    static const char path[] = "activation_checkpointing";
    double layers = foreign_number(im, "model.n_layers", NAN);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        double again = rows[i].is_rest ? layers - ceil(layers / rows[i].every) : ceil(layers / rows[i].every);
        if (!foreign_is_word(im, path, rows[i].name))
            continue;
        foreign_set(im, "train.recompute", "full", path);
        if (rows[i].every == 1 || isnan(again))
            continue;
        foreign_set(im, "train.recompute_method", "block", path);
        foreign_set_number(im, "train.recompute_num_layers", again, path);
    }
    if (foreign_is_word(im, path, "fine_grained"))
        foreign_set(im, "train.recompute", "selective", path);
}

static void olmo_rule(struct foreign *im)
{
    bool is_rms = foreign_is_word(im, "model.layer_norm_type", "rms"),
         has_bias = foreign_is_true(im, "model.bias_for_layer_norm");
    const struct tree_value *affine = tree_find(&im->tree, "model.layer_norm_with_affine");
    bool is_bare = affine && !tree_is_true(affine);
    foreign_like(im, "OLMo", "fsdp1");
    olmo_width(im);
    foreign_set(im, "model.normalization",
                is_rms     ? "rmsnorm"
                : is_bare  ? "layernorm_nonparametric"
                : has_bias ? "layernorm"
                           : "layernorm_nobias",
                "model.layer_norm_type");
    foreign_set(im, "model.position_embedding",
                foreign_is_true(im, "model.alibi")  ? "alibi"
                : foreign_is_true(im, "model.rope") ? "rope"
                                                    : "learned",
                "model.rope");
    if (foreign_is_true(im, "model.attention_layer_norm"))
        foreign_set(im, "model.qk_norm", "full", "model.attention_layer_norm");
    if (foreign_is_true(im, "model.multi_query_attention"))
        foreign_set(im, "model.num_query_groups", "1", "model.multi_query_attention");
    olmo_checkpointing(im);
    if (foreign_is_true(im, "fused_loss"))
        foreign_set(im, "train.cross_entropy", "te_fused", "fused_loss");
    if (foreign_is_word(im, "distributed_strategy", "ddp single"))
        foreign_set(im, "parallel.fsdp", "none", "distributed_strategy");
    if (foreign_is_word(im, "fsdp.precision", "mixed"))
        foreign_set(im, "train.grad_dtype", "fp32", "fsdp.precision");
}

static const struct tree_choice layers_choice[] = {
    {"whole_layer", "full"}, {"fine_grained", "selective"}, {"null", "none"}, {NULL, NULL}};
static const struct tree_row olmo_rules[] = {
    {"activation_checkpointing", "train.recompute", TREE_CHOICE, layers_choice},
    {"fsdp.precision", "train.grad_dtype", TREE_CHOICE, pure_choice},
    {"model.mlp_hidden_size", "model.ffn_hidden_size", TREE_WHOLE, NULL},
};
static const struct foreign_format olmo = {ROWS(olmo_rows), ROWS(olmo_rules), olmo_given, olmo_silent, olmo_rule};
FOREIGN_READER(olmo_import, olmo)

/* ---- estimators' own files: llm-analysis d841e40, SimuMax 4dcaae5, Calculon caa4b11 ----------------------------- */

static const struct tree_row llm_model_rows[] = {
    TREE_SIZE("num_layers", "model.num_layers"), TREE_SIZE("n_head", "model.num_attention_heads"),
    TREE_SIZE("num_key_value_heads", "model.num_query_groups"), TREE_SIZE("hidden_dim", "model.hidden_size"),
    TREE_SIZE("ffn_embed_dim", "model.ffn_hidden_size"), TREE_FLAG("mlp_gated_linear_units", "model.gated_mlp"),
    TREE_SIZE("vocab_size", "model.vocab_size"), TREE_SIZE("max_seq_len", "model.max_position_embeddings"),
    TREE_SIZE("moe_num_experts", "model.num_experts"), TREE_SIZE("moe_top_k", "model.moe_router_topk"),
};

static void llm_model_rule(struct foreign *im)
{
    bool is_one = foreign_number(im, "moe_num_experts", 1) <= 1,
         is_llama = foreign_is_word(im, "model_type", "llama mistral mixtral qwen2 gemma");
    double ratio = foreign_number(im, "expansion_ratio", 4), h = foreign_number(im, "hidden_dim", NAN);
    if (is_one) /* the tool's dense models have one expert */
        foreign_set(im, "model.num_experts", "0", "moe_num_experts");
    if (!tree_has(&im->tree, "ffn_embed_dim") && ratio * h >= 1)
        foreign_set_number(im, "model.ffn_hidden_size", ratio * h, "expansion_ratio");
    foreign_set(im, "model.normalization", is_llama ? "rmsnorm" : "layernorm", "model_type");
}

static const struct foreign_format llm_model = {ROWS(llm_model_rows), NO_ROWS, foreign_nothing, foreign_nothing,
                                                llm_model_rule};
FOREIGN_READER(llm_model_import, llm_model)

static const struct tree_row simumax_model_rows[] = {
    TREE_SIZE("layer_num", "model.num_layers"), TREE_SIZE("hidden_size", "model.hidden_size"),
    TREE_SIZE("head_num", "model.num_attention_heads"), TREE_SIZE("kv_head_num", "model.num_query_groups"),
    TREE_SIZE("head_size", "model.kv_channels"), TREE_SIZE("intermediate_size", "model.ffn_hidden_size"),
    TREE_SIZE("vocab_size", "model.vocab_size"), TREE_FLAG("use_swiglu", "model.gated_mlp"),
    TREE_SIZE("topk", "model.moe_router_topk"), TREE_SIZE("moe_ffn_hidden_size", "model.moe_ffn_hidden_size"),
    TREE_SIZE("moe_shared_expert_intermediate_size", "model.moe_shared_ffn_hidden_size"),
    TREE_SIZE("dense_layers", "model.moe_first_dense"), TREE_SIZE("q_lora_rank", "model.q_lora_rank"),
    TREE_SIZE("kv_lora_rank", "model.kv_lora_rank"), TREE_SIZE("qk_head_dim", "model.qk_head_dim"),
    TREE_SIZE("qk_pos_emb_head_dim", "model.qk_pos_emb_head_dim"), TREE_SIZE("v_head_dim", "model.v_head_dim"),
};
static const struct foreign_fixed core_given[] = {{"framework.name", "megatron-core"}, {NULL, NULL}};

static void simumax_model_rule(struct foreign *im)
{
    if (foreign_number(im, "expert_num", 1) > 1)
        foreign_set_number(im, "model.num_experts", foreign_number(im, "expert_num", 1), "expert_num");
    if (foreign_is_word(im, "attention_type", "mla"))
        foreign_set(im, "model.multi_latent_attention", "true", "attention_type");
}

static const struct foreign_format simumax_model = {ROWS(simumax_model_rows), NO_ROWS, foreign_nothing, foreign_nothing,
                                                    simumax_model_rule};
FOREIGN_READER(simumax_model_import, simumax_model)

static const struct tree_row simumax_strategy_rows[] = {
    TREE_SIZE("seq_len", "train.seq_length"), TREE_SIZE("micro_batch_size", "train.micro_batch_size"),
    {"dtype", "train.dtype", TREE_AS(ESTIMATOR)},
    TREE_SIZE("tp_size", "parallel.tp"), TREE_SIZE("pp_size", "parallel.pp"), TREE_SIZE("cp_size", "parallel.cp"),
    TREE_SIZE("ep_size", "parallel.ep"), TREE_SIZE("etp_size", "parallel.etp"),
    {"enable_sequence_parallel", "parallel.sp", TREE_BOOL, NULL},
    TREE_SIZE("interleaving_size", "parallel.vpp"), TREE_SIZE("zero_state", "parallel.zero_stage"),
};

static void simumax_strategy_rule(struct foreign *im)
{
    double world = foreign_number(im, "world_size", NAN),
           share =
               foreign_number(im, "tp_size", 1) * foreign_number(im, "pp_size", 1) * foreign_number(im, "cp_size", 1);
    double batch = world / share * foreign_number(im, "micro_batch_size", 1) * foreign_number(im, "micro_batch_num", 1);
    if (world / share >= 1)
        foreign_set_number(im, "parallel.dp", floor(world / share), "world_size");
    if (batch >= 1)
        foreign_set_number(im, "train.global_batch_size", floor(batch), "micro_batch_num");
    if (foreign_is_true(im, "enable_recompute"))
        foreign_set(im, "train.recompute",
                    foreign_is_word(im, "recompute_granularity", "full_block") ? "full" : "selective",
                    "recompute_granularity");
    if (foreign_is_true(im, "use_math_sdp"))
        foreign_set(im, "train.attention", "unfused", "use_math_sdp");
    if (tree_has(&im->tree, "use_fp32_accum_grad"))
        foreign_set(im, "train.grad_dtype", foreign_is_true(im, "use_fp32_accum_grad") ? "fp32" : "bf16",
                    "use_fp32_accum_grad");
}

static const struct foreign_format simumax_strategy = {ROWS(simumax_strategy_rows), NO_ROWS, core_given,
                                                       foreign_nothing, simumax_strategy_rule};
FOREIGN_READER(simumax_strategy_import, simumax_strategy)

static const struct tree_row calculon_model_rows[] = {
    TREE_SIZE("hidden", "model.hidden_size"), TREE_SIZE("feedforward", "model.ffn_hidden_size"),
    TREE_SIZE("seq_size", "train.seq_length"), TREE_SIZE("attn_heads", "model.num_attention_heads"),
    TREE_SIZE("attn_size", "model.kv_channels"), TREE_SIZE("num_blocks", "model.num_layers"),
};

/* The tool counts no vocabulary; 51200 is that of the papers whose models it ships. */
static void calculon_model_rule(struct foreign *im)
{
    import_ask(im->out, "model.vocab_size",
               &(struct asked){"vocabulary", "51200", im->tree.file, 0, "--set vocab_size=N", false});
}

static const struct foreign_fixed calculon_silent[] = {{"model.normalization", "layernorm"},
                                                       {"model.position_embedding", "learned"},
                                               {"model.add_bias_linear", "true"}, {"model.tied_embeddings", "true"},
                                               {NULL, NULL}};
static const struct foreign_format calculon_model = {ROWS(calculon_model_rows), NO_ROWS, foreign_nothing,
                                                     calculon_silent, calculon_model_rule};
FOREIGN_READER(calculon_model_import, calculon_model)

static const struct tree_choice calculon_recompute[] = {
    {"none", "none"}, {"attn_only", "selective"}, {"full", "full"}, {NULL, NULL}};
static const struct tree_row calculon_execution_rows[] = {
    TREE_SIZE("tensor_par", "parallel.tp"), TREE_SIZE("pipeline_par", "parallel.pp"),
    TREE_SIZE("data_par", "parallel.dp"), TREE_SIZE("batch_size", "train.global_batch_size"),
    TREE_SIZE("microbatch_size", "train.micro_batch_size"),
    {"datatype", "train.dtype", TREE_AS(ESTIMATOR)},
    {"activation_recompute", "train.recompute", TREE_CHOICE, calculon_recompute},
    TREE_SIZE("pipeline_interleaving", "parallel.vpp"), TREE_FLAG("data_par_overlap", "parallel.overlap_grad_reduce"),
};

static void calculon_execution_rule(struct foreign *im)
{
    foreign_set(im, "parallel.zero_stage", foreign_is_true(im, "optimizer_sharding") ? "1" : "0", "optimizer_sharding");
    if (foreign_is_word(im, "tensor_par_comm_type", "rs_ag p2p_rs_ag"))
        foreign_set(im, "parallel.sp", "true", "tensor_par_comm_type");
    if (foreign_is_true(im, "optimizer_offload"))
        foreign_set(im, "train.offload_optimizer", "1", "optimizer_offload");
}

static const struct foreign_format calculon_execution = {ROWS(calculon_execution_rows), NO_ROWS, core_given,
                                                         foreign_nothing, calculon_execution_rule};
FOREIGN_READER(calculon_execution_import, calculon_execution)
