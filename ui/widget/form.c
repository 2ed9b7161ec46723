#include "ui/widget/form.h"

#include "core/base.h"
#include "core/show/figure.h"
#include "core/show/line.h"
#include "ui/term/canvas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define KEYS(name, ...) static const enum param name[] = {__VA_ARGS__, PARAM_COUNT}
#define P(key)          PARAM_##key

KEYS(model_first, P(model_name), P(model_num_layers), P(model_hidden_size), P(model_num_attention_heads),
     P(model_num_query_groups), P(model_ffn_hidden_size), P(model_vocab_size), P(model_num_experts));
KEYS(parallel_first, P(parallel_tp), P(parallel_pp), P(parallel_vpp), P(parallel_cp), P(parallel_ep), P(parallel_dp),
     P(parallel_sp), P(parallel_zero_stage), P(parallel_schedule));
KEYS(train_first, P(train_seq_length), P(train_micro_batch_size), P(train_global_batch_size), P(train_dtype),
     P(train_recompute), P(train_attention), P(train_total_tokens));
KEYS(hardware_first, P(hardware_gpu), P(hardware_nodes), P(hardware_gpus_per_node), P(hardware_usable_gib),
     P(hardware_intra_node_gb_s), P(hardware_inter_node_gb_s), P(hardware_price_per_gpu_hour), P(plan_cluster));
KEYS(framework_first, P(framework_name), P(framework_transformer_impl), P(plan_workload));
KEYS(serve_first, P(serve_batch_size), P(serve_prompt_tokens), P(serve_generate_tokens), P(serve_weight_dtype),
     P(serve_kv_dtype), P(serve_memory_share));
KEYS(rl_first, P(rl_program), P(rl_algorithm), P(rl_placement), P(rl_rollout_tp), P(rl_samples), P(rl_answers),
     P(rl_max_prompt), P(rl_max_answer));

const struct form forms[PANE_FORMS] = {
    [PANE_MODEL] = {"Model", GROUP_model, model_first},
    [PANE_PARALLEL] = {"Layout", GROUP_parallel, parallel_first},
    [PANE_TRAIN] = {"Training", GROUP_train, train_first},
    [PANE_HARDWARE] = {"Hardware", GROUP_hardware, hardware_first},
    [PANE_FRAMEWORK] = {"Framework", GROUP_framework, framework_first},
    [PANE_SERVE] = {"Serving", GROUP_serve, serve_first},
    [PANE_RL] = {"Reinforcement", GROUP_rl, rl_first},
};

/* True when some form has the key in front. */
static bool is_first(enum param id)
{
    for (int form = 0; form < PANE_FORMS; form++)
        for (const enum param *p = forms[form].first; *p != PARAM_COUNT; p++)
            if (*p == id)
                return true;
    return false;
}

/* What people call the keys that they look at most. */
static const struct {
    enum param id;
    const char *label;
} labels[] = {
    {P(parallel_tp), "tp   tensor"}, {P(parallel_pp), "pp   pipeline"}, {P(parallel_vpp), "vpp  interleave"},
    {P(parallel_cp), "cp   context"}, {P(parallel_ep), "ep   expert"}, {P(parallel_dp), "dp   data"},
    {P(parallel_sp), "sp   sequence"}, {P(parallel_zero_stage), "ZeRO stage"}, {P(model_name), "model"},
    {P(model_num_layers), "layers"}, {P(model_hidden_size), "hidden size"},
    {P(model_num_attention_heads), "attention heads"}, {P(model_num_query_groups), "key/value heads"},
    {P(model_ffn_hidden_size), "FFN size"}, {P(model_vocab_size), "vocabulary"}, {P(model_num_experts), "experts"},
    {P(train_seq_length), "sequence"}, {P(train_micro_batch_size), "micro-batch"},
    {P(train_global_batch_size), "global batch"}, {P(train_dtype), "precision"}, {P(train_peft), "method"},
    {P(train_lora_rank), "LoRA rank"}, {P(train_quant_dtype), "base in 4 bits"},
    {P(train_total_tokens), "tokens in all"},
    {P(hardware_gpu), "GPU"}, {P(hardware_gpus_per_node), "GPUs a node"}, {P(hardware_usable_gib), "usable GiB"},
    {P(hardware_intra_node_gb_s), "NVLink GB/s"}, {P(hardware_inter_node_gb_s), "network GB/s"},
    {P(hardware_price_per_gpu_hour), "price a GPU hour"}, {P(serve_batch_size), "prompts at once"},
    {P(framework_cuda_graph), "CUDA graph"},
    {P(serve_prompt_tokens), "prompt tokens"}, {P(serve_generate_tokens), "answer tokens"},
};

