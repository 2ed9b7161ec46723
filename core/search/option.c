#include "core/search/option.h"

#include "core/base.h"
#include "core/plan/nearest.h"
#include "core/plan/param.h"
#include "core/search/advice.h"
#include "core/search/condition.h"
#include "core/search/feature.h"
#include "core/show/line.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 96 /* bytes of a name or value in a list */ };

__attribute__((format(printf, 2, 3))) static int refuse(struct search_reader *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->why, SEARCH_WHY_MAX, format, arguments);
    va_end(arguments);
    return -1;
}

/* Copies the first value of a list; returns the rest. */
static const char *next_word(const char *list, char word[WORD_MAX])
{
    size_t length = strcspn(list, ",");
    snprintf(word, WORD_MAX, "%.*s", (int)length, list);
    return list + length + (list[length] == ',');
}

/* ---- what may change --------------------------------------------------------------------------------------------- */

/* The axis for the values of a key, -1 when all axes for other keys are taken. */
static int axis_for(struct search_ask *ask, int axis, enum param key)
{
    for (int i = 0; i < SPACE_OWN_MAX && axis < 0; i++)
        if (!(ask->space.free & 1u << (SEARCH_OWN + i))) {
            ask->space.own[i] = key;
            axis = SEARCH_OWN + i;
        }
    if (axis >= 0)
        ask->space.free |= 1u << axis;
    return axis;
}

static int refuse_name(struct search_reader *r, const char *name, bool has_keys)
{
    struct nearest nearest = {.typed = name};
    char names[NEAREST_TEXT_MAX];
    for (int i = SEARCH_TP; i < SEARCH_AXES; i++)
        nearest_offer(&nearest, space_axes[i].name, space_axes[i].name);
    if (has_keys)
        param_nearest(&nearest);
    if (nearest_list(&nearest, names))
        return refuse(r, "a search cannot change '%.40s'; did you mean %s?", name, names);
    space_axes_write(space_default_axes(), names, sizeof names);
    return refuse(r, "a search cannot change '%.40s'; it changes %s", name, names);
}

static int refuse_own(struct search_reader *r)
{
    return refuse(r, "takes at most %d keys besides those of a layout", SPACE_OWN_MAX);
}

/* What frees all that the plan's framework can do. */
static const char features_word[] = "features";

static void add_value(struct space_values *values, double value)
{
    for (int i = 0; i < values->count; i++)
        if (values->value[i] == value)
            return;
    if (values->count < (int)LENGTH(values->value))
        values->value[values->count++] = value;
}

/*
 * Returns the modules whose recomputation changes time or memory, as bits. `cheap` gets those of them that add at most
 * a twentieth to a pass, a guess that only decides which combinations are tried.
 */
static unsigned modules_that_matter(const struct plan *plan, struct estimate *scratch, unsigned *cheap)
{
    const double next_to_nothing = 0.05;
    struct plan with = *plan;
    struct figures none, one;
    unsigned matter = *cheap = 0;
    param_clear(&with, PARAM_train_global_batch_size); /* then ranks share the batch evenly */
    with.value[PARAM_train_recompute] = RECOMPUTE_SELECTIVE;
    with.from[PARAM_train_recompute] = with.from[PARAM_train_recompute_modules] = FROM_SET;
    for (int bit = -1; bit < 0 || param_rows[PARAM_train_recompute_modules].choices[bit]; bit++) {
        KEY_OF(&with, train, recompute_modules) = bit < 0 ? 0 : 1u << bit;
        estimate_plan(&with, scratch);
        figures_of(scratch, bit < 0 ? &none : &one);
        if (bit < 0 || (one.iteration_s == none.iteration_s && one.device_bytes == none.device_bytes))
            continue;
        matter |= 1u << bit;
        const struct pass *pass = &scratch->pass[0];
        *cheap |= pass->recompute_s <= next_to_nothing * (pass->forward_s + pass->backward_s) ? 1u << bit : 0;
    }
    *cheap = *cheap ? *cheap : matter;
    return matter;
}

/* None at all is what not to recompute says. */
static void add_set(struct space_values *out, unsigned modules)
{
    if (modules)
        add_value(out, modules);
}

/* Those that are cheap (`set_leaner` finds them here), single modules and pairs, all of them, and all but one. */
static void add_modules(const struct plan *plan, struct estimate *scratch, struct space_values *out)
{
    enum { MODULES = 8 };
    unsigned cheap, matter = modules_that_matter(plan, scratch, &cheap);
    add_set(out, cheap);
    add_set(out, matter);
    for (int but = 0; but < MODULES; but++)
        add_set(out, matter & ~(1u << but));
    for (int second = -1; second < MODULES; second++)
        for (int first = second + 1; first < MODULES; first++)
            if (matter >> first & 1 && (second < 0 || matter >> second & 1))
                add_set(out, 1u << first | (second < 0 ? 0 : 1u << second));
}

