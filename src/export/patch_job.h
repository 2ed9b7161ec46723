/* src/export/patch_job.h - a patch under way: what src/export/patch.c decides and src/export/patch_ways.c tries. */
#pragma once

#include <stdbool.h>

#include "core/plan/param.h"
#include "src/export/patch.h"
#include "src/export/script.h"
#include "src/plan/plan_io.h"

enum { WORDS_MAX = 48, TRIALS_MAX = 3000 /* texts read for one patch */ };

/** What the texts read as, and the one of them that is being changed. */
struct state {
    struct buffer text;
    struct plan plan, resolved;
};

/** Spellings of a value. */
struct words {
    char *item[WORDS_MAX];
    int count;
};

/** A patch under way. */
struct job {
    const struct patch_ask *ask;
    struct buffer *file; /* texts, as they are */
    int target;
    struct keyvals text; /* the target's path and text as it is to be, behind it those of the files read beside it */
    struct keyvals old;  /* the same as they are */
    size_t at;           /* the one of `text` that is being changed */
    enum plan_kind kind; /* of that one */
    bool adds;           /* what it does not say yet may be added */
    struct plan resolved; /* what is wanted */
    bool follows[PARAM_COUNT]; /* keys that come along with others */
    struct state now;
    struct import import; /* of now */
    enum param key;       /* that is being changed */
    bool is_detour;       /* others may go wrong meanwhile */
    struct words words;   /* for its value */
    int trials;
};

/** True for the settings that a key comes from: its own, or the model's name. */
bool patch_is_source(const struct keyval *it, enum param key);

/** Turns to another of the texts. */
void patch_turn(struct job *job, size_t at);

/** The bytes of a line; none of line 0. */
struct range patch_line(const struct buffer *text, int line);

/** Takes a text, which it releases, when it reads better: the key as wanted, and no other off that was not. */
bool patch_try(struct job *job, struct buffer *text);

/** Changes the text so that `key` reads as wanted; false where nothing does that. */
bool patch_change(struct job *job, enum param key);
