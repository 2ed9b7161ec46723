/* The line of figures as fields: one is selected, explained, or opened in the view that has its parts. */
#include "core/show/quantity.h"
#include "ui/command/keymap.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/pane.h"
#include "ui/state/result.h"

#include <stdio.h>
#include <string.h>

#define KEY(key, id) {MODE_FIGURES, key, ACTION_##id}
static const struct binding own_keys[] = {
    KEY(KEY_ARROW_LEFT, left), KEY('h', left), KEY(KEY_ARROW_RIGHT, right), KEY('l', right), KEY(KEY_TAB, right),
    KEY(KEY_RETURN, accept), KEY('e', explain), KEY('c', changed), KEY('w', stages), KEY('0', cancel), KEY('q', cancel),
    KEY(KEY_ESCAPE, cancel),
    KEY(KEY_ARROW_DOWN, cancel), KEY('j', cancel), KEY(KEY_CTRL('C'), cancel), KEY(KEY_CTRL('L'), redraw),
    KEY(KEY_CTRL('Z'), suspend), KEY('?', help), KEY(KEY_F1, help),
    {0},
};

static const struct hint own_hints[] = {
    {MODE_FIGURES, ACTION_right, ACTION_left, "select", 0},
    {MODE_FIGURES, ACTION_accept, ACTION_NONE, "its view", 0},
    {MODE_FIGURES, ACTION_explain, ACTION_NONE, "explain", 0},
    {MODE_FIGURES, ACTION_cancel, ACTION_NONE, "back", 0},
    {0},
};

/* What a figure says, and the view that has its parts; PANE_COUNT: its explanation does. */
static const struct about {
    const char *text;
    enum pane_id view;
} abouts[RESULT_COUNT] = {
    [RESULT_PEAK] = {"memory of the fullest GPU, of the usable memory", PANE_MEMORY},
    [RESULT_ITERATION] = {"one iteration: all micro-batches, exchange and optimizer step", PANE_TIME},
    [RESULT_MFU] = {"model operations over the peak of the GPUs, attention in full", PANE_TIME},
    [RESULT_BUBBLE] = {"share of the iteration spent waiting for the pipeline", PANE_SCHEDULE},
    [RESULT_EXPOSED] = {"share of the iteration spent on traffic not hidden", PANE_COMM},
    [RESULT_TOKENS] = {"tokens of the whole cluster", PANE_COUNT},
    [RESULT_TOKENS_GPU] = {"tokens of one GPU", PANE_COUNT},
    [RESULT_TFLOPS] = {"model operations per GPU", PANE_COUNT},
    [RESULT_PRICE] = {"GPU rent for 1T tokens", PANE_COUNT},
    [RESULT_COST] = {"GPU rent for the whole training", PANE_COUNT},
    [RESULT_SPAN] = {"wall time of the whole training", PANE_COUNT},
    [RESULT_GPU_HOURS] = {"GPU hours of the whole training", PANE_COUNT},
    [RESULT_HEADROOM] = {"memory free on the fullest GPU, or how much it is over", PANE_MEMORY},
};

/* Figures that the line of this screen has, in order, and the verdict; returns how many. */
static int shown(const struct ui *ui, int out[RESULT_COUNT])
{
    int count = 0;
    for (int i = 0; i < RESULT_COUNT; i++)
        if (i == RESULT_HEADROOM || result_in_line((enum result_id)i, ui->shown, ui->width))
            out[count++] = i;
    return count;
}

/* Leads home: to all panels at once; there the figures are the next thing to select. */
static void open(struct ui *ui)
{
    bool is_home = pane_is_beside(ui) || (ui->view == PANE_MEMORY && !pane_is_zoomed(ui));
    if (!is_home) {
        ui->view = PANE_MEMORY;
        ui->is_zoomed = ui->is_view_focused = false;
        return;
    }
    if (ui->layout.figures.height > 0)
        ui->mode = MODE_FIGURES;
}

static void move(struct ui *ui, int dx, int dy)
{
    int row[RESULT_COUNT], count = shown(ui, row), at = 0;
    (void)dy;
    for (int i = 0; i < count; i++)
        at = row[i] <= ui->figure ? i : at;
    at += dx;
    ui->figure = row[at < 0 ? count - 1 : at >= count ? 0 : at];
}

void figures_path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    if ((ui->figure == RESULT_PEAK || ui->figure == RESULT_HEADROOM) && !ui->shown->is_serving)
        snprintf(out, EXPLAIN_PATH_MAX, "memory.stages.%d.%s", ui->shown->is_computed ? ui->shown->peak_stage : 0,
                 ui->figure == RESULT_PEAK ? "device_bytes" : "headroom_bytes");
    else if (ui->figure == RESULT_EXPOSED && !ui->shown->is_serving)
        snprintf(out, EXPLAIN_PATH_MAX, "time.stages.%d.busy_s", ui->shown->is_computed ? ui->shown->binding_stage : 0);
    else
        snprintf(out, EXPLAIN_PATH_MAX, "%s", result_row((enum result_id)ui->figure, ui->shown)->path);
}

/* Shows the figure's view with the stage that decides. */
static void accept(struct ui *ui)
{
    enum pane_id view = ui->shown->is_serving ? PANE_MEMORY : abouts[ui->figure].view;
    if (view == PANE_COUNT) {
        ui_do(ui, ACTION_explain);
        return;
    }
    ui->mode = MODE_BROWSE;
    ui->stage = -1;
    if (view == PANE_SCHEDULE) {
        schedule_first_wait(ui);
        return;
    }
    ui->view = view;
    ui->is_view_focused = true;
    ui->at[view].row = ui->figure == RESULT_HEADROOM ? panes[view]->rows(ui) - 1 : 0; /* what is free stands last */
    ui->at[view].column = 0;
}

/* "75.4 s, 70-82 (80 % range)": the range of memory, or of what follows the time. */
static void say_range(const struct ui *ui, char *out, size_t size)
{
    const struct estimate *e = ui->shown;
    const struct result *row = result_row((enum result_id)ui->figure, e);
    const struct quantity *quantity = quantity_find(row->path);
    double value = result_value((enum result_id)ui->figure, e);
    struct figure range = {""};
    if (!e->is_serving && e->is_computed && ui->figure == RESULT_PEAK) {
        struct memory_range memory;
        range_memory(e, e->peak_stage, &memory);
        range = units_range(row->kind, value, memory.device_low, memory.device_high);
    } else if (quantity && quantity_power(quantity)) {
        struct time_range time;
        range_time(e, &time);
        struct interval ends = range_of(&time, value, quantity_power(quantity));
        range = units_range(row->kind, value, ends.low, ends.high);
    }
    snprintf(out, size, range.text[0] ? ", %s in 8 of 10 runs" : "%s", range.text);
}

static int message(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    char range[64], text[256], value[VERDICT_MAX];
    if (ui->message[0])
        return 0;
    say_range(ui, range, sizeof range);
    if (ui->figure == RESULT_HEADROOM)
        result_verdict(ui->shown, value);
    else
        snprintf(value, sizeof value, "%s", result_text((enum result_id)ui->figure, ui->shown).text);
    const char *about =
        ui->shown->is_serving ? result_row((enum result_id)ui->figure, ui->shown)->name : abouts[ui->figure].text;
    snprintf(text, sizeof text, "%s: %s%s", value, about, range);
    canvas_wrap(canvas, 0, 0, width, ROLE_TEXT, text);
    return height;
}

const struct overlay overlay_figures = {
    .keys = own_keys, .hints = own_hints, .open = open, .message = message, .move = move, .accept = accept,
};
