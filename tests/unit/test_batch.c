/*
 * Batch: the golden lines of every estimator, answers in order, faults that do not stop it; the tool's report; plans.
 */
#include "tests/check.h"
#include "tests/json.h"

#include <sys/time.h>

#include "core/estimate/range.h"
#include "core/plan/engine.h"
#include "core/plan/param.h"
#include "src/cli/verbs/batch.h"
#include "src/plan/reference_plan.h"
#include "src/report/reference.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/text.h"

/* ---- running ---------------------------------------------------------------------------------------------------- */

/** What a run of batch gave. */
struct run {
    char *out, *err;
    size_t out_size, err_size;
    int status;
};

/* Removes the member "program" of each answer, which names the version. */
static void remove_program(char *answers)
{
    static const char begin[] = ", \"program\": {";
    for (char *at = answers; (at = strstr(at, begin));)
        memmove(at, strchr(at, '}') + 1, strlen(strchr(at, '}') + 1) + 1);
}

static struct run run_batch(const char *input, size_t size)
{
    struct run run = {0};
    FILE *in = tmpfile(), *out = open_memstream(&run.out, &run.out_size),
         *err = open_memstream(&run.err, &run.err_size);
    assert_true(in && out && err);
    assert_int_equal(fwrite(input, 1, size, in), size);
    rewind(in);
    run.status = batch_run(in, out, err, &(struct batch_options){0});
    fclose(in);
    fclose(out);
    fclose(err);
    remove_program(run.out);
    run.out_size = strlen(run.out);
    return run;
}

static void run_free(struct run *run)
{
    free(run->out);
    free(run->err);
}

/* ---- golden lines ----------------------------------------------------------------------------------------------- */

static void check_same(const struct node *actual, const struct node *expected, const char *where);

static void check_members(const struct node *actual, const struct node *expected, const char *where)
{
    char name[128];
    const struct node *entry = actual->child;
    for (const struct node *value = expected->child; value; value = value->next) {
        bool is_member = expected->kind == NODE_MAPPING;
        snprintf(name, sizeof name, "%.100s%s", is_member ? value->key : where, is_member ? "" : "[]");
        const struct node *same = is_member ? json_member(actual, value->key) : entry;
        assert_that(same != NULL, "%s is missing in %s", name, where);
        check_same(same, value, name);
        entry = is_member ? NULL : entry->next;
    }
    assert_that(expected->kind == NODE_MAPPING || !entry, "%s: too many entries", where);
}

static void check_same(const struct node *actual, const struct node *expected, const char *where)
{
    assert_that(actual && expected && actual->kind == expected->kind, "%s: another kind of value", where);
    if (expected->kind != NODE_VALUE)
        check_members(actual, expected, where);
    else if (isfinite(expected->number))
        assert_that(fabs(actual->number - expected->number) <= 1e-9 * fabs(expected->number),
                    "%s is %.17g, expected %.17g", where, actual->number, expected->number);
    else
        assert_that(actual->is_bare == expected->is_bare && strcmp(actual->text, expected->text) == 0,
                    "%s is %s, expected %s", where, actual->text, expected->text);
}

/* The members of an answer are those of `expected`, no more. */
static void check_no_others(const struct node *values, const struct node *expected)
{
    for (const struct node *value = values->child; value; value = value->next)
        assert_that(strcmp(value->key, "warnings") == 0 || json_member(expected, value->key), "%s is not expected",
                    value->key);
}

static void check_line(const struct node *line, const struct node *answer)
{
    const struct node *expected = json_member(line, "expected"), *rule = json_member(expected, "rule"),
                      *values = json_member(answer, "values");
    check_same(json_member(answer, "id"), json_member(line, "id"), "id");
    if (rule) {
        check_same(json_member(json_member(answer, "error"), "rule"), rule, "rule");
        return;
    }
    assert_that(values != NULL, "%s is refused", json_member(line, "id")->text);
    check_same(values, expected, "values");
    check_no_others(values, expected);
    if (json_member(line, "warnings"))
        check_same(json_member(values, "warnings"), json_member(line, "warnings"), "warnings");
}

static void check_golden(const char *path, size_t lines)
{
    struct errors errors = {0};
    size_t size = 0, count = 0;
    char *text = file_read(path, &size, &errors);
    assert_that(text != NULL, "%s cannot be read", path);
    struct run run = run_batch(text, size);
    char *line = text, *answer = run.out;
    while (*line) {
        size_t n = strcspn(line, "\n"), m = strcspn(answer, "\n");
        struct node *asked = json_nodes(line, n), *replied = json_nodes(answer, m);
        assert_true(asked && replied);
        check_line(asked, replied);
        node_free(asked);
        node_free(replied);
        line += n + (line[n] == '\n');
        answer += m + (answer[m] == '\n');
        count++;
    }
    assert_int_equal(count, lines);
    assert_int_equal(*answer, '\0');
    assert_int_equal(run.status, 0);
    run_free(&run);
    free(text);
}

