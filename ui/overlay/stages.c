/*
 * Why one stage is fuller than another, or busier: its parts beside the other's, the largest difference first, with
 * reasons.
 */
#include "core/show/components.h"
#include "core/show/figure.h"
#include "core/show/time_parts.h"
#include "ui/command/browse.h"
#include "ui/command/keymap.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/pane.h"
#include "ui/widget/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 24, NAME = 22, NAME_LEAST = 8, VALUE = 10 };

#define KEY(key, id) {MODE_STAGES, key, ACTION_##id}
static const struct binding own_keys[] = {
    KEY(KEY_ARROW_RIGHT, right), KEY('l', right), KEY('>', right), KEY(KEY_ARROW_LEFT, left), KEY('h', left),
    KEY('<', left),
    KEY(KEY_ARROW_UP, up), KEY('k', up), KEY(KEY_ARROW_DOWN, down), KEY('j', down), KEY(KEY_RETURN, accept),
    KEY('e', accept),
    KEY('q', cancel), KEY('w', cancel), KEY(KEY_ESCAPE, cancel), KEY(KEY_CTRL('C'), cancel), KEY('y', copy),
    KEY('?', help), KEY(KEY_CTRL('L'), redraw), KEY(KEY_CTRL('Z'), suspend),
    {0},
};

static const struct hint own_hints[] = {
    {MODE_STAGES, ACTION_right, ACTION_left, "the other stage", 0},
    {MODE_STAGES, ACTION_accept, ACTION_NONE, "explain a part", 0},
    {MODE_STAGES, ACTION_copy, ACTION_NONE, "copy", 0},
    {MODE_STAGES, ACTION_cancel, ACTION_NONE, "back", 0},
    {0},
};

/* One part on both stages: a component of the memory, or a part of the iteration. */
struct row {
    int id;
    const char *name;
    double one, other;
};

/* The parts: those that differ first. */
struct rows {
    struct row row[ROWS_MAX];
    int count, differing;
};

static int by_difference(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    double difference = fabs(y->one - y->other) - fabs(x->one - x->other);
    return difference > 0 ? 1 : difference < 0 ? -1 : 0;
}

/* What figures are printed in, bytes or seconds: GiB, s, ms. */
static double unit_of(const struct ui *ui)
{
    return !ui->stages.is_time ? units_bytes() : ui->shown->step.estimated_s < 0.9995 ? 1e-3 : 1;
}

static const char *unit_name(const struct ui *ui)
{
    return !ui->stages.is_time ? units_name() : unit_of(ui) < 1 ? "ms" : "s";
}

/* Less is none in the digits that are printed. */
static bool is_same(const struct ui *ui, double one, double other)
{
    return fabs(one - other) < 0.005 * unit_of(ui);
}

/* What waits is no work of the stage. */
static bool is_wait(int part)
{
    return time_parts[part].letter == '.';
}

static double busy_s(const struct estimate *e, int stage)
{
    struct stage_time time;
    double sum = 0;
    stage_time_of(e, stage, &time);
    for (int i = 0; i < TIME_PARTS_MAX; i++)
        sum += is_wait(i) ? 0 : time_part(&time_parts[i], &time);
    return sum;
}

static void find_times(const struct ui *ui, int one, int other, struct rows *out)
{
    struct stage_time a, b;
    stage_time_of(ui->shown, one, &a);
    stage_time_of(ui->shown, other, &b);
    for (int i = 0; i < TIME_PARTS_MAX; i++)
        if (!is_wait(i))
            out->row[out->count++] =
                (struct row){i, time_parts[i].words, time_part(&time_parts[i], &a), time_part(&time_parts[i], &b)};
}

static void find_bytes(const struct ui *ui, int one, int other, struct rows *out)
{
    const struct estimate *e = ui->shown;
    for (int i = 0; i < stage_components.count && out->count < ROWS_MAX; i++) {
        const struct component *part = &stage_components.row[i];
        double a = stage_component(part, e, &e->stage[one]), b = stage_component(part, e, &e->stage[other]);
        if (part->kind == COMPONENT_PART && part->letter && isfinite(a) && isfinite(b))
            out->row[out->count++] = (struct row){i, part->name, a, b};
    }
}

