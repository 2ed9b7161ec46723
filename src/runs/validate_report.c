/* src/runs/validate_report.c - results of validation as text, JSON, CSV and Markdown. */
#include "core/base.h"
#include "src/report/format.h"
#include "src/report/table.h"
#include "src/runs/validate.h"
#include "src/text/text.h"
#include "src/text/version.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 30 };

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

#define SHAPES "src/runs/validate.def"
#include "src/text/json_writers.def"

/* `fits` is true or false; everything else a number, null where not known. */
static void write_measure(struct json *json, const char *name, bool is_fits, double value)
{
    if (is_fits && !isnan(value))
        json_bool(json, name, value > 0);
    else
        json_number(json, name, value);
}

static void write_verdicts(struct json *json, const struct validate_summary *summary)
{
    json_open(json, "verdicts", '{');
    for (int i = 0; i < VERDICT_COUNT; i++)
        PUT(outcome, verdict_names[i], summary->verdict[i]);
    json_close(json, '}');
}

static void write_reliability(struct json *json, const struct validate_summary *summary)
{
    for (int i = 0; i < RELIABILITY_BINS; i++)
        PUT(probability_bin, NULL, &summary->reliability[i], i > 0 ? validate_bin_ends[i - 1] : 0,
            validate_bin_ends[i]);
}

/* The summaries of all tags or groups of a metric. */
static void write_parts(struct json *json, const char *label, const struct validate_results *results,
                        enum metric metric, enum validate_part part)
{
    const struct validate_tally **list = validate_parts(results, metric, part);
    json_open(json, label, '{');
    for (size_t i = 0; list[i]; i++) {
        struct validate_summary summary;
        validate_sum(list[i], &summary);
        PUT(summary, list[i]->name, metric, &summary);
    }
    json_close(json, '}');
    free(list);
}

#include "src/text/json_writers.def"

static void json_ranking(struct json *json, const struct ranking *ranking)
{
    json_number(json, "gap", VALIDATE_GAP);
    ARRAY("groups", (size_t i = 0; i < ranking->counted; i++), PUT(study, NULL, &ranking->study[i]))
    PUT(ranking_summary, "summary", ranking);
}

/* Everything behind the rows. */
static void json_summaries(struct json *json, const struct validate_results *results)
{
    json_close(json, ']');
    json_open(json, "summary", '{');
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
        struct validate_summary summary;
        validate_summarise(results, metric, PART_ALL, NULL, &summary);
        if (summary.stats.rows > 0)
            PUT(metric_summary, metric_names[metric], results, metric, &summary);
    }
    json_close(json, '}');
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static void table_value(struct table *table, enum metric metric, double value)
{
    if (metric_is_answer(metric) && !isnan(value))
        table_text(table, value > 0 ? "yes" : "no");
    else
        table_number(table, value);
}

static void fill_row(struct table *table, const struct validate_value *value)
{
    table_text(table, value->run->id);
    table_text(table, metric_names[value->metric]);
    table_value(table, value->metric, value->measured);
    table_value(table, value->metric, value->estimated);
    table_number(table, value->error);
    table_number(table, value->range.low);
    table_number(table, value->range.high);
    table_text(table, value->run->tags);
    table_text(table, value->note ? value->note : "");
    if (value->group)
        table_text(table, value->group);
}

static void fill_studies(struct table *table, const struct ranking *ranking)
{
    for (size_t i = 0; i < ranking->counted; i++) {
        const struct ranking_study *study = &ranking->study[i];
        table_text(table, study->name);
        table_number(table, study->layouts);
        table_number(table, study->stats.pairs);
        table_number(table, study->stats.tau);
        table_number(table, study->stats.regret);
        table_number(table, study->take_regret);
        table_number(table, study->best->rank_estimated);
        table_text(table, study->chosen->id);
        table_text(table, study->best->id);
    }
}

