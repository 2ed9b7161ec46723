#include "src/import/args.h"

#include "core/base.h"
#include "src/import/foreign.h"
#include "src/import/import.h"
#include "src/import/megatron.h"
#include "src/import/rollout.h"
#include "src/import/sibling_files.h"
#include "src/import/table.h"
#include "src/import/unknown.h"
#include "src/shell/shell.h"
#include "src/import/words.h"
#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WORDS_MAX = 4096, NAME_MAX_BYTES = 96, DUMP_MIN = 8, DOTS_MIN = 3 };

/* Arguments on their way to Megatron's flag table, as a command line would have them. */
struct arguments {
    struct shell_word word[WORDS_MAX];
    size_t count;
    int line;    /* of what comes next */
    char *open;  /* the variable of what comes next that the file does not set, else NULL */
    const char *file;
    struct errors *errors;
    struct import *out;
    bool has_groups, asks_groups, denies_groups; /* key/value heads given; grouped attention on; off */
    /* every argument of a run is there, not only those that somebody set */
    bool is_whole;
    bool names_model; /* of a hub's checkpoint, as the setting `model` */
    int foreign;      /* arguments that Megatron does not have */
    int files;        /* read so far for the run, at most FILES_MAX */
    const char *parsers; /* those of src/import/parsers.def that take the arguments; NULL for none */
};

/* Arguments whose flag is named otherwise, or says the opposite; a flag given for the value true or false. */
static const struct {
    const char *name, *if_true, *if_false;
} switch_rows[] = {
    {"add-bias-linear", NULL, "--disable-bias-linear"},
    {"bias-gelu-fusion", NULL, "--no-bias-gelu-fusion"},
    {"bias-swiglu-fusion", NULL, "--no-bias-swiglu-fusion"},
    {"bias-activation-fusion", NULL, "--no-bias-swiglu-fusion"},
    {"masked-softmax-fusion", NULL, "--no-masked-softmax-fusion"},
    {"gradient-accumulation-fusion", NULL, "--no-gradient-accumulation-fusion"},
    {"add-position-embedding", NULL, "--no-position-embedding"},
    {"create-attention-mask-in-dataloader", NULL, "--no-create-attention-mask-in-dataloader"},
    {"scatter-gather-tensors-in-pipeline", NULL, "--no-scatter-gather-tensors-in-pipeline"},
    {"overlap-p2p-comm", NULL, NULL},
    {"gated-linear-unit", "--swiglu", NULL},
    {"layernorm-zero-centered-gamma", "--apply-layernorm-1p", NULL},
};

/* Arguments whose value goes to a flag of another name. */
static const struct {
    const char *name, *flag;
} value_rows[] = {
    {"fp8", "--fp8-format"},
    {"fp4", "--fp4-format"},
    {"num-moe-experts", "--num-experts"},
    {"virtual-pipeline-model-parallel-size", "--num-virtual-stages-per-pipeline-rank"},
};

static void push(struct arguments *a, const char *text)
{
    if (a->count < WORDS_MAX)
        a->word[a->count++] = (struct shell_word){.text = xstrdup(text), .line = a->line};
}

static bool is_none(const char *value)
{
    return !*value || strcasecmp(value, "none") == 0 || strcasecmp(value, "null") == 0 || strcmp(value, "[]") == 0;
}

static bool is_true(const char *value)
{
    return strcasecmp(value, "true") == 0 || strcasecmp(value, "yes") == 0 || strcmp(value, "1") == 0;
}

/* A list such as ['core_attn', 'mlp'] as words, anything else as one word. */
static void push_value(struct arguments *a, const char *value, bool is_several)
{
    if (!is_several || value[0] != '[') {
        push(a, value);
        return;
    }
    for (const char *p = value; *p;) {
        p += strspn(p, "[]', \"");
        size_t n = strcspn(p, "[]', \"");
        char *word = xstrndup(p, n);
        if (n)
            push(a, word);
        free(word);
        p += n;
    }
}

