#include "tests/screens/structure.h"

#include "tests/check.h"

#include "core/show/components.h"
#include "core/show/time_parts.h"
#include "ui/pane/pane.h"
#include "ui/overlay/overlay.h"
#include "ui/state/result.h"

#include <ctype.h>

struct screen {
    const struct ui *ui;
    const struct canvas *canvas;
    const char *keys;
};

static const struct cell *cell_at(const struct screen *s, int x, int y)
{
    return &s->canvas->cells[y * s->canvas->width + x];
}

static bool is_blank(const struct screen *s, int x, int y)
{
    return cell_at(s, x, y)->glyph == ' ';
}

/* Row `y` of a rectangle as text without blanks at its end. */
static const char *text_of(const struct screen *s, struct rect r, int y)
{
    static char text[2][1024];
    static int turn;
    char *out = text[turn ^= 1];
    int used = 0;
    for (int x = 0; x < r.width && x < 1023; x++) {
        out[x] = (char)cell_at(s, r.x + x, y)->glyph;
        used = out[x] != ' ' ? x + 1 : used;
    }
    out[used] = '\0';
    return out;
}

static struct rect whole(const struct screen *s)
{
    return (struct rect){0, 0, s->canvas->width, s->canvas->height};
}

#define require(s, y, condition, ...)                                                                                  \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_error("%dx%d '%s' line %d: ", (s)->canvas->width, (s)->canvas->height, (s)->keys, (y) + 1);          \
            print_error(__VA_ARGS__);                                                                                  \
            print_error(": %s\n", text_of(s, whole(s), y));                                                            \
            fail();                                                                                                    \
        }                                                                                                              \
    } while (0)

/* ---- title, verdict, hints -------------------------------------------------------------------------------------- */

static bool has_role(const struct screen *s, int y, enum role role)
{
    for (int x = 0; x < s->canvas->width; x++)
        if (cell_at(s, x, y)->role == role && !is_blank(s, x, y))
            return true;
    return false;
}

enum { HINTS_WIDTH = 26 /* from here on every overlay has room for a key and what it does */ };

static void check_frame(const struct screen *s)
{
    const struct layout *l = &s->ui->layout;
    char verdict[VERDICT_MAX];
    if (l->is_tiny || s->ui->aside)
        return;
    enum role role = s->ui->mode == MODE_GOAL ? ROLE_GOOD /* its answer holds, or the pill warns */
                                              : verdict_role(result_verdict(s->ui->shown, verdict));
    bool has_room = !l->is_small && s->canvas->width > (int)strlen(verdict) + 20;
    require(s, 0, !has_room || cell_at(s, 1, 0)->role == ROLE_STRONG, "no name");
    require(s, 0, has_role(s, 0, role) || has_role(s, 0, verdict_pill(role)) || has_role(s, 0, ROLE_BAD) ||
                      has_role(s, 0, ROLE_PILL_BAD) || has_role(s, 0, ROLE_PILL_WARN) || has_role(s, 0, ROLE_FOCUS),
            "no verdict");
    if (l->hint.height > 0 && s->canvas->width >= HINTS_WIDTH)
        require(s, l->hint.y, has_role(s, l->hint.y, ROLE_KEY), "no key hints");
}

/* Two blank columns part a pane from what is left of it. */
static void check_borders(const struct screen *s)
{
    for (int i = 0; i < s->ui->layout.slots; i++) {
        struct rect r = s->ui->layout.slot[i].rect;
        for (int y = r.y; r.x > 0 && y < r.y + r.height; y++)
            require(s, y, is_blank(s, r.x - 1, y) && is_blank(s, r.x - 2, y), "no gap left of column %d", r.x);
    }
}

/* ---- cuts ------------------------------------------------------------------------------------------------------- */

static bool is_row_blank(const struct screen *s, struct rect r, int y)
{
    return text_of(s, r, y)[0] == '\0';
}

/* Blank columns right of (x, y), as far as all rows of its block have them. */
static int room_after(const struct screen *s, struct rect r, int x, int y)
{
    int from = y, to = y, room = 0;
    while (from > r.y && !is_row_blank(s, r, from - 1))
        from--;
    while (to + 1 < r.y + r.height && !is_row_blank(s, r, to + 1))
        to++;
    for (; x + 1 + room < r.x + r.width; room++)
        for (int row = from; row <= to; row++)
            if (!is_blank(s, x + 1 + room, row))
                return room;
    return room;
}

enum { COLUMN_SPARE = 4 /* columns by which the next column may be wider than its present numbers, gap included */ };

static void check_cuts(const struct screen *s, struct rect r)
{
    for (int y = r.y; y < r.y + r.height; y++)
        for (int x = r.x + 1; x < r.x + r.width; x++) {
            if (cell_at(s, x, y)->glyph != '~' || !isalnum((int)cell_at(s, x - 1, y)->glyph))
                continue;
            int room = room_after(s, r, x, y), wanted = x + 1 + room == r.x + r.width ? 1 : COLUMN_SPARE;
            require(s, y, room <= wanted, "cut with %d columns to spare", room);
        }
}

/* ---- columns ---------------------------------------------------------------------------------------------------- */

static bool is_digit_at(const struct screen *s, int x, int y)
{
    return isdigit((int)cell_at(s, x, y)->glyph);
}

/* The row of a pane that begins with this text; -1 without one. */
static int find_row(const struct screen *s, struct rect r, const char *text)
{
    for (int y = r.y; y < r.y + r.height; y++)
        if (strncmp(text_of(s, r, y), text, strlen(text)) == 0)
            return y;
    return -1;
}

