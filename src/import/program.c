#include "src/import/program.h"

#include "core/base.h"
#include "src/import/python_value.h"
#include "src/text/text.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 160, FRAMES_MAX = 32, BLOCKS_MAX = 32, SETTINGS_MAX = 2000,
       LOOKED_MAX = 1 << 26, /* bytes that may be looked through for the ends of values and for names */
       VALUE_SEARCHED = 512  /* bytes of a value in which names are looked up */ };

static const struct row {
    const char *modules;
    enum plan_kind kind;
    bool is_first;
    const char *keeps, *names;
#define FIRST true
#define ALL   false
} rows[] = {
#define PROGRAM(modules, kind, functions, keeps, names) {modules, KIND_##kind, functions, keeps, names},
#include "src/import/programs.def"
};

/* A bracket that is open. */
struct frame {
    char mark;
    size_t path; /* bytes of the path of what stands in it */
};

/* A statement whose block is open. */
struct block {
    int indent;
    bool is_conditional;
};

/* One program being read. */
struct reader {
    const struct row *row;
    struct program *out;
    struct keyvals names; /* what is given a value that is known */
    char path[PATH_BYTES];
    struct frame frame[FRAMES_MAX];
    int frames;
    struct block block[BLOCKS_MAX];
    int blocks;
    int function; /* at the top, counted from 1; 0 or less outside */
    int taken;    /* the function whose settings count */
    bool is_definition;  /* the statement is one, whose parameters have defaults, or an import */
    bool is_seen;        /* the function has a setting */
    int line;
    size_t looked;           /* of LOOKED_MAX */
    char recipe[PATH_BYTES]; /* the first name that has a model's size in it */
};

/* ---- what a program is ------------------------------------------------------------------------------------------ */

/* True where a line imports one of several modules. */
static bool is_import(const char *line, const char *modules)
{
    size_t skip = strncmp(line, "from ", 5) == 0 ? 5 : strncmp(line, "import ", 7) == 0 ? 7 : 0;
    for (const char *p = modules; *p && skip; p += strcspn(p, " "), p += *p == ' ') {
        size_t n = strcspn(p, " ");
        if (strncmp(line + skip, p, n) == 0 && (p[n - 1] == '.' || !python_is_name(line[skip + n])))
            return true;
    }
    return false;
}

static const struct row *find_row(const char *text)
{
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
        for (size_t i = 0; i < LENGTH(rows); i++)
            if (is_import(line + strspn(line, " \t\f"), rows[i].modules))
                return &rows[i];
    return NULL;
}

/* `7b`, `1p7b`, `8x7b`, `190M`: the size of a model. */
static bool is_size(const char *part, size_t n)
{
    size_t digits = strspn(part, "0123456789px");
    return n >= 2 && digits == n - 1 && isdigit((unsigned char)*part) && strchr("bBmM", part[n - 1]);
}

/* Keeps the first name with a model's size in it: `llama31_70b`, `olmo2_7B`, `Llama31Config8B`. */
static void look_for_recipe(struct reader *r, const char *name, size_t n)
{
    static const char config[] = "Config";
    char text[PATH_BYTES];
    if (*r->recipe || n >= PATH_BYTES)
        return;
    snprintf(text, sizeof text, "%.*s", (int)n, name);
    char *part = strstr(text, config);
    bool is = part && is_size(part + strlen(config), strlen(part) - strlen(config));
    if (is)
        memmove(part + 1, part + strlen(config), strlen(part) - strlen(config) + 1);
    if (is)
        *part = '_';
    for (const char *p = strchr(text, '_'); p && !is; p = strchr(p + 1, '_'))
        is = is_size(p + 1, strcspn(p + 1, "_"));
    if (is)
        snprintf(r->recipe, sizeof r->recipe, "%s", text);
}

/* ---- settings --------------------------------------------------------------------------------------------------- */

/* How a name of ours is said: by what is given a value, by the function called for it, by its mention. */
enum { GIVEN, CALLED, MENTIONED };

/* Which of them the name `theirs` of `*n` bytes is for; leaves its mark out of the bytes. */
static int said_by(const char *theirs, size_t *n)
{
    int how = *n > 2 && theirs[*n - 1] == ')' ? CALLED : *n > 1 && theirs[*n - 1] == '!' ? MENTIONED : GIVEN;
    *n -= how == CALLED ? strlen("()") : how == MENTIONED;
    return how;
}

