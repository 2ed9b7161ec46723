#include "ui/command/command.h"

#include "core/base.h"
#include "core/plan/nearest.h"
#include "core/search/depth.h"
#include "core/show/ranks.h"
#include "ui/state/advisor.h"
#include "ui/command/assign.h"
#include "ui/state/baseline.h"
#include "ui/command/change.h"
#include "ui/command/keymap.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/pane.h"
#include "ui/term/screenshot.h"
#include "ui/widget/units.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the commands ----------------------------------------------------------------------------------------------- */

/* What is wrong with the line and at which of its bytes. Returns false, as the line was not run. */
static bool fault(struct ui *ui, int at, int length, const char *why)
{
    ui_say(ui, ROLE_BAD, "%s", why);
    ui->fault.at = at;
    ui->fault.length = length;
    return false;
}

/* True for names of standard input and its like, which are the keyboard and the screen here; says so. */
static bool is_stream(struct ui *ui, const char *path)
{
    static const char *const names[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/console"};
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"};
    bool is_one = strcmp(path, "-") == 0;
    for (size_t i = 0; i < LENGTH(names); i++)
        is_one |= strcmp(path, names[i]) == 0;
    for (size_t i = 0; i < LENGTH(folders); i++)
        is_one |= strncmp(path, folders[i], strlen(folders[i])) == 0;
    if (is_one)
        ui_say(ui, ROLE_BAD, "%.60s: standard input is the keyboard here, and output the screen; name a file", path);
    return is_one;
}

/* Reads a file into `plan`; says what is wrong where that cannot be. */
static bool read_plan(struct ui *ui, const char *path, struct plan *plan)
{
    char why[UI_MESSAGE_MAX];
    if (is_stream(ui, path))
        return false;
    bool is_read = ui->host->load(ui->host->context, path, plan, why) == 0;
    if (!is_read)
        ui_say(ui, ROLE_BAD, "%s", why);
    return is_read;
}

/* The file or plan that is nearest to what was typed. */
struct near_file {
    struct nearest nearest;
    char name[EDIT_MAX / 2];
    bool is_there; /* it is the file itself: something else is wrong with it */
};

static void take_near(void *to, const char *path)
{
    struct near_file *near = to;
    near->is_there |= strcmp(path, near->nearest.typed) == 0;
    if (path[0] && path[strlen(path) - 1] != '/' && nearest_offer(&near->nearest, path, path))
        snprintf(near->name, sizeof near->name, "%s", path);
}

/* A name that no file has: Enter loads the nearest. */
static void offer_near(struct ui *ui, const char *typed)
{
    struct near_file near = {.nearest = {.typed = typed}};
    const char *const *names = NULL;
    char line[EDIT_MAX];
    size_t count = ui->host->plan_names ? ui->host->plan_names(ui->host->context, &names) : 0;
    for (size_t i = 0; i < count; i++)
        take_near(&near, names[i]);
    if (ui->host->files && !strchr(typed, '/'))
        ui->host->files(ui->host->context, "", take_near, &near);
    if (!near.name[0] || near.is_there)
        return;
    snprintf(line, sizeof line, "load %s", near.name);
    overlay_open(ui, MODE_COMMAND, line, false);
    ui_say(ui, ROLE_BAD, "no file or plan '%.40s'; Enter loads %.60s", typed, near.name);
}

static bool load(struct ui *ui, const char *rest)
{
    struct plan plan;
    char label[HISTORY_LABEL_MAX];
    if (ui->aside) {
        ui_say(ui, ROLE_WARN, "load: a lesson is open; :lesson leave goes back to your plan");
        return false;
    }
    if (!*rest) {
        ui_say(ui, ROLE_BAD, "load: name a file, as in :load plan.yaml");
        return false;
    }
    if (!read_plan(ui, rest, &plan)) {
        offer_near(ui, rest);
        return false;
    }
    bool is_left = change_leave_file(ui);
    snprintf(label, sizeof label, "load %.50s", rest);
    ui_change(ui, &plan, label);
    ui->saved = plan;
    snprintf(ui->path, sizeof ui->path, "%s", rest);
    ui->options.questions = ui->host->questions ? ui->host->questions(ui->host->context) : NULL;
    int open = messages_open(ui);
    if (open > 0)
        ui_say(ui, ROLE_WARN, "loaded %s; %d question%s open: i lists %s; u goes back", rest, open,
               open == 1 ? "" : "s", open == 1 ? "it" : "them");
    else
        ui_say(ui, ROLE_TEXT, is_left ? "loaded %s; u returns to the unsaved plan" : "loaded %s; u goes back",
               rest);
    return true;
}

static void run_load(struct ui *ui, const char *rest)
{
    if (load(ui, rest))
        messages_offer(ui);
}

/* The same, with what was read and what the file left open on the screen. */
static void run_import(struct ui *ui, const char *rest)
{
    if (!*rest)
        ui_say(ui, ROLE_BAD, "import: name a script or configuration, as in :import pretrain.sh");
    else if (load(ui, rest))
        ui_do(ui, ACTION_messages);
}

/* The file that `:export patch` changes, NULL for none. */
static const char *patched_file(const struct ui *ui)
{
    return ui->host->patched ? ui->host->patched(ui->host->context) : NULL;
}

static void save_quit(struct ui *ui, const char *rest);

/* What a file says that was written, or was not. Asks where it has to; `again` runs when that is confirmed. */
static bool is_written(struct ui *ui, enum ui_write what, const char *path, const char *message,
                       void (*again)(struct ui *ui, const char *rest))
{
    char line[EDIT_MAX];
    if (what == UI_WRITE_FAILED)
        ui_say(ui, ROLE_BAD, "%s", message);
    if (what == UI_WRITE_ASKS)
        question_open(ui, message, again, path);
    if (what == UI_WRITE_CHANGED)
        question_changed(ui, message, again, path);
    ui->question.is_last = again == save_quit;
    if (what == UI_WRITE_ELSEWHERE) {
        snprintf(line, sizeof line, "%s %s", again == save_quit ? "wq" : "save", message);
        overlay_open(ui, MODE_COMMAND, line, false);
        const char *own = patched_file(ui);
        if (own && strcmp(own, path) == 0)
            ui_say(ui, ROLE_WARN, "%.80s: Enter saves a plan beside it; Esc and `:export patch` change it",
                   path);
        else
            ui_say(ui, ROLE_WARN, "%.80s is not a plan and is not overwritten; `%.100s` saves a plan next to it", path,
                   line);
    }
    return what == UI_WRITTEN;
}

static void save(struct ui *ui, const char *rest, void (*again)(struct ui *ui, const char *rest))
{
    char path[PATH_MAX_BYTES], message[UI_MESSAGE_MAX];
    snprintf(path, sizeof path, "%s", *rest ? rest : ui->path);
    if (ui->aside && !*rest) {
        ui_say(ui, ROLE_WARN, "save: a lesson is open, its progress is kept by itself; :save FILE writes its plan");
        return;
    }
    if (!*path) {
        ui_say(ui, ROLE_BAD, "save: name a file, as in :save plan.yaml");
        return;
    }
    if (is_stream(ui, path))
        return;
    enum ui_write what = ui->host->save(ui->host->context, path, &ui->plan, ui->is_confirmed, message);
    if (!is_written(ui, what, path, message, again))
        return;
    ui->saved = ui->plan;
    ui->is_autosave_due = true; /* nothing is left to keep */
    snprintf(ui->path, sizeof ui->path, "%s", path);
    ui_say(ui, ROLE_GOOD, *message ? "saved %.120s: %.120s" : "saved %.120s%s", path, message);
}

/* True when the user wants to see what changes in the plan's own file before it is written. */
static bool asks_first(const struct ui *ui, const char *rest)
{
    bool is_own = !*rest || strcmp(rest, ui->path) == 0;
    if (!is_own || ui->is_confirmed || !ui->host->own || !ui_is_modified(ui) ||
        ui->settings.confirm_save == CONFIRM_NEVER)
        return false;
    enum ui_own own = ui->host->own(ui->host->context, ui->path);
    return own == UI_OWN_READ || (own == UI_OWN_WRITTEN && ui->settings.confirm_save == CONFIRM_ALWAYS);
}

static void save_again(struct ui *ui, const char *rest)
{
    save(ui, rest, save_again);
}

/* The changes are known; what else there is to ask is not. */
static void save_seen(struct ui *ui, const char *rest)
{
    ui->is_confirmed = false;
    save(ui, rest, save_again);
}

static void run_save(struct ui *ui, const char *rest)
{
    if (asks_first(ui, rest))
        question_save(ui, save_seen, rest);
    else
        save(ui, rest, save_again);
}

static void run_save_as(struct ui *ui, const char *rest)
{
    if (*rest)
        run_save(ui, rest);
    else
        ui_say(ui, ROLE_BAD, "saveas: name a file, as in :saveas other.yaml");
}

static void run_report(struct ui *ui, const char *rest)
{
    char message[UI_MESSAGE_MAX];
    if (is_stream(ui, rest))
        return;
    enum ui_write what = ui->host->export_report(ui->host->context, rest, &ui->plan, ui->is_confirmed, message);
    if (is_written(ui, what, rest, message, run_report))
        ui_say(ui, ROLE_GOOD, "wrote the report to %s", rest);
}

/* `megatron run.sh`: the text of a format into a file; `rest` is both. */
static void run_format(struct ui *ui, const char *rest)
{
    char message[UI_MESSAGE_MAX], format[32];
    size_t n = strcspn(rest, " ");
    const char *path = rest + n + strspn(rest + n, " "), *own = patched_file(ui);
    snprintf(format, sizeof format, "%.*s", (int)n, rest);
    if (is_stream(ui, path) || export_is_refused(ui, format))
        return;
    enum ui_write what = ui->host->export_file(ui->host->context, format, path, &ui->plan, ui->is_confirmed, message);
    if (!is_written(ui, what, rest, message, run_format))
        return;
    if (own && strcmp(format, "patch") == 0 && strcmp(path, own) == 0) { /* the file says the plan now */
        ui->saved = ui->plan;
        ui->is_autosave_due = true;
        ui_say(ui, ROLE_GOOD, "changed %s as shown", path);
    } else {
        ui_say(ui, ROLE_GOOD, "wrote %s: %s", path, format);
    }
}

/* True when the first word of `rest` names a format. */
static bool is_format(const struct ui *ui, const char *rest)
{
    const char *const *names = NULL;
    size_t count = ui->host->export_names ? ui->host->export_names(ui->host->context, &names) : 0,
           n = strcspn(rest, " ");
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == n && strncmp(names[i], rest, n) == 0)
            return true;
    return false;
}

