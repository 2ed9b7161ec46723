#include "core/estimate/load.h"

#include "core/estimate/estimate.h"
#include "core/plan/key.h"

#include <math.h>

void load_at(const struct estimate *e, double batch, struct load *out)
{
    struct plan plan = e->plan;
    struct serving s = e->serving; /* what the caller of the sheet gives does not depend on the batch */
    KEY_OF(&plan, serve, batch_size) = batch;
    serving_evaluate(&e->symbols, &plan, &e->totals, &s);
    *out = (struct load){batch, s.time_to_first_token_s, s.first_token_low_s, s.first_token_high_s, s.per_token_s,
                         s.tokens_per_s};
}

/* Requests of one replica that the cache holds at their mean length. */
static double most_requests(const struct estimate *e)
{
    return e->serving.queued_batch;
}

bool load_is_within(const struct estimate *e, const struct load *load)
{
    double first_ms = KEY_OF(&e->plan, serve, max_first_token_ms),
           token_ms = KEY_OF(&e->plan, serve, max_per_token_ms);
    return !(first_ms > 0 && load->first_s * 1e3 > first_ms) && !(token_ms > 0 && load->per_token_s * 1e3 > token_ms);
}

/* The largest number of requests from 1 to `most` of which `is` holds; it holds of all smaller ones. 0 for none. */
static double bisect(const struct estimate *e, double most, bool (*is)(const struct estimate *, const struct load *))
{
    double low = 0, high = floor(most) + 1;
    while (high - low > 1) {
        struct load load;
        double middle = floor((low + high) / 2);
        load_at(e, middle, &load);
        *(is(e, &load) ? &low : &high) = middle;
    }
    return low;
}

static bool is_too_slow(const struct estimate *e, const struct load *load)
{
    return load->tokens_per_s / e->serving.generate < KEY_OF(&e->plan, serve, request_rate);
}

static const struct load unknown = {NAN, NAN, NAN, NAN, NAN, NAN};

void load_within_limits(const struct estimate *e, struct load *out)
{
    double most = most_requests(e), batch = most >= 1 ? bisect(e, most, load_is_within) : 0;
    *out = unknown;
    if (isnan(most))
        return;
    if (batch >= 1)
        load_at(e, batch, out);
    out->batch = batch;
}

void load_at_rate(const struct estimate *e, struct load *out)
{
    double most = most_requests(e);
    *out = unknown;
    if (!(KEY_OF(&e->plan, serve, request_rate) > 0) || !(most >= 1))
        return;
    double batch = bisect(e, most, is_too_slow) + 1;
    if (batch <= most)
        load_at(e, batch, out);
}