/* Our name for a path, in `out`; false where it is none of the row's. */
static bool translate(const struct row *row, const char *path, int how, char out[PATH_BYTES])
{
    size_t size = strlen(path);
    if (size >= PATH_BYTES)
        return false;
    for (const char *p = row->names; *p; p += strcspn(p, " "), p += *p == ' ') {
        size_t n = strcspn(p, "=");
        const char *ours = p + n + 1;
        bool is = said_by(p, &n) == how && size >= n;
        const char *end = path + size - (is ? n : 0);
        if (!is || strncmp(end, p, n) != 0 || (end > path && end[-1] != '.'))
            continue;
        snprintf(out, PATH_BYTES, "%.*s", (int)strcspn(ours, " "), ours);
        return true;
    }
    size_t top = strcspn(path, ".");
    bool is_kept = strcmp(row->keeps, "*") == 0;
    for (const char *p = row->keeps; *p && !is_kept && path[top]; p += strcspn(p, " "), p += *p == ' ')
        is_kept = strcspn(p, " ") == top && strncmp(p, path, top) == 0;
    snprintf(out, PATH_BYTES, "%s", path);
    return is_kept && how == GIVEN;
}

/* Whether a name of the row begins with a part, as that of an argument that is built before it is passed. */
static bool begins_path(const struct row *row, const char *part)
{
    size_t n = strlen(part);
    for (const char *p = row->names; *p; p += strcspn(p, " "), p += *p == ' ')
        if (strncmp(p, part, n) == 0 && p[n] == '.')
            return true;
    return false;
}

static bool is_conditional(const struct reader *r)
{
    bool is = false;
    for (int i = 0; i < r->blocks; i++)
        is |= r->block[i].is_conditional;
    return is;
}

/* Adds a setting; `value` NULL: it is computed. The default of a parameter does not count over what was set before. */
static void add(struct reader *r, const char *path, int how, const char *value)
{
    char name[PATH_BYTES];
    struct keyvals *settings = &r->out->settings;
    if (settings->count >= SETTINGS_MAX || !translate(r->row, path, how, name))
        return;
    r->out->functions += r->function > 0 && !r->is_seen;
    r->is_seen = r->function > 0;
    if (r->row->is_first && r->function > 0 && r->taken == 0)
        r->taken = r->function;
    if (r->row->is_first && r->function > 0 && r->function != r->taken)
        return;
    const struct keyval *before = keyvals_last(settings, name);
    bool is_open = !value || is_conditional(r);
    if (!value && before && !is_conditional(r))
        return; /* an argument that only hands on */
    if (is_open && before && value && strcmp(before->value, value) == 0)
        return;
    keyvals_add(settings, name, is_open ? PYTHON_OPEN : value, r->line);
}

/* ---- statements ------------------------------------------------------------------------------------------------- */

static bool begins(const char *p, const char *words)
{
    for (; *words; words += strcspn(words, " "), words += *words == ' ') {
        size_t n = strcspn(words, " ");
        if (strncmp(p, words, n) == 0 && !python_is_name(p[n]))
            return true;
    }
    return false;
}

/* What a line that begins a statement says of blocks and functions. */
static void begin_statement(struct reader *r, const char *line)
{
    line += *line == '\f'; /* a notebook's next cell */
    int indent = (int)strspn(line, " \t");
    const char *p = line + indent;
    if (!*p || strchr("\r\n#", *p))
        return;
    while (r->blocks > 0 && r->block[r->blocks - 1].indent >= indent)
        r->blocks--;
    bool is_branch = begins(p, "if elif else for while except match case");
    bool is_main = strncmp(p, "if __name__", strlen("if __name__")) == 0;
    r->is_definition = begins(p, "def async from import");
    if (indent == 0 && begins(p, "def async class"))
        r->function = abs(r->function) + 1;
    else if (indent == 0 && !strchr("@)", *p))
        r->function = -abs(r->function); /* outside, until the next */
    if (indent == 0)
        r->is_seen = false;
    if (is_branch && r->blocks < BLOCKS_MAX)
        r->block[r->blocks++] = (struct block){indent, !is_main};
}

/* ---- expressions ------------------------------------------------------------------------------------------------ */

static void open_bracket(struct reader *r, char mark)
{
    if (r->frames < FRAMES_MAX)
        r->frame[r->frames] = (struct frame){mark, strlen(r->path)};
    r->frames++;
}

