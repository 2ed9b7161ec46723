/*
 * Plans as flags and configurations: what is written reads back to the same estimate, and what cannot be said is named.
 */
#include "tests/check.h"

#include "src/export/export.h"
#include "src/import/deepspeed.h"
#include "src/import/hf.h"
#include "src/import/import.h"
#include "src/import/megatron.h"
#include "src/import/nanotron.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/text.h"

enum { PLANS = 150 };

/* ---- reading back ----------------------------------------------------------------------------------------------- */

static int read_back(const char *format, const struct buffer *text, const struct plan *base, struct import *out,
                     struct errors *errors)
{
    if (strcmp(format, "megatron") == 0)
        return megatron_recognise(text->text, text->size) ? megatron_import(text->text, text->size, "x", out, errors)
                                                          : -1;
    if (strcmp(format, "nanotron") == 0)
        return plan_recognise(text->text, text->size) == KIND_NANOTRON
                   ? nanotron_import(text->text, text->size, "x", out, errors)
                   : -1;
    if (strcmp(format, "hf") == 0)
        return plan_recognise(text->text, text->size) == KIND_HF ? hf_import(text->text, text->size, "x", out, errors)
                                                                 : -1;
    return plan_recognise(text->text, text->size) == KIND_DEEPSPEED
               ? deepspeed_import(text->text, text->size, "x", base, out, errors)
               : -1;
}

/* True for keys that a file of the format decides, so that they must not be left from the plan. */
static bool is_replaced(const char *format, const struct import *import, int id)
{
    static const enum param ours[] = {PARAM_model_make_vocab_size_divisible_by, PARAM_model_moe_imbalance,
                                      PARAM_model_moe_capacity_factor};
    if (strcmp(format, "deepspeed") == 0) {
        for (size_t i = 0; i < import->settings.count + import->defaults.count; i++) {
            const struct keyval *kv = i < import->settings.count ? &import->settings.item[i]
                                                                 : &import->defaults.item[i - import->settings.count];
            if (param_find(kv->key) == id)
                return true;
        }
        return false;
    }
    for (size_t i = 0; i < COUNT(ours); i++)
        if (strcmp(format, "hf") == 0 && (int)ours[i] == id)
            return false;
    return strcmp(format, "hf") == 0 ? param_rows[id].group_id == GROUP_model
                                     : param_rows[id].group_id <= GROUP_framework;
}

/* Sets the keys that remarks name to what they are in the plan. */
static void set_noted(struct plan *again, const struct plan *resolved, const struct errors *notes)
{
    for (size_t i = 0; i < notes->count; i++) {
        char key[64];
        snprintf(key, sizeof key, "%.*s", (int)strcspn(notes->line[i], ":"), notes->line[i]);
        int id = param_find(key);
        if (id < 0)
            continue;
        again->value[id] = resolved->value[id];
        again->from[id] = FROM_SET;
        if (id == PARAM_parallel_pipeline_layout)
            again->layout = resolved->layout;
    }
}

static void check_same(double a, double b, const char *what, const char *format, const struct plan *plan,
                       const struct buffer *text)
{
    assert_that(a == b || (isnan(a) && isnan(b)), "%s, %s: %.17g read back as %.17g\n%s\n%s", format, what, a, b,
                check_describe(plan), text->text);
}

static void check_estimates(const struct estimate *a, const struct estimate *b, const char *format,
                            const struct plan *plan, const struct buffer *text)
{
    check_same(a->stages, b->stages, "stages", format, plan, text);
    check_same(a->totals.total, b->totals.total, "parameters", format, plan, text);
    check_same(a->totals.total_bytes, b->totals.total_bytes, "bytes of the full model", format, plan, text);
    check_same(a->step.iteration_s, b->step.iteration_s, "iteration", format, plan, text);
    for (int i = 0; i < a->stages; i++) {
        check_same(a->stage[i].params, b->stage[i].params, "parameters of a stage", format, plan, text);
        check_same(a->stage[i].device_bytes, b->stage[i].device_bytes, "device memory", format, plan, text);
    }
}

/*
 * Exports, imports, sets what was remarked on, and compares the estimates. Returns the number of remarks on keys, and
 * prints those beyond `expected`.
 */
