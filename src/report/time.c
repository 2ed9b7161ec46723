/* src/report/time.c - the headline, the findings, and what one iteration and the whole training take. */
#include "core/estimate/estimate.h"
#include "core/plan/framework.h"
#include "core/plan/param.h"
#include "src/report/data.h"
#include "src/report/format.h"
#include "src/report/table.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

enum { QUANTITY_COLUMNS = 46 };

/* ---- unknown numbers ---------------------------------------------------------------------------------------------- */

const char *report_framework(const struct estimate *estimate)
{
    return frameworks[(int)estimate->plan.value[PARAM_framework_name]].name;
}

static const struct diag *first_finding(const struct estimate *e, enum diag_level level)
{
    for (int i = 0; i < e->diags.count; i++)
        if (e->diags.item[i].level == level)
            return &e->diags.item[i];
    return NULL;
}

const char *report_why_unknown(const struct estimate *e, const char *key, char *out, size_t size)
{
    const struct diag *fault = first_finding(e, DIAG_ERROR);
    int id = key ? param_find(key) : -1;
    if (!e->is_computed && fault)
        snprintf(out, size, "%s %s", param_rows[fault->param].dotted, fault->message);
    else if (!e->is_modelled)
        snprintf(out, size, "%s with these settings is not modelled yet (see the findings)", report_framework(e));
    else if (id >= 0 && param_blank(&e->plan, (enum param)id))
        snprintf(out, size, "%s is not known", key);
    else
        snprintf(out, size, "a number that it needs is not known (see the findings)");
    return out;
}

/* ---- headline ----------------------------------------------------------------------------------------------------- */

/* Whether the plan fits, as one clause. */
static enum style describe_fit(const struct estimate *e, struct buffer *out)
{
    char why[200];
    if (!e->is_computed || !isfinite(e->headroom_bytes)) {
        const char *key = isnan(e->usable_bytes) ? "hardware.usable_gib" : NULL;
        buffer_printf(out, "unknown whether it fits: %s", report_why_unknown(e, key, why, sizeof why));
        return STYLE_WARN;
    }
    struct cell need = cell_bytes(e->is_serving ? e->serving.needed_bytes : e->stage[e->peak_stage].device_bytes);
    struct cell usable = cell_bytes(e->is_serving ? e->serving.room_bytes : e->usable_bytes);
    struct cell rest = cell_bytes(fabs(e->headroom_bytes));
    if (e->fits)
        buffer_printf(out, "fits: the fullest GPU (stage %d) needs %s of %s usable, %s left", e->peak_stage, need.text,
                      usable.text, rest.text);
    else
        buffer_printf(out, "does not fit: the fullest GPU (stage %d) needs %s, %s more than the %s usable", e->peak_stage,
                      need.text, rest.text, usable.text);
    return e->fits ? STYLE_GOOD : STYLE_BAD;
}

void report_check(struct buffer *out, const struct estimate *e)
{
    const struct diag *fault = first_finding(e, DIAG_ERROR);
    if (fault) {
        buffer_printf(out, "invalid: %d error%s: %s: %s\n", e->diags.errors, e->diags.errors > 1 ? "s, the first" : "",
                      param_rows[fault->param].dotted, fault->message);
        return;
    }
    describe_fit(e, out);
    buffer_puts(out, "\n");
}

static void print_value(struct buffer *out, const struct plan *plan, enum param id, const char *before, const char *after)
{
    char text[PARAM_TEXT_MAX], clean[PARAM_TEXT_MAX];
    if (param_print(plan, id, text, sizeof text) <= 0)
        return;
    text_clean(text, clean, sizeof clean);
    buffer_printf(out, "%s%s%s", before, clean, after);
}

