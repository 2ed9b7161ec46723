/* src/report/memory.c - what the GPUs of each pipeline stage hold, stages (and frameworks) as columns. */
#include "core/estimate/range.h"
#include "core/show/components.h"
#include "src/report/data.h"
#include "src/report/format.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_COLUMNS = 38 };

/* Neighbouring stages of one estimate whose numbers are all equal. */
struct stage_run {
    const struct estimate *estimate;
    int from, to;
    struct stage stage; /* rounded */
};

/* ---- cells ------------------------------------------------------------------------------------------------------ */

static struct cell show_layers(const struct stage_run *run)
{
    const struct stage_split *first = &run->estimate->split[run->from];
    struct cell cell;
    bool is_one_run = run->estimate->symbols.V == 1 && run->from == run->to;
    if (is_one_run && first->layers > 0)
        snprintf(cell.text, sizeof cell.text, "%d (%d-%d)", first->layers, first->first_layer, first->last_layer);
    else
        snprintf(cell.text, sizeof cell.text, "%d", first->layers);
    return cell;
}

static struct cell show_in_flight(const struct stage_run *run)
{
    return cell_count(run->stage.chunks_in_flight);
}

static struct cell show_waiting(const struct stage_run *run)
{
    return cell_count(run->stage.chunks_waiting);
}

static struct cell show_params(const struct stage_run *run)
{
    return cell_count(run->stage.params);
}

static struct cell show_trained(const struct stage_run *run)
{
    return cell_count(run->stage.trained);
}

static struct cell show_peak(const struct stage_run *run)
{
    struct cell cell;
    const struct stage *stage = &run->estimate->stage[run->from];
    snprintf(cell.text, sizeof cell.text, "%s",
             run->estimate->is_modelled ? peak_at_names[stage_peak_at(stage)] : "n/a");
    return cell;
}

/* ---- columns ---------------------------------------------------------------------------------------------------- */

/* All estimates fold the same runs, so that their columns stand beside each other. */
static bool is_folded(const struct estimates *all, int stage)
{
    for (size_t i = 0; i < all->count; i++)
        if (stage < all->item[i]->stages && !report_stages_equal(all->item[i], stage - 1, stage))
            return false;
    return true;
}

static int last_of_run(const struct estimates *all, int from, int stages)
{
    int to = from;
    while (to + 1 < stages && is_folded(all, to + 1))
        to++;
    return to;
}

static int most_stages(const struct estimates *all)
{
    int stages = 0;
    for (size_t i = 0; i < all->count; i++)
        stages = all->item[i]->stages > stages ? all->item[i]->stages : stages;
    return stages;
}

/* Runs by stage, then by estimate; returns how many. */
static size_t collect(const struct estimates *all, struct stage_run **out)
{
    int stages = most_stages(all);
    size_t count = 0;
    *out = xmalloc(((size_t)stages * all->count + 1) * sizeof **out);
    for (int from = 0, to; from < stages; from = to + 1) {
        to = last_of_run(all, from, stages);
        for (size_t i = 0; i < all->count; i++) {
            if (from >= all->item[i]->stages)
                continue;
            struct stage_run *run = &(*out)[count++];
            *run = (struct stage_run){.estimate = all->item[i], .from = from, .to = to};
            report_stage_rounded(all->item[i], from, &run->stage);
        }
    }
    return count;
}

/* ---- printing --------------------------------------------------------------------------------------------------- */

static struct cell run_name(const struct stage_run *run)
{
    struct cell cell;
    if (run->from == run->to)
        snprintf(cell.text, sizeof cell.text, "stage %d", run->from);
    else
        snprintf(cell.text, sizeof cell.text, "stages %d-%d", run->from, run->to);
    return cell;
}

static void print_rule(struct page *page, int columns)
{
    for (int k = 0; k < columns; k++)
        buffer_puts(page->out, page->glyph->line);
    buffer_puts(page->out, "\n");
}

/* One fact about each run, which is not bytes. */
static void print_fact(struct page *page, const char *label, struct cell (*show)(const struct stage_run *run),
                       const struct stage_run *runs, size_t count, int columns)
{
    page_pad(page, label, LABEL_COLUMNS);
    for (size_t i = 0; i < count; i++)
        page_pad(page, show(&runs[i]).text, -columns);
    buffer_puts(page->out, "\n");
}

/* Whether a row that is joined to another on screens is nothing anywhere, or a detail that no estimate lists. */
static bool is_left_out(const struct component *component, const struct stage_run *runs, size_t count)
{
    double most = 0;
    bool is_listed = false;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, stage_component(component, runs[i].estimate, &runs[i].stage));
        is_listed |= stage_lists(component, runs[i].estimate);
    }
    return !is_listed || (component->style == COMPONENT_JOINED && most == 0);
}