static void close_bracket(struct reader *r)
{
    r->frames -= r->frames > 0;
    r->path[r->frames > 0 && r->frames <= FRAMES_MAX ? r->frame[r->frames - 1].path : 0] = '\0';
}

/* The name of the function called, its last part without `Config`, in `out`; "" for another expression. */
static void callee(const char *p, const char *end, char out[PATH_BYTES])
{
    const char *from = p;
    while (p < end && (python_is_name(*p) || *p == '.')) {
        from = *p == '.' ? p + 1 : from;
        p++;
    }
    static const char suffix[] = "Config";
    size_t n = p < end && *p == '(' && p - from < PATH_BYTES ? (size_t)(p - from) : 0;
    snprintf(out, PATH_BYTES, "%.*s", (int)n, from);
    if (text_ends_with(out, suffix))
        out[n - strlen(suffix)] = '\0';
}

/* What the name in `path` stands for from now on; `value` NULL: it is computed. */
static void keep_name(struct reader *r, const char *value)
{
    const struct keyval *before = keyvals_last(&r->names, r->path);
    if (value && r->names.count < SETTINGS_MAX && !is_conditional(r))
        keyvals_add(&r->names, r->path, value, 0);
    else if (before && strcmp(before->value, PYTHON_OPEN) != 0)
        keyvals_add(&r->names, r->path, PYTHON_OPEN, 0);
}

/* Where a value ends. What looking costs is counted: names in names would be read over and over. */
static const char *past_value(struct reader *r, const char *p, bool is_line)
{
    const char *end = r->looked > LOOKED_MAX ? p : python_past_value(p, is_line);
    size_t size = (size_t)(end - p);
    r->looked += size + (size < VALUE_SEARCHED ? size : VALUE_SEARCHED) * r->names.count / 8;
    return end;
}

/* `name = value` from the value on, and what the name is from now on. */
static void take_value(struct reader *r, const char *name, size_t n, const char *p, bool is_changed)
{
    char called[PATH_BYTES];
    const char *end = past_value(r, p, r->frames == 0), *dot = memchr(name, '.', n);
    size_t base = r->frames > 0 && r->frames <= FRAMES_MAX ? r->frame[r->frames - 1].path : 0;
    const char *from = r->frames == 0 && dot ? dot + 1 : name;
    n -= (size_t)(from - name);
    if (base + n + 2 >= PATH_BYTES)
        return;
    snprintf(r->path + base, PATH_BYTES - base, "%s%.*s", base ? "." : "", (int)n, from);
    p = python_past_blank(p, end);
    char *value = is_changed ? NULL : python_value(&r->names, p, end);
    callee(p, end, called);
    bool is_plain = r->frames == 0 && !dot;
    if (*called && !value)
        add(r, r->path, CALLED, called);
    if (value || is_changed || (p < end && !*called && *p != '{'))
        add(r, r->path, GIVEN, value);
    if (is_plain || r->is_definition)
        keep_name(r, value);
    if (is_plain && !(*called && begins_path(r->row, r->path)))
        r->path[0] = '\0'; /* what is given a name is no part of a path, but where the row has one that begins so */
    free(value);
}

/* A model that is loaded by its name, or made from one: the first argument. */
static void take_pretrained(struct reader *r, const char *name, size_t n, const char *p)
{
    static const char suffix[] = "pretrained";
    if (r->frames > FRAMES_MAX || n < strlen(suffix) || *p != '(' ||
        strncmp(name + n - strlen(suffix), suffix, strlen(suffix)) != 0)
        return;
    char *value = python_literal(&r->names, p + 1, past_value(r, p + 1, false));
    if (value && strchr(value, '/'))
        add(r, "hf_path", GIVEN, value);
    free(value);
}

/* Notes a class passed as an argument or a function call that turns something on; `next` is the character after it. */
static void take_mention(struct reader *r, const char *name, size_t n, char next)
{
    char text[PATH_BYTES];
    if (n >= PATH_BYTES || r->is_definition || (r->frames == 0 && next != '('))
        return;
    snprintf(text, sizeof text, "%.*s", (int)n, name);
    add(r, text, MENTIONED, "1");
}