/* "gpt-6.6b with megatron-2023 on 2 x 8 h100-sxm-80; tp 2, pp 2, ..." */
static void print_plan(struct page *page, const struct estimate *e, bool with_framework)
{
    static const struct {
        enum param id;
        const char *before;
    } sizes[] = {
        {PARAM_parallel_tp, "; tp "}, {PARAM_parallel_pp, ", pp "}, {PARAM_parallel_vpp, ", vpp "},
        {PARAM_parallel_cp, ", cp "},
        {PARAM_parallel_ep, ", ep "}, {PARAM_parallel_dp, ", dp "}, {PARAM_train_seq_length, "; sequence "},
        {PARAM_train_micro_batch_size, ", micro-batch "}, {PARAM_train_global_batch_size, ", global batch "},
        {PARAM_train_dtype, ", "}, {PARAM_train_recompute, ", recompute "}};
    struct buffer line = {0};
    buffer_puts(&line, e->plan.text[TEXT_MODEL][0] ? "" : "a model without a name");
    print_value(&line, &e->plan, PARAM_model_name, "", "");
    if (with_framework)
        buffer_printf(&line, ", %s", report_framework(e));
    print_value(&line, &e->plan, PARAM_hardware_nodes, ", ", " x ");
    print_value(&line, &e->plan, PARAM_hardware_gpus_per_node, "", " ");
    buffer_puts(&line, e->plan.text[TEXT_GPU][0] ? "" : "GPUs");
    print_value(&line, &e->plan, PARAM_hardware_gpu, "", "");
    for (size_t i = 0; i < LENGTH(sizes); i++)
        if (e->plan.value[sizes[i].id] != 1 || sizes[i].id != PARAM_parallel_vpp)
            print_value(&line, &e->plan, sizes[i].id, sizes[i].before, "");
    page_prose(page, 0, "%s", line.text);
    buffer_free(&line);
}

static struct cell speed_of(const struct estimate *e)
{
    return cell_count(report_step(e, "tokens_per_s"));
}

static void print_invalid(struct page *page, const struct estimate *e)
{
    char text[128];
    if (e->diags.errors == 0)
        return;
    snprintf(text, sizeof text, "invalid: %d error%s%s; training would not start, so the numbers only show a tendency",
             e->diags.errors, e->diags.errors > 1 ? "s" : "",
             page->options->section == SECTION_ALL ? " below" : " (see --section diagnostics)");
    page_styled(page, STYLE_BAD, text);
    buffer_puts(page->out, "\n");
}

static void print_one_headline(struct page *page, const struct estimate *e)
{
    struct buffer line = {0};
    char why[200];
    enum style style = describe_fit(e, &line);
    print_invalid(page, e);
    page_styled(page, e->diags.errors > 0 ? STYLE_PLAIN : style, line.text);
    buffer_puts(page->out, "\n");
    if (e->is_serving && isfinite(e->serving.tokens_per_s))
        buffer_printf(page->out, "first token after %s, each further one %s: %s generated tokens/s\n",
                      cell_seconds(e->serving.time_to_first_token_s).text, cell_seconds(e->serving.per_token_s).text,
                      cell_count(e->serving.tokens_per_s).text);
    else if (isfinite(report_step(e, "iteration_s")))
        buffer_printf(page->out, "one iteration takes %s: %s tokens/s, %s tokens/s per GPU, MFU %s\n",
                      cell_seconds(report_step(e, "iteration_s")).text, speed_of(e).text,
                      cell_count(report_step(e, "tokens_per_s_per_gpu")).text, cell_share(report_step(e, "mfu")).text);
    else
        page_prose(page, 0, "time is n/a: %s", report_why_unknown(e, "hardware.peak_tflops", why, sizeof why));
    if (isfinite(e->totals.total))
        buffer_printf(page->out, "the model has %s parameters\n", cell_count(e->totals.total).text);
    buffer_free(&line);
}

static struct cell show_fits(const struct estimate *e)
{
    struct cell cell;
    const char *fit = !isfinite(e->headroom_bytes) ? "n/a" : e->fits ? "yes" : "no";
    snprintf(cell.text, sizeof cell.text, "%s", e->diags.errors > 0 ? "invalid" : fit);
    return cell;
}

static struct cell show_device(const struct estimate *e)
{
    return cell_bytes(e->is_computed ? e->stage[e->peak_stage].device_bytes : NAN);
}

static struct cell show_left(const struct estimate *e)
{
    return cell_bytes(e->headroom_bytes);
}

static struct cell show_iteration(const struct estimate *e)
{
    return cell_seconds(report_step(e, "iteration_s"));
}

static struct cell show_mfu(const struct estimate *e)
{
    return cell_share(report_step(e, "mfu"));
}

/* The headline of several frameworks, one a column. */
static void print_headlines(struct page *page, const struct estimates *all)
{
    static const struct {
        const char *label;
        struct cell (*show)(const struct estimate *e);
    } rows[] = {{"fits", show_fits},         {"fullest GPU", show_device}, {"left", show_left},
                {"iteration", show_iteration}, {"tokens/s", speed_of},     {"MFU", show_mfu}};
    page_pad(page, "", 20);
    for (size_t i = 0; i < all->count; i++)
        page_pad(page, report_framework(all->item[i]), -17);
    buffer_puts(page->out, "\n");
    for (size_t k = 0; k < LENGTH(rows); k++) {
        page_pad(page, rows[k].label, 20);
        for (size_t i = 0; i < all->count; i++)
            page_pad(page, rows[k].show(all->item[i]).text, -17);
        buffer_puts(page->out, "\n");
    }
}