void form_label(enum param id, int room, char out[64])
{
    snprintf(out, 64, "%s", param_rows[id].key);
    for (char *at = out; (at = strchr(at, '_'));)
        *at = ' ';
    for (size_t i = 0; i < LENGTH(labels); i++)
        if (labels[i].id == id)
            snprintf(out, 64, "%s", labels[i].label);
    if (text_width(out) > room)
        out[strcspn(out, " ")] = '\0';
}

void form_name(enum param id, char out[64])
{
    bool is_short = param_rows[id].group_id == GROUP_parallel && strlen(param_rows[id].key) <= 3;
    form_label(id, 64, out);
    if (is_short || id == PARAM_parallel_zero_stage)
        snprintf(out, 64, "%s", is_short ? param_rows[id].key : "ZeRO");
    if (id == PARAM_train_quant_dtype || id == PARAM_framework_name)
        snprintf(out, 64, id == PARAM_framework_name ? "framework" : "base");
}

int form_fields(enum pane_id form, enum param out[FORM_FIELDS_MAX])
{
    int count = 0;
    for (const enum param *p = forms[form].first; *p != PARAM_COUNT; p++)
        out[count++] = *p;
    for (int id = 0; id < PARAM_COUNT && count < FORM_FIELDS_MAX; id++)
        if (param_rows[id].group_id == forms[form].group && !is_first((enum param)id))
            out[count++] = (enum param)id;
    return count;
}

int form_brief(enum pane_id form, bool is_serving)
{
    /* the others matter less */
    static const int in_serving[PANE_FORMS] = {[PANE_MODEL] = 5, [PANE_PARALLEL] = 2, [PANE_HARDWARE] = 3};
    int count = 0;
    if (is_serving && in_serving[form])
        return in_serving[form];
    while (forms[form].first[count] != PARAM_COUNT)
        count++;
    return count;
}

/* Amounts as people write them, where that is exact: 15T, 36.6B. */
static bool short_amount(double value, char *out, size_t size)
{
    static const struct {
        double unit;
        char letter;
    } units[] = {{1e12, 'T'}, {1e9, 'B'}, {1e6, 'M'}};
    for (int i = 0; i < 3; i++) {
        double many = value / units[i].unit;
        if (value >= units[i].unit && many * 100 == floor(many * 100)) {
            snprintf(out, size, "%.10g%c", many, units[i].letter);
            return true;
        }
    }
    return false;
}

void form_value(const struct plan *resolved, enum param id, char out[FIELD_TEXT_MAX])
{
    const struct param_row *row = &param_rows[id];
    char text[PARAM_TEXT_MAX];
    if (param_blank(resolved, id)) {
        snprintf(out, FIELD_TEXT_MAX, "%s", param_type(id)->if_blank);
        return;
    }
    if (row->type == TYPE_BOOL || row->type == TYPE_ENUM) {
        param_number(id, resolved->value[id], out);
        return;
    }
    param_print(resolved, id, text, sizeof text);
    if (row->suffix == SUFFIX_DECIMAL)
        short_amount(resolved->value[id], text, sizeof text);
    else if (row->type == TYPE_REAL && row->suffix != SUFFIX_VERSION && strlen(text) > 7 && resolved->value[id] < 1e6)
        snprintf(text, sizeof text, "%.4g", resolved->value[id]);
    snprintf(out, FIELD_TEXT_MAX, "%.90s", text);
}

void form_shown(const struct plan *resolved, enum param id, char out[FIELD_TEXT_MAX])
{
    const double from = 1000;
    const struct param_row *row = &param_rows[id];
    form_value(resolved, id, out);
    double value = resolved->value[id];
    if (row->type == TYPE_INT && !param_blank(resolved, id) && value >= from && row->suffix != SUFFIX_DECIMAL)
        snprintf(out, FIELD_TEXT_MAX, "%s", figure(FIGURE_EXACT, value).text);
}

/* ---- changes in words ------------------------------------------------------------------------------------------- */

enum { CHANGES_SHOWN = 8, CHANGE_MAX = 56 };

/* Of the modules to repeat: "recompute shared experts", "keep mlp", or the first with how many more. */
static void say_set_change(const struct plan *now, const struct plan *resolved, enum param id, char out[CHANGE_MAX])
{
    unsigned before = param_blank(now, id) ? 0 : (unsigned)now->value[id], after = (unsigned)resolved->value[id];
    int count = 0;
    *out = '\0';
    for (int bit = 0; param_rows[id].choices[bit]; bit++)
        if ((before ^ after) >> bit & 1 && count++ == 0)
            snprintf(out, CHANGE_MAX, "%s %.18s", after >> bit & 1 ? "recompute" : "keep", param_rows[id].choices[bit]);
    if (count > 1)
        snprintf(out + strlen(out), CHANGE_MAX - strlen(out), ", %d more", count - 1);
}

