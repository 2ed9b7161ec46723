#include "src/shell.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/errors.h"
#include "src/text.h"

/*
 * Values carry marks that have no width: MARK, a letter, a number, MARK_END. `L12` says that the text after it was
 * written in line 12, `U3` stands for a part that is not known (reason 3), `D4` says that the value depends on
 * something that is not known (reason 4). So a variable can hold half-known text and still be split into words.
 */
enum { MARK = 1, MARK_END = 2, REASONS_MAX = 1024, SCANNED_MAX = 64 << 20, PATTERN_MAX = 4096, HEREDOCS_MAX = 8 };

/** Why something is not known; `is_unset` when it is only a variable that the script never sets. */
struct reason {
    char *text;
    bool is_unset;
};

struct variable {
    char *name;
    char **item;
    size_t count;
    bool is_array;
    int line;
    int construct, branch; /* undecided construct and its branch in which the value was given */
};

/** A growing list of words; `open` is the word being built. */
struct fields {
    char **item;
    size_t count, capacity;
    struct buffer open;
    bool is_open;
    int line, emitted; /* source line of what comes next; line of the last mark in the open word */
    int doubt, marked; /* reason why what comes next is in doubt; the doubt last marked in the open word */
};

/** A place in a text. `is_nested` texts (eval) have no lines of their own. */
struct reader {
    const char *at, *end;
    int line;
    bool is_nested;
    struct {
        const char *word;
        size_t size;
        bool is_indented;
    } heredoc[HEREDOCS_MAX];
    size_t heredocs;
};

struct function {
    char *name;
    struct reader body;
};

enum truth { NO, YES, MAYBE, ASSUMED };

/** Exit status of a command: ASSUMED counts as success between commands and as not known in a condition. */
struct verdict {
    enum truth truth;
    int doubt; /* reason why the status might be another, 0 for none */
};

/** How the text under the reader is taken: left out, or read with a doubt about whether it runs. */
struct frame {
    bool is_skipped;
    int doubt;
    int construct, branch;
};

struct shell {
    const char *name;
    struct errors *errors;
    struct shell_script *out;
    struct variable *variable;
    size_t variables, variable_capacity;
    struct function *function;
    size_t functions;
    struct reason *reason;
    size_t reasons;
    char **text; /* evaluated texts; functions may point into them */
    size_t texts;
    struct fields *argument; /* of the function that runs; NULL at the top */
    size_t shifted;
    struct frame frame;
    int constructs;
    size_t parent;
    size_t command_capacity;
    size_t expanded, scanned, commands;
    int depth;
    bool is_failed, is_stopped, is_returning, is_breaking, is_continuing;
};

static struct verdict run_list(struct shell *sh, struct reader *r);
static struct verdict run_command(struct shell *sh, struct reader *r);
static void expand(struct shell *sh, const char *p, const char *end, bool is_quoted, struct fields *f);
static void evaluate_text(struct shell *sh, const char *text, int line);

/* ---- faults and reasons ------------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void fail(struct shell *sh, int line, const char *format, ...)
{
    if (sh->is_failed)
        return;
    va_list args;
    va_start(args, format);
    char *what = xvasprintf(format, args);
    va_end(args);
    errors_add(sh->errors, sh->name, line, NULL, "%s", what);
    free(what);
    sh->is_failed = true;
}

/** Index of a reason, made on first use; takes `text`. */
static int reason_of(struct shell *sh, char *text, bool is_unset)
{
    for (size_t i = 1; i < sh->reasons; i++)
        if (sh->reason[i].is_unset == is_unset && strcmp(sh->reason[i].text, text) == 0) {
            free(text);
            return (int)i;
        }
    if (sh->reasons >= REASONS_MAX) {
        free(text);
        return REASONS_MAX - 1;
    }
    sh->reason = xrealloc(sh->reason, (sh->reasons + 1) * sizeof *sh->reason);
    sh->reason[sh->reasons] = (struct reason){text, is_unset};
    return (int)sh->reasons++;
}

/** A piece of script for a message: one line, marks removed, shortened. */
static char *excerpt(const char *text, size_t size)
{
    enum { SHOWN = 40 };
    struct buffer b = {0};
    buffer_puts(&b, "");
    for (size_t i = 0; i < size && b.size < SHOWN; i++) {
        if (text[i] == MARK)
            while (i < size && text[i] != MARK_END)
                i++;
        else if (!isspace((unsigned char)text[i]))
            buffer_add(&b, text + i, 1);
        else if (b.size > 0 && b.text[b.size - 1] != ' ')
            buffer_puts(&b, " ");
    }
    while (b.size > 0 && ((unsigned char)b.text[b.size - 1] & 0xC0) == 0x80 && b.size >= SHOWN)
        b.text[--b.size] = '\0';
    if (b.size >= SHOWN)
        buffer_puts(&b, "...");
    return b.text ? b.text : xstrdup("");
}

static int reason_command(struct shell *sh, const char *open, const char *text, size_t size, const char *close)
{
    char *shown = excerpt(text, size);
    char *why = xasprintf("comes from %s%s%s, which is not executed", open, shown, close);
    free(shown);
    return reason_of(sh, why, false);
}

static int reason_unset(struct shell *sh, const char *name)
{
    bool is_argument = !isalpha((unsigned char)name[0]) && name[0] != '_';
    return reason_of(sh,
                     is_argument ? xasprintf("comes from $%s, which is given when the script is run", name)
                                 : xasprintf("comes from $%s, which the script does not set", name),
                     true);
}

static int reason_form(struct shell *sh, const char *text, size_t size)
{
    char *shown = excerpt(text, size);
    char *why = xasprintf("comes from %s, a form that is not evaluated", shown);
    free(shown);
    return reason_of(sh, why, false);
}

/** What does not come from an unknown itself, but depends on it. */
static int reason_doubt(struct shell *sh, int reason)
{
    static const char from[] = "comes from ";
    const char *text = sh->reason[reason].text;
    if (strncmp(text, from, sizeof from - 1) != 0)
        return reason;
    return reason_of(sh, xasprintf("depends on %s", text + sizeof from - 1), false);
}

static bool is_live(const struct shell *sh)
{
    return !sh->frame.is_skipped && !sh->is_stopped && !sh->is_returning && !sh->is_breaking &&
           !sh->is_continuing && !sh->is_failed;
}

/** True while less than `bytes` of expansion remain allowed; a fault otherwise. */
static bool spend(struct shell *sh, size_t bytes, int line)
{
    sh->expanded += bytes;
    if (sh->expanded <= SHELL_EXPANDED_MAX)
        return !sh->is_failed;
    fail(sh, line, "the variables expand to more than 1 MiB; shorten the script");
    return false;
}

/* ---- marked text --------------------------------------------------------------------------------------------- */

/** Length of the mark at `p`, or 0; its letter and number go to `letter` and `number`. */
static size_t mark_at(const char *p, char *letter, int *number)
{
    if (p[0] != MARK || !p[1])
        return 0;
    size_t n = 2;
    int value = 0;
    for (; p[n] >= '0' && p[n] <= '9' && value < 100000000; n++)
        value = value * 10 + (p[n] - '0');
    *letter = p[1];
    *number = value;
    return p[n] == MARK_END ? n + 1 : n;
}

/** What a marked text says without its marks; the first unknown part, doubt and line go to the last three. */
static char *plain(const char *text, int *unknown, int *doubt, int *line)
{
    struct buffer b = {0};
    buffer_puts(&b, "");
    char letter;
    int number;
    int *const slot[] = {unknown, doubt, line};
    static const char letters[] = "UDL";
    for (size_t i = 0; i < sizeof slot / sizeof *slot; i++)
        if (slot[i])
            *slot[i] = 0;
    while (*text) {
        size_t n = mark_at(text, &letter, &number);
        if (n == 0) {
            size_t run = strcspn(text, "\001");
            buffer_add(&b, text, run ? run : 1);
            text += run ? run : 1;
            continue;
        }
        const char *which = strchr(letters, letter);
        if (which && slot[which - letters] && *slot[which - letters] == 0)
            *slot[which - letters] = number;
        text += n;
    }
    return b.text ? b.text : xstrdup("");
}

/* ---- fields -------------------------------------------------------------------------------------------------- */

static void field_mark(struct fields *f, char letter, int number)
{
    buffer_printf(&f->open, "%c%c%d%c", MARK, letter, number, MARK_END);
    f->is_open = true;
}

/** Makes sure that a word is open and, before visible text, that its line and its doubt are marked. */
static void field_begin(struct fields *f, bool is_visible)
{
    if (!f->is_open) {
        f->is_open = true;
        f->emitted = f->marked = 0;
        buffer_puts(&f->open, "");
    }
    if (is_visible && f->doubt != f->marked) {
        field_mark(f, 'D', f->doubt);
        f->marked = f->doubt;
    }
    if (is_visible && f->line > 0 && f->line != f->emitted &&
        (f->open.size == 0 || f->open.text[f->open.size - 1] == MARK_END ||
         isspace((unsigned char)f->open.text[f->open.size - 1]))) {
        field_mark(f, 'L', f->line);
        f->emitted = f->line;
    }
}

static void field_put(struct shell *sh, struct fields *f, char c)
{
    if (!spend(sh, 1, f->line))
        return;
    field_begin(f, !isspace((unsigned char)c));
    buffer_add(&f->open, &c, 1);
}

static void field_unknown(struct shell *sh, struct fields *f, int reason)
{
    if (!spend(sh, 8, f->line))
        return;
    field_begin(f, true);
    field_mark(f, 'U', reason);
}

static void field_close(struct shell *sh, struct fields *f)
{
    if (!f->is_open)
        return;
    if (f->marked)
        field_mark(f, 'D', 0);
    f->is_open = false;
    f->marked = 0;
    spend(sh, 16, f->line);
    if (f->count == f->capacity) {
        f->capacity = f->capacity ? 2 * f->capacity : 8;
        f->item = xrealloc(f->item, f->capacity * sizeof *f->item);
    }
    f->item[f->count++] = xstrdup(f->open.text ? f->open.text : "");
    buffer_free(&f->open);
    f->open = (struct buffer){0};
    f->emitted = 0;
}

static void fields_free(struct fields *f)
{
    for (size_t i = 0; i < f->count; i++)
        free(f->item[i]);
    free(f->item);
    buffer_free(&f->open);
    *f = (struct fields){0};
}

/** Repeats a mark met in a value: a line is remembered, an unknown part opens a word, a doubt holds until its end. */
static void put_mark(struct shell *sh, struct fields *f, char letter, int number)
{
    if (letter == 'L')
        f->line = number;
    else if (letter == 'U')
        field_unknown(sh, f, number);
    else if (letter == 'D')
        f->doubt = number;
}

/** Appends a value; unless quoted, blanks in it end words. Marks keep their place, line marks set the line. */
static void field_value(struct shell *sh, struct fields *f, const char *value, bool is_quoted)
{
    char letter;
    int number, line = f->line, doubt = f->doubt;
    if (is_quoted)
        field_begin(f, false);
    while (*value && !sh->is_failed) {
        size_t n = mark_at(value, &letter, &number);
        if (n > 0)
            put_mark(sh, f, letter, number);
        else if (!is_quoted && isspace((unsigned char)*value))
            field_close(sh, f);
        else
            field_put(sh, f, *value);
        value += n ? n : 1;
    }
    f->line = line;
    f->doubt = doubt;
}

/* ---- variables ----------------------------------------------------------------------------------------------- */

static struct variable *variable_find(const struct shell *sh, const char *name)
{
    for (size_t i = 0; i < sh->variables; i++)
        if (strcmp(sh->variable[i].name, name) == 0)
            return &sh->variable[i];
    return NULL;
}

static struct variable *variable_make(struct shell *sh, const char *name, int line)
{
    struct variable *v = variable_find(sh, name);
    if (v)
        return v;
    if (sh->variables >= SHELL_VARIABLES_MAX) {
        fail(sh, line, "more than %d variables are set; shorten the script", SHELL_VARIABLES_MAX);
        return NULL;
    }
    if (sh->variables == sh->variable_capacity) {
        sh->variable_capacity = sh->variable_capacity ? 2 * sh->variable_capacity : 64;
        sh->variable = xrealloc(sh->variable, sh->variable_capacity * sizeof *sh->variable);
    }
    sh->variable[sh->variables] = (struct variable){.name = xstrdup(name)};
    return &sh->variable[sh->variables++];
}