/* Where a value stands behind a name, or behind the type that an annotation gives it; NULL for none. */
static const char *find_value(const struct reader *r, const char *p, bool *is_changed)
{
    bool is_call = r->frames > 0 && r->frames <= FRAMES_MAX && r->frame[r->frames - 1].mark == '(';
    bool is_typed = *p == ':' && (r->frames == 0 || (is_call && r->is_definition));
    if (is_typed) {
        for (p++; *p && !strchr("=,)\n", *p); p += *p && *p != '\n')
            p += *p == '[' ? strcspn(p, "]\n") : 0;
    }
    *is_changed = r->frames == 0 && *p && strchr("*/+-", *p) && p[1] == '=';
    p += *is_changed;
    bool is = *p == '=' && p[1] != '=' && (r->frames == 0 || is_call);
    return is ? p + 1 : NULL;
}

/* A name, and the value that it is given; returns where reading goes on. */
static const char *take_name(struct reader *r, const char *p)
{
    size_t n = 0;
    bool is_changed = false;
    while (python_is_name(p[n]) || (p[n] == '.' && r->frames == 0 && python_is_name(p[n + 1])))
        n++;
    const char *last = p;
    for (size_t i = 0; i <= n; i++)
        if (i == n || p[i] == '.') {
            look_for_recipe(r, last, (size_t)(p + i - last));
            last = i == n ? last : p + i + 1;
        }
    take_pretrained(r, last, (size_t)(p + n - last), p + n);
    take_mention(r, last, (size_t)(p + n - last), p[n]);
    const char *value = find_value(r, p + n + strspn(p + n, " \t"), &is_changed);
    if (!value && r->is_definition && r->frames == 1 && n < PATH_BYTES) { /* a parameter without a default */
        snprintf(r->path, sizeof r->path, "%.*s", (int)n, p);
        keep_name(r, NULL);
        r->path[0] = '\0';
    }
    if (!value || r->frames > FRAMES_MAX)
        return p + n;
    take_value(r, p, n, value, is_changed);
    return value;
}

/* `"name": value` of a dictionary; returns where reading goes on. */
static const char *take_string(struct reader *r, const char *p)
{
    const char *end = python_past_string(p), *mark = end + strspn(end, " \t");
    bool is_key = r->frames > 0 && r->frames <= FRAMES_MAX && r->frame[r->frames - 1].mark == '{' && *mark == ':';
    if (!is_key || end - p < 3)
        return end;
    take_value(r, p + 1, (size_t)(end - p - 2), mark + 1, false);
    return mark + 1;
}

static void read(struct reader *r, const char *p)
{
    bool is_start = true;
    while (*p) {
        if (is_start && r->frames == 0)
            begin_statement(r, p);
        is_start = *p == '\n';
        r->line += *p == '\n';
        const char *from = p;
        if (is_start && r->frames == 0)
            r->path[0] = '\0';
        if (*p == '#')
            p = python_past_comment(p);
        else if (strchr("'\"", *p))
            p = take_string(r, p);
        else if (python_is_name(*p) && !isdigit((unsigned char)*p))
            p = take_name(r, p);
        else if (strchr("([{", *p))
            open_bracket(r, *p++);
        else if (strchr(")]}", *p)) {
            close_bracket(r);
            p++;
        } else
            p++;
        for (const char *q = from + 1; q < p; q++)
            r->line += *q == '\n';
    }
}

/* ---- all together ----------------------------------------------------------------------------------------------- */

/* Reads a program as a row says; NULL: none. */
static void look_as(const struct row *row, const char *text, struct program *out)
{
    struct reader r = {.row = row, .out = out, .line = 1};
    out->kind = KIND_PYTHON;
    if (!row)
        return;
    read(&r, text);
    if (*r.recipe && !keyvals_last(&out->settings, "recipe"))
        keyvals_add(&out->settings, "recipe", r.recipe, 0);
    out->kind = out->settings.count > 0 && r.looked <= LOOKED_MAX ? row->kind : KIND_PYTHON;
    out->functions = row->is_first ? out->functions : 0;
    keyvals_free(&r.names);
}

void program_look(const char *text, struct program *out)
{
    look_as(find_row(text), text, out);
}

void program_look_any(const char *text, struct program *out)
{
    static const struct row any = {"", KIND_OTHER, ALL, "*", ""};
    look_as(&any, text, out);
}

void program_rename(enum plan_kind kind, struct keyvals *settings)
{
    char name[PATH_BYTES];
    for (size_t i = 0; i < LENGTH(rows); i++)
        for (size_t k = 0; k < settings->count && rows[i].kind == kind; k++)
            if (translate(&rows[i], settings->item[k].key, GIVEN, name)) {
                free(settings->item[k].key);
                settings->item[k].key = xstrdup(name);
            }
}
