#include "src/import/carrier.h"

#include "core/base.h"
#include "src/import/command.h"
#include "src/import/foreign.h"
#include "src/import/import.h"
#include "src/import/kubernetes.h"
#include "src/import/megatron.h"
#include "src/import/megatron_flags.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "src/text/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A task being read. */
struct task {
    struct tree tree;
    struct keyvals env;
    int nodes, each; /* GPUs of a node; 0: not told */
    const char *device; /* NULL: not told */
};

/* `H100:8`, `{H100: 8}`, `H100`: the device and how many of it. */
static void read_accelerators(struct task *task)
{
    static const char below[] = "resources.accelerators";
    const struct tree_value *value = tree_find(&task->tree, below);
    for (size_t i = 0; i < task->tree.count && !value; i++)
        if (tree_is_below(task->tree.item[i].path, below, strlen(below)))
            value = &task->tree.item[i];
    if (!value)
        return;
    bool is_word = strcmp(value->path, below) == 0;
    const char *name = is_word ? value->text : value->path + strlen(below) + 1, *colon = strchr(value->text, ':');
    const char *count = !is_word ? value->text : colon ? colon + 1 : "1";
    long each = strtol(count, NULL, 10);
    task->each = each > 0 && each < 1024 ? (int)each : 0;
    task->device = launch_device(name);
}

static void add_count(struct keyvals *env, const char *name, int count)
{
    char text[16];
    snprintf(text, sizeof text, "%d", count);
    if (count > 0)
        keyvals_add(env, name, text, 0);
}

/* The task's variables, those of SkyPilot, and last the caller's. */
static void read_env(struct task *task, const struct import_options *options)
{
    static const char below[] = "envs.";
    add_count(&task->env, "SKYPILOT_NUM_NODES", task->nodes);
    add_count(&task->env, "SKYPILOT_NUM_GPUS_PER_NODE", task->each);
    for (size_t i = 0; i < task->tree.count; i++)
        if (strncmp(task->tree.item[i].path, below, strlen(below)) == 0 && !task->tree.item[i].is_null)
            keyvals_add(&task->env, task->tree.item[i].path + strlen(below), task->tree.item[i].text, 0);
    for (size_t i = 0; options && options->env && i < options->env->count; i++)
        keyvals_add(&task->env, options->env->item[i].key, options->env->item[i].value, 0);
}

/* ---- what is inside --------------------------------------------------------------------------------------------- */

static void take_hardware(const struct carried *carried, const char *name, struct import *out)
{
    const int count[] = {carried->nodes, carried->each};
    static const char *const key[] = {"hardware.nodes", "hardware.gpus_per_node"};
    for (size_t i = 0; i < LENGTH(key); i++)
        if (count[i] > 0 && !keyvals_last(&out->settings, key[i]))
            add_count(&out->settings, key[i], count[i]);
    if (carried->device)
        import_ask(out, "hardware.gpu", &(struct asked){"GPU", carried->device, name, 0, "--gpu NAME", false});
}

int carrier_read(const struct carried *carried, const char *name, struct import *out, struct errors *errors)
{
    const struct import_options *given = out->options;
    struct import_options options = given ? *given : (struct import_options){0};
    size_t size = strlen(carried->script);
    options.env = carried->env;
    options.is_carried = true;
    out->options = &options;
    int result = megatron_recognise(carried->script, size) ? megatron_import(carried->script, size, name, out, errors)
                                                           : command_import(carried->script, size, name, out, errors);
    out->options = given;
    if (result == 0)
        take_hardware(carried, name, out);
    return result;
}

/* ---- SkyPilot --------------------------------------------------------------------------------------------------- */

