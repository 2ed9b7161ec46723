/* The symbols of formulas: definitions, derived sizes, and that the text of a formula is what was computed. */
#include "tests/check.h"

#include "core/estimate/constants.h"

#include "core/plan/framework.h"

#include <ctype.h>

static struct symbols symbols_for(const char *settings)
{
    struct plan plan, resolved;
    struct symbols symbols;
    check_plan(&plan, settings);
    plan_resolve(&plan, &resolved);
    symbols_of(&resolved, &symbols);
    return symbols;
}

static void names_are_unique_and_documented(void **state)
{
    (void)state;
    for (size_t i = 0; i < symbol_term_count; i++) {
        const struct term *term = &symbol_terms[i];
        bool is_behaviour = framework_cell(FRAMEWORK_MEGATRON_CORE, term->name).text != NULL;
        assert_that(term->label[0] && (term->text[0] || is_behaviour), "%s", term->name);
        assert_ptr_equal(term_find(symbol_terms, symbol_term_count, term->name, strlen(term->name)), term);
        if (term->key)
            assert_that(param_find(term->key) >= 0, "%s names the key %s", term->name, term->key);
    }
    assert_null(term_find(symbol_terms, symbol_term_count, "nothing", 7));
}

static void a_symbol_of_a_key_is_its_value(void **state)
{
    (void)state;
    struct plan plan, resolved;
    struct symbols symbols;
    check_plan(&plan, DEEPSEEK_V3 "tp=4 sp=true pp=1 ep=8 cp=2 global_batch_size=64 nodes=16 sliding_window=2048");
    plan_resolve(&plan, &resolved);
    symbols_of(&resolved, &symbols);
    for (size_t i = 0; i < symbol_term_count; i++) {
        const struct term *term = &symbol_terms[i];
        if (!term->key)
            continue;
        double value = resolved.value[param_find(term->key)];
        assert_that(term_value(term, &symbols) == value || isnan(value), "%s is %g, %s is %g", term->name,
                    term_value(term, &symbols), term->key, value);
    }
}

static void derived_sizes_follow_their_definitions(void **state)
{
    (void)state;
    struct symbols y = symbols_for(GPT_6B "tp=2 pp=2 zero_stage=1 micro_batch_size=4 global_batch_size=512 nodes=2");
    assert_same(y.world, 16);
    assert_same(y.d, 4);
    assert_same(y.D, 4);
    assert_same(y.m, 32);
    assert_same(y.k, 128);
    assert_same(y.g, 32);
    assert_same(y.v, 50432); /* 50257 padded to a multiple of 2 x 128 */
    assert_same(y.Tk, 8192);
    assert_same(y.T1, 8192);
    assert_same(y.Z, 8192.0 * 50432 / 2);
    assert_same(y.B, 2);
    assert_same(y.G, 4);
    assert_same(y.O, 12);
    assert_same(y.loss_bytes_per_logit, 10);
    assert_same(y.tS, 1);
}

static void padding_is_to_multiple_times_tp(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        double padded;
    } cases[] = {
        {"vocab_size=50257 tp=1", 50304},
        {"vocab_size=50257 tp=8", 51200},
        {"vocab_size=32000 tp=1", 32000},
        {"vocab_size=32000 tp=8", 32768},
        {"vocab_size=50257 tp=2 make_vocab_size_divisible_by=1", 50258},
        {"vocab_size=128256 tp=4 make_vocab_size_divisible_by=64", 128256},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_same(symbols_for(cases[i].settings).v, cases[i].padded);
}

static void the_distributed_optimizer_shards_over_dp_and_cp(void **state)
{
    (void)state;
    assert_same(symbols_for(LLAMA3_8B "tp=2 cp=2 nodes=2 zero_stage=1").D, 8);
    assert_same(symbols_for(LLAMA3_8B "tp=2 cp=2 nodes=2 zero_stage=0").D, 1);
    struct symbols y = symbols_for(MIXTRAL_8X7B "tp=2 sp=true ep=4 etp=1 nodes=4 zero_stage=1");
    assert_same(y.ed, 8);
    assert_same(y.De, 8);
    assert_same(y.D, 16);
}

static void bytes_of_states_by_type(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        double weight, gradient, optimizer; /* bytes an element */
    } cases[] = {
        {"dtype=bf16", 2, 4, 12},
        {"dtype=fp32", 4, 4, 8},
        {"dtype=bf16 grad_dtype=bf16 framework.name=megatron-2023", 2, 2, 16},
        {"dtype=fp16 framework.name=megatron-2023", 2, 2, 16},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct symbols y = symbols_for(cases[i].settings);
        assert_same(y.B, cases[i].weight);
        assert_same(y.G, cases[i].gradient);
        assert_same(y.O, cases[i].optimizer);
    }
}