/* The screen as it is, into a file. */
static void run_shot(struct ui *ui, const char *rest)
{
    struct canvas canvas = {0};
    char message[UI_MESSAGE_MAX], title[VERDICT_MAX];
    enum shot form;
    if (!shot_form(rest, &form)) {
        ui_say(ui, ROLE_BAD, "shot: end the name in .svg, .txt or .ans, as in :shot plan.svg");
        return;
    }
    if (canvas_resize(&canvas, ui->width, ui->height) != 0)
        return;
    bool can_gap = ui->can_gap;
    ui->can_gap = form != SHOT_TEXT;
    ui_update(ui);
    ui_draw(ui, &canvas);
    ui->can_gap = can_gap;
    result_verdict(ui->shown, title);
    char *text = shot_write(&canvas, &ui->theme, form, title);
    enum ui_write what =
        text ? ui->host->write(ui->host->context, rest, text, ui->is_confirmed, message) : UI_WRITE_FAILED;
    if (text && is_written(ui, what, rest, message, run_shot))
        ui_say(ui, ROLE_GOOD, "wrote the screen to %s", rest);
    free(text);
    canvas_free(&canvas);
}

static void run_export(struct ui *ui, const char *rest)
{
    bool is_report = strncmp(rest, "report ", 7) == 0;
    const char *dot = strrchr(rest, '.');
    if (!*rest)
        ui_do(ui, ACTION_export);
    else if (is_format(ui, rest) && !strchr(rest, ' '))
        export_open(ui, rest);
    else if (is_format(ui, rest))
        run_format(ui, rest);
    else if (is_report || dot)
        run_report(ui, is_report ? rest + 7 : rest);
    else
        ui_say(ui, ROLE_BAD, "export: unknown format '%.40s'; Tab completes, `export report FILE` writes the report",
               rest);
}

