#include "ui/settings.h"

#include <stdio.h>
#include <string.h>

static const char *const switch_choices[] = {"false", "true", NULL};
static const char *const view_choices[] = {"memory", "time", "communication", "grid", "schedule", "layers", "what-if", "sweep",
                                           "tuner", NULL};
static const char *const objective_choices[] = {"time", "memory", "cost", NULL};
static const char *const confirm_choices[] = {"first", "always", "never", NULL};

#define SLOT(member) offsetof(struct settings, member)

const struct setting_row setting_rows[] = {
    {"theme", "colours: a name, or a file's in themes/ of this folder", NULL, SLOT(theme)},
    {"mouse", "the mouse selects, and the wheel steps", switch_choices, SLOT(mouse)},
    {"start_view", "the view that is there first", view_choices, SLOT(start_view)},
    {"objective", "what the tuner finds the best by", objective_choices, SLOT(objective)},
    {"confirm_save", "saving into the plan's own file asks", confirm_choices, SLOT(confirm_save)},
    {NULL, NULL, NULL, 0},
};

void settings_default(struct settings *settings)
{
    *settings = (struct settings){.theme = "default"};
    bindings_default(&settings->bindings);
}

const struct setting_row *setting_named(const char *name)
{
    for (const struct setting_row *row = setting_rows; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

static int choice_of(const struct setting_row *row, const char *text)
{
    for (int i = 0; row->choices[i]; i++)
        if (strcmp(row->choices[i], text) == 0)
            return i;
    return -1;
}

int setting_set(struct settings *settings, const struct setting_row *row, const char *text, char *why)
{
    char *slot = (char *)settings + row->slot;
    int choice = row->choices ? choice_of(row, text) : 0;
    if (choice >= 0 && row->choices) {
        memcpy(slot, &choice, sizeof choice);
        return 0;
    }
    if (choice == 0 && *text && strlen(text) < THEME_NAME_MAX) {
        snprintf(slot, THEME_NAME_MAX, "%s", text);
        return 0;
    }
    int used = snprintf(why, SETTING_WHY_MAX, row->choices ? "'%.40s' is none of" : "'%.40s' is no name", text);
    for (int i = 0; row->choices && row->choices[i]; i++)
        used += snprintf(why + used, SETTING_WHY_MAX - (size_t)used, " %s", row->choices[i]);
    return -1;
}

void setting_print(const struct settings *settings, const struct setting_row *row, char out[SETTING_TEXT_MAX])
{
    const char *slot = (const char *)settings + row->slot;
    int choice;
    memcpy(&choice, slot, sizeof choice);
    snprintf(out, SETTING_TEXT_MAX, "%s", row->choices ? row->choices[choice] : slot);
}
