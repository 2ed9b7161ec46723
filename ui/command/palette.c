#include "ui/command/palette.h"

#include "core/base.h"
#include "core/plan/match.h"
#include "core/plan/nearest.h"
#include "core/show/glossary.h"
#include "ui/command/command.h"
#include "ui/command/keymap.h"
#include "ui/command/names.h"
#include "ui/pane/pane.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const palette_kind_names[ITEM_KINDS] = {
    [ITEM_SET] = "set", [ITEM_GOAL] = "goal", [ITEM_FIELD] = "field", [ITEM_VIEW] = "view", [ITEM_COMMAND] = "command",
    [ITEM_MODEL] = "model", [ITEM_PLAN] = "plan", [ITEM_GPU] = "GPU", [ITEM_CLUSTER] = "cluster", [ITEM_FILE] = "file",
    [ITEM_RESULT] = "result", [ITEM_THEME] = "theme", [ITEM_RANK] = "rank", [ITEM_KEY] = "key",
    [ITEM_LESSON] = "lesson", [ITEM_WORD] = "word", [ITEM_FRAMEWORK] = "framework",
};

const char *const palette_scope_names[SCOPE_COUNT] = {
    [SCOPE_ALL] = "Find", [SCOPE_MODELS] = "Models", [SCOPE_GPUS] = "GPUs", [SCOPE_CLUSTERS] = "Clusters",
    [SCOPE_PLANS] = "Plans and files", [SCOPE_DOING] = "Keys and commands", [SCOPE_HERE] = "Keys here",
    [SCOPE_THEMES] = "Themes", [SCOPE_LESSONS] = "Lessons", [SCOPE_WORDS] = "Words of the field",
};

/* What a kind counts beside its name, so that a field comes before a result that is called alike. */
static const int bonus[ITEM_KINDS] = {
    [ITEM_FIELD] = 40, [ITEM_VIEW] = 35, [ITEM_COMMAND] = 30, [ITEM_KEY] = 35, [ITEM_MODEL] = 25, [ITEM_PLAN] = 20,
    [ITEM_GPU] = 20, [ITEM_CLUSTER] = 15, [ITEM_FILE] = 10, [ITEM_RESULT] = 5,
};

#define KIND(kind) (1u << ITEM_##kind)
static const unsigned kinds_of_scope[SCOPE_COUNT] = {
    [SCOPE_ALL] = ~(KIND(THEME) | KIND(KEY)), [SCOPE_MODELS] = KIND(MODEL),
    [SCOPE_GPUS] = KIND(GPU), [SCOPE_CLUSTERS] = KIND(CLUSTER),
    [SCOPE_PLANS] = KIND(PLAN) | KIND(FILE), [SCOPE_DOING] = KIND(COMMAND) | KIND(VIEW) | KIND(KEY),
    [SCOPE_HERE] = KIND(COMMAND) | KIND(VIEW) | KIND(KEY),
    [SCOPE_THEMES] = KIND(THEME),
    [SCOPE_LESSONS] = KIND(LESSON), [SCOPE_WORDS] = KIND(WORD),
};

/* What a character before the query, or in it, restricts the list to. */
static unsigned kinds_of_prefix(const char **query)
{
    static const struct {
        char prefix;
        unsigned kinds;
    } prefixes[] = {{'>', KIND(COMMAND) | KIND(VIEW)}, {'@', KIND(MODEL) | KIND(GPU) | KIND(CLUSTER)},
                    {'#', KIND(RANK)},
                    {'=', KIND(RESULT)}};
    for (size_t i = 0; i < LENGTH(prefixes); i++)
        if (**query == prefixes[i].prefix)
            return (*query)++, prefixes[i].kinds;
    return strchr(*query, '/') || **query == '~' || **query == '.' ? KIND(FILE) : ~0u;
}

/* ---- the items -------------------------------------------------------------------------------------------------- */

static void add(struct palette *p, enum palette_kind kind, int id, const char *name, const char *path, const char *help)
{
    if (p->count == p->room) {
        int room = p->room ? 2 * p->room : 1024;
        struct palette_item *more = realloc(p->item, (size_t)room * sizeof *more);
        if (!more)
            return;
        p->item = more;
        p->room = room;
    }
    p->item[p->count++] = (struct palette_item){kind, id, name, path, help, names_of(path)};
}