static int count_from(const struct plan *plan, enum origin from)
{
    int count = 0;
    for (int i = 0; i < PARAM_COUNT; i++)
        count += plan->from[i] == from && !param_blank(plan, (enum param)i);
    return count;
}

void report_summary(struct page *page, const struct estimates *all)
{
    const struct estimate *e = all->item[0];
    print_plan(page, e, all->count == 1);
    if (all->count == 1)
        print_one_headline(page, e);
    else
        print_headlines(page, all);
    buffer_printf(page->out, "%d values were not given and are defaults, %d were derived%s\n", count_from(&e->plan, FROM_DEFAULT),
                  count_from(&e->plan, FROM_DERIVED),
                  page->options->section == SECTION_ALL ? "; the end of this report lists them" : "");
    if (all->count > 1)
        page_prose(page, 0, "Sections below that do not name a framework are those of %s.", report_framework(e));
}

/* ---- findings, assumptions ---------------------------------------------------------------------------------------- */

static void print_finding(struct page *page, const struct diag *diag)
{
    static const enum style styles[] = {[DIAG_ERROR] = STYLE_BAD, [DIAG_WARNING] = STYLE_WARN, [DIAG_NOTE] = STYLE_PLAIN};
    char message[DIAG_MESSAGE_MAX];
    text_clean(diag->message, message, sizeof message);
    page_styled(page, styles[diag->level], diag_level_names[diag->level]);
    buffer_printf(page->out, "  %s: %s\n", param_rows[diag->param].dotted, message);
}

void report_diagnostics(struct page *page, const struct estimates *all)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct diags *diags = &all->item[i]->diags;
        if (diags->count == 0 && (page->options->section == SECTION_ALL || i > 0))
            continue;
        if (all->count > 1)
            page_heading(page, "Findings for %s", report_framework(all->item[i]));
        else
            page_heading(page, "Findings");
        for (int k = 0; k < diags->count; k++)
            print_finding(page, &diags->item[k]);
        if (diags->count == 0)
            buffer_puts(page->out, "none\n");
    }
}

