/* What src/report/ prints: complete and valid JSON, sums that add up, quoting, text safe for a terminal. */
#include "tests/check.h"

#include "core/explain/detail.h"
#include "core/explain/explain.h"
#include "core/show/columns.h"
#include "core/show/components.h"
#include "src/report/data.h"
#include "src/report/format.h"
#include "src/report/report.h"
#include "src/report/table.h"
#include "src/text/json_out.h"
#include "src/text/text.h"

#include <cjson/cJSON.h>

#define MOE                                                                                                           \
    " num_layers=8 hidden_size=2048 ffn_hidden_size=8192 num_attention_heads=16 vocab_size=32000 seq_length=4096"     \
    " gated_mlp=true num_experts=16 moe_router_topk=2 moe_ffn_hidden_size=1024 moe_first_dense=2"                     \
    " moe_shared_ffn_hidden_size=1024 parallel.zero_stage=1 nodes=2 gpus_per_node=8 global_batch_size=64 "
#define MLA                                                                                                            \
    " multi_latent_attention=true q_lora_rank=512 kv_lora_rank=256 qk_head_dim=64 qk_pos_emb_head_dim=32 "             \
    "v_head_dim=64 "
#define EXAMPLE                                                                                                        \
    GPT_6B "nodes=2 gpus_per_node=8 tp=2 pp=2 parallel.zero_stage=1 micro_batch_size=4 global_batch_size=512 "

/* Plans of all kinds, with faults too. */
static const char *const plans[] = {
    "",
    "num_layers=4",
    EXAMPLE,
    EXAMPLE "framework.name=megatron-core",
    EXAMPLE "framework.name=megatron-core sp=true recompute=full",
    EXAMPLE "framework.name=megatron-core sp=true recompute=full recompute_method=block recompute_num_layers=5",
    EXAMPLE "framework.name=megatron-core train.attention=unfused recompute=selective",
    EXAMPLE "framework.name=megatron-core pp=4 vpp=4 recompute=selective recompute_modules=[layernorm,mlp]",
    EXAMPLE "framework.name=deepspeed tp=1 pp=1 parallel.zero_stage=3",
    EXAMPLE "framework.name=fsdp2 tp=1 pp=1",
    EXAMPLE "framework.name=fsdp2 tp=1 pp=1 recompute=selective",
    EXAMPLE "framework.name=nanotron",
    EXAMPLE "framework.name=nanotron train.dtype=nvfp4",
    EXAMPLE "offload_optimizer=0.5",
    EXAMPLE "tp=3",
    EXAMPLE "pp=5",
    EXAMPLE "cp=2 framework.name=megatron-core",
    EXAMPLE "workload=inference",
    MOE "tp=2 sp=true ep=4 etp=1 pp=2",
    MOE "tp=2 sp=true ep=4 etp=1 recompute=selective recompute_modules=[moe,core_attn]",
    MOE "tp=2 sp=true ep=4 etp=1 recompute=selective recompute_modules=[moe_act,shared_experts,layernorm]",
    MOE MLA "tp=2 sp=true ep=2 etp=2 moe_dispatcher=allgather",
};

static struct estimate *estimate_of(const char *settings)
{
    struct plan plan;
    struct estimate *estimate = xmalloc(sizeof *estimate);
    memset(estimate, 0x5a, sizeof *estimate); /* what was not computed must not be read */
    check_plan(&plan, settings);
    estimate_plan(&plan, estimate);
    return estimate;
}

static char *written(const struct estimate *estimate, struct report_options options)
{
    struct buffer out = {0};
    report_write(&out, &estimate, 1, &options);
    assert_non_null(out.text);
    assert_int_equal(strlen(out.text), out.size);
    return out.text;
}

static cJSON *parsed(const char *text)
{
    const char *end = NULL;
    cJSON *json = cJSON_ParseWithOpts(text, &end, false);
    assert_that(json != NULL, "not JSON: %.60s", cJSON_GetErrorPtr() ? cJSON_GetErrorPtr() : text);
    while (*end == '\n')
        end++;
    assert_int_equal(*end, '\0');
    return json;
}

static cJSON *result_of(const struct estimate *estimate)
{
    char *text = written(estimate, (struct report_options){.format = REPORT_JSON});
    cJSON *json = parsed(text);
    free(text);
    return json;
}

/* The value at a dotted path; numbers index arrays. NULL when there is none. */
static const cJSON *at(const cJSON *json, const char *path)
{
    char part[64];
    while (json && *path) {
        size_t n = strcspn(path, ".");
        snprintf(part, sizeof part, "%.*s", (int)n, path);
        json =
            cJSON_IsArray(json) ? cJSON_GetArrayItem(json, atoi(part)) : cJSON_GetObjectItemCaseSensitive(json, part);
        path += n + (path[n] == '.');
    }
    return json;
}

