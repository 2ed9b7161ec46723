#include "core/search/search.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "core/search/feature.h"

#include <stdio.h>
#include <string.h>

const struct search_goal search_goals[SEARCH_OBJECTIVES] = {
#define GOAL_ROW(id, name, first, second, title, kind, unit) [SEARCH_##id] = {name, {first, second}, title, kind, unit},
    SEARCH_GOALS(GOAL_ROW)
#undef GOAL_ROW
    [SEARCH_CHANGES] = {"", {PARAM_COUNT, PARAM_COUNT}, NULL, FIGURE_PLAIN, 1},
};

enum search_objective search_goal_named(const char *name)
{
    int i = 0;
    while (i < SEARCH_CHANGES && strcmp(name, search_goals[i].name) != 0)
        i++;
    return i < SEARCH_CHANGES ? (enum search_objective)i : SEARCH_OBJECTIVES;
}

enum param search_missing_key(enum search_objective objective, const struct plan *resolved)
{
    const struct search_goal *goal = &search_goals[objective];
    for (size_t i = 0; i < LENGTH(goal->needs); i++)
        if (goal->needs[i] < PARAM_COUNT && isnan(resolved->value[goal->needs[i]]))
            return goal->needs[i];
    return PARAM_COUNT;
}

const char *search_example(enum param key)
{
    static const struct {
        enum param key;
        const char *text;
    } examples[] = {{PARAM_train_total_tokens, "total_tokens=1T"},
                    {PARAM_hardware_price_per_gpu_hour, "price_per_gpu_hour=2"},
                    {PARAM_hardware_watts, "watts=700"}};
    for (size_t i = 0; i < LENGTH(examples); i++)
        if (examples[i].key == key)
            return examples[i].text;
    return "";
}

const char *const search_limit_names[LIMIT_COUNT] = {"fit", "max-memory", "headroom", "deadline",
                                                    "tokens-per-s", "where"};
const char *const search_relation_names[RELATION_COUNT] = {"<=", ">=", "!=", "=", "<", ">"};

static double mfu_of(const struct estimate *e)
{
    return e->step.mfu;
}

static double speed_of(const struct estimate *e)
{
    return e->step.tokens_per_s_per_gpu;
}

static double bubble_of(const struct estimate *e)
{
    return e->step.bubble_fraction;
}

static double host_gib_of(const struct estimate *e)
{
    double most = 0;
    for (int i = 0; i < e->stages; i++)
        most = max(most, e->stage[i].host_bytes);
    return most * e->symbols.node_gpus / GIB;
}

const struct search_figure search_figures[] = {
    {"mfu", mfu_of, true}, {"tokens_per_s_per_gpu", speed_of, false}, {"bubble_fraction", bubble_of, true},
    {"host_gib", host_gib_of, false}, {NULL, NULL, false}};

enum { BLOCK = 8, PLAY = 4 /* blocks that take as long as playing a schedule */, FEW = 32 };

/* Rounding of a sum of times: a bound may exceed the exact time by this much. */
static const double slack = 1 + 1e-12;

/* ---- the order of results ---------------------------------------------------------------------------------------- */

/* Values that agree in nine digits are a tie. */
static double in_nine_digits(double value)
{
    if (!(value > 0))
        return value;
    double unit = pow(10, floor(log10(value)) - 8);
    return floor(value / unit + 0.5) * unit;
}

int search_compare(const struct search_result *a, const struct search_result *b)
{
    double first = in_nine_digits(a->value), second = in_nine_digits(b->value);
    if (first != second)
        return first < second ? -1 : 1;
    first = in_nine_digits(a->iteration_s);
    second = in_nine_digits(b->iteration_s);
    if (first != second)
        return first < second ? -1 : 1;
    if (a->complexity != b->complexity)
        return a->complexity - b->complexity;
    if (a->headroom_bytes != b->headroom_bytes)
        return a->headroom_bytes > b->headroom_bytes ? -1 : 1;
    return space_compare(&a->layout, &b->layout);
}

/* ---- what is best so far ----------------------------------------------------------------------------------------- */

