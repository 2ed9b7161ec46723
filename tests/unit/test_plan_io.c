/* Plans from files and back: every kind of input, every message in full, and load(save(plan)) for random plans. */
#include "tests/check.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/plan/frozen.h"
#include "src/plan/embedded.h"
#include "src/plan/plan_io.h"
#include "src/plan/preset.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/keyval.h"
#include "src/text/text.h"
#include "src/text/yaml.h"

/* All messages, one a line, in fresh memory. */
static char *join(struct errors *errors)
{
    struct buffer out = {0};
    buffer_puts(&out, "");
    for (size_t i = 0; i < errors->count; i++)
        buffer_printf(&out, "%s\n", errors->line[i]);
    errors_free(errors);
    return out.text;
}

/* Reads `text` over a blank plan; a refusal must leave the plan as it was. */
static char *read_plan(struct plan *plan, const char *text)
{
    struct errors errors = {0};
    plan_clear(plan);
    struct plan before = *plan;
    int result = plan_read(plan, text, strlen(text), "f", NULL, &errors);
    assert_that(result == (errors_any(&errors) ? -1 : 0), "result %d for %s", result, text);
    if (result != 0)
        assert_memory_equal(&before, plan, sizeof before);
    return join(&errors);
}

static void expect_message(const char *text, const char *expected)
{
    struct plan plan;
    char *actual = read_plan(&plan, text);
    assert_that(check_message(actual, expected), "%.400s\ngives\n%s\nnot\n%s", text, actual, expected);
    free(actual);
}

/* The plan as YAML without the empty lines. */
static char *emit(const struct plan *plan)
{
    struct buffer all = {0}, out = {0};
    plan_emit(&all, plan, NULL, NULL);
    buffer_puts(&out, "");
    for (char *line = all.text ? strtok(all.text, "\n") : NULL; line; line = strtok(NULL, "\n"))
        buffer_printf(&out, "%s\n", line);
    buffer_free(&all);
    return out.text;
}

/* ---- settings --------------------------------------------------------------------------------------------------- */

/* Of settings of one key the last counts, numbers with a suffix too, which are read after plain ones. */
static void test_the_last_setting_counts(void **state)
{
    (void)state;
    static const struct plan_source typed = {.from = FROM_SET, .is_last_wins = true, .is_typed = true};
    static const struct {
        const char *first, *second;
        double value;
    } cases[] = {{"8k", "9088", 9088}, {"9088", "8k", 8192}, {"2048", "4096", 4096}, {"2k", "4k", 4096}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct plan plan;
        struct keyvals list = {0};
        struct errors errors = {0};
        plan_clear(&plan);
        keyvals_add(&list, "seq_length", cases[i].first, 0);
        keyvals_add(&list, "train.seq_length", cases[i].second, 0);
        assert_int_equal(plan_apply(&plan, &list, &typed, &errors), 0);
        assert_same(plan.value[PARAM_train_seq_length], cases[i].value);
        keyvals_free(&list);
    }
}

/* ---- what is read ----------------------------------------------------------------------------------------------- */

