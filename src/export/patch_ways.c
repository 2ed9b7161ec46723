/* The ways in which a text may come to say a key's wanted value; each is tried in a copy, which is read again. */
#include "core/base.h"
#include "core/plan/number.h"
#include "src/export/patch_job.h"
#include "src/export/script.h"
#include "src/export/wish.h"
#include "src/import/megatron_flags.h"
#include "src/import/server.h"
#include "src/import/table.h"
#include "src/text/errors.h"
#include "src/text/splice.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- spellings --------------------------------------------------------------------------------------------------- */

static void add_word(struct words *words, const char *text)
{
    for (int i = 0; i < words->count; i++)
        if (strcmp(words->item[i], text) == 0)
            return;
    if (words->count < WORDS_MAX && *text)
        words->item[words->count++] = xstrdup(text);
}

static void free_words(struct words *words)
{
    while (words->count > 0)
        free(words->item[--words->count]);
}

/* ---- counts ----------------------------------------------------------------------------------------------------- */

static void add_count(struct words *words, double count)
{
    char text[40];
    if (!(count >= 1) || count != floor(count))
        return;
    number_print(count, text, sizeof text);
    add_word(words, text);
}

/*
 * What is counted otherwise: tokens as iterations or samples, chunks as the layers of one, GPUs of all nodes, batches
 * as passes.
 */
static void add_counts(struct words *words, enum param key, const struct plan *resolved)
{
    const double *value = resolved->value;
    double samples = value[PARAM_train_total_tokens] / value[PARAM_train_seq_length];
    if (key == PARAM_train_total_tokens) {
        add_count(words, samples / value[PARAM_train_global_batch_size]);
        add_count(words, samples);
    }
    if (key == PARAM_hardware_nodes || key == PARAM_hardware_gpus_per_node)
        add_count(words, value[PARAM_hardware_nodes] * value[PARAM_hardware_gpus_per_node]);
    if (key == PARAM_train_micro_batch_size || key == PARAM_train_global_batch_size)
        add_count(words, value[PARAM_train_gradient_accumulation_steps]);
    if (key == PARAM_parallel_vpp)
        add_count(words, value[PARAM_model_num_layers] / value[PARAM_parallel_pp] / value[PARAM_parallel_vpp]);
}

/* ---- words where they stand -------------------------------------------------------------------------------------- */

static const char *const marks[] = {"_.", "_.-/:+@"}; /* beside letters and digits: parts of a word, narrow and wide */

/* True for a part of the name of a flag or a variable. */
static bool is_flag_part(const char *text, struct range at)
{
    char before = at.from > 0 ? text[at.from - 1] : '\n', earlier = at.from > 1 ? text[at.from - 2] : '\n';
    bool is_variable = before == '$' || (before == '{' && earlier == '$') || text[at.to] == '=';
    bool is_minus = strchr(":=\"' \t", earlier) && !isalpha((unsigned char)text[at.from]);
    return is_variable || text[at.from] == '-' || (before == '-' && !is_minus);
}

/* True for a part of a key. */
static bool is_key_part(const char *text, struct range at)
{
    const char *behind = text + at.to;
    while (isalnum((unsigned char)*behind) || (*behind && strchr("_.-", *behind)))
        behind++;
    behind += strspn(behind, "\"' \t");
    return (*behind == ':' && behind[1] != '/') || *behind == '=' || text[at.to - 1] == ':';
}

/* Flags are on a command line; elsewhere keys stand in a tree. */
static bool is_script(const struct job *job)
{
    return job->kind == KIND_MEGATRON || job->kind == KIND_SCRIPT;
}

static bool is_name(const struct job *job, struct range at)
{
    const char *text = job->now.text.text;
    return is_script(job) ? is_flag_part(text, at) : is_key_part(text, at);
}

/* True for a name in a module, as in `torch.optim.AdamW`. */
static bool is_component(const char *text, size_t size)
{
    const char *dot = memchr(text, '.', size);
    return dot && isalpha((unsigned char)dot[1]);
}

static bool is_switch(const char *text, size_t size)
{
    static const char *const words[] = {"true", "false"};
    for (size_t i = 0; i < LENGTH(words); i++)
        if (strlen(words[i]) == size && strncasecmp(text, words[i], size) == 0)
            return true;
    return false;
}

