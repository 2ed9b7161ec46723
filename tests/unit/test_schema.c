/*
 * The schema: every JSON answer of every command is as `shardtop schema` says, and nothing is in it that is not said
 * there.
 */
#include "tests/check.h"

#include <cjson/cJSON.h>
#include <unistd.h>

#include "src/cli/verbs/batch.h"
#include "src/cli/cli.h"
#include "src/cli/verbs/list.h"
#include "src/cli/docs/schema.h"
#include "src/text/errors.h"
#include "src/text/text.h"

/* ---- a validator of what `shardtop schema` uses of draft 2020-12; members that are not named are faults --------- */

/** The schema, and the fault that was found deepest in a value. */
struct validator {
    const cJSON *schema;
    char path[400], fault[500];
    size_t depth;
};

static bool is_as(struct validator *v, const cJSON *schema, const cJSON *value);

static bool fails(struct validator *v, const char *what)
{
    if (strlen(v->path) >= v->depth) {
        v->depth = strlen(v->path);
        snprintf(v->fault, sizeof v->fault, "%.300s %.150s", v->path, what);
    }
    return false;
}

/* A part of the value, by its name or position. */
static bool is_part_as(struct validator *v, const cJSON *schema, const cJSON *value, const char *name, int position)
{
    size_t end = strlen(v->path);
    if (name)
        snprintf(v->path + end, sizeof v->path - end, ".%s", name);
    else
        snprintf(v->path + end, sizeof v->path - end, ".%d", position);
    bool is_good = is_as(v, schema, value);
    v->path[end] = '\0';
    return is_good;
}

static bool has_type(const cJSON *value, const char *type)
{
    double number = cJSON_IsNumber(value) ? value->valuedouble : 0.5;
    return strcmp(type, "string") == 0    ? cJSON_IsString(value)
           : strcmp(type, "number") == 0  ? cJSON_IsNumber(value)
           : strcmp(type, "integer") == 0 ? number == floor(number)
           : strcmp(type, "boolean") == 0 ? cJSON_IsBool(value)
           : strcmp(type, "array") == 0   ? cJSON_IsArray(value)
           : strcmp(type, "object") == 0  ? cJSON_IsObject(value)
                                          : cJSON_IsNull(value);
}

static bool is_one_of(const cJSON *list, const cJSON *value)
{
    const cJSON *word;
    cJSON_ArrayForEach(word, list)
        if (cJSON_Compare(word, value, true))
            return true;
    return false;
}

static bool is_any_of(struct validator *v, const cJSON *list, const cJSON *value)
{
    const cJSON *one;
    cJSON_ArrayForEach(one, list)
        if (is_as(v, one, value))
            return true;
    return false;
}

static bool is_object_as(struct validator *v, const cJSON *schema, const cJSON *value)
{
    const cJSON *properties = cJSON_GetObjectItem(schema, "properties"),
                *other = cJSON_GetObjectItem(schema, "additionalProperties"), *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(schema, "required"))
        if (!cJSON_GetObjectItemCaseSensitive(value, item->valuestring))
            return is_part_as(v, NULL, value, item->valuestring, 0);
    cJSON_ArrayForEach(item, value)
    {
        const cJSON *property = cJSON_GetObjectItemCaseSensitive(properties, item->string);
        if (!is_part_as(v, property ? property : other, item, item->string, 0))
            return false;
    }
    return true;
}

static bool is_array_as(struct validator *v, const cJSON *schema, const cJSON *value)
{
    const cJSON *first = cJSON_GetObjectItem(schema, "prefixItems"), *all = cJSON_GetObjectItem(schema, "items"), *item;
    int at = 0;
    if (first && cJSON_GetArraySize(value) != cJSON_GetArraySize(first))
        return fails(v, "has another number of entries");
    cJSON_ArrayForEach(item, value)
    {
        if (!is_part_as(v, first ? cJSON_GetArrayItem(first, at) : all, item, NULL, at))
            return false;
        at++;
    }
    return true;
}

