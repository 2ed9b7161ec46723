/* src/import/import.h - what every reader of a foreign file or command line hands over: settings for a plan. */
#pragma once

#include "core/plan/question.h"
#include "src/text/keyval.h"

#include <stdbool.h>

/** What the caller knows beside a text. */
struct import_options {
    const struct keyvals *env;  /* variables by name, the last of several counts; NULL for none */
    struct keyvals *asked;      /* receives the variables that the text reads; may be NULL */
    bool use_env;               /* the caller's own environment counts too */
    char *const *argument;      /* of the script */
    int arguments;
    int command;                /* which of a script's trainings, then servers, is taken, from 1; 0: the first */
    const char *path;           /* of the text's file, beside which others are looked for; NULL for none */
    struct keyvals *beside; /* by path, the texts of those that were read; what stands there counts more than the file.
                               NULL: nobody keeps them */
    bool is_carried;        /* the text is a command inside another file */
};

struct tree_row;

/** A table that values of the file were read with, below a prefix of its paths (src/import/table.h). */
struct import_table {
    char *prefix;
    const struct tree_row *row;
    size_t rows;
};

/** What was read; zero-initialise before use, release with import_free(). */
struct import {
    const struct plan *base; /* the plan so far, given to the reader; NULL for none */
    bool is_change;          /* given to the reader of flags: they change `base`, and defaults do not count */
    bool is_typed;           /* given to the reader of flags: a value that has no counterpart is a fault */
    const struct import_options *options; /* given to the reader; NULL for none */
    /* files that the script being read writes, by name; given to the reader, NULL for none */
    const struct keyvals *written;
    /* values by path, of the command line that names the file; given to the reader, NULL for none */
    const struct keyvals *overrides;
    struct keyvals settings; /* plan keys in dotted form, with the line in which they were written */
    struct keyvals defaults; /* plan keys that nothing set and for which the framework's own default counts; line 0 */
    struct keyvals assumed;  /* plan keys that the input leaves open, with what is taken meanwhile */
    int commands;              /* that train or serve, where there are several and none was chosen */
    bool is_on_cpu;            /* it serves without a GPU */
    bool has_auto;             /* sizes follow the width of a model that is not known yet */
    struct questions questions; /* about these, and about keys left blank */
    struct import_table *table; /* for who writes a change back */
    size_t tables;
    /* flags or keys that change nothing here, each once; value: one of the texts below or a reason of its own */
    struct keyvals unused;
    struct keyvals unread;  /* settings, or plan keys, whose value is not known or none that can be */
    struct keyvals doubted; /* settings whose value stands for a variable that is not given, with that variable */
    struct keyvals unknown; /* settings that no table has and that may decide something (src/import/unknown.h) */
};

/** Values in `unused`: why something was not used. */
#define IMPORT_NO_EFFECT    "does not change the estimate"
#define IMPORT_NOT_MODELLED "is not modelled; the estimate is made without it"
#define IMPORT_NOT_KNOWN    "is not known here"

enum { IMPORT_LINE_DEFAULT = -1 }; /* the line of a value that only the defaults of the trainer set */

/** What is asked about a key. */
struct asked {
    const char *variable; /* whose value would answer it */
    const char *assumed;  /* the value that is taken meanwhile; "" for none */
    const char *file;
    int line;             /* 0 for none */
    const char *how;      /* how it is answered: "--env TP=N" */
    bool is_uncertain;    /* a value was read, and may not hold */
};

/** The value of a variable that the caller gave, NULL when it did not. */
const char *import_variable(const struct import *import, const char *name);

/** Adds a question about a key, and what is assumed of it; the variables of equal name are one question. */
void import_ask(struct import *import, const char *key, const struct asked *asked);

/** The same, with the input's own words for an answer, separated by blanks; NULL: those that work are worked out. */
void import_ask_words(struct import *import, const char *key, const struct asked *asked, const char *words);

/** Leaves open what a file of settings that is not there may decide, where nothing else gives it. */
void import_doubt_file(struct import *import, const char *missing, int line);

/** Keeps that the flags in a part of the command are unknown; the first such part counts. */
void import_hide(struct import *import, const char *words);

/** Releases what was read and leaves an empty import. */
void import_free(struct import *import);
