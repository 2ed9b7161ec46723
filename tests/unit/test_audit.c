/* Whether an estimate can be true: over random plans, and that what cannot be true is found and marked. */
#include "core/estimate/audit.h"
#include "core/plan/rule.h"
#include "core/show/quantity.h"
#include "tests/check.h"

static struct estimate estimate;

enum { PLANS = 600 };

/* ---- random plans ----------------------------------------------------------------------------------------------- */

/* A random plan with one more setting where that breaks no rule. */
static void random_plan(struct check_random *random, struct plan *plan)
{
    static const char *const more[] = {
        "", "schedule=zb-h1 vpp=1", "schedule=zb-h2 vpp=1", "pp=2 vpp=2 schedule=zb-v", "pp=2 vpp=1 schedule=dualpipe",
        "dtype=fp8", "dtype=mxfp8", "offload_activations=0.5 host_memory_gib=4000",
        "offload_optimizer=1 host_memory_gib=4000", "mtp_num_layers=1", "moe_dispatcher=flex", "overlap_ep=true",
        "cuda_graph=full", "framework.name=fsdp2 fsdp=full pp=1 vpp=1 ep=1 zero_stage=0",
        "sliding_window=1024", "seq_length=65536 max_position_embeddings=65536", "fixed_overhead_ms=20"};
    struct plan tried, resolved;
    struct symbols symbols;
    check_random_plan(random, plan);
    tried = *plan;
    check_set(&tried, check_pick(random, more, COUNT(more)));
    plan_resolve(&tried, &resolved);
    if (check_allows(&resolved, &symbols))
        *plan = tried;
}

static void for_random_plans(uint64_t seed, void (*each)(const struct plan *plan))
{
    struct check_random random = {seed};
    for (int i = 0; i < PLANS; i++) {
        struct plan plan;
        random_plan(&random, &plan);
        estimate_plan(&plan, &estimate);
        each(&plan);
    }
}

static void no_doubt(const struct plan *plan)
{
    for (int i = 0; i < estimate.diags.count; i++)
        assert_that(!estimate.diags.item[i].doubts || !estimate.diags.item[i].doubts[0], "%s: %s: %s",
                    estimate.diags.item[i].rule, finding_text(&estimate.diags.item[i]).text, check_describe(plan));
}

static void no_estimate_breaks_an_audit(void **state)
{
    (void)state;
    for_random_plans(31, no_doubt);
}

/* The rows that reports mark as parts are the iteration, also with schedules whose stages work in pairs. */
static void parts_of_the_iteration(const struct plan *plan)
{
    double sum = estimate.symbols.overhead * 1e-3;
    for (int i = 0; i < time_quantities.count; i++)
        if (time_quantities.row[i].is_part)
            sum += quantity_value(&time_quantities.row[i], &estimate);
    assert_that(fabs(sum / estimate.step.iteration_s - 1) < 1e-9, "parts are %.17g, the iteration %.17g: %s", sum,
                estimate.step.iteration_s, check_describe(plan));
}

static void parts_are_the_iteration(void **state)
{
    (void)state;
    for_random_plans(32, parts_of_the_iteration);
}

/* ---- no faster than the hardware -------------------------------------------------------------------------------- */

static void rooflines(const struct plan *plan)
{
    const struct symbols *y = &estimate.symbols;
    const double peak = fmax(y->peak, y->peak16) * 1e12, bandwidth = y->hbm * 1e9;
    for (int i = 0; i < OP_COUNT; i++) {
        const struct op op = check_op(&estimate, (enum op_id)i);
        if (op.when == 0)
            continue;
        const struct op_time time = check_op_time(&estimate, (enum op_id)i);
        const double least[][2] = {{time.gemm_forward_s, op.gemm_flops / peak},
                                   {time.gemm_dgrad_s + time.gemm_wgrad_s, 2 * op.gemm_flops / peak},
                                   {time.attention_forward_s, op.flops / peak},
                                   {time.attention_backward_s, 2 * op.flops / peak},
                                   {time.memory_forward_s,
                                    fmin(y->memory_traffic_factor, 1) * op.fwd_bytes / bandwidth},
                                   {time.memory_backward_s,
                                    fmin(y->memory_traffic_factor, 1) * op.bwd_bytes / bandwidth}};
        for (size_t k = 0; k < COUNT(least); k++)
            assert_that(least[k][0] >= least[k][1], "%s: time %zu is %g s, of which %g at the peak: %s", op_rows[i].id,
                        k, least[k][0], least[k][1], check_describe(plan));
    }
}

