/*
 * src/import/python.c - sources of the constructors: transformers and trl (2026-08), peft 0.18, unsloth 2026.6.
 */
#include "src/import/python.h"

#include "core/base.h"
#include "src/import/dialect.h"
#include "src/import/import.h"
#include "src/import/program.h"
#include "src/import/python_value.h"
#include "src/import/recognise.h"
#include "src/import/tuning.h"
#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/text.h"
#include "src/text/tree.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 64, ARGUMENTS_MAX = 400, NAMES_MAX = 2000 };
#define OPEN "???"  /* a value that is computed */
#define CELL "\f"   /* where a notebook's next cell begins: a blank to Python */

/* Calls whose arguments are settings; `names` are `theirs=ours` for those with another name. */
static const struct constructor {
    const char *name, *first, *names, *rl;
} constructors[] = {
    {"TrainingArguments", "", "", ""},
    {"Seq2SeqTrainingArguments", "", "", ""},
    {"UnslothTrainingArguments", "", "", ""},
    {"SFTConfig", "", "", ""},
    {"DPOConfig", "", "", "dpo"},
    {"ORPOConfig", "", "", "orpo"},
    {"KTOConfig", "", "", "kto"},
    {"GRPOConfig", "", "", "grpo"},
    {"RewardConfig", "", "", "reward"},
    {"SFTTrainer", "", "", ""},
    {"LoraConfig", "", "r=lora_r target_modules=lora_target modules_to_save=lora_modules_to_save", ""},
    {"get_peft_model", "", "r=lora_r target_modules=lora_target use_gradient_checkpointing=gradient_checkpointing", ""},
    {"BitsAndBytesConfig", "", "", ""},
    {"from_pretrained", "model_name_or_path",
     "model_name=model_name_or_path pretrained_model_name_or_path=model_name_or_path", ""},
};

/* Calls of from_pretrained that load something else than the model. */
static const char *const other_owners[] = {"Tokenizer", "Processor", "Config", "tokenizer", "processor"};

/* One program being read. */
struct python {
    struct keyvals names, settings; /* what is given a literal; the arguments found */
    struct keyvals tree;            /* literals at the top by name, those inside dict() and {} by path */
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

/* `name = literal` or `name: type = literal` at the beginning of a line. */
static void take_assignment(struct python *py, const char *line)
{
    const char *p = line + strspn(line, " \t");
    size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    const char *equals = p + n + strspn(p + n, " \t");
    if (*equals == ':')
        equals += strcspn(equals, "=\n");
    if (n == 0 || n >= NAME_BYTES || *equals != '=' || equals[1] == '=' || py->names.count >= NAMES_MAX)
        return;
    char *name = xstrndup(p, n), *value = python_value(&py->names, equals + 1, python_past_value(equals + 1, true));
    if (value)
        keyvals_add(&py->names, name, value, 0);
    bool is_constant = name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0';
    if (p == line && !is_constant && py->tree.count < NAMES_MAX)
        take_tree(py, name, equals + 1, python_past_value(equals + 1, true), 0);
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
    rename_argument(it, is_named ? p : it->first, is_named ? n : strlen(it->first), name);
    char *value = python_value(&py->names, is_named ? equals + 1 : p, end);
    const struct keyval *before = keyvals_last(&py->settings, name);
    bool is_first_load = !*it->first || !before || strcmp(before->value, OPEN) == 0;
    if ((!value && before) || !is_first_load) { /* what is loaded later is what was trained, or a reference */
        free(value);
        return;
    }
    bool is_own = value && strcmp(value, "unsloth") == 0; /* its own way to recompute layers */
    keyvals_add(&py->settings, name, is_own ? "true" : value ? value : OPEN, line);
    free(value);
}

static void take_arguments(struct python *py, const struct constructor *it, const char *p, int line)
{
    for (int count = 0; *p && *p != ')' && count < ARGUMENTS_MAX; count++) {
        const char *end = python_past_value(p, false);
        take_argument(py, it, p, end, count == 0, line);
        p = end + (*end == ',');
        if (*end && strchr("]}", *end))
            return;
    }
    if (*it->rl)
        keyvals_add(&py->settings, "rl", it->rl, line);
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
    for (const char *p = text; *p;) {
        const char *live = is_start ? past_dead(p) : p;
        if (live != p) {
            p = live;
            continue;
        }
        if (is_start)
            take_assignment(py, p);
        is_start = *p == '\n';
        const struct constructor *it = python_is_name(*p) ? constructor_at(text, p) : NULL;
        if (it)
            take_arguments(py, it, p + strlen(it->name) + 1, line_of(text, p));
        p = *p == '#' ? python_past_comment(p) : strchr("'\"", *p) ? python_past_string(p) : p + 1;
    }
    if (strstr(text, "FastLanguageModel") || strstr(text, "FastModel") || strstr(text, "FastVisionModel"))
        keyvals_add(&py->settings, "program", "unsloth", 0);
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

int python_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    static const char *const counts[] = {"hardware.nodes", "hardware.gpus_per_node"};
    struct python py = {0};
    char *whole = xstrndup(text, size), *source = notebook_source(whole);
    int result = read_program_of(source ? source : whole, name, out, errors) - 1;
    if (result == 0 || result == -2) {
        free(source);
        free(whole);
        return result == 0 ? 0 : -1;
    }
    read_program(&py, source ? source : whole);
    enum plan_kind kind = kind_of(&py, source ? source : whole);
    bool has_settings =
        keyvals_last(&py.settings, "per_device_train_batch_size") || keyvals_last(&py.settings, "lora_r");
    for (size_t i = 0; i < LENGTH(counts) && source && (has_settings || kind != KIND_PYTHON); i++)
        keyvals_add(&out->defaults, counts[i], "1", 0); /* a notebook's kernel is one process */
    if (has_settings)
        result = read_as(KIND_HF_TRAINER, &py.settings, name, out, errors);
    else if (kind != KIND_PYTHON)
        result = read_as(kind, &py.tree, name, out, errors);
    else if ((result = read_commands(source, name, out)) != 0)
        recognise_refuse(KIND_PYTHON, text, size, name, errors);
    keyvals_free(&py.names);
    keyvals_free(&py.settings);
    keyvals_free(&py.tree);
    free(source);
    free(whole);
    return result;
}
