/*
 * The command line: what each word means, the plan that follows, whole messages, exit statuses, and the printed tables.
 */
#include "tests/check.h"
#include "tests/host.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/search/option.h"
#include "src/cli/cli.h"
#include "src/import/megatron.h"
#include "src/cli/docs/completion.h"
#include "src/cli/verbs/list.h"
#include "src/cli/docs/help.h"
#include "src/cli/docs/man.h"
#include "src/cli/docs/mdoc.h"
#include "src/cli/session/reading.h"
#include "src/cli/session/session.h"
#include "src/cli/suggest.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/keyval.h"
#include "src/text/paths.h"
#include "src/text/process.h"
#include "src/text/text.h"
#include "src/text/worker.h"
#include "src/text/write.h"

enum { WORDS_MAX = 32 };

static char folder[] = "/tmp/shardtop-test-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? setenv("XDG_CONFIG_HOME", folder, 1) | setenv("XDG_STATE_HOME", folder, 1) : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const inside[] = {"/shardtop/sessions", "/shardtop", ""};
    int result = 0;
    for (size_t i = 0; i < COUNT(inside); i++) {
        char *path = xasprintf("%s%s", folder, inside[i]);
        result = rmdir(path);
        free(path);
    }
    return result;
}

/* A command line in one text, split at blanks; the pieces stay in `text`. */
static int split(char *text, char **argv)
{
    int argc = 0;
    argv[argc++] = (char *)(uintptr_t)"shardtop";
    for (char *word = strtok(text, " "); word && argc < WORDS_MAX - 1; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    return argc;
}

static char *join(const struct errors *errors)
{
    struct buffer out = {0};
    buffer_puts(&out, "");
    for (size_t i = 0; i < errors->count; i++)
        buffer_printf(&out, "%s\n", errors->line[i]);
    return out.text;
}

/* Reads a command line and the plan it asks for; all messages in fresh memory. */
static char *ask(const char *line, struct plan *plan)
{
    char text[512], *argv[WORDS_MAX];
    struct cli cli = {0};
    struct errors errors = {0};
    snprintf(text, sizeof text, "%s", line);
    int argc = split(text, argv);
    if (cli_parse(&cli, argc, argv, &errors) == 0)
        cli_plan(&cli, plan, NULL, &errors);
    char *messages = join(&errors);
    errors_free(&errors);
    cli_free(&cli);
    return messages;
}

/* ---- plans ------------------------------------------------------------------------------------------------------ */

static const struct {
    const char *line, *wanted; /* a plan in YAML */
} plans[] = {
    {"show --model llama2-7b", "model: llama2-7b"},
    {"--model=llama2-7b --set tp=2", "model: llama2-7b\ntp: 2"},
    {"show --set hidden_size=1k --model llama2-7b", "model: llama2-7b\nhidden_size: 1024"},
    {"show --set tp=2 --set tp=4", "tp: 4"},
    {"show --set model=llama2-7b --set pp=2 --set tp=8/pp", "model: llama2-7b\ntp: 4\npp: 2"},
    {"show --set model.name=llama2-7b", "model: llama2-7b"},
    {"show --set model.name=mine --set num_layers=2", "model.name: mine\nnum_layers: 2"},
    {"show --set cluster=dgx-a100 --gpu h200-sxm", "cluster: dgx-a100\ngpu: h200-sxm"},
    {"show --framework megatron-2023 --set tp=2", "framework.name: megatron-2023\ntp: 2"},
    {"show --framework megatron-core,megatron-2023", "framework.name: megatron-core"},
    /* --gpus: one node of fewer, or full nodes */
    {"show --gpus 4", "hardware.nodes: 1\nhardware.gpus_per_node: 4"},
    {"show --gpus 8", "hardware.nodes: 1"},
    {"show --gpus 2*32", "hardware.nodes: 8"},
    {"show --gpus 16 --set gpus_per_node=4", "hardware.nodes: 4\nhardware.gpus_per_node: 4"},
    {"show --gpus 16 --set nodes=2", "hardware.nodes: 2"},
    {"show --gpus 2 --set cluster=dgx-h100", "cluster: dgx-h100\nhardware.nodes: 1\nhardware.gpus_per_node: 2"},
    /* a shipped plan by name, then what changes it */
    {"show llama3-70b-64h100 --set pp=2",
     "framework.name: megatron-core\nmodel: llama3-70b\ncluster: dgx-h100\nnodes: 8\n"
     "tp: 8\nsp: true\npp: 2\nzero_stage: 1\noverlap_grad_reduce: true\noverlap_param_gather: true\n"
     "seq_length: 8192\nmicro_batch_size: 1\nglobal_batch_size: 128\ndtype: bf16\ntotal_tokens: 15e12"},
    /* Megatron's flags as they are, ours win */
    {"show --model llama2-7b --tensor-model-parallel-size 2 --pipeline_model_parallel_size=4 --set pp=8 "
     "--micro-batch-size 3 pretrain_gpt.py", "model: llama2-7b\ntp: 2\npp: 8\nmicro_batch_size: 3"},
};

static void expect_plan(const char *line, const char *wanted)
{
    struct plan actual, expected;
    struct errors errors = {0};
    char *messages = ask(line, &actual);
    plan_clear(&expected);
    assert_int_equal(plan_read(&expected, wanted, strlen(wanted), "wanted", NULL, &errors), 0);
    plan_finish(&expected);
    assert_that(!strstr(messages, "shardtop: "), "%s: %s", line, messages);
    for (int i = 0; i < PARAM_COUNT; i++) {
        char a[PARAM_TEXT_MAX], b[PARAM_TEXT_MAX];
        bool is_megatron = strstr(line, "--micro-batch-size") && actual.from[i] == FROM_DEFAULT; /* its own defaults */
        param_print(&actual, (enum param)i, a, sizeof a);
        param_print(&expected, (enum param)i, b, sizeof b);
        assert_that(is_megatron || strcmp(a, b) == 0, "%s: %s is '%s', not '%s'", line, param_rows[i].dotted, a, b);
    }
    free(messages);
    errors_free(&errors);
}

static void test_command_lines_become_plans(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(plans); i++)
        expect_plan(plans[i].line, plans[i].wanted);
}

static void test_only_nothing_at_all_opens_the_default_plan(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool is_default;
    } lines[] = {{"", true}, {"show --json", true}, {"--theme dark", true}, {"explain iteration_s", true},
                 {"show --set tp=1", false},
                 {"show --gpus 8", false}, {"show --framework megatron-core", false}};
    for (size_t i = 0; i < COUNT(lines); i++) {
        struct plan plan;
        char *messages = ask(lines[i].line, &plan);
        assert_string_equal(messages, "");
        assert_that((plan.value[PARAM_model_num_layers] == 32) == lines[i].is_default, "'%s'", lines[i].line);
        free(messages);
    }
}

static void test_files_are_applied_from_left_to_right(void **state)
{
    (void)state;
    struct errors errors = {0};
    struct plan plan;
    char *a = xasprintf("%s/a.yaml", folder), *b = xasprintf("%s/b.json", folder);
    const char first[] = "model: llama2-7b\ntp: 2\npp: 2\n", second[] = "{\"pp\": 4, \"model.num_layers\": 16}";
    assert_int_equal(write_file(a, first, sizeof first - 1, 0, &errors), 0);
    assert_int_equal(write_file(b, second, sizeof second - 1, 0, &errors), 0);
    char *line = xasprintf("show %s %s --set tp=8", a, b);
    char *messages = ask(line, &plan);
    assert_string_equal(messages, "");
    assert_true(plan.value[PARAM_parallel_tp] == 8 && plan.value[PARAM_parallel_pp] == 4);
    assert_true(plan.value[PARAM_model_num_layers] == 16 && plan.value[PARAM_model_hidden_size] == 4096);
    assert_int_equal(plan.from[PARAM_parallel_tp], FROM_SET);
    assert_int_equal(plan.from[PARAM_parallel_pp], FROM_FILE);
    free(messages);
    free(line);
    line = xasprintf("show --model %s --set hidden_size=512", a); /* only the model of that file */
    messages = ask(line, &plan);
    assert_string_equal(messages, "");
    assert_true(plan.value[PARAM_model_num_layers] == 32 && plan.value[PARAM_model_hidden_size] == 512);
    assert_true(isnan(plan.value[PARAM_parallel_tp]));
    unlink(a);
    unlink(b);
    free(messages);
    free(line);
    free(a);
    free(b);
}

/* ---- messages --------------------------------------------------------------------------------------------------- */

