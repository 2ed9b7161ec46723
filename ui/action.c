#include "ui/action.h"

const struct action_row actions[ACTION_COUNT] = {
#define ACTION_ROW(id, name, help)       [ACTION_##id] = {name, help, action_##id},
#define OVERLAY_ROW(id, MODE, key, help) [ACTION_##id] = {#id, help, action_##id},
    ACTIONS(ACTION_ROW, OVERLAY_ROW)
#undef ACTION_ROW
#undef OVERLAY_ROW
};
