#include "src/cli/verbs/template.h"

#include "core/base.h"
#include "core/plan/gpu.h"
#include "core/plan/number.h"
#include "core/plan/param.h"
#include "src/plan/plan_io.h"
#include "src/plan/preset.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "src/text/yaml.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VALUE_COLUMNS = 40 /* where comments begin */, LINE_BYTES = 2 * PARAM_TEXT_MAX };

/* What a key's comment tells. */
struct meaning {
    const char *unit, *about;
    const char *const *choices; /* NULL for none */
};

/* Writes `key: value`, commented out where the file leaves it to a default, with its meaning behind it. */
static void put_key(struct buffer *out, const char *indent, const char *key, const char *value, bool is_given,
                    const struct meaning *meaning)
{
    char line[LINE_BYTES];
    snprintf(line, sizeof line, "%s%s%s:%s%s", indent, is_given ? "" : "# ", key, *value ? " " : "", value);
    buffer_printf(out, "%-*s # ", VALUE_COLUMNS, line);
    bool is_repeated = strlen(meaning->unit) > 3 && strstr(meaning->about, meaning->unit); /* as in "query heads" */
    if (*meaning->unit && !is_repeated)
        buffer_printf(out, "%s; ", meaning->unit);
    buffer_puts(out, meaning->about);
    for (int i = 0; meaning->choices && meaning->choices[i]; i++)
        buffer_printf(out, "%s%s", i ? ", " : ": ", meaning->choices[i]);
    buffer_puts(out, "\n");
}

/* ---- GPUs ------------------------------------------------------------------------------------------------------- */

static void put_gpu(struct buffer *out, const struct plan *plan)
{
    buffer_puts(out, "\ngpu:\n");
    for (size_t i = 0; i < gpu_field_count; i++) {
        const struct gpu_field *field = &gpu_fields[i];
        const char *slot = (const char *)&plan->gpu + field->offset;
        char text[GPU_NAME_MAX] = "";
        if (field->is_text)
            snprintf(text, sizeof text, "%s", slot);
        else if (!isnan(*(const double *)(const void *)slot))
            number_print(*(const double *)(const void *)slot, text, sizeof text);
        put_key(out, "  ", field->key, text, *text, &(struct meaning){field->unit, field->about, NULL});
    }
}

/* ---- groups of plan keys ---------------------------------------------------------------------------------------- */

/* Whether a key is to be written as given: the preset, the file or the framework that the template is of has it. */
static bool is_given(const struct plan *plan, enum param id)
{
    return !param_blank(plan, id) && plan->from[id] > FROM_DERIVED;
}

/* A key; one that `plan` leaves out is a comment with the value of `resolved`. */
static void put_param(struct buffer *out, const char *indent, const struct plan *plan, const struct plan *resolved,
                      enum param id)
{
    const struct param_row *row = &param_rows[id];
    char text[PARAM_TEXT_MAX] = "";
    bool has_value = is_given(plan, id), is_switch = param_type(id)->json == PARAM_JSON_BOOL;
    param_print(has_value ? plan : resolved, id, text, sizeof text);
    struct buffer quoted = {0};
    if (row->type == TYPE_PATTERN && *text)
        yaml_scalar(&quoted, text);
    put_key(out, indent, row->key, quoted.size ? quoted.text : text, has_value && *text,
            &(struct meaning){row->unit, row->help, is_switch ? NULL : row->choices});
    buffer_free(&quoted);
}

static void put_group(struct buffer *out, const struct plan *plan, const struct plan *resolved, enum param_group group)
{
    buffer_printf(out, "\n%s:\n", param_group_names[group]);
    for (int i = 0; i < PARAM_COUNT; i++)
        if (param_rows[i].group_id == group)
            put_param(out, "  ", plan, resolved, (enum param)i);
}

static void put_model(struct buffer *out, const struct plan *plan, const struct plan *resolved)
{
    put_group(out, plan, resolved, GROUP_model);
}

static void put_cluster(struct buffer *out, const struct plan *plan, const struct plan *resolved)
{
    put_group(out, plan, resolved, GROUP_hardware);
}

/* Writes a plan's model: its keys, or its name and the keys that the plan changes. */
static void put_model_of_plan(struct buffer *out, const struct plan *plan, const struct plan *resolved)
{
    static const struct meaning named = {"", "one of `shardtop list models`, or a group of keys", NULL};
    if (plan->from[PARAM_model_num_layers] > FROM_PRESET) {
        put_group(out, plan, resolved, GROUP_model);
        return;
    }
    put_key(out, "", "model", plan->text[TEXT_MODEL], *plan->text[TEXT_MODEL], &named);
    for (int i = 0; i < PARAM_COUNT; i++)
        if (param_rows[i].group_id == GROUP_model && i != PARAM_model_name && plan->from[i] > FROM_PRESET)
            put_param(out, "model.", plan, resolved, (enum param)i);
}