/* Whether only the caller's keys differ, and change nothing unless they may. */
static bool is_same_but_own(const struct search_result *a, const struct search_result *b, bool is_any)
{
    bool is_tie = a->value == b->value && a->iteration_s == b->iteration_s &&
                  a->peak_device_bytes == b->peak_device_bytes && a->complexity == b->complexity;
    return (is_any || is_tie) && memcmp(&a->layout.value[SEARCH_NODES], &b->layout.value[SEARCH_NODES],
                                        (SEARCH_AXES - SEARCH_NODES) * sizeof(int)) == 0;
}

/* Removes the result's twin, unless the twin is better: then returns false. */
static bool replaces_twin(struct search_answer *answer, const struct search_result *result)
{
    for (int i = 0; i < answer->count; i++) {
        if (!is_same_but_own(result, &answer->best[i], answer->is_one_each))
            continue;
        if (search_compare(result, &answer->best[i]) >= 0)
            return false;
        answer->count--;
        memmove(&answer->best[i], &answer->best[i + 1], (size_t)(answer->count - i) * sizeof *answer->best);
    }
    return true;
}

static void insert_best(struct search_answer *answer, int top, const struct search_result *result)
{
    if (!replaces_twin(answer, result))
        return;
    int at = answer->count;
    while (at > 0 && search_compare(result, &answer->best[at - 1]) < 0)
        at--;
    if (at == top || (at > 0 && search_compare(result, &answer->best[at - 1]) == 0))
        return;
    int last = answer->count < top ? answer->count++ : top - 1;
    memmove(&answer->best[at + 1], &answer->best[at], (size_t)(last - at) * sizeof *answer->best);
    answer->best[at] = *result;
}