static void list_from(struct page *page, const struct plan *plan, enum origin from, const char *title)
{
    struct buffer line = {0};
    bool is_training = plan->value[PARAM_plan_workload] == WORKLOAD_TRAIN;
    for (int i = 0; i < PARAM_COUNT; i++) {
        char text[PARAM_TEXT_MAX], clean[PARAM_TEXT_MAX];
        bool is_moot = is_training && param_rows[i].group_id == GROUP_serve;
        if (plan->from[i] != from || is_moot || param_print(plan, (enum param)i, text, sizeof text) <= 0)
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

void report_assumptions(struct page *page, const struct estimates *all)
{
    const struct plan *plan = &all->item[0]->plan;
    page_heading(page, "Values that nobody gave");
    list_from(page, plan, FROM_DEFAULT, "defaults");
    list_from(page, plan, FROM_DERIVED, "derived from other values");
    list_from(page, plan, FROM_PRESET, "from presets (model, GPU, cluster)");
}

/* ---- quantities of core/estimate/timing.def -------------------------------------------------------------------------------- */

/** A line of a list of quantities: value, and which key is missing when it is unknown. */
struct quantity {
    const char *label, *term;
    struct cell (*show)(double value);
    const char *unit, *needs;
    int share; /* 1: a part of the iteration, its share beside the value; left out when 0 */
};

static struct cell show_number(double value)
{
    return cell_fixed(value, fabs(value) < 100 ? 2 : 0);
}

static struct cell show_count(double value)
{
    return cell_count(value);
}

/* A sum over the whole training; one of a few steps is small. */
static struct cell show_sum(double value)
{
    return fabs(value) < 0.0995 && value != 0 ? cell_fixed(value, 4) : fabs(value) < 99.95 ? cell_fixed(value, 2) : cell_count(value);
}

static void print_quantity(struct page *page, const struct estimate *e, const struct quantity *quantity)
{
    double value = report_step(e, quantity->term), whole = report_step(e, "iteration_s");
    char text[96], why[200];
    if (quantity->share && value == 0)
        return;
    snprintf(text, sizeof text, "%s%s%s", quantity->show(value).text, quantity->unit[0] ? " " : "", quantity->unit);
    page_pad(page, quantity->label, QUANTITY_COLUMNS);
    if (!isfinite(value))
        buffer_printf(page->out, "%16s: %s\n", "n/a", report_why_unknown(e, quantity->needs, why, sizeof why));
    else if (quantity->share)
        buffer_printf(page->out, "%16s %10s\n", text, cell_share(value / whole).text);
    else
        buffer_printf(page->out, "%16s\n", text);
}

/* One line for a list of which nothing is known. */
static bool print_unknown(struct page *page, const struct estimate *e, const struct quantity *list, size_t count)
{
    char why[200];
    for (size_t i = 0; i < count; i++)
        if (isfinite(report_step(e, list[i].term)))
            return false;
    page_prose(page, 0, "n/a: %s", report_why_unknown(e, list[0].needs, why, sizeof why));
    return true;
}

static void print_quantities(struct page *page, const struct estimate *e, const struct quantity *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        print_quantity(page, e, &list[i]);
}

static const char peak_key[] = "hardware.peak_tflops";

/* Together with hardware.fixed_overhead_ms these make up the first. */
static const struct quantity time_list[] = {
    {"iteration", "iteration_s", cell_seconds, "", peak_key, 0},
    {"  computing on the slowest stage", "compute_s", cell_seconds, "", peak_key, 1},
    {"  pipeline bubble", "bubble_s", cell_seconds, "", peak_key, 1},
    {"  tensor-parallel traffic not hidden", "tp_exposed_s", cell_seconds, "", peak_key, 1},
    {"  context-parallel traffic not hidden", "cp_exposed_s", cell_seconds, "", peak_key, 1},
    {"  expert-parallel traffic not hidden", "ep_exposed_s", cell_seconds, "", peak_key, 1},
    {"  pipeline messages not hidden", "pp_exposed_s", cell_seconds, "", peak_key, 1},
    {"  gradient and weight exchange not hidden", "dp_exposed_s", cell_seconds, "", peak_key, 1},
    {"  optimizer step", "optimizer_s", cell_seconds, "", "hardware.memory_gb_s", 1},
};

static const struct quantity speed_list[] = {
    {"tokens/s", "tokens_per_s", show_count, "", peak_key, 0},
    {"tokens/s per GPU", "tokens_per_s_per_gpu", show_count, "", peak_key, 0},
    {"model operations per GPU", "model_tflops_per_gpu", show_number, "TFLOP/s", peak_key, 0},
    {"operations done per GPU, recomputed included", "hardware_tflops_per_gpu", show_number, "TFLOP/s", peak_key, 0},
    {"MFU (model operations over the peak)", "mfu", cell_share, "", peak_key, 0},
    {"HFU (operations done over the peak)", "hfu", cell_share, "", peak_key, 0},
    {"MFU with causal attention counted half", "mfu_causal", cell_share, "", peak_key, 0},
    {"HFU with causal attention counted half", "hfu_causal", cell_share, "", peak_key, 0},
    {"operations per GPU by BigScience's formula", "bigscience_tflops", show_number, "TFLOP/s", peak_key, 0},
    {"the same by its older formula, layers only", "bigscience_layers_tflops", show_number, "TFLOP/s", peak_key, 0},
    {"the same by its first formula, model size", "bigscience_size_tflops", show_number, "TFLOP/s", peak_key, 0},
};

static const struct quantity training_list[] = {
    {"iterations", "iterations", show_count, "", "train.total_tokens", 0},
    {"wall time", "seconds", cell_seconds, "", "train.total_tokens", 0},
    {"GPU hours", "gpu_hours", show_sum, "h", "train.total_tokens", 0},
    {"rent of the GPUs", "cost", show_sum, "USD", "hardware.price_per_gpu_hour", 0},
    {"energy of the GPUs at their rated power", "kwh", show_sum, "kWh", "hardware.watts", 0},
};

static const struct quantity checkpoint_list[] = {
    {"weights", "weights_bytes", cell_bytes, "", NULL, 0},
    {"optimizer states", "checkpoint_optimizer_bytes", cell_bytes, "", NULL, 0},
    {"checkpoint", "total_bytes", cell_bytes, "", NULL, 0},
    {"writing it", "write_s", cell_seconds, "", "hardware.storage_gb_s", 0},
};

void report_time(struct page *page, const struct estimates *all)
{
    const struct estimate *e = all->item[0];
    page_heading(page, "Time of one iteration");
    if (print_unknown(page, e, time_list, LENGTH(time_list)))
        return;
    print_quantities(page, e, time_list, LENGTH(time_list));
    if (e->symbols.overhead > 0)
        buffer_printf(page->out, "%-*s%16s\n", QUANTITY_COLUMNS, "  host work (hardware.fixed_overhead_ms)",
                      cell_seconds(e->symbols.overhead * 1e-3).text);
    print_quantities(page, e, speed_list, LENGTH(speed_list));
    if (isfinite(report_step(e, "iteration_s")) && e->stages > 1)
        buffer_printf(page->out, "the slowest stage is stage %d\n", e->binding_stage);
}

/* A quantity of the training lacks the number of tokens before it lacks anything else. */
static void print_training(struct page *page, const struct estimate *e)
{
    for (size_t i = 0; i < LENGTH(training_list); i++) {
        struct quantity quantity = training_list[i];
        if (param_blank(&e->plan, PARAM_train_total_tokens))
            quantity.needs = "train.total_tokens";
        print_quantity(page, e, &quantity);
    }
}

void report_training(struct page *page, const struct estimates *all)
{
    page_heading(page, "The whole training");
    if (!print_unknown(page, all->item[0], training_list, LENGTH(training_list)))
        print_training(page, all->item[0]);
}

void report_checkpoint(struct page *page, const struct estimates *all)
{
    page_heading(page, "Checkpoint");
    if (!print_unknown(page, all->item[0], checkpoint_list, LENGTH(checkpoint_list)))
        print_quantities(page, all->item[0], checkpoint_list, LENGTH(checkpoint_list));
}

/* ---- tables ------------------------------------------------------------------------------------------------------- */

/* A number and its unit; bytes are whole. */
static void add_number(struct table *table, double value, const char *unit)
{
    table_number(table, strcmp(unit, "bytes") == 0 ? round(value) : value);
    table_text(table, unit);
}

static void add_quantities(struct table *table, const struct estimate *e, const struct quantity *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct term *term = term_find(step_terms, step_term_count, list[i].term, strlen(list[i].term));
        table_text(table, list[i].term);
        add_number(table, report_step(e, list[i].term), term ? term->unit : "");
        table_text(table, term ? term->label : "");
    }
}

void report_table_time(struct table *table, const struct estimate *e)
{
    add_quantities(table, e, time_list, LENGTH(time_list));
    add_quantities(table, e, speed_list, LENGTH(speed_list));
}

void report_table_training(struct table *table, const struct estimate *e)
{
    add_quantities(table, e, training_list, LENGTH(training_list));
}

void report_table_checkpoint(struct table *table, const struct estimate *e)
{
    add_quantities(table, e, checkpoint_list, LENGTH(checkpoint_list));
}

void report_table_diagnostics(struct table *table, const struct estimate *e)
{
    for (int i = 0; i < e->diags.count; i++) {
        const struct diag *diag = &e->diags.item[i];
        char message[DIAG_MESSAGE_MAX];
        text_clean(diag->message, message, sizeof message);
        table_text(table, diag_level_names[diag->level]);
        table_text(table, param_rows[diag->param].dotted);
        table_text(table, diag->rule);
        table_text(table, message);
    }
}

static void add_fact(struct table *table, const char *name, double value, const char *unit)
{
    table_text(table, name);
    add_number(table, value, unit);
}

void report_table_summary(struct table *table, const struct estimate *e)
{
    bool is_known = isfinite(e->headroom_bytes);
    add_fact(table, "fits", is_known ? e->fits : NAN, "");
    add_fact(table, "peak_device_bytes", is_known ? e->stage[e->peak_stage].device_bytes : NAN, "bytes");
    add_fact(table, "usable_bytes", e->usable_bytes, "bytes");
    add_fact(table, "headroom_bytes", e->headroom_bytes, "bytes");
    add_fact(table, "iteration_s", report_step(e, "iteration_s"), "s");
    add_fact(table, "tokens_per_s", report_step(e, "tokens_per_s"), "tokens/s");
    add_fact(table, "mfu", report_step(e, "mfu"), "");
    add_fact(table, "parameters", e->totals.total, "elements");
    add_fact(table, "parameters_unpadded", e->totals.unpadded, "elements");
    add_fact(table, "parameters_active", e->totals.active, "elements");
}
