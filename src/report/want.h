/* src/report/want.h - the few values that somebody wants of a result, named by their paths. */
#ifndef SHARDTOP_SRC_REPORT_WANT_H
#define SHARDTOP_SRC_REPORT_WANT_H

#include <stdbool.h>

#include "src/text/json_pull.h"

struct buffer;

enum { WANT_MAX = 64, WANT_PATH_MAX = 128 };

/**
 * Paths as `memory.stages.0.device_bytes`; an array's position may be left out, which is every entry. Start at zero.
 */
struct want {
    char path[WANT_MAX][WANT_PATH_MAX];
    bool is_found[WANT_MAX]; /* by want_copy() */
    int count;
};

/** Reads a JSON array of paths. Returns NULL, or what is wrong with it. */
const char *want_read(struct want *want, struct json_piece paths);

/** Whether any path is, or begins with, this member of the result. */
bool want_has(const struct want *want, const char *member);

/**
 * Appends `value`, a JSON object, without what is not wanted; entries of an array keep their positions and are `{}`
 * where nothing of them is. A path below null is null. Returns the first path that names nothing, or NULL.
 */
const char *want_copy(struct want *want, struct buffer *out, struct json_piece value);

#endif
