#include "ui/pane/waterfall.h"

#include "core/base.h"
#include "core/estimate/iteration.h"
#include "core/show/figure.h"
#include "ui/pane/lesson_marks.h"
#include "ui/widget/bar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL = 20, VALUE = LABEL + 5, SHARE = VALUE + 6, SHARE_WIDTH = 52 /* of a pane with shares */, BAR_LEAST = 6 };

/* Where bars begin. */
static int bar_at(int width)
{
    return (width >= SHARE_WIDTH ? SHARE : VALUE) + 2;
}

/* How a part is painted, and its letter where there is no colour. */
static const struct {
    char letter;
    enum role role;
} looks[ITERATION_PARTS] = {
    {'u', ROLE_USEFUL}, {'k', ROLE_BELOW}, {'r', ROLE_AGAIN}, {'.', ROLE_IDLE},  {'.', ROLE_IDLE},
    {'t', ROLE_TRAFFIC}, {'x', ROLE_TRAFFIC}, {'e', ROLE_TRAFFIC}, {'p', ROLE_TRAFFIC},
    {'d', ROLE_TRAFFIC}, {'o', ROLE_STEP}, {'h', ROLE_TRAFFIC}};

/* The parts that are shown, and what the others sum to. */
struct shown {
    int part[ITERATION_PARTS], count;
    double rest;
};

static const struct iteration *iteration_shown(const struct ui *ui, struct iteration *scratch)
{
    if (ui->times && ui->times->generation == ui->generation)
        return &ui->times->iteration;
    iteration_of(ui->shown, scratch);
    return scratch;
}

static bool is_shown(const struct shown *shown, int part)
{
    for (int i = 0; i < shown->count; i++)
        if (shown->part[i] == part)
            return true;
    return false;
}

/* The first part, then the largest others; parts of less than 0.05 % are in the rest. */
static struct shown choose(const struct iteration *iteration, int rows)
{
    struct shown chosen = {.count = 0}, out = {.count = 0};
    while (chosen.count < rows) {
        int most = -1;
        for (int i = 0; i < ITERATION_PARTS; i++) {
            bool is_larger = most < 0 || iteration_part(iteration, i) > iteration_part(iteration, most);
            if (!is_shown(&chosen, i) && iteration_part(iteration, i) >= 5e-4 * iteration->whole_s &&
                (is_larger || (i == 0 && chosen.count == 0)) && !(chosen.count == 0 && i > 0))
                most = i;
        }
        if (most < 0)
            break;
        chosen.part[chosen.count++] = most;
    }
    for (int i = 0; i < ITERATION_PARTS; i++)
        if (is_shown(&chosen, i))
            out.part[out.count++] = i;
        else
            out.rest += iteration_part(iteration, i);
    return out;
}

int waterfall_rows(const struct ui *ui)
{
    struct iteration scratch;
    const struct iteration *iteration = iteration_shown(ui, &scratch);
    if (!(iteration->whole_s > 0))
        return 0;
    struct shown shown = choose(iteration, ITERATION_PARTS);
    return shown.count + 1;
}

/* The least difference that is printed. */
static double printed_unit(double whole_s)
{
    return whole_s < 0.9995 ? 1e-3 : whole_s < 999.95 ? 1e-2 : 1;
}

/* Rounds parts so that what is printed sums to what is printed of the whole: the largest remainders go up. */
static void round_parts(double part[], int count, double whole_s)
{
    double unit = printed_unit(whole_s), left = round(whole_s / unit), remainder[ITERATION_PARTS + 1];
    for (int i = 0; i < count; i++) {
        double units = floor(part[i] / unit + 1e-9);
        remainder[i] = part[i] / unit - units;
        part[i] = units * unit;
        left -= units;
    }
    for (; left >= 1; left--) {
        int most = 0;
        for (int i = 1; i < count; i++)
            most = remainder[i] > remainder[most] ? i : most;
        part[most] += unit;
        remainder[most] = -1;
    }
}

