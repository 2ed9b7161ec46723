/* Every text of every theme can be read: a contrast of 4.5 to 1 (WCAG 2.1, 1.4.3) on what lies behind it. */
#include "tests/check.h"
#include "tests/host.h"

#include "ui/widget/bar.h"
#include "ui/term/theme.h"

#include <math.h>

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
    assert_that(10 * contrast >= THEME_LEAST_CONTRAST, "%s, %s: contrast %.2f", theme, role_names[role], contrast);
}

static void texts_stand_out_in_every_theme(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(themes); i++) {
        struct theme theme = theme_of(themes[i].name);
        for (int role = 0; role < ROLE_COUNT; role++) {
            const struct look *look = &theme.look[role];
            int behind = look->bg256 >= 0 ? look->bg256 : themes[i].behind;
            if (look->fg256 >= 0)
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

static void bars_have_backgrounds_that_differ(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(themes); i++) {
        struct theme theme = theme_of(themes[i].name);
        assert_true(theme_has_bars(&theme));
        for (size_t k = 0; k + 1 < COUNT(bars); k++) {
            double next = theme_contrast(theme.look[bars[k]].bg256, theme.look[bars[k + 1]].bg256);
            assert_that(next >= 1.2, "%s: %s beside %s: %.2f", themes[i].name, role_names[bars[k]],
                        role_names[bars[k + 1]], next);
        }
    }
}

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
                                counts[c], role_names[bars[k]], role_names[bars[m]]);
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

static const char *bar_text(const struct bar *bar, int width)
{
    static char text[400];
    struct canvas canvas = {0};
    assert_int_equal(canvas_resize(&canvas, width, 1), 0);
    bar_draw(bar, &canvas, (struct rect){0, 0, width, 1});
    canvas_line(&canvas, 0, text, sizeof text);
    canvas_free(&canvas);
    return text;
}

static void bars_end_where_their_parts_end(void **state)
{
    static const struct bar_part parts[] = {
        {'W', ROLE_WEIGHTS, 4, NULL}, {'T', ROLE_TRANSIENT, 0.2, NULL}, {'A', ROLE_ACTIVATIONS, 3.8, NULL}};
    (void)state;
    assert_string_equal(bar_text(&(struct bar){parts, 3, 20, 20, true, LINK_NONE}, 20), "WWWWAAAA............");
    assert_string_equal(bar_text(&(struct bar){parts, 3, 8, 6, true, LINK_NONE}, 16), "WWWWWWWWAAAA|AAA");
    assert_string_equal(bar_text(&(struct bar){parts, 3, 20, 10, true, LINK_NONE}, 20), "WWWWAAAA..|");
    assert_string_equal(bar_text(&(struct bar){parts, 3, 20, NAN, false, LINK_NONE}, 20), "WWWWAAAA");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_stand_out_in_every_theme),
        cmocka_unit_test(an_own_theme_is_remarked_on),
        cmocka_unit_test(a_choice_follows_the_background), cmocka_unit_test(bars_have_backgrounds_that_differ),
        cmocka_unit_test(bars_of_the_default_theme_stand_out_in_common_palettes),
        cmocka_unit_test(texts_stand_out_with_few_colours),
        cmocka_unit_test(parts_of_a_bar_differ_with_few_colours),
        cmocka_unit_test(contrast_is_that_of_the_standard),
        cmocka_unit_test(bars_end_where_their_parts_end),
    };
    return cmocka_run_group_tests_name("ui/theme", tests, NULL, NULL) != 0;
}
