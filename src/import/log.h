/*
 * src/import/log.h - what a training log of Megatron, DeepSpeed, nanotron, torchtitan or the Hugging Face trainer says
 * about time and memory; logs of servers are src/import/log_server.h's.
 *
 * Read are, with what the frameworks' releases of 2019 to 2026 print:
 *   Megatron   `elapsed time per iteration (ms): 1234.5` (or `(s)`), `[Rank 0] ... memory (MB) | ... max allocated:
 *              1.0 | ...
 *              max reserved: 1.0` (`max cached` in 2019)
 *   DeepSpeed  `iter time (s): 1.0`, `CurrSamplesPerSec=1.0, ... MaxMemAllocated=1.0GB`,
 *              `Max_MA 1.0 GB ... Max_CA 1 GB`
 *   nanotron   `elapsed_time_per_iteration_ms: 1.23K` (later without `elapsed_`),
 *              `Peak allocated 1.0MiB. Peak reserved: 1.0MiB`,
 *              `cuda_max_memory_reserved: 1.2G`
 *   torchtitan `step: 10 ... memory: 40.10GiB(50.65%)  tps: 7,012`, the peak that is reserved and tokens a second of a
 *              GPU
 *              (torchtitan/components/metrics.py, 2025)
 *   trainer    its progress bar `1%| | 10/1000 [00:12<20:15,  1.23s/it]`, `'train_steps_per_second': 0.8` at the end
 * MB, GB and MiB of memory lines are powers of 1024 in all of them.
 */
#pragma once

#include "src/import/log_server.h"

#include <stdbool.h>
#include <stddef.h>

/** Whose log it is. */
enum log_kind { LOG_NONE, LOG_MEGATRON, LOG_DEEPSPEED, LOG_NANOTRON, LOG_TORCHTITAN, LOG_TRAINER, LOG_SERVER,
                LOG_KIND_COUNT };

/** What the writers of logs are called in messages. */
extern const char *const log_kind_names[LOG_KIND_COUNT];

enum { LOG_WARM_UP = 2 }; /* reports of iterations at the start that do not count */

/** Numbers of one log; NAN and -1 where it has none. */
struct log_run {
    enum log_kind kind;
    int iterations;         /* reports of iterations, one for each `--log-interval` */
    /* of them in the means below: without the first LOG_WARM_UP; the last one where there are no more */
    int averaged;
    double iteration_s;     /* mean time of an iteration */
    double sample_s;        /* mean time over the global batch size, where the log has samples per second only */
    /* mean time over the tokens that a GPU takes, where the log has tokens per second and GPU only */
    double token_s;
    double last_s;          /* the last report, in the unit of the one of the three that the log has */
    int step, steps;        /* number of the iteration that the last report is of; how many there will be */
    double allocated_bytes; /* largest peak over the ranks that report */
    double reserved_bytes;
    int rank_low, rank_high;   /* ranks whose memory was reported */
    int stage_low, stage_high; /* pipeline stages whose memory was reported, where lines name the stage */
    bool is_out_of_memory;     /* the device memory did not suffice */
    struct log_server served;  /* of a server */
    bool has_trace;            /* an error trace, or the start of a training that never got to an iteration */
};

struct log_reader;

enum { LOG_LINE_MAX = 1 << 20 }; /* bytes; a longer line counts as several */

/** Reads a log of any size piece by piece, holding one line: log_close() gives the numbers and releases the reader. */
struct log_reader *log_open(void);
void log_feed(struct log_reader *reader, const char *text, size_t size);
void log_close(struct log_reader *reader, struct log_run *out);

/** The numbers of what was fed so far; a line whose end has not come does not count. */
void log_peek(const struct log_reader *reader, struct log_run *out);

/** True when a log that was read says anything that a run can be judged by. */
bool log_says_something(const struct log_run *run);
