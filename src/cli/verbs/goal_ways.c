/* The ways to each goal: GPUs for a deadline, methods for a card, GPUs for users, sizes for GPUs, faster plans. */
#include "src/cli/verbs/goal.h"

#include "core/base.h"
#include "core/plan/framework.h"
#include "core/plan/param.h"
#include "core/search/advice.h"
#include "core/search/diff_text.h"
#include "core/search/search.h"
#include "src/cli/threads.h"
#include "src/cli/verbs/search_serving.h"
#include "src/plan/preset.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char program[] = "shardtop";

/* "$1.41M" */
static void say_money(char text[GOAL_TEXT_MAX], double dollars)
{
    if (isfinite(dollars))
        goal_say(text, dollars >= 1e6 ? ", $%.2fM" : dollars >= 1e3 ? ", $%.1fk" : ", $%.0f",
                 dollars >= 1e6 ? dollars / 1e6 : dollars >= 1e3 ? dollars / 1e3 : dollars);
}

/* The best layout of a plan by time; false where none fits. */
static bool best_layout(const struct plan *plan, struct search_answer *answer, struct plan *out)
{
    struct search_ask ask;
    search_ask_about(plan, &ask);
    ask.top = 1;
    threads_search(&ask, threads_here(), answer);
    if (answer->count > 0)
        search_plan(&ask, &answer->best[0], out);
    return answer->count > 0;
}

/* ---- train by a date --------------------------------------------------------------------------------------------- */

/* Numbers of nodes that batches, layers and heads divide into. */
static const int nice_nodes[] = {1,  2,  3,  4,  5,  6,  7,  8,   9,   10,  12,  14,  16,  18,  20,  24,  28,  32,
                                 36, 40, 48, 56, 64, 72, 80, 96,  112, 128, 144, 160, 192, 224, 256, 288, 320, 384,
                                 448, 512, 576, 640, 768, 896, 1024, 1280, 1536, 1792, 2048, 2560, 3072, 4096};

/* Nodes at a usual efficiency; with less memory than states take, as many as hold those. */
static double likely_nodes(const struct goal *goal)
{
    const double usual_mfu = 0.42, states_bytes = 18, operations = 6; /* a parameter: bytes; FLOP of a token */
    const struct estimate *e = goal->e;
    double node = KEY_OF(&e->plan, hardware, gpus_per_node);
    double speed = usual_mfu * e->symbols.peak * 1e12 * node;
    double days = isfinite(goal->days) ? goal->days : 30;
    double needed = operations * e->totals.active * KEY_OF(&e->plan, train, total_tokens) / (speed * days * 86400);
    return fmax(needed, states_bytes * e->totals.total / (e->symbols.usable_bytes * node));
}

static void judge_deadline(const struct goal *goal, struct goal_way *way)
{
    struct time_range range;
    range_time(goal->e, &range);
    double fits = way->probability, in_time = way->days <= goal->days;
    if (range.sigma > 0) {
        const double of_eight = 1.2816; /* standard deviations that 8 in 10 runs keep */
        in_time = normal(log(goal->days / way->days) / range.sigma);
        way->low_days = way->days * exp(-of_eight * range.sigma);
        way->high_days = way->days * exp(of_eight * range.sigma);
    }
    way->probability = isnan(goal->days) ? fits : fmin(fits, in_time);
    double nodes = KEY_OF(&goal->e->plan, hardware, nodes);
    goal_say(way->text, "%.0f GPU%s, %.0f node%s: %.1f days", way->gpus, way->gpus == 1 ? "" : "s", nodes,
             nodes == 1 ? "" : "s", way->days);
    say_money(way->text, way->cost);
    goal_say(way->text, ", MFU %.1f %%", 100 * way->mfu);
    *way->why_not = '\0';
    if (!(fits >= goal->sure))
        goal_say(way->why_not, "fits in %.0f of 100 runs", 100 * fits);
    else if (isfinite(goal->days) && !(way->probability >= goal->sure) && way->probability > 1 - goal->sure)
        goal_say(way->why_not, "a coin toss: in time in %.0f of 100 runs", 100 * way->probability);
    else if (isfinite(goal->days) && !(way->probability >= goal->sure))
        goal_say(way->why_not, "%.1f days late", way->days - goal->days);
}

