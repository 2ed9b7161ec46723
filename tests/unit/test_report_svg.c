/* What src/report/svg*.c draws: well-formed XML, bars that sum up, boxes of every pass, unknown figures said so. */
#include "tests/check.h"

#include "src/report/svg.h"
#include "src/text/text.h"

#include <ctype.h>

#define SMALL GPT_6B "nodes=2 gpus_per_node=8 tp=2 pp=4 parallel.zero_stage=1 micro_batch_size=4 global_batch_size=64 "
#define CORE  SMALL "framework.name=megatron-core "

static struct estimate *estimate_of(const struct plan *plan)
{
    struct estimate *estimate = xmalloc(sizeof *estimate);
    memset(estimate, 0x5a, sizeof *estimate); /* what was not computed must not be read */
    estimate_plan(plan, estimate);
    return estimate;
}

static char *drawn(const struct plan *plan, enum report_section section)
{
    struct buffer out = {0};
    const struct estimate *estimate = estimate_of(plan);
    assert_int_equal(report_svg(&out, &estimate, 1, section), 0);
    assert_non_null(out.text);
    free((void *)estimate);
    return out.text;
}

static char *drawn_of(const char *settings, enum report_section section)
{
    struct plan plan;
    check_plan(&plan, settings);
    return drawn(&plan, section);
}

static int times(const char *text, const char *what)
{
    int count = 0;
    for (const char *p = strstr(text, what); p; p = strstr(p + 1, what))
        count++;
    return count;
}

/* An attribute of the tag that starts at `tag`. */
static double number_of(const char *tag, const char *name)
{
    char search[32];
    snprintf(search, sizeof search, " %s=\"", name);
    const char *at = strstr(tag, search);
    assert_that(at && at < strchr(tag, '>'), "no %s in %.80s", name, tag);
    return strtod(at + strlen(search), NULL);
}

/* ---- XML -------------------------------------------------------------------------------------------------------- */

/* An attribute list or a text: no markup inside, ampersands only as one of the entities. */
static void check_characters(const char *from, const char *to)
{
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (const char *p = from; p < to; p++) {
        bool is_known = *p != '&';
        for (size_t i = 0; i < COUNT(entities); i++)
            is_known = is_known || strncmp(p, entities[i], strlen(entities[i])) == 0;
        assert_that(is_known, "an ampersand: %.40s", p);
        assert_that(*p == '\n' || !iscntrl((unsigned char)*p), "a control character before: %.40s", p + 1);
        assert_that(*p != '<', "an angle bracket: %.40s", p);
    }
}

/* Every tag is closed by its own name, inside one root; the names fit the few elements of the figures. */
static void check_xml(const char *text)
{
    char open[8][16];
    int depth = 0, roots = 0;
    for (const char *p = text; *p;) {
        const char *tag = strchr(p, '<'), *end = tag ? strchr(tag, '>') : NULL;
        check_characters(p, tag ? tag : p + strlen(p));
        if (!tag)
            break;
        assert_non_null(end);
        check_characters(tag + 1, end);
        char name[16] = "";
        sscanf(tag + 1 + (tag[1] == '/'), "%15[a-z]", name);
        if (tag[1] == '/') {
            assert_that(depth > 0 && strcmp(open[--depth], name) == 0, "</%s> closes nothing", name);
        } else if (end[-1] != '/') {
            roots += depth == 0;
            assert_true(depth < (int)COUNT(open));
            strcpy(open[depth++], name);
        }
        p = end + 1;
    }
    assert_int_equal(depth, 0);
    assert_int_equal(roots, 1);
    assert_null(strstr(text, "nan\""));
    assert_null(strstr(text, "inf\""));
    assert_null(strstr(text, "<script"));
    assert_null(strstr(text, "href"));
}

