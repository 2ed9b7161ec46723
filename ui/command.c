#include "ui/command.h"

#include "core/base.h"
#include "core/plan/nearest.h"
#include "core/plan/param.h"
#include "core/search/search.h"
#include "ui/overlay/overlay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES_MAX = 600 };

/* What an argument of a command is, for completion. */
enum argument { ARGUMENT_NONE, ARGUMENT_KEY_VALUE, ARGUMENT_KEY, ARGUMENT_FILE, ARGUMENT_THEME, ARGUMENT_PATH };

/* ---- the commands ------------------------------------------------------------------------------------------------- */

static void run_set(struct ui *ui, const char *rest)
{
    char name[64], why[UI_MESSAGE_MAX];
    size_t n = strcspn(rest, " =");
    snprintf(name, sizeof name, "%.*s", (int)n, rest);
    const char *value = rest + n + strspn(rest + n, " =");
    struct nearest near = {.typed = name};
    int id = param_find_alias(name);
    if (id < 0) {
        param_nearest(&near);
        if (near.count)
            ui_say(ui, ROLE_BAD, "set: '%s' is not a key; did you mean %s?", name, near.name[0]);
        else
            ui_say(ui, ROLE_BAD, "set: '%s' is not a key; :help lists what can be done, Tab completes", name);
        return;
    }
    struct plan plan = ui->plan;
    if (ui_parse(ui, &plan, (enum param)id, value, why) != 0) {
        ui_say(ui, ROLE_BAD, "%s: %s", param_rows[id].key, why);
        return;
    }
    ui_change_key(ui, &plan, (enum param)id);
    ui_select(ui, (enum param)id);
    if (!ui->message[0])
        ui_say(ui, ROLE_TEXT, "%s", history_at(&ui->history, ui->history.now)->label);
}

static void run_load(struct ui *ui, const char *rest)
{
    struct plan plan;
    char why[UI_MESSAGE_MAX], label[HISTORY_LABEL_MAX];
    if (!*rest) {
        ui_say(ui, ROLE_BAD, "load: name a file, as in :load plan.yaml");
        return;
    }
    if (ui->host->load(ui->host->context, rest, &plan, why) != 0) {
        ui_say(ui, ROLE_BAD, "%s", why);
        return;
    }
    snprintf(label, sizeof label, "load %.50s", rest);
    ui_change(ui, &plan, label);
    ui->saved = plan;
    snprintf(ui->path, sizeof ui->path, "%s", rest);
    ui_say(ui, ROLE_TEXT, "loaded %s; u goes back", rest);
}

/* What a file says that was written, or was not. Asks where it has to; `again` runs when that is confirmed. */
static bool is_written(struct ui *ui, enum ui_write what, const char *path, const char *message,
                       void (*again)(struct ui *ui, const char *rest))
{
    char line[EDIT_MAX];
    if (what == UI_WRITE_FAILED)
        ui_say(ui, ROLE_BAD, "%s", message);
    if (what == UI_WRITE_ASKS)
        question_open(ui, message, again, path);
    if (what == UI_WRITE_ELSEWHERE) {
        snprintf(line, sizeof line, "save %s", message);
        overlay_open(ui, MODE_COMMAND, line, false);
        ui_say(ui, ROLE_WARN, "%.80s is no plan, so no plan replaces it; `%.100s` writes one beside it", path, line);
    }
    return what == UI_WRITTEN;
}

static void save(struct ui *ui, const char *rest, void (*again)(struct ui *ui, const char *rest))
{
    char path[PATH_MAX_BYTES], message[UI_MESSAGE_MAX];
    snprintf(path, sizeof path, "%s", *rest ? rest : ui->path);
    if (!*path) {
        ui_say(ui, ROLE_BAD, "save: name a file, as in :save plan.yaml");
        return;
    }
    enum ui_write what = ui->host->save(ui->host->context, path, &ui->plan, ui->is_confirmed, message);
    if (!is_written(ui, what, path, message, again))
        return;
    ui->saved = ui->plan;
    ui->is_autosave_due = true; /* nothing is left to keep */
    snprintf(ui->path, sizeof ui->path, "%s", path);
    ui_say(ui, ROLE_GOOD, *message ? "saved %.120s: %.120s" : "saved %.120s%s", path, message);
}

