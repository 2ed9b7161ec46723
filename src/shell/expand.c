#include "src/shell/expand.h"

#include "core/base.h"
#include "src/shell/lex.h"
#include "src/shell/state.h"
#include "src/shell/vars.h"
#include "src/shell/words.h"
#include "src/text/text.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static void expand(struct shell *sh, const char *p, const char *end, bool is_quoted, struct words *w);

/* ---- values of parameters -------------------------------------------------------------------------------------- */

/* What a parameter holds: `count` items at `item`, or an unknown with its reason. */
struct view {
    char **item;
    size_t count;
    bool is_many; /* [@] or [*]: items stay apart */
    int unknown;
};

/* `$1`, `$@` and their like: known inside functions. */
static struct view view_argument(struct shell *sh, const char *name)
{
    const struct words *all = sh->argument;
    if (!all && isdigit((unsigned char)name[0]) && variable_known(sh, name)) {
        const struct variable *v = variable_known(sh, name); /* the caller gives it by a name of its own */
        return (struct view){.item = v->item, .count = v->count};
    }
    if (!all || strchr("0?$!-#", name[0]))
        return (struct view){.unknown = reason_unset(sh, name)};
    size_t count = all->count - sh->shifted, n = strtoul(name, NULL, 10);
    char **item = count > 0 ? all->item + sh->shifted : NULL;
    if (name[0] == '@' || name[0] == '*')
        return (struct view){.item = item, .count = count, .is_many = true};
    return n >= 1 && n <= count ? (struct view){.item = item + n - 1, .count = 1} : (struct view){0};
}

/* An element that was set by its key; false when there is none of that key. */
static bool view_element(struct shell *sh, const char *name, const char *sub, size_t sub_size, struct view *out)
{
    char *key = expand_whole(sh, sub, sub + sub_size, true, 0), *whole = element_name(name, key);
    struct plain plain = plain_of(key);
    const struct variable *v = plain.unknown ? NULL : variable_find(sh, whole);
    if (v)
        *out = (struct view){.item = v->item, .count = v->count > 0};
    free(plain.text);
    free(whole);
    free(key);
    return v != NULL;
}

/* A parameter with its subscript, which may be empty. */
static struct view view_of(struct shell *sh, const char *name, const char *sub, size_t sub_size)
{
    if (!is_name_start(name[0]))
        return view_argument(sh, name);
    struct view element = {0};
    if (sub_size > 0 && !strchr("@*", *sub) && view_element(sh, name, sub, sub_size, &element))
        return element;
    const struct variable *v = variable_known(sh, name);
    if (!v)
        return (struct view){.unknown = reason_unset(sh, name)};
    if (sub_size == 1 && strchr("@*", *sub))
        return (struct view){.item = v->item, .count = v->count, .is_many = true};
    if (sub_size == 0 || !v->is_array)
        return (struct view){.item = v->item, .count = v->count > 0};
    int unknown, doubt;
    int64_t count = (int64_t)v->count, index = arithmetic(sh, sub, sub + sub_size, 0, &unknown, &doubt);
    index += index < 0 ? count : 0;
    if (unknown || index < 0 || index >= count)
        return (struct view){.unknown = unknown};
    return (struct view){.item = v->item + index, .count = 1};
}

static void view_put(struct shell *sh, const struct view *v, bool is_joined, bool is_quoted, struct words *w)
{
    if (v->unknown)
        words_unknown(sh, w, v->unknown);
    for (size_t i = 0; i < v->count; i++) {
        if (i > 0 && (is_joined || w->is_unsplit))
            words_put(sh, w, ' ');
        else if (i > 0)
            words_close(sh, w);
        words_value(sh, w, v->item[i], is_quoted);
    }
}

/* True when the value is empty for certain; `*unknown` is set when it cannot be told. */
static bool view_is_empty(const struct view *v, int *unknown)
{
    bool is_empty = true;
    *unknown = 0;
    for (size_t i = 0; i < v->count && is_empty; i++) {
        struct plain value = plain_of(v->item[i]);
        is_empty = !*value.text;
        *unknown = !is_empty ? 0 : *unknown ? *unknown : value.unknown;
        free(value.text);
    }
    return is_empty && !*unknown;
}