enum { LONGEST_GROUP = 256 /* micro-batches of a chunk in turn: as many as there may be stages */ };

/* The plan's value comes first: it wins where another makes no difference. */
static void find_values(const struct plan *plan, enum param key, struct estimate *scratch, struct space_values *out)
{
    struct plan resolved;
    plan_resolve(plan, &resolved);
    out->count = 0;
    add_value(out, resolved.value[key]);
    if (key == PARAM_train_recompute_modules) {
        add_modules(plan, scratch, out);
        return;
    }
    if (key == PARAM_parallel_microbatch_group)
        for (double group = 2; group <= LONGEST_GROUP; group *= 2)
            add_value(out, group);
    for (int i = 0; param_rows[key].choices && param_rows[key].choices[i]; i++) /* another layout may have it */
        add_value(out, i);
}

static int free_own(struct search_reader *r, enum param key)
{
    struct search_ask *ask = r->ask;
    int axis = axis_for(ask, -1, key);
    if (axis < 0)
        return refuse_own(r);
    find_values(&ask->space.plan, key, r->scratch, &ask->space.values[axis]);
    return 0;
}

static int free_features(struct search_reader *r)
{
    struct plan resolved;
    enum param key[SPACE_OWN_MAX];
    int result = 0;
    plan_resolve(&r->ask->space.plan, &resolved);
    int count = feature_list(&resolved, key);
    r->ask->space.by_time = true;
    for (int i = 0; i < count && result == 0; i++)
        result = free_own(r, key[i]);
    return result;
}

static int free_axis(struct search_reader *r, const char *name)
{
    struct search_ask *ask = r->ask;
    int key = -1, axis = space_axis_named(name, &key);
    if (strcmp(name, features_word) == 0)
        return free_features(r);
    if (axis >= 0 && axis != SEARCH_NODES) {
        ask->space.free |= 1u << axis;
        ask->space.by_time |= key == PARAM_parallel_pipeline_layout;
    } else if (key == PARAM_parallel_dp) {
        return 0; /* it is what the others leave, always */
    } else if (key < 0) {
        return refuse_name(r, name, true);
    } else if (axis < 0 && (key == PARAM_parallel_microbatch_group ||
                            (param_rows[key].choices &&
                             (param_rows[key].type != TYPE_SET || key == PARAM_train_recompute_modules)))) {
        return free_own(r, (enum param)key);
    } else {
        return refuse(r, "%.40s needs values to try; use the option values", name);
    }
    return 0;
}

static int read_free(struct search_reader *r, const char *list)
{
    char name[WORD_MAX];
    int result = 0;
    if (*list != '+' && strcmp(list, features_word) != 0)
        r->ask->space.free = 0;
    for (list += *list == '+'; *list && result == 0;) {
        list = next_word(list, name);
        result = free_axis(r, name);
    }
    return result;
}

static const char dp_stays[] = "the current dp";

static int keep_dp(struct search_reader *r)
{
    struct search_ask *ask = r->ask;
    struct plan resolved;
    if (ask->conditions == SEARCH_CONDITIONS_MAX)
        return refuse(r, "takes at most %d conditions, dp included", SEARCH_CONDITIONS_MAX);
    plan_resolve(&ask->space.plan, &resolved);
    ask->condition[ask->conditions++] = (struct search_condition){
        .text = dp_stays, .length = sizeof dp_stays - 1, .key = PARAM_parallel_dp, .relation = RELATION_IS,
        .value = KEY_OF(&resolved, parallel, dp)};
    return 0;
}

static int read_keep(struct search_reader *r, const char *list)
{
    char name[WORD_MAX];
    while (*list) {
        list = next_word(list, name);
        int key = -1, axis = space_axis_named(name, &key);
        if (key == PARAM_parallel_dp && keep_dp(r) != 0)
            return -1;
        if (key == PARAM_parallel_dp)
            continue;
        if (axis < 0)
            return refuse_name(r, name, false);
        r->ask->space.free &= ~(1u << axis);
    }
    return 0;
}

static int read_list(struct search_reader *r, enum param key, const char *list, struct space_values *out)
{
    struct plan plan;
    char reason[PARAM_WHY_MAX] = "needs values", text[WORD_MAX];
    plan_clear(&plan);
    out->count = 0;
    while (*list) {
        list = next_word(list, text);
        int status = param_parse(&plan, key, text, FROM_SET, false, reason);
        bool is_full = out->count == (int)LENGTH(out->value);
        if (status != 0 || isnan(plan.value[key]) || is_full)
            return refuse(r, "%s: %s", param_rows[key].key,
                          status ? reason : is_full ? "takes at most 64 values" : "needs values");
        out->value[out->count++] = plan.value[key];
    }
    return out->count > 0 ? 0 : refuse(r, "%s: needs values", param_rows[key].key);
}

