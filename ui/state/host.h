/* ui/state/host.h - what the screen asks of its caller, and how it starts. */
#pragma once

#include "core/plan/param.h"
#include "core/plan/key.h"
#include "ui/term/theme.h"

#include <stdbool.h>
#include <stddef.h>

struct estimate;
struct ui;
struct questions;
struct settings;

enum { UI_MESSAGE_MAX = 256 }; /* bytes */

/** What a published estimator says of a quantity, beside ours. Texts are valid until the program ends, but for two. */
struct ui_comparison {
    const char *quantity;  /* "weights"; NULL when the estimator does not answer to this plan */
    const char *estimator; /* its name */
    const char *unit;      /* "bytes", "s" or "" */
    const char *path;      /* explains our value; valid during the call */
    const char *reason;    /* why the two differ, or why there is no answer; valid during the call */
    double ours, theirs;   /* NAN: not known */
};

/** What became of a text that was to be written. */
enum ui_write {
    UI_WRITE_FAILED = -1,
    UI_WRITTEN,
    UI_WRITE_ASKS,     /* nothing was written; `message` is the question to confirm */
    UI_WRITE_CHANGED,  /* the same, as the file changed on disk since it was read */
    UI_WRITE_ELSEWHERE /* the file is no plan and is never replaced by one; `message` is a name beside it */
};

/** What a file is that a plan is to be saved to. */
/* a plan that this run has read and did not change yet, or did */
enum ui_own { UI_OWN_NONE, UI_OWN_READ, UI_OWN_WRITTEN };

enum { UI_LOOKS_MAX = 4, UI_CHOICES_MAX = 4 };

/** A step by name, and what became of it: + right, - shown, . seen, blank for not reached. */
struct ui_lesson_step {
    const char *id;
    char mark;
};

/** A step of a lesson as the screen shows it. Texts are valid until the next call about lessons. */
struct ui_lesson {
    const char *name, *id;
    const char *title;              /* of the lesson; "" for exercises */
    int step, steps;                /* from 0 */
    const struct ui_lesson_step *chain; /* all steps */
    bool is_hidden;                 /* figures and views would give the answer away */
    const char *change;             /* what the step sets, and what that gives */
    const char *note;
    const char *ask;                /* a question, or a task with what is met of it; "" for none */
    const char *choice[UI_CHOICES_MAX];
    char first_choice;              /* the key of the first one: 1, or a */
    int right;                      /* the right choice once it is known, else -1 */
    bool is_right, is_wrong;        /* the last answer */
    const char *said;               /* to the last answer, hint or change; "" for nothing */
    const char *score;              /* "2/4 right" */
    bool takes_number;              /* the question is answered with a number */
    bool takes_words;               /* with words */
    int choices;                    /* with one of so many */
    const char *view;               /* what a view is called, NULL for the one that is shown */
    const char *mark;               /* the path of a part that is drawn in the colour of a warning, or NULL */
    const char *sweep;              /* what a map or curve goes over, as :sweep has it, or NULL */
    bool is_timed;                  /* the step is about time */
    const char *look[UI_LOOKS_MAX]; /* keys and paths of values */
    int looks;
    const struct plan *plan;        /* of the step */
    const struct plan *before;      /* of the step before it; NULL at the first */
};

/**
 * What the screen asks about lessons; one is open at a time. Functions that can fail are as those of struct ui_host.
 */
struct ui_lessons {
    /** All lessons, in the order of the course, with their titles; valid until the program ends. */
    size_t (*list)(void *context, const char *const **names, const char *const **titles);
    /** Opens a lesson by name or file, where the learner left it. */
    int (*open)(void *context, const char *name, char *message);
    /** Asks exercises in the place of a lesson: kinds, a level, seed=N; "" for all by what is known least. */
    int (*practise)(void *context, const char *words, char *message);
    /** The kinds of exercises; returns their number. */
    size_t (*kinds)(void *context, const char *const **names);
    /** The present step. */
    const struct ui_lesson *(*page)(void *context);
    /** Goes to a step by number (from 1), id, `next`, `back` or `reset`; -1 past an end. */
    int (*go)(void *context, const char *where, char *message);
    /** Takes an answer. */
    void (*answer)(void *context, const char *typed);
    /** Says the right answer, as one who presents asks for it. */
    void (*reveal)(void *context);
    /** Gives a hint. */
    void (*hint)(void *context);
    /** The learner changed the plan; refused where the step's task leaves a key alone. */
    int (*edit)(void *context, const struct plan *plan, char *message);
    /** Closes the lesson and keeps the progress. */
    void (*close)(void *context);
};

