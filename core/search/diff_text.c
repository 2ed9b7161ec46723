#include "core/search/diff_text.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "core/show/line.h"

#include <stdio.h>
#include <string.h>

/* Derived keys that are listed in brackets. */
static const enum param following[] = {PARAM_parallel_sp, PARAM_parallel_vpp, PARAM_parallel_ep, PARAM_parallel_dp,
                                       PARAM_parallel_schedule};

/* "recompute_modules +mlp -moe_act" */
static void add_set(struct text_line *line, const struct plan *a, const struct plan *b, enum param id)
{
    unsigned before = (unsigned)a->value[id], after = (unsigned)b->value[id];
    line_add(line, "%s", param_rows[id].key);
    for (int bit = 0; param_rows[id].choices[bit]; bit++)
        if ((before ^ after) >> bit & 1)
            line_add(line, " %c%s", after >> bit & 1 ? '+' : '-', param_rows[id].choices[bit]);
}

/* "tp 8 > 4, etp 1": an equal key is listed where it would change if it were not set. */
static void add_set_keys(struct text_line *line, const struct plan *a, const struct plan *b,
                         const bool is_set[PARAM_COUNT])
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
        line_add(line, "%s", before);
        before = ", ";
        if (param_rows[i].type == TYPE_SET && !param_blank(a, id) && !param_blank(b, id)) {
            add_set(line, a, b, id);
            continue;
        }
        if (is_both_ends && id == PARAM_parallel_embedding_counts_as_layer) {
            line_add(line, "embedding and loss %s",
                KEY_OF(b, parallel, loss_counts_as_layer) > 0 ? "count as layers" : "do not count as layers");
            continue;
        }
        param_print(a, id, one, sizeof one);
        param_print(b, id, two, sizeof two);
        if (param_equal(a, b, id))
            line_add(line, "%s %s", param_rows[i].key, two);
        else
            line_add(line, "%s %s > %s", param_rows[i].key, *one ? one : "auto", *two ? two : "auto");
    }
}

static void add_following(struct text_line *line, const struct plan *b, const bool follows[PARAM_COUNT])
{
    const char *before = " (";
    for (size_t i = 0; i < LENGTH(following); i++) {
        char text[48];
        if (!follows[following[i]])
            continue;
        param_print(b, following[i], text, sizeof text);
        line_add(line, "%s%s %s", before, param_rows[following[i]].key, text);
        before = ", ";
    }
    line_add(line, "%s", *before == ',' ? ")" : "");
}

void diff_text_keys(const struct plan *a, const struct plan *b, char *out, size_t size)
{
    struct text_line line = line_in(out, size);
    struct diff_keys keys;
    plan_diff_keys(a, b, &keys);
    add_set_keys(&line, a, b, keys.set);
    add_following(&line, b, keys.follows);
}

void diff_text_shorten(char *keys, int room)
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
 * The second step to mention: the largest against the total, else the next; -1 if it is less than a tenth of the
 * first, or `least`.
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

/* " (-9.08 s tensor-parallel traffic, +0.59 s computing)" */
static void add_steps(struct text_line *line, const struct waterfall *w, int first, enum figure_kind kind, double least)
{
    if (w->count <= first || !(fabs(w->step[first].delta) >= least))
        return;
    int second = second_step(w, first, least);
    line_add(line, " (%s %s", figure_delta(kind, w->step[first].delta).text, w->step[first].label);
    if (second > 0)
        line_add(line, ", %s %s", figure_delta(kind, w->step[second].delta).text, w->step[second].label);
    line_add(line, ")");
}

static void add_time(struct text_line *line, const struct estimate *a, const struct estimate *b)
{
    const double of_all = 0.005;
    struct waterfall w;
    waterfall_time(a, b, &w);
    if (isnan(w.from))
        return;
    line_add(line, ": %s", figure_delta(FIGURE_SECONDS, w.to - w.from).text);
    add_steps(line, &w, 0, FIGURE_SECONDS, of_all * w.from);
}

/* "; +62.9 GiB activations" if that is nearly all, else "; +10.5 GiB (-12.7 GiB optimizer, +9.58 GiB activations)" */
static void add_memory(struct text_line *line, const struct estimate *a, const struct estimate *b)
{
    const double nearly = 0.1;
    struct waterfall w;
    waterfall_memory(a, b, &w);
    double total = w.to - w.from;
    int most = w.count > 1 && strcmp(w.step[0].name, "stage") == 0 && fabs(w.step[1].delta) > fabs(w.step[0].delta);
    bool is_much = w.count > 0 && fmax(fabs(w.step[most].delta), fabs(total)) >= GIB;
    if (is_much && fabs(w.step[most].delta - total) <= nearly * fabs(total)) {
        line_add(line, "; %s %s", figure_delta(FIGURE_BYTES, w.step[most].delta).text, w.step[most].label);
    } else if (is_much) {
        line_add(line, "; %s", figure_delta(FIGURE_BYTES, total).text);
        add_steps(line, &w, most, FIGURE_BYTES, GIB);
    }
    if (is_much && a->peak_stage != b->peak_stage && strcmp(w.step[most].name, "stage") != 0)
        line_add(line, " on another stage");
}

