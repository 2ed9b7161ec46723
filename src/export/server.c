/* Commands that start a server with a plan that serves: `vllm serve`, SGLang's launch_server, `trtllm-serve`. */
#include "core/base.h"
#include "core/estimate/estimate.h"
#include "src/export/common.h"
#include "src/import/recognise.h"
#include "src/text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A key and the flag of each engine for it, by enum engine; NULL where an engine has none. */
static const struct {
    enum param key;
    const char *flag[ENGINE_COUNT];
} rows[] = {
    {PARAM_parallel_tp,
     {[ENGINE_VLLM] = "--tensor-parallel-size", [ENGINE_SGLANG] = "--tp-size", [ENGINE_TRTLLM] = "--tp_size"}},
    {PARAM_parallel_pp,
     {[ENGINE_VLLM] = "--pipeline-parallel-size", [ENGINE_SGLANG] = "--pp-size", [ENGINE_TRTLLM] = "--pp_size"}},
    {PARAM_parallel_ep, {[ENGINE_SGLANG] = "--ep-size", [ENGINE_TRTLLM] = "--ep_size"}},
    {PARAM_serve_max_model_len,
     {[ENGINE_VLLM] = "--max-model-len", [ENGINE_SGLANG] = "--context-length", [ENGINE_TRTLLM] = "--max_seq_len"}},
    {PARAM_serve_max_num_seqs,
     {[ENGINE_VLLM] = "--max-num-seqs", [ENGINE_SGLANG] = "--max-running-requests",
      [ENGINE_TRTLLM] = "--max_batch_size"}},
    {PARAM_serve_max_num_batched_tokens,
     {[ENGINE_VLLM] = "--max-num-batched-tokens", [ENGINE_SGLANG] = "--chunked-prefill-size",
      [ENGINE_TRTLLM] = "--max_num_tokens"}},
    {PARAM_serve_memory_share,
     {[ENGINE_VLLM] = "--gpu-memory-utilization", [ENGINE_SGLANG] = "--mem-fraction-static",
      [ENGINE_TRTLLM] = "--kv_cache_free_gpu_memory_fraction"}},
    {PARAM_serve_kv_block_size, {[ENGINE_VLLM] = "--block-size", [ENGINE_SGLANG] = "--page-size"}},
    {PARAM_serve_kv_cache_memory_bytes, {[ENGINE_VLLM] = "--kv-cache-memory-bytes"}},
    {PARAM_serve_num_gpu_blocks, {[ENGINE_VLLM] = "--num-gpu-blocks-override"}},
    {PARAM_serve_max_total_tokens, {[ENGINE_SGLANG] = "--max-total-tokens"}},
    {PARAM_serve_spec_tokens, {[ENGINE_SGLANG] = "--speculative-num-steps"}},
};

static bool holds_key(enum param key, enum engine engine)
{
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (rows[i].key == key && rows[i].flag[engine])
            return true;
    return key == PARAM_plan_workload || key == PARAM_serve_enforce_eager || key == PARAM_serve_kv_dtype ||
           key == PARAM_serve_attention_dp || (engine != ENGINE_SGLANG && key == PARAM_serve_spec_tokens) ||
           (engine == ENGINE_VLLM && key == PARAM_parallel_ep) ||
           (engine == ENGINE_TRTLLM && (key == PARAM_serve_max_total_tokens || key == PARAM_serve_kv_block_size));
}

/*
 * The value of a flag. With data-parallel attention SGLang and TensorRT-LLM count its ranks into tp, and SGLang the
 * requests and tokens of all ranks together (model_runner.py, server_args.py at 60d36e7be).
 */
static double flag_value(const struct plan *plan, enum param key, enum engine engine)
{
    bool is_apart = engine != ENGINE_VLLM && KEY(serve, attention_dp) > 0;
    bool is_queue = key == PARAM_serve_max_num_seqs || key == PARAM_serve_max_num_batched_tokens;
    bool is_of_all = key == PARAM_parallel_tp || (engine == ENGINE_SGLANG && is_queue);
    return plan->value[key] * (is_apart && is_of_all ? KEY(parallel, dp) : 1);
}

static void put_rows(struct buffer *out, const struct plan *plan, enum engine engine)
{
    struct plan own = *plan;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char text[PARAM_TEXT_MAX];
        enum param key = rows[i].key;
        bool is_layout = key <= PARAM_parallel_ep, is_default = plan->from[key] <= FROM_DERIVED;
        double value = own.value[key] = flag_value(plan, key, engine);
        if (rows[i].flag[engine] && !isnan(value) && (is_layout ? value > 1 : !is_default) &&
            param_print(&own, key, text, sizeof text) > 0)
            buffer_printf(out, " \\\n    %s %s", rows[i].flag[engine], text);
    }
}

