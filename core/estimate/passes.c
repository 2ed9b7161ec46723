#include "core/estimate/passes.h"

#include "core/base.h"

#include <string.h>

/* What a letter of the orders below runs: the chunk of its forward, input-gradient and weight-gradient pass. */
static const struct pass_step letters[] = {
    ['F'] = {{0, PASS_NONE, PASS_NONE}}, ['B'] = {{PASS_NONE, 0, PASS_NONE}}, ['W'] = {{PASS_NONE, PASS_NONE, 0}},
    ['f'] = {{1, PASS_NONE, PASS_NONE}}, ['b'] = {{PASS_NONE, 1, PASS_NONE}}, ['w'] = {{PASS_NONE, PASS_NONE, 1}},
    ['D'] = {{PASS_NONE, 0, 0}},         ['d'] = {{PASS_NONE, 1, 1}},
    ['P'] = {{0, 1, 1}},                 ['p'] = {{1, 0, 0}},
};

/*
 * The order of a stage's passes: F forward, B input gradients, W weight gradients, D both gradients in one pass, P a
 * forward pass beside D of the other chunk; small letters are chunk 1 (of P: of its forward pass), in DualPipe the
 * micro-batches from the other end; x is the weight gradients that have waited longest. Each letter takes the next
 * micro-batch of its kind, and nothing once there is none left.
 */
static void order_of(const struct schedule_shape *shape, int s, struct pass_phase out[PASS_PHASES])
{
    int p = shape->stages, m = (int)shape->micro_batches, n = m > 2 * p - 1 ? m : 2 * p - 1;
    int half = p / 2, h = s < p - 1 - s ? s : p - 1 - s; /* DualPipe: stages from the nearer end */
    const struct pass_phase orders[][PASS_PHASES] = {
        [SCHEDULE_ZB_H1] = {{p - s, "F"}, {s, "BF"}, {m - p, "BWF"}, {p, "BW"}, {p, "W"}},
        [SCHEDULE_ZB_H2] = {{2 * (p - s) - 1, "F"}, {2 * s, "BF"}, {m - 2 * p + 1, "BWF"}, {2 * p - 1, "BW"},
                            {2 * p - 1, "W"}},
        [SCHEDULE_ZB_V] = {{2 * (p - s) - 1, "F"}, {s, "fF"}, {p - s, "fbw"}, {n - p, "FBWfbw"}, {s, "Bb"},
                           {p - s, "BW"}, {s, "w"}, {s, "W"}},
        [SCHEDULE_DUALPIPE] = {{2 * (half - h - 1), "F"}, {h + 1, "Ff"}, {half - h - 1, "bwf"},
                               {m / 2 - p + h + 1, "Pp"},
                               {half - h - 1, "dp"}, {(h + 1) / 2, "dD"}, {(h + 1) % 2, "dB"}, {(h + 1) / 2, "bB"},
                               {half - h - 1, "xB"}, {h + 1, "x"}},
    };
    memcpy(out, orders[shape->kind], PASS_PHASES * sizeof *out);
}

