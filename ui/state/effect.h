/* ui/state/effect.h - what a step of the selected field or a typed value would do. */
#pragma once

#include "ui/state/state.h"

/** Works out what a step of the selected field would give, unless that is known; and the values that work. */
void effect_of_steps(struct ui *ui);

/** What was worked out about the selected field, or NULL while there is nothing yet. */
const struct hints *effect_hints(const struct ui *ui);

/** Works out what the text being typed would give. */
void effect_of_typed(struct ui *ui);

/** Works out what `plan` would give, with `id` as the changed key. */
void effect_of_plan(struct ui *ui, const struct plan *plan, enum param id, struct effect *effect);

/**
 * Writes an effect into `room` columns: "+ 16: 31.0 GiB, +8.5 s (dp 4)", "- 4: 86.6 GiB, 7.5 over, -12.6 s"; parts that
 * have no room are left out. Times are compared with those of the plan that is shown. Of a plan that does not work it
 * says which key is wrong: "+ 4: INVALID pp".
 */
void effect_text(const struct ui *ui, const struct effect *effect, const char *sign, int room, char *out, size_t size);

/** The same without sign and value: "31.0 GiB, +8.5 s (dp 4)". */
void effect_figures(const struct ui *ui, const struct effect *effect, int room, char *out, size_t size);