/* A spelling in the manner of the word that stood there; NULL where they are of different kinds. */
static const char *like_old(const char *word, const char *old, size_t size)
{
    bool is_true = strcmp(word, "true") == 0, is_other = is_switch(old, size) && !is_switch(word, strlen(word));
    if (is_other || is_component(word, strlen(word)) != is_component(old, size))
        return NULL;
    return is_switch(word, strlen(word)) && isupper((unsigned char)*old) ? (is_true ? "True" : "False") : word;
}

/* The text as it is now, to be freed. */
static struct buffer copy_of(const struct job *job)
{
    struct buffer copy = {0};
    buffer_add(&copy, job->now.text.text, job->now.text.size);
    return copy;
}

/* Puts each spelling of the value in the place of a word. */
static bool try_words(struct job *job, struct range at)
{
    for (int i = 0; i < job->words.count && !is_name(job, at); i++) {
        const char *word = like_old(job->words.item[i], job->now.text.text + at.from, at.to - at.from);
        if (!word)
            continue;
        struct buffer text = copy_of(job);
        splice_text(&text, at.from, at.to, word);
        if (patch_try(job, &text))
            return true;
    }
    return false;
}

struct range patch_line(const struct buffer *text, int line)
{
    size_t from = 0;
    for (int i = 1; i < line && from < text->size; i++)
        from += strcspn(text->text + from, "\n") + 1;
    from = from < text->size ? from : text->size;
    return (struct range){from, line > 0 ? from + strcspn(text->text + from, "\n") : from};
}

/* Words in the lines that the reader took the key from. */
static bool try_lines(struct job *job)
{
    for (size_t i = 0; i < job->import.settings.count && job->at == 0; i++) {
        if (!patch_is_source(&job->import.settings.item[i], job->key))
            continue;
        struct range line = patch_line(&job->now.text, job->import.settings.item[i].line), word;
        for (size_t m = 0; m < LENGTH(marks); m++)
            for (size_t at = line.from; script_word(&job->now.text, at, marks[m], &word) && word.from < line.to;
                 at = word.to)
                if (try_words(job, word))
                    return true;
    }
    return false;
}

/* Words that read like `old`. */
static bool try_like(struct job *job, const char *old)
{
    struct range word;
    for (size_t at = 0; *old && script_word(&job->now.text, at, marks[0], &word); at = word.to)
        if (strlen(old) == word.to - word.from && strncmp(old, job->now.text.text + word.from, strlen(old)) == 0 &&
            try_words(job, word))
            return true;
    return false;
}

/* Words that read like the value that the key has, or like what is counted in its place. */
static bool try_likes(struct job *job)
{
    char old[PARAM_TEXT_MAX];
    struct words words = {0};
    bool is_set = false;
    param_print(&job->now.plan, job->key, old, sizeof old);
    add_word(&words, old);
    add_counts(&words, job->key, &job->now.resolved);
    for (int i = 0; i < words.count && !is_set; i++)
        is_set = try_like(job, words.item[i]);
    free_words(&words);
    return is_set;
}

/* ---- paths of configurations ------------------------------------------------------------------------------------- */

static bool is_toml(const struct job *job)
{
    return job->kind == KIND_TORCHTITAN && tree_format(job->now.text.text, job->now.text.size) == TREE_TOML;
}

/* How a path of a table is given in a command: `--path value`, or `path=value`. */
enum option { OPTION_FLAG, OPTION_OVERRIDE, OPTION_COUNT };

/* A path as it stands in the script. */
static bool find_option(const struct buffer *text, enum option how, const char *path, struct range *out)
{
    char *flag = xasprintf("--%s", path);
    bool is_there = how == OPTION_FLAG ? script_flag(text, 0, flag, out) : script_override(text, path, out);
    free(flag);
    return is_there;
}

/* The first path of a table that stands in the script, for another to stand beside. */
static bool find_other_option(const struct job *job, const struct buffer *text, enum option how, struct range *out)
{
    bool is_found = false;
    for (size_t i = 0; i < job->import.tables; i++)
        for (size_t k = 0; k < job->import.table[i].rows && !is_found; k++) {
            const char *path = job->import.table[i].row[k].path;
            char *whole = xasprintf("%s%.*s", job->import.table[i].prefix, (int)strcspn(path, "|"), path);
            is_found = find_option(text, how, whole, out);
            free(whole);
        }
    return is_found;
}

