#include "ui/command/lexicon.h"

#include "core/base.h"
#include "core/plan/nearest.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the data ---------------------------------------------------------------------------------------------------- */

const struct lexicon_row lexicon_rows[] = {
#define STOP(words)
#define SAME(words)
#define INTENT(KIND, item, phrases) {#KIND, item, phrases},
#include "ui/command/intent.def"
#undef STOP
#undef SAME
#undef INTENT
};
const int lexicon_row_count = LENGTH(lexicon_rows);

_Static_assert(LENGTH(lexicon_rows) <= LEXICON_ROWS_MAX, "room for all");

/* Synonyms; the first row has stop words. */
static const char *const same_words[] = {
#define STOP(words) words,
#define SAME(words) words,
#define INTENT(KIND, item, phrases)
#include "ui/command/intent.def"
#undef STOP
#undef SAME
#undef INTENT
};

enum { STOP_ROW, FORMS_MAX = 8192, PHRASES_MAX = 4096, PHRASE_WORDS_MAX = 16384, SLOTS = 2 * FORMS_MAX };

/* One spelling. */
struct form {
    char text[LEXICON_WORD_MAX];
    short meaning;
    bool is_stem, is_stop;
};

struct lexicon {
    short same_count; /* forms of `same_words` */
    short form_count, meaning_count, phrase_count, word_count;
    struct form form[FORMS_MAX];
    short slot[SLOTS];           /* one more than the form with this hash, or the next free one; 0: none */
    double weight[FORMS_MAX];    /* of a meaning */
    struct {
        short row, begin;
    } phrase[PHRASES_MAX];
    short word[PHRASE_WORDS_MAX]; /* forms of the phrases */
};

/* ---- spelling ---------------------------------------------------------------------------------------------------- */

/* Letters, digits and every byte that is not ASCII. */
static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

bool lexicon_scan(const char **at, const char *end, char out[LEXICON_WORD_MAX])
{
    size_t n = 0;
    while (*at < end && !is_of_word(**at) && **at != '<')
        ++*at;
    for (; *at < end && (is_of_word(**at) || strchr("<>_", **at) || (n > 0 && **at == '\'') ||
                         (n > 0 && **at == '-' && *out == '<') ||
                         (**at == '.' && *at + 1 < end && isdigit((unsigned char)(*at)[1])));
         ++*at)
        if (n + 1 < LEXICON_WORD_MAX && **at != '\'')
            out[n++] = (char)tolower((unsigned char)**at);
    out[n] = '\0';
    return n > 0;
}

/* The stem of a word: optimise, optimizing and optimization become optimiz. */
static void stem_of(const char *text, char out[LEXICON_WORD_MAX])
{
    static const char *const endings[] = {"ations", "ation", "ating", "ates", "ated", "ate", "ingly", "ings", "ing",
                                          "edly", "ed", "es", "ly", "s", "e"};
    enum { STEM_LEAST = 4 };
    size_t n = (size_t)snprintf(out, LEXICON_WORD_MAX, "%s", text);
    if (strcspn(text, "0123456789<_") < n || n <= STEM_LEAST)
        return;
    for (size_t i = 0; i < LENGTH(endings); i++) {
        size_t m = strlen(endings[i]);
        if (n < m + STEM_LEAST || strcmp(out + n - m, endings[i]) != 0)
            continue;
        out[n -= m] = '\0';
        if (n > STEM_LEAST && out[n - 1] == out[n - 2] && !strchr("ls", out[n - 1]))
            out[--n] = '\0'; /* planning */
        break;
    }
    if (out[n - 1] == 's' && out[n - 2] == 'i')
        out[n - 1] = 'z';
    if (out[n - 1] == 'y' || out[n - 1] == 'i')
        out[n - 1] = '\0'; /* memory, memories */
}

/* ---- forms ------------------------------------------------------------------------------------------------------- */

