#include "core/plan/param.h"

#include "core/base.h"
#include "core/plan/framework.h"
#include "core/plan/nearest.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- choices ---------------------------------------------------------------------------------------------------- */
static const char *const bool_names[] = {"false", "true", NULL};
static const char *const framework_names[] = {
#define VERSION(id, of, name, ...) name,
#define FRAMEWORK(id, name, ...) name,
#include "core/plan/framework.def"
    NULL,
};
#define KIND(name) static const char *const name##_names[] = {
#define CHOICE(id, word, ...) word,
#define OPTIMIZER CHOICE
#define FABRIC CHOICE
#define END(name, count) NULL};
#include "core/plan/choice.def"

#define NONE NAN
#define ROW(group_, key_, type_, min_, max_, fallback_, step_, suffix_, unit_, choices_, help_, more_, ...)           \
    [PARAM_##group_##_##key_] = {                                                                                     \
        .group = #group_, .key = #key_, .dotted = GROUP_##group_ == GROUP_plan ? #key_ : #group_ "." #key_,           \
        .group_id = GROUP_##group_, .type = TYPE_##type_, .min = min_, .max = max_, .fallback = fallback_,            \
        .step = STEP_##step_, .suffix = SUFFIX_##suffix_, .unit = unit_, .choices = choices_, .help = help_,          \
        .more = more_, .aliases = "" __VA_ARGS__},
const struct param_row param_rows[PARAM_COUNT] = {
#include "core/plan/param.def"
};
#undef ROW
#undef NONE

const char *const param_group_names[GROUP_COUNT] = {"model",    "parallel", "train", "framework",
                                                    "hardware", "serve",    "rl",    "plan"};
const char *const origin_names[ORIGIN_COUNT] = {"default", "assumed", "derived", "preset", "file", "set"};

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* True when `name` is among the aliases of a row, whatever its case and the marks between its words. */
static bool has_alias(const char *aliases, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = aliases; *at; at += strcspn(at, "|"), at += *at == '|') {
        size_t i = 0;
        while (i < n && (tolower((unsigned char)name[i]) == at[i] || (at[i] == '_' && strchr(" -", name[i]))))
            i++;
        if (i == n && n > 0 && (!at[n] || at[n] == '|'))
            return true;
    }
    return false;
}

static int find_other_name(const char *name)
{
    for (int i = 0; i < PARAM_COUNT; i++)
        if (has_alias(param_rows[i].aliases, name))
            return i;
    return -1;
}

int param_find(const char *name)
{
    int found = -1;
    const char *dot = strchr(name, '.'), *key = dot ? dot + 1 : name;
    for (int i = 0; i < PARAM_COUNT; i++) {
        if (param_rows[i].key[0] != key[0] || strcmp(param_rows[i].key, key) != 0)
            continue;
        if (strcmp(param_rows[i].dotted, name) == 0)
            return i;
        if (param_rows[i].group_id == GROUP_rl && find_other_name(name) >= 0)
            continue; /* a short name that another key had first; `rl.NAME` names this one */
        found = dot ? -1 : found == -1 ? i : -2;
    }
    return found < 0 ? -1 : found;
}

int param_find_alias(const char *name)
{
    int id = param_find(name);
    return id >= 0 ? id : find_other_name(name);
}

