/*
 * src/course/progress.h - what a learner did in which lesson, in `lessons.yaml` of the state folder; nothing leaves the
 * machine.
 */
#pragma once

#include <stdbool.h>

struct tutor;

/** How far a lesson is. */
struct progress {
    int done, of; /* questions and tasks */
    int seen;     /* steps */
    bool is_finished;
};

/** Goes where the learner left the lesson, with what was answered; steps that have gone are forgotten. */
void progress_resume(struct tutor *tutor);

/** Keeps where the learner is. A folder that cannot be written is no reason to stop: returns -1 then. */
int progress_keep(const struct tutor *tutor);

/** The step at which this lesson was left, whoever played it; -1 where it was not begun. */
int progress_step(const struct tutor *tutor);

/** What is kept of a lesson; all zero where it was not begun. */
struct progress progress_of(const char *name);

enum { PROGRESS_BOXES = 5, PROGRESS_LAST = 10 };

/** What is kept of the exercises of a kind. */
struct progress_kind {
    int asked, right, first; /* first: right at the first answer */
    /* Leitner's, 1 to PROGRESS_BOXES: one up with each right first answer, back to 1 when not found */
    int box;
};
struct progress_kind progress_kind_of(const char *kind);

/** How many of the last PROGRESS_LAST exercises of a level were right at the first answer, and of how many. */
int progress_level_of(int level, int *of);

/** Counts an exercise of a kind and level. */
void progress_score(const char *kind, int level, bool is_right, bool is_first);

/** From now on lessons go on where they were left, and what is done is kept; before that they do not. */
void progress_on(void);
bool progress_is_on(void);
