#include "src/import/command.h"

#include "core/base.h"
#include "src/import/arguments.h"
#include "src/import/branch.h"
#include "src/import/dialect.h"
#include "src/import/entry.h"
#include "src/import/sibling_files.h"
#include "src/import/import.h"
#include "src/import/megatron.h"
#include "src/import/program.h"
#include "src/import/server.h"
#include "src/import/words.h"
#include "src/shell/shell.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "src/text/tree.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One import under way. */
struct command {
    const char *file;
    struct import *out;
    struct errors *errors;
    const struct shell_command *it;
    size_t program; /* index of the word that is the program: behind launchers */
    bool is_launch_known; /* how accelerate shards: from its configuration or its flags */
};

/* ---- words ------------------------------------------------------------------------------------------------------ */

static const char *word_at(const struct command *c, size_t i)
{
    return i < c->it->count ? c->it->word[i].text : "";
}

static bool is_option(const char *word)
{
    return strncmp(word, "--", 2) == 0 && isalpha((unsigned char)word[2]);
}

static bool is_one_of(const char *text, const char *const *list)
{
    while (*list && strcmp(text, *list) != 0)
        list++;
    return *list != NULL;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A module behind `-m`, but for those that start another program. */
static bool is_module(const struct command *c, size_t i)
{
    static const char *const launchers[] = {"torch.distributed.run", "torch.distributed.launch",
                                            "accelerate.commands.launch", NULL};
    const char *before = i > 0 ? word_at(c, i - 1) : "";
    return (strcmp(before, "-m") == 0 || strcmp(before, "--module") == 0) && !is_one_of(word_at(c, i), launchers);
}

const char *const command_own_names[] = {"trl",      "axolotl", "llamafactory-cli", "lmf",    "tune", "composer",
                                         "deepy.py", "swift",   "megatron",         "litgpt", "oumi", NULL};

static bool is_script(const char *word)
{
    return text_ends_with(word, ".sh");
}

/* The word that is started: a Python file, a module, a trainer's own program, or a script that is not here. */
static size_t find_program_from(const struct command *c, size_t from)
{
    for (size_t i = from; i < c->it->count; i++) {
        const char *word = last_part(word_at(c, i));
        const char *next = word_at(c, i + 1);
        bool is_extra = strcmp(next, "-m") == 0 || strncmp(next, "python", 6) == 0 || /* `uv run --extra megatron -m` */
                        strcmp(next, "distributed") == 0; /* `oumi distributed torchrun -m oumi train` */
        bool is_own = is_one_of(word, command_own_names) && !is_extra;
        if (text_ends_with(word, ".py") || is_own || is_module(c, i))
            return i;
    }
    for (size_t i = from; i < from + 2 && i < c->it->count; i++) /* `bash train.sh model.path=x` */
        if (is_script(word_at(c, i)))
            return i;
    return c->it->count;
}

/* The same for `SUBMIT -- COMMAND`: only COMMAND is read. */
static size_t find_program(const struct command *c)
{
    static const char *const asks[] = {"which", "whereis", "type", NULL}; /* where a program is */
    size_t from = 0;
    if (is_one_of(word_at(c, 0), asks))
        return c->it->count;
    for (size_t i = 0; i < c->it->count; i++)
        if (strcmp(word_at(c, i), "--") == 0 && find_program_from(c, i + 1) < c->it->count)
            from = i + 1;
    return find_program_from(c, from);
}

/* The program as its users name it, in fresh memory: "qlora.py", "openrlhf.cli.train_sft", "swift sft". */
static char *program_name(const struct command *c)
{
    const char *word = last_part(word_at(c, c->program));
    bool has_verb = is_one_of(word, command_own_names) && !text_ends_with(word, ".py");
    return has_verb ? xasprintf("%s %s", word, word_at(c, c->program + 1)) : xstrdup(word);
}

/* What it does. */
static enum entry_kind entry_of(const struct command *c)
{
    char *name = program_name(c);
    enum entry_kind kind = entry_kind_of(strchr(name, ' ') ? name : word_at(c, c->program));
    free(name);
    return kind;
}

/* `--a-b` as `a_b`; fresh memory. */
static char *option_key(const char *word, size_t size)
{
    char *key = xstrndup(word + 2, size - 2);
    for (char *p = key; *p; p++)
        *p = *p == '-' ? '_' : *p;
    return key;
}

/* ---- what a command line says ----------------------------------------------------------------------------------- */

/* `key=value`, of which lists have none. */
static bool is_setting(const char *word)
{
    size_t n = strcspn(word, "=");
    return word[n] && n > 0 && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+~") == n;
}

/* The words behind an option that are its value: one, or a list of several. */
static char *option_value(const struct command *c, size_t at, size_t *used)
{
    struct buffer list = {0};
    size_t count = 0;
    buffer_puts(&list, "");
    while (at + 1 + count < c->it->count && !is_option(word_at(c, at + 1 + count)) &&
           !(count > 0 && is_setting(word_at(c, at + 1 + count))))
        count++;
    for (size_t i = 0; i < count; i++)
        buffer_printf(&list, "%s%s", i ? "," : "", word_at(c, at + 1 + i));
    *used = count;
    char *value = count == 0 ? xstrdup("true") : count == 1 ? xstrdup(list.text) : xasprintf("[%s]", list.text);
    buffer_free(&list);
    return value;
}

/* True for what changes neither memory nor time, by the parts of its name. */
static bool is_harmless(const char *key)
{
    static const char *const parts[] = {"output", "dir", "dataset", "data", "run", "name", "seed", "lr", "rate", "log",
                                        "logging", "report",
                                        "save", "eval", "push", "hub", "token", "epochs", "port", "addr", "file", NULL};
    if (strcmp(key, "model_name_or_path") == 0)
        return false;
    for (size_t n; *key; key += n + (key[n] == '_')) {
        n = strcspn(key, "_");
        char *part = xstrndup(key, n);
        bool is = is_one_of(part, parts);
        free(part);
        if (is)
            return true;
    }
    return false;
}

/* The variable, or the number of the script's argument, on which a word depends; NULL for none. */
static const char *variable_of(const struct shell_word *word)
{
    const struct shell_reason *why = word->why;
    bool is_argument = why && why->kind == REASON_ARGUMENT && isdigit((unsigned char)*why->source);
    return is_argument ? why->source : shell_reason_variable(why);
}

/* `${NAME}` of a word that comes from a variable which nothing sets, in fresh memory; NULL for none. */
static char *open_variable(const struct shell_word *word)
{
    const char *name = word->is_unknown ? variable_of(word) : NULL;
    return name ? xasprintf("${%s}", name) : NULL;
}

static void note_open(const struct command *c, const struct shell_word *word, const char *key)
{
    char *why = shell_reason_text(word->why);
    errors_note(c->errors, c->file, word->line, key, "%s; set the keys it decides with --set", why);
    free(why);
}

/* Records that a value depends on a variable or a condition. */
static void add_doubt(const struct command *c, const struct shell_word *word, const char *key)
{
    char *source = variable_of(word) ? xstrdup(variable_of(word)) : shell_reason_source(word->why);
    keyvals_add(&c->out->doubted, key, source, word->line);
    free(source);
}

/* A value that is not known is asked for by its variable, where its key is known. */
static void add_value(const struct command *c, size_t at, const char *key, const char *value, struct keyvals *out)
{
    const struct shell_word *word = &c->it->word[at];
    char *open = open_variable(word);
    size_t size = strlen(value);
    while (size > 1 && value[size - 1] == '/')
        size--;
    char *folder = xstrndup(value, size);
    const char *last = *folder == '/' ? last_part(folder) : "";
    if (word->is_unknown && isalnum((unsigned char)*last) && strstr(key, "model")) /* only where it lies is not known */
        keyvals_add(out, key, last, word->line);
    else if (open && !is_harmless(key))
        keyvals_add(out, key, open, word->line);
    else if (word->is_unknown && !is_harmless(key)) {
        if (c->errors)
            note_open(c, word, key);
        keyvals_add(out, key, "???", word->line);
    } else if (!word->is_unknown)
        keyvals_add(out, key, value, 0);
    if (c->errors && word->is_uncertain && !word->is_unknown && word->why && !is_harmless(key))
        add_doubt(c, word, key);
    free(folder);
    free(open);
}

/* Options and `key=value` from word `at` on. */
static void read_words(const struct command *c, size_t at, struct keyvals *out)
{
    for (size_t used = 0; at < c->it->count; at += 1 + used) {
        const char *word = word_at(c, at), *equals = strchr(word, '=');
        char *key = NULL, *value = NULL;
        used = 0;
        if (is_option(word) && equals) {
            key = option_key(word, (size_t)(equals - word));
            value = xstrdup(equals + 1);
        } else if (is_option(word)) {
            key = option_key(word, strlen(word));
            value = option_value(c, at, &used);
        } else if (equals && equals > word) {
            word += strspn(word, "+");
            key = xstrndup(word, (size_t)(equals - word));
            value = xstrdup(equals + 1);
        }
        if (key)
            add_value(c, at + (used == 1), key, value, out);
        free(key);
        free(value);
    }
}

/* The options behind the program, and which program it is. */
static void read_options(const struct command *c, struct keyvals *out)
{
    char *name = program_name(c);
    read_words(c, c->program + 1, out);
    keyvals_add(out, "program", name, 0);
    free(name);
}

/*
 * True for options that ask for an evaluation or predictions and no training: the Trainer's examples train with
 * do_train alone, other programs by what they are told of a training, without which a judge judges.
 */
static bool is_evaluation(const struct keyvals *options)
{
    static const char *const trains[] = {"learning_rate", "num_train_epochs", "per_device_train_batch_size",
                                         "max_steps"};
    static const char *const off[] = {"false", "False", "0", NULL};
    const struct keyval *only = keyvals_last(options, "trainer.val_only"), *train = keyvals_last(options, "do_train");
    bool may_train = train && !is_one_of(train->value, off), predicts = keyvals_last(options, "do_predict") != NULL;
    for (size_t i = 0; i < LENGTH(trains) && !predicts && !train; i++)
        may_train |= keyvals_last(options, trains[i]) != NULL;
    bool is_only = keyvals_last(options, "do_eval_only") || (only && !is_one_of(only->value, off));
    const struct keyval *program = keyvals_last(options, "program");
    bool judges = program && words_any(program->value, "judge") && keyvals_last(options, "model_name_or_path");
    return is_only || ((predicts || judges || keyvals_last(options, "do_eval")) && !may_train);
}

/* What a command does, by its program and its options. */
static enum entry_kind kind_of(const struct command *c)
{
    struct keyvals options = {0};
    enum entry_kind kind = entry_of(c);
    if (kind > ENTRY_SERVES)
        return kind;
    read_options(&(struct command){.file = c->file, .out = c->out, .it = c->it, .program = c->program}, &options);
    kind = is_evaluation(&options) ? ENTRY_EVALUATES : kind;
    keyvals_free(&options);
    return kind;
}

/* ---- configurations --------------------------------------------------------------------------------------------- */

/* Kinds of whole runs, which a command may name. */
static bool is_run(enum plan_kind kind)
{
    static const enum plan_kind kinds[] = {KIND_AXOLOTL, KIND_LLAMA_FACTORY, KIND_LLAMA_FACTORY_V1, KIND_HF_TRAINER,
                                           KIND_TORCHTUNE,
                                           KIND_TORCHTITAN, KIND_NANOTRON, KIND_GPT_NEOX, KIND_LLM_FOUNDRY, KIND_OLMO,
                                           KIND_PRIMUS, KIND_SWIFT_MEGATRON, KIND_LITGPT,
                                           KIND_NEMO_RL, KIND_MAXTEXT, KIND_LEVANTER, KIND_NEMO, KIND_VERL,
                                           KIND_VERL_SFT, KIND_BRIDGE, KIND_EASY_R1,
                                           KIND_LINGUA, KIND_PICOTRON, KIND_OTHER};
    for (size_t i = 0; i < LENGTH(kinds); i++)
        if (kinds[i] == kind)
            return true;
    return false;
}

/* A file that a word names, by itself or behind `=`. */
struct named {
    char *text, *path;
    size_t size;
    enum plan_kind kind;
};

static bool open_named(const struct command *c, size_t at, struct named *out)
{
    const char *word = word_at(c, at);
    const char *equals = *word == '-' || strncmp(word, "config", 6) == 0 ? strchr(word, '=') : NULL;
    const char *path = equals ? equals + 1 : word;
    bool is_config = text_ends_with(path, ".yaml") || text_ends_with(path, ".yml") || text_ends_with(path, ".toml") ||
                     text_ends_with(path, ".json");
    *out = (struct named){.path = xstrdup(path)};
    out->text = is_config && !c->it->word[at].is_unknown ? beside_read(c->out, path, &out->size) : NULL;
    out->kind = out->text ? plan_recognise(out->text, out->size) : KIND_UNKNOWN;
    return out->text != NULL;
}

static void named_free(struct named *named)
{
    free(named->text);
    free(named->path);
}

/* Reads a file into the import, with what the command line says of it. */
static int read_named(const struct command *c, const struct named *named, const struct keyvals *overrides)
{
    c->out->overrides = overrides;
    int result = formats[named->kind].read(named->text, named->size, named->path, c->out, c->errors);
    c->out->overrides = NULL;
    return result;
}

/*
 * The files of `wanted` kinds among the words from `from` to before `to`. Returns how many were read, -1 with a fault.
 */
static int read_configs(const struct command *c, size_t from, size_t to, bool (*is_wanted)(enum plan_kind),
                        const struct keyvals *overrides)
{
    int count = 0;
    for (size_t i = from; i < to && count >= 0; i++) {
        struct named named;
        if (open_named(c, i, &named) && is_wanted(named.kind))
            count = read_named(c, &named, overrides) == 0 ? count + 1 : -1;
        named_free(&named);
    }
    return count;
}

static bool is_accelerate(enum plan_kind kind)
{
    return kind == KIND_ACCELERATE;
}

/* A flag of `accelerate launch` by the name that its configuration has for it, in `out`; false for another flag. */
static bool name_launch_flag(const char *key, char out[64])
{
    static const struct {
        const char *begins, *group;
    } rows[] = {{"fsdp_", "fsdp_config."},
                {"megatron_lm_", "megatron_lm_config."},
                {"parallelism_config_", "parallelism_config."},
                {"zero_stage", "deepspeed_config."},
                {"offload_optimizer_device", "deepspeed_config."},
                {"offload_param_device", "deepspeed_config."},
                {"deepspeed_config_file", "deepspeed_config."},
                {"mixed_precision", ""}};
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (strncmp(key, rows[i].begins, strlen(rows[i].begins)) == 0) {
            snprintf(out, 64, "%s%.40s", rows[i].group, key);
            return true;
        }
    return false;
}

/* What the flags of `accelerate launch` say over its configuration. */
static void read_launch_flags(const struct command *c, struct keyvals *out)
{
    static const char *const types[][2] = {
        {"use_fsdp", "FSDP"}, {"use_deepspeed", "DEEPSPEED"}, {"use_megatron_lm", "MEGATRON_LM"},
        {"multi_gpu", "MULTI_GPU"}};
    struct shell_command head = *c->it;
    struct keyvals flags = {0};
    char name[64];
    head.count = c->program - is_module(c, c->program);
    read_words(&(struct command){.file = c->file, .out = c->out, .it = &head, .program = head.count}, 0, &flags);
    for (size_t i = 0; i < flags.count; i++)
        if (name_launch_flag(flags.item[i].key, name))
            keyvals_add(out, name, flags.item[i].value, flags.item[i].line);
    for (size_t i = 0; i < LENGTH(types); i++)
        if (keyvals_last(&flags, types[i][0]))
            keyvals_add(out, "distributed_type", types[i][1], c->it->line);
    keyvals_free(&flags);
}

/* The configuration that `accelerate launch` names; NULL where it takes the one of its user. */
static const char *named_launch(const struct command *c)
{
    static const char *const options[] = {"--config_file", "--config-file", NULL};
    for (size_t i = 0; i < c->program; i++) {
        const char *word = word_at(c, i), *equals = strchr(word, '=');
        char *option = xstrndup(word, equals ? (size_t)(equals - word) : strlen(word));
        bool is = is_one_of(option, options);
        free(option);
        if (is)
            return equals ? equals + 1 : word_at(c, i + 1);
    }
    return NULL;
}

/* A configuration of accelerate that is not there: what its name says of sharding is assumed. */
static void take_launch_name(const struct command *c, const char *name, struct keyvals *options)
{
    bool is_engine = strcasestr(name, "zero") || strcasestr(name, "deepspeed");
    if (is_engine && !keyvals_last(options, "deepspeed"))
        keyvals_add(options, "deepspeed", name, c->it->line);
    if (is_engine || !strcasestr(name, "fsdp"))
        return;
    import_ask(c->out, "parallel.fsdp",
               &(struct asked){name, "full", c->file, c->it->line, "--set parallel.fsdp=full", false});
}

static bool is_accelerated(const struct command *c)
{
    bool is = false;
    for (size_t i = 0; i < c->program && i < c->it->count; i++)
        is |= strcmp(last_part(word_at(c, i)), "accelerate") == 0 ||
              strcmp(word_at(c, i), "accelerate.commands.launch") == 0;
    return is;
}

/* What `accelerate launch` decides: its configuration and the flags over it. Returns 0, or -1 with a fault. */
static int read_launch(struct command *c, struct keyvals *options)
{
    char nothing[] = "{}";
    struct keyvals flags = {0};
    const char *file = named_launch(c);
    if (is_accelerated(c))
        read_launch_flags(c, &flags);
    int count = read_configs(c, 0, c->program, is_accelerate, &flags);
    const struct named none = {nothing, (char *)c->file, strlen(nothing), KIND_ACCELERATE};
    if (count == 0 && keyvals_last(&flags, "distributed_type"))
        count = read_named(c, &none, &flags) == 0 ? 1 : -1;
    else if (count == 0 && file && is_accelerated(c))
        take_launch_name(c, last_part(file), options);
    keyvals_free(&flags);
    c->is_launch_known = count > 0;
    return count < 0 ? -1 : 0;
}

/* Who shards is not said by a command whose `accelerate launch` takes a configuration that is not there. */
static void ask_launch(const struct command *c)
{
    static const char *const keys[] = {"parallel.fsdp", "parallel.zero_stage"};
    const struct keyval *framework = keyvals_last(&c->out->settings, "framework.name");
    const char *file = named_launch(c);
    bool is_own = !framework || strcmp(framework->value, "hf-trainer") != 0; /* a trainer whose file says it */
    bool is_said = !is_accelerated(c) || c->is_launch_known || (is_own && !file);
    for (size_t i = 0; i < LENGTH(keys); i++)
        is_said |= keyvals_last(&c->out->settings, keys[i]) || keyvals_last(&c->out->assumed, keys[i]) ||
                   keyvals_last(&c->out->defaults, keys[i]);
    if (!is_said)
        import_ask(c->out, "parallel.fsdp",
                   &(struct asked){file && *file ? file : "launcher", "none", c->file, c->it->line,
                                   "its accelerate configuration, given too", false});
}

/* A file of settings that the command names and that is not there; NULL for none. */
static const char *find_missing(const struct command *c)
{
    static const char *const options[] = {
        "--config", "--config-file", "--config_file", "--job.config_file", "train", "--yaml", NULL};
    for (size_t i = c->program; i + 1 < c->it->count; i++) {
        const char *word = word_at(c, i + 1);
        if (is_one_of(word_at(c, i), options) &&
            (text_ends_with(word, ".yaml") || text_ends_with(word, ".yml") || text_ends_with(word, ".toml")))
            return word + (c->it->word[i + 1].is_unknown && *word == '/'); /* in a folder that is not known */
    }
    return NULL;
}

/* ---- the Trainer's flags ---------------------------------------------------------------------------------------- */

/* True for the options of one of src/import/dialects.def. */
static bool is_dialect(const struct keyvals *options)
{
    struct tree tree = {0};
    tree_override(&tree, options);
    bool is = dialect_of(&tree) != NULL;
    tree_free(&tree);
    return is;
}

static bool is_trainer(const struct keyvals *options)
{
    static const char *const telling[] = {"learning_rate", "num_train_epochs", "gradient_accumulation_steps",
                                          "output_dir", "max_steps",
                                          "dataset_name", "attn_implementation", "torch_dtype", "use_peft"};
    int count = 0;
    for (size_t i = 0; i < LENGTH(telling); i++)
        count += keyvals_last(options, telling[i]) != NULL;
    return keyvals_last(options, "per_device_train_batch_size") ||
           (keyvals_last(options, "model_name_or_path") && count > 0) || is_dialect(options);
}

/*
 * A model's name and one word of the Trainer's are few: the program may be one with defaults of its own, so which
 * framework it is like is asked.
 */
static void ask_framework(const struct command *c, const struct keyvals *options)
{
    static const char *const own[] = {"per_device_train_batch_size", "gradient_accumulation_steps", "max_steps",
                                      "dataset_name", "attn_implementation", "torch_dtype", "use_peft", "bf16", "fp16",
                                      "deepspeed", "gradient_checkpointing"};
    bool is_known = is_dialect(options);
    for (size_t i = 0; i < LENGTH(own); i++)
        is_known |= keyvals_last(options, own[i]) != NULL;
    if (!is_known)
        import_ask(c->out, "framework.name",
                   &(struct asked){word_at(c, c->program), "hf-trainer", c->file, c->it->line, "--framework NAME",
                                   false});
}

static bool is_trl(const struct command *c)
{
    return strcmp(last_part(word_at(c, c->program)), "trl") == 0;
}

/* A program that is told nothing of a training, and whose name tells nothing, may do something else. */
static void ask_workload(const struct command *c, const struct keyvals *options)
{
    static const char *const telling[] = {"per_device_train_batch_size", "learning_rate", "num_train_epochs",
                                          "max_steps", "output_dir", "gradient_accumulation_steps"};
    bool is_told = kind_of(c) == ENTRY_TRAINS;
    for (size_t i = 0; i < LENGTH(telling); i++)
        is_told |= keyvals_last(options, telling[i]) != NULL;
    if (!is_told)
        import_ask(c->out, "workload",
                   &(struct asked){word_at(c, c->program), "train", c->file, c->it->line, "--set workload=train",
                                   false});
}

static int read_trainer(const struct command *c, struct keyvals *options)
{
    char nothing[] = "{}";
    ask_workload(c, options);
    if (!is_trl(c))
        ask_framework(c, options);
    if (is_trl(c) && !keyvals_last(options, "bf16") &&
        !keyvals_last(options, "fp16")) /* its own defaults: trainer/base_config.py */
        keyvals_add(options, "bf16", "true", 0);
    if (is_trl(c)) /* its subcommand, under the name that other files give it */
        keyvals_add(options, "rl", word_at(c, c->program + 1), c->it->line);
    if (is_trl(c) && !keyvals_last(options, "gradient_checkpointing"))
        keyvals_add(options, "gradient_checkpointing", "true", 0);
    const struct named named = {
        .text = nothing, .path = (char *)c->file, .size = strlen(nothing), .kind = KIND_HF_TRAINER};
    return read_named(c, &named, options);
}

/* ---- settings on the line alone --------------------------------------------------------------------------------- */

/* Programs whose configuration is their own, with what the command line says of it. */
static const struct own_program {
    const char *begins, *has; /* the program's name, and what else is in it */
    enum plan_kind kind;
    const char *option; /* one that the command has, or where it begins with `/` the end of one; "" for any */
    bool is_fork;       /* may have its own defaults */
} own_programs[] = {
    {"maxtext", "train", KIND_MAXTEXT, "", false}, {"MaxText", "train", KIND_MAXTEXT, "", false},
    {"", "train", KIND_MAXTEXT, "/configs/base.yml", false},
    {"llamafactory-cli ", "train", KIND_LLAMA_FACTORY, "", false},
    {"llamafactory.", "", KIND_LLAMA_FACTORY, "--finetuning_type", false},
    {"train_bash.py", "", KIND_LLAMA_FACTORY, "--finetuning_type", false},
    {"train.py", "", KIND_LLAMA_FACTORY, "--finetuning_type", false}, {"litgpt ", "finetune", KIND_LITGPT, "", false},
    {"litgpt ", "pretrain", KIND_LITGPT, "", false}, {"lora.py", "", KIND_LITGPT, "--checkpoint_dir", false},
    {"full.py", "", KIND_LITGPT, "--checkpoint_dir", false}, {"megatron ", "", KIND_SWIFT_MEGATRON, "", false},
    {"verl.", "sft_trainer", KIND_VERL_SFT, "", false}, {"verl.", "main_ppo_", KIND_VERL, "", true},
    {"verl.", "main_ppo", KIND_VERL, "", false}, {"verl.", "async_main", KIND_VERL, "", false},
    {"verl.trainer.main", "", KIND_EASY_R1, "", false}, /* behind main_ppo */
    {"recipe.dapo.main_dapo", "", KIND_VERL, "", false}, {"recipe", "main_", KIND_VERL, "", true},
    {"main_ppo", ".py", KIND_VERL, "", false}, {"run_recipe", ".py", KIND_BRIDGE, "", false},
    {"pretrain_recipe", ".py", KIND_BRIDGE, "", false},
    {"run_script", ".py", KIND_BRIDGE, "--model_recipe_name", false},
    {"", "setup_experiment.py", KIND_BRIDGE, "--model_recipe_name", false},
};

static bool has_word(const struct command *c, const char *word)
{
    bool is = *word == '\0';
    for (size_t i = c->program; i < c->it->count && !is; i++)
        is = *word == '/' ? text_ends_with(word_at(c, i), word) : strcmp(word_at(c, i), word) == 0;
    return is;
}

/* The kind of settings that a program takes on its line; NULL for none. */
static const struct own_program *find_own(const struct command *c)
{
    char *name = program_name(c);
    const struct own_program *found = NULL;
    for (size_t i = 0; i < LENGTH(own_programs) && !found; i++)
        if (strncmp(name, own_programs[i].begins, strlen(own_programs[i].begins)) == 0 &&
            strstr(name, own_programs[i].has) && has_word(c, own_programs[i].option))
            found = &own_programs[i];
    free(name);
    return found;
}

/* A fork may differ from what it is read as. */
static void doubt_framework(const struct command *c)
{
    keyvals_add(&c->out->unread, "framework.name", last_part(word_at(c, c->program)), c->it->line);
}

/* The model of litgpt's commands, their first word; the method stood before it until 0.4. */
static void take_first_word(const struct command *c, struct keyvals *options)
{
    static const char *const methods[] = {"lora", "full", "adapter", "adapter_v2", NULL};
    size_t at = c->program + 2;
    if (find_own(c)->kind != KIND_LITGPT || at >= c->it->count)
        return;
    if (is_one_of(word_at(c, at), methods))
        keyvals_add(options, "program", word_at(c, at++), c->it->line);
    if (at < c->it->count && *word_at(c, at) != '-' && strstr(find_own(c)->begins, "litgpt"))
        add_value(c, at, strcmp(find_own(c)->has, "pretrain") == 0 ? "model_name" : "checkpoint_dir", word_at(c, at),
                  options);
}

/* A program beside those that OpenRLHF ships (openrlhf/cli/), which a fork has added. */
static bool is_added(const struct command *c)
{
    static const char *const shipped[] = {"train_sft", "train_dpo", "train_rm",  "train_prm",     "train_kto",
                                          "train_kd",  "train_ppo", "train_ppo_ray", NULL};
    const char *word = word_at(c, c->program), *point = strrchr(word, '.');
    return strncmp(word, "openrlhf.cli.", strlen("openrlhf.cli.")) == 0 && !is_one_of(point + 1, shipped);
}

static int read_own(const struct command *c, struct keyvals *options)
{
    char nothing[] = "{}";
    take_first_word(c, options);
    if (*find_own(c)->option)
        program_rename(find_own(c)->kind, options);
    const struct named named = {
        .text = nothing, .path = (char *)c->file, .size = strlen(nothing), .kind = find_own(c)->kind};
    int result = read_named(c, &named, options);
    if (find_own(c)->is_fork)
        doubt_framework(c);
    return result;
}

/* ---- configurations that a program ships ------------------------------------------------------------------------ */

/* The name of a configuration of torchtune's own that the command takes; NULL for none. */
static const char *find_shipped(const struct command *c, const struct keyvals *options)
{
    const struct keyval *config = keyvals_last(options, "config");
    bool is_it = strcmp(last_part(word_at(c, c->program)), "tune") == 0 && config && strchr(config->value, '/') &&
                 !strchr(config->value, '.');
    return is_it ? config->value : NULL;
}

/* `llama3_1/8B_qlora_single_device` says the model, the method and whether it is for one GPU; the rest is asked for. */
static int read_shipped(const struct command *c, const struct keyvals *options)
{
    static const struct {
        const char *key, *assumed;
    } rest[] = {{"train.micro_batch_size", "2"}, {"train.lora_rank", "8"}};
    const char *name = find_shipped(c, options), *slash = strchr(name, '/'), *size = slash + 1;
    const char *method = strstr(size, "qlora") ? "qlora_" : strstr(size, "lora") ? "lora_" : "";
    char *text = xasprintf("model:\n  _component_: torchtune.models.%.*s.%s%.*s_%.*s\n", (int)(slash - name), name,
                           method, (int)(slash - name), name, (int)strcspn(size, "_"), size);
    for (char *p = strstr(text, "component"); *p; p++)
        *p = (char)tolower((unsigned char)*p);
    char *path = xasprintf("%s.yaml", name);
    const struct named named = {.text = text, .path = path, .size = strlen(text), .kind = KIND_TORCHTUNE};
    int result = read_named(c, &named, options);
    for (size_t i = 0; i < LENGTH(rest) - !*method; i++)
        if (result == 0 && !keyvals_last(&c->out->settings, rest[i].key))
            import_ask(c->out, rest[i].key,
                       &(struct asked){name, rest[i].assumed, c->file, c->it->line, "tune cp NAME FILE", false});
    free(path);
    free(text);
    return result;
}

/* ---- NeMo's launcher: NVIDIA/NeMo-Framework-Launcher launcher_scripts at 24.05 ---------------------------------- */

static const char *const stages[] = {"training", "peft", "fine_tuning", NULL};

/* The stage of `main.py stages=[training] training=llama/llama2_7b training.model.x=1`; NULL for none. */
static const char *find_stage(const struct keyvals *options)
{
    const struct keyval *listed = keyvals_last(options, "stages");
    for (const char *const *stage = stages; *stage && listed; stage++)
        if (strstr(listed->value, *stage) && keyvals_last(options, *stage))
            return *stage;
    return NULL;
}

/* Its settings without the stage, over the configuration that the command names, where that lies beside. */
static int read_stage(const struct command *c, const struct keyvals *options)
{
    struct keyvals own = {0};
    const char *stage = find_stage(options), *base = keyvals_last(options, stage)->value, *slash = strchr(base, '/');
    char *path = xasprintf("launcher_scripts/conf/%s/%s.yaml", stage, base), nothing[] = "{}";
    bool is_size = slash && isdigit((unsigned char)slash[1]); /* `gpt3/5b`, but `llama/llama2_7b` */
    struct named named = {.path = path, .kind = KIND_NEMO};
    named.text = beside_read(c->out, path, &named.size);
    if (strpbrk(base, "0123456789"))
        keyvals_add(&own, "recipe", slash && !is_size ? slash + 1 : base, c->it->line);
    for (char *p = own.count ? own.item[0].value : NULL; p && *p; p++)
        *p = *p == '/' ? '_' : *p;
    for (size_t i = 0, n = strlen(stage); i < options->count; i++)
        if (strncmp(options->item[i].key, stage, n) == 0 && options->item[i].key[n] == '.')
            keyvals_add(&own, options->item[i].key + n + 1, options->item[i].value, options->item[i].line);
    const struct named used = named.text ? named : (struct named){nothing, (char *)c->file, strlen(nothing), KIND_NEMO};
    int result = read_named(c, &used, &own);
    named_free(&named);
    keyvals_free(&own);
    return result;
}

/* ---- who starts it ---------------------------------------------------------------------------------------------- */

/* `python train.py`: one process. */
static bool is_alone(const struct command *c)
{
    const char *first = last_part(word_at(c, 0));
    bool is_python = strstr(first, "python") == first;
    for (size_t i = 1; i < c->program && is_python; i++)
        is_python = word_at(c, i)[0] == '-';
    return is_python;
}

/* A variable of the command's environment: what stands in front of it, or what the script sets; NULL for none. */
static const char *environment_of(const struct command *c, const struct megatron_script *script, const char *name)
{
    const struct keyval *own = keyvals_last(&c->it->environment, name);
    if (own)
        return own->value;
    for (size_t i = script->script->variables; i-- > 0;) {
        const struct shell_command *set = &script->script->variable[i];
        bool is_before = set->line < c->it->line; /* an evaluation after the training has its own */
        if (is_before && set->count == 2 && strcmp(set->word[0].text, name) == 0 && !set->word[1].is_unknown)
            return set->word[1].text;
    }
    return NULL;
}

/* How many numbers a list separated by commas has; 0 for another text. */
static int count_numbers(const char *list)
{
    int count = isdigit((unsigned char)*list) != 0;
    for (const char *p = list; *p; p++) {
        if (!isdigit((unsigned char)*p) && *p != ',')
            return 0;
        count += *p == ',';
    }
    return count;
}

/* True where DeepSpeed is told its GPUs by a file, beside which CUDA_VISIBLE_DEVICES does not count. */
static bool has_hostfile(const struct command *c)
{
    bool has = false;
    for (size_t i = 0; i < c->program && !has; i++)
        has = strncmp(word_at(c, i), "--hostfile", strlen("--hostfile")) == 0 || strcmp(word_at(c, i), "-H") == 0;
    return has;
}

/* GPUs and nodes by the variables that trainers read which start their processes themselves. */
static void take_environment(const struct command *c, const struct megatron_script *script)
{
    const char *each = environment_of(c, script, "NPROC_PER_NODE"), *nodes = environment_of(c, script, "NNODES");
    const char *visible = has_hostfile(c) ? NULL : environment_of(c, script, "CUDA_VISIBLE_DEVICES");
    int gpus = each ? atoi(each) : visible ? count_numbers(visible) : 0;
    char text[16];
    snprintf(text, sizeof text, "%d", gpus);
    if (gpus > 0)
        keyvals_add(&c->out->settings, "hardware.gpus_per_node", text, c->it->line);
    bool is_one = is_alone(c) || strcmp(last_part(word_at(c, c->program)), "swift") == 0;
    if (!each && gpus > 1 && is_one) /* one process, which may spread layers over its GPUs */
        import_ask(c->out, "parallel.pp",
                   &(struct asked){"CUDA_VISIBLE_DEVICES", "1", c->file, c->it->line, "--set pp=N", false});
    if (gpus > 0)
        keyvals_add(&c->out->settings, "hardware.nodes", nodes && atoi(nodes) > 0 ? nodes : "1", c->it->line);
}

/* The program's own number of nodes takes precedence over its launcher's: Ray already runs on all of them. */
static bool counts_nodes(const struct command *c)
{
    static const char *const names[] = {"trainer.nnodes=", "trainer.num_nodes=", "--actor_num_nodes",
                                        "--actor.num_nodes"};
    bool is = false;
    for (size_t i = c->program; i < c->it->count && !is; i++)
        for (size_t k = 0; k < LENGTH(names); k++)
            is |= strncmp(word_at(c, i), names[k], strlen(names[k])) == 0;
    return is && keyvals_last(&c->out->settings, "hardware.nodes");
}

/*
 * One process with several GPUs is nn.DataParallel, whose first GPU has the master and all logits: transformers
 * training_args.py n_gpu, trainer.py _wrap_model. It is not modelled.
 */
static void doubt_replicas(const struct command *c)
{
    const struct keyval *gpus = keyvals_last(&c->out->settings, "hardware.gpus_per_node"),
                        *framework = keyvals_last(&c->out->settings, "framework.name");
    const char *program = word_at(c, c->program);
    bool is_trainer = framework && strcmp(framework->value, "hf-trainer") == 0 && !words_any(program, "ray");
    bool is_one = is_alone(c) && (text_ends_with(program, ".py") || strncmp(program, "trl.", 4) == 0);
    if (is_trainer && is_one && gpus && atoi(gpus->value) > 1)
        keyvals_add(&c->out->unread, "framework.name", "no torchrun: DataParallel gathers on GPU 0", c->it->line);
}

static void take_launch(const struct command *c, const struct megatron_script *script, size_t index)
{
    static const char *const keys[] = {"hardware.nodes", "hardware.gpus_per_node"};
    bool is_tune = strcmp(last_part(word_at(c, c->program)), "tune") == 0; /* which has torchrun's flags behind it */
    if (!counts_nodes(c))
        megatron_hardware(script, index, is_tune ? c->it->count : c->program, c->file, c->out, c->errors);
    bool is_told = keyvals_last(&c->out->settings, keys[0]) || keyvals_last(&c->out->settings, keys[1]);
    if (!is_told)
        take_environment(c, script);
    is_told = is_told || keyvals_last(&c->out->settings, keys[1]);
    for (size_t i = 0; i < LENGTH(keys) && !is_told && is_alone(c) && !find_own(c); i++)
        keyvals_add(&c->out->defaults, keys[i], "1", 0);
    if (is_trl(c))
        keyvals_add(&c->out->settings, "framework.name", "trl-sft", c->it->line);
    doubt_replicas(c);
}

/* ---- scripts ---------------------------------------------------------------------------------------------------- */

static void look_at(struct command *c, const struct megatron_script *script, size_t index)
{
    c->it = &script->script->command[index];
    c->program = find_program(c);
}

/* True for a command that starts a training; nothing is read for the import. */
static bool is_training(const struct command *c)
{
    struct keyvals options = {0};
    enum entry_kind kind = kind_of(c);
    bool is = false;
    if (kind > ENTRY_SERVES || is_script(word_at(c, c->program)))
        return false;
    read_options(&(struct command){.file = c->file, .out = c->out, .it = c->it, .program = c->program}, &options);
    for (size_t i = c->program + 1; i < c->it->count && !is; i++) {
        struct named named;
        is = open_named(c, i, &named) && is_run(named.kind);
        named_free(&named);
    }
    is = is || (kind != ENTRY_SERVES && (is_trainer(&options) || find_own(c) || find_shipped(c, &options) ||
                                         find_stage(&options)));
    keyvals_free(&options);
    return is;
}

/* What an option decides that commands of two branches do not share is open. */
static void doubt_option(void *context, const char *flag, int line)
{
    struct command *c = context;
    char *key = option_key(flag, strcspn(flag, "="));
    if (!is_harmless(key))
        keyvals_add(&c->out->unread, key, "in another branch", line);
    free(key);
}

/* Reads one command. Returns 1 when it starts a training, 0 when not, -1 with a fault. */
static int read_command(struct command *c, const struct megatron_script *script, size_t index)
{
    struct keyvals options = {0};
    look_at(c, script, index);
    read_options(c, &options);
    int runs = read_launch(c, &options) != 0 ? -1 : read_configs(c, c->program + 1, c->it->count, is_run, &options);
    const char *missing = runs == 0 ? find_missing(c) : NULL;
    if (runs == 0 && find_shipped(c, &options))
        runs = read_shipped(c, &options) == 0 ? 1 : -1;
    if (runs == 0 && find_own(c))
        runs = read_own(c, &options) == 0 ? 1 : -1;
    if (runs == 0 && find_stage(&options))
        runs = read_stage(c, &options) == 0 ? 1 : -1;
    if (runs == 0 && is_trainer(&options))
        runs = read_trainer(c, &options) == 0 ? 1 : -1;
    if (runs > 0 && is_added(c))
        doubt_framework(c);
    if (runs > 0 && missing)
        import_doubt_file(c->out, missing, c->it->line);
    if (runs > 0)
        ask_launch(c);
    if (runs > 0 && c->it->is_uncertain && !(c->out->options && c->out->options->command > 0))
        branch_differs(script->script, c->it, doubt_option, c);
    if (runs > 0)
        take_launch(c, script, index);
    keyvals_free(&options);
    return runs < 0 ? -1 : runs > 0;
}

/* Index of the training command to read, or the number of commands if none trains. Lists the candidates in `choice`. */
static size_t choose(struct command *c, const struct megatron_script *script, struct server_choice *choice)
{
    size_t wanted = c->out->options && c->out->options->command > 0 ? (size_t)c->out->options->command : 1;
    size_t taken = script->script->count;
    const struct shell_command *last = NULL;
    for (size_t i = 0; i < script->script->count; i++) {
        look_at(c, script, i);
        if (c->program == c->it->count || (last && megatron_is_same(last, c->it)) || !is_training(c))
            continue;
        last = c->it;
        server_count(choice, c->it->line);
        taken = choice->all == wanted ? i : taken;
    }
    server_choose(script->script, choice, c->file, c->out, c->errors);
    return taken;
}

/* Adds the fault of a script whose commands do something else; false where one may train behind data's preparation. */
static bool refuse_others(const struct command *c, const struct megatron_script *script)
{
    struct command at = *c;
    size_t first = script->script->count;
    bool may_train = false;
    for (size_t i = first; i-- > 0;) {
        look_at(&at, script, i);
        enum entry_kind kind = at.program < at.it->count ? kind_of(&at) : ENTRY_TRAINS;
        may_train |= kind == ENTRY_UNKNOWN;
        first = kind > ENTRY_TRAINS && !(kind == ENTRY_PREPARES && may_train) ? i : first;
    }
    if (first == script->script->count)
        return false;
    look_at(&at, script, first);
    char *name = program_name(&at);
    errors_add(c->errors, c->file, at.it->line, NULL, "%.80s %s; it does not train; give a training script run", name,
               entry_does[kind_of(&at)]);
    free(name);
    return true;
}

/* The file of settings that a command names and that is not there, with the command in `c`; NULL for none. */
static const char *find_missing_in(struct command *c, const struct megatron_script *script)
{
    const char *missing = NULL;
    for (size_t i = 0; i < script->script->count && !missing; i++) {
        look_at(c, script, i);
        missing = c->program < c->it->count ? find_missing(c) : NULL;
    }
    return missing;
}

/* Whether flags of vLLM follow what is not known to start it, such as an image of one's own. */
static bool has_server_flags(const struct megatron_script *script)
{
    static const char *const flags[] = {"--max-model-len", "--gpu-memory-utilization", "--max-num-seqs"};
    for (size_t i = 0; i < script->script->count; i++)
        for (size_t k = 0; k < script->script->command[i].count; k++)
            for (size_t m = 0; m < LENGTH(flags); m++)
                if (strncmp(script->script->command[i].word[k].text, flags[m], strlen(flags[m])) == 0)
                    return true;
    return false;
}

/* Adds the fault of a script without such a command. */
static void refuse(const struct command *c, const struct megatron_script *script)
{
    struct command at = *c;
    const char *missing = find_missing_in(&at, script);
    char *all = missing ? arguments_all(c->out, &script->arguments) : NULL;
    if (missing)
        errors_add(c->errors, c->file, at.it->line, NULL,
                   "starts a training from %.80s, which is not in the same folder; give that file%s%s%s%s", missing,
                   all ? ", or the script's arguments: shardtop show " : "", all ? c->file : "", all ? " --" : "",
                   all ? all : "");
    else if (!refuse_others(c, script))
        errors_add(c->errors, c->file, 0, NULL, "%s%s",
                   c->out->options && c->out->options->is_carried ? "" : "looks like a shell script; ",
                   has_server_flags(script) ? "passes flags of vLLM to what is not known to start it, such as an image "
                                              "of its own; give them as `vllm serve MODEL FLAGS`"
                                            : formats[KIND_SCRIPT].instead);
    free(all);
}

/* A launcher of several processes stands before the program. */
static bool has_launcher(const struct command *c)
{
    static const char *const launchers[] = {"torchrun", "torch.distributed.run", "torch.distributed.launch",
                                            "accelerate", "deepspeed", "mpirun", "srun", "colossalai", NULL};
    for (size_t i = 0; i < c->program && i < c->it->count; i++)
        if (is_one_of(last_part(word_at(c, i)), launchers))
            return true;
    return false;
}

/* The format whose keys a command of `key=value` has, as forks of a trainer do; KIND_OTHER for none. */
static enum plan_kind kind_of_options(const struct keyvals *options)
{
    static const enum plan_kind kinds[] = {KIND_VERL, KIND_EASY_R1, KIND_SKYRL, KIND_NEMO};
    struct tree tree = {0};
    enum plan_kind kind = KIND_OTHER;
    tree_override(&tree, options);
    for (size_t i = 0; i < LENGTH(kinds) && kind == KIND_OTHER; i++)
        kind = recognise_holds(&tree, formats[kinds[i]].holds) ? kinds[i] : KIND_OTHER;
    tree_free(&tree);
    return kind;
}

static bool tells_training(const struct keyvals *options)
{
    struct tree tree = {0};
    tree_override(&tree, options);
    bool is = recognise_holds(&tree, formats[KIND_OTHER].holds);
    tree_free(&tree);
    return is;
}

static bool tells_batch(const struct keyvals *options)
{
    bool is = false;
    for (size_t i = 0; i < options->count; i++)
        is |= words_any(options->item[i].key, "batch|bsz|mbs");
    return is;
}

/*
 * Reads the first command that starts a program which trains by its name, or any program under a launcher, by the words
 * of its options. Returns 1, 0 where there is none, -1 with a fault.
 */
static int read_other(struct command *c, const struct megatron_script *script)
{
    char nothing[] = "{}";
    for (size_t i = 0; i < script->script->count; i++) {
        struct keyvals options = {0};
        look_at(c, script, i);
        enum entry_kind kind = c->program < c->it->count ? kind_of(c) : ENTRY_EVALUATES;
        bool is_open = kind == ENTRY_UNKNOWN || kind == ENTRY_SERVES; /* the name may mislead */
        read_options(&(struct command){.file = c->file, .out = c->out, .it = c->it, .program = c->program}, &options);
        bool has_script = c->program < c->it->count && is_script(word_at(c, c->program));
        bool is_told = has_script ? tells_batch(&options) : is_open && tells_training(&options);
        bool is_wanted = is_told && (has_script || kind == ENTRY_UNKNOWN || has_launcher(c));
        is_wanted |= !has_script && (kind == ENTRY_TRAINS || (kind == ENTRY_UNKNOWN && has_launcher(c)));
        keyvals_free(&options);
        if (!is_wanted)
            continue;
        if (find_missing(c))
            return 0;
        read_options(c, &options);
        const struct named named = {.text = nothing, .path = (char *)c->file, .size = strlen(nothing),
                                    .kind = kind_of_options(&options)};
        int result = read_named(c, &named, &options);
        if (result == 0 && named.kind != KIND_OTHER)
            doubt_framework(c);
        if (result == 0)
            take_launch(c, script, i);
        keyvals_free(&options);
        return result == 0 ? 1 : -1;
    }
    return 0;
}

/* True where a command does something else than training by its name. */
static bool has_others(const struct command *c, const struct megatron_script *script)
{
    struct command at = *c;
    bool has = false;
    for (size_t i = 0; i < script->script->count && !has; i++) {
        look_at(&at, script, i);
        has = at.program < at.it->count && kind_of(&at) > ENTRY_TRAINS;
    }
    return has;
}

/* What a script of settings gives its variables, by the names that flags have. */
static void read_settings(const struct megatron_script *script, struct keyvals *out)
{
    static const char *const longer[][2] = {
        {"tp", "tensor_parallel_size"}, {"pp", "pipeline_parallel_size"}, {"cp", "context_parallel_size"},
        {"ep", "expert_parallel_size"}, {"gbs", "global_batch_size"}, {"mbs", "micro_batch_size"},
        {"nnodes", "num_nodes"}, {"nodes", "num_nodes"}, {"nproc_per_node", "num_gpus_per_node"},
        {"gpus_per_node", "num_gpus_per_node"}};
    for (size_t i = 0; i < script->script->variables; i++) {
        const struct shell_command *set = &script->script->variable[i];
        char *name = xstrdup(set->count == 2 ? set->word[0].text : "");
        for (char *p = name; *p; p++)
            *p = (char)tolower((unsigned char)*p);
        const char *key = name;
        for (size_t k = 0; k < LENGTH(longer); k++)
            key = strcmp(name, longer[k][0]) == 0 ? longer[k][1] : key;
        if (*name && !set->word[1].is_unknown && *set->word[1].text)
            keyvals_add(out, key, set->word[1].text, set->line);
        free(name);
    }
}

/* Variables alone, whose names speak of a training. Returns 1, 0 where they do not, -1 with a fault. */
static int read_variables(const struct command *c, const struct megatron_script *script)
{
    static const char *const telling[] = {"lr", "learning", "warmup", "accum", "accumulation", "optim", "optimizer",
                                          "global"};
    char nothing[] = "{}";
    struct keyvals settings = {0};
    bool is_told = false;
    read_settings(script, &settings);
    for (size_t i = 0; i < settings.count; i++)
        for (size_t k = 0; k < LENGTH(telling); k++)
            is_told |= words_any(settings.item[i].key, telling[k]);
    int result = 0;
    const struct named named = {nothing, (char *)c->file, strlen(nothing), KIND_OTHER};
    if (is_told && tells_training(&settings) && !has_others(c, script))
        result = read_named(c, &named, &settings) == 0 ? 1 : -1;
    keyvals_free(&settings);
    return result;
}

/* True where an argument of the script names the program or a file of settings. */
static bool hangs_on_argument(const struct megatron_script *script)
{
    static const char *const ends[] = {".py", ".yaml", ".yml", ".json", ".toml"};
    for (size_t i = 0; i < script->script->count; i++)
        for (size_t k = 0; k < script->script->command[i].count; k++) {
            const struct shell_word *word = &script->script->command[i].word[k];
            for (size_t e = 0; e < LENGTH(ends); e++)
                if (word->is_unknown && word->why && word->why->kind == REASON_ARGUMENT &&
                    text_ends_with(word->text, ends[e]))
                    return true;
        }
    return false;
}

int command_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    struct command command = {.file = name, .out = out, .errors = errors};
    struct megatron_script script;
    struct server_choice choice = {0};
    size_t faults = errors->faults, taken;
    int result = megatron_open(text, size, name, out, &script, errors), found = 0;
    if (result == 0 && (taken = choose(&command, &script, &choice)) < script.script->count)
        found = read_command(&command, &script, taken);
    if (result == 0 && found == 0 && server_read_wanted(script.script, &choice, name, out, errors))
        found = 1;
    found = errors->faults > faults ? -1 : found;
    if (result == 0 && found == 0)
        found = read_other(&command, &script);
    if (result == 0 && found == 0 && !find_missing_in(&command, &script))
        found = read_variables(&command, &script);
    if (result == 0 && found == 0)
        refuse(&command, &script);
    if (found > 0)
        arguments_note(out, &script.arguments, name, hangs_on_argument(&script), errors);
    megatron_close(&script, out);
    return found > 0 ? 0 : -1;
}