static void prepare_training(struct goal *goal)
{
    const double batch_tokens = 4194304; /* of a step, as Llama 2 has (arXiv 2307.09288, section 2.2) */
    if (isfinite(goal->tokens))
        param_set(&goal->base, PARAM_train_total_tokens, goal->tokens);
    if (isfinite(goal->context))
        param_set(&goal->base, PARAM_train_seq_length, goal->context);
    estimate_plan(&goal->base, goal->e);
    goal->is_assumed = param_blank(&goal->e->plan, PARAM_train_total_tokens) && goal->e->totals.active > 0;
    if (goal->is_assumed)
        param_set(&goal->base, PARAM_train_total_tokens, round(20 * goal->e->totals.active)); /* arXiv 2203.15556 */
    if (goal->e->plan.from[PARAM_train_global_batch_size] <= FROM_DERIVED)
        param_set(&goal->base, PARAM_train_global_batch_size,
                  fmax(1, round(batch_tokens / KEY_OF(&goal->e->plan, train, seq_length))));
    estimate_plan(&goal->base, goal->e);
}

static void look_at_nodes(struct goal *goal, double nodes, struct search_answer *scratch)
{
    struct plan plan = goal->base, best;
    if (!goal->has_gpus)
        param_set(&plan, PARAM_hardware_nodes, nodes);
    param_set(&plan, PARAM_parallel_dp, 0);
    struct goal_way *way = best_layout(&plan, scratch, &best) ? goal_look(goal, &best) : NULL;
    if (way)
        judge_deadline(goal, way);
}

/* The fewest GPUs that hold; without a deadline the cheapest. */
static void choose_training(struct goal *goal)
{
    for (int i = 0; i < goal->ways; i++) {
        const struct goal_way *way = &goal->way[i], *best = goal->answer >= 0 ? &goal->way[goal->answer] : NULL;
        bool is_better = !best || (isnan(goal->days) ? way->cost < best->cost : way->gpus < best->gpus);
        if (!*way->why_not && is_better)
            goal->answer = i;
    }
    if (goal->answer < 0) {
        goal_say(goal->text, goal->ways ? "Nothing ends within %.3g days" : "No layout fits", goal->days);
        return;
    }
    const struct goal_way *way = &goal->way[goal->answer];
    char keys[160];
    goal_keys(goal, way, keys, sizeof keys);
    goal_say(goal->text, "%s; %s", way->text, keys);
    if (goal->is_assumed)
        goal_say(goal->text, "; %.3gT tokens assumed, 20 a parameter",
                 KEY_OF(&goal->base, train, total_tokens) / 1e12);
}

/* Looks at numbers of nodes around the likely one, or at those that are given. */
static void look_around(struct goal *goal, struct search_answer *scratch)
{
    enum { COUNTS_MAX = 10 };
    double likely = likely_nodes(goal);
    int looked = 0;
    if (goal->has_gpus)
        look_at_nodes(goal, NAN, scratch);
    for (size_t i = 0; i < LENGTH(nice_nodes) && !goal->has_gpus && looked < COUNTS_MAX; i++)
        if (nice_nodes[i] >= 0.6 * likely && nice_nodes[i] <= fmax(2.2 * likely, 2)) {
            look_at_nodes(goal, nice_nodes[i], scratch);
            looked++;
        }
    choose_training(goal);
}

/* Doubles the default batch so that more GPUs can share it, up to 16M tokens (arXiv 2407.21783, section 3.4.1). */
static bool enlarge_batch(struct goal *goal, double given)
{
    const double most_tokens = 16777216;
    double batch = 2 * KEY_OF(&goal->e->plan, train, global_batch_size);
    if (goal->answer >= 0 || goal->ways == 0 || goal->has_gpus || isfinite(given) || isnan(goal->days) ||
        batch * KEY_OF(&goal->e->plan, train, seq_length) > most_tokens)
        return false;
    param_set(&goal->base, PARAM_train_global_batch_size, batch);
    estimate_plan(&goal->base, goal->e);
    goal->ways = 0;
    goal->text[0] = '\0';
    return true;
}