static int check_round_trip(const struct plan *plan, const char *format, int expected)
{
    static struct estimate before, after;
    struct plan resolved, again;
    struct buffer text = {0};
    struct errors notes = {0}, errors = {0};
    struct import import = {0};
    int count = 0;
    plan_resolve(plan, &resolved);
    assert_int_equal(export_plan(export_find(format), plan, &resolved, &text, &notes), 0);
    assert_that(read_back(format, &text, &resolved, &import, &errors) == 0, "%s: %s\n%s", format,
                errors.count ? errors.line[0] : "not recognised", text.text);
    again = resolved;
    for (int i = 0; i < PARAM_COUNT; i++)
        if (is_replaced(format, &import, i)) {
            again.value[i] = NAN;
            again.layout.chunks = i == PARAM_parallel_pipeline_layout ? 0 : again.layout.chunks;
        }
    assert_that(plan_apply_import(&again, &import, NULL, FROM_FILE, &errors) == 0, "%s: %s\n%s", format,
                errors.line[errors.count - 1], text.text);
    set_noted(&again, &resolved, &notes);
    estimate_plan(plan, &before);
    estimate_plan(&again, &after);
    check_estimates(&before, &after, format, plan, &text);
    for (size_t i = 0; i < notes.count; i++)
        if (strstr(notes.line[i], "cannot be said") && count++ >= expected)
            print_error("%s\n", notes.line[i]);
    import_free(&import);
    errors_free(&notes);
    errors_free(&errors);
    buffer_free(&text);
    return count;
}

static void random_plans_read_back_to_the_same_estimate(void **state)
{
    (void)state;
    struct check_random random = {11};
    for (int i = 0; i < PLANS; i++) {
        struct plan plan;
        check_random_plan(&random, &plan);
        for (int k = 0; export_names[k]; k++)
            check_round_trip(&plan, export_names[k], PARAM_COUNT);
    }
}

/* ---- what each format must be able to say ----------------------------------------------------------------------- */

static const struct {
    const char *format, *settings;
} whole_rows[] = {
    {"megatron", GPT3_175B " tp=8 pp=8 dp=2 sp=true recompute=selective hidden_dropout=0.1"},
    {"megatron", LLAMA3_70B " tp=8 pp=4 vpp=2 dp=4 sp=true zero_stage=1 overlap_grad_reduce=true global_batch_size=64"},
    {"megatron", LLAMA2_7B " tp=2 pp=4 dp=2 pipeline_layout=[7,8,8,9] total_tokens=4.096e9"},
    {"megatron", LLAMA3_8B " tp=4 cp=2 dp=2 dtype=fp8 cross_entropy=te_fused recompute=full recompute_num_layers=2"},
    {"megatron", LLAMA3_8B " tp=2 pp=2 dp=2 sliding_window=4096 sliding_window_every=4 optimizer=sgd"},
    {"megatron", QWEN3_32B " tp=8 dp=2 order=tp-cp-ep-pp-dp tied_embeddings=true add_qkv_bias=true"},
    {"megatron", MIXTRAL_8X7B " tp=2 sp=true ep=4 dp=4 moe_dispatcher=allgather moe_capacity_factor=1.25"},
    {"megatron", DEEPSEEK_V3 " tp=4 sp=true ep=16 etp=1 pp=1 dp=32 mtp_num_layers=1"},
    {"megatron", LLAMA3_8B " tp=2 dp=8 offload_optimizer=0.5 fragmentation=1.1"},
    {"nanotron", LLAMA2_7B " framework.name=nanotron tp=4 tp_mode=reduce_scatter tp_async=true pp=2 dp=2 zero_stage=1"},
    {"nanotron",
     LLAMA3_8B " framework.name=nanotron tp=2 schedule=gpipe dp=8 recompute=full accumulate_grad_fp32=false"},
    {"nanotron", LLAMA3_8B " framework.name=nanotron framework.nanotron_model=qwen2 add_qkv_bias=true tp=2 dp=4"},
    {"deepspeed", LLAMA2_7B " framework.name=deepspeed zero_stage=3 dp=16 offload_optimizer=1 global_batch_size=64"},
    {"deepspeed", GPT3_175B " framework.name=deepspeed tp=8 pp=8 zero_stage=1 dp=2 dtype=fp16"},
    {"hf", GPT3_175B " ffn_hidden_size=49152"},
    {"hf", LLAMA2_7B},
    {"hf", LLAMA3_8B " max_position_embeddings=8192 sliding_window=4096"},
    {"hf", QWEN3_32B " tied_embeddings=true"},
    {"hf", MIXTRAL_8X7B},
    {"hf", DEEPSEEK_V3 " mtp_num_layers=1"},
};

static void plans_that_a_format_can_say_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(whole_rows); i++) {
        struct plan plan;
        check_plan(&plan, whole_rows[i].settings);
        assert_that(check_round_trip(&plan, whole_rows[i].format, 0) == 0, "%s cannot say all of %s",
                    whole_rows[i].format, whole_rows[i].settings);
    }
}

