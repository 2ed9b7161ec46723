/*
 * What holds of every screen, whatever it shows: whole words, titles with the key that leads there, no names of keys
 * where words belong, sums that add up, and a next action in each state.
 */
#include "tests/host.h"
#include "tests/scratch.h"
#include "tests/screen.h"

#include "core/plan/param.h"
#include "ui/command/keymap.h"
#include "ui/command/palette.h"
#include "ui/overlay/overlay.h"
#include "ui/state/advisor.h"
#include "ui/state/result.h"
#include "ui/term/key.h"

#include <ctype.h>
#include <dirent.h>
#include <locale.h>
#include <math.h>

static void load(const char *name, struct plan *plan)
{
    char why[UI_MESSAGE_MAX];
    plan_clear(plan);
    assert_that(test_host()->load(test_session(), name, plan, why) == 0, "%s", why);
}

static void set(struct plan *plan, const char *key, const char *value)
{
    char why[PARAM_WHY_MAX];
    assert_that(param_parse(plan, (enum param)param_find(key), value, FROM_SET, false, why) == 0, "%s: %s", key, why);
}

static struct ui *make(struct plan *plan, int width, int height)
{
    const struct ui_options options = {.plan = plan};
    struct ui *ui = ui_create(test_host(), &options, width, height);
    assert_non_null(ui);
    ui_update(ui);
    advisor_finish(ui);
    return ui;
}

static void play_all(struct ui *ui, const char *keys)
{
    play(ui, keys);
    ui_update(ui);
    advisor_finish(ui);
}

static void play_only(struct ui *ui, const char *keys)
{
    play(ui, keys);
    ui_update(ui);
}

/* ---- the golden screens ----------------------------------------------------------------------------------------- */

enum { FOLDER_MAX = 64, ROW_BYTES = 1200 };
static const char folder[] = "tests/screens/golden";

/* A word that is cut ends in a mark; at 80 columns no word has to be. */
static bool has_cut_word(const char *line)
{
    static const char *const marks[] = {"~", "\xe2\x80\xa6", "\xe2\x80\xa5"};
    for (size_t i = 0; i < COUNT(marks); i++)
        for (const char *at = line; (at = strstr(at, marks[i])); at += strlen(marks[i]))
            if (at > line && isalnum((unsigned char)at[-1]) && strchr(" \n|", at[strlen(marks[i])])) /* or its end */
                return true;
    return false;
}

/* Words and signs of earlier screens, each of which has a better one now. */
static const char *const gone[] = {
    "INVALID", "usable at~", "80 % range", "act. x", "; < > stage", "* decides", "> 8 <", "false > true",
    "no two changes", "no layout fits", "fits by -", "room for ", "net!", "columns by share", "GiB allocated, ",
    "! no room", "the fastest, +", "% longer", "nothing has this name", "BS removes", "f0fff", "f0\xe2\x96", "all $",
    "iteration 1", "of training", " none d\n", "of 79.1 s", "= iteration+"};

static void check_line(const char *file, int number, const char *line, int width, bool is_ascii)
{
    assert_that(text_width(line) <= width + 1, "%s:%d is wider than %d", file, number, width);
    assert_that(width < 80 || !has_cut_word(line), "%s:%d has a word that is cut: %s", file, number, line);
    for (size_t i = 0; i < COUNT(gone); i++)
        assert_that(!strstr(line, gone[i]) || strstr(line, "GiB ("), "%s:%d has '%s': %s", file, number, gone[i], line);
    for (const char *at = line; is_ascii && *at && *at != '\n'; at++)
        assert_that(*at >= 0x20 && *at < 0x7f, "%s:%d is not ASCII: %s", file, number, line);
}

