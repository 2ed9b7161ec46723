/*
 * ui/state/state.h - what the screen knows: the plan, its estimate, where the user is; changed by keys, shown by
 * panes.
 */
#pragma once

#include "core/estimate/range.h"
#include "core/estimate/stage_time.h"
#include "core/explain/explain.h"
#include "core/plan/key.h"
#include "core/search/plan_diff.h"
#include "core/show/spent.h"
#include "ui/command/action.h"
#include "ui/widget/edit.h"
#include "ui/widget/form.h"
#include "ui/widget/gantt.h"
#include "ui/state/history.h"
#include "ui/state/host.h"
#include "ui/state/settings.h"
#include "ui/widget/layout.h"
#include "ui/state/log.h"
#include "ui/state/result.h"

#include <stdbool.h>

/** What the terminal loop has to do after a key. */
enum request { REQUEST_REDRAW = 1, REQUEST_SUSPEND = 2, REQUEST_MOUSE = 4, REQUEST_COPY = 8, REQUEST_THEME = 16,
              REQUEST_SYNC = 32, REQUEST_GROUND = 64 };

/** Whether the selection of the grid is among the groups below the devices, and one shows its members. */
enum group_row { GROUP_ROW_NONE, GROUP_ROW_CHOSEN, GROUP_ROW_OPEN };

/** What labels the cells of the device grid. */
enum grid_label { LABEL_STAGE, LABEL_TP, LABEL_DP, LABEL_CP, LABEL_EP, LABEL_EDP, LABEL_NODE, LABEL_COUNT };

/** What its cells are shaded by. */
enum grid_heat { HEAT_OFF, HEAT_MEMORY, HEAT_TIME, HEAT_COUNT };

/** What one step of a field would do. */
struct effect {
    bool exists;
    char value[FIELD_TEXT_MAX]; /* the field after the step */
    char follows[48];           /* what else changes: "dp 4", or "" */
    const char *fault; /* the key that is still wrong then, or NULL: figures are of a plan that works */
    double peak_bytes, headroom_bytes, iteration_s;
    bool is_serving; /* iteration_s is that of a token */
    bool is_modelled;
    enum verdict verdict;
};

enum { VALID_MAX = 40, OTHER_VALUES_MAX = 40, HINT_SLOTS = 32, EXPLAIN_DEPTH = 24, PATH_MAX_BYTES = 1024,
       COPY_MAX = 16384, LINES_KEPT = 200, BASELINES_MAX = 9, PIN_NAME_MAX = 24,
       PIN_NOTE_MAX = 160, LINE_MAX_BYTES = 256 };

/** Everything below the message line: hints about the selected field, kept until field or plan change. */
struct hints {
    enum param field;
    unsigned generation;
    bool is_known;
    struct effect down, up;
    double valid[VALID_MAX];
    int valid_count;
};

/** The values of a field that work, kept while nothing but the field itself changes; of a plan without errors. */
struct working {
    enum param field;
    bool is_known;
    struct plan plan;
    double value[VALID_MAX];
    int count;
};

/** Stages or nodes that look alike, shown as one: `first` to `last`. */
struct fold {
    int first, last;
};

/** What may limit the iteration. */
enum limit { LIMIT_FLOPS, LIMIT_NVLINK, LIMIT_HBM, LIMIT_NETWORK, LIMITS_MAX };

/** How the iteration changes with a tenth more of each, kept until the plan changes. */
struct limits {
    unsigned generation;
    double delta_s[LIMITS_MAX]; /* NAN where it is not known */
};

/** How the rows of the communication view are chosen and put in order. */
enum traffic_sort { TRAFFIC_BY_TIME, TRAFFIC_BY_VOLUME, TRAFFIC_BY_COUNT, TRAFFIC_BY_DIM, TRAFFIC_SORTS };
struct traffic_view {
    enum traffic_sort sort;
    bool is_all; /* all stages added up */
    int only;    /* rows of this dimension, counted from 1; 0: all */
};

