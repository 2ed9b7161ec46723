#include "core/plan/param.h"

#include "core/estimate/term.h"
#include "core/plan/nearest.h"
#include "core/plan/rule.h"

#include <ctype.h>
#include <stdarg.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- choices: the order is that of the enumerations in core/plan/plan.h --------------------------------------------- */
#define CHOICES(name, ...) static const char *const name[] = {__VA_ARGS__, NULL}
CHOICES(bool_names, "false", "true");
CHOICES(position_names, "learned", "rope", "alibi", "none");
CHOICES(norm_names, "layernorm", "layernorm1p", "layernorm_nobias", "layernorm_nonparametric", "rmsnorm");
CHOICES(qk_norm_names, "none", "head", "full");
CHOICES(cp_comm_names, "p2p", "all_gather", "a2a");
CHOICES(order_names, "tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp");
CHOICES(schedule_names, "gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2", "zb-v", "dualpipe");
CHOICES(dispatcher_names, "alltoall", "allgather", "flex");
CHOICES(fsdp_names, "none", "shard_grad_op", "full", "hybrid");
CHOICES(dtype_names, "fp32", "fp16", "bf16", "fp8", "mxfp8", "nvfp4");
CHOICES(state_dtype_names, "fp32", "fp16", "bf16");
CHOICES(moment_dtype_names, "fp32", "fp16", "bf16", "fp8");
CHOICES(optimizer_names, "adam", "adam8bit", "lion", "sgd", "adafactor", "muon");
CHOICES(attention_names, "flash", "unfused");
CHOICES(kernel_names, "triton", "fa1", "fa2", "fa3", "cudnn");
CHOICES(loss_names, "unfused", "native_fused", "te_fused", "chunked");
CHOICES(recompute_names, "none", "selective", "full");
CHOICES(module_names, "core_attn", "layernorm", "mlp", "moe", "moe_act", "shared_experts", "mla_up_proj", "moe_gate");
CHOICES(method_names, "uniform", "block");
CHOICES(framework_names, "megatron-core", "megatron-2023", "nanotron", "nanotron-203", "nanotron-pre203", "deepspeed", "fsdp2");
CHOICES(impl_names, "te", "local");
CHOICES(fp8_recipe_names, "tensorwise", "rowwise", "delayed", "blockwise", "mxfp8");
CHOICES(nanotron_model_names, "llama", "qwen2", "starcoder2");
CHOICES(tp_mode_names, "all_reduce", "reduce_scatter");
CHOICES(workload_names, "train", "inference");

#define NONE NAN
#define ROW(group_, key_, type_, min_, max_, fallback_, step_, suffix_, unit_, choices_, help_, more_, ...)           \
    [PARAM_##group_##_##key_] = {                                                                                     \
        .group = #group_, .key = #key_, .dotted = GROUP_##group_ == GROUP_plan ? #key_ : #group_ "." #key_,           \
        .group_id = GROUP_##group_, .type = TYPE_##type_, .min = min_, .max = max_, .fallback = fallback_,            \
        .step = STEP_##step_, .suffix = SUFFIX_##suffix_, .unit = unit_, .choices = choices_, .help = help_,          \
        .more = more_, .aliases = "" __VA_ARGS__},
const struct param_row param_rows[PARAM_COUNT] = {
#include "core/plan/param.def"
};
#undef ROW
#undef NONE

const char *const param_group_names[GROUP_COUNT] = {"model", "parallel", "train", "framework", "hardware", "serve", "plan"};
const char *const origin_names[ORIGIN_COUNT] = {"default", "derived", "preset", "file", "set"};

/* ---- names ------------------------------------------------------------------------------------------------------ */

int param_find(const char *name)
{
    int found = -1;
    for (int i = 0; i < PARAM_COUNT; i++) {
        if (strcmp(param_rows[i].dotted, name) == 0)
            return i;
        if (strcmp(param_rows[i].key, name) == 0)
            found = found == -1 ? i : -2;
    }
    return found < 0 ? -1 : found;
}

/* True when `name` is among the aliases of a row, whatever its case and the marks between its words. */
static bool has_alias(const char *aliases, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = aliases; *at; at += strcspn(at, "|"), at += *at == '|') {
        size_t i = 0;
        while (i < n && (tolower((unsigned char)name[i]) == at[i] || (at[i] == '_' && strchr(" -", name[i]))))
            i++;
        if (i == n && n > 0 && (!at[n] || at[n] == '|'))
            return true;
    }
    return false;
}

int param_find_alias(const char *name)
{
    int id = param_find(name);
    for (int i = 0; i < PARAM_COUNT && id < 0; i++)
        if (has_alias(param_rows[i].aliases, name))
            id = i;
    return id;
}

