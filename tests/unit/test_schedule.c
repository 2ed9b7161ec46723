/* Pipeline schedules: published vectors, and the closed forms against the schedules played out pass by pass. */
#include "tests/check.h"

#include "core/estimate/simulate.h"

static struct schedule_shape shape_of(int p, double m, int V, int N)
{
    return (struct schedule_shape){.kind = V > 1 ? SCHEDULE_INTERLEAVED : SCHEDULE_1F1B,
                                   .stages = p,
                                   .chunks = V,
                                   .group = V > 1 ? N : p,
                                   .micro_batches = m};
}

/* Bubble over ideal time with equal stages: (p-1)/(V m). Source: Narayanan et al. 2021 sections 2.2.1 and 2.2.2. */
static double bubble_ratio(const struct schedule_shape *shape)
{
    return (shape->stages - 1) / (shape->chunks * shape->micro_batches);
}

/* Vectors from Megatron-LM's own schedule functions. */
static void in_flight_and_bubble_of_known_pipelines(void **state)
{
    (void)state;
    static const struct {
        int p, m, V, N, in_flight[8];
        double bubble;
    } cases[] = {
        {4, 8, 1, 4, {4, 3, 2, 1}, 0.375},
        {4, 2, 1, 4, {2, 2, 2, 1}, 1.5},
        {4, 8, 2, 4, {11, 9, 7, 5}, 0.1875},
        {4, 4, 2, 4, {8, 8, 7, 5}, 0.375},
        {8, 16, 3, 8, {31, 29, 27, 25, 23, 21, 19, 17}, 7 / 48.0},
        {4, 12, 2, 6, {13, 11, 9, 7}, 0.125},
        {2, 6, 4, 2, {9, 7}, 1 / 24.0},
        {4, 6, 2, 6, {12, 11, 9, 7}, 0.25},
        {4, 10, 2, 6, {13, 11, 9, 7}, 0.15},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct schedule_shape shape = shape_of(cases[i].p, cases[i].m, cases[i].V, cases[i].N);
        for (int stage = 0; stage < cases[i].p; stage++)
            assert_same(schedule_in_flight(&shape, stage), cases[i].in_flight[stage]);
        assert_near(bubble_ratio(&shape), cases[i].bubble, 1e-15);
    }
}

static void gpipe_keeps_every_micro_batch(void **state)
{
    (void)state;
    struct schedule_shape shape = {.kind = SCHEDULE_GPIPE, .stages = 4, .chunks = 1, .group = 4, .micro_batches = 8};
    for (int stage = 0; stage < 4; stage++)
        assert_same(schedule_in_flight(&shape, stage), 8);
    assert_near(bubble_ratio(&shape), 3 / 8.0, 1e-15);
}

static void one_stage_keeps_one_micro_batch(void **state)
{
    (void)state;
    for (int kind = SCHEDULE_GPIPE; kind <= SCHEDULE_DUALPIPE; kind++) {
        struct schedule_shape shape = {.kind = kind, .stages = 1, .chunks = 1, .group = 1, .micro_batches = 8};
        assert_same(schedule_in_flight(&shape, 0), 1);
        assert_same(bubble_ratio(&shape), 0);
    }
}

/* ---- memory of schedules with weight gradients apart ------------------------------------------------------------ */

static struct peak peaks[PASS_PEAKS_MAX];

/* Micro-batches of a stage where it is fullest, over both chunks. */
static void fullest_of(const struct schedule_shape *shape, int stage, double kept, double waiting, int out[2])
{
    const struct pass_weights weights = {.kept = {kept, kept}, .waiting = {waiting, waiting}, .loss_chunk = PASS_NONE};
    struct fullest fullest;
    passes_fullest(peaks, passes_peaks(shape, stage, peaks), &weights, &fullest);
    out[0] = fullest.alive.kept[0] + fullest.alive.kept[1];
    out[1] = fullest.alive.waiting[0] + fullest.alive.waiting[1];
}

