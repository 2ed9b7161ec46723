/* The schedule view: who runs which pass when, to scale, and what that holds in memory. */
#include "core/base.h"
#include "core/plan/param.h"
#include "core/show/figure.h"
#include "core/show/line.h"
#include "ui/widget/gantt.h"
#include "ui/widget/rule.h"
#include "ui/pane/lesson_marks.h"
#include "ui/pane/pane.h"
#include "ui/widget/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DETAIL_CELLS = 12, LEAST_CELLS = 4, SCREENS = 4 };

/* ---- where the view is ------------------------------------------------------------------------------------------ */

static const struct gantt *gantt_of(const struct ui *ui)
{
    return &ui->schedule.gantt;
}

/* Columns before the chart. */
static int label_of(const struct ui *ui)
{
    return gantt_of(ui)->stages > 32 ? 10 : 8;
}

static int stage_of(const struct ui *ui)
{
    int stage = ui->stage < 0 ? ui->shown->peak_stage : ui->stage;
    return stage < gantt_of(ui)->stages ? stage : 0;
}

static int width_of(const struct ui *ui)
{
    struct rect r = layout_find(&ui->layout, PANE_SCHEDULE);
    return r.width > label_of(ui) + 1 ? r.width - label_of(ui) : 1;
}

static int event_of(const struct ui *ui)
{
    return row_within(ui->schedule.event, gantt_count(gantt_of(ui), stage_of(ui)));
}

/* The largest of 1, 2, 5 times a power of ten that is not above. */
static double round_down(double value)
{
    double power = pow(10, floor(log10(value) + 1e-9)), times = value / power + 1e-9;
    return power * (times >= 5 ? 5 : times >= 2 ? 2 : 1);
}

/* The shortest pass of the stage, in seconds; INFINITY where none takes any time. */
static double shortest_pass(const struct ui *ui)
{
    const struct gantt *g = gantt_of(ui);
    double shortest = INFINITY;
    for (int i = 0, count = gantt_count(g, stage_of(ui)); i < count; i++) {
        const struct sim_event *event = gantt_event(g, stage_of(ui), i);
        shortest = event->end_s > event->start_s ? fmin(shortest, event->end_s - event->start_s) : shortest;
    }
    return shortest;
}

/* The coarsest scale at which the shortest pass of the stage has LEAST_CELLS cells. */
static double scale_of(const struct ui *ui)
{
    double shortest = shortest_pass(ui);
    return isfinite(shortest) ? round_down(shortest / LEAST_CELLS) : gantt_of(ui)->end_s;
}

/* Two digits, rounded up so that all of it is on the screen. */
static double whole_scale(const struct ui *ui)
{
    double exact = gantt_of(ui)->end_s / width_of(ui), power = pow(10, floor(log10(exact)) - 1);
    return ceil(exact / power - 1e-9) * power;
}

/* Moves the columns so that the selected pass is among them. */
static void follow(struct ui *ui)
{
    struct schedule_view *view = &ui->schedule;
    const struct gantt *g = gantt_of(ui);
    if (gantt_count(g, stage_of(ui)) == 0)
        return;
    const struct sim_event *event = gantt_event(g, stage_of(ui), event_of(ui));
    long from = (long)(event->start_s / view->column_s), to = (long)(event->end_s / view->column_s),
         width = width_of(ui);
    if (from < view->left)
        view->left = from > width / 4 ? from - width / 4 : 0;
    else if (to >= view->left + width)
        view->left =
            to - width + 1 + (to - from < width / 2 ? width / 4 : 0) > from ? from : to - width + 1 + width / 4;
}

/* How the rows of the pane are shared out. */
struct shares {
    int stages, each; /* rows of stages, stages in a row */
    int high, pitch;  /* screen rows of such a row, and from one to the next: more when presenting */
    int stairs;       /* rows of the curve of memory, 0 without */
};

enum { FRAME_ROWS = 5 /* axis, legend, those of the pass with their title */, EVENT_ROWS = 2,
       STAIRS_LEAST = 2, STAIRS_MOST = 8 };

/*
 * Beside other views, where there is little room the chart comes before what explains it.
 */
static bool is_bare(const struct ui *ui, int height)
{
    enum { ROOMY = 15 };
    return pane_is_beside(ui) && !pane_has_focus(ui, PANE_SCHEDULE) && height < ROOMY;
}

/* A chart of few rows has none to spare for the time axis. */
static bool has_axis(const struct ui *ui, int height)
{
    enum { LEAST = 5 };
    return !is_bare(ui, height) || height >= LEAST || height > gantt_of(ui)->stages;
}

/* Bars that are read from afar are high, with a blank row between them: as high as leaves the curve its rows. */
static void heighten(const struct ui *ui, int room, struct shares *s)
{
    enum { HIGH = 4, HIGH_MOST = 12 };
    int roomy = (room - STAIRS_MOST - 1) / s->stages, most = (room - STAIRS_LEAST - 1) / s->stages;
    most = roomy > HIGH + 1 ? roomy : most > HIGH + 1 ? HIGH + 1 : most;
    s->pitch = !ui->options.present || most < 2 ? 1 : most > HIGH_MOST ? HIGH_MOST + 1 : most;
    s->high = s->pitch > 2 ? s->pitch - 1 : s->pitch;
}

/* Stages that share a row where `rows` rows are for all: as many in each where that takes less than twice as many. */
static int stages_a_row(int stages, int rows)
{
    int least = (stages + rows - 1) / rows;
    for (int each = least; each < 2 * least; each++)
        if (stages % each == 0)
            return each;
    return least;
}

/* Rows of the axis, the legend and the selected pass with its title, which an audience is not shown. */
static int frame_rows(const struct ui *ui)
{
    return ui->options.present ? FRAME_ROWS - EVENT_ROWS - 1 : FRAME_ROWS - pane_is_beside(ui);
}

static struct shares share_rows(const struct ui *ui, int height)
{
    enum { FAR = 5 /* rows of a bar that is read from afar, and the blank one */, SOME = 3 };
    int frame = is_bare(ui, height) ? has_axis(ui, height) : frame_rows(ui);
    int stages = gantt_of(ui)->stages, room = height - frame, most = room >= 10 ? room - STAIRS_LEAST - 1 : room;
    if (ui->options.present && stages > (room - STAIRS_LEAST - 1) / FAR) { /* stages share rows, few and high */
        int few = (room - STAIRS_LEAST - 1) / FAR;
        most = few >= SOME ? few : stages > most ? (room - STAIRS_LEAST - 1) / 2 : most;
    }
    struct shares s = {.stages = stages < most ? stages : most < 1 ? 1 : most};
    s.each = stages_a_row(stages, s.stages);
    s.stages = (stages + s.each - 1) / s.each;
    heighten(ui, room, &s);
    room -= s.stages * s.pitch + 1;
    s.stairs = room < STAIRS_LEAST ? 0 : room > STAIRS_MOST ? STAIRS_MOST : room;
    return s;
}