int goal_train(struct goal *goal, struct errors *errors)
{
    double batch = goal->base.from[PARAM_train_global_batch_size] >= FROM_FILE
                       ? KEY_OF(&goal->base, train, global_batch_size)
                       : NAN;
    prepare_training(goal);
    if (param_blank(&goal->e->plan, PARAM_train_total_tokens) || !(goal->e->totals.total > 0) ||
        !(goal->e->symbols.peak > 0)) {
        errors_add(errors, program, 0, "goal", "train needs a model, a GPU and --tokens, as in shardtop goal train "
                                               "--model llama3-70b --tokens 1.5T --days 30");
        return -1;
    }
    struct search_answer *scratch = xmalloc(sizeof *scratch);
    int times = 1;
    look_around(goal, scratch);
    for (; enlarge_batch(goal, batch); times *= 2)
        look_around(goal, scratch);
    free(scratch);
    if (times > 1 && goal->answer >= 0)
        goal_say(goal->text, ", global_batch_size %.0f", KEY_OF(&goal->base, train, global_batch_size));
    return 0;
}

/* ---- fine-tune on a card ----------------------------------------------------------------------------------------- */

static void prepare_tuning(struct goal *goal)
{
    const struct plan *base = &goal->base;
    if (base->from[PARAM_framework_name] <= FROM_DERIVED)
        param_set(&goal->base, PARAM_framework_name, FRAMEWORK_HF_TRAINER);
    if (!goal->has_gpus && base->from[PARAM_hardware_gpus_per_node] < FROM_FILE) {
        param_set(&goal->base, PARAM_hardware_gpus_per_node, 1);
        param_set(&goal->base, PARAM_hardware_nodes, 1);
    }
    if (isfinite(goal->context) || base->from[PARAM_train_seq_length] < FROM_FILE)
        param_set(&goal->base, PARAM_train_seq_length, isfinite(goal->context) ? goal->context : 4096);
    if (base->from[PARAM_train_global_batch_size] < FROM_FILE)
        param_set(&goal->base, PARAM_train_global_batch_size, 16);
    if (isfinite(goal->tokens))
        param_set(&goal->base, PARAM_train_total_tokens, goal->tokens);
}

/* "QLoRA, full recompute, 1,024 tokens: 14.4 of 23.6 GiB, 1,388 tokens/s" */
static void say_tuning(const struct goal *goal, struct goal_way *way)
{
    static const char *const names[] = {[PEFT_NONE] = "all weights", [PEFT_LORA] = "LoRA", [PEFT_QLORA] = "QLoRA",
                                        [PEFT_DORA] = "DoRA"};
    const struct plan *plan = &goal->e->plan;
    int method = (int)KEY_OF(plan, train, peft);
    goal_say(way->text, "%s", method < (int)LENGTH(names) ? names[method] : "adapters");
    if (KEY_OF(plan, train, recompute) == RECOMPUTE_FULL)
        goal_say(way->text, ", full recompute");
    if (KEY_OF(plan, parallel, fsdp) == FSDP_FULL)
        goal_say(way->text, ", sharded");
    goal_say(way->text, ", %.0f tokens", KEY_OF(plan, train, seq_length));
    if (isfinite(way->headroom_bytes))
        goal_say(way->text, ": %.1f of %.1f GiB", way->device_bytes / GIB, goal->e->usable_bytes / GIB);
    if (isfinite(way->tokens_per_s))
        goal_say(way->text, ", %.0f tokens/s", way->tokens_per_s);
}

/* What a way gives up: the sequence first, then the method. */
static double loss_of(const struct goal *goal, const struct goal_way *way)
{
    struct plan resolved;
    plan_resolve(&way->plan, &resolved);
    double method = KEY_OF(&resolved, train, peft) == PEFT_NONE ? 3 : KEY_OF(&resolved, train, peft) == PEFT_QLORA;
    double length = KEY_OF(&goal->base, train, seq_length) / KEY_OF(&resolved, train, seq_length);
    return 10 * log2(length) + method;
}

static void choose_tuning(struct goal *goal)
{
    double least = INFINITY;
    for (int i = 0; i < goal->ways; i++) {
        const struct goal_way *way = &goal->way[i];
        double loss = loss_of(goal, way);
        bool is_faster = goal->answer >= 0 && way->tokens_per_s > goal->way[goal->answer].tokens_per_s;
        if (*way->why_not || loss > least || (loss == least && !is_faster))
            continue;
        goal->answer = i;
        least = loss;
    }
}

