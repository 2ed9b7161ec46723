/* What of a formula counts: folded texts have the value of the whole, no dead term and no flag, and units. */
#include "tests/check.h"

#include "core/explain/live.h"

static struct estimate estimate;

static void open_value(const char *settings, const char *path, struct explanation *x, struct live *live)
{
    struct plan plan;
    check_plan(&plan, settings);
    estimate_plan(&plan, &estimate);
    assert_that(explain_value(&estimate, path, x) == 0, "no %s", path);
    assert_that(live_write(x, false, live) == 0, "%s: %s", path, x->formula);
}

static void dead_terms_are_folded_away(void **state)
{
    (void)state;
    struct explanation x;
    struct live live;
    open_value(LLAMA3_8B "pp=4 nodes=2", "memory.stages.0.activations_bytes", &x, &live);
    assert_string_equal(live.names, "in_flight_bytes");
    assert_true(live.is_single);
    open_value(LLAMA3_8B "pp=4 nodes=2", "memory.stages.0.in_flight_bytes", &x, &live);
    assert_null(strstr(live.names, "moe_"));
    assert_non_null(strstr(live.values, "8 layers x 4 passes x "));
    assert_true(strstr(live.values, " MiB") || strstr(live.values, " GiB"));
    open_value(LLAMA3_8B "pp=4 nodes=2", "time.iteration_s", &x, &live);
    assert_string_equal(live.names, "estimated_s");
    assert_int_not_equal(x.basis, BASIS_MEASURED);
    open_value(LLAMA3_8B "measured_iteration_s=12", "time.iteration_s", &x, &live);
    assert_string_equal(live.names, "measured_s");
    assert_int_equal(x.basis, BASIS_MEASURED);
}

/* What stands in a formula to turn units is said by the units themselves; what is asked about a value is no term. */
static void conversions_are_units(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *path, *names, *values;
    } cases[] = {
        {LLAMA3_8B "context_gib=0.5", "memory.stages.0.context_bytes", "context", "0.5 GiB = 512 MiB"},
        {LLAMA3_8B "usable_gib=79", "memory.usable_bytes", "usable", "79 GiB"},
        {LLAMA3_8B "pp=4 nodes=2", "time.bubble_s", "played_s - m x slowest_micro_s", NULL},
        {LLAMA3_8B "total_tokens=1e12", "training.cost_per_1t_tokens", "world x price x 1T / (tokens_per_s x 3600)",
         NULL},
        {LLAMA3_8B "", "time.model_tflops_per_gpu", "model_flops / iteration_s / world", NULL},
        {LLAMA3_8B "pp=4 nodes=2 vpp=2", "memory.stages.0.in_flight_bytes", NULL,
         "8 layers / 2 chunks x 8 passes x 1.064 GiB = 34.03 GiB"},
        {LLAMA3_8B "pp=4 nodes=2 global_batch_size=64 schedule=dualpipe", "memory.stages.0.in_flight_bytes",
         "layers x chunks_in_flight x dense_alive", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct explanation x;
        struct live live;
        open_value(cases[i].settings, cases[i].path, &x, &live);
        if (cases[i].names)
            assert_string_equal(live.names, cases[i].names);
        if (cases[i].values)
            assert_string_equal(live.values, cases[i].values);
    }
}

/* Counts of all values of a plan. */
struct counts {
    int all, folded;
};

/* Words and sums over operators stay as they are; whatever is folded has been evaluated and is the value. */
static void check_path(void *context, const char *path)
{
    struct counts *counts = context;
    struct explanation x;
    struct live live;
    if (explain_value(&estimate, path, &x) != 0 || isnan(x.value))
        return;
    counts->all++;
    if (live_write(&x, false, &live) != 0)
        return;
    counts->folded++;
    assert_that(!strpbrk(live.names, "?:&|<>"), "%s: %s", path, live.names);
    assert_that(!strstr(live.values, " + 0 ") && !strstr(live.values, "unknown"), "%s: %s", path, live.values);
    assert_near(live.value, x.value, 1e-8);
}

/* ---- printed values, worked out again: "20 layers x 4 passes x 268.3 MiB" ---------------------------------------- */

/* A value, and the sum of what was added and subtracted to get there: digits are lost where that cancels. */
struct amount {
    double value, size;
};

static const char *reading;

static struct amount read_printed_sum(void);

static bool follows(const char *token)
{
    size_t n = strlen(token);
    if (strncmp(reading, token, n) != 0)
        return false;
    reading += n;
    return true;
}

/*
 * What the letters behind a number are worth: a magnitude at once, a unit after a blank; counts of things are worth 1.
 */