void param_nearest(struct nearest *nearest)
{
    bool is_dotted = strchr(nearest->typed, '.');
    for (int i = 0; i < PARAM_COUNT; i++)
        nearest_offer(nearest, is_dotted ? param_rows[i].dotted : param_rows[i].key, param_rows[i].dotted);
    for (int i = 0; i < PARAM_COUNT && nearest->count == 0; i++)
        for (const char *at = param_rows[i].aliases; *at; at += strcspn(at, "|"), at += *at == '|') {
            char alias[64];
            snprintf(alias, sizeof alias, "%.*s", (int)strcspn(at, "|"), at);
            nearest_offer(nearest, alias, param_rows[i].dotted);
        }
}

enum plan_text param_text_slot(enum param id)
{
    return id == PARAM_model_name ? TEXT_MODEL : id == PARAM_hardware_gpu ? TEXT_GPU : TEXT_CLUSTER;
}

bool param_blank(const struct plan *plan, enum param id)
{
    switch (param_rows[id].type) {
    case TYPE_NAME:
        return !plan->text[param_text_slot(id)][0];
    case TYPE_LAYOUT:
        return plan->layout.chunks == 0;
    default:
        return isnan(plan->value[id]);
    }
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static bool lookup_key(const void *context, const char *name, size_t length, double *value)
{
    const struct plan *plan = context;
    char text[64];
    if (length >= sizeof text)
        return false;
    memcpy(text, name, length);
    text[length] = '\0';
    int id = param_find_alias(text);
    if (id < 0 || (param_rows[id].type != TYPE_INT && param_rows[id].type != TYPE_REAL))
        return false;
    *value = plan->value[id];
    return !isnan(*value);
}

static int refuse(char *why, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int refuse(char *why, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, PARAM_WHY_MAX, format, args);
    va_end(args);
    return -1;
}

static int list_choices(const struct param_row *row, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; row->choices[i] && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", row->choices[i]);
    return -1;
}

static int find_choice(const struct param_row *row, const char *text, size_t length)
{
    for (int i = 0; row->choices[i]; i++)
        if (strlen(row->choices[i]) == length && strncasecmp(row->choices[i], text, length) == 0)
            return i;
    if (row->type != TYPE_BOOL)
        return -1;
    static const struct {
        const char *word;
        int value;
    } words[] = {{"on", 1}, {"yes", 1}, {"1", 1}, {"off", 0}, {"no", 0}, {"0", 0}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == length && strncasecmp(words[i].word, text, length) == 0)
            return words[i].value;
    return -1;
}

static int parse_choice(const struct param_row *row, const char *text, double *value, char *why)
{
    int at = find_choice(row, text, strlen(text));
    if (at < 0) {
        char all[160];
        list_choices(row, all, sizeof all);
        return refuse(why, "'%.40s' is not a choice; use one of %s", text, all);
    }
    *value = at;
    return 0;
}

static int parse_number(const struct plan *plan, enum param id, const char *text, bool relative, double *value, char *why)
{
    const struct param_row *row = &param_rows[id];
    char fault[NUMBER_WHY_MAX];
    char op = relative && text[0] && strchr("+-x/", text[0]) ? text[0] : 0;
    double result;
    int column = number_parse(text + (op != 0), row->suffix, lookup_key, plan, &result, fault);
    if (column)
        return refuse(why, "'%.40s' (column %d) %s; write a number such as %s", text, column + (op != 0), fault,
                      row->type == TYPE_INT ? "4096" : "0.5");
    if (op) {
        double now = plan->value[id];
        if (isnan(now))
            return refuse(why, "has no value to change; write the value itself");
        result = op == '+' ? now + result : op == '-' ? now - result : op == 'x' ? now * result : now / result;
    }
    if (row->type == TYPE_INT && result != floor(result))
        return refuse(why, "'%.40s' is %g, not a whole number; try %.0f or %.0f", text, result, floor(result), ceil(result));
    if (!(result >= row->min && result <= row->max)) {
        char low[32], high[32];
        number_print(row->min, low, sizeof low);
        number_print(row->max, high, sizeof high);
        return refuse(why, "'%.40s' is out of range; use %s to %s", text, low, high);
    }
    *value = result;
    return 0;
}

static int parse_set(const struct param_row *row, const char *text, double *value, char *why)
{
    unsigned mask = 0;
    for (const char *p = text; *p;) {
        size_t skip = strspn(p, "[], \t\"'");
        p += skip;
        size_t n = strcspn(p, "[], \t\"'");
        if (n == 0)
            continue;
        int at = find_choice(row, p, n);
        if (at < 0) {
            char all[160];
            list_choices(row, all, sizeof all);
            return refuse(why, "'%.*s' is not a choice; use any of %s", (int)(n > 40 ? 40 : n), p, all);
        }
        mask |= 1u << at;
        p += n;
    }
    *value = mask;
    return 0;
}

/* `[15,16,16,17]`, `[[1,2],[2,3]]`; every number is a count of layers. */
static int parse_layout(const char *text, struct pipeline_layout *layout, char *why)
{
    struct pipeline_layout out = {0};
    int depth = 0, inner = 0;
    for (const char *p = text; *p; p++) {
        if (*p == '[') {
            if (++depth > 2)
                return refuse(why, "has lists three deep; use [..] or [[..],[..]]");
            inner = 0;
        } else if (*p == ']') {
            if (depth-- == 2) {
                if (out.per_stage && out.per_stage != inner)
                    return refuse(why, "has stages with different numbers of chunks; give each stage vpp chunks");
                out.per_stage = (int16_t)inner;
            }
            if (depth < 0)
                return refuse(why, "has a ] too many; use [..] or [[..],[..]]");
        } else if (isdigit((unsigned char)*p)) {
            char *end;
            long n = strtol(p, &end, 10);
            if (n > 4096)
                return refuse(why, "%ld layers in a chunk; use 0 to 4096", n);
            if (out.chunks == LAYOUT_CHUNKS_MAX)
                return refuse(why, "has more than %d chunks; use fewer stages", LAYOUT_CHUNKS_MAX);
            out.layers[out.chunks++] = (int16_t)n;
            inner++;
            p = end - 1;
        } else if (*p != ',' && *p != ' ') {
            return refuse(why, "'%.40s' is not a list of layers; use auto or a list such as [15,16,16,17]", p);
        }
    }
    if (depth != 0 || out.chunks == 0)
        return refuse(why, "is not a list of layers; use auto or a list such as [15,16,16,17]");
    *layout = out;
    return 0;
}

static int parse_name(const char *text, char *slot, char *why)
{
    if (strlen(text) >= PLAN_TEXT_MAX)
        return refuse(why, "is longer than %d bytes; use a shorter name", PLAN_TEXT_MAX - 1);
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            return refuse(why, "has a control character in it; use a plain name");
    memset(slot, 0, PLAN_TEXT_MAX); /* plans are compared byte by byte */
    memcpy(slot, text, strlen(text));
    return 0;
}

static void make_blank(struct plan *plan, enum param id)
{
    plan->from[id] = FROM_DEFAULT;
    plan->value[id] = NAN;
    if (param_rows[id].type == TYPE_NAME)
        memset(plan->text[param_text_slot(id)], 0, PLAN_TEXT_MAX);
    if (param_rows[id].type == TYPE_LAYOUT)
        plan->layout = (struct pipeline_layout){0};
}

int param_parse(struct plan *plan, enum param id, const char *text, enum origin from, bool relative, char *why)
{
    const struct param_row *row = &param_rows[id];
    double value = NAN;
    int result = 0;
    while (*text == ' ')
        text++;
    if (!*text || (strcmp(text, "auto") == 0 && row->type != TYPE_NAME)) {
        make_blank(plan, id);
        return 0;
    }
    switch (row->type) {
    case TYPE_INT:
    case TYPE_REAL:
        result = parse_number(plan, id, text, relative, &value, why);
        break;
    case TYPE_BOOL:
    case TYPE_ENUM:
        result = parse_choice(row, text, &value, why);
        break;
    case TYPE_SET:
        result = parse_set(row, text, &value, why);
        break;
    case TYPE_NAME:
        result = parse_name(text, plan->text[param_text_slot(id)], why);
        break;
    case TYPE_LAYOUT:
        result = parse_layout(text, &plan->layout, why);
        break;
    }
    if (result != 0)
        return -1;
    plan->value[id] = value;
    plan->from[id] = (uint8_t)from;
    return 0;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static int print_set(const struct param_row *row, unsigned mask, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "[");
    for (int i = 0, n = 0; row->choices[i] && used < size; i++)
        if (mask & 1u << i)
            used += (size_t)snprintf(out + used, size - used, "%s%s", n++ ? "," : "", row->choices[i]);
    return used < size ? (int)used + snprintf(out + used, size - used, "]") : (int)size - 1;
}

static int print_layout(const struct pipeline_layout *layout, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "[");
    for (int i = 0; i < layout->chunks && used < size; i++) {
        bool opens = layout->per_stage && i % layout->per_stage == 0;
        bool closes = layout->per_stage && (i + 1) % layout->per_stage == 0;
        used += (size_t)snprintf(out + used, size - used, "%s%s%d%s", i ? "," : "", opens ? "[" : "",
                                 layout->layers[i], closes ? "]" : "");
    }
    return used < size ? (int)used + snprintf(out + used, size - used, "]") : (int)size - 1;
}

