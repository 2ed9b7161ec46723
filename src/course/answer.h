/* src/course/answer.h - what a learner answers and does: right, or how it is wrong. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct lesson_ask;
struct lesson_task;
struct plan;
struct play;
struct unit_format;

enum { ANSWER_TEXT_MAX = 240 };

/** What became of an answer. */
enum answer_kind { ANSWER_RIGHT, ANSWER_WRONG, ANSWER_UNREADABLE };

/**
 * Judges what was typed: a choice by letter, by number or by the beginning of its text, or a number with or without a
 * unit. `said` (ANSWER_TEXT_MAX bytes) gets how a wrong number is wrong: a slip of the unit, a factor that the plan
 * knows, too high or too low.
 */
enum answer_kind answer_judge(struct play *play, int step, const char *typed, char *said);

/** Says how a wrong number is wrong: a slip of the unit, a factor that the resolved plan knows, too high or too low. */
void answer_say_wrong(const struct plan *plan, double answer, double given, char said[ANSWER_TEXT_MAX]);

/** The right answer as the question's unit has it, in fresh memory. */
char *answer_text(struct play *play, const struct lesson_ask *ask);

/** The unit of a question that asks for a number; false when there is no such unit. */
bool answer_unit(const struct lesson_ask *ask, struct unit_format *out);

/** How far from `answer` an answer may be, in the result's unit; false when `within` cannot be read. */
bool answer_within(const struct lesson_ask *ask, double answer, double *out);

/** True when a task leaves `key` to the learner. */
bool task_is_free(const struct lesson_task *task, const char *key);

/** A key that differs between two plans and that the task does not leave free; NULL for none. */
const char *task_touched(const struct lesson_task *task, const struct plan *before, const struct plan *after);
