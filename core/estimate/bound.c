#include "core/estimate/bound.h"

/* What the stages do for one micro-batch: seconds of all their chunks, and of the first. */
struct busy {
    int p;
    double m;
    double forward_s[STAGES_MAX], backward_s[STAGES_MAX], wgrad_s[STAGES_MAX];
    double both_s[STAGES_MAX];  /* forward and backward */
    double first_s[STAGES_MAX]; /* of the first chunk */
    double after_s[STAGES_MAX]; /* of all stages behind this one */
};

static void sum_up(const struct schedule_shape *shape, const struct chunk_times *times, struct busy *out)
{
    int p = out->p = shape->stages;
    out->m = shape->micro_batches;
    for (int i = 0; i < p; i++)
        out->forward_s[i] = out->backward_s[i] = out->wgrad_s[i] = 0;
    for (int n = 0; n < p * shape->chunks; n++) {
        int i = schedule_stage(shape, n);
        out->forward_s[i] += times->forward_s[n];
        out->backward_s[i] += times->backward_s[n];
        out->wgrad_s[i] += times->wgrad_s[n];
    }
    double after = 0;
    for (int i = p - 1; i >= 0; i--) {
        out->both_s[i] = out->forward_s[i] + out->backward_s[i];
        out->first_s[i] = times->forward_s[i] + times->backward_s[i];
        out->after_s[i] = after;
        after += out->both_s[i];
    }
}

/*
 * A stage's first pass waits for the first chunks of the stages before it, and after its last they are passed once
 * more. With one chunk, 1F1B also leaves the stage idle between its warm-up and the first backward pass that comes
 * back, and again at the end.
 */
static double in_turn(const struct busy *busy, bool is_1f1b)
{
    double longest = 0, before = 0;
    for (int i = 0; i < busy->p; i++) {
        double behind = busy->p - 1 - i, after = busy->after_s[i], own = busy->m * busy->both_s[i];
        if (is_1f1b && busy->m >= behind + 2)
            own = (busy->m - behind) * busy->both_s[i] + max(behind * busy->forward_s[i], after) +
                  max(behind * busy->backward_s[i], after);
        longest = max(longest, before + own);
        before += busy->first_s[i];
    }
    return longest;
}

/* Before a stage's first backward pass only the forward passes of its warm-up run. */
static double with_idle_start(const struct busy *busy, bool is_twice)
{
    double longest = 0, behind_s = 0; /* forward and input gradients of the stages behind */
    for (int i = busy->p - 1; i >= 0; i--) {
        double behind = busy->p - i, warm_up = min(is_twice ? 2 * behind - 1 : behind, busy->m);
        double idle = busy->forward_s[i] + behind_s - warm_up * busy->forward_s[i];
        longest = max(longest, busy->m * busy->both_s[i] + max(idle, 0));
        behind_s += busy->both_s[i] - busy->wgrad_s[i];
    }
    return longest;
}

/* Half of the micro-batches on a stage and half on its mirror image; `is_pair` false: all on the stage. */
static double at_work(const struct busy *busy, bool is_pair)
{
    double longest = 0;
    for (int i = 0; i < busy->p; i++)
        longest = max(longest, busy->m * (busy->both_s[i] + busy->both_s[is_pair ? busy->p - 1 - i : i]) / 2);
    return longest;
}

/*
 * The V schedule: a stage's first pass waits for the chunks before it, and its last backward pass has those to follow,
 * on the first stage with weight gradients. There no backward pass of the first chunk runs before one micro-batch went
 * all the way.
 */
static double along_the_v(const struct schedule_shape *shape, const struct chunk_times *times)
{
    int p = shape->stages, last = 2 * p - 1;
    double m = shape->micro_batches, there = 0, back = 0, longest = 0, own = times->backward_s[0];
    for (int n = 0; n < p; n++) {
        int twin = last - n;
        double work = times->forward_s[n] + times->backward_s[n] - times->wgrad_s[n] + times->forward_s[twin] +
                      times->backward_s[twin] - times->wgrad_s[twin];
        longest = max(longest, there + m * work + back + times->wgrad_s[0]);
        there += times->forward_s[n];
        back += times->backward_s[n] - times->wgrad_s[n];
    }
    for (int n = p; n <= last; n++) {
        there += times->forward_s[n];
        back += times->backward_s[n] - times->wgrad_s[n];
    }
    return max(longest, there + back - (own - times->wgrad_s[0]) + m * own);
}

double bound_play(const struct schedule_shape *shape, const struct split *split, const struct pipeline_sheets *sheets)
{
    struct chunk_times times;
    struct busy busy;
    if (!(simulate_played(shape) > 0))
        return NAN;
    pipeline_times(shape, split, sheets, &times);
    sum_up(shape, &times, &busy);
    switch (shape->kind) {
    case SCHEDULE_ZB_H1:
    case SCHEDULE_ZB_H2:
        return with_idle_start(&busy, shape->kind == SCHEDULE_ZB_H2);
    case SCHEDULE_ZB_V:
        return max(at_work(&busy, false), along_the_v(shape, &times));
    case SCHEDULE_DUALPIPE:
        return at_work(&busy, shape->kind == SCHEDULE_DUALPIPE);
    default:
        return in_turn(&busy, shape->kind == SCHEDULE_1F1B && shape->chunks == 1);
    }
}