static void variable_clear(struct variable *v)
{
    for (size_t i = 0; i < v->count; i++)
        free(v->item[i]);
    free(v->item);
    v->item = NULL;
    v->count = 0;
}

static void variable_forget(struct shell *sh, const char *name)
{
    struct variable *v = variable_find(sh, name);
    if (!v)
        return;
    variable_clear(v);
    free(v->name);
    *v = sh->variable[--sh->variables];
}

static void variable_push(struct variable *v, char *item)
{
    v->item = xrealloc(v->item, (v->count + 1) * sizeof *v->item);
    v->item[v->count++] = item;
}

/** A copy of `value` that remembers the doubt under which it was assigned. */
static char *doubted(const struct shell *sh, const char *value)
{
    const int doubt = sh->frame.doubt;
    return doubt ? xasprintf("%cD%d%c%s%cD0%c", MARK, doubt, MARK_END, value, MARK, MARK_END) : xstrdup(value);
}

static bool is_same_value(const struct variable *v, const struct fields *f)
{
    bool is_same = v->count == f->count;
    for (size_t i = 0; is_same && i < v->count; i++) {
        char *a = plain(v->item[i], NULL, NULL, NULL), *b = plain(f->item[i], NULL, NULL, NULL);
        is_same = strcmp(a, b) == 0;
        free(a);
        free(b);
    }
    return is_same;
}

/** Two branches of one undecided construct give different values: neither is taken. */
static bool is_conflict(const struct shell *sh, const struct variable *v, const struct fields *f)
{
    return sh->frame.construct && v->construct == sh->frame.construct && v->branch != sh->frame.branch &&
           !is_same_value(v, f);
}

/** `name=value` or `name=(values)`; with `is_added`, `+=`. */
static void variable_assign(struct shell *sh, const char *name, const struct fields *f, bool is_array, bool is_added,
                            int line)
{
    struct variable *v = variable_make(sh, name, line);
    if (!v)
        return;
    bool is_new = v->count == 0 && !v->is_array;
    v->line = line;
    if (is_added && !is_array && v->count > 0) {
        const char *more = f->count ? f->item[0] : "";
        char *mark = doubted(sh, more);
        char *joined = xasprintf("%s%s", v->item[0], mark);
        free(mark);
        sh->scanned += strlen(joined);
        free(v->item[0]);
        v->item[0] = joined;
        return;
    }
    bool is_lost = !is_added && !is_new && is_conflict(sh, v, f);
    if (!is_added)
        variable_clear(v);
    v->is_array = is_array || (is_added && v->is_array);
    v->construct = sh->frame.construct;
    v->branch = sh->frame.branch;
    if (is_lost) {
        char *text = xasprintf("comes from $%s, which the branches of an unknown condition set differently", name);
        int why = reason_of(sh, text, false);
        variable_push(v, xasprintf("%cU%d%c", MARK, why, MARK_END));
        return;
    }
    for (size_t i = 0; i < f->count; i++)
        variable_push(v, doubted(sh, f->item[i]));
    if (!is_array && f->count == 0)
        variable_push(v, doubted(sh, ""));
}

static void variable_set_unknown(struct shell *sh, const char *name, int reason, int line)
{
    struct fields f = {0};
    field_unknown(sh, &f, reason);
    field_close(sh, &f);
    variable_assign(sh, name, &f, false, false, line);
    fields_free(&f);
}

/* ---- finding the end of things ------------------------------------------------------------------------------- */

enum scan { SCAN_WORD, SCAN_DOUBLE, SCAN_BRACE, SCAN_PAREN };

static const struct {
    const char *stops, *opener;
} scan_row[] = {
    [SCAN_WORD] = {" \t\r\n;&|<>()", ""},
    [SCAN_DOUBLE] = {"\"", "\""},
    [SCAN_BRACE] = {"}", "${"},
    [SCAN_PAREN] = {")", "("},
};

static const char *scan(struct shell *sh, const char *p, const char *end, enum scan kind, int line);

/** Past the first `stop` at or after `p`, backslashes respected if `is_escaping`; `end` with a fault if none. */
static const char *skip_to(struct shell *sh, const char *p, const char *end, char stop, bool is_escaping, int line)
{
    for (; p < end; p++) {
        if (is_escaping && *p == '\\' && p + 1 < end)
            p++;
        else if (*p == stop)
            return p + 1;
    }
    fail(sh, line, "a %c is opened here and never closed; add the missing quote", stop);
    return end;
}

/** Past the quoted or substituted piece that starts at `p`; `p` itself if none starts there. */
static const char *skip_piece(struct shell *sh, const char *p, const char *end, enum scan kind, int line)
{
    char c = *p, next = p + 1 < end ? p[1] : '\0';
    const char *past = p;
    if (c == '\\')
        return next ? p + 2 : p + 1;
    if (c == '\'' && kind != SCAN_DOUBLE)
        return skip_to(sh, p + 1, end, '\'', false, line);
    if (c == '`')
        return skip_to(sh, p + 1, end, '`', true, line);
    if (c == '$' && next == '\'' && kind != SCAN_DOUBLE)
        return skip_to(sh, p + 2, end, '\'', true, line);
    if (c == '"' && kind != SCAN_DOUBLE)
        past = scan(sh, p + 1, end, SCAN_DOUBLE, line);
    else if (c == '$' && next == '(')
        past = scan(sh, p + 2, end, SCAN_PAREN, line);
    else if (c == '$' && next == '{')
        past = scan(sh, p + 2, end, SCAN_BRACE, line);
    else if (c == '(' && kind == SCAN_PAREN)
        past = scan(sh, p + 1, end, SCAN_PAREN, line);
    return past > p && past < end ? past + 1 : past;
}

/** The first character at or after `p` that ends a piece of this kind, or `end`. */
static const char *scan(struct shell *sh, const char *p, const char *end, enum scan kind, int line)
{
    const char *start = p;
    if (++sh->depth > SHELL_DEPTH_MAX)
        fail(sh, line, "nested deeper than %d; simplify the script", SHELL_DEPTH_MAX);
    while (p < end && !sh->is_failed) {
        if (kind == SCAN_PAREN && *p == '#' && p > start && isspace((unsigned char)p[-1])) {
            while (p < end && *p != '\n')
                p++;
            continue;
        }
        if (*p && strchr(scan_row[kind].stops, *p))
            break;
        const char *past = skip_piece(sh, p, end, kind, line);
        p = past > p ? past : p + 1;
    }
    sh->depth--;
    sh->scanned += (size_t)(p - start);
    if (sh->scanned > SCANNED_MAX)
        fail(sh, line, "the script repeats too much text; shorten its loops");
    if (p >= end && kind != SCAN_WORD)
        fail(sh, line, "a %s is opened here and never closed; add what closes it", scan_row[kind].opener);
    return sh->is_failed ? end : p;
}

/* ---- reader -------------------------------------------------------------------------------------------------- */

static void reader_move(struct reader *r, const char *to)
{
    for (; r->at < to; r->at++)
        if (*r->at == '\n' && !r->is_nested)
            r->line++;
}

/** Reads past the bodies of the here-documents that were announced on the line just ended. */
static void reader_skip_heredocs(struct reader *r)
{
    for (size_t i = 0; i < r->heredocs; i++) {
        bool is_found = false;
        while (r->at < r->end && !is_found) {
            const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
            const char *stop = newline ? newline : r->end, *start = r->at;
            while (r->heredoc[i].is_indented && start < stop && *start == '\t')
                start++;
            is_found = (size_t)(stop - start) == r->heredoc[i].size &&
                       memcmp(start, r->heredoc[i].word, r->heredoc[i].size) == 0;
            reader_move(r, newline ? newline + 1 : stop);
        }
    }
    r->heredocs = 0;
}

static void reader_skip_newline(struct reader *r)
{
    reader_move(r, r->at + 1);
    if (r->heredocs > 0)
        reader_skip_heredocs(r);
}

/** Past blanks, continued lines and a comment, not past the end of the line. */
static void reader_skip_blank(struct reader *r)
{
    while (r->at < r->end) {
        if (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')
            r->at++;
        else if (*r->at == '\\' && r->at + 1 < r->end && r->at[1] == '\n')
            reader_move(r, r->at + 2);
        else if (*r->at == '\\' && r->at + 2 < r->end && r->at[1] == '\r' && r->at[2] == '\n')
            reader_move(r, r->at + 3);
        else if (*r->at == '#')
            while (r->at < r->end && *r->at != '\n')
                r->at++;
        else
            return;
    }
}

static void reader_skip_lines(struct reader *r)
{
    for (reader_skip_blank(r); r->at < r->end && *r->at == '\n'; reader_skip_blank(r))
        reader_skip_newline(r);
}

/** Length of the line marks at `p`: evaluated text carries them in front of its words. */
static size_t marks_size(const char *p, const char *end)
{
    const char *start = p;
    while (p < end && *p == MARK) {
        while (p < end && *p != MARK_END)
            p++;
        if (p < end)
            p++;
    }
    return (size_t)(p - start);
}

/** True if the word at the reader is exactly `word`, unquoted. */
static bool reader_is_word(const struct reader *r, const char *word)
{
    const char *p = r->at + marks_size(r->at, r->end);
    size_t n = strlen(word);
    if ((size_t)(r->end - p) < n || memcmp(p, word, n) != 0)
        return false;
    return p + n == r->end || strchr(scan_row[SCAN_WORD].stops, p[n]) != NULL;
}

static bool reader_starts(const struct reader *r, const char *text)
{
    const char *p = r->at + marks_size(r->at, r->end);
    size_t n = strlen(text);
    return (size_t)(r->end - p) >= n && memcmp(p, text, n) == 0;
}

static void reader_skip_text(struct reader *r, const char *text)
{
    reader_move(r, r->at + marks_size(r->at, r->end) + strlen(text));
}

static bool reader_is_closer(const struct reader *r)
{
    static const char *const closer[] = {"then", "else", "elif", "fi", "do", "done", "esac", "}"};
    if (r->at >= r->end || *r->at == ')' || reader_starts(r, ";;") || reader_starts(r, ";&"))
        return true;
    for (size_t i = 0; i < sizeof closer / sizeof *closer; i++)
        if (reader_is_word(r, closer[i]))
            return true;
    return false;
}

/** Takes the word that must come here; a fault that names the construct opened in `line` otherwise. */
static bool reader_expect(struct shell *sh, struct reader *r, const char *word, const char *opener, int line)
{
    reader_skip_lines(r);
    bool is_there = ispunct((unsigned char)word[0]) ? reader_starts(r, word) : reader_is_word(r, word);
    if (is_there)
        reader_skip_text(r, word);
    else
        fail(sh, line, "`%s` has no `%s`; complete the script", opener, word);
    return is_there;
}

/* ---- patterns ------------------------------------------------------------------------------------------------ */

/** Past the set that starts at `p` ('['), with whether `c` is in it; NULL if the set is never closed. */
static const char *match_set(const char *p, char c, bool *is_in)
{
    bool is_not = p[1] == '!' || p[1] == '^';
    const char *q = p + 1 + is_not, *first = q;
    *is_in = false;
    for (; *q && (*q != ']' || q == first); q++) {
        if (q[1] == '-' && q[2] && q[2] != ']') {
            *is_in |= q[0] <= c && c <= q[2];
            q += 2;
        } else {
            *is_in |= *q == c;
        }
    }
    *is_in ^= is_not;
    return *q ? q + 1 : NULL;
}

/** Matches one pattern element at `p` with `c`: past the element, or NULL. */
static const char *match_one(const char *p, char c)
{
    bool is_in;
    const char *past = *p == '[' ? match_set(p, c, &is_in) : NULL;
    if (past)
        return is_in ? past : NULL;
    if (*p == '?')
        return p + 1;
    if (*p == '\\' && p[1])
        p++;
    return *p == c ? p + 1 : NULL;
}

/** Shell pattern against `size` bytes of text, in time pattern x text. */
static bool pattern_match(const char *p, const char *text, size_t size)
{
    const char *end = text + size, *star = NULL, *retry = NULL;
    while (text < end) {
        const char *past = *p && *p != '*' ? match_one(p, *text) : NULL;
        if (*p == '*') {
            star = ++p;
            retry = text;
        } else if (past) {
            p = past;
            text++;
        } else if (star) {
            p = star;
            text = ++retry;
        } else {
            return false;
        }
    }
    while (*p == '*')
        p++;
    return !*p;
}

/* ---- arithmetic ---------------------------------------------------------------------------------------------- */

struct arithmetic {
    struct shell *sh;
    const char *p;
    int unknown, doubt; /* reasons met */
    bool is_wrong;      /* not a form that is understood */
};

struct operator_row {
    const char *text;
    int level;
};

/* Longest first where one begins another. */
static const struct operator_row operator_row[] = {
    {"**", 7}, {"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<=", 4}, {">=", 4},
    {"<", 4},  {">", 4},  {"+", 5},  {"-", 5},  {"*", 6},  {"/", 6},  {"%", 6},
};

enum { LEVEL_POWER = 7, ARITHMETIC_DEPTH = 32 };

static int64_t arithmetic_level(struct arithmetic *a, int level);

static void arithmetic_blank(struct arithmetic *a)
{
    char letter;
    int number;
    for (;;) {
        size_t n = mark_at(a->p, &letter, &number);
        if (n > 0 && letter == 'U' && !a->unknown)
            a->unknown = number;
        if (n > 0 && letter == 'D' && !a->doubt)
            a->doubt = number;
        if (n == 0 && !isspace((unsigned char)*a->p))
            return;
        a->p += n ? n : 1;
    }
}

static int64_t arithmetic_text(struct arithmetic *a, const char *text)
{
    struct arithmetic inner = {.sh = a->sh, .p = text};
    if (++a->sh->depth > ARITHMETIC_DEPTH)
        inner.is_wrong = true;
    int64_t value = inner.is_wrong ? 0 : arithmetic_level(&inner, 0);
    a->sh->depth--;
    arithmetic_blank(&inner);
    a->is_wrong |= inner.is_wrong || (*inner.p && !inner.unknown);
    if (!a->unknown)
        a->unknown = inner.unknown;
    if (!a->doubt)
        a->doubt = inner.doubt;
    return value;
}

static int64_t arithmetic_name(struct arithmetic *a)
{
    size_t n = 0;
    while (isalnum((unsigned char)a->p[n]) || a->p[n] == '_')
        n++;
    char *name = xstrndup(a->p, n);
    a->p += n;
    spend(a->sh, 1, 0);
    const struct variable *v = variable_find(a->sh, name);
    int64_t value = 0;
    if (v && v->count > 0)
        value = arithmetic_text(a, v->item[0]);
    else if (!a->unknown)
        a->unknown = reason_unset(a->sh, name);
    free(name);
    return value;
}

static int64_t arithmetic_number(struct arithmetic *a)
{
    int64_t value = 0;
    int base = 10;
    if (a->p[0] == '0' && (a->p[1] == 'x' || a->p[1] == 'X')) {
        base = 16;
        a->p += 2;
    } else if (a->p[0] == '0') {
        base = 8;
    }
    for (; isxdigit((unsigned char)*a->p); a->p++) {
        int digit = isdigit((unsigned char)*a->p) ? *a->p - '0' : tolower((unsigned char)*a->p) - 'a' + 10;
        if (digit >= base || __builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, digit, &value))
            a->is_wrong = true;
        if (a->is_wrong)
            return 0;
    }
    return value;
}

