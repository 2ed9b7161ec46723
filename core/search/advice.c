#include "core/search/advice.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "core/plan/rule.h"

#include <string.h>

/* Fits, then tight, then does not; then the faster, or the one that exceeds the memory by less. */
static bool is_better(const struct figures *a, const struct figures *b)
{
    if (a->verdict != b->verdict)
        return a->verdict < b->verdict;
    return figures_are_nearer(a, b) || (!figures_are_nearer(b, a) && a->iteration_s < b->iteration_s);
}

void advice_plan(const struct advice *advice, const struct change change[], int changes, struct plan *out)
{
    struct plan plan = advice->plan, resolved = advice->resolved;
    for (int i = 0; i < changes; i++) {
        change_make(&plan, &resolved, &change[i], out);
        plan = *out;
        if (i + 1 < changes)
            plan_resolve(&plan, &resolved);
    }
}

/* Tests the rules before it estimates: most changes break one. */
static void try(const struct advice *advice, const struct change change[], int changes, struct estimate *scratch,
                struct figures *out)
{
    struct plan plan, resolved;
    advice_plan(advice, change, changes, &plan);
    plan_resolve(&plan, &resolved);
    *out = (struct figures){.verdict = VERDICT_UNKNOWN};
    if (rule_errors(&resolved) || rule_adds_refusal(&resolved, &advice->resolved))
        return;
    estimate_plan(&plan, scratch);
    figures_of(scratch, out);
}

/* ---- single changes --------------------------------------------------------------------------------------------- */

static bool is_same(const struct figures *a, const struct figures *b)
{
    bool has_same_cache = a->kv_tokens == b->kv_tokens || isnan(a->kv_tokens);
    return a->iteration_s == b->iteration_s && a->device_bytes == b->device_bytes && has_same_cache;
}

static void insert_row(struct advice *advice, const struct advice_row *row)
{
    int at = advice->rows++;
    for (; at > 0; at--) {
        const struct advice_row *before = &advice->row[at - 1];
        if (before->group < row->group || (before->group == row->group && !is_better(&row->figures, &before->figures)))
            break;
        advice->row[at] = *before;
    }
    advice->row[at] = *row;
}

static bool lacks_memory(const struct advice *advice)
{
    return advice->now.verdict == VERDICT_NO || advice->now.verdict == VERDICT_TIGHT;
}

/* A plan that is not valid is mended by each of its rows. */
static bool is_fixed(const struct advice *advice)
{
    return advice->fix.changes > 0 || (advice->now.is_valid ? !lacks_memory(advice) : advice->rows > 0);
}

/* Rows are sorted: the first change of the layout or framework that fits is the fastest. */
static void fix_with_one(struct advice *advice)
{
    for (int i = 0; i < advice->rows && !is_fixed(advice); i++)
        if (advice->now.is_valid && advice->row[i].figures.verdict == VERDICT_FITS &&
            advice->row[i].group != CHANGE_HARDWARE)
            advice->fix = (struct advice_fix){1, {advice->row[i].change}, advice->row[i].figures};
}

/* Changes to combine with the next change of the layout, listed from the plan that it makes. */
static void list_others(struct advice *advice)
{
    struct plan plan, resolved;
    const struct change *change = &advice->change[advice->at];
    advice->other = advice->others = 0;
    if (advice->at == advice->changes || change_group_of(change->key) != CHANGE_LAYOUT)
        return;
    change_make(&advice->plan, &advice->resolved, change, &plan);
    plan_resolve(&plan, &resolved);
    advice->others = change_list_behind(&resolved, change->key, advice->follow);
}

static void begin_pairs(struct advice *advice)
{
    fix_with_one(advice);
    advice->phase = is_fixed(advice) ? ADVICE_SAVINGS : ADVICE_PAIRS;
    advice->at = advice->other = 0;
    if (advice->phase == ADVICE_PAIRS)
        list_others(advice);
}

static void step_changes(struct advice *advice, struct estimate *scratch)
{
    if (advice->at == advice->changes) {
        begin_pairs(advice);
        return;
    }
    struct advice_row row = {.change = advice->change[advice->at++]};
    row.group = change_group_of(row.change.key);
    try(advice, &row.change, 1, scratch, &row.figures);
    advice->tried++;
    bool is_timed = isfinite(row.figures.iteration_s) || isnan(advice->now.iteration_s);
    if (row.figures.is_valid && is_timed && !is_same(&row.figures, &advice->now))
        insert_row(advice, &row);
}

/* ---- what else makes it fit ------------------------------------------------------------------------------------- */

static int price_of(const struct advice_fix *fix)
{
    int price = 0;
    for (int i = 0; i < fix->changes; i++)
        price = change_price(fix->change[i].key) > price ? change_price(fix->change[i].key) : price;
    return price;
}

