#include "src/report/layouts.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "core/search/differs.h"
#include "core/search/standing.h"
#include "core/search/waterfall.h"
#include "src/report/data.h"
#include "src/report/format.h"
#include "src/report/table.h"
#include "src/text/json_out.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_COLUMNS = 62 };

/* One result, estimated in full. */
struct shown {
    const struct layouts *found;
    const struct search_result *result;
    const struct estimate *e;
    const struct standing *standing; /* NULL for a point of the front, and for the nearest */
    int rank;
    const char *name; /* of the JSON member; NULL in an array */
};

/* ---- in words ------------------------------------------------------------------------------------------------------ */

/* Degrees are named where they are more than 1. */
static const enum param degrees[] = {PARAM_parallel_tp, PARAM_parallel_cp, PARAM_parallel_pp, PARAM_parallel_vpp, PARAM_parallel_ep,
                                     PARAM_parallel_etp, PARAM_parallel_dp};

/* Appends words with the value of a key in them. */
static void add_key(const struct plan *plan, enum param key, const char *before, struct buffer *out)
{
    char value[PARAM_TEXT_MAX];
    param_print(plan, key, value, sizeof value);
    buffer_printf(out, "%s%s%s", out->size > 0 ? " " : "", before, value);
}

/* The same where the value is not what is usual. */
static void add_unusual(const struct plan *plan, enum param key, double usual, const char *before, struct buffer *out)
{
    if (plan->value[key] != usual && !isnan(plan->value[key]))
        add_key(plan, key, before, out);
}

static void describe(const struct plan *plan, struct buffer *out)
{
    char name[32];
    bool has_experts = KEY_OF(plan, model, num_experts) > 0;
    for (size_t i = 0; i < LENGTH(degrees); i++) {
        if (!(plan->value[degrees[i]] > 1) || (degrees[i] == PARAM_parallel_etp && !has_experts))
            continue;
        snprintf(name, sizeof name, "%s ", param_rows[degrees[i]].key);
        add_key(plan, degrees[i], name, out);
        if (degrees[i] == PARAM_parallel_tp && KEY_OF(plan, parallel, sp) > 0)
            buffer_puts(out, " sp");
    }
    add_key(plan, PARAM_train_micro_batch_size, "mbs ", out);
    add_unusual(plan, PARAM_parallel_schedule, KEY_OF(plan, parallel, vpp) > 1 ? SCHEDULE_INTERLEAVED : SCHEDULE_1F1B, "", out);
    add_unusual(plan, PARAM_train_recompute, RECOMPUTE_NONE, "recompute ", out);
    add_unusual(plan, PARAM_parallel_zero_stage, 0, "zero ", out);
    add_unusual(plan, PARAM_parallel_fsdp, FSDP_NONE, "fsdp ", out);
    if (KEY_OF(plan, parallel, embedding_counts_as_layer) + KEY_OF(plan, parallel, loss_counts_as_layer) > 0)
        buffer_puts(out, " ends count");
    add_unusual(plan, PARAM_parallel_last_stage_layers, 0, "last stage ", out);
}

/* What takes most of the iteration. */
static const char *binding_of(const struct layouts *found, const struct estimate *e)
{
    const struct step *step = &e->step;
    const struct {
        const char *name;
        double seconds;
    } parts[] = {{"compute", e->symbols.m * step->slowest_compute_s}, {"tp", step->tp_exposed_s}, {"cp", step->cp_exposed_s},
                 {"ep", step->ep_exposed_s}, {"pp", step->pp_exposed_s}, {"dp", step->dp_exposed_s}, {"bubble", step->bubble_s},
                 {"host", step->offload_s}};
    size_t most = 0;
    for (size_t i = 1; i < LENGTH(parts); i++)
        if (parts[i].seconds > parts[most].seconds)
            most = i;
    return found->ask->objective == SEARCH_MEMORY ? "memory" : parts[most].name;
}

/* Whether its schedule is a published one that few frameworks have. */
static bool is_from_literature(const struct estimate *e)
{
    return KEY_OF(&e->plan, parallel, schedule) > SCHEDULE_INTERLEAVED;
}

/* USD a million tokens; NAN without a price. */
static double cost_of(const struct estimate *e)
{
    return e->step.cost_per_1t_tokens / 1e6;
}

static double peak_bytes(const struct estimate *e)
{
    struct stage fullest;
    if (!e->is_computed || !e->is_modelled)
        return NAN;
    report_stage_rounded(e, e->peak_stage, &fullest);
    return fullest.device_bytes;
}

