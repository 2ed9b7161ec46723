/* `shardtop goal`: what people want in the end, answered with a plan. */
#include "src/cli/verbs/goal.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "core/search/plan_diff.h"
#include "core/show/line.h"
#include "src/cli/verbs/verbs.h"
#include "src/report/data.h"
#include "src/report/text.h"
#include "src/text/errors.h"
#include "src/text/json_out.h"
#include "src/text/text.h"
#include "src/text/version.h"
#include "ui/ui.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char program[] = "shardtop";

enum { TOKENS = 1, DAYS = 2, USERS = 4, CONTEXT = 8, MS_PER_TOKEN = 16, FIRST_TOKEN = 32 };

enum { NO_LIMIT = 0, MEMORY_LIMIT = 1 /* no place in struct goal is so low */ };

static const struct {
    const char *name;
    int takes; /* of the figures below */
    int (*run)(struct goal *goal, struct errors *errors);
    size_t value, limit; /* what its ways are measured by: in struct goal_way, and in struct goal */
    double unit;         /* of the value */
} goals[] = {
#define WAY(name) offsetof(struct goal_way, name)
    {"train", TOKENS | DAYS | CONTEXT, goal_train, WAY(days), offsetof(struct goal, days), 1},
    {"tune", TOKENS | CONTEXT, goal_tune, WAY(device_bytes), MEMORY_LIMIT, GIB},
    {"serve", USERS | CONTEXT | MS_PER_TOKEN | FIRST_TOKEN, goal_serve, WAY(per_token_s),
     offsetof(struct goal, ms_per_token), 1e-3},
    {"size", TOKENS | DAYS | CONTEXT, goal_size, WAY(device_bytes), MEMORY_LIMIT, GIB},
    {"faster", 0, goal_faster, WAY(iteration_s), NO_LIMIT, 1},
#undef WAY
};

/* What the options of a goal are read into; a unit behind a figure is passed over. */
static const struct {
    int id;
    const char *option;
    size_t text, value; /* in struct cli and struct goal */
    enum suffix suffix;
    const char *unit;
} options[] = {
#define FIGURE(id, option, name, suffix, unit)                                                                         \
    {id, option, offsetof(struct cli, name), offsetof(struct goal, name), suffix, unit}
    FIGURE(TOKENS, "--tokens", tokens, SUFFIX_DECIMAL, ""),
    FIGURE(DAYS, "--days", days, SUFFIX_PLAIN, "d"),
    FIGURE(USERS, "--users", users, SUFFIX_DECIMAL, ""),
    FIGURE(CONTEXT, "--context", context, SUFFIX_BINARY, ""),
    FIGURE(MS_PER_TOKEN, "--ms-per-token", ms_per_token, SUFFIX_PLAIN, "ms"),
    FIGURE(FIRST_TOKEN, "--first-token", first_token, SUFFIX_PLAIN, "s"),
#undef FIGURE
};

/* ---- ways -------------------------------------------------------------------------------------------------------- */

void goal_say(char text[GOAL_TEXT_MAX], const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, GOAL_TEXT_MAX - used, format, arguments);
    va_end(arguments);
}

static void fill_training(struct goal_way *way, const struct estimate *e)
{
    way->iteration_s = estimate_pace(e);
    way->tokens_per_s = e->step.tokens_per_s;
    way->mfu = e->step.mfu;
    way->days = e->step.seconds / 86400;
    way->cost = e->step.cost;
    way->per_token_s = way->first_token_s = NAN;
}

static void fill_serving(struct goal_way *way, const struct estimate *e)
{
    way->iteration_s = way->mfu = way->days = way->cost = NAN;
    way->tokens_per_s = e->serving.tokens_per_s;
    way->per_token_s = e->serving.per_token_s;
    way->first_token_s = e->serving.time_to_first_token_s;
}