/* A copy that lives as long as the list. */
static const char *keep(struct palette *p, const char *text)
{
    char **more = realloc(p->text, (size_t)(p->texts + 1) * sizeof *more), *copy = more ? strdup(text) : NULL;
    if (more)
        p->text = more;
    if (copy)
        p->text[p->texts++] = copy;
    return copy;
}

static void add_fields(struct palette *p)
{
    for (int i = 0; i < PARAM_COUNT; i++)
        add(p, ITEM_FIELD, i, param_rows[i].key, param_rows[i].dotted, param_rows[i].help);
}

/* True for an action that shows a view. */
static bool is_view(const char *name)
{
    for (int i = PANE_FORMS; i < PANE_COUNT; i++)
        if (strcmp(view_rows[i].name, name) == 0)
            return true;
    static const enum action others[] = {ACTION_serving, ACTION_messages, ACTION_estimators};
    for (size_t i = 0; i < LENGTH(others); i++)
        if (strcmp(name, actions[others[i]].name) == 0)
            return true;
    return false;
}

/* True for a command that is another name of an action, or short for one. */
static bool is_known(const struct command *command)
{
    const char *item = names_item(command->name);
    for (int i = 1; i < ACTION_accept; i++)
        if (strcmp(actions[i].name, command->name) == 0 || (item && strcmp(actions[i].name, item) == 0))
            return true;
    return strlen(command->name) <= 2;
}

/* What keys mean in the view that has the focus, where that is its own. */
static void add_view_keys(struct palette *p, const struct ui *ui)
{
    const struct view_key *own = pane_own_keys(ui);
    for (int i = 0; own && own[i].key; i++) {
        const char *name = own[i].hint ? own[i].hint : own[i].help;
        add(p, ITEM_KEY, i, name, name, own[i].help);
    }
}

/* What people want in the end, by the words of the row. */
static const struct {
    const char *item, *name, *help;
} goal_rows[] = {
    {"train", "Train by a date", "GPUs, days and cost"},
    {"tune", "Fine-tune on a card", "method, sequence and batch that fit"},
    {"serve", "Serve users", "GPUs, batch, cost of a million tokens"},
    {"largest", "Largest that fits", "model, sequence, batch or layers on these GPUs"},
    {"faster", "Make it faster", "the largest time savings"},
    {"fit-run", "Does my run fit?", "a launch script, or model and GPUs"},
    {"make-it-fit", "Make it fit", "the changes after which it fits"},
};

static void add_goals(struct palette *p)
{
    for (size_t i = 0; i < LENGTH(goal_rows); i++)
        add(p, ITEM_GOAL, (int)i, goal_rows[i].name, goal_rows[i].item, goal_rows[i].help);
    for (int i = 0; param_rows[PARAM_framework_name].choices[i]; i++)
        add(p, ITEM_FRAMEWORK, i, param_rows[PARAM_framework_name].choices[i],
            param_rows[PARAM_framework_name].choices[i], "");
}

/* Every action, and the commands that are none. */
static void add_doing(struct palette *p)
{
    for (int i = 1; i < ACTION_accept; i++)
        add(p, is_view(actions[i].name) ? ITEM_VIEW : ITEM_COMMAND, i, actions[i].name, actions[i].name,
            actions[i].help);
    for (int i = 0; i < command_count; i++)
        if (!is_known(&commands[i]))
            add(p, ITEM_COMMAND, -1 - i, commands[i].name, commands[i].name, commands[i].help);
}

/* What the hint line offers in the panes, in its order. */
static void add_hints(struct palette *p)
{
    for (int i = 0; i < hint_count; i++) {
        const enum action both[] = {hints[i].action, hints[i].other};
        for (size_t k = 0; k < LENGTH(both) && hints[i].mode == MODE_BROWSE; k++)
            if (both[k] != ACTION_NONE)
                add(p, ITEM_COMMAND, (int)both[k], actions[both[k]].name, actions[both[k]].name, actions[both[k]].help);
    }
}

static void add_names(struct palette *p, enum palette_kind kind, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add(p, kind, 0, names[i], names[i], "");
}

