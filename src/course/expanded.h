/* src/course/expanded.h - a lesson with its plans and texts worked out, as JSON for other front ends. */
#pragma once

#include <stdbool.h>

struct buffer;
struct play;

/**
 * Appends an object: what the lesson is, and its steps with plan, note, places to look at, question and task; `answers`
 * with those.
 */
void expanded_json(struct buffer *out, struct play *play, bool answers);
