#include "src/export/export.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/plan/split.h"
#include "src/export/common.h"
#include "src/import/import.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/splice.h"
#include "src/text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const export_names[] = {"megatron", "nanotron", "deepspeed", "hf", "torchtitan", "megatron-bridge",
                                    "llama-factory", "axolotl", "trl", "vllm", "sglang", "trtllm", NULL};

static const struct export_format *const known_formats[] = {
    &megatron_format, &nanotron_format, &deepspeed_format, &hf_format, &titan_export, &bridge_export,
    &llama_factory_export, &axolotl_export, &trl_export, &vllm_format, &sglang_format, &trtllm_format};

const struct export_format *export_find(const char *name)
{
    for (int i = 0; export_names[i]; i++)
        if (strcmp(export_names[i], name) == 0)
            return known_formats[i];
    return NULL;
}

bool export_holds_run(enum param key)
{
    return param_rows[key].group_id <= GROUP_framework;
}

/* Adds a fault for each key that is not known; returns 0 when all are. */
static int check_needed(const struct plan *resolved, const enum param *key, struct errors *notes)
{
    size_t faults = notes->faults;
    for (; *key != PARAM_COUNT; key++)
        if (isnan(resolved->value[*key]))
            errors_add(notes, NULL, 0, param_rows[*key].dotted, "unknown, but the format needs it; set it");
    return notes->faults > faults ? -1 : 0;
}

/* True when the user or a file gave this key. */
static bool is_given(const struct plan *plan, enum param key)
{
    return !param_blank(plan, key) && plan->from[key] >= FROM_PRESET;
}

/* ---- reading it again ------------------------------------------------------------------------------------------- */

/* The plan with the keys that the format holds blanked. */
static void blank_held(const struct export_format *format, const struct plan *resolved, struct plan *out)
{
    *out = *resolved;
    for (int i = 0; i < PARAM_COUNT; i++)
        if (format->holds((enum param)i))
            out->value[i] = NAN;
    if (format->holds(PARAM_model_layer_pattern))
        out->pattern = (struct layer_pattern){0};
    if (format->holds(PARAM_parallel_pipeline_layout))
        out->layout.chunks = 0;
}

static bool is_same_split(const struct plan *a, const struct plan *b)
{
    struct split split[2];
    enum split_fit fit = split_layers(a, &split[0]);
    if (fit != split_layers(b, &split[1]))
        return false;
    int slots = split[0].stages * split[0].chunks;
    return fit == SPLIT_NONE || (split[0].stages == split[1].stages && split[0].chunks == split[1].chunks &&
                                 memcmp(split[0].layers, split[1].layers, (size_t)slots * sizeof(short)) == 0);
}

static bool is_other(double a, double b)
{
    return a != b && !(isnan(a) && isnan(b));
}

static bool differs(const struct plan *a, const struct plan *b, enum param key)
{
    if (param_rows[key].type == TYPE_NAME)
        return false; /* a label */
    if (param_rows[key].type == TYPE_LAYOUT)
        return !is_same_split(a, b);
    if (param_rows[key].type == TYPE_PATTERN)
        return !param_equal(a, b, key);
    return is_other(a->value[key], b->value[key]);
}

/*
 * Reads `text` again over the keys that the format does not hold; `again` gets the plan, blanks as they are. Returns 0,
 * -1 when the text cannot be read.
 */
static int read_again(const struct export_format *format, const struct plan *resolved, const struct buffer *text,
                      struct plan *again)
{
    struct plan base;
    struct errors errors = {0};
    blank_held(format, resolved, &base);
    *again = base;
    struct import import = {.base = &base};
    int result = recognise_read(format->kind, text->text, text->size, "export", &import, &errors);
    if (result == 0)
        result = plan_apply_import(again, &import, NULL, FROM_FILE, &errors);
    import_free(&import);
    errors_free(&errors);
    for (int i = 0; i < PARAM_COUNT; i++)
        if (!format->holds((enum param)i))
            param_copy(again, resolved, (enum param)i, (enum origin)resolved->from[i]);
    return result;
}

int export_count_lost(const struct export_format *format, const struct plan *resolved, const struct buffer *text)
{
    struct plan again, meant;
    int count = 0;
    if (read_again(format, resolved, text, &again) != 0)
        return -1;
    plan_resolve(&again, &meant);
    for (int i = 0; i < PARAM_COUNT; i++)
        count += format->holds((enum param)i) && differs(resolved, &meant, (enum param)i);
    return count;
}

/* ---- what is missing -------------------------------------------------------------------------------------------- */

