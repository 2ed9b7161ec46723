#include "src/import/python_value.h"

#include "src/text/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_BYTES = 512 };

/* ---- where things end -------------------------------------------------------------------------------------------- */

bool python_is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Past a string literal that begins at `p`, of one or three quotes. */
const char *python_past_string(const char *p)
{
    char quote = *p;
    bool is_long = p[1] == quote && p[2] == quote;
    for (p += is_long ? 3 : 1; *p; p++) {
        if (*p == '\\' && p[1])
            p++;
        else if (*p == quote && (!is_long || (p[1] == quote && p[2] == quote)))
            return p + (is_long ? 3 : 1);
        else if (*p == '\n' && !is_long)
            return p;
    }
    return p;
}

const char *python_past_comment(const char *p)
{
    return p + strcspn(p, "\n");
}

const char *python_past_blank(const char *p, const char *end)
{
    while (p < end && (isspace((unsigned char)*p) || *p == '#'))
        p = *p == '#' ? python_past_comment(p) : p + 1;
    return p < end ? p : end;
}

/* Where an expression ends: a comma or a bracket of the call, or the line where nothing is open. */
const char *python_past_value(const char *p, bool is_line)
{
    int open = 0;
    while (*p) {
        if (strchr("'\"", *p)) {
            p = python_past_string(p);
            continue;
        }
        if (*p == '#' && is_line && open == 0)
            return p;
        if (*p == '#') {
            p = python_past_comment(p);
            continue;
        }
        if (open == 0 && (strchr(",)]}", *p) || (is_line && *p == '\n')))
            return p;
        open += strchr("([{", *p) != NULL;
        open -= strchr(")]}", *p) != NULL;
        p++;
    }
    return p;
}

/* ---- literals ---------------------------------------------------------------------------------------------------- */

/* True for a number as Python writes it: 10_000, -0.5, 1e-5. */
static bool is_number(const char *text)
{
    static const char digits[] = "0123456789";
    const char *p = text + (*text == '-');
    if (!*p || !strchr("0123456789.", *p) || !strpbrk(text, digits))
        return false;
    p += strspn(p, "0123456789._");
    if (*p && strchr("eE", *p)) {
        p += 1 + (p[1] && strchr("+-", p[1]));
        p += isdigit((unsigned char)*p) ? strspn(p, digits) : 0;
    }
    return !*p && (isdigit((unsigned char)p[-1]) || p[-1] == '.');
}

/* The text of a literal in fresh memory, with the names that have one put in; NULL for a computed value. */
char *python_literal(const struct keyvals *names, const char *p, const char *end)
{
    while (p < end && isspace((unsigned char)*p))
        p++;
    while (end > p && isspace((unsigned char)end[-1]))
        end--;
    size_t n = (size_t)(end - p);
    if (n == 0 || n >= VALUE_BYTES)
        return NULL;
    if (strchr("'\"", *p) && python_past_string(p) == end && p[1] != p[0])
        return xstrndup(p + 1, n - 2);
    char *text = xstrndup(p, n);
    bool is_word = strcmp(text, "True") == 0 || strcmp(text, "False") == 0 || strcmp(text, "None") == 0;
    bool is_dtype = strncmp(text, "torch.", 6) == 0 && !strpbrk(text + 6, ".( [");
    const struct keyval *known = keyvals_last(names, text);
    known = known && strcmp(known->value, PYTHON_OPEN) != 0 ? known : NULL;
    const char *member = text[0] >= 'A' && text[0] <= 'Z' ? strrchr(text, '.') : NULL; /* `DataParallelType.hsdp` */
    for (const char *q = text; member && *q; q++)
        member = python_is_name(*q) || *q == '.' ? member : NULL;
    const char *found = is_number(text) || is_word ? text : is_dtype ? text + 6 : known ? known->value : NULL;
    found = !found && member && member[1] >= 'a' && member[1] <= 'z' ? member + 1 : found;
    char *out = found ? xstrdup(found) : NULL;
    free(text);
    return out;
}

/* A list of literals as `[a,b]`; NULL where one is computed. */
static char *list_of(const struct keyvals *names, const char *p, const char *end)
{
    struct buffer out = {0};
    bool is_known = true;
    for (p++; p < end && is_known; p++) {
        const char *stop = python_past_value(p, false);
        stop = stop < end ? stop : end - 1;
        char *item = python_literal(names, p, stop);
        is_known = item || strspn(p, " \t\r\n") >= (size_t)(stop - p);
        if (item)
            buffer_printf(&out, "%s%s", out.size ? "," : "[", item);
        free(item);
        p = stop;
        if (*p != ',')
            break;
    }
    buffer_puts(&out, out.size ? "]" : "");
    bool is_whole = p < end && *p == ']' && python_past_blank(p + 1, end) == end;
    if (is_known && is_whole && out.size > 0)
        return out.text;
    buffer_free(&out);
    return NULL;
}

/* The one literal between parentheses, without comments behind it. */
static char *inside_of(const struct keyvals *names, const char *p, const char *end)
{
    const char *from = p + 1;
    while (from < end && (isspace((unsigned char)*from) || *from == '#'))
        from = *from == '#' ? python_past_comment(from) : from + 1;
    bool is_string = from < end && strchr("'\"", *from);
    const char *past = is_string ? python_past_string(from) : from;
    while (!is_string && past < end && (python_is_name(*past) || strchr(".-", *past)))
        past++;
    const char *close = python_past_blank(past, end);
    close += close < end && *close == ')'; /* a comment behind the string ends the value before it */
    bool is_whole = past > from && python_past_blank(close, end) == end;
    return is_whole ? python_literal(names, from, past) : NULL;
}