/* Where stages share rows the first look is at the whole, else at passes that can be read; a short one fills it. */
static double first_scale(const struct ui *ui)
{
    bool is_shared = share_rows(ui, layout_find(&ui->layout, PANE_SCHEDULE).height).each > 1;
    return is_shared ? whole_scale(ui) : fmin(whole_scale(ui), scale_of(ui));
}

/* Whether passes have become too narrow for their numbers, or as wide again as they need to be. */
static bool is_out_of_scale(const struct ui *ui)
{
    enum { NARROW_CELLS = 3, WIDE_CELLS = 2 * LEAST_CELLS };
    double cells = shortest_pass(ui) / ui->schedule.column_s;
    return isfinite(cells) && (cells < NARROW_CELLS || cells > WIDE_CELLS) &&
           share_rows(ui, layout_find(&ui->layout, PANE_SCHEDULE).height).each == 1;
}

/* Plays the passes, of the whole iteration a few rounds where all would be more than some screens. */
static void build(struct ui *ui, bool is_resized)
{
    struct schedule_view *view = &ui->schedule;
    struct gantt *g = &view->gantt;
    bool is_old = g->generation != ui->generation;
    if (is_old) {
        gantt_build(g, ui->shown, false);
        g->generation = ui->generation;
        view->whole_s = g->end_s;
        view->event = event_of(ui);
    }
    if (g->stages > 0 && (is_old || is_resized))
        view->is_brief = view->whole_s > SCREENS * width_of(ui) * scale_of(ui);
    if (g->is_brief != (view->is_whole && view->is_brief))
        gantt_build(g, ui->shown, !g->is_brief);
}

/* With other columns the selected pass is where it would be had it been opened so; with the old ones, where it was. */
static void refit(struct ui *ui)
{
    struct schedule_view *view = &ui->schedule;
    int columns = width_of(ui);
    bool is_known = view->columns > 0, is_refitted = is_known && columns != view->columns;
    view->columns = columns;
    if (is_refitted) {
        view->left = columns == view->moved_columns ? view->moved_left : 0;
        follow(ui);
    } else {
        view->moved_columns = columns;
        view->moved_left = view->left;
    }
}

static void update(struct ui *ui)
{
    struct schedule_view *view = &ui->schedule;
    struct gantt *g = &view->gantt;
    bool was_brief = g->is_brief, is_resized = ui->width != view->width || ui->height != view->height;
    bool is_new = g->generation != ui->generation;
    build(ui, is_resized);
    view->width = ui->width;
    view->height = ui->height;
    if (g->stages == 0)
        return;
    if (view->is_whole)
        view->column_s = whole_scale(ui);
    else if (view->wanted_s > 0)
        view->column_s = view->wanted_s;
    else if (is_resized || was_brief || view->column_s == 0 || width_of(ui) != view->columns ||
             (is_new && is_out_of_scale(ui)))
        view->column_s = first_scale(ui);
    refit(ui);
    if (g->weighed_stage != stage_of(ui))
        gantt_weigh(g, ui->shown, stage_of(ui));
}

/* ---- one row a stage -------------------------------------------------------------------------------------------- */

static enum role pass_role(const struct sim_event *event)
{
    static const enum role roles[] = {
        [SIM_FORWARD] = ROLE_USEFUL, [SIM_BACKWARD] = ROLE_BELOW, [SIM_WGRAD] = ROLE_AGAIN};
    return roles[event->pass];
}

static char pass_letter(const struct sim_event *event)
{
    return "fbw"[event->pass];
}

/* Traffic that a pass waits for, over its time, by dimension. */
static const char kinds[] = {'t', 'x', 'e', 'p'};

static void traffic_of(const struct estimate *e, const struct sim_event *event, double share[4])
{
    const struct pass *pass = &e->pass[event->stage];
    double all_s = pass->micro_s * e->schedule.micro_batches;
    const double seconds[4] = {pass->tp_s, pass->cp_s, pass->ep_s, pass->pp_s};
    for (int i = 0; i < 4; i++)
        share[i] = all_s > 0 ? seconds[i] / all_s : 0;
}

/* The cells of one pass that are on the screen, `skip` of them being left of it. */
struct span {
    int x, skip, count;
};

/* Cells of a row; a wide chart has no gaps, as they would take a third more bytes. */
static void draw_cells(struct canvas *canvas, int x, int y, enum role role, char letter, int count)
{
    enum { WIDE = 160 };
    (canvas->width < WIDE ? canvas_thin : canvas_fill)(canvas, x, y, role, letter, count);
}

/* A cell of it: filled, or in ASCII a letter. */
static void put(struct canvas *canvas, const struct span *span, int cell, int y, enum role role, char letter)
{
    if (cell >= span->skip && cell < span->count)
        draw_cells(canvas, span->x + cell - span->skip, y, role, letter, 1);
}

/*
 * The micro-batch in the first cells, in ASCII behind the letter of the pass; a digit may take the only cell, as passes
 * that are so narrow are forward.
 */
static void put_number(struct canvas *canvas, const struct span *span, int at, int y, enum role role, int number)
{
    char text[16];
    int n = snprintf(text, sizeof text, "%d", number), from = at + canvas->ascii;
    for (int i = 0; i < n && at + n < span->count + (n == 1 && !canvas->ascii); i++)
        if (from + i >= span->skip && from + i < span->count)
            canvas_repeat(canvas, span->x + from + i - span->skip, y, role, (uint32_t)(unsigned char)text[i], 1);
}

/*
 * A letter, the micro-batch where there is room, the letter again; wide ones show what is repeated and what is traffic.
 */
