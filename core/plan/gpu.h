/* core/plan/gpu.h - what a device can do; filled from a file of configs/gpus/. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { GPU_NAME_MAX = 40 };

/** One device. A figure that is not known is NAN. */
struct gpu {
    char name[GPU_NAME_MAX];
    char label[GPU_NAME_MAX];
    char vendor[GPU_NAME_MAX];
    char link[GPU_NAME_MAX];
    char efficiency_basis[GPU_NAME_MAX]; /* measured, relative, kernels or guess: configs/gpus/ */
    char efficiency_from[GPU_NAME_MAX];  /* where that is relative: whose figures they are */
    char fp8_efficiency_basis[GPU_NAME_MAX]; /* of 8-bit products and what runs beside them; "": as efficiency_basis */
    double compute_capability;           /* NVIDIA only */
    double memory_gib, usable_gib, memory_gb_s;
    double cuda_total_gib; /* what servers take a share of: total memory by CUDA; NAN: usable_gib */
    double tflops_fp32, tflops_tf32, tflops_bf16, tflops_fp16, tflops_fp8, tflops_fp4; /* dense */
    double intra_node_gb_s, inter_node_gb_s, host_gb_s; /* per device and direction */
    double gpus_per_node, nvlink_domain, watts, price_per_gpu_hour;
    double gemm_efficiency, gemm_fastest, gemm_fp8_efficiency, attention_efficiency, memory_efficiency, link_efficiency,
        network_efficiency;
};

/** One key of a device file: its name, where it is stored, whether it is text, its unit ("" for none) and meaning. */
struct gpu_field {
    const char *key;
    size_t offset;
    int is_text;
    const char *unit, *about;
};

/** All keys of a device file. */
extern const struct gpu_field gpu_fields[];
extern const size_t gpu_field_count;

/**
 * Where the efficiencies of a plan in 8 or 16 bits come from: `measured` where a timed training run on the device is in
 * the tables, `relative` from another device with the same chip, `kernels` from measured products alone, `guess`.
 */
const char *gpu_basis(const struct gpu *gpu, bool is_fp8);

/** A device of which nothing is known. */
void gpu_clear(struct gpu *gpu);
