/* core/plan/engine.h - what serving engines reserve and default to, by version, and the bytes of served weights. */
#pragma once

struct plan;

/** What a version of an engine does; the sheet of core/estimate/server.def reads it. */
struct engine_facts {
    double share;                /* default of serve.memory_share; 0: derived from the device */
    double old_chunk;            /* tokens of a chunk where prompts are chunked for length alone; else 0 */
    double tokens, seqs;         /* default tokens and sequences of a step */
    double tokens_large, seqs_large; /* the same on devices of 70 GiB and more, A100 apart */
    double tokens_huge;          /* tokens on devices of 160 GiB and more; 0: same as tokens_large */
    double block;                /* tokens in a block of the cache */
    double logit_bytes, few_logit_bytes; /* of a logit in the profiled sampler: 128 rows and more, fewer */
    double sm_rows;              /* 1 when the sampler keeps an fp32 row of logits on each multiprocessor */
    double reserve;              /* profiled activations over allocated ones */
    double keeps_workspaces;     /* 1 when workspaces of fused experts stay */
    double samples_beside;       /* 1 when they are there while the sampler runs */
    double graph_modes, graph_step; /* captures of each size, steps of sizes from 256 on */
    double fixed_graphs;         /* captures, whatever the sizes */
    double counts_graphs;        /* 1 when graphs are taken from the cache's memory */
    double tokens_by_length;     /* 1 when the log's tokens are requests times max_model_len */
    double counts_context;       /* 1 when the driver's context counts */
    double own_gib, own_small_gib; /* outside PyTorch: Hopper and Blackwell servers, other devices */
    double links;                /* 1 when communicators are made after the first look at free memory */
    double pair_gib, group_gib, small_group_gib; /* more with 2 ranks, with more, on other devices */
    double stages_gib;           /* outside PyTorch with pipeline stages; NAN: as ranks */
};

/** One row of core/plan/engine.def. */
struct engine_row {
    int engine;
    double since;
    const char *date, *source;
    struct engine_facts facts;
};

/** What a type of served weights takes, bytes: a value, an output channel, scales of each value, a group's scale. */
struct weight_facts {
    double value, row, scale, group;
};

/** The row of an engine (enum engine) that holds for a version; NAN takes the version that engine_version() gives. */
const struct engine_row *engine_row(double engine, double version);

/** The version that a blank serve.engine_version stands for. */
double engine_version(double engine);

/** The bytes of a type (enum weight); of bf16 where it is out of range. */
struct weight_facts weight_facts(double type);

/** Fills the blank keys of the group `serve` that follow the engine, its version and the device. */
void engine_resolve(struct plan *plan);
