#include "ui/command/preview.h"

#include "core/base.h"
#include "core/explain/live.h"
#include "core/plan/step.h"
#include "core/show/glossary.h"
#include "core/show/ranks.h"
#include "ui/command/command.h"
#include "ui/state/effect.h"
#include "ui/command/keymap.h"
#include "ui/widget/units.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void preview_say(struct preview *out, const char *format, ...)
{
    va_list args;
    if (out->count == PREVIEW_LINES)
        return;
    va_start(args, format);
    vsnprintf(out->line[out->count++], PREVIEW_LINE_MAX, format, args);
    va_end(args);
}

/* ---- fields ----------------------------------------------------------------------------------------------------- */

/* The effects of values or steps. */
struct effects {
    char each[8][PREVIEW_LINE_MAX];
    int count;
};

static void add_effect(struct ui *ui, const struct plan *plan, enum param id, const char *sign, struct effects *out)
{
    enum { BRIEF = 30 /* columns, so that other values have room beside it */ };
    struct effect effect;
    char text[PREVIEW_LINE_MAX];
    if (out->count == LENGTH(out->each))
        return;
    effect_of_plan(ui, plan, id, &effect);
    effect_text(ui, &effect, sign, BRIEF, text, sizeof text);
    snprintf(out->each[out->count++], PREVIEW_LINE_MAX, "%s", text + (*text == ' '));
}

/* Each value of a choice but the present one. */
static void add_choices(struct ui *ui, enum param id, struct effects *out)
{
    double values[8];
    int count = param_valid(&ui->plan, id, values, LENGTH(values));
    for (int i = 0; i < count; i++) {
        struct plan copy = ui->plan;
        param_set(&copy, id, values[i]);
        if (values[i] != ui->now->plan.value[id])
            add_effect(ui, &copy, id, "", out);
    }
}

static void add_steps(struct ui *ui, enum param id, struct effects *out)
{
    double below = NAN;
    for (int direction = -1; direction <= 1; direction += 2) {
        struct plan copy = ui->plan;
        if (ui_step(ui, &copy, id, direction) != 0 || copy.value[id] == below) /* a switch goes one way */
            continue;
        add_effect(ui, &copy, id, direction < 0 ? "-" : "+", out);
        below = copy.value[id];
    }
}

static void preview_field(struct ui *ui, enum param id, struct preview *out)
{
    const struct param_row *row = &param_rows[id];
    struct effects effects = {0};
    char value[FIELD_TEXT_MAX];
    form_value(&ui->now->plan, id, value);
    if (row->step == STEP_CHOICE)
        add_choices(ui, id, &effects);
    else if (row->type != TYPE_NAME)
        add_steps(ui, id, &effects);
    preview_say(out, "%s  %s", row->key, row->help);
    for (int i = 0; i < effects.count; i++)
        preview_say(out, "%s", effects.each[i]);
    preview_say(out, "%s = %s%s%s (%s)", row->dotted, value, *row->unit ? " " : "", row->unit,
        origin_names[ui->now->plan.from[id]]);
    if (*row->more)
        preview_say(out, "%s", row->more);
}

/* ---- plans ------------------------------------------------------------------------------------------------------ */

/* What a plan comes to, as it stands in ui->scratch. */
static void say_plan(const struct estimate *e, struct preview *out)
{
    char verdict[VERDICT_MAX];
    for (int i = 0; i < e->diags.count; i++) {
        const struct diag *diag = &e->diags.item[i];
        if (diag->level == DIAG_ERROR || diag->is_unmodelled) { /* errors come first */
            preview_say(out, "%s %s: %s", diag->level == DIAG_ERROR ? "INVALID" : "?", param_rows[diag->param].key,
                finding_text(diag).text);
            return;
        }
    }
    result_verdict(e, verdict);
    preview_say(out, "%s", verdict);
    preview_say(out, "peak          %s of %s %s", units_figure(FIGURE_GIB, result_value(RESULT_PEAK, e)).text,
        units_figure(FIGURE_GIB, e->usable_bytes).text, units_name());
    preview_say(out, "%-13s %s", e->is_serving ? "token" : "iteration", result_text(RESULT_ITERATION, e).text);
    if (!e->is_serving)
        preview_say(out, "MFU           %s", result_text(RESULT_MFU, e).text);
}

#define KEYS(name, ...) static const enum param name[] = {__VA_ARGS__, PARAM_COUNT}
#define P(key)          PARAM_##key
KEYS(model_keys, P(model_num_layers), P(model_hidden_size), P(model_ffn_hidden_size), P(model_num_attention_heads),
     P(model_num_query_groups), P(model_kv_channels), P(model_vocab_size), P(model_max_position_embeddings),
     P(model_num_experts), P(model_moe_router_topk));
KEYS(gpu_keys, P(hardware_memory_gib), P(hardware_usable_gib), P(hardware_peak_tflops), P(hardware_memory_gb_s),
     P(hardware_intra_node_gb_s), P(hardware_watts), P(hardware_price_per_gpu_hour));