static void golden_screens_have_whole_words(void **state)
{
    (void)state;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    int files = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        char path[400], line[ROW_BYTES];
        if (!strstr(entry->d_name, ".txt"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        for (int i = 1; fgets(line, sizeof line, file); i++)
            check_line(entry->d_name, i, line, atoi(entry->d_name), strstr(entry->d_name, "-ascii") != NULL);
        fclose(file);
        files++;
    }
    closedir(dir);
    assert_true(files > 60);
}

#define LORA                                                                                                           \
    ": `model llama3-8b` Enter : `framework hf-trainer` Enter : `peft lora` Enter : `gpus 1` Enter "                   \
    ": `seq_length 4096` Enter : `global_batch_size 16` Enter : `recompute none` Enter"

/* Nor is a word cut on the first screen of a plan of another kind, or of a LoRA that does not fit. */
static void first_screens_have_whole_words(void **state)
{
    (void)state;
    static const char *const names[] = {"llama3-70b-64h100", "llama3.1-405b-16k", "deepseek-v3-2048h800",
                                        "llama3-8b-serving", "llama3-70b-too-big", "default", "mixtral-8x7b-64h100",
                                        "tests/screens/tight.yaml", "tinyllama-workstation", LORA};
    static const int sizes[][2] = {{80, 24}, {100, 30}, {120, 40}, {160, 48}, {200, 60}};
    struct plan plan;
    for (size_t i = 0; i < COUNT(names) * COUNT(sizes); i++) {
        const char *name = names[i / COUNT(sizes)];
        const int *size = sizes[i % COUNT(sizes)];
        bool is_lora = strcmp(name, LORA) == 0;
        load(is_lora ? "tinyllama-workstation" : name, &plan);
        struct ui *ui = make(&plan, size[0], size[1]);
        play_all(ui, is_lora ? LORA : "");
        assert_true(!is_lora || strstr(screen_of(ui), "DOES NOT FIT"));
        const char *at = screen_of(ui);
        for (int y = 1; *at; y++, at += strcspn(at, "\n") + 1) {
            char line[ROW_BYTES];
            snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
            assert_that(!has_cut_word(line), "%s at %dx%d, line %d: %s", name, size[0], size[1], y, line);
        }
        ui_free(ui);
    }
}

/* ---- panels ----------------------------------------------------------------------------------------------------- */

/* The key of a view leads to a panel whose title begins with it and has the heavy rule. */
static void titles_begin_with_their_key(void **state)
{
    (void)state;
    static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}};
    struct plan plan;
    load("llama3-70b-64h100", &plan);
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (int view = PANE_FORMS; view < PANE_COUNT; view++) {
            struct ui *ui = make(&plan, sizes[i][0], sizes[i][1]);
            press(ui, view_rows[view].key);
            char title[8];
            snprintf(title, sizeof title, "%c ", view_rows[view].key);
            bool is_found = false;
            for (const char *line = screen_of(ui); line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
                char copy[ROW_BYTES];
                snprintf(copy, sizeof copy, "%.*s", (int)strcspn(line, "\n"), line);
                for (const char *at = copy; (at = strstr(at, title)); at++)
                    is_found |= isupper((unsigned char)at[2]) && strstr(at, "\xe2\x94\x81");
            }
            assert_that(is_found, "%c at %dx%d has no title of its own:\n%s", view_rows[view].key, sizes[i][0],
                        sizes[i][1], screen_of(ui));
            ui_free(ui);
        }
}

/* Keys are called as people say them; the lines at the bottom, which spell them as files do, are left out. */
static void views_have_words_for_keys(void **state)
{
    (void)state;
    static const char keys[] = "12345678t";
    struct plan plan;
    load("llama3-70b-64h100", &plan);
    for (const char *key = keys; *key; key++) {
        struct ui *ui = make(&plan, 120, 40);
        play_all(ui, (const char[]){*key, '\0'});
        const char *text = screen_of(ui);
        int line = 0;
        for (const char *at = text; *at && line < 37; line += *at++ == '\n')
            assert_that(!(*at == '_' && at > text && islower((unsigned char)at[-1]) && islower((unsigned char)at[1])),
                        "view %c, line %d, names a key:\n%s", *key, line, text);
        ui_free(ui);
    }
}

