/* Hugging Face's config.json: the shapes of the presets from small files of each family, and what is refused. */
#include "tests/check.h"

#include "src/import/hf.h"
#include "src/import/import.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/text.h"

/* ---- helpers ---------------------------------------------------------------------------------------------------- */

/* Reads a config into `plan`; messages are added to `out`, one a line. Returns what hf_import() returned. */
static int read_config(const char *text, struct plan *plan, struct buffer *out)
{
    struct import import = {0};
    struct errors errors = {0};
    plan_clear(plan);
    int result = hf_import(text, strlen(text), "config.json", &import, &errors);
    assert_int_equal(result == 0, !errors_any(&errors));
    if (result == 0 && plan_apply_import(plan, &import, "config.json", FROM_FILE, &errors) != 0)
        result = -1;
    for (size_t i = 0; i < errors.count; i++)
        if (out)
            buffer_printf(out, "%s\n", errors.line[i]);
    import_free(&import);
    errors_free(&errors);
    return result;
}

/* ---- presets ---------------------------------------------------------------------------------------------------- */

#define SHAPE(layers, hidden, ffn, heads, groups, vocabulary, positions)                                              \
    "\"num_hidden_layers\": " #layers ", \"hidden_size\": " #hidden ", \"intermediate_size\": " #ffn                  \
    ", \"num_attention_heads\": " #heads ", \"num_key_value_heads\": " #groups ", \"vocab_size\": " #vocabulary       \
    ", \"max_position_embeddings\": " #positions
#define TYPE(name) "{\"model_type\": \"" name "\", "
#define GPT(layers, hidden, heads) "\"n_layer\": " #layers ", \"n_embd\": " #hidden ", \"n_head\": " #heads
#define TIED ", \"tie_word_embeddings\": true"
#define UNTIED ", \"tie_word_embeddings\": false"
#define LATENT(q)                                                                                                      \
    ", \"q_lora_rank\": " #q ", \"kv_lora_rank\": 512, \"qk_nope_head_dim\": 128, \"qk_rope_head_dim\": 64, "          \
                             "\"v_head_dim\": 128"
#define EXPERTS(count, top, width, shared, first)                                                                     \
    ", \"n_routed_experts\": " #count ", \"num_experts_per_tok\": " #top ", \"moe_intermediate_size\": " #width       \
    ", \"n_shared_experts\": " #shared ", \"first_k_dense_replace\": " #first ", \"moe_layer_freq\": 1"