static const struct {
    const char *line, *expected;
} refused[] = {
    {"search --objective best",
     "shardtop: --objective: 'best' is not an objective; use one of time memory cost energy gpus train-time train-cost "
     "size\n"},
    {"search --objective=", "shardtop: --objective: empty value; is a variable of the shell unset?\n"},
    {"search --objective size --top 0", "shardtop: --top: '0' is not a number of results; write one from 1 to 1000\n"},
    {"search --values tp", "shardtop: --values: expected KEY=VALUE,VALUE, found 'tp'\n"},
    {"compare a --metric mfu", "shardtop: --metric: does not go with compare; leave it out\n"},
    {"batch lines.jsonl", "shardtop: batch: takes no files; give the lines on standard input\n"},
    {"export --json", "shardtop: --json: does not go with export; leave it out\n"},
    {"shwo", "shardtop: shwo: not a file or a command; did you mean show?\n"},
    {"what-if plan.yaml", "shardtop: what-if: not a file or a command; did you mean advice?\n"},
    {"tuner", "shardtop: tuner: not a file or a command; did you mean search?\n"},
    {"version", "shardtop: version: not a file or a command; did you mean --version?\n"},
    {"show model=llama3-70b", "shardtop: model=llama3-70b: not a file; use --set model=llama3-70b\n"},
    {"show tp=8", "shardtop: tp=8: not a file; use --set tp=8\n"},
    {"search llama3-70b", "shardtop: llama3-70b: not a file; use --model llama3-70b\n"},
    {"show h100", "shardtop: h100: not a file; use --gpu h100\n"},
    {"show dgx-h100", "shardtop: dgx-h100: not a file; use --set cluster=dgx-h100\n"},
    {"sweep default tp", "shardtop: tp: not a file; give the key values: tp=1,2,4,8\n"},
    {"sweep default --set tp=1,2", "shardtop: --set: takes one value; to sweep, write tp=1,2\n"},
    {"sweep default tp=1-8", "shardtop: tp=1-8: is a difference; a range is written tp=1..8\n"},
    {"export default megatron", "shardtop: megatron: not a file; use --to megatron\n"},
    {"explain mfu configs/plans/default.yaml",
     "shardtop: mfu: not a file; put the value last: shardtop explain configs/plans/default.yaml mfu\n"},
    {"show https://example.org/config.json",
     "shardtop: https://example.org/config.json: is an address, and nothing is fetched; name the file that you "
     "downloaded, or --model NAME\n"},
    {"run plan.yaml", "shardtop: run: not a file or a command; `shardtop find run` searches names and commands\n"},
    {"show --gpus 64 --set nodes=3",
     "shardtop: --gpus: 64 GPUs are 8 nodes, but hardware.nodes is 3; set only one\n"},
    {"show --set nodes=3 --set gpus=64",
     "shardtop: --gpus: 64 GPUs are 8 nodes, but hardware.nodes is 3; set only one\n"},
    {"show --gpu 8xh100", "shardtop: --gpu: takes one of the two; write --gpus 8 --gpu h100\n"},
    {"show --gpus 8xH100", "shardtop: --gpus: takes one of the two; write --gpus 8 --gpu H100\n"},
    {"show --format json", "shardtop: --format: is not an option; write --json, --csv or --markdown\n"},
    {"show -tp 8", "shardtop: -tp: needs two dashes; write --tp VALUE\n"},
    {"show --tp", "shardtop: --tp: needs a value; write --tp VALUE\n"},
    {"list models --tp 8", "shardtop: --tp: does not go with list; leave it out\n"},
    {"show --tp 3.5", "shardtop: tp: '3.5' is 3.5, not a whole number; try 3 or 4\n"},
    {"show --set tp=8,pp=4", "shardtop: --set: takes one key; write --set tp=8 --set pp=4\n"},
    {"show -set", "shardtop: -s: is not an option; did you mean --set?\n"},
    {"show --formatt json", "shardtop: --formatt: is not an option; see shardtop --help\n"},
    {"show --sectoin memory", "shardtop: --sectoin: is not an option; did you mean --section?\n"},
    {"goal serve --ms 50", "shardtop: --ms: is not an option; did you mean --ms-per-token?\n"},
    {"show --tensor-model-paralel-size 4",
     "shardtop: --tensor-model-paralel-size: is not an option; did you mean --tensor-model-parallel-size?\n"},
    {"show --qqqqqqqq", "shardtop: --qqqqqqqq: is not an option; see shardtop --help\n"},
    {"show -z", "shardtop: -z: is not an option; see shardtop --help\n"},
    {"show --set", "shardtop: --set: needs a value; write --set KEY=VALUE\n"},
    {"show --set tp", "shardtop: --set: expected KEY=VALUE, found 'tp'\n"},
    {"show --set =3", "shardtop: --set: expected KEY=VALUE, found '=3'\n"},
    {"show --set hiden_size=3", "shardtop: hiden_size: is not a key; did you mean model.hidden_size?\n"},
    {"show --set checkpointin=full", "shardtop: checkpointin: is not a key; did you mean train.recompute?\n"},
    {"show --set gbs=y3",
     "shardtop: gbs: 'y3' (column 1) is not a number or the name of a number; write a number such as 4096\n"},
    {"show --set parallel=3", "shardtop: parallel: is a group of keys, not a value; write its keys below it\n"},
    {"show --json=1", "shardtop: --json: takes no value; leave out '=1'\n"},
    {"show --json --csv", "shardtop: --json, --csv and --markdown cannot be combined; use one\n"},
    {"show --svg --json", "shardtop: --svg: is a format of its own; leave out the other one\n"},
    {"show --check --csv",
     "shardtop: --check: prints one line or, with --json, an object; leave out the other format\n"},
    {"show --color blue", "shardtop: --color: 'blue' is not a choice; use auto, always or never\n"},
    {"show --section foo",
     "shardtop: --section: 'foo' is not a section; use one of all, summary, diagnostics, layers, memory, grid, "
     "communication, time, training, checkpoint, serving\n"},
    {"show --gpus 12", "shardtop: --gpus: 12 does not fill nodes of 8 GPUs; try 8 or 16\n"},
    {"show --gpus 0", "shardtop: --gpus: '0' is not a number of GPUs; write a whole number such as 16\n"},
    {"show --gpus 8k", "shardtop: --gpus: '8k' is not a number of GPUs; write a whole number such as 16\n"},
    {"show --gpu h100x",
     "shardtop: hardware.gpu: 'h100x' is not a known GPU; did you mean h100-nvl-94, h100-pcie-80 or h100-sxm-80?\n"},
    {"show --model nosuch/file", "shardtop: model: 'nosuch/file' is not a known model; see `shardtop list models`\n"},
    {"show --set optimizer=jax",
     "shardtop: optimizer: 'jax' is not a choice; use one of adam, adam8bit, lion, sgd, adafactor, muon, adamw_fused, "
     "paged_adam8bit, paged_adam32bit, galore, lion8bit, paged_lion8bit\n"},
    {"show --set batch_size=64",
     "shardtop: batch_size: is of serving; in training write global_batch_size or micro_batch_size "
     "(serve.batch_size sets it all the same)\n"},
    {"show --restore 1", "shardtop: --restore: '1' is not an unsaved plan; shardtop --restore lists them\n"},
    {"--screen 120", "shardtop: --screen: '120' is not a size; write columns and lines such as 120x40\n"},
    {"--screen 0x5", "shardtop: --screen: '0x5' is not a size; write columns and lines such as 120x40\n"},
    {"--screen 120x40x2", "shardtop: --screen: '120x40x2' is not a size; write columns and lines such as 120x40\n"},
    {"--keys q", "shardtop: --keys: needs a screen to play on; add --screen 120x40\n"},
    {"list models --section time", "shardtop: --section: does not go with list; leave it out\n"},
    {"show --screen 80x24", "shardtop: --screen: does not go with show; leave it out\n"},
    {"show /nonexistent/plan", "/nonexistent/plan: cannot be opened: No such file or directory; check the path\n"},
    /* several at once */
    {"show --set hiden_size=3 --gpus 12 --model llama2-7bb",
     "shardtop: model: 'llama2-7bb' is not a known model; did you mean llama2-7b, llama2-70b or llama-7b?\n"
     "shardtop: hiden_size: is not a key; did you mean model.hidden_size?\n"
     "shardtop: --gpus: 12 does not fill nodes of 8 GPUs; try 8 or 16\n"},
};

static void test_mistakes_are_answered_with_whole_messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct plan plan;
        char *actual = ask(refused[i].line, &plan);
        assert_that(check_message(actual, refused[i].expected), "shardtop %s\ngives\n%s\nnot\n%s", refused[i].line,
                    actual, refused[i].expected);
        free(actual);
    }
}

/* ---- verbs ------------------------------------------------------------------------------------------------------ */