static void print_component(struct page *page, const struct component *component, const struct stage_run *runs,
                            size_t count, int columns)
{
    if (component->style == COMPONENT_RULED)
        print_rule(page, LABEL_COLUMNS + (int)count * columns);
    char label[80], note[40];
    component_note(component, runs->estimate, note, sizeof note);
    snprintf(label, sizeof label, "%s%s%s", component->kind == COMPONENT_DETAIL ? "  " : "", component->label, note);
    page_pad(page, label, LABEL_COLUMNS);
    for (size_t i = 0; i < count; i++) {
        struct cell cell = cell_gib(stage_held(component, runs[i].estimate, &runs[i].stage));
        bool is_short = component->kind == COMPONENT_LEFT && runs[i].stage.headroom_bytes < 0;
        for (int k = text_columns(cell.text); k < columns; k++)
            buffer_puts(page->out, " ");
        page_styled(page, is_short ? STYLE_BAD : STYLE_PLAIN, cell.text);
    }
    buffer_puts(page->out, "\n");
}

/* The 80 % range of a sum, where there is one to show: the sums are what is allocated, reserved and on the device. */
static void print_range(struct page *page, int depth, const struct stage_run *runs, size_t count, int columns)
{
    bool has_any = false;
    for (size_t i = 0; i < count; i++)
        has_any |= isfinite(range_memory_ends(runs[i].estimate, runs[i].from, depth).low);
    if (!has_any)
        return;
    page_pad(page, "  80 % range", LABEL_COLUMNS);
    for (size_t i = 0; i < count; i++) {
        struct interval ends = range_memory_ends(runs[i].estimate, runs[i].from, depth);
        page_pad(page, figure_range(FIGURE_GIB, (ends.low + ends.high) / 2, ends.low, ends.high).text, -columns);
    }
    buffer_puts(page->out, "\n");
}

static void print_components(struct page *page, const struct stage_run *runs, size_t count, int columns)
{
    int sums = 0;
    for (int i = 0; i < stage_components.count; i++) {
        const struct component *component = &stage_components.row[i];
        if (!is_left_out(component, runs, count))
            print_component(page, component, runs, count, columns);
        if (component->kind == COMPONENT_SUM)
            print_range(page, ++sums, runs, count, columns);
        if (component->color == COLOR_TRANSIENT)
            print_fact(page, "  the peak is in", show_peak, runs, count, columns);
    }
}

static bool has_frozen(const struct stage_run *runs, size_t count)
{
    bool has_any = false;
    for (size_t i = 0; i < count; i++)
        has_any |= runs[i].estimate->totals.frozen > 0;
    return has_any;
}

static bool has_waiting(const struct stage_run *runs, size_t count)
{
    bool has_any = false;
    for (size_t i = 0; i < count; i++)
        has_any |= runs[i].stage.chunks_waiting > 0;
    return has_any;
}

static void print_block(struct page *page, const struct stage_run *runs, size_t count, int columns, bool named)
{
    page_pad(page, "GiB = 2^30 bytes", LABEL_COLUMNS);
    for (size_t i = 0; i < count; i++)
        page_pad(page, run_name(&runs[i]).text, -columns);
    buffer_puts(page->out, "\n");
    if (named) {
        page_pad(page, "", LABEL_COLUMNS);
        for (size_t i = 0; i < count; i++)
            page_pad(page, report_framework(runs[i].estimate), -columns);
        buffer_puts(page->out, "\n");
    }
    print_fact(page, "layers", show_layers, runs, count, columns);
    print_fact(page, "micro-batches (of chunks) in flight", show_in_flight, runs, count, columns);
    if (has_waiting(runs, count))
        print_fact(page, "  waiting for weight gradients", show_waiting, runs, count, columns);
    print_fact(page, "parameters", show_params, runs, count, columns);
    if (has_frozen(runs, count))
        print_fact(page, "parameters that are trained", show_trained, runs, count, columns);
    print_components(page, runs, count, columns);
}

void report_memory(struct page *page, const struct estimates *all)
{
    struct stage_run *runs;
    size_t count = collect(all, &runs);
    int columns = all->count > 1 ? 17 : 14;
    size_t fit = (size_t)((PAGE_WIDTH - LABEL_COLUMNS) / columns);
    char why[160];
    fit -= all->count > 1 && all->count <= fit ? fit % all->count : 0;
    page_heading(page, "Memory of one GPU in each pipeline stage");
    for (size_t at = 0; at < count; at += fit) {
        buffer_puts(page->out, at ? "\n" : "");
        print_block(page, runs + at, count - at < fit ? count - at : fit, columns, all->count > 1);
    }
    for (size_t i = 0; i < all->count; i++)
        if (!all->item[i]->is_computed || !all->item[i]->is_modelled)
            page_prose(page, 0, "%s: memory is n/a: %s", report_framework(all->item[i]),
                       report_why_unknown(all->item[i], NULL, why, sizeof why));
    free(runs);
}