/* ---- ${...} ---------------------------------------------------------------------------------------------------- */

/* One `${name op word}` being expanded. */
struct expansion {
    char *name;
    struct view view;
    const char *word, *end;
    bool is_quoted, is_joined;
    struct words *w;
};

static void put_value(struct shell *sh, struct expansion *x)
{
    view_put(sh, &x->view, x->is_joined, x->is_quoted, x->w);
}

/* A word with double quotes around it, or parts of it, as in `${X:="$HOME/x"}`, expanded. */
static char *expand_unquoted(struct shell *sh, const struct expansion *x)
{
    struct buffer bare = {0};
    buffer_puts(&bare, "");
    for (const char *p = x->word; p < x->end; p++) {
        if (*p != '"')
            buffer_add(&bare, p, 1);
        if (*p == '\\' && p + 1 < x->end)
            buffer_add(&bare, ++p, 1);
    }
    char *value = expand_whole(sh, bare.text, bare.text + bare.size, true, x->w->line);
    buffer_free(&bare);
    return value;
}

/* True for variables that a scheduler or a launcher sets, so that a script's own value seldom counts. */
static bool is_of_launch(const char *name)
{
    static const char *const begins[] = {"SLURM_", "PET_", "OMPI_", "PMI_", "PBS_", "LSB_", "MLP_", "WORLD_SIZE"};
    bool is = false;
    for (size_t i = 0; i < LENGTH(begins); i++)
        is |= strncmp(name, begins[i], strlen(begins[i])) == 0;
    return is;
}

/* `:-`, and with `is_kept` `:=`: the value, or the word where there is none. */
static void put_default(struct shell *sh, struct expansion *x, bool has_colon, bool is_kept)
{
    int unknown;
    bool is_missing = x->view.count == 0 || (has_colon && view_is_empty(&x->view, &unknown));
    if (!is_missing) {
        put_value(sh, x);
    } else if (is_kept && is_name_start(x->name[0])) {
        char *value = expand_unquoted(sh, x);
        variable_assign(sh, x->name, &(struct words){.item = &value, .count = 1}, false, false, x->w->line);
        words_value(sh, x->w, value, x->is_quoted);
        free(value);
    } else {
        if (is_of_launch(x->name))
            words_doubt(x->w, reason_doubt(sh, reason_unset(sh, x->name)));
        expand(sh, x->word, x->end, x->is_quoted, x->w);
    }
}

/* `:+`: the word where there is a value. */
static void put_alternative(struct shell *sh, struct expansion *x, bool has_colon)
{
    int unknown = 0;
    bool is_missing = x->view.count == 0 || (has_colon && view_is_empty(&x->view, &unknown));
    if (unknown)
        words_unknown(sh, x->w, unknown);
    else if (!is_missing)
        expand(sh, x->word, x->end, x->is_quoted, x->w);
}

bool pattern_matches(const char *pattern, const char *text)
{
    return fnmatch(pattern, text, 0) == 0;
}

/* What stays of a value without the part that matches: `%` behind, `#` in front, twice for the longest one. */
static char *trim(const char *value, const char *pattern, char op, bool is_longest)
{
    size_t n = strlen(value);
    for (size_t i = 0; i <= n; i++) {
        size_t cut = is_longest ? n - i : i; /* length of the removed part */
        char *front = xstrndup(value, op == '#' ? cut : n - cut);
        const char *back = value + strlen(front);
        bool is_match = pattern_matches(pattern, op == '#' ? front : back);
        if (is_match && op == '%')
            return front;
        free(front);
        if (is_match)
            return xstrdup(back);
    }
    return xstrdup(value);
}