/** What a batch size of a plan that serves comes to. */
struct serving_point {
    double value, weights_bytes, cache_bytes, needed_bytes, first_token_s, token_s, tokens_per_s, cost, reply_s;
    bool fits;
};
enum { CURVE_POINTS = 16 };

/** Values of one key in ascending order, batch sizes at first, kept until the plan changes. */
struct serving_curve {
    unsigned generation;
    int key; /* which of the keys of ui/pane/curve.c */
    int count;
    struct serving_point point[CURVE_POINTS];
};

/** Where the iteration of each stage goes, kept until the plan changes. */
struct stage_times {
    unsigned generation;
    struct spent spent;
    struct stage_time stage[STAGES_MAX];
};

/** Where the schedule view is. */
struct schedule_view {
    struct gantt gantt;
    double column_s;  /* seconds of a column */
    double wanted_s;  /* those that were asked for; 0: as many as show the passes best */
    double whole_s;   /* of the iteration, no round left out */
    long left;        /* the first column on the screen */
    int width, height; /* of the screen that this is for */
    int columns;       /* of the chart */
    int moved_columns; /* when it was moved last, and its first one then */
    long moved_left;
    int event;        /* the selected pass of the stage */
    bool is_whole;    /* the whole iteration on one screen */
    bool is_brief;    /* then only a few rounds of it */
    bool has_mark;
    int marked;       /* micro-batch */
    bool is_list;     /* the passes of the stage as a table */
};

/** What the text being typed would mean. */
struct typed {
    bool is_read;                /* it is a value of the key */
    char value[UI_MESSAGE_MAX];  /* how it reads: 8k is 8192; of a line what it sets */
    char why[UI_MESSAGE_MAX];    /* why it is not, or the first error that it would raise; or "" */
    struct effect effect;
};

/** Command lines of before, the oldest first. */
struct lines {
    char text[LINES_KEPT][LINE_MAX_BYTES];
    int count, at; /* `at`: the one that is shown; count: none */
    bool is_read;  /* those of earlier runs are among them */
    char wanted[LINE_MAX_BYTES]; /* what ^R looks for */
};

/** A plan that is pinned to compare with. */
struct pin {
    struct plan plan;
    char time[CLOCK_MAX];    /* when that was, "" where no clock runs */
    char name[PIN_NAME_MAX]; /* that the user gave it, its file's, or "" */
    char note[PIN_NOTE_MAX]; /* why it was pinned, in the user's words */
};

/** What the user had before a lesson; all of it comes back. */
struct set_aside {
    struct plan plan, saved;
    char path[PATH_MAX_BYTES];
    const struct questions *questions;
    struct history history;
    bool has_baseline;
    int baseline_number, pins;
    struct pin pin[BASELINES_MAX];
    enum pane_id form, view;
    bool is_view_focused, is_zoomed, is_whole;
    int stage;
};

/** A value in a view at which a lesson looks. */
struct lesson_mark {
    enum pane_id pane;
    int row, column; /* as they are selected there */
    int stage;       /* of a value of one stage, else -1 */
};

/** All that a step looks at, and which of it the learner looks at now; empty without a lesson. */
struct lesson_marks {
    struct lesson_mark mark[UI_LOOKS_MAX];
    int count;
    uint64_t stages;  /* by bit */
    unsigned figures; /* in the line of figures, by bit */
    enum param key[UI_LOOKS_MAX];
    int keys;
    uint64_t found_for; /* the state of the screen that they were looked up in; 0: none */
};

/** What the plan was of before another file was loaded. */
struct plan_file {
    char path[PATH_MAX_BYTES];
    struct plan saved; /* what it holds */
    struct questions *questions; /* what it left open; NULL for nothing */
};

/** One page of the explain overlay. */
struct page {
    char path[EXPLAIN_PATH_MAX];
    int row;
};

/** The screen's state. Create with ui_create(). */
struct ui {
    const struct ui_host *host;
    struct ui_options options;
    struct theme theme;
    struct settings settings;
    enum ground ground; /* what the terminal said of its background, or the desktop */
    bool has_told_ground; /* the terminal itself */
    bool utf8; /* glyphs beyond ASCII may be drawn */

