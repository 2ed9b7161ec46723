#include "src/cli/verbs/compare.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/explain/explain.h"
#include "core/plan/plan.h"
#include "core/reference/reference.h"
#include "core/show/components.h"
#include "src/cli/cli.h"
#include "src/cli/verbs/verbs.h"
#include "src/plan/reference_plan.h"
#include "src/report/difference.h"
#include "src/report/format.h"
#include "src/text/errors.h"
#include "src/text/json_out.h"
#include "src/text/text.h"
#include "ui/ui.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char program[] = "shardtop";

struct counterpart {
    enum reference_fn fn;
    const char *member, *reason;
};

enum { COUNTERPARTS_MAX = 4 };

/* `%d` is the fullest stage. */
static const struct quantity {
    const char *label; /* NULL: that of the component */
    const char *path, *unit;
    struct counterpart other[COUNTERPARTS_MAX]; /* ends with a NULL member */
} quantities[] = {
    {"parameters of the model", "parameters.total", "",
     {{REFERENCE_TOOL_ANALYZE, "full_model.params", "7h of norms and biases in a layer for 9h, no final norm"},
      {REFERENCE_REPORT_REPORT, "total_params", "no biases, learned positions or query/key norms"},
      {REFERENCE_LLM_TRAIN, "num_params_total",
       "no biases or positions; the output layer is always tied; two matrices in a gated block"}}},
    {"parameters of one GPU", "memory.stages.%d.params", "",
     {{REFERENCE_TOOL_ANALYZE, "per_gpu.params_exact",
       "one figure for all stages: embedding and positions on every one"},
      {REFERENCE_REPORT_REPORT, "most_loaded_shard_params", "layers / pp with embedding, wherever they are"}}},
    {NULL, "memory.stages.%d.weights_bytes", "bytes",
     {{REFERENCE_TOOL_ANALYZE, "per_gpu.param_bytes", "embedding on every stage"},
      {REFERENCE_LLM_TRAIN, "weight_memory_per_gpu", "embedding on every stage, norms split over tp"}}},
    {NULL, "memory.stages.%d.gradients_bytes", "bytes",
     {{REFERENCE_TOOL_ANALYZE, "per_gpu.grad_bytes", "embedding on every stage"},
      {REFERENCE_LLM_TRAIN, "gradient_memory_per_gpu", "as wide as the master weights"}}},
    {NULL, "memory.stages.%d.optimizer_bytes", "bytes",
     {{REFERENCE_TOOL_ANALYZE, "per_gpu.optimizer_bytes", "embedding on every stage"},
      {REFERENCE_LLM_TRAIN, "optimizer_state_memory_per_gpu",
       "12 bytes a parameter, divided by dp from ZeRO stage 1"}}},
    {NULL, "memory.stages.%d.activations_bytes", "bytes",
     {{REFERENCE_TOOL_ANALYZE, "per_gpu.activation_bytes",
       "counts pp micro-batches in flight on every stage; no statistics, no log-sum-exp"},
      {REFERENCE_REPORT_REPORT, "selected_activation_bytes",
       "ignores gating, grouped queries, context parallelism and other recomputation than selective"},
      {REFERENCE_LLM_TRAIN, "activation_memory_per_gpu",
       "counts all layers' activations on every GPU; ignores gating"}}},
    {NULL, "memory.stages.%d.allocated_bytes", "bytes",
     {{REFERENCE_TOOL_ANALYZE, "per_gpu.peak_bytes", "no backward transients, no logits with pp > 1, no workspaces"},
      {REFERENCE_LLM_TRAIN, "(weight+op_state+grad+act)_memory_per_gpu",
       "no logits in fp32, no transients, no workspaces"},
      {REFERENCE_ZERO2, "gpu_bytes", "model states only"},
      {REFERENCE_ZERO3, "gpu_bytes", "model states and one layer only"}}},
    {"time of one iteration", "time.iteration_s", "s",
     {{REFERENCE_LLM_TRAIN, "latency_per_iter",
       "no pipeline bubble, no links, one efficiency for all operators"}}},
    {"pipeline traffic of the cluster", "pp", "bytes",
     {{REFERENCE_TOOL_ANALYZE, "pp_comm.cluster_bytes",
       "counts sends and receives in both directions on every rank, end stages included"}}},
    {"data-parallel traffic of the cluster", "dp", "bytes",
     {{REFERENCE_TOOL_ANALYZE, "dp_comm.summary_bytes",
       "for one GPU; counts the gather at 4 bytes per parameter; tensor sizes, not ring traffic"}}},
    {"tensor-parallel traffic of the cluster", "tp", "bytes",
     {{REFERENCE_TOOL_ANALYZE, "tp_comm.cluster_bytes",
       "tensor sizes, not ring traffic; no embedding, output layer or loss"}}},
    {"prefill", "serving.prefill_s", "s",
     {{REFERENCE_LLM_INFER, "prefill_latency", "one efficiency; no latency of small messages"}}},
    {"each output token", "serving.per_token_s", "s",
     {{REFERENCE_LLM_INFER, "decode_latency",
       "full bandwidth by default; the cache is counted separately, at its final length"}}},
    {"served weights of one GPU", "serving.weights_bytes", "bytes",
     {{REFERENCE_LLM_INFER, "weight_memory_per_gpu", "all layers on every stage; embedding tied"}}},
    {"key/value cache of one GPU", "serving.kv_cache_bytes", "bytes",
     {{REFERENCE_LLM_INFER, "kv_cache_memory_per_gpu", "no windows, no latent attention"}}},
};