static const struct {
    const char *preset, *text;
} preset_rows[] = {
    {"llama-7b", TYPE("llama") SHAPE(32, 4096, 11008, 32, 32, 32000, 2048) "}"},
    {"llama2-70b", TYPE("llama") SHAPE(80, 8192, 28672, 64, 8, 32000, 4096) UNTIED "}"},
    {"llama3-8b", TYPE("llama") SHAPE(32, 4096, 14336, 32, 8, 128256,
                                      8192) ", \"attention_bias\": false, \"mlp_bias\": false}"},
    {"llama3.2-1b", TYPE("llama") SHAPE(16, 2048, 8192, 32, 8, 128256, 131072) ", \"head_dim\": 64" TIED "}"},
    {"yi-6b", TYPE("llama") SHAPE(32, 4096, 11008, 32, 4, 64000, 4096) "}"},
    {"mistral-7b-v0.1", TYPE("mistral") SHAPE(32, 4096, 14336, 32, 8, 32000, 32768) ", \"sliding_window\": 4096}"},
    {"mistral-7b-v0.3", TYPE("mistral") SHAPE(32, 4096, 14336, 32, 8, 32768, 32768) ", \"sliding_window\": null}"},
    {"mixtral-8x7b", TYPE("mixtral") SHAPE(32, 4096, 14336, 32, 8, 32000,
                                           32768) ", \"sliding_window\": null, \"num_local_experts\": 8, "
                                                  "\"num_experts_per_tok\": 2}"},
    {"qwen1.5-7b", TYPE("qwen2") SHAPE(32, 4096, 11008, 32, 32, 151936,
                                       32768) ", \"use_sliding_window\": false, \"sliding_window\": 32768, "
                                              "\"max_window_layers\": 28}"},
    {"qwen1.5-moe-a2.7b", TYPE("qwen2_moe") SHAPE(24, 2048, 5632, 16, 16, 151936,
                                                  8192) ", \"num_experts\": 60, \"num_experts_per_tok\": 4, "
                                                        "\"moe_intermediate_size\": 1408, "
                                                        "\"shared_expert_intermediate_size\": 5632, "
                                                        "\"decoder_sparse_step\": 1, \"mlp_only_layers\": []}"},
    {"qwen2.5-0.5b", TYPE("qwen2") SHAPE(24, 896, 4864, 14, 2, 151936, 32768) TIED "}"},
    {"qwen3-8b", TYPE("qwen3") SHAPE(36, 4096, 12288, 32, 8, 151936,
                                     40960) ", \"head_dim\": 128, \"attention_bias\": false}"},
    {"qwen3-30b-a3b", TYPE("qwen3_moe") SHAPE(48, 2048, 6144, 32, 4, 151936,
                                              40960) ", \"head_dim\": 128, \"num_experts\": 128, "
                                                     "\"num_experts_per_tok\": 8, \"moe_intermediate_size\": 768, "
                                                     "\"decoder_sparse_step\": 1}"},
    {"deepseek-moe-16b", TYPE("deepseek") SHAPE(28, 2048, 10944, 16, 16, 102400, 4096) EXPERTS(64, 6, 1408, 2, 1) "}"},
    {"deepseek-v2-lite", TYPE("deepseek_v2") SHAPE(27, 2048, 10944, 16, 16, 102400, 163840) LATENT(null) EXPERTS(64, 6,
     1408, 2, 1) ", \"topk_method\": \"greedy\"}"},
    {"deepseek-v3", TYPE("deepseek_v3") SHAPE(61, 7168, 18432, 128, 128, 129280, 163840) LATENT(1536) EXPERTS(256, 8,
     2048, 1, 3) ", \"n_group\": 8, \"topk_group\": 4, \"topk_method\": \"noaux_tc\", \"num_nextn_predict_layers\": 1, "
                 "\"quantization_config\": {\"quant_method\": \"fp8\"}}"},
    {"kimi-k2", TYPE("kimi_k2") SHAPE(61, 7168, 18432, 64, 64, 163840, 131072) LATENT(1536) EXPERTS(384, 8, 2048, 1,
     1) ", \"topk_method\": \"noaux_tc\", \"num_nextn_predict_layers\": 0}"},
    {"gemma-2b", TYPE("gemma") SHAPE(18, 2048, 16384, 8, 1, 256000, 4096) ", \"head_dim\": 256}"},
    {"gemma2-9b", TYPE("gemma2") SHAPE(42, 3584, 14336, 16, 8, 256000,
                                       8192) ", \"head_dim\": 256, \"sliding_window\": 4096}"},
    {"gemma3-1b", TYPE("gemma3_text") SHAPE(26, 1152, 6912, 4, 1, 262144,
                                            131072) ", \"head_dim\": 256, \"sliding_window\": 512, "
                                                    "\"sliding_window_pattern\": 6}"},
    {"gemma3-4b",
     "{\"architectures\": [\"Gemma3ForConditionalGeneration\"], \"model_type\": \"gemma3\", \"text_config\": "
     "{\"model_type\": \"gemma3_text\", \"hidden_size\": 2560, \"intermediate_size\": 10240, \"num_hidden_layers\": "
     "34, \"sliding_window\": 1024}, \"vision_config\": {\"hidden_size\": 1152, \"num_hidden_layers\": 27}}"},
    {"phi-2", TYPE("phi") SHAPE(32, 2560, 10240, 32, null, 51200, 2048) ", \"resid_pdrop\": 0.0" UNTIED "}"},
    {"phi3-mini", TYPE("phi3") SHAPE(32, 3072, 8192, 32, 32, 32064, 4096) ", \"sliding_window\": 2047}"},
    {"phi3.5-moe", TYPE("phimoe") SHAPE(32, 4096, 6400, 32, 8, 32064,
                                        131072) ", \"attention_bias\": true, \"lm_head_bias\": true, "
                                                "\"num_local_experts\": 16, \"num_experts_per_tok\": 2, "
                                                "\"sliding_window\": 131072}"},
    {"phi4", TYPE("phi3") SHAPE(40, 5120, 17920, 40, 10, 100352, 16384) ", \"sliding_window\": null}"},
    {"falcon-7b",
     TYPE("falcon") "\"num_hidden_layers\": 32, \"hidden_size\": 4544, \"num_attention_heads\": 71, \"num_kv_heads\": "
                    "71, \"vocab_size\": 65024, \"multi_query\": true, \"parallel_attn\": true, "
                    "\"new_decoder_architecture\": false, \"bias\": false, \"alibi\": false}"},
    {"falcon-40b",
     TYPE("RefinedWeb") "\"n_layer\": 60, \"hidden_size\": 8192, \"n_head\": 128, \"n_head_kv\": 8, \"vocab_size\": "
                        "65024, \"parallel_attn\": true, \"bias\": false, \"alibi\": false}"},
    {"gpt2-124m",
     TYPE("gpt2") GPT(12, 768,
                      12) ", \"n_ctx\": 1024, \"n_positions\": 1024, \"vocab_size\": 50257, \"n_inner\": null, "
                          "\"resid_pdrop\": 0, \"attn_pdrop\": 0}"},
    {"gpt-neox-20b",
     TYPE("gpt_neox") "\"num_hidden_layers\": 44, \"hidden_size\": 6144, \"num_attention_heads\": 64, "
                      "\"intermediate_size\": 24576, \"vocab_size\": 50432, \"max_position_embeddings\": 2048"
                      UNTIED "}"},
    {"gpt-j-6b", TYPE("gptj") GPT(28, 4096, 16) ", \"n_positions\": 2048, \"vocab_size\": 50400, \"rotary_dim\": 64"
                                                UNTIED "}"},
    {"opt-6.7b",
     TYPE("opt") "\"num_hidden_layers\": 32, \"hidden_size\": 4096, \"ffn_dim\": 16384, \"num_attention_heads\": 32, "
                 "\"vocab_size\": 50272, \"max_position_embeddings\": 2048, \"word_embed_proj_dim\": 4096, "
                 "\"dropout\": 0}"},
    {"bloom-7b1",
     TYPE("bloom") "\"n_layer\": 30, \"n_embed\": 4096, \"num_attention_heads\": 32, \"vocab_size\": 250880, "
                   "\"seq_length\": 2048, \"hidden_dropout\": 0.0}"},
    {"mpt-7b",
     TYPE("mpt") "\"n_layers\": 32, \"d_model\": 4096, \"n_heads\": 32, \"expansion_ratio\": 4, \"max_seq_len\": 2048, "
                 "\"vocab_size\": 50432, \"no_bias\": true, \"learned_pos_emb\": true, \"attn_config\": {\"alibi\": "
                 "true, \"attn_pdrop\": 0}}"},
    {"olmo-1b",
     TYPE("hf_olmo") "\"n_layers\": 16, \"d_model\": 2048, \"n_heads\": 16, \"mlp_ratio\": 8, \"vocab_size\": 50280, "
                     "\"embedding_size\": 50304, \"max_sequence_length\": 2048, \"weight_tying\": true, "
                     "\"include_bias\": false}"},
    {"olmo-7b", TYPE("olmo") SHAPE(32, 4096, 11008, 32, 32, 50304, 2048) "}"},
    {"olmo2-7b", TYPE("olmo2") SHAPE(32, 4096, 11008, 32, 32, 100352, 4096) "}"},
    {"gpt-oss-20b", TYPE("gpt_oss") SHAPE(24, 2880, 2880, 64, 8, 201088,
                                          131072) ", \"head_dim\": 64, \"attention_bias\": true, \"sliding_window\": "
                                                  "128, \"layer_types\": [\"sliding_attention\", \"full_attention\", "
                                                  "\"sliding_attention\", \"full_attention\"], \"num_local_experts\": "
                                                  "32, \"num_experts_per_tok\": 4}"},
    {"glm4-9b",
     TYPE("chatglm") "\"num_layers\": 40, \"hidden_size\": 4096, \"ffn_hidden_size\": 13696, \"num_attention_heads\": "
                     "32, \"kv_channels\": 128, \"multi_query_attention\": true, \"multi_query_group_num\": 2, "
                     "\"padded_vocab_size\": 151552, \"vocab_size\": 151552, \"seq_length\": 131072, \"add_qkv_bias\": "
                     "true, \"rmsnorm\": true}"},
    {"glm4.5-air-106b-a12b", TYPE("glm4_moe") SHAPE(46, 4096, 10944, 96, 8, 151552,
                                                    131072) ", \"head_dim\": 128, \"attention_bias\": true, "
                                                            "\"use_qk_norm\": false, \"num_nextn_predict_layers\": "
                                                            "1" EXPERTS(128, 8, 1408, 1, 1) "}"},
    {"llama4-maverick-17b-128e", "{\"model_type\": \"llama4\", \"text_config\": " TYPE("llama4_text") SHAPE(48, 5120,
     8192, 40, 8, 202048, 1048576) ", \"intermediate_size_mlp\": 16384, \"head_dim\": 128, \"num_local_experts\": 128, "
                                   "\"num_experts_per_tok\": 1, \"interleave_moe_layer_step\": 2, "
                                   "\"attention_chunk_size\": 8192}}"},
    {"minimax-m2.5", TYPE("minimax_m2") SHAPE(62, 3072, 1536, 48, 8, 200064,
                                              196608) ", \"head_dim\": 128, \"use_qk_norm\": true, "
                                                      "\"use_routing_bias\": true, \"shared_intermediate_size\": 0, "
                                                      "\"num_local_experts\": 256, \"num_experts_per_tok\": 8}"},
};

