#include "ui/command/complete.h"

#include "core/plan/step.h"
#include "core/search/space.h"
#include "core/show/glossary.h"
#include "core/show/ranks.h"
#include "ui/state/advisor.h"
#include "ui/command/command.h"

#include <stdio.h>
#include <stdlib.h>
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

/* The same on a command line, where the numbers that work stand for the others. */
static void offer_numbers_too(const struct ui *ui, struct candidates *c, enum param id)
{
    enum { OFFERED = 16 };
    double valid[OFFERED];
    char text[FIELD_TEXT_MAX];
    offer_values(ui, c, id);
    int count = param_rows[id].step == STEP_UNIT ? param_valid(&ui->plan, id, valid, OFFERED) : 0;
    for (int i = 0; i < count; i++) {
        param_number(id, valid[i], text);
        offer_copy(c, text);
    }
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

/* Numbers below `count` behind a prefix: the one that is typed where that is `whole`, and those with a digit more. */
static void offer_numbers(struct candidates *c, const char *prefix, const char *typed, int count, bool whole)
{
    enum { TEN = 10 };
    char text[48];
    long number = strtol(typed, NULL, TEN);
    if (number < 0 || number >= count)
        return;
    long first = *typed ? number * TEN : 0;
    for (int i = whole ? -1 : 0; i < TEN; i++) {
        long offered = i < 0 ? number : first + i;
        snprintf(text, sizeof text, "%s%ld", prefix, offered);
        if (offered < count)
            offer_copy(c, text);
    }
}

static int nodes_of(const struct rank_grid *g)
{
    return g->gpus_per_node > 0 ? (g->world + g->gpus_per_node - 1) / g->gpus_per_node : 0;
}

/* Ranks by number, and by node and place: 37, n4g5. */
static void offer_ranks(const struct ui *ui, struct candidates *c)
{
    const struct rank_grid *g = &ui->shown->grid;
    char place[32];
    int node, length = 0;
    bool has_node = sscanf(c->word, "n%6d%n", &node, &length) == 1 && node >= 0 && node < nodes_of(g);
    snprintf(place, sizeof place, "%.*sg", length, c->word);
    if (has_node) /* whether or not the g is typed */
        offer_numbers(c, place, c->word + length + (c->word[length] == 'g'), g->gpus_per_node, true);
    if (*c->word == 'n')
        offer_numbers(c, "n", c->word + 1, nodes_of(g), false);
    else if (*c->word)
        offer_numbers(c, "", c->word, g->world, true);
}

static void offer_formats(const struct ui *ui, struct candidates *c)
{
    const char *const *names = NULL;
    size_t count = ui->host->export_names ? ui->host->export_names(ui->host->context, &names) : 0;
    offer(c, "report");
    offer_all(c, names, count);
}

static void offer_lessons(const struct ui *ui, struct candidates *c)
{
    const char *const *names = NULL, *const *titles;
    size_t count = ui->host->lessons ? ui->host->lessons->list(ui->host->context, &names, &titles) : 0;
    offer_all(c, names, count);
}

/* What an option of a search may be. */
static void offer_option(struct candidates *c, const struct search_option *option)
{
    for (int i = 0; option->choices && option->choices[i]; i++)
        offer(c, option->choices[i]);
    bool is_of_axes = strcmp(option->name, "free") == 0 || strcmp(option->name, "keep") == 0;
    for (int i = SEARCH_TP; is_of_axes && i < SEARCH_AXES; i++)
        offer(c, space_axes[i].name);
    for (const struct search_figure *one = search_figures; strcmp(option->name, "where") == 0 && one->name; one++)
        offer(c, one->name);
    if (option->takes_keys && !is_of_axes)
        offer_keys(c);
}

/* The key that a condition is about whose value is typed: "where=tp<=", "tp>"; -1 where it is none. */
static int compared_key(const char *start, const char *end)
{
    static const char relations[] = "<>=!";
    char name[64];
    const char *at = end;
    while (at > start && strchr(relations, at[-1]))
        at--;
    const char *relation = at;
    while (at > start && !strchr(",=", at[-1]))
        at--;
    snprintf(name, sizeof name, "%.*s", (int)(relation - at), at);
    return relation < end ? param_find_alias(name) : -1;
}

/* The option of a search whose argument the last word of the line is the beginning of; NULL for none. */
static const struct search_option *option_before(const char *start, const char *word)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(start, "="), start);
    return start < word ? search_option_named(name) : NULL;
}

/* Where the last of the words with blanks between begins. */
static const char *last_word(const char *line, const char *end)
{
    while (end > line && end[-1] != ' ')
        end--;
    return end;
}

/* Objectives and options of a search; behind an option what it may be, behind a key its values. */
static void offer_goals(const struct ui *ui, struct candidates *c, const char *line)
{
    char text[64];
    const char *start = last_word(line, c->word);
    const struct search_option *option = option_before(start, c->word);
    int key = start < c->word ? compared_key(start, c->word) : -1;
    if (key >= 0)
        offer_numbers_too(ui, c, (enum param)key);
    else if (option)
        offer_option(c, option);
    if (start < c->word)
        return;
    for (int i = 0; i < ADVISOR_OBJECTIVES; i++)
        offer(c, search_goals[i].name);
    offer(c, "size");
    for (option = search_options; option->name; option++) {
        snprintf(text, sizeof text, "%s%s", option->name, option->argument ? "=" : "");
        offer_copy(c, text);
    }
}

/* Kinds, several with commas between. */
static void offer_exercises(const struct ui *ui, struct candidates *c)
{
    const char *const *names = NULL;
    bool has_kinds = ui->host->lessons && ui->host->lessons->kinds;
    size_t count = has_kinds ? ui->host->lessons->kinds(ui->host->context, &names) : 0;
    offer_all(c, names, count);
}

