/* src/runs/validate.h - estimates every measured run and says how far off each number is, in all and by group. */
#pragma once

#include "src/report/report.h"
#include "src/report/table.h"
#include "src/runs/ranges.h"
#include "src/runs/ranking.h"
#include "src/runs/runs.h"
#include "src/runs/stats.h"
#include "src/text/json_out.h"

#include <stdbool.h>
#include <stddef.h>

/** What `shardtop validate` is asked for; zero all but `files`, `out` and `errors` for the plain report. */
struct validate_request {
    const char *const *files; /* tables of runs, logs, plans */
    size_t file_count;
    const struct keyvals *settings; /* keys that win over those of every run; may be NULL */
    const char *tags;               /* runs with all of these tags, "core,-slow-unexplained"; may be NULL */
    const char *by;                 /* id, source, tags, notes, family or a plan key to group by; may be NULL */
    bool ranking;                   /* how well layouts are put in order, too */
    bool ranges;                    /* how far times are off and what ranges made of that hold, too */
    struct report_options report;   /* format, ascii, color */
    struct buffer *out;
    /* takes what `out` holds so far, now and then, and empties it; NULL: it is kept to the end */
    void (*spill)(struct buffer *out);
    struct errors *errors;
};

/** Reads, estimates and prints. Returns the exit status: 0, or 2 with faults added and nothing more printed. */
int validate_run(const struct validate_request *request);

/** One number of one run; texts last until the next one. */
struct validate_value {
    const struct run *run;
    enum metric metric;
    struct interval range;             /* 80 % of the estimate; NAN where it has none */
    double probability;                /* that the plan fits; NAN but for `fits` */
    enum verdict verdict;              /* of `fits` */
    double measured, estimated, error; /* NAN where not known; without `measured` the value is shown and not counted */
    char *note;                        /* why there is no estimate, or what is to be known about it; may be NULL */
    char *group;                       /* value of the `by` column; may be NULL */
};

/** A value that the report names: one of the worst of its metric, or one without an estimate. */
struct validate_named {
    char *id, *note; /* the note may be NULL */
    enum metric metric;
    double measured, estimated, error;
};

/** What the rows of a summary have in common. */
enum validate_part { PART_ALL, PART_TAG, PART_FAMILY, PART_GROUP };

enum { RELIABILITY_BINS = 6 };

/** Upper ends of the bins of probability: up to 0.1 the verdict is no, from 0.9 on fits. */
extern const double validate_bin_ends[RELIABILITY_BINS];

/** Rows of `fits` whose probability lies in a bin. */
struct validate_reliability {
    int rows, ran;
    double said; /* sum of the probabilities */
};

/** The errors of one metric in one part: all rows, or those of a tag, family or group. */
struct validate_tally {
    enum validate_part part;
    char *name;
    struct error_tally errors;
    char *worst_id;  /* NULL: none is known */
    int right[2][2]; /* of `fits`: [measured][estimated] */
    int ranged, inside;            /* values whose estimate has a range; of them inside it */
    int verdict[VERDICT_COUNT][2]; /* of `fits`: [verdict][measured] */
    struct validate_reliability reliability[RELIABILITY_BINS]; /* of `fits` */
};

enum { VALIDATE_WORST = 5, VALIDATE_MISSED = 20, VALIDATE_UNREAD = 100 };

/** One metric. */
struct validate_metric {
    struct validate_tally *tally; /* in the order in which they came */
    size_t tallies, capacity;
    struct validate_named worst[VALIDATE_WORST]; /* the worst first */
    int worst_count;
};

/**
 * Everything that follows from the runs, in memory that does not grow with their number (but for the ranking);
 * zero-initialise, release with validate_free().
 */
struct validate_results {
    size_t runs, values;
    struct validate_metric metric[METRIC_COUNT];
    struct validate_named missed[VALIDATE_MISSED]; /* the first values without an error */
    size_t missed_count;                           /* of all such values */
    struct validate_unread {
        char *id, *reason; /* the id may be "" */
        int line;
    } unread[VALIDATE_UNREAD]; /* the first rows that cannot be read */
    size_t unread_count;       /* of all such rows */
    const char *by;                                /* of the request */
    bool has_more_groups;                          /* than VALIDATE_GROUPS_MAX */
    struct ranking ranking; /* empty unless it was asked for */
    struct ranges ranges;   /* with --ranges */
};

enum { VALIDATE_GROUPS_MAX = 1000, /* names of one part of a summary: those that come first */
       VALIDATE_RANKED_MAX = 20000 };

/** Gap between measured speeds below which a pair of layouts says nothing: runs repeat no better (measured, 2024). */
#define VALIDATE_GAP 0.05

/** Gets a value as soon as it is known. */
typedef void validate_taker(void *to, const struct validate_value *value);

/** The part of validate_run() before the summaries: every value goes to `take`. Returns 0, or -1 with faults added. */
int validate_measure(const struct validate_request *request, struct validate_results *out, validate_taker *take,
                     void *to);

/** One row of a summary. */
struct validate_summary {
    struct error_stats stats;
    const char *worst_id;
    int right[2][2]; /* of `fits`: [measured][estimated] */
    double inside;   /* share of the values with a range that it holds; NAN when none has one */
    int verdict[VERDICT_COUNT][2]; /* of `fits`: [verdict][measured] */
    struct validate_reliability reliability[RELIABILITY_BINS]; /* of `fits` */
};

/** Sums up the values of a metric in a part; `name` is the tag, family or group. */
void validate_summarise(const struct validate_results *results, enum metric metric, enum validate_part part,
                        const char *name, struct validate_summary *out);

/** The mean over families of their mean absolute and mean error, each family counted once; returns how many. */
int validate_families(const struct validate_results *results, enum metric metric, double *mean_abs, double *mean);

/** The parts of a kind that a metric has, most values first, ended by NULL; the caller frees the list. */
const struct validate_tally **validate_parts(const struct validate_results *results, enum metric metric,
                                             enum validate_part part);

/** Sums up one part. */
void validate_sum(const struct validate_tally *tally, struct validate_summary *out);

void validate_free(struct validate_results *results);

/** Prints what a request asks for: rows as they come, summaries at the end. */
struct validate_print {
    const struct validate_request *request;
    struct json json;
    struct table table; /* one row, for CSV and Markdown */
    struct table_column column[10];
    bool has_spilled; /* some of it was printed already */
};

void validate_print_open(struct validate_print *print, const struct validate_request *request);
validate_taker validate_print_value; /* `to` is the struct validate_print */
void validate_print_close(struct validate_print *print, const struct validate_results *results);