/* `%`, `%%`, `#`, `##` on one value. */
static void put_trimmed(struct shell *sh, struct expansion *x, char op)
{
    enum { LONGEST = 1024 };
    bool is_longest = x->word < x->end && *x->word == op;
    const char *written = x->word + is_longest;
    char *marked = expand_whole(sh, written, x->end, true, x->w->line);
    struct plain pattern = plain_of(marked), value = plain_of(x->view.count ? x->view.item[0] : "");
    int unknown = x->view.unknown ? x->view.unknown : value.unknown ? value.unknown : pattern.unknown;
    if (!unknown && (x->view.is_many || strlen(value.text) > LONGEST || strlen(pattern.text) > LONGEST))
        unknown = reason_source(sh, written, (size_t)(x->end - written), REASON_NOT_EVALUATED);
    words_doubt(x->w, value.doubt);
    if (unknown) {
        words_unknown(sh, x->w, unknown);
    } else {
        char *kept = trim(value.text, pattern.text, op, is_longest);
        words_value(sh, x->w, kept, x->is_quoted);
        free(kept);
    }
    free(marked);
    free(pattern.text);
    free(value.text);
}

/* `/a/b` and `//a/b` of plain texts on one value. */
static void put_replaced(struct shell *sh, struct expansion *x)
{
    bool is_all = x->word < x->end && *x->word == '/';
    const char *from = x->word + is_all, *slash = memchr(from, '/', (size_t)(x->end - from));
    size_t n = (size_t)((slash ? slash : x->end) - from);
    char *to = slash ? expand_whole(sh, slash + 1, x->end, true, x->w->line) : xstrdup("");
    struct plain value = plain_of(x->view.count ? x->view.item[0] : ""), with = plain_of(to);
    struct buffer out = {0};
    char *what = xstrndup(from, n);
    int unknown = x->view.unknown ? x->view.unknown : value.unknown ? value.unknown : with.unknown;
    if (!unknown && (x->view.is_many || n == 0 || strpbrk(what, "*?[]\\$\"'#%")))
        unknown = reason_source(sh, from, (size_t)(x->end - from), REASON_NOT_EVALUATED);
    buffer_puts(&out, "");
    for (const char *p = value.text, *at; !unknown && p && out.size <= SHELL_EXPANDED_MAX; p = at ? at + n : NULL) {
        at = is_all || p == value.text ? strstr(p, what) : NULL;
        buffer_add(&out, p, at ? (size_t)(at - p) : strlen(p));
        buffer_puts(&out, at ? with.text : "");
    }
    words_doubt(x->w, value.doubt);
    if (unknown)
        words_unknown(sh, x->w, unknown);
    else if (shell_spend(sh, out.size, x->w->line))
        words_value(sh, x->w, out.text, x->is_quoted);
    buffer_free(&out);
    free(what);
    free(to);
    free(value.text);
    free(with.text);
}

/* A number, as if it were quoted. */
static void put_number(struct shell *sh, struct words *w, long long number)
{
    char *text = xasprintf("%lld", number);
    words_value(sh, w, text, true);
    free(text);
}

static void put_length(struct shell *sh, const struct view *v, struct words *w)
{
    struct plain value = plain_of(!v->is_many && v->count > 0 ? v->item[0] : "");
    int unknown = v->unknown ? v->unknown : value.unknown;
    for (size_t i = 0; v->is_many && i < v->count && !unknown; i++) { /* an element not known may be several */
        struct plain element = plain_of(v->item[i]);
        unknown = element.unknown;
        free(element.text);
    }
    if (unknown)
        words_unknown(sh, w, unknown);
    else
        put_number(sh, w, (long long)(v->is_many ? v->count : strlen(value.text)));
    free(value.text);
}

/* The part of `${...}` after the name: operator and word. */
static void put_operator(struct shell *sh, struct expansion *x, const char *p, const char *whole)
{
    bool has_colon = p + 1 < x->end && *p == ':';
    char op = p < x->end ? p[has_colon] : '?';
    x->word = p + has_colon + (p < x->end);
    if (op == '-' || op == '=')
        put_default(sh, x, has_colon, op == '=');
    else if (op == '+')
        put_alternative(sh, x, has_colon);
    else if (op == '?')
        put_value(sh, x);
    else if ((op == '%' || op == '#') && !has_colon)
        put_trimmed(sh, x, op);
    else if (op == '/' && !has_colon)
        put_replaced(sh, x);
    else
        words_unknown(sh, x->w,
                      x->view.unknown ? x->view.unknown
                                      : reason_source(sh, whole, (size_t)(x->end + 1 - whole), REASON_NOT_EVALUATED));
}