static void print_studies(struct buffer *out, const struct validate_results *results, bool is_csv)
{
    static const struct table_column column[] = {
        {"study", COLUMN_TEXT},    {"layouts", COLUMN_COUNT},   {"pairs", COLUMN_COUNT}, {"tau", COLUMN_NUMBER},
        {"regret", COLUMN_NUMBER}, {"take_regret", COLUMN_NUMBER}, {"best_rank", COLUMN_COUNT},
        {"chosen", COLUMN_TEXT}, {"best", COLUMN_TEXT}};
    struct table table = {.name = "ranking", .column = column, .columns = LENGTH(column)};
    fill_studies(&table, &results->ranking);
    buffer_puts(out, is_csv ? "" : "\n");
    (is_csv ? table_csv : table_markdown)(out, &table);
    table_free(&table);
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static struct cell cell_error(double error, bool has_sign)
{
    struct cell cell;
    double percent = 100 * error;
    int decimals = fabs(percent) < 99.95 ? 2 : 0;
    if (isnan(error))
        snprintf(cell.text, sizeof cell.text, "-");
    else
        snprintf(cell.text, sizeof cell.text, has_sign ? "%+.*f %%" : "%.*f %%", decimals, percent);
    return cell;
}

static struct cell cell_value(enum metric metric, double value)
{
    struct cell cell = cell_fixed(value, value < 9.995 ? 3 : value < 999.5 ? 2 : 0);
    if (isnan(value))
        snprintf(cell.text, sizeof cell.text, "-");
    else if (metric_is_answer(metric))
        snprintf(cell.text, sizeof cell.text, "%s", value > 0 ? "yes" : "no");
    return cell;
}

static void pad_count(struct page *page, int count, int columns)
{
    page_pad(page, cell_count(count).text, -columns);
}

/* A text cut to its column, with room for a blank. */
static void pad_name(struct page *page, const char *name, int columns)
{
    struct buffer text = {0};
    buffer_printf(&text, "%s", *name ? name : "(none)");
    if (text_columns(text.text) >= columns && text.size >= (size_t)columns) {
        size_t cut = (size_t)columns - 2;
        while (cut > 0 && ((unsigned char)text.text[cut] & 0xc0) == 0x80)
            cut--;
        text.text[cut] = '~';
        text.text[cut + 1] = '\0';
    }
    page_pad(page, text.text, columns);
    buffer_free(&text);
}

static void print_head(struct page *page, enum metric metric)
{
    static const char *const errors[] = {"rows",       "missed",  "mean |e|", "bias",
                                         "median |e|", "p90 |e|", "worst",    "in range"};
    static const char *const fits[] = {"rows", "missed", "fits: yes", "no", "OOM: yes", "no", "right", ""},
                             *const starts[] = {"rows", "missed", "ran: yes", "no", "failed: yes", "no", "right", ""};
    const char *const *heads = metric == METRIC_FITS ? fits : metric == METRIC_STARTS ? starts : errors;
    page_pad(page, "", NAME_WIDTH);
    for (int i = 0; i < 8; i++)
        page_pad(page, heads[i], i < 2 ? -7 : i < 7 ? -11 : -10);
    buffer_puts(page->out, metric_is_answer(metric) ? "\n" : "  run\n");
}

static void print_summary(struct page *page, const char *name, enum metric metric,
                          const struct validate_summary *summary)
{
    const struct error_stats *s = &summary->stats;
    pad_name(page, name, NAME_WIDTH);
    pad_count(page, s->rows, 7);
    pad_count(page, s->missed, 7);
    if (metric_is_answer(metric)) {
        int right = summary->right[1][1] + summary->right[0][0], known = s->rows - s->missed;
        pad_count(page, summary->right[1][1], 11);
        pad_count(page, summary->right[1][0], 11);
        pad_count(page, summary->right[0][0], 11);
        pad_count(page, summary->right[0][1], 11);
        page_pad(page, cell_error(known ? (double)right / known : NAN, false).text, -11);
    } else {
        page_pad(page, cell_error(s->mean_abs, false).text, -11);
        page_pad(page, cell_error(s->mean, true).text, -11);
        page_pad(page, cell_error(s->median_abs, false).text, -11);
        page_pad(page, cell_error(s->p90, false).text, -11);
        page_pad(page, cell_error(s->worst, true).text, -11);
        page_pad(page, isnan(summary->inside) ? "-" : cell_share(summary->inside).text, -10);
        buffer_printf(page->out, "  %s", summary->worst_id ? summary->worst_id : "");
    }
    buffer_puts(page->out, "\n");
}

static void print_parts(struct page *page, const struct validate_results *results, enum metric metric,
                        enum validate_part part)
{
    const struct validate_tally **list = validate_parts(results, metric, part);
    for (size_t i = 0; list[i]; i++) {
        struct validate_summary summary;
        validate_sum(list[i], &summary);
        print_summary(page, list[i]->name, metric, &summary);
    }
    free(list);
}

/* The values of a metric with the largest errors. */
static void print_worst(struct page *page, const struct validate_metric *metric, bool is_fits)
{
    buffer_puts(page->out, metric->worst_count ? is_fits ? "\n  wrong:\n" : "\n  worst:\n" : "");
    for (int i = 0; i < metric->worst_count; i++) {
        const struct validate_named *it = &metric->worst[i];
        buffer_puts(page->out, "  ");
        pad_name(page, it->id, 44);
        buffer_printf(page->out, "measured %10s  estimated %10s", cell_value(it->metric, it->measured).text,
                      cell_value(it->metric, it->estimated).text);
        if (!is_fits)
            page_pad(page, cell_error(it->error, true).text, -11);
        buffer_puts(page->out, "\n");
        if (it->note)
            page_prose(page, 6, "%s", it->note);
    }
}

static void print_verdicts(struct page *page, const struct validate_summary *summary)
{
    int all = 0;
    for (int i = 0; i < VERDICT_COUNT; i++)
        all += summary->verdict[i][0] + summary->verdict[i][1];
    buffer_puts(page->out, "\n  verdict    rows    share      ran  did not\n");
    for (int i = 0; i < VERDICT_COUNT; i++) {
        int rows = summary->verdict[i][0] + summary->verdict[i][1];
        buffer_printf(page->out, "  %-8s %6d %8s %8d %8d\n", verdict_names[i], rows,
                      cell_share((double)rows / all).text, summary->verdict[i][1], summary->verdict[i][0]);
    }
}

/* Whether what was said to fit with a probability did as often. */
static void print_reliability(struct page *page, const struct validate_reliability bins[RELIABILITY_BINS])
{
    double from = 0;
    buffer_puts(page->out, "\n  probability    rows     said      ran\n");
    for (int i = 0; i < RELIABILITY_BINS; from = validate_bin_ends[i++])
        if (bins[i].rows > 0)
            buffer_printf(page->out, "  %4.1f to %3.1f   %6d %8s %8s\n", from, validate_bin_ends[i], bins[i].rows,
                          cell_share(bins[i].said / bins[i].rows).text,
                          cell_share((double)bins[i].ran / bins[i].rows).text);
}

static void print_metric(struct page *page, const struct validate_results *results, enum metric metric)
{
    struct validate_summary summary;
    double mean_abs, mean;
    validate_summarise(results, metric, PART_ALL, NULL, &summary);
    if (summary.stats.rows == 0)
        return;
    page_heading(page, "%s", metric_names[metric]);
    print_head(page, metric);
    print_summary(page, "all", metric, &summary);
    int families = metric_is_answer(metric) ? 0 : validate_families(results, metric, &mean_abs, &mean);
    if (families > 1) {
        struct cell name = {""};
        snprintf(name.text, sizeof name.text, "mean over %d families", families);
        page_pad(page, name.text, NAME_WIDTH + 14);
        page_pad(page, cell_error(mean_abs, false).text, -11);
        page_pad(page, cell_error(mean, true).text, -11);
        buffer_puts(page->out, "\n");
    }
    if (results->by) {
        buffer_printf(page->out, "by %s:\n", results->by);
        print_parts(page, results, metric, PART_GROUP);
    } else {
        print_parts(page, results, metric, PART_TAG);
    }
    print_worst(page, &results->metric[metric], metric_is_answer(metric));
    if (metric_is_answer(metric))
        print_verdicts(page, &summary);
    if (metric == METRIC_FITS)
        print_reliability(page, summary.reliability);
}

/* Runs without an estimate, and runs that failed. */
static void print_missed(struct page *page, const struct validate_results *results)
{
    if (results->missed_count > 0)
        page_heading(page, "Not estimated or not measured");
    for (size_t i = 0; i < results->missed_count && i < VALIDATE_MISSED; i++) {
        const struct validate_named *it = &results->missed[i];
        pad_name(page, it->id, 44);
        buffer_printf(page->out, " %s\n", metric_names[it->metric]);
        page_prose(page, 4, "%s", it->note ? it->note : "a required number is unknown");
    }
    if (results->missed_count > VALIDATE_MISSED)
        buffer_printf(page->out, "and %zu more; --csv has them all\n", results->missed_count - VALIDATE_MISSED);
}

static void print_study(struct page *page, const struct ranking_study *study)
{
    pad_name(page, study->name, 60);
    pad_count(page, study->layouts, 8);
    page_pad(page, cell_fixed(study->stats.pairs, 0).text, -7);
    page_pad(page, cell_fixed(study->stats.tau, 2).text, -7);
    page_pad(page, study->has_failed ? "failed" : cell_error(study->stats.regret, false).text, -10);
    page_pad(page, cell_error(study->take_regret, false).text, -10);
    page_pad(page, cell_fixed(study->best->rank_estimated, 0).text, -9);
    buffer_puts(page->out, "\n");
}

static void print_ranking(struct page *page, const struct ranking *ranking)
{
    page_heading(page, "Order of layouts of one model on the same GPUs");
    page_prose(
        page, 0,
        "Studies with three layouts and three pairs more than %.0f %% apart; runs of one layout are one. tau: 1 when "
        "every such "
        "pair is put in the right order, -1 when every one is put in the wrong one. regret: how much slower the layout "
        "that the estimate would choose is than the best measured one. take: the same of the simplest layout within "
        "1.5 %% of that one, which a search recommends. best: where the estimate puts that one.",
        100 * VALIDATE_GAP);
    buffer_puts(page->out, "\n");
    page_pad(page, "", 60);
    page_pad(page, "layouts", -8);
    page_pad(page, "pairs", -7);
    page_pad(page, "tau", -7);
    page_pad(page, "regret", -10);
    page_pad(page, "take", -10);
    page_pad(page, "best", -9);
    buffer_puts(page->out, "\n");
    for (size_t i = 0; i < ranking->counted; i++)
        print_study(page, &ranking->study[i]);
    if (ranking->counted == 0) {
        buffer_puts(page->out, "none of the studies has that many\n");
        return;
    }
    page_prose(page, 0,
               "%zu studies: mean tau %.2f, over all pairs %.2f; mean regret %s, worst %s; of the recommended one %s, "
               "worst %s; the best is among our first three in %.0f %%; ln(measured/estimated) varies by %.3f inside a "
               "study.",
               ranking->counted, ranking->tau_mean, ranking->tau_pooled, cell_error(ranking->regret_mean, false).text,
               cell_error(ranking->regret_max, false).text, cell_error(ranking->take_regret_mean, false).text,
               cell_error(ranking->take_regret_max, false).text, 100 * ranking->top3, ranking->within_sd);
}

static void print_text(const struct validate_results *results, const struct validate_request *request)
{
    struct page page = page_on(request->out, &request->report);
    page_prose(
        &page, 0,
        "%zu run%s, %zu measured values. e = estimated / measured - 1, for speeds taken as time, so that positive is "
        "always pessimistic; bias is the mean of e with its sign.",
        results->runs, results->runs == 1 ? "" : "s", results->values);
    for (int metric = 0; metric < METRIC_COUNT; metric++)
        print_metric(&page, results, (enum metric)metric);
    print_missed(&page, results);
    if (results->unread_count > 0)
        buffer_printf(page.out, "\n%zu row%s not read\n", results->unread_count, results->unread_count > 1 ? "s" : "");
    if (request->ranking)
        print_ranking(&page, &results->ranking);
    if (request->ranges)
        ranges_print(&page, &results->ranges);
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

/* CSV holds one table: the values, with --ranking the studies, or with --ranges the parts. Markdown may hold all. */
static bool has_rows(const struct validate_request *request)
{
    bool is_csv = request->report.format == REPORT_CSV;
    return request->report.format == REPORT_MARKDOWN || (is_csv && !request->ranking && !request->ranges);
}

static void json_unread(struct json *json, const struct validate_results *results)
{
    ARRAY("unread", (size_t i = 0; i < results->unread_count && i < VALIDATE_UNREAD; i++),
          PUT(unread, NULL, &results->unread[i]))
}

/* JSON holds the values, or with --ranking the studies. */
static void print_json(struct validate_print *print, const struct validate_results *results)
{
    if (print->request->ranking)
        json_ranking(&print->json, &results->ranking);
    else
        json_summaries(&print->json, results);
    json_unread(&print->json, results);
    if (print->request->ranges)
        ranges_json(&print->json, &results->ranges);
    json_close(&print->json, '}');
    buffer_puts(print->request->out, "\n");
}

void validate_print_open(struct validate_print *print, const struct validate_request *request)
{
    const struct table_column column[] = {
        {"id", COLUMN_TEXT},      {"metric", COLUMN_TEXT}, {"measured", COLUMN_NUMBER}, {"estimated", COLUMN_NUMBER},
        {"error", COLUMN_NUMBER}, {"low", COLUMN_NUMBER},  {"high", COLUMN_NUMBER},     {"tags", COLUMN_TEXT},
        {"note", COLUMN_TEXT},    {request->by, COLUMN_TEXT}};
    *print = (struct validate_print){.request = request, .json = {.out = request->out, .lines = 2}};
    memcpy(print->column, column, sizeof column);
    print->table = (struct table){.name = "values", .column = print->column, .columns = LENGTH(column) - !request->by};
    if (request->report.format == REPORT_JSON) {
        json_open(&print->json, NULL, '{');
        version_json(&print->json);
        if (!request->ranking)
            json_open(&print->json, "rows", '[');
    } else if (has_rows(request)) {
        (request->report.format == REPORT_CSV ? table_csv : table_markdown)(request->out, &print->table);
    }
}

void validate_print_value(void *to, const struct validate_value *value)
{
    enum { SPILL_BYTES = 64 << 10 };
    struct validate_print *print = to;
    const struct validate_request *request = print->request;
    struct json *json = &print->json;
    if (request->report.format == REPORT_JSON && !request->ranking)
        PUT(run, NULL, value);
    if (has_rows(request)) {
        fill_row(&print->table, value);
        (request->report.format == REPORT_CSV ? table_csv_rows : table_markdown_rows)(request->out, &print->table);
        table_free(&print->table);
    }
    if (request->spill && request->out->size >= SPILL_BYTES) {
        request->spill(request->out);
        print->has_spilled = true;
    }
}

void validate_print_close(struct validate_print *print, const struct validate_results *results)
{
    const struct validate_request *request = print->request;
    if (request->report.format == REPORT_JSON)
        print_json(print, results);
    else if (request->report.format == REPORT_TEXT)
        print_text(results, request);
    else if (request->ranking)
        print_studies(request->out, results, request->report.format == REPORT_CSV);
    else if (request->ranges)
        ranges_table(request->out, &results->ranges, request->report.format == REPORT_CSV);
}