/* A deadline is computed with the plan's tokens and availability, so these cannot vary. */
static int check_deadline(struct search_reader *r)
{
    const struct search_ask *ask = r->ask;
    bool is_deadline = !isnan(ask->slowest_token_s) && ask->slowest_by == LIMIT_DEADLINE;
    for (int i = 0; i < SPACE_OWN_MAX && is_deadline; i++)
        if (ask->space.free & 1u << (SEARCH_OWN + i) && (ask->space.own[i] == PARAM_train_total_tokens ||
                                                         ask->space.own[i] == PARAM_hardware_availability))
            return refuse(r, "a deadline needs a fixed %s; set it in the plan",
                          param_rows[ask->space.own[i]].key);
    return 0;
}

static int add_values(struct search_reader *r, const char *name, const char *list)
{
    int key = -1, axis = space_axis_named(name, &key);
    bool is_listed = key >= 0 && param_type((enum param)key)->json != PARAM_JSON_LAYOUT &&
                     param_rows[key].type != TYPE_NAME && key != PARAM_framework_name;
    if (axis >= 0 && key < 0)
        key = (int)space_axes[axis].key;
    bool is_state = axis == SEARCH_SHARDING || axis == SEARCH_SPLIT;
    if (axis == SEARCH_SHARDING && key == PARAM_parallel_zero_stage)
        is_state = false;
    if (key < 0)
        return refuse_name(r, name, true);
    if (key == PARAM_COUNT || is_state || (axis < 0 && !is_listed))
        return refuse(r, "values of '%.40s' cannot be tried", name);
    struct space_values values;
    if (read_list(r, (enum param)key, list, &values) != 0)
        return -1;
    if (key == PARAM_parallel_dp) { /* which the others leave on the same GPUs */
        r->ask->space.dp = values;
        return 0;
    }
    axis = axis_for(r->ask, axis, (enum param)key);
    if (axis < 0)
        return refuse_own(r);
    r->ask->space.values[axis] = values;
    return check_deadline(r);
}

static int read_values(struct search_reader *r, const char *text)
{
    char name[WORD_MAX];
    size_t length = strcspn(text, "=");
    if (length == 0 || !text[length] || !text[length + 1])
        return refuse(r, "expected KEY=VALUE,VALUE, found '%.60s'", text);
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    return add_values(r, name, text + length + 1);
}

