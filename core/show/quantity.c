#include "core/show/quantity.h"

#include "core/base.h"
#include "core/plan/param.h"

#include <string.h>

#define STEP(member) #member, offsetof(struct step, member)
#define SERVING(member) #member, offsetof(struct serving, member)

static const char peak[] = "hardware.peak_tflops", bandwidth[] = "hardware.memory_gb_s";
static const char failures[] = "hardware.mtbf_hours_per_gpu";
static const char tokens[] = "train.total_tokens", usable[] = "hardware.usable_gib";

/* term and its offset, path, label, name, kind, unit, needs, is_part */
static const struct quantity time_rows[] = {
    {STEP(iteration_s), "time.iteration_s", "iteration", NULL, FIGURE_SECONDS, "", peak, false},
    {STEP(compute_s), "time.compute_s", "  computing on the slowest stage", NULL, FIGURE_SECONDS, "", peak, true},
    {STEP(bubble_s), "time.bubble_s", "  pipeline bubble", NULL, FIGURE_SECONDS, "", peak, true},
    {STEP(bubble_fraction), "time.bubble_fraction", NULL, NULL, FIGURE_PERCENT, "", peak, false},
    {STEP(tp_exposed_s), "time.exposed_communication_s.tp", "  tensor-parallel traffic not hidden", NULL,
     FIGURE_SECONDS, "", peak, true},
    {STEP(cp_exposed_s), "time.exposed_communication_s.cp", "  context-parallel traffic not hidden", NULL,
     FIGURE_SECONDS, "", peak, true},
    {STEP(ep_exposed_s), "time.exposed_communication_s.ep", "  expert-parallel traffic not hidden", NULL,
     FIGURE_SECONDS, "", peak, true},
    {STEP(pp_exposed_s), "time.exposed_communication_s.pp", "  pipeline messages not hidden", NULL, FIGURE_SECONDS, "",
     peak, true},
    {STEP(dp_exposed_s), "time.exposed_communication_s.dp", "  gradient and weight exchange not hidden", NULL,
     FIGURE_SECONDS, "", peak, true},
    {STEP(optimizer_s), "time.optimizer_s", "  optimizer step", NULL, FIGURE_SECONDS, "", bandwidth, true},
    {STEP(offload_s), "time.offload_s", "  offloading not hidden", NULL, FIGURE_SECONDS, "", peak, true},
    {STEP(host_wait_s), "time.host_wait_s", "  waiting for the host's launches", NULL, FIGURE_SECONDS, "", peak, true},
};

static const struct quantity speed_rows[] = {
    {STEP(tokens_per_s), "time.tokens_per_s", "tokens/s", NULL, FIGURE_EXACT, "", peak, false},
    {STEP(tokens_per_s_per_gpu), "time.tokens_per_s_per_gpu", "tokens/s per GPU", NULL, FIGURE_EXACT, "", peak, false},
    {STEP(model_tflops_per_gpu), "time.model_tflops_per_gpu", "model operations per GPU", NULL, FIGURE_COUNT,
     "TFLOP/s", peak, false},
    {STEP(hardware_tflops_per_gpu), "time.hardware_tflops_per_gpu", "operations done per GPU, recomputed included",
     NULL, FIGURE_COUNT, "TFLOP/s", peak, false},
    {STEP(mfu), "time.mfu", "MFU (model operations over the peak)", NULL, FIGURE_PERCENT, "", peak, false},
    {STEP(hfu), "time.hfu", "HFU (operations done over the peak)", NULL, FIGURE_PERCENT, "", peak, false},
    {STEP(mfu_causal), "time.mfu_causal", "MFU with causal attention counted half", NULL, FIGURE_PERCENT, "", peak,
     false},
    {STEP(hfu_causal), "time.hfu_causal", "HFU with causal attention counted half", NULL, FIGURE_PERCENT, "", peak,
     false},
    {STEP(bigscience_tflops), "time.bigscience_tflops", "operations per GPU by BigScience's formula", NULL,
     FIGURE_COUNT, "TFLOP/s", peak, false},
    {STEP(bigscience_layers_tflops), "time.bigscience_layers_tflops", "the same by its older formula, layers only",
     NULL, FIGURE_COUNT, "TFLOP/s", peak, false},
    {STEP(bigscience_size_tflops), "time.bigscience_size_tflops", "the same by its first formula, model size", NULL,
     FIGURE_COUNT, "TFLOP/s", peak, false},
};

