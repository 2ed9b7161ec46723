/*
 * src/course/play.h - a lesson being played: the plan of each step, what follows from it, and texts filled in with it.
 */
#pragma once

#include "core/plan/plan.h"
#include "src/course/expr.h"
#include "src/course/lesson.h"

#include <stdbool.h>
#include <stddef.h>

struct outcome;

/** Which plan of a step: as it begins, when its task is solved, as the learner has it now. */
enum play_when { PLAY_START, PLAY_DONE, PLAY_OWN, PLAY_WHENS };

/** A lesson with the plans of its steps; zero-initialise, release with play_free(). */
struct play {
    struct lesson lesson;
    struct plan plan[LESSON_STEPS_MAX][PLAY_WHENS];
    struct outcome *outcome[LESSON_STEPS_MAX][PLAY_WHENS]; /* NULL until something is asked of it */
};

/**
 * Makes the plans of a lesson that was read, whose owner is the play from then on. Returns 0, or -1 with faults added.
 */
int play_begin(struct play *play, struct lesson *lesson, struct errors *errors);
void play_free(struct play *play);

/** lesson_load() and play_begin(). */
int play_load(struct play *play, const char *name_or_path, struct errors *errors);

/** A moment in a lesson. */
struct moment {
    struct play *play;
    int step;
    enum play_when when;
};

/** What follows from the plan of a moment. */
struct outcome *play_outcome(const struct moment *moment);

/**
 * True when a condition holds; what is unknown does not. `why` ("" without a fault) says what could not be evaluated.
 */
bool play_holds(const struct moment *moment, const char *condition, char *why);

/** True when all conditions of a list hold. */
bool play_all_hold(const struct moment *moment, const struct node *conditions);

/** The index of the first condition that does not hold, -1 when all do. */
int play_first_unmet(const struct moment *moment, const struct node *conditions);

/**
 * Appends a text with its templates filled in: {EXPR}, {EXPR|FORMAT}, {=EXPR|FORMAT}, {!TEXT}. Returns 0, or -1 with
 * what is wrong in `why`; what could be written then ends with a question mark.
 */
int play_fill(const struct moment *moment, const char *text, struct buffer *out, char *why);

/** play_fill() into fresh memory, for texts that were audited. */
char *play_text(const struct moment *moment, const char *text);

/** The right choice of a question, -1 when not exactly one is. */
int play_right_choice(struct play *play, const struct lesson_ask *ask);

/** The answer of a question that asks for a number; NAN when it is unknown. */
double play_answer(struct play *play, const struct lesson_ask *ask);

/** The moment at which the answer of a step's question is worked out. */
struct moment play_ask_moment(struct play *play, const struct lesson_ask *ask);
