#include "src/report/layouts.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "core/search/diff_text.h"
#include "core/search/feature.h"
#include "core/search/layout_name.h"
#include "core/search/recommend.h"
#include "core/search/waterfall.h"
#include "src/report/data.h"
#include "src/report/format.h"
#include "src/report/table.h"
#include "src/text/json_out.h"
#include "src/text/keyval.h"
#include "src/text/text.h"
#include "src/text/version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_COLUMNS = 62 };

struct shown {
    const struct layouts *found;
    const struct search_result *result;
    const struct estimate *e;
    const struct recommendation *recommendation; /* NULL for a point of the front, and for the nearest */
    int rank; /* 0: the plan itself */
    const char *name; /* of the JSON member; NULL in an array */
};

/* ---- in words ---------------------------------------------------------------------------------------------------- */

/* Names the layout, then the other keys of the search; returns where these start. */
static size_t describe(const struct layouts *found, const struct plan *resolved, char out[LAYOUT_NAME_MAX])
{
    const struct space_ask *space = &found->ask->space;
    enum param key[SPACE_OWN_MAX + 1];
    int own = 0;
    if (space->free & 1u << SEARCH_NODES)
        key[own++] = PARAM_hardware_nodes;
    bool has_rounds = feature_has_rounds(found->ask); /* then those that differ */
    for (int i = 0; i < SPACE_OWN_MAX; i++)
        if (space->free & 1u << (SEARCH_OWN + i) &&
            !(has_rounds && resolved->value[space->own[i]] == found->now->plan.value[space->own[i]]))
            key[own++] = space->own[i];
    layout_name(resolved, &(struct layout_style){.own = 0}, out, LAYOUT_NAME_MAX);
    size_t length = strlen(out);
    layout_name(resolved, &(struct layout_style){.own = own, .key = key}, out, LAYOUT_NAME_MAX);
    return length;
}

/* Breaks a long name after the layout, or before a word that is not a number; returns the rest. */
static const char *break_name(char words[LAYOUT_NAME_MAX], size_t layout)
{
    if (strlen(words) <= WORDS_COLUMNS)
        return "";
    size_t at = layout <= WORDS_COLUMNS ? layout : WORDS_COLUMNS;
    while (at > 0 && (words[at] != ' ' || (words[at + 1] >= '0' && words[at + 1] <= '9')))
        at--;
    words[at] = '\0';
    return at > 0 ? words + at + 1 : "";
}

/* The largest part of the iteration. */
static const char *binding_of(const struct layouts *found, const struct estimate *e)
{
    static const char *const others[][2] = {{"offload", "host"}, {"rest", "host"}, {"overhead", "host"},
                                            {"optimizer", "compute"}};
    struct waterfall_part most;
    waterfall_largest(e, 1, &most);
    for (size_t i = 0; i < LENGTH(others); i++)
        if (strcmp(others[i][0], most.name) == 0)
            return others[i][1];
    return found->ask->objective == SEARCH_MEMORY ? "memory" : most.name;
}

static bool is_from_literature(const struct estimate *e)
{
    return KEY_OF(&e->plan, parallel, schedule) > SCHEDULE_INTERLEAVED;
}

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

/* ---- every result ------------------------------------------------------------------------------------------------ */

static void each_result(const struct layouts *found, const struct search_result *results, int count,
                        const struct recommendation *recommendation,
                        const char *name, void (*each)(void *out, const struct shown *shown), void *out)
{
    struct estimate *e = xmalloc(sizeof *e);
    for (int i = 0; i < count; i++) {
        struct plan plan;
        search_plan(found->ask, &results[i], &plan);
        estimate_plan(&plan, e);
        int rank = (int)(&results[i] - (recommendation ? found->answer->best : results)) + 1;
        each(out, &(struct shown){found, &results[i], e, recommendation ? &recommendation[i] : NULL, rank, name});
    }
    free(e);
}

static int shown_of(const struct layouts *found)
{
    return found->answer->count < found->top ? found->answer->count : found->top;
}

static int judge(const struct layouts *found, struct recommendation recommendation[SEARCH_TOP_MAX])
{
    struct estimate *scratch = xmalloc(sizeof *scratch);
    int take = recommend_layout(found->ask, found->answer, shown_of(found), scratch, recommendation);
    free(scratch);
    return take;
}