/* Why memory is unknown: the rule that does not model the plan, or the value that is missing. */
static void say_unknown(const struct estimate *e, struct goal_way *way)
{
    char why[GOAL_TEXT_MAX];
    for (int i = 0; i < e->diags.count; i++)
        if (e->diags.item[i].is_unmodelled) {
            goal_say(way->why_not, "%s", finding_text(&e->diags.item[i]).text);
            return;
        }
    goal_say(way->why_not, "%s", report_why_unknown(e, "hardware.usable_gib", why, sizeof why));
}

struct goal_way *goal_look(struct goal *goal, const struct plan *plan)
{
    struct figures figures;
    if (goal->ways == GOAL_WAYS_MAX)
        return NULL;
    struct goal_way *way = &goal->way[goal->ways++];
    estimate_plan(plan, goal->e);
    figures_of(goal->e, &figures);
    *way = (struct goal_way){.plan = *plan, .gpus = goal->e->symbols.world, .verdict = figures.verdict,
                             .device_bytes = figures.device_bytes, .headroom_bytes = figures.headroom_bytes,
                             .probability = figures.probability};
    (goal->e->is_serving ? fill_serving : fill_training)(way, goal->e);
    if (goal->e->diags.errors > 0)
        goal_say(way->why_not, "%s", finding_text(&goal->e->diags.item[0]).text);
    else if (isnan(way->headroom_bytes))
        say_unknown(goal->e, way);
    else if (goal->e->is_serving && goal->e->fits)
        return way; /* it has no range */
    else if (!(way->probability >= goal->sure) && way->headroom_bytes < 0)
        goal_say(way->why_not, "%.1f GiB over", -way->headroom_bytes / GIB);
    else if (!(way->probability >= goal->sure))
        goal_say(way->why_not, "fits in %.0f of 100 runs", 100 * way->probability);
    return way;
}

void goal_keys(const struct goal *goal, const struct goal_way *way, char *out, size_t size)
{
    struct plan before, after;
    struct diff_keys keys;
    size_t used = 0;
    plan_resolve(&goal->base, &before);
    plan_resolve(&way->plan, &after);
    plan_diff_keys(&before, &after, &keys);
    *out = '\0';
    for (int i = 0; i < PARAM_COUNT; i++) {
        char value[PARAM_TEXT_MAX];
        if (!keys.set[i] || param_print(&after, (enum param)i, value, sizeof value) <= 0)
            continue;
        int n = snprintf(out + used, size - used, "%s%s %.40s", used ? ", " : "", param_rows[i].key, value);
        if (used + (size_t)n >= size) {
            out[used] = '\0';
            return;
        }
        used += (size_t)n;
    }
}

/* ---- the question ------------------------------------------------------------------------------------------------ */

/* The place in `goals` of a name; -1 for none. */
static int goal_named(const char *name)
{
    for (int i = 0; i < (int)LENGTH(goals); i++)
        if (name && strcmp(goals[i].name, name) == 0)
            return i;
    return -1;
}

static double read_number(const char *text, enum suffix suffix, const char *unit, const char *option,
                          struct errors *errors)
{
    char digits[64], why[NUMBER_WHY_MAX];
    double value = NAN;
    snprintf(digits, sizeof digits, "%s", text);
    size_t n = strlen(digits);
    bool is_ms = *unit == 's' && n > 2 && strcmp(digits + n - 2, "ms") == 0; /* of seconds: --first-token 500ms */
    size_t behind = is_ms ? 2 : strlen(unit);
    if (n > behind && (is_ms || strcmp(digits + n - behind, unit) == 0))
        digits[n - behind] = '\0';
    if (number_parse(digits, suffix, NULL, NULL, &value, why) != 0 || !(value > 0))
        errors_add(errors, program, 0, option, "'%.40s' is not a number above 0", text);
    return is_ms ? value / 1e3 : value;
}