static void run_save(struct ui *ui, const char *rest)
{
    save(ui, rest, run_save);
}

static void run_export(struct ui *ui, const char *rest)
{
    char message[UI_MESSAGE_MAX];
    if (!*rest) {
        ui_say(ui, ROLE_BAD, "export: name a file; .json, .csv, .md, .svg or .txt chooses the form");
        return;
    }
    enum ui_write what = ui->host->export_report(ui->host->context, rest, &ui->plan, ui->is_confirmed, message);
    if (is_written(ui, what, rest, message, run_export))
        ui_say(ui, ROLE_GOOD, "wrote the report to %s", rest);
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

static void run_theme(struct ui *ui, const char *rest)
{
    char why[UI_MESSAGE_MAX];
    struct theme theme;
    if (!*rest) {
        ui_say(ui, ROLE_TEXT, "theme %s: %s", ui->theme.name, ui->theme.about);
        return;
    }
    if (ui->host->theme(ui->host->context, rest, &theme, why) != 0) {
        ui_say(ui, ROLE_BAD, "%s", why);
        return;
    }
    ui->theme = theme;
    ui->request |= REQUEST_THEME;
    ui_say(ui, ROLE_TEXT, "theme %s: %s", theme.name, theme.about);
}

static void run_explain(struct ui *ui, const char *rest)
{
    explain_open(ui, *rest ? rest : param_rows[ui_field(ui)].dotted);
}

static void run_go(struct ui *ui, const char *rest)
{
    int id = param_find_alias(rest);
    if (id < 0) {
        ui_say(ui, ROLE_BAD, "go: '%.60s' is not a key; Tab completes", rest);
        return;
    }
    ui_select(ui, (enum param)id);
    ui->is_view_focused = false;
}

static void run_quit(struct ui *ui, const char *rest)
{
    (void)rest;
    actions[ACTION_quit].run(ui);
}

static void run_quit_now(struct ui *ui, const char *rest)
{
    (void)rest;
    ui->is_done = true;
}

static void run_save_quit(struct ui *ui, const char *rest)
{
    save(ui, rest, run_save_quit);
    ui->is_done = ui->mode == MODE_BROWSE && !ui_is_modified(ui) && ui->message_role == ROLE_GOOD;
}

static void run_help(struct ui *ui, const char *rest)
{
    actions[ACTION_help].run(ui);
    edit_insert(&ui->edit, rest);
}

static const struct command {
    const char *name;
    enum argument argument;
    const char *help;
    void (*run)(struct ui *ui, const char *rest);
} commands[] = {
    {"set", ARGUMENT_KEY_VALUE, "set KEY VALUE", run_set},
    {"go", ARGUMENT_KEY, "go KEY: select a field", run_go},
    {"load", ARGUMENT_FILE, "load FILE", run_load},
    {"save", ARGUMENT_FILE, "save [FILE]", run_save},
    {"export", ARGUMENT_FILE, "export FILE: the report as .txt, .json, .csv, .md or .svg", run_export},
    {"largest", ARGUMENT_NONE, "largest: the most layers that fit this layout", run_largest},
    {"theme", ARGUMENT_THEME, "theme NAME", run_theme},
    {"explain", ARGUMENT_PATH, "explain PATH", run_explain},
    {"help", ARGUMENT_NONE, "help [WORD]", run_help},
    {"q", ARGUMENT_NONE, "q: leave", run_quit},
    {"q!", ARGUMENT_NONE, "q!: leave without saving", run_quit_now},
    {"wq", ARGUMENT_FILE, "wq [FILE]: save and leave", run_save_quit},
    {"w", ARGUMENT_FILE, "w [FILE]: save", run_save},
    {"e", ARGUMENT_FILE, "e FILE: load", run_load},
};
enum { COMMANDS = LENGTH(commands) };

static const struct command *find_command(const char *name, size_t length)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strlen(commands[i].name) == length && strncmp(commands[i].name, name, length) == 0)
            return &commands[i];
    return NULL;
}

