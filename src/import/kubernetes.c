/*
 * src/import/kubernetes.c - objects that start containers: Job, PyTorchJob, MPIJob, TrainJob, JobSet, RayCluster and
 * the like.
 *
 * They are told apart by nothing: a container that asks for GPUs stands for as many nodes as the counts above it
 * multiply to, wherever it lies. Its command is read as a script, with its variables, and the files of a ConfigMap in
 * the same text.
 */
#include "core/base.h"
#include "src/import/carrier.h"
#include "src/import/charts.h"
#include "src/import/import.h"
#include "src/import/kubernetes.h"
#include "src/import/megatron_flags.h"
#include "src/import/server.h"
#include "src/text/errors.h"
#include "src/text/node.h"
#include "src/text/text.h"
#include "src/text/yaml.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 1 << 20, DEVICE_BYTES = 64 };

/* What the objects of a text say. */
struct cluster {
    double nodes;
    int each;                     /* GPUs of a container */
    char device[DEVICE_BYTES];    /* "" for not told */
    /* the first that has GPUs and a command, of a group its leader; else the first with a command */
    const struct node *container;
    const struct node *server;    /* what KServe describes a server with in place of its flags; NULL for none */
    bool has_gpus;                /* that one */
    const char *model;            /* what containers that serve another model than this one are passed over for */
    const struct node *data;      /* of the ConfigMap, NULL for none */
    const char *data_name;        /* of that; "" for none */
    bool decodes, is_split;       /* some servers only decode; those that prefill were left out */
};

/* ---- nodes of the text ------------------------------------------------------------------------------------------ */

const struct node *kubernetes_member(const struct node *mapping, const char *key)
{
    const struct node *it = mapping && mapping->kind == NODE_MAPPING ? mapping->child : NULL;
    while (it && !(it->key && strcmp(it->key, key) == 0))
        it = it->next;
    return it;
}

const char *kubernetes_text(const struct node *node)
{
    return node && node->kind == NODE_VALUE ? node->text : "";
}

long kubernetes_count(const struct node *node)
{
    long n = strtol(kubernetes_text(node), NULL, 10);
    return n > 0 && n < NODES_MAX ? n : 0;
}

/* ---- containers ------------------------------------------------------------------------------------------------- */

/* GPUs that a container asks for; 0 for none. */
long kubernetes_gpus(const struct node *container)
{
    static const char *const resources[] = {"resources", "resourcesPerNode"}, *const bounds[] = {"limits", "requests"};
    static const char *const names[] = {"nvidia.com/gpu", "amd.com/gpu", "habana.ai/gaudi", "gpu" /* Dynamo */};
    for (size_t i = 0; i < LENGTH(resources); i++)
        for (size_t k = 0; k < LENGTH(bounds); k++)
            for (size_t m = 0; m < LENGTH(names); m++) {
                const struct node *some = kubernetes_member(kubernetes_member(container, resources[i]), bounds[k]);
                long gpus = kubernetes_count(kubernetes_member(some, names[m]));
                if (gpus > 0)
                    return gpus;
            }
    return kubernetes_count(kubernetes_member(kubernetes_member(container, "resources"), "gpu")); /* VLLMRuntime */
}

/* How many of what lies below it a mapping asks for. */
static double copies_of(const struct node *mapping)
{
    static const char *const counts[] = {"replicas", "parallelism", "numNodes", "size", "podGroupSize"};
    double copies = 1;
    for (size_t i = 0; i < LENGTH(counts); i++) {
        long n = kubernetes_count(kubernetes_member(mapping, counts[i]));
        copies *= n > 0 ? (double)n : 1;
    }
    return copies;
}

/* Whether a label speaks of a device, as `gpu-type`, `nvidia.com/gpu.product` and clouds' `instance-type` do. */
static bool is_device_label(const char *key)
{
    return strcasestr(key, "gpu") || strcasestr(key, "accelerator") || strcasestr(key, "instance-type");
}

/* Whether a label's value names a device: it has more than numbers and words that say there is one. */
static bool is_device(const char *value)
{
    static const char words[] = " nvidia amd gpu gpus true yes enabled present on node ", between[] = "-_. ";
    bool is = false;
    for (const char *p = value + strspn(value, between); *p && !is; p += strcspn(p, between), p += strspn(p, between)) {
        char word[DEVICE_BYTES];
        snprintf(word, sizeof word, " %.*s ", (int)strcspn(p, between), p);
        is = strspn(word, " 0123456789") < strlen(word) && !strcasestr(words, word);
    }
    return is;
}