static void add_option(struct buffer *text, enum option how, const struct range *before, const char *path,
                       const char *value)
{
    char *what = how == OPTION_FLAG ? xasprintf("--%s", path) : xasprintf("%s=%s", path, value);
    script_add(text, before, what, how == OPTION_FLAG ? value : "");
    free(what);
}

/* An option of a trainer's command line. */
static bool set_option(const struct job *job, struct buffer *text, const char *path, const char *value)
{
    struct range at;
    for (enum option how = OPTION_FLAG; how < OPTION_COUNT; how++)
        if (find_option(text, how, path, &at)) {
            script_set(text, &at, value);
            return true;
        }
    for (enum option how = OPTION_FLAG; how < OPTION_COUNT && job->adds; how++)
        if (find_other_option(job, text, how, &at)) {
            add_option(text, how, &at, path, value);
            return true;
        }
    return false;
}

static bool set_path(const struct job *job, struct buffer *text, const char *path, const char *value)
{
    if (is_script(job))
        return set_option(job, text, path, value);
    bool is_json = text->text[strspn(text->text, " \t\r\n")] == '{';
    if (!job->adds && (is_toml(job) || !splice_has(text, path)))
        return false;
    return is_toml(job) ? splice_table(text, path, value) : splice_path(text, path, value, is_json);
}

static bool try_path(struct job *job, const char *path, const char *value)
{
    struct buffer text = copy_of(job);
    if (set_path(job, &text, path, value))
        return patch_try(job, &text);
    buffer_free(&text);
    return false;
}

/* What the dialect of a row calls a value. */
static void add_spellings(struct words *words, const struct tree_row *row, const char *value)
{
    enum param key = (enum param)param_find(row->key);
    const char *const *choice = param_rows[key].choices;
    while (*choice && strcmp(*choice, value) != 0)
        choice++;
    const char *at = *choice ? spelling_words(key, (int)(choice - param_rows[key].choices),
                                              (enum dialect)(row->kind - TREE_WORD)) : NULL;
    for (; at && *at; at += strcspn(at, " "), at += *at == ' ') {
        char *word = xstrndup(at, strcspn(at, " "));
        add_word(words, word);
        free(word);
    }
}

/* The words of a table's row for a value, or the value where the row has no words. */
static void add_row_words(struct words *words, const struct tree_row *row, const char *value)
{
    for (const struct tree_choice *c = row->choices; c && c->from; c++)
        if (strcmp(c->to, value) == 0)
            add_word(words, c->from);
    if (row->kind >= TREE_WORD)
        add_spellings(words, row, value);
    else if (!row->choices)
        add_word(words, value);
}

/* One row of a table: each of its paths with each of its words. */
static bool try_row(struct job *job, const char *prefix, const struct tree_row *row)
{
    bool is_set = false;
    char value[PARAM_TEXT_MAX];
    struct words words = {0};
    param_print(job->ask->wanted, job->key, value, sizeof value);
    add_row_words(&words, row, value);
    for (const char *path = row->path; *path && !is_set; path += strcspn(path, "|"), path += *path == '|') {
        char *whole = xasprintf("%s%.*s", prefix, (int)strcspn(path, "|"), path);
        for (int i = 0; i < words.count && !is_set; i++)
            is_set = try_path(job, whole, words.item[i]);
        free(whole);
    }
    free_words(&words);
    return is_set;
}

static bool try_rows(struct job *job)
{
    for (size_t i = 0; i < job->import.tables; i++) {
        const struct import_table *table = &job->import.table[i];
        for (size_t k = 0; k < table->rows; k++)
            if (strcmp(table->row[k].key, param_rows[job->key].dotted) == 0 &&
                try_row(job, table->prefix, &table->row[k]))
                return true;
    }
    return false;
}

/* ---- what the exporter would write ------------------------------------------------------------------------------- */

/* The exporter of a kind of file; NULL where there is none. */
static const char *exporter_of(enum plan_kind kind)
{
    static const struct {
        enum plan_kind kind;
        const char *name;
    } rows[] = {{KIND_MEGATRON, "megatron"}, {KIND_ARGUMENTS, "megatron"}, {KIND_NANOTRON, "nanotron"},
                {KIND_DEEPSPEED, "deepspeed"}, {KIND_HF, "hf"}};
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (rows[i].kind == kind)
            return rows[i].name;
    return NULL;
}

static enum engine engine_of(const struct job *job)
{
    return (enum engine)KEY_OF(&job->now.resolved, serve, engine);
}

