/*
 * src/shell/command.c - simple commands: assignments, what the shell does itself, redirections, and what is handed out.
 */
#include "core/base.h"
#include "src/shell/expand.h"
#include "src/shell/lex.h"
#include "src/shell/run.h"
#include "src/shell/state.h"
#include "src/shell/vars.h"
#include "src/shell/words.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_one_of(const char *text, const char *const *list)
{
    while (*list && strcmp(text, *list) != 0)
        list++;
    return *list != NULL;
}

/* ---- assignments ----------------------------------------------------------------------------------------------- */

/* An assignment found in the text: name, `=` or `+=`, and where the value begins. */
struct assignment {
    const char *name, *value;
    size_t name_size;
    bool has_subscript, is_added;
};

static bool assignment_at(const struct reader *r, struct assignment *a)
{
    const char *p = r->at + marks_size(r->at, r->end);
    *a = (struct assignment){.name = p};
    if (p >= r->end || !is_name_start(*p))
        return false;
    a->name_size = name_size(p, r->end);
    p += a->name_size;
    const char *close = p < r->end && *p == '[' ? memchr(p, ']', (size_t)(r->end - p)) : NULL;
    a->has_subscript = close != NULL;
    p = close ? close + 1 : p;
    a->is_added = p + 1 < r->end && p[0] == '+' && p[1] == '=';
    p += a->is_added;
    a->value = p + 1;
    return p < r->end && *p == '=';
}

/* The elements between the parentheses of `A=( ... )`; the reader stands after the opening one. */
static void take_array(struct shell *sh, struct reader *r, struct words *w)
{
    int line = r->line;
    for (reader_skip_lines(r); r->at < r->end && *r->at != ')' && !sh->is_failed; reader_skip_lines(r)) {
        const char *before = r->at;
        expand_word(sh, r, w);
        reader_progress(sh, r, before);
    }
    if (!reader_take(r, ")"))
        shell_fail(sh, line, "an array `(` is opened here and never closed; add `)`");
}

/* True when a part of a marked text is not known. */
static bool has_unknown(const char *marked)
{
    struct plain plain = plain_of(marked);
    free(plain.text);
    return plain.unknown != 0;
}

/* `NAME[KEY]=value`: the element alone, where the array is not one of numbers; its whole is not known any more. */
static void set_element(struct shell *sh, const char *name, const char *key, const struct words *value, int line)
{
    const struct variable *v = variable_find(sh, name);
    bool is_numbered = v && v->is_array, is_key = !has_unknown(key);
    char *element = element_name(name, key);
    if (!is_numbered && is_key)
        variable_assign(sh, element, value, false, false, line);
    variable_set_unknown(sh, name, reason_variable(sh, name, REASON_ARRAY), line);
    free(element);
}

/* The elements of `NAME=([a]=1 [b]=2)`; false where they have no keys. */
static bool set_elements(struct shell *sh, const char *name, const struct words *items, int line)
{
    for (size_t i = 0; i < items->count; i++) {
        const char *item = items->item[i] + marks_size(items->item[i], items->item[i] + strlen(items->item[i]));
        const char *close = *item == '[' ? strstr(item, "]=") : NULL;
        if (!close)
            return false;
        char *key = xstrndup(item + 1, (size_t)(close - item - 1)), *value = xstrdup(close + 2);
        set_element(sh, name, key, &(struct words){.item = &value, .count = 1}, line);
        free(key);
        free(value);
    }
    return items->count > 0;
}

/* `NAME[KEY]=value` at the reader. */
static void assign_element(struct shell *sh, const struct assignment *a, const char *name, const struct words *value,
                           int line)
{
    const char *sub = a->name + a->name_size + 1, *close = memchr(sub, ']', (size_t)(a->value - sub));
    char *key = expand_whole(sh, sub, close, true, line);
    if (a->is_added)
        variable_set_unknown(
            sh, name, reason_source(sh, a->name, (size_t)(a->value - 1 - a->name), REASON_NOT_EVALUATED), line);
    else
        set_element(sh, name, key, value, line);
    free(key);
}

