/*
 * Recomputation: over random plans, what operators free and repeat (core/estimate/op.def) is what memory, time and
 * operations show, and more recomputation never keeps more nor takes less time.
 */
#include "core/estimate/estimate.h"

#include "tests/check.h"

#include <string.h>

static struct estimate estimate, more;

/* A random plan without recomputation of its own. */
static void random_plan(struct check_random *random, struct plan *plan)
{
    check_random_plan(random, plan);
    check_set(plan, "recompute=none recompute_num_layers=1 recompute_method=uniform mlp_recompute_gelu=false");
}

static void estimate_with(const struct plan *plan, const char *settings, struct estimate *out)
{
    struct plan set = *plan;
    check_set(&set, settings);
    estimate_plan(&set, out);
}

static const char *const kinds[] = {
    "recompute=none",
    "recompute=selective recompute_modules=[core_attn]",
    "recompute=selective recompute_modules=[layernorm,moe_act]",
    "recompute=selective recompute_modules=[mla_up_proj,mlp,shared_experts]",
    "recompute=selective recompute_modules=[mlp,moe,layernorm]",
    "recompute=full",
    "recompute=full recompute_method=block recompute_num_layers=1",
};

/* Every operator frees a part of what it saves and repeats a part of what it does; the ends of the model neither. */
static void operators_free_and_repeat_parts(void **state)
{
    (void)state;
    struct check_random random = {7};
    for (int i = 0; i < 200; i++) {
        struct plan plan;
        random_plan(&random, &plan);
        for (size_t k = 0; k < COUNT(kinds); k++) {
            estimate_with(&plan, kinds[k], &estimate);
            for (int op = 0; estimate.stages > 0 && op < OP_COUNT; op++) {
                const struct op row = check_op(&estimate, (enum op_id)op);
                if (row.when == 0)
                    continue;
                assert_between(row.freed, 0, row.saved);
                assert_between(row.repeats, 0, 1);
                if (op_rows[op].kind == OP_EMBEDDING || op_rows[op].kind == OP_HEAD)
                    assert_true(row.freed == 0 && row.repeats == 0);
            }
        }
    }
}

/* Operations done over those needed is what is repeated over what is done once: three passes, and the share again. */
static void operations_show_the_repeated_share(void **state)
{
    (void)state;
    struct check_random random = {8};
    for (int i = 0; i < 200; i++) {
        struct plan plan;
        random_plan(&random, &plan);
        for (size_t k = 0; k < COUNT(kinds); k++) {
            estimate_with(&plan, kinds[k], &estimate);
            if (estimate.stages == 0 || !estimate.is_modelled)
                continue;
            double once = estimate.totals.matrix_flops + estimate.totals.attention_flops, repeated = 0;
            for (int stage = 0; stage < estimate.stages; stage++) {
                const struct stage *s = &estimate.stage[stage];
                const double layers[OP_KIND_COUNT] = {
                    [OP_ATTENTION] = s->dense_recomputed + s->moe_recomputed, [OP_MLP] = s->dense_recomputed,
                    [OP_MOE] = s->moe_recomputed, [OP_MTP] = estimate.symbols.block > 0 ? 0 : s->mtp_layers};
                for (int op = 0; op < OP_COUNT; op++) {
                    struct op full;
                    estimate_full_op(&estimate, (enum op_id)op, &full);
                    bool is_core = op == OP_ID_CORE || op == OP_ID_MLA_CORE;
                    double flops = is_core ? estimate.totals.attention_flops / (estimate.symbols.L + estimate.symbols.J)
                                           : full.gemm_flops;
                    if (full.when != 0)
                        repeated += layers[op_rows[op].kind] * check_op(&estimate, (enum op_id)op).repeats * flops;
                }
            }
            assert_near(estimate.step.hfu / estimate.step.mfu, (3 * once + repeated) / (3 * once), 1e-12);
            assert_between(estimate.step.hardware_factor, 1, 4 / 3.0);
            assert_between(estimate.step.hardware_factor_causal, 1, 4 / 3.0);
        }
    }
}

/*
 * A layer keeps no more and the iteration takes no less when more is recomputed; but for a thousandth, since reductions
 * of experts and of all else each hide behind the whole backward pass, which is longer then.
 */
static void more_recomputation_keeps_less_and_takes_longer(void **state)
{
    (void)state;
    static const char *const chain[] = {
        "recompute=none",
        "recompute=selective recompute_modules=[layernorm]",
        "recompute=selective recompute_modules=[layernorm,moe_act]",
        "recompute=selective recompute_modules=[layernorm,moe_act,shared_experts]",
        "recompute=selective recompute_modules=[layernorm,moe_act,shared_experts,core_attn]",
        "recompute=selective recompute_modules=[layernorm,moe_act,shared_experts,core_attn,mla_up_proj]",
        "recompute=selective recompute_modules=[layernorm,moe_act,shared_experts,core_attn,mla_up_proj,mlp]",
        "recompute=selective recompute_modules=[layernorm,moe_act,shared_experts,core_attn,mla_up_proj,mlp,moe]",
    };
    struct check_random random = {9};
    for (int i = 0; i < 200; i++) {
        struct plan plan;
        random_plan(&random, &plan);
        estimate_with(&plan, chain[0], &estimate);
        for (size_t k = 1; k < COUNT(chain) && estimate.stages > 0 && estimate.is_modelled; k++) {
            estimate_with(&plan, chain[k], &more);
            assert_true(more.stage[0].dense_kept <= estimate.stage[0].dense_kept);
            assert_true(more.stage[0].moe_kept <= estimate.stage[0].moe_kept);
            assert_true(more.pass[0].recompute_s >= estimate.pass[0].recompute_s);
            assert_that(more.step.iteration_s >= estimate.step.iteration_s * (1 - 1e-3), "%s: %.9g s, %s: %.9g s: %s",
                        chain[k - 1], estimate.step.iteration_s, chain[k], more.step.iteration_s,
                        check_describe(&plan));
            assert_true(more.step.repeated_flops >= estimate.step.repeated_flops);
            estimate = more;
        }
    }
}

/* Llama 2 7B on 8 GPUs: feed-forward blocks free 9 GiB, those of 32 layers, and cost half a second of an iteration. */
static void feed_forward_blocks_of_llama(void **state)
{
    (void)state;
    check_estimate(&estimate, LLAMA2_7B "dp=8 global_batch_size=64");
    check_estimate(&more, LLAMA2_7B "dp=8 global_batch_size=64 recompute=selective recompute_modules=[mlp]");
    double freed_gib = (estimate.stage[0].in_flight_bytes - more.stage[0].in_flight_bytes) / (1 << 30);
    assert_near(freed_gib, 32 * (6 * 11008.0 + 2 * 4096) * 4096 / (1 << 30), 1e-12);
    assert_between(8 * more.pass[0].recompute_s, 0.40, 0.60);
    assert_near(more.step.iteration_s - estimate.step.iteration_s, 8 * more.pass[0].recompute_s, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_free_and_repeat_parts),
        cmocka_unit_test(operations_show_the_repeated_share),
        cmocka_unit_test(more_recomputation_keeps_less_and_takes_longer),
        cmocka_unit_test(feed_forward_blocks_of_llama),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