static int print_version(double value, char *out, size_t size)
{
    int hundredths = (int)lround(value * 100);
    return snprintf(out, size, "%d.%d", hundredths / 100, hundredths % 100);
}

int param_print(const struct plan *plan, enum param id, char *out, size_t size)
{
    const struct param_row *row = &param_rows[id];
    if (param_blank(plan, id))
        return snprintf(out, size, "%s", "");
    double value = plan->value[id];
    switch (row->type) {
    case TYPE_BOOL:
    case TYPE_ENUM:
        return snprintf(out, size, "%s", row->choices[(int)value]);
    case TYPE_SET:
        return print_set(row, (unsigned)value, out, size);
    case TYPE_NAME:
        return snprintf(out, size, "%s", plan->text[param_text_slot(id)]);
    case TYPE_LAYOUT:
        return print_layout(&plan->layout, out, size);
    default:
        return row->suffix == SUFFIX_VERSION ? print_version(value, out, size) : number_print(value, out, size);
    }
}

/* ---- stepping --------------------------------------------------------------------------------------------------- */

/*
 * True when `candidate` breaks no rule, faults that `now` has already and that are about other keys apart: so a value
 * of one key can be right while another is still wrong.
 */
static bool is_acceptable(const struct plan *candidate, enum param id, rule_set now)
{
    struct plan resolved;
    plan_resolve(candidate, &resolved);
    return (rule_errors(&resolved) & ~(now & ~rule_about(id))) == 0;
}