static struct rows find_rows(const struct ui *ui, int one, int other)
{
    struct rows out = {.count = 0};
    (ui->stages.is_time ? find_times : find_bytes)(ui, one, other, &out);
    qsort(out.row, (size_t)out.count, sizeof *out.row, by_difference);
    while (out.differing < out.count && !is_same(ui, out.row[out.differing].one, out.row[out.differing].other))
        out.differing++;
    return out;
}

/* What the stage holds on the device, or how long it is busy. */
static double sum_of(const struct ui *ui, int stage)
{
    return ui->stages.is_time ? busy_s(ui->shown, stage) : ui->shown->stage[stage].device_bytes;
}

/* ---- reasons ---------------------------------------------------------------------------------------------------- */

/* The ends of the model that a stage holds. */
static const char *ends_of(const struct stage *stage)
{
    bool embeds = stage->embeds > 0, heads = stage->heads > 0;
    return embeds && heads ? "embedding, output layer and loss"
           : embeds        ? "the embedding"
           : heads         ? "output layer and loss (logits)"
                           : "neither end of the model";
}

/* "activations: 4 alive against 1 (micro-batches, of each chunk), 5.2 GiB each: 4 3 2 1 from stage 0 on" */
static void say_alive(const struct estimate *e, int one, int other, char out[UI_MESSAGE_MAX])
{
    enum { SHOWN = 16 };
    const struct stage *a = &e->stage[one], *b = &e->stage[other];
    double each = a->activations_bytes / a->chunks_in_flight, other_each = b->activations_bytes / b->chunks_in_flight;
    int used = snprintf(out, UI_MESSAGE_MAX, "activations: %.0f alive against %.0f (micro-batches, of each chunk)",
                        a->chunks_in_flight, b->chunks_in_flight);
    if (fabs(each - other_each) < 0.01 * each)
        used += snprintf(out + used, UI_MESSAGE_MAX - (size_t)used, ", %s %s each",
                         units_figure(FIGURE_GIB, each).text, units_name());
    used += snprintf(out + used, UI_MESSAGE_MAX - (size_t)used, ":");
    for (int i = 0; i < e->stages && i < SHOWN; i++)
        used += snprintf(out + used, UI_MESSAGE_MAX - (size_t)used, " %.0f", e->stage[i].chunks_in_flight);
    snprintf(out + used, UI_MESSAGE_MAX - (size_t)used, "%s from stage 0 on", e->stages > SHOWN ? " .." : "");
}

/* "the same in both, 27.0 GiB: optimizer, gradients, weights" */
static void say_same(const struct ui *ui, const struct rows *rows, char out[UI_MESSAGE_MAX])
{
    double sum = 0;
    const char *between = "";
    for (int i = rows->differing; i < rows->count; i++)
        sum += rows->row[i].one;
    size_t used = (size_t)snprintf(out, UI_MESSAGE_MAX, "the same in both, %.*f %s:", ui->stages.is_time ? 2 : 1,
                            sum / unit_of(ui), unit_name(ui));
    for (int i = rows->differing; i < rows->count && used < UI_MESSAGE_MAX; i++)
        if (rows->row[i].one > 0) {
            used += (size_t)snprintf(out + used, UI_MESSAGE_MAX - used, "%s %s", between, rows->row[i].name);
            between = ",";
        }
    if (sum <= 0)
        out[0] = '\0';
}

/* "both have an iteration of 71.41 s; the rest are waits, 0.79 s and 3.65 s" */
static void say_waits(const struct ui *ui, int one, int other, char out[UI_MESSAGE_MAX])
{
    double whole = ui->shown->step.estimated_s, unit = unit_of(ui);
    snprintf(out, UI_MESSAGE_MAX, "an iteration is %.2f %s on both; idle: %.2f and %.2f",
             whole / unit, unit_name(ui), (whole - sum_of(ui, one)) / unit, (whole - sum_of(ui, other)) / unit);
}

/* What is not the same on the two stages, each in a sentence; "" where it is. */
static void say_reasons(const struct ui *ui, int one, int other, char out[3][UI_MESSAGE_MAX])
{
    const struct estimate *e = ui->shown;
    const struct stage *a = &e->stage[one], *b = &e->stage[other];
    out[0][0] = out[1][0] = out[2][0] = '\0';
    if (ui->stages.is_time)
        say_waits(ui, one, other, out[0]);
    else if (a->chunks_in_flight != b->chunks_in_flight)
        say_alive(e, one, other, out[0]);
    if (a->layers != b->layers)
        snprintf(out[1], UI_MESSAGE_MAX, "%s: %.0f layers against %.0f",
                 ui->stages.is_time ? "compute and its traffic" : "weights and their states", a->layers,
                 b->layers);
    if (a->embeds != b->embeds || a->heads != b->heads)
        snprintf(out[2], UI_MESSAGE_MAX, "stage %d has %s, stage %d %s", one, ends_of(a), other, ends_of(b));
}

