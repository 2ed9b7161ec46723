#include "core/search/waterfall.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/plan/param.h"
#include "core/show/columns.h"
#include "core/show/components.h"
#include "core/show/line.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- steps ------------------------------------------------------------------------------------------------------ */

static void begin(struct waterfall *out, double from, double to)
{
    bool is_known = isfinite(from) && isfinite(to);
    out->from = is_known ? from : NAN;
    out->to = is_known ? to : NAN;
    out->count = 0;
}

static void add(struct waterfall *out, const char *name, const char *label, double delta)
{
    if (delta == 0 || isnan(out->from) || out->count == WATERFALL_MAX)
        return;
    struct waterfall_step *step = &out->step[out->count++];
    snprintf(step->name, sizeof step->name, "%s", name);
    step->label = label;
    step->delta = delta;
}

static void sort(struct waterfall *out, int first)
{
    for (int i = first + 1; i < out->count; i++) {
        struct waterfall_step step = out->step[i];
        int at = i;
        for (; at > first && fabs(out->step[at - 1].delta) < fabs(step.delta); at--)
            out->step[at] = out->step[at - 1];
        out->step[at] = step;
    }
}

static double sum_of(const struct waterfall *out, int count)
{
    double sum = out->from;
    for (int i = 0; i < count; i++)
        sum += out->step[i].delta;
    return sum;
}

/*
 * The smallest step absorbs the rounding; what remains is a step of its own. It is so small that the sum before it is
 * within a factor of two of the end, where differences are exact (Sterbenz 1974).
 */
static void close_exactly(struct waterfall *out)
{
    if (out->count > 0)
        out->step[out->count - 1].delta = out->to - sum_of(out, out->count - 1);
    double rest = out->to - sum_of(out, out->count);
    add(out, "rounding", "rounding", rest);
}

/* ---- by term ---------------------------------------------------------------------------------------------------- */

static double part_bytes(const struct estimate *e, int stage, const struct component *row)
{
    return round(e->is_serving ? serving_component(row, &e->serving) : stage_component(row, e, &e->stage[stage]));
}

static const struct component_list *parts_of(const struct estimate *e)
{
    return e->is_serving ? &serving_components : &stage_components;
}

static double bytes_at(const struct estimate *e, int stage)
{
    const struct component_list *list = parts_of(e);
    double sum = 0;
    for (int i = 0; i < list->count; i++)
        sum += list->row[i].kind == COMPONENT_PART ? part_bytes(e, stage, &list->row[i]) : 0;
    return e->is_computed ? sum : NAN;
}

void waterfall_memory(const struct estimate *a, const struct estimate *b, struct waterfall *out)
{
    int at = a->peak_stage;
    double from = bytes_at(a, at);
    bool is_alike = a->is_serving == b->is_serving;
    begin(out, is_alike ? from : NAN, bytes_at(b, b->peak_stage));
    if (isnan(out->from))
        return;
    if (!a->is_serving && b->peak_stage < a->stages)
        at = b->peak_stage;
    add(out, "stage", "another stage is the fullest", bytes_at(a, at) - from);
    int first = out->count;
    const struct component_list *list = parts_of(a);
    for (int i = 0; i < list->count; i++) {
        char name[WATERFALL_NAME_MAX];
        const struct component *row = &list->row[i];
        /* without the unit: `weights_bytes` is named `weights` */
        snprintf(name, WATERFALL_NAME_MAX, "%.*s", (int)(strlen(row->term) - strlen("_bytes")), row->term);
        if (row->kind == COMPONENT_PART)
            add(out, name, row->name, part_bytes(b, b->peak_stage, row) - part_bytes(a, at, row));
    }
    sort(out, first);
}

enum time_part {
    PART_COMPUTE, PART_TP, PART_CP, PART_EP, PART_PP, PART_OFFLOAD, PART_BUBBLE, PART_DP, PART_OPTIMIZER, PART_OVERHEAD,
    PART_REST, PART_COUNT
};

