#include "ui/state/state.h"

#include "core/base.h"
#include "core/plan/match.h"
#include "core/plan/nearest.h"
#include "core/plan/question.h"
#include "core/plan/step.h"
#include "core/show/ranks.h"
#include "ui/command/names.h"
#include "ui/widget/units.h"

#include <ctype.h>
#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

const char *ui_theme_choice(const struct ui *ui)
{
    return ui->options.theme ? ui->options.theme : ui->options.no_color ? "mono" : ui->settings.theme;
}

int ui_show_theme(struct ui *ui, const char *choice, char *why)
{
    static const enum ground grounds[] = {GROUND_LIGHT, GROUND_DARK};
    struct theme theme;
    char name[THEME_NAME_MAX];
    int result = 0;
    *why = '\0';
    bool is_tried = theme_follows(choice) && strcmp(choice, settings_theme) != 0 && ui->host->theme;
    for (size_t i = 0; i < LENGTH(grounds) && is_tried && result == 0; i++) {
        theme_chosen(choice, grounds[i], name);
        result = ui->host->theme(ui->host->context, name, &theme, why);
    }
    theme_chosen(choice, ui->ground, name);
    if (result == 0 && ui->host->theme)
        result = ui->host->theme(ui->host->context, name, &ui->theme, why);
    ui->request |= result == 0 ? REQUEST_THEME : 0u;
    return result;
}

static void choose_theme(struct ui *ui)
{
    const char *no_color = getenv("NO_COLOR");
    ui->options.no_color = !ui->options.always_color && (ui->options.no_color || (no_color && *no_color));
    const char *choice = ui->options.present && !ui->options.theme ? "projector" : ui_theme_choice(ui);
    char why[UI_MESSAGE_MAX] = "";
    theme_default(&ui->theme);
    if (strcmp(choice, ui->theme.name) != 0)
        ui_show_theme(ui, choice, why);
    ui->request = 0; /* the first frame has it: nothing is drawn anew */
    if (why[0])
        ui_say(ui, ROLE_WARN, "%s", why);
}

