/* src/import/sibling_files.h - files that a file names: what the script itself writes, what lies beside it or above. */
#pragma once

#include <stddef.h>

struct import;
struct import_options;

/**
 * The text of the regular file at `path`, or what `options` keeps for it, in fresh memory with a NUL behind its `size`
 * bytes; NULL for none. A file that is read is kept there, where the caller keeps them.
 */
char *beside_open(const struct import_options *options, const char *path, size_t *size);

/**
 * The text of the file `name` in fresh memory with a NUL behind its `size` bytes: one that the script being read
 * writes, else a regular file of that path in the folder of the file being read or in one of those above it, as
 * repositories have them. NULL where there is none, for absolute paths, and where the place of the file being read is
 * not known.
 */
char *beside_read(const struct import *import, const char *name, size_t *size);