static double number_at(const cJSON *json, const char *path)
{
    const cJSON *item = at(json, path);
    return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

/* Every member that scripts rely on; `?` before a path: may be null. */
static const char *const members[] = {
    "schema", "valid", "range_probability", "plan", "diagnostics", "parameters.total", "parameters.unpadded",
    "parameters.active", "parameters.embedding", "parameters.per_stage.1", "full_model.params",
    "full_model.param_bytes", "full_model.gradient_bytes", "full_model.optimizer_bytes", "full_model.activations_bytes",
    "full_model.total_bytes", "layers.4.path", "layers.4.count", "layers.4.full_shape.1", "layers.4.param_shape.1",
    "layers.4.bias_shape.0", "layers.4.params", "layers.4.param_bytes", "layers.4.saved_bytes",
    "layers.4.forward_flops", "layers.4.gemm_efficiency", "layers.4.forward_s", "layers.4.backward_s",
    "?layers.4.tp_forward", "layers.4.tp_backward.op", "layers.4.tp_backward.shape.2", "layers.4.tp_backward.bytes",
    "memory.capacity_bytes", "memory.usable_bytes", "memory.fits", "memory.headroom_bytes", "memory.peak_stage",
    "memory.verdict", "memory.probability", "memory.range.allocated_bytes.1.low", "memory.range.reserved_bytes.1.high",
    "memory.range.device_bytes.1.low", "memory.range.device_bytes.1.high", "memory.stages.1.stage",
    "memory.stages.1.layers.1", "memory.stages.1.in_flight", "memory.stages.1.params", "memory.stages.1.weights_bytes",
    "memory.stages.1.gradients_bytes", "memory.stages.1.optimizer_bytes", "memory.stages.1.activations_bytes",
    "memory.stages.1.transient_bytes", "memory.stages.1.buffers_bytes", "memory.stages.1.allocated_bytes",
    "memory.stages.1.reserved_bytes", "memory.stages.1.device_bytes", "memory.stages.1.peak_at",
    "memory.stages.1.context_bytes", "memory.stages.1.communicator_bytes", "memory.stages.1.workspace_bytes",
    "memory.stages.1.fragmentation_bytes", "memory.stages.1.by_operator.0.path", "memory.stages.1.by_operator.0.bytes",
    "?memory.stages.1.timeline", "memory.stages.1.host_bytes", "memory.host_fits", "grid.order", "grid.world",
    "grid.gpus_per_node", "grid.groups.tp.0.1", "grid.groups.cp.0.0", "grid.groups.dp.0.3", "grid.groups.pp.0.1",
    "grid.groups.ep.0.0", "grid.groups.edp.0.0", "grid.rank.15.rank", "grid.rank.15.node", "grid.rank.15.gpu",
    "grid.rank.15.tp", "grid.rank.15.cp", "grid.rank.15.dp", "grid.rank.15.pp", "grid.rank.15.ep",
    "communication.0.dim", "communication.0.op", "communication.0.what", "communication.0.stage",
    "communication.0.group_size", "communication.0.groups", "communication.0.crosses_nodes", "communication.0.count",
    "communication.0.message_bytes", "communication.0.shape.2", "communication.0.when",
    "communication.0.sent_bytes_per_rank", "communication.0.cluster_bytes", "communication.0.time_s",
    "communication.0.exposed_s", "time.range.iteration_s.low", "time.range.mfu.high", "time.range.iteration_s.basis",
    "training.range.cost.high", "time.iteration_s", "time.compute_s", "time.bubble_s", "time.bubble_fraction",
    "time.exposed_communication_s.tp", "time.exposed_communication_s.cp", "time.exposed_communication_s.pp",
    "time.exposed_communication_s.dp", "time.exposed_communication_s.ep", "time.optimizer_s", "time.tokens_per_s",
    "time.tokens_per_s_per_gpu", "time.model_tflops_per_gpu", "time.hardware_tflops_per_gpu", "time.mfu", "time.hfu",
    "time.mfu_causal", "time.hfu_causal", "time.bigscience_tflops", "time.binding_stage", "training.iterations",
    "training.seconds", "training.gpu_hours", "training.cost", "training.kwh", "checkpoint.weights_bytes",
    "checkpoint.optimizer_bytes", "checkpoint.total_bytes", "checkpoint.write_s", "?serving",
};

static void test_json_has_every_member_of_the_schema(void **state)
{
    (void)state;
    struct estimate *e = estimate_of(EXAMPLE "total_tokens=1e9 storage_gb_s=10");
    cJSON *json = result_of(e);
    for (size_t i = 0; i < COUNT(members); i++) {
        bool may_be_null = members[i][0] == '?';
        const cJSON *item = at(json, members[i] + may_be_null);
        assert_that(item && (may_be_null || !cJSON_IsNull(item)), "%s is missing", members[i]);
    }
    for (int i = 0; i < PARAM_COUNT; i++) {
        const cJSON *key = cJSON_GetObjectItemCaseSensitive(at(json, "plan"), param_rows[i].dotted);
        assert_that(key && cJSON_HasObjectItem(key, "value") && cJSON_HasObjectItem(key, "from"), "%s",
                    param_rows[i].dotted);
    }
    cJSON_Delete(json);
    free(e);
}

static void test_json_of_every_kind_of_plan_parses(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(plans); i++) {
        struct estimate *e = estimate_of(plans[i]);
        cJSON *json = result_of(e);
        assert_same(number_at(json, "schema"), 1);
        assert_that(cJSON_GetArraySize(at(json, "diagnostics")) == e->diags.count, "%s", plans[i]);
        cJSON_Delete(json);
        free(e);
    }
}