static void no_operator_is_faster_than_its_roofline(void **state)
{
    (void)state;
    for_random_plans(33, rooflines);
}

/* What a rank sends in a call: through one link, or across domains its share of the links of its group. */
static void links(const struct plan *plan)
{
    const struct symbols *y = &estimate.symbols;
    static struct comm_table table;
    for (int i = 0; i < estimate.stages; i++) {
        estimate_comm_table(&estimate, i, &table);
        for (int k = 0; k < table.count; k++) {
            const struct comm *row = &table.row[table.present[k]];
            struct call call;
            comm_call(y, &estimate.grid, table.present[k], row, &call);
            double sent = row->message_bytes * row->factor, rate = y->link * 1e9 * fmax(1, call.in_switch ? 2 : 1);
            if (row->crosses_nodes && !call.exchanges && !call.pairs)
                rate = y->net * 1e9 * call.lanes;
            if (call.dedup > 0)
                sent *= fmin(call.copies_near, 1);
            assert_that(sent <= rate * row->call_s * (1 + 1e-9), "%s sends %g bytes in %g s: %s",
                        comm_rows[table.present[k]].id, sent, row->call_s, check_describe(plan));
            assert_that(row->exposed_s >= 0 && row->exposed_s <= row->time_s * (1 + 1e-12), "%s shows %g of %g s: %s",
                        comm_rows[table.present[k]].id, row->exposed_s, row->time_s, check_describe(plan));
        }
    }
}

static void no_message_is_faster_than_its_link(void **state)
{
    (void)state;
    for_random_plans(34, links);
}

static void repeated_share(const struct plan *plan)
{
    const struct step *s = &estimate.step;
    assert_that(s->mfu_causal <= s->mfu * (1 + 1e-12) && s->hfu_causal < 1 && s->mfu_causal > 0, "MFU %g, HFU %g: %s",
                s->mfu_causal, s->hfu_causal, check_describe(plan));
    assert_near(s->hfu / s->mfu, 1 + s->repeated_flops / s->model_flops, 1e-12);
    assert_near(s->hfu_causal / s->mfu_causal, 1 + s->repeated_flops_causal / s->model_flops_causal, 1e-12);
    assert_that(s->repeated_flops <= s->model_flops / 3 * (1 + 1e-12), "more than the forward pass runs again: %s",
                check_describe(plan));
}

static void operations_over_model_operations_are_what_runs_again(void **state)
{
    (void)state;
    for_random_plans(35, repeated_share);
}

/* ---- what is found ---------------------------------------------------------------------------------------------- */

#define FSDP "framework.name=fsdp2 "
#define BASE LLAMA3_8B "nodes=2 global_batch_size=64 "

static void impossible_results_are_marked(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *rule, *doubted;
    } cases[] = {
        {BASE "measured_iteration_s=0.1", "audit_measured_time", "time.mfu"},
        {BASE "measured_iteration_s=0.1", "audit_measured_time", "time.iteration_s"},
        {BASE "gemm_efficiency=1.9 attention_efficiency=1.9 memory_efficiency=2 link_efficiency=2", "audit_mfu",
         "time.hfu_causal"},
        {BASE "seq_length=1048576 max_position_embeddings=1048576 attention_efficiency=0.9 cp=8 pp=2 tp=1 "
              "global_batch_size=16", "audit_full_attention", "time.mfu"},
        {BASE "gemm_efficiency=1.1", "audit_gemm_efficiency", "time.compute_s"},
        {BASE "attention_efficiency=1.1", "audit_attention_efficiency", "time.compute_s"},
        {BASE "memory_efficiency=1.1", "audit_memory_efficiency", "time.optimizer_s"},
        {BASE "link_efficiency=1.1", "audit_link_efficiency", "time.exposed_communication_s.tp"},
        {BASE "network_efficiency=1.1", "audit_network_efficiency", "time.exposed_communication_s.dp"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct plan plan;
        check_plan(&plan, cases[i].settings);
        estimate_plan(&plan, &estimate);
        const struct diag *diag = finding_doubts(&estimate.diags, cases[i].doubted);
        assert_that(diag, "%s: %s is not doubted", cases[i].settings, cases[i].doubted);
        assert_that(strcmp(diag->rule, cases[i].rule) == 0, "%s: doubted by %s", cases[i].settings, diag->rule);
        const struct finding_text said = finding_text(diag);
        assert_that(!strpbrk(said.text, "{}") && !strstr(said.text, "nan"), "%s", said.text);
        assert_null(finding_doubts(&estimate.diags, "time.m"));
    }
}