/* Takes an argument under one of its other names; false when it has none. */
static bool take_renamed(struct arguments *a, const char *name, const char *value)
{
    for (size_t i = 0; i < LENGTH(switch_rows); i++) {
        if (strcmp(switch_rows[i].name, name) != 0)
            continue;
        const char *flag = is_true(value) ? switch_rows[i].if_true : is_none(value) ? NULL : switch_rows[i].if_false;
        if (flag)
            push(a, flag);
        return true;
    }
    for (size_t i = 0; i < LENGTH(value_rows); i++) {
        if (strcmp(value_rows[i].name, name) != 0)
            continue;
        push(a, value_rows[i].flag);
        push(a, value);
        return true;
    }
    return false;
}

/* What is neither a flag nor a flag under another name. */
static bool take_special(struct arguments *a, const char *name, const char *value, int line)
{
    a->has_groups |= strcmp(name, "num-query-groups") == 0;
    a->asks_groups |= strcmp(name, "group-query-attention") == 0 && is_true(value);
    a->denies_groups |= strcmp(name, "group-query-attention") == 0 && !is_true(value);
    if (strcmp(name, "data-parallel-size") == 0) {
        keyvals_add(&a->out->settings, "parallel.dp", value, line);
        return true;
    }
    if (strcmp(name, "multi-latent-attention") == 0 && line > 0 && !is_true(value)) /* which a preset may have */
        keyvals_add(&a->out->settings, "model.multi_latent_attention", "false", line);
    if (strcmp(name, "activation-func") == 0) {
        bool is_glu = strstr(value, "swiglu") || strstr(value, "geglu");
        if (is_glu)
            push(a, "--swiglu");
        return true;
    }
    return false;
}

/* Takes one argument by the name that it has in Megatron, dashes for underscores. */
static void take(struct arguments *a, const char *name, const char *value, int line)
{
    char flag[NAME_MAX_BYTES + 4];
    int arity = 1;
    snprintf(flag, sizeof flag, "--%s", name);
    if (is_none(value) || take_special(a, name, value, line) || take_renamed(a, name, value))
        return;
    if (!megatron_flag_known(flag, &arity)) {
        a->foreign++;
        if (a->is_whole || line == IMPORT_LINE_DEFAULT)
            return;
        if (line > 0)
            keyvals_add(&a->out->unused, flag, IMPORT_NOT_KNOWN, line);
        if (!unknown_keep(a->out, flag, value, line) && !tree_is_harmless(name) && a->parsers)
            unknown_refuse(a->out, a->parsers, NULL, &(struct keyval){flag, (char *)value, line});
    } else if (arity != 0) {
        push(a, flag);
        push_value(a, value, arity == MEGATRON_SEVERAL);
    } else if (is_true(value)) {
        push(a, flag);
    }
}

/* The name without leading dashes and with dashes inside. */
static void clean_name(const char *from, size_t size, char *out)
{
    size_t n = 0;
    while (size > 0 && *from == '-') {
        from++;
        size--;
    }
    for (; n < size && n < NAME_MAX_BYTES; n++)
        out[n] = from[n] == '_' ? '-' : from[n];
    out[n] = '\0';
}

static void drop_words(struct arguments *a)
{
    for (size_t i = 0; i < a->count; i++) {
        free(a->word[i].text);
        shell_reason_free(a->word[i].why);
    }
    a->count = 0;
}

/* Passes what was collected to the flag table. */
static int finish(struct arguments *a)
{
    int rest[WORDS_MAX];
    size_t faults = a->errors->faults;
    if (a->has_groups && !a->asks_groups && !a->denies_groups)
        push(a, "--group-query-attention");
    for (size_t i = 0; a->denies_groups && i + 1 < a->count; i++)
        if (strcmp(a->word[i].text, "--num-query-groups") == 0)
            memcpy(a->word[i].text, "--num-workers",
                   sizeof "--num-workers"); /* without grouped attention it says nothing */
    if (a->count == 0)
        errors_add(a->errors, a->file, 0, NULL,
                   "has none of Megatron's arguments; give a configuration of a training run");
    else
        megatron_words(a->word, a->count, a->file, a->out, rest, a->errors);
    for (size_t i = 0; a->names_model && i + 1 < a->count; i++)
        if (strcmp(a->word[i].text, "--hf-checkpoint") == 0)
            keyvals_add(&a->out->settings, "model", a->word[i + 1].text, a->word[i + 1].line);
    drop_words(a);
    if (a->is_whole)
        keyvals_free(&a->out->unused); /* hundreds that nobody set */
    return a->errors->faults > faults ? -1 : 0;
}