/* Reads past the assignment at the reader and, unless it is only skipped, carries it out. */
static void run_assignment(struct shell *sh, struct reader *r, const struct assignment *a)
{
    int line = r->line;
    bool is_array = a->value < r->end && *a->value == '(';
    char *name = xstrndup(a->name, a->name_size);
    struct words value = {.line = line, .is_unsplit = !is_array};
    reader_move(r, a->value + is_array);
    if (is_array)
        take_array(sh, r, &value);
    else
        expand_word(sh, r, &value);
    if (shell_is_live(sh) && a->has_subscript)
        assign_element(sh, a, name, &value, line);
    else if (shell_is_live(sh) && !(is_array && !a->is_added && set_elements(sh, name, &value, line)))
        variable_assign(sh, name, &value, is_array, a->is_added, line);
    words_free(&value);
    free(name);
}

static void skip_assignment(struct shell *sh, struct reader *r, const struct assignment *a)
{
    bool is_skipped = sh->frame.is_skipped;
    sh->frame.is_skipped = true;
    run_assignment(sh, r, a);
    sh->frame.is_skipped = is_skipped;
}

/* ---- commands that are handed out ------------------------------------------------------------------------------ */

void command_make(const struct shell *sh, const struct words *w, int line, struct shell_command *c)
{
    *c = (struct shell_command){.count = w->count, .line = line};
    c->word = xmalloc((w->count + 1) * sizeof *c->word);
    for (size_t i = 0; i < w->count; i++) {
        struct plain p = plain_of(w->item[i]);
        int why = p.unknown ? p.unknown : p.doubt;
        c->word[i] = (struct shell_word){p.text, p.line ? p.line : line, p.unknown != 0, p.doubt != 0,
                                         why ? shell_reason_copy(sh->reason[why]) : NULL};
    }
}

static void command_record(struct shell *sh, const struct words *w, int line)
{
    struct shell_script *out = sh->out;
    if (out->count == sh->command_capacity) {
        sh->command_capacity = sh->command_capacity ? 2 * sh->command_capacity : 64;
        out->command = xrealloc(out->command, sh->command_capacity * sizeof *out->command);
    }
    struct shell_command *c = &out->command[out->count++];
    command_make(sh, w, line, c);
    c->parent = sh->parent;
    c->is_uncertain = sh->frame.doubt != 0;
    keyvals_join(&c->environment, &sh->front);
}

/* Reads what follows a command just recorded, which starts it. */
static void run_below(struct shell *sh, const char *marked, int line)
{
    size_t parent = sh->parent;
    sh->parent = sh->out->count;
    if (shell_spend(sh, strlen(marked), line))
        run_evaluated(sh, marked, line);
    sh->parent = parent;
}

static void run_file(struct shell *sh, const char *written, int line)
{
    char *text = xstrdup(written); /* the list of files may grow */
    run_below(sh, text, line);
    free(text);
}

/* Reads the text that `xpk workload create --command TEXT` starts on a cluster; false for what is not xpk's. */
static bool run_workload(struct shell *sh, const struct words *w, int line)
{
    static const char option[] = "--command=";
    const struct shell_command *c = &sh->out->command[sh->out->count - 1];
    bool is_xpk = strcmp(c->word[0].text, "xpk") == 0 || (c->count > 1 && text_ends_with(c->word[1].text, "xpk.py"));
    for (size_t i = 1; is_xpk && i < c->count; i++) {
        const char *word = c->word[i].text, *text = NULL;
        if (strncmp(word, option, strlen(option)) == 0)
            text = strchr(w->item[i], '=') + 1;
        else if (strncmp(word, option, strlen(option) - 1) == 0 && i + 1 < c->count)
            text = w->item[i + 1];
        if (!text)
            continue;
        run_below(sh, text, line);
        break;
    }
    return is_xpk;
}

