/*
 * src/export/patch.h - a changed plan back into the foreign file that it was read from, a script or a configuration,
 * and into those that were read beside it: what it sources, names or lies next to.
 *
 * One change at a time is tried in a copy of the text, which is read again: what does not read as wanted is not made.
 * Candidates are the places where a value stands (words in the lines that the reader told, and those that read like the
 * value), the paths of the tables that the reader used, and what the exporter of the format would write otherwise. What
 * stands in one of the files is changed there before anything is added to another.
 */
#pragma once

#include "src/import/import.h"
#include "src/text/text.h"

struct errors;

/** What is to be patched. */
struct patch_ask {
    const struct plan *wanted;
    /* those that make the plan, in the order in which they are read; plans only tell what is wanted */
    const char *const *file;
    int files;
    const char *target;            /* the one to change with those read beside it, one of `file` */
    struct import_options options; /* of the first file */
};

/** A patch; release with patch_free(). */
struct patch {
    struct keyvals file; /* what changes: paths and their texts as they are to be */
    struct buffer diff;  /* the same as a unified diff; empty where nothing changes */
    int changed;         /* plan keys that the texts now say */
    int left;            /* those that they cannot say, */
    bool is_partial;     /* others than what describes the machine among them */
};

/**
 * Makes a patch. What cannot be said in the file is remarked on. Returns 0, or -1 with a fault when a file cannot be
 * read or is none that can be changed.
 */
int patch_make(const struct patch_ask *ask, struct patch *out, struct errors *errors);

/** Releases a patch and leaves an empty one. */
void patch_free(struct patch *patch);
