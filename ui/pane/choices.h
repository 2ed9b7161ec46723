/* ui/pane/choices.h - panes whose rows are plans: Enter takes one, D shows what differs, p pins it. */
#ifndef SHARDTOP_UI_PANE_CHOICES_H
#define SHARDTOP_UI_PANE_CHOICES_H

#include "ui/pane/pane.h"
#include "ui/table.h"

/** Plans to choose from. */
struct choices {
    enum pane_id pane;
    const struct column *columns;
    int count; /* of columns */
    /** Whether the rows are about another plan than the screen's, so that none can be taken. */
    bool (*is_old)(const struct ui *ui);
    /** Whether rows may still change; they are dim then. */
    bool (*is_open)(const struct ui *ui);
    /** The plan of a row, blanks allowed. */
    void (*plan)(const struct ui *ui, int row, struct plan *out);
};

/** Draws the table of a pane. */
void choices_draw(const struct choices *choices, const struct ui *ui, struct canvas *canvas, int width, int height);

/** Writes how the selected row's plan differs from the screen's, and why. */
void choices_describe(const struct choices *choices, const struct ui *ui, char out[UI_MESSAGE_MAX]);

/** Makes the selected row's plan the screen's, one step back with undo. */
bool choices_take(const struct choices *choices, struct ui *ui);

/** Pins the selected row's plan as a baseline; `shows` opens what differs from it. */
void choices_pin(const struct choices *choices, struct ui *ui, bool shows);

/** Selects the row at `y` of the pane. */
void choices_click(const struct choices *choices, struct ui *ui, int y);

/** Writes what changes from one plan to the other: "tp 8 > 4 (dp 32)". */
void choices_label(const struct ui *ui, const struct plan *plan, char out[HISTORY_LABEL_MAX]);

#endif
