#include "core/explain/formula.h"

#include "core/base.h"
#include "core/plan/param.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void scope_add(struct scopes *scopes, const struct term *rows, size_t count, const void *sheet, const char *prefix,
               int index)
{
    struct scope *scope = &scopes->scope[scopes->count++];
    *scope = (struct scope){.rows = rows, .count = count, .sheet = sheet};
    size_t before = strcspn(prefix, "#");
    if (prefix[before])
        snprintf(scope->prefix, sizeof scope->prefix, "%.*s%d%s", (int)before, prefix, index, prefix + before + 1);
    else
        snprintf(scope->prefix, sizeof scope->prefix, "%s", prefix);
}

/* ---- texts ------------------------------------------------------------------------------------------------------ */

static void put(char *out, size_t size, const char *text, size_t n)
{
    size_t used = strlen(out);
    if (used + n + 1 > size)
        n = size - used - 1;
    memcpy(out + used, text, n);
    out[used + n] = '\0';
}

static void put_formula(struct explanation *out, const char *text, size_t n)
{
    put(out->formula, sizeof out->formula, text, n);
}

static void put_value(struct explanation *out, const char *text, size_t n)
{
    put(out->substituted, sizeof out->substituted, text, n);
}

static void put_both(struct explanation *out, const char *text, size_t n)
{
    put_formula(out, text, n);
    put_value(out, text, n);
}

/* Seven digits, and as many more as show that it is no whole number. */
static void put_number(struct explanation *out, double value)
{
    char text[40];
    bool is_count = value == floor(value) && fabs(value) < 1e15;
    int n = isnan(value) ? snprintf(text, sizeof text, "unknown")
            : is_count   ? snprintf(text, sizeof text, "%lld", (long long)value)
                         : 0;
    for (int digits = 7; !isnan(value) && !is_count && digits < 18; digits++) {
        n = snprintf(text, sizeof text, "%.*g", digits, value);
        if (strpbrk(text, ".en"))
            break;
    }
    put_value(out, text, (size_t)n);
}

void formula_input(struct explanation *out, const struct explain_input *input)
{
    for (int i = 0; i < out->inputs; i++)
        if (strcmp(out->input[i].name, input->name) == 0 && strcmp(out->input[i].path, input->path) == 0)
            return;
    if (out->inputs < EXPLAIN_INPUTS_MAX)
        out->input[out->inputs++] = *input;
}

/* Copies a text to `out`, cut where it is too long; returns its end. */
static char *copy_text(char *out, const char *end, const char *text)
{
    while (*text && out + 1 < end)
        *out++ = *text++;
    *out = '\0';
    return out;
}

