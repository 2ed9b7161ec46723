#include "core/search/sweep_axis.h"

#include "core/plan/number.h"
#include "core/plan/param.h"
#include "core/plan/step.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIED_MAX = 1024 /* valid values of a key */ };

struct reader {
    struct sweep_axis *axis;
    const struct sweep_axis *other; /* NULL if there is one key */
    const char *list, *name;
    const struct plan *plan;
    sweep_parse *parse;
    const void *context;
    char *why;
};

static int __attribute__((format(printf, 2, 3))) refuse(const struct reader *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(r->why, SWEEP_WHY_MAX, format, args);
    va_end(args);
    return -1;
}

static int add_text(const struct reader *r, const char *text, size_t length)
{
    if (r->axis->count == SWEEP_VALUES_MAX)
        return refuse(r, "more than %d values; write fewer, or a larger step", SWEEP_VALUES_MAX);
    if (length >= SWEEP_TEXT_MAX)
        return refuse(r, "'%.40s..' is longer than %d bytes", text, SWEEP_TEXT_MAX - 1);
    snprintf(r->axis->text[r->axis->count++], SWEEP_TEXT_MAX, "%.*s", (int)length, text);
    return 0;
}

static int add_number(const struct reader *r, double value)
{
    char text[PARAM_NUMBER_MAX];
    param_number(r->axis->key, value, text);
    return add_text(r, text, strlen(text));
}

static int parse_value(const struct reader *r, struct plan *plan, enum param key, const char *text, char *why)
{
    return r->parse ? r->parse(r->context, plan, key, text, why) : param_parse(plan, key, text, FROM_SET, false, why);
}

/* Length of the first value of a list; commas inside brackets belong to it. */
static size_t first_value(const char *list)
{
    int depth = 0;
    const char *end = list;
    for (; *end && (*end != ',' || depth > 0); end++)
        depth += (*end == '[') - (*end == ']');
    return (size_t)(end - list);
}

static int read_list(const struct reader *r)
{
    if (!*r->list)
        return refuse(r, "no values; write %s=1,2,4, or 1..16, or * for all", r->name);
    for (const char *at = r->list;;) {
        size_t length = first_value(at);
        struct plan plan = *r->plan;
        char reason[PARAM_WHY_MAX];
        if (length == 0)
            return refuse(r, "empty value in '%.60s'; write %s=V1,V2", r->list, r->name);
        if (add_text(r, at, length) != 0)
            return -1;
        if (r->parse && r->parse(r->context, &plan, r->axis->key, r->axis->text[r->axis->count - 1], reason) != 0)
            return refuse(r, "%s", reason);
        if (!at[length])
            return 0;
        at += length + 1;
    }
}

/* The value `steps` steps of `+` or `*` after `low`, rounded to 14 digits: steps such as 0.1 are not exact. */
static double stepped(double low, char sign, double step, int steps)
{
    char text[32];
    snprintf(text, sizeof text, "%.14g", sign == '*' ? low * pow(step, steps) : low + steps * step);
    return strtod(text, NULL);
}

static int add_steps(const struct reader *r, double low, double high, char sign, double step)
{
    if (!(sign == '*' ? step > 1 && low > 0 : step > 0))
        return refuse(r, "no progress in steps of '%c%g' from %g; write a larger step", sign, step, low);
    for (double value = low; value <= high; value = stepped(low, sign, step, r->axis->count))
        if (add_number(r, value) != 0)
            return -1;
    return 0;
}

/* Adds the valid values of a plan between two others to a sorted list. */
static int find_valid(const struct reader *r, const struct plan *plan, double low, double high, double found[],
                      int count)
{
    double valid[TRIED_MAX];
    int n = param_valid(plan, r->axis->key, valid, TRIED_MAX);
    for (int k = 0; k < n && count < TRIED_MAX; k++) {
        int at = count;
        while (at > 0 && found[at - 1] > valid[k])
            at--;
        if (valid[k] < low || valid[k] > high || (at > 0 && found[at - 1] == valid[k]) ||
            (isinf(low) && param_follows(plan, r->axis->key, valid[k])))
            continue;
        memmove(&found[at + 1], &found[at], (size_t)(count++ - at) * sizeof *found);
        found[at] = valid[k];
    }
    return count;
}

static int add_valid(const struct reader *r, double low, double high)
{
    double found[TRIED_MAX];
    int count = find_valid(r, r->plan, low, high, found, 0), result = 0;
    for (int i = 0; r->other && i < r->other->count; i++) {
        struct plan with = *r->plan;
        char why[PARAM_WHY_MAX];
        if (parse_value(r, &with, r->other->key, r->other->text[i], why) == 0)
            count = find_valid(r, &with, low, high, found, count);
    }
    for (int i = 0; i < count && result == 0; i++)
        result = add_number(r, found[i]);
    if (count > 0)
        return result;
    if (!param_type(r->axis->key)->is_number)
        return refuse(r, "no valid values in '%.60s'; list them, as in %s=V1,V2", r->list, r->name);
    return refuse(r, "no valid values in '%.60s'; write values, or a step such as %s=1..8*2", r->list, r->name);
}

static int read_bound(const struct reader *r, const char *text, size_t length, double *value)
{
    char number[64], why[NUMBER_WHY_MAX];
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    if (number_parse(number, param_rows[r->axis->key].suffix, NULL, NULL, value, why) == 0)
        return 0;
    return refuse(r, "'%.40s' %s; write %s=A..B, A..B*2 or A..B+S", number, why, r->name);
}

/* `A..B`, `A..B*2` and `A..B+S`. */
static int read_range(const struct reader *r, const char *dots)
{
    const char *high_text = dots + 2, *sign = high_text + strcspn(high_text, "*+");
    double low, high, step = 0;
    if (!param_type(r->axis->key)->is_number)
        return refuse(r, "values have no order; list them, or write %s=*", r->name);
    if (read_bound(r, r->list, (size_t)(dots - r->list), &low) != 0 ||
        read_bound(r, high_text, (size_t)(sign - high_text), &high) != 0 ||
        (*sign && read_bound(r, sign + 1, strlen(sign + 1), &step) != 0))
        return -1;
    if (low > high)
        return refuse(r, "'%.60s' ends before it begins; write the smaller value first", r->list);
    if (*sign)
        return add_steps(r, low, high, *sign, step);
    if (!param_type(r->axis->key)->is_counted)
        return refuse(r, "a range needs a step; write %s=%g..%g+S or *S", r->name, low, high);
    return add_valid(r, low, high);
}

int sweep_axes_read(struct sweep_axis axis[], const char *const list[], int axes, const struct plan *plan,
                    sweep_parse *parse, const void *context, char *why)
{
    for (int i = 0; i < 2 * axes; i++) { /* lists first: valid values of a range depend on them */
        int at = i % axes;
        const char *dots = strstr(list[at], "..");
        bool is_all = strcmp(list[at], "*") == 0;
        struct reader r = {&axis[at], axes > 1 ? &axis[!at] : NULL, list[at], param_short_name(axis[at].key),
                           plan, parse, context, why};
        if (at == 1 && axis[0].key == axis[1].key)
            return refuse(&r, "key given twice; write all of its values once, or another key"), at;
        if ((is_all || dots) != (i >= axes))
            continue;
        axis[at].count = 0;
        if ((is_all ? add_valid(&r, -INFINITY, INFINITY) : dots ? read_range(&r, dots) : read_list(&r)) != 0)
            return at;
    }
    return -1;
}