static void draw_pass(const struct ui *ui, struct canvas *canvas, int y, const struct sim_event *event,
                      struct span span)
{
    const struct estimate *e = ui->shown;
    const struct pass *pass = &e->pass[event->stage];
    int number = gantt_micro_batch(gantt_of(ui), event), at = 0;
    for (int i = 0; i < span.count; i++)
        put(canvas, &span, i, y, pass_role(event), pass_letter(event));
    if (span.count >= DETAIL_CELLS && event->pass == SIM_BACKWARD) {
        at = (int)lround(span.count * pass->recompute_s / fmax(pass->recompute_s + pass->backward_s, 1e-12));
        for (int i = 0; i < at; i++)
            put(canvas, &span, i, y, ROLE_AGAIN, 'r');
    }
    put_number(canvas, &span, at, y, pass_role(event), number);
    if (span.count >= DETAIL_CELLS) {
        double share[4];
        traffic_of(e, event, share);
        for (int k = 3, end = span.count; k >= 0; k--)
            for (int cells = (int)lround(share[k] * span.count); cells > 0; cells--)
                put(canvas, &span, --end, y, ROLE_TRAFFIC, kinds[k]);
    }
    bool is_marked = ui->schedule.has_mark && ui->schedule.marked == event->micro_batch;
    if (is_marked || event->chunk % 2)
        canvas_mark(canvas, span.x, y, span.count - span.skip,
                    (is_marked ? CELL_INVERSE : 0u) | (event->chunk % 2 ? CELL_UNDER : 0u));
}

static int winner_of(const struct ui *ui, int stage, long column)
{
    double dt = ui->schedule.column_s;
    return gantt_winner(gantt_of(ui), stage, (double)column * dt, (double)(column + 1) * dt);
}

static long cut_column(const struct ui *ui)
{
    double at = gantt_of(ui)->cut_s / ui->schedule.column_s;
    return at < 1e9 ? (long)at : -1;
}

static void draw_stage(const struct ui *ui, struct canvas *canvas, int y, int width, int stage)
{
    int label = label_of(ui);
    const struct gantt *g = gantt_of(ui);
    long left = ui->schedule.left;
    draw_cells(canvas, label, y, lesson_marks_part(ui, "time.waterfall", "bubble") ? ROLE_WARN : ROLE_TRACK, '.',
                width);
    for (int x = 0; x < width;) {
        int i = winner_of(ui, stage, left + x), count = 1, skip = 0;
        if (i == GANTT_NONE) {
            x++;
            continue;
        }
        while (x == 0 && left - skip > 0 && winner_of(ui, stage, left - skip - 1) == i)
            skip++;
        while (x + count < width && winner_of(ui, stage, left + x + count) == i)
            count++;
        draw_pass(ui, canvas, y, gantt_event(g, stage, i), (struct span){label + x, skip, count + skip});
        if (stage == stage_of(ui) && i == event_of(ui) && pane_has_focus(ui, PANE_SCHEDULE))
            canvas_mark(canvas, label + x, y, count, CELL_INVERSE);
        x += count;
    }
    double end = g->end_s / ui->schedule.column_s - (double)left;
    if (end < width)
        canvas_repeat(canvas, label + (end < 0 ? 0 : (int)ceil(end)), y, ROLE_TEXT, ' ', width);
}

/* ---- several stages a row --------------------------------------------------------------------------------------- */

/* Seconds of a span in which stages first .. last forward, go backward, compute weight gradients, wait. */
static void shares_of(const struct gantt *g, int first, int last, double from_s, double to_s, double out[4])
{
    memset(out, 0, 4 * sizeof *out);
    for (int stage = first; stage <= last; stage++) {
        double covered = 0;
        for (int i = gantt_find(g, stage, to_s); i >= 0; i--) {
            const struct sim_event *event = gantt_event(g, stage, i);
            double inside = fmin(event->end_s, to_s) - fmax(event->start_s, from_s);
            if (event->end_s <= from_s)
                break;
            out[event->pass] += fmax(inside, 0);
            covered += fmax(inside, 0);
        }
        out[3] += fmax(to_s - from_s - covered, 0);
    }
}

/* Letters are dealt out by share: as many columns of each as their part of the time. */
static void draw_group(const struct ui *ui, struct canvas *canvas, int y, int width, int first, int last)
{
    int label = label_of(ui);
    static const struct {
        char letter;
        enum role role;
    } looks[4] = {{'f', ROLE_USEFUL}, {'b', ROLE_BELOW}, {'w', ROLE_AGAIN}, {'.', ROLE_TRACK}};
    const struct gantt *g = gantt_of(ui);
    double dt = ui->schedule.column_s, counter[4] = {0};
    for (int x = 0; x < width; x++) {
        double from_s = ((double)ui->schedule.left + x) * dt, share[4];
        if (from_s >= g->end_s)
            return;
        shares_of(g, first, last, from_s, from_s + dt, share);
        int most = -1;
        for (int k = 0; k < 4; k++) {
            share[k] /= dt * (last - first + 1);
            counter[k] += share[k];
            most = share[k] > 0.02 && (most < 0 || counter[k] > counter[most]) ? k : most;
        }
        if (most < 0)
            continue;
        counter[most] -= 1;
        canvas_fill(canvas, label + x, y, looks[most].role, looks[most].letter, 1);
    }
}

/* How a column of a stage is painted. */
static enum role column_role(const struct ui *ui, int stage, int column)
{
    int i = winner_of(ui, stage, ui->schedule.left + column);
    return i == GANTT_NONE ? ROLE_TRACK : pass_role(gantt_event(gantt_of(ui), stage, i));
}

/*
 * Two stages in a row, as half blocks of one on the ground of the other: those of the same two passes in the same look,
 * and on the track whatever is above or below.
 */
static void draw_two(const struct ui *ui, struct canvas *canvas, int y, int width, int upper)
{
    enum { UPPER_HALF = 0x2580, LOWER_HALF = 0x2584 };
    const struct gantt *g = gantt_of(ui);
    int label = label_of(ui);
    for (int x = 0; x < width && (double)(ui->schedule.left + x) * ui->schedule.column_s < g->end_s; x++) {
        enum role above = column_role(ui, upper, x), below = column_role(ui, upper + 1, x);
        bool is_upper = above != ROLE_TRACK && (below == ROLE_TRACK || above < below);
        if (above == below)
            canvas_fill(canvas, label + x, y, above, '.', 1);
        else
            canvas_block(canvas, label + x, y, is_upper ? above : below, is_upper ? below : above,
                         is_upper ? UPPER_HALF : LOWER_HALF, '.', CELL_BAR);
    }
}

/* ---- the chart -------------------------------------------------------------------------------------------------- */

/* "20 ms": a time of few digits without those that say nothing. */
static struct figure plain_time(double seconds)
{
    struct figure out = figure(FIGURE_SECONDS, seconds);
    char *unit = strchr(out.text, ' '), *end = unit;
    if (!unit || !strchr(out.text, '.'))
        return out;
    while (end[-1] == '0')
        end--;
    end -= end[-1] == '.';
    memmove(end, unit, strlen(unit) + 1);
    return out;
}

