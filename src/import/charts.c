#include "src/import/charts.h"

#include "core/base.h"
#include "src/import/carrier.h"
#include "src/import/import.h"
#include "src/import/kubernetes.h"
#include "src/import/server.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char command[] = "python3 -m vllm.entrypoints.openai.api_server";

static const struct node *at_path(const struct node *node, const char *path)
{
    char key[64];
    for (const char *p = path; node && *p;) {
        size_t n = strcspn(p, ".");
        snprintf(key, sizeof key, "%.*s", (int)n, p);
        node = node->kind == NODE_LIST && *key == '0' ? node->child : kubernetes_member(node, key);
        p += n + (p[n] == '.');
    }
    return node;
}

/* ---- flags ------------------------------------------------------------------------------------------------------- */

/* A word that a shell takes as it is. */
static void put_quoted(struct buffer *out, const char *word)
{
    buffer_puts(out, " '");
    for (; *word; word++)
        buffer_printf(out, *word == '\'' ? "'\\''" : "%c", *word);
    buffer_puts(out, "'");
}

/* `maxModelLen: 8192` as `--max-model-len 8192`; a switch alone where it is true. */
static void put_flag(struct buffer *out, const char *name, const char *value)
{
    if (!*value || strcmp(value, "false") == 0)
        return;
    buffer_puts(out, " --");
    for (const char *p = name; *p; p++)
        buffer_printf(out, isupper((unsigned char)*p) ? "-%c" : "%c", tolower((unsigned char)*p));
    if (strcmp(value, "true") != 0)
        put_quoted(out, value);
}

static void put_model(struct buffer *out, const char *name)
{
    const char *scheme = strstr(name, "://");
    if (!*name || strncmp(name, "pvc:", 4) == 0)
        return;
    buffer_puts(out, " --model");
    put_quoted(out, scheme ? scheme + 3 : name);
}

static void put_parallelism(struct buffer *out, const struct node *sizes)
{
    static const struct {
        const char *key, *flag;
    } rows[] = {{"tensor", "tensorParallelSize"}, {"pipeline", "pipelineParallelSize"}, {"data", "dataParallelSize"},
                {"expert", "enableExpertParallel"}};
    for (size_t i = 0; i < LENGTH(rows); i++)
        put_flag(out, rows[i].flag, kubernetes_text(kubernetes_member(sizes, rows[i].key)));
}

/* Members in camel case that are flags of vLLM's. */
static void put_settings(struct buffer *out, const struct node *mapping)
{
    static const char flags[] = " maxModelLen blockSize gpuMemoryUtilization maxNumBatchedTokens maxNumSeqs dtype "
                                "tensorParallelSize pipelineParallelSize enforceEager kvCacheDtype quantization "
                                "maxNumSeq maxLoras ";
    char spaced[64];
    for (const struct node *it = mapping && mapping->kind == NODE_MAPPING ? mapping->child : NULL; it; it = it->next) {
        snprintf(spaced, sizeof spaced, " %.60s ", it->key ? it->key : "");
        if (it->kind == NODE_VALUE && it->key && strstr(flags, spaced))
            put_flag(out, it->key, it->text);
    }
}

static void put_words(struct buffer *out, const struct node *list)
{
    for (const struct node *it = list && list->kind == NODE_LIST ? list->child : NULL; it; it = it->next)
        put_quoted(out, kubernetes_text(it));
}

/* Flags as a shell would split them, on the same line. */
static void put_line(struct buffer *out, const char *flags)
{
    buffer_puts(out, " ");
    for (; *flags; flags++)
        buffer_printf(out, "%c", *flags == '\n' ? ' ' : *flags);
}

/* Flags that KServe's own command ends with: kserve config/llmisvcconfig/config-llm-template.yaml. */
static void put_more(struct buffer *out, const struct node *containers)
{
    for (const struct node *it = containers ? containers->child : NULL; it; it = it->next) {
        const struct node *env = kubernetes_member(it, "env");
        for (const struct node *one = env ? env->child : NULL; one; one = one->next)
            if (strcmp(kubernetes_text(kubernetes_member(one, "name")), "VLLM_ADDITIONAL_ARGS") == 0)
                put_line(out, kubernetes_text(kubernetes_member(one, "value")));
    }
}