static double grain(double value)
{
    double power = exp2(floor(log2(value > 1 ? value : 1)));
    return power >= 32 ? power / 16 : 1;
}

static double batch_unit(const struct plan *resolved)
{
    double unit = resolved->value[PARAM_parallel_dp] * resolved->value[PARAM_train_micro_batch_size];
    return unit >= 1 ? unit : 1;
}

/* The value after `now` by the row's rule alone; NAN at the end of the range. */
static double next_value(const struct param_row *row, const struct plan *resolved, double now, int direction)
{
    double next = now;
    switch (row->step) {
    case STEP_UNIT:
    case STEP_CHOICE:
        next = now + direction;
        break;
    case STEP_DOUBLE:
        next = direction > 0 ? (now > 0 ? now * 2 : 1) : row->type == TYPE_INT ? floor(now / 2) : now / 2;
        break;
    case STEP_GRAIN: {
        double g = grain(direction > 0 ? now : now - 1);
        next = direction > 0 ? (floor(now / g) + 1) * g : (ceil(now / g) - 1) * g;
        break;
    }
    case STEP_SHARE:
        next = (round(now * 20) + direction) / 20;
        break;
    case STEP_BATCH: {
        double unit = batch_unit(resolved);
        next = direction > 0 ? (floor(now / unit) + 1) * unit : (ceil(now / unit) - 1) * unit;
        break;
    }
    default:
        return NAN;
    }
    return next >= row->min && next <= row->max && next != now ? next : NAN;
}

int param_step(struct plan *plan, enum param id, int direction)
{
    enum { TRIES = 512 };
    const struct param_row *row = &param_rows[id];
    struct plan resolved, candidate = *plan;
    plan_resolve(plan, &resolved);
    rule_set now = rule_errors(&resolved);
    double value = resolved.value[id];
    if (isnan(value))
        return -1;
    int choices = 0;
    while (row->choices && row->choices[choices])
        choices++;
    for (int i = 0; i < TRIES; i++) {
        value = row->type == TYPE_BOOL || row->type == TYPE_ENUM
                    ? fmod(value + direction + choices, choices)
                    : next_value(row, &resolved, value, direction);
        if (isnan(value) || value == resolved.value[id])
            return -1;
        candidate.value[id] = value;
        candidate.from[id] = FROM_SET;
        if (is_acceptable(&candidate, id, now)) {
            *plan = candidate;
            return 0;
        }
    }
    return -1;
}

int param_valid(const struct plan *plan, enum param id, double out[], int max)
{
    enum { SCAN = 1024 };
    const struct param_row *row = &param_rows[id];
    if (row->type != TYPE_INT && row->type != TYPE_BOOL && row->type != TYPE_ENUM)
        return 0;
    struct plan candidate = *plan, resolved;
    plan_resolve(plan, &resolved);
    rule_set now = rule_errors(&resolved);
    int count = 0;
    double gpus = resolved.value[PARAM_hardware_nodes] * resolved.value[PARAM_hardware_gpus_per_node];
    double last = row->max < SCAN ? row->max : SCAN;
    if (row->group_id == GROUP_parallel && row->type == TYPE_INT && gpus > 0) /* no size of a layout exceeds these */
        last = min(last, gpus + resolved.value[PARAM_model_num_layers]);
    for (double value = row->min; value <= last && count < max; value++) {
        candidate.value[id] = value;
        if (is_acceptable(&candidate, id, now))
            out[count++] = value;
    }
    return count;
}