/* ---- states ----------------------------------------------------------------------------------------------------- */

/* A plan, what is wrong with it, and the verdict after the keys that its panel offers. */
static const struct {
    const char *plan, *key[3], *value[3], *before, *keys, *after;
} offers[] = {
    {"llama3-70b-too-big", {NULL}, {NULL}, "DOES NOT FIT", "6 Enter", "FITS"},
    {"tests/screens/tight.yaml", {NULL}, {NULL}, "TIGHT", "6 Enter", "FITS"},
    {"default", {"parallel.tp"}, {"3"}, "NOT VALID", "6 Enter", "FITS"},
    {"default", {"hardware.nodes", "hardware.gpus_per_node"}, {"1", "1"}, "NOT VALID", "6 Enter", "DOES NOT FIT"},
    {"tinyllama-workstation", {"train.peft", "framework.name"}, {"lora", "megatron-2023"}, "NOT MODELLED", "6 Enter",
     NULL},
};

static void each_state_has_a_next_action(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(offers); i++) {
        struct plan plan;
        load(offers[i].plan, &plan);
        for (int k = 0; k < 3 && offers[i].key[k]; k++)
            set(&plan, offers[i].key[k], offers[i].value[k]);
        struct ui *ui = make(&plan, 120, 40);
        expect(ui, offers[i].before);
        play_all(ui, "6");
        play_all(ui, "Enter");
        if (offers[i].after)
            expect(ui, offers[i].after);
        if (!offers[i].after || strcmp(offers[i].after, offers[i].before) != 0)
            assert_that(!strstr(screen_of(ui), offers[i].before), "%s stays %s:\n%s", offers[i].plan,
                        offers[i].before, screen_of(ui));
        ui_free(ui);
    }
}

/* Where answers decide the verdict panel 6 has the questions, and Enter answers one. */
static void open_questions_are_answered_in_6(void **state)
{
    (void)state;
    struct plan plan;
    FILE *file = fopen(scratch_path("train.sh"), "w");
    assert_non_null(file);
    fputs("torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 "
          "--seq-length 2048 --micro-batch-size 1 --global-batch-size 64 --tensor-model-parallel-size $TP --bf16\n",
          file);
    fclose(file);
    plan_clear(&plan);
    struct ui *ui = make(&plan, 120, 40);
    char line[300];
    snprintf(line, sizeof line, ": `load %s` Enter Esc", scratch_path("train.sh"));
    play_all(ui, line);
    expect(ui, "UNKNOWN  4 answers missing");
    expect(ui, "TP is not known");
    play_all(ui, "6");
    expect(ui, "What is missing");
    play_all(ui, "Enter");
    assert_int_equal(ui->mode, MODE_EDIT);
    assert_int_equal(ui_field(ui), PARAM_parallel_tp);
    play_all(ui, "8 Enter");
    expect(ui, "3 open"); /* which do not decide it */
    ui_free(ui);
}

/* Enter tries all changes that Space marked together; of a key the last one, and one undo takes all back. */
static void marked_changes_are_tried_together(void **state)
{
    (void)state;
    struct plan plan;
    load("llama3-70b-64h100", &plan);
    struct ui *ui = make(&plan, 120, 40);
    play_all(ui, "6 6 Space Space");
    expect(ui, "1 marked: Enter tries them together");
    play_all(ui, "Space");
    expect(ui, "2 marked");
    expect(ui, "pp 2, vpp 4");
    play_all(ui, "Enter");
    assert_true(ui->plan.value[PARAM_parallel_pp] == 2 && ui->plan.value[PARAM_parallel_vpp] == 4);
    expect_not(ui, "marked");
    play_all(ui, "u");
    assert_true(ui->plan.value[PARAM_parallel_pp] == 4);
    ui_free(ui);
}

