/* ui/overlay/overlay.h - what lies over the panes and takes the keys: a const struct of functions, all in one array. */
#pragma once

#include "core/plan/question.h"
#include "ui/term/canvas.h"
#include "ui/command/intent.h"
#include "ui/state/state.h"

struct hint;

enum { OVERLAY_TITLE_MAX = EXPLAIN_PATH_MAX + 16, OVERLAY_REMARK_MAX = 32 }; /* bytes */

/** One overlay, or the panes without one (MODE_BROWSE). What is NULL does nothing. */
struct overlay {
    const struct binding *keys; /* its keys beside those of ui/command/keymap.c, ended by ACTION_NONE; or NULL */
    const struct hint *hints;   /* the same for the hint line */
    bool is_wide;               /* takes the place of the forms, too, where names have room */
    bool is_in_corner;          /* leaves the views above and beside it in sight, where there are several */
    /** Rows that a wide one takes at most, its title included; NULL: all. */
    int (*rows)(const struct ui *ui);
    /** Opens it, where an action does. */
    void (*open)(struct ui *ui);
    /** Before drawing: asks again for what it shows. */
    void (*update)(struct ui *ui);
    /** Its title and, at the right, how to leave; for those that draw. */
    void (*title)(const struct ui *ui, char title[OVERLAY_TITLE_MAX], char remark[OVERLAY_REMARK_MAX]);
    /** Draws into the clip, `width` x `height` cells of the results. */
    void (*draw)(const struct ui *ui, struct canvas *canvas, int width, int height);
    /** Draws the whole screen but the line of hints, in place of everything else. */
    void (*draw_whole)(const struct ui *ui, struct canvas *canvas);
    /** Draws lines below the panes instead of the usual ones; returns how many of the two. */
    int (*message)(const struct ui *ui, struct canvas *canvas, int width, int height);
    /** Draws the value of the form's selected field, in its place; NULL: the form does. */
    void (*value)(const struct ui *ui, struct canvas *canvas, int x, int y, int width);
    /** Moves the selection. */
    void (*move)(struct ui *ui, int dx, int dy);
    /** Rows of a page. */
    int (*page)(const struct ui *ui);
    /** Takes what was typed, opens what is selected. */
    void (*accept)(struct ui *ui);
    /** Whether a key of the hint line does something now; NULL: each does. */
    bool (*does)(const struct ui *ui, enum action action);
    /** Completes the name being typed. */
    void (*complete)(struct ui *ui);
    /** Leaves; NULL: back to the panes. */
    void (*back)(struct ui *ui);
    /** Takes a key for the line editor before the key map is asked; false when it is none. */
    bool (*type)(struct ui *ui, int key, bool is_pasted);
    /** Does what a mouse button at a cell means; NULL: the wheel moves. */
    void (*mouse)(struct ui *ui, const struct event *event);
    /** The selected row, which a press sets; NULL: rows are not clicked. */
    int *(*row)(struct ui *ui);
    /** Writes as text what is shown, for the clipboard; returns its length. */
    size_t (*copy)(const struct ui *ui, char *out, size_t size);
};

/** The overlays, by mode. */
extern const struct overlay *const overlays[MODE_COUNT];

extern const struct overlay overlay_browse, overlay_changes, overlay_question, overlay_settings, overlay_start,
    overlay_goal;
#define OVERLAY(id, MODE, key, help) extern const struct overlay overlay_##id;
#include "ui/command/action.def"

/** What the overlay in use covers, its title included. */
struct rect overlay_rect(const struct ui *ui);

/** Opens an overlay with a line to type, which begins with `text`. */
void overlay_open(struct ui *ui, enum mode mode, const char *text, bool is_selected);

/** Asks a question; Enter runs `yes` with `rest`, Esc leaves everything as it is. */
void question_open(struct ui *ui, const char *text, void (*yes)(struct ui *ui, const char *rest), const char *rest);

/** The same about a file that changed on disk: it may be looked at and read again. */
void question_changed(struct ui *ui, const char *text, void (*yes)(struct ui *ui, const char *rest), const char *rest);

/** Asks whether the plan's own file is to be changed; `yes` as of question_open(). */
void question_save(struct ui *ui, void (*yes)(struct ui *ui, const char *rest), const char *rest);

/** Lists what differs between two plans, `what` in words; the question in use stays. */
void changes_open(struct ui *ui, const struct plan *before, const struct plan *now, const char *what);

/** The same for the plan as it was saved and as it is. */
void question_show_saved(struct ui *ui);

/** Offers what an earlier run kept of the plan, or of any where it has no file. */
void question_offer(struct ui *ui);

/** Opens the list of presets of a TYPE_NAME key; false for another key. */
bool find_preset(struct ui *ui, enum param id);

