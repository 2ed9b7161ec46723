#include "core/estimate/stage.h"

#include "core/base.h"
#include "core/estimate/op.h"
#include "core/estimate/symbols.h"

const struct term stage_terms[] = {
#define GIVEN(name_, unit_, label_, words_)                                                                            \
    {.name = #name_, .unit = unit_, .label = label_, .text = words_, .source = "", .basis = BASIS_EXACT,               \
     .offset = offsetof(struct stage, name_)},
#define FOLD(name_, unit_, label_, set_, column_)                                                                      \
    {.name = #name_, .unit = unit_, .label = label_, .text = "", .source = "", .basis = BASIS_EXACT,                  \
     .offset = offsetof(struct stage, name_), .set = SET_##set_, .column = #column_},
#define TERM(name_, unit_, label_, text_, source_)                                                                    \
    {.name = #name_, .unit = unit_, .label = label_, .text = #text_, .source = source_, .basis = BASIS_FORMULA,       \
     .offset = offsetof(struct stage, name_)},
#include "core/estimate/stage.def"
#undef GIVEN
#undef FOLD
#undef TERM
};
const size_t stage_term_count = LENGTH(stage_terms);

const char *const peak_at_names[PEAK_COUNT] = {"forward", "backward", "loss", "optimizer", "backward_last"};

enum peak_at stage_peak_at(const struct stage *stage)
{
    if (stage->at_step > 0)
        return PEAK_OPTIMIZER;
    if (stage->at_end > 0)
        return PEAK_BACKWARD_LAST;
    if (stage->peak_pass > 0)
        return stage->peak_pass == 1 ? PEAK_FORWARD : stage->peak_pass == 2 ? PEAK_LOSS : PEAK_BACKWARD;
    double backward = max(stage->head_backward_bytes, stage->layer_backward_bytes);
    if (stage->loss_peak_bytes >= max(backward, stage->moe_forward_bytes))
        return stage->last > 0 ? PEAK_LOSS : PEAK_BACKWARD;
    return stage->moe_forward_bytes > backward ? PEAK_FORWARD : PEAK_BACKWARD;
}

/* Which rows: those of stage_floor(), the others, or both. */
enum part { PART_FLOOR = 1, PART_REST = 2 };
#define IS_TAKEN(name) (changed & VARIES(name) && part & (IS_OF_FLOOR(name) ? PART_FLOOR : PART_REST))

/* Works out the terms that follow from what changed; inline, so that the others cost nothing. */
static inline __attribute__((always_inline)) void evaluate(const struct symbols *symbols, unsigned changed,
                                                           unsigned part, struct stage *sheet)
{
#include "core/estimate/locals.def"
#define GIVEN(name, ...) const double name __attribute__((unused)) = sheet->name;
#define FOLD(name, ...) const double name __attribute__((unused)) = sheet->name;
#define TERM(name, unit, label, expression, source)                                                                   \
    const double name __attribute__((unused)) = IS_TAKEN(name) ? (expression) : sheet->name;                          \
    if (IS_TAKEN(name))                                                                                                \
        sheet->name = name;
#include "core/estimate/stage.def"
#undef GIVEN
#undef FOLD
#undef TERM
}

/* As evaluate(), of the combinations that searches come to; more than what changed is worked out for the others. */
static inline __attribute__((always_inline)) void evaluate_changed(const struct symbols *symbols, unsigned changed,
                                                                   unsigned part, struct stage *sheet)
{
    if (changed == VARIES_SHARDED)
        evaluate(symbols, VARIES_SHARDED, part, sheet);
    else if (!(changed & ~(unsigned)(VARIES_SHARDED | VARIES_ALIVE)))
        evaluate(symbols, VARIES_SHARDED | VARIES_ALIVE, part, sheet);
    else if (!(changed & ~(unsigned)(VARIES_SHARDED | VARIES_RECOMPUTED | VARIES_ALIVE)))
        evaluate(symbols, VARIES_SHARDED | VARIES_RECOMPUTED | VARIES_ALIVE, part, sheet);
    else
        evaluate(symbols, VARIES_ALL, part, sheet);
}

void stage_evaluate(const struct symbols *symbols, struct stage *sheet)
{
    evaluate(symbols, VARIES_ALL, PART_FLOOR | PART_REST, sheet);
}

void stage_alive(const struct symbols *symbols, struct stage *sheet)
{
    evaluate(symbols, VARIES_ALIVE, PART_FLOOR | PART_REST, sheet);
}

/*
 * What is allocated is no less than states and what is in flight, wherever the peak is: in the step and at the end of
 * backward are peaks where they are higher than that, less gradients which one micro-batch makes and the step frees.
 */
double stage_floor(const struct symbols *symbols, unsigned changed, struct stage *sheet)
{
    evaluate_changed(symbols, changed, PART_FLOOR, sheet);
    bool may_be_fresh = symbols->passing_gradients > 0 && symbols->m <= 1;
    double gradients_bytes = may_be_fresh ? 0 : sheet->gradients_all_bytes;
    return symbols->frag * (sheet->weights_bytes + gradients_bytes + sheet->optimizer_bytes + sheet->in_flight_bytes);
}

void stage_finish(const struct symbols *symbols, unsigned changed, struct stage *sheet)
{
    evaluate_changed(symbols, changed, PART_REST, sheet);
}