/* Reads the text of `bash -c TEXT`, `ssh HOST TEXT` or `bash FILE`, of one that the script wrote, anywhere in it. */
static void run_inline_shell(struct shell *sh, const struct words *w, int line)
{
    static const char *const shell_name[] = {"bash", "sh", "/bin/bash", "/bin/sh", "zsh", NULL};
    static const char *const remote[] = {"ssh", "pdsh", "/usr/bin/ssh", NULL};
    if (run_workload(sh, w, line))
        return;
    const struct shell_command *c = &sh->out->command[sh->out->count - 1];
    if (c->count > 2 && is_one_of(c->word[0].text, remote) && strchr(c->word[c->count - 1].text, ' ')) {
        run_below(sh, w->item[c->count - 1], line);
        return;
    }
    size_t at = 0;
    while (at < c->count && !is_one_of(c->word[at].text, shell_name))
        at++;
    for (at++; at < c->count; at++) {
        const char *word = c->word[at].text;
        size_t n = strlen(word);
        bool is_text = n >= 2 && word[0] == '-' && word[1] != '-' && word[n - 1] == 'c' && at + 1 < c->count;
        const struct keyval *file = keyvals_last(&sh->out->file, word + (strncmp(word, "./", 2) == 0 ? 2 : 0));
        if (is_text)
            run_below(sh, w->item[at + 1], line);
        else if (*word != '-' && file)
            run_file(sh, file->value, line);
        if (is_text || *word != '-')
            return;
    }
}

/* ---- what the shell does itself -------------------------------------------------------------------------------- */

enum builtin {
    DO_TEST, DO_TRUE, DO_FALSE, DO_EXIT, DO_RETURN, DO_BREAK, DO_CONTINUE, DO_SHIFT, DO_UNSET, DO_READ, DO_EVAL,
    DO_SOURCE
};

static const struct {
    const char *name;
    enum builtin what;
} builtin_row[] = {
    {"[", DO_TEST},         {"test", DO_TEST},     {"true", DO_TRUE},   {":", DO_TRUE},           {"false", DO_FALSE},
    {"exit", DO_EXIT},      {"return", DO_RETURN}, {"break", DO_BREAK}, {"continue", DO_CONTINUE}, {"shift", DO_SHIFT},
    {"unset", DO_UNSET},    {"read", DO_READ},     {"eval", DO_EVAL},   {"source", DO_SOURCE},    {".", DO_SOURCE},
};

/* The number behind a command, or `fallback` where there is none. */
static long number_behind(const struct words *w, long fallback)
{
    char *text = w->count > 1 ? plain_text(w->item[1]) : NULL;
    long n = text ? strtol(text, NULL, 10) : fallback;
    free(text);
    return n;
}

static void shift(struct shell *sh, long n)
{
    size_t left = sh->argument ? sh->argument->count - sh->shifted : 0;
    sh->shifted += n <= 0 ? 0 : (size_t)n < left ? (size_t)n : left;
}

/* `unset` takes the values of the named variables away, `read` makes them unknown. */
static void change_named(struct shell *sh, const struct words *w, enum builtin what, int line)
{
    int why = reason_source(sh, "`read`", strlen("`read`"), REASON_NOT_EXECUTED);
    for (size_t i = 1; i < w->count; i++) {
        char *name = plain_text(w->item[i]);
        struct variable *v = variable_find(sh, name);
        bool is_name = is_name_start(name[0]) && !name[name_size(name, name + strlen(name))];
        if (what == DO_READ && is_name)
            variable_set_unknown(sh, name, why, line);
        else if (what == DO_UNSET && v)
            variable_clear(v);
        free(name);
    }
}

static void evaluate(struct shell *sh, const struct words *w, int line)
{
    struct buffer whole = {0};
    for (size_t i = 1; i < w->count; i++)
        buffer_printf(&whole, i > 1 ? " %s" : "%s", w->item[i]);
    if (whole.text && shell_spend(sh, whole.size, line))
        run_evaluated(sh, whole.text, line);
    buffer_free(&whole);
}

static void note_source(struct shell *sh, const struct words *w, int line)
{
    struct plain path = plain_of(w->count > 1 ? w->item[1] : "");
    errors_note(sh->errors, sh->name, line, NULL, "the file %s%s is not read; its settings are unknown",
                path.unknown ? "..." : "", path.text);
    free(path.text);
}

/* The path of a sourced file in fresh memory; NULL where it is not looked for. */
static char *sourced_path(const struct shell *sh, const struct plain *path)
{
    const char *folder = sh->options ? sh->options->folder : NULL, *text = path->text;
    if (!folder || !*text || (!path->unknown && *text == '/'))
        return NULL;
    text += strspn(text, "/");
    return *text ? xasprintf("%s/%s", folder, text) : NULL;
}

