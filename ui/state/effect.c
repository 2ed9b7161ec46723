#include "ui/state/effect.h"

#include "core/base.h"
#include "core/plan/step.h"
#include "ui/widget/units.h"

#include <stdio.h>
#include <string.h>

/* Keys that follow from others and that a reader would miss: "dp 4". */
static void say_follows(const struct plan *before, const struct plan *after, enum param id, char *out, size_t size)
{
    static const enum param watched[] = {PARAM_parallel_dp, PARAM_train_global_batch_size, PARAM_hardware_nodes};
    static const char *const short_names[] = {"dp", "gbs", "nodes"};
    out[0] = '\0';
    for (size_t i = 0, used = 0; i < LENGTH(watched) && used < size; i++) {
        enum param w = watched[i];
        if (w == id || before->value[w] == after->value[w] || isnan(after->value[w]))
            continue;
        used += (size_t)snprintf(out + used, size - used, "%s%s %.0f", used ? ", " : "", short_names[i],
                                 after->value[w]);
    }
}

/* An iteration, or each further token. */
static double time_of(const struct estimate *e)
{
    return e->is_serving ? result_value((enum result_id)SERVING_TOKEN, e) : result_value(RESULT_ITERATION, e);
}

void effect_of_plan(struct ui *ui, const struct plan *plan, enum param id, struct effect *effect)
{
    struct estimate *e = ui->scratch;
    estimate_plan(plan, e);
    *effect = (struct effect){.exists = true, .is_serving = e->is_serving,
                              .is_modelled = e->diags.is_modelled, .verdict = range_verdict(e)};
    form_value(&e->plan, id, effect->value);
    effect->fault = e->diags.errors > 0 ? param_rows[e->diags.item[0].param].key : NULL;
    say_follows(&ui->now->plan, &e->plan, id, effect->follows, sizeof effect->follows);
    effect->peak_bytes = result_value(RESULT_PEAK, e);
    effect->headroom_bytes = result_value(RESULT_HEADROOM, e);
    effect->iteration_s = time_of(e);
}

static void effect_of_step(struct ui *ui, enum param id, int direction, struct effect *effect)
{
    struct plan copy = ui->plan;
    *effect = (struct effect){0};
    if (ui_step(ui, &copy, id, direction) == 0)
        effect_of_plan(ui, &copy, id, effect);
}

const struct hints *effect_hints(const struct ui *ui)
{
    enum param id = ui_field(ui);
    const struct hints *h = &ui->hints[(int)id % HINT_SLOTS];
    return h->is_known && h->field == id && h->generation == ui->generation ? h : NULL;
}

/* A step of the field leaves alone which of its values work, unless an error of the plan is forgiven in them. */
static int find_valid(struct ui *ui, enum param id, double out[VALID_MAX])
{
    struct working *kept = &ui->working;
    if (ui->now->diags.errors > 0)
        return param_valid(&ui->plan, id, out, VALID_MAX);
    kept->plan.value[id] = ui->plan.value[id];
    kept->plan.from[id] = ui->plan.from[id];
    bool is_same =
        memcmp(kept->plan.from, ui->plan.from, sizeof ui->plan.from) == 0 && plan_equal(&kept->plan, &ui->plan);
    if (!kept->is_known || kept->field != id || !is_same) {
        *kept = (struct working){.field = id, .is_known = true, .plan = ui->plan};
        kept->count = param_valid(&ui->plan, id, kept->value, VALID_MAX);
    }
    memcpy(out, kept->value, (size_t)kept->count * sizeof *out);
    return kept->count;
}

void effect_of_steps(struct ui *ui)
{
    enum param id = ui_field(ui);
    struct hints *h = &ui->hints[(int)id % HINT_SLOTS];
    if (effect_hints(ui))
        return;
    *h = (struct hints){.field = id, .generation = ui->generation, .is_known = true};
    enum param_step step = param_rows[id].step;
    effect_of_step(ui, id, -1, &h->down);
    effect_of_step(ui, id, 1, &h->up);
    if (step == STEP_UNIT || step == STEP_CHOICE)
        h->valid_count = find_valid(ui, id, h->valid);
}

