/*
 * src/lib/shardtop.h - libshardtop: the estimates of `shardtop batch` as calls. JSON goes in and comes out; models,
 * GPUs, clusters and plans are inside.
 *
 *     struct shardtop *shardtop = shardtop_open();
 *     puts(shardtop_ask(shardtop, "{\"plan\": {\"model\": \"llama3-8b\", \"parallel.tp\": 2}, "
 *                                 "\"want\": [\"memory.fits\"]}"));
 *     shardtop_close(shardtop);
 *
 * Link with `pkg-config --cflags --libs shardtop`. Answers are what shardtop_schema() says; members are added to them,
 * none is renamed or taken away. Where there is no answer, it is {"id", "error": {"rule", "message"}}. Texts are UTF-8,
 * belong to the handle and last until the next call of the same thread. Threads may share a handle, whose calls then
 * wait for each other; handles share nothing. A thread with less than 1 MB of stack left is lent one for the call. Own
 * presets below $XDG_CONFIG_HOME/shardtop/ count as they do for the program. Where memory runs out the answer is the
 * error "out_of_memory", and the handle can be asked again.
 */
#ifndef SHARDTOP_H
#define SHARDTOP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#pragma GCC visibility push(default)
#endif

/** What a caller holds. */
struct shardtop;

/** A handle; NULL without memory, which the other calls take and answer with "out_of_memory". */
struct shardtop *shardtop_open(void);

/** The answer to a request: a line of `shardtop batch`, such as {"id": 1, "plan": {"model": "llama3-8b"}}. */
const char *shardtop_ask(struct shardtop *shardtop, const char *request);

/**
 * Numbers in, numbers out, for loops over many plans: keys of a plan by their names in `shardtop list keys`, with a
 * value each (switches and choices by their place), over `base`, a request's "plan" as JSON or NULL. `out` gets the
 * value at each path of `want` ("time.iteration_s", "memory.stages.0.device_bytes"), NAN where it is not
 * known. Returns 0, or -1 where a key, a value or a path is wrong, with `out` all NAN; shardtop_error() says which. The
 * base is read again only when its text changes.
 */
int shardtop_numbers(struct shardtop *shardtop, const char *base, const char *const keys[], const double values[],
                     size_t count, const char *const want[], double out[], size_t wanted);

/** What was wrong with the last call of shardtop_numbers() by this thread. */
const char *shardtop_error(struct shardtop *shardtop);

/** What `shardtop list WHAT --json` prints: "models", "gpus", "keys" and so on. */
const char *shardtop_list(struct shardtop *shardtop, const char *what);

/** The JSON Schema of a command's answer ("batch", "list" ...); with NULL of all. */
const char *shardtop_schema(struct shardtop *shardtop, const char *command);

/** The version, as "1.0.0"; no handle is needed. */
const char *shardtop_version(void);

/** Closes a handle, or NULL; its texts are gone. */
void shardtop_close(struct shardtop *shardtop);

#if defined __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