static const struct {
    const char *line, *expected;
} unswept[] = {
    {"sweep default",
     "shardtop: sweep: takes one or two keys with values; write shardtop sweep [FILE...] tp=1,2,4,8 pp=1..16\n"},
    {"sweep tp=1,,2", "shardtop: tp: empty value in '1,,2'; write tp=V1,V2\n"},
    {"sweep crystals=1", "shardtop: crystals: unknown key; `shardtop list keys` lists all\n"},
    {"sweep gemm_efficiency=0.1..1",
     "shardtop: gemm_efficiency: a range needs a step; write gemm_efficiency=0.1..1+S or *S\n"},
    {"sweep gemm_efficiency=0.5..0.1+0.1",
     "shardtop: gemm_efficiency: '0.5..0.1+0.1' ends before it begins; write the smaller value first\n"},
    {"sweep tp=1..x",
     "shardtop: tp: 'x' is not a number or the name of a number; write tp=A..B, A..B*2 or A..B+S\n"},
    {"sweep gpu=a..b", "shardtop: gpu: values have no order; list them, or write gpu=*\n"},
    {"sweep seq_length=1..257", "shardtop: seq_length: more than 256 values; write fewer, or a larger step\n"},
    {"sweep seq_length=8..16*1", "shardtop: seq_length: no progress in steps of '*1' from 8; write a larger step\n"},
    {"sweep pp=5..6", "shardtop: pp: no valid values in '5..6'; write values, or a step such as pp=1..8*2\n"},
};

static void test_values_that_cannot_be_swept(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(unswept); i++) {
        char text[512], *argv[WORDS_MAX];
        struct cli cli = {0};
        struct errors errors = {0};
        struct buffer out = {0};
        snprintf(text, sizeof text, "%s", unswept[i].line);
        int argc = split(text, argv);
        assert_int_equal(cli_parse(&cli, argc, argv, &errors), 0);
        assert_int_equal(cli_run_verb(&cli, &out, &errors), STATUS_INPUT);
        char *actual = join(&errors);
        assert_message(actual, unswept[i].expected);
        free(actual);
        buffer_free(&out);
        errors_free(&errors);
        cli_free(&cli);
    }
}

static void test_report_options_alone_mean_show(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum cli_verb_id verb;
    } lines[] = {{"", VERB_SCREEN}, {"--json", VERB_SHOW}, {"--check", VERB_SHOW},
                 {"--screen 80x24 --keys q", VERB_SCREEN},
                 {"--color never", VERB_SCREEN}, {"show", VERB_SHOW}, {"--json list models", VERB_LIST},
                 {"-- show", VERB_SHOW}};
    for (size_t i = 0; i < COUNT(lines); i++) {
        char text[512], *argv[WORDS_MAX];
        struct cli cli = {0};
        struct errors errors = {0};
        snprintf(text, sizeof text, "%s", lines[i].line);
        int argc = split(text, argv);
        assert_int_equal(cli_parse(&cli, argc, argv, &errors), 0);
        assert_that(cli.verb == lines[i].verb, "'%s' is verb %d", lines[i].line, (int)cli.verb);
        cli_free(&cli);
        errors_free(&errors);
    }
}

/* Runs the program with its output in a file; returns the exit status and the output. */
static int run(const char *line, char **output)
{
    char text[512], *argv[WORDS_MAX];
    size_t size = 0;
    struct errors errors = {0};
    char *path = xasprintf("%s/out", folder);
    snprintf(text, sizeof text, "-q -o %s %s", path, line);
    int status = cli_run(split(text, argv), argv);
    *output = access(path, F_OK) == 0 ? file_read(path, &size, &errors) : xstrdup("");
    unlink(path);
    free(path);
    return status;
}