static void golden_lines_of_every_estimator(void **state)
{
    (void)state;
    check_golden("tests/golden/deepspeed.jsonl", 20);
    check_golden("tests/golden/megatron_report.jsonl", 15);
    check_golden("tests/golden/megatron_tool.jsonl", 12);
    check_golden("tests/golden/llm_analysis.jsonl", 46);
}

/* ---- faults ----------------------------------------------------------------------------------------------------- */

static void check_run(const char *input, const char *output, const char *errors, int status)
{
    struct run run = run_batch(input, strlen(input));
    assert_message(run.out, output);
    assert_message(run.err, errors);
    assert_int_equal(run.status, status);
    run_free(&run);
}

#define ZERO2 "\"estimator\": \"deepspeed\", \"fn\": \"zero2\", \"inputs\": {\"total_params\": 1e9}"
#define NEEDS "\"values\": {\"cpu_bytes\": 24000000000, \"gpu_bytes\": 2000000000}"

static void answers_come_in_order_with_their_ids(void **state)
{
    (void)state;
    check_run("", "", "", 0);
    check_run("{\"id\": 1, " ZERO2 "}\n \t\r\n{" ZERO2 ", \"id\": [\"a\\\"\", {\"b\": 1.50}]}",
              "{\"id\": 1, " NEEDS "}\n{\"id\": [\"a\\\"\", {\"b\": 1.50}], " NEEDS "}\n", "", 0);
    check_run("{" ZERO2 "}\r\n", "{\"id\": null, " NEEDS "}\n", "", 0);
}

static void lines_that_are_no_object_are_named_and_passed(void **state)
{
    (void)state;
    check_run("{\"id\": 1,\n[1]\n{\"id\": 2, " ZERO2 "}\n",
              "{\"id\": null, \"error\": {\"rule\": \"not_json\", \"message\": \"line 1: column 10: is not valid "
              "JSON; check commas, quotes and braces here\"}}\n"
              "{\"id\": null, \"error\": {\"rule\": \"not_json\", \"message\": \"line 2: not an object\"}}\n"
              "{\"id\": 2, " NEEDS "}\n",
              "-:1: column 10: is not valid JSON; check commas, quotes and braces here; write one JSON object a line\n"
              "-:2: not an object; write one JSON object a line\n", 2);
}

/* A plan beside an estimator is answered by that estimator. */
static void an_estimator_answers_a_plan(void **state)
{
    static const char line[] = "{\"id\": 1, \"plan\": {\"model\": \"llama2-7b\", \"train.seq_length\": 4096}, "
                               "\"estimator\": \"llm-analysis\"}\n";
    struct run run = run_batch(line, sizeof line - 1);
    (void)state;
    static const char start[] = "{\"id\": 1, \"values\": {\"batch_size_per_gpu\": 1, ";
    assert_that(run.status == 0 && strncmp(run.out, start, sizeof start - 1) == 0, "%.80s", run.out);
    run_free(&run);
}