/* Every model key has the value of the preset; its name is a label. */
static void files_of_published_models_have_the_shapes_of_the_presets(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < COUNT(preset_rows); i++) {
        struct plan read, preset, a, b;
        struct buffer messages = {0};
        struct errors errors = {0};
        plan_clear(&preset);
        assert_that(read_config(preset_rows[i].text, &read, &messages) == 0, "%s: %s", preset_rows[i].preset,
                    messages.text);
        assert_int_equal(plan_load_model(&preset, preset_rows[i].preset, FROM_SET, &errors), 0);
        plan_resolve(&read, &a);
        plan_resolve(&preset, &b);
        for (int k = 0; k < PARAM_COUNT; k++)
            if (param_rows[k].group_id == GROUP_model && param_rows[k].type != TYPE_NAME &&
                k != PARAM_model_rotary_base /* these files give none */ && !param_equal(&a, &b, (enum param)k)) {
                print_error("%s: %s is %g, %g in the preset\n", preset_rows[i].preset, param_rows[k].dotted, a.value[k],
                            b.value[k]);
                wrong++;
            }
        buffer_free(&messages);
        errors_free(&errors);
    }
    assert_int_equal(wrong, 0);
}

/* ---- single keys ------------------------------------------------------------------------------------------------ */

#define SMALL SHAPE(4, 64, 256, 4, 2, 1000, 128)

