/*
 * Explanations: every path of the report opens, and what stands there is what was computed - the formula with its
 * values is worked out again by a small calculator of its own.
 */
#include "tests/check.h"

#include "core/explain/detail.h"
#include "core/explain/live.h"

#include <ctype.h>

static struct estimate estimate;

/* ---- a calculator for formulas: C's operators, max, min, ceil, floor ... ---------------------------------------- */

/*
 * A value and how far off it may be: numbers that are no counts stand there with seven digits. A word is the name of a
 * choice, such as bf16.
 */
struct number {
    double value, error;
    char word[32];
};

static const char *at;
static bool is_readable;
static bool is_decided; /* false when a comparison hangs on digits that are not there */

static struct number choose(void);

static struct number exact(double value)
{
    return (struct number){.value = value};
}

static void skip_blanks(void)
{
    while (*at == ' ')
        at++;
}

static bool take(const char *token)
{
    skip_blanks();
    size_t n = *at == *token ? strlen(token) : 0;
    if (n == 0 || strncmp(at, token, n) != 0)
        return false;
    at += n;
    return true;
}

/* A function that jumps: decided only where the argument is. */
static struct number jump(double (*function)(double), struct number one)
{
    double margin = one.error + 1e-12 * fabs(one.value);
    is_decided &= one.error == 0 || function(one.value - margin) == function(one.value + margin);
    return exact(function(one.value));
}

/* What the function of this name makes of its arguments; only its own rule is worked out. */
static struct number apply(const char *name, struct number one, struct number two)
{
    double x = one.value, y = two.value, error = fmax(one.error, two.error);
    return strcmp(name, "max") == 0        ? (struct number){.value = x > y ? x : y, .error = error}
           : strcmp(name, "min") == 0      ? (struct number){.value = x < y ? x : y, .error = error}
           : strcmp(name, "isnan") == 0    ? exact(isnan(x))
           : strcmp(name, "isfinite") == 0 ? exact(isfinite(x))
           : strcmp(name, "log2") == 0     ? (struct number){.value = log2(x), .error = one.error / fabs(x) * 1.5}
           : strcmp(name, "pow") == 0
               ? (struct number){.value = pow(x, y), .error = fabs(y * pow(x, y - 1)) * one.error + 1e-6 * y}
           : strcmp(name, "exp") == 0    ? (struct number){.value = exp(x), .error = exp(x) * one.error}
           : strcmp(name, "sqrt") == 0   ? (struct number){.value = sqrt(x), .error = one.error / sqrt(x)}
           : strcmp(name, "normal") == 0 ? (struct number){.value = normal(x), .error = one.error}
           : strcmp(name, "fmod") == 0   ? (struct number){.value = fmod(x, y), .error = error}
           : strcmp(name, "ceil") == 0   ? jump(ceil, one)
           : strcmp(name, "floor") == 0  ? jump(floor, one)
           : strcmp(name, "held") == 0   ? jump(held, one)
                                         : (is_readable = false, exact(NAN));
}

static struct number call(const char *name, size_t n)
{
    char function[16] = "";
    struct number one = choose(), two = take(",") ? choose() : exact(NAN);
    is_readable &= take(")");
    memcpy(function, name, n < sizeof function ? n : 0);
    return apply(function, one, two);
}

static struct number read_number(void)
{
    char *end;
    double value = strtod(at, &end);
    is_readable &= !isalpha((unsigned char)*end);
    bool is_rounded = value != floor(value) || fabs(value) >= 1e15 || memchr(at, 'e', (size_t)(end - at));
    at = end;
    return (struct number){.value = value, .error = is_rounded ? 6e-7 * fabs(value) : 0};
}