/* Adapters, those on a quantised base, and all weights, each with and without recomputation, alone and sharded. */
static void look_at_methods(struct goal *goal, double length)
{
    static const int ways[][2] = {{PEFT_LORA, RECOMPUTE_NONE}, {PEFT_LORA, RECOMPUTE_FULL},
                                  {PEFT_QLORA, RECOMPUTE_NONE}, {PEFT_QLORA, RECOMPUTE_FULL},
                                  {PEFT_NONE, RECOMPUTE_NONE}, {PEFT_NONE, RECOMPUTE_FULL}};
    bool is_given = goal->base.from[PARAM_train_peft] >= FROM_FILE;
    double given = KEY_OF(&goal->base, train, peft);
    for (size_t i = 0; i < 2 * LENGTH(ways); i++) {
        const int *way = ways[i / 2];
        struct plan plan = goal->base;
        if (is_given && given != way[0] && way[0] != PEFT_QLORA)
            continue;
        param_set(&plan, PARAM_train_peft, way[0]);
        param_set(&plan, PARAM_train_recompute, way[1]);
        param_set(&plan, PARAM_train_seq_length, length);
        if (i % 2)
            param_set(&plan, PARAM_parallel_fsdp, FSDP_FULL);
        if (i % 2 && !(goal->e->symbols.world > 1))
            continue;
        struct goal_way *looked = goal_look(goal, &plan);
        if (looked)
            say_tuning(goal, looked);
    }
}

/* The same with other cards, so that one that fits is seen. */
static void look_at_cards(struct goal *goal)
{
    static const char *const cards[] = {"rtx-4090", "rtx-a6000", "l40s", "a100-sxm-80", "h100-sxm-80", "h200-sxm"};
    const struct place place = {.file = program};
    for (size_t i = 0; i < LENGTH(cards); i++) {
        struct plan plan = goal->base;
        struct errors ignored = {0};
        bool is_other = strcmp(plan.text[TEXT_GPU], cards[i]) != 0 &&
                        preset_apply(&plan, PARAM_hardware_gpu, cards[i], FROM_SET, &place, &ignored) == 0;
        errors_free(&ignored);
        if (!is_other)
            continue;
        param_set(&plan, PARAM_train_peft, PEFT_LORA);
        struct goal_way *way = goal_look(goal, &plan);
        if (!way)
            return;
        goal_say(way->text, "%s: ", cards[i]);
        say_tuning(goal, way);
        if (!*way->why_not)
            goal_say(way->why_not, "another card");
    }
}

/* The way that is least over. */
static const struct goal_way *nearest_way(const struct goal *goal)
{
    const struct goal_way *best = &goal->way[0];
    for (int i = 1; i < goal->ways; i++)
        if (!(best->headroom_bytes >= goal->way[i].headroom_bytes) && isfinite(goal->way[i].headroom_bytes))
            best = &goal->way[i];
    return best;
}

int goal_tune(struct goal *goal, struct errors *errors)
{
    (void)errors;
    prepare_tuning(goal);
    double length = KEY_OF(&goal->base, train, seq_length);
    for (int shorter = 1; shorter <= 8 && length / shorter >= 128 && goal->answer < 0; shorter *= 2) {
        look_at_methods(goal, length / shorter);
        choose_tuning(goal);
    }
    const struct goal_way *way = goal->answer < 0 ? nearest_way(goal) : &goal->way[goal->answer];
    goal_say(goal->text, "%s%s", goal->answer < 0 ? "Nothing fits for sure on this card; closest: " : "", way->text);
    look_at_cards(goal);
    return 0;
}

/* ---- serve users ------------------------------------------------------------------------------------------------- */

static bool is_quantised(const struct goal *goal, const struct goal_way *way)
{
    return KEY_OF(&way->plan, serve, weight_dtype) == WEIGHT_FP8 &&
           KEY_OF(&goal->base, serve, weight_dtype) != WEIGHT_FP8;
}

