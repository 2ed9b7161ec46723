#include "core/estimate/audit.h"

#include "core/base.h"
#include "core/estimate/range.h"
#include "core/plan/key.h"

#include <math.h>
#include <string.h>

/* What the rows compare. */
struct facts {
#define FACT(name, expression) double name;
#include "core/estimate/audit.def"
};

static const struct term fact_terms[] = {
#define FACT(name_, expression) {.name = #name_, .offset = offsetof(struct facts, name_)},
#include "core/estimate/audit.def"
};

enum { TIME_PARTS = 11 };

/* What the estimated time is the sum of. */
static void time_parts_of(const struct estimate *e, double out[TIME_PARTS])
{
    const struct step *s = &e->step;
    const double parts[TIME_PARTS] = {s->compute_s, s->bubble_s, s->tp_exposed_s, s->cp_exposed_s, s->ep_exposed_s,
                                      s->pp_exposed_s, s->dp_exposed_s, s->optimizer_s, s->offload_s, s->host_wait_s,
                                      e->symbols.overhead * 1e-3};
    memcpy(out, parts, sizeof parts);
}

/* The parts of the estimated time, as a share of it. */
static double time_parts(const struct estimate *e)
{
    double parts[TIME_PARTS], sum = 0;
    time_parts_of(e, parts);
    for (int i = 0; i < TIME_PARTS; i++)
        sum += parts[i];
    return sum / e->step.estimated_s;
}

static double least_time_part(const struct estimate *e)
{
    double parts[TIME_PARTS], least = 0;
    time_parts_of(e, parts);
    for (int i = 0; i < TIME_PARTS; i++)
        least = min(least, parts[i]);
    return least;
}

static double parts_of(const struct stage *stage)
{
    return stage->weights_bytes + stage->gradients_bytes + stage->optimizer_bytes + stage->activations_bytes +
           stage->transient_bytes + stage->buffers_bytes;
}

/* The smallest part of any stage's memory. */
static double least_memory_part(const struct estimate *e)
{
    double least = 0;
    for (int i = 0; i < e->stages; i++) {
        const struct stage *s = &e->stage[i];
        least =
            min(least, min(min(s->weights_bytes, s->gradients_bytes), min(s->optimizer_bytes, s->activations_bytes)));
        least =
            min(least, min(min(s->transient_bytes, s->buffers_bytes), min(s->fragmentation_bytes, s->context_bytes)));
    }
    return least;
}

static double device_parts_of(const struct stage *stage)
{
    return parts_of(stage) + stage->fragmentation_bytes + stage->context_bytes + stage->communicator_bytes +
           stage->paged_bytes;
}

/* By how much of it the parts of a stage miss what it allocates, or what lies on the device, at most. */
static double memory_gap(const struct estimate *e)
{
    double gap = 0;
    for (int i = 0; i < e->stages; i++) {
        const struct stage *s = &e->stage[i];
        gap = max(gap, max(fabs(parts_of(s) / s->allocated_bytes - 1), fabs(device_parts_of(s) / s->device_bytes - 1)));
    }
    return gap;
}

/* What names in messages stand for. */
struct message_values {
    const struct symbols *symbols;
    const struct facts *facts;
};

/* The number that {name} or {name%} stands for in a message. */
static double find_value(const char *name, size_t length, const void *context)
{
    const struct message_values *values = context;
    const bool percent = length > 0 && name[length - 1] == '%';
    const size_t bare = length - percent;
    const struct term *fact = term_find(fact_terms, LENGTH(fact_terms), name, bare),
                      *symbol = term_find(symbol_terms, symbol_term_count, name, bare);
    double value = fact     ? term_value(fact, values->facts)
                   : symbol ? term_value(symbol, values->symbols)
                            : NAN;
    return percent ? 100 * value : value;
}

static void gather(const struct estimate *estimate, struct facts *out)
{
#define FACT(name, expression) out->name = (expression);
#include "core/estimate/audit.def"
}

static void check_rows(struct estimate *estimate, const struct facts *facts)
{
    const struct symbols *symbols = &estimate->symbols;
    const struct message_values values = {symbols, facts};
#include "core/estimate/locals.def"
#define FACT(name, expression) const double name __attribute__((unused)) = facts->name;
#define AUDIT(id, level_, group, key, doubts_, holds, message_)                                                       \
    if (!(holds)) {                                                                                                   \
        struct diag diag = {.level = DIAG_##level_, .param = PARAM_##group##_##key, .rule = #id, .doubts = doubts_,   \
                            .sentence = message_, .digits = 4};                                                       \
        finding_fill(&diag, find_value, &values);                                                                     \
        finding_add(&estimate->diags, &diag);                                                                         \
    }
#include "core/estimate/audit.def"
}

/* That no measured run is like the plan, which widens the ranges. */
static void check_distance(struct estimate *e)
{
    const struct range_row *far = range_far(e);
    if (!far || e->is_serving || !(e->step.estimated_s > 0) || e->symbols.measured_s > 0)
        return;
    int key = far == &range_rows[RANGE_GUESSED] ? (int)range_assumed(&e->plan) : far->param;
    finding_add(&e->diags,
                &(struct diag){.level = DIAG_NOTE, .param = key, .rule = "range_far", .sentence = far->label});
}

void audit_estimate(struct estimate *estimate)
{
    struct facts facts;
    gather(estimate, &facts);
    check_rows(estimate, &facts);
    check_distance(estimate);
}