/** The path of the selected figure. */
void figures_path(const struct ui *ui, char out[EXPLAIN_PATH_MAX]);

/** Shows a plan in the export format of this name; false when there is none. */
bool export_open(struct ui *ui, const char *name);

/** Says why no file of this format is to be written from the plan; false where nothing speaks against it. */
bool export_is_refused(struct ui *ui, const char *format);

/** A text to read: shows it from its beginning, and frees it later; scrolls, draws and copies it. */
void text_show(struct ui *ui, char *text);
void text_move(struct ui *ui, int dy);
void text_draw(const struct ui *ui, struct canvas *canvas, int width, int height);
size_t text_copy(const struct ui *ui, char *out, size_t size);

/** Shows the settings and which keys do what, as the file of settings has them. */
void settings_open(struct ui *ui);

/** Shows what somebody may want, before there is a plan. */
void start_open(struct ui *ui);

/** The plan that answers a request in plain words; false with the reason in `why` (UI_MESSAGE_MAX bytes). */
bool find_goal_plan(struct ui *ui, const char *words, const char *goal, struct plan *answer, char *why);

/** The same as the plan of the screen, which u takes back; then does `view`. */
void find_goal(struct ui *ui, const char *words, const char *goal, enum action view);

/** The same in the fields of the goal, with its answer beside them. */
void find_goal_fields(struct ui *ui, const char *words, const char *goal);

/** What is asked of a goal: its name as `shardtop goal` has it, its figures, the plan that its answer begins from. */
struct goal_question {
    const char *name;
    struct ui_goal figures;
    struct plan base;
};

/** The plan that a request begins from: its model, GPU, framework and method, or those on the screen. */
bool goal_base(const struct ui *ui, const struct inquiry *said, bool is_size, struct plan *out, char *why);

/** The plan that answers a question, and the ways nearest to it unless NULL; `why` says what it is, or why none is. */
bool goal_ask(const struct ui *ui, const struct goal_question *question, struct plan *answer,
              struct ui_goal_ways *ways, char *why);

/** The same for a request. */
bool goal_plan(const struct ui *ui, const struct inquiry *said, const char *name, struct plan *answer,
               struct ui_goal_ways *ways, char *why);

/** Makes an answer the plan, which u takes back, does `view`, and says what it is. */
void goal_take(struct ui *ui, const struct plan *answer, const char *name, enum action view, const char *why);

/** Opens the fields of a goal with what a request says, its answer beside them. */
void goal_open(struct ui *ui, const char *name, const struct inquiry *said);

/** How many questions are open. */
int messages_open(const struct ui *ui);

/** How many answers nothing can be computed without; a model that nobody gave is one. 0: there is none. */
int messages_asked(const struct ui *ui);

/** Says so: "3 answers missing". */
void messages_say_asked(const struct ui *ui, char *out, size_t size);

/** One of them: what it is called, and in wordings "a|b" what it decides and what is assumed. Returns its look. */
enum role messages_say_question(const struct ui *ui, int row, char name[QUESTION_TEXT_MAX], char text[UI_MESSAGE_MAX]);

/** Opens the editor or the list that answers it. */
void messages_answer(struct ui *ui, int row);

/**
 * Opens the messages after a file of another program was read that left something open or doubtful; other keys put them
 * off.
 */
void messages_offer(struct ui *ui);

/** Begins a lesson by name or file, at `step` (NULL: where the learner left it); the user's plan is set aside. */
void lesson_begin(struct ui *ui, const char *name, const char *step);

/** Asks exercises: kinds, a level, seed=N; "" for all. */
void lesson_practise(struct ui *ui, const char *words);

/** Does what `:lesson REST` means. */
void lesson_command(struct ui *ui, const char *rest);

/** Leaves the lesson: the user's plan is as it was. */
void lesson_leave(struct ui *ui);

/**
 * Rows that the lesson's bar would like, and the bar itself in its place below the panes, or as a column beside them.
 */
int lesson_rows(const struct ui *ui);
void lesson_draw(const struct ui *ui, struct canvas *canvas);

/** True while the keys go to a lesson that has half of the screen for its text. */
bool lesson_is_halved(const struct ui *ui);

/** True when the step is about time, too. */
bool lesson_has_waterfall(const struct ui *ui);

/** Presenting, a note comes sentence by sentence, the question after it: true while there is more to come. */
bool lesson_has_more(const struct ui *ui);

/** True while figures and views would give the answer away: the question stands alone on the screen. */
bool lesson_is_hidden(const struct ui *ui);

/** Opens the list of words, at the one that `text` means, or at the first about the selected value with "". */
void find_word(struct ui *ui, const char *text);

/** Opens the list of lessons. */
void find_lesson(struct ui *ui);

/** Opens the explanation of a path; says so when there is nothing to explain. */
void explain_open(struct ui *ui, const char *path);