static const struct {
    const char *text, *expected; /* the plan written again */
} plans[] = {
    {"model: llama2-7b\n", "model: llama2-7b\n"},
    {"tp: 2\nparallel.pp: 4\ntrain:\n  micro_batch_size: 2\n",
     "parallel:\n  tp: 2\n  pp: 4\ntrain:\n  micro_batch_size: 2\n"},
    {"# numbers are read as everywhere\ntrain: {seq_length: 8k, total_tokens: 1.5e12, micro_batch_size: 2*2, "
     "global_batch_size: 1_024}\n",
     "train:\n  seq_length: 8192\n  micro_batch_size: 4\n  global_batch_size: 1024\n  total_tokens: 1500000000000\n"},
    {"tp: 1e1\nsp: on\noverlap_tp: 'yes'\n", "parallel:\n  tp: 10\n  sp: true\n  overlap_tp: true\n"},
    {"hardware: {memory_gib: 80GB, inter_node_gb_s: 400Gb/s}\n",
     "hardware:\n  memory_gib: 74.50580596923828\n  inter_node_gb_s: 50\n"},
    /* presets come first wherever they stand; keys beside them override */
    {"hidden_size: 1024\nmodel: llama2-7b\n", "model: llama2-7b\nmodel.hidden_size: 1024\n"},
    {"hardware.nodes: 4\ncluster: dgx-h100\n", "cluster: dgx-h100\nhardware.nodes: 4\n"},
    {"gpu: a100-sxm-80\ncluster: dgx-h100\n", "cluster: dgx-h100\nhardware.gpu: a100-sxm-80\n"},
    {"cluster: dgx-h100\nhardware.host_gb_s: auto\n", "cluster: dgx-h100\nhardware.host_gb_s: auto\n"},
    /* a name inside the mapping only labels */
    {"model:\n  name: my model, \"v2\"\n  num_layers: 3\n",
     "model:\n  name: \"my model, \\\"v2\\\"\"\n  num_layers: 3\n"},
    {"model:\n  name: null\n  num_layers: 3\n", "model:\n  num_layers: 3\n"},
    {"model:\n  name: \"null\"\n  num_layers: 3\n", "model:\n  name: \"null\"\n  num_layers: 3\n"},
    /* expressions see the keys of the whole file */
    {"tp: 64/pp/dp\ndp: pp*2\npp: 4\n", "parallel:\n  tp: 2\n  pp: 4\n  dp: 8\n"},
    {"tp: 64/pp/16\n", "parallel:\n  tp: 4\n"}, /* pp is 1 when nobody gives it */
    /* lists, nothing, tags, aliases of values, line ends, a byte-order mark, one document marker */
    {"pipeline_layout: [3, 4,\n  4, 2]\nrecompute_modules:\n- mlp\n- core_attn\n",
     "parallel:\n  pipeline_layout: [3,4,4,2]\ntrain:\n  recompute_modules: [core_attn,mlp]\n"},
    {"pipeline_layout: [[1, 2], [2, 1]]\n", "parallel:\n  pipeline_layout: [[1,2],[2,1]]\n"},
    {"tp: ~\npp: null\ncp:\ndp: auto\nparallel:\ntrain: {}\nep: 2\n", "parallel:\n  ep: 2\n"},
    {"model: !!str llama2-7b\nparallel: !any {tp: !!int 2}\n", "model: llama2-7b\nparallel:\n  tp: 2\n"},
    {"tp: &n 2\npp: *n\n", "parallel:\n  tp: 2\n  pp: 2\n"},
    {"\xef\xbb\xbftp: 2\r\npp: 4\r\n", "parallel:\n  tp: 2\n  pp: 4\n"},
    {"%YAML 1.1\n---\ntp: 2\n...\n", "parallel:\n  tp: 2\n"},
    {"framework: fsdp2\nworkload: inference\nte_version: 2.9\n",
     "workload: inference\nframework:\n  name: fsdp2\n  te_version: 2.9\n"},
    /* other programs' files; a config.json replaces the model group, a DeepSpeed configuration says nothing of it */
    {"{\"model_type\": \"llama\", \"hidden_size\": 64, \"intermediate_size\": 128, \"num_hidden_layers\": 2, "
     "\"num_attention_heads\": 4, \"vocab_size\": 100}",
     "model:\n  name: llama\n  num_layers: 2\n  hidden_size: 64\n  ffn_hidden_size: 128\n  num_attention_heads: 4\n  "
     "num_query_groups: 4\n"
     "  kv_channels: 16\n  vocab_size: 100\n  position_embedding: rope\n  gated_mlp: true\n  normalization: rmsnorm\n  "
     "norms_per_layer: 2\n"
     "  add_bias_linear: false\n  add_qkv_bias: false\n  tied_embeddings: false\n"},
    /* JSON */
    {"{\"model\": \"llama2-7b\", \"parallel\": {\"tp\": 2}, \"train.seq_length\": \"8k\"}",
     "model: llama2-7b\nparallel:\n  tp: 2\ntrain:\n  seq_length: 8192\n"},
    {"{model: llama2-7b, tp: 4}", "model: llama2-7b\nparallel:\n  tp: 4\n"}, /* a flow mapping of YAML */
};

static void test_files_become_plans(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(plans); i++) {
        struct plan plan;
        char *messages = read_plan(&plan, plans[i].text);
        char *actual = emit(&plan);
        assert_that(!*messages, "%s: %s", plans[i].text, messages);
        assert_that(strcmp(actual, plans[i].expected) == 0, "%s\ngives\n%s\nnot\n%s", plans[i].text, actual,
                    plans[i].expected);
        free(actual);
        free(messages);
    }
}