static void what_cannot_be_answered_is_an_error_and_no_failure(void **state)
{
    static const char *const cases[][2] = {
        {"{\"id\": 1}", "unknown_request"},
        {"{\"estimator\": \"x\", \"fn\": \"y\"}", "unknown_estimator"},
        {"{\"estimator\": \"deepspeed\", \"fn\": \"zero1\"}", "unknown_fn"},
        {"{\"estimator\": \"deepspeed\", \"fn\": \"zero2\"}", "input_missing"},
        {"{\"estimator\": \"deepspeed\", \"fn\": \"zero2\", \"inputs\": {\"total_params\": \"1\"}}", "input_kind"},
        {"{\"estimator\": \"llm-analysis\", \"fn\": \"train\", \"inputs\": {\"model_name\": 7}}", "input_kind"},
        {"{\"estimator\": \"llm-analysis\", \"fn\": \"train\", \"inputs\": {\"flash_attn\": \"yes\"}}", "input_kind"},
        {"{\"plan\": {\"parallel.tpp\": 2}}", "bad_plan"},
        {"{\"plan\": 7}", "bad_plan"},
        {"{\"plan\": {\"model\": \"llama2-7b\"}, \"estimator\": \"x\"}", "unknown_estimator"},
        {"{\"plan\": {}, \"estimator\": \"llm-analysis\"}", "bad_plan"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct run run = run_batch(cases[i][0], strlen(cases[i][0]));
        struct node *answer = json_nodes(run.out, run.out_size - 1);
        assert_string_equal(json_member(json_member(answer, "error"), "rule")->text, cases[i][1]);
        node_free(answer);
        assert_int_equal(run.status, 0);
        assert_int_equal(run.err_size, 0);
        run_free(&run);
    }
}

static void inputs_that_an_estimator_lacks_are_named(void **state)
{
    (void)state;
    check_run("{\"id\": 1, \"estimator\": \"deepspeed\", \"fn\": \"zero2\", \"inputs\": {\"total_params\": 1e9, "
              "\"total_parms\": 1}}\n",
              "{\"id\": 1, " NEEDS ", \"ignored\": [\"total_parms\"]}\n", "", 0);
}

static void texts_of_the_caller_are_made_safe(void **state)
{
    const char *line = "{\"id\": 1, \"estimator\": \"llm-analysis\", \"fn\": \"infer\", \"inputs\": {\"model_name\": "
                       "\"\\u001b[2J\\\"\"}}";
    (void)state;
    struct run run = run_batch(line, strlen(line));
    assert_null(strchr(run.out, '\033'));
    assert_non_null(strstr(run.out, "unknown model '?[2J\\\"'"));
    run_free(&run);
}

static void long_lines_are_skipped(void **state)
{
    size_t size = 3 * BATCH_LINE_MAX;
    char *text = malloc(size + 256);
    (void)state;
    memset(text, 'x', size);
    strcpy(text + size, "\n{" ZERO2 "}");
    struct run run = run_batch(text, strlen(text));
    assert_string_equal(
        run.out,
        "{\"id\": null, \"error\": {\"rule\": \"line_too_long\", \"message\": \"line 1: longer than 1 MiB\"}}\n"
        "{\"id\": null, " NEEDS "}\n");
    assert_int_equal(run.status, 2);
    run_free(&run);
    free(text);
}

static void plans_answer_with_a_result(void **state)
{
    const char *line =
        "{\"id\": 7, \"plan\": {\"model\": \"llama2-7b\", \"parallel.tp\": 2, \"train\": {\"micro_batch_size\": 1}}}\n";
    (void)state;
    struct run run = run_batch(line, strlen(line));
    struct node *answer = json_nodes(run.out, run.out_size - 1);
    assert_same(json_member(json_member(json_member(answer, "result"), "parameters"), "total")->number, 6738415616);
    node_free(answer);
    assert_int_equal(strcspn(run.out, "\n"), run.out_size - 1);
    assert_int_equal(run.status, 0);
    run_free(&run);
}

static void only_what_is_wanted_is_answered(void **state)
{
    (void)state;
    check_run(
        "{\"id\": 1, \"plan\": {}, \"want\": [\"memory.fits\", \"valid\", \"serving.prefill_s\", "
        "\"plan.model.num_layers.from\"]}\n"
        "{\"id\": 2, \"plan\": {\"model\": \"llama3-8b\", \"parallel.pp\": 2}, \"want\": [\"memory.stages.1.stage\", "
        "\"plan.parallel.pp\"]}\n"
        "{\"id\": 3, \"plan\": {\"model\": \"llama3-8b\", \"parallel.pp\": 2}, \"want\": [\"memory.stages.stage\"]}\n"
        "{\"id\": 4, \"plan\": {}, \"want\": [\"full_model.params\", \"full_model\"]}\n",
        "{\"id\": 1, \"result\": {\"valid\": false, \"plan\": {\"model.num_layers\": {\"from\": \"default\"}}, "
        "\"memory\": {\"fits\": null}, "
        "\"serving\": null}}\n"
        "{\"id\": 2, \"result\": {\"plan\": {\"parallel.pp\": {\"value\": 2, \"from\": \"set\"}}, \"memory\": "
        "{\"stages\": [{}, {\"stage\": 1}]}}}\n"
        "{\"id\": 3, \"result\": {\"memory\": {\"stages\": [{\"stage\": 0}, {\"stage\": 1}]}}}\n"
        "{\"id\": 4, \"result\": {\"full_model\": {\"params\": null, \"param_bytes\": null, \"gradient_bytes\": null, "
        "\"optimizer_bytes\": null, \"activations_bytes\": null, \"total_bytes\": null}}}\n",
        "", 0);
}

static void members_that_no_request_has_are_refused(void **state)
{
    (void)state;
    static const char *const lines[][2] = {
        {"{\"id\": 1, \"plan\": {}, \"secton\": \"x\"}", "unknown_member"},
        {"{\"id\": 1, \"plan\": {}, \"inputs\": {}}", "unknown_member"},
        {"{\"id\": 1, \"estimator\": \"deepspeed\", \"fn\": \"zero2\", \"input\": {}}", "unknown_"},
        {"{\"id\": 1, \"plan\": {}, \"search\": {\"top\": 1}, \"advice\": {}}", "'advice' is another question"},
        {"{\"id\": 1, \"plan\": {}, \"plan\": {\"model\": \"llama3-8b\"}}", "'plan' is given twice; keep one"},
        {"{\"id\": 1, \"plan\": {}, \"want\": [\"valid\"], \"want\": []}", "'want' is given twice; keep one"},
        {"{\"id\": 1, \"plan\": {}, \"search\": 5}", "search: is not an object"},
        {"{\"id\": 1, \"plan\": {}, \"sweep\": {\"keys\": [1]}}", "keys: is not an object"},
        {"{\"id\": 1, \"plan\": {}, \"sweep\": {\"keys\": {\"--restore\": \"1\"}}}", "--restore: is not a key"},
        {"{\"id\": 1, \"plan\": {\"tp\": \"\"}}", "tp: empty value; null resets a key"},
        {"{\"id\": 1, \"plan\": {\"tp\": \"\"}, \"search\": {}}", "tp: empty value; null resets a key"},
        {"{\"id\": 1, \"plan\": {\"gpus\": \"\"}}", "gpus: empty value"},
        {"{\"id\": 1, \"plan\": {\"tp\": {}}}", "'{}' (column 1) is not a number"},
        {"{\"id\": 1, \"plan\": {\"gpus\": 8, \"nodes\": 3}}", "set only one"},
        {"{\"id\": 1, \"plan\": {\"gpus\": 16, \"nodes\": 2, \"tp\": null, \"train\": {}}}", "\"result\""},
        {"{\"id\": 1, \"plan\": {\"gpus\": null, \"model\": \"llama3-8b\", \"tp\": null}, \"search\": {}}",
         "\"search\": {"},
        {"{\"id\": 1, \"plan\": {}, \"want\": [\"memory.fit\"]}", "unknown_value"},
        {"{\"id\": 1, \"plan\": {}, \"want\": \"memory\"}", "bad_want"},
        {"{\"id\": 1, \"plan\": {}, \"want\": [\"\"]}", "bad_want"},
        {"{\"id\": 1, \"plan\": {}, \"estimator\": \"deepspeed\", \"want\": []}", "bad_want"},
    };
    for (size_t i = 0; i < COUNT(lines); i++) {
        struct run run = run_batch(lines[i][0], strlen(lines[i][0]));
        assert_that(check_mentions(run.out, lines[i][1]) && run.status == 0, "%s: %s", lines[i][0], run.out);
        run_free(&run);
    }
}

static void the_disk_full_is_a_failure(void **state)
{
    FILE *in = tmpfile(), *out = fopen("/dev/full", "w"), *err = tmpfile();
    (void)state;
    if (!out)
        skip();
    fputs("{" ZERO2 "}\n", in);
    rewind(in);
    assert_int_equal(batch_run(in, out, err, &(struct batch_options){0}), 3);
    fclose(in);
    fclose(out);
    fclose(err);
}

/* ---- JSON text -------------------------------------------------------------------------------------------------- */

static void json_is_checked_to_the_letter(void **state)
{
    static const char *const good[] = {"0",    "-0.5e+10",           "true",
                                       "null", "\"\\u00e9\\\\\\/\"", "[]",
                                       "{}",   " [1, {\"a\": []}] ", "\"\xc3\xa9\xf0\x9f\x98\x80\""};
    static const char *const bad[] = {"", "01", "1.", "+1", ".5", "1e", "-", "nul", "'a'", "\"a", "\"\\x\"",
                                      "\"\\u12g4\"", "\"\t\"", "[1,]", "[1 2]",
                                      "{\"a\"}", "{\"a\":1,}", "{a:1}", "1 2", "[", "\"\xc3\"", "\"\xed\xa0\x80\"",
                                      "\"\xc0\x80\"", "NaN", "Infinity"};
    char deep[200];
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++)
        assert_that(json_is_valid(good[i], strlen(good[i])), "%s is refused", good[i]);
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_that(!json_is_valid(bad[i], strlen(bad[i])), "%s is accepted", bad[i]);
    memset(deep, '[', 65);
    memset(deep + 65, ']', 65);
    assert_false(json_is_valid(deep, 130));
    assert_true(json_is_valid(deep + 1, 128));
}