static void test_json_values_have_their_kinds(void **state)
{
    (void)state;
    struct estimate *e = estimate_of(EXAMPLE "framework.name=megatron-core te_version=2.9 pp=4 vpp=2"
                                             " pipeline_layout=[[4,4],[4,4],[4,4],[4,4]] "
                                             "recompute_modules=[mlp,core_attn]");
    cJSON *json = result_of(e);
    const cJSON *plan = at(json, "plan");
    static const struct {
        const char *key, *text;
    } cases[] = {
        {"model.num_layers", "{\"value\":32,\"from\":\"set\"}"},
        {"parallel.sp", "{\"value\":false,\"from\":\"default\"}"},
        {"train.dtype", "{\"value\":\"bf16\",\"from\":\"default\"}"},
        {"framework.te_version", "{\"value\":\"2.9\",\"from\":\"set\"}"},
        {"train.recompute_modules", "{\"value\":[\"core_attn\",\"mlp\"],\"from\":\"set\"}"},
        {"parallel.pipeline_layout", "{\"value\":[[4,4],[4,4],[4,4],[4,4]],\"from\":\"set\"}"},
        {"hardware.storage_gb_s", "{\"value\":null,\"from\":\"default\"}"},
        {"model.name", "{\"value\":null,\"from\":\"default\"}"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *text = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(plan, cases[i].key));
        assert_string_equal(text, cases[i].text);
        free(text);
    }
    cJSON_Delete(json);
    free(e);
}

static void test_json_survives_hostile_names(void **state)
{
    (void)state;
    struct estimate *e = estimate_of(EXAMPLE);
    static const char *const names[] = {"a\"b\\c", "tab\there\nand\x1b[31m", "\xff\xfe broken \xc3", "\xed\xa0\x80",
                                        "emoji \xf0\x9f\x98\x80"};
    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(e->plan.text[TEXT_MODEL], PLAN_TEXT_MAX, "%s", names[i]);
        cJSON *json = result_of(e);
        const cJSON *value = at(cJSON_GetObjectItemCaseSensitive(at(json, "plan"), "model.name"), "value");
        assert_true(cJSON_IsString(value));
        if (i == 0 || i == 4)
            assert_string_equal(value->valuestring, names[i]);
        cJSON_Delete(json);
    }
    free(e);
}

static void test_json_writer_forms(void **state)
{
    (void)state;
    struct buffer out = {0};
    struct json json = {.out = &out};
    json_open(&json, NULL, '{');
    json_number(&json, "nan", (double)NAN);
    json_number(&json, "inf", (double)INFINITY);
    json_number(&json, "third", 1 / 3.0);
    json_number(&json, "large", 12345678901234);
    json_bytes(&json, "bytes", 1e15 + 0.4);
    json_bytes(&json, "zero", -0.2);
    json_text(&json, "none", NULL);
    json_open(&json, "list", '[');
    json_bool(&json, NULL, true);
    json_open(&json, NULL, '{');
    json_close(&json, '}');
    json_close(&json, ']');
    json_close(&json, '}');
    assert_string_equal(out.text,
                        "{\"nan\": null, \"inf\": null, \"third\": 0.3333333333333333, \"large\": 12345678901234, "
                        "\"bytes\": 1000000000000000, \"zero\": 0, \"none\": null, \"list\": [true, {}]}");
    buffer_free(&out);
}

static void test_json_of_one_section_has_only_that(void **state)
{
    (void)state;
    struct estimate *e = estimate_of(EXAMPLE);
    char *text = written(e, (struct report_options){.format = REPORT_JSON, .section = SECTION_MEMORY});
    cJSON *json = parsed(text);
    assert_int_equal(cJSON_GetArraySize(json), 3); /* schema, program, memory */
    assert_non_null(at(json, "memory.stages.1.device_bytes"));
    cJSON_Delete(json);
    free(text);
    free(e);
}

static void test_long_lists_are_left_out_unless_asked_for(void **state)
{
    (void)state;
    struct estimate *e = estimate_of(GPT_6B "nodes=1024 gpus_per_node=8 global_batch_size=8192");
    cJSON *json = result_of(e);
    assert_same(number_at(json, "grid.world"), 8192);
    assert_null(at(json, "grid.groups"));
    assert_null(at(json, "grid.rank"));
    char *text = written(e, (struct report_options){.format = REPORT_JSON, .section = SECTION_GRID, .full = true});
    cJSON *full = parsed(text);
    assert_int_equal(cJSON_GetArraySize(at(full, "grid.rank")), 8192);
    cJSON_Delete(full);
    cJSON_Delete(json);
    free(text);
    free(e);
}

