#include "core/show/figure.h"

#include "core/base.h"
#include "core/plan/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* One unit of a scale: used from `from` on. */
struct scale {
    double from, divisor;
    const char *unit;
};

/* A unit is used where three digits of the one below would not do. */
static const struct scale byte_scale[] = {
    {0.9995 * 0x1p50, 0x1p50, " PiB"}, {0.9995 * 0x1p40, 0x1p40, " TiB"}, {0.9995 * GIB, GIB, " GiB"},
    {0.9995 * MIB, MIB, " MiB"},       {0, 0x1p10, " KiB"}};
static const struct scale second_scale[] = {
    {730 * 86400.0, 365.25 * 86400, " y"}, {48 * 3600, 86400, " d"},   {7200, 3600, " h"}, {120, 60, " min"},
    {0.9995, 1, " s"},                     {0.9995e-3, 1e-3, " ms"},   {0, 1e-6, " us"}};
static const struct scale span_scale[] = {
    {730 * 86400.0, 365.25 * 86400, " years"}, {48 * 3600, 86400, " days"}, {7200, 3600, " hours"}, {120, 60, " min"},
    {0, 1, " s"}};
static const struct scale count_scale[] = {{0.9995e12, 1e12, "T"}, {0.9995e9, 1e9, "B"}, {0.9995e6, 1e6, "M"},
                                           {0, 1e3, "k"}};

static struct figure printed(double value, int decimals, const char *unit)
{
    struct figure out;
    if (fabs(value) < 1e7)
        snprintf(out.text, sizeof out.text, "%.*f%s", decimals, value, unit);
    else
        snprintf(out.text, sizeof out.text, "%.1e%s", value, unit);
    return out;
}

/* The decimals that make three digits. */
static int decimals_of(double value)
{
    double size = fabs(value);
    return size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
}

/* The unit that a value is written in. */
static const struct scale *unit_of(const struct scale *scale, double value)
{
    while (fabs(value) < scale->from)
        scale++;
    return scale;
}

static struct figure scaled(const struct scale *scale, double value)
{
    scale = unit_of(scale, value);
    double amount = value / scale->divisor;
    return printed(amount, decimals_of(amount), scale->unit);
}

/* 5120 stays whole. */
static struct figure count_of(double value)
{
    if (fabs(value) >= 9999.5)
        return scaled(count_scale, value);
    return printed(value, value == floor(value) ? 0 : decimals_of(value), "");
}

/* With a comma after every three digits. */
static struct figure exact(double value)
{
    char plain[24];
    struct figure out;
    size_t n = (size_t)snprintf(plain, sizeof plain, fabs(value) < 1e17 ? "%.0f" : "%.9e", round(value)), at = 0;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0 && plain[i - 1] != '-' && fabs(value) < 1e17)
            out.text[at++] = ',';
        out.text[at++] = plain[i];
    }
    out.text[at] = '\0';
    return out;
}

/* One of a few steps is small. */
static struct figure sum_of(double value)
{
    double size = fabs(value);
    return size >= 99.95 ? exact(value) : printed(value, size < 0.0995 && value != 0 ? 4 : 2, "");
}

static struct figure money(double value)
{
    struct figure out, amount = fabs(value) < 1000 ? printed(fabs(value), fabs(value) < 100 ? 2 : 0, "")
                                                   : scaled(count_scale, fabs(value));
    snprintf(out.text, sizeof out.text, "%s$%.20s", value < 0 ? "-" : "", amount.text);
    return out;
}