/*
 * Counted by hand from the orders of the sources; k: kept from forward to backward, w: waiting for the weight gradient.
 * Qi et al. 2023: H1 (p-s) k + s w, H2 (2p-2s-1) k + 2s w. Where w is larger than k, the end of the first backward pass
 * that a weight gradient follows is fuller: H1 (p-s-1) k + (s+1) w.
 *
 * H1, p 4, m 2, stage 3:       F 1k     B 1w       F 1k 1w    B 2w       W 1w       W 0
 * H1, p 4, m 2, stages 0, 1:   F 1k     F 2k       B 1k 1w    ...
 * V, p 2, m 4, stage 0:        FFF 3k   f 4k  b 3k 1w  w 3k   f 4k  b w 3k   F 4k  B 3k 1w  W 3k   f 4k ...
 * V, p 2, m 4, stage 1:        F 1k     f 2k  F 3k     f 4k   b 3k 1w  w 3k  F 4k  B 3k 1w  W 3k   f 4k ...
 *                              at the end: B 2k 1w   b 1k 2w   B 3w   W 2w   w 1w   W 0
 * DualPipe, p 4, m 8, stage 0: FFFf 4k  b 3k 1w  w 3k  f 4k   F 5k with d 4k   f 5k with D 4k   d 3k   f 4k with D 3k
 *                              d 2k     B 1k 1w  W 1k  B 1w   W 0
 * DualPipe, p 4, m 8, stage 1: FfFf 4k  F 5k with d 4k, four times with chunks in turn   d 3k  D 2k  b 1k 1w  B 2w  w
 * 1w  W 0 DualPipe, p 2, m 4:          Ff 2k    F 3k with d 2k   f 3k with D 2k   d 1k   B 1w   W 0
 */