#define QUANTISED(members) ", \"quantization_config\": {" members "}}"

static const struct {
    const char *text, *key, *value;
} key_rows[] = {
    {TYPE("llama") SMALL ", \"attention_bias\": true}", "model.add_bias_linear", "true"},
    {TYPE("llama") SMALL ", \"attention_bias\": true}", "model.add_mlp_bias", "false"},
    {TYPE("qwen2") SMALL ", \"use_sliding_window\": true, \"sliding_window\": 32, \"max_window_layers\": 0}",
     "model.sliding_window", "32"},
    {TYPE("falcon") SMALL ", \"new_decoder_architecture\": true}", "model.norms_per_layer", "2"},
    {TYPE("falcon") SMALL ", \"alibi\": true}", "model.position_embedding", "alibi"},
    {TYPE("glm4") SMALL "}", "model.norms_per_layer", "4"},
    {TYPE("gpt2") GPT(2, 64, 4) "}", "model.hidden_dropout", "0.1"},
    {TYPE("starcoder2") SMALL ", \"use_bias\": false}", "model.add_mlp_bias", ""},
    {TYPE("cohere") SMALL "}", "model.normalization", "layernorm_nobias"},
    {TYPE("qwen2_moe") SMALL ", \"num_experts\": 8, \"mlp_only_layers\": [0, 1]}", "model.moe_first_dense", "2"},
    {TYPE("qwen3_moe") SMALL ", \"num_experts\": 8, \"decoder_sparse_step\": 2}", "model.moe_layer_freq", "2"},
    {TYPE("qwen3_next") SMALL ", \"full_attention_interval\": 2}", "model.layer_pattern", "2[G- *-]"},
    {TYPE("deepseek_ref") SMALL ", \"compress_ratios\": [0, 4, 128, 4], \"n_routed_experts\": 8}",
     "model.layer_pattern", "wE cE xE cE"},
    {TYPE("cwm") SMALL ", \"sliding_window\": 8, \"layer_types\": [\"full_attention\", \"sliding_attention\", "
                       "\"sliding_attention\", \"full_attention\"]}",
     "model.layer_pattern", "*- 2[W-] *-"},
    {TYPE("qwen2") SMALL ", \"use_sliding_window\": true, \"sliding_window\": 32, \"max_window_layers\": 3}",
     "model.layer_pattern", "3[*-] W-"},
    {TYPE("qwen3_moe") SMALL ", \"num_experts\": 8, \"mlp_only_layers\": [1, 3]}", "model.layer_pattern",
     "2[*E *-]"},
    {TYPE("strange") SMALL ", \"num_experts\": 8, \"moe_layer_freq\": [0, 1, 1, 0]}", "model.layer_pattern",
     "*- 2[*E] *-"},
    {TYPE("exaone4") SMALL ", \"sliding_window\": 8, \"sliding_window_pattern\": \"LLLG\"}",
     "model.sliding_window_every", "4"},
    {TYPE("llama4") "\"text_config\": {" SHAPE(48, 5120, 8192, 40, 8, 202048, 8192) ", \"num_local_experts\": 16}, "
                    "\"vision_config\": {\"hidden_size\": 1408, \"image_size\": 336}}",
     "model.vision_params", "871932416"},
    {TYPE("kimi_k25") "\"text_config\": {\"model_type\": \"kimi_k2\", " SHAPE(61, 7168, 18432, 64, 64, 163840, 8192)
                      "}, \"vision_config\": {\"vt_hidden_size\": 1152, \"merge_kernel_size\": [2, 2]}}",
     "model.vision_params", "471143920"},
    {TYPE("gemma4") "\"text_config\": {" SHAPE(6, 1536, 6144, 8, 1, 262144, 8192) "}, \"vision_config\": "
                    "{\"hidden_size\": 768}}",
     "model.vision_params", "168544256"},
    {TYPE("cohere") SMALL ", \"use_qk_norm\": true}", "model.qk_norm", "full"},
    {TYPE("internlm") SMALL "}", "model.add_qkv_bias", "true"},
    {TYPE("internlm2") SMALL "}", "model.add_qkv_bias", "false"},
    {TYPE("minicpm3") SMALL ", \"q_lora_rank\": 8, \"kv_lora_rank\": 8, \"qk_nope_head_dim\": 8, "
                            "\"qk_rope_head_dim\": 8}",
     "model.v_head_dim", "16"},
    {TYPE("dbrx") "\"d_model\": 64, \"n_heads\": 4, \"n_layers\": 2, \"vocab_size\": 100, \"attn_config\": "
                  "{\"kv_n_heads\": 2}, \"ffn_config\": {\"ffn_hidden_size\": 96, \"moe_num_experts\": 16, "
                  "\"moe_top_k\": 4}}",
     "model.num_experts", "16"},
    {TYPE("qwen3_next") SMALL "}", "model.attention_output_gate", "element"},
    {TYPE("arcee") SMALL "}", "model.gated_mlp", "false"},
    {TYPE("strange") SMALL ", \"hidden_act\": \"relu2\"}", "model.gated_mlp", "false"},
    {TYPE("strange") SMALL ", \"hidden_act\": \"silu\"}", "model.gated_mlp", "true"},
    {"{\"architectures\": [\"GPTNeoXForCausalLM\"], " SMALL "}", "model.normalization", "layernorm"},
    {"{" GPT(2, 64, 4) ", \"vocab_size\": 100}", "model.position_embedding", "learned"},
    {TYPE("qwen") "\"num_hidden_layers\": 2, \"hidden_size\": 64, \"intermediate_size\": 256, \"num_attention_heads\": "
                  "4, \"seq_length\": 8}", "model.ffn_hidden_size", "128"},
    {TYPE("llama") SMALL ", \"_name_or_path\": \"somebody/Small-Model_1.5\"}", "model.name", "Small-Model_1.5"},
    {TYPE("llama") SMALL ", \"rope_theta\": Infinity, \"router_z\": NaN, \"smile\": \"\\ud83d\\ude00\"}",
     "model.num_layers", "4"},
    {TYPE("llama") SMALL ", \"vocab_size\": 2000}", "model.vocab_size", "2000"},
    {TYPE("gemma3_text") SMALL ", \"layer_types\": [\"full_attention\", \"full_attention\"], \"sliding_window\": 8}",
     "model.sliding_window", ""},
    {TYPE("llama") SMALL QUANTISED("\"bits\": 4, \"group_size\": 64, \"quant_method\": \"awq\""), "serve.weight_dtype",
     "awq"},
    {TYPE("llama") SMALL QUANTISED("\"bits\": 4, \"group_size\": 64, \"quant_method\": \"gptq\""), "serve.group_size",
     "64"},
    {TYPE("llama") SMALL QUANTISED("\"quant_method\": \"fp8\", \"weight_block_size\": [128, 128]"),
     "serve.weight_dtype", "fp8_block"},
    {TYPE("llama") SMALL QUANTISED("\"quant_method\": \"modelopt\", \"quant_algo\": \"NVFP4\""),
     "serve.weight_dtype", "nvfp4"},
    {TYPE("llama") SMALL QUANTISED("\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"group_0\": "
                                   "{\"weights\": {\"num_bits\": 8, \"type\": \"int\"}}}"),
     "serve.weight_dtype", "int8"},
    {TYPE("llama") SMALL QUANTISED("\"quant_method\": \"compressed-tensors\", \"ignore\": [\"lm_head\", "
                                   "\"re:.*self_attn.*\"], \"config_groups\": {\"group_0\": {\"weights\": "
                                   "{\"num_bits\": 8, \"type\": \"float\"}}}"),
     "serve.attention_dtype", "bf16"},
    {TYPE("llama") SMALL QUANTISED("\"quant_method\": \"fbgemm_fp8\", \"modules_to_not_convert\": "
                                   "[\"model.layers.0.mlp.up_proj\", \"model.layers.0.mlp.down_proj\"]"),
     "serve.bf16_layers", "1"},
};