/* The device as its label has it where that tells the memory or no family; a name that is not known leaves it open. */
static void take_device(struct cluster *out, const char *key, const char *label)
{
    const char *family = launch_device(label);
    bool is_memory = strstr(key, "mem") && *label; /* which some devices have, or a part of one */
    if ((is_device(label) || is_memory) && (!*out->device || (family && !launch_device(out->device))))
        snprintf(out->device, sizeof out->device, "%s", !family || strcasestr(label, "gb") ? label : family);
}

/* Whether a label is that of a node wherever it stands, as in `nodeLabels`; `nvidia.com/gpu` is a count. */
static bool is_of_node(const char *key)
{
    return strcmp(key, "accelerator") == 0 || (strchr(key, '/') && !text_ends_with(key, "/gpu"));
}

/* `nodeSelector: {label: device}`, or `{key: label, operator: In, values: [device]}` of an affinity. */
static void look_for_device(struct cluster *out, const struct node *mapping)
{
    bool is_selector = mapping->key && strcasestr(mapping->key, "nodeSelector");
    for (const struct node *it = mapping->child; it; it = it->next)
        if (it->key && is_device_label(it->key) && (is_selector || is_of_node(it->key)))
            take_device(out, it->key, kubernetes_text(it));
    const struct node *values = kubernetes_member(mapping, "values");
    const char *key = kubernetes_text(kubernetes_member(mapping, "key"));
    bool is_other = strcmp(kubernetes_text(kubernetes_member(mapping, "operator")), "NotIn") == 0;
    if (!is_other && values && values->kind == NODE_LIST && is_device_label(key))
        take_device(out, key, kubernetes_text(values->child));
}

static bool has_command(const struct node *container)
{
    return kubernetes_member(container, "command") || kubernetes_member(container, "args") ||
           kubernetes_member(container, "entrypoint");
}

/* The model that a container's command serves, in fresh memory; NULL for none. */
static char *served_by(const struct node *container)
{
    static const char *const before[] = {"serve", "--model", "--model-path"};
    struct buffer command = {0};
    const char *last = "";
    char *model = NULL;
    kubernetes_put_command(&command, container);
    for (char *rest = NULL, *word = strtok_r(command.text, " \t\n\"'=", &rest); word && !model;
         word = strtok_r(NULL, " \t\n\"'=", &rest)) {
        for (size_t i = 0; i < LENGTH(before) && !model; i++)
            model = strcmp(last, before[i]) == 0 && *word != '-' ? xstrdup(word) : NULL;
        last = word;
    }
    buffer_free(&command);
    return model;
}

/* Collects the models that containers serve, each once; the first of many. */
static void list_models(const struct node *node, struct keyvals *models)
{
    enum { MODELS_MAX = 64 };
    bool is_open = node->kind == NODE_MAPPING && models->count < MODELS_MAX && has_command(node);
    char *model = is_open ? served_by(node) : NULL;
    if (model && !keyvals_last(models, model))
        keyvals_add(models, model, "", node->line);
    free(model);
    for (const struct node *it = node->kind == NODE_VALUE ? NULL : node->child; it; it = it->next)
        list_models(it, models);
}

/* Whether a container serves another model than the one that is looked for. */
static bool is_other(const struct cluster *cluster, const struct node *container)
{
    char *model = cluster->model && has_command(container) ? served_by(container) : NULL;
    bool is = model && strcmp(model, cluster->model) != 0;
    free(model);
    return is;
}

/* The first container below a node that has a command; NULL for none. */
static const struct node *container_below(const struct node *node)
{
    const struct node *found = has_command(node) ? node : NULL;
    for (const struct node *it = node->kind == NODE_VALUE ? NULL : node->child; it && !found; it = it->next)
        found = container_below(it);
    return found;
}

/* The leader of a group runs the command; its workers join it. */
static void take_leader(struct cluster *out, const struct node *mapping)
{
    const struct node *leader = kubernetes_member(mapping, "leaderTemplate"),
                      *container = leader ? container_below(leader) : NULL;
    if (!container)
        return;
    out->container = container;
    out->has_gpus = true;
}