static void test_every_figure_is_well_formed(void **state)
{
    (void)state;
    static const char *const plans[] = {
        "", "num_layers=4", SMALL, CORE, CORE "vpp=2", CORE "schedule=gpipe", CORE "schedule=zb-h1", CORE "tp=3",
        CORE "pp=5",
        CORE "pp=1", CORE "vpp=4 global_batch_size=4096", CORE "workload=inference",
        SMALL "framework.name=fsdp2 tp=1 pp=1", SMALL "framework.name=deepspeed tp=1 pp=1 parallel.zero_stage=3",
        CORE "num_layers=128 nodes=16 pp=64 tp=1 global_batch_size=8192", CORE "global_batch_size=63",
        CORE "train.measured_iteration_s=2",
    };
    static const enum report_section sections[] = {SECTION_ALL,           SECTION_MEMORY, SECTION_TIME,
                                                   SECTION_COMMUNICATION, SECTION_GRID,   SECTION_LAYERS};
    for (size_t i = 0; i < COUNT(plans); i++)
        for (size_t k = 0; k < COUNT(sections); k++) {
            char *text = drawn_of(plans[i], sections[k]);
            check_xml(text);
            assert_that(number_of(text, "width") >= 900 && number_of(text, "height") >= 100, "the size of '%s'",
                        plans[i]);
            free(text);
        }
}

static void test_random_plans_are_drawn(void **state)
{
    (void)state;
    struct check_random random = {7};
    for (int i = 0; i < 60; i++) {
        struct plan plan;
        check_random_plan(&random, &plan);
        for (int time = 0; time < 2; time++) {
            char *text = drawn(&plan, time ? SECTION_TIME : SECTION_MEMORY);
            check_xml(text);
            assert_that(strstr(text, "unknown:") == NULL, "%s", check_describe(&plan));
            free(text);
        }
    }
}

static void test_names_from_plans_are_escaped(void **state)
{
    (void)state;
    static const enum report_section sections[] = {SECTION_MEMORY, SECTION_TIME};
    for (size_t k = 0; k < COUNT(sections); k++) {
        struct plan plan;
        check_plan(&plan, SMALL);
        strcpy(plan.text[TEXT_MODEL], "</text><script>&\"'\033[31m\xef\xbf\xbf\xff\x7f\n");
        strcpy(plan.text[TEXT_GPU], "a<b>&amp;\xc2\x9b");
        char *text = drawn(&plan, sections[k]);
        check_xml(text);
        /* <title> and headline */
        assert_int_equal(times(text, "&lt;/text&gt;&lt;script&gt;&amp;&quot;&#39;?[31m????: "), 2);
        assert_int_equal(times(text, "a&lt;b&gt;&amp;amp;?"), 1);
        free(text);
    }
}