/* An action of this name, so that everything on a key can also be typed. */
static enum action find_action(const char *name)
{
    for (int i = 1; i < ACTION_accept; i++)
        if (strcmp(actions[i].name, name) == 0)
            return (enum action)i;
    return ACTION_NONE;
}

const char *command_help(const char *name)
{
    const struct command *command = find_command(name, strlen(name));
    enum action action = find_action(name);
    return command ? command->help : action != ACTION_NONE ? actions[action].help : "";
}

static void say_unknown(struct ui *ui, const char *name)
{
    struct nearest nearest = {.typed = name, .takes_any = true};
    for (int i = 0; i < COMMANDS + ACTION_accept; i++) {
        const char *candidate = i < COMMANDS ? commands[i].name : actions[i - COMMANDS].name;
        if (candidate)
            nearest_offer(&nearest, candidate, candidate);
    }
    ui_say(ui, ROLE_BAD, "'%.40s' is not a command; did you mean :%s? :help lists all", name, nearest.name[0]);
}

void command_run(struct ui *ui, const char *line)
{
    char text[EDIT_MAX];
    line += strspn(line, " :");
    snprintf(text, sizeof text, "%s", line);
    for (size_t n = strlen(text); n > 0 && text[n - 1] == ' '; n--)
        text[n - 1] = '\0';
    size_t length = strcspn(text, " ");
    const char *rest = text + length + strspn(text + length, " ");
    if (length == 0)
        return;
    const struct command *command = find_command(text, length);
    if (command) {
        command->run(ui, rest);
        return;
    }
    text[length] = '\0';
    enum action action = find_action(text);
    if (action != ACTION_NONE)
        actions[action].run(ui);
    else
        say_unknown(ui, text);
}

/* ---- completion --------------------------------------------------------------------------------------------------- */

/* Texts that could stand at the end of the line. */
struct candidates {
    const char *text[CANDIDATES_MAX];
    int count;
    const char *word; /* what was typed of it */
    bool anywhere;    /* the word may stand inside */
};

static void offer(struct candidates *c, const char *text)
{
    bool fits = c->anywhere ? strstr(text, c->word) != NULL : strncmp(text, c->word, strlen(c->word)) == 0;
    for (int i = 0; i < c->count; i++)
        fits &= strcmp(c->text[i], text) != 0;
    if (fits && c->count < CANDIDATES_MAX)
        c->text[c->count++] = text;
}

static void offer_values(const struct ui *ui, struct candidates *c, enum param id)
{
    const char *const *names = NULL;
    bool has_names = param_rows[id].type == TYPE_NAME && ui->host->names;
    size_t count = has_names ? ui->host->names(ui->host->context, id, &names) : 0;
    for (size_t i = 0; i < count; i++)
        offer(c, names[i]);
    for (int i = 0; param_rows[id].choices && param_rows[id].choices[i]; i++)
        offer(c, param_rows[id].choices[i]);
}

static void offer_keys(struct candidates *c)
{
    for (int i = 0; i < PARAM_COUNT; i++) {
        bool is_short = param_find(param_rows[i].key) == i && !strchr(c->word, '.');
        offer(c, is_short ? param_rows[i].key : param_rows[i].dotted);
    }
}

static void offer_themes(const struct ui *ui, struct candidates *c)
{
    const char *const *names = NULL;
    size_t count = ui->host->theme_names ? ui->host->theme_names(ui->host->context, &names) : 0;
    for (size_t i = 0; i < count; i++)
        offer(c, names[i]);
}