static bool has_keys(const struct advice_fix *fix, const struct advice_fix *of)
{
    for (int i = 0; i < of->changes; i++) {
        bool has = false;
        for (int k = 0; k < fix->changes; k++)
            has |= fix->change[k].key == of->change[i].key;
        if (!has)
            return false;
    }
    return true;
}

static bool comes_before(const struct advice_fix *a, const struct advice_fix *b)
{
    int one = price_of(a), other = price_of(b);
    if (one != other)
        return one < other;
    return a->changes != b->changes ? a->changes < b->changes : is_better(&a->figures, &b->figures);
}

/* The same keys stand once, and with others only where that is faster. */
static void insert_fix(struct advice *advice, const struct advice_fix *fix)
{
    for (int i = 0; i < advice->fixes; i++) {
        struct advice_fix *other = &advice->fixed[i];
        if (!has_keys(fix, other))
            continue;
        bool is_least = price_of(fix) > 2; /* nodes and sequences are tried from what gives up least */
        if (fix->changes == other->changes && !is_least && is_better(&fix->figures, &other->figures))
            *other = *fix;
        return;
    }
    int at = advice->fixes < FIXES_MAX ? advice->fixes++ : FIXES_MAX - 1;
    if (at == FIXES_MAX - 1 && advice->fixes == FIXES_MAX && advice->fixed[at].changes > 0 &&
        !comes_before(fix, &advice->fixed[at]))
        return;
    for (; at > 0 && comes_before(fix, &advice->fixed[at - 1]); at--)
        advice->fixed[at] = advice->fixed[at - 1];
    advice->fixed[at] = *fix;
}

static void end_savings(struct advice *advice)
{
    if (advice->fix.changes == 0 && advice->fixes > 0)
        advice->fix = advice->fixed[0];
    advice->phase = ADVICE_ROOM;
    advice->at = 0;
}

/* First each alone, `at` being 0, then with each behind it. */
static void step_savings(struct advice *advice, struct estimate *scratch)
{
    if (!advice->now.is_valid || !lacks_memory(advice)) {
        end_savings(advice);
        return;
    }
    if (advice->at == 0 && advice->other == 0)
        advice->others = change_list_saving(&advice->resolved, advice->follow);
    if (advice->at > advice->others) {
        end_savings(advice);
        return;
    }
    if (advice->other >= advice->others) {
        advice->other = ++advice->at;
        return;
    }
    struct advice_fix fix = {1, {advice->follow[advice->other]}, {0}};
    if (advice->at > 0) {
        fix = (struct advice_fix){2, {advice->follow[advice->at - 1], advice->follow[advice->other]}, {0}};
        if (fix.change[0].key == fix.change[1].key) {
            advice->other++;
            return;
        }
    }
    advice->other++;
    try(advice, fix.change, fix.changes, scratch, &fix.figures);
    advice->tried += advice->at == 0;
    if (fix.figures.verdict == VERDICT_FITS)
        insert_fix(advice, &fix);
}

/* ---- two changes ------------------------------------------------------------------------------------------------ */

static void step_pairs(struct advice *advice, struct estimate *scratch)
{
    if (advice->at == advice->changes) {
        advice->phase = ADVICE_SAVINGS;
        advice->at = advice->other = 0;
        if (advice->fix.changes > 1)
            insert_fix(advice, &advice->fix);
        return;
    }
    if (advice->other == advice->others) {
        advice->at++;
        list_others(advice);
        return;
    }
    struct advice_fix fix = {2, {advice->change[advice->at], advice->follow[advice->other++]}, {0}};
    try(advice, fix.change, 2, scratch, &fix.figures);
    bool helps = advice->now.is_valid ? fix.figures.verdict == VERDICT_FITS : fix.figures.is_valid;
    if (helps && (advice->fix.changes == 0 || is_better(&fix.figures, &advice->fix.figures)))
        advice->fix = fix;
}

/* ---- room ------------------------------------------------------------------------------------------------------- */

static double gcd(double a, double b)
{
    return b > 0 ? gcd(b, fmod(a, b)) : a;
}

static double lcm(double a, double b)
{
    return a / gcd(a, b) * b;
}

static const struct {
    enum param key;
    double limit;
} growing[ROOMS] = {{PARAM_train_micro_batch_size, 1 << 14},
                    {PARAM_train_seq_length, 1 << 24},
                    {PARAM_model_num_layers, 4096},
                    {PARAM_train_global_batch_size, 1 << 20}};