/* True when the estimates differ in sizes or time. */
static bool is_other_estimate(const struct estimate *a, const struct estimate *b)
{
    bool is = a->stages != b->stages || is_other(a->totals.total, b->totals.total) ||
              is_other(a->totals.total_bytes, b->totals.total_bytes) ||
              is_other(a->step.iteration_s, b->step.iteration_s);
    for (int i = 0; i < a->stages && !is; i++)
        is = is_other(a->stage[i].device_bytes, b->stage[i].device_bytes) ||
             is_other(a->stage[i].params, b->stage[i].params);
    return is;
}

static bool is_other_result(const struct plan *a, const struct plan *b)
{
    struct estimate *estimate = xmalloc(2 * sizeof *estimate);
    estimate_plan(a, &estimate[0]);
    estimate_plan(b, &estimate[1]);
    bool is = is_other_estimate(&estimate[0], &estimate[1]);
    free(estimate);
    return is;
}

/* Whether each layer of a pattern is ordinary attention, so that other keys may say the same. */
static bool is_all_attention(const struct layer_pattern *pattern)
{
    unsigned char kind[KINDS_MAX];
    int count = pattern_kinds(pattern, kind);
    for (int i = 0; i < count; i++)
        if (layer_mixer(kind[i]) != MIXER_ATTENTION)
            return false;
    return true;
}

/* True if the value of `key` that was read back changes the model or its estimate. */
static bool matters(const struct plan *resolved, const struct plan *again, enum param key)
{
    struct plan other = *resolved;
    if (key == PARAM_model_layer_pattern && !is_all_attention(&resolved->pattern))
        return true;
    param_copy(&other, again, key, FROM_SET);
    return is_other_result(resolved, &other);
}

/* Assumptions of the estimate: no setting of a framework, so comments carry them. */
static const enum param assumptions[] = {
    PARAM_framework_name,         PARAM_framework_te_version,       PARAM_model_moe_imbalance, PARAM_train_total_tokens,
    PARAM_train_measured_iteration_s, PARAM_train_checkpoint_interval_s, PARAM_train_restart_s,
};

/* Inserts a comment with each assumption that the text does not imply, behind a first line that begins with #!. */
static void carry_assumptions(const struct export_format *format, const struct plan *resolved, struct buffer *text)
{
    struct plan again, meant;
    struct buffer lines = {0};
    if (!format->has_comments || read_again(format, resolved, text, &again) != 0)
        return;
    plan_resolve(&again, &meant);
    for (size_t i = 0; i < LENGTH(assumptions); i++) {
        char value[PARAM_TEXT_MAX];
        enum param key = assumptions[i];
        if (!differs(resolved, &meant, key))
            continue;
        param_print(resolved, key, value, sizeof value);
        buffer_printf(&lines, "# shardtop: %s=%s\n", param_rows[key].dotted, *value ? value : "auto");
    }
    if (lines.size)
        splice_text(text, strncmp(text->text, "#!", 2) == 0 ? strcspn(text->text, "\n") + 1 : 0,
                    strncmp(text->text, "#!", 2) == 0 ? strcspn(text->text, "\n") + 1 : 0, lines.text);
    buffer_free(&lines);
}

/* Names a key that differs; as a fault where it changes the estimate, and then sets it in the plan read again. */
static void report_key(const struct export_format *format, const struct plan *resolved, struct plan *again,
                       const struct plan *meant, enum param key, bool is_fault, struct errors *notes)
{
    char value[PARAM_TEXT_MAX], other[PARAM_TEXT_MAX];
    param_print(resolved, key, value, sizeof value);
    param_print(meant, key, other, sizeof other);
    if (is_fault)
        errors_add(notes, NULL, 0, param_rows[key].dotted, "%s is not supported in %s; use %s",
                   *value ? value : "auto", format->name, *other ? other : "auto");
    else
        errors_note(notes, NULL, 0, param_rows[key].dotted,
                    "%s is not in %s, which means %s; no number of the estimate depends on it", *value ? value : "auto",
                    format->name, *other ? other : "auto");
    if (is_fault) /* the others may matter together */
        param_copy(again, resolved, key, FROM_SET);
}

/* Reports keys that differ: those that somebody gave or that matter, or all, until the estimate is the same. */
static void report_differences(const struct export_format *format, const struct plan *plan,
                               const struct plan *resolved, struct plan *again, bool is_rest, struct errors *notes)
{
    for (int i = 0; i < PARAM_COUNT; i++) {
        struct plan meant;
        plan_resolve(again, &meant);
        if (!format->holds((enum param)i) || !differs(resolved, &meant, (enum param)i))
            continue;
        bool is_fault = is_rest ? is_other_result(resolved, &meant) : matters(resolved, &meant, (enum param)i);
        if (is_fault || (!is_rest && is_given(plan, (enum param)i)))
            report_key(format, resolved, again, &meant, (enum param)i, is_fault, notes);
    }
}