/* Reads a text as if it stood here; what is wrong with it is forgotten, and then it is not read. */
static bool run_sourced(struct shell *sh, const char *text, int line)
{
    struct errors *errors = sh->errors, own = {0};
    struct frame frame = sh->frame;
    int depth = sh->depth;
    sh->errors = &own;
    run_evaluated(sh, text, line);
    sh->errors = errors;
    sh->is_returning = false;
    bool is_read = !sh->is_failed;
    if (!is_read) {
        sh->is_failed = false;
        sh->frame = frame;
        sh->depth = depth;
    }
    errors_free(&own);
    return is_read;
}

/* How many folders above the script's its repository begins; 0 where it lies in none. */
static int folders_up(const char *folder)
{
    enum { UP_MAX = 4 };
    struct buffer path = {0};
    int found = 0;
    buffer_printf(&path, "%s/", folder);
    for (int up = 0; up <= UP_MAX && !found; up++) {
        char *mark = xasprintf("%s.git", path.text);
        found = access(mark, F_OK) == 0 ? up : 0;
        buffer_puts(&path, "../");
        free(mark);
    }
    buffer_free(&path);
    return found;
}

/*
 * The text of a file of which an end of the path, with its folder, lies in the script's own repository; fresh memory.
 */
static char *read_in_tree(const struct shell *sh, const char *text, size_t *size)
{
    const char *folder = sh->options ? sh->options->folder : NULL;
    int top = folder && !strstr(text + strspn(text, "./"), "..") ? folders_up(folder) : -1;
    char *found = NULL;
    for (const char *end = text + strspn(text, "./"); top >= 0 && !found && strchr(end, '/');
         end = strchr(end, '/') + 1) {
        struct buffer path = {0};
        buffer_printf(&path, "%s/", folder);
        for (int up = 0; up <= top && !found; up++) {
            char *name = xasprintf("%s%s", path.text, end);
            found = sh->options->read(sh->options->context, name, size);
            buffer_puts(&path, "../");
            free(name);
        }
        buffer_free(&path);
    }
    return found;
}

/* `source FILE`: a file of the script's own tree is read, of another one it is only said that it is not. */
static void source_file(struct shell *sh, const struct words *w, int line)
{
    enum { SIZE_MAX_BYTES = 256 * 1024 };
    struct plain path = plain_of(w->count > 1 ? w->item[1] : "");
    size_t size = 0;
    char *name = sh->sourced < SHELL_SOURCED_MAX ? sourced_path(sh, &path) : NULL;
    char *text = name ? sh->options->read(sh->options->context, name, &size) : NULL;
    if (!text && sh->sourced < SHELL_SOURCED_MAX)
        text = read_in_tree(sh, path.text, &size);
    sh->sourced += text != NULL;
    char *safe = text && size <= SIZE_MAX_BYTES && shell_spend(sh, size, line) ? unmarked(text) : NULL;
    if (!safe || !run_sourced(sh, safe, line))
        note_source(sh, w, line);
    free(safe);
    free(text);
    free(name);
    free(path.text);
}

/* `printf -v NAME FORMAT WORDS` with `%s` and `%d`; any other use leaves the variable unknown. */
static void print_into(struct shell *sh, const struct words *w, int line)
{
    struct words value = {.line = line, .is_unsplit = true};
    char *name = plain_text(w->item[2]), *format = plain_text(w->count > 3 ? w->item[3] : "");
    size_t at = 4;
    bool is_known = is_name_start(name[0]) && !name[name_size(name, name + strlen(name))];
    words_open(&value);
    for (const char *p = format; *p && is_known; p++) {
        bool is_item = p[0] == '%' && p[1] && strchr("sdi", p[1]);
        is_known = is_item ? at < w->count : !strchr("%\\", *p);
        if (is_item && is_known)
            words_value(sh, &value, w->item[at++], true);
        else if (is_known)
            words_put(sh, &value, *p);
        p += is_item;
    }
    words_close(sh, &value);
    if (is_known)
        variable_assign(sh, name, &value, false, false, line);
    else if (is_name_start(name[0]))
        variable_set_unknown(sh, name, reason_source(sh, "`printf`", strlen("`printf`"), REASON_NOT_EVALUATED), line);
    words_free(&value);
    free(name);
    free(format);
}

