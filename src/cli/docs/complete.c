#include "src/cli/docs/complete.h"

#include "core/estimate/estimate.h"
#include "core/explain/explain.h"
#include "core/plan/param.h"
#include "core/reference/reference.h"
#include "src/cli/cli.h"
#include "src/cli/verbs/list.h"
#include "src/cli/docs/man.h"
#include "src/export/export.h"
#include "src/plan/preset.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is typed, and where the words that begin so go. */
struct typing {
    struct buffer *out;
    const char *typed;  /* what a word must begin with */
    const char *before; /* what stands before it in the same word: "--set=", "tp,"; the shell wants it back */
    size_t before_size;
};

/* Offers a word; `behind` follows it. */
static void offer(const struct typing *typing, const char *word, const char *behind, const char *meaning)
{
    if (strncmp(word, typing->typed, strlen(typing->typed)) == 0)
        buffer_printf(typing->out, "%.*s%s%s%s%s\n", (int)typing->before_size, typing->before, word, behind,
                      *meaning ? "\t" : "", meaning);
}

static void offer_all(const struct typing *typing, const char *const words[])
{
    for (int i = 0; words && words[i]; i++)
        offer(typing, words[i], "", "");
}

/* The words of a text, which blanks set apart. */
static void offer_text(const struct typing *typing, const char *words)
{
    char *copy = xstrdup(words), *rest = NULL;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        offer(typing, word, "", "");
    free(copy);
}

static void offer_presets(const struct typing *typing, enum preset_kind kind)
{
    const char *const *names;
    size_t count = preset_names(kind, &names);
    for (size_t i = 0; i < count; i++)
        offer(typing, names[i], "", "");
}

static void offer_files(const struct typing *typing)
{
    buffer_puts(typing->out, typing->before_size ? "" : ":files\n");
}

/* The rest of a word behind the last of these signs. */
static struct typing behind(const struct typing *typing, const char *signs)
{
    struct typing rest = *typing;
    for (const char *at = typing->typed; *at; at++)
        if (strchr(signs, *at))
            rest.typed = at + 1;
    rest.before = typing->before_size ? typing->before : typing->typed;
    rest.before_size = (size_t)(rest.typed - rest.before);
    return rest;
}

/* ---- keys ------------------------------------------------------------------------------------------------------- */

/* Keys by their dotted name, and by their last part once that is begun. */
static void offer_keys(const struct typing *typing, const char *after)
{
    for (int i = 0; i < PARAM_COUNT; i++) {
        const struct param_row *row = &param_rows[i];
        offer(typing, row->dotted, after, row->help);
        if (*typing->typed && strcmp(row->key, row->dotted) != 0 && param_find(row->key) == i)
            offer(typing, row->key, after, row->help);
    }
}

/* Values that a key takes: names, words, yes or no. */
static void offer_values(const struct typing *typing, enum param key)
{
    if (param_rows[key].type == TYPE_NAME && key != PARAM_framework_name)
        offer_presets(typing, preset_kind_of(key));
    else if (param_type(key)->json == PARAM_JSON_BOOL)
        offer_text(typing, "true false");
    else
        offer_all(typing, param_rows[key].choices);
}

