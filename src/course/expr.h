/* src/course/expr.h - arithmetic and conditions over values of a result: `W+G > 2*@start:W and fits`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { EXPR_TEXT_MAX = 96, EXPR_WHY_MAX = 200, EXPR_SIZE_MAX = 900, EXPR_DEPTH_MAX = 32 };

/** What an expression comes to. */
struct expr_value {
    enum expr_kind { EXPR_UNKNOWN, EXPR_NUMBER, EXPR_WORD } kind; /* true and false are 1 and 0 */
    double number;
    char word[EXPR_TEXT_MAX]; /* of EXPR_WORD */
};

/** Looks up a path of `size` bytes; false with the reason in `why` (EXPR_WHY_MAX bytes) when there is no such value. */
typedef bool expr_lookup(void *context, const char *path, size_t size, struct expr_value *out, char *why);

/**
 * Evaluates `size` bytes: numbers, paths, + - * / ( ), min max abs round, == != < <= > >=, and or not. What depends on
 * an unknown value, or divides by zero, is unknown. Returns 0, or -1 with what is wrong in `why`.
 */
int expr_evaluate(const char *text, size_t size, expr_lookup *lookup, void *context, struct expr_value *out, char *why);

/** A number as a value. */
struct expr_value expr_number(double number);

/** True when a condition's value holds: known, and not 0. */
bool expr_holds(const struct expr_value *value);
