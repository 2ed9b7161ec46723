/*
 * core/plan/question.h - what an input left open: the variable, the keys that it decides, what was assumed meanwhile.
 */
#pragma once

#include "core/plan/key.h"

#include <stdbool.h>

enum { QUESTION_TEXT_MAX = 96, QUESTION_KEYS_MAX = 12, QUESTIONS_MAX = 32 };

/** What is asked for. */
enum question_kind {
    QUESTION_SETTING, QUESTION_ENVIRONMENT, QUESTION_ARGUMENT, QUESTION_PLACEHOLDER, QUESTION_FILE, QUESTION_TOKENIZER,
    QUESTION_MODEL, QUESTION_GPU, QUESTION_GPU_COUNT, QUESTION_KINDS
};

/** Names of the kinds. */
extern const char *const question_kind_names[QUESTION_KINDS];

/** One variable; texts are safe for a terminal. */
struct question {
    char variable[QUESTION_TEXT_MAX]; /* "TP", "$1", "Llama2Tokenizer", "GPUs" */
    char assumed[QUESTION_TEXT_MAX];  /* the value taken meanwhile; "" where none was */
    char where[QUESTION_TEXT_MAX];    /* "run.sh:12" */
    char how[QUESTION_TEXT_MAX];      /* how it is answered: "--env TP=N" */
    int16_t decides[QUESTION_KEYS_MAX]; /* enum param */
    int count;                        /* of keys */
    enum question_kind kind;
    char choices[QUESTION_TEXT_MAX];  /* values that work, separated by blanks; "" for any */
    /* memory of the fullest GPU between the first and the last of them; NAN: not known */
    double effect_bytes;
    bool has_words;                   /* the choices are the input's own words, such as branches of `case` */
    bool is_foreign;                  /* a setting of the input that no table has, judged by the words of its name */
    bool is_uncertain;                /* a value was read, but whether it holds depends on something not known */
};

/** All of them, in the order in which they were met. */
struct questions {
    int count;
    struct question item[QUESTIONS_MAX];
    char hidden[QUESTION_TEXT_MAX]; /* words of the command whose flags are unknown, such as "$@"; "" for none */
};

/** Adds a key to the question about a variable, which is made when it is new; all texts are copied. */
void question_ask(struct questions *questions, const struct question *question, enum param key);

/** The first question that decides a key; NULL for none, or without a list. */
const struct question *question_about(const struct questions *questions, enum param key);

/** Appends the questions of another list. */
void questions_join(struct questions *to, const struct questions *from);

/** Leaves out keys to which `plan` has an answer by now, and questions without keys. */
void questions_settle(struct questions *questions, const struct plan *plan);

/**
 * True when the verdict on a resolved plan hangs on a guess: a shape or a parallel size was assumed. `fits`: 1 where it
 * fits as it is, so that what could only split it further decides nothing; -1 where it does not, so that images, which
 * could only make it larger, decide nothing; 0 in between. `of_any`: it is the same on any number of GPUs.
 */
bool question_is_decisive(const struct plan *resolved, int fits, bool of_any);

/** Whether the verdict depends on this one of them; same arguments. */
bool question_decides(const struct plan *resolved, enum param key, int fits, bool of_any);

/** The keys of which question_is_decisive() speaks; PARAM_COUNT ends the list. */
extern const enum param question_decisive[];
