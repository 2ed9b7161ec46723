/*
 * Says whether a changed core gives another number. `figures write FILE` draws valid plans and keeps them with every
 * figure that `explain` opens; `figures compare FILE` estimates the same plans again up to the first with a figure that
 * changes by more than 0.1 %, and prints it.
 */
#include "tests/check.h"

#include "core/explain/explain.h"

enum { PLANS = 400 };

/* What the random plans of tests/check.h leave alone; each plan takes up to four of them. */
static const char *const extras[] = {
    "qk_norm=head", "qk_norm=full", "sliding_window=1024", "sliding_window=512 sliding_window_every=6",
    "norms_per_layer=4", "norms_per_layer=1", "norms_per_layer=3", "embedding_norm=true", "attention_sinks=true",
    "output_bias=true", "add_qkv_bias=true", "add_bias_linear=true", "normalization=layernorm",
    "tied_embeddings=true", "tied_embeddings=false", "attention_dropout=0.1", "hidden_dropout=0.1", "q_lora_rank=0",
    "moe_shared_ffn_hidden_size=4096", "moe_shared_expert_gate=true", "moe_capacity_factor=1.25", "moe_imbalance=1.5",
    "mtp_num_layers=1", "moe_dispatcher=allgather", "moe_layer_freq=2", "moe_first_dense=2", "cp=2 cp_comm=a2a",
    "cp=4 cp_comm=all_gather", "cp=2 cp_comm=p2p overlap_cp=true", "overlap_tp=true", "overlap_p2p=true",
    "overlap_grad_reduce=true", "overlap_param_gather=true overlap_grad_reduce=true", "order=tp-cp-ep-pp-dp",
    "schedule=zb-h1", "schedule=zb-h2", "schedule=dualpipe", "schedule=zb-v vpp=2", "schedule=gpipe",
    "pp=2 vpp=2 microbatch_group=4", "pp=4 vpp=2", "pp=2", "zero_stage=1", "zero_stage=2", "zero_stage=3",
    "shard_group=2", "zero_stage=1 shard_group=2", "fsdp=hybrid shard_group=2", "fsdp=shard_grad_op",
    "fsdp_prefetch=false", "dtype=fp8", "dtype=mxfp8", "dtype=fp8 fp8_param_gather=true", "dtype=fp32", "dtype=fp16",
    "grad_dtype=bf16", "main_param_dtype=bf16", "optimizer_dtype=bf16", "optimizer=adam8bit", "optimizer=adafactor",
    "optimizer=sgd", "cross_entropy=te_fused", "cross_entropy=native_fused", "cross_entropy=chunked",
    "te_version=2.18 cross_entropy=te_fused", "attention=unfused", "attention_kernel=fa2", "attention_kernel=triton",
    "fused_glu=false", "fused_glu=true", "recompute=full", "recompute=full recompute_num_layers=4",
    "recompute=full recompute_method=block recompute_num_layers=2", "recompute=selective",
    "recompute=selective recompute_modules=[core_attn,mlp]", "recompute=selective recompute_modules=[moe]",
    "recompute=selective recompute_modules=[moe_act,layernorm,shared_experts]",
    "recompute=selective recompute_modules=[mla_up_proj]", "mlp_activation_quant_bits=8", "mlp_1linear_quant_bits=4",
    "mlp_gelu_input_quant_bits=4", "mlp_2linear_quant_bits=4", "mlp_recompute_gelu=true", "offload_optimizer=0.5",
    "offload_params=0.5", "offload_activations=0.5", "transformer_impl=local", "gradient_accumulation_fusion=false",
    "defer_embedding_wgrad=true", "defer_embedding_wgrad=true defer_embedding_wgrad_limit=2",
    "create_attention_mask=true", "deterministic=true", "p2p_scatter_gather=true", "gather_logits=true",
    "moe_grouped_gemm=false", "tp_mode=reduce_scatter", "tp_mode=reduce_scatter tp_async=true",
    "tp_mode=reduce_scatter tp_recompute_allgather=false", "zero_reduce_bucket_elements=1e6",
    "zero_max_live_params=1e8", "partition_activations=true", "accumulate_grad_fp32=true",
    "accumulate_grad_fp32=false", "compile=true", "nvlink_domain=72", "fixed_overhead_ms=20",
    "total_tokens=1e12 storage_gb_s=100", "measured_iteration_s=7", "micro_batch_size=2", "seq_length=2048",
    "embedding_counts_as_layer=true loss_counts_as_layer=true", "first_stage_layers=4", "framework.name=fsdp2",
    "framework.name=deepspeed", "framework.name=nanotron", "framework.name=nanotron-203",
    "framework.name=deepspeed zero_stage=3", "framework.name=fsdp2 recompute=selective", "dp=8",
};

static const char *const served[] = {
    "prompt_tokens=64", "prompt_tokens=2000", "prompt_tokens=8192", "generate_tokens=1000", "batch_size=4",
    "batch_size=64", "weight_dtype=fp8", "weight_dtype=nvfp4", "kv_dtype=fp8", "memory_share=0.5", "sliding_window=256",
    "sliding_window=256 sliding_window_every=6",
};

