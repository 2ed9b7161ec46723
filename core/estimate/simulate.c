#include "core/estimate/simulate.h"

enum { NOT_DONE = -1 };

/* A pass in the order of a stage: its chunk, and where its time stands on the first stage. */
struct turn {
    int chunk, index;
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
        order[k] = (struct turn){chunk, chunk * shape->stages * (int)shape->micro_batches + micro_batch};
    }
}

/* Tells who listens about a pass that ends now. */
static void tell(const struct play *play, int stage, int chunk, int index, bool is_backward, double start, double end)
{
    if (play->each)
        play->each(play->context, &(struct sim_event){stage, chunk, index % play->m,
                                                      is_backward ? SIM_BACKWARD : SIM_FORWARD, start, end});
}

/* Runs the next forward pass when what it needs is done; returns false when it has to wait. */
static inline bool run_forward(const struct play *play, int stage, struct cursor *at)
{
    const struct turn *turn = &play->order[at->forwards];
    double *forward = play->done->forward;
    int n = turn->chunk * play->p + stage, index = turn->index + stage * play->m;
    double needs = n == 0 ? 0 : forward[index - play->m];
    if (needs == NOT_DONE)
        return false;
    double start = max(at->free_s, needs);
    forward[index] = at->free_s = start + play->times->forward_s[n];
    at->forwards++;
    tell(play, stage, turn->chunk, index, false, start, at->free_s);
    return true;
}

/* The same of the next backward pass. */
static inline bool run_backward(const struct play *play, int stage, struct cursor *at)
{
    const struct turn *turn = &play->order[at->backwards];
    double *backward = play->done->backward;
    int chunk = play->V - 1 - turn->chunk, n = chunk * play->p + stage;
    int index = turn->index + ((chunk - turn->chunk) * play->p + stage) * play->m;
    double needs = n == play->p * play->V - 1 ? play->done->forward[index] : backward[index + play->m];
    if (needs == NOT_DONE)
        return false;
    double start = max(at->free_s, needs);
    backward[index] = at->free_s = start + play->times->backward_s[n];
    at->backwards++;
    tell(play, stage, chunk, index, true, start, at->free_s);
    return true;
}

/* Runs passes until one has to wait: after the warm-up forward and backward ones alternate. Whether any ran. */
static bool run_stage(const struct play *play, int stage, struct cursor *given)
{
    int all = play->m * play->V;
    struct cursor at = *given;
    while (at.backwards < all &&
           (at.forwards == all || at.forwards - at.backwards > at.warm_up ? run_backward(play, stage, &at)
                                                                          : run_forward(play, stage, &at)))
        ;
    bool moved = at.forwards + at.backwards > given->forwards + given->backwards;
    *given = at;
    return moved;
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
            moved |= run_stage(play, i, &at[i]);
            waiting += at[i].backwards < all;
        }
    }
    double end = 0;
    for (int i = 0; i < play->p; i++)
        end = max(end, at[i].free_s);
    play->order = NULL; /* it was here alone */
    return waiting > 0 ? NAN : end;
}

/*
 * As play_all() of 1F1B, where each stage warms up with one forward pass more than the stage after it, in an order in
 * which nothing waits: round k has forward pass k of every stage, then the backward passes that each stage runs next.
 */
static double play_1f1b(const struct play *play)
{
    double free_s[SCHEDULE_STAGES_MAX], back_s[SCHEDULE_STAGES_MAX + 1]; /* the stage's last backward pass */
    const int p = play->p, m = play->m;
    const double *forward_s = play->times->forward_s, *backward_s = play->times->backward_s;
    double end = 0;
    for (int i = 0; i < p; i++)
        free_s[i] = 0;
    for (int k = 0; k < m + p - 1; k++) {
        double needs = 0;
        for (int i = 0; i < p && k < m; i++)
            needs = free_s[i] = max(free_s[i], needs) + forward_s[i];
        back_s[p] = needs; /* the loss */
        for (int i = k < p ? p - 1 - k : 0; i < p && i < m + p - 1 - k; i++)
            back_s[i] = free_s[i] = max(free_s[i], back_s[i + 1]) + backward_s[i];
    }
    for (int i = 0; i < p; i++)
        end = max(end, free_s[i]);
    return end;
}

/* Whether stages have several chunks, which follow each other at the pace of the stages, in whole groups. */
static bool is_in_step(const struct schedule_shape *shape)
{
    return shape->kind == SCHEDULE_INTERLEAVED && shape->group == shape->stages &&
           fmod(shape->micro_batches, shape->group) == 0;
}

/* What stages in step did last: when they are free again, and the ends of their last passes. */
struct stages_in_step {
    const struct play *play;
    double free_s[SCHEDULE_STAGES_MAX], forward_s[SCHEDULE_STAGES_MAX], backward_s[SCHEDULE_STAGES_MAX];
};

/*
 * Forward pass k - i of every stage i that has one, from the last stage to the first: what they need ran before. p
 * passes take one chunk, then the next.
 */
