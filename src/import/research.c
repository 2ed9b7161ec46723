/*
 * src/import/research.c - trainers of research groups whose configurations are tables: lingua, picotron, InternEvo,
 * OLMo-core. None has a row of its own; which one stands in is asked.
 */
#include "core/base.h"
#include "src/import/foreign.h"
#include "src/import/foreign_read.h"
#include "src/import/import.h"

#include <math.h>
#include <string.h>

static void assume_framework(struct foreign *im, const char *trainer, const char *like)
{
    import_ask(im->out, "framework.name", &(struct asked){trainer, like, im->tree.file, 0, "--framework NAME", false});
}

/* The width of a gated block: `share` of it, rounded up to whole multiples. */
static double gated_width(double width, double multiple)
{
    return multiple * ceil(floor(width) / multiple);
}

/* ---- lingua: facebookresearch/lingua lingua/transformer.py, distributed.py and apps/main at 2025-06 ------------- */

static const struct tree_row lingua_rows[] = {
    TREE_SIZE("model.dim", "model.hidden_size"), TREE_SIZE("model.n_layers", "model.num_layers"),
    TREE_SIZE("model.n_heads", "model.num_attention_heads"), TREE_SIZE("model.n_kv_heads", "model.num_query_groups"),
    TREE_SIZE("model.head_dim", "model.kv_channels"), TREE_SIZE("model.vocab_size", "model.vocab_size"),
    {"model.weight_tying", "model.tied_embeddings", TREE_BOOL, NULL},
    TREE_SIZE("data.batch_size", "train.micro_batch_size"), TREE_SIZE("data.seq_len", "train.seq_length"),
    TREE_SIZE("grad_acc_steps", "train.gradient_accumulation_steps"), TREE_SIZE("distributed.tp_size", "parallel.tp"),
    {"distributed.fsdp_type", "parallel.fsdp", TREE_AS(TRAINER)},
    {"distributed.model_dtype", "train.dtype", TREE_AS(ESTIMATOR)},
    {"distributed.compile", "framework.compile", TREE_BOOL, NULL},
};
static const struct foreign_fixed lingua_given[] = {
    {"model.gated_mlp", "true"},      {"model.normalization", "rmsnorm"}, {"model.position_embedding", "rope"},
    {"model.add_bias_linear", "false"}, {"model.make_vocab_size_divisible_by", "1"}, {NULL, NULL}};
static const struct foreign_fixed lingua_silent[] = {
    {"model.tied_embeddings", "false"}, {"train.dtype", "bf16"},         {"parallel.fsdp", "none"},
    {"train.seq_length", "2048"},       {"train.micro_batch_size", "2"}, {NULL, NULL}};

static void lingua_rule(struct foreign *im)
{
    static const char other[] = "model.lru_dim|model.state_dim|model.conv_size|model.conv_kernel_size|model.n_groups";
    double h = foreign_number(im, "model.dim", 512), more = foreign_number(im, "model.ffn_dim_multiplier", 1);
    double shards = foreign_number(im, "distributed.dp_shard", 1);
    assume_framework(im, "lingua", "fsdp2");
    foreign_set_number(im, "model.ffn_hidden_size",
                       gated_width(more * floor(2 * 4 * h / 3), foreign_number(im, "model.multiple_of", 256)),
                       "model.dim");
    if (foreign_is_true(im, "distributed.selective_activation_checkpointing"))
        foreign_set(im, "train.recompute", "selective", "distributed.selective_activation_checkpointing");
    if (shards > 1) { /* replicas are as many as there are GPUs for (apps/main/train.py) */
        foreign_set(im, "parallel.fsdp", "hybrid", "distributed.dp_shard");
        foreign_set_number(im, "parallel.shard_group", shards, "distributed.dp_shard");
    }
    if (*foreign_text(im, "distributed.float8_recipe"))
        foreign_set(im, "train.dtype", "fp8", "distributed.float8_recipe");
    if (!tree_has(&im->tree, "model.vocab_size"))
        import_ask(im->out, "model.vocab_size",
                   &(struct asked){foreign_text(im, "data.tokenizer.name"), "128256", im->tree.file, 0,
                                   "--set vocab_size=N", false});
    if (tree_first(&im->tree, "", other)) /* apps/mamba, apps/fastRNN: layers of other kinds */
        import_ask(im->out, "model.layer_pattern",
                   &(struct asked){"layers of another kind", "", im->tree.file, 0, "--model FILE", false});
}