void param_nearest(struct nearest *nearest)
{
    bool is_dotted = strchr(nearest->typed, '.');
    for (int i = 0; i < PARAM_COUNT; i++)
        nearest_offer(nearest, is_dotted ? param_rows[i].dotted : param_rows[i].key, param_rows[i].dotted);
    for (int i = 0; i < PARAM_COUNT && nearest->count == 0; i++)
        for (const char *at = param_rows[i].aliases; *at; at += strcspn(at, "|"), at += *at == '|') {
            char alias[64];
            snprintf(alias, sizeof alias, "%.*s", (int)strcspn(at, "|"), at);
            nearest_offer(nearest, alias, param_rows[i].dotted);
        }
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

const struct param_type *param_type(enum param id)
{
    return &param_types[param_rows[id].type];
}

bool param_blank(const struct plan *plan, enum param id)
{
    return param_type(id)->is_blank(plan, id);
}

void param_set(struct plan *plan, enum param id, double value)
{
    plan->value[id] = value;
    plan->from[id] = FROM_SET;
}

void param_clear(struct plan *plan, enum param id)
{
    struct plan blank;
    plan_clear(&blank);
    param_copy(plan, &blank, id, FROM_DEFAULT);
}

void param_copy(struct plan *to, const struct plan *from, enum param id, enum origin origin)
{
    to->value[id] = from->value[id];
    to->from[id] = (uint8_t)origin;
    if (param_type(id)->copy)
        param_type(id)->copy(to, from, id);
}

bool param_equal(const struct plan *a, const struct plan *b, enum param id)
{
    return param_type(id)->equal(a, b, id);
}

int param_parse(struct plan *plan, enum param id, const char *text, enum origin from, bool relative, char *why)
{
    const struct param_type *type = param_type(id);
    while (*text == ' ')
        text++;
    if (!*text || (type->takes_auto && strcmp(text, "auto") == 0)) {
        param_clear(plan, id);
        return 0;
    }
    if (type->parse(plan, id, text, relative, why) != 0)
        return -1;
    plan->from[id] = (uint8_t)from;
    return 0;
}

bool param_names_gpus(const char *name)
{
    static const char *const names[] = {"gpus", "num_gpus", "num gpus", "world_size", "world size"};
    for (size_t i = 0; i < LENGTH(names); i++)
        if (strcasecmp(name, names[i]) == 0)
            return true;
    return false;
}

const char *param_short_name(enum param key)
{
    return param_find(param_rows[key].key) == (int)key ? param_rows[key].key : param_rows[key].dotted;
}

int param_set_gpus(struct plan *plan, const char *text, double nodes, char *why)
{
    struct plan resolved;
    char fault[NUMBER_WHY_MAX];
    double n;
    if (number_parse(text, SUFFIX_PLAIN, NULL, NULL, &n, fault) != 0 || !(n >= 1 && n <= 1e9) || n != floor(n)) {
        snprintf(why, PARAM_WHY_MAX, "'%.40s' is not a number of GPUs; write a whole number such as 16", text);
        return -1;
    }
    plan_resolve(plan, &resolved);
    double size = resolved.value[PARAM_hardware_gpus_per_node], now = size;
    size = isnan(size) || n < size ? n : size;
    if (fmod(n, size) != 0) {
        snprintf(why, PARAM_WHY_MAX, "%.0f does not fill nodes of %.0f GPUs; try %.0f or %.0f", n, size,
                 floor(n / size) * size, ceil(n / size) * size);
        return -1;
    }
    if (!isnan(nodes) && nodes != n / size) {
        snprintf(why, PARAM_WHY_MAX, "%.40s GPUs are %g nodes, but hardware.nodes is %g; set only one", text, n / size,
                 nodes);
        return -1;
    }
    plan->value[PARAM_hardware_nodes] = n / size;
    plan->from[PARAM_hardware_nodes] = FROM_SET;
    if (size != now) {
        plan->value[PARAM_hardware_gpus_per_node] = size;
        plan->from[PARAM_hardware_gpus_per_node] = FROM_SET;
    }
    return 0;
}

void param_number(enum param id, double value, char out[PARAM_NUMBER_MAX])
{
    const struct param_row *row = &param_rows[id];
    if (row->type == TYPE_BOOL)
        snprintf(out, PARAM_NUMBER_MAX, "%s", value > 0 ? "on" : "off");
    else if (row->type == TYPE_ENUM)
        snprintf(out, PARAM_NUMBER_MAX, "%s", row->choices[(int)value]);
    else
        number_print(value, out, PARAM_NUMBER_MAX);
}

int param_print(const struct plan *plan, enum param id, char *out, size_t size)
{
    if (param_blank(plan, id))
        return snprintf(out, size, "%s", "");
    return param_type(id)->print(plan, id, out, size);
}