/* ---- YAML ------------------------------------------------------------------------------------------------------- */

/* The text without quotes of a second kind around it, which a shell would have taken off. */
static char *without_quotes(const char *text)
{
    size_t n = strlen(text);
    bool is_quoted = n >= 2 && strchr("'\"", text[0]) && text[n - 1] == text[0];
    return is_quoted ? xstrndup(text + 1, n - 2) : xstrdup(text);
}

/* The value of a variable: what the caller gave, else what the file sets; NULL when neither does. */
static const char *value_of(const struct arguments *a, struct tree *tree, const char *name, size_t size)
{
    char path[NAME_MAX_BYTES + 16];
    snprintf(path, sizeof path, "ENV_VARS.%.*s", (int)(size < NAME_MAX_BYTES ? size : NAME_MAX_BYTES), name);
    const struct tree_value *known = tree_find(tree, path);
    const char *given = import_variable(a->out, path + strlen("ENV_VARS."));
    return given ? given : known ? known->text : NULL;
}

/* Appends what `${NAME}`, `${NAME:-default}` or `$NAME` at `p` stands for; returns where it ends. */
static const char *put_variable(struct arguments *a, struct tree *tree, const char *p, struct buffer *out)
{
    bool is_braced = p[1] == '{';
    const char *name = p + 1 + is_braced, *close = is_braced ? strchr(name, '}') : NULL;
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    const char *known = n ? value_of(a, tree, name, n) : NULL;
    if (known)
        buffer_puts(out, known);
    else if (close && name[n] == ':') /* `:-` as a shell has it, `:` in Primus */
        buffer_add(out, name + n + 1 + (name[n + 1] == '-'), (size_t)(close - name) - n - 1 - (name[n + 1] == '-'));
    else if (!a->open)
        a->open = xstrndup(name, n < NAME_MAX_BYTES ? n : NAME_MAX_BYTES);
    return close ? close + 1 : name + n;
}

/*
 * The value with its variables written out, in fresh memory; those without a value are left out, the first of them is
 * kept in `a->open`.
 */
static char *expand(struct arguments *a, struct tree *tree, const char *value)
{
    struct buffer out = {0};
    buffer_puts(&out, "");
    while (*value) {
        if (*value == '$')
            value = put_variable(a, tree, value, &out);
        else
            buffer_add(&out, value++, 1);
    }
    return out.text;
}

/* A flag whose value is not known, or only in part. */
static void take_unknown(struct arguments *a, const char *name, const char *known)
{
    char flag[NAME_MAX_BYTES + 4];
    int arity = 0;
    snprintf(flag, sizeof flag, "--%s", name);
    if (!megatron_flag_known(flag, &arity) || arity == 0)
        return;
    push(a, flag);
    push(a, known);
    if (a->count > 0 && a->count < WORDS_MAX) {
        a->word[a->count - 1].is_unknown = true;
        a->word[a->count - 1].why =
            shell_reason_copy(&(struct shell_reason){.kind = REASON_FILE_UNSET, .source = a->open});
    }
}

static void take_value(struct arguments *a, struct tree *tree, const struct tree_value *value)
{
    char name[NAME_MAX_BYTES + 1];
    const char *last = strrchr(value->path, '.');
    last = last ? last + 1 : value->path;
    clean_name(last, strlen(last), name);
    if (value->is_null)
        return;
    a->line = value->line > 0 ? value->line : 0;
    char *bare = without_quotes(value->text), *known = expand(a, tree, bare);
    if (a->open)
        take_unknown(a, name, known);
    else
        take(a, name, known, value->line);
    free(a->open);
    a->open = NULL;
    free(known);
    free(bare);
}

