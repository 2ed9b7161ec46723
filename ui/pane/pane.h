/* ui/pane/pane.h - a pane is a const struct of functions; all of them are listed in one array. */
#pragma once

#include "core/show/components.h"
#include "core/show/figure.h"
#include "ui/widget/bar.h"
#include "ui/term/canvas.h"
#include "ui/state/state.h"
#include "ui/widget/units.h"

enum { SUBTITLE_MAX = 200 }; /* bytes */

/** A key of a view: while the view has the focus it comes before the key's general meaning. */
struct view_key {
    int key;          /* 0 ends a list */
    const char *hint; /* on the hint line; NULL: not there */
    const char *help;
    void (*run)(struct ui *ui);
};

struct choices;

/** A member of struct ui. */
struct pane_member {
    size_t at, size;
};
#define PANE_MEMBER(member) {offsetof(struct ui, member), sizeof ((struct ui *)0)->member}

/** One pane. Forms share their functions; views have their own. */
struct pane {
    const char *title; /* "Traffic" */
    /** What its title asks beside others: "What would be faster"; NULL: the title itself. */
    const char *(*question)(const struct ui *ui);
    /** Rows it would like, its title included. */
    int (*wish)(const struct ui *ui);
    /** Rows that can be selected. */
    int (*rows)(const struct ui *ui);
    /** Columns that can be selected, or NULL. */
    int (*columns)(const struct ui *ui);
    /** What it shows, in which unit: wordings "a|b". */
    void (*subtitle)(const struct ui *ui, char out[SUBTITLE_MAX]);
    /** What stands at the right end of its title, or NULL. */
    void (*note)(const struct ui *ui, char out[SUBTITLE_MAX]);
    /** What it shows, in a sentence for those who look on; or NULL. */
    void (*sentence)(const struct ui *ui, char out[UI_MESSAGE_MAX]);
    /** Draws into the clip, which is `width` x `height`. */
    void (*draw)(const struct ui *ui, struct canvas *canvas, int width, int height);
    /** The value under the selection, for explain; returns false when there is none. */
    bool (*path)(const struct ui *ui, char path[EXPLAIN_PATH_MAX]);
    /** Writes what the selected row means, for the message line, or NULL. */
    void (*describe)(const struct ui *ui, char out[UI_MESSAGE_MAX]);
    /** Moves the selection its own way, or NULL; returns false when it stays. */
    bool (*move)(struct ui *ui, int dx, int dy);
    /** Selects what was clicked, at ui->pressed.link and this position of the pane; NULL: rows are all there is. */
    void (*click)(struct ui *ui, int x, int y);
    /** Turns the wheel at this row of the pane another way than up and down, or NULL; false where it does not. */
    bool (*wheel)(struct ui *ui, int y, int by);
    /** Opens what is under the selection, or NULL; returns false when that is its explanation. */
    bool (*open)(struct ui *ui);
    /** What it shows follows from pane_signature() alone, so that it is drawn only when that changes. */
    bool is_steady;
    /** Nothing of it is on the screen of all views: with the focus it takes the width of a narrow screen. */
    bool is_page;
    /** Beside others it is drawn when no key waits. */
    bool is_extra;
    /** Members of struct ui that it shows beside those that all views show (ui/draw.c), ended by size 0; or NULL. */
    const struct pane_member *members;
    /** It has a meaning for plans that train alone: no tab while one serves. */
    bool is_hidden_in_serving;
    /** Its own keys, or NULL; without a meaning for a plan that serves where they are `of_training`. */
    const struct view_key *keys;
    bool of_training;
    /** Whether one of them does something now; NULL: each does. */
    bool (*does)(const struct ui *ui, int key);
    /** What its rows are, where they are plans to choose from (ui/pane/choices.h); or NULL. */
    const struct choices *choices;
    /** Before drawing, when the pane is on the screen and no keys wait: works out what only it shows; or NULL. */
    void (*update)(struct ui *ui);
};

/** The views; forms (before PANE_FORMS) have NULL here. */
extern const struct pane *const panes[PANE_COUNT];

/** What ui/pane/view.def has of a view. */
struct view_row {
    const char *name; /* for :view and help */
    int key;          /* 0 for none */
    enum action action;
};
extern const struct view_row view_rows[PANE_COUNT];

/** The view that an action shows; -1 for none. */
int view_of_action(enum action action);

/** The keys of the view that has the focus; NULL where no view has it, or it has none for this plan. */
const struct view_key *pane_own_keys(const struct ui *ui);

/** Whether the focused pane has the whole body: the user zoomed it, or it needs the width of a narrow screen. */
bool pane_is_zoomed(const struct ui *ui);

/** True when several views are on the screen, each with a title of its own. */
bool pane_is_beside(const struct ui *ui);

/** True when one view is on the screen, below a row with the names of all. */
bool pane_has_tabs(const struct ui *ui);

/** The rectangle of what a view shows, below its title; of height 0 when it is not on the screen. */
struct rect pane_inside(const struct ui *ui, enum pane_id pane);

/** True when one figure is shown to those who look on, without a lesson beside it. */
bool pane_is_lecture(const struct ui *ui);

/** True when the keys go to this form or view. */
bool pane_has_focus(const struct ui *ui, enum pane_id pane);

/** Selects the row of the pane that was clicked, if one was. */
void pane_click_row(struct ui *ui, enum pane_id pane);

/** Draws a form: title and fields. */
void form_draw(const struct ui *ui, struct canvas *canvas, enum pane_id form, int width, int height);

