#include "core/estimate/timeline.h"

#include "core/estimate/pipeline.h"

const char *const timeline_event_names[EVENT_COUNT] = {"start", "forward", "backward", "freed", "wgrad", "step"};

/* One stage's curve being written. */
struct curve {
    const struct estimate *estimate;
    const struct stage *stage;
    int index;
    double chunk_bytes[SCHEDULE_STAGES_MAX]; /* activations of one pass of each chunk */
    double base, alive, always;
    double forward_extra, loss_extra, backward_extra; /* what comes on top at the height of a pass */
    struct timeline_point *out;
    int count, max;
};

static void add_point(struct curve *curve, enum timeline_event event, int chunk, int micro_batch, double bytes,
                      double after)
{
    if (curve->count < curve->max)
        curve->out[curve->count++] = (struct timeline_point){event, chunk, micro_batch, bytes, after};
}

static void measure_chunks(struct curve *curve)
{
    const struct estimate *e = curve->estimate;
    const struct stage *s = curve->stage;
    struct split split;
    split_layers(&e->plan, &split);
    for (int chunk = 0; chunk < split.chunks; chunk++) {
        int n = chunk * split.stages + curve->index;
        double experts = split_moe_layers(&e->plan, split.start[n], split.start[n] + split.layers[n]);
        curve->chunk_bytes[chunk] =
            (split.layers[n] - experts) * s->dense_alive + experts * s->moe_alive + (n == 0 ? s->embed_saved : 0);
    }
}

static void measure_extras(struct curve *curve)
{
    const struct stage *s = curve->stage;
    double always = curve->always = s->p2p_bytes + s->mask_bytes + s->flat_bytes + s->grad16_bytes;
    curve->base = s->weights_bytes + s->gradients_all_bytes - s->fresh_bytes + s->optimizer_bytes + s->buffers_bytes;
    curve->forward_extra = s->moe_forward_bytes + always;
    curve->loss_extra = s->loss_pass_bytes + always;
    /* over what is alive before */
    double at_end = s->end_bytes + s->layer_backward_bytes + s->fresh_bytes - s->in_flight_bytes;
    curve->backward_extra = (s->at_end > 0 ? at_end : s->backward_pass_bytes) + always;
}

/* One pass; `skip` passes change what is alive without a point. */
static void add_pass(struct curve *curve, int k, bool is_backward, bool skip)
{
    const struct schedule_shape *shape = &curve->estimate->schedule;
    int chunk, micro_batch;
    simulate_pass(shape, k, is_backward, &chunk, &micro_batch);
    bool has_loss = chunk == shape->chunks - 1 && curve->index == shape->stages - 1;
    if (!is_backward)
        curve->alive += curve->chunk_bytes[chunk];
    double extra = is_backward ? curve->backward_extra : has_loss ? curve->loss_extra : curve->forward_extra;
    double height = curve->base + curve->alive + extra;
    if (is_backward)
        curve->alive = max(0, curve->alive - curve->chunk_bytes[chunk]);
    double after = curve->base + curve->alive;
    if (!skip)
        add_point(curve, is_backward ? EVENT_BACKWARD : EVENT_FORWARD, chunk, micro_batch, height, after);
    if (is_backward && !skip)
        add_point(curve, EVENT_FREED, chunk, micro_batch, after, after);
}

/* The passes in turn: forward and backward ones alternate after the warm-up. */
static void add_plain(struct curve *curve, int total)
{
    const struct schedule_shape *shape = &curve->estimate->schedule;
    bool is_apart = schedule_rows[shape->kind].apart;
    bool is_alone = shape->stages == 1 && (shape->chunks == 1 || is_apart); /* no pipeline: backward follows forward */
    int warm_up = is_alone ? shape->chunks - 1 : (int)schedule_warm_up(shape, curve->index), forwards = 0,
        backwards = 0;
    int kept = (curve->max - 2) / 6; /* passes at each end: a point forward, two points backward */
    while (backwards < total) {
        bool is_backward = forwards == total || forwards - backwards > warm_up;
        int k = is_backward ? backwards++ : forwards++;
        int beside = is_backward ? k + warm_up : k; /* the forward pass that runs at about this time */
        add_pass(curve, k, is_backward, beside >= kept && beside < total - kept);
    }
}

/* One pass of a schedule that runs weight gradients apart. */
static void add_moment(struct curve *curve, const struct pass_weights *weights, const struct pass_moment *moment)
{
    static const enum timeline_event events[] = {
        [SIM_FORWARD] = EVENT_FORWARD, [SIM_BACKWARD] = EVENT_BACKWARD, [SIM_WGRAD] = EVENT_WGRAD};
    double height = curve->base + curve->always + passes_height(weights, moment);
    double after = curve->base + passes_bytes(weights, &moment->after);
    bool is_wgrad = moment->pass == SIM_WGRAD;
    add_point(curve, events[moment->pass], moment->chunk, moment->micro_batch, is_wgrad ? after : height, after);
    if (moment->pass == SIM_BACKWARD)
        add_point(curve, EVENT_FREED, moment->chunk, moment->micro_batch, after, after);
}

/* The passes in the order of a schedule that runs weight gradients apart; the first and the last are kept. */
static void add_played(struct curve *curve)
{
    struct split split;
    struct pass_weights weights;
    struct passes_walk walk;
    struct pass_moment moment;
    const struct schedule_shape *shape = &curve->estimate->schedule;
    int total = 0, kept = (curve->max - 2) / 4; /* passes at each end, of two points at most */
    split_layers(&curve->estimate->plan, &split);
    pipeline_weigh(&curve->estimate->plan, &split, shape, curve->stage, &weights);
    for (passes_walk_begin(shape, curve->index, &walk); passes_walk_next(&walk, &moment);)
        total++;
    passes_walk_begin(shape, curve->index, &walk);
    for (int i = 0; passes_walk_next(&walk, &moment); i++)
        if (i < kept || i >= total - kept)
            add_moment(curve, &weights, &moment);
}

int timeline_of(const struct estimate *e, int stage, struct timeline_point out[], int max_points)
{
    const struct schedule_shape *shape = &e->schedule;
    double all = shape->micro_batches * shape->chunks;
    if (stage >= e->stages || !e->is_modelled || !schedule_runs(shape) || all != floor(all) || all > 1 << 20 ||
        shape->chunks > SCHEDULE_STAGES_MAX || max_points < 8)
        return 0;
    struct curve curve = {.estimate = e, .stage = &e->stage[stage], .index = stage, .out = out, .max = max_points};
    measure_extras(&curve);
    add_point(&curve, EVENT_START, -1, -1, curve.base, curve.base);
    if (pipeline_is_played(shape)) {
        add_played(&curve);
    } else {
        measure_chunks(&curve);
        add_plain(&curve, (int)all);
    }
    add_point(&curve, EVENT_STEP, -1, -1, curve.base + curve.stage->step_peak_bytes, curve.base);
    return curve.count;
}