static void single_keys(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(key_rows); i++) {
        struct plan plan;
        struct buffer messages = {0};
        char text[64];
        assert_that(read_config(key_rows[i].text, &plan, &messages) == 0, "%s", messages.text);
        param_print(&plan, (enum param)param_find(key_rows[i].key), text, sizeof text);
        assert_that(strcmp(text, key_rows[i].value) == 0, "%s of %s is '%s'", key_rows[i].key, key_rows[i].text, text);
        buffer_free(&messages);
    }
}

/* ---- messages --------------------------------------------------------------------------------------------------- */

#define HYBRIDS_13                                                                                                     \
    "\"hybrid\", \"hybrid\", \"hybrid\", \"hybrid\", \"hybrid\", \"hybrid\", \"hybrid\", \"hybrid\", \"hybrid\", "     \
    "\"hybrid\", \"hybrid\", \"hybrid\", \"hybrid\""

static const struct {
    const char *text, *messages;
    int result;
} message_rows[] = {
    {TYPE("bert") "\"num_hidden_layers\": 12, \"hidden_size\": 768, \"intermediate_size\": 3072, "
                  "\"vocab_size\": 30522, \"max_position_embeddings\": 512, \"type_vocab_size\": 2}",
     "config.json:1: model_type: \"bert\" is an encoder with 109482240 parameters, whose memory and time are not "
     "modelled; give another model\n", -1},
    {TYPE("zamba2") "\"num_hidden_layers\": 81, \"hidden_size\": 3584, \"intermediate_size\": 14336, \"vocab_size\": "
                    "32000, \"mamba_ngroups\": 2, \"num_mem_blocks\": 2, \"layers_block_type\": [" HYBRIDS_13 "]}",
     "config.json:1: model_type: \"zamba2\" is a decoder with shared layers with 7356749648 parameters, whose memory "
     "and time are not modelled; give another model\n", -1},
    {TYPE("nemotron-nas") "\"num_hidden_layers\": 2, \"hidden_size\": 1024, \"num_attention_heads\": 8, "
                          "\"vocab_size\": 1000, \"block_configs\": [{\"attention\": {\"no_op\": true}, \"ffn\": "
                          "{\"ffn_mult\": 1.5}}, {\"attention\": {\"n_heads_in_group\": 4}, \"ffn\": "
                          "{\"no_op\": true}}]}",
     "config.json:1: model_type: \"nemotron-nas\" is a decoder whose layers all differ with 7818240 parameters, whose "
     "memory and time are not modelled; give another model\n", -1},
    {TYPE("strange") SMALL ", \"mamba_d_state\": 16}",
     "config.json:1: model_type: \"strange\" is not known, and a Llama has no mamba_d_state; write the model as a plan "
     "with model.layer_pattern\n", -1},
    {TYPE("strange") SMALL ", \"layer_types\": [\"full_attention\", \"linear_attention\"]}",
     "config.json:1: model_type: \"strange\" is not known, and a Llama has no layer_types; write the model as a plan "
     "with model.layer_pattern\n", -1},
    {TYPE("llama") SMALL ", \"layer_types\": [\"full_attention\", \"linear_attention\"]}",
     "config.json:1: layer_types: names layers other than attention; write the model as a plan with "
     "model.layer_pattern\n", -1},
    {TYPE("albert") SMALL "}",
     "config.json:1: model_type: \"albert\" is an encoder, which is not modelled; give a decoder-only "
     "transformer\n", -1},
    {TYPE("xlm-roberta-xl") SMALL "}",
     "config.json:1: model_type: \"xlm-roberta-xl\" is an encoder, which is not modelled; give a decoder-only "
     "transformer\n", -1},
    {TYPE("t5") "\"d_model\": 512}",
     "config.json:1: model_type: \"t5\" is an encoder and a decoder, which is not modelled; give a decoder-only "
     "transformer\n", -1},
    {"{\n\"is_encoder_decoder\": true,\n\"model_type\": \"new\"}",
     "config.json:3: model_type: \"new\" is an encoder and a decoder, which is not modelled; give a decoder-only "
     "transformer\n", -1},
    {TYPE("rwkv") SMALL "}",
     "config.json:1: model_type: \"rwkv\" is a recurrent model, which is not modelled; give a decoder-only "
     "transformer\n", -1},
    {TYPE("strange") "\"width\": 3}",
     "config.json:1: model_type: \"strange\" is not known and the keys are not those of a Llama; write the model as a "
     "plan\n", -1},
    {"{\"architectures\": [\"X\"]}",
     "config.json: model_type: \"\" is not known and the keys are not those of a Llama; write the model as a plan\n",
     -1},
    {TYPE("llama") "\n\"hidden_size\": \"wide\", \"num_hidden_layers\": 2, \"num_attention_heads\": 2, \"vocab_size\": "
                   "9}", "config.json:2: hidden_size: \"wide\" is not a number; ignored\nconfig.json: "
                         "hidden_size: is not given; give model.hidden_size with --set\n", 0},
    {TYPE("llama") SMALL ", \"tie_word_embeddings\": \"maybe\"}",
     "config.json:1: tie_word_embeddings: \"maybe\" is not true or false; ignored\n", 0},
    {"{\"model_type\": \"llama\", \"a\": }}",
     "config.json:1: is not valid JSON; check commas, quotes and braces here\n", -1},
    {"[1]", "config.json: is not a mapping of keys to values; give the whole file\n", -1},
    {TYPE("strange") SMALL "}",
     "config.json:1: model_type: \"strange\" is not known, so it is read like a Llama; check biases, norms and tied "
     "embeddings\n", 0},
    {TYPE("llama") "\"hidden_size\": 64, \"num_attention_heads\": 4, \"vocab_size\": 100}",
     "config.json: num_hidden_layers: is not given; give model.num_layers with --set\n", 0},
    {TYPE("llama") SMALL ", \"quantization_config\": {\"bits\": 4}}",
     "config.json: quantization_config: the published weights are quantized; training uses train.dtype\n", 0},
    {TYPE("llama") SMALL ", \"bos_token_id\": 1, \"rope_scaling\": {\"a\": 1, \"b\": 2}}",
     "config.json: 2 settings change neither memory nor time (JSON has them as `unused`)\n", 0},
    {TYPE("llama") SMALL ",\n\"vocab_size\": 7}",
     "config.json:1: vocab_size: is given again on line 2; the last one counts\n", 0},
    {"{\"vision_config\": {\"depth\": 3}, \"model_type\": \"glm4v_moe\", \"text_config\": {" SMALL "}}",
     "config.json: only the language model is read; vision and audio parts are not counted\n", 0},
};

