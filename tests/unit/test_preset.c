/* Presets: every shipped file loads, the user's own lie over them, and names cannot leave their folder. */
#include "tests/check.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/plan/gpu.h"
#include "src/cli/verbs/template.h"
#include "src/plan/embedded.h"
#include "src/plan/aliases.h"
#include "src/plan/plan_io.h"
#include "src/plan/preset.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/keyval.h"
#include "src/text/paths.h"
#include "src/text/text.h"
#include "src/text/write.h"

static char own_folder[] = "/tmp/shardtop-test-XXXXXX";

/* Writes one of the user's own files. */
static void write_own(const char *folder, const char *name, const char *text)
{
    struct errors errors = {0};
    char *path = paths_config(folder, name);
    assert_int_equal(paths_make_parents(path, &errors), 0);
    assert_int_equal(write_file(path, text, strlen(text), 0, &errors), 0);
    free(path);
}

static void remove_own(const char *folder, const char *name)
{
    char *path = paths_config(folder, name);
    unlink(path);
    free(path);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(own_folder) ? setenv("XDG_CONFIG_HOME", own_folder, 1) : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    for (int i = 0; i < PRESET_KIND_COUNT; i++) {
        char *path = paths_config(preset_folders[i], NULL);
        rmdir(path);
        free(path);
    }
    char *base = xasprintf("%s/shardtop", own_folder);
    rmdir(base);
    free(base);
    return rmdir(own_folder);
}

/* All messages of one try, in fresh memory. */
static char *apply(struct plan *plan, enum param key, const char *name, const struct place *place)
{
    struct errors errors = {0};
    struct buffer out = {0};
    struct plan before = *plan;
    buffer_puts(&out, "");
    int result = preset_apply(plan, key, name, FROM_FILE, place, &errors);
    if (result != 0)
        assert_memory_equal(&before, plan, sizeof before);
    assert_int_equal(result, errors_any(&errors) ? -1 : 0);
    for (size_t i = 0; i < errors.count; i++)
        buffer_printf(&out, "%s\n", errors.line[i]);
    errors_free(&errors);
    return out.text;
}

/* Each message without the folder that is different every time. */
static char *without_folder(const char *messages)
{
    struct buffer out = {0};
    buffer_puts(&out, "");
    for (const char *at; (at = strstr(messages, own_folder)); messages = at + strlen(own_folder)) {
        buffer_add(&out, messages, (size_t)(at - messages));
        buffer_puts(&out, "OWN");
    }
    buffer_puts(&out, messages);
    return out.text;
}

static void expect(enum param key, const char *name, const struct place *place, const char *expected)
{
    struct plan plan;
    plan_clear(&plan);
    char *messages = apply(&plan, key, name, place), *actual = without_folder(messages);
    assert_message(actual, expected);
    free(actual);
    free(messages);
}

/* ---- names as people write them --------------------------------------------------------------------------------- */

