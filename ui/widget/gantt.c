#include "ui/widget/gantt.h"

#include "core/estimate/timeline.h"

#include <stdlib.h>
#include <string.h>

const char *const gantt_pass_words[] = {
    [SIM_FORWARD] = "forward", [SIM_BACKWARD] = "backward", [SIM_WGRAD] = "weight gradients"};

/* ---- playing ---------------------------------------------------------------------------------------------------- */

static void count_event(void *context, const struct sim_event *event)
{
    ((struct gantt *)context)->first[event->stage + 1]++;
}

/* While events are placed, first[s] is where the next one of stage s goes. */
static void place_event(void *context, const struct sim_event *event)
{
    struct gantt *g = context;
    g->event[g->first[event->stage]++] = *event;
    g->end_s = fmax(g->end_s, event->end_s);
}

static bool make_room(struct gantt *g, size_t events)
{
    if (events <= g->room)
        return true;
    struct sim_event *event = realloc(g->event, events * sizeof *event);
    double *height = event ? realloc(g->height_bytes, events * sizeof *height) : NULL;
    double *after = height ? realloc(g->after_bytes, events * sizeof *after) : NULL;
    g->event = event ? event : g->event;
    g->height_bytes = height ? height : g->height_bytes;
    g->after_bytes = after ? after : g->after_bytes;
    g->room = after ? events : g->room;
    return after;
}

void gantt_build(struct gantt *g, const struct estimate *e, bool is_brief)
{
    double all = e->schedule.micro_batches,
           played = simulate_drawn(&e->schedule, is_brief ? 2 * e->schedule.stages : all);
    g->stages = 0;
    g->is_brief = is_brief;
    g->end_s = 0;
    g->weighed_stage = GANTT_NONE;
    memset(g->first, 0, sizeof g->first);
    if (!(played > 0) || isnan(estimate_play(e, played, count_event, g)))
        return;
    for (int s = 0; s < e->stages; s++)
        g->first[s + 1] += g->first[s];
    if (!make_room(g, (size_t)g->first[e->stages]))
        return;
    estimate_play(e, played, place_event, g);
    memmove(g->first + 1, g->first, (size_t)e->stages * sizeof *g->first); /* back from ends to beginnings */
    g->first[0] = 0;
    g->stages = e->stages;
    g->micro_batches = all;
    g->left_out = all - played;
    g->gap_s = g->left_out * e->step.slowest_micro_s;
    g->is_paired = e->schedule.kind == SCHEDULE_DUALPIPE;
    g->cut_s = g->left_out > 0 ? g->end_s / 2 : INFINITY; /* between fill and drain */
}

