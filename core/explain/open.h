/* core/explain/open.h - opens one number of each sheet of the estimate; core/explain/path.c reads paths and calls these. */
#ifndef SHARDTOP_CORE_EXPLAIN_OPEN_H
#define SHARDTOP_CORE_EXPLAIN_OPEN_H

#include "core/explain/explain.h"

/** What a path says beside its last name: up to two numbers, -1 where there is none. */
struct path_index {
    int first, second;
};

/** Opens member `name` of a sheet; 0, or -1 when there is none. `out` is empty but for its path. */
typedef int (*open_function)(const struct estimate *estimate, struct path_index at, const char *name, struct explanation *out);

int open_stage(const struct estimate *estimate, struct path_index at, const char *name, struct explanation *out);
int open_chunk(const struct estimate *estimate, struct path_index at, const char *name, struct explanation *out);
int open_kept(const struct estimate *estimate, struct path_index at, const char *name, struct explanation *out);
int open_memory(const struct estimate *estimate, struct path_index at, const char *name, struct explanation *out);
int open_layer(const struct estimate *estimate, struct path_index at, const char *name, struct explanation *out);
int open_traffic(const struct estimate *estimate, struct path_index at, const char *name, struct explanation *out);
int open_operator(const struct estimate *estimate, struct path_index at, const char *name, struct explanation *out);
int open_full_operator(const struct estimate *estimate, struct path_index at, const char *name, struct explanation *out);
int open_comm(const struct estimate *estimate, struct path_index at, const char *name, struct explanation *out);
int open_model(const struct estimate *estimate, struct path_index at, const char *name, struct explanation *out);
int open_whole(const struct estimate *estimate, struct path_index at, const char *name, struct explanation *out);
int open_step(const struct estimate *estimate, struct path_index at, const char *name, struct explanation *out);
int open_stage_time(const struct estimate *estimate, struct path_index at, const char *name, struct explanation *out);
int open_serving(const struct estimate *estimate, struct path_index at, const char *name, struct explanation *out);
int open_symbol(const struct estimate *estimate, struct path_index at, const char *name, struct explanation *out);
int open_memory_range(const struct estimate *estimate, struct path_index at, const char *name, struct explanation *out);
int open_time_range(const struct estimate *estimate, struct path_index at, const char *name, struct explanation *out);
int open_constant(const struct estimate *estimate, struct path_index at, const char *name, struct explanation *out);
int open_full_symbol(const struct estimate *estimate, struct path_index at, const char *name, struct explanation *out);

#endif
