/* ui/term/theme.h - colours by meaning: a theme says how each role looks with 256, 16 and no colours. */
#ifndef SHARDTOP_UI_TERM_THEME_H
#define SHARDTOP_UI_TERM_THEME_H

#include <stdbool.h>

/** What a cell means; drawing code names roles, never colours. */
enum role {
    ROLE_TEXT,      /* numbers and labels */
    ROLE_DIM,       /* derived values, free space, hints */
    ROLE_TITLE,     /* pane titles */
    ROLE_KEY,       /* key names on the hint line */
    ROLE_FOCUS,     /* the selected field or row */
    ROLE_EDIT,      /* text being typed */
    ROLE_GOOD,      /* fits, better than the baseline */
    ROLE_BAD,       /* does not fit, errors */
    ROLE_WARN,      /* warnings, stale results */
    ROLE_WEIGHTS, ROLE_GRADIENTS, ROLE_OPTIMIZER, ROLE_ACTIVATIONS, ROLE_TRANSIENT, ROLE_SCRATCH, ROLE_CACHE,
    ROLE_DRIVER,    /* parts of bars: of memory, and of time again */
    ROLE_SELECTED,  /* the selected rank of a grid */
    ROLE_GROUP,     /* ranks that share a group with it */
    ROLE_HEAT1, ROLE_HEAT2, ROLE_HEAT3, ROLE_HEAT4, ROLE_HEAT5, /* cells of a map, from the least value to the most */
    ROLE_COUNT
};

/** Names of the roles as theme files spell them: text, dim, title ... */
extern const char *const role_names[ROLE_COUNT];

/** How one role looks. Colours are palette indices, -1 for the terminal's own. */
struct look {
    short fg256, bg256; /* with 256 colours */
    short fg16, bg16;   /* with 8 or 16 colours */
    bool bold, underline, reverse, dim;
};

enum { THEME_NAME_MAX = 32, THEME_CHOICE_MAX = 80, THEME_TEXT_MAX = 80, THEME_MESSAGE_MAX = 160 }; /* bytes */

/** A theme, as a file of themes/ describes it. */
struct theme {
    char name[THEME_NAME_MAX];
    char about[THEME_TEXT_MAX];
    bool is_light; /* made for a light background */
    struct look look[ROLE_COUNT];
};

/** What a terminal says of its background. */
enum ground { GROUND_UNKNOWN, GROUND_LIGHT, GROUND_DARK };

/** True when a choice (THEME_CHOICE_MAX bytes) names a theme for each background, as "light paper, dark slate". */
bool theme_follows(const char *choice);

/** Writes the theme of a choice: the name that it is, or that for this background, the default one while unknown. */
void theme_chosen(const char *choice, enum ground ground, char out[THEME_NAME_MAX]);

/** The theme that needs no file: the terminal's own colours, bold and reverse. */
void theme_default(struct theme *theme);

/**
 * How a role looks where there are so many colours, the ones to use in fg256 and bg256: bright ones fold to 8 and bold;
 * a background on which the text cannot be read, or that an earlier part of a bar has already, goes.
 */
struct look theme_look(const struct theme *theme, enum role role, int colors);

/** True when bars are told apart by their backgrounds. */
bool theme_has_bars(const struct theme *theme);

/**
 * Contrast of two palette colours, 1 to 21: WCAG 2.1 relative luminance, the first 16 as the Linux console has them;
 * NAN when one is the terminal's own.
 */
double theme_contrast(int one, int other);

/** Red, green and blue of a palette colour as 0xrrggbb, the first 16 as the Linux console has them. */
unsigned theme_rgb(int color);

enum { THEME_LEAST_CONTRAST = 45 }; /* tenths: of every text on the background of its role */

/** The first role whose 256-colour text cannot be read on its own background; ROLE_COUNT when all can. */
enum role theme_unreadable(const struct theme *theme);

/**
 * Sets how one role looks from words: `fg=25 bg=default fg16=4 bg16=default bold underline reverse dim`; what is not
 * named is the terminal's own. Returns 0; or -1 with what is wrong in `message` (THEME_MESSAGE_MAX bytes).
 */
int theme_set(struct theme *theme, const char *role, const char *words, char *message);

#endif
