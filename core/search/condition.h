/* core/search/condition.h - conditions as texts: "tp<=8", "schedule=1f1b", "mfu>=40%,pp>1". */
#pragma once

struct search_ask;

/**
 * Adds a condition on a key or a figure to a question, or several with commas between; the text is to live as long as
 * the question. Returns 0, or -1 with the reason in `why` (SEARCH_WHY_MAX bytes).
 */
int condition_add(struct search_ask *ask, const char *text, char *why);
