/* src/report/report.h - what a plan amounts to, printed: text for people, JSON, CSV and Markdown for programs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/plan/key.h"

struct buffer;
struct errors;
struct estimate;
struct keyvals;
struct comment_figures;
struct questions;

/** What a report is written as. */
enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_CSV, REPORT_MARKDOWN };

/** The parts of a report, in the order in which they are printed. */
enum report_section {
    SECTION_ALL,
    SECTION_SUMMARY, /* the headline: fits or not, speed, what was assumed */
    SECTION_DIAGNOSTICS,
    SECTION_LAYERS,
    SECTION_MEMORY,
    SECTION_GRID,
    SECTION_COMMUNICATION,
    SECTION_TIME,
    SECTION_TRAINING,
    SECTION_CHECKPOINT,
    SECTION_SERVING,
    SECTION_COUNT
};

/** How a report is printed; all zero is the whole report as plain UTF-8 text. */
struct report_options {
    enum report_format format;
    enum report_section section;
    bool full;  /* every group and rank, however many */
    bool brief; /* text of a whole report: one screen of it */
    bool ascii; /* no characters beyond ASCII */
    bool color; /* headings and findings coloured with escape sequences; text only */
    const struct questions *questions; /* what the inputs left open; NULL for nothing */
    const struct comment_figures *figures; /* what an input states that was measured; NULL or line 0 for nothing */
    const struct errors *remarks; /* what was said while they were read; NULL for nothing */
    const struct keyvals *unused; /* JSON: their settings that change nothing; NULL for none */
};

/** Names of the sections as `--section` takes them ("all", "summary", "diagnostics", ...). */
extern const char *const report_section_names[SECTION_COUNT];

/** The section of this name (enum report_section), or -1. */
int report_section_find(const char *name);

/**
 * Appends the report of `count` (at least 1) estimates to `out`. Several estimates are the same plan under several
 * frameworks: text sets the headline and the memory side by side, then prints the rest of the first; JSON is then an
 * array of results, tables get a framework column. Text from plans is made safe for a terminal.
 */
void report_write(struct buffer *out, const struct estimate *const estimates[], size_t count,
                  const struct report_options *options);

/**
 * Appends the one line of `show --check`: whether the plan is valid and fits, by how much, on which GPU, and what was
 * assumed.
 */
void report_check(struct buffer *out, const struct estimate *estimate);

/** What `show --check` judges. */
struct check {
    const struct estimate *estimate;
    double sure;           /* the probability from which the plan fits */
    const char *name;      /* of the plan: its file or model */
    const char *framework; /* where several are checked, else NULL */
    const char *open;      /* a question that leaves the verdict open, else NULL */
    bool is_foreign;       /* read from another program's file: what that leaves out is open, and no error */
};

/** True when nothing is wrong with a plan but that values are missing. */
bool report_is_incomplete(const struct estimate *estimate);

/** True when the verdict is open because the file of another program leaves out what an estimate needs. */
bool check_is_open(const struct check *check);

/** The verdict on a valid plan. */
enum verdict check_verdict(const struct check *check);

/** Appends the line of report_check() after the plan's name. */
void report_named_check(struct buffer *out, const struct check *check);

/** Keys whose values a verdict rests on and which may be left out; PARAM_COUNT ends them. */
extern const enum param report_rests_on[];

/** Whether nobody gave the value of one of these keys. */
bool report_is_assumed(const struct estimate *estimate, enum param key);

/** Writes " (assumed: h100-sxm-80, 8 GPUs, sequence 8192)", what nobody gave and a verdict rests on; "" for none. */
void report_not_given(const struct estimate *estimate, struct buffer *out);

/**
 * Appends the number at `path` opened, as text or as the JSON object of `explain --json`. JSON nests what each input
 * comes from where the input is met first; text goes on to inputs of inputs with `full`. A key that is a switch or a
 * choice comes with what its other values would give in `plan`, of which `estimate` is. Returns -1 for no such value.
 */
int report_explain(struct buffer *out, const struct plan *plan, const struct estimate *estimate, const char *path,
                   bool json, bool full);
