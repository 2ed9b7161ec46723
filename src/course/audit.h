/* src/course/audit.h - whether what a lesson says is so: templates, claims, numbers, questions, tasks. */
#pragma once

struct errors;
struct play;

/**
 * Adds a fault for everything in a lesson that is not so: a plan that is refused, or is not where it should be; a
 * template, a unit or a place to look at that does not exist; a claim that is false; a number in a note that is typed;
 * a question without exactly one right answer; a task that is solved before it begins, or not by its solution; a text
 * too long for the screen.
 */
void lesson_audit(struct play *play, struct errors *errors);
