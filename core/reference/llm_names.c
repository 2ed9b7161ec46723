/*
 * core/reference/llm_names.c - the names that llm-analysis v0.2.2 ships, with its figures, right or wrong.
 *
 * Source: llm_analysis/{model,gpu,dtype}_configs of cli99/llm-analysis, commit 0571436. Known faults are kept: the
 * Llama models have a feed-forward width of 4 x hidden, v100-sxm-16gb has 32 GB, rates between nodes are in Gb/s.
 */
#include "core/base.h"
#include "core/reference/llm.h"

#include <math.h>
#include <string.h>

/* name, layers, heads, hidden, vocabulary, longest sequence, key/value heads, feed-forward; no ratio, one expert */
#define MODEL(name, L, a, h, v, s, k, f) {name, L, a, h, v, s, k, f, NAN, 1, 1}

const struct llm_model llm_models[] = {
    MODEL("EleutherAI_gpt-j-6b", 28, 16, 4096, 50400, 2048, NAN, 16384),
    MODEL("EleutherAI_gpt-neo-1.3B", 24, 16, 2048, 50257, 2048, NAN, 8192),
    MODEL("EleutherAI_gpt-neo-125m", 12, 12, 768, 50257, 2048, NAN, 3072),
    MODEL("EleutherAI_gpt-neo-2.7B", 32, 20, 2560, 50257, 2048, NAN, 10240),
    MODEL("NousResearch_Llama-2-7b-hf", 32, 32, 4096, 32000, 4096, 32, 16384),
    MODEL("PygmalionAI_pygmalion-6b", 28, 16, 4096, 50400, 2048, NAN, 16384),
    MODEL("allenai_scibert_scivocab_uncased", 12, 12, 768, 31090, 512, NAN, 3072),
    MODEL("bert-base-cased", 12, 12, 768, 28996, 512, NAN, 3072),
    MODEL("bert-base-multilingual-cased", 12, 12, 768, 119547, 512, NAN, 3072),
    MODEL("bert-base-uncased", 12, 12, 768, 30522, 512, NAN, 3072),
    MODEL("bert-large", 24, 16, 1024, 30522, 512, NAN, 4096),
    MODEL("bigcode_santacoder", 24, 16, 2048, 49280, 2048, NAN, 8192),
    MODEL("bigscience_bloom-560m", 24, 16, 1024, 250880, NAN, NAN, 4096),
    MODEL("bigscience_bloom-7b1", 30, 32, 4096, 250880, NAN, NAN, 16384),
    MODEL("bigscience_bloomz-560m", 24, 16, 1024, 250880, NAN, NAN, 4096),
    MODEL("bigscience_bloomz-7b1-mt", 30, 32, 4096, 250880, NAN, NAN, 16384),
    MODEL("bigscience_test-bloomd-6b3", 30, 32, 4096, 250880, NAN, NAN, 16384),
    MODEL("bloom-175b", 96, 96, 12288, 250880, NAN, NAN, 49152),
    MODEL("decapoda-research_llama-13b-hf", 40, 40, 5120, 32000, 2048, NAN, 20480),
    MODEL("decapoda-research_llama-30b-hf", 60, 52, 6656, 32000, 2048, NAN, 26624),
    MODEL("decapoda-research_llama-65b-hf", 80, 64, 8192, 32000, 2048, NAN, 32768),
    MODEL("decapoda-research_llama-7b-hf", 32, 32, 4096, 32000, 2048, NAN, 16384),
    MODEL("distilgpt2", 6, 12, 768, 50257, 1024, NAN, 3072),
    MODEL("dslim_bert-base-NER", 12, 12, 768, 28996, 512, NAN, 3072),
    MODEL("facebook_opt-1.3b", 24, 32, 2048, 50272, 2048, NAN, 8192),
    MODEL("facebook_opt-125m", 12, 12, 768, 50272, 2048, NAN, 3072),
    MODEL("facebook_opt-13b", 40, 40, 5120, 50272, 2048, NAN, 20480),
    MODEL("facebook_opt-175b", 96, 96, 12288, 50272, 2048, NAN, 49152),
    MODEL("facebook_opt-350m", 24, 16, 1024, 50272, 2048, NAN, 4096),
    MODEL("facebook_opt-6.7b", 32, 32, 4096, 50272, 2048, NAN, 16384),
    MODEL("facebook_opt-66b", 64, 72, 9216, 50272, 2048, NAN, 36864),
    MODEL("fxmarty_tiny-llama-fast-tokenizer", 2, 4, 16, 32000, 2048, NAN, 64),
    MODEL("gpt2", 12, 12, 768, 50257, 1024, NAN, 3072),
    MODEL("gpt2-large", 36, 20, 1280, 50257, 1024, NAN, 5120),
    MODEL("gpt2-medium", 24, 16, 1024, 50257, 1024, NAN, 4096),
    MODEL("gpt2-xl", 48, 25, 1600, 50257, 1024, NAN, 6400),
    MODEL("hf-internal-testing_tiny-random-BloomForCausalLM", 5, 4, 32, 1024, NAN, NAN, 128),
    MODEL("hf-internal-testing_tiny-random-GPTNeoModel", 4, 4, 32, 1024, 512, NAN, 128),
    MODEL("hf-internal-testing_tiny-random-gpt_neo", 4, 4, 32, 1000, 512, NAN, 128),
    MODEL("lmsys_vicuna-7b-delta-v0", 32, 32, 4096, 32001, 2048, NAN, 16384),
    MODEL("megatron-lm-175b", 96, 96, 12288, 50272, 2048, NAN, 49152),
    MODEL("megatron-lm-530b", 105, 128, 20480, 50272, 2048, NAN, 81920),
    MODEL("mt-nlg-530b", 105, 128, 20480, 50272, 2048, NAN, 81920),
    MODEL("sentence-transformers_all-MiniLM-L6-v2", 6, 12, 384, 30522, 512, NAN, 1536),
    MODEL("test-13b", 40, 40, 5120, 50272, 2048, NAN, 20480),
    MODEL("trl-internal-testing_tiny-random-GPTNeoForCausalLM", 4, 4, 32, 1024, 512, NAN, 128),
    MODEL("upstage_Llama-2-70b-instruct-v2", 80, 64, 8192, 32000, 4096, 8, 32768),
};

