/* What a program does, told by its name (src/import/entries.def). */
#include "src/import/entry.h"
#include "tests/check.h"

static void names_tell_what_a_program_does(void **state)
{
    (void)state;
    static const struct {
        const char *program;
        enum entry_kind kind;
    } table[] = {
        {"pretrain_gpt.py", ENTRY_TRAINS},
        {"/opt/megatron/pretrain_gpt.py", ENTRY_TRAINS},
        {"tests/pretrain_gpt.py", ENTRY_TRAINS},
        {"posttrain_gpt.py", ENTRY_TRAINS},
        {"openrlhf.cli.train_sft", ENTRY_TRAINS},
        {"finetune.py", ENTRY_TRAINS},
        {"tools/merge_mp_partitions.py", ENTRY_CONVERTS},
        {"convert_ckpt.py", ENTRY_CONVERTS},
        {"hf2mcore_qwen2_dense_and_moe_gqa.py", ENTRY_CONVERTS},
        {"tools/preprocess_data.py", ENTRY_PREPARES},
        {"prepare_sft_dataset.sh", ENTRY_PREPARES},
        {"run_sft_dataset.sh", ENTRY_TRAINS},
        {"generate_samples_gpt.py", ENTRY_SERVES},
        {"tools/run_text_generation_server.py", ENTRY_SERVES},
        {"evaluation.py", ENTRY_EVALUATES},
        {"tasks/msdp/main.py", ENTRY_EVALUATES},
        {"main.py", ENTRY_UNKNOWN},
        {"x.py", ENTRY_UNKNOWN},
    };
    for (size_t i = 0; i < COUNT(table); i++)
        assert_that(entry_kind_of(table[i].program) == table[i].kind, "%s: %d", table[i].program,
                    entry_kind_of(table[i].program));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_tell_what_a_program_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