/* Whether a node starts the servers of a part: a role of AIBrix, a Deployment of llm-d, a service of Dynamo. */
static bool is_part(const struct node *node, const char *part)
{
    static const char *const workload[] = {"template", "spec", "replicas", "extraPodSpec"};
    const struct node *about = kubernetes_member(node, "metadata");
    const char *const names[] = {
        node->key ? node->key : "", kubernetes_text(kubernetes_member(node, "name")),
        kubernetes_text(kubernetes_member(about, "name")),
        kubernetes_text(kubernetes_member(kubernetes_member(about, "labels"), "llm-d.ai/role"))};
    bool is_named = false, is_workload = false;
    for (size_t i = 0; i < LENGTH(names); i++)
        is_named |= strcasestr(names[i], part) != NULL;
    for (size_t i = 0; i < LENGTH(workload) && is_named; i++)
        is_workload |= kubernetes_member(node, workload[i]) != NULL;
    return is_workload;
}

/* Whether servers that only decode stand at or below a node. */
static bool has_decode(const struct node *node)
{
    bool has = is_part(node, "decode") && !is_part(node, "prefill") && container_below(node);
    for (const struct node *it = node->kind == NODE_VALUE ? NULL : node->child; it && !has; it = it->next)
        has = has_decode(it);
    return has;
}

/* Whether a member is no part of the count: a leader, which `size` counts, and servers that only prefill. */
static bool is_beside(struct cluster *cluster, const struct node *node, const struct node *member)
{
    const char *key = member->key ? member->key : "";
    bool is_of_prefill = (node == cluster->server && strcmp(key, "prefill") == 0) ||
                         (cluster->decodes && is_part(member, "prefill") && !has_decode(member));
    cluster->is_split |= is_of_prefill;
    return is_of_prefill || strcmp(key, "leaderTemplate") == 0;
}

static void look_at(struct cluster *out, const struct node *node, double copies)
{
    if (node->kind == NODE_MAPPING && is_other(out, node))
        return;
    if (node->kind == NODE_MAPPING) {
        long gpus = kubernetes_gpus(node);
        copies *= copies_of(node);
        look_for_device(out, node);
        if (!out->server && charts_is_server(node))
            out->server = node;
        take_leader(out, node);
        if (has_command(node) && (!out->container || (gpus > 0 && !out->has_gpus))) {
            out->container = node;
            out->has_gpus = gpus > 0;
        }
        if (gpus > 0 && copies < NODES_MAX) {
            out->nodes += copies;
            out->each = (int)gpus;
        }
        if (strcmp(kubernetes_text(kubernetes_member(node, "kind")), "ConfigMap") == 0) {
            out->data = kubernetes_member(node, "data");
            out->data_name = kubernetes_text(kubernetes_member(kubernetes_member(node, "metadata"), "name"));
        }
    }
    for (const struct node *it = node->kind == NODE_VALUE ? NULL : node->child; it; it = it->next)
        if (!is_beside(out, node, it))
            look_at(out, it, copies);
}

/* ---- the script inside ------------------------------------------------------------------------------------------ */

