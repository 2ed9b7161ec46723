/*
 * core/estimate/varies.h marks what the texts of rows say: which of them follow from the keys in which layouts of a
 * shape differ.
 */
#include "tests/check.h"

#include "core/estimate/comm.h"
#include "core/estimate/depend.h"
#include "core/estimate/pipeline.h"
#include "core/estimate/timing.h"
#include "core/estimate/varies.h"
#include "core/plan/split.h"

#include <ctype.h>
#include <string.h>

enum sheet { SHEET_KEY, SHEET_SYMBOL, SHEET_RULE, SHEET_STAGE };

/* A row of a sheet, or what a blank key becomes: its name, its formula, its marks. */
struct row {
    enum sheet sheet;
    const char *name, *text;
    unsigned marks;
};

#define ROW_(sheet, name, text) {SHEET_##sheet, #name, text, VARIES(name)},
static const struct row rows[] = {
#define LATE(group, key, value) {SHEET_KEY, #group "." #key, #value, 0},
#include "core/plan/framework.def"
    {SHEET_KEY, "train.quant_storage", "KEY(parallel, fsdp)", 0}, /* core/plan/resolve.c */
#define SYM(name, key, unit, meaning, expression) ROW_(SYMBOL, name, #expression)
#define BEHAVIOUR(name, unit, cell, sentence, source) ROW_(SYMBOL, name, #cell)
#define IS(name, cell, source) ROW_(SYMBOL, name, #cell)
#define MODULE(name, module, meaning) ROW_(SYMBOL, name, "selective selective_policy KEY(train, recompute_modules)")
#include "core/estimate/symbols.def"
#undef SYM
#define RULE(id, kind, group, key, holds, message) ROW_(RULE, id, #holds)
#include "core/plan/rule.def"
#undef RULE
#define GIVEN(name, ...) ROW_(STAGE, name, "")
#define FOLD(name, unit, meaning, set, column) ROW_(STAGE, name, "column_" #column)
#define TERM(name, unit, label, expression, source) ROW_(STAGE, name, #expression)
#include "core/estimate/stage.def"
#undef GIVEN
#undef FOLD
#undef TERM
};

static bool varies[COUNT(rows)];

static size_t length_of_word(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length;
}

/* The word at `text`, a plan key as group.key; returns the length read. */
static size_t read_word(const char *text, char word[64])
{
    char group[24], key[40];
    int length = 0;
    if (sscanf(text, "KEY(%23[a-z_], %39[a-z0-9_])%n", group, key, &length) == 2 && length > 0) {
        snprintf(word, 64, "%s.%s", group, key);
        return (size_t)length;
    }
    length = (int)length_of_word(text);
    snprintf(word, 64, "%.*s", length, text);
    return (size_t)length;
}

/* Whether a row of this name is marked, or it is one of the words that all begins with. */
static bool is_varying(const char *word, const char *const roots[])
{
    for (int i = 0; roots[i]; i++)
        if (strcmp(roots[i], word) == 0)
            return true;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (varies[i] && strcmp(rows[i].name, word) == 0)
            return true;
    return false;
}

static bool reads_varying(const char *text, const char *const roots[])
{
    char word[64];
    for (size_t length; *text; text += length ? length : 1)
        if ((length = read_word(text, word)) > 0 && is_varying(word, roots))
            return true;
    return false;
}

/* Marks every row that follows from the roots. */
static void mark(const char *const roots[])
{
    memset(varies, 0, sizeof varies);
    for (bool is_more = true; is_more;) {
        is_more = false;
        for (size_t i = 0; i < COUNT(rows); i++)
            if (!varies[i] && reads_varying(rows[i].text, roots))
                is_more = varies[i] = true;
    }
}

/* ---- the marks -------------------------------------------------------------------------------------------------- */

static const char *const sharding[] = {"parallel.zero_stage", "parallel.fsdp", NULL};
static const struct {
    const char *name;
    const char *const *roots;
} kinds[] = {
    {"SHARDED", sharding},
    {"RECOMPUTED", (const char *const[]){"train.recompute", "train.recompute_num_layers", "column_freed", NULL}},
    {"ALIVE", (const char *const[]){"chunks_in_flight", "dense_in_flight", "moe_in_flight", "embed_in_flight",
                                    "peak_pass", "chunks_waiting", "dense_waiting", "moe_waiting", NULL}},
    {NULL, NULL}, /* everything */
    {"PIPELINED", (const char *const[]){"parallel.pp", "parallel.vpp", "parallel.schedule", "parallel.dp",
                                        "train.gradient_accumulation_steps", "parallel.embedding_counts_as_layer",
                                        "parallel.loss_counts_as_layer", "parallel.first_stage_layers",
                                        "parallel.last_stage_layers", "chunk_layers", "splits", "played", NULL}},
    {"DIVIDED", (const char *const[]){"parallel.tp", "parallel.pp", "parallel.vpp", "parallel.cp", "parallel.ep",
                                      "parallel.etp", "parallel.dp", "parallel.sp", "parallel.zero_stage",
                                      "model.make_vocab_size_divisible_by", NULL}},
};

