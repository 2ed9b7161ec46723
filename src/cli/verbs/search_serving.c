#include "src/cli/verbs/search_serving.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "core/plan/step.h"
#include "src/plan/preset.h"
#include "src/text/errors.h"
#include "src/text/progress.h"
#include "src/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char program[] = "shardtop";

enum { VALUES_MAX = 96, AXES_MAX = 12, GPUS_MAX = 1024 };

/* serve.max_num_seqs: the requests under way on a replica. */
enum { UNDER_WAY = 0 };

/* A key and the values that are tried. Of hardware.gpu they number `device`, of hardware.nodes they count GPUs. */
struct axis {
    enum param key;
    int count;
    double value[VALUES_MAX];
};

struct search_of {
    const struct search_ask *ask;
    struct servers *found; /* the caller's */
    struct plan base, now;
    struct estimate *e;
    char *device[VALUES_MAX];
    int axes;
    struct axis axis[AXES_MAX]; /* serve.max_num_seqs last: of its values the best counts */
    bool has_pending;
    struct server_layout pending;
    double nearest; /* by how much the nearest misses */
};

/* ---- what may change --------------------------------------------------------------------------------------------- */

static bool is_given(const struct plan *plan, enum param key)
{
    return plan->from[key] > FROM_PRESET;
}

/* Whether somebody gave the number of GPUs, or of replicas. */
static bool has_gpus(const struct plan *plan)
{
    return is_given(plan, PARAM_hardware_nodes) || is_given(plan, PARAM_hardware_gpus_per_node) ||
           is_given(plan, PARAM_parallel_dp);
}

static struct axis *axis_of(struct search_of *s, enum param key)
{
    for (int i = 0; i < s->axes; i++)
        if (s->axis[i].key == key)
            return &s->axis[i];
    return NULL;
}

static struct axis *add_axis(struct search_of *s, enum param key)
{
    struct axis *axis = axis_of(s, key);
    if (axis || s->axes == AXES_MAX)
        return axis;
    s->axis[s->axes] = (struct axis){.key = key};
    return &s->axis[s->axes++];
}

static void add_value(struct axis *axis, double value)
{
    for (int i = 0; i < axis->count; i++)
        if (axis->value[i] == value)
            return;
    if (axis->count < VALUES_MAX)
        axis->value[axis->count++] = value;
}

/* All degrees up to `most`; those that do not divide the GPUs and the model are dropped later. */
static void add_degrees(struct axis *axis, double most)
{
    for (double value = 1; value <= most; value++)
        add_value(axis, value);
}

static double node_of(const struct plan *plan)
{
    double own = plan->gpu.gpus_per_node;
    return own > 1 ? own : fmax(8, KEY_OF(plan, hardware, gpus_per_node));
}

static double gpus_of(const struct plan *plan)
{
    return KEY_OF(plan, hardware, nodes) * KEY_OF(plan, hardware, gpus_per_node);
}

/* The plan's GPUs, those of --nodes, or one to sixteen nodes if their number is the question. */
static void add_counts(struct search_of *s)
{
    enum { NODES = 16 };
    const struct space_values *nodes = &s->ask->space.values[SEARCH_NODES];
    bool is_open = s->ask->objective == SEARCH_GPUS || s->ask->objective == SEARCH_COST;
    struct axis *axis = add_axis(s, PARAM_hardware_nodes);
    for (int i = 0; i < nodes->count && s->ask->space.free & 1u << SEARCH_NODES; i++)
        add_value(axis, nodes->value[i] * KEY_OF(&s->now, hardware, gpus_per_node));
    double node = axis->count == 0 && is_open ? node_of(&s->now) : 0;
    add_degrees(axis, fmin(node, VALUES_MAX));
    for (int count = 2; count <= NODES && node > 0; count++)
        add_value(axis, count * node);
    if (axis->count == 0)
        add_value(axis, gpus_of(&s->now));
}

/* 8-bit weights are quantised at the start where the GPU computes in 8 bits: no checkpoint of their own is needed. */
static void add_types(struct search_of *s)
{
    struct axis *axis = add_axis(s, PARAM_serve_weight_dtype);
    double type = KEY_OF(&s->now, serve, weight_dtype);
    add_value(axis, type);
    if (!is_given(&s->now, PARAM_serve_weight_dtype) && (type == WEIGHT_BF16 || type == WEIGHT_FP16) &&
        isfinite(s->now.gpu.tflops_fp8))
        add_value(axis, WEIGHT_FP8);
}

