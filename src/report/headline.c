/* src/report/headline.c - what stands first: the plan in one line, whether it fits, how fast it is. */
#include "core/base.h"
#include "core/estimate/range.h"
#include "core/plan/param.h"
#include "core/plan/question.h"
#include "src/report/data.h"
#include "src/report/format.h"
#include "src/report/quantity.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GPU_TEXT = PARAM_TEXT_MAX + 8 };

/* ---- text ------------------------------------------------------------------------------------------------------- */

/* "because tp, pp were assumed: ": the keys that the verdict depends on; "" if none. */
static void put_assumed(const struct estimate *e, double sure, struct buffer *out)
{
    enum { SHOWN = 3 };
    int count = 0;
    for (const enum param *key = question_decisive; *key != PARAM_COUNT; key++)
        if (range_hangs_on(e, *key, sure) && count++ < SHOWN)
            buffer_printf(out, "%s%s", count > 1 ? ", " : "not known whether it fits, because ",
                          *key == PARAM_framework_name   ? "framework"
                          : *key == PARAM_hardware_nodes ? "number of GPUs"
                                                         : param_rows[*key].key);
    if (count > SHOWN)
        buffer_printf(out, " and %d more", count - SHOWN);
    if (count > 0)
        buffer_printf(out, " %s assumed: ", count > 1 ? "were" : "was");
}

/* The verdict in words; of an invalid plan, whether the estimate would fit. */
static enum style describe_verdict(const struct estimate *e, double sure, struct buffer *out)
{
    static const enum style styles[] = {
        [VERDICT_FITS] = STYLE_GOOD, [VERDICT_TIGHT] = STYLE_WARN, [VERDICT_NO] = STYLE_BAD};
    enum verdict verdict = range_verdict_at(e, sure);
    size_t begun = out->size;
    put_assumed(e, sure, out);
    if (out->size > begun)
        return STYLE_WARN;
    if (verdict == VERDICT_UNKNOWN && e->headroom_bytes < 0 && range_hangs_on_length(e)) {
        buffer_printf(out, "not known whether it fits, because samples may be shorter than %.0f tokens: ",
                      e->plan.value[PARAM_train_seq_length]);
        return STYLE_WARN;
    }
    if (verdict == VERDICT_UNKNOWN)
        verdict = e->fits ? VERDICT_FITS : VERDICT_NO;
    const char *word = verdict == VERDICT_FITS ? "fits" : verdict == VERDICT_NO ? "does not fit" : "tight";
    if (range_verdict(e) == VERDICT_TIGHT && isfinite(range_fit_probability(e)))
        buffer_printf(out, "%s %.0f %%: ", word, 100 * range_fit_probability(e));
    else
        buffer_printf(out, "%s: ", word);
    return styles[verdict];
}

/* The GPU's name behind `before`; "" for one without a name. */
static const char *name_gpu(const struct estimate *e, const char *before, char out[GPU_TEXT])
{
    char name[PARAM_TEXT_MAX], clean[PARAM_TEXT_MAX];
    *out = '\0';
    if (param_print(&e->plan, PARAM_hardware_gpu, name, sizeof name) <= 0)
        return out;
    text_clean(name, clean, sizeof clean);
    snprintf(out, GPU_TEXT, "%s%s", before, clean);
    return out;
}

const enum param report_rests_on[] = {PARAM_hardware_gpu, PARAM_hardware_nodes, PARAM_train_seq_length,
                                      PARAM_model_vocab_size, PARAM_COUNT};

bool report_is_assumed(const struct estimate *e, enum param key)
{
    const uint8_t *from = e->plan.from;
    if (key == PARAM_train_seq_length)
        return from[key] <= FROM_DERIVED && !e->is_serving;
    if (key == PARAM_hardware_gpu && !e->plan.text[TEXT_GPU][0])
        return false;
    return from[key] <= FROM_ASSUMED &&
           (key != PARAM_hardware_nodes || from[key] == FROM_ASSUMED ||
            from[PARAM_hardware_gpus_per_node] <= FROM_PRESET);
}

