/* ui/action.h - everything that a user can do, one row each; help, hints and the key map are made from it. */
#ifndef SHARDTOP_UI_ACTION_H
#define SHARDTOP_UI_ACTION_H

#include "ui/input.h"

struct ui;

/*
 * ACTION(id, name, help): name as `:name` runs it, help in a few words; a deed of the file that it concerns does it.
 * OVERLAY(id, MODE, key, help): the same for what opens something over the panes that then takes the keys: its name is
 * its id, `key` opens it, and overlay_id (ui/overlay/overlay.h) says how, and what keys mean there.
 */
#define ACTIONS(ACTION, OVERLAY)                                                                                      \
    ACTION(up, "up", "previous field or row")                                                                         \
    ACTION(down, "down", "next field or row")                                                                         \
    ACTION(left, "left", "previous column, stage or GPU; back to the form")                                           \
    ACTION(right, "right", "next column, stage or GPU; from the form to the results")                                 \
    ACTION(page_up, "page-up", "a page up")                                                                           \
    ACTION(page_down, "page-down", "a page down")                                                                     \
    ACTION(top, "top", "first field or row")                                                                          \
    ACTION(bottom, "bottom", "last field or row")                                                                     \
    ACTION(next_pane, "next-pane", "next pane")                                                                       \
    ACTION(previous_pane, "previous-pane", "previous pane")                                                           \
    ACTION(memory, "memory", "view 1: memory of each stage")                                                          \
    ACTION(time, "time", "view t: where the time of an iteration goes")                                               \
    ACTION(communication, "communication", "view 2: what is sent, how often, over which link")                        \
    ACTION(grid, "grid", "view 3: devices and groups")                                                                \
    ACTION(schedule, "schedule", "view 4: the passes of the pipeline, to scale")                                      \
    ACTION(layers, "layers", "view 5: operators, shapes, time")                                                       \
    ACTION(what_if, "what-if", "view 6: one change from here, what fits, room, what limits")                          \
    ACTION(sweep, "sweep", "view 7: one or two keys over values")                                                     \
    ACTION(tuner, "tuner", "view 8: the best layouts of all")                                                         \
    ACTION(serving, "serving", "view t of a plan that serves: latency, throughput, sizes of the batch")               \
    OVERLAY(edit, EDIT, KEY_RETURN, "type a value: 8192, 8k, 64/pp, 4*hidden, +2, x2, 80GiB; empty is the default")   \
    ACTION(step_up, "step-up", "next valid value")                                                                    \
    ACTION(step_down, "step-down", "previous valid value")                                                            \
    ACTION(double, "double", "times two")                                                                             \
    ACTION(halve, "halve", "divided by two")                                                                          \
    ACTION(reset, "reset", "back to the default or derived value")                                                    \
    ACTION(sweep_field, "sweep-field", "sweep the selected field, two as a map")                                      \
    ACTION(undo, "undo", "undo the last change")                                                                      \
    ACTION(redo, "redo", "redo what was undone")                                                                      \
    ACTION(baseline, "baseline", "pin this plan as a baseline, to compare with")                                      \
    OVERLAY(baselines, BASELINES, 'B', "the baselines: compare with one, swap, go back, name, unpin")                 \
    ACTION(diff, "diff", "compare with the baseline, and back")                                                       \
    OVERLAY(figures, FIGURES, '0', "the line of figures: select one, e explains, Enter opens its view")               \
    OVERLAY(explain, EXPLAIN, 'e', "explain the selected number or key")                                              \
    ACTION(changed, "changed", "what changed the selected number since the baseline, key by key")                   \
    OVERLAY(stages, STAGES, 'w', "why one stage is fuller than another, or works longer")                              \
    OVERLAY(messages, MESSAGES, 'i', "open questions, findings, what was read, what was said")                        \
    OVERLAY(estimators, ESTIMATORS, 'E', "the published estimators beside ours")                                      \
    ACTION(label, "label", "what the grid shows: stage, tp, dp, cp, ep, edp, node")                                    \
    ACTION(next_stage, "next-stage", "next pipeline stage")                                                           \
    ACTION(previous_stage, "previous-stage", "previous pipeline stage")                                               \
    ACTION(zoom, "zoom", "the focused pane alone, and back")                                                          \
    OVERLAY(find, FIND, '/', "find anything by name: fields, models, GPUs, plans, commands, results")                 \
    ACTION(find_rank, "go-rank", "go to a GPU by its rank")                                                           \
    OVERLAY(command, COMMAND, ':', "command line: set, load, save, export, theme ...")                                \
    ACTION(save, "save-plan", "save the plan")                                                                        \
    ACTION(open, "load-plan", "load a plan or a file, from a list")                                                   \
    ACTION(copy, "copy", "copy what is shown to the clipboard (OSC 52)")                                              \
    OVERLAY(export, EXPORT, 'x', "flags and configurations for a framework, to copy or write")                        \
    ACTION(theme, "next-theme", "colour theme, from a list")                                                          \
    ACTION(present, "present", "high bars, one view, high contrast: on or off")                                       \
    ACTION(mouse, "mouse", "mouse on or off")                                                                         \
    ACTION(redraw, "redraw", "draw everything again")                                                                 \
    ACTION(suspend, "suspend", "suspend the program")                                                                 \
    ACTION(help, "keys", "every key and command; type to search, Enter runs")                                         \
    OVERLAY(legend, LEGEND, 'L', "what letters, marks and words mean")                                                \
    ACTION(glossary, "glossary", "the words of the field: what the selected key or value means")                     \
    OVERLAY(lesson, LESSON, 'C', "the course: a list of lessons, or back to the one that is open")                     \
    ACTION(lesson_next, "lesson-next", "next step of the lesson")                                                    \
    ACTION(lesson_back, "lesson-back", "step before")                                                                \
    ACTION(lesson_hint, "lesson-hint", "a hint to the question or task")                                             \
    ACTION(lesson_look, "lesson-look", "next place to look at")                                                      \
    ACTION(lesson_explain, "lesson-explain", "explain what is looked at")                                            \
    ACTION(lesson_blank, "lesson-blank", "hide what the lesson says, or show it again")                             \
    ACTION(lesson_reset, "lesson-reset", "the step's own plan again")                                                \
    ACTION(lesson_steps, "lesson-steps", "go to a step by number or name")                                           \
    ACTION(lesson_keep, "lesson-keep", "leave, and take the lesson's plan along")                                    \
    ACTION(lesson_panes, "lesson-panes", "keys go to the panes")                                                     \
    ACTION(lesson_leave, "lesson-leave", "leave the lesson; the plan is as it was before")                           \
    OVERLAY(quit, QUIT, 'q', "leave")                                                                                 \
    ACTION(interrupt, "interrupt", "twice: leave at once; the plan is kept for --restore")                            \
    ACTION(accept, "accept", "take what was typed, open what is selected")                                            \
    ACTION(cancel, "cancel", "back, without a change")                                                                \
    ACTION(complete, "complete", "complete the name; in a field: take it and go on")                                  \
    ACTION(accept_up, "accept-up", "take what was typed and go up")

