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

/* One figure, `2 * 62GiB` or `5.1 s/it`; its end, NULL where there is none. */
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
    if (unit->bytes > 0)
        out->bytes = n * unit->bytes;
    else
        out->seconds = unit->bytes < 0 ? 1 / n : n;
    return mark + size;
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
    while (p && *p && !strchr("\r\n", *p))
        p = (p = take_figure(p, out)) ? p + strspn(p, " \t,;") : NULL;
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