static void whole_messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(message_rows); i++) {
        struct plan plan;
        struct buffer messages = {0};
        int result = read_config(message_rows[i].text, &plan, &messages);
        assert_message(messages.text, message_rows[i].messages);
        assert_int_equal(result, message_rows[i].result);
        buffer_free(&messages);
    }
}

/* JSON that is unusual but right, and what Python's reader takes beside it. */
static void every_json_is_read(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{\"model_type\"\n:\n\"llama\", \"a\": {\"b\"\n\n: 1}," SMALL "}",
        "\xef\xbb\xbf{\"model_type\": \"llama\"," SMALL "}",
        "{\"model_type\": \"llama\", \"a\": [NaN, Infinity, -Infinity], \"b\": NaN," SMALL "}",
        "{\"model_type\": \"llama\", // the first\n \"a\": \"// no comment, [\", /* two\nlines */"
        SMALL ", # the last\n}", "{\"model_type\": \"llama\", \"a\": \"\\ud83d\\ude00 \\ud800\"," SMALL "}",
    };
    struct plan plain, plan;
    struct buffer messages = {0};
    assert_int_equal(read_config(TYPE("llama") SMALL "}", &plain, &messages), 0);
    buffer_free(&messages);
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_that(read_config(texts[i], &plan, &messages) == 0, "%s\n%s", texts[i], messages.text);
        assert_true(plan_equal(&plain, &plan));
        buffer_free(&messages);
    }
    struct buffer text = {0};
    buffer_puts(&text, TYPE("llama") "\"");
    for (int i = 0; i < 2000; i++)
        buffer_puts(&text, "k");
    buffer_puts(&text, "\": 1," SMALL "}");
    assert_int_equal(read_config(text.text, &plan, &messages), 0);
    assert_true(plan_equal(&plain, &plan));
    buffer_free(&text);
    buffer_free(&messages);
    assert_int_equal(
        read_config("{\"model_type\"\n: \"llama\"," SMALL ",\n\"head_dim\"\n:\n\"wide\"}", &plan, &messages), 0);
    assert_non_null(strstr(messages.text, "config.json:3: head_dim: "));
    buffer_free(&messages);
}