static double read_unit(void)
{
    static const struct {
        const char *unit;
        double worth;
    } units[] = {{"TiB", 1099511627776.0}, {"GiB", GIB}, {"MiB", MIB}, {"KiB", 1024}, {"ms", 1e-3}, {"us", 1e-6},
                 {"GB/s", 1e9},
                 {"TFLOP/s", 1e12}, {"%", 0.01}};
    static const char magnitudes[] = "MBTPE";
    const char *magnitude = *reading ? strchr(magnitudes, *reading) : NULL;
    double worth = magnitude ? pow(10, 6 + 3 * (double)(magnitude - magnitudes)) : 1;
    reading += magnitude != NULL;
    size_t n = *reading == ' ' ? strcspn(reading + 1, " )") : 0;
    if (n == 0 || strchr("x=+-/", reading[1]))
        return worth;
    for (size_t i = 0; i < COUNT(units); i++)
        if (strlen(units[i].unit) == n && memcmp(units[i].unit, reading + 1, n) == 0)
            worth *= units[i].worth;
    reading += n + 1;
    return worth;
}

static struct amount read_printed(void)
{
    static const struct {
        const char *name;
        double (*of)(double);
    } functions[] = {{"ceil(", ceil}, {"floor(", floor}, {"sqrt(", sqrt}, {"round(", round}, {"fabs(", fabs},
                     {"(", NULL}};
    for (size_t i = 0; i < COUNT(functions); i++)
        if (follows(functions[i].name)) {
            struct amount inside = read_printed_sum();
            assert_true(follows(")"));
            double value = functions[i].of ? functions[i].of(inside.value) : inside.value;
            return (struct amount){value, functions[i].of ? fabs(value) : inside.size};
        }
    char *end;
    double value = strtod(reading, &end);
    assert_that(end > reading, "no number: %s", reading);
    reading = end;
    value *= read_unit();
    return (struct amount){value, fabs(value)};
}

static struct amount read_printed_product(void)
{
    struct amount left = read_printed();
    for (bool is_times; (is_times = follows(" x ")) || follows(" / ");) {
        struct amount right = read_printed();
        left.size = is_times ? left.size * right.size : left.size * (right.size / right.value / right.value);
        left.value = is_times ? left.value * right.value : left.value / right.value;
    }
    return left;
}

static struct amount read_printed_sum(void)
{
    struct amount left = read_printed_product();
    for (bool is_plus; (is_plus = follows(" + ")) || follows(" - ");) {
        struct amount right = read_printed_product();
        left.value += is_plus ? right.value : -right.value;
        left.size += fabs(right.size);
    }
    return left;
}

/* Which values are worked out: every second one, of every other plan the others. */
struct turns {
    int next, checked;
};

/* What is printed before " = " is what is printed behind it, as far as four digits of each part go. */
static void check_printed(void *context, const char *path)
{
    const double digits = 2e-3;
    struct explanation x;
    struct live live;
    struct turns *turns = context;
    if (turns->next++ % 2)
        return;
    if (explain_value(&estimate, path, &x) != 0 || isnan(x.value) || live_write(&x, false, &live) != 0 ||
        !strstr(live.values, " = ") ||
        strpbrk(live.values, "<"))
        return;
    reading = live.values;
    struct amount left = read_printed_sum();
    assert_that(follows(" = "), "%s: %s: cannot be read from '%s' on", path, live.values, reading);
    struct amount right = read_printed();
    assert_that(fabs(left.value - right.value) <= digits * (fabs(left.size) + right.size), "%s: %s: %g and %g", path,
                live.values, left.value, right.value);
    turns->checked++;
}

static void printed_values_can_be_worked_out_by_hand(void **state)
{
    (void)state;
    struct check_random random = {12};
    struct turns turns = {0};
    for (int i = 0; i < check_cases(400); i++) {
        struct plan plan;
        turns.next = i;
        check_random_plan(&random, &plan);
        estimate_plan(&plan, &estimate);
        explain_paths(&estimate, check_printed, &turns);
    }
    assert_true(turns.checked > check_cases(400) * 50);
}

static void every_plan_folds(void **state)
{
    (void)state;
    static const char *const plans[] = {LLAMA3_8B "pp=4 nodes=2", LLAMA3_8B "tp=2 zero_stage=1 recompute=selective",
                                        DEEPSEEK_V3 "ep=64 nodes=256 zero_stage=1 pp=1", LLAMA3_8B "workload=inference",
                                        LLAMA3_8B "schedule=zb-h1 pp=2"};
    for (size_t i = 0; i < COUNT(plans); i++) {
        struct plan plan;
        struct counts counts = {0};
        check_plan(&plan, plans[i]);
        estimate_plan(&plan, &estimate);
        explain_paths(&estimate, check_path, &counts);
        assert_that(counts.folded * 3 > counts.all, "%s: %d of %d", plans[i], counts.folded, counts.all);
    }
}

