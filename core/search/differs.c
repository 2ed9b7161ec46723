#include "core/search/differs.h"

#include "core/base.h"
#include "core/estimate/range.h"
#include "core/plan/param.h"
#include "core/search/waterfall.h"
#include "core/show/figure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A text that is added to as far as there is room. */
struct line {
    char *out;
    size_t size, at;
};

static void __attribute__((format(printf, 2, 3))) add(struct line *line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line->out + line->at, line->size - line->at, format, args);
    va_end(args);
    line->at += (size_t)length;
    line->at = line->at < line->size ? line->at : line->size - 1;
}

/* What follows from other keys and is told with them. */
static const enum param following[] = {PARAM_parallel_sp, PARAM_parallel_vpp, PARAM_parallel_ep, PARAM_parallel_dp,
                                       PARAM_parallel_schedule};

/* What a set has more and less: "recompute_modules +mlp -moe_act". */
static void add_set(struct line *line, const struct plan *a, const struct plan *b, enum param id)
{
    unsigned before = (unsigned)a->value[id], after = (unsigned)b->value[id];
    add(line, "%s", param_rows[id].key);
    for (int bit = 0; param_rows[id].choices[bit]; bit++)
        if ((before ^ after) >> bit & 1)
            add(line, " %c%s", after >> bit & 1 ? '+' : '-', param_rows[id].choices[bit]);
}

/* Keys that somebody gave, as before and after. */
static void add_given(struct line *line, const struct plan *a, const struct plan *b)
{
    const char *before = "";
    for (int i = 0; i < PARAM_COUNT; i++) {
        char one[48], two[48];
        enum param id = (enum param)i;
        if (b->from[i] <= FROM_PRESET || param_equal(a, b, id))
            continue;
        add(line, "%s", before);
        before = ", ";
        if (param_rows[i].type == TYPE_SET && !param_blank(a, id) && !param_blank(b, id)) {
            add_set(line, a, b, id);
            continue;
        }
        param_print(a, id, one, sizeof one);
        param_print(b, id, two, sizeof two);
        add(line, "%s %s > %s", param_rows[i].key, *one ? one : "auto", *two ? two : "auto");
    }
}

/* What follows, in brackets, as it is after. */
static void add_following(struct line *line, const struct plan *a, const struct plan *b)
{
    const char *before = " (";
    for (size_t i = 0; i < LENGTH(following); i++) {
        char text[48];
        if (b->from[following[i]] > FROM_PRESET || param_equal(a, b, following[i]))
            continue;
        param_print(b, following[i], text, sizeof text);
        add(line, "%s%s %s", before, param_rows[following[i]].key, text);
        before = ", ";
    }
    add(line, "%s", *before == ',' ? ")" : "");
}

void differs_keys(const struct plan *a, const struct plan *b, char *out, size_t size)
{
    struct line line = {out, size, 0};
    *out = '\0';
    add_given(&line, a, b);
    add_following(&line, a, b);
}

/* The largest part and the next that goes the other way, else the next at all; small ones are left out. */
static void add_time(struct line *line, const struct estimate *a, const struct estimate *b)
{
    const double of_largest = 0.1, of_all = 0.005;
    struct waterfall w;
    waterfall_time(a, b, &w);
    if (isnan(w.from))
        return;
    double total = w.to - w.from;
    add(line, ": %s", figure_delta(FIGURE_SECONDS, total).text);
    int second = 0;
    for (int i = w.count - 1; i > 0; i--) {
        bool is_large =
            fabs(w.step[i].delta) >= of_largest * fabs(w.step[0].delta) && fabs(w.step[i].delta) >= of_all * w.from;
        bool is_against = w.step[i].delta * total < 0, had_against = second && w.step[second].delta * total < 0;
        if (is_large && (is_against || !had_against))
            second = i;
    }
    if (w.count > 0 && fabs(w.step[0].delta) >= of_all * w.from)
        add(line, " (%s %s", figure_delta(FIGURE_SECONDS, w.step[0].delta).text, w.step[0].label);
    else
        return;
    if (second)
        add(line, ", %s %s", figure_delta(FIGURE_SECONDS, w.step[second].delta).text, w.step[second].label);
    add(line, ")");
}

static void add_memory(struct line *line, const struct estimate *a, const struct estimate *b)
{
    struct waterfall w;
    waterfall_memory(a, b, &w);
    int most = w.count > 1 && strcmp(w.step[0].name, "stage") == 0 && fabs(w.step[1].delta) > fabs(w.step[0].delta);
    if (w.count > 0 && fabs(w.step[most].delta) >= GIB)
        add(line, "; %s %s%s", figure_delta(FIGURE_BYTES, w.step[most].delta).text, w.step[most].label,
            a->peak_stage != b->peak_stage && most ? " on another stage" : "");
    enum verdict before = range_verdict(a), after = range_verdict(b);
    if (before != after && after != VERDICT_UNKNOWN && before != VERDICT_UNKNOWN)
        add(line, ", %s", after == VERDICT_FITS ? "now fits" : after == VERDICT_TIGHT ? "now tight" : "no longer fits");
}

void differs_write(const struct estimate *a, const struct estimate *b, char out[DIFFERS_MAX])
{
    struct line line = {out, DIFFERS_MAX, 0};
    differs_keys(&a->plan, &b->plan, out, DIFFERS_MAX);
    line.at = strlen(out);
    add_time(&line, a, b);
    add_memory(&line, a, b);
}
