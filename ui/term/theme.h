/* ui/term/theme.h - colours by meaning: a theme says how each role looks with 256, 16 and no colours. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/** What a cell means; drawing code names roles, never colours. */
enum role {
    ROLE_TEXT,      /* words and values */
    ROLE_STRONG,    /* headline figures, the one that decides, the user's own values */
    ROLE_MUTED,     /* units, defaults, hints, captions */
    ROLE_FAINT,     /* rules and arrows, which carry no meaning alone */
    ROLE_TITLE,     /* names of panels */
    ROLE_KEY,       /* key names */
    ROLE_FOCUS,     /* the selected field */
    ROLE_SELECT,    /* the selected row of a panel */
    ROLE_EDIT,      /* text being typed */
    ROLE_GOOD,      /* fits, better than the baseline */
    ROLE_WARN,      /* tight, crosses nodes, stale results */
    ROLE_BAD,       /* does not fit, errors */
    ROLE_PILL_GOOD, ROLE_PILL_WARN, ROLE_PILL_BAD, /* the verdict */
    ROLE_TRACK,     /* the free part of a bar */
    ROLE_LIMIT,     /* usable memory */
    ROLE_WEIGHTS, ROLE_GRADIENTS, ROLE_OPTIMIZER, ROLE_ACTIVATIONS, ROLE_TRANSIENT, ROLE_SCRATCH, ROLE_CACHE,
    ROLE_DRIVER,    /* parts of memory */
    ROLE_USEFUL, ROLE_BELOW, ROLE_AGAIN, ROLE_IDLE, ROLE_TRAFFIC, ROLE_TRAFFIC_MOST,
    ROLE_STEP,      /* parts of time: maths, slow kernels, repeated, waiting, traffic, the rest */
    ROLE_STAYS,     /* memory that does not change within an iteration */
    ROLE_SELECTED,  /* the selected rank of a grid */
    ROLE_GROUP,     /* ranks that share a group with it */
    ROLE_HEAT1, ROLE_HEAT2, ROLE_HEAT3, ROLE_HEAT4, ROLE_HEAT5, /* cells of a map, from the least value to the most */
    ROLE_COUNT
};

/** The name of a role as theme files spell it: text, strong, muted ... */
const char *role_name(enum role role);

/** What fills a bar of this role where no colour can be shown; 0 for a role that is no bar. */
uint32_t role_fill(enum role role);

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
    bool is_own[ROLE_COUNT]; /* the file has this role; another one looks as its twin */
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
