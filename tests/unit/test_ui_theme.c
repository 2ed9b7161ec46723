/* Every text of every theme can be read: a contrast of 4.5 to 1 (WCAG 2.1, 1.4.3) on what lies behind it. */
#include "tests/check.h"
#include "tests/host.h"

#include "ui/term/theme.h"
#include "ui/widget/bar.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int behind; /* the terminal's background that the theme is made for */
} themes[] = {{"dark", 234}, {"slate", 234}, {"light", 231}, {"paper", 230}, {"projector", 231}, {"colorblind", 16}};

static const enum role bars[] = {ROLE_WEIGHTS, ROLE_GRADIENTS, ROLE_OPTIMIZER, ROLE_ACTIVATIONS, ROLE_TRANSIENT,
                                 ROLE_SCRATCH, ROLE_CACHE,     ROLE_DRIVER};

static struct theme theme_of(const char *name)
{
    struct theme theme;
    char why[UI_MESSAGE_MAX] = "";
    assert_that(test_host()->theme(test_session(), name, &theme, why) == 0, "%s: %s", name, why);
    return theme;
}

static void check(const char *theme, int role, double contrast)
{
    assert_that(10 * contrast >= THEME_LEAST_CONTRAST, "%s, %s: contrast %.2f", theme, role_name((enum role)role),
                contrast);
}

static void texts_stand_out_in_every_theme(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(themes); i++) {
        struct theme theme = theme_of(themes[i].name);
        for (int role = 0; role < ROLE_COUNT; role++) {
            const struct look *look = &theme.look[role];
            int behind = look->bg256 >= 0 ? look->bg256 : themes[i].behind;
            if (look->fg256 >= 0 && role != ROLE_FAINT && role != ROLE_TRACK) /* which carry no meaning alone */
                check(themes[i].name, role, theme_contrast(look->fg256, behind));
        }
        assert_int_equal(theme_unreadable(&theme), ROLE_COUNT);
    }
}

/* A user's theme that cannot be read is taken, with a remark. */
static void an_own_theme_is_remarked_on(void **state)
{
    (void)state;
    char folder[] = "/tmp/shardtop-test-XXXXXX", path[256], why[UI_MESSAGE_MAX];
    struct theme theme;
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CONFIG_HOME", folder, 1);
    snprintf(path, sizeof path,
             "mkdir -p %s/shardtop/themes && printf 'name: own\ntext: fg=250\nkey: fg=240 bg=244\n' > "
             "%s/shardtop/themes/own.yaml",
             folder, folder);
    assert_int_equal(system(path), 0);
    assert_int_equal(test_host()->theme(test_session(), "own", &theme, why), 0);
    assert_non_null(strstr(why, "own.yaml: key: text 240 on 244 has a contrast of 1.8; 4.5 can be read"));
    assert_int_equal(theme.look[ROLE_KEY].fg256, 240);
    snprintf(path, sizeof path, "rm -r %s", folder);
    assert_int_equal(system(path), 0);
    unsetenv("XDG_CONFIG_HOME");
}

/* A choice of two goes by the background; any other is the name of a theme. */
static void a_choice_follows_the_background(void **state)
{
    (void)state;
    static const struct {
        const char *choice;
        enum ground ground;
        const char *name;
    } cases[] = {
        {"slate", GROUND_LIGHT, "slate"},
        {"light", GROUND_DARK, "light"},
        {"light paper, dark slate", GROUND_LIGHT, "paper"},
        {"light paper, dark slate", GROUND_DARK, "slate"},
        {"light paper, dark slate", GROUND_UNKNOWN, "default"},
        {"dark: light / light: dark", GROUND_LIGHT, "dark"},
        {"light:paper/dark:slate", GROUND_DARK, "slate"},
        {"light paper dark", GROUND_DARK, "light paper dark"},
        {"light paper, light slate", GROUND_DARK, "light paper, light slate"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char name[THEME_NAME_MAX];
        theme_chosen(cases[i].choice, cases[i].ground, name);
        assert_string_equal(name, cases[i].name);
    }
    assert_true(theme_follows("dark slate light paper"));
    assert_false(theme_follows("dark slate light paper or"));
}

/* ---- colours beside each other ---------------------------------------------------------------------------------- */

/* How eyes without one kind of cone see linear light (Machado, Oliveira and Fernandes 2009), and all others. */
static const double eyes[][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{.152286, 1.052583, -.204868}, {.114503, .786281, .099216}, {-.003882, -.048116, 1.051998}},
    {{.367322, .860646, -.227968}, {.280085, .672501, .047413}, {-.011820, .042940, .968881}},
    {{1.255528, -.076749, -.178779}, {-.078411, .930809, .147602}, {.004733, .691367, .303900}}};

