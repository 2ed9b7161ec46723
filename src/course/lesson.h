/* src/course/lesson.h - a lesson as its file has it: steps with settings, notes, questions and tasks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct errors;
struct keyvals;
struct node;

enum {
    LESSON_NAME_MAX = 24, LESSON_STEPS_MAX = 40, LESSON_LOOKS_MAX = 4, LESSON_CHOICES_MAX = 4,
    LESSON_BYTES_MAX = 64 << 10
};

/** The views of the screen that a step may ask for, in the order of lesson_view_names. */
enum lesson_view {
    LESSON_VIEW_AS_IT_IS = -1, LESSON_VIEW_MEMORY, LESSON_VIEW_COMMUNICATION, LESSON_VIEW_GRID, LESSON_VIEW_SCHEDULE,
    LESSON_VIEW_LAYERS, LESSON_VIEW_TIME, LESSON_VIEW_SERVING, LESSON_VIEW_ESTIMATORS, LESSON_VIEW_SWEEP,
    LESSON_VIEW_COUNT
};
extern const char *const lesson_view_names[LESSON_VIEW_COUNT + 1];

/** What a member of a lesson's file is. */
enum lesson_kind { LESSON_TEXT, LESSON_NUMBER, LESSON_TRUE, LESSON_LIST, LESSON_MAPPING };

/** A member of a mapping of a lesson's file. */
struct lesson_member {
    const char *name;
    enum lesson_kind kind;
    bool is_needed;
    size_t slot;     /* where its node is kept */
    size_t size_max; /* bytes of a text; 0: whatever */
    const char *help;
};

/** What the mappings of a lesson's file hold; the reader and the manual are made of it. */
struct lesson_shape {
    const char *name, *about;
    const struct lesson_member *member;
    size_t count;
};
enum lesson_shape_id { SHAPE_LESSON, SHAPE_STEP, SHAPE_ASK, SHAPE_CHOICE, SHAPE_TASK, LESSON_SHAPES };
extern const struct lesson_shape lesson_shapes[LESSON_SHAPES];

/** What each kind is called: "a text". */
extern const char *const lesson_kind_names[];

/** One answer to choose: right by itself or where its condition holds. */
struct lesson_choice {
    const struct node *text, *when, *right;
};

/** A question: a number to work out (`answer`), or one of `choices`. */
struct lesson_ask {
    int line;                                                    /* 0: the step asks nothing */
    const struct node *q, *answer, *unit, *within, *choices, *at, *hints, *because;
    struct lesson_choice choice[LESSON_CHOICES_MAX];
    int choice_count;
    int at_step; /* whose values the answer is worked out from */
};

/** Something to reach by changing the plan. */
struct lesson_task {
    int line; /* 0: the step has no task */
    const struct node *free, *until, *solution, *hints, *after;
};

/** One step. Members are nodes of the file, NULL where it has none. */
struct lesson_step {
    int line;
    const struct node *id, *plan, *from, *set, *view, *look, *note, *check, *given, *invalid, *figure, *mark, *sweep,
        *ask_node, *task_node;
    int from_step; /* of `from`, -1 without */
    struct lesson_ask ask;
    struct lesson_task task;
};

/** A lesson; zero-initialise, release with lesson_free(). */
struct lesson {
    char *file; /* for messages */
    struct node *root;
    const struct node *schema, *name, *title, *goal, *take, *minutes, *needs, *plan, *given, *steps_node, *sources;
    struct lesson_step step[LESSON_STEPS_MAX];
    int steps;
};

/**
 * Reads a lesson. What its members are, their kinds, names and lengths are checked with every fault added; whether they
 * are true is lesson_audit()'s. Returns 0, or -1 with faults added.
 */
int lesson_read(const char *text, size_t size, const char *file, struct lesson *out, struct errors *errors);
void lesson_free(struct lesson *lesson);

/** The step with this id, or -1. */
int lesson_step_find(const struct lesson *lesson, const char *id, size_t size);

/** The view of a step, or that of the nearest step before it that names one. */
enum lesson_view lesson_view_of(const struct lesson *lesson, int step);

/** The entries of a list as texts; NULL past its end, and of no list. */
const char *lesson_item(const struct node *list, int index);

/** Appends the members of a mapping as settings; `null` gives a key back to its default. */
void lesson_settings(const struct node *mapping, struct keyvals *out);

/** Appends them for people: "tp 2, sp by default". */
void lesson_say_settings(const struct node *mapping, struct buffer *out);

/** A setting's value as a file would have it, in fresh memory. */
char *lesson_value_text(const struct node *value);

/** True for what a lesson may be called: a-z, 0-9 and -, 2 to 24 of them. */
bool lesson_is_name(const char *text);

/** The shipped or own lesson of this name, or a file. Returns 0, or -1 with faults added. */
int lesson_load(const char *name_or_path, struct lesson *out, struct errors *errors);

/** True when there is a shipped or own lesson of this name. */
bool lesson_known(const char *name);
