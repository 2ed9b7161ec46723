#include "src/course/expr.h"

#include "core/base.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    const char *at, *end;
    int depth;
    expr_lookup *lookup;
    void *context;
    char *why;
    bool is_wrong;
};

struct expr_value expr_number(double number)
{
    return (struct expr_value){.kind = isnan(number) ? EXPR_UNKNOWN : EXPR_NUMBER, .number = number};
}

bool expr_holds(const struct expr_value *value)
{
    return value->kind == EXPR_NUMBER && value->number != 0;
}

static struct expr_value fault(struct parser *p, const char *what)
{
    if (!p->is_wrong)
        snprintf(p->why, EXPR_WHY_MAX, "%s", what);
    p->is_wrong = true;
    p->at = p->end;
    return (struct expr_value){0};
}

/* ---- words and signs --------------------------------------------------------------------------------------------- */

static void skip_blanks(struct parser *p)
{
    while (p->at < p->end && isspace((unsigned char)*p->at))
        p->at++;
}

/* Takes `sign` if it stands here; one that is the beginning of a longer sign does not. */
static bool take(struct parser *p, const char *sign)
{
    size_t n = strlen(sign);
    skip_blanks(p);
    bool is_word = isalpha((unsigned char)*sign);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, sign, n) != 0)
        return false;
    const char *behind = p->at + n;
    if (behind < p->end &&
        (is_word ? isalnum((unsigned char)*behind) || *behind == '_' : strchr("<>", *sign) && *behind == '='))
        return false;
    p->at = behind;
    return true;
}