/* What a colleague can open: a page, a picture, a report, by the ending of its name. */
static void run_share(struct ui *ui, const char *rest)
{
    enum shot form;
    if (!strchr(rest, '.'))
        ui_say(ui, ROLE_BAD, "share: end the name in .html, .svg or .txt, as in :share plan.html");
    else if (shot_form(rest, &form))
        run_shot(ui, rest);
    else
        run_report(ui, rest);
}

/* BigScience's question: the largest model that this layout has room for. */
static void run_largest(struct ui *ui, const char *rest)
{
    struct search_depth found;
    struct plan plan;
    (void)rest;
    if (search_deepest(&ui->plan, ui->scratch, &found) != 0) {
        ui_say(ui, ROLE_BAD, "largest: the memory of this plan is not known");
        return;
    }
    if (!found.largest) {
        ui_say(ui, ROLE_BAD, "largest: not even %d layers fit", found.step);
        return;
    }
    search_set_layers(&ui->plan, found.largest, &plan);
    ui_change_key(ui, &plan, PARAM_model_num_layers);
    ui_select(ui, PARAM_model_num_layers);
    ui_say(ui, ROLE_TEXT, "%d layers are the most that fit; u goes back", found.largest);
}

static void run_sweep(struct ui *ui, const char *rest)
{
    char why[UI_MESSAGE_MAX];
    if (*rest && advisor_sweep(ui, rest, why) != 0)
        ui_say(ui, ROLE_BAD, "%s", why);
    else
        ui_do(ui, ACTION_sweep);
}

/* The largest model is no layout: how large it is, and what takes it. */
static void say_largest(struct ui *ui)
{
    struct search_depth found;
    if (search_deepest(&ui->plan, ui->scratch, &found) != 0)
        ui_say(ui, ROLE_BAD, "search: the memory of this plan is not known");
    else if (!found.largest)
        ui_say(ui, ROLE_BAD, "search: not even %d layers fit", found.step);
    else
        ui_say(ui, ROLE_TEXT, "%d layers are the most that fit this layout; :largest takes them", found.largest);
}

