/* Models told by family before size (src/plan/family.h). */
#include "src/plan/family.h"
#include "tests/check.h"

static void names_give_the_preset_they_are_built_on(void **state)
{
    (void)state;
    static const char *const table[][2] = {
        {"Qwen3-1.7B-Wordle-SFT", "qwen3-1.7b"},
        {"allenai/OLMo-2-1124-7B", "olmo2-7b"},
        {"Qwen/Qwen2.5-Coder-7B", "qwen2.5-7b"},
        {"Qwen/Qwen3-Coder-30B-A3B-Instruct", "qwen3-30b-a3b"},
        {"OpenRLHF/Llama-3-8b-sft-mixture", "llama3-8b"},
        {"NousResearch/Hermes-3-Llama-3.1-8B", "llama3.1-8b"},
        {"lmsys/vicuna-7b-v1.5", "llama2-7b"},
        {"lmsys/vicuna-13b-v1.3", "llama-13b"},
        {"HuggingFaceH4/zephyr-7b-beta", "mistral-7b-v0.1"},
        {"deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "qwen2.5-7b"},
        {"bigscience/bloomz-7b1", "bloom-7b1"},
        {"bigscience/bloom-1b7", "bloom-1b7"},
        {"bigscience/bloom-1b1", NULL},
        {"my-gpt2-xl-tuned", NULL}, /* no size to compare */
        {"Qwen/Qwen3-7B", NULL},
        {"Llama-4-7b", NULL},
        {"Qwen/Qwen-7B", NULL},
        {"Qwen1.5-MoE-7B", NULL},
        {"nvidia/Llama-3.1-Minitron-4B-Width-Base", NULL},
        {"nvidia/Llama-3_3-Nemotron-Super-49B-v1", NULL},
        {"01-ai/Yi-1.5-9B", "yi-9b"},
        {"01-ai/Yi-Ko-6B", NULL},
        {"fireballoon/baichuan-vicuna-7b", "baichuan-7b"},
        {"internlm/internlm-xcomposer2-7b", NULL},
        {"hfl/chinese-alpaca-2-7b", NULL}, /* 55,296 tokens */
        {"hfl/chinese-llama-2-7b", NULL},
        {"shenzhi-wang/Llama3-8B-Chinese-Chat", "llama3-8b"},
        {"mistralai/Ministral-8B-Instruct-2410", NULL},
        {"-..--", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        const char *found = family_preset(table[i][0]);
        bool is_same = found && table[i][1] ? strcmp(found, table[i][1]) == 0 : found == table[i][1];
        assert_that(is_same, "%s: %s", table[i][0], found ? found : "none");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_give_the_preset_they_are_built_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
