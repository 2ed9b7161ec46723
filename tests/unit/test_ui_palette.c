/* The palette: what each query finds first, what taking it does, and in how many keys. */
#include "tests/screen.h"
#include "tests/host.h"

#include "ui/command/names.h"
#include "ui/overlay/overlay.h"
#include "ui/command/palette.h"
#include "ui/state/advisor.h"

#include <locale.h>
#include <math.h>
#include <strings.h>

/* Kinds of exercises are completed as other arguments are. */
static void kinds_of_exercises_are_completed(void **state)
{
    (void)state;
    struct ui *ui = test_ui_at(80, 24);
    overlay_open(ui, MODE_COMMAND, "exercise bub", false);
    ui_do(ui, ACTION_complete);
    assert_int_equal(strncmp(ui->edit.text, "exercise bubble", 15), 0);
    ui_free(ui);
}

/* ---- what is found ---------------------------------------------------------------------------------------------- */

static void each_query_finds_its_item_first(void **state)
{
    (void)state;
    static struct palette palette;
    struct ui *ui = test_ui_at(80, 24);
    char line[256], query[64], kind[16], name[64];
    int checked = 0;
    palette_fill(&palette, ui);
    FILE *file = fopen("tests/data/palette.tsv", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (*line == '#' || sscanf(line, "%63[^\t]\t%15s %63[^\n]", query, kind, name) < 2)
            continue;
        palette_find(&palette, ui, query);
        const struct palette_item *item = palette_at(&palette, 0);
        assert_that(!palette.fault[0], "'%s': %s", query, palette.fault); /* a name is no faulty assignment */
        if (strcmp(kind, "none") == 0) {
            assert_that(!item, "'%s' finds %s", query, item ? item->path : "");
            checked++;
            continue;
        }
        kind[0] = (char)(strcmp(kind, "gpu") == 0 ? 'G' : kind[0]);
        const char *shown = strcmp(kind, "Gpu") == 0 ? "GPU" : kind;
        assert_that(item && strcmp(palette_kind_names[item->kind], shown) == 0 && strcmp(item->path, name) == 0,
                    "'%s' finds %s %s, not %s %s", query, item ? palette_kind_names[item->kind] : "nothing",
                    item ? item->path : "", shown, name);
        checked++;
    }
    fclose(file);
    assert_that(checked == 95, "only %d queries", checked);
    palette_free(&palette);
    ui_free(ui);
}

/* Phrases of people who know no key: the entry is among the first three. */
static void phrases_find_what_they_ask_for(void **state)
{
    (void)state;
    static struct palette palette;
    struct ui *ui = test_ui_at(80, 24);
    char line[256], query[80], kind[16], name[64];
    int checked = 0, found = 0;
    palette_fill(&palette, ui);
    FILE *file = fopen("tests/data/intents.tsv", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (*line == '#' || sscanf(line, "%79[^\t]\t%15s %63[^\n]", query, kind, name) < 3)
            continue;
        palette_find(&palette, ui, query);
        bool is_found = strcmp(kind, "answer") == 0 && palette.is_ignored;
        for (int i = 0; i < 3 && palette_at(&palette, i); i++) {
            const struct palette_item *item = palette_at(&palette, i);
            is_found |= strcasecmp(palette_kind_names[item->kind], kind) == 0 &&
                        strcmp(palette_item_name(item), name) == 0;
        }
        if (!is_found)
            print_error("'%s' does not find %s %s\n", query, kind, name);
        found += is_found;
        checked++;
    }
    fclose(file);
    assert_that(checked >= 1400 && found * 100 >= checked * 99, "%d of %d phrases", found, checked);
    palette_free(&palette);
    ui_free(ui);
}

/* What is named goes along with goals that need no figure: the model and the GPUs that a request asks about. */
static void names_of_a_phrase_are_taken_along(void **state)
{
    (void)state;
    struct ui *ui = test_ui_at(120, 40);
    play(ui, "/ `does llama3 8b fit on a 4090` Enter");
    expect(ui, "DOES NOT FIT");
    assert_string_equal(ui->plan.text[TEXT_MODEL], "llama3-8b");
    assert_string_equal(ui->plan.text[TEXT_GPU], "rtx-4090");
    play(ui, "/ `largest batch llama3 8b 8 h100` Enter Enter");
    expect(ui, "seq_length ");
    assert_string_equal(ui->plan.text[TEXT_GPU], "h100-sxm-80");
    play(ui, "/ `lora rank 64` Down"); /* a key that is given a value follows it */
    expect(ui, "rank of the adapters");
    ui_free(ui);
}

