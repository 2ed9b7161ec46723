/* src/course/tutor.h - a learner in a lesson: the step, what was answered, the plan as they changed it. */
#pragma once

#include "src/course/answer.h"
#include "src/course/play.h"

/** What a learner did in one step. */
struct tutor_step {
    int tries, hints; /* answers given; hints seen */
    bool is_right;    /* answered right, or the task was solved */
    bool is_shown;    /* the answer was shown after too many tries */
    bool is_seen;     /* the step was reached */
};

/** A lesson and the learner in it; zero-initialise, release with tutor_free(). */
struct tutor {
    struct play play;
    struct plan own; /* the plan as it is now */
    int step;
    bool is_edited;   /* `own` is not the step's plan */
    bool is_finished; /* the end was reached, now or before */
    struct tutor_step at[LESSON_STEPS_MAX];
};

enum { TUTOR_TRIES = 3 /* wrong answers, then the right one is shown */ };

/** Loads a lesson and goes to its first step. Returns 0, or -1 with faults added. */
int tutor_begin(struct tutor *tutor, const char *name_or_path, struct errors *errors);
void tutor_free(struct tutor *tutor);

/** Goes to a step, whose own plan counts from then on; false when there is no such step. */
bool tutor_go(struct tutor *tutor, int step);

/** The step of a number from 1 on, or of an id; -1 when there is none. */
int tutor_find(const struct tutor *tutor, const char *word);

/** The present step of the file. */
const struct lesson_step *tutor_step(const struct tutor *tutor);

/** The present step with its own plan, and with the learner's. */
struct moment tutor_now(struct tutor *tutor);
struct moment tutor_own(struct tutor *tutor);

/**
 * A plan that the learner made. False, and nothing changes, when the step's task leaves a changed key alone: `*key`.
 */
bool tutor_edit(struct tutor *tutor, const struct plan *plan, const char **key);

/** True when all that the step's task asks for is so in the learner's plan. */
bool tutor_is_solved(struct tutor *tutor);

/** How many of a task's conditions hold in the learner's plan, and of how many. */
int tutor_met(struct tutor *tutor, int *of);

/**
 * Takes an answer: what to say of it in fresh memory, several lines: how it is wrong, after the second a hint, after
 * the third the answer.
 */
char *tutor_answer(struct tutor *tutor, const char *typed);

/** The answer of the step's question with its reason, or its task's solution, in fresh memory; counts as shown. */
char *tutor_reveal(struct tutor *tutor);

/** The next hint in fresh memory; NULL when there is no more. */
char *tutor_hint(struct tutor *tutor);

/** How many questions and tasks there are, and how many were done. */
int tutor_score(const struct tutor *tutor, int *of);
