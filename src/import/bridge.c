/*
 * src/import/bridge.c - Megatron-Bridge (NeMo 2) at 067f987d: overrides of a recipe, and whole configurations that it
 * dumps.
 *
 * An override has no model: the recipe that a command names, the `_target_` of a dump or the file's own name tells
 * which.
 */
#include "core/base.h"
#include "src/import/foreign.h"
#include "src/import/foreign_read.h"
#include "src/import/import.h"
#include "src/import/megatron.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct tree_choice grad_choice[] = {{"true", "fp32"}, {"false", "bf16"}, {NULL, NULL}};

static const struct tree_choice cache_choice[] = {{"true", "false"}, {"false", "true"}, {NULL, NULL}};

static const struct tree_row bridge_rows[] = {
    MEGATRON_SIZES("model."),
    MEGATRON_LAYOUT("model."),
    MEGATRON_RECOMPUTE("model."),
    TREE_SIZE("model.vocab_size", "model.vocab_size"), TREE_FLAG("model.gated_linear_unit", "model.gated_mlp"),
    TREE_FLAG("model.add_bias_linear", "model.add_bias_linear"), TREE_FLAG("model.add_qkv_bias", "model.add_qkv_bias"),
    {"model.normalization", "model.normalization", TREE_AS(MEGATRON)},
    {"model.position_embedding_type", "model.position_embedding", TREE_AS(MEGATRON)},
    {"model.moe_ffn_hidden_size", "model.moe_ffn_hidden_size", TREE_WHOLE, NULL},
    {"model.seq_length|dataset.seq_length|dataset.sequence_length", "train.seq_length", TREE_WHOLE, NULL},
    {"model.num_layers_in_first_pipeline_stage", "parallel.first_stage_layers", TREE_WHOLE, NULL},
    {"model.num_layers_in_last_pipeline_stage", "parallel.last_stage_layers", TREE_WHOLE, NULL},
    {"train.global_batch_size", "train.global_batch_size", TREE_WHOLE, NULL},
    {"train.micro_batch_size", "train.micro_batch_size", TREE_WHOLE, NULL},
    {"ddp.grad_reduce_in_fp32", "train.grad_dtype", TREE_CHOICE, grad_choice},
    {"model.disable_parameter_transpose_cache", "framework.fp8_transpose_cache", TREE_CHOICE, cache_choice},
    {"model.activation_func_fp8_input_store", "framework.fp8_activation_input", TREE_BOOL, NULL},
    {"ddp.use_distributed_optimizer|optimizer.use_distributed_optimizer", "parallel.zero_stage", TREE_CHOICE,
     share_choice},
    {"ddp.overlap_grad_reduce", "parallel.overlap_grad_reduce", TREE_BOOL, NULL},
    {"ddp.overlap_param_gather", "parallel.overlap_param_gather", TREE_BOOL, NULL},
    {"comm_overlap.tp_comm_overlap", "parallel.overlap_tp", TREE_BOOL, NULL},
    {"model.moe_token_dispatcher_type", "parallel.moe_dispatcher", TREE_AS(MEGATRON)},
    {"model.overlap_moe_expert_parallel_comm", "parallel.overlap_ep", TREE_BOOL, NULL},
    {"model.cp_comm_type", "parallel.cp_comm", TREE_AS(MEGATRON)},
    {"model.microbatch_group_size_per_vp_stage", "parallel.microbatch_group", TREE_WHOLE, NULL},
    {"model.account_for_embedding_in_pipeline_split", "parallel.embedding_counts_as_layer", TREE_BOOL, NULL},
    {"model.account_for_loss_in_pipeline_split", "parallel.loss_counts_as_layer", TREE_BOOL, NULL},
    {"model.overlap_p2p_comm", "parallel.overlap_p2p", TREE_BOOL, NULL},
    {"model.moe_expert_capacity_factor|token_drop", "model.moe_capacity_factor", TREE_NUMBER, NULL},
    {"model.moe_pad_expert_input_to_capacity|token_drop", "framework.moe_pad_to_capacity", TREE_BOOL, NULL},
    {"model.moe_grouped_gemm", "framework.moe_grouped_gemm", TREE_BOOL, NULL},
    {"model.gradient_accumulation_fusion", "framework.gradient_accumulation_fusion", TREE_BOOL, NULL},
    {"model.defer_embedding_wgrad_compute", "framework.defer_embedding_wgrad", TREE_BOOL, NULL},
    {"model.distribute_saved_activations", "framework.partition_activations", TREE_BOOL, NULL},
    {"model.deterministic_mode", "framework.deterministic", TREE_BOOL, NULL},
    {"optimizer.optimizer", "train.optimizer", TREE_AS(MEGATRON)},
    TREE_REAL("optimizer.optimizer_offload_fraction", "train.offload_optimizer"),
    TREE_SIZE("num_nodes", "hardware.nodes"), TREE_SIZE("gpus_per_node", "hardware.gpus_per_node"),
    TREE_SIZE("peft.dim", "train.lora_rank"), TREE_REAL("peft.alpha", "train.lora_alpha"),
    {"peft.dropout_recompute", "train.lora_dropout_kept", TREE_CHOICE, cache_choice},
};
static const struct tree_row fsdp_row[] = {
    {"ddp.data_parallel_sharding_strategy", "parallel.fsdp", TREE_AS(MEGATRON)}};