/* Enlarged, stages stand side by side: arrows go through their GPUs, from one to the next, and down to the groups. */
static void stages_stand_side_by_side(void **state)
{
    (void)state;
    struct plan plan;
    load("llama3-70b-64h100", &plan);
    struct ui *ui = make(&plan, 120, 40);
    play_all(ui, "3 3");
    expect(ui, "stage 0  50.7 GiB           stage 1  43.6 GiB           stage 2  38.2 GiB           stage 3  35.2 GiB");
    expect(ui, "dp 1      0  1  2  3  4  5  6  7  \xe2\x86\x92   0  1  2 ");
    expect(ui, "twice a layer, each way");
    expect(ui, "nodes 6-7       stage 3 ");
    play_all(ui, "Right Right Right Right Right Right Right Right");
    assert_int_equal(ui->rank, 16);
    play_all(ui, "Down Left");
    assert_int_equal(ui->rank, 15);
    expect(ui, "Rank 15  node 1, GPU 7: stage 0 tp 7 dp 1");
    play_all(ui, "Down Enter");
    expect(ui, "tp of rank 15");
    ui_free(ui);
}

/* ---- sums ------------------------------------------------------------------------------------------------------- */

/* The printed parts of memory add up to what is printed as their sum. */
static void printed_memory_adds_up(void **state)
{
    (void)state;
    enum { VALUE = 28 /* columns before the number */ };
    static const char *const names[] = {"llama3-70b-64h100", "deepseek-v3-2048h800", "mixtral-8x7b-64h100"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct plan plan;
        load(names[i], &plan);
        struct ui *ui = make(&plan, 120, 40);
        play_all(ui, "1 1");
        const char *text = screen_of(ui), *line = strstr(text, "\nW weights");
        double sum = 0;
        int rows = 0;
        assert_non_null(line);
        for (line++; strchr("WGOATS", *line); line = strchr(line, '\n') + 1, rows++)
            sum += strtod(line + VALUE, NULL);
        assert_true(rows >= 5);
        assert_int_equal(strncmp(line, "= allocated", 11), 0);
        assert_that(fabs(sum - strtod(line + VALUE, NULL)) < 0.01, "%s: %g is the sum:\n%s", names[i], sum, text);
        ui_free(ui);
    }
}

/* What all GPUs spend an iteration on: the printed rows add up to the printed sum, wherever they are cut. */
static void printed_time_adds_up(void **state)
{
    (void)state;
    enum { LABEL = 20 /* columns before the number */ };
    static const char *const names[] = {"llama3-70b-64h100", "llama3.1-405b-16k", "mixtral-8x7b-64h100",
                                        "default", "llama2-13b-recompute-full", "tinyllama-workstation"};
    static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}};
    for (size_t i = 0; i < COUNT(names) * COUNT(sizes); i++) {
        struct plan plan;
        load(names[i / COUNT(sizes)], &plan);
        const int *size = sizes[i % COUNT(sizes)];
        struct ui *ui = make(&plan, size[0], size[1]);
        play_all(ui, "t t");
        const char *text = screen_of(ui), *line = strstr(text, "\nmaths at peak speed");
        double sum = 0;
        assert_non_null(line);
        for (line++; *line != '='; line = strchr(line, '\n') + 1)
            sum += strtod(line + LABEL, NULL);
        assert_int_equal(strncmp(line, "= an iteration", 14), 0);
        assert_that(fabs(sum - strtod(line + LABEL, NULL)) < 1e-6, "%s: %g is the sum:\n%s", names[i / COUNT(sizes)],
                    sum, text);
        ui_free(ui);
    }
}

/* ---- for an audience -------------------------------------------------------------------------------------------- */