static void add_axes(struct search_of *s)
{
    static const double sequences[] = {32, 64, 128, 256, 512, 1024, UNDER_WAY};
    struct axis *axis = add_axis(s, PARAM_hardware_gpu);
    add_value(axis, -1);
    add_counts(s);
    add_degrees(add_axis(s, PARAM_parallel_tp), 16);
    add_degrees(add_axis(s, PARAM_parallel_pp), 8);
    axis = add_axis(s, PARAM_parallel_ep);
    add_value(axis, 0);
    if (KEY_OF(&s->now, model, num_experts) > 0)
        add_value(axis, 1);
    add_types(s);
    axis = add_axis(s, PARAM_serve_max_num_seqs);
    add_value(axis, KEY_OF(&s->now, serve, max_num_seqs));
    for (size_t i = 0; i < LENGTH(sequences); i++)
        add_value(axis, sequences[i]);
}

/* ---- --values, --free and --keep --------------------------------------------------------------------------------- */

static int key_named(const char *name, const char *option, struct errors *errors)
{
    int key = param_names_gpus(name) ? PARAM_hardware_nodes : param_find_alias(name);
    if (key < 0)
        errors_add(errors, program, 0, option, "unknown key '%.40s'; see shardtop list keys", name);
    return key;
}

static void take_value(struct search_of *s, struct axis *axis, const char *word, struct errors *errors)
{
    const struct place place = {.file = program, .key = "--values"};
    struct plan plan = s->base;
    char why[PARAM_WHY_MAX];
    int at = axis->count;
    if (at == VALUES_MAX)
        errors_add(errors, program, 0, "--values", "takes at most %d values of a key", VALUES_MAX);
    else if (axis->key == PARAM_hardware_gpu) {
        s->device[at] = xstrdup(word);
        axis->value[axis->count++] = at;
        preset_apply(&plan, PARAM_hardware_gpu, word, FROM_SET, &place, errors);
    } else if (axis->key == PARAM_hardware_nodes ? param_set_gpus(&plan, word, (double)NAN, why) != 0
                                                 : param_parse(&plan, axis->key, word, FROM_SET, false, why) != 0)
        errors_add(errors, program, 0, "--values", "%s", why);
    else
        add_value(axis, axis->key == PARAM_hardware_nodes ? gpus_of(&plan) : plan.value[axis->key]);
}

/* A key that has no axis yet gets one before the last, whose best value counts. */
static struct axis *own_axis(struct search_of *s, enum param key)
{
    struct axis *axis = axis_of(s, key);
    if (axis || s->axes == AXES_MAX)
        return axis;
    s->axis[s->axes] = s->axis[s->axes - 1];
    s->axis[s->axes - 1] = (struct axis){.key = key};
    return &s->axis[s->axes++ - 1];
}

static void take_values(struct search_of *s, const struct keyval *given, struct errors *errors)
{
    int key = key_named(given->key, "--values", errors);
    struct axis *axis = key < 0 ? NULL : own_axis(s, (enum param)key);
    char word[64];
    if (!axis)
        return;
    axis->count = 0;
    for (const char *at = given->value; *at;) {
        size_t n = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        take_value(s, axis, word, errors);
        at += n + (at[n] == ',');
    }
}

/* Keys of --free: all that they may be besides; of --keep: as they are. */
static void take_keys(struct search_of *s, const char *list, bool is_kept, struct errors *errors)
{
    char word[64];
    for (const char *at = list ? list : ""; *at;) {
        size_t n = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)(n - (*at == '+')), at + (*at == '+'));
        at += n + (at[n] == ',');
        if (!is_kept && strcmp(word, "features") == 0) /* of a framework that trains */
            continue;
        int key = key_named(word, is_kept ? "--keep" : "--free", errors);
        struct axis *axis = key < 0 ? NULL : own_axis(s, (enum param)key);
        if (!axis)
            continue;
        bool is_new = axis->count == 0;
        if (is_kept)
            axis->count = 0;
        if (is_kept || is_new)
            add_value(axis, key == PARAM_hardware_gpu ? -1 : key == PARAM_hardware_nodes ? gpus_of(&s->now)
                            : key == PARAM_parallel_ep ? KEY_OF(&s->now, parallel, ep) > 1 : s->now.value[key]);
        double valid[VALUES_MAX];
        int count = is_new && !is_kept ? param_valid(&s->base, (enum param)key, valid, VALUES_MAX) : 0;
        for (int i = 0; i < count; i++)
            add_value(axis, valid[i]);
    }
}