static void write_program(const char *path, const char *text)
{
    struct errors errors = {0};
    assert_int_equal(write_file(path, text, strlen(text), 0, &errors), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

static void test_gpus_of_this_machine_are_found(void **state)
{
    (void)state;
    struct plan plan;
    char *path = getenv("PATH") ? xstrdup(getenv("PATH")) : NULL, *own = xasprintf("%s/bin", folder);
    char *nvidia = xasprintf("%s/nvidia-smi", own);
    assert_int_equal(mkdir(own, 0700), 0);
    setenv("PATH", own, 1);
    char *messages = ask("show --gpu auto", &plan);
    assert_that(check_mentions(messages, "no GPU was found") || check_mentions(messages, "/proc/driver/nvidia"), "%s",
                messages);
    free(messages);
    write_program(nvidia, "#!/bin/sh\necho 'NVIDIA H200'\necho 'NVIDIA H200'\necho 'NVIDIA T1000'\n");
    messages = ask("show --gpu auto", &plan);
    assert_message(messages, "shardtop: --gpu: auto: 2 x NVIDIA H200, found by nvidia-smi\n"
                             "shardtop: hardware.gpu: 'NVIDIA H200' is read as h200-sxm\n");
    assert_true(plan.value[PARAM_hardware_gpus_per_node] == 2 && strcmp(plan.gpu.name, "h200-sxm") == 0);
    free(messages);
    write_program(nvidia, "#!/bin/sh\necho 'NVIDIA-SMI has failed'\nexit 9\n");
    messages = ask("show --gpu auto", &plan);
    assert_that(!strstr(messages, "has failed"), "%s", messages);
    free(messages);
    if (path)
        setenv("PATH", path, 1);
    unlink(nvidia);
    rmdir(own);
    free(nvidia);
    free(own);
    free(path);
}

/* llm-analysis: the summary for people on standard output, the answer as JSON in the file. */
static void test_a_file_of_llm_analysis_is_json(void **state)
{
    (void)state;
    char *json, *text, *help;
    assert_int_equal(run("show --model llama2-7b --set seq_length=4k --estimator llm-analysis", &json), STATUS_DONE);
    assert_that(strncmp(json, "{\"batch_size_per_gpu\": 1, ", 26) == 0, "%.60s", json);
    assert_int_equal(run("show --estimator megatron-report", &text), STATUS_DONE);
    assert_that(strncmp(text, "megatron-report, report", 23) == 0, "%.60s", text);
    assert_int_equal(run("show --estimator llm-analysis --help", &help), STATUS_DONE);
    assert_non_null(strstr(help, "--estimator NAME")); /* of show */
    assert_non_null(strstr(help, "  batch_size_per_gpu"));
    assert_non_null(strstr(help, "  num_tokens_to_generate"));
    free(json);
    free(text);
    assert_int_equal(run("show --estimator crystals --help", &text), STATUS_INPUT);
    free(text);
    free(help);
}

static void test_exit_statuses(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int status;
    } lines[] = {
        {"show", STATUS_DONE},
        {"show --check", STATUS_INPUT},
        {"show --check default", STATUS_DONE},
        {"show --check -- configs/plans/default.yaml", STATUS_DONE},
        {"show --check -- /nonexistent", STATUS_INPUT},
        {"show --check default --set hardware.usable_gib=48", STATUS_UNFIT},
        {"show --check default --set hardware.usable_gib=48 --sure 30%", STATUS_DONE},
        {"show --check default --set hardware.usable_gib=49.5", STATUS_UNFIT}, /* tight 58 % */
        {"show --check default --sure 90", STATUS_INPUT},
        {"show default --strict", STATUS_INPUT},
        {"show --check default --estimator llm-analysis", STATUS_INPUT},
        {"show --check --restore", STATUS_INPUT},
        {"show --check default --tp", STATUS_INPUT},
        {"show --check default --tp=", STATUS_INPUT},
        {"show --check default --set tp=", STATUS_INPUT},
        {"show --check default --set tp=default", STATUS_UNFIT},
        {"show --check default --tensor-model-parallel-size", STATUS_INPUT},
        {"show --check default --tensor-model-parallel-size=", STATUS_INPUT},
        {"show --check default --tensor-model-parallel-size --sequence-parallel", STATUS_INPUT},
        {"show --check default --num-experts", STATUS_INPUT},
        {"show --check default --lr=", STATUS_INPUT},
        {"show --check default --no-bias-gelu-fusion=1", STATUS_INPUT},
        {"show --check default --optimizer shampoo", STATUS_INPUT},
        {"show --check default --recompute-granularity some", STATUS_INPUT},
        {"show --check default --num-layers-per-virtual-pipeline-stage 5", STATUS_INPUT},
        {"show --check default --sequence-parallel false", STATUS_DONE},
        {"show --check llama3-70b-too-big", STATUS_UNFIT},
        {"show llama3-70b-too-big", STATUS_DONE},
        {"show --set tp=3.5", STATUS_INPUT},
        {"explain iteration_s", STATUS_DONE},
        {"explain llama3-70b-64h100 memory.stages.0.activations_bytes --json", STATUS_DONE},
        {"explain nosuchvalueatall", STATUS_INPUT},
        {"import llama3-70b-64h100", STATUS_DONE},
        {"import", STATUS_INPUT},
        {"list models", STATUS_DONE},
        {"list estimators", STATUS_DONE},
        {"list crystals", STATUS_INPUT},
        {"validate", STATUS_INPUT},
        {"lesson --check", STATUS_INPUT},
        {"calibrate", STATUS_INPUT},
        {"compare", STATUS_INPUT},
        {"compare a b", STATUS_INPUT},
        {"compare default", STATUS_INPUT},
        {"advice default --json", STATUS_DONE},
        {"sweep tp=1,2 pp=1..4 --json", STATUS_DONE},
        {"sweep default recompute=* --csv --metric headroom_gib", STATUS_DONE},
        {"sweep micro_batch_size=1..8*2 --svg", STATUS_DONE},
        {"sweep tp=1 --metric crystals", STATUS_INPUT},
        {"sweep tp=1 pp=1 dp=1", STATUS_INPUT},
        {"advice llama3-8b-serving", STATUS_DONE},
        {"advice --set num_layers=4 --csv", STATUS_DONE},
        {"compare default default", STATUS_DONE},
        {"compare default llama3-70b-64h100 --by key --json", STATUS_DONE},
        {"compare default llama3-70b-64h100 --by size", STATUS_INPUT},
        {"compare default llama3-70b-64h100 --csv", STATUS_DONE},
        {"compare default llama3-8b-serving --markdown", STATUS_DONE},
        {"explain --theme light --ascii --no-mouse --term vt100 --present --slow --color never iteration_s",
         STATUS_DONE},
        {"list gpus --theme light", STATUS_DONE},
        {"compare --estimators", STATUS_DONE},
        {"compare --estimators default --csv", STATUS_INPUT},
        {"compare --estimators default --by key", STATUS_INPUT},
        {"show --estimator crystal", STATUS_INPUT},
        {"show --estimator megatron-tool", STATUS_DONE},
        {"man", STATUS_DONE},
        {"man twice", STATUS_INPUT},
        {"completion bash", STATUS_DONE},
        {"completion csh", STATUS_INPUT},
        {"show --svg", STATUS_DONE},
        {"show --svg --section time", STATUS_DONE},
        {"show --svg --section training", STATUS_INPUT},
        {"search --values tp=1,2 --keep cp", STATUS_DONE},
        {"search --json --top 2 --max-memory 60GiB --fit tight --objective memory", STATUS_DONE},
        {"search --csv --free tp,recompute_num_layers --nodes 1,2 --objective cost", STATUS_DONE},
        {"search --free mbs --values seq_length=1024,2048 --schedules all", STATUS_DONE},
        {"search --max-memory 1GiB", STATUS_UNFIT},
        {"search --free +cross_entropy,recompute_modules --csv --top 1", STATUS_DONE},
        {"search --free quant_dtype", STATUS_DONE},
        {"search --free +a", STATUS_INPUT},
        {"search --free cross_entropy,dtype,moe_dispatcher,cp_comm,attention_kernel", STATUS_DONE},
        {"search --free tokens", STATUS_INPUT},
        {"search --free nothing", STATUS_INPUT},
        {"search --keep seq_length", STATUS_INPUT},
        {"search --values gpu=h100", STATUS_INPUT},
        {"search --values seq_length=4k,x", STATUS_INPUT},
        {"search --values fsdp=full", STATUS_INPUT},
        {"search --objective energy --headroom 4GiB --tp-in-node --top 1", STATUS_DONE},
        {"search --where tp>=2 --where mfu>0.1 --where recompute!=full --where host_gib<=1T --json", STATUS_INPUT},
        {"search --where tp>=2 --where mfu>0.1 --where recompute!=full --where host_gib<=1000 --json", STATUS_DONE},
        {"search --where mfu>=1", STATUS_UNFIT},
        {"search --where tp<1", STATUS_UNFIT},
        {"search --where tp", STATUS_INPUT},
        {"search --where speed>=1", STATUS_INPUT},
        {"search --where tp>=", STATUS_INPUT},
        {"search --where recompute<=full", STATUS_INPUT},
        {"search --where tp==2 --where mfu>=10% --top 1", STATUS_DONE},
        {"search --where tp=<4", STATUS_INPUT},
        {"search --where model=llama3-8b", STATUS_INPUT},
        {"search --where iteration_s<=3", STATUS_INPUT},
        {"search --where tokens_per_s_per_gpu>=10%", STATUS_INPUT},
        {"search --objective size --where tp<=2", STATUS_INPUT},
        {"search --objective size --max-memory 40GiB", STATUS_INPUT},
        {"search --objective size --models llama3-8b --where tp<=2 --gpu h100-sxm-80 --gpus 8 --set gbs=64",
         STATUS_DONE},
        {"search --objective gpus --model llama3-8b --gpu h100-sxm-80 --set gbs=64 --set seq_length=4k --set nodes=4 "
         "--tokens-per-s 1k --json", STATUS_DONE},
        {"search --model llama3-8b --gpu h100-sxm-80 --set gbs=64 --set seq_length=4k --objective train-time --set "
         "total_tokens=1T --deadline 10000d", STATUS_DONE},
        {"search --model llama3-8b --gpu h100-sxm-80 --set gbs=64 --set seq_length=4k --objective train-cost --set "
         "total_tokens=1T --deadline 1s", STATUS_UNFIT},
        {"search --model llama3-8b --gpu h100-sxm-80 --set gbs=64 --objective train-cost", STATUS_INPUT},
        {"search --model llama3-8b --gpu h100-sxm-80 --set gbs=64 --deadline 30d", STATUS_INPUT},
        {"search --set total_tokens=1T --deadline 30", STATUS_INPUT},
        {"search --tokens-per-s fast", STATUS_INPUT},
        {"search --fit well", STATUS_INPUT},
        {"search --schedules some", STATUS_INPUT},
        {"search --max-memory 0", STATUS_INPUT},
        {"search --top 65", STATUS_INPUT},
        {"search --set workload=inference", STATUS_INPUT},
        {"search --set num_layers=auto --set price_per_gpu_hour=auto", STATUS_INPUT},
        {"search --objective size --models llama3.1-405b,llama3-8b --gpu h100-sxm-80 --gpus 8 --set gbs=64",
         STATUS_DONE},
        {"search --objective size --models llama3.1-405b --gpu h100-sxm-80 --gpus 8 --set gbs=64 --json", STATUS_UNFIT},
        {"search --objective size --models nothing-8b", STATUS_INPUT},
        {"search --models llama3-8b", STATUS_INPUT},
        {"search --objective size", STATUS_DONE},
        {"search --objective size --json --top 2", STATUS_DONE},
        {"search --objective size --model llama2-7b --set seq_length=4096 --set hidden_size=65536", STATUS_UNFIT},
        {"search --objective size --set seq_length=auto", STATUS_INPUT},
        {"export", STATUS_INPUT},
        {"export --to x", STATUS_INPUT},
        {"export --to megatron", STATUS_DONE},
        {"show --framework megatron-core,megatron-2023 --model llama2-7b", STATUS_DONE},
        {"show --framework megatron-core,jax --model llama2-7b", STATUS_INPUT},
    };
    for (size_t i = 0; i < COUNT(lines); i++) {
        char *output;
        int status = run(lines[i].line, &output);
        assert_that(status == lines[i].status, "shardtop %s: status %d", lines[i].line, status);
        assert_that((*output != '\0') == (status <= STATUS_UNFIT), "shardtop %s prints\n%.200s", lines[i].line, output);
        free(output);
    }
}

/* Runs a line with `text` piped into standard input; returns the exit status. */
static int run_piped(const char *line, const char *text, char **output)
{
    int ends[2], before = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, strlen(text)), (ssize_t)strlen(text));
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    int status = run(line, output);
    dup2(before, STDIN_FILENO);
    close(ends[0]);
    close(before);
    return status;
}

#define SCRIPT "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 24 --hidden-size 2048 " \
               "--num-attention-heads 32 --seq-length 2048 --max-position-embeddings 2048 --vocab-size 50257 " \
               "--micro-batch-size 1 --global-batch-size 8 --bf16 "

#define TRAINER \
    "python train.py --model_name_or_path gpt2-124m --output_dir o --per_device_train_batch_size 1 --max_steps 9\n"
#define SERVE(size) "vllm serve meta-llama/Llama-3.1-" size " --max-model-len 8192\n"

#define POD(name, size) \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name "}\nspec:\n  containers:\n  - image: vllm/vllm-openai\n" \
    "    command: [vllm, serve, meta-llama/Llama-3.1-" size ", --max-model-len, '8192']\n" \
    "    resources: {limits: {nvidia.com/gpu: 1}}\n"

/* A gate answers for the plan that is piped into it, and for no other one. */
static void test_a_piped_plan_is_the_one_that_is_checked(void **state)
{
    (void)state;
    static const char too_large[] = "model: llama3-70b\nhardware: {nodes: 1}\nparallel: {tp: 8}\n";
    static const struct {
        const char *line, *text;
        int status;
        const char *begin;
    } rows[] = {
        {"show --check", too_large, STATUS_UNFIT, "standard input: does not fit: "},
        {"show --check -", too_large, STATUS_UNFIT, "standard input: does not fit: "},
        {"show --check --set micro_batch_size=1", too_large, STATUS_UNFIT, "standard input: does not fit: "},
        {"show --check", "", STATUS_INPUT, ""},
        {"show --check", "no plan", STATUS_INPUT, ""},
        {"show --check - -- argument", too_large, STATUS_INPUT, ""},
        {"show --check", SCRIPT "\n" SCRIPT "--num-layers 12\n", STATUS_INPUT, ""},
        {"show --check default", too_large, STATUS_DONE, "default: fits: "},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *output;
        int status = run_piped(rows[i].line, rows[i].text, &output);
        assert_that(status == rows[i].status, "%s: status %d", rows[i].line, status);
        assert_that(strncmp(output, rows[i].begin, strlen(rows[i].begin)) == 0, "%s: %s", rows[i].line, output);
        free(output);
    }
    char *argv[] = {"shardtop", "show", "--check", "", NULL};
    assert_int_equal(cli_run(4, argv), STATUS_INPUT);
}