/* Step between values of a key that keep the rest valid. */
static double grain_of(const struct plan *plan, enum param key)
{
    enum { TOKENS = 128 }; /* rows of a matrix tile */
    double tp = KEY_OF(plan, parallel, tp), cp = KEY_OF(plan, parallel, cp),
           chunks = KEY_OF(plan, parallel, pp) * KEY_OF(plan, parallel, vpp),
           replica = KEY_OF(plan, parallel, dp) * KEY_OF(plan, train, micro_batch_size);
    if (key == PARAM_train_seq_length)
        return lcm(lcm(2 * cp, tp * cp), TOKENS);
    if (key == PARAM_model_num_layers)
        return chunks;
    return key == PARAM_train_global_batch_size
               ? replica * (KEY_OF(plan, parallel, vpp) > 1 ? KEY_OF(plan, parallel, pp) : 1)
               : 1;
}

static void begin_probe(struct advice *advice, enum verdict wanted)
{
    const struct room *room = &advice->room[advice->at];
    struct probe *probe = &advice->probe;
    *probe = (struct probe){.wanted = wanted,
                            .grain = grain_of(&advice->resolved, room->key),
                            .high = NAN};
    probe->offset = fmod(room->now, probe->grain);
    probe->limit = probe->offset + floor((growing[advice->at].limit - probe->offset) / probe->grain) * probe->grain;
    probe->value = room->now;
    if (room->key == PARAM_train_micro_batch_size)
        probe->value = 1;
}

/* The next divisor of the sequences of a replica, or NAN. */
static double next_micro_batch(const struct advice *advice, double value)
{
    double sequences = KEY_OF(&advice->resolved, train, global_batch_size) / KEY_OF(&advice->resolved, parallel, dp);
    for (value++; value <= sequences && value <= advice->probe.limit; value++)
        if (fmod(sequences, value) == 0)
            return value;
    return NAN;
}

/*
 * The value to try next, NAN at the end: doubled while it fits, then bisected, then eight steps further in case memory
 * falls again. Of micro-batches all valid values are tried.
 */
static double next_value(const struct advice *advice, struct probe *probe, bool fits)
{
    enum { BEYOND = 8 };
    double steps, value = probe->value;
    if (advice->room[advice->at].key == PARAM_train_micro_batch_size) {
        probe->low = fits ? value : probe->low;
        return next_micro_batch(advice, value);
    }
    if (fits && probe->beyond > 0) { /* memory fell: look on from here */
        probe->high = NAN;
        probe->beyond = 0;
    }
    if (fits)
        probe->low = value;
    else if (probe->beyond == 0)
        probe->high = value;
    if (isnan(probe->high)) {
        double next = fmax(2 * value - probe->offset, value + probe->grain);
        return value < probe->limit ? min(next, probe->limit) : NAN;
    }
    steps = floor((probe->high - probe->low) / probe->grain + 0.5);
    if (steps > 1 && probe->beyond == 0)
        return probe->high - floor(steps / 2) * probe->grain;
    return probe->beyond++ < BEYOND ? probe->high + probe->beyond * probe->grain : NAN;
}

static void end_probe(struct advice *advice)
{
    struct room *room = &advice->room[advice->at];
    const struct probe *probe = &advice->probe;
    bool is_endless = room->key != PARAM_train_micro_batch_size && isnan(probe->high);
    double found = !(probe->low > 0) ? NAN : is_endless ? INFINITY : probe->low;
    if (probe->wanted == VERDICT_FITS) {
        room->fits = found;
        begin_probe(advice, VERDICT_TIGHT);
        return;
    }
    room->tight = found;
    advice->at++;
    if (advice->at < ROOMS)
        begin_probe(advice, VERDICT_FITS);
}

static void step_room(struct advice *advice, struct estimate *scratch)
{
    struct figures figures;
    if (advice->now.verdict == VERDICT_UNKNOWN || advice->rooms == 0 || advice->at == ROOMS) {
        advice->phase = ADVICE_SENSITIVITY;
        advice->at = 0;
        return;
    }
    struct plan plan = advice->plan;
    struct change change = {advice->room[advice->at].key, advice->probe.value};
    param_set(&plan, change.key, change.value);
    if (change.key == PARAM_model_num_layers)
        param_clear(&plan, PARAM_parallel_pipeline_layout);
    estimate_plan(&plan, scratch);
    figures_of(scratch, &figures);
    advice->probe.value = next_value(advice, &advice->probe, figures.verdict <= advice->probe.wanted);
    if (isnan(advice->probe.value))
        end_probe(advice);
}

