#include "ui/action.h"

#include <string.h>

const struct action_row actions[ACTION_COUNT] = {
#define ACTION_ROW(id, text, words)       [ACTION_##id] = {.name = text, .help = words},
#define OVERLAY_ROW(id, MODE, key, words) [ACTION_##id] = {.name = #id, .help = words, .opens = MODE_##MODE},
    ACTIONS(ACTION_ROW, OVERLAY_ROW)
#undef ACTION_ROW
#undef OVERLAY_ROW
};

enum action action_named(const char *name)
{
    for (int i = 1; i < ACTION_accept; i++)
        if (strcmp(actions[i].name, name) == 0)
            return (enum action)i;
    return ACTION_NONE;
}