/* A word: true, unknown, or the choice of some plan key. */
static struct number read_word(void)
{
    struct number number = exact(NAN);
    const char *name = at;
    while (isalnum((unsigned char)*at) || *at == '_' || (*at == '-' && isalnum((unsigned char)at[1])))
        at++;
    size_t n = (size_t)(at - name);
    if (n > 0 && take("("))
        return call(name, n);
    if (n == 0 || n >= sizeof number.word) {
        is_readable = false;
        return number;
    }
    memcpy(number.word, name, n);
    if (strcmp(number.word, "true") == 0 || strcmp(number.word, "false") == 0)
        return exact(number.word[0] == 't');
    if (strcmp(number.word, "INFINITY") == 0 || strcmp(number.word, "inf") == 0)
        return exact(INFINITY);
    if (strcmp(number.word, "unknown") == 0 || strcmp(number.word, "NAN") == 0)
        return exact(NAN);
    return number;
}

static struct number factor(void)
{
    skip_blanks();
    if (take("!"))
        return exact(!(factor().value != 0));
    if (take("-")) {
        struct number number = factor();
        number.value = -number.value;
        return number;
    }
    if (take("(")) {
        struct number number = choose();
        is_readable &= take(")");
        return number;
    }
    if (isdigit((unsigned char)*at) || *at == '.') {
        const char *from = at;
        struct number number = read_number();
        if (is_readable || *at == '\0')
            return number;
        is_readable = true; /* a choice such as 1f1b begins with a digit */
        at = from;
    }
    return read_word();
}

static struct number product(void)
{
    struct number left = factor();
    for (;;) {
        bool is_division = false;
        if (!take("*") && !(is_division = take("/")))
            return left;
        struct number right = factor();
        is_readable &= !left.word[0] && !right.word[0];
        double off = fabs(left.value) > 0 ? left.error / fabs(left.value) : 0;
        off += fabs(right.value) > 0 ? right.error / fabs(right.value) : 0;
        left = exact(is_division ? left.value / right.value : left.value * right.value);
        left.error = fabs(left.value) * off;
    }
}

static struct number sum(void)
{
    struct number left = product();
    for (;;) {
        double sign = take("+") ? 1 : take("-") ? -1 : 0;
        if (sign == 0)
            return left;
        struct number right = product();
        is_readable &= !left.word[0] && !right.word[0];
        left = (struct number){.value = left.value + sign * right.value, .error = left.error + right.error};
    }
}

/* Where a choice stands in the list that has both, so that they can be ordered. */
static bool order_words(struct number *left, struct number *right)
{
    for (int id = 0; id < PARAM_COUNT; id++) {
        int places[2] = {-1, -1};
        for (int i = 0; param_rows[id].choices && param_rows[id].choices[i]; i++) {
            places[0] = strcmp(param_rows[id].choices[i], left->word) == 0 ? i : places[0];
            places[1] = strcmp(param_rows[id].choices[i], right->word) == 0 ? i : places[1];
        }
        if (places[0] < 0 || places[1] < 0)
            continue;
        *left = exact(places[0]);
        *right = exact(places[1]);
        return true;
    }
    return false;
}

static struct number comparison(void)
{
    static const char *const signs[] = {"==", "!=", "<=", ">=", "<", ">"};
    struct number left = sum();
    for (size_t i = 0; i < COUNT(signs); i++) {
        if (!take(signs[i]))
            continue;
        struct number right = sum();
        if (left.word[0] || right.word[0])
            is_readable &= left.word[0] && right.word[0] && order_words(&left, &right);
        double error = left.error + right.error;
        is_decided &= error == 0 || !(fabs(left.value - right.value) <= error);
        const bool results[] = {left.value == right.value, left.value != right.value, left.value <= right.value,
                                left.value >= right.value, left.value < right.value,  left.value > right.value};
        return exact(results[i]);
    }
    return left;
}

static struct number both(void)
{
    struct number left = comparison();
    while (take("&&")) {
        struct number right = comparison();
        left = exact(left.value != 0 && right.value != 0);
    }
    return left;
}