static void strings_and_numbers_are_read(void **state)
{
    static const struct {
        const char *json, *text;
    } strings[] = {
        {"\"\"", ""}, {"\"a\\n\\t\\\"\\\\\\/\"", "a\n\t\"\\/"}, {"\"\\u00e9\"", "\xc3\xa9"},
        {"\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80"},
    };
    static const struct {
        const char *json;
        double number;
        const char *text;
    } numbers[] = {
        {"9007199254740993", 9007199254740992.0, "9007199254740992"}, {"-1.5e3", -1500, "-1500"}, {"-0", 0, "0"},
        {"12.50", 12.5, "12.5"}, {"123456789012345", 123456789012345, "123456789012345"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(strings); i++) {
        struct node *node = json_nodes(strings[i].json, strlen(strings[i].json));
        assert_string_equal(node->text, strings[i].text);
        assert_true(isnan(node->number) && !node->has_nul && node->source_size == strlen(strings[i].json));
        node_free(node);
    }
    for (size_t i = 0; i < COUNT(numbers); i++) {
        struct node *node = json_nodes(numbers[i].json, strlen(numbers[i].json));
        assert_same(node->number, numbers[i].number);
        assert_string_equal(node->text, numbers[i].text);
        node_free(node);
    }
    assert_false(json_is_valid("\"\\ud83d\"", 8)); /* half a character */
    struct node *list = json_nodes("[\"\\u0000\", 1e999, true]", 23);
    assert_true(list->child->has_nul && list->child->next->is_huge && isnan(list->child->next->next->number));
    node_free(list);
}

/* ---- reports and plans ------------------------------------------------------------------------------------------ */

static struct reference_inputs in;
static struct reference_answer answer;

static int from_plan(const char *settings, enum reference_id id, char *why)
{
    struct plan plan, resolved;
    check_plan(&plan, settings);
    plan_resolve(&plan, &resolved);
    int result = reference_from_plan(&resolved, id, &in, why);
    if (result == 0)
        reference_run(&in, &answer);
    return result;
}

/* Types of served weights are more than compute types, which a table of the latter was once indexed by. */
static void every_type_of_served_weights_has_its_bits(void **state)
{
    (void)state;
    for (int type = 0; type < WEIGHT_COUNT; type++) {
        char settings[512], why[REFERENCE_WHY_MAX];
        snprintf(settings, sizeof settings, LLAMA3_8B "workload=inference serve.weight_dtype=%s",
                 param_rows[PARAM_serve_weight_dtype].choices[type]);
        int result = from_plan(settings, REFERENCE_LLM, why);
        assert_int_equal(result, type == WEIGHT_FP32 ? -1 : 0);
        if (result == 0)
            assert_near(in.of.llm.dtype.weight_bits, 8 * weight_facts(type).value, 1e-9);
    }
}

#define EXAMPLE                                                                                                        \
    GPT_6B "tp=2 pp=2 zero_stage=1 micro_batch_size=4 global_batch_size=512 nodes=2 make_vocab_size_divisible_by=128 "

static void tool_prints_its_example_line_by_line(void **state)
{
    struct errors errors = {0};
    struct buffer report = {0};
    char why[REFERENCE_WHY_MAX];
    size_t size;
    char *expected = file_read("tests/golden/megatron_tool.txt", &size, &errors);
    (void)state;
    assert_non_null(expected);
    assert_int_equal(from_plan(EXAMPLE, REFERENCE_TOOL, why), 0);
    report_reference(&report, &in, &answer);
    assert_string_equal(report.text, expected);
    buffer_free(&report);
    free(expected);
}

/* 2.5 micro-batches of 2 chunks: a finding, null, and the next line is answered too. */
static void a_schedule_that_cannot_run_is_null_and_stops_nothing(void **state)
{
    static const char lines[] =
        "{\"id\": 1, \"plan\": {\"model\": \"gpt2-xl\", \"hardware.gpus_per_node\": 4, \"parallel.pp\": 2, "
        "\"parallel.vpp\": 2, "
        "\"train.global_batch_size\": 5}}\n{\"id\": 2, \"plan\": {}}\n";
    struct run run = run_batch(lines, sizeof lines - 1);
    (void)state;
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "\"iteration_s\": null"));
    assert_non_null(strstr(run.out, "\"in_flight\": null"));
    assert_true(check_mentions(run.out, "2.5 micro-batches do not divide into groups of 2"));
    assert_non_null(strstr(run.out, "\n{\"id\": 2, "));
    run_free(&run);
}

