/* src/plan/offer.h - what an open question may be answered with, and how much depends on it. */
#pragma once

struct plan;
struct questions;

/**
 * Fills in the kind, the choices and the effect of every question: values of its first key that raise no error in
 * `plan`, and the memory of the fullest GPU between the first and the last of them. Those with the largest effect come
 * first.
 */
void questions_offer(const struct plan *plan, struct questions *questions);

/**
 * The questions of all that a plan was read from, as they are put to somebody: with those for its GPUs where the file
 * `left_hardware` (NULL: none did) left them open, without those that the plan answers, and with what may be answered.
 */
void questions_finish(const struct plan *plan, const char *left_hardware, struct questions *questions);
