#include "ui/state/baseline.h"

#include "core/show/line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void baseline_estimate(struct ui *ui, const struct plan *plan)
{
    estimate_plan(plan, ui->baseline);
    ui->baseline_generation++;
    ui->by_key.generation = 0;
}

static void compare_with(struct ui *ui, int number)
{
    baseline_estimate(ui, &ui->pin[number - 1].plan);
    ui->has_baseline = true;
    ui->baseline_number = number;
}

void baseline_choose(struct ui *ui, int number)
{
    if (number < 1 || number > ui->pins) {
        ui_say(ui, ROLE_BAD,
               ui->pins > 1   ? "no pinned %d; 1 to %d are"
               : ui->pins > 0 ? "no pinned %d; %d is the only one"
                              : "nothing is pinned; b pins the plan",
               number, ui->pins);
        return;
    }
    compare_with(ui, number);
    ui_say(ui, ROLE_TEXT, "pinned %d: differences are shown against it", number);
}

/* Puts a pin at place `number`; those from there on move down. */
static void insert(struct ui *ui, int number, const struct pin *pin)
{
    struct pin *at = &ui->pin[number - 1];
    memmove(at + 1, at, (size_t)(ui->pins - number + 1) * sizeof *at);
    *at = *pin;
    ui->pins++;
}

void baseline_pin(struct ui *ui, const struct plan *plan)
{
    for (int i = 0; i < ui->pins; i++)
        if (plan_equal(&ui->pin[i].plan, plan)) {
            compare_with(ui, i + 1);
            ui_say(ui, ROLE_TEXT, "pinned %d is already this plan", i + 1);
            return;
        }
    estimate_plan(plan, ui->scratch);
    if (ui->scratch->diags.errors > 0) {
        ui_say(ui, ROLE_WARN, "the plan has errors; mend it before pinning it");
        return;
    }
    if (ui->pins == BASELINES_MAX) {
        ui_say(ui, ROLE_WARN, "1 to %d are pinned; :unpin N makes room", BASELINES_MAX);
        return;
    }
    struct pin pin = {.plan = *plan};
    log_clock(ui->clock_ms > 0 || ui->has_clock, pin.time);
    insert(ui, ui->pins + 1, &pin);
    compare_with(ui, ui->pins);
    ui_say(ui, ROLE_TEXT, "pinned as %d; differences are shown against it", ui->baseline_number);
}

void baseline_unpin(struct ui *ui, int number)
{
    if (number < 1 || number > ui->pins) {
        ui_say(ui, ROLE_BAD, "no pinned %d to unpin", number);
        return;
    }
    struct pin *at = &ui->pin[number - 1];
    ui->unpinned.pin = *at;
    ui->unpinned.number = number;
    ui->unpinned.compared = ui->baseline_number;
    ui->unpinned.generation = ui->generation;
    memmove(at, at + 1, (size_t)(ui->pins - number) * sizeof *at);
    ui->pins--;
    ui->has_baseline = ui->pins > 0;
    int compared = ui->baseline_number > number ? ui->baseline_number - 1 : ui->baseline_number;
    if (ui->has_baseline)
        compare_with(ui, compared > ui->pins ? ui->pins : compared);
    ui_say(ui, ROLE_TEXT, "pinned %d is gone%s; u brings it back", number,
           number <= ui->pins ? ", those after it move up" : "");
}

bool baseline_repin(struct ui *ui)
{
    int number = ui->unpinned.number;
    if (number == 0 || ui->unpinned.generation != ui->generation || ui->pins == BASELINES_MAX || number > ui->pins + 1)
        return false;
    ui->unpinned.number = 0;
    insert(ui, number, &ui->unpinned.pin);
    compare_with(ui, ui->unpinned.compared);
    ui_say(ui, ROLE_TEXT, "undone: unpin %d", number);
    return true;
}

void baseline_name(struct ui *ui, int number, const char *name)
{
    if (number < 1 || number > ui->pins) {
        ui_say(ui, ROLE_BAD, "no pinned %d to name", number);
        return;
    }
    snprintf(ui->pin[number - 1].name, PIN_NAME_MAX, "%s", name);
    ui_say(ui, ROLE_TEXT, "pinned %d is called %s", number, ui->pin[number - 1].name);
}

void baseline_note(struct ui *ui, int number, const char *note)
{
    if (number < 1 || number > ui->pins) {
        ui_say(ui, ROLE_BAD, ui->pins ? "no pinned %d; B lists what is pinned" : "nothing is pinned; b pins the plan",
               number);
        return;
    }
    snprintf(ui->pin[number - 1].note, PIN_NOTE_MAX, "%s", note);
    ui_say(ui, ROLE_TEXT, *note ? "pinned %d: %s" : "pinned %d has no note now", number, ui->pin[number - 1].note);
}

static const char swap_label[] = "swap with pinned ";

