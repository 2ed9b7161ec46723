/*
 * Batch: the golden lines of every estimator, answers in order, faults that do not stop it; the tool's report; plans.
 */
#include "tests/check.h"

#include "core/plan/param.h"
#include "src/cli/batch.h"
#include "src/plan/reference_plan.h"
#include "src/report/reference.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/json_pull.h"
#include "src/text/text.h"

/* ---- running ---------------------------------------------------------------------------------------------------- */

/** What a run of batch gave. */
struct run {
    char *out, *err;
    size_t out_size, err_size;
    int status;
};

static struct run run_batch(const char *input, size_t size)
{
    struct run run = {0};
    FILE *in = tmpfile(), *out = open_memstream(&run.out, &run.out_size),
         *err = open_memstream(&run.err, &run.err_size);
    assert_true(in && out && err);
    assert_int_equal(fwrite(input, 1, size, in), size);
    rewind(in);
    run.status = batch_run(in, out, err);
    fclose(in);
    fclose(out);
    fclose(err);
    return run;
}

static void run_free(struct run *run)
{
    free(run->out);
    free(run->err);
}

/* ---- golden lines ----------------------------------------------------------------------------------------------- */

static struct json_piece piece(const char *text, size_t size)
{
    return (struct json_piece){text, size};
}

static struct json_piece member(struct json_piece object, const char *name)
{
    struct json_walk walk;
    struct json_piece key, value;
    if (object.size && json_pull_open(&walk, object))
        while (json_pull_next(&walk, &key, &value))
            if (json_pull_is(key, name))
                return value;
    return (struct json_piece){0};
}

static void check_same(struct json_piece actual, struct json_piece expected, const char *where);

static void check_members(struct json_piece actual, struct json_piece expected, const char *where)
{
    struct json_walk want, have;
    struct json_piece key, value, entry, none;
    char name[128];
    assert_that(json_pull_open(&want, expected) && json_pull_open(&have, actual) && want.is_object == have.is_object,
                "%s: other kind of value", where);
    while (json_pull_next(&want, &key, &value)) {
        if (want.is_object) {
            snprintf(name, sizeof name, "%.*s", (int)key.size, key.text);
            entry = member(actual, name);
            assert_that(entry.size > 0, "%s: no %s", where, name);
        } else {
            assert_that(json_pull_next(&have, &none, &entry), "%s: entries are missing", where);
            snprintf(name, sizeof name, "%.100s[]", where);
        }
        check_same(entry, value, name);
    }
    assert_that(want.is_object || !json_pull_next(&have, &none, &entry), "%s: too many entries", where);
}

static void check_same(struct json_piece actual, struct json_piece expected, const char *where)
{
    double have, want;
    if (*expected.text == '{' || *expected.text == '[') {
        check_members(actual, expected, where);
    } else if (json_pull_number(expected, &want)) {
        assert_that(json_pull_number(actual, &have), "%s is no number: %.*s", where, (int)actual.size, actual.text);
        assert_that(fabs(have - want) <= 1e-9 * fabs(want), "%s is %.17g, expected %.17g", where, have, want);
    } else {
        assert_that(actual.size == expected.size && memcmp(actual.text, expected.text, actual.size) == 0,
                    "%s is %.*s, expected %.*s", where, (int)actual.size, actual.text, (int)expected.size,
                    expected.text);
    }
}

/* The members of an answer are those of `expected`, no more. */
static void check_no_others(struct json_piece values, struct json_piece expected)
{
    struct json_walk walk;
    struct json_piece key, value;
    char name[128];
    json_pull_open(&walk, values);
    while (json_pull_next(&walk, &key, &value)) {
        snprintf(name, sizeof name, "%.*s", (int)key.size, key.text);
        assert_that(json_pull_is(key, "warnings") || member(expected, name).size, "%s is not expected", name);
    }
}

static void check_line(struct json_piece line, struct json_piece answer)
{
    struct json_piece expected = member(line, "expected"), rule = member(expected, "rule"),
                      values = member(answer, "values");
    check_same(member(answer, "id"), member(line, "id"), "id");
    if (rule.size) {
        check_same(member(member(answer, "error"), "rule"), rule, "rule");
        return;
    }
    assert_that(values.size > 0, "refused: %.*s", (int)answer.size, answer.text);
    check_same(values, expected, "values");
    check_no_others(values, expected);
    if (member(line, "warnings").size)
        check_same(member(values, "warnings"), member(line, "warnings"), "warnings");
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
        check_line(piece(line, n), piece(answer, m));
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
    assert_string_equal(run.out, output);
    assert_string_equal(run.err, errors);
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
              "{\"id\": null, \"error\": {\"rule\": \"not_json\", \"message\": \"line 1: column 10: here should be a "
              "key in quotes\"}}\n"
              "{\"id\": null, \"error\": {\"rule\": \"not_json\", \"message\": \"line 2: not an object\"}}\n"
              "{\"id\": 2, " NEEDS "}\n",
              "-:1: column 10: here should be a key in quotes; write one JSON object a line\n-:2: not an object; write "
              "one JSON object a line\n", 2);
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
        char rule[64];
        json_pull_text(member(member(piece(run.out, run.out_size - 1), "error"), "rule"), rule, sizeof rule);
        assert_string_equal(rule, cases[i][1]);
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
    assert_non_null(strstr(run.out, "no model '?[2J\\\"' is shipped"));
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
    struct json_piece result = member(piece(run.out, run.out_size - 1), "result");
    double total = 0;
    assert_true(json_pull_number(member(member(result, "parameters"), "total"), &total));
    assert_same(total, 6738415616);
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
        "{\"id\": 3, \"plan\": {\"model\": \"llama3-8b\", \"parallel.pp\": 2}, \"want\": [\"memory.stages.stage\"]}\n",
        "{\"id\": 1, \"result\": {\"valid\": false, \"plan\": {\"model.num_layers\": {\"from\": \"default\"}}, "
        "\"memory\": {\"fits\": null}, "
        "\"serving\": null}}\n"
        "{\"id\": 2, \"result\": {\"plan\": {\"parallel.pp\": {\"value\": 2, \"from\": \"set\"}}, \"memory\": "
        "{\"stages\": [{}, {\"stage\": 1}]}}}\n"
        "{\"id\": 3, \"result\": {\"memory\": {\"stages\": [{\"stage\": 0}, {\"stage\": 1}]}}}\n",
        "", 0);
}

