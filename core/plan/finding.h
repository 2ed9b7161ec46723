/* core/plan/finding.h - findings: what is wrong with a plan, as data; `src/` prints them, `ui/` shows them beside the field. */
#ifndef SHARDTOP_CORE_PLAN_FINDING_H
#define SHARDTOP_CORE_PLAN_FINDING_H

#include <stdbool.h>

struct plan;

enum diag_level { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

/** Names of the levels as reports spell them. */
extern const char *const diag_level_names[];

enum { DIAG_MESSAGE_MAX = 240, DIAG_MAX = 48 };

/** One finding. */
struct diag {
    enum diag_level level;
    int param;        /* enum param that it is about */
    const char *rule; /* short stable name of the rule */
    bool is_missing;    /* a number that the estimate needs is missing */
    bool is_unmodelled; /* memory and time are unknown because of it */
    char message[DIAG_MESSAGE_MAX]; /* what is wrong; what works */
};

/** The findings of one plan, errors first; `count` <= DIAG_MAX. */
struct diags {
    int count, errors, warnings;
    struct diag item[DIAG_MAX];
};

/**
 * Writes every finding about a resolved plan into `diags`, errors first; each error says which values work where that is
 * known. `plan` is the plan before its blanks were filled in (needed to try other values).
 */
void findings_of(const struct plan *plan, const struct plan *resolved, struct diags *diags);

#endif