/* The inside of `${...}`; `p` stands after the brace. */
static void expand_braces(struct shell *sh, const char *p, const char *end, bool is_quoted, struct words *w)
{
    const char *whole = p - 2, *sub = "";
    bool is_length = end - p > 1 && *p == '#' && name_size(p + 1, end) > 0 && !strchr("-?", p[1]);
    p += is_length;
    size_t n = name_size(p, end), sub_size = 0;
    if (n == 0 || (*p == '!' && end - p > 1)) {
        words_unknown(sh, w, reason_source(sh, whole, (size_t)(end + 1 - whole), REASON_NOT_EVALUATED));
        return;
    }
    struct expansion x = {.name = xstrndup(p, n), .end = end, .is_quoted = is_quoted, .w = w};
    p += n;
    const char *close = p < end && *p == '[' ? memchr(p, ']', (size_t)(end - p)) : NULL;
    if (close) {
        sub = p + 1;
        sub_size = (size_t)(close - sub);
        p = close + 1;
    }
    x.is_joined = is_quoted && (x.name[0] == '*' || (sub_size == 1 && *sub == '*'));
    x.view = view_of(sh, x.name, sub, sub_size);
    if (is_length)
        put_length(sh, &x.view, w);
    else
        put_operator(sh, &x, p, whole);
    free(x.name);
}

/* ---- other forms ----------------------------------------------------------------------------------------------- */

void expand_arithmetic(struct shell *sh, const char *p, const char *end, struct words *w)
{
    int unknown, doubt;
    int64_t value = arithmetic(sh, p, end, w->line, &unknown, &doubt);
    words_doubt(w, doubt);
    if (unknown)
        words_unknown(sh, w, unknown);
    else
        put_number(sh, w, value);
}

/* `$name` and `$1`; returns where it ends. */
static const char *expand_name(struct shell *sh, const char *p, const char *end, bool is_quoted, struct words *w)
{
    size_t n = isdigit((unsigned char)*p) ? 1 : name_size(p, end);
    char *name = xstrndup(p, n);
    struct view v = view_of(sh, name, "", 0);
    if (*p == '#' && sh->argument)
        put_number(sh, w, (long long)(sh->argument->count - sh->shifted));
    else
        view_put(sh, &v, is_quoted && *p == '*', is_quoted, w);
    free(name);
    return p + n;
}

/* The words of a plain command from `p` to `end`; false where it is more than that. */
static bool take_command_words(struct shell *sh, const char *p, const char *end, int line, struct words *out)
{
    for (const char *q = p; q < end; q++)
        if (strchr("|&;<>`\n", *q) || (*q == '$' && q[1] == '('))
            return false;
    struct reader r = {.at = p, .end = end, .line = line, .is_nested = true};
    for (reader_skip_blank(&r); r.at < r.end && !sh->is_failed; reader_skip_blank(&r)) {
        const char *before = r.at;
        expand_word(sh, &r, out);
        reader_progress(sh, &r, before);
    }
    return true;
}

/* The words of `echo ...`, with `IFS=x;` before it joined by x; false for any other command. */
static bool expand_echo(struct shell *sh, const char *p, const char *end, bool is_quoted, struct words *w)
{
    char joint = ' ';
    p += strspn(p, " \t");
    if (end - p > 6 && strncmp(p, "IFS=", 4) == 0) {
        const char *stop = memchr(p, ';', (size_t)(end - p));
        bool is_quote = strchr("'\"", p[4]) != NULL;
        joint = p[4 + is_quote];
        p = stop ? stop + 1 : end;
        p += strspn(p, " \t");
    }
    struct words items = {0};
    bool is_echo = end - p >= 6 && strncmp(p, "echo ", 5) == 0 && p[5 + strspn(p + 5, " \t")] != '-' &&
                   take_command_words(sh, p + 5, end, w->line, &items);
    for (size_t i = 0; i < items.count && is_echo; i++) {
        for (char *q = items.item[i]; *q && joint != ' '; q++)
            *q = *q == ' ' ? joint : *q;
        if (i > 0)
            words_take(sh, w, " ", is_quoted);
        words_value(sh, w, items.item[i], is_quoted);
    }
    words_free(&items);
    return is_echo;
}

