#include "src/plan/family.h"

#include "core/base.h"
#include "src/plan/preset.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKENS_MAX = 24, TOKEN_BYTES = 24, NAME_BYTES = 128 };

/* A name in its parts: "qwen", "2.5", "coder", "7b". */
struct parts {
    char token[TOKENS_MAX][TOKEN_BYTES];
    size_t count;
};

/* A model that is built on another family, by words of its name. */
static const struct {
    const char *words, *family;
} derived[] = {
#define UNCOUNTED(word, why)
#define BESIDE(word)
#define LADDER(billions, preset)
#define DERIVED(words, family) {words, family},
#define UNLIKE(word)
#include "src/plan/named.def"
#undef DERIVED
#undef UNLIKE
};

/* Words that tell of another shape. */
static const char *const unlike[] = {
#define UNCOUNTED(word, why)
#define BESIDE(word)
#define LADDER(billions, preset)
#define DERIVED(words, family)
#define UNLIKE(word) word,
#include "src/plan/named.def"
};

/* ---- parts ------------------------------------------------------------------------------------------------------ */

static bool is_part(char c)
{
    return isalnum((unsigned char)c) || c == '.';
}

/* A number begins behind two letters or more: "qwen" and "2.5", but "a3b", "v0.1" and "r1" stay whole. */
static size_t part_size(const char *p)
{
    size_t n = 0, letters = 0;
    while (is_part(p[n]) && !(letters >= 2 && letters == n && isdigit((unsigned char)p[n]))) {
        letters += isalpha((unsigned char)p[n]) && letters == n;
        n++;
    }
    return n;
}

static void split(const char *name, struct parts *out)
{
    out->count = 0;
    for (const char *p = name; *p && out->count < TOKENS_MAX;) {
        size_t n = part_size(p);
        char *token = out->token[out->count];
        for (size_t i = 0; i < n && i < TOKEN_BYTES - 1; i++)
            token[i] = (char)tolower((unsigned char)p[i]);
        token[n < TOKEN_BYTES ? n : TOKEN_BYTES - 1] = '\0';
        out->count += n > 0;
        p += n + (n == 0);
    }
}

static bool has_token(const struct parts *parts, const char *token)
{
    for (size_t i = 0; i < parts->count; i++)
        if (strcmp(parts->token[i], token) == 0)
            return true;
    return false;
}

/* `2`, `3.1`: digits that are no date and no size. */
static bool is_version(const char *token)
{
    return *token && strlen(token) <= 3 && token[strspn(token, "0123456789.")] == '\0';
}

/* Billions of a part such as `7b`, `1.5b`, `350m`, `7b1`, `8x7b`; 0 for none. */
static double size_of(const char *token)
{
    char *end;
    double n = strtod(token, &end);
    if (end == token || !isdigit((unsigned char)*token))
        return 0;
    if (*end == 'x')
        return n * size_of(end + 1);
    size_t tenths = strspn(end + (*end != '\0'), "0123456789"); /* `7b1` is 7.1 */
    bool is_size = (*end == 'b' || *end == 'm') && !end[1 + tenths];
    n += is_size && *end == 'b' && tenths > 0 ? strtod(end + 1, NULL) / pow(10, (double)tenths) : 0;
    return !is_size ? 0 : *end == 'b' ? n : n / 1000;
}

static double whole_size(const struct parts *parts)
{
    double size = 0;
    for (size_t i = 0; i < parts->count && size == 0; i++)
        size = size_of(parts->token[i]);
    return size;
}

/* ---- matching --------------------------------------------------------------------------------------------------- */

/* True when the family and the version with which a preset begins stand in the name one behind the other. */
static bool has_family(const struct parts *typed, const struct parts *preset, size_t *used)
{
    bool has_version = preset->count > 1 && is_version(preset->token[1]);
    *used = 1 + has_version;
    for (size_t i = 0; i < typed->count; i++) {
        const char *next = i + 1 < typed->count ? typed->token[i + 1] : "";
        if (strcmp(typed->token[i], preset->token[0]) == 0 &&
            (has_version ? strcmp(next, preset->token[1]) == 0 : !is_version(next)))
            return true;
    }
    return false;
}

static bool is_like(const struct parts *typed, const struct parts *preset)
{
    for (size_t i = 0; i < LENGTH(unlike); i++)
        if (has_token(typed, unlike[i]) && !has_token(preset, unlike[i]))
            return false;
    return true;
}

/* Distance of two sizes: 0 if equal, small for another spelling (1.7b, 1720m), NAN if they differ. */
static double distance(const struct parts *typed, const struct parts *preset, size_t used)
{
    double size = whole_size(typed), other = whole_size(preset), apart = fabs(size / other - 1);
    for (size_t i = used; i < preset->count; i++) {
        const char *token = preset->token[i];
        bool is_free = *token == 'v' || size_of(token) > 0; /* a release, or the size that is compared below */
        if (!is_free && !has_token(typed, token))
            return NAN;
    }
    return size > 0 && other > 0 && apart <= 0.02 ? apart : NAN;
}

static const char *find_preset(const struct parts *typed)
{
    const char *const *names, *best = NULL;
    double nearest = INFINITY;
    size_t count = preset_names(PRESET_MODEL, &names), used, longest = 0;
    for (size_t i = 0; i < count; i++) {
        struct parts preset;
        split(names[i], &preset);
        if (preset.count == 0 || !has_family(typed, &preset, &used) || !is_like(typed, &preset))
            continue;
        double apart = distance(typed, &preset, used);
        bool is_better = apart < nearest || (apart == nearest && used > longest);
        if (isnan(apart) || !is_better)
            continue;
        nearest = apart;
        longest = used;
        best = names[i];
    }
    return best;
}

/* The family that a derived model is of, in place of its own name. */
static bool name_base(const struct parts *typed, struct parts *out)
{
    for (size_t i = 0; i < LENGTH(derived); i++) {
        struct parts words;
        bool holds = true;
        split(derived[i].words, &words);
        for (size_t k = 0; k < words.count; k++)
            holds &= has_token(typed, words.token[k]);
        if (!holds)
            continue;
        split(derived[i].family, out);
        for (size_t k = 0; k < typed->count && out->count < TOKENS_MAX; k++)
            if (size_of(typed->token[k]) > 0)
                memcpy(out->token[out->count++], typed->token[k], TOKEN_BYTES);
        return true;
    }
    return false;
}

const char *family_preset(const char *typed)
{
    const char *slash = strrchr(typed, '/');
    struct parts parts, base;
    split(slash ? slash + 1 : typed, &parts);
    return find_preset(name_base(&parts, &base) ? &base : &parts);
}