static void begin_rooms(struct advice *advice)
{
    bool is_known = isfinite(grain_of(&advice->resolved, PARAM_train_seq_length) +
                             grain_of(&advice->resolved, PARAM_train_global_batch_size));
    advice->rooms = is_known ? ROOMS : 0;
    for (int i = 0; i < advice->rooms; i++)
        advice->room[i] = (struct room){growing[i].key, advice->resolved.value[growing[i].key], NAN, NAN,
                                        grain_of(&advice->resolved, growing[i].key)};
}

/* ---- sensitivity ------------------------------------------------------------------------------------------------ */

static const enum param figures_of_hardware[] = {
    PARAM_hardware_peak_tflops,       PARAM_hardware_memory_gb_s,           PARAM_hardware_intra_node_gb_s,
    PARAM_hardware_inter_node_gb_s,   PARAM_hardware_intra_node_latency_us, PARAM_hardware_inter_node_latency_us,
    PARAM_hardware_host_gb_s,         PARAM_hardware_storage_gb_s,          PARAM_hardware_usable_gib,
    PARAM_hardware_gemm_efficiency,   PARAM_hardware_attention_efficiency,  PARAM_hardware_memory_efficiency,
    PARAM_hardware_link_efficiency,   PARAM_hardware_network_efficiency,    PARAM_hardware_fixed_overhead_ms,
    PARAM_hardware_price_per_gpu_hour, PARAM_hardware_mtbf_hours_per_gpu};

_Static_assert(LENGTH(figures_of_hardware) == SENSITIVITIES, "a row for each");

/* Per token; NAN without a price. */
static double cost_of(const struct estimate *e)
{
    return e->is_serving ? e->serving.cost_per_million_tokens : e->step.cost_per_1t_tokens;
}

static void insert_sensitivity(struct advice *advice, const struct sensitivity *row)
{
    int at = advice->sensitivities++;
    for (; at > 0 && advice->sensitivity[at - 1].relative > row->relative; at--)
        advice->sensitivity[at] = advice->sensitivity[at - 1];
    advice->sensitivity[at] = *row;
}

static void step_sensitivity(struct advice *advice, struct estimate *scratch)
{
    const double more = 1.1;
    if (advice->at == SENSITIVITIES || !advice->now.is_valid) {
        advice->phase = ADVICE_DONE;
        return;
    }
    struct sensitivity row = {.key = figures_of_hardware[advice->at++]};
    struct figures figures;
    struct plan plan = advice->plan;
    double value = advice->resolved.value[row.key];
    if (!(value > 0))
        return;
    param_set(&plan, row.key, more * value);
    estimate_plan(&plan, scratch);
    figures_of(scratch, &figures);
    row.delta_s = figures.iteration_s - advice->now.iteration_s;
    row.relative = row.delta_s / advice->now.iteration_s;
    row.headroom_bytes = figures.headroom_bytes - advice->now.headroom_bytes;
    row.cost = cost_of(scratch) / advice->cost - 1;
    if (isfinite(row.relative))
        insert_sensitivity(advice, &row);
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

void advice_begin(struct advice *advice, const struct plan *plan)
{
    advice->plan = *plan;
    advice->tried = advice->rows = advice->rooms = advice->sensitivities = advice->fix.changes = 0;
    advice->fixes = 0;
    memset(advice->fixed, 0, sizeof advice->fixed);
    advice->at = advice->changes = advice->other = advice->others = 0;
    advice->phase = ADVICE_NOW;
}

static void step_now(struct advice *advice, struct estimate *scratch)
{
    estimate_plan(&advice->plan, scratch);
    advice->resolved = scratch->plan;
    figures_of(scratch, &advice->now);
    advice->cost = cost_of(scratch);
    advice->changes = !scratch->is_computed   ? 0
                      : scratch->is_modelled || scratch->diags.errors > 0
                          ? change_list(&scratch->plan, advice->change)
                          : change_list_modelled(&scratch->plan, advice->change);
    if (advice->changes > 0 && advice->now.is_valid && !scratch->is_serving) {
        begin_rooms(advice);
        advice->at = 0;
        begin_probe(advice, VERDICT_FITS);
    }
    advice->phase = ADVICE_CHANGES;
}

bool advice_step(struct advice *advice, struct estimate *scratch, int estimates)
{
    static void (*const steps[])(struct advice *, struct estimate *) = {[ADVICE_NOW] = step_now,
                                                                        [ADVICE_CHANGES] = step_changes,
                                                                        [ADVICE_PAIRS] = step_pairs,
                                                                        [ADVICE_SAVINGS] = step_savings,
                                                                        [ADVICE_ROOM] = step_room,
                                                                        [ADVICE_SENSITIVITY] = step_sensitivity};
    for (; estimates > 0 && advice->phase != ADVICE_DONE; estimates--)
        steps[advice->phase](advice, scratch);
    return advice->phase != ADVICE_DONE;
}