void report_not_given(const struct estimate *e, struct buffer *out)
{
    const double *value = e->plan.value, gpus = value[PARAM_hardware_nodes] * value[PARAM_hardware_gpus_per_node];
    const char *before = " (assumed: ";
    char gpu[GPU_TEXT];
    for (const enum param *key = report_rests_on; *key != PARAM_COUNT; key++) {
        if (!report_is_assumed(e, *key))
            continue;
        if (*key == PARAM_hardware_gpu)
            buffer_printf(out, "%s%s", before, name_gpu(e, "", gpu));
        else if (*key == PARAM_hardware_nodes)
            buffer_printf(out, "%s%.0f GPU%s", before, gpus, gpus == 1 ? "" : "s");
        else
            buffer_printf(out, "%s%s %.0f", before, *key == PARAM_train_seq_length ? "sequence" : "vocabulary",
                          value[*key]);
        before = ", ";
    }
    buffer_puts(out, *before == ',' ? ")" : "");
}

/* Why it is not sure whether training fits: what is left or missing is within the error, and what makes that large. */
static void put_tight(const struct estimate *e, struct buffer *out)
{
    const struct range_row *why = range_far(e);
    if (range_verdict(e) != VERDICT_TIGHT || e->is_serving || !e->host_fits)
        return;
    buffer_puts(out, ", within the error of the estimate");
    if (why)
        buffer_printf(out, ": %s", why->label);
}

/* Whether the plan fits, as one clause. */
static enum style describe_fit(const struct estimate *e, double sure, struct buffer *out)
{
    char why[200];
    if (!e->is_computed || !isfinite(e->headroom_bytes)) {
        const char *key = isnan(e->usable_bytes) ? "hardware.usable_gib" : NULL;
        buffer_printf(out, "unknown whether it fits: %s", report_why_unknown(e, key, why, sizeof why));
        return STYLE_WARN;
    }
    enum style style = describe_verdict(e, sure, out);
    double needed = e->is_serving ? e->serving.needed_bytes : e->stage[e->peak_stage].device_bytes;
    struct cell usable = cell_bytes(e->is_serving ? e->serving.room_bytes : e->usable_bytes);
    struct cell rest = cell_bytes(fabs(e->headroom_bytes)), range = {""};
    struct memory_range of;
    if (!e->is_serving) {
        range_memory(e, e->peak_stage, &of);
        range = cell_range(FIGURE_BYTES, needed, of.device_low, of.device_high);
    }
    char gpu[GPU_TEXT];
    name_gpu(e, " on ", gpu);
    char starts[SERVING_TEXT];
    if (e->is_rl) {
        report_rl_fit(e, out);
        report_not_given(e, out);
        return style;
    }
    if (e->is_serving && serving_why(&e->serving) > SERVING_UNKNOWN)
        buffer_printf(out, "the server does not start: %s", report_serving_why(e, starts));
    else if (e->is_serving && e->serving.has_engine > 0 && serving_why(&e->serving) == SERVING_UNKNOWN)
        buffer_printf(out, "whether the server starts is %s", report_serving_why(e, starts));
    else if (!e->host_fits)
        buffer_puts(out, "offloaded data exceeds the host memory of a node");
    else if (e->headroom_bytes >= 0)
        buffer_printf(out, "the fullest GPU (stage %d) needs %s%s of %s usable%s, %s left", e->peak_stage,
                      cell_bytes(needed).text, range.text, usable.text, gpu, rest.text);
    else
        buffer_printf(out, "the fullest GPU (stage %d) needs %s%s, %s more than the %s usable%s", e->peak_stage,
                      cell_bytes(needed).text, range.text, rest.text, usable.text, gpu);
    put_tight(e, out);
    report_not_given(e, out);
    return style;
}

enum verdict check_verdict(const struct check *check)
{
    return check->open ? VERDICT_UNKNOWN : range_verdict_at(check->estimate, check->sure);
}

bool report_is_incomplete(const struct estimate *e)
{
    int missing = 0;
    for (int i = 0; i < e->diags.errors && i < e->diags.count; i++)
        missing += e->diags.item[i].is_missing;
    return e->diags.errors > 0 && missing == e->diags.errors;
}

bool check_is_open(const struct check *check)
{
    const struct estimate *e = check->estimate;
    const struct diag *fault = report_first_error(e);
    bool is_guess = fault && (e->plan.from[fault->param] == FROM_ASSUMED ||
                              question_is_decisive(&e->plan, -1, false)); /* the assumption may be wrong */
    return check->is_foreign && (is_guess || report_is_incomplete(e));
}

