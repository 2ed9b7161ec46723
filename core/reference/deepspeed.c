/*
 * core/reference/deepspeed.c - DeepSpeed's memory-need functions.
 *
 * T parameters, LL = 4 x largest layer, N GPUs in all, n GPUs in a node, bf the additional buffer factor; bytes are cut
 * to whole numbers.
 *   ZeRO-2   gpu: 2T offloaded, else 2T + [18T/N]          cpu: T max(4N, 16) bf offloaded, else 4T n bf
 *   ZeRO-3   gpu: LL all offloaded; LL + [2T/N] optimizer only; LL + [18T/N] nothing
 *            cpu: offloaded, x = 18 (16 for the optimizer only): T x/nodes bf with zero.Init, else
 *                 T max(4n, x/nodes) bf;
 *                 nothing: 4 x largest layer x n bf with zero.Init, else 4T n bf
 */
#include "core/base.h"
#include "core/estimate/term.h"
#include "core/reference/reference.h"

#include <math.h>
#include <stdbool.h>

#define ROW(kind, field, need, standard)                                                                              \
    {"inputs." #field, "", REFERENCE_##kind, REFERENCE_##need, 0, offsetof(struct deepspeed_inputs, field), standard}
#define VALUE(field)                                                                                                  \
    {#field, "bytes", REFERENCE_NUMBER, REFERENCE_NULLABLE, 0, offsetof(struct deepspeed_values, field), 0}

static const struct reference_member zero2_input_rows[] = {
    ROW(NUMBER, total_params, REQUIRED, NAN),     ROW(NUMBER, gpus_per_node, NULLABLE, 1),
    ROW(NUMBER, nodes, NULLABLE, 1),              ROW(BOOL, offload_optimizer, NULLABLE, 1),
    ROW(NUMBER, additional_buffer_factor, NULLABLE, 1.5),
};
static const struct reference_member zero3_input_rows[] = {
    ROW(NUMBER, total_params, REQUIRED, NAN),     ROW(NUMBER, largest_layer_params, REQUIRED, NAN),
    ROW(NUMBER, gpus_per_node, NULLABLE, 1),      ROW(NUMBER, nodes, NULLABLE, 1),
    ROW(BOOL, offload_optimizer, NULLABLE, 1),    ROW(BOOL, offload_param, NULLABLE, 1),
    ROW(BOOL, zero_init, NULLABLE, 1),            ROW(NUMBER, additional_buffer_factor, NULLABLE, 1.5),
};
static const struct reference_member zero2_value_rows[] = {VALUE(cpu_bytes), VALUE(gpu_bytes)};
static const struct reference_member zero3_value_rows[] = {
    VALUE(cpu_bytes), VALUE(gpu_bytes), VALUE(largest_layer_bytes)};

/* null stands for what is not given. */
static double given(double value, double standard)
{
    return isnan(value) ? standard : value;
}

static struct deepspeed_inputs filled(const struct deepspeed_inputs *in)
{
    struct deepspeed_inputs full = *in;
    full.gpus_per_node = given(in->gpus_per_node, 1);
    full.nodes = given(in->nodes, 1);
    full.additional_buffer_factor = given(in->additional_buffer_factor, 1.5);
    return full;
}

static void zero2(const struct reference_inputs *in, struct reference_answer *out)
{
    const struct deepspeed_inputs i = filled(&in->of.deepspeed);
    struct deepspeed_values *v = &out->values.deepspeed;
    double gpus = i.gpus_per_node * i.nodes;
    if (i.offload_optimizer > 0) {
        v->gpu_bytes = trunc(2 * i.total_params);
        v->cpu_bytes = trunc(i.total_params * max(4 * gpus, 16) * i.additional_buffer_factor);
    } else {
        v->gpu_bytes = trunc(2 * i.total_params + trunc(reference_divide(out, 18 * i.total_params, gpus)));
        v->cpu_bytes = trunc(i.total_params * 4 * i.gpus_per_node * i.additional_buffer_factor);
    }
}

static double zero3_offloaded_host(const struct deepspeed_inputs *i, double bytes, struct reference_answer *out)
{
    double share = reference_divide(out, 1, i->nodes);
    if (i->zero_init > 0)
        return i->total_params * bytes * share * i->additional_buffer_factor;
    return i->total_params * max(4 * i->gpus_per_node, bytes * share) * i->additional_buffer_factor;
}

static void zero3(const struct reference_inputs *in, struct reference_answer *out)
{
    const struct deepspeed_inputs i = filled(&in->of.deepspeed);
    struct deepspeed_values *v = &out->values.deepspeed;
    double gpus = i.gpus_per_node * i.nodes, device = 0, host;
    if (i.offload_optimizer > 0) {
        bool is_all = i.offload_param > 0;
        device = is_all ? 0 : trunc(reference_divide(out, 2 * i.total_params, gpus));
        host = zero3_offloaded_host(&i, is_all ? 18 : 16, out);
    } else {
        device = trunc(reference_divide(out, 18 * i.total_params, gpus));
        host = (i.zero_init > 0 ? i.largest_layer_params : i.total_params) * 4 * i.gpus_per_node *
               i.additional_buffer_factor;
    }
    v->largest_layer_bytes = 4 * i.largest_layer_params;
    v->gpu_bytes = trunc(v->largest_layer_bytes + device);
    v->cpu_bytes = trunc(host);
}

const struct reference_function deepspeed_zero2 = {
    .estimator = REFERENCE_DEEPSPEED, .name = "zero2", .help = "model states with gradients and optimizer sharded",
    .inputs = zero2_input_rows, .input_count = LENGTH(zero2_input_rows),
    .values = zero2_value_rows, .value_count = LENGTH(zero2_value_rows),
    .compute = zero2,
};

const struct reference_function deepspeed_zero3 = {
    .estimator = REFERENCE_DEEPSPEED, .name = "zero3", .help = "model states with weights sharded too",
    .inputs = zero3_input_rows, .input_count = LENGTH(zero3_input_rows),
    .values = zero3_value_rows, .value_count = LENGTH(zero3_value_rows),
    .compute = zero3,
};