static void figures_of_a_phrase_are_taken_along(void **state)
{
    (void)state;
    struct ui *ui = test_ui_at(80, 24);
    struct inquiry said;
    struct lexicon *lexicon = lexicon_new();
    intent_read(ui, lexicon, "1.5T tokens in 30 days", &said);
    assert_true(said.tokens == 1.5e12 && said.days == 30 && isnan(said.users) && !*said.model);
    intent_read(ui, lexicon, "llama3 8b lora 4090", &said);
    assert_string_equal(said.model, "llama3-8b");
    assert_string_equal(said.gpu, "rtx-4090");
    assert_string_equal(said.method, "lora");
    intent_read(ui, lexicon, "200 users within 50 ms", &said);
    assert_true(said.users == 200 && said.ms_per_token == 50);
    intent_read(ui, lexicon, "64 h100 2 weeks", &said);
    assert_true(said.gpus == 64 && said.days == 14);
    assert_string_equal(said.gpu, "h100-sxm-80");
    intent_read(ui, lexicon, "8xh100 8k context", &said);
    assert_true(said.gpus == 8 && said.context == 8192);
    intent_read(ui, lexicon, "1.5T tokens in six weeks", &said); /* a decimal comma, a numeral */
    assert_true(said.tokens == 1.5e12 && said.days == 42);
    intent_read(ui, lexicon, "15 trillion tokens in a quarter", &said);
    assert_true(said.tokens == 15e12 && said.days == 91);
    intent_read(ui, lexicon, "1,000 users at 30 tok/s, ttft 500 ms", &said);
    assert_true(said.users == 1000 && said.ms_per_token == 1000 / 30.0 && said.first_token == 0.5);
    intent_read(ui, lexicon, "15.000 users 2.000.000 tokens", &said);
    assert_true(said.users == 15000 && said.tokens == 2e6);
    intent_read(ui, lexicon, "1.500 s to the first token, 12,288 h100", &said);
    assert_true(said.first_token == 1.5 && said.gpus == 12288);
    intent_read(ui, lexicon, "100 req/s", &said); /* of a second, not at once */
    assert_true(isnan(said.users));
    intent_read(ui, lexicon, "a100 40gb lora", &said);
    assert_string_equal(said.gpu, "a100-sxm-40");
    free(lexicon);
    ui_free(ui);
}

/* A goal becomes a plan in few keys, one step of undo. */
static void goals_become_plans(void **state)
{
    (void)state;
    struct ui *ui = test_ui_at(120, 40);
    play(ui, "/ `llama3-8b lora 4090` Enter Enter");
    assert_true(ui->now->fits);
    assert_true(KEY_OF(&ui->now->plan, train, peft) == PEFT_QLORA);
    play(ui, "u");
    assert_string_equal(ui->plan.text[TEXT_MODEL], "llama3-70b");
    play(ui, "/ `llama3-8b 200 users` Enter Enter");
    assert_true(ui->now->is_serving && ui->now->fits);
    ui_free(ui);
}

/* What newcomers want takes few keys, counted as they are pressed. */
static void goals_take_few_keys(void **state)
{
    (void)state;
    struct ui *ui = test_ui_at(120, 40);
    assert_true(play(ui, "/ `30 days` Enter") <= 15); /* a deadline: how many GPUs */
    expect(ui, "GPUs, ");
    play(ui, "Enter");
    assert_true(ui->now->fits && strstr(ui->message, "GPUs"));
    assert_int_equal(play(ui, "U"), 1); /* undo all */
    assert_true(ui->history.now == 0 && strcmp(ui->plan.text[TEXT_MODEL], "llama3-70b") == 0);
    assert_true(play(ui, "/ `200 users` Enter Enter") <= 25);
    assert_true(ui->now->is_serving && ui->now->fits);
    assert_true(play(ui, "U / `8b lora 4090` Enter Enter") <= 20);
    assert_true(ui->now->fits && strcmp(ui->plan.text[TEXT_GPU], "rtx-4090") == 0);
    assert_int_equal(play(ui, "t"), 1); /* why this time */
    expect(ui, "= an iteration");
    play(ui, ": `load llama3-70b-too-big` Enter");
    assert_false(ui->now->fits);
    advisor_finish(ui); /* what is found while keys rest */
    assert_true(play(ui, "6 Enter") <= 3);
    assert_true(ui->now->fits);
    play(ui, ": `framework hf-trainer` Enter : `model llama3-8b` Enter : `peft lora` Enter : `tp 1` Enter");
    play(ui, ": `gpu rtx-4090` Enter : `gpus 1` Enter : `gbs 1` Enter : `recompute none` Enter");
    play(ui, ": `offload_optimizer 0` Enter");
    assert_true(!ui->now->fits && ui->now->diags.errors == 0);
    advisor_finish(ui);
    assert_true(play(ui, "6 Enter") <= 6); /* a LoRA that does not fit */
    assert_true(ui->now->fits);
    ui_free(ui);
}

