#include "core/plan/match.h"

#include "core/plan/nearest.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { WORDS_MAX = 24, INITIALS_MAX = 8 };

/* The letters and digits of a text in lower case, and where its words begin: runs of letters or of digits. */
struct plain {
    char text[MATCH_MAX + 1];
    int length, words;
    int begin[WORDS_MAX + 1]; /* of word i; the last one: the end */
    bool is_letters;          /* nothing else, marks included */
    uint64_t signs;           /* set of the letters and digits */
};

static bool is_figure(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_wordy(char c)
{
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static void read_plain(const char *text, struct plain *out)
{
    char before = ' ';
    out->length = out->words = 0;
    out->signs = 0;
    out->is_letters = *text;
    for (; *text && out->length < MATCH_MAX; before = *text++) {
        bool is_digit = is_figure(*text), is_new = !is_wordy(before) || is_digit != is_figure(before);
        out->is_letters &= is_wordy(*text) && !is_digit;
        if (!is_wordy(*text))
            continue;
        if (is_new && out->words < WORDS_MAX)
            out->begin[out->words++] = out->length;
        char sign = (char)(is_digit ? *text : *text | 32);
        out->signs |= 1ull << (is_digit ? sign - '0' : 10 + sign - 'a');
        out->text[out->length++] = sign;
    }
    out->begin[out->words] = out->length;
    out->text[out->length] = '\0';
}

/* True when word `i` of the query begins word `j` of the name. */
static bool word_begins(const struct plain *query, int i, const struct plain *name, int j)
{
    int n = query->begin[i + 1] - query->begin[i];
    return n <= name->begin[j + 1] - name->begin[j] &&
           memcmp(query->text + query->begin[i], name->text + name->begin[j], (size_t)n) == 0;
}

static bool has_words_in_order(const struct plain *query, const struct plain *name)
{
    int i = 0;
    for (int j = 0; j < name->words && i < query->words; j++)
        i += word_begins(query, i, name, j);
    return i == query->words;
}

/* Each word of the query takes the first word of the name that it begins and no other has taken. */
static bool has_words(const struct plain *query, const struct plain *name)
{
    bool is_taken[WORDS_MAX] = {false};
    for (int i = 0; i < query->words; i++) {
        int j = 0;
        while (j < name->words && (is_taken[j] || !word_begins(query, i, name, j)))
            j++;
        if (j == name->words)
            return false;
        is_taken[j] = true;
    }
    return true;
}

/* True when letters `i`.. of the query are initials in the name from `word` on, or go on after position `at`. */
static bool has_initials(const struct plain *query, int i, const struct plain *name, int word, int at)
{
    if (i == query->length)
        return true;
    bool goes_on = at >= 0 && at + 1 < name->begin[word] && name->text[at + 1] == query->text[i];
    if (goes_on && has_initials(query, i + 1, name, word, at + 1))
        return true;
    for (int j = word; j < name->words; j++)
        if (name->text[name->begin[j]] == query->text[i] && has_initials(query, i + 1, name, j + 1, name->begin[j]))
            return true;
    return false;
}

static bool is_slip(const struct plain *query, const struct plain *name)
{
    int most = query->length >= 8 ? 2 : query->length >= 4 ? 1 : 0;
    char start[MATCH_MAX + 1];
    int strange = 0; /* signs that the name lacks: each costs a slip */
    for (uint64_t rest = query->signs & ~name->signs; rest; rest &= rest - 1)
        strange++;
    if (most == 0 || strange > most || name->length + most < query->length)
        return false;
    snprintf(start, sizeof start, "%.*s", query->length, name->text);
    return text_distance(query->text, start) <= most ||
           (name->length <= query->length + most && text_distance(query->text, name->text) <= most);
}

static int class_of(const struct plain *query, const struct plain *name)
{
    bool begins = strncmp(name->text, query->text, (size_t)query->length) == 0;
    if (begins)
        return name->length == query->length ? MATCH_SAME : MATCH_BEGIN;
    if (has_words_in_order(query, name))
        return MATCH_WORDS;
    if (has_words(query, name))
        return MATCH_ANY_ORDER;
    if (query->length >= 3 && strstr(name->text, query->text))
        return MATCH_INSIDE;
    if (query->is_letters && query->length >= 3 && query->length <= INITIALS_MAX &&
        name->words <= 2 * INITIALS_MAX && has_initials(query, 0, name, 0, -1))
        return MATCH_INITIALS;
    return is_slip(query, name) ? MATCH_SLIP : 0;
}

int match_name(const char *query, const char *name)
{
    struct plain q, n;
    read_plain(query, &q);
    read_plain(name, &n);
    int class = q.length > 0 ? class_of(&q, &n) : 0, excess = n.length - q.length;
    return class ? class - (excess < 0 ? 0 : excess > 50 ? 50 : excess) : 0;
}

int match_names(const char *query, const char *names)
{
    int best = 0;
    for (const char *at = names; *at; at += strcspn(at, "|"), at += *at == '|') {
        char name[MATCH_MAX + 1];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "|"), at);
        int score = match_name(query, name);
        best = score > best ? score : best;
    }
    return best;
}

bool match_help(const char *query, const char *text)
{
    struct plain q;
    read_plain(query, &q);
    for (int i = 0; i < q.words; i++) {
        const char *at = text;
        size_t n = (size_t)(q.begin[i + 1] - q.begin[i]);
        while (*at && !((at == text || !is_wordy(at[-1])) && strncasecmp(at, q.text + q.begin[i], n) == 0))
            at++;
        if (n < 3 || !*at)
            return false;
    }
    return q.words > 0;
}

/* Moves to the next letter or digit; 0 at a bar and at the end. */
static char next_sign(const char **at)
{
    while (**at && **at != '|' && !is_wordy(**at))
        ++*at;
    char sign = **at == '|' ? '\0' : **at;
    *at += sign != '\0';
    return is_figure(sign) || !sign ? sign : sign | 32;
}

bool match_same(const char *a, const char *names)
{
    while (true) {
        const char *x = a, *y = names;
        char sign = next_sign(&x), first = sign;
        while (sign && sign == next_sign(&y))
            sign = next_sign(&x);
        if (first && !sign && !next_sign(&y))
            return true;
        names += strcspn(names, "|");
        if (!*names++)
            return false;
    }
}
