#include "core/search/condition.h"

#include "core/base.h"
#include "core/plan/number.h"
#include "core/plan/param.h"
#include "core/search/option.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char relations[] = "<>=!";

enum { NAME_MAX_BYTES = 96 };

/* The option for a figure that cannot be in a condition, by the start of its name. */
static const char *other_way(const char *name)
{
    static const struct {
        const char *begins, *options;
    } ways[] = {{"peak", "the option max-memory"},
                {"memory", "the option max-memory"},
                {"device", "the option max-memory"},
                {"headroom", "the option headroom"},
                {"iteration", "the option tokens-per-s or deadline"},
                {"time", "the option tokens-per-s or deadline"},
                {"tokens_per_s", "the option tokens-per-s"}, {"cost", "the objective cost"}};
    for (size_t i = 0; i < LENGTH(ways); i++)
        if (strncmp(name, ways[i].begins, strlen(ways[i].begins)) == 0)
            return ways[i].options;
    return NULL;
}

static int refuse_name(const char *name, char *why)
{
    const char *way = other_way(name);
    if (way)
        snprintf(why, SEARCH_WHY_MAX, "'%.40s' cannot be used in a condition; use %s", name, way);
    else
        snprintf(why, SEARCH_WHY_MAX, "'%.40s' is neither a key nor one of mfu, tokens_per_s_per_gpu, "
                 "bubble_fraction, host_gib", name);
    return -1;
}

/* Returns what follows the relation at `text`, or NULL. */
static const char *read_relation(const char *text, enum search_relation *relation)
{
    size_t length = strspn(text, relations);
    if (length == 2 && strncmp(text, "==", length) == 0)
        text++, length--;
    for (int i = 0; i < RELATION_COUNT; i++)
        if (strlen(search_relation_names[i]) == length && strncmp(text, search_relation_names[i], length) == 0) {
            *relation = (enum search_relation)i;
            return text + length + strspn(text + length, " ");
        }
    return NULL;
}

static const struct search_figure *find_figure(const char *name)
{
    const struct search_figure *figure = search_figures;
    while (figure->name && strcmp(figure->name, name) != 0)
        figure++;
    return figure->name ? figure : NULL;
}

/* Returns 0, or -1 with the reason in `why`. */
static int read_figure(const char *text, struct search_condition *out, char why[PARAM_WHY_MAX])
{
    size_t length = strlen(text);
    bool is_percent = out->figure->is_share && length > 0 && text[length - 1] == '%';
    char number[NAME_MAX_BYTES], reason[NUMBER_WHY_MAX];
    snprintf(number, sizeof number, "%.*s", (int)(length - is_percent), text);
    int result = number_parse(number, SUFFIX_PLAIN, NULL, NULL, &out->value, reason);
    snprintf(why, PARAM_WHY_MAX, "'%.40s' is not a number", text);
    out->value /= is_percent ? 100 : 1;
    return result == 0 && isfinite(out->value) ? 0 : -1;
}

static int read_key(const char *text, struct search_condition *out, char why[PARAM_WHY_MAX])
{
    const struct param_row *row = &param_rows[out->key];
    bool has_order = !row->choices && row->type != TYPE_BOOL;
    bool is_order = out->relation != RELATION_IS && out->relation != RELATION_IS_NOT;
    struct plan plan;
    plan_clear(&plan);
    snprintf(why, PARAM_WHY_MAX, "is text and cannot be compared; use --set");
    if (row->type == TYPE_NAME || row->type == TYPE_LAYOUT)
        return -1;
    snprintf(why, PARAM_WHY_MAX, "is not a number; compare it with = or !=");
    if (is_order && !has_order)
        return -1;
    if (param_parse(&plan, out->key, text, FROM_SET, false, why) != 0)
        return -1;
    snprintf(why, PARAM_WHY_MAX, "needs a value");
    out->value = plan.value[out->key];
    return isnan(out->value) ? -1 : 0;
}

static bool find_subject(const char *name, struct search_condition *out)
{
    int key = -1, axis = space_axis_named(name, &key);
    out->key = PARAM_COUNT;
    out->figure = find_figure(name);
    if (!out->figure && (key >= 0 || axis >= 0))
        out->key = key >= 0 ? (enum param)key : space_axes[axis].key;
    return out->figure || out->key != PARAM_COUNT;
}

/* Length of the first condition: up to a comma that a name and a relation follow, or the end. */
static int first_length(const char *text)
{
    size_t at = strcspn(text, ",");
    while (text[at]) {
        const char *next = text + at + 1;
        size_t name = strcspn(next, ",<>=!");
        if (next[name] && next[name] != ',')
            break;
        at += 1 + name;
    }
    return (int)at;
}

/* Returns 0, or -1 with the reason in `why`. */
static int read_condition(const char *text, struct search_condition *one, char *why)
{
    char reason[PARAM_WHY_MAX] = "", name[NAME_MAX_BYTES];
    size_t length = strcspn(text, relations);
    const char *value = read_relation(text + length, &one->relation);
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    name[strcspn(name, " ")] = '\0';
    if (!value)
        snprintf(why, SEARCH_WHY_MAX, "'%.60s' has no relation; write one of <=, >=, <, >, = and != in quotes, as in "
                 "'tp<=8' or 'tp<=8,pp>2'", text);
    else if (!find_subject(name, one))
        return refuse_name(name, why);
    else if (strpbrk(value, relations))
        snprintf(why, SEARCH_WHY_MAX,
                 "'%.60s' is more than one condition; separate them with a comma, as in 'tp<=8,pp>2'", text);
    else if (one->key < PARAM_COUNT && param_rows[one->key].type != TYPE_SET && strchr(value, ','))
        snprintf(why, SEARCH_WHY_MAX, "'%.60s' has several values; use the option values, as in %s=1,2", text, name);
    else if ((one->figure ? read_figure : read_key)(value, one, reason) != 0)
        snprintf(why, SEARCH_WHY_MAX, "%.40s %s", name, reason);
    else
        return 0;
    return -1;
}

int condition_add(struct search_ask *ask, const char *text, char *why)
{
    for (const char *at = text; at && *at;) {
        struct search_condition one = {.text = at, .length = first_length(at)};
        char words[SEARCH_CONDITION_MAX];
        if (one.length >= SEARCH_CONDITION_MAX) {
            snprintf(why, SEARCH_WHY_MAX, "'%.60s..' is longer than %d bytes; use fewer values", at,
                     SEARCH_CONDITION_MAX - 1);
            return -1;
        }
        snprintf(words, sizeof words, "%.*s", one.length, at);
        if (read_condition(words, &one, why) != 0)
            return -1;
        if (ask->conditions == SEARCH_CONDITIONS_MAX) {
            snprintf(why, SEARCH_WHY_MAX, "takes at most %d conditions", SEARCH_CONDITIONS_MAX);
            return -1;
        }
        ask->condition[ask->conditions++] = one;
        at = at[one.length] ? at + one.length + 1 + strspn(at + one.length + 1, " ") : NULL;
    }
    return 0;
}