static bool is_as(struct validator *v, const cJSON *schema, const cJSON *value)
{
    const cJSON *ref = cJSON_GetObjectItem(schema, "$ref"), *any = cJSON_GetObjectItem(schema, "anyOf");
    const cJSON *type = cJSON_GetObjectItem(schema, "type"), *words = cJSON_GetObjectItem(schema, "enum"),
                *constant = cJSON_GetObjectItem(schema, "const");
    if (!schema)
        return fails(v, "is missing in the answer or in src/cli/docs/schema.def");
    if (ref) {
        const cJSON *target = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItem(v->schema, "$defs"),
                                                               ref->valuestring + strlen("#/$defs/"));
        assert_that(target, "src/cli/docs/schema.def: no row defines %s", ref->valuestring);
        return is_as(v, target, value);
    }
    if (any)
        return is_any_of(v, any, value) || fails(v, "is of none of its types");
    if (type && !has_type(value, type->valuestring))
        return fails(v, "is of another type");
    if (words && !is_one_of(words, value))
        return fails(v, "is another word");
    if (constant && !cJSON_Compare(constant, value, true))
        return fails(v, "is another value");
    return cJSON_IsObject(value) ? !type || is_object_as(v, schema, value)
                                 : !cJSON_IsArray(value) || !type || is_array_as(v, schema, value);
}

/* ---- answers ---------------------------------------------------------------------------------------------------- */

static cJSON *parsed(const char *text, const char *whose)
{
    cJSON *json = cJSON_Parse(text);
    assert_that(json, "%s: not JSON: %.80s", whose, text);
    return json;
}

static cJSON *schema_of(const char *command)
{
    struct buffer text = {0};
    struct errors errors = {0};
    assert_that(schema_write(&text, command, &errors) == 0, "%s", errors.count ? errors.line[0] : command);
    cJSON *schema = parsed(text.text, "schema");
    buffer_free(&text);
    return schema;
}

/* Checks one answer against the schema of a command. */
static void check_answer(const cJSON *schema, const char *text, const char *whose)
{
    struct validator v = {.schema = schema};
    cJSON *value = parsed(text, whose);
    assert_that(is_as(&v, schema, value), "%s: %s", whose, v.fault);
    cJSON_Delete(value);
}

/* What a command line prints. */
static void run(const char *line, struct buffer *out)
{
    enum { WORDS_MAX = 32 };
    char text[512], *argv[WORDS_MAX] = {NULL}, *rest = NULL;
    struct cli cli = {0};
    struct errors errors = {0};
    int argc = 0;
    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    assert_that(cli_parse(&cli, argc, argv, &errors) == 0, "%s: %s", line, errors.count ? errors.line[0] : "");
    int status = cli_run_verb(&cli, out, &errors);
    assert_that(status == STATUS_DONE || status == STATUS_UNFIT || cli.check, "%s: %s", line,
                errors.count ? errors.line[0] : "");
    errors_free(&errors);
    cli_free(&cli);
}

/* The lines of one command, each with `--json` behind it. */
static void check_lines(const char *command, const char *const lines[], size_t count)
{
    cJSON *schema = schema_of(command);
    for (size_t i = 0; i < count; i++) {
        struct buffer out = {0};
        char *line = xasprintf("shardtop %s %s --json", command, lines[i]);
        run(line, &out);
        check_answer(schema, out.text, line);
        buffer_free(&out);
        free(line);
    }
    cJSON_Delete(schema);
}

/* A file for a test; its name. */
static const char *write_file(const char *name, const char *text)
{
    static char path[2][64];
    static int at;
    char *place = path[at++ % 2];
    snprintf(place, sizeof path[0], "/tmp/shardtop-schema-%d-%s", (int)getpid(), name);
    FILE *file = fopen(place, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return place;
}

/* ---- commands --------------------------------------------------------------------------------------------------- */

static void test_show(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "default", "llama3-8b-serving", "mixtral-8x7b-64h100", "llama3.1-405b-16k --section grid --full",
        "deepseek-v3-2048h800 --set total_tokens=1T", "default --set tp=3", "default --framework deepspeed,fsdp2",
        "--set num_layers=4", "default --section memory", "default --section diagnostics", "default --check",
        "default --check --set tp=3", "--check --set num_layers=4", "default --check --framework megatron-core,fsdp2",
        "default --estimator llm-analysis", "default --estimator megatron-report", "default --estimator megatron-tool",
        "default --estimator deepspeed --set zero_stage=3", "default --estimator deepspeed --set zero_stage=2",
        "llama3-8b-serving --estimator llm-analysis",
        ("--model llama3-8b --gpus 4 --set framework=hf-trainer --set peft=qlora --set seq_length=2048 --set "
         "offload_optimizer=0.5"),
        "tests/inputs/deepspeed-auto.json --model llama3-8b",
        "default --set hardware.mtbf_hours_per_gpu=50000 --set restart_s=600 --set total_tokens=1T"};
    check_lines("show", lines, COUNT(lines));
}

static void test_explain(void **state)
{
    (void)state;
    static const char *const lines[] = {"default iteration_s", "default memory.stages.0.device_bytes --full",
                                        "default memory.probability", "default full_model.total_bytes",
                                        "llama3-8b-serving serving.tokens_per_s",
                                        "default memory.range.device_bytes.0.high"};
    check_lines("explain", lines, COUNT(lines));
}