/* Whatever the plan is, a figure for an audience has forty words at most, in every view. */
static void every_plan_is_presented_in_few_words(void **state)
{
    (void)state;
    enum { WORDS_MOST = 40 };
    static const char *const names[] = {"llama3-70b-64h100", "llama3.1-405b-16k", "deepseek-v3-2048h800",
                                        "llama3-8b-serving", "llama3-70b-too-big", "default", "mixtral-8x7b-64h100",
                                        "tinyllama-workstation", "tests/screens/tight.yaml"};
    struct plan plan;
    for (size_t i = 0; i < COUNT(names); i++) {
        load(names[i], &plan);
        struct ui *ui = make(&plan, 120, 40);
        play_all(ui, ": present Enter");
        for (const char *key = "12345678t"; *key; key++) {
            play_all(ui, (const char[]){*key, '\0'});
            assert_that(words_shown(ui) <= WORDS_MOST, "%s, figure %c: %d words:\n%s", names[i], *key, words_shown(ui),
                        screen_of(ui));
        }
        ui_free(ui);
    }
}

/* ---- gaps ------------------------------------------------------------------------------------------------------- */

/* A track without a colour of its own has no gaps, which would be drawn as bars in the colour of texts. */
static void tracks_without_colour_have_no_gaps(void **state)
{
    (void)state;
    enum { SEVEN_EIGHTHS = 0x2587 };
    static const char *const themes[] = {"default", "mono", "slate"};
    struct plan plan;
    load("llama3-70b-64h100", &plan);
    for (size_t i = 0; i < COUNT(themes); i++) {
        struct canvas canvas = {0};
        struct ui *ui = make(&plan, 120, 40);
        char why[UI_MESSAGE_MAX];
        int gaps = 0;
        assert_int_equal(ui_show_theme(ui, themes[i], why), 0);
        ui->utf8 = ui->can_gap = true;
        canvas_resize(&canvas, ui->width, ui->height);
        ui_draw(ui, &canvas);
        for (int k = 0; k < ui->width * ui->height; k++)
            gaps += canvas.cells[k].glyph == SEVEN_EIGHTHS && canvas.cells[k].role == ROLE_TRACK;
        assert_that((gaps > 0) == (strcmp(themes[i], "slate") == 0), "%s: %d cells", themes[i], gaps);
        canvas_free(&canvas);
        ui_free(ui);
    }
}

/* ---- without colour --------------------------------------------------------------------------------------------- */

/* The first line of the screen with this text. */
static void line_with(struct ui *ui, const char *text, char out[ROW_BYTES])
{
    const char *screen = screen_of(ui), *at = strstr(screen, text), *begin = at;
    assert_that(at != NULL, "'%s' is not on the screen:\n%s", text, screen);
    while (begin > screen && begin[-1] != '\n')
        begin--;
    snprintf(out, ROW_BYTES, "%.*s", (int)strcspn(begin, "\n"), begin);
}

/* What colours say is in the text, too: the verdict, whose value it is, what is selected, better or worse. */
static void words_say_what_colours_do(void **state)
{
    (void)state;
    char row[ROW_BYTES], other[ROW_BYTES];
    struct plan plan;
    load("llama3-70b-64h100", &plan);
    struct ui *ui = make(&plan, 120, 40);
    expect(ui, "FITS  ");
    expect(ui, " -0.50");
    expect(ui, " +0.26");
    line_with(ui, "tensor", row);
    assert_non_null(strstr(row, "- 8 +"));
    play_all(ui, "Down");
    line_with(ui, "tensor", other);
    assert_that(strcmp(row, other) != 0, "a selected row reads as others: %s", row);
    line_with(ui, "interleave", row);
    assert_non_null(strstr(row, "default"));
    ui_free(ui);
    set(&plan, "parallel.vpp", "1");
    ui = make(&plan, 120, 40);
    line_with(ui, "interleave", row);
    assert_null(strstr(row, "1 default"));
    ui_free(ui);
    load("llama3-70b-too-big", &plan);
    ui = make(&plan, 120, 40);
    expect(ui, "DOES NOT FIT  ");
    ui_free(ui);
}

