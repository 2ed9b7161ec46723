/*
 * core/plan/finding.h - findings: what is wrong with a plan, as data; finding_text() is the one place that makes a
 * sentence of one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct plan;
struct symbols;

enum diag_level { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

/** Names of the levels as reports spell them. */
extern const char *const diag_level_names[];

enum { DIAG_MAX = 48, DIAG_NUMBERS_MAX = 5, DIAG_VALID_MAX = 24, DIAG_TEXT_MAX = 240 /* bytes */ };

/** What `valid` of a finding lists: nothing, every value that works, or the nearest below and above. */
enum diag_valid { DIAG_VALID_UNKNOWN, DIAG_VALID_ALL, DIAG_VALID_NEAREST };

/** One finding. */
struct diag {
    enum diag_level level;
    int param;          /* enum param that it is about */
    const char *rule;   /* short stable name of the rule */
    const char *doubts; /* paths of the values that cannot be true, separated by blanks; NULL or "" for none */
    bool is_missing;    /* a number that the estimate needs is missing */
    bool is_unmodelled; /* memory and time are unknown because of it */
    bool is_refused;    /* the framework's own checks would stop the run */
    const char *sentence;            /* what is wrong; {name} stands for a number, {framework} for `name` */
    const char *name;                /* of the framework */
    double number[DIAG_NUMBERS_MAX]; /* for each {name}, in the order of the sentence */
    int digits;                      /* significant ones that the sentence shows of them */
    enum diag_valid valid_kind;
    int valid_count;
    double valid[DIAG_VALID_MAX]; /* values of the key */
};

/** The findings of one plan, errors first; `count` <= DIAG_MAX. */
struct diags {
    int count, errors, warnings;
    bool is_modelled; /* no rule says that memory and time are unknown */
    struct diag item[DIAG_MAX];
};

/** A sentence. */
struct finding_text {
    char text[DIAG_TEXT_MAX];
};

/** "tp 3 does not divide 64 heads; works: 1 2 4 8"; with MESSAGES_AS_IDS defined only the rule's name. */
struct finding_text finding_text(const struct diag *diag);

/** Looks up the number of each {name} in the finding's sentence. */
void finding_fill(struct diag *diag, double (*find)(const char *name, size_t length, const void *context),
                  const void *context);

/** Adds a finding after those of its level and above; one too many is dropped. */
void finding_add(struct diags *diags, const struct diag *diag);

/** The finding that doubts the value at `path`, or NULL. */
const struct diag *finding_doubts(const struct diags *diags, const char *path);

/**
 * Writes every finding about a resolved plan, whose symbols are given, into `diags`, errors first; each error lists
 * the values that work where they are known. `plan` is the plan before its blanks were filled in (needed to try other
 * values).
 */
void findings_of(const struct plan *plan, const struct plan *resolved, const struct symbols *symbols,
                 struct diags *diags);
