#include "core/show/components.h"

#include "core/base.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define ROW(sheet, term, label, name, words, brief, letter, color, kind, style)                                       \
    {#term, offsetof(struct sheet, term), label, name, words, brief, letter, COLOR_##color, COMPONENT_##kind,         \
     COMPONENT_##style}
#define STAGE(...) ROW(stage, __VA_ARGS__)
#define SERVING(...) ROW(serving, __VA_ARGS__)

/* term, label, name, words and brief on screens, letter, color, kind, style */
static const struct component stage_rows[] = {
    STAGE(weights_bytes, "weights", "weights", "weights", "weights", 'W', WEIGHTS, PART, RULED),
    STAGE(base_weights_bytes, "weights as they are stored", "base weights", "", "", 0, NONE, DETAIL, PLAIN),
    STAGE(weight_copies_bytes, "8- and 4-bit copies of weights", "weight copies", "", "", 0, NONE, DETAIL, PLAIN),
    STAGE(reference_bytes, "weights of the reference model", "reference", "", "", 0, NONE, DETAIL, PLAIN),
    STAGE(quant_constants_bytes, "scales of quantised weights", "scales", "", "", 0, NONE, DETAIL, PLAIN),
    STAGE(adapter_bytes, "adapters", "adapters", "", "", 0, NONE, DETAIL, PLAIN),
    STAGE(gradients_bytes, "gradients", "gradients", "gradients", "gradients", 'G', GRADIENTS, PART, PLAIN),
    STAGE(optimizer_bytes, "optimizer states", "optimizer", "optimizer", "optimizer", 'O', OPTIMIZER, PART, PLAIN),
    STAGE(activations_bytes, "activations of all in flight", "activations", "activations", "activations", 'A',
          ACTIVATIONS, PART, PLAIN),
    STAGE(transient_bytes, "transient at the peak", "transient", "transient at the peak", "transient", 'T', TRANSIENT,
          PART, PLAIN),
    STAGE(logits_bytes, "logits and loss", "logits", "", "", 0, NONE, DETAIL, PLAIN),
    STAGE(retained_bytes, "inputs and gradients that FSDP keeps", "retained", "", "", 0, NONE, DETAIL, PLAIN),
    STAGE(buffers_bytes, "scratch: buffers and workspaces", "scratch", "scratch", "scratch", 'S', SCRATCH, PART, PLAIN),
    STAGE(workspace_bytes, "matrix-product workspaces", "workspaces", "", "", 0, NONE, DETAIL, PLAIN),
    STAGE(allocated_bytes, "allocated (max_memory_allocated)", "allocated", "allocated (torch maximum)", "allocated",
          '=', NONE, SUM, RULED),
    STAGE(fragmentation_bytes, "cache of the allocator", "cache", "cache, returned if short", "cache", 'C', CACHE, PART,
          PLAIN),
    STAGE(reserved_bytes, "reserved", "reserved", "reserved (torch)", "reserved", '=', NONE, SUM, PLAIN),
    STAGE(context_bytes, "driver context", "driver context", "driver context and NCCL", "driver, NCCL", 'D', DRIVER,
          PART, PLAIN),
    STAGE(communicator_bytes, "communicators (NCCL)", "communicators", "", "", 'D', LINKS, PART, JOINED),
    STAGE(paged_bytes, "optimizer in managed memory", "managed memory", "", "", 'D', OPTIMIZER, PART, JOINED),
    STAGE(device_bytes, "on the device (nvidia-smi)", "on the device", "device (nvidia-smi)", "device", '=', NONE, SUM,
          RULED),
    {"usable_bytes", 0, "usable", "usable", "", "", 0, COLOR_NONE, COMPONENT_ROOM, COMPONENT_PLAIN},
    STAGE(headroom_bytes, "left", "free", "free", "free", '.', NONE, LEFT, PLAIN),
};

static const struct component serving_rows[] = {
    SERVING(weights_bytes, "weights on the fullest GPU", "weights", "weights on the fullest GPU", "weights", 'W',
            WEIGHTS, PART, PLAIN),
    SERVING(kv_cache_bytes, "key/value cache of the batch at full length", "key/value cache",
            "keys and values kept for later", "keys, values", 'A', ACTIVATIONS, PART, PLAIN),
    SERVING(activations_bytes, "working set of a prefill", "working set", "transient: set of a prefill", "transient",
            'T', TRANSIENT, PART, PLAIN),
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

double serving_component(const struct component *row, const struct serving *serving)
{
    return *(const double *)((const char *)serving + row->offset);
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