static double lab_part(double t)
{
    return t > .008856 ? cbrt(t) : 7.787 * t + 16 / 116.0;
}

/* CIELAB of a palette colour as such an eye sees it. */
static void lab_of(int color, size_t eye, double out[3])
{
    double light[3], seen[3];
    for (int i = 0; i < 3; i++) {
        double part = (theme_rgb(color) >> (16 - 8 * i) & 0xff) / 255.0;
        light[i] = part <= .04045 ? part / 12.92 : pow((part + .055) / 1.055, 2.4);
    }
    for (int i = 0; i < 3; i++)
        seen[i] = fmin(1, fmax(0, eyes[eye][i][0] * light[0] + eyes[eye][i][1] * light[1] +
                                      eyes[eye][i][2] * light[2]));
    double x = lab_part((.4124 * seen[0] + .3576 * seen[1] + .1805 * seen[2]) / .95047),
           y = lab_part(.2126 * seen[0] + .7152 * seen[1] + .0722 * seen[2]),
           z = lab_part((.0193 * seen[0] + .1192 * seen[1] + .9505 * seen[2]) / 1.08883);
    out[0] = 116 * y - 16;
    out[1] = 500 * (x - y);
    out[2] = 200 * (y - z);
}

static double degrees(double y, double x)
{
    double angle = atan2(y, x) * 180 / M_PI;
    return angle < 0 ? angle + 360 : angle;
}

static double cosine(double angle)
{
    return cos(angle * M_PI / 180);
}

/* CIEDE2000. */
static double difference(const double one[3], const double other[3])
{
    double mean = (hypot(one[1], one[2]) + hypot(other[1], other[2])) / 2, seventh = pow(mean, 7);
    double g = 1 + .5 * (1 - sqrt(seventh / (seventh + pow(25, 7))));
    double c1 = hypot(one[1] * g, one[2]), c2 = hypot(other[1] * g, other[2]), h1 = degrees(one[2], one[1] * g),
           h2 = degrees(other[2], other[1] * g), turn = h2 - h1;
    turn = c1 * c2 == 0 ? 0 : turn > 180 ? turn - 360 : turn < -180 ? turn + 360 : turn;
    double l = (one[0] + other[0]) / 2 - 50, c = (c1 + c2) / 2,
           h = fabs(h1 - h2) <= 180 ? (h1 + h2) / 2 : (h1 + h2 + 360) / 2;
    double t = 1 - .17 * cosine(h - 30) + .24 * cosine(2 * h) + .32 * cosine(3 * h + 6) - .2 * cosine(4 * h - 63);
    double dl = (other[0] - one[0]) / (1 + .015 * l * l / sqrt(20 + l * l)), dc = (c2 - c1) / (1 + .045 * c),
           dh = 2 * sqrt(c1 * c2) * sin(turn / 2 * M_PI / 180) / (1 + .015 * c * t), c7 = pow(c, 7);
    double rt = -2 * sqrt(c7 / (c7 + pow(25, 7))) * sin(60 * M_PI / 180 * exp(-pow((h - 275) / 25, 2)));
    return sqrt(dl * dl + dc * dc + dh * dh + rt * dc * dh);
}

static int bar_color(const struct theme *theme, enum role role)
{
    return theme->look[role].bg256 >= 0 ? theme->look[role].bg256 : theme->look[role].fg256;
}