/* "tp 4"; where there is little room "micro 1" for "micro-batch 1". */
static void say_change(const struct plan *now, const struct plan *resolved, enum param id, bool is_brief,
                       char out[CHANGE_MAX])
{
    static const struct {
        enum param id;
        const char *name;
    } briefs[] = {{PARAM_train_micro_batch_size, "micro"}, {PARAM_train_global_batch_size, "batch"},
                  {PARAM_train_seq_length, "seq"}, {PARAM_train_offload_optimizer, "offload"},
                  {PARAM_parallel_embedding_counts_as_layer, "embedding"},
                  {PARAM_parallel_loss_counts_as_layer, "loss"},
                  {PARAM_train_offload_activations, "offload act."},
                  {PARAM_train_peft, ""},
                  {PARAM_train_quant_dtype, ""}};
    char name[64], value[FIELD_TEXT_MAX];
    bool is_whole = resolved->value[id] == 1 && strncmp(param_rows[id].key, "offload", 7) == 0; /* all of it */
    is_whole |= is_brief && id == PARAM_train_recompute && resolved->value[id] == RECOMPUTE_FULL;
    form_name(id, name);
    for (size_t i = 0; i < LENGTH(briefs) && is_brief; i++)
        if (briefs[i].id == id)
            snprintf(name, sizeof name, "%s", briefs[i].name);
    form_shown(resolved, id, value);
    if (id == PARAM_train_peft && resolved->value[id] == PEFT_NONE)
        snprintf(value, sizeof value, "full");
    if (param_rows[id].type == TYPE_SET && !param_blank(resolved, id)) {
        say_set_change(now, resolved, id, value);
        *name = '\0';
    }
    for (char *at = value; (at = strchr(at, '_'));)
        *at = ' ';
    snprintf(out, CHANGE_MAX, is_whole ? "%.28s" : "%.28s%s%.26s", name, *name ? " " : "", value);
}

/* What a plan changes, short ones first: more of them fit; `follower` is dp where it follows. Returns how many. */
static int list_changes(const struct plan *now, const struct plan *plan, bool is_brief,
                        char part[CHANGES_SHOWN][CHANGE_MAX], char follower[CHANGE_MAX])
{
    const enum param dp = PARAM_parallel_dp;
    struct plan resolved;
    int count = 0;
    plan_resolve(plan, &resolved);
    bool has_follower = plan->from[dp] < FROM_FILE && !param_equal(now, &resolved, dp);
    for (int id = 0; id < PARAM_COUNT && count < CHANGES_SHOWN - 1; id++) {
        char text[CHANGE_MAX];
        if (param_equal(now, &resolved, (enum param)id) || id == PARAM_parallel_schedule ||
            (id == (int)dp && has_follower) || resolved.from[id] < FROM_FILE)
            continue;
        say_change(now, &resolved, (enum param)id, is_brief, text);
        int at = count++;
        for (; at > 0 && text_width(part[at - 1]) > text_width(text); at--)
            memcpy(part[at], part[at - 1], sizeof part[at]);
        memcpy(part[at], text, sizeof text);
    }
    *follower = '\0';
    if (has_follower && count > 0)
        say_change(now, &resolved, dp, is_brief, follower);
    return count;
}

static int width_of(char part[CHANGES_SHOWN][CHANGE_MAX], int count)
{
    int width = 0;
    for (int i = 0; i < count; i++)
        width += text_width(part[i]) + 2 * (i > 0);
    return width;
}

void form_changes(const struct plan *now, const struct plan *plan, int room, char *out, size_t size)
{
    enum { MORE = 4 /* columns of ", +2" */ };
    char part[CHANGES_SHOWN][CHANGE_MAX], follower[CHANGE_MAX];
    struct text_line line = line_in(out, size);
    int count = list_changes(now, plan, false, part, follower), shown = 0, used = 0;
    if (width_of(part, count) > room)
        count = list_changes(now, plan, true, part, follower);
    for (; shown < count; shown++) {
        int need = text_width(part[shown]) + (shown ? 2 : 0), after = shown + 1 < count ? MORE : 0;
        if (shown > 0 && used + need + after > room)
            break;
        line_add(&line, "%s%s", shown ? ", " : "", part[shown]);
        used += need;
    }
    if (shown < count && used + MORE <= room)
        line_add(&line, ", +%d", count - shown);
    else if (shown == count && *follower && used + 2 + text_width(follower) <= room)
        line_add(&line, ", %s", follower);
    const char *sign = count > 0 ? strpbrk(part[0], "+-[") : NULL; /* of a list, which has blanks */
    const char *value = count > 0 ? strrchr(part[0], ' ') : NULL;
    if (used > room) /* the value alone says most */
        snprintf(out, size, "%s", sign && sign > part[0] && sign[-1] == ' ' ? sign : value ? value + 1 : part[0]);
}
