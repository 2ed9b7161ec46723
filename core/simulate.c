#include "core/simulate.h"

#include "core/plan.h"
#include "core/term.h"

#include <math.h>

enum { NOT_DONE = -1 };

/* One schedule being played. */
struct play {
    const struct schedule_shape *shape;
    const double *forward_s, *backward_s;
    struct sim_scratch *done;
    int p, V, m;
    void (*each)(void *context, const struct sim_event *event);
    void *context;
};

/* Where one stage is in its own order of passes. */
struct cursor {
    int forwards, backwards; /* passes run */
    int warm_up;
    double free_s; /* when the stage is free again */
};

double simulate_warm_up(const struct schedule_shape *shape, int stage)
{
    double all = shape->micro_batches * shape->chunks;
    if (shape->kind == SCHEDULE_GPIPE)
        return all;
    if (shape->chunks <= 1)
        return min(shape->stages - stage - 1, all);
    return min(2 * (shape->stages - stage - 1) + (shape->chunks - 1) * shape->group, all);
}

void simulate_pass(const struct schedule_shape *shape, int k, bool is_backward, int *chunk, int *micro_batch)
{
    *chunk = 0;
    *micro_batch = k;
    if (shape->chunks == 1)
        return;
    int m = (int)shape->micro_batches, round = shape->group * shape->chunks, group = k / round, in_group = k % round;
    int left = m - group * shape->group, size = left < shape->group ? left : shape->group;
    *chunk = is_backward ? shape->chunks - 1 - in_group / size : in_group / size;
    *micro_batch = group * shape->group + in_group % size;
}

/* Runs one pass when what it needs is done; returns false when it has to wait. */
static bool run_pass(const struct play *play, int stage, struct cursor *at, bool is_backward)
{
    int chunk, mb, p = play->p, m = play->m, last = p * play->V - 1;
    simulate_pass(play->shape, is_backward ? at->backwards : at->forwards, is_backward, &chunk, &mb);
    int n = chunk * p + stage;
    double *forward = play->done->forward, *backward = play->done->backward;
    double needs = is_backward ? (n == last ? forward[n * m + mb] : backward[(n + 1) * m + mb])
                               : (n == 0 ? 0 : forward[(n - 1) * m + mb]);
    if (needs == NOT_DONE)
        return false;
    double start = max(at->free_s, needs);
    at->free_s = start + (is_backward ? play->backward_s[n] : play->forward_s[n]);
    (is_backward ? backward : forward)[n * m + mb] = at->free_s;
    at->backwards += is_backward;
    at->forwards += !is_backward;
    if (play->each)
        play->each(play->context, &(struct sim_event){stage, chunk, mb, is_backward, start, at->free_s});
    return true;
}

/* Whether the stage's next pass is a backward one: after the warm-up forward and backward passes alternate. */
static bool is_backward_next(const struct play *play, const struct cursor *at)
{
    int all = play->m * play->V;
    return at->forwards == all || at->forwards - at->backwards > at->warm_up;
}

static double play_all(const struct play *play)
{
    struct cursor at[SCHEDULE_STAGES_MAX] = {{0}};
    int all = play->m * play->V, waiting = play->p;
    for (int i = 0; i < play->p; i++)
        at[i].warm_up = (int)simulate_warm_up(play->shape, i);
    for (int n = 0; n < play->p * play->V * play->m; n++)
        play->done->forward[n] = play->done->backward[n] = NOT_DONE;
    for (bool moved = true; waiting > 0 && moved;) {
        moved = false;
        waiting = 0;
        for (int i = 0; i < play->p; i++) {
            while (at[i].backwards < all && run_pass(play, i, &at[i], is_backward_next(play, &at[i])))
                moved = true;
            waiting += at[i].backwards < all;
        }
    }
    double end = 0;
    for (int i = 0; i < play->p; i++)
        end = max(end, at[i].free_s);
    return waiting > 0 ? NAN : end;
}

/* Seconds that the busiest stage needs for one micro-batch. */
static double slowest_stage(const struct play *play)
{
    double slowest = 0;
    for (int i = 0; i < play->p; i++) {
        double busy = 0;
        for (int chunk = 0; chunk < play->V; chunk++)
            busy += play->forward_s[chunk * play->p + i] + play->backward_s[chunk * play->p + i];
        slowest = max(slowest, busy);
    }
    return slowest;
}

double simulate(const struct schedule_shape *shape, const double forward[], const double backward[],
                struct sim_scratch *scratch, void (*each)(void *context, const struct sim_event *event), void *context)
{
    int slots = shape->stages * shape->chunks;
    struct schedule_shape played = *shape;
    if (shape->kind > SCHEDULE_INTERLEAVED || !(shape->micro_batches >= 1) || shape->stages > SCHEDULE_STAGES_MAX ||
        shape->micro_batches != floor(shape->micro_batches) || slots > SIM_PASSES_MAX)
        return NAN;
    double most = SIM_PASSES_MAX / slots; /* micro-batches that fit; whole groups, so that the order stays the same */
    if (shape->micro_batches > most) {
        double rest = fmod(shape->micro_batches, shape->group);
        played.micro_batches = floor((most - rest) / shape->group) * shape->group + rest;
        if (played.micro_batches < 2 * shape->group)
            return NAN;
    }
    const struct play play = {&played, forward, backward, scratch, shape->stages, shape->chunks,
                              (int)played.micro_batches, each, context};
    return play_all(&play) + (shape->micro_batches - played.micro_batches) * slowest_stage(&play);
}