/* A row's words, its time in the unit that the title of the panel names, and its share. */
static void draw_figures(struct canvas *canvas, int y, int width, enum role role, const char *words, double seconds,
                         double whole_s)
{
    char text[24];
    canvas_text(canvas, 0, y, role, words);
    bool is_ms = whole_s < 0.9995;
    snprintf(text, sizeof text, is_ms || whole_s >= 999.95 ? "%.0f" : "%.2f", is_ms ? seconds * 1e3 : seconds);
    canvas_right(canvas, VALUE < width ? VALUE : width, y, role, text);
    snprintf(text, sizeof text, "%.0f %%", 100 * seconds / whole_s);
    if (width >= SHARE_WIDTH)
        canvas_right(canvas, SHARE, y, ROLE_MUTED, text);
}

static bool is_marked(const struct ui *ui, int part)
{
    return lesson_marks_part(ui, "time.waterfall", iteration_parts[part].name);
}

/* The bar of a part where the last one ends; the largest loss is named beside it. */
static void draw_bar(const struct ui *ui, struct canvas *canvas, int y, int width, int part, double from, double to,
                     bool is_largest)
{
    static const char words[] = "largest loss";
    int x = bar_at(width), cells = width - x, room = (int)sizeof words + 1;
    enum role role = is_marked(ui, part)                                 ? ROLE_WARN
                     : is_largest && looks[part].role == ROLE_TRAFFIC ? ROLE_TRAFFIC_MOST
                                                                         : looks[part].role;
    if (cells < BAR_LEAST)
        return;
    bar_step(canvas, x, y, cells, from, to, role, looks[part].letter);
    int begin = (int)(from * cells), end = (int)(to * cells) + 2;
    if (is_largest && end + room <= cells)
        canvas_text(canvas, x + end, y, ROLE_MUTED, words);
    else if (is_largest && begin >= room)
        canvas_text(canvas, x + begin - room, y, ROLE_MUTED, words);
}

/* The largest part after the maths. */
static int largest_loss(const struct iteration *iteration)
{
    int most = 1;
    for (int i = 2; i < ITERATION_PARTS; i++)
        most = iteration_part(iteration, i) > iteration_part(iteration, most) ? i : most;
    return most;
}

void waterfall_draw(const struct ui *ui, struct canvas *canvas, int width, int rows)
{
    struct iteration scratch;
    const struct iteration *iteration = iteration_shown(ui, &scratch);
    struct shown shown = choose(iteration, ITERATION_PARTS);
    if (shown.count + 1 > rows)
        shown = choose(iteration, rows > 3 ? rows - 2 : 2);
    bool has_rest = shown.rest >= 5e-4 * iteration->whole_s;
    double at = 0, printed[ITERATION_PARTS + 1];
    for (int i = 0; i < shown.count; i++)
        printed[i] = iteration_part(iteration, shown.part[i]);
    printed[shown.count] = shown.rest;
    round_parts(printed, shown.count + has_rest, iteration->whole_s);
    int y = 0, loss = largest_loss(iteration);
    for (int part = 0; part < ITERATION_PARTS; part++) {
        double seconds = iteration_part(iteration, part);
        if (is_shown(&shown, part)) {
            draw_figures(canvas, y, width,
                         is_marked(ui, part) ? ROLE_WARN : part == 0 || part == loss ? ROLE_STRONG : ROLE_TEXT,
                         iteration_parts[part].words, printed[y], iteration->whole_s);
            draw_bar(ui, canvas, y++, width, part, at / iteration->whole_s, (at + seconds) / iteration->whole_s,
                     part == loss);
        }
        at += seconds;
    }
    if (has_rest)
        draw_figures(canvas, y++, width, ROLE_TEXT, "all else", printed[shown.count], iteration->whole_s);
    draw_figures(canvas, y, width, ROLE_STRONG, "= an iteration", iteration->whole_s, iteration->whole_s);
    if (ui->width >= RESULT_RANGE_WIDTH && ui->range.generation == ui->generation)
        canvas_pick(canvas, bar_at(width), y, width - bar_at(width), ROLE_MUTED, ui->range.runs);
}

void waterfall_sentence(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    struct iteration scratch;
    const struct iteration *iteration = iteration_shown(ui, &scratch);
    *out = '\0';
    if (!(iteration->whole_s > 0))
        return;
    int loss = largest_loss(iteration);
    snprintf(out, UI_MESSAGE_MAX, "Maths at peak speed: %.0f %%. Largest loss: %s, %.0f %%.",
             100 * iteration_part(iteration, 0) / iteration->whole_s, iteration_parts[loss].words,
             100 * iteration_part(iteration, loss) / iteration->whole_s);
}