static void offer_commands(struct candidates *c)
{
    for (int i = 0; i < COMMANDS; i++)
        offer(c, commands[i].name);
    for (int i = 1; i < ACTION_accept; i++)
        offer(c, actions[i].name);
}

/* What could stand where the last word of `line` is; the word's place in the line is returned. */
static const char *find_candidates(const struct ui *ui, const char *line, struct candidates *c)
{
    const char *last = strrchr(line, ' ');
    const char *word = last ? last + 1 : line;
    size_t length = strcspn(line, " ");
    const struct command *command = word == line ? NULL : find_command(line, length);
    *c = (struct candidates){.word = word};
    if (word == line) {
        offer_commands(c);
        return word;
    }
    if (!command)
        return word;
    const char *first = line + length + strspn(line + length, " ");
    if (command->argument == ARGUMENT_THEME)
        offer_themes(ui, c);
    if ((command->argument == ARGUMENT_KEY_VALUE || command->argument == ARGUMENT_KEY) && first == word)
        offer_keys(c);
    if (command->argument == ARGUMENT_KEY_VALUE && first != word) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(first, " "), first);
        int id = param_find_alias(name);
        if (id >= 0)
            offer_values(ui, c, (enum param)id);
    }
    return word;
}

/* Length of the beginning that all candidates share. */
static size_t shared_length(const struct candidates *c)
{
    size_t length = strlen(c->text[0]);
    for (int i = 1; i < c->count; i++)
        for (size_t j = 0; j < length; j++)
            if (c->text[i][j] != c->text[0][j])
                length = j;
    return length;
}

/* Adds to the line what is clear; returns true when something was added. */
static bool extend(struct edit *edit, const struct candidates *c)
{
    char more[128];
    size_t typed = strlen(c->word), length = c->count > 0 ? shared_length(c) : 0;
    if (c->count == 0 || (length <= typed && c->count > 1))
        return false;
    snprintf(more, sizeof more, "%.*s%s", (int)(length > typed ? length - typed : 0), c->text[0] + typed,
             c->count == 1 ? " " : "");
    edit->cursor = edit->length;
    edit_insert(edit, more);
    return true;
}

void command_complete(struct ui *ui)
{
    struct candidates c;
    find_candidates(ui, ui->edit.text, &c);
    extend(&ui->edit, &c);
}

static void list(const struct candidates *c, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < c->count && used + 40 < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? " " : "", c->text[i]);
}

void command_hint(const struct ui *ui, char *out, size_t size)
{
    struct candidates c;
    const char *line = ui->edit.text;
    const struct command *command = find_command(line, strcspn(line, " "));
    find_candidates(ui, line, &c);
    if (c.count > 0)
        list(&c, out, size);
    else
        snprintf(out, size, "%s", command ? command->help : "");
}

void command_names(const struct ui *ui, enum param id, const char *text, char *out, size_t size)
{
    struct candidates c = {.word = text, .anywhere = true};
    offer_values(ui, &c, id);
    list(&c, out, size);
    if (c.count == 0)
        snprintf(out, size, id == PARAM_model_name ? "a new label; the shape stays as it is" : "no such name");
}

bool command_complete_value(const struct ui *ui, enum param id, struct edit *edit)
{
    char word[128];
    snprintf(word, sizeof word, "%.120s", edit->is_selected ? "" : edit->text);
    struct candidates c = {.word = word};
    offer_values(ui, &c, id);
    for (int i = 0; i < c.count; i++)
        if (strcmp(c.text[i], word) == 0)
            return false;
    if (!*word || !extend(edit, &c))
        return false;
    if (edit->length > 0 && edit->text[edit->length - 1] == ' ')
        edit_key(edit, KEY_RUBOUT);
    return true;
}