static void plans_reach_every_estimator(void **state)
{
    static const struct {
        const char *settings;
        enum reference_id id;
        enum reference_fn fn;
    } cases[] = {
        {EXAMPLE, REFERENCE_TOOL, REFERENCE_TOOL_ANALYZE},
        {EXAMPLE, REFERENCE_REPORT, REFERENCE_REPORT_REPORT},
        {DEEPSEEK_V3 "tp=2 pp=16 ep=8 nodes=128 sp=true recompute=selective", REFERENCE_REPORT,
         REFERENCE_REPORT_REPORT},
        {LLAMA2_7B "tp=8 sp=true zero_stage=1 max_position_embeddings=4096", REFERENCE_LLM, REFERENCE_LLM_TRAIN},
        {LLAMA2_7B "workload=inference", REFERENCE_LLM, REFERENCE_LLM_INFER},
        {LLAMA2_7B "zero_stage=2", REFERENCE_DEEPSPEED, REFERENCE_ZERO2},
        {LLAMA2_7B "zero_stage=3", REFERENCE_DEEPSPEED, REFERENCE_ZERO3},
    };
    char why[REFERENCE_WHY_MAX];
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buffer report = {0};
        assert_that(from_plan(cases[i].settings, cases[i].id, why) == 0, "%s: %s", cases[i].settings, why);
        assert_int_equal(in.fn, cases[i].fn);
        assert_that(!answer.rule, "%s: %s", cases[i].settings, answer.message);
        report_reference(&report, &in, &answer);
        assert_true(report.size > 100);
        buffer_free(&report);
    }
    assert_int_equal(from_plan(LLAMA2_7B "zero_stage=2", REFERENCE_DEEPSPEED, why), 0);
    assert_same(in.of.deepspeed.total_params, 6738415616);
    assert_same(in.of.deepspeed.largest_layer_params, 32000.0 * 4096);
}