static const struct {
    const char *name, *label;
} time_parts[PART_COUNT] = {
    [PART_COMPUTE] = {"compute", "computing"},
    [PART_TP] = {"tp", "tensor-parallel traffic"},
    [PART_CP] = {"cp", "context-parallel traffic"},
    [PART_EP] = {"ep", "expert traffic"},
    [PART_PP] = {"pp", "pipeline messages"},
    [PART_OFFLOAD] = {"offload", "moving offloaded data"},
    [PART_BUBBLE] = {"bubble", "pipeline bubble"},
    [PART_DP] = {"dp", "gradient and weight exchange"},
    [PART_OPTIMIZER] = {"optimizer", "optimizer step"},
    [PART_OVERHEAD] = {"overhead", "fixed overhead"},
    [PART_REST] = {"rest", "waiting for the host and others"},
};

/* The rest is 0 if it is only rounding. */
static void parts_of_time(const struct estimate *e, double part[PART_COUNT])
{
    const double rounding = 1e-12;
    const struct step *step = &e->step;
    part[PART_COMPUTE] = step->compute_s;
    part[PART_TP] = step->tp_exposed_s;
    part[PART_CP] = step->cp_exposed_s;
    part[PART_EP] = step->ep_exposed_s;
    part[PART_PP] = step->pp_exposed_s;
    part[PART_OFFLOAD] = step->offload_s;
    part[PART_BUBBLE] = step->bubble_s;
    part[PART_DP] = step->dp_exposed_s;
    part[PART_OPTIMIZER] = step->optimizer_s;
    part[PART_OVERHEAD] = e->symbols.overhead * 1e-3;
    double rest = step->iteration_s;
    for (int i = 0; i < PART_REST; i++)
        rest -= part[i];
    part[PART_REST] = fabs(rest) > rounding * step->iteration_s ? rest : 0;
}

static double iteration_of(const struct estimate *e)
{
    return e->is_computed && !e->is_serving && !e->is_rl ? e->step.iteration_s : NAN;
}

void waterfall_time(const struct estimate *a, const struct estimate *b, struct waterfall *out)
{
    double of_a[PART_COUNT], of_b[PART_COUNT];
    begin(out, iteration_of(a), iteration_of(b));
    if (isnan(out->from))
        return;
    parts_of_time(a, of_a);
    parts_of_time(b, of_b);
    for (int i = 0; i < PART_COUNT; i++)
        add(out, time_parts[i].name, time_parts[i].label, of_b[i] - of_a[i]);
    sort(out, 0);
    close_exactly(out);
}

static void add_traffic(const struct estimate *e, double times, double sent[COMM_COUNT])
{
    struct comm row[COMM_COUNT];
    for (int stage = 0; stage < e->stages && !e->is_serving; stage++) {
        estimate_comm(e, stage, row);
        for (int id = 0; id < COMM_COUNT; id++)
            sent[id] += row[id].when > 0 ? times * row[id].cluster_bytes : 0;
    }
}

/* "tp all-reduce (loss)" */
static void name_traffic(enum comm_id id, char out[WATERFALL_NAME_MAX])
{
    snprintf(out, WATERFALL_NAME_MAX, "%s %s (%s)", comm_dim_text(id), comm_op_names[comm_rows[id].op],
             comm_where_text(id));
    for (char *c = out; *c; c++)
        *c = *c == '_' ? '-' : *c;
}

void waterfall_traffic(const struct estimate *a, const struct estimate *b, struct waterfall *out)
{
    enum { KEPT = 3 };
    double sent[COMM_COUNT] = {0};
    *out = (struct waterfall){.from = 0, .to = NAN};
    if (a->is_serving || b->is_serving)
        return;
    add_traffic(a, -1, sent);
    add_traffic(b, 1, sent);
    while (out->count < KEPT) {
        char name[WATERFALL_NAME_MAX];
        int most = 0;
        for (int id = 1; id < COMM_COUNT; id++)
            most = fabs(sent[id]) > fabs(sent[most]) ? id : most;
        if (!(fabs(sent[most]) >= 1))
            return;
        name_traffic((enum comm_id)most, name);
        add(out, name, NULL, sent[most]);
        sent[most] = 0;
    }
}