struct figure figure(enum figure_kind kind, double value)
{
    struct figure out = {"?"};
    if (isinf(value))
        return value > 0 ? (struct figure){"inf"} : (struct figure){"-inf"};
    if (isnan(value))
        return out;
    switch (kind) {
    case FIGURE_GIB:
        return printed(value / GIB, 1, "");
    case FIGURE_GIB_TO_SUM:
        return printed(value / GIB, 2, "");
    case FIGURE_MIB:
        return printed(value / MIB, fabs(value / MIB) < 9.995 ? 2 : fabs(value / MIB) < 99999.95 ? 1 : 0, "");
    case FIGURE_MIB_TO_SUM:
        return printed(value / MIB, 2, "");
    case FIGURE_BYTES:
        return fabs(value) < 1024 ? printed(value, 0, " B") : scaled(byte_scale, value);
    case FIGURE_SECONDS:
        return value == 0 ? (struct figure){"0 s"} : scaled(second_scale, value);
    case FIGURE_SPAN:
        return scaled(span_scale, value);
    case FIGURE_MS:
        return printed(value * 1e3, 2, "");
    case FIGURE_PERCENT:
        return printed(value * 100, 1, "%");
    case FIGURE_COUNT:
        return count_of(value);
    case FIGURE_EXACT:
        return exact(value);
    case FIGURE_MONEY:
        return money(value);
    case FIGURE_SUM:
        return sum_of(value);
    case FIGURE_PLAIN:
        number_print(value, out.text, sizeof out.text);
        break;
    }
    return out;
}

struct figure figure_short(enum figure_kind kind, double value)
{
    bool is_count = kind == FIGURE_EXACT || kind == FIGURE_SUM;
    return figure(is_count                      ? FIGURE_COUNT
                  : kind == FIGURE_GIB_TO_SUM   ? FIGURE_GIB
                  : kind == FIGURE_MIB_TO_SUM   ? FIGURE_MIB
                                                : kind, value);
}

/* What a value is divided by before it is written. */
static double divisor_of(enum figure_kind kind, double value)
{
    switch (kind) {
    case FIGURE_GIB: case FIGURE_GIB_TO_SUM: return GIB;
    case FIGURE_MIB: case FIGURE_MIB_TO_SUM: return MIB;
    case FIGURE_BYTES: return fabs(value) < 1024 ? 1 : unit_of(byte_scale, value)->divisor;
    case FIGURE_SECONDS: return unit_of(second_scale, value)->divisor;
    case FIGURE_SPAN: return unit_of(span_scale, value)->divisor;
    case FIGURE_MS: return 1e-3;
    case FIGURE_PERCENT: return 0.01;
    case FIGURE_COUNT: return fabs(value) < 9999.5 ? 1 : unit_of(count_scale, value)->divisor;
    case FIGURE_MONEY: return fabs(value) < 1000 ? 1 : unit_of(count_scale, value)->divisor;
    default: return 1;
    }
}

struct figure figure_range(enum figure_kind kind, double value, double low, double high)
{
    double divisor = divisor_of(kind, value), width = (high - low) / divisor;
    if (!isfinite(width) || !(high - low > 0.02 * fabs(value)))
        return (struct figure){""};
    int power = (int)round(log10(width / 10));
    double step = pow(10, power), from = floor(low / divisor / step) * step, to = ceil(high / divisor / step) * step;
    bool is_long = power >= 0 && to > 9999;
    struct figure one = is_long ? exact(from) : printed(from, power < 0 ? -power : 0, ""), out = {""},
                  other = is_long ? exact(to) : printed(to, power < 0 ? -power : 0, "");
    if (strlen(one.text) + strlen(other.text) + 2 <= sizeof out.text)
        snprintf(out.text, sizeof out.text, "%.11s-%.11s", one.text, other.text);
    return out;
}

struct figure figure_delta(enum figure_kind kind, double difference)
{
    struct figure size = figure(kind, fabs(difference)), out = {"?"};
    if (isnan(difference))
        return out;
    if (!strpbrk(size.text, "123456789"))
        return (struct figure){"="};
    if (kind == FIGURE_PERCENT)
        size.text[strlen(size.text) - 1] = '\0'; /* a difference of shares is in points */
    snprintf(out.text, sizeof out.text, "%c%.22s", difference < 0 ? '-' : '+', size.text);
    return out;
}

struct figure figure_share(double share)
{
    struct figure points = figure_delta(FIGURE_PERCENT, share), out = points;
    if (strchr("+-", points.text[0]))
        snprintf(out.text, sizeof out.text, "%.21s %%", points.text);
    return out;
}
