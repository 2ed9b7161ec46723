#include "src/import/unknown.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "core/plan/question.h"
#include "src/import/import.h"
#include "src/import/recognise.h"
#include "src/import/table.h"
#include "src/import/words.h"
#include "src/text/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const passed[] = {
#define PASSED(words) words,
#define DECIDES(words, keys)
#include "src/import/unknown.def"
};

static const struct decides {
    const char *words, *keys;
} decides[] = {
#define PASSED(words)
#define DECIDES(words, keys) {words, keys},
#include "src/import/unknown.def"
};

static const struct parser {
    const char *of, *holds, *names;
} parsers[] = {
#define PARSER(of, holds, names) {of, holds, names},
#include "src/import/parsers.def"
};

/* ---- words ------------------------------------------------------------------------------------------------------ */

/* The last two parts of a path, without the dashes of a flag. */
static const char *last_parts(const char *name)
{
    const char *dot = strrchr(name, '.'), *from = name + strspn(name, "-+");
    while (dot && dot > name && dot[-1] != '.')
        dot--;
    return dot && dot > from ? dot : from;
}

/* True for a name with a word that decides nothing. */
static bool is_passed(const char *name)
{
    static const char actor[] = "actor_rollout_ref."; /* verl's group, whose name is none of the words */
    name += strncmp(name, actor, strlen(actor)) == 0 ? strlen(actor) : 0;
    for (size_t i = 0; i < LENGTH(passed); i++)
        if (words_any(name, passed[i]))
            return true;
    return false;
}

static const struct decides *find_row(const char *name)
{
    if (is_passed(name))
        return NULL;
    for (size_t i = 0; i < LENGTH(decides); i++)
        if (words_all(last_parts(name), decides[i].words))
            return *decides[i].keys ? &decides[i] : NULL;
    return NULL;
}

/* Values with which a setting does nothing. */
static bool is_off(const char *value)
{
    static const char *const off[] = {"0", "0.0", "false", "none", "null", "no", "off", "-1", "[]", "{}", "disabled",
                                      "causal_lm"};
    for (size_t i = 0; i < LENGTH(off); i++)
        if (strcasecmp(value, off[i]) == 0)
            return true;
    return false;
}

bool unknown_keep(struct import *import, const char *name, const char *value, int line)
{
    if (is_off(value) || !find_row(name))
        return false;
    keyvals_add(&import->unknown, name, value, line);
    return true;
}

/* True where the first `size` bytes of `name`, with dashes for underscores or not, are one of the names of a list. */
static bool lists(const char *names, const char *name, size_t size)
{
    for (const char *p = names; *p; p += strcspn(p, " "), p += *p == ' ') {
        size_t n = 0;
        while (n < size && (p[n] == name[n] || (p[n] == '_' && name[n] == '-')))
            n++;
        if (n == size && n > 0 && strchr(" ", p[n]))
            return true;
    }
    return false;
}

/* The last part of a path that is not a number: an item of a list goes by the list's name. */
static const char *last_name(const char *path, size_t *size)
{
    const char *end = path + strlen(path), *from = end;
    do {
        end = from > path && from[-1] == '.' ? from - 1 : from;
        for (from = end; from > path && from[-1] != '.';)
            from--;
    } while (from > path && strspn(from, "0123456789") >= (size_t)(end - from));
    *size = (size_t)(end - from);
    return from;
}

static bool is_strict_for(const struct parser *row, const char *of, const struct tree *tree)
{
    return (*row->of && lists(of, row->of, strlen(row->of))) ||
           (*row->holds && tree && recognise_holds(tree, row->holds));
}