static void marks_are_what_rows_read(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t kind = 0; kind < COUNT(kinds); kind++) {
        if (!kinds[kind].name)
            continue;
        mark(kinds[kind].roots);
        for (size_t i = 0; i < COUNT(rows); i++) {
            bool is_marked = rows[i].marks & 1u << kind;
            if (rows[i].sheet == SHEET_KEY || (1u << kind == VARIES_PIPELINED && rows[i].sheet == SHEET_STAGE) ||
                (1u << kind == VARIES_DIVIDED && rows[i].sheet != SHEET_SYMBOL) ||
                is_marked == is_varying(rows[i].name, (const char *const[]){NULL}))
                continue;
            print_error("core/estimate/varies.h: %s '#define %s_%s ~, 1'\n", is_marked ? "take away" : "add",
                        kinds[kind].name, rows[i].name);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* The rows of stage_floor(): those that it adds up, and what they read of the stage. */
static void the_floor_has_what_it_reads(void **state)
{
    (void)state;
    static const char *const summands[] = {"weights_bytes", "gradients_all_bytes", "optimizer_bytes", "in_flight_bytes",
                                           NULL};
    static const bool is_marked[] = {
#define GIVEN(...) false,
#define FOLD(...) false,
#define TERM(name, ...) IS_OF_FLOOR(name),
#include "core/estimate/stage.def"
#undef GIVEN
#undef FOLD
#undef TERM
    };
    int wrong = 0;
    memset(varies, 0, sizeof varies);
    for (size_t i = stage_term_count; i-- > 0;) { /* a row reads those above it */
        const char *const self[] = {stage_terms[i].name, NULL};
        bool is_read = is_varying(stage_terms[i].name, summands);
        for (size_t j = i + 1; j < stage_term_count && !is_read; j++)
            is_read = is_marked[j] && reads_varying(stage_terms[j].text, self);
        if (is_read == is_marked[i] || stage_terms[i].basis != BASIS_FORMULA)
            continue;
        print_error("core/estimate/varies.h: %s '#define FLOOR_%s ~, 1'\n", is_read ? "add" : "take away",
                    stage_terms[i].name);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

/* plan_resolve_states() takes every key that follows from sharding. */
static void keys_of_sharding_are_listed(void **state)
{
    (void)state;
#define KEY_(group, key) #group "." #key,
    static const char *const listed[] = {SHARDED_KEYS(KEY_) NULL};
#undef KEY_
    mark(sharding);
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_that(rows[i].sheet != SHEET_KEY || !varies[i] || is_varying(rows[i].name, listed),
                    "core/estimate/varies.h: add %s to SHARDED_KEYS", rows[i].name);
}

/*
 * Traffic of micro-batches reads nothing of a stage that follows from sharding or from what is alive; passes, one row.
 */
static void passes_read_little_of_it(void **state)
{
    (void)state;
    static const char *const none[] = {NULL};
    mark(sharding);
    for (size_t i = 0; i < COUNT(rows); i++) /* symbols are depend_states()'s */
        varies[i] = rows[i].sheet == SHEET_STAGE && rows[i].marks & (VARIES_SHARDED | VARIES_ALIVE);
    for (int i = 0; i < COMM_COUNT; i++)
        for (size_t j = 0; j < COUNT(comm_rows[i].text) && comm_is_of_passes(comm_rows[i].dim); j++)
            assert_that(!reads_varying(comm_rows[i].text[j], none), "%s: %s", comm_rows[i].id, comm_rows[i].text[j]);
    for (size_t i = 0; i < pass_term_count; i++)
        assert_true(!reads_varying(pass_terms[i].text, none) || strstr(pass_terms[i].text, "fetched_bytes"));
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
        cmocka_unit_test(marks_are_what_rows_read),
        cmocka_unit_test(the_floor_has_what_it_reads),
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
