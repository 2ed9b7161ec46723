/* core/plan/finding.h - findings: what is wrong with a plan, as data; `src/` prints them, `ui/` shows them beside the field. */
#ifndef SHARDTOP_CORE_PLAN_FINDING_H
#define SHARDTOP_CORE_PLAN_FINDING_H

#include <stdbool.h>

enum diag_level { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

/** Names of the levels as reports spell them. */
extern const char *const diag_level_names[];

enum { DIAG_MESSAGE_MAX = 240, DIAG_MAX = 48 };

/** One finding. */
struct diag {
    enum diag_level level;
    int param;        /* enum param that it is about */
    const char *rule; /* short stable name of the rule */
    bool is_unmodelled; /* memory and time are unknown because of it */
    char message[DIAG_MESSAGE_MAX]; /* what is wrong; what works */
};

/** The findings of one plan, errors first; `count` <= DIAG_MAX. */
struct diags {
    int count, errors, warnings;
    struct diag item[DIAG_MAX];
};

#endif
