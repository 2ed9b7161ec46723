/*
 * core/search/search.h - the best layouts of a plan, exactly: every valid layout's memory and a bound of its time, and
 * the time itself, with the schedule played, of those that the bound does not rule out.
 *
 *     search_begin(search, &ask, 0, 1);
 *     while (search_step(search, 64)) ...             a slice of 512 layouts; look at input, show search_share()
 *     search->answer                                  best layouts, front, counts; valid at any time, exact when
 *                                                     complete
 *
 * The caller has the storage (sizeof(struct search), about four megabytes, zero before its first use) and may use it
 * again for the next question. No clock, no threads: parts of a space may be searched side by side and merged, the
 * answer is the same.
 */
#pragma once

#include "core/estimate/quick.h"
#include "core/estimate/range.h"
#include "core/plan/rule.h"
#include "core/search/space.h"
#include "core/show/figure.h"

/**
 * What is best: the smallest of these. What tokens take is the same for one batch as what an iteration takes; where the
 * plan says how often GPUs fail, it is what failures and checkpoints leave of the time.
 */
#define SEARCH_GOALS(GOAL) /* id, name, keys that it needs, the column of its value: title, kind, unit */             \
    GOAL(TIME, "time", PARAM_COUNT, PARAM_COUNT, NULL, FIGURE_SECONDS, 1)  /* seconds a token */                      \
    GOAL(MEMORY, "memory", PARAM_COUNT, PARAM_COUNT, NULL, FIGURE_GIB, 1)  /* on the fullest device, then time */     \
    GOAL(COST, "cost", PARAM_hardware_price_per_gpu_hour, PARAM_COUNT, "$ a Mtoken", FIGURE_SUM, 1)                   \
    GOAL(ENERGY, "energy", PARAM_hardware_watts, PARAM_COUNT, "Wh a Mtoken", FIGURE_SUM, 1e-3) /* of rated power */   \
    GOAL(GPUS, "gpus", PARAM_COUNT, PARAM_COUNT, "GPUs", FIGURE_EXACT, 1)  /* that are fast enough, then time */      \
    GOAL(TRAIN_TIME, "train-time", PARAM_train_total_tokens, PARAM_COUNT, "training", FIGURE_SECONDS, 1)              \
    GOAL(TRAIN_COST, "train-cost", PARAM_train_total_tokens, PARAM_hardware_price_per_gpu_hour, "training $",         \
         FIGURE_SUM, 1)
enum search_objective {
#define GOAL_ID(id, ...) SEARCH_##id,
    SEARCH_GOALS(GOAL_ID)
#undef GOAL_ID
    /* keys of the layout that are others than in the plan, then time; for advice, it has no name */
    SEARCH_CHANGES,
    SEARCH_OBJECTIVES
};

/** An objective: its name, the keys that it cannot do without (PARAM_COUNT: none), and how its value is shown. */
struct search_goal {
    const char *name;
    enum param needs[2];
    const char *title; /* of a column; NULL: time or memory shows it */
    enum figure_kind kind;
    double unit;       /* what search_value() is divided by */
};
extern const struct search_goal search_goals[SEARCH_OBJECTIVES];

/** Looks up an objective by name; SEARCH_OBJECTIVES for an unknown one. */
enum search_objective search_goal_named(const char *name);

/** The first key that an objective needs and a resolved plan does not set; PARAM_COUNT for none. */
enum param search_missing_key(enum search_objective objective, const struct plan *resolved);

/** How a key that an objective needs may be given: "total_tokens=1T"; "" for keys that none does. */
const char *search_example(enum param key);

/** Required certainty that a layout fits. */
enum search_fit {
    SEARCH_FITS,  /* verdict fits: with a probability of 0.9 */
    SEARCH_TIGHT, /* or tight */
    SEARCH_ANY,   /* memory does not matter */
};

