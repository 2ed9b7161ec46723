/* The glossary: every word has what it needs, keys and values are there, and every key of a layout is in it. */
#include "tests/check.h"

#include "core/show/glossary.h"
#include "src/course/lesson.h"
#include "src/course/outcome.h"

#include <strings.h>

/* Calls `each` with every item of a list. */
static void each_item(const char *list, void (*each)(const char *item, const char *term), const char *term)
{
    char copy[2048], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", list);
    for (char *item = strtok_r(copy, "|", &rest); item; item = strtok_r(NULL, "|", &rest))
        each(item, term);
}

static void check_key(const char *key, const char *term)
{
    int id = param_find(key);
    assert_that(id >= 0 && strcmp(param_rows[id].dotted, key) == 0, "%s: '%s' is no key", term, key);
}

static struct outcome *outcomes[2]; /* of a plan that trains, and of one that serves */

static void check_path(const char *path, const char *term)
{
    char place[128], why[EXPR_WHY_MAX];
    bool is_there = false;
    for (size_t i = 0; i < COUNT(outcomes); i++)
        is_there |= outcome_locate(outcomes[i], path, place, sizeof place, why);
    assert_that(is_there, "%s: there is no '%s'", term, path);
}

static void test_words_are_whole(void **state)
{
    (void)state;
    struct plan plan;
    check_plan(&plan, MIXTRAL_8X7B
               "tp=2 ep=2 nodes=2 gpus_per_node=8 global_batch_size=64 micro_batch_size=1 total_tokens=1e9");
    outcomes[0] = outcome_make(&plan);
    check_plan(&plan, LLAMA3_8B "workload=inference nodes=1 gpus_per_node=1");
    outcomes[1] = outcome_make(&plan);
    assert_true(glossary_count >= 80);
    for (int i = 0; i < glossary_count; i++) {
        const struct glossary_row *row = &glossary[i];
        assert_that(*row->term && row->sentence[strlen(row->sentence) - 1] == '.', "%s: no sentence", row->term);
        assert_that(i == 0 || strcasecmp(glossary[i - 1].term, row->term) < 0, "'%s' is out of order", row->term);
        assert_that(lesson_known(row->lesson), "%s: '%s' is no lesson", row->term, row->lesson);
        assert_ptr_equal(glossary_find(row->term), row);
        each_item(row->keys, check_key, row->term);
        each_item(row->paths, check_path, row->term);
    }
    for (size_t i = 0; i < COUNT(outcomes); i++)
        outcome_free(outcomes[i]);
}

static void test_every_key_of_a_layout_has_a_word(void **state)
{
    (void)state;
    for (int i = 0; i < PARAM_COUNT; i++) {
        enum param_group group = param_rows[i].group_id;
        if (group == GROUP_parallel || group == GROUP_train || group == GROUP_serve)
            assert_that(glossary_about(param_rows[i].dotted, NULL), "no word is about %s", param_rows[i].dotted);
    }
}

static void test_words_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *text, *term; /* NULL: none */
    } cases[] = {{"zero", "ZeRO"}, {"TP", "tensor parallelism"}, {"gradient checkpointing", "activation recomputation"},
                 {"bubb", "bubble"},
                 {"buble", "bubble"}, {"kv cache", "KV cache"}, {"ulysses", "Ulysses"}, {"nothing at all", NULL},
                 {"", NULL}, {"x", NULL}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct glossary_row *row = glossary_find(cases[i].text);
        bool is_right = cases[i].term ? row && strcmp(row->term, cases[i].term) == 0 : !row;
        assert_that(is_right, "'%s' is %s", cases[i].text, row ? row->term : "none");
    }
    const struct glossary_row *row = glossary_about("memory.stages.12.in_flight", NULL);
    assert_true(row && strcmp(row->term, "in flight") == 0);
    assert_null(glossary_about("memory.stages.12.in_flight", row));
    assert_null(glossary_about("memory.stages.12.in_fligh", NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_are_whole),
        cmocka_unit_test(test_every_key_of_a_layout_has_a_word),
        cmocka_unit_test(test_words_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