void charts_put_flags(struct buffer *out, const struct node *spec)
{
    static const char *const models[] = {"model.uri", "model.huggingfaceId", "model.name", "model.modelURL", "modelURL",
                                         "modelArtifacts.uri", "modelArtifacts.name", "model"};
    for (size_t i = 0, done = 0; i < LENGTH(models) && !done; i++) {
        const char *name = kubernetes_text(at_path(spec, models[i]));
        size_t before = out->size;
        put_model(out, name);
        done = out->size > before;
    }
    put_parallelism(out, kubernetes_member(spec, "parallelism"));
    put_settings(out, spec);
    put_settings(out, kubernetes_member(spec, "model"));
    put_settings(out, kubernetes_member(spec, "vllmConfig"));
    put_words(out, kubernetes_member(spec, "extraArgs"));
    put_words(out, at_path(spec, "vllmConfig.extraArgs"));
    put_more(out, at_path(spec, "template.containers"));
}

bool charts_is_server(const struct node *spec)
{
    return at_path(spec, "model.uri") || at_path(spec, "model.modelURL");
}

double charts_nodes(const struct node *spec, int each)
{
    static const char *const sizes[] = {"tensor", "pipeline", "data"};
    double ranks = 1, replicas = fmax(1, (double)kubernetes_count(kubernetes_member(spec, "replicas")));
    for (size_t i = 0; i < LENGTH(sizes); i++)
        ranks *= fmax(1, (double)kubernetes_count(kubernetes_member(kubernetes_member(spec, "parallelism"), sizes[i])));
    return each > 0 && ranks > each ? fmin(ceil(ranks / each) * replicas, 1 << 20) : 0;
}

/* ---- values of charts -------------------------------------------------------------------------------------------- */

/* A container's own command, or the flags that it adds to the image's. */
static void put_container(struct buffer *out, const struct node *container)
{
    struct buffer own = {0};
    kubernetes_put_command(&own, container);
    bool starts = strstr(own.text, "vllm") || strstr(own.text, "sglang");
    if (starts)
        buffer_puts(out, own.text);
    else
        put_words(out, kubernetes_member(container, "args"));
    while (out->size > 0 && out->text[out->size - 1] == '\n')
        out->text[--out->size] = '\0';
    buffer_free(&own);
}

/* The part of the values that describes one server: of a split into prefill and decode, the latter. */
static const struct node *server_of(const struct node *root)
{
    static const char *const parts[] = {"servingEngineSpec.modelSpec.0", "decode", "prefill"};
    for (size_t i = 0; i < LENGTH(parts); i++)
        if (at_path(root, parts[i]))
            return at_path(root, parts[i]);
    return root;
}

static void put_script(struct buffer *out, const struct node *root, const struct node *server)
{
    const struct node *container = at_path(server, "containers.0");
    struct buffer own = {0};
    buffer_puts(&own, "");
    if (container)
        put_container(&own, container);
    bool starts = strncmp(own.text, " '", 2) != 0 && *own.text;
    buffer_puts(out, starts ? own.text : command);
    charts_put_flags(out, root);
    if (server != root)
        charts_put_flags(out, server);
    buffer_puts(out, starts ? "" : own.text);
    buffer_puts(out, "\n");
    buffer_free(&own);
}

/* Variables of llm-d-benchmark's commands: llm-d-benchmark config/templates/jinja (2026). */
static void add_variables(struct keyvals *env, const struct node *common, const struct node *server)
{
    static const struct {
        const char *name, *of_common, *of_server;
    } rows[] = {{"VLLM_MAX_MODEL_LEN", "model.maxModelLen", ""},   {"VLLM_BLOCK_SIZE", "model.blockSize", ""},
                {"VLLM_MAX_NUM_SEQ", "model.maxNumSeq", ""},       {"MODEL_PATH", "model.path", ""},
                {"MODEL_NAME", "model.name", ""},                  {"TP_SIZE", "", "parallelism.tensor"},
                {"VLLM_TENSOR_PARALLELISM", "", "parallelism.tensor"}, {"PP_SIZE", "", "parallelism.pipeline"},
                {"VLLM_MAX_NUM_BATCHED_TOKENS", "model.maxNumBatchedTokens", ""},
                {"VLLM_ACCELERATOR_MEM_UTIL", "model.gpuMemoryUtilization", ""},
                {"DP_SIZE_LOCAL", "", "parallelism.dataLocal"},    {"LWS_GROUP_SIZE", "", "parallelism.workers"}};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct node *node = *rows[i].of_common ? at_path(common, rows[i].of_common)
                                                     : at_path(server, rows[i].of_server);
        if (*kubernetes_text(node))
            keyvals_add(env, rows[i].name, kubernetes_text(node), 0);
    }
}