static struct number either(void)
{
    struct number left = both();
    while (take("||")) {
        struct number right = both();
        left = exact(left.value != 0 || right.value != 0);
    }
    return left;
}

static struct number choose(void)
{
    struct number condition = either();
    if (!take("?"))
        return condition;
    bool was_decided = is_decided;
    struct number yes = choose();
    bool yes_decided = is_decided;
    is_decided = was_decided;
    is_readable &= take(":");
    struct number no = choose();
    is_decided = condition.value != 0 ? yes_decided : is_decided; /* only what is chosen has to be decided */
    return condition.value != 0 ? yes : no;
}

/* Works an expression out; false when it has words that are no arithmetic. */
static bool work_out(const char *text, struct number *out)
{
    at = text;
    is_readable = is_decided = true;
    *out = choose();
    skip_blanks();
    return is_readable && !*at && !out->word[0];
}

static void the_calculator_calculates(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"1 + 2*3", 7},
                 {"(1 + 2)*3", 9},
                 {"0 ? 1 : 2", 2},
                 {"1 > 0 && 2 == 2 ? 5 : 6", 5},
                 {"max(1, 2)/min(4, 8)", 0.5},
                 {"ceil(50257/(128*2))*128*2", 50432},
                 {"!0 + -3", -2},
                 {"1 ? 2 : 0 ? 3 : 4", 2},
                 {"3e2 - 1e-1", 299.9},
                 {"bf16 >= fp8 ? 1 : fp32 == fp32 ? 2 : 3", 2},
                 {"zb-h2 == zb-h2 && true > 0", 1},
                 {"isfinite(unknown) ? unknown - 1 : 4", 4},
                 {"2 - 1 - 1", 0}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct number number;
        assert_that(work_out(cases[i].text, &number), "cannot read '%s'", cases[i].text);
        assert_near(number.value, cases[i].value, 1e-15);
    }
    struct number ignored;
    assert_false(work_out("time_s less what overlaps", &ignored));
    assert_false(work_out("1 + x", &ignored));
    assert_true(work_out("0.5 > 0.5", &ignored) && !is_decided);
}

/* ---- every path, and every input of every input ----------------------------------------------------------------- */

enum { OPENED_MAX = 32768, OPENED_SLOTS = 65536 };

static char opened[OPENED_MAX][EXPLAIN_PATH_MAX];
static int slot[OPENED_SLOTS], opened_count;
static int equations, undecided;