static int64_t arithmetic_atom(struct arithmetic *a)
{
    arithmetic_blank(a);
    char c = *a->p;
    if (isdigit((unsigned char)c))
        return arithmetic_number(a);
    if (isalpha((unsigned char)c) || c == '_')
        return arithmetic_name(a);
    if (a->unknown || !c || !strchr("(-+!", c)) {
        a->is_wrong |= !a->unknown;
        return 0;
    }
    a->p++;
    if (++a->sh->depth > ARITHMETIC_DEPTH)
        a->is_wrong = true;
    int64_t value = a->is_wrong ? 0 : c == '(' ? arithmetic_level(a, 0) : arithmetic_atom(a);
    a->sh->depth--;
    arithmetic_blank(a);
    if (c == '(') {
        a->is_wrong |= *a->p != ')';
        a->p += *a->p == ')';
    } else if (c == '!') {
        value = !value;
    } else if (c == '-') {
        value = (int64_t)(0 - (uint64_t)value);
    }
    return value;
}

static int64_t arithmetic_power(struct arithmetic *a, int64_t x, int64_t y)
{
    int64_t value = 1;
    if (y < 0 || (y > 64 && x != 0 && x != 1))
        a->is_wrong = true;
    for (int64_t i = 0; i < y && i < 64 && !a->is_wrong; i++)
        a->is_wrong |= __builtin_mul_overflow(value, x, &value);
    return value;
}

static int64_t arithmetic_divide(struct arithmetic *a, char op, int64_t x, int64_t y)
{
    if (y == 0 || (x == INT64_MIN && y == -1)) {
        a->is_wrong |= !a->unknown;
        return 0;
    }
    return op == '/' ? x / y : x % y;
}

static int64_t arithmetic_apply(struct arithmetic *a, const char *op, int64_t x, int64_t y)
{
    int64_t value = 0;
    switch (op[0]) {
    case '+':
        a->is_wrong |= __builtin_add_overflow(x, y, &value);
        return value;
    case '-':
        a->is_wrong |= __builtin_sub_overflow(x, y, &value);
        return value;
    case '*':
        if (op[1])
            return arithmetic_power(a, x, y);
        a->is_wrong |= __builtin_mul_overflow(x, y, &value);
        return value;
    case '/':
    case '%':
        return arithmetic_divide(a, op[0], x, y);
    case '|':
        return x || y;
    case '&':
        return x && y;
    case '=':
        return x == y;
    case '!':
        return x != y;
    case '<':
        return op[1] ? x <= y : x < y;
    default:
        return op[1] ? x >= y : x > y;
    }
}

static const struct operator_row *operator_at(const char *p)
{
    for (size_t i = 0; i < sizeof operator_row / sizeof *operator_row; i++)
        if (strncmp(p, operator_row[i].text, strlen(operator_row[i].text)) == 0)
            return &operator_row[i];
    return NULL;
}

/** Precedence climbing; level 0 is `condition ? a : b`. */
static int64_t arithmetic_level(struct arithmetic *a, int level)
{
    int64_t x = arithmetic_atom(a);
    for (;;) {
        arithmetic_blank(a);
        const struct operator_row *op = operator_at(a->p);
        if (!op || op->level < level || a->is_wrong)
            break;
        a->p += strlen(op->text);
        if (++a->sh->depth > SHELL_DEPTH_MAX)
            a->is_wrong = true;
        int64_t y = a->is_wrong ? 0 : arithmetic_level(a, op->level == LEVEL_POWER ? LEVEL_POWER : op->level + 1);
        a->sh->depth--;
        x = arithmetic_apply(a, op->text, x, y);
    }
    if (level == 0 && *a->p == '?' && !a->is_wrong) {
        a->p++;
        int64_t yes = arithmetic_level(a, 1);
        arithmetic_blank(a);
        a->is_wrong |= *a->p != ':';
        a->p += *a->p == ':';
        int64_t no = arithmetic_level(a, 1);
        x = x ? yes : no;
    }
    return x;
}

/** Expands and evaluates an expression; `unknown` and `doubt` get the reasons, 0 for none. */
static int64_t arithmetic_of(struct shell *sh, const char *p, const char *end, int line, int *unknown, int *doubt)
{
    struct fields f = {.line = line};
    field_begin(&f, false);
    expand(sh, p, end, true, &f);
    struct arithmetic a = {.sh = sh, .p = f.open.text ? f.open.text : ""};
    int depth = sh->depth;
    sh->depth = 0;
    int64_t value = arithmetic_level(&a, 0);
    sh->depth = depth;
    arithmetic_blank(&a);
    if (!a.unknown && (a.is_wrong || *a.p))
        a.unknown = reason_form(sh, p, (size_t)(end - p));
    fields_free(&f);
    *unknown = a.unknown;
    *doubt = a.doubt;
    return value;
}

/* ---- expansion ----------------------------------------------------------------------------------------------- */

/** What a parameter holds: `count` items at `item`, or an unknown with its reason. */
struct view {
    char **item;
    size_t count;
    bool is_set;
    bool is_many; /* [@] or [*]: items stay apart */
    int unknown;
    char *own; /* storage for a computed single item */
    char *slot[1];
};

static bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

/** Length of the parameter name at `p`: a name, digits, or one special character. */
static size_t name_size(const char *p, const char *end)
{
    const char *start = p;
    if (p < end && is_name_start(*p))
        while (p < end && (is_name_start(*p) || isdigit((unsigned char)*p)))
            p++;
    else if (p < end && isdigit((unsigned char)*p))
        while (p < end && isdigit((unsigned char)*p))
            p++;
    else if (p < end && strchr("@*#?$!-", *p))
        p++;
    return (size_t)(p - start);
}

static void view_argument(struct shell *sh, const char *name, struct view *v)
{
    const struct fields *f = sh->argument;
    size_t count = f && f->count > sh->shifted ? f->count - sh->shifted : 0;
    if (!f || strchr("0?$!-", name[0])) {
        v->unknown = reason_unset(sh, name);
    } else if (name[0] == '@' || name[0] == '*') {
        *v = (struct view){.is_many = true};
        if (count > 0)
            *v = (struct view){.item = f->item + sh->shifted, .count = count, .is_set = true, .is_many = true};
    } else if (name[0] == '#') {
        v->own = xasprintf("%zu", count);
    } else {
        size_t n = strtoul(name, NULL, 10);
        if (n >= 1 && n <= count)
            *v = (struct view){.item = f->item + sh->shifted + n - 1, .count = 1, .is_set = true};
    }
}

/** The element that a subscript names. */
static void view_element(struct shell *sh, const struct variable *var, const char *sub, size_t size, struct view *v)
{
    int unknown, doubt;
    int64_t index = arithmetic_of(sh, sub, sub + size, 0, &unknown, &doubt);
    int64_t count = (int64_t)var->count;
    if (index < 0)
        index += count;
    if (unknown)
        v->unknown = unknown;
    else if (index >= 0 && index < count)
        *v = (struct view){.item = var->item + index, .count = 1, .is_set = true};
}

static void view_of(struct shell *sh, const char *name, const char *sub, size_t sub_size, struct view *v)
{
    *v = (struct view){0};
    if (!is_name_start(name[0])) {
        view_argument(sh, name, v);
    } else {
        const struct variable *var = variable_find(sh, name);
        bool is_all = sub && sub_size == 1 && (*sub == '@' || *sub == '*');
        if (!var)
            v->unknown = reason_unset(sh, name);
        else if (is_all)
            *v = (struct view){.item = var->item, .count = var->count, .is_set = var->count > 0, .is_many = true};
        else if (sub)
            view_element(sh, var, sub, sub_size, v);
        else
            *v = (struct view){.item = var->item, .count = var->count > 0, .is_set = var->count > 0};
    }
    if (v->own) {
        v->slot[0] = v->own;
        v->item = v->slot;
        v->count = 1;
        v->is_set = true;
    }
}

static void view_put(struct shell *sh, const struct view *v, bool is_star, bool is_quoted, struct fields *f)
{
    if (v->unknown)
        field_unknown(sh, f, v->unknown);
    for (size_t i = 0; i < v->count; i++) {
        if (i > 0 && is_quoted && is_star)
            field_put(sh, f, ' ');
        else if (i > 0)
            field_close(sh, f);
        field_value(sh, f, v->item[i], is_quoted);
    }
}

/** True when the value is empty for certain; `*unknown` is set when it cannot be told. */
static bool view_is_null(const struct view *v, int *unknown)
{
    bool is_null = true;
    *unknown = 0;
    for (size_t i = 0; i < v->count && is_null; i++) {
        char *text = plain(v->item[i], unknown, NULL, NULL);
        is_null = !*text;
        free(text);
    }
    return is_null;
}

