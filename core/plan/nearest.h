/* core/plan/nearest.h - the names that somebody may have meant who typed one that does not exist. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { NEAREST_MAX = 3, NEAREST_TEXT_MAX = 200 };

/** What was typed and the nearest names offered so far, the nearest first; set `typed` and leave the rest zero. */
struct nearest {
    const char *typed;
    bool takes_any; /* a name that is far is better than none */
    const char *name[NEAREST_MAX];
    int distance[NEAREST_MAX], count;
};

/**
 * Takes `name` as an answer when `known`, the spelling to compare with, is near what was typed: its start, a part of
 * it, or a few slips away. Returns true when it is the nearest so far.
 */
bool nearest_offer(struct nearest *nearest, const char *known, const char *name);

/** The answers as "a", "a or b", "a, b or c"; "" without any. Returns how many there are. */
int nearest_list(const struct nearest *nearest, char out[NEAREST_TEXT_MAX]);

/** Edit distance with adjacent swaps, whatever the case; at most 64 bytes of each text count. */
int text_distance(const char *a, const char *b);
