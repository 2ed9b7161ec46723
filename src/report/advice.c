#include "src/report/advice.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/plan/param.h"
#include "core/search/advice.h"
#include "core/search/change.h"
#include "core/search/diff_text.h"
#include "src/report/data.h"
#include "src/report/format.h"
#include "src/report/table.h"
#include "src/text/json_out.h"
#include "src/text/text.h"
#include "src/text/version.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    const struct advice *advice;
    const struct plan *best, *nearest; /* may be NULL */
    struct estimate *now, *changed;
};

static struct pair open_pair(const struct advice *advice, const struct plan *best, const struct plan *nearest)
{
    struct pair pair = {advice, best, nearest, xmalloc(sizeof(struct estimate)), xmalloc(sizeof(struct estimate))};
    estimate_plan(&advice->plan, pair.now);
    return pair;
}

static void close_pair(struct pair *pair)
{
    free(pair->now);
    free(pair->changed);
}

static void change(struct pair *pair, const struct change change[], int changes)
{
    struct plan plan;
    advice_plan(pair->advice, change, changes, &plan);
    estimate_plan(&plan, pair->changed);
}

static struct cell verdict_of(const struct figures *figures)
{
    struct cell cell;
    if (figures->verdict == VERDICT_TIGHT && isfinite(figures->probability))
        snprintf(cell.text, sizeof cell.text, "tight %.0f %%", 100 * figures->probability);
    else
        snprintf(cell.text, sizeof cell.text, "%s", verdict_names[figures->verdict]);
    return cell;
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

/* The title of the column of times. */
static const char *what_takes(const struct pair *pair)
{
    return pair->now->is_serving ? "request" : "iteration";
}

/* Long keys have a line of their own. */
static void print_row(struct page *page, struct pair *pair, const struct figures *figures)
{
    enum { KEYS = 46 };
    char keys[DIFF_TEXT_MAX];
    diff_text_keys(&pair->now->plan, &pair->changed->plan, keys, sizeof keys);
    bool is_long = strlen(keys) > KEYS;
    if (is_long)
        buffer_printf(page->out, "  %s\n", keys);
    buffer_printf(page->out, "  %-*s%12s%12s%12s %s", KEYS, is_long ? "" : keys,
                  cell_seconds(figures->iteration_s).text,
                  isnan(pair->advice->now.iteration_s)
                      ? ""
                      : figure_delta(FIGURE_SECONDS, figures->iteration_s - pair->advice->now.iteration_s).text,
                  cell_bytes(figures->device_bytes).text, verdict_of(figures).text);
    if (isfinite(figures->kv_tokens))
        buffer_printf(page->out, ", %s tokens of cache", cell_count(figures->kv_tokens).text);
    buffer_puts(page->out, "\n");
}

static void print_changes(struct page *page, struct pair *pair, int top)
{
    static const char *const titles[CHANGE_GROUPS] = {"layout", "if your framework supports it", "other hardware"};
    const struct advice *advice = pair->advice;
    int shown = 0;
    page_heading(page, "One change from here: %d tried, %d make a difference", advice->tried, advice->rows);
    for (int i = 0; i < advice->rows; i++) {
        bool is_first = i == 0 || advice->row[i].group != advice->row[i - 1].group;
        shown = is_first ? 0 : shown;
        if (is_first)
            buffer_printf(page->out, "%-48s%12s%12s%12s\n", titles[advice->row[i].group], what_takes(pair),
                          "change", "memory");
        if (shown++ >= top)
            continue;
        change(pair, &advice->row[i].change, 1);
        print_row(page, pair, &advice->row[i].figures);
    }
}

static void print_no_fix(struct page *page, const struct pair *pair)
{
    double nodes = KEY_OF(&pair->advice->resolved, hardware, nodes);
    if (pair->now->is_serving)
        page_prose(page, 0, "no change of one or two keys helps; for more GPUs use shardtop search --objective gpus");
    else if (pair->nearest)
        page_prose(page, 0, "more than two keys of the layout have to change:");
    else
        page_prose(page, 0, "nothing fits on these GPUs; for more use shardtop search --nodes %.0f,%.0f",
                   2 * nodes, 4 * nodes);
}

/* All that makes it fit, by what it gives up. */
static void print_fixes(struct page *page, struct pair *pair)
{
    const struct advice *advice = pair->advice;
    if (advice->fixes == 0)
        return;
    page_heading(page, advice->now.is_valid ? "What would make it fit" : "What would make it valid");
    buffer_printf(page->out, "%-48s%12s%12s%12s\n", "", what_takes(pair), "change", "memory");
    for (int i = 0; i < advice->fixes; i++) {
        change(pair, advice->fixed[i].change, advice->fixed[i].changes);
        print_row(page, pair, &advice->fixed[i].figures);
    }
}

static void print_fix(struct page *page, struct pair *pair)
{
    const struct advice_fix *fix = &pair->advice->fix;
    char sentence[DIFF_TEXT_MAX];
    if (pair->advice->now.verdict == VERDICT_FITS || pair->advice->now.verdict == VERDICT_UNKNOWN)
        return;
    page_heading(page, "The smallest change that makes it fit");
    if (fix->changes == 0)
        print_no_fix(page, pair);
    if (fix->changes == 0 && !pair->nearest)
        return;
    if (fix->changes == 0)
        estimate_plan(pair->nearest, pair->changed);
    else
        change(pair, fix->change, fix->changes);
    diff_text(pair->now, pair->changed, sentence);
    page_prose(page, 0, "%s", sentence);
}

static void print_best(struct page *page, struct pair *pair)
{
    char sentence[DIFF_TEXT_MAX];
    if (!pair->best)
        return;
    page_heading(page, "Recommended layout");
    estimate_plan(pair->best, pair->changed);
    diff_text(pair->now, pair->changed, sentence);
    page_prose(page, 0, "%s", plan_equal(&pair->now->plan, &pair->changed->plan) ? "the present one" : sentence);
}

static const char *most_of(double value, struct cell *cell)
{
    *cell = cell_count(value);
    return isinf(value) ? "no limit" : isnan(value) ? "none" : cell->text;
}

static void print_room(struct page *page, const struct advice *advice)
{
    if (advice->rooms == 0)
        return;
    page_heading(page, "Room to grow, all else equal");
    buffer_printf(page->out, "  %-32s%12s%16s%16s\n", "", "now", "fits up to", "tight up to");
    for (int i = 0; i < advice->rooms; i++) {
        const struct room *room = &advice->room[i];
        struct cell fits, tight;
        buffer_printf(page->out, "  %-32s%12s%16s%16s%s%s\n", param_rows[room->key].dotted, cell_count(room->now).text,
                      most_of(room->fits, &fits), isinf(room->fits) ? "" : most_of(room->tight, &tight),
                      room->step > 1 ? "  in steps of " : "", room->step > 1 ? cell_count(room->step).text : "");
    }
}

static void print_sensitivity(struct page *page, const struct advice *advice)
{
    const double matters = 0.0005;
    if (advice->sensitivities == 0)
        return;
    page_heading(page, "10 %% more of a hardware figure");
    const struct sensitivity *most = &advice->sensitivity[0];
    for (int i = 0; i < advice->sensitivities; i++) {
        const struct sensitivity *row = &advice->sensitivity[i];
        if (fabs(row->relative) < matters && row->headroom_bytes == 0 && !(fabs(row->cost) >= matters))
            continue;
        buffer_printf(page->out, "  %-36s%12s%13s", param_rows[row->key].dotted,
                      figure_delta(FIGURE_SECONDS, row->delta_s).text, figure_share(row->relative).text);
        if (isfinite(row->cost))
            buffer_printf(page->out, "%13s cost", figure_share(row->cost).text);
        if (row->headroom_bytes != 0)
            buffer_printf(page->out, "  %s of memory left", figure_delta(FIGURE_BYTES, row->headroom_bytes).text);
        buffer_puts(page->out, "\n");
    }
    if (advice->now.verdict == VERDICT_NO)
        page_prose(page, 0, "memory limits: the plan does not fit");
    else if (most->relative < -matters)
        page_prose(page, 0, "%s limits: 10 %% more of it is worth %.1f %%", param_rows[most->key].dotted,
                   -100 * most->relative);
}

static void write_text(struct buffer *out, struct pair *pair, int top, const struct report_options *options)
{
    struct page page = page_on(out, options);
    report_check(out, pair->now);
    if (pair->advice->tried > 0)
        print_changes(&page, pair, top);
    print_fix(&page, pair);
    print_fixes(&page, pair);
    print_best(&page, pair);
    print_room(&page, pair->advice);
    print_sensitivity(&page, pair->advice);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

/* Other keys to set, and keys of the layout that follow. */
static void write_follows(struct json *json, const struct pair *pair, const struct change change[], int changes)
{
    struct diff_keys keys;
    plan_diff_keys(&pair->now->plan, &pair->changed->plan, &keys);
    for (int i = 0; i < changes; i++)
        keys.set[change[i].key] = false;
    json_open(json, "follows", '{');
    for (int id = 0; id < PARAM_COUNT; id++)
        if (keys.set[id] || (keys.follows[id] && param_rows[id].group_id == GROUP_parallel))
            json_value(json, param_rows[id].dotted, &pair->changed->plan, (enum param)id);
    json_close(json, '}');
}

static void write_figures(struct json *json, const struct pair *pair, const struct figures *figures)
{
    const struct figures *now = &pair->advice->now;
    char sentence[DIFF_TEXT_MAX];
    json_number(json, "iteration_s", figures->iteration_s);
    json_number(json, "delta_s", figures->iteration_s - now->iteration_s);
    json_bytes(json, "peak_device_bytes", figures->device_bytes);
    json_bytes(json, "delta_bytes", figures->device_bytes - now->device_bytes);
    json_text(json, "verdict", verdict_names[figures->verdict]);
    if (isfinite(figures->kv_tokens))
        json_number(json, "kv_tokens", figures->kv_tokens);
    diff_text(pair->now, pair->changed, sentence);
    json_text(json, "differs", sentence);
}

static void write_changes(struct json *json, struct pair *pair)
{
    json_open(json, "changes", '[');
    for (int i = 0; i < pair->advice->rows; i++) {
        const struct advice_row *row = &pair->advice->row[i];
        change(pair, &row->change, 1);
        json_open(json, NULL, '{');
        json_text(json, "key", param_rows[row->change.key].dotted);
        json_value(json, "from", &pair->now->plan, row->change.key);
        json_value(json, "to", &pair->changed->plan, row->change.key);
        write_follows(json, pair, &row->change, 1);
        json_text(json, "group", change_group_names[row->group]);
        write_figures(json, pair, &row->figures);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_plan(struct json *json, struct pair *pair, const char *name, const struct plan *plan)
{
    struct figures figures;
    if (!plan) {
        json_null(json, name);
        return;
    }
    estimate_plan(plan, pair->changed);
    figures_of(pair->changed, &figures);
    json_open(json, name, '{');
    json_changes(json, &pair->now->plan, &pair->changed->plan);
    write_figures(json, pair, &figures);
    json_close(json, '}');
}

static void write_one_fix(struct json *json, struct pair *pair, const char *name, const struct advice_fix *fix)
{
    change(pair, fix->change, fix->changes);
    json_open(json, name, '{');
    json_open(json, "changes", '{');
    for (int i = 0; i < fix->changes; i++)
        json_value(json, param_rows[fix->change[i].key].dotted, &pair->changed->plan, fix->change[i].key);
    json_close(json, '}');
    write_follows(json, pair, fix->change, fix->changes);
    write_figures(json, pair, &fix->figures);
    json_close(json, '}');
}

static void write_fix(struct json *json, struct pair *pair)
{
    const struct advice *advice = pair->advice;
    if (advice->fix.changes == 0)
        write_plan(json, pair, "fits_by", pair->nearest); /* more than two changes */
    else
        write_one_fix(json, pair, "fits_by", &advice->fix);
    json_open(json, "fixes", '[');
    for (int i = 0; i < advice->fixes; i++)
        write_one_fix(json, pair, NULL, &advice->fixed[i]);
    json_close(json, ']');
}

static void write_room(struct json *json, const struct advice *advice)
{
    json_open(json, "room", '{');
    for (int i = 0; i < advice->rooms; i++) {
        const struct room *room = &advice->room[i];
        json_open(json, param_rows[room->key].key, '{');
        json_number(json, "now", room->now);
        json_number(json, "fits", room->fits);
        json_number(json, "tight", room->tight);
        json_bool(json, "endless", isinf(room->fits));
        json_bool(json, "tight_endless", isinf(room->tight));
        json_number(json, "step", room->step);
        json_close(json, '}');
    }
    json_close(json, '}');
}

static void write_sensitivity(struct json *json, const struct advice *advice)
{
    json_open(json, "sensitivity", '[');
    for (int i = 0; i < advice->sensitivities; i++) {
        const struct sensitivity *row = &advice->sensitivity[i];
        json_open(json, NULL, '{');
        json_text(json, "key", param_rows[row->key].dotted);
        json_number(json, "relative", row->relative);
        json_number(json, "delta", row->delta_s);
        json_bytes(json, "headroom_bytes", round(row->headroom_bytes));
        json_number(json, "cost_relative", row->cost);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_json(struct buffer *out, struct pair *pair)
{
    struct json json = {.out = out, .lines = 2};
    json_open(&json, NULL, '{');
    version_json(&json);
    json_number(&json, "tried", pair->advice->tried);
    write_changes(&json, pair);
    write_fix(&json, pair);
    write_room(&json, pair->advice);
    write_sensitivity(&json, pair->advice);
    write_plan(&json, pair, "best", pair->best);
    json_close(&json, '}');
    buffer_puts(out, "\n");
}

/* ---- table ------------------------------------------------------------------------------------------------------ */

static void write_csv(struct buffer *out, struct pair *pair)
{
    static const struct table_column columns[] = {{"group", COLUMN_TEXT},
                                                  {"key", COLUMN_TEXT},
                                                  {"from", COLUMN_TEXT},
                                                  {"to", COLUMN_TEXT},
                                                  {"iteration_s", COLUMN_SECONDS},
                                                  {"delta_s", COLUMN_SECONDS},
                                                  {"peak_device_bytes", COLUMN_BYTES},
                                                  {"verdict", COLUMN_TEXT},
                                                  {"differs", COLUMN_TEXT}};
    struct table table = {.name = "advice", .column = columns, .columns = LENGTH(columns)};
    for (int i = 0; i < pair->advice->rows; i++) {
        const struct advice_row *row = &pair->advice->row[i];
        char text[PARAM_TEXT_MAX], sentence[DIFF_TEXT_MAX];
        change(pair, &row->change, 1);
        table_text(&table, change_group_names[row->group]);
        table_text(&table, param_rows[row->change.key].dotted);
        table_text(&table, param_print(&pair->now->plan, row->change.key, text, sizeof text) > 0 ? text : "");
        table_text(&table, param_print(&pair->changed->plan, row->change.key, text, sizeof text) > 0 ? text : "");
        table_number(&table, row->figures.iteration_s);
        table_number(&table, row->figures.iteration_s - pair->advice->now.iteration_s);
        table_number(&table, row->figures.device_bytes);
        table_text(&table, verdict_names[row->figures.verdict]);
        diff_text(pair->now, pair->changed, sentence);
        table_text(&table, sentence);
    }
    table_csv(out, &table);
    table_free(&table);
}

void report_advice(struct buffer *out, const struct advice *advice, const struct plan *best, const struct plan *nearest,
                   int top, const struct report_options *options)
{
    struct pair pair = open_pair(advice, best, nearest);
    if (options->format == REPORT_JSON)
        write_json(out, &pair);
    else if (options->format == REPORT_CSV)
        write_csv(out, &pair);
    else
        write_text(out, &pair, top, options);
    close_pair(&pair);
}