/** What may rule out a valid layout. */
enum search_limit {
    LIMIT_FIT,        /* `fit` */
    LIMIT_MAX_MEMORY, /* max_memory_bytes */
    LIMIT_HEADROOM,   /* headroom_bytes */
    LIMIT_DEADLINE,   /* slowest_token_s, as far as it is seen without playing the schedule; */
    LIMIT_PACE,       /* the same where `slowest_by` is this */
    LIMIT_WHERE,      /* `condition`, those of keys; of the others it is known for few layouts */
    LIMIT_COUNT
};
extern const char *const search_limit_names[LIMIT_COUNT]; /* as the command line has them: "fit", "max-memory" ... */

enum { SEARCH_TOP_MAX = 64, SEARCH_FRONT_MAX = 256, SEARCH_WAITING_MAX = 4096, SEARCH_CONDITIONS_MAX = 8,
       SEARCH_CONDITION_MAX = 240 /* bytes of one as a text */ };

/** The relation of a condition. */
enum search_relation { RELATION_AT_MOST, RELATION_AT_LEAST, RELATION_IS_NOT, RELATION_IS, RELATION_BELOW,
                      RELATION_ABOVE, RELATION_COUNT };
extern const char *const search_relation_names[RELATION_COUNT]; /* "<=" ... */

/** A figure that a condition may be about, of a full estimate. */
struct search_figure {
    const char *name;
    double (*of)(const struct estimate *estimate);
    bool is_share;
};

/** The figures that conditions may be about; without a name at the end. */
extern const struct search_figure search_figures[];

/** A condition on a key of a layout, or on a figure of its full estimate. */
struct search_condition {
    const char *text; /* as it was asked, `length` bytes; as long as the question lives */
    int length;
    enum param key;   /* PARAM_COUNT: a figure */
    const struct search_figure *figure;
    enum search_relation relation;
    double value;
};

/** A question. */
struct search_ask {
    struct space_ask space;
    enum search_objective objective;
    int top;                 /* results wanted, 1 to SEARCH_TOP_MAX */
    enum search_fit fit;
    double max_memory_bytes; /* on the device; NAN: no limit */
    double headroom_bytes;   /* at least; NAN: no limit */
    double slowest_token_s;  /* seconds a token at most; NAN: no limit */
    enum search_limit slowest_by; /* whose limit that is: LIMIT_DEADLINE or LIMIT_PACE */
    int conditions;
    struct search_condition condition[SEARCH_CONDITIONS_MAX];
};

/** A layout with its figures. */
struct search_result {
    struct space_layout layout;
    double value;       /* of the objective: seconds a token, bytes, USD a million tokens */
    double iteration_s; /* with the schedule played */
    double peak_device_bytes, headroom_bytes;
    double fit_deviations; /* of struct quick */
    int complexity;
};

/** An answer. */
struct search_answer {
    /* looked at; valid and modelled; within `excluded`'s limits; schedules played */
    long candidates, evaluated, feasible, played;
    bool is_complete;
    int count; /* of `best`, best first; ties end in complexity, headroom, the order of axes */
    struct search_result best[SEARCH_TOP_MAX]; /* those that differ only in own keys that change nothing are one */
    int front_count; /* no other layout has less memory and less time: from the least memory to the least time */
    struct search_result front[SEARCH_FRONT_MAX];
    long excluded[LIMIT_COUNT];
    struct search_tally { /* of each condition about a key, among all valid layouts: */
        long excluded;    /* that it is the first to rule out */
        long met;         /* that meet it */
        double least, most; /* the key's values */
    } tally[SEARCH_CONDITIONS_MAX];
    bool has_nearest; /* the least memory of what only memory rules out */
    struct search_result nearest;
    bool is_one_each; /* of layouts that differ only in own keys the best one is kept */
};

enum { FEATURE_ROUNDS_MAX = 12, FEATURE_IMPROVED = 32 };

/** Rounds of a search over many own keys, core/search/feature.h: the values that each one had, by number. */
struct feature_rounds {
    int count;
    int tried[FEATURE_ROUNDS_MAX][SPACE_OWN_MAX];
    struct rule_set excused;
    bool by_time; /* of the question; rounds before the last ones do without */
    int improved; /* layouts that no other value of one key makes better, so far; the last of them in `best` */
    struct space_layout best[FEATURE_IMPROVED];
    uint64_t judged[SPACE_OWN_MAX]; /* bit set of values that were tried in a layout that was valid with them */
};