/* `memory`, `free=tp,pp`, `max-memory=72GiB where=tp<=8`, or all. */
static void run_search(struct ui *ui, const char *rest)
{
    struct search_line line;
    char why[UI_MESSAGE_MAX];
    if (search_line_read(rest, &line, why) == 0 && line.is_size) {
        say_largest(ui);
    } else if (advisor_search(ui, rest, why) == 0) {
        ui_do(ui, ACTION_tuner);
        ui_say(ui, ROLE_TEXT, "the best by %s%s%s", search_goals[ui->advisor->objective].name,
               ui->advisor->line.text[0] ? " with " : "", ui->advisor->line.text);
    } else if (*why) {
        ui_say(ui, ROLE_BAD, "%s", why);
    }
}

/* Pins the plan of a file, which is called as the file unless it has a name; false where it cannot be. */
static bool pin_file(struct ui *ui, const char *path)
{
    struct plan plan;
    const char *slash = strrchr(path, '/');
    if (!read_plan(ui, path, &plan))
        return false;
    baseline_pin(ui, &plan);
    struct pin *pin = &ui->pin[ui->has_baseline ? ui->baseline_number - 1 : 0];
    if (ui->has_baseline && !*pin->name && plan_equal(&pin->plan, &plan))
        snprintf(pin->name, sizeof pin->name, "%s", slash ? slash + 1 : path);
    return true;
}

/* A plan beside this one: it becomes the baseline. */
static void run_compare(struct ui *ui, const char *rest)
{
    if ((!*rest || pin_file(ui, rest)) && ui->view != PANE_DIFF)
        ui_do(ui, ACTION_diff);
}

static void run_theme(struct ui *ui, const char *rest)
{
    char why[UI_MESSAGE_MAX] = "";
    if (*rest && ui_show_theme(ui, rest, why) != 0) {
        ui_say(ui, ROLE_BAD, "%s", why);
        return;
    }
    if (*rest) {
        snprintf(ui->settings.theme, sizeof ui->settings.theme, "%s", rest);
        ui->options.theme = ui->settings.theme;
    }
    bool is_open = theme_follows(ui_theme_choice(ui)) && ui->ground == GROUND_UNKNOWN;
    if (*why)
        ui_say(ui, ROLE_WARN, "%s", why);
    else
        ui_say(ui, ROLE_TEXT, "theme %s: %s", ui->theme.name,
               is_open ? "in use while it is not known whether the background is light" : ui->theme.about);
}

/* What the screen is like now: an option of the start may have chosen the theme, and the mouse has a key of its own. */
static struct settings settings_now(const struct ui *ui)
{
    struct settings now = ui->settings;
    if (ui->options.theme)
        snprintf(now.theme, sizeof now.theme, "%.*s", THEME_CHOICE_MAX - 1, ui->options.theme);
    now.mouse = ui->has_mouse;
    if (ui->advisor) {
        now.objective = (int)ui->advisor->objective;
        now.free = ui->advisor->free;
    }
    return now;
}

static void list_settings(struct ui *ui)
{
    char text[UI_MESSAGE_MAX] = "", value[SETTING_TEXT_MAX];
    struct settings now = settings_now(ui);
    for (const struct setting_row *row = setting_rows; row->name; row++) {
        size_t used = strlen(text);
        setting_print(&now, row, value);
        snprintf(text + used, sizeof text - used, "%s%s: %s", used ? ", " : "", row->name, value);
    }
    ui_say(ui, ROLE_TEXT, "%s; `:settings save` keeps them", text);
}

static void save_settings(struct ui *ui)
{
    char message[UI_MESSAGE_MAX];
    struct settings now = settings_now(ui);
    if (ui->host->save_settings(ui->host->context, &now, message) == 0)
        ui_say(ui, ROLE_GOOD, "saved %s", message);
    else
        ui_say(ui, ROLE_BAD, "%s", message);
}

static void change_setting(struct ui *ui, const struct setting_row *row, const char *value)
{
    struct settings next = settings_now(ui);
    char why[UI_MESSAGE_MAX]; /* SETTING_WHY_MAX is less */
    if (setting_set(&next, row, value, why) != 0) {
        ui_say(ui, ROLE_BAD, "%s: %s", row->name, why);
        return;
    }
    bool is_other = strcmp(next.theme, settings_now(ui).theme) != 0;
    if (is_other && ui_show_theme(ui, next.theme, why) != 0) {
        ui_say(ui, ROLE_BAD, "theme: %s", why);
        return;
    }
    ui->settings = next;
    ui->options.theme = is_other ? ui->settings.theme : ui->options.theme;
    units_use((enum units)next.units);
    if (ui->advisor) {
        advisor_set_objective(ui, (enum search_objective)next.objective);
        advisor_set_free(ui, next.free);
    }
    if (next.mouse != ui->has_mouse)
        ui_do(ui, ACTION_mouse);
    list_settings(ui);
}