static const struct foreign_fixed given[] = {{"framework.name", "megatron-core"}, {NULL, NULL}};
static const struct foreign_fixed silent[] = {{"train.dtype", "bf16"}, {"parallel.zero_stage", "1"},
                                              {"train.grad_dtype", "fp32"},
                                              {"parallel.overlap_grad_reduce", "true"},
                                              {"parallel.overlap_param_gather", "true"}, {NULL, NULL}};

/* ---- which model ------------------------------------------------------------------------------------------------ */

/* The hub's name, the recipe of the command, or the file's own. */
static void take_model(struct foreign *im)
{
    char name[96];
    const char *path = *foreign_text(im, "hf_path") ? "hf_path" : "model.hf_model_id", *hub = foreign_text(im, path);
    const char *recipe = foreign_text(im, "recipe"), *file = *recipe ? recipe : im->tree.file;
    foreign_recipe(file, name);
    bool is_said = strpbrk(name, "0123456789") && strpbrk(name, "bB");
    if (*hub || *recipe || (is_said && !tree_has(&im->tree, "model.num_layers")))
        foreign_set(im, "model", *hub ? hub : name, *hub ? path : "recipe");
    else if (!tree_has(&im->tree, "model.num_layers"))
        import_ask(im->out, "model.num_layers", &(struct asked){"model", "", im->tree.file, 0, "--model NAME", false});
}

/* ---- what several settings decide ------------------------------------------------------------------------------- */

static void take_precision(struct foreign *im)
{
    const char *precision = foreign_text(im, "mixed_precision");
    if (!*precision)
        return;
    bool is_mx = strstr(precision, "mxfp8") || strstr(precision, "fp8_mx"), is_fp8 = strstr(precision, "fp8") != NULL,
         is_fp16 = strncmp(precision, "fp16", 4) == 0;
    foreign_set(im, "train.dtype",
                strstr(precision, "nvfp4") ? "nvfp4"
                : is_mx                    ? "mxfp8"
                : is_fp8                   ? "fp8"
                : is_fp16                  ? "fp16"
                                           : "bf16",
                "mixed_precision");
    /* nemo/collections/llm/recipes/precision/mixed_precision.py: fp8_params = True */
    if (strstr(precision, "with_fp8_mixed"))
        foreign_set(im, "framework.fp8_param_gather", "true", "mixed_precision");
}

/* How fp8 is scaled, in the names of megatron/bridge/training/mixed_precision.py. */
static void take_fp8_recipe(struct foreign *im)
{
    static const struct {
        const char *part, *word, *recipe; /* word: of scripts/performance */
    } recipes[] = {{"current_scaling", "cs", "tensorwise"}, {"delayed_scaling", "ds", "delayed"},
                   {"subchannel_scaling", "ss", "blockwise"}, {"with_fp8_mixed", "ds", "delayed"}};
    const char *precision = foreign_text(im, "mixed_precision"), *recipe = foreign_text(im, "model.fp8_recipe");
    for (size_t i = 0; i < LENGTH(recipes); i++)
        if (strstr(precision, recipes[i].part) || strcmp(recipe, recipes[i].word) == 0)
            foreign_set(im, "framework.fp8_recipe", recipes[i].recipe, "mixed_precision");
    if (strstr(precision, "fp8") && strcmp(recipe, "mxfp8") == 0)
        foreign_set(im, "train.dtype", "mxfp8", "model.fp8_recipe");
}