static const struct quantity training_rows[] = {
    {STEP(iterations), "training.iterations", "iterations", NULL, FIGURE_EXACT, "", tokens, false},
    {STEP(seconds), "training.seconds", "wall time", NULL, FIGURE_SPAN, "", tokens, false},
    {STEP(gpu_hours), "training.gpu_hours", "GPU hours", NULL, FIGURE_SUM, "h", tokens, false},
    {STEP(cost), "training.cost", "rent of the GPUs", NULL, FIGURE_SUM, "USD", "hardware.price_per_gpu_hour", false},
    {STEP(cost_per_1t_tokens), "training.cost_per_1t_tokens", "GPU rent for 1T tokens", NULL, FIGURE_SUM, "USD",
     "hardware.price_per_gpu_hour", false},
    {STEP(kwh), "training.kwh", "energy of the GPUs at their rated power", NULL, FIGURE_SUM, "kWh", "hardware.watts",
     false},
    {STEP(goodput), "training.goodput", "share of it that failures and checkpoints leave", NULL, FIGURE_PERCENT, "",
     failures, false},
    {STEP(interval_s), "training.checkpoint_interval_s", "  time between checkpoints", NULL, FIGURE_SECONDS, "",
     failures, false},
    {STEP(best_interval_s), "training.best_checkpoint_interval_s", NULL, NULL, FIGURE_SECONDS, "", failures, false},
    {STEP(mtbf_s), "training.mtbf_s", "  time between failures", NULL, FIGURE_SECONDS, "", failures, false},
    {STEP(failures), "training.failures", "  failures during the training", NULL, FIGURE_EXACT, "", failures, false},
};

static const struct quantity checkpoint_rows[] = {
    {STEP(weights_bytes), "checkpoint.weights_bytes", "weights", NULL, FIGURE_BYTES, "", NULL, false},
    {STEP(checkpoint_optimizer_bytes), "checkpoint.optimizer_bytes", "optimizer states", NULL, FIGURE_BYTES, "", NULL,
     false},
    {STEP(total_bytes), "checkpoint.total_bytes", "checkpoint", NULL, FIGURE_BYTES, "", NULL, false},
    {STEP(write_s), "checkpoint.write_s", "writing it", NULL, FIGURE_SECONDS, "", "hardware.storage_gb_s", false},
};