/* Puts a path on the list of those to open, once. */
static void want(void *context, const char *path)
{
    (void)context;
    unsigned hash = 5381;
    for (const char *c = path; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    for (unsigned i = hash % OPENED_SLOTS;; i = (i + 1) % OPENED_SLOTS) {
        if (slot[i] > 0 && strcmp(opened[slot[i] - 1], path) == 0)
            return;
        if (slot[i] > 0)
            continue;
        assert_true(opened_count < OPENED_MAX && strlen(path) < EXPLAIN_PATH_MAX);
        strcpy(opened[opened_count], path);
        slot[i] = ++opened_count;
        return;
    }
}

/* The result of an equation stands behind its last equals sign; NULL where there is no equation. */
static const char *split_equation(char *text)
{
    char *result = NULL;
    for (char *p = text; (p = strstr(p, " = ")); p++)
        result = p;
    if (!result)
        return NULL;
    *result = '\0';
    return result + 3;
}

static void check_equation(const struct explanation *x, const struct plan *plan)
{
    char text[EXPLAIN_TEXT_MAX];
    snprintf(text, sizeof text, "%s", x->substituted);
    const char *result = split_equation(text);
    if (!result) {
        assert_that(isnan(x->value) || strncmp(x->formula, "the ", 4) == 0, "%s: '%s' is neither an equation nor words",
                    x->path, x->formula);
        result = text;
    }
    double shown = strcmp(result, "unknown") == 0 ? NAN : strtod(result, NULL);
    assert_that((isnan(shown) && isnan(x->value)) || shown == x->value ||
                    fabs(shown - x->value) <= 1e-6 * fabs(x->value),
                "%s: shows %.9g, is %.9g", x->path, shown, x->value);
    if (result == text)
        return;
    struct number number;
    assert_that(work_out(text, &number), "%s: '%s' (%s) cannot be worked out: %s", x->path, text, x->formula,
                check_describe(plan));
    equations++;
    undecided += !is_decided;
    if (!is_decided)
        return;
    bool is_same = isnan(x->value) ? isnan(number.value)
                                   : number.value == x->value ||
                                         fabs(number.value - x->value) <= number.error + 1e-6 * fabs(x->value);
    assert_that(is_same, "%s is %.9g, but '%s' (%s) gives %.9g: %s", x->path, x->value, text, x->formula, number.value,
                check_describe(plan));
}

/* Of a sum in words the inputs are what is summed. */
static void check_words(const struct explanation *x, const struct plan *plan)
{
    double sum = 0;
    static const char begin[] = "the sum of ";
    bool is_sum = strncmp(x->formula, begin, sizeof begin - 1) == 0 && strstr(x->formula, " rows of the stage");
    for (int i = 0; i < x->inputs; i++)
        sum += x->input[i].is_key ? 0 : x->input[i].value;
    if (is_sum && !strstr(x->formula, "DualPipe"))
        assert_that(isnan(x->value) || fabs(sum - x->value) <= 1e-9 * fabs(x->value),
                    "%s is %.9g, its parts %.9g: %s (%s)", x->path, x->value, sum, x->formula, check_describe(plan));
}

static void check_path(const char *path, const struct plan *plan)
{
    static struct explanation x, scratch;
    double value;
    assert_that(explain_value(&estimate, path, &x) == 0, "%s does not open: %s", path, check_describe(plan));
    assert_int_equal(explain_number(&estimate, path, &scratch, &value), 0);
    assert_that(value == x.value || (isnan(value) && isnan(x.value)), "%s is %g alone, %g opened", path, value,
                x.value);
    assert_that(x.label && x.label[0], "%s has no label", path);
    assert_that(x.formula[0], "%s has no formula", path);
    assert_that(strcmp(x.path, path) == 0, "%s calls itself %s", path, x.path);
    assert_between(x.basis, 0, BASIS_COUNT - 1);
    assert_that(strlen(x.formula) < sizeof x.formula - 1 && strlen(x.substituted) < sizeof x.substituted - 1,
                "%s is cut off", path);
    for (int i = 0; i < x.inputs; i++) {
        assert_that(x.input[i].name[0] && x.input[i].label && x.input[i].path[0], "%s: input %d has no name", path, i);
        assert_that(strcmp(x.input[i].path, path) != 0, "%s is made of itself", path);
        if (x.input[i].is_key)
            assert_that(param_find(x.input[i].path) >= 0, "%s: %s is no key", path, x.input[i].path);
        else
            want(NULL, x.input[i].path);
    }
    check_equation(&x, plan);
    check_words(&x, plan);
}

/* Opens every path of the report, and every input of every input. */
static void open_everything(const struct plan *plan)
{
    opened_count = 0;
    memset(slot, 0, sizeof slot);
    estimate_plan(plan, &estimate);
    explain_paths(&estimate, want, NULL);
    for (int i = 0; i < opened_count; i++)
        check_path(opened[i], plan);
}

static void open_all(const char *settings)
{
    struct plan plan;
    check_plan(&plan, settings);
    check_set(&plan, "total_tokens=1T storage_gb_s=100 mtbf_hours_per_gpu=50000 restart_s=300");
    equations = undecided = 0;
    open_everything(&plan);
    assert_that(opened_count > 400, "%d paths", opened_count);
    assert_that(equations >= opened_count * 3 / 4, "%d of %d are equations", equations, opened_count);
    assert_that(undecided * 200 <= equations, "%d of %d cannot be decided", undecided, equations);
}

static void formulas_with_values_give_the_value(void **state)
{
    (void)state;
    open_all(GPT_6B "tp=2 pp=2 zero_stage=1 micro_batch_size=4 global_batch_size=512 nodes=2");
    open_all(LLAMA3_70B "tp=8 sp=true pp=4 vpp=2 zero_stage=1 global_batch_size=128 nodes=8 recompute=selective");
    open_all(DEEPSEEK_V3 "tp=1 ep=8 pp=1 nodes=4 zero_stage=1 global_batch_size=128");
    open_all(
        LLAMA3_8B
        "framework.name=hf-trainer peft=lora dp=2 fsdp=full recompute=full lora_dropout=0.1 lora_targets=[q,v,down]");
    open_all(MIXTRAL_8X7B
             "framework.name=axolotl peft=qlora dp=1 upcast=all framework.loss=liger_flce modules_to_save=[head]");
    open_all(MIXTRAL_8X7B "tp=2 sp=true pp=2 ep=4 etp=1 nodes=4 zero_stage=1 global_batch_size=256");
}

/* What check_random_plan() leaves out: schedules, uneven and given splits, sharding, fp8, and serving. */
static void add_variety(struct check_random *random, struct plan *plan)
{
    static const char *const more[] = {
        "", "pp=4 vpp=1 schedule=zb-h1", "pp=4 vpp=1 schedule=zb-h2", "pp=4 vpp=2 schedule=zb-v",
        "pp=4 vpp=1 schedule=dualpipe", "pp=5 vpp=1 schedule=1f1b",
        "pp=4 vpp=2 schedule=interleaved microbatch_group=8", "pp=4 vpp=1 first_stage_layers=5",
        "pp=2 vpp=2 pipeline_layout=[[2,6],[4,20]]", "pp=1 vpp=1 fsdp=full", "pp=1 fsdp=shard_grad_op",
        "framework.name=fsdp2 pp=1 vpp=1 fsdp=full recompute=selective",
        "framework.name=deepspeed pp=1 vpp=1 zero_stage=3", "framework.name=deepspeed zero_stage=2 offload_optimizer=1",
        "dtype=fp8 fp8_param_gather=true", "dtype=mxfp8 fp8_recipe=mxfp8",
        "recompute=selective recompute_modules=[moe,mla_up_proj]",
        "recompute=selective recompute_modules=[layernorm,moe_act,shared_experts]",
        "mtp_num_layers=1 attention_kernel=cudnn", "optimizer=adafactor", "optimizer=adam8bit optimizer_dtype=bf16",
        "sliding_window=1024 sliding_window_every=4", "offload_activations=0.5", "mlp_activation_quant_bits=8",
        "framework.name=hf-trainer tp=1 pp=1 vpp=1 peft=lora",
        "framework.name=torchtune tp=1 pp=1 vpp=1 peft=qlora lora_targets=[q,v]",
        "framework.name=litgpt tp=1 pp=1 vpp=1 peft=dora quant_dtype=gptq4",
        "framework.name=trl-sft tp=1 pp=1 vpp=1 optimizer_in_backward=true",
        "workload=inference", "workload=inference weight_dtype=nvfp4 kv_dtype=fp8 batch_size=16",
        "measured_iteration_s=12"};
    check_set(plan, check_pick(random, more, COUNT(more)));
}

/* What the operators of a stage keep, and what recomputation keeps instead, is its activations. */
static void check_kept(const struct plan *plan)
{
    for (int i = 0; estimate.is_modelled && i < estimate.stages; i++) {
        double kept = 0, bytes, whole = estimate.stage[i].activations_bytes;
        enum op_id id;
        for (int k = 0; detail_kept(&estimate, i, k, &id, &bytes); k++)
            kept += bytes;
        if (!isnan(whole))
            assert_that(fabs(kept - whole) <= 1e-9 * whole, "stage %d: operators keep %.0f, activations %.0f: %s", i,
                        kept, whole, check_describe(plan));
    }
}

static void no_equation_of_any_plan_is_false(void **state)
{
    (void)state;
    struct check_random random = {40};
    equations = undecided = 0;
    for (int i = 0; i < check_cases(100); i++) {
        struct plan plan;
        check_random_plan(&random, &plan);
        if (i % 3 > 0)
            add_variety(&random, &plan); /* rules or no rules: no equation may be false */
        open_everything(&plan);
        check_kept(&plan);
    }
    assert_that(equations > check_cases(40000), "%d equations", equations);
    assert_that(undecided * 200 <= equations, "%d of %d cannot be decided", undecided, equations);
}

/* What stands in answers and on no page of its own: places, points, ends of ranges. */
static void places_and_ends_of_ranges_open(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "grid.world", "grid.gpus_per_node", "grid.rank.37.rank", "grid.rank.37.node", "grid.rank.37.gpu",
        "grid.rank.37.tp", "grid.rank.37.pp", "grid.groups.dp.3.1", "grid.groups.edp.3.1",
        "layers.2.tp_forward.shape.2",
        "memory.stages.1.layers.0", "memory.stages.1.layers.1", "memory.stages.1.stage", "memory.stages.0.timeline.5.1",
        "time.stages.1.stage", "time.range.mfu.low", "time.range.mfu.high", "time.range.tokens_per_s.low",
        "time.range.iteration_s.high", "training.range.cost_per_1t_tokens.low"};
    struct plan plan;
    check_plan(&plan, LLAMA3_70B "tp=8 sp=true pp=4 nodes=8 global_batch_size=128 price_per_gpu_hour=2");
    estimate_plan(&plan, &estimate);
    opened_count = 0;
    memset(slot, 0, sizeof slot);
    for (size_t i = 0; i < COUNT(paths); i++)
        check_path(paths[i], &plan);
    static struct explanation x;
    static const char *const ranges[][2] = {{"time.range", "time.iteration_s"},
                                            {"time.range_level", "time.iteration_s"},
                                            {"time.range.mfu", "time.mfu"},
                                            {"memory.range.device_bytes.2", "memory.stages.2.device_bytes"}};
    for (size_t i = 0; i < COUNT(ranges); i++) { /* the value, with its range and what widens it */
        assert_int_equal(explain_value(&estimate, ranges[i][0], &x), 0);
        assert_string_equal(x.path, ranges[i][1]);
        assert_true(x.range.low < x.value && x.value < x.range.high && x.reasons > 0);
    }
    static const char *const others[] = {
        "grid.rank.64.tp", "grid.rank.0.moon", "grid.groups.dp.99.0", "time.range.moon.low", "time.range.bubble_s.low",
        "time.range.moon", "time.ranges", "memory.range", "memory.range.moon.0", "memory.range.device_bytes.9",
        "memory.stages.0.timeline.99999.1", "memory.stages.9.layers.0"};
    for (size_t i = 0; i < COUNT(others); i++)
        assert_that(explain_value(&estimate, others[i], &x) == -1, "%s opens", others[i]);
    assert_int_equal(explain_value(&estimate, "grid.rank.37.pp", &x), 0);
    assert_same(x.value, 2);
    assert_int_equal(explain_value(&estimate, "grid.groups.dp.3.1", &x), 0);
    assert_same(x.value, 11);
    assert_int_equal(explain_value(&estimate, "range_probability", &x), 0);
}

