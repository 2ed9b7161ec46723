#include "src/import/spelling.h"

#include "core/base.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef const char *const spellings[DIALECT_COUNT];

#define KIND(name) static spellings name##_names_spelled[] = {
#define CHOICE(id, word, help, ...) [id] = {__VA_ARGS__},
#define OPTIMIZER(id, word, help, moments, is_8bit, is_paged, update_bytes, ...) [id] = {__VA_ARGS__},
#define FABRIC(id, ...) [id] = {0},
#define AS(dialect, words) [DIALECT_##dialect] = words,
#define END(name, count)                                                                                               \
    };                                                                                                                 \
    _Static_assert(LENGTH(name##_names_spelled) == count, "a row for each value of " #name);
#include "core/plan/choice.def"

/* Keys whose values are not listed there. */
#define NULL_spelled            NULL
#define bool_names_spelled      NULL
#define framework_names_spelled NULL

static spellings *const spelled[PARAM_COUNT] = {
#define NONE 0
#define ROW(group, key, type, min, max, fallback, step, suffix, unit, choices, ...)                                    \
    [PARAM_##group##_##key] = choices##_spelled,
#include "core/plan/param.def"
#undef ROW
#undef NONE
};

const char *spelling_words(enum param key, int value, enum dialect dialect)
{
    return spelled[key] ? spelled[key][value][dialect] : NULL;
}

/* True when `word` is one of `words`, which are separated by blanks. */
static bool is_among(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && strncasecmp(at, word, length) == 0)
            return true;
    return false;
}

int spelling_find(enum param key, enum dialect dialect, const char *word)
{
    for (int value = 0; spelled[key] && param_rows[key].choices[value]; value++) {
        const char *words = spelling_words(key, value, dialect);
        if (words && is_among(words, word))
            return value;
    }
    return -1;
}

bool spelling_usual(enum param key, double value, enum dialect dialect, char out[SPELLING_MAX])
{
    const char *words = spelling_words(key, (int)value, dialect);
    snprintf(out, SPELLING_MAX, "%.*s", words ? (int)strcspn(words, " ") : 0, words ? words : "");
    return words != NULL;
}