static void test_what_is_unknown_is_null_and_never_zero(void **state)
{
    (void)state;
    struct estimate *e = estimate_of(EXAMPLE "framework.name=nanotron train.dtype=nvfp4");
    cJSON *json = result_of(e);
    assert_true(isnan(e->stage[0].optimizer_bytes));
    assert_true(cJSON_IsNull(at(json, "memory.stages.0.optimizer_bytes")));
    assert_true(cJSON_IsNull(at(json, "memory.stages.0.allocated_bytes")));
    assert_true(cJSON_IsNull(at(json, "memory.fits")));
    assert_true(cJSON_IsNull(at(json, "memory.peak_stage")) || isnan(number_at(json, "memory.peak_stage")));
    assert_true(cJSON_IsNull(at(json, "training.iterations")));
    cJSON_Delete(json);
    free(e);
    e = estimate_of("num_layers=4");
    json = result_of(e);
    static const char *const unknown[] = {"layers", "communication", "memory.stages", "memory.fits",
                                          "memory.headroom_bytes",
                                          "time.iteration_s", "time.binding_stage", "grid.world", "parameters.total"};
    for (size_t i = 0; i < COUNT(unknown); i++)
        assert_that(cJSON_IsNull(at(json, unknown[i])), "%s", unknown[i]);
    cJSON_Delete(json);
    free(e);
}

/* ---- what is shown is described once ---------------------------------------------------------------------------- */

static void seek_path(void *context, const char *path)
{
    const char **sought = context;
    const char *end = strrchr(path, '.');
    if (*sought && end && strncmp(path, "memory.stages.0.", 16) == 0 && strcmp(end + 1, *sought) == 0)
        *sought = NULL;
}

static void test_every_component_stands_in_every_output(void **state)
{
    (void)state;
    struct estimate *e = estimate_of(EXAMPLE);
    char *text = written(e, (struct report_options){.section = SECTION_MEMORY});
    char *csv = written(e, (struct report_options){.section = SECTION_MEMORY, .format = REPORT_CSV});
    char *json = written(e, (struct report_options){.section = SECTION_MEMORY, .format = REPORT_JSON});
    for (int i = 0; i < stage_components.count; i++) {
        const struct component *row = &stage_components.row[i];
        const char *sought = row->term;
        bool is_detail = row->kind == COMPONENT_DETAIL;
        bool is_nothing = row->style == COMPONENT_JOINED && stage_component(row, e, &e->stage[0]) == 0;
        assert_that((strstr(text, row->label) != NULL) == !(is_detail || is_nothing), "text: %s", row->label);
        assert_that((strstr(csv, row->term) != NULL) == !is_detail, "CSV: %s", row->term);
        assert_that(strstr(json, row->term) != NULL, "JSON: %s", row->term);
        explain_paths(e, seek_path, &sought);
        assert_that(!sought || row->kind >= COMPONENT_ROOM, "paths: %s", row->term);
    }
    free(text);
    free(csv);
    free(json);
    free(e);
}

/* ---- sums and orders -------------------------------------------------------------------------------------------- */

static void check_stage_sums(const cJSON *stage, const char *plan)
{
    double parts = number_at(stage, "weights_bytes") + number_at(stage, "gradients_bytes") +
                   number_at(stage, "optimizer_bytes") + number_at(stage, "activations_bytes") +
                   number_at(stage, "transient_bytes") + number_at(stage, "buffers_bytes");
    double allocated = number_at(stage, "allocated_bytes"), reserved = number_at(stage, "reserved_bytes"), kept = 0;
    if (isnan(allocated))
        return;
    assert_that(parts == allocated, "%s: parts %.0f, allocated %.0f", plan, parts, allocated);
    assert_that(allocated + number_at(stage, "fragmentation_bytes") == reserved, "%s", plan);
    assert_that(reserved + number_at(stage, "context_bytes") + number_at(stage, "communicator_bytes") ==
                    number_at(stage, "device_bytes"), "%s", plan);
    const cJSON *item;
    cJSON_ArrayForEach(item, at(stage, "by_operator")) kept += number_at(item, "bytes");
    assert_near(kept, number_at(stage, "activations_bytes"), 1e-6);
}

static void test_parts_of_every_stage_add_up(void **state)
{
    (void)state;
    int seen = 0;
    for (size_t i = 0; i < COUNT(plans); i++) {
        struct estimate *e = estimate_of(plans[i]);
        cJSON *json = result_of(e);
        const cJSON *stage;
        cJSON_ArrayForEach(stage, at(json, "memory.stages")) {
            check_stage_sums(stage, plans[i]);
            seen++;
        }
        cJSON_Delete(json);
        free(e);
    }
    assert_true(seen > 30);
}

static void test_rows_stand_in_the_order_of_explain(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(plans); i++) {
        struct estimate *e = estimate_of(plans[i]);
        struct comm_walk walk = {.estimate = e};
        int stage, index = 0;
        enum comm_id id;
        if (e->is_computed) {
            for (; explain_comm_row(e, index, &stage, &id); index++)
                assert_that(comm_walk_next(&walk) && walk.stage == stage && walk.id == id, "%s: row %d", plans[i],
                            index);
        }
        assert_false(comm_walk_next(&walk));
        free(e);
    }
}