/** `%`, `%%`, `#`, `##` on one known value; the kept part is put. */
static void put_trimmed(struct shell *sh, const char *value, const char *op, const char *pattern, bool is_quoted,
                        struct fields *f)
{
    size_t n = strlen(value), from = 0, to = n;
    bool is_greedy = op[0] == op[1];
    for (size_t i = 0; i <= n; i++) {
        size_t cut = is_greedy ? n - i : i; /* length of the removed part */
        bool is_front = op[0] == '#';
        if (!pattern_match(pattern, is_front ? value : value + n - cut, cut))
            continue;
        from = is_front ? cut : 0;
        to = is_front ? n : n - cut;
        break;
    }
    char *kept = xstrndup(value + from, to - from);
    field_value(sh, f, kept, is_quoted);
    free(kept);
}

static void expand_trim(struct shell *sh, const struct view *v, const char *op, const char *word, const char *end,
                        bool is_quoted, struct fields *f)
{
    struct fields w = {0};
    field_begin(&w, false);
    expand(sh, word, end, true, &w);
    int unknown = 0, unknown_value = 0, doubt = 0;
    char *pattern = plain(w.open.text ? w.open.text : "", &unknown, NULL, NULL);
    char *value = plain(v->count ? v->item[0] : "", &unknown_value, &doubt, NULL);
    unknown = unknown_value ? unknown_value : unknown;
    if (v->unknown)
        unknown = v->unknown;
    if (!unknown && (v->is_many || strlen(value) > PATTERN_MAX || strlen(pattern) > PATTERN_MAX))
        unknown = reason_form(sh, word, (size_t)(end - word));
    if (doubt)
        field_mark(f, 'D', doubt);
    if (unknown)
        field_unknown(sh, f, unknown);
    else
        put_trimmed(sh, value, op, pattern, is_quoted, f);
    free(value);
    free(pattern);
    fields_free(&w);
}

/** One `${name op word}` being expanded. */
struct expansion {
    char *name;
    struct view view;
    const char *op, *word, *end;
    bool is_quoted, is_star;
    struct fields *f;
};

/** `:-` and `:=`: the value, or the word where there is none. */
static void expand_default(struct shell *sh, struct expansion *x)
{
    int unknown = 0;
    bool is_colon = x->op[0] == ':', is_missing = !x->view.is_set;
    if (is_colon && x->view.is_set)
        is_missing = view_is_null(&x->view, &unknown) && !unknown;
    if (!is_missing) {
        view_put(sh, &x->view, x->is_star, x->is_quoted, x->f);
        return;
    }
    expand(sh, x->word, x->end, x->is_quoted, x->f);
    if (x->op[is_colon] != '=' || !is_name_start(x->name[0]))
        return;
    struct fields value = {.line = x->f->line};
    field_begin(&value, false);
    expand(sh, x->word, x->end, true, &value);
    field_close(sh, &value);
    variable_assign(sh, x->name, &value, false, false, x->f->line);
    fields_free(&value);
}

/** `:+`: the word where there is a value. */
static void expand_alternative(struct shell *sh, struct expansion *x)
{
    int unknown = 0;
    bool is_null = x->op[0] == ':' && view_is_null(&x->view, &unknown);
    if (x->view.is_set && is_null && unknown)
        field_unknown(sh, x->f, unknown);
    else if (x->view.is_set && !is_null)
        expand(sh, x->word, x->end, x->is_quoted, x->f);
}

static void expand_value(struct shell *sh, struct expansion *x)
{
    view_put(sh, &x->view, x->is_star, x->is_quoted, x->f);
}

static void expand_pattern(struct shell *sh, struct expansion *x)
{
    expand_trim(sh, &x->view, x->op, x->word, x->end, x->is_quoted, x->f);
}

static const struct {
    const char *op;
    void (*run)(struct shell *, struct expansion *);
} expansion_row[] = {
    {":-", expand_default}, {":=", expand_default}, {":+", expand_alternative}, {":?", expand_value},
    {"-", expand_default},  {"=", expand_default},  {"+", expand_alternative},  {"?", expand_value},
    {"%%", expand_pattern}, {"##", expand_pattern}, {"%", expand_pattern},      {"#", expand_pattern},
};

static void put_length(struct shell *sh, const struct view *v, struct fields *f)
{
    int unknown = v->unknown;
    size_t n = v->count;
    if (!v->is_many && v->count > 0) {
        char *text = plain(v->item[0], &unknown, NULL, NULL);
        n = strlen(text);
        free(text);
    }
    char *number = xasprintf("%zu", n);
    if (unknown)
        field_unknown(sh, f, unknown);
    else
        field_value(sh, f, number, true);
    free(number);
}

/** The part of `${...}` after the name: operator and word. */
static void expand_operator(struct shell *sh, struct expansion *x, const char *p, const char *whole)
{
    if (p == x->end) {
        expand_value(sh, x);
        return;
    }
    for (size_t i = 0; i < sizeof expansion_row / sizeof *expansion_row; i++) {
        size_t n = strlen(expansion_row[i].op);
        if ((size_t)(x->end - p) < n || memcmp(p, expansion_row[i].op, n) != 0)
            continue;
        x->op = expansion_row[i].op;
        x->word = p + n;
        expansion_row[i].run(sh, x);
        return;
    }
    field_unknown(sh, x->f,
                  x->view.unknown ? x->view.unknown : reason_form(sh, whole, (size_t)(x->end + 1 - whole)));
}

/** The inside of `${...}`; `p` stands after the brace. */
static void expand_parameter(struct shell *sh, const char *p, const char *end, bool is_quoted, struct fields *f)
{
    const char *whole = p - 2;
    bool is_length = end - p > 1 && *p == '#' && name_size(p + 1, end) > 0 && !strchr("-?", p[1]);
    p += is_length;
    size_t n = name_size(p, end), sub_size = 0;
    if (n == 0 || (*p == '!' && end - p > 1)) {
        field_unknown(sh, f, reason_form(sh, whole, (size_t)(end + 1 - whole)));
        return;
    }
    struct expansion x = {.name = xstrndup(p, n), .end = end, .is_quoted = is_quoted, .f = f};
    x.is_star = *p == '*';
    const char *sub = NULL;
    p += n;
    if (p < end && *p == '[' && is_name_start(x.name[0])) {
        const char *close = memchr(p, ']', (size_t)(end - p));
        if (close) {
            sub = p + 1;
            sub_size = (size_t)(close - sub);
            x.is_star = sub_size == 1 && *sub == '*';
            p = close + 1;
        }
    }
    view_of(sh, x.name, sub, sub_size, &x.view);
    if (x.view.own)
        x.view.item = x.view.slot;
    if (is_length)
        put_length(sh, &x.view, f);
    else
        expand_operator(sh, &x, p, whole);
    free(x.view.own);
    free(x.name);
}

static void put_arithmetic(struct shell *sh, const char *p, const char *end, struct fields *f)
{
    int unknown, doubt;
    int64_t value = arithmetic_of(sh, p, end, f->line, &unknown, &doubt);
    char *number = xasprintf("%lld", (long long)value);
    field_begin(f, true);
    if (doubt)
        field_mark(f, 'D', doubt);
    if (unknown)
        field_unknown(sh, f, unknown);
    else
        field_value(sh, f, number, true);
    free(number);
}

/** `$'...'` with the common escapes; others stay as written. */
static const char *expand_ansi(struct shell *sh, const char *p, const char *end, struct fields *f)
{
    static const char from[] = "nt\\'\"r", to[] = "\n\t\\'\"\r";
    field_begin(f, false);
    for (; p < end && *p != '\''; p++) {
        const char *escape = *p == '\\' && p + 1 < end ? strchr(from, p[1]) : NULL;
        field_put(sh, f, escape ? to[escape - from] : *p);
        p += escape != NULL;
    }
    return p < end ? p + 1 : end;
}

/** Whatever starts with `$` at `p`; returns where it ends. */
static const char *expand_dollar(struct shell *sh, const char *p, const char *end, bool is_quoted, struct fields *f)
{
    char next = p + 1 < end ? p[1] : '\0';
    if (next == '(') {
        const char *close = scan(sh, p + 2, end, SCAN_PAREN, f->line);
        bool is_arithmetic = p + 2 < close && p[2] == '(' && close[-1] == ')';
        if (is_arithmetic && close - p > 3)
            put_arithmetic(sh, p + 3, close - 1, f);
        else
            field_unknown(sh, f, reason_command(sh, "$(", p + 2, (size_t)(close - p - 2), ")"));
        return close < end ? close + 1 : end;
    }
    if (next == '{') {
        const char *close = scan(sh, p + 2, end, SCAN_BRACE, f->line);
        if (!sh->is_failed)
            expand_parameter(sh, p + 2, close, is_quoted, f);
        return close < end ? close + 1 : end;
    }
    if (next == '\'' && !is_quoted)
        return expand_ansi(sh, p + 2, end, f);
    size_t n = name_size(p + 1, end);
    if (n > 1 && isdigit((unsigned char)next))
        n = 1;
    if (n == 0) {
        field_put(sh, f, '$');
        return p + 1;
    }
    char *name = xstrndup(p + 1, n);
    struct view v;
    view_of(sh, name, NULL, 0, &v);
    if (v.own)
        v.item = v.slot;
    view_put(sh, &v, next == '*', is_quoted, f);
    free(v.own);
    free(name);
    return p + 1 + n;
}

/** True when `{a,b}` or `{1..4}` starts at `p`: a form that bash would multiply. */
static bool is_brace_list(const char *p, const char *end)
{
    const char *close = memchr(p, '}', (size_t)(end - p));
    if (!close || close == p + 1)
        return false;
    for (const char *q = p + 1; q < close; q++) {
        if (*q == '"' || *q == '\'' || *q == '$')
            return false;
        if (*q == ',' || (*q == '.' && q[1] == '.'))
            return true;
    }
    return false;
}

/** A backslash inside or outside double quotes; returns where to go on. */
static const char *expand_backslash(struct shell *sh, const char *p, const char *end, bool is_quoted,
                                    struct fields *f)
{
    char next = p + 1 < end ? p[1] : '\0';
    if (next == '\n' || (next == '\r' && p + 2 < end && p[2] == '\n')) {
        f->line += f->line > 0;
        return p + 2 + (next == '\r');
    }
    if (!next || (is_quoted && !strchr("$`\"\\", next))) {
        field_put(sh, f, '\\');
        return p + 1;
    }
    field_put(sh, f, next);
    return p + 2;
}

/** One piece of a word; returns where it ends. */
static const char *expand_piece(struct shell *sh, const char *p, const char *end, bool is_quoted, struct fields *f)
{
    const char *past;
    switch (*p) {
    case '\\':
        return expand_backslash(sh, p, end, is_quoted, f);
    case '$':
        return expand_dollar(sh, p, end, is_quoted, f);
    case '`':
        past = skip_to(sh, p + 1, end, '`', true, f->line);
        field_unknown(sh, f, reason_command(sh, "`", p + 1, (size_t)(past - p) < 2 ? 0 : (size_t)(past - p - 2), "`"));
        return past;
    default:
        break;
    }
    if (is_quoted || !strchr("'\"{", *p)) {
        char letter;
        int number;
        size_t n = mark_at(p, &letter, &number);
        if (n > 0) {
            put_mark(sh, f, letter, number);
            return p + n;
        }
        if (!is_quoted && isspace((unsigned char)*p))
            field_close(sh, f); /* only inside ${V:-a b} */
        else
            field_put(sh, f, *p);
        f->line += *p == '\n' && f->line > 0;
        return p + 1;
    }
    if (*p == '{') {
        if (is_brace_list(p, end))
            field_unknown(sh, f, reason_form(sh, p, (size_t)(end - p)));
        field_put(sh, f, '{');
        return p + 1;
    }
    field_begin(f, false);
    if (*p == '"') {
        past = scan(sh, p + 1, end, SCAN_DOUBLE, f->line);
        expand(sh, p + 1, past, true, f);
    } else {
        for (past = p + 1; past < end && *past != '\''; past++) {
            field_put(sh, f, *past);
            f->line += *past == '\n' && f->line > 0;
        }
    }
    return past < end ? past + 1 : end;
}