static void test_values_know_where_they_come_from(void **state)
{
    (void)state;
    struct plan plan;
    free(read_plan(&plan, "model: llama2-7b\nhidden_size: 8192\ncluster: dgx-a100\n"));
    assert_int_equal(plan.from[PARAM_model_name], FROM_FILE);
    assert_int_equal(plan.from[PARAM_model_num_layers], FROM_PRESET);
    assert_int_equal(plan.from[PARAM_model_hidden_size], FROM_FILE);
    assert_int_equal(plan.from[PARAM_plan_cluster], FROM_FILE);
    assert_int_equal(plan.from[PARAM_hardware_gpu], FROM_PRESET);
    assert_string_equal(plan.gpu.name, "a100-sxm-80");
    plan_clear(&plan);
    plan_finish(&plan);
    assert_string_equal(plan.text[TEXT_GPU], "h100-sxm-80");
    assert_int_equal(plan.from[PARAM_hardware_gpu], FROM_DEFAULT);
    assert_true(plan.gpu.memory_gib == 80);
}

/* A model given by name replaces the whole group that was there. */
static void test_a_later_model_replaces_the_group(void **state)
{
    (void)state;
    struct plan plan, wanted;
    struct errors errors = {0};
    free(read_plan(&plan, "model: deepseek-v3\nmodel.hidden_dropout: 0.5\n"));
    assert_int_equal(plan_read(&plan, "model: llama2-7b\n", 17, "g", NULL, &errors), 0);
    free(read_plan(&wanted, "model: llama2-7b\n"));
    assert_true(plan_equal(&plan, &wanted));
}

/* ---- what is refused -------------------------------------------------------------------------------------------- */

