/* src/report/report.c - a report from its parts, and the parts that are short. */
#include "src/report/report.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/explain/explain.h"
#include "core/plan/param.h"
#include "core/plan/question.h"
#include "core/show/spent.h"
#include "src/report/data.h"
#include "src/report/format.h"
#include "src/report/quantity.h"
#include "src/report/text.h"
#include "src/text/comment.h"
#include "src/text/errors.h"
#include "src/text/json_out.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const report_section_names[SECTION_COUNT] = {
    [SECTION_ALL] = "all",           [SECTION_SUMMARY] = "summary",   [SECTION_DIAGNOSTICS] = "diagnostics",
    [SECTION_LAYERS] = "layers",     [SECTION_MEMORY] = "memory",     [SECTION_GRID] = "grid",
    [SECTION_COMMUNICATION] = "communication", [SECTION_TIME] = "time", [SECTION_TRAINING] = "training",
    [SECTION_CHECKPOINT] = "checkpoint", [SECTION_SERVING] = "serving"};

int report_section_find(const char *name)
{
    for (int i = 0; i < SECTION_COUNT; i++)
        if (strcmp(report_section_names[i], name) == 0)
            return i;
    return -1;
}

/* ---- what partitioning leaves of each matrix product ------------------------------------------------------------ */

enum { NAME_COLUMNS = 36, SHAPE_COLUMNS = 16, ROWS_COLUMNS = 8, SHARE_COLUMNS = 8, TIME_COLUMNS = 9 };

static struct cell milliseconds(double seconds)
{
    return cell_fixed(seconds * 1e3, 3);
}

/* Operators that are no product have no line. */
static void print_product(struct page *page, const struct estimate *e, enum op_id id)
{
    struct op op;
    struct op_time time;
    estimate_op(e, id, &op);
    if (!(op.m > 0))
        return;
    const double whole[2] = {op.out, op.in}, rank[2] = {op.out_rank, op.in_rank};
    estimate_op_time(e, id, &time);
    page_pad(page, op_rows[id].path, NAME_COLUMNS);
    page_pad(page, cell_shape(whole, 2).text, SHAPE_COLUMNS);
    page_pad(page, cell_shape(rank, 2).text, SHAPE_COLUMNS);
    page_pad(page, cell_fixed(op.m, 0).text, -ROWS_COLUMNS);
    page_pad(page, cell_share(time.gemm_efficiency).text, -SHARE_COLUMNS);
    page_pad(page, cell_share(time.wave_efficiency).text, -SHARE_COLUMNS);
    page_pad(page, milliseconds(time.gemm_forward_s).text, -TIME_COLUMNS);
    page_pad(page, milliseconds(time.gemm_dgrad_s + time.gemm_wgrad_s).text, -TIME_COLUMNS);
    buffer_puts(page->out, "\n");
}

static void print_products(struct page *page, const struct estimates *all)
{
    const struct estimate *e = all->item[0];
    enum op_id id;
    if (!e->is_computed || !e->is_modelled || e->is_serving)
        return;
    page_heading(page, "Matrix products after partitioning");
    page_prose(page, 0,
               "GEMM: share of the peak that the forward product reaches on this GPU. waves: how full 128 x 256 "
               "tiles keep its multiprocessors, for explanation only. ms: forward; both gradients.");
    page_pad(page, "operator", NAME_COLUMNS);
    page_pad(page, "whole", SHAPE_COLUMNS);
    page_pad(page, "one rank", SHAPE_COLUMNS);
    page_pad(page, "rows", -ROWS_COLUMNS);
    page_pad(page, "GEMM", -SHARE_COLUMNS);
    page_pad(page, "waves", -SHARE_COLUMNS);
    page_pad(page, "fwd ms", -TIME_COLUMNS);
    page_pad(page, "bwd ms", -TIME_COLUMNS);
    buffer_puts(page->out, "\n");
    for (int i = 0; explain_layer_row(e, i, &id); i++)
        print_product(page, e, id);
}

/* ---- what is wrong or worth knowing, and the values that nobody gave -------------------------------------------- */

