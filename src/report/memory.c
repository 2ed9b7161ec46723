/* src/report/memory.c - what the GPUs of each pipeline stage hold, stages (and frameworks) as columns. */
#include "core/estimate/estimate.h"
#include "src/report/data.h"
#include "src/report/format.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_COLUMNS = 38 };

/** Neighbouring stages of one estimate whose numbers are all equal. */
struct stage_run {
    const struct estimate *estimate;
    int from, to;
    struct stage stage; /* rounded */
};

struct memory_row {
    const char *label;
    const char *term; /* of core/estimate/stage.def, or NULL for `show` */
    struct cell (*show)(const struct stage_run *run);
    char rule_before; /* 1: a line above */
};

/* ---- cells -------------------------------------------------------------------------------------------------------- */

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

static struct cell show_params(const struct stage_run *run)
{
    return cell_count(run->stage.params);
}

static struct cell show_usable(const struct stage_run *run)
{
    return cell_gib(run->estimate->usable_bytes);
}

static struct cell show_peak(const struct stage_run *run)
{
    struct cell cell;
    const char *name = run->estimate->is_modelled ? peak_at_names[stage_peak_at(&run->estimate->stage[run->from])] : "n/a";
    snprintf(cell.text, sizeof cell.text, "%s", name);
    return cell;
}

static const struct memory_row rows[] = {
    {"layers", NULL, show_layers, 0},
    {"micro-batches (of chunks) in flight", NULL, show_in_flight, 0},
    {"parameters", NULL, show_params, 0},
    {"weights", "weights_bytes", NULL, 1},
    {"gradients", "gradients_bytes", NULL, 0},
    {"optimizer states", "optimizer_bytes", NULL, 0},
    {"activations of all in flight", "activations_bytes", NULL, 0},
    {"transient at the peak", "transient_bytes", NULL, 0},
    {"  the peak is in", NULL, show_peak, 0},
    {"buffers and workspaces", "buffers_bytes", NULL, 0},
    {"allocated (max_memory_allocated)", "allocated_bytes", NULL, 1},
    {"fragmentation of the allocator", "fragmentation_bytes", NULL, 0},
    {"reserved", "reserved_bytes", NULL, 0},
    {"driver context", "context_bytes", NULL, 0},
    {"communicators (NCCL)", "communicator_bytes", NULL, 0},
    {"on the device (nvidia-smi)", "device_bytes", NULL, 1},
    {"usable", NULL, show_usable, 0},
    {"left", "headroom_bytes", NULL, 0},
};

static struct cell cell_of(const struct memory_row *row, const struct stage_run *run)
{
    return row->term ? cell_gib(report_stage(&run->stage, row->term)) : row->show(run);
}

/* ---- columns ------------------------------------------------------------------------------------------------------ */

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

/* ---- printing ----------------------------------------------------------------------------------------------------- */

static struct cell run_name(const struct stage_run *run)
{
    struct cell cell;
    if (run->from == run->to)
        snprintf(cell.text, sizeof cell.text, "stage %d", run->from);
    else
        snprintf(cell.text, sizeof cell.text, "stages %d-%d", run->from, run->to);
    return cell;
}

static void print_row(struct page *page, const struct memory_row *row, const struct stage_run *runs, size_t count, int columns)
{
    if (row->rule_before) {
        for (int i = 0; i < LABEL_COLUMNS + columns * (int)count; i++)
            buffer_puts(page->out, page->glyph->line);
        buffer_puts(page->out, "\n");
    }
    page_pad(page, row->label, LABEL_COLUMNS);
    for (size_t i = 0; i < count; i++) {
        struct cell cell = cell_of(row, &runs[i]);
        bool is_short = row->term && strcmp(row->term, "headroom_bytes") == 0 && runs[i].stage.headroom_bytes < 0;
        for (int k = text_columns(cell.text); k < columns; k++)
            buffer_puts(page->out, " ");
        page_styled(page, is_short ? STYLE_BAD : STYLE_PLAIN, cell.text);
    }
    buffer_puts(page->out, "\n");
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
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        print_row(page, &rows[i], runs, count, columns);
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
