#include "ui/command/keymap.h"

#include "core/base.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/pane.h"
#include "ui/ui.h"

const struct hint hints[] = {
    {MODE_BROWSE, ACTION_edit, ACTION_NONE, "type", 0}, {MODE_BROWSE, ACTION_step_down, ACTION_step_up, "step", 0},
    {MODE_BROWSE, ACTION_undo, ACTION_NONE, "undo", 64}, {MODE_BROWSE, ACTION_baseline, ACTION_NONE, "pin", 100},
    {MODE_BROWSE, ACTION_diff, ACTION_NONE, "compare", 110}, {MODE_BROWSE, ACTION_explain, ACTION_NONE, "explain", 64},
    {MODE_BROWSE, ACTION_find, ACTION_NONE, "find anything|find", 0},
    {MODE_BROWSE, ACTION_zoom, ACTION_NONE, "enlarge", 72}, {MODE_BROWSE, ACTION_help, ACTION_NONE, "keys", 0},
    {MODE_BROWSE, ACTION_quit, ACTION_NONE, "leave", 76}, {MODE_BROWSE, ACTION_figures, ACTION_NONE, "all", 100},
    {MODE_BROWSE, ACTION_next_pane, ACTION_NONE, "pane", 130}, {MODE_BROWSE, ACTION_redo, ACTION_NONE, "redo", 150},
    {MODE_BROWSE, ACTION_theme, ACTION_NONE, "theme", 170}, {MODE_BROWSE, ACTION_save, ACTION_NONE, "save", 170},
    {MODE_BROWSE, ACTION_yank, ACTION_NONE, "copy", 170},
    {MODE_BROWSE, ACTION_estimators, ACTION_NONE, "estimators", 185},
    {MODE_EDIT, ACTION_accept, ACTION_NONE, "take", 0}, {MODE_EDIT, ACTION_complete, ACTION_NONE, "take, next", 0},
    {MODE_EDIT, ACTION_cancel, ACTION_NONE, "leave as it was", 0}, {MODE_COMMAND, ACTION_accept, ACTION_NONE, "run", 0},
    {MODE_COMMAND, ACTION_complete, ACTION_NONE, "complete", 0},
    {MODE_COMMAND, ACTION_up, ACTION_down, "lines of before", 0}, {MODE_COMMAND, ACTION_cancel, ACTION_NONE, "back", 0},
};
const int hint_count = (int)LENGTH(hints);

const struct hint *hint_at(enum mode mode, int i)
{
    const struct hint *own = overlays[mode]->hints;
    if (i < hint_count)
        return &hints[i];
    return own && own[i - hint_count].action != ACTION_NONE ? &own[i - hint_count] : NULL;
}

bool hint_is_shown(const struct ui *ui, const struct hint *hint)
{
    const struct overlay *overlay = overlays[ui->mode];
    bool opens_nothing = hint->mode == MODE_BROWSE && hint->action == ACTION_edit && ui->is_view_focused &&
                         panes[ui->view]->rows(ui) == 0;
    return hint->mode == ui->mode && ui->width >= hint->least_width && !opens_nothing &&
           (!overlay->does || overlay->does(ui, hint->action));
}

bool hint_has_view_key(const struct ui *ui, const struct view_key *key)
{
    const struct pane *pane = panes[ui->view];
    return key->hint && (!pane->does || pane->does(ui, key->key));
}

enum action keymap_find(const struct bindings *bindings, enum mode mode, int key)
{
    for (const struct binding *own = overlays[mode]->keys; own && own->action != ACTION_NONE; own++)
        if (own->key == key)
            return own->action;
    return bindings_find(bindings, mode, key);
}

int keymap_keys(const struct bindings *bindings, enum mode mode, enum action action, int max, char *out, size_t size)
{
    const struct binding *own = overlays[mode]->keys;
    int count = 0;
    while (own && own[count].action != ACTION_NONE)
        count++;
    return own ? bindings_keys(own, count, mode, action, max, out, size)
               : bindings_keys(bindings->at, bindings->count, mode, action, max, out, size);
}

void ui_keys(void (*each)(void *context, const char *keys, const char *name, const char *help), void *context)
{
    enum { KEYS_MAX = 6, TEXT_MAX = KEYS_MAX * KEY_NAME_MAX };
    char keys[TEXT_MAX];
    struct bindings bindings;
    bindings_default(&bindings);
    for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++)
        if (keymap_keys(&bindings, MODE_BROWSE, (enum action)i, KEYS_MAX, keys, sizeof keys) > 0)
            each(context, keys, actions[i].name, actions[i].help);
}