/* ---- the overlay ------------------------------------------------------------------------------------------------ */

static int stage_within(const struct ui *ui, int stage, int otherwise)
{
    int stages = ui->shown->is_computed ? ui->shown->stages : 1;
    return stage >= 0 && stage < stages ? stage : otherwise < stages ? otherwise : stages - 1;
}

static int other_stage(const struct ui *ui)
{
    return stage_within(ui, ui->stages.other, STAGES_MAX);
}

static int one_stage(const struct ui *ui)
{
    return stage_within(ui, ui->stages.one, ui_stage(ui));
}

/* Which stage is asked about, and what of it: what is explained, or what the view shows. */
static void find_question(struct ui *ui)
{
    const char *path = ui->mode == MODE_EXPLAIN ? ui->page[ui->depth - 1].path : "";
    const char *stage = strstr(path, ".stages.");
    bool is_view = !*path && ui->view == PANE_TIME && ui->is_view_focused;
    ui->stages.is_time = (strncmp(path, "time.", 5) == 0 || is_view) && isfinite(ui->shown->step.estimated_s);
    ui->stages.one = stage ? atoi(stage + strlen(".stages."))
                     : ui->stages.is_time && ui->stage < 0 ? ui->shown->binding_stage
                                                           : ui_stage(ui);
}

static void open(struct ui *ui)
{
    const struct estimate *e = ui->shown;
    if (!e->is_computed || e->is_serving || e->stages < 2) {
        ui_say(ui, ROLE_WARN, "there is one stage only; nothing to compare it with");
        return;
    }
    find_question(ui);
    int one = one_stage(ui), least = 0;
    for (int i = 1; i < e->stages; i++)
        if (sum_of(ui, i) < sum_of(ui, least))
            least = i;
    ui->mode = MODE_STAGES;
    ui->stages.other = least != one ? least : (one + 1) % e->stages;
    ui->stages.row = 0;
}

static void title(const struct ui *ui, char text[OVERLAY_TITLE_MAX], char remark[OVERLAY_REMARK_MAX])
{
    int one = one_stage(ui), other = other_stage(ui);
    double difference = sum_of(ui, one) - sum_of(ui, other);
    if (ui->stages.is_time && is_same(ui, difference, 0))
        snprintf(text, OVERLAY_TITLE_MAX, "Why  stage %d works as long as stage %d", one, other);
    else if (ui->stages.is_time)
        snprintf(text, OVERLAY_TITLE_MAX, "Why  stage %d works %.2f %s %s than stage %d", one,
                 fabs(difference) / unit_of(ui), unit_name(ui), difference < 0 ? "less" : "longer", other);
    else
        snprintf(text, OVERLAY_TITLE_MAX, "Why  stage %d holds %s %s %s than stage %d", one,
                 units_figure(FIGURE_GIB, fabs(difference)).text, units_name(), difference < 0 ? "less" : "more",
                 other);
    snprintf(remark, OVERLAY_REMARK_MAX, "q back");
}

/* Columns for names on a page of this width; below NAME_LEAST beside three figures the difference stands alone. */
static int name_width(int width)
{
    int name = width - 3 * VALUE;
    return name >= NAME ? NAME : name >= NAME_LEAST ? name : width - VALUE;
}

/* Where a figure ends: of one stage, the other, their difference; 0 where it is not shown. */
static int end_of(int width, int figure)
{
    int name = name_width(width);
    return name + 3 * VALUE <= width ? name + (figure + 1) * VALUE : figure == 2 ? width : 0;
}

static void draw_row(const struct ui *ui, struct canvas *canvas, int y, int width, const char *name, double one,
                     double other)
{
    char text[32];
    canvas_fit(canvas, 2, y, name_width(width) - 3, ROLE_TEXT, name);
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%.2f", (i ? other : one) / unit_of(ui));
        canvas_right(canvas, end_of(width, i), y, ROLE_TEXT, text);
    }
    snprintf(text, sizeof text, is_same(ui, one, other) ? "=" : "%+.2f", (one - other) / unit_of(ui));
    canvas_right(canvas, end_of(width, 2), y, ROLE_TITLE, text);
}