/* ---- every result ---------------------------------------------------------------------------------------------------- */

/* Estimates results in full and hands each to `each`. */
static void each_result(const struct layouts *found, const struct search_result *results, int count, const struct standing *standing,
                        const char *name, void (*each)(void *out, const struct shown *shown), void *out)
{
    struct estimate *e = xmalloc(sizeof *e);
    for (int i = 0; i < count; i++) {
        struct plan plan;
        search_plan(found->ask, &results[i], &plan);
        estimate_plan(&plan, e);
        each(out, &(struct shown){found, &results[i], e, standing ? &standing[i] : NULL, i + 1, name});
    }
    free(e);
}

static int judge(const struct layouts *found, struct standing standing[SEARCH_TOP_MAX])
{
    struct estimate *scratch = xmalloc(sizeof *scratch);
    int take = standing_judge(found->ask, found->answer, scratch, standing);
    free(scratch);
    return take;
}

static bool can_differ(const struct estimate *now)
{
    return now->is_computed && now->is_modelled && now->diags.errors == 0;
}

/* ---- text ------------------------------------------------------------------------------------------------------------ */

static void print_row(struct page *page, const char *rank, const struct estimate *e)
{
    struct buffer words = {0};
    describe(&e->plan, &words);
    page_pad(page, rank, -3);
    buffer_puts(page->out, "  ");
    page_pad(page, words.text, WORDS_COLUMNS);
    buffer_free(&words);
    page_pad(page, cell_seconds(e->step.iteration_s).text, -10);
    page_pad(page, cell_bytes(peak_bytes(e)).text, -10);
    page_pad(page, cell_share(e->step.mfu).text, -8);
    buffer_printf(page->out, "  %s%s\n", verdict_names[range_verdict(e)], is_from_literature(e) ? ", literature" : "");
}

static void print_result(void *out, const struct shown *shown)
{
    struct page *page = out;
    char rank[16], why[DIFFERS_MAX];
    snprintf(rank, sizeof rank, "%s%d", shown->standing && shown->standing->as_good && shown->rank > 1 ? "~" : "", shown->rank);
    print_row(page, rank, shown->e);
    if (can_differ(shown->found->now)) {
        differs_write(shown->found->now, shown->e, why);
        page_prose(page, 5, "%s", why);
    }
}

static void print_counts(struct page *page, const struct layouts *found)
{
    const struct search_answer *answer = found->answer;
    buffer_printf(page->out, "%s layouts, %s valid, %s within the limits%s\n", cell_count((double)answer->candidates).text,
                  cell_count((double)answer->evaluated).text, cell_count((double)answer->feasible).text,
                  answer->is_complete ? "" : "; the search was interrupted");
    for (int i = 0; i < LIMIT_COUNT; i++)
        if (answer->excluded[i] > 0)
            buffer_printf(page->out, "  %s ruled out by %s\n", cell_count((double)answer->excluded[i]).text, search_limit_names[i]);
}

static void print_advice(struct page *page, const struct layouts *found, const struct standing standing[], int take)
{
    int as_good = 0;
    for (int i = 0; i < found->answer->count; i++)
        as_good += standing[i].as_good;
    if (as_good > 1)
        page_prose(page, 0, "~ as good within the error of the estimate; %d is the simplest of them, or the one with most room.", take + 1);
}

