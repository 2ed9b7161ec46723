/* src/cli/condition.h - the texts of --where: "tp<=8", "schedule=1f1b", "mfu>=40%". */
#ifndef SHARDTOP_SRC_CLI_CONDITION_H
#define SHARDTOP_SRC_CLI_CONDITION_H

struct errors;
struct search_ask;

/** Adds a condition on a key or a figure to a question, or a fault; the text is to live as long as the question. */
void condition_add(struct search_ask *ask, const char *text, struct errors *errors);

#endif