/* A time without its unit where that is the unit of the one that stands behind it. */
static struct figure amount_beside(double seconds, double other_s)
{
    struct figure out = figure(FIGURE_SECONDS, seconds), other = figure(FIGURE_SECONDS, other_s);
    const char *unit = strchr(out.text, ' '), *others = strchr(other.text, ' ');
    if (unit && others && strcmp(unit, others) == 0)
        out.text[unit - out.text] = '\0';
    return out;
}

/* "; 20 ms a column, 0 .. 1.44 of 75.2 s", where the view has the screen. */
static void add_scale(const struct ui *ui, struct text_line *out)
{
    const struct gantt *g = gantt_of(ui);
    const struct estimate *e = ui->shown;
    double whole_s = e->schedule.micro_batches * e->step.slowest_micro_s + e->step.bubble_s;
    double to_s = fmin(((double)ui->schedule.left + width_of(ui)) * ui->schedule.column_s, g->end_s);
    if (!pane_is_beside(ui))
        line_add(out, "; %s a column, %s .. %s of %s", plain_time(ui->schedule.column_s).text,
                 amount_beside(gantt_real_s(g, (double)ui->schedule.left * ui->schedule.column_s), whole_s).text,
                 amount_beside(gantt_real_s(g, to_s), whole_s).text, figure(FIGURE_SECONDS, whole_s).text);
}

/* A round time of the axis, in the unit of the whole. */
static struct figure tick_time(double seconds, double step, double whole_s)
{
    struct figure out;
    bool is_ms = whole_s < 0.9995;
    double unit = is_ms ? 1e-3 : 1;
    int digits = step / unit < 0.0999 ? 2 : step / unit < 0.999 ? 1 : 0;
    snprintf(out.text, sizeof out.text, "%.*f %s", seconds == 0 ? 0 : digits, seconds / unit, is_ms ? "ms" : "s");
    return out;
}

/* Ticks stand at the cell of their time. */
static void draw_axis(const struct ui *ui, struct canvas *canvas, int y, int width)
{
    int label = label_of(ui);
    enum { TICK = 10 };
    const struct gantt *g = gantt_of(ui);
    double dt = ui->schedule.column_s, step = round_down(TICK * dt * 2.0001);
    step = step < TICK * dt ? step * 2 : step;
    for (long k = (long)ceil((double)ui->schedule.left * dt / step - 1e-9); (double)k * step < g->end_s; k++) {
        int x = (int)lround((double)k * step / dt) - (int)ui->schedule.left;
        if (x >= width - label)
            break;
        struct figure time = tick_time(gantt_real_s(g, (double)k * step), step, g->end_s);
        bool has_room = label + x + text_width(time.text) <= width;
        canvas_text(canvas, label + x, y, ROLE_MUTED, has_room ? time.text : "");
    }
}

/* Whether the stage has passes of weight gradients, or repeats some. */
static bool has_again(const struct ui *ui)
{
    const struct gantt *g = gantt_of(ui);
    int i = 0, count = gantt_count(g, stage_of(ui));
    while (i < count && gantt_event(g, stage_of(ui), i)->pass != SIM_WGRAD)
        i++;
    return i < count || ui->shown->pass[stage_of(ui)].recompute_s > 0;
}

/* What the colours of passes are; in ASCII what their letters are. */
static void draw_legend(const struct ui *ui, struct canvas *canvas, int y, int width)
{
    const struct {
        enum role role;
        char letter;
        const char *words;
    } kinds_of[] = {{ROLE_USEFUL, 'f', "forward"}, {ROLE_BELOW, 'b', "backward"},
                    {ROLE_AGAIN, 'w', ui->options.present ? "again" : "weight gradients, repeated"},
                    {ROLE_TRAFFIC, 't', "traffic"}, {ROLE_TRACK, '.', "waits"}};
    int x = label_of(ui);
    for (size_t i = 0; i < sizeof kinds_of / sizeof *kinds_of; i++) {
        if (kinds_of[i].role == ROLE_AGAIN && !has_again(ui))
            continue;
        if (x + 2 + (int)strlen(kinds_of[i].words) > width)
            return;
        canvas_fill(canvas, x, y, kinds_of[i].role, kinds_of[i].letter, 1);
        x = canvas_text(canvas, x + 2, y, ROLE_MUTED, kinds_of[i].words) + 2;
    }
}

/* The passes of a stage, or of some that share a row. */
static void draw_row(const struct ui *ui, struct canvas *canvas, int y, int width, const struct fold *fold)
{
    int label = label_of(ui);
    canvas_link(canvas, 0, y, width, LINK_BARS + fold->first * LINK_STAGE);
    if (fold->first == fold->last)
        draw_stage(ui, canvas, y, width - label, fold->first);
    else if (fold->last == fold->first + 1 && !canvas->ascii && !canvas->is_coarse)
        draw_two(ui, canvas, y, width - label, fold->first);
    else
        draw_group(ui, canvas, y, width - label, fold->first, fold->last);
}

