/* src/cli/verbs/goal.h - what a goal looks at, and what it answers. */
#pragma once

#include "core/estimate/estimate.h"
#include "core/estimate/range.h"
#include "src/cli/cli.h"

enum { GOAL_WAYS_MAX = 66, GOAL_TEXT_MAX = 320, GOAL_TOP = 12 };

/** One way to reach a goal. */
struct goal_way {
    struct plan plan;
    char text[GOAL_TEXT_MAX], why_not[GOAL_TEXT_MAX]; /* "" where it holds */
    double gpus, iteration_s, tokens_per_s, mfu, device_bytes, headroom_bytes, days, cost, per_token_s, first_token_s;
    double low_days, high_days; /* the range of 8 in 10 runs; 0 without a deadline goal */
    double probability; /* that it holds */
    enum verdict verdict;
};

/** A goal while it is worked on; figures are NAN where they were not given. */
struct goal {
    const struct cli *cli;
    const char *name;
    struct plan given, base; /* of the command line; with what the goal says of it */
    double tokens, days, users, context, ms_per_token, first_token, sure;
    bool has_gpus, has_model; /* they were given */
    bool is_assumed;          /* nobody gave the tokens */
    struct estimate *e; /* of the way that was looked at last */
    int ways, answer;   /* -1: none holds */
    struct goal_way way[GOAL_WAYS_MAX];
    char text[GOAL_TEXT_MAX];
};

/** Estimates a plan and adds it as a way; NULL where there is no room. It holds with the probability that it fits. */
struct goal_way *goal_look(struct goal *goal, const struct plan *plan);

/** Appends to the text of a way or an answer. */
void goal_say(char text[GOAL_TEXT_MAX], const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Changed keys of a way: "tp 4, pp 5"; at most `size` bytes. */
void goal_keys(const struct goal *goal, const struct goal_way *way, char *out, size_t size);

struct ui_goal;
struct ui_goal_ways;

/**
 * Answers a goal on the screen: the plan in `out`, what it is in `text` (GOAL_TEXT_MAX bytes), the ways nearest to it
 * in `ways` unless that is NULL. Returns 0, or -1 with the reason in `text`.
 */
int goal_answer(const char *name, const struct ui_goal *figures, const struct plan *plan, struct plan *out,
                struct ui_goal_ways *ways, char *text);

/** Each fills the ways and the answer; -1 with a fault added. */
int goal_train(struct goal *goal, struct errors *errors);
int goal_tune(struct goal *goal, struct errors *errors);
int goal_serve(struct goal *goal, struct errors *errors);
int goal_size(struct goal *goal, struct errors *errors);
int goal_faster(struct goal *goal, struct errors *errors);
