#include "ui/pane/makeup.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "core/show/figure.h"
#include "ui/widget/units.h"

#include <stdio.h>
#include <string.h>

/* Bytes of each parameter over all ranks that share them; nothing where that is no plain number: adapters, experts. */
static void say_state(const struct component *component, const struct estimate *e, int stage, char out[MAKEUP_MAX])
{
    const double steps = 4, close = 0.02; /* of a byte */
    const struct stage *s = &e->stage[stage];
    int state = (int)component->color - COLOR_WEIGHTS, parts = COLOR_OPTIMIZER - COLOR_WEIGHTS + 1;
    bool is_shared = e->symbols.zs >= parts - state && e->symbols.D > 1;
    double each = stage_component(component, e, s) * (is_shared ? e->symbols.D : 1) / s->params;
    double rounded = round(steps * each) / steps;
    struct figure parameters = figure(FIGURE_COUNT, s->params);
    *out = '\0';
    if (!(s->params > 0) || !(rounded > 0) || fabs(each - rounded) > close || e->symbols.E > 0)
        return;
    if (is_shared)
        snprintf(out, MAKEUP_MAX, "%s parameters x %g bytes, shared by %.0f|%s x %g bytes, by %.0f|%g bytes each",
                 parameters.text, rounded, e->symbols.D, parameters.text, rounded, e->symbols.D, rounded);
    else
        snprintf(out, MAKEUP_MAX, "%s parameters x %g bytes|%s x %g bytes|%g bytes each", parameters.text, rounded,
                 parameters.text, rounded, rounded);
}

static void say_activations(const struct estimate *e, int stage, char out[MAKEUP_MAX])
{
    const struct stage *s = &e->stage[stage];
    double alive = s->chunks_in_flight, chunks = e->plan.value[PARAM_parallel_vpp];
    *out = '\0';
    if (alive > 0 && s->chunks_waiting == 0)
        snprintf(out, MAKEUP_MAX, alive > 1 ? "%.0f %s x %s %s, alive at once|%.0f x %s %s" : "%.0f %s x %s %s", alive,
                 chunks > 1 ? "passes of a chunk" : alive > 1 ? "micro-batches" : "micro-batch",
                 units_figure(FIGURE_GIB, s->activations_bytes / alive).text, units_name(), alive,
                 units_figure(FIGURE_GIB, s->activations_bytes / alive).text, units_name());
}

void makeup_say(const struct component *component, const struct estimate *e, int stage, char out[MAKEUP_MAX])
{
    static const struct {
        const char *term, *words;
    } all[] = {{"transient_bytes", "what a pass makes and frees, at the peak"},
               {"buffers_bytes", "buffers and workspaces that stay"},
               {"allocated_bytes", "torch.cuda.max_memory_allocated()"},
               {"fragmentation_bytes", "kept by the allocator, returned if short"},
               {"reserved_bytes", "torch.cuda.max_memory_reserved()"},
               {"context_bytes", "driver context and communicators"},
               {"device_bytes", "what nvidia-smi shows"}};
    *out = '\0';
    if (component->color >= COLOR_WEIGHTS && component->color <= COLOR_OPTIMIZER && component->kind == COMPONENT_PART)
        say_state(component, e, stage, out);
    else if (component->color == COLOR_ACTIVATIONS)
        say_activations(e, stage, out);
    for (size_t i = 0; i < LENGTH(all); i++)
        if (strcmp(component->term, all[i].term) == 0)
            snprintf(out, MAKEUP_MAX, "%s|", all[i].words);
}