static void draw_rows(const struct ui *ui, struct canvas *canvas, int y, int width, const struct shares *s)
{
    int label = label_of(ui);
    const struct gantt *g = gantt_of(ui);
    long cut = cut_column(ui) - ui->schedule.left;
    for (int row = 0; row < s->stages; row++) {
        struct fold fold = {row * s->each, (row + 1) * s->each - 1};
        char name[FOLD_NAME_MAX];
        fold.last = fold.last < g->stages ? fold.last : g->stages - 1;
        if (fold.first == fold.last)
            snprintf(name, sizeof name, g->stages < 10 ? "stage %d" : "s%d", fold.first);
        else
            snprintf(name, sizeof name, "s%d-%d", fold.first, fold.last);
        bool is_selected = fold.first <= stage_of(ui) && stage_of(ui) <= fold.last;
        int top = y + row * s->pitch;
        canvas_text(canvas, 0, top + s->high / 2, is_selected ? ROLE_STRONG : ROLE_TEXT, name);
        if (is_selected && pane_has_focus(ui, PANE_SCHEDULE))
            canvas_paint(canvas, 0, top + s->high / 2, (int)strlen(name), ROLE_SELECT, 0);
        for (int i = top; i < top + s->high; i++) {
            draw_row(ui, canvas, i, width, &fold);
            if (cut_column(ui) >= 0 && cut >= 1 && cut < width - label)
                canvas_repeat(canvas, label + (int)cut - 1, i, ROLE_TITLE, '~', 2);
        }
    }
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* The most that the stage holds in a column; NAN where that is not known. */
static double height_in(const struct ui *ui, long column)
{
    const struct gantt *g = gantt_of(ui);
    double dt = ui->schedule.column_s, from_s = (double)column * dt, to_s = from_s + dt, most = NAN;
    int stage = stage_of(ui), first = g->first[stage];
    for (int i = gantt_find(g, stage, to_s); i >= 0; i--) {
        const struct sim_event *event = gantt_event(g, stage, i);
        bool runs = event->end_s > from_s && event->start_s < to_s;
        double bytes = runs ? g->height_bytes[first + i] : g->after_bytes[first + i];
        most = isnan(most) || bytes > most ? bytes : most;
        if (event->end_s <= from_s)
            break;
    }
    return most;
}

/* What a row of the plot stands for, from its lower end on, and how many there are. */
struct axis {
    double top_bytes, limit_bytes;
    int rows;
};

/* From 0 to usable memory, or above the most where that is more. */
static struct axis axis_of(double usable_bytes, double most_bytes, int rows)
{
    const double above = 1.05;
    double top = most_bytes > usable_bytes || isnan(usable_bytes) ? above * most_bytes : usable_bytes;
    return (struct axis){top, usable_bytes, rows};
}

/* "b0" */
static void name_event(const struct gantt *g, const struct sim_event *event, char out[32])
{
    snprintf(out, 32, "%c%d", pass_letter(event), gantt_micro_batch(g, event));
}

/* "backward 0" */
static void name_pass(const struct gantt *g, const struct sim_event *event, char out[32])
{
    snprintf(out, 32, "%s %d", gantt_pass_words[event->pass], gantt_micro_batch(g, event));
}

/* " in backward 0": the first pass with which a stage holds the most; nothing where passes have no heights. */
static void say_peak(const struct ui *ui, char *out, size_t size)
{
    const struct gantt *g = gantt_of(ui);
    int stage = stage_of(ui), peak = -1;
    const double *height = &g->height_bytes[g->first[stage]], same = 1 + 1e-9;
    char name[32];
    for (int i = 0, count = gantt_count(g, stage); i < count; i++)
        if (!isnan(height[i]) && (peak < 0 || height[i] > height[peak] * same))
            peak = i;
    out[0] = '\0';
    if (peak < 0)
        return;
    name_pass(g, gantt_event(g, stage, peak), name);
    snprintf(out, size, " in %s", name);
}

/* What the baseline's stage holds at its peak; NAN without one. */
static double baseline_bytes(const struct ui *ui)
{
    bool is_there = ui->has_baseline && ui->baseline->is_computed && !ui->baseline->is_serving &&
                    stage_of(ui) < ui->baseline->stages;
    return is_there ? ui->baseline->stage[stage_of(ui)].allocated_bytes : NAN;
}

/* A value of the plot in eighths of a row above the lower end of row `row`, counted from the top; 0 to 8. */
static int eighths(const struct axis *axis, int row, double bytes)
{
    double high = bytes / axis->top_bytes * axis->rows - (axis->rows - 1 - row);
    return high <= 0 ? 0 : high >= 1 ? 8 : (int)lround(8 * high);
}

static int row_of(const struct axis *axis, double bytes)
{
    int row = axis->rows - 1 - (int)(bytes / axis->top_bytes * axis->rows * (1 - 1e-9));
    return row < 0 ? 0 : row;
}

/* One column of the plot: what is always there, on it what comes and goes, the rest track; a line at the limit. */
static void draw_column(struct canvas *canvas, int x, int y, const struct axis *axis, double always, double bytes)
{
    enum { LOWER_BLOCKS = 0x2580, LINE = 0x2500, HALF = 4 };
    bool is_over = axis->top_bytes > axis->limit_bytes;
    bool is_coarse = canvas->ascii || canvas->is_coarse;
    for (int row = 0; row < axis->rows; row++) {
        int stays = eighths(axis, row, fmin(always, bytes)), all = eighths(axis, row, bytes);
        if (is_coarse) {
            stays = stays >= HALF ? 8 : 0;
            all = all >= HALF ? 8 : 0;
        }
        enum role role = stays == 8 ? ROLE_STAYS : all == 8 ? ROLE_ACTIVATIONS : ROLE_TRACK;
        canvas_fill(canvas, x, y + row, role, stays == 8 ? '=' : all == 8 ? '#' : ' ', 1);
        if (stays > 0 && stays < 8)
            canvas_block(canvas, x, y + row, ROLE_STAYS, role, (uint32_t)(LOWER_BLOCKS + stays), '=', CELL_BAR);
        else if (stays == 0 && all > 0 && all < 8)
            canvas_block(canvas, x, y + row, ROLE_ACTIVATIONS, role, (uint32_t)(LOWER_BLOCKS + all), '#', CELL_BAR);
        if (is_over && row == row_of(axis, axis->limit_bytes))
            canvas_block(canvas, x, y + row, ROLE_BAD, role, LINE, '-', 0);
    }
}

/* Values of the plot in the rows that they reach; the first that claims a row has it. */
static void draw_scale(struct canvas *canvas, int label, int y, const struct axis *axis, const double values[],
                       int count)
{
    unsigned taken = 0;
    for (int i = 0; i < count; i++) {
        if (!(values[i] >= 0))
            continue;
        int row = row_of(axis, values[i]);
        bool is_limit = values[i] == axis->limit_bytes && axis->top_bytes > axis->limit_bytes;
        if (!(taken >> row & 1))
            canvas_right(canvas, label - 1, y + row, is_limit ? ROLE_BAD : ROLE_MUTED,
                         units_figure(FIGURE_GIB, values[i]).text);
        taken |= 1u << row;
    }
}

/* Below the passes, on the same axis: the memory of the stage. */
static void draw_stairs(const struct ui *ui, struct canvas *canvas, int y, int width, int rows)
{
    int label = label_of(ui);
    const struct estimate *e = ui->shown;
    const struct stage *stage = &e->stage[stage_of(ui)];
    double always = stage->weights_bytes + stage->gradients_bytes + stage->optimizer_bytes + stage->buffers_bytes;
    double before = baseline_bytes(ui);
    const struct axis axis = axis_of(e->usable_bytes, fmax(stage->allocated_bytes, before), rows);
    char text[400], peak[40], was[40] = "", stays[32], most[32];
    say_peak(ui, peak, sizeof peak);
    if (!isnan(before))
        snprintf(was, sizeof was, "; pinned %d: %s", ui->baseline_number, units_figure(FIGURE_GIB, before).text);
    snprintf(stays, sizeof stays, "%s", units_figure(FIGURE_GIB, always).text);
    snprintf(most, sizeof most, "%s", units_figure(FIGURE_GIB, stage->allocated_bytes).text);
    snprintf(text, sizeof text,
             "%s of stage %d in the same time: %s stays, %s at the peak%s%s|stage %d: %s stays, %s at the peak%s|"
             "stage %d, %s",
             units_name(), stage_of(ui), stays, most, peak, was, stage_of(ui), stays, most, was, stage_of(ui),
             units_name());
    canvas_pick(canvas, 0, y, width, ROLE_MUTED, ui->options.present ? strrchr(text, '|') + 1 : text);
    const double values[] = {e->usable_bytes, stage->allocated_bytes, always, before};
    draw_scale(canvas, label, y + 1, &axis, values, 4);
    for (int x = 0; x < width - label; x++)
        if ((double)(ui->schedule.left + x) * ui->schedule.column_s < gantt_of(ui)->end_s)
            draw_column(canvas, label + x, y + 1, &axis, always, height_in(ui, ui->schedule.left + x));
}

/* ---- the selected pass ------------------------------------------------------------------------------------------ */

/* "backward of micro-batch 0: 0.887 to 1.063 s, 176 ms, 22.5 ms of it traffic" */
static void say_pass(const struct ui *ui, char *out, size_t size)
{
    const struct gantt *g = gantt_of(ui);
    const struct sim_event *event = gantt_event(g, stage_of(ui), event_of(ui));
    double share[4], traffic_s = 0, seconds = event->end_s - event->start_s, from_s = gantt_real_s(g, event->start_s);
    struct text_line line = line_in(out, size);
    traffic_of(ui->shown, event, share);
    for (int k = 0; k < 4; k++)
        traffic_s += share[k] * seconds;
    for (int words = 2; words > 0; words--) { /* wordings, the second without what it is made of */
        line_add(&line, "%s of micro-batch %d", gantt_pass_words[event->pass], gantt_micro_batch(g, event));
        if (ui->shown->schedule.chunks > 1)
            line_add(&line, " in chunk %d", event->chunk);
        line_add(&line, ": %.3f to %.3f s", from_s, from_s + seconds);
        if (words > 1)
            line_add(&line, traffic_s > 0 ? ", %s, %s of it traffic|" : ", %s|", figure(FIGURE_SECONDS, seconds).text,
                     figure(FIGURE_SECONDS, traffic_s).text);
    }
}

/* "it waited 538 ms for backward 0 of stage 1; 46.9 GiB while it runs, 41.7 after it" */
static void say_wait(const struct ui *ui, char *out, size_t size)
{
    const struct gantt *g = gantt_of(ui);
    int stage = stage_of(ui), i = event_of(ui), other, needs = gantt_needs(g, ui->shown, stage, i, &other);
    double height = g->height_bytes[g->first[stage] + i], after = g->after_bytes[g->first[stage] + i];
    char name[32];
    struct text_line line = line_in(out, size);
    for (int words = 2; words > 0; words--) {
        if (gantt_wait_s(g, stage, i) == 0)
            line_add(&line, "it did not wait");
        else
            line_add(&line, "it waited %s", figure(FIGURE_SECONDS, gantt_wait_s(g, stage, i)).text);
        if (gantt_wait_s(g, stage, i) > 0 && needs != GANTT_NONE) {
            name_pass(g, gantt_event(g, other, needs), name);
            line_add(&line, " for %s of stage %d", name, other);
        }
        if (words > 1 && !isnan(height))
            line_add(&line, "; %s %s while it runs, %s after it", units_figure(FIGURE_GIB, height).text, units_name(),
                     units_figure(FIGURE_GIB, after).text);
        line_add(&line, words > 1 ? "|" : "");
    }
}

/* The selected pass in words: below a title where the view has the screen. */
static void draw_pass_words(const struct ui *ui, struct canvas *canvas, int y, int width)
{
    int all, number = gantt_number(gantt_of(ui), stage_of(ui), event_of(ui), &all);
    char text[320], name[64];
    const struct rule rule = {.name = name, .about = "selected|", .note = ""};
    snprintf(name, sizeof name, "Pass %d of %d on stage %d", number, all, stage_of(ui));
    if (!pane_is_beside(ui))
        rule_draw(canvas, y++, width, &rule);
    say_pass(ui, text, sizeof text);
    canvas_pick(canvas, 0, y++, width, ROLE_TEXT, text);
    say_wait(ui, text, sizeof text);
    canvas_pick(canvas, 0, y, width, ROLE_TEXT, text);
}

/* ---- the passes as a table -------------------------------------------------------------------------------------- */

static void draw_list_row(const struct ui *ui, struct canvas *canvas, int y, int width, int i)
{
    const struct gantt *g = gantt_of(ui);
    int stage = stage_of(ui), all, other, number = gantt_number(g, stage, i, &all);
    const struct sim_event *event = gantt_event(g, stage, i);
    int needs = gantt_wait_s(g, stage, i) > 0 ? gantt_needs(g, ui->shown, stage, i, &other) : GANTT_NONE;
    double from_s = gantt_real_s(g, event->start_s), height = g->height_bytes[g->first[stage] + i];
    char name[32], waited[64] = "", needed[32];
    name_event(g, event, name);
    if (gantt_wait_s(g, stage, i) > 0)
        snprintf(waited, sizeof waited, "%s", figure(FIGURE_SECONDS, gantt_wait_s(g, stage, i)).text);
    int x = canvas_format(canvas, 0, y, ROLE_TEXT, "%6d  %-7s %9.3f %9.3f  %9s  %9s", number, name, from_s,
                          from_s + event->end_s - event->start_s,
                          figure(FIGURE_SECONDS, event->end_s - event->start_s).text, waited);
    if (needs != GANTT_NONE) {
        name_event(g, gantt_event(g, other, needs), needed);
        x = canvas_format(canvas, x, y, ROLE_TEXT, "  %s of s%d", needed, other);
    }
    if (!isnan(height) && x + 9 < width)
        canvas_right(canvas, width, y, ROLE_TEXT, units_figure(FIGURE_GIB, height).text);
    if (ui->shown->schedule.chunks > 1 && x + 18 < width)
        canvas_format(canvas, x + 2, y, ROLE_MUTED, "chunk %d", event->chunk);
}

static void draw_list(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    const struct gantt *g = gantt_of(ui);
    int count = gantt_count(g, stage_of(ui)), rows = height - 2, top = page_top(event_of(ui), count, rows);
    canvas_format(canvas, 0, 0, ROLE_TITLE,
                  "passes of stage %d of 0-%d, in their order; Left Right another stage, v the chart", stage_of(ui),
                  g->stages - 1);
    canvas_format(canvas, 0, 1, ROLE_MUTED, "%6s  %-7s %9s %9s  %9s  %9s  for", "number", "pass", "from s", "to s",
                  "takes", "waited");
    canvas_right(canvas, width, 1, ROLE_MUTED, units_name());
    for (int i = 0; i < rows && top + i < count; i++) {
        draw_list_row(ui, canvas, 2 + i, width, top + i);
        canvas_link(canvas, 0, 2 + i, width, LINK_ROWS + top + i);
        if (top + i == event_of(ui))
            canvas_paint(canvas, 0, 2 + i, width, pane_has_focus(ui, PANE_SCHEDULE) ? ROLE_FOCUS : ROLE_TITLE, 0);
    }
}

/* ---- drawing ---------------------------------------------------------------------------------------------------- */

static bool excuse(const struct ui *ui, struct canvas *canvas, int width)
{
    const struct estimate *e = ui->shown;
    if (pane_draw_unavailable(ui, canvas, width, PANE_SCHEDULE))
        return true;
    if (gantt_of(ui)->stages > 0)
        return false;
    if (e->is_serving)
        canvas_wrap(canvas, 0, 0, width, ROLE_TEXT, "A pipeline schedule needs workload train.");
    else if (e->diags.errors > 0)
        canvas_wrap(canvas, 0, 0, width, ROLE_MUTED, "No schedule: the plan is not valid; 6 mends it.");
    else
        canvas_wrap(canvas, 0, 0, width, ROLE_TEXT,
                    "This schedule cannot be played with these stages and micro-batches; its bubble is that of the "
                    "closed form.");
    return true;
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    int label = label_of(ui);
    if (excuse(ui, canvas, width) || width <= label)
        return;
    if (ui->schedule.is_list) {
        draw_list(ui, canvas, width, height);
        return;
    }
    struct shares s = share_rows(ui, height);
    bool has_frame = !is_bare(ui, height);
    int y = 0;
    if (has_axis(ui, height))
        draw_axis(ui, canvas, y++, width);
    draw_rows(ui, canvas, y, width, &s);
    y += s.stages * s.pitch;
    if (has_frame)
        draw_legend(ui, canvas, y++, width);
    if (s.stairs)
        draw_stairs(ui, canvas, y, width, s.stairs);
    y += s.stairs ? s.stairs + 1 : 0;
    if (has_frame && !ui->options.present && gantt_count(gantt_of(ui), stage_of(ui)) > 0 && y < height)
        draw_pass_words(ui, canvas, y, width);
}

static int rows_of(const struct ui *ui)
{
    return gantt_of(ui)->stages;
}

static int wish(const struct ui *ui)
{
    int stages = ui->shown->is_computed && !ui->shown->is_serving ? ui->shown->stages : 0;
    return 1 + FRAME_ROWS + (stages > 16 ? 16 : stages) + 7;
}

static void subtitle(const struct ui *ui, char out[SUBTITLE_MAX])
{
    const struct gantt *g = gantt_of(ui);
    const char *batches = g->micro_batches > 1 ? "micro-batches" : "micro-batch";
    char kind[FIELD_TEXT_MAX];
    struct text_line line = line_in(out, SUBTITLE_MAX);
    form_value(&ui->shown->plan, PARAM_parallel_schedule, kind);
    kind[12] = '\0';
    if (strcmp(kind, "1f1b") == 0)
        snprintf(kind, sizeof kind, "1F1B"); /* as papers write it */
    for (int words = 2; words >= 0 && g->stages > 0; words--) { /* wordings, each shorter than the last */
        line_add(&line, "%s, %.0f %s", kind, g->micro_batches, batches);
        if (words > 0 && g->left_out > 0)
            line_add(&line, ", %.0f alike left out", g->left_out);
        if (words > 1)
            add_scale(ui, &line);
        line_add(&line, "|");
    }
    line_add(&line, "%s", g->stages > 0 ? kind : "");
}

/* Where the pipeline waits least and most. */
static void note(const struct ui *ui, char out[SUBTITLE_MAX])
{
    const struct estimate *e = ui->shown;
    int most = e->binding_stage;
    double share[2] = {e->step.bubble_fraction, 0};
    *out = '\0';
    if (!e->is_computed || e->is_serving || e->stages < 2 || !(e->step.iteration_s > 0))
        return;
    for (int i = 0; i < e->stages; i++) {
        struct stage_time time;
        stage_time_of(e, i, &time);
        most = time.bubble_s / time.whole_s > share[1] ? i : most;
        share[1] = fmax(share[1], time.bubble_s / time.whole_s);
    }
    if (most == e->binding_stage)
        snprintf(out, SUBTITLE_MAX, "bubble %.1f %%", 100 * share[0]);
    else
        snprintf(out, SUBTITLE_MAX, "bubble %.1f %% of stage %d, %.0f %% of stage %d", 100 * share[0], e->binding_stage,
                 100 * share[1], most);
}

static void sentence(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    snprintf(out, UI_MESSAGE_MAX, "%s",
             ui->shown->stages > 1 ? "Stages wait at the beginning and the end."
                                   : "");
}

static bool path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    static const char *const members[] = {
        [SIM_FORWARD] = "forward_s", [SIM_BACKWARD] = "backward_s", [SIM_WGRAD] = "wgrad_s"};
    const struct gantt *g = gantt_of(ui);
    if (gantt_count(g, stage_of(ui)) == 0)
        return false;
    const struct sim_event *event = gantt_event(g, stage_of(ui), event_of(ui));
    snprintf(out, EXPLAIN_PATH_MAX, "memory.stages.%d.%s", event->stage, members[event->pass]);
    return true;
}

