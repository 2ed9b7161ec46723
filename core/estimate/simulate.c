#include "core/estimate/simulate.h"

#include "core/estimate/term.h"
#include "core/plan/plan.h"

#include <math.h>

enum { NOT_DONE = -1 };

/* A pass in the order of a stage. */
struct turn {
    short chunk, micro_batch;
};

/* One schedule being played. */
struct play {
    const struct schedule_shape *shape;
    const struct sim_times *times;
    struct sim_scratch *done;
    int p, V, m;
    const struct turn *order; /* forward passes of every stage; backward passes take the chunks in reverse */
    void (*each)(void *context, const struct sim_event *event);
    void *context;
};

/* Where one stage is in its own order of passes. */
struct cursor {
    int forwards, backwards; /* passes run */
    int warm_up;
    double free_s; /* when the stage is free again */
};

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

static void list_turns(const struct schedule_shape *shape, int count, struct turn order[])
{
    for (int k = 0; k < count; k++) {
        int chunk, micro_batch;
        simulate_pass(shape, k, false, &chunk, &micro_batch);
        order[k] = (struct turn){(short)chunk, (short)micro_batch};
    }
}

/* Runs one pass when what it needs is done; returns false when it has to wait. */
static bool run_pass(const struct play *play, int stage, struct cursor *at, bool is_backward)
{
    const struct turn *turn = &play->order[is_backward ? at->backwards : at->forwards];
    int chunk = is_backward ? play->V - 1 - turn->chunk : turn->chunk, mb = turn->micro_batch;
    int p = play->p, m = play->m, last = p * play->V - 1, n = chunk * p + stage;
    double *forward = play->done->forward, *backward = play->done->backward;
    double needs = is_backward ? (n == last ? forward[n * m + mb] : backward[(n + 1) * m + mb])
                               : (n == 0 ? 0 : forward[(n - 1) * m + mb]);
    if (needs == NOT_DONE)
        return false;
    double start = max(at->free_s, needs);
    at->free_s = start + (is_backward ? play->times->backward_s[n] : play->times->forward_s[n]);
    (is_backward ? backward : forward)[n * m + mb] = at->free_s;
    at->backwards += is_backward;
    at->forwards += !is_backward;
    if (play->each)
        play->each(play->context, &(struct sim_event){stage, chunk, mb, is_backward ? SIM_BACKWARD : SIM_FORWARD, start, at->free_s});
    return true;
}

/* Whether the stage's next pass is a backward one: after the warm-up forward and backward passes alternate. */
static bool is_backward_next(const struct play *play, const struct cursor *at)
{
    int all = play->m * play->V;
    return at->forwards == all || at->forwards - at->backwards > at->warm_up;
}

static void nothing_done(const struct play *play)
{
    for (int n = 0; n < play->p * play->V * play->m; n++)
        play->done->forward[n] = play->done->backward[n] = NOT_DONE;
}