void gantt_free(struct gantt *g)
{
    free(g->event);
    free(g->height_bytes);
    free(g->after_bytes);
    *g = (struct gantt){0};
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static bool is_of(const struct gantt *g, const struct timeline_point *point, const struct sim_event *event)
{
    static const enum timeline_event kinds[] = {
        [SIM_FORWARD] = EVENT_FORWARD, [SIM_BACKWARD] = EVENT_BACKWARD, [SIM_WGRAD] = EVENT_WGRAD};
    return point->event == kinds[event->pass] && point->micro_batch == gantt_micro_batch(g, event);
}

/* The curve of the stage and its passes have the same order; a weight gradient that runs at once has no point. */
void gantt_weigh(struct gantt *g, const struct estimate *e, int stage)
{
    enum { POINTS = 6 };
    int count = gantt_count(g, stage), max = POINTS * count + 16, at = 0;
    struct timeline_point *point = malloc((size_t)max * sizeof *point);
    int points = point ? timeline_of(e, stage, point, max) : 0;
    for (int i = 0; i < count; i++) {
        const struct sim_event *event = gantt_event(g, stage, i);
        int k = at, end = event->pass != SIM_WGRAD || at + 3 > points ? points : at + 3;
        while (k < end && !is_of(g, &point[k], event))
            k++;
        bool is_found = k < end;
        double before = i > 0 ? g->after_bytes[g->first[stage] + i - 1] : points > 0 ? point[0].bytes : NAN;
        g->height_bytes[g->first[stage] + i] = is_found ? point[k].bytes : before;
        g->after_bytes[g->first[stage] + i] = is_found ? point[k].after_bytes : before;
        at = is_found ? k + 1 : at;
    }
    g->weighed_stage = stage;
    free(point);
}

/* ---- asking ----------------------------------------------------------------------------------------------------- */

int gantt_count(const struct gantt *g, int stage)
{
    return stage < g->stages ? g->first[stage + 1] - g->first[stage] : 0;
}

const struct sim_event *gantt_event(const struct gantt *g, int stage, int i)
{
    return &g->event[g->first[stage] + i];
}

int gantt_find(const struct gantt *g, int stage, double at_s)
{
    int low = 0, high = gantt_count(g, stage);
    while (low < high) {
        int middle = (low + high) / 2;
        if (gantt_event(g, stage, middle)->start_s <= at_s)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

int gantt_winner(const struct gantt *g, int stage, double from_s, double to_s)
{
    double covered = 0, most = 0;
    int winner = GANTT_NONE;
    for (int i = gantt_find(g, stage, to_s); i >= 0; i--) {
        const struct sim_event *event = gantt_event(g, stage, i);
        double inside = fmin(event->end_s, to_s) - fmax(event->start_s, from_s);
        if (event->end_s <= from_s)
            break;
        if (inside > 0)
            covered += inside;
        if (inside > most) {
            most = inside;
            winner = i;
        }
    }
    return covered < (to_s - from_s) / 2 ? GANTT_NONE : winner;
}

double gantt_real_s(const struct gantt *g, double at_s)
{
    return at_s + (at_s >= g->cut_s ? g->gap_s : 0);
}

/* With DualPipe the later half of the micro-batches comes from the other end. */
static bool is_mirrored(const struct gantt *g, const struct sim_event *event)
{
    return g->is_paired && 2 * event->micro_batch >= g->micro_batches - g->left_out;
}

int gantt_micro_batch(const struct gantt *g, const struct sim_event *event)
{
    bool is_later = event->start_s >= g->cut_s;
    double left_out = g->left_out / (g->is_paired ? 2 : 1);
    return event->micro_batch + (int)left_out * (is_later + is_mirrored(g, event));
}

int gantt_number(const struct gantt *g, int stage, int i, int *all)
{
    int count = gantt_count(g, stage), played = (int)(g->micro_batches - g->left_out),
        left_out = count / played * (int)g->left_out;
    *all = count + left_out;
    return i + 1 + (gantt_event(g, stage, i)->start_s >= g->cut_s ? left_out : 0);
}

double gantt_wait_s(const struct gantt *g, int stage, int i)
{
    double free_s = i > 0 ? gantt_event(g, stage, i - 1)->end_s : 0,
           wait_s = gantt_event(g, stage, i)->start_s - free_s;
    return wait_s > 1e-9 * g->end_s ? wait_s : 0;
}

/* ---- what a pass waits for -------------------------------------------------------------------------------------- */

/* The chunk of the model that a pass runs. */
static int place_of(const struct gantt *g, const struct estimate *e, const struct sim_event *event)
{
    return is_mirrored(g, event) ? g->stages - 1 - event->stage
                                 : schedule_place(&e->schedule, event->stage, event->chunk);
}

static int find_pass(const struct gantt *g, const struct estimate *e, int place, enum sim_pass pass,
                     const struct sim_event *of, int *stage)
{
    *stage = is_mirrored(g, of) ? g->stages - 1 - place : schedule_stage(&e->schedule, place);
    for (int i = gantt_find(g, *stage, of->start_s); i >= 0; i--) {
        const struct sim_event *event = gantt_event(g, *stage, i);
        if (event->pass == pass && event->micro_batch == of->micro_batch && place_of(g, e, event) == place)
            return i;
    }
    return GANTT_NONE;
}

int gantt_needs(const struct gantt *g, const struct estimate *e, int stage, int i, int *other)
{
    const struct sim_event *event = gantt_event(g, stage, i);
    int place = place_of(g, e, event), last = g->stages * e->schedule.chunks - 1;
    *other = stage;
    if (event->pass == SIM_WGRAD || (event->pass == SIM_FORWARD && place == 0))
        return GANTT_NONE;
    if (event->pass == SIM_FORWARD)
        return find_pass(g, e, place - 1, SIM_FORWARD, event, other);
    return place == last ? find_pass(g, e, place, SIM_FORWARD, event, other)
                         : find_pass(g, e, place + 1, SIM_BACKWARD, event, other);
}