static int import_yaml(struct arguments *a, const char *text, size_t size)
{
    struct tree tree = {0};
    size_t words = 0;
    int result = tree_read(text, size, a->file, TREE_YAML, TREE_LENIENT, &tree, a->errors);
    bool has_flags = result == 0 && tree_has(&tree, "MODEL_ARGS");
    for (size_t i = 0; result == 0 && i < tree.count; i++)
        if (!has_flags || strncmp(tree.item[i].path, "MODEL_ARGS.", 11) == 0)
            take_value(a, &tree, &tree.item[i]);
    words = a->count;
    if (result == 0)
        result = finish(a);
    if (!has_flags && a->foreign > (int)words / 4) /* a program of its own, with names as Megatron has them */
        keyvals_add(&a->out->unread, "framework.name", "names that Megatron does not have", 0);
    const struct keyval *layers = keyvals_last(&a->out->settings, "model.num_layers");
    if (layers && words_any(a->file, "rwkv|mamba|retnet")) /* the model's class is not in the file */
        import_ask_words(a->out, "model.num_layers",
                         &(struct asked){"layers of another kind", layers->value, a->file, layers->line,
                                         "--model FILE", false},
                         layers->value);
    tree_free(&tree);
    return result;
}

/* ---- Primus: AMD-AGI/Primus primus/core/config and primus/configs at fd1eeabb ----------------------------------- */

enum { BASES_DEPTH = 8, FILES_MAX = 64, LINE_OWN = 1, LINE_MODEL = 0, LINE_TRAINER = IMPORT_LINE_DEFAULT };
#define BASES "bases|extends"

/*
 * Puts values below `prefix` over those of the same name, as primus/core/config/merge_utils.py does; blanks count.
 * `line` is that of all of them, or LINE_OWN: a value that somebody else's file repeats stays that of the first.
 */
static void merge_values(struct arguments *a, struct tree *tree, const char *prefix, int line, struct keyvals *to)
{
    size_t n = strlen(prefix);
    for (size_t i = 0; i < tree->count; i++) {
        const struct tree_value *value = &tree->item[i];
        if (strncmp(value->path, prefix, n) != 0 || strncmp(value->path, "extends", 7) == 0)
            continue;
        char *bare = without_quotes(value->text), *known = expand(a, tree, bare);
        const char *text = value->is_null ? "null" : a->open ? bare : known;
        const struct keyval *before = keyvals_last(to, value->path + n);
        int at = before && strcmp(before->value, text) == 0 ? before->line : line == LINE_OWN ? value->line : line;
        keyvals_drop(to, value->path + n);
        keyvals_add(to, value->path + n, text, at);
        free(a->open);
        a->open = NULL;
        free(known);
        free(bare);
    }
}

/* The values of a file in a folder of the repository, over those of the files that its `extends` names. */
static bool merge_file(struct arguments *a, const char *folder, const char *name, int line, int depth,
                       struct keyvals *to)
{
    struct tree tree = {0};
    struct errors unheard = {0};
    char *path = xasprintf("%s%s%s", folder, name, text_ends_with(name, ".yaml") ? "" : ".yaml"), *state = NULL;
    size_t size;
    char *text = depth < BASES_DEPTH && a->files++ < FILES_MAX ? beside_read(a->out, path, &size) : NULL;
    bool is_read = text && tree_read(text, size, path, TREE_YAML, TREE_LENIENT, &tree, &unheard) == 0;
    const struct tree_value *bases = is_read ? tree_first(&tree, "", BASES) : NULL;
    char *list = xstrdup(bases ? bases->text : "");
    for (char *base = strtok_r(list, "[], ", &state); base; base = strtok_r(NULL, "[], ", &state))
        merge_file(a, folder, base, line, depth + 1, to);
    if (is_read)
        merge_values(a, &tree, "", line, to);
    tree_free(&tree);
    errors_free(&unheard);
    free(list);
    free(text);
    free(path);
    return is_read;
}

/* The value at `modules.NAME.KEY`, its variables expanded, allocated; "" when unset. */
static char *of_module(struct arguments *a, struct tree *tree, const char *key)
{
    char *found = NULL;
    for (size_t i = 0; i < tree->count && !found; i++) {
        const char *name = strncmp(tree->item[i].path, "modules.", 8) == 0 ? strchr(tree->item[i].path + 8, '.') : NULL;
        if (name && strcmp(name + 1, key) == 0)
            found = expand(a, tree, tree->item[i].text);
    }
    free(a->open);
    a->open = NULL;
    return found ? found : xstrdup("");
}