static void add_presets(struct palette *p, const struct ui *ui)
{
    static const struct {
        enum palette_kind kind;
        enum param key;
    } keys[] = {{ITEM_MODEL, PARAM_model_name}, {ITEM_GPU, PARAM_hardware_gpu}, {ITEM_CLUSTER, PARAM_plan_cluster}};
    const struct ui_host *host = ui->host;
    const char *const *names = NULL;
    for (size_t i = 0; i < LENGTH(keys) && host->names; i++) {
        size_t count = host->names(host->context, keys[i].key, &names);
        add_names(p, keys[i].kind, names, count);
    }
    size_t plans = host->plan_names ? host->plan_names(host->context, &names) : 0;
    add_names(p, ITEM_PLAN, names, plans);
    size_t themes = host->theme_names ? host->theme_names(host->context, &names) : 0;
    add_names(p, ITEM_THEME, names, themes);
    const char *const *titles = NULL;
    size_t lessons = host->lessons ? host->lessons->list(host->context, &names, &titles) : 0;
    for (size_t i = 0; i < lessons; i++)
        add(p, ITEM_LESSON, 0, names[i], names[i], titles[i]);
    for (int i = 0; i < glossary_count; i++)
        add(p, ITEM_WORD, i, glossary[i].term, glossary[i].term, glossary[i].sentence);
}

static void take_file(void *to, const char *path)
{
    const char *copy = keep(to, path);
    if (copy)
        add(to, ITEM_FILE, 0, copy, copy, "");
}

/* Of the working folder only files: a path leads to other folders. */
static void take_near_file(void *to, const char *path)
{
    if (!strchr(path, '/'))
        take_file(to, path);
}

/* Lists what is in the folder of a path that is being typed. */
static void read_folder(struct palette *p, const struct ui *ui, const char *query)
{
    char folder[PATH_MAX_BYTES];
    const char *slash = strrchr(query, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - query) : 0, query);
    if (strcmp(folder, p->folder) == 0)
        return;
    snprintf(p->folder, sizeof p->folder, "%s", folder);
    p->count = p->own_count;
    if (*folder && ui->host->files)
        ui->host->files(ui->host->context, folder, take_file, p);
}

/* A path with N for its numbers, once. */
static void take_result(void *to, const char *path)
{
    struct palette *p = to;
    char text[EXPLAIN_PATH_MAX];
    size_t used = 0;
    for (const char *at = path; *at && used + 1 < sizeof text;
         at += strspn(at, "0123456789") ? strspn(at, "0123456789") : 1) {
        bool is_part = at == path || at[-1] == '.';
        bool is_number = isdigit((unsigned char)*at) && is_part && strchr(".", at[strspn(at, "0123456789")]);
        if (!is_number && isdigit((unsigned char)*at))
            used += (size_t)snprintf(text + used, sizeof text - used, "%.*s", (int)strspn(at, "0123456789"), at);
        else
            text[used++] = is_number ? 'N' : *at;
    }
    text[used < sizeof text ? used : sizeof text - 1] = '\0';
    for (int i = p->count - 1; i >= 0 && p->item[i].kind == ITEM_RESULT; i--)
        if (strcmp(p->item[i].path, text) == 0)
            return;
    const char *copy = keep(p, text), *last = copy ? strrchr(copy, '.') : NULL;
    if (copy)
        add(p, ITEM_RESULT, 0, last ? last + 1 : copy, copy, "");
}

static void empty(struct palette *p)
{
    while (p->texts > 0)
        free(p->text[--p->texts]);
    p->count = 0;
}

void palette_fill(struct palette *p, const struct ui *ui)
{
    empty(p);
    p->lexicon = p->lexicon ? p->lexicon : lexicon_new();
    p->folder[0] = '\0';
    if (p->scope == SCOPE_HERE) {
        add_view_keys(p, ui);
        add_hints(p);
        p->own_count = p->count;
        return;
    }
    add_goals(p);
    add_fields(p);
    add_view_keys(p, ui);
    add_doing(p);
    add_presets(p, ui);
    if (ui->host->files)
        ui->host->files(ui->host->context, "", take_near_file, p);
    if (ui->shown->is_computed)
        explain_paths(ui->shown, take_result, p);
    p->own_count = p->count;
}

void palette_free(struct palette *p)
{
    empty(p);
    free(p->text);
    free(p->item);
    free(p->lexicon);
    *p = (struct palette){0};
}

