#include "src/import/server.h"

#include "core/base.h"
#include "core/plan/choice.h"
#include "src/import/import.h"
#include "src/import/megatron_flags.h"
#include "src/import/sibling_files.h"
#include "src/import/table.h"
#include "src/shell/shell.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "src/text/tree.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- flags ------------------------------------------------------------------------------------------------------ */

enum {
    VLLM = 1 << ENGINE_VLLM, SGLANG = 1 << ENGINE_SGLANG, TRTLLM = 1 << ENGINE_TRTLLM, ALL = VLLM | SGLANG | TRTLLM
};

/* How the value of a flag is read. */
enum kind {
    COUNT,      /* a number, also 32k (1000), 32K (1024), 1M or 1G; `auto`, "" and numbers below 1 leave the default */
    SHARE,
    SWITCH,     /* no value */
    CACHE,      /* a type of the cache */
    WEIGHTS,    /* a way of quantisation */
    COMPUTE,    /* a type of weights that are not quantised */
    DRAFT,      /* JSON with num_speculative_tokens, or what drafts: a model's own layers draft one by default */
    MODEL,
    GRAPHS,     /* vLLM's compilation settings: cudagraph_mode NONE */
    IMAGES,     /* images in a prompt, alone or in JSON: none need no encoder run */
    NO_IMAGES,  /* a switch: none */
    NAME,       /* what clients call the model: it counts where nothing else names one */
    EP,         /* a switch: experts are spread over all ranks */
    DISPATCH,   /* how tokens reach the experts: all ways but `none` need them spread */
    ON_HOST,    /* GiB of weights on the host, which leaves as much more for the cache */
    NO_GRAPHS,  /* whether steps are captured: false runs them eagerly */
};

static const struct flag {
    int engines;
    const char *names; /* separated by blanks, `-` for `_` */
    const char *key;
    enum kind kind;
} flags[] = {
    {ALL, "model model-path model-id", "model", MODEL}, {ALL, "model-name", "model", NAME},
    {VLLM, "tensor-parallel-size tp", "parallel.tp", COUNT},
    {SGLANG, "tp-size tp tensor-parallel-size", "parallel.tp", COUNT},
    {TRTLLM, "tp-size tensor-parallel-size tp", "parallel.tp", COUNT},
    {TRTLLM, "quant-algo", "serve.weight_dtype", WEIGHTS}, {VLLM, "pipeline-parallel-size pp", "parallel.pp", COUNT},
    {SGLANG | TRTLLM, "pp-size pipeline-parallel-size", "parallel.pp", COUNT},
    {VLLM, "data-parallel-size dp", "parallel.dp", COUNT},
    {SGLANG, "dp-size data-parallel-size dp", "parallel.dp", COUNT},
    {VLLM, "enable-expert-parallel ep", "parallel.ep", EP},
    {SGLANG, "enable-ep-moe enable-deepep-moe", "parallel.ep", EP},
    {SGLANG, "moe-a2a-backend", "parallel.ep", DISPATCH},
    {SGLANG | TRTLLM, "ep-size expert-parallel-size moe-expert-parallel-size ep", "parallel.ep", COUNT},
    {SGLANG | TRTLLM, "enable-dp-attention enable-attention-dp", "serve.attention_dp", SWITCH},
    {VLLM, "max-model-len", "serve.max_model_len", COUNT}, {SGLANG, "context-length", "serve.max_model_len", COUNT},
    {TRTLLM, "max-seq-len", "serve.max_model_len", COUNT}, {VLLM, "max-num-seqs", "serve.max_num_seqs", COUNT},
    {SGLANG, "max-running-requests", "serve.max_num_seqs", COUNT},
    {TRTLLM, "max-batch-size", "serve.max_num_seqs", COUNT},
    {VLLM, "max-num-batched-tokens", "serve.max_num_batched_tokens", COUNT},
    {SGLANG, "chunked-prefill-size", "serve.max_num_batched_tokens", COUNT},
    {TRTLLM, "max-num-tokens", "serve.max_num_batched_tokens", COUNT},
    {VLLM, "gpu-memory-utilization", "serve.memory_share", SHARE},
    {SGLANG, "mem-fraction-static", "serve.memory_share", SHARE},
    {TRTLLM, "kv-cache-free-gpu-memory-fraction free-gpu-memory-fraction", "serve.memory_share", SHARE},
    {ALL, "kv-cache-dtype", "serve.kv_dtype", CACHE}, {ALL, "quantization q", "serve.weight_dtype", WEIGHTS},
    {ALL, "dtype", "serve.weight_dtype", COMPUTE}, {VLLM, "block-size", "serve.kv_block_size", COUNT},
    {SGLANG, "page-size", "serve.kv_block_size", COUNT}, {TRTLLM, "tokens-per-block", "serve.kv_block_size", COUNT},
    {VLLM, "enforce-eager", "serve.enforce_eager", SWITCH},
    {SGLANG, "disable-cuda-graph", "serve.enforce_eager", SWITCH},
    {VLLM, "compilation-config cc", "serve.enforce_eager", GRAPHS}, {VLLM, "O0", "serve.enforce_eager", SWITCH},
    {TRTLLM, "use-cuda-graph", "serve.enforce_eager", NO_GRAPHS},
    {TRTLLM, "decoding-type", "serve.spec_tokens", DRAFT},
    {VLLM | SGLANG, "cpu-offload-gb", "serve.other_gib", ON_HOST},
    {VLLM, "limit-mm-per-prompt limit-mm-per-prompt.image", "serve.image_tokens", IMAGES},
    {VLLM, "language-model-only", "serve.image_tokens", NO_IMAGES},
    {VLLM, "kv-cache-memory-bytes", "serve.kv_cache_memory_bytes", COUNT},
    {VLLM, "num-gpu-blocks-override", "serve.num_gpu_blocks", COUNT},
    {SGLANG, "max-total-tokens", "serve.max_total_tokens", COUNT},
    {TRTLLM, "max-tokens", "serve.max_total_tokens", COUNT}, {VLLM, "speculative-config", "serve.spec_tokens", DRAFT},
    {VLLM, "num-speculative-tokens spec-tokens speculative-config.num-speculative-tokens", "serve.spec_tokens", COUNT},
    {SGLANG, "speculative-num-steps", "serve.spec_tokens", COUNT},
    {TRTLLM, "num-nextn-predict-layers max-draft-len", "serve.spec_tokens", COUNT},
};