/* Texts that would need a deep stack, much memory or much time. */
static void hostile_texts_are_refused(void **state)
{
    (void)state;
    struct buffer deep = {0}, wide = {0}, keys = {0}, out = {0};
    struct plan plan;
    buffer_puts(&deep, "{\"model_type\": \"llama\", \"a\": ");
    for (int i = 0; i < 200000; i++)
        buffer_puts(&deep, "[");
    assert_int_equal(read_config(deep.text, &plan, &out), -1);
    assert_message(out.text, "config.json:1: is nested more than 64 deep; flatten it\n");
    buffer_free(&out);
    buffer_puts(&wide, "{\"model_type\": \"llama\", \"a\": [0");
    for (int i = 0; i < 500000; i++)
        buffer_puts(&wide, ",1");
    buffer_puts(&wide, "]}");
    assert_int_equal(read_config(wide.text, &plan, &out), -1);
    assert_message(out.text, "config.json:1: has more than 100000 values; give the configuration alone\n");
    buffer_free(&out);
    buffer_puts(&keys, "{\"model_type\": \"llama\"");
    for (int i = 0; i < 5000; i++)
        buffer_printf(&keys, ",\n\"key%d\": 1", i);
    buffer_puts(&keys, "}");
    assert_int_equal(read_config(keys.text, &plan, &out), -1);
    assert_message(out.text, "config.json:1: has 5001 keys, more than 4096; give the configuration alone\n");
    buffer_free(&deep);
    buffer_free(&wide);
    buffer_free(&keys);
    buffer_free(&out);
}

int main(void)
{
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_published_models_have_the_shapes_of_the_presets),
        cmocka_unit_test(single_keys),
        cmocka_unit_test(whole_messages),
        cmocka_unit_test(every_json_is_read),
        cmocka_unit_test(hostile_texts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
