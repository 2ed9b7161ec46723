/* core/estimate/varies.h: what is worked out in part, by the marks of core/mark.c, is as it is in full. */
#include "tests/check.h"

#include "core/estimate/comm.h"
#include "core/estimate/depend.h"
#include "core/estimate/pipeline.h"
#include "core/estimate/timing.h"
#include "core/estimate/varies.h"
#include "core/plan/framework.h"
#include "core/plan/split.h"

#include <string.h>

int print_marks(void);
#define main print_marks
#include "core/mark.c"
#undef main

/* Whether a row of this name follows from what a mark begins with. */
static void follow_mark(const char *name, bool is_marked[ROW_COUNT])
{
    for (size_t i = 0; i < COUNT(marks); i++)
        if (strcmp(marks[i].name, name) == 0)
            follow(marks[i].roots, is_marked);
}

static const char *const none[] = {NULL};

/* Marks of rows that read a key themselves, that read one that does, and that read none; a name that two rows have. */
static void marks_follow_what_rows_read(void **state)
{
    (void)state;
    assert_true(VARIES(zs) & VARIES_SHARDED);        /* reads parallel.zero_stage */
    assert_true(VARIES(Gr) & VARIES_DIVIDED);        /* reads a symbol that reads parallel.dp */
    assert_false(VARIES(h) & (VARIES_SHARDED | VARIES_PIPELINED | VARIES_DIVIDED));
    assert_true(VARIES(optimizer_bytes) & VARIES_SHARDED && IS_OF_FLOOR(optimizer_bytes));
    assert_false(IS_OF_FLOOR(device_bytes));
    assert_false(VARIES(device_bytes) & VARIES_DIVIDED); /* told of symbols alone */
}

/* plan_resolve_states() takes every key that follows from sharding. */
static void keys_of_sharding_are_listed(void **state)
{
    (void)state;
#define KEY_(group, key) #group "." #key,
    static const char *const listed[] = {SHARDED_KEYS(KEY_) NULL};
#undef KEY_
    bool is_sharded[ROW_COUNT] = {false};
    follow_mark("SHARDED", is_sharded);
    for (int i = 0; i < ROW_COUNT; i++)
        assert_that(rows[i].sheet != SHEET_KEY || !is_sharded[i] || is_listed(rows[i].name, listed),
                    "core/estimate/varies.h: add %s to SHARDED_KEYS", rows[i].name);
}

/*
 * Traffic of micro-batches reads nothing of a stage that follows from sharding or from what is alive; passes, one row.
 */
static void passes_read_little_of_it(void **state)
{
    (void)state;
    bool is_changed[ROW_COUNT] = {false};
    follow_mark("SHARDED", is_changed);
    follow_mark("ALIVE", is_changed);
    for (int i = 0; i < ROW_COUNT; i++) /* symbols are depend_states()'s */
        is_changed[i] = is_changed[i] && rows[i].sheet >= SHEET_GIVEN;
    for (int i = 0; i < COMM_COUNT; i++)
        for (size_t j = 0; j < COUNT(comm_rows[i].text) && comm_is_of_passes(comm_rows[i].dim); j++)
            assert_that(!reads(comm_rows[i].text[j], none, is_changed), "%s: %s",
                        comm_rows[i].id, comm_rows[i].text[j]);
    for (size_t i = 0; i < pass_term_count; i++)
        assert_true(!reads(pass_terms[i].text, none, is_changed) || strstr(pass_terms[i].text, "fetched_bytes"));
}

/* Traffic of micro-batches stays known while four rows of the pass do: what is exposed of it reads no other. */
static void traffic_hides_behind_four_rows(void **state)
{
    (void)state;
    char word[64];
    for (int dim = 0; dim < COMM_DIM_COUNT; dim++) {
        const char *text = comm_is_of_passes((enum comm_dim)dim) ? exposed_text[dim] : "";
        for (size_t length; *text; text += length ? length : 1)
            if ((length = read_word(text, word)) > 0 && term_find(pass_terms, pass_term_count, word, strlen(word)))
                assert_that(strstr("forward_s recompute_s backward_s column_w", word),
                            "core/estimate/quick.c: compare %s too", word);
    }
}