static void describe(const struct ui *ui, char out[UI_MESSAGE_MAX])
{
    const struct gantt *g = gantt_of(ui);
    out[0] = '\0';
    if (gantt_count(g, stage_of(ui)) == 0)
        return;
    const struct sim_event *event = gantt_event(g, stage_of(ui), event_of(ui));
    snprintf(out, UI_MESSAGE_MAX, "%s of micro-batch %d on stage %d: Enter explains it, m marks it in all stages",
             gantt_pass_words[event->pass], gantt_micro_batch(g, event), event->stage);
}

/* ---- moving ----------------------------------------------------------------------------------------------------- */

static void go_to(struct ui *ui, int event)
{
    ui->schedule.event = row_within(event, gantt_count(gantt_of(ui), stage_of(ui)));
    follow(ui);
}

/* To another pass of the stage, or to another stage at about the same time. */
static bool go_by(struct ui *ui, int passes, int stages)
{
    const struct gantt *g = gantt_of(ui);
    int stage = stage_of(ui), next = row_within(stage + stages, g->stages), event = event_of(ui);
    if (g->stages == 0)
        return false;
    if (passes != 0) {
        go_to(ui, event + passes);
        return ui->schedule.event != event || passes > 0;
    }
    double at_s = gantt_event(g, stage, event)->start_s;
    ui->stage = next;
    int found = gantt_find(g, next, at_s);
    go_to(ui, found < 0 ? 0 : found);
    return next != stage;
}

