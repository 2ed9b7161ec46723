#include "ui/term/theme.h"

#include "core/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Roles: how theme files call them, the role whose look they take where a file has none, what fills their bars. */
static const struct {
    const char *name;
    enum role twin;
    uint32_t fill;
} roles[ROLE_COUNT] = {
    [ROLE_TEXT] = {"text", ROLE_TEXT, 0},
    [ROLE_STRONG] = {"strong", ROLE_STRONG, 0},
    [ROLE_MUTED] = {"muted", ROLE_MUTED, 0},
    [ROLE_FAINT] = {"faint", ROLE_MUTED, 0},
    [ROLE_TITLE] = {"title", ROLE_TITLE, 0},
    [ROLE_KEY] = {"key", ROLE_KEY, 0},
    [ROLE_FOCUS] = {"focus", ROLE_FOCUS, 0},
    [ROLE_SELECT] = {"select", ROLE_FOCUS, 0},
    [ROLE_EDIT] = {"edit", ROLE_EDIT, 0},
    [ROLE_GOOD] = {"good", ROLE_GOOD, 0},
    [ROLE_WARN] = {"warn", ROLE_WARN, 0},
    [ROLE_BAD] = {"bad", ROLE_BAD, 0},
    [ROLE_PILL_GOOD] = {"pill_good", ROLE_GOOD, 0},
    [ROLE_PILL_WARN] = {"pill_warn", ROLE_WARN, 0},
    [ROLE_PILL_BAD] = {"pill_bad", ROLE_BAD, 0},
    [ROLE_TRACK] = {"track", ROLE_MUTED, 0xB7},
    [ROLE_LIMIT] = {"limit", ROLE_BAD, 0},
    [ROLE_WEIGHTS] = {"weights", ROLE_WEIGHTS, 0x2588},
    [ROLE_GRADIENTS] = {"gradients", ROLE_GRADIENTS, 0x2593},
    [ROLE_OPTIMIZER] = {"optimizer", ROLE_OPTIMIZER, 0x2592},
    [ROLE_ACTIVATIONS] = {"activations", ROLE_ACTIVATIONS, 0x2591},
    [ROLE_TRANSIENT] = {"transient", ROLE_TRANSIENT, 'T'},
    [ROLE_SCRATCH] = {"scratch", ROLE_SCRATCH, 'S'},
    [ROLE_CACHE] = {"cache", ROLE_CACHE, 'C'},
    [ROLE_DRIVER] = {"driver", ROLE_DRIVER, 'D'},
    [ROLE_USEFUL] = {"useful", ROLE_WEIGHTS, 0x2592},
    [ROLE_BELOW] = {"below", ROLE_OPTIMIZER, 0x2588},
    [ROLE_AGAIN] = {"again", ROLE_GRADIENTS, 'r'},
    [ROLE_IDLE] = {"idle", ROLE_MUTED, '-'},
    [ROLE_TRAFFIC] = {"traffic", ROLE_ACTIVATIONS, 0x2591},
    [ROLE_TRAFFIC_MOST] = {"traffic_most", ROLE_ACTIVATIONS, 0x2592},
    [ROLE_STEP] = {"step", ROLE_CACHE, 'o'},
    [ROLE_STAYS] = {"stays", ROLE_DRIVER, 0x2588},
    [ROLE_SELECTED] = {"selected", ROLE_FOCUS, 0},
    [ROLE_GROUP] = {"group", ROLE_TITLE, 0},
    [ROLE_HEAT1] = {"heat1", ROLE_HEAT1, '.'},
    [ROLE_HEAT2] = {"heat2", ROLE_HEAT2, ':'},
    [ROLE_HEAT3] = {"heat3", ROLE_HEAT3, '-'},
    [ROLE_HEAT4] = {"heat4", ROLE_HEAT4, '='},
    [ROLE_HEAT5] = {"heat5", ROLE_HEAT5, '#'},
};

uint32_t role_fill(enum role role)
{
    return roles[role].fill;
}

const char *role_name(enum role role)
{
    return roles[role].name;
}

#define PLAIN  .fg256 = -1, .bg256 = -1, .fg16 = -1, .bg16 = -1
#define INK(n) .fg256 = n, .bg256 = -1, .fg16 = n, .bg16 = -1
#define ON(n, m) .fg256 = n, .bg256 = m, .fg16 = n, .bg16 = m