/* A variable that decides nothing is no answer to a question. */
static void test_a_variable_that_nothing_reads_is_named(void **state)
{
    (void)state;
    static const char script[] = "MBS=1\npython t.py --num-layers 4 --hidden-size 64 --num-attention-heads 4 "
                                 "--micro-batch-size $MBS --tensor-model-parallel-size ${TP:-2}\n";
    char line[256], *argv[WORDS_MAX], *path = xasprintf("%s/env.sh", folder);
    struct cli cli = {0};
    struct cli_made made;
    struct errors errors = {0};
    struct plan plan;
    assert_int_equal(write_file(path, script, strlen(script), 0, &errors), 0);
    snprintf(line, sizeof line, "show --env MBS=64 --env TP=4 --env TPP=4 %s", path);
    assert_int_equal(cli_parse(&cli, split(line, argv), argv, &errors), 0);
    assert_int_equal(cli_plan(&cli, &plan, &made, &errors), 0);
    int about = 0;
    for (size_t i = 0; i < errors.count; i++) {
        bool is_about = strstr(errors.line[i], "--env: ");
        assert_true(!is_about || check_mentions(errors.line[i], "MBS is read by no file") ||
                    check_mentions(errors.line[i], "TPP is read by no file"));
        about += is_about;
    }
    assert_int_equal(about, 2);
    unlink(path);
    free(path);
    cli_made_free(&made);
    cli_free(&cli);
    errors_free(&errors);
}

/* What a script leaves open: sizes decide, flags that cannot be seen and values of no counterpart with --strict. */
static void test_open_questions_of_a_script_decide_a_check(void **state)
{
    (void)state;
    static const struct {
        const char *script, *line;
        int status;
    } rows[] = {
        {SCRIPT, "", STATUS_DONE},
        {SCRIPT, " --strict", STATUS_DONE},
        {SCRIPT "--tensor-model-parallel-size $TP", "", STATUS_UNKNOWN},
        {SCRIPT "--tensor-model-parallel-size $TP", " --env TP=2 --strict", STATUS_DONE},
        {SCRIPT "--pipeline-model-parallel-size", "", STATUS_UNKNOWN},
        {SCRIPT "--num-layers-per-virtual-pipeline-stage 5 --pipeline-model-parallel-size 2", "", STATUS_UNKNOWN},
        {SCRIPT "--optimizer shampoo", "", STATUS_UNKNOWN},
        {SCRIPT "--optimizer shampoo", " --strict", STATUS_UNKNOWN},
        {SCRIPT "--lora-rank-of-mine 8", "", STATUS_UNKNOWN},
        {SCRIPT "--micro-batch-size sixteen", "", STATUS_UNKNOWN},
        {SCRIPT "--micro-batch-size sixteen", " --set micro_batch_size=1", STATUS_DONE},
        {SCRIPT "--micro-batch-size -16", " --strict", STATUS_INPUT},
        {SCRIPT "--seq-length 1e30", "", STATUS_UNKNOWN},
        {SCRIPT "--seq-length $SEQ", "", STATUS_UNKNOWN},
        {SCRIPT "--num-experts $E", "", STATUS_UNKNOWN},
        {SCRIPT "--deepspeed --deepspeed_config none.json", "", STATUS_UNKNOWN},
        {SCRIPT "\n" SCRIPT "--num-layers 720", "", STATUS_UNFIT},
        {SCRIPT "\n" SCRIPT "--num-layers 720", " --command 1", STATUS_DONE},
        {SCRIPT "\n" SCRIPT "--tensor-model-parallel-size 3", "", STATUS_INPUT},
        {SERVE("8B") SERVE("405B"), "", STATUS_UNFIT},
        {SERVE("8B") SERVE("405B"), " --command 1", STATUS_DONE},
        {SERVE("8B") SERVE("405B"), " --command 3", STATUS_INPUT},
        {SCRIPT "\n" SERVE("405B"), "", STATUS_UNFIT},
        {SERVE("405B") SCRIPT, "", STATUS_UNFIT},
        {SERVE("405B") SCRIPT, " --command 1", STATUS_DONE},
        {SERVE("405B") SCRIPT, " --command 2", STATUS_UNFIT},
        {SERVE("405B") SCRIPT, " --command 3", STATUS_INPUT},
        {SERVE("405B") TRAINER, " --command 2", STATUS_UNFIT},
        {SERVE("405B") TRAINER, " --command 3", STATUS_INPUT},
        {POD("a", "8B") "---\n" POD("b", "405B"), "", STATUS_UNFIT},
        {POD("a", "8B") "---\n" POD("b", "405B"), " --command 1", STATUS_DONE},
        {POD("a", "8B") "---\n" POD("b", "405B"), " --command 3", STATUS_INPUT},
        {POD("a", "8B") "---\n" POD("b", "8B"), "", STATUS_DONE},
        {"{\"model_type\": \"mixtral\", \"hidden_size\": 4096, \"num_hidden_layers\": 2, \"num_attention_heads\": 32, "
         "\"vocab_size\": 32000, \"intermediate_size\": 14336, \"num_local_experts\": \"eight\"}",
         " --set seq_length=4096", STATUS_UNKNOWN},
        {"[model]\nname = \"llama3\"\nflavor = \"debugmodel\"\n[training]\nlocal_batch_size = \"many\"\n", "",
         STATUS_UNKNOWN},
        {"base_model: meta-llama/Llama-3.1-8B\nadapter: qlora\nmicro_batch_size: 512x\nsequence_len: 4096\n", "",
         STATUS_UNKNOWN},
        {SCRIPT "--lora-rank-of-mine 8", " --strict", STATUS_INPUT},
        {SCRIPT "$EXTRA", "", STATUS_DONE},
        {SCRIPT "$EXTRA", " --strict", STATUS_UNKNOWN},
        {SCRIPT "$EXTRA", " --strict --env EXTRA=--swiglu", STATUS_DONE},
        {SCRIPT "\"$@\"", " --strict", STATUS_UNKNOWN},
        {SCRIPT "\"$@\"", " --strict --", STATUS_DONE},
        {SCRIPT "--yaml-cfg x.yaml", "", STATUS_INPUT},
        {SCRIPT "--num-experts -1", "", STATUS_UNKNOWN},
        {SCRIPT "--num-experts 0", "", STATUS_DONE},
        {SCRIPT, " --set hardware.memory_gib=2", STATUS_UNFIT},
        {SCRIPT, " --set hardware.memory_gib=80", STATUS_DONE},
    };
#undef SCRIPT
#undef SERVE
#undef TRAINER
#undef POD
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *output, *path = xasprintf("%s/open.sh", getenv("XDG_STATE_HOME"));
        char *line = xasprintf("show --check %s%s", path, rows[i].line);
        struct errors errors = {0};
        assert_int_equal(write_file(path, rows[i].script, strlen(rows[i].script), 0, &errors), 0);
        int status = run(line, &output);
        assert_that(status == rows[i].status, "%s of %s: status %d", line, rows[i].script, status);
        unlink(path);
        free(output);
        free(line);
        free(path);
    }
}

/* Whether a name is an option of its own or one of Megatron's flags, which come before the plan's keys. */
static bool is_option(const char *name)
{
    char *flag = xasprintf("--%s", name);
    int arity;
    bool is_it = megatron_flag_known(flag, &arity);
    free(flag);
    for (size_t i = 0; i < cli_option_count && !is_it; i++)
        is_it = strcmp(cli_options[i].name, name) == 0;
    return is_it;
}

static void check_key_option(const char *name, int key)
{
    char *word = xasprintf("--%s=1", name), *argv[] = {"shardtop", "show", word};
    struct cli cli = {0};
    struct errors errors = {0};
    bool is_good = cli_parse(&cli, 3, argv, &errors) == 0 && cli.settings.count == 1 &&
                   param_find_alias(cli.settings.item[0].key) == key;
    assert_that(is_good || is_option(name), "%s: %s", word, errors.count ? errors.line[0] : "sets another key");
    errors_free(&errors);
    cli_free(&cli);
    free(word);
}

/* Every name that --set takes is an option. */
static void test_keys_and_their_aliases_are_options(void **state)
{
    (void)state;
    for (int key = 0; key < PARAM_COUNT; key++) {
        check_key_option(param_rows[key].dotted, key);
        check_key_option(param_short_name((enum param)key), key);
        for (const char *at = param_rows[key].aliases; *at; at += strcspn(at, "|"), at += *at == '|') {
            char *alias = xstrndup(at, strcspn(at, "|"));
            check_key_option(alias, key);
            for (char *p = alias; *p; p++)
                *p = *p == '_' || *p == ' ' ? '-' : *p;
            check_key_option(alias, key);
            free(alias);
        }
    }
}