/* True for whole numbers and what joins them. */
static bool is_sum(const char *text)
{
    return *text && !text[strspn(text, "0123456789+-*/%() \t")];
}

/* Takes `print(` and `int(` off a sum of Python; false for a quotient that is no whole number there, and other text. */
static bool is_python_sum(char *text)
{
    static const char print[] = "print(", whole[] = "int(";
    size_t n = strlen(text);
    if (n < strlen(print) + 2 || strncmp(text, print, strlen(print)) != 0 || text[n - 1] != ')')
        return false;
    memset(text, ' ', strlen(print));
    text[n - 1] = ' ';
    char *inner = text + strspn(text, " "), *last = text + n - 1;
    bool is_whole = strncmp(inner, whole, strlen(whole)) == 0;
    while (is_whole && last > inner && *last != ')')
        last--;
    if (is_whole) {
        memset(inner, ' ', strlen(whole));
        *last = ' ';
    }
    bool has_quotient = false;
    for (char *p = strchr(text, '/'); p; p = strchr(p + 1, '/')) {
        has_quotient |= p[1] != '/';
        *p = p[1] == '/' ? ' ' : '/';
        p += p[1] == '/';
    }
    return is_sum(text + strspn(text, " ")) && (is_whole || !has_quotient);
}

/* Where the words of a sum begin: behind `expr`, `echo` before `bc`, `python3 -c`; NULL for another command. */
static const char *sum_words(const char *p, const char *end, const char *pipe)
{
    static const char *const begins[] = {"expr ", "python -c ", "python3 -c "}, echo[] = "echo ";
    const char *behind = pipe ? pipe + 1 + strspn(pipe + 1, " \t") : end;
    bool is_bc = pipe && end - behind >= 2 && strncmp(behind, "bc", 2) == 0 &&
                 behind + 2 + strspn(behind + 2, " \t\n") >= end;
    size_t n = strlen(echo);
    if (pipe)
        return is_bc && (size_t)(end - p) > n && strncmp(p, echo, n) == 0 ? p + n : NULL;
    for (size_t i = 0; i < LENGTH(begins); i++)
        if ((size_t)(end - p) > strlen(begins[i]) && strncmp(p, begins[i], strlen(begins[i])) == 0)
            return p + strlen(begins[i]);
    return NULL;
}

/* The value of `expr 8 / 2`, `echo "8 / 2" | bc`, `python3 -c "print(8 // 2)"`; false for any other command. */
static bool expand_sum(struct shell *sh, const char *p, const char *end, struct words *w)
{
    const char *pipe = memchr(p, '|', (size_t)(end - p));
    p += strspn(p, " \t");
    const char *words = sum_words(p, end, pipe);
    bool is_python = words && strncmp(p, "python", strlen("python")) == 0;
    struct words items = {0};
    struct buffer sum = {0};
    bool is_taken = words && take_command_words(sh, words, pipe ? pipe : end, w->line, &items);
    for (size_t i = 0; i < items.count; i++)
        buffer_printf(&sum, "%s%s", i ? " " : "", items.item[i]);
    struct plain plain = plain_of(sum.text ? sum.text : "");
    bool is_known = is_python ? !plain.unknown && is_python_sum(plain.text) : is_sum(plain.text);
    if (is_taken && plain.unknown)
        words_unknown(sh, w, plain.unknown);
    else if (is_taken && is_known)
        expand_arithmetic(sh, is_python ? plain.text : sum.text,
                          is_python ? plain.text + strlen(plain.text) : sum.text + sum.size, w);
    is_taken = is_taken && (plain.unknown || is_known);
    free(plain.text);
    buffer_free(&sum);
    words_free(&items);
    return is_taken;
}

/* The line of a here-document's end, of which `-` leaves out tabs; NULL for none. */
static const char *find_end(const char *body, const char *end, const char *name, size_t n, bool is_indented)
{
    for (const char *line = body, *next; line < end; line = next) {
        const char *p = line, *stop = memchr(line, '\n', (size_t)(end - line));
        next = stop ? stop + 1 : end;
        while (is_indented && p < end && *p == '\t')
            p++;
        if ((size_t)(end - p) >= n && strncmp(p, name, n) == 0 && (p + n == end || p[n] == '\n'))
            return line;
    }
    return NULL;
}

