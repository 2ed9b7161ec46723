#include "core/search/differs.h"

#include "core/base.h"
#include "core/estimate/constants.h"
#include "core/estimate/range.h"
#include "core/plan/param.h"
#include "core/search/change.h"
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

/*
 * Keys that somebody has to set, as before and after; "etp 1" for one that stays although others that it followed
 * change.
 */
static void add_set_keys(struct line *line, const struct plan *a, const struct plan *b, const bool is_set[PARAM_COUNT])
{
    const char *before = "";
    bool is_both_ends = is_set[PARAM_parallel_embedding_counts_as_layer] &&
                        is_set[PARAM_parallel_loss_counts_as_layer] &&
                        KEY_OF(b, parallel, embedding_counts_as_layer) == KEY_OF(b, parallel, loss_counts_as_layer);
    for (int i = 0; i < PARAM_COUNT; i++) {
        char one[48], two[48];
        enum param id = (enum param)i;
        bool is_told = is_both_ends && id == PARAM_parallel_loss_counts_as_layer;
        if (!is_set[i] || is_told)
            continue;
        add(line, "%s", before);
        before = ", ";
        if (param_rows[i].type == TYPE_SET && !param_blank(a, id) && !param_blank(b, id)) {
            add_set(line, a, b, id);
            continue;
        }
        if (is_both_ends && id == PARAM_parallel_embedding_counts_as_layer) {
            add(line, "embedding and loss %s",
                KEY_OF(b, parallel, loss_counts_as_layer) > 0 ? "count as layers" : "are no layers");
            continue;
        }
        param_print(a, id, one, sizeof one);
        param_print(b, id, two, sizeof two);
        if (param_equal(a, b, id))
            add(line, "%s %s", param_rows[i].key, two);
        else
            add(line, "%s %s > %s", param_rows[i].key, *one ? one : "auto", *two ? two : "auto");
    }
}