static void print_finding(struct page *page, const struct diag *diag)
{
    static const enum style styles[] = {
        [DIAG_ERROR] = STYLE_BAD, [DIAG_WARNING] = STYLE_WARN, [DIAG_NOTE] = STYLE_PLAIN};
    char message[DIAG_TEXT_MAX];
    text_clean(finding_text(diag).text, message, sizeof message);
    page_styled(page, styles[diag->level], diag_level_names[diag->level]);
    buffer_printf(page->out, "  %s: %s\n", param_rows[diag->param].dotted, message);
}

/* What was said of the files of a plan while they were read. */
static void print_remarks(struct page *page, const struct errors *remarks)
{
    for (size_t i = 0; remarks && i < remarks->count; i++) {
        bool is_warning = remarks->level[i] > MESSAGE_NOTE;
        page_styled(page, is_warning ? STYLE_WARN : STYLE_PLAIN, is_warning ? "warning" : "note");
        buffer_printf(page->out, "  %s\n", remarks->line[i]);
    }
}

static void print_diagnostics(struct page *page, const struct estimates *all)
{
    const struct errors *remarks = page->options->remarks;
    bool is_read = remarks && remarks->count > 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct diags *diags = &all->item[i]->diags;
        if (diags->count == 0 && (i > 0 || (page->options->section == SECTION_ALL && !is_read)))
            continue;
        if (all->count > 1)
            page_heading(page, "Findings for %s", report_framework(all->item[i]));
        else
            page_heading(page, "Findings");
        for (int k = 0; k < diags->count; k++)
            print_finding(page, &diags->item[k]);
        if (diags->count == 0 && !is_read)
            buffer_puts(page->out, "none\n");
        if (i == 0)
            print_remarks(page, remarks);
    }
}

static void list_from(struct page *page, const struct plan *plan, enum origin from, const char *title)
{
    struct buffer line = {0};
    for (int i = 0; i < PARAM_COUNT; i++) {
        char text[PARAM_TEXT_MAX], clean[PARAM_TEXT_MAX];
        if (plan->from[i] != from || report_is_moot(plan, (enum param)i) ||
            param_print(plan, (enum param)i, text, sizeof text) <= 0)
            continue;
        text_clean(text, clean, sizeof clean);
        buffer_printf(&line, "%s%s=%s", line.size ? " " : "", param_rows[i].dotted, clean);
    }
    if (line.size) {
        buffer_printf(page->out, "%s\n", title);
        page_prose(page, 2, "%s", line.text);
    }
    buffer_free(&line);
}

static void print_assumptions(struct page *page, const struct estimates *all)
{
    const struct plan *plan = &all->item[0]->plan;
    page_heading(page, "Assumed values");
    list_from(page, plan, FROM_ASSUMED, "assumed, because an input leaves them open");
    list_from(page, plan, FROM_DEFAULT, "defaults");
    list_from(page, plan, FROM_DERIVED, "derived from other values");
    list_from(page, plan, FROM_PRESET, "from presets (model, GPU, cluster)");
}

/* ---- what the inputs left open, with what was assumed and how it is answered ------------------------------------ */

/* "num_layers hidden_size ffn_hidden_size +7": the keys without their groups. */
static void put_keys(struct buffer *out, const struct question *question)
{
    enum { SHOWN = 4 };
    for (int k = 0; k < question->count && k < SHOWN; k++) {
        const struct param_row *row = &param_rows[question->decides[k]];
        bool is_name = strcmp(row->key, "name") == 0; /* of a framework, or a model */
        buffer_printf(out, "%s%.*s", k ? " " : "", (int)strcspn(is_name ? row->dotted : row->key, "."),
                      is_name ? row->dotted : row->key);
    }
    if (question->count > SHOWN)
        buffer_printf(out, " +%d", question->count - SHOWN);
}