/* Words behind `--` are files unless a launch script stands before it. */
static void test_operands_follow_two_dashes(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int words, arguments;
    } rows[] = {{"show -- configs/plans/default.yaml", 1, 0},
                {"show configs/plans/default.yaml -- -x --json", 3, 0},
                {"show tests/scripts/gpt_2023.sh -- 7 --json", 1, 2},
                {"show - -- 7", 1, 1},
                {"completion words -- show --j", 2, 2}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[512], *argv[WORDS_MAX];
        struct cli cli = {0};
        struct errors errors = {0};
        snprintf(text, sizeof text, "%s", rows[i].line);
        cli_parse(&cli, split(text, argv), argv, &errors);
        bool is_right = cli.word_count == rows[i].words - (cli.verb == VERB_COMPLETION) &&
                        cli.argument_count == rows[i].arguments;
        assert_that(is_right, "%s: %d words, %d arguments", rows[i].line, cli.word_count, cli.argument_count);
        errors_free(&errors);
        cli_free(&cli);
    }
}

/* Without a model no framework would start, which is not the same as a plan that does not fit. */
static void test_check_of_an_invalid_plan(void **state)
{
    (void)state;
    char *output;
    assert_int_equal(run("show --check --set tp=3", &output), STATUS_INPUT);
    assert_memory_equal(output, "command line: invalid: ", 23);
    free(output);
}

static void test_import_prints_a_plan_that_reads_back(void **state)
{
    (void)state;
    struct plan plan, again;
    struct errors errors = {0};
    char *output;
    assert_int_equal(run("import llama3-70b-64h100 --set tp=4", &output), STATUS_DONE);
    free(ask("show llama3-70b-64h100 --set tp=4", &plan));
    plan_clear(&again);
    assert_int_equal(plan_read(&again, output, strlen(output), "out", NULL, &errors), 0);
    assert_true(plan_equal(&plan, &again));
    free(output);
}

/* Texts of a map that begin at their place end on the page, with letters of 0.54 em. */
static void texts_of_a_map_are_on_the_page(void **state)
{
    (void)state;
    static const char *const lines[] = {"sweep llama3.1-405b-16k seq_length=4k..64k*2 --svg",
                                        "sweep llama3-8b-serving batch_size=1..64*2 --svg", "sweep tp=1,2 --svg",
                                        "sweep llama3.1-405b-16k cp=4 --metric tokens_per_s_per_gpu --best --svg"};
    for (size_t i = 0; i < COUNT(lines); i++) {
        char *output;
        double width = 0;
        int texts = 0;
        assert_int_equal(run(lines[i], &output), STATUS_DONE);
        assert_int_equal(sscanf(strstr(output, "width=\""), "width=\"%lf", &width), 1);
        for (const char *p = output; (p = strstr(p, "<text x=\"")); texts++) {
            double x = 0, em = 0;
            const char *size = strstr(p, "font-size=\""), *begin = strchr(p, '>') + 1, *end = strstr(begin, "</text>");
            bool is_anchored = strstr(p, "text-anchor") && strstr(p, "text-anchor") < begin;
            assert_true(sscanf(p, "<text x=\"%lf", &x) == 1 && sscanf(size, "font-size=\"%lf", &em) == 1);
            assert_that(is_anchored || x + 0.54 * em * (double)(end - begin) <= width, "%s: %.*s", lines[i],
                        (int)(end - begin), begin);
            p = end;
        }
        assert_true(texts > 5);
        free(output);
    }
}

/* A map of best layouts says so, and that the cell in brackets has the plan's values alone. */
static void a_map_of_best_layouts_says_so(void **state)
{
    (void)state;
    static const struct {
        const char *line, *said[3];
    } cases[] = {
        {"sweep default tp=4,8 --svg", {"iteration_s by tp</", "s: light is good", "[ ]: this plan;"}},
        {"sweep default tp=4,8 --best --svg",
         {"iteration_s of the best layout by tp</", "each cell with its best layout: light", "[ ]: this plan&#39;s v"}},
        {"sweep default tp=4,8 pp=1,2 --best", {"iteration_s of the best layout, s; rows", "[ ] this plan's v", ""}},
        {"sweep default tp=4,8 --best", {"each value has its best layout", "[ ] this plan's values", ""}},
        {"sweep default tp=4,8 pp=1,2", {"iteration_s, s; rows", "[ ] this plan  *", ""}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *output;
        assert_int_equal(run(cases[i].line, &output), STATUS_DONE);
        for (size_t k = 0; k < COUNT(cases[i].said); k++)
            assert_that(strstr(output, cases[i].said[k]), "%s: no '%s'", cases[i].line, cases[i].said[k]);
        free(output);
    }
}

static void test_a_kept_plan_is_listed_and_restored(void **state)
{
    (void)state;
    struct errors errors = {0};
    struct plan plan;
    static const char text[] =
        "# kept: by shardtop\n# file: /nowhere/big.yaml\n# changes: \"1 change (tp 5)\"\ntp: 5\n";
    char *path = paths_state("sessions/big@elsewhere@7.yaml"), *output;
    assert_int_equal(paths_make_parents(path, &errors), 0);
    assert_int_equal(run("--restore", &output), STATUS_DONE);
    assert_non_null(strstr(output, "no unsaved plans"));
    free(output);
    assert_int_equal(write_file(path, text, strlen(text), 0, &errors), 0);
    assert_int_equal(run("--restore", &output), STATUS_DONE);
    assert_non_null(strstr(output, "/nowhere/big.yaml: 1 change (tp 5), perhaps still open on elsewhere\n"));
    free(output);
    static const char *const words[] = {"show --restore 1 --set pp=3", "show --restore=big --set pp=3",
                                        "show --restore /nowhere/big.yaml --set pp=3"};
    for (size_t i = 0; i < COUNT(words); i++) {
        char *messages = ask(words[i], &plan);
        assert_string_equal(messages, "");
        assert_true(plan.value[PARAM_parallel_tp] == 5 && plan.value[PARAM_parallel_pp] == 3);
        free(messages);
    }
    unlink(path);
    free(path);
}

static void test_a_plan_without_a_file_is_kept_by_its_model(void **state)
{
    (void)state;
    struct journal journal = {0};
    struct errors errors = {0};
    struct plan plan, saved;
    char *output;
    plan_clear(&plan);
    snprintf(plan.text[TEXT_MODEL], sizeof plan.text[TEXT_MODEL], "tiny");
    saved = plan;
    plan.value[PARAM_parallel_tp] = 2;
    plan.from[PARAM_parallel_tp] = FROM_SET;
    assert_int_equal(journal_keep(&journal, "", &plan, &saved, NULL, &errors), 0);
    worker_finish(1000);
    assert_int_equal(run("--restore", &output), STATUS_DONE);
    assert_non_null(strstr(output, "  tiny: 1 change (tp 2)"));
    free(output);
    journal_drop(&journal);
    worker_finish(1000);
    journal_free(&journal);
}

/* What the command line says of its script holds whenever that is read again: undone to, or loaded. */
static void test_the_script_of_the_command_line_is_read_as_it_says(void **state)
{
    (void)state;
    struct reading *reading = &test_session()->reading;
    static const char script[] = "tests/scripts/gpt_2023.sh";
    struct keyvals env = {0};
    struct plan plan;
    char why[UI_MESSAGE_MAX];
    keyvals_add(&env, "TP", "4", 0);
    reading_given(reading, script, &(struct import_options){.env = &env});
    assert_int_equal(test_host()->load(test_session(), "tests/screens/plan.yaml", &plan, why), 0);
    assert_null(reading->path);
    test_host()->reopen(test_session(), script, NULL);
    assert_string_equal(reading->path, script);
    assert_ptr_equal(reading->options.env, &env);
    assert_int_equal(test_host()->load(test_session(), "tests/scripts/moe_slurm.sh", &plan, why), 0);
    assert_null(reading->options.env);
    assert_int_equal(test_host()->load(test_session(), script, &plan, why), 0);
    assert_ptr_equal(reading->options.env, &env);
    reading_given(reading, NULL, &(struct import_options){0});
    keyvals_free(&env);
}

/* A plan is offered its own alone; who names none is offered any. */
static void test_what_was_kept_is_offered_to_its_plan(void **state)
{
    (void)state;
    static const char *const models[] = {"tiny", "big", NULL};
    static struct session kept[] = {{.name = "here", .path = "/nowhere/here.yaml"}, {.name = "tiny", .path = ""}};
    const struct sessions all = {kept, COUNT(kept), COUNT(kept)};
    static const int without_file[] = {1, -1, 0};
    for (size_t i = 0; i < COUNT(models); i++) {
        const struct session *found = sessions_offer(&all, "", models[i]);
        assert_int_equal(found ? found - kept : -1, without_file[i]);
    }
    assert_ptr_equal(sessions_offer(&all, "/nowhere/here.yaml", "tiny"), kept);
    assert_null(sessions_offer(&all, "/nowhere/there.yaml", "tiny"));
}

static void expect_kept(const char *text, bool is_there)
{
    char *output;
    worker_finish(1000);
    assert_int_equal(run("--restore", &output), STATUS_DONE);
    assert_that((strstr(output, text) != NULL) == is_there, "%s is %s:\n%s", text, is_there ? "missing" : "there",
                output);
    free(output);
}

/* Plans that are left for others stay kept, of files that are called alike and of one that is loaded again, too. */
static void test_plans_that_are_left_are_kept(void **state)
{
    (void)state;
    struct journal journal = {0};
    struct errors errors = {0};
    struct plan plan, other, saved;
    plan_clear(&saved);
    plan = other = saved;
    plan.value[PARAM_parallel_tp] = other.value[PARAM_parallel_pp] = 2;
    plan.from[PARAM_parallel_tp] = other.from[PARAM_parallel_pp] = FROM_SET;
    assert_int_equal(journal_keep(&journal, "a/plan.yaml", &plan, &saved, NULL, &errors), 0);
    journal_leave(&journal, 0);
    assert_int_equal(journal_keep(&journal, "b/plan.yaml", &other, &saved, NULL, &errors), 0);
    journal_leave(&journal, 1);
    assert_int_equal(journal_keep(&journal, "b/plan.yaml", &saved, &saved, NULL, &errors), 0); /* loaded again */
    journal_drop(&journal);
    expect_kept("a/plan.yaml: 1 change (tp 2)", true);
    expect_kept("b/plan.yaml: 1 change (pp 2)", true);
    journal_return(&journal, 0); /* undone, and saved */
    assert_int_equal(journal_keep(&journal, "a/plan.yaml", &plan, &plan, NULL, &errors), 0);
    expect_kept("a/plan.yaml", false);
    expect_kept("b/plan.yaml: 1 change (pp 2)", true);
    journal_return(&journal, 1);
    journal_drop(&journal);
    expect_kept("b/plan.yaml", false);
    journal_free(&journal);
}

/* One grammar with the command line of the screen: what is typed may change what is there, or take it back. */
static void test_settings_step_and_reset(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        enum param key;
        double value; /* NAN: blank */
    } cases[] = {
        {"show --set tp=4 --set tp=x2", PARAM_parallel_tp, 8},
        {"show --set mbs=+2", PARAM_train_micro_batch_size, 3},
        {"show --set pp=8 --set pp=/4", PARAM_parallel_pp, 2},
        {"show --set zero_stage=1 --set zero_stage=default", PARAM_parallel_zero_stage, NAN},
        {"show --set gpus_per_node=8 --set gpus=32", PARAM_hardware_nodes, 4},
        {"show --set gpus_per_node=8 --gpus 8 --set GPUs=64", PARAM_hardware_nodes, 8},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct plan plan;
        char *messages = ask(cases[i].words, &plan);
        double value = plan.value[cases[i].key];
        assert_that(!*messages && (isnan(cases[i].value) ? isnan(value) : value == cases[i].value), "%s: %g\n%s",
                    cases[i].words, value, messages);
        free(messages);
    }
}

