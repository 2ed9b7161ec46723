#include "ui/pane/waterfall.h"

#include "ui/pane/lesson_marks.h"
#include "ui/widget/bar.h"

#include <stdio.h>
#include <string.h>

enum { LABEL = 20, VALUE = LABEL + 5, SHARE = VALUE + 6, SHARE_WIDTH = 52 /* of a pane with shares */, BAR_LEAST = 6 };

/* Where bars begin. */
static int bar_at(int width)
{
    return (width >= SHARE_WIDTH ? SHARE : VALUE) + 2;
}

/* How a part is painted, and its letter where there is no colour. */
struct part_look {
    char letter;
    enum role role;
};

static const struct part_look training_looks[] = {
    {'u', ROLE_USEFUL}, {'k', ROLE_BELOW}, {'r', ROLE_AGAIN}, {'.', ROLE_IDLE},  {'.', ROLE_IDLE},
    {'t', ROLE_TRAFFIC}, {'x', ROLE_TRAFFIC}, {'e', ROLE_TRAFFIC}, {'p', ROLE_TRAFFIC},
    {'d', ROLE_TRAFFIC}, {'o', ROLE_STEP}, {'h', ROLE_TRAFFIC}};
static const struct part_look serving_looks[] = {{'w', ROLE_USEFUL}, {'a', ROLE_BELOW}, {'k', ROLE_AGAIN},
                                            {'t', ROLE_TRAFFIC}, {'l', ROLE_STEP}, {'d', ROLE_AGAIN}, {'.', ROLE_IDLE}};

static const struct part_look rl_looks[] = {{'r', ROLE_BELOW}, {'l', ROLE_AGAIN}, {'u', ROLE_USEFUL},
                                       {'w', ROLE_TRAFFIC}, {'.', ROLE_IDLE}};

static const struct part_look *look_of(const struct ui *ui, int part)
{
    return ui->shown->is_serving ? &serving_looks[part] : ui->shown->is_rl ? &rl_looks[part] : &training_looks[part];
}

/* The parts that are shown, and what the others sum to. */
struct shown {
    int part[SPENT_MAX], count;
    double rest;
};