/* "4 GPUs: tp 2 fp8 x 2 replicas, 16 users each: 7.1 ms a token, first in 0.04 s, 58.7 GiB free" */
static void judge_serving(const struct goal *goal, const struct load *load, struct goal_way *way)
{
    const struct estimate *e = goal->e;
    way->per_token_s = load->per_token_s;
    way->first_token_s = load->first_s;
    const double *key = e->plan.value;
    goal_say(way->text, "%.0f GPU%s: tp %.0f", way->gpus, way->gpus > 1 ? "s" : "", e->symbols.t);
    if (e->symbols.p > 1)
        goal_say(way->text, ", pp %.0f", e->symbols.p);
    if (key[PARAM_parallel_ep] > 1)
        goal_say(way->text, ", ep %.0f", key[PARAM_parallel_ep]);
    if (is_quantised(goal, way))
        goal_say(way->text, " fp8");
    if (e->symbols.d > 1)
        goal_say(way->text, " x %.0f replicas", e->symbols.d);
    if (isnan(way->per_token_s)) {
        goal_say(way->text, ", no user"); /* the weights alone are too large */
        return;
    }
    double users = load->batch, token_ms = way->per_token_s * 1e3,
           late_ms = way->first_token_s * 1e3 - key[PARAM_serve_max_first_token_ms];
    goal_say(way->text, ", %.0f user%s each: %.1f ms a token, first in %.2f s, %.1f GiB free", users,
             users > 1 ? "s" : "", token_ms, way->first_token_s, way->headroom_bytes / GIB);
    if (*way->why_not)
        return;
    if (users > key[PARAM_serve_max_num_seqs])
        goal_say(way->why_not, "more than max_num_seqs %.0f", key[PARAM_serve_max_num_seqs]);
    else if (key[PARAM_serve_max_per_token_ms] > 0 && token_ms > key[PARAM_serve_max_per_token_ms])
        goal_say(way->why_not, "%.1f ms too slow", token_ms - key[PARAM_serve_max_per_token_ms]);
    else if (key[PARAM_serve_max_first_token_ms] > 0 && late_ms > 0)
        goal_say(way->why_not, "first token %.2f s late", late_ms / 1e3);
}

static void look_at_server(struct goal *goal, const struct server_layout *layout)
{
    struct goal_way *way = goal_look(goal, &layout->plan);
    if (way)
        judge_serving(goal, &layout->load, way);
}

/* The search puts the fewest GPUs first, then the fastest; here unquantised weights come first. */
static void choose_serving(struct goal *goal)
{
    for (int i = 0; i < goal->ways; i++) {
        const struct goal_way *way = &goal->way[i], *best = goal->answer >= 0 ? &goal->way[goal->answer] : NULL;
        bool is_plainer = best && way->gpus == best->gpus && is_quantised(goal, way) < is_quantised(goal, best);
        if (!*way->why_not && (!best || is_plainer))
            goal->answer = i;
    }
    goal_say(goal->text, "%s", goal->answer >= 0 ? goal->way[goal->answer].text : "Nothing serves them within this");
}

/* The goal's figures as keys; requests have the goal's length, else the plan's, so that the search limits them. */
static void prepare_serving(struct goal *goal)
{
    struct plan *base = &goal->base;
    param_set(base, PARAM_plan_workload, WORKLOAD_INFERENCE);
    if (isfinite(goal->ms_per_token))
        param_set(base, PARAM_serve_max_per_token_ms, goal->ms_per_token);
    if (isfinite(goal->first_token))
        param_set(base, PARAM_serve_max_first_token_ms, goal->first_token * 1e3);
    estimate_plan(base, goal->e);
    param_set(base, PARAM_serve_prompt_tokens, isfinite(goal->context) ? goal->context : goal->e->serving.prompt);
    estimate_plan(base, goal->e);
}

int goal_serve(struct goal *goal, struct errors *errors)
{
    prepare_serving(goal);
    if (!(goal->e->totals.total > 0) || isnan(goal->e->usable_bytes)) {
        errors_add(errors, program, 0, "goal", "serve needs a model and a GPU, as in shardtop goal serve --model "
                                               "llama3-70b --users 200 --ms-per-token 50");
        return -1;
    }
    struct search_ask *ask = xmalloc(sizeof *ask);
    struct servers *found = xmalloc(sizeof *found);
    search_ask_about(&goal->base, ask);
    ask->objective = goal->has_gpus ? SEARCH_TIME : SEARCH_GPUS;
    ask->top = goal->cli->top ? goal->cli->top : GOAL_TOP;
    bool is_asked = servers_find(&(struct servers_ask){.ask = ask, .users = goal->users}, found, errors);
    if (is_asked && found->has_nearest)
        look_at_server(goal, &found->nearest);
    for (int i = 0; is_asked && i < found->count; i++)
        look_at_server(goal, &found->best[i]);
    choose_serving(goal);
    free(found);
    free(ask);
    return is_asked ? 0 : -1;
}

