#include "core/search/values.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "core/search/waterfall.h"
#include "core/show/columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int values_count(enum param id)
{
    enum { FEW = 4 }; /* zero_stage is a choice, too */
    int count = 0;
    if (param_rows[id].type == TYPE_INT && param_rows[id].min == 0 && param_rows[id].max < FEW)
        return (int)param_rows[id].max + 1;
    while (param_rows[id].type == TYPE_ENUM && param_rows[id].choices[count])
        count++;
    return param_rows[id].type == TYPE_BOOL ? 2 : count;
}

/* The first fault, or else what says that memory and time are not known. */
static void say_why(const struct estimate *e, char out[VALUE_TEXT_MAX])
{
    out[0] = '\0';
    for (int i = 0; i < e->diags.count; i++) {
        const struct diag *diag = &e->diags.item[i];
        if (diag->level != DIAG_ERROR && !diag->is_unmodelled)
            continue;
        snprintf(out, VALUE_TEXT_MAX, "%.40s: %.190s", param_rows[diag->param].key, diag->message);
        return;
    }
}

/* The first of them are the largest, but for "stage", which comes before. */
static void take_steps(const struct waterfall *w, struct value_part part[VALUE_PARTS])
{
    const double matters = 1e-6;
    for (int i = 0; i < w->count && i < VALUE_PARTS && fabs(w->step[i].delta) > matters * fabs(w->from); i++)
        part[i] = (struct value_part){w->step[i].label, "", "", w->step[i].delta};
}

/* Bytes that all GPUs send in an iteration, by row. */
static void add_traffic(const struct estimate *e, double times, double sent[COMM_COUNT])
{
    struct comm row[COMM_COUNT];
    for (int stage = 0; stage < e->stages; stage++) {
        estimate_comm(e, stage, row);
        for (int id = 0; id < COMM_COUNT; id++)
            sent[id] += row[id].when > 0 ? times * row[id].cluster_bytes : 0;
    }
}

static void take_traffic(const struct estimate *now, const struct estimate *then, struct value_part part[VALUE_PARTS])
{
    double sent[COMM_COUNT] = {0};
    if (now->is_serving || then->is_serving)
        return;
    add_traffic(now, -1, sent);
    add_traffic(then, 1, sent);
    for (int i = 0; i < VALUE_PARTS; i++) {
        int most = 0;
        for (int id = 1; id < COMM_COUNT; id++)
            most = fabs(sent[id]) > fabs(sent[most]) ? id : most;
        if (!(fabs(sent[most]) >= 1))
            return;
        part[i] = (struct value_part){comm_dim_text((enum comm_id)most), comm_op_names[comm_rows[most].op],
                                      comm_where_text((enum comm_id)most), sent[most]};
        sent[most] = 0;
    }
}

void values_try(const struct plan *plan, const struct estimate *now, enum param id, double value,
                struct estimate *scratch, struct value_effect *out)
{
    struct plan copy = *plan;
    struct waterfall steps;
    struct figures before;
    *out = (struct value_effect){.value = value, .memory_bytes = NAN, .iteration_s = NAN};
    copy.value[id] = value;
    copy.from[id] = FROM_SET;
    estimate_plan(&copy, scratch);
    figures_of(scratch, &out->figures);
    if (!out->figures.is_valid) {
        say_why(scratch, out->why);
        return;
    }
    figures_of(now, &before);
    out->memory_bytes = out->figures.device_bytes - before.device_bytes;
    out->iteration_s = out->figures.iteration_s - before.iteration_s;
    waterfall_memory(now, scratch, &steps);
    take_steps(&steps, out->memory);
    waterfall_time(now, scratch, &steps);
    take_steps(&steps, out->time);
    take_traffic(now, scratch, out->traffic);
}

bool values_is_same(const struct value_effect *effect)
{
    bool is_alike = effect->memory_bytes == 0 && effect->iteration_s == 0;
    return effect->figures.is_valid && is_alike && !effect->traffic[0].label;
}

void values_label(const struct value_part *part, char *out, size_t size)
{
    bool is_traffic = *part->op;
    snprintf(out, size, is_traffic ? "%s %s (%s)" : "%s", part->label, part->op, part->where);
    for (char *p = out; is_traffic && *p; p++)
        *p = *p == '_' ? '-' : *p;
}

void values_write(const struct value_part part[VALUE_PARTS], enum figure_kind kind,
                  struct figure (*delta)(enum figure_kind kind, double difference), char out[VALUE_TEXT_MAX])
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < VALUE_PARTS && part[i].label && used < VALUE_TEXT_MAX; i++) {
        struct figure change = delta(kind, part[i].delta);
        if (strcmp(change.text, "=") == 0)
            continue;
        char label[VALUE_TEXT_MAX / 2];
        values_label(&part[i], label, sizeof label);
        used += (size_t)snprintf(out + used, VALUE_TEXT_MAX - used, "%s%s %s", used ? ", " : "", label, change.text);
    }
}

static void add_line(char *out, const char *name, const char *text)
{
    size_t used = strlen(out);
    if (*text)
        snprintf(out + used, VALUE_LINES_MAX - used, "  %s: %s\n", name, text);
}

void values_lines(const struct value_effect *effect, enum param id, const struct value_words *words,
                  char out[VALUE_LINES_MAX])
{
    const struct figures *f = &effect->figures;
    char name[PARAM_NUMBER_MAX], text[VALUE_TEXT_MAX];
    param_number(id, effect->value, name);
    if (!f->is_valid) {
        snprintf(out, VALUE_LINES_MAX, "%s: not valid: %s\n", name, effect->why);
        return;
    }
    snprintf(out, VALUE_LINES_MAX, "%s: %s (%s), %s (%s), %s%s\n", name,
             words->figure(FIGURE_BYTES, f->device_bytes).text, words->delta(FIGURE_BYTES, effect->memory_bytes).text,
             words->figure(FIGURE_SECONDS, f->iteration_s).text, words->delta(FIGURE_SECONDS, effect->iteration_s).text,
             verdict_names[f->verdict], values_is_same(effect) ? "; nothing changes here" : "");
    values_write(effect->memory, FIGURE_BYTES, words->delta, text);
    add_line(out, "memory", text);
    values_write(effect->time, FIGURE_SECONDS, words->delta, text);
    add_line(out, "time", text);
    values_write(effect->traffic, FIGURE_BYTES, words->delta, text);
    add_line(out, "all GPUs send", text);
}