/* The exporter of the server that a script starts. */
static const char *server_of(const struct job *job)
{
    static const char *const names[ENGINE_COUNT] = {
        [ENGINE_VLLM] = "vllm", [ENGINE_SGLANG] = "sglang", [ENGINE_TRTLLM] = "trtllm"};
    return names[engine_of(job)];
}

static bool is_server(const struct job *job)
{
    return is_script(job) && KEY_OF(&job->now.resolved, plan, workload) == WORKLOAD_INFERENCE && server_of(job);
}

/* What is written otherwise, and no more, once the key is as wanted. */
static void list_wishes(const struct job *job, struct keyvals *wishes, struct keyvals *gone)
{
    struct plan now = job->now.plan, with, before, after;
    const char *name = is_server(job) ? server_of(job) : exporter_of(job->kind);
    if (!name)
        return;
    param_clear(&now, PARAM_train_total_tokens); /* written as samples, which change with the sequence */
    with = now;
    param_copy(&with, job->ask->wanted, job->key, FROM_SET);
    plan_resolve(&now, &before);
    plan_resolve(&with, &after);
    wishes_of(name, &before, &after, wishes, gone);
}

/* The path of a flag in a file of arguments: below the same mapping and with the same dashes as the flag at `like`. */
static char *flag_path(const char *like, const char *flag)
{
    const char *dot = strrchr(like, '.'), *last = dot ? dot + 1 : like;
    bool has_dashes = strncmp(last, "--", 2) == 0;
    char *path = xasprintf("%.*s%s", (int)(last - like), like, has_dashes ? flag : flag + 2);
    for (char *p = path + (last - like) + (has_dashes ? 2 : 0); *p && !strchr(last + (has_dashes ? 2 : 0), '-'); p++)
        *p = *p == '-' ? '_' : *p;
    return path;
}

/* The flag that a path of a file of arguments ends in, with its dashes; fresh memory. */
static char *flag_at(const char *path)
{
    const char *dot = strrchr(path, '.'), *last = dot ? dot + 1 : path;
    return xasprintf("%s%s", strncmp(last, "--", 2) == 0 ? "" : "--", last);
}

/* The path of a flag in a file of arguments; where it is not there, of one that is spelled like it; NULL for none. */
static char *argument_path(const struct job *job, const char *flag)
{
    struct errors errors = {0};
    struct tree tree = {0};
    char *found = NULL, *beside = NULL;
    tree_read(job->now.text.text, job->now.text.size, "", TREE_YAML, TREE_LENIENT, &tree, &errors);
    for (size_t i = 0; i < tree.count && !found; i++) {
        char *it = flag_at(tree.item[i].path);
        bool is_like = !beside && strpbrk(it + 2, "-_") && megatron_flag_known(it, NULL);
        beside = is_like ? flag_path(tree.item[i].path, flag) : beside;
        found = flag_is(it, flag) ? xstrdup(tree.item[i].path) : NULL;
        free(it);
    }
    tree_free(&tree);
    errors_free(&errors);
    if (found)
        free(beside);
    return found ? found : beside;
}

static bool set_argument(const struct job *job, struct buffer *text, const char *flag, const char *value)
{
    char *path = argument_path(job, flag);
    bool is_set = path && set_path(job, text, path, *value ? value : "true");
    free(path);
    return is_set;
}

/* How well a new flag stands beside one: of the same group of keys, in a line of its own; 0: it is not known. */
static int rate_place(const struct job *job, const struct buffer *text, const struct range *flag)
{
    char *name = xstrndup(text->text + flag->from, flag->to - flag->from);
    const struct flag_row *row = flag_find(name);
    int key = row && row->key && !row->is_launcher ? param_find(row->key) : -1;
    free(name);
    bool is_same = key >= 0 && param_rows[key].group_id == param_rows[job->key].group_id;
    return key < 0 ? 0 : 1 + 2 * is_same + splice_begins_line(text, flag->from);
}

/* The flag before which a new one is put; false when none is known. */
static bool find_beside(const struct job *job, const struct buffer *text, struct range *out)
{
    struct range flag;
    int best = 0;
    for (size_t at = 0; script_flag(text, at, NULL, &flag); at = flag.to) {
        int rate = is_server(job) ? 1 : rate_place(job, text, &flag);
        if (rate > 0 && rate >= best) {
            *out = flag;
            best = rate;
        }
    }
    return best > 0;
}

