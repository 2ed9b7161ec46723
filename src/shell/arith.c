/* src/shell/arith.c - the value of an expression between `$((` and `))`, or why it is not known. */
#include "core/base.h"
#include "src/shell/expand.h"
#include "src/shell/lex.h"
#include "src/shell/state.h"
#include "src/shell/vars.h"
#include "src/shell/words.h"
#include "src/text/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ARITHMETIC_DEPTH = 32 };

/* An expression being evaluated. */
struct expression {
    struct shell *sh;
    const char *p;
    int depth;
    int unknown, doubt; /* reasons met */
    bool is_wrong;      /* not a form that is understood */
};

/* Longest first where one begins another; the higher level binds tighter. */
static const struct operator_row {
    const char *text;
    int level;
} operator_row[] = {
    {"**", 7}, {"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<=", 4}, {">=", 4}, {"<", 4},
    {">", 4},  {"+", 5},  {"-", 5},  {"*", 6},  {"/", 6},  {"%", 6},
};

static int64_t level_of(struct expression *x, int level);

/* Past blanks and marks. */
static void skip_blank(struct expression *x)
{
    char letter;
    int number;
    for (size_t n; (n = mark_at(x->p, &letter, &number)) > 0 || isspace((unsigned char)*x->p); x->p += n ? n : 1) {
        if (n > 0 && letter == 'U' && !x->unknown)
            x->unknown = number;
        if (n > 0 && letter == 'D' && !x->doubt)
            x->doubt = number;
    }
}

/* The value of a variable, which may be an expression itself. */
static int64_t value_of_name(struct expression *x)
{
    size_t n = name_size(x->p, x->p + strlen(x->p));
    char *name = xstrndup(x->p, n);
    x->p += n;
    shell_spend(x->sh, 1, 0);
    const struct variable *v = variable_known(x->sh, name);
    int64_t value = 0;
    if (v && v->count > 0) {
        struct expression inner = *x;
        inner.p = v->item[0];
        value = level_of(&inner, 0);
        x->is_wrong |= inner.is_wrong || (*inner.p && !inner.unknown);
        x->unknown = inner.unknown;
        x->doubt = inner.doubt;
    } else if (!x->unknown) {
        x->unknown = reason_unset(x->sh, name);
    }
    free(name);
    return value;
}

static int64_t value_of_number(struct expression *x)
{
    char *end;
    errno = 0;
    int64_t value = strtoll(x->p, &end, 0);
    x->is_wrong |= errno != 0 || isalnum((unsigned char)*end);
    x->p = end;
    return value;
}

/* A number, a name, or what stands behind `(`, `-`, `+` or `!`. */
static int64_t atom(struct expression *x)
{
    skip_blank(x);
    char c = *x->p;
    if (x->depth >= ARITHMETIC_DEPTH || x->is_wrong || x->sh->is_failed) {
        x->is_wrong = true;
        return 0;
    }
    x->depth++;
    int64_t value = 0;
    if (isdigit((unsigned char)c)) {
        value = value_of_number(x);
    } else if (is_name_start(c)) {
        value = value_of_name(x);
    } else if (c == '(') {
        x->p++;
        value = level_of(x, 0);
        x->is_wrong |= *x->p != ')';
        x->p += *x->p == ')';
    } else if (c && strchr("-+!", c) && !x->unknown) {
        x->p++;
        value = atom(x);
        value = c == '!' ? !value : c == '-' ? (int64_t)(0 - (uint64_t)value) : value;
    } else {
        x->is_wrong |= !x->unknown;
    }
    x->depth--;
    return value;
}

/* `a ** b`; a negative exponent is an error, as in bash. */
static int64_t power(struct expression *x, int64_t a, int64_t b)
{
    int64_t value = 1;
    x->is_wrong |= b < 0 && !x->unknown;
    for (int64_t i = 0; i < b && !x->is_wrong && (a < -1 || a > 1 || i < 2); i++)
        x->is_wrong |= __builtin_mul_overflow(value, a, &value);
    return a == -1 ? (b % 2 == 0 ? 1 : -1) : value;
}

static int64_t apply(struct expression *x, const char *op, int64_t a, int64_t b)
{
    int64_t value = 0;
    bool is_longer = op[1] != '\0';
    switch (op[0]) {
    case '+':
        x->is_wrong |= __builtin_add_overflow(a, b, &value);
        return value;
    case '-':
        x->is_wrong |= __builtin_sub_overflow(a, b, &value);
        return value;
    case '*':
        if (is_longer)
            return power(x, a, b);
        x->is_wrong |= __builtin_mul_overflow(a, b, &value);
        return value;
    case '/':
    case '%':
        if (b == 0 || (a == INT64_MIN && b == -1)) {
            x->is_wrong |= !x->unknown;
            return 0;
        }
        return op[0] == '/' ? a / b : a % b;
    case '|':
        return a || b;
    case '&':
        return a && b;
    case '=':
        return a == b;
    case '!':
        return a != b;
    case '<':
        return is_longer ? a <= b : a < b;
    default:
        return is_longer ? a >= b : a > b;
    }
}

static const struct operator_row *operator_at(const char *p)
{
    for (size_t i = 0; i < LENGTH(operator_row); i++)
        if (strncmp(p, operator_row[i].text, strlen(operator_row[i].text)) == 0)
            return &operator_row[i];
    return NULL;
}

/* Operators of `level` and tighter ones; level 0 is `condition ? a : b`. */
static int64_t level_of(struct expression *x, int level)
{
    int64_t value = atom(x);
    const struct operator_row *op;
    for (skip_blank(x); !x->is_wrong && (op = operator_at(x->p)) && op->level >= level; skip_blank(x)) {
        x->p += strlen(op->text);
        int64_t right = level_of(x, op->level + (op->text[1] != '*')); /* powers bind to the right */
        value = apply(x, op->text, value, right);
    }
    if (level == 0 && *x->p == '?' && !x->is_wrong) {
        x->p++;
        int64_t yes = level_of(x, 1);
        x->is_wrong |= *x->p != ':';
        x->p += *x->p == ':';
        int64_t no = level_of(x, 1);
        value = value ? yes : no;
    }
    return value;
}

int64_t arithmetic(struct shell *sh, const char *p, const char *end, int line, int *unknown, int *doubt)
{
    char *text = expand_whole(sh, p, end, true, line);
    struct expression x = {.sh = sh, .p = text};
    int64_t value = level_of(&x, 0);
    if (!x.unknown && (x.is_wrong || *x.p))
        x.unknown = reason_source(sh, p, (size_t)(end - p), REASON_NOT_EVALUATED);
    free(text);
    *unknown = x.unknown;
    *doubt = x.doubt;
    return value;
}
