#include "core/estimate/symbols.h"

#include "core/base.h"
#include "core/plan/framework.h"
#include "core/plan/frozen.h"
#include "core/plan/kind.h"

#include <string.h>

/* A key of symbols_unparallel_plan(). */
static inline double undivided(const struct plan *resolved, enum param id)
{
    switch (id) {
    case PARAM_parallel_tp: case PARAM_parallel_pp: case PARAM_parallel_vpp: case PARAM_parallel_cp:
    case PARAM_parallel_ep: case PARAM_parallel_etp: case PARAM_parallel_dp:
        return 1;
    case PARAM_parallel_sp: case PARAM_parallel_zero_stage:
        return 0;
    case PARAM_model_make_vocab_size_divisible_by:
        /* the padded vocabulary stays that of the plan, so that its stages sum to this model */
        return resolved->value[id] * KEY_OF(resolved, parallel, tp);
    default:
        return resolved->value[id];
    }
}

const char *const basis_names[BASIS_COUNT] = {"exact", "formula", "measured", "interpolated", "borrowed", "calibrated"};

const struct term symbol_terms[] = {
#define MODULE(name_, module_, meaning_)                                                                              \
    {.name = #name_, .unit = "", .label = meaning_, .source = "", .basis = BASIS_EXACT,                               \
     .text = "the modules of train.recompute_modules, where train.recompute is selective and goes by modules",        \
     .offset = offsetof(struct symbols, name_)},
#define MEMBER(name_, text_, meaning_)                                                                                \
    {.name = #name_, .unit = "", .label = meaning_, .source = "", .basis = BASIS_EXACT, .text = text_,                \
     .offset = offsetof(struct symbols, name_)},
#define TARGET(name, targets, meaning) MEMBER(name, "the members of train.lora_targets", meaning)
#define SAVED(name, module, meaning) MEMBER(name, "the members of train.modules_to_save", meaning)
#define FACT(name_, fact_, unit_, meaning_)                                                                            \
    {.name = #name_, .unit = unit_, .label = meaning_, .source = "", .basis = BASIS_EXACT,                             \
     .text = "the properties of train.optimizer", .offset = offsetof(struct symbols, name_)},
#define NETWORK(name_, fact_, unit_, meaning_)                                                                         \
    {.name = #name_, .unit = unit_, .label = meaning_, .source = "", .basis = BASIS_MEASURED,                          \
     .text = "the properties of hardware.fabric, with their sources: shardtop list fabrics",                           \
     .offset = offsetof(struct symbols, name_)},
#define FREEZES(name, holds, meaning) MEMBER(name, "the parts of train.frozen", meaning)
#define KINDED(name, meaning, value) MEMBER(name, "the kind of the layer in model.layer_pattern", meaning)
#define BEHAVIOUR(name_, unit_, cell_, sentence_, source_)                                                            \
    {.name = #name_, .unit = unit_, .label = sentence_, .text = "", .source = source_, .basis = BASIS_EXACT,          \
     .offset = offsetof(struct symbols, name_)},
#define SYM(name_, key_, unit_, meaning_, expression_)                                                                \
    {.name = #name_, .key = key_, .unit = unit_, .label = meaning_, .text = #expression_, .source = "",               \
     .basis = BASIS_EXACT, .offset = offsetof(struct symbols, name_)},
#include "core/estimate/symbols.def"
#undef SYM
#undef MEMBER
};
const size_t symbol_term_count = LENGTH(symbol_terms);

const struct term *term_find(const struct term *rows, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].name[0] == name[0] && (length < 2 || rows[i].name[1] == name[1]) &&
            strncmp(rows[i].name, name, length) == 0 && !rows[i].name[length])
            return &rows[i];
    return NULL;
}

void symbols_take_sharded(const struct symbols *symbols, struct symbols *out)
{
#define SYM(name, ...) if (VARIES(name) & VARIES_SHARDED) out->name = symbols->name;
#include "core/estimate/symbols.def"
#undef SYM
}

void symbols_unparallel_plan(const struct plan *resolved, struct plan *out)
{
    *out = *resolved;
    for (int i = 0; i < PARAM_COUNT; i++)
        out->value[i] = undivided(resolved, (enum param)i);
}

#define KEY(group, key) (changed == VARIES_DIVIDED ? undivided(plan, PARAM_##group##_##key) : KEY_OF(plan, group, key))
#define GPU(key) (plan->gpu.key)
#define TAKEN(name) (changed & VARIES(name))

/* Works out the symbols that follow from what changed; inline, so that the others cost nothing. */
static inline __attribute__((always_inline)) void evaluate(const struct plan *plan, unsigned changed,
                                                           struct symbols *out)
{
    const enum framework_id id = (enum framework_id)KEY(framework, name), of = frameworks[id].of;
    const unsigned char kind = plan->kind ? plan->kind : kind_first(plan);
#define KEEP(name) if (TAKEN(name)) out->name = name;
#define SYM(name, key, unit, meaning, expression) const double name = TAKEN(name) ? (expression) : out->name; KEEP(name)
#define BEHAVIOUR(name, unit, cell, sentence, source) double name = TAKEN(name) ? (cell) : out->name; KEEP(name)
#define FRAMEWORK(row, ...) if (of == FRAMEWORK_##row) {
#define MODULE(name, module, meaning)                                                                                  \
    SYM(name, NULL, "", meaning, selective && !selective_policy &&                                                     \
        (unsigned)KEY(train, recompute_modules) & 1u << MODULE_##module)
#define TARGET(name, targets, meaning)                                                                                 \
    SYM(name, NULL, "", meaning, lora > 0 && ((unsigned)KEY(train, lora_targets) & (targets)) != 0)
#define SAVED(name, module, meaning)                                                                                   \
    SYM(name, NULL, "", meaning, lora > 0 && ((unsigned)KEY(train, modules_to_save) & 1u << module) != 0)
#define FACT(name, fact, unit, meaning)                                                                                \
    SYM(name, NULL, unit, meaning, optimizer_facts[(int)KEY(train, optimizer)].fact)
#define NETWORK(name, fact, unit, meaning)                                                                             \
    SYM(name, NULL, unit, meaning, fabric_facts[(int)KEY(hardware, fabric)].fact)
#define FREEZES(name, holds, meaning) SYM(name, NULL, "", meaning, holds(KEY(train, frozen)))
#define KINDED(name, meaning, value) SYM(name, NULL, "", meaning, value)
#define VERSION(row, ...) if (id == FRAMEWORK_##row) {
#define IS(behaviour, cell, source) if (TAKEN(behaviour)) out->behaviour = behaviour = (cell);
#define DONE }
#include "core/estimate/symbols.def"
#undef SYM
#undef KEEP
}

void symbols_of(const struct plan *plan, struct symbols *out)
{
    evaluate(plan, VARIES_ALL, out);
}

void symbols_again(const struct plan *plan, enum varies changed, struct symbols *out)
{
    if (changed == VARIES_SHARDED)
        evaluate(plan, VARIES_SHARDED, out);
    else if (changed == VARIES_RECOMPUTED)
        evaluate(plan, VARIES_RECOMPUTED, out);
    else if (changed == VARIES_PIPELINED)
        evaluate(plan, VARIES_SHARDED | VARIES_RECOMPUTED | VARIES_PIPELINED, out);
    else
        evaluate(plan, VARIES_SHARDED | VARIES_RECOMPUTED, out);
}

void symbols_unparallel(const struct plan *resolved, const struct symbols *symbols, struct symbols *out)
{
    *out = *symbols;
    evaluate(resolved, VARIES_DIVIDED, out);
}