static const struct {
    const char *text, *expected;
} refused[] = {
    {"", "f: is empty; write at least `model: NAME`\n"},
    {"\n# only a comment\n", "f: is empty; write at least `model: NAME`\n"},
    {"---\nnull\n", "f: is empty; write lines of `key: value`\n"},
    {"hello world\n", "f: format not recognised; see `shardtop list formats`\n"},
    {"- a\n- b\n", "f: format not recognised; see `shardtop list formats`\n"},
    {"#!/bin/sh\necho hello\n",
     "f: looks like a shell script; none of its commands passes training flags that shardtop reads; give the script "
     "or the configuration that it starts\n"},
    /* every fault of a file in one go, in its order */
    {"paralel:\n  tp: 2\nparallel:\n  tp: 1.5\n  pp: 1e300\ntrain:\n  dtype: bf17\n",
     "f:2: paralel.tp: is not a key; did you mean parallel.tp?\n"
     "f:4: parallel.tp: '1.5' is 1.5, not a whole number; try 1 or 2\n"
     "f:5: parallel.pp: '1e300' is out of range; use 1 to 4096\n"
     "f:7: train.dtype: 'bf17' is not a choice; use one of fp32, fp16, bf16, fp8, mxfp8, nvfp4\n"},
    {"tp: 2\nparallel:\n  tp: 4\n", "f:3: parallel.tp: is given twice (first as tp on line 1); keep one\n"},
    {"tp: 2\ntp: 4\n", "f:2: tp: is given twice (first on line 1); keep one\n"},
    {"name: x\n", "f:1: name: is ambiguous; use model.name or framework.name\n"},
    {"tp: 2\nassumed:\n  parallel.pt: TP\n",
     "f:3: assumed.parallel.pt: expected a key and the setting that decides it, as in `parallel.tp: TP`\n"},
    {"tp: 2\nassumed: [tp]\n",
     "f:2: assumed: expected a key and the setting that decides it, as in `parallel.tp: TP`\n"},
    {"tp: 2\ndefaults: [tpp]\n", "f:2: defaults: unknown key 'tpp'; remove it from the list\n"},
    {"gpus: 64\n",
     "f:1: gpus: is not a key; use hardware.nodes and hardware.gpus_per_node, or the option --gpus 64\n"},
    {"gbs: 64\nzero: 1\n", "f:1: gbs: is an alias of a key; use train.global_batch_size\n"
     "f:2: zero: is an alias of a key; use parallel.zero_stage\n"},
    {"parallel.zzzzzzzz: 1\n", "f:1: parallel.zzzzzzzz: is not a key; see `shardtop list keys`\n"},
    {"parallel: 3\n", "f:1: parallel: is a group of keys, not a value; write its keys below it\n"},
    {"parallel: {}\ntp: {}\n", "f:2: tp: '{}' (column 1) is not a number; write a number such as 4096\n"},
    {"tp:\n  a: 1\n", "f:2: tp.a: is not a key; see `shardtop list keys`\n"},
    {"gpu:\n  memory_gib: 80\n",
     "f:2: gpu.memory_gib: belongs in a GPU file; save that as gpus/NAME.yaml in the "
     "configuration folder and write `gpu: NAME`\n"},
    {"model: llama2-7bb\n",
     "f:1: model: 'llama2-7bb' is not a known model; did you mean llama2-7b, llama2-70b or llama-7b?\n"},
    {"model: ../../etc/passwd\n", "f:1: model: '../../etc/passwd' is not a known model; see `shardtop list models`\n"},
    {"gpu: nosuchdevice\n", "f:1: gpu: 'nosuchdevice' is not a known GPU; see `shardtop list gpus`\n"},
    {"vocab_size: 50k\n",
     "f:1: vocab_size: '50k' (column 3) has a suffix that could mean powers of 1000 or of 1024 here; write the number "
     "out; write a number such as 4096\n"},
    /* syntax */
    {"model:\n\tname: x\n",
     "f:2: is not valid YAML (found character that cannot start any token while scanning for the next "
     "token); check indentation, colons and quotes\n"},
    {"model: {name: x, num_layers: [1, 2\n",
     "f:2: is not valid YAML (did not find expected ',' or ']' while parsing a flow "
     "sequence); check indentation, colons and quotes\n"},
    {"tp: *nope\n", "f:1: is not valid YAML (found undefined alias); check indentation, colons and quotes\n"},
    {"tp: 2\n---\ntp: 4\n", "f:3: has a second document; keep the first, or split the file\n"},
    {"tp: 2\n? [a, b]\n: 3\n? {a: 1}\n: 4\n\"\": 5\n",
     "f:2: has a key that is not plain text; write `key: value`\n"
     "f:4: has a key that is not plain text; write `key: value`\n"
     "f:6: has a key that is not plain text; write `key: value`\n"},
    {"base: &b\n  tp: 2\nparallel:\n  <<: *b\n", "f:2: base.tp: is not a key; see `shardtop list keys`\n"
     "f:2: parallel.<<.tp: is not a key; see `shardtop list keys`\n"},
    {"tp: [1, {a: 2}]\n",
     "f:1: tp: is a list with something other than values in it; write plain values such as [1, 2]\n"},
    /* aliases */
    {"model: &a\n  x: *a\n", "f:1: an alias contains itself; write the value out\n"},
    {"model: &a [1, *a]\n", "f:1: an alias contains itself; write the value out\n"},
    /* nothing reaches the terminal that it would obey */
    {"\"\\e[2J\": 3\nparallel.tp: \"\\e]0;x\\a\"\nmodel.name: \"\\e[31mred\"\n",
     "f:1: ?[2J: is not a key; see `shardtop list keys`\n"
     "f:2: parallel.tp: '?]0;x?' (column 1) is not a number; write a number such as 4096\n"
     "f:3: model.name: contains a control character; use a plain name\n"},
    {"model.name: \"\\x9b31m\"\n", "f:1: model.name: contains a control character; use a plain name\n"},
    {"model.name: \"a\\u202eb\"\n", "f:1: model.name: contains a control character; use a plain name\n"},
    {"model.name: \"a\\0b\"\n", "f:1: model.name: contains a NUL character; remove it\n"},
    {"model.name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
     "f:1: model.name: is longer than 79 bytes; use a shorter name\n"},
};

static void test_bad_files_are_refused_with_whole_messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++)
        expect_message(refused[i].text, refused[i].expected);
}

/* A key that labels where it was meant to load says so. */
static void test_a_lone_label_of_a_known_model_is_remarked(void **state)
{
    (void)state;
    expect_message("model:\n  name: llama2-7b\n",
                   "f:2: model.name: only labels the plan; write `model: llama2-7b` to load that model\n");
    expect_message("model:\n  name: llama2-7b\n  num_layers: 3\n", "");
    expect_message("model:\n  name: mine\n", "");
}

static char *repeat(const char *before, const char *piece, int count, const char *after)
{
    struct buffer out = {0};
    buffer_puts(&out, before);
    for (int i = 0; i < count; i++)
        buffer_puts(&out, piece);
    buffer_puts(&out, after);
    return out.text;
}