static void read_figures(struct goal *goal, struct errors *errors)
{
    const struct cli *cli = goal->cli;
    int id = goal_named(cli->goal);
    for (size_t i = 0; i < LENGTH(options); i++) {
        const char *text = *(const char *const *)((const char *)cli + options[i].text);
        double *value = (double *)((char *)goal + options[i].value);
        *value = NAN;
        if (text && id >= 0 && !(goals[id].takes & options[i].id))
            errors_add(errors, program, 0, options[i].option, "does not go with goal %s; leave it out", cli->goal);
        else if (text)
            *value = read_number(text, options[i].suffix, options[i].unit, options[i].option, errors);
    }
    goal->has_gpus = cli->gpus != NULL;
    goal->has_model = cli->model || cli->word_count > 0;
}

static int run_goal(struct goal *goal, struct errors *errors)
{
    const double usual_sure = 0.8; /* a deadline that is missed costs less than a run that does not start */
    int id = goal_named(goal->cli->goal);
    if (id < 0) {
        errors_add(errors, program, 0, "goal", "unknown goal '%.40s'; use train, tune, serve, size or faster",
                   goal->cli->goal ? goal->cli->goal : "");
        return -1;
    }
    goal->name = goals[id].name;
    goal->sure = goal->cli->sure > 0 ? goal->cli->sure : usual_sure;
    return goals[id].run(goal, errors);
}

/* ---- the command that makes the answer --------------------------------------------------------------------------- */

static void put_word(struct buffer *out, const char *word)
{
    bool is_plain = *word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._=-/+,:") ==
                                 strlen(word);
    buffer_puts(out, is_plain ? " " : " '");
    for (; *word; word++)
        if (*word == '\'')
            buffer_puts(out, "'\\''");
        else
            buffer_printf(out, "%c", *word);
    buffer_puts(out, is_plain ? "" : "'");
}

static void put_setting(struct buffer *out, const char *key, const char *value)
{
    struct buffer word = {0};
    buffer_printf(&word, "%s=%s", key, value);
    buffer_puts(out, " --set");
    put_word(out, word.text);
    buffer_free(&word);
}

/* The keys to set from the command line's plan. */
static void changed_keys(const struct goal *goal, const struct goal_way *way, struct plan *after,
                         struct diff_keys *keys)
{
    struct plan before;
    plan_resolve(&goal->given, &before);
    plan_resolve(&way->plan, after);
    plan_diff_keys(&before, after, keys);
}

