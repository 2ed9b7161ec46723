#include "core/plan/number.h"

#include "core/base.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 32, DIGITS_MAX = 64 };

struct reader {
    const char *start, *at;
    enum suffix suffix;
    number_lookup *lookup;
    const void *context;
    char *why;
    int column; /* of the first fault, 0 while there is none */
    int depth;
};

/* One spelling of a multiplier or a unit, for the suffix rule that allows it. */
struct spelling {
    enum suffix suffix;
    const char *text;
    double factor;
};

static const struct spelling spellings[] = {
    {SUFFIX_BINARY, "k", 1024},           {SUFFIX_BINARY, "K", 1024},
    {SUFFIX_BINARY, "Ki", 1024},          {SUFFIX_BINARY, "M", MIB},
    {SUFFIX_BINARY, "Mi", MIB},       {SUFFIX_DECIMAL, "k", 1e3},
    {SUFFIX_DECIMAL, "K", 1e3},           {SUFFIX_DECIMAL, "M", 1e6},
    {SUFFIX_DECIMAL, "B", 1e9},           {SUFFIX_DECIMAL, "G", 1e9},
    {SUFFIX_DECIMAL, "T", 1e12},          {SUFFIX_DECIMAL, "Ki", 1024},
    {SUFFIX_DECIMAL, "Mi", MIB},      {SUFFIX_DECIMAL, "Gi", GIB},
    {SUFFIX_PLAIN, "Ki", 1024},           {SUFFIX_PLAIN, "Mi", MIB},
    {SUFFIX_GIB, "GiB", 1},               {SUFFIX_GIB, "GB", 1e9 / GIB},
    {SUFFIX_GIB, "MiB", 1 / 1024.0},      {SUFFIX_GIB, "MB", 1e6 / GIB},
    {SUFFIX_GIB, "TiB", 1024},            {SUFFIX_GIB, "TB", 1e12 / GIB},
    {SUFFIX_RATE, "GB/s", 1},             {SUFFIX_RATE, "TB/s", 1000},
    {SUFFIX_RATE, "MB/s", 1e-3},          {SUFFIX_RATE, "Gb/s", 0.125},
    {SUFFIX_RATE, "Tb/s", 125},           {SUFFIX_RATE, "GiB/s", GIB / 1e9},
    {SUFFIX_RATE, "Gbit/s", 0.125},       {SUFFIX_RATE, "Gbps", 0.125},
};

static double fault(struct reader *r, const char *what)
{
    if (!r->column) {
        r->column = (int)(r->at - r->start) + 1;
        snprintf(r->why, NUMBER_WHY_MAX, "%s", what);
    }
    return 0;
}

static void skip_blanks(struct reader *r)
{
    while (*r->at == ' ' || *r->at == '\t')
        r->at++;
}

/* The suffix right behind a literal: letters and `/s`. */
static double read_suffix(struct reader *r)
{
    const char *begin = r->at;
    while (*begin == ' ')
        begin++;
    size_t n = 0;
    while (isalpha((unsigned char)begin[n]))
        n++;
    if (n > 1 && begin[n] == '/' && begin[n + 1] == 's' && !isalnum((unsigned char)begin[n + 2]))
        n += 2;
    if (n == 0 || (n == 1 && begin[0] == 'x'))
        return 1;
    for (size_t i = 0; i < LENGTH(spellings); i++)
        if (spellings[i].suffix == r->suffix && strlen(spellings[i].text) == n &&
            strncmp(spellings[i].text, begin, n) == 0) {
            r->at = begin + n;
            return spellings[i].factor;
        }
    r->at = begin;
    if (n == 1 && strchr("kKMGBT", begin[0]))
        return fault(r, "has a suffix that could mean powers of 1000 or of 1024 here; write the number out");
    if (r->suffix == SUFFIX_GIB)
        return fault(r, "has an unknown unit; use GiB, GB, MiB, MB, TiB or TB");
    if (r->suffix == SUFFIX_RATE)
        return fault(r, "has an unknown unit; use GB/s, TB/s, Gb/s or Tb/s");
    return fault(r, "has an unknown unit or suffix; write a plain number");
}

/* True at a comma between groups of three digits: 8,192. */
static bool is_group_comma(const char *at, const char *start)
{
    int before = 0, after = 0;
    while (at - before > start && isdigit((unsigned char)at[-1 - before]))
        before++;
    while (*at && isdigit((unsigned char)at[1 + after]))
        after++;
    return *at == ',' && before >= 1 && before <= 3 && after == 3;
}

static double read_literal(struct reader *r)
{
    char digits[DIGITS_MAX];
    size_t n = 0;
    const char *p = r->at;
    while (isdigit((unsigned char)*p) || *p == '.' || *p == '_' || is_group_comma(p, r->at) ||
           ((*p == 'e' || *p == 'E') && n > 0 &&
            (isdigit((unsigned char)p[1]) || ((p[1] == '-' || p[1] == '+') && isdigit((unsigned char)p[2])))) ||
           ((*p == '-' || *p == '+') && (p[-1] == 'e' || p[-1] == 'E') && p > r->at)) {
        if (*p == '_' && (!isdigit((unsigned char)p[1]) || p == r->at || !isdigit((unsigned char)p[-1])))
            return fault(r, "has an underscore that is not between digits");
        if (*p != '_' && *p != ',') {
            if (n + 1 >= sizeof digits)
                return fault(r, "has too many digits");
            digits[n++] = *p;
        }
        p++;
    }
    digits[n] = '\0';
    char *end;
    double value = strtod(digits, &end);
    if (end == digits || *end || !isfinite(value))
        return fault(r, "is not a number");
    r->at = p;
    return value * read_suffix(r);
}