/* The flag that Megatron does not take beside this one, which says the same; NULL for none. */
static const char *twin_of(const char *flag)
{
    static const char *const pairs[][2] = {
        {"--train-samples", "--train-iters"},
        {"--num-virtual-stages-per-pipeline-rank", "--num-layers-per-virtual-pipeline-stage"}};
    for (size_t i = 0; i < LENGTH(pairs); i++)
        if (strcmp(flag, pairs[i][0]) == 0)
            return pairs[i][1];
    return NULL;
}

/* A flag where it stands, that of a server by any of its names: `-tp`, `--tensor-parallel-size`. */
static bool find_flag(const struct job *job, const struct buffer *text, const char *flag, struct range *out)
{
    char bare[64], name[64];
    bool is_found = script_flag(text, 0, flag, out);
    snprintf(bare, sizeof bare, "%.60s", flag + strspn(flag, "-"));
    for (char *p = bare; *p; p++)
        *p = *p == '_' ? '-' : *p;
    const char *names = is_server(job) ? server_flag_names((int)engine_of(job), bare) : NULL;
    for (size_t n; names && *names && !is_found; names += n + strspn(names + n, " ")) {
        n = strcspn(names, " ");
        for (int dashes = 2; dashes > 0 && !is_found; dashes--) {
            snprintf(name, sizeof name, "%.*s%.*s", dashes, "--", (int)n, names);
            is_found = script_flag(text, 0, name, out);
        }
    }
    return is_found;
}

/* Puts a flag at the end of a server's command, which has no other. */
static bool append_flag(const struct job *job, struct buffer *text, const char *flag, const char *value)
{
    static const char *const programs[] = {"serve", "sglang.launch_server", "trtllm-serve",
                                           "vllm.entrypoints.openai.api_server"};
    struct range word;
    for (size_t at = 0; is_server(job) && script_word(text, at, "_.-", &word); at = word.to)
        for (size_t i = 0; i < LENGTH(programs); i++)
            if (strlen(programs[i]) == word.to - word.from &&
                strncmp(text->text + word.from, programs[i], word.to - word.from) == 0) {
                char *with = xasprintf(" %s%s%s", flag, *value ? " " : "", value);
                size_t end = script_end(text, word.to);
                splice_text(text, end, end, with);
                free(with);
                return true;
            }
    return false;
}

/* Gives a flag a value where it stands; where it has that already, or does not stand, it is added. */
static bool set_flag(const struct job *job, struct buffer *text, const char *flag, const char *value)
{
    struct range at;
    size_t size = strlen(value);
    const char *twin = twin_of(flag);
    if (twin && script_flag(text, 0, twin, &at))
        return false;
    bool is_set = find_flag(job, text, flag, &at);
    if (is_set) {
        struct range old = script_value(text, &at);
        is_set = size != old.to - old.from || strncmp(text->text + old.from, value, size) != 0;
    }
    if (is_set)
        script_set(text, &at, value);
    else if (job->adds && find_beside(job, text, &at))
        script_add(text, &at, flag, value);
    else
        return job->adds && append_flag(job, text, flag, value);
    return true;
}

/* Puts one wish into a text; false where it has no place. The launcher's flags change with the hardware alone. */
static bool grant(const struct job *job, struct buffer *text, const struct keyval *wish)
{
    if (is_server(job))
        return set_flag(job, text, wish->key, wish->value);
    const struct flag_row *row = *wish->key == '-' ? flag_find(wish->key) : NULL;
    int key = row && row->key ? param_find(row->key) : -1;
    bool is_launcher = key >= 0 && param_rows[key].group_id == GROUP_hardware;
    if (is_launcher && (job->kind != KIND_MEGATRON || param_rows[job->key].group_id != GROUP_hardware))
        return false;
    if (job->kind == KIND_MEGATRON)
        return set_flag(job, text, wish->key, wish->value);
    if (job->kind == KIND_ARGUMENTS)
        return set_argument(job, text, wish->key, wish->value);
    return set_path(job, text, wish->key, wish->value);
}