void waterfall_largest(const struct estimate *e, int count, struct waterfall_part out[])
{
    double part[PART_COUNT], whole = iteration_of(e);
    parts_of_time(e, part);
    for (int at = 0; at < count; at++) {
        int most = 0;
        for (int i = 1; i < PART_COUNT; i++)
            if (part[i] > part[most])
                most = i;
        out[at] = (struct waterfall_part){time_parts[most].name, time_parts[most].label, part[most] / whole};
        part[most] = -INFINITY;
    }
}

/* ---- by key ----------------------------------------------------------------------------------------------------- */

/* Keys that change together: bits over enum param. */
struct player {
    uint64_t keys[(PARAM_COUNT + 63) / 64];
};

enum { FIGURES_MAX = 2 };

/* The figures for every set of players. */
struct game {
    const struct plan *a, *b;
    int players;
    struct player player[PARAM_COUNT];
    int figures;
    struct waterfall_figure figure[FIGURES_MAX];
    double value[FIGURES_MAX][1 << WATERFALL_KEYS_MAX];
};

static bool has_key(const struct player *player, int id)
{
    return player->keys[id / 64] >> id % 64 & 1;
}

static void unite(struct game *game, int one, int other)
{
    for (size_t i = 0; i < LENGTH(game->player->keys); i++)
        game->player[one].keys[i] |= game->player[other].keys[i];
    memmove(&game->player[other], &game->player[other + 1], (size_t)(game->players - other - 1) * sizeof *game->player);
    game->players--;
}

static enum param_group group_of(const struct player *player)
{
    int id = 0;
    while (id < PARAM_COUNT - 1 && !has_key(player, id))
        id++;
    return param_rows[id].group_id;
}

/* One player per key; if there are too many, whole groups are one player, the largest groups first. */
static void find_players(struct game *game)
{
    game->players = 0;
    for (int id = 0; id < PARAM_COUNT; id++)
        if (!param_equal(game->a, game->b, (enum param)id)) {
            game->player[game->players] = (struct player){{0}};
            game->player[game->players++].keys[id / 64] = (uint64_t)1 << id % 64;
        }
    while (game->players > WATERFALL_KEYS_MAX) {
        int count[GROUP_COUNT] = {0}, largest = 0;
        for (int i = 0; i < game->players; i++)
            count[group_of(&game->player[i])]++;
        for (int i = 1; i < GROUP_COUNT; i++)
            largest = count[i] > count[largest] ? i : largest;
        int first = 0;
        while ((int)group_of(&game->player[first]) != largest)
            first++;
        for (int i = game->players - 1; i > first; i--)
            if ((int)group_of(&game->player[i]) == largest)
                unite(game, first, i);
    }
}

static void take_keys(const struct player *player, const struct plan *from, struct plan *to)
{
    for (int id = 0; id < PARAM_COUNT; id++)
        if (has_key(player, id))
            param_copy(to, from, (enum param)id, (enum origin)from->from[id]);
    if (has_key(player, PARAM_hardware_gpu))
        to->gpu = from->gpu;
}

static void play(struct game *game, struct estimate *scratch)
{
    for (int set = 0; set < 1 << game->players; set++) {
        struct plan plan = *game->a;
        for (int i = 0; i < game->players; i++)
            if (set >> i & 1)
                take_keys(&game->player[i], game->b, &plan);
        estimate_plan(&plan, scratch);
        bool is_valid = scratch->diags.errors == 0;
        for (int k = 0; k < game->figures; k++)
            game->value[k][set] = is_valid ? game->figure[k].of(game->figure[k].context, scratch) : (double)NAN;
    }
}