static void what_is_alive_as_counted_by_hand(void **state)
{
    (void)state;
    static const struct {
        int kind, p, chunks;
        double m, k, w;
        int kept[4], waiting[4];
    } cases[] = {
        {SCHEDULE_ZB_H1, 4, 1, 8, 10, 9, {4, 3, 2, 1}, {0, 1, 2, 3}},
        {SCHEDULE_ZB_H1, 4, 1, 8, 10, 11, {3, 2, 1, 0}, {1, 2, 3, 4}},
        {SCHEDULE_ZB_H1, 4, 1, 2, 10, 9, {2, 2, 2, 1}, {0, 0, 0, 1}},  {SCHEDULE_ZB_H1, 2, 1, 4, 10, 1, {2, 1}, {0, 1}},
        {SCHEDULE_ZB_H2, 3, 1, 8, 10, 9, {5, 3, 1}, {0, 2, 4}},        {SCHEDULE_ZB_H2, 2, 1, 4, 10, 9, {3, 1}, {0, 2}},
        {SCHEDULE_ZB_V, 2, 2, 4, 10, 9, {4, 4}, {0, 0}},               {SCHEDULE_ZB_V, 2, 2, 4, 10, 11, {3, 3}, {1, 1}},
        {SCHEDULE_ZB_V, 4, 2, 8, 10, 9, {8, 8, 8, 8}, {0, 0, 0, 0}},
        {SCHEDULE_DUALPIPE, 2, 1, 4, 10, 9, {3, 3}, {0, 0}},
        {SCHEDULE_DUALPIPE, 4, 1, 8, 10, 9, {5, 5, 5, 5}, {0, 0, 0, 0}},
        {SCHEDULE_DUALPIPE, 4, 1, 64, 10, 19, {5, 5, 5, 5}, {0, 0, 0, 0}},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        for (int stage = 0; stage < cases[i].p; stage++) {
            struct schedule_shape shape = {cases[i].kind, cases[i].p, cases[i].chunks, cases[i].p, cases[i].m};
            int alive[2];
            fullest_of(&shape, stage, cases[i].k, cases[i].w, alive);
            assert_that(alive[0] == cases[i].kept[stage] && alive[1] == cases[i].waiting[stage],
                        "case %zu stage %d: %d kept, %d waiting", i, stage, alive[0], alive[1]);
        }
}

/* What is freed was kept; and leaving out what repeats the steady state does not change the height. */
static void passes_free_what_they_keep(void **state)
{
    (void)state;
    struct check_random random = {31};
    for (int i = 0; i < 400; i++) {
        int kind = SCHEDULE_ZB_H1 + check_below(&random, 4), p = 2 * (1 + check_below(&random, 6));
        int m = kind == SCHEDULE_DUALPIPE ? 2 * p + 2 * check_below(&random, 20) : 1 + check_below(&random, 60);
        struct schedule_shape shape = {kind, p, kind == SCHEDULE_ZB_V ? 2 : 1, p, m};
        const struct pass_weights weights = {.kept = {10, 8},
                                             .waiting = {1.0 + check_below(&random, 20),
                                                         1.0 + check_below(&random, 20)},
                                             .forward = check_below(&random, 9), .loss = 7,
                                             .backward = check_below(&random, 9)};
        for (int stage = 0; stage < p; stage++) {
            struct passes_walk walk;
            struct fullest fullest;
            struct pass_moment last = {.pass = SIM_FORWARD};
            double most = 0;
            int passes[SIM_PASS_KINDS] = {0};
            passes_walk_begin(&shape, stage, &walk);
            for (struct pass_moment moment; passes_walk_next(&walk, &moment); last = moment) {
                most = fmax(most, passes_height(&weights, &moment));
                passes[moment.pass]++;
                for (int chunk = 0; chunk < PASS_CHUNKS; chunk++)
                    assert_true(moment.after.kept[chunk] >= 0 && moment.after.waiting[chunk] >= 0);
            }
            assert_same(passes_bytes(&weights, &last.after), 0);
            assert_int_equal(passes[SIM_FORWARD], m * shape.chunks);
            assert_int_equal(passes[SIM_BACKWARD], m * shape.chunks);
            passes_fullest(peaks, passes_peaks(&shape, stage, peaks), &weights, &fullest);
            const double extra[] = {weights.forward, weights.loss, weights.backward};
            double bytes = passes_bytes(&weights, &fullest.alive) + extra[fullest.pass - 1];
            assert_that(bytes == most, "kind %d p%d m%d stage %d: %g, played in full %g", kind, p, m, stage, bytes,
                        most);
        }
    }
}

/* Where chunks weigh the same, a few corners of the peaks of all stages between the ends have the fullest of them. */
static void corners_have_the_fullest_between_the_ends(void **state)
{
    (void)state;
    struct check_random random = {36};
    for (int i = 0; i < 400; i++) {
        int kind = SCHEDULE_ZB_H1 + check_below(&random, 4), p = 4 + 2 * check_below(&random, 9);
        int m = kind == SCHEDULE_DUALPIPE ? 2 * p + 2 * check_below(&random, 20) : 1 + check_below(&random, 60);
        struct schedule_shape shape = {kind, p, kind == SCHEDULE_ZB_V ? 2 : 1, p, m};
        double kept = check_below(&random, 30), waiting = check_below(&random, 30);
        const struct pass_weights weights = {.kept = {kept, kept}, .waiting = {waiting, waiting},
                                             .loss_chunk = PASS_NONE,
                                             .forward = check_below(&random, 50), .backward = check_below(&random, 50)};
        struct fullest fullest;
        double most = 0;
        for (int stage = 1; stage < p - 1; stage++) {
            passes_fullest(peaks, passes_peaks(&shape, stage, peaks), &weights, &fullest);
            most = fmax(most, fullest.bytes);
        }
        int count = passes_corners(&shape, peaks);
        passes_fullest(peaks, count, &weights, &fullest);
        assert_that(fullest.bytes == most && count < 20, "kind %d p%d m%d: %g of %d corners, %g", kind, p, m,
                    fullest.bytes, count, most);
    }
}

/*
 * The longest pipelines have room: the most are those of the V schedule with a little fewer micro-batches than it
 * repeats.
 */
static void peaks_have_room(void **state)
{
    (void)state;
    enum { STAGES_MOST = 256 };
    for (int m = 1; m <= 2 * STAGES_MOST + 3; m += 39)
        for (int kind = SCHEDULE_ZB_H1; kind <= SCHEDULE_ZB_V; kind++)
            for (int stage = 0; stage < STAGES_MOST; stage += 17) {
                struct schedule_shape shape = {kind, STAGES_MOST, kind == SCHEDULE_ZB_V ? 2 : 1, STAGES_MOST, m};
                int count = passes_peaks(&shape, stage, peaks);
                assert_that(count > 0 && count < PASS_PEAKS_MAX, "kind %d m %d stage %d: %d peaks", kind, m, stage,
                            count);
                assert_true(stage > 0 || passes_corners(&shape, peaks) < PASS_PEAKS_MAX);
            }
}

/* ---- the schedules, played out ---------------------------------------------------------------------------------- */

enum { STAGES = 8, PASSES = 16 * 4 };

struct pass_id {
    int chunk, micro;
    bool is_backward;
};

/* Forward passes in the order a stage runs them: by groups of N micro-batches, chunk by chunk. */
static int order_of(int m, int V, int N, struct pass_id out[])
{
    int n = 0;
    for (int from = 0; from < m; from += N)
        for (int chunk = 0; chunk < V; chunk++)
            for (int micro = from; micro < from + N && micro < m; micro++)
                out[n++] = (struct pass_id){chunk, micro, false};
    return n;
}

/* Warm-up forwards, then one forward and one backward in turn, then the remaining backwards. */
static int play_stage(int p, int m, int V, int N, int stage, struct pass_id out[])
{
    struct pass_id forward[PASSES];
    int total = order_of(m, V, N, forward), n = 0, f = 0, b = 0;
    int warm = V > 1 ? 2 * (p - stage - 1) + (V - 1) * N : p - stage - 1;
    warm = warm < total ? warm : total;
    while (f < warm)
        out[n++] = forward[f++];
    while (b < total) {
        if (f < total)
            out[n++] = forward[f++];
        out[n] = forward[b++];
        out[n].chunk = V - 1 - out[n].chunk;
        out[n++].is_backward = true;
    }
    return n;
}

static void check_memory(const struct schedule_shape *shape, int p, int m, int V, int N)
{
    for (int stage = 0; stage < p; stage++) {
        struct pass_id list[2 * PASSES];
        int n = play_stage(p, m, V, N, stage, list), alive = 0, peak = 0, by_chunk[8] = {0}, at_peak[8] = {0},
            first_peak = 0;
        for (int i = 0; i < n; i++) {
            alive += list[i].is_backward ? -1 : 1;
            by_chunk[list[i].chunk] += list[i].is_backward ? -1 : 1;
            first_peak = by_chunk[0] > first_peak ? by_chunk[0] : first_peak;
            if (alive > peak) {
                peak = alive;
                memcpy(at_peak, by_chunk, sizeof at_peak);
            }
        }
        assert_that(schedule_in_flight(shape, stage) == peak, "p%d m%d V%d N%d stage %d: %g in flight, played %d", p, m,
                    V, N, stage, schedule_in_flight(shape, stage), peak);
        assert_that(schedule_first_chunk_peak(shape, stage) == first_peak,
                    "p%d m%d V%d N%d stage %d: first chunk %g, played %d", p, m, V, N, stage,
                    schedule_first_chunk_peak(shape, stage), first_peak);
        for (int chunk = 0; chunk < V; chunk++)
            assert_that(schedule_chunk_in_flight(shape, stage, chunk) == at_peak[chunk],
                        "p%d m%d V%d N%d stage %d chunk %d: %g, played %d", p, m, V, N, stage, chunk,
                        schedule_chunk_in_flight(shape, stage, chunk), at_peak[chunk]);
    }
}

static double end_of(double end[2][STAGES][4][16], int p, int V, int stage, const struct pass_id *pass)
{
    int c = pass->chunk, m = pass->micro;
    if (!pass->is_backward)
        return stage > 0 ? end[0][stage - 1][c][m] : c > 0 ? end[0][p - 1][c - 1][m] : 0;
    return stage < p - 1 ? end[1][stage + 1][c][m] : c < V - 1 ? end[1][0][c + 1][m] : end[0][stage][c][m];
}

/* Runs all stages, entry c * p + i of the times being chunk c of stage i; returns the time of the iteration. */
static double play_time(int p, int m, int V, int N, const double forward[], const double backward[])
{
    static double end[2][STAGES][4][16];
    static struct pass_id list[STAGES][2 * PASSES];
    int n = 0, at[STAGES] = {0};
    double clock[STAGES] = {0}, last = 0;
    for (int i = 0; i < 2 * STAGES * 4 * 16; i++)
        (&end[0][0][0][0])[i] = NAN;
    for (int stage = 0; stage < p; stage++)
        n = play_stage(p, m, V, N, stage, list[stage]);
    for (bool moved = true; moved;) {
        moved = false;
        for (int stage = 0; stage < p; stage++)
            for (; at[stage] < n; at[stage]++) {
                const struct pass_id *pass = &list[stage][at[stage]];
                double ready = end_of(end, p, V, stage, pass);
                if (isnan(ready))
                    break;
                clock[stage] =
                    fmax(clock[stage], ready) + (pass->is_backward ? backward : forward)[pass->chunk * p + stage];
                end[pass->is_backward][stage][pass->chunk][pass->micro] = clock[stage];
                last = fmax(last, clock[stage]);
                moved = true;
            }
    }
    for (int stage = 0; stage < p; stage++)
        assert_that(at[stage] == n, "p%d m%d V%d N%d: stage %d stands still", p, m, V, N, stage);
    return last;
}

static void closed_forms_equal_the_schedule_played_out(void **state)
{
    (void)state;
    int played = 0;
    for (int p = 2; p <= STAGES; p++)
        for (int V = 1; V <= 4; V++)
            for (int m = 1; m <= 16; m++)
                for (int N = p; N <= (V > 1 ? m : p); N++) {
                    if (V > 1 && m % N > 0 && m % N < p)
                        continue; /* Megatron refuses these */
                    struct schedule_shape shape = shape_of(p, m, V, N);
                    check_memory(&shape, p, m, V, N);
                    double forward[STAGES * 4], backward[STAGES * 4];
                    for (int i = 0; i < p * V; i++) {
                        forward[i] = 1;
                        backward[i] = 2;
                    }
                    double ideal = 3.0 * m * V, took = play_time(p, m, V, N, forward, backward);
                    assert_near(took / ideal - 1, bubble_ratio(&shape), 1e-12);
                    played++;
                }
    assert_true(played > 500);
}

/* Stages that differ: the core's own event simulation against the one above, and events that never overlap. */
static const struct sim_event *last_event;
static int event_count;

static void take_event(void *context, const struct sim_event *event)
{
    static struct sim_event last;
    (void)context;
    assert_true(event->end_s > event->start_s && event->start_s >= 0);
    if (last_event && last.stage == event->stage)
        assert_true(event->start_s >= last.end_s - 1e-9);
    last = *event;
    last_event = &last;
    event_count++;
}

static void unequal_stages_take_as_long_as_played_out(void **state)
{
    (void)state;
    static struct sim_scratch scratch;
    struct check_random random = {8};
    for (int i = 0; i < 1500; i++) {
        int p = 1 + check_below(&random, STAGES), V = p > 1 ? 1 + check_below(&random, 4) : 1,
            m = 1 + check_below(&random, 16);
        int N = V > 1 ? p + check_below(&random, 4) : p;
        if (V > 1 && (N > m || (m % N > 0 && m % N < p)))
            continue;
        double forward[STAGES * 4], backward[STAGES * 4];
        for (int j = 0; j < p * V; j++) {
            forward[j] = 1 + check_below(&random, 100) / 50.0;
            backward[j] = 1 + check_below(&random, 100) / 25.0;
        }
        struct schedule_shape shape = shape_of(p, m, V, N);
        last_event = NULL;
        event_count = 0;
        double took = simulate(&shape, &(struct sim_times){forward, backward, NULL}, &scratch, take_event, NULL);
        double expected = play_time(p, m, V, N, forward, backward);
        assert_that(fabs(took - expected) < 1e-9, "p%d m%d V%d N%d: %.9g, played out %.9g", p, m, V, N, took, expected);
        assert_int_equal(event_count, 2 * p * m * V);
        assert_same(simulate(&shape, &(struct sim_times){forward, backward, NULL}, &scratch, NULL, NULL), took);
        if (V > 1)
            continue;
        last_event = NULL;
        shape.kind = SCHEDULE_INTERLEAVED; /* of one chunk it warms up for longer than 1F1B */
        took = simulate(&shape, &(struct sim_times){forward, backward, NULL}, &scratch, take_event, NULL);
        assert_same(simulate(&shape, &(struct sim_times){forward, backward, NULL}, &scratch, NULL, NULL), took);
    }
}

/* Forward passes of each stage whose weight gradients are not there yet. */
struct held {
    int now[STAGES], most, passes;
};

static void count_held(void *context, const struct sim_event *event)
{
    struct held *held = context;
    held->passes++;
    held->now[event->stage] += (event->pass == SIM_FORWARD) - (event->pass == SIM_WGRAD);
    held->most = held->now[event->stage] > held->most ? held->now[event->stage] : held->most;
}

static void assert_close(double actual, double expected)
{
    assert_that(fabs(actual - expected) < 1e-9, "%.12g is not %.12g", actual, expected);
}

/* Seconds of a stage that are not work, with equal stages; `most` gets the micro-batches a stage holds from F to W. */
static double bubble_played(int kind, int p, int m, double f, double b, double w, int *most)
{
    static struct sim_scratch scratch;
    double forward[2 * STAGES], backward[2 * STAGES], wgrad[2 * STAGES];
    int V = kind == SCHEDULE_ZB_V ? 2 : 1;
    for (int n = 0; n < p * V; n++) {
        forward[n] = f;
        backward[n] = b + w;
        wgrad[n] = w;
    }
    struct schedule_shape shape = shape_of(p, m, V, p);
    shape.kind = kind;
    struct held held = {0};
    double took = simulate(&shape, &(struct sim_times){forward, backward, wgrad}, &scratch, count_held, &held);
    *most = held.most;
    assert_int_equal(held.passes, 3 * p * m * V);
    return took - m * V * (f + b + w);
}

/*
 * Bubbles of Qi et al. 2023 table 2, Qi et al. 2024 figure 4 with equal times; DualPipe's of the DeepSeek-V3 report
 * table 2, F&B + B - 3W with B both gradients, where a pair takes as long as its two passes.
 */
static void weight_gradients_apart_fill_the_bubble(void **state)
{
    (void)state;
    static const double times[][3] = {{1, 1, 1}, {1, 1.3, 0.7}, {1, 1.2, 0.9}};
    for (int p = 2; p <= 8; p += 2)
        for (int m = 2 * p; m <= 64; m *= 2)
            for (int i = 0; i < 3; i++) {
                double f = times[i][0], b = times[i][1], w = times[i][2];
                int h1, h2, v, dual;
                assert_close(bubble_played(SCHEDULE_ZB_H1, p, m, f, b, w, &h1), (p - 1) * (f + b - w));
                assert_close(bubble_played(SCHEDULE_ZB_H2, p, m, f, b, w, &h2), (p - 1) * (f + b - 2 * w));
                assert_close(bubble_played(SCHEDULE_DUALPIPE, p, m, f, b, w, &dual), (p / 2 - 1) * (f + 2 * b - w));
                double bubble_v = bubble_played(SCHEDULE_ZB_V, p, m, f, b, w, &v);
                if (i == 0)
                    assert_close(bubble_v, 0);
                assert_true(bubble_v < (p - 1) * (f + b + w));
                assert_int_equal(h1, p);
                assert_int_equal(h2, 2 * p - 1);
                assert_int_equal(v, 2 * p);
                assert_int_equal(dual, p + 1);
            }
}

static void schedules_without_an_order_are_not_played(void **state)
{
    (void)state;
    static struct sim_scratch scratch;
    static const struct {
        int kind, p, m, V;
    } cases[] = {{SCHEDULE_DUALPIPE, 3, 12, 1},
                 {SCHEDULE_DUALPIPE, 4, 9, 1},
                 {SCHEDULE_DUALPIPE, 4, 6, 1},
                 {SCHEDULE_ZB_V, 4, 8, 1},
                 {SCHEDULE_ZB_H1, 4, 8, 2}};
    double seconds[2 * STAGES];
    for (int n = 0; n < 2 * STAGES; n++)
        seconds[n] = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct schedule_shape shape = shape_of(cases[i].p, cases[i].m, cases[i].V, cases[i].p);
        shape.kind = cases[i].kind;
        assert_true(isnan(simulate(&shape, &(struct sim_times){seconds, seconds, seconds}, &scratch, NULL, NULL)));
    }
}

