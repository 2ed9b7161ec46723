#include "core/estimate/serving.h"

#include "core/base.h"
#include "core/estimate/model.h"
#include "core/estimate/symbols.h"
#include "core/plan/key.h"

#include <math.h>

const struct term serving_terms[] = {
#define GIVEN(name_, unit_, label_, words_)                                                                           \
    {.name = #name_, .unit = unit_, .label = label_, .text = words_, .source = "", .basis = BASIS_EXACT,               \
     .offset = offsetof(struct serving, name_)},
#define TERM(name_, unit_, label_, text_, source_)                                                                    \
    {.name = #name_, .unit = unit_, .label = label_, .text = #text_, .source = source_, .basis = BASIS_FORMULA,       \
     .offset = offsetof(struct serving, name_)},
#include "core/estimate/serving.def"
#undef GIVEN
#undef TERM
};
const size_t serving_term_count = LENGTH(serving_terms);

#define GPU(key) (plan->gpu.key)
#define KEY(group, key) KEY_OF(plan, group, key)
void serving_evaluate(const struct symbols *symbols, const struct plan *plan, const struct totals *totals,
                      struct serving *out)
{
    const double matrix_flops = totals->matrix_flops, output_flops = totals->output_flops;
    out->positions =
        plan->from[PARAM_model_max_position_embeddings] > FROM_DERIVED ? KEY(model, max_position_embeddings) : INFINITY;
#include "core/estimate/locals.def"
#define GIVEN(name, ...) const double name __attribute__((unused)) = out->name;
#define TERM(name, unit, label, expression, source) const double name = (expression); out->name = name;
#include "core/estimate/serving.def"
#undef GIVEN
#undef TERM
}