/** A search under way; its cache is zero before the first one, and serves every later one. */
struct search {
    struct search_ask ask;
    struct plan given; /* its plan, resolved */
    struct rule_set excused; /* rules that it breaks and layouts may */
    struct space space;
    struct search_answer answer;
    struct quick_cache cache;
    struct plan resolved; /* of the layout that is looked at, */
    struct quick_layout layout;
    double least_deviations; /* of a layout that surely enough fits */
    double goodput; /* of `resolved`: estimate_goodput() */
    unsigned changed, stale; /* enum varies, since `layout` was estimated, and since `resolved` and its symbols were */
    bool rest_is_possible; /* no rule forbids it but those that follow from the pipeline, recomputation and sharding */
    bool is_possible;   /* no rule forbids `layout` but those that follow from recomputation and sharding */
    struct search_sharding { /* the shardings of its shape, SPACE_AS_GIVEN first: what no recomputation changes */
        bool is_known, is_allowed;
        struct symbols symbols; /* of them those that follow from sharding */
    } sharding[4 - SPACE_AS_GIVEN];
    bool is_sorted; /* `wait`, most promising first */
    int waiting; /* layouts whose schedule may have to be played */
    struct search_result wait[SEARCH_WAITING_MAX];
    struct estimate whole; /* of a layout whose figures are asked about */
    struct search_rl { /* an iteration of reinforcement learning on a number of GPUs, around its training step */
        double world, rest_s, updates, logprobs;
    } rl;
    bool has_rounds;
    struct feature_rounds rounds;
};

/** The question with the usual settings: time, the default axes, 5 results, what fits. */
void search_ask_about(const struct plan *plan, struct search_ask *out);

/** Begins a search of part `part` of `parts` of the layouts; false if numbers are missing or the plan serves. */
bool search_begin(struct search *search, const struct search_ask *ask, int part, int parts);

/** Continues for a number of blocks of 8 layouts; true while there is more to do. */
bool search_step(struct search *search, int blocks);

/** How much of the space has been looked at, 0 to 1; for progress. */
double search_share(const struct search *search);

/** An answer that knows nothing yet, complete as long as nothing incomplete is merged into it. */
void search_answer_begin(struct search_answer *out);

/** Begins with results of the same question that are known, which rule out slower ones; behind search_begin(). */
void search_know(struct search *search, const struct search_answer *known);

/** Makes the result of a layout that was estimated in full; false if its time is not known. */
bool search_result_of(const struct search_ask *ask, const struct space_layout *layout, const struct estimate *estimate,
                      struct search_result *out);

/** The frameworks' own checks that results may break because the plan does, in keys that the search leaves alone. */
void search_excuses(const struct search_ask *ask, struct rule_set *out);

/** Negative if result `a` is better than `b`. */
int search_compare(const struct search_result *a, const struct search_result *b);

/** Adds a result that is within the limits. */
void search_add(struct search_answer *answer, const struct search_ask *ask, const struct search_result *result);

/** Adds the answer of another part of the same question. */
void search_merge(struct search_answer *into, const struct search_answer *other, const struct search_ask *ask);

/**
 * What an objective other than SEARCH_CHANGES makes of a resolved plan: its goodput is estimate_goodput(), the rest is
 * of the full estimate.
 */
double search_value(enum search_objective objective, const struct plan *resolved, double goodput, double iteration_s,
                    double bytes);

enum { SEARCH_RANGE_MAX = 120 /* bytes */ };

/**
 * Writes what the key of a condition that no valid layout meets is in them: "pp is 1 to 64"; "" for one that some meet,
 * and where values have no order.
 */
void search_range(const struct search_condition *condition, const struct search_tally *tally,
                  char out[SEARCH_RANGE_MAX]);

/** Whether a plan that is estimated in full meets the conditions of a question. */
bool search_meets(const struct search_ask *ask, const struct estimate *estimate);

/** Whether a plan that is estimated in full is within the limits of a question, as its results are. */
bool search_takes(const struct search_ask *ask, const struct estimate *estimate);

/** The plan of a result, blanks allowed. */
void search_plan(const struct search_ask *ask, const struct search_result *result, struct plan *out);