/* libyaml would need seconds to minutes for some of these; the test suite would be noticed to hang. */
static void test_huge_files_are_refused_at_once(void **state)
{
    (void)state;
    const struct {
        char *text;
        const char *expected;
    } huge[] = {
        {repeat("x: ", "[", 200000, "\n"), "f:1: is nested more than 64 deep; a plan has two levels\n"},
        {repeat("x: it's\ny: ", "[\"]\", ", 100000, "\n"), "f:2: is nested more than 64 deep; a plan has two levels\n"},
        {repeat("x: ", "{a: [", 50000, "\n"), "f:1: is nested more than 64 deep; a plan has two levels\n"},
        {repeat("x:\n  ", "- ", 20000, "\n"), "f:2: is nested more than 64 deep; a plan has two levels\n"},
        {repeat("tp: 1\n...\n", "%TAG !e! !e\n", 501, "---\na: 1\n"), "f: has more than 500 %TAG lines; remove them\n"},
        {repeat("x: [1", ", &a 1", 9000, "]\n"), "f:1: has more than 500 anchors; write the values out\n"},
        {repeat("x: [", "1,", 100000, "1]\n"), "f:1: has more than 40000 items; a plan is a few lines\n"},
        {repeat("", "tp: 1\n", 3000, ""), "f:1: has 3000 keys, more than 1024; a plan is a few lines\n"},
        {repeat("{\"a\": ", "[", 200000, ""), "f:1: is nested more than 64 deep; a plan has two levels\n"},
    };
    for (size_t i = 0; i < COUNT(huge); i++) {
        expect_message(huge[i].text, huge[i].expected);
        free(huge[i].text);
    }
}

static void test_an_alias_bomb_is_refused(void **state)
{
    (void)state;
    struct buffer text = {0};
    struct plan plan;
    buffer_puts(&text, "a: &a [x,x,x,x,x,x,x,x,x]\n");
    for (char c = 'b'; c <= 'h'; c++)
        buffer_printf(&text, "%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c, c - 1, c - 1, c - 1, c - 1, c - 1,
                      c - 1, c - 1, c - 1, c - 1);
    char *messages = read_plan(&plan, text.text);
    assert_true(
        check_mentions(messages, "f:1: has more than 20000 values, aliases written out; a plan is a few lines\n"));
    assert_true(strlen(messages) < 2000);
    free(messages);
    buffer_free(&text);
}

static void test_at_most_fifty_messages_are_kept(void **state)
{
    (void)state;
    struct buffer text = {0};
    struct errors errors = {0};
    struct plan plan;
    plan_clear(&plan);
    for (int i = 0; i < 901; i++)
        buffer_puts(&text, "tp: 1\n");
    assert_int_equal(plan_read(&plan, text.text, text.size, "f", NULL, &errors), -1);
    assert_int_equal(errors.count, ERRORS_MAX);
    assert_int_equal(errors.faults, 900);
    errors_free(&errors);
    buffer_free(&text);
}

/* Bytes that no editor writes; file_read() answers before anything is parsed. */
static void test_files_that_are_no_text(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *expected;
    } files[] = {
        {"tp: 2\n\0\n", 8, ":2: contains a NUL byte and is not a text file; give a plan or a launch script\n"},
        {"tp: \xff\xfe\n", 7, ":1: is not UTF-8 text; convert it, or give another file\n"},
        {"tp: \xc0\xaf\n", 7, ":1: is not UTF-8 text; convert it, or give another file\n"},
        {"\x7f" "ELF\x02\x01\x01\0", 8,
         ":1: contains a NUL byte and is not a text file; give a plan or a launch script\n"},
        {"", 0, ": is empty; write at least `model: NAME`\n"},
    };
    char path[] = "/tmp/shardtop-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t i = 0; i < COUNT(files); i++) {
        struct plan plan;
        struct errors errors = {0};
        plan_clear(&plan);
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, files[i].bytes, files[i].size, 0), (ssize_t)files[i].size);
        assert_int_equal(plan_load(&plan, path, NULL, &errors), -1);
        char *actual = join(&errors), *expected = xasprintf("%s%s", path, files[i].expected);
        assert_message(actual, expected);
        free(actual);
        free(expected);
    }
    close(fd);
    unlink(path);
}