/* Of runs on this machine that are over; what may still be open elsewhere stays. */
static void test_what_was_kept_long_ago_is_removed(void **state)
{
    (void)state;
    const time_t day_s = 86400;
    static const struct {
        const char *host;
        int days;
        bool is_kept;
    } cases[] = {{NULL, 6, true}, {NULL, 8, false}, {"elsewhere", 8, true}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct errors errors = {0};
        char name[300];
        snprintf(name, sizeof name, "sessions/old@%s@2147483646.yaml", cases[i].host ? cases[i].host : process_host());
        char *path = paths_state(name);
        time_t then = time(NULL) - cases[i].days * day_s;
        assert_int_equal(paths_make_parents(path, &errors), 0);
        assert_int_equal(write_file(path, "tp: 2\n", 6, 0, &errors), 0);
        assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[]){{.tv_sec = then}, {.tv_sec = then}}, 0), 0);
        sessions_expire(7);
        assert_that((access(path, F_OK) == 0) == cases[i].is_kept, "case %zu", i);
        unlink(path);
        free(path);
    }
}

/* ---- printed tables --------------------------------------------------------------------------------------------- */

static char *text_of(void (*write)(struct buffer *out))
{
    struct buffer out = {0};
    write(&out);
    return out.text;
}

static void all_help(struct buffer *out)
{
    help_overview(out);
    for (int i = 1; i < VERB_COUNT; i++)
        help_verb(out, (enum cli_verb_id)i);
}

static char *script_of(const char *shell)
{
    struct buffer out = {0};
    struct errors errors = {0};
    assert_int_equal(completion_write(&out, shell, &errors), 0);
    return out.text;
}

static char *page_of(const char *page)
{
    struct buffer out = {0};
    struct errors errors = {0};
    assert_int_equal(man_write(&out, page, &errors), 0);
    return out.text;
}

static void test_every_option_and_verb_is_in_the_help(void **state)
{
    (void)state;
    char *help = text_of(all_help), *man = page_of("shardtop");
    for (size_t i = 0; i < cli_option_count; i++) {
        char *dashed = xasprintf("--%s", cli_options[i].name);
        assert_that(strstr(help, dashed), "%s is not in the help", dashed);
        assert_that(cli_options[i].help[0], "%s has no help", dashed);
        free(dashed);
    }
    for (int i = 1; i < VERB_COUNT; i++) {
        assert_non_null(strstr(help, cli_verbs[i].name));
        assert_non_null(strstr(man, cli_verbs[i].name));
    }
    free(help);
    free(man);
}

static void test_help_is_80_columns_wide_with_examples_that_are_read(void **state)
{
    (void)state;
    char *help = text_of(all_help);
    for (const char *line = help; *line; line += strcspn(line, "\n") + 1)
        assert_that(strcspn(line, "\n") <= 80, "%.*s", (int)strcspn(line, "\n"), line);
    free(help);
    int count[VERB_COUNT] = {0};
    for (size_t i = 0; i < help_example_count; i++) {
        char *words[32] = {0}, *copy = xstrdup(help_examples[i].command), *at = strstr(copy, "shardtop");
        int n = 0;
        assert_non_null(at);
        at[strcspn(at, ">|)'")] = '\0';
        for (char *word = strtok(at, " "); word; word = strtok(NULL, " "))
            words[n++] = word;
        struct cli cli = {0};
        struct errors errors = {0};
        assert_that(cli_parse(&cli, n, words, &errors) == 0, "%s: %s", help_examples[i].command, errors.line[0]);
        assert_that(cli.verb == help_examples[i].verb, "%s", help_examples[i].command);
        count[cli.verb]++;
        cli_free(&cli);
        errors_free(&errors);
        free(copy);
    }
    for (int i = 0; i < VERB_COUNT; i++)
        assert_that(count[i], "no example of %s", cli_verbs[i].name);
}

static void test_help_of_one_command(void **state)
{
    (void)state;
    char *by_word, *by_option, *text;
    assert_int_equal(run("help show", &by_word), STATUS_DONE);
    assert_int_equal(run("show --help", &by_option), STATUS_DONE);
    assert_string_equal(by_word, by_option);
    assert_non_null(strstr(by_word, "--section NAME"));
    assert_null(strstr(by_word, "--ranking"));
    assert_int_equal(run("help crystals", &text), STATUS_INPUT);
    free(text);
    free(by_word);
    free(by_option);
}

/* A terminal gets the pages as text: no line of roff, no escape is left, and lines are short. */
static void test_manual_pages_are_read_on_a_terminal(void **state)
{
    (void)state;
    for (int i = 0; man_pages[i]; i++) {
        char *page = page_of(man_pages[i]);
        struct buffer text = {0};
        mdoc_read(&text, page);
        assert_memory_equal(text.text, "NAME\n    shardtop", 17);
        assert_null(strstr(text.text, "\n."));
        assert_null(strstr(text.text, "\\-"));
        assert_null(strstr(text.text, "\n\n\n"));
        buffer_free(&text);
        free(page);
    }
    struct buffer text = {0};
    mdoc_read(&text, ".Dd today\n.Sh NAME\n.Nm it\n.Nd a\\-b\n.Sh KEYS\nSee\n.Pq Cm show Fl \\-check .\n.Bl -tag\n"
                     ".It Fl \\-set Ar KEY\nSets it.\n.El\n.Bd -literal\n\\&.x  y\n.Ed\n.Xr it 1 ,\n.Xr that 5\n");
    assert_string_equal(text.text, "NAME\n    it \xE2\x80\x93 a-b\n\nKEYS\n    See (show --check).\n    --set KEY\n"
                                   "        Sets it.\n        .x  y\n    it(1), that(5)\n");
    buffer_free(&text);
}