/* ---- steps and Esc ---------------------------------------------------------------------------------------------- */

/* While the verdict stays a step of any field leaves each panel where it was. */
static void a_step_moves_no_panel(void **state)
{
    (void)state;
    static const char *const fields[] = {"tp", "seq_length", "micro_batch_size", "global_batch_size", "nodes"};
    static const int sizes[][2] = {{80, 24}, {100, 30}, {120, 40}, {160, 48}, {200, 60}};
    struct plan plan;
    load("llama3-70b-64h100", &plan);
    for (size_t i = 0; i < COUNT(sizes) * COUNT(fields); i++) {
        const int *size = sizes[i / COUNT(fields)];
        struct ui *ui = make(&plan, size[0], size[1]);
        char keys[64];
        snprintf(keys, sizeof keys, "/ `%s` Enter", fields[i % COUNT(fields)]);
        play_all(ui, keys);
        const struct layout before = ui->layout;
        const struct verdict_text was = result_verdict_text(ui->shown);
        play(ui, "+");
        ui_update(ui);
        for (int k = 0; k < before.slots && result_verdict_text(ui->shown).verdict == was.verdict; k++)
            assert_that(memcmp(&before.slot[k], &ui->layout.slot[k], sizeof before.slot[k]) == 0,
                        "a step of %s at %dx%d moves panel %d", fields[i % COUNT(fields)], size[0], size[1], k);
        ui_free(ui);
    }
}

/* Some Escs lead from anywhere into the form, with all views beside it. */
static void esc_ends_in_the_form(void **state)
{
    (void)state;
    static const char *const places[] = {"1", "3 3", "6 e", "4 z",
                                         "/ `tp`", "?", ": `set`", "y", "8 e e", "Enter 4", "L"};
    struct plan plan;
    load("llama3-70b-64h100", &plan);
    for (size_t i = 0; i < COUNT(places); i++) {
        struct ui *ui = make(&plan, 120, 40);
        play(ui, places[i]);
        for (int k = 0; k < 6; k++)
            play(ui, "Esc");
        assert_that(ui->mode == MODE_BROWSE && !ui->is_view_focused && !ui->is_done && pane_is_beside(ui),
                    "Esc after '%s' ends elsewhere", places[i]);
        ui_free(ui);
    }
}

/* ---- hints ------------------------------------------------------------------------------------------------------ */

enum { HINTS_MAX = 64 };

/* The keys of the hint line, those of the view in use first; returns how many. */
static int hinted_keys(const struct ui *ui, int keys[HINTS_MAX])
{
    const struct view_key *own = ui->mode == MODE_BROWSE ? pane_own_keys(ui) : NULL;
    const struct hint *hint;
    int count = 0;
    for (; own && own->key; own++)
        keys[count] = own->key, count += hint_has_view_key(ui, own);
    for (int i = 0; (hint = hint_at(ui->mode, i)); i++)
        for (int side = 0; side < 2 && hint_is_shown(ui, hint); side++) {
            char name[KEY_NAME_MAX * 2];
            enum action action = side ? hint->other : hint->action;
            if (action != ACTION_NONE &&
                keymap_keys(&ui->settings.bindings, hint->mode, action, 1, name, sizeof name) > 0)
                keys[count++] = key_named(name);
        }
    return count;
}

/* Whether a key shows something else, says something, or asks the terminal for something. */
static bool does_something(struct ui *ui, int key)
{
    struct canvas before = {0}, after = {0};
    canvas_resize(&before, ui->width, ui->height);
    canvas_resize(&after, ui->width, ui->height);
    ui_draw(ui, &before);
    ui->request = 0;
    press(ui, key);
    ui_draw(ui, &after);
    bool is_new = memcmp(before.cells, after.cells, (size_t)(ui->width * ui->height) * sizeof *after.cells) != 0;
    canvas_free(&before);
    canvas_free(&after);
    return ui->request || ui->is_done || is_new;
}