/* The pass that was clicked, or the one that runs there last. */
static void click(struct ui *ui, int x, int y)
{
    int link = ui->pressed.link;
    (void)y;
    if (link >= LINK_BARS && gantt_of(ui)->stages > 0) {
        stage_bar_click(ui);
        go_to(ui, gantt_find(gantt_of(ui), stage_of(ui),
                             ((double)ui->schedule.left + x - label_of(ui) + 0.5) * ui->schedule.column_s));
    } else if (link >= LINK_ROWS) {
        go_to(ui, link - LINK_ROWS);
    }
}

/* The chart has passes from left to right, the table from top to bottom. */
static bool move(struct ui *ui, int dx, int dy)
{
    return ui->schedule.is_list ? go_by(ui, dy, dx) : go_by(ui, dx, dy);
}

static void go_wait(struct ui *ui, int by)
{
    const struct gantt *g = gantt_of(ui);
    int stage = stage_of(ui), count = gantt_count(g, stage), i = event_of(ui) + by;
    while (i >= 0 && i < count && gantt_wait_s(g, stage, i) == 0)
        i += by;
    if (i >= 0 && i < count)
        go_to(ui, i);
    else
        ui_say(ui, ROLE_MUTED, "no further idle time on stage %d", stage);
}

/* From the whole iteration to all of its passes, with the same one selected. */
static void leave_whole(struct ui *ui)
{
    int all, number = gantt_number(gantt_of(ui), stage_of(ui), event_of(ui), &all);
    ui->schedule.is_whole = false;
    build(ui, false);
    ui->schedule.event = number - 1;
}