/* Flags that change neither memory nor time. */
static const char harmless[] =
    " host port api-key served-model-name trust-remote-code chat-template tool-call-parser reasoning-parser seed "
    "enable-auto-tool-choice disable-log-requests disable-log-stats download-dir uvicorn-log-level tokenizer-mode "
    "enable-metrics log-level allowed-origins revision tokenizer backend config watchdog-timeout dist-init-addr "
    "extra-llm-api-options enable-padding batch-sizes enable-block-reuse print-iter-log stream-interval "
    "schedule-policy attention-backend cuda-graph-max-bs speculative-algorithm speculative-eagle-topk "
    "speculative-num-draft-tokens model-tag tokenizer-path enable-lora node-rank nnodes "
    "distributed-executor-backend load-format enable-prefix-caching no-enable-prefix-caching "
    "disable-radix-cache enable-chunked-prefill tool-server middleware root-path disable-frontend-multiprocessing "
    "disable-uvicorn-access-log disable-access-log-for-endpoints enable-log-requests enable-log-outputs "
    "api-server-count prefix-caching-hash-algo kv-events-config shutdown-timeout generation-config "
    "override-generation-config "
    "config-format allowed-local-media-path reasoning-parser-plugin logits-processors enable-cache-report "
    "speculative-config.method limit-mm-per-prompt.video limit-mm-per-prompt.audio master-addr "
    "master-port headless data-parallel-size-local data-parallel-address data-parallel-rpc-port data-parallel-backend "
    "data-parallel-start-rank data-parallel-rank data-parallel-hybrid-lb data-parallel-external-lb speculative-algo "
    "chat-template-content-format enable-sleep-mode model-loader-extra-config random-seed ";

/* Flags that change memory but have no key, so their effect becomes a question; and values that change nothing. */
static const char deciding[] =
    " decode-context-parallel-size dcp prefill-context-parallel-size pcp context-parallel-size cp-size max-beam-width "
    "max-loras max-lora-rank lora-modules lora-paths max-loras-per-batch num-redundant-experts eplb-config "
    "ep-num-redundant-experts moe-dense-tp-size enable-dp-lm-head cudagraph-capture-sizes max-cudagraph-capture-size "
    "cuda-graph-sizes cuda-graph-bs disable-hybrid-kv-cache-manager disable-sliding-window swa-full-tokens-ratio "
    "hybrid-kvcache-ratio disable-hybrid-swa-memory mamba-cache-dtype mamba-ssm-cache-dtype mamba-block-size "
    "mamba-cache-mode mamba-ssm-dtype mamba-full-memory-ratio max-mamba-cache-size kv-cache-dtype-skip-layers "
    "speculative-draft-model-path speculative-draft-model speculative-model spec-model torchao-config "
    "max-attention-window quantization-config hf-overrides json-model-override-args cpu-offload-params offload-params "
    "offload-group-size "
    "offload-num-in-group kt-num-gpu-experts kt-weight-path mm-processor-kwargs skip-mm-profiling enable-dbo "
    "enable-two-batch-overlap enable-memory-saver max-prefill-tokens moe-cluster-parallel-size cluster-size "
    "all2all-backend device ";
static const char idle_values[] = " 0 0.0 1 -1 false none null auto {} cuda allgather_reducescatter naive ";

/* Words for types; the ways of quantisation that kernels have names for. */
static const struct {
    const char *word, *type;
} types[] = {
    {"fp8", "fp8"},           {"fbgemm_fp8", "fp8"},   {"modelopt", "fp8"},   {"awq", "awq"},
    {"awq_marlin", "awq"},    {"gptq", "w4a16"},       {"gptq_marlin", "w4a16"}, {"marlin", "w4a16"},
    {"mxfp4", "mxfp4"},       {"modelopt_fp4", "nvfp4"}, {"nvfp4", "nvfp4"},  {"w8a8_int8", "int8"},
    {"w8a8_fp8", "fp8"},      {"int8", "int8"},        {"experts_int8", "int8"}, {"float16", "fp16"},
    {"half", "fp16"},         {"fp16", "fp16"},        {"bfloat16", "bf16"},  {"bf16", "bf16"},
    {"float32", "fp32"},      {"float", "fp32"},       {"fp8_e4m3", "fp8"},   {"fp8_e5m2", "fp8"},
    {"mxfp8", "mxfp8"},       {"fp8_block_scales", "fp8_block"}, {"w4a16_awq", "w4a16"}, {"w4a16_gptq", "w4a16"},
    {"w4a8_mxfp4_fp8", "mxfp4"},
};

static const char *type_of(const char *word)
{
    for (size_t i = 0; i < LENGTH(types); i++)
        if (strcasecmp(types[i].word, word) == 0)
            return types[i].type;
    return NULL;
}

/* Types that names of checkpoints tell. */
static const struct {
    const char *part, *with; /* that must be in the name too; NULL */
    const char *type, *expert, *group; /* of experts and their scales, where they differ; NULL */
} marks[] = {
    {"nvfp4", NULL, "nvfp4", NULL, NULL}, {"mxfp4", NULL, "mxfp4", NULL, NULL}, {"-fp4", NULL, "nvfp4", NULL, NULL},
    {"qwen3", "fp8", "fp8_block", NULL, NULL}, /* 128 x 128, as their config.json has it */
    {"fp8", NULL, "fp8", NULL, NULL}, {"awq", NULL, "awq", NULL, NULL}, {"gptq-int8", NULL, "int8", NULL, NULL},
    {"gptq", NULL, "w4a16", NULL, NULL}, {"w4a16", NULL, "w4a16", NULL, NULL}, {"-int8", NULL, "int8", NULL, NULL},
    {"-int4", NULL, "w4a16", NULL, NULL}, {"-4bit", NULL, "w4a16", NULL, NULL},
    {"autoround", NULL, "w4a16", NULL, NULL}, {"auto-round", NULL, "w4a16", NULL, NULL},
    {"w8a8", NULL, "int8", NULL, NULL}, {"kimi-k2-thinking", NULL, "bf16", "w4a16", "32"},
};

