#include "ui/term/key.h"

#include "core/base.h"
#include "ui/term/canvas.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Names; the first one of a key is the one shown. */
static const struct {
    const char *name;
    int key;
} names[] = {
    {"Up", KEY_ARROW_UP},       {"Down", KEY_ARROW_DOWN},   {"Left", KEY_ARROW_LEFT}, {"Right", KEY_ARROW_RIGHT},
    {"Home", KEY_TO_HOME},      {"End", KEY_TO_END},        {"PgUp", KEY_PAGE_UP},    {"PgDn", KEY_PAGE_DOWN},
    {"Ins", KEY_INSERT},        {"Del", KEY_DELETE},        {"Enter", KEY_RETURN},    {"Esc", KEY_ESCAPE},
    {"Tab", KEY_TAB},           {"S-Tab", KEY_BACKTAB},     {"BTab", KEY_BACKTAB},    {"Space", ' '},
    {"BS", KEY_RUBOUT},         {"BSpace", KEY_RUBOUT},     {"F1", KEY_F1},           {"F2", KEY_F2},
    {"F3", KEY_F3},             {"F4", KEY_F4},             {"F5", KEY_F5},           {"F6", KEY_F6},
    {"F7", KEY_F7},             {"F8", KEY_F8},             {"F9", KEY_F9},           {"F10", KEY_F10},
    {"F11", KEY_F11},           {"F12", KEY_F12},
};

void key_name(int key, char name[KEY_NAME_MAX])
{
    int plain = key & ~KEY_WITH_ALT;
    const char *alt = key & KEY_WITH_ALT ? "M-" : "";
    for (size_t i = 0; i < LENGTH(names); i++)
        if (names[i].key == plain) {
            snprintf(name, KEY_NAME_MAX, "%s%s", alt, names[i].name);
            return;
        }
    char text[5] = {0};
    if (plain < 0x20)
        snprintf(text, sizeof text, "^%c", plain + 0x40);
    else if (plain < KEY_FIRST)
        text[utf8_put((uint32_t)plain, text)] = '\0';
    snprintf(name, KEY_NAME_MAX, "%s%s", alt, text);
}

/* A name is known as written in the table or all in capitals. */
static int named_key(const char *token)
{
    for (size_t i = 0; i < LENGTH(names); i++) {
        bool is_upper = true;
        for (const char *p = token; *p; p++)
            is_upper &= !islower((unsigned char)*p);
        if (strcmp(token, names[i].name) == 0 || (is_upper && strcasecmp(token, names[i].name) == 0))
            return names[i].key;
    }
    size_t length = strlen(token);
    if (length == 2 && token[0] == '^' && token[1] > ' ')
        return KEY_CTRL(token[1]);
    if (length == 3 && token[0] == 'C' && token[1] == '-')
        return KEY_CTRL(token[2]);
    if (length == 3 && token[0] == 'M' && token[1] == '-')
        return token[2] | KEY_WITH_ALT;
    return KEY_NONE;
}

int key_named(const char *name)
{
    int key = named_key(name);
    uint32_t glyph = key == KEY_NONE ? utf8_next(&name) : 0;
    return glyph > ' ' && glyph != 0xfffd && !*name ? (int)glyph : key;
}

static void type_text(const char *text, void (*each)(void *, int), void *context)
{
    for (uint32_t glyph; (glyph = utf8_next(&text)) != 0;)
        each(context, (int)glyph);
}

int key_script_next(const char **script, void (*each)(void *context, int key), void *context)
{
    char token[256];
    const char *p = *script + strspn(*script, " \t\n");
    if (!*p)
        return 0;
    size_t quoted = *p == '`' && strchr(p + 1, '`') ? (size_t)(strchr(p + 1, '`') - p) : 0;
    size_t length = quoted ? quoted - 1 : strcspn(p, " \t\n");
    snprintf(token, sizeof token, "%.*s", (int)length, p + (quoted > 0));
    *script = p + length + (quoted ? 2 : 0);
    int key = quoted ? KEY_NONE : named_key(token);
    bool is_wait = !quoted && token[0] == '~' && token[1] && strspn(token + 1, "0123456789") == length - 1;
    if (key != KEY_NONE)
        each(context, key);
    else if (!is_wait)
        type_text(token, each, context);
    return 1;
}
