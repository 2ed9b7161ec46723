/* The types of keys: how values are read, written, compared, copied and stepped. */
#include "core/base.h"
#include "core/plan/frozen.h"
#include "core/plan/kind.h"
#include "core/plan/param.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
    if (id < 0 || !param_type((enum param)id)->is_number)
        return false;
    *value = plan->value[id];
    return !isnan(*value);
}

__attribute__((format(printf, 2, 3)))
static int refuse(char *why, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, PARAM_WHY_MAX, format, args);
    va_end(args);
    return -1;
}

/* As many choices as there is room for, by whole names. */
static void list_choices(const struct param_row *row, char *out, size_t size)
{
    static const char others[] = " and others";
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; row->choices[i]; i++) {
        size_t more = strlen(row->choices[i]) + 2;
        if (used + more + sizeof others > size) {
            memcpy(out + used, others, sizeof others);
            return;
        }
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", row->choices[i]);
    }
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
    for (size_t i = 0; i < LENGTH(words); i++)
        if (strlen(words[i].word) == length && strncasecmp(words[i].word, text, length) == 0)
            return words[i].value;
    return -1;
}

static int parse_choice(struct plan *plan, enum param id, const char *text, bool relative, char *why)
{
    (void)relative;
    const struct param_row *row = &param_rows[id];
    int at = find_choice(row, text, strlen(text));
    if (at < 0 && id == PARAM_framework_transformer_impl && strcmp(text, "transformer_engine") == 0)
        at = IMPL_TE; /* as Megatron's own flag says it */
    if (at < 0) {
        char all[160];
        list_choices(row, all, sizeof all);
        return refuse(why, "'%.40s' is not a choice; use one of %s", text, all);
    }
    plan->value[id] = at;
    return 0;
}

/* Takes `ending` and the blanks before it off the end of a text. */
static bool take_off(char *text, const char *ending)
{
    size_t length = strlen(text), n = strlen(ending);
    if (n == 0 || length <= n || strcasecmp(text + length - n, ending) != 0)
        return false;
    for (length -= n; length > 0 && text[length - 1] == ' ';)
        length--;
    text[length] = '\0';
    return true;
}

/* Of what is in host memory people say whether, not how much. */
static void replace_switch(const struct param_row *row, char *text, size_t size)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
    for (size_t i = 0; i < LENGTH(words) && strstr(row->dotted, ".offload_"); i++)
        if (strcasecmp(text, words[i]) == 0)
            snprintf(text, size, "%zu", i % 2);
}

/* Takes off what people write around a number: `$2.5/h`, `512 sequences`, `90%` of a share. Returns the factor. */
static double take_bare(const struct param_row *row, char *text)
{
    bool is_money = strcmp(row->unit, "USD") == 0, is_share = row->step == STEP_SHARE && !row->unit[0];
    if (is_money)
        take_off(text, "/h");
    if (is_money && *text == '$')
        memmove(text, text + 1, strlen(text));
    if (strchr(text, ' '))
        take_off(text, row->unit);
    return is_share && take_off(text, "%") ? 0.01 : 1;
}

static int parse_number(struct plan *plan, enum param id, const char *text, bool relative, char *why)
{
    const struct param_row *row = &param_rows[id];
    char fault[NUMBER_WHY_MAX], bare[256];
    char op = relative && text[0] && strchr("+-x/", text[0]) ? text[0] : 0;
    double result;
    if (strlen(text) >= sizeof bare)
        return refuse(why, "'%.40s' is too long for a number", text);
    snprintf(bare, sizeof bare, "%s", text + (op != 0));
    replace_switch(row, bare, sizeof bare);
    double factor = take_bare(row, bare);
    int column = number_parse(bare, row->suffix, lookup_key, plan, &result, fault);
    if (column)
        return refuse(why, "'%.40s' (column %d) %s; write a number such as %s", text, column + (op != 0), fault,
                      row->type == TYPE_INT ? "4096" : "0.5");
    result *= factor;
    if (op) {
        double now = plan->value[id];
        if (isnan(now))
            return refuse(why, "has no value to change; write the value itself");
        result = op == '+' ? now + result : op == '-' ? now - result : op == 'x' ? now * result : now / result;
    }
    if (row->type == TYPE_INT && result != floor(result))
        return refuse(why, "'%.40s' is %g, not a whole number; try %.0f or %.0f", text, result, floor(result),
                      ceil(result));
    if (!(result >= row->min && result <= row->max)) {
        char low[32], high[32];
        number_print(row->min, low, sizeof low);
        number_print(row->max, high, sizeof high);
        return refuse(why, "'%.40s' is out of range; use %s to %s", text, low, high);
    }
    plan->value[id] = result;
    return 0;
}

