/* src/course/handout.h - a lesson on paper: Markdown with figures beside it. */
#pragma once

#include <stdbool.h>

struct errors;
struct play;

/**
 * Writes NAME.md into a folder, which must be there, and beside it the plan, NAME-STEP.svg for every step whose view
 * has a figure, and the plan of a step that is far from the first one: title, goal, plan, each step with its settings,
 * note, figure, the command that draws it again, and question, the words of the lesson, with `answers` a last
 * page of them. The same program writes the same bytes. Returns 0, or -1 with faults added.
 */
int handout_write(struct play *play, const char *folder, bool answers, struct errors *errors);
