/* ui/state/baseline.h - plans that were pinned to compare with: up to nine, one of them at a time. */
#pragma once

#include "ui/state/state.h"

/** Makes `ui->baseline` that of a plan, pinned or not. */
void baseline_estimate(struct ui *ui, const struct plan *plan);

/** Pins a plan and compares with it; one that is pinned already is not pinned again. */
void baseline_pin(struct ui *ui, const struct plan *plan);

/** Compares with baseline `number`, from 1. */
void baseline_choose(struct ui *ui, int number);

/** Forgets baseline `number`; those after it move up. */
void baseline_unpin(struct ui *ui, int number);

/** Pins again what was unpinned last, while the plan is the same; false where there is nothing to bring back. */
bool baseline_repin(struct ui *ui);

/** Gives baseline `number` a name. */
void baseline_name(struct ui *ui, int number, const char *name);

/** Gives baseline `number` a note; "" takes it away. */
void baseline_note(struct ui *ui, int number, const char *note);

/** After a step called `label` was undone or done again: of a swap the baseline becomes the plan that was left. */
void baseline_unswap(struct ui *ui, const char *label, const struct plan *left);

/** Makes the baseline the plan. */
void baseline_back(struct ui *ui);

/** Makes the baseline the plan, and the plan that baseline. */
void baseline_swap(struct ui *ui);

/** "pp 4 -> 2" for a step that keys made, against the baseline; several keys of one step are separated by commas. */
void baseline_step(const struct ui *ui, const struct waterfall_step *step, char *out, size_t size);

/**
 * What each key that differs from the baseline adds to a figure when they are changed in the order in which the user
 * did, as far as that is known.
 */
void baseline_changes(struct ui *ui, const struct waterfall_figure *figure, struct waterfall *steps);

/** Whether so few keys differ that the mean over all orders takes no time that is noticed. */
bool baseline_has_mean(const struct ui *ui);

/** The step of the same keys in the mean over all orders; NAN where that is no other, or has no such step. */
double baseline_mean(const struct waterfall *mean, const struct waterfall_step *step);