/* What other programs call members of a set. */
static const struct {
    enum param key;
    unsigned mask;
    const char *names;
} other_names[] = {
#define TARGETS(mask, names) {PARAM_train_lora_targets, mask, names}
    TARGETS(1u << TARGET_Q, "q_proj wq query q_lin"),
    TARGETS(1u << TARGET_K, "k_proj wk key k_lin"),
    TARGETS(1u << TARGET_V, "v_proj wv value v_lin"),
    TARGETS(1u << TARGET_O, "o_proj out_proj output_proj wo dense proj linear_proj attention_dense"),
    TARGETS(1u << TARGET_QKV, "c_attn qkv_proj wqkv w_pack query_key_value linear_qkv attention_qkv"),
    TARGETS(1u << TARGET_GATE, "gate_proj w1"),
    TARGETS(1u << TARGET_UP, "up_proj w2 fc1 fc_in c_fc dense_h_to_4h"),
    TARGETS(1u << TARGET_GATE_UP, "gate_up_proj linear_fc1 mlp_fc1"),
    TARGETS(1u << TARGET_DOWN, "down_proj w3 fc2 fc_out dense_4h_to_h linear_fc2 mlp_fc2"),
    TARGETS(1u << TARGET_O | 1u << TARGET_DOWN, "c_proj"),
    TARGETS(1u << TARGET_EMBEDDING, "wte embed_tokens tok_embeddings"),
    TARGETS(1u << TARGET_HEAD, "lm_head output"),
    TARGETS(1u << TARGET_ALL, "all-linear all_linear"),
#undef TARGETS
    {PARAM_train_modules_to_save, 1u << SAVED_EMBEDDING, "wte embed_tokens tok_embeddings"},
    {PARAM_train_modules_to_save, 1u << SAVED_HEAD, "lm_head output"},
    {PARAM_train_modules_to_save, 1u << SAVED_NORMS,
     "norm layernorm input_layernorm post_attention_layernorm ln_1 ln_2 ln_f"},
};

static bool is_word_of(const char *words, const char *text, size_t length)
{
    for (const char *p = words; *p; p += strcspn(p, " "), p += *p == ' ')
        if (strcspn(p, " ") == length && strncasecmp(p, text, length) == 0)
            return true;
    return false;
}

/* The members of a set that a word stands for, 0 for none. */
static unsigned find_members(enum param id, const char *text, size_t length)
{
    int at = find_choice(&param_rows[id], text, length);
    for (size_t i = 0; at < 0 && i < LENGTH(other_names); i++)
        if (other_names[i].key == id && is_word_of(other_names[i].names, text, length))
            return other_names[i].mask;
    return at < 0 ? 0 : 1u << at;
}

static int parse_set(struct plan *plan, enum param id, const char *text, bool relative, char *why)
{
    (void)relative;
    const struct param_row *row = &param_rows[id];
    unsigned mask = 0;
    for (const char *p = text; *p;) {
        size_t skip = strspn(p, "[], \t\"'");
        p += skip;
        size_t n = strcspn(p, "[], \t\"'");
        if (n == 0)
            continue;
        unsigned members = find_members(id, p, n);
        if (members == 0) {
            char all[160];
            list_choices(row, all, sizeof all);
            return refuse(why, "'%.*s' is not a choice; use any of %s", (int)(n > 40 ? 40 : n), p, all);
        }
        mask |= members;
        p += n;
    }
    plan->value[id] = mask;
    return 0;
}

static int parse_frozen(struct plan *plan, enum param id, const char *text, bool relative, char *why)
{
    (void)relative;
    double value = frozen_parse(text, why, PARAM_WHY_MAX);
    if (isnan(value))
        return -1;
    plan->value[id] = value;
    return 0;
}

