#include "core/estimate/passes.h"

#include "core/plan/plan.h"

#include <math.h>
#include <string.h>

/* What a letter of the orders below runs: the chunk of its forward, input-gradient and weight-gradient pass. */
static const struct {
    char letter;
    struct pass_step step;
} letters[] = {
    {'F', {{0, PASS_NONE, PASS_NONE}}}, {'B', {{PASS_NONE, 0, PASS_NONE}}}, {'W', {{PASS_NONE, PASS_NONE, 0}}},
    {'f', {{1, PASS_NONE, PASS_NONE}}}, {'b', {{PASS_NONE, 1, PASS_NONE}}}, {'w', {{PASS_NONE, PASS_NONE, 1}}},
    {'D', {{PASS_NONE, 0, 0}}},         {'d', {{PASS_NONE, 1, 1}}},
    {'P', {{0, 1, 1}}},                 {'p', {{1, 0, 0}}},
};

/*
 * The order of a stage's passes: F forward, B input gradients, W weight gradients, D both gradients in one pass, P a forward
 * pass beside D of the other chunk; small letters are chunk 1 (of P: of its forward pass), in DualPipe the micro-batches
 * from the other end; x is the weight gradients that have waited longest. Each letter takes the next micro-batch of its
 * kind, and nothing once there is none left.
 */
static void order_of(const struct schedule_shape *shape, int s, struct pass_phase out[PASS_PHASES])
{
    int p = shape->stages, m = (int)shape->micro_batches, n = m > 2 * p - 1 ? m : 2 * p - 1;
    int half = p / 2, h = s < p - 1 - s ? s : p - 1 - s; /* DualPipe: stages from the nearer end */
    const struct pass_phase orders[][PASS_PHASES] = {
        [SCHEDULE_ZB_H1] = {{p - s, "F"}, {s, "BF"}, {m - p, "BWF"}, {p, "BW"}, {p, "W"}},
        [SCHEDULE_ZB_H2] = {{2 * (p - s) - 1, "F"}, {2 * s, "BF"}, {m - 2 * p + 1, "BWF"}, {2 * p - 1, "BW"}, {2 * p - 1, "W"}},
        [SCHEDULE_ZB_V] = {{2 * (p - s) - 1, "F"}, {s, "fF"}, {p - s, "fbw"}, {n - p, "FBWfbw"}, {s, "Bb"}, {p - s, "BW"}, {s, "w"}, {s, "W"}},
        [SCHEDULE_DUALPIPE] = {{2 * (half - h - 1), "F"}, {h + 1, "Ff"}, {half - h - 1, "bwf"}, {m / 2 - p + h + 1, "Pp"},
                               {half - h - 1, "dp"}, {(h + 1) / 2, "dD"}, {(h + 1) % 2, "dB"}, {(h + 1) / 2, "bB"},
                               {half - h - 1, "xB"}, {h + 1, "x"}},
    };
    memcpy(out, orders[shape->kind], PASS_PHASES * sizeof *out);
}

void passes_begin(const struct schedule_shape *shape, int stage, struct passes *out)
{
    int p = shape->stages, m = (int)shape->micro_batches, from_end = stage < p - 1 - stage ? stage : p - 1 - stage;
    bool is_dual = shape->kind == SCHEDULE_DUALPIPE;
    *out = (struct passes){.limit = is_dual ? m / 2 : m, .turn = from_end % 2};
    order_of(shape, stage, out->phase);
}

/* The next letter of the order, 0 at its end. */
static char next_letter(struct passes *passes)
{
    for (; passes->at < PASS_PHASES; passes->at++, passes->repeat = 0) {
        const struct pass_phase *phase = &passes->phase[passes->at];
        for (; passes->repeat < phase->times; passes->repeat++, passes->letter = 0)
            if (phase->letters[passes->letter])
                return phase->letters[passes->letter++];
    }
    return 0;
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

static struct pass_step step_of(struct passes *passes, char letter)
{
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (letters[i].letter == letter)
            return letters[i].step;
    return longest_waiting(passes);
}

/* Counts the passes of a step, and drops those of which none is left; false when nothing remains. */
static bool take(struct passes *passes, struct pass_step *step)
{
    bool is_any = false;
    for (int pass = 0; pass < SIM_PASS_KINDS; pass++) {
        int chunk = step->chunk[pass];
        if (chunk != PASS_NONE && passes->count[pass][chunk]++ >= passes->limit)
            step->chunk[pass] = PASS_NONE;
        is_any |= step->chunk[pass] != PASS_NONE;
    }
    return is_any;
}

bool passes_next(struct passes *passes, struct pass_step *out)
{
    for (char letter; (letter = next_letter(passes));) {
        *out = step_of(passes, letter);
        if (take(passes, out))
            return true;
    }
    return false;
}

/* Whether DualPipe's chunk of this stage takes the micro-batches that enter at the last stage. */
static bool is_from_end(const struct schedule_shape *shape, int stage, int chunk)
{
    return shape->kind == SCHEDULE_DUALPIPE && (chunk == 1) != (stage >= shape->stages / 2);
}

int passes_place(const struct schedule_shape *shape, int stage, int chunk)
{
    int p = shape->stages;
    return shape->kind == SCHEDULE_ZB_V && chunk == 1   ? 2 * p - 1 - stage
           : shape->kind == SCHEDULE_DUALPIPE           ? (is_from_end(shape, stage, chunk) ? p - 1 - stage : stage)
                                                        : chunk * p + stage;
}

int passes_micro_batch(const struct schedule_shape *shape, int stage, int chunk, int count)
{
    return is_from_end(shape, stage, chunk) ? (int)shape->micro_batches / 2 + count : count;
}