/* What lies beside each other is told apart by every kind of colour vision. */
static void neighbours_differ_for_every_eye(void **state)
{
    static const enum role beside[][2] = {
        {ROLE_WEIGHTS, ROLE_GRADIENTS}, {ROLE_GRADIENTS, ROLE_OPTIMIZER}, {ROLE_OPTIMIZER, ROLE_ACTIVATIONS},
        {ROLE_ACTIVATIONS, ROLE_TRANSIENT}, {ROLE_ACTIVATIONS, ROLE_CACHE}, {ROLE_TRANSIENT, ROLE_SCRATCH},
        {ROLE_SCRATCH, ROLE_CACHE}, {ROLE_DRIVER, ROLE_TRACK}, {ROLE_USEFUL, ROLE_BELOW}, {ROLE_USEFUL, ROLE_TRACK},
        {ROLE_BELOW, ROLE_TRACK}, {ROLE_USEFUL, ROLE_TRAFFIC}, {ROLE_BELOW, ROLE_IDLE}, {ROLE_IDLE, ROLE_TRAFFIC},
        {ROLE_TRAFFIC, ROLE_TRAFFIC_MOST}, {ROLE_ACTIVATIONS, ROLE_STAYS}, {ROLE_GOOD, ROLE_BAD},
        {ROLE_GOOD, ROLE_WARN}, {ROLE_WARN, ROLE_BAD}, {ROLE_HEAT1, ROLE_HEAT2}, {ROLE_HEAT2, ROLE_HEAT3},
        {ROLE_HEAT3, ROLE_HEAT4}, {ROLE_HEAT4, ROLE_HEAT5}};
    (void)state;
    for (size_t i = 0; i < COUNT(themes); i++) {
        struct theme theme = theme_of(themes[i].name);
        assert_true(theme_has_bars(&theme));
        for (size_t k = 0; k < COUNT(beside); k++)
            for (size_t eye = 0; eye < COUNT(eyes); eye++) {
                double one[3], other[3];
                lab_of(bar_color(&theme, beside[k][0]), eye, one);
                lab_of(bar_color(&theme, beside[k][1]), eye, other);
                assert_that(difference(one, other) >= 8, "%s, eye %zu: %s beside %s: %.1f", themes[i].name, eye,
                            role_name(beside[k][0]), role_name(beside[k][1]), difference(one, other));
            }
    }
}

/* ---- few colours ------------------------------------------------------------------------------------------------ */

/* The terminal's own 16 colours, as xterm, the Windows console, macOS Terminal and GNOME Terminal have them. */
static const unsigned palettes[][16] = {
    {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00,
     0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff},
    {0x0c0c0c, 0xc50f1f, 0x13a10e, 0xc19c00, 0x0037da, 0x881798, 0x3a96dd, 0xcccccc, 0x767676, 0xe74856, 0x16c60c,
     0xf9f1a5, 0x3b78ff, 0xb4009e, 0x61d6d6, 0xf2f2f2},
    {0x000000, 0x990000, 0x00a600, 0x999900, 0x0000b2, 0xb200b2, 0x00a6b2, 0xbfbfbf, 0x666666, 0xe50000, 0x00d900,
     0xe5e500, 0x0000ff, 0xe500e5, 0x00e5e5, 0xe5e5e5},
    {0x171421, 0xc01c28, 0x26a269, 0xa2734c, 0x12488b, 0xa347ba, 0x2aa1b3, 0xd0cfcc, 0x5e5c64, 0xf66151, 0x33d17a,
     0xe9ad0c, 0x2a7bde, 0xc061cb, 0x33c7de, 0xffffff}};

