#include "core/estimate/model.h"

#include "core/base.h"
#include "core/estimate/fold.h"
#include "core/estimate/kinds.h"
#include "core/estimate/symbols.h"
#include "core/plan/key.h"
#include "core/plan/split.h"

#define ROW_(type, name_, unit_, label_, text_, source_)                                                               \
    .name = #name_, .unit = unit_, .label = label_, .text = text_, .source = source_, .basis = BASIS_EXACT,            \
    .offset = offsetof(struct type, name_)
const struct term model_terms[] = {
#define GIVEN(name, unit, label, words) {ROW_(totals, name, unit, label, words, "")},
#define FOLD(name, unit, label, set_, column_)                                                                         \
    {ROW_(totals, name, unit, label, "", ""), .set = SET_##set_, .column = #column_},
#define TERM(name, unit, label, expression, source) {ROW_(totals, name, unit, label, #expression, source)},
#include "core/estimate/model.def"
};
const size_t model_term_count = LENGTH(model_terms);

const struct term whole_terms[] = {
#define GIVEN_WHOLE(name, unit, label, words) {ROW_(whole, name, unit, label, words, "")},
#define WHOLE(name, unit, label, expression, source) {ROW_(whole, name, unit, label, #expression, source)},
#include "core/estimate/model.def"
};
const size_t whole_term_count = LENGTH(whole_terms);

void model_clear(struct totals *totals)
{
#define GIVEN(name, ...) totals->name = NAN;
#define FOLD(name, ...) totals->name = NAN;
#define TERM(name, ...) totals->name = NAN;
#include "core/estimate/model.def"
}

/* Sets what follows from the plan's own keys, which are no symbols. */
static void model_count(const struct plan *plan, struct totals *out)
{
    const int L = (int)KEY_OF(plan, model, num_layers);
    const struct split_frozen fixed_parts = split_frozen(plan, 0, L);
    out->moe_layers = split_moe_layers(plan, 0, L);
    out->fixed_layers = fixed_parts.layers;
    out->fixed_moe_layers = fixed_parts.moe_layers;
    out->idle_layers = fixed_parts.idle;
    out->idle_moe_layers = fixed_parts.idle_moe;
}

void model_evaluate(const struct symbols *symbols, const struct plan *plan, struct totals *out)
{
    kinds_whole(plan, symbols, out);
    model_count(plan, out);
#include "core/estimate/locals.def"
#define GIVEN(name, ...) const double name = out->name;
#define FOLD(name, ...) const double name __attribute__((unused)) = out->name;
#define TERM(name, unit, label, expression, source)                                                                    \
    const double name __attribute__((unused)) = out->name = (expression);
#include "core/estimate/model.def"
}

void model_whole(const struct symbols *symbols, const struct totals *totals, struct whole *out)
{
#include "core/estimate/locals.def"
#define GIVEN(name, ...) const double name __attribute__((unused)) = totals->name;
#define FOLD(name, ...) const double name __attribute__((unused)) = totals->name;
#define TERM(name, ...) const double name __attribute__((unused)) = totals->name;
#define GIVEN_WHOLE(name, ...) const double name __attribute__((unused)) = out->name;
#define WHOLE(name, unit, label, expression, source)                                                                   \
    const double name __attribute__((unused)) = out->name = (expression);
#include "core/estimate/model.def"
}