/* ---- the ranking ------------------------------------------------------------------------------------------------ */

static int better(int a, int b)
{
    return a > b ? a : b;
}

/* A name that is not the thing's own counts a little less. */
static int other_names(const char *query, const char *names)
{
    int score = match_names(query, names);
    return score ? score - MATCH_SYNONYM : 0;
}

/* True for keys of a workload that is not the plan's: serving in a plan that trains, and the other way round. */
static bool is_foreign(const struct ui *ui, enum param id)
{
    if (param_rows[id].group_id == GROUP_rl)
        return ui->now->plan.value[PARAM_plan_workload] != WORKLOAD_RL;
    return param_rows[id].group_id == (ui->now->is_serving ? GROUP_train : GROUP_serve);
}

static bool is_brief(const struct ui *ui, enum param id)
{
    for (int form = 0; form < PANE_FORMS; form++)
        for (int i = 0; i < form_brief((enum pane_id)form, false); i++)
            if (ui->fields[form][i] == id)
                return true;
    return false;
}

/* What an item is worth by its names; 0: it does not answer. */
static int score_of(const struct ui *ui, const struct palette_item *item, const char *query)
{
    if (item->kind == ITEM_GOAL)
        return 0; /* by what it is about */
    bool has_help =
        item->kind == ITEM_FIELD || item->kind == ITEM_WORD || item->kind == ITEM_COMMAND || item->kind == ITEM_KEY;
    int score = better(match_name(query, item->name), other_names(query, item->names));
    if (item->path != item->name)
        score = better(score, match_name(query, item->path));
    if (item->kind == ITEM_FIELD)
        score = better(score, other_names(query, param_rows[item->id].aliases));
    if (item->kind == ITEM_WORD)
        score = better(score, other_names(query, glossary[item->id].also));
    if (item->kind == ITEM_FILE && strchr(query, '/') && strncmp(item->path, query, strlen(query)) == 0)
        score = MATCH_BEGIN;
    if (!score && has_help && match_help(query, item->help))
        score = MATCH_HELP;
    if (!score)
        return 0;
    if (item->kind == ITEM_FIELD)
        score += 20 * is_brief(ui, (enum param)item->id) - 15 * is_foreign(ui, (enum param)item->id);
    return score + bonus[item->kind];
}

/* Words that ask for the meaning of a word, or for a lesson. */
static const char *const meaning_words[] = {"mean", "means", "meaning", "definition", "define", "explain", "explained",
                                            "explanation", "difference", "differ", NULL};
static const char *const lesson_words[] = {"lesson", "lessons", "tutorial", "course", "learn", "teach", "study",
                                           "introduction", NULL};

/* What a request asks about, with one of `asking` or "what is": the other words that say something. */
static bool topic_of(const struct inquiry *inquiry, const char *query, const char *const *asking,
                     char out[INTENT_NAME_MAX])
{
    size_t n = 0;
    bool is_asked = asking == meaning_words && strncasecmp(query, "what", 4) == 0 &&
                    (strncasecmp(query + 4, " is ", 4) == 0 || strncasecmp(query + 4, " are ", 5) == 0);
    *out = '\0';
    for (int k = 0; k < inquiry->said.count; k++) {
        const char *word = inquiry->said.word[k];
        bool asks = false;
        for (int i = 0; asking[i]; i++)
            asks |= strcmp(word, asking[i]) == 0;
        is_asked |= asks;
        if (!asks && n + strlen(word) + 2 < INTENT_NAME_MAX)
            n += (size_t)snprintf(out + n, INTENT_NAME_MAX - n, "%s%s", n ? " " : "", word);
    }
    return is_asked && *out;
}

/* A word of the field where its meaning is asked: "what does tp mean", "difference between tp and pp"; or its name. */
static int score_word(const struct palette *p, const struct ui *ui, const struct palette_item *item, const char *query)
{
    enum { NAME_ALONE = 850, LESS_FOR_ONE = 100 };
    char topic[INTENT_NAME_MAX], word[LEXICON_WORD_MAX];
    int used, best = 0;
    if (!topic_of(&p->inquiry, query, meaning_words, topic))
        return score_of(ui, item, query) >= MATCH_SAME - MATCH_SYNONYM ? NAME_ALONE : 0;
    int score = score_of(ui, item, topic);
    for (const char *at = topic; sscanf(at, "%23s%n", word, &used) == 1; at += used)
        best = better(best, score_of(ui, item, word));
    return score >= MATCH_ANY_ORDER ? score : best >= MATCH_SAME - MATCH_SYNONYM ? best - LESS_FOR_ONE : 0;
}