static void test_sections_without_a_figure_add_nothing(void **state)
{
    (void)state;
    struct plan plan;
    check_plan(&plan, SMALL);
    const struct estimate *estimate = estimate_of(&plan);
    for (int i = 0; i < SECTION_COUNT; i++) {
        struct buffer out = {0};
        bool has_figure = i == SECTION_ALL || i == SECTION_MEMORY || i == SECTION_TIME || i == SECTION_COMMUNICATION ||
                          i == SECTION_GRID || i == SECTION_LAYERS;
        assert_int_equal(report_svg(&out, &estimate, 1, (enum report_section)i), has_figure ? 0 : -1);
        assert_int_equal(out.size > 0, has_figure);
        buffer_free(&out);
    }
    free((void *)estimate);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* Pixels of the pieces of the bar at `x`, and where its top is. */
static double bar_height(const char *text, double x, double *top)
{
    double height = 0;
    *top = INFINITY;
    for (const char *p = strstr(text, "class=\"part\""); p; p = strstr(p + 1, "class=\"part\""))
        if (number_of(p, "x") == x) {
            height += number_of(p, "height");
            *top = fmin(*top, number_of(p, "y"));
        }
    return height;
}

static void test_pieces_sum_to_the_device_memory(void **state)
{
    (void)state;
    struct plan plan;
    check_plan(&plan, SMALL);
    struct estimate *estimate = estimate_of(&plan);
    char *text = drawn(&plan, SECTION_MEMORY);
    const char *line = strstr(text, "class=\"usable\""), *p = strstr(text, "class=\"part\"");
    double zero = 0, x = -1, pixels;
    for (const char *g = strstr(text, "class=\"grid\""); g; g = strstr(g + 1, "class=\"grid\""))
        zero = fmax(zero, number_of(g, "y1"));
    assert_non_null(line);
    pixels = (zero - number_of(line, "y1")) / estimate->usable_bytes;
    int bars = 0;
    for (; p; p = strstr(p + 1, "class=\"part\""))
        if (number_of(p, "x") > x) {
            x = number_of(p, "x");
            double top, height = bar_height(text, x, &top);
            assert_true(fabs(height - pixels * estimate->stage[bars].device_bytes) < 0.1);
            assert_true(fabs(zero - top - height) < 0.1);
            bars++;
        }
    assert_int_equal(bars, 4);
    free(text);
    free(estimate);
}

static void test_usable_memory_is_a_line_with_its_size(void **state)
{
    (void)state;
    char *text = drawn_of(SMALL, SECTION_MEMORY);
    assert_int_equal(times(text, "class=\"usable\""), 1);
    assert_non_null(strstr(text, ">usable memory<"));
    assert_non_null(strstr(text, ">79.1 GiB<"));
    assert_non_null(strstr(text, ">fits, "));
    free(text);
}

static void test_unknown_gpu_memory_is_no_line(void **state)
{
    (void)state;
    struct plan plan;
    plan_clear(&plan);
    check_set(&plan, SMALL);
    char *text = drawn(&plan, SECTION_MEMORY);
    check_xml(text);
    assert_null(strstr(text, "class=\"usable\""));
    assert_non_null(strstr(text, ">unknown<"));
    assert_non_null(strstr(text, "unknown whether it fits"));
    assert_null(strstr(text, ">0.0<"));
    free(text);
}

static void test_stages_that_hold_the_same_share_a_bar(void **state)
{
    (void)state;
    char *text = drawn_of(CORE "nodes=4 pp=8 schedule=gpipe global_batch_size=64", SECTION_MEMORY);
    assert_non_null(strstr(text, ">s1-6<"));
    assert_null(strstr(text, ">s2<"));
    free(text);
}

static void test_many_stages_are_thinned_with_a_remark(void **state)
{
    (void)state;
    char *text = drawn_of(CORE "num_layers=128 nodes=16 pp=64 tp=1 global_batch_size=8192", SECTION_MEMORY);
    assert_non_null(strstr(text, "32 of 64 different stages are drawn"));
    assert_non_null(strstr(text, ">s0<"));
    assert_non_null(strstr(text, ">s63<"));
    assert_int_equal(times(text, ">s") - times(text, ">scratch<"), 32);
    free(text);
}

static void test_frameworks_stand_beside_each_other(void **state)
{
    (void)state;
    static const char *const settings[] = {SMALL, CORE, CORE "tp=3"};
    const struct estimate *estimates[COUNT(settings)];
    struct buffer out = {0};
    for (size_t i = 0; i < COUNT(settings); i++) {
        struct plan plan;
        check_plan(&plan, settings[i]);
        estimates[i] = estimate_of(&plan);
    }
    assert_int_equal(report_svg(&out, estimates, COUNT(settings), SECTION_MEMORY), 0);
    check_xml(out.text);
    assert_int_equal(times(out.text, ">megatron-2023<"), 1);
    assert_int_equal(times(out.text, ">megatron-core<"), 2);
    assert_non_null(strstr(out.text, ">invalid: training would not start<"));
    buffer_free(&out);
    assert_int_equal(report_svg(&out, estimates, COUNT(settings), SECTION_TIME), 0);
    check_xml(out.text);
    assert_int_equal(times(out.text, "megatron-core: schedule 1f1b"), 2);
    buffer_free(&out);
    for (size_t i = 0; i < COUNT(settings); i++)
        free((void *)estimates[i]);
}

/* ---- time ------------------------------------------------------------------------------------------------------- */

static void test_every_pass_has_a_box(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        int rows, boxes;
    } cases[] = {
        {SMALL, 4, 4 * 8}, {CORE "vpp=2", 4, 4 * 8 * 2}, {CORE "schedule=gpipe", 4, 4 * 8},
        {CORE "pp=1 global_batch_size=64", 1, 2}, {CORE "global_batch_size=8192", 4, 4 * 64},
        {CORE "vpp=2 global_batch_size=8192", 4, 4 * 64 * 2}, {CORE "schedule=zb-h1", 4, 4 * 8},
        {CORE "schedule=dualpipe global_batch_size=66", 0, 0},
        {CORE "num_layers=128 nodes=16 pp=64 tp=1 global_batch_size=8192", 32, 32 * 128},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *text = drawn_of(cases[i].settings, SECTION_TIME);
        assert_int_equal(times(text, "class=\"idle\""), cases[i].rows);
        assert_int_equal(times(text, ">stage "), cases[i].rows);
        assert_int_equal(times(text, "class=\"forward\""), cases[i].boxes);
        assert_int_equal(times(text, "class=\"backward\""), cases[i].boxes);
        assert_int_equal(strstr(text, "unknown: ") != NULL, cases[i].rows == 0);
        free(text);
    }
}

