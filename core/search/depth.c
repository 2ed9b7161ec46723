#include "core/search/depth.h"

#include "core/estimate/estimate.h"
#include "core/plan/param.h"

#include <math.h>

void search_set_layers(const struct plan *plan, int layers, struct plan *out)
{
    *out = *plan;
    param_set(out, PARAM_model_num_layers, layers);
    out->layout = (struct pipeline_layout){0};
}

int search_deepest(const struct plan *plan, struct estimate *scratch, struct search_depth *out)
{
    struct plan deeper;
    *out = (struct search_depth){0};
    estimate_plan(plan, scratch);
    double chunks = scratch->symbols.p * scratch->symbols.V;
    if (!scratch->is_computed || !(chunks >= 1 && chunks <= SEARCH_LAYERS_MAX) || isnan(scratch->headroom_bytes))
        return -1;
    out->step = (int)chunks;
    for (int layers = out->step; layers <= SEARCH_LAYERS_MAX; layers += out->step) {
        search_set_layers(plan, layers, &deeper);
        estimate_plan(&deeper, scratch);
        out->evaluated++;
        /*
         * memory grows with every layer; depths that are no valid plan, with fewer layers than the dense ones say, are
         * passed over
         */
        if (scratch->is_computed && !scratch->fits)
            break;
        if (scratch->is_computed) {
            out->feasible++;
            out->largest = layers;
        }
    }
    return 0;
}
