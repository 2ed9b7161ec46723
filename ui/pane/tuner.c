/* The tuner: the best layouts of all on these GPUs, searched while nobody types; Enter loads one. */
#include "core/plan/param.h"
#include "core/search/differs.h"
#include "core/show/figure.h"
#include "ui/advisor.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/choices.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct search_answer *answer_of(const struct ui *ui)
{
    return ui->advisor && ui->advisor->has_search ? &ui->advisor->search.answer : NULL;
}

static const struct search_result *result_at(const void *context, int row)
{
    return &answer_of(context)->best[row];
}

static void row_plan(const struct ui *ui, int row, struct plan *out)
{
    search_plan(&ui->advisor->search.ask, result_at(ui, row), out);
}

static bool is_old(const struct ui *ui)
{
    return ui->advisor->generation != ui->generation;
}

static bool is_open(const struct ui *ui)
{
    return !answer_of(ui)->is_complete;
}

static void text_number(const void *context, int row, char out[CELL_TEXT_MAX])
{
    (void)context;
    snprintf(out, CELL_TEXT_MAX, "%d", row + 1);
}

static void text_layout(const void *context, int row, char out[CELL_TEXT_MAX])
{
    static const struct {
        enum param id;
        const char *name;
        double plain; /* is left out */
    } axes[] = {{PARAM_parallel_tp, "tp", 0},
                {PARAM_parallel_pp, "pp", 0},
                {PARAM_parallel_vpp, "vpp", 1},
                {PARAM_parallel_cp, "cp", 1},
                {PARAM_parallel_ep, "ep", 1},
                {PARAM_parallel_dp, "dp", 0},
                {PARAM_train_micro_batch_size, "mbs", 0},
                {PARAM_parallel_zero_stage, "zero", 0}};
    const struct ui *ui = context;
    struct plan plan, resolved;
    int used = 0;
    row_plan(ui, row, &plan);
    plan_resolve(&plan, &resolved);
    for (size_t i = 0; i < sizeof axes / sizeof *axes && used < CELL_TEXT_MAX; i++)
        if (resolved.value[axes[i].id] != axes[i].plain)
            used += snprintf(out + used, (size_t)(CELL_TEXT_MAX - used), "%s%s%.0f", used ? " " : "", axes[i].name,
                             resolved.value[axes[i].id]);
    static const char *const shards[] = {
        [FSDP_NONE] = "", [FSDP_SHARD_GRAD_OP] = " zero2", [FSDP_FULL] = " fsdp", [FSDP_HYBRID] = " hsdp"};
    static const char *const repeats[] = {
        [RECOMPUTE_NONE] = "", [RECOMPUTE_SELECTIVE] = " selective", [RECOMPUTE_FULL] = " full"};
    if (used < CELL_TEXT_MAX)
        snprintf(out + used, (size_t)(CELL_TEXT_MAX - used), "%s%s", shards[(int)KEY_OF(&resolved, parallel, fsdp)],
                 repeats[(int)KEY_OF(&resolved, train, recompute)]);
}

static void text_memory(const void *context, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", units_figure(FIGURE_GIB, result_at(context, row)->peak_device_bytes).text);
}

static void text_time(const void *context, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", figure(FIGURE_SECONDS, result_at(context, row)->iteration_s).text);
}

static void text_share(const void *context, int row, char out[CELL_TEXT_MAX])
{
    const struct ui *ui = context;
    double share = 100 * (result_at(context, row)->iteration_s / ui->now->step.iteration_s - 1);
    out[0] = '\0';
    if (isfinite(share))
        snprintf(out, CELL_TEXT_MAX, "%+.1f%%", share);
}

static void text_free(const void *context, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%s", units_figure(FIGURE_GIB, result_at(context, row)->headroom_bytes).text);
}

static void text_parts(const void *context, int row, char out[CELL_TEXT_MAX])
{
    snprintf(out, CELL_TEXT_MAX, "%d", result_at(context, row)->complexity);
}

static const struct column columns[] = {
    {"layout", 26, 0, true, NULL, text_layout}, {"#", 4, 5, false, NULL, text_number},
    {"iter", 9, 0, false, NULL, text_time},     {"vs now", 9, 1, false, NULL, text_share},
    {"GiB", 6, 2, false, NULL, text_memory},    {"free", 6, 3, false, NULL, text_free},
    {"parts", 6, 4, false, NULL, text_parts},
};
static const struct choices choices = {columns, sizeof columns / sizeof *columns, is_old, is_open, row_plan};

/* The ends of the front in words. */
static void say_front(const struct search_answer *answer, struct canvas *canvas, int y)
{
    const struct search_result *least = &answer->front[0], *fastest = &answer->front[answer->front_count - 1];
    canvas_format(canvas, 0, y, ROLE_DIM, "memory against time: %d layouts from %s %s, %s to %s %s, %s", answer->front_count,
                  units_figure(FIGURE_GIB, least->peak_device_bytes).text, units_name(), figure(FIGURE_SECONDS, least->iteration_s).text,
                  units_figure(FIGURE_GIB, fastest->peak_device_bytes).text, units_name(), figure(FIGURE_SECONDS, fastest->iteration_s).text);
}

/* Where a value stands on a scale of so many places. */
static int place_of(double value, double from, double to, int places)
{
    double share = to > from ? (value - from) / (to - from) : 0;
    return (int)(fmin(fmax(share, 0), 1) * (places - 1) + 0.5);
}