KEYS(cluster_keys, P(hardware_gpu), P(hardware_nodes), P(hardware_gpus_per_node), P(hardware_intra_node_gb_s),
     P(hardware_inter_node_gb_s), P(hardware_price_per_gpu_hour));
KEYS(plan_keys, P(model_name), P(hardware_gpu), P(hardware_nodes), P(hardware_gpus_per_node), P(parallel_tp),
     P(parallel_pp), P(parallel_cp), P(parallel_ep), P(parallel_dp), P(train_seq_length), P(train_micro_batch_size),
     P(train_global_batch_size), P(framework_name));

/* A key with its value, where it has one. */
static void say_key(const struct plan *resolved, enum param id, const char *name, struct preview *out)
{
    char value[FIELD_TEXT_MAX];
    form_value(resolved, id, value);
    if (!param_blank(resolved, id))
        preview_say(out, out->is_whole ? "%-28s %s %s" : "%-22.22s %s %s", name, value, param_rows[id].unit);
}

static void say_keys(const struct plan *resolved, const enum param *keys, struct preview *out)
{
    for (; *keys != PARAM_COUNT; keys++)
        say_key(resolved, *keys, param_rows[*keys].key, out);
}

/* All that a preset sets, whatever this plan sets beside it. */
static void say_facts(const struct ui *ui, enum param key, const char *name, struct preview *out)
{
    struct plan plan, resolved;
    char why[UI_MESSAGE_MAX];
    enum param_group group = key == PARAM_model_name ? GROUP_model : GROUP_hardware;
    plan_clear(&plan);
    if (ui->host->preset(ui->host->context, key, name, &plan, why) != 0)
        return;
    plan_resolve(&plan, &resolved);
    for (int id = 0; id < PARAM_COUNT; id++)
        if (resolved.from[id] == FROM_PRESET && param_rows[id].group_id == group)
            say_key(&resolved, (enum param)id, param_rows[id].key, out);
}

static void preview_preset(struct ui *ui, enum param key, const char *name, const enum param *keys, struct preview *out)
{
    struct plan copy = ui->plan;
    char why[UI_MESSAGE_MAX];
    if (ui->host->preset(ui->host->context, key, name, &copy, why) != 0) {
        preview_say(out, "%.120s", why);
        return;
    }
    estimate_plan(&copy, ui->scratch);
    if (plan_equal(&copy, &ui->plan))
        preview_say(out, "it is the plan's own: nothing changes");
    else
        say_plan(ui->scratch, out);
    if (key == PARAM_model_name && ui->scratch->is_computed)
        preview_say(out, "%-22s %s", "parameters", figure(FIGURE_COUNT, ui->scratch->totals.total).text);
    if (out->is_whole)
        say_facts(ui, key, name, out);
    else
        say_keys(&ui->scratch->plan, keys, out);
}

static void preview_plan(struct ui *ui, const char *name, struct preview *out)
{
    struct plan plan;
    char why[UI_MESSAGE_MAX];
    if (name[strlen(name) - 1] == '/') {
        preview_say(out, "a folder; Enter goes into it");
        return;
    }
    if (!ui->host->peek || ui->host->peek(ui->host->context, name, &plan, why) != 0) {
        preview_say(out, "%.120s", ui->host->peek ? why : "");
        return;
    }
    estimate_plan(&plan, ui->scratch);
    say_plan(ui->scratch, out);
    if (!out->is_whole)
        say_keys(&ui->scratch->plan, plan_keys, out);
    for (int id = 0; id < PARAM_COUNT && out->is_whole; id++)
        if (plan.from[id] >= FROM_PRESET)
            say_key(&plan, (enum param)id, param_rows[id].dotted, out);
}

/* ---- all the others --------------------------------------------------------------------------------------------- */

static void preview_doing(const struct ui *ui, const struct palette_item *item, struct preview *out)
{
    const struct command *command =
        item->id < 0 ? &commands[-1 - item->id] : command_find(item->name, strlen(item->name));
    char keys[64] = "";
    if (item->id > 0)
        keymap_keys(&ui->settings.bindings, MODE_BROWSE, (enum action)item->id, 4, keys, sizeof keys);
    preview_say(out, "%s", item->help);
    if (keys[0])
        preview_say(out, "keys: %s", keys);
    preview_say(out, ":%s%s%s", item->name, command && *command->usage ? " " : "", command ? command->usage : "");
    if (command)
        preview_say(out, "as in :%s", command->example);
}

void preview_path(const struct ui *ui, const char *path, char out[EXPLAIN_PATH_MAX])
{
    size_t used = 0;
    bool is_stage = true;
    for (; *path && used + 12 < EXPLAIN_PATH_MAX; path++) {
        if (*path == 'N' && strchr(".", path[1])) {
            used += (size_t)snprintf(out + used, EXPLAIN_PATH_MAX - used, "%d", is_stage ? ui_stage(ui) : 0);
            is_stage = false;
        } else {
            out[used++] = *path;
        }
    }
    out[used] = '\0';
}

