/*
 * ui/pane/choices.h - panes whose rows are plans: Enter takes one, D shows what differs, p pins it. The view in use is
 * meant.
 */
#pragma once

#include "ui/pane/pane.h"
#include "ui/widget/table.h"

/** Plans to choose from: what a pane points to. */
struct choices {
    const struct column *columns;
    int count; /* of columns */
    const struct column *page; /* from `page_least` columns on, instead; NULL: none */
    int page_count, page_least;
    int reserved; /* columns that the first one leaves when it grows with its texts; 0: it does not grow */
    /** Whether the rows are about another plan than the screen's, so that none can be taken. */
    bool (*is_old)(const struct ui *ui);
    /** Whether rows may still change; they are dim then. */
    bool (*is_open)(const struct ui *ui);
    /** The plan of a row, blanks allowed. */
    void (*plan)(const struct ui *ui, int row, struct plan *out);
};

/** Draws the table of a pane. */
void choices_draw(const struct ui *ui, enum pane_id pane, struct canvas *canvas, int top, int width, int height);

/** Writes how the selected row's plan differs from the screen's, and why. */
void choices_describe(const struct ui *ui, char out[UI_MESSAGE_MAX]);

/**
 * Names the changes of a sentence of diff_text() as lists do, "tp 4, dp 2": from the screen's plan to that of
 * ui->scratch.
 */
void choices_name_changes(const struct ui *ui, char *sentence, size_t size);

/** Columns that the message line has for a sentence. */
int choices_room(const struct ui *ui);

/** Writes a sentence of diff_text() as there is room for it: reasons go before figures, and a cut ends in '~'. */
void choices_shorten(const struct ui *ui, char *sentence, char out[UI_MESSAGE_MAX]);

/** Makes the selected row's plan the screen's, one step back with undo. */
bool choices_take(struct ui *ui);

/** Pins the selected row's plan as a baseline. */
void choices_pin(struct ui *ui);

/** The same, and opens what differs from it. */
void choices_compare(struct ui *ui);

/** Writes what changes from one plan to the other: "tp 8 > 4 (dp 32)". */
void choices_label(const struct ui *ui, const struct plan *plan, char out[HISTORY_LABEL_MAX]);