static void plans_that_an_estimator_cannot_express_say_why(void **state)
{
    char why[REFERENCE_WHY_MAX];
    (void)state;
    assert_int_equal(from_plan("num_layers=2", REFERENCE_TOOL, why), -1);
    assert_string_equal(why, "model.hidden_size is unknown; megatron-tool needs it");
    assert_int_equal(from_plan(LLAMA2_7B "zero_stage=1", REFERENCE_DEEPSPEED, why), -1);
    assert_string_equal(why, "parallel.zero_stage is 1; DeepSpeed's functions support ZeRO-2 and ZeRO-3");
    assert_int_equal(from_plan(LLAMA2_7B "dtype=fp32", REFERENCE_LLM, why), -1);
    assert_string_equal(why, "train.dtype is fp32; llm-analysis supports 16, 8 and 4 bits");
}

/* The help names inputs and keys that there are; it is printed from the tables that are applied. */
static void help_names_inputs_and_keys(void **state)
{
    (void)state;
    for (int id = 0; id < REFERENCE_COUNT; id++) {
        struct buffer help = {0};
        const struct reference_function *f = NULL;
        int lines = 0;
        reference_plan_help(&help, (enum reference_id)id);
        for (char *line = strtok(help.text, "\n"); line; line = strtok(NULL, "\n")) {
            char input[64], key[64], path[80], name[32];
            for (int fn = 0; fn < REFERENCE_FN_COUNT && sscanf(line, "%*[^,], %31[a-z0-9]", name) == 1; fn++)
                if ((int)reference_functions[fn]->estimator == id && strcmp(reference_functions[fn]->name, name) == 0)
                    f = reference_functions[fn];
            if (line[0] != ' ')
                continue;
            assert_int_equal(sscanf(line, "%63s %63[^ ,]", input, key), 2);
            snprintf(path, sizeof path, "%s%s", strchr(input, '.') ? "" : "inputs.", input);
            assert_that(f && reference_member_find(f->inputs, f->input_count, 0, path, strlen(path)) >= 0, "%s", line);
            assert_that(param_find(key) >= 0 || strcmp(key, "model") == 0 || line[51] == ' ', "%s", line);
            lines++;
        }
        assert_true(lines > 4);
        buffer_free(&help);
    }
}