enum { QUANTITIES = LENGTH(quantities) };

struct answered {
    bool is_known;
    struct reference_inputs inputs;
    struct reference_answer answer;
    char why[REFERENCE_WHY_MAX];
};

/* ---- values ----------------------------------------------------------------------------------------------------- */

static double traffic_of(const struct estimate *e, enum comm_dim dim)
{
    struct comm_table table;
    double bytes = 0;
    for (int i = 0; i < e->stages; i++) {
        estimate_comm_table(e, i, &table);
        for (int k = 0; k < table.count; k++)
            bytes += comm_rows[table.present[k]].dim == dim ? table.row[table.present[k]].cluster_bytes : 0;
    }
    return bytes;
}

static const char *label_of(const struct quantity *quantity)
{
    return quantity->label ? quantity->label
                           : component_find(&stage_components, strrchr(quantity->path, '.') + 1)->label;
}

static double our_value(const struct estimate *e, const struct quantity *quantity, char *path, size_t size)
{
    struct explanation explanation;
    snprintf(path, size, "%s", quantity->path);
    char *stage = strstr(path, "%d");
    if (stage)
        snprintf(stage, size - (size_t)(stage - path), "%d%s", e->peak_stage, strstr(quantity->path, "%d") + 2);
    for (int dim = 0; dim < COMM_DIM_COUNT; dim++)
        if (strcmp(comm_dim_names[dim], path) == 0)
            return e->stages > 0 && !e->is_serving ? traffic_of(e, (enum comm_dim)dim) : NAN;
    double value;
    return explain_number(e, path, &explanation, &value) == 0 ? value : NAN;
}

static double their_value(const struct answered *answered, const struct counterpart *other)
{
    const struct reference_function *function = reference_functions[other->fn];
    if (!answered->is_known || answered->answer.rule || answered->inputs.fn != other->fn)
        return NAN;
    int at = reference_member_find(function->values, function->value_count, 0, other->member, strlen(other->member));
    return at < 0 || function->values[at].type != REFERENCE_NUMBER
               ? NAN
               : *(const double *)((const char *)&answered->answer.values + function->values[at].offset);
}

static void ask(const struct estimate *e, struct answered answered[REFERENCE_COUNT])
{
    for (int id = 0; id < REFERENCE_COUNT; id++) {
        answered[id].is_known = reference_from_plan(&e->plan, (enum reference_id)id, &answered[id].inputs,
                                                    answered[id].why) == 0;
        if (!answered[id].is_known)
            continue;
        reference_run(&answered[id].inputs, &answered[id].answer);
        if (answered[id].answer.rule)
            snprintf(answered[id].why, sizeof answered[id].why, "refuses: %.200s", answered[id].answer.message);
    }
}

static void take_quantity(const struct estimate *e, const struct quantity *quantity,
                          const struct answered answered[REFERENCE_COUNT],
                          void (*take)(void *to, const struct ui_comparison *comparison), void *to)
{
    char path[EXPLAIN_PATH_MAX];
    struct ui_comparison row = {.quantity = label_of(quantity), .unit = quantity->unit, .path = path};
    const struct counterpart *other = quantity->other, *end = other + COUNTERPARTS_MAX;
    row.ours = our_value(e, quantity, path, sizeof path);
    for (; other < end && other->member; other++) {
        enum reference_id id = reference_functions[other->fn]->estimator;
        row.theirs = their_value(&answered[id], other);
        row.estimator = reference_rows[id].name;
        row.reason = other->reason;
        if (!isnan(row.theirs))
            take(to, &row);
    }
}

void compare_each(const struct estimate *estimate,
                  void (*take)(void *to, const struct ui_comparison *comparison), void *to)
{
    struct answered *answered = xmalloc(REFERENCE_COUNT * sizeof *answered);
    ask(estimate, answered);
    for (int i = 0; i < QUANTITIES; i++)
        take_quantity(estimate, &quantities[i], answered, take, to);
    for (int id = 0; id < REFERENCE_COUNT; id++)
        if (!answered[id].is_known || answered[id].answer.rule)
            take(to, &(struct ui_comparison){.estimator = reference_rows[id].name, .unit = "", .path = "",
                                             .reason = answered[id].why, .ours = NAN, .theirs = NAN});
    free(answered);
}