/* `[15,16,16,17]`, `[[1,2],[2,3]]`; every number is a count of layers. */
static int read_layout(const char *text, struct pipeline_layout *layout, char *why)
{
    struct pipeline_layout out = {0};
    int depth = 0, inner = 0, nested = 0;
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
                nested += inner;
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
    if (out.per_stage && nested != out.chunks)
        return refuse(why, "mixes numbers and lists; use [..] or [[..],[..]]");
    *layout = out;
    return 0;
}

static int parse_layout(struct plan *plan, enum param id, const char *text, bool relative, char *why)
{
    (void)relative;
    if (read_layout(text, &plan->layout, why) != 0)
        return -1;
    plan->value[id] = NAN;
    return 0;
}

/* `|` cuts Megatron's pattern into chunks, which become the layout; out of `text` it goes. */
static int take_segments(char *text, struct pipeline_layout *layout, char *why)
{
    struct pipeline_layout out = {0};
    size_t kept = 0;
    int layers = 0;
    bool is_over = !strchr(text, '|');
    for (const char *p = text; *p; p++) {
        bool ends = *p == '|' || *p == '/';
        if (ends && !is_over && out.chunks == LAYOUT_CHUNKS_MAX - 1)
            return refuse(why, "is cut into more than %d parts; use fewer", LAYOUT_CHUNKS_MAX);
        if (ends && !is_over) {
            out.layers[out.chunks++] = (int16_t)layers;
            layers = -1;
        }
        is_over |= *p == '/';
        layers++;
        if (*p != '|')
            text[kept++] = *p;
    }
    if (!is_over)
        out.layers[out.chunks++] = (int16_t)layers;
    text[kept] = '\0';
    if (out.chunks > 0)
        *layout = out;
    return 0;
}

static int parse_pattern(struct plan *plan, enum param id, const char *text, bool relative, char *why)
{
    struct layer_pattern pattern;
    struct pipeline_layout layout = plan->layout;
    char plain[PARAM_TEXT_MAX];
    (void)relative;
    snprintf(plain, sizeof plain, "%s", text);
    if (take_segments(plain, &layout, why) != 0 || pattern_parse(plain, &pattern, why, PARAM_WHY_MAX) != 0)
        return -1;
    if (id == PARAM_model_mtp_pattern && (pattern.layers > PATTERN_MTP_MAX || pattern.mtp > 0))
        return refuse(why, "has more than the %d layers of a module; use fewer", PATTERN_MTP_MAX);
    if (id == PARAM_model_mtp_pattern)
        pattern_set_mtp(&plan->pattern, pattern.of, pattern.layers);
    else
        pattern_set_layers(&plan->pattern, &pattern);
    plan->layout = layout;
    plan->value[id] = NAN;
    return 0;
}

