#include "core/estimate/timeline.h"

#include "core/estimate/simulate.h"
#include "core/plan/split.h"

#include <math.h>

const char *const timeline_event_names[EVENT_COUNT] = {"start", "forward", "backward", "freed", "step"};

/* One stage's curve being written. */
struct curve {
    const struct estimate *estimate;
    const struct stage *stage;
    int index;
    double chunk_bytes[SCHEDULE_STAGES_MAX]; /* activations of one pass of each chunk */
    double base, alive;
    double forward_extra, loss_extra, backward_extra; /* what comes on top at the height of a pass */
    struct timeline_point *out;
    int count, max;
};

static void add_point(struct curve *curve, enum timeline_event event, int chunk, int micro_batch, double bytes)
{
    if (curve->count < curve->max)
        curve->out[curve->count++] = (struct timeline_point){event, chunk, micro_batch, bytes};
}

static void measure_chunks(struct curve *curve)
{
    const struct estimate *e = curve->estimate;
    const struct stage *s = curve->stage;
    struct split split;
    split_layers(&e->plan, &split);
    double dense = s->dense_kept * (1 - s->block_share) + e->symbols.on_device * s->dense_saved * s->block_share;
    double moe = s->moe_kept * (1 - s->block_share) + e->symbols.on_device * s->moe_saved * s->block_share;
    for (int chunk = 0; chunk < split.chunks; chunk++) {
        int n = chunk * split.stages + curve->index;
        double experts = split_moe_layers(&e->plan, split.start[n], split.start[n] + split.layers[n]);
        curve->chunk_bytes[chunk] = (split.layers[n] - experts) * dense + experts * moe + (n == 0 ? s->embed_saved : 0);
    }
}

static void measure_extras(struct curve *curve)
{
    const struct stage *s = curve->stage;
    double always = s->p2p_bytes + s->mask_bytes + s->flat_bytes + s->grad16_bytes;
    curve->base = s->weights_bytes + s->gradients_bytes + s->optimizer_bytes + s->buffers_bytes;
    curve->forward_extra = s->moe_forward_bytes + always;
    curve->loss_extra = max(max(s->loss_peak_bytes, s->head_backward_bytes), s->moe_forward_bytes) + always;
    curve->backward_extra = max(s->layer_backward_bytes, s->gradients_end_bytes) + always;
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
    if (!skip)
        add_point(curve, is_backward ? EVENT_BACKWARD : EVENT_FORWARD, chunk, micro_batch, curve->base + curve->alive + extra);
    if (is_backward) {
        curve->alive = max(0, curve->alive - curve->chunk_bytes[chunk]);
        if (!skip)
            add_point(curve, EVENT_FREED, chunk, micro_batch, curve->base + curve->alive);
    }
}

int timeline_of(const struct estimate *e, int stage, struct timeline_point out[], int max_points)
{
    const struct schedule_shape *shape = &e->schedule;
    double all = shape->micro_batches * shape->chunks;
    if (stage >= e->stages || !e->is_modelled || shape->kind > SCHEDULE_INTERLEAVED || all != floor(all) || all > 1 << 20 ||
        shape->chunks > SCHEDULE_STAGES_MAX || max_points < 8)
        return 0;
    struct curve curve = {.estimate = e, .stage = &e->stage[stage], .index = stage, .out = out, .max = max_points};
    measure_chunks(&curve);
    measure_extras(&curve);
    bool is_alone = shape->stages == 1 && shape->chunks == 1; /* no pipeline, so each backward pass follows its forward pass */
    int total = (int)all, warm_up = is_alone ? 0 : (int)schedule_warm_up(shape, stage), forwards = 0, backwards = 0;
    int kept = (max_points - 2) / 6; /* passes at each end: a point forward, two points backward */
    add_point(&curve, EVENT_START, -1, -1, curve.base);
    while (backwards < total) {
        bool is_backward = forwards == total || forwards - backwards > warm_up;
        int k = is_backward ? backwards++ : forwards++;
        int beside = is_backward ? k + warm_up : k; /* the forward pass that runs at about this time */
        add_pass(&curve, k, is_backward, beside >= kept && beside < total - kept);
    }
    add_point(&curve, EVENT_STEP, -1, -1, curve.base + curve.stage->step_bytes);
    return curve.count;
}