static double read_sum(struct reader *r);

static double read_name(struct reader *r)
{
    size_t n = 0;
    while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_' || r->at[n] == '.')
        n++;
    double value = 0;
    if (!r->lookup || !r->lookup(r->context, r->at, n, &value))
        return fault(r, "is not a number or the name of a number");
    r->at += n;
    return value;
}

static double read_factor(struct reader *r)
{
    skip_blanks(r);
    if (++r->depth > DEPTH_MAX)
        return fault(r, "is nested too deeply");
    double value;
    if (*r->at == '(') {
        r->at++;
        value = read_sum(r);
        skip_blanks(r);
        if (*r->at != ')')
            fault(r, "missing )");
        else
            r->at++;
    } else if (*r->at == '-') {
        r->at++;
        value = -read_factor(r);
    } else if (isdigit((unsigned char)*r->at) || *r->at == '.') {
        value = read_literal(r);
    } else if (isalpha((unsigned char)*r->at)) {
        value = read_name(r);
    } else {
        value = fault(r, *r->at ? "is not a number" : "missing number");
    }
    r->depth--;
    return value;
}

static double read_product(struct reader *r)
{
    double value = read_factor(r);
    for (skip_blanks(r); !r->column && (*r->at == '*' || *r->at == '/'); skip_blanks(r)) {
        char op = *r->at++;
        double right = read_factor(r);
        if (op == '/' && right == 0)
            return fault(r, "divides by zero");
        value = op == '*' ? value * right : value / right;
    }
    return value;
}

static double read_sum(struct reader *r)
{
    double value = read_product(r);
    for (skip_blanks(r); !r->column && (*r->at == '+' || *r->at == '-'); skip_blanks(r)) {
        char op = *r->at++;
        double right = read_product(r);
        value = op == '+' ? value + right : value - right;
    }
    return value;
}

/* `2.9` is older than `2.18`: the minor part counts in hundredths, the patch level in hundredths of those. */
static int read_version(struct reader *r, double *value)
{
    char *end;
    r->at += *r->at == 'v';
    long major = strtol(r->at, &end, 10), minor = 0, patch = 0;
    if (end == r->at || !isdigit((unsigned char)*r->at))
        return (void)fault(r, "is not a version such as 2.11"), r->column;
    if (*end == '.' && isdigit((unsigned char)end[1]))
        minor = strtol(end + 1, &end, 10);
    if (*end == '.' && isdigit((unsigned char)end[1]))
        patch = strtol(end + 1, &end, 10);
    if (*end || major < 0 || major > 99 || minor < 0 || minor > 99 || patch < 0)
        return (void)fault(r, "is not a version such as 2.11"), r->column;
    *value = (double)major + (double)minor / 100 + (double)(patch > 99 ? 99 : patch) / 10000;
    return 0;
}

int number_parse(const char *text, enum suffix suffix, number_lookup *lookup, const void *context, double *value,
                 char *why)
{
    struct reader r = {text, text, suffix, lookup, context, why, 0, 0};
    skip_blanks(&r);
    if (suffix == SUFFIX_VERSION)
        return read_version(&r, value);
    double result = read_sum(&r);
    skip_blanks(&r);
    if (!r.column && *r.at)
        fault(&r, "cannot be read from here on");
    if (!r.column && !isfinite(result))
        fault(&r, "is too large");
    if (!r.column)
        *value = result;
    return r.column;
}

int number_whole(long long value, char out[NUMBER_WHOLE_MAX])
{
    char digits[NUMBER_WHOLE_MAX];
    unsigned long long rest = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
    int count = 0, n = 0;
    do
        digits[count++] = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (value < 0)
        out[n++] = '-';
    while (count > 0)
        out[n++] = digits[--count];
    out[n] = '\0';
    return n;
}

int number_print(double value, char *out, size_t size)
{
    if (value == floor(value) && fabs(value) < 9e15 && size >= NUMBER_WHOLE_MAX)
        return number_whole((long long)value, out);
    if (value == floor(value) && fabs(value) < 9e15)
        return snprintf(out, size, "%lld", (long long)value);
    char shorter[NUMBER_WHOLE_MAX];
    int n = snprintf(out, size, "%.16g", value);
    if (strtod(out, NULL) != value)
        return snprintf(out, size, "%.17g", value); /* so 15 digits do not either */
    int fewer = snprintf(shorter, sizeof shorter, "%.15g", value);
    if (fewer < n && strtod(shorter, NULL) == value)
        return snprintf(out, size, "%s", shorter);
    return n;
}