static void test_names_of_hubs_and_drivers_mean_presets(void **state)
{
    (void)state;
    static const struct {
        enum preset_kind kind;
        const char *typed, *meant;
    } names[] = {
        {PRESET_MODEL, "llama3-8b", "llama3-8b"},
        {PRESET_MODEL, "LLAMA3-8B", "llama3-8b"},
        {PRESET_MODEL, "meta-llama/Llama-3.1-8B", "llama3.1-8b"},
        {PRESET_MODEL, "unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit", "llama3.1-8b"},
        {PRESET_MODEL, "meta-llama/Llama-2-70b-chat-hf", "llama2-70b"},
        {PRESET_MODEL, "meta-llama/Llama-3.3-70B-Instruct", "llama3.1-70b"},
        {PRESET_MODEL, "mistralai/Mixtral-8x7B-v0.1", "mixtral-8x7b"},
        {PRESET_MODEL, "Qwen/Qwen3-30B-A3B-Instruct-2507", "qwen3-30b-a3b"},
        {PRESET_MODEL, "Qwen/Qwen2-1.5B", "qwen2.5-1.5b"},
        {PRESET_MODEL, "deepseek-ai/DeepSeek-V3-0324", "deepseek-v3"},
        {PRESET_MODEL, "deepseek-ai/DeepSeek-R1-Distill-Llama-70B", "llama3.1-70b"},
        {PRESET_MODEL, "openai-community/gpt2", "gpt2-124m"},
        {PRESET_MODEL, "ibm-granite/granite-4.0-h-micro", "granite4-h-micro"},
        {PRESET_MODEL, "allenai/Olmo-3-7B-Think", "olmo3-7b"},
        {PRESET_MODEL, "Qwen/Qwen2___5-0___5B-Instruct", "qwen2.5-0.5b"},
        {PRESET_MODEL, "nosuch/Model-9B", NULL},
        {PRESET_MODEL, "Qwen/Qwen2-VL-7B", NULL},
        {PRESET_MODEL, "Instruct", NULL},
        {PRESET_MODEL, "-instruct", NULL},
        {PRESET_MODEL, "/", NULL},
        {PRESET_MODEL, "", NULL},
        {PRESET_GPU, "h100", "h100-sxm-80"},
        {PRESET_GPU, "NVIDIA H100 80GB HBM3", "h100-sxm-80"},
        {PRESET_GPU, "NVIDIA A100-SXM4-40GB", "a100-sxm-40"},
        {PRESET_GPU, "Tesla V100-SXM2-32GB", "v100-sxm-32"},
        {PRESET_GPU, "NVIDIA GeForce RTX 4090", "rtx-4090"},
        {PRESET_GPU, "AMD Instinct MI300X", "mi300x"},
        {PRESET_GPU, "p5.48xlarge", "h100-sxm-80"},
        {PRESET_GPU, "g6e.12xlarge", "l40s"},
        {PRESET_GPU, "tpu-v5-lite-podslice", "tpu-v5e"},
        {PRESET_GPU, "x100", NULL},
        {PRESET_CLUSTER, "DGX-H100", NULL}, /* nobody names these */
    };
    for (size_t i = 0; i < COUNT(names); i++) {
        const char *meant = preset_meant(names[i].kind, names[i].typed);
        bool is_same = meant && names[i].meant ? strcmp(meant, names[i].meant) == 0 : meant == names[i].meant;
        assert_that(is_same, "%s means %s, not %s", names[i].typed, meant, names[i].meant);
    }
    expect(PARAM_hardware_gpu, "H100", &(struct place){"job.sh", 3, "gpu"},
           "job.sh:3: gpu: 'H100' is read as h100-sxm-80\n");
}

/* Every meaning is a preset, and no preset's own name means another. */
static void test_every_meaning_is_a_preset(void **state)
{
    (void)state;
#define GPU(name, preset)   {PRESET_GPU, name, preset},
#define MODEL(name, preset) {PRESET_MODEL, name, preset},
    static const struct {
        enum preset_kind kind;
        const char *name, *preset;
    } rows[] = {
#include "src/plan/aliases.def"
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *meant = preset_meant(rows[i].kind, rows[i].name);
        assert_that(preset_known(rows[i].kind, rows[i].preset), "%s", rows[i].preset);
        assert_that(meant && strcmp(meant, rows[i].preset) == 0, "%s means %s", rows[i].name, meant);
    }
}

static void test_a_model_that_a_hub_client_kept_is_read(void **state)
{
    (void)state;
    static const char config[] =
        "{\"model_type\": \"llama\", \"num_hidden_layers\": 3, \"hidden_size\": 256, \"intermediate_size\": 512, "
        "\"num_attention_heads\": 4, \"vocab_size\": 1000}";
    char hub[] = "/tmp/shardtop-hub-XXXXXX";
    struct errors errors = {0};
    struct plan plan;
    assert_non_null(mkdtemp(hub));
    char *path = xasprintf("%s/models--Org--Own-3B/snapshots/0123/config.json", hub);
    assert_int_equal(paths_make_parents(path, &errors), 0);
    assert_int_equal(write_file(path, config, strlen(config), 0, &errors), 0);
    setenv("HF_HUB_CACHE", hub, 1);
    char *found = preset_hub_file("Org/Own-3B"), *none = preset_hub_file("Org/Other"), *odd = preset_hub_file("../etc");
    assert_string_equal(found, path);
    assert_true(!none && !odd);
    plan_clear(&plan);
    assert_int_equal(plan_load_model(&plan, "Org/Own-3B", FROM_SET, &errors), 0);
    assert_true(plan.value[PARAM_model_num_layers] == 3);
    unsetenv("HF_HUB_CACHE");
    char *command = xasprintf("rm -r %s", hub);
    assert_int_equal(system(command), 0);
    free(command);
    free(found);
    free(path);
    errors_free(&errors);
}

