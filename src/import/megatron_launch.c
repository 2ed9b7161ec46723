/*
 * src/import/megatron_launch.c - nodes and GPUs as launchers and schedulers are told: srun, torchrun, mpirun,
 * deepspeed, ...
 */
#include "core/base.h"
#include "src/import/megatron_flags.h"
#include "src/shell/shell.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { PER_NODE = 8 /* GPUs, where only their sum is known */ };

/* ---- the scheduler's lines -------------------------------------------------------------------------------------- */

/* What PBS and LSF call it, and the flag of Slurm that says the same. */
static const struct {
    const char *mark, *name, *flag;
} foreign_rows[] = {
    {"#PBS", "select=", "--nodes"},     {"#PBS", "nodes=", "--nodes"},      {"#PBS", "ngpus=", "--gpus-per-node"},
    {"#PBS", ":gpus=", "--gpus-per-node"}, {"#PBS", "gpu_type=", "--constraint"}, {"#BSUB", "-nnodes ", "--nodes"},
    {"#BSUB", "num=", "--gpus-per-node"}, {"#BSUB", "gmodel=", "--constraint"},
    {"#$", "-l rt_", "--resource"}, /* of the cluster ABCI: `rt_AF=8` */
};

/* `--nodes=4`, `--nodes 4`, `-N 4` or `-N4` as a flag and its value; returns what stands behind. */
static const char *add_option(const char *text, int line, struct keyvals *out)
{
    static const char blank[] = " \t=\r";
    size_t n = strcspn(text, blank);
    bool is_attached = text[0] == '-' && n > 2 && text[1] != '-' && isdigit((unsigned char)text[2]);
    n = is_attached ? 2 : n;
    const char *from = text + n + (is_attached ? 0 : strspn(text + n, blank));
    const char *close = *from && strchr("'\"", *from) ? strchr(from + 1, *from) : NULL;
    bool is_quoted = close != NULL;
    size_t size = is_quoted ? (size_t)(close + 1 - from) : strcspn(from, " \t\r");
    char *flag = xstrndup(text, n), *value = xstrndup(from + is_quoted, size - 2 * is_quoted);
    if (n > 1 && size > 0)
        keyvals_add(out, flag, value, line);
    free(flag);
    free(value);
    return from + size + strspn(from + size, " \t\r");
}

/* All options of one line of Slurm, up to a comment. */
static void add_options(const char *text, int line, struct keyvals *out)
{
    const char *filled = *text == '<' ? strchr(text, '>') : NULL; /* `<SLURM OPTIONS>` of a template */
    text = filled ? filled + 1 + strspn(filled + 1, " \t") : text;
    while (*text == '-')
        text = add_option(text, line, out);
}

/* The settings of a line of another scheduler. */
static void add_foreign(const char *text, const char *mark, int line, struct keyvals *out)
{
    for (size_t i = 0; i < LENGTH(foreign_rows); i++) {
        const char *at = strcmp(foreign_rows[i].mark, mark) == 0 ? strstr(text, foreign_rows[i].name) : NULL;
        if (!at || (at > text && foreign_rows[i].name[0] == 'n' && isalpha((unsigned char)at[-1])))
            continue;
        at += strlen(foreign_rows[i].name);
        at += strspn(at, " ");
        char *value = xstrndup(at, strcspn(at, " \t\r:\",'"));
        keyvals_add(out, foreign_rows[i].flag, value, line);
        free(value);
    }
}

void launch_directives(const char *text, size_t size, struct keyvals *out)
{
    static const char *const mark[] = {"#SBATCH", "#PBS", "#BSUB", "#$"};
    int line = 1;
    for (const char *p = text, *end = text + size; p < end; line++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p)), *stop = newline ? newline : end;
        char *whole = *p == '#' ? xstrndup(p, (size_t)(stop - p)) : NULL;
        for (size_t i = 0; whole && i < LENGTH(mark); i++) {
            size_t n = strlen(mark[i]);
            if (strncmp(whole, mark[i], n) != 0 || !isspace((unsigned char)whole[n]))
                continue;
            const char *rest = whole + n + strspn(whole + n, " \t");
            if (i == 0)
                add_options(rest, line, out);
            else
                add_foreign(rest, mark[i], line, out);
        }
        free(whole);
        p = newline ? newline + 1 : end;
    }
}

/* ---- counts ----------------------------------------------------------------------------------------------------- */