/* The shapes of a plan are those of the names that llm-analysis ships, where these are right. */
static void a_plan_equals_the_shipped_name(void **state)
{
    char why[REFERENCE_WHY_MAX];
    (void)state;
    assert_int_equal(from_plan(LLAMA2_7B
                               "tp=8 sp=true zero_stage=1 ffn_hidden_size=16384 micro_batch_size=1 global_batch_size=8",
                               REFERENCE_LLM, why),
                     0);
    double flops = answer.values.train.num_flops_total_per_micro_batch, weights = answer.values.train.weight_memory;
    reference_defaults(REFERENCE_LLM_TRAIN, &in);
    strcpy(in.of.llm.model_name.text, "NousResearch_Llama-2-7b-hf");
    strcpy(in.of.llm.gpu_name.text, "h100-sxm-80gb");
    in.of.llm.tp_size = 8;
    in.of.llm.ds_zero = 1;
    in.of.llm.batch_size_per_gpu = 1;
    reference_run(&in, &answer);
    assert_null(answer.rule);
    assert_same(answer.values.train.num_flops_total_per_micro_batch, flops);
    assert_same(answer.values.train.weight_memory, weights);
}

/* ---- requests that end the process ------------------------------------------------------------------------------ */

void __real_estimate_plan(const struct plan *plan, struct estimate *out);
void __wrap_estimate_plan(const struct plan *plan, struct estimate *out);

/* Plans of 1313 layers crash, those of 1717 never end. */
void __wrap_estimate_plan(const struct plan *plan, struct estimate *out)
{
    volatile bool goes_on = plan->value[PARAM_model_num_layers] == 1717;
    if (plan->value[PARAM_model_num_layers] == 1313)
        abort();
    if (goes_on)
        setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_usec = 50000}, NULL); /* no test waits for the limit */
    while (goes_on)
        ;
    __real_estimate_plan(plan, out);
}

/* A crash or a request without an end costs one error answer, and the lines behind it are answered. */
static void a_request_that_crashes_costs_one_answer(void **state)
{
    (void)state;
    char line[8][256];
    static const int layers[] = {12, 1313, 1313, 1717, 12};
    FILE *lines = tmpfile(), *out = tmpfile(), *err = tmpfile();
    for (size_t i = 0; i < COUNT(layers); i++)
        fprintf(lines, "{\"id\": %zu, \"plan\": {\"model\": \"llama3-8b\", \"num_layers\": %d, \"gpus\": 8}, "
                    "\"want\": [\"valid\"]}\n", i, layers[i]);
    rewind(lines);
    assert_int_equal(batch_run(lines, out, err, &(struct batch_options){.is_apart = true}), 0);
    rewind(out);
    for (size_t i = 0; i < COUNT(layers); i++)
        assert_non_null(fgets(line[i], sizeof line[i], out));
    assert_non_null(strstr(line[0], "{\"id\": 0, \"result\""));
    assert_non_null(strstr(line[1], "{\"id\": 1, \"error\": {\"rule\": \"crashed\", \"message\": \"line 2: "));
    assert_non_null(strstr(line[2], "{\"id\": 2, \"error\": {\"rule\": \"crashed\", \"message\": \"line 3: "));
    assert_non_null(strstr(line[3], "{\"id\": 3, \"error\": {\"rule\": \"too_slow\""));
    assert_non_null(strstr(line[4], "{\"id\": 4, \"result\""));
    fclose(lines);
    fclose(out);
    fclose(err);
}

void __real_range_time(const struct estimate *e, struct time_range *out);
void __wrap_range_time(const struct estimate *e, struct time_range *out);

static int ranges_of_time;

void __wrap_range_time(const struct estimate *e, struct time_range *out)
{
    ranges_of_time++;
    __real_range_time(e, out);
}

/* The range of time costs more than all else of a request: only requests that want it pay for it. */
static void ranges_are_worked_out_where_wanted(void **state)
{
    static const struct {
        const char *want;
        int ranges;
    } cases[] = {{"[\"time.iteration_s\", \"time.mfu\", \"memory.fits\", \"training.cost\"]", 0},
                 {"[\"memory.range\"]", 0},
                 {"[\"time.range\", \"time.range_level\"]", 1},
                 {"[\"training.range\"]", 1},
                 {"[\"time\"]", 1}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char line[256];
        snprintf(line, sizeof line, "{\"plan\": {\"model\": \"llama3-8b\", \"tp\": 8, \"total_tokens\": 1e12}, "
                 "\"want\": %s}\n", cases[i].want);
        ranges_of_time = 0;
        struct run run = run_batch(line, strlen(line));
        assert_non_null(strstr(run.out, "\"result\""));
        assert_that(ranges_of_time == cases[i].ranges, "%s: %d ranges of time", cases[i].want, ranges_of_time);
        run_free(&run);
    }
}