static void test_cut_schedules_say_so(void **state)
{
    (void)state;
    char *text = drawn_of(CORE "global_batch_size=8192", SECTION_TIME);
    assert_non_null(strstr(text, "Drawn with 64 of 1024 micro-batches"));
    free(text);
    text = drawn_of(CORE, SECTION_TIME);
    assert_null(strstr(text, "Drawn with"));
    free(text);
}

/* Boxes of one row have the stage's share of what the core plays. */
static void test_boxes_take_the_time_that_the_core_plays(void **state)
{
    (void)state;
    static const char *const settings[] = {SMALL, CORE "vpp=2", CORE "schedule=gpipe",
                                           CORE "first_stage_layers=5 last_stage_layers=5"};
    for (size_t i = 0; i < COUNT(settings); i++) {
        struct plan plan;
        check_plan(&plan, settings[i]);
        struct estimate *estimate = estimate_of(&plan);
        char *text = drawn(&plan, SECTION_TIME);
        const char *idle = strstr(text, "class=\"idle\"");
        double all = number_of(idle, "width"), row = number_of(idle, "y"), busy = 0;
        for (const char *p = strstr(text, "ward\" x="); p; p = strstr(p + 1, "ward\" x="))
            busy += number_of(p, "y") == row ? number_of(p, "width") + 0.5 : 0; /* half a pixel between boxes */
        assert_true(isfinite(estimate->step.played_s));
        assert_near(busy / all, 8 * estimate->pass[0].micro_s / estimate->step.played_s, 1e-3);
        free(text);
        free(estimate);
    }
}

static void test_time_and_bubble_stand_in_the_title(void **state)
{
    (void)state;
    char *text = drawn_of(SMALL, SECTION_TIME);
    const char *title = strstr(text, "<title>");
    assert_non_null(title);
    assert_true(strstr(title, "iteration ") < strstr(title, "</title>"));
    assert_true(strstr(title, "bubble ") < strstr(title, "</title>"));
    free(text);
    struct plan plan;
    plan_clear(&plan);
    check_set(&plan, SMALL);
    text = drawn(&plan, SECTION_TIME);
    assert_non_null(strstr(text, "iteration unknown, bubble unknown"));
    assert_null(strstr(text, "class=\"forward\""));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_figure_is_well_formed),
        cmocka_unit_test(test_random_plans_are_drawn),
        cmocka_unit_test(test_names_from_plans_are_escaped),
        cmocka_unit_test(test_sections_without_a_figure_add_nothing),
        cmocka_unit_test(test_pieces_sum_to_the_device_memory),
        cmocka_unit_test(test_usable_memory_is_a_line_with_its_size),
        cmocka_unit_test(test_unknown_gpu_memory_is_no_line),
        cmocka_unit_test(test_stages_that_hold_the_same_share_a_bar),
        cmocka_unit_test(test_many_stages_are_thinned_with_a_remark),
        cmocka_unit_test(test_frameworks_stand_beside_each_other),
        cmocka_unit_test(test_every_pass_has_a_box),
        cmocka_unit_test(test_cut_schedules_say_so),
        cmocka_unit_test(test_boxes_take_the_time_that_the_core_plays),
        cmocka_unit_test(test_time_and_bubble_stand_in_the_title),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