int skypilot_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    struct task task = {0};
    int result = tree_read(text, size, name, tree_format(text, size), TREE_LENIENT, &task.tree, errors);
    const struct tree_value *run = result == 0 ? tree_find(&task.tree, "run") : NULL;
    if (run) {
        const struct tree_value *nodes = tree_find(&task.tree, "num_nodes");
        long count = nodes ? strtol(nodes->text, NULL, 10) : 1;
        task.nodes = count > 0 && count < 100000 ? (int)count : 1;
        read_accelerators(&task);
        read_env(&task, out->options);
        result = carrier_read(&(struct carried){run->text, &task.env, task.nodes, task.each, task.device}, name, out,
                              errors);
    } else if (result == 0) {
        errors_add(errors, name, 0, "run", "has no commands in it; give the script that it starts");
        result = -1;
    }
    keyvals_free(&task.env);
    tree_free(&task.tree);
    return result;
}

/* ---- dstack: its task.yml and resources, documented at dstack.ai in 2026-11 -------------------------------------- */

/* `H100:8`, `48GB:2`, `{name: A100, count: 8}`: the GPUs of a node; 0 where it is not told. */
static int read_gpu(const struct node *gpu, const char **device)
{
    const char *text = kubernetes_text(gpu), *colon = strrchr(text, ':');
    long count = kubernetes_count(kubernetes_member(gpu, "count"));
    *device = launch_device(*text ? text : kubernetes_text(kubernetes_member(gpu, "name")));
    count = colon && colon[1 + strspn(colon + 1, "0123456789")] == '\0' ? strtol(colon + 1, NULL, 10) : count;
    return count > 0 && count < 1024 ? (int)count : 0;
}

/* `- NAME=value` of a list, or members of a mapping. */
static void read_list_env(const struct node *list, struct keyvals *env)
{
    for (const struct node *it = list ? list->child : NULL; it; it = it->next) {
        const char *text = kubernetes_text(it), *equals = strchr(text, '=');
        char *name = it->key ? xstrdup(it->key) : xstrndup(text, equals ? (size_t)(equals - text) : 0);
        if (*name && *text)
            keyvals_add(env, name, it->key ? text : equals + 1, 0);
        free(name);
    }
}

int dstack_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    enum { DOCUMENTS = 1 };
    struct node *root[DOCUMENTS] = {0};
    struct keyvals env = {0};
    struct buffer script = {0};
    const char *device = NULL;
    const size_t faults = errors->faults;
    (void)size;
    kubernetes_parse(text, name, root, DOCUMENTS, errors);
    const struct node *commands = kubernetes_member(root[0], "commands");
    int nodes = (int)kubernetes_count(kubernetes_member(root[0], "nodes"));
    int each = read_gpu(kubernetes_member(kubernetes_member(root[0], "resources"), "gpu"), &device);
    for (const struct node *it = commands ? commands->child : NULL; it; it = it->next)
        buffer_printf(&script, "%s\n", kubernetes_text(it));
    add_count(&env, "DSTACK_NODES_NUM", nodes > 0 ? nodes : 1);
    add_count(&env, "DSTACK_GPUS_PER_NODE", each);
    add_count(&env, "DSTACK_GPUS_NUM", each * (nodes > 0 ? nodes : 1));
    read_list_env(kubernetes_member(root[0], "env"), &env);
    for (size_t i = 0; out->options && out->options->env && i < out->options->env->count; i++)
        keyvals_add(&env, out->options->env->item[i].key, out->options->env->item[i].value, 0);
    const struct carried carried = {script.text ? script.text : "", &env, nodes > 0 ? nodes : 1, each, device};
    int result = errors->faults > faults ? -1 : carrier_read(&carried, name, out, errors);
    buffer_free(&script);
    keyvals_free(&env);
    node_free(root[0]);
    return result;
}

/* ---- records of runs -------------------------------------------------------------------------------------------- */

/* The command that started the run: as one text, or the program with its arguments, each of them quoted. */
static void put_command(const struct node *root, struct buffer *script)
{
    const struct node *command = kubernetes_member(root, "command"), *args = kubernetes_member(root, "args");
    const char *const texts[] = {kubernetes_text(kubernetes_member(command, "command")),
                                 kubernetes_text(kubernetes_member(root, "cmdline")),
                                 kubernetes_text(kubernetes_member(root, "launch_command"))};
    for (size_t i = 0; i < LENGTH(texts); i++)
        if (*texts[i]) {
            buffer_puts(script, texts[i]);
            return;
        }
    buffer_printf(script, "python %s", kubernetes_text(kubernetes_member(root, "program")));
    for (const struct node *it = args ? args->child : NULL; it; it = it->next) {
        buffer_puts(script, " '");
        for (const char *p = kubernetes_text(it); *p; p++)
            buffer_puts(script, *p == '\'' ? "'\\''" : (char[]){*p, '\0'});
        buffer_puts(script, "'");
    }
}