static bool is_word_in(const char *word, const char *list)
{
    char spaced[80];
    snprintf(spaced, sizeof spaced, " %.70s ", word);
    return strstr(list, spaced) != NULL;
}

/* Whether one of several names, each between blanks, begins with a prefix. */
static bool is_start_in(const char *prefix, const char *list)
{
    char spaced[80];
    snprintf(spaced, sizeof spaced, " %.70s", prefix);
    return strstr(list, spaced) != NULL;
}

/* Whether a flag, or the beginning of one as argparse takes it, changes nothing. */
static bool is_harmless(const char *name)
{
    return is_word_in(name, harmless) || (strlen(name) > 8 && is_start_in(name, harmless));
}

/* The flag of a name, or the only one that begins with it, as argparse has it for vLLM and SGLang; NULL for none. */
static const struct flag *find_flag(int engine, const char *name)
{
    enum { PREFIX_LEAST = 5 };
    char list[160];
    const struct flag *start = NULL;
    size_t starts = strlen(name) < PREFIX_LEAST || engine == ENGINE_TRTLLM || is_word_in(name, harmless);
    for (size_t i = 0; i < LENGTH(flags); i++) {
        if (!(flags[i].engines >> engine & 1))
            continue;
        snprintf(list, sizeof list, " %s ", flags[i].names);
        if (is_word_in(name, list))
            return &flags[i];
        if (is_start_in(name, list))
            start = &flags[i], starts++;
    }
    return starts == 1 ? start : NULL;
}