    /* the plan */
    struct plan plan, saved;
    char path[PATH_MAX_BYTES];
    struct history history;
    struct plan_file *files; /* file_count + 1 of them once there was another; that of the history is the plan's */
    int file_count;
    unsigned generation; /* grows with every change of the plan */
    bool is_autosave_due, is_autosave_failing;

    /* its estimates */
    struct estimate *now;      /* of the plan as it stands */
    struct estimate *shown;    /* the same, or the last valid one */
    struct estimate *baseline; /* pinned; meaningless unless has_baseline */
    struct estimate *scratch;  /* for what-if */
    struct estimate *pool; /* where they are; the first two are those of `now` and `shown` */
    bool has_baseline;
    int baseline_number; /* from 1 */
    unsigned baseline_generation; /* grows with every other baseline */
    struct pin pin[BASELINES_MAX];
    int pins, pin_row; /* how many there are; the one selected in their list */
    struct {
        struct pin pin;
        int number, compared; /* its place (0: none can be brought back), and what was compared with */
        unsigned generation; /* of the plan at the time: undo brings it back until the plan changes */
    } unpinned;
    struct {
        unsigned generation; /* of the plan that it is about; 0: parts are shown, not keys */
        int baseline;
        struct waterfall memory, time, memory_mean, time_mean; /* in the order of the changes, and of all orders */
    } by_key;
    struct limits limits;
    struct {
        unsigned generation; /* of the plan that it is of */
        char text[RESULT_RANGE_MAX], runs[4 * RESULT_RANGE_MAX]; /* wordings */
    } range; /* of the iteration */
    struct schedule_view schedule;
    struct traffic_view traffic;
    struct serving_curve curve;
    struct stage_times *times; /* allocated when first shown */
    unsigned closed_blocks; /* of the layers view, by bit */
    int layer_order;        /* what its rows are put in order by; 0: their place */
    int layer_columns;      /* which of its sets of columns is shown; 0: sums */
    struct working working; /* of the field asked about last */
    struct hints hints[HINT_SLOTS]; /* of the fields visited last, by key modulo HINT_SLOTS */

    /* where the user is */
    int width, height;
    struct layout_ask asked; /* what the layout follows from */
    struct layout layout;
    enum pane_id form, view;
    bool is_view_focused, is_zoomed;
    bool has_form; /* beside a view that would be alone on a screen as narrow */
    enum param fields[PANE_FORMS][FORM_FIELDS_MAX];
    int field_count[PANE_FORMS];
    int field[PANE_FORMS];                     /* selected field of each form */
    struct { int row, column; } at[PANE_COUNT]; /* selection inside each view */
    int stage;                                  /* whose components are shown; -1 the fullest */
    int rank;
    enum grid_label label;
    enum grid_heat heat;
    struct fold opened;  /* nodes of the grid that stand one by one */
    unsigned opened_for; /* generation of the plan that they are of; 0: none do */
    int group; /* whose members are marked: an axis counted from 1; 0: that of the label */
    enum group_row group_row; /* of `group` */
    bool opens_compute; /* the time view has the passes of computing in rows of their own */
    int figure; /* the selected one of the line of figures (enum result_id) */
    bool is_hurried;   /* keys come fast: the lines below are left for later */
    bool is_dark;      /* presenting: nothing is shown until the next key */
    bool can_gap;      /* bars may have gaps: a line that is fast as far as is known, and 256 colours */
    bool is_line_slow; /* frames take long to arrive: in haste the views that are not in use are left for later too */