int record_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    enum { DOCUMENTS = 1 };
    static const struct keyvals none = {0};
    struct node *root[DOCUMENTS] = {0};
    struct buffer script = {0};
    const size_t faults = errors->faults;
    (void)size;
    kubernetes_parse(text, name, root, DOCUMENTS, errors);
    long each = kubernetes_count(kubernetes_member(root[0], "gpu_count"));
    const char *gpu = kubernetes_text(kubernetes_member(root[0], "gpu"));
    put_command(root[0], &script);
    const struct keyvals *given = out->options && out->options->env ? out->options->env : &none;
    const struct carried carried = {script.text, given, 0, 0, NULL};
    int result = errors->faults > faults ? -1 : carrier_read(&carried, name, out, errors);
    if (result == 0 && each > 0 && !keyvals_last(&out->settings, "hardware.gpus_per_node")) { /* those of the machine */
        char count[24];
        snprintf(count, sizeof count, "%ld", each);
        import_ask(out, "hardware.gpus_per_node",
                   &(struct asked){"gpu_count", count, name, 0, "--set gpus_per_node=N", false});
    }
    if (result == 0 && *gpu) /* a driver's name, which may be unknown */
        keyvals_add(&out->defaults, "hardware.gpu", gpu, 0);
    buffer_free(&script);
    node_free(root[0]);
    return result;
}

/* ---- MosaicML --------------------------------------------------------------------------------------------------- */

/* What stands below `parameters:`, moved to the left; fresh memory. */
static char *read_parameters(const char *text)
{
    static const char head[] = "\nparameters:";
    const char *at = strstr(text, head), *p = at ? at + strlen(head) : "";
    struct buffer out = {0};
    buffer_puts(&out, "");
    p += strcspn(p, "\n");
    p += *p == '\n';
    for (size_t indent = strspn(p, " ");
         *p && (strspn(p, " ") >= indent || strchr("#\n", p[strspn(p, " ")])) && indent > 0;) {
        size_t n = strcspn(p, "\n"), skip = strspn(p, " ");
        skip = skip < indent ? skip : indent;
        buffer_printf(&out, "%.*s\n", (int)(n - skip), p + skip);
        p += n + (p[n] == '\n');
    }
    return out.text;
}

int mcli_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    enum { PER_NODE = 8 };
    struct tree tree;
    char *parameters = read_parameters(text);
    if (!*parameters) { /* a command alone, as charts of other operators have it */
        free(parameters);
        return kubernetes_import(text, size, name, out, errors);
    }
    int result = tree_read(text, size, name, tree_format(text, size), TREE_LENIENT, &tree, errors);
    if (result == 0)
        result = foundry_import(parameters, strlen(parameters), name, out, errors);
    for (size_t i = 0; i < out->tables; i++) { /* where its paths stand in this file */
        free(out->table[i].prefix);
        out->table[i].prefix = xstrdup("parameters.");
    }
    if (result == 0) {
        const struct tree_value *gpus = tree_first(&tree, "", "compute.gpus|gpu_num|gpus"),
                                *type = tree_first(&tree, "", "compute.gpu_type|gpu_type");
        long count = gpus ? strtol(gpus->text, NULL, 10) : 0;
        int each = count > PER_NODE ? PER_NODE : (int)(count > 0 ? count : 0);
        int nodes = count > 0 && count < 1000000 ? (int)(count + PER_NODE - 1) / PER_NODE : 0;
        take_hardware(
            &(struct carried){.nodes = nodes, .each = each, .device = type ? launch_device(type->text) : NULL}, name,
            out);
    }
    tree_free(&tree);
    free(parameters);
    return result;
}