/* A key says what depends on it. */
static void keys_say_what_hangs_on_them(void **state)
{
    (void)state;
    static struct explanation x;
    bool in_memory, in_time;
    check_estimate(&estimate, LLAMA3_70B "tp=8 pp=4 nodes=8 global_batch_size=128");
    explain_uses(&estimate, PARAM_parallel_tp, &in_memory, &in_time);
    assert_true(in_memory && in_time);
    explain_uses(&estimate, PARAM_hardware_inter_node_gb_s, &in_memory, &in_time);
    assert_true(!in_memory && in_time);
    explain_key(&estimate, PARAM_framework_masked_softmax_fusion, &x);
    assert_non_null(strstr(x.formula, "no memory or time equation"));
    assert_non_null(strstr(x.source, "Does not change the estimate"));
}

/* An estimate that is not there has nothing to open, and says so. */
static void a_plan_without_numbers_opens_without_them(void **state)
{
    (void)state;
    static struct explanation x;
    struct plan plan;
    plan_clear(&plan);
    open_everything(&plan);
    if (explain_value(&estimate, "memory.stages.0.activations_bytes", &x) == 0)
        assert_true(isnan(x.value));
    assert_int_equal(explain_value(&estimate, "no.such.value", &x), -1);
    assert_int_equal(explain_value(&estimate, "", &x), -1);
    assert_int_equal(explain_value(&estimate, "memory.stages.99999999999.params", &x), -1);
    assert_int_equal(explain_value(&estimate, "memory.stages.-1.params", &x), -1);
}

