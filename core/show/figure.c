#include "core/show/figure.h"

#include "core/plan/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One unit of a scale: used from `from` on. */
struct scale {
    double from, divisor;
    const char *unit;
};

static const struct scale byte_scale[] = {{0x1p40, 0x1p40, " TiB"}, {0x1p30, 0x1p30, " GiB"}, {0x1p20, 0x1p20, " MiB"},
                                          {0x1p10, 0x1p10, " KiB"}, {0, 1, " B"}};
static const struct scale second_scale[] = {{0.9995, 1, " s"}, {0.9995e-3, 1e-3, " ms"}, {0, 1e-6, " us"}};
static const struct scale span_scale[] = {{730 * 86400.0, 365.25 * 86400, " y"}, {48 * 3600, 86400, " d"},
                                          {7200, 3600, " h"}, {120, 60, " min"}, {0, 1, " s"}};
static const struct scale count_scale[] = {{0.9995e12, 1e12, "T"}, {0.9995e9, 1e9, "B"}, {0.9995e6, 1e6, "M"},
                                           {9999.5, 1e3, "k"}, {0, 1, ""}};

/* Three digits or the decimals that make three. */
static void three_digits(char *out, size_t size, double value)
{
    double a = fabs(value);
    if (a > 1e15)
        snprintf(out, size, "%.2e", value);
    else
        snprintf(out, size, "%.*f", a >= 99.95 ? 0 : a >= 9.995 ? 1 : value == floor(value) && a < 10 ? 0 : 2, value);
}

static struct figure scaled(const struct scale *scale, double value)
{
    struct figure out;
    char digits[16];
    while (fabs(value) < scale->from)
        scale++;
    three_digits(digits, sizeof digits, value / scale->divisor);
    snprintf(out.text, sizeof out.text, "%s%s", digits, scale->unit);
    return out;
}

/* 5120 stays whole; larger counts keep one decimal. */
static struct figure count_of(double value)
{
    struct figure out;
    if (fabs(value) < 9999.5 && value == floor(value)) {
        snprintf(out.text, sizeof out.text, "%.0f", value);
        return out;
    }
    const struct scale *scale = count_scale;
    if (fabs(value) < 9999.5) {
        three_digits(out.text, sizeof out.text, value);
        return out;
    }
    while (fabs(value) < scale->from)
        scale++;
    snprintf(out.text, sizeof out.text, fabs(value) >= 1e18 ? "%.1e%s" : "%.1f%s", value / scale->divisor, scale->unit);
    return out;
}

static struct figure money(double value)
{
    static const struct scale thousands[] = {{0, 1e3, "k"}};
    struct figure out, amount;
    if (fabs(value) < 1000)
        snprintf(amount.text, sizeof amount.text, fabs(value) < 100 ? "%.2f" : "%.0f", fabs(value));
    else
        amount = scaled(fabs(value) < 9999.5 ? thousands : count_scale, fabs(value));
    snprintf(out.text, sizeof out.text, "%s$%.20s", value < 0 ? "-" : "", amount.text);
    return out;
}

struct figure figure(enum figure_kind kind, double value)
{
    struct figure out = {"?"};
    if (isnan(value))
        return out;
    if (isinf(value))
        return strcpy(out.text, value > 0 ? "inf" : "-inf"), out;
    switch (kind) {
    case FIGURE_GIB:
        snprintf(out.text, sizeof out.text, fabs(value) < 1e16 ? "%.1f" : "%.1e", value / 0x1p30);
        break;
    case FIGURE_BYTES:
        return scaled(byte_scale, value);
    case FIGURE_SECONDS:
        return value == 0 ? (struct figure){"0 s"} : scaled(second_scale, value);
    case FIGURE_MS:
        snprintf(out.text, sizeof out.text, fabs(value) < 1e6 ? "%.2f" : "%.1e", value * 1e3);
        break;
    case FIGURE_SPAN:
        return scaled(span_scale, value);
    case FIGURE_PERCENT:
        snprintf(out.text, sizeof out.text, fabs(value) < 1e5 ? "%.1f%%" : "%.1e%%", value * 100);
        break;
    case FIGURE_COUNT:
        return count_of(value);
    case FIGURE_MONEY:
        return money(value);
    case FIGURE_PLAIN:
        number_print(value, out.text, sizeof out.text);
        break;
    }
    return out;
}

struct figure figure_delta(enum figure_kind kind, double difference)
{
    struct figure size = figure(kind, fabs(difference)), zero = figure(kind, 0), out = {"?"};
    if (isnan(difference))
        return out;
    if (strcmp(size.text, zero.text) == 0 || difference == 0)
        return (struct figure){"="};
    if (kind == FIGURE_PERCENT)
        size.text[strlen(size.text) - 1] = '\0'; /* a difference of shares is in points */
    snprintf(out.text, sizeof out.text, "%c%.22s", difference < 0 ? '-' : '+', size.text);
    return out;
}
