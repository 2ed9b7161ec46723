#include "ui/pane/waterfall.h"

#include "core/base.h"
#include "core/estimate/iteration.h"
#include "core/show/figure.h"
#include "ui/term/canvas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL = 20, VALUE = LABEL + 7, SHARE = VALUE + 6, SHARE_WIDTH = 50 /* of a pane with shares */, BAR_LEAST = 6 };

/* Where bars begin. */
static int bar_at(int width)
{
    return (width >= SHARE_WIDTH ? SHARE : VALUE) + 1;
}

/* How a part is painted, and its letter where there is no colour. */
static const struct {
    char letter;
    enum role role;
} looks[ITERATION_PARTS] = {
    {'u', ROLE_WEIGHTS}, {'k', ROLE_OPTIMIZER}, {'r', ROLE_SCRATCH}, {'.', ROLE_DIM},  {'.', ROLE_DIM},
    {'t', ROLE_ACTIVATIONS}, {'x', ROLE_ACTIVATIONS}, {'e', ROLE_ACTIVATIONS}, {'p', ROLE_ACTIVATIONS},
    {'d', ROLE_ACTIVATIONS}, {'o', ROLE_CACHE}, {'h', ROLE_DRIVER}};

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

static void draw_figures(struct canvas *canvas, int y, int width, enum role role, const char *words, double seconds,
                         double whole_s)
{
    char text[24];
    canvas_text(canvas, 0, y, role, words);
    bool is_ms = whole_s < 0.9995;
    snprintf(text, sizeof text, is_ms ? "%.0fms" : whole_s < 999.95 ? "%.2f" : "%.0f", is_ms ? seconds * 1e3 : seconds);
    canvas_right(canvas, VALUE < width ? VALUE : width, y, role, text);
    snprintf(text, sizeof text, "%.0f %%", 100 * seconds / whole_s);
    if (width >= SHARE_WIDTH)
        canvas_right(canvas, SHARE, y, ROLE_DIM, text);
}

/* Cells from the running sum, rounded at both ends; what is less than a cell is a stroke. */
static void draw_bar(const struct ui *ui, struct canvas *canvas, int y, int width, int part, double from, double to)
{
    int x = bar_at(width), cells = width - x;
    if (cells < BAR_LEAST)
        return;
    int begin = (int)lround(from * cells), end = (int)lround(to * cells);
    if (end > begin)
        canvas_repeat(canvas, x + begin, y, looks[part].role, (uint32_t)looks[part].letter, end - begin);
    else
        canvas_repeat(canvas, x + (begin < cells ? begin : cells - 1), y, ROLE_DIM, ui->utf8 ? 0x258F : '|', 1);
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
    double at = 0;
    int y = 0, loss = largest_loss(iteration);
    for (int part = 0; part < ITERATION_PARTS; part++) {
        double seconds = iteration_part(iteration, part);
        if (is_shown(&shown, part)) {
            draw_figures(canvas, y, width, part == 0 || part == loss ? ROLE_TITLE : ROLE_TEXT,
                         iteration_parts[part].words, seconds, iteration->whole_s);
            draw_bar(ui, canvas, y++, width, part, at / iteration->whole_s, (at + seconds) / iteration->whole_s);
        }
        at += seconds;
    }
    if (has_rest)
        draw_figures(canvas, y++, width, ROLE_TEXT, "all else", shown.rest, iteration->whole_s);
    draw_figures(canvas, y, width, ROLE_TITLE, "= an iteration", iteration->whole_s, iteration->whole_s);
    if (bar_at(width) + (int)strlen("mean of all GPUs") <= width)
        canvas_text(canvas, bar_at(width), y, ROLE_DIM, "mean of all GPUs");
}
