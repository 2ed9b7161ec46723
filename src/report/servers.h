/* src/report/servers.h - what a search of layouts that serve found: text, JSON and CSV. */
#pragma once

#include "core/estimate/load.h"
#include "core/plan/plan.h"
#include "src/report/report.h"

enum { SERVERS_MAX = 64 };

/** What rules a layout out; the first that does counts. */
enum server_limit {
    SERVER_FIT,          /* the server does not start, or the requests do not fit */
    SERVER_MEMORY,       /* --max-memory or --headroom */
    SERVER_LATENCY,      /* serve.max_first_token_ms, serve.max_per_token_ms */
    SERVER_RATE,         /* serve.request_rate */
    SERVER_TOKENS,       /* --tokens-per-s */
    SERVER_WHERE,        /* --where */
    SERVER_LIMITS
};

/** A layout with what it does under the load that is asked about. */
struct server_layout {
    struct plan plan; /* blanks allowed */
    struct load load;
    double gpus, cost; /* dollars per million generated tokens */
    double value;      /* of the objective */
    double needed_bytes, headroom_bytes, kv_tokens, max_concurrency;
    bool fits; /* for sure */
};

/** An answer. */
struct servers {
    const char *objective;
    const struct plan *now;  /* the given plan, resolved */
    double users, rate;      /* requests under way at once, or a second; NAN: as many as the limits allow */
    long candidates, evaluated, feasible, excluded[SERVER_LIMITS];
    int count, top;          /* of `best`; how many to print */
    struct server_layout best[SERVERS_MAX];
    bool has_nearest;        /* the one closest to the limits, until one is within them */
    struct server_layout nearest;
    double seconds;          /* that the search took */
};

/** Appends the best layouts with their figures and what they change in the plan. */
void report_servers(struct buffer *out, const struct servers *found, const struct report_options *options);
