#include "core/estimate/constants.h"

enum {
#define CONSTANT(name, ...) INDEX_##name,
#include "core/estimate/constants.def"
#undef CONSTANT
    CONSTANT_COUNT
};

const size_t constant_count = CONSTANT_COUNT;

const double constant_values[] = {
#define CONSTANT(name, value, ...) value,
#include "core/estimate/constants.def"
#undef CONSTANT
};

const struct constant_range constant_ranges[] = {
#define CONSTANT(name, value, low, high, unit, meaning, source, date, basis) {low, high, date},
#include "core/estimate/constants.def"
#undef CONSTANT
};

const struct term constant_terms[] = {
#define CONSTANT(name_, value_, low_, high_, unit_, meaning_, source_, date_, basis_)                                 \
    {.name = #name_, .unit = unit_, .label = meaning_, .text = "", .source = source_ " (" date_ ")",                  \
     .basis = BASIS_##basis_, .offset = INDEX_##name_ * sizeof(double)},
#include "core/estimate/constants.def"
#undef CONSTANT
};