/* ---- remarks and faults ----------------------------------------------------------------------------------------- */

static const struct {
    const char *format, *settings, *messages;
} message_rows[] = {
    {"megatron", "hidden_size=64",
     "model.num_layers: unknown, but the format needs it; set it\n"
     "model.num_attention_heads: unknown, but the format needs it; set it\n"
     "model.vocab_size: unknown, but the format needs it; set it\n"
     "train.seq_length: unknown, but the format needs it; set it\n"},
    {"megatron", LLAMA2_7B " dp=2 norms_per_layer=4",
     "model.norms_per_layer: 4 cannot be expressed in Megatron's flags, which means 2; set it there by hand\n"},
    {"nanotron", LLAMA2_7B " framework.name=nanotron-pre203 dp=2 qk_norm=head",
     "model.qk_norm: head cannot be expressed in nanotron's configuration, which means none; set it there by hand\n"
     "framework.name: nanotron-pre203 cannot be expressed in nanotron's configuration, which means nanotron; set it "
     "there "
     "by hand\n"},
    {"deepspeed", "framework.name=deepspeed dp=2 tp=2 micro_batch_size=1 global_batch_size=4",
     "not in a DeepSpeed configuration: parallel.tp\n"},
    {"hf", LLAMA2_7B " embedding_norm=true",
     "model.embedding_norm: true cannot be expressed in a config.json, which means false; set it there by hand\n"
     "not in a config.json: train.seq_length\n"},
};

static void remarks_name_what_is_missing(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(message_rows); i++) {
        struct plan plan, resolved;
        struct buffer out = {0}, text = {0};
        struct errors notes = {0};
        check_plan(&plan, message_rows[i].settings);
        plan_resolve(&plan, &resolved);
        int result = export_plan(export_find(message_rows[i].format), &plan, &resolved, &out, &notes);
        buffer_puts(&text, "");
        for (size_t k = 0; k < notes.count; k++)
            buffer_printf(&text, "%s\n", notes.line[k]);
        assert_string_equal(text.text, message_rows[i].messages);
        assert_int_equal(result, errors_any(&notes) ? -1 : 0);
        assert_int_equal(out.size == 0, errors_any(&notes));
        buffer_free(&out);
        buffer_free(&text);
        errors_free(&notes);
    }
}

/* DeepSpeed's own classes (deepspeed/runtime/config.py, ADAM_OPTIMIZER and below); any other stops its start. */
static void every_optimizer_has_a_deepspeed_type(void **state)
{
    (void)state;
    static const char *const types[] = {"\"AdamW\"", "\"Lion\"", "\"SGD\"", "\"Muon\""};
    const enum param key = PARAM_train_optimizer;
    for (int value = 0; param_rows[key].choices[value]; value++) {
        struct plan plan, resolved;
        struct buffer out = {0}, noted = {0};
        struct errors notes = {0};
        check_plan(&plan, LLAMA2_7B " framework.name=deepspeed dp=8");
        plan.value[key] = value;
        plan.from[key] = FROM_SET;
        plan_resolve(&plan, &resolved);
        assert_int_equal(export_plan(export_find("deepspeed"), &plan, &resolved, &out, &notes), 0);
        size_t known = 0;
        for (size_t i = 0; i < COUNT(types); i++)
            known += strstr(out.text, types[i]) != NULL;
        for (size_t i = 0; i < notes.count; i++)
            buffer_printf(&noted, "%s\n", notes.line[i]);
        const char *name = param_rows[key].choices[value];
        assert_that(known == 1, "%s: %s", name, out.text);
        assert_that((strstr(out.text, "\"AdamW\"") && strcmp(name, "adam") != 0) ==
                        (noted.size && strstr(noted.text, "train.optimizer: ")), "%s: %s", name, noted.text);
        buffer_free(&out);
        buffer_free(&noted);
        errors_free(&notes);
    }
}

static void formats_are_found_by_name(void **state)
{
    (void)state;
    assert_non_null(export_find("hf"));
    assert_null(export_find("jax"));
    for (int i = 0; export_names[i]; i++)
        assert_non_null(export_find(export_names[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_plans_read_back_to_the_same_estimate),
        cmocka_unit_test(plans_that_a_format_can_say_whole),
        cmocka_unit_test(remarks_name_what_is_missing),
        cmocka_unit_test(every_optimizer_has_a_deepspeed_type),
        cmocka_unit_test(formats_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