/* ---- one layout -------------------------------------------------------------------------------------------------- */

/* By how much a layout misses the limits: memory first, then latency. */
static void note_nearest(struct search_of *s, enum server_limit limit, const struct server_layout *layout)
{
    double misses = limit <= SERVER_MEMORY ? 1e6 + fmax(0, -layout->headroom_bytes) / GIB
                                           : layout->load.first_s + 100 * layout->load.per_token_s;
    s->found->excluded[limit]++;
    if (s->found->feasible == 0 && isfinite(misses) && !(misses >= s->nearest)) {
        s->nearest = misses;
        s->found->nearest = *layout;
        s->found->has_nearest = true;
    }
}

static void find_load(const struct search_of *s, struct load *out)
{
    if (isfinite(s->found->rate))
        load_at_rate(s->e, out);
    else if (isfinite(s->found->users))
        load_at(s->e, KEY_OF(&s->e->plan, serve, batch_size), out);
    else
        load_within_limits(s->e, out);
}

/* The first limit that rules a layout out; SERVER_LIMITS for none. */
static enum server_limit limit_of(const struct search_of *s, const struct server_layout *layout)
{
    const struct search_ask *ask = s->ask;
    bool is_over = layout->needed_bytes > ask->max_memory_bytes || layout->headroom_bytes < ask->headroom_bytes;
    bool is_full = isfinite(s->found->users) && layout->load.batch > KEY_OF(&s->e->plan, serve, max_num_seqs);
    if (ask->fit != SEARCH_ANY && (ask->fit == SEARCH_TIGHT ? !s->e->fits : !layout->fits || is_full))
        return SERVER_FIT;
    if (is_over)
        return SERVER_MEMORY;
    if (isfinite(s->found->rate) && isnan(layout->load.batch))
        return SERVER_RATE;
    if (!(layout->load.batch >= 1) || !load_is_within(s->e, &layout->load))
        return SERVER_LATENCY;
    if (1 / layout->load.tokens_per_s > ask->slowest_token_s)
        return SERVER_TOKENS;
    return search_meets(ask, s->e) ? SERVER_LIMITS : SERVER_WHERE;
}

static double value_of(enum search_objective objective, const struct plan *plan, const struct server_layout *layout)
{
    switch ((int)objective) {
    case SEARCH_MEMORY: return layout->needed_bytes;
    case SEARCH_COST: return layout->cost;
    case SEARCH_ENERGY: return KEY_OF(plan, hardware, watts) * layout->gpus / layout->load.tokens_per_s;
    case SEARCH_GPUS: return layout->gpus;
    default: return 1 / layout->load.tokens_per_s;
    }
}

/* Equal values end in speed, then in memory that is left. */
static bool is_better(const struct server_layout *a, const struct server_layout *b)
{
    const double same = 1e-9;
    if (fabs(a->value - b->value) > same * fabs(b->value))
        return a->value < b->value;
    if (fabs(a->load.tokens_per_s - b->load.tokens_per_s) > same * b->load.tokens_per_s)
        return a->load.tokens_per_s > b->load.tokens_per_s;
    return a->headroom_bytes > b->headroom_bytes + 1;
}

static void look(struct search_of *s, const struct plan *plan)
{
    struct server_layout layout = {.plan = *plan};
    struct estimate *e = s->e;
    s->found->candidates++;
    estimate_plan(plan, e);
    if (!e->is_computed || !e->is_modelled || e->diags.errors > 0)
        return;
    s->found->evaluated++;
    find_load(s, &layout.load);
    layout.gpus = e->symbols.world;
    layout.cost = KEY_OF(&e->plan, hardware, price_per_gpu_hour) * layout.gpus / 3600 / layout.load.tokens_per_s * 1e6;
    layout.needed_bytes = e->serving.needed_bytes;
    layout.headroom_bytes = e->headroom_bytes;
    layout.kv_tokens = e->serving.kv_tokens;
    layout.max_concurrency = e->serving.max_concurrency;
    layout.fits = e->fits && serving_starts(e) > 0;
    layout.value = value_of(s->ask->objective, &e->plan, &layout);
    enum server_limit limit = limit_of(s, &layout);
    if (limit < SERVER_LIMITS) {
        note_nearest(s, limit, &layout);
        return;
    }
    s->found->feasible++;
    if (!s->has_pending || is_better(&layout, &s->pending))
        s->pending = layout;
    s->has_pending = true;
}