/** What was read of a file of another program. */
struct ui_read {
    const char *text;
    int key, line; /* enum param, -1 for none; 0 for none */
};

/** The figures of a goal; NAN where they were not given. */
struct ui_goal {
    double tokens, days, users, context, ms_per_token, first_token, sure /* that the answer holds, 0 to 1 */;
    bool has_gpus, has_model; /* the plan's GPUs and its model are those to take */
};

enum { GOAL_WAYS = 6, GOAL_WORDS = 160, GOAL_COMMAND = 320 };

/** The ways to a goal nearest to its answer, the answer itself among them. */
struct ui_goal_ways {
    int count;
    struct ui_goal_way {
        char text[GOAL_WORDS], why_not[GOAL_WORDS]; /* "" where it holds */
        bool is_answer;
        double value, limit, low, high; /* days, GiB, ms or s; NAN and 0 where there is none */
    } way[GOAL_WAYS];
    char command[GOAL_COMMAND]; /* what asks the same on the command line */
};

/**
 * What the screen asks of its caller. Every function returns 0, or -1 with one line of what is wrong and what to do
 * in `message` (UI_MESSAGE_MAX bytes, safe for a terminal). On failure nothing has changed.
 */
struct ui_host {
    void *context; /* handed to each function */
    /** Reads any file that shardtop understands into `plan`. */
    int (*load)(void *context, const char *path, struct plan *plan, char *message);
    /** The same to look at only: a regular file of at most 1 MiB, or a shipped plan. May be NULL. */
    int (*peek)(void *context, const char *path, struct plan *plan, char *message);
    /** Writes `plan`, into the text of its file where there is one; `message` gets a remark or "". */
    enum ui_write (*save)(void *context, const char *path, const struct plan *plan, bool is_confirmed, char *message);
    /** What the file is that `save` would change. May be NULL. */
    enum ui_own (*own)(void *context, const char *path);
    /** Applies the preset `name` of a TYPE_NAME key (model.name, hardware.gpu, cluster) to `plan`. */
    int (*preset)(void *context, enum param key, const char *name, struct plan *plan, char *message);
    /** All preset names of a TYPE_NAME key, sorted; valid until the program ends. */
    size_t (*names)(void *context, enum param key, const char *const **names);
    /** All names of shipped and own plans, sorted; valid until the program ends. */
    size_t (*plan_names)(void *context, const char *const **names);
    /**
     * Hands each plan, script and configuration of `folder` ("" or ending in a slash; ~/ is the home directory) to
     * `take`, and each folder with a slash behind it; at most 2000.
     */
    void (*files)(void *context, const char *folder, void (*take)(void *to, const char *path), void *to);
    /** Loads a theme by name; `message` also gets a remark on it, or "". */
    int (*theme)(void *context, const char *name, struct theme *theme, char *message);
    /** All theme names, sorted. */
    size_t (*theme_names)(void *context, const char *const **names);
    /** Keeps `plan` of file `path` ("" for none) for a later start; forgets it where it equals `saved`. */
    int (*autosave)(void *context, const char *path, const struct plan *plan, const struct plan *saved, char *message);
    /**
     * What was kept stays for a later start, whatever is kept from now on, until `file` is returned to. May be NULL.
     */
    void (*leave_kept)(void *context, int file);
    /** The plan is of this file again, and what was kept of it then is this run's again. May be NULL. */
    void (*return_kept)(void *context, int file);
    /** The plan is again that of `path` ("" for none), which left these questions open (NULL: none). May be NULL. */
    void (*reopen)(void *context, const char *path, const struct questions *questions);
    /** Forgets what was kept: the user leaves without saving. */
    void (*forget)(void *context);
    /**
     * Says in `message` which plan of `path` ("": of any file) an earlier run kept, in `plan` unless NULL; -1 when
     * there is none.
     */
    int (*kept)(void *context, const char *path, struct plan *plan, char *message);
    /** Deletes it. */
    void (*drop_kept)(void *context, const char *path);
    /** That plan, what its file holds, and for the `path` that was asked for the file's name (`size` bytes). */
    int (*restore)(void *context, struct plan *plan, struct plan *saved, char *path, size_t size, char *message);
    /** Writes the report of `plan` to `path`; the ending decides the form: .json, .csv, .md, else text. */
    enum ui_write (*export_report)(void *context, const char *path, const struct plan *plan, bool is_confirmed,
                                   char *message);
    /** All formats that a plan is exported to, in the order of their list. */
    size_t (*export_names)(void *context, const char *const **names);
    /** Writes `plan` in a format into fresh memory, remarks on what it cannot say as comments behind it. */
    int (*export_text)(void *context, const char *format, const struct plan *plan, char **text, char *message);
    /** The text of a file with these settings and keys, in fresh memory; NULL when there is none. May be NULL. */
    char *(*settings_text)(void *context, const struct settings *settings);
    /** Writes settings into the user's file; `message` gets its path. */
    int (*save_settings)(void *context, const struct settings *settings, char *message);
    /** Writes that text to a file; the format `patch` into the file that patched() names changes that itself. */
    enum ui_write (*export_file)(void *context, const char *format, const char *path, const struct plan *plan,
                                 bool is_confirmed, char *message);
    /** Writes a text to a file. */
    enum ui_write (*write)(void *context, const char *path, const char *text, bool is_confirmed, char *message);
    /**
     * The script or configuration of another program that the plan was read from, which `patch` changes; NULL for none.
     */
    const char *(*patched)(void *context);
    /** What the file that was loaded last left open; valid until the next one. */
    const struct questions *(*questions)(void *context);
    /** Hands command lines of earlier runs to `take`, the oldest first; may be NULL. */
    void (*lines)(void *context, void (*take)(void *to, const char *line), void *to);
    /** Keeps a command line for later runs; may be NULL. */
    void (*keep_line)(void *context, const char *line);
    /** Hands each remark on what was read last to `take`: "run.sh:12: --lr: ...". */
    void (*remarks)(void *context, void (*take)(void *to, const char *line), void *to);
    /** Hands each line of the file of another program that was read last to `take`: what it is, what its lines gave. */
    void (*read)(void *context, void (*take)(void *to, const struct ui_read *line), void *to);
    /** Copies line `number` of that file, from 1; -1 past the end. */
    int (*read_line)(void *context, int number, char *out, size_t size);
    /** Hands each value of the published estimators for this estimate's plan to `take`, quantity by quantity. */
    void (*estimators)(void *context, const struct estimate *estimate,
                       void (*take)(void *to, const struct ui_comparison *comparison), void *to);
    /**
     * The plan that reaches a goal (train, tune, serve, size) and what it is, `message` of UI_MESSAGE_MAX bytes; -1
     * with the reason where none does. `ways`, unless NULL, gets the nearest ones. May be NULL.
     */
    int (*goal)(void *context, const char *name, const struct ui_goal *figures, const struct plan *plan,
                struct plan *out, struct ui_goal_ways *ways, char *message);
    const struct ui_lessons *lessons; /* NULL: there are none */
    /** Notes a plan that the user made, for a lesson in the making; NULL: nobody makes one. */
    int (*record)(void *context, const struct plan *plan, char *message);
};