static void put_check(struct buffer *out, const struct check *check)
{
    const struct estimate *e = check->estimate;
    const struct diag *fault = report_first_error(e);
    if (check_is_open(check))
        buffer_printf(out, "unknown whether it fits: %s %s", param_rows[fault->param].dotted, finding_text(fault).text);
    else if (fault)
        buffer_printf(out, "invalid: %d error%s: %s: %s", e->diags.errors, e->diags.errors > 1 ? "s, the first" : "",
                      param_rows[fault->param].dotted, finding_text(fault).text);
    else if (check->open)
        buffer_printf(out, "unknown whether it fits: %s is open, and --strict accepts no assumption", check->open);
    else
        describe_fit(e, check->sure, out);
    if (!fault && check->sure != verdict_fits && (e->is_serving || e->is_rl))
        buffer_puts(out, "; --sure has no effect: this verdict has no probability");
    buffer_puts(out, "\n");
}

void report_check(struct buffer *out, const struct estimate *e)
{
    put_check(out, &(struct check){.estimate = e, .sure = verdict_fits});
}

void report_named_check(struct buffer *out, const struct check *check)
{
    char name[2 * PARAM_TEXT_MAX];
    text_clean(check->name, name, sizeof name);
    buffer_puts(out, name);
    if (check->framework)
        buffer_printf(out, " (%s)", check->framework);
    buffer_puts(out, ": ");
    put_check(out, check);
}

static void print_value(struct buffer *out, const struct plan *plan, enum param id, const char *before,
                        const char *after)
{
    char text[PARAM_TEXT_MAX], clean[PARAM_TEXT_MAX];
    if (param_print(plan, id, text, sizeof text) <= 0)
        return;
    text_clean(text, clean, sizeof clean);
    buffer_printf(out, "%s%s%s", before, clean, after);
}

/* Says that the length is not what the model can take but what training usually starts from. */
static void print_if_shortened(struct buffer *out, const struct plan *plan)
{
    bool is_given = plan->from[PARAM_train_seq_length] != FROM_DERIVED;
    if (!is_given && plan->value[PARAM_train_seq_length] < plan->value[PARAM_model_max_position_embeddings])
        print_value(out, plan, PARAM_model_max_position_embeddings, " (not given; the model takes ", ")");
}

/* A key of the first line, and the words in front of its value. */
struct size {
    enum param id;
    const char *before;
};

static const struct size trained[] = {
    {PARAM_parallel_tp, "; tp "}, {PARAM_parallel_pp, ", pp "}, {PARAM_parallel_vpp, ", vpp "},
    {PARAM_parallel_cp, ", cp "}, {PARAM_parallel_ep, ", ep "}, {PARAM_parallel_dp, ", dp "},
    {PARAM_train_seq_length, "; sequence "}, {PARAM_train_micro_batch_size, ", micro-batch "},
    {PARAM_train_global_batch_size, ", global batch "}, {PARAM_train_dtype, ", "},
    {PARAM_train_recompute, ", recompute "}, {PARAM_COUNT, NULL}};

static const struct size served[] = {
    {PARAM_parallel_tp, "; tp "}, {PARAM_parallel_pp, ", pp "}, {PARAM_parallel_ep, ", ep "},
    {PARAM_parallel_dp, ", dp "}, {PARAM_serve_batch_size, "; requests at once: "},
    {PARAM_serve_prompt_tokens, ", prompt "}, {PARAM_serve_generate_tokens, ", answer "},
    {PARAM_serve_weight_dtype, ", weights "}, {PARAM_serve_kv_dtype, ", cache "}, {PARAM_COUNT, NULL}};

static void print_program(struct buffer *out, const struct estimate *e)
{
    if (!e->is_serving)
        buffer_printf(out, ", %s", report_framework(e));
    else if (e->serving.has_engine > 0)
        print_value(out, &e->plan, PARAM_serve_engine, ", ", "");
}

