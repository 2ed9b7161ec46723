/* src/course/plain.h - a lesson line by line: for terminals without a screen, screen readers, logs and handouts. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct buffer;
struct lesson_step;
struct tutor;

/**
 * Appends the present step: settings, figures beside those of the step before, note, what to look at, question, task.
 */
void plain_step(struct tutor *tutor, struct buffer *out);

/** Appends what a step sets: "set tp 2"; nothing where it sets nothing. */
void plain_set(const struct lesson_step *step, struct buffer *out);

/**
 * Appends what the present step sets and what that gives: "set parallel.tp 2; peak -37.6 GiB, iteration +554 ms"; or
 * nothing.
 */
void plain_change(struct tutor *tutor, struct buffer *out);

/**
 * Plays a lesson on lines: answers, `n` next, `back`, `g STEP`, `h` hint, `r` reset, KEY=VALUE, `q`. Where `in` ends
 * and is no terminal, the steps that are left are written too. Returns when the learner leaves.
 */
void plain_play(struct tutor *tutor, FILE *in, bool is_terminal, FILE *out);
