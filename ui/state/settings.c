#include "ui/state/settings.h"

#include "core/search/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const switch_choices[] = {"false", "true", NULL}, *const switch_words[] = {"off", "on"};
static const char *const view_choices[] = {
#define VIEW(id, ID, name, ...) name,
#include "ui/pane/view.def"
#undef VIEW
    NULL};
static const char *const unit_choices[] = {"GiB", "GB", NULL};
static const char *const objective_choices[] = {
#define GOAL_NAME(id, name, ...) name,
    SEARCH_GOALS(GOAL_NAME)
#undef GOAL_NAME
    NULL};
static const char *const confirm_choices[] = {"first", "always", "never", NULL};

const char settings_theme[] = "light paper, dark slate";
static const char usual[] = "usual"; /* what a search changes unless told */

#define SLOT(member) offsetof(struct settings, member)

const struct setting_row setting_rows[] = {
    {"theme",
     "colours: a name, a file's in themes/ of this folder, or `light paper, dark slate` as the terminal reports itself",
     SETTING_NAME, NULL, SLOT(theme)},
    {"mouse", "the mouse selects, and the wheel steps", SETTING_CHOICE, switch_choices, SLOT(mouse)},
    {"units", "unit of memory: GiB, or GB (10^9 bytes)", SETTING_CHOICE, unit_choices, SLOT(units)},
    {"start_view", "the view shown first", SETTING_CHOICE, view_choices, SLOT(start_view)},
    {"objective", "the tuner's objective", SETTING_CHOICE, objective_choices, SLOT(objective)},
    {"free", "keys the tuner may change, as `tp,pp,micro_batch_size`", SETTING_AXES, NULL, SLOT(free)},
    {"confirm_save", "saving into the plan's own file asks", SETTING_CHOICE, confirm_choices, SLOT(confirm_save)},
    {"recovery_days", "days for which unsaved plans are offered", SETTING_NUMBER, NULL, SLOT(recovery_days)},
    {NULL, NULL, SETTING_NAME, NULL, 0},
};

void settings_default(struct settings *settings)
{
    enum { MONTH = 30 };
    *settings = (struct settings){.recovery_days = MONTH};
    snprintf(settings->theme, sizeof settings->theme, "%s", settings_theme);
    bindings_default(&settings->bindings);
}

const struct setting_row *setting_named(const char *name)
{
    for (const struct setting_row *row = setting_rows; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

/* The functions below read one kind each into its member; false where the text is none. */
static bool read_name(char *slot, const char *text)
{
    bool is_name = *text && strlen(text) < (theme_follows(text) ? THEME_CHOICE_MAX : THEME_NAME_MAX);
    if (is_name)
        snprintf(slot, THEME_CHOICE_MAX, "%s", text);
    return is_name;
}

static bool read_choice(char *slot, const struct setting_row *row, const char *text)
{
    for (int i = 0; row->choices[i]; i++)
        if (strcmp(row->choices[i], text) == 0 ||
            (row->choices == switch_choices && strcmp(switch_words[i], text) == 0))
            return memcpy(slot, &i, sizeof i);
    return false;
}

static bool read_number(char *slot, const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);
    int value = (int)number;
    bool is_number = *text && !*end && number >= 1 && number <= SETTING_NUMBER_MAX;
    return is_number && memcpy(slot, &value, sizeof value);
}

static bool read_axes(char *slot, const char *text)
{
    uint32_t axes = 0;
    bool is_read = strcmp(text, usual) == 0 || !space_axes_read(text, &axes);
    return is_read && memcpy(slot, &axes, sizeof axes);
}

static bool read_value(char *slot, const struct setting_row *row, const char *text)
{
    switch (row->kind) {
    case SETTING_NAME: return read_name(slot, text);
    case SETTING_CHOICE: return read_choice(slot, row, text);
    case SETTING_NUMBER: return read_number(slot, text);
    case SETTING_AXES: return read_axes(slot, text);
    }
    return false;
}

int setting_set(struct settings *settings, const struct setting_row *row, const char *text, char *why)
{
    static const char *const faults[] = {"is not a name", "is not one of", "is not a number from 1 to 9999",
                                         "are not keys that a search changes, such as tp,pp; `usual` is the default"};
    if (read_value((char *)settings + row->slot, row, text))
        return 0;
    int used = snprintf(why, SETTING_WHY_MAX, "'%.40s' %s", text, faults[row->kind]);
    for (int i = 0; row->choices && row->choices[i]; i++)
        used += snprintf(why + used, SETTING_WHY_MAX - (size_t)used, " %s", row->choices[i]);
    return -1;
}

void setting_print(const struct settings *settings, const struct setting_row *row, char out[SETTING_TEXT_MAX])
{
    const char *slot = (const char *)settings + row->slot;
    int number;
    uint32_t axes;
    memcpy(&number, slot, sizeof number);
    memcpy(&axes, slot, sizeof axes);
    if (row->kind == SETTING_NAME)
        snprintf(out, SETTING_TEXT_MAX, "%s", slot);
    else if (row->kind == SETTING_CHOICE)
        snprintf(out, SETTING_TEXT_MAX, "%s", row->choices[number]);
    else if (row->kind == SETTING_NUMBER)
        snprintf(out, SETTING_TEXT_MAX, "%d", number);
    else if (axes == 0)
        snprintf(out, SETTING_TEXT_MAX, "%s", usual);
    else
        space_axes_write(axes, out, SETTING_TEXT_MAX);
}