/* ---- printing --------------------------------------------------------------------------------------------------- */

static struct cell show(const char *unit, double value)
{
    return strcmp(unit, "bytes") == 0 ? cell_bytes(value)
           : strcmp(unit, "s") == 0   ? cell_seconds(value)
                                      : cell_count(value);
}

struct listing {
    struct buffer *out;
    const char *quantity; /* printed last */
};

static void print_row(void *to, const struct ui_comparison *row)
{
    struct listing *listing = to;
    if (!row->quantity) {
        buffer_printf(listing->out, "%s: %s\n", row->estimator, row->reason);
        return;
    }
    if (row->quantity != listing->quantity)
        buffer_printf(listing->out, "%-40s %-16s %14s\n", row->quantity, "shardtop", show(row->unit, row->ours).text);
    listing->quantity = row->quantity;
    buffer_printf(listing->out, "%-40s %-16s %14s %10s  %s\n", "", row->estimator,
                  show(row->unit, row->theirs).text, figure_share(row->theirs / row->ours - 1).text, row->reason);
}

#define SHAPES "src/cli/verbs/compare.def"
#include "src/text/json_writers.def"

static void put_their_value(void *context, const struct ui_comparison *row)
{
    struct json *json = context;
    PUT(their_value, row->estimator, row);
}

#include "src/text/json_writers.def"

void compare_estimators(struct buffer *out, const struct estimate *estimate, bool is_json)
{
    struct json whole = {.out = out, .lines = 1}, *json = &whole;
    if (!is_json) {
        compare_each(estimate, print_row, &(struct listing){out, NULL});
        return;
    }
    struct answered *answered = xmalloc(REFERENCE_COUNT * sizeof *answered);
    ask(estimate, answered);
    ARRAY(NULL, (int i = 0; i < QUANTITIES; i++), PUT(counterpart, NULL, estimate, &quantities[i], answered))
    buffer_puts(out, "\n");
    free(answered);
}

static int run_estimators(const struct cli *cli, struct buffer *out, struct errors *errors)
{
    static const char *const forms[] = {[REPORT_CSV] = "--csv", [REPORT_MARKDOWN] = "--markdown"};
    struct plan plan;
    bool is_other = cli->report.format == REPORT_CSV || cli->report.format == REPORT_MARKDOWN;
    if (cli->by || is_other)
        return errors_add(errors, program, 0, cli->by ? "--by" : forms[cli->report.format],
                          "cannot be combined with --estimators"),
               STATUS_INPUT;
    if (cli_plan(cli, &plan, NULL, errors) != 0)
        return STATUS_INPUT;
    struct estimate *estimate = xmalloc(sizeof *estimate);
    estimate_plan(&plan, estimate);
    compare_estimators(out, estimate, cli->json);
    free(estimate);
    return STATUS_DONE;
}

/* The plan of one of the words, with the options that hold for both. */
static int plan_of_word(const struct cli *cli, int word, struct plan *plan, struct errors *errors)
{
    struct cli one = *cli;
    one.words = cli->words + word;
    one.word_count = 1;
    return cli_plan(&one, plan, NULL, errors);
}

int verb_compare(const struct cli *cli, const struct plan *none, struct buffer *out, struct errors *errors)
{
    (void)none;
    struct plan plan[2];
    struct report_options options = cli->report;
    bool by_key = cli->by && strcmp(cli->by, "key") == 0;
    options.color = verb_has_color(cli);
    if (cli->estimators)
        return run_estimators(cli, out, errors);
    if (cli->word_count != 2)
        errors_add(errors, program, 0, "compare",
                   "needs two plans; use shardtop compare A B, or --estimators to compare one plan with "
                   "the published estimators");
    else if (cli->by && !by_key && strcmp(cli->by, "term") != 0)
        errors_add(errors, program, 0, "--by", "unknown breakdown '%.40s'; use term or key",
                   cli->by);
    else if (plan_of_word(cli, 0, &plan[0], errors) == 0 && plan_of_word(cli, 1, &plan[1], errors) == 0) {
        struct estimate *a = xmalloc(sizeof *a), *b = xmalloc(sizeof *b);
        estimate_plan(&plan[0], a);
        estimate_plan(&plan[1], b);
        report_difference(out,
                          &(struct difference){.name = {cli->words[0], cli->words[1]},
                                               .plan = {&plan[0], &plan[1]},
                                               .estimate = {a, b},
                                               .by_key = by_key},
                          &options);
        free(a);
        free(b);
        return STATUS_DONE;
    }
    return STATUS_INPUT;
}
