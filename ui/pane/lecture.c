/* Figures for those who look on: few bars, several rows high, each with a name and a value. */
#include "core/base.h"
#include "core/show/figure.h"
#include "ui/pane/lecture.h"
#include "ui/widget/units.h"

#include <math.h>
#include <stdio.h>

enum { PITCH_LEAST = 5, PITCH_MOST = 13 };

int lecture_pitch(int count, int height)
{
    int pitch = count > 0 ? (height + 1) / count : height;
    return pitch > PITCH_MOST ? PITCH_MOST : pitch >= PITCH_LEAST ? pitch : height < PITCH_LEAST ? height : PITCH_LEAST;
}

static double sum_of(const struct lecture_bar *bar)
{
    double sum = 0;
    for (int i = 0; i < bar->parts; i++)
        sum += bar->part[i].amount;
    return sum;
}

void lecture_draw(struct canvas *canvas, const struct lecture_bar *bar, int count, double limit, int width, int height)
{
    enum { GAP = 2 };
    int pitch = lecture_pitch(count, height), name = 0, value = 0;
    double most = 0;
    for (int i = 0; i < count; i++) {
        const int columns[] = {text_width(bar[i].name), text_width(bar[i].below)};
        name = columns[0] > name ? columns[0] : name;
        name = columns[1] > name ? columns[1] : name;
        value = text_width(bar[i].value) > value ? text_width(bar[i].value) : value;
        most = fmax(most, sum_of(&bar[i]));
    }
    int x = 1 + name + GAP;
    for (int i = 0, y = 0; i < count && y + pitch - 1 <= height; i++, y += pitch) {
        struct rect where = {x, y, width - x - value - GAP, pitch - 1};
        int middle = y + where.height / 2;
        enum role role = sum_of(&bar[i]) >= most ? ROLE_STRONG : ROLE_TEXT;
        struct bar drawn = {.part = bar[i].part, .parts = bar[i].parts, .scale = fmax(most, limit), .limit = limit};
        drawn.has_words = role == ROLE_STRONG && bar[i].part[0].word;
        bar_draw(&drawn, canvas, where);
        canvas_text(canvas, 1, middle, role, bar[i].name);
        canvas_text(canvas, 1, middle + 1, ROLE_MUTED, bar[i].below);
        canvas_right(canvas, width, middle, role, bar[i].value);
    }
}

/* ---- devices ---------------------------------------------------------------------------------------------------- */

enum { LABEL = 7, BLOCK_LEAST = 9, APART = 3 };

/* Number `at` of `shown` of `all`: the last one stands at the end. */
static int number_of(int at, int shown, int all)
{
    return at == shown - 1 ? all - 1 : at;
}

/* The GPUs of one stage of one copy, by their tensor-parallel ranks, and what each holds. */
static void draw_block(const struct ui *ui, struct canvas *canvas, struct rect where, int stage)
{
    enum { SHADES = 5 };
    const struct estimate *e = ui->shown;
    double bytes = stage < e->stages && e->is_computed ? e->stage[stage].device_bytes : NAN;
    int tp = e->grid.size[AXIS_TP], shade = isfinite(bytes) ? (int)(SHADES * bytes / e->usable_bytes) : 0;
    enum role role = (enum role)(ROLE_HEAT1 + (shade < SHADES ? shade : SHADES - 1));
    role = bytes > e->usable_bytes ? ROLE_BAD : role;
    for (int y = 0; y < where.height; y++)
        canvas_repeat(canvas, where.x, where.y + y, role, ' ', where.width);
    for (int i = 0, x = where.x + 1; i < tp && 2 * tp < where.width; i++, x += 2)
        canvas_format(canvas, x, where.y, role, "%d", i % 10);
    const char *text = isfinite(bytes) ? units_figure(FIGURE_GIB, bytes).text : "?";
    canvas_text(canvas, where.x + (where.width - text_width(text)) / 2, where.y + where.height / 2, role, text);
}

