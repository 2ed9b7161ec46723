#include "src/course/unit.h"

#include "core/base.h"
#include "core/plan/number.h"
#include "src/text/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct unit units[] = {
    {"", 1, "", -1},           {"KiB", 0x1p10, " KiB", 2}, {"MiB", 0x1p20, " MiB", 2}, {"GiB", 0x1p30, " GiB", 2},
    {"TiB", 0x1p40, " TiB", 2}, {"MB", 1e6, " MB", 2},      {"GB", 1e9, " GB", 2},      {"TB", 1e12, " TB", 2},
    {"us", 1e-6, " us", -1},   {"ms", 1e-3, " ms", -1},    {"s", 1, " s", -1},         {"min", 60, " min", -1},
    {"h", 3600, " h", -1},     {"k", 1e3, " thousand", 2}, {"M", 1e6, " million", 2},  {"B", 1e9, " billion", 2},
    {"T", 1e12, " trillion", 2}, {"%", 0.01, "%", 1},      {"x", 1, "x", 2},           {"$", 1, "", 0},
    {"n", 1, "", 0},           {"TFLOP", 1e12, " TFLOP", 2}, {"ZFLOP", 1e21, " ZFLOP", 2},
};

bool unit_find(const char *text, size_t size, struct unit_format *out)
{
    const char *dot = memchr(text, '.', size);
    size_t name = dot ? (size_t)(dot - text) : size;
    size_t decimals = dot ? size - name - 1 : 0;
    if (dot && (decimals != 1 || !isdigit((unsigned char)dot[1])))
        return false;
    for (size_t i = 0; i < LENGTH(units); i++)
        if (strlen(units[i].name) == name && memcmp(units[i].name, text, name) == 0) {
            *out = (struct unit_format){&units[i], dot ? dot[1] - '0' : units[i].decimals};
            return true;
        }
    return false;
}

void unit_names(struct buffer *out)
{
    for (size_t i = 1; i < LENGTH(units); i++) /* the first has no name */
        buffer_printf(out, "%s%s", i > 1 ? ", " : "", units[i].name);
}

/* A whole number with a comma before each three digits. */
static void put_thousands(double value, int decimals, char out[UNIT_TEXT_MAX])
{
    char digits[UNIT_TEXT_MAX / 2];
    snprintf(digits, sizeof digits, "%.*f", decimals, value);
    size_t whole = strcspn(digits, "."), used = 0;
    size_t sign = *digits == '-';
    for (size_t i = 0; digits[i]; i++) {
        if (i > sign && i < whole && (whole - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = '\0';
}

/* Three digits that count, without an exponent: 0.0123, 1.23, 12.3, 123, 1234. */
static void put_three_digits(double value, char out[UNIT_TEXT_MAX])
{
    double size = fabs(value);
    int decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : size >= 0.01 ? 4 : 5;
    if (value == floor(value) && size < 1e15)
        decimals = 0;
    snprintf(out, UNIT_TEXT_MAX / 2, "%.*f", decimals, value);
}

/* Dollars as people say them: $1.2M. */
static void put_money(double value, char out[UNIT_TEXT_MAX])
{
    static const struct {
        double from;
        const char *behind;
    } scales[] = {{1e9, "B"}, {1e6, "M"}, {1e3, "k"}, {0, ""}};
    size_t i = 0;
    while (fabs(value) < scales[i].from)
        i++;
    double shown = value / (scales[i].from > 0 ? scales[i].from : 1);
    snprintf(out, UNIT_TEXT_MAX, "$%.*f%s",
             fabs(shown) >= 100  ? 0
             : fabs(shown) >= 10 ? 1
                                 : 2,
             shown, scales[i].behind);
}

void unit_write(const struct unit_format *format, double value, char out[UNIT_TEXT_MAX])
{
    const struct unit *unit = format->unit;
    char number[UNIT_TEXT_MAX];
    double shown = value / unit->factor;
    if (!isfinite(shown) || fabs(shown) >= 1e18)
        snprintf(number, sizeof number, "n/a");
    else if (strcmp(unit->name, "$") == 0)
        put_money(shown, number);
    else if (strcmp(unit->name, "n") == 0)
        put_thousands(shown, format->decimals, number);
    else if (format->decimals < 0)
        put_three_digits(shown, number);
    else
        snprintf(number, sizeof number / 2, "%.*f", format->decimals, shown);
    snprintf(out, UNIT_TEXT_MAX, "%.40s%.20s", number, isfinite(shown) ? unit->behind : "");
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

/* Units that measure the same thing stand together. */
static int kind_of(const struct unit *unit)
{
    static const char *const kinds[] = {"KiB MiB GiB TiB MB GB TB", "us ms s min h", "k M B T", "%", "TFLOP ZFLOP"};
    for (size_t i = 0; i < LENGTH(kinds); i++)
        for (const char *at = kinds[i]; *at; at += strcspn(at, " "), at += *at == ' ')
            if (strcspn(at, " ") == strlen(unit->name) && strncmp(at, unit->name, strlen(unit->name)) == 0)
                return (int)i;
    return -1;
}

static const struct unit *unit_named(const char *text)
{
    for (size_t i = 0; i < LENGTH(units); i++) {
        const char *word = units[i].behind + (*units[i].behind == ' ');
        if (*units[i].name && (strcasecmp(units[i].name, text) == 0 || (*word && strcasecmp(word, text) == 0)))
            return &units[i];
    }
    return NULL;
}

bool unit_read(const struct unit_format *format, const char *text, double *out)
{
    char number[UNIT_TEXT_MAX], why[NUMBER_WHY_MAX];
    size_t size = strcspn(text, "abcdfghijklmnopqrstuvwxyzABCDFGHIJKLMNOPQRSTUVWXYZ%"); /* e is of an exponent */
    const char *behind = text + size;
    if (size == 0 || size >= sizeof number)
        return false;
    memcpy(number, text + (*text == '$'), size - (*text == '$'));
    number[size - (*text == '$')] = '\0';
    if (number_parse(number, SUFFIX_PLAIN, NULL, NULL, out, why) != 0)
        return false;
    const struct unit *said = *behind ? unit_named(behind) : format->unit;
    if (!said || (said != format->unit && kind_of(said) != kind_of(format->unit)))
        return *behind == 'x' && behind[1] == '\0';
    *out *= said->factor;
    return isfinite(*out);
}