/* What the files of Primus say of a run, where they are not in reach: primus/configs/modules and models/megatron. */
static const struct {
    const char *name, *pretrain, *tune;
} primus_silent[] = {{"bf16", "true", "true"}, {"use_distributed_optimizer", "true", "true"},
                     {"micro_batch_size", "2", "1"}, {"global_batch_size", "16", "128"}, {"seq_length", "1024", "2048"},
                     {"lora.dim", "32", "32"}, {"hidden_dropout", "0", "0"}, {"attention_dropout", "0", "0"},
                     {"sequence_parallel", "true", "true"}};

/* All that counts for a run: its trainer's values, its model's, its own, each over those before. */
static void merge_run(struct arguments *a, struct tree *tree, const char *framework, struct keyvals *all)
{
    char *config = of_module(a, tree, "config"), *model = of_module(a, tree, "model");
    char *modules = xasprintf("primus/configs/modules/%s/", framework);
    char *models = xasprintf("primus/configs/models/%s/", framework);
    bool tunes = strncmp(config, "sft", 3) == 0;
    for (size_t i = 0; i < LENGTH(primus_silent) && strcmp(framework, "megatron") == 0; i++)
        keyvals_add(all, primus_silent[i].name, tunes ? primus_silent[i].tune : primus_silent[i].pretrain,
                    LINE_TRAINER);
    merge_file(a, modules, config, LINE_TRAINER, 0, all);
    if (!merge_file(a, models, model, LINE_MODEL, 0, all) && !merge_file(a, "", model, LINE_MODEL, 0, all)) {
        char *preset = xstrndup(model, strlen(model) - (text_ends_with(model, ".yaml") ? strlen(".yaml") : 0));
        for (char *p = preset; *p; p++)
            *p = *p == '_' ? '-' : *p;
        if (*preset)
            keyvals_add(all, strcmp(framework, "maxtext") == 0 ? "model_name" : "model", preset, 0);
        free(preset);
    }
    for (size_t i = 0; i < tree->count; i++) {
        const char *below = strstr(tree->item[i].path, ".overrides.");
        if (!below || strncmp(tree->item[i].path, "modules.", 8) != 0)
            continue;
        char *prefix = xstrndup(tree->item[i].path, (size_t)(below - tree->item[i].path) + strlen(".overrides."));
        merge_values(a, tree, prefix, LINE_OWN, all);
        free(prefix);
        break;
    }
    free(config);
    free(model);
    free(modules);
    free(models);
}

/* The values of a run as Megatron's arguments; groups of settings are left out. */
static int take_run(struct arguments *a, struct tree *tree, bool is_bridge, const struct keyvals *all)
{
    const struct keyval *adapts = keyvals_last(all, "lora.enabled"), *kind = keyvals_last(all, "peft"),
                        *rank = keyvals_last(all, "lora.dim"), *model = keyvals_last(all, "model"),
                        *path = keyvals_last(all, "hf_path"), *layers = keyvals_last(all, "recompute_layer_ids");
    for (size_t i = 0; i < all->count; i++) {
        const struct keyval *it = &all->item[i];
        const struct tree_value value = {.path = it->key, .text = it->value, .line = it->line};
        if (!strchr(it->key, '.') && it != model && strcmp(it->value, "null") != 0)
            take_value(a, tree, &value);
    }
    if (model || (path && is_bridge))
        keyvals_add(&a->out->settings, "model", (path && is_bridge ? path : model)->value, 0);
    if ((adapts && is_true(adapts->value)) || (kind && strcmp(kind->value, "lora") == 0)) {
        push(a, "--lora-r");
        push(a, rank ? rank->value : "32");
    }
    const struct keyval *untied = keyvals_last(all, "untie_embeddings_and_output_weights");
    if (!is_bridge && !untied) /* as Primus's model files set it */
        keyvals_add(&a->out->defaults, "model.tied_embeddings", "false", 0);
    if (!is_bridge) /* which Megatron-Bridge fuses and Megatron does not */
        keyvals_add(&a->out->defaults, "train.cross_entropy", "unfused", 0);
    int result = finish(a);
    const struct keyval *class = keyvals_last(all, "model_type"), *conv = keyvals_last(all, "lfm_layer_types"),
                        *count = keyvals_last(all, "num_layers");
    bool is_other = class && !is_none(class->value) && !words_any(class->value, "gpt|mamba");
    if (count && (is_other || (conv && !is_none(conv->value)))) /* deepseek_v4, kimi_k3; convolutions */
        import_ask_words(a->out, "model.num_layers",
                         &(struct asked){"layers of another kind", count->value, a->file, 0, "--model FILE", false},
                         count->value);
    if (layers && !is_none(layers->value)) /* patches/recompute_layer_patches.py: layers of all stages by number */
        import_ask(a->out, "train.recompute_num_layers",
                   &(struct asked){"layers by number", "1", a->file, layers->line, "--set recompute_num_layers=N",
                                   false});
    return result;
}