const char *server_flag_names(int engine, const char *name)
{
    const struct flag *flag = find_flag(engine, name);
    return flag ? flag->names : NULL;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* One reading under way. */
struct server_reader {
    int engine;
    const char *file;
    struct import *out;
    struct errors *errors;
    bool is_ep, is_quantised;
    const char *compute; /* type of weights that are not quantised; NULL */
    int line;            /* of the last flag about types */
    bool is_written;     /* the script writes the file */
};

static void set(struct server_reader *s, const char *key, const char *value, int line)
{
    keyvals_add(&s->out->settings, key, value, line);
}

static void set_count(struct server_reader *s, const struct flag *flag, const char *name, const char *text, int line)
{
    char *end, number[32];
    double value = strtod(text, &end);
    double factor = *end == 'k' ? 1e3 : *end == 'K' ? 1024 : *end == 'm' ? 1e6 : *end == 'M' ? MIB
                    : *end == 'g' ? 1e9 : *end == 'G' ? GIB : 1;
    if (!*text || strcmp(text, "auto") == 0 || (end != text && value < 1))
        return;
    if (end == text || (factor > 1 ? end[1] : *end) || value * factor > 1e15) {
        errors_add(s->errors, s->file, line, name, "'%.40s' is not a number; write one such as 8192 or 32K", text);
        return;
    }
    snprintf(number, sizeof number, "%.0f", value * factor);
    set(s, flag->key, number, line);
}

static void set_type(struct server_reader *s, const struct flag *flag, const char *name, const char *text, int line)
{
    /* the checkpoint's own configuration tells the type */
    static const char of_checkpoint[] =
        " compressed-tensors auto-round auto_round inc gguf bitsandbytes torchao quark ";
    const char *type = type_of(text);
    if (!*text || strcasecmp(text, "none") == 0 || strcmp(text, "auto") == 0)
        return;
    s->line = line;
    s->is_quantised |= flag->kind == WEIGHTS;
    if (flag->kind == COMPUTE)
        s->compute = type;
    else if (type)
        set(s, flag->key, type, line);
    else if (flag->kind != WEIGHTS || !is_word_in(text, of_checkpoint))
        errors_warn(s->errors, s->file, line, name, "%.40s is not known here; give %s with --set", text, flag->key);
    if (!type && flag->kind == CACHE)
        import_ask(s->out, flag->key, &(struct asked){name, "fp8", s->file, line, "--set serve.kv_dtype=TYPE", false});
}

/* The type of the weights where no flag and no name of a checkpoint tells it. */
static void finish_types(struct server_reader *s)
{
    static const char key[] = "serve.weight_dtype";
    if (keyvals_last(&s->out->settings, key))
        return;
    if (s->is_quantised)
        import_ask(s->out, key, &(struct asked){"quantization", "w4a16", s->file, s->line,
                                                "--set serve.weight_dtype=TYPE", false});
    else if (s->compute)
        set(s, key, s->compute, s->line);
}

/* A name as it is, or that which a folder of the Hub's cache stands for: `models--Qwen--Qwen3-8B/snapshots/...`. */
static void hub_name(const char *path, char out[96])
{
    static const char folder[] = "models--";
    const char *at = strstr(path, folder), *from = at ? at + strlen(folder) : path;
    size_t n = at ? strcspn(from, "/") : strlen(from), size = 0;
    for (size_t i = 0; i < n && size < 95; i++) {
        bool is_mark = at && strncmp(from + i, "--", 2) == 0;
        out[size++] = is_mark ? '/' : from[i];
        i += is_mark;
    }
    out[size] = '\0';
}

/* The model, and the type of its weights where its name tells it. */
static void set_model(struct server_reader *s, const char *path, int line)
{
    char name[96];
    hub_name(path, name);
    set(s, "model", name, line);
    for (size_t i = 0; i < LENGTH(marks); i++)
        if (strcasestr(name, marks[i].part) && (!marks[i].with || strcasestr(name, marks[i].with))) {
            const char *const set_to[][2] = {{"serve.weight_dtype", marks[i].type},
                                             {"serve.expert_dtype", marks[i].expert},
                                             {"serve.group_size", marks[i].group}};
            for (size_t k = 0; k < LENGTH(set_to); k++)
                if (set_to[k][1])
                    set(s, set_to[k][0], set_to[k][1], line);
            return;
        }
}

static void set_draft(struct server_reader *s, const struct flag *flag, const char *text, int line)
{
    const char *at = strstr(text, "num_speculative_tokens");
    at = at ? at + strcspn(at, "0123456789") : NULL;
    char number[16];
    if (strcmp(text, "MTP") == 0 && !keyvals_last(&s->out->settings, flag->key))
        set(s, flag->key, "1", line);
    if (!at || !*at)
        return;
    snprintf(number, sizeof number, "%ld", strtol(at, NULL, 10) % 1000);
    set(s, flag->key, number, line);
}

/* A flag without a key: harmless, unknown, or with memory that becomes a question. */
static void take_other(struct server_reader *s, const char *name, const char *text, int line)
{
    bool is_idle = *text && is_word_in(text, idle_values);
    bool decides = is_word_in(name, deciding);
    if (decides && !is_idle)
        import_ask(s->out, "serve.other_gib",
                   &(struct asked){name, "0", s->file, line, "--set serve.other_gib=N", false});
    else
        keyvals_add(&s->out->unused, name, decides || is_harmless(name) ? IMPORT_NO_EFFECT : IMPORT_NOT_KNOWN, line);
}

/* A name with `-` for `_`, in fresh memory. */
static char *dashes_of(const char *name)
{
    char *out = xstrndup(name, strlen(name));
    for (char *p = out; *p; p++)
        *p = *p == '_' ? '-' : *p;
    return out;
}

/*
 * Asks for what a flag decides where its value comes from a variable that nothing sets, by its name where that is
 * known, else by `shown`. False where the flag decides nothing.
 */
static bool ask_open(struct server_reader *s, const char *name, const char *shown, const char *variable, int line)
{
    char how[96], *dashed = dashes_of(name);
    const struct flag *flag = find_flag(s->engine, dashed);
    bool is_model = flag && strcmp(flag->key, "model") == 0;
    free(dashed);
    if (!flag)
        return false;
    snprintf(how, sizeof how, variable ? "--env %.60s=VALUE" : is_model ? "--model NAME" : "--set %.60s=VALUE",
             variable ? variable : flag->key);
    import_ask(s->out, is_model ? "model.num_layers" : flag->key,
               &(struct asked){variable ? variable : shown, "", s->file, line, how, false});
    return true;
}

/* Whether a text is filled in later: by a template or from a variable. */
static bool is_open(const char *text)
{
    return strstr(text, "{{") || strstr(text, "${") || (*text == '$' && isalpha((unsigned char)text[1]));
}

static void take(struct server_reader *s, const char *name, const char *text, int line)
{
    const struct flag *flag = find_flag(s->engine, name);
    s->out->is_on_cpu |= strcmp(name, "device") == 0 && strcmp(text, "cpu") == 0;
    if (!flag) {
        take_other(s, name, text, line);
        return;
    }
    if (is_open(text)) {
        ask_open(s, name, text, NULL, line);
        return;
    }
    switch (flag->kind) {
    case COUNT: set_count(s, flag, name, text, line); break;
    case SHARE: set(s, flag->key, text, line); break;
    case SWITCH: set(s, flag->key, *text && strcmp(text, "false") == 0 ? "false" : "true", line); break;
    case CACHE: case WEIGHTS: case COMPUTE: set_type(s, flag, name, text, line); break;
    case DRAFT: set_draft(s, flag, text, line); break;
    case MODEL: set_model(s, text, line); break;
    case GRAPHS:
        if (strstr(text, "cudagraph_mode") && strstr(text, "NONE"))
            set(s, flag->key, "true", line);
        break;
    case IMAGES:
        if (strcmp(text, "0") == 0 || (strstr(text, "image") && !strpbrk(strstr(text, "image"), "123456789")))
            set(s, flag->key, "0", line);
        break;
    case NO_IMAGES: set(s, flag->key, "0", line); break;
    case NAME:
        if (!keyvals_last(&s->out->settings, flag->key))
            set_model(s, text, line);
        break;
    case NO_GRAPHS: set(s, flag->key, strcasecmp(text, "false") == 0 ? "true" : "false", line); break;
    case EP: s->is_ep = strcmp(text, "false") != 0; break;
    case DISPATCH: s->is_ep |= strcmp(text, "none") != 0; break;
    case ON_HOST:
        if (strtod(text, NULL) > 0)
            keyvals_number(&s->out->settings, flag->key, -strtod(text, NULL), line);
        break;
    }
}

static double number_of(const struct server_reader *s, const char *key)
{
    const struct keyval *it = keyvals_last(&s->out->settings, key);
    return it ? strtod(it->value, NULL) : 1;
}

/* Attention that is data-parallel within tp, as SGLang and TensorRT-LLM count it: each rank of a plan has its part. */
static void part_ranks(struct server_reader *s)
{
    static const char *const of_all[] = {"serve.max_num_seqs", "serve.max_num_batched_tokens"}; /* in SGLang's flags */
    const struct keyval *is_apart = keyvals_last(&s->out->settings, "serve.attention_dp");
    double tp = number_of(s, "parallel.tp"), dp = s->engine == ENGINE_TRTLLM ? tp : number_of(s, "parallel.dp");
    if (s->engine == ENGINE_VLLM || !is_apart || strcmp(is_apart->value, "true") != 0)
        return;
    if (!(dp > 1) || fmod(tp, dp) != 0)
        return;
    keyvals_number(&s->out->settings, "parallel.tp", tp / dp, 0);
    keyvals_number(&s->out->settings, "parallel.dp", dp, 0);
    for (size_t i = 0; s->engine == ENGINE_SGLANG && i < LENGTH(of_all); i++)
        if (keyvals_last(&s->out->settings, of_all[i]))
            keyvals_number(&s->out->settings, of_all[i], floor(number_of(s, of_all[i]) / dp), 0);
}

/* What no flag tells: experts over all ranks, and just the GPUs that the ranks need. */
static void finish(struct server_reader *s)
{
    part_ranks(s);
    finish_types(s);
    if (s->engine == ENGINE_VLLM && number_of(s, "parallel.dp") > 1) /* docs/serving/data_parallel_deployment.md */
        set(s, "serve.attention_dp", "true", 0);
    static const char *const names[] = {"none", "vllm", "sglang", "trtllm"};
    double tp = number_of(s, "parallel.tp"), dp = number_of(s, "parallel.dp");
    double ranks = tp * dp * number_of(s, "parallel.pp"), node = ranks > 8 ? 8 : ranks;
    char number[32];
    set(s, "workload", "inference", 0);
    set(s, "serve.engine", names[s->engine], 0);
    double sharing = tp * (keyvals_last(&s->out->settings, "serve.attention_dp") ? dp : 1);
    snprintf(number, sizeof number, "%.0f", sharing);
    if (s->is_ep && sharing > 1)
        set(s, "parallel.ep", number, 0);
    keyvals_number(&s->out->defaults, "hardware.gpus_per_node", node, 0);
    keyvals_number(&s->out->defaults, "hardware.nodes", (double)(long)((ranks + node - 1) / node), 0);
}

/* ---- commands --------------------------------------------------------------------------------------------------- */

static const struct {
    const char *program;
    int engine;
    bool is_module;
} programs[] = {
    {"vllm", ENGINE_VLLM, false}, {"vllm.entrypoints.openai.api_server", ENGINE_VLLM, true},
    {"vllm.entrypoints.api_server", ENGINE_VLLM, true}, {"sglang", ENGINE_SGLANG, false},
    {"sglang.launch_server", ENGINE_SGLANG, true}, {"trtllm-serve", ENGINE_TRTLLM, false},
    {"dynamo.vllm", ENGINE_VLLM, true}, {"dynamo.sglang", ENGINE_SGLANG, true},
    {"dynamo.trtllm", ENGINE_TRTLLM, true},
};

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_flag(const char *word)
{
    size_t dashes = strspn(word, "-");
    return dashes >= 1 && dashes <= 2 && isalpha((unsigned char)word[dashes]);
}

/* Whether a container is started before word `i`. */
static bool is_in_container(const struct shell_word *word, size_t i)
{
    for (size_t k = 1; k < i; k++)
        if (strcmp(word[k].text, "run") == 0 && (strcmp(last_part(word[k - 1].text), "docker") == 0 ||
                                                 strcmp(last_part(word[k - 1].text), "podman") == 0))
            return true;
    return false;
}

/*
 * The row of the server that a word names, -1 for none: `vllm` and `sglang` only before `serve`, an image where only
 * flags for what it starts follow.
 */
static int program_at(const struct shell_word *word, size_t count, size_t i)
{
    const char *name = last_part(word[i].text), *next = i + 1 < count ? word[i + 1].text : "";
    if (server_of_image(word[i].text) && is_flag(next) && strlen(next) > 2 && is_in_container(word, i))
        return 0;
    for (size_t k = 0; k < LENGTH(programs); k++) {
        bool is_it = strcmp(name, programs[k].program) == 0;
        bool serves = programs[k].engine == ENGINE_TRTLLM || strcmp(next, "serve") == 0;
        if (is_it && (programs[k].is_module ? i > 0 && strcmp(word[i - 1].text, "-m") == 0 : serves))
            return (int)k;
    }
    return -1;
}

size_t server_find(const struct shell_word *word, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (program_at(word, count, i) >= 0)
            return i;
    return count;
}

/* Reads the flag at `at`. Returns how many words it takes. */
static size_t read_flag(struct server_reader *s, const struct shell_word *word, size_t count, size_t at)
{
    const char *text = word[at].text + strspn(word[at].text, "-"), *equals = strchr(text, '=');
    char *name = xstrndup(text, equals ? (size_t)(equals - text) : strlen(text));
    for (char *p = name; *p; p++)
        *p = *p == '_' ? '-' : *p;
    const struct flag *flag = find_flag(s->engine, name);
    bool is_switch = flag && (flag->kind == SWITCH || flag->kind == EP || flag->kind == NO_IMAGES);
    bool has_value = !equals && !is_switch && at + 1 < count && !is_flag(word[at + 1].text);
    const struct shell_word *value = &word[has_value ? at + 1 : at];
    if (value->is_unknown) {
        const char *variable = shell_reason_variable(value->why);
        char *why = shell_reason_text(value->why);
        if (!variable || !ask_open(s, name, "", variable, value->line))
            errors_note(s->errors, s->file, value->line, name, "%s; set the keys it decides with --set", why);
        free(why);
    } else {
        take(s, name, equals ? equals + 1 : has_value ? value->text : "", word[at].line);
    }
    free(name);
    return has_value ? 2 : 1;
}

/*
 * Settings in files that are not the flag of their last name; the first with which a path begins counts. Groups that
 * decide nothing here have no flag. TensorRT-LLM's are fields of tensorrt_llm/llmapi/llm_args.py at 0004396.
 */
static const struct {
    const char *path, *flag;
} members[] = {
    {"kv_cache_config.dtype", "kv-cache-dtype"}, {"kv_cache_config.max_attention_window", "max-attention-window"},
    {"kv_cache_config.max_gpu_total_bytes", "kv-cache-memory-bytes"},
    {"quant_config.kv_cache_quant_algo", "kv-cache-dtype"},
    {"speculative_config.speculative_model", "speculative-model"},
    {"moe_config.load_balancer", "eplb-config"}, {"lora_config.lora_dir", "lora-paths"}, {"cuda_graph_config.", NULL},
    {"moe_config.", NULL}, {"attention_dp_config.", NULL}, {"cache_transceiver_config.", NULL},
    {"nvfp4_gemm_config.", NULL}, {"torch_compile_config.", NULL}, {"scheduler_config.", NULL},
    {"perf_metrics", NULL}, {"build_config.plugin_config.", NULL},
};

/* Servers that prefill and servers that decode, in one file of `trtllm-serve disaggregated`. */
static const char prefill[] = "context_servers.", decode[] = "generation_servers.";

/* Takes a setting of a file by its path. */
static void take_setting(struct server_reader *s, const struct tree_value *item, int line)
{
    const char *path = item->path + (strncmp(item->path, decode, strlen(decode)) == 0 ? strlen(decode) : 0);
    const char *last = strrchr(path, '.'), *flag = last ? last + 1 : path;
    bool is_of_prefill = strncmp(path, prefill, strlen(prefill)) == 0;
    for (size_t i = 0; i < LENGTH(members); i++)
        if (strncmp(path, members[i].path, strlen(members[i].path)) == 0) {
            flag = members[i].flag;
            break;
        }
    if (item->is_null && strcmp(path, "cuda_graph_config") == 0)
        server_reader_take(s, "use-cuda-graph", "false", line);
    else if (!flag || is_of_prefill)
        keyvals_add(&s->out->unused, item->path, is_of_prefill ? "is a server that prefills; the plan is that of the "
                    "servers that decode" : IMPORT_NO_EFFECT, line);
    else if (!item->is_null)
        server_reader_take(s, flag, item->text, line);
    else if (s->is_written) /* by the script, from a variable that it does not set */
        ask_open(s, flag, item->path, NULL, line);
}

/* Takes the settings of a file that a flag names: `--config`, `--extra_llm_api_options`. */
static void take_file(struct server_reader *s, const char *path, int line)
{
    size_t size, faults = s->errors->faults;
    struct tree tree;
    char *text = beside_read(s->out, path, &size);
    s->is_written = s->out->written && keyvals_last(s->out->written, path + (strncmp(path, "./", 2) == 0 ? 2 : 0));
    if (!text) {
        errors_note(s->errors, s->file, line, NULL, "%.80s is not beside it; its settings are not read", path);
        return;
    }
    int result = tree_read(text, size, path, tree_format(text, size), TREE_LENIENT, &tree, s->errors);
    for (size_t i = 0; i < tree.count && result == 0 && s->errors->faults == faults; i++)
        take_setting(s, &tree.item[i], line);
    tree_free(&tree);
    free(text);
}

static void take_files(struct server_reader *s, const struct shell_word *word, size_t count, size_t at)
{
    static const char *const flags_of_files[] = {"--config", "--extra_llm_api_options", "--extra-llm-api-options",
                                                 "--config_file", "-c", "--extra-engine-args"};
    for (; at < count; at++)
        for (size_t k = 0; k < LENGTH(flags_of_files); k++) {
            size_t n = strlen(flags_of_files[k]);
            if (strncmp(word[at].text, flags_of_files[k], n) != 0)
                continue;
            if (word[at].text[n] == '=')
                take_file(s, word[at].text + n + 1, word[at].line);
            else if (!word[at].text[n] && at + 1 < count && !word[at + 1].is_unknown)
                take_file(s, word[at + 1].text, word[at].line);
        }
}

void server_read(const struct shell_word *word, size_t count, size_t at, const char *file, struct import *out,
                 struct errors *errors)
{
    int engine = programs[program_at(word, count, at)].engine;
    struct server_reader s = {.engine = engine, .file = file, .out = out, .errors = errors};
    for (size_t i = 0; i <= at && is_in_container(word, at); i++)
        server_take_image(word[i].text, out);
    at++;
    at += at < count && is_word_in(word[at].text, " serve disaggregated ");
    if (s.engine != ENGINE_TRTLLM) /* whose file counts more than its flags */
        take_files(&s, word, count, at);
    if (at < count && !is_flag(word[at].text) && !word[at].is_unknown)
        set_model(&s, word[at].text, word[at].line), at++;
    while (at < count)
        at += is_flag(word[at].text) ? read_flag(&s, word, count, at) : 1;
    if (s.engine == ENGINE_TRTLLM)
        take_files(&s, word, count, 0);
    finish(&s);
}

/* ---- scripts ---------------------------------------------------------------------------------------------------- */

void server_count(struct server_choice *choice, int line)
{
    buffer_printf(&choice->list, "%s%zu line %d", choice->all ? ", " : "", choice->all + 1, line);
    choice->all++;
}

void server_choose(const struct shell_script *script, struct server_choice *choice, const char *file,
                   struct import *out, struct errors *errors)
{
    size_t wanted = out->options ? (size_t)out->options->command : 0;
    choice->trains = choice->all;
    for (size_t i = 0; i < script->count; i++)
        if (server_find(script->command[i].word, script->command[i].count) < script->command[i].count)
            server_count(choice, script->command[i].line);
    const char *what = choice->trains == choice->all ? "run training"
                       : choice->trains == 0         ? "start a server"
                                                     : "train or serve";
    out->commands = wanted > 0 ? 1 : (int)choice->all;
    if (out->commands > 1)
        errors_note(errors, file, 0, NULL, "%zu commands %s: %.200s; --command N takes another", choice->all, what,
                    choice->list.text);
    if (choice->all > 0 && wanted > choice->all)
        errors_add(errors, file, 0, "--command", "there is no command %zu to %s; use 1 to %zu", wanted, what,
                   choice->all);
    choice->wanted = wanted > choice->trains ? wanted - choice->trains : choice->trains == 0;
    buffer_free(&choice->list);
}

bool server_read_wanted(const struct shell_script *script, const struct server_choice *choice, const char *file,
                        struct import *out, struct errors *errors)
{
    size_t count = 0;
    for (size_t i = 0; i < script->count && choice->wanted > 0; i++) {
        const struct shell_command *it = &script->command[i];
        size_t at = server_find(it->word, it->count);
        if (at == it->count || ++count != choice->wanted)
            continue;
        server_read(it->word, it->count, at, file, out, errors);
        static const char backend[] = "VLLM_ALL2ALL_BACKEND"; /* before vLLM had a flag for it */
        int line = launch_line(script, backend, NULL);
        out->is_on_cpu |= launch_line(script, "VLLM_CPU_KVCACHE_SPACE", NULL) > 0; /* vllm/envs.py: of CPUs alone */
        if (line && !launch_line(script, backend, "naive") && !launch_line(script, backend, "allgather_reducescatter"))
            import_ask(out, "serve.other_gib",
                       &(struct asked){backend, "0", file, line, "--set serve.other_gib=N", false});
        return true;
    }
    return false;
}

/* ---- images ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *part, *command;
} images[] = {
    {"vllm-openai", "python3 -m vllm.entrypoints.openai.api_server"},
    {"vllm/vllm", "python3 -m vllm.entrypoints.openai.api_server"},
};

const char *server_of_image(const char *image)
{
    for (size_t i = 0; i < LENGTH(images); i++)
        if (strstr(image, images[i].part))
            return images[i].command;
    return NULL;
}

void server_take_image(const char *image, struct import *out)
{
    const char *tag = strrchr(image, ':');
    char version[16];
    bool is_engine = strstr(image, "vllm") || strstr(image, "sglang") || strstr(image, "tensorrt-llm");
    static const char *const others[] = {"-tpu", "-xpu", "-hpu", "neuron"}; /* which serve without GPUs */
    out->is_on_cpu |= is_engine && strstr(image, "-cpu");
    for (size_t i = 0; i < LENGTH(others) && is_engine; i++)
        if (strstr(image, others[i]))
            keyvals_add(&out->unread, "framework.name", image, 0);
    if (!tag || !is_engine || strstr(image, "lmcache")) /* which has versions of its own */
        return;
    tag += 1 + (tag[1] == 'v');
    size_t n = strspn(tag, "0123456789.");
    if (n < 3 || n >= sizeof version || !strchr(tag, '.'))
        return;
    snprintf(version, sizeof version, "%.*s", (int)n, tag);
    keyvals_add(&out->settings, "serve.engine_version", version, 0);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

struct server_reader *server_reader_open(int engine, const char *file, struct import *out, struct errors *errors)
{
    struct server_reader *reader = xmalloc(sizeof *reader);
    *reader = (struct server_reader){.engine = engine, .file = file, .out = out, .errors = errors};
    return reader;
}

void server_reader_take(struct server_reader *reader, const char *name, const char *text, int line)
{
    char *flag = dashes_of(name);
    take(reader, flag, text, line);
    free(flag);
}

void server_reader_close(struct server_reader *reader)
{
    finish(reader);
    free(reader);
}

/* Names of a plan's keys in each engine's file, for writing changes back. */
static const struct tree_row vllm_rows[] = {
    {"tensor-parallel-size|tensor_parallel_size", "parallel.tp", TREE_WHOLE, NULL},
    {"pipeline-parallel-size|pipeline_parallel_size", "parallel.pp", TREE_WHOLE, NULL},
    {"data-parallel-size|data_parallel_size", "parallel.dp", TREE_WHOLE, NULL},
    {"max-model-len|max_model_len", "serve.max_model_len", TREE_WHOLE, NULL},
    {"max-num-seqs|max_num_seqs", "serve.max_num_seqs", TREE_WHOLE, NULL},
    {"max-num-batched-tokens|max_num_batched_tokens", "serve.max_num_batched_tokens", TREE_WHOLE, NULL},
    {"gpu-memory-utilization|gpu_memory_utilization", "serve.memory_share", TREE_NUMBER, NULL},
    {"kv-cache-dtype|kv_cache_dtype", "serve.kv_dtype", TREE_TEXT, NULL},
    {"block-size|block_size", "serve.kv_block_size", TREE_WHOLE, NULL},
    {"enforce-eager|enforce_eager", "serve.enforce_eager", TREE_BOOL, NULL},
    {"kv-cache-memory-bytes|kv_cache_memory_bytes", "serve.kv_cache_memory_bytes", TREE_WHOLE, NULL},
}, sglang_rows[] = {
    TREE_SIZE("tp-size|tp_size|tp", "parallel.tp"), TREE_SIZE("pp-size|pp_size", "parallel.pp"),
    TREE_SIZE("ep-size|ep_size", "parallel.ep"), TREE_SIZE("context-length|context_length", "serve.max_model_len"),
    TREE_SIZE("max-running-requests|max_running_requests", "serve.max_num_seqs"),
    TREE_SIZE("chunked-prefill-size|chunked_prefill_size", "serve.max_num_batched_tokens"),
    {"mem-fraction-static|mem_fraction_static", "serve.memory_share", TREE_NUMBER, NULL},
    {"disable-cuda-graph|disable_cuda_graph", "serve.enforce_eager", TREE_BOOL, NULL},
    {"max-total-tokens|max_total_tokens", "serve.max_total_tokens", TREE_WHOLE, NULL},
}, trtllm_rows[] = {
    TREE_SIZE("tensor_parallel_size", "parallel.tp"), TREE_SIZE("pipeline_parallel_size", "parallel.pp"),
    TREE_SIZE("moe_expert_parallel_size", "parallel.ep"), TREE_SIZE("max_seq_len", "serve.max_model_len"),
    TREE_SIZE("max_batch_size", "serve.max_num_seqs"), TREE_SIZE("max_num_tokens", "serve.max_num_batched_tokens"),
    {"kv_cache_config.free_gpu_memory_fraction|kv_cache_free_gpu_memory_fraction", "serve.memory_share", TREE_NUMBER,
     NULL},
    {"kv_cache_config.dtype", "serve.kv_dtype", TREE_TEXT, NULL},
    {"kv_cache_config.tokens_per_block", "serve.kv_block_size", TREE_WHOLE, NULL},
    {"kv_cache_config.max_tokens", "serve.max_total_tokens", TREE_WHOLE, NULL},
    {"speculative_config.num_nextn_predict_layers|speculative_config.max_draft_len", "serve.spec_tokens", TREE_WHOLE,
     NULL},
};

static const struct {
    const struct tree_row *row;
    size_t count;
    const char *own; /* names that identify the engine; vLLM if there are none */
} files[ENGINE_COUNT] = {
    [ENGINE_VLLM] = {vllm_rows, LENGTH(vllm_rows), ""},
    [ENGINE_SGLANG] = {sglang_rows, LENGTH(sglang_rows),
                       " model-path mem-fraction-static tp-size model_path mem_fraction_static "},
    [ENGINE_TRTLLM] = {trtllm_rows, LENGTH(trtllm_rows),
                       " kv_cache_config cuda_graph_config moe_config generation_servers enable_attention_dp "
                       "max_batch_size max_num_tokens max_seq_len moe_expert_parallel_size "},
};

static int engine_of(const struct tree *tree)
{
    for (int engine = ENGINE_COUNT - 1; engine > ENGINE_NONE; engine--)
        for (size_t i = 0; i < tree->count; i++) {
            char first[80];
            snprintf(first, sizeof first, "%.*s", (int)strcspn(tree->item[i].path, "."), tree->item[i].path);
            if (is_word_in(first, files[engine].own))
                return engine;
        }
    return ENGINE_VLLM;
}

int server_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    struct tree tree;
    struct server_reader s = {.engine = ENGINE_VLLM, .file = name, .out = out, .errors = errors};
    size_t faults = errors->faults;
    int result = tree_read(text, size, name, tree_format(text, size), TREE_LENIENT, &tree, errors);
    s.engine = result == 0 ? engine_of(&tree) : s.engine;
    for (size_t i = 0; i < tree.count && result == 0; i++)
        if (s.engine == ENGINE_TRTLLM)
            take_setting(&s, &tree.item[i], tree.item[i].line);
        else if (!tree.item[i].is_null)
            server_reader_take(&s, tree.item[i].path, tree.item[i].text, tree.item[i].line);
    tree_keep(out, "", files[s.engine].row, files[s.engine].count);
    if (result == 0)
        finish(&s);
    tree_free(&tree);
    return errors->faults > faults ? -1 : result;
}