/* The column after the first number of a row, from column `x` on: digits, a point and one sign; -1 without one. */
static int number_end(const struct screen *s, struct rect r, int x, int y)
{
    const char *text = text_of(s, r, y);
    int length = (int)strlen(text);
    for (int at = x - r.x; at < length; at++) {
        int digits = (int)strspn(text + at, "0123456789."), end = at + digits;
        if (digits > 0 && isdigit(text[at]) && at > 0 && text[at - 1] == ' ' && (end == length || text[end] == ' '))
            return r.x + end;
        at += digits;
    }
    return -1;
}

/* The number that ends before column `end`; NAN without one. */
static double number_before(const struct screen *s, struct rect r, int end, int y)
{
    int from = end;
    while (from > r.x && strchr("0123456789.", (int)cell_at(s, from - 1, y)->glyph))
        from--;
    bool is_alone = from < end && (end == r.x + r.width || !is_digit_at(s, end, y)) && is_digit_at(s, end - 1, y);
    return is_alone ? atof(text_of(s, r, y) + from - r.x) : NAN;
}

/* ---- totals ----------------------------------------------------------------------------------------------------- */

enum { WIDEST = 100000 /* a number from here on has no room in its column */ };

/* How far the sum of `terms` numbers with this many decimals may be from a number with the same. */
static double rounding(const struct screen *s, struct rect r, int end, int y, int terms)
{
    const char *text = text_of(s, r, y), *point = text + end - r.x;
    int decimals = 0;
    while (point > text && isdigit(point[-1]))
        point--, decimals++;
    return 0.5001 * pow(10, point > text && point[-1] == '.' ? -decimals : 0) * terms;
}

/*
 * Rows start with one of `letters` and hold a number that ends where the number of row `total` ends; each row with "="
 * is the sum of the rows above it. Returns the value of `total`, NAN where that row is not on the screen.
 */
static double check_sums(const struct screen *s, struct rect r, const char *letters, const char *total, int *row)
{
    double sum = 0, whole_value = NAN;
    int last = *row = find_row(s, r, total), terms = 1;
    int end = last < 0 ? -1 : number_end(s, r, r.x + (int)strlen(total), last);
    if (end < 0)
        return NAN;
    int from = last;
    while (from > r.y && (strchr(letters, (int)cell_at(s, r.x, from - 1)->glyph) || is_blank(s, r.x, from - 1)) &&
           is_blank(s, r.x + 1, from - 1))
        from--;
    bool is_whole = (int)cell_at(s, r.x, from)->glyph == letters[0];
    for (int y = from; y <= last; y++) {
        double value = number_before(s, r, end, y);
        bool is_sum = cell_at(s, r.x, y)->glyph == '=', is_part = !is_sum && !is_blank(s, r.x, y);
        require(s, y, (!is_sum && !is_part) || !isnan(value), "no number that ends in column %d", end);
        if (is_sum && is_whole && value < WIDEST)
            require(s, y, fabs(value - sum) <= rounding(s, r, end, y, terms), "sums to %g", sum);
        sum += is_part ? value : 0;
        terms += is_part;
        whole_value = value;
    }
    return whole_value;
}

/* What a plan comes to, worked out apart from the screen. */
static const struct estimate *estimate_anew(const struct ui *ui)
{
    static struct estimate estimate;
    estimate_plan(&ui->shown->plan, &estimate);
    return &estimate;
}

static void check_memory_totals(const struct screen *s, struct rect r, const struct estimate *e)
{
    int row;
    double device = check_sums(s, r, "WGOATSCDBKEFHILMNPQRUVXYZ=", "= on the device", &row);
    double expected = -INFINITY, unit = s->ui->settings.units == UNITS_GB ? 1e9 : GIB;
    for (int i = 0; i < e->stages; i++)
        expected = fmax(expected, e->stage[i].device_bytes / unit);
    if (s->ui->stage < 0 && expected < WIDEST)
        require(s, row, isnan(device) || fabs(device - expected) <= 0.0501, "is %g GiB", expected);
}

static void check_time_totals(const struct screen *s, struct rect r, const struct estimate *e)
{
    int row;
    double iteration = check_sums(s, r, "ctpxeh.do=", "= iteration", &row);
    double expected = e->step.iteration_s < 1 ? 1e3 * e->step.iteration_s : e->step.iteration_s;
    if (expected < WIDEST && !isnan(iteration))
        require(s, row, fabs(iteration - expected) <= fmax(0.00501, 0.000501 * expected), "is %g", expected);
}

/* ---- everything ------------------------------------------------------------------------------------------------- */

static void check_pane(const struct screen *s, const struct slot *slot, const struct estimate *estimate)
{
    check_cuts(s, slot->rect);
    if (slot->pane == PANE_MEMORY && estimate)
        check_memory_totals(s, pane_inside(s->ui, PANE_MEMORY), estimate);
    if (slot->pane == PANE_TIME && estimate)
        check_time_totals(s, pane_inside(s->ui, PANE_TIME), estimate);
}

void structure_check(const struct ui *ui, const struct canvas *canvas, const char *keys)
{
    struct screen s = {ui, canvas, keys};
    bool is_training = ui->shown->is_computed && !ui->shown->is_serving;
    check_frame(&s);
    bool is_covered = overlays[ui->mode]->draw || overlays[ui->mode]->draw_whole;
    if (ui->layout.is_tiny || ui->layout.is_small || is_covered || ui->aside)
        return;
    check_borders(&s);
    for (int i = 0; i < ui->layout.slots; i++)
        check_pane(&s, &ui->layout.slot[i], is_training ? estimate_anew(ui) : NULL);
}
