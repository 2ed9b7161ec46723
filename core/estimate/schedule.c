#include "core/estimate/schedule.h"

#include "core/base.h"

#include <string.h>

const struct schedule_row schedule_rows[] = {
#define SCHEDULE(id, in_flight, chunk_in_flight, first_chunk, warm_up, plays, apart_, source_)                         \
    [SCHEDULE_##id] = {.text = {#in_flight, #chunk_in_flight, #first_chunk, #warm_up}, .source = source_,              \
                       .apart = apart_},
#include "core/estimate/schedule.def"
};

const char *const schedule_one_stage =
#define ALONE(in_flight) #in_flight;
#include "core/estimate/schedule.def"

#define ROW_(type, name_, unit_, label_, text_)                                                                        \
    {.name = #name_, .unit = unit_, .label = label_, .text = text_, .source = "", .basis = BASIS_FORMULA,              \
     .offset = offsetof(struct type, name_)},
const struct term flight_terms[] = {
    ROW_(flight, first_in_flight, "chunks", "passes of the first chunk alive at the peak", NULL)
#define FLIGHT(name, unit, label, expression) ROW_(flight, name, unit, label, #expression)
#include "core/estimate/schedule.def"
};
const size_t flight_term_count = LENGTH(flight_terms);

const struct term chunk_terms[] = {
    ROW_(chunk, chunk, "", "number of the chunk", "the number of the chunk, counted from 0")
    ROW_(chunk, layers, "layers", "layers of the chunk", "the layers of the chunk, from the split")
    ROW_(chunk, moe_layers, "layers", "expert layers of the chunk",
         "the layers of the chunk with experts, from the split")
    ROW_(chunk, in_flight, "passes", "forward passes of the chunk alive at the peak", NULL)
#define CHUNK(name, unit, label, expression) ROW_(chunk, name, unit, label, #expression)
#include "core/estimate/schedule.def"
};
const size_t chunk_term_count = LENGTH(chunk_terms);

/* fmod() of whole numbers that are not negative, as the rows have them: a fifth of what that takes. */
static inline double whole_rest(double value, double divisor)
{
    return value - floor(value / divisor) * divisor;
}
#define fmod whole_rest

/* The symbols of core/estimate/schedule.def. */
#define SHAPE_LOCALS(shape)                                                                                            \
    const double p __attribute__((unused)) = (shape)->stages, V __attribute__((unused)) = (shape)->chunks,             \
                 N __attribute__((unused)) = (shape)->group, m __attribute__((unused)) = (shape)->micro_batches

double schedule_in_flight(const struct schedule_shape *shape, int stage)
{
    SHAPE_LOCALS(shape);
    if (!(m >= 1))
        return NAN;
    if (p == 1) {
#define ALONE(in_flight) return (in_flight);
#include "core/estimate/schedule.def"
    }
    switch (shape->kind) {
#define SCHEDULE(id, in_flight, ...) case SCHEDULE_##id: return (in_flight);
#include "core/estimate/schedule.def"
    default:
        return NAN;
    }
}

double schedule_share_in_flight(const struct schedule_shape *shape, double chunks_in_flight, int chunk)
{
    SHAPE_LOCALS(shape);
    switch (shape->kind) {
#define SCHEDULE(id, in_flight, chunk_in_flight, ...) case SCHEDULE_##id: return (chunk_in_flight);
#include "core/estimate/schedule.def"
    default:
        return NAN;
    }
}

double schedule_chunk_in_flight(const struct schedule_shape *shape, int stage, int chunk)
{
    return schedule_share_in_flight(shape, schedule_in_flight(shape, stage), chunk);
}

void schedule_chunk(struct chunk *out)
{
    const double layers = out->layers, moe_layers = out->moe_layers, in_flight = out->in_flight;
#define CHUNK(name, unit, label, expression) out->name = (expression);
#include "core/estimate/schedule.def"
}

void schedule_flight(const struct schedule_shape *shape, int stage, struct flight *out)
{
    SHAPE_LOCALS(shape);
    const double chunks_in_flight = schedule_in_flight(shape, stage);
    out->first_in_flight = schedule_share_in_flight(shape, chunks_in_flight, 0);
#define FLIGHT(name, unit, label, expression) const double name __attribute__((unused)) = out->name = (expression);
#include "core/estimate/schedule.def"
}

double schedule_first_chunk_peak(const struct schedule_shape *shape, int stage)
{
    SHAPE_LOCALS(shape);
    const double chunks_in_flight = schedule_in_flight(shape, stage);
    const double first_in_flight = schedule_share_in_flight(shape, chunks_in_flight, 0);
    switch (shape->kind) { /* most schedules need nothing of what follows */
#define SCHEDULE(id, in_flight, chunk_in_flight, first_chunk, ...)                                                     \
    case SCHEDULE_##id:                                                                                                \
        if (strcmp(#first_chunk, "first_in_flight") == 0)                                                              \
            return first_in_flight;                                                                                    \
        break;
#include "core/estimate/schedule.def"
    default:
        return NAN;
    }
#define FLIGHT(name, unit, label, expression) const double name = (expression);
#include "core/estimate/schedule.def"
    switch (shape->kind) {
#define SCHEDULE(id, in_flight, chunk_in_flight, first_chunk, ...) case SCHEDULE_##id: return (first_chunk);
#include "core/estimate/schedule.def"
    default:
        return NAN;
    }
}

double schedule_warm_up(const struct schedule_shape *shape, int stage)
{
    SHAPE_LOCALS(shape);
    switch (shape->kind) {
#define SCHEDULE(id, in_flight, chunk_in_flight, first_chunk, warm_up, ...) case SCHEDULE_##id: return (warm_up);
#include "core/estimate/schedule.def"
    default:
        return NAN;
    }
}

bool schedule_is_possible(const struct schedule_shape *shape)
{
    SHAPE_LOCALS(shape);
    if (!(m >= 1) || m != floor(m))
        return false;
    switch (shape->kind) {
#define SCHEDULE(id, in_flight, chunk_in_flight, first_chunk, warm_up, plays, ...) case SCHEDULE_##id: return (plays);
#include "core/estimate/schedule.def"
    default:
        return false;
    }
}