/* One of the plans that a search goes through most: ZeRO stages share the costs of layers and what they send. */
static void zero_stages_leave_layers_alone(void **state)
{
    (void)state;
    static struct estimate estimate;
    struct plan plan;
    struct depend depend;
    double key[DEPEND_MAX];
    plan_clear(&plan);
    check_set(&plan, "framework.name=megatron-core nodes=2 num_layers=8 hidden_size=1024 num_attention_heads=16 "
                     "vocab_size=32000 seq_length=2048 global_batch_size=64 tp=2");
    depend_states(&depend);
    for (int stage = 0; stage < 2; stage++) {
        plan.value[PARAM_parallel_zero_stage] = stage;
        estimate_plan(&plan, &estimate);
        if (stage == 0)
            depend_take(&depend, &estimate.symbols, key);
    }
    assert_true(estimate.symbols.zs == 1);
    assert_true(depend_equal(&depend, &estimate.symbols, key));
}

/* What the degrees do not divide is as in the plan. */
static void one_rank_is_worked_out_in_part(void **state)
{
    (void)state;
    struct check_random random = {54};
    for (int i = 0; i < 2000; i++) {
        struct plan plan, resolved, one;
        struct symbols all, part, symbols;
        check_random_plan(&random, &plan);
        plan.value[PARAM_framework_name] = check_below(&random, FRAMEWORK_COUNT);
        plan_resolve(&plan, &resolved);
        symbols_of(&resolved, &symbols);
        symbols_unparallel(&resolved, &symbols, &part);
        symbols_unparallel_plan(&resolved, &one);
        symbols_of(&one, &all);
        assert_memory_equal(&all, &part, sizeof all);
    }
}

/* ---- what comes out --------------------------------------------------------------------------------------------- */

static void set_states(struct plan *plan, struct check_random *random, bool recompute)
{
    bool is_fsdp = check_below(random, 2);
    plan->value[PARAM_parallel_fsdp] = is_fsdp ? 1 + check_below(random, 2) : FSDP_NONE;
    plan->value[PARAM_parallel_zero_stage] = is_fsdp ? 0 : check_below(random, 4);
    if (recompute)
        plan->value[PARAM_train_recompute] = check_below(random, 3);
    if (recompute)
        plan->value[PARAM_train_recompute_num_layers] = 1 + check_below(random, 3);
}

static bool splits(const struct plan *resolved)
{
    struct split split;
    return split_layers(resolved, &split) == SPLIT_EXACT;
}

static void set_pipeline(struct plan *plan, struct check_random *random)
{
    bool counts = check_below(random, 2);
    plan->value[PARAM_parallel_pp] = 1 << check_below(random, 4);
    plan->value[PARAM_parallel_vpp] = 1 + check_below(random, 3);
    plan->value[PARAM_parallel_schedule] = check_below(random, SCHEDULE_DUALPIPE + 1);
    plan->value[PARAM_parallel_embedding_counts_as_layer] = plan->value[PARAM_parallel_loss_counts_as_layer] = counts;
    plan->value[PARAM_parallel_last_stage_layers] = check_below(random, 3);
}

/* What follows from a sharding is the same beside another recomputation; what follows from both is worked out again. */
static void symbols_keep_sharding(const struct plan *prepared, const struct symbols *all, struct check_random *random)
{
    struct plan other = *prepared, resolved = *prepared;
    struct symbols kept, out;
    other.value[PARAM_train_recompute] = check_below(random, 3);
    plan_resolve_layout(&other);
    symbols_of(&other, &kept);
    set_states(&other, random, true);
    symbols_of(&other, &out);
    plan_resolve_layout(&resolved);
    symbols_take_sharded(&kept, &out);
    symbols_again(&resolved, VARIES_RECOMPUTED, &out);
    assert_memory_equal(all, &out, sizeof out);
}

/*
 * Symbols and stages worked out in part are those worked out in full, to the bit, and so is the verdict of the rules.
 */