static void write_command(const struct goal *goal, const struct goal_way *way, struct buffer *out)
{
    const struct cli *cli = goal->cli;
    struct plan after;
    struct diff_keys keys;
    changed_keys(goal, way, &after, &keys);
    buffer_puts(out, "shardtop show");
    for (int i = 0; i < cli->word_count; i++)
        put_word(out, cli->words[i]);
    if (cli->model) {
        buffer_puts(out, " --model");
        put_word(out, cli->model);
    }
    if (cli->gpus) {
        buffer_puts(out, " --gpus");
        put_word(out, cli->gpus);
    }
    for (size_t i = 0; i < cli->settings.count; i++)
        put_setting(out, cli->settings.item[i].key, cli->settings.item[i].value);
    for (int i = 0; i < PARAM_COUNT; i++) {
        char value[PARAM_TEXT_MAX];
        if (keys.set[i] && param_print(&after, (enum param)i, value, sizeof value) > 0)
            put_setting(out, param_rows[i].dotted, value);
    }
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

#define SHAPES "src/cli/verbs/goal.def"
#include "src/text/json_writers.def"

static void write_changes(struct json *json, const struct goal *goal, const struct goal_way *way)
{
    struct plan after;
    struct diff_keys keys;
    changed_keys(goal, way, &after, &keys);
    json_open(json, "changes", '{');
    for (int i = 0; i < PARAM_COUNT; i++)
        if (keys.set[i])
            json_value(json, param_rows[i].dotted, &after, (enum param)i);
    json_close(json, '}');
}

#include "src/text/json_writers.def"

/* How far a way is from the answer: by its GPUs, then by its place. */
static double distance(const struct goal *goal, int i)
{
    int answer = goal->answer < 0 ? 0 : goal->answer;
    return GOAL_WAYS_MAX * fabs(log2(goal->way[i].gpus / goal->way[answer].gpus)) + abs(i - answer);
}

/* Whether a way is among the `most` nearest to the answer. */
static bool is_near(const struct goal *goal, int i, int most)
{
    int nearer = 0;
    for (int j = 0; j < goal->ways; j++)
        nearer += distance(goal, j) < distance(goal, i) || (distance(goal, j) == distance(goal, i) && j < i);
    return nearer < most;
}

static void write_text(const struct goal *goal, struct buffer *out)
{
    enum { TEXT_COLUMNS = 84 };
    int top = goal->cli->top ? goal->cli->top : GOAL_TOP;
    buffer_printf(out, "%s\n\n", goal->text);
    for (int i = 0; i < goal->ways; i++)
        if (is_near(goal, i, top))
            buffer_printf(out, "%c %-*s  %s\n", i == goal->answer ? '>' : ' ', TEXT_COLUMNS, goal->way[i].text,
                          *goal->way[i].why_not ? goal->way[i].why_not : "holds");
    if (goal->ways > top)
        buffer_printf(out, "  %d more; --top %d shows all\n", goal->ways - top, goal->ways);
    if (goal->answer < 0)
        return;
    buffer_puts(out, "\nas a command: ");
    write_command(goal, &goal->way[goal->answer], out);
    buffer_puts(out, "\n");
}

/* The options that ask the same; nothing for a model that has no name. */
static void say_question(const struct goal *goal, char *out, size_t size)
{
    const struct plan *plan = &goal->given;
    struct text_line line = line_in(out, size);
    bool is_named = plan->text[TEXT_MODEL][0] != '\0';
    for (int i = 0; i < PARAM_COUNT; i++)
        is_named &= i == PARAM_model_name || param_rows[i].group_id != GROUP_model || plan->from[i] < FROM_FILE;
    if (!is_named)
        return;
    line_add(&line, "shardtop goal %s --model %s", goal->name, plan->text[TEXT_MODEL]);
    for (size_t i = 0; i < LENGTH(options); i++) {
        double value = *(const double *)((const char *)goal + options[i].value);
        if (isfinite(value) && (goals[goal_named(goal->name)].takes & options[i].id))
            line_add(&line, value >= 1e12 ? " %s %gT" : value >= 1e9 ? " %s %gB" : " %s %g", options[i].option,
                     value >= 1e12 ? value / 1e12 : value >= 1e9 ? value / 1e9 : value);
    }
    if (goal->cli->sure > 0)
        line_add(&line, " --sure %g%%", 100 * goal->cli->sure);
    if (plan->text[TEXT_GPU][0])
        line_add(&line, " --set hardware.gpu=%s", plan->text[TEXT_GPU]);
    for (int i = 0; i < PARAM_COUNT; i++) {
        char value[PARAM_TEXT_MAX];
        bool is_own = plan->from[i] >= FROM_FILE && i != PARAM_hardware_gpu && i != PARAM_train_total_tokens;
        is_own &= param_rows[i].group_id != GROUP_model;
        if (is_own && param_print(plan, (enum param)i, value, sizeof value) > 0)
            line_add(&line, " --set %s=%s", param_rows[i].dotted, value);
    }
}

/* The figure of a way that its goal is about, its range and its limit. */
static void measure(const struct goal *goal, const struct goal_way *way, struct ui_goal_way *out)
{
    int id = goal_named(goal->name);
    size_t limit = goals[id].limit;
    out->value = *(const double *)((const char *)way + goals[id].value) / goals[id].unit;
    out->limit = limit == NO_LIMIT       ? NAN
                 : limit == MEMORY_LIMIT ? (way->device_bytes + way->headroom_bytes) / goals[id].unit
                                         : *(const double *)((const char *)goal + limit);
    out->low = way->low_days;
    out->high = way->high_days;
}

/* The ways nearest to the answer. */
static void copy_ways(const struct goal *goal, struct ui_goal_ways *out)
{
    out->count = 0;
    for (int i = 0; i < goal->ways && out->count < GOAL_WAYS; i++) {
        struct ui_goal_way *way = &out->way[out->count];
        if (!is_near(goal, i, GOAL_WAYS))
            continue;
        snprintf(way->text, sizeof way->text, "%.159s", goal->way[i].text);
        snprintf(way->why_not, sizeof way->why_not, "%.159s", goal->way[i].why_not);
        way->is_answer = i == goal->answer;
        measure(goal, &goal->way[i], way);
        out->count++;
    }
    say_question(goal, out->command, sizeof out->command);
}

/* A goal without an answer so far; free it with free_goal(). */
static struct goal *new_goal(const struct cli *cli, const struct plan *plan)
{
    struct goal *goal = xmalloc(sizeof *goal);
    memset(goal, 0, sizeof *goal);
    goal->cli = cli;
    goal->given = goal->base = *plan;
    goal->answer = -1;
    goal->e = xmalloc(sizeof *goal->e);
    return goal;
}

static void free_goal(struct goal *goal)
{
    free(goal->e);
    free(goal);
}

int goal_answer(const char *name, const struct ui_goal *figures, const struct plan *plan, struct plan *out,
                struct ui_goal_ways *ways, char *text)
{
    struct cli cli = {.goal = name, .sure = isfinite(figures->sure) ? figures->sure : 0};
    struct errors errors = {0};
    struct goal *goal = new_goal(&cli, plan);
    goal->tokens = figures->tokens;
    goal->days = figures->days;
    goal->users = figures->users;
    goal->context = figures->context;
    goal->ms_per_token = figures->ms_per_token;
    goal->first_token = figures->first_token;
    goal->has_gpus = figures->has_gpus;
    goal->has_model = figures->has_model;
    run_goal(goal, &errors);
    if (ways)
        copy_ways(goal, ways);
    if (goal->answer >= 0)
        *out = goal->way[goal->answer].plan;
    snprintf(text, GOAL_TEXT_MAX, "%s", errors.count ? errors.line[0] : goal->text);
    int status = goal->answer >= 0 ? 0 : -1;
    errors_free(&errors);
    free_goal(goal);
    return status;
}

/* Every goal but size is about a model. */
static void check_model(const struct goal *goal, struct errors *errors)
{
    const struct cli *cli = goal->cli;
    if (goal_named(cli->goal) < 0 || strcmp(cli->goal, "size") == 0)
        return;
    estimate_plan(&goal->base, goal->e);
    const struct diag *fault = goal->e->diags.errors > 0 ? &goal->e->diags.item[0] : NULL;
    if (!(goal->e->totals.total > 0) && fault && !cli->made.is_of_nothing)
        errors_add(errors, program, 0, param_rows[fault->param].dotted, "%s", finding_text(fault).text);
    else if (cli->made.is_of_nothing || !(goal->e->totals.total > 0))
        errors_add(errors, program, 0, "goal", "%s needs a model or a plan; add --model NAME (see `shardtop list "
                                               "models`) or a file", cli->goal);
}

int verb_goal(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    struct goal *goal = new_goal(cli, plan);
    read_figures(goal, errors);
    check_model(goal, errors);
    bool is_refused = errors_any(errors) || run_goal(goal, errors) != 0;
    int status = is_refused ? STATUS_INPUT : goal->answer < 0 ? STATUS_UNFIT : STATUS_DONE;
    if (status != STATUS_INPUT && cli->json)
        WRITE_ANSWER(out, 2, goal_plan, goal)
    else if (status != STATUS_INPUT)
        write_text(goal, out);
    free_goal(goal);
    return status;
}