/* Types that a server makes of a checkpoint, or finds in one; NULL: the checkpoint's own configuration tells. */
static const char *quantisation(double type)
{
    static const char *const words[WEIGHT_COUNT] = {[WEIGHT_FP8] = "fp8", [WEIGHT_AWQ] = "awq",
                                                    [WEIGHT_W4A16] = "gptq"};
    return type >= 0 && type < WEIGHT_COUNT ? words[(int)type] : NULL;
}

/* A model's own prediction layers draft where it has any; else repeated text does, which needs no second model. */
static void put_draft(struct buffer *out, const struct plan *plan)
{
    bool has_layers = KEY(model, mtp_num_layers) > 0;
    if (KEY(serve, spec_tokens) > 0)
        buffer_printf(out, " \\\n    --speculative-config '{\"method\": \"%s\", \"num_speculative_tokens\": %.0f}'",
                      has_layers ? "mtp" : "ngram", KEY(serve, spec_tokens));
}

/* Whether replicas share no experts, which vLLM's --data-parallel-size would have them do. */
static bool are_copies(const struct plan *plan)
{
    return KEY(model, num_experts) > 0 && !(KEY(serve, attention_dp) > 0);
}

/* What has a word in place of a number. */
static void put_words(struct buffer *out, const struct plan *plan, enum engine engine)
{
    static const char *const eager[ENGINE_COUNT] = {
        [ENGINE_VLLM] = "--enforce-eager", [ENGINE_SGLANG] = "--disable-cuda-graph"};
    bool is_sglang = engine == ENGINE_SGLANG;
    if (KEY(serve, kv_dtype) == DTYPE_FP8)
        buffer_printf(out, " \\\n    --%s %s", engine == ENGINE_TRTLLM ? "kv_cache_dtype" : "kv-cache-dtype",
                      is_sglang ? "fp8_e4m3" : "fp8");
    if (KEY(serve, enforce_eager) > 0 && eager[engine])
        buffer_printf(out, " \\\n    %s", eager[engine]);
    const char *type = quantisation(KEY(serve, weight_dtype));
    if (type && engine != ENGINE_TRTLLM)
        buffer_printf(out, " \\\n    --quantization %s", type);
    if (engine == ENGINE_VLLM)
        put_draft(out, plan);
    if (engine == ENGINE_VLLM && KEY(parallel, dp) > 1 && !are_copies(plan))
        buffer_printf(out, " \\\n    --data-parallel-size %.0f", KEY(parallel, dp));
    if (is_sglang && KEY(parallel, dp) > 1)
        buffer_printf(out, " \\\n    --dp-size %.0f%s", KEY(parallel, dp),
                      KEY(serve, attention_dp) > 0 ? " \\\n    --enable-dp-attention" : "");
    if (engine == ENGINE_VLLM && KEY(parallel, ep) > 1)
        buffer_puts(out, " \\\n    --enable-expert-parallel");
}

/* Keys that no flag holds stay as comments, which are read back. */
static void put_comments(struct buffer *out, const struct plan *plan, enum engine engine)
{
    for (int i = 0; i < PARAM_COUNT; i++) {
        char text[PARAM_TEXT_MAX];
        enum param key = (enum param)i;
        bool is_flag = holds_key(key, engine) || key == PARAM_serve_engine ||
                       (key == PARAM_serve_engine_version && engine != KEY(serve, engine)) ||
                       (key == PARAM_serve_weight_dtype && quantisation(plan->value[key]) && engine != ENGINE_TRTLLM);
        if (param_rows[i].group_id == GROUP_serve && plan->from[i] > FROM_PRESET && !is_flag &&
            param_print(plan, key, text, sizeof text) > 0)
            buffer_printf(out, "# shardtop: %s=%s\n", param_rows[i].dotted, text);
    }
}

/* What the server's own log shows when it starts, to compare with. */
static void put_expected(struct buffer *out, const struct plan *plan, enum engine engine)
{
    struct estimate *e = xmalloc(sizeof *e);
    struct plan own = *plan;
    own.value[PARAM_serve_engine] = engine;
    estimate_plan(&own, e);
    if (isfinite(e->serving.kv_tokens))
        buffer_printf(out, "# expected in its log: %.2f GiB of cache, %.0f tokens, %.2f requests of %.0f tokens\n",
                      e->serving.kv_gib, e->serving.kv_tokens, e->serving.max_concurrency, e->serving.longest);
    free(e);
}