/* ---- shipped files ---------------------------------------------------------------------------------------------- */

static void test_every_shipped_preset_loads(void **state)
{
    (void)state;
    static const enum param keys[] = {PARAM_model_name, PARAM_hardware_gpu, PARAM_plan_cluster};
    for (size_t k = 0; k < COUNT(keys); k++) {
        const char *const *names;
        size_t count = preset_names(preset_kind_of(keys[k]), &names);
        assert_true(count > 10);
        for (size_t i = 0; i < count; i++) {
            struct plan plan;
            plan_clear(&plan);
            char *messages = apply(&plan, keys[k], names[i], &(struct place){0});
            assert_that(!*messages, "%s", messages);
            assert_string_equal(plan.text[param_text_slot(keys[k])], names[i]);
            free(messages);
        }
    }
}

static void test_every_model_is_complete(void **state)
{
    (void)state;
    const char *const *names;
    size_t count = preset_names(PRESET_MODEL, &names);
    for (size_t i = 0; i < count; i++) {
        struct plan plan;
        plan_clear(&plan);
        free(apply(&plan, PARAM_model_name, names[i], &(struct place){0}));
        assert_that(plan.value[PARAM_model_num_layers] >= 1, "%s", names[i]);
        assert_that(plan.value[PARAM_model_hidden_size] >= 1, "%s", names[i]);
        assert_that(plan.value[PARAM_model_vocab_size] >= 1, "%s", names[i]);
        assert_int_equal(plan.from[PARAM_model_hidden_size], FROM_PRESET);
    }
}

static void test_names_are_unique_and_in_natural_order(void **state)
{
    (void)state;
    for (int kind = 0; kind < PRESET_KIND_COUNT; kind++) {
        const char *const *names;
        size_t count = preset_names((enum preset_kind)kind, &names);
        for (size_t i = 0; i < count; i++) {
            assert_that(preset_known((enum preset_kind)kind, names[i]), "%s", names[i]);
            assert_that(i == 0 || strverscmp(names[i - 1], names[i]) < 0, "%s before %s", names[i - 1], names[i]);
        }
    }
}

static void test_every_embedded_file_has_a_name(void **state)
{
    (void)state;
    size_t named = 0;
    for (int kind = 0; kind < PRESET_KIND_COUNT; kind++) {
        const char *const *names;
        named += preset_names((enum preset_kind)kind, &names);
    }
    for (size_t i = 0; i < embedded_file_count; i++)
        named += strncmp(embedded_files[i].path, "src/cli/docs/pages/", 19) == 0;
    assert_int_equal(named, embedded_file_count);
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

static void test_names_cannot_leave_their_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"../models/llama2-7b", "/etc/passwd", "..", ".", "", ".hidden", "a/b", "a\\b",
                                        "a b", "a\nb",
                                        "\x1b[31m", "llama2-7b.yaml", "\xc3\xa9",
                                        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct plan plan;
        plan_clear(&plan);
        assert_that(!preset_known(PRESET_MODEL, names[i]), "%s", names[i]);
        char *messages = apply(&plan, PARAM_model_name, names[i], &(struct place){0});
        assert_that(check_mentions(messages, "is not a known model; "), "%s: %s", names[i], messages);
        assert_that(!strchr(messages, '\x1b'), "an escape sequence gets through");
        free(messages);
    }
}

static void test_unknown_names_suggest_near_ones(void **state)
{
    (void)state;
    const struct place place = {"f", 3, "model"}, gpu = {"f", 4, "hardware.gpu"}, none = {0};
    expect(PARAM_model_name, "llama2-7bb", &place,
           "f:3: model: 'llama2-7bb' is not a known model; did you mean llama2-7b, llama2-70b or llama-7b?\n");
    expect(PARAM_hardware_gpu, "h100x", &gpu,
           "f:4: hardware.gpu: 'h100x' is not a known GPU; did you mean h100-nvl-94, h100-pcie-80 or h100-sxm-80?\n");
    expect(PARAM_plan_cluster, "qqqqqq", &none, "'qqqqqq' is not a known cluster; see `shardtop list clusters`\n");
}

