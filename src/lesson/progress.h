/* src/lesson/progress.h - what a learner did in which lesson, in `lessons.yaml` of the state folder; nothing leaves the machine. */
#ifndef SHARDTOP_SRC_LESSON_PROGRESS_H
#define SHARDTOP_SRC_LESSON_PROGRESS_H

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

/** Counts an exercise of a kind. */
void progress_score(const char *kind, bool is_right);

/** From now on lessons go on where they were left, and what is done is kept; before that they do not. */
void progress_on(void);

#endif