static int players_in(int set)
{
    int count = 0;
    for (; set; set &= set - 1)
        count++;
    return count;
}

/* Sets without a value only matter for a figure that is known in both plans. */
static bool is_valued(const struct game *game, int set)
{
    int all = (1 << game->players) - 1;
    for (int k = 0; k < game->figures; k++)
        if (!isfinite(game->value[k][set]) && !isnan(game->value[k][0]) && !isnan(game->value[k][all]))
            return false;
    return true;
}

/*
 * Unites two players of the smallest set without a value; a single player with the first that gives it one. Returns
 * false if all sets have values.
 */
static bool unite_dependent(struct game *game)
{
    int worst = 0, all = 1 << game->players;
    for (int set = 1; set < all; set++)
        if (!is_valued(game, set) && (!worst || players_in(set) < players_in(worst)))
            worst = set;
    if (!worst)
        return false;
    int one = 0, other = 0;
    while (!(worst >> one & 1))
        one++;
    for (other = one + 1; other < game->players && !(worst >> other & 1);)
        other++;
    for (int i = 0; players_in(worst) == 1 && i < game->players; i++)
        if (i != one && (other == game->players || is_valued(game, worst | 1 << i))) {
            other = i;
            if (is_valued(game, worst | 1 << i))
                break;
        }
    unite(game, one < other ? one : other, one < other ? other : one);
    return true;
}

/* "parallel.tp+parallel.sp", or "model.*" for more than NAMED_MAX keys. */
static void name_player(const struct player *player, char out[WATERFALL_NAME_MAX])
{
    enum { NAMED_MAX = 4 };
    int count = 0;
    for (int id = 0; id < PARAM_COUNT; id++)
        count += has_key(player, id);
    struct text_line line = line_in(out, WATERFALL_NAME_MAX);
    for (int id = 0, last = -1; id < PARAM_COUNT; id++) {
        const struct param_row *row = &param_rows[id];
        if (!has_key(player, id) || (count > NAMED_MAX && (int)row->group_id == last))
            continue;
        last = (int)row->group_id;
        line_add(&line, "%s%s%s", line.at ? "+" : "", count > NAMED_MAX ? row->group : row->dotted,
                 count > NAMED_MAX ? ".*" : "");
    }
}

static double factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

static double value_of(const struct game *game, const double value[], int player)
{
    double sum = 0;
    int n = game->players;
    for (int set = 0; set < 1 << n; set++)
        if (!(set >> player & 1))
            sum += factorial(players_in(set)) * factorial(n - players_in(set) - 1) *
                   (value[set | 1 << player] - value[set]);
    return sum / factorial(n);
}

static void share(const struct game *game, const double value[], bool is_whole, struct waterfall *out)
{
    int all = (1 << game->players) - 1;
    begin(out, value[0], value[all]);
    for (int i = 0; i < game->players && !isnan(out->from); i++) {
        char name[WATERFALL_NAME_MAX];
        name_player(&game->player[i], name);
        add(out, name, NULL, value_of(game, value, i));
    }
    if (is_whole) {
        double shown[WATERFALL_MAX];
        waterfall_shown(out, 1, shown);
        for (int i = 0; i < out->count; i++)
            out->step[i].delta = shown[i];
    }
    sort(out, 0);
    while (out->count > 0 && out->step[out->count - 1].delta == 0)
        out->count--;
    if (!is_whole)
        close_exactly(out);
}

static void settle(struct game *game, struct estimate *scratch)
{
    find_players(game);
    do
        play(game, scratch);
    while (unite_dependent(game));
}

static double fullest_bytes(const void *context, const struct estimate *e)
{
    (void)context;
    return bytes_at(e, e->peak_stage);
}

static double iteration_s(const void *context, const struct estimate *e)
{
    (void)context;
    return iteration_of(e);
}