static bool can_differ(const struct estimate *now)
{
    return now->is_computed && now->is_modelled && now->diags.errors == 0;
}

/* Without a valid plan to compare with only what takes the time. */
static void explain(const struct layouts *found, const struct estimate *e, struct buffer *out)
{
    char text[DIFF_TEXT_MAX];
    if (can_differ(found->now)) {
        diff_text(found->now, e, text);
        buffer_printf(out, "%s; ", text);
    }
    diff_text_time_spent(e, text, sizeof text);
    buffer_puts(out, text);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

enum { GOAL_COLUMNS = 14 };

static void print_goal(struct page *page, const struct layouts *found, const struct estimate *e)
{
    enum search_objective objective = found->ask->objective;
    double goodput = estimate_goodput(&e->plan, &e->symbols);
    double value = search_value(objective, &e->plan, goodput, estimate_pace(e), peak_bytes(e));
    const struct search_goal *goal = &search_goals[objective];
    if (goal->title)
        page_pad(page, cell_of(goal->kind, value / goal->unit).text, -GOAL_COLUMNS);
}

static void print_row(struct page *page, const char *rank, const struct layouts *found, const struct estimate *e)
{
    char words[LAYOUT_NAME_MAX];
    const char *rest = break_name(words, describe(found, &e->plan, words));
    page_pad(page, rank, -4);
    buffer_puts(page->out, " ");
    page_pad(page, words, WORDS_COLUMNS);
    print_goal(page, found, e);
    page_pad(page, cell_seconds(estimate_pace(e)).text, -10);
    page_pad(page, cell_bytes(peak_bytes(e)).text, -10);
    page_pad(page, cell_share(e->step.mfu).text, -8);
    if (estimate_counts_causal(found->now))
        page_pad(page, cell_share(e->step.mfu_causal).text, -8);
    buffer_printf(page->out, "  %s%s%s\n", verdict_names[range_verdict(e)], e->host_fits ? "" : " (host memory)",
                  is_from_literature(e) ? ", literature" : "");
    if (*rest)
        page_prose(page, 5, "%s", rest);
}

/* The result with the plan's own values of the keys that are no layout. */
static void without_features(const struct shown *shown, struct plan *resolved)
{
    struct plan plan;
    search_plan(shown->found->ask, shown->result, &plan);
    for (int i = 0; i < SPACE_OWN_MAX; i++)
        if (shown->found->ask->space.free & 1u << i)
            param_copy(&plan, &shown->found->ask->space.plan, shown->found->ask->space.own[i], FROM_SET);
    plan_resolve(&plan, resolved);
}

/* The flags that Megatron needs for features of a result, in one line. */
static void list_flags(const struct shown *shown, struct buffer *out)
{
    struct keyvals flags = {0}, gone = {0};
    struct plan before;
    if (!shown->found->flags || !shown->result || !feature_has_rounds(shown->found->ask) ||
        !(shown->e->symbols.core_flags > 0))
        return;
    without_features(shown, &before);
    shown->found->flags("megatron", &before, &shown->e->plan, &flags, &gone);
    for (size_t i = 0; i < flags.count; i++)
        buffer_printf(out, "%s%s%s%s", i ? " " : "", flags.item[i].key, *flags.item[i].value ? " " : "",
                      flags.item[i].value);
    keyvals_free(&flags);
    keyvals_free(&gone);
}

static void print_named(struct page *page, const char *name, const struct shown *shown)
{
    struct buffer why = {0}, flags = {0};
    print_row(page, name, shown->found, shown->e);
    explain(shown->found, shown->e, &why);
    page_prose(page, 5, "%s", why.text);
    list_flags(shown, &flags);
    if (flags.size)
        page_prose(page, 5, "flags: %s", flags.text);
    buffer_free(&flags);
    buffer_free(&why);
}

static void print_result(void *out, const struct shown *shown)
{
    char rank[16];
    bool is_as_good = shown->recommendation && shown->recommendation->as_good && shown->rank > 1;
    snprintf(rank, sizeof rank, "%s%d", is_as_good ? "~" : "", shown->rank);
    print_named(out, rank, shown);
}

/* GPU-hours that a share of the time more costs: of the training where its length is known, else of a day. */
static void print_price(struct page *page, const struct estimate *e, double share)
{
    double gpus = KEY_OF(&e->plan, hardware, nodes) * KEY_OF(&e->plan, hardware, gpus_per_node),
           hours = e->step.gpu_hours;
    bool is_known = isfinite(hours);
    if (share > 0)
        page_prose(page, 5, "Taking it costs %s GPU-hours %s.",
                   cell_count((is_known ? hours : gpus * 24) * share / (1 + share)).text,
                   is_known ? "of the training" : "a day");
}

/* The recommended layout, if the first is not better beyond the error of the estimate. */
static void print_take(void *out, const struct shown *shown)
{
    const struct search_result *first = &shown->found->answer->best[0], *one = shown->result;
    bool is_of_gpus = shown->found->ask->objective == SEARCH_GPUS;
    double more_bytes = one->headroom_bytes - first->headroom_bytes,
           share = is_of_gpus ? one->iteration_s / first->iteration_s - 1 : one->value / first->value - 1;
    struct page *page = out;
    print_named(page, "take", shown);
    page_prose(page, 5, "Not told apart from the first by the estimate (%s behind)%s.", cell_share(share).text,
               one->complexity < first->complexity ? ", and simpler" : "");
    print_price(page, shown->e, share);
    if (more_bytes >= GIB)
        page_prose(page, 5, one->headroom_bytes < 0 ? "It needs %s less." : "It leaves %s more.",
                   cell_bytes(more_bytes).text);
}

static void print_nearest(void *out, const struct shown *shown)
{
    print_named(out, "", shown);
}

static void print_models(struct page *page, const struct layouts *found)
{
    for (int i = 0; i < found->models; i++) {
        const struct layouts_model *model = &found->model[i];
        buffer_printf(page->out, "%s, %s parameters: %s\n", model->name, cell_count(model->parameters).text,
                      model->has_layout ? "the largest model with a layout within the limits"
                                        : "no layout is within the limits");
    }
}

static void list_figures(const struct search_ask *ask, struct buffer *out)
{
    for (int i = 0; i < ask->conditions; i++)
        if (ask->condition[i].figure)
            buffer_printf(out, "%s%.*s", out->size ? ", " : "", ask->condition[i].length, ask->condition[i].text);
}

static void print_condition(struct page *page, const struct layouts *found, int number)
{
    const struct search_condition *one = &found->ask->condition[number];
    const struct search_tally *tally = &found->answer->tally[number];
    char range[SEARCH_RANGE_MAX];
    search_range(one, tally, range);
    buffer_printf(page->out, "  %s ruled out by %.*s%s%s\n", cell_count((double)tally->excluded).text, one->length,
                  one->text, *range ? ": " : "", range);
}

static const struct {
    enum search_axis axis;
    const char *name, *why;
} bounds[] = {{SEARCH_TP, "tp", "the NVLink domain and twice that"}, {SEARCH_PP, "pp", "the largest number of stages"}};

/* Values that could be and are not tried. */
static void print_bounds(struct page *page, const struct layouts *found)
{
    for (size_t i = 0; i < LENGTH(bounds); i++) {
        int most = space_bound(&found->ask->space, bounds[i].axis);
        if (most > 0)
            page_prose(page, 2, "%s up to %d was tried (%s); --values %s=N,... tries others", bounds[i].name, most,
                       bounds[i].why, bounds[i].name);
    }
}

/* What the framework refuses in every layout, because of keys that the search leaves alone. */
static void print_refused(struct page *page, const struct layouts *found)
{
    struct rule_set excused;
    search_excuses(found->ask, &excused);
    for (int i = 0; i < found->now->diags.count; i++) {
        const struct diag *one = &found->now->diags.item[i];
        for (int rule = 0; rule < RULE_COUNT; rule++)
            if (excused.has[rule] && strcmp(rule_name((enum rule_id)rule), one->rule) == 0)
                page_prose(page, 2, "will not start: %s: %s", param_rows[one->param].dotted, finding_text(one).text);
    }
}

static void print_counts(struct page *page, const struct layouts *found)
{
    const struct search_answer *answer = found->answer;
    struct buffer figures = {0};
    list_figures(found->ask, &figures);
    buffer_printf(page->out, "%s layouts, %s valid, %s within the %slimits%s",
                  cell_count((double)answer->candidates).text,
                  cell_count((double)answer->evaluated).text, cell_count((double)answer->feasible).text,
                  figures.size ? "other " : "", answer->is_complete ? "" : "; search interrupted");
    report_not_given(found->now, page->out);
    buffer_puts(page->out, "\n");
    for (int i = 0; i < LIMIT_COUNT; i++)
        if (answer->excluded[i] > 0 && i != LIMIT_WHERE)
            buffer_printf(page->out, "  %s ruled out by %s\n", cell_count((double)answer->excluded[i]).text,
                          search_limit_names[i]);
    for (int i = 0; i < found->ask->conditions; i++)
        if (answer->tally[i].excluded > 0)
            print_condition(page, found, i);
    print_refused(page, found);
    print_bounds(page, found);
    if (figures.size)
        buffer_printf(page->out, "  %s %s\n",
                      answer->count > 0 || !answer->is_complete ? "best of them meeting" : "none meets",
                      figures.text);
    buffer_free(&figures);
}

static void print_legend(struct page *page, const struct layouts *found, const struct recommendation recommendation[],
                         int take)
{
    bool is_any = false;
    for (int i = 1; i < shown_of(found); i++)
        is_any |= recommendation[i].as_good;
    if (is_any)
        page_prose(page, 0, "~ not told apart from the first by the estimate%s.",
                   take == 0 ? "; the first is the simplest, or has the most room" : "");
    if (feature_has_rounds(found->ask))
        page_prose(page, 0, "Features are improved in rounds, the layouts of each exactly; a combination that no "
                            "round tried may be faster.");
}

static void print_fewer(void *out, const struct shown *shown)
{
    struct page *page = out;
    page_prose(page, 0, "Fewer GPUs miss the limits; the best layout on %s nodes:",
               cell_count(KEY_OF(&shown->e->plan, hardware, nodes)).text);
    print_named(page, "", shown);
}

static void print_invalid(struct page *page, const struct estimate *now)
{
    const struct diag *why = NULL;
    for (int i = 0; i < now->diags.count; i++) {
        const struct diag *one = &now->diags.item[i];
        bool is_why = now->diags.errors > 0 ? one->level == DIAG_ERROR : one->is_unmodelled;
        why = !why && is_why ? one : why;
    }
    page_prose(page, 1, "the present plan is %s and not compared%s%s%s%s",
               now->diags.errors > 0 ? "not valid" : "not estimated", why ? ": " : ".",
               why ? param_rows[why->param].dotted : "", why ? ": " : "", why ? finding_text(why).text : "");
}

static void print_head(struct page *page, const struct layouts *found)
{
    const char *goal = search_goals[found->ask->objective].title;
    page_pad(page, "", 5);
    page_pad(page, "layout", WORDS_COLUMNS);
    if (goal)
        page_pad(page, goal, -GOAL_COLUMNS);
    buffer_printf(page->out, "%10s%10s%8s%s  %s\n", "iteration", "memory", "MFU",
                  estimate_counts_causal(found->now) ? "  causal" : "", "fit");
    if (can_differ(found->now))
        print_row(page, "now", found, found->now);
    else
        print_invalid(page, found->now);
}

static void print_refusals(struct page *page, const struct refusals *refused)
{
    page_prose(page, 0, "No layout is valid%s", refused->count > 0 ? ":" : ".");
    for (int i = 0; i < refused->count; i++) {
        const struct refusal *one = &refused->item[i];
        if (one->layouts == refused->tried)
            page_prose(page, 5, "%s (%s rules out all)", refusal_text(one).text, one->rule);
        else
            page_prose(page, 5, "%s (%s rules out %s of %s tested)", refusal_text(one).text, one->rule,
                       cell_count((double)one->layouts).text, cell_count((double)refused->tried).text);
    }
}

static void print_nodes(struct page *page, const struct space_values *nodes)
{
    struct buffer list = {0};
    for (int i = 0; i < nodes->count; i++)
        buffer_printf(&list, "%s%g", i ? ", " : "", nodes->value[i]);
    page_prose(page, 0, "Tried on %s nodes; use --nodes N,... for others.", list.text ? list.text : "the plan's");
    buffer_free(&list);
}

static void print_nothing(struct page *page, const struct layouts *found)
{
    const struct search_answer *answer = found->answer;
    if (found->refused) {
        print_refusals(page, found->refused);
        return;
    }
    const char *what = answer->evaluated == 0 ? "No layout is valid" : "Nothing is within the limits";
    const char *nearest = !answer->has_nearest ? "." : found->is_nearest_fastest ? "; the fastest layout:"
                                                                                 : "; the layout with the least "
                                                                                   "memory:";
    if (found->ask->objective == SEARCH_GPUS)
        print_nodes(page, &found->ask->space.values[SEARCH_NODES]);
    page_prose(page, 0, "%s%s%s", what, answer->is_complete ? "" : " so far", nearest);
}

static void write_text(struct buffer *out, const struct layouts *found, const struct report_options *options)
{
    struct page page = page_on(out, options);
    struct recommendation recommendation[SEARCH_TOP_MAX];
    const struct search_answer *answer = found->answer;
    print_models(&page, found);
    print_counts(&page, found);
    buffer_puts(out, "\n");
    print_head(&page, found);
    if (answer->count == 0) {
        print_nothing(&page, found);
        each_result(found, &answer->nearest, answer->has_nearest, NULL, NULL, print_nearest, &page);
        return;
    }
    int take = judge(found, recommendation);
    if (take > 0)
        each_result(found, &answer->best[take], 1, &recommendation[take], NULL, print_take, &page);
    each_result(found, answer->best, shown_of(found), recommendation, NULL, print_result, &page);
    print_legend(&page, found, recommendation, take);
    if (found->fewer)
        each_result(found, found->fewer, 1, NULL, NULL, print_fewer, &page);
    else if (found->is_fewer_known)
        page_prose(&page, 0, "Nothing fits on fewer nodes.");
}

#define SHAPES "src/report/layouts.def"
#include "src/text/json_writers.def"

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static bool is_axis(const struct layouts *found, int id)
{
    const struct space_ask *space = &found->ask->space;
    bool is_own = false;
    for (int i = 0; i < SPACE_OWN_MAX; i++)
        is_own |= (space->free & 1u << (SEARCH_OWN + i)) && (int)space->own[i] == id;
    return is_own || id == PARAM_parallel_dp || space_axis_of((enum param)id) >= 0;
}

static void write_axes(struct json *json, const struct shown *shown)
{
    json_open(json, "plan", '{');
    for (int i = 0; i < PARAM_COUNT; i++)
        if (is_axis(shown->found, i))
            json_value(json, param_rows[i].dotted, &shown->e->plan, (enum param)i);
    json_close(json, '}');
}

static void write_steps(struct json *json, const char *name, const struct waterfall *w, bool is_memory)
{
    json_open(json, name, '{');
    for (int i = 0; i < w->count; i++)
        (is_memory ? json_bytes : json_number)(json, w->step[i].name, w->step[i].delta);
    json_close(json, '}');
}

static struct interval range_of_time(const struct estimate *e)
{
    struct time_range time;
    range_time(e, &time);
    return isnan(time.sigma) ? (struct interval){NAN, NAN} : range_of(&time, estimate_pace(e), 1);
}

static void put_layout(void *out, const struct shown *shown)
{
    struct json *json = out;
    PUT(layout, shown->name, shown);
}

static void write_results(struct json *json, const char *name, const struct layouts *found,
                          const struct search_result *results, int count, const struct recommendation *recommendation)
{
    json_open(json, name, '[');
    each_result(found, results, count, recommendation, NULL, put_layout, json);
    json_close(json, ']');
}

static void write_best(struct json *json, const struct layouts *found, const struct recommendation recommendation[],
                       int take)
{
    int shown = shown_of(found);
    json_open(json, "best", '[');
    each_result(found, found->answer->best, shown, recommendation, NULL, put_layout, json);
    if (take >= shown)
        each_result(found, &found->answer->best[take], 1, &recommendation[take], NULL, put_layout, json);
    json_close(json, ']');
}

static void write_free(struct json *json, const struct search_ask *ask)
{
    json_open(json, "free", '[');
    for (int i = 0; i < SEARCH_AXES; i++)
        if (ask->space.free & 1u << i)
            json_text(json, NULL, i < SEARCH_NODES ? param_rows[ask->space.own[i]].dotted : space_axes[i].name);
    if (ask->space.dp.count > 0)
        json_text(json, NULL, param_rows[PARAM_parallel_dp].dotted);
    json_close(json, ']');
}

static void put_condition(struct json *json, const char *name, const struct search_condition *one)
{
    char text[SEARCH_CONDITION_MAX];
    snprintf(text, sizeof text, "%.*s", one->length, one->text);
    json_text(json, name, text);
}

#include "src/text/json_writers.def"

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

static void add_row(void *out, const struct shown *shown)
{
    struct table *table = out;
    const struct estimate *e = shown->e;
    const struct interval range = range_of_time(e);
    struct buffer why = {0};
    table_number(table, shown->rank);
    if (shown->found->models > 0)
        table_text(table, shown->found->model[shown->found->models - 1].name);
    for (int i = 0; i < PARAM_COUNT; i++)
        if (is_axis(shown->found, i)) {
            char text[PARAM_TEXT_MAX];
            bool is_given = param_print(&e->plan, (enum param)i, text, sizeof text) > 0,
                 is_layout = param_type((enum param)i)->json == PARAM_JSON_LAYOUT;
            table_text(table, is_given ? text : is_layout ? "auto" : ""); /* as JSON has it */
        }
    const double figures[] = {estimate_pace(e), range.low, range.high, 1 / e->step.tokens_per_s,
                              e->step.tokens_per_s_per_gpu, peak_bytes(e), report_headroom(e),
                              e->step.mfu, e->step.mfu_causal, cost_of(e), e->step.bubble_fraction,
                              space_complexity(&e->plan)};
    for (size_t i = 0; i < LENGTH(figures); i++)
        table_number(table, figures[i]);
    table_text(table, verdict_names[range_verdict(e)]);
    table_text(table, binding_of(shown->found, e));
    table_number(table, shown->recommendation->probability);
    table_text(table, shown->recommendation->is_recommended ? "yes" : "no");
    explain(shown->found, e, &why);
    table_text(table, why.text);
    buffer_free(&why);
}

static void write_csv(struct buffer *out, const struct layouts *found)
{
    static const struct table_column figures[] = {
        {"iteration_s", COLUMN_SECONDS}, {"iteration_s_low", COLUMN_SECONDS}, {"iteration_s_high", COLUMN_SECONDS},
        {"seconds_per_token", COLUMN_SECONDS}, {"tokens_per_s_per_gpu", COLUMN_NUMBER},
        {"peak_device_bytes", COLUMN_BYTES}, {"headroom_bytes", COLUMN_BYTES}, {"mfu", COLUMN_SHARE},
        {"mfu_causal", COLUMN_SHARE}, {"cost", COLUMN_NUMBER},
        {"bubble_fraction", COLUMN_SHARE}, {"complexity", COLUMN_COUNT}, {"verdict", COLUMN_TEXT},
        {"binding", COLUMN_TEXT},
        {"probability_best", COLUMN_NUMBER}, {"recommended", COLUMN_TEXT}, {"differs", COLUMN_TEXT}};
    struct table_column columns[PARAM_COUNT + LENGTH(figures) + 1] = {{"rank", COLUMN_COUNT}};
    size_t count = 1;
    if (found->models > 0)
        columns[count++] = (struct table_column){"model.name", COLUMN_TEXT};
    for (int i = 0; i < PARAM_COUNT; i++)
        if (is_axis(found, i))
            columns[count++] = (struct table_column){param_rows[i].dotted, COLUMN_TEXT};
    memcpy(&columns[count], figures, sizeof figures);
    struct table table = {.name = "search", .column = columns, .columns = count + LENGTH(figures)};
    struct recommendation recommendation[SEARCH_TOP_MAX];
    int take = judge(found, recommendation), shown = shown_of(found);
    each_result(found, found->answer->best, shown, recommendation, NULL, add_row, &table);
    if (take >= shown)
        each_result(found, &found->answer->best[take], 1, &recommendation[take], NULL, add_row, &table);
    table_csv(out, &table);
    table_free(&table);
}

void report_layouts(struct buffer *out, const struct layouts *found, const struct report_options *options)
{
    if (options->format == REPORT_JSON)
        WRITE_ANSWER(out, 2, layouts, found)
    else if (options->format == REPORT_CSV)
        write_csv(out, found);
    else
        write_text(out, found, options);
}