/** Expands the raw text of one word (or the inside of double quotes) into `f`. */
static void expand(struct shell *sh, const char *p, const char *end, bool is_quoted, struct fields *f)
{
    if (++sh->depth > SHELL_DEPTH_MAX)
        fail(sh, f->line, "nested deeper than %d; simplify the script", SHELL_DEPTH_MAX);
    while (p < end && !sh->is_failed)
        p = expand_piece(sh, p, end, is_quoted, f);
    sh->depth--;
}

/** Expands the word at the reader into whole fields and moves past it. */
static void reader_expand(struct shell *sh, struct reader *r, struct fields *f)
{
    const char *stop = scan(sh, r->at, r->end, SCAN_WORD, r->line);
    if (is_live(sh)) {
        f->line = r->line;
        expand(sh, r->at, stop, false, f);
        if (r->is_nested)
            r->line = f->line; /* the marks in the text tell where it was written */
        field_close(sh, f);
    }
    reader_move(r, stop);
}

/* ---- tests --------------------------------------------------------------------------------------------------- */

struct operand {
    char *text;
    int unknown, doubt;
    bool is_operator; /* written as it is, not the result of an expansion */
};

struct test {
    struct shell *sh;
    struct operand *operand;
    size_t count, at, capacity;
    int depth;
};

static void test_push(struct test *t, const char *marked, bool is_operator)
{
    if (t->count == t->capacity) {
        t->capacity = t->capacity ? 2 * t->capacity : 8;
        t->operand = xrealloc(t->operand, t->capacity * sizeof *t->operand);
    }
    struct operand o = {.is_operator = is_operator};
    o.text = plain(marked, &o.unknown, &o.doubt, NULL);
    t->operand[t->count++] = o;
}

static void test_free(struct test *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->operand[i].text);
    free(t->operand);
}

/** `-z` and `-n`; a variable that the script never sets counts as empty, with that doubt. */
static struct verdict test_empty(struct test *t, const struct operand *o, bool is_wanted)
{
    bool is_unset = o->unknown && t->sh->reason[o->unknown].is_unset && !*o->text;
    if (*o->text || !o->unknown || is_unset)
        return (struct verdict){!*o->text == is_wanted ? YES : NO, is_unset ? o->unknown : o->doubt};
    return (struct verdict){MAYBE, 0};
}

static bool test_number(const char *text, long long *value)
{
    char *end;
    *value = strtoll(text, &end, 10);
    return end != text && !*end;
}

static const char *const comparison[] = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"};

static struct verdict test_compare(const struct operand *a, const char *op, const struct operand *b)
{
    struct verdict v = {MAYBE, a->doubt ? a->doubt : b->doubt};
    long long x, y;
    if (a->unknown || b->unknown)
        return v;
    if (strcmp(op, "=") == 0 || strcmp(op, "==") == 0)
        v.truth = pattern_match(b->text, a->text, strlen(a->text)) ? YES : NO;
    else if (strcmp(op, "!=") == 0)
        v.truth = pattern_match(b->text, a->text, strlen(a->text)) ? NO : YES;
    else if (test_number(a->text, &x) && test_number(b->text, &y)) {
        const bool result[] = {x == y, x != y, x < y, x <= y, x > y, x >= y};
        for (size_t i = 0; i < sizeof comparison / sizeof *comparison; i++)
            if (strcmp(op, comparison[i]) == 0)
                v.truth = result[i] ? YES : NO;
    }
    return v;
}

