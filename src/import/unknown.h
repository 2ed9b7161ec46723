/* src/import/unknown.h - settings that no table has: what they may decide, told by the words of their names. */
#pragma once

#include <stdbool.h>

struct import;
struct keyval;
struct plan;
struct tree;

/**
 * Keeps a setting that may decide something for unknown_ask(); `name` is a flag or a path, `value` its text ("" for a
 * switch). Returns false, and keeps nothing, where by its words it decides nothing or by its value it is off.
 */
bool unknown_keep(struct import *import, const char *name, const char *value, int line);

/**
 * Keeps an unexplained setting for unknown_ask(). If the trainer's parser would refuse it (src/import/parsers.def), the
 * file is for a fork. The parsers are those in `of`, separated by blanks;
 * NULL: that of the framework that was read, or told by the settings in `tree`, which may be NULL.
 */
void unknown_refuse(struct import *import, const char *of, const struct tree *tree, const struct keyval *it);

/**
 * Asks about the settings kept, after the others were applied to `plan`: the keys that they may decide are marked
 * FROM_ASSUMED, with the setting's own value where nothing else gave one. So are those that other questions are about
 * and for which a default stands in. `name` is the file.
 */
void unknown_ask(struct import *import, struct plan *plan, const char *name);