    /* what is typed */
    enum mode mode;
    struct edit edit;
    struct typed typed;
    struct {
        int at, length; /* bytes of the command line */
    } fault;            /* what of it could not be read */
    struct lines lines;
    struct {
        int row, section; /* section: 0 all, else one kind */
        int line;         /* of the file that was read, shown instead; 0: none */
        bool is_offer;    /* opened by itself: other keys put it off, to do what they do */
    } messages;
    int legend_top;
    int history_row; /* of the list of changes */
    struct {
        int one, other; /* the stage that is asked about, and the one that it is compared with */
        bool is_time;   /* how long they work, not what they hold */
        int row;        /* the selected difference */
    } stages;
    struct log log;
    struct {
        char *text;
        int format, top, lines;
    } exported;
    struct start *start; /* allocated when first opened */
    struct goal_panel *goal; /* allocated when first opened */
    bool is_starting;    /* no plan was given or chosen: what opens over the start closes to it */
    struct finder *finder; /* the palette; allocated when first opened */
    void (*finder_free)(struct finder *finder);
    char message[UI_MESSAGE_MAX];
    enum role message_role;
    struct page page[EXPLAIN_DEPTH];
    int depth;
    bool explains_all;    /* every term as the sheet has it, dead ones too */
    bool explains_change; /* beside the values those of the baseline */
    struct {
        unsigned generation, baseline_generation; /* of the plan that it is about; 0: none */
        char path[EXPLAIN_PATH_MAX];
        enum param keys[PARAM_COUNT]; /* at the bottom of the figure */
        int count;
        bool is_whole;           /* no key is missing */
        bool in_memory, in_time; /* of a key: what depends on it */
        struct waterfall change, mean; /* of the figure since the baseline, by changed key; empty unless asked for */
        int value_count;               /* of a switch or a choice: its other values */
        struct value_diff {
            double value;
            struct plan_diff diff;
        } value[OTHER_VALUES_MAX];
    } explained;
    enum mode below;               /* where the explain overlay goes back to */
    struct estimators *estimators; /* allocated when first shown */
    int estimator_row;
    struct advisor *advisor; /* allocated when first shown */
    struct set_aside *aside; /* NULL unless a lesson is open */
    struct {
        int look;      /* the place that is looked at */
        int sentences; /* of the note that are shown, when presenting */
        bool is_blank; /* the note is not shown */
        bool has_keys; /* keys go to the lesson, after what opened over it, too */
    } lesson;
    struct lesson_marks marks; /* what the step looks at */

    struct {
        char text[UI_MESSAGE_MAX], rest[EDIT_MAX];
        void (*yes)(struct ui *ui, const char *rest);
        /* an offer is put off by working on */
        enum { QUESTION_PLAIN, QUESTION_SAVE, QUESTION_CHANGED, QUESTION_OFFER } kind;
        bool is_last; /* the screen ends with what it asks about: so it does when that gets another name */
    } question;
    bool is_confirmed; /* while `yes` runs */
    struct {
        enum mode asked; /* the question below */
        char what[40];
    } changes; /* the list of what differs */

    /* for the loop */
    unsigned request;
    struct {
        double peak_bytes, iteration_s; /* NAN before the first */
    } printed; /* what the line mode reported last */
    bool draws_lines; /* the line mode, where nothing is cut to the width of a screen */
    bool is_done, goes_plain; /* goes_plain: done with the screen, lines go on */
    double clock_ms;  /* when the key came; 0: not known */
    bool has_clock;   /* the time of day is said all the same */
    double closed_ms; /* when q closed something */
    double interrupted_ms; /* when ^C came; 0: never */
    int unknown_key;  /* that was said to do nothing */
    struct {
        int x, y, link; /* what is there (enum link) */
        bool is_again;  /* a second press right after one on the same cell: it opens what that selected */
        double ms;
    } pressed; /* where a mouse button was pressed last */
    struct {
        char text[16];
        double ms; /* when its last character came; 0: none is typed */
        enum pane_id view;
        bool is_zoomed;
    } number; /* typed without Enter, and what was shown before its first digit */
    int status;
    bool has_mouse;
    char *copy; /* COPY_MAX bytes, allocated when first used */
};

/** Starts a screen of this size; NULL when memory runs out. */
struct ui *ui_create(const struct ui_host *host, const struct ui_options *options, int width, int height);