/* KEY=VALUE: the key, then the values that it takes. */
static void offer_setting(const struct typing *typing)
{
    const char *equals = strchr(typing->typed, '=');
    if (!equals) {
        offer_keys(typing, "=");
        return;
    }
    char *name = xstrndup(typing->typed, (size_t)(equals - typing->typed));
    int key = param_find(name);
    struct typing value = behind(typing, "=,");
    if (strcmp(name, "model") == 0 || strcmp(name, "gpu") == 0)
        offer_presets(&value, *name == 'm' ? PRESET_MODEL : PRESET_GPU);
    else if (key >= 0)
        offer_values(&value, (enum param)key);
    free(name);
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

static void offer_estimators(const struct typing *typing)
{
    offer(typing, "shardtop", "", "");
    for (int i = 0; i < REFERENCE_COUNT; i++)
        offer(typing, reference_rows[i].name, "", reference_rows[i].help);
}

/* KEY=VALUE, or keys with commas between them; --by has words of its own beside them. */
static void offer_key_argument(const struct typing *typing, const struct cli_option *option)
{
    struct typing last = behind(typing, ",");
    if (strchr(option->argument, '=')) {
        offer_setting(typing);
        return;
    }
    offer_keys(&last, "");
    if (strcmp(option->name, "by") == 0)
        offer_text(&last, "family source term key");
}

static void offer_argument(const struct typing *typing, const struct cli_option *option)
{
    struct typing last = behind(typing, ",");
    switch (option->words) {
    case WORDS_FILE: offer_files(typing); break;
    case WORDS_CHOICES: offer_text(typing, option->choices); break;
    case WORDS_MODELS: offer_presets(typing, PRESET_MODEL); offer_files(typing); break;
    case WORDS_GPUS: offer(typing, "auto", "", "the GPUs of this machine"); offer_presets(typing, PRESET_GPU); break;
    case WORDS_THEMES: offer_presets(typing, PRESET_THEME); break;
    case WORDS_FRAMEWORKS: offer_all(&last, param_rows[PARAM_framework_name].choices); break;
    case WORDS_KEYS: offer_key_argument(typing, option); break;
    case WORDS_SECTIONS:
        for (int i = 0; i < SECTION_COUNT; i++)
            offer(typing, report_section_names[i], "", "");
        break;
    case WORDS_ESTIMATORS: offer_estimators(typing); break;
    case WORDS_EXPORTS: offer_all(typing, export_names); break;
    case WORDS_NONE: break;
    }
}

/* The option that a word names: "--set", "-o", or "--set=tp" where `is_whole` is false. */
static const struct cli_option *option_of(const char *word, bool is_whole)
{
    size_t n = strcspn(word, "=");
    for (size_t i = 0; i < cli_option_count && *word == '-'; i++) {
        const struct cli_option *option = &cli_options[i];
        bool is_letter = option->letter && word[1] == option->letter && !word[2];
        bool is_name = n == strlen(option->name) + 2 && strncmp(word + 2, option->name, n - 2) == 0;
        if (is_letter || (is_name && (!is_whole || !word[n])))
            return option;
    }
    return NULL;
}

static void offer_options(const struct typing *typing, enum cli_verb_id verb)
{
    for (size_t i = 0; i < cli_option_count; i++) {
        char *name = xasprintf("--%s", cli_options[i].name);
        if (cli_options[i].verbs & 1u << verb)
            offer(typing, name, "", cli_options[i].help);
        free(name);
    }
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

/* Paths of a report, offered up to the next dot, each once. */
struct paths {
    struct typing typing;
    char last[EXPLAIN_PATH_MAX];
};

static void offer_path(void *context, const char *path)
{
    struct paths *paths = context;
    size_t typed = strlen(paths->typing.typed);
    if (strncmp(path, paths->typing.typed, typed) != 0)
        return;
    size_t n = typed + strcspn(path + typed, ".");
    char *part = xstrndup(path, n + (path[n] == '.'));
    if (strcmp(part, paths->last) != 0)
        offer(&paths->typing, part, "", "");
    snprintf(paths->last, sizeof paths->last, "%s", part);
    free(part);
}

/* The values of the plan that stands before them, or of the default plan. */
static void offer_paths(const struct typing *typing, int count, char *const words[])
{
    char **argv = xmalloc(((size_t)count + 2) * sizeof *argv);
    struct cli cli = {.no_stdin = true};
    struct errors errors = {0};
    struct plan plan;
    struct paths paths = {.typing = *typing};
    argv[0] = (char *)(uintptr_t)"shardtop";
    memcpy(argv + 1, words, (size_t)count * sizeof *argv);
    argv[count + 1] = NULL;
    bool is_good = cli_parse(&cli, count + 1, argv, &errors) == 0 && cli_plan(&cli, &plan, NULL, &errors) == 0;
    if (!is_good)
        plan_clear(&plan);
    struct estimate *estimate = xmalloc(sizeof *estimate);
    estimate_plan(&plan, estimate);
    explain_paths(estimate, offer_path, &paths);
    free(estimate);
    cli_free(&cli);
    errors_free(&errors);
    free(argv);
}

static void offer_verbs(const struct typing *typing, unsigned which)
{
    for (int i = VERB_SCREEN + 1; i < VERB_COUNT; i++)
        if (which & 1u << i)
            offer(typing, cli_verbs[i].name, "", cli_verbs[i].help);
}

/* A plan by its name or file. */
static void offer_plans(const struct typing *typing)
{
    offer_presets(typing, PRESET_PLAN);
    offer_files(typing);
}

static void offer_word(const struct typing *typing, enum cli_verb_id verb, int count, char *const words[])
{
    switch (verb) {
    case VERB_LIST: offer_all(typing, list_names); break;
    case VERB_MAN: offer_all(typing, man_pages); break;
    case VERB_COMPLETION: offer_text(typing, "bash zsh fish"); break;
    case VERB_HELP: offer_verbs(typing, ~0u); break;
    case VERB_SCHEMA: offer_verbs(typing, option_of("--json", true)->verbs); break;
    case VERB_LESSON: offer_presets(typing, PRESET_LESSON); offer_files(typing); break;
    case VERB_BATCH: break;
    case VERB_VALIDATE: case VERB_CALIBRATE: offer_files(typing); break;
    case VERB_EXPLAIN: offer_paths(typing, count, words); offer_plans(typing); break;
    case VERB_SWEEP: offer_setting(typing); offer_plans(typing); break;
    default: offer_plans(typing); break;
    }
}

void complete_words(struct buffer *out, int count, char *const words[])
{
    if (count < 1)
        return;
    const char *last = words[count - 1];
    const struct typing typing = {.out = out, .typed = last};
    const struct cli_option *before = count > 1 ? option_of(words[count - 2], true) : NULL,
                            *same = strchr(last, '=') ? option_of(last, false) : NULL;
    enum cli_verb_id verb = VERB_SCREEN;
    for (int i = VERB_SCREEN + 1; i < VERB_COUNT && count > 1; i++)
        verb = strcmp(words[0], cli_verbs[i].name) == 0 ? (enum cli_verb_id)i : verb;
    if (before && before->argument && *before->argument != '[') {
        offer_argument(&typing, before);
    } else if (same && same->argument) {
        size_t n = strcspn(last, "=") + 1;
        offer_argument(&(struct typing){.out = out, .typed = last + n, .before = last, .before_size = n}, same);
    } else if (*last == '-') {
        offer_options(&typing, verb);
    } else {
        if (count == 1)
            offer_verbs(&typing, ~0u);
        offer_word(&typing, verb, count, words);
    }
}