static int front_below(const struct search_answer *answer, double bytes)
{
    int low = 0, high = answer->front_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (answer->front[middle].peak_device_bytes <= bytes)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether a played layout needs less memory and no more time, or less time and no more memory. */
static bool is_dominated(const struct search_answer *answer, double bytes, double iteration_s)
{
    int below = front_below(answer, bytes);
    const struct search_result *one = below > 0 ? &answer->front[below - 1] : NULL;
    return one && (one->iteration_s < iteration_s ||
                   (one->iteration_s == iteration_s && one->peak_device_bytes < bytes));
}

static bool is_twin(const struct search_answer *answer, int at, const struct search_result *result)
{
    const struct search_result *one = at > 0 ? &answer->front[at - 1] : NULL;
    return one && one->peak_device_bytes == result->peak_device_bytes && one->iteration_s == result->iteration_s &&
           search_compare(one, result) <= 0;
}

/* Removes the point nearest to the one before it. */
static void thin(struct search_answer *answer)
{
    int nearest = 1;
    double least = INFINITY;
    for (int i = 1; i + 1 < answer->front_count; i++) {
        double step = answer->front[i].peak_device_bytes - answer->front[i - 1].peak_device_bytes;
        if (step < least) {
            least = step;
            nearest = i;
        }
    }
    answer->front_count--;
    memmove(&answer->front[nearest], &answer->front[nearest + 1],
            (size_t)(answer->front_count - nearest) * sizeof *answer->front);
}

static void insert_front(struct search_answer *answer, const struct search_result *result)
{
    int at = front_below(answer, result->peak_device_bytes), end = at;
    if (is_dominated(answer, result->peak_device_bytes, result->iteration_s) || is_twin(answer, at, result))
        return;
    if (at > 0 && answer->front[at - 1].peak_device_bytes == result->peak_device_bytes)
        at--;
    while (end < answer->front_count && answer->front[end].iteration_s >= result->iteration_s)
        end++;
    if (at == end && answer->front_count == SEARCH_FRONT_MAX) {
        thin(answer);
        at = end = front_below(answer, result->peak_device_bytes);
    }
    memmove(&answer->front[at + 1], &answer->front[end], (size_t)(answer->front_count - end) * sizeof *answer->front);
    answer->front_count += 1 - (end - at);
    answer->front[at] = *result;
}

void search_add(struct search_answer *answer, const struct search_ask *ask, const struct search_result *result)
{
    insert_best(answer, ask->top, result);
    insert_front(answer, result);
}

static void insert(struct search *search, const struct search_result *result)
{
    search_add(&search->answer, &search->ask, result);
}

/* ---- the value of a layout --------------------------------------------------------------------------------------- */

/* Wall time per token, failures and checkpoints included. */
static double token_s(const struct plan *resolved, double goodput, double iteration_s)
{
    return iteration_s / (KEY_OF(resolved, train, global_batch_size) * KEY_OF(resolved, train, seq_length)) / goodput;
}

double search_value(enum search_objective objective, const struct plan *resolved, double goodput, double iteration_s,
                    double bytes)
{
    const double million = 1e6, hour_s = 3600, kilo = 1000;
    double seconds = token_s(resolved, goodput, iteration_s) / KEY_OF(resolved, hardware, availability);
    double gpus = KEY_OF(resolved, hardware, nodes) * KEY_OF(resolved, hardware, gpus_per_node);
    double cost = seconds * gpus * KEY_OF(resolved, hardware, price_per_gpu_hour) / hour_s;
    switch (objective) {
    case SEARCH_MEMORY: return bytes;
    case SEARCH_COST: return cost * million;
    case SEARCH_ENERGY: return seconds * gpus * KEY_OF(resolved, hardware, watts) / kilo / hour_s * million;
    case SEARCH_GPUS: return gpus;
    case SEARCH_TRAIN_TIME: return seconds * KEY_OF(resolved, train, total_tokens);
    case SEARCH_TRAIN_COST: return cost * KEY_OF(resolved, train, total_tokens);
    default: return token_s(resolved, goodput, iteration_s);
    }
}

static int changes_of(const struct search *search)
{
    static const enum param keys[] = {PARAM_parallel_tp, PARAM_parallel_pp, PARAM_parallel_vpp, PARAM_parallel_cp,
                                      PARAM_parallel_zero_stage, PARAM_parallel_fsdp, PARAM_parallel_last_stage_layers,
                                      PARAM_parallel_embedding_counts_as_layer, PARAM_parallel_loss_counts_as_layer,
                                      PARAM_train_micro_batch_size, PARAM_train_recompute};
    const struct plan *now = &search->given, *then = &search->resolved;
    bool has_experts = KEY_OF(now, model, num_experts) > 0,
         had_tp = KEY_OF(now, parallel, tp) > 1 && KEY_OF(then, parallel, tp) > 1;
    int count = (had_tp && KEY_OF(now, parallel, sp) != KEY_OF(then, parallel, sp)) +
                (has_experts && KEY_OF(now, parallel, ep) != KEY_OF(then, parallel, ep)) +
                (has_experts && KEY_OF(now, parallel, etp) != KEY_OF(then, parallel, etp));
    for (size_t i = 0; i < LENGTH(keys); i++)
        count += now->value[keys[i]] != then->value[keys[i]];
    return count;
}

static double value_of(const struct search *search, double iteration_s, double bytes)
{
    if (search->ask.objective == SEARCH_CHANGES)
        return isfinite(iteration_s) ? changes_of(search) : iteration_s;
    return search_value(search->ask.objective, &search->resolved, search->goodput, iteration_s, bytes);
}

static bool is_too_slow(const struct search *search, double iteration_s)
{
    return token_s(&search->resolved, search->goodput, iteration_s) > search->ask.slowest_token_s * slack;
}

/* Whether a layout may still be among the results or on the front, with these bounds. */
static bool may_matter(const struct search *search, const struct search_result *result)
{
    const double tie = slack * (1 + 1e-8);
    const struct search_answer *answer = &search->answer;
    const struct search_result *last = &answer->best[answer->count > 0 ? answer->count - 1 : 0];
    bool is_among = answer->count < search->ask.top || result->value * tie < last->value ||
                    (result->value <= last->value * tie && result->iteration_s <= last->iteration_s * tie);
    return is_among || !is_dominated(answer, result->peak_device_bytes, result->iteration_s / slack);
}

/* ---- one layout -------------------------------------------------------------------------------------------------- */

static bool is_met(double value, const struct search_condition *condition)
{
    double limit = condition->value;
    switch (condition->relation) {
    case RELATION_AT_MOST: return value <= limit;
    case RELATION_AT_LEAST: return value >= limit;
    case RELATION_IS_NOT: return value < limit || value > limit;
    case RELATION_BELOW: return value < limit;
    case RELATION_ABOVE: return value > limit;
    default: return value == limit;
    }
}

/* Counts what each condition on a key rules out. */
static bool keys_meet_conditions(struct search *search)
{
    const struct search_condition *one = search->ask.condition;
    bool all_met = true;
    for (int i = 0; i < search->ask.conditions; i++) {
        struct search_tally *tally = &search->answer.tally[i];
        double value = one[i].key < PARAM_COUNT ? search->resolved.value[one[i].key] : NAN;
        bool meets = one[i].key == PARAM_COUNT || is_met(value, &one[i]), is_first = all_met && !meets;
        tally->excluded += is_first;
        tally->met += meets;
        tally->least = fmin(tally->least, value);
        tally->most = fmax(tally->most, value);
        all_met &= meets;
    }
    return all_met;
}

bool search_meets(const struct search_ask *ask, const struct estimate *e)
{
    bool all_met = true;
    for (int i = 0; i < ask->conditions && all_met; i++) {
        const struct search_condition *one = &ask->condition[i];
        all_met = is_met(one->figure ? one->figure->of(e) : e->plan.value[one->key], one);
    }
    return all_met;
}

static bool figures_meet_conditions(struct search *search, const struct search_result *result)
{
    bool is_asked = false;
    for (int i = 0; i < search->ask.conditions; i++)
        is_asked |= search->ask.condition[i].figure != NULL;
    if (!is_asked)
        return true;
    struct plan plan;
    space_plan(&search->ask.space, &result->layout, &plan);
    estimate_plan(&plan, &search->whole);
    return search_meets(&search->ask, &search->whole);
}

/*
 * The time of an iteration with a training step of `step_s`: of reinforcement learning, with what does not follow from
 * the trainer's layout.
 */
static double pace_of(struct search *search, double step_s)
{
    const struct plan *now = &search->resolved;
    struct search_rl *rl = &search->rl;
    double world = KEY_OF(now, hardware, nodes) * KEY_OF(now, hardware, gpus_per_node),
           passes = KEY_OF(now, train, recompute) == RECOMPUTE_FULL ? 8 : 6; /* FLOPs of a step, a forward pass has 2 */
    if (KEY_OF(now, plan, workload) != WORKLOAD_RL)
        return step_s;
    if (rl->world != world) {
        const struct estimate *e = &search->whole;
        estimate_plan(now, &search->whole);
        *rl = (struct search_rl){isfinite(e->rl.iteration_s) ? world : 0,
                                 e->rl.iteration_s - e->rl.update_s - e->rl.logprob_s,
                                 e->rl.update_s / e->step.iteration_s,
                                 e->rl.logprob_s / e->step.iteration_s * passes};
    }
    return rl->rest_s + step_s * (rl->updates + rl->logprobs / passes);
}

static bool set_time(struct search *search, struct search_result *result, double step_s)
{
    result->iteration_s = pace_of(search, step_s);
    result->value = value_of(search, result->iteration_s, result->peak_device_bytes);
    return isfinite(result->value) && isfinite(result->iteration_s);
}

static void play(struct search *search, struct search_result *result)
{
    struct plan plan, before = search->resolved;
    struct quick quick;
    struct symbols symbols;
    double goodput = search->goodput;
    space_plan(&search->ask.space, &result->layout, &plan);
    plan_resolve(&plan, &search->resolved);
    estimate_quick(&search->resolved, QUICK_PLAYED, &search->cache, &quick);
    symbols_of(&search->resolved, &symbols);
    search->goodput = estimate_goodput(&search->resolved, &symbols);
    search->answer.played++;
    if (set_time(search, result, quick.iteration_s) && !is_too_slow(search, result->iteration_s) &&
        figures_meet_conditions(search, result))
        insert(search, result);
    search->resolved = before;
    search->goodput = goodput;
}

static bool comes_before(const struct search_result *a, const struct search_result *b)
{
    if (a->value != b->value)
        return a->value < b->value;
    return a->iteration_s != b->iteration_s ? a->iteration_s < b->iteration_s
                                            : space_compare(&a->layout, &b->layout) < 0;
}

/* Sorts by the bounds of value and time, in place (Shell 1959 with the gaps of Ciura 2001). */
static void sort_waiting(struct search *search)
{
    static const int gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
    struct search_result *wait = search->wait;
    for (size_t g = 0; g < LENGTH(gaps) && !search->is_sorted; g++)
        for (int i = gaps[g]; i < search->waiting; i++) {
            struct search_result one = wait[i];
            int at = i;
            for (; at >= gaps[g] && comes_before(&one, &wait[at - gaps[g]]); at -= gaps[g])
                wait[at] = wait[at - gaps[g]];
            wait[at] = one;
        }
    search->is_sorted = true;
}

/* Plays the `most` most promising layouts and drops those that no longer matter. */
static void settle(struct search *search, int most)
{
    int kept = 0;
    sort_waiting(search);
    for (int i = 0; i < search->waiting; i++) {
        struct search_result *one = &search->wait[i];
        if (!may_matter(search, one))
            continue;
        if (i < most)
            play(search, one);
        else
            search->wait[kept++] = *one;
    }
    search->waiting = kept;
}

/* A bound is played at once if promising, else later. */
static void offer(struct search *search, const struct search_result *result, bool is_bound)
{
    const double promising = 0.97;
    const struct search_answer *answer = &search->answer;
    if (!may_matter(search, result) || rule_forbids(&search->resolved, &search->excused))
        return;
    if (!is_bound) {
        if (figures_meet_conditions(search, result))
            insert(search, result);
    } else if (search->ask.objective != SEARCH_MEMORY && answer->count > 0 &&
               result->value < promising * answer->best[0].value) {
        struct search_result one = *result;
        play(search, &one);
    } else {
        search->wait[search->waiting++] = *result;
        search->is_sorted = false;
        if (search->waiting == SEARCH_WAITING_MAX)
            settle(search, FEW);
    }
}

static enum search_limit limit_of(const struct search *search, const struct search_result *result)
{
    if (search->ask.fit != SEARCH_ANY && !(result->fit_deviations >= search->least_deviations))
        return LIMIT_FIT;
    if (result->peak_device_bytes > search->ask.max_memory_bytes)
        return LIMIT_MAX_MEMORY;
    return result->headroom_bytes < search->ask.headroom_bytes ? LIMIT_HEADROOM : LIMIT_COUNT;
}

/* `is_slow` is set if the layout misses a deadline. */
static bool may_be_fast(struct search *search, struct search_result *result, double least_s, bool *is_slow)
{
    bool has_limit = !isnan(search->ask.slowest_token_s); /* then all are looked at, so that the count is right */
    bool is_known = set_time(search, result, least_s);
    *is_slow = is_too_slow(search, result->iteration_s);
    return !*is_slow && (has_limit || !is_known || may_matter(search, result));
}

/* Computes the bound of time unless computing alone takes too long. */
static void time_it(struct search *search, struct search_result *result, struct quick *quick)
{
    bool is_slow = false;
    if (may_be_fast(search, result, quick_least_s(&search->layout), &is_slow) &&
        may_be_fast(search, result, quick_busy_s(&search->layout), &is_slow)) {
        quick_time(&search->layout, QUICK_BOUND, quick);
        bool is_known = set_time(search, result, quick->iteration_s);
        is_slow = is_too_slow(search, result->iteration_s);
        result->complexity = space_complexity(&search->resolved);
        if (is_known && !is_slow)
            offer(search, result, quick->is_bound);
    }
    search->answer.feasible += !is_slow;
    search->answer.excluded[search->ask.slowest_by] += is_slow;
}

static void note_nearest(struct search *search, const struct search_result *result)
{
    struct search_answer *answer = &search->answer;
    if (answer->has_nearest && result->peak_device_bytes >= answer->nearest.peak_device_bytes)
        return;
    answer->nearest = *result;
    answer->nearest.complexity = space_complexity(&search->resolved);
    answer->has_nearest = true;
}

/* Above this a layout is neither a result nor the nearest to one. */
static double enough_bytes(const struct search *search)
{
    const struct search_answer *answer = &search->answer;
    return search->ask.fit == SEARCH_FITS && answer->has_nearest
               ? max(search->layout.symbols.usable * GIB, answer->nearest.peak_device_bytes) : INFINITY;
}

/* `rest_changed` is false if only the pipeline changed. */
static void take_shape(struct search *search, bool rest_changed)
{
    struct symbols *symbols = &search->layout.symbols;
    search->stale = 0;
    for (size_t i = 0; i < LENGTH(search->sharding); i++)
        search->sharding[i].is_known = false;
    search->resolved = search->space.prepared;
    plan_resolve_layout(&search->resolved);
    if (rest_changed) {
        symbols_of(&search->resolved, symbols);
        search->rest_is_possible = rule_allows_rest(&search->resolved, symbols);
    } else {
        symbols_again(&search->resolved, VARIES_PIPELINED, symbols);
    }
    if (search->rest_is_possible)
        space_balance(&search->space, &search->resolved);
    search->is_possible =
        search->rest_is_possible &&
        rule_allows_pipeline(&search->resolved, symbols,
                             split_quickly(&search->resolved, &search->layout.split) == SPLIT_EXACT);
    if (!search->is_possible)
        return;
    quick_shape(&search->resolved, &search->layout);
    search->goodput = estimate_goodput(&search->resolved, symbols);
}

static void take_symbols(struct search *search, const struct search_sharding *sharding)
{
    struct symbols *symbols = &search->layout.symbols;
    plan_resolve_states(&search->space.prepared, &search->resolved);
    if (sharding->is_known)
        symbols_take_sharded(&sharding->symbols, symbols);
    symbols_again(&search->resolved, sharding->is_known ? VARIES_RECOMPUTED : (enum varies)search->stale, symbols);
    search->stale = 0;
}

static bool take_states(struct search *search)
{
    const struct symbols *symbols = &search->layout.symbols;
    struct search_sharding *sharding = &search->sharding[search->space.at.value[SEARCH_SHARDING] - SPACE_AS_GIVEN];
    if (sharding->is_known && !sharding->is_allowed)
        return false;
    if (search->stale)
        take_symbols(search, sharding);
    if (!sharding->is_known) {
        sharding->is_known = true;
        sharding->is_allowed = rule_allows_sharding(&search->resolved, symbols);
        symbols_take_sharded(symbols, &sharding->symbols);
    }
    return sharding->is_allowed && rule_allows_recompute(&search->resolved, symbols);
}

/* Updates only what differs from the previous layout; false if a rule forbids it. */
static bool take_layout(struct search *search)
{
    enum search_axis axis = search->space.changed;
    enum varies changed = axis < SEARCH_PP          ? VARIES_ALL
                          : axis < SEARCH_RECOMPUTE ? VARIES_PIPELINED
                          : axis < SEARCH_SHARDING  ? VARIES_RECOMPUTED
                                                    : VARIES_SHARDED;
    search->changed |= changed;
    if (changed & VARIES_PIPELINED)
        take_shape(search, axis < SEARCH_PP);
    else
        search->stale |= changed == VARIES_RECOMPUTED ? VARIES_RECOMPUTED | VARIES_SHARDED : VARIES_SHARDED;
    return search->is_possible && take_states(search);
}

/* Counts the layouts that the same rule forbids. */
static void pass_over(struct search *search)
{
    if (!search->is_possible)
        search->answer.candidates +=
            space_skip(&search->space, search->rest_is_possible ? SEARCH_SCHEDULE : SEARCH_ETP);
}

static void look_at(struct search *search)
{
    const struct symbols *symbols = &search->layout.symbols;
    struct quick quick;
    search->answer.candidates++;
    if (!take_layout(search)) {
        pass_over(search);
        return;
    }
    search->answer.evaluated++;
    if (!keys_meet_conditions(search)) {
        search->answer.excluded[LIMIT_WHERE]++;
        return;
    }
    quick_memory(&search->resolved, search->changed, enough_bytes(search), &search->cache, &search->layout, &quick);
    search->changed = 0;
    struct search_result result = {.layout = search->space.at, .value = NAN, .iteration_s = NAN,
                                   .peak_device_bytes = quick.peak_device_bytes,
                                   .headroom_bytes = symbols->usable * GIB - quick.peak_device_bytes,
                                   .fit_deviations = quick.fit_deviations};
    enum search_limit limit = limit_of(search, &result);
    if (limit == LIMIT_COUNT) {
        time_it(search, &result, &quick);
        return;
    }
    search->answer.excluded[limit]++;
    note_nearest(search, &result);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

void search_ask_about(const struct plan *plan, struct search_ask *out)
{
    enum { TOP = 5 };
    *out = (struct search_ask){.space = {.plan = *plan, .free = space_default_axes()}, .top = TOP,
                               .max_memory_bytes = NAN, .headroom_bytes = NAN, .slowest_token_s = NAN,
                               .slowest_by = LIMIT_DEADLINE};
}

static double deviations_of(double probability)
{
    double fewer = -10, more = 10, middle;
    while ((middle = (fewer + more) / 2) > fewer && middle < more)
        *(normal(middle) >= probability ? &more : &fewer) = middle;
    return more;
}

void search_excuses(const struct search_ask *ask, struct rule_set *out)
{
    struct plan resolved;
    plan_resolve(&ask->space.plan, &resolved);
    rule_excuses(&resolved, out);
    for (int rule = 0; rule < RULE_COUNT; rule++)
        for (int i = 0; i < SPACE_OWN_MAX; i++)
            if (ask->space.free & 1u << i && ask->space.own[i] == rule_key((enum rule_id)rule))
                out->has[rule] = false;
}

void search_answer_begin(struct search_answer *out)
{
    *out = (struct search_answer){.is_complete = true};
    for (int i = 0; i < SEARCH_CONDITIONS_MAX; i++)
        out->tally[i] = (struct search_tally){0, 0, NAN, NAN};
}

void search_know(struct search *search, const struct search_answer *known)
{
    struct search_answer *answer = &search->answer;
    memcpy(answer->best, known->best, sizeof answer->best);
    memcpy(answer->front, known->front, sizeof answer->front);
    answer->count = known->count;
    answer->front_count = known->front_count;
    answer->is_one_each = known->is_one_each;
}

bool search_begin(struct search *search, const struct search_ask *ask, int part, int parts)
{
    const double likely[] = {[SEARCH_FITS] = verdict_fits, [SEARCH_TIGHT] = nextafter(verdict_no, 1), [SEARCH_ANY] = 0};
    search->ask = *ask;
    search_answer_begin(&search->answer);
    search->answer.is_complete = false;
    search->waiting = 0;
    search->rl = (struct search_rl){0};
    search->is_sorted = false;
    search->least_deviations = deviations_of(likely[ask->fit]);
    plan_resolve(&ask->space.plan, &search->given);
    search_excuses(ask, &search->excused);
    search->has_rounds = search->answer.is_one_each = feature_has_rounds(ask);
    if (search->has_rounds)
        feature_begin(&search->rounds, &search->ask);
    return KEY_OF(&ask->space.plan, plan, workload) != WORKLOAD_INFERENCE &&
           space_begin(&search->space, &search->ask.space, part, parts);
}

/* The next round over all layouts; false after the last. */
static bool begin_round(struct search *search)
{
    return search->has_rounds && feature_next(&search->rounds, &search->ask, &search->answer, &search->whole) &&
           space_begin(&search->space, &search->ask.space, 0, 1);
}

bool search_step(struct search *search, int blocks)
{
    for (int i = 0; i < blocks * BLOCK; i++) {
        if (!space_next(&search->space)) {
            settle(search, blocks > PLAY ? blocks / PLAY : 1);
            search->answer.is_complete = search->waiting == 0 && !begin_round(search);
            return !search->answer.is_complete;
        }
        look_at(search);
    }
    return true;
}

double search_share(const struct search *search)
{
    double share = 0, part = 1;
    for (int i = 0; i < SEARCH_PP; i++) {
        const struct space_level *level = &search->space.level[i];
        if (level->count == 0)
            break;
        part /= level->count;
        share += part * max(0, level->next - 1);
    }
    if (search->has_rounds)
        share = (search->rounds.count - 1 + share) / FEATURE_ROUNDS_MAX;
    return search->answer.is_complete ? 1 : share;
}

void search_merge(struct search_answer *into, const struct search_answer *other, const struct search_ask *ask)
{
    into->candidates += other->candidates;
    into->evaluated += other->evaluated;
    into->feasible += other->feasible;
    into->played += other->played;
    into->is_complete &= other->is_complete;
    for (int i = 0; i < LIMIT_COUNT; i++)
        into->excluded[i] += other->excluded[i];
    for (int i = 0; i < ask->conditions; i++) {
        into->tally[i].excluded += other->tally[i].excluded;
        into->tally[i].met += other->tally[i].met;
        into->tally[i].least = fmin(into->tally[i].least, other->tally[i].least);
        into->tally[i].most = fmax(into->tally[i].most, other->tally[i].most);
    }
    for (int i = 0; i < other->count; i++)
        insert_best(into, ask->top, &other->best[i]);
    for (int i = 0; i < other->front_count; i++)
        insert_front(into, &other->front[i]);
    if (other->has_nearest &&
        (!into->has_nearest || other->nearest.peak_device_bytes < into->nearest.peak_device_bytes ||
                               (other->nearest.peak_device_bytes == into->nearest.peak_device_bytes &&
                                space_compare(&other->nearest.layout, &into->nearest.layout) < 0)))
        into->nearest = other->nearest;
    into->has_nearest |= other->has_nearest;
}

void search_range(const struct search_condition *one, const struct search_tally *tally, char out[SEARCH_RANGE_MAX])
{
    struct plan plan;
    char least[PARAM_TEXT_MAX], most[PARAM_TEXT_MAX];
    out[0] = '\0';
    if (one->key == PARAM_COUNT || isnan(tally->least) || tally->met > 0)
        return;
    bool has_order = !param_rows[one->key].choices && param_rows[one->key].type != TYPE_BOOL,
         is_one = tally->least == tally->most;
    plan_clear(&plan);
    plan.value[one->key] = tally->least;
    param_print(&plan, one->key, least, sizeof least);
    plan.value[one->key] = tally->most;
    param_print(&plan, one->key, most, sizeof most);
    if (is_one)
        snprintf(out, SEARCH_RANGE_MAX, "%.40s is %.60s", param_rows[one->key].key, least);
    else if (has_order)
        snprintf(out, SEARCH_RANGE_MAX, "%.40s is %.30s to %.30s", param_rows[one->key].key, least, most);
}

bool search_takes(const struct search_ask *ask, const struct estimate *e)
{
    if (!e->is_computed || !e->is_modelled || e->diags.errors > 0)
        return false;
    double bytes = e->stage[e->peak_stage].device_bytes, headroom = e->symbols.usable * GIB - bytes,
           seconds = token_s(&e->plan, estimate_goodput(&e->plan, &e->symbols), estimate_pace(e)),
           probability = range_fit_probability(e);
    bool fits = ask->fit == SEARCH_ANY || probability >= verdict_fits ||
                (ask->fit == SEARCH_TIGHT && probability > verdict_no);
    return fits && !(bytes > ask->max_memory_bytes) && !(headroom < ask->headroom_bytes) &&
           !(seconds > ask->slowest_token_s * slack) && search_meets(ask, e);
}

bool search_result_of(const struct search_ask *ask, const struct space_layout *layout, const struct estimate *e,
                      struct search_result *out)
{
    const struct stage *fullest = &e->stage[e->peak_stage];
    double goodput = estimate_goodput(&e->plan, &e->symbols);
    *out = (struct search_result){
        .layout = *layout, .iteration_s = estimate_pace(e), .peak_device_bytes = fullest->device_bytes,
        .value = search_value(ask->objective, &e->plan, goodput, estimate_pace(e), fullest->device_bytes),
        .headroom_bytes = e->symbols.usable * GIB - fullest->device_bytes, .complexity = space_complexity(&e->plan)};
    return isfinite(out->value) && isfinite(out->iteration_s);
}

void search_plan(const struct search_ask *ask, const struct search_result *result, struct plan *out)
{
    space_plan(&ask->space, &result->layout, out);
}
