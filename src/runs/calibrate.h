/* src/runs/calibrate.h - fits the efficiencies of a device to measured times, as little as they call for. */
#pragma once

#include "core/plan/key.h"
#include "src/runs/calibrate_server.h"

#include <stdbool.h>
#include <stddef.h>

struct keyvals;
struct runs_request;

/** What `shardtop calibrate` is asked for. */
struct calibrate_request {
    const char *const *files; /* tables of runs, logs, plans */
    size_t file_count;
    const struct keyvals *settings; /* keys that win over those of every run; may be NULL */
    const char *tags;               /* runs with all of these tags or cells; may be NULL */
    struct buffer *out;             /* gets a hardware file; when nothing is fitted one that says why */
    struct errors *errors; /* gets faults; and as remarks the error before and after, or why nothing is fitted */
};

/** Reads, fits and prints. Returns the exit status: 0 fitted, 1 the shipped values stay, 2 with faults added. */
int calibrate_run(const struct calibrate_request *request);

enum { CALIBRATE_KEYS = 4 /* efficiencies that may be fitted */, CALIBRATE_SAMPLES_MAX = 8192 };

enum { CALIBRATE_FIT_FROM = 5 /* runs; fewer: the common factor, however far off it is */ };

/** One efficiency that may be fitted. */
struct calibrate_key {
    enum param id;
    double prior; /* how far it may be from the shipped value: standard deviation of its logarithm */
};

/** All of them. */
extern const struct calibrate_key calibrate_keys[CALIBRATE_KEYS];

/** A fit. Mean absolute errors of the time; every family of runs counts by the square root of its runs. */
struct calibration {
    struct server_fit served; /* of runs that serve with an engine, which are not in the fit */
    char gpu[PLAN_TEXT_MAX];
    int runs;                           /* with a measured and an estimated time */
    /* of them in the fit: all, or an even choice of CALIBRATE_SAMPLES_MAX at most */
    int used;
    bool is_fitted[CALIBRATE_KEYS];     /* false: the runs cannot tell, or differ in it */
    bool differs[CALIBRATE_KEYS];       /* the runs have different values already */
    double shipped[CALIBRATE_KEYS];     /* NAN where not known or different */
    double fitted[CALIBRATE_KEYS];
    double before, left_out, after;     /* with shipped values; each run from a fit without it; with all in the fit */
    bool is_better;                     /* left_out is below before by more than chance */
    bool is_common_better;              /* so is common_left_out: each run from the common factor of the others */
    double common_left_out;
    double ratio, common, left;         /* measured over estimated; of it what runs have in common; variance left */
    /* the common ratio of the GPU's time, of traffic between GPUs and of the host's work; the host's speed before */
    double gpu_factor, network_factor, host_factor, host_speed;
};

/**
 * Reads the runs and fits: Huber's loss of log errors, priors on the logarithms of the values, Gauss-Newton. Keys about
 * which the runs tell little beyond the prior stay. Returns 0, or -1 with faults added (several devices, a run that
 * cannot be read).
 */
int calibrate_fit(const struct runs_request *request, struct calibration *out, struct errors *errors);