/* Collectives that the layer table shows on one stage and micro-batch, in one direction. */
static double shown_calls(const struct estimate *e, int stage, bool forward, const char *op)
{
    double calls = 0;
    for (int i = 0; i < OP_COUNT; i++) {
        struct layer_traffic traffic[2];
        double dense = e->split[stage].layers - e->split[stage].moe_layers, moe = e->split[stage].moe_layers;
        if (!op_is_there(&e->symbols, (enum op_id)i) || op_rows[i].kind > OP_MOE)
            continue;
        detail_traffic(e, (enum op_id)i, &traffic[1], &traffic[0]);
        if (traffic[forward].op && strcmp(traffic[forward].op, op) == 0)
            calls += op_rows[i].kind == OP_MLP ? dense : op_rows[i].kind == OP_MOE ? moe : dense + moe;
    }
    return calls;
}

static void test_collectives_of_layers_agree_with_the_traffic(void **state)
{
    (void)state;
    struct estimate *e = estimate_of(EXAMPLE);
    assert_same(shown_calls(e, 0, true, "all_reduce") * 32, check_comm(e, 0, COMM_ID_TP_FORWARD).count);
    assert_same(shown_calls(e, 1, false, "all_reduce") * 32, check_comm(e, 1, COMM_ID_TP_BACKWARD).count);
    free(e);
    static const char *const sequence_parallel[] = {EXAMPLE "sp=true", MOE "tp=2 sp=true ep=4 etp=1",
                                                    MOE MLA "tp=2 sp=true ep=4 etp=1"};
    for (size_t i = 0; i < COUNT(sequence_parallel); i++) {
        e = estimate_of(sequence_parallel[i]);
        double m = e->symbols.m;
        /* its gathers are narrower, in rows of their own */
        double latent = e->symbols.mla > 0 ? e->split[0].layers * m : 0;
        assert_same(shown_calls(e, 0, true, "all_gather") * m, check_comm(e, 0, COMM_ID_SP_GATHER_F).count + latent);
        assert_same(shown_calls(e, 0, true, "reduce_scatter") * m, check_comm(e, 0, COMM_ID_SP_SCATTER_F).count);
        assert_same(shown_calls(e, 0, false, "reduce_scatter") * m,
                    check_comm(e, 0, COMM_ID_SP_SCATTER_B).count + latent);
        free(e);
    }
}

static void test_dimensions_name_sequence_parallel_rows(void **state)
{
    (void)state;
    assert_string_equal(comm_dim_text(COMM_ID_TP_FORWARD), "tp");
    assert_string_equal(comm_dim_text(COMM_ID_SP_GATHER_B), "sp");
    assert_string_equal(comm_dim_text(COMM_ID_HEAD_SCATTER), "sp");
    assert_string_equal(comm_dim_text(COMM_ID_LOSS_REDUCE), "tp");
    assert_string_equal(comm_dim_text(COMM_ID_TIED), "embedding");
}

/* The example of the 2023 tool with the corrections: 512 pipeline messages of 64 MiB, not 2048. */
static void test_cluster_calls_count_each_collective_once(void **state)
{
    (void)state;
    struct estimate *e = estimate_of(EXAMPLE);
    struct comm forward = check_comm(e, 0, COMM_ID_PP_FORWARD), backward = check_comm(e, 1, COMM_ID_PP_BACKWARD);
    assert_same(
        report_comm_calls(e, &forward, COMM_ID_PP_FORWARD) + report_comm_calls(e, &backward, COMM_ID_PP_BACKWARD), 512);
    struct comm tied[2] = {check_comm(e, 0, COMM_ID_TIED), check_comm(e, 1, COMM_ID_TIED)};
    assert_same(report_comm_calls(e, &tied[0], COMM_ID_TIED) + report_comm_calls(e, &tied[1], COMM_ID_TIED), 8);
    free(e);
}

/* ---- CSV and Markdown ------------------------------------------------------------------------------------------- */

static void test_csv_fields_are_quoted_where_needed(void **state)
{
    (void)state;
    static const struct {
        const char *text, *field;
    } cases[] = {{"plain", "plain"},
                 {"", ""},
                 {"a,b", "\"a,b\""},
                 {"say \"x\"", "\"say \"\"x\"\"\""},
                 {"two\nlines", "\"two\nlines\""},
                 {"cr\r", "\"cr\r\""}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buffer out = {0};
        buffer_puts(&out, "");
        csv_field(&out, cases[i].text);
        assert_string_equal(out.text, cases[i].field);
        buffer_free(&out);
    }
}

static void test_tables_print_unknown_as_empty_or_na(void **state)
{
    (void)state;
    static const struct table_column columns[] = {
        {"name", COLUMN_TEXT}, {"size_bytes", COLUMN_BYTES}, {"time_s", COLUMN_SECONDS}};
    struct table table = {.name = "t", .column = columns, .columns = 3};
    struct buffer csv = {0}, markdown = {0};
    table_text(&table, "a|b");
    table_number(&table, 2147483648.0);
    table_number(&table, (double)NAN);
    table_csv(&csv, &table);
    table_markdown(&markdown, &table);
    assert_string_equal(csv.text, "name,size_bytes,time_s\r\na|b,2147483648,\r\n");
    assert_string_equal(markdown.text,
                        "## t\n\n| name | size_bytes | time_s |\n| --- | ---: | ---: |\n| a\\|b | 2.00 GiB | n/a |\n");
    buffer_free(&csv);
    buffer_free(&markdown);
    table_free(&table);
}

