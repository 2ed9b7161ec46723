#include "ui/widget/units.h"

#include "core/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum units in_use;

void units_use(enum units units)
{
    in_use = units;
}

const char *units_name(void)
{
    return in_use == UNITS_GB ? "GB" : "GiB";
}

bool units_are_decimal(void)
{
    return in_use == UNITS_GB;
}

double units_bytes(void)
{
    return in_use == UNITS_GB ? 1e9 : GIB;
}

double units_step(double range, double most)
{
    static const double times[] = {2, 2.5, 2}; /* 1, 2, 5, 10 */
    double step = pow(10, floor(log10(range / most)));
    for (size_t i = 0; step > 0 && range / step > most; i++)
        step *= times[i % LENGTH(times)];
    return step;
}

/* What a value is multiplied with, so that a figure in powers of 1024 has the digits of one in powers of 1000. */
static double factor_of(enum figure_kind kind, double value)
{
    const double kilo = 1.024, mega = kilo * kilo, giga = mega * kilo, tera = giga * kilo;
    double size = fabs(value);
    if (in_use == UNITS_GIB)
        return 1;
    switch (kind) {
    case FIGURE_GIB:
    case FIGURE_GIB_TO_SUM: return giga;
    case FIGURE_MIB:
    case FIGURE_MIB_TO_SUM: return mega;
    case FIGURE_BYTES: /* a unit is used where three digits of the one below would not do, as in figure() */
        return size >= 0.9995e15   ? tera * kilo
               : size >= 0.9995e12 ? tera
               : size >= 0.9995e9  ? giga
               : size >= 0.9995e6  ? mega
               : size >= 1000      ? kilo
                                   : 1;
    default: return 1;
    }
}

/* "12.0 GiB" as "12.0 GB" */
static struct figure renamed(struct figure figure)
{
    char *i = in_use == UNITS_GB ? strstr(figure.text, "iB") : NULL;
    if (i)
        memmove(i, i + 1, strlen(i));
    return figure;
}

struct figure units_word(const char *word)
{
    struct figure out;
    snprintf(out.text, sizeof out.text, "%.23s", word);
    return renamed(out);
}

struct figure units_figure(enum figure_kind kind, double value)
{
    if (kind == FIGURE_COUNT && value >= 1000 && value < 9999.5)
        return figure(FIGURE_EXACT, value); /* "5,635" */
    return renamed(figure(kind, value * factor_of(kind, value)));
}

struct figure units_short(enum figure_kind kind, double value)
{
    if (kind == FIGURE_EXACT)
        return units_figure(FIGURE_COUNT, value);
    return renamed(figure_short(kind, value * factor_of(kind, value)));
}

struct figure units_delta(enum figure_kind kind, double difference)
{
    return renamed(figure_delta(kind, difference * factor_of(kind, difference)));
}

struct figure units_range(enum figure_kind kind, double value, double low, double high)
{
    double factor = factor_of(kind, value);
    return figure_range(kind, value * factor, low * factor, high * factor);
}