/* H lists the changes; Enter goes to one, back or forth. */
static void changes_are_listed_and_jumped_to(void **state)
{
    (void)state;
    struct ui *ui = test_ui_at(120, 40);
    play(ui, ": `tp 4` Enter : `pp 8` Enter : `mbs 2` Enter H");
    expect(ui, "the beginning");
    play(ui, "j j Enter");
    assert_int_equal(ui->history.now, 1);
    assert_true(KEY_OF(&ui->plan, parallel, tp) == 4 && KEY_OF(&ui->plan, parallel, pp) == 4);
    play(ui, "H g Enter");
    assert_int_equal(ui->history.now, 3);
    assert_true(KEY_OF(&ui->plan, train, micro_batch_size) == 2);
    ui_free(ui);
}

/* ? lists the keys of the place, then all, then letters; n and N go through what / found; Space turns on and off. */
static void keys_lead_on(void **state)
{
    (void)state;
    struct ui *ui = test_ui_at(120, 40);
    play(ui, "?");
    expect(ui, "Keys here");
    play(ui, "?");
    expect(ui, "Keys and commands");
    play(ui, "?");
    assert_int_equal(ui->mode, MODE_LEGEND);
    play(ui, "Esc Esc Esc / `batch size` Enter");
    enum param first = ui_field(ui);
    play(ui, "n");
    assert_true(ui_field(ui) != first);
    play(ui, "N");
    assert_true(ui_field(ui) == first);
    play(ui, ": `go sp` Enter");
    double before = KEY_OF(&ui->plan, parallel, sp);
    play(ui, "Space");
    assert_true(KEY_OF(&ui->plan, parallel, sp) != before);
    play(ui, "y c");
    assert_true(ui->copy && strstr(ui->copy, "shardtop show --set model.name=llama3-70b"));
    play(ui, "y v");
    assert_true(strstr(ui->copy, "parallel.tp: 8\n") != NULL);
    ui_free(ui);
}

/* Each other name leads to something that there is. */
static void other_names_belong_to_something(void **state)
{
    (void)state;
    static struct palette palette;
    struct ui *ui = test_ui_at(80, 24);
    static const char *const items[] = {
#define NAMES(item, names) item,
#define IGNORED(name)
#include "ui/command/names.def"
#undef NAMES
#undef IGNORED
    };
    palette_fill(&palette, ui);
    for (size_t i = 0; i < COUNT(items); i++) {
        bool is_there = false;
        for (int j = 0; j < palette.count; j++)
            is_there |= strcmp(palette.item[j].path, items[i]) == 0;
        assert_that(is_there, "'%s' is nothing", items[i]);
    }
    assert_string_equal(names_item("H100 80GB"), "h100-sxm-80");
    assert_null(names_item("xyzzy"));
    palette_free(&palette);
    ui_free(ui);
}

static void queries_that_set_keys_say_so(void **state)
{
    (void)state;
    static const struct {
        const char *query, *set;
    } cases[] = {{"mbs 2", "micro_batch_size 2"}, {"tp 4 pp 8", "tp 4, pp 8"}, {"zero 3", "zero_stage 3"},
                 {"h100 nodes 16", "gpu h100-sxm-80, nodes 16 (128 GPUs)"}, {"64", "nodes 8 (64 GPUs)"},
                 {"gpus 64", "nodes 8 (64 GPUs)"}, {"gpus 4", "nodes 1, gpus_per_node 4 (4 GPUs)"},
                 {"world size 32", "nodes 4 (32 GPUs)"}, {"num gpus 32", "nodes 4 (32 GPUs)"},
                 {"mbs x2", "micro_batch_size 2"}, {"gbs default", "global_batch_size 8 (default)"},
                 {"cluster dgx-h100 tp 4", "cluster dgx-h100, tp 4, nodes 1 (8 GPUs)"},
                 {"model llama3-8b", "name llama3-8b, "}, {"tp", NULL}, {"h100", NULL}, {"overlap tp", NULL},
                 {"tp 4 tp 2", NULL}};
    struct ui *ui = test_ui_at(80, 24);
    static struct palette palette;
    palette_fill(&palette, ui);
    for (size_t i = 0; i < COUNT(cases); i++) {
        palette_find(&palette, ui, cases[i].query);
        const struct palette_item *item = palette_at(&palette, 0);
        bool is_set = item && item->kind == ITEM_SET;
        assert_that(is_set == !!cases[i].set, "'%s'", cases[i].query);
        size_t length = is_set ? strlen(cases[i].set) : 0;
        bool is_begin = is_set && cases[i].set[length - 1] == ' ';
        if (is_set && (!is_begin || strncmp(item->name, cases[i].set, length) != 0))
            assert_string_equal(item->name, cases[i].set);
    }
    palette_free(&palette);
    ui_free(ui);
}