/* Relative luminance of red, green and blue. */
static double luminance(unsigned rgb)
{
    static const double weights[3] = {0.0722, 0.7152, 0.2126};
    double sum = 0;
    for (int i = 0; i < 3; i++, rgb >>= 8) {
        double part = (rgb & 0xff) / 255.0;
        sum += weights[i] * (part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(const unsigned palette[16], int one, int other)
{
    double a = luminance(palette[one]), b = luminance(palette[other]);
    return (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05);
}

static void bars_of_the_default_theme_stand_out_in_common_palettes(void **state)
{
    struct theme theme;
    (void)state;
    theme_default(&theme);
    for (size_t p = 0; p < COUNT(palettes); p++)
        for (size_t k = 0; k < COUNT(bars); k++) {
            const struct look *look = &theme.look[bars[k]];
            if (look->bg16 < 0)
                continue;
            check("default", (int)bars[k], contrast(palettes[p], look->fg16, look->bg16));
        }
}

/* The contrast of a role on the Linux console, where bold text is bright, or with the 16 colours of xterm. */
static double folded_contrast(const struct theme *theme, int role, int colors)
{
    struct look look = theme_look(theme, (enum role)role, colors);
    int behind = look.bg256 >= 0 ? look.bg256 : theme->is_light ? 15 : 0;
    if (look.fg256 < 0)
        return INFINITY;
    return colors == 8 ? theme_contrast(look.fg256 + 8 * look.bold, behind)
                       : contrast(palettes[0], look.fg256, behind);
}

static const char *const names[] = {"dark", "slate", "light", "paper", "projector", "colorblind", "default"};

static void texts_stand_out_with_few_colours(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        struct theme theme = theme_of(names[i]);
        for (int role = 0; role < ROLE_COUNT; role++) {
            if (role == ROLE_FAINT || role == ROLE_TRACK)
                continue;
            check(names[i], role, folded_contrast(&theme, role, 16));
            if (!theme.is_light || theme.look[role].bg16 >= 0) /* the console is black */
                check(names[i], role, folded_contrast(&theme, role, 8));
        }
    }
}

/* Two parts of a bar never have one background; those without one are told apart by their letters. */
static void parts_of_a_bar_differ_with_few_colours(void **state)
{
    static const int counts[] = {8, 16, 256};
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++)
        for (size_t c = 0; c < COUNT(counts); c++) {
            struct theme theme = theme_of(names[i]);
            for (size_t k = 0; k < COUNT(bars); k++)
                for (size_t m = 0; m < k; m++) {
                    struct look one = theme_look(&theme, bars[k], counts[c]),
                                other = theme_look(&theme, bars[m], counts[c]);
                    assert_that(one.bg256 < 0 || one.bg256 != other.bg256, "%s, %d colours: %s like %s", names[i],
                                counts[c], role_name((enum role)bars[k]), role_name((enum role)bars[m]));
                }
        }
    struct theme theme = theme_of("default");
    assert_int_equal(theme_look(&theme, ROLE_ACTIVATIONS, 8).bg256, 7);
    assert_int_equal(theme_look(&theme, ROLE_TRANSIENT, 8).bg256, -1);
}

static void contrast_is_that_of_the_standard(void **state)
{
    (void)state;
    assert_near(theme_contrast(231, 16), 21, 1e-9);
    assert_near(theme_contrast(16, 231), 21, 1e-9);
    assert_near(theme_contrast(16, 16), 1, 1e-9);
    assert_near(theme_contrast(231, 25), 6.44, 2e-3);
    assert_true(isnan(theme_contrast(-1, 16)));
}

/* ---- bars ------------------------------------------------------------------------------------------------------- */

static const char *bar_text(const struct bar *bar, int width, bool is_ascii)
{
    static char text[400];
    struct canvas canvas = {.ascii = is_ascii};
    assert_int_equal(canvas_resize(&canvas, width, 1), 0);
    bar_draw(bar, &canvas, (struct rect){0, 0, width, 1});
    canvas_line(&canvas, 0, text, sizeof text);
    canvas_free(&canvas);
    return text;
}

static void bars_end_where_their_parts_end(void **state)
{
    static const struct bar_part parts[] = {
        {'W', ROLE_WEIGHTS, 4, NULL}, {'G', ROLE_GRADIENTS, 0.2, NULL}, {'A', ROLE_ACTIVATIONS, 3.8, "act"}};
    struct bar bar = {.part = parts, .parts = 3, .scale = 20, .limit = 20};
    (void)state;
    assert_string_equal(bar_text(&bar, 20, true), "WWWWAAAA............");
    assert_string_equal(bar_text(&bar, 20, false), "████░░░░············");
    static const struct bar_part rounded[] = {{'W', ROLE_WEIGHTS, 3.6, NULL}, {'A', ROLE_ACTIVATIONS, 4.4, NULL}};
    const struct bar sums = {.part = rounded, .parts = 2, .scale = 20, .limit = 20};
    assert_string_equal(bar_text(&sums, 20, true), "WWWWAAAA............");
    bar.scale = 8;
    bar.limit = 6;
    assert_string_equal(bar_text(&bar, 16, true), "WWWWWWWWAAAA|AAA");
    bar.scale = 20;
    bar.limit = 10;
    assert_string_equal(bar_text(&bar, 20, true), "WWWWAAAA..|.........");
    bar.limit = NAN;
    bar.low = 7;
    bar.high = 11;
    assert_string_equal(bar_text(&bar, 20, true), "WWWWAAAA---)........");
    bar.has_words = true;
    bar.low = bar.high = 0;
    assert_string_equal(bar_text(&bar, 26, false), "W████░act░▍···············");
}

/* A gap parts a bar from the one above where the grid has gaps; the bar with words has none. */
static void bars_below_each_other_have_gaps(void **state)
{
    (void)state;
    char text[400];
    static const struct bar_part part = {'W', ROLE_WEIGHTS, 4, NULL};
    struct bar bar = {.part = &part, .parts = 1, .scale = 8, .limit = NAN, .has_gap = true};
    struct canvas canvas = {.has_gaps = true};
    assert_int_equal(canvas_resize(&canvas, 8, 3), 0);
    for (int i = 0; i < 2; i++, bar.has_words = true)
        bar_draw(&bar, &canvas, (struct rect){0, i, 8, 1 + i});
    canvas_line(&canvas, 0, text, sizeof text);
    assert_string_equal(text, "▇▇▇▇▇▇▇▇");
    canvas_line(&canvas, 1, text, sizeof text);
    assert_string_equal(text, "████····");
    canvas_free(&canvas);
}

/* Bars stand still between edits: their scale is one of seven. */
static void scales_are_few(void **state)
{
    (void)state;
    assert_near(bar_scale_of(80, 50), 80, 1e-9);
    assert_near(bar_scale_of(80, 81), 100, 1e-9);
    assert_near(bar_scale_of(80, 158), 160, 1e-9);
    assert_near(bar_scale_of(80, 800), 800, 1e-9);
}

/* Where letters and dots fill bars, which have no eighths, a bar ends at the nearest cell. */
static void bars_without_colour_have_whole_cells(void **state)
{
    char text[200];
    static const struct bar_part part = {'W', ROLE_WEIGHTS, 4.3, NULL};
    const struct bar bar = {.part = &part, .parts = 1, .scale = 8, .limit = NAN};
    struct canvas canvas = {.is_coarse = true};
    (void)state;
    assert_int_equal(canvas_resize(&canvas, 10, 3), 0);
    bar_draw(&bar, &canvas, (struct rect){0, 0, 8, 1});
    static const struct bar_part small[] = {
        {'W', ROLE_WEIGHTS, 4, NULL}, {'T', ROLE_TRANSIENT, 0.9, NULL}, {'C', ROLE_CACHE, 0.8, NULL}};
    const struct bar joined = {.part = small, .parts = 3, .scale = 8, .limit = NAN};
    canvas_line(&canvas, 0, text, sizeof text);
    assert_string_equal(text, "████····");
    bar_draw(&joined, &canvas, (struct rect){0, 0, 8, 1});
    bar_step(&canvas, 0, 1, 10, 0.23, 0.57, ROLE_USEFUL, 'u');
    bar_step(&canvas, 0, 2, 10, 0.27, 0.53, ROLE_USEFUL, 'u');
    canvas_line(&canvas, 0, text, sizeof text);
    assert_string_equal(text, "████++··");
    canvas_line(&canvas, 1, text, sizeof text);
    assert_string_equal(text, "  ▒▒▒▒");
    canvas_line(&canvas, 2, text, sizeof text);
    assert_string_equal(text, "   ▒▒");
    canvas_free(&canvas);
}

/* A part of a waterfall begins and ends within an eighth of a cell; nothing that is there is drawn as nothing. */
static void steps_have_eighths_at_both_ends(void **state)
{
    char text[200];
    struct canvas canvas = {0};
    (void)state;
    assert_int_equal(canvas_resize(&canvas, 10, 2), 0);
    bar_step(&canvas, 0, 0, 10, 0.25, 0.55, ROLE_USEFUL, 'u');
    bar_step(&canvas, 0, 1, 10, 0.999, 1, ROLE_STEP, 'o');
    canvas_line(&canvas, 0, text, sizeof text);
    assert_string_equal(text, "  ▐▒▒▌");
    canvas_line(&canvas, 1, text, sizeof text);
    assert_string_equal(text, "         ▐");
    canvas_free(&canvas);
}

/* ---- the palette ------------------------------------------------------------------------------------------------- */

/* A colour of the palette's table; -1 for the terminal's own. */
static int color_of(const char **at)
{
    char *end;
    *at += strspn(*at, " ");
    if (**at == '-')
        return ++*at, -1;
    long value = strtol(*at, &end, 10);
    *at = end;
    return (int)value;
}

/* The themes are the table of the design, role by role. */
static void themes_have_the_colours_of_the_palette(void **state)
{
    static const char *const columns[] = {"slate", "paper", "projector", "colorblind"};
    char line[600];
    int roles = 0;
    FILE *file = fopen("tests/data/colors.tsv", "r");
    (void)state;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char *rest = line, *name = strsep(&rest, "\t");
        if (line[0] == '#' || strcmp(name, "role") == 0)
            continue;
        strsep(&rest, "\t");
        for (size_t i = 0; i < COUNT(columns); i++) {
            struct theme theme = theme_of(columns[i]);
            const char *at = strsep(&rest, "\t");
            int role = 0, fg = color_of(&at), bg = color_of(&at);
            while (role < ROLE_COUNT && strcmp(role_name((enum role)role), name) != 0)
                role++;
            assert_that(role < ROLE_COUNT, "no role '%s'", name);
            assert_that(theme.look[role].fg256 == fg && theme.look[role].bg256 == bg,
                        "%s: %s is %d on %d, not %d on %d", columns[i], name,
                        theme.look[role].fg256, theme.look[role].bg256, fg, bg);
        }
        roles++;
    }
    fclose(file);
    assert_int_equal(roles, 38);
}

