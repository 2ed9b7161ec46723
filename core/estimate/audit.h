/*
 * core/estimate/audit.h - whether a finished estimate can be true: what cannot is a finding that marks the values it
 * doubts.
 */
#ifndef SHARDTOP_CORE_ESTIMATE_AUDIT_H
#define SHARDTOP_CORE_ESTIMATE_AUDIT_H

struct estimate;

/**
 * Adds to the findings of an estimate the rows of core/estimate/audit.def that do not hold, and what of it no measured
 * run is like. finding_doubts() then says which values are marked. What is unknown breaks no audit.
 */
void audit_estimate(struct estimate *estimate);

#endif
