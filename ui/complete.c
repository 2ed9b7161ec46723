#include "ui/complete.h"

#include "core/explain/explain.h"
#include "core/plan/param.h"
#include "ui/command.h"

#include <stdio.h>
#include <string.h>

enum { CANDIDATES_MAX = 600, ROOM = 48 * 1024 /* bytes for texts that nobody else keeps */ };

/* Texts that could stand at the end of the line. */
struct candidates {
    const char *text[CANDIDATES_MAX];
    int count;
    const char *word; /* what was typed of it */
    bool anywhere;    /* the word may stand inside */
    size_t used;
    char room[ROOM];
};

static void begin(struct candidates *c, const char *word, bool anywhere)
{
    c->count = 0;
    c->word = word;
    c->anywhere = anywhere;
    c->used = 0;
}

static bool fits(const struct candidates *c, const char *text)
{
    for (int i = 0; i < c->count; i++)
        if (strcmp(c->text[i], text) == 0)
            return false;
    return c->anywhere ? strstr(text, c->word) != NULL : strncmp(text, c->word, strlen(c->word)) == 0;
}

static void offer(struct candidates *c, const char *text)
{
    if (c->count < CANDIDATES_MAX && fits(c, text))
        c->text[c->count++] = text;
}

/* The same for a text that is gone afterwards. */
static void offer_copy(void *context, const char *text)
{
    struct candidates *c = context;
    size_t n = strlen(text) + 1;
    if (c->used + n > ROOM || !fits(c, text))
        return;
    offer(c, memcpy(c->room + c->used, text, n));
    c->used += n;
}

static void offer_all(struct candidates *c, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        offer(c, names[i]);
}

static void offer_values(const struct ui *ui, struct candidates *c, enum param id)
{
    const char *const *names = NULL;
    bool has_names = param_rows[id].type == TYPE_NAME && ui->host->names;
    size_t count = has_names ? ui->host->names(ui->host->context, id, &names) : 0;
    offer_all(c, names, count);
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
    offer_all(c, names, count);
}

/* Plans by name, and files of the folder that is being typed. */
static void offer_plans(const struct ui *ui, struct candidates *c, bool has_presets)
{
    const char *const *names = NULL, *slash = strrchr(c->word, '/');
    char folder[PATH_MAX_BYTES];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - c->word) : 0, c->word);
    if (has_presets && ui->host->plan_names) {
        size_t count = ui->host->plan_names(ui->host->context, &names);
        offer_all(c, names, count);
    }
    if (ui->host->files)
        ui->host->files(ui->host->context, folder, offer_copy, c);
}

static void offer_commands(struct candidates *c)
{
    for (int i = 0; i < command_count; i++)
        offer(c, commands[i].name);
    for (int i = 1; i < ACTION_accept; i++)
        offer(c, actions[i].name);
}

/* Names of settings, or values of the one before. */
static void offer_settings(struct candidates *c, const char *line)
{
    char name[32] = "";
    const struct setting_row *row;
    if (sscanf(line, "%*s %31s ", name) == 1 && strchr(" ", c->word[-1]) && (row = setting_named(name)) &&
        strcmp(c->word, name) != 0) {
        for (int i = 0; row->choices && row->choices[i]; i++)
            offer(c, row->choices[i]);
        return;
    }
    for (row = setting_rows; row->name; row++)
        offer(c, row->name);
    offer(c, "save");
}

static void offer_argument(const struct ui *ui, struct candidates *c, enum argument argument, const char *line)
{
    if (argument == ARGUMENT_SETTING)
        offer_settings(c, line);
    if (argument == ARGUMENT_THEME)
        offer_themes(ui, c);
    if (argument == ARGUMENT_EXPORT && strchr(c->word, '/') == NULL) {
        const char *const *names = NULL;
        offer(c, "report");
        size_t count = ui->host->export_names ? ui->host->export_names(ui->host->context, &names) : 0;
        offer_all(c, names, count);
    }
    if (argument == ARGUMENT_LESSON && ui->host->lessons) {
        const char *const *names, *const *titles;
        size_t count = ui->host->lessons->list(ui->host->context, &names, &titles);
        offer_all(c, names, count);
    }
    if (argument == ARGUMENT_KEY || argument == ARGUMENT_PATH)
        offer_keys(c);
    if (argument == ARGUMENT_PATH && ui->shown->is_computed)
        explain_paths(ui->shown, offer_copy, c);
    if (argument == ARGUMENT_PLAN || argument == ARGUMENT_FILE)
        offer_plans(ui, c, argument == ARGUMENT_PLAN);
}

/* The key that stands before `word` in the line, with a blank or an = between; -1 when there is none. */
static int key_before(const char *line, const char *word)
{
    char name[64];
    const char *end = word;
    while (end > line && strchr(" =:", end[-1]))
        end--;
    const char *at = end;
    while (at > line && !strchr(" ,=", at[-1]))
        at--;
    snprintf(name, sizeof name, "%.*s", (int)(end - at), at);
    return end < word ? param_find_alias(name) : -1;
}

/* What could stand where the last word of `line` is: a command, its argument, a key, or a value of the key before. */
static void find_candidates(const struct ui *ui, const char *line, struct candidates *c)
{
    const char *word = line + strlen(line);
    while (word > line && !strchr(" =,", word[-1]))
        word--;
    const struct command *command = word == line ? NULL : command_find(line, strcspn(line, " "));
    int key = key_before(line, word);
    begin(c, word, false);
    if (command && command->argument != ARGUMENT_ASSIGN)
        offer_argument(ui, c, command->argument, line);
    else if (key >= 0)
        offer_values(ui, c, (enum param)key);
    else if (*word || command) {
        offer_keys(c);
        if (word == line)
            offer_commands(c);
    } else if (word == line) {
        offer_commands(c);
    }
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

void complete_line(struct ui *ui)
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

/* What the command takes, with an example. */
static void say_usage(const struct command *command, char *out, size_t size)
{
    snprintf(out, size, "%s%s%s: %s; as in :%s", command->name, *command->usage ? " " : "", command->usage,
             command->help, command->example);
}

void complete_hint(const struct ui *ui, char *out, size_t size)
{
    struct candidates c;
    const char *line = ui->edit.text;
    const struct command *command = command_find(line, strcspn(line, " "));
    find_candidates(ui, line, &c);
    out[0] = '\0';
    if (command && (!strchr(line, ' ') || c.count == 0))
        say_usage(command, out, size);
    else
        list(&c, out, size);
    int key = key_before(line, line + strlen(line));
    if (c.count == 0 && !command && key >= 0)
        snprintf(out, size, "%s: %s", param_rows[key].key, param_rows[key].help);
}

void complete_names(const struct ui *ui, enum param id, const char *text, char *out, size_t size)
{
    struct candidates c;
    begin(&c, text, true);
    offer_values(ui, &c, id);
    list(&c, out, size);
    if (c.count == 0)
        snprintf(out, size, "no such name");
}

bool complete_value(const struct ui *ui, enum param id, struct edit *edit)
{
    char word[128];
    snprintf(word, sizeof word, "%.120s", edit->is_selected ? "" : edit->text);
    struct candidates c;
    begin(&c, word, false);
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