/* ---- what taking does ------------------------------------------------------------------------------------------- */

static void frequent_tasks_take_few_keys(void **state)
{
    (void)state;
    struct ui *ui = test_ui_at(80, 24);
    assert_int_equal(play(ui, "/ 3 2 Enter"), 4);
    assert_true(ui->now->grid.world == 32);
    assert_int_equal(play(ui, "# 3 7 BS 1 Enter"), 6);
    assert_int_equal(ui->rank, 31);
    ui_free(ui);
    ui = test_ui_at(80, 24);
    assert_int_equal(play(ui, "/ # 3 7 Enter"), 5);
    assert_int_equal(ui->rank, 37);
    assert_int_equal(ui->view, PANE_GRID);
    assert_int_equal(play(ui, "x y"), 2); /* flags, and out with them */
    assert_true(ui->copy && strstr(ui->copy, "--tensor-model-parallel-size 8"));
    play(ui, "q : `export nanotron` Enter");
    expect(ui, "[nanotron]");
    play(ui, "Tab Enter");
    assert_string_equal(ui->edit.text, "export deepspeed ");
    play(ui, "Esc : `export foo` Enter");
    expect(ui, "unknown format");
    play(ui, "Esc / `llama 405b` Enter"); /* three keys and the name in part */
    assert_string_equal(ui->plan.text[TEXT_MODEL], "llama3.1-405b");
    play(ui, "u : `go model.name` Enter Enter `8b` Enter");
    assert_non_null(strstr(ui->plan.text[TEXT_MODEL], "8b"));
    ui_free(ui);
}

/* A path lists its folder; a folder is gone into, a file loaded. */
static void files_are_found_by_their_path(void **state)
{
    (void)state;
    struct ui *ui = test_ui_at(120, 40);
    play(ui, "/ `configs/pl` Enter");
    assert_int_equal(ui->mode, MODE_FIND);
    assert_string_equal(ui->edit.text, "configs/plans/");
    play(ui, "`llama3-70b-64` Enter");
    assert_int_equal(ui->mode, MODE_BROWSE);
    assert_string_equal(ui->path, "configs/plans/llama3-70b-64h100.yaml");
    play(ui, "^O `./config`");
    expect(ui, "./configs/");
    play(ui, "Esc : `load configs/pla` Tab");
    assert_string_equal(ui->edit.text, "load configs/plans/");
    ui_free(ui);
}

static void everything_found_can_be_taken(void **state)
{
    (void)state;
    struct ui *ui = test_ui_at(120, 40);
    play(ui, "/ `recomp` Enter");
    assert_int_equal(ui_field(ui), PARAM_train_recompute);
    play(ui, "/ `mbs` + Esc");
    assert_true(ui->plan.value[PARAM_train_micro_batch_size] == 2);
    assert_int_equal(ui_field(ui), PARAM_train_micro_batch_size);
    play(ui, "/ `iter` Down Esc / `=mfu` Enter");
    assert_int_equal(ui->mode, MODE_EXPLAIN);
    play(ui, "q ^O `8b-serv` Enter");
    assert_true(ui->now->is_serving);
    play(ui, "u T Down Enter ? ? `undo` Enter");
    assert_int_equal(ui->mode, MODE_BROWSE);
    play(ui, "/ `rank` Enter");
    assert_int_equal(ui->mode, MODE_FIND);
    play(ui, "Esc / `xyzzy` Enter");
    expect(ui, "near are");
    play(ui, "Esc / `=days`");
    expect(ui, "training.seconds");
    play(ui, "Esc ? ? ` `");
    expect(ui, "previous field or row");
    play(ui, "Esc : `qqqq` Enter");
    expect(ui, "is not a command or a key; :help lists all");
    play(ui, "Esc : `open` Enter");
    expect(ui, "name a file");
    play(ui, "Esc / `lr`");
    expect(ui, "changes neither memory nor time");
    play(ui, "Esc / `d_model` Right");
    assert_int_equal(ui->mode, MODE_EXPLAIN);
    play(ui, "q / `>largest` Tab");
    assert_string_equal(ui->edit.text, "largest");
    ui_free(ui);
}

