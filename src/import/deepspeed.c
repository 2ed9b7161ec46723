#include "src/import/deepspeed.h"

#include "core/base.h"
#include "core/plan/plan.h"
#include "src/import/sibling_files.h"
#include "src/import/import.h"
#include "src/import/table.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "src/text/keyval.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* One import under way. */
struct deepspeed {
    struct tree tree;
    struct import *out;
    double replicas, hidden; /* of the plan; NAN where unknown */
    size_t faults;           /* before this import */
};

#define ZERO "zero_optimization."

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static const struct tree_choice accumulate_choice[] = {
    {"fp32", "true"}, {"fp16", "false"}, {"bf16", "false"}, {NULL, NULL}};

static const struct tree_row rows[] = {
    {"optimizer.type", "train.optimizer", TREE_AS(DEEPSPEED)},
    {"data_types.grad_accum_dtype", "framework.accumulate_grad_fp32", TREE_CHOICE, accumulate_choice},
    {"activation_checkpointing.partition_activations", "framework.partition_activations", TREE_BOOL, NULL},
    {"tensor_parallel.autotp_size", "parallel.tp", TREE_WHOLE, NULL},
    {ZERO "overlap_comm", "parallel.overlap_grad_reduce", TREE_BOOL, NULL},
};

/* What a template leaves open. */
static const struct tree_row open_rows[] = {
    TREE_SIZE("train_micro_batch_size_per_gpu", "train.micro_batch_size"),
    TREE_SIZE("train_batch_size", "train.global_batch_size"),
    TREE_SIZE("gradient_accumulation_steps", "train.gradient_accumulation_steps"),
    TREE_SIZE(ZERO "stage", "parallel.zero_stage"), TREE_FLAG("fp16.enabled", "train.dtype"),
    TREE_FLAG("bf16.enabled", "train.dtype"),
};

/*
 * Sizes that may be "auto", and what Hugging Face's Trainer then puts there: `squares` x hidden_size^2 or `times` x it.
 */
static const struct {
    const char *path, *key;
    double squares, times;
} size_rows[] = {
    {ZERO "reduce_bucket_size", "framework.zero_reduce_bucket_elements", 1, 0},
    {ZERO "allgather_bucket_size", "framework.zero_allgather_bucket_elements", 0, 0},
    {ZERO "stage3_prefetch_bucket_size|zero_optimization.prefetch_bucket_size",
     "framework.zero_prefetch_bucket_elements", 0.9, 0},
    {ZERO "stage3_param_persistence_threshold|zero_optimization.param_persistence_threshold",
     "framework.zero_persistence_threshold", 0, 10},
    {ZERO "stage3_max_live_parameters|zero_optimization.max_live_parameters", "framework.zero_max_live_params", 0, 0},
};

/* Switches that change what training needs and have no counterpart here. */
static const char *const unmodelled[] = {
    ZERO "zero_quantized_weights", ZERO "zero_quantized_gradients", ZERO "zero_quantized_nontrainable_weights",
    "sparse_attention", "compression_training", "hybrid_engine.enabled", "quantize_training.enabled",
    "progressive_layer_drop.enabled", "curriculum_learning.enabled", "expert_parallel.enabled",
};

/* ---- helpers ---------------------------------------------------------------------------------------------------- */

static void set(struct deepspeed *im, const char *key, const char *value, int line)
{
    keyvals_add(&im->out->settings, key, value, line);
}

/* The value at one of several paths; NULL where it is absent, null or "auto". */
static const struct tree_value *look(struct deepspeed *im, const char *paths)
{
    const struct tree_value *value = tree_first(&im->tree, "", paths);
    return value && strcasecmp(value->text, "auto") != 0 ? value : NULL;
}