/* Fields of the record at `*p`, which moves behind it; -1 at the end. */
static int record_fields(const char **p)
{
    int fields = 1;
    bool is_quoted = false;
    if (!**p)
        return -1;
    for (; **p && (is_quoted || **p != '\n'); (*p)++) {
        is_quoted ^= **p == '"';
        fields += !is_quoted && **p == ',';
    }
    *p += **p == '\n';
    return fields;
}

static void test_csv_records_have_as_many_fields_as_their_header(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(plans); i++) {
        struct estimate *e = estimate_of(plans[i]);
        for (int section = SECTION_SUMMARY; section < SECTION_COUNT; section++) {
            char *text =
                written(e, (struct report_options){.format = REPORT_CSV, .section = (enum report_section)section});
            const char *p = text;
            int header = record_fields(&p), fields;
            while ((fields = record_fields(&p)) >= 0)
                assert_that(fields == header, "%s: %s: %d fields", plans[i], report_section_names[section], fields);
            free(text);
        }
        free(e);
    }
}

static void test_all_tables_follow_each_other_with_their_names(void **state)
{
    (void)state;
    struct estimate *e = estimate_of(EXAMPLE);
    char *text = written(e, (struct report_options){.format = REPORT_CSV});
    static const char *const names[] = {"# summary\r\n", "\r\n\r\n# layers\r\n", "\r\n\r\n# memory\r\nstage,",
                                        "\r\n\r\n# communication\r\n"};
    for (size_t i = 0; i < COUNT(names); i++)
        assert_non_null(strstr(text, names[i]));
    free(text);
    free(e);
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static void test_text_is_safe_and_ascii_when_asked(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(plans); i++) {
        struct estimate *e = estimate_of(plans[i]);
        snprintf(e->plan.text[TEXT_MODEL], PLAN_TEXT_MAX, "%s", "evil\x1b]0;x\x07\r\nname");
        char *text = written(e, (struct report_options){.ascii = true});
        for (const char *p = text; *p; p++)
            assert_that(*p == '\n' || (*p >= ' ' && *p < 0x7f), "%s: byte %d", plans[i], *p);
        free(text);
        free(e);
    }
}

static void test_text_of_the_example_keeps_to_its_width(void **state)
{
    (void)state;
    struct estimate *e = estimate_of(EXAMPLE);
    char *text = written(e, (struct report_options){0}), *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        assert_that(text_columns(line) <= PAGE_WIDTH, "%d columns: %s", text_columns(line), line);
    free(text);
    free(e);
}

static void test_a_brief_report_is_one_screen(void **state)
{
    (void)state;
    struct estimate *e = estimate_of(EXAMPLE);
    char *text = written(e, (struct report_options){.brief = true}), *at;
    int lines = 0;
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        lines++;
    assert_that(lines <= 23, "%d lines", lines);
    assert_non_null(strstr(text, "--full lists them"));
    at = strstr(text, "device (nvidia-smi)");
    assert_non_null(at);
    assert_string_equal(figure(FIGURE_GIB_TO_SUM, e->stage[e->peak_stage].device_bytes).text,
                        strtok(at + strlen("device (nvidia-smi)"), " \n"));
    free(text);
    free(e);
}

static void test_text_shows_every_stage_and_the_corrected_example(void **state)
{
    (void)state;
    struct estimate *e = estimate_of(EXAMPLE);
    char *text = written(e, (struct report_options){.ascii = true});
    static const char *const parts[] = {
        "6,642,515,968", "1,718,757,376", "1,710,376,960", "stage 0", "stage 1", "820.62",
        "512        32.0 GiB", "[n0_g0 n1_g0]", "[n0_g0 n0_g2 n0_g4 n0_g6]", "[n0_g0 n0_g1]", "`- loss (stage 1)"};
    for (size_t i = 0; i < COUNT(parts); i++)
        assert_that(strstr(text, parts[i]) != NULL, "'%s' is missing", parts[i]);
    assert_null(strstr(text, "\033"));
    free(text);
    text = written(e, (struct report_options){.color = true});
    assert_non_null(strstr(text, "\033[1m"));
    free(text);
    free(e);
}

static bool is_in_text(const char *settings, enum report_section section, const char *words)
{
    struct estimate *e = estimate_of(settings);
    char *text = written(e, (struct report_options){.section = section});
    bool is_there = strstr(text, words) != NULL;
    free(text);
    free(e);
    return is_there;
}

static void test_a_pipeline_says_how_many_hops_leave_a_node(void **state)
{
    (void)state;
    assert_true(is_in_text(EXAMPLE, SECTION_COMMUNICATION, "1 of 1 hops crossing nodes"));
    assert_true(
        is_in_text(EXAMPLE "tp=2 pp=4 dp=2 schedule=gpipe", SECTION_COMMUNICATION, "1 of 3 hops crossing nodes"));
    assert_true(
        is_in_text(EXAMPLE "tp=2 pp=4 dp=1 nodes=1 schedule=gpipe", SECTION_COMMUNICATION, "of 4 GPUs, inside a node"));
}

