/* core/estimate/stage.h - memory of one pipeline stage, as a sheet of terms. */
#pragma once

#include "core/estimate/term.h"
#include "core/estimate/varies.h"

struct symbols;

/** Every quantity of core/estimate/stage.def. The GIVEN and FOLD members are set before stage_evaluate(). */
struct stage {
#define GIVEN(name, ...) double name;
#define FOLD(name, ...) double name;
#define TERM(name, ...) double name;
#include "core/estimate/stage.def"
#undef GIVEN
#undef FOLD
#undef TERM
};

/** The rows of core/estimate/stage.def, over struct stage. */
extern const struct term stage_terms[];
extern const size_t stage_term_count;

/** Where in the step a stage's memory peaks. */
enum peak_at { PEAK_FORWARD, PEAK_BACKWARD, PEAK_LOSS, PEAK_OPTIMIZER, PEAK_BACKWARD_LAST, PEAK_COUNT };
extern const char *const peak_at_names[PEAK_COUNT];

/** Computes every TERM from the symbols and the GIVEN and FOLD members. */
void stage_evaluate(const struct symbols *symbols, struct stage *stage);

/** The same where what is alive at the peak alone changed since. */
void stage_alive(const struct symbols *symbols, struct stage *stage);

/**
 * The same in two steps, where no more changed (enum varies) since each of them: bytes that the device holds at the
 * least, which states and passes in flight take, and then all the rest. Layers' freed bytes change with recomputation.
 */
double stage_floor(const struct symbols *symbols, unsigned changed, struct stage *stage);
void stage_finish(const struct symbols *symbols, unsigned changed, struct stage *stage);

/** When the stage peaks: the event whose transient bytes are the largest. */
enum peak_at stage_peak_at(const struct stage *stage);
