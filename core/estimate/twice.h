/*
 * core/estimate/twice.h - what is compiled twice: the functions whose bodies are the texts of the rows, for an estimate
 * spends its time there.
 *
 * The Makefile compiles the files TWICE as they stand and, for x86-64, once more with AVX2, which takes up to four
 * numbers at a time; core/estimate/twice.c calls what the processor has. Both give the same bits, for each operation of
 * a formula is rounded by itself: none is fused with another or moved.
 */
#ifndef SHARDTOP_CORE_ESTIMATE_TWICE_H
#define SHARDTOP_CORE_ESTIMATE_TWICE_H

#include "core/estimate/comm.h"
#include "core/estimate/fold.h"
#include "core/estimate/stage.h"
#include "core/estimate/symbols.h"
#include "core/estimate/timing.h"
#include "core/plan/rule.h"

/** The name of a function of core/estimate/twice.def where it is defined. The second time tables are left out. */
#ifdef SECOND_TIME
#define TWICE(name) name##_avx2
#else
#define TWICE(name) name##_plain
#endif

#define SHEET(type, name, parameters, arguments)                                                                       \
    type name##_plain parameters;                                                                                     \
    type name##_avx2 parameters;
#include "core/estimate/twice.def"
#undef SHEET

#endif
