#include "core/estimate/simulate.h"

#include "core/estimate/term.h"
#include "core/plan/plan.h"

#include <math.h>

enum { NOT_DONE = -1 };

/* One schedule being played. */
struct play {
    const struct schedule_shape *shape;
    const struct sim_times *times;
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

static double play_all(const struct play *play)
{
    struct cursor at[SCHEDULE_STAGES_MAX] = {{0}};
    int all = play->m * play->V, waiting = play->p;
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

/*
 * The order of a stage's passes: F forward, B input gradients, W weight gradients; small letters are chunk 1, in DualPipe
 * the micro-batches from the other end; x is the weight gradients that have waited longest. Each letter takes the next
 * micro-batch of its kind, and nothing once there is none left.
 */
struct phase {
    int times;
    const char *passes;
};

enum { PHASES = 10 };

static void order_of(const struct schedule_shape *shape, int s, struct phase out[PHASES])
{
    int p = shape->stages, m = (int)shape->micro_batches, n = m > 2 * p - 1 ? m : 2 * p - 1;
    int half = p / 2, h = s < p - 1 - s ? s : p - 1 - s; /* DualPipe: stages from the nearer end */
    const struct phase orders[][PHASES] = {
        [SCHEDULE_ZB_H1] = {{p - s, "F"}, {s, "BF"}, {m - p, "BWF"}, {p, "BW"}, {p, "W"}},
        [SCHEDULE_ZB_H2] = {{2 * (p - s) - 1, "F"}, {2 * s, "BF"}, {m - 2 * p + 1, "BWF"}, {2 * p - 1, "BW"}, {2 * p - 1, "W"}},
        [SCHEDULE_ZB_V] = {{2 * (p - s) - 1, "F"}, {s, "fF"}, {p - s, "fbw"}, {n - p, "FBWfbw"}, {s, "Bb"}, {p - s, "BW"}, {s, "w"}, {s, "W"}},
        [SCHEDULE_DUALPIPE] = {{2 * (half - h - 1), "F"}, {h + 1, "Ff"}, {half - h - 1, "bwf"}, {m / 2 - p + h + 1, "FbwfBW"},
                               {half - h - 1, "bwfBW"}, {(h + 1) / 2, "bwBW"}, {(h + 1) % 2, "bwB"}, {(h + 1) / 2, "bB"},
                               {half - h - 1, "xB"}, {h + 1, "x"}},
    };
    for (int i = 0; i < PHASES; i++)
        out[i] = orders[shape->kind][i];
}

/* Where one stage is in its order. */
struct place {
    struct phase phase[PHASES];
    int at, repeat, letter;       /* in the order */
    int count[SIM_PASS_KINDS][2]; /* passes run of each kind and chunk */
    double start_s, free_s;
};

/* Where a chunk of a stage stands in the model, and which micro-batch its `count`-th pass is. */
static int model_place(const struct play *play, int stage, int chunk, int count, int *mb)
{
    int p = play->p, kind = play->shape->kind;
    bool is_from_end = kind == SCHEDULE_DUALPIPE && (chunk == 1) != (stage >= p / 2);
    *mb = is_from_end ? play->m / 2 + count : count;
    return kind == SCHEDULE_ZB_V && chunk == 1 ? 2 * p - 1 - stage : is_from_end ? p - 1 - stage : stage;
}

/* The chunk whose weight gradients have waited longest. */
static int longest_waiting(const struct play *play, int stage, const struct place *at)
{
    double since[2];
    for (int chunk = 0; chunk < 2; chunk++) {
        int mb, count = at->count[SIM_WGRAD][chunk], n = model_place(play, stage, chunk, count, &mb);
        since[chunk] = count < at->count[SIM_BACKWARD][chunk] ? play->done->backward[n * play->m + mb] : INFINITY;
    }
    return since[1] < since[0];
}

/* When the pass may start, NOT_DONE while it has to wait. */
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
        return backward[n * m + mb];
    }
}

static double pass_s(const struct sim_times *times, enum sim_pass pass, int n)
{
    return pass == SIM_FORWARD ? times->forward_s[n] : pass == SIM_WGRAD ? times->wgrad_s[n] : times->backward_s[n] - times->wgrad_s[n];
}

/* Moves on to the next letter. */
static void step_on(struct place *at)
{
    if (!at->phase[at->at].passes[++at->letter]) {
        at->letter = 0;
        at->repeat++;
    }
}

/* Whether the order has a letter left. */
static bool has_letter(struct place *at)
{
    for (; at->at < PHASES && at->repeat >= at->phase[at->at].times; at->at++)
        at->repeat = 0;
    return at->at < PHASES;
}

/* Runs the next pass of the order; returns false when it has to wait. */
static bool run_letter(const struct play *play, int stage, struct place *at)
{
    char letter = at->phase[at->at].passes[at->letter];
    int mb, chunk = letter == 'x' ? longest_waiting(play, stage, at) : letter >= 'a';
    enum sim_pass pass = letter == 'F' || letter == 'f' ? SIM_FORWARD : letter == 'B' || letter == 'b' ? SIM_BACKWARD : SIM_WGRAD;
    int n = model_place(play, stage, chunk, at->count[pass][chunk], &mb);
    if (at->count[pass][chunk] < (play->shape->kind == SCHEDULE_DUALPIPE ? play->m / 2 : play->m)) {
        double ready = ready_s(play, pass, n, mb), start = max(at->free_s, ready);
        if (ready == NOT_DONE)
            return false;
        at->start_s = at->start_s == NOT_DONE ? start : at->start_s;
        at->free_s = start + pass_s(play->times, pass, n);
        if (pass != SIM_WGRAD)
            (pass == SIM_FORWARD ? play->done->forward : play->done->backward)[n * play->m + mb] = at->free_s;
        if (play->each)
            play->each(play->context, &(struct sim_event){stage, n / play->p, mb, pass, start, at->free_s});
    }
    at->count[pass][chunk]++;
    step_on(at);
    return true;
}

static double play_apart(const struct play *play)
{
    struct place at[SCHEDULE_STAGES_MAX];
    int waiting = play->p;
    for (int i = 0; i < play->p; i++) {
        at[i] = (struct place){.start_s = NOT_DONE};
        order_of(play->shape, i, at[i].phase);
    }
    nothing_done(play);
    for (bool moved = true; waiting > 0 && moved;) {
        moved = false;
        waiting = 0;
        for (int i = 0; i < play->p; i++) {
            while (has_letter(&at[i]) && run_letter(play, i, &at[i]))
                moved = true;
            waiting += has_letter(&at[i]);
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

double simulate(const struct schedule_shape *shape, const struct sim_times *times, struct sim_scratch *scratch,
                void (*each)(void *context, const struct sim_event *event), void *context)
{
    struct schedule_shape played = *shape;
    if (!is_playable(shape, times))
        return NAN;
    bool is_apart = schedule_rows[shape->kind].apart;
    int group = is_apart ? 2 : shape->group; /* whole groups fall out, so that the order stays the same */
    double most = SIM_PASSES_MAX / (shape->stages * shape->chunks);
    if (shape->micro_batches > most) {
        double rest = fmod(shape->micro_batches, group);
        played.micro_batches = floor((most - rest) / group) * group + rest;
        if (played.micro_batches < 2 * (is_apart ? shape->stages : group))
            return NAN;
    }
    const struct play play = {&played, times, scratch, shape->stages, shape->chunks, (int)played.micro_batches, each, context};
    return (is_apart ? play_apart(&play) : play_all(&play)) + (shape->micro_batches - played.micro_batches) * slowest_stage(&play);
}
