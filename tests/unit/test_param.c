/* The parameter table: what must hold for every row, and how values are read, written and stepped. */
#include "tests/check.h"

#include "core/plan/frozen.h"
#include "core/plan/nearest.h"

static bool is_number(const struct param_row *row)
{
    return row->type == TYPE_INT || row->type == TYPE_REAL;
}

static int choice_count(const struct param_row *row)
{
    int n = 0;
    while (row->choices && row->choices[n])
        n++;
    return n;
}

/* ---- every row -------------------------------------------------------------------------------------------------- */

static void every_row_is_complete(void **state)
{
    (void)state;
    for (int i = 0; i < PARAM_COUNT; i++) {
        const struct param_row *row = &param_rows[i];
        char dotted[80];
        snprintf(dotted, sizeof dotted, "%s%s%s", row->group_id == GROUP_plan ? "" : row->group,
                 row->group_id == GROUP_plan ? "" : ".", row->key);
        assert_string_equal(row->dotted, dotted);
        assert_string_equal(row->group, param_group_names[row->group_id]);
        size_t n = strlen(row->help);
        assert_that(n > 0 && n <= 70, "%s: help of %zu bytes", dotted, n);
        assert_that(row->help[n - 1] != '.', "%s: help is a phrase, without a full stop", dotted);
        n = strlen(row->more);
        assert_that(n == 0 || row->more[n - 1] == '.', "%s: `more` is made of sentences", dotted);
        assert_that((row->type == TYPE_BOOL || row->type == TYPE_ENUM || row->type == TYPE_SET) ==
                        (row->choices != NULL),
                    "%s: choices", dotted);
        assert_that(is_number(row) || row->type == TYPE_LAYOUT || !row->unit[0], "%s: has a unit and is no number",
                    dotted);
        assert_that(row->suffix != SUFFIX_GIB || strcmp(row->unit, "GiB") == 0, "%s: unit '%s'", dotted, row->unit);
        assert_that(row->suffix != SUFFIX_RATE || strcmp(row->unit, "GB/s") == 0, "%s: unit '%s'", dotted, row->unit);
        assert_that(row->suffix == SUFFIX_PLAIN || is_number(row), "%s: suffix rule", dotted);
    }
}

/* The names say the unit, so that nobody looks it up. */
static void names_agree_with_units(void **state)
{
    (void)state;
    static const struct {
        const char *ending, *unit;
    } rules[] = {{"_gib", "GiB"}, {"_gb_s", "GB/s"},      {"_us", "us"},
                 {"_ms", "ms"},   {"_tflops", "TFLOP/s"}, {"_tokens", "tokens"}};
    for (int i = 0; i < PARAM_COUNT; i++)
        for (size_t j = 0; j < COUNT(rules); j++) {
            size_t n = strlen(param_rows[i].key), m = strlen(rules[j].ending);
            if (n > m && strcmp(param_rows[i].key + n - m, rules[j].ending) == 0)
                assert_string_equal(param_rows[i].unit, rules[j].unit);
        }
}

static void names_are_unique_and_found(void **state)
{
    (void)state;
    for (int i = 0; i < PARAM_COUNT; i++) {
        int same = 0;
        for (int j = 0; j < PARAM_COUNT; j++) {
            same += strcmp(param_rows[i].key, param_rows[j].key) == 0;
            assert_true(i == j || strcmp(param_rows[i].dotted, param_rows[j].dotted) != 0);
        }
        assert_int_equal(param_find(param_rows[i].dotted), i);
        int bare = param_find(param_rows[i].key);
        if (param_rows[i].group_id == GROUP_rl && bare < 0) /* another key had this name first */
            assert_true(param_find_alias(param_rows[i].key) >= 0);
        else
            assert_int_equal(bare, same == 1 || param_rows[i].group_id == GROUP_plan ? i : -1);
    }
    assert_int_equal(param_find("name"), -1);
    assert_int_equal(param_find(""), -1);
    assert_int_equal(param_find("parallel"), -1);
    assert_int_equal(param_find("parallel.tensor"), -1);
}