/* How well a lesson fits a topic: by its title, or by a word of the field that it teaches. */
static int score_taught(const struct ui *ui, const struct palette_item *lesson, const char *topic)
{
    const struct glossary_row *word = glossary_find(topic);
    bool is_taught = word && strcmp(word->lesson, lesson->path) == 0;
    return is_taught ? INTENT_EXACT : better(score_of(ui, lesson, topic), match_name(topic, lesson->help));
}

/* A lesson, by topic. */
static int score_lesson(const struct palette *p, const struct ui *ui, const struct palette_item *item,
                        const char *query)
{
    enum { LESS_FOR_ONE = 300, LESS_FOR_MEANING = 150 };
    char topic[INTENT_NAME_MAX], word[LEXICON_WORD_MAX];
    int used, best = 0;
    if (!topic_of(&p->inquiry, query, lesson_words, topic))
        return topic_of(&p->inquiry, query, meaning_words, topic)
                   ? better(0, score_taught(ui, item, topic) - LESS_FOR_MEANING) : 0;
    for (const char *at = topic; sscanf(at, "%23s%n", word, &used) == 1; at += used)
        best = better(best, score_taught(ui, item, word) - LESS_FOR_ONE);
    return better(best, score_taught(ui, item, topic));
}

/* An item whose name or other name is among the words that say something: "set pp to 4"; less beside rarer words. */
static int score_named(const struct palette *p, const struct ui *ui, const struct palette_item *item)
{
    enum { NAMED = INTENT_LEAST - 30, LESS_FOR_DOING = 60 };
    const struct inquiry *asked = &p->inquiry;
    bool is_field = item->kind == ITEM_FIELD;
    double named = 0;
    for (int i = 0; i < asked->said.count; i++) {
        const char *word = asked->said.word[i];
        if (match_same(word, item->name) || match_same(word, item->names) ||
            (is_field && match_same(word, param_rows[item->id].aliases)))
            named = fmax(named, asked->weight[i] / asked->weights);
    }
    int less = is_field ? 15 * is_foreign(ui, (enum param)item->id) : LESS_FOR_DOING;
    return named > 0 ? (int)(NAMED * fmin(1, 2 * named)) - less : 0;
}

/* Whether a text has a word that begins as this one does, endings left out. */
static bool mentions(const char *text, const char *word)
{
    enum { LEAST = 3, ENDING = 2 };
    size_t n = strlen(word), length = n > LEAST + ENDING ? n - ENDING : n - (n > LEAST && word[n - 1] == 's');
    for (const char *at = text; *at; at += strcspn(at, " _|"), at += strspn(at, " _|"))
        if (strncasecmp(at, word, length) == 0)
            return true;
    return false;
}

/* A field whose name, other names and description have all words of the request that say something, or all but one. */
static int score_described(const struct palette *p, const struct ui *ui, const struct palette_item *item)
{
    enum { DESCRIBED = INTENT_LEAST + 60, LESS_FOR_ONE = 130, LEAST = 3 /* letters */ };
    const struct param_row *row = &param_rows[item->id];
    int count = 0, known = 0;
    for (int i = 0; i < p->inquiry.said.count; i++) {
        const char *word = p->inquiry.said.word[i];
        if (isdigit((unsigned char)*word))
            continue;
        count++;
        known += strlen(word) >= LEAST && (mentions(item->name, word) || mentions(row->aliases, word) ||
                                           mentions(row->help, word));
    }
    if (count < 2 || known < better(2, count - 1))
        return 0;
    return DESCRIBED - LESS_FOR_ONE * (known < count) - 15 * is_foreign(ui, (enum param)item->id);
}

/* Whether the query gives the key a value: the key itself follows that item. */
static bool is_set(const struct palette *p, enum param id)
{
    return p->found_count > 0 && p->found[0] == -1 && p->assigned.count == 1 && p->assigned.id[0] == id;
}