void baseline_unswap(struct ui *ui, const char *label, const struct plan *left)
{
    int number = strncmp(label, swap_label, strlen(swap_label)) == 0 ? atoi(label + strlen(swap_label)) : 0;
    if (number < 1 || number > ui->pins)
        return;
    ui->pin[number - 1].plan = *left;
    compare_with(ui, number);
}

/* ---- keys that changed ------------------------------------------------------------------------------------------ */

/* The next key of "parallel.tp+parallel.sp"; -1 for a whole group such as "model.*". `name` is what it is called. */
static int next_key(const char **at, char name[64])
{
    size_t n = strcspn(*at, "+");
    snprintf(name, 64, "%.*s", (int)n, *at);
    *at += n + ((*at)[n] == '+');
    return param_find(name);
}

void baseline_step(const struct ui *ui, const struct waterfall_step *step, char *out, size_t size)
{
    struct text_line line = line_in(out, size);
    char name[64], before[FIELD_TEXT_MAX], after[FIELD_TEXT_MAX];
    for (const char *at = step->name; *at;) {
        const char *comma = line.at ? ", " : "";
        int id = next_key(&at, name);
        if (id < 0) {
            line_add(&line, "%s%s", comma, name);
            continue;
        }
        form_value(&ui->baseline->plan, (enum param)id, before);
        form_value(&ui->shown->plan, (enum param)id, after);
        line_add(&line, "%s%s %s -> %s", comma, param_rows[id].key, before, after);
    }
}

/* The state in which a key got the value that it has. */
static int state_of(const struct ui *ui, enum param id)
{
    const struct history_entry *entry;
    int state = ui->history.now;
    while (state > 0 && (entry = history_at(&ui->history, state - 1)) && param_equal(&entry->plan, &ui->plan, id))
        state--;
    return state;
}

/* The keys that differ from the baseline, in the order in which they were changed; returns how many. */
static int changed_keys(const struct ui *ui, const struct plan *pinned, enum param keys[PARAM_COUNT])
{
    int state[PARAM_COUNT], count = 0;
    for (int id = 0; id < PARAM_COUNT; id++) {
        if (param_equal(pinned, &ui->plan, (enum param)id))
            continue;
        int at = count++, changed = state_of(ui, (enum param)id);
        for (; at > 0 && state[at - 1] > changed; at--) {
            keys[at] = keys[at - 1];
            state[at] = state[at - 1];
        }
        keys[at] = (enum param)id;
        state[at] = changed;
    }
    return count;
}

void baseline_changes(struct ui *ui, const struct waterfall_figure *figure, struct waterfall *steps)
{
    const struct plan *pinned = &ui->pin[ui->baseline_number - 1].plan;
    enum param keys[PARAM_COUNT];
    int count = changed_keys(ui, pinned, keys);
    waterfall_in_order(figure, pinned, &ui->plan, keys, count, ui->scratch, steps);
}

bool baseline_has_mean(const struct ui *ui)
{
    enum { KEYS_MAX = 5 /* 32 estimates */ };
    enum param keys[PARAM_COUNT];
    return changed_keys(ui, &ui->pin[ui->baseline_number - 1].plan, keys) <= KEYS_MAX;
}

double baseline_mean(const struct waterfall *mean, const struct waterfall_step *step)
{
    for (int i = 0; mean->count > 1 && i < mean->count; i++)
        if (strcmp(mean->step[i].name, step->name) == 0)
            return mean->step[i].delta;
    return NAN;
}

/* ---- keys ------------------------------------------------------------------------------------------------------- */

static void do_baseline(struct ui *ui)
{
    baseline_pin(ui, &ui->plan);
}

static bool is_pinned(struct ui *ui)
{
    if (!ui->has_baseline)
        ui_say(ui, ROLE_WARN, "nothing is pinned; b pins the plan");
    return ui->has_baseline;
}

/* Makes the baseline the plan. */
static void take(struct ui *ui, const char *verb)
{
    char label[HISTORY_LABEL_MAX];
    struct plan plan = ui->pin[ui->baseline_number - 1].plan;
    snprintf(label, sizeof label, "%s pinned %d", verb, ui->baseline_number);
    ui_change(ui, &plan, label);
    ui_say(ui, ROLE_TEXT, "%s; u goes back", label);
}

void baseline_back(struct ui *ui)
{
    if (is_pinned(ui))
        take(ui, "back to");
}

void baseline_swap(struct ui *ui)
{
    struct plan plan = ui->plan;
    int number = ui->baseline_number;
    if (!is_pinned(ui))
        return;
    if (ui->now->diags.errors > 0) {
        ui_say(ui, ROLE_WARN, "the plan has errors; mend it before it becomes the baseline");
        return;
    }
    take(ui, "swap with");
    ui->pin[number - 1].plan = plan;
    compare_with(ui, number);
    ui_say(ui, ROLE_TEXT, "pinned %d is the plan now, and the plan before is pinned %d", number, number);
}

const struct action_handler baseline_handlers[] = {
    {ACTION_baseline, do_baseline}, {0},
};