static void print_question(struct page *page, const struct question *question)
{
    struct buffer line = {0};
    buffer_printf(&line, "%s: ", question->variable);
    put_keys(&line, question);
    if (*question->assumed)
        buffer_printf(&line, ", %s%s %s", question->has_words ? "the branch of " : "", question->assumed,
                      question->is_uncertain ? "taken" : "assumed");
    else
        buffer_puts(&line, ", nothing assumed");
    if (*question->where)
        buffer_printf(&line, " (%s)", question->where);
    buffer_printf(&line, "; answer with %s", question->how);
    if (*question->choices)
        buffer_printf(&line, ", such as %s", question->choices);
    if (question->effect_bytes > 0)
        buffer_printf(&line, " (%s between them)", cell_bytes(question->effect_bytes).text);
    page_prose(page, 2, "%s", line.text);
    buffer_free(&line);
}

/* What the file's author measured, for the eye beside the estimate. */
static void print_figures(struct page *page, const struct estimates *all)
{
    const struct comment_figures *it = page->options->figures;
    (void)all;
    if (!it || it->line == 0)
        return;
    buffer_puts(page->out, "measured, as a comment says: ");
    if (it->bytes > 0)
        buffer_printf(page->out, "%s a GPU", cell_bytes(it->bytes).text);
    if (it->gpus > 0)
        buffer_printf(page->out, " on %.0f GPU%s", it->gpus, it->gpus > 1 ? "s" : "");
    if (it->seconds > 0)
        buffer_printf(page->out, "%s%s an iteration", it->bytes > 0 ? ", " : "", cell_seconds(it->seconds).text);
    buffer_printf(page->out, " (line %d)\n", it->line);
}

static void print_questions(struct page *page, const struct estimates *all)
{
    enum { SHOWN = 5 };
    const struct questions *questions = page->options->questions;
    bool is_whole = page->options->section == SECTION_DIAGNOSTICS;
    int keys = 0, shown;
    (void)all;
    for (int i = 0; questions && i < questions->count; i++)
        keys += questions->item[i].count;
    if (keys == 0)
        return;
    shown = is_whole || questions->count <= SHOWN ? questions->count : SHOWN;
    buffer_printf(page->out, "open: %d question%s decide%s %d setting%s\n", questions->count,
                  questions->count > 1 ? "s" : "", questions->count > 1 ? "" : "s", keys, keys > 1 ? "s" : "");
    for (int i = 0; i < shown; i++)
        print_question(page, &questions->item[i]);
    if (shown < questions->count)
        buffer_printf(page->out, "  and %d more (--section diagnostics)\n", questions->count - shown);
}

/* ---- what one iteration takes ----------------------------------------------------------------------------------- */

void report_spent(struct page *page, const struct estimate *e)
{
    struct spent spent;
    spent_of(e, &spent);
    if (spent.count > 0)
        page_heading(page, "%s", spent.title);
    for (int i = 0; i < spent.count; i++) {
        double s = spent.part[i].seconds;
        if (!spent_is_shown(&spent, i))
            continue;
        page_pad(page, spent.part[i].words, QUANTITY_COLUMNS);
        buffer_printf(page->out, "%16s %10s\n", cell_seconds(s).text, cell_share(s / spent.whole_s).text);
    }
}

static void print_time(struct page *page, const struct estimates *all)
{
    const struct estimate *e = all->item[0];
    if (e->is_serving) {
        report_spent(page, e);
        return;
    }
    page_heading(page, "Time of one iteration");
    if (print_unknown(page, e, &time_quantities))
        return;
    print_quantities(page, e, &time_quantities);
    if (e->symbols.overhead > 0)
        buffer_printf(page->out, "%-*s%16s\n", QUANTITY_COLUMNS, "  host work (hardware.fixed_overhead_ms)",
                      cell_seconds(e->symbols.overhead * 1e-3).text);
    print_quantities(page, e, &speed_quantities);
    if (isfinite(report_step(e, "iteration_s")) && e->stages > 1)
        buffer_printf(page->out, "the slowest stage is stage %d\n", e->binding_stage);
    report_spent(page, e);
}

/* ---- what the whole training takes, and its checkpoints --------------------------------------------------------- */