void passes_begin(const struct schedule_shape *shape, int stage, struct passes *out)
{
    int p = shape->stages, m = (int)shape->micro_batches, from_end = stage < p - 1 - stage ? stage : p - 1 - stage;
    bool is_dual = shape->kind == SCHEDULE_DUALPIPE;
    *out = (struct passes){.limit = is_dual ? m / 2 : m, .turn = from_end % 2, .at = -1, .next = ""};
    order_of(shape, stage, out->phase);
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Leaves out what repeats between the first time and the last: each time as many passes run. */
static void leave_out(struct passes *passes)
{
    int *count = passes->count[0], *before = passes->before[0], most = passes->left - 1;
    for (int i = 0; i < SIM_PASS_KINDS * PASS_CHUNKS; i++) {
        int each = count[i] - before[i];
        if (each > 0 && before[i] < passes->limit) /* there is none left of the others, and will not be */
            most = smaller(most, (passes->limit - count[i]) / each - 1);
    }
    if (most > 0 && !strchr(passes->phase[passes->at].letters, 'x')) {
        passes->left -= most;
        for (int i = 0; i < SIM_PASS_KINDS * PASS_CHUNKS; i++)
            count[i] += most * (count[i] - before[i]);
    }
    memcpy(before, count, sizeof passes->before);
}

/* Goes on where the letters are at their end; false at the end of the order. */
static __attribute__((noinline)) bool find_letters(struct passes *passes)
{
    while (!*passes->next) {
        bool is_over = passes->is_idle;
        passes->is_idle = true;
        if (--passes->left > 0 && !is_over) {
            if (passes->is_brief)
                leave_out(passes);
            passes->next = passes->phase[passes->at].letters;
            continue;
        }
        if (passes->is_brief)
            memcpy(passes->before, passes->count, sizeof passes->before);
        if (++passes->at >= PASS_PHASES || !passes->phase[passes->at].letters)
            return false;
        passes->left = passes->phase[passes->at].times;
        passes->next = passes->left > 0 ? passes->phase[passes->at].letters : "";
    }
    return true;
}

/* Weight gradients wait in turn, chunk by chunk, until only one chunk's are left. */
static struct pass_step longest_waiting(struct passes *passes)
{
    int chunk = passes->turn;
    if (passes->count[SIM_WGRAD][chunk] == passes->count[SIM_BACKWARD][chunk])
        chunk = 1 - chunk;
    passes->turn = 1 - passes->turn;
    return (struct pass_step){{PASS_NONE, PASS_NONE, chunk}};
}

/* Counts a pass; PASS_NONE where none is left. */
static inline int taken(int count[PASS_CHUNKS], int chunk, int limit)
{
    return chunk == PASS_NONE || count[chunk]++ >= limit ? PASS_NONE : chunk;
}

bool passes_next(struct passes *passes, struct pass_step *out)
{
    while (*passes->next || find_letters(passes)) {
        char letter = *passes->next++;
        *out = letter == 'x' ? longest_waiting(passes) : letters[(unsigned char)letter];
        for (int pass = 0; pass < SIM_PASS_KINDS; pass++)
            out->chunk[pass] = taken(passes->count[pass], out->chunk[pass], passes->limit);
        if ((out->chunk[SIM_FORWARD] & out->chunk[SIM_BACKWARD] & out->chunk[SIM_WGRAD]) == PASS_NONE)
            continue;
        passes->is_idle = false;
        return true;
    }
    return false;
}

int passes_micro_batch(const struct schedule_shape *shape, int stage, int chunk, int count)
{
    bool is_from_end = shape->kind == SCHEDULE_DUALPIPE && schedule_place(shape, stage, chunk) != stage;
    return is_from_end ? (int)shape->micro_batches / 2 + count : count;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

void passes_walk_begin(const struct schedule_shape *shape, int stage, struct passes_walk *out)
{
    *out = (struct passes_walk){.shape = shape, .stage = stage, .pass = SIM_PASS_KINDS};
    passes_begin(shape, stage, &out->passes);
}

/* Whether the step's backward pass has both gradients, so that nothing waits. */
static bool is_whole(const struct pass_step *step)
{
    return step->chunk[SIM_BACKWARD] != PASS_NONE && step->chunk[SIM_BACKWARD] == step->chunk[SIM_WGRAD];
}

/* What a pass keeps and frees. */
static void apply(enum sim_pass pass, int chunk, bool whole, struct alive *alive)
{
    alive->kept[chunk] += (pass == SIM_FORWARD) - (pass == SIM_BACKWARD);
    alive->waiting[chunk] += (pass == SIM_BACKWARD && !whole) - (pass == SIM_WGRAD);
}

/* Passes that ran before the step that is handed out. */
static int have_run(const struct passes *passes, const struct pass_step *step, enum sim_pass pass, int chunk)
{
    return smaller(passes->count[pass][chunk], passes->limit) - (step->chunk[pass] == chunk);
}

/* What is alive before the step that is handed out. */
static void find_alive(const struct passes *passes, const struct pass_step *step, struct alive *out)
{
    for (int chunk = 0; chunk < PASS_CHUNKS; chunk++) {
        int back = have_run(passes, step, SIM_BACKWARD, chunk);
        out->kept[chunk] = have_run(passes, step, SIM_FORWARD, chunk) - back;
        out->waiting[chunk] = back - have_run(passes, step, SIM_WGRAD, chunk);
    }
}

bool passes_walk_next(struct passes_walk *walk, struct pass_moment *out)
{
    for (;; walk->pass++) {
        if (walk->pass == SIM_PASS_KINDS) {
            if (!passes_next(&walk->passes, &walk->step))
                return false;
            find_alive(&walk->passes, &walk->step, &walk->alive);
            walk->pass = SIM_FORWARD;
        }
        bool whole = is_whole(&walk->step);
        int chunk = walk->step.chunk[walk->pass];
        if (chunk == PASS_NONE || (walk->pass == SIM_WGRAD && whole))
            continue;
        *out = (struct pass_moment){.pass = (enum sim_pass)walk->pass++, .chunk = chunk, .before = walk->alive};
        out->micro_batch =
            passes_micro_batch(walk->shape, walk->stage, chunk, walk->passes.count[out->pass][chunk] - 1);
        apply(out->pass, chunk, whole, &walk->alive);
        out->after = walk->alive;
        return true;
    }
}

double passes_bytes(const struct pass_weights *weights, const struct alive *alive)
{
    double bytes = 0;
    for (int chunk = 0; chunk < PASS_CHUNKS; chunk++)
        bytes += alive->kept[chunk] * weights->kept[chunk] + alive->waiting[chunk] * weights->waiting[chunk];
    return bytes;
}

/* Bytes that come and go in a pass. */
static double extra_of(const struct pass_weights *weights, enum sim_pass pass, int chunk)
{
    return pass == SIM_BACKWARD                                    ? weights->backward
           : pass == SIM_FORWARD && chunk == weights->loss_chunk ? weights->loss
           : pass == SIM_FORWARD                                   ? weights->forward
                                                                   : 0;
}

double passes_height(const struct pass_weights *weights, const struct pass_moment *moment)
{
    double before = passes_bytes(weights, &moment->before), after = passes_bytes(weights, &moment->after);
    return (before > after ? before : after) + extra_of(weights, moment->pass, moment->chunk);
}

/* Whether a pass like the other keeps at least as much of everything. */
static bool covers(const struct peak *one, const struct peak *other)
{
    return one->kept[0] >= other->kept[0] && one->waiting[0] >= other->waiting[0] && one->kept[1] >= other->kept[1] &&
           one->waiting[1] >= other->waiting[1] && one->pass == other->pass && one->chunk == other->chunk;
}

/* Adds a peak unless another covers it; those that it covers go. */
static int add_peak(const struct pass_moment *moment, const struct alive *alive, struct peak peaks[PASS_PEAKS_MAX],
                    int count)
{
    const struct peak one = {{(short)alive->kept[0], (short)alive->kept[1]},
                             {(short)alive->waiting[0], (short)alive->waiting[1]},
                             (short)moment->pass, (short)(moment->pass == SIM_FORWARD ? moment->chunk : 0)};
    int left = 0;
    for (int i = count - 1; i >= 0; i--) /* like the last ones, mostly */
        if (covers(&peaks[i], &one))
            return count;
    for (int i = 0; i < count; i++)
        if (!covers(&one, &peaks[i]))
            peaks[left++] = peaks[i];
    if (left < PASS_PEAKS_MAX) /* a test counts them for the longest pipelines */
        peaks[left++] = one;
    return left;
}

double passes_enough(const struct schedule_shape *shape)
{
    double enough = 2 * shape->stages + 2;
    return shape->micro_batches <= enough ? shape->micro_batches : enough + fmod(shape->micro_batches, 2);
}

int passes_peaks(const struct schedule_shape *shape, int stage, struct peak out[PASS_PEAKS_MAX])
{
    struct schedule_shape played = *shape;
    struct passes_walk walk;
    int count = 0;
    played.micro_batches = passes_enough(shape);
    passes_walk_begin(&played, stage, &walk);
    walk.passes.is_brief = true;
    for (struct pass_moment moment; passes_walk_next(&walk, &moment);) {
        if (moment.pass == SIM_WGRAD) /* there is no more than after the pass before */
            continue;
        count = add_peak(&moment, &moment.after, out, count);
        count = add_peak(&moment, &moment.before, out, count);
    }
    return count;
}

/* ---- all stages between the ends -------------------------------------------------------------------------------- */

/* Of each kind of pass and number of micro-batches kept, where most wait; none: less than nothing waits. */
struct most_waiting {
    struct peak of[SIM_WGRAD][2 * SCHEDULE_STAGES_MAX + 2];
};

static int kept_of(const struct peak *peak)
{
    return peak->kept[0] + peak->kept[1];
}

static int waiting_of(const struct peak *peak)
{
    return peak->waiting[0] + peak->waiting[1];
}

static void note(enum sim_pass pass, const struct alive *alive, struct most_waiting *most)
{
    struct peak *one = &most->of[pass][alive->kept[0] + alive->kept[1]];
    if (alive->waiting[0] + alive->waiting[1] > waiting_of(one))
        *one = (struct peak){{(short)alive->kept[0], (short)alive->kept[1]},
                             {(short)alive->waiting[0], (short)alive->waiting[1]}, (short)pass, 0};
}

static void note_stage(const struct schedule_shape *shape, int stage, struct most_waiting *most)
{
    struct alive alive;
    struct passes passes;
    struct pass_step step;
    passes_begin(shape, stage, &passes);
    passes.is_brief = true;
    while (passes_next(&passes, &step)) {
        bool whole = is_whole(&step);
        find_alive(&passes, &step, &alive);
        for (int pass = SIM_FORWARD; pass < SIM_PASS_KINDS; pass++) {
            if (step.chunk[pass] == PASS_NONE || (pass == SIM_WGRAD && whole))
                continue;
            if (pass < SIM_WGRAD)
                note((enum sim_pass)pass, &alive, most);
            apply((enum sim_pass)pass, step.chunk[pass], whole, &alive);
            if (pass < SIM_WGRAD)
                note((enum sim_pass)pass, &alive, most);
        }
    }
}

/* Whether a point is not above the line between its neighbours, of which `next` keeps fewer and has more that wait. */
static bool is_below(const struct peak *before, const struct peak *point, const struct peak *next)
{
    return (kept_of(before) - kept_of(point)) * (waiting_of(next) - waiting_of(before)) >=
           (kept_of(before) - kept_of(next)) * (waiting_of(point) - waiting_of(before));
}

/* Adds the corners of a kind of pass: whatever micro-batches weigh, the fullest is one of them. */
static int add_corners(const struct peak of[], int most_kept, struct peak out[], int count)
{
    int first = count;
    for (int kept = most_kept; kept >= 0; kept--) {
        const struct peak *one = &of[kept];
        if (waiting_of(one) <= (count > first ? waiting_of(&out[count - 1]) : -1))
            continue;
        while (count - first >= 2 && is_below(&out[count - 2], &out[count - 1], one))
            count--;
        out[count++] = *one;
    }
    return count;
}

int passes_corners(const struct schedule_shape *shape, struct peak out[PASS_PEAKS_MAX])
{
    struct schedule_shape played = *shape;
    struct most_waiting most;
    int count = 0;
    played.micro_batches = passes_enough(shape);
    memset(&most, -1, sizeof most);
    for (int i = 1; i < shape->stages - 1; i++)
        note_stage(&played, i, &most);
    for (int pass = SIM_FORWARD; pass < SIM_WGRAD; pass++)
        count = add_corners(most.of[pass], (int)LENGTH(most.of[pass]) - 1, out, count);
    return count;
}

static inline double bytes_of(const struct pass_weights *weights, const struct peak *peak)
{
    double bytes = peak->kept[0] * weights->kept[0] + peak->waiting[0] * weights->waiting[0];
    bytes += peak->kept[1] * weights->kept[1] + peak->waiting[1] * weights->waiting[1];
    return bytes + extra_of(weights, (enum sim_pass)peak->pass, peak->chunk);
}

double passes_peak_bytes(const struct pass_weights *weights, const struct peak *peak)
{
    return bytes_of(weights, peak);
}

void passes_fullest(const struct peak peaks[], int count, const struct pass_weights *weights, struct fullest *out)
{
    const struct peak *most = peaks;
    out->bytes = -1;
    for (int i = 0; i < count; i++) {
        double bytes = bytes_of(weights, &peaks[i]);
        if (!(bytes > out->bytes))
            continue;
        out->bytes = bytes;
        most = &peaks[i];
    }
    out->alive = (struct alive){{most->kept[0], most->kept[1]}, {most->waiting[0], most->waiting[1]}};
    out->pass = most->pass == SIM_BACKWARD ? 3 : most->chunk == weights->loss_chunk ? 2 : 1;
}