static int read_nodes(struct search_reader *r, const char *list)
{
    return add_values(r, "nodes", list);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static int read_size(struct search_reader *r, const char *text, double *bytes)
{
    char reason[NUMBER_WHY_MAX];
    double gib = NAN;
    if (number_parse(text, SUFFIX_GIB, NULL, NULL, &gib, reason) != 0 || !(gib > 0))
        return refuse(r, "'%.40s' is not a size; write one such as 72GiB", text);
    *bytes = gib * GIB;
    return 0;
}

static int read_max_memory(struct search_reader *r, const char *text)
{
    return read_size(r, text, &r->ask->max_memory_bytes);
}

static int read_headroom(struct search_reader *r, const char *text)
{
    return read_size(r, text, &r->ask->headroom_bytes);
}

/* Seconds of "12h", "30d" ...; NAN if it is not a duration. */
static double read_duration(const char *text)
{
    static const struct {
        char unit;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};
    char *end = NULL;
    double number = strtod(text, &end);
    for (size_t i = 0; i < LENGTH(units); i++)
        if (end != text && number > 0 && isfinite(number) && end[0] == units[i].unit && !end[1])
            return number * units[i].seconds;
    return NAN;
}

/* The stricter of two limits counts. */
static void limit_token(struct search_ask *ask, double token_s, enum search_limit by)
{
    if (!isnan(ask->slowest_token_s) && !(token_s < ask->slowest_token_s))
        return;
    ask->slowest_token_s = token_s;
    ask->slowest_by = by;
}

static int read_deadline(struct search_reader *r, const char *text)
{
    struct plan resolved;
    double deadline_s = read_duration(text);
    plan_resolve(&r->ask->space.plan, &resolved);
    double tokens = KEY_OF(&resolved, train, total_tokens);
    if (isnan(deadline_s))
        return refuse(r, "'%.40s' is not a time; write one such as 30d, 12h or 90m", text);
    if (isnan(tokens))
        return refuse(r, "needs train.total_tokens, as in %s, of the whole training",
                      search_example(PARAM_train_total_tokens));
    limit_token(r->ask, deadline_s * KEY_OF(&resolved, hardware, availability) / tokens, LIMIT_DEADLINE);
    return check_deadline(r);
}

static int read_pace(struct search_reader *r, const char *text)
{
    char reason[NUMBER_WHY_MAX];
    double rate = NAN;
    if (number_parse(text, SUFFIX_DECIMAL, NULL, NULL, &rate, reason) != 0 || !(rate > 0))
        return refuse(r, "'%.40s' is not a rate; write a number such as 2M", text);
    limit_token(r->ask, 1 / rate, LIMIT_PACE);
    return 0;
}

static const char *const fits[] = {[SEARCH_FITS] = "fits", [SEARCH_TIGHT] = "tight", [SEARCH_ANY] = "any", NULL};
static const char *const schedules[] = {"own", "all", NULL};

static int read_choice(struct search_reader *r, const char *text, const char *const choices[])
{
    char all[WORD_MAX];
    struct text_line line = line_in(all, sizeof all);
    for (int i = 0; choices[i]; i++) {
        if (strcmp(text, choices[i]) == 0)
            return i;
        line_add(&line, "%s%s", i ? ", " : "", choices[i]);
    }
    return refuse(r, "'%.40s' is not a choice; use one of %s", text, all);
}

static int read_fit(struct search_reader *r, const char *text)
{
    int choice = read_choice(r, text, fits);
    r->ask->fit = choice < 0 ? r->ask->fit : (enum search_fit)choice;
    return choice < 0 ? -1 : 0;
}

static int read_schedules(struct search_reader *r, const char *text)
{
    int choice = read_choice(r, text, schedules);
    r->ask->space.all_schedules = choice > 0;
    return choice < 0 ? -1 : 0;
}

static int read_tp_in_node(struct search_reader *r, const char *text)
{
    (void)text;
    r->ask->space.tp_in_domain = true;
    return 0;
}

static int read_where(struct search_reader *r, const char *text)
{
    return condition_add(r->ask, text, r->why);
}

/* ---- the rows ---------------------------------------------------------------------------------------------------- */

const struct search_option search_options[] = {
    {"free", "KEY,...", NULL, true, "tp,pp,mbs: the only keys that may change; +KEY, features add", read_free},
    {"keep", "KEY,...", NULL, true, "tp,pp: these keys stay as they are", read_keep},
    {"values", "KEY=V,...", NULL, true, "tp=2,4: values to try for a key; short: tp=2,4", read_values},
    {"nodes", "N,...", NULL, false, "2,4,8: numbers of nodes to try", read_nodes},
    {"fit", "HOW", fits, false, "fits, tight or any: how certain the fit must be", read_fit},
    {"schedules", "WHICH", schedules, false, "own, the framework's, or all, published ones too",
     read_schedules},
    {"tp-in-node", NULL, NULL, false, "tensor-parallel ranks share a fast link", read_tp_in_node},
    {"max-memory", "SIZE", NULL, false, "72GiB: at most this on a GPU", read_max_memory},
    {"headroom", "SIZE", NULL, false, "4GiB: at least this left on a GPU", read_headroom},
    {"deadline", "TIME", NULL, false, "30d, 12h: training ends within this; needs total_tokens", read_deadline},
    {"tokens-per-s", "N", NULL, false, "2M: at least this many tokens a second", read_pace},
    {"where", "CONDITION", NULL, true,
     "tp<=8, schedule=1f1b, mfu>=40%, host_gib<900; commas: all", read_where},
    {NULL, NULL, NULL, false, NULL, NULL},
};

const struct search_option *search_option_named(const char *name)
{
    for (const struct search_option *option = search_options; option->name; option++)
        if (strcmp(option->name, name) == 0)
            return option;
    return NULL;
}

int search_option_read(const struct search_option *option, struct search_ask *ask, const char *text,
                       struct estimate *scratch, char *why)
{
    return option->read(&(struct search_reader){ask, scratch, why}, text);
}

/* Each number is a third or a half more than the one before. */
void search_option_nodes(struct search_ask *ask)
{
    struct space_values *out = &ask->space.values[SEARCH_NODES];
    struct plan resolved;
    if (ask->objective != SEARCH_GPUS || ask->space.free & 1u << SEARCH_NODES)
        return;
    plan_resolve(&ask->space.plan, &resolved);
    double most = KEY_OF(&resolved, hardware, nodes);
    out->count = 0;
    for (double nodes = 1; nodes < most && out->count + 1 < (int)LENGTH(out->value); nodes *= 2) {
        out->value[out->count++] = nodes;
        if (nodes > 1 && nodes * 3 / 2 < most)
            out->value[out->count++] = nodes * 3 / 2;
    }
    out->value[out->count++] = most;
    ask->space.free |= 1u << SEARCH_NODES;
}
