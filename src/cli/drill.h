/* src/cli/drill.h - exercises on the screen: pages with a question each, whose plan opens with the answer. */
#ifndef SHARDTOP_SRC_CLI_DRILL_H
#define SHARDTOP_SRC_CLI_DRILL_H

#include <stdbool.h>

struct ui_lesson;

/** True while exercises are asked. */
bool drill_is_open(void);

/**
 * Asks the first question. `words`: kinds ("fits bubble"), a level (1 to 3), `seed=N` for the questions of a seed; "" for all
 * kinds of level 2 by what is known least. Returns 0, or -1 with what is wrong in `message` (UI_MESSAGE_MAX bytes).
 */
int drill_open(const char *words, char *message);

/** The present question as a page. */
const struct ui_lesson *drill_page(void);

/** Goes to `next` or `back`, or shows the present question anew. Returns 0, or -1 with the reason in `message`. */
int drill_go(const char *where, char *message);

/** Takes an answer, says the right one, ends. */
void drill_answer(const char *typed);
void drill_reveal(void);
void drill_hint(void);
void drill_close(void);

#endif