/* What an item is worth for a whole request: by its names, by what people ask, and by the words that say something. */
static int score_request(const struct palette *p, const struct ui *ui, const struct palette_item *item,
                         const char *query)
{
    enum { FEWER_WORDS = 120, NAMED = INTENT_LEAST + 100, NAMED_OF_TWO = INTENT_LEAST + 210 };
    if (item->kind == ITEM_WORD)
        return p->scope == SCOPE_ALL ? score_word(p, ui, item, query) : score_of(ui, item, query);
    int score = score_of(ui, item, query);
    for (int i = 0; i < p->hits; i++)
        if (*p->hit[i].item == *item->path && strcmp(p->hit[i].item, item->path) == 0 &&
            strcasecmp(p->hit[i].kind, palette_kind_names[item->kind]) == 0)
            score = better(score, p->hit[i].score);
    bool is_shorter = *p->inquiry.content && strcmp(p->inquiry.content, query) != 0;
    int fewer = is_shorter ? score_of(ui, item, p->inquiry.content) : 0;
    int words = p->inquiry.words.count;
    bool is_alone = words == 1; /* a100 40gb is one name */
    bool is_preset = (item->kind == ITEM_MODEL && strcmp(item->path, p->inquiry.model) == 0) ||
                     (item->kind == ITEM_GPU && strcmp(item->path, p->inquiry.gpu) == 0);
    if (is_preset)
        score = better(score, is_alone ? INTENT_EXACT : words == 2 && item->kind == ITEM_GPU ? NAMED_OF_TWO : NAMED);
    if (item->kind == ITEM_FRAMEWORK && strcmp(item->path, p->inquiry.framework) == 0)
        score = better(score, INTENT_EXACT - 30);
    if (item->kind == ITEM_FIELD || item->kind == ITEM_VIEW || item->kind == ITEM_COMMAND)
        score = better(score, score_named(p, ui, item));
    if (item->kind == ITEM_FIELD)
        score = better(score, score_described(p, ui, item));
    if (item->kind == ITEM_FIELD && is_set(p, (enum param)item->id))
        score = better(score, INTENT_EXACT);
    if (item->kind == ITEM_LESSON)
        score = better(score, score_lesson(p, ui, item, query));
    return better(score, fewer - FEWER_WORDS);
}

/* The share of the words that say something with which an item has a name in common; for what nothing else finds. */
static int score_words(const struct palette *p, const struct ui *ui, const struct palette_item *item, const char *query)
{
    (void)query;
    int count = p->inquiry.said.count, sum = 0;
    for (int i = 0; i < count; i++) {
        const char *word = p->inquiry.said.word[i];
        int score = strlen(word) >= 3 ? score_of(ui, item, word) : 0;
        sum += score >= MATCH_ANY_ORDER ? score : 0;
    }
    return count > 1 ? sum / count / 4 : 0;
}

/* ---- finding ---------------------------------------------------------------------------------------------------- */

struct scored {
    int score, item;
};

static int by_score(const void *a, const void *b)
{
    const struct scored *x = a, *y = b;
    return x->score != y->score ? y->score - x->score : x->item - y->item;
}

/* Whether a list for which nothing was typed has the item. */
static bool is_listed(const struct palette *p, const struct palette_item *item)
{
    return p->scope != SCOPE_ALL || (item->kind != ITEM_FRAMEWORK && item->kind != ITEM_WORD);
}

typedef int score_item(const struct palette *p, const struct ui *ui, const struct palette_item *item,
                       const char *query);

static void find_by(struct palette *p, const struct ui *ui, const char *query, unsigned kinds,
                    score_item *score_of_item)
{
    struct scored *all = malloc((size_t)(p->count + 1) * sizeof *all);
    int count = 0;
    for (int i = 0; all && i < p->count; i++) {
        bool is_asked = kinds & 1u << p->item[i].kind;
        int score = !is_asked ? 0 : *query ? score_of_item(p, ui, &p->item[i], query) : is_listed(p, &p->item[i]);
        if (score > 0)
            all[count++] = (struct scored){score, i};
    }
    if (all && *query)
        qsort(all, (size_t)count, sizeof *all, by_score);
    for (int i = 0; i < count && p->found_count < PALETTE_FOUND_MAX; i++)
        p->found[p->found_count++] = all[i].item;
    free(all);
}