static void test_rents_say_their_price(void **state)
{
    (void)state;
    assert_true(is_in_text(EXAMPLE "price_per_gpu_hour=3.25", SECTION_TRAINING,
                           "Priced at 3.25 USD per GPU-hour; the ranges do not cover differences in price."));
}

static void test_what_waits_for_weight_gradients_has_a_row(void **state)
{
    (void)state;
    assert_true(is_in_text(EXAMPLE "pp=4 schedule=zb-h1", SECTION_MEMORY, "  waiting for weight gradients"));
    assert_false(is_in_text(EXAMPLE "pp=4 schedule=gpipe", SECTION_MEMORY, "waiting for weight gradients"));
}

static void test_equal_stages_are_folded(void **state)
{
    (void)state;
    struct estimate *e = estimate_of(EXAMPLE "pp=4 schedule=gpipe");
    char *text = written(e, (struct report_options){.section = SECTION_MEMORY});
    assert_non_null(strstr(text, "stages 1-2"));
    free(text);
    free(e);
}

static void test_several_frameworks_stand_side_by_side(void **state)
{
    (void)state;
    struct estimate *one = estimate_of(EXAMPLE), *other = estimate_of(EXAMPLE "framework.name=megatron-core");
    const struct estimate *both[] = {one, other};
    struct buffer text = {0}, json = {0}, csv = {0};
    report_write(&text, both, 2, &(struct report_options){.ascii = true});
    report_write(&json, both, 2, &(struct report_options){.format = REPORT_JSON});
    report_write(&csv, both, 2, &(struct report_options){.format = REPORT_CSV, .section = SECTION_MEMORY});
    assert_non_null(strstr(text.text, "megatron-2023    megatron-core    megatron-2023    megatron-core\n"));
    cJSON *results = parsed(json.text);
    assert_int_equal(cJSON_GetArraySize(results), 2);
    assert_same(number_at(results, "1.schema"), 1);
    assert_int_equal(strncmp(csv.text, "framework,stage,", 16), 0);
    assert_non_null(strstr(csv.text, "\r\nmegatron-core,1,16,"));
    cJSON_Delete(results);
    buffer_free(&text);
    buffer_free(&json);
    buffer_free(&csv);
    free(one);
    free(other);
}