/** Who set a value, in a word: "default", "preset", "derived", "assumed"; "" for the user. */
const char *form_origin(const struct plan *resolved, enum param id);

/** The field shown in row `y` of a form pane of this height; -1 for the title or none. */
int form_hit(const struct ui *ui, enum pane_id form, int height, int y);

/** The views. */
#define VIEW(id, ...) extern const struct pane pane_##id;
#include "ui/pane/view.def"
#undef VIEW

/** What memory and time hand over to for a plan that serves: what one GPU of a replica holds, what batches give. */
extern const struct pane pane_serving, pane_curve;

/** Says why there is nothing to show: findings instead of numbers. Returns false when there is something. */
bool pane_draw_unavailable(const struct ui *ui, struct canvas *canvas, int width, enum pane_id pane);

enum { FOLD_NAME_MAX = 16 /* bytes */, PANE_TABLE_LEAST = 9 /* rows of a table below bars, its title included */ };

/** Stages in a row whose memory and time are the same; returns how many folds there are. */
int stage_folds(const struct estimate *estimate, struct fold out[STAGES_MAX]);

/** Writes "s0" or "s1-s6". */
void fold_name(const struct fold *fold, char out[FOLD_NAME_MAX]);

/** The fold that holds a stage. */
int fold_of(const struct fold folds[], int count, int stage);

/**
 * The fold of column number `column` of `columns` of a table that has the stage's own fold in front; stages at which a
 * lesson looks take the last ones where they had none.
 */
int stage_column(const struct ui *ui, const struct fold folds[], int count, int stage, int column, int columns);

/** Bars of all stages: a row each, or several under --present. */
struct stage_bars {
    enum pane_id pane;        /* whose focus marks the chosen stage */
    int stage, decides;       /* the chosen one; the one with `*` */
    double scale, limit, low, high; /* as of a bar; the range is that of the one that decides */
    int (*parts)(const struct estimate *estimate, int stage, struct bar_part out[]); /* COMPONENTS_MAX at most */
    bool has_all; /* where not all stages have a row, the last row has a column for each */
    char warned; /* the letter of the part that is drawn in the colour of a warning; 0 for none */
    struct figure (*number)(const struct estimate *estimate, int stage);             /* behind the bar */
    bool (*is_over)(const struct estimate *estimate, int stage);                     /* more than there is; or NULL */
};

/** Rows that the bars take of `room`. */
int stage_bar_rows(const struct ui *ui, int room);

/** Shows the stage whose bar was clicked; returns the letter of the part, 0 for none. */
char stage_bar_click(struct ui *ui);

/** Draws the row above the bars: what their width means, and the unit of the numbers. */
void stage_bars_head(const struct ui *ui, struct canvas *canvas, const char *scale, const char *unit, int width,
                     int rows);

/** Draws the axis below the bars: round values, and how much there is. */
void stage_bars_axis(const struct ui *ui, struct canvas *canvas, const struct stage_bars *bars, int y, int width);

/** Draws the bars into `rows` rows from `y` on; returns the row after. */
int stage_bars_draw(const struct ui *ui, struct canvas *canvas, const struct stage_bars *bars, int y, int width,
                    int rows);

/**
 * What the page of a path is about: the value, or where that is but another name the value that it stands for, and
 * which of its inputs are shown: those that count in this plan. Returns how many, -1 when there is nothing to explain.
 */
int explain_page(const struct ui *ui, const char *path, struct explanation *x, int rows[EXPLAIN_INPUTS_MAX]);

/**
 * Opens the line that begins a sweep, with the selected field and values for it; behind the key of a sweep of one other
 * key, so that both make a map.
 */
void sweep_ask_field(struct ui *ui);

/** Shows the schedule at the first wait of the selected stage. */
void schedule_first_wait(struct ui *ui);

/** Finds the keys at the bottom of a value and, where that is asked for, what changed it since the baseline. */
void explain_update(struct ui *ui, const char *path);

/** Opens a value in the explain overlay, or on its own: page of `path` with input row `row` selected (-1: none). */
void explain_draw(const struct ui *ui, struct canvas *canvas, int width, int height, const char *path, int row);

/** Lets the next key run along the curve of pane_curve: batch, prompt, tp. */
void curve_next(struct ui *ui);

/** What runs along it: "users". */
const char *curve_title(const struct ui *ui);

/** Whether this value of it is the plan's. */
bool curve_is_now(const struct ui *ui, double value);

/** Finds its points, once for a plan. */
void curve_update(struct ui *ui);

/** Draws the letter of a part of the iteration (core/show/time_parts.h). */
void time_mark(struct canvas *canvas, int x, int y, int part);

/** Draws a component's letter. */
void component_mark(struct canvas *canvas, int x, int y, const struct component *component);

/** A component as a part of a bar. */
struct bar_part component_part(const struct component *component, double bytes);

/** Draws what the plan is, whether it fits, and its headline figures. */
void header_draw(const struct ui *ui, struct canvas *canvas);

/** Draws figures in a line, two columns after `x`, what they are behind them; returns the column after. */
int header_draw_line(const struct ui *ui, struct canvas *canvas, int x, int width);

/** Draws the verdict alone: at 1x1 its first letter. */
void header_draw_tiny(const struct ui *ui, struct canvas *canvas);

/** Brings layout and hints up to date before drawing. */
void ui_update(struct ui *ui);

/** Draws the whole screen. */
void ui_draw(const struct ui *ui, struct canvas *canvas);