/* ---- recipes of srt-slurm --------------------------------------------------------------------------------------- */

static const char *const recipe_groups[ENGINE_COUNT] = {[ENGINE_VLLM] = "backend.vllm_config.",
                                                        [ENGINE_SGLANG] = "backend.sglang_config.",
                                                        [ENGINE_TRTLLM] = "backend.trtllm_config."};

static const char *text_at(const struct tree *tree, const char *path)
{
    const struct tree_value *it = tree_peek(tree, path);
    return it && !it->is_null ? it->text : "";
}

/* Takes the settings of the decode workers, or of the aggregated ones. */
static void take_recipe(struct server_reader *s, const struct tree *tree)
{
    static const char *const of_decode[] = {"decode.", "aggregated."};
    const char *group = recipe_groups[s->engine];
    for (size_t i = 0; i < tree->count; i++) {
        struct tree_value own = tree->item[i];
        own.path += strncmp(own.path, group, strlen(group)) == 0 ? strlen(group) : strlen(own.path);
        for (size_t k = 0; k < LENGTH(of_decode); k++)
            if (strncmp(own.path, of_decode[k], strlen(of_decode[k])) == 0) {
                own.path += strlen(of_decode[k]);
                if (strcmp(own.path, "model-path") != 0) /* where the container has it */
                    take_setting(s, &own, own.line);
            }
    }
}