/* What two more micro-batches take of a schedule whose first and last chunks are slower than the rest. */
static double two_more(int kind, double m)
{
    static struct sim_scratch scratch;
    double forward[2 * STAGES], backward[2 * STAGES], wgrad[2 * STAGES];
    int p = STAGES, V = kind == SCHEDULE_INTERLEAVED || kind == SCHEDULE_ZB_V ? 2 : 1;
    for (int n = 0; n < p * V; n++) {
        wgrad[n] = 1 + 0.1 * (n == 0) + 0.3 * (n == p * V - 1);
        forward[n] = wgrad[n];
        backward[n] = 2 * wgrad[n];
    }
    struct schedule_shape shape = {kind, p, V, p, m}, more = shape;
    const struct sim_times times = {forward, backward, wgrad};
    more.micro_batches += 2 * p;
    return (simulate(&more, &times, &scratch, NULL, NULL) - simulate(&shape, &times, &scratch, NULL, NULL)) / p;
}

/* What is too long to be played goes on at the pace of what was; 1F1B and chunks in step are played for longer. */
static void long_schedules_keep_their_pace(void **state)
{
    (void)state;
    for (int kind = SCHEDULE_1F1B; kind <= SCHEDULE_DUALPIPE; kind++) {
        int V = kind == SCHEDULE_INTERLEAVED || kind == SCHEDULE_ZB_V ? 2 : 1;
        struct schedule_shape shape = {kind, STAGES, V, STAGES, 4096 / V};
        assert_true((simulate_played(&shape) == 4096 / V) == (kind <= SCHEDULE_INTERLEAVED));
        shape.micro_batches = 40000;
        assert_true(simulate_played(&shape) < 40000);
        assert_close(two_more(kind, 4096), two_more(kind, 800));
        assert_close(two_more(kind, 40000), two_more(kind, 800));
    }
    struct schedule_shape gpipe = {SCHEDULE_GPIPE, STAGES, 1, STAGES, 4096};
    assert_true(simulate_played(&gpipe) < 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_flight_and_bubble_of_known_pipelines),
        cmocka_unit_test(gpipe_keeps_every_micro_batch),
        cmocka_unit_test(one_stage_keeps_one_micro_batch),
        cmocka_unit_test(what_is_alive_as_counted_by_hand),
        cmocka_unit_test(passes_free_what_they_keep), cmocka_unit_test(corners_have_the_fullest_between_the_ends),
        cmocka_unit_test(peaks_have_room), cmocka_unit_test(closed_forms_equal_the_schedule_played_out),
        cmocka_unit_test(unequal_stages_take_as_long_as_played_out),
        cmocka_unit_test(weight_gradients_apart_fill_the_bubble),
        cmocka_unit_test(schedules_without_an_order_are_not_played),
        cmocka_unit_test(long_schedules_keep_their_pace),
    };
    return cmocka_run_group_tests_name("schedule", tests, NULL, NULL) != 0;
}