static void nearest_names_are_offered(void **state)
{
    (void)state;
    static const struct {
        const char *typed, *first;
    } cases[] = {{"hiden_size", "model.hidden_size"}, {"num_layer", "model.num_layers"},
                 {"parallel.pt", "parallel.tp"},      {"micro_batchsize", "train.micro_batch_size"},
                 {"SEQ_LENGTH", "train.seq_length"},  {"hardware.gpus", "hardware.gpu"},
                 {"checkpointin", "train.recompute"}, {"divisible", "model.make_vocab_size_divisible_by"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct nearest nearest = {.typed = cases[i].typed};
        param_nearest(&nearest);
        assert_that(nearest.count >= 1 && strcmp(nearest.name[0], cases[i].first) == 0, "'%s': %d found, first %s",
                    cases[i].typed, nearest.count, nearest.count ? nearest.name[0] : "none");
    }
    struct nearest far = {.typed = "completely_different_words"};
    char text[NEAREST_TEXT_MAX];
    param_nearest(&far);
    assert_int_equal(nearest_list(&far, text), 0);
    assert_string_equal(text, "");
    far.takes_any = true;
    param_nearest(&far);
    assert_int_equal(far.count, NEAREST_MAX);
    assert_int_equal(text_distance("tp", "pt"), 1);
    assert_int_equal(text_distance("kitten", "sitting"), 3);
    assert_int_equal(text_distance("", "abc"), 3);
}

/* No word stands for two keys, and none is a key or a group of its own. */
static void other_names_lead_to_one_key(void **state)
{
    (void)state;
    for (int i = 0; i < PARAM_COUNT; i++)
        for (const char *at = param_rows[i].aliases; *at; at += strcspn(at, "|"), at += *at == '|') {
            char alias[64];
            snprintf(alias, sizeof alias, "%.*s", (int)strcspn(at, "|"), at);
            assert_that(strspn(alias, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(alias), "%s", alias);
            assert_int_equal(param_find(alias), -1);
            assert_that(param_find_alias(alias) == i, "%s leads to %s", alias,
                        param_rows[param_find_alias(alias)].dotted);
            for (int j = 0; j < PARAM_COUNT; j++)
                assert_that(param_rows[j].group_id == GROUP_rl || strcmp(param_rows[j].key, alias) != 0,
                            "%s is a key too", alias);
        }
    assert_int_equal(param_find_alias("Micro Batch"), PARAM_train_micro_batch_size);
    assert_int_equal(param_find_alias("kv-heads"), PARAM_model_num_query_groups);
    assert_int_equal(param_find_alias("placement"), PARAM_parallel_order); /* rl's came later: typed with its group */
    assert_int_equal(param_find_alias("optimizer_offload"), PARAM_train_offload_optimizer);
    assert_int_equal(param_find_alias("reference"), PARAM_train_reference_model);
    assert_int_equal(param_find_alias("rl.reference"), PARAM_rl_reference);
    assert_string_equal(param_short_name(PARAM_rl_placement), "rl.placement");
    assert_int_equal(param_find_alias("tp"), PARAM_parallel_tp);
    assert_int_equal(param_find_alias(""), -1);
    assert_int_equal(param_find_alias("laye"), -1);
}

static void every_default_is_a_valid_value(void **state)
{
    (void)state;
    for (int i = 0; i < PARAM_COUNT; i++) {
        const struct param_row *row = &param_rows[i];
        assert_that(row->min <= row->max, "%s", row->dotted);
        if (isnan(row->fallback))
            continue;
        assert_that(row->fallback >= row->min && row->fallback <= row->max, "%s: default %g", row->dotted,
                    row->fallback);
        assert_that(row->type == TYPE_REAL || row->fallback == floor(row->fallback), "%s: default %g", row->dotted,
                    row->fallback);
    }
}

static void choices_reach_from_min_to_max(void **state)
{
    (void)state;
    for (int i = 0; i < PARAM_COUNT; i++) {
        const struct param_row *row = &param_rows[i];
        if (row->type == TYPE_SET)
            assert_same(row->max, (1 << choice_count(row)) - 1);
        else if (row->choices)
            assert_same(row->max, choice_count(row) - 1);
    }
}

/* ---- reading and writing ---------------------------------------------------------------------------------------- */

static void round_trip(enum param id, double value)
{
    struct plan plan, back;
    char text[PARAM_TEXT_MAX], why[PARAM_WHY_MAX] = "";
    plan_clear(&plan);
    plan_clear(&back);
    plan.value[id] = value;
    plan.from[id] = FROM_FILE;
    int n = param_print(&plan, id, text, sizeof text);
    assert_int_equal(n, (int)strlen(text));
    assert_that(param_parse(&back, id, text, FROM_FILE, false, why) == 0, "%s: '%s' %s", param_rows[id].dotted, text,
                why);
    assert_that(plan_equal(&plan, &back), "%s: %.17g printed as '%s' reads as %.17g", param_rows[id].dotted, value,
                text, back.value[id]);
}

static void what_is_printed_reads_back(void **state)
{
    (void)state;
    struct check_random random = {2};
    for (int i = 0; i < PARAM_COUNT; i++) {
        const struct param_row *row = &param_rows[i];
        if (row->choices) {
            for (double value = row->min; value <= row->max; value++)
                round_trip((enum param)i, value);
        } else if (row->suffix == SUFFIX_VERSION) {
            static const double versions[] = {2.01, 2.09, 2.1, 2.11, 2.18, 2.2, 10.99};
            for (size_t j = 0; j < COUNT(versions); j++)
                round_trip((enum param)i, versions[j]);
        } else if (is_number(row)) {
            round_trip((enum param)i, row->min);
            round_trip((enum param)i, row->max);
            for (int j = 0; j < 50; j++) {
                double share = (double)(check_next(&random) >> 11) / 9007199254740992.0;
                double value = row->min + (row->max - row->min) * pow(share, 8);
                round_trip((enum param)i, row->type == TYPE_INT ? floor(value) : value);
            }
        }
    }
}

static void limits_are_accepted_and_one_beyond_refused(void **state)
{
    (void)state;
    for (int i = 0; i < PARAM_COUNT; i++) {
        const struct param_row *row = &param_rows[i];
        if (!is_number(row) || row->suffix == SUFFIX_VERSION)
            continue;
        const double beyond[] = {row->min - 1, row->max >= 1e16 ? row->max * 2 : row->max + 1};
        char low[40], high[40], text[40], why[PARAM_WHY_MAX], expected[PARAM_WHY_MAX];
        number_print(row->min, low, sizeof low);
        number_print(row->max, high, sizeof high);
        struct plan plan, before;
        plan_clear(&plan);
        assert_int_equal(param_parse(&plan, (enum param)i, low, FROM_SET, false, why), 0);
        assert_int_equal(param_parse(&plan, (enum param)i, high, FROM_SET, false, why), 0);
        before = plan;
        for (int j = 0; j < 2; j++) {
            number_print(beyond[j], text, sizeof text);
            assert_that(param_parse(&plan, (enum param)i, text, FROM_FILE, false, why) == -1, "%s accepts %s",
                        row->dotted, text);
            snprintf(expected, sizeof expected, "'%s' is out of range; use %s to %s", text, low, high);
            assert_string_equal(why, expected);
            assert_memory_equal(&plan, &before, sizeof plan);
        }
    }
}

static void refusals_say_what_works(void **state)
{
    (void)state;
    static const struct {
        const char *key, *text, *why;
    } cases[] = {
        {"tp", "2.5", "'2.5' is 2.5, not a whole number; try 2 or 3"},
        {"tp", "eight", "'eight' (column 1) is not a number or the name of a number; write a number such as 4096"},
        {"tp", "8 x 2", "'8 x 2' (column 3) cannot be read from here on; write a number such as 4096"},
        {"vocab_size", "32k",
         "'32k' (column 3) has a suffix that could mean powers of 1000 or of 1024 here; write the number out; write a "
         "number such as 4096"},
        {"tp", "10%", "'10%' (column 3) cannot be read from here on; write a number such as 4096"},
        {"memory_gib", "80Gbit",
         "'80Gbit' (column 3) has an unknown unit; use GiB, GB, MiB, MB, TiB or TB; write a number such as 0.5"},
        {"te_version", "new", "'new' (column 1) is not a version such as 2.11; write a number such as 0.5"},
        {"sp", "maybe", "'maybe' is not a choice; use one of false, true"},
        {"schedule", "1F1B2",
         "'1F1B2' is not a choice; use one of gpipe, 1f1b, interleaved, zb-h1, zb-h2, zb-v, dualpipe"},
        {"recompute_modules", "[core_attn, norm]",
         "'norm' is not a choice; use any of core_attn, layernorm, mlp, moe, moe_act, shared_experts, mla_up_proj, "
         "moe_gate"},
        {"model.name", "an-exceedingly-long-name-that-does-not-fit-into-the-slot-which-holds-80-bytes-with-its-end",
         "is longer than 79 bytes; use a shorter name"},
        {"model.name", "a\tb", "contains a control character; use a plain name"},
        {"pipeline_layout", "[1,2", "is not a list of layers; use auto or a list such as [15,16,16,17]"},
        {"pipeline_layout", "1,2]", "has a ] too many; use [..] or [[..],[..]]"},
        {"pipeline_layout", "[,21][,[3,4]]", "mixes numbers and lists; use [..] or [[..],[..]]"},
        {"pipeline_layout", "[[[1]]]", "has lists three deep; use [..] or [[..],[..]]"},
        {"pipeline_layout", "[[1,2],[3]]", "has stages with different numbers of chunks; give each stage vpp chunks"},
        {"pipeline_layout", "[5000]", "5000 layers in a chunk; use 0 to 4096"},
        {"pipeline_layout", "[a]", "'a]' is not a list of layers; use auto or a list such as [15,16,16,17]"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct plan plan, before;
        char why[PARAM_WHY_MAX] = "";
        plan_clear(&plan);
        before = plan;
        int id = param_find(cases[i].key);
        assert_that(param_parse(&plan, (enum param)id, cases[i].text, FROM_SET, false, why) == -1, "%s accepts '%s'",
                    cases[i].key, cases[i].text);
        assert_string_equal(why, cases[i].why);
        assert_memory_equal(&plan, &before, sizeof plan);
    }
}

static void values_are_read_in_the_units_of_their_key(void **state)
{
    (void)state;
    static const struct {
        const char *key, *text;
        double value;
    } cases[] = {
        {"hidden_size", "8k", 8192},
        {"seq_length", "128k", 131072},
        {"prompt_tokens", "2k", 2048},
        {"total_tokens", "15T", 15e12},
        {"total_tokens", "40k", 40000},
        {"ddp_bucket_elements", "40M", 40e6},
        {"memory_gib", "80GB", 80e9 / GIB},
        {"memory_gb_s", "3.35TB/s", 3350},
        {"inter_node_gb_s", "400Gb/s", 50},
        {"te_version", "2.9", 2.09},
        {"total_tokens", "1.5T tokens", 1.5e12},
        {"global_batch_size", "512 sequences", 512},
        {"price_per_gpu_hour", "$2.5/h", 2.5},
        {"price_per_gpu_hour", "$2.50", 2.5},
        {"availability", "90%", 0.9},
        {"offload_optimizer", "true", 1},
        {"offload_params", "Off", 0},
        {"offload_activations", "0.5", 0.5},
        {"sp", "on", 1},
        {"sp", "NO", 0},
        {"sp", "True", 1},
        {"dtype", "BF16", DTYPE_BF16},
        {"schedule", "1f1b", SCHEDULE_1F1B},
        {"recompute_modules", "[core_attn, mlp]", 5},
        {"recompute_modules", "\"mlp\"", 4},
        {"recompute_modules", "[]", 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct plan plan;
        char why[PARAM_WHY_MAX] = "";
        plan_clear(&plan);
        int id = param_find(cases[i].key);
        assert_that(param_parse(&plan, (enum param)id, cases[i].text, FROM_FILE, false, why) == 0, "%s=%s: %s",
                    cases[i].key, cases[i].text, why);
        assert_same(plan.value[id], cases[i].value);
        assert_int_equal(plan.from[id], FROM_FILE);
    }
}

static void expressions_may_name_other_keys(void **state)
{
    (void)state;
    struct plan plan;
    check_plan(&plan,
               "pp=4 hidden_size=4096 micro_batch_size=2 tp=64/pp ffn_hidden_size=4*hidden global_batch_size=8*mbs*pp");
    assert_same(plan.value[PARAM_parallel_tp], 16);
    assert_same(plan.value[PARAM_model_ffn_hidden_size], 16384);
    assert_same(plan.value[PARAM_train_global_batch_size], 64);
    char why[PARAM_WHY_MAX];
    assert_int_equal(param_parse(&plan, PARAM_parallel_cp, "ep", FROM_SET, false, why), -1); /* blank */
    assert_int_equal(param_parse(&plan, PARAM_parallel_cp, "sp", FROM_SET, false, why), -1); /* no number */
}

static void relative_changes_need_a_value(void **state)
{
    (void)state;
    struct plan plan;
    char why[PARAM_WHY_MAX];
    check_plan(&plan, "tp=8");
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"/2", 4}, {"x4", 16}, {"+2", 18}, {"-10", 8}, {"3", 3}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(param_parse(&plan, PARAM_parallel_tp, cases[i].text, FROM_SET, true, why), 0);
        assert_same(plan.value[PARAM_parallel_tp], cases[i].value);
    }
    assert_int_equal(param_parse(&plan, PARAM_parallel_tp, "/2", FROM_SET, true, why), -1);
    assert_string_equal(why, "'/2' is 1.5, not a whole number; try 1 or 2");
    assert_int_equal(param_parse(&plan, PARAM_parallel_pp, "+1", FROM_SET, true, why), -1);
    assert_string_equal(why, "has no value to change; write the value itself");
    assert_int_equal(param_parse(&plan, PARAM_parallel_tp, "-1", FROM_SET, false, why), -1);
    assert_string_equal(why, "'-1' is out of range; use 1 to 4096");
}

/* What is frozen: read, written in one way, and counted. */
static void parts_are_frozen(void **state)
{
    (void)state;
    static const struct {
        const char *text, *written; /* NULL: refused */
        int of_eight, depth;        /* frozen ones of layers 0 to 7, layers without backward */
    } table[] = {
        {"none", "none", 0, 0}, {"norms", "norms", 0, 0}, {"embeddings", "embeddings", 0, 0},
        {"layers:2-3", "layers:2-3", 2, 0},
        {"layers:0-5", "layers:0-5", 6, 0}, {"embeddings,layers:0-5", "embeddings,layers:0-5", 6, 6},
        {"[layers:5, norms]", "norms,layers:5-5", 1, 0}, {"all-but:layers:6-7", "all-but:layers:6-7", 6, 6},
        {"all-but:embeddings,layers:6-7", "all-but:embeddings,layers:6-7", 6, 0},
        {"all-but:embeddings", "all-but:embeddings", 8, 0},
        {"layers:6-4095", "layers:6-4095", 2, 0}, {"base,norms", NULL, 0, 0}, {"all-but:base", NULL, 0, 0},
        {"all-but:", NULL, 0, 0},
        {"layers:3-2", NULL, 0, 0}, {"layers:-0", NULL, 0, 0}, {"layers:--1", NULL, 0, 0}, {"layers:-4096", NULL, 0, 0},
        {"none,norms", NULL, 0, 0},
        {"norms,none", NULL, 0, 0}, {"all-but:none", NULL, 0, 0}, {"layers:4096", NULL, 0, 0},
        {"layers:1-2,layers:4-5", NULL, 0, 0},
        {"layers:1x", NULL, 0, 0}, {"[]", NULL, 0, 0}, {"layers:99999999999999999999", NULL, 0, 0},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        char why[PARAM_WHY_MAX], text[PARAM_TEXT_MAX];
        double value = frozen_parse(table[i].text, why, sizeof why);
        assert_that(isnan(value) == !table[i].written, "%s is %g", table[i].text, value);
        if (isnan(value))
            continue;
        assert_int_equal(frozen_print(value, text, sizeof text), strlen(table[i].written));
        assert_string_equal(text, table[i].written);
        assert_that(frozen_layers(value, 0, 8) == table[i].of_eight, "%s freezes %d of 8", table[i].text,
                    frozen_layers(value, 0, 8));
        assert_that(frozen_depth(value) == table[i].depth, "%s leaves %d idle", table[i].text, frozen_depth(value));
        assert_true(frozen_parse(text, why, sizeof why) == value);
    }
}

/* Layers counted from the end are layers of the model, all of them where it has fewer. */
static void last_layers_are_those_of_the_model(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int layers;
        const char *written;
    } table[] = {
        {"layers:-2", 8, "layers:6-7"}, {"all-but:embeddings,layers:-1", 32, "all-but:embeddings,layers:31-31"},
        {"layers:-9", 8, "layers:0-7"},
        {"layers:-2", 0, "layers:-2"}, {"layers:+100", 32, "layers:0-31"},
        {"all-but:layers:+4", 32, "all-but:layers:0-3"}, {"norms,layers:-4095", 4000, "norms,layers:0-3999"},
        {"layers:1-2", 8, "layers:1-2"}, {"base", 8, "base"},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        char why[PARAM_WHY_MAX], text[PARAM_TEXT_MAX];
        double value = frozen_parse(table[i].text, why, sizeof why);
        frozen_print(value, text, sizeof text);
        assert_string_equal(text, table[i].text);
        frozen_print(frozen_of_model(value, table[i].layers), text, sizeof text);
        assert_string_equal(text, table[i].written);
        assert_true(frozen_of_model(NAN, 8) != frozen_of_model(NAN, 8));
    }
}

static void empty_or_auto_makes_a_key_blank(void **state)
{
    (void)state;
    struct plan plan, blank;
    char why[PARAM_WHY_MAX], text[PARAM_TEXT_MAX];
    plan_clear(&blank);
    for (int i = 0; i < PARAM_COUNT; i++) {
        const char *const words[] = {"", "  ", param_rows[i].type == TYPE_NAME ? "" : "auto"};
        for (size_t j = 0; j < COUNT(words); j++) {
            plan_clear(&plan);
            const char *value = param_rows[i].type == TYPE_NAME     ? "x"
                                : param_rows[i].type == TYPE_LAYOUT ? "[1]"
                                : param_rows[i].type == TYPE_PATTERN ? "M*"
                                : param_rows[i].type == TYPE_FROZEN ? "norms"
                                : param_rows[i].choices             ? param_rows[i].choices[0]
                                                                    : "1";
            assert_that(param_parse(&plan, (enum param)i, value, FROM_SET, false, why) == 0, "%s=%s: %s",
                        param_rows[i].dotted, value, why);
            assert_false(param_blank(&plan, (enum param)i));
            assert_int_equal(param_parse(&plan, (enum param)i, words[j], FROM_SET, false, why), 0);
            assert_that(param_blank(&plan, (enum param)i), "%s is not blank after '%s'", param_rows[i].dotted,
                        words[j]);
            assert_int_equal(param_print(&plan, (enum param)i, text, sizeof text), 0);
            assert_that(plan_equal(&plan, &blank), "%s", param_rows[i].dotted);
        }
    }
}

static void layouts_read_back(void **state)
{
    (void)state;
    static const struct {
        const char *text, *printed;
        int chunks, per_stage;
    } cases[] = {{"[15,16,16,17]", "[15,16,16,17]", 4, 0},
                 {"15, 16", "[15,16]", 2, 0},
                 {"[[1,2],[3,4]]", "[[1,2],[3,4]]", 4, 2},
                 {"[ [7] , [8] ]", "[[7],[8]]", 2, 1},
                 {"[0]", "[0]", 1, 0}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct plan plan;
        char why[PARAM_WHY_MAX] = "", text[PARAM_TEXT_MAX];
        plan_clear(&plan);
        assert_that(param_parse(&plan, PARAM_parallel_pipeline_layout, cases[i].text, FROM_SET, false, why) == 0,
                    "'%s': %s", cases[i].text, why);
        assert_int_equal(plan.layout.chunks, cases[i].chunks);
        assert_int_equal(plan.layout.per_stage, cases[i].per_stage);
        param_print(&plan, PARAM_parallel_pipeline_layout, text, sizeof text);
        assert_string_equal(text, cases[i].printed);
    }
}

static void printing_never_runs_over_the_buffer(void **state)
{
    (void)state;
    struct plan plan;
    check_plan(
        &plan,
        "model.name=some-name recompute_modules=[core_attn,mlp,moe] pipeline_layout=[15,16,16,17] hidden_size=8192 "
        "schedule=interleaved te_version=2.18");
    for (int i = 0; i < PARAM_COUNT; i++)
        for (size_t size = 1; size < 24; size++) {
            char text[32];
            memset(text, '#', sizeof text);
            param_print(&plan, (enum param)i, text, size);
            assert_that(memchr(text, '\0', size), "%s into %zu bytes is not ended", param_rows[i].dotted, size);
            for (size_t j = size; j < sizeof text; j++)
                assert_that(text[j] == '#', "%s into %zu bytes wrote byte %zu", param_rows[i].dotted, size, j);
        }
}

/* ---- stepping --------------------------------------------------------------------------------------------------- */

static int errors_of(const struct plan *plan)
{
    struct plan resolved;
    plan_resolve(plan, &resolved);
    return rule_errors(&resolved);
}

static void walk(const char *name, struct plan start, enum param id, int direction)
{
    const struct param_row *row = &param_rows[id];
    struct plan plan = start;
    for (int i = 0; i < 12; i++) {
        struct plan before = plan;
        if (param_step(&plan, id, direction) != 0) {
            assert_memory_equal(&plan, &before, sizeof plan);
            return;
        }
        double value = plan.value[id];
        assert_that(value >= row->min && value <= row->max, "%s: %s steps to %g", name, row->dotted, value);
        assert_that(row->type == TYPE_REAL || value == floor(value), "%s: %s steps to %g", name, row->dotted, value);
        assert_that(errors_of(&plan) == 0, "%s: %s steps to %g, which breaks a rule", name, row->dotted, value);
        struct plan was, now;
        plan_resolve(&before, &was);
        plan_resolve(&plan, &now);
        assert_that(was.value[id] != now.value[id], "%s: %s steps from %g to itself", name, row->dotted, value);
        if (!row->choices && row->type != TYPE_FROZEN)
            assert_that((plan.value[id] > was.value[id]) == (direction > 0), "%s: %s steps %+d from %g to %g", name,
                        row->dotted, direction, was.value[id], value);
        /* nothing else moves but what is derived from it */
        for (int j = 0; j < PARAM_COUNT; j++)
            assert_that(j == (int)id || before.value[j] == plan.value[j] ||
                            (isnan(before.value[j]) && isnan(plan.value[j])),
                        "%s: %s moves %s", name, row->dotted, param_rows[j].dotted);
    }
}

static const struct {
    const char *name, *settings;
} starts[] = {
    {"gpt", GPT_6B "tp=2 pp=2 zero_stage=1 micro_batch_size=4 global_batch_size=512 nodes=2"},
    {"llama", LLAMA3_70B "tp=8 sp=true pp=4 zero_stage=1 global_batch_size=128 nodes=8"},
    {"mixtral", MIXTRAL_8X7B "tp=2 sp=true pp=2 ep=4 etp=1 zero_stage=1 global_batch_size=256 nodes=4"},
    {"deepseek", DEEPSEEK_V3 "pp=1 ep=8 global_batch_size=256 nodes=4"},
};

static void steps_stay_inside_and_break_no_rule(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(starts); i++) {
        struct plan plan;
        check_plan(&plan, starts[i].settings);
        assert_that(errors_of(&plan) == 0, "%s", starts[i].name);
        for (int id = 0; id < PARAM_COUNT; id++) {
            walk(starts[i].name, plan, (enum param)id, 1);
            walk(starts[i].name, plan, (enum param)id, -1);
        }
    }
}