/* Score of an item by its name alone. */
static int score_name(const struct palette *p, const struct ui *ui, const struct palette_item *item, const char *query)
{
    (void)p;
    int score = score_of(ui, item, query);
    return score >= MATCH_ANY_ORDER ? score : 0;
}

/* What was taken last comes first in a list that nothing was typed for. */
static void raise_recent(struct palette *p)
{
    for (int r = PALETTE_RECENT - 1; r >= 0; r--)
        for (int i = 0; p->recent[r] && i < p->found_count; i++)
            if (strcmp(p->item[p->found[i]].path, p->recent[r]) == 0) {
                int item = p->found[i];
                memmove(p->found + 1, p->found, (size_t)i * sizeof *p->found);
                p->found[0] = item;
                break;
            }
}

/* `mbs 2 tp 4` sets keys; a number alone is one of GPUs. */
static void find_assignments(struct palette *p, const struct ui *ui, const char *query)
{
    char line[EDIT_MAX], *text = p->only_text[0];
    size_t digits = strspn(query, "0123456789");
    bool is_number = digits > 0 && !query[digits] && !*p->inquiry.gpu;
    snprintf(line, sizeof line, "%s%.1000s", is_number ? "gpus " : "", query);
    bool is_plain = *query && !strchr(">@#=/~.", *query);
    enum assign what = is_plain ? assign_read(ui, line, &p->assigned) : ASSIGN_NONE;
    if (what == ASSIGN_FAULT)
        snprintf(p->fault, sizeof p->fault, "%s", p->assigned.why);
    if (what != ASSIGN_READ)
        return;
    if (p->assigned.count == 1 && ui_preset(ui, p->assigned.id[0], query))
        return; /* a preset alone is an item of its own */
    assign_text(ui, &p->assigned, text, UI_MESSAGE_MAX);
    p->only[0] = (struct palette_item){ITEM_SET, 0, text, text, "", ""};
    p->found[p->found_count++] = -1;
}

/* `37`, `n4g5`; what is no rank is answered with those that there are. */
static void find_rank(struct palette *p, const struct ui *ui, const char *query)
{
    char why[RANK_WHY_MAX];
    int rank = command_rank(ui, query, why);
    if (rank < 0) {
        snprintf(p->fault, sizeof p->fault, "%s", why);
        return;
    }
    snprintf(p->only_text[1], UI_MESSAGE_MAX, "rank %d", rank);
    p->only[1] = (struct palette_item){ITEM_RANK, rank, p->only_text[1], p->only_text[1], "", ""};
    p->found[p->found_count++] = -2;
}

/* `model l3 8b`: the kind that the first word names, the query then being the others; 0 for none. */
static unsigned kinds_of_word(const char **query)
{
    size_t n = strcspn(*query, " "), gap = strspn(*query + n, " ");
    if (n == 0 || !(*query)[n + gap])
        return 0;
    for (int kind = ITEM_FIELD; kind < ITEM_KINDS; kind++)
        if (strlen(palette_kind_names[kind]) == n && strncasecmp(palette_kind_names[kind], *query, n) == 0)
            return *query += n + gap, 1u << kind;
    return 0;
}

/* What asks for keys of a group asks for its goal too, a little less. */
static void raise_goals(struct palette *p)
{
    static const struct {
        const char *keys, *goal;
    } rows[] = {{"serve.", "serve"}, {"train.lora", "tune"}, {"train.quant", "tune"}};
    enum { LESS = 100 };
    for (size_t k = 0; k < LENGTH(rows); k++) {
        int most = 0;
        for (int i = 0; i < p->hits; i++)
            if (strncmp(p->hit[i].item, rows[k].keys, strlen(rows[k].keys)) == 0)
                most = better(most, p->hit[i].score - LESS);
        if (most >= INTENT_LEAST && p->hits < LEXICON_ROWS_MAX)
            p->hit[p->hits++] = (struct intent_hit){"goal", rows[k].goal, most};
    }
    bool is_gaming = strncmp(p->inquiry.gpu, "rtx-", 4) == 0;
    if (is_gaming && p->hits < LEXICON_ROWS_MAX)
        p->hit[p->hits++] = (struct intent_hit){"goal", "tune", INTENT_FIGURE};
}