static void add_verdict(struct text_line *line, const struct estimate *a, const struct estimate *b)
{
    enum verdict before = range_verdict(a), after = range_verdict(b);
    if (before != after && after != VERDICT_UNKNOWN && before != VERDICT_UNKNOWN)
        line_add(line, "%s", after == VERDICT_FITS    ? ", now fits"
                             : after == VERDICT_TIGHT ? ", now tight"
                                                      : ", no longer fits");
}

void diff_text(const struct estimate *a, const struct estimate *b, char out[DIFF_TEXT_MAX])
{
    struct text_line line = line_in(out, DIFF_TEXT_MAX);
    diff_text_keys(&a->plan, &b->plan, out, DIFF_TEXT_MAX);
    line.at = strlen(out);
    if (line.at == 0) {
        line_add(&line, "no change");
        return;
    }
    add_time(&line, a, b);
    add_memory(&line, a, b);
    add_verdict(&line, a, b);
}

void diff_text_time_spent(const struct estimate *e, char *out, size_t size)
{
    const double matters = 0.01;
    struct waterfall_part part[2];
    struct text_line line = line_in(out, size);
    waterfall_largest(e, LENGTH(part), part);
    for (size_t i = 0; i < LENGTH(part) && part[i].share >= matters; i++)
        line_add(&line, "%s%.0f %% %s", i ? ", " : "", 100 * part[i].share, part[i].label);
}

void diff_text_speed(const struct diff_speed *speed, const char *a, const char *b, char *out, size_t size)
{
    bool is_b = speed->log_time > 0;
    double p = is_b ? speed->probability : 1 - speed->probability;
    out[0] = '\0';
    if (isfinite(p))
        snprintf(out, size,
                 "%s%s takes %.1f %% longer; %s is faster with %.0f %% probability, %s the error of the estimate",
                 speed->is_same_batch ? "" : "for as many tokens on as many GPUs ", is_b ? a : b,
                 100 * (exp(fabs(speed->log_time)) - 1), is_b ? b : a, 100 * p,
                 p >= pair_decided ? "beyond" : "within");
}

/* ---- one key with another value --------------------------------------------------------------------------------- */

int diff_text_part_count(const struct waterfall *w)
{
    const double matters = 1e-6;
    int count = 0;
    while (count < w->count && count < DIFF_PARTS && fabs(w->step[count].delta) > matters * fabs(w->from))
        count++;
    return count;
}

void diff_text_parts(const struct waterfall *w, enum figure_kind kind,
                     struct figure (*delta)(enum figure_kind kind, double difference), char out[DIFF_PARTS_MAX])
{
    struct text_line line = line_in(out, DIFF_PARTS_MAX);
    for (int i = 0; i < diff_text_part_count(w); i++) {
        struct figure change = delta(kind, w->step[i].delta);
        if (strcmp(change.text, "=") != 0)
            line_add(&line, "%s%s %s", line.at ? ", " : "", waterfall_label(&w->step[i]), change.text);
    }
}

void diff_text_fault(const struct plan_diff *diff, char out[DIFF_PARTS_MAX])
{
    out[0] = '\0';
    if (!diff->to.is_valid && diff->fault.rule)
        snprintf(out, DIFF_PARTS_MAX, "%.40s: %.190s", param_rows[diff->fault.param].key,
                 finding_text(&diff->fault).text);
}

bool diff_is_nothing(const struct plan_diff *diff)
{
    return diff->to.is_valid && diff->from.device_bytes == diff->to.device_bytes &&
           diff->from.iteration_s == diff->to.iteration_s && diff->traffic.count == 0;
}

void diff_text_value(const struct plan_diff *diff, enum param key, double value, const struct diff_units *units,
                     char out[DIFF_VALUE_MAX])
{
    const struct {
        const char *name;
        const struct waterfall *parts;
        enum figure_kind kind;
    } rows[] = {{"memory", &diff->memory, FIGURE_BYTES}, {"time", &diff->time, FIGURE_SECONDS},
                {"all GPUs send", &diff->traffic, FIGURE_BYTES}};
    const struct figures *from = &diff->from, *to = &diff->to;
    struct text_line line = line_in(out, DIFF_VALUE_MAX);
    char name[PARAM_NUMBER_MAX], text[DIFF_PARTS_MAX];
    param_number(key, value, name);
    if (!to->is_valid) {
        diff_text_fault(diff, text);
        line_add(&line, "%s: not valid: %s\n", name, text);
        return;
    }
    line_add(&line, "%s: %s (%s), %s (%s), %s%s\n", name, units->figure(FIGURE_BYTES, to->device_bytes).text,
        units->delta(FIGURE_BYTES, to->device_bytes - from->device_bytes).text,
        units->figure(FIGURE_SECONDS, to->iteration_s).text,
        units->delta(FIGURE_SECONDS, to->iteration_s - from->iteration_s).text, verdict_names[to->verdict],
        diff_is_nothing(diff) ? "; nothing changes here" : "");
    for (size_t i = 0; i < LENGTH(rows); i++) {
        diff_text_parts(rows[i].parts, rows[i].kind, units->delta, text);
        if (*text)
            line_add(&line, "  %s: %s\n", rows[i].name, text);
    }
}