static void step_forward(struct stages_in_step *at, int k)
{
    const struct play *play = at->play;
    int p = play->p, V = play->V, all = play->m * V, first = k < all ? 0 : k - all + 1;
    int late = k / p % V, early = (late + V - 1) % V, turn = k % p;
    double from_last = at->forward_s[p - 1];
    for (int i = k < p ? k : p - 1; i >= first; i--) {
        int chunk = i > turn ? early : late;
        double needs = i > 0 ? at->forward_s[i - 1] : chunk > 0 ? from_last : 0;
        at->forward_s[i] = at->free_s[i] = max(at->free_s[i], needs) + play->times->forward_s[chunk * p + i];
    }
}

/* The same of backward pass k + i, from the first stage to the last; they take the chunks in reverse. */
static void step_backward(struct stages_in_step *at, int k)
{
    const struct play *play = at->play;
    int p = play->p, V = play->V, end = play->m * V - k, whole = k + 2 * p * V; /* not below 0 */
    int early = V - 1 - whole / p % V, late = early > 0 ? early - 1 : V - 1, turn = p - whole % p;
    double from_first = at->backward_s[0];
    for (int i = k < 0 ? -k : 0; i < p && i < end; i++) {
        int chunk = i < turn ? early : late;
        double needs = i < p - 1 ? at->backward_s[i + 1] : chunk < V - 1 ? from_first : at->forward_s[p - 1];
        at->backward_s[i] = at->free_s[i] = max(at->free_s[i], needs) + play->times->backward_s[chunk * p + i];
    }
}

/*
 * As play_all() of stages in step, which keep their last passes alone: stage i is one forward pass behind the stage
 * before it and one backward pass ahead, and begins with twice as many of the former as stages follow, and all of the
 * first group's.
 */
static double play_in_step(const struct play *play)
{
    struct stages_in_step at;
    int p = play->p, all = play->m * play->V, warm_up = 2 * (p - 1) + (play->V - 1) * p;
    double end = 0;
    at.play = play;
    for (int i = 0; i < p; i++)
        at.free_s[i] = at.forward_s[i] = at.backward_s[i] = 0;
    for (int k = 0; k < all + warm_up; k++) {
        step_forward(&at, k);
        step_backward(&at, k - warm_up);
    }
    for (int i = 0; i < p; i++)
        end = max(end, at.free_s[i]);
    return end;
}

/* ---- schedules that run weight gradients apart ------------------------------------------------------------------ */

/* Where one stage is in its order. */
struct place {
    struct passes passes;
    struct pass_step step; /* the next one */
    bool has_step;
    double start_s, free_s;
    int chunk[PASS_CHUNKS]; /* of the model: what the stage's chunks are, */
    int first[PASS_CHUNKS]; /* where the times of their first passes stand, */
    double takes_s[SIM_PASS_KINDS][PASS_CHUNKS]; /* and how long their passes take */
};

static double pass_s(const struct sim_times *times, enum sim_pass pass, int n)
{
    return pass == SIM_FORWARD ? times->forward_s[n]
           : pass == SIM_WGRAD ? times->wgrad_s[n]
                               : times->backward_s[n] - times->wgrad_s[n];
}

static void begin_stage(const struct play *play, int stage, struct place *at)
{
    *at = (struct place){.start_s = NOT_DONE};
    for (int chunk = 0; chunk < PASS_CHUNKS; chunk++) {
        int n = at->chunk[chunk] = schedule_place(play->shape, stage, chunk);
        at->first[chunk] = n * play->m + passes_micro_batch(play->shape, stage, chunk, 0);
        for (int pass = 0; pass < SIM_PASS_KINDS && n < play->p * play->V; pass++)
            at->takes_s[pass][chunk] = pass_s(play->times, (enum sim_pass)pass, n);
    }
    passes_begin(play->shape, stage, &at->passes);
    at->has_step = passes_next(&at->passes, &at->step);
}

/* Where the time of a pass of the stage's next step stands. */
static int index_of(const struct place *at, enum sim_pass pass)
{
    int chunk = at->step.chunk[pass];
    return at->first[chunk] + at->passes.count[pass][chunk] - 1;
}

/* When the stage's next step may start, NOT_DONE while it has to wait: weight gradients have what they need. */
static double step_ready_s(const struct play *play, const struct place *at)
{
    const double *forward = play->done->forward, *backward = play->done->backward;
    int f = at->step.chunk[SIM_FORWARD], b = at->step.chunk[SIM_BACKWARD], m = play->m, last = play->p * play->V - 1;
    double ready = 0;
    if (f != PASS_NONE && at->chunk[f] > 0)
        ready = forward[index_of(at, SIM_FORWARD) - m];
    if (b == PASS_NONE || ready == NOT_DONE)
        return ready;
    int index = index_of(at, SIM_BACKWARD);
    double needs = at->chunk[b] == last ? forward[index] : backward[index + m];
    return needs == NOT_DONE ? NOT_DONE : max(ready, needs);
}

