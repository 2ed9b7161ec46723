#include "ui/command/bindings.h"

#include "core/base.h"

#include <stdio.h>
#include <string.h>

#define BROWSE(key, id)  {MODE_BROWSE, key, ACTION_##id}
#define EDIT(key, id)    {MODE_EDIT, key, ACTION_##id}
#define COMMAND(key, id) {MODE_COMMAND, key, ACTION_##id}

/* The first key of an action is the one that hints show; overlays bring their own keys. */
static const struct binding own[] = {
#define OVERLAY(id, MODE, key, help) BROWSE(key, id),
#include "ui/command/action.def"
#define VIEW(id, ID, name, key, ...) BROWSE(key, id),
#include "ui/pane/view.def"
#undef VIEW
    BROWSE(KEY_ARROW_UP, up),           BROWSE('k', up),
    BROWSE(KEY_ARROW_DOWN, down),       BROWSE('j', down),
    BROWSE(KEY_ARROW_LEFT, left),       BROWSE('h', left),
    BROWSE(KEY_ARROW_RIGHT, right),     BROWSE('l', right),
    BROWSE(KEY_PAGE_UP, page_up),       BROWSE(KEY_CTRL('U'), page_up),
    BROWSE(KEY_PAGE_DOWN, page_down),   BROWSE(KEY_CTRL('D'), page_down),
    BROWSE(KEY_CTRL('P'), up),          BROWSE(KEY_CTRL('N'), down),
    BROWSE('g', top),                   BROWSE(KEY_TO_HOME, top),
    BROWSE('G', bottom),                BROWSE(KEY_TO_END, bottom),
    BROWSE(KEY_TAB, next_pane),         BROWSE(KEY_BACKTAB, previous_pane),
    BROWSE('9', time),                  BROWSE('S', serving),
    BROWSE('+', step_up),               BROWSE('=', step_up),           BROWSE(KEY_F8, step_up),
    BROWSE('-', step_down),             BROWSE('_', step_down),         BROWSE(KEY_F7, step_down),
    BROWSE('+' | KEY_WITH_ALT, double), BROWSE('=' | KEY_WITH_ALT, double),
    BROWSE('-' | KEY_WITH_ALT, halve),  BROWSE('_' | KEY_WITH_ALT, halve),
    BROWSE(KEY_DELETE, reset),          BROWSE(KEY_RUBOUT, reset),
    BROWSE('a', sweep_field),
    BROWSE('u', undo),                  BROWSE(KEY_CTRL('R'), redo),            BROWSE('U', undo_all),
    BROWSE(' ', toggle),                BROWSE('n', find_next),         BROWSE('N', find_previous),
    BROWSE('.', lesson_blank),
    BROWSE('b', baseline),              BROWSE(KEY_F6, baseline),
    BROWSE('c', changed),
    BROWSE(KEY_F4, diff),
    BROWSE('v', label),                 BROWSE('>', next_stage),        BROWSE('<', previous_stage),
    BROWSE('z', zoom),                  BROWSE(KEY_F9, zoom),
    BROWSE('?', help),                  BROWSE('#', find_rank),
    BROWSE(KEY_CTRL('S'), save),        BROWSE(KEY_CTRL('O'), open),
    BROWSE('W', glossary),
    BROWSE('T', theme),                 BROWSE('M', mouse),
    BROWSE(KEY_F11, present),
    BROWSE(KEY_CTRL('L'), redraw),      BROWSE(KEY_CTRL('Z'), suspend),
    BROWSE(KEY_F1, help),               BROWSE(KEY_F2, edit),           BROWSE(KEY_F3, find),
    BROWSE(KEY_F5, explain),            BROWSE(KEY_F10, quit),
    BROWSE(KEY_ESCAPE, cancel),         BROWSE(KEY_CTRL('C'), interrupt),

    EDIT(KEY_RETURN, accept),           EDIT(KEY_TAB, complete),        EDIT(KEY_BACKTAB, accept_up),
    EDIT(KEY_ARROW_DOWN, complete),     EDIT(KEY_ARROW_UP, accept_up),
    EDIT(KEY_ESCAPE, cancel),           EDIT(KEY_CTRL('C'), cancel),    EDIT(KEY_CTRL('L'), redraw),
    EDIT(KEY_CTRL('Z'), suspend),

    COMMAND(KEY_RETURN, accept),        COMMAND(KEY_TAB, complete),     COMMAND(KEY_ESCAPE, cancel),
    COMMAND(KEY_CTRL('C'), cancel),     COMMAND(KEY_CTRL('L'), redraw), COMMAND(KEY_CTRL('Z'), suspend),
    COMMAND(KEY_ARROW_UP, up),          COMMAND(KEY_ARROW_DOWN, down),
};

_Static_assert(LENGTH(own) + 40 < BINDINGS_MAX, "room for keys of the user");

void bindings_default(struct bindings *map)
{
    memcpy(map->at, own, sizeof own);
    map->count = (int)LENGTH(own);
}

enum action bindings_find(const struct bindings *map, enum mode mode, int key)
{
    for (int i = 0; i < map->count; i++)
        if (map->at[i].mode == mode && map->at[i].key == key)
            return map->at[i].action;
    return ACTION_NONE;
}