static bool is_on(struct deepspeed *im, const char *path)
{
    const struct tree_value *value = look(im, path);
    bool is = false;
    return value && tree_bool(&im->tree, value, &is) && is;
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

/* A size of the batch: a whole number from 1 on; 0 where it is absent, "auto", or wrong, which is said. */
static double batch_size(struct deepspeed *im, const char *path)
{
    const struct tree_value *value = look(im, path);
    double n = 0;
    if (!value || !tree_number(&im->tree, value, &n) || (n >= 1 && n == floor(n)))
        return n;
    tree_refuse(&im->tree, value, "%s is not a whole number above 0", value->text);
    return 0;
}

#define TRAIN "train_batch_size"
#define MICRO "train_micro_batch_size_per_gpu"
#define STEPS "gradient_accumulation_steps"

/* With all three sizes the number of replicas follows; otherwise they need it. */
static void complete_batch(struct deepspeed *im, double train, double micro, double steps)
{
    struct keyvals *out = &im->out->settings;
    double d = im->replicas;
    if (train && micro && steps) {
        if (fmod(train, micro * steps) != 0) {
            errors_warn(im->tree.errors, im->tree.file, tree_line(&im->tree, TRAIN), TRAIN,
                        "%.0f is not a multiple of " MICRO " x " STEPS " = %.0f x %.0f; all three are ignored", train,
                        micro, steps);
            return;
        }
        if (d != train / (micro * steps))
            errors_note(im->tree.errors, im->tree.file, tree_line(&im->tree, TRAIN), TRAIN,
                        "the three batch sizes need parallel.dp %.0f, which is set", train / (micro * steps));
        keyvals_number(out, "parallel.dp", train / (micro * steps), tree_line(&im->tree, TRAIN));
    } else if (train && steps && d > 0 && fmod(train, steps * d) == 0) {
        micro = train / (steps * d);
    } else if (micro && !train && d > 0) {
        train = micro * (steps ? steps : 1) * d;
    } else if (train && steps) {
        tree_note(&im->tree, TRAIN,
                  "the micro-batch depends on the number of replicas; give train.micro_batch_size with --set");
    } else if (micro && !train) {
        keyvals_number(out, "train.gradient_accumulation_steps", steps ? steps : 1, tree_line(&im->tree, STEPS));
    }
    if (micro)
        keyvals_number(out, "train.micro_batch_size", micro, tree_line(&im->tree, MICRO));
    if (train)
        keyvals_number(out, "train.global_batch_size", train,
                       tree_line(&im->tree, tree_line(&im->tree, TRAIN) ? TRAIN : MICRO));
}

static void read_batch(struct deepspeed *im)
{
    double train = batch_size(im, TRAIN), micro = batch_size(im, MICRO), steps = batch_size(im, STEPS);
    if (train && !micro && !steps)
        steps = 1; /* DeepSpeed then takes one step for each global batch */
    complete_batch(im, train, micro, steps);
}

static void read_dtype(struct deepspeed *im)
{
    bool is_fp16 = is_on(im, "fp16.enabled"), is_bf16 = is_on(im, "bf16.enabled") || is_on(im, "bfloat16.enabled");
    bool is_open = tree_has(&im->tree, "fp16") || tree_has(&im->tree, "bf16") || tree_has(&im->tree, "bfloat16") ||
                   is_on(im, "amp.enabled") || is_on(im, "torch_autocast.enabled");
    if (is_fp16 && is_bf16)
        errors_warn(im->tree.errors, im->tree.file, tree_line(&im->tree, "bf16.enabled"), "bf16.enabled",
                    "fp16 and bf16 are both enabled; both are ignored");
    else if (is_fp16 || is_bf16)
        set(im, "train.dtype", is_fp16 ? "fp16" : "bf16",
            tree_line(&im->tree, is_fp16 ? "fp16.enabled" : "bf16.enabled"));
    else if (!is_open)
        keyvals_add(&im->out->defaults, "train.dtype", "fp32", 0);
}

/* The share of the states on a device other than the GPU; `ratio` may be NULL. */
static void read_offload(struct deepspeed *im, const char *device, const char *ratio, const char *key)
{
    const struct tree_value *value = look(im, device);
    const struct tree_value *share = ratio ? look(im, ratio) : NULL;
    double part = 1;
    if (!value || strcasecmp(value->text, "none") == 0)
        return;
    if (strcasecmp(value->text, "nvme") == 0)
        tree_note(&im->tree, device, "NVMe offload is not modelled; using host memory");
    if (!share || tree_number(&im->tree, share, &part))
        keyvals_number(&im->out->settings, key, part, value->line);
}

/* The stage: a number, or in old files true for stage 1. */
static double read_stage(struct deepspeed *im)
{
    const struct tree_value *whole = tree_find(&im->tree, "zero_optimization");
    const struct tree_value *value = look(im, ZERO "stage");
    const struct tree_value *open = tree_peek(&im->tree, ZERO "stage");
    double stage = 0;
    bool is = false;
    if (open && !value)
        return NAN; /* the program fills it in */
    if (whole) {
        if (!tree_bool(&im->tree, whole, &is))
            return NAN;
        stage = is;
    } else if (value && !tree_number(&im->tree, value, &stage)) {
        return NAN;
    }
    if (stage >= 0 && stage <= 3 && stage == floor(stage)) {
        keyvals_number(&im->out->settings, "parallel.zero_stage", stage, whole ? whole->line : value ? value->line : 0);
        return stage;
    }
    tree_refuse(&im->tree, value, "invalid ZeRO stage %g (0, 1, 2 or 3)", stage);
    return NAN;
}

static void read_sizes(struct deepspeed *im)
{
    for (size_t i = 0; i < LENGTH(size_rows); i++) {
        const struct tree_value *value = tree_first(&im->tree, "", size_rows[i].path);
        double h = im->hidden, n = floor(size_rows[i].squares * h * h + size_rows[i].times * h);
        if (!value)
            continue;
        bool is_auto = strcasecmp(value->text, "auto") == 0;
        if (is_auto && !(n > 0)) { /* plan_settle_auto() reads it again */
            im->out->has_auto |= size_rows[i].squares + size_rows[i].times > 0;
            continue;
        }
        if (is_auto || tree_number(&im->tree, value, &n))
            keyvals_number(&im->out->settings, size_rows[i].key, fmin(n, 1e15), value->line);
    }
}

static void read_zero(struct deepspeed *im)
{
    double stage = read_stage(im);
    read_offload(im, ZERO "offload_optimizer.device", ZERO "offload_optimizer.ratio", "train.offload_optimizer");
    read_offload(im, ZERO "offload_param.device", NULL, "train.offload_params");
    if (is_on(im, ZERO "cpu_offload"))
        set(im, "train.offload_optimizer", "1", tree_line(&im->tree, ZERO "cpu_offload"));
    if (is_on(im, ZERO "cpu_offload_params"))
        set(im, "train.offload_params", "1", tree_line(&im->tree, ZERO "cpu_offload_params"));
    read_sizes(im);
    const struct tree_value *group = look(im, ZERO "mics_shard_size");
    double size = 0;
    if (group && tree_number(&im->tree, group, &size) && size > 0)
        keyvals_number(&im->out->settings, "parallel.shard_group", size, group->line);
    const struct tree_value *second = look(im, ZERO "zero_hpz_partition_size");
    if (second && tree_number(&im->tree, second, &size) && size > 1)
        tree_note(&im->tree, second->path, "a second copy of the weights inside a node is not modelled");
    keyvals_add(&im->out->defaults, "parallel.overlap_grad_reduce", stage == 3 ? "true" : "false", 0);
}

static void read_checkpointing(struct deepspeed *im)
{
    if (is_on(im, "activation_checkpointing.cpu_checkpointing"))
        set(im, "train.offload_activations", "1", tree_line(&im->tree, "activation_checkpointing.cpu_checkpointing"));
    if (tree_has(&im->tree, "activation_checkpointing"))
        tree_note(&im->tree, "activation_checkpointing",
             "configures how checkpoints are stored; the training program decides whether layers are recomputed, so "
             "set "
             "train.recompute");
}

static void note_unmodelled(struct deepspeed *im)
{
    for (size_t i = 0; i < LENGTH(unmodelled); i++) {
        const struct tree_value *value = look(im, unmodelled[i]);
        bool is = value ? tree_is_true(value) : tree_has(&im->tree, unmodelled[i]);
        if (is)
            tree_warn(&im->tree, unmodelled[i], IMPORT_NOT_MODELLED);
    }
}

/* Drops "auto", which the program fills in, from what the tables would read. */
static void drop_auto(struct deepspeed *im)
{
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct tree_value *value = tree_peek(&im->tree, rows[i].path);
        if (value && strcasecmp(value->text, "auto") == 0)
            for (size_t k = 0; k < im->tree.count; k++)
                if (&im->tree.item[k] == value)
                    im->tree.item[k].is_null = im->tree.item[k].is_used = true;
    }
}