/* ---- the largest that fits --------------------------------------------------------------------------------------- */

struct sized {
    const char *name;
    double parameters;
};

static int by_size(const void *a, const void *b)
{
    double x = ((const struct sized *)a)->parameters, y = ((const struct sized *)b)->parameters;
    return (x < y) - (x > y);
}

static bool with_model(const struct plan *base, const char *name, struct plan *out)
{
    const struct place place = {.file = program};
    struct errors ignored = {0};
    *out = *base;
    bool is_done = preset_apply(out, PARAM_model_name, name, FROM_SET, &place, &ignored) == 0;
    errors_free(&ignored);
    return is_done;
}

/* Whether the states fit in all memory, and all GPUs at their peak are in time; else no layout need be tried. */
static bool may_hold(const struct goal *goal)
{
    const double least_bytes = 14; /* of a trained parameter: weight, gradient, fp32 weight, moments */
    const struct estimate *e = goal->e;
    double days = 6 * e->totals.active * KEY_OF(&e->plan, train, total_tokens) /
                  (e->symbols.peak * 1e12 * e->symbols.world * 86400);
    return least_bytes * e->totals.total <= e->usable_bytes * e->symbols.world && !(days > goal->days);
}

static void look_at_model(struct goal *goal, const struct sized *model, struct search_answer *scratch)
{
    struct plan best;
    struct goal_way *way = best_layout(&goal->base, scratch, &best) ? goal_look(goal, &best) : NULL;
    if (!way)
        return;
    goal_say(way->text, "%s: %.1fB parameters, ", model->name, model->parameters / 1e9);
    if (isfinite(goal->tokens) || isfinite(goal->days))
        judge_deadline(goal, way);
    else
        goal_say(way->text, "%.1f s an iteration, %.1f GiB free", way->iteration_s, way->headroom_bytes / GIB);
    if (way->days > goal->days)
        goal->ways--;
    else if (goal->answer < 0 && !*way->why_not)
        goal->answer = goal->ways - 1;
}

/* Of all models the largest that some layout holds, and trains in time where a time is given. */
static void look_at_models(struct goal *goal, struct search_answer *scratch)
{
    enum { MODELS_MAX = 256, SHOWN = 6 };
    const struct plan base = goal->base;
    struct sized models[MODELS_MAX];
    const char *const *names;
    size_t count = preset_names(PRESET_MODEL, &names), sized = 0;
    for (size_t i = 0; i < count && sized < MODELS_MAX; i++)
        if (with_model(&base, names[i], &goal->base)) {
            estimate_plan(&goal->base, goal->e);
            models[sized++] = (struct sized){names[i], goal->e->totals.total};
        }
    qsort(models, sized, sizeof *models, by_size);
    for (size_t i = 0; i < sized && goal->ways < SHOWN; i++) {
        with_model(&base, models[i].name, &goal->base);
        if (isfinite(goal->tokens) || isfinite(goal->days))
            prepare_training(goal);
        else
            estimate_plan(&goal->base, goal->e);
        if (may_hold(goal))
            look_at_model(goal, &models[i], scratch);
    }
    if (goal->answer < 0)
        goal_say(goal->text, "No model %s", isnan(goal->days) ? "fits on these GPUs" : "trains on these GPUs in time");
    else
        goal_say(goal->text, "%s%s", goal->way[goal->answer].text,
                 goal->is_assumed ? "; 20 tokens a parameter assumed" : "");
}