static void preview_result(const struct ui *ui, const char *collapsed, struct preview *out)
{
    struct explanation x;
    char path[EXPLAIN_PATH_MAX];
    preview_path(ui, collapsed, path);
    if (explain_value(ui->shown, path, &x) != 0)
        return;
    char value[64];
    if (strcmp(x.unit, "bytes") == 0) /* in the unit that the screen counts in */
        snprintf(value, sizeof value, "%s", units_figure(FIGURE_BYTES, x.value).text);
    else if (strcmp(x.unit, "s") == 0)
        snprintf(value, sizeof value, "%s", figure(FIGURE_SECONDS, x.value).text);
    else
        live_value(x.value, x.unit, false, value, sizeof value);
    preview_say(out, "%s = %s", x.label, value);
    preview_say(out, "%s", path);
    if (strchr(x.formula, '?'))
        preview_say(out, "Enter opens its formula, which has conditions");
    else
        preview_say(out, "%s", x.formula);
}

static void preview_rank(const struct ui *ui, int rank, struct preview *out)
{
    const struct rank_grid *grid = &ui->shown->grid;
    struct rank_place place;
    char all[PREVIEW_LINE_MAX] = "";
    bool is_narrow = ui->width < NAMES_WIDTH && !out->is_whole; /* two lines are shown */
    rank_place_of(grid, rank, &place);
    preview_say(out, "rank %d = n%d g%d: stage %d", rank, place.node, place.gpu, place.at[AXIS_PP]);
    for (int axis = 0; axis < AXIS_COUNT; axis++)
        if (ranks_has_group(grid, (enum rank_axis)axis)) {
            char members[PREVIEW_LINE_MAX / 2];
            const char *name = rank_axis_names[axis];
            size_t used = strlen(all);
            ranks_write(grid, (enum rank_axis)axis, rank, (int)sizeof members, members, sizeof members);
            snprintf(all + used, sizeof all - used, "%s%s %s", used ? "   " : "", name, members);
            if (!is_narrow)
                preview_say(out, "%-3s %s (%d of 0-%d)", name, members, place.at[axis], grid->size[axis] - 1);
        }
    if (is_narrow || !*all)
        preview_say(out, "%s", *all ? all : "alone: no group has another rank");
}

static void preview_assigned(struct ui *ui, const struct palette *palette, struct preview *out)
{
    const struct assigned *assigned = &palette->assigned;
    struct effect effect;
    char text[PREVIEW_LINE_MAX];
    effect_of_plan(ui, &assigned->plan, assigned->id[0], &effect);
    effect_figures(ui, &effect, PREVIEW_LINE_MAX, text, sizeof text);
    if (plan_equal(&assigned->plan, &ui->plan))
        preview_say(out, "nothing changes");
    else if (ui->scratch->diags.errors == 0 && ui->scratch->diags.is_modelled)
        preview_say(out, "%s", text);
    say_plan(ui->scratch, out);
}

static void preview_theme(const struct ui *ui, const char *name, struct preview *out)
{
    struct theme theme;
    char why[UI_MESSAGE_MAX] = "";
    if (ui->host->theme && ui->host->theme(ui->host->context, name, &theme, why) == 0)
        preview_say(out, "%s%s", theme.about, strcmp(name, ui->theme.name) == 0 ? "; it is this one" : "");
    if (*why)
        preview_say(out, "%.160s", why);
}

static void preview_word(const struct glossary_row *row, struct preview *out)
{
    preview_say(out, "%s", row->sentence);
    if (*row->formula)
        preview_say(out, "%s", row->formula);
    if (*row->also)
        preview_say(out, "also: %s", row->also);
    if (*row->keys)
        preview_say(out, "keys: %s", row->keys);
    preview_say(out, "lesson %s", row->lesson);
}

void preview_of(struct ui *ui, const struct palette *palette, const struct palette_item *item, struct preview *out)
{
    out->count = 0;
    switch (item ? item->kind : ITEM_KINDS) {
    case ITEM_SET: preview_assigned(ui, palette, out); break;
    case ITEM_FIELD: preview_field(ui, (enum param)item->id, out); break;
    case ITEM_VIEW:
    case ITEM_COMMAND: preview_doing(ui, item, out); break;
    case ITEM_MODEL: preview_preset(ui, PARAM_model_name, item->name, model_keys, out); break;
    case ITEM_GPU: preview_preset(ui, PARAM_hardware_gpu, item->name, gpu_keys, out); break;
    case ITEM_CLUSTER: preview_preset(ui, PARAM_plan_cluster, item->name, cluster_keys, out); break;
    case ITEM_PLAN:
    case ITEM_FILE: preview_plan(ui, item->name, out); break;
    case ITEM_RESULT: preview_result(ui, item->path, out); break;
    case ITEM_GOAL:
    case ITEM_LESSON:
    case ITEM_KEY: preview_say(out, "%s", item->help); break;
    case ITEM_THEME: preview_theme(ui, item->name, out); break;
    case ITEM_WORD: preview_word(&glossary[item->id], out); break;
    case ITEM_RANK: preview_rank(ui, item->id, out); break;
    default: break;
    }
}
