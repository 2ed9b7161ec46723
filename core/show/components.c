#include "core/show/components.h"

#include "core/base.h"

#include <math.h>
#include <stddef.h>

#define STAGE(member) #member, offsetof(struct stage, member)
#define SERVING(member) #member, offsetof(struct serving, member)

static const struct component stage_rows[] = {
    /* term and its offset, label, name, brief, letter, color, kind, has_rule, is_small */
    {STAGE(weights_bytes), "weights", "weights", "weight", 'W', COLOR_WEIGHTS, COMPONENT_PART, true, false},
    {STAGE(gradients_bytes), "gradients", "gradients", "grad", 'G', COLOR_GRADIENTS, COMPONENT_PART, false, false},
    {STAGE(optimizer_bytes), "optimizer states", "optimizer", "optim", 'O', COLOR_OPTIMIZER, COMPONENT_PART, false, false},
    {STAGE(activations_bytes), "activations of all in flight", "activations", "activ", 'A', COLOR_ACTIVATIONS,
     COMPONENT_PART, false, false},
    {STAGE(transient_bytes), "transient at the peak", "transient", "trans", 'T', COLOR_TRANSIENT, COMPONENT_PART, false,
     false},
    {STAGE(buffers_bytes), "buffers and workspaces", "buffers", "buf", 'B', COLOR_BUFFERS, COMPONENT_PART, false, false},
    {STAGE(workspace_bytes), "matrix-product workspaces", "workspaces", NULL, 0, COLOR_NONE, COMPONENT_DETAIL, false, false},
    {STAGE(allocated_bytes), "allocated (max_memory_allocated)", "allocated", NULL, 0, COLOR_NONE, COMPONENT_SUM, true,
     false},
    {STAGE(fragmentation_bytes), "fragmentation of the allocator", "fragmentation", NULL, 'B', COLOR_CACHED, COMPONENT_PART,
     false, true},
    {STAGE(reserved_bytes), "reserved", "reserved", NULL, 0, COLOR_NONE, COMPONENT_SUM, false, false},
    {STAGE(context_bytes), "driver context", "driver context", NULL, 'B', COLOR_CONTEXT, COMPONENT_PART, false, true},
    {STAGE(communicator_bytes), "communicators (NCCL)", "communicators", NULL, 'B', COLOR_LINKS, COMPONENT_PART, false, true},
    {STAGE(device_bytes), "on the device (nvidia-smi)", "on the device", NULL, '=', COLOR_NONE, COMPONENT_SUM, true, false},
    {"usable_bytes", 0, "usable", "usable", NULL, 0, COLOR_NONE, COMPONENT_ROOM, false, false},
    {STAGE(headroom_bytes), "left", "free", "free", '.', COLOR_NONE, COMPONENT_LEFT, false, false},
};

static const struct component serving_rows[] = {
    {SERVING(weights_bytes), "weights on the fullest GPU", "weights", "weight", 'W', COLOR_WEIGHTS, COMPONENT_PART, false,
     false},
    {SERVING(kv_cache_bytes), "key/value cache of the batch at full length", "key/value cache", "cache", 'K', COLOR_OPTIMIZER,
     COMPONENT_PART, false, false},
    {SERVING(activations_bytes), "working set of a prefill", "working set", "work", 'A', COLOR_ACTIVATIONS, COMPONENT_PART,
     false, false},
    {SERVING(needed_bytes), "together", "together", NULL, '=', COLOR_NONE, COMPONENT_SUM, false, false},
    {SERVING(room_bytes), "memory that serving may use", "room for serving", NULL, '.', COLOR_NONE, COMPONENT_ROOM, false,
     false},
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
