/* Every way out: what a file holds reaches no terminal as a control character, a change of direction or unseen. */
#include "tests/check.h"

#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/show/glyph.h"
#include "src/report/table.h"
#include "src/text/csv_in.h"
#include "src/text/errors.h"
#include "src/text/json_out.h"
#include "src/text/text.h"
#include "ui/term/canvas.h"

enum { OUTPUT_MAX = 1 << 20 };

static const char *const hostile[] = {"\033[31m", "\033]0;title\007", "\177", "\302\23331m", "\302\255",
                                      "\342\200\213", "\342\200\256", "\342\201\246", "\342\201\240", "\357\273\277",
                                      "\342\200\250", "\363\240\201\201"};

/* The same in texts that have escapes. */
static const char *const escaped[] = {"\\u001b[31m", "\\u001b]0;title\\u0007", "\\u007f", "\\u009b31m", "\\u00ad",
                                      "\\u200b", "\\u202e", "\\u2066", "\\u2060", "\\ufeff", "\\u2028",
                                      "\\udb40\\udc41"};

static char folder[] = "/tmp/shardtop-test-XXXXXX";
static char program[PATH_MAX];

/* A place for one of them, %s, in a file below the folder. */
static const struct {
    const char *name, *text;
} files[] = {
    {"model.yaml", "model:\n  name: \"a%sb\"\n  num_layers: 2\n  hidden_size: 64\n  num_attention_heads: 2\n"
     "  vocab_size: 100\ntrain:\n  seq_length: 16\n"},
    {"comment.yaml", "# a%sb\nmodel: gpt2-xl # c%sd\n"},
    {"key.yaml", "model: gpt2-xl\na%sb: 2\n"},
    {"value.yaml", "model: gpt2-xl\nparallel:\n  tp: \"a%sb\"\n"},
    {"gpu.yaml", "model: gpt2-xl\nhardware:\n  gpu: hostile\n"},
    {"theme.yaml", "model: gpt2-xl\n"},
    {"plan.json", "{\"model\": {\"name\": \"a%sb\", "
                  "\"num_layers\": 2, \"hidden_size\": 64, \"num_attention_heads\": 2}, \"x%sy\": 1}"},
    {"config.json", "{\"architectures\": [\"a%sb\"], \"model_type\": \"llama\", "
                    "\"hidden_size\": 64, \"num_hidden_layers\": 2, \"num_attention_heads\": 2, \"c%sd\": 1}"},
    {"deepspeed.json", "{\"train_batch_size\": 8, \"zero_optimization\": {\"stage\": 1}, \"a%sb\": 1}"},
    {"train.sh", "torchrun pretrain_gpt.py --num-layers 2 --hidden-size 64 --num-attention-heads 2 --seq-length 16 "
     "--a%sb 7 --save 'c%sd'\n"},
    {"runs.csv", "id,source,tags,model,hardware.gpus_per_node,measured.iteration_s\n"
     "a%sb,c%sd,e%sf g,gpt2-xl,8,2\nh,i,j,k%sl,8,2\n"},
    {"good.csv", "id,source,tags,model,hardware.gpus_per_node,measured.iteration_s\na%sb,c%sd,e%sf g,gpt2-xl,8,2\n"},
    {"train.log", "model: gpt2-xl a%sb\n"
     " iteration 1/ 10 | elapsed time per iteration (ms): 20.0 | lm loss: 1 | c%sd\n"},
    {"batch.jsonl", "{\"id\": \"a%sb\", \"plan\": {\"c%sd\": 1}}\n{\"id\": 1, \"plan\": {\"model\": \"e%sf\"}}\n"
     "{\"id\": {\"x%sy\": 2}, \"estimator\": \"g%sh\"}\nk%sl\n"
     "{\"id\": 2, \"estimator\": \"llm-analysis\", \"fn\": \"infer\", \"inputs\": {\"m%sn\": 1}}\n"},
    {"plain.txt", "a%sb\ntp c%sd\nload e%sf\nset g%sh\nexplain i%sj\nsave /nowhere/k%sl\nmodel m%sn\n"},
    {"shardtop/gpus/hostile.yaml", "# hostile: a%sb\ngpu:\n  name: hostile\n  label: \"c%sd\"\n"
     "  link: \"e%sf\"\n  memory_gib: 80\n"},
    {"shardtop/models/hostile.yaml", "# hostile: a%sb\nmodel:\n  num_layers: 2\n  hidden_size: 64\n"
     "  num_attention_heads: 2\n  vocab_size: 100\n"},
    {"shardtop/clusters/hostile.yaml", "# hostile: a%sb\nhardware:\n  gpu: h100-sxm-80\n  nodes: 2\n"},
    {"shardtop/themes/hostile.yaml", "# a%sb\nname: hostile\nabout: \"c%sd\"\ntext: fg=default\ne%sf: dim\n"},
};

