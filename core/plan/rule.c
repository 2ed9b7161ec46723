#include "core/plan/rule.h"

#include "core/base.h"
#include "core/estimate/simulate.h"
#include "core/estimate/symbols.h"
#include "core/plan/framework.h"
#include "core/plan/split.h"

#include <math.h>
#include <string.h>

struct rule {
    const char *id, *message;
    enum rule_kind kind;
    enum param param;
};

static const struct rule rules[RULE_COUNT] = {
#define RULE(id_, kind_, group_, key_, holds_, message_) {#id_, message_, RULE_KIND_##kind_, PARAM_##group_##_##key_},
#include "core/plan/rule.def"
#undef RULE
};

/* The most layers of a chunk; unknown when the layers do not spread as asked. */
static double largest_chunk(const struct plan *plan)
{
    struct split split;
    return split_quickly(plan, &split) == SPLIT_EXACT ? split.most : NAN;
}

#define KEY(group, key) KEY_OF(plan, group, key)

/* Micro-batches of the schedule that are played pass by pass. */
static double played_of(const struct plan *plan, const struct symbols *y)
{
    if (!(y->p * y->V >= 1 && y->p * y->V < INT16_MAX && y->N >= 1 && y->N < INT16_MAX))
        return NAN;
    return simulate_played(
        &(struct schedule_shape){(int)KEY(parallel, schedule), (int)y->p, (int)y->V, (int)y->N, y->m});
}

/* What messages and rules name beside symbols, and the rules that do not hold. */
static void evaluate(const struct plan *plan, const struct symbols *y, struct rule_extra *extra,
                     struct rule_unheld *unheld)
{
    *extra = (struct rule_extra){.gpus = KEY(hardware, nodes) * KEY(hardware, gpus_per_node),
                                 .tpc = y->t * y->p * y->c, .bd = y->b * y->d, .played = played_of(plan, y),
                                 .chunk_layers = largest_chunk(plan),
                                 .framework = frameworks[(int)KEY(framework, name)].name};
    rule_unheld(plan, y, extra, unheld);
    int kept = 0; /* a training framework does not decide what a server loads */
    for (int i = 0; i < unheld->count; i++)
        if (rules[unheld->rule[i]].kind != RULE_KIND_REFUSED || KEY(plan, workload) != WORKLOAD_INFERENCE)
            unheld->rule[kept++] = unheld->rule[i];
    unheld->count = kept;
}

/* Whether one of the rules that do not hold is of a kind. */
static bool has_kind(const struct rule_unheld *unheld, enum rule_kind kind)
{
    for (int i = 0; i < unheld->count; i++)
        if (rules[unheld->rule[i]].kind == kind)
            return true;
    return false;
}

/* While a number is missing, of the rules that do not hold only the one that names it is broken. */
static bool is_broken(const struct rule *rule, bool is_complete)
{
    return is_complete || rule->kind == RULE_KIND_MISSING || rule->kind == RULE_KIND_UNMODELLED;
}

/* The rules of some kinds that a resolved plan breaks. */
static void find_broken(const struct plan *resolved, bool others_too, struct rule_set *out)
{
    struct symbols symbols;
    struct rule_extra extra;
    struct rule_unheld unheld;
    symbols_of(resolved, &symbols);
    evaluate(resolved, &symbols, &extra, &unheld);
    bool is_complete = !has_kind(&unheld, RULE_KIND_MISSING);
    *out = (struct rule_set){0};
    for (int i = 0; i < unheld.count; i++) {
        const struct rule *rule = &rules[unheld.rule[i]];
        bool is_other = rule->kind == RULE_KIND_UNMODELLED || rule->kind == RULE_KIND_REFUSED;
        bool is_meant = rule->kind <= RULE_KIND_MISSING || (others_too && is_other);
        out->has[unheld.rule[i]] = is_meant && is_broken(rule, is_complete);
    }
}

void rule_broken(const struct plan *resolved, struct rule_set *out)
{
    find_broken(resolved, false, out);
}

void rule_forbidding(const struct plan *resolved, struct rule_set *out)
{
    find_broken(resolved, true, out);
}

