#include "src/import/slurm.h"

#include "core/base.h"
#include "src/import/import.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS_MAX = 64, TYPE_MAX = 64 };

/* Nodes that are alike. */
struct kind {
    char type[TYPE_MAX]; /* "h100"; "" where Slurm was not told */
    int gpus, nodes, line;
    double memory_mib; /* of the host that has least; 0 where none says it */
};

/* One node while its text is read. */
struct node {
    const char *name;
    size_t name_size;
    struct kind is;
    bool is_away;
};

struct reading {
    struct import *out;
    struct kind kind[KINDS_MAX];
    int kinds;
};

bool slurm_recognise(const char *text)
{
    static const char first[] = "NodeName=";
    size_t line = strcspn(text, "\n"), next = text[line] ? strcspn(text + line + 1, "\n") : 0;
    return strncmp(text, first, sizeof first - 1) == 0 &&
           (memmem(text, line + next, " CoresPerSocket=", 16) || memmem(text, line + next, " Arch=", 6));
}

/* "gpu:h100:8(S:0-1)" or "gpu:8" at the start of an entry. */
static void read_gres(struct node *node, const char *value, size_t size)
{
    char text[TYPE_MAX + 32], type[TYPE_MAX] = "";
    int gpus = 0;
    snprintf(text, sizeof text, "%.*s", (int)(size < sizeof text ? size : sizeof text - 1), value);
    bool is_typed = sscanf(text, "gpu:%63[^:=,(]:%d", type, &gpus) == 2;
    if (!is_typed && sscanf(text, "gpu:%d", &gpus) != 1)
        return;
    node->is.gpus += gpus > 0 && gpus < 1000 ? gpus : 0;
    if (is_typed && !*node->is.type)
        snprintf(node->is.type, TYPE_MAX, "%s", type);
}

/* "cpu=224,mem=2063937M,gres/gpu=8,gres/gpu:h100=8": for a node whose Gres says nothing. */
static void read_tres(struct node *node, const char *value, size_t size)
{
    char text[512], *at;
    snprintf(text, sizeof text, "%.*s", (int)(size < sizeof text ? size : sizeof text - 1), value);
    if (node->is.gpus == 0 && (at = strstr(text, "gres/gpu=")))
        node->is.gpus = (int)strtol(at + strlen("gres/gpu="), NULL, 10);
    if (!*node->is.type && (at = strstr(text, "gres/gpu:")))
        snprintf(node->is.type, TYPE_MAX, "%.*s", (int)strcspn(at + 9, "=,"), at + 9);
    if (node->is.gpus < 0 || node->is.gpus >= 1000)
        node->is.gpus = 0;
}

static void read_word(struct node *node, const char *word, size_t size)
{
    static const char *const away[] = {"DOWN", "DRAIN", "FAIL", "NOT_RESPONDING", "FUTURE", "POWERED_DOWN"};
    const char *equals = memchr(word, '=', size);
    if (!equals)
        return;
    const char *value = equals + 1;
    size_t key = (size_t)(equals - word), length = size - key - 1;
    if (key == 4 && memcmp(word, "Gres", key) == 0)
        for (const char *at = value, *end = value + length; at < end; at += strcspn(at, ",\n \t") + 1)
            read_gres(node, at, (size_t)(end - at));
    else if (key == 7 && memcmp(word, "CfgTRES", key) == 0)
        read_tres(node, value, length);
    else if (key == 10 && memcmp(word, "RealMemory", key) == 0)
        node->is.memory_mib = strtod(value, NULL);
    else if (key == 5 && memcmp(word, "State", key) == 0)
        for (size_t i = 0; i < LENGTH(away); i++)
            node->is_away = node->is_away || memmem(value, length, away[i], strlen(away[i]));
}

static void add_node(struct reading *reading, const struct node *node)
{
    if (!node->name || node->is.gpus == 0)
        return;
    if (node->is_away) {
        char *name = xstrndup(node->name, node->name_size);
        keyvals_add(&reading->out->unused, name, "is down, drained or failing and is left out", node->is.line);
        free(name);
        return;
    }
    struct kind *kind = reading->kind, *end = kind + reading->kinds;
    while (kind < end && (kind->gpus != node->is.gpus || strcmp(kind->type, node->is.type) != 0))
        kind++;
    if (kind == end && reading->kinds == KINDS_MAX)
        return;
    if (kind == end) {
        *kind = node->is;
        reading->kinds++;
    }
    kind->nodes++;
    if (node->is.memory_mib > 0 && node->is.memory_mib < kind->memory_mib)
        kind->memory_mib = node->is.memory_mib;
}

static void read_nodes(struct reading *reading, const char *text, size_t size)
{
    static const char first[] = "NodeName=";
    struct node node = {.name = NULL};
    int line = 1;
    for (const char *p = text, *end = text + size; p < end;) {
        size_t n = strcspn(p, " \t\r\n");
        if (strncmp(p, first, sizeof first - 1) == 0) {
            add_node(reading, &node);
            node = (struct node){.name = p + sizeof first - 1, .name_size = n - (sizeof first - 1), .is.line = line};
        } else {
            read_word(&node, p, n);
        }
        p += n;
        line += *p == '\n';
        p += p < end;
    }
    add_node(reading, &node);
}

static void set_number(struct import *out, const char *key, double value, int line)
{
    char text[32];
    snprintf(text, sizeof text, "%.10g", value);
    keyvals_add(&out->settings, key, text, line);
}

int slurm_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    struct reading reading = {.out = out};
    read_nodes(&reading, text, size);
    const struct kind *most = reading.kind;
    for (const struct kind *kind = reading.kind; kind < reading.kind + reading.kinds; kind++)
        most = kind->nodes > most->nodes ? kind : most;
    if (!reading.kinds) {
        errors_add(errors, name, 0, NULL, "no node that is up has a GPU in Gres; give the GPUs with --gpu and --gpus");
        return -1;
    }
    for (const struct kind *kind = reading.kind; kind < reading.kind + reading.kinds; kind++)
        if (kind != most) {
            char *what = xasprintf("%d node%s with %d x %s", kind->nodes, kind->nodes > 1 ? "s" : "", kind->gpus,
                                   *kind->type ? kind->type : "GPU");
            keyvals_add(&out->unused, what,
                        "are fewer than those that are taken; give their text alone for a plan on them", kind->line);
            free(what);
        }
    set_number(out, "hardware.nodes", most->nodes, most->line);
    set_number(out, "hardware.gpus_per_node", most->gpus, most->line);
    if (most->memory_mib > 0)
        set_number(out, "hardware.host_memory_gib", most->memory_mib / 1024, most->line);
    if (*most->type) /* `h100` may be one of several */
        import_ask(out, "hardware.gpu", &(struct asked){"Gres", most->type, name, most->line, "--gpu NAME", false});
    return 0;
}