static void a_part_is_as_good_as_all(void **state)
{
    (void)state;
    struct check_random random = {53};
    for (int i = 0; i < 2000; i++) {
        struct plan plan, prepared, resolved, again;
        struct symbols all, part;
        bool recompute = i % 2, pipeline = i % 3 == 0;
        check_random_plan(&random, &plan);
        plan.value[PARAM_framework_name] = check_below(&random, FRAMEWORK_COUNT);
        plan_resolve_shared(&plan, &prepared);
        resolved = again = prepared;
        plan_resolve_layout(&again);
        symbols_of(&again, &part);
        bool rest_is_possible = rule_allows_rest(&again, &part),
             is_possible = rule_allows_pipeline(&again, &part, splits(&again));
        set_states(&prepared, &random, recompute);
        if (pipeline)
            set_pipeline(&prepared, &random);
        resolved = prepared;
        plan_resolve_layout(&resolved);
        if (pipeline) {
            again = resolved;
            symbols_again(&again, VARIES_PIPELINED, &part);
            is_possible = rule_allows_pipeline(&again, &part, splits(&again));
        } else {
            plan_resolve_states(&prepared, &again);
            assert_true(plan_equal(&resolved, &again));
            symbols_again(&again, recompute ? VARIES_RECOMPUTED | VARIES_SHARDED : VARIES_SHARDED, &part);
        }
        bool is_allowed = check_allows(&resolved, &all);
        assert_memory_equal(&all, &part, sizeof all);
        symbols_keep_sharding(&prepared, &all, &random);
        assert_int_equal(is_allowed, rest_is_possible && is_possible && rule_allows_sharding(&again, &part) &&
                                         rule_allows_recompute(&again, &part));
    }
}

/* What may change between layouts of one shape, at random: the plan's keys, and what its stage is given. */
static void change_stage(struct plan *plan, unsigned changed, struct check_random *random, struct stage *stage)
{
    set_states(plan, random, changed & VARIES_RECOMPUTED);
    if (changed & VARIES_RECOMPUTED)
        stage->attn_freed = stage->attn_saved * check_below(random, 2);
    if (changed & VARIES_ALIVE)
        stage->dense_in_flight = stage->dense_in_flight / 2 + 1;
}

/* Worked out in part, in one step or in two of which the second comes later, a stage is as it is in full. */
static void stages_in_part_are_as_in_full(void **state)
{
    (void)state;
    static const unsigned all_changes[] = {VARIES_SHARDED, VARIES_SHARDED | VARIES_ALIVE,
                                           VARIES_SHARDED | VARIES_RECOMPUTED | VARIES_ALIVE, VARIES_ALL};
    static struct estimate estimate;
    struct check_random random = {54};
    for (int i = 0; i < 2000; i++) {
        struct plan plan;
        struct symbols symbols;
        unsigned behind = 0;
        check_random_plan(&random, &plan);
        estimate_plan(&plan, &estimate);
        struct stage part = estimate.stage[0], all;
        for (int times = check_below(&random, 3); times >= 0; times--) {
            unsigned changed = all_changes[check_below(&random, COUNT(all_changes))];
            change_stage(&estimate.plan, changed, &random, &part);
            symbols_of(&estimate.plan, &symbols);
            double floor_bytes = stage_floor(&symbols, changed, &part);
            behind |= changed;
            all = part;
            stage_evaluate(&symbols, &all);
            assert_true(!(floor_bytes > all.device_bytes * (1 + 1e-12)));
        }
        stage_finish(&symbols, behind, &part);
        assert_memory_equal(&all, &part, sizeof all);
        all.embed_in_flight = part.embed_in_flight = 3;
        stage_evaluate(&symbols, &all);
        stage_alive(&symbols, &part);
        assert_memory_equal(&all, &part, sizeof all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_follow_what_rows_read),
        cmocka_unit_test(keys_of_sharding_are_listed),
        cmocka_unit_test(passes_read_little_of_it),
        cmocka_unit_test(traffic_hides_behind_four_rows),
        cmocka_unit_test(zero_stages_leave_layers_alone),
        cmocka_unit_test(a_part_is_as_good_as_all),
        cmocka_unit_test(one_rank_is_worked_out_in_part),
        cmocka_unit_test(stages_in_part_are_as_in_full),
    };
    return cmocka_run_group_tests_name("varies", tests, NULL, NULL) != 0;
}