static void stepping_is_the_next_value_that_works(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *key;
        int direction;
        double value; /* NAN: no such value */
    } cases[] = {
        {LLAMA3_70B "nodes=8 tp=1", "tp", 1, 2},
        {LLAMA3_70B "nodes=8 tp=2", "tp", 1, 4},
        {LLAMA3_70B "nodes=8 tp=8", "tp", -1, 4},
        {LLAMA3_70B "nodes=8 tp=1", "tp", -1, NAN},
        {LLAMA3_70B "nodes=8 pp=1", "pp", 1, 2},
        {LLAMA3_70B "nodes=8 pp=2", "pp", 1, 4},
        {LLAMA3_70B "nodes=8 pp=8", "pp", 1, 16},
        {LLAMA3_70B "nodes=8 micro_batch_size=2 global_batch_size=128", "global_batch_size", 1, 256},
        {LLAMA3_70B "nodes=8 micro_batch_size=2 global_batch_size=128", "global_batch_size", -1, NAN},
        {LLAMA3_70B "nodes=8 global_batch_size=64", "hidden_size", 1, 8704},
        {LLAMA3_70B "nodes=8 global_batch_size=64", "hidden_size", -1, 7936},
        {LLAMA3_70B "nodes=8 global_batch_size=64", "seq_length", 1, 16384},
        {LLAMA3_70B "nodes=8 global_batch_size=64 hidden_dropout=0.1", "hidden_dropout", 1, 0.15},
        {LLAMA3_70B "nodes=8 global_batch_size=64 sp=false", "sp", 1, 1},
        {LLAMA3_70B "nodes=8 global_batch_size=64 dtype=bf16", "dtype", -1, DTYPE_FP16},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct plan plan;
        check_plan(&plan, cases[i].settings);
        int id = param_find(cases[i].key);
        int result = param_step(&plan, (enum param)id, cases[i].direction);
        assert_that(isnan(cases[i].value) ? result == -1 : result == 0 && plan.value[id] == cases[i].value,
                    "%s: case %zu gives %d, %g", cases[i].key, i, result, plan.value[id]);
    }
}

