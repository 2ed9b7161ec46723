#include "src/shell/condition.h"

#include "core/base.h"
#include "src/shell/expand.h"
#include "src/shell/lex.h"
#include "src/shell/state.h"
#include "src/shell/vars.h"
#include "src/shell/words.h"
#include "src/text/text.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* The operators and operands of one condition, and how far they have been read. */
struct test {
    struct shell *sh;
    struct plain *part;
    size_t count, at, capacity;
    int depth;
};

static const struct verdict not_known = {MAYBE, 0};

/* ---- verdicts -------------------------------------------------------------------------------------------------- */

struct verdict verdict_not(struct verdict v)
{
    v.truth = v.truth == YES || v.truth == ASSUMED ? NO : v.truth == NO ? YES : MAYBE;
    return v;
}

struct verdict verdict_join(struct verdict a, struct verdict b, bool is_and)
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

/* ---- single tests ---------------------------------------------------------------------------------------------- */

/* `-z` and `-n`; a variable that the script never sets counts as empty, with that doubt. */
static struct verdict test_empty(const struct test *t, const struct plain *part, bool is_wanted)
{
    bool is_unset = !*part->text && part->unknown && reason_is_unset(t->sh, part->unknown);
    if (!*part->text && part->unknown && !is_unset)
        return not_known;
    return (struct verdict){!*part->text == is_wanted ? YES : NO, is_unset ? part->unknown : part->doubt};
}

/* `-v`; one that the script never sets counts as not set, with that doubt. */
static struct verdict test_set(const struct test *t, const struct plain *name)
{
    if (name->unknown || !*name->text)
        return not_known;
    if (variable_known(t->sh, name->text))
        return (struct verdict){YES, name->doubt};
    return (struct verdict){NO, reason_unset(t->sh, name->text)};
}

/* Operators between two operands: those on numbers, those on text, and those that are not decided here. */
enum { IS_NUMERIC = 6, IS_EQUAL = 8, IS_TEXT = 9, IS_REGEX = 9 };
static const char *const binary[] = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge", "=",   "==",
                                     "!=",  "=~",  "<",   ">",   "-nt", "-ot", "-ef", NULL};

/* Index of the operator, -1 if it is none. */
static int binary_of(const char *text)
{
    for (int i = 0; binary[i]; i++)
        if (strcmp(text, binary[i]) == 0)
            return i;
    return -1;
}

/*
 * `=~`: not known where the expression is long, repeats by number or holds what the shell would put in, which here may
 * take long or be read wrong.
 */
static enum truth test_regex(const char *text, const char *regex)
{
    enum { LONGEST = 128 };
    regex_t compiled;
    if (strlen(regex) > LONGEST || strpbrk(regex, "{\\'\"") || strstr(regex, "$(") ||
        regcomp(&compiled, regex, REG_EXTENDED | REG_NOSUB) != 0)
        return MAYBE;
    bool is_match = strlen(text) <= LONGEST && regexec(&compiled, text, 0, NULL, 0) == 0;
    bool is_known = strlen(text) <= LONGEST;
    regfree(&compiled);
    return !is_known ? MAYBE : is_match ? YES : NO;
}

static struct verdict test_binary(const struct plain *a, int op, const struct plain *b)
{
    struct verdict v = {MAYBE, a->doubt ? a->doubt : b->doubt};
    if (a->unknown || b->unknown)
        return v;
    if (op < IS_NUMERIC) {
        char *a_end, *b_end;
        long long x = strtoll(a->text, &a_end, 10), y = strtoll(b->text, &b_end, 10);
        const bool result[] = {x == y, x != y, x < y, x <= y, x > y, x >= y};
        if (*a->text && *b->text && !*a_end && !*b_end)
            v.truth = result[op] ? YES : NO;
    } else if (op < IS_TEXT) {
        v.truth = pattern_matches(b->text, a->text) == (op < IS_EQUAL) ? YES : NO;
    } else if (op == IS_REGEX) {
        v.truth = test_regex(a->text, b->text);
    }
    return v;
}

/* Remembers the word that a variable is compared with which the script does not set. */
static void note_compared(struct shell *sh, const struct plain *a, const struct plain *b)
{
    bool is_open = a->unknown && !*a->text && reason_is_unset(sh, a->unknown);
    if (!is_open || b->unknown || !*b->text || strpbrk(b->text, "*?[ "))
        return;
    sh->compared.reason = !sh->compared.reason || sh->compared.reason == a->unknown ? a->unknown : -1;
    buffer_printf(&sh->compared.words, "%s%s", sh->compared.words.size ? " " : "", b->text);
}

/* ---- whole conditions ------------------------------------------------------------------------------------------ */

static struct verdict test_or(struct test *t);

static bool take(struct test *t, const char *text)
{
    bool is_there = t->at < t->count && strcmp(t->part[t->at].text, text) == 0;
    t->at += is_there;
    return is_there;
}

