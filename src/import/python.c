/*
 * src/import/python.c - sources of the constructors: transformers and trl (2026-08), peft 0.18, unsloth 2026.6.
 */
#include "src/import/python.h"

#include "core/base.h"
#include "src/import/dialect.h"
#include "src/import/import.h"
#include "src/import/program.h"
#include "src/import/python_value.h"
#include "src/import/words.h"
#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/text.h"
#include "src/text/tree.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 64, ARGUMENTS_MAX = 400, NAMES_MAX = 2000 };
#define OPEN         "???"               /* a value that is computed */
#define LOADER_BATCH "loader_batch_size" /* what a loop of the program's own takes at a time */
#define CELL         "\f"                /* where a notebook's next cell begins: a blank to Python */

/*
 * Calls whose arguments are settings. `names` renames arguments, as `theirs=ours`; `adds` is a setting that the call
 * implies. `trains` is NULL unless the call configures the Trainer's loop; then it is the default length of a sequence,
 * "" for the model's.
 */
static const struct constructor {
    const char *name, *first, *names, *adds, *trains;
} constructors[] = {
    {"TrainingArguments", "", "", "", ""}, {"Seq2SeqTrainingArguments", "", "", "", ""},
    {"UnslothTrainingArguments", "", "", "", ""}, {"SFTConfig", "", "", "", "1024"},
    {"DPOConfig", "", "", "rl=dpo", "1024"}, {"ORPOConfig", "", "", "rl=orpo", "1024"},
    {"KTOConfig", "", "", "rl=kto", "1024"}, {"GRPOConfig", "", "", "rl=grpo", ""},
    {"RewardConfig", "", "", "rl=reward", "1024"},
    {"SFTTrainer", "", "model=model_name_or_path", "", "1024"},
    {"DPOTrainer", "", "model=model_name_or_path", "rl=dpo", "1024"},
    {"GRPOTrainer", "", "model=model_name_or_path", "rl=grpo", ""},
    {"RewardTrainer", "", "model=model_name_or_path", "rl=reward", "1024"},
    {"TrainingArgs", "", "model_path=model_name_or_path max_seq_len=max_length", "per_device_train_batch_size=" OPEN,
     ""},
    {"LoraConfig", "", "r=lora_r target_modules=lora_target modules_to_save=lora_modules_to_save", "", NULL},
    {"AdaLoraConfig", "", "init_r=lora_r target_modules=lora_target", "", NULL},
    {"PromptTuningConfig", "", "", "method=prompt", NULL},
    {"PrefixTuningConfig", "", "", "method=prefix", NULL},
    {"PromptEncoderConfig", "", "", "method=prompt", NULL},
    {"IA3Config", "", "", "method=ia3", NULL},
    {"get_peft_model", "", "r=lora_r target_modules=lora_target use_gradient_checkpointing=gradient_checkpointing", "",
     NULL},
    {"prepare_model_for_kbit_training", "", "use_gradient_checkpointing=gradient_checkpointing",
     "gradient_checkpointing=true", NULL},
    {"prepare_model_for_int8_training", "", "use_gradient_checkpointing=gradient_checkpointing",
     "gradient_checkpointing=true", NULL},
    {"DataLoader", "", "batch_size=" LOADER_BATCH, "", NULL},
    {"BitsAndBytesConfig", "", "", "", NULL},
    {"from_pretrained", "model_name_or_path",
     "model_name=model_name_or_path pretrained_model_name_or_path=model_name_or_path "
     "use_gradient_checkpointing=gradient_checkpointing", "", NULL},
};

/* Calls of from_pretrained that load something else than the model. */
static const char *const other_owners[] = {"Tokenizer", "Processor", "Config", "tokenizer", "processor"};

/* One program being read. */
struct python {
    struct keyvals names, settings; /* what is given a literal; the arguments found */
    struct keyvals tree;            /* literals at the top by name, those inside dict() and {} by path */
    bool has_trainer;               /* the Trainer's loop runs */
    bool is_trl;                    /* as TRL configures it, whose defaults changed between versions */
    bool is_local;                  /* the line is of a function or a class */
    const char *length;             /* of a sequence where nobody says one; NULL: the model's */
};

/* ---- dictionaries ----------------------------------------------------------------------------------------------- */

/* Where the members of `dict(...)` or `{...}` begin; NULL for another value. */
static const char *members_of(const char *p, const char *end)
{
    static const char call[] = "dict(";
    if (p < end && *p == '{')
        return p + 1;
    return end - p > (ptrdiff_t)strlen(call) && strncmp(p, call, strlen(call)) == 0 ? p + strlen(call) : NULL;
}