static const struct foreign_format lingua = {lingua_rows,  LENGTH(lingua_rows), NULL,       0,
                                             lingua_given, lingua_silent,       lingua_rule};
FOREIGN_READER(lingua_import, lingua)

/* ---- picotron: huggingface/picotron template/base_config.json, train.py and picotron/model.py at 2025-05 --------- */

static const struct tree_choice picotron_engine[] = {{"1f1b", "1f1b"}, {"afab", "gpipe"}, {NULL, NULL}};
static const struct tree_row picotron_rows[] = {
    TREE_SIZE("distributed.tp_size", "parallel.tp"), TREE_SIZE("distributed.cp_size", "parallel.cp"),
    TREE_SIZE("distributed.pp_size", "parallel.pp"), TREE_SIZE("distributed.dp_size", "parallel.dp"),
    {"distributed.pp_engine", "parallel.schedule", TREE_CHOICE, picotron_engine},
    {"model.num_hidden_layers", "model.num_layers", TREE_WHOLE, NULL},
    {"model.num_attention_heads", "model.num_attention_heads", TREE_WHOLE, NULL},
    {"model.num_key_value_heads", "model.num_query_groups", TREE_WHOLE, NULL},
    {"model.dtype", "train.dtype", TREE_AS(TORCH)},
    {"training.seq_length", "train.seq_length", TREE_WHOLE, NULL},
    {"training.micro_batch_size", "train.micro_batch_size", TREE_WHOLE, NULL},
    {"training.gradient_accumulation_steps", "train.gradient_accumulation_steps", TREE_WHOLE, NULL},
};
static const struct foreign_fixed picotron_given[] = {
    {"model.tied_embeddings", "false"}, {"train.main_param_dtype", "bf16"}, {NULL, NULL}};
static const struct foreign_fixed picotron_silent[] = {{"train.dtype", "bf16"}, {NULL, NULL}};

static void picotron_rule(struct foreign *im)
{
    assume_framework(im, "picotron", "nanotron");
    foreign_set(im, "model", foreign_text(im, "model.name"), "model.name");
}

static const struct foreign_format picotron = {picotron_rows,  LENGTH(picotron_rows), NULL,         0,
                                               picotron_given, picotron_silent,       picotron_rule};
FOREIGN_READER(picotron_import, picotron)

/* ---- InternEvo: InternLM/InternEvo configs and internlm/model at 2025-05, as python.c hands it over ------------- */

static const struct tree_row evo_rows[] = {
    TREE_SIZE("model.num_layers", "model.num_layers"), TREE_SIZE("model.hidden_size", "model.hidden_size"),
    TREE_SIZE("model.num_attention_heads", "model.num_attention_heads"),
    TREE_SIZE("model.num_kv_attention_heads", "model.num_query_groups"),
    TREE_SIZE("model.vocab_size", "model.vocab_size"), TREE_SIZE("model.num_chunks", "parallel.vpp"),
    TREE_SIZE("model.num_experts", "model.num_experts"),
    {"model.dtype", "train.dtype", TREE_AS(TORCH)},
    TREE_SIZE("data.seq_len", "train.seq_length"), TREE_SIZE("data.micro_bsz", "train.micro_batch_size"),
    TREE_SIZE("data.micro_num", "train.gradient_accumulation_steps"),
    TREE_SIZE("parallel.tensor.size|parallel.tensor", "parallel.tp"),
    TREE_SIZE("parallel.pipeline.size|parallel.pipeline", "parallel.pp"),
    TREE_SIZE("parallel.expert.size", "parallel.ep"),
};
static const struct foreign_fixed evo_given[] = {
    {"model.gated_mlp", "true"},
    {"model.position_embedding", "rope"},
    {"model.tied_embeddings", "false"},
    {NULL, NULL}};
static const struct foreign_fixed evo_silent[] = {
    {"model.normalization", "rmsnorm"}, {"model.add_bias_linear", "false"}, {"train.dtype", "bf16"},
    {"train.micro_batch_size", "1"},    {NULL, NULL}};

