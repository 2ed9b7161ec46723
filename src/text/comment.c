#include "src/text/comment.h"

#include "core/base.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LABEL_MAX = 24 };

static const struct unit {
    const char *name;
    double bytes; /* 0: seconds of an iteration, -1: iterations of a second */
} units[] = {{"GiB", 0x1p30}, {"GB", 1e9}, {"MiB", 0x1p20}, {"MB", 1e6}, {"s/it", 0}, {"s/iter", 0}, {"it/s", -1}};

static const char *past_blank(const char *p)
{
    return p + strspn(p, " \t");
}

/* The unit at `p`, as a whole word. */
static const struct unit *unit_at(const char *p, size_t *size)
{
    *size = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/");
    for (size_t i = 0; i < LENGTH(units); i++)
        if (strlen(units[i].name) == *size && strncasecmp(p, units[i].name, *size) == 0)
            return &units[i];
    return NULL;
}

/* Past `45min` or `6h`, how long a training took, which no plan says; NULL for anything else. */
static const char *past_duration(const char *p)
{
    static const char *const names[] = {"h", "hour", "hours", "m", "min", "mins", "minutes", "s", "sec", "seconds"};
    char *end;
    double n = strtod(p, &end);
    const char *unit = past_blank(end);
    size_t size = strspn(unit, "abcdefghijklmnopqrstuvwxyz");
    for (size_t i = 0; i < LENGTH(names) && isdigit((unsigned char)*p) && n > 0; i++)
        if (strlen(names[i]) == size && strncmp(unit, names[i], size) == 0 && unit[size] != '/')
            return unit + size;
    return NULL;
}

/* `* 4` behind the bytes of one GPU: how many there are; the end of what was read. */
static const char *take_count(const char *p, struct comment_figures *out)
{
    char *end;
    const char *mark = past_blank(p), *digits = *mark == '*' ? past_blank(mark + 1) : "";
    double n = strtod(digits, &end);
    if (!isdigit((unsigned char)*digits) || !(n >= 1 && n < 1e6) || isalpha((unsigned char)*end))
        return p;
    out->gpus = n;
    return end;
}

/* Reads one figure: `2 * 62GiB`, `62GiB * 2` or `5.1 s/it`. Returns its end; NULL without a figure. */
static const char *take_figure(const char *p, struct comment_figures *out)
{
    char *end;
    size_t size;
    double n = strtod(p, &end);
    bool is_number = isdigit((unsigned char)*p) && end > p && n > 0 && n < 1e6;
    const char *mark = past_blank(end);
    if (is_number && *mark && strchr("*x", *mark)) {
        p = past_blank(mark + 1);
        double each = strtod(p, &end);
        bool is_each = isdigit((unsigned char)*p) && each > 0 && each < 1e6;
        const struct unit *unit = unit_at(past_blank(end), &size);
        if (!is_each || !unit || unit->bytes <= 0)
            return NULL;
        out->gpus = n;
        out->bytes = each * unit->bytes;
        return past_blank(end) + size;
    }
    const struct unit *unit = is_number ? unit_at(mark, &size) : NULL;
    if (!unit)
        return NULL;
    if (unit->bytes <= 0) {
        out->seconds = unit->bytes < 0 ? 1 / n : n;
        return mark + size;
    }
    out->bytes = n * unit->bytes;
    return take_count(mark + size, out);
}

/* Past `label:`; NULL for a label that is another. */
static const char *past_label(const char *p, const char *method)
{
    size_t n = strcspn(p, ":\n");
    if (p[n] != ':' || n == 0 || n > LABEL_MAX || isdigit((unsigned char)*p))
        return p;
    return strlen(method) == n && strncasecmp(p, method, n) == 0 ? past_blank(p + n + 1) : NULL;
}

/* True when the text of a comment is figures alone. */
static bool is_figures(const char *p, const char *method, struct comment_figures *out)
{
    *out = (struct comment_figures){NAN, NAN, NAN, 0};
    p = past_label(past_blank(p), method);
    while (p && *p && !strchr("\r\n", *p)) {
        const char *next = take_figure(p, out);
        p = next ? next : past_duration(p);
        p = p ? p + strspn(p, " \t,;.") : NULL;
    }
    return p && !(isnan(out->bytes) && isnan(out->seconds));
}

bool comment_read(const char *text, const char *method, struct comment_figures *out)
{
    int line = 1;
    for (const char *p = text; *p; p += *p == '\n', line++) {
        const char *first = past_blank(p);
        if (*first == '#' && is_figures(first + strspn(first, "#"), method, out)) {
            out->line = line;
            return true;
        }
        p += strcspn(p, "\n");
    }
    *out = (struct comment_figures){NAN, NAN, NAN, 0};
    return false;
}