static void previews_say_what_taking_gives(void **state)
{
    (void)state;
    struct ui *ui = test_ui_at(160, 50);
    play(ui, "/ `405b`");
    expect(ui, "num_layers");
    expect(ui, "INVALID");
    play(ui, "^U `b200`");
    expect(ui, "peak_tflops");
    play(ui, "^U `#37`");
    expect(ui, "rank 37 = n4 g5: stage 2");
    expect(ui, "tp  32-39 (5 of 0-7)");
    expect(ui, "pp  5 21 37 53 (2 of 0-3)");
    play(ui, "^U `rank 37`");
    expect(ui, "rank 37 = n4 g5: stage 2");
    ui_resize(ui, 80, 24);
    play(ui, "^U `#37`");
    expect(ui, "tp 32-39   dp 37 45   pp 5 21 37 53");
    play(ui, "^U `gpus 64`"); /* two rows hold all that matters */
    expect(ui, "nothing changes   FITS 28.4 GiB free   peak");
    play(ui, "^U `dtype`");
    expect(ui, "fp8   ");
    play(ui, "^U `zero1`");
    expect(ui, "+ 2   not modelled");
    play(ui, "^U `schedule`");
    expect_not(ui, "0.00 us");
    play(ui, "Esc : `gpus 128`");
    expect(ui, "nodes 16 (128 GPUs): ");
    play(ui, "Esc / x");
    ui_resize(ui, 160, 50);
    play(ui, "^U `mbs 2`");
    expect(ui, "FITS");
    play(ui, "^U `tp 3 mbs 2`");
    expect(ui, "INVALID tp");
    play(ui, "^U `model nobody`");
    expect(ui, "'nobody' is not known");
    play(ui, "^U `>save`");
    expect(ui, "^S");
    play(ui, "Esc ^O mixtral");
    expect(ui, "mixtral-8x7b");
    ui_free(ui);
}

/* Right shows a preview whole, in the place of the list: a model's every key, whatever the plan has beside it. */
static void right_shows_a_preview_in_full(void **state)
{
    (void)state;
    struct ui *ui = test_ui_at(80, 24);
    play(ui, "/ `@deepseek-v3`");
    expect_not(ui, "kv_channels"); /* two rows have no room for it */
    play(ui, "Right");
    expect(ui, "model  deepseek-v3");
    expect(ui, "kv_channels                  128");
    expect_not(ui, "mtp_num_layers");
    play(ui, "PgDn PgDn");
    expect(ui, "mtp_num_layers               1 layers");
    expect_not(ui, "memory_gib"); /* no key of a model */
    play(ui, "Left");
    expect(ui, "> @deepseek-v3");
    play(ui, "Right q Right Esc Right `x`"); /* what is typed goes on with the query */
    expect(ui, "> @deepseek-v3x");
    play(ui, "^U `@b200` Right Enter");
    assert_int_equal(ui->mode, MODE_BROWSE);
    assert_string_equal(ui->plan.text[TEXT_GPU], "b200-sxm");
    play(ui, "/ `@b200` Right");
    expect(ui, "it is the plan's own: nothing changes");
    expect(ui, "watts ");
    play(ui, "Esc ^U `#37` Right");
    expect(ui, "tp  32-39 (5 of 0-7)");
    ui_free(ui);
}

/* A rank goes by node and GPU, too; of one that is not there it is said which there are. */
static void ranks_are_found_by_number_and_by_place(void **state)
{
    (void)state;
    struct ui *ui = test_ui_at(80, 24);
    play(ui, "/ `#n4g5` Enter");
    assert_int_equal(ui->view, PANE_GRID);
    assert_int_equal(ui->rank, 37);
    play(ui, "/ `rank n1g0` Enter");
    assert_int_equal(ui->rank, 8);
    static const char *const none[] = {"#64", "#n4g8", "#n8g0", "rank 64", "#n4"};
    for (size_t i = 0; i < COUNT(none); i++) {
        char script[64];
        snprintf(script, sizeof script, "/ `%s`", none[i]);
        play(ui, script);
        expect(ui, "there are 0 to 63, or n0g0 to n7g7");
        play(ui, "Enter");
        assert_int_equal(ui->mode, MODE_FIND);
        play(ui, "Esc");
    }
    ui_free(ui);
}