/* `4-8` or `1:4`: the fewest and the most that a job may get. */
static bool is_range(const char *value, int64_t *least)
{
    char *behind;
    *least = strtoll(value, &behind, 10);
    return behind > value && (*behind == '-' || *behind == ':') && isdigit((unsigned char)behind[1]);
}

/* A count as launchers write it: `8`, `4-8` or `1:4` (the smaller), `gpu:8`, `gpu:h100:8`, `a100:4`. */
static bool count_of(const char *value, int64_t *n)
{
    if (is_range(value, n))
        return *n > 0 && *n < INT32_MAX;
    const char *last = value + strlen(value);
    while (last > value && isdigit((unsigned char)last[-1]))
        last--;
    *n = strtoll(last, NULL, 10);
    bool is_alone = last == value || (last - value > 1 && strchr(":-=", last[-1])) || *value == '=';
    return *n > 0 && *n < INT32_MAX && is_alone;
}

/* `AF=8` of ABCI's `rt_AF=8` by the names that its scheduler has for the kind of node and their number. */
static void add_resource(const char *value, struct keyvals *out)
{
    const char *equals = strchr(value, '=');
    char *kind = xasprintf("rt_%.*s", (int)strcspn(value, "="), value);
    keyvals_add(out, "SGE_RESOURCE_TYPE", kind, 0);
    if (equals)
        keyvals_add(out, "NHOSTS", equals + 1, 0);
    free(kind);
}

void launch_variables(const struct keyvals *directives, struct keyvals *out)
{
    static const struct {
        const char *flag, *name;
    } row[] = {
        {"--nodes", "SLURM_NNODES"},         {"--nodes", "SLURM_JOB_NUM_NODES"}, {"-N", "SLURM_NNODES"},
        {"-N", "SLURM_JOB_NUM_NODES"},       {"--ntasks", "SLURM_NTASKS"},       {"--ntasks", "SLURM_NPROCS"},
        {"-n", "SLURM_NTASKS"},              {"-n", "SLURM_NPROCS"},
        {"--ntasks-per-node", "SLURM_NTASKS_PER_NODE"},
        {"--gpus-per-node", "SLURM_GPUS_PER_NODE"}, {"--gpus-per-node", "SLURM_GPUS_ON_NODE"},
        {"--gres", "SLURM_GPUS_ON_NODE"},
    };
    for (size_t i = 0; i < directives->count; i++) {
        if (strcmp(directives->item[i].key, "--resource") == 0)
            add_resource(directives->item[i].value, out);
        for (size_t k = 0; k < LENGTH(row); k++) {
            int64_t n;
            if (strcmp(directives->item[i].key, row[k].flag) != 0 || !count_of(directives->item[i].value, &n))
                continue;
            char *text = xasprintf("%lld", (long long)n);
            keyvals_add(out, row[k].name, text, 0);
            free(text);
        }
    }
}

/* The first of several flags that gives a number; NULL with what is not known, if any, in `*unknown`. */
static const struct seen *first_count(const struct megatron *im, const char *const *flag, int64_t *n,
                                      const struct seen **unknown)
{
    for (; *flag; flag++) {
        const struct seen *s = seen_of(im, *flag);
        bool is_one = strcmp(*flag, "--gres") == 0 && is_known_value(s) && strcmp(s->value, "gpu") == 0;
        *n = is_one ? 1 : *n;
        if (is_one || (is_known_value(s) && count_of(s->value, n)))
            return s;
        if (s->is_given && unknown && !*unknown)
            *unknown = s;
    }
    return NULL;
}

/* ---- nodes and GPUs --------------------------------------------------------------------------------------------- */

/* deepspeed's `worker-0@worker-1:0,1`: hosts, and the GPUs of the one that lists them. */
static void take_include(struct megatron *im)
{
    const struct seen *s = seen_of(im, "--include");
    int64_t hosts = 1, gpus = 0;
    if (!is_known_value(s))
        return;
    const char *list = strchr(s->value, ':');
    for (const char *p = s->value; *p; p++)
        hosts += *p == '@';
    for (const char *p = list ? list + 1 : ""; *p && *p != '@'; p++)
        gpus += *p == ',' || p == list + 1;
    setting_number(im, s, "hardware.nodes", hosts);
    if (gpus > 0)
        setting_number(im, s, "hardware.gpus_per_node", gpus);
}