static void take_tree(struct python *py, const char *path, const char *p, const char *end, int depth);

/* `name=value` or `"name": value`. */
static void take_member(struct python *py, const char *path, const char *p, const char *end, int depth)
{
    p = python_past_blank(p, end);
    bool is_quoted = p < end && strchr("'\"", *p);
    size_t n = 0;
    p += is_quoted;
    while (p + n < end && python_is_name(p[n]))
        n++;
    const char *mark = python_past_blank(p + n + is_quoted, end);
    if (n == 0 || n >= NAME_BYTES || mark >= end || !strchr("=:", *mark))
        return;
    char *below = xasprintf("%s.%.*s", path, (int)n, p);
    take_tree(py, below, mark + 1, end, depth + 1);
    free(below);
}

/* The literal at `p`, or those of the dictionary there, by path. */
static void take_tree(struct python *py, const char *path, const char *p, const char *end, int depth)
{
    enum { DEEPEST = 8 };
    p = python_past_blank(p, end);
    const char *member = members_of(p, end);
    char *value = member ? NULL : python_value(&py->names, p, end);
    if (value)
        keyvals_add(&py->tree, path, value, 0);
    free(value);
    while (member && member < end && depth < DEEPEST && py->tree.count < NAMES_MAX) {
        const char *stop = python_past_value(member, false);
        stop = stop < end ? stop : end;
        take_member(py, path, member, stop, depth);
        if (stop >= end || *stop != ',')
            break;
        member = stop + 1;
    }
}

/* ---- assignments ------------------------------------------------------------------------------------------------ */

