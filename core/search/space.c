#include "core/search/space.h"

#include "core/base.h"
#include "core/estimate/symbols.h"
#include "core/plan/framework.h"
#include "core/plan/param.h"
#include "core/show/line.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct space_axis space_axes[SEARCH_AXES] = {
    [SEARCH_NODES] = {"nodes", PARAM_hardware_nodes},
    [SEARCH_TP] = {"tp", PARAM_parallel_tp},
    [SEARCH_SP] = {"sp", PARAM_parallel_sp},
    [SEARCH_CP] = {"cp", PARAM_parallel_cp},
    [SEARCH_MICRO_BATCH] = {"micro_batch_size", PARAM_train_micro_batch_size},
    [SEARCH_EP] = {"ep", PARAM_parallel_ep},
    [SEARCH_ETP] = {"etp", PARAM_parallel_etp},
    [SEARCH_PP] = {"pp", PARAM_parallel_pp},
    [SEARCH_SPLIT] = {"split", PARAM_COUNT},
    [SEARCH_VPP] = {"vpp", PARAM_parallel_vpp},
    [SEARCH_SCHEDULE] = {"schedule", PARAM_parallel_schedule},
    [SEARCH_RECOMPUTE] = {"recompute", PARAM_train_recompute},
    [SEARCH_RECOMPUTED] = {"recompute_num_layers", PARAM_train_recompute_num_layers},
    [SEARCH_SHARDING] = {"sharding", PARAM_COUNT},
};

int space_axis_of(enum param key)
{
    static const enum param of_split[] = {PARAM_parallel_pipeline_layout, PARAM_parallel_embedding_counts_as_layer,
                                          PARAM_parallel_loss_counts_as_layer, PARAM_parallel_first_stage_layers,
                                          PARAM_parallel_last_stage_layers};
    for (int i = SEARCH_NODES; i < SEARCH_AXES; i++)
        if (space_axes[i].key == key)
            return i;
    for (size_t i = 0; i < LENGTH(of_split); i++)
        if (of_split[i] == key)
            return SEARCH_SPLIT;
    return key == PARAM_parallel_zero_stage || key == PARAM_parallel_fsdp ? SEARCH_SHARDING : -1;
}

int space_axis_named(const char *name, int *key)
{
    *key = -1;
    for (int i = SEARCH_NODES; i < SEARCH_AXES; i++)
        if (strcmp(space_axes[i].name, name) == 0)
            return i;
    *key = param_find_alias(name);
    return *key < 0 ? -1 : space_axis_of((enum param)*key);
}

