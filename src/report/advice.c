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

#define SHAPES "src/report/advice.def"
#include "src/text/json_writers.def"

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

static void write_set(struct json *json, const struct plan *plan, const struct advice_fix *fix)
{
    json_open(json, "changes", '{');
    for (int i = 0; i < fix->changes; i++)
        json_value(json, param_rows[fix->change[i].key].dotted, plan, fix->change[i].key);
    json_close(json, '}');
}

#include "src/text/json_writers.def"

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

void report_fixes(struct buffer *out, const struct advice *advice, const struct report_options *options)
{
    struct page page = page_on(out, options);
    struct pair pair = open_pair(advice, NULL, NULL);
    print_fixes(&page, &pair);
    close_pair(&pair);
}

void report_advice(struct buffer *out, const struct advice *advice, const struct plan *best, const struct plan *nearest,
                   int top, const struct report_options *options)
{
    struct pair pair = open_pair(advice, best, nearest);
    if (options->format == REPORT_JSON)
        WRITE_ANSWER(out, 2, advised, &pair)
    else if (options->format == REPORT_CSV)
        write_csv(out, &pair);
    else
        write_text(out, &pair, top, options);
    close_pair(&pair);
}