/* Ways out; each word in its own folder, with the files above. */
static const char *const commands[] = {
    "show model.yaml", "show model.yaml --json", "show model.yaml --csv", "show model.yaml --markdown",
    "show model.yaml --svg", "show model.yaml --check", "explain model.yaml iteration_s",
    "export model.yaml --to megatron", "import model.yaml", "compare --estimators model.yaml",
    "compare model.yaml plan.json --by key", "compare model.yaml plan.json --json",
    "compare model.yaml plan.json --csv", "advice model.yaml --json",
    "sweep model.yaml \"model.name=$(cat word),b\" --json",
    "sweep model.yaml model.name=a \"hardware.gpu=$(cat word)\"", "sweep model.yaml \"model.name=$(cat word)\" --svg",
    "advice model.yaml", "show comment.yaml key.yaml value.yaml", "show gpu.yaml --json",
    "show gpu.yaml --set hardware.gpu=\"$(cat word)\"", "show plan.json", "import plan.json", "show config.json",
    "import deepspeed.json", "show train.sh", "import train.sh", "validate runs.csv", "validate good.csv",
    "validate good.csv --json", "validate good.csv --csv", "validate good.csv --markdown", "validate train.log",
    "validate good.csv --by model.name", "validate good.csv --tags \"$(cat word)\"", "calibrate good.csv",
    "batch <batch.jsonl", "--plain model.yaml <plain.txt", "list models", "list gpus", "list clusters", "list themes",
    "list themes --json", "list gpus --csv", "list \"$(cat word)\"", "--screen 100x30 model.yaml",
    "--screen 100x30 model.yaml --keys ': `load train.log` ENTER'", "--theme hostile --screen 80x24",
    "show \"$(cat word)\"", "\"$(cat word)\"", "show --set \"$(cat word)=1\"", "explain model.yaml \"$(cat word)\"",
    "search model.yaml --objective \"$(cat word)\"",
};

static void write_text(const char *name, const char *text, const char *word)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_that(file, "cannot write %s", path);
    for (const char *p = text; *p; p++)
        if (p[0] == '%' && p[1] == 's') {
            fputs(word, file);
            p++;
        } else {
            fputc(*p, file);
        }
    assert_int_equal(fclose(file), 0);
}

static int make_folder(void **state)
{
    (void)state;
    const char *given = getenv("SHARDTOP");
    assert_non_null(realpath(given ? given : "build/shardtop", program));
    assert_non_null(mkdtemp(folder));
    static const char *const below[] = {"shardtop", "shardtop/gpus", "shardtop/models", "shardtop/clusters",
                                        "shardtop/themes"};
    for (size_t i = 0; i < COUNT(below); i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, below[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void check_output(const char *command, const char *word, const char *text)
{
    for (const char *p = text; *p;) {
        const char *at = p;
        uint32_t glyph = utf8_next(&p);
        bool is_line_end = glyph == '\n' || (glyph == '\r' && *p == '\n');
        assert_that(is_line_end || glyph_is_safe(glyph), "U+%04X after '%.*s': %s with %s",
        glyph, (int)(at - text > 40 ? 40 : at - text),
                    at - text > 40 ? at - 40 : text, command, word);
    }
}

static void run_command(const char *command, const char *word)
{
    static char output[OUTPUT_MAX];
    char line[PATH_MAX + 1024];
    snprintf(line, sizeof line, "cd %s && export HOME=$PWD XDG_CONFIG_HOME=$PWD XDG_STATE_HOME=$PWD LC_ALL=C.UTF-8; "
             "exec 2>&1; %s %s",
             folder, program, command);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    size_t size = fread(output, 1, sizeof output - 1, pipe);
    output[size] = '\0';
    int status = pclose(pipe);
    assert_that(WIFEXITED(status) && WEXITSTATUS(status) <= 3 && size > 0, "%s with %s: status %d",
    command, word, status);
    check_output(command, word, output);
}

/* All commands with a word; a slow build takes every third, beginning with another for each word. */
static void run_all(size_t number, const char *word, const char *raw)
{
    size_t step = check_is_slow() ? 3 : 1;
    for (size_t i = 0; i < COUNT(files); i++)
        write_text(files[i].name, files[i].text, word);
    write_text("word", "a%sb", raw);
    for (size_t i = number % step; i < COUNT(commands); i += step)
        run_command(commands[i], word);
}

static void nothing_hostile_reaches_the_terminal(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(hostile); i++)
        run_all(i, hostile[i], hostile[i]);
}

static void nothing_hostile_reaches_it_through_escapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(escaped); i++)
        run_all(i, escaped[i], hostile[i]);
}

