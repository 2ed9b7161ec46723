#include "core/plan/gpu.h"

#include "core/base.h"

#include <math.h>

#define TEXT(key, about)         {#key, offsetof(struct gpu, key), 1, "", about},
#define NUMBER(key, unit, about) {#key, offsetof(struct gpu, key), 0, unit, about},

const struct gpu_field gpu_fields[] = {
    TEXT(name, "the file's name without .yaml")
    TEXT(label, "the vendor's name")
    TEXT(vendor, "nvidia, amd, intel, google or aws")
    NUMBER(compute_capability, "", "NVIDIA only: 8.0 Ampere, 8.9 Ada, 9.0 Hopper, 10.0 Blackwell")
    NUMBER(memory_gib, "GiB", "nominal memory")
    NUMBER(usable_gib, "GiB", "memory that the driver reports; default 0.97 of memory_gib, with a wider range")
    NUMBER(cuda_total_gib, "GiB", "total memory by CUDA, of which servers take their share; default usable_gib")
    NUMBER(memory_gb_s, "GB/s", "memory bandwidth")
    NUMBER(tflops_fp32, "TFLOP/s", "dense peak without tensor cores")
    NUMBER(tflops_tf32, "TFLOP/s", "dense peak, half of what data sheets give with sparsity")
    NUMBER(tflops_bf16, "TFLOP/s", "dense peak")
    NUMBER(tflops_fp16, "TFLOP/s", "dense peak")
    NUMBER(tflops_fp8, "TFLOP/s", "dense peak")
    NUMBER(tflops_fp4, "TFLOP/s", "dense peak")
    TEXT(link, "name of the link inside a node, such as NVLink4 or PCIe5")
    NUMBER(intra_node_gb_s, "GB/s", "link inside a node, per GPU and direction")
    NUMBER(inter_node_gb_s, "GB/s", "network between nodes, per GPU and direction: 400 Gb/s are 50")
    NUMBER(host_gb_s, "GB/s", "link to host memory, per GPU and direction")
    NUMBER(gpus_per_node, "GPUs", "in one node; default 8")
    NUMBER(nvlink_domain, "GPUs", "in one scale-up domain; default gpus_per_node")
    NUMBER(watts, "W", "power of one GPU")
    NUMBER(price_per_gpu_hour, "USD", "rent of one GPU for one hour")
    NUMBER(gemm_efficiency, "", "large 16-bit products' share of the peak; default 0.60, with a wider range")
    NUMBER(gemm_fastest, "", "the same on the fastest machine known, if machines differ; times may be lower by as much")
    NUMBER(gemm_fp8_efficiency, "", "the same in 8 bits")
    NUMBER(attention_efficiency, "", "fused attention's share of the 16-bit peak; default 0.45")
    NUMBER(memory_efficiency, "", "memory-bound kernels' share of the bandwidth; default 0.70")
    NUMBER(link_efficiency, "", "large messages' share of the link inside a node; default 0.70")
    NUMBER(network_efficiency, "", "large messages' share of the network between nodes; default 0.65")
    TEXT(efficiency_basis, "measured on this GPU, relative (the same chip), kernels (products alone) or guess; all "
         "but measured widen the range of time")
    TEXT(efficiency_from, "where that is relative: the GPU, or GPUs, whose figures these are")
    TEXT(fp8_efficiency_basis, "the same of 8-bit products, where it differs")
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