/* Prices differ by more than estimates do, which no range says. */
static void rents_say_what_they_leave_out(void **state)
{
    (void)state;
    static struct explanation x;
    static const char *const rents[] = {"training.cost", "training.cost_per_1t_tokens"};
    check_estimate(&estimate, LLAMA3_8B "price_per_gpu_hour=3.25 total_tokens=1e12");
    for (size_t i = 0; i < COUNT(rents); i++) {
        assert_int_equal(explain_value(&estimate, rents[i], &x), 0);
        assert_non_null(strstr(x.not_included, "how far prices of a GPU hour differ"));
    }
}

static void short_names_open_what_they_are_the_end_of(void **state)
{
    (void)state;
    static struct explanation x;
    check_estimate(&estimate, LLAMA3_70B "tp=8 pp=4 nodes=8 global_batch_size=128");
    assert_int_equal(explain_value(&estimate, "iteration_s", &x), 0);
    assert_string_equal(x.path, "time.iteration_s");
    assert_same(x.value, estimate.step.iteration_s);
    assert_int_equal(explain_value(&estimate, "memory.stages.2.allocated_bytes", &x), 0);
    assert_same(x.value, estimate.stage[2].allocated_bytes);
    assert_int_equal(explain_value(&estimate, "parameters.total", &x), 0);
    assert_same(x.value, estimate.totals.total);
    assert_int_equal(explain_value(&estimate, "in_flight", &x), 0);
    assert_string_equal(x.path, "memory.stages.0.in_flight");
    assert_same(x.value, estimate.stage[0].chunks_in_flight);
    assert_int_equal(explain_value(&estimate, "peak_stage", &x), 0);
    assert_same(x.value, estimate.peak_stage);
    assert_int_equal(explain_value(&estimate, "time.binding_stage", &x), 0);
    assert_same(x.value, estimate.binding_stage);
    assert_int_equal(explain_value(&estimate, "layers.1.count", &x), 0);
    assert_same(x.value, 80);
    assert_int_equal(explain_value(&estimate, "memory.stages.3.layer_count", &x), 0);
    assert_same(x.value, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_calculator_calculates),
        cmocka_unit_test(formulas_with_values_give_the_value),
        cmocka_unit_test(no_equation_of_any_plan_is_false),
        cmocka_unit_test(places_and_ends_of_ranges_open), cmocka_unit_test(keys_say_what_hangs_on_them),
        cmocka_unit_test(a_plan_without_numbers_opens_without_them),
        cmocka_unit_test(rents_say_what_they_leave_out), cmocka_unit_test(short_names_open_what_they_are_the_end_of),
    };
    return cmocka_run_group_tests_name("explain", tests, NULL, NULL) != 0;
}
