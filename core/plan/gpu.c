#include "core/plan/gpu.h"

#include "core/base.h"

#include <math.h>

#define TEXT(key)   {#key, offsetof(struct gpu, key), 1}
#define NUMBER(key) {#key, offsetof(struct gpu, key), 0}

const struct gpu_field gpu_fields[] = {
    TEXT(name), TEXT(label), TEXT(vendor), TEXT(link), TEXT(efficiency_basis), TEXT(fp8_efficiency_basis),
    NUMBER(compute_capability), NUMBER(memory_gib), NUMBER(usable_gib), NUMBER(memory_gb_s),
    NUMBER(tflops_fp32), NUMBER(tflops_tf32), NUMBER(tflops_bf16), NUMBER(tflops_fp16), NUMBER(tflops_fp8),
    NUMBER(tflops_fp4),
    NUMBER(intra_node_gb_s), NUMBER(inter_node_gb_s), NUMBER(host_gb_s), NUMBER(gpus_per_node), NUMBER(nvlink_domain),
    NUMBER(watts), NUMBER(price_per_gpu_hour), NUMBER(gemm_efficiency), NUMBER(gemm_fp8_efficiency),
    NUMBER(attention_efficiency), NUMBER(memory_efficiency), NUMBER(link_efficiency), NUMBER(network_efficiency),
};
const size_t gpu_field_count = LENGTH(gpu_fields);

const char *gpu_basis(const struct gpu *gpu, bool is_fp8)
{
    return is_fp8 && gpu->fp8_efficiency_basis[0] ? gpu->fp8_efficiency_basis : gpu->efficiency_basis;
}

void gpu_clear(struct gpu *gpu)
{
    *gpu = (struct gpu){0};
    for (size_t i = 0; i < gpu_field_count; i++)
        if (!gpu_fields[i].is_text)
            *(double *)((char *)gpu + gpu_fields[i].offset) = NAN;
}