/* Numbers of baselines. */
static void offer_pins(const struct ui *ui, struct candidates *c)
{
    char text[16];
    for (int i = 1; i <= ui->pins; i++) {
        snprintf(text, sizeof text, "%d", i);
        offer_copy(c, text);
    }
}

static void offer_words(struct candidates *c)
{
    for (int i = 0; i < glossary_count; i++)
        offer(c, glossary[i].term);
}

static void offer_argument(const struct ui *ui, struct candidates *c, enum argument argument, const char *line)
{
    switch (argument) {
    case ARGUMENT_SETTING: offer_settings(c, line); break;
    case ARGUMENT_THEME: offer_themes(ui, c); break;
    case ARGUMENT_EXPORT: offer_formats(ui, c); break;
    case ARGUMENT_RANK: offer_ranks(ui, c); break;
    case ARGUMENT_LESSON: offer_lessons(ui, c); break;
    case ARGUMENT_GOAL: offer_goals(ui, c, line); break;
    case ARGUMENT_WORD: offer_words(c); break;
    case ARGUMENT_EXERCISE: offer_exercises(ui, c); break;
    case ARGUMENT_KEY: offer_keys(c); break;
    case ARGUMENT_FILE: offer_plans(ui, c, false); break;
    case ARGUMENT_PIN: offer_pins(ui, c); break;
    case ARGUMENT_PLAN: offer_plans(ui, c, true); break;
    case ARGUMENT_PATH:
        offer_keys(c);
        if (ui->shown->is_computed)
            explain_paths(ui->shown, offer_copy, c);
        break;
    default: break;
    }
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

/* The key of a sweep whose values the last word is one of: "tp=1,2,"; -1 where it is no value. */
static int swept_key(const char *line, const char *word)
{
    while (word > line && !strchr(" =", word[-1]))
        word--;
    return key_before(line, word);
}

/* What could stand where the last word of `line` is: a command, its argument, a key, or a value of the key before. */
static void find_candidates(const struct ui *ui, const char *line, struct candidates *c)
{
    const char *word = line + strlen(line);
    while (word > line && !strchr(" =,<>", word[-1]))
        word--;
    const struct command *command = word == line ? NULL : command_find(line, strcspn(line, " "));
    bool is_sweep = command && strcmp(command->name, "sweep") == 0;
    int key = is_sweep ? swept_key(line, word) : key_before(line, word);
    begin(c, word, false);
    if (command && command->argument != ARGUMENT_ASSIGN)
        offer_argument(ui, c, command->argument, line);
    else if (key >= 0)
        offer_numbers_too(ui, c, (enum param)key);
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
    bool is_begun = length > 0 && strchr("/=", c->text[0][length - 1]), is_whole = c->count == 1 && !is_begun;
    snprintf(more, sizeof more, "%.*s%s", (int)(length > typed ? length - typed : 0), c->text[0] + typed,
             is_whole ? " " : "");
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

/* What the command takes, with an example, and of numbers which there are. */
static void say_usage(const struct ui *ui, const struct command *command, char *out, size_t size)
{
    char range[80] = "";
    if (command->argument == ARGUMENT_RANK)
        ranks_range(&ui->shown->grid, range, sizeof range);
    snprintf(out, size, "%s%s%s: %s%s%s; as in :%s", command->name, *command->usage ? " " : "", command->usage, range,
             *range ? "; " : "", command->help, command->example);
}

/* What `*` stands for behind a key of a sweep, and what else can be typed; false where there is no `*`. */
static bool say_all(const struct ui *ui, const char *line, char *out, size_t size)
{
    enum { LISTED = 16 };
    double valid[LISTED + 1];
    const char *end = line + strlen(line);
    int key = end > line && end[-1] == '*' ? key_before(line, end - 1) : -1;
    int count = key < 0 ? 0 : param_valid(&ui->plan, (enum param)key, valid, LISTED + 1);
    if (count == 0)
        return false;
    size_t used = (size_t)snprintf(out, size, "%s:", param_rows[key].key);
    for (int i = 0; i < count && i < LISTED; i++) {
        char text[FIELD_TEXT_MAX];
        param_number((enum param)key, valid[i], text);
        used += (size_t)snprintf(out + used, size - used, " %s", text);
    }
    bool is_map = strchr(strchr(line, '='), ' ') != NULL;
    used += (size_t)snprintf(out + used, size - used, "%s; ", count > LISTED ? " .." : "");
    snprintf(out + used, size - used, is_map ? "Enter makes the map" : "Enter tries them; %s=* behind makes a map",
             key == PARAM_parallel_pp ? "tp" : "pp");
    return true;
}

/* What an option of a search takes, where nothing of it is typed yet; false for any other line. */
static bool say_option(const char *line, char *out, size_t size)
{
    const char *end = line + strlen(line);
    bool is_search = strncmp(line, "search ", strlen("search ")) == 0;
    const struct search_option *option = is_search ? option_before(last_word(line, end), end) : NULL;
    bool is_told = option && option->argument && end[-1] == '=' && strchr(last_word(line, end), '=') == end - 1;
    if (is_told)
        snprintf(out, size, "%s", option->hint);
    return is_told;
}

void complete_hint(const struct ui *ui, char *out, size_t size)
{
    struct candidates c;
    const char *line = ui->edit.text;
    const struct command *command = command_find(line, strcspn(line, " "));
    find_candidates(ui, line, &c);
    out[0] = '\0';
    bool is_sweep = command && strcmp(command->name, "sweep") == 0;
    if (is_sweep ? say_all(ui, line, out, size) : say_option(line, out, size))
        return;
    if (command && (!strchr(line, ' ') || c.count == 0))
        say_usage(ui, command, out, size);
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