/* Of what failures cost one line stays where it is not known. */
static void print_spending(struct page *page, const struct estimate *e)
{
    bool is_told = false;
    for (int i = 0; i < training_quantities.count; i++) {
        const struct quantity *row = &training_quantities.row[i];
        enum param lacks = quantity_lacks(row, &e->plan);
        bool is_of_failures =
            row->needs && strcmp(row->needs, param_rows[PARAM_hardware_mtbf_hours_per_gpu].dotted) == 0;
        if (is_of_failures && is_told)
            continue;
        is_told = is_of_failures && isnan(quantity_value(row, e));
        print_quantity(page, e, row, lacks < PARAM_COUNT ? param_rows[lacks].dotted : row->needs);
    }
    if (!param_blank(&e->plan, PARAM_hardware_price_per_gpu_hour))
        page_prose(page, 0, "Priced at %g USD per GPU-hour; the ranges do not cover differences in price.",
                   KEY_OF(&e->plan, hardware, price_per_gpu_hour));
}

static void print_training(struct page *page, const struct estimates *all)
{
    page_heading(page, "The whole training");
    if (!print_unknown(page, all->item[0], &training_quantities))
        print_spending(page, all->item[0]);
}

static void print_checkpoint(struct page *page, const struct estimates *all)
{
    page_heading(page, "Checkpoint");
    if (!print_unknown(page, all->item[0], &checkpoint_quantities))
        print_quantities(page, all->item[0], &checkpoint_quantities);
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

/* The parts of a text report in their order; a section may have several. */
static const struct {
    enum report_section section;
    void (*write)(struct page *page, const struct estimates *all);
} parts[] = {
    {SECTION_SUMMARY, report_summary},          {SECTION_SUMMARY, print_figures},
    {SECTION_SUMMARY, print_questions},
    {SECTION_DIAGNOSTICS, print_diagnostics},
    {SECTION_LAYERS, report_layers},            {SECTION_LAYERS, print_products},
    {SECTION_COMMUNICATION, report_traffic},
    {SECTION_MEMORY, report_memory},            {SECTION_MEMORY, report_timeline},
    {SECTION_GRID, report_grid},
    {SECTION_COMMUNICATION, report_communication}, {SECTION_TIME, print_time},
    {SECTION_TRAINING, print_training},        {SECTION_CHECKPOINT, print_checkpoint},
    {SECTION_SERVING, report_serving},          {SECTION_DIAGNOSTICS, print_assumptions},
};

/* Of a whole report, serving leaves out the parts about training, and training the one about serving. */
static bool has_part(const struct report_options *options, enum report_section section, bool is_serving)
{
    bool is_training = section == SECTION_MEMORY || section == SECTION_COMMUNICATION || section == SECTION_TIME ||
                       section == SECTION_TRAINING || section == SECTION_CHECKPOINT;
    return options->section != SECTION_ALL || !(is_serving ? is_training : section == SECTION_SERVING);
}

static void write_text(struct buffer *out, const struct estimates *all, const struct report_options *options)
{
    struct page page = page_on(out, options);
    if (options->brief) {
        report_summary(&page, all);
        print_figures(&page, all);
        print_questions(&page, all);
        print_diagnostics(&page, all);
        report_brief(&page, all);
        return;
    }
    for (size_t i = 0; i < LENGTH(parts); i++)
        if ((options->section == SECTION_ALL || options->section == parts[i].section) &&
            has_part(options, parts[i].section, all->item[0]->is_serving))
            parts[i].write(&page, all);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static void write_json(struct buffer *out, const struct estimates *all, const struct report_options *options)
{
    enum { LINES = 3 }; /* results, their members, and the members' members stand on lines */
    struct json json = {.out = out, .lines = LINES + (all->count > 1)};
    if (all->count > 1)
        json_open(&json, NULL, '[');
    for (size_t i = 0; i < all->count; i++)
        json_result(&json, NULL, all->item[i], options);
    if (all->count > 1)
        json_close(&json, ']');
    buffer_puts(out, "\n");
}

void report_write(struct buffer *out, const struct estimate *const estimates[], size_t count,
                  const struct report_options *options)
{
    static void (*const write[])(struct buffer *, const struct estimates *, const struct report_options *) = {
        [REPORT_TEXT] = write_text, [REPORT_JSON] = write_json, [REPORT_CSV] = report_tables,
        [REPORT_MARKDOWN] = report_tables};
    const struct estimates all = {estimates, count};
    write[options->format](out, &all, options);
}
