/* Slurm's nodes: what counts, what is left out, and what is asked. */
#include "tests/unit/import_check.h"

#include "src/import/slurm.h"

static struct outcome read_text(const char *text, struct questions *questions)
{
    struct import import = {0};
    struct errors errors = {0};
    assert_int_equal(plan_recognise(text, strlen(text)), KIND_SLURM_NODES);
    int result = slurm_import(text, strlen(text), "nodes.txt", &import, &errors);
    if (questions)
        *questions = import.questions;
    return outcome_of(result, &import, &errors);
}

static void the_most_frequent_nodes_count(void **state)
{
    (void)state;
    size_t size;
    struct questions questions;
    char *text = input_text("slurm-nodes.txt", &size);
    struct outcome out = read_text(text, &questions);
    assert_string_equal(out.settings,
                        "hardware.nodes=2\nhardware.gpus_per_node=8\nhardware.host_memory_gib=2014.587891\n");
    assert_string_equal(out.unused, "gpu004 1 node with 4 x a100");
    assert_int_equal(questions.count, 1);
    assert_string_equal(questions.item[0].assumed, "h100");
    outcome_free(&out);
    free(text);
}

static void lines_may_be_single(void **state)
{
    (void)state;
    struct outcome out = read_text("NodeName=a Arch=x86_64 CoresPerSocket=8 Gres=gpu:4 RealMemory=1024 State=MIXED\n"
                                   "NodeName=b Arch=x86_64 CoresPerSocket=8 Gres=gpu:4 RealMemory=2048 "
                                   "State=IDLE+PLANNED\n", NULL);
    assert_string_equal(out.settings, "hardware.nodes=2\nhardware.gpus_per_node=4\nhardware.host_memory_gib=1\n");
    outcome_free(&out);
}

static void resources_tell_what_gres_does_not(void **state)
{
    (void)state;
    struct questions questions;
    struct outcome out = read_text("NodeName=a Arch=x86_64 CoresPerSocket=8\n   Gres=(null)\n   State=IDLE\n"
                                   "   CfgTRES=cpu=8,mem=1G,gres/gpu=8,gres/gpu:mi300x=8\n", &questions);
    assert_string_equal(out.settings, "hardware.nodes=1\nhardware.gpus_per_node=8\n");
    assert_string_equal(questions.item[0].assumed, "mi300x");
    outcome_free(&out);
}

static void without_a_gpu_it_is_a_fault(void **state)
{
    (void)state;
    static const char *const texts[] = {"NodeName=a Arch=x86_64 CoresPerSocket=8 Gres=(null) State=IDLE\n",
                                        "NodeName=a CoresPerSocket=8 Gres=gpu:0\n",
                                        "NodeName=a CoresPerSocket=8 Gres=gpu:8 State=DOWN*+DRAIN\n",
                                        "NodeName=a CoresPerSocket=8 Gres=gpu:x:-3,gpu:99999\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct outcome out = read_text(texts[i], NULL);
        assert_int_equal(out.result, -1);
        assert_message(out.messages,
                       "nodes.txt: no node that is up has a GPU in Gres; give the GPUs with --gpu and --gpus\n");
        outcome_free(&out);
    }
}

static void other_texts_are_not_nodes(void **state)
{
    (void)state;
    static const char *const texts[] = {"NodeName=a", "NodeName=a\necho $NodeName\n",
                                        "echo NodeName=a CoresPerSocket=2\n"};
    for (size_t i = 0; i < COUNT(texts); i++)
        assert_false(slurm_recognise(texts[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_most_frequent_nodes_count),
        cmocka_unit_test(lines_may_be_single),
        cmocka_unit_test(resources_tell_what_gres_does_not),
        cmocka_unit_test(without_a_gpu_it_is_a_fault),
        cmocka_unit_test(other_texts_are_not_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