static void evo_rule(struct foreign *im)
{
    double width = foreign_number(im, "model.hidden_size", NAN) * foreign_number(im, "model.mlp_ratio", 8.0 / 3);
    double zero = foreign_number(im, "parallel.zero1.size", foreign_number(im, "parallel.zero1", -1));
    double checkpoint = foreign_number(im, "model.checkpoint", 0);
    assume_framework(im, "InternEvo", "megatron-core");
    if (width >= 1)
        foreign_set_number(im, "model.ffn_hidden_size",
                           gated_width(width, foreign_number(im, "model.multiple_of", 256)), "model.mlp_ratio");
    foreign_set(im, "parallel.zero_stage", zero == 1 ? "0" : "1", "parallel.zero1");
    if (zero > 1)
        foreign_set_number(im, "parallel.shard_group", zero, "parallel.zero1");
    if (foreign_is_true(im, "model.checkpoint") || checkpoint > 0)
        foreign_set(im, "train.recompute", "full", "model.checkpoint");
    if (foreign_is_word(im, "parallel.tensor.mode", "msp fsp"))
        foreign_set(im, "parallel.sp", "true", "parallel.tensor.mode");
    if (foreign_is_word(im, "parallel.tensor.mode", "isp")) /* sequence parallel, the weights gathered by layer */
        import_ask(im->out, "parallel.tp",
                   &(struct asked){"parallel.tensor.mode isp", foreign_text(im, "parallel.tensor.size"), im->tree.file,
                                   0, "--set tp=N", false});
    if (foreign_number(im, "model.num_experts", 1) > 1)
        foreign_set_number(im, "model.moe_router_topk", foreign_number(im, "moe.top_k", 2), "moe.top_k");
    if (foreign_is_word(im, "model_type", "INTERNLM"))
        foreign_set(im, "model.add_qkv_bias", "true", "model_type");
}

static const struct foreign_format evo = {evo_rows, LENGTH(evo_rows), NULL, 0, evo_given, evo_silent, evo_rule};
FOREIGN_READER(internevo_import, evo)

/* ---- OLMo-core: allenai/OLMo-core src/scripts and src/olmo_core at 2026-10, as program.c hands it over ---------- */

static const struct tree_row olmo_core_rows[] = {
    TREE_SIZE("sequence_length", "train.seq_length"), TREE_SIZE("d_model", "model.hidden_size"),
    TREE_SIZE("n_layers", "model.num_layers"), TREE_SIZE("n_heads", "model.num_attention_heads"),
    TREE_SIZE("n_kv_heads", "model.num_query_groups"), TREE_SIZE("tp_config.degree", "parallel.tp"),
    TREE_SIZE("cp_config.degree", "parallel.cp"), TREE_FLAG("compile_model", "framework.compile"),
    TREE_SIZE("num_nodes", "hardware.nodes"),
};
static const struct foreign_fixed olmo_core_silent[] = {
    {"train.dtype", "bf16"}, {"parallel.fsdp", "full"}, {"train.recompute", "none"}, {NULL, NULL}};

/* Batches are counted in tokens. */
static void olmo_core_batch(struct foreign *im, const char *path, const char *key)
{
    double sequences = foreign_number(im, path, NAN) / foreign_number(im, "sequence_length", NAN);
    if (sequences >= 1 && sequences == floor(sequences))
        foreign_set_number(im, key, sequences, path);
    else
        import_ask(im->out, key, &(struct asked){path, "1", im->tree.file, 0, "--set KEY=N", false});
}

static void olmo_core_rule(struct foreign *im)
{
    const char *recipe = foreign_text(im, "recipe");
    char name[FOREIGN_RECIPE];
    assume_framework(im, "OLMo-core", "fsdp2");
    foreign_recipe(recipe, name);
    if (*recipe)
        foreign_set(im, "model", name, "recipe");
    else
        import_ask(im->out, "model.num_layers", &(struct asked){"model", "", im->tree.file, 0, "--model NAME", false});
    olmo_core_batch(im, "rank_microbatch_size", "train.micro_batch_size");
    if (tree_has(&im->tree, "global_batch_size"))
        olmo_core_batch(im, "global_batch_size", "train.global_batch_size");
    foreign_set(im, "parallel.fsdp",
                foreign_is_word(im, "dp_config.name", "ddp")    ? "none"
                : foreign_is_word(im, "dp_config.name", "hsdp") ? "hybrid"
                                                                : "full",
                "dp_config.name");
    if (tree_has(&im->tree, "ac_config.mode"))
        foreign_set(im, "train.recompute", foreign_is_word(im, "ac_config.mode", "full") ? "full" : "selective",
                    "ac_config.mode");
}

static const struct foreign_format olmo_core = {olmo_core_rows,  LENGTH(olmo_core_rows), NULL,          0,
                                                foreign_nothing, olmo_core_silent,       olmo_core_rule};
FOREIGN_READER(olmo_core_import, olmo_core)