static const struct spent *spent_shown(const struct ui *ui, struct spent *scratch)
{
    if (ui->times && ui->times->generation == ui->generation)
        return &ui->times->spent;
    spent_of(ui->shown, scratch);
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
static struct shown choose(const struct spent *spent, int rows)
{
    struct shown chosen = {.count = 0}, out = {.count = 0};
    while (chosen.count < rows) {
        int most = -1;
        for (int i = 0; i < spent->count; i++) {
            bool is_larger = most < 0 || spent->part[i].seconds > spent->part[most].seconds;
            if (!is_shown(&chosen, i) && spent_is_shown(spent, i) &&
                (is_larger || (i == 0 && chosen.count == 0)) && !(chosen.count == 0 && i > 0))
                most = i;
        }
        if (most < 0)
            break;
        chosen.part[chosen.count++] = most;
    }
    for (int i = 0; i < spent->count; i++)
        if (is_shown(&chosen, i))
            out.part[out.count++] = i;
        else
            out.rest += spent->part[i].seconds;
    return out;
}

int waterfall_rows(const struct ui *ui)
{
    struct spent scratch;
    const struct spent *spent = spent_shown(ui, &scratch);
    return spent->count && spent->whole_s > 0 ? choose(spent, SPENT_MAX).count + 1 : 0;
}

/* The least difference that is printed. */
static double printed_unit(double whole_s)
{
    return whole_s < 0.09995 ? 1e-4 : whole_s < 0.9995 ? 1e-3 : whole_s < 999.95 ? 1e-2 : 1;
}

/* Rounds parts so that what is printed sums to what is printed of the whole: the largest remainders go up. */
static void round_parts(double part[], int count, double whole_s)
{
    double unit = printed_unit(whole_s), left = round(whole_s / unit), remainder[SPENT_MAX + 1];
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
    int digits = whole_s < 0.09995 ? 1 : is_ms || whole_s >= 999.95 ? 0 : 2;
    snprintf(text, sizeof text, "%.*f", digits, is_ms ? seconds * 1e3 : seconds);
    canvas_right(canvas, VALUE < width ? VALUE : width, y, role, text);
    snprintf(text, sizeof text, "%.0f %%", 100 * seconds / whole_s);
    if (width >= SHARE_WIDTH)
        canvas_right(canvas, SHARE, y, ROLE_MUTED, text);
}

static bool is_marked(const struct ui *ui, const struct spent_part *part)
{
    return lesson_marks_part(ui, "time.waterfall", part->name);
}

/* The bar of a part where the last one ends; the largest loss is named beside it. */
static void draw_bar(struct canvas *canvas, int y, int width, const struct part_look *look, bool is_marked,
                     double from, double to, bool is_largest)
{
    static const char words[] = "largest loss";
    int x = bar_at(width), cells = width - x, room = (int)sizeof words + 1;
    enum role role = is_marked                                       ? ROLE_WARN
                     : is_largest && look->role == ROLE_TRAFFIC ? ROLE_TRAFFIC_MOST
                                                                   : look->role;
    if (cells < BAR_LEAST)
        return;
    bar_step(canvas, x, y, cells, from, to, role, look->letter);
    int begin = (int)(from * cells), end = (int)(to * cells) + 2;
    if (is_largest && end + room <= cells)
        canvas_text(canvas, x + end, y, ROLE_MUTED, words);
    else if (is_largest && begin >= room)
        canvas_text(canvas, x + begin - room, y, ROLE_MUTED, words);
}

/* The largest part after maths; for a token the largest. */
static int largest_loss(const struct spent *spent)
{
    int most = spent->is_mean;
    for (int i = most + 1; i < spent->count; i++)
        most = spent->part[i].seconds > spent->part[most].seconds ? i : most;
    return most;
}

void waterfall_draw(const struct ui *ui, struct canvas *canvas, int width, int rows)
{
    struct spent scratch;
    const struct spent *spent = spent_shown(ui, &scratch);
    struct shown shown = choose(spent, SPENT_MAX);
    if (shown.count + 1 > rows)
        shown = choose(spent, rows > 3 ? rows - 2 : 2);
    bool has_rest = shown.rest >= 5e-4 * spent->whole_s;
    double at = 0, printed[SPENT_MAX + 1];
    char sum[32];
    for (int i = 0; i < shown.count; i++)
        printed[i] = spent->part[shown.part[i]].seconds;
    printed[shown.count] = shown.rest;
    round_parts(printed, shown.count + has_rest, spent->whole_s);
    int y = 0, loss = largest_loss(spent);
    for (int i = 0; i < spent->count; i++) {
        const struct spent_part *part = &spent->part[i];
        if (is_shown(&shown, i)) {
            draw_figures(canvas, y, width,
                         is_marked(ui, part) ? ROLE_WARN : i == 0 || i == loss ? ROLE_STRONG : ROLE_TEXT, part->words,
                         printed[y], spent->whole_s);
            draw_bar(canvas, y++, width, look_of(ui, i), is_marked(ui, part), at / spent->whole_s,
                     (at + part->seconds) / spent->whole_s, i == loss && spent->is_mean);
        }
        at += part->seconds;
    }
    if (has_rest)
        draw_figures(canvas, y++, width, ROLE_TEXT, "all else", printed[shown.count], spent->whole_s);
    snprintf(sum, sizeof sum, "= %s", spent->what);
    draw_figures(canvas, y, width, ROLE_STRONG, sum, spent->whole_s, spent->whole_s);
    if (spent->is_mean && ui->width >= RESULT_RANGE_WIDTH && ui->range.generation == ui->generation)
        canvas_pick(canvas, bar_at(width), y, width - bar_at(width), ROLE_MUTED, ui->range.runs);
}

void waterfall_sentence(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    struct spent scratch;
    const struct spent *spent = spent_shown(ui, &scratch);
    *out = '\0';
    if (spent->count == 0 || !(spent->whole_s > 0))
        return;
    int loss = largest_loss(spent);
    if (!spent->is_mean)
        snprintf(out, UI_MESSAGE_MAX, "%c%s takes %s. Most of it: %s, %.0f %%.", 'A', spent->what + 1,
                 figure(FIGURE_SECONDS, spent->whole_s).text, spent->part[loss].words,
                 100 * spent->part[loss].seconds / spent->whole_s);
    else
        snprintf(out, UI_MESSAGE_MAX, "Maths at peak speed: %.0f %%. Largest loss: %s, %.0f %%.",
                 100 * spent->part[0].seconds / spent->whole_s, spent->part[loss].words,
                 100 * spent->part[loss].seconds / spent->whole_s);
}