static void run_settings(struct ui *ui, const char *rest)
{
    char name[32];
    size_t length = strcspn(rest, " ");
    snprintf(name, sizeof name, "%.*s", (int)length, rest);
    const struct setting_row *row = setting_named(name);
    if (!*rest)
        list_settings(ui);
    else if (strcmp(rest, "save") == 0)
        save_settings(ui);
    else if (row)
        change_setting(ui, row, rest + length + strspn(rest + length, " "));
    else
        ui_say(ui, ROLE_BAD, "settings: unknown setting '%.40s'; Tab completes, `settings save` saves them", name);
}

static void run_keys(struct ui *ui, const char *rest)
{
    (void)rest;
    settings_open(ui);
}

static void run_start(struct ui *ui, const char *rest)
{
    (void)rest;
    start_open(ui);
}

static void run_explain(struct ui *ui, const char *rest)
{
    explain_open(ui, *rest ? rest : param_rows[ui_field(ui)].dotted);
    if (*rest && ui->mode == MODE_BROWSE)
        ui_say(ui, ROLE_BAD, "explain: unknown value '%.60s'; Tab completes", rest);
}

/* Shows a field. */
static void go(struct ui *ui, enum param id)
{
    ui_select(ui, id);
    ui->is_view_focused = false;
}

static void run_go(struct ui *ui, const char *rest)
{
    int id = param_find_alias(rest);
    if (id >= 0)
        go(ui, (enum param)id);
    else
        ui_say(ui, ROLE_BAD, "go: '%.60s' is not a key; Tab completes", rest);
}

int command_rank(const struct ui *ui, const char *text, char *why)
{
    static const struct rank_grid none;
    const struct rank_grid *g = panes[PANE_GRID]->rows(ui) > 0 ? &ui->shown->grid : &none;
    int node = 0, gpu = 0, used = 0, each = g->gpus_per_node;
    bool is_place = sscanf(text, "n%7dg%7d%n", &node, &gpu, &used) == 2 && !text[used];
    bool is_number = !is_place && sscanf(text, "%9d%n", &gpu, &used) == 1 && !text[used];
    bool is_beside = is_place && (node < 0 || gpu < 0 || gpu >= each); /* n1g9 is no GPU of n1 */
    long rank = (long)node * each + gpu;
    if ((is_place || is_number) && !is_beside && rank >= 0 && rank < g->world)
        return (int)rank;
    int length = snprintf(why, RANK_WHY_MAX, "there are ");
    ranks_range(g, why + length, RANK_WHY_MAX - (size_t)length);
    return -1;
}

/* A GPU by its number, or by node and place: `37`, `n4g5`. */
static void run_rank(struct ui *ui, const char *rest)
{
    char why[RANK_WHY_MAX];
    int rank = command_rank(ui, rest, why);
    if (rank < 0) {
        ui_say(ui, ROLE_BAD, "rank: no rank '%.40s'; %s", rest, why);
        return;
    }
    ui_do(ui, ACTION_grid);
    ui->is_view_focused = true;
    ui->group_row = GROUP_ROW_NONE;
    ui->rank = rank;
}

/* The name of a plan that no list has. */
static void run_label(struct ui *ui, const char *rest)
{
    struct plan plan = ui->plan;
    char why[UI_MESSAGE_MAX];
    if (!*rest)
        ui_do(ui, ACTION_label);
    else if (param_parse(&plan, PARAM_model_name, rest, FROM_SET, false, why) != 0)
        ui_say(ui, ROLE_BAD, "label: %s", why);
    else
        ui_change_key(ui, &plan, PARAM_model_name);
}

static void run_baseline(struct ui *ui, const char *rest)
{
    int number = 0, used = 0;
    if (!*rest)
        baseline_pin(ui, &ui->plan);
    else if (sscanf(*rest == 'b' ? rest + 1 : rest, "%4d%n", &number, &used) == 1 && !rest[used + (*rest == 'b')])
        baseline_choose(ui, number);
    else if (used > 0 && rest[used + (*rest == 'b')] == ' ' && number <= BASELINES_MAX)
        baseline_name(ui, number, rest + used + (*rest == 'b') + 1);
    else
        pin_file(ui, rest);
}

static void run_note(struct ui *ui, const char *rest)
{
    int number = 0, used = 0;
    bool is_numbered = sscanf(*rest == 'b' ? rest + 1 : rest, "%4d%n", &number, &used) == 1;
    used += is_numbered && *rest == 'b';
    is_numbered &= !rest[used] || rest[used] == ' ';
    rest += is_numbered ? used : 0;
    baseline_note(ui, is_numbered ? number : ui->baseline_number, rest + strspn(rest, " "));
}

static void run_unpin(struct ui *ui, const char *rest)
{
    baseline_unpin(ui, *rest ? atoi(rest) : ui->baseline_number);
}