static void test_paths_that_are_no_files(void **state)
{
    (void)state;
    static const struct {
        const char *path, *expected;
    } paths[] = {
        {"/nonexistent/plan.yaml",
         "/nonexistent/plan.yaml: cannot be opened: No such file or directory; check the path\n"},
        {"/tmp", "/tmp: is not a regular file; give a file\n"},
        {"/dev/null", "/dev/null: is not a regular file; give a file\n"},
    };
    for (size_t i = 0; i < COUNT(paths); i++) {
        struct plan plan;
        struct errors errors = {0};
        plan_clear(&plan);
        assert_int_equal(plan_load(&plan, paths[i].path, NULL, &errors), -1);
        char *actual = join(&errors);
        assert_message(actual, paths[i].expected);
        free(actual);
    }
}

/* ---- foreign files ---------------------------------------------------------------------------------------------- */

/* A script's settings are marked as a file's; what only Megatron's defaults say stays a default. */
static void test_launch_scripts_are_read(void **state)
{
    (void)state;
    static const char script[] =
        "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 4 --hidden-size 512 --num-attention-heads 8 \\\n"
        "  --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 2 --lr 0.1 --made-up 3\n";
    struct plan plan;
    struct errors errors = {0};
    struct plan_reading reading = {0};
    plan_clear(&plan);
    assert_int_equal(plan_read(&plan, script, sizeof script - 1, "run.sh", &reading, &errors), 0);
    char *notes = join(&errors);
    assert_int_equal(reading.kind, KIND_MEGATRON);
    assert_true(plan.value[PARAM_model_num_layers] == 4);
    assert_int_equal(plan.from[PARAM_model_num_layers], FROM_FILE);
    assert_true(plan.value[PARAM_model_hidden_dropout] == 0.1);
    assert_int_equal(plan.from[PARAM_model_hidden_dropout], FROM_DEFAULT);
    assert_true(check_mentions(notes, "run.sh: not known here: --made-up\n"));
    free(notes);
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

/* A random value of a key, as its row allows; blank half of the time. */
static void randomize(struct check_random *random, struct plan *plan, enum param id)
{
    const struct param_row *row = &param_rows[id];
    double span = row->max - row->min, share = (double)check_below(random, 1000001) / 1000000;
    int choices = 0;
    while (row->choices && row->choices[choices])
        choices++;
    if (check_below(random, 2))
        return;
    switch (row->type) {
    case TYPE_FROZEN:
        plan->value[id] = frozen_parse(
            (const char *[]){"none", "embeddings", "norms", "layers:0-2", "all-but:layers:-2"}[check_below(random, 5)],
            (char[PARAM_WHY_MAX]){""}, PARAM_WHY_MAX);
        break;
    case TYPE_INT:
        plan->value[id] = row->min + floor(span * share * share * share);
        break;
    case TYPE_REAL:
        plan->value[id] = row->suffix == SUFFIX_VERSION ? 1 + check_below(random, 3) + check_below(random, 100) / 100.0
                                                        : row->min + span * share * share / 3;
        break;
    case TYPE_BOOL:
    case TYPE_ENUM:
        plan->value[id] = check_below(random, choices);
        break;
    case TYPE_SET:
        plan->value[id] = check_below(random, 1 << choices);
        break;
    case TYPE_LAYOUT:
        plan->layout.chunks = (int16_t)(2 * (1 + check_below(random, LAYOUT_CHUNKS_MAX / 2)));
        plan->layout.per_stage = (int16_t)(check_below(random, 2) ? 2 : 0);
        for (int i = 0; i < plan->layout.chunks; i++)
            plan->layout.layers[i] = (int16_t)check_below(random, 4097);
        break;
    case TYPE_PATTERN: /* round trips of patterns: test_kinds */
    case TYPE_NAME:
        return;
    }
    plan->from[id] = FROM_SET;
}

static void random_name(struct check_random *random, struct plan *plan, enum param id)
{
    static const char *const labels[] = {
        "my model", "null", "true", "3", "1e3", "a: b", "- x", "#x", "it's \"q\"", "\\n", "auto", "x ", "[1]", "{a}",
        "&a", "*a", "!t", "%d", "@x", "`x`", "gr\xc3\xb6\xc3\x9f" "er", "\xe6\xa8\xa1\xe5\x9e\x8b",
        "a\xe3\x80\x80" "b", "\xf0\x9f\x98\x80", "llama2-7b", "~", "=", "|", ">", "? x", "---"};
    const char *const *names;
    size_t count = preset_names(preset_kind_of(id), &names);
    struct errors errors = {0};
    const char *name = names[check_below(random, (int)count)];
    if (id == PARAM_model_name && check_below(random, 3) == 0)
        preset_set_name(plan, id, labels[check_below(random, COUNT(labels))], FROM_SET);
    else if (check_below(random, 3))
        assert_int_equal(preset_apply(plan, id, name, FROM_SET, &(struct place){0}, &errors), 0);
}

static void expect_same_again(const struct plan *plan)
{
    struct buffer text = {0};
    struct plan again;
    plan_emit(&text, plan, NULL, "a comment\nof two lines");
    char *messages = read_plan(&again, text.text);
    plan_finish(&again);
    char *remark = strstr(messages, "only labels");
    assert_that(!*messages || remark, "%s\n%s", messages, text.text);
    for (int i = 0; i < PARAM_COUNT; i++) {
        char a[PARAM_TEXT_MAX], b[PARAM_TEXT_MAX];
        param_print(plan, (enum param)i, a, sizeof a);
        param_print(&again, (enum param)i, b, sizeof b);
        assert_that(strcmp(a, b) == 0, "%s is '%s', was '%s' in\n%s", param_rows[i].dotted, b, a, text.text);
    }
    assert_that(plan_equal(plan, &again), "%s", text.text);
    free(messages);
    buffer_free(&text);
}

static void test_a_saved_plan_reads_back_equal(void **state)
{
    (void)state;
    struct check_random random = {1};
    for (int round = 0; round < 1500; round++) {
        struct plan plan;
        plan_clear(&plan);
        random_name(&random, &plan, PARAM_model_name);
        random_name(&random, &plan, PARAM_plan_cluster);
        random_name(&random, &plan, PARAM_hardware_gpu);
        int density = 1 + check_below(&random, 20);
        for (int i = 0; i < PARAM_COUNT; i++)
            if (check_below(&random, density) == 0)
                randomize(&random, &plan, (enum param)i);
        for (int i = 0; i < PARAM_COUNT; i++) /* keys of a preset that were made blank */
            if (check_below(&random, 60) == 0 && param_rows[i].type != TYPE_NAME && param_rows[i].type != TYPE_LAYOUT)
                plan.value[i] = NAN;
        plan_finish(&plan);
        expect_same_again(&plan);
    }
}

static void test_shipped_plans_read_back_equal(void **state)
{
    (void)state;
    const char *const *names;
    size_t count = preset_names(PRESET_PLAN, &names);
    assert_true(count > 10);
    for (size_t i = 0; i < count; i++) {
        struct plan plan;
        struct errors errors = {0};
        plan_clear(&plan);
        plan_load_preset(&plan, names[i], &errors);
        assert_that(errors.count == 0, "%s", errors.line[0]);
        plan_finish(&plan);
        expect_same_again(&plan);
    }
}

/* Reads a text as the program does, with its questions. */
static void read_whole(struct plan *plan, const char *text, const char *name, struct questions *questions)
{
    struct plan_reading reading = {0};
    struct errors errors = {0};
    plan_clear(plan);
    int result = plan_read(plan, text, strlen(text), name, &reading, &errors);
    assert_that(result == 0, "%s: %s\n%s", name, errors.count ? errors.line[0] : "", text);
    plan_finish(plan);
    if (formats[reading.kind].read || reading.asks_hardware)
        plan_ask_hardware(plan, name, &reading.questions);
    questions_settle(&reading.questions, plan);
    *questions = reading.questions;
    errors_free(&errors);
}

/* What is asked about a key, and what was taken meanwhile. */
static char *question_text(const struct plan *plan, const struct questions *questions, enum param key)
{
    const struct question *it = question_about(questions, key);
    const char *doubt = it && it->is_uncertain && plan->from[key] != FROM_ASSUMED ? ", uncertain" : "";
    return it ? xasprintf("%s = %s%s", it->variable, it->assumed, doubt) : xstrdup("");
}

/* Every value of a file, where it came from, and every question is the same after it was saved. */
static void expect_saved_says_the_same(const char *path)
{
    struct plan plan, again, one, two;
    struct questions questions, asked;
    struct errors errors = {0};
    struct buffer text = {0};
    size_t size;
    char *file = file_read(path, &size, &errors);
    assert_non_null(file);
    read_whole(&plan, file, path, &questions);
    plan_emit(&text, &plan, &questions, NULL);
    read_whole(&again, text.text, "saved", &asked);
    plan_resolve(&plan, &one);
    plan_resolve(&again, &two);
    for (int i = 0; i < PARAM_COUNT; i++) {
        char *a = question_text(&plan, &questions, (enum param)i), *b = question_text(&again, &asked, (enum param)i);
        assert_that(param_equal(&one, &two, (enum param)i), "%s: %s has another value", path, param_rows[i].dotted);
        assert_that(one.from[i] == two.from[i], "%s: %s is %s, was %s", path, param_rows[i].dotted,
                    origin_names[two.from[i]], origin_names[one.from[i]]);
        assert_that(strcmp(a, b) == 0, "%s: %s asks '%s', not '%s'", path, param_rows[i].dotted, b, a);
        free(a);
        free(b);
    }
    buffer_free(&text);
    errors_free(&errors);
    free(file);
}

/* All that can be imported from the inputs of the tests; how many that are. */
static int save_each_of(const char *folder)
{
    int count = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (const struct dirent *entry; (entry = readdir(entries));) {
        char *path = xasprintf("%s/%s", folder, entry->d_name);
        struct plan plan;
        struct errors errors = {0};
        plan_clear(&plan);
        if (entry->d_name[0] != '.' && plan_load(&plan, path, NULL, &errors) == 0) {
            expect_saved_says_the_same(path);
            count++;
        }
        errors_free(&errors);
        free(path);
    }
    closedir(entries);
    return count;
}

static void test_a_saved_import_says_the_same(void **state)
{
    (void)state;
    static const char *const folders[] = {
        "tests/scripts", "tests/inputs", "tests/fuzz/corpus/foreign", "tests/fuzz/corpus/hf",
        "tests/fuzz/corpus/megatron", "tests/fuzz/corpus/nanotron", "tests/fuzz/corpus/deepspeed",
        "tests/fuzz/corpus/slurm", "tests/fuzz/corpus/tuning"};
    int count = 0;
    for (size_t i = 0; i < COUNT(folders); i++)
        count += save_each_of(folders[i]);
    assert_true(count > 50);
}

static void test_scalars_are_quoted_where_they_have_to_be(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } scalars[] = {
        {"llama2-7b", "llama2-7b"}, {"a.b/c_d", "a.b/c_d"}, {"", "\"\""}, {"null", "\"null\""}, {"Yes", "\"Yes\""},
        {"7b", "\"7b\""}, {"a b", "\"a b\""}, {"a\"b\\", "\"a\\\"b\\\\\""}, {"\xc3\xa9", "\"\xc3\xa9\""},
        {"\xe2\x80\xa8", "\"\\u2028\""}, {"\x1b", "\"\\x1b\""}, {"\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\""},
    };
    for (size_t i = 0; i < COUNT(scalars); i++) {
        struct buffer out = {0};
        yaml_scalar(&out, scalars[i].text);
        assert_string_equal(out.text, scalars[i].expected);
        buffer_free(&out);
    }
}

static int clean_environment(void **state)
{
    (void)state;
    return setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_last_setting_counts),
        cmocka_unit_test(test_files_become_plans),
        cmocka_unit_test(test_values_know_where_they_come_from),
        cmocka_unit_test(test_a_later_model_replaces_the_group),
        cmocka_unit_test(test_bad_files_are_refused_with_whole_messages),
        cmocka_unit_test(test_a_lone_label_of_a_known_model_is_remarked),
        cmocka_unit_test(test_huge_files_are_refused_at_once),
        cmocka_unit_test(test_an_alias_bomb_is_refused),
        cmocka_unit_test(test_at_most_fifty_messages_are_kept),
        cmocka_unit_test(test_files_that_are_no_text),
        cmocka_unit_test(test_paths_that_are_no_files),
        cmocka_unit_test(test_launch_scripts_are_read),
        cmocka_unit_test(test_a_saved_plan_reads_back_equal),
        cmocka_unit_test(test_shipped_plans_read_back_equal),
        cmocka_unit_test(test_a_saved_import_says_the_same),
        cmocka_unit_test(test_scalars_are_quoted_where_they_have_to_be),
    };
    return cmocka_run_group_tests(tests, clean_environment, NULL) != 0;
}
