/* Pictures of the screen: what they say is what the grid says, cell by cell. */
#include "tests/check.h"

#include "ui/term/screenshot.h"

#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 40, HEIGHT = 6 };

static void draw(struct canvas *canvas)
{
    assert_int_equal(canvas_resize(canvas, WIDTH, HEIGHT), 0);
    canvas_text(canvas, 0, 0, ROLE_TITLE, "shardtop & <friends>");
    canvas_text(canvas, 30, 0, ROLE_GOOD, "FITS");
    canvas_text(canvas, 0, 1, ROLE_WEIGHTS, "WWWW");
    canvas_text(canvas, 4, 1, ROLE_GRADIENTS, "GG");
    canvas_text(canvas, 10, 2, ROLE_TEXT, "a  b   c");
    canvas_text(canvas, 0, 4, ROLE_FOCUS, "tp \xe2\x94\x82 8");
}

/* A character of a text of XML. */
static uint32_t next_of(const char **at)
{
    static const struct {
        const char *name;
        char is;
    } names[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}};
    for (size_t i = 0; i < COUNT(names); i++)
        if (strncmp(*at, names[i].name, strlen(names[i].name)) == 0)
            return *at += strlen(names[i].name), (uint32_t)names[i].is;
    return utf8_next(at);
}

static void the_picture_has_the_text_of_the_grid(void **state)
{
    (void)state;
    struct canvas canvas = {0}, again = {0};
    struct theme theme;
    theme_default(&theme);
    draw(&canvas);
    canvas_resize(&again, WIDTH, HEIGHT);
    char *svg = shot_write(&canvas, &theme, SHOT_SVG, "FITS & more");
    assert_non_null(strstr(svg, "<title>FITS &amp; more</title>"));
    assert_non_null(strstr(svg, "role=\"img\""));
    for (const char *at = svg; (at = strstr(at, "<text x=\""));) {
        int x, y;
        assert_int_equal(sscanf(at, "<text x=\"%d\" y=\"%d\"", &x, &y), 2);
        at = strchr(at, '>') + 1;
        for (x /= 9; *at != '<'; x++)
            canvas_repeat(&again, x, (y - 13) / 18, ROLE_TEXT, next_of(&at), 1);
    }
    char *one = shot_write(&canvas, &theme, SHOT_TEXT, ""), *other = shot_write(&again, &theme, SHOT_TEXT, "");
    assert_string_equal(one, other);
    assert_non_null(strstr(one, "shardtop & <friends>          FITS\nWWWWGG\n          a  b   c\n\n"));
    free(svg);
    free(one);
    free(other);
    canvas_free(&canvas);
    canvas_free(&again);
}

static void colours_are_those_of_the_theme(void **state)
{
    (void)state;
    struct canvas canvas = {0};
    struct theme theme;
    theme_default(&theme);
    draw(&canvas);
    char *ansi = shot_write(&canvas, &theme, SHOT_ANSI, ""), *svg = shot_write(&canvas, &theme, SHOT_SVG, "");
    assert_non_null(strstr(ansi, "\033[0;38;5;15;48;5;4mWWWW"));
    assert_non_null(strstr(svg, "<rect x=\"0\" y=\"18\" width=\"36\" height=\"18\" fill=\"#0000aa\"/>\n<text x=\"0\" "
                                "y=\"31\" textLength=\"36\" fill=\"#ffffff\">WWWW</text>"));
    free(ansi);
    free(svg);
    canvas_free(&canvas);
}

static void the_ending_says_the_form(void **state)
{
    (void)state;
    enum shot form;
    assert_true(shot_form("a.svg", &form) && form == SHOT_SVG);
    assert_true(shot_form("a.b.txt", &form) && form == SHOT_TEXT);
    assert_false(shot_form("svg", &form) || shot_form(".svg", &form) || shot_form("a.png", &form));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_picture_has_the_text_of_the_grid),
        cmocka_unit_test(colours_are_those_of_the_theme),
        cmocka_unit_test(the_ending_says_the_form),
    };
    return cmocka_run_group_tests_name("ui/shot", tests, NULL, NULL) != 0;
}
