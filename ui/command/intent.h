/* ui/command/intent.h - what somebody asks for in plain words, with its numbers: "1.5T tokens in 30 days". */
#ifndef SHARDTOP_UI_COMMAND_INTENT_H
#define SHARDTOP_UI_COMMAND_INTENT_H

#include "core/plan/plan.h"

struct ui;

enum { INTENT_WORDS_MAX = 24, INTENT_WORD_MAX = 24, INTENT_NAME_MAX = PLAN_TEXT_MAX };

/** Words of a request or a phrase, each as the one that it stands for, and how much they count. */
struct intent_words {
    int count;
    double sum;
    bool is_said[INTENT_WORDS_MAX]; /* as it was typed; false: another word with the same meaning */
    double weight[INTENT_WORDS_MAX];
    char word[INTENT_WORDS_MAX][INTENT_WORD_MAX];
};

/** The figures of a request; NAN where it has none. */
#define INQUIRY_FIGURES(FIGURE)                                                                                        \
    FIGURE(tokens)         /* of the whole training */                                                                 \
    FIGURE(days)           /* until it ends */                                                                         \
    FIGURE(users)          /* at once */                                                                               \
    FIGURE(ms_per_token)                                                                                               \
    FIGURE(first_token)    /* seconds */                                                                               \
    FIGURE(context)        /* tokens */                                                                                \
    FIGURE(gpus)                                                                                                       \
    FIGURE(gib)            /* of a card */

/** What a request says; names are "" where it names none. */
struct inquiry {
#define FIGURE(name) double name;
    INQUIRY_FIGURES(FIGURE)
#undef FIGURE
    char model[INTENT_NAME_MAX], gpu[INTENT_NAME_MAX], framework[INTENT_NAME_MAX], method[INTENT_NAME_MAX];
    struct intent_words words;    /* a figure or name is a word such as <days> */
    char content[INTENT_NAME_MAX]; /* the words that say something, as they were typed */
};

/** Reads a request; `ui` knows the names of models and GPUs. */
void intent_read(const struct ui *ui, const char *query, struct inquiry *out);

enum { INTENT_EXACT = 985, INTENT_LEAST = 500, INTENT_FIGURE = 640 /* a figure that only this item asks for */,
        INTENT_HITS_MAX = 128 };

/** An item that a request asks for (`kind` as in ui/command/intent.def), and how well, as match_name() counts. */
struct intent_hit {
    const char *kind, *item;
    int score;
};

/** The items that a request asks for, in the order of ui/command/intent.def; returns how many. */
int intent_hits(const struct inquiry *inquiry, struct intent_hit out[INTENT_HITS_MAX]);

#endif