/* Takes what is to go out of a text. */
static void take_back(const struct job *job, struct buffer *text, const struct keyvals *gone)
{
    struct range at;
    for (size_t i = 0; i < gone->count; i++) {
        const char *flag = gone->item[i].key, *twin = twin_of(flag);
        bool has_flags = job->kind == KIND_MEGATRON || is_server(job);
        if (has_flags && (find_flag(job, text, flag, &at) || (twin && script_flag(text, 0, twin, &at))))
            script_remove(text, &at);
        else if (job->kind == KIND_ARGUMENTS && !*gone->item[i].value)
            set_argument(job, text, flag, "false");
    }
}

/* Each wish alone, so that nothing changes that nobody asked for; then all at once. */
static bool try_wishes(struct job *job, const struct keyvals *wishes, const struct keyvals *gone)
{
    bool is_set = false;
    for (size_t i = 0; i < wishes->count && !is_set; i++) {
        struct buffer one = copy_of(job);
        if (grant(job, &one, &wishes->item[i]))
            is_set = patch_try(job, &one);
        buffer_free(&one);
    }
    if (is_set)
        return true;
    struct buffer all = copy_of(job);
    for (size_t i = 0; i < wishes->count; i++)
        grant(job, &all, &wishes->item[i]);
    take_back(job, &all, gone);
    return patch_try(job, &all);
}

/* ---- all ways ---------------------------------------------------------------------------------------------------- */

/* The last or first layers that are trained or frozen, as LLaMA-Factory counts them. */
static void add_layers(struct words *words, const struct plan *plan)
{
    static const char word[] = "layers:";
    char text[PARAM_TEXT_MAX], count[PARAM_TEXT_MAX];
    param_print(plan, PARAM_train_frozen, text, sizeof text);
    const char *at = strstr(text, word), *sign = at ? at + strlen(word) : "";
    snprintf(count, sizeof count, "%s%s", *sign == '+' ? "-" : "", sign + (*sign == '+' || *sign == '-'));
    if (*sign == '+' || *sign == '-')
        add_word(words, count);
}

/*
 * How the wanted value may be written: as the tables have it, else as in a plan; as the exporter does; by a common
 * word.
 */
static void list_words(struct job *job, const struct keyvals *wishes)
{
    static const char *const common[] = {"true", "false", "1", "0", "none", "full"};
    char value[PARAM_TEXT_MAX];
    bool has_row = false;
    param_print(job->ask->wanted, job->key, value, sizeof value);
    for (size_t i = 0; i < job->import.tables; i++)
        for (size_t k = 0; k < job->import.table[i].rows; k++)
            if (strcmp(job->import.table[i].row[k].key, param_rows[job->key].dotted) == 0) {
                add_row_words(&job->words, &job->import.table[i].row[k], value);
                has_row = true;
            }
    if (!has_row)
        add_word(&job->words, value);
    add_counts(&job->words, job->key, &job->resolved);
    if (job->key == PARAM_train_frozen)
        add_layers(&job->words, job->ask->wanted);
    for (size_t i = 0; i < wishes->count; i++)
        add_word(&job->words, wishes->item[i].value);
    for (size_t i = 0; i < LENGTH(common) && !has_row && !is_script(job); i++)
        add_word(&job->words, common[i]);
}

/* How far a patch goes with one file: words where they stand, other settings that stand there, new ones. */
enum reach { REACH_WORDS, REACH_SETTINGS, REACH_NEW, REACH_COUNT };

/* All ways for one file. */
static bool change_here(struct job *job, enum reach reach)
{
    struct keyvals wishes = {0}, gone = {0};
    list_wishes(job, &wishes, &gone);
    list_words(job, &wishes);
    bool has_flags = is_script(job), only_goes = gone.count > 0 && wishes.count == 0, is_changed;
    job->adds = reach == REACH_NEW;
    if (reach == REACH_WORDS)
        is_changed = (only_goes && try_wishes(job, &wishes, &gone)) || try_lines(job) || (has_flags && try_likes(job));
    else
        is_changed = try_rows(job) || try_wishes(job, &wishes, &gone) || (job->adds && !has_flags && try_likes(job));
    free_words(&job->words);
    keyvals_free(&wishes);
    keyvals_free(&gone);
    return is_changed;
}

bool patch_change(struct job *job, enum param key)
{
    size_t files = job->text.count; /* more may be read meanwhile */
    bool is_changed = false;
    job->key = key;
    for (size_t i = 0; i < REACH_COUNT * files && !is_changed; i++) {
        patch_turn(job, i % files);
        is_changed = change_here(job, (enum reach)(i / files));
    }
    return is_changed;
}
