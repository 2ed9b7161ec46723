/* ui/pane/lesson_marks.h - where on the screen the values are that a lesson's step looks at. */
#pragma once

#include "core/plan/param.h"
#include "ui/term/canvas.h"
#include "ui/widget/layout.h"

#include <stdbool.h>

struct ui;

/** Looks up all places of the step on the screen as it is laid out; cheap when nothing has changed. */
void lesson_marks_update(struct ui *ui);

/** Selects the place that is looked at: a key's field, a value in the view, or its stage. */
void lesson_look(struct ui *ui);

/** True when the step looks at this row of a view whose columns are stages; `stage` -1: of any. */
bool lesson_marks_cell(const struct ui *ui, enum pane_id pane, int row, int stage);

/** True when the step looks at this cell of a table. */
bool lesson_marks_table(const struct ui *ui, enum pane_id pane, int row, int column);

/** True for the part `name` of memory (`root` "memory.") or time ("time.waterfall") that the step marks. */
bool lesson_marks_part(const struct ui *ui, const char *root, const char *name);

/** True when the step looks at a stage, a figure of the line above, a key. */
bool lesson_marks_stage(const struct ui *ui, int stage);
bool lesson_marks_figure(const struct ui *ui, int figure);
bool lesson_marks_key(const struct ui *ui, enum param key);

/** Marks a text that was drawn: as a selection is, and between `>` and `<` where there is a blank. */
void lesson_marks_draw(struct canvas *canvas, int x, int y, int width);