static int import_config(struct deepspeed *im)
{
    set(im, "framework.name", "deepspeed", 0);
    drop_auto(im);
    tree_ask_open(&im->tree, open_rows, LENGTH(open_rows), false, im->out);
    tree_apply(&im->tree, "", rows, LENGTH(rows), im->out);
    read_batch(im);
    read_dtype(im);
    read_zero(im);
    read_checkpointing(im);
    note_unmodelled(im);
    tree_unused(&im->tree, "", IMPORT_NO_EFFECT, im->out);
    return im->tree.errors->faults > im->faults ? -1 : 0;
}

/* The number of data-parallel replicas and the hidden size of the plan, with tensor parallelism as the file has it. */
static void take_base(struct deepspeed *im, const struct plan *base)
{
    struct plan resolved, candidate;
    im->replicas = im->hidden = NAN;
    if (!base)
        return;
    candidate = *base;
    const struct tree_value *tp = tree_peek(&im->tree, "tensor_parallel.autotp_size");
    double size;
    struct errors ignored = {0}, *errors = im->tree.errors;
    im->tree.errors = &ignored; /* a wrong size is said where it is read */
    if (tp && tree_number(&im->tree, tp, &size) && size >= 1)
        candidate.value[PARAM_parallel_tp] = size;
    im->tree.errors = errors;
    errors_free(&ignored);
    plan_resolve(&candidate, &resolved);
    bool is_counted = candidate.value[PARAM_parallel_dp] > 0 || !isnan(resolved.value[PARAM_hardware_gpus_per_node]);
    im->replicas = is_counted ? resolved.value[PARAM_parallel_dp] : NAN;
    im->hidden = resolved.value[PARAM_model_hidden_size];
}

