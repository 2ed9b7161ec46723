/* ui/command/lexicon.h - the words and phrases of ui/command/intent.def, ready to be compared with a request. */
#ifndef SHARDTOP_UI_COMMAND_LEXICON_H
#define SHARDTOP_UI_COMMAND_LEXICON_H

#include <stdbool.h>
#include <stddef.h>

enum { LEXICON_WORDS_MAX = 24, LEXICON_WORD_MAX = 24 };

/** A word as it is compared: words that mean the same, and forms of one word, share their meaning. */
struct lexicon_word {
    short meaning, form; /* -1: a word that no phrase has */
    double weight;       /* the rarer, the more; little for words such as "the" */
    bool is_figure;      /* <days>, or a name such as <model> */
    double likeness;     /* 1; less for a beginning, or for a slip of the fingers */
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

enum { LEXICON_ROWS_MAX = 128 };

extern const struct lexicon_row lexicon_rows[];
extern const int lexicon_row_count;

struct lexicon;

/** The lexicon; NULL without memory. Free with free(). */
struct lexicon *lexicon_new(void);

/** True for a word that says little. */
bool lexicon_is_stop(const struct lexicon *lexicon, const char *text);

/** Adds a word that somebody typed: one that is unknown may be two that are known, as in heatmap. */
void lexicon_add_typed(const struct lexicon *lexicon, struct lexicon_text *text, const char *word);

/** Adds a word. */
void lexicon_add(const struct lexicon *lexicon, struct lexicon_text *text, const char *word);

/** The word that somebody typed: as it is spelled, another form of it, one that it begins, or one a slip away. */
struct lexicon_word lexicon_find(const struct lexicon *lexicon, const char *text);

/** The next phrase from `*at` on of any row, in the order of the rows; false past the last one. */
bool lexicon_next(const struct lexicon *lexicon, int *at, int *row, struct lexicon_words *out);

/** The next word of a text in small letters: letters and digits, points before digits; false at its end. */
bool lexicon_scan(const char **at, const char *end, char out[LEXICON_WORD_MAX]);

#endif