static void check_faulty(const char *rule)
{
    estimate.diags.count = 0;
    audit_estimate(&estimate);
    for (int i = 0; i < estimate.diags.count; i++)
        if (strcmp(estimate.diags.item[i].rule, rule) == 0)
            return;
    assert_that(false, "%s: not found", rule);
}

/* Faults that no plan brings about: the estimate is changed behind its back. */
static void faults_of_the_program_are_found(void **state)
{
    (void)state;
    check_estimate(&estimate, BASE);
    estimate.step.bubble_s -= 1;
    check_faulty("audit_time_parts");
    check_faulty("audit_negative_time");
    check_estimate(&estimate, BASE);
    estimate.step.bubble_fraction = 1;
    check_faulty("audit_bubble");
    check_estimate(&estimate, BASE);
    estimate.stage[0].activations_bytes = -1;
    check_faulty("audit_negative_memory");
    check_faulty("audit_memory_parts");
}

static bool is_said(const char *settings, const char *rule)
{
    struct plan plan;
    check_plan(&plan, settings);
    estimate_plan(&plan, &estimate);
    for (int i = 0; i < estimate.diags.count; i++)
        if (strcmp(estimate.diags.item[i].rule, rule) == 0 && estimate.diags.item[i].level == DIAG_NOTE)
            return true;
    return false;
}

static void remarks_are_made(void **state)
{
    (void)state;
    char full[400];
    check_estimate(&estimate, BASE FSDP);
    double gib = estimate.stage[0].device_bytes / 0x1p30;
    snprintf(full, sizeof full, "%s usable_gib=%.3f", BASE FSDP, gib / 0.9);
    assert_true(is_said(full, "near_full_card"));
    check_estimate(&estimate, BASE);
    gib = estimate.stage[0].device_bytes / 0x1p30;
    snprintf(full, sizeof full, "%s usable_gib=%.3f", BASE, gib / 0.9);
    assert_false(is_said(full, "near_full_card")); /* what does not come and go needs no second try */
    assert_false(is_said(BASE FSDP "usable_gib=1000", "near_full_card"));
    assert_false(is_said(BASE FSDP "usable_gib=5", "near_full_card")); /* which does not fit at all */
    assert_true(is_said(BASE "framework.name=nanotron", "range_far"));
    assert_false(is_said(BASE "framework.name=nanotron measured_iteration_s=9", "range_far"));
    assert_false(is_said(BASE "framework.basis=like workload=inference", "range_far"));
    assert_true(is_said(BASE "framework.basis=like", "range_far"));
    assert_false(is_said(BASE, "range_far"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_estimate_breaks_an_audit), cmocka_unit_test(parts_are_the_iteration),
        cmocka_unit_test(no_operator_is_faster_than_its_roofline), cmocka_unit_test(no_message_is_faster_than_its_link),
        cmocka_unit_test(operations_over_model_operations_are_what_runs_again),
        cmocka_unit_test(impossible_results_are_marked), cmocka_unit_test(faults_of_the_program_are_found),
        cmocka_unit_test(remarks_are_made),
    };
    return cmocka_run_group_tests_name("audit", tests, NULL, NULL) != 0;
}
