/* Megatron's arguments as YAML and as a run prints them. */
#include "tests/unit/import_check.h"

#include "src/import/args.h"

static struct outcome read_text(const char *text, size_t size, const char *name)
{
    struct import import = {0};
    struct errors errors = {0};
    int result = args_import(text, size, name, &import, &errors);
    return outcome_of(result, &import, &errors);
}

static struct outcome read_input(const char *name)
{
    size_t size;
    char *text = input_text(name, &size);
    assert_int_equal(plan_recognise(text, size), KIND_ARGUMENTS);
    struct outcome out = read_text(text, size, name);
    free(text);
    return out;
}

/* Whether a setting (or, behind `- `, a default) is in the outcome of a file below tests/inputs. */
static const struct {
    const char *file, *line;
} rows[] = {
    {"megatron.yaml", "model.num_layers=16\n"},
    {"megatron.yaml", "model.num_query_groups=4\n"},
    {"megatron.yaml", "model.gated_mlp=true\n"},
    {"megatron.yaml", "model.add_bias_linear=false\n"},
    {"megatron.yaml", "model.normalization=rmsnorm\n"},
    {"megatron.yaml", "model.vocab_size=32000\n"},
    {"megatron.yaml", "model.tied_embeddings=false\n"},
    {"megatron.yaml", "model.hidden_dropout=0.0\n"},
    {"megatron.yaml", "parallel.tp=4\n"},
    {"megatron.yaml", "parallel.sp=true\n"},
    {"megatron.yaml", "parallel.vpp=4\n"},
    {"megatron.yaml", "parallel.zero_stage=1\n"},
    {"megatron.yaml", "train.recompute=selective\n"},
    {"megatron.yaml", "train.recompute_modules=[core_attn,layernorm]\n"},
    {"megatron.yaml", "train.total_tokens=26214400\n"},
    {"megatron.yaml", "framework.masked_softmax_fusion=false\n"},
    {"model-args.yaml", "parallel.tp=2\n"},
    {"model-args.yaml", "parallel.pp=3\n"},
    {"model-args.yaml", "model.moe_first_dense=1\n"},
    {"model-args.yaml", "model.gated_mlp=true\n"},
    {"model-args.yaml", "- model.tied_embeddings=true\n"},
    {"arguments.log", "model.hidden_size=3072\n"},
    {"arguments.log", "model.vocab_size=51200\n"},
    {"arguments.log", "model.make_vocab_size_divisible_by=1\n"},
    {"arguments.log", "- model.tied_embeddings=true\n"},
    {"arguments.log", "parallel.dp=2\n"},
    {"arguments.log", "train.attention=flash\n"},
    {"arguments.log", "train.grad_dtype=fp32\n"},
    {"arguments.log", "train.dtype=bf16\n"},
    {"arguments.log", "framework.bias_activation_fusion=false\n"},
    {"arguments.log", "train.total_tokens=32768000\n"},
};

static void settings_of_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct outcome out = read_input(rows[i].file);
        assert_that(out.result == 0 && strstr(out.settings, rows[i].line), "%s does not give %s\n%s%s", rows[i].file,
                    rows[i].line, out.settings, out.messages);
        outcome_free(&out);
    }
}

static const struct {
    const char *file, *messages, *unused;
} message_rows[] = {
    {"megatron.yaml", "", "--lr"},
    {"model-args.yaml",
     "model-args.yaml:7: --seq-length: comes from $SEQ_LEN, which the file does not set; give train.seq_length with "
     "--set\n", "--some-new-flag --save"},
    {"arguments.log", "", ""},
};

static void remarks_on_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(message_rows); i++) {
        struct outcome out = read_input(message_rows[i].file);
        assert_message(out.messages, message_rows[i].messages);
        assert_string_equal(out.unused, message_rows[i].unused);
        outcome_free(&out);
    }
}

/* A switch that is off, and a number that says nothing without its switch, set nothing. */
static void what_is_off_sets_nothing(void **state)
{
    (void)state;
    struct outcome out = read_input("arguments.log");
    assert_null(strstr(out.settings, "num_query_groups"));
    assert_null(strstr(out.settings, "gated_mlp=true"));
    assert_null(strstr(out.settings, "train.recompute="));
    outcome_free(&out);
}

static const struct {
    const char *text, *messages;
} fault_rows[] = {
    {"MODEL_ARGS: {}\n", "file: has none of Megatron's arguments; give a configuration of a training run\n"},
    {"MODEL_ARGS: {--x: [}\n",
     "file:1: is not valid YAML (did not find expected node content while parsing a flow node); check indentation, "
     "colons and quotes\n"},
    {"language_model: &a {x: *a}\nmodel_parallel: 1\n", "file:1: an alias contains itself; write the value out\n"},
};

static void whole_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(fault_rows); i++) {
        struct outcome out = read_text(fault_rows[i].text, strlen(fault_rows[i].text), "file");
        assert_message(out.messages, fault_rows[i].messages);
        assert_int_equal(out.result, -1);
        outcome_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_of_files),    cmocka_unit_test(remarks_on_files),
        cmocka_unit_test(what_is_off_sets_nothing), cmocka_unit_test(whole_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