static bool begins_definition(const char *line)
{
    static const char *const words[] = {"def ", "class ", "async ", "@"};
    for (size_t i = 0; i < LENGTH(words); i++)
        if (strncmp(line, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

/*
 * What a name stands for from a line on; `value` NULL: it is computed. A function has names of its own: one that is
 * computed there leaves that of the program as it is. What a block gives another value is not known.
 */
static void keep_name(struct python *py, const char *name, const char *value, bool is_top)
{
    const struct keyval *before = keyvals_last(&py->names, name);
    bool is_other = before && (!value || strcmp(before->value, value) != 0);
    if (!before && value)
        keyvals_add(&py->names, name, value, 0);
    else if (is_other && is_top)
        keyvals_add(&py->names, name, value ? value : PYTHON_OPEN, 0);
    else if (is_other && (value || !py->is_local))
        keyvals_add(&py->names, name, PYTHON_OPEN, 0);
}

/* The value of a name after `name *= value`, also where it is a setting; NULL where it is not known. */
static char *change_value(struct python *py, const char *name, char operator, const char *from, const char *end)
{
    char *sum = xasprintf("%s %c (%.*s)", name, operator, (int)(end - from), from);
    char *value = python_value(&py->names, sum, sum + strlen(sum));
    const struct keyval *set = keyvals_last(&py->tree, name);
    int line = set ? set->line : 0;
    if (set && value) {
        keyvals_drop(&py->tree, name);
        keyvals_add(&py->tree, name, value, line);
    }
    free(sum);
    return value;
}

/* `name = literal` or `name: type = literal` at the beginning of a line. */
static void take_assignment(struct python *py, const char *line)
{
    const char *p = line + strspn(line, " \t\f");
    size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    const char *equals = p + n + strspn(p + n, " \t");
    bool is_top = p == line + strspn(line, "\f"), is_changed = *equals && strchr("*/+-", *equals) && equals[1] == '=';
    if (is_top && *p && !strchr("\r\n#)]}", *p))
        py->is_local = begins_definition(p);
    if (*equals == ':')
        equals += strcspn(equals, "=\n");
    equals += is_changed;
    if (n == 0 || n >= NAME_BYTES || *equals != '=' || equals[1] == '=' || py->names.count >= NAMES_MAX)
        return;
    const char *end = python_past_value(equals + 1, true);
    char *name = xstrndup(p, n), *value = is_changed ? NULL : python_value(&py->names, equals + 1, end);
    if (is_changed && is_top)
        value = change_value(py, name, equals[-1], equals + 1, end);
    keep_name(py, name, value, is_top);
    bool is_constant = name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0';
    bool is_group = members_of(python_past_blank(equals + 1, end), end) != NULL;
    if (is_top && !is_changed && (is_group || !is_constant) && py->tree.count < NAMES_MAX)
        take_tree(py, name, equals + 1, end, 0);
    free(name);
    free(value);
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

/* Our name for an argument, in `out`. */
static void rename_argument(const struct constructor *it, const char *name, size_t size, char out[NAME_BYTES])
{
    snprintf(out, NAME_BYTES, "%.*s", (int)size, name);
    for (const char *p = it->names; *p; p += strcspn(p, " "), p += *p == ' ')
        if (strcspn(p, "=") == size && strncmp(p, name, size) == 0)
            snprintf(out, NAME_BYTES, "%.*s", (int)strcspn(p + size + 1, " "), p + size + 1);
}

static int line_of(const char *text, const char *at)
{
    int line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

/* One argument from `p` to `end`. */
static void take_argument(struct python *py, const struct constructor *it, const char *p, const char *end,
                          bool is_first, int line)
{
    char name[NAME_BYTES];
    while (p < end && (isspace((unsigned char)*p) || *p == '#'))
        p = *p == '#' ? python_past_comment(p) : p + 1;
    size_t n = 0;
    while (p + n < end && python_is_name(p[n]))
        n++;
    const char *equals = p + n + strspn(p + n, " \t");
    bool is_named = n > 0 && n < NAME_BYTES && equals < end && *equals == '=' && equals[1] != '=';
    if (!is_named && !(is_first && *it->first))
        return;
    static const char *const objects[] = {"config", "args", "model", "tokenizer"}; /* whose settings are read as such */
    rename_argument(it, is_named ? p : it->first, is_named ? n : strlen(it->first), name);
    char *value = python_value(&py->names, is_named ? equals + 1 : p, end);
    const struct keyval *before = keyvals_last(&py->settings, name);
    bool is_object = false;
    char *written = xstrndup(p, n);
    for (size_t i = 0; i < LENGTH(objects); i++)
        is_object |= !value && is_named && text_ends_with(written, objects[i]);
    free(written);
    bool is_first_load = !*it->first || !before || strcmp(before->value, OPEN) == 0;
    bool is_later = (!value && before && *it->first) || !is_first_load; /* a second model, or a trained one */
    if (is_object || is_later) {
        free(value);
        return;
    }
    bool is_own = value && strcmp(value, "unsloth") == 0; /* its own way to recompute layers */
    keyvals_add(&py->settings, name, is_own ? "true" : value ? value : OPEN, line);
    free(value);
}

/* What a call of a constructor says by itself; `settings` is how many there were before its arguments. */
static void take_adds(struct python *py, const struct constructor *it, size_t settings, int line)
{
    size_t n = strcspn(it->adds, "=");
    bool is_said = n == 0;
    for (size_t i = settings; i < py->settings.count; i++)
        is_said |= strlen(py->settings.item[i].key) == n && strncmp(py->settings.item[i].key, it->adds, n) == 0;
    char *key = xstrndup(it->adds, n);
    if (!is_said)
        keyvals_add(&py->settings, key, it->adds + n + 1, line);
    free(key);
    py->has_trainer |= it->trains != NULL;
    py->is_trl |= it->trains && text_ends_with(it->name, "Config");
    py->length = it->trains && *it->trains ? it->trains : py->length;
}

static void take_arguments(struct python *py, const struct constructor *it, const char *p, int line)
{
    size_t settings = py->settings.count;
    for (int count = 0; *p && *p != ')' && count < ARGUMENTS_MAX; count++) {
        const char *end = python_past_value(p, false);
        take_argument(py, it, p, end, count == 0, line);
        p = end + (*end == ',');
        if (*end && strchr("]}", *end))
            break;
    }
    take_adds(py, it, settings, line);
}

/* True where a call of from_pretrained is a tokenizer's or a configuration's. */
static bool is_other_owner(const char *text, const char *at)
{
    char owner[NAME_BYTES] = "";
    const char *from = at;
    while (from > text && (python_is_name(from[-1]) || from[-1] == '.'))
        from--;
    snprintf(owner, sizeof owner, "%.*s", (int)(at - from), from);
    for (size_t i = 0; i < LENGTH(other_owners); i++)
        if (strstr(owner, other_owners[i]))
            return true;
    return false;
}

/* The constructor that is called at `p`; NULL for none. */
static const struct constructor *constructor_at(const char *text, const char *p)
{
    if (p > text && python_is_name(p[-1]))
        return NULL;
    for (size_t i = 0; i < LENGTH(constructors); i++) {
        size_t n = strlen(constructors[i].name);
        if (strncmp(p, constructors[i].name, n) == 0 && p[n] == '(')
            return is_other_owner(text, p) ? NULL : &constructors[i];
    }
    return NULL;
}

/* Past the block of an `if False:` at the beginning of a line; the line itself where it is none. */
static const char *past_dead(const char *line)
{
    static const char head[] = "if False:";
    size_t indent = strspn(line, " \t");
    if (strncmp(line + indent, head, strlen(head)) != 0)
        return line;
    const char *p = line + strcspn(line, "\n");
    while (*p) {
        size_t next = strspn(p + 1, " \t");
        bool is_blank = p[1 + next] == '\n' || p[1 + next] == '\r';
        if (!p[1 + next] || (next <= indent && !is_blank))
            return p;
        p += 1 + next + strcspn(p + 1 + next, "\n");
    }
    return p;
}

static void read_program(struct python *py, const char *text)
{
    bool is_start = true;
    int open = 0;
    for (const char *p = text; *p;) {
        const char *live = is_start ? past_dead(p) : p;
        if (live != p) {
            p = live;
            continue;
        }
        open = strncmp(p, CELL, 1) == 0 || open < 0 ? 0 : open;
        if (is_start && open == 0)
            take_assignment(py, p);
        is_start = *p == '\n';
        open += strchr("([{", *p) != NULL;
        open -= strchr(")]}", *p) != NULL;
        const struct constructor *it = python_is_name(*p) ? constructor_at(text, p) : NULL;
        if (it)
            take_arguments(py, it, p + strlen(it->name) + 1, line_of(text, p));
        p = *p == '#' ? python_past_comment(p) : strchr("'\"", *p) ? python_past_string(p) : p + 1;
    }
    if (!strstr(text, "FastLanguageModel") && !strstr(text, "FastModel") && !strstr(text, "FastVisionModel"))
        return;
    keyvals_add(&py->settings, "program", "unsloth", 0);
    if (strstr(text, "TrainingArguments(") && !keyvals_last(&py->settings, "optim")) /* it changes SFTConfig's alone */
        keyvals_add(&py->settings, "optim", "adamw_torch", DIALECT_SILENT);
}

/* ---- notebooks -------------------------------------------------------------------------------------------------- */

/* Appends a JSON string that begins behind its quote; returns its end. */
static const char *add_string(const char *p, struct buffer *out)
{
    for (; *p && *p != '"'; p++) {
        bool is_escape = *p == '\\' && p[1];
        p += is_escape;
        char c = is_escape && *p == 'n' ? '\n' : is_escape && *p == 't' ? '\t' : *p;
        buffer_add(out, &c, 1);
    }
    return *p ? p + 1 : p;
}

/* The lines of a notebook's cells; NULL for another text. */
static char *notebook_source(const char *text)
{
    static const char mark[] = "\"source\"";
    struct buffer out = {0};
    if (*text != '{' || !strstr(text, "\"cell_type\""))
        return NULL;
    buffer_puts(&out, "");
    for (const char *p = strstr(text, mark); p; p = strstr(p, mark)) {
        p += strlen(mark);
        p += strspn(p, ": \t\r\n[");
        while (*p == '"') {
            p = add_string(p + 1, &out);
            p += strspn(p, ", \t\r\n");
        }
        buffer_puts(&out, "\n" CELL);
    }
    return out.text;
}

/* The commands of a notebook: lines behind `!`, and cells that begin with `%%bash`; fresh memory, NULL for none. */
static char *notebook_commands(const char *source)
{
    struct buffer out = {0};
    bool is_shell = false, is_continued = false;
    for (const char *p = source; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        size_t n = strcspn(p, "\n");
        bool is_cell = strncmp(p, CELL, 1) == 0;
        p += is_cell;
        n -= is_cell;
        bool is_magic = strncmp(p, "%%bash", 6) == 0 || strncmp(p, "%%sh", 4) == 0;
        is_shell = is_magic || (is_shell && !is_cell);
        bool is_command = *p == '!' && !is_shell;
        if (!is_magic && (is_shell || is_command || is_continued))
            buffer_printf(&out, "%.*s\n", (int)n - is_command, p + is_command);
        is_continued = (is_command || is_continued) && n > 0 && p[n - 1] == '\\';
    }
    return out.text;
}

/* ---- all together ----------------------------------------------------------------------------------------------- */

/* Reads settings as one kind of file. */
static int read_as(enum plan_kind kind, struct keyvals *settings, const char *name, struct import *out,
                   struct errors *errors)
{
    static const char nothing[] = "{}";
    const struct keyvals *outer = out->overrides;
    if (outer)
        keyvals_join(settings, outer);
    out->overrides = settings;
    int result = formats[kind].read(nothing, strlen(nothing), name, out, errors);
    out->overrides = outer;
    return result;
}

/* The kind of a file of settings that is a program; KIND_PYTHON for none. */
static enum plan_kind kind_of(const struct python *py, const char *text)
{
    static const enum plan_kind kinds[] = {KIND_INTERNEVO, KIND_OTHER};
    bool is_code = strstr(text, "\ndef ") || strstr(text, "\nclass "); /* more than settings */
    struct tree tree = {0};
    enum plan_kind found = KIND_PYTHON;
    tree_override(&tree, &py->tree);
    if (dialect_of(&tree))
        found = KIND_HF_TRAINER;
    for (size_t i = 0; i < LENGTH(kinds) - is_code && found == KIND_PYTHON; i++)
        found = recognise_holds(&tree, formats[kinds[i]].holds) ? kinds[i] : KIND_PYTHON;
    tree_free(&tree);
    return found;
}

/* Reads what the cells of a notebook start. Returns 0, or -1 where they start no training; no fault is added. */
static int read_commands(const char *source, const char *name, struct import *out)
{
    struct errors unheard = {0};
    char *script = source ? notebook_commands(source) : NULL;
    enum plan_kind kind = script ? plan_recognise(script, strlen(script)) : KIND_UNKNOWN;
    kind = kind == KIND_UNKNOWN && script ? KIND_SCRIPT : kind; /* cells may begin with any command */
    bool is_script = kind == KIND_SCRIPT || kind == KIND_MEGATRON;
    int result = is_script ? formats[kind].read(script, strlen(script), name, out, &unheard) : -1;
    errors_free(&unheard);
    free(script);
    return result;
}

/* Reads the settings of a known trainer's program. Returns 1, 0 where it is none, -1 with a fault. */
static int read_program_of(const char *text, const char *name, struct import *out, struct errors *errors)
{
    struct program program = {0};
    program_look(text, &program);
    if (program.functions > 1)
        errors_note(errors, name, 0, NULL, "%d functions have settings of a run; the first is read", program.functions);
    int result = program.kind == KIND_PYTHON ? 0 : read_as(program.kind, &program.settings, name, out, errors);
    int found = program.kind == KIND_PYTHON ? 0 : result == 0 ? 1 : -1;
    keyvals_free(&program.settings);
    return found;
}

/* Types and recomputation that TRL's older versions leave off and newer ones switch on. */
static void settle_versions(struct python *py)
{
    bool has_type = keyvals_last(&py->settings, "bf16") || keyvals_last(&py->settings, "fp16");
    const struct keyval *owner = keyvals_last(&py->settings, "program"); /* unsloth decides by itself */
    if (!py->is_trl || owner)
        return;
    if (!has_type)
        keyvals_add(&py->settings, "bf16", OPEN, 0);
    if (!keyvals_last(&py->settings, "gradient_checkpointing"))
        keyvals_add(&py->settings, "gradient_checkpointing", OPEN, 0);
}

/* The longest sequence that nobody says: the trainer's own, else asked for where the loop is the program's. */
static void settle_length(struct python *py)
{
    static const char *const names[] = {"max_seq_length", "max_length", "model_max_length", "max_seq_len"};
    for (size_t i = 0; i < LENGTH(names); i++)
        if (keyvals_last(&py->settings, names[i]))
            return;
    for (size_t i = 0; i < LENGTH(names) && !py->has_trainer; i++) {
        const struct keyval *given = keyvals_last(&py->names, names[i]);
        if (given)
            keyvals_add(&py->settings, names[i], given->value, 0);
    }
    if (py->length)
        keyvals_add(&py->settings, "max_length", py->length, DIALECT_SILENT);
}

/* A loop of the program's own: how it trains is not said by arguments, so it is asked. */
static void read_own_loop(struct python *py, const char *name, struct import *out)
{
    static const char size[] = "per_device_train_batch_size";
    const struct keyval *batch = keyvals_last(&py->settings, LOADER_BATCH);
    for (size_t i = 0; i < py->settings.count; i++) /* the first is that of the training */
        if (strcmp(py->settings.item[i].key, LOADER_BATCH) == 0) {
            batch = &py->settings.item[i];
            break;
        }
    char *value = xstrdup(batch ? batch->value : OPEN);
    if (!keyvals_last(&py->settings, size))
        keyvals_add(&py->settings, size, value, batch ? batch->line : 0);
    free(value);
    import_ask(out, "framework.name",
               &(struct asked){"a loop of its own", "hf-trainer", name, 0, "--framework NAME", false});
}

/*
 * A program that trains a language model with calls that are not known: its names and arguments by their words. Returns
 * 0, or -1 where it does not look like one.
 */
static int read_any(const char *text, const char *name, struct import *out, struct errors *errors)
{
    static const char *const trains[] = {".backward(", "Trainer(", ".train(", ".finetune(", "forward_backward",
                                         ".fit(", "torch.optim."};
    static const char *const models[] = {"transformers", "tokenizer", "CausalLM", "llm", "LLM", "GPTModel", "xturing"};
    struct program program = {0};
    bool is_it = false, is_model = false, has_batch = false;
    int result = -1;
    for (size_t i = 0; i < LENGTH(trains); i++)
        is_it |= strstr(text, trains[i]) != NULL;
    for (size_t i = 0; i < LENGTH(models); i++)
        is_model |= strstr(text, models[i]) != NULL;
    if (is_it && is_model)
        program_look_any(text, &program);
    for (size_t i = 0; i < program.settings.count; i++)
        has_batch |= words_any(program.settings.item[i].key, "batch|bsz");
    if (has_batch)
        result = read_as(KIND_OTHER, &program.settings, name, out, errors);
    keyvals_free(&program.settings);
    return result;
}

/* The arguments of the Trainer in a dictionary of any name, as settings. */
static bool take_dictionary(struct python *py)
{
    static const char batch[] = ".per_device_train_batch_size";
    const char *group = NULL;
    size_t n = 0;
    for (size_t i = 0; i < py->tree.count && !group; i++)
        if (text_ends_with(py->tree.item[i].key, batch))
            group = py->tree.item[i].key;
    n = group ? strlen(group) - strlen(batch) + 1 : 0;
    for (size_t i = 0; i < py->tree.count && group; i++)
        if (strncmp(py->tree.item[i].key, group, n) == 0)
            keyvals_add(&py->settings, py->tree.item[i].key + n, py->tree.item[i].value, py->tree.item[i].line);
    return group != NULL;
}

/* Reads the calls of a program, or the commands of a notebook. Returns 0, or -1 where there are none that train. */
static int read_calls(struct python *py, const char *text, bool is_notebook, const char *name, struct import *out,
                      struct errors *errors)
{
    static const char *const counts[] = {"hardware.nodes", "hardware.gpus_per_node"};
    static const char *const telling[] = {"per_device_train_batch_size", "lora_r", "method"};
    bool has_settings = false;
    read_program(py, text);
    enum plan_kind kind = kind_of(py, text);
    for (size_t i = 0; i < LENGTH(telling); i++)
        has_settings |= keyvals_last(&py->settings, telling[i]) != NULL;
    has_settings = has_settings || (kind == KIND_PYTHON && take_dictionary(py));
    for (size_t i = 0; i < LENGTH(counts) && is_notebook && (has_settings || kind != KIND_PYTHON); i++)
        keyvals_add(&out->defaults, counts[i], "1", 0); /* a notebook's kernel is one process */
    if (!has_settings && kind != KIND_PYTHON)
        return read_as(kind, &py->tree, name, out, errors);
    if (!has_settings)
        return read_commands(is_notebook ? text : NULL, name, out) == 0 ? 0 : read_any(text, name, out, errors);
    settle_length(py);
    settle_versions(py);
    if (!py->has_trainer)
        read_own_loop(py, name, out);
    return read_as(KIND_HF_TRAINER, &py->settings, name, out, errors);
}

int python_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    struct python py = {0};
    size_t faults = errors->faults;
    char *whole = xstrndup(text, size), *source = notebook_source(whole);
    const char *program = source ? source : whole;
    int result = read_program_of(program, name, out, errors) - 1;
    if (result == -1 && errors->faults == faults)
        result = read_calls(&py, program, source != NULL, name, out, errors);
    if (result != 0 && errors->faults == faults)
        recognise_refuse(KIND_PYTHON, text, size, name, errors);
    keyvals_free(&py.names);
    keyvals_free(&py.settings);
    keyvals_free(&py.tree);
    free(source);
    free(whole);
    return result == 0 ? 0 : -1;
}
