#include "core/estimate/schedule.h"

#include "core/estimate/term.h"
#include "core/plan/plan.h"

#include <math.h>

bool schedule_is_possible(const struct schedule_shape *shape)
{
    double p = shape->stages, V = shape->chunks, N = shape->group, m = shape->micro_batches;
    if (!(m >= 1) || m != floor(m))
        return false;
    switch (shape->kind) {
    case SCHEDULE_INTERLEAVED:
        return V == 1 || (N >= p && N <= m && (fmod(m, N) == 0 || fmod(m, N) >= p));
    case SCHEDULE_ZB_V:
        return V == 2;
    case SCHEDULE_DUALPIPE:
        return V == 1 && fmod(p, 2) == 0 && fmod(m, 2) == 0 && m >= 2 * p;
    default:
        return V == 1;
    }
}

double schedule_in_flight(const struct schedule_shape *shape, int stage)
{
    double p = shape->stages, V = shape->chunks, N = shape->group, m = shape->micro_batches;
    if (!(m >= 1))
        return NAN;
    if (p == 1)
        return min(V, m * V);
    switch (shape->kind) {
    case SCHEDULE_GPIPE:
        return m * V;
    case SCHEDULE_ZB_H2:
        return min(2 * (p - stage) - 1, m);
    case SCHEDULE_ZB_V:
        return min(p, m) * V;
    case SCHEDULE_DUALPIPE:
        return min(p + 1, m);
    default:
        return V > 1 ? min(m * V, 2 * (p - stage - 1) + (V - 1) * N + 1) : min(p - stage, m);
    }
}

/*
 * Warm-up runs chunk 0 for the first group of N micro-batches, then chunk 1 for the same group, and so on; after the
 * last chunk it goes on with chunk 0 of the next group. So pass number n belongs to chunk (n / N) mod V.
 */
double schedule_chunk_in_flight(const struct schedule_shape *shape, int stage, int chunk)
{
    double all = schedule_in_flight(shape, stage);
    if (shape->chunks <= 1)
        return all;
    if (shape->kind != SCHEDULE_INTERLEAVED)
        return all / shape->chunks;
    double N = shape->group, round = N * shape->chunks;
    double whole = floor(all / round) * N;
    double rest = fmod(all, round) - chunk * N;
    return min(whole + max(0, min(rest, N)), shape->micro_batches);
}

double schedule_first_chunk_peak(const struct schedule_shape *shape, int stage)
{
    double first = schedule_chunk_in_flight(shape, stage, 0), all = schedule_in_flight(shape, stage);
    double N = shape->group, round = N * shape->chunks;
    double forwards = N + round * ceil((all - N) / round), backwards = forwards - all;
    if (shape->chunks <= 1 || shape->kind != SCHEDULE_INTERLEAVED || !(forwards <= shape->micro_batches * shape->chunks))
        return first;
    double gone = floor(backwards / round) * N + max(0, fmod(backwards, round) - N * (shape->chunks - 1));
    return max(first, (forwards - N) / shape->chunks + N - gone);
}

double schedule_bubble_ratio(const struct schedule_shape *shape)
{
    return (shape->stages - 1) / (shape->chunks * shape->micro_batches);
}
