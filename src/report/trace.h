/* src/report/trace.h - the schedule as a trace that timeline viewers open. */
#pragma once

struct buffer;
struct estimate;

/**
 * Appends every pass of one iteration in the Chrome trace format (a JSON object with traceEvents, which Perfetto and
 * chrome://tracing open): a thread for each stage, times in microseconds. Where there are more passes than the player
 * keeps, fewer micro-batches are played; the process's name and `otherData` say how many. Returns 0, or -1 with `out`
 * unchanged when no order of passes is known.
 */
int report_trace(struct buffer *out, const struct estimate *estimate);