/* Which modules run again, which loss is fused, what CUDA graphs capture, and which kernels attention takes. */
static void take_kernels(struct foreign *im)
{
    const char *modules = foreign_text(im, "model.recompute_modules"),
               *graph = foreign_text(im, "model.cuda_graph_impl"),
               *backend = foreign_text(im, "model.attention_backend");
    if (*modules)
        foreign_set(im, "train.recompute_modules", modules, "model.recompute_modules");
    if (foreign_is_true(im, "model.cross_entropy_loss_fusion"))
        foreign_set(im, "train.cross_entropy",
                    foreign_is_word(im, "model.cross_entropy_fusion_impl", "te") ? "te_fused" : "native_fused",
                    "model.cross_entropy_loss_fusion");
    if (*graph)
        foreign_set(im, "framework.cuda_graph",
                    strcmp(graph, "none") == 0             ? "none"
                    : strcmp(graph, "full_iteration") == 0 ? "full"
                                                           : "partial",
                    "model.cuda_graph_impl");
    if (*backend)
        foreign_set(im, "train.attention", strcmp(backend, "unfused") == 0 ? "unfused" : "flash",
                    "model.attention_backend");
}

/* True where a file says that a setting has no value. */
static bool is_said(const struct tree *tree, const char *path)
{
    for (size_t i = 0; i < tree->count; i++)
        if (strcmp(tree->item[i].path, path) == 0)
            return true;
    return false;
}

/* The layout that a recipe has and the file does not say, and how its layers run again. */
static void ask_layout(struct foreign *im)
{
    static const char *const keys[][2] = {{"parallel.tp", "1"}, {"parallel.pp", "1"},
                                          {"parallel.cp", "1"}, {"parallel.ep", "1"},
                                          {"train.micro_batch_size", "1"}, {"train.recompute", "none"}};
    size_t count = LENGTH(keys) - is_said(&im->tree, "model.recompute_granularity");
    foreign_ask_recipe(im, keys, count);
}

/* How a recipe splits its layers, which the file does not say; its experts run with sequence parallelism. */
static void ask_split(struct foreign *im)
{
    static const char said[] = "model.account_for_embedding_in_pipeline_split|model.account_for_loss_in_pipeline_split|"
                               "model.num_layers_in_first_pipeline_stage|model.num_layers_in_last_pipeline_stage|"
                               "model.pipeline_model_parallel_layout";
    const struct keyval *pp = keyvals_last(&im->out->settings, "parallel.pp"),
                        *tp = keyvals_last(&im->out->settings, "parallel.tp");
    if (!*foreign_text(im, "recipe"))
        return;
    if (pp && atof(pp->value) > 1 && !tree_first(&im->tree, "", said))
        import_ask_words(im->out, "parallel.pp",
                         &(struct asked){"layers of each stage", pp->value, im->tree.file, pp->line,
                                         "--set pipeline_layout=LIST", false},
                         pp->value);
    if (tp && atof(tp->value) > 1 && !keyvals_last(&im->out->settings, "parallel.sp"))
        import_ask(im->out, "parallel.sp",
                   &(struct asked){foreign_text(im, "recipe"), "true", im->tree.file, tp->line, "--set sp=VALUE",
                                   false});
}

/* The layers of each chunk, as Megatron writes them. */
static void take_stages(struct foreign *im)
{
    static const char path[] = "model.pipeline_model_parallel_layout";
    int64_t stages;
    char *list = megatron_layout(foreign_text(im, path), &stages);
    double chunks = (double)stages / foreign_number(im, "model.pipeline_model_parallel_size", 1);
    if (list)
        foreign_set(im, "parallel.pipeline_layout", list, path);
    if (list && chunks > 1 && !tree_has(&im->tree, "model.virtual_pipeline_model_parallel_size"))
        foreign_set_number(im, "parallel.vpp", chunks, path);
    free(list);
}