void lecture_devices(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    const struct rank_grid *g = &ui->shown->grid;
    int stages = g->size[AXIS_PP], copies = g->size[AXIS_DP];
    int across = (width - LABEL + APART) / (BLOCK_LEAST + APART), down = height / PITCH_LEAST;
    across = across < stages ? across : stages;
    down = down < 1 ? 1 : down < copies ? down : copies;
    int wide = (width - LABEL + APART) / across, pitch = lecture_pitch(down, height - 1);
    for (int k = 0; k < across; k++)
        canvas_format(canvas, LABEL + k * wide, 0, ROLE_MUTED, k ? "%d" : "stage %d", number_of(k, across, stages));
    for (int i = 0, y = 1; i < down; i++, y += pitch) {
        canvas_format(canvas, 1, y + (pitch - 1) / 2, ROLE_MUTED, i ? "%5d" : "dp %d", number_of(i, down, copies));
        for (int k = 0; k < across; k++) {
            struct rect where = {LABEL + k * wide, y, wide - APART, pitch - 1};
            draw_block(ui, canvas, where, number_of(k, across, stages));
            if (k + 1 < across)
                canvas_repeat(canvas, where.x + where.width + 1, y + (pitch - 1) / 2, ROLE_MUTED,
                              number_of(k + 1, across, stages) > number_of(k, across, stages) + 1 ? ':'
                              : canvas->ascii                                                     ? '>'
                                                                                                  : 0x2192, 1);
        }
    }
}

void lecture_devices_sentence(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    const struct rank_grid *g = &ui->shown->grid;
    int gpus = g->size[AXIS_PP] * g->size[AXIS_DP] > 0 ? g->world / (g->size[AXIS_PP] * g->size[AXIS_DP]) : 0;
    snprintf(out, UI_MESSAGE_MAX, "A block: %d GPU%s and the %s of each; darker: fuller.", gpus, gpus == 1 ? "" : "s",
             units_name());
}

/* ---- serving ---------------------------------------------------------------------------------------------------- */

/* A bar for a point of the curve. */
static struct lecture_bar user_bar(const struct serving_point *point, bool is_time)
{
    double rest = fmax(point->needed_bytes - point->weights_bytes - point->cache_bytes, 0);
    struct lecture_bar bar = {.part = {{'W', ROLE_WEIGHTS, point->weights_bytes, "weights"},
                                       {'A', ROLE_ACTIVATIONS, point->cache_bytes, "keys, values"},
                                       {'T', ROLE_TRANSIENT, rest, "rest"}}, .parts = 3};
    struct figure value = units_figure(FIGURE_GIB, point->needed_bytes);
    if (is_time) {
        bar.part[0] = (struct bar_part){'=', point->fits ? ROLE_USEFUL : ROLE_BELOW, point->token_s, NULL};
        bar.parts = 1;
        value = figure(FIGURE_SECONDS, point->token_s);
    }
    snprintf(bar.name, LECTURE_TEXT_MAX, "%s", figure(FIGURE_EXACT, point->value).text);
    snprintf(bar.value, LECTURE_TEXT_MAX, "%s", value.text);
    return bar;
}

void lecture_users(const struct ui *ui, struct canvas *canvas, bool is_time, int width, int height)
{
    const struct serving_curve *c = &ui->curve;
    struct lecture_bar bar[LECTURE_BARS];
    int count = c->count < LECTURE_BARS ? c->count : LECTURE_BARS;
    canvas_pick(canvas, 1, 0, width - 1, ROLE_MUTED, is_time ? "users; time of a token|" : "users; GiB|");
    canvas_clip(canvas, rect_below(canvas->clip, 1));
    for (int i = 0; i < count; i++)
        bar[i] = user_bar(&c->point[count > 1 ? i * (c->count - 1) / (count - 1) : 0], is_time);
    lecture_draw(canvas, bar, count, is_time ? NAN : ui->shown->serving.room_bytes, width, height - 1);
}