/* Only the 16 colours, so that the user's own palette decides what they look like. */
static const struct look default_looks[ROLE_COUNT] = {
    [ROLE_TEXT] = {PLAIN},
    [ROLE_STRONG] = {PLAIN, .bold = true},
    [ROLE_MUTED] = {PLAIN, .dim = true},
    [ROLE_FAINT] = {PLAIN, .dim = true},
    [ROLE_TITLE] = {PLAIN, .bold = true},
    [ROLE_KEY] = {PLAIN, .bold = true},
    [ROLE_FOCUS] = {PLAIN, .reverse = true},
    [ROLE_SELECT] = {PLAIN, .reverse = true},
    [ROLE_EDIT] = {PLAIN, .underline = true},
    [ROLE_GOOD] = {INK(2), .bold = true},
    [ROLE_WARN] = {INK(3), .bold = true},
    [ROLE_BAD] = {PLAIN, .bold = true},
    [ROLE_PILL_GOOD] = {ON(0, 2)},
    [ROLE_PILL_WARN] = {ON(0, 3)},
    [ROLE_PILL_BAD] = {ON(15, 1), .bold = true},
    [ROLE_TRACK] = {PLAIN, .dim = true},
    [ROLE_LIMIT] = {PLAIN, .bold = true},
    [ROLE_WEIGHTS] = {ON(15, 4)},
    [ROLE_GRADIENTS] = {ON(0, 14)},
    [ROLE_OPTIMIZER] = {ON(15, 5)},
    [ROLE_ACTIVATIONS] = {ON(0, 11)},
    [ROLE_TRANSIENT] = {ON(0, 7)},
    [ROLE_SCRATCH] = {PLAIN, .bold = true},
    [ROLE_CACHE] = {PLAIN, .bold = true},
    [ROLE_DRIVER] = {PLAIN, .bold = true},
    [ROLE_USEFUL] = {ON(0, 14)},
    [ROLE_BELOW] = {ON(15, 4)},
    [ROLE_AGAIN] = {ON(15, 5)},
    [ROLE_IDLE] = {ON(0, 7)},
    [ROLE_TRAFFIC] = {ON(0, 11)},
    [ROLE_TRAFFIC_MOST] = {ON(15, 1), .bold = true},
    [ROLE_STEP] = {PLAIN, .bold = true},
    [ROLE_STAYS] = {ON(0, 7)},
    [ROLE_SELECTED] = {PLAIN, .reverse = true},
    [ROLE_GROUP] = {PLAIN, .bold = true},
    [ROLE_HEAT1] = {PLAIN},
    [ROLE_HEAT2] = {PLAIN},
    [ROLE_HEAT3] = {PLAIN},
    [ROLE_HEAT4] = {PLAIN},
    [ROLE_HEAT5] = {PLAIN, .bold = true},
};

void theme_default(struct theme *theme)
{
    memset(theme, 0, sizeof *theme);
    snprintf(theme->name, sizeof theme->name, "default");
    snprintf(theme->about, sizeof theme->about, "the terminal's own colours");
    memcpy(theme->look, default_looks, sizeof default_looks);
}

/* ---- one for each background ------------------------------------------------------------------------------------ */

/* "light NAME dark NAME" in either order; how the four words are parted does not matter. */
static bool read_pair(const char *choice, char light[THEME_NAME_MAX], char dark[THEME_NAME_MAX])
{
    char text[THEME_CHOICE_MAX], word[4][THEME_NAME_MAX], rest[2];
    snprintf(text, sizeof text, "%s", choice);
    for (char *at = text; (at = strpbrk(at, ",:/")); at++)
        *at = ' ';
    if (sscanf(text, "%31s %31s %31s %31s %1s", word[0], word[1], word[2], word[3], rest) != 4)
        return false;
    int at = strcmp(word[0], "light") == 0 ? 0 : 2;
    snprintf(light, THEME_NAME_MAX, "%s", word[at + 1]);
    snprintf(dark, THEME_NAME_MAX, "%s", word[3 - at]);
    return strcmp(word[at], "light") == 0 && strcmp(word[2 - at], "dark") == 0;
}

bool theme_follows(const char *choice)
{
    char light[THEME_NAME_MAX], dark[THEME_NAME_MAX];
    return read_pair(choice, light, dark);
}

void theme_chosen(const char *choice, enum ground ground, char out[THEME_NAME_MAX])
{
    char light[THEME_NAME_MAX], dark[THEME_NAME_MAX];
    bool is_pair = read_pair(choice, light, dark);
    const char *name = !is_pair                 ? choice
                       : ground == GROUND_LIGHT ? light
                       : ground == GROUND_DARK  ? dark
                                                : "default";
    snprintf(out, THEME_NAME_MAX, "%s", name);
}

bool theme_has_bars(const struct theme *theme)
{
    return theme->look[ROLE_WEIGHTS].bg256 >= 0;
}

/* ---- contrast --------------------------------------------------------------------------------------------------- */