/* Commands as requests: the answers are on one line each, and an option that writes a file is refused. */
static void searches_advice_and_sweeps_are_answered(void **state)
{
#define ON_8 "\"plan\": {\"model\": \"llama3-8b\", \"gpus\": 8}"
    static const char input[] = "{\"id\": 1, " ON_8 ", \"search\": {\"top\": 1, \"where\": [\"tp<=2\"]}}\n"
                                "{\"id\": 2, " ON_8 ", \"advice\": {\"top\": 1}}\n"
                                "{\"id\": 3, " ON_8 ", \"sweep\": {\"keys\": {\"tp\": [1, 2]}}}\n"
                                "{\"id\": 4, \"plan\": {}, \"search\": {\"output\": \"x\"}}\n";
    static const char *const begin[] = {"{\"id\": 1, \"search\": {", "{\"id\": 2, \"advice\": {",
                                        "{\"id\": 3, \"sweep\": {", "{\"id\": 4, \"error\": {"};
    (void)state;
    struct run run = run_batch(input, strlen(input));
    const char *at = run.out;
    for (size_t i = 0; i < COUNT(begin); i++) {
        assert_that(strncmp(at, begin[i], strlen(begin[i])) == 0, "%.60s", at);
        assert_true(json_is_valid(at, strcspn(at, "\n")));
        at += strcspn(at, "\n") + 1;
    }
    assert_int_equal(run.status, 0);
    run_free(&run);
}

/* Several workers answer in the order of the lines, with a blank line and one that is no request among them. */
static void workers_answer_in_order(void **state)
{
    struct buffer input = {0};
    FILE *lines = tmpfile(), *out = tmpfile(), *err = tmpfile();
    (void)state;
    for (int i = 0; i < 300; i++)
        buffer_printf(&input, "{\"id\": %d, \"plan\": {\"num_layers\": %d}, \"want\": [\"valid\"]}\n%s", i, i + 1,
                      i == 150 ? "\nno\n" : "");
    fwrite(input.text, 1, input.size, lines);
    rewind(lines);
    assert_int_equal(batch_run(lines, out, err, &(struct batch_options){.is_apart = true, .workers = 3}), 2);
    rewind(out);
    char line[512], begin[32];
    for (int i = 0; i < 301; i++) {
        assert_non_null(fgets(line, sizeof line, out));
        snprintf(begin, sizeof begin, i == 151 ? "{\"id\": null" : "{\"id\": %d,", i - (i > 151));
        assert_that(strncmp(line, begin, strlen(begin)) == 0, "line %d: %.60s", i, line);
    }
    assert_null(fgets(line, sizeof line, out));
    fclose(lines);
    fclose(out);
    fclose(err);
    buffer_free(&input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_lines_of_every_estimator),
        cmocka_unit_test(answers_come_in_order_with_their_ids),
        cmocka_unit_test(lines_that_are_no_object_are_named_and_passed),
        cmocka_unit_test(an_estimator_answers_a_plan),
        cmocka_unit_test(what_cannot_be_answered_is_an_error_and_no_failure),
        cmocka_unit_test(inputs_that_an_estimator_lacks_are_named),
        cmocka_unit_test(texts_of_the_caller_are_made_safe),
        cmocka_unit_test(long_lines_are_skipped),
        cmocka_unit_test(plans_answer_with_a_result),
        cmocka_unit_test(only_what_is_wanted_is_answered),
        cmocka_unit_test(members_that_no_request_has_are_refused),
        cmocka_unit_test(the_disk_full_is_a_failure),
        cmocka_unit_test(json_is_checked_to_the_letter),
        cmocka_unit_test(strings_and_numbers_are_read),
        cmocka_unit_test(tool_prints_its_example_line_by_line),
        cmocka_unit_test(a_schedule_that_cannot_run_is_null_and_stops_nothing),
        cmocka_unit_test(plans_reach_every_estimator),
        cmocka_unit_test(plans_that_an_estimator_cannot_express_say_why),
        cmocka_unit_test(help_names_inputs_and_keys),
        cmocka_unit_test(a_plan_equals_the_shipped_name),
        cmocka_unit_test(a_request_that_crashes_costs_one_answer),
        cmocka_unit_test(ranges_are_worked_out_where_wanted),
        cmocka_unit_test(searches_advice_and_sweeps_are_answered),
        cmocka_unit_test(workers_answer_in_order),
        cmocka_unit_test(every_type_of_served_weights_has_its_bits),
    };
    return cmocka_run_group_tests_name("batch", tests, NULL, NULL);
}