/* The text of `cat <<END ... END`; false for any other command. */
static bool expand_cat(struct shell *sh, const char *p, const char *end, bool is_quoted, struct words *w)
{
    static const char cat[] = "cat";
    p += strspn(p, " \t\n");
    bool is_cat = (size_t)(end - p) > strlen(cat) && strncmp(p, cat, strlen(cat)) == 0;
    p += is_cat ? strlen(cat) : 0;
    p += strspn(p, " \t");
    if (!is_cat || end - p < 4 || strncmp(p, "<<", 2) != 0)
        return false;
    bool is_indented = p[2] == '-';
    p += 2 + is_indented;
    p += strspn(p, " \t");
    bool is_raw = strchr("'\"", *p) != NULL;
    const char *name = p + is_raw;
    size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    const char *body = name + n + is_raw;
    body += strspn(body, " \t");
    const char *stop = n > 0 && body < end && *body == '\n' ? find_end(body + 1, end, name, n, is_indented) : NULL;
    if (!stop)
        return false;
    char *text =
        is_raw ? xstrndup(body + 1, (size_t)(stop - body - 1)) : expand_whole(sh, body + 1, stop, true, w->line);
    for (size_t size = strlen(text); size > 0 && text[size - 1] == '\n'; size--)
        text[size - 1] = '\0'; /* as command substitution leaves them out */
    words_value(sh, w, text, is_quoted);
    free(text);
    return true;
}

/* The inside of `$(...)` and of backticks. */
static bool expand_command(struct shell *sh, const char *p, const char *end, bool is_quoted, struct words *w)
{
    return expand_cat(sh, p, end, is_quoted, w) || expand_echo(sh, p, end, is_quoted, w) || expand_sum(sh, p, end, w);
}

/* Whatever starts with `$` at `p`; returns where it ends. */
static const char *expand_dollar(struct shell *sh, const char *p, const char *end, bool is_quoted, struct words *w)
{
    const char *inside = p + 2, *close;
    switch (p + 1 < end ? p[1] : '\0') {
    case '(':
        close = scan(sh, inside, end, SCAN_PAREN, w->line);
        if (close - inside > 1 && *inside == '(' && close[-1] == ')')
            expand_arithmetic(sh, inside + 1, close - 1, w);
        else if (!expand_command(sh, inside, close, is_quoted, w))
            words_unknown(sh, w, reason_source(sh, p, (size_t)(close + (close < end) - p), REASON_NOT_EXECUTED));
        return close + (close < end);
    case '{':
        close = scan(sh, inside, end, SCAN_BRACE, w->line);
        if (!sh->is_failed)
            expand_braces(sh, inside, close, is_quoted, w);
        return close + (close < end);
    case '[': /* `$[4*4]`, as `$((4*4))` */
        close = scan(sh, inside, end, SCAN_BRACKET, w->line);
        expand_arithmetic(sh, inside, close, w);
        return close + (close < end);
    case '\'':
        if (!is_quoted)
            return p + 1; /* $'...' is read as '...' */
        break;
    default:
        if (name_size(p + 1, end) > 0)
            return expand_name(sh, p + 1, end, is_quoted, w);
    }
    words_put(sh, w, '$');
    return p + 1;
}

/* Length of the `{a,b}` or `{1..4}` that starts at `p`, a form that bash would multiply; 0 if none does. */
static size_t brace_list_size(const char *p, const char *end)
{
    const char *close = memchr(p, '}', (size_t)(end - p));
    size_t n = close ? (size_t)(close - p) : 0;
    for (size_t i = 1; i < n && !strchr("\"'$", p[i]); i++)
        if (p[i] == ',' || (p[i] == '.' && p[i + 1] == '.'))
            return n + 1;
    return 0;
}

