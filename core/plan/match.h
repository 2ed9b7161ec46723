/* core/plan/match.h - how well a name answers what somebody typed: one ranking for lists, pickers and suggestions. */
#pragma once

#include <stdbool.h>

/** The classes of match_name(), best first; within one a name that is longer than what was typed counts less. */
enum match_class {
    MATCH_SAME = 1000,    /* the same letters and digits */
    MATCH_BEGIN = 800,    /* the name begins with them */
    MATCH_WORDS = 700,    /* each word begins a word of the name, in order */
    MATCH_ANY_ORDER = 600,
    MATCH_INSIDE = 500,   /* three characters or more stand inside */
    MATCH_INITIALS = 300, /* each letter begins a word, or follows the letter before it */
    MATCH_SLIP = 200,     /* one slip of the fingers from four characters on, two from eight */
};

enum { MATCH_SYNONYM = 10 /* less for a name that is not the thing's own */, MATCH_HELP = 100, MATCH_MAX = 64 };

/** What the name is worth for the query, whatever case and marks between words; 0: nothing. */
int match_name(const char *query, const char *name);

/** The best of names that stand as "a|b|c"; 0: nothing. */
int match_names(const char *query, const char *names);

/** True when every word of the query has three letters or more and begins a word of the text. */
bool match_help(const char *query, const char *text);

/** True when `text`, which has no bar, has the letters and digits of a name in "a|b|c". */
bool match_same(const char *text, const char *names);
