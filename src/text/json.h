/* src/text/json.h - JSON text as settings; the only file that knows cJSON. */
#ifndef SHARDTOP_SRC_TEXT_JSON_H
#define SHARDTOP_SRC_TEXT_JSON_H

#include <stddef.h>

struct errors;
struct keyvals;

/**
 * Reads one object from `text`, which has a NUL behind its `size` bytes: keys of nested objects are joined with dots,
 * arrays become `[a,b,[c]]`, `null` becomes "", numbers the shortest text of the same value. Every fault is added with
 * its line: broken syntax, anything behind the object, a key twice in one object, an array of objects, nesting beyond
 * 64, numbers beyond the range of a double.
 * Returns 0, or -1 when a fault was added (`out` then holds what could be read).
 */
int json_read(const char *text, size_t size, const char *name, struct keyvals *out, struct errors *errors);

#endif