static const struct {
    const char *preset, *hub;
} names[] = {
#define HUB(preset_, hub_) {preset_, hub_},
#include "src/export/hub.def"
};

/* The name by which a server loads a model; a preset's own where the Hub's is not known here. */
static const char *name_of(const char *model)
{
    for (size_t i = 0; i < LENGTH(names); i++)
        if (strcmp(names[i].preset, model) == 0)
            return names[i].hub;
    return model;
}

/* Settings without a flag of trtllm-serve, as in its file (tensorrt_llm/llmapi/llm_args.py at 0004396). */
static void put_file(struct buffer *out, const struct plan *plan)
{
    bool has_tokens = KEY(serve, max_total_tokens) > 0, has_layers = KEY(model, mtp_num_layers) > 0,
         has_block = plan->from[PARAM_serve_kv_block_size] > FROM_DERIVED;
    if (KEY(serve, attention_dp) > 0)
        buffer_puts(out, "enable_attention_dp: true\n");
    if (KEY(serve, enforce_eager) > 0)
        buffer_puts(out, "cuda_graph_config: null\n");
    if (has_tokens || has_block) /* the group replaces the share set by the flag */
        buffer_printf(out, "kv_cache_config:\n  free_gpu_memory_fraction: %g\n", KEY(serve, memory_share));
    if (has_block)
        buffer_printf(out, "  tokens_per_block: %.0f\n", KEY(serve, kv_block_size));
    if (has_tokens)
        buffer_printf(out, "  max_tokens: %.0f\n", KEY(serve, max_total_tokens));
    if (KEY(serve, spec_tokens) > 0)
        buffer_printf(out, "speculative_config:\n  decoding_type: %s\n  max_draft_len: %.0f\n",
                      has_layers ? "MTP" : "NGram", KEY(serve, spec_tokens));
}

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-";

static void write_command(struct buffer *out, const struct plan *plan, enum engine engine)
{
    static const char *const start[ENGINE_COUNT] = {[ENGINE_VLLM] = "vllm serve",
                                                    [ENGINE_SGLANG] = "python3 -m sglang.launch_server --model-path",
                                                    [ENGINE_TRTLLM] = "trtllm-serve"};
    const char *model = name_of(plan->text[TEXT_MODEL]);
    bool is_word = *model && !model[strspn(model, letters)];
    buffer_puts(out, "#!/bin/bash\n");
    put_expected(out, plan, engine);
    put_comments(out, plan, engine);
    if (engine == ENGINE_VLLM && KEY(parallel, dp) > 1 && are_copies(plan))
        buffer_printf(out, "# one of %.0f servers behind a router\n# shardtop: parallel.dp=%.0f\n", KEY(parallel, dp),
                      KEY(parallel, dp));
    struct buffer file = {0};
    if (engine == ENGINE_TRTLLM)
        put_file(&file, plan);
    bool has_file = file.size > 0;
    if (has_file)
        buffer_printf(out, "cat > extra.yaml <<EOF\n%sEOF\n", file.text);
    buffer_free(&file);
    buffer_printf(out, "%s %s", start[engine], is_word ? model : "MODEL");
    put_rows(out, plan, engine);
    put_words(out, plan, engine);
    buffer_printf(out, "%s\n", has_file ? " \\\n    --extra_llm_api_options extra.yaml" : "");
}

static const enum param needed[] = {PARAM_COUNT};

#define SERVER_FORMAT(name_, engine, title)                                                                            \
    static bool holds_##name_(enum param key)                                                                          \
    {                                                                                                                  \
        return holds_key(key, engine);                                                                                 \
    }                                                                                                                  \
    static void write_##name_(struct buffer *out, const struct plan *resolved)                                         \
    {                                                                                                                  \
        write_command(out, resolved, engine);                                                                          \
    }                                                                                                                  \
    const struct export_format name_##_format = {                                                                      \
        .name = title, .needs = needed, .holds = holds_##name_, .write = write_##name_,                        \
        .kind = KIND_SCRIPT, .has_comments = true, .is_server = true}

SERVER_FORMAT(vllm, ENGINE_VLLM, "vLLM's flags");
SERVER_FORMAT(sglang, ENGINE_SGLANG, "SGLang's flags");
SERVER_FORMAT(trtllm, ENGINE_TRTLLM, "trtllm-serve's flags");