/* "gpt-6.6b, megatron-2023, 2 x 8 h100-sxm-80; tp 2, pp 2, ..." */
static void print_plan(struct page *page, const struct estimate *e, bool with_program)
{
    struct buffer line = {0};
    buffer_puts(&line, e->plan.text[TEXT_MODEL][0]                    ? ""
                       : isnan(e->plan.value[PARAM_model_num_layers]) ? "no model"
                                                                      : "a model without a name");
    print_value(&line, &e->plan, PARAM_model_name, "", "");
    if (with_program)
        print_program(&line, e);
    print_value(&line, &e->plan, PARAM_hardware_nodes, ", ", " x ");
    print_value(&line, &e->plan, PARAM_hardware_gpus_per_node, "", " ");
    buffer_puts(&line, e->plan.text[TEXT_GPU][0] ? "" : "GPUs");
    print_value(&line, &e->plan, PARAM_hardware_gpu, "", "");
    for (const struct size *size = e->is_serving ? served : trained; size->before; size++) {
        if (e->plan.value[size->id] != 1 || size->id != PARAM_parallel_vpp)
            print_value(&line, &e->plan, size->id, size->before, "");
        if (size->id == PARAM_train_seq_length)
            print_if_shortened(&line, &e->plan);
    }
    page_prose(page, 0, "%s", line.text);
    buffer_free(&line);
}

static struct cell speed_of(const struct estimate *e)
{
    return cell_count(report_step(e, "tokens_per_s"));
}

/* Stands behind a value that an audit doubts. */
static const char *mark_of(const struct estimate *e, const char *path)
{
    return finding_doubts(&e->diags, path) ? "!" : "";
}

/* Errors are of the plan; values that nobody gave are none. */
static void print_invalid(struct page *page, const struct estimate *e)
{
    char text[128];
    int errors = e->diags.errors;
    const char *where = page->options->section == SECTION_ALL ? " below" : " (see --section diagnostics)";
    if (errors == 0)
        return;
    if (report_is_incomplete(e))
        snprintf(text, sizeof text, "incomplete: %d value%s not given%s", errors, errors > 1 ? "s are" : " is",
                 page->options->section == SECTION_ALL ? ", as listed below" : where);
    else
        snprintf(text, sizeof text,
                 "invalid: %d error%s%s; training would not start, so the numbers only show a tendency", errors,
                 errors > 1 ? "s" : "", where);
    page_styled(page, STYLE_BAD, text);
    buffer_puts(page->out, "\n");
}

/* "qlora r16 on q,k,v,o trains 13,631,488 of 7,255,363,584 parameters (0.19%)": of all, adapters included. */
static void print_trained(struct buffer *out, const struct estimate *e)
{
    char method[PARAM_TEXT_MAX], targets[PARAM_TEXT_MAX], base[PARAM_TEXT_MAX];
    param_print(&e->plan, PARAM_train_peft, method, sizeof method);
    param_print(&e->plan, PARAM_train_lora_targets, targets, sizeof targets);
    param_print(&e->plan, PARAM_train_quant_dtype, base, sizeof base);
    double all = e->totals.trainable + e->totals.frozen;
    if (e->totals.adapters > 0)
        buffer_printf(out, "\n%s r%.0f on %.*s trains ", method, e->symbols.r, (int)strcspn(targets + 1, "]"),
                      targets + 1);
    else
        buffer_puts(out, "\ntraining changes ");
    buffer_printf(out, "%s of %s parameters (%s%%)", cell_count(e->totals.trainable).text, cell_count(all).text,
                  cell_fixed(100 * e->totals.trainable / all, 2).text);
    if (e->totals.quantised > 0)
        buffer_printf(out, ", the base in %s", base);
}

/* " (37.1% with causal attention)" behind the MFU that counts attention in full. */
static struct cell causal_share(const struct estimate *e)
{
    struct cell out = {.text = ""};
    if (estimate_counts_causal(e))
        snprintf(out.text, sizeof out.text, " (%.20s causal)", cell_share(report_step(e, "mfu_causal")).text);
    return out;
}

