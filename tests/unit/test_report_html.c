/* The page for a browser: whole by itself, well-formed, with everything a colleague needs. */
#include "tests/check.h"

#include "src/report/html.h"
#include "src/text/text.h"

#include <ctype.h>

static char *page_of(const char *settings, const char *plan, const char *command)
{
    struct buffer out = {0};
    struct plan checked;
    struct estimate *estimate = xmalloc(sizeof *estimate);
    check_plan(&checked, settings);
    estimate_plan(&checked, estimate);
    report_html(&out, estimate, &(struct html_parts){plan, command});
    free(estimate);
    return out.text;
}

/* Every tag that is opened is closed in order; those of HTML that have no end, and those that end themselves, aside. */
static void check_tags(const char *page)
{
    static const char *const alone[] = {"!DOCTYPE", "meta"};
    char open[64][32];
    int depth = 0;
    for (const char *at = page; (at = strchr(at, '<')); at++) {
        char name[32] = "";
        bool is_end = at[1] == '/', is_alone = false;
        const char *end = strchr(at, '>');
        assert_non_null(end);
        sscanf(at + 1 + is_end, "%31[!a-zA-Z0-9]", name);
        for (size_t i = 0; i < COUNT(alone); i++)
            is_alone |= strcmp(name, alone[i]) == 0;
        if (is_alone || end[-1] == '/')
            continue;
        if (is_end)
            assert_that(depth > 0 && strcmp(open[--depth], name) == 0, "</%s> ends another tag", name);
        else
            snprintf(open[depth++ % 64], 32, "%s", name);
    }
    assert_int_equal(depth, 0);
}

static void a_page_is_whole_by_itself(void **state)
{
    (void)state;
    char *page = page_of(LLAMA3_8B "nodes=1 tp=8", "model: llama3-8b\n", "shardtop show 'my plan.yaml'");
    static const char *const parts[] = {"<!DOCTYPE html>", "class=\"pill fits\">fits<", "<dt>MFU</dt>", "<svg ",
                                        "memory of one GPU", "<h2>Report</h2>", "model: llama3-8b",
                                        "shardtop show 'my plan.yaml'", "</html>\n"};
    for (size_t i = 0; i < COUNT(parts); i++)
        assert_that(strstr(page, parts[i]), "no '%s' in the page", parts[i]);
    static const char *const refused[] = {"<script", "<link", "src=", "href=", "@import", "url("};
    for (size_t i = 0; i < COUNT(refused); i++)
        assert_that(!strstr(page, refused[i]), "'%s' in the page", refused[i]);
    for (const char *at = page; (at = strstr(at, "http")); at++)
        assert_that(strncmp(at, "http://www.w3.org/2000/svg", 26) == 0, "the page names %.40s", at);
    check_tags(page);
    free(page);
}

static void texts_of_a_plan_are_safe(void **state)
{
    (void)state;
    char *page = page_of(LLAMA3_8B "tp=3", "name: <script>alert(1)</script> & more\n", "shardtop show");
    assert_null(strstr(page, "<script"));
    assert_non_null(strstr(page, "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more"));
    assert_non_null(strstr(page, "not valid"));
    check_tags(page);
    free(page);
}

static void a_plan_that_serves_has_its_figures(void **state)
{
    (void)state;
    char *page = page_of(LLAMA3_8B "nodes=1 workload=inference", "", "");
    assert_non_null(strstr(page, "<dt>first token</dt>"));
    check_tags(page);
    free(page);
    page = page_of(LLAMA3_8B "nodes=1 workload=rl framework.name=fsdp2 fsdp=full", "", "");
    assert_non_null(strstr(page, "<dt>rollout</dt>"));
    check_tags(page);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_page_is_whole_by_itself),
                                       cmocka_unit_test(texts_of_a_plan_are_safe),
                                       cmocka_unit_test(a_plan_that_serves_has_its_figures)};
    return cmocka_run_group_tests_name("report/html", tests, NULL, NULL) != 0;
}
