/* src/import/words.h - names matched by their words, for the tables that judge what nobody listed. */
#pragma once

#include <stdbool.h>

/**
 * True when one of the words `a|b|c`, which end at a blank or a NUL, is a part of the name between `-_./` and blanks,
 * whatever its case.
 */
bool words_any(const char *name, const char *words);

/** True when all of several such groups, separated by blanks, are. */
bool words_all(const char *name, const char *groups);