/* The model by its path or its name on the Hub, the type of its weights, and the GPUs of one server. */
static void take_recipe_rest(struct server_reader *s, const struct tree *tree)
{
    static const char *const names[] = {"model.path", "identity.model.repo"};
    const char *precision = text_at(tree, "model.precision"), *gpu = text_at(tree, "resources.gpu_type"),
               *device = launch_device(gpu);
    for (size_t i = 0; i < LENGTH(names); i++)
        if (*text_at(tree, names[i]))
            set_model(s, text_at(tree, names[i]), 0);
    server_take_image(text_at(tree, "model.container"), s->out);
    if (!keyvals_last(&s->out->settings, "serve.weight_dtype") && strlen(precision) == 3)
        set(s, "serve.weight_dtype", strcmp(precision, "fp4") == 0 ? "nvfp4" : "fp8", 0);
    finish(s);
    double ranks = number_of(s, "parallel.tp") * number_of(s, "parallel.dp") * number_of(s, "parallel.pp"),
           each = fmin(ranks, strtod(text_at(tree, "resources.gpus_per_node"), NULL));
    if (device)
        import_ask(s->out, "hardware.gpu", &(struct asked){"GPU", device, s->file, 0, "--gpu NAME", false});
    if (each >= 1) {
        keyvals_number(&s->out->settings, "hardware.gpus_per_node", each, 0);
        keyvals_number(&s->out->settings, "hardware.nodes", ceil(ranks / each), 0);
    }
}

int srt_slurm_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    struct tree tree;
    struct server_reader s = {.engine = ENGINE_VLLM, .file = name, .out = out, .errors = errors};
    size_t faults = errors->faults;
    int result = tree_read(text, size, name, tree_format(text, size), TREE_LENIENT, &tree, errors);
    for (size_t i = 0; i < tree.count && result == 0; i++)
        for (int engine = ENGINE_NONE + 1; engine < ENGINE_COUNT; engine++)
            if (strncmp(tree.item[i].path, recipe_groups[engine], strlen(recipe_groups[engine])) == 0)
                s.engine = engine;
    if (result == 0) {
        if (*text_at(&tree, "resources.decode_workers"))
            errors_note(errors, name, 0, NULL, "the plan is that of one server that decodes; the others are left out");
        take_recipe(&s, &tree);
        take_recipe_rest(&s, &tree);
    }
    tree_free(&tree);
    return errors->faults > faults ? -1 : result;
}