/* A finer or coarser scale; the selected pass stays on the screen. */
static void scale(struct ui *ui, double times)
{
    const struct gantt *g = gantt_of(ui);
    double s = round_down(ui->schedule.column_s * times * 1.0001);
    if (gantt_count(g, stage_of(ui)) == 0)
        return;
    if (times > 1 && (ui->schedule.is_whole || g->end_s <= width_of(ui) * ui->schedule.column_s)) {
        ui_say(ui, ROLE_TEXT, "all of it is on the screen: [ is finer%s", ui->schedule.is_whole ? ", w goes back" : "");
        return;
    }
    if (ui->schedule.is_whole)
        leave_whole(ui);
    ui->schedule.column_s = ui->schedule.wanted_s = s > 1e-7 ? s : ui->schedule.column_s;
    ui->schedule.left = 0;
    follow(ui);
}

void schedule_first_wait(struct ui *ui)
{
    ui_do(ui, ACTION_schedule);
    ui_update(ui);
    const struct gantt *g = gantt_of(ui);
    int stage = stage_of(ui), count = gantt_count(g, stage), i = 0;
    while (i < count && gantt_wait_s(g, stage, i) == 0)
        i++;
    if (i < count)
        go_to(ui, i);
}

static void next_wait(struct ui *ui) { go_wait(ui, 1); }
static void previous_wait(struct ui *ui) { go_wait(ui, -1); }
static void finer(struct ui *ui) { scale(ui, 0.5); }
static void coarser(struct ui *ui) { scale(ui, 2.5); }
static void fill(struct ui *ui) { go_to(ui, 0); }
static void drain(struct ui *ui) { go_to(ui, gantt_count(gantt_of(ui), stage_of(ui)) - 1); }

static void page(struct ui *ui, int by)
{
    const struct gantt *g = gantt_of(ui);
    if (gantt_count(g, stage_of(ui)) == 0)
        return;
    double at_s = gantt_event(g, stage_of(ui), event_of(ui))->start_s + by * width_of(ui) / 2 * ui->schedule.column_s;
    int found = gantt_find(g, stage_of(ui), at_s);
    go_to(ui, found < 0 ? 0 : found);
}

static void page_later(struct ui *ui) { page(ui, 1); }
static void page_earlier(struct ui *ui) { page(ui, -1); }

static void whole(struct ui *ui)
{
    ui->schedule.is_whole = !ui->schedule.is_whole;
    ui->schedule.wanted_s = ui->schedule.column_s = 0;
    ui->schedule.left = 0;
    ui->schedule.event = 0;
}

static void mark(struct ui *ui)
{
    const struct gantt *g = gantt_of(ui);
    if (gantt_count(g, stage_of(ui)) == 0)
        return;
    int micro_batch = gantt_event(g, stage_of(ui), event_of(ui))->micro_batch;
    ui->schedule.has_mark = !ui->schedule.has_mark || ui->schedule.marked != micro_batch;
    ui->schedule.marked = micro_batch;
}

static void list(struct ui *ui)
{
    ui->schedule.is_list = !ui->schedule.is_list;
}

static const struct view_key keys[] = {
    {'v', "table", "the passes of a stage as a table, and back", list},
    {'n', "next idle time", "the next pass that waited", next_wait},
    {'N', NULL, "the pass before that waited", previous_wait},
    {'[', "finer", "more columns for each pass", finer},
    {']', "coarser", "fewer columns for each pass", coarser},
    {'w', "whole", "a few rounds of the whole iteration, and back", whole},
    {'m', "mark", "mark the micro-batch in all stages", mark},
    {KEY_TO_HOME, "fill", "the first pass", fill},
    {KEY_TO_END, "drain", "the last pass", drain},
    {KEY_PAGE_DOWN, NULL, "half a screen later", page_later},
    {KEY_PAGE_UP, NULL, "half a screen earlier", page_earlier},
    {0},
};

static const struct pane_member members[] = {PANE_MEMBER(schedule.gantt.generation),
    PANE_MEMBER(schedule.gantt.is_brief), PANE_MEMBER(schedule.column_s), PANE_MEMBER(schedule.left),
    PANE_MEMBER(schedule.event), PANE_MEMBER(schedule.has_mark), PANE_MEMBER(schedule.marked),
    PANE_MEMBER(schedule.is_list), {0}};

const struct pane pane_schedule = {
    .is_hidden_in_serving = true,
    .is_steady = true, .members = members, .title = "Schedule", .wish = wish, .rows = rows_of,
    .subtitle = subtitle, .note = note, .sentence = sentence,
    .draw = draw, .path = path, .describe = describe, .move = move, .click = click, .update = update, .keys = keys,
};
