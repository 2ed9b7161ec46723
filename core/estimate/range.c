#include "core/estimate/range.h"

#include <math.h>

const char *const verdict_names[VERDICT_COUNT] = {"fits", "tight", "no", "unknown"};

const struct term memory_range_terms[] = {
#define ROW_(name_, unit_, label_, text_, source_)                                                                     \
    {.name = #name_, .unit = unit_, .label = label_, .text = text_, .source = source_, .basis = BASIS_MEASURED,        \
     .offset = offsetof(struct memory_range, name_)},
#define GIVEN(name, unit, label, words) ROW_(name, unit, label, words, "")
#define TERM(name, unit, label, expression, source) ROW_(name, unit, label, #expression, source)
#include "core/estimate/range.def"
#undef GIVEN
#undef TERM
};
const size_t memory_range_term_count = sizeof memory_range_terms / sizeof *memory_range_terms;

static bool is_given(const struct plan *plan, enum param id)
{
    return plan->from[id] > FROM_DERIVED;
}

static void evaluate_memory(const struct symbols *symbols, const struct stage *sheet, struct memory_range *out)
{
#include "core/estimate/locals.def"
#include "core/estimate/stage_locals.def"
#define GIVEN(name, ...) const double name = out->name;
#define TERM(name, unit, label, expression, source) const double name __attribute__((unused)) = out->name = (expression);
#include "core/estimate/range.def"
#undef GIVEN
#undef TERM
}

void range_memory(const struct estimate *e, int stage, struct memory_range *out)
{
    out->cache_given = is_given(&e->plan, PARAM_hardware_fragmentation);
    out->context_given = is_given(&e->plan, PARAM_hardware_context_gib);
    evaluate_memory(&e->symbols, &e->stage[stage], out);
}

double range_fit_probability(const struct estimate *e)
{
    double least = NAN;
    if (!e->is_computed || e->is_serving || e->diags.errors > 0 || isnan(e->headroom_bytes))
        return NAN;
    if (!e->host_fits)
        return 0;
    for (int i = 0; i < e->stages; i++) {
        struct memory_range range;
        range_memory(e, i, &range);
        if (!(range.fit_probability >= least))
            least = range.fit_probability;
    }
    return least;
}

enum verdict range_verdict(const struct estimate *e)
{
    double p = range_fit_probability(e);
    if (e->is_serving && e->diags.errors == 0 && isfinite(e->headroom_bytes))
        return e->fits ? VERDICT_FITS : VERDICT_NO;
    return isnan(p) ? VERDICT_UNKNOWN : p >= verdict_fits ? VERDICT_FITS : p <= verdict_no ? VERDICT_NO : VERDICT_TIGHT;
}