/** How the screen starts. */
struct ui_options {
    const struct plan *plan;
    const struct plan *saved; /* what its file holds where that differs, or NULL */
    const char *path;     /* file the plan came from, or NULL */
    const struct questions *questions; /* what that file left open, or NULL */
    const struct settings *settings; /* of the user, or NULL for the defaults */
    const char *theme;    /* name, or NULL for that of the settings */
    const char *term;     /* terminal name instead of $TERM, or NULL */
    /** The description of a terminal for $TERMINFO, where none is installed; NULL when there is none inside either. */
    const char *(*describe)(const char *name);
    const char *notice;   /* shown on the message line at the start, or NULL */
    bool is_empty;        /* neither a file nor a model was given: it begins with what may be wanted */
    bool is_new;          /* nobody has used it here before: where there is no notice, the first keys stand there */
    const char *keys;     /* keys to play first (ui_screen), or NULL */
    const char *lesson;   /* begin with this lesson, or NULL */
    const char *step;     /* of it, a number or an id, or NULL */
    int width, height;    /* ui_screen only */
    const char *shot;     /* ui_screen: the file it is for, whose ending says the form (.svg, .ans); NULL: text */
    int (*plain)(struct ui *ui); /* ui_run: goes on where `:plain` ends the screen; NULL: nothing does */
    bool is_spoken;       /* ui_plain: units and magnitudes of figures are words */
    bool is_settled;      /* ui_screen: with what is found while keys rest, too */
    bool ascii;           /* no glyphs beyond ASCII */
    bool no_color, always_color;
    bool no_mouse;
    bool present;         /* large gaps, one view at a time, last change kept on the message line */
    bool slow;            /* few colours, redraw after a quiet moment */
};