/* The slot of a spelling, or the free one where it would be. */
static int slot_of(const struct lexicon *x, const char *text, bool is_stem)
{
    uint32_t hash = 2166136261u ^ is_stem;
    for (const char *at = text; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    int slot = (int)(hash % SLOTS);
    while (x->slot[slot] && (x->form[x->slot[slot] - 1].is_stem != is_stem ||
                             strcmp(x->form[x->slot[slot] - 1].text, text) != 0))
        slot = (slot + 1) % SLOTS;
    return slot;
}

static int form_of(const struct lexicon *x, const char *text, bool is_stem)
{
    return x->slot[slot_of(x, text, is_stem)] - 1;
}

/* Adds a spelling that is new; returns its form, or -1 without room. */
static int add_form(struct lexicon *x, const char *text, int meaning, bool is_stem)
{
    int slot = slot_of(x, text, is_stem);
    if (x->slot[slot] || x->form_count == FORMS_MAX)
        return x->slot[slot] - 1;
    struct form *form = &x->form[x->form_count++];
    snprintf(form->text, sizeof form->text, "%s", text);
    form->meaning = (short)meaning;
    form->is_stem = is_stem;
    return (x->slot[slot] = x->form_count) - 1;
}

/* A spelling of `meaning`, or with -1 of that of its stem, or a new one. */
static int add_word(struct lexicon *x, const char *text, int meaning)
{
    char stem[LEXICON_WORD_MAX];
    int form = form_of(x, text, false);
    if (form >= 0)
        return form;
    stem_of(text, stem);
    int like = form_of(x, stem, true);
    if (meaning < 0)
        meaning = like >= 0 ? x->form[like].meaning : x->meaning_count++;
    add_form(x, stem, meaning, true);
    return add_form(x, text, meaning, false);
}

static void add_same(struct lexicon *x, int row)
{
    char word[LEXICON_WORD_MAX];
    const char *at = same_words[row], *end = at + strlen(at);
    bool is_stop = row == STOP_ROW;
    for (int meaning = x->meaning_count++; lexicon_scan(&at, end, word);) {
        int form = is_stop ? add_form(x, word, x->meaning_count++, false) : add_word(x, word, meaning);
        if (form >= 0)
            x->form[form].is_stop = is_stop;
    }
}

/* The one word that the last ones make with `word`, how many those are going to `n`. */
static const char *joined(const struct lexicon *x, const struct lexicon_text *text, const char *word,
                          char both[2 * LEXICON_WORD_MAX], int *n)
{
    static const struct {
        const char *word[3], *meant; /* the last word stands first */
    } idioms[] = {
        {{"memory", "of", "out"}, "oom"},
        {{"host", "per"}, "node"},
        {{"if", "what"}, "<what-if>"},
        {{"happens", "what"}, "<what-if>"},
        {{"if", "changes", "what"}, "<what-if>"},
    };
    for (size_t i = 0; i < LENGTH(idioms); i++) {
        bool is_same = strcmp(idioms[i].word[0], word) == 0;
        for (*n = 0; is_same && *n < 2 && idioms[i].word[*n + 1]; ++*n)
            is_same = *n < text->count && strcmp(text->word[text->count - 1 - *n], idioms[i].word[*n + 1]) == 0;
        if (is_same)
            return idioms[i].meant;
    }
    snprintf(both, 2 * LEXICON_WORD_MAX, "%s%s", text->count ? text->word[text->count - 1] : "", word);
    int form = text->count ? form_of(x, both, false) : -1;
    *n = form >= 0 && form < x->same_count;
    return *n ? both : word;
}

static bool has_word(const struct lexicon *x, const char *word)
{
    char stem[LEXICON_WORD_MAX];
    stem_of(word, stem);
    return form_of(x, word, false) >= 0 || form_of(x, stem, true) >= 0;
}

/* Length of the first of two known words that make up an unknown one, as in heat|map; 0: none. */
static int split_at(const struct lexicon *x, const char *word)
{
    enum { LEAST = 3 };
    char first[LEXICON_WORD_MAX];
    int n = (int)strlen(word);
    int letters = (int)strcspn(word, "0123456789");
    snprintf(first, sizeof first, "%.*s", letters, word);
    if (letters > 1 && letters + (int)strspn(word + letters, "0123456789") == n && has_word(x, first))
        return letters; /* ndr400 */
    for (int i = LEAST; i + LEAST <= n && strspn(word, "abcdefghijklmnopqrstuvwxyz") == (size_t)n; i++) {
        snprintf(first, sizeof first, "%.*s", i, word);
        if (form_of(x, first, false) >= 0 && has_word(x, word + i))
            return i;
    }
    return 0;
}

void lexicon_add_typed(const struct lexicon *x, struct lexicon_text *text, const char *word)
{
    char first[LEXICON_WORD_MAX];
    bool is_known = has_word(x, word);
    int n = is_known ? 0 : *word != '_' && strchr(word, '_') ? (int)strcspn(word, "_") : split_at(x, word);
    snprintf(first, sizeof first, "%.*s", n, word);
    if (n)
        lexicon_add(x, text, first);
    word += n;
    if (*word == '_')
        lexicon_add_typed(x, text, word + 1);
    else
        lexicon_add(x, text, word);
}

void lexicon_add(const struct lexicon *x, struct lexicon_text *text, const char *word)
{
    char both[2 * LEXICON_WORD_MAX];
    int n;
    word = joined(x, text, word, both, &n);
    text->count -= n;
    if (text->count < LEXICON_WORDS_MAX)
        snprintf(text->word[text->count++], LEXICON_WORD_MAX, "%.*s", LEXICON_WORD_MAX - 1, word);
}

static void add_phrase(struct lexicon *x, short row, const char *at, const char *end)
{
    struct lexicon_text text = {0};
    char word[LEXICON_WORD_MAX];
    if (x->phrase_count + 1 == PHRASES_MAX)
        return;
    while (lexicon_scan(&at, end, word))
        lexicon_add(x, &text, word);
    x->phrase[x->phrase_count].row = row;
    x->phrase[x->phrase_count++].begin = x->word_count;
    for (int i = 0; i < text.count && x->word_count < PHRASE_WORDS_MAX; i++)
        x->word[x->word_count++] = (short)add_word(x, text.word[i], -1);
    x->phrase[x->phrase_count].begin = x->word_count;
}

static void add_phrases(struct lexicon *x, short row)
{
    for (const char *at = lexicon_rows[row].phrases; *at; at += *at == '|') {
        const char *end = at + strcspn(at, "|");
        add_phrase(x, row, at, end);
        at = end;
    }
}

/* Rare words weigh more. */
static void weigh(struct lexicon *x)
{
    static const double stop_weight = 0.12, least = 0.5, number_weight = 0.25, what_if_weight = 2;
    int rows[FORMS_MAX] = {0}, last[FORMS_MAX] = {0};
    for (int i = 0; i < x->phrase_count; i++)
        for (int k = x->phrase[i].begin; k < x->phrase[i + 1].begin; k++) {
            int meaning = x->form[x->word[k]].meaning;
            rows[meaning] += last[meaning] != x->phrase[i].row + 1;
            last[meaning] = x->phrase[i].row + 1;
        }
    for (int i = 0; i < x->form_count; i++) {
        int meaning = x->form[i].meaning;
        double rare = 1 - log(fmax(rows[meaning], 1)) / log(lexicon_row_count);
        const char *text = x->form[i].text;
        bool is_number = isdigit((unsigned char)*text) && strlen(text) <= 2;
        bool is_what_if = strcmp(text, "<what-if>") == 0;
        x->weight[meaning] = x->form[i].is_stop ? stop_weight : is_number ? number_weight
                             : is_what_if ? what_if_weight : fmax(least, rare);
    }
}

struct lexicon *lexicon_new(void)
{
    struct lexicon *x = calloc(1, sizeof *x);
    for (size_t i = 0; x && i < LENGTH(same_words); i++)
        add_same(x, (int)i);
    if (x)
        x->same_count = x->form_count;
    for (short i = 0; x && i < lexicon_row_count; i++)
        add_phrases(x, i);
    if (x)
        weigh(x);
    return x;
}

/* ---- looking up -------------------------------------------------------------------------------------------------- */

bool lexicon_is_stop(const struct lexicon *x, const char *text)
{
    int form = form_of(x, text, false);
    return form >= 0 && x->form[form].is_stop;
}

/* The shortest spelling with this prefix, or one within an edit distance of 1 (2 from eight letters on). */
static int nearest_form(const struct lexicon *x, const char *text, double *likeness)
{
    enum { BEGIN_LEAST = 4, SLIP_LEAST = 5, SLIPS_LEAST = 8 };
    size_t n = strlen(text), least = LEXICON_WORD_MAX;
    int found = -1, slips = n >= SLIPS_LEAST ? 2 : n >= SLIP_LEAST ? 1 : 0;
    bool is_figure = strcspn(text, "0123456789<") < n;
    for (int i = 0; i < x->form_count && !is_figure; i++) {
        const char *known = x->form[i].text;
        size_t m = strlen(known);
        if (x->form[i].is_stem || *known == '<')
            continue;
        if (n >= BEGIN_LEAST && m > n && m < least && strncmp(text, known, n) == 0) {
            found = i;
            least = m;
        }
        bool is_near = slips && m >= BEGIN_LEAST && m + 2 >= n && m <= n + 2 && *text == *known;
        int distance = is_near && least == LEXICON_WORD_MAX ? text_distance(text, known) : LEXICON_WORD_MAX;
        if (distance <= slips && (found < 0 || distance < slips)) {
            found = i;
            slips = distance;
        }
    }
    *likeness = least < LEXICON_WORD_MAX ? 0.9 : 0.8;
    return found;
}

struct lexicon_word lexicon_find(const struct lexicon *x, const char *text)
{
    static const double unknown_weight = 0.45;
    char stem[LEXICON_WORD_MAX];
    double likeness = 1;
    int form = form_of(x, text, false), found = form;
    stem_of(text, stem);
    if (found < 0)
        found = form_of(x, stem, true);
    if (found < 0)
        found = nearest_form(x, text, &likeness);
    if (found < 0)
        return (struct lexicon_word){-1, -1, unknown_weight, false, 0};
    return (struct lexicon_word){x->form[found].meaning, (short)form, x->weight[x->form[found].meaning], *text == '<',
                                 likeness};
}

bool lexicon_next(const struct lexicon *x, int *at, int *row, struct lexicon_words *out)
{
    if (*at >= x->phrase_count)
        return false;
    *row = x->phrase[*at].row;
    out->count = 0;
    for (int k = x->phrase[*at].begin; k < x->phrase[*at + 1].begin && out->count < LEXICON_WORDS_MAX; k++) {
        const struct form *form = &x->form[x->word[k]];
        out->word[out->count++] = (struct lexicon_word){form->meaning, x->word[k], x->weight[form->meaning],
                                                        *form->text == '<', 1};
    }
    ++*at;
    return true;
}
