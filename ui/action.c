#include "ui/action.h"

#include <string.h>

const struct action_row actions[ACTION_COUNT] = {
#define ACTION_ROW(id, name, help)       [ACTION_##id] = {name, help, action_##id},
#define OVERLAY_ROW(id, MODE, key, help) [ACTION_##id] = {#id, help, action_##id},
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
