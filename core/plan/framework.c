#include "core/plan/framework.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct framework frameworks[FRAMEWORK_COUNT] = {
#define VERSION(id_, of_, name_, date_, version_, split_, about_)                                                      \
    [FRAMEWORK_##id_] = {.name = name_, .date = date_, .version = version_, .summary = about_,                         \
                         .split = SPLIT_##split_,                                                                      \
                         .of = FRAMEWORK_##of_, .fallback = {
#define FRAMEWORK(id_, ...) VERSION(id_, id_, __VA_ARGS__)
#define DEFAULT(group_, key_, value_) {PARAM_##group_##_##key_, value_},
#define DONE {PARAM_COUNT, 0}}},
#include "core/plan/framework.def"
};

#define DIGITS "0123456789"

enum { RELEASE_STEP = 10000 }; /* minor releases of a major one, at most */

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

/* A release "4.45.2" as a number that orders releases, 0 where there is none. */
static double release_of(const char *text)
{
    char *end;
    long major = strtol(text, &end, 10);
    return end == text || *end != '.' ? 0 : (double)major * RELEASE_STEP + (double)strtol(end + 1, NULL, 10);
}

/* The first "2025-06" of a text as a number that orders months, 0 where there is none. */
static int month_of(const char *text)
{
    for (; *text; text += strspn(text, DIGITS) + strcspn(text + strspn(text, DIGITS), DIGITS))
        if (strspn(text, DIGITS) == 4 && text[4] == '-' && strspn(text + 5, DIGITS) == 2)
            return atoi(text) * 100 + atoi(text + 5);
    return 0;
}

/* Of the versions that are younger than the framework's own row the youngest that a month has seen. */
static enum framework_id seen_by(enum framework_id framework, int month)
{
    enum framework_id found = framework;
    for (int i = 0; month > 0 && i < FRAMEWORK_COUNT; i++)
        if (frameworks[i].of == framework && month_of(frameworks[i].date) > month_of(frameworks[found].date) &&
            month_of(frameworks[i].date) <= month)
            found = (enum framework_id)i;
    return found;
}

enum framework_id framework_dated(enum framework_id framework, const char *text)
{
    static const char library[] = "transformers";
    const char *at = strstr(text, library);
    at = at ? at + sizeof library - 1 : NULL;
    double release = at ? release_of(at + strspn(at, " =-v")) : 0, best = INFINITY;
    enum framework_id found = seen_by(framework, month_of(text));
    for (int i = 0; release > 0 && i < FRAMEWORK_COUNT; i++) {
        const char *dash = strrchr(frameworks[i].name, '-');
        double row = frameworks[i].of == framework && dash ? release_of(dash + 1) : 0;
        if (row >= release && row < best) {
            best = row;
            found = (enum framework_id)i;
        }
    }
    return found;
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