static void draw_heads(const struct ui *ui, struct canvas *canvas, int width)
{
    char text[32];
    canvas_format(canvas, 0, 0, ROLE_TITLE, "part, %s", unit_name(ui));
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "stage %d", i ? other_stage(ui) : one_stage(ui));
        canvas_right(canvas, end_of(width, i), 0, ROLE_TITLE, text);
    }
    canvas_right(canvas, end_of(width, 2), 0, ROLE_TITLE, "differs");
}

static int draw_parts(const struct ui *ui, struct canvas *canvas, int y, int width, int height, const struct rows *rows)
{
    int selected = row_within(ui->stages.row, rows->differing);
    for (int i = 0; i < rows->differing && y < height - 1; i++, y++) {
        const struct row *row = &rows->row[i];
        if (ui->stages.is_time)
            time_mark(canvas, 0, y, row->id);
        else
            component_mark(canvas, 0, y, &stage_components.row[row->id]);
        draw_row(ui, canvas, y, width, row->name, row->one, row->other);
        if (i == selected)
            canvas_paint(canvas, 2, y, name_width(width) - 2, ROLE_FOCUS, 0);
    }
    return y;
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    char text[UI_MESSAGE_MAX], reasons[3][UI_MESSAGE_MAX];
    if (!ui->shown->is_computed || ui->shown->stages < 2)
        return;
    int one = one_stage(ui), other = other_stage(ui);
    struct rows rows = find_rows(ui, one, other);
    draw_heads(ui, canvas, width);
    int y = draw_parts(ui, canvas, 1, width, height, &rows);
    canvas_text(canvas, 0, y, ROLE_TITLE, "=");
    draw_row(ui, canvas, y++, width, ui->stages.is_time ? "busy" : "on the device", sum_of(ui, one), sum_of(ui, other));
    say_same(ui, &rows, text);
    if (rows.differing < rows.count && text[0])
        y = canvas_wrap(canvas, 0, y, width, ROLE_MUTED, text);
    say_reasons(ui, one, other, reasons);
    for (int i = 0; i < 3; i++)
        if (reasons[i][0])
            y = canvas_wrap(canvas, 0, y + (i == 0), width, ROLE_TEXT, reasons[i]);
    canvas_wrap(canvas, 0, y + 1, width, ROLE_MUTED,
                ui->stages.is_time
                    ? "What would level it: fewer layers on the busier stage (pipeline_layout, last_stage_layers)."
                    : "What would level it: more chunks (vpp), zb-v or dualpipe, fewer layers on the fuller stage "
                      "(pipeline_layout).");
}

static void move(struct ui *ui, int dx, int dy)
{
    int stages = ui->shown->stages, one = one_stage(ui), other = other_stage(ui);
    struct rows rows = find_rows(ui, one, other);
    ui->stages.row = row_within(ui->stages.row + dy, rows.differing);
    for (int i = 0; dx != 0 && i < 2; i++) { /* passing over the stage itself */
        other = (other + dx + stages) % stages;
        if (other != one)
            break;
    }
    ui->stages.other = other;
}

static void accept(struct ui *ui)
{
    char path[EXPLAIN_PATH_MAX];
    int one = one_stage(ui);
    struct rows rows = find_rows(ui, one, other_stage(ui));
    if (rows.differing == 0)
        return;
    int id = rows.row[row_within(ui->stages.row, rows.differing)].id;
    snprintf(path, sizeof path, "%s.stages.%d.%s", ui->stages.is_time ? "time" : "memory", one,
             ui->stages.is_time ? time_parts[id].term : stage_components.row[id].term);
    explain_open(ui, path);
}

static size_t copy(const struct ui *ui, char *out, size_t size)
{
    struct canvas canvas = {0};
    out[0] = '\0';
    if (canvas_resize(&canvas, 80, 30) != 0)
        return 0;
    canvas_clip(&canvas, (struct rect){0, 0, 80, 30});
    draw(ui, &canvas, 80, 30);
    size_t used = canvas_lines(&canvas, out, size);
    canvas_free(&canvas);
    return used;
}

const struct overlay overlay_stages = {
    .keys = own_keys, .hints = own_hints, .is_in_corner = true, .open = open, .title = title, .draw = draw,
    .move = move, .page = browse_page, .accept = accept, .copy = copy,
};
