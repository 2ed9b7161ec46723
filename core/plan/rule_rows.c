/* core/plan/rule_rows.c - whether rules hold: the texts of core/plan/rule.def as code. */
#include "core/plan/rule.h"

#include "core/estimate/symbols.h"
#include "core/plan/frozen.h"
#include "core/plan/kind.h"
#include "core/plan/split.h"

#include <math.h>

#define KEY(group, key) KEY_OF(plan, group, key)

static bool whole(double value)
{
    return value == floor(value);
}

/* The width of an attention head that a kernel meets; 0 where no layer has attention by queries, keys and values. */
static double widest_of(const struct plan *plan, double width)
{
    return kind_attends(layer_mixer(kind_first(plan))) ? width : 0;
}

static bool divides(double divisor, double value)
{
    return divisor > 0 && whole(value / divisor);
}

/* An unknown operand breaks no rule but the one that asks for it. */
void rule_unheld(const struct plan *plan, const struct symbols *symbols, const struct rule_extra *extra,
                 struct rule_unheld *out)
{
#include "core/estimate/locals.def"
    const double gpus = extra->gpus, chunk_layers = extra->chunk_layers, played = extra->played;
    const bool splits = !isnan(chunk_layers);
    const bool nodes_given = plan->from[PARAM_hardware_nodes] > FROM_DERIVED;
    const bool dp_given = plan->from[PARAM_parallel_dp] > FROM_DERIVED;
    const bool framework_given = plan->from[PARAM_framework_name] > FROM_DERIVED;
    const double widest_head = widest_of(plan, mla ? max(qn + qr, KEY(model, v_head_dim)) : k);
    const double cudnn_head = 128, latent_head = 192, widest_flash = 256; /* widths of heads that kernels take */
    const double first_fp8 = 8.9; /* compute capability */
    const double latent_fa3 = 2.08, latent_flash = 2.17; /* TransformerEngine */
    enum rule_id *next = out->rule;
#define RULE(id, kind, group, key, holds, message)                                                                     \
    if (__builtin_expect(!(holds), 0))                                                                                \
        *next++ = RULE_##id;
#include "core/plan/rule.def"
#undef RULE
    out->count = (int)(next - out->rule);
}

/* What a rule follows from: none of the others, the pipeline, sharding as well, or recomputation as well. */
enum part { PART_REST, PART_PIPELINE, PART_SHARDING, PART_RECOMPUTE };
#define PART_OF(id)                                                                                                    \
    (VARIES(id) & VARIES_RECOMPUTED  ? PART_RECOMPUTE                                                                  \
     : VARIES(id) & VARIES_SHARDED   ? PART_SHARDING                                                                   \
     : VARIES(id) & VARIES_PIPELINED ? PART_PIPELINE                                                                   \
                                     : PART_REST)

/*
 * Whether a rule of a kind that does not hold keeps every layout like it out of searches: of a framework's own checks
 * only those on keys in which layouts differ. The others are asked of the few layouts that may be among the results.
 */
#define FORBIDS(kind, key)                                                                                             \
    ((kind) <= RULE_KIND_MISSING || (kind) == RULE_KIND_UNMODELLED ||                                                  \
     ((kind) == RULE_KIND_REFUSED && rule_is_of_layout(key)))

/* Whether the rules of a part that forbid a plan hold; `splits` where they ask whether its layers spread as asked. */
static inline __attribute__((always_inline)) bool rules_hold(const struct plan *plan, const struct symbols *symbols,
                                                             enum part part, bool splits)
{
#include "core/estimate/locals.def"
    const double gpus = KEY(hardware, nodes) * KEY(hardware, gpus_per_node);
    const double chunk_layers __attribute__((unused)) = 0, played __attribute__((unused)) = 0;
    const bool nodes_given = plan->from[PARAM_hardware_nodes] > FROM_DERIVED;
    const bool dp_given = plan->from[PARAM_parallel_dp] > FROM_DERIVED;
    const bool framework_given = plan->from[PARAM_framework_name] > FROM_DERIVED;
    const double widest_head = widest_of(plan, mla ? max(qn + qr, KEY(model, v_head_dim)) : k);
    const double cudnn_head = 128, latent_head = 192, widest_flash = 256; /* widths of heads that kernels take */
    const double first_fp8 = 8.9; /* compute capability */
    const double latent_fa3 = 2.08, latent_flash = 2.17; /* TransformerEngine */
#define RULE(id, kind, group, key, holds, message)                                                                     \
    if (FORBIDS(RULE_KIND_##kind, PARAM_##group##_##key) && PART_OF(id) == part && !(holds))                           \
        return false;
#include "core/plan/rule.def"
#undef RULE
    return true;
}

bool rule_allows_rest(const struct plan *resolved, const struct symbols *symbols)
{
    return rules_hold(resolved, symbols, PART_REST, false);
}

bool rule_allows_pipeline(const struct plan *resolved, const struct symbols *symbols, bool splits)
{
    return rules_hold(resolved, symbols, PART_PIPELINE, splits);
}

bool rule_allows_sharding(const struct plan *resolved, const struct symbols *symbols)
{
    return rules_hold(resolved, symbols, PART_SHARDING, false);
}

bool rule_allows_recompute(const struct plan *resolved, const struct symbols *symbols)
{
    return rules_hold(resolved, symbols, PART_RECOMPUTE, false);
}