static double play_all(struct play *play)
{
    struct cursor at[SCHEDULE_STAGES_MAX] = {{0}};
    struct turn order[SIM_PASSES_MAX];
    int all = play->m * play->V, waiting = play->p;
    list_turns(play->shape, all, order);
    play->order = order;
    for (int i = 0; i < play->p; i++)
        at[i].warm_up = (int)schedule_warm_up(play->shape, i);
    nothing_done(play);
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

/* ---- schedules that run weight gradients apart -------------------------------------------------------------------- */

/* Where one stage is in its order. */
struct place {
    struct passes passes;
    struct pass_step step; /* the next one */
    bool has_step;
    double start_s, free_s;
};

/* When a pass may start, NOT_DONE while it has to wait. */
static double ready_s(const struct play *play, enum sim_pass pass, int n, int mb)
{
    int m = play->m, last = play->p * play->V - 1;
    const double *forward = play->done->forward, *backward = play->done->backward;
    switch (pass) {
    case SIM_FORWARD:
        return n == 0 ? 0 : forward[(n - 1) * m + mb];
    case SIM_BACKWARD:
        return n == last ? forward[n * m + mb] : backward[(n + 1) * m + mb];
    default:
        return 0; /* its input gradient is behind it in the stage's order */
    }
}

static double pass_s(const struct sim_times *times, enum sim_pass pass, int n)
{
    return pass == SIM_FORWARD ? times->forward_s[n] : pass == SIM_WGRAD ? times->wgrad_s[n] : times->backward_s[n] - times->wgrad_s[n];
}

/* Chunk of the model and micro-batch of a pass of the stage's next step. */
static int place_of(const struct play *play, int stage, const struct place *at, int pass, int *mb)
{
    int chunk = at->step.chunk[pass];
    *mb = passes_micro_batch(play->shape, stage, chunk, at->passes.count[pass][chunk] - 1);
    return schedule_place(play->shape, stage, chunk);
}

/* When the stage's next step may start: when all that its passes need is there. */
static double step_ready_s(const struct play *play, int stage, const struct place *at)
{
    double ready = 0;
    for (int pass = 0; pass < SIM_PASS_KINDS && ready != NOT_DONE; pass++) {
        int mb, n = at->step.chunk[pass] == PASS_NONE ? PASS_NONE : place_of(play, stage, at, pass, &mb);
        double needs = n == PASS_NONE ? 0 : ready_s(play, (enum sim_pass)pass, n, mb);
        ready = needs == NOT_DONE ? NOT_DONE : max(ready, needs);
    }
    return ready;
}

/* Runs the stage's next step; returns false when it has to wait. What it made is passed on at its end. */
static bool run_step(const struct play *play, int stage, struct place *at)
{
    double ready = step_ready_s(play, stage, at);
    if (ready == NOT_DONE)
        return false;
    at->free_s = max(at->free_s, ready);
    at->start_s = at->start_s == NOT_DONE ? at->free_s : at->start_s;
    double *made[SIM_WGRAD] = {NULL};
    for (int pass = 0; pass < SIM_PASS_KINDS; pass++) {
        if (at->step.chunk[pass] == PASS_NONE)
            continue;
        int mb, n = place_of(play, stage, at, pass, &mb);
        double start = at->free_s;
        at->free_s += pass_s(play->times, (enum sim_pass)pass, n);
        if (pass < SIM_WGRAD)
            made[pass] = &(pass == SIM_FORWARD ? play->done->forward : play->done->backward)[n * play->m + mb];
        if (play->each)
            play->each(play->context, &(struct sim_event){stage, n / play->p, mb, (enum sim_pass)pass, start, at->free_s});
    }
    for (int pass = 0; pass < SIM_WGRAD; pass++)
        if (made[pass])
            *made[pass] = at->free_s;
    at->has_step = passes_next(&at->passes, &at->step);
    return true;
}

static double play_apart(const struct play *play)
{
    struct place at[SCHEDULE_STAGES_MAX];
    int waiting = play->p;
    for (int i = 0; i < play->p; i++) {
        at[i].start_s = NOT_DONE;
        at[i].free_s = 0;
        passes_begin(play->shape, i, &at[i].passes);
        at[i].has_step = passes_next(&at[i].passes, &at[i].step);
    }
    nothing_done(play);
    for (bool moved = true; waiting > 0 && moved;) {
        moved = false;
        waiting = 0;
        for (int i = 0; i < play->p; i++) {
            while (at[i].has_step && run_step(play, i, &at[i]))
                moved = true;
            waiting += at[i].has_step;
        }
    }
    double longest = 0;
    for (int i = 0; i < play->p; i++)
        longest = max(longest, at[i].free_s - at[i].start_s);
    return waiting > 0 ? NAN : longest;
}

/* ---- all schedules ------------------------------------------------------------------------------------------------- */

/* Seconds that the busiest stage needs for one micro-batch. */
static double slowest_stage(const struct play *play)
{
    double slowest = 0;
    for (int i = 0; i < play->p; i++) {
        double busy = 0;
        for (int chunk = 0; chunk < play->V; chunk++)
            busy += play->times->forward_s[chunk * play->p + i] + play->times->backward_s[chunk * play->p + i];
        slowest = max(slowest, busy);
    }
    return slowest;
}

/* Whether the schedule can be played, and fits the scratch. */
static bool is_playable(const struct schedule_shape *shape, const struct sim_times *times)
{
    return schedule_is_possible(shape) && shape->stages <= SCHEDULE_STAGES_MAX &&
           shape->stages * shape->chunks <= SIM_PASSES_MAX && (times->wgrad_s || !schedule_rows[shape->kind].apart);
}

double simulate_played(const struct schedule_shape *shape)
{
    bool is_apart = schedule_rows[shape->kind].apart;
    int group = is_apart ? 2 : shape->group; /* whole groups fall out, so that the order stays the same */
    double most = floor(SIM_PASSES_MAX / ((double)shape->stages * shape->chunks));
    if (shape->stages > SCHEDULE_STAGES_MAX)
        return 0;
    if (!(shape->micro_batches > most))
        return shape->micro_batches;
    double rest = fmod(shape->micro_batches, group), played = floor((most - rest) / group) * group + rest;
    return played < 2 * (is_apart ? shape->stages : group) ? 0 : played;
}

double simulate_drawn(const struct schedule_shape *shape, double wanted)
{
    bool is_apart = schedule_rows[shape->kind].apart;
    int group = is_apart ? 2 : shape->chunks > 1 ? shape->group : 1;
    double most = floor(SIM_PASSES_MAX / ((double)shape->stages * shape->chunks)), rest = fmod(shape->micro_batches, group);
    double drawn = rest + group * ceil((wanted - rest) / group), limit = rest + group * floor((most - rest) / group);
    double least = is_apart ? 2 * shape->stages : 1;
    if (shape->stages > SCHEDULE_STAGES_MAX || !schedule_is_possible(shape))
        return 0;
    drawn = min(min(max(drawn, least), limit), shape->micro_batches);
    return drawn < 1 ? 0 : drawn;
}

double simulate(const struct schedule_shape *shape, const struct sim_times *times, struct sim_scratch *scratch,
                void (*each)(void *context, const struct sim_event *event), void *context)
{
    struct schedule_shape played = *shape;
    if (!is_playable(shape, times))
        return NAN;
    bool is_apart = schedule_rows[shape->kind].apart;
    played.micro_batches = simulate_played(shape);
    if (played.micro_batches == 0)
        return NAN;
    struct play play = {&played, times, scratch, shape->stages, shape->chunks, (int)played.micro_batches, NULL, each, context};
    return (is_apart ? play_apart(&play) : play_all(&play)) + (shape->micro_batches - played.micro_batches) * slowest_stage(&play);
}
