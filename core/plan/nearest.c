#include "core/plan/nearest.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

int text_distance(const char *a, const char *b)
{
    enum { LONGEST = 64 };
    int row[3][LONGEST + 1];
    int n = (int)strnlen(a, LONGEST), m = (int)strnlen(b, LONGEST);
    for (int j = 0; j <= m; j++)
        row[0][j] = j;
    for (int i = 1; i <= n; i++) {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            bool is_same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            int best = last[j - 1] + !is_same;
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[n % 3][m];
}

/* Which characters a text has, case aside, as far as 64 flags tell. */
static uint64_t signs_of(const char *text)
{
    uint64_t signs = 0;
    for (; *text; text++)
        signs |= 1ull << ((unsigned char)*text & 31);
    return signs;
}

/* Whether two texts cannot be within `most` changes: too far apart in length, or in characters that one alone has. */
static bool is_beyond(const char *a, const char *b, int most)
{
    int apart = (int)strnlen(a, 64) - (int)strnlen(b, 64), alone = 0;
    for (uint64_t rest = signs_of(a) & ~signs_of(b); rest; rest &= rest - 1)
        alone++;
    return apart > most || -apart > most || alone > most;
}

static bool contains(const char *text, const char *part)
{
    size_t n = strlen(part);
    for (; strlen(text) >= n; text++)
        if (strncasecmp(text, part, n) == 0)
            return true;
    return false;
}

/* How far `known` is from what was typed, -1 for too far. */
static int distance_of(const char *typed, const char *known)
{
    size_t n = strlen(typed);
    if (n >= 2 && strncasecmp(typed, known, n) == 0)
        return n < strlen(known);
    if (n >= 3 && contains(known, typed))
        return 2;
    const char *dot = strrchr(typed, '.');
    int far = 2 + (int)n / 4, own = (int)strlen(dot ? dot + 1 : typed); /* the group alone makes no name near */
    int distance = is_beyond(typed, known, far) ? far + 1 : text_distance(typed, known);
    if (distance <= far && 2 * distance <= own)
        return distance;
    char start[64]; /* the start of a name with a slip in it */
    snprintf(start, sizeof start, "%.*s", (int)(n < 63 ? n : 63), known);
    return n >= 4 && !is_beyond(typed, start, 1) && text_distance(typed, start) == 1 ? far + 1 : -1;
}

/* Takes the name at `at` out. */
static void drop(struct nearest *nearest, int at)
{
    for (nearest->count--; at < nearest->count; at++) {
        nearest->name[at] = nearest->name[at + 1];
        nearest->distance[at] = nearest->distance[at + 1];
    }
}

bool nearest_offer(struct nearest *nearest, const char *known, const char *name)
{
    int distance = distance_of(nearest->typed, known);
    if (distance < 0 && nearest->takes_any)
        distance = 64 + text_distance(nearest->typed, known);
    for (int i = 0; i < nearest->count && distance >= 0; i++) {
        if (strcmp(nearest->name[i], name) != 0)
            continue;
        if (nearest->distance[i] <= distance)
            return false;
        drop(nearest, i);
    }
    int at = nearest->count;
    while (at > 0 && nearest->distance[at - 1] > distance)
        at--;
    if (distance < 0 || at == NEAREST_MAX)
        return false;
    nearest->count += nearest->count < NEAREST_MAX;
    for (int i = nearest->count - 1; i > at; i--) {
        nearest->name[i] = nearest->name[i - 1];
        nearest->distance[i] = nearest->distance[i - 1];
    }
    nearest->name[at] = name;
    nearest->distance[at] = distance;
    return at == 0;
}

int nearest_list(const struct nearest *nearest, char out[NEAREST_TEXT_MAX])
{
    int used = 0;
    out[0] = '\0';
    for (int i = 0; i < nearest->count && used < NEAREST_TEXT_MAX; i++)
        used += snprintf(out + used, (size_t)(NEAREST_TEXT_MAX - used), "%s%s",
                         i == 0 ? "" : i == nearest->count - 1 ? " or " : ", ", nearest->name[i]);
    return nearest->count;
}