static bool draws_utf8(const struct ui_options *options)
{
    const char *locale = setlocale(LC_CTYPE, NULL);
    if (!locale || strcmp(locale, "C") == 0 || strcmp(locale, "POSIX") == 0)
        if (!setlocale(LC_CTYPE, ""))
            setlocale(LC_CTYPE, "C.UTF-8");
    return !options->ascii && !options->slow && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static void set_up_forms(struct ui *ui)
{
    for (int i = 0; i < PANE_FORMS; i++)
        ui->field_count[i] = form_fields((enum pane_id)i, ui->fields[i]);
    ui_select(ui, PARAM_parallel_tp);
}

struct ui *ui_create(const struct ui_host *host, const struct ui_options *options, int width, int height)
{
    struct ui *ui = calloc(1, sizeof *ui);
    struct estimate *pool = calloc(4, sizeof *pool); /* pages of stages that no plan has are never touched */
    if (!ui || !pool) {
        free(ui);
        free(pool);
        return NULL;
    }
    ui->host = host;
    ui->options = *options;
    ui->pool = pool;
    ui->now = ui->shown = &pool[0];
    ui->scratch = &pool[2];
    ui->baseline = &pool[3];
    settings_default(&ui->settings);
    if (options->settings)
        ui->settings = *options->settings;
    units_use((enum units)ui->settings.units);
    ui->view = (enum pane_id)(PANE_FORMS + ui->settings.start_view);
    ui->stage = -1;
    ui->has_mouse = ui->settings.mouse && !options->no_mouse;
    snprintf(ui->path, sizeof ui->path, "%s", options->path ? options->path : "");
    ui->utf8 = draws_utf8(options);
    set_up_forms(ui);
    ui->saved = options->saved ? *options->saved : *options->plan;
    history_push(&ui->history, options->plan, "start");
    ui_adopt(ui, options->plan);
    /* kept among what was read */
    snprintf(ui->message, sizeof ui->message, "%s", options->notice ? options->notice : "");
    ui->message_role = ROLE_WARN;
    choose_theme(ui);
    ui_resize(ui, width, height);
    return ui;
}

void ui_free(struct ui *ui)
{
    if (!ui)
        return;
    history_free(&ui->history);
    for (int i = 0; ui->files && i <= ui->file_count; i++)
        free(ui->files[i].questions);
    free(ui->files);
    gantt_free(&ui->schedule.gantt);
    free(ui->times);
    free(ui->copy);
    free(ui->estimators);
    free(ui->start);
    free(ui->goal);
    if (ui->finder)
        ui->finder_free(ui->finder);
    log_free(&ui->log);
    free(ui->exported.text);
    free(ui->advisor);
    if (ui->aside)
        history_free(&ui->aside->history);
    free(ui->aside);
    free(ui->pool);
    free(ui);
}

void ui_resize(struct ui *ui, int width, int height)
{
    ui->width = width < 1 ? 1 : width > 1000 ? 1000 : width;
    ui->height = height < 1 ? 1 : height > 500 ? 500 : height;
}

/* ---- selection --------------------------------------------------------------------------------------------------- */

enum param ui_field(const struct ui *ui)
{
    return ui->fields[ui->form][ui->field[ui->form]];
}

void ui_select(struct ui *ui, enum param id)
{
    for (int form = 0; form < PANE_FORMS; form++)
        for (int i = 0; i < ui->field_count[form]; i++)
            if (ui->fields[form][i] == id) {
                ui->form = (enum pane_id)form;
                ui->field[form] = i;
            }
}

int ui_stage(const struct ui *ui)
{
    int stages = ui->shown->is_computed ? ui->shown->stages : 0;
    return ui->stage >= 0 && ui->stage < stages ? ui->stage : stages ? ui->shown->peak_stage : 0;
}

/* ---- changing the plan ------------------------------------------------------------------------------------------- */

void ui_adopt(struct ui *ui, const struct plan *plan)
{
    char why[UI_MESSAGE_MAX];
    struct estimate *next = &ui->pool[ui->shown == &ui->pool[0]];
    bool was_valid = ui->generation > 0 && ui->shown->diags.errors == 0;
    if (plan != &ui->plan)
        ui->plan = *plan;
    if (ui->aside)
        ui->host->lessons->edit(ui->host->context, &ui->plan, why);
    estimate_plan(&ui->plan, next);
    ui->now = next;
    if (ui->group > 0 && !ranks_has_group(&next->grid, (enum rank_axis)(ui->group - 1)))
        ui->group_row = GROUP_ROW_NONE;
    if (next->diags.errors == 0 || !was_valid)
        ui->shown = next;
    if (ui->rank >= ui->shown->grid.world)
        ui->rank = 0;
    ui->generation++;
    history_note(&ui->history, result_value(RESULT_PEAK, ui->now), result_value(RESULT_ITERATION, ui->now));
    if (ui->host->record && !ui->aside && ui->host->record(ui->host->context, &ui->plan, why) != 0)
        ui_say(ui, ROLE_BAD, "%s", why);
}

bool ui_stale(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    const struct diag *error = ui_first_error(ui);
    bool is_stale = ui->shown != ui->now && error;
    out[0] = '\0';
    if (is_stale)
        snprintf(out, UI_MESSAGE_MAX, "invalid, %s: %.180s; figures are those of the last valid plan",
                 param_rows[error->param].key, finding_text(error).text);
    return is_stale;
}

bool ui_say_stale(struct ui *ui, const char *label)
{
    char why[UI_MESSAGE_MAX];
    bool is_stale = ui_stale(ui, why);
    if (is_stale)
        ui_say(ui, ROLE_BAD, "%s: %s", label, why);
    return is_stale;
}

/* In a lecture the last change and what it did stay readable until the next change. */
static void say_change(struct ui *ui, const char *label, double peak_bytes, double iteration_s)
{
    if (!ui->options.present || ui_say_stale(ui, label))
        return;
    double peak = result_value(RESULT_PEAK, ui->shown), iteration = result_value(RESULT_ITERATION, ui->shown);
    ui_say(ui, ROLE_TEXT, "%s: peak %s -> %s %s (%s), iteration %s -> %s", label,
           units_figure(FIGURE_GIB, peak_bytes).text,
           units_figure(FIGURE_GIB, peak).text, units_name(), units_delta(FIGURE_GIB, peak - peak_bytes).text,
           figure(FIGURE_SECONDS, iteration_s).text, figure(FIGURE_SECONDS, iteration).text);
}

static void add_log(struct ui *ui, enum role role, const char *text)
{
    char clock[CLOCK_MAX];
    log_clock(ui->clock_ms > 0 || ui->has_clock, clock);
    log_add(&ui->log, role, clock, text);
}

/* A change with what it came to. */
static void log_change(struct ui *ui, const char *label)
{
    char text[LOG_LINE_MAX], verdict[VERDICT_MAX];
    result_verdict(ui->shown, verdict);
    snprintf(text, sizeof text, "%s: peak %s %s, %s %s, %s", label,
             units_figure(FIGURE_GIB, result_value(RESULT_PEAK, ui->shown)).text, units_name(),
             ui->shown->is_serving ? "token" : "iteration",
             figure(FIGURE_SECONDS, result_value(RESULT_ITERATION, ui->shown)).text,
             ui->shown == ui->now ? verdict : "INVALID");
    add_log(ui, ROLE_TEXT, text);
}

void ui_change(struct ui *ui, const struct plan *plan, const char *label)
{
    char why[UI_MESSAGE_MAX];
    double peak = result_value(RESULT_PEAK, ui->shown), iteration = result_value(RESULT_ITERATION, ui->shown);
    if (ui->aside && ui->host->lessons->edit(ui->host->context, plan, why) != 0) {
        ui_say(ui, ROLE_WARN, "%s", why);
        return;
    }
    if (history_push(&ui->history, plan, label) != 0)
        ui_say(ui, ROLE_BAD, "no memory left: this change cannot be undone");
    ui_adopt(ui, plan);
    ui->is_autosave_due = true;
    log_change(ui, label);
    say_change(ui, label, peak, iteration);
}

bool ui_is_answer(const struct ui *ui, const struct plan *before, const struct plan *now, enum param id)
{
    const struct questions *questions = ui->options.questions;
    enum origin known = FROM_ASSUMED; /* the last that leaves the key open */
    for (int i = 0; questions && i < questions->count; i++)
        for (int k = 0; k < questions->item[i].count; k++)
            if (questions->item[i].is_uncertain && questions->item[i].decides[k] == (int16_t)id)
                known = FROM_FILE;
    bool was_open = before->from[id] == FROM_ASSUMED || before->from[id] == known;
    bool is_open = now->from[id] == FROM_ASSUMED || now->from[id] == known;
    return was_open != is_open && !param_blank(before, id) && !param_blank(now, id);
}

bool ui_is_modified(const struct ui *ui)
{
    bool is_modified = !plan_equal(&ui->plan, &ui->saved);
    for (int id = 0; id < PARAM_COUNT && !is_modified; id++)
        is_modified = ui_is_answer(ui, &ui->saved, &ui->plan, (enum param)id);
    return is_modified;
}

void ui_values(const struct plan *before, const struct plan *now, enum param id, char old[FIELD_TEXT_MAX],
               char new[FIELD_TEXT_MAX])
{
    form_value(before, id, old);
    form_value(now, id, new);
    if (param_equal(before, now, id))
        snprintf(before->from[id] < now->from[id] ? old : new, FIELD_TEXT_MAX, "open");
}

int ui_changes(const struct ui *ui, char *out, size_t size)
{
    int count = 0;
    size_t used = 0;
    out[0] = '\0';
    for (int id = 0; id < PARAM_COUNT; id++) {
        char old[FIELD_TEXT_MAX], new[FIELD_TEXT_MAX];
        bool is_answer = ui_is_answer(ui, &ui->saved, &ui->plan, (enum param)id);
        if (param_equal(&ui->saved, &ui->plan, (enum param)id) && !is_answer)
            continue;
        ui_values(&ui->saved, &ui->plan, (enum param)id, old, new);
        if (used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%s %.18s -> %.18s", count ? ", " : "",
                                     param_rows[id].key, old, new);
        count++;
    }
    return count;
}

/* Appends a change that fits whole, with room for the number of those that do not where more may follow. */
static bool append_change(char label[HISTORY_LABEL_MAX], const char *part, bool is_followed)
{
    size_t used = strlen(label), rest = is_followed || used ? strlen(", +99") : 0;
    if (used > 0 && used + strlen(", ") + strlen(part) + rest >= HISTORY_LABEL_MAX)
        return false;
    snprintf(label + used, HISTORY_LABEL_MAX - used, "%s%s", used ? ", " : "", part);
    return true;
}

void ui_change_keys(struct ui *ui, const struct plan *plan, const enum param ids[], int count)
{
    struct plan before, after;
    char label[HISTORY_LABEL_MAX] = "";
    int left = 0;
    plan_resolve(&ui->plan, &before);
    plan_resolve(plan, &after);
    for (int i = 0; i < count; i++) {
        char old[FIELD_TEXT_MAX], new[FIELD_TEXT_MAX], part[80];
        form_value(&before, ids[i], old);
        form_value(&after, ids[i], new);
        bool is_same = strcmp(old, new) == 0; /* given now, where it followed before */
        snprintf(part, sizeof part, is_same ? "%.20s %.18s is now given" : "%.20s %.18s -> %.18s",
                 param_rows[ids[i]].key, old, new);
        if (count == 1 || !is_same) /* of several, those that change */
            left += !append_change(label, part, i + 1 < count);
    }
    if (left > 0)
        snprintf(label + strlen(label), sizeof label - strlen(label), ", +%d", left);
    ui_change(ui, plan, label);
}

void ui_change_key(struct ui *ui, const struct plan *plan, enum param id)
{
    ui_change_keys(ui, plan, &id, 1);
}

bool ui_autosave(struct ui *ui)
{
    char why[UI_MESSAGE_MAX];
    if (!ui->is_autosave_due || !ui->host->autosave)
        return false;
    ui->is_autosave_due = false;
    const struct set_aside *own = ui->aside; /* a lesson's plans are not the user's */
    bool fails = ui->host->autosave(ui->host->context, own ? own->path : ui->path, own ? &own->plan : &ui->plan,
                                    own ? &own->saved : &ui->saved, why) != 0;
    bool is_news = fails && !ui->is_autosave_failing;
    ui->is_autosave_failing = fails;
    if (is_news)
        ui_say(ui, ROLE_BAD, "not kept for a restart: %s", why);
    return is_news;
}

/* ---- reading values ---------------------------------------------------------------------------------------------- */

/* Position of a name in a sorted list, or -1. */
static int find_name(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return (int)i;
    return -1;
}

/* The name that answers best, or else is nearest, for "did you mean". */
static const char *nearest_name(const char *const *names, size_t count, const char *name)
{
    struct nearest nearest = {.typed = name, .takes_any = true};
    const char *best = NULL;
    int score = 0;
    for (size_t i = 0; i < count; i++) {
        int own = match_name(name, names[i]);
        best = own > score ? names[i] : best;
        score = own > score ? own : score;
        nearest_offer(&nearest, names[i], names[i]);
    }
    return best ? best : nearest.name[0];
}

const char *ui_preset(const struct ui *ui, enum param id, const char *text)
{
    const char *const *names = NULL;
    size_t count = ui->host->names ? ui->host->names(ui->host->context, id, &names) : 0;
    const char *item = names_item(text);
    for (size_t i = 0; i < count; i++)
        if (tolower((unsigned char)*text) == tolower((unsigned char)names[i][0]) && match_same(names[i], text))
            return names[i];
    int at = item ? find_name(names, count, item) : -1;
    return at >= 0 ? names[at] : NULL;
}

static int parse_name(const struct ui *ui, struct plan *plan, enum param id, const char *text, char *why)
{
    const char *const *names = NULL;
    size_t count = ui->host->names ? ui->host->names(ui->host->context, id, &names) : 0;
    text += strspn(text, " ");
    const char *preset = ui_preset(ui, id, text);
    if (preset)
        return ui->host->preset(ui->host->context, id, preset, plan, why);
    if (*text && count > 0) {
        snprintf(why, UI_MESSAGE_MAX, "'%.40s' is not known; did you mean %.40s?%s", text,
                 nearest_name(names, count, text), id == PARAM_model_name ? " :label TEXT names the plan" : "");
        return -1;
    }
    if (id == PARAM_hardware_gpu && !*text)
        gpu_clear(&plan->gpu);
    return param_parse(plan, id, text, FROM_SET, false, why);
}

int ui_parse(const struct ui *ui, struct plan *plan, enum param id, const char *text, char *why)
{
    struct plan seen;
    if (param_rows[id].type == TYPE_NAME)
        return parse_name(ui, plan, id, text, why);
    plan_resolve(plan, &seen);
    if (param_parse(&seen, id, text, FROM_SET, true, why) != 0)
        return -1;
    param_copy(plan, &seen, id, (enum origin)seen.from[id]);
    return 0;
}

static int step_name(const struct ui *ui, struct plan *plan, enum param id, int direction)
{
    const char *const *names = NULL;
    char why[UI_MESSAGE_MAX];
    int count = ui->host->names ? (int)ui->host->names(ui->host->context, id, &names) : 0;
    if (count == 0)
        return -1;
    int at = find_name(names, (size_t)count, plan->text[param_text_slot(id)]);
    at = at < 0 ? (direction > 0 ? 0 : count - 1) : (at + direction + count) % count;
    return ui->host->preset(ui->host->context, id, names[at], plan, why);
}

int ui_step(const struct ui *ui, struct plan *plan, enum param id, int direction)
{
    return param_rows[id].type == TYPE_NAME ? step_name(ui, plan, id, direction) : param_step(plan, id, direction);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

void ui_say(struct ui *ui, enum role role, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(ui->message, sizeof ui->message, format, args);
    va_end(args);
    ui->message_role = role;
    const struct log_line *newest = log_at(&ui->log, 0);
    bool is_there = newest && strncmp(newest->text, ui->message, strlen(ui->message)) == 0;
    if (role != ROLE_MUTED && !is_there) /* dim: nothing happened */
        add_log(ui, role, ui->message);
}

const struct diag *ui_finding(const struct ui *ui, enum param id)
{
    for (int i = 0; i < ui->now->diags.count; i++)
        if (ui->now->diags.item[i].param == (int)id)
            return &ui->now->diags.item[i]; /* errors come first */
    return NULL;
}

const struct diag *ui_first_error(const struct ui *ui)
{
    const struct diags *diags = &ui->now->diags;
    return diags->errors > 0 && diags->count > 0 ? &diags->item[0] : NULL;
}

int ui_gpus(const struct ui *ui)
{
    const double *value = ui->now->plan.value, gpus = value[PARAM_hardware_nodes] * value[PARAM_hardware_gpus_per_node];
    return ui->now->diags.errors > 0 && gpus >= 1 && gpus < 1e9 ? (int)gpus : ui->now->grid.world;
}
