/* src/runs/calibrate_server.h - what logs of a server shift: its cache and the time of its steps. */
#pragma once

#include <stdbool.h>

struct buffer;
struct errors;
struct estimate;
struct run;

/** What runs of one server have shown so far. */
struct server_fit {
    int engine;          /* enum engine of the first run */
    int caches, speeds;  /* runs with a measured cache; with a measured time or throughput */
    double other_gib;    /* sum over `caches`: what the estimate lacks besides weights, profiling run and cache */
    double log_ratio;    /* sum over `speeds`: logarithm of measured over estimated time */
};

/** Takes a run that serves with an engine; false where nothing of it is both measured and estimated. */
bool server_fit_take(struct server_fit *fit, const struct run *run, const struct estimate *e, struct errors *errors);

/** The values to write; NAN where no run tells them. Of few speeds a part is taken as common to the next run. */
double server_fit_other_gib(const struct server_fit *fit);
double server_fit_time_factor(const struct server_fit *fit);

/** Prints the keys, and says what was found; nothing without runs. */
void server_fit_report(const struct server_fit *fit, const char *gpu, struct buffer *out, struct errors *errors);
