#include "ui/command/action.h"

#include <string.h>

const struct action_row actions[ACTION_COUNT] = {
#define ACTION(id, text, words)       [ACTION_##id] = {.name = text, .help = words},
#define OVERLAY(id, MODE, key, words) [ACTION_##id] = {.name = #id, .help = words, .opens = MODE_##MODE},
#include "ui/command/action.def"
};

enum action action_named(const char *name)
{
    for (int i = 1; i < ACTION_accept; i++)
        if (strcmp(actions[i].name, name) == 0)
            return (enum action)i;
    return ACTION_NONE;
}