/* The card that the file's folder names, as those of Primus's examples do; else one of AMD's is assumed. */
static void take_card(struct arguments *a)
{
    static const char *const cards[] = {"mi300x", "mi325x", "mi355x"};
    for (size_t i = 0; i < LENGTH(cards); i++)
        if (strcasestr(a->file, cards[i])) {
            keyvals_add(&a->out->settings, "hardware.gpu", cards[i], 0);
            return;
        }
    import_ask(a->out, "hardware.gpu", &(struct asked){"GPU", cards[0], a->file, 0, "--gpu NAME", false});
}

int primus_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    struct arguments a = {.file = name, .errors = errors, .out = out};
    struct tree tree = {0};
    struct keyvals all = {0};
    const struct keyvals *outer = out->overrides;
    size_t faults = errors->faults;
    int result = tree_read(text, size, name, TREE_YAML, TREE_LENIENT, &tree, errors);
    char *framework = of_module(&a, &tree, "framework");
    if (result == 0)
        merge_run(&a, &tree, framework, &all);
    out->overrides = &all;
    if (result == 0 && strcmp(framework, "torchtitan") == 0)
        result = titan_import("{}", 2, name, out, errors);
    else if (result == 0 && strcmp(framework, "maxtext") == 0)
        result = maxtext_import("{}", 2, name, out, errors);
    else if (result == 0 && (!*framework || strncmp(framework, "megatron", 8) == 0))
        result = take_run(&a, &tree, strstr(framework, "bridge") != NULL, &all);
    else
        errors_add(errors, name, 0, "modules", "is a run of %s; a language model's is estimated", framework);
    out->overrides = outer;
    if (result == 0)
        take_card(&a);
    keyvals_free(&all);
    drop_words(&a);
    tree_free(&tree);
    free(framework);
    return errors->faults > faults ? -1 : result;
}

/* ---- ms-swift over Megatron: swift/megatron/arguments/megatron_args.py at 2026-11 ------------------------------- */

static void push_words(struct arguments *a, const char *words)
{
    char *copy = xstrdup(words), *state = NULL;
    for (char *word = strtok_r(copy, " ", &state); word; word = strtok_r(NULL, " ", &state))
        push(a, word);
    free(copy);
}

/* Its names of arguments that Megatron has under another, or has not. */
static const struct {
    const char *name, *flag;
} swift_rows[] = {
    {"max-length", "--seq-length"}, {"lora-rank", "--lora-r"},       {"target-modules", "--lora-target-modules"},
    {"lora-alpha", "--lora-alpha"}, {"model", "--hf-checkpoint"},    {"load", NULL},
    {"tuner-type", NULL},           {"train-type", NULL},            {"merge-lora", NULL},
    {"deepspeed", NULL},            {"packing", NULL},               {"program", NULL},
    {"dataset", NULL},              {"target-regex", NULL},          {"lora-dropout", NULL},
};

static void take_swift(struct arguments *a, const struct tree_value *value, bool is_adapted)
{
    char name[NAME_MAX_BYTES + 1];
    clean_name(value->path, strlen(value->path), name);
    a->line = value->line;
    for (size_t i = 0; i < LENGTH(swift_rows); i++) {
        if (strcmp(swift_rows[i].name, name) != 0)
            continue;
        bool is_passed = swift_rows[i].flag && (is_adapted || !strstr(swift_rows[i].flag, "lora"));
        if (is_passed)
            push(a, swift_rows[i].flag);
        if (is_passed)
            push_value(a, value->text, true);
        return;
    }
    take(a, name, value->text, value->line);
}