/* ? lists each key of the hint line and of the panel, once, and each does what is listed. */
static void the_list_of_keys_is_that_of_the_place(void **state)
{
    (void)state;
    static const char *const places[] = {"", "1", "3", "4 4", "6", "8"};
    struct plan plan;
    load("llama3-70b-64h100", &plan);
    for (size_t i = 0; i < COUNT(places); i++) {
        struct ui *ui = make(&plan, 120, 40);
        struct palette palette = {.scope = SCOPE_HERE};
        char name[KEY_NAME_MAX * 2];
        play_all(ui, places[i]);
        palette_fill(&palette, ui);
        for (int k = 0; k < palette.count; k++) {
            const struct palette_item *item = &palette.item[k];
            for (int other = 0; other < k; other++)
                assert_that(palette.item[other].kind != item->kind || palette.item[other].id != item->id,
                            "'%s' lists %s twice", places[i], item->path);
            assert_that(item->kind == ITEM_KEY || keymap_keys(&ui->settings.bindings, MODE_BROWSE,
                                                              (enum action)item->id, 1, name, sizeof name) > 0,
                        "'%s' lists %s, which has no key", places[i], item->path);
        }
        const struct hint *hint;
        for (int k = 0; (hint = hint_at(MODE_BROWSE, k)); k++) {
            bool is_listed = !hint_is_shown(ui, hint);
            for (int at = 0; at < palette.count; at++)
                is_listed |= palette.item[at].kind != ITEM_KEY && palette.item[at].id == (int)hint->action;
            assert_that(is_listed, "'%s' does not list %s", places[i], hint->text);
        }
        palette_free(&palette);
        ui_free(ui);
    }
}

/* Each key of the hint line does something in that place. */
static void every_hint_does_something(void **state)
{
    (void)state;
    static const char *const places[] = {"+", "1", "? Esc 8", "e", "4 n", "3", "/ t Down", "6", "? Down", "d", "b + d",
                                         "t", "y Down", "2", "5", "7"};
    struct plan plan;
    load("llama3-70b-64h100", &plan);
    for (int i = 0; i < check_cases(COUNT(places)); i++) {
        int keys[HINTS_MAX], count = 1;
        for (int k = 0; k < count; k++) {
            struct ui *ui = ui_create(test_host(), &(struct ui_options){.plan = &plan}, 120, 40);
            char name[KEY_NAME_MAX];
            assert_non_null(ui);
            (strpbrk(places[i], "678") ? play_all : play_only)(ui, places[i]);
            count = hinted_keys(ui, keys);
            key_name(keys[k], name);
            assert_that(does_something(ui, keys[k]), "%s after '%s' does nothing", name, places[i]);
            ui_free(ui);
        }
    }
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_screens_have_whole_words), cmocka_unit_test(titles_begin_with_their_key),
        cmocka_unit_test(views_have_words_for_keys),       cmocka_unit_test(each_state_has_a_next_action),
        cmocka_unit_test(open_questions_are_answered_in_6),
        cmocka_unit_test(marked_changes_are_tried_together),
        cmocka_unit_test(stages_stand_side_by_side),       cmocka_unit_test(printed_memory_adds_up),
        cmocka_unit_test(tracks_without_colour_have_no_gaps), cmocka_unit_test(every_plan_is_presented_in_few_words),
        cmocka_unit_test(printed_time_adds_up),            cmocka_unit_test(words_say_what_colours_do),
        cmocka_unit_test(a_step_moves_no_panel),           cmocka_unit_test(esc_ends_in_the_form),
        cmocka_unit_test(every_hint_does_something),
        cmocka_unit_test(the_list_of_keys_is_that_of_the_place),
        cmocka_unit_test(first_screens_have_whole_words),
    };
    return cmocka_run_group_tests_name("ui/design", tests, NULL, NULL) != 0;
}
