#include "core/show/components.h"

#include "core/base.h"
#include "core/plan/param.h"

#include <stdio.h>
#include <string.h>

#define ROW(sheet, term, label, name, words, brief, letter, color, kind, style)                                       \
    {#term, offsetof(struct sheet, term), label, name, words, brief, letter, COLOR_##color, COMPONENT_##kind,         \
     COMPONENT_##style, PEAK_COUNT}
#define STAGE(...) ROW(stage, __VA_ARGS__)
#define SERVING(...) ROW(serving, __VA_ARGS__)
/* inside the part above; at `peak` only, or at any (COUNT) */
#define DETAIL(term, label, name, words, brief, peak)                                                                 \
    {#term, offsetof(struct stage, term), label, name, words, brief, 0, COLOR_NONE, COMPONENT_DETAIL,                 \
     COMPONENT_PLAIN, PEAK_##peak}

/* term, label, name, words and brief on screens, letter, color, kind, style */
static const struct component stage_rows[] = {
    STAGE(weights_bytes, "weights", "weights", "weights", "weights", 'W', WEIGHTS, PART, RULED),
    DETAIL(base_weights_bytes, "base weights", "base weights", "base", "base", COUNT),
    DETAIL(weight_copies_bytes, "8- and 4-bit copies of weights", "weight copies", "8- and 4-bit copies", "copies",
           COUNT),
    DETAIL(reference_bytes, "weights of the reference model", "reference", "reference model", "reference", COUNT),
    DETAIL(quant_constants_bytes, "quantisation constants", "scales", "quantisation constants", "constants", COUNT),
    DETAIL(upcast_bytes, "norms and ends raised to fp32", "raised to fp32", "raised to fp32", "to fp32", COUNT),
    DETAIL(adapter_bytes, "adapters", "adapters", "adapters", "adapters", COUNT),
    DETAIL(saved_modules_bytes, "modules trained whole", "whole modules", "modules trained whole", "modules", COUNT),
    STAGE(gradients_bytes, "gradients", "gradients", "gradients", "gradients", 'G', GRADIENTS, PART, PLAIN),
    DETAIL(saved_modules_gradients_bytes, "of modules trained whole", "of whole modules", "of whole modules",
           "of modules", COUNT),
    STAGE(optimizer_bytes, "optimizer states", "optimizer", "optimizer", "optimizer", 'O', OPTIMIZER, PART, PLAIN),
    DETAIL(saved_modules_states_bytes, "of modules trained whole", "of whole modules", "of whole modules", "of modules",
           COUNT),
    STAGE(activations_bytes, "activations of all in flight", "activations", "activations", "activations", 'A',
          ACTIVATIONS, PART, PLAIN),
    DETAIL(retained_bytes, "inputs, gradients that FSDP keeps", "retained", "kept by FSDP", "retained", BACKWARD_LAST),
    STAGE(transient_bytes, "transient at the peak", "transient", "transient at the peak", "transient", 'T', TRANSIENT,
          PART, PLAIN),
    DETAIL(logits_bytes, "logits and loss", "logits", "logits and loss", "logits", LOSS),
    STAGE(buffers_bytes, "scratch: buffers and workspaces", "scratch", "scratch", "scratch", 'S', SCRATCH, PART, PLAIN),
    DETAIL(workspace_bytes, "matrix-product workspaces", "workspaces", "", "", COUNT),
    STAGE(allocated_bytes, "allocated (max_memory_allocated)", "allocated", "allocated (torch maximum)", "allocated",
          '=', NONE, SUM, RULED),
    STAGE(fragmentation_bytes, "cache of the allocator", "cache", "cache, returned if short", "cache", 'C', CACHE, PART,
          PLAIN),
    STAGE(reserved_bytes, "reserved", "reserved", "reserved (torch)", "reserved", '=', NONE, SUM, PLAIN),
    STAGE(context_bytes, "driver context", "driver context", "driver context and NCCL", "driver, NCCL", 'D', DRIVER,
          PART, PLAIN),
    STAGE(communicator_bytes, "communicators (NCCL)", "communicators", "", "", 'D', LINKS, PART, JOINED),
    STAGE(paged_bytes, "optimizer in managed memory", "managed memory", "", "", 'D', OPTIMIZER, PART, JOINED),
    STAGE(device_bytes, "on the device (nvidia-smi)", "on the device", "on the device (nvidia-smi)",
          "on the device", '=', NONE, SUM,
          RULED),
    {"usable_bytes", 0, "usable", "usable", "", "", 0, COLOR_NONE, COMPONENT_ROOM, COMPONENT_PLAIN, PEAK_COUNT},
    STAGE(headroom_bytes, "left", "free", "free", "free", '.', NONE, LEFT, PLAIN),
};

static const struct component serving_rows[] = {
    SERVING(weights_bytes, "weights on the fullest GPU", "weights", "weights on the fullest GPU", "weights", 'W',
            WEIGHTS, PART, PLAIN),
    SERVING(kv_cache_bytes, "key/value cache of the batch at full length", "key/value cache",
            "keys and values kept for later", "keys, values", 'A', ACTIVATIONS, PART, PLAIN),
    SERVING(activations_bytes, "working set of a prefill", "working set", "transient: set of a prefill", "transient",
            'T', TRANSIENT, PART, PLAIN),
    SERVING(beside_bytes, "outside PyTorch, and counted CUDA graphs", "outside PyTorch", "outside PyTorch, CUDA graphs",
            "outside", 'D', DRIVER, PART, PLAIN),
    SERVING(needed_bytes, "together", "together", "together", "together", '=', NONE, SUM, PLAIN),
    SERVING(room_bytes, "memory that serving may use", "room for serving", "memory that serving may use",
            "may be used", '.', NONE, ROOM, PLAIN),
};

_Static_assert(LENGTH(stage_rows) <= COMPONENTS_MAX && LENGTH(serving_rows) <= COMPONENTS_MAX, "lists are bounded");

const struct component_list stage_components = {stage_rows, LENGTH(stage_rows)};
const struct component_list serving_components = {serving_rows, LENGTH(serving_rows)};

double stage_component(const struct component *row, const struct estimate *estimate, const struct stage *stage)
{
    return row->kind == COMPONENT_ROOM ? estimate->usable_bytes : *(const double *)((const char *)stage + row->offset);
}

double stage_held(const struct component *row, const struct estimate *estimate, const struct stage *stage)
{
    bool is_elsewhere = row->peak != PEAK_COUNT && row->peak != stage_peak_at(stage);
    bool may_be_offloaded = row->offset == offsetof(struct stage, reference_bytes);
    double bytes = stage_component(row, estimate, stage);
    return is_elsewhere ? 0 : may_be_offloaded ? bytes * (1 - estimate->symbols.off_w) : bytes;
}

bool stage_lists(const struct component *row, const struct estimate *estimate)
{
    double most = 0;
    for (int i = 0; i < estimate->stages && row->kind == COMPONENT_DETAIL; i++)
        most = fmax(most, stage_held(row, estimate, &estimate->stage[i]));
    return row->kind != COMPONENT_DETAIL || (*row->words && estimate->totals.frozen > 0 && most > 0);
}

void weights_type(const struct estimate *estimate, char *out, size_t size)
{
    const struct symbols *y = &estimate->symbols;
    char few[PARAM_TEXT_MAX] = "", type[PARAM_TEXT_MAX] = "bf16";
    if (estimate->totals.quantised > 0)
        param_print(&estimate->plan, PARAM_train_quant_dtype, few, sizeof few);
    if (y->Bw == 4 && y->raises_trained > 0 && y->trains > 0 && estimate->totals.frozen > 0)
        snprintf(type, sizeof type, "%s+fp32",
                 y->B == 4                                               ? "fp32"
                 : estimate->plan.value[PARAM_train_dtype] == DTYPE_FP16 ? "fp16"
                                                                         : "bf16");
    else if (y->Bw == 4)
        snprintf(type, sizeof type, "fp32");
    else if (y->Bw != y->B || estimate->plan.value[PARAM_train_dtype] < DTYPE_FP8)
        param_print(&estimate->plan, PARAM_train_dtype, type, sizeof type);
    snprintf(out, size, "%.9s%s%.9s", few, few[0] ? "+" : "", type);
}

void component_note(const struct component *row, const struct estimate *estimate, char *out, size_t size)
{
    char type[PARAM_TEXT_MAX];
    out[0] = '\0';
    if (row->offset != offsetof(struct stage, base_weights_bytes) || row->kind != COMPONENT_DETAIL)
        return;
    weights_type(estimate, type, sizeof type);
    snprintf(out, size, " %s, %s", type, estimate->symbols.trains > 0 ? "partly frozen" : "frozen");
}

double serving_component(const struct component *row, const struct serving *serving)
{
    return *(const double *)((const char *)serving + row->offset);
}

double serving_figure(const struct component *row, const struct serving *serving)
{
    bool is_unknown = row->offset == offsetof(struct serving, beside_bytes) && !(serving->has_engine > 0);
    return is_unknown ? NAN : serving_component(row, serving);
}

const struct component *component_find(const struct component_list *list, const char *term)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->row[i].term, term) == 0)
            return &list->row[i];
    return NULL;
}

const struct component *component_total(const struct component_list *list)
{
    int i = list->count - 1;
    while (i > 0 && list->row[i].kind != COMPONENT_SUM)
        i--;
    return &list->row[i];
}

void stage_round(const struct estimate *estimate, struct stage *stage)
{
    double sum = 0;
    for (int i = 0; i < stage_components.count; i++) {
        const struct component *row = &stage_components.row[i];
        double *bytes = (double *)((char *)stage + row->offset);
        if (row->kind == COMPONENT_SUM)
            *bytes = sum;
        else if (row->kind == COMPONENT_LEFT)
            *bytes = round(estimate->usable_bytes) - sum;
        else if (row->kind != COMPONENT_ROOM)
            *bytes = round(*bytes);
        sum += row->kind == COMPONENT_PART ? *bytes : 0;
    }
}
