/*
 * core/estimate/audit.h - whether a finished estimate can be true: what cannot is a finding that marks the values it
 * doubts.
 */
#pragma once

struct estimate;

/**
 * Adds to the findings of an estimate the rows of core/estimate/audit.def that do not hold, and what of it no measured
 * run is like. finding_doubts() then says which values are marked. What is unknown breaks no audit.
 */
void audit_estimate(struct estimate *estimate);