/* True for `printf -v NAME ...`. */
static bool is_print_into(const struct words *w)
{
    char *name = plain_text(w->item[0]), *option = plain_text(w->count > 2 ? w->item[1] : "");
    bool is_it = strcmp(name, "printf") == 0 && strcmp(option, "-v") == 0;
    free(name);
    free(option);
    return is_it;
}

static struct verdict run_builtin(struct shell *sh, enum builtin what, const struct words *w, int line)
{
    bool is_certain = !sh->frame.doubt;
    switch (what) {
    case DO_TEST:
        return test_command(sh, w);
    case DO_TRUE:
        return (struct verdict){YES, 0};
    case DO_FALSE:
        return (struct verdict){NO, 0};
    case DO_EXIT:
        sh->is_stopped |= is_certain && number_behind(w, 0) == 0;
        break;
    case DO_RETURN:
        sh->is_returning |= is_certain && sh->argument;
        break;
    case DO_BREAK:
        sh->is_breaking |= is_certain;
        break;
    case DO_CONTINUE:
        sh->is_continuing |= is_certain;
        break;
    case DO_SHIFT:
        shift(sh, number_behind(w, 1));
        break;
    case DO_UNSET:
    case DO_READ:
        change_named(sh, w, what, line);
        break;
    case DO_EVAL:
        evaluate(sh, w, line);
        break;
    case DO_SOURCE:
        source_file(sh, w, line);
        break;
    }
    return COMMAND_ASSUMED;
}

static struct verdict call_function(struct shell *sh, const struct function *function, const struct words *w)
{
    struct words argument = {.item = w->item + 1, .count = w->count - 1};
    const struct words *outer = sh->argument;
    size_t shifted = sh->shifted;
    struct reader body = function->body; /* a copy: the call may define functions */
    sh->argument = &argument;
    sh->shifted = 0;
    struct verdict v = run_command(sh, &body);
    sh->argument = outer;
    sh->shifted = shifted;
    sh->is_returning = false;
    return v;
}

static struct verdict dispatch(struct shell *sh, const struct words *w, int line)
{
    char *name = plain_text(w->item[0]);
    struct verdict v = COMMAND_ASSUMED;
    size_t f = sh->functions, b = 0, builtins = LENGTH(builtin_row);
    while (f > 0 && strcmp(sh->function[f - 1].name, name) != 0)
        f--;
    while (b < builtins && strcmp(builtin_row[b].name, name) != 0)
        b++;
    free(name);
    if (f > 0) {
        v = call_function(sh, &sh->function[f - 1], w);
    } else if (b < builtins) {
        v = run_builtin(sh, builtin_row[b].what, w, line);
    } else if (is_print_into(w)) {
        print_into(sh, w, line);
    } else {
        command_record(sh, w, line);
        run_inline_shell(sh, w, line);
    }
    return v;
}

/* ---- redirections ---------------------------------------------------------------------------------------------- */

/* Remembers a here-document whose end is named at the reader, up to `stop`. */
static void announce_heredoc(struct reader *r, const char *stop, bool is_indented)
{
    stop -= stop > r->at && stop[-1] == '\r';
    if (stop == r->at || r->heredocs >= HEREDOCS_MAX)
        return;
    bool is_quoted = strchr("'\"", *r->at) && stop - r->at >= 2 && stop[-1] == *r->at, is_escaped = *r->at == '\\';
    r->heredoc[r->heredocs].word = r->at + (is_quoted || is_escaped);
    r->heredoc[r->heredocs].size = (size_t)(stop - r->at) - (is_quoted ? 2 : is_escaped);
    r->heredoc[r->heredocs].is_quoted = is_quoted || is_escaped;
    r->heredoc[r->heredocs++].is_indented = is_indented;
}

static void set_target(struct shell *sh, char *target)
{
    free(sh->target);
    sh->target = target;
}

/* The end of a placeholder such as `<PATH TO THE DATASET>`, which its user is to fill in; NULL for anything else. */
static const char *placeholder_end(const char *p, const char *end)
{
    const char *at = p + 1;
    bool has_blank = false;
    if (*p != '<' || at >= end || !isalpha((unsigned char)*at))
        return NULL;
    for (; at < end && (isalnum((unsigned char)*at) || strchr(" _-./,", *at)); at++)
        has_blank |= *at == ' ';
    bool is_told = has_blank || isupper((unsigned char)p[1]);
    return is_told && at < end && *at == '>' && isalnum((unsigned char)at[-1]) ? at + 1 : NULL;
}

