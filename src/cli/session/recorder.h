/*
 * src/cli/session/recorder.h - `lesson --record`: the plans that are made on the screen, as the steps of a lesson's
 * file.
 */
#pragma once

#include "src/course/lesson.h"

struct plan;

/** The lesson in the making; zero-initialise, release with recorder_free(). */
struct recorder {
    char *path; /* NULL: none is made */
    char name[LESSON_NAME_MAX + 1];
    struct plan *plan;
    int count;
};
void recorder_free(struct recorder *recorder);

/**
 * From now on plans go into `path`, which must not be there yet; it gets its name. Returns 0, or -1 with a fault added.
 */
int recorder_begin(struct recorder *recorder, const char *path, struct errors *errors);

/**
 * Takes a plan and writes the file: the plan before the last one takes the last step back, one that is the last adds
 * none.
 * Returns 0, or -1 with what is wrong in `message` (UI_MESSAGE_MAX bytes).
 */
int recorder_take(struct recorder *recorder, const struct plan *plan, char *message);
