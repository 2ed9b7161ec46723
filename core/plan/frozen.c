#include "core/plan/frozen.h"

#include "core/base.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 256, MOST = 4096 }; /* numbers of parts, and of layers */

static const struct {
    const char *name;
    enum frozen part;
} names[] = {{"none", FROZEN_NONE}, {"base", FROZEN_BASE}, {"embeddings", FROZEN_EMBEDDINGS}, {"norms", FROZEN_NORMS},
             {"vision", FROZEN_VISION}};

static const char layers_word[] = "layers:", all_but_word[] = "all-but:";

static long long number_of(double value)
{
    return isnan(value) ? 0 : (long long)value;
}

static bool has(double value, enum frozen part)
{
    return number_of(value) & part;
}

static int first_of(double value)
{
    return (int)(number_of(value) / PARTS % MOST);
}

static int last_of(double value)
{
    return (int)(number_of(value) / PARTS / MOST);
}

static double with_layers(double value, int first, int last)
{
    long long parts = number_of(value) % PARTS & ~(long long)(FROZEN_LAST | FROZEN_FIRST);
    return (double)(parts + (long long)PARTS * (first + (long long)MOST * last));
}

double frozen_of_model(double value, double layers)
{
    if (!(has(value, FROZEN_LAST) || has(value, FROZEN_FIRST)) || !(layers >= 1 && layers < MOST))
        return value;
    int count = last_of(value) + 1, all = (int)layers;
    count = count < all ? count : all;
    return has(value, FROZEN_FIRST) ? with_layers(value, 0, count - 1) : with_layers(value, all - count, all - 1);
}

bool frozen_leaves(double value)
{
    return !has(value, FROZEN_BASE);
}

bool frozen_ends(double value)
{
    return !has(value, FROZEN_BASE) && has(value, FROZEN_EMBEDDINGS) != has(value, FROZEN_ALL_BUT);
}

bool frozen_vision(double value)
{
    bool is_alone = !has(value, FROZEN_BASE) && has(value, FROZEN_VISION) != has(value, FROZEN_ALL_BUT);
    return is_alone || (frozen_ends(value) && !has(value, FROZEN_ALL_BUT));
}

bool frozen_norms(double value)
{
    return has(value, FROZEN_NORMS) && !has(value, FROZEN_ALL_BUT);
}

int frozen_layers(double value, int from, int to)
{
    if (!has(value, FROZEN_LAYERS))
        return has(value, FROZEN_ALL_BUT) ? to - from : 0;
    int first = first_of(value) > from ? first_of(value) : from,
        end = last_of(value) + 1 < to ? last_of(value) + 1 : to;
    int inside = end > first ? end - first : 0;
    return has(value, FROZEN_ALL_BUT) ? to - from - inside : inside;
}

int frozen_end(double value)
{
    return has(value, FROZEN_LAYERS) ? last_of(value) + 1 : 0;
}

int frozen_depth(double value)
{
    if (!frozen_ends(value) || !frozen_vision(value))
        return 0;
    if (has(value, FROZEN_ALL_BUT))
        return has(value, FROZEN_LAYERS) ? first_of(value) : MOST;
    return has(value, FROZEN_LAYERS) && first_of(value) == 0 ? last_of(value) + 1 : 0;
}

/* ---- as text ---------------------------------------------------------------------------------------------------- */

/* `-N` or `+N`, the last or the first N; false when it is neither. */
static bool read_count(const char *text, size_t n, long long *value)
{
    char *end = NULL;
    long count = strtol(text + 1, &end, 10);
    if (!isdigit((unsigned char)text[1]) || end != text + n || count < 1 || count >= MOST)
        return false;
    *value |= FROZEN_LAYERS | (*text == '-' ? FROZEN_LAST : FROZEN_FIRST) | (long long)PARTS * MOST * (count - 1);
    return true;
}