static void write_text(struct buffer *out, const struct layouts *found, const struct report_options *options)
{
    struct page page = page_on(out, options);
    struct standing standing[SEARCH_TOP_MAX];
    print_counts(&page, found);
    buffer_puts(out, "\n");
    page_pad(&page, "", 5);
    page_pad(&page, "layout", WORDS_COLUMNS);
    buffer_printf(out, "%10s%10s%8s  %s\n", "iteration", "memory", "MFU", "fit");
    if (can_differ(found->now))
        print_row(&page, "now", found->now);
    if (found->answer->count == 0 && found->answer->has_nearest) {
        buffer_puts(out, "nothing is within the limits; the layout with the least memory:\n");
        each_result(found, &found->answer->nearest, 1, NULL, NULL, print_result, &page);
        return;
    }
    int take = judge(found, standing);
    each_result(found, found->answer->best, found->answer->count, standing, NULL, print_result, &page);
    print_advice(&page, found, standing, take);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------------ */

static bool is_axis(int id)
{
    return id == PARAM_parallel_dp || space_axis_of((enum param)id) >= 0;
}

static void write_keys(struct json *json, const struct shown *shown)
{
    json_changes(json, &shown->found->now->plan, &shown->e->plan);
    json_open(json, "plan", '{');
    for (int i = 0; i < PARAM_COUNT; i++)
        if (is_axis(i))
            json_value(json, param_rows[i].dotted, &shown->e->plan, (enum param)i);
    json_close(json, '}');
}

static void write_terms(struct json *json, const char *name, const struct waterfall *w, bool is_memory)
{
    json_open(json, name, '{');
    for (int i = 0; i < w->count; i++)
        (is_memory ? json_bytes : json_number)(json, w->step[i].name, w->step[i].delta);
    json_close(json, '}');
}

static void write_why(struct json *json, const struct shown *shown)
{
    struct waterfall time, memory;
    char why[DIFFERS_MAX];
    if (!can_differ(shown->found->now)) {
        json_null(json, "differs");
        json_null(json, "terms");
        return;
    }
    differs_write(shown->found->now, shown->e, why);
    json_text(json, "differs", why);
    waterfall_time(shown->found->now, shown->e, &time);
    waterfall_memory(shown->found->now, shown->e, &memory);
    json_open(json, "terms", '{');
    write_terms(json, "time", &time, false);
    write_terms(json, "memory", &memory, true);
    json_close(json, '}');
}

static void write_range(struct json *json, const struct estimate *e)
{
    struct time_range time;
    range_time(e, &time);
    if (isnan(time.sigma)) {
        json_null(json, "range");
        return;
    }
    struct interval range = range_of(&time, e->step.iteration_s, 1);
    json_open(json, "range", '{');
    json_number(json, "low", range.low);
    json_number(json, "high", range.high);
    json_close(json, '}');
}

static void write_figures(struct json *json, const struct shown *shown)
{
    const struct estimate *e = shown->e;
    json_number(json, "iteration_s", e->step.iteration_s);
    write_range(json, e);
    json_number(json, "seconds_per_token", 1 / e->step.tokens_per_s);
    json_number(json, "tokens_per_s_per_gpu", e->step.tokens_per_s_per_gpu);
    json_bytes(json, "peak_device_bytes", peak_bytes(e));
    json_bytes(json, "headroom_bytes", report_headroom(e));
    json_text(json, "verdict", verdict_names[range_verdict(e)]);
    json_number(json, "mfu", e->step.mfu);
    json_number(json, "cost", cost_of(e));
    json_number(json, "bubble_fraction", e->step.bubble_fraction);
    json_number(json, "complexity", space_complexity(&e->plan));
    json_text(json, "binding", binding_of(shown->found, e));
}

static void write_result(void *out, const struct shown *shown)
{
    struct json *json = out;
    json_open(json, shown->name, '{');
    json_number(json, "rank", shown->rank);
    write_keys(json, shown);
    write_figures(json, shown);
    json_number(json, "probability_best", shown->standing ? shown->standing->probability : NAN);
    write_why(json, shown);
    json_open(json, "marks", '[');
    if (is_from_literature(shown->e))
        json_text(json, NULL, "literature");
    json_close(json, ']');
    json_close(json, '}');
}

static void write_results(struct json *json, const char *name, const struct layouts *found, const struct search_result *results,
                          int count, const struct standing *standing)
{
    json_open(json, name, '[');
    each_result(found, results, count, standing, NULL, write_result, json);
    json_close(json, ']');
}

static void write_ask(struct json *json, const struct search_ask *ask)
{
    static const char *const fits[] = {[SEARCH_FITS] = "fits", [SEARCH_TIGHT] = "tight", [SEARCH_ANY] = "any"};
    json_open(json, "ask", '{');
    json_text(json, "objective", search_goals[ask->objective].name);
    json_open(json, "free", '[');
    for (int i = 0; i < SEARCH_AXES; i++)
        if (ask->space.free & 1u << i)
            json_text(json, NULL, i < SEARCH_NODES ? param_rows[ask->space.own[i]].dotted : space_axes[i].name);
    json_close(json, ']');
    json_open(json, "limits", '{');
    json_text(json, "fit", fits[ask->fit]);
    json_bytes(json, "max_memory_bytes", ask->max_memory_bytes);
    json_bytes(json, "headroom_bytes", ask->headroom_bytes);
    json_number(json, "seconds_per_token", ask->slowest_token_s);
    json_close(json, '}');
    json_close(json, '}');
}

static void write_counts(struct json *json, const struct layouts *found)
{
    const struct search_answer *answer = found->answer;
    json_number(json, "candidates", (double)answer->candidates);
    json_number(json, "evaluated", (double)answer->evaluated);
    json_number(json, "feasible", (double)answer->feasible);
    json_number(json, "played", (double)answer->played);
    json_number(json, "seconds", found->seconds);
    json_bool(json, "complete", answer->is_complete);
}

static void write_excluded(struct json *json, const struct search_answer *answer)
{
    json_open(json, "excluded", '[');
    for (int i = 0; i < LIMIT_COUNT; i++) {
        if (answer->excluded[i] == 0)
            continue;
        json_open(json, NULL, '{');
        json_text(json, "limit", search_limit_names[i]);
        json_number(json, "count", (double)answer->excluded[i]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_json(struct buffer *out, const struct layouts *found)
{
    struct json json = {.out = out, .lines = 2};
    struct standing standing[SEARCH_TOP_MAX];
    const struct search_answer *answer = found->answer;
    int take = judge(found, standing);
    json_open(&json, NULL, '{');
    json_number(&json, "schema", JSON_SCHEMA);
    write_ask(&json, found->ask);
    write_counts(&json, found);
    write_results(&json, "best", found, answer->best, answer->count, standing);
    json_open(&json, "as_good", '[');
    for (int i = 0; i < answer->count; i++)
        if (standing[i].as_good)
            json_number(&json, NULL, i + 1);
    json_close(&json, ']');
    json_number(&json, "recommended", take < 0 ? (double)NAN : take + 1);
    write_results(&json, "front", found, answer->front, answer->front_count, NULL);
    write_excluded(&json, answer);
    if (answer->has_nearest)
        each_result(found, &answer->nearest, 1, NULL, "nearest", write_result, &json);
    else
        json_null(&json, "nearest");
    json_close(&json, '}');
    buffer_puts(out, "\n");
}

/* ---- CSV ------------------------------------------------------------------------------------------------------------- */

static void add_row(void *out, const struct shown *shown)
{
    struct table *table = out;
    const struct estimate *e = shown->e;
    table_number(table, shown->rank);
    for (int i = 0; i < PARAM_COUNT; i++)
        if (is_axis(i)) {
            char text[PARAM_TEXT_MAX];
            table_text(table, param_print(&e->plan, (enum param)i, text, sizeof text) > 0 ? text : "");
        }
    const double figures[] = {e->step.iteration_s, 1 / e->step.tokens_per_s, e->step.tokens_per_s_per_gpu, peak_bytes(e), report_headroom(e),
                              e->step.mfu, cost_of(e), e->step.bubble_fraction, space_complexity(&e->plan)};
    for (size_t i = 0; i < LENGTH(figures); i++)
        table_number(table, figures[i]);
    table_text(table, verdict_names[range_verdict(e)]);
    table_text(table, binding_of(shown->found, e));
}

static void write_csv(struct buffer *out, const struct layouts *found)
{
    static const struct table_column figures[] = {
        {"iteration_s", COLUMN_SECONDS}, {"seconds_per_token", COLUMN_SECONDS}, {"tokens_per_s_per_gpu", COLUMN_NUMBER},
        {"peak_device_bytes", COLUMN_BYTES}, {"headroom_bytes", COLUMN_BYTES}, {"mfu", COLUMN_SHARE}, {"cost", COLUMN_NUMBER},
        {"bubble_fraction", COLUMN_SHARE}, {"complexity", COLUMN_COUNT}, {"verdict", COLUMN_TEXT}, {"binding", COLUMN_TEXT}};
    struct table_column columns[PARAM_COUNT + LENGTH(figures)] = {{"rank", COLUMN_COUNT}};
    size_t count = 1;
    for (int i = 0; i < PARAM_COUNT; i++)
        if (is_axis(i))
            columns[count++] = (struct table_column){param_rows[i].dotted, COLUMN_TEXT};
    memcpy(&columns[count], figures, sizeof figures);
    struct table table = {.name = "search", .column = columns, .columns = count + LENGTH(figures)};
    each_result(found, found->answer->best, found->answer->count, NULL, NULL, add_row, &table);
    table_csv(out, &table);
    table_free(&table);
}

void report_layouts(struct buffer *out, const struct layouts *found, const struct report_options *options)
{
    if (options->format == REPORT_JSON)
        write_json(out, found);
    else if (options->format == REPORT_CSV)
        write_csv(out, found);
    else
        write_text(out, found, options);
}
