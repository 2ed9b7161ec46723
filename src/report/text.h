/* src/report/text.h - the parts of a text report; src/report/report.c puts them together. */
#ifndef SHARDTOP_SRC_REPORT_TEXT_H
#define SHARDTOP_SRC_REPORT_TEXT_H

#include <stddef.h>

struct estimate;
struct page;
struct table;
struct table_column;
struct diag;

/** Estimates of the same plan under one or several frameworks. */
struct estimates {
    const struct estimate *const *item;
    size_t count;
};

/* Each writes one part of the report of all estimates side by side, or of the first. */
void report_summary(struct page *page, const struct estimates *all);
void report_questions(struct page *page, const struct estimates *all);
void report_diagnostics(struct page *page, const struct estimates *all);
void report_assumptions(struct page *page, const struct estimates *all);
void report_layers(struct page *page, const struct estimates *all);
void report_products(struct page *page, const struct estimates *all);
void report_memory(struct page *page, const struct estimates *all);
void report_timeline(struct page *page, const struct estimates *all);
void report_grid(struct page *page, const struct estimates *all);
void report_traffic(struct page *page, const struct estimates *all); /* the whole cluster, by dimension */
void report_communication(struct page *page, const struct estimates *all);
void report_time(struct page *page, const struct estimates *all);
void report_training(struct page *page, const struct estimates *all);
void report_checkpoint(struct page *page, const struct estimates *all);
void report_serving(struct page *page, const struct estimates *all);
void report_brief(struct page *page, const struct estimates *all); /* behind the headline, where there is one screen */

/** The framework's name of an estimate. */
const char *report_framework(const struct estimate *estimate);

/** The finding that makes a plan invalid; NULL when there is none. */
const struct diag *report_first_error(const struct estimate *estimate);

/** Why a number of this estimate is unknown; ends with the name of `key` (may be NULL) when that is what is missing. */
const char *report_why_unknown(const struct estimate *estimate, const char *key, char *out, size_t size);

/** The columns of the memory table after those of facts: the components, and when the peak is; returns how many. */
size_t report_component_columns(struct table_column *out);

/** The columns of the communication table; returns how many. */
size_t report_comm_columns(struct table_column *out);

/* Each fills one table for CSV and Markdown. */
void report_table_diagnostics(struct table *table, const struct estimate *estimate);
void report_table_layers(struct table *table, const struct estimate *estimate);
void report_table_memory(struct table *table, const struct estimate *estimate);
void report_table_grid(struct table *table, const struct estimate *estimate);
void report_table_communication(struct table *table, const struct estimate *estimate);
void report_table_summary(struct table *table, const struct estimate *estimate);
void report_table_time(struct table *table, const struct estimate *estimate);
void report_table_training(struct table *table, const struct estimate *estimate);
void report_table_checkpoint(struct table *table, const struct estimate *estimate);
void report_table_serving(struct table *table, const struct estimate *estimate);

#endif
