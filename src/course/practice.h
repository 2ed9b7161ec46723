/*
 * src/course/practice.h - somebody who practises: questions one after the other, what is said to answers, the score
 * that is kept.
 */
#pragma once

#include "src/course/exercise.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    PRACTICE_MOST = 1000,
    PRACTICE_TRIES = 3,
    PRACTICE_PASS = 8 /* of the last ten right at the first answer: a level is passed */
};

/** Who practises, and what; the question is there once practice_go() was called. */
struct practice {
    uint64_t seed;
    unsigned kinds;  /* bit set; 0: all */
    int level;       /* 1 to EXERCISE_LEVELS */
    bool is_drawn;   /* kinds come by what is known least, as the kept boxes have it; else they take turns */
    int asked, right; /* so far; right: at the first answer */
    struct exercise exercise;
    unsigned char kind[PRACTICE_MOST + 1]; /* of questions whose kind was drawn, counted from 1; 0: not yet */
    int tries;
    bool is_done; /* answered right, or the answer was said */
};

/** Makes question `number` (from 1); false when there is none. */
bool practice_go(struct practice *practice, int number);

/** Takes an answer: what to say of it in fresh memory, with the answer after the right one and after the last try. */
char *practice_answer(struct practice *practice, const char *typed);

/** The answer in fresh memory; the question is done. */
char *practice_reveal(struct practice *practice);

/** "fits in box 2 of 5; level 2: 7 of the last 10 right at the first answer, 8 of 10 pass it" in fresh memory. */
char *practice_score(const struct practice *practice);

/** Reads kinds ("fits,bubble") into a bit set; false, with the word that is none in `wrong` (`size` bytes). */
bool practice_kinds(const char *text, unsigned *out, char *wrong, size_t size);