/* `A-B`, `A`, `-N` or `+N`; false when it is none. */
static bool read_range(const char *text, size_t n, long long *value)
{
    char *end = NULL;
    if (*text == '-' || *text == '+')
        return read_count(text, n, value);
    long first = strtol(text, &end, 10), last = first;
    if (end == text)
        return false;
    if (*end == '-') {
        const char *second = end + 1;
        last = strtol(second, &end, 10);
        if (end == second)
            return false;
    }
    if (end != text + n || first > last || last >= MOST)
        return false;
    *value |= FROZEN_LAYERS | (long long)PARTS * (first + (long long)MOST * last);
    return true;
}

/* One word of the list; false when it is none. */
static bool read_part(const char *text, size_t n, long long *value)
{
    for (size_t i = 0; i < LENGTH(names); i++)
        if (strlen(names[i].name) == n && strncmp(names[i].name, text, n) == 0) {
            *value |= names[i].part;
            return true;
        }
    size_t word = strlen(layers_word);
    return n > word && strncmp(text, layers_word, word) == 0 && !(*value & FROZEN_LAYERS) &&
           read_range(text + word, n - word, value);
}

double frozen_parse(const char *text, char *why, size_t size)
{
    static const char blanks[] = "[], \t\"'";
    const char *p = text + strspn(text, blanks);
    long long value = strncmp(p, all_but_word, strlen(all_but_word)) == 0 ? FROZEN_ALL_BUT : 0;
    int parts = 0;
    bool has_none = false;
    p += value ? strlen(all_but_word) : 0;
    for (size_t n; *(p += strspn(p, blanks)); p += n, parts++) {
        n = strcspn(p, blanks);
        has_none |= n == strlen(names[0].name) && strncmp(p, names[0].name, n) == 0;
        if (!read_part(p, n, &value)) {
            snprintf(why, size,
                     "'%.*s' is no part; use none, base, or any of embeddings, norms, vision and one layers:A-B, A up "
                     "to B below %d, or layers:-N or +N, perhaps behind all-but:",
                     (int)(n > 40 ? 40 : n), p, MOST);
            return NAN;
        }
    }
    bool is_alone = parts == 1 && !(value & FROZEN_ALL_BUT);
    if (parts == 0 || (has_none && !is_alone) ||
        (!is_alone && (value & (FROZEN_BASE | FROZEN_NORMS) && value & (FROZEN_BASE | FROZEN_ALL_BUT)))) {
        snprintf(why, size,
                 "'%.40s' says no part, or parts that do not go together; use base alone, norms without all-but:, or "
                 "all-but:layers:A-B",
                 text);
        return NAN;
    }
    return (double)value;
}

int frozen_print(double value, char *out, size_t size)
{
    char range[32] = "";
    if (has(value, FROZEN_LAST) || has(value, FROZEN_FIRST))
        snprintf(range, sizeof range, "%s%c%d", layers_word, has(value, FROZEN_LAST) ? '-' : '+', last_of(value) + 1);
    else if (has(value, FROZEN_LAYERS))
        snprintf(range, sizeof range, "%s%d-%d", layers_word, first_of(value), last_of(value));
    const char *parts[] = {has(value, FROZEN_EMBEDDINGS) ? "embeddings" : "", has(value, FROZEN_NORMS) ? "norms" : "",
                           has(value, FROZEN_VISION) ? "vision" : "", range};
    if (has(value, FROZEN_BASE) || number_of(value) == 0)
        return snprintf(out, size, "%s", has(value, FROZEN_BASE) ? "base" : "none");
    int used = snprintf(out, size, "%s", has(value, FROZEN_ALL_BUT) ? all_but_word : "");
    bool is_first = true;
    for (size_t i = 0; i < LENGTH(parts); i++)
        if (*parts[i] && used < (int)size) {
            used += snprintf(out + used, size - (size_t)used, "%s%s", is_first ? "" : ",", parts[i]);
            is_first = false;
        }
    return used;
}
