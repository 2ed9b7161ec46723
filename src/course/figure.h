/* src/course/figure.h - the figure beside a step's text: its names, and whether it has what the text speaks of. */
#pragma once

#include "src/course/lesson.h"

/** The view that draws a figure, by its name as `figure:` spells it; LESSON_VIEW_AS_IT_IS for no figure. */
enum lesson_view figure_named(const char *name);

/** What the figure of a view is called; "" for no view. */
const char *figure_name(enum lesson_view view);

/** The view that has the root of a path such as time.bubble_s; LESSON_VIEW_AS_IT_IS for a key. */
enum lesson_view figure_of_path(const char *path);

/** True when the figure of a view shows values of this path, or the path is a key. */
bool figure_has_path(enum lesson_view view, const char *path);

/** True when a text has a word of what the figure of a view shows. */
bool figure_has_word(enum lesson_view view, const char *text);
