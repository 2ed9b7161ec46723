/*
 * core/reference/tool.c - the analysis tool of 2023, in elements first, then times the bytes of an element.
 *
 * f = 8h/3 rounded down to a multiple of 64, v = vocabulary padded to a multiple of x t, l = L/p rounded down,
 * d = W/p/t, m = GBS/b/d, both rounded down. Parameters of a layer are 7h + 4h^2/t + 3fh/t + 2f, of a GPU that times l
 * plus vh/t + sh, whatever its stage. Activations of a GPU are p (l ((5sbh + 4sbf)/t + 5sbh) + 1.5 sbh); the printed
 * peak is the larger of two candidates, each rounded before.
 */
#include "core/base.h"
#include "core/estimate/term.h"
#include "core/reference/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FLAG(flag, field, kind, need, standard)                                                                       \
    {"inputs." flag, "", REFERENCE_##kind, REFERENCE_##need, 0, offsetof(struct tool_inputs, field), standard}
#define VALUE(path, unit, field)                                                                                      \
    {path, unit, REFERENCE_NUMBER, REFERENCE_NULLABLE, 0, offsetof(struct tool_values, field), 0}
#define SPECIAL(path, unit, kind, count, field)                                                                       \
    {path, unit, REFERENCE_##kind, REFERENCE_NULLABLE, count, offsetof(struct tool_values, field), 0}

static const struct reference_member tool_input_rows[] = {
    FLAG("--num-layers", num_layers, NUMBER, REQUIRED, NAN),
    FLAG("--hidden-size", hidden_size, NUMBER, REQUIRED, NAN),
    FLAG("--num-attention-heads", num_attention_heads, NUMBER, NULLABLE, NAN),
    FLAG("--seq-length", seq_length, NUMBER, REQUIRED, NAN),
    FLAG("--max-position-embeddings", max_position_embeddings, NUMBER, NULLABLE, NAN),
    FLAG("--vocab-entries", vocab_entries, NUMBER, REQUIRED, NAN),
    FLAG("--make_vocab_size_divisible_by", make_vocab_size_divisible_by, NUMBER, REQUIRED, 128),
    FLAG("--micro-batch-size", micro_batch_size, NUMBER, REQUIRED, NAN),
    FLAG("--global-batch-size", global_batch_size, NUMBER, REQUIRED, NAN),
    FLAG("--tensor-model-parallel-size", tensor_parallel, NUMBER, REQUIRED, 1),
    FLAG("--pipeline-model-parallel-size", pipeline_parallel, NUMBER, REQUIRED, 1),
    FLAG("--nproc_per_node", nproc_per_node, NUMBER, REQUIRED, 1),
    FLAG("--nnodes", nnodes, NUMBER, REQUIRED, 1),
    FLAG("--bf16", is_bf16, BOOL, NULLABLE, 0),
    FLAG("--fp16", is_fp16, BOOL, NULLABLE, 0),
    FLAG("--use-flash-attn", is_flash, BOOL, NULLABLE, 0),
    FLAG("--use-distributed-optimizer", is_distributed_optimizer, BOOL, NULLABLE, 0),
    FLAG("--swiglu", is_swiglu, BOOL, NULLABLE, 0),
};

static const struct reference_member tool_value_rows[] = {
    VALUE("derived.world_size", "GPUs", derived.world_size),
    VALUE("derived.data_parallel_size", "", derived.data_parallel_size),
    VALUE("derived.num_micro_batches", "", derived.num_micro_batches),
    VALUE("derived.padded_vocab_size", "", derived.padded_vocab_size),
    VALUE("derived.ffn_hidden_size", "", derived.ffn_hidden_size),
    VALUE("derived.layers_per_stage", "", derived.layers_per_stage),
    VALUE("derived.bytes_per_element", "bytes", derived.bytes_per_element),
    VALUE("full_model.params", "params", full.params),
    VALUE("full_model.param_bytes", "bytes", full.param_bytes),
    VALUE("full_model.grad_bytes", "bytes", full.grad_bytes),
    VALUE("full_model.optimizer_bytes", "bytes", full.optimizer_bytes),
    VALUE("full_model.activation_bytes", "bytes", full.activation_bytes),
    VALUE("full_model.total_bytes", "bytes", full.total_bytes),
    VALUE("full_model.embedding_act_bytes", "bytes", full.embedding_act_bytes),
    VALUE("full_model.layer_act_bytes", "bytes", full.layer_act_bytes),
    VALUE("full_model.word_embedding_bytes", "bytes", full.word_embedding_bytes),
    VALUE("full_model.position_embedding_bytes", "bytes", full.position_embedding_bytes),
    VALUE("full_model.printed_GiB.params", "GiB", full.printed_params),
    VALUE("full_model.printed_GiB.grads", "GiB", full.printed_grads),
    VALUE("full_model.printed_GiB.optimizer", "GiB", full.printed_optimizer),
    VALUE("full_model.printed_GiB.activations", "GiB", full.printed_activations),
    VALUE("full_model.printed_GiB.total", "GiB", full.printed_total),
    VALUE("per_gpu.params_exact", "params", gpu.params_exact),
    VALUE("per_gpu.params_printed", "params", gpu.params_printed),
    VALUE("per_gpu.param_bytes", "bytes", gpu.param_bytes),
    VALUE("per_gpu.grad_bytes", "bytes", gpu.grad_bytes),
    VALUE("per_gpu.optimizer_bytes", "bytes", gpu.optimizer_bytes),
    VALUE("per_gpu.activation_bytes", "bytes", gpu.activation_bytes),
    VALUE("per_gpu.loss_logits_bytes", "bytes", gpu.loss_logits_bytes),
    VALUE("per_gpu.peak_candidate_init_bytes", "bytes", gpu.peak_candidate_init_bytes),
    VALUE("per_gpu.peak_candidate_forward_bytes", "bytes", gpu.peak_candidate_forward_bytes),
    VALUE("per_gpu.peak_bytes", "bytes", gpu.peak_bytes),
    VALUE("per_gpu.printed_GiB.params", "GiB", gpu.printed_params),
    VALUE("per_gpu.printed_GiB.grads", "GiB", gpu.printed_grads),
    VALUE("per_gpu.printed_GiB.optimizer", "GiB", gpu.printed_optimizer),
    VALUE("per_gpu.printed_GiB.activations", "GiB", gpu.printed_activations),
    VALUE("per_gpu.printed_GiB.peak", "GiB", gpu.printed_peak),
    VALUE("pp_comm.cluster_frequency", "", pp.cluster_frequency),
    VALUE("pp_comm.cluster_bytes", "bytes", pp.cluster_bytes),
    VALUE("pp_comm.per_gpu_frequency", "", pp.per_gpu_frequency),
    VALUE("pp_comm.single_message_bytes", "bytes", pp.single_message_bytes),
    VALUE("pp_comm.per_gpu_bytes", "bytes", pp.per_gpu_bytes),
    VALUE("dp_comm.frequency", "", dp.frequency),
    VALUE("dp_comm.summary_bytes", "bytes", dp.summary_bytes),
    VALUE("dp_comm.each_collective_bytes", "bytes", dp.each_collective_bytes),
    VALUE("tp_comm.cluster_frequency", "", tp.cluster_frequency),
    VALUE("tp_comm.cluster_bytes", "bytes", tp.cluster_bytes),
    VALUE("tp_comm.per_gpu_micro_batch_frequency", "", tp.micro_batch_frequency),
    VALUE("tp_comm.per_gpu_micro_batch_bytes", "bytes", tp.micro_batch_bytes),
    VALUE("tp_comm.per_gpu_iteration_frequency", "", tp.iteration_frequency),
    VALUE("tp_comm.per_gpu_iteration_bytes", "bytes", tp.iteration_bytes),
    VALUE("all_comm.frequency", "", all.frequency),
    VALUE("all_comm.bytes", "bytes", all.bytes),
    SPECIAL("summary_printed.frequency", "", NUMBER, TOOL_COMM_COUNT, printed.frequency),
    SPECIAL("summary_printed.GiB", "GiB", NUMBER, TOOL_COMM_COUNT, printed.gib),
    SPECIAL("summary_printed.order", "", WORD, TOOL_COMM_COUNT, printed.order),
    SPECIAL("stages", "", STAGES, 0, stages),
    SPECIAL("tp_groups", "", GROUPS, 0, tp_groups),
    SPECIAL("pp_groups", "", GROUPS, 0, pp_groups),
    SPECIAL("dp_groups", "", GROUPS, 0, dp_groups),
};

enum { WORLD_MAX = 1 << 17 }; /* GPUs; their groups are listed */

/* What each element type costs: gradients, optimizer and the candidates of the peak, in elements per parameter. */
struct type_costs {
    double gradient, optimizer; /* optimizer states are divided by d */
    double first, first_shared; /* the first candidate beside weights and gradients; the shared part is divided by d */
    double logit, traffic;      /* per logit with one stage; of the data-parallel exchange */
};

static const struct type_costs costs_bf16 = {2, 6, 2, 2, 5, 4};
static const struct type_costs costs_fp16 = {1, 8, 2, 2, 2, 2};
static const struct type_costs costs_fp32 = {1, 2, 1, 1, 2, 2};

/* The tool's letters. */
struct letters {
    double L, h, s, b, t, p, d, m, f, v, l, W;
    double bytes; /* of an element */
    double sbh;
    const struct type_costs *costs;
};

/* `bytes` in units of `unit` bytes, rounded as the tool prints them (half to even at the exact value). */
static double tool_round(double bytes, double unit, int decimals)
{
    char text[400];
    snprintf(text, sizeof text, "%.*f", decimals, bytes / unit);
    return strtod(text, NULL);
}

static void check_switches(const struct tool_inputs *in, struct reference_answer *out)
{
    if (!(in->is_flash > 0))
        reference_refuse(out, "flash_attention_required",
                         "--use-flash-attn is not set; the tool supports nothing else");
    if (!(in->is_distributed_optimizer > 0))
        reference_refuse(out, "distributed_optimizer_required",
                         "--use-distributed-optimizer is not set; the tool supports nothing else");
    if (!(in->is_swiglu > 0))
        reference_refuse(out, "swiglu_required", "--swiglu is not set; the tool supports nothing else");
}

static void check_layout(const struct letters *y, struct reference_answer *out)
{
    if (y->W > WORLD_MAX)
        reference_refuse(out, "input_out_of_range", "%g GPUs are more than %d, whose groups would be listed", y->W,
                         WORLD_MAX);
    if (y->d < 1)
        reference_refuse(out, "division_by_zero", "%g GPUs are fewer than tensor x pipeline parallel = %g", y->W,
                         y->t * y->p);
}

static void set_letters(const struct tool_inputs *in, struct letters *y)
{
    y->L = in->num_layers, y->h = in->hidden_size, y->s = in->seq_length, y->b = in->micro_batch_size;
    y->t = in->tensor_parallel, y->p = in->pipeline_parallel;
    y->W = in->nproc_per_node * in->nnodes;
    y->d = floor(floor(y->W / y->p) / y->t);
    y->m = y->d < 1 ? 0 : floor(floor(in->global_batch_size / y->b) / y->d);
    y->f = trunc(4 * y->h * 2 / 3 / 64) * 64;
    double multiple = in->make_vocab_size_divisible_by * y->t;
    y->v = ceil(in->vocab_entries / multiple) * multiple;
    y->l = floor(y->L / y->p);
    y->bytes = in->is_bf16 > 0 || in->is_fp16 > 0 ? 2 : 4;
    y->costs = in->is_bf16 > 0 ? &costs_bf16 : in->is_fp16 > 0 ? &costs_fp16 : &costs_fp32;
    y->sbh = y->s * y->b * y->h;
}

static void set_derived(const struct letters *y, struct tool_values *v)
{
    v->derived.world_size = y->W;
    v->derived.data_parallel_size = y->d;
    v->derived.num_micro_batches = y->m;
    v->derived.padded_vocab_size = y->v;
    v->derived.ffn_hidden_size = y->f;
    v->derived.layers_per_stage = y->l;
    v->derived.bytes_per_element = y->bytes;
}

static void set_full_model(const struct letters *y, struct tool_values *v)
{
    double h = y->h, f = y->f, s = y->s, b = y->b, n = y->bytes;
    double params = y->v * h + s * h + (7 * h + 4 * h * h + 3 * f * h + 2 * f) * y->L;
    double activations = y->L * (10 * y->sbh + 4 * s * b * f) + 1.5 * y->sbh + 4.5 * s * b * y->v;
    v->full.params = params;
    v->full.param_bytes = n * params;
    v->full.grad_bytes = n * params * y->costs->gradient;
    v->full.optimizer_bytes = n * params * y->costs->optimizer;
    v->full.activation_bytes = n * activations;
    v->full.total_bytes = v->full.param_bytes + v->full.grad_bytes + v->full.optimizer_bytes + v->full.activation_bytes;
    v->full.embedding_act_bytes = n * 1.5 * y->sbh;
    v->full.layer_act_bytes = n * (10 * y->sbh + 4 * s * b * f);
    v->full.word_embedding_bytes = n * y->v * h;
    v->full.position_embedding_bytes = n * s * h;
    v->full.printed_params = tool_round(v->full.param_bytes, GIB, 1);
    v->full.printed_grads = tool_round(v->full.grad_bytes, GIB, 1);
    v->full.printed_optimizer = tool_round(v->full.optimizer_bytes, GIB, 1);
    v->full.printed_activations = tool_round(v->full.activation_bytes, GIB, 1);
    v->full.printed_total = tool_round(v->full.total_bytes, GIB, 1);
}

static double params_of_gpu(const struct letters *y)
{
    double h = y->h, t = y->t, f = y->f;
    return y->v * h / t + y->s * h + (7 * h + 4 * h * h / t + 3 * f * h / t + 2 * f) * y->l;
}

static double activations_of_gpu(const struct letters *y)
{
    double layer = (5 * y->sbh + 4 * y->s * y->b * y->f) / y->t + 5 * y->sbh;
    return (y->l * layer + 1.5 * y->sbh) * y->p;
}

static void set_gpu(const struct letters *y, struct tool_values *v)
{
    const struct type_costs *c = y->costs;
    double P = params_of_gpu(y), A = activations_of_gpu(y), n = y->bytes;
    double logits = y->p == 1 ? c->logit * y->s * y->b * y->v / y->t : 0;
    v->gpu.params_exact = P;
    v->gpu.params_printed = trunc(P);
    v->gpu.param_bytes = n * P;
    v->gpu.grad_bytes = n * P * c->gradient;
    v->gpu.optimizer_bytes = n * (P * c->optimizer / y->d);
    v->gpu.activation_bytes = n * A;
    v->gpu.loss_logits_bytes = n * logits;
    v->gpu.peak_candidate_init_bytes = n * (P * (1 + c->gradient + c->first_shared / y->d + c->first));
    v->gpu.peak_candidate_forward_bytes = n * (P * (1 + c->gradient + c->optimizer / y->d) + A + logits);
    v->gpu.peak_bytes = max(v->gpu.peak_candidate_init_bytes, v->gpu.peak_candidate_forward_bytes);
    v->gpu.printed_params = tool_round(v->gpu.param_bytes, GIB, 1);
    v->gpu.printed_grads = tool_round(v->gpu.grad_bytes, GIB, 1);
    v->gpu.printed_optimizer = tool_round(v->gpu.optimizer_bytes, GIB, 1);
    v->gpu.printed_activations = tool_round(v->gpu.activation_bytes, GIB, 1);
    v->gpu.printed_peak = max(tool_round(v->gpu.peak_candidate_init_bytes, GIB, 1),
                              tool_round(v->gpu.peak_candidate_forward_bytes, GIB, 1));
}

/* Four messages a GPU and micro-batch for the pipeline, four all-reduces a layer for tensor parallelism. */
static void set_traffic(const struct letters *y, struct tool_values *v)
{
    double message = y->bytes * y->sbh, pp = y->p == 1 ? 0 : 1, tp = y->t == 1 ? 0 : 1, dp = y->d == 1 ? 0 : 1;
    v->pp.per_gpu_frequency = pp * y->m * 4;
    v->pp.cluster_frequency = y->W * v->pp.per_gpu_frequency;
    v->pp.single_message_bytes = pp * message;
    v->pp.per_gpu_bytes = v->pp.per_gpu_frequency * message;
    v->pp.cluster_bytes = v->pp.cluster_frequency * message;
    v->tp.micro_batch_frequency = tp * 4 * y->l;
    v->tp.iteration_frequency = v->tp.micro_batch_frequency * y->m;
    v->tp.cluster_frequency = v->tp.iteration_frequency * y->W;
    v->tp.micro_batch_bytes = v->tp.micro_batch_frequency * message;
    v->tp.iteration_bytes = v->tp.iteration_frequency * message;
    v->tp.cluster_bytes = v->tp.cluster_frequency * message;
    v->dp.frequency = dp * 2;
    v->dp.summary_bytes = y->bytes * v->gpu.params_exact * y->costs->traffic;
    v->dp.each_collective_bytes = dp * v->dp.summary_bytes / 2;
    v->all.frequency = v->pp.cluster_frequency + v->dp.frequency + v->tp.cluster_frequency;
    v->all.bytes = v->pp.cluster_bytes + v->dp.summary_bytes + v->tp.cluster_bytes;
}

static void set_summary(struct tool_values *v)
{
    static const char *const order[TOOL_COMM_COUNT] = {"pp", "dp", "tp", "all"};
    const double frequency[] = {v->pp.cluster_frequency, v->dp.frequency, v->tp.cluster_frequency, v->all.frequency};
    const double bytes[] = {v->pp.cluster_bytes, v->dp.summary_bytes, v->tp.cluster_bytes, v->all.bytes};
    for (int i = 0; i < TOOL_COMM_COUNT; i++) {
        v->printed.order[i] = order[i];
        v->printed.frequency[i] = frequency[i];
        v->printed.gib[i] = tool_round(bytes[i], GIB, 1);
    }
}

static void set_groups(const struct letters *y, double per_node, struct tool_values *v)
{
    long long W = (long long)y->W, t = (long long)y->t, p = (long long)y->p, n = (long long)per_node, stage = W / p;
    v->stages = (struct reference_stages){p, (long long)y->l, stage, n};
    v->tp_groups = (struct reference_groups){W / t, 1, t, 1, n};
    v->pp_groups = (struct reference_groups){stage, stage, W, stage, n};
    v->dp_groups = (struct reference_groups){p * t, t, stage, t, n};
}

static void analyze(const struct reference_inputs *in, struct reference_answer *out)
{
    struct letters y;
    struct tool_values *v = &out->values.tool;
    check_switches(&in->of.tool, out);
    reference_require_counts(out, tool_input_rows, LENGTH(tool_input_rows), &in->of.tool);
    if (out->rule)
        return;
    set_letters(&in->of.tool, &y);
    check_layout(&y, out);
    if (out->rule)
        return;
    set_derived(&y, v);
    set_full_model(&y, v);
    set_gpu(&y, v);
    set_traffic(&y, v);
    set_summary(v);
    set_groups(&y, in->of.tool.nproc_per_node, v);
}

const struct reference_function tool_analyze = {
    .estimator = REFERENCE_TOOL, .name = "analyze", .help = "memory and traffic of one training layout",
    .inputs = tool_input_rows, .input_count = LENGTH(tool_input_rows),
    .values = tool_value_rows, .value_count = LENGTH(tool_value_rows),
    .compute = analyze,
};
