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
 * wait for each other; handles share nothing. Own presets below $XDG_CONFIG_HOME/shardtop/ count as they do for the
 * program. Memory that runs out ends the process.
 */
#ifndef SHARDTOP_H
#define SHARDTOP_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#pragma GCC visibility push(default)
#endif

/** What a caller holds. */
struct shardtop;

/** A handle; never NULL. */
struct shardtop *shardtop_open(void);

/** The answer to a request: a line of `shardtop batch`, such as {"id": 1, "plan": {"model": "llama3-8b"}}. */
const char *shardtop_ask(struct shardtop *shardtop, const char *request);

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
