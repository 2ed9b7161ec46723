#include "ui/theme.h"

#include "core/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const role_names[ROLE_COUNT] = {
    [ROLE_TEXT] = "text", [ROLE_DIM] = "dim", [ROLE_TITLE] = "title", [ROLE_KEY] = "key", [ROLE_FOCUS] = "focus",
    [ROLE_EDIT] = "edit", [ROLE_GOOD] = "good", [ROLE_BAD] = "bad", [ROLE_WARN] = "warn",
    [ROLE_WEIGHTS] = "weights", [ROLE_GRADIENTS] = "gradients", [ROLE_OPTIMIZER] = "optimizer",
    [ROLE_ACTIVATIONS] = "activations", [ROLE_TRANSIENT] = "transient", [ROLE_BUFFERS] = "buffers",
    [ROLE_SELECTED] = "selected", [ROLE_GROUP] = "group",
};

#define PLAIN  .fg256 = -1, .bg256 = -1, .fg16 = -1, .bg16 = -1
#define INK(n) .fg256 = n, .bg256 = -1, .fg16 = n, .bg16 = -1

/* Only the 16 colours, so that the user's own palette decides what they look like. */
static const struct look default_looks[ROLE_COUNT] = {
    [ROLE_TEXT] = {PLAIN},
    [ROLE_DIM] = {PLAIN, .dim = true},
    [ROLE_TITLE] = {PLAIN, .bold = true},
    [ROLE_KEY] = {PLAIN, .bold = true},
    [ROLE_FOCUS] = {PLAIN, .reverse = true},
    [ROLE_EDIT] = {PLAIN, .underline = true},
    [ROLE_GOOD] = {INK(2), .bold = true},
    [ROLE_BAD] = {INK(1), .bold = true},
    [ROLE_WARN] = {INK(3)},
    [ROLE_WEIGHTS] = {INK(4)},
    [ROLE_GRADIENTS] = {INK(6)},
    [ROLE_OPTIMIZER] = {INK(5)},
    [ROLE_ACTIVATIONS] = {INK(3)},
    [ROLE_TRANSIENT] = {INK(1)},
    [ROLE_BUFFERS] = {INK(2)},
    [ROLE_SELECTED] = {PLAIN, .reverse = true},
    [ROLE_GROUP] = {PLAIN, .bold = true},
};

void theme_default(struct theme *theme)
{
    memset(theme, 0, sizeof *theme);
    snprintf(theme->name, sizeof theme->name, "default");
    snprintf(theme->about, sizeof theme->about, "the terminal's own colours");
    memcpy(theme->look, default_looks, sizeof default_looks);
}

/* A palette index or `default`; -2 when it is neither. */
static int color_of(const char *text, int most)
{
    if (strcmp(text, "default") == 0)
        return -1;
    char *end;
    long value = strtol(text, &end, 10);
    return end == text || *end || value < 0 || value > most ? -2 : (int)value;
}

/* Applies one word to a look; returns -1 when it is not known. */
static int apply_word(struct look *look, const char *word)
{
    const struct {
        const char *name;
        short *color;
        int most;
    } colors[] = {{"fg=", &look->fg256, 255}, {"bg=", &look->bg256, 255}, {"fg16=", &look->fg16, 15},
                  {"bg16=", &look->bg16, 15}};
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {{"bold", &look->bold}, {"underline", &look->underline}, {"reverse", &look->reverse},
                 {"dim", &look->dim}};
    for (size_t i = 0; i < LENGTH(flags); i++)
        if (strcmp(word, flags[i].name) == 0) {
            *flags[i].flag = true;
            return 0;
        }
    for (size_t i = 0; i < LENGTH(colors); i++) {
        size_t n = strlen(colors[i].name);
        if (strncmp(word, colors[i].name, n) != 0)
            continue;
        int color = color_of(word + n, colors[i].most);
        if (color == -2)
            return -1;
        *colors[i].color = (short)color;
        return 0;
    }
    return -1;
}

static int role_find(const char *name)
{
    for (int i = 0; i < ROLE_COUNT; i++)
        if (strcmp(role_names[i], name) == 0)
            return i;
    return -1;
}

int theme_set(struct theme *theme, const char *role, const char *words, char *message)
{
    struct look look = {PLAIN};
    char copy[160], *rest = NULL;
    int at = role_find(role);
    if (at < 0) {
        snprintf(message, THEME_MESSAGE_MAX,
                 "'%.40s' is not a role; use text, dim, title, key, focus, edit, good, bad, warn, weights ...", role);
        return -1;
    }
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok_r(copy, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
        if (apply_word(&look, word) != 0) {
            snprintf(message, THEME_MESSAGE_MAX,
                     "'%.40s' is not understood; use fg=0..255, bg=, fg16=0..15, bg16= (or default), bold, "
                     "underline, reverse, dim", word);
            return -1;
        }
    theme->look[at] = look;
    return 0;
}