static void run_swap(struct ui *ui, const char *rest)
{
    (void)rest;
    baseline_swap(ui);
}

static void run_back(struct ui *ui, const char *rest)
{
    (void)rest;
    baseline_back(ui);
}

static void run_quit(struct ui *ui, const char *rest)
{
    (void)rest;
    ui_do(ui, ACTION_quit);
}

static void run_quit_now(struct ui *ui, const char *rest)
{
    (void)rest;
    ui->is_done = true;
}

/* The screen ends, and its plan goes on in the line mode. */
static void run_plain(struct ui *ui, const char *rest)
{
    (void)rest;
    if (!ui->options.plain)
        ui_say(ui, ROLE_BAD, "plain: already in line mode, or no terminal");
    else
        ui->is_done = ui->goes_plain = true;
}

static void save_quit(struct ui *ui, const char *rest)
{
    save(ui, rest, save_quit);
    ui->is_done = ui->mode == MODE_BROWSE && !ui_is_modified(ui) && ui->message_role == ROLE_GOOD;
}

static void save_quit_seen(struct ui *ui, const char *rest)
{
    ui->is_confirmed = false;
    save_quit(ui, rest);
}

static void run_save_quit(struct ui *ui, const char *rest)
{
    bool asks = asks_first(ui, rest);
    if (asks)
        question_save(ui, save_quit_seen, rest);
    else
        save_quit(ui, rest);
    ui->question.is_last |= asks;
}

static void run_help(struct ui *ui, const char *rest)
{
    ui_do(ui, strcmp(rest, "legend") == 0 ? ACTION_legend : ACTION_help);
    for (const char *p = rest; *p && ui->mode == MODE_FIND; p++)
        overlay_find.type(ui, (unsigned char)*p, true);
}

const struct command commands[] = {
    {"set", "KEY VALUE ...", ARGUMENT_ASSIGN, "set keys; the word may be left out", "tp 4 pp 8", NULL},
    {"go", "KEY", ARGUMENT_KEY, "select a field", "go seq_length", run_go},
    {"load", "FILE", ARGUMENT_PLAN, "load a plan, a launch script or a configuration", "load plan.yaml", run_load},
    {"save", "[FILE]", ARGUMENT_FILE, "save the plan", "save plan.yaml", run_save},
    {"saveas", "FILE", ARGUMENT_FILE, "save the plan under another name and keep using that file",
     "saveas other.yaml", run_save_as},
    {"import", "FILE", ARGUMENT_PLAN, "load a script or configuration and show what was read and assumed",
     "import pretrain.sh", run_import},
    {"export", "[FORMAT [FILE]]", ARGUMENT_EXPORT,
     "flags or a configuration; `report FILE` writes .txt, .json, .csv, .md, .svg", "export megatron run.sh",
     run_export},
    {"baseline", "[N [NAME]|FILE]", ARGUMENT_PLAN, "pin this plan, or a file's; compare with number N, or name it",
     "baseline 2 wide", run_baseline},
    {"note", "[N] TEXT", ARGUMENT_TEXT, "write down why a baseline was pinned; B shows it", "note 2 cheapest so far",
     run_note},
    {"swap", "", ARGUMENT_NONE, "make the baseline the plan, and the plan the baseline", "swap", run_swap},
    {"back", "", ARGUMENT_NONE, "make the baseline the plan", "back", run_back},
    {"unpin", "[N]", ARGUMENT_PIN, "forget a baseline", "unpin 2", run_unpin},
    {"rank", "N", ARGUMENT_RANK, "go to a GPU by rank, or by node and place", "rank n4g5", run_rank},
    {"label", "TEXT", ARGUMENT_TEXT, "name the plan; a preset's name loads its shape", "label run 17", run_label},
    {"largest", "", ARGUMENT_NONE, "the most layers that fit this layout", "largest", run_largest},
    {"sweep", "KEY=VALUES ...", ARGUMENT_ASSIGN, "a map of one or two keys", "sweep tp=1,2,4 pp=1..16",
     run_sweep},
    {"search", "[OBJECTIVE] [OPTION ...]", ARGUMENT_GOAL,
     "view 8: the best layouts by an objective within limits", "search cost max-memory=72GiB where=tp<=8",
     run_search},
    {"compare", "FILE", ARGUMENT_PLAN, "pin a plan from a file as the baseline and show the differences",
     "compare other.yaml", run_compare},
    {"shot", "FILE", ARGUMENT_FILE, "save the screen as .svg, .txt, or .ans with colours", "shot plan.svg", run_shot},
    {"share", "FILE", ARGUMENT_FILE,
     "save one page for a browser (.html): figures, report, plan, command; or as shot and export do", "share plan.html",
     run_share},
    {"glossary", "[WORD]", ARGUMENT_WORD, "explain a term", "glossary bubble", find_word},
    {"lesson", "[NAME|STEP]", ARGUMENT_LESSON,
     "play a lesson; in one next, back, reset, keep, leave or a step's number", "lesson pipeline", lesson_command},
    {"exercise", "[KIND] [1-3]", ARGUMENT_EXERCISE,
     "questions made by the program: fits, fastest, bubble, ...; a level; figures open with the answer",
     "exercise fits 2", lesson_practise},
    {"theme", "NAME|light NAME, dark NAME", ARGUMENT_THEME, "colour theme, or two by the terminal's background",
     "theme paper", run_theme},
    {"settings", "[NAME VALUE|save]", ARGUMENT_SETTING, "settings; `save` keeps them for later sessions",
     "settings start_view time", run_settings},
    {"start", "", ARGUMENT_NONE, "what do you want? goals, files and plans to begin from", "start", run_start},
    {"keys", "", ARGUMENT_NONE, "which key does what, as the file of settings has it", "keys", run_keys},
    {"plain", "", ARGUMENT_NONE, "leave the screen, and go on with lines as --plain does", "plain", run_plain},
    {"explain", "PATH", ARGUMENT_PATH, "open a number or a key", "explain time.mfu", run_explain},
    {"help", "[WORD]", ARGUMENT_TEXT, "everything that can be done, with its keys", "help save", run_help},
    {"q", "", ARGUMENT_NONE, "leave", "q", run_quit},
    {"q!", "", ARGUMENT_NONE, "leave without saving", "q!", run_quit_now},
    {"wq", "[FILE]", ARGUMENT_FILE, "save and leave", "wq", run_save_quit},
    {"w", "[FILE]", ARGUMENT_FILE, "save", "w plan.yaml", run_save},
    {"e", "FILE", ARGUMENT_PLAN, "load", "e plan.yaml", run_load},
    {"open", "FILE", ARGUMENT_PLAN, "load", "open plan.yaml", run_load},
};
const int command_count = LENGTH(commands);