/* Tells who listens about the passes of a step that starts at `start`. */
static void tell_step(const struct play *play, int stage, const struct place *at, double start)
{
    for (int pass = 0; pass < SIM_PASS_KINDS; pass++) {
        int chunk = at->step.chunk[pass];
        if (chunk == PASS_NONE)
            continue;
        int n = at->chunk[chunk];
        double end = start + at->takes_s[pass][chunk];
        play->each(play->context,
                   &(struct sim_event){stage, n / play->p, index_of(at, (enum sim_pass)pass) - n * play->m,
                                       (enum sim_pass)pass, start, end});
        start = end;
    }
}

/* Runs the stage's next step; returns false when it has to wait. What it made is passed on at its end. */
static inline bool run_step(const struct play *play, int stage, struct place *at)
{
    double ready = step_ready_s(play, at);
    const int *chunk = at->step.chunk;
    if (ready == NOT_DONE)
        return false;
    double start = max(at->free_s, ready), end = start;
    at->start_s = at->start_s == NOT_DONE ? start : at->start_s;
    for (int pass = 0; pass < SIM_PASS_KINDS; pass++)
        end += chunk[pass] == PASS_NONE ? 0 : at->takes_s[pass][chunk[pass]];
    if (play->each)
        tell_step(play, stage, at, start);
    if (chunk[SIM_FORWARD] != PASS_NONE)
        play->done->forward[index_of(at, SIM_FORWARD)] = end;
    if (chunk[SIM_BACKWARD] != PASS_NONE)
        play->done->backward[index_of(at, SIM_BACKWARD)] = end;
    at->free_s = end;
    at->has_step = passes_next(&at->passes, &at->step);
    return true;
}

static double play_apart(const struct play *play)
{
    struct place at[SCHEDULE_STAGES_MAX];
    int waiting = play->p;
    for (int i = 0; i < play->p; i++)
        begin_stage(play, i, &at[i]);
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

/* ---- all schedules ---------------------------------------------------------------------------------------------- */

/*
 * Seconds that the steady state takes for one micro-batch: those of the busiest stage, with DualPipe half of them its
 * own and half of its mirror image.
 */
static double pace_of(const struct play *play)
{
    double busy[SCHEDULE_STAGES_MAX] = {0}, slowest = 0;
    int p = play->p;
    for (int n = 0; n < p * play->V; n++)
        busy[schedule_stage(play->shape, n)] += play->times->forward_s[n] + play->times->backward_s[n];
    for (int i = 0; i < p; i++)
        slowest = max(slowest, play->shape->kind == SCHEDULE_DUALPIPE ? (busy[i] + busy[p - 1 - i]) / 2 : busy[i]);
    return slowest;
}

/* Whether the schedule can be played, and fits the scratch. */
static bool is_playable(const struct schedule_shape *shape, const struct sim_times *times)
{
    return schedule_is_possible(shape) && shape->stages <= SCHEDULE_STAGES_MAX &&
           shape->stages * shape->chunks <= SIM_PASSES_MAX && (times->wgrad_s || !schedule_rows[shape->kind].apart);
}

/* Whether a schedule that nobody listens to needs its stages' last passes alone. */
static bool keeps_last(const struct schedule_shape *shape)
{
    return shape->kind == SCHEDULE_1F1B || is_in_step(shape);
}

/* Micro-batches of `passes` passes at most that leave the order as it is: all, or whole groups less; 0 for too few. */
static double played_within(const struct schedule_shape *shape, int passes)
{
    bool is_apart = schedule_rows[shape->kind].apart;
    int group = is_apart ? 2 : shape->group;
    double most = floor(passes / ((double)shape->stages * shape->chunks));
    if (shape->stages > SCHEDULE_STAGES_MAX)
        return 0;
    if (!(shape->micro_batches > most))
        return shape->micro_batches;
    double rest = fmod(shape->micro_batches, group), played = floor((most - rest) / group) * group + rest;
    return played < 2 * (is_apart ? shape->stages : group) ? 0 : played;
}

double simulate_played(const struct schedule_shape *shape)
{
    return played_within(shape, keeps_last(shape) ? SIM_STEPS_MAX : SIM_PASSES_MAX);
}

double simulate_drawn(const struct schedule_shape *shape, double wanted)
{
    bool is_apart = schedule_rows[shape->kind].apart;
    int group = is_apart ? 2 : shape->chunks > 1 ? shape->group : 1;
    double most = floor(SIM_PASSES_MAX / ((double)shape->stages * shape->chunks)),
           rest = fmod(shape->micro_batches, group);
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
    played.micro_batches = each ? played_within(shape, SIM_PASSES_MAX) : simulate_played(shape);
    if (!schedule_runs(&played))
        return NAN;
    struct play play = {&played, times, scratch, shape->stages, shape->chunks, (int)played.micro_batches,
                        NULL,    each,  context};
    return (is_apart                       ? play_apart(&play)
            : each || !keeps_last(&played) ? play_all(&play)
            : shape->kind == SCHEDULE_1F1B ? play_1f1b(&play)
                                           : play_in_step(&play)) +
           (shape->micro_batches - played.micro_batches) * pace_of(&play);
}