/* Remarks on a value that is no number, and asks for the key. */
static void note_no_count(struct megatron *im, const struct seen *s, const char *key)
{
    errors_note(im->errors, im->file, s->line, row_of(s, im)->name, "%s is not a number; give %s with --set", s->value,
                key);
    keyvals_add(&im->out->unread, key, "", s->line);
    const char *taken = strcmp(key, "hardware.nodes") == 0 ? "1" : "";
    import_ask(im->out, key, &(struct asked){row_of(s, im)->name, taken, im->file, s->line, "--set KEY=VALUE", false});
}

/* `python pretrain_gpt.py` of a model that is not split: one process, unless what is around it starts several. */
static bool is_alone(const struct megatron *im)
{
    static const char *const split[] = {"--tensor-model-parallel-size", "--pipeline-model-parallel-size",
                                        "--context-parallel-size", "--expert-model-parallel-size"};
    bool is = im->is_alone && !has(im, "--deepspeed");
    for (size_t i = 0; i < LENGTH(split); i++) {
        const struct seen *s = seen_of(im, split[i]);
        is &= !s->is_given || strcmp(s->value, "1") == 0;
    }
    return is;
}

/* A number that a flag gives, or a remark on why none does. */
static void take_count(struct megatron *im, const struct seen *found, int64_t n, const struct seen *unknown,
                       const char *key)
{
    int64_t least;
    if (found && is_range(found->value, &least))
        errors_note(im->errors, im->file, found->line, row_of(found, im)->name,
                    "%s: estimated with %lld, on which the job may start; give %s with --set for another", found->value,
                    (long long)n, key);
    if (found)
        setting_number(im, found, key, n);
    else if (unknown && unknown->is_unknown)
        note_unknown(im, unknown, key);
    else if (unknown && strcmp(unknown->value, "gpu") != 0 && strcmp(unknown->value, "auto") != 0)
        note_no_count(im, unknown, key);
    else if ((im->has_launcher || is_alone(im)) && !unknown)
        default_add(im, key, "1"); /* torchrun starts one process on one node when not told otherwise */
}

/* Nodes and GPUs of a node from all GPUs or ranks. */
static void take_world(struct megatron *im, const struct seen *s, int64_t world, const struct seen *nodes, int64_t n,
                       const struct seen *each, int64_t per)
{
    if (each)
        n = nodes ? n : (world + per - 1) / per;
    else
        per = nodes ? (world + n - 1) / n : world < PER_NODE ? world : PER_NODE;
    n = nodes || each ? n : (world + per - 1) / per;
    setting_number(im, nodes ? nodes : s, "hardware.nodes", n);
    setting_number(im, each ? each : s, "hardware.gpus_per_node", per);
}

const char *launch_device(const char *text)
{
    static const char *const family[] = {"gb200", "gb300", "h100", "h200", "h800", "h20", "b200", "b300", "a100",
                                         "a800", "v100", "l40s", "a10g", "mi250", "mi300", "mi325", "l4", "a10", "t4"};
    for (size_t k = 0; k < LENGTH(family); k++) {
        const char *at = strcasestr(text, family[k]);
        size_t n = strlen(family[k]);
        if (at && (at == text || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[n]))
            return family[k];
    }
    return NULL;
}

/* The device of a constraint, a partition or a request such as `gpu:h100:4`. */
static void take_device(struct megatron *im)
{
    static const char *const flag[] = {"--gres", "--gpus-per-node", "--gpus", "-G", "--constraint",
                                       "-C",     "--partition",     "-p"};
    for (size_t i = 0; i < LENGTH(flag); i++) {
        const struct seen *s = seen_of(im, flag[i]);
        const char *device = is_known_value(s) ? launch_device(s->value) : NULL;
        if (!device)
            continue;
        import_ask(im->out, "hardware.gpu", &(struct asked){"GPU", device, im->file, s->line, "--gpu NAME", false});
        return;
    }
}

/* Variables of NCCL and libfabric that only runs on one network set. */
static const struct {
    const char *name, *value; /* NULL: any */
    const char *fabric;
} fabric_rows[] = {
    {"FI_PROVIDER", "efa", "efa"},          {"FI_EFA_USE_DEVICE_RDMA", "1", "efa"},
    {"FI_PROVIDER", "cxi", "slingshot"},    {"NCCL_FASTRAK_CTRL_DEV", NULL, "tcpxo"},
    {"NCCL_FASTRAK_IFNAME", NULL, "tcpxo"}, {"NCCL_GPUDIRECTTCPX_CTRL_DEV", NULL, "tcpxo"},
    {"NCCL_IB_GID_INDEX", "3", "roce"},     {"NCCL_IB_DISABLE", "1", "tcp"},
};