static bool is_path_character(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* The path at the cursor with its `@STEP:` or `~ESTIMATOR:` before it and its `[KEY=VALUE]`: as long as it goes. */
static size_t path_size(const struct parser *p)
{
    const char *at = p->at;
    if (*at == '@' || *at == '~') {
        while (at < p->end && *at != ':' && !isspace((unsigned char)*at))
            at++;
        at += at < p->end && *at == ':';
    }
    for (; at < p->end && (is_path_character(*at) || *at == '['); at++)
        if (*at == '[')
            while (at + 1 < p->end && *at != ']')
                at++;
    return (size_t)(at - p->at);
}

/* ---- from the weakest binding to the strongest ------------------------------------------------------------------- */

static struct expr_value parse_or(struct parser *p);

static struct expr_value parse_path(struct parser *p)
{
    struct expr_value out = {0};
    size_t size = path_size(p);
    if (size == 0)
        return fault(p, "expected a path, a number or a bracket");
    if (!p->lookup(p->context, p->at, size, &out, p->why)) {
        p->is_wrong = true;
        p->at = p->end;
        return out;
    }
    p->at += size;
    return out;
}

static struct expr_value parse_number(struct parser *p)
{
    char text[40], *behind;
    size_t size = 0;
    while (p->at + size < p->end && size < sizeof text - 1 &&
           (isalnum((unsigned char)p->at[size]) || p->at[size] == '.' ||
            (strchr("+-", p->at[size]) && size > 0 && tolower((unsigned char)p->at[size - 1]) == 'e')))
        size++;
    memcpy(text, p->at, size);
    text[size] = '\0';
    double value = strtod(text, &behind);
    if (*behind || !isfinite(value) || strpbrk(text, "xXpP"))
        return fault(p, "has an invalid number; write digits, a point and an exponent, such as 1.5e9");
    p->at += size;
    return expr_number(value);
}

/* Numbers of a call, as many as there are. */
static int parse_arguments(struct parser *p, double number[], int max)
{
    int count = 0;
    do {
        struct expr_value value = parse_or(p);
        if (count == max)
            fault(p, "has too many arguments; min and max take up to eight");
        else
            number[count++] = value.kind == EXPR_NUMBER ? value.number : NAN;
    } while (!p->is_wrong && take(p, ","));
    if (!take(p, ")"))
        fault(p, "has an unclosed bracket; add )");
    return count;
}

static struct expr_value parse_call(struct parser *p, const char *name)
{
    enum { ARGUMENTS_MAX = 8 };
    double number[ARGUMENTS_MAX] = {NAN};
    int count = parse_arguments(p, number, ARGUMENTS_MAX);
    bool is_min = strcmp(name, "min") == 0, is_many = is_min || strcmp(name, "max") == 0;
    double out = number[0];
    if (!is_many && count != 1)
        return fault(p, "abs and round take one argument");
    for (int i = 1; i < count; i++)
        out = isnan(out) || isnan(number[i]) ? NAN : is_min ? fmin(out, number[i]) : fmax(out, number[i]);
    return expr_number(is_many ? out : strcmp(name, "abs") == 0 ? fabs(out) : round(out));
}

static struct expr_value parse_primary(struct parser *p)
{
    static const char *const calls[] = {"min", "max", "abs", "round"};
    skip_blanks(p);
    if (p->at >= p->end)
        return fault(p, "ends where a value is expected; add one or remove the operator before it");
    if (take(p, "(")) {
        struct expr_value out = parse_or(p);
        return take(p, ")") ? out : fault(p, "has an unclosed bracket; add )");
    }
    for (size_t i = 0; i < LENGTH(calls); i++) {
        const char *before = p->at;
        if (take(p, calls[i]) && take(p, "("))
            return parse_call(p, calls[i]);
        p->at = p->is_wrong ? p->end : before;
    }
    return isdigit((unsigned char)*p->at) ? parse_number(p) : parse_path(p);
}

static struct expr_value parse_unary(struct parser *p)
{
    if (++p->depth > EXPR_DEPTH_MAX)
        return fault(p, "is nested too deeply; write it in parts");
    bool is_negative = take(p, "-");
    struct expr_value out = is_negative ? parse_unary(p) : parse_primary(p);
    p->depth--;
    return is_negative ? expr_number(out.kind == EXPR_NUMBER ? -out.number : NAN) : out;
}

static struct expr_value combine(char sign, const struct expr_value *a, const struct expr_value *b)
{
    if (a->kind != EXPR_NUMBER || b->kind != EXPR_NUMBER)
        return expr_number(NAN);
    if (sign == '/')
        return expr_number(b->number == 0 ? NAN : a->number / b->number);
    return expr_number(sign == '*'   ? a->number * b->number
                       : sign == '+' ? a->number + b->number
                                     : a->number - b->number);
}

static struct expr_value parse_product(struct parser *p)
{
    struct expr_value out = parse_unary(p);
    for (char sign; (sign = take(p, "*") ? '*' : take(p, "/") ? '/' : '\0');) {
        struct expr_value other = parse_unary(p);
        out = combine(sign, &out, &other);
    }
    return out;
}

static struct expr_value parse_sum(struct parser *p)
{
    struct expr_value out = parse_product(p);
    for (char sign; (sign = take(p, "+") ? '+' : take(p, "-") ? '-' : '\0');) {
        struct expr_value other = parse_product(p);
        out = combine(sign, &out, &other);
    }
    return out;
}

/* The order of two values: -1, 0, 1; words are equal or not. */
static struct expr_value compare(size_t sign, const struct expr_value *a, const struct expr_value *b)
{
    if (a->kind == EXPR_UNKNOWN || a->kind != b->kind)
        return expr_number(NAN);
    int order =
        a->kind == EXPR_WORD ? strcmp(a->word, b->word) != 0 : (a->number > b->number) - (a->number < b->number);
    const bool answers[] = {order == 0, order != 0, order <= 0, order >= 0, order < 0, order > 0};
    return expr_number(answers[sign]);
}

static struct expr_value parse_comparison(struct parser *p)
{
    static const char *const signs[] = {"==", "!=", "<=", ">=", "<", ">"};
    struct expr_value out = parse_sum(p);
    for (size_t i = 0; i < LENGTH(signs); i++)
        if (take(p, signs[i])) {
            struct expr_value other = parse_sum(p);
            return compare(i, &out, &other);
        }
    return out;
}

static struct expr_value parse_not(struct parser *p)
{
    if (!take(p, "not"))
        return parse_comparison(p);
    struct expr_value out = parse_comparison(p);
    return expr_number(out.kind == EXPR_NUMBER ? out.number == 0 : NAN);
}

static struct expr_value parse_and(struct parser *p)
{
    struct expr_value out = parse_not(p);
    while (take(p, "and")) {
        struct expr_value other = parse_not(p);
        out = expr_number(expr_holds(&out) && expr_holds(&other));
    }
    return out;
}

static struct expr_value parse_or(struct parser *p)
{
    struct expr_value out = parse_and(p);
    while (take(p, "or")) {
        struct expr_value other = parse_and(p);
        out = expr_number(expr_holds(&out) || expr_holds(&other));
    }
    return out;
}

int expr_evaluate(const char *text, size_t size, expr_lookup *lookup, void *context, struct expr_value *out, char *why)
{
    struct parser p = {.at = text, .end = text + size, .lookup = lookup, .context = context, .why = why};
    if (size > EXPR_SIZE_MAX)
        fault(&p, "is longer than 900 characters; write it in parts");
    *out = parse_or(&p);
    skip_blanks(&p);
    if (p.at < p.end)
        fault(&p, "has trailing text; remove it or join it with an operator");
    return p.is_wrong ? -1 : 0;
}