static const struct quantity serving_rows[] = {
    {SERVING(kv_tokens), "serving.kv_tokens", "tokens that the cache holds", "tokens of cache", FIGURE_EXACT, "",
     usable, false},
    {SERVING(max_concurrency), "serving.max_concurrency", "longest requests that it holds at once",
     "requests at once", FIGURE_SUM, "", usable, false},
    {SERVING(max_batch_size), "serving.max_batch_size", "largest batch at this length", "largest batch",
     FIGURE_EXACT, "", usable, false},
    {SERVING(max_context_tokens), "serving.max_context_tokens", "longest context with this batch, tokens",
     "longest context", FIGURE_EXACT, "", usable, false},
    {SERVING(time_to_first_token_s), "serving.time_to_first_token_s", "time to the first token",
     "first token", FIGURE_SECONDS, "", peak, false},
    {SERVING(prefill_s), "serving.prefill_s", "  prefill of the batch", NULL, FIGURE_SECONDS, "", peak, false},
    {SERVING(per_token_s), "serving.per_token_s", "each further token", "each next token", FIGURE_SECONDS, "",
     bandwidth, false},
    {SERVING(read_weights_s), "serving.read_weights_s", "  reading the weights", NULL, FIGURE_SECONDS, "", bandwidth,
     false},
    {SERVING(sequence_step_s), "serving.sequence_step_s", "  cache, kernels and traffic of a sequence", NULL,
     FIGURE_SECONDS, "", peak, false},
    {SERVING(pass_s), "serving.pass_s", "  launches and latencies", NULL, FIGURE_SECONDS, "",
     "hardware.intra_node_latency_us", false},
    {SERVING(request_s), "serving.request_s", "whole answers of the batch", "whole answers",
     FIGURE_SECONDS, "", peak, false},
    {SERVING(tokens_per_s), "serving.tokens_per_s", "generated tokens/s, all replicas", "tokens per second",
     FIGURE_EXACT, "", peak, false},
    {SERVING(queued_tokens_per_s), "serving.queued_tokens_per_s", "the same with requests always waiting",
     "with a full queue", FIGURE_EXACT, "", peak, false},
    {SERVING(queued_batch), "serving.queued_batch", "  sequences in flight then, a replica", NULL, FIGURE_EXACT, "",
     usable, false},
    {SERVING(cost_per_million_in), "serving.cost_per_million_in", "USD per million tokens in, full queue", NULL,
     FIGURE_SUM, "", "hardware.price_per_gpu_hour", false},
    {SERVING(cost_per_million_out), "serving.cost_per_million_out", "USD per million tokens out, full queue", NULL,
     FIGURE_SUM, "", "hardware.price_per_gpu_hour", false},
    {SERVING(cost_per_million_tokens), "serving.cost_per_million_tokens", "USD per million generated tokens", NULL,
     FIGURE_SUM, "", "hardware.price_per_gpu_hour", false},
};

const struct quantity_list time_quantities = {time_rows, LENGTH(time_rows)};
const struct quantity_list speed_quantities = {speed_rows, LENGTH(speed_rows)};
const struct quantity_list training_quantities = {training_rows, LENGTH(training_rows)};
const struct quantity_list checkpoint_quantities = {checkpoint_rows, LENGTH(checkpoint_rows)};
const struct quantity_list serving_quantities = {serving_rows, LENGTH(serving_rows)};

double quantity_value(const struct quantity *row, const struct estimate *estimate)
{
    bool is_serving = strncmp(row->path, "serving.", strlen("serving.")) == 0;
    const void *sheet = is_serving ? (const void *)&estimate->serving : &estimate->step;
    if (!estimate->is_computed || (is_serving && !estimate->is_serving))
        return NAN;
    return *(const double *)((const char *)sheet + row->offset);
}

static bool is_among(const struct quantity *row, const struct quantity_list *list)
{
    return row >= list->row && row < list->row + list->count;
}

const struct quantity *quantity_find(const char *path)
{
    static const struct quantity_list *const lists[] = {&time_quantities, &speed_quantities, &training_quantities,
                                                        &serving_quantities};
    for (size_t i = 0; i < LENGTH(lists); i++)
        for (int k = 0; k < lists[i]->count; k++)
            if (strcmp(lists[i]->row[k].path, path) == 0)
                return &lists[i]->row[k];
    return NULL;
}

enum param quantity_lacks(const struct quantity *row, const struct plan *resolved)
{
    static const enum param for_failures[] = {PARAM_hardware_mtbf_hours_per_gpu, PARAM_hardware_storage_gb_s,
                                              PARAM_train_restart_s};
    if (row->needs == failures) {
        for (size_t i = 0; i < LENGTH(for_failures); i++)
            if (param_blank(resolved, for_failures[i]))
                return for_failures[i];
        return PARAM_COUNT;
    }
    bool is_whole = is_among(row, &training_quantities) && strcmp(row->term, "cost_per_1t_tokens") != 0;
    if (is_whole && param_blank(resolved, PARAM_train_total_tokens))
        return PARAM_train_total_tokens;
    int needs = row->needs ? param_find(row->needs) : -1;
    return needs >= 0 && param_blank(resolved, (enum param)needs) ? (enum param)needs : PARAM_COUNT;
}

int quantity_power(const struct quantity *row)
{
    bool is_time =
        row == time_rows || (is_among(row, &training_quantities) && row > training_rows && row->needs != failures);
    return is_time ? 1 : is_among(row, &speed_quantities) ? -1 : 0;
}