/*
 * Fills of bars stand out on their track: a contrast of about 3 to 1; not of what stays, the driver and
 * the step, whose numbers are beside them.
 */
static void fills_stand_out_on_their_track(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(themes); i++) {
        struct theme theme = theme_of(themes[i].name);
        for (int role = ROLE_WEIGHTS; role < ROLE_STEP; role++) {
            if (role == ROLE_DRIVER)
                continue;
            double contrast = theme_contrast(theme.look[role].bg256, theme.look[ROLE_TRACK].bg256);
            assert_that(!(contrast < 2.95), "%s: %s on the track: %.2f", themes[i].name,
                        role_name((enum role)role), contrast);
        }
    }
}

/* A file of before has a role less: it looks as its twin, and by its old name. */
static void missing_roles_look_as_their_twins(void **state)
{
    struct theme theme;
    char why[THEME_MESSAGE_MAX];
    (void)state;
    theme_default(&theme);
    assert_int_equal(theme_set(&theme, "weights", "fg=16 bg=99", why), 0);
    assert_int_equal(theme.look[ROLE_USEFUL].bg256, 99);
    assert_int_equal(theme_set(&theme, "useful", "fg=16 bg=98", why), 0);
    assert_int_equal(theme_set(&theme, "weights", "fg=16 bg=97", why), 0);
    assert_int_equal(theme.look[ROLE_USEFUL].bg256, 98);
    assert_int_equal(theme_set(&theme, "dim", "fg=240", why), 0);
    assert_int_equal(theme.look[ROLE_MUTED].fg256, 240);
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_stand_out_in_every_theme),
        cmocka_unit_test(an_own_theme_is_remarked_on),
        cmocka_unit_test(a_choice_follows_the_background), cmocka_unit_test(neighbours_differ_for_every_eye),
        cmocka_unit_test(bars_of_the_default_theme_stand_out_in_common_palettes),
        cmocka_unit_test(texts_stand_out_with_few_colours),
        cmocka_unit_test(parts_of_a_bar_differ_with_few_colours),
        cmocka_unit_test(contrast_is_that_of_the_standard),
        cmocka_unit_test(bars_end_where_their_parts_end),
        cmocka_unit_test(bars_below_each_other_have_gaps),
        cmocka_unit_test(scales_are_few),
        cmocka_unit_test(steps_have_eighths_at_both_ends),
        cmocka_unit_test(bars_without_colour_have_whole_cells),
        cmocka_unit_test(themes_have_the_colours_of_the_palette),
        cmocka_unit_test(fills_stand_out_on_their_track),
        cmocka_unit_test(missing_roles_look_as_their_twins),
    };
    return cmocka_run_group_tests_name("ui/theme", tests, NULL, NULL) != 0;
}