/* What follows, in brackets, as it is after. */
static void add_following(struct line *line, const struct plan *b, const bool follows[PARAM_COUNT])
{
    const char *before = " (";
    for (size_t i = 0; i < LENGTH(following); i++) {
        char text[48];
        if (!follows[following[i]])
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
    struct change_keys keys;
    *out = '\0';
    change_between(a, b, &keys);
    add_set_keys(&line, a, b, keys.set);
    add_following(&line, b, keys.follows);
}

void differs_cut(char *keys, int room)
{
    static const char others[] = " ..";
    size_t length = room > 0 ? (size_t)room : 0, left = length > strlen(others) ? length - strlen(others) : 0;
    if (strlen(keys) > length)
        keys[strcspn(keys, "(")] = '\0';
    while (*keys && keys[strlen(keys) - 1] == ' ')
        keys[strlen(keys) - 1] = '\0';
    char *end = strlen(keys) > length ? strstr(keys, ", ") : NULL;
    for (char *next = end; next && (size_t)(next - keys) <= left; next = strstr(next + 1, ", "))
        end = next;
    if (end && (size_t)(end - keys) <= left)
        memcpy(end, others, sizeof others);
}

/*
 * Of the steps behind `first`: the largest that goes against the whole, else the next at all; -1 where none is a tenth
 * of it or `least`.
 */
static int second_step(const struct waterfall *w, int first, double least)
{
    const double of_first = 0.1;
    double total = w->to - w->from;
    int second = -1;
    for (int i = w->count - 1; i > first; i--) {
        double size = fabs(w->step[i].delta);
        bool is_against = w->step[i].delta * total < 0, had_against = second >= 0 && w->step[second].delta * total < 0;
        if (size >= of_first * fabs(w->step[first].delta) && size >= least && (is_against || !had_against))
            second = i;
    }
    return second;
}

/* " (-9.08 s tensor-parallel traffic, +0.59 s computing" of the steps from `first` on that are at least `least`. */
static void add_steps(struct line *line, const struct waterfall *w, int first, enum figure_kind kind, double least)
{
    if (w->count <= first || !(fabs(w->step[first].delta) >= least))
        return;
    int second = second_step(w, first, least);
    add(line, " (%s %s", figure_delta(kind, w->step[first].delta).text, w->step[first].label);
    if (second > 0)
        add(line, ", %s %s", figure_delta(kind, w->step[second].delta).text, w->step[second].label);
    add(line, ")");
}

static void add_time(struct line *line, const struct estimate *a, const struct estimate *b)
{
    const double of_all = 0.005;
    struct waterfall w;
    waterfall_time(a, b, &w);
    if (isnan(w.from))
        return;
    add(line, ": %s", figure_delta(FIGURE_SECONDS, w.to - w.from).text);
    add_steps(line, &w, 0, FIGURE_SECONDS, of_all * w.from);
}

/*
 * "; +62.9 GiB activations" where that is nearly all, else "; +10.5 GiB (-12.7 GiB optimizer, +9.58 GiB activations)".
 */
static void add_memory(struct line *line, const struct estimate *a, const struct estimate *b)
{
    const double nearly = 0.1;
    struct waterfall w;
    waterfall_memory(a, b, &w);
    double total = w.to - w.from;
    int most = w.count > 1 && strcmp(w.step[0].name, "stage") == 0 && fabs(w.step[1].delta) > fabs(w.step[0].delta);
    bool is_much = w.count > 0 && fmax(fabs(w.step[most].delta), fabs(total)) >= GIB;
    if (is_much && fabs(w.step[most].delta - total) <= nearly * fabs(total)) {
        add(line, "; %s %s", figure_delta(FIGURE_BYTES, w.step[most].delta).text, w.step[most].label);
    } else if (is_much) {
        add(line, "; %s", figure_delta(FIGURE_BYTES, total).text);
        add_steps(line, &w, most, FIGURE_BYTES, GIB);
    }
    if (is_much && a->peak_stage != b->peak_stage && strcmp(w.step[most].name, "stage") != 0)
        add(line, " on another stage");
}

static void add_verdict(struct line *line, const struct estimate *a, const struct estimate *b)
{
    enum verdict before = range_verdict(a), after = range_verdict(b);
    if (before != after && after != VERDICT_UNKNOWN && before != VERDICT_UNKNOWN)
        add(line, ", %s", after == VERDICT_FITS ? "now fits" : after == VERDICT_TIGHT ? "now tight" : "no longer fits");
}

void differs_write(const struct estimate *a, const struct estimate *b, char out[DIFFERS_MAX])
{
    struct line line = {out, DIFFERS_MAX, 0};
    differs_keys(&a->plan, &b->plan, out, DIFFERS_MAX);
    line.at = strlen(out);
    if (line.at == 0) {
        add(&line, "the plan as it is");
        return;
    }
    add_time(&line, a, b);
    add_memory(&line, a, b);
    add_verdict(&line, a, b);
}

void differs_bound(const struct estimate *e, char *out, size_t size)
{
    const double matters = 0.01;
    struct waterfall_part part[2];
    struct line line = {out, size, 0};
    *out = '\0';
    waterfall_largest(e, LENGTH(part), part);
    for (size_t i = 0; i < LENGTH(part) && part[i].share >= matters; i++)
        add(&line, "%s%.0f %% %s", i ? ", " : "", 100 * part[i].share, part[i].label);
}

void differs_faster(const struct estimate *a, const struct estimate *b, struct faster *out)
{
    struct time_range of_a, of_b;
    double sigma[RANGE_COUNT];
    *out = (struct faster){.log_time = NAN, .probability = NAN};
    if (!isfinite(a->step.iteration_s + b->step.iteration_s))
        return;
    out->is_same_batch = KEY_OF(&a->plan, train, global_batch_size) == KEY_OF(&b->plan, train, global_batch_size) &&
                         KEY_OF(&a->plan, train, seq_length) == KEY_OF(&b->plan, train, seq_length);
    out->log_time = out->is_same_batch ? log(a->step.iteration_s / b->step.iteration_s)
                                       : log(b->step.tokens_per_s_per_gpu / a->step.tokens_per_s_per_gpu);
    range_time(a, &of_a);
    range_time(b, &of_b);
    for (int i = 0; i < RANGE_COUNT; i++)
        sigma[i] = range_sigmas[i];
    if (isfinite(of_a.sigma) && isfinite(of_b.sigma) && out->log_time != 0)
        out->probability = range_faster(&of_b, &of_a, sigma, out->log_time);
}

void differs_say_faster(const struct faster *faster, const char *a, const char *b, char *out, size_t size)
{
    bool is_b = faster->log_time > 0;
    double p = is_b ? faster->probability : 1 - faster->probability;
    out[0] = '\0';
    if (isfinite(p))
        snprintf(out, size,
                 "%s%s takes %.1f %% longer; that %s is faster is %.0f %% probable, %s the error of the estimate",
                 faster->is_same_batch ? "" : "for as many tokens on as many GPUs ", is_b ? a : b,
                 100 * (exp(fabs(faster->log_time)) - 1), is_b ? b : a, 100 * p,
                 p >= pair_decided ? "beyond" : "within");
}