static void test_search_and_advice(void **state)
{
    (void)state;
    static const char *const searches[] = {"first-steps", "first-steps --objective size",
                                           "first-steps --max-memory 1GiB", "first-steps --free tp,pp --schedules all",
                                           "first-steps --set tp=3",
        "--model llama3-8b --set serve.engine=vllm --set workload=inference --objective cost --top 3",
        "--model llama3-8b --set workload=inference --set serve.max_per_token_ms=0.01"};
    static const char *const advice[] = {"first-steps", "llama3-70b-too-big --top 1",
                                         ("--model llama3-70b --gpus 2 --set serve.engine=vllm "
                                          "--set workload=inference")};
    check_lines("search", searches, COUNT(searches));
    check_lines("advice", advice, COUNT(advice));
}

static void test_sweep_and_compare(void **state)
{
    (void)state;
    static const char *const sweeps[] = {"default tp=1,2,3,4", "default tp=1,2,4,8 pp=1..4 --follow",
                                         "default recompute=*", "default schedule=1f1b,gpipe --metric mfu"};
    static const char *const pairs[] = {"llama2-13b-recompute-none llama2-13b-recompute-full",
                                        "llama2-13b-recompute-none llama2-13b-recompute-full --by key",
                                        "default default", "default llama3-8b-serving", "--estimators default"};
    check_lines("sweep", sweeps, COUNT(sweeps));
    check_lines("compare", pairs, COUNT(pairs));
}

static void test_lesson(void **state)
{
    (void)state;
    static const char *const lines[] = {"", "pipeline", "capstone-70b --answers", "mfu --answers", "long-context"};
    check_lines("lesson", lines, COUNT(lines));
}

static void test_list(void **state)
{
    (void)state;
    check_lines("list", list_names, 0);
    for (int i = 0; list_names[i]; i++)
        check_lines("list", &list_names[i], 1);
}

static void test_validate(void **state)
{
    (void)state;
    static const char *const options[] = {"", "--by framework.name", "--ranking", "--ranges", "--ranking --ranges"};
    const char *table = write_file("runs.csv",
        "id,source,model,hardware.gpu,hardware.nodes,hardware.gpus_per_node,train.seq_length,train.micro_batch_size,"
        "train.global_batch_size,parallel.tp,"
        "measured.iteration_s,measured.allocated_gib,measured.fits,tags,study\n"
        "a,here,llama2-7b,a100-sxm-80,1,8,2048,1,64,8,5.5,20,yes,one,s\n"
        "b,here,llama2-7b,a100-sxm-80,1,8,2048,1,64,4,5.0,30,yes,one,s\n"
        "c,here,llama2-7b,a100-sxm-80,1,8,2048,1,64,2,4.0,60,yes,two,s\n"
        "d,here,llama2-7b,a100-sxm-80,1,8,2048,1,64,1,,,no,two,s\n"
        "e,here,llama2-7b,a100-sxm-80,1,8,2048,1,63,4,5.0,,,,\n");
    for (size_t i = 0; i < COUNT(options); i++) {
        char *line = xasprintf("%s %s", table, options[i]);
        check_lines("validate", (const char *const[]){line}, 1);
        free(line);
    }
    unlink(table);
}

static void test_watch(void **state)
{
    (void)state;
    char text[1200] = " iteration 1/ 500 | elapsed time per iteration (ms): 9000.0 |\n";
    const char *empty = write_file("empty.log", "loading\n");
    for (int i = 2; i < 9; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 " iteration %d/ 500 | elapsed time per iteration (ms): 6500.0 |\n", i);
    const char *log = write_file("train.log", text);
    char *lines[] = {xasprintf("default %s --once", log), xasprintf("default %s --once", empty)};
    check_lines("watch", (const char *const *)lines, COUNT(lines));
    for (size_t i = 0; i < COUNT(lines); i++)
        free(lines[i]);
    unlink(log);
    unlink(empty);
}