static void valid_values_break_no_rule_and_none_is_missing(void **state)
{
    (void)state;
    struct plan plan;
    double values[64];
    check_plan(&plan, LLAMA3_70B "nodes=8");
    int n = param_valid(&plan, PARAM_parallel_tp, values, 64);
    static const double tp[] = {1, 2, 4, 8, 16, 32, 64};
    assert_int_equal(n, COUNT(tp));
    for (int i = 0; i < n; i++)
        assert_same(values[i], tp[i]);
    n = param_valid(&plan, PARAM_parallel_pp, values, 64);
    static const double pp[] = {1, 2, 4, 8, 16};
    assert_int_equal(n, COUNT(pp));
    for (int i = 0; i < n; i++)
        assert_same(values[i], pp[i]);
    assert_int_equal(param_valid(&plan, PARAM_parallel_tp, values, 3), 3);
    assert_int_equal(param_valid(&plan, PARAM_model_name, values, 64), 0);
}

/* 0 of dp is what the GPUs have left; of a group of micro-batches, and of any other key, a value is what it says. */
static void a_value_that_stands_for_another_follows(void **state)
{
    (void)state;
    struct plan plan;
    check_plan(&plan, LLAMA3_70B "nodes=8");
    assert_true(param_follows(&plan, PARAM_parallel_dp, 0));
    assert_false(param_follows(&plan, PARAM_parallel_dp, 2));
    assert_false(param_follows(&plan, PARAM_parallel_microbatch_group, 0));
    assert_false(param_follows(&plan, PARAM_parallel_tp, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_complete),
        cmocka_unit_test(names_agree_with_units),
        cmocka_unit_test(names_are_unique_and_found),
        cmocka_unit_test(nearest_names_are_offered),
        cmocka_unit_test(other_names_lead_to_one_key),
        cmocka_unit_test(every_default_is_a_valid_value),
        cmocka_unit_test(choices_reach_from_min_to_max),
        cmocka_unit_test(what_is_printed_reads_back),
        cmocka_unit_test(limits_are_accepted_and_one_beyond_refused),
        cmocka_unit_test(refusals_say_what_works),
        cmocka_unit_test(values_are_read_in_the_units_of_their_key),
        cmocka_unit_test(expressions_may_name_other_keys),
        cmocka_unit_test(relative_changes_need_a_value),
        cmocka_unit_test(parts_are_frozen),
        cmocka_unit_test(last_layers_are_those_of_the_model),
        cmocka_unit_test(empty_or_auto_makes_a_key_blank),
        cmocka_unit_test(layouts_read_back),
        cmocka_unit_test(printing_never_runs_over_the_buffer),
        cmocka_unit_test(steps_stay_inside_and_break_no_rule),
        cmocka_unit_test(stepping_is_the_next_value_that_works),
        cmocka_unit_test(valid_values_break_no_rule_and_none_is_missing),
        cmocka_unit_test(a_value_that_stands_for_another_follows),
    };
    return cmocka_run_group_tests_name("param", tests, NULL, NULL) != 0;
}