const struct command *command_find(const char *name, size_t length)
{
    for (int i = 0; i < command_count; i++)
        if (strlen(commands[i].name) == length && strncmp(commands[i].name, name, length) == 0)
            return &commands[i];
    return NULL;
}

/* Runs it; a name that begins with ~/ is in the home directory. */
static void run_command(struct ui *ui, const struct command *command, const char *rest)
{
    const char *home = getenv("HOME"), *at = strstr(rest, "~/");
    bool takes_file = command->argument == ARGUMENT_FILE || command->argument == ARGUMENT_PLAN ||
                      command->argument == ARGUMENT_EXPORT;
    bool is_name = at && (at == rest || at[-1] == ' ');
    char text[EDIT_MAX + PATH_MAX_BYTES];
    if (takes_file && is_name && home && *home)
        snprintf(text, sizeof text, "%.*s%.*s%s", (int)(at - rest), rest, PATH_MAX_BYTES - 1, home, at + 1);
    else
        snprintf(text, sizeof text, "%s", rest);
    command->run(ui, text);
}

/* ---- running a line --------------------------------------------------------------------------------------------- */

/* Names of commands and actions, one after the other; NULL past the end. */
static const char *name_at(int i)
{
    return i < command_count                       ? commands[i].name
           : i < command_count + ACTION_accept - 1 ? actions[i - command_count + 1].name
                                                   : NULL;
}

/* The only command or action that begins so; NULL with the candidates in `list` where there are several, or with "". */
static const char *find_beginning(const char *text, char *list, size_t size)
{
    const char *name, *found = NULL;
    size_t used = 0;
    int count = 0;
    list[0] = '\0';
    for (int i = 0; (name = name_at(i)); i++) {
        if (strncmp(name, text, strlen(text)) != 0 || (found && strcmp(found, name) == 0))
            continue;
        found = name;
        if (count++ < 6 && used < size)
            used += (size_t)snprintf(list + used, size - used, "%s%s", used ? " " : "", name);
    }
    return count == 1 ? found : NULL;
}

static void say_unknown(const char *name, bool has_value, const char *list, char why[UI_MESSAGE_MAX])
{
    struct nearest nearest = {.typed = name};
    const char *candidate;
    for (int i = 0; has_value && i < PARAM_COUNT; i++) /* of names as near the first is meant */
        nearest_offer(&nearest, param_rows[i].key, param_rows[i].key);
    for (int i = 0; (candidate = name_at(i)); i++)
        nearest_offer(&nearest, candidate, candidate);
    for (int i = 0; !has_value && i < PARAM_COUNT; i++)
        nearest_offer(&nearest, param_rows[i].key, param_rows[i].key);
    if (*list)
        snprintf(why, UI_MESSAGE_MAX, "'%.40s' could be %.120s", name, list);
    else if (nearest.count > 0)
        snprintf(why, UI_MESSAGE_MAX, "'%.40s' is not a command or a key; did you mean %s? :help lists all", name,
                 nearest.name[0]);
    else
        snprintf(why, UI_MESSAGE_MAX, "'%.40s' is not a command or a key; :help lists all, / finds one", name);
}