/* Red, green and blue of a palette colour: the console's 16, a cube of 6 x 6 x 6, 24 greys. */
static void components_of(int color, int out[3])
{
    static const unsigned char console[16][3] = {
        {0, 0, 0},    {170, 0, 0},   {0, 170, 0},   {170, 85, 0},   {0, 0, 170},   {170, 0, 170},   {0, 170, 170},
        {170, 170, 170}, {85, 85, 85}, {255, 85, 85}, {85, 255, 85}, {255, 255, 85}, {85, 85, 255}, {255, 85, 255},
        {85, 255, 255}, {255, 255, 255}};
    static const unsigned char steps[6] = {0, 95, 135, 175, 215, 255};
    int cube = color - 16;
    for (int i = 0; i < 3; i++)
        out[i] = color < 16    ? console[color][i]
                 : color < 232 ? steps[(i == 0 ? cube / 36 : i == 1 ? cube / 6 : cube) % 6]
                               : 8 + 10 * (color - 232);
}

unsigned theme_rgb(int color)
{
    int parts[3];
    components_of(color, parts);
    return (unsigned)(parts[0] << 16 | parts[1] << 8 | parts[2]);
}

static double luminance(int color)
{
    static const double weights[3] = {0.2126, 0.7152, 0.0722};
    int parts[3];
    double sum = 0;
    components_of(color, parts);
    for (int i = 0; i < 3; i++) {
        double part = parts[i] / 255.0;
        sum += weights[i] * (part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
    }
    return sum;
}

double theme_contrast(int one, int other)
{
    if (one < 0 || other < 0)
        return NAN;
    double a = luminance(one), b = luminance(other);
    return (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05);
}

enum role theme_unreadable(const struct theme *theme)
{
    int role = 0;
    while (role < ROLE_COUNT) {
        bool is_hard = 10 * theme_contrast(theme->look[role].fg256, theme->look[role].bg256) < THEME_LEAST_CONTRAST;
        if (is_hard && role != ROLE_TRACK) /* which says nothing */
            break;
        role++;
    }
    return (enum role)role;
}

/* ---- few colours ------------------------------------------------------------------------------------------------ */

/* A colour of so many: 16 fold to 8, light yellow behind text to white, for there is only brown. */
static short fold_color(short color, bool is_background, int colors)
{
    if (colors > 8 || color < 8)
        return (short)(color < colors ? color : -1);
    return (short)(is_background && color == 11 ? 7 : color - 8);
}

static bool is_part(enum role role)
{
    return role >= ROLE_WEIGHTS && role <= ROLE_DRIVER;
}

/* Without colours of its own: a part of a bar is its letter, what is selected stands out all the same. */
static void take_colors(struct look *look, enum role role)
{
    look->fg256 = look->bg256 = -1;
    look->bold = true;
    look->reverse = !is_part(role);
}

static struct look fold_look(const struct theme *theme, enum role role, int colors)
{
    struct look look = theme->look[role];
    look.bold |= colors <= 8 && look.fg16 >= 8;
    look.fg256 = fold_color(look.fg16, false, colors);
    look.bg256 = fold_color(look.bg16, true, colors);
    bool has_text = colors > 8 || look.fg256 < 0 || look.bg256 < 0 || /* bold is bright there */
                    10 * theme_contrast(look.fg256 + 8 * look.bold, look.bg256) >= THEME_LEAST_CONTRAST;
    if (!has_text)
        take_colors(&look, role);
    return look;
}

struct look theme_look(const struct theme *theme, enum role role, int colors)
{
    if (colors >= 256)
        return theme->look[role];
    struct look look = fold_look(theme, role, colors);
    for (int other = ROLE_WEIGHTS; is_part(role) && look.bg256 >= 0 && other < (int)role; other++)
        if (fold_look(theme, (enum role)other, colors).bg256 == look.bg256)
            take_colors(&look, role);
    return look;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

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
        if (strcmp(roles[i].name, name) == 0)
            return i;
    return strcmp(name, "dim") == 0 ? ROLE_MUTED : -1; /* as files before version 1.0 call it */
}

int theme_set(struct theme *theme, const char *role, const char *words, char *message)
{
    struct look look = {PLAIN};
    char copy[160], *rest = NULL;
    int at = role_find(role);
    if (at < 0) {
        snprintf(message, THEME_MESSAGE_MAX,
                 "'%.40s' is not a role; use text, strong, muted, title, key, focus, good, bad, weights, useful ...",
                 role);
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
    theme->is_own[at] = true;
    for (int i = 0; i < ROLE_COUNT; i++)
        if (i == at || ((int)roles[i].twin == at && !theme->is_own[i]))
            theme->look[i] = look;
    return 0;
}