void unknown_refuse(struct import *import, const char *of, const struct tree *tree, const struct keyval *it)
{
    static const char key[] = "framework.name";
    const struct keyval *framework = keyvals_last(&import->settings, key);
    const char *from = it->key + strspn(it->key, "-");
    size_t size, group = strcspn(from, ".");
    const char *last = last_name(from, &size);
    char *whole = xstrndup(from, group);
    bool is_strict = false, is_nested = from[group] && words_any(whole, "config|kwargs|args");
    bool is_taken = is_off(it->value) || is_nested || is_passed(from);
    free(whole);
    for (size_t i = 0; i < LENGTH(parsers) && !is_taken; i++) {
        bool is_own = is_strict_for(&parsers[i], of ? of : framework ? framework->value : "", tree);
        bool is_common = !*parsers[i].of && !*parsers[i].holds;
        bool is_listed = lists(parsers[i].names, from, group) || lists(parsers[i].names, last, size);
        is_strict |= is_own;
        is_taken |= (is_own || is_common) && is_listed;
    }
    if (is_strict && !is_taken && !keyvals_last(&import->unread, key))
        keyvals_add(&import->unread, key, it->key, it->line);
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

/* Gives a key its value where only a default or a preset had one; else what it has is marked. */
static void assume(struct plan *plan, enum param key, const char *value)
{
    struct plan resolved;
    char why[PARAM_WHY_MAX], text[PARAM_TEXT_MAX];
    if (value && plan->from[key] < FROM_FILE && param_parse(plan, key, value, FROM_ASSUMED, false, why) == 0)
        return;
    plan_resolve(plan, &resolved);
    bool is_known = !param_blank(&resolved, key) && param_print(&resolved, key, text, sizeof text) > 0;
    if (param_blank(plan, key) && (!is_known || param_parse(plan, key, text, FROM_ASSUMED, false, why) != 0))
        return;
    plan->from[key] = FROM_ASSUMED;
}

/* What a row gives to a key: the setting's value, a text of its own, or nothing; `out` holds it. */
static const char *value_of(const char *given, size_t size, const char *written, char out[PARAM_TEXT_MAX])
{
    if (size == 0)
        return NULL;
    bool is_own = size == 1 && *given == '*';
    snprintf(out, PARAM_TEXT_MAX, "%.*s", is_own ? (int)strlen(written) : (int)size, is_own ? written : given);
    return out;
}

/* The question about a key that was asked last is about a setting that no table has. */
static void mark_foreign(struct questions *questions, enum param key)
{
    for (int i = questions->count - 1; i >= 0; i--)
        for (int k = 0; k < questions->item[i].count; k++)
            if (questions->item[i].decides[k] == (int16_t)key) {
                questions->item[i].is_foreign = true;
                return;
            }
}

static void ask(struct import *import, struct plan *plan, const struct keyval *it, enum param key, const char *file)
{
    char assumed[PARAM_TEXT_MAX], *variable, *how;
    bool is_taken = param_print(plan, key, assumed, sizeof assumed) > 0;
    bool is_framework = strcmp(it->key, "framework.name") == 0;
    bool is_name = *it->value && !strchr(it->value, ' '); /* of what leaves the key open */
    bool is_key = is_framework || (strcmp(it->key, param_rows[key].dotted) == 0 && is_name);
    variable = is_key ? xstrdup(it->value) : xasprintf("%.60s%s%.30s", it->key, *it->value ? " " : "", it->value);
    how = is_framework ? xstrdup("--framework NAME")
                       : xasprintf("--set %s=%s", param_rows[key].dotted, is_taken ? assumed : "VALUE");
    struct asked asked = {variable, is_taken ? assumed : "", file, it->line, how, false};
    import_ask(import, param_rows[key].dotted, &asked);
    mark_foreign(&import->questions, key);
    free(variable);
    free(how);
}

/* True where the setting means no experts: one expert, or a top-k of a model without them. */
static bool is_dense(const struct plan *plan, enum param key, const char *value)
{
    struct plan resolved;
    plan_resolve(plan, &resolved);
    bool is_of_none = key == PARAM_model_moe_router_topk && !(resolved.value[PARAM_model_num_experts] > 1);
    return (key == PARAM_model_num_experts && value && strcmp(value, "1") == 0) || is_of_none;
}

/* True where the setting says what the key has anyway. */
static bool is_same(const struct plan *plan, enum param key, const char *value)
{
    struct plan resolved, other = *plan;
    char why[PARAM_WHY_MAX];
    plan_resolve(plan, &resolved);
    return value && param_parse(&other, key, value, FROM_FILE, false, why) == 0 && param_equal(&other, &resolved, key);
}

/* The keys that a setting decides, separated by blanks; "" for none that is known. */
static const char *keys_of(const struct import *import, const char *name)
{
    for (size_t i = 0; i < import->tables; i++) {
        const struct import_table *table = &import->table[i];
        size_t skip = strlen(table->prefix);
        for (size_t k = 0; k < table->rows && strncmp(name, table->prefix, skip) == 0; k++)
            if (tree_row_has(&table->row[k], name + skip))
                return table->row[k].key;
    }
    const struct decides *row = param_find(name) < 0 ? find_row(name) : NULL;
    return row ? row->keys : name;
}

static bool is_decisive(int key)
{
    const enum param *at = question_decisive;
    while (*at != PARAM_COUNT && (int)*at != key)
        at++;
    return *at != PARAM_COUNT;
}

/* Says in the questions about a key what was taken of it; false where there is none. */
static bool tell_taken(struct questions *questions, const struct plan *plan, enum param key)
{
    char taken[PARAM_TEXT_MAX] = "";
    bool is_asked = false;
    param_print(plan, key, taken, sizeof taken);
    for (int i = 0; i < questions->count; i++)
        for (int k = 0; k < questions->item[i].count; k++) {
            struct question *it = &questions->item[i];
            is_asked |= it->decides[k] == (int16_t)key;
            if (it->decides[k] == (int16_t)key && it->count == 1 && !*it->assumed)
                snprintf(it->assumed, sizeof it->assumed, "%.*s", QUESTION_TEXT_MAX - 1, taken);
        }
    return is_asked;
}

/* Asks about settings with a value that cannot be read: what is taken instead may decide the verdict. */
static void ask_unread(struct import *import, struct plan *plan, const char *name)
{
    for (size_t i = 0; i < import->unread.count; i++) {
        const struct keyval *it = &import->unread.item[i];
        for (const char *p = keys_of(import, it->key); *p; p += strcspn(p, " "), p += *p == ' ') {
            char *dotted = xstrndup(p, strcspn(p, "= "));
            int key = param_find(dotted);
            free(dotted);
            if (!is_decisive(key))
                continue;
            assume(plan, (enum param)key, NULL);
            if (!tell_taken(&import->questions, plan, (enum param)key))
                ask(import, plan, it, (enum param)key, name);
        }
    }
}

/* Asks about settings that the script gives where its caller does not. */
static void ask_doubted(struct import *import, struct plan *plan, const char *name)
{
    for (size_t i = 0; i < import->doubted.count; i++) {
        const struct keyval *it = &import->doubted.item[i];
        char *dotted = xstrndup(keys_of(import, it->key), strcspn(keys_of(import, it->key), "= "));
        char taken[PARAM_TEXT_MAX] = "", variable[QUESTION_TEXT_MAX];
        bool is_argument = isdigit((unsigned char)*it->value), is_condition = strchr(it->value, ' ') != NULL;
        int key = param_find(dotted);
        char *how = is_argument              ? xstrdup("-- ARGUMENTS")
                    : is_condition           ? xasprintf("--set %s=VALUE", dotted)
                                             : xasprintf("--env %.60s=VALUE", it->value);
        snprintf(variable, sizeof variable, "%s%.60s", is_argument ? "$" : "", it->value);
        if (key >= 0)
            param_print(plan, (enum param)key, taken, sizeof taken);
        struct asked asked = {variable, taken, name, it->line, how, true};
        if (key >= 0)
            import_ask(import, dotted, &asked);
        if (is_condition && is_decisive(key)) /* either branch may run */
            assume(plan, (enum param)key, NULL);
        free(how);
        free(dotted);
    }
}

/* Keys that a verdict hangs on, that are asked for and for which a default stands in. */
static void mark_open(struct questions *questions, struct plan *plan)
{
    for (int i = 0; i < questions->count; i++) {
        struct question *it = &questions->item[i];
        for (int k = 0; k < it->count && !it->is_uncertain; k++) {
            enum param key = (enum param)it->decides[k];
            if (!is_decisive((int)key) || plan->from[key] >= FROM_PRESET)
                continue;
            assume(plan, key, NULL);
            tell_taken(questions, plan, key);
        }
    }
}

void unknown_ask(struct import *import, struct plan *plan, const char *name)
{
    bool is_given[PARAM_COUNT];
    for (int key = 0; key < PARAM_COUNT; key++)
        is_given[key] = plan->from[key] >= FROM_FILE;
    ask_unread(import, plan, name);
    ask_doubted(import, plan, name);
    mark_open(&import->questions, plan);
    for (size_t i = 0; i < import->unknown.count; i++) {
        const struct keyval *it = &import->unknown.item[i];
        const struct decides *row = find_row(it->key);
        for (const char *p = row ? row->keys : ""; *p;) {
            size_t n = strcspn(p, " "), size = strcspn(p, "= ");
            char text[PARAM_TEXT_MAX], *dotted = xstrndup(p, size);
            const char *value = value_of(p + size + 1, n > size ? n - size - 1 : 0, it->value, text);
            int key = param_find(dotted);
            if (key >= 0 && !is_same(plan, (enum param)key, value) && !is_dense(plan, (enum param)key, value)) {
                assume(plan, (enum param)key, is_given[key] ? NULL : value);
                ask(import, plan, it, (enum param)key, name);
            }
            free(dotted);
            p += n + (p[n] == ' ');
        }
    }
}