static void values_have_units(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *unit, *text;
    } cases[] = {{281329664, "bytes", "268.3 MiB"}, {0.29, "s", "290 ms"}, {80, "layers", "80 layers"},
                 {1135771648, "elements", "1.136B elements"},
                 {0.5, "", "0.5"}, {1.5e13, "bytes", "13.64 TiB"}, {59112.4, "tokens/s", "59112 tokens/s"},
                 {2.019e18, "FLOP", "2.019E FLOP"},
                 {1e12, "", "1T"}, {512, "bytes", "512 bytes"}, {0, "s", "0 s"}, {NAN, "s", "unknown"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[64];
        live_value(cases[i].value, cases[i].unit, false, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
}

static void bytes_may_be_counted_in_thousands(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *unit, *text;
    } cases[] = {{281329664, "bytes", "281.3 MB"}, {1.5e13, "bytes", "15 TB"}, {2000, "bytes", "2 KB"},
                 {512, "bytes", "512 bytes"}, {0.29, "s", "290 ms"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[64];
        live_value(cases[i].value, cases[i].unit, true, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
    struct explanation x;
    struct live live;
    struct plan plan;
    check_plan(&plan, LLAMA3_8B);
    estimate_plan(&plan, &estimate);
    assert_int_equal(explain_value(&estimate, "memory.stages.0.context_bytes", &x), 0);
    assert_int_equal(live_write(&x, true, &live), 0);
    assert_string_equal(live.values, "0.5 GiB = 536.9 MB"); /* the key is in GiB */
}

/* Counted figures are exact until a constant comes in; a key that the user gave is no constant. */
static void a_basis_is_the_weakest_of_its_parts(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *path;
        enum basis basis;
    } cases[] = {{LLAMA3_8B "pp=4 nodes=2", "memory.stages.0.activations_bytes", BASIS_EXACT},
                 {LLAMA3_8B "pp=4 nodes=2", "memory.stages.0.weights_bytes", BASIS_EXACT},
                 {LLAMA3_8B "pp=4 nodes=2", "memory.stages.0.reserved_bytes", BASIS_FORMULA},
                 {LLAMA3_8B "pp=4 nodes=2", "memory.stages.0.device_bytes", BASIS_FORMULA},
                 {LLAMA3_8B "pp=4 nodes=2", "memory.headroom_bytes", BASIS_FORMULA},
                 {LLAMA3_8B "tp=2 gemm_efficiency=0.6", "time.stages.0.tp_s", BASIS_CALIBRATED},
                 {LLAMA3_8B "pp=4 nodes=2 gemm_efficiency=0.6", "time.bubble_fraction", BASIS_CALIBRATED},
                 {LLAMA3_8B "measured_iteration_s=12", "time.iteration_s", BASIS_MEASURED}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct explanation x;
        struct live live;
        open_value(cases[i].settings, cases[i].path, &x, &live);
        assert_that(explain_basis(&estimate, &x) == cases[i].basis, "%s: %s", cases[i].path,
                    basis_names[explain_basis(&estimate, &x)]);
    }
}

/* Chains go down to keys of the plan, all of them; what has none is a place, or made of named constants. */
static void check_ends(void *context, const char *path)
{
    static const char *const keyless[] = {".stage", ".count", "workspace_bytes", "buffers_bytes"};
    enum param keys[PARAM_COUNT];
    struct explanation x;
    bool is_whole, may_be_keyless = false;
    int *count = context;
    if (explain_value(&estimate, path, &x) != 0 || isnan(x.value) || x.value == 0)
        return;
    for (size_t i = 0; i < COUNT(keyless); i++)
        may_be_keyless |= strstr(path, keyless[i]) != NULL;
    int found = explain_keys(&estimate, path, keys, &is_whole);
    assert_that(is_whole, "%s: keys are cut", path);
    assert_that(found > 0 || may_be_keyless, "%s ends in no key: %s", path, x.formula);
    ++*count;
}

static void chains_end_in_keys(void **state)
{
    (void)state;
    static const char *const plans[] = {LLAMA3_8B "nodes=2 tp=4 pp=4 global_batch_size=64",
                                        LLAMA3_8B "framework.name=hf-trainer peft=lora dp=2 fsdp=full recompute=full",
                                        LLAMA3_8B "workload=inference"};
    int count = 0;
    for (size_t i = 0; i < COUNT(plans); i++) {
        struct plan plan;
        check_plan(&plan, plans[i]);
        estimate_plan(&plan, &estimate);
        explain_paths(&estimate, check_ends, &count);
    }
    assert_true(count > 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dead_terms_are_folded_away), cmocka_unit_test(conversions_are_units),
        cmocka_unit_test(every_plan_folds), cmocka_unit_test(printed_values_can_be_worked_out_by_hand),
        cmocka_unit_test(values_have_units), cmocka_unit_test(bytes_may_be_counted_in_thousands),
        cmocka_unit_test(chains_end_in_keys),
        cmocka_unit_test(a_basis_is_the_weakest_of_its_parts)};
    return cmocka_run_group_tests_name("live", tests, NULL, NULL) != 0;
}
