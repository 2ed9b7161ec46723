/*
 * src/course/follow.h - a presenter's notes on a second terminal: the steps that another run of the lesson is at, with
 * answers.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct tutor;

/**
 * Prints the step that the kept progress is at, with answer and next step, unless it is `*shown` already (-1: none).
 */
void follow_look(struct tutor *tutor, int *shown, FILE *out);

/** Does so ten times a second until `out` takes no more. */
void follow_play(struct tutor *tutor, FILE *out);