/* ---- own files -------------------------------------------------------------------------------------------------- */

static void test_own_files_add_and_override(void **state)
{
    (void)state;
    struct plan plan;
    write_own("models", "tiny", "model:\n  name: anything\n  num_layers: 2\n  hidden_size: 2k\n");
    write_own("models", "llama2-7b", "model:\n  num_layers: 7\n");
    write_own("gpus", "mine",
              "gpu:\n  label: My card\n  memory_gib: 24GiB\n  memory_gb_s: 1TB/s\n  tflops_bf16: 1e2\n  watts: 032\n"
              "  tflops_fp8: ~\n  tflops_fp4:\n");
    plan_clear(&plan);
    char *messages = apply(&plan, PARAM_model_name, "tiny", &(struct place){0});
    assert_string_equal(messages, "");
    assert_string_equal(plan.text[TEXT_MODEL], "tiny"); /* the file's name counts */
    assert_true(plan.value[PARAM_model_hidden_size] == 2048);
    free(messages);
    free(apply(&plan, PARAM_model_name, "llama2-7b", &(struct place){0}));
    assert_true(plan.value[PARAM_model_num_layers] == 7);
    assert_true(isnan(plan.value[PARAM_model_hidden_size]));
    messages = apply(&plan, PARAM_hardware_gpu, "mine", &(struct place){0});
    assert_string_equal(messages, "");
    assert_string_equal(plan.gpu.label, "My card");
    assert_true(plan.gpu.memory_gib == 24 && plan.gpu.memory_gb_s == 1000 && isnan(plan.gpu.tflops_fp8));
    assert_true(plan.gpu.tflops_bf16 == 100 && plan.gpu.watts == 32 && isnan(plan.gpu.tflops_fp4));
    free(messages);
    remove_own("models", "tiny");
    remove_own("models", "llama2-7b");
    remove_own("gpus", "mine");
}