static void an_a100(struct gpu *gpu)
{
    gpu->compute_capability = 8;
    gpu->memory_gb_s = 2039;
    gpu->tflops_fp32 = 19.5;
    gpu->tflops_bf16 = gpu->tflops_fp16 = 312;
    gpu->tflops_fp8 = NAN;
    gpu->intra_node_gb_s = 300;
    gpu->inter_node_gb_s = 25;
}

/* Adds settings that name known keys and fit; the rest of the words is left out. */
static void add(struct plan *plan, const char *settings)
{
    char text[256], why[PARAM_WHY_MAX], *rest = NULL;
    snprintf(text, sizeof text, "%s", settings);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        int id = param_find(word);
        if (id < 0 || param_parse(plan, (enum param)id, value, FROM_SET, false, why) != 0)
            fprintf(stderr, "figures: %s=%s is no setting any more\n", word, value);
    }
}

static bool is_valid(const struct plan *plan)
{
    struct plan resolved;
    struct symbols symbols;
    plan_resolve(plan, &resolved);
    return check_allows(&resolved, &symbols);
}

static void draw(struct check_random *random, struct plan *plan)
{
    check_random_plan(random, plan);
    struct plan tried = *plan;
    if (check_below(random, 4) == 0)
        an_a100(&tried.gpu);
    if (check_below(random, 8) == 0) {
        add(&tried, "workload=inference");
        for (int i = check_below(random, 5); i > 0; i--)
            add(&tried, check_pick(random, served, COUNT(served)));
    }
    if (is_valid(&tried))
        *plan = tried;
    for (int i = check_below(random, 7); i > 0; i--) {
        tried = *plan;
        add(&tried, check_pick(random, extras, COUNT(extras)));
        if (is_valid(&tried))
            *plan = tried;
    }
}

/* ---- figures of a plan ------------------------------------------------------------------------------------------ */

struct reader {
    const struct estimate *estimate;
    FILE *file;
    bool writes;
    double worst; /* largest relative change, 2 where a figure appears, goes or becomes unknown */
    char worst_path[EXPLAIN_PATH_MAX];
    double before, after;
};

/* What nobody would see: less of a unit than this. */
static double floor_of(const char *unit)
{
    return strcmp(unit, "bytes") == 0 ? 4096 : strcmp(unit, "s") == 0 ? 1e-7 : strcmp(unit, "FLOP") == 0 ? 1e6 : 1e-12;
}

static double change_of(double before, double after, const char *unit)
{
    if (isnan(before) || isnan(after))
        return isnan(before) && isnan(after) ? 0 : 2;
    if (before == after || fabs(before - after) < floor_of(unit))
        return 0;
    return fabs(before - after) / fmax(fabs(before), fabs(after));
}

static void note(struct reader *r, const char *path, double before, double after, double change)
{
    if (!(change > r->worst))
        return;
    r->worst = change;
    r->before = before;
    r->after = after;
    snprintf(r->worst_path, sizeof r->worst_path, "%s", path);
}

static void each(void *context, const char *path)
{
    struct reader *r = context;
    struct explanation figure;
    double before = NAN, value = explain_value(r->estimate, path, &figure) == 0 ? figure.value : NAN;
    if (r->writes)
        fwrite(&value, sizeof value, 1, r->file);
    else if (fread(&before, sizeof before, 1, r->file) == 1)
        note(r, path, before, value, change_of(before, value, figure.unit));
}

int main(int argc, char **argv)
{
    static struct plan plan;
    static struct estimate estimate;
    struct check_random random = {20261121};
    if (argc != 3)
        return 2;
    bool writes = strcmp(argv[1], "write") == 0;
    struct reader r = {.estimate = &estimate, .file = fopen(argv[2], writes ? "wb" : "rb"), .writes = writes};
    if (!r.file)
        return 2;
    for (int i = 0; i < PLANS && r.worst <= 1e-3; i++) {
        long at, end = 0;
        if (r.writes) {
            draw(&random, &plan);
            fwrite(&plan, sizeof plan, 1, r.file);
        } else if (fread(&plan, sizeof plan, 1, r.file) != 1 || fread(&end, sizeof end, 1, r.file) != 1) {
            return 2;
        }
        at = ftell(r.file);
        if (r.writes)
            fwrite(&end, sizeof end, 1, r.file);
        estimate_plan(&plan, &estimate);
        explain_paths(&estimate, each, &r);
        if (r.writes) {
            end = ftell(r.file);
            fseek(r.file, at, SEEK_SET);
            fwrite(&end, sizeof end, 1, r.file);
            fseek(r.file, end, SEEK_SET);
        } else if (ftell(r.file) != end) {
            note(&r, "the list of figures", 0, 0, 2);
            fseek(r.file, end, SEEK_SET);
        }
    }
    fclose(r.file);
    printf("%g %s %.9g %.9g\n", r.worst, r.worst > 0 ? r.worst_path : "-", r.before, r.after);
    return 0;
}