/* A plan names its model and cluster, or has a model's keys, and all other keys. */
static void put_plan(struct buffer *out, const struct plan *plan, const struct plan *resolved)
{
    static const enum param_group groups[] = {GROUP_parallel, GROUP_train, GROUP_framework, GROUP_hardware,
                                              GROUP_serve};
    struct plan rest = *plan;
    for (int i = 0; i < PARAM_COUNT; i++)
        if (rest.from[i] == FROM_PRESET) /* it comes with the names */
            rest.from[i] = FROM_DEFAULT;
    buffer_puts(out, "\n");
    put_param(out, "", plan, resolved, PARAM_plan_cluster);
    put_param(out, "", plan, resolved, PARAM_plan_workload);
    put_model_of_plan(out, plan, resolved);
    for (size_t i = 0; i < LENGTH(groups); i++)
        put_group(out, &rest, resolved, groups[i]);
}

/* What a plan may set of a framework: its switches, with its own defaults as comments. */
static void put_framework(struct buffer *out, const struct plan *plan, const struct plan *resolved)
{
    put_group(out, plan, resolved, GROUP_framework);
}

/* ---- the templates ---------------------------------------------------------------------------------------------- */

static int load_preset(struct plan *plan, enum param key, const char *name, struct errors *errors)
{
    return preset_apply(plan, key, name, FROM_PRESET, &(struct place){.file = "shardtop", .key = "list"}, errors);
}

static int load_model(struct plan *plan, const char *name, struct errors *errors)
{
    return load_preset(plan, PARAM_model_name, name, errors);
}

static int load_gpu(struct plan *plan, const char *name, struct errors *errors)
{
    return load_preset(plan, PARAM_hardware_gpu, name, errors);
}

static int load_cluster(struct plan *plan, const char *name, struct errors *errors)
{
    return load_preset(plan, PARAM_plan_cluster, name, errors);
}

static int load_framework(struct plan *plan, const char *name, struct errors *errors)
{
    char why[PARAM_WHY_MAX];
    if (param_parse(plan, PARAM_framework_name, name, FROM_SET, true, why) == 0)
        return 0;
    errors_add(errors, "shardtop", 0, "list", "%s", why);
    return -1;
}

static void put_device(struct buffer *out, const struct plan *plan, const struct plan *resolved)
{
    (void)resolved;
    put_gpu(out, plan);
}

static const struct template {
    const char *list, *folder; /* the folder of own files below ~/.config/shardtop, "" for a plan anywhere */
    const char *use;           /* how the file is used */
    int (*load)(struct plan *plan, const char *name, struct errors *errors);
    void (*put)(struct buffer *out, const struct plan *plan, const struct plan *resolved);
} templates[] = {
    {"gpus", "gpus/", "shardtop show --model llama3-8b --gpu NAME", load_gpu, put_device},
    {"models", "models/", "shardtop show --model NAME", load_model, put_model},
    {"clusters", "clusters/", "shardtop show --model llama3-8b --set cluster=NAME", load_cluster, put_cluster},
    {"frameworks", "", "shardtop show PLAN NAME.yaml", load_framework, put_framework},
    {"plans", "plans/", "shardtop show NAME", plan_load_preset, put_plan},
};

static const struct template *find_template(const char *list)
{
    for (size_t i = 0; i < LENGTH(templates); i++)
        if (strcmp(templates[i].list, list) == 0)
            return &templates[i];
    return NULL;
}

int template_write(struct buffer *out, const char *list, const char *name, struct errors *errors)
{
    const struct template *template = find_template(list);
    struct plan plan, resolved;
    if (!template) {
        errors_add(errors, "shardtop", 0, "list",
                   "'%.40s' has no template; use gpus, models, clusters, frameworks or plans", list);
        return -1;
    }
    plan_clear(&plan);
    if (template->load(&plan, name, errors) != 0)
        return -1;
    plan_resolve(&plan, &resolved);
    buffer_printf(out, "# Template from %s. Change what differs and save it as ", name);
    buffer_printf(out, *template->folder ? "~/.config/shardtop/%sNAME.yaml.\n" : "NAME.yaml%s.\n", template->folder);
    buffer_printf(out, "# Use it: %s\n", template->use);
    buffer_puts(out, "# Lines that begin with # are defaults; delete the line of a value that you do not know.\n");
    template->put(out, &plan, &resolved);
    return 0;
}
