/* core/plan/framework.h - training frameworks: what each ships with, and whether it is modelled. */
#ifndef SHARDTOP_CORE_PLAN_FRAMEWORK_H
#define SHARDTOP_CORE_PLAN_FRAMEWORK_H

#include "core/plan/plan.h"

#include <stdbool.h>

enum { FRAMEWORK_DEFAULTS_MAX = 16 };

/** One framework. */
struct framework {
    const char *name;    /* as `framework.name` spells it */
    const char *version; /* the release or commit that the model follows, with its date */
    const char *summary; /* what it is, one line */
    bool is_modelled;    /* false: memory and time are unknown, and the plan says so */
    struct {
        enum param param;
        double value;
    } fallback[FRAMEWORK_DEFAULTS_MAX]; /* what a blank becomes; ends with param PARAM_COUNT */
};

/** The frameworks, indexed by enum framework_id. */
extern const struct framework frameworks[FRAMEWORK_COUNT];

/** What `param` defaults to under a framework; NAN when the framework says nothing about it. */
double framework_default(enum framework_id framework, enum param param);

#endif