static void members_that_no_request_has_are_refused(void **state)
{
    (void)state;
    static const char *const lines[][2] = {
        {"{\"id\": 1, \"plan\": {}, \"secton\": \"x\"}", "unknown_member"},
        {"{\"id\": 1, \"plan\": {}, \"inputs\": {}}", "unknown_member"},
        {"{\"id\": 1, \"estimator\": \"deepspeed\", \"fn\": \"zero2\", \"input\": {}}", "unknown_"},
        {"{\"id\": 1, \"plan\": {}, \"want\": [\"memory.fit\"]}", "unknown_value"},
        {"{\"id\": 1, \"plan\": {}, \"want\": \"memory\"}", "bad_want"},
        {"{\"id\": 1, \"plan\": {}, \"want\": [\"\"]}", "bad_want"},
        {"{\"id\": 1, \"plan\": {}, \"estimator\": \"deepspeed\", \"want\": []}", "bad_want"},
    };
    for (size_t i = 0; i < COUNT(lines); i++) {
        struct run run = run_batch(lines[i][0], strlen(lines[i][0]));
        assert_that(strstr(run.out, lines[i][1]) && run.status == 0, "%s: %s", lines[i][0], run.out);
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
    assert_int_equal(batch_run(in, out, err), 3);
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
    const char *why;
    char deep[200];
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++)
        assert_that(json_pull_check(good[i], strlen(good[i]), &why) == 0, "%s: %s", good[i], why);
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_that(json_pull_check(bad[i], strlen(bad[i]), &why) > 0 && why, "%s is taken", bad[i]);
    memset(deep, '[', 65);
    memset(deep + 65, ']', 65);
    assert_int_equal(json_pull_check(deep, 130, &why), 66);
    assert_int_equal(json_pull_check(deep + 1, 128, &why), 0);
}

static void strings_and_numbers_are_read(void **state)
{
    static const struct {
        const char *json, *text;
    } strings[] = {
        {"\"\"", ""}, {"\"a\\n\\t\\\"\\\\\\/\"", "a\n\t\"\\/"}, {"\"\\u00e9\"", "\xc3\xa9"},
        {"\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80"}, {"\"\\ud83d\"", "\xef\xbf\xbd"}, {"\"\\ud83dx\"", "\xef\xbf\xbdx"},
    };
    char text[16];
    double number;
    (void)state;
    for (size_t i = 0; i < COUNT(strings); i++) {
        assert_true(json_pull_text(piece(strings[i].json, strlen(strings[i].json)), text, sizeof text));
        assert_string_equal(text, strings[i].text);
    }
    assert_false(json_pull_text(piece("\"0123456789abcdef\"", 18), text, sizeof text));
    assert_false(json_pull_text(piece("\"\\u0000\"", 8), text, sizeof text));
    assert_true(json_pull_number(piece("9007199254740993", 16), &number));
    assert_same(number, 9007199254740992.0);
    assert_true(json_pull_number(piece("-1.5e3", 6), &number));
    assert_same(number, -1500);
    assert_false(json_pull_number(piece("1e999", 5), &number));
    assert_false(json_pull_number(piece("true", 4), &number));
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
    assert_non_null(strstr(run.out, "2.5 micro-batches do not come in groups of 2"));
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
    assert_string_equal(why, "model.hidden_size is not known; megatron-tool needs it");
    assert_int_equal(from_plan(LLAMA2_7B "zero_stage=1", REFERENCE_DEEPSPEED, why), -1);
    assert_string_equal(why, "parallel.zero_stage is 1; DeepSpeed's functions know ZeRO-2 and ZeRO-3");
    assert_int_equal(from_plan(LLAMA2_7B "dtype=fp32", REFERENCE_LLM, why), -1);
    assert_string_equal(why, "train.dtype is fp32; llm-analysis knows 16, 8 and 4 bits");
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
    };
    return cmocka_run_group_tests_name("batch", tests, NULL, NULL);
}
