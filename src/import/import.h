/* src/import/import.h - what every reader of a foreign file or command line hands over: settings for a plan. */
#ifndef SHARDTOP_SRC_IMPORT_IMPORT_H
#define SHARDTOP_SRC_IMPORT_IMPORT_H

#include "src/text/keyval.h"

struct plan;

/** What was read; zero-initialise before use, release with import_free(). */
struct import {
    const struct plan *base; /* the plan so far, given to the reader; NULL for none */
    struct keyvals settings; /* plan keys in dotted form, with the line in which they were written */
    struct keyvals defaults; /* plan keys that nothing set and for which the framework's own default counts; line 0 */
    struct keyvals unused;   /* flags or keys that change nothing here, each once; value: one of the texts below or a reason of its own */
};

/** Values in `unused`: why something was not used. */
#define IMPORT_NO_EFFECT    "does not change the estimate"
#define IMPORT_NOT_MODELLED "is not modelled; the estimate is made without it"
#define IMPORT_NOT_KNOWN    "is not a flag known here"

/** Releases what was read and leaves an empty import. */
void import_free(struct import *import);

#endif