int launch_line(const struct shell_script *script, const char *name, const char *value)
{
    for (size_t i = 0; i < script->variables; i++) {
        const struct shell_command *set = &script->variable[i];
        if (set->count == 2 && strcmp(set->word[0].text, name) == 0 &&
            (!value || (!set->word[1].is_unknown && strcmp(set->word[1].text, value) == 0)))
            return set->line > 0 ? set->line : 1;
    }
    for (size_t i = 0; i < script->count; i++) {
        const struct keyval *front = keyvals_last(&script->command[i].environment, name);
        if (front && (!value || strcmp(front->value, value) == 0))
            return script->command[i].line;
    }
    return 0;
}

void launch_fabric(const struct shell_script *script, struct import *out)
{
    for (size_t i = 0; i < LENGTH(fabric_rows); i++) {
        int line = launch_line(script, fabric_rows[i].name, fabric_rows[i].value);
        if (line == 0)
            continue;
        keyvals_add(&out->settings, "hardware.fabric", fabric_rows[i].fabric, line);
        return;
    }
}

/* The slices that xpk asks for: `v5p-128` has so many cores, two a chip, `v6e-16` chips; a host has four chips. */
static void take_slices(struct megatron *im)
{
    static const struct {
        const char *name, *gpu;
        int cores;
    } rows[] = {{"v4-", "tpu-v4", 2}, {"v5p-", "tpu-v5p", 2}, {"v5litepod-", "tpu-v5e", 1}, {"v6e-", "tpu-v6e", 1}};
    static const char *const counts[] = {"--num-slices", NULL};
    const struct seen *type = seen_of(im, "--tpu-type"), *s = type->is_given ? type : seen_of(im, "--device-type");
    int64_t slices = 1;
    slices = first_count(im, counts, &slices, NULL) ? slices : 1;
    for (size_t i = 0; i < LENGTH(rows) && is_known_value(s); i++) {
        size_t n = strlen(rows[i].name);
        long chips = strncmp(s->value, rows[i].name, n) == 0 ? strtol(s->value + n, NULL, 10) / rows[i].cores : 0;
        if (chips < 1 || chips > INT16_MAX || slices > INT16_MAX)
            continue;
        keyvals_add(&im->out->settings, "hardware.gpu", rows[i].gpu, s->line);
        setting_number(im, s, "hardware.gpus_per_node", chips < 4 ? chips : 4);
        setting_number(im, s, "hardware.nodes", slices * (chips < 4 ? 1 : chips / 4));
        if (slices > 1 && !keyvals_last(&im->out->settings, "parallel.fsdp")) { /* MaxText shards within one */
            keyvals_add(&im->out->settings, "parallel.fsdp", "hybrid", s->line);
            setting_number(im, s, "parallel.shard_group", chips);
        }
    }
}

void rule_hardware(struct megatron *im)
{
    static const char *const node_flags[] = {"--actor-num-nodes", "--nnodes", "--num-nodes", "--num-machines",
                                             "--nodes",           "-N",       NULL};
    static const char *const gpu_flags[] = {"--actor-num-gpus-per-node", "--nproc-per-node", "--num-gpus",
                                            "--gpus-per-node", "--gres",
                                            "--ntasks-per-node", "-npernode", "--npernode", "-ppn", "--ppn", NULL};
    static const char *const world_flags[] = {"--num-processes", "--gpus", "-G", NULL}, *const task_flags[] = {
                                                                                            "--ntasks", "-n", "-np",
                                                                                            NULL};
    const struct seen *no_nodes = NULL, *no_gpus = NULL;
    int64_t n = 0, per = 0, world = 0;
    const struct seen *nodes = first_count(im, node_flags, &n, &no_nodes),
                      *each = first_count(im, gpu_flags, &per, &no_gpus);
    const struct seen *all = first_count(im, world_flags, &world, NULL);
    /* tasks of torchrun are launchers */
    all = all || im->has_launcher ? all : first_count(im, task_flags, &world, NULL);
    take_device(im);
    take_slices(im);
    if (has(im, "--include"))
        take_include(im);
    else if (all && !(nodes && each))
        take_world(im, all, world, nodes, n, each, per);
    else {
        take_count(im, nodes, n, no_nodes, "hardware.nodes");
        take_count(im, each, per, no_gpus, "hardware.gpus_per_node");
    }
}