static int parse_name(struct plan *plan, enum param id, const char *text, bool relative, char *why)
{
    (void)relative;
    char *slot = plan->text[param_text_slot(id)];
    if (strlen(text) >= PLAN_TEXT_MAX)
        return refuse(why, "is longer than %d bytes; use a shorter name", PLAN_TEXT_MAX - 1);
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            return refuse(why, "contains a control character; use a plain name");
    memset(slot, 0, PLAN_TEXT_MAX); /* plans are compared byte by byte */
    memcpy(slot, text, strlen(text));
    plan->value[id] = NAN;
    return 0;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static int print_set(const struct plan *plan, enum param id, char *out, size_t size)
{
    const struct param_row *row = &param_rows[id];
    unsigned mask = (unsigned)plan->value[id];
    size_t used = (size_t)snprintf(out, size, "[");
    for (int i = 0, n = 0; row->choices[i] && used < size; i++)
        if (mask & 1u << i)
            used += (size_t)snprintf(out + used, size - used, "%s%s", n++ ? "," : "", row->choices[i]);
    return used < size ? (int)used + snprintf(out + used, size - used, "]") : (int)size - 1;
}

static int print_frozen(const struct plan *plan, enum param id, char *out, size_t size)
{
    return frozen_print(plan->value[id], out, size);
}

static int print_layout(const struct plan *plan, enum param id, char *out, size_t size)
{
    (void)id;
    const struct pipeline_layout *layout = &plan->layout;
    size_t used = (size_t)snprintf(out, size, "[");
    for (int i = 0; i < layout->chunks && used < size; i++) {
        bool opens = layout->per_stage && i % layout->per_stage == 0;
        bool closes = layout->per_stage && (i + 1) % layout->per_stage == 0;
        used += (size_t)snprintf(out + used, size - used, "%s%s%d%s", i ? "," : "", opens ? "[" : "",
                                 layout->layers[i], closes ? "]" : "");
    }
    return used < size ? (int)used + snprintf(out + used, size - used, "]") : (int)size - 1;
}

static int print_pattern(const struct plan *plan, enum param id, char *out, size_t size)
{
    struct layer_pattern one = {0};
    if (id == PARAM_model_mtp_pattern) {
        one.layers = plan->pattern.mtp;
        memcpy(one.of, plan->pattern.of_mtp, sizeof plan->pattern.of_mtp);
    } else {
        pattern_set_layers(&one, &plan->pattern);
        if (plan->from[PARAM_model_mtp_pattern] != FROM_DEFAULT) /* a key of its own says it */
            one.mtp = 0;
    }
    return pattern_print(&one, out, size);
}

/* A number; a version as it is known: 2.9, not 2.09. */
static int print_number(const struct plan *plan, enum param id, char *out, size_t size)
{
    double value = plan->value[id];
    if (param_rows[id].suffix != SUFFIX_VERSION)
        return number_print(value, out, size);
    int parts = (int)lround(value * 10000), patch = parts % 100;
    return snprintf(out, size, patch ? "%d.%d.%d" : "%d.%d", parts / 10000, parts / 100 % 100, patch);
}

static int print_choice(const struct plan *plan, enum param id, char *out, size_t size)
{
    return snprintf(out, size, "%s", param_rows[id].choices[(int)plan->value[id]]);
}

static int print_name(const struct plan *plan, enum param id, char *out, size_t size)
{
    return snprintf(out, size, "%s", plan->text[param_text_slot(id)]);
}

enum plan_text param_text_slot(enum param id)
{
    return id == PARAM_model_name          ? TEXT_MODEL
           : id == PARAM_hardware_gpu      ? TEXT_GPU
           : id == PARAM_framework_version ? TEXT_VERSION
                                           : TEXT_CLUSTER;
}

/* ---- comparing and copying --------------------------------------------------------------------------------------- */

static bool is_blank_value(const struct plan *plan, enum param id)
{
    return isnan(plan->value[id]);
}

static bool is_blank_name(const struct plan *plan, enum param id)
{
    return !plan->text[param_text_slot(id)][0];
}

static bool is_blank_layout(const struct plan *plan, enum param id)
{
    (void)id;
    return plan->layout.chunks == 0;
}

static bool is_blank_pattern(const struct plan *plan, enum param id)
{
    return (id == PARAM_model_mtp_pattern ? plan->pattern.mtp : plan->pattern.layers) == 0;
}

static bool equal_pattern(const struct plan *a, const struct plan *b, enum param id)
{
    const struct layer_pattern *one = &a->pattern, *two = &b->pattern;
    if (id == PARAM_model_mtp_pattern)
        return one->mtp == two->mtp && memcmp(one->of_mtp, two->of_mtp, sizeof one->of_mtp) == 0;
    return one->layers == two->layers && memcmp(one->of, two->of, sizeof one->of) == 0;
}

static bool equal_value(const struct plan *a, const struct plan *b, enum param id)
{
    return a->value[id] == b->value[id] || (isnan(a->value[id]) && isnan(b->value[id]));
}

static bool equal_name(const struct plan *a, const struct plan *b, enum param id)
{
    return strcmp(a->text[param_text_slot(id)], b->text[param_text_slot(id)]) == 0;
}

static bool equal_layout(const struct plan *a, const struct plan *b, enum param id)
{
    (void)id;
    return a->layout.chunks == b->layout.chunks && a->layout.per_stage == b->layout.per_stage &&
           memcmp(a->layout.layers, b->layout.layers, (size_t)a->layout.chunks * sizeof *a->layout.layers) == 0;
}

/* With nothing left behind of a longer text: plans are compared byte by byte. */
static void copy_name(struct plan *to, const struct plan *from, enum param id)
{
    memcpy(to->text[param_text_slot(id)], from->text[param_text_slot(id)], PLAN_TEXT_MAX);
}

static void copy_layout(struct plan *to, const struct plan *from, enum param id)
{
    (void)id;
    to->layout = from->layout;
}

static void copy_pattern(struct plan *to, const struct plan *from, enum param id)
{
    if (id == PARAM_model_mtp_pattern)
        pattern_set_mtp(&to->pattern, from->pattern.of_mtp, from->pattern.mtp);
    else
        memcpy(to->pattern.of, from->pattern.of, sizeof to->pattern.of);
    if (id != PARAM_model_mtp_pattern)
        to->pattern.layers = from->pattern.layers;
}

/* ---- stepping --------------------------------------------------------------------------------------------------- */

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

static double step_number(const struct param_row *row, const struct plan *resolved, double now, int direction)
{
    double next = now;
    switch (row->step) {
    case STEP_UNIT:
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

/* Round and round. */
static double step_choice(const struct param_row *row, const struct plan *resolved, double now, int direction)
{
    (void)resolved;
    int choices = 0;
    while (row->choices[choices])
        choices++;
    return fmod(now + direction + choices, choices);
}

/* Round and round through what has no numbers. */
static double step_frozen(const struct param_row *row, const struct plan *resolved, double now, int direction)
{
    static const double values[] = {FROZEN_NONE, FROZEN_BASE, FROZEN_EMBEDDINGS, FROZEN_NORMS};
    int at = 0;
    (void)row;
    (void)resolved;
    for (int i = 0; i < (int)LENGTH(values); i++)
        at = values[i] == now ? i : at;
    return values[(at + direction + (int)LENGTH(values)) % (int)LENGTH(values)];
}

/* ---- the types -------------------------------------------------------------------------------------------------- */

#define VALUE .is_blank = is_blank_value, .equal = equal_value, .takes_auto = true, .if_blank = "?"
const struct param_type param_types[] = {
    [TYPE_INT] = {.name = "integer", .is_number = true, .is_counted = true, .json = PARAM_JSON_NUMBER, VALUE,
                  .parse = parse_number, .print = print_number, .step = step_number},
    [TYPE_REAL] = {.name = "number", .is_number = true, .json = PARAM_JSON_NUMBER, VALUE,
                   .parse = parse_number, .print = print_number, .step = step_number},
    [TYPE_BOOL] = {.name = "boolean", .is_counted = true, .json = PARAM_JSON_BOOL, VALUE,
                   .parse = parse_choice, .print = print_choice, .step = step_choice},
    [TYPE_ENUM] = {.name = "choice", .is_counted = true, .json = PARAM_JSON_TEXT, VALUE,
                   .parse = parse_choice, .print = print_choice, .step = step_choice},
    [TYPE_SET] = {.name = "choices", .json = PARAM_JSON_SET, VALUE, .parse = parse_set, .print = print_set},
    [TYPE_FROZEN] = {.name = "parts", .is_counted = true, .json = PARAM_JSON_TEXT, VALUE, .parse = parse_frozen,
                     .print = print_frozen, .step = step_frozen},
    [TYPE_NAME] = {.name = "name", .json = PARAM_JSON_TEXT, .if_blank = "-", .is_blank = is_blank_name,
                   .equal = equal_name, .copy = copy_name, .parse = parse_name, .print = print_name},
    [TYPE_LAYOUT] = {.name = "layout", .json = PARAM_JSON_LAYOUT, .if_blank = "auto", .takes_auto = true,
                     .is_blank = is_blank_layout, .equal = equal_layout, .copy = copy_layout,
                     .parse = parse_layout, .print = print_layout},
    [TYPE_PATTERN] = {.name = "pattern", .json = PARAM_JSON_TEXT, .if_blank = "-", .takes_auto = true,
                      .is_blank = is_blank_pattern, .equal = equal_pattern, .copy = copy_pattern,
                      .parse = parse_pattern, .print = print_pattern},
};