/* Keys that the plan gives and the format is not about, in one line. */
static void note_outside(const struct export_format *format, const struct plan *plan, struct errors *notes)
{
    struct buffer list = {0};
    for (int i = 0; i < PARAM_COUNT; i++) {
        bool is_hardware = param_rows[i].group_id == GROUP_hardware || param_rows[i].group_id >= GROUP_serve;
        bool is_checked = i == PARAM_framework_name && format->of;
        if (!is_hardware && !is_checked && param_rows[i].type != TYPE_NAME && is_given(plan, (enum param)i) &&
            !format->holds((enum param)i))
            buffer_printf(&list, "%s%s", list.size ? ", " : "", param_rows[i].dotted);
    }
    if (list.size)
        errors_note(notes, NULL, 0, NULL, "not in %s: %s", format->name, list.text);
    buffer_free(&list);
}

/*
 * Reports each key that the format holds in principle and that `text` lacks, where the estimate changes by it (a fault)
 * or somebody gave it, and in one line the keys that the plan gives and the format is not about.
 */
static void report_missing(const struct export_format *format, const struct plan *plan, const struct plan *resolved,
                           const struct buffer *text, struct errors *notes)
{
    struct plan again;
    if (read_again(format, resolved, text, &again) != 0) {
        errors_note(notes, NULL, 0, NULL, "values out of range were written unchanged; check them");
    } else {
        report_differences(format, plan, resolved, &again, false, notes);
        report_differences(format, plan, resolved, &again, true, notes);
    }
    if (!format->is_server) /* its model is a name */
        note_outside(format, plan, notes);
}

/* Adds a fault when the plan's framework takes no file of this format. Returns 0 when it does. */
static int check_framework(const struct export_format *format, const struct plan *resolved, struct errors *notes)
{
    enum framework_id framework = (enum framework_id)resolved->value[PARAM_framework_name];
    const enum framework_id *of = format->of;
    while (of && *of != FRAMEWORK_COUNT && *of != frameworks[framework].of)
        of++;
    if (!of || *of != FRAMEWORK_COUNT)
        return 0;
    errors_add(notes, NULL, 0, "framework.name", "%s does not read %s; use --framework %s", frameworks[framework].name,
               format->name, frameworks[format->of[0]].name);
    return -1;
}

/* Adds a fault where the format names a shipped model and the plan has sizes alone. Returns 0 when it does not. */
static int check_model(const struct export_format *format, const struct plan *resolved, struct errors *notes)
{
    static const struct export_format *const named[] = {&titan_export, &bridge_export, &llama_factory_export,
                                                        &axolotl_export, &trl_export};
    for (size_t i = 0; i < LENGTH(named); i++)
        if (format == named[i] && !*resolved->text[TEXT_MODEL]) {
            errors_add(notes, NULL, 0, "model", "%s name a model and have no sizes; give --model NAME", format->name);
            return -1;
        }
    return 0;
}

/* A plan that serves becomes the command of a server, and one that trains that of a training. */
static int check_workload(const struct export_format *format, const struct plan *resolved, struct errors *notes)
{
    bool is_serving = resolved->value[PARAM_plan_workload] == WORKLOAD_INFERENCE;
    if (format == &hf_format || format->is_server == is_serving)
        return 0;
    errors_add(notes, NULL, 0, "workload",
               is_serving ? "this plan serves a model, and %s start a training; use --to vllm, sglang or trtllm"
                          : "this plan trains, and %s start a server; use --set workload=inference",
               format->name);
    return -1;
}

int export_plan(const struct export_format *format, const struct plan *plan, const struct plan *resolved,
                struct buffer *out, struct errors *notes)
{
    struct buffer text = {0};
    size_t faults = notes->faults;
    if (check_workload(format, resolved, notes) != 0 || check_needed(resolved, format->needs, notes) != 0 ||
        check_framework(format, resolved, notes) != 0 || check_model(format, resolved, notes) != 0)
        return -1;
    format->write(&text, resolved);
    carry_assumptions(format, resolved, &text);
    report_missing(format, plan, resolved, &text, notes);
    if (notes->faults == faults)
        buffer_add(out, text.text, text.size);
    buffer_free(&text);
    return notes->faults == faults ? 0 : -1;
}