static void bytes_of_a_logit_follow_the_loss(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        double bytes;
    } cases[] = {
        {"framework.name=megatron-2023", 10},
        {"framework.name=megatron-2023 dtype=fp32", 8},
        {"cross_entropy=unfused", 6},
        {"cross_entropy=unfused dtype=fp32", 4},
        {"cross_entropy=native_fused", 10},
        {"cross_entropy=te_fused te_version=2.11", 2},
        {"cross_entropy=te_fused te_version=2.9", 2},
        {"cross_entropy=te_fused te_version=2.18", 6},
        {"cross_entropy=te_fused te_version=2.20", 6},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_same(symbols_for(cases[i].settings).loss_bytes_per_logit, cases[i].bytes);
}

static void the_model_on_one_rank_keeps_shape_and_batch(void **state)
{
    (void)state;
    struct plan plan, resolved;
    struct symbols y, one;
    check_plan(&plan,
               LLAMA3_70B "tp=8 sp=true pp=4 cp=2 nodes=16 zero_stage=1 micro_batch_size=2 global_batch_size=64");
    plan_resolve(&plan, &resolved);
    symbols_of(&resolved, &y);
    symbols_unparallel(&resolved, &y, &one);
    assert_same(one.t * one.p * one.c * one.d * one.ep * one.et, 1);
    assert_same(one.world, 1);
    assert_same(one.b, y.b);
    assert_same(one.s, y.s);
    assert_same(one.v, y.v);
    assert_same(one.D, 1);
}

/* Causal attention reaches half the sequence; a window reaches at most its width. */
static void keys_a_query_reaches(void **state)
{
    (void)state;
    assert_same(symbols_for("seq_length=8192").reach, 4096);
    assert_same(symbols_for("seq_length=8192 sliding_window=1024").reach, 1024 - 1024 * 1024 / (2 * 8192.0));
    assert_same(symbols_for("num_layers=32 seq_length=8192 sliding_window=1024 sliding_window_every=4").reach,
                0.25 * 4096 + 0.75 * (1024 - 1024 * 1024 / (2 * 8192.0)));
    assert_same(symbols_for("seq_length=1024 sliding_window=4096").reach, 512);
}

/* Words of a formula are symbols above it, KEY() values or C's own. */
static void formulas_use_known_words_only(void **state)
{
    (void)state;
    static const char *const other[] = {"KEY", "NAN",  "ceil", "floor", "max",
                                        "min", "plan", "gpu",  "isnan", "isfinite"};
    for (size_t i = 0; i < symbol_term_count; i++)
        for (const char *p = strncmp(symbol_terms[i].text, "the ", 4) == 0 ? "" : symbol_terms[i].text; *p;) {
            size_t n = 0;
            while (isalnum((unsigned char)p[n]) || p[n] == '_')
                n++;
            if (n == 0 || isdigit((unsigned char)*p)) {
                p += n ? n : 1;
                continue;
            }
            const struct term *found =
                term_find(symbol_terms, i, p, n) ? &symbol_terms[i] : term_find(constant_terms, constant_count, p, n);
            bool is_known =
                found || isupper((unsigned char)p[1]) ||
                (p > symbol_terms[i].text && (p[-1] == '(' || p[-1] == ' ' || p[-1] == '>' || p[-1] == '.'));
            for (size_t j = 0; j < COUNT(other); j++)
                is_known |= strlen(other[j]) == n && memcmp(other[j], p, n) == 0;
            assert_that(is_known, "%s uses %.*s", symbol_terms[i].name, (int)n, p);
            p += n;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_unique_and_documented),
        cmocka_unit_test(a_symbol_of_a_key_is_its_value),
        cmocka_unit_test(derived_sizes_follow_their_definitions),
        cmocka_unit_test(padding_is_to_multiple_times_tp),
        cmocka_unit_test(the_distributed_optimizer_shards_over_dp_and_cp),
        cmocka_unit_test(bytes_of_states_by_type),
        cmocka_unit_test(bytes_of_a_logit_follow_the_loss),
        cmocka_unit_test(the_model_on_one_rank_keeps_shape_and_batch),
        cmocka_unit_test(keys_a_query_reaches),
        cmocka_unit_test(formulas_use_known_words_only),
    };
    return cmocka_run_group_tests_name("symbols", tests, NULL, NULL) != 0;
}