static void test_every_key_is_in_the_manual_and_the_list(void **state)
{
    (void)state;
    char *man, *list;
    assert_int_equal(run("man plan", &man), STATUS_DONE);
    assert_int_equal(run("list keys", &list), STATUS_DONE);
    for (int i = 0; i < PARAM_COUNT; i++) {
        char *item = xasprintf(".It Cm %s\n", param_rows[i].dotted), *line = xasprintf("%s\n", param_rows[i].dotted);
        assert_that(strstr(man, item), "%s", item);
        assert_that(strstr(list, line), "%s", line);
        free(item);
        free(line);
    }
    free(man);
    free(list);
}

/* Runs a checker over a text; -1 when there is no such program. */
static int check_with(const char *program, const char *arguments, const char *text)
{
    struct errors errors = {0};
    char *path = xasprintf("%s/text", folder);
    assert_int_equal(write_file(path, text, strlen(text), 0, &errors), 0);
    char *command = xasprintf("command -v %s >/dev/null 2>&1 || exit 99; %s %s %s", program, program, arguments, path);
    int status = system(command);
    unlink(path);
    free(path);
    free(command);
    return WIFEXITED(status) && WEXITSTATUS(status) == 99 ? -1 : status;
}

static void test_the_manual_passes_lint(void **state)
{
    (void)state;
    for (int i = 0; man_pages[i]; i++) {
        char *man = page_of(man_pages[i]);
        int status = check_with("mandoc", "-T lint -W warning", man);
        free(man);
        if (status == -1)
            skip();
        assert_int_equal(status, 0);
    }
}

static void test_completion_scripts_are_valid(void **state)
{
    (void)state;
    static const char *const shells[][2] = {{"bash", "-n"}, {"zsh", "-n"}, {"fish", "-n"}};
    for (size_t i = 0; i < COUNT(shells); i++) {
        char *script = script_of(shells[i][0]);
        assert_that(check_with(shells[i][0], shells[i][1], script) <= 0, "%s refuses its script", shells[i][0]);
        free(script);
    }
}

static void test_lists_are_arrays_with_names(void **state)
{
    (void)state;
    for (int i = 0; list_names[i]; i++) {
        struct buffer out = {0};
        struct errors errors = {0};
        assert_int_equal(list_write(&out, list_names[i], true, &errors), 0);
        assert_that(out.text[0] == '[' && strcmp(out.text + out.size - 2, "]\n") == 0, "%s", list_names[i]);
        buffer_free(&out);
        assert_int_equal(list_write(&out, list_names[i], false, &errors), 0);
        assert_true(out.size > 4);
        buffer_free(&out);
    }
}

/* What a shell's <(command) gives; a path of its own that is no regular file is refused. */
static void pipes_that_are_open_are_read(void **state)
{
    (void)state;
    static const char text[] = "model: gpt2-xl\n";
    int ends[2];
    char path[64];
    size_t size;
    struct errors errors = {0};
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, sizeof text - 1), sizeof text - 1);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    char *read = file_read(path, &size, &errors);
    assert_true(read && size == sizeof text - 1);
    assert_string_equal(read, text);
    free(read);
    close(ends[0]);
    assert_null(file_read("/dev/fd/999999", &size, &errors));
    assert_null(file_read("/dev/zero", &size, &errors));
    assert_null(file_read("/dev", &size, &errors));
    errors_free(&errors);
}

/* A FIFO that was named is waited for; the screen, which reads files too, never waits. */
static void a_fifo_is_read_once_somebody_writes(void **state)
{
    (void)state;
    char path[] = "/tmp/shardtop-test-XXXXXX";
    struct cli cli = {0};
    struct errors errors = {0};
    struct plan plan;
    size_t size;
    struct cli_made made;
    assert_non_null(mkdtemp(path));
    char *fifo = xasprintf("%s/plan.yaml", path), *argv[] = {"shardtop", "show", fifo, NULL};
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_null(file_read(fifo, &size, &errors));
    errors_free(&errors);
    pid_t child = fork();
    if (child == 0) {
        FILE *out = fopen(fifo, "w");
        _exit(out && fputs("model: gpt2-xl\nparallel: {tp: 4}\n", out) >= 0 && fclose(out) == 0 ? 0 : 1);
    }
    assert_int_equal(cli_parse(&cli, 3, argv, &errors), 0);
    assert_int_equal(cli_plan(&cli, &plan, &made, &errors), 0);
    assert_same(plan.value[PARAM_parallel_tp], 4);
    assert_null(made.path); /* nothing to save to */
    assert_int_equal(waitpid(child, NULL, 0), child);
    cli_free(&cli);
    unlink(fifo);
    rmdir(path);
    free(fifo);
}

/* What a search can be asked on the screen the command line has by the same name, with the same choices. */
static void options_of_a_search_are_the_same_everywhere(void **state)
{
    (void)state;
    for (const struct search_option *one = search_options; one->name; one++) {
        size_t i = 0;
        while (i < cli_option_count && strcmp(cli_options[i].name, one->name) != 0)
            i++;
        assert_that(i < cli_option_count && (cli_options[i].verbs & 1u << VERB_SEARCH), "--%s", one->name);
        assert_true(!cli_options[i].argument == !one->argument);
        for (int k = 0; one->choices && one->choices[k]; k++)
            assert_that(strstr(cli_options[i].choices, one->choices[k]), "--%s %s", one->name, one->choices[k]);
    }
}

/* Two keys behind one --set, with a blank between as on the screen's command line. */
static void two_keys_of_one_option_are_told_apart(void **state)
{
    (void)state;
    static const char *const values[] = {"4 pp=8", "4, pp=8", "4,pp=8"};
    for (size_t i = 0; i < COUNT(values); i++) {
        struct errors errors = {0};
        refuse_setting("tp", values[i], &errors);
        assert_int_equal(errors.count, 1);
        assert_true(check_mentions(errors.line[0], "takes one key; write --set tp=4 --set pp=8"));
        errors_free(&errors);
    }
    struct errors errors = {0};
    refuse_setting("total_tokens", "1.5T tokens", &errors);
    refuse_setting("recompute_modules", "[core_attn, mlp]", &errors);
    assert_int_equal(errors.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_of_a_search_are_the_same_everywhere),
        cmocka_unit_test(two_keys_of_one_option_are_told_apart),
        cmocka_unit_test(a_fifo_is_read_once_somebody_writes),
        cmocka_unit_test(pipes_that_are_open_are_read),
        cmocka_unit_test(test_command_lines_become_plans),
        cmocka_unit_test(test_only_nothing_at_all_opens_the_default_plan),
        cmocka_unit_test(test_files_are_applied_from_left_to_right),
        cmocka_unit_test(test_mistakes_are_answered_with_whole_messages),
        cmocka_unit_test(test_report_options_alone_mean_show),
        cmocka_unit_test(test_a_file_of_llm_analysis_is_json),
        cmocka_unit_test(test_exit_statuses),
        cmocka_unit_test(test_gpus_of_this_machine_are_found),
        cmocka_unit_test(test_a_piped_plan_is_the_one_that_is_checked),
        cmocka_unit_test(test_operands_follow_two_dashes),
        cmocka_unit_test(test_keys_and_their_aliases_are_options),
        cmocka_unit_test(test_check_of_an_invalid_plan),
        cmocka_unit_test(test_import_prints_a_plan_that_reads_back),
        cmocka_unit_test(texts_of_a_map_are_on_the_page),
        cmocka_unit_test(a_map_of_best_layouts_says_so),
        cmocka_unit_test(test_a_kept_plan_is_listed_and_restored),
        cmocka_unit_test(test_a_plan_without_a_file_is_kept_by_its_model),
        cmocka_unit_test(test_what_was_kept_is_offered_to_its_plan),
        cmocka_unit_test(test_a_variable_that_nothing_reads_is_named),
        cmocka_unit_test(test_open_questions_of_a_script_decide_a_check),
        cmocka_unit_test(test_the_script_of_the_command_line_is_read_as_it_says),
        cmocka_unit_test(test_plans_that_are_left_are_kept),
        cmocka_unit_test(test_settings_step_and_reset),
        cmocka_unit_test(test_what_was_kept_long_ago_is_removed),
        cmocka_unit_test(test_every_option_and_verb_is_in_the_help),
        cmocka_unit_test(test_help_is_80_columns_wide_with_examples_that_are_read),
        cmocka_unit_test(test_help_of_one_command),
        cmocka_unit_test(test_values_that_cannot_be_swept),
        cmocka_unit_test(test_manual_pages_are_read_on_a_terminal),
        cmocka_unit_test(test_every_key_is_in_the_manual_and_the_list),
        cmocka_unit_test(test_the_manual_passes_lint),
        cmocka_unit_test(test_completion_scripts_are_valid),
        cmocka_unit_test(test_lists_are_arrays_with_names),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder) != 0;
}