int swift_megatron_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    struct arguments a = {.file = name, .errors = errors, .out = out, .parsers = "megatron ms-swift"};
    struct tree tree = {0};
    int result = tree_read(text, size, name, tree_format(text, size), TREE_LENIENT, &tree, errors);
    tree_override(&tree, out->overrides);
    const struct tree_value *method = tree_first(&tree, "", "tuner_type|train_type");
    bool is_adapted = method && strstr(method->text, "lora");
    push_words(&a, "--bf16 --use-distributed-optimizer --micro-batch-size 1 --global-batch-size 16 --hidden-dropout 0 "
                   "--attention-dropout 0 --cross-entropy-loss-fusion --expert-tensor-parallel-size 1");
    if (!tree_has(&tree, "recompute_granularity"))
        push_words(&a, "--recompute-granularity selective");
    if (is_adapted && !tree_has(&tree, "lora_rank"))
        push_words(&a, "--lora-r 8");
    const struct tree_value *packs = tree_first(&tree, "", "packing"), *learns = tree_first(&tree, "", "rlhf_type");
    keyvals_add(&out->settings, "train.packing", packs && tree_is_true(packs) ? "packed" : "padded",
                packs ? packs->line : 0);
    if (learns && strcmp(learns->text, "grpo") == 0)
        rollout_read(&tree, out, learns->text);
    else if (learns) /* pairs, or a frozen copy */
        import_ask(out, "train.reference_model",
                   &(struct asked){learns->text, is_adapted ? "none" : "frozen", name, learns->line,
                                   "--set reference_model=VALUE", false});
    for (size_t i = 0; result == 0 && i < tree.count; i++)
        if (!tree.item[i].is_null && !tree.item[i].is_used)
            take_swift(&a, &tree.item[i], is_adapted);
    a.names_model = true;
    if (result == 0)
        result = finish(&a);
    drop_words(&a);
    tree_free(&tree);
    return result;
}

/* ---- arguments as a run prints them ----------------------------------------------------------------------------- */

/* Splits `  num_layers ........ 32` into name and value; false for any other line. */
static bool split_line(const char *line, size_t size, char *name, char *value, size_t room)
{
    const char *end = line + size, *dots = line;
    while (dots + DOTS_MIN < end && !(dots[0] == ' ' && strncmp(dots + 1, "...", DOTS_MIN) == 0))
        dots++;
    if (dots + DOTS_MIN >= end)
        return false;
    const char *start = dots, *after = dots + 1;
    while (start > line && (isalnum((unsigned char)start[-1]) || start[-1] == '_'))
        start--;
    while (after < end && *after == '.')
        after++;
    if (start == dots || after >= end || *after != ' ')
        return false;
    while (end > after && isspace((unsigned char)end[-1]))
        end--;
    after += after < end;
    clean_name(start, (size_t)(dots - start), name);
    snprintf(value, room, "%.*s", (int)(end - after), after);
    return true;
}

/* Calls `take` for every such line; returns how many there are. */
static int each_argument(const char *text, size_t size, struct arguments *a)
{
    char name[NAME_MAX_BYTES + 1], value[512];
    const char *end = text + size;
    int found = 0, number = 1;
    for (const char *line = text; line < end; number++) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        size_t n = (size_t)((next ? next : end) - line);
        if (split_line(line, n, name, value, sizeof value)) {
            found++;
            if (a)
                a->line = number;
            if (a)
                take(a, name, value, number);
        }
        line = next ? next + 1 : end;
    }
    return found;
}

/* ---- all together ----------------------------------------------------------------------------------------------- */

bool args_is_dump(const char *text, size_t size)
{
    bool may_be = memmem(text, size, "num_layers ..", 13) || memmem(text, size, "hidden_size ..", 14);
    return may_be && each_argument(text, size, NULL) >= DUMP_MIN;
}

int args_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    struct arguments a = {.file = name, .errors = errors, .out = out, .parsers = "megatron"};
    if (!args_is_dump(text, size))
        return import_yaml(&a, text, size);
    a.is_whole = true;
    each_argument(text, size, &a);
    return finish(&a);
}