static void test_batch(void **state)
{
    (void)state;
    static const char *const requests[] = {
        "{\"id\": 1, \"plan\": {\"model\": \"llama3-8b\"}}",
        ("{\"id\": \"two\", \"plan\": {\"model\": \"llama3-8b\"}, \"want\": [\"memory.fits\", "
         "\"memory.stages.device_bytes\", \"time\"]}"),
        "{\"plan\": {\"model\": \"llama3-8b\"}, \"estimator\": \"deepspeed\"}",
        "{\"plan\": {\"model\": \"llama3-8b\"}, \"estimator\": \"llm-analysis\"}",
        "{\"id\": 5, \"estimator\": \"megatron-report\", \"fn\": \"report\", \"inputs\": {\"other\": 1}}",
        "{\"id\": 6, \"plan\": {\"tensor\": 2}}", "{\"id\": 7, \"plan\": {}, \"want\": [\"memory.no\"]}",
        "{\"id\": 8, \"secton\": 1}", "none"};
    cJSON *schema = schema_of("batch");
    for (size_t i = 0; i < COUNT(requests); i++) {
        char *out = NULL, *err = NULL;
        size_t out_size = 0, err_size = 0;
        FILE *in = tmpfile(), *answers = open_memstream(&out, &out_size), *faults = open_memstream(&err, &err_size);
        assert_true(in && answers && faults && fputs(requests[i], in) >= 0);
        rewind(in);
        batch_run(in, answers, faults, &(struct batch_options){0});
        fclose(in);
        fclose(answers);
        fclose(faults);
        check_answer(schema, out, requests[i]);
        free(out);
        free(err);
    }
    cJSON_Delete(schema);
}

/* ---- the schema itself ------------------------------------------------------------------------------------------ */

/* A command that takes --json and is not in the schema would have an answer that nobody described. */
static void test_every_command_is_in_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < cli_option_count; i++)
        for (int verb = VERB_SCREEN + 1; verb < VERB_COUNT && strcmp(cli_options[i].name, "json") == 0; verb++)
            if (cli_options[i].verbs & 1u << verb)
                cJSON_Delete(schema_of(cli_verbs[verb].name));
    cJSON_Delete(schema_of(NULL));
}

static void check_unique(const cJSON *value)
{
    const cJSON *child, *twin;
    cJSON_ArrayForEach(child, value)
    {
        for (twin = child->next; twin; twin = twin->next) {
            bool is_same_name = child->string && strcmp(child->string, twin->string) == 0;
            assert_that(!is_same_name, "%s is repeated", child->string);
            assert_that(!cJSON_IsString(child) || !cJSON_Compare(child, twin, true) || child->string, "%s is repeated",
                        child->valuestring);
        }
        check_unique(child);
    }
}

static void test_names_and_words_are_unique(void **state)
{
    (void)state;
    cJSON *schema = schema_of(NULL);
    check_unique(schema);
    cJSON_Delete(schema);
}

static void test_the_validator_can_fail(void **state)
{
    (void)state;
    static const char *const broken[] = {
        "{\"schema\":2,\"valid\":true,\"verdict\":\"fits\",\"probability\":1,\"headroom_bytes\":1,\"message\":\"\"}",
        "{\"schema\":1,\"valid\":true,\"verdict\":\"maybe\",\"probability\":1,\"headroom_bytes\":1,\"message\":\"\"}",
        "{\"schema\":1,\"valid\":1,\"verdict\":\"fits\",\"probability\":1,\"headroom_bytes\":1,\"message\":\"\"}",
        "{\"schema\":1,\"valid\":true,\"verdict\":\"fits\",\"headroom_bytes\":1,\"message\":\"\"}",
        "{\"schema\":1,\"valid\":true,\"verdict\":\"fits\",\"probability\":1,\"headroom_bytes\":1.5,\"message\":\"\"}",
        "{\"schema\":1,\"memory\":{\"fits\":true}}", "{\"schema\":1,\"more\":true}", "{\"schema\":1,\"time\":null}",
        "[1]"};
    cJSON *schema = schema_of("show");
    const cJSON *check = cJSON_GetObjectItem(cJSON_GetObjectItem(schema, "$defs"), "check"),
                *result = cJSON_GetObjectItem(cJSON_GetObjectItem(schema, "$defs"), "result");
    for (size_t i = 0; i < COUNT(broken); i++) {
        struct validator v = {.schema = schema};
        cJSON *value = parsed(broken[i], "broken");
        assert_that(!is_as(&v, check, value) && !is_as(&v, result, value), "%s", broken[i]);
        cJSON_Delete(value);
    }
    cJSON_Delete(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_show),
        cmocka_unit_test(test_explain),
        cmocka_unit_test(test_search_and_advice),
        cmocka_unit_test(test_sweep_and_compare),
        cmocka_unit_test(test_lesson),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_validate),
        cmocka_unit_test(test_watch),
        cmocka_unit_test(test_batch),
        cmocka_unit_test(test_every_command_is_in_it),
        cmocka_unit_test(test_names_and_words_are_unique),
        cmocka_unit_test(test_the_validator_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