static bool is_binary(const char *text)
{
    static const char *const other[] = {"=", "==", "!=", "=~", "<", ">", "-nt", "-ot", "-ef"};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strcmp(text, other[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof comparison / sizeof *comparison; i++)
        if (strcmp(text, comparison[i]) == 0)
            return true;
    return false;
}

static struct verdict verdict_not(struct verdict v)
{
    v.truth = v.truth == YES ? NO : v.truth == NO ? YES : v.truth == ASSUMED ? NO : MAYBE;
    return v;
}

/** `a && b` (is_and) or `a || b` of two verdicts. */
static struct verdict verdict_join(struct verdict a, struct verdict b, bool is_and)
{
    enum truth decisive = is_and ? NO : YES;
    if (a.truth == decisive && !a.doubt)
        return a;
    if (b.truth == decisive && !b.doubt)
        return b;
    struct verdict v = {MAYBE, a.doubt ? a.doubt : b.doubt};
    if (a.truth == decisive || b.truth == decisive)
        v.truth = decisive;
    else if (a.truth != MAYBE && b.truth != MAYBE)
        v.truth = is_and ? YES : NO;
    return v;
}

static struct verdict test_or(struct test *t);

static bool test_is(const struct test *t, const char *a, const char *b)
{
    return t->at < t->count && (strcmp(t->operand[t->at].text, a) == 0 || strcmp(t->operand[t->at].text, b) == 0);
}

static struct verdict test_primary(struct test *t)
{
    if (t->at >= t->count)
        return (struct verdict){NO, 0};
    const struct operand *o = &t->operand[t->at];
    if (t->at + 2 < t->count && is_binary(o[1].text)) {
        t->at += 3;
        return test_compare(&o[0], o[1].text, &o[2]);
    }
    if (strcmp(o->text, "(") == 0 && o->is_operator) {
        t->at++;
        struct verdict v = test_or(t);
        t->at += t->at < t->count;
        return v;
    }
    if (o->text[0] == '-' && o->text[1] && !o->text[2] && t->at + 1 < t->count) {
        t->at += 2;
        if (o->text[1] == 'z' || o->text[1] == 'n')
            return test_empty(t, &o[1], o->text[1] == 'z');
        return (struct verdict){MAYBE, 0};
    }
    t->at++;
    return test_empty(t, o, false);
}

static struct verdict test_not(struct test *t)
{
    bool is_not = false;
    while (t->at + 1 < t->count && strcmp(t->operand[t->at].text, "!") == 0) {
        is_not = !is_not;
        t->at++;
    }
    struct verdict v = ++t->depth > SHELL_DEPTH_MAX ? (struct verdict){MAYBE, 0} : test_primary(t);
    t->depth--;
    return is_not ? verdict_not(v) : v;
}

static struct verdict test_and(struct test *t)
{
    struct verdict v = test_not(t);
    while (test_is(t, "&&", "-a")) {
        t->at++;
        v = verdict_join(v, test_not(t), true);
    }
    return v;
}

static struct verdict test_or(struct test *t)
{
    struct verdict v = test_and(t);
    while (test_is(t, "||", "-o")) {
        t->at++;
        v = verdict_join(v, test_and(t), false);
    }
    return v;
}

/** A whole `[ ]` or `[[ ]]`: anything left over means that it was not understood. */
static struct verdict test_run(struct test *t)
{
    struct verdict v = test_or(t);
    return t->at < t->count ? (struct verdict){MAYBE, 0} : v;
}

/** Adds the operator or word of `[[ ]]` at the reader. */
static void test_take(struct shell *sh, struct reader *r, struct test *t)
{
    static const char *const op[] = {"&&", "||", "(", ")", "<", ">"};
    for (size_t i = 0; i < sizeof op / sizeof *op; i++)
        if (reader_starts(r, op[i])) {
            test_push(t, op[i], true);
            reader_skip_text(r, op[i]);
            return;
        }
    const char *stop = scan(sh, r->at, r->end, SCAN_WORD, r->line);
    if (is_live(sh)) {
        struct fields f = {.line = r->line};
        field_begin(&f, false);
        /* No word is split inside [[ ]]: whatever comes out is one operand. */
        expand(sh, r->at, stop, false, &f);
        field_close(sh, &f);
        struct buffer whole = {0};
        buffer_puts(&whole, "");
        for (size_t i = 0; i < f.count; i++)
            buffer_printf(&whole, i ? " %s" : "%s", f.item[i]);
        test_push(t, whole.text ? whole.text : "", false);
        buffer_free(&whole);
        fields_free(&f);
    }
    reader_move(r, stop > r->at ? stop : r->at + 1);
}

static struct verdict run_double_bracket(struct shell *sh, struct reader *r)
{
    int line = r->line;
    struct test t = {.sh = sh};
    reader_skip_text(r, "[[");
    for (reader_skip_lines(r); r->at < r->end && !reader_is_word(r, "]]") && !sh->is_failed; reader_skip_lines(r)) {
        if (*r->at == ';') {
            fail(sh, line, "`[[` has no `]]`; complete the script");
            break;
        }
        test_take(sh, r, &t);
    }
    if (!sh->is_failed)
        reader_expect(sh, r, "]]", "[[", line);
    struct verdict v = is_live(sh) ? test_run(&t) : (struct verdict){MAYBE, 0};
    test_free(&t);
    return v;
}

/* ---- assignments --------------------------------------------------------------------------------------------- */

/** An assignment found in the text: name, optional subscript, `=` or `+=`, and where the value begins. */
struct assignment {
    size_t name_size;
    const char *sub;
    size_t sub_size;
    bool is_added;
    const char *value;
};

static bool assignment_at(const char *p, const char *end, struct assignment *a)
{
    *a = (struct assignment){0};
    while (p + a->name_size < end && (is_name_start(p[a->name_size]) ||
                                      (a->name_size > 0 && isdigit((unsigned char)p[a->name_size]))))
        a->name_size++;
    const char *q = p + a->name_size;
    if (a->name_size == 0 || q >= end)
        return false;
    if (*q == '[') {
        const char *close = memchr(q, ']', (size_t)(end - q));
        if (!close)
            return false;
        a->sub = q + 1;
        a->sub_size = (size_t)(close - a->sub);
        q = close + 1;
    }
    a->is_added = q + 1 < end && q[0] == '+' && q[1] == '=';
    q += a->is_added;
    if (q >= end || *q != '=')
        return false;
    a->value = q + 1;
    return true;
}

/** The elements between the parentheses of `A=( ... )`; the reader stands after the opening one. */
static void take_array(struct shell *sh, struct reader *r, struct fields *f, int line)
{
    for (reader_skip_lines(r); r->at < r->end && *r->at != ')' && !sh->is_failed; reader_skip_lines(r)) {
        const char *before = r->at;
        bool is_keyed = *r->at == '[' && is_live(sh);
        size_t count = f->count;
        reader_expand(sh, r, f);
        if (is_keyed && f->count > count && strstr(f->item[f->count - 1], "]=")) {
            f->line = r->line;
            field_unknown(sh, f, reason_form(sh, before, (size_t)(r->at - before)));
            field_close(sh, f);
        }
        if (r->at == before)
            fail(sh, r->line, "`%c` stands inside an array; quote it", *before);
    }
    if (r->at < r->end)
        r->at++;
    else
        fail(sh, line, "an array `(` is opened here and never closed; add `)`");
}

static void assign_element(struct shell *sh, const char *name, const struct assignment *a, const struct fields *f,
                           int line)
{
    int unknown, doubt;
    int64_t index = arithmetic_of(sh, a->sub, a->sub + a->sub_size, line, &unknown, &doubt);
    struct variable *v = variable_make(sh, name, line);
    if (!v)
        return;
    if (unknown || index < 0 || index >= SHELL_VARIABLES_MAX || a->is_added) {
        variable_set_unknown(sh, name, reason_form(sh, a->sub - 1, a->sub_size + 2), line);
        return;
    }
    v->is_array = true;
    v->line = line;
    while (v->count <= (size_t)index && spend(sh, 16, line))
        variable_push(v, xstrdup(""));
    if ((size_t)index >= v->count)
        return;
    free(v->item[index]);
    v->item[index] = doubted(sh, f->count ? f->item[0] : "");
}

/** Carries out the assignment at the reader and moves past it. */
static void run_assignment(struct shell *sh, struct reader *r, const struct assignment *a)
{
    int line = r->line;
    bool is_array = a->value < r->end && *a->value == '(';
    char *name = xstrndup(r->at, a->name_size);
    struct fields f = {.line = line};
    if (is_array) {
        reader_move(r, a->value + 1);
        take_array(sh, r, &f, line);
    } else {
        const char *stop = scan(sh, a->value, r->end, SCAN_WORD, line);
        if (is_live(sh)) {
            /* The value of an assignment is never split: it is read as if quoted, piece by piece. */
            struct fields pieces = {.line = line};
            field_begin(&pieces, false);
            expand(sh, a->value, stop, false, &pieces);
            field_close(sh, &pieces);
            for (size_t i = 0; i < pieces.count; i++) {
                if (i > 0)
                    field_put(sh, &f, ' ');
                field_value(sh, &f, pieces.item[i], true);
            }
            field_close(sh, &f);
            fields_free(&pieces);
        }
        reader_move(r, stop);
    }
    if (is_live(sh) && a->sub && !is_array)
        assign_element(sh, name, a, &f, line);
    else if (is_live(sh))
        variable_assign(sh, name, &f, is_array, a->is_added, line);
    fields_free(&f);
    free(name);
}

/* ---- simple commands ----------------------------------------------------------------------------------------- */

static void word_make(const struct shell *sh, const char *marked, int line, struct shell_word *w)
{
    int unknown, doubt, own_line;
    *w = (struct shell_word){0};
    w->text = plain(marked, &unknown, &doubt, &own_line);
    w->line = own_line ? own_line : line;
    w->is_unknown = unknown != 0;
    w->is_uncertain = doubt != 0;
    if (unknown || doubt)
        w->why = xstrdup(sh->reason[unknown ? unknown : doubt].text);
}

static void command_make(const struct shell *sh, const struct fields *f, int line, struct shell_command *c)
{
    *c = (struct shell_command){.count = f->count, .line = line};
    c->word = xmalloc((f->count + 1) * sizeof *c->word);
    for (size_t i = 0; i < f->count; i++)
        word_make(sh, f->item[i], line, &c->word[i]);
}

static void command_record(struct shell *sh, const struct fields *f, int line)
{
    struct shell_script *out = sh->out;
    if (out->count == sh->command_capacity) {
        sh->command_capacity = sh->command_capacity ? 2 * sh->command_capacity : 64;
        out->command = xrealloc(out->command, sh->command_capacity * sizeof *out->command);
    }
    struct shell_command *c = &out->command[out->count];
    command_make(sh, f, line, c);
    c->parent = sh->parent;
    c->is_uncertain = sh->frame.doubt != 0;
    out->count++;
}

typedef struct verdict builtin(struct shell *sh, const struct fields *f, int line);

static const struct verdict assumed = {ASSUMED, 0};

static struct verdict builtin_true(struct shell *sh, const struct fields *f, int line)
{
    (void)sh, (void)f, (void)line;
    return (struct verdict){YES, 0};
}

static struct verdict builtin_false(struct shell *sh, const struct fields *f, int line)
{
    (void)sh, (void)f, (void)line;
    return (struct verdict){NO, 0};
}

static struct verdict builtin_test(struct shell *sh, const struct fields *f, int line)
{
    (void)line;
    struct test t = {.sh = sh};
    char *name = plain(f->item[0], NULL, NULL, NULL);
    size_t count = f->count - (strcmp(name, "[") == 0 && f->count > 1);
    for (size_t i = 1; i < count; i++)
        test_push(&t, f->item[i], true);
    struct verdict v = test_run(&t);
    test_free(&t);
    free(name);
    return v;
}

/** True when argument 1 is absent or a number that means success. */
static bool is_success(const struct fields *f)
{
    char *status = f->count > 1 ? plain(f->item[1], NULL, NULL, NULL) : NULL;
    bool is_zero = !status || strcmp(status, "0") == 0;
    free(status);
    return is_zero;
}

static struct verdict builtin_exit(struct shell *sh, const struct fields *f, int line)
{
    (void)line;
    if (!sh->frame.doubt && is_success(f))
        sh->is_stopped = true;
    return assumed;
}

static struct verdict builtin_return(struct shell *sh, const struct fields *f, int line)
{
    (void)f, (void)line;
    if (!sh->frame.doubt && sh->argument)
        sh->is_returning = true;
    return assumed;
}

static struct verdict builtin_break(struct shell *sh, const struct fields *f, int line)
{
    (void)f, (void)line;
    sh->is_breaking |= !sh->frame.doubt;
    return assumed;
}

static struct verdict builtin_continue(struct shell *sh, const struct fields *f, int line)
{
    (void)f, (void)line;
    sh->is_continuing |= !sh->frame.doubt;
    return assumed;
}

static struct verdict builtin_shift(struct shell *sh, const struct fields *f, int line)
{
    (void)line;
    char *text = f->count > 1 ? plain(f->item[1], NULL, NULL, NULL) : xstrdup("1");
    long n = strtol(text, NULL, 10);
    if (n > 0 && n <= SHELL_COMMANDS_MAX)
        sh->shifted += (size_t)n;
    free(text);
    return assumed;
}

static struct verdict builtin_unset(struct shell *sh, const struct fields *f, int line)
{
    (void)line;
    for (size_t i = 1; i < f->count; i++) {
        char *name = plain(f->item[i], NULL, NULL, NULL);
        variable_forget(sh, name);
        free(name);
    }
    return assumed;
}

static struct verdict builtin_read(struct shell *sh, const struct fields *f, int line)
{
    int why = reason_of(sh, xstrdup("comes from `read`, which is not executed"), false);
    for (size_t i = 1; i < f->count; i++) {
        char *name = plain(f->item[i], NULL, NULL, NULL);
        if (is_name_start(name[0]) && name[name_size(name, name + strlen(name))] == '\0')
            variable_set_unknown(sh, name, why, line);
        free(name);
    }
    return assumed;
}

static struct verdict builtin_eval(struct shell *sh, const struct fields *f, int line)
{
    struct buffer whole = {0};
    for (size_t i = 1; i < f->count; i++)
        buffer_printf(&whole, i > 1 ? " %s" : "%s", f->item[i]);
    if (whole.text && spend(sh, whole.size, line))
        evaluate_text(sh, whole.text, line);
    buffer_free(&whole);
    return assumed;
}

static struct verdict builtin_source(struct shell *sh, const struct fields *f, int line)
{
    int unknown = 0;
    char *path = f->count > 1 ? plain(f->item[1], &unknown, NULL, NULL) : xstrdup("");
    errors_note(sh->errors, sh->name, line, NULL, "the file %s%s is not read; what it sets is not known here",
                unknown ? "..." : "", path);
    free(path);
    return assumed;
}

static const struct {
    const char *name;
    builtin *run;
} builtin_row[] = {
    {"[", builtin_test},         {"test", builtin_test},         {"true", builtin_true},   {":", builtin_true},
    {"false", builtin_false},    {"exit", builtin_exit},         {"return", builtin_return}, {"shift", builtin_shift},
    {"unset", builtin_unset},    {"read", builtin_read},         {"eval", builtin_eval},   {"source", builtin_source},
    {".", builtin_source},       {"break", builtin_break},       {"continue", builtin_continue},
};

static const struct function *function_find(const struct shell *sh, const char *name)
{
    for (size_t i = sh->functions; i > 0; i--)
        if (strcmp(sh->function[i - 1].name, name) == 0)
            return &sh->function[i - 1];
    return NULL;
}

static struct verdict function_call(struct shell *sh, const struct function *function, const struct fields *f)
{
    struct fields argument = {.item = f->item + 1, .count = f->count - 1};
    struct fields *outer = sh->argument;
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

static bool is_shell_name(const char *text)
{
    static const char *const name[] = {"bash", "sh", "/bin/bash", "/bin/sh", "zsh"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (strcmp(text, name[i]) == 0)
            return true;
    return false;
}

/** Reads the text of `bash -c TEXT`, wherever it stands in the command just recorded. */
static void run_inline_shell(struct shell *sh, const struct fields *f, int line)
{
    bool is_shell = false;
    for (size_t i = 0; i + 1 < f->count && !sh->is_failed; i++) {
        char *word = plain(f->item[i], NULL, NULL, NULL);
        size_t n = strlen(word);
        bool is_c = is_shell && n > 1 && word[0] == '-' && word[1] != '-' && word[n - 1] == 'c';
        is_shell |= is_shell_name(word);
        free(word);
        if (!is_c)
            continue;
        size_t parent = sh->parent;
        sh->parent = sh->out->count;
        if (spend(sh, strlen(f->item[i + 1]), line))
            evaluate_text(sh, f->item[i + 1], line);
        sh->parent = parent;
        return;
    }
}

static struct verdict command_dispatch(struct shell *sh, const struct fields *f, int line)
{
    char *name = plain(f->item[0], NULL, NULL, NULL);
    const struct function *function = function_find(sh, name);
    builtin *run = NULL;
    for (size_t i = 0; i < sizeof builtin_row / sizeof *builtin_row; i++)
        if (strcmp(builtin_row[i].name, name) == 0)
            run = builtin_row[i].run;
    free(name);
    if (function)
        return function_call(sh, function, f);
    if (run)
        return run(sh, f, line);
    command_record(sh, f, line);
    run_inline_shell(sh, f, line);
    return assumed;
}

/** A redirection at the reader is read past; here-documents are remembered until the line ends. */
static bool skip_redirection(struct shell *sh, struct reader *r, struct fields *f)
{
    static const char *const op[] = {"&>>", "<<<", "<<-", "&>", ">>", "<<", ">&", "<&", ">|", "<>", ">", "<"};
    const char *p = r->at;
    while (p < r->end && isdigit((unsigned char)*p))
        p++;
    if (p >= r->end || (*p != '<' && *p != '>' && !(p == r->at && *p == '&' && p + 1 < r->end && p[1] == '>')))
        return false;
    if (p + 1 < r->end && p[1] == '(' && *p != '&') {
        const char *close = scan(sh, p + 2, r->end, SCAN_PAREN, r->line);
        f->line = r->line;
        if (is_live(sh))
            field_unknown(sh, f, reason_command(sh, "<(", p + 2, (size_t)(close - p - 2), ")"));
        field_close(sh, f);
        reader_move(r, close < r->end ? close + 1 : close);
        return true;
    }
    size_t which = 0;
    r->at = p;
    while (!reader_starts(r, op[which]))
        which++;
    r->at += strlen(op[which]);
    reader_skip_blank(r);
    const char *stop = scan(sh, r->at, r->end, SCAN_WORD, r->line);
    bool is_heredoc = strcmp(op[which], "<<") == 0 || strcmp(op[which], "<<-") == 0;
    if (is_heredoc && stop > r->at && r->heredocs < HEREDOCS_MAX) {
        bool is_quoted = strchr("'\"", *r->at) && stop - r->at >= 2 && stop[-1] == *r->at;
        bool is_escaped = *r->at == '\\';
        r->heredoc[r->heredocs].word = r->at + (is_quoted || is_escaped);
        r->heredoc[r->heredocs].size = (size_t)(stop - r->at) - (is_quoted ? 2 : is_escaped);
        r->heredoc[r->heredocs++].is_indented = op[which][2] == '-';
    }
    reader_move(r, stop);
    return true;
}

static bool is_declaration(const struct fields *f)
{
    static const char *const name[] = {"export", "declare", "local", "readonly", "typeset"};
    char *first = f->count ? plain(f->item[0], NULL, NULL, NULL) : NULL;
    bool is_found = false;
    for (size_t i = 0; first && i < sizeof name / sizeof *name; i++)
        is_found |= strcmp(first, name[i]) == 0;
    free(first);
    return is_found;
}

/** True at the characters that end a simple command. */
static bool is_command_end(const struct reader *r)
{
    if (r->at >= r->end || strchr("\n;|)", *r->at))
        return true;
    return *r->at == '&' && !(r->at + 1 < r->end && r->at[1] == '>');
}

/** Assignments in front of a command hold for that command alone and change nothing here; alone they stay. */
static void run_leading_assignments(struct shell *sh, struct reader r)
{
    struct assignment a;
    struct fields ignored = {0};
    for (reader_skip_blank(&r); !is_command_end(&r) && !sh->is_failed; reader_skip_blank(&r)) {
        const char *before = r.at;
        r.at += marks_size(r.at, r.end);
        if (assignment_at(r.at, r.end, &a))
            run_assignment(sh, &r, &a);
        else if (!skip_redirection(sh, &r, &ignored))
            break;
        if (r.at == before)
            break;
    }
    fields_free(&ignored);
}

/** Moves past an assignment without carrying it out. */
static void skip_assignment(struct shell *sh, struct reader *r, const struct assignment *a)
{
    bool is_skipped = sh->frame.is_skipped;
    sh->frame.is_skipped = true;
    run_assignment(sh, r, a);
    sh->frame.is_skipped = is_skipped;
}

/** Takes one word, assignment or redirection of a simple command. */
static void take_part(struct shell *sh, struct reader *r, struct fields *f, bool *is_named)
{
    struct assignment a;
    size_t marks = marks_size(r->at, r->end);
    if (!*is_named && marks > 0 && assignment_at(r->at + marks, r->end, &a))
        r->at += marks;
    if (skip_redirection(sh, r, f))
        return;
    if (!*is_named && assignment_at(r->at, r->end, &a)) {
        skip_assignment(sh, r, &a);
        return;
    }
    if (is_declaration(f) && assignment_at(r->at, r->end, &a)) {
        run_assignment(sh, r, &a);
        return;
    }
    if (*r->at == '(') {
        fail(sh, r->line, "`(` is not expected here; quote it");
        return;
    }
    *is_named = true;
    reader_expand(sh, r, f);
}

static struct verdict run_simple(struct shell *sh, struct reader *r)
{
    struct reader start = *r;
    int line = r->line;
    struct fields f = {0};
    bool is_named = false;
    for (reader_skip_blank(r); !is_command_end(r) && !sh->is_failed; reader_skip_blank(r)) {
        const char *before = r->at;
        take_part(sh, r, &f, &is_named);
        if (r->at == before)
            fail(sh, r->line, "`%c` is not expected here; quote it", *before);
    }
    struct verdict v = {YES, 0};
    if (is_live(sh) && !is_named)
        run_leading_assignments(sh, start);
    else if (is_live(sh) && f.count > 0 && !is_declaration(&f))
        v = command_dispatch(sh, &f, line);
    fields_free(&f);
    return v;
}

/* ---- compound commands --------------------------------------------------------------------------------------- */

/** Reads a list with the frame changed for its time. */
static struct verdict run_framed(struct shell *sh, struct reader *r, struct frame frame)
{
    struct frame outer = sh->frame;
    frame.is_skipped |= outer.is_skipped;
    sh->frame = frame;
    struct verdict v = run_list(sh, r);
    sh->frame = outer;
    return v;
}

static struct verdict run_skipped(struct shell *sh, struct reader *r)
{
    return run_framed(sh, r, (struct frame){.is_skipped = true});
}

/** A chain of branches of which at most one runs: how much of it is already decided. */
struct chain {
    int line;
    bool is_closed; /* a branch was taken for certain */
    int doubt;      /* why branches from here on might not be reached */
    int construct, branch;
};

static int reason_condition(struct shell *sh, int line)
{
    return reason_of(sh, xasprintf("depends on the condition in line %d, which is not known", line), false);
}

/** The frame for the branch behind a condition, and what the condition means for the branches after it. */
static struct frame chain_branch(struct shell *sh, struct chain *c, struct verdict v)
{
    struct frame frame = sh->frame;
    bool is_decided = v.truth == YES || v.truth == NO;
    int doubt = c->doubt;
    if (!is_decided) {
        doubt = reason_condition(sh, c->line);
        if (!c->construct)
            c->construct = ++sh->constructs;
    } else if (v.doubt) {
        doubt = reason_doubt(sh, v.doubt);
    }
    frame.is_skipped |= c->is_closed || v.truth == NO;
    frame.doubt = doubt ? doubt : frame.doubt;
    if (c->construct) {
        frame.construct = c->construct;
        frame.branch = ++c->branch;
    }
    c->is_closed |= v.truth == YES;
    c->doubt = doubt;
    return frame;
}

static struct verdict run_if(struct shell *sh, struct reader *r)
{
    struct chain chain = {.line = r->line};
    int line = r->line;
    reader_skip_text(r, "if");
    for (;;) {
        struct verdict v = chain.is_closed ? run_skipped(sh, r) : run_list(sh, r);
        if (!reader_expect(sh, r, "then", "if", line))
            return assumed;
        run_framed(sh, r, chain_branch(sh, &chain, v));
        if (!reader_is_word(r, "elif"))
            break;
        chain.line = r->line;
        reader_skip_text(r, "elif");
    }
    if (reader_is_word(r, "else")) {
        reader_skip_text(r, "else");
        struct frame frame = chain_branch(sh, &chain, (struct verdict){YES, 0});
        run_framed(sh, r, frame);
    }
    if (reader_expect(sh, r, "fi", "if", line) && chain.doubt && is_live(sh))
        return assumed;
    return (struct verdict){YES, 0};
}

/** The patterns of one branch against the word; MAYBE when either is not known. */
static enum truth case_patterns(struct shell *sh, struct reader *r, const char *subject, bool is_known, int line)
{
    enum truth truth = NO;
    reader_skip_blank(r);
    r->at += r->at < r->end && *r->at == '(';
    while (r->at < r->end && !sh->is_failed) {
        reader_skip_blank(r);
        struct fields f = {.line = r->line};
        const char *stop = scan(sh, r->at, r->end, SCAN_WORD, r->line);
        field_begin(&f, false);
        if (is_live(sh))
            expand(sh, r->at, stop, true, &f);
        int unknown;
        char *raw = plain(f.open.text ? f.open.text : "", &unknown, NULL, NULL);
        char *pattern = xmalloc(strlen(raw) + 1);
        size_t n = 0;
        for (const char *p = raw; *p; p++)
            if (*p != '"' && *p != '\'')
                pattern[n++] = *p;
        pattern[n] = '\0';
        if (!is_known || unknown)
            truth = truth == YES ? YES : MAYBE;
        else if (n <= PATTERN_MAX && pattern_match(pattern, subject, strlen(subject)))
            truth = YES;
        free(pattern);
        free(raw);
        fields_free(&f);
        reader_move(r, stop);
        reader_skip_blank(r);
        if (r->at < r->end && *r->at == '|') {
            r->at++;
            continue;
        }
        break;
    }
    if (r->at < r->end && *r->at == ')')
        r->at++;
    else
        fail(sh, line, "a pattern of `case` has no `)`; complete the script");
    return truth;
}

static struct verdict run_case(struct shell *sh, struct reader *r)
{
    struct chain chain = {.line = r->line};
    struct fields f = {0};
    int line = r->line, unknown = 0, doubt = 0;
    reader_skip_text(r, "case");
    reader_skip_blank(r);
    reader_expand(sh, r, &f);
    char *subject = plain(f.count ? f.item[0] : "", &unknown, &doubt, NULL);
    fields_free(&f);
    reader_expect(sh, r, "in", "case", line);
    for (reader_skip_lines(r); r->at < r->end && !reader_is_word(r, "esac") && !sh->is_failed; reader_skip_lines(r)) {
        enum truth truth = case_patterns(sh, r, subject, !unknown && strlen(subject) <= PATTERN_MAX, line);
        run_framed(sh, r, chain_branch(sh, &chain, (struct verdict){truth, doubt}));
        reader_skip_lines(r);
        if (reader_starts(r, ";;") || reader_starts(r, ";&"))
            r->at += 2;
        else if (!reader_is_word(r, "esac"))
            break;
    }
    reader_expect(sh, r, "esac", "case", line);
    free(subject);
    return assumed;
}

/** One turn of a loop body; false when the loop is to end. */
static bool run_turn(struct shell *sh, struct reader *r)
{
    run_list(sh, r);
    bool is_broken = sh->is_breaking;
    sh->is_breaking = sh->is_continuing = false;
    return !is_broken && !sh->is_failed && is_live(sh);
}

static void note_loop(struct shell *sh, const char *word, int line)
{
    if (is_live(sh))
        errors_note(sh->errors, sh->name, line, NULL,
                    "the body of this `%s` is left out, because how often it runs is not known; "
                    "what it would set is not used",
                    word);
}

/** The words after `for NAME in`; the script's own arguments stand for a missing list. */
static void take_for_words(struct shell *sh, struct reader *r, struct fields *f)
{
    reader_skip_lines(r);
    if (!reader_is_word(r, "in")) {
        if (is_live(sh))
            field_unknown(sh, f, reason_unset(sh, "@"));
        field_close(sh, f);
        return;
    }
    reader_skip_text(r, "in");
    for (reader_skip_blank(r); !is_command_end(r) && !sh->is_failed; reader_skip_blank(r)) {
        const char *before = r->at;
        reader_expand(sh, r, f);
        if (r->at == before)
            fail(sh, r->line, "`%c` is not expected here; quote it", *before);
    }
}

/** Runs the body that follows `do` once for each word, and leaves the reader at `done`. */
static void run_for_words(struct shell *sh, struct reader *r, const char *name, const struct fields *f)
{
    struct reader body = *r;
    bool goes_on = is_live(sh), has_run = false;
    for (size_t i = 0; i < f->count && i < SHELL_LOOP_MAX && goes_on; i++) {
        struct fields one = {.item = f->item + i, .count = 1};
        int unknown;
        free(plain(f->item[i], &unknown, NULL, NULL));
        struct frame outer = sh->frame;
        if (unknown)
            sh->frame.doubt = reason_doubt(sh, unknown);
        variable_assign(sh, name, &one, false, false, body.line);
        *r = body;
        has_run = true;
        goes_on = run_turn(sh, r);
        sh->frame = outer;
    }
    if (!has_run)
        run_skipped(sh, r);
}

static struct verdict run_for(struct shell *sh, struct reader *r)
{
    int line = r->line;
    reader_skip_text(r, reader_is_word(r, "for") ? "for" : "select");
    reader_skip_blank(r);
    struct fields f = {0};
    bool is_arithmetic = reader_starts(r, "((");
    size_t n = name_size(r->at, r->end);
    char *name = xstrndup(r->at, is_arithmetic ? 0 : n);
    if (is_arithmetic) {
        note_loop(sh, "for", line);
        const char *close = scan(sh, r->at + 1, r->end, SCAN_PAREN, line);
        reader_move(r, close < r->end ? close + 1 : close);
    } else if (n == 0 || !is_name_start(name[0])) {
        fail(sh, line, "`for` has no name; complete the script");
    } else {
        r->at += n;
        take_for_words(sh, r, &f);
    }
    reader_skip_lines(r);
    if (r->at < r->end && *r->at == ';')
        r->at++;
    if (!sh->is_failed && reader_expect(sh, r, "do", "for", line)) {
        if (is_arithmetic)
            run_skipped(sh, r);
        else
            run_for_words(sh, r, name, &f);
        reader_expect(sh, r, "done", "for", line);
    }
    fields_free(&f);
    free(name);
    return assumed;
}

static struct verdict run_while(struct shell *sh, struct reader *r)
{
    int line = r->line;
    bool is_until = reader_is_word(r, "until"), goes_on = true;
    const char *word = is_until ? "until" : "while";
    reader_skip_text(r, word);
    struct reader start = *r;
    for (int turn = 0; goes_on && !sh->is_failed; turn++) {
        *r = start;
        struct verdict v = run_list(sh, r);
        if (is_until)
            v = verdict_not(v);
        if (!reader_expect(sh, r, "do", word, line))
            break;
        bool is_decided = (v.truth == YES || v.truth == NO) && !v.doubt;
        if (!is_decided)
            note_loop(sh, word, line);
        goes_on = is_decided && v.truth == YES && turn < SHELL_LOOP_MAX && is_live(sh);
        if (goes_on)
            goes_on = run_turn(sh, r);
        else
            run_skipped(sh, r);
    }
    reader_expect(sh, r, "done", word, line);
    return assumed;
}

/** Assignments in `(( ))`: `x=`, `x+=`, `x++` and their like; returns false if the text is none. */
static bool run_arithmetic_assignment(struct shell *sh, const char *p, const char *end, int line)
{
    while (p < end && isspace((unsigned char)*p))
        p++;
    size_t n = p < end && is_name_start(*p) ? name_size(p, end) : 0;
    const char *q = p + n;
    while (q < end && isspace((unsigned char)*q))
        q++;
    if (n == 0 || end - q < 2)
        return false;
    bool is_step = (q[0] == '+' || q[0] == '-') && q[1] == q[0];
    bool is_plain = q[0] == '=' && q[1] != '=';
    bool is_update = strchr("+-*/%", q[0]) && q[1] == '=';
    if (!is_step && !is_plain && !is_update)
        return false;
    char *name = xstrndup(p, n);
    const char *value = q + 1 + !is_plain;
    char *expression = is_plain ? xstrndup(value, (size_t)(end - value))
                       : is_step ? xasprintf("%s %c 1", name, q[0])
                                 : xasprintf("%s %c (%.*s)", name, q[0], (int)(end - value), value);
    struct fields f = {.line = line};
    put_arithmetic(sh, expression, expression + strlen(expression), &f);
    field_close(sh, &f);
    variable_assign(sh, name, &f, false, false, line);
    fields_free(&f);
    free(expression);
    free(name);
    return true;
}

static struct verdict run_arithmetic(struct shell *sh, struct reader *r)
{
    int line = r->line;
    const char *open = r->at + marks_size(r->at, r->end) + 2;
    const char *close = scan(sh, open - 1, r->end, SCAN_PAREN, line);
    struct verdict v = {MAYBE, 0};
    if (is_live(sh) && close > open && !run_arithmetic_assignment(sh, open, close - 1, line)) {
        int unknown;
        int64_t value = arithmetic_of(sh, open, close - 1, line, &unknown, &v.doubt);
        v.truth = unknown ? MAYBE : value ? YES : NO;
    }
    reader_move(r, close < r->end ? close + 1 : close);
    return v;
}

static struct verdict run_group(struct shell *sh, struct reader *r)
{
    int line = r->line;
    bool is_brace = reader_starts(r, "{");
    reader_skip_text(r, is_brace ? "{" : "(");
    struct verdict v = run_list(sh, r);
    reader_expect(sh, r, is_brace ? "}" : ")", is_brace ? "{" : "(", line);
    return v;
}

/** Remembers the function whose body follows and reads past it. */
static struct verdict define_function(struct shell *sh, struct reader *r, const char *name, size_t size)
{
    int line = r->line;
    reader_skip_lines(r);
    if (r->at >= r->end) {
        fail(sh, line, "a function has no body; complete the script");
        return assumed;
    }
    if (is_live(sh) && sh->functions < SHELL_VARIABLES_MAX) {
        sh->function = xrealloc(sh->function, (sh->functions + 1) * sizeof *sh->function);
        sh->function[sh->functions] = (struct function){xstrndup(name, size), *r};
        sh->function[sh->functions++].body.heredocs = 0;
    }
    struct frame outer = sh->frame;
    sh->frame.is_skipped = true;
    run_command(sh, r);
    sh->frame = outer;
    return (struct verdict){YES, 0};
}

/** `name() body`: the length of the name if a definition starts here, with the reader moved to its body. */
static size_t function_at(struct reader *r)
{
    const char *p = r->at;
    while (p < r->end && (is_name_start(*p) || isdigit((unsigned char)*p) || *p == '-'))
        p++;
    size_t n = (size_t)(p - r->at);
    while (p < r->end && (*p == ' ' || *p == '\t'))
        p++;
    if (n == 0 || p >= r->end || *p != '(')
        return 0;
    for (p++; p < r->end && (*p == ' ' || *p == '\t'); p++)
        ;
    if (p >= r->end || *p != ')')
        return 0;
    r->at = p + 1;
    return n;
}

static struct verdict run_function(struct shell *sh, struct reader *r)
{
    reader_skip_text(r, "function");
    reader_skip_blank(r);
    const char *name = r->at;
    size_t n = function_at(r);
    if (n == 0) {
        const char *stop = scan(sh, r->at, r->end, SCAN_WORD, r->line);
        n = (size_t)(stop - r->at);
        reader_move(r, stop);
    }
    return define_function(sh, r, name, n);
}

static const struct {
    const char *word;
    struct verdict (*run)(struct shell *, struct reader *);
} compound_row[] = {
    {"if", run_if},         {"case", run_case},   {"for", run_for},           {"select", run_for},
    {"while", run_while},   {"until", run_while}, {"[[", run_double_bracket}, {"{", run_group},
    {"function", run_function},
};

static struct verdict run_known(struct shell *sh, struct reader *r)
{
    for (size_t i = 0; i < sizeof compound_row / sizeof *compound_row; i++)
        if (reader_is_word(r, compound_row[i].word))
            return compound_row[i].run(sh, r);
    if (reader_starts(r, "(("))
        return run_arithmetic(sh, r);
    if (reader_starts(r, "("))
        return run_group(sh, r);
    const char *name = r->at;
    size_t n = function_at(r);
    return n ? define_function(sh, r, name, n) : run_simple(sh, r);
}

/** One command of any kind, with the redirections behind it. */
static struct verdict run_command(struct shell *sh, struct reader *r)
{
    struct verdict v = assumed;
    if (++sh->depth > SHELL_DEPTH_MAX)
        fail(sh, r->line, "nested deeper than %d; simplify the script", SHELL_DEPTH_MAX);
    if (++sh->commands > SHELL_COMMANDS_MAX)
        fail(sh, r->line, "more than %d commands; shorten the loops of the script", SHELL_COMMANDS_MAX);
    if (!sh->is_failed)
        v = run_known(sh, r);
    struct fields ignored = {0};
    for (reader_skip_blank(r); !sh->is_failed && r->at < r->end && skip_redirection(sh, r, &ignored);)
        reader_skip_blank(r);
    fields_free(&ignored);
    sh->depth--;
    return v;
}

static struct verdict run_pipeline(struct shell *sh, struct reader *r)
{
    bool is_not = false;
    for (reader_skip_blank(r); reader_is_word(r, "!") || reader_is_word(r, "time"); reader_skip_blank(r)) {
        is_not ^= reader_is_word(r, "!");
        reader_skip_text(r, reader_is_word(r, "!") ? "!" : "time");
    }
    struct verdict v = run_command(sh, r);
    while (!sh->is_failed && r->at < r->end && *r->at == '|' && !reader_starts(r, "||")) {
        r->at += reader_starts(r, "|&") ? 2 : 1;
        reader_skip_lines(r);
        if (reader_is_closer(r))
            fail(sh, r->line, "nothing follows `|`; complete the script");
        else
            v = run_command(sh, r);
    }
    return is_not ? verdict_not(v) : v;
}

/** The side behind `&&` or `||`: skipped, read, or read with doubt, as the left side decides. */
static struct verdict run_conditional(struct shell *sh, struct reader *r, struct verdict left, bool is_and)
{
    struct chain chain = {.line = r->line};
    struct verdict v = left;
    if (v.truth == ASSUMED)
        v.truth = YES;
    if (!is_and)
        v.truth = v.truth == YES ? NO : v.truth == NO ? YES : MAYBE;
    struct frame frame = chain_branch(sh, &chain, v), outer = sh->frame;
    sh->frame = frame;
    struct verdict right = run_pipeline(sh, r);
    sh->frame = outer;
    if (frame.is_skipped)
        return left;
    if (left.truth == ASSUMED || right.truth == ASSUMED)
        return v.truth == MAYBE ? (struct verdict){MAYBE, 0} : right;
    return verdict_join(left, right, is_and);
}

static struct verdict run_and_or(struct shell *sh, struct reader *r)
{
    struct verdict v = run_pipeline(sh, r);
    while (!sh->is_failed && (reader_starts(r, "&&") || reader_starts(r, "||"))) {
        bool is_and = *r->at == '&';
        r->at += 2;
        reader_skip_lines(r);
        if (reader_is_closer(r))
            fail(sh, r->line, "nothing follows `%s`; complete the script", is_and ? "&&" : "||");
        else
            v = run_conditional(sh, r, v, is_and);
    }
    return v;
}

/** Commands until something that closes a construct (or the text) comes; the status is that of the last. */
static struct verdict run_list(struct shell *sh, struct reader *r)
{
    struct verdict v = {YES, 0};
    for (reader_skip_lines(r); !sh->is_failed && !reader_is_closer(r); reader_skip_lines(r)) {
        const char *before = r->at;
        v = run_and_or(sh, r);
        if (r->at < r->end && (*r->at == ';' || *r->at == '&') && !reader_starts(r, ";;") && !reader_starts(r, ";&"))
            r->at++;
        if (r->at == before)
            fail(sh, r->line, "`%c` is not expected here; quote it", *before);
    }
    return v;
}

/* ---- whole texts --------------------------------------------------------------------------------------------- */

static void run_text(struct shell *sh, struct reader *r)
{
    run_list(sh, r);
    if (!sh->is_failed && r->at < r->end) {
        char *shown = excerpt(r->at, strcspn(r->at, "\n"));
        fail(sh, r->line, "`%s` closes nothing; remove it", shown);
        free(shown);
    }
}

static void evaluate_text(struct shell *sh, const char *text, int line)
{
    if (++sh->depth > SHELL_DEPTH_MAX)
        fail(sh, line, "nested deeper than %d; simplify the script", SHELL_DEPTH_MAX);
    if (!sh->is_failed) {
        sh->text = xrealloc(sh->text, (sh->texts + 1) * sizeof *sh->text);
        char *copy = sh->text[sh->texts++] = xstrdup(text);
        struct reader r = {.at = copy, .end = copy + strlen(copy), .line = line, .is_nested = true};
        run_text(sh, &r);
    }
    sh->depth--;
}

/** Leaves the values of all variables as lists of words. */
static void publish_variables(struct shell *sh)
{
    struct shell_script *out = sh->out;
    out->variable = xmalloc((sh->variables + 1) * sizeof *out->variable);
    for (size_t i = 0; i < sh->variables && !sh->is_failed; i++) {
        const struct variable *v = &sh->variable[i];
        struct fields f = {.line = v->line};
        field_value(sh, &f, v->name, true);
        field_close(sh, &f);
        for (size_t k = 0; k < v->count; k++) {
            field_value(sh, &f, v->item[k], v->is_array && !strchr(v->item[k], ' '));
            field_close(sh, &f);
        }
        if (!sh->is_failed)
            command_make(sh, &f, v->line, &out->variable[out->variables++]);
        fields_free(&f);
    }
}

static void shell_release(struct shell *sh)
{
    for (size_t i = 0; i < sh->variables; i++) {
        variable_clear(&sh->variable[i]);
        free(sh->variable[i].name);
    }
    for (size_t i = 0; i < sh->functions; i++)
        free(sh->function[i].name);
    for (size_t i = 0; i < sh->reasons; i++)
        free(sh->reason[i].text);
    for (size_t i = 0; i < sh->texts; i++)
        free(sh->text[i]);
    free(sh->variable);
    free(sh->function);
    free(sh->reason);
    free(sh->text);
}

/** A copy without bytes that could be taken for marks. */
static char *copy_without_marks(const char *text, size_t size)
{
    char *copy = xstrndup(text, size);
    for (char *p = copy; *p; p++)
        if (*p == MARK || *p == MARK_END)
            *p = '?';
    return copy;
}

int shell_read(const char *text, size_t size, const char *name, struct shell_script *out, struct errors *errors)
{
    struct shell sh = {.name = name, .errors = errors, .out = out};
    *out = (struct shell_script){0};
    reason_of(&sh, xstrdup(""), false); /* slot 0 means "none" and is never found again */
    sh.reasons = sh.reasons ? sh.reasons : 1;
    char *copy = copy_without_marks(text, size);
    struct reader r = {.at = copy, .end = copy + strlen(copy), .line = 1};
    run_text(&sh, &r);
    if (!sh.is_failed)
        publish_variables(&sh);
    shell_release(&sh);
    free(copy);
    return sh.is_failed ? -1 : 0;
}

static void command_free(struct shell_command *c)
{
    for (size_t i = 0; i < c->count; i++) {
        free(c->word[i].text);
        free(c->word[i].why);
    }
    free(c->word);
}

void shell_free(struct shell_script *script)
{
    for (size_t i = 0; i < script->count; i++)
        command_free(&script->command[i]);
    for (size_t i = 0; i < script->variables; i++)
        command_free(&script->variable[i]);
    free(script->command);
    free(script->variable);
    *script = (struct shell_script){0};
}