static struct verdict test_primary(struct test *t)
{
    size_t left = t->count - t->at;
    if (left == 0)
        return (struct verdict){NO, 0};
    const struct plain *part = &t->part[t->at];
    int op = left > 2 ? binary_of(part[1].text) : -1;
    if (op >= 0) {
        t->at += 3;
        bool is_text = op >= IS_NUMERIC && op <= IS_EQUAL;
        if (is_text && !*part[2].text && !part[2].unknown) /* `[ "$X" = "" ]` is `[ -z "$X" ]` */
            return test_empty(t, &part[0], op < IS_EQUAL);
        if (op >= IS_NUMERIC && op < IS_EQUAL)
            note_compared(t->sh, &part[0], &part[2]);
        return test_binary(&part[0], op, &part[2]);
    }
    if (take(t, "(")) {
        struct verdict v = test_or(t);
        take(t, ")");
        return v;
    }
    if (left > 1 && part->text[0] == '-' && part->text[1] && !part->text[2]) {
        char what = part->text[1];
        t->at += 2;
        if (what == 'v')
            return test_set(t, &part[1]);
        return what == 'z' || what == 'n' ? test_empty(t, &part[1], what == 'z') : not_known;
    }
    t->at++;
    return test_empty(t, part, false);
}

static struct verdict test_not(struct test *t)
{
    bool is_not = false;
    while (t->at + 1 < t->count && take(t, "!"))
        is_not = !is_not;
    struct verdict v = ++t->depth > SHELL_DEPTH_MAX ? not_known : test_primary(t);
    t->depth--;
    return is_not ? verdict_not(v) : v;
}

static struct verdict test_and(struct test *t)
{
    struct verdict v = test_not(t);
    while (take(t, "&&") || take(t, "-a"))
        v = verdict_join(v, test_not(t), true);
    return v;
}

static struct verdict test_or(struct test *t)
{
    struct verdict v = test_and(t);
    while (take(t, "||") || take(t, "-o"))
        v = verdict_join(v, test_and(t), false);
    return v;
}

static void push(struct test *t, const char *marked)
{
    if (t->count == t->capacity) {
        t->capacity = t->capacity ? 2 * t->capacity : 8;
        t->part = xrealloc(t->part, t->capacity * sizeof *t->part);
    }
    t->part[t->count++] = plain_of(marked);
}

/* The outcome; anything left over means that the condition was not understood. Releases the parts. */
static struct verdict decide(struct test *t)
{
    struct verdict v = test_or(t);
    if (t->at < t->count)
        v = not_known;
    for (size_t i = 0; i < t->count; i++)
        free(t->part[i].text);
    free(t->part);
    return v;
}

struct verdict test_command(struct shell *sh, const struct words *w)
{
    struct test t = {.sh = sh};
    char *name = plain_text(w->item[0]);
    size_t count = w->count - (strcmp(name, "[") == 0 && w->count > 1);
    free(name);
    for (size_t i = 1; i < count; i++)
        push(&t, w->item[i]);
    return decide(&t);
}

/* The end of the regular expression at `p`: a blank outside brackets, parentheses and quotes. */
static const char *past_regex(const struct reader *r)
{
    int open = 0;
    const char *p = r->at;
    for (char quote = '\0'; p < r->end && *p != '\n'; p++) {
        if (*p == '\\' && p + 1 < r->end)
            p++;
        else if (quote || strchr("'\"", *p))
            quote = !quote ? *p : *p == quote ? '\0' : quote;
        else if (open <= 0 && strchr(" \t", *p))
            break;
        else
            open += (*p == '(') - (*p == ')');
    }
    return p;
}

/* Adds a regular expression, whose brackets and bars are no operators of the shell. */
static void take_regex(struct test *t, struct reader *r)
{
    reader_skip_blank(r);
    struct reader inside = *r;
    const char *end = past_regex(r);
    char *text = xstrndup(r->at, (size_t)(end - r->at)), *word = NULL;
    inside.end = end;
    if (strpbrk(text, "$'\"\\") && !strpbrk(text, "()|<>;&")) /* a variable or a quoted text */
        word = expand_whole_word(t->sh, &inside);
    push(t, word ? word : text);
    reader_move(r, end);
    free(word);
    free(text);
}

/* Adds the operator or word of `[[ ]]` at the reader; a word is never split there. */
static void take_part(struct test *t, struct reader *r)
{
    static const char *const op[] = {"&&", "||", "(", ")", "<", ">"};
    for (size_t i = 0; i < LENGTH(op); i++)
        if (reader_take(r, op[i])) {
            push(t, op[i]);
            return;
        }
    const char *before = r->at;
    char *word = expand_whole_word(t->sh, r);
    push(t, word);
    free(word);
    reader_progress(t->sh, r, before);
    if (strcmp(t->part[t->count - 1].text, "=~") == 0)
        take_regex(t, r);
}

struct verdict test_double_bracket(struct shell *sh, struct reader *r)
{
    struct test t = {.sh = sh};
    int line = r->line;
    reader_take(r, "[[");
    for (reader_skip_lines(r); r->at < r->end && !reader_is_word(r, "]]") && *r->at != ';' && !sh->is_failed;
         reader_skip_lines(r))
        take_part(&t, r);
    if (!sh->is_failed)
        reader_expect(sh, r, "]]", "[[", line);
    struct verdict v = decide(&t);
    return shell_is_live(sh) ? v : not_known;
}
