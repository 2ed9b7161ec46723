/* src/import/recognise.h - what a file is, told by its content; the kinds are the rows of src/import/formats.def. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct errors;
struct import;
struct tree;

/** What a text is. */
enum plan_kind {
#define FORMAT(id, what, reads, holds, instead) KIND_##id,
#include "src/import/formats.def"
#undef FORMAT
    KIND_COUNT
};

/** What a plan's file has beside its keys: which of them nobody gave (src/plan/left_open.h). */
#define RECOGNISE_ASSUMED   "assumed"
#define RECOGNISE_UNCERTAIN "uncertain"
#define RECOGNISE_DEFAULTS  "defaults"

/** Reads a text, which has a NUL behind its `size` bytes, into `out`. Returns 0, or -1 with a fault added. */
typedef int importer(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);

/** One kind of file. */
struct format {
    const char *id, *what; /* "nanotron", "a nanotron configuration" */
    importer *read;        /* NULL: it is recognised and not read, or is a plan */
    const char *holds;     /* the condition on its keys; "" for kinds told otherwise */
    const char *instead;   /* what to do with a kind that is not read */
};

/** By enum plan_kind. */
extern const struct format formats[KIND_COUNT];

/**
 * Reads a text of a kind that is read, then the settings in its comments (`# shardtop: KEY=VALUE`), which exports leave
 * for what a format has no place for. Returns 0, or -1 with a fault added.
 */
int recognise_read(enum plan_kind kind, const char *text, size_t size, const char *name, struct import *out,
                   struct errors *errors);

/** What a text, which has a NUL behind its `size` bytes, seems to be. */
enum plan_kind plan_recognise(const char *text, size_t size);

/** The same for the beginning of an open file; KIND_UNKNOWN if it cannot be read without moving the position. */
enum plan_kind plan_recognise_head(int fd);

/** True when the keys of `tree` satisfy a condition, in the words of src/import/recognise.c. */
bool recognise_holds(const struct tree *tree, const char *condition);

/** Adds the fault of a file whose kind is not read: what it looks like, why it is not read, what to do. */
void recognise_refuse(enum plan_kind kind, const char *text, size_t size, const char *name, struct errors *errors);