/*
 * name, GB, memory GB/s, GB/s inside a node, least seconds of a message, TFLOP/s of fp16, int8, int4, GB/s between
 * nodes
 */
const struct llm_gpu llm_gpus[] = {
    {"a10-pcie-28gb", 28, 600, 32, 8e-6, 125, 250, 500, 200},
    {"a100-pcie-40gb", 40, 1555, 300, 8e-6, 312, 624, 1248, 200},
    {"a100-pcie-80gb", 80, 1935, 300, 8e-6, 312, 624, 1248, 200},
    {"a100-sxm-40gb", 40, 1555, 300, 8e-6, 312, 624, 1248, 200},
    {"a100-sxm-80gb", 80, 2039, 300, 8e-6, 312, 624, 1248, 200},
    {"a10g-pcie-24gb", 24, 600, 32, 8e-6, 70, 140, 280, 200},
    {"a6000-48gb", 48, 768, 56.25, 8e-6, 154.8, 309.6, 619.2, 200},
    {"h100-pcie-80gb", 80, 2000, 300, 8e-6, 756, 1513, 3026, 400},
    {"h100-sxm-80gb", 80, 3350, 450, 8e-6, 989, 1979, 3958, 400},
    {"mi100-32gb", 32, 1228.8, 138, 8e-6, 184.6, 369.2, 738.4, 200},
    {"mi210-64gb", 64, 1638, 150, 8e-6, 181, 362, 724, 200},
    {"mi250-128gb", 128, 3200, 400, 8e-6, 362.1, 724.2, 1448.4, 200},
    {"mi250x-128gb", 128, 3200, 400, 8e-6, 383, 766, 1532, 200},
    {"v100-pcie-16gb", 16, 900, 16, 8e-6, 112, 0, 0, 200},
    {"v100-pcie-32gb", 32, 900, 16, 8e-6, 112, 0, 0, 200},
    {"v100-sxm-16gb", 32, 900, 150, 8e-6, 125, 0, 0, 200},
    {"v100-sxm-32gb", 32, 900, 150, 8e-6, 125, 0, 0, 200},
};

/* name, bits of weights, activations, embeddings */
const struct llm_dtype llm_dtypes[] = {
    {"w16a16e16", 16, 16, 16}, {"w16a16e32", 16, 16, 32}, {"w4a16e16", 4, 16, 16}, {"w4a16e32", 4, 16, 32},
    {"w4a4e16", 4, 4, 16}, {"w4a4e32", 4, 4, 32}, {"w4a8e16", 4, 8, 16}, {"w4a8e32", 4, 8, 32},
    {"w8a16e16", 8, 16, 16}, {"w8a16e32", 8, 16, 32}, {"w8a8e16", 8, 8, 16}, {"w8a8e32", 8, 8, 32},
};

const int llm_model_count = LENGTH(llm_models), llm_gpu_count = LENGTH(llm_gpus), llm_dtype_count = LENGTH(llm_dtypes);

/* Every row begins with its name. */
static const void *find(const void *rows, int count, size_t size, const char *name)
{
    for (int i = 0; i < count; i++) {
        const char *row = (const char *)rows + (size_t)i * size;
        if (strcmp(*(const char *const *)row, name) == 0)
            return row;
    }
    return NULL;
}

const struct llm_model *llm_find_model(const char *name)
{
    return find(llm_models, llm_model_count, sizeof *llm_models, name);
}

const struct llm_gpu *llm_find_gpu(const char *name)
{
    return find(llm_gpus, llm_gpu_count, sizeof *llm_gpus, name);
}

const struct llm_dtype *llm_find_dtype(const char *name)
{
    return find(llm_dtypes, llm_dtype_count, sizeof *llm_dtypes, name);
}