static void test_check_line(void **state)
{
    (void)state;
    static const struct {
        const char *plan, *start;
    } cases[] = {
        {EXAMPLE, "fits: the fullest GPU (stage 0) needs 48.9 GiB (45-54) of 79.1 GiB usable, 30.2 GiB left\n"},
        {EXAMPLE "usable_gib=40",
         "does not fit: the fullest GPU (stage 0) needs 48.9 GiB (45-54), 8.88 GiB more than the 40.0 GiB usable\n"},
        {EXAMPLE "usable_gib=52", "tight 83 %: the fullest GPU (stage 0) needs 48.9 GiB (45-54) of 52.0 GiB usable, "},
        {EXAMPLE "tp=32", "invalid: "},
        {EXAMPLE "framework.name=nanotron train.dtype=nvfp4", "unknown whether it fits: "},
        {"", "invalid: 5 errors, the first: model.num_layers: is not given"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct estimate *e = estimate_of(cases[i].plan);
        struct buffer out = {0};
        report_check(&out, e);
        assert_that(!IS_WORDED || strncmp(out.text, cases[i].start, strlen(cases[i].start)) == 0, "%s", out.text);
        assert_ptr_equal(strchr(out.text, '\n'), out.text + out.size - 1);
        buffer_free(&out);
        free(e);
    }
}

static int times_in(const char *text, const char *part)
{
    int times = 0;
    for (; (text = strstr(text, part)) != NULL; text++)
        times++;
    return times;
}

static void test_explain_prints_every_value(void **state)
{
    (void)state;
    static const char *const paths[] = {"memory.stages.0.activations_bytes", "time.iteration_s",
                                        "communication.0.time_s", "parameters.total"};
    struct estimate *e = estimate_of(EXAMPLE);
    for (size_t i = 0; i < COUNT(paths); i++) {
        static struct explanation explanation;
        struct buffer text = {0}, out = {0}, full = {0};
        assert_int_equal(explain_value(e, paths[i], &explanation), 0);
        assert_int_equal(report_explain(&text, &e->plan, e, paths[i], false, false), 0);
        assert_int_equal(report_explain(&out, &e->plan, e, paths[i], true, false), 0);
        cJSON *json = parsed(out.text);
        assert_same(number_at(json, "value"), explanation.value);
        if (strcmp(paths[i], "time.iteration_s") == 0) {
            assert_same(number_at(json, "range.high"), explanation.range.high);
            assert_int_equal(cJSON_GetArraySize(at(json, "why")), explanation.reasons);
            assert_non_null(strstr(text.text, explanation.reason[0].label));
        }
        assert_int_equal(cJSON_GetArraySize(at(json, "terms")), explanation.inputs);
        assert_string_equal(at(json, "formula")->valuestring, explanation.formula);
        assert_true(cJSON_IsArray(at(json, "not_included")));
        assert_non_null(strstr(text.text, explanation.formula));
        assert_int_equal(report_explain(&full, &e->plan, e, paths[i], false, true), 0);
        assert_int_equal(times_in(full.text, "\nbasis\n"),
                         times_in(out.text, "\"basis\": ") - times_in(out.text, "\"range\": "));
        assert_int_equal(times_in(text.text, "\n80 % range\n"), times_in(out.text, "\"range\": "));
        assert_int_equal(times_in(text.text, "\nbasis\n"), 1);
        for (int input = 0; input < explanation.inputs; input++) {
            char opened[EXPLAIN_PATH_MAX + 4];
            snprintf(opened, sizeof opened, "\n%s: ", explanation.input[input].path);
            assert_int_equal(times_in(full.text, opened), !explanation.input[input].is_key);
        }
        cJSON_Delete(json);
        buffer_free(&full);
        buffer_free(&text);
        buffer_free(&out);
    }
    free(e);
}

static void test_numbers_for_people(void **state)
{
    (void)state;
    static const struct {
        struct cell (*show)(double value);
        double value;
        const char *text;
    } cases[] = {
        {cell_bytes, 0, "0 B"}, {cell_bytes, 1023, "1023 B"}, {cell_bytes, 1024, "1.00 KiB"},
        {cell_bytes, 67108864, "64.0 MiB"},
        {cell_bytes, 1073741823, "1.00 GiB"}, {cell_bytes, -1073741824, "-1.00 GiB"}, {cell_bytes, 1e18, "888 PiB"},
        {cell_seconds, 0, "0 s"}, {cell_seconds, 0.0664, "66.4 ms"}, {cell_seconds, 59.99, "60.0 s"},
        {cell_seconds, 86400, "24.0 h"},
        {cell_seconds, 1e-9, "0.00 us"}, {cell_count, 6642515968.0, "6,642,515,968"}, {cell_count, 999, "999"},
        {cell_count, -1234567, "-1,234,567"}, {cell_share, 0.4388, "43.9%"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(cases[i].show(cases[i].value).text, cases[i].text);
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_string_equal(cases[i].show((double)NAN).text, "n/a");
        assert_string_equal(cases[i].show((double)INFINITY).text, "n/a");
    }
    assert_string_equal(cell_shape((const double[]){2048, 4, 0}, 3).text, "[2048, 4]");
    assert_string_equal(cell_fixed(12345678901.0, 0).text, "12345678901");
    assert_string_equal(cell_fixed(1e308, 0).text, "1e+308");
}

static void test_sections_are_found_by_name(void **state)
{
    (void)state;
    static const char *const asked[] = {"layers", "memory",     "grid",        "communication",
                                        "time",   "checkpoint", "diagnostics", "serving"};
    for (size_t i = 0; i < COUNT(asked); i++) {
        int section = report_section_find(asked[i]);
        assert_true(section > SECTION_ALL);
        struct estimate *e = estimate_of(EXAMPLE);
        char *text = written(e, (struct report_options){.section = (enum report_section)section});
        assert_true(strlen(text) > 20);
        free(text);
        free(e);
    }
    assert_int_equal(report_section_find("nothing"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_has_every_member_of_the_schema),
        cmocka_unit_test(test_json_of_every_kind_of_plan_parses),
        cmocka_unit_test(test_json_values_have_their_kinds),
        cmocka_unit_test(test_json_survives_hostile_names),
        cmocka_unit_test(test_json_writer_forms),
        cmocka_unit_test(test_json_of_one_section_has_only_that),
        cmocka_unit_test(test_long_lists_are_left_out_unless_asked_for),
        cmocka_unit_test(test_what_is_unknown_is_null_and_never_zero),
        cmocka_unit_test(test_every_component_stands_in_every_output),
        cmocka_unit_test(test_parts_of_every_stage_add_up),
        cmocka_unit_test(test_rows_stand_in_the_order_of_explain),
        cmocka_unit_test(test_collectives_of_layers_agree_with_the_traffic),
        cmocka_unit_test(test_dimensions_name_sequence_parallel_rows),
        cmocka_unit_test(test_cluster_calls_count_each_collective_once),
        cmocka_unit_test(test_csv_fields_are_quoted_where_needed),
        cmocka_unit_test(test_tables_print_unknown_as_empty_or_na),
        cmocka_unit_test(test_csv_records_have_as_many_fields_as_their_header),
        cmocka_unit_test(test_all_tables_follow_each_other_with_their_names),
        cmocka_unit_test(test_text_is_safe_and_ascii_when_asked),
        cmocka_unit_test(test_text_of_the_example_keeps_to_its_width),
        cmocka_unit_test(test_a_brief_report_is_one_screen),
        cmocka_unit_test(test_text_shows_every_stage_and_the_corrected_example),
        cmocka_unit_test(test_a_pipeline_says_how_many_hops_leave_a_node),
        cmocka_unit_test(test_what_waits_for_weight_gradients_has_a_row),
        cmocka_unit_test(test_rents_say_their_price),
        cmocka_unit_test(test_equal_stages_are_folded),
        cmocka_unit_test(test_several_frameworks_stand_side_by_side),
        cmocka_unit_test(test_check_line),
        cmocka_unit_test(test_explain_prints_every_value),
        cmocka_unit_test(test_numbers_for_people),
        cmocka_unit_test(test_sections_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
