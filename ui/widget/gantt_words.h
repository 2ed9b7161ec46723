/* ui/widget/gantt_words.h - the passes of a stage as a sentence, for those who do not see the chart. */
#pragma once

#include "ui/widget/gantt.h"

#include <stddef.h>

enum { GANTT_WORDS_MAX = 8192 /* bytes */ };

/**
 * Writes the passes of a stage from number `first` to `last`, counted from 1: when they start, their order, what each
 * wait is for, and what the stage waits in the whole iteration. What the chart leaves out is said.
 */
void gantt_words(const struct gantt *gantt, const struct estimate *estimate, int stage, int first, int last,
                 char out[GANTT_WORDS_MAX]);
