/* ui/command/lexicon.h - the words and phrases of ui/command/intent.def, ready to be compared with a request. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { LEXICON_WORDS_MAX = 24, LEXICON_WORD_MAX = 24 };

/** A word for comparison: synonyms and forms of one word share a meaning. */
struct lexicon_word {
    short meaning, form; /* -1: not in any phrase */
    double weight;       /* higher for rare words, low for stop words */
    bool is_figure;      /* <days>, or a name such as <model> */
    double likeness;     /* 1; less for a prefix or a typing error */
};

/** The words of a request or a phrase. */
struct lexicon_words {
    int count;
    struct lexicon_word word[LEXICON_WORDS_MAX];
};

/** Words as they were typed, several that are one joined: "fine tune" is finetune, "out of memory" oom. */
struct lexicon_text {
    int count;
    char word[LEXICON_WORDS_MAX][LEXICON_WORD_MAX];
};

/** A row of ui/command/intent.def. */
struct lexicon_row {
    const char *kind, *item, *phrases;
};

enum { LEXICON_ROWS_MAX = 192 };

extern const struct lexicon_row lexicon_rows[];
extern const int lexicon_row_count;

struct lexicon;

/** The lexicon; NULL without memory. Free with free(). */
struct lexicon *lexicon_new(void);

/** True for a stop word. */
bool lexicon_is_stop(const struct lexicon *lexicon, const char *text);

/** Adds a typed word; an unknown one may be split into two known ones, as in heatmap. */
void lexicon_add_typed(const struct lexicon *lexicon, struct lexicon_text *text, const char *word);

/** Adds a word. */
void lexicon_add(const struct lexicon *lexicon, struct lexicon_text *text, const char *word);

/** Looks up a typed word: exact, another form, a completion, or a near spelling. */
struct lexicon_word lexicon_find(const struct lexicon *lexicon, const char *text);

/** The next phrase from `*at` on of any row, in the order of the rows; false past the last one. */
bool lexicon_next(const struct lexicon *lexicon, int *at, int *row, struct lexicon_words *out);

/** The next word of a text in small letters: letters and digits, points before digits; false at its end. */
bool lexicon_scan(const char **at, const char *end, char out[LEXICON_WORD_MAX]);