int deepspeed_import(const char *text, size_t size, const char *name, const struct plan *base,
                     struct import *out, struct errors *errors)
{
    struct deepspeed im = {.out = out, .faults = errors->faults};
    int result = tree_read(text, size, name, tree_format(text, size), TREE_LENIENT, &im.tree, errors);
    if (result == 0) {
        take_base(&im, base);
        result = import_config(&im);
    }
    tree_free(&im.tree);
    return result;
}

/* ---- beside a program's own settings ---------------------------------------------------------------------------- */

static bool is_sharding(const char *key)
{
    static const char *const keys[] = {"parallel.zero_stage", "parallel.shard_group", "parallel.overlap_grad_reduce",
                                       "train.offload_optimizer", "train.offload_params", "train.offload_activations"};
    for (size_t i = 0; i < LENGTH(keys); i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return strncmp(key, "framework.zero_", strlen("framework.zero_")) == 0;
}

static void take_sharding(const struct keyvals *from, struct keyvals *to)
{
    for (size_t i = 0; i < from->count; i++)
        if (is_sharding(from->item[i].key))
            keyvals_add(to, from->item[i].key, from->item[i].value, 0);
}

bool deepspeed_beside(const char *name, struct import *out)
{
    struct import import = {0};
    struct errors unheard = {0}; /* of what the program decides */
    size_t size;
    char *text = beside_read(out, name, &size);
    bool is_read = text && deepspeed_import(text, size, name, out->base, &import, &unheard) == 0;
    if (is_read) {
        take_sharding(&import.settings, &out->settings);
        take_sharding(&import.defaults, &out->defaults);
        keyvals_join(&out->unread, &import.unread);
    }
    out->has_auto |= import.has_auto;
    errors_free(&unheard);
    import_free(&import);
    free(text);
    return is_read;
}
