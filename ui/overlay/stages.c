/* Why one stage is fuller than another: its parts beside the other's, the largest difference first, with reasons. */
#include "core/base.h"
#include "core/show/components.h"
#include "core/show/figure.h"
#include "ui/browse.h"
#include "ui/keymap.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/pane.h"
#include "ui/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 24, NAME = 22, VALUE = 10 };

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

/* One part on both stages. */
struct row {
    const struct component *component;
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

/* Less is none in the digits that are printed. */
static bool is_same(double one, double other)
{
    const double least_bytes = 5e6;
    return fabs(one - other) < least_bytes;
}

static struct rows find_rows(const struct ui *ui, int one, int other)
{
    const struct estimate *e = ui->shown;
    struct rows out = {.count = 0};
    for (int i = 0; i < stage_components.count && out.count < ROWS_MAX; i++) {
        const struct component *part = &stage_components.row[i];
        double a = stage_component(part, e, &e->stage[one]), b = stage_component(part, e, &e->stage[other]);
        if (part->kind == COMPONENT_PART && part->letter && isfinite(a) && isfinite(b))
            out.row[out.count++] = (struct row){part, a, b};
    }
    qsort(out.row, (size_t)out.count, sizeof *out.row, by_difference);
    while (out.differing < out.count && !is_same(out.row[out.differing].one, out.row[out.differing].other))
        out.differing++;
    return out;
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
static void say_same(const struct rows *rows, char out[UI_MESSAGE_MAX])
{
    double bytes = 0;
    size_t used;
    for (int i = rows->differing; i < rows->count; i++)
        bytes += rows->row[i].one;
    used = (size_t)snprintf(out, UI_MESSAGE_MAX, "the same in both, %s %s:", units_figure(FIGURE_GIB, bytes).text,
                            units_name());
    for (int i = rows->differing; i < rows->count && used < UI_MESSAGE_MAX; i++)
        if (rows->row[i].one > 0)
            used += (size_t)snprintf(out + used, UI_MESSAGE_MAX - used, "%s %s", i > rows->differing ? "," : "",
                                     rows->row[i].component->name);
}

/* What is not the same on the two stages, each in a sentence; "" where it is. */
static void say_reasons(const struct estimate *e, int one, int other, char out[3][UI_MESSAGE_MAX])
{
    const struct stage *a = &e->stage[one], *b = &e->stage[other];
    out[0][0] = out[1][0] = out[2][0] = '\0';
    if (a->chunks_in_flight != b->chunks_in_flight)
        say_alive(e, one, other, out[0]);
    if (a->layers != b->layers)
        snprintf(out[1], UI_MESSAGE_MAX, "weights and what belongs to them: %.0f layers against %.0f", a->layers,
                 b->layers);
    if (a->embeds != b->embeds || a->heads != b->heads)
        snprintf(out[2], UI_MESSAGE_MAX, "stage %d has %s, stage %d %s", one, ends_of(a), other, ends_of(b));
}

/* ---- the overlay ------------------------------------------------------------------------------------------------ */

static int other_stage(const struct ui *ui)
{
    int stages = ui->shown->is_computed ? ui->shown->stages : 1;
    return ui->stages_other >= 0 && ui->stages_other < stages ? ui->stages_other : stages - 1;
}

static void open(struct ui *ui)
{
    const struct estimate *e = ui->shown;
    if (!e->is_computed || e->is_serving || e->stages < 2) {
        ui_say(ui, ROLE_WARN, "there is one stage only; nothing to compare it with");
        return;
    }
    int one = ui_stage(ui), least = 0;
    for (int i = 1; i < e->stages; i++)
        if (e->stage[i].device_bytes < e->stage[least].device_bytes)
            least = i;
    ui->mode = MODE_STAGES;
    ui->stages_other = least != one ? least : (one + 1) % e->stages;
    ui->at[PANE_WHY].row = 0;
}

static void title(const struct ui *ui, char text[OVERLAY_TITLE_MAX], char remark[OVERLAY_REMARK_MAX])
{
    int one = ui_stage(ui), other = other_stage(ui);
    double difference = ui->shown->stage[one].device_bytes - ui->shown->stage[other].device_bytes;
    snprintf(text, OVERLAY_TITLE_MAX, "Why  stage %d holds %s %s %s than stage %d", one,
             units_figure(FIGURE_GIB, fabs(difference)).text, units_name(), difference < 0 ? "less" : "more", other);
    snprintf(remark, OVERLAY_REMARK_MAX, "q back");
}

static void draw_row(struct canvas *canvas, int y, const char *name, double one, double other)
{
    canvas_fit(canvas, 2, y, NAME - 3, ROLE_TEXT, name);
    canvas_right(canvas, NAME + VALUE, y, ROLE_TEXT, units_figure(FIGURE_GIB_TO_SUM, one).text);
    canvas_right(canvas, NAME + 2 * VALUE, y, ROLE_TEXT, units_figure(FIGURE_GIB_TO_SUM, other).text);
    char text[32];
    snprintf(text, sizeof text, is_same(one, other) ? "=" : "%+.2f", (one - other) / units_bytes());
    canvas_right(canvas, NAME + 3 * VALUE, y, ROLE_TITLE, text);
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    const struct estimate *e = ui->shown;
    char text[UI_MESSAGE_MAX], reasons[3][UI_MESSAGE_MAX];
    if (!e->is_computed || e->stages < 2)
        return;
    int one = ui_stage(ui), other = other_stage(ui), y = 1;
    struct rows rows = find_rows(ui, one, other);
    int selected = row_within(ui->at[PANE_WHY].row, rows.differing);
    canvas_text(canvas, 0, 0, ROLE_TITLE, units_word("part, GiB").text);
    snprintf(text, sizeof text, "stage %d", one);
    canvas_right(canvas, NAME + VALUE, 0, ROLE_TITLE, text);
    snprintf(text, sizeof text, "stage %d", other);
    canvas_right(canvas, NAME + 2 * VALUE, 0, ROLE_TITLE, text);
    canvas_right(canvas, NAME + 3 * VALUE, 0, ROLE_TITLE, "differs");
    for (int i = 0; i < rows.differing && y < height - 1; i++, y++) {
        component_mark(canvas, 0, y, rows.row[i].component);
        draw_row(canvas, y, rows.row[i].component->name, rows.row[i].one, rows.row[i].other);
        if (i == selected)
            canvas_paint(canvas, 2, y, NAME - 2, ROLE_FOCUS, 0);
    }
    canvas_text(canvas, 0, y, ROLE_TITLE, "=");
    draw_row(canvas, y++, "on the device", e->stage[one].device_bytes, e->stage[other].device_bytes);
    say_same(&rows, text);
    if (rows.differing < rows.count)
        y = canvas_wrap(canvas, 0, y, width, ROLE_DIM, text);
    say_reasons(e, one, other, reasons);
    for (int i = 0; i < 3; i++)
        if (reasons[i][0])
            y = canvas_wrap(canvas, 0, y + (i == 0), width, ROLE_TEXT, reasons[i]);
    canvas_wrap(canvas, 0, y + 1, width, ROLE_DIM,
                "What would level it: more chunks (vpp), zb-v or dualpipe, fewer layers on the fuller stage "
                "(pipeline_layout).");
}

static void move(struct ui *ui, int dx, int dy)
{
    int stages = ui->shown->stages, one = ui_stage(ui), other = other_stage(ui);
    struct rows rows = find_rows(ui, one, other);
    ui->at[PANE_WHY].row = row_within(ui->at[PANE_WHY].row + dy, rows.differing);
    for (int i = 0; dx != 0 && i < 2; i++) { /* passing over the stage itself */
        other = (other + dx + stages) % stages;
        if (other != one)
            break;
    }
    ui->stages_other = other;
}

static void accept(struct ui *ui)
{
    char path[EXPLAIN_PATH_MAX];
    int one = ui_stage(ui);
    struct rows rows = find_rows(ui, one, other_stage(ui));
    if (rows.differing == 0)
        return;
    snprintf(path, sizeof path, "memory.stages.%d.%s", one,
             rows.row[row_within(ui->at[PANE_WHY].row, rows.differing)].component->term);
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
