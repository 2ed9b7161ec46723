#include "src/cli/suggest.h"

#include "core/base.h"
#include "core/plan/nearest.h"
#include "core/plan/param.h"
#include "src/cli/verbs/verbs.h"
#include "src/export/export.h"
#include "src/import/megatron.h"
#include "src/plan/aliases.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "ui/ui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char program[] = "shardtop";

int suggest_key(const char *name, size_t size)
{
    char *copy = xstrndup(name, size);
    for (char *at = copy; *at; at++)
        *at = *at == '-' ? '_' : *at;
    int key = param_find_alias(copy);
    free(copy);
    return key;
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

static bool is_setting(const char *word)
{
    size_t n = strcspn(word, "=");
    bool is_preset = (n == 5 && strncmp(word, "model", n) == 0) || (n == 3 && strncmp(word, "gpu", n) == 0);
    return word[n] && n > 0 && (is_preset || suggest_key(word, n) >= 0);
}

/* What commands are called elsewhere, or their views on the screen. */
static const struct {
    const char *name;
    enum cli_verb_id verb;
} other_names[] = {{"what-if", VERB_ADVICE}, {"whatif", VERB_ADVICE}, {"tuner", VERB_SEARCH}, {"tune", VERB_SEARCH},
                   {"diff", VERB_COMPARE}, {"estimate", VERB_SHOW}, {"report", VERB_SHOW}};

const char *suggest_command(const char *word)
{
    for (size_t i = 0; i < LENGTH(other_names); i++)
        if (strcmp(word, other_names[i].name) == 0)
            return cli_verbs[other_names[i].verb].name;
    struct nearest nearest = {.typed = word};
    for (int i = VERB_SCREEN + 1; i < VERB_COUNT; i++)
        if (text_distance(word, cli_verbs[i].name) <= (strlen(word) > 4 ? 2 : 1))
            nearest_offer(&nearest, cli_verbs[i].name, cli_verbs[i].name);
    return nearest.name[0];
}

enum { OPTION_MAX = 40 };

/* A verb or an option, which goes to `option`, that is nearly, or without its dashes, the word; NULL for none. */
static const char *similar_command(const char *word, char option[OPTION_MAX])
{
    if (suggest_command(word))
        return suggest_command(word);
    for (size_t i = 0; i < cli_option_count; i++)
        if (strcmp(word, cli_options[i].name) == 0 && snprintf(option, OPTION_MAX, "--%s", word) > 0)
            return option;
    return NULL;
}

/* What people type for a command or a list that is spelled otherwise. */
static const struct {
    const char *word, *command;
} other_words[] = {
    {"check", "show --check"}, {"fit", "show --check"}, {"fits", "show --check"}, {"convert", "import or export"},
    {"models", "list models"}, {"model", "list models"}, {"gpus", "list gpus"}, {"gpu", "list gpus"},
    {"clusters", "list clusters"}, {"keys", "list keys"}, {"settings", "list settings"}, {"plans", "list plans"},
    {"frameworks", "list frameworks"}, {"fabrics", "list fabrics"},
    {"themes", "list themes"}, {"formats", "list formats"},
    {"learn", "lesson"}, {"tutorial", "lesson"}, {"lessons", "lesson"}, {"version", "--version"},
    {"train", "goal train"}, {"serve", "goal serve"}, {"finetune", "goal tune"}, {"optimize", "search"},
    {"best", "search"}, {"python", "man python"}, {"gui", "shardtop alone, which opens the screen"},
};

static const char *other_word(const char *word)
{
    for (size_t i = 0; i < LENGTH(other_words); i++)
        if (strcasecmp(word, other_words[i].word) == 0)
            return other_words[i].command;
    return NULL;
}

static bool is_one_of(const char *word, const char *const names[])
{
    while (*names && strcmp(word, *names) != 0)
        names++;
    return *names;
}

/* What is behind an option elsewhere; false for a word that looks like none of it. */
static bool refuse_name(const char *word, struct errors *errors)
{
    if (is_setting(word))
        errors_add(errors, program, 0, word, "not a file; use --set %s", word);
    else if (preset_meant(PRESET_MODEL, word))
        errors_add(errors, program, 0, word, "not a file; use --model %s", word);
    else if (preset_meant(PRESET_GPU, word))
        errors_add(errors, program, 0, word, "not a file; use --gpu %s", word);
    else if (preset_known(PRESET_CLUSTER, word))
        errors_add(errors, program, 0, word, "not a file; use --set cluster=%s", word);
    else if (strstr(word, "://"))
        errors_add(errors, program, 0, word,
                   "is an address, and nothing is fetched; name the file that you downloaded, or --model NAME");
    else
        return false;
    return true;
}

static void refuse_word(const struct cli *cli, int at, struct errors *errors)
{
    char option[OPTION_MAX];
    const char *word = cli->words[at], *last = cli->words[cli->word_count - 1];
    const char *command = other_word(word) ? other_word(word) : similar_command(word, option);
    if (refuse_name(word, errors))
        return;
    if (cli->verb == VERB_SWEEP && suggest_key(word, strlen(word)) >= 0)
        errors_add(errors, program, 0, word, "not a file; give the key values: %s=1,2,4,8", word);
    else if (cli->verb == VERB_EXPORT && is_one_of(word, export_names))
        errors_add(errors, program, 0, word, "not a file; use --to %s", word);
    else if (cli->verb == VERB_EXPLAIN && access(last, F_OK) == 0)
        errors_add(errors, program, 0, word, "not a file; put the value last: shardtop explain %s %s",
                   last, word);
    else if (cli->verb == VERB_SCREEN && at == 0 && !strpbrk(word, "./") && command)
        errors_add(errors, program, 0, word, "not a file or a command; did you mean %s?", command);
    else if (cli->verb == VERB_SCREEN && at == 0 && !strpbrk(word, "./"))
        errors_add(errors, program, 0, word,
        "not a file or a command; `shardtop find %s` searches names and commands", word);
}

/* The options that the first goal found takes from a phrase: " --model llama3-70b --tokens 1.5T --days 30". */
static void join_options(void *context, const struct ui_found *found)
{
    static const struct {
        const char *value, *option;
        double unit;
        const char *suffix;
    } known[] = {{"model", "--model", 0, ""}, {"gpu", "--gpu", 0, ""}, {"framework", "--framework", 0, ""},
                 {"tokens", "--tokens", 1e12, "T"}, {"days", "--days", 1, ""}, {"users", "--users", 1, ""},
                 {"context", "--context", 1, ""}, {"gpus", "--gpus", 1, ""}, {"method", "--peft", 0, ""},
                 {"ms_per_token", "--ms-per-token", 1, ""}, {"first_token", "--first-token", 1, ""}};
    struct buffer *out = context;
    bool is_later = out->size > 0 || strcmp(found->kind, "goal") != 0;
    for (int i = 0; i < found->values && !is_later; i++)
        for (size_t k = 0; k < LENGTH(known); k++)
            if (strcmp(found->value[i].name, known[k].value) == 0 && found->value[i].text)
                buffer_printf(out, " %s %s", known[k].option, found->value[i].text);
            else if (strcmp(found->value[i].name, known[k].value) == 0)
                buffer_printf(out, " %s %g%s", known[k].option, found->value[i].number / known[k].unit,
                              known[k].suffix);
}

static bool is_plan(const char *word)
{
    return strcmp(word, "-") == 0 || access(word, F_OK) == 0 || preset_known(PRESET_PLAN, word);
}

/* Plain words behind a goal: "goal train llama3 70b 30 days". Returns whether it refused them. */
static bool refuse_phrase(const struct cli *cli, struct errors *errors)
{
    enum { GOALS_TOP = 10 };
    struct buffer phrase = {0}, options = {0};
    int words = 0;
    buffer_printf(&phrase, "%s", cli->goal ? cli->goal : "");
    size_t behind = phrase.size;
    for (int i = 0; i < cli->word_count; i++)
        if (!is_plan(cli->words[i]) && !strpbrk(cli->words[i], "/=")) {
            buffer_printf(&phrase, " %s", cli->words[i]);
            words++;
        }
    if (words > 0)
        verb_find_each(phrase.text, GOALS_TOP, join_options, &options);
    bool is_known = options.size > 0;
    if (is_known)
        errors_add(errors, program, 0, "goal", "'%.60s' is not a file; use%s", phrase.text + behind + 1, options.text);
    buffer_free(&phrase);
    buffer_free(&options);
    return is_known;
}

/* A sweep's values behind --set, and ranges written as elsewhere. */
static void check_axes(const struct cli *cli, struct errors *errors)
{
    for (size_t i = 0; i < cli->settings.count; i++) {
        const struct keyval *it = &cli->settings.item[i];
        if (suggest_key(it->key, strlen(it->key)) >= 0 && *it->value != '[' &&
            (strchr(it->value, ',') || strstr(it->value, "..")))
            errors_add(errors, program, 0, "--set", "takes one value; to sweep, write %s=%s", it->key,
                       it->value);
    }
    for (int i = 0; i < cli->word_count; i++) {
        const char *values = strchr(cli->words[i], '=');
        int from, to, size = 0;
        if (values && sscanf(values + 1, "%9d-%9d%n", &from, &to, &size) == 2 && !values[1 + size])
            errors_add(errors, program, 0, cli->words[i], "is a difference; a range is written %.*s=%d..%d",
                       (int)(values - cli->words[i]), cli->words[i], from, to);
    }
}

void refuse_words(const struct cli *cli, struct errors *errors)
{
    if (cli->verb == VERB_SWEEP)
        check_axes(cli, errors);
    static const unsigned files = 1u << VERB_SCREEN | 1u << VERB_SHOW | 1u << VERB_EXPLAIN | 1u << VERB_IMPORT |
                                  1u << VERB_EXPORT | 1u << VERB_SEARCH | 1u << VERB_COMPARE | 1u << VERB_ADVICE |
                                  1u << VERB_SWEEP | 1u << VERB_WATCH | 1u << VERB_GOAL;
    int count = cli->word_count - (cli->verb == VERB_EXPLAIN || cli->verb == VERB_WATCH);
    if (cli->verb == VERB_GOAL && refuse_phrase(cli, errors))
        return;
    for (int i = 0; i < count && files & 1u << cli->verb; i++) {
        const char *word = cli->words[i];
        bool is_axis = cli->verb == VERB_SWEEP && strchr(word, '=');
        if (*word && !is_axis && !is_plan(word))
            refuse_word(cli, i, errors);
    }
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

/* How far an option is from what was typed, 0 for the nearest; -1 where nobody would take one for the other. */
static int option_distance(const char *typed, const char *known)
{
    size_t n = strlen(typed);
    int distance = text_distance(typed, known);
    if (strncmp(typed, known, n) == 0 && (n >= 3 || (n == 2 && known[n] == '-'))) /* --ms for --ms-per-token */
        return 1;
    if (distance > 1 + (int)n / 3)
        return -1;
    return 2 * distance + (*typed != *known);
}

/* The known option nearest to a name, ours before Megatron's; NULL for none. */
static const char *nearest_option(const char *name)
{
    const char *best = NULL;
    int least = -1;
    for (size_t i = 0; i < cli_option_count || megatron_flag_name(i - cli_option_count); i++) {
        const char *known = i < cli_option_count ? cli_options[i].name : megatron_flag_name(i - cli_option_count);
        int distance = option_distance(name, known);
        if (distance >= 0 && (least < 0 || distance < least))
            best = known, least = distance;
    }
    return best;
}

void refuse_option(const char *name, size_t length, struct errors *errors)
{
    char text[64], *flag = xasprintf("--%.*s", (int)length, name);
    bool is_format = length >= 6 && strncmp(name + length - 6, "format", 6) == 0;
    snprintf(text, sizeof text, "%.*s", (int)(length < 63 ? length : 63), name);
    const char *near = nearest_option(text);
    if (is_format)
        errors_add(errors, program, 0, flag, "is not an option; write --json, --csv or --markdown");
    else if (near)
        errors_add(errors, program, 0, flag, "is not an option; did you mean --%s?", near);
    else
        errors_add(errors, program, 0, flag, "is not an option; see shardtop --help");
    free(flag);
}

bool refuse_letters(const char *word, struct errors *errors)
{
    size_t n = strcspn(word, "=");
    bool is_key = n > 2 && suggest_key(word + 1, n - 1) >= 0;
    if (is_key)
        errors_add(errors, program, 0, word, "needs two dashes; write --%.*s VALUE", (int)n - 1, word + 1);
    return is_key;
}

void refuse_place(const char *option, const char *verb, struct errors *errors)
{
    char *flag = xasprintf("--%s", option);
    errors_add(errors, program, 0, flag, "does not go with %s; leave it out", verb);
    free(flag);
}

bool refuse_devices(const char *option, const char *text, struct errors *errors)
{
    int count, at = 0;
    char sign;
    bool is_both = sscanf(text, "%4d %c %n", &count, &sign, &at) == 2 && strchr("xX*", sign) && at > 0 &&
                   preset_meant(PRESET_GPU, text + at);
    if (is_both)
        errors_add(errors, program, 0, option, "takes one of the two; write --gpus %d --gpu %s", count, text + at);
    return is_both;
}

void refuse_setting(const char *key, const char *value, struct errors *errors)
{
    const char *comma = strpbrk(value, ", "), *next = comma ? comma + strspn(comma, ", ") : NULL;
    const char *equals = next ? strchr(next, '=') : NULL;
    if (equals && suggest_key(next, (size_t)(equals - next)) >= 0)
        errors_add(errors, program, 0, "--set", "takes one key; write --set %s=%.*s --set %s", key,
                   (int)(comma - value), value, next);
}