/* Whether a request asks above all for what changes nothing. */
static bool asks_nothing(const struct palette *p)
{
    enum { LEAST = INTENT_LEAST + 60 };
    int nothing = 0, most = LEAST;
    for (int i = 0; i < p->hits; i++)
        if (strcmp(p->hit[i].item, "no-effect") == 0)
            nothing = p->hit[i].score;
        else
            most = better(most, p->hit[i].score);
    return nothing >= MATCH_BEGIN || nothing > most;
}

void palette_find(struct palette *p, const struct ui *ui, const char *query)
{
    query += strspn(query, " ");
    p->found_count = 0;
    p->fault[0] = '\0';
    p->is_ignored = names_are_ignored(query);
    intent_read(ui, p->lexicon, query, &p->inquiry);
    bool is_rank = strncmp(query, "rank ", 5) == 0 && strpbrk(query, "0123456789") && !strchr(query + 5, ' ');
    if (is_rank)
        p->inquiry.said.count = 0;
    p->hits = *query && !is_rank ? intent_hits(p->lexicon, &p->inquiry, p->hit) : 0;
    p->is_ignored |= asks_nothing(p);
    raise_goals(p);
    if (p->is_ignored)
        p->hits = 0; /* "learning rate" is no wish to learn */
    if (p->scope == SCOPE_ALL)
        find_assignments(p, ui, query);
    if (is_rank && p->scope == SCOPE_ALL)
        find_rank(p, ui, query + 5);
    unsigned kinds = kinds_of_scope[p->scope];
    if (kinds & KIND(FILE))
        read_folder(p, ui, query);
    bool is_phrase = p->hits > 0 && !strchr("/~.", *query); /* "tokens/s" is no path */
    if (p->scope == SCOPE_ALL && !(is_phrase && strchr(query, '/')))
        kinds &= kinds_of_prefix(&query);
    if (kinds == KIND(RANK))
        find_rank(p, ui, query);
    const char *rest = query;
    unsigned named = p->scope == SCOPE_ALL ? kinds_of_word(&rest) : 0;
    if (named)
        find_by(p, ui, rest, named, score_name);
    if (!named || p->found_count == 0)
        find_by(p, ui, query, kinds, score_request);
    if (p->found_count == 0 && p->scope == SCOPE_ALL && !is_rank && !p->is_ignored)
        find_by(p, ui, query, kinds, score_words);
    if (p->found_count > 0 && palette_at(p, 0)->kind != ITEM_FIELD)
        p->fault[0] = '\0'; /* it was a name */
    if (!*query)
        raise_recent(p);
}

const struct palette_item *palette_at(const struct palette *p, int row)
{
    if (row < 0 || row >= p->found_count)
        return NULL;
    return p->found[row] < 0 ? &p->only[-1 - p->found[row]] : &p->item[p->found[row]];
}

const char *palette_item_name(const struct palette_item *item)
{
    static const char *const other[][2] = {{"tuner", "layouts"}, {"communication", "traffic"}, {"grid", "devices"}};
    for (size_t i = 0; i < LENGTH(other) && item->kind == ITEM_VIEW; i++)
        if (strcmp(other[i][0], item->path) == 0)
            return other[i][1];
    return item->path;
}

void palette_nearest(const struct palette *p, const char *query, char *out, size_t size)
{
    struct nearest nearest = {.typed = query, .takes_any = true};
    for (int i = 0; i < p->count; i++)
        if (kinds_of_scope[p->scope] & 1u << p->item[i].kind)
            nearest_offer(&nearest, p->item[i].name, p->item[i].name);
    if (nearest.count > 1)
        snprintf(out, size, "%s or %s", nearest.name[0], nearest.name[1]);
    else
        snprintf(out, size, "%s", nearest.count ? nearest.name[0] : "nothing");
}

void palette_took(struct palette *p, const struct palette_item *item)
{
    int at = 0;
    if (item < p->item || item >= p->item + p->count || item->kind == ITEM_FILE || item->kind == ITEM_RESULT ||
        item->kind == ITEM_KEY)
        return; /* their texts are read anew each time */
    while (at < PALETTE_RECENT - 1 && p->recent[at] && strcmp(p->recent[at], item->path) != 0)
        at++;
    memmove(p->recent + 1, p->recent, (size_t)at * sizeof *p->recent);
    p->recent[0] = item->path;
}
