/* ui/state/settings.h - what a user likes: how the screen starts, when it asks, which keys it has. */
#pragma once

#include "ui/command/bindings.h"
#include "ui/term/theme.h"

#include <stdint.h>

enum { SETTING_TEXT_MAX = 160, SETTING_WHY_MAX = 200 /* bytes */, SETTING_NUMBER_MAX = 9999 };

/** When ^S asks before it writes into the plan's own file. */
enum confirm_save { CONFIRM_FIRST, CONFIRM_ALWAYS, CONFIRM_NEVER };

/** The settings; initialise with settings_default(). */
struct settings {
    char theme[THEME_CHOICE_MAX]; /* as theme_chosen() takes it */
    int mouse;        /* 0 or 1 */
    int start_view;   /* enum pane_id less PANE_FORMS */
    int objective;    /* enum search_objective */
    int confirm_save; /* enum confirm_save */
    int recovery_days;
    int units;        /* enum units */
    uint32_t free;    /* bit set of enum search_axis; 0: what is usual */
    struct bindings bindings;
};

/** How one is written. */
enum setting_kind { SETTING_NAME, SETTING_CHOICE, SETTING_NUMBER, SETTING_AXES };

/** One of them, but for the keys. */
struct setting_row {
    const char *name, *help;
    enum setting_kind kind;
    const char *const *choices; /* the value is the number of one; NULL where there are none */
    size_t slot;                /* member of struct settings */
};

/** The rows, ended by one without a name. */
extern const struct setting_row setting_rows[];

/** The theme of a user who has chosen none. */
extern const char settings_theme[];

/** The settings of a user who has none. */
void settings_default(struct settings *settings);

/** The row of a name, or NULL. */
const struct setting_row *setting_named(const char *name);

/** Sets one from text. Returns 0; or -1, with what is wrong in `why` (SETTING_WHY_MAX bytes). */
int setting_set(struct settings *settings, const struct setting_row *row, const char *text, char *why);

/** Writes one as text. */
void setting_print(const struct settings *settings, const struct setting_row *row, char out[SETTING_TEXT_MAX]);
