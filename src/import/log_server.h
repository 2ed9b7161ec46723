/*
 * src/import/log_server.h - figures of a server in a start-up log of vLLM, SGLang or TensorRT-LLM, or in the output of
 * `vllm bench serve` and `sglang.bench_serving`; and the settings that the log prints.
 *
 * GB of these lines are powers of 1024: vLLM and SGLang divide by 2^30 (vllm utils/mem_utils.py, sglang
 * utils/common.py get_available_gpu_memory).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct errors;
struct import;

/** What is measured. */
enum served_figure {
    SERVED_WEIGHTS, /* bytes, as the next four */
    SERVED_PROFILE, /* peak of the profiling run */
    SERVED_OUTSIDE, /* outside PyTorch */
    SERVED_GRAPHS,
    SERVED_KV,
    SERVED_KV_TOKENS,
    SERVED_BLOCKS,      /* of the cache */
    SERVED_CONCURRENCY, /* longest requests at once */
    SERVED_FIRST_MS,
    SERVED_TOKEN_MS,
    SERVED_TOKENS_PER_S,
    SERVED_UNDER_WAY, /* requests, as the benchmark was told */
    SERVED_FIGURES
};

/** Figures of a server; NAN where the log has none. `starts` is 1 or 0, -1 where it does not tell. */
struct log_server {
    double figure[SERVED_FIGURES];
    int starts;
    const char *why; /* it did not start, in few words; NULL */
};

/** A server of which nothing is known. */
struct log_server log_server_new(void);

/** Takes a line of `size` bytes. */
void log_server_take(struct log_server *server, const char *line, size_t size);

/** Whether anything is known. */
bool log_server_says_something(const struct log_server *server);

/** True where a text has the settings of a server as its log prints them. */
bool log_server_recognise(const char *text);

/** Reads these settings: `non-default args: {...}` of vLLM, `ServerArgs(...)` of SGLang, and the version. */
int log_server_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
