/* src/report/text.h - the parts of a text report, and the tables; src/report/report.c puts them together. */
#pragma once

#include "core/plan/key.h"

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct estimate;
struct page;
struct report_options;
struct diag;

/** Estimates of the same plan under one or several frameworks. */
struct estimates {
    const struct estimate *const *item;
    size_t count;
};

/* Each writes one part of the report of all estimates side by side, or of the first. */
void report_summary(struct page *page, const struct estimates *all);
void report_layers(struct page *page, const struct estimates *all);
void report_memory(struct page *page, const struct estimates *all);
void report_timeline(struct page *page, const struct estimates *all);
void report_grid(struct page *page, const struct estimates *all);
void report_traffic(struct page *page, const struct estimates *all); /* the whole cluster, by dimension */
void report_communication(struct page *page, const struct estimates *all);
void report_serving(struct page *page, const struct estimates *all);
void report_brief(struct page *page, const struct estimates *all); /* behind the headline, where there is one screen */

/** The framework's name of an estimate. */
const char *report_framework(const struct estimate *estimate);

/** The finding that makes a plan invalid; NULL when there is none. */
const struct diag *report_first_error(const struct estimate *estimate);

/** Why a number of this estimate is unknown; ends with the name of `key` (may be NULL) when that is what is missing. */
const char *report_why_unknown(const struct estimate *estimate, const char *key, char *out, size_t size);

/** True for a key that this plan's workload does not use: of serving in a training, say. */
bool report_is_moot(const struct plan *plan, enum param key);

/** Which phase of reinforcement learning is the largest, and what is left, as one clause. */
void report_rl_fit(const struct estimate *estimate, struct buffer *out);

/** The phases of reinforcement learning with memory and time. */
void report_rl(struct page *page, const struct estimate *estimate);

enum { SERVING_TEXT = 400 };

/** Parts of the time of an iteration or a token, without those below 0.05 %. */
void report_spent(struct page *page, const struct estimate *estimate);

/** Why the server of a plan does not start, or why that is not known, with what to do; "" where it starts. */
const char *report_serving_why(const struct estimate *estimate, char out[SERVING_TEXT]);

/** Writes the wanted sections of all estimates as CSV or Markdown. */
void report_tables(struct buffer *out, const struct estimates *all, const struct report_options *options);