/* ---- the cleaner itself ----------------------------------------------------------------------------------------- */

static void any_text_is_clean_and_safe_text_stays(void **state)
{
    (void)state;
    struct check_random random = {7};
    for (int i = 0; i < 20000; i++) {
        char text[40], clean[sizeof text];
        size_t size = 0;
        bool is_safe = true;
        while (size < 30 && check_below(&random, 8) > 0) {
            uint32_t glyph = (uint32_t)check_below(&random, check_below(&random, 2) ? 0x3000 : 0x110000);
            glyph = glyph >= 0xd800 && glyph < 0xe000 ? 'x' : glyph ? glyph : 1;
            is_safe &= glyph_is_safe(glyph);
            size += (size_t)utf8_put(glyph, text + size);
        }
        text[size] = '\0';
        text_clean(text, clean, sizeof clean);
        check_output("text_clean", text, clean);
        if (is_safe)
            assert_string_equal(clean, text);
        struct buffer out = {0};
        struct json json = {.out = &out};
        json_text(&json, NULL, text);
        check_output("json_text", text, out.text);
        buffer_free(&out);
    }
}

static void formulas_in_tables_are_guarded_and_read_back(void **state)
{
    (void)state;
    static const char *const cells[] = {"=1+1", "+1", "-1", "@SUM(1)", "\tx", "\rx", "=cmd|'/C calc'!A0", "'=x",
    "a=b", "'a", "", "'"};
    for (size_t i = 0; i < COUNT(cells); i++) {
        struct buffer out = {0};
        struct csv csv;
        struct errors errors = {0};
        buffer_puts(&out, "a,b\n");
        csv_field(&out, cells[i]);
        buffer_puts(&out, ",1\n");
        assert_that(!csv_is_formula(out.text + 4) && !(out.text[4] == '"' && csv_is_formula(out.text + 5)), "%s",
        out.text);
        assert_int_equal(csv_open(&csv, out.text, out.size, NULL, "t", &errors), 0);
        assert_true(csv_next(&csv));
        assert_string_equal(csv.cell[0],
        cells[i][0] == '\'' && csv_is_formula(cells[i] + 1) ? cells[i] + 1 : cells[i]);
        csv_close(&csv);
        errors_free(&errors);
        buffer_free(&out);
    }
}

/* A message about a huge value is a screenful: its middle is left out, between two characters. */
static void a_huge_value_does_not_fill_the_screen(void **state)
{
    (void)state;
    enum { SIZE = 100000 };
    static char value[SIZE + 1];
    for (int shift = 0; shift < 3; shift++) {
        struct errors errors = {0};
        memset(value, 'x', 2);
        for (int i = shift; i + 3 <= SIZE; i += 3)
            memcpy(value + i, "\xe6\xa8\xa1", 4);
        errors_add(&errors, "plan.yaml", 2, "parallel.tp", "'%s' is not a number; write a number such as 4096", value);
        const char *line = errors.line[0];
        assert_that(strlen(line) < 2000, "%zu bytes", strlen(line));
        assert_that(strncmp(line, "plan.yaml:2: parallel.tp: ", 26) == 0 &&
                        check_mentions(line, "\xe6\xa8\xa1..\xe6\xa8\xa1") && check_mentions(line, "such as 4096"),
                    "%s", line);
        errors_free(&errors);
    }
}

/* Near the limit a shortened message is no longer than the whole one, for which there is room. */
static void a_shortened_message_is_not_longer(void **state)
{
    (void)state;
    char value[2000];
    for (size_t size = 1790; size < 1820; size++) {
        struct errors errors = {0};
        memset(value, 'x', size);
        value[size] = '\0';
        errors_add(&errors, NULL, 0, NULL, "%s", value);
        assert_that(strlen(errors.line[0]) <= size, "%zu bytes of %zu", strlen(errors.line[0]), size);
        errors_free(&errors);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_text_is_clean_and_safe_text_stays),
        cmocka_unit_test(a_huge_value_does_not_fill_the_screen),
        cmocka_unit_test(a_shortened_message_is_not_longer),
        cmocka_unit_test(formulas_in_tables_are_guarded_and_read_back),
        cmocka_unit_test(nothing_hostile_reaches_the_terminal),
        cmocka_unit_test(nothing_hostile_reaches_it_through_escapes),
    };
    return cmocka_run_group_tests_name("clean", tests, make_folder, remove_folder) != 0;
}