static void test_broken_own_files_are_refused_with_their_place(void **state)
{
    (void)state;
    static const struct {
        enum param key;
        const char *folder, *text, *expected;
    } files[] = {
        {PARAM_model_name, "models", "model:\n  num_layer: 2\n  hidden_size: x\n",
         "OWN/shardtop/models/broken.yaml:2: model.num_layer: is not a key of a model file; did you mean "
         "model.num_layers?\n"
         "OWN/shardtop/models/broken.yaml:3: model.hidden_size: 'x' (column 1) is not a number or the name of a "
         "number; write a number such as 4096\n"},
        {PARAM_model_name, "models", "parallel:\n  tp: 2\n",
         "OWN/shardtop/models/broken.yaml:1: parallel: is not a key of a model file; remove it, or open the file as a "
         "plan\n"},
        {PARAM_plan_cluster, "clusters", "hardware:\n  gpu: nosuchthing\n  nodes: 0\n",
         "OWN/shardtop/clusters/broken.yaml:2: hardware.gpu: 'nosuchthing' is not a known GPU; see `shardtop list "
         "gpus`\n"
         "OWN/shardtop/clusters/broken.yaml:3: hardware.nodes: '0' is out of range; use 1 to 1048576\n"},
        {PARAM_hardware_gpu, "gpus", "gpu:\n  memory_gb: 80\n  watts: -1\n  tflops_bf16: 1k\n",
         "OWN/shardtop/gpus/broken.yaml:2: gpu.memory_gb: is not a key of a GPU file; did you mean gpu.memory_gib?\n"
         "OWN/shardtop/gpus/broken.yaml:3: gpu.watts: '-1' must be above 0; omit unknown values\n"
         "OWN/shardtop/gpus/broken.yaml:4: gpu.tflops_bf16: '1k' has a suffix that could mean powers of 1000 or of "
         "1024 here; write the number out; "
         "write a number such as 80\n"},
        {PARAM_hardware_gpu, "gpus", "memory_gib: 80\n",
         "OWN/shardtop/gpus/broken.yaml:1: memory_gib: is not a key of a GPU file; did you mean gpu.memory_gib?\n"},
        {PARAM_hardware_gpu, "gpus", "gpu:\n  watts: 7\n  label: [a]\n  watts: 8\n? [x]\n: 1\n",
         "OWN/shardtop/gpus/broken.yaml:3: gpu.label: is not a plain value; write one such as 80\n"
         "OWN/shardtop/gpus/broken.yaml:4: gpu.watts: is given twice (first on line 2); keep one\n"
         "OWN/shardtop/gpus/broken.yaml:5: has a key that is not plain text; write `key: value`\n"},
        {PARAM_hardware_gpu, "gpus", "gpu:\n  watts: &w 7\n  memory_gib: *w\n",
         "OWN/shardtop/gpus/broken.yaml:3: has an alias; write the value out\n"},
        {PARAM_hardware_gpu, "gpus", "gpu: 7\n",
         "OWN/shardtop/gpus/broken.yaml:1: gpu: is not a mapping; write lines of `key: value`\n"},
        {PARAM_hardware_gpu, "gpus", "gpu:\n\twatts: 7\n",
         "OWN/shardtop/gpus/broken.yaml:2: is not valid YAML (found character that cannot start any token while "
         "scanning for the next "
         "token); check indentation, colons and quotes\n"},
        {PARAM_hardware_gpu, "gpus", "gpu:\n  watts: 7\n---\ngpu:\n",
         "OWN/shardtop/gpus/broken.yaml:4: has a second document; keep the first, or split the file\n"},
        {PARAM_model_name, "models", "", "OWN/shardtop/models/broken.yaml: is empty; write lines of `key: value`\n"},
        {PARAM_model_name, "models", "- 1\n",
         "OWN/shardtop/models/broken.yaml:1: is not a mapping; write lines of `key: value`\n"},
    };
    for (size_t i = 0; i < COUNT(files); i++) {
        write_own(files[i].folder, "broken", files[i].text);
        expect(files[i].key, "broken", &(struct place){0}, files[i].expected);
        remove_own(files[i].folder, "broken");
    }
}

/* A text that was longer before leaves nothing behind, so that equal plans are equal byte by byte. */
static void test_names_leave_no_trace_of_longer_ones(void **state)
{
    (void)state;
    struct plan a, b;
    plan_clear(&a);
    plan_clear(&b);
    preset_set_name(&a, PARAM_model_name, "a much longer name", FROM_SET);
    preset_set_name(&a, PARAM_model_name, "short", FROM_SET);
    preset_set_name(&b, PARAM_model_name, "short", FROM_SET);
    assert_true(plan_equal(&a, &b));
}

static void test_folders_follow_the_environment(void **state)
{
    (void)state;
    static const struct {
        const char *config, *home, *expected;
    } rows[] = {
        {"/x", "/home/me", "/x/shardtop/models/a.yaml"},
        {"relative", "/home/me", "/home/me/.config/shardtop/models/a.yaml"}, /* the standard says to ignore it */
        {"", "/home/me", "/home/me/.config/shardtop/models/a.yaml"},
        {NULL, "/home/me", "/home/me/.config/shardtop/models/a.yaml"},
        {NULL, NULL, NULL},
    };
    char *home = getenv("HOME") ? xstrdup(getenv("HOME")) : NULL;
    for (size_t i = 0; i < COUNT(rows); i++) {
        rows[i].config ? setenv("XDG_CONFIG_HOME", rows[i].config, 1) : unsetenv("XDG_CONFIG_HOME");
        rows[i].home ? setenv("HOME", rows[i].home, 1) : unsetenv("HOME");
        char *path = paths_config("models", "a");
        assert_that(rows[i].expected ? path && strcmp(path, rows[i].expected) == 0 : !path, "row %zu gives %s", i,
                    path ? path : "none");
        free(path);
    }
    setenv("XDG_CONFIG_HOME", own_folder, 1);
    home ? setenv("HOME", home, 1) : unsetenv("HOME");
    free(home);
}

/* ---- templates -------------------------------------------------------------------------------------------------- */

