/* ui/widget/layout.h - where everything goes: a pure function from sizes to rectangles. */
#pragma once

#include "ui/term/rect.h"

#include <stdbool.h>

/** The panes: forms on the left, views of the results on the right. */
enum pane_id {
    PANE_PARALLEL, PANE_MODEL, PANE_TRAIN, PANE_HARDWARE, PANE_FRAMEWORK, PANE_SERVE, PANE_RL,
    PANE_FORMS, PANE_BEFORE_VIEWS = PANE_FORMS - 1,
#define VIEW(id, ID, ...) PANE_##ID,
#include "ui/pane/view.def"
#undef VIEW
    PANE_COUNT
};

/** What a screen has room for beside each other. */
enum layout_views {
    VIEWS_NONE,  /* a field and bars, or one view */
    VIEWS_ONE,   /* the forms; memory, time and changes above each other, the schedule where there is room */
    VIEWS_BROAD, /* the forms, memory and time, changes and devices, the schedule */
    VIEWS_WIDE,  /* the same with traffic and layouts */
};

/** The shape of a screen: every size at which it changes stands in layout_shape(). */
struct layout_shape {
    enum layout_views views;
    int form_width; /* columns of the forms where they stand beside views */
    int hint_gap;   /* columns between the items of the hint line */
};

/** The shape of a screen of this size. */
struct layout_shape layout_shape(int width, int height);

enum { LESSON_COLUMN = 60, /* columns of a lesson beside the panes */
       BIG_FIGURES = 5, /* rows of headline figures that are read from afar */
       LESSON_WIDTH = 100, LESSON_HEIGHT = 30 /* from which its text and one figure share the screen */ };

/** Everything that decides the geometry. */
struct layout_ask {
    int width, height;
    int fields[PANE_FORMS]; /* all fields of a form */
    int brief[PANE_FORMS];  /* those shown where there is little room */
    int wish[PANE_COUNT];   /* rows a view would like, its title included */
    enum pane_id form;      /* the form that holds the selected field */
    enum pane_id view;      /* the view that was chosen last */
    bool is_view_focused;
    bool is_zoomed;         /* the focused pane takes the whole body */
    bool has_baseline;      /* a line of differences below the figures */
    bool is_single;         /* one view at a time, whatever the size */
    bool is_serving;        /* the serving form matters, the training form does not */
    bool is_rl;             /* the form of reinforcement learning has a place */
    bool is_alone;          /* one pane at a time, forms included (slow lines) */
    bool has_message;       /* something is said, or asked, that has to be read */
    int bar;                /* rows that a lesson would like below the panes; 0: none is open */
    bool is_halved;         /* a lesson's text takes one half, the figure of its step the other */
    bool has_waterfall;     /* and the time of the iteration stands below the figure */
};

/** A pane on the screen; its first row is its title. Two columns left of those that do not begin at 0 are blank. */
struct slot {
    enum pane_id pane;
    struct rect rect;
};

/** The screen. Rectangles of height 0 are not there. */
struct layout {
    struct rect header, figures, delta, bar, message, hint;
    struct rect body;    /* everything between */
    struct rect results; /* the part of the body that views share, for overlays */
    struct rect corner;  /* whole views at its lower right, for overlays that leave the others in sight */
    int slots;
    struct slot slot[PANE_COUNT];
    bool is_halved; /* a lesson: text in `bar` on the left, one figure on the right */
    bool is_tiny; /* only the verdict fits, in `header` */
    bool is_small; /* no pane has room beside another: one field, in `field`, and bars in `body` */
    struct rect field;
};

/** Computes the layout; every size from 1x1 on has one. */
void layout_of(const struct layout_ask *ask, struct layout *layout);

/** The rectangle of a pane; height 0 when it is not on the screen. */
struct rect layout_find(const struct layout *layout, enum pane_id pane);