/* A scenario of llm-d-benchmark: the command of its server, or that which its settings make. */
static int read_scenario(const struct node *root, const char *name, struct import *out, struct errors *errors)
{
    const struct node *first = at_path(root, "scenario.0"), *own = kubernetes_member(first, "common"),
                      *common = own ? own : first, *decode = kubernetes_member(first, "decode"),
                      *server = decode ? decode : kubernetes_member(first, "standalone");
    bool is_off = strcmp(kubernetes_text(at_path(server, "enabled")), "false") == 0;
    const char *said = is_off ? "" : kubernetes_text(at_path(server, "vllm.customCommand"));
    struct keyvals env = {0};
    struct buffer script = {0};
    add_variables(&env, common, server);
    buffer_puts(&script, *said ? said : command);
    if (!*said) {
        charts_put_flags(&script, common);
        charts_put_flags(&script, server);
    }
    buffer_puts(&script, "\n");
    if (kubernetes_member(first, "prefill"))
        errors_note(errors, name, 0, "prefill", "is left out: the plan is that of decode");
    const char *guide = kubernetes_text(at_path(first, "kustomize.guideName"));
    if (strcmp(kubernetes_text(at_path(first, "kustomize.enabled")), "true") == 0) /* its overlays have the sizes */
        import_ask(out, "parallel.tp", &(struct asked){*guide ? guide : "kustomize", "1", name, 0, "--tp N", false});
    int result = carrier_read(&(struct carried){.script = script.text, .env = &env}, name, out, errors);
    buffer_free(&script);
    keyvals_free(&env);
    return result;
}

static int read_chart(const struct node *root, const char *name, struct import *out, struct errors *errors)
{
    const struct node *server = server_of(root), *container = at_path(server, "containers.0");
    long copies = kubernetes_count(kubernetes_member(server, "replicas")),
         gpus = kubernetes_count(kubernetes_member(server, "requestGPU"));
    struct keyvals env = {0};
    struct buffer script = {0};
    copies = copies > 0 ? copies : kubernetes_count(kubernetes_member(server, "replicaCount"));
    gpus = gpus > 0 || !container ? gpus : kubernetes_gpus(container);
    put_script(&script, root, server);
    const struct carried carried = {.script = script.text, .env = &env, .nodes = (int)(gpus > 0 ? copies : 0),
                                    .each = (int)gpus};
    int result = carrier_read(&carried, name, out, errors);
    const char *tag = kubernetes_text(kubernetes_member(server, "tag")),
               *repository = kubernetes_text(kubernetes_member(server, "repository"));
    char *image = *tag ? xasprintf("%s:%s", *repository ? repository : "vllm", tag) : NULL;
    if (result == 0)
        server_take_image(image ? image : kubernetes_text(kubernetes_member(container, "image")), out);
    if (result == 0 && copies > 1 && gpus == 0)
        errors_note(errors, name, 0, "replicas", "%ld replicas; the plan is one of them", copies);
    if (result == 0 && server == kubernetes_member(root, "decode") && kubernetes_member(root, "prefill"))
        errors_note(errors, name, 0, "prefill", "is left out: the plan is that of decode");
    free(image);
    buffer_free(&script);
    keyvals_free(&env);
    return result;
}

int charts_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    struct node *root = NULL;
    size_t faults = errors->faults, count = kubernetes_parse(text, name, &root, 1, errors);
    (void)size;
    if (errors->faults == faults && count == 0)
        errors_add(errors, name, 0, NULL, "has no values; give those of the chart");
    int result = errors->faults > faults        ? -1
                 : at_path(root, "scenario.0") ? read_scenario(root, name, out, errors)
                                               : read_chart(root, name, out, errors);
    if (count > 0)
        node_free(root);
    return result;
}
