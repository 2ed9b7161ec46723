/* Plans near valid ones, in every form that a plan can leave the program: no crash, no number that cannot be. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/estimate/estimate.h"
#include "core/estimate/timeline.h"
#include "core/explain/explain.h"
#include "core/plan/param.h"
#include "core/plan/rule.h"
#include "src/cli/verbs/compare.h"
#include "src/export/export.h"
#include "src/plan/plan_io.h"
#include "src/plan/reference_plan.h"
#include "src/report/reference.h"
#include "src/report/report.h"
#include "src/report/svg.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "tests/fuzz/host.h"
#include "tests/fuzz/plans.h"
#include "tests/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 5, STAGES_EXPLAINED = 2, RANKS_LISTED = 4096 };

static const char *const frameworks[] = {"megatron-core", "megatron-2023", "nanotron", "nanotron-203",
                                         "nanotron-pre203", "deepspeed", "fsdp2"};

static void __attribute__((noreturn, format(printf, 1, 2))) fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    abort();
}

/* ---- what may stand in an answer -------------------------------------------------------------------------------- */

static bool is_letter(char sign)
{
    return (sign | 0x20) >= 'a' && (sign | 0x20) <= 'z';
}

static void check_word_missing(const char *text, const char *word)
{
    for (const char *p = text; (p = strstr(p, word)); p++)
        if ((p == text || !is_letter(p[-1])) && !is_letter(p[strlen(word)]))
            fail("%s: %.120s", word, p > text + 60 ? p - 60 : text);
}

static void check_text(const struct buffer *out)
{
    const char *text = out->text ? out->text : "";
    for (const char *p = text; *p; p++)
        if (((unsigned char)*p < 0x20 && *p != '\n' && *p != '\r') || *p == 0x7f)
            fail("a control character: %.80s", p > text + 40 ? p - 40 : text);
    check_word_missing(text, "nan");
    check_word_missing(text, "inf");
}

/* Bytes, seconds and shares are not negative; what is left of the memory may be. */
static bool may_be_negative(const char *key)
{
    const char *const never[] = {"_bytes", "_s", "_fraction", "_gib", "in_flight", "mfu"};
    size_t size = strlen(key);
    for (size_t i = 0; i < COUNT(never); i++) {
        size_t n = strlen(never[i]);
        if (size >= n && strcmp(key + size - n, never[i]) == 0)
            return strcmp(key, "headroom_bytes") == 0;
    }
    return true;
}

static void check_numbers(const struct node *value)
{
    for (const struct node *member = value->child; member; member = member->next) {
        if (member->key && member->number < 0 && !may_be_negative(member->key))
            fail("negative: %s: %s", member->key, member->text);
        check_numbers(member);
    }
}

static void check_json(const struct buffer *out)
{
    size_t size = out->size;
    while (size > 0 && out->text[size - 1] == '\n')
        size--;
    struct node *root = json_nodes(out->text, size);
    if (!root)
        fail("not JSON: %.200s", out->text);
    check_numbers(root);
    node_free(root);
}

/* ---- every way out ---------------------------------------------------------------------------------------------- */

struct way {
    const struct plan *plan;
    const struct estimate *estimate, *other; /* of the plan, and of the plan under another framework */
    uint8_t choice;
};

static void take_report(const struct way *way, enum report_format format)
{
    const struct estimate *all[] = {way->estimate, way->other};
    const struct report_options options = {.format = format,
                                           .section = (enum report_section)(way->choice % SECTION_COUNT),
                                           .full = way->choice & 64 && way->estimate->grid.world <= RANKS_LISTED,
                                           .ascii = way->choice & 128};
    struct buffer out = {0};
    report_write(&out, all, 1 + (way->choice / SECTION_COUNT) % 2, &options);
    if (format == REPORT_JSON)
        check_json(&out);
    else
        check_text(&out);
    buffer_free(&out);
}

static void take_text(const struct way *way)
{
    take_report(way, REPORT_TEXT);
}

static void take_json(const struct way *way)
{
    take_report(way, REPORT_JSON);
}

static void take_csv(const struct way *way)
{
    take_report(way, REPORT_CSV);
}

static void take_markdown(const struct way *way)
{
    take_report(way, REPORT_MARKDOWN);
}

static void take_figure(const struct way *way)
{
    const struct estimate *all[] = {way->estimate, way->other};
    struct buffer out = {0};
    report_svg(&out, all, 1 + way->choice / 16 % 2, way->choice & 1 ? SECTION_MEMORY : SECTION_TIME);
    report_check(&out, way->estimate);
    check_text(&out);
    buffer_free(&out);
}

