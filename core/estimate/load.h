/* core/estimate/load.h - a server under load: users within limits of latency, and what a rate of requests means. */
#pragma once

#include <stdbool.h>

struct estimate;

/** A server at a number of requests under way; NAN where not known. */
struct load {
    double batch;                     /* requests under way on one replica; 0: none is within the limits */
    double first_s, first_low_s, first_high_s; /* first token: mean, and the range of 99 % of them */
    double per_token_s, tokens_per_s; /* tokens of all replicas */
};

/** The server with `batch` requests under way on each replica. */
void load_at(const struct estimate *estimate, double batch, struct load *out);

/** Whether latencies are within serve.max_first_token_ms and serve.max_per_token_ms, as far as these are given. */
bool load_is_within(const struct estimate *estimate, const struct load *load);

/** The most requests within serve.max_first_token_ms and serve.max_per_token_ms that the cache holds at mean length. */
void load_within_limits(const struct estimate *estimate, struct load *out);

/** The server at serve.request_rate over all replicas; everything NAN without a rate, or where it cannot keep up. */
void load_at_rate(const struct estimate *estimate, struct load *out);
