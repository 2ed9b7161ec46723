#include "src/cli/verbs/batch_verb.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "src/cli/cli.h"
#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/node.h"
#include "src/text/text.h"
#include "src/text/tree.h"

#include <stdlib.h>
#include <string.h>

/* Options of a request, by command: those that only say what is answered. */
static const struct {
    const char *verb, *options;
} allowed[] = {
    {"search", " objective models top free keep values nodes max_memory headroom deadline tokens_per_s where "
               "tp_in_node fit schedules "},
    {"advice", " top "},
    {"sweep", " keys metric follow best "},
};

/* The words of a command line, in fresh memory. */
struct words {
    char **item;
    int count;
};

static void add_word(struct words *words, char *word)
{
    words->item = xrealloc(words->item, (size_t)(words->count + 2) * sizeof *words->item);
    words->item[words->count++] = word;
    words->item[words->count] = NULL;
}

static void free_words(struct words *words)
{
    for (int i = 0; i < words->count; i++)
        free(words->item[i]);
    free(words->item);
}

static bool is_allowed(const char *verb, const char *option)
{
    char *name = xasprintf(" %s ", option);
    bool is = false;
    for (size_t i = 0; i < LENGTH(allowed); i++)
        is |= strcmp(allowed[i].verb, verb) == 0 && strstr(allowed[i].options, name);
    free(name);
    return is;
}

/* The first empty text below a node; NULL for none. */
static const struct node *find_empty(const struct node *node)
{
    const struct node *found = NULL;
    for (const struct node *child = node->child; child && !found; child = child->next) {
        bool is_empty = child->kind == NODE_VALUE && !child->is_bare && !child->has_nul && !*child->text;
        found = is_empty ? child : find_empty(child);
    }
    return found;
}

int batch_settings(const struct node *plan, struct keyvals *out, struct errors *errors)
{
    const struct node *empty = find_empty(plan);
    if (empty)
        errors_add(errors, "plan", 0, empty->key, "empty value; null resets a key");
    return tree_node_settings(plan, "plan", out, errors) != 0 || empty ? -1 : 0;
}

/* Adds `--name`, or `--name=value`. */
static void add_option(struct words *words, const char *name, const char *value)
{
    char *option = value ? xasprintf("--%s=%s", name, value) : xasprintf("--%s", name);
    for (char *at = option; *at && *at != '='; at++)
        *at = *at == '_' ? '-' : *at;
    add_word(words, option);
}

/* The keys of a sweep: {"tp": [1, 2], "pp": "1..8"}. */
static void add_keys(struct words *words, const struct node *keys, struct errors *errors)
{
    if (keys->kind != NODE_MAPPING)
        errors_add(errors, "sweep", 0, "keys", "is not an object; write {\"tp\": [1, 2]}");
    for (const struct node *key = keys->child; key; key = key->next) {
        struct buffer word = {0};
        if (!key->key || *key->key == '-') { /* an option, not a key */
            errors_add(errors, "sweep", 0, key->key, "is not a key; see `shardtop list keys`");
            continue;
        }
        buffer_printf(&word, "%s=%s", key->key, key->text ? key->text : "");
        for (const struct node *value = key->kind == NODE_LIST ? key->child : NULL; value; value = value->next)
            buffer_printf(&word, "%s%s", value == key->child ? "" : ",", value->text ? value->text : "");
        add_word(words, xstrdup(word.text));
        buffer_free(&word);
    }
}

static int add_member(struct words *words, const char *verb, const struct node *member, struct errors *errors)
{
    const char *name = member->key ? member->key : "";
    if (!is_allowed(verb, name)) {
        errors_add(errors, verb, 0, name, "is not an option of a request; see `shardtop help %s`", verb);
        return -1;
    }
    if (strcmp(name, "keys") == 0)
        add_keys(words, member, errors);
    else if (member->kind == NODE_LIST)
        for (const struct node *value = member->child; value; value = value->next)
            add_option(words, name, value->text ? value->text : "");
    else if (member->is_bare && strcmp(member->text ? member->text : "", "true") == 0)
        add_option(words, name, NULL);
    else if (!(member->is_bare && strcmp(member->text ? member->text : "", "false") == 0))
        add_option(words, name, member->text ? member->text : "");
    return 0;
}

/* The plan as settings of a command line. */
static int add_plan(struct words *words, const struct node *plan, struct errors *errors)
{
    struct keyvals settings = {0};
    int result = plan ? batch_settings(plan, &settings, errors) : 0;
    for (size_t i = 0; i < settings.count; i++) {
        const struct keyval *it = &settings.item[i];
        if (!param_names_gpus(it->key))
            add_word(words, xasprintf("--set=%s=%s", it->key, *it->value ? it->value : "default"));
        else if (*it->value)
            add_option(words, "gpus", it->value);
    }
    keyvals_free(&settings);
    return result;
}

/* Appends JSON without its line breaks; strings have none. */
static void put_line(struct buffer *out, const struct buffer *json)
{
    for (const char *at = json->text; *at;) {
        size_t n = strcspn(at, "\n");
        buffer_add(out, at, n);
        at += n;
        at += strspn(at, "\n ");
    }
}

int batch_verb_answer(const struct batch_verb *verb, struct buffer *out, struct errors *errors)
{
    struct words words = {0};
    struct cli cli = {.no_stdin = true};
    struct buffer answer = {0};
    size_t faults = errors->faults;
    add_word(&words, xstrdup("shardtop"));
    add_word(&words, xstrdup(verb->name));
    add_word(&words, xstrdup("--json"));
    add_plan(&words, verb->plan, errors);
    if (verb->options->kind != NODE_MAPPING)
        errors_add(errors, verb->name, 0, NULL, "is not an object; write {} for the defaults");
    for (const struct node *member = verb->options->child; member; member = member->next)
        add_member(&words, verb->name, member, errors);
    if (errors->faults == faults && cli_parse(&cli, words.count, words.item, errors) == 0)
        cli_run_verb(&cli, &answer, errors);
    bool is_answered = errors->faults == faults && answer.size > 0;
    if (is_answered)
        put_line(out, &answer);
    cli_free(&cli);
    buffer_free(&answer);
    free_words(&words);
    return is_answered ? 0 : -1;
}
