#include "core/plan/framework.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const struct framework frameworks[FRAMEWORK_COUNT] = {
#define VERSION(id_, of_, name_, date_, version_, split_, about_)                                                      \
    [FRAMEWORK_##id_] = {.name = name_, .date = date_, .version = version_, .summary = about_, .split = SPLIT_##split_, \
                         .of = FRAMEWORK_##of_, .fallback = {
#define FRAMEWORK(id_, ...) VERSION(id_, id_, __VA_ARGS__)
#define DEFAULT(group_, key_, value_) {PARAM_##group_##_##key_, value_},
#define DONE {PARAM_COUNT, 0}}},
#include "core/plan/framework.def"
};

static double own_default(enum framework_id framework, enum param param)
{
    for (int i = 0; frameworks[framework].fallback[i].param != PARAM_COUNT; i++)
        if (frameworks[framework].fallback[i].param == param)
            return frameworks[framework].fallback[i].value;
    return NAN;
}

double framework_default(enum framework_id framework, enum param param)
{
    double value = own_default(framework, param);
    return isnan(value) ? own_default(frameworks[framework].of, param) : value;
}

enum behaviour {
#define BEHAVIOUR(name, ...) BEHAVIOUR_##name,
#include "core/plan/framework.def"
    BEHAVIOUR_COUNT
};

/* The column's own cells, then what rows say; a row's empty cell has text NULL. */
static const struct column {
    const char *name;
    struct framework_cell cell;
} columns[BEHAVIOUR_COUNT] = {
#define BEHAVIOUR(name_, unit_, cell_, sentence_, source_) [BEHAVIOUR_##name_] = {#name_, {#cell_, source_, NULL}},
#include "core/plan/framework.def"
};

static const struct framework_cell cells[FRAMEWORK_COUNT][BEHAVIOUR_COUNT] = {
#define VERSION(id, ...) [FRAMEWORK_##id] = {
#define FRAMEWORK(id, ...) VERSION(id, )
#define IS(behaviour, cell, source) [BEHAVIOUR_##behaviour] = {#cell, source, NULL},
#define DONE },
#include "core/plan/framework.def"
};

struct framework_cell framework_cell(enum framework_id framework, const char *behaviour)
{
    for (int i = 0; i < BEHAVIOUR_COUNT; i++) {
        if (strcmp(columns[i].name, behaviour) != 0)
            continue;
        enum framework_id row = cells[framework][i].text ? framework : frameworks[framework].of;
        struct framework_cell cell = cells[row][i];
        cell.row = &frameworks[row];
        return cell.text ? cell : columns[i].cell;
    }
    return (struct framework_cell){NULL, NULL, NULL};
}