/* What a row says that Enter sets is what Enter sets, of every number and preset. */
static void what_a_row_sets_is_what_the_plan_has_then(void **state)
{
    (void)state;
    static const char *const lines[] = {"gpus 64", "gpus 128", "gpus 4", "mbs x2", "tp 4 pp 8", "h100 nodes 16",
                                        "sp off", "seq 4k", "gpu b200-sxm", "cluster dgx-h100", "model llama3-8b",
                                        "gbs default"};
    for (size_t i = 0; i < COUNT(lines); i++) {
        struct ui *ui = test_ui_at(160, 50);
        static struct palette palette;
        char script[80], text[FIELD_TEXT_MAX], expected[FIELD_TEXT_MAX + 64];
        palette_fill(&palette, ui);
        palette_find(&palette, ui, lines[i]);
        const struct assigned said = palette.assigned;
        const char *name = palette_at(&palette, 0)->name;
        snprintf(script, sizeof script, "/ `%s`", lines[i]);
        play(ui, script);
        bool is_said_same = strstr(screen_of(ui), "nothing changes");
        struct plan before = ui->plan;
        play(ui, "Enter");
        assert_that(is_said_same == plan_equal(&before, &ui->plan), "'%s'", lines[i]);
        for (int k = 0; k < said.count; k++) {
            form_value(&ui->now->plan, said.id[k], text);
            snprintf(expected, sizeof expected, "%s %s", param_rows[said.id[k]].key, text);
            assert_that(strstr(name, expected), "'%s' says '%s', and makes %s", lines[i], name, expected);
        }
        palette_free(&palette);
        ui_free(ui);
    }
}

/* What a loaded script left open is listed, until its key is set. */
static void open_questions_are_listed(void **state)
{
    (void)state;
    struct ui *ui = test_ui_at(80, 24);
    play(ui, ": `load tests/scripts/moe_slurm.sh` Enter");
    expect(ui, "questions open: i lists them");
    expect(ui, "4 open");
    int before = messages_open(ui);
    assert_true(before >= 2);
    ui_event(ui, &(struct event){.key = KEY_MOUSE_EVENT, .button = MOUSE_LEFT, .x = 76, .y = 1}); /* "4 open" */
    assert_int_equal(ui->mode, MODE_MESSAGES);
    expect(ui, "decides vocab_size");
    play(ui, "Down Enter");
    assert_int_equal(ui->mode, MODE_EDIT);
    assert_int_equal(ui_field(ui), PARAM_model_vocab_size);
    play(ui, "`50257` Enter");
    assert_int_equal(messages_open(ui), before - 1);
    play(ui, ": `load first-steps` Enter");
    assert_int_equal(messages_open(ui), 0);
    ui_free(ui);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_of_exercises_are_completed),
        cmocka_unit_test(each_query_finds_its_item_first), cmocka_unit_test(other_names_belong_to_something),
        cmocka_unit_test(queries_that_set_keys_say_so),    cmocka_unit_test(frequent_tasks_take_few_keys),
        cmocka_unit_test(files_are_found_by_their_path),
        cmocka_unit_test(everything_found_can_be_taken),   cmocka_unit_test(previews_say_what_taking_gives),
        cmocka_unit_test(phrases_find_what_they_ask_for), cmocka_unit_test(goals_become_plans),
        cmocka_unit_test(goals_take_few_keys), cmocka_unit_test(changes_are_listed_and_jumped_to),
        cmocka_unit_test(keys_lead_on),
        cmocka_unit_test(figures_of_a_phrase_are_taken_along),
        cmocka_unit_test(names_of_a_phrase_are_taken_along),
        cmocka_unit_test(right_shows_a_preview_in_full),   cmocka_unit_test(ranks_are_found_by_number_and_by_place),
        cmocka_unit_test(what_a_row_sets_is_what_the_plan_has_then), cmocka_unit_test(open_questions_are_listed),
    };
    return cmocka_run_group_tests_name("ui/palette", tests, NULL, NULL) != 0;
}