/* ---- arithmetic ------------------------------------------------------------------------------------------------- */

/* An expression under way; a NAN is a value that is not known. */
struct sum {
    const struct keyvals *names;
    const char *p, *end;
    int depth;
};

static double add(struct sum *sum);

static void skip(struct sum *sum)
{
    while (sum->p < sum->end && isspace((unsigned char)*sum->p))
        sum->p++;
}

/* True, and past it, where an operator stands; `*` is none where `**` stands. */
static bool take(struct sum *sum, const char *operator)
{
    size_t n = strlen(operator);
    skip(sum);
    bool is = (size_t)(sum->end - sum->p) >= n && strncmp(sum->p, operator, n) == 0;
    bool is_longer = is && n == 1 && strchr("*/", *operator) && sum->p + 1 < sum->end && sum->p[1] == *operator;
    sum->p += is && !is_longer ? n : 0;
    return is && !is_longer;
}

/* A number, a name that has one, or what stands in parentheses, of int() and float() too. */
static double atom(struct sum *sum)
{
    enum { DEEPEST = 16 };
    if (sum->depth > DEEPEST)
        return NAN;
    bool is_negative = take(sum, "-"), is_inside = !is_negative && (take(sum, "(") || take(sum, "int(") ||
                                                                    take(sum, "float("));
    if (is_negative || is_inside) {
        sum->depth++;
        double value = is_negative ? -atom(sum) : add(sum);
        sum->depth--;
        return is_negative || take(sum, ")") ? value : (double)NAN;
    }
    const char *from = sum->p;
    while (sum->p < sum->end && (python_is_name(*sum->p) || *sum->p == '.'))
        sum->p++;
    bool is_exponent = sum->p > from && isdigit((unsigned char)*from) && strchr("eE", sum->p[-1]) && sum->p < sum->end;
    if (is_exponent && strchr("+-", *sum->p))
        for (sum->p++; sum->p < sum->end && isdigit((unsigned char)*sum->p);)
            sum->p++;
    char *text = python_literal(sum->names, from, sum->p), *digits = text, *rest = text;
    for (char *q = text; q && *q; q++) /* 10_000 */
        if (*q != '_')
            *digits++ = *q;
    if (text)
        *digits = '\0';
    double value = text && *text ? strtod(text, &rest) : (double)NAN;
    value = rest && *rest ? (double)NAN : value;
    free(text);
    return value;
}

static double power(struct sum *sum)
{
    double base = atom(sum);
    return take(sum, "**") ? pow(base, atom(sum)) : base;
}

static double multiply(struct sum *sum)
{
    double value = power(sum);
    for (;;) {
        if (take(sum, "*"))
            value *= power(sum);
        else if (take(sum, "//"))
            value = floor(value / power(sum));
        else if (take(sum, "/"))
            value /= power(sum);
        else
            return value;
    }
}

static double add(struct sum *sum)
{
    double value = multiply(sum);
    for (;;) {
        if (take(sum, "+"))
            value += multiply(sum);
        else if (take(sum, "-"))
            value -= multiply(sum);
        else
            return value;
    }
}

static char *calculate(const struct keyvals *names, const char *p, const char *end)
{
    if (end - p >= VALUE_BYTES)
        return NULL;
    struct sum sum = {names, p, end, 0};
    double value = add(&sum);
    skip(&sum);
    return sum.p == end && isfinite(value) ? xasprintf("%.15g", value) : NULL;
}

/* The word at `p`, outside of strings and brackets, from there on; NULL for none. */
static const char *find_word(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);
    int open = 0;
    for (const char *from = p; p < end; p++) {
        if (strchr("'\"", *p)) {
            p = python_past_string(p) - 1;
            continue;
        }
        open += strchr("([{", *p) != NULL;
        open -= strchr(")]}", *p) != NULL;
        bool is_start = p > from && isspace((unsigned char)p[-1]);
        bool is_whole = (size_t)(end - p) > n && !python_is_name(p[n]);
        if (open == 0 && is_start && is_whole && strncmp(p, word, n) == 0)
            return p;
    }
    return NULL;
}

/* `a if condition else b` where the condition is True, False or a name that is one of them; NULL for another text. */
static char *chosen(const struct keyvals *names, const char *p, const char *end)
{
    const char *condition = end - p < VALUE_BYTES ? find_word(p, end, "if") : NULL;
    const char *other = condition ? find_word(condition, end, "else") : NULL;
    const char *from = condition ? condition + 2 : NULL;
    bool is_not = other && strncmp(from + strspn(from, " \t"), "not ", 4) == 0;
    char *known = other ? python_literal(names, from + (is_not ? strspn(from, " \t") + 4 : 0), other) : NULL;
    bool is_true = known && strcmp(known, "True") == 0, is_false = known && strcmp(known, "False") == 0;
    free(known);
    if (!is_true && !is_false)
        return NULL;
    return is_true != is_not ? python_value(names, p, condition) : python_value(names, other + 4, end);
}

char *python_value(const struct keyvals *names, const char *p, const char *end)
{
    const char *comment = p = python_past_blank(p, end);
    while (comment < end && *comment != '#')
        comment = strchr("'\"", *comment) ? python_past_string(comment) : comment + 1;
    end = comment < end ? comment : end;
    if (p < end && *p == '[')
        return list_of(names, p, end);
    char *value = p < end && *p == '(' ? inside_of(names, p, end) : python_literal(names, p, end);
    value = value ? value : calculate(names, p, end);
    return value ? value : chosen(names, p, end);
}