/* A backslash inside or outside double quotes; returns where to go on. */
static const char *expand_backslash(struct shell *sh, const char *p, const char *end, bool is_quoted, struct words *w)
{
    char next = p + 1 < end ? p[1] : '\0';
    if (next == '\n' || (next == '\r' && p + 2 < end && p[2] == '\n')) {
        w->line += w->line > 0;
        return p + 2 + (next == '\r');
    }
    if (!next && !is_quoted)
        return p + 1; /* at the end of the script */
    bool is_plain = !next || (is_quoted && !strchr("$`\"\\", next));
    words_put(sh, w, is_plain ? '\\' : next);
    return p + (is_plain ? 1 : 2);
}

/* True for `$@` or `${name[@]}` alone, which in quotes expand to no word if there are no elements. */
static bool is_list(const char *p, const char *end)
{
    size_t n = (size_t)(end - p);
    bool is_array = n > 6 && p[1] == '{' && strncmp(end - 4, "[@]}", 4) == 0 && memchr(p, '}', n) == end - 1;
    return n >= 2 && *p == '$' && ((n == 2 && p[1] == '@') || is_array);
}

/* `'...'` or `"..."`; returns where it ends. */
static const char *expand_quotes(struct shell *sh, const char *p, const char *end, struct words *w)
{
    bool is_double = *p == '"';
    const char *close =
        is_double ? scan(sh, p + 1, end, SCAN_DOUBLE, w->line) : memchr(p + 1, '\'', (size_t)(end - p - 1));
    close = close ? close : end;
    if (!is_double || !is_list(p + 1, close))
        words_open(w);
    if (is_double)
        expand(sh, p + 1, close, true, w);
    for (p++; p < close && !is_double; p++) {
        words_put(sh, w, *p);
        w->line += *p == '\n' && w->line > 0;
    }
    return close + (close < end);
}

/* One piece of a word; returns where it ends. */
static const char *expand_piece(struct shell *sh, const char *p, const char *end, bool is_quoted, struct words *w)
{
    const char *past;
    size_t braces;
    if (*p == '\\')
        return expand_backslash(sh, p, end, is_quoted, w);
    if (*p == '$')
        return expand_dollar(sh, p, end, is_quoted, w);
    if (*p == '`') {
        past = scan_quote(sh, p + 1, end, '`', w->line);
        if (past - p < 2 || !expand_command(sh, p + 1, past - 1, is_quoted, w))
            words_unknown(sh, w, reason_source(sh, p, (size_t)(past - p), REASON_NOT_EXECUTED));
        return past;
    }
    if (!is_quoted && (*p == '\'' || *p == '"'))
        return expand_quotes(sh, p, end, w);
    if (!is_quoted && *p == '{' && (braces = brace_list_size(p, end)) > 0)
        words_unknown(sh, w, reason_source(sh, p, braces, REASON_NOT_EVALUATED));
    bool is_newline = *p == '\n';
    past = p + words_take(sh, w, p, is_quoted);
    w->line += is_newline && w->line > 0;
    return past;
}

/* Expands the raw text of one word (or the inside of double quotes) into `w`. */
static void expand(struct shell *sh, const char *p, const char *end, bool is_quoted, struct words *w)
{
    shell_enter(sh, w->line);
    while (p < end && !sh->is_failed)
        p = expand_piece(sh, p, end, is_quoted, w);
    sh->depth--;
}

/* ---- words of the script --------------------------------------------------------------------------------------- */

char *expand_whole(struct shell *sh, const char *p, const char *end, bool is_quoted, int line)
{
    struct words w = {.line = line, .is_unsplit = true};
    words_open(&w);
    expand(sh, p, end, is_quoted, &w);
    words_close(sh, &w);
    char *text = xstrdup(w.item[0]);
    words_free(&w);
    return text;
}

char *expand_whole_word(struct shell *sh, struct reader *r)
{
    struct words w = {.is_unsplit = true};
    expand_word(sh, r, &w);
    char *text = xstrdup(w.count ? w.item[0] : "");
    words_free(&w);
    return text;
}

void expand_word(struct shell *sh, struct reader *r, struct words *w)
{
    const char *stop = scan(sh, r->at, r->end, SCAN_WORD, r->line);
    if (shell_is_live(sh)) {
        w->line = r->line;
        expand(sh, r->at, stop, false, w);
        if (r->is_nested)
            r->line = w->line; /* the marks in the text tell where it was written */
        words_close(sh, w);
    }
    reader_move(r, stop);
}