/* Passes over a piece of text that stands for an unknown word. */
static void pass_unknown(struct shell *sh, struct reader *r, struct words *w, const char *close)
{
    w->line = r->line;
    if (shell_is_live(sh))
        words_unknown(sh, w, reason_source(sh, r->at, (size_t)(close - r->at), REASON_NOT_EXECUTED));
    words_close(sh, w);
    reader_move(r, close);
}

bool skip_redirection(struct shell *sh, struct reader *r, struct words *w)
{
    const char *p = r->at, *start = p, *filled = placeholder_end(p, r->end);
    if (filled) {
        pass_unknown(sh, r, w, filled);
        return true;
    }
    while (p < r->end && isdigit((unsigned char)*p))
        p++;
    if (p >= r->end || !(strchr("<>", *p) || (p == r->at && reader_starts(r, "&>"))))
        return false;
    if (p + 1 < r->end && p[1] == '(') {
        const char *close = scan(sh, p + 2, r->end, SCAN_PAREN, r->line);
        pass_unknown(sh, r, w, close + (close < r->end));
        return true;
    }
    size_t n = strspn(p, "<>&|");
    bool is_heredoc = n == 2 && memcmp(p, "<<", 2) == 0, is_indented = is_heredoc && p[2] == '-';
    r->at = p + n + is_indented;
    reader_skip_blank(r);
    const char *stop = scan(sh, r->at, r->end, SCAN_WORD, r->line);
    if (is_heredoc)
        announce_heredoc(r, stop, is_indented);
    if (*p == '>' && shell_is_live(sh) && strncmp(r->at, "--", 2) == 0)
        errors_warn(sh->errors, sh->name, r->line, NULL,
                    "%.*s is read as a file name because of the `>` before it, as in `<NAME>`, and is not passed",
                    (int)(stop - r->at), r->at);
    if (*p == '>' && p == start && shell_is_live(sh)) /* not that of faults, `2>` */
        set_target(sh, expand_whole(sh, r->at, stop, false, r->line)), sh->appends = n > 1 && p[1] == '>';
    reader_move(r, stop);
    return true;
}

/* ---- files that are written ------------------------------------------------------------------------------------ */

/* A text with `null` for what is not known. */
static char *known_text(const char *marked)
{
    struct buffer out = {0};
    char letter;
    int number;
    buffer_puts(&out, "");
    while (*marked) {
        size_t n = mark_at(marked, &letter, &number);
        if (n > 0)
            buffer_puts(&out, letter == 'U' ? "null" : "");
        else
            buffer_add(&out, marked, 1);
        marked += n ? n : 1;
    }
    return out.text;
}

/* Keeps what `cat <<END > FILE`, `tee FILE <<END` and `echo TEXT > FILE` write. */
static void keep_written(struct shell *sh, const struct reader *r, const struct words *w)
{
    char *program = plain_text(w->count ? w->item[0] : ""), *marked = NULL;
    bool is_tee = strcmp(program, "tee") == 0 && w->count == 2, is_echo = strcmp(program, "echo") == 0 && w->count == 2;
    char *name = plain_text(is_tee ? w->item[1] : sh->target ? sh->target : "");
    if (r->heredocs == 1 && !r->is_nested && (is_tee || strcmp(program, "cat") == 0)) {
        size_t size;
        const char *body = reader_heredoc(r, &size);
        marked = r->heredoc[0].is_quoted ? xstrndup(body, size) : expand_whole(sh, body, body + size, true, r->line);
    } else if (is_echo) {
        marked = xstrdup(w->item[1]);
    }
    if (marked && *name && shell_spend(sh, strlen(marked), r->line)) {
        const char *path = name + (strncmp(name, "./", 2) == 0 ? 2 : 0);
        const struct keyval *before = sh->appends && !is_tee ? keyvals_last(&sh->out->file, path) : NULL;
        char *text = known_text(marked), *whole = before ? xasprintf("%s\n%s", before->value, text) : NULL;
        keyvals_add(&sh->out->file, path, whole ? whole : text, r->line);
        free(whole);
        free(text);
    }
    free(marked);
    free(name);
    free(program);
}

/* ---- simple commands ------------------------------------------------------------------------------------------- */