/* The GPUs of a launcher's command, and Megatron's FSDP, which its recipes tune themselves. */
static void take_launch(struct foreign *im)
{
    static const char *const types[] = {"optimizer.main_grads_dtype", "optimizer.main_params_dtype",
                                        "optimizer.exp_avg_dtype", "optimizer.exp_avg_sq_dtype"};
    double gpus = foreign_number(im, "num_gpus", 0), each = foreign_number(im, "gpus_per_node", 8);
    bool is_sharded = foreign_is_true(im, "dist.use_megatron_fsdp") || foreign_is_true(im, "ddp.use_megatron_fsdp");
    bool fills_nodes = gpus < each || fmod(gpus, each) == 0;
    if (gpus >= 1 && each >= 1 && !fills_nodes)
        import_ask(im->out, "hardware.nodes",
                   &(struct asked){"GPUs that fill no nodes", "1", im->tree.file, 0, "--set nodes=N", false});
    else if (gpus >= 1 && each >= 1) {
        foreign_set_number(im, "hardware.nodes", fmax(1, floor(gpus / each)), "num_gpus");
        foreign_set_number(im, "hardware.gpus_per_node", fmin(gpus, each), "num_gpus");
    }
    if (is_sharded && !tree_has(&im->tree, "ddp.data_parallel_sharding_strategy"))
        import_ask(im->out, "parallel.fsdp",
                   &(struct asked){"Megatron's FSDP", "full", im->tree.file, 0, "--set fsdp=VALUE", false});
    else if (is_sharded)
        tree_apply(&im->tree, "", fsdp_row, LENGTH(fsdp_row), im->out);
    tree_use(&im->tree, "ddp.data_parallel_sharding_strategy");
    foreign_clear_unless(im, "train.offload_optimizer", "optimizer.optimizer_cpu_offload");
    if (!foreign_is_true(im, "optimizer.use_precision_aware_optimizer"))
        for (size_t i = 0; i < LENGTH(types); i++)
            tree_use(&im->tree, types[i]); /* which count with it alone */
}

/* Adapters, of rank 32 where the file says none (megatron/bridge/peft/lora.py). */
static void take_adapters(struct foreign *im)
{
    const char *targets = foreign_text(im, "peft.target_modules");
    foreign_set(im, "framework.name", "nemo-lora", "peft.dim");
    foreign_set(im, "train.peft", strstr(foreign_text(im, "peft._target_"), "DoRA") ? "dora" : "lora", "peft.dim");
    if (!tree_has(&im->tree, "peft.dim"))
        foreign_set(im, "train.lora_rank", "32", "peft");
    if (*targets && !strchr(targets, '*'))
        foreign_set(im, "train.lora_targets", targets, "peft.target_modules");
}

static void bridge_rule(struct foreign *im)
{
    static const char *const frozen[] = {"model.freeze_vision_model", "model.freeze_vision_projection",
                                         "model.freeze_language_model"};
    take_model(im);
    ask_layout(im);
    ask_split(im);
    take_stages(im);
    take_precision(im);
    take_fp8_recipe(im);
    take_kernels(im);
    take_launch(im);
    if (tree_has(&im->tree, "peft") && !tree_has(&im->tree, "peft.none"))
        take_adapters(im);
    tree_frozen(&im->tree, frozen, 0, im->out);
    if (tree_has(&im->tree, "kd_config") || tree_has(&im->tree, "model.teacher"))
        errors_warn(im->tree.errors, im->tree.file, 0, "kd_config", "keeps a teacher model, which is not modelled");
    errors_note(im->tree.errors, im->tree.file, 0, NULL,
                "unset values are those of Megatron-Bridge's pretraining recipes");
}

const struct foreign_format bridge_format = {bridge_rows, LENGTH(bridge_rows), fsdp_row, LENGTH(fsdp_row), given,
                                             silent,      bridge_rule};
FOREIGN_READER(bridge_import, bridge_format)