/* What is on or off by its own action: `mouse on`. Returns false for any other line. */
static bool run_switch(struct ui *ui, const char *text, size_t length, const char *rest)
{
    const struct {
        enum action action;
        bool is_on;
    } switches[] = {{ACTION_mouse, ui->has_mouse}, {ACTION_present, ui->options.present}};
    for (size_t i = 0; i < LENGTH(switches); i++) {
        const char *name = actions[switches[i].action].name;
        if (!*rest || strlen(name) != length || strncmp(text, name, length) != 0)
            continue;
        bool is_on = strcmp(rest, "on") == 0;
        if (!is_on && strcmp(rest, "off") != 0)
            return false;
        if (is_on != switches[i].is_on)
            ui_do(ui, switches[i].action);
        else
            ui_say(ui, ROLE_TEXT, "%s is %s already", name, rest);
        return true;
    }
    return false;
}

/* `set theme=paper`, as editors spell settings; false for another line. */
static bool run_setting(struct ui *ui, const char *text)
{
    static const char begin[] = "set theme";
    const char *rest = text + strlen(begin);
    if (strncmp(text, begin, strlen(begin)) != 0 || !*rest || !strchr("= ", *rest))
        return false;
    run_theme(ui, rest + strspn(rest, "= "));
    return true;
}

/* A line that begins with no command's whole name: keys to set, a field to go to, or a name cut short. */
static bool run_words(struct ui *ui, const char *text, size_t length)
{
    struct assigned assigned;
    char word[64], list[UI_MESSAGE_MAX], why[UI_MESSAGE_MAX];
    enum assign what = assign_read(ui, text, &assigned);
    bool is_set = strncmp(text, "set ", 4) == 0;
    int key = what == ASSIGN_NONE ? param_find_alias(text) : -1;
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    if (what == ASSIGN_READ) {
        assign_take(ui, &assigned);
        return true;
    }
    if (what == ASSIGN_FAULT || is_set)
        return fault(ui, assigned.fault_at, assigned.fault_length, assigned.why);
    if (key >= 0) {
        go(ui, (enum param)key);
        return true;
    }
    if (strcmp(text, "set") == 0)
        return fault(ui, 0, (int)length, "set: name keys and their values, as in :set tp 4 pp 8");
    const char *rest = text + length + strspn(text + length, " ");
    const char *name = find_beginning(word, list, sizeof list);
    const struct command *command = name ? command_find(name, strlen(name)) : NULL;
    if (command && command->run) {
        run_command(ui, command, rest);
        return true;
    }
    if (name && !*rest) {
        ui_do(ui, action_named(name));
        return true;
    }
    bool is_switch = name && (action_named(name) == ACTION_mouse || action_named(name) == ACTION_present);
    if (name)
        snprintf(why, sizeof why, is_switch ? "%s: on or off" : "%s takes nothing behind it", name);
    else
        say_unknown(word, *rest, list, why);
    return fault(ui, 0, (int)length, why);
}

/* Runs a line; false where it could not be read. */
static bool run_line(struct ui *ui, const char *line)
{
    char text[EDIT_MAX];
    snprintf(text, sizeof text, "%s", line);
    for (size_t n = strlen(text); n > 0 && text[n - 1] == ' '; n--)
        text[n - 1] = '\0';
    size_t length = strcspn(text, " ");
    const char *rest = text + length + strspn(text + length, " ");
    const struct command *command = command_find(text, length);
    enum action action = action_named(text);
    if (length == 0)
        return true;
    if (command && command->run) {
        run_command(ui, command, rest);
        return true;
    }
    if (*text == '#') {
        run_rank(ui, text + 1 + strspn(text + 1, " "));
        return true;
    }
    if (action == ACTION_NONE && length == 1 && !*rest)
        action = keymap_find(&ui->settings.bindings, MODE_BROWSE, *text); /* `b`, `d`: as the key */
    if (action != ACTION_NONE) {
        ui_do(ui, action);
        return true;
    }
    if (run_switch(ui, text, length, rest) || run_setting(ui, text))
        return true;
    return run_words(ui, text, length);
}

/*
 * Whether a command that takes something said that this cannot be. What takes nothing cannot be typed otherwise, and
 * keys that make a plan without figures are set all the same.
 */
static bool is_refused(const struct ui *ui, const char *line)
{
    const struct command *command = command_find(line, strcspn(line, " "));
    bool is_said = ui->message[0] && ui->message_role == ROLE_BAD && ui->mode == MODE_BROWSE;
    return is_said && command && command->run && *command->usage;
}

bool command_run(struct ui *ui, const char *line)
{
    line += strspn(line, " :");
    ui->fault.length = 0;
    ui->message[0] = '\0';
    return run_line(ui, line) && !is_refused(ui, line);
}
