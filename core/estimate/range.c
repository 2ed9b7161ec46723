#include "core/estimate/range.h"

#include "core/base.h"
#include "core/estimate/pipeline.h"
#include "core/plan/question.h"
#include "core/plan/split.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const verdict_names[VERDICT_COUNT] = {"fits", "tight", "no", "unknown"};

/* ---- how far the plan is from measured runs ---------------------------------------------------------------------- */

const struct range_row range_rows[RANGE_COUNT] = {
#define RANGE(id_, label_) [RANGE_##id_] = {.id = #id_, .label = label_, .why = "", .remedy = "", .param = PARAM_COUNT},
#define EXTRA(id_, label_, why_, level_, least_, group_, key_, present_, remedy_)                                      \
    [RANGE_##id_] = {#id_, label_, why_, remedy_, LEVEL_##level_, least_, PARAM_##group_##_##key_},
#include "core/estimate/range.def"
};

const double range_sigmas[RANGE_COUNT] = {
#define SIGMA(id, sigma, runs, sources) [RANGE_##id] = sigma,
#include "core/estimate/sigma.def"
};

/* The ends of each level, in thousandths. */
enum {
#define ENDS(id, fast, slow, runs, sources) FAST_##id = (int)((fast)*1000 + 0.5), SLOW_##id = (int)((slow)*1000 + 0.5),
#include "core/estimate/sigma.def"
};

const struct range_level_row range_levels[LEVEL_COUNT] = {
#define LEVEL(id_, word_, pair_, noise_, memory_)                                                                      \
    [LEVEL_##id_] = {#id_, word_, pair_, noise_, memory_, FAST_##id_ / 1000.0, SLOW_##id_ / 1000.0},
#include "core/estimate/range.def"
};

static bool is_given(const struct plan *plan, enum param id)
{
    return plan->from[id] > FROM_DERIVED;
}

/* Whether the efficiency of large products is the user's own, not that of the GPU's file. */
static bool has_own_rate(const struct plan *plan)
{
    return is_given(plan, PARAM_hardware_gemm_efficiency) && plan->from[PARAM_hardware_gemm_efficiency] != FROM_PRESET;
}

double range_fastest(const struct estimate *e)
{
    return e->symbols.fp8 > 0 || has_own_rate(&e->plan) ? NAN : e->plan.gpu.gemm_fastest / e->plan.gpu.gemm_efficiency;
}

enum param range_assumed(const struct plan *plan)
{
    const uint8_t *from = plan->from, *end = from + PARAM_COUNT;
    for (const uint8_t *at = from; (at = memchr(at, FROM_ASSUMED, (size_t)(end - at))); at++)
        if (at != &from[PARAM_hardware_gpu] && at != &from[PARAM_hardware_nodes])
            return (enum param)(at - from);
    return PARAM_COUNT;
}

/* Sets the shares of extras; `host_share` is the host's time over the GPU's. */
static void find_extras(const struct plan *resolved, const struct symbols *symbols, double host_share,
                        double share[RANGE_COUNT])
{
    const char *basis = gpu_basis(&resolved->gpu, symbols->fp8 > 0), *vendor = resolved->gpu.vendor;
    const bool given = has_own_rate(resolved),
               relative = !given && (strcmp(basis, "relative") == 0 || strcmp(basis, "borrowed") == 0),
               kernels = !given && strcmp(basis, "kernels") == 0,
               guess = !given && !relative && !kernels && strcmp(basis, "measured") != 0,
               foreign = vendor[0] && strcmp(vendor, "nvidia") != 0, assumed = range_assumed(resolved) != PARAM_COUNT;
#include "core/estimate/locals.def"
#define EXTRA(id, label, why, level, least, group, key, present, remedy) share[RANGE_##id] = (present);
#include "core/estimate/range.def"
}

enum range_level range_level_of(const double share[RANGE_COUNT], const struct range_row **why)
{
    enum range_level level = LEVEL_NEAR;
    double largest = 0;
    *why = NULL;
    for (int i = RANGE_PARTS; i < RANGE_COUNT; i++) {
        const struct range_row *row = &range_rows[i];
        double spread = share[i] * range_sigmas[i];
        if (!(share[i] > row->least) || row->level == LEVEL_NEAR || row->level < level ||
            (row->level == level && spread <= largest))
            continue;
        level = row->level;
        largest = spread;
        *why = row;
    }
    return level;
}

const struct range_row *range_far(const struct estimate *e)
{
    double share[RANGE_COUNT];
    const struct range_row *why;
    find_extras(&e->plan, &e->symbols, 0, share);
    return range_level_of(share, &why) == LEVEL_FAR ? why : NULL;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

const struct term memory_range_terms[] = {
#define ROW_(name_, unit_, label_, text_, source_)                                                                     \
    {.name = #name_, .unit = unit_, .label = label_, .text = text_, .source = source_, .basis = BASIS_MEASURED,        \
     .offset = offsetof(struct memory_range, name_)},
#define GIVEN(name, unit, label, words) ROW_(name, unit, label, words, "")
#define TERM(name, unit, label, expression, source) ROW_(name, unit, label, #expression, source)
#include "core/estimate/range.def"
};
const size_t memory_range_term_count = LENGTH(memory_range_terms);

static inline __attribute__((always_inline)) void evaluate_memory(const struct symbols *symbols,
                                                                  const struct stage *sheet, struct memory_range *out)
{
#include "core/estimate/locals.def"
#include "core/estimate/stage_locals.def"
#define GIVEN(name, ...) const double name = out->name;
#define TERM(name, unit, label, expression, source)                                                                    \
    const double name __attribute__((unused)) = out->name = (expression);
#include "core/estimate/range.def"
}

static inline __attribute__((always_inline)) void range_stage(const struct plan *resolved,
                                                              const struct symbols *symbols, const struct stage *stage,
                                                              struct memory_range *out)
{
    double share[RANGE_COUNT];
    const struct range_row *why;
    find_extras(resolved, symbols, 0, share);
    out->unlike = symbols->like > 0 || strcmp(resolved->gpu.vendor, "google") == 0;
    out->guessed = share[RANGE_GUESSED];
    out->distance = range_levels[range_level_of(share, &why)].memory;
    out->cache_given = is_given(resolved, PARAM_hardware_fragmentation);
    out->context_given = is_given(resolved, PARAM_hardware_context_gib);
    out->usable_given = is_given(resolved, PARAM_hardware_usable_gib);
    evaluate_memory(symbols, stage, out);
}

double range_stage_deviations(const struct plan *resolved, const struct symbols *symbols, const struct stage *stage)
{
    struct memory_range range;
    range_stage(resolved, symbols, stage, &range);
    return range.fit_deviations;
}

void range_memory(const struct estimate *e, int stage, struct memory_range *out)
{
    range_stage(&e->plan, &e->symbols, &e->stage[stage], out);
}

struct interval range_memory_ends(const struct estimate *e, int stage, int depth)
{
    struct memory_range range;
    if (!e->is_modelled || e->is_serving)
        return (struct interval){NAN, NAN};
    range_memory(e, stage, &range);
    return depth == 1   ? (struct interval){range.allocated_low, range.allocated_high}
           : depth == 2 ? (struct interval){range.reserved_low, range.reserved_high}
                        : (struct interval){range.device_low, range.device_high};
}

double range_fit_probability(const struct estimate *e)
{
    double least = NAN;
    if (!e->is_computed || e->is_serving || e->is_rl || e->diags.errors > 0 || isnan(e->headroom_bytes))
        return NAN;
    if (!e->host_fits)
        return 0;
    for (int i = 0; i < e->stages; i++) {
        struct memory_range range;
        range_memory(e, i, &range);
        if (!(range.fit_probability >= least))
            least = range.fit_probability;
    }
    return least;
}

bool range_hangs_on_length(const struct estimate *e)
{
    const struct rl *rl = &e->rl;
    const struct stage *stage = &e->stage[e->peak_stage];
    double packing = e->plan.value[PARAM_train_packing];
    if (!e->is_rl)
        return packing == PACKING_PADDED && isnan(e->plan.value[PARAM_train_mean_tokens]) && !e->is_serving &&
               stage->weights_bytes + stage->gradients_bytes + stage->optimizer_bytes < e->usable_bytes;
    return packing == PACKING_PADDING_FREE &&
           fmax(fmax(rl->rollout_bytes, rl->resharding_bytes), rl->step_bytes) <= rl->total_bytes;
}

enum verdict range_verdict(const struct estimate *e)
{
    return range_verdict_at(e, verdict_fits);
}

/* The verdict where nothing was assumed. */
static enum verdict plain_verdict(const struct estimate *e, double p, double sure)
{
    if (e->is_rl && e->diags.errors == 0 && isfinite(e->headroom_bytes))
        return rl_fits(&e->rl) > 0 ? VERDICT_FITS : isnan(rl_fits(&e->rl)) ? VERDICT_TIGHT : VERDICT_NO;
    if (e->is_serving && e->diags.errors == 0 && isfinite(e->headroom_bytes))
        return !e->fits                                                               ? VERDICT_NO
               : e->serving.has_engine > 0 && serving_why(&e->serving) != SERVING_STARTS ? VERDICT_TIGHT
                                                                                      : VERDICT_FITS;
    return isnan(p) ? VERDICT_UNKNOWN : p >= sure ? VERDICT_FITS : p <= verdict_no ? VERDICT_NO : VERDICT_TIGHT;
}

/*
 * True where any number of GPUs that holds the layout gives the same verdict: states are not sharded, or one replica,
 * which has them whole, fits, or what is left without them does not.
 */
static bool is_of_any_count(const struct estimate *e, enum verdict plain)
{
    const struct stage *stage = &e->stage[e->peak_stage];
    double states = stage->weights_bytes + stage->gradients_bytes + stage->optimizer_bytes;
    double whole = states * (e->plan.value[PARAM_parallel_dp] - 1);
    if (e->is_serving || !(e->symbols.zs > 0))
        return true;
    return plain == VERDICT_FITS ? whole <= e->headroom_bytes : plain == VERDICT_NO && states < -e->headroom_bytes;
}

/* The facts of a verdict that question_is_decisive() needs. */
static int fits_of(const struct estimate *e, enum verdict plain)
{
    return plain == VERDICT_NO ? -1 : plain == VERDICT_FITS && !e->is_serving;
}

bool range_hangs_on(const struct estimate *e, enum param key, double sure)
{
    enum verdict plain = plain_verdict(e, range_fit_probability(e), sure);
    return question_decides(&e->plan, key, fits_of(e, plain), is_of_any_count(e, plain));
}

enum verdict range_verdict_at(const struct estimate *e, double sure)
{
    enum verdict plain = plain_verdict(e, range_fit_probability(e), sure);
    bool is_open = question_is_decisive(&e->plan, fits_of(e, plain), is_of_any_count(e, plain)) ||
                   (plain == VERDICT_NO && range_hangs_on_length(e));
    return is_open ? VERDICT_UNKNOWN : plain;
}

/* ---- time ------------------------------------------------------------------------------------------------------- */

/* The part that the traffic of a dimension belongs to. */
static const enum range_part part_of[COMM_DIM_COUNT] = {
    [COMM_TP] = RANGE_TP, [COMM_CP] = RANGE_CP, [COMM_PP] = RANGE_PP, [COMM_DP] = RANGE_DP,
    [COMM_EP] = RANGE_EP, [COMM_ETP] = RANGE_EP, [COMM_EDP] = RANGE_DP, [COMM_EMBEDDING] = RANGE_DP};

/* The parts that operators consist of; the others change no operator. */
static const bool op_parts[RANGE_PARTS] = {
    [RANGE_PRODUCTS] = true, [RANGE_EXPERTS] = true, [RANGE_MEMORY] = true, [RANGE_ATTENTION] = true};

/* What an operator takes longer when one part of its time takes `more` of it longer: what sums are made of. */
static struct op_time longer(const struct op *op, const struct op_time *time, enum range_part part, double more)
{
    bool is_product = part == (op->is_expert ? RANGE_EXPERTS : RANGE_PRODUCTS), is_memory = part == RANGE_MEMORY,
         is_attention = part == RANGE_ATTENTION;
    double products = more * is_product, attention = more * is_attention, memory = more * is_memory;
    struct op_time out = {0};
    out.gemm_wgrad_s = products * time->gemm_wgrad_s;
    out.forward_s =
        products * time->gemm_forward_s + attention * time->attention_forward_s + memory * time->memory_forward_s;
    out.backward_s = products * (time->gemm_dgrad_s + time->gemm_wgrad_s) + attention * time->attention_backward_s +
                     memory * time->memory_backward_s;
    out.repeat_s = op->repeats * (products * time->gemm_forward_s + attention * time->attention_forward_s) +
                   op->kernels_repeat * memory * time->memory_forward_s;
    return out;
}

/* Adds what an operator takes longer to the sums over the sets that it is in. */
static void add_longer(enum op_id id, const struct op_time *one, struct pass *out)
{
#define FOLD_PASS(name, unit, label, set, column) out->name += op_is_in(SET_##set, id) ? one->column : 0;
#include "core/estimate/timing.def"
}

/* Seconds that the layers take longer, in the members of `out` that are sums over operators. */
static void sum_longer(const struct symbols *symbols, enum range_part part, double more, struct pass *out)
{
    *out = (struct pass){0};
    if (!op_parts[part])
        return;
    for (int i = 0; i < OP_COUNT; i++) {
        struct op op;
        struct op_time time;
        op_evaluate(symbols, (enum op_id)i, &op);
        if (op.when == 0)
            continue;
        timing_op(symbols, &op, &time);
        time = longer(&op, &time, part, more);
        add_longer((enum op_id)i, &time, out);
    }
}

/* The passes of a stage before traffic, with what its layers take longer. */
static struct pass longer_pass(const struct pass *pass, const struct pass *more)
{
    struct pass out = *pass;
#define FOLD_PASS(name, ...) out.name += more->name;
#include "core/estimate/timing.def"
    return out;
}

/* Seconds of the iteration when a part takes `more` of its time longer. */
static double iteration_with(const struct estimate *e, const struct split *split, enum range_part part, double more)
{
    struct pass passes[STAGES_MAX];
    struct pass more_of;
    struct pipeline all = {0};
    struct comm_table comm;
    double slower[COMM_DIM_COUNT], exposed_s[COMM_DIM_COUNT];
    struct symbols symbols = e->symbols;
    const struct pipeline_sheets sheets = {e->stage, passes, NULL};
    symbols.host_dense_s *= 1 + more * (part == RANGE_HOST);
    symbols.host_expert_s *= 1 + more * (part == RANGE_HOST);
    symbols.host_recurrent_s *= 1 + more * (part == RANGE_HOST);
    symbols.gather_copy *= 1 + more * (part == RANGE_MEMORY);
    symbols.scatter_copy *= 1 + more * (part == RANGE_MEMORY);
    for (int i = 0; i < COMM_DIM_COUNT; i++)
        slower[i] = 1 + more * (part_of[i] == part);
    sum_longer(&e->symbols, part, more, &more_of);
    comm_clear(&comm, NULL);
    for (int i = 0; i < e->stages; i++) {
        passes[i] = longer_pass(&e->pass[i], &more_of);
        pipeline_time(&symbols, &e->stage[i], &e->grid, slower, &comm, &passes[i], exposed_s);
        pipeline_add(&all, &e->stage[i], &passes[i], exposed_s, 1);
    }
    if (e->schedule.kind == SCHEDULE_DUALPIPE)
        pipeline_pair(&sheets, e->stages, &all.step);
    all.step.played_s = e->stages > 1 ? pipeline_play(&e->schedule, split, &sheets, NULL, NULL) : NAN;
    timing_step(&symbols, &all.step);
    return all.step.estimated_s;
}

/* The share of a part: of which the step is the sum, or that other parts make longer, too. */
static double share_of(const struct estimate *e, const struct split *split, enum range_part part)
{
    const double more = range_step, whole_s = e->step.estimated_s;
    switch (part) {
    case RANGE_BUBBLE:
        return e->step.bubble_s / whole_s;
    case RANGE_STEP:
        return (e->step.optimizer_s + e->step.host_adam_s + e->symbols.overhead * 1e-3) / whole_s;
    default:
        return log(iteration_with(e, split, part, more) / whole_s) / log(1 + more);
    }
}

/* Standard deviation of shares; `sigma` has one value a part. */
static double sigma_of(const double share[RANGE_COUNT], const double sigma[RANGE_COUNT])
{
    double sum = 0;
    for (int i = 0; i < RANGE_COUNT; i++)
        sum += share[i] * sigma[i] * share[i] * sigma[i];
    return sqrt(sum);
}

const struct term time_ends_terms[] = {
#define TIME_ROW(name_, unit_, label_, text_, source_)                                                                 \
    {.name = #name_, .unit = unit_, .label = label_, .text = text_, .source = source_, .basis = BASIS_MEASURED,        \
     .offset = offsetof(struct time_ends, name_)},
#define GIVEN_TIME(name, unit, label, words) TIME_ROW(name, unit, label, words, "")
#define TERM_TIME(name, unit, label, expression, source) TIME_ROW(name, unit, label, #expression, source)
#include "core/estimate/range.def"
};
const size_t time_ends_term_count = LENGTH(time_ends_terms);

static void evaluate_ends(struct time_ends *out)
{
#define GIVEN_TIME(name, ...) const double name = out->name;
#define TERM_TIME(name, unit, label, expression, source)                                                               \
    const double name __attribute__((unused)) = out->name = (expression);
#include "core/estimate/range.def"
}

void range_ends(const struct estimate *estimate, const struct time_range *range, struct time_ends *out)
{
    const struct range_level_row *level = &range_levels[range->level];
    *out = (struct time_ends){.iteration = estimate->step.estimated_s, .sigma = range->sigma,
                              .fast_sigmas = level->fast, .slow_sigmas = level->slow,
                              .near_full = range->is_near_full, .faster = range->faster};
    evaluate_ends(out);
}

/* Range over estimate at a level, from the deviation alone. */
static struct interval factor_of(double sigma, enum range_level level)
{
    struct time_ends ends = {.sigma = sigma, .fast_sigmas = range_levels[level].fast,
                             .slow_sigmas = range_levels[level].slow};
    evaluate_ends(&ends);
    return (struct interval){ends.low_factor, ends.high_factor};
}

/* ---- why a range is as wide as it is ---------------------------------------------------------------------------- */

/* Puts the largest reasons first, and says how many make up `enough` of the variance. */
static int sort_reasons(struct range_reason reason[], int count, double enough)
{
    double seen = 0;
    for (int i = 1; i < count; i++) {
        struct range_reason one = reason[i];
        int at = i;
        for (; at > 0 && reason[at - 1].weight < one.weight; at--)
            reason[at] = reason[at - 1];
        reason[at] = one;
    }
    for (int i = 0; i < count; i++) {
        seen += reason[i].weight;
        if (seen >= enough || reason[i].weight == 0)
            return i + (reason[i].weight > 0);
    }
    return count;
}

void range_label(const struct time_range *range, enum range_part part, char out[RANGE_LABEL_MAX])
{
    bool is_named = part == RANGE_GPUREL && range->borrowed_from[0];
    snprintf(out, RANGE_LABEL_MAX, "%s%.30s", is_named ? "GPU efficiencies borrowed from " : range_rows[part].label,
             is_named ? range->borrowed_from : "");
}

void range_why(const struct time_range *range, char out[RANGE_WHY_MAX])
{
    bool is_borrowed = range->why == &range_rows[RANGE_GPUREL] && range->borrowed_from[0];
    if (range->calibrated_runs > 0)
        snprintf(out, RANGE_WHY_MAX, "calibrated on %d run%s", range->calibrated_runs,
                 range->calibrated_runs == 1 ? "" : "s");
    else
        snprintf(out, RANGE_WHY_MAX, "%s%.30s", is_borrowed ? "GPU as " : range->why ? range->why->why : "",
                 is_borrowed ? range->borrowed_from : "");
}

/* Share of the variance that a part or a distance makes. */
static double weight_of(const struct time_range *range, enum range_part part)
{
    double spread = range->share[part] * range_sigmas[part], whole = sigma_of(range->share, range_sigmas);
    return spread * spread / (whole * whole);
}

double range_widens(const struct time_range *range, enum range_part part)
{
    return 1 / sqrt(1 - weight_of(range, part));
}

int range_reasons(const struct time_range *range, struct range_reason out[RANGE_COUNT])
{
    if (!isfinite(range->sigma))
        return 0;
    for (int i = 0; i < RANGE_COUNT; i++) {
        double spread = range->share[i] * range_sigmas[i];
        struct interval alone = factor_of(spread, range->level);
        out[i] = (struct range_reason){.remedy = range_rows[i].remedy,
                                       .sigma = spread,
                                       .share = i < RANGE_PARTS ? range->share[i] : (double)NAN,
                                       .low = alone.low - 1,
                                       .high = alone.high - 1,
                                       .weight = weight_of(range, (enum range_part)i),
                                       .widens = range_widens(range, (enum range_part)i)};
        range_label(range, (enum range_part)i, out[i].label);
    }
    return sort_reasons(out, RANGE_COUNT, reasons_shown);
}

int range_memory_reasons(const struct estimate *estimate, int stage, int depth, struct range_reason out[MEMORY_REASONS])
{
    struct memory_range range;
    range_memory(estimate, stage, &range);
    const struct stage *sheet = &estimate->stage[stage];
    const double value = depth == 1 ? sheet->allocated_bytes : depth == 2 ? sheet->reserved_bytes : sheet->device_bytes;
    const double allocated = depth == 1 ? range.allocated_high - sheet->allocated_bytes : range.allocated_half;
    const struct range_reason all[MEMORY_REASONS] = {
        {.label = "allocated memory", .low = -allocated, .high = allocated},
        {.label = "memory kept by the allocator", .low = -range.cache_under, .high = range.cache_over},
        {.label = "memory outside PyTorch", .low = -range.context_under, .high = range.context_over},
        {.label = "what another program or setting keeps", .low = -range.stack_under, .high = range.stack_over}};
    double sum = 0;
    if (!isfinite(range.upper_half) || !(value > 0))
        return 0;
    int count = depth < MEMORY_REASONS - 1 ? depth : MEMORY_REASONS - (range.stack_under + range.stack_over == 0);
    for (int i = 0; i < count; i++) {
        double width = all[i].high - all[i].low;
        out[i] = all[i];
        out[i].share = NAN;
        out[i].low /= value;
        out[i].high /= value;
        out[i].weight = width * width;
        sum += width * width;
    }
    for (int i = 0; i < count; i++)
        out[i].weight = sum > 0 ? out[i].weight / sum : 0;
    return sort_reasons(out, count, 1);
}

/* What the shares make of the range. */
static void finish_range(const struct estimate *e, struct time_range *out)
{
    const struct pass *binding = &e->pass[e->binding_stage];
    double host_share = binding->busy_s > 0 ? min(1, binding->host_s / binding->busy_s) : 0;
    find_extras(&e->plan, &e->symbols, host_share, out->share);
    out->level = range_level_of(out->share, &out->why);
    if (out->share[RANGE_GPUREL] > 0)
        memcpy(out->borrowed_from, e->plan.gpu.efficiency_from, sizeof out->borrowed_from);
    if (!out->why && out->share[RANGE_GPUREL] > 0)
        out->why = &range_rows[RANGE_GPUREL];
    out->is_near_full = e->symbols.zs >= 3 &&
                        e->stage[e->peak_stage].device_bytes > full_card * e->usable_bytes;
    if (e->symbols.measured_s > 0)
        return;
    out->sigma = sigma_of(out->share, range_sigmas);
    out->calibrated_runs = (int)e->symbols.calibrated;
    if (out->calibrated_runs > 0)
        out->sigma *= sqrt(1 - range_common * (1 - e->symbols.calibrated_left));
    double fastest = range_fastest(e);
    out->faster = fastest > 1 ? out->share[RANGE_PRODUCTS] * log(fastest) : 0;
    struct time_ends ends;
    range_ends(e, out, &ends);
    out->factor = (struct interval){ends.low_factor, ends.high_factor};
}

bool range_time_step(const struct estimate *e, int part, struct time_range *out)
{
    struct split split;
    if (part == 0)
        *out = (struct time_range){.sigma = NAN, .factor = {NAN, NAN}};
    if (!e->is_computed || !e->is_modelled || e->is_serving || !(e->step.estimated_s > 0) ||
        split_layers(&e->plan, &split) == SPLIT_NONE)
        return false;
    if (part < RANGE_PARTS)
        out->share[part] = share_of(e, &split, (enum range_part)part);
    else
        finish_range(e, out);
    return part < RANGE_PARTS;
}

void range_time(const struct estimate *e, struct time_range *out)
{
    for (int part = 0; range_time_step(e, part, out); part++)
        ;
}

struct interval range_of(const struct time_range *range, double value, int power)
{
    if (power == 0)
        return (struct interval){NAN, NAN};
    return power > 0 ? (struct interval){value * range->factor.low, value * range->factor.high}
                     : (struct interval){value / range->factor.high, value / range->factor.low};
}

double range_faster(const struct time_range *a, const struct time_range *b, const double sigma[RANGE_COUNT],
                    double log_ratio)
{
    double apart[RANGE_COUNT];
    for (int i = 0; i < RANGE_COUNT; i++)
        apart[i] = a->share[i] - b->share[i];
    double between = sigma_of(apart, sigma);
    const struct range_level_row *level = &range_levels[a->level > b->level ? a->level : b->level];
    double deviation = sqrt(level->pair * between * level->pair * between + 2 * level->noise * level->noise);
    return min(max(normal(log_ratio / deviation), 1 - pair_sure), pair_sure);
}
