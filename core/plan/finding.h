/*
 * core/plan/finding.h - findings: what is wrong with a plan, as data; `src/` prints them, `ui/` shows them beside the
 * field.
 */
#ifndef SHARDTOP_CORE_PLAN_FINDING_H
#define SHARDTOP_CORE_PLAN_FINDING_H

#include <stdbool.h>
#include <stddef.h>

struct plan;
struct symbols;

enum diag_level { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

/** Names of the levels as reports spell them. */
extern const char *const diag_level_names[];

enum { DIAG_MESSAGE_MAX = 240, DIAG_MAX = 48 };

/** One finding. */
struct diag {
    enum diag_level level;
    int param;        /* enum param that it is about */
    const char *rule; /* short stable name of the rule */
    const char *doubts; /* paths of the values that cannot be true, separated by blanks; NULL or "" for none */
    bool is_missing;    /* a number that the estimate needs is missing */
    bool is_unmodelled; /* memory and time are unknown because of it */
    char message[DIAG_MESSAGE_MAX]; /* what is wrong; what works */
};

/** The findings of one plan, errors first; `count` <= DIAG_MAX. */
struct diags {
    int count, errors, warnings;
    bool is_modelled; /* no rule says that memory and time are unknown */
    struct diag item[DIAG_MAX];
};

enum { FINDING_VALUE_MAX = 32 };

/**
 * Writes a message into `out`, each {name} replaced by what `print` writes for it; a name that it does not know, of
 * which it returns false, stays.
 */
void finding_fill(const char *message,
                  bool (*print)(const char *name, size_t length, const void *context, char text[FINDING_VALUE_MAX]),
                  const void *context, char *out, size_t size);

/** Adds a finding behind those of its level and above; one too many is left out. */
void finding_add(struct diags *diags, const struct diag *diag);

/** The finding that doubts the value at `path`, or NULL. */
const struct diag *finding_doubts(const struct diags *diags, const char *path);

/**
 * Writes every finding about a resolved plan, whose symbols are given, into `diags`, errors first; each error says
 * which values work where that is known. `plan` is the plan before its blanks were filled in (needed to try other
 * values).
 */
void findings_of(const struct plan *plan, const struct plan *resolved, const struct symbols *symbols,
                 struct diags *diags);

#endif