static const char *const declarations[] = {"export", "declare", "local", "readonly", "typeset", NULL};

static bool is_declaration(const struct words *w)
{
    char *first = plain_text(w->count ? w->item[0] : "");
    bool is_found = is_one_of(first, declarations);
    free(first);
    return is_found;
}

/* The same of the word at the reader, for commands that are only skipped and whose words nobody keeps. */
static bool begins_declaration(const struct reader *r)
{
    for (const char *const *name = declarations; *name; name++)
        if (reader_is_word(r, *name))
            return true;
    return false;
}

/* `read -r -d '' NAME <<END`: the here-document is the variable's value. */
static void read_heredoc(struct shell *sh, const struct reader *r, const struct words *w)
{
    char *program = plain_text(w->item[0]), *name = plain_text(w->item[w->count - 1]);
    bool is_name = is_name_start(name[0]) && !name[name_size(name, name + strlen(name))];
    if (strcmp(program, "read") == 0 && w->count > 1 && is_name && r->heredocs == 1 && !r->is_nested) {
        size_t size;
        const char *body = reader_heredoc(r, &size);
        char *marked =
            r->heredoc[0].is_quoted ? xstrndup(body, size) : expand_whole(sh, body, body + size, true, r->line);
        if (shell_spend(sh, strlen(marked), r->line))
            variable_assign(sh, name, &(struct words){.item = &marked, .count = 1, .line = r->line}, false, false,
                            r->line);
        free(marked);
    }
    free(program);
    free(name);
}

/*
 * Takes the words, assignments and redirections of a simple command; assignments in front of it are carried out only
 * with `is_alone`. Returns whether there is a command at all.
 */
static bool take_parts(struct shell *sh, struct reader *r, struct words *w, bool is_alone)
{
    struct assignment a;
    bool is_named = false, is_declared = false;
    for (reader_skip_blank(r); !reader_is_command_end(r) && !sh->is_failed; reader_skip_blank(r)) {
        const char *before = r->at;
        if (skip_redirection(sh, r, w))
            continue;
        bool is_assignment = (!is_named || is_declared || is_declaration(w)) && assignment_at(r, &a);
        is_declared |= !is_named && begins_declaration(r);
        if (is_assignment && (is_named || is_alone))
            run_assignment(sh, r, &a);
        else if (is_assignment)
            skip_assignment(sh, r, &a);
        else if (*r->at != '(')
            expand_word(sh, r, w);
        is_named |= !is_assignment;
        reader_progress(sh, r, before);
    }
    return is_named;
}

/* The assignments in front of a command, for its environment; those that are not known are left out. */
static void take_front(struct shell *sh, struct reader r)
{
    struct assignment a;
    for (reader_skip_blank(&r); !sh->is_failed && assignment_at(&r, &a); reader_skip_blank(&r)) {
        struct words value = {.line = r.line, .is_unsplit = true};
        bool is_array = a.value < r.end && *a.value == '(';
        if (is_array || a.has_subscript)
            return;
        char *name = xstrndup(a.name, a.name_size);
        reader_move(&r, a.value);
        expand_word(sh, &r, &value);
        struct plain plain = plain_of(value.count == 1 ? value.item[0] : "");
        if (!plain.unknown)
            keyvals_add(&sh->front, name, plain.text, value.line);
        free(plain.text);
        free(name);
        words_free(&value);
    }
}

struct verdict run_simple(struct shell *sh, struct reader *r)
{
    struct reader start = *r;
    struct words w = {0};
    struct verdict v = {YES, 0};
    set_target(sh, NULL);
    bool is_named = take_parts(sh, r, &w, false);
    if (is_named && shell_is_live(sh) && w.count > 0)
        keep_written(sh, r, &w);
    set_target(sh, NULL);
    if (!is_named && shell_is_live(sh)) {
        *r = start;
        take_parts(sh, r, &w, true);
        set_target(sh, NULL); /* that of `NAME=VALUE > FILE`, met a second time */
    } else if (shell_is_live(sh) && w.count > 0 && !is_declaration(&w)) {
        keyvals_free(&sh->front);
        take_front(sh, start);
        v = dispatch(sh, &w, start.line);
        read_heredoc(sh, r, &w);
    }
    words_free(&w);
    return v;
}