/** Frees it. */
void ui_free(struct ui *ui);

/** The theme that the user asked for, or likes; it may be one for each background (theme_follows()). */
const char *ui_theme_choice(const struct ui *ui);

/**
 * Shows a theme as it is read now, or that of two which suits the background. Returns -1 with what is wrong in `why`
 * (UI_MESSAGE_MAX bytes), also of the other one where the user chose it; after success `why` is a remark or "".
 */
int ui_show_theme(struct ui *ui, const char *choice, char *why);

/** Sets the size. */
void ui_resize(struct ui *ui, int width, int height);

/** The selected field. */
enum param ui_field(const struct ui *ui);

/** Moves the selection to a field. */
void ui_select(struct ui *ui, enum param id);

/** The stage whose components are shown. */
int ui_stage(const struct ui *ui);

/** Replaces the plan, keeps the old one for undo, computes, and asks for an autosave. */
void ui_change(struct ui *ui, const struct plan *plan, const char *label);

/** The same for the change of some keys: the label says "tp 4 -> 8, pp 8 -> 4". */
void ui_change_keys(struct ui *ui, const struct plan *plan, const enum param ids[], int count);

/** The same for the change of one key. */
void ui_change_key(struct ui *ui, const struct plan *plan, enum param id);

/** Replaces the plan without touching the history (undo, redo). */
void ui_adopt(struct ui *ui, const struct plan *plan);

/** Writes what differs from what was loaded or saved last, as "tp 8 -> 4, pp 4 -> 8"; returns how many keys do. */
int ui_changes(const struct ui *ui, char *out, size_t size);

/** True when the plan differs from what was loaded or saved last. */
bool ui_is_modified(const struct ui *ui);

/** The values of a key in two plans; "open" for one that only nobody had decided. */
void ui_values(const struct plan *before, const struct plan *now, enum param id, char old[FIELD_TEXT_MAX],
               char new[FIELD_TEXT_MAX]);

/** True where a key's value was assumed, or may not hold, in one of the plans, and is somebody's own in the other. */
bool ui_is_answer(const struct ui *ui, const struct plan *before, const struct plan *now, enum param id);

/** Shows a line until the next key. */
void ui_say(struct ui *ui, enum role role, const char *format, ...) __attribute__((format(printf, 3, 4)));

/** The most severe finding about a key in the present plan, or NULL. */
const struct diag *ui_finding(const struct ui *ui, enum param id);

/**
 * The preset name of a TYPE_NAME key that is meant by `text`: its own, or the one of which that is another name; or
 * NULL.
 */
const char *ui_preset(const struct ui *ui, enum param id, const char *text);

/** The first error of the present plan, or NULL. */
const struct diag *ui_first_error(const struct ui *ui);

/** Number of GPUs of the plan; while it is not valid, of its machines. */
int ui_gpus(const struct ui *ui);

/**
 * Writes what is wrong with the plan and whose figures there are instead, "invalid, tp: tp 6 does not divide 64 heads;
 * figures are those of the last valid plan"; false, and "", where they are its own.
 */
bool ui_stale(const struct ui *ui, char out[UI_MESSAGE_MAX]);

/** Says the same of a change, "tp 8 -> 6: invalid, ..."; false, and nothing, where the figures are the plan's own. */
bool ui_say_stale(struct ui *ui, const char *label);

/**
 * Reads `text` into key `id` of `plan`: expressions and relative changes see the resolved values; names apply their
 * preset. Returns 0, or -1 with the reason in `why` (UI_MESSAGE_MAX bytes), the plan unchanged.
 */
int ui_parse(const struct ui *ui, struct plan *plan, enum param id, const char *text, char *why);

/** Makes key `id` of `plan` the next or previous value that works; names step through their presets. */
int ui_step(const struct ui *ui, struct plan *plan, enum param id, int direction);

/** Hands the plan to the host's autosave when one is due. True when there is news to draw: it fails. */
bool ui_autosave(struct ui *ui);