static void name_input(struct explain_input *input, const char *name, const char *prefix, const char *path)
{
    const char *end = input->path + sizeof input->path;
    copy_text(input->name, input->name + sizeof input->name, name);
    copy_text(copy_text(input->path, end, prefix), end, path);
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

static const struct term *find_name(const struct scopes *scopes, const char *name, size_t n, const struct scope **where)
{
    for (int i = 0; i < scopes->count; i++) {
        const struct term *term = term_find(scopes->scope[i].rows, scopes->scope[i].count, name, n);
        if (term) {
            *where = &scopes->scope[i];
            return term;
        }
    }
    return NULL;
}

/* A symbol that a plan key is, unless the sheet's plan says otherwise than the user's. */
static bool is_own_key(const struct scopes *scopes, const struct term *term, double value)
{
    int id = term->key ? param_find(term->key) : -1;
    double own = id >= 0 ? scopes->estimate->plan.value[id] : 0;
    return id >= 0 && (own == value || (isnan(own) && isnan(value)));
}

static void input_term(const struct scopes *scopes, const struct scope *where, const struct term *term,
                       struct explanation *out)
{
    double value = term_value(term, where->sheet);
    struct explain_input input = {.label = term->label, .unit = term->unit, .value = value,
                                  .is_key = is_own_key(scopes, term, value)};
    name_input(&input, term->name, input.is_key ? "" : where->prefix, input.is_key ? term->key : term->name);
    if (strcmp(input.path, out->path) != 0) /* words may name the figure itself */
        formula_input(out, &input);
}

/* ---- plan keys -------------------------------------------------------------------------------------------------- */

/* Copies the letters of a key's part into `out` (`size` bytes); returns what follows, or NULL when it is too long. */
static const char *read_part(const char *p, char *out, size_t size)
{
    size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyz_0123456789");
    if (n == 0 || n >= size)
        return NULL;
    memcpy(out, p, n);
    out[n] = '\0';
    return p + n;
}

/* The plan key that `KEY(group, key)` at `p` names, -1 when it is none; `*length` is what was read. */
static int read_key(const char *p, size_t *length)
{
    char group[24], key[48], dotted[80];
    const char *at = strncmp(p, "KEY(", 4) == 0 ? read_part(p + 4, group, sizeof group) : NULL;
    at = at && strncmp(at, ", ", 2) == 0 ? read_part(at + 2, key, sizeof key) : NULL;
    if (!at || *at != ')')
        return -1;
    *length = (size_t)(at + 1 - p);
    bool is_top = strcmp(group, "plan") == 0;
    snprintf(dotted, sizeof dotted, "%s%s%s", is_top ? "" : group, is_top ? "" : ".", key);
    return param_find(dotted);
}

/*
 * True when `name`, a constant such as CP_ALL_GATHER, stands for `choice`: the same but for case, dashes and the
 * prefix.
 */
static bool is_constant_of(const char *name, size_t n, const char *choice)
{
    size_t length = strlen(choice);
    if (length >= n || name[n - length - 1] != '_')
        return false;
    for (size_t i = 0; i < length; i++)
        if (tolower((unsigned char)name[n - length + i]) != (choice[i] == '-' ? '_' : choice[i]))
            return false;
    return true;
}

/* The choice of an enumerated key that a constant or a number stands for, or NULL. */
static const char *choice_of(const struct param_row *row, const char *name, size_t n)
{
    const char *found = NULL;
    int number = isdigit((unsigned char)*name) ? atoi(name) : -1;
    for (int i = 0; row->choices && row->choices[i]; i++)
        if (i == number || (number < 0 && is_constant_of(name, n, row->choices[i]) &&
                            (!found || strlen(row->choices[i]) > strlen(found))))
            found = row->choices[i];
    return found;
}

/* What an enumerated key is compared with: writes the choice by its name and returns the length read, 0 for none. */
static size_t put_compared(const struct param_row *row, const char *p, struct explanation *out)
{
    size_t blank = strspn(p, " "), operator= strspn(p + blank, "=!<>"),
           at = blank + operator+ strspn(p + blank + operator, " ");
    size_t n = 0;
    while (isalnum((unsigned char)p[at + n]) || p[at + n] == '_')
        n++;
    const char *choice = row->type == TYPE_ENUM && operator > 0 && n > 0 ? choice_of(row, p + at, n) : NULL;
    if (!choice)
        return 0;
    put_both(out, p, at);
    put_both(out, choice, strlen(choice));
    return at + n;
}

/* Writes the key at `p` and its value; returns the length read, 0 when there is none. */
static size_t put_key(const struct scopes *scopes, const char *p, struct explanation *out)
{
    size_t length = 0;
    char value[64];
    int id = read_key(p, &length);
    if (id < 0)
        return 0;
    const struct param_row *row = &param_rows[id];
    struct explain_input input = {
        .label = row->help, .unit = row->unit, .value = scopes->plan->value[id], .is_key = true};
    name_input(&input, row->key, "", row->dotted);
    put_formula(out, row->dotted, strlen(row->dotted));
    param_print(scopes->plan, (enum param)id, value, sizeof value);
    if (row->type == TYPE_INT || row->type == TYPE_REAL)
        put_number(out, scopes->plan->value[id]);
    else
        put_value(out, value[0] ? value : "unknown", strlen(value[0] ? value : "unknown"));
    formula_input(out, &input);
    return length + put_compared(row, p + length, out);
}

/* Writes the device's figure `GPU(key)` at `p` and its value; returns the length read, 0 when there is none. */
static size_t put_gpu(const struct scopes *scopes, const char *p, struct explanation *out)
{
    char key[48];
    const char *at = strncmp(p, "GPU(", 4) == 0 ? read_part(p + 4, key, sizeof key) : NULL;
    for (size_t i = 0; at && *at == ')' && i < gpu_field_count; i++) {
        if (gpu_fields[i].is_text || strcmp(gpu_fields[i].key, key) != 0)
            continue;
        put_formula(out, "gpu.", 4);
        put_formula(out, key, strlen(key));
        put_number(out, *(const double *)((const char *)&scopes->plan->gpu + gpu_fields[i].offset));
        return (size_t)(at + 1 - p);
    }
    return 0;
}

/* ---- formulas --------------------------------------------------------------------------------------------------- */

static size_t name_length(const char *text, const char *p)
{
    size_t n = 0;
    if ((!isalpha((unsigned char)*p) && *p != '_') || (p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '.')))
        return 0;
    while (isalnum((unsigned char)p[n]) || p[n] == '_')
        n++;
    return n;
}

static void put_text(const struct scopes *scopes, const char *text, struct explanation *out);

/* Writes a term as what it is, which names no spelled term in turn. */
static void put_spelled(const struct scopes *scopes, const struct term *term, struct explanation *out)
{
    put_both(out, "(", 1);
    put_text(scopes, term->text, out);
    put_both(out, ")", 1);
}