/* How far each key can grow in the best layout. */
static void look_at_rooms(struct goal *goal, const struct plan *plan)
{
    enum { AT_ONCE = 1000 };
    struct advice *advice = xmalloc(sizeof *advice);
    advice_begin(advice, plan);
    while (advice_step(advice, goal->e, AT_ONCE))
        ;
    for (int i = 0; i < advice->rooms; i++) {
        const struct room *room = &advice->room[i];
        struct plan larger = *plan;
        if (!isfinite(room->fits) || room->fits < room->now)
            continue;
        param_set(&larger, room->key, room->fits);
        if (room->key == PARAM_model_num_layers)
            param_clear(&larger, PARAM_parallel_pipeline_layout);
        struct goal_way *way = goal_look(goal, &larger);
        if (!way)
            continue;
        goal_say(way->text, "%s %.0f (now %.0f)", param_rows[room->key].key, room->fits, room->now);
        if (goal->answer < 0 && !*way->why_not && room->key == PARAM_train_seq_length)
            goal->answer = goal->ways - 1;
        goal_say(goal->text, "%s%s", *goal->text ? "; " : "", way->text);
    }
    free(advice);
}

int goal_size(struct goal *goal, struct errors *errors)
{
    if (goal->has_model && (isfinite(goal->tokens) || isfinite(goal->days))) {
        errors_add(errors, program, 0, isfinite(goal->days) ? "--days" : "--tokens",
                   "goal size uses it only without --model; use goal train, or remove --model");
        return -1;
    }
    struct search_answer *scratch = xmalloc(sizeof *scratch);
    struct plan best;
    if (isfinite(goal->context))
        param_set(&goal->base, PARAM_train_seq_length, goal->context);
    estimate_plan(&goal->base, goal->e);
    if (!goal->has_model) {
        look_at_models(goal, scratch);
    } else if (goal->e->fits) {
        look_at_rooms(goal, &goal->base);
    } else if (best_layout(&goal->base, scratch, &best)) {
        look_at_rooms(goal, &best);
    }
    free(scratch);
    for (int i = 0; i < goal->ways && goal->answer < 0; i++)
        goal->answer = *goal->way[i].why_not ? -1 : i;
    if (!*goal->text)
        goal_say(goal->text, "Nothing larger fits on these GPUs");
    return 0;
}

/* ---- make it faster ---------------------------------------------------------------------------------------------- */

static void look_faster(struct goal *goal, const struct estimate *now, const struct plan *plan, const char *kind)
{
    char why[DIFF_TEXT_MAX];
    struct goal_way *way = goal_look(goal, plan);
    if (!way)
        return;
    diff_text(now, goal->e, why);
    goal_say(way->text, "%s%.280s", kind, why);
    if (!*way->why_not && !(way->iteration_s < 0.995 * estimate_pace(now)))
        goal_say(way->why_not, "not faster");
}

static void choose_fastest(struct goal *goal, const struct estimate *now)
{
    for (int i = 0; i < goal->ways; i++)
        if (!*goal->way[i].why_not &&
            (goal->answer < 0 || goal->way[i].iteration_s < goal->way[goal->answer].iteration_s))
            goal->answer = i;
    if (goal->answer < 0)
        goal_say(goal->text, "No change tried is faster than %.2f s", estimate_pace(now));
    else
        goal_say(goal->text, "%s", goal->way[goal->answer].text);
}

int goal_faster(struct goal *goal, struct errors *errors)
{
    enum { AT_ONCE = 1000, ROWS = 8 };
    struct advice *advice = xmalloc(sizeof *advice);
    struct estimate *now = xmalloc(sizeof *now);
    struct search_answer *scratch = xmalloc(sizeof *scratch);
    struct plan plan;
    (void)errors;
    estimate_plan(&goal->base, now);
    advice_begin(advice, &goal->base);
    while (advice_step(advice, goal->e, AT_ONCE))
        ;
    if (best_layout(&goal->base, scratch, &plan))
        look_faster(goal, now, &plan, "best of all: ");
    for (int i = 0, rows = 0; i < advice->rows && rows < ROWS; i++) {
        const struct advice_row *row = &advice->row[i];
        bool is_tried = row->group == CHANGE_LAYOUT && row->figures.iteration_s < advice->now.iteration_s;
        if (!is_tried)
            continue;
        advice_plan(advice, &row->change, 1, &plan);
        look_faster(goal, now, &plan, "");
        rows++;
    }
    choose_fastest(goal, now);
    free(scratch);
    free(now);
    free(advice);
    return 0;
}