/* Presets are not loaded while their name is being typed. */
void effect_of_typed(struct ui *ui)
{
    struct plan copy = ui->plan;
    struct typed *t = &ui->typed;
    enum param id = ui_field(ui);
    *t = (struct typed){0};
    if (param_rows[id].type == TYPE_NAME || ui_parse(ui, &copy, id, ui->edit.text, t->why) != 0)
        return;
    t->is_read = true;
    effect_of_plan(ui, &copy, id, &t->effect);
    snprintf(t->value, sizeof t->value, "%s", t->effect.value);
    const struct diag *first = &ui->scratch->diags.item[0];
    bool is_other = ui->scratch->diags.errors > 0 && first->param != (int)id; /* what works is of that key */
    if (ui->scratch->diags.errors > 0)
        snprintf(t->why, sizeof t->why, "%s%s%s", is_other ? param_rows[first->param].key : "", is_other ? ": " : "",
                 finding_text(first).text);
}

void effect_text(const struct ui *ui, const struct effect *effect, const char *sign, int room, char *out, size_t size)
{
    if (!effect->exists) {
        snprintf(out, size, "%s none", sign);
        return;
    }
    int used = snprintf(out, size, "%s %.24s   ", sign, effect->value);
    effect_figures(ui, effect, room - used, out + used, size - (size_t)used);
}

/* "fits, 46.4 GiB free", or in a few words. */
static void say_memory(const struct effect *effect, bool is_long, char *out, size_t size)
{
    bool is_tight = effect->verdict == VERDICT_TIGHT, is_over = effect->headroom_bytes < 0;
    const char *word = !is_long && !is_tight ? "" : is_tight ? "tight, " : is_over ? "does not fit, " : "fits, ";
    if (isnan(effect->headroom_bytes))
        snprintf(out, size, "memory not known");
    else
        snprintf(out, size, "%s%s %s %s", word, units_figure(FIGURE_GIB, fabs(effect->headroom_bytes)).text,
                 units_name(), is_over ? "over" : "free");
}

/* "; 2.17 s faster"; nothing where the two do not mean the same. */
static void say_time(const struct ui *ui, const struct effect *effect, char *out, size_t size)
{
    double now_s = time_of(ui->shown), change_s = effect->iteration_s - now_s;
    out[0] = '\0';
    if (effect->is_serving != ui->shown->is_serving || !isfinite(change_s))
        return;
    if (figure_delta(FIGURE_SECONDS, change_s).text[0] == '=')
        snprintf(out, size, "; as fast");
    else
        snprintf(out, size, "; %s%s %s", effect->is_serving ? "a token " : "",
                 figure(FIGURE_SECONDS, fabs(change_s)).text, change_s < 0 ? "faster" : "slower");
}

void effect_figures(const struct ui *ui, const struct effect *effect, int room, char *out, size_t size)
{
    static const struct {
        bool is_long, has_time, has_follows;
    } wordings[] = {{true, true, true}, {true, true, false}, {false, true, true}, {false, true, false},
                    {false, false, false}};
    char memory[64], seconds[48], follows[64] = "";
    if (effect->fault) {
        snprintf(out, size, "not valid: %.40s", effect->fault);
        return;
    }
    if (!effect->is_modelled) {
        snprintf(out, size, "not modelled");
        return;
    }
    say_time(ui, effect, seconds, sizeof seconds);
    if (effect->follows[0])
        snprintf(follows, sizeof follows, " (%s)", effect->follows);
    for (size_t i = 0; i < LENGTH(wordings); i++) {
        say_memory(effect, wordings[i].is_long, memory, sizeof memory);
        int used = snprintf(out, size, "%s%s%s", memory, wordings[i].has_time ? seconds : "",
                            wordings[i].has_follows ? follows : "");
        if (used <= room)
            return;
    }
}
