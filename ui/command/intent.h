/* ui/command/intent.h - what somebody asks for in plain words, with its numbers: "1.5T tokens in 30 days". */
#pragma once

#include "core/plan/plan.h"
#include "ui/command/lexicon.h"

struct ui;

enum { INTENT_NAME_MAX = PLAN_TEXT_MAX };

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
    struct lexicon_text words;     /* a figure or name is a word such as <days> */
    char content[INTENT_NAME_MAX]; /* the words that say something, as they were typed */
    struct lexicon_text said;      /* those words one by one */
    double weight[LEXICON_WORDS_MAX], weights; /* of each of them, and their sum */
};

/** Reads a request; `ui` has the names of models and GPUs. Without a lexicon the request has no words. */
void intent_read(const struct ui *ui, const struct lexicon *lexicon, const char *query, struct inquiry *out);

enum { INTENT_EXACT = 985, INTENT_LEAST = 500, INTENT_FIGURE = 640 /* a figure that only this item takes */ };

/** An item that a request asks for (`kind` as in ui/command/intent.def), and how well, as match_name() counts. */
struct intent_hit {
    const char *kind, *item;
    int score;
};

/** The items that a request asks for, in the order of ui/command/intent.def; returns how many. */
int intent_hits(const struct lexicon *lexicon, const struct inquiry *inquiry, struct intent_hit out[LEXICON_ROWS_MAX]);