static void load_one(enum preset_kind kind, enum param key, const char *name, struct plan *plan, struct errors *errors)
{
    plan_clear(plan);
    int result = kind == PRESET_PLAN ? plan_load_preset(plan, name, errors)
                                     : preset_apply(plan, key, name, FROM_PRESET, &(struct place){0}, errors);
    assert_that(result == 0, "%s: %s", name, errors->count ? errors->line[0] : "");
}

/* A template under another name, as a user saves it: `kind` is the folder, `plan` what it was made from. */
static void check_template(enum preset_kind kind, enum param key, const char *name, const struct plan *plan)
{
    struct buffer text = {0};
    struct errors errors = {0};
    struct plan again, resolved, resolved_again;
    assert_int_equal(template_write(&text, preset_folders[kind], name, &errors), 0);
    write_own(preset_folders[kind], "mine", text.text);
    load_one(kind, key, "mine", &again, &errors);
    plan_resolve(plan, &resolved);
    plan_resolve(&again, &resolved_again);
    for (int i = 0; i < PARAM_COUNT; i++) /* names apart */
        assert_that(param_rows[i].type == TYPE_NAME || param_equal(&resolved, &resolved_again, (enum param)i),
                    "%s: %s changes", name, param_rows[i].dotted);
    remove_own(preset_folders[kind], "mine");
    buffer_free(&text);
    errors_free(&errors);
}

static void test_templates_are_files_of_their_kind(void **state)
{
    static const struct {
        enum preset_kind kind;
        enum param key;
    } kinds[] = {{PRESET_GPU, PARAM_hardware_gpu}, {PRESET_MODEL, PARAM_model_name},
                 {PRESET_CLUSTER, PARAM_plan_cluster}, {PRESET_PLAN, PARAM_COUNT}};
    (void)state;
    for (size_t k = 0; k < COUNT(kinds); k++) {
        const char *const *names;
        size_t count = preset_names(kinds[k].kind, &names);
        for (size_t i = 0; i < count; i++) {
            struct plan plan;
            struct errors errors = {0};
            load_one(kinds[k].kind, kinds[k].key, names[i], &plan, &errors);
            check_template(kinds[k].kind, kinds[k].key, names[i], &plan);
            errors_free(&errors);
        }
    }
}

static void test_a_gpu_of_few_figures_is_enough(void **state)
{
    struct plan plan, resolved;
    struct errors errors = {0};
    (void)state;
    write_own("gpus", "mine", "gpu:\n  memory_gib: 48\n  memory_gb_s: 900\n  tflops_bf16: 200\n");
    plan_clear(&plan);
    assert_int_equal(preset_apply(&plan, PARAM_hardware_gpu, "mine", FROM_PRESET, &(struct place){0}, &errors), 0);
    plan_resolve(&plan, &resolved);
    assert_near(KEY_OF(&resolved, hardware, usable_gib), 0.97 * 48, 1e-9);
    assert_int_equal(resolved.from[PARAM_hardware_usable_gib], FROM_DERIVED);
    assert_near(KEY_OF(&resolved, hardware, gemm_efficiency), 0.60, 1e-9);
    remove_own("gpus", "mine");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_shipped_preset_loads),
        cmocka_unit_test(test_names_of_hubs_and_drivers_mean_presets),
        cmocka_unit_test(test_every_meaning_is_a_preset),
        cmocka_unit_test(test_a_model_that_a_hub_client_kept_is_read),
        cmocka_unit_test(test_every_model_is_complete),
        cmocka_unit_test(test_names_are_unique_and_in_natural_order),
        cmocka_unit_test(test_every_embedded_file_has_a_name),
        cmocka_unit_test(test_names_cannot_leave_their_folder),
        cmocka_unit_test(test_unknown_names_suggest_near_ones),
        cmocka_unit_test(test_own_files_add_and_override),
        cmocka_unit_test(test_broken_own_files_are_refused_with_their_place),
        cmocka_unit_test(test_names_leave_no_trace_of_longer_ones),
        cmocka_unit_test(test_folders_follow_the_environment),
        cmocka_unit_test(test_templates_are_files_of_their_kind),
        cmocka_unit_test(test_a_gpu_of_few_figures_is_enough),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder) != 0;
}
