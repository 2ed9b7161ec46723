/* src/cli/verbs/verbs.h - what the commands share: each runs as struct cli_verb says. */
#pragma once

#include "src/cli/cli.h"

enum { STATUS_INTERRUPTED = 130 }; /* by the user; results so far are printed */

cli_verb_run verb_screen, verb_show, verb_explain, verb_import, verb_export, verb_search, verb_compare, verb_advice,
    verb_find, verb_goal, verb_lesson, verb_exercise, verb_glossary, verb_watch, verb_sweep, verb_batch, verb_runs,
    verb_list, verb_schema, verb_man, verb_completion, verb_help;

/** Whether text goes to standard output with colours. */
bool verb_has_color(const struct cli *cli);

/** Whether the interactive screen is asked for: on a terminal, drawn as text or line by line. */
bool verb_opens_screen(const struct cli *cli);

/** The estimator of that name (enum reference_id), -1 with a fault added. */
int verb_find_estimator(const char *name, struct errors *errors);

struct reading;
struct ui_found;

/** Hands what `/` on the screen lists for a phrase to `each`, at most `most`. Returns how many. */
int verb_find_each(const char *phrase, int most, void (*each)(void *context, const struct ui_found *found),
                   void *context);

/** Has `reading` read the file once more when its lines are asked for, with what it was read with. */
void verb_read_again(const struct cli *cli, const char *path, struct reading *reading);