static void print_one_headline(struct page *page, const struct estimate *e)
{
    struct buffer line = {0};
    char why[200];
    enum style style = describe_fit(e, verdict_fits, &line);
    print_invalid(page, e);
    page_styled(page, e->diags.errors > 0 ? STYLE_PLAIN : style, line.text);
    buffer_puts(page->out, "\n");
    if (e->is_serving && isfinite(e->serving.tokens_per_s))
        buffer_printf(page->out, "first token after %s, each further one %s: %s generated tokens/s\n",
                      cell_seconds(e->serving.time_to_first_token_s).text, cell_seconds(e->serving.per_token_s).text,
                      cell_count(e->serving.tokens_per_s).text);
    else if (isfinite(report_step(e, "iteration_s")))
        buffer_printf(page->out, "one %s takes %s%s%s: %s tokens/s, %s tokens/s per GPU, MFU %s%s%s\n",
                      e->is_rl ? "training step" : "iteration", cell_seconds(report_step(e, "iteration_s")).text,
                      mark_of(e, "time.iteration_s"),
                      cell_time_range(e, FIGURE_SECONDS, report_step(e, "iteration_s"), 1).text, speed_of(e).text,
                      cell_count(report_step(e, "tokens_per_s_per_gpu")).text, cell_share(report_step(e, "mfu")).text,
                      mark_of(e, "time.mfu"), causal_share(e).text);
    else
        page_prose(page, 0, "time is n/a: %s", report_why_unknown(e, "hardware.peak_tflops", why, sizeof why));
    if (e->is_rl)
        report_rl(page, e);
    if (isfinite(e->totals.total))
        buffer_printf(page->out, "the model has %s parameters", cell_count(e->totals.total).text);
    if (e->totals.mtp > 0)
        buffer_printf(page->out, ", %s of them for multi-token prediction", cell_count(e->totals.mtp).text);
    if (e->totals.frozen > 0)
        print_trained(page->out, e);
    if (isfinite(e->totals.total))
        buffer_puts(page->out, "\n");
    buffer_free(&line);
}

static struct cell show_fits(const struct estimate *e)
{
    struct cell cell;
    enum verdict verdict = range_verdict(e);
    if (verdict == VERDICT_TIGHT)
        snprintf(cell.text, sizeof cell.text, "tight %.0f %%", 100 * range_fit_probability(e));
    else
        snprintf(cell.text, sizeof cell.text, "%s", e->diags.errors > 0 ? "invalid" : verdict_names[verdict]);
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

static struct cell show_causal(const struct estimate *e)
{
    return cell_share(report_step(e, "mfu_causal"));
}

/* The headline of several frameworks, one a column. */
static void print_headlines(struct page *page, const struct estimates *all)
{
    static const struct {
        const char *label;
        struct cell (*show)(const struct estimate *e);
    } rows[] = {{"fits", show_fits},         {"fullest GPU", show_device}, {"left", show_left},
                {"iteration", show_iteration}, {"tokens/s", speed_of},     {"MFU", show_mfu},
                {"MFU, causal", show_causal}};
    size_t count = LENGTH(rows) - !(all->count > 0 && estimate_counts_causal(all->item[0]));
    page_pad(page, "", 20);
    for (size_t i = 0; i < all->count; i++)
        page_pad(page, report_framework(all->item[i]), -17);
    buffer_puts(page->out, "\n");
    for (size_t k = 0; k < count; k++) {
        page_pad(page, rows[k].label, 20);
        for (size_t i = 0; i < all->count; i++)
            page_pad(page, rows[k].show(all->item[i]).text, -17);
        buffer_puts(page->out, "\n");
    }
}

bool report_is_moot(const struct plan *plan, enum param key)
{
    enum workload workload = (enum workload)plan->value[PARAM_plan_workload];
    enum param_group group = param_rows[key].group_id;
    return (group == GROUP_serve && workload != WORKLOAD_INFERENCE) || (group == GROUP_rl && workload != WORKLOAD_RL);
}

static int count_from(const struct plan *plan, enum origin from)
{
    int count = 0;
    for (int i = 0; i < PARAM_COUNT; i++)
        count += plan->from[i] == from && !report_is_moot(plan, (enum param)i) && !param_blank(plan, (enum param)i);
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
    buffer_printf(page->out, "%d values were not given and are defaults, %d were derived%s\n",
                  count_from(&e->plan, FROM_DEFAULT), count_from(&e->plan, FROM_DERIVED),
                  page->options->brief                       ? "; --full lists them"
                  : page->options->section == SECTION_ALL ? "; the end of this report lists them"
                                                          : "");
    if (all->count > 1)
        page_prose(page, 0, "Sections below that do not name a framework are those of %s.", report_framework(e));
}
