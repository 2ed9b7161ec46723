#include "ui/pane/front.h"

#include "core/base.h"
#include "core/search/layout_name.h"
#include "core/show/figure.h"
#include "ui/advisor.h"
#include "ui/state.h"
#include "ui/units.h"

#include <math.h>
#include <stdio.h>

enum { LEFT = 8 };

/* What the axes mean, and where they are. */
struct plot {
    double least_s, most_s, least_bytes, most_bytes;
    int y, places, rows;
};

static const struct search_answer *answer_of(const struct ui *ui)
{
    return &ui->advisor->search.answer;
}

/* Time to twice that of the fastest, or to this plan's where that is not much more. */
static struct plot plot_of(const struct ui *ui, struct rect where)
{
    const double shown = 2, least_shown = 4;
    const struct search_answer *answer = answer_of(ui);
    double fastest_s = answer->front[answer->front_count - 1].iteration_s, slowest_s = answer->front[0].iteration_s;
    double now_s = ui->now->step.iteration_s;
    struct plot plot = {fastest_s,   fmin(slowest_s, shown * fastest_s), INFINITY,        0,
                        where.y + 1, where.width - LEFT - 1,             where.height - 2};
    if (now_s <= least_shown * fastest_s)
        plot.most_s = fmax(plot.most_s, now_s);
    for (int i = 0; i < answer->front_count; i++)
        if (answer->front[i].iteration_s <= plot.most_s) {
            plot.least_bytes = fmin(plot.least_bytes, answer->front[i].peak_device_bytes);
            plot.most_bytes = fmax(plot.most_bytes, answer->front[i].peak_device_bytes);
        }
    return plot;
}

/* Where a value stands on a scale of so many places. */
static int place_of(double value, double from, double to, int places)
{
    double share = to != from ? (value - from) / (to - from) : 0;
    return (int)(fmin(fmax(share, 0), 1) * (places - 1) + 0.5);
}

/* One layout; what is beyond the axes is left out. */
static void draw_point(const struct plot *plot, struct canvas *canvas, double bytes, double seconds, enum role role,
                       const char *mark)
{
    if (!(seconds >= plot->least_s && seconds <= plot->most_s && bytes >= plot->least_bytes && bytes <= plot->most_bytes))
        return;
    int x = LEFT + place_of(seconds, plot->least_s, plot->most_s, plot->places);
    canvas_text(canvas, x, plot->y + place_of(bytes, plot->most_bytes, plot->least_bytes, plot->rows), role, mark);
}

static void draw_scales(const struct plot *plot, struct canvas *canvas, int beyond)
{
    int end = plot->y + plot->rows;
    canvas_right(canvas, LEFT - 1, plot->y, ROLE_DIM, units_figure(FIGURE_GIB, plot->most_bytes).text);
    canvas_right(canvas, LEFT - 1, end - 1, ROLE_DIM, units_figure(FIGURE_GIB, plot->least_bytes).text);
    canvas_text(canvas, LEFT, end, ROLE_DIM, figure(FIGURE_SECONDS, plot->least_s).text);
    canvas_right(canvas, LEFT + plot->places, end, ROLE_DIM, figure(FIGURE_SECONDS, plot->most_s).text);
    if (beyond > 0)
        canvas_format(canvas, LEFT + 10, end, ROLE_DIM, "%d with less memory are slower still", beyond);
}

void front_draw(const struct ui *ui, struct canvas *canvas, struct rect where, int chosen)
{
    const struct advisor *advisor = ui->advisor;
    const struct search_answer *answer = answer_of(ui);
    struct plot plot = plot_of(ui, where);
    int beyond = 0;
    canvas_format(canvas, 0, where.y, ROLE_DIM,
                  "memory, %s, against time: o the front, . others that fit, * this plan   Right walks along it",
                  units_name());
    for (int i = 0; i < advisor->dots; i++)
        draw_point(&plot, canvas, advisor->dot[i].bytes, advisor->dot[i].iteration_s, ROLE_DIM, ".");
    for (int i = 0; i < answer->front_count; i++) {
        const struct search_result *one = &answer->front[i];
        beyond += one->iteration_s > plot.most_s;
        draw_point(&plot, canvas, one->peak_device_bytes, one->iteration_s, ROLE_GOOD, "o");
    }
    draw_point(&plot, canvas, ui->now->stage[ui->now->peak_stage].device_bytes, ui->now->step.iteration_s, ROLE_TITLE, "*");
    draw_scales(&plot, canvas, beyond);
    if (chosen >= 0) {
        const struct search_result *one = &answer->front[answer->front_count - 1 - chosen];
        double seconds = fmin(one->iteration_s, plot.most_s), bytes = fmax(one->peak_device_bytes, plot.least_bytes);
        draw_point(&plot, canvas, bytes, seconds, ROLE_FOCUS, "o");
    }
}

void front_say(const struct ui *ui, struct canvas *canvas, int y, int width, int chosen)
{
    const struct search_answer *answer = answer_of(ui);
    const struct search_result *least = &answer->front[0], *fastest = &answer->front[answer->front_count - 1];
    char text[LAYOUT_NAME_MAX + 80], name[LAYOUT_NAME_MAX];
    if (chosen < 0) {
        snprintf(text, sizeof text, "front, %d: %s %s %s .. %s %s %s", answer->front_count,
                 figure(FIGURE_SECONDS, fastest->iteration_s).text,
                 units_figure(FIGURE_GIB, fastest->peak_device_bytes).text, units_name(),
                 figure(FIGURE_SECONDS, least->iteration_s).text,
                 units_figure(FIGURE_GIB, least->peak_device_bytes).text, units_name());
    } else {
        const struct search_result *one = &answer->front[answer->front_count - 1 - chosen];
        struct plan plan, resolved;
        search_plan(&ui->advisor->search.ask, one, &plan);
        plan_resolve(&plan, &resolved);
        layout_name(&resolved, &(struct layout_style){.is_brief = true}, name, sizeof name);
        snprintf(text, sizeof text, "front %d of %d: %s %s %s, %s", chosen + 1, answer->front_count,
                 figure(FIGURE_SECONDS, one->iteration_s).text,
                 units_figure(FIGURE_GIB, one->peak_device_bytes).text, units_name(), name);
    }
    canvas_fit(canvas, 0, y, width, chosen < 0 ? ROLE_DIM : ROLE_FOCUS, text);
}