static void insert(struct search_of *s)
{
    struct servers *found = s->found;
    int at = found->count < SERVERS_MAX ? found->count++ : SERVERS_MAX - 1;
    if (found->count == SERVERS_MAX && at == SERVERS_MAX - 1 && found->best[at].gpus > 0 &&
        !is_better(&s->pending, &found->best[at]))
        return;
    for (; at > 0 && is_better(&s->pending, &found->best[at - 1]); at--)
        found->best[at] = found->best[at - 1];
    found->best[at] = s->pending;
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static void set_gpus(struct plan *plan, double count)
{
    double node = node_of(plan);
    param_set(plan, PARAM_hardware_nodes, count > node ? ceil(count / node) : 1);
    param_set(plan, PARAM_hardware_gpus_per_node, count > node ? node : count);
}

static bool set_device(struct search_of *s, struct plan *plan, double at)
{
    const struct place place = {.file = program};
    struct errors ignored = {0};
    if (at < 0)
        return true;
    bool is_done = preset_apply(plan, PARAM_hardware_gpu, s->device[(int)at], FROM_SET, &place, &ignored) == 0;
    errors_free(&ignored);
    return is_done;
}

/* What of the GPUs tp and pp leave is replicas; of experts either each replica has its own, or all share them. */
static bool set_ranks(const struct search_of *s, struct plan *plan, bool shares)
{
    double gpus = gpus_of(plan), tp = KEY_OF(plan, parallel, tp), pp = KEY_OF(plan, parallel, pp);
    double replicas = gpus / (tp * pp);
    if (fmod(gpus, tp * pp) != 0 || (shares && gpus / pp < 2))
        return false;
    param_clear(plan, PARAM_parallel_dp);
    param_clear(plan, PARAM_parallel_etp);
    param_set(plan, PARAM_parallel_ep, shares ? gpus / pp : 1);
    if (isfinite(s->found->users))
        param_set(plan, PARAM_serve_batch_size, ceil(s->found->users / replicas));
    return true;
}

/* Whether all rows to be printed need fewer GPUs, which is the objective. */
static bool is_beyond(const struct search_of *s, double gpus)
{
    int top = s->ask->top < SERVERS_MAX ? s->ask->top : SERVERS_MAX;
    return s->ask->objective == SEARCH_GPUS && s->found->count >= top && s->found->best[top - 1].gpus < gpus;
}

static bool set_value(struct search_of *s, struct plan *plan, enum param key, double value)
{
    switch ((int)key) {
    case PARAM_hardware_gpu: return set_device(s, plan, value);
    case PARAM_hardware_nodes: set_gpus(plan, value); return value <= GPUS_MAX && !is_beyond(s, value);
    case PARAM_parallel_ep: return set_ranks(s, plan, value > 0);
    case PARAM_serve_max_num_seqs:
        if (value == UNDER_WAY)
            value = isfinite(s->found->users) ? KEY_OF(plan, serve, batch_size)
                    : s->has_pending          ? ceil(s->pending.load.batch)
                                              : (double)NAN;
        break;
    default: break;
    }
    if (value != s->now.value[key] || is_given(&s->now, key) || key <= PARAM_parallel_pp)
        param_set(plan, key, value);
    bool is_split = key == PARAM_parallel_tp && fmod(KEY_OF(&s->now, model, num_attention_heads), value) != 0;
    return isfinite(value) && !is_split && !(key <= PARAM_parallel_pp && fmod(gpus_of(plan), value) != 0);
}

static void descend(struct search_of *s, int depth, const struct plan *plan)
{
    const struct axis *axis = &s->axis[depth];
    for (int i = 0; i < axis->count; i++) {
        struct plan with = *plan;
        if (!set_value(s, &with, axis->key, axis->value[i]))
            continue;
        if (depth + 1 < s->axes)
            descend(s, depth + 1, &with);
        else
            look(s, &with);
    }
    if (depth + 1 == s->axes && s->has_pending)
        insert(s);
    s->has_pending = false;
}

/* ---- the question ------------------------------------------------------------------------------------------------ */

/* Requests are as long as the plan's where it gives their lengths but no longest one. */
static void complete(struct search_of *s, double users)
{
    struct plan *base = &s->base;
    enum { GRAIN = 1024 };
    if (!(KEY_OF(base, serve, engine) > ENGINE_NONE))
        param_set(base, PARAM_serve_engine, ENGINE_VLLM);
    plan_resolve(base, &s->now);
    double length = KEY_OF(&s->now, serve, prompt_tokens) + KEY_OF(&s->now, serve, generate_tokens);
    if (is_given(base, PARAM_serve_prompt_tokens) && !is_given(base, PARAM_serve_max_model_len))
        param_set(base, PARAM_serve_max_model_len, ceil(length / GRAIN) * GRAIN);
    plan_resolve(base, &s->now);
    bool has_rate = KEY_OF(&s->now, serve, request_rate) > 0, has_users = is_given(base, PARAM_serve_batch_size);
    double replicas = has_gpus(base) ? KEY_OF(&s->now, parallel, dp) : 1;
    s->found->rate = has_rate ? KEY_OF(&s->now, serve, request_rate) : (double)NAN;
    s->found->users = has_rate ? (double)NAN : has_users && isnan(users) ? KEY_OF(&s->now, serve, batch_size) * replicas
                                                                   : users;
}

static void check(const struct search_of *s, struct errors *errors)
{
    enum search_objective objective = s->ask->objective;
    if (objective == SEARCH_TRAIN_TIME || objective == SEARCH_TRAIN_COST)
        errors_add(errors, program, 0, "--objective", "%s is about training, but this plan serves; use time, memory, "
                   "cost, energy or gpus", search_goals[objective].name);
    else if (!s->e->is_computed || isnan(s->e->serving.needed_bytes))
        errors_add(errors, program, 0, "search", "cannot judge this plan: %s",
                   s->e->diags.count ? finding_text(&s->e->diags.item[0]).text : "its model or GPU is unknown");
}

/* The axes that the question leaves open. */
static void make_axes(struct search_of *s, const struct servers_ask *asked, struct errors *errors)
{
    add_axes(s);
    for (size_t i = 0; asked->values && i < asked->values->count; i++)
        take_values(s, &asked->values->item[i], errors);
    take_keys(s, asked->free, false, errors);
    take_keys(s, asked->keep, true, errors);
}

bool servers_find(const struct servers_ask *asked, struct servers *out, struct errors *errors)
{
    struct search_of *s = xmalloc(sizeof *s);
    size_t faults = errors->faults;
    double start_s = progress_clock_s();
    memset(s, 0, sizeof *s);
    memset(out, 0, sizeof *out);
    s->ask = asked->ask;
    s->found = out;
    s->base = asked->ask->space.plan;
    s->nearest = NAN;
    s->e = xmalloc(sizeof *s->e);
    complete(s, asked->users);
    estimate_plan(&s->base, s->e);
    check(s, errors);
    make_axes(s, asked, errors);
    bool is_asked = errors->faults == faults;
    if (is_asked)
        descend(s, 0, &s->base);
    out->objective = search_goals[asked->ask->objective].name;
    out->top = asked->ask->top;
    out->seconds = progress_clock_s() - start_s;
    for (int i = 0; i < VALUES_MAX; i++)
        free(s->device[i]);
    free(s->e);
    free(s);
    return is_asked;
}

int search_serving(const struct cli *cli, const struct search_ask *ask, struct buffer *out, struct errors *errors)
{
    struct servers *found = xmalloc(sizeof *found);
    struct plan given;
    const struct servers_ask asked = {ask, &cli->values, cli->free, cli->keep, NAN};
    int status = STATUS_INPUT;
    plan_resolve(&ask->space.plan, &given);
    if (servers_find(&asked, found, errors)) {
        status = found->count > 0 ? STATUS_DONE : STATUS_UNFIT;
        found->now = &given;
        found->has_nearest &= found->count == 0;
        report_servers(out, found, &cli->report);
    }
    free(found);
    return status;
}