int bindings_keys(const struct binding list[], int count, enum mode mode, enum action action, int max, char *out,
                  size_t size)
{
    int found = 0;
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < count; i++) {
        char name[KEY_NAME_MAX];
        if (list[i].mode != mode || list[i].action != action)
            continue;
        if (found++ < max && used < size) {
            key_name(list[i].key, name);
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? " " : "", name);
        }
    }
    return found;
}

/* ---- other keys ------------------------------------------------------------------------------------------------- */

enum { WORDS_MAX = 128 };

/* Keys that always mean the same, so that nobody is locked out. */
static bool is_fixed(int key)
{
    static const int fixed[] = {KEY_RETURN, KEY_ESCAPE, KEY_ARROW_UP, KEY_ARROW_DOWN, KEY_ARROW_LEFT, KEY_ARROW_RIGHT,
                                ':', KEY_CTRL('C')};
    for (size_t i = 0; i < LENGTH(fixed); i++)
        if (fixed[i] == key)
            return true;
    return false;
}

static void remove_at(struct bindings *map, int at)
{
    map->count--;
    memmove(map->at + at, map->at + at + 1, (size_t)(map->count - at) * sizeof *map->at);
}

/* Takes all keys from an action but those that always mean it. */
static void unbind(struct bindings *map, enum action action)
{
    for (int i = map->count - 1; i >= 0; i--)
        if (map->at[i].mode == MODE_BROWSE && map->at[i].action == action && !is_fixed(map->at[i].key))
            remove_at(map, i);
}

static int bind_key(struct bindings *map, enum action action, const char *name, char *why)
{
    int key = key_named(name);
    if (key == KEY_NONE)
        snprintf(why, BINDINGS_WHY_MAX, "unknown key '%.20s'; use one character, or F12, C-a, M-x, PgUp, Tab, Space",
                 name);
    else if (is_fixed(key) && bindings_find(map, MODE_BROWSE, key) != action)
        snprintf(why, BINDINGS_WHY_MAX, "%.20s always does the same; choose another key", name);
    else if (map->count == BINDINGS_MAX)
        snprintf(why, BINDINGS_WHY_MAX, "too many keys; remove some");
    else if (bindings_find(map, MODE_BROWSE, key) != action)
        return map->at[map->count++] = (struct binding){MODE_BROWSE, key, action}, 0;
    else
        return 0;
    return -1;
}

/* `+ ["F12", C-a]`, a YAML list behind a plus, is `also F12 C-a`; false where brackets or quotes do not close. */
static bool spell_out(const char *keys, char words[WORDS_MAX])
{
    size_t blanks = strspn(keys + 1, " \t");
    char quote = '\0', *out = words + sprintf(words, "also ");
    if (keys[0] != '+' || keys[1 + blanks] != '[' || strlen(keys) >= WORDS_MAX - strlen("also ")) {
        snprintf(words, WORDS_MAX, "%s", keys);
        return true;
    }
    const char *p = keys + 1 + blanks + 1;
    for (; *p && (quote || *p != ']'); p++) {
        if (quote ? *p == quote : *p == '"' || *p == '\'')
            quote = quote ? '\0' : *p;
        else
            *out++ = *p == ',' && !quote ? ' ' : *p;
    }
    *out = '\0';
    return *p == ']' && !p[1];
}

int bindings_bind(struct bindings *map, const char *action, const char *keys, char *why)
{
    enum action id = action_named(action);
    struct bindings before = *map;
    char words[WORDS_MAX], *rest = NULL;
    int result = 0;
    bool is_spelled = spell_out(keys, words);
    char *word = strtok_r(words, " \t", &rest);
    bool adds = word && strcmp(word, "also") == 0;
    if (id == ACTION_NONE || !word || !is_spelled || strlen(keys) >= sizeof words) {
        snprintf(why, BINDINGS_WHY_MAX,
                 "'%.40s' is not understood; write keys with blanks between, `also F12` or `+ [F12]`, or `none`", keys);
        return -1;
    }
    if (!adds)
        unbind(map, id);
    if (adds || strcmp(word, "none") == 0)
        word = strtok_r(NULL, " \t", &rest);
    for (; word && result == 0; word = strtok_r(NULL, " \t", &rest))
        result = bind_key(map, id, word, why);
    if (result != 0)
        *map = before;
    return result;
}

/* Gives an action that has lost all its keys its own again, those that nothing else has. */
static void give_back(struct bindings *map, enum action action)
{
    for (int i = 0; i < map->count; i++)
        if (map->at[i].mode == MODE_BROWSE && map->at[i].action == action)
            return;
    for (size_t i = 0; i < LENGTH(own); i++)
        if (own[i].mode == MODE_BROWSE && own[i].action == action && map->count < BINDINGS_MAX &&
            bindings_find(map, MODE_BROWSE, own[i].key) == ACTION_NONE)
            map->at[map->count++] = own[i];
}

const char *bindings_settle(struct bindings *map, char *why)
{
    for (int i = map->count - 1; i >= 0; i--) {
        struct binding *b = &map->at[i];
        char name[KEY_NAME_MAX];
        int first = 0;
        while (map->at[first].mode != b->mode || map->at[first].key != b->key)
            first++;
        if (first == i)
            continue;
        enum action action = b->action;
        const char *loser = actions[action].name;
        key_name(b->key, name);
        snprintf(why, BINDINGS_WHY_MAX, "%s is a key of %s already; give that others, as in `%s: none`", name,
                 actions[map->at[first].action].name, actions[map->at[first].action].name);
        remove_at(map, i);
        give_back(map, action);
        return loser;
    }
    return NULL;
}