const struct waterfall_figure waterfall_fullest = {.of = fullest_bytes}, waterfall_iteration = {.of = iteration_s};

void waterfall_keys(const struct plan *a, const struct plan *b, struct estimate *scratch, struct waterfall *memory,
                    struct waterfall *time)
{
    struct game game = {.a = a, .b = b, .figures = 2, .figure = {waterfall_fullest, waterfall_iteration}};
    settle(&game, scratch);
    share(&game, game.value[0], true, memory);
    share(&game, game.value[1], false, time);
}

void waterfall_keys_of(const struct waterfall_figure *figure, const struct plan *a, const struct plan *b,
                       struct estimate *scratch, struct waterfall *out)
{
    struct game game = {.a = a, .b = b, .figures = 1, .figure = {*figure}};
    settle(&game, scratch);
    share(&game, game.value[0], false, out);
}

/* The smallest step absorbs the rounding. */
static void take_rounding(struct waterfall *out)
{
    int least = 0;
    for (int i = 1; i < out->count; i++)
        least = fabs(out->step[i].delta) < fabs(out->step[least].delta) ? i : least;
    if (out->count > 0)
        out->step[least].delta += out->to - sum_of(out, out->count);
}

/* ---- in one order ----------------------------------------------------------------------------------------------- */

static double figure_of(const struct waterfall_figure *figure, const struct plan *plan, struct estimate *scratch)
{
    estimate_plan(plan, scratch);
    return scratch->diags.errors == 0 ? figure->of(figure->context, scratch) : (double)NAN;
}

static void change_key(struct player *player, enum param id, const struct plan *from, struct plan *to)
{
    player->keys[id / 64] |= (uint64_t)1 << id % 64;
    take_keys(player, from, to);
}

void waterfall_in_order(const struct waterfall_figure *figure, const struct plan *a, const struct plan *b,
                        const enum param keys[], int count, struct estimate *scratch, struct waterfall *out)
{
    enum { STEPS_MAX = WATERFALL_MAX - 1 /* before the last one */ };
    struct plan plan = *a, all = *a;
    struct player player = {{0}}, everyone = {{0}};
    for (int i = 0; i < count; i++)
        change_key(&everyone, keys[i], b, &all);
    begin(out, figure_of(figure, a, scratch), figure_of(figure, &all, scratch));
    double at = out->from;
    for (int i = 0; i < count && !isnan(out->from); i++) {
        bool is_last = i + 1 == count;
        bool is_with_next = !is_last && count > WATERFALL_KEYS_MAX &&
                            param_rows[keys[i]].group_id == param_rows[keys[i + 1]].group_id;
        change_key(&player, keys[i], b, &plan);
        double value = is_last ? out->to : figure_of(figure, &plan, scratch);
        if (is_with_next || !isfinite(value) || (out->count >= STEPS_MAX && !is_last))
            continue;
        char name[WATERFALL_NAME_MAX];
        name_player(&player, name);
        add(out, name, NULL, value - at);
        at = value;
        player = (struct player){{0}};
    }
    take_rounding(out);
}

/* ---- what is shown ---------------------------------------------------------------------------------------------- */

void waterfall_shown(const struct waterfall *waterfall, double unit, double shown[WATERFALL_MAX])
{
    double left = round(waterfall->to / unit) - round(waterfall->from / unit);
    double remainder[WATERFALL_MAX];
    for (int i = 0; i < waterfall->count; i++) {
        double exact = waterfall->step[i].delta / unit;
        shown[i] = floor(exact);
        remainder[i] = exact - shown[i];
        left -= shown[i];
    }
    for (int more = left < 0 ? -1 : 1; fabs(left) >= 1 && waterfall->count > 0; left -= more) {
        int most = 0;
        for (int i = 1; i < waterfall->count; i++)
            most = more * remainder[i] > more * remainder[most] ? i : most;
        shown[most] += more;
        remainder[most] -= more;
    }
}