/* Opens one number; of the iteration's time all that it comes from. */
static void open_path(void *context, const char *path)
{
    const struct way *way = context;
    struct buffer out = {0};
    bool is_full = strcmp(path, "time.iteration_s") == 0, is_json = is_full && way->choice & 1;
    if (report_explain(&out, &way->estimate->plan, way->estimate, path, is_json, is_full) != 0)
        fail("no such value: %s", path);
    if (is_json)
        check_json(&out);
    else
        check_text(&out);
    buffer_free(&out);
}

static void take_explanations(const struct way *way)
{
    struct way copy = *way;
    if (way->estimate->stages <= STAGES_EXPLAINED)
        explain_paths(way->estimate, open_path, &copy);
}

static void take_export(const struct way *way)
{
    static const char *const names[] = {"megatron", "nanotron", "deepspeed", "hf", "vllm", "sglang", "trtllm"};
    struct buffer out = {0};
    struct errors notes = {0};
    int result =
        export_plan(export_find(names[way->choice % COUNT(names)]), way->plan, &way->estimate->plan, &out, &notes);
    if ((result != 0) != errors_any(&notes))
        fail("%s: a fault and a text, or neither", names[way->choice % COUNT(names)]);
    check_text(&out);
    buffer_free(&out);
    errors_free(&notes);
}

static void take_timelines(const struct way *way)
{
    static struct timeline_point point[TIMELINE_POINTS_MAX];
    for (int i = 0; i < way->estimate->stages; i++) {
        int count = timeline_of(way->estimate, i, point, TIMELINE_POINTS_MAX);
        for (int j = 0; j < count; j++)
            if (point[j].bytes < 0)
                abort();
    }
}

static void take_references(const struct way *way)
{
    static struct reference_inputs inputs;
    static struct reference_answer answer;
    char why[REFERENCE_WHY_MAX];
    for (int id = 0; id < REFERENCE_COUNT; id++) {
        struct buffer json = {0}, text = {0};
        if (reference_from_plan(&way->estimate->plan, (enum reference_id)id, &inputs, why) != 0)
            continue;
        reference_run(&inputs, &answer);
        report_reference_json(&json, &answer);
        report_reference(&text, &inputs, &answer);
        buffer_free(&json);
        buffer_free(&text);
    }
}

static void take_plan_file(const struct way *way)
{
    struct buffer out = {0};
    struct plan again;
    struct errors errors = {0};
    plan_emit(&out, way->plan, NULL, NULL);
    check_text(&out);
    plan_clear(&again);
    if (plan_read(&again, out.text, out.size, "again", NULL, &errors) != 0)
        fail("a plan that is written is not read: %s", errors.line[0]);
    errors_free(&errors);
    buffer_free(&out);
}

static void take_line(void *context, const char *line)
{
    struct buffer out = {.text = (char *)(uintptr_t)line};
    (void)context;
    check_text(&out);
}

static void estimators(void *context, const struct estimate *estimate,
                       void (*take)(void *to, const struct ui_comparison *comparison), void *to)
{
    (void)context;
    compare_each(estimate, take, to);
}

static void take_screen(const struct way *way)
{
    static const char *const keys[] = {"", "2", "3", "5", "E", "b + d", "TAB e", "TAB e e e", "2 TAB e", "5 TAB e",
                                       "3 TAB End", "z TAB z", "F1 DOWN DOWN", "b 2 + +", "DOWN + -",
                                       "5 TAB PgDn e ENTER"};
    struct ui_host all = host;
    all.estimators = estimators;
    struct ui_options options = {.plan = way->plan,
                                 .keys = keys[way->choice % COUNT(keys)],
                                 .width = way->choice & 16 ? 80 : 160,
                                 .height = way->choice & 32 ? 24 : 60,
                                 .ascii = way->choice & 64,
                                 .present = way->choice & 128};
    ui_screen(&all, &options, take_line, NULL);
}

static void (*const ways[])(const struct way *way) = {
    take_text,   take_json,      take_csv,    take_markdown,   take_figure,   take_explanations,
    take_export, take_timelines, take_screen, take_references, take_plan_file};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct estimate estimate, other;
    if (size < HEAD)
        return 0;
    struct plan plan = *base_plan(data[1]);
    change_all(&plan, data + HEAD, size - HEAD);
    estimate_plan(&plan, &estimate);
    char why[PARAM_WHY_MAX];
    struct plan moved = plan;
    param_parse(&moved, PARAM_framework_name, frameworks[data[3] % COUNT(frameworks)], FROM_SET, false, why);
    estimate_plan(&moved, &other);
    ways[data[0] % COUNT(ways)](&(struct way){&plan, &estimate, &other, data[2]});
    return 0;
}