/** What keys mean at the moment: one mode for each overlay, and the panes themselves. */
enum mode {
    MODE_BROWSE,
#define NO_MODE(id, name, help)
#define OVERLAY_MODE(id, MODE, key, help) MODE_##MODE,
    ACTIONS(NO_MODE, OVERLAY_MODE)
#undef NO_MODE
#undef OVERLAY_MODE
    MODE_QUESTION, /* asked by the program: no key opens it */
    MODE_SETTINGS, /* `:keys` opens it */
    MODE_CHANGES,  /* a question opens it */
    MODE_COUNT
};

/** An action. */
enum action {
    ACTION_NONE,
#define ACTION_ID(id, ...) ACTION_##id,
    ACTIONS(ACTION_ID, ACTION_ID)
#undef ACTION_ID
    ACTION_COUNT
};

/** One row. */
struct action_row {
    const char *name, *help;
    enum mode opens; /* the overlay that it opens, MODE_BROWSE for none */
};

/** The rows, by action. */
extern const struct action_row actions[ACTION_COUNT];

/** The action of this name that the panes have a key for; ACTION_NONE when there is none. */
enum action action_named(const char *name);

/** What does an action. */
struct deed {
    enum action action; /* ACTION_NONE ends a list */
    void (*run)(struct ui *ui);
};

/** Each file lists the actions of its subject. */
extern const struct deed baseline_deeds[], browse_deeds[], change_deeds[], event_deeds[], explain_deeds[], find_deeds[],
    lesson_deeds[],
    value_deeds[];

/** Does it. */
void ui_do(struct ui *ui, enum action action);

/** Applies a key (or a mouse button): the line editor first where text is typed, then the key map. */
void ui_event(struct ui *ui, const struct event *event);

/** The same for a plain key. */
void ui_key(struct ui *ui, int key);

#endif