const char *space_axes_read(const char *names, uint32_t *axes)
{
    uint32_t read = 0;
    for (size_t length; *names; names += length + (names[length] == ',')) {
        char name[48];
        int key;
        length = strcspn(names, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        int axis = space_axis_named(name, &key);
        if (axis < SEARCH_TP)
            return names;
        read |= 1u << axis;
    }
    *axes = read;
    return NULL;
}

void space_axes_write(uint32_t axes, char *out, size_t size)
{
    struct text_line line = line_in(out, size);
    for (int i = SEARCH_TP; i < SEARCH_AXES; i++)
        if (axes & 1u << i)
            line_add(&line, "%s%s", line.at ? "," : "", space_axes[i].name);
}

uint32_t space_default_axes(void)
{
    return (1u << SEARCH_AXES) - (1u << SEARCH_TP) - (1u << SEARCH_RECOMPUTED);
}

int space_compare(const struct space_layout *a, const struct space_layout *b)
{
    for (int i = 0; i < SEARCH_AXES; i++)
        if (a->value[i] != b->value[i])
            return a->value[i] < b->value[i] ? -1 : 1;
    return 0;
}

/* ---- the values of an axis, those of the axes outside it chosen ------------------------------------------------- */

static bool divides(double divisor, double value)
{
    return divisor > 0 && value / divisor == floor(value / divisor);
}

static void take(struct space_level *level, double value)
{
    if (level->count < SPACE_VALUES_MAX)
        level->value[level->count++] = (int)value;
}

/* Each small divisor comes with a large one: a batch of 10^9 has its own in 32,000 steps. */
static void take_divisors(struct space_level *level, double of, double most)
{
    double middle = floor(sqrt(of));
    for (double i = 1; i <= min(middle, most); i++)
        if (divides(i, of))
            take(level, i);
    for (double i = middle; i >= 1; i--)
        if (divides(i, of) && of / i > middle && of / i <= most)
            take(level, of / i);
}

static double at(const struct space *space, enum search_axis axis)
{
    return space->at.value[axis];
}

/* Tensor parallelism beyond two domains waits for the network in every layer. */
static double most_tp(const struct space *space)
{
    return min(space->heads, space->domain * (space->ask->tp_in_domain ? 1 : 2));
}

static void list_tp(const struct space *space, struct space_level *level)
{
    for (double tp = 1; tp <= most_tp(space); tp++)
        if (divides(tp, space->heads) && divides(tp, space->world))
            take(level, tp);
}

static void list_sp(const struct space *space, struct space_level *level)
{
    bool is_split = at(space, SEARCH_TP) > 1;
    if (!is_split || !(space->needs_sp > 0))
        take(level, 0);
    if (is_split)
        take(level, 1);
}

static void list_cp(const struct space *space, struct space_level *level)
{
    for (double cp = 1; cp <= min(space->world / at(space, SEARCH_TP), max(space->sequence / 2, 1)); cp++)
        if (divides(at(space, SEARCH_TP) * cp, space->world) && (cp == 1 || divides(2 * cp, space->sequence)))
            take(level, cp);
}

static void list_micro_batch(const struct space *space, struct space_level *level)
{
    take_divisors(level, space->batch, space->batch);
}

static void list_ep(const struct space *space, struct space_level *level)
{
    for (double ep = 1; ep <= max(space->experts, 1); ep++)
        if (ep == 1 || (divides(ep, space->experts) && divides(ep, space->world)))
            take(level, ep);
}

static void list_etp(const struct space *space, struct space_level *level)
{
    double tp = at(space, SEARCH_TP);
    if (space->experts > 0 && tp > 1)
        take(level, 1);
    take(level, tp);
}

enum { STAGES_TRIED = 256 };

/* Numbers of stages with whole data-parallel ranks, also for experts, and whole micro-batches. */
static void list_pp(const struct space *space, struct space_level *level)
{
    double outer = at(space, SEARCH_TP) * at(space, SEARCH_CP), expert = at(space, SEARCH_EP) * at(space, SEARCH_ETP);
    for (double pp = 1; pp <= min(space->layers + 2, STAGES_TRIED); pp++)
        if (divides(outer * pp, space->world) && (space->experts == 0 || divides(expert * pp, space->world)) &&
            divides(space->world / (outer * pp) * at(space, SEARCH_MICRO_BATCH), space->batch))
            take(level, pp);
}

/* Layers of a shorter last stage; 0 if the split is even. */
static double layers_left(double layers, double stages)
{
    double each = ceil(layers / stages);
    return divides(stages, layers) ? 0 : max(0, layers - each * (stages - 1));
}

static const struct framework *framework_of(const struct space *space)
{
    return &frameworks[(int)KEY_OF(&space->plan, framework, name)];
}

static void list_split(const struct space *space, struct space_level *level)
{
    double pp = at(space, SEARCH_PP);
    take(level, SPLIT_IN_EQUAL);
    if (pp == 1 || framework_of(space)->split == SPLIT_BY_COST)
        return;
    take(level, SPLIT_COUNTS_ENDS);
    if (layers_left(space->layers, pp) > 0)
        take(level, SPLIT_SHORT_LAST);
    if (space->plan.pattern.layers >= pp || (space->ask->by_time && framework_of(space)->split == SPLIT_EVENLY))
        take(level, SPLIT_BALANCED);
}

/* Whether micro-batches come in groups of as many as there are stages, as interleaving takes them unless told. */
static bool come_in_groups(const struct space *space)
{
    double pp = at(space, SEARCH_PP), ranks = space->world / (at(space, SEARCH_TP) * at(space, SEARCH_CP) * pp);
    return KEY_OF(&space->plan, parallel, microbatch_group) > 0 ||
           divides(pp * ranks * at(space, SEARCH_MICRO_BATCH), space->batch);
}

/* Numbers of chunks that layers do not divide into, where no stage takes more layers than if it had one chunk. */
static void list_uneven_vpp(const struct space *space, struct space_level *level)
{
    double pp = at(space, SEARCH_PP), stage = ceil((space->layers + 2) / pp), is_mixed = space->plan.pattern.layers;
    for (double vpp = 1; vpp * pp <= (space->ask->by_time ? space->layers : pp); vpp++)
        if (vpp * ceil(space->layers / (pp * vpp)) <= stage && (is_mixed || !divides(pp * vpp, space->layers)) &&
            (vpp == 1 || come_in_groups(space)))
            take(level, vpp);
}

/* Chunks have equally many layers unless the framework supports uneven splits. */
static void list_vpp(const struct space *space, struct space_level *level)
{
    double pp = at(space, SEARCH_PP), layers = space->layers / pp, last = layers,
           most = pp > 1 ? floor((space->layers + 2) / pp) : 1;
    int split = space->at.value[SEARCH_SPLIT];
    if (split == SPLIT_BALANCED) {
        list_uneven_vpp(space, level);
        return;
    }
    bool takes_any =
        split == SPACE_AS_GIVEN || (split != SPLIT_SHORT_LAST && framework_of(space)->split != SPLIT_EVENLY);
    if (split == SPLIT_COUNTS_ENDS) {
        layers = last = (space->layers + 2) / pp;
    } else if (split == SPLIT_SHORT_LAST) {
        layers = ceil(layers);
        last = layers_left(space->layers, pp);
    }
    if (!takes_any && (layers != floor(layers) || last != floor(last)))
        return;
    for (double vpp = 1; vpp <= (takes_any ? most : min(most, layers)); vpp++)
        if (takes_any || (divides(vpp, layers) && divides(vpp, last)))
            take(level, vpp);
}

static void list_schedule(const struct space *space, struct space_level *level)
{
    bool is_all = space->ask->all_schedules;
    double vpp = at(space, SEARCH_VPP);
    take(level, vpp > 1 ? SCHEDULE_INTERLEAVED : SCHEDULE_1F1B);
    if (!is_all || at(space, SEARCH_PP) == 1)
        return;
    if (vpp == 2)
        take(level, SCHEDULE_ZB_V);
    if (vpp > 1)
        return;
    take(level, SCHEDULE_ZB_H1);
    take(level, SCHEDULE_ZB_H2);
    take(level, SCHEDULE_DUALPIPE);
}

static void list_recompute(const struct space *space, struct space_level *level)
{
    (void)space;
    for (int i = RECOMPUTE_NONE; i <= RECOMPUTE_FULL; i++)
        take(level, i);
}

static void list_recomputed(const struct space *space, struct space_level *level)
{
    if (space->at.value[SEARCH_RECOMPUTE] == RECOMPUTE_FULL)
        take_divisors(level, ceil(space->layers / (at(space, SEARCH_PP) * at(space, SEARCH_VPP))), space->layers);
    else
        take(level, 1);
}

static void list_sharding(const struct space *space, struct space_level *level)
{
    (void)space;
    for (int i = 0; i <= 3; i++)
        take(level, i);
}

/* NULL: nodes and the caller's keys, whose values are given. */
static void (*const lists[SEARCH_AXES])(const struct space *, struct space_level *) = {
    [SEARCH_TP] = list_tp,       [SEARCH_SP] = list_sp,
    [SEARCH_CP] = list_cp,       [SEARCH_MICRO_BATCH] = list_micro_batch,
    [SEARCH_EP] = list_ep,       [SEARCH_ETP] = list_etp,
    [SEARCH_PP] = list_pp,       [SEARCH_SPLIT] = list_split,
    [SEARCH_VPP] = list_vpp,     [SEARCH_SCHEDULE] = list_schedule,
    [SEARCH_RECOMPUTE] = list_recompute,
    [SEARCH_RECOMPUTED] = list_recomputed,
    [SEARCH_SHARDING] = list_sharding,
};

/* ---- a layout's keys -------------------------------------------------------------------------------------------- */

static void blank(struct plan *plan, enum param key)
{
    plan->value[key] = NAN;
    plan->from[key] = FROM_DEFAULT;
}

static void set_split(struct plan *plan, int split, double layers, double stages)
{
    param_set(plan, PARAM_parallel_embedding_counts_as_layer, split == SPLIT_COUNTS_ENDS);
    param_set(plan, PARAM_parallel_loss_counts_as_layer, split == SPLIT_COUNTS_ENDS);
    param_set(plan, PARAM_parallel_first_stage_layers, 0);
    param_set(plan, PARAM_parallel_last_stage_layers, split == SPLIT_SHORT_LAST ? layers_left(layers, stages) : 0);
}

/* FSDP where the framework has it, else ZeRO stages. */
static void set_sharding(struct plan *plan, int sharding, bool has_fsdp)
{
    bool is_fsdp = has_fsdp && sharding >= 2;
    param_set(plan, PARAM_parallel_fsdp, !is_fsdp ? FSDP_NONE : sharding == 2 ? FSDP_SHARD_GRAD_OP : FSDP_FULL);
    param_set(plan, PARAM_parallel_zero_stage, is_fsdp ? 0 : sharding);
}

/* Whether the key resolves to the layout's value if it is blank. */
static bool follows(enum search_axis axis, const struct space_layout *layout)
{
    int usual = layout->value[SEARCH_VPP] > 1 ? SCHEDULE_INTERLEAVED : SCHEDULE_1F1B;
    return (axis == SEARCH_ETP && layout->value[SEARCH_ETP] == layout->value[SEARCH_TP]) ||
           (axis == SEARCH_SCHEDULE && layout->value[SEARCH_SCHEDULE] == usual);
}

/* The layers cut into this many chunks by time, computed once; NULL if there are fewer layers. */
static const struct pipeline_layout *cut_into(struct space *space, int chunks)
{
    struct space_cuts *cuts = &space->cuts;
    if (!cuts->is_timed)
        balance_time(&space->plan, &cuts->times);
    if (!cuts->is_timed)
        cuts->count = 0;
    cuts->is_timed = true;
    for (int i = 0; i < cuts->count; i++)
        if (cuts->cut[i].chunks == chunks)
            return &cuts->cut[i];
    struct pipeline_layout *cut = &cuts->cut[cuts->count % SPACE_CUTS_MAX];
    if (balance_layers(&cuts->times, chunks, cut) != 0)
        return NULL;
    cuts->count = cuts->count < SPACE_CUTS_MAX ? cuts->count + 1 : SPACE_CUTS_MAX;
    return cut;
}

void space_balance(struct space *space, struct plan *plan)
{
    const int *value = space->at.value;
    if (!(space->ask->free & 1u << SEARCH_SPLIT) || value[SEARCH_SPLIT] != SPLIT_BALANCED)
        return;
    const struct pipeline_layout *cut = cut_into(space, value[SEARCH_PP] * value[SEARCH_VPP]);
    if (!cut)
        return;
    plan->layout = *cut;
    plan->from[PARAM_parallel_pipeline_layout] = FROM_SET;
}

static double replica_of(const struct space_layout *layout)
{
    return (double)layout->value[SEARCH_TP] * layout->value[SEARCH_CP] * layout->value[SEARCH_PP];
}

static void apply(const struct space *space, enum search_axis axis, const struct space_layout *layout,
                  struct plan *plan)
{
    int value = layout->value[axis];
    if (axis == SEARCH_PP && space->keeps_dp)
        param_set(plan, PARAM_parallel_dp, space->world / replica_of(layout));
    if (!(space->ask->free & 1u << axis) || value == SPACE_AS_GIVEN)
        return;
    if (axis < SEARCH_NODES)
        param_set(plan, space->ask->own[axis], space->ask->values[axis].value[value]);
    else if (axis == SEARCH_SPLIT)
        set_split(plan, value, space->layers, layout->value[SEARCH_PP]);
    else if (axis == SEARCH_SHARDING)
        set_sharding(plan, value, space->models_fsdp > 0);
    else if (follows(axis, layout))
        blank(plan, space_axes[axis].key);
    else
        param_set(plan, space_axes[axis].key, value);
}

int space_bound(const struct space_ask *ask, enum search_axis axis)
{
    struct space space;
    bool is_free = ask->free & 1u << axis && ask->values[axis].count == 0;
    if (!is_free || (axis != SEARCH_TP && axis != SEARCH_PP) || !space_begin(&space, ask, 0, 1))
        return 0;
    double most = axis == SEARCH_TP ? most_tp(&space) : STAGES_TRIED,
           all = axis == SEARCH_TP ? space.heads : space.layers + 2;
    bool is_cut = false;
    for (double i = most + 1; i <= all && !is_cut; i++)
        is_cut = divides(i, space.world) && (axis == SEARCH_PP || divides(i, space.heads));
    return is_cut ? (int)most : 0;
}

void space_plan(const struct space_ask *ask, const struct space_layout *layout, struct plan *out)
{
    struct space space;
    space_begin(&space, ask, 0, 1);
    space.at = *layout;
    for (int i = 0; i <= SEARCH_SP; i++)
        apply(&space, (enum search_axis)i, layout, &space.plan);
    *out = space.plan;
    for (int i = SEARCH_SP + 1; i < SEARCH_AXES; i++)
        apply(&space, (enum search_axis)i, layout, out);
    space_balance(&space, out);
}

/* ---- one layout after the other --------------------------------------------------------------------------------- */

/*
 * The same GPUs and sequences for every layout; replicas and accumulation steps follow. With `keeps_dp` each layout
 * sets dp.
 */
static void make_base(const struct space_ask *ask, const struct plan *resolved, bool keeps_dp, struct plan *out)
{
    *out = ask->plan;
    if (!keeps_dp) {
        if (resolved->from[PARAM_hardware_nodes] <= FROM_DERIVED) /* a cluster's stay its own */
            param_set(out, PARAM_hardware_nodes, KEY_OF(resolved, hardware, nodes));
        param_clear(out, PARAM_parallel_dp);
    }
    param_set(out, PARAM_train_global_batch_size, KEY_OF(resolved, train, global_batch_size));
    param_clear(out, PARAM_train_gradient_accumulation_steps);
    param_clear(out, PARAM_train_measured_iteration_s); /* of the given layout alone */
    if (ask->free & 1u << SEARCH_SPLIT)
        param_clear(out, PARAM_parallel_pipeline_layout);
    KEY_OF(out, framework, name) = KEY_OF(resolved, framework, name);
}

/* Whether a given dp sets the number of GPUs. */
static bool keeps_dp(const struct space_ask *ask, const struct plan *resolved)
{
    bool is_asked = ask->free & 1u << SEARCH_NODES;
    for (int i = 0; i < SPACE_OWN_MAX; i++)
        is_asked |= (ask->free & 1u << (SEARCH_OWN + i)) && ask->own[i] == PARAM_hardware_gpus_per_node;
    return !is_asked && KEY_OF(&ask->plan, parallel, dp) > 0 && resolved->from[PARAM_hardware_nodes] <= FROM_DERIVED;
}

/* The value of an axis that is not free. */
static int given_value(const struct plan *resolved, enum search_axis axis)
{
    enum param key = space_axes[axis].key;
    return key == PARAM_COUNT || isnan(resolved->value[key]) ? SPACE_AS_GIVEN : (int)resolved->value[key];
}

static void fill(struct space *space, enum search_axis axis)
{
    struct space_level *level = &space->level[axis];
    const struct space_values *values = &space->ask->values[axis];
    level->count = level->next = 0;
    if (!(space->ask->free & 1u << axis))
        take(level, space->at.value[axis]);
    else if (axis < SEARCH_NODES && space->ask->pinned[axis] > 0)
        take(level, space->ask->pinned[axis] - 1);
    else if (values->count > 0)
        for (int i = 0; i < values->count; i++)
            take(level, axis < SEARCH_NODES ? i : values->value[i]);
    else if (lists[axis])
        lists[axis](space, level);
    else
        take(level, space->at.value[axis]);
}

bool space_begin(struct space *space, const struct space_ask *ask, int part, int parts)
{
    struct plan resolved;
    struct symbols y;
    plan_resolve(&ask->plan, &resolved);
    symbols_of(&resolved, &y);
    *space = (struct space){.ask = ask, .part = part, .parts = parts, .layers = y.L, .heads = y.a,
                            .experts = y.E > 0 ? y.E : 0,
                            .batch = y.gbs, .sequence = y.s, .domain = y.domain, .models_fsdp = y.models_fsdp,
                            .needs_sp = y.E > 0 && y.experts_need_sp > 0,
                            .gpus_per_node = KEY_OF(&resolved, hardware, gpus_per_node)};
    space->world = KEY_OF(&resolved, hardware, nodes) * space->gpus_per_node;
    space->keeps_dp = keeps_dp(ask, &resolved);
    make_base(ask, &resolved, space->keeps_dp, &space->plan);
    for (int i = 0; i < SEARCH_AXES; i++)
        space->at.value[i] = i < SEARCH_NODES ? SPACE_AS_GIVEN : given_value(&resolved, (enum search_axis)i);
    if (space->keeps_dp)
        space->world = KEY_OF(&resolved, parallel, dp) * replica_of(&space->at);
    fill(space, SEARCH_OWN);
    double all = space->layers + space->heads + space->batch + space->sequence + space->world + space->domain;
    return isfinite(all) && space->world >= 1;
}

static bool leaves_dp(const struct space *space)
{
    const struct space_values *dp = &space->ask->dp;
    double left = space->world / replica_of(&space->at);
    bool may_be = dp->count == 0;
    for (int i = 0; i < dp->count; i++)
        may_be |= dp->value[i] == left;
    return may_be && (!space->keeps_dp || left == floor(left));
}

/* Returns false if the layout is in another part or its dp is not allowed. */
static bool choose(struct space *space, enum search_axis axis, int value)
{
    space->at.value[axis] = value;
    apply(space, axis, &space->at, axis > SEARCH_SP ? &space->prepared : &space->plan);
    if (axis == SEARCH_SP) { /* the last that more than the layout follows from */
        plan_resolve_shared(&space->plan, &space->prepared);
        space->cuts.is_timed = false;
    }
    space->changed = axis < space->changed ? axis : space->changed;
    if (axis == SEARCH_PP && !leaves_dp(space))
        return false;
    if (axis == SEARCH_NODES && !space->keeps_dp)
        space->world = KEY_OF(&space->plan, hardware, nodes) * space->gpus_per_node;
    return axis != SEARCH_ETP || space->outer++ % space->parts == space->part;
}

bool space_next(struct space *space)
{
    space->changed = SEARCH_AXES;
    while (space->depth >= 0) {
        struct space_level *level = &space->level[space->depth];
        if (level->next == level->count) {
            space->depth--;
            continue;
        }
        if (!choose(space, (enum search_axis)space->depth, level->value[level->next++]))
            continue;
        if (space->depth == SEARCH_AXES - 1)
            return true;
        fill(space, (enum search_axis)++space->depth);
    }
    return false;
}

long space_skip(struct space *space, enum search_axis axis)
{
    long count = 0;
    while (space->depth > (int)axis) {
        struct space_level *level = &space->level[space->depth];
        if (level->next == level->count) {
            space->depth--;
        } else if (space->depth == SEARCH_AXES - 1) {
            count += level->count - level->next;
            level->next = level->count;
        } else {
            space->at.value[space->depth] = level->value[level->next++];
            if (space->depth != SEARCH_PP || leaves_dp(space))
                fill(space, (enum search_axis)++space->depth);
        }
    }
    return count;
}

int space_complexity(const struct plan *plan)
{
    double tp = KEY_OF(plan, parallel, tp), etp = KEY_OF(plan, parallel, etp);
    bool is_uneven = plan->layout.chunks > 0 || KEY_OF(plan, parallel, last_stage_layers) +
                                                        KEY_OF(plan, parallel, first_stage_layers) +
                                                        KEY_OF(plan, parallel, embedding_counts_as_layer) +
                                                        KEY_OF(plan, parallel, loss_counts_as_layer) >
                                                    0;
    bool is_sharded = KEY_OF(plan, parallel, zero_stage) >= 2 || KEY_OF(plan, parallel, fsdp) != FSDP_NONE;
    return (tp > 1) + (KEY_OF(plan, parallel, pp) > 1) + (KEY_OF(plan, parallel, vpp) > 1) +
           (KEY_OF(plan, parallel, cp) > 1) + (KEY_OF(plan, parallel, ep) > 1) + (etp != 1 && etp != tp) +
           (KEY_OF(plan, train, recompute) != RECOMPUTE_NONE) + is_uneven + is_sharded +
           2 * (tp > KEY_OF(plan, hardware, nvlink_domain)) +
           3 * (KEY_OF(plan, parallel, schedule) > SCHEDULE_INTERLEAVED);
}