/* Memory against time: what no layout beats in both, and this plan. */
static void draw_front(const struct ui *ui, struct canvas *canvas, int y, int width, int height)
{
    enum { LEFT = 8 };
    const struct search_answer *answer = answer_of(ui);
    const struct search_result *least = &answer->front[0], *fastest = &answer->front[answer->front_count - 1];
    double now_bytes = ui->now->stage[ui->now->peak_stage].device_bytes, now_s = ui->now->step.iteration_s;
    int places = width - LEFT - 1, rows = height - 2;
    canvas_format(canvas, 0, y, ROLE_DIM, "memory, %s, against time: o no layout has less of both, * this plan", units_name());
    for (int i = 0; i <= answer->front_count; i++) { /* this plan last, over the others */
        bool is_now = i == answer->front_count;
        double bytes = is_now ? now_bytes : answer->front[i].peak_device_bytes;
        double seconds = is_now ? now_s : answer->front[i].iteration_s;
        if (!isfinite(bytes) || !isfinite(seconds))
            continue;
        int x = place_of(seconds, fastest->iteration_s, least->iteration_s, places);
        int row = place_of(-bytes, -fastest->peak_device_bytes, -least->peak_device_bytes, rows);
        canvas_text(canvas, LEFT + x, y + 1 + row, is_now ? ROLE_TITLE : ROLE_GOOD, is_now ? "*" : "o");
    }
    canvas_right(canvas, LEFT - 1, y + 1, ROLE_DIM, units_figure(FIGURE_GIB, fastest->peak_device_bytes).text);
    canvas_right(canvas, LEFT - 1, y + rows, ROLE_DIM, units_figure(FIGURE_GIB, least->peak_device_bytes).text);
    canvas_text(canvas, LEFT, y + height - 1, ROLE_DIM, figure(FIGURE_SECONDS, fastest->iteration_s).text);
    canvas_right(canvas, width - 1, y + height - 1, ROLE_DIM, figure(FIGURE_SECONDS, least->iteration_s).text);
}

static void ask_free(struct ui *ui)
{
    char line[EDIT_MAX] = "search free=";
    if (!ui->advisor)
        return;
    space_axes_write(ui->advisor->free ? ui->advisor->free : space_default_axes(), line + strlen(line), sizeof line - strlen(line));
    overlay_open(ui, MODE_COMMAND, line, false);
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    enum { PLOT = 12, PLOT_LEAST = 28 };
    const struct search_answer *answer = answer_of(ui);
    if (!answer || answer->count == 0) {
        bool is_working = answer && ui->advisor->is_searching;
        canvas_wrap(canvas, 0, 0, width, ROLE_TEXT,
                    is_working || (!ui->advisor && !ui->options.slow) ? ".."
                    : answer ? "No layout of these GPUs fits; more of them, recomputation or offloading may."
                             : "Nothing to search: the plan serves, lacks numbers, or this is a slow line.");
        return;
    }
    bool has_plot = height >= PLOT_LEAST && answer->front_count > 1;
    int below = has_plot ? PLOT + 2 : height > 10 ? 3 : 0;
    choices_draw(ui, PANE_TUNER, canvas, width, height - below);
    if (!below)
        return;
    if (has_plot)
        draw_front(ui, canvas, height - below + 1, width, PLOT - 1);
    else if (answer->front_count > 1)
        say_front(answer, canvas, height - 2);
    canvas_fit(canvas, 0, height - 1, width, ROLE_DIM, "o objective: time memory cost   Enter loads   u takes it back");
}

static int rows_of(const struct ui *ui)
{
    return answer_of(ui) ? answer_of(ui)->count : 0;
}

static int wish(const struct ui *ui)
{
    return rows_of(ui) + 5;
}

static void subtitle(const struct ui *ui, char out[SUBTITLE_MAX])
{
    const struct search_answer *answer = answer_of(ui);
    if (!answer)
        snprintf(out, SUBTITLE_MAX, "the best layouts");
    else if (!answer->is_complete)
        snprintf(out, SUBTITLE_MAX, "by %s, %.0f %%", search_goals[ui->advisor->objective].name,
                 100 * search_share(&ui->advisor->search));
    else
        snprintf(out, SUBTITLE_MAX, "by %s: %ld valid, %ld fit", search_goals[ui->advisor->objective].name,
                 answer->evaluated, answer->feasible);
}

static bool path(const struct ui *ui, char out[EXPLAIN_PATH_MAX])
{
    snprintf(out, EXPLAIN_PATH_MAX, "time.iteration_s");
    return rows_of(ui) > 0;
}

static const struct view_key keys[] = {{'o', "objective", "what is best: time, memory, cost", advisor_next_objective},
                                       {'F', "free keys", "what a search may change", ask_free},
                                       {'D', "compare", "what differs from the selected layout", choices_compare},
                                       {'p', "pin", "pin the selected layout as a baseline", choices_pin},
                                       {0}};

const struct pane pane_tuner = {
    .name = "tuner",
    .title = "Tuner",
    .tab = "Tun",
    .key = '8',
    .wish = wish,
    .rows = rows_of,
    .subtitle = subtitle,
    .draw = draw,
    .path = path,
    .describe = choices_describe,
    .click = choices_click,
    .open = choices_take,
    .keys = keys,
    .choices = &choices,
};