bool rule_adds_refusal(const struct plan *resolved, const struct plan *base)
{
    struct rule_set now, before;
    rule_forbidding(resolved, &now);
    rule_forbidding(base, &before);
    for (int i = 0; i < RULE_COUNT; i++)
        if (rules[i].kind == RULE_KIND_REFUSED && now.has[i] && !before.has[i])
            return true;
    return false;
}

void rule_excuses(const struct plan *resolved, struct rule_set *out)
{
    rule_forbidding(resolved, out);
    for (int i = 0; i < RULE_COUNT; i++)
        out->has[i] &= rules[i].kind == RULE_KIND_REFUSED && !rule_is_of_layout(rules[i].param);
}

bool rule_forbids(const struct plan *resolved, const struct rule_set *excused)
{
    struct rule_set broken;
    rule_forbidding(resolved, &broken);
    for (int i = 0; i < RULE_COUNT; i++)
        if (broken.has[i] && !excused->has[i])
            return true;
    return false;
}

const char *rule_name(enum rule_id rule)
{
    return rules[rule].id;
}

enum param rule_key(enum rule_id rule)
{
    return rules[rule].param;
}

int rule_errors(const struct plan *resolved)
{
    struct rule_set broken;
    int count = 0;
    rule_broken(resolved, &broken);
    for (int i = 0; i < RULE_COUNT; i++)
        count += broken.has[i];
    return count;
}

bool rule_is_elsewhere(const struct rule_set *broken, const struct rule_set *known, enum param id)
{
    for (int i = 0; i < RULE_COUNT; i++)
        if (broken->has[i] && (!known->has[i] || rules[i].param == id))
            return false;
    return true;
}

/* ---- messages --------------------------------------------------------------------------------------------------- */

/* What names in messages stand for. */
struct message_values {
    const struct symbols *symbols;
    const struct rule_extra *extra;
};

/* The number that {name} stands for in a message. */
static double find_value(const char *name, size_t length, const void *context)
{
    const struct message_values *values = context;
    const struct rule_extra *extra = values->extra;
    const struct term *term = term_find(symbol_terms, symbol_term_count, name, length);
    const struct {
        const char *name;
        double value;
    } extras[] = {{"gpus", extra->gpus}, {"tpc", extra->tpc}, {"bd", extra->bd}, {"played", extra->played},
                  {"chunk_layers", extra->chunk_layers}};
    if (term)
        return term_value(term, values->symbols);
    for (size_t i = 0; i < LENGTH(extras); i++)
        if (strlen(extras[i].name) == length && memcmp(extras[i].name, name, length) == 0)
            return extras[i].value;
    return NAN;
}

static enum diag_level level_of(enum rule_kind kind)
{
    return kind <= RULE_KIND_MISSING ? DIAG_ERROR : kind == RULE_KIND_NOTE ? DIAG_NOTE : DIAG_WARNING;
}

void rule_check(const struct plan *resolved, const struct symbols *symbols, struct diags *diags)
{
    struct rule_extra extra;
    struct rule_unheld unheld;
    evaluate(resolved, symbols, &extra, &unheld);
    bool is_complete = !has_kind(&unheld, RULE_KIND_MISSING);
    struct message_values values = {symbols, &extra};
    diags->count = diags->errors = diags->warnings = 0;
    diags->is_modelled = !has_kind(&unheld, RULE_KIND_UNMODELLED);
    for (int i = 0; i < unheld.count; i++) {
        const struct rule *rule = &rules[unheld.rule[i]];
        if (!is_broken(rule, is_complete))
            continue;
        struct diag diag = {.level = level_of(rule->kind), .param = (int)rule->param, .rule = rule->id,
                            .is_missing = rule->kind == RULE_KIND_MISSING,
                            .is_unmodelled = rule->kind == RULE_KIND_UNMODELLED,
                            .is_refused = rule->kind == RULE_KIND_REFUSED, .sentence = rule->message,
                            .name = extra.framework, .digits = 10};
        finding_fill(&diag, find_value, &values);
        finding_add(diags, &diag);
    }
}