/* Writes the name at `p` and its value. */
static void put_name(const struct scopes *scopes, const char *p, size_t n, struct explanation *out)
{
    const struct scope *where = NULL;
    const struct term *spelled = term_find(scopes->spelled, scopes->spelled_count, p, n);
    if (spelled) {
        put_spelled(scopes, spelled, out);
        return;
    }
    const struct term *term = find_name(scopes, p, n, &where);
    put_formula(out, p, n);
    if (!term) {
        put_value(out, p, n);
        return;
    }
    put_number(out, term_value(term, where->sheet));
    input_term(scopes, where, term, out);
}

/* What is not known is not said to be equal to anything. */
static void end_values(struct explanation *out)
{
    if (isnan(out->value))
        out->substituted[0] = '\0';
    else
        put_value(out, " = ", 3);
    put_number(out, out->value);
}

/* Writes the name of a key, a device's figure or a term at `p`; returns the length read, 0 for what is no name. */
static size_t put_named(const struct scopes *scopes, const char *text, const char *p, struct explanation *out)
{
    size_t n = name_length(text, p);
    if (n == 0)
        return 0;
    size_t special = *p == 'K' ? put_key(scopes, p, out) : *p == 'G' ? put_gpu(scopes, p, out) : 0;
    if (special == 0)
        put_name(scopes, p, n, out);
    return special > 0 ? special : n;
}

static void put_text(const struct scopes *scopes, const char *text, struct explanation *out)
{
    const char *plain = text; /* what stands there as it is, written at once */
    for (const char *p = text; *p;) {
        if (name_length(text, p) == 0) {
            p++;
            continue;
        }
        put_both(out, plain, (size_t)(p - plain));
        plain = p += put_named(scopes, text, p, out);
    }
    put_both(out, plain, strlen(plain));
}

void formula_write(const struct scopes *scopes, const char *text, struct explanation *out)
{
    out->formula[0] = out->substituted[0] = '\0';
    put_text(scopes, text, out);
    end_values(out);
}

void formula_words(const struct scopes *scopes, const char *words, struct explanation *out)
{
    snprintf(out->formula, sizeof out->formula, "%s", words);
    out->substituted[0] = '\0';
    for (const char *p = words; *p; p++) {
        size_t n = name_length(words, p);
        const struct scope *where = NULL;
        const struct term *term = memchr(p, '_', n) ? find_name(scopes, p, n, &where) : NULL;
        if (term)
            input_term(scopes, where, term, out);
        p += n > 0 ? n - 1 : 0;
    }
    words_inputs(scopes->estimate, words, out);
    put_number(out, out->value);
}

/* ---- sums ------------------------------------------------------------------------------------------------------- */

void sum_begin(struct explanation *out)
{
    out->formula[0] = out->substituted[0] = '\0';
}

void sum_add(struct explanation *out, const struct summand *part)
{
    struct explain_input input = {.label = part->label, .unit = out->unit, .value = part->value};
    if (part->value == 0)
        return;
    if (out->formula[0])
        put_both(out, " + ", 3);
    put_formula(out, part->name, strlen(part->name));
    put_number(out, part->value);
    memcpy(input.name, part->name, sizeof input.name);
    memcpy(input.path, part->path, sizeof input.path);
    formula_input(out, &input);
}

void sum_end(struct explanation *out)
{
    if (!out->formula[0])
        put_both(out, "0", 1);
    end_values(out);
}

/* ---- sources ---------------------------------------------------------------------------------------------------- */

/* The short names of sources, written out. */
static const struct {
    const char *code, *name;
} sources[] = {
    {"MC", "Megatron-LM core d98e8a6 (2026-08)"},
    {"TE", "TransformerEngine d0067d0 (2026-08)"},
    {"M23", "Megatron-LM 99b044b (2023-08)"},
    {"K22", "Korthikanti et al. 2022 (arXiv 2205.05198)"},
    {"PT", "PyTorch (2024-2026)"},
};

/* The name of the code of `n` letters at `p`, or NULL. */
static const char *source_name(const char *p, size_t n)
{
    for (size_t i = 0; n > 0 && i < LENGTH(sources); i++)
        if (strlen(sources[i].code) == n && memcmp(sources[i].code, p, n) == 0)
            return sources[i].name;
    return NULL;
}

void source_write(const char *text, char *out, size_t size)
{
    const char *plain = text; /* what stands there as it is, written at once */
    out[0] = '\0';
    for (const char *p = text; *p; p++) {
        bool at_part = p == text || (p[-1] == ' ' && p - text > 1 && (p[-2] == ';' || p[-2] == ',' || p[-2] == ':')) ||
                       p[-1] == '(';
        size_t n = at_part ? strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") : 0;
        const char *name = source_name(p, n);
        if (!name)
            continue;
        put(out, size, plain, (size_t)(p - plain));
        put(out, size, name, strlen(name));
        plain = p + n;
        p = plain - 1;
    }
    put(out, size, plain, strlen(plain));
}