/* Expands `$(NAME)` to `${NAME}`, the `$$` of Compose files to `$`, and `"$@"` to `rest` if that is known. */
static void put_expanded(struct buffer *out, const char *text, const char *rest)
{
    static const char *const all[] = {"\"$$@\"", "\"$@\""};
    for (const char *p = text; *p; p++) {
        size_t n = strncmp(p, "$(", 2) == 0 ? strspn(p + 2, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") : 0, taken = 0;
        for (size_t i = 0; i < LENGTH(all) && *rest; i++)
            taken = strncmp(p, all[i], strlen(all[i])) == 0 ? strlen(all[i]) : taken;
        if (taken > 0)
            buffer_puts(out, rest);
        else if (n > 0 && p[2 + n] == ')')
            buffer_printf(out, "${%.*s}", (int)n, p + 2), taken = n + 3;
        else if (*p == '$' && p[1] == '$' && (isalpha((unsigned char)p[2]) || (p[2] && strchr("{_@*", p[2]))))
            continue;
        else
            buffer_add(out, p, 1);
        p += taken > 0 ? taken - 1 : 0;
    }
}

/* A word within double quotes, so that variables in it are still replaced. */
static void put_word(struct buffer *out, const char *word)
{
    buffer_puts(out, "\"");
    for (const char *p = word; *p; p++)
        buffer_printf(out, strchr("\"\\`", *p) ? "\\%c" : "%c", *p);
    buffer_puts(out, "\" ");
}

/* What a container is told to run: words, the text behind `bash -c`, and the words that this has as "$@". */
struct told {
    struct buffer words, rest;
    const char *text;
    bool is_option, has_first; /* the next word is such a text; $0 is there */
    bool is_python;            /* the word before starts Python, whose -c takes no script of the shell */
};

static void tell(struct told *told, const struct node *part)
{
    if (part && part->kind == NODE_VALUE)
        buffer_printf(told->text ? &told->rest : &told->words, "%s ", part->text);
    for (const struct node *it = part && part->kind != NODE_VALUE ? part->child : NULL; it; it = it->next) {
        const char *word = kubernetes_text(it);
        if (told->text) {
            if (told->has_first)
                put_word(&told->rest, word);
            told->has_first = true;
            continue;
        }
        told->text = told->is_option ? word : NULL;
        told->is_option = !told->is_python && *word == '-' && word[1] != '-' && strlen(word) < 5 && strchr(word, 'c');
        told->is_python = strncmp(word, "python", 6) == 0;
        put_word(&told->words, word);
    }
}

/* Whether words begin with the flags of what an image starts. */
static bool is_of_image(const char *said)
{
    return strchr("-\"", *said) && !strstr(said, "serve ") && !strstr(said, "serve\"") && !strstr(said, "api_server");
}

/* The command of a container: the text behind `bash -c` or of one that is no list, else its words. */
void kubernetes_put_command(struct buffer *out, const struct node *container)
{
    static const char *const parts[] = {"entrypoint", "command", "args"};
    struct told told = {0};
    buffer_puts(&told.words, "");
    buffer_puts(&told.rest, "");
    for (size_t i = 0; i < LENGTH(parts); i++)
        tell(&told, kubernetes_member(container, parts[i]));
    const char *server = server_of_image(kubernetes_text(kubernetes_member(container, "image"))),
               *runtime = kubernetes_text(kubernetes_member(kubernetes_member(container, "modelFormat"), "name"));
    bool is_runtime = strcasecmp(runtime, "huggingface") == 0 || strcasecmp(runtime, "vllm") == 0; /* of KServe */
    if (!server && is_runtime)
        server = server_of_image("vllm/vllm-openai");
    const char *said = told.text ? told.text : told.words.text;
    if (server && is_of_image(said)) /* the image starts it */
        buffer_printf(out, "%s ", server);
    put_expanded(out, said, told.rest.text);
    buffer_puts(out, "\n");
    buffer_free(&told.words);
    buffer_free(&told.rest);
}

/* Files of a ConfigMap under the path by which the command names them, as here-documents before it. */
static void put_files(struct buffer *out, const struct node *data, const char *command)
{
    for (const struct node *file = data ? data->child : NULL; file; file = file->next) {
        const char *at = file->key && file->kind == NODE_VALUE ? strstr(command, file->key) : NULL, *from = at;
        while (from && from > command && !isspace((unsigned char)from[-1]) && !strchr("\"'=", from[-1]))
            from--;
        bool is_variable = at && at > command && strchr("{$", at[-1]); /* of that name */
        if (at && !is_variable)
            buffer_printf(out, "cat > %.*s%s <<'SHARDTOP'\n%s\nSHARDTOP\n", (int)(at - from), from, file->key,
                          file->text);
    }
}

/* A script of a ConfigMap that the command starts stands for it. */
static const char *find_script(const struct node *data, const char *command)
{
    for (const struct node *file = data ? data->child : NULL; file; file = file->next)
        if (file->key && file->kind == NODE_VALUE && text_ends_with(file->key, ".sh") && strstr(command, file->key))
            return file->text;
    return NULL;
}

static void add_number(struct keyvals *env, const char *name, double n)
{
    char text[24];
    snprintf(text, sizeof text, "%.0f", n);
    keyvals_add(env, name, text, 0);
}

/* The first file of a ConfigMap that is read as a run. Returns 0, or -1 where there is none. */
static int read_data(const struct node *data, const char *name, struct import *out)
{
    int result = -1;
    for (const struct node *file = data ? data->child : NULL; file && result != 0; file = file->next) {
        const char *text = kubernetes_text(file);
        enum plan_kind kind = plan_recognise(text, strlen(text));
        struct errors unheard = {0};
        if (kind != KIND_KUBERNETES && formats[kind].read)
            result = formats[kind].read(text, strlen(text), name, out, &unheard);
        errors_free(&unheard);
    }
    return result;
}

/* What a variable, or an entry of `envFrom` all, take from the ConfigMap of the same text. */
static void add_configured(const struct cluster *cluster, const struct node *variable, struct keyvals *env)
{
    const struct node *one = kubernetes_member(kubernetes_member(variable, "valueFrom"), "configMapKeyRef"),
                      *from = one ? one : kubernetes_member(variable, "configMapRef");
    const char *key = kubernetes_text(kubernetes_member(one, "key")),
               *map = kubernetes_text(kubernetes_member(from, "name")),
               *name = kubernetes_text(kubernetes_member(variable, "name"));
    bool is_it = from && cluster->data && strcmp(map, cluster->data_name) == 0;
    for (const struct node *it = is_it ? cluster->data->child : NULL; it; it = it->next)
        if (it->key && it->kind == NODE_VALUE && (!one || strcmp(it->key, key) == 0))
            keyvals_add(env, one ? name : it->key, it->text, 0);
}

/* What operators tell a container, its own variables, and last the caller's. */
static void read_env(const struct cluster *cluster, const struct import_options *options, struct keyvals *env)
{
    static const char *const counts[] = {"WORLD_SIZE", "PET_NNODES", "NNODES"}, *const each[] = {"PET_NPROC_PER_NODE",
                                                                                                 "NPROC_PER_NODE"};
    const struct node *own = kubernetes_member(cluster->container, "env");
    for (size_t i = 0; i < LENGTH(counts) && cluster->nodes > 0; i++)
        add_number(env, counts[i], cluster->nodes);
    for (size_t i = 0; i < LENGTH(each) && cluster->each > 0; i++)
        add_number(env, each[i], cluster->each);
    const struct node *all = kubernetes_member(cluster->container, "envFrom");
    for (const struct node *it = all ? all->child : NULL; it; it = it->next)
        add_configured(cluster, it, env);
    for (const struct node *it = own ? own->child : NULL; it; it = it->next) {
        add_configured(cluster, it, env);
        if (kubernetes_member(it, "value") && *kubernetes_text(kubernetes_member(it, "name")))
            keyvals_add(env, kubernetes_text(kubernetes_member(it, "name")),
                        kubernetes_text(kubernetes_member(it, "value")), 0);
    }
    for (size_t i = 0; options && options->env && i < options->env->count; i++)
        keyvals_add(env, options->env->item[i].key, options->env->item[i].value, 0);
}

/* ---- texts ------------------------------------------------------------------------------------------------------ */

static int read_cluster(const struct cluster *cluster, const char *name, struct import *out, struct errors *errors)
{
    struct buffer command = {0}, script = {0};
    struct keyvals env = {0};
    read_env(cluster, out->options, &env);
    if (cluster->container)
        kubernetes_put_command(&command, cluster->container);
    bool is_sidecar = cluster->server && command.text && !strstr(command.text, "vllm") && !strstr(command.text, "\"-");
    command.size = is_sidecar ? 0 : command.size;
    if (command.size == 0)
        buffer_printf(&command, "%s\n", server_of_image("vllm/vllm-openai"));
    if (cluster->server && !strstr(command.text, "--model")) {
        command.text[--command.size] = '\0';
        charts_put_flags(&command, cluster->server);
        buffer_puts(&command, "\n");
    }
    double nodes = cluster->server ? charts_nodes(cluster->server, cluster->each) : 0;
    if (cluster->is_split)
        errors_note(errors, name, 0, "prefill", "is left out: the plan is that of the servers that decode");
    put_files(&script, cluster->data, command.text);
    const char *whole = find_script(cluster->data, command.text);
    buffer_puts(&script, whole ? whole : command.text);
    const struct carried carried = {
        .script = script.text, .env = &env, .nodes = (int)(nodes > 0 ? nodes : cluster->nodes),
        .each = cluster->each, .device = *cluster->device ? cluster->device : NULL};
    int result = carrier_read(&carried, name, out, errors);
    if (cluster->each == 0 && strstr(script.text, "torchrun") && !strstr(script.text, "nproc")) {
        keyvals_drop(&out->defaults, "hardware.nodes"); /* no GPUs are asked for, and an operator may set how many */
        keyvals_drop(&out->defaults, "hardware.gpus_per_node");
    }
    keyvals_free(&env);
    buffer_free(&script);
    buffer_free(&command);
    return result;
}

/* The documents of a text, one after the other; the rest of the list holds their nodes. */
size_t kubernetes_parse(const char *text, const char *name, struct node **root, size_t max, struct errors *errors)
{
    static const struct node_limits limits = {400000, 100000, "flatten it", "give the object alone"};
    size_t count = 0;
    for (const char *p = text, *end; p && *p && count < max; p = end) {
        end = strstr(p, "\n---");
        size_t size = end ? (size_t)(end + 1 - p) : strlen(p);
        struct node_parse parse = {.limits = &limits, .file = name, .errors = errors};
        struct node *one = yaml_parse(p, size, &parse, NULL);
        end = end ? end + strcspn(end + 1, "\n") + 1 : NULL;
        if (one)
            root[count++] = one;
    }
    return count;
}

/* Reads the container of a model that was chosen, in which no command is to be chosen again. */
static int read_chosen(const struct cluster *cluster, const char *name, struct import *out, struct errors *errors)
{
    const struct import_options *given = out->options;
    struct import_options options = given ? *given : (struct import_options){0};
    options.command = cluster->model ? 0 : options.command;
    out->options = &options;
    int result = read_cluster(cluster, name, out, errors);
    out->options = given;
    return result;
}

/* Of several models that are served, the chosen one or the first. */
static void choose_model(const struct keyvals *models, const char *name, struct cluster *cluster, struct import *out,
                         struct errors *errors)
{
    size_t wanted = out->options && out->options->command > 0 ? (size_t)out->options->command : 0;
    if (models->count < 2)
        return;
    cluster->model = models->item[wanted > 0 && wanted <= models->count ? wanted - 1 : 0].key;
    out->commands = wanted > 0 ? 1 : (int)models->count;
    if (wanted > models->count)
        errors_add(errors, name, 0, "--command", "%zu models are served; use 1 to %zu", models->count, models->count);
    else if (wanted == 0)
        errors_note(errors, name, 0, NULL, "%zu models are served, the first is %.60s; --command N takes another",
                    models->count, cluster->model);
}

int kubernetes_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    enum { DOCUMENTS = 32 };
    struct node *root[DOCUMENTS];
    struct cluster cluster = {0};
    struct keyvals models = {0};
    size_t faults = errors->faults, count = kubernetes_parse(text, name, root, DOCUMENTS, errors);
    (void)size;
    for (size_t i = 0; i < count; i++) {
        list_models(root[i], &models);
        cluster.decodes |= has_decode(root[i]);
    }
    choose_model(&models, name, &cluster, out, errors);
    int result = errors->faults > faults ? -1 : 0, served = out->commands;
    const struct node whole = {.kind = NODE_LIST};
    for (size_t i = 0; i < count; i++)
        if (!is_beside(&cluster, &whole, root[i]))
            look_at(&cluster, root[i], 1);
    bool has_data = result == 0 && !cluster.container && !cluster.server && read_data(cluster.data, name, out) == 0;
    if (result == 0 && !has_data && !cluster.container && !cluster.server) {
        errors_add(errors, name, 0, NULL,
                   "has no container with a command; give the script that its containers start");
        result = -1;
    }
    if (result == 0 && !has_data)
        result = read_chosen(&cluster, name, out, errors);
    out->commands = served > 1 ? served : out->commands;
    if (result == 0 && keyvals_last(&out->settings, "serve.engine"))
        server_take_image(kubernetes_text(kubernetes_member(cluster.container, "image")), out);
    for (size_t i = 0; i < count; i++)
        node_free(root[i]);
    keyvals_free(&models);
    return result;
}
