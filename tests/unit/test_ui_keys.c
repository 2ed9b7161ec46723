/* Keys and actions: every action can be found and reached; any keys at any size leave a sound screen. */
#include "tests/check.h"
#include "tests/screen.h"

#include "core/plan/param.h"
#include "core/plan/question.h"
#include "ui/command/action.h"
#include "ui/command/command.h"
#include "ui/command/keymap.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/pane.h"
#include "ui/state/advisor.h"
#include "ui/ui.h"

#include <locale.h>
#include <stdint.h>

/* ---- a world without files --------------------------------------------------------------------------------------- */

static const char *const gpu_names[] = {"big", "small"};
static const char *const theme_names[] = {"default", "other"};
static int saves;

static struct plan start_plan;

static int load(void *context, const char *path, struct plan *plan, char *message)
{
    (void)context;
    message[0] = '\0';
    if (strcmp(path, "other.yaml") == 0) {
        *plan = start_plan;
        plan->value[PARAM_train_seq_length] = 4096;
        return 0;
    }
    snprintf(message, UI_MESSAGE_MAX, "%.40s: cannot be opened", path);
    return -1;
}

static enum ui_write save(void *context, const char *path, const struct plan *plan, bool is_confirmed, char *message)
{
    (void)context;
    (void)path;
    (void)plan;
    (void)is_confirmed;
    message[0] = '\0';
    saves++;
    return UI_WRITTEN;
}

static enum ui_own own(void *context, const char *path)
{
    (void)context;
    return strcmp(path, "own.yaml") != 0 ? UI_OWN_NONE : saves ? UI_OWN_WRITTEN : UI_OWN_READ;
}

static int save_settings(void *context, const struct settings *settings, char *message)
{
    (void)context;
    snprintf(message, UI_MESSAGE_MAX, "settings with %s", settings->theme);
    return 0;
}

static char *settings_text(void *context, const struct settings *settings)
{
    (void)context;
    (void)settings;
    return strdup("theme: default\nkeys:\n  undo: u\n");
}

static int journals_left;

static void leave_kept(void *context, int file)
{
    (void)context;
    (void)file;
    journals_left++;
}

static char kept_line[64];

static void lines(void *context, void (*take)(void *to, const char *line), void *to)
{
    (void)context;
    take(to, "pp 2");
    take(to, "tp 2");
}

static void keep_line(void *context, const char *line)
{
    (void)context;
    snprintf(kept_line, sizeof kept_line, "%.60s", line);
}

static int preset(void *context, enum param key, const char *name, struct plan *plan, char *message)
{
    (void)context;
    if (key != PARAM_hardware_gpu) {
        snprintf(message, UI_MESSAGE_MAX, "no such preset");
        return -1;
    }
    plan->gpu.memory_gib = plan->gpu.usable_gib = strcmp(name, "big") == 0 ? 80 : 24;
    plan->gpu.gpus_per_node = 8;
    plan->gpu.tflops_bf16 = 989;
    plan->gpu.memory_gb_s = 3350;
    plan->gpu.intra_node_gb_s = 450;
    plan->gpu.inter_node_gb_s = 50;
    plan->gpu.gemm_efficiency = plan->gpu.attention_efficiency = plan->gpu.memory_efficiency = 0.7;
    plan->gpu.link_efficiency = plan->gpu.network_efficiency = 0.7;
    snprintf(plan->gpu.name, sizeof plan->gpu.name, "%s", name);
    snprintf(plan->text[TEXT_GPU], PLAN_TEXT_MAX, "%s", name);
    plan->from[PARAM_hardware_gpu] = FROM_SET;
    return 0;
}

static size_t names(void *context, enum param key, const char *const **out)
{
    (void)context;
    *out = gpu_names;
    return key == PARAM_hardware_gpu ? 2 : 0;
}

static int theme(void *context, const char *name, struct theme *out, char *message)
{
    (void)context;
    (void)message;
    theme_default(out);
    snprintf(out->name, sizeof out->name, "%.30s", name);
    return 0;
}

static size_t themes(void *context, const char *const **out)
{
    (void)context;
    *out = theme_names;
    return 2;
}

static int autosave(void *context, const char *path, const struct plan *plan, const struct plan *saved, char *message)
{
    (void)saved;
    return save(context, path, plan, true, message);
}

static const struct ui_host host = {
    .load = load, .save = save, .own = own, .lines = lines, .keep_line = keep_line, .save_settings = save_settings,
    .settings_text = settings_text, .leave_kept = leave_kept, .preset = preset, .names = names, .theme = theme,
    .theme_names = themes, .autosave = autosave, .export_report = save,
};

/* A model of 70 billion parameters on 64 GPUs. */
static struct plan example(void)
{
    static const struct {
        const char *key, *value;
    } values[] = {{"model.name", "seventy"}, {"num_layers", "80"}, {"hidden_size", "8k"}, {"num_attention_heads", "64"},
                  {"num_query_groups", "8"},
                  {"ffn_hidden_size", "28672"}, {"gated_mlp", "on"}, {"vocab_size", "128256"}, {"seq_length", "8k"},
                  {"tp", "8"}, {"pp", "4"},
                  {"sp", "on"}, {"global_batch_size", "128"}, {"nodes", "8"}, {"zero_stage", "1"}};
    struct plan plan;
    char why[UI_MESSAGE_MAX];
    plan_clear(&plan);
    preset(NULL, PARAM_hardware_gpu, "big", &plan, why);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_int_equal(param_parse(&plan, (enum param)param_find(values[i].key), values[i].value, FROM_FILE, false,
                                     why), 0);
    return plan;
}

static struct bindings map; /* the program's own keys */

static struct ui *make(int width, int height)
{
    struct ui_options options = {.plan = &start_plan};
    start_plan = example();
    setlocale(LC_CTYPE, "C.UTF-8");
    struct ui *ui = ui_create(&host, &options, width, height);
    assert_non_null(ui);
    ui_update(ui);
    return ui;
}

/* The screen as one text, allocated. */
static char *kept_screen(struct ui *ui)
{
    struct canvas canvas = {0};
    assert_int_equal(canvas_resize(&canvas, ui->width, ui->height), 0);
    ui_update(ui);
    ui_draw(ui, &canvas);
    size_t size = (size_t)(ui->height + 1) * ((size_t)ui->width * 4 + 2);
    char *text = malloc(size);
    canvas_lines(&canvas, text, size);
    canvas_free(&canvas);
    return text;
}

static double tp(const struct ui *ui)
{
    return ui->now->plan.value[PARAM_parallel_tp];
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static void test_every_action_has_a_name_help_and_key(void **state)
{
    (void)state;
    for (int i = 1; i < ACTION_COUNT; i++) {
        int keys = 0;
        struct ui *ui = make(120, 40);
        ui_do(ui, (enum action)i);
        ui_update(ui);
        ui_free(ui);
        assert_true(actions[i].name && *actions[i].name && actions[i].help && *actions[i].help);
        for (int b = 0; b < map.count; b++)
            keys += (int)map.at[b].action == i;
        for (int mode = 0; mode < MODE_COUNT; mode++) /* those of an overlay stand there */
            for (const struct binding *own = overlays[mode]->keys; own && own->action != ACTION_NONE; own++)
                keys += (int)own->action == i;
        if (keys == 0)
            fail_msg("%s has no key", actions[i].name);
        for (int j = 1; j < i; j++)
            assert_string_not_equal(actions[i].name, actions[j].name);
    }
}

/* Each is found by its name. */
static void test_every_action_is_in_the_palette(void **state)
{
    (void)state;
    for (int i = 1; i < ACTION_accept; i++) {
        char script[64], command[48], view[48];
        struct ui *ui = make(80, 24);
        snprintf(script, sizeof script, "/ `%s`", actions[i].name);
        play(ui, script);
        snprintf(command, sizeof command, "command  %s", actions[i].name);
        snprintf(view, sizeof view, "view     %s", actions[i].name);
        char *text = kept_screen(ui);
        if (!strstr(text, command) && !strstr(text, view))
            fail_msg("%s is not found:\n%s", actions[i].name, text);
        free(text);
        ui_free(ui);
    }
}

static void test_no_key_means_two_things(void **state)
{
    (void)state;
    for (int i = 0; i < map.count; i++)
        for (int j = 0; j < i; j++)
            assert_false(map.at[i].mode == map.at[j].mode && map.at[i].key == map.at[j].key);
}

/*
 * What a view makes of keys: one meaning each, from the letters that views have for their own, with a sentence of help.
 */
static void test_views_have_keys_of_their_own(void **state)
{
    static const int keys_of_views[] = {KEY_TO_HOME, KEY_TO_END, KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_DELETE};
    (void)state;
    for (int view = PANE_FORMS; view < PANE_COUNT; view++)
        for (const struct view_key *own = panes[view]->keys; own && own->key; own++) {
            bool is_free = own->key < 128 && strchr("sovFKHmwcapDrx[]nN*f<> ", own->key);
            for (size_t i = 0; i < sizeof keys_of_views / sizeof *keys_of_views; i++)
                is_free |= own->key == keys_of_views[i];
            if (!is_free)
                fail_msg("%s: a view has no say in what %c means", view_rows[view].name, own->key);
            assert_true(own->help && *own->help && own->run);
            for (const struct view_key *other = panes[view]->keys; other < own; other++)
                assert_int_not_equal(other->key, own->key);
        }
}

/*
 * Other keys for actions: in place of theirs or beside them; some keys always mean the same, and none means two things.
 */
static void test_keys_can_be_others(void **state)
{
    (void)state;
    struct bindings own;
    char why[BINDINGS_WHY_MAX], keys[64];
    bindings_default(&own);
    assert_int_equal(bindings_bind(&own, "save-plan", "also F12", why), 0);
    assert_int_equal(keymap_find(&own, MODE_BROWSE, KEY_F12), ACTION_save);
    assert_int_equal(keymap_find(&own, MODE_BROWSE, KEY_CTRL('S')), ACTION_save);
    assert_int_equal(bindings_bind(&own, "step-up", "C-a p", why), 0);
    assert_int_equal(keymap_keys(&own, MODE_BROWSE, ACTION_step_up, 2, keys, sizeof keys), 2);
    assert_string_equal(keys, "^A p");
    assert_int_equal(keymap_find(&own, MODE_BROWSE, '+'), ACTION_NONE);
    assert_int_equal(bindings_bind(&own, "up", "none", why), 0);
    assert_int_equal(keymap_find(&own, MODE_BROWSE, KEY_ARROW_UP), ACTION_up);
    assert_int_equal(keymap_find(&own, MODE_BROWSE, 'k'), ACTION_NONE);
    assert_null(bindings_settle(&own, why));
    assert_int_equal(bindings_bind(&own, "undo", "Enter", why), -1);
    assert_non_null(strstr(why, "Enter always"));
    assert_int_equal(bindings_bind(&own, "undo", "Entre", why), -1);
    assert_int_equal(keymap_find(&own, MODE_BROWSE, 'u'), ACTION_undo);
    assert_int_equal(bindings_bind(&own, "undoo", "a", why), -1);
    assert_int_equal(bindings_bind(&own, "undo", "b", why), 0);
    assert_string_equal(bindings_settle(&own, why), "undo");
    assert_string_equal(why, "b is a key of baseline already; give that others, as in `baseline: none`");
    assert_int_equal(keymap_find(&own, MODE_BROWSE, 'u'), ACTION_undo); /* which is its own again */
    assert_null(bindings_settle(&own, why));
    for (int i = 0; i < 300; i++)
        bindings_bind(&own, "zoom", "also a c f n o p r s A C D F H I J K L N O P", why);
    assert_true(own.count <= BINDINGS_MAX);
}

static void test_every_hint_has_a_key(void **state)
{
    (void)state;
    char keys[64];
    for (int i = 0; i < hint_count; i++)
        assert_true(keymap_keys(&map, hints[i].mode, hints[i].action, 1, keys, sizeof keys) > 0);
}

/* Keys that an overlay brings: each does one thing there, and the overlay has what it asks for. */
static void test_overlays_answer_to_their_keys(void **state)
{
    (void)state;
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        const struct overlay *overlay = overlays[mode];
        assert_non_null(overlay);
        assert_true(!overlay->draw == !overlay->title);
        for (const struct binding *b = overlay->keys; b && b->action != ACTION_NONE; b++) {
            assert_int_equal(b->mode, mode);
            assert_int_equal(keymap_find(&map, (enum mode)mode, b->key), b->action);
            for (const struct binding *other = overlay->keys; other < b; other++)
                assert_int_not_equal(other->key, b->key);
            assert_true(b->action != ACTION_accept || overlay->accept);
            assert_true(b->action != ACTION_copy || overlay->copy);
            assert_true(b->action != ACTION_down || overlay->move);
            assert_true(b->action != ACTION_page_down || (overlay->move && overlay->page));
        }
    }
}

static void test_every_hint_of_an_overlay_has_a_key(void **state)
{
    (void)state;
    char keys[64];
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        const struct hint *h;
        int count = 0;
        for (int i = 0; (h = hint_at((enum mode)mode, i)); i++)
            if ((int)h->mode == mode && ++count)
                assert_true(keymap_keys(&map, h->mode, h->action, 1, keys, sizeof keys) > 0);
        assert_true(count > 0);
    }
}

static void test_every_key_of_the_plan_is_in_one_form(void **state)
{
    (void)state;
    int seen[PARAM_COUNT] = {0};
    for (int form = 0; form < PANE_FORMS; form++) {
        enum param fields[FORM_FIELDS_MAX];
        int count = form_fields((enum pane_id)form, fields);
        assert_true(count > 0 && count < FORM_FIELDS_MAX);
        for (int i = 0; i < count; i++)
            seen[fields[i]]++;
    }
    for (int id = 0; id < PARAM_COUNT; id++)
        if (seen[id] != 1)
            fail_msg("%s is in %d forms", param_rows[id].dotted, seen[id]);
}

/* ---- behaviour --------------------------------------------------------------------------------------------------- */

static void test_step_edit_and_undo(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, "-");
    assert_true(tp(ui) == 4);
    play(ui, "Enter 2 Enter");
    assert_true(tp(ui) == 2);
    play(ui, "u u");
    assert_true(tp(ui) == 8 && plan_equal(&ui->plan, &start_plan));
    play(ui, "^R");
    assert_true(tp(ui) == 4);
    ui_free(ui);
}

static void test_expressions_and_relative_values(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, "Enter 32/pp Enter");
    assert_true(tp(ui) == 8);
    play(ui, "Enter /2 Enter");
    assert_true(tp(ui) == 4);
    play(ui, "Enter x2 Enter");
    assert_true(tp(ui) == 8);
    play(ui, "Enter +8 Enter");
    assert_true(tp(ui) == 16);
    ui_free(ui);
}

static void test_bad_text_stays_for_correction(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, "Enter 8x Enter");
    assert_int_equal(ui->mode, MODE_EDIT);
    assert_true(tp(ui) == 8);
    play(ui, "Esc");
    assert_int_equal(ui->mode, MODE_BROWSE);
    assert_int_equal(ui->history.count, 1);
    ui_free(ui);
}

static void test_invalid_value_stays_and_results_are_stale(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, "Enter 7 Enter");
    assert_true(tp(ui) == 7);
    expect(ui, " NOT VALID ");
    expect(ui, "64 \xc3\x97 BIG");
    expect(ui, "as fast");
    expect(ui, "does not divide");
    play(ui, ": `nodes 3` Enter");
    expect(ui, "24 \xc3\x97 BIG"); /* the plan as typed, not the last valid one */
    play(ui, "u 0 Esc");
    play(ui, "Down Enter");
    expect(ui, "tp: tp 7 does not divide");
    play(ui, "Esc Up u");
    assert_true(ui->shown == ui->now);
    play(ui, "e"); /* what works is of the key that is named */
    expect(ui, "pp: tp x pp x cp");
    ui_free(ui);
}

static void test_views_and_absent_keys(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, "2");
    expect(ui, " Traffic ");
    play(ui, "3");
    expect(ui, " Devices ");
    play(ui, "5");
    expect(ui, " Layers ");
    play(ui, "8");
    expect(ui, " Layouts ");
    for (const char *key = "KQ"; *key; key++) {
        char text[40], script[2] = {*key, '\0'};
        play(ui, script);
        snprintf(text, sizeof text, "%c does nothing here", *key);
        expect(ui, text);
    }
    play(ui, "e ^S");
    expect(ui, "^S does nothing here");
    ui_free(ui);
}

static void test_time_is_a_view_and_figures_are_fields(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, "t t");
    expect(ui, " Time ");
    expect(ui, "c compute");
    expect_not(ui, "none in this plan");
    play(ui, "e");
    expect(ui, "compute_s");
    play(ui, "q Down Enter");
    assert_int_equal(ui->view, PANE_COMM);
    play(ui, "t Down Down Enter");
    assert_int_equal(ui->view, PANE_SCHEDULE);
    expect(ui, "waited ");
    play(ui, "t Up Up Up Enter Down Down");
    expect(ui, "  f forward");
    expect(ui, "b  backward passes");
    play(ui, "e");
    expect(ui, "time.stages.3.backward_s");
    play(ui, "q Enter");
    assert_int_equal(ui->view, PANE_LAYERS);
    play(ui, "t Up Up Enter");
    assert_false(ui->opens_compute);
    play(ui, "Esc 0 Right Right e");
    expect(ui, "Explain  time.mfu");
    play(ui, "q");
    assert_int_equal(ui->mode, MODE_FIGURES);
    play(ui, "Left Enter");
    assert_int_equal(ui->mode, MODE_BROWSE);
    assert_int_equal(ui->view, PANE_TIME);
    play(ui, "Esc b -");
    expect(ui, "against pinned 1");
    ui_free(ui);
}

static void test_communication_says_where_and_adds_up(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, "2");
    expect(ui, "tp   AG  bwd attn, mlp out");
    expect(ui, "=   tp in all");
    expect(ui, "one GPU of stage 3 sends");
    play(ui, "f");
    assert_int_equal(ui->traffic.only, 1);
    play(ui, "f f f s s s s a");
    assert_int_equal(ui->traffic.only, 0);
    assert_int_equal(ui->traffic.sort, TRAFFIC_BY_TIME);
    assert_true(ui->traffic.is_all);
    ui_free(ui);
}

static void test_layers_add_up_to_the_stage(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    char kept[32];
    play(ui, "5");
    snprintf(kept, sizeof kept, " %.1f ", ui->shown->stage[0].activations_bytes / 0x1p20);
    expect(ui, kept);
    expect(ui, "- attention x 20");
    expect(ui, "up projection");
    play(ui, "*");
    expect(ui, "+ MLP x 20");
    play(ui, "Down Down Down Enter Down");
    expect(ui, "up projection");
    play(ui, "> > >");
    expect(ui, "+ output layer, loss");
    ui_free(ui);
}

/* Blanks views that stay as they are until what they show is known, so that they are not compared. */
static void blank_what_waits(const struct ui *ui, struct canvas *canvas)
{
    for (int i = 0; i < ui->layout.slots; i++)
        if (ui->layout.slot[i].pane != ui->view && advisor_owes(ui, ui->layout.slot[i].pane))
            canvas_blank(canvas, ui->layout.slot[i].rect);
}

/* A frame that draws only what has changed looks like one that draws everything, after any of 10,000 keys. */
static void test_changed_panes_are_all_that_is_drawn(void **state)
{
    static const char *const keys[] = {"+", "-", "Down", "Up", "Left", "Right", "Tab", "1", "2", "3", "4", "5", "t",
                                       "6", "7", "8", "d", "b", "u", "z", "v", "<", ">", "s", "Space", "D", "T",
                                       "a", "f", "*", "w", "n", "m", "]", "Enter", "Esc", "e", "q", "0", "?", "Esc",
                                       "x Esc", "PgDn", "End", "Home"};
    static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 50}, {40, 12}};
    (void)state;
    srand(3);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct ui *ui = make(sizes[i][0], sizes[i][1]);
        struct canvas kept = {0}, fresh = {0};
        canvas_resize(&kept, ui->width, ui->height);
        canvas_resize(&fresh, ui->width, ui->height);
        for (int k = 0; k < check_cases(2500); k++) {
            const char *key = keys[rand() % (int)COUNT(keys)];
            play(ui, ui->mode == MODE_QUIT || ui->mode == MODE_QUESTION ? "Esc" : key);
            ui->is_done = false;
            ui_update(ui);
            canvas_clear(&fresh);
            ui_draw(ui, &fresh);
            ui_draw(ui, &kept);
            struct canvas shown = {0};
            canvas_resize(&shown, ui->width, ui->height);
            memcpy(shown.cells, kept.cells, (size_t)(ui->width * ui->height) * sizeof *kept.cells);
            blank_what_waits(ui, &fresh);
            blank_what_waits(ui, &shown);
            for (int c = 0; c < ui->width * ui->height; c++)
                if (memcmp(&shown.cells[c], &fresh.cells[c], sizeof *fresh.cells) != 0)
                    fail_msg("%dx%d, key %d '%s': cell %d, %d is '%c', not '%c'", ui->width, ui->height, k, key,
                             c % ui->width, c / ui->width, (int)shown.cells[c].glyph, (int)fresh.cells[c].glyph);
            canvas_free(&shown);
        }
        canvas_free(&kept);
        canvas_free(&fresh);
        ui_free(ui);
    }
}

/* The figure before " GiB" in a text; false where there is none. */
static bool copy_gib(const char *text, char out[16])
{
    const char *end = strstr(text, " GiB"), *start = end;
    while (start && start > text && strchr("0123456789.", start[-1]))
        start--;
    if (!start || start == end)
        return false;
    snprintf(out, 16, "%.*s", (int)(end - start), start);
    return true;
}

/* What a step is said to come to is what the figures have after it, digit by digit. */
static void test_previews_are_what_follows(void **state)
{
    static const char *const fields[] = {"tp", "pp", "vpp", "cp", "micro_batch_size", "seq_length", "num_layers",
                                         "nodes", "zero_stage"};
    (void)state;
    int compared = 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        char script[64], preview[16], figure[32];
        struct ui *ui = make(80, 24);
        snprintf(script, sizeof script, "/ `%s` Enter", fields[i]);
        play(ui, script);
        char *text = kept_screen(ui), *up = text;
        for (int row = 0; row < 22; row++)
            up = strchr(up, '\n') + 1;
        up = strstr(up, "+ ");
        if (up && copy_gib(up, preview) && !strstr(up, "tight")) { /* of which the chance is said */
            play(ui, "+");
            snprintf(figure, sizeof figure, "%s GiB ", preview);
            expect(ui, figure);
            compared++;
        }
        free(text);
        ui_free(ui);
    }
    assert_true(compared > 4);
}

/* Where no pane has room: the verdict, one field with its steps, and bars as far as they go. */
static void test_small_screens_have_a_field_and_its_steps(void **state)
{
    (void)state;
    struct ui *ui = make(40, 12);
    expect(ui, "[Layout] tp - 8 +");
    expect(ui, "  1 2 4 <8> 16");
    expect(ui, "  - 4   ");
    expect(ui, "s2 ");
    expect(ui, "Enter type  - + step  / find  ? keys");
    play(ui, "Down + Enter");
    assert_int_equal(ui->mode, MODE_EDIT);
    play(ui, "2 Enter t");
    expect(ui, " Time ");
    play(ui, "Esc");
    expect(ui, "pp - 2 +");
    ui_resize(ui, 20, 6);
    expect(ui, "pp - 2 +\n- 1: ");
    play(ui, "Enter 3 Enter");
    expect(ui, "NOT VALID pp");
    ui_free(ui);
}

static void test_presenting_has_high_bars(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, ": present Enter");
    expect(ui, " optimizer ");
    expect(ui, "W weights  G gradients");
    assert_int_equal(layout_find(&ui->layout, PANE_MEMORY).width, 80);
    play(ui, "+");
    expect(ui, "tp 8 -> 16: ");
    play(ui, ": present Enter");
    assert_true(layout_find(&ui->layout, PANE_MEMORY).width < 60);
    ui_free(ui);
}

/* Rows of the lowest bar below the title: runs of alike cells of a bar, one below the other. */
static int lowest_bar(struct ui *ui)
{
    enum { TITLE = 7 };
    struct canvas canvas = {0};
    int lowest = ui->height, rows = 0, x = ui->width / 8;
    assert_int_equal(canvas_resize(&canvas, ui->width, ui->height), 0);
    ui_update(ui);
    ui_draw(ui, &canvas);
    for (int y = TITLE; y < ui->height - 4; y++) {
        enum role role = canvas.cells[y * ui->width + x].role;
        bool is_bar = (role >= ROLE_WEIGHTS && role <= ROLE_DRIVER) || role == ROLE_TRACK || role == ROLE_USEFUL ||
                      role == ROLE_BELOW || role == ROLE_TRAFFIC || role == ROLE_TRAFFIC_MOST ||
                      (role >= ROLE_HEAT1 && role <= ROLE_HEAT5);
        if (!is_bar && rows > 0)
            lowest = rows < lowest ? rows : lowest;
        rows = is_bar ? rows + 1 : 0;
    }
    canvas_free(&canvas);
    return lowest;
}

/* Every figure for an audience: at most forty words, no bar lower than four rows. */
static void test_a_lecture_has_few_words_and_high_bars(void **state)
{
    enum { WORDS_MOST = 40, ROWS_LEAST = 4 };
    static const char figures[] = "12345678t", barred[] = "1235t";
    (void)state;
    struct ui *ui = make(120, 40);
    play(ui, ": present Enter");
    for (const char *key = figures; *key; key++) {
        play(ui, (const char[]){*key, '\0'});
        advisor_finish(ui);
        ui_update(ui);
        int words = words_shown(ui), rows = strchr(barred, *key) ? lowest_bar(ui) : ROWS_LEAST;
        if (words > WORDS_MOST || words < 15 || rows < ROWS_LEAST || rows == ui->height)
            fail_msg("figure %c: %d words, lowest bar of %d rows:\n%s", *key, words, rows, kept_screen(ui));
    }
    ui_free(ui);
}

/* Digits three rows high, one sentence, few words; Space goes on, a full stop shows nothing. */
static void test_a_lecture_goes_on_by_space(void **state)
{
    enum { WORDS_MOST = 40 };
    (void)state;
    struct ui *ui = make(120, 40);
    play(ui, ": present Enter 1");
    expect(ui, "\xe2\x96\x80\xe2\x96\x88"); /* of a digit */
    expect(ui, "Stage 0 keeps activations of 4 micro-batches, stage 3 of 1.");
    assert_in_range(words_shown(ui), 10, WORDS_MOST);
    play(ui, "Space");
    assert_int_equal(ui->view, PANE_TIME);
    assert_in_range(words_shown(ui), 10, WORDS_MOST);
    play(ui, ".");
    expect_not(ui, "stage");
    play(ui, "4");
    expect(ui, "4 Schedule");
    assert_in_range(words_shown(ui), 10, WORDS_MOST);
    play(ui, "6");
    advisor_finish(ui);
    ui_update(ui);
    expect(ui, " s   ");
    expect_not(ui, "only if your framework");
    assert_in_range(words_shown(ui), 10, WORDS_MOST);
    ui_free(ui);
}

/* Rows that begin as the row at `at` does, from it on. */
static int rows_alike(const char *at)
{
    int rows = 0;
    size_t width = strcspn(at, "\n") < 30 ? strcspn(at, "\n") : 30;
    for (const char *row = at; row && strncmp(row + 8, at + 8, width - 8) == 0; rows++)
        row = strchr(row, '\n') ? strchr(row, '\n') + 1 : NULL;
    return rows;
}

/* Of the page an audience has bars several rows high that fill it, what their letters mean, and no form or table. */
static void test_a_lecture_is_legible_at_every_size(void **state)
{
    static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}}, high[] = {1, 3, 5};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct ui *ui = make(sizes[i][0], sizes[i][1]);
        play(ui, ": present Enter");
        assert_int_equal(layout_find(&ui->layout, PANE_MEMORY).width, sizes[i][0]);
        expect(ui, " optimizer ");
        expect(ui, "W weights  G gradients");
        expect_not(ui, "allocated (torch"); /* the table is for who sits before it */
        char *text = kept_screen(ui);
        const char *bar = strstr(text, "\n        \xe2\x96\x88\xe2\x96\x88");
        assert_true(bar && rows_alike(bar + 1) >= high[i]); /* above the row with the words, two below it */
        free(text);
        play(ui, "t");
        expect(ui, " compute ");
        expect(ui, "c compute ");
        expect_not(ui, "= iteration");
        play(ui, "4");
        text = kept_screen(ui);
        assert_true(rows_alike(strstr(text, "\n        0\xe2\x96\x92") + 1) >= 2);
        free(text);
        static const char *const views[] = {"2", "3", "5", "6", "7", "8"};
        for (size_t k = 0; k < sizeof views / sizeof *views; k++) {
            play(ui, views[k]);
            assert_int_equal(layout_find(&ui->layout, ui->view).width, sizes[i][0]);
            assert_int_equal(layout_find(&ui->layout, PANE_PARALLEL).width, 0);
        }
        ui_free(ui);
    }
}

static void test_batches_have_a_curve(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, ": `set workload inference` Enter : `set tp 8` Enter t");
    assert_true(ui->curve.count > 4);
    play(ui, "Down Down Enter");
    assert_true(ui->plan.value[PARAM_serve_batch_size] == 4);
    ui_free(ui);
}

static void test_the_schedule_is_a_chart_and_a_table(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, "4 v Down Down");
    expect(ui, "passes of stage 0 of 0-3");
    expect(ui, "     3  f2 ");
    assert_int_equal(ui->schedule.event, 2);
    play(ui, "Right");
    expect(ui, "f1 of s0");
    play(ui, "v Esc Esc b - 4");
    expect(ui, "; pinned 1: ");
    ui_free(ui);
}

static void test_the_scale_of_the_schedule_ends_where_all_is_shown(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, "4 w ]");
    expect(ui, "all of it is on the screen: [ is finer, w goes back");
    double whole_s = ui->schedule.column_s;
    play(ui, "End [");
    assert_true(!ui->schedule.is_whole && ui->schedule.column_s < whole_s);
    expect(ui, "Pass 128 of 128 on stage 0");
    play(ui, "] ] ] ] ] ] ] ]");
    expect(ui, "all of it is on the screen: [ is finer");
    assert_true(ui->schedule.column_s < 1);
    static const double scales[] = {0.2, 0.1, 0.05, 0.02, 0.01, 0.005};
    for (size_t i = 0; i < COUNT(scales); i++) {
        play(ui, "[");
        assert_float_equal(ui->schedule.column_s, scales[i], 1e-9);
    }
    ui_free(ui);
}

static void test_grid_speaks_in_ranks(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, "3 : `rank 37` Enter");
    expect(ui, "rank 37 = n4 g5: stage 2 tp 5");
    expect(ui, "32-39");
    expect(ui, "37 45");
    expect(ui, "5 21 37 53");
    play(ui, "Down");
    assert_int_equal(ui->rank, 45);
    expect(ui, "(pp)"); /* the label's group is marked, then the next */
    play(ui, "m");
    expect(ui, "(tp)");
    play(ui, "H");
    expect(ui, ". : - = # ");
    expect(ui, "#0#");
    play(ui, "H");
    expect(ui, "busy ");
    play(ui, "H");
    play(ui, "Esc : `set nodes 1024` Enter : `set global_batch_size 8192` Enter 3");
    expect(ui, " x256");
    play(ui, "Down Enter"); /* a kind opens node by node, a node its stage */
    assert_int_equal(ui->view, PANE_GRID);
    expect(ui, "n256");
    expect(ui, "n257");
    play(ui, "o");
    expect(ui, " x256");
    play(ui, "Enter Down Enter");
    assert_int_equal(ui->view, PANE_MEMORY);
    assert_int_equal(ui->stage, 1);
    ui_free(ui);
}

/* Below the last node stand the groups; the row of one opens into its members by node. */
static void test_a_group_opens_into_its_members(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, ": `rank 61` Enter Down");
    expect(ui, "tp of rank 61: Enter lists its members by node");
    play(ui, "Down Enter");
    expect(ui, "dp 2 by node");
    expect(ui, " n6 g5  [n7 g5]");
    play(ui, "Left");
    assert_int_equal(ui->rank, 53);
    expect(ui, "[n6 g5]  n7 g5");
    play(ui, "Esc Up Enter");
    expect(ui, "[n6 g0-7]");
    play(ui, "Enter Up Up");
    assert_int_equal(ui->rank, 45);
    play(ui, "Enter");
    assert_int_equal(ui->view, PANE_MEMORY);
    play(ui, ": `tp=2 sp=false nodes=64 gbs=1024` Enter : `rank 389` Enter Down Down");
    expect(ui, "dp of rank 389");
    play(ui, "Enter");
    expect(ui, "[n48 g1-7 step 2]  n49 g1-7 step 2");
    play(ui, "Left Left Right Right Right");
    assert_int_equal(ui->rank, 48 * 8 + 7);
    play(ui, "Right Down");
    assert_int_equal(ui->rank, 51 * 8 + 1);
    play(ui, "PgDn PgDn"); /* to the last */
    assert_int_equal(ui->rank, 63 * 8 + 1);
    play(ui, ": `tp=2 pp=4 nodes=1` Enter Esc"); /* the group is gone, and its list */
    assert_false(ui->is_view_focused);
    ui_free(ui);
}

static void test_ranks_are_completed(void **state)
{
    (void)state;
    static const struct {
        const char *keys, *offered, *line;
    } cases[] = {
        {": `rank `", "rank N: 0 to 63, or n0g0 to n7g7;", "rank "},
        {"^U `rank n`", "n0 n1 n2 n3 n4 n5 n6 n7", "rank n"},
        {"^U `rank n4` Tab", "n4g0 n4g1 n4g2", "rank n4g"},
        {"^U `rank n9`", "rank N: 0 to 63", "rank n9"},
        {"^U `rank 9223372036854775807`", "rank N: 0 to 63", "rank 9223372036854775807"},
        {"^U `rank 6`", "6 60 61 62 63", "rank 6"},
        {"^U `rank 7` Tab", "rank N: 0 to 63", "rank 7 "},
        {"^U `tp `", "1 2 4 8 16", "tp "},
        {"^U `tp=2 pp=`", "1 2 4 8", "tp=2 pp="},
    };
    struct ui *ui = make(100, 30);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        play(ui, cases[i].keys);
        expect(ui, cases[i].offered);
        assert_string_equal(ui->edit.text, cases[i].line);
    }
    ui_free(ui);
}

static void test_command_line(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, ": `set tp 4` Enter");
    assert_true(tp(ui) == 4);
    play(ui, ": `set paralel.tp 8` Enter");
    expect(ui, "did you mean parallel.tp");
    assert_int_equal(ui->mode, MODE_COMMAND); /* for correction */
    play(ui, "Esc : `load nowhere.yaml` Enter");
    expect(ui, "cannot be opened");
    play(ui, "Esc : `set seq_l` Tab 4k Enter");
    assert_true(ui->now->plan.value[PARAM_train_seq_length] == 4096);
    play(ui, ": undo Enter");
    assert_true(ui->now->plan.value[PARAM_train_seq_length] == 8192);
    play(ui, ": largest Enter");
    expect(ui, "are the most that fit");
    assert_true(ui->now->fits);
    double layers = ui->plan.value[PARAM_model_num_layers];
    play(ui, ": undo Enter");
    assert_true(ui->plan.value[PARAM_model_num_layers] != layers);
    ui_free(ui);
}

/* What a command refuses stays for correction, with what was typed. */
static void test_refused_lines_stay(void **state)
{
    (void)state;
    static const struct {
        const char *line, *why;
    } refused[] = {
        {"sweep tp=1,2,", "tp: empty value in '1,2,'"},
        {"sweep tp=", "tp: no values; write tp=1,2,4"},
        {"sweep tp=1 tp=2", "tp: key given twice"},
        {"sweep tp=1 pp=2 cp=1", "two keys at most; remove 'cp=1'"},
        {"sweep tp=x", "tp: 'x'"},
        {"sweep crystals=1", "unknown key 'crystals'"},
        {"sweep seq_length=1k..9M+1", "more than 256 values"},
        {"search crystals", "unknown objective"},
        {"search max-memory=much", "not a size"},
        {"search where=pp>x", "pp"},
        {"compare nowhere.yaml", "cannot be opened"},
        {"load nowhere.yaml", "cannot be opened"},
        {"load", "name a file"},
        {"save -", "name a file"},
        {"rank 64", "there are 0 to 63"},
        {"go crystals", "not a key"},
        {"explain time.crystals", "unknown value"},
        {"settings mouse maybe", "not one of"},
        {"shot plan.png", "end the name"},
        {"baseline 7", "nothing is pinned"},
        {"set tp 3x", "cannot be read"},
    };
    struct ui *ui = make(80, 24);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        play(ui, ":");
        for (const char *p = refused[i].line; *p; p++)
            ui_event(ui, &(struct event){.key = (unsigned char)*p});
        play(ui, "Enter");
        bool stays = ui->mode == MODE_COMMAND && strcmp(ui->edit.text, refused[i].line) == 0;
        if (!stays || !strstr(ui->message, refused[i].why))
            fail_msg("%s: mode %d, '%s': %s", refused[i].line, ui->mode, ui->edit.text, ui->message);
        play(ui, "Esc");
    }
    assert_int_equal(ui->history.count, 1);
    ui_free(ui);
}

/* One grammar: several keys at once, in any order, by any of their names. */
static void test_lines_set_keys(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum param id[2];
        double value[2];
    } good[] = {
        {"tp 4", {PARAM_parallel_tp, PARAM_parallel_pp}, {4, 4}},
        {"tp=4 pp=8", {PARAM_parallel_tp, PARAM_parallel_pp}, {4, 8}},
        {"set tp 4", {PARAM_parallel_tp, PARAM_parallel_pp}, {4, 4}},
        {"pp=tp*2, tp: 2", {PARAM_parallel_tp, PARAM_parallel_pp}, {2, 4}},
        {"tp 64 / pp", {PARAM_parallel_tp, PARAM_parallel_pp}, {16, 4}},
        {"mbs x2", {PARAM_train_micro_batch_size, PARAM_parallel_tp}, {2, 8}},
        {"micro batch 2 kv heads 4", {PARAM_train_micro_batch_size, PARAM_model_num_query_groups}, {2, 4}},
        {"gpus 128", {PARAM_hardware_nodes, PARAM_hardware_gpus_per_node}, {16, 8}},
        {"gpus 4", {PARAM_hardware_nodes, PARAM_hardware_gpus_per_node}, {1, 4}},
        {"small nodes 16", {PARAM_hardware_nodes, PARAM_hardware_usable_gib}, {16, 24}},
        {"layers 40", {PARAM_model_num_layers, PARAM_parallel_tp}, {40, 8}},
        {"seq 8,192 total_tokens 1.5T tokens", {PARAM_train_seq_length, PARAM_train_total_tokens}, {8192, 1.5e12}},
        {"price $2.5/h availability 90%", {PARAM_hardware_price_per_gpu_hour, PARAM_hardware_availability}, {2.5, 0.9}},
        {"tp - sp default", {PARAM_parallel_tp, PARAM_parallel_sp}, {4, 0}},
    };
    static const struct {
        const char *line, *why;
        int at;
    } bad[] = {
        {"tp 4 pq 8", "'pq' is not a key; did you mean parallel.pp", 5}, {"tp=7x pp=4", "cannot be read", 3},
        {"set batch_size 4", "micro_batch_size or global_batch_size", 15}, {"tp 4 pp", "pp has no value", 5},
        {"undoo", "did you mean undo", 0}, {"und o", "undo takes nothing", 0},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct ui *ui = make(120, 40);
        if (!command_run(ui, good[i].line))
            fail_msg("%s: %s", good[i].line, ui->message);
        for (int j = 0; j < 2; j++)
            if (ui->now->plan.value[good[i].id[j]] != good[i].value[j])
                fail_msg("%s: %s is %g", good[i].line, param_rows[good[i].id[j]].key,
                         ui->now->plan.value[good[i].id[j]]);
        assert_int_equal(ui->history.count, 2);
        ui_free(ui);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ui *ui = make(120, 40);
        assert_false(command_run(ui, bad[i].line));
        if (!strstr(ui->message, bad[i].why) || ui->fault.at != bad[i].at)
            fail_msg("%s: at %d: %s", bad[i].line, ui->fault.at, ui->message);
        assert_int_equal(ui->history.count, 1);
        ui_free(ui);
    }
}

/* What is said names what changes, and of names as near the one that takes a value. */
static void test_lines_say_what_they_did(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, ": `tp 4 pp 4` Enter");
    expect(ui, "tp 8 -> 4");
    assert_null(strstr(ui->message, "pp"));
    play(ui, ": `tpp 4` Enter");
    expect(ui, "did you mean tp?");
    play(ui, "Esc : present Enter t"); /* bars of three rows, and what their letters mean below */
    expect(ui, "stage 0 ");
    expect(ui, "c compute ");
    ui_free(ui);
}

/* What the line would do stands below it; Up brings back lines of before. */
static void test_command_line_shows_effects_and_remembers(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, ": `tp 4`");
    expect(ui, " over; ");
    play(ui, "Enter : Up");
    assert_string_equal(ui->edit.text, "tp 4");
    assert_string_equal(kept_line, "tp 4");
    play(ui, "Up"); /* those of earlier runs stand before */
    assert_string_equal(ui->edit.text, "tp 2");
    play(ui, "Esc : pp ^R");
    assert_string_equal(ui->edit.text, "pp 2");
    play(ui, "^R");
    expect(ui, "no earlier line has 'pp' in it");
    play(ui, "Down Esc : `rank 37` Enter");
    assert_int_equal(ui->rank, 37);
    assert_int_equal(ui->view, PANE_GRID);
    play(ui, ": `rank n4g5` Enter");
    assert_int_equal(ui->rank, 37);
    play(ui, ": `rank 64` Enter");
    expect(ui, "there are 0 to 63");
    play(ui, "Esc : `rank n1g9` Enter");
    expect(ui, "there are 0 to 63");
    assert_int_equal(ui->rank, 37);
    play(ui, "Esc : `label run 17` Enter");
    assert_string_equal(ui->plan.text[TEXT_MODEL], "run 17");
    ui_free(ui);
}

static void test_names_step_and_are_checked(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, ": `go hardware.gpu` Enter +");
    assert_string_equal(ui->plan.gpu.name, "small");
    expect(ui, "DOES NOT FIT ");
    play(ui, ": `gpu bigg` Enter");
    expect(ui, "did you mean big");
    play(ui, "Esc Enter bi Enter");
    assert_string_equal(ui->plan.gpu.name, "big");
    ui_free(ui);
}

/*
 * The first change of a file that was read is shown before it is written; later ones are not, unless the user wants
 * that.
 */
static void test_the_first_save_asks(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    saves = 0;
    snprintf(ui->path, sizeof ui->path, "own.yaml");
    play(ui, "- ^S");
    expect(ui, "own.yaml: 1 value changes: tp 8 -> 4");
    expect(ui, "y writes it");
    play(ui, "Esc");
    assert_int_equal(saves, 0);
    play(ui, "^S d");
    assert_int_equal(ui->mode, MODE_CHANGES);
    expect(ui, "8 -> 4");
    play(ui, "a");
    assert_string_equal(ui->edit.text, "save ");
    play(ui, "Esc ^S y");
    assert_int_equal(saves, 1);
    play(ui, "Esc + ^S");
    assert_int_equal(saves, 2);
    play(ui, ": `settings confirm_save always` Enter - ^S");
    expect(ui, "own.yaml: 1 value changes");
    play(ui, "Esc q s");
    expect(ui, "own.yaml: 1 value changes");
    play(ui, "y");
    assert_int_equal(saves, 3);
    assert_true(ui->is_done);
    ui_free(ui);
}

static void test_settings_are_commands(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, ": `settings th` Tab other Enter");
    assert_string_equal(ui->theme.name, "other");
    play(ui, ": `settings start_view ti` Tab Enter");
    assert_int_equal(ui->settings.start_view, PANE_TIME - PANE_FORMS);
    play(ui, ": `settings mouse yes` Enter");
    expect(ui, "'yes' is not one of false true");
    play(ui, "Esc : `settings mouse true` Enter");
    assert_true(ui->has_mouse);
    play(ui, ": `settings save` Enter");
    expect(ui, "saved settings with other");
    ui_free(ui);
}

/* Its letters close nothing, however fast they are typed. */
static void test_the_command_q_leaves(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    ui->clock_ms = 5000;
    play(ui, ": `q` Enter");
    assert_true(ui->is_done);
    ui_free(ui);
}

/* What was assumed is given once its own value was typed. */
static void test_an_assumed_value_is_confirmed(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    enum param id = PARAM_train_micro_batch_size;
    ui->plan.value[id] = 1;
    ui->plan.from[id] = FROM_ASSUMED;
    play(ui, ": `mbs 1` Enter");
    assert_int_equal(ui->plan.from[id], FROM_SET);
    play(ui, ": `mbs 1` Enter");
    expect(ui, "nothing changes");
    ui_free(ui);
}

/* The first key would serve a request, and draw the whole screen anew. */
static void test_a_theme_is_taken_before_the_first_frame(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    struct ui_options options = {.plan = &ui->plan, .theme = "other"};
    struct ui *themed = ui_create(&host, &options, 80, 24);
    assert_non_null(themed);
    assert_string_equal(themed->theme.name, "other");
    assert_int_equal(themed->request, 0);
    ui_free(themed);
    ui_free(ui);
}

/* What is not saved when another file is loaded is kept, and undo goes back to its file. */
static void test_loading_loses_nothing(void **state)
{
    struct ui *ui = make(80, 24);
    (void)state;
    journals_left = 0;
    snprintf(ui->path, sizeof ui->path, "own.yaml");
    play(ui, ": `load other.yaml` Enter");
    assert_int_equal(journals_left, 0); /* nothing was changed */
    play(ui, "u");
    assert_string_equal(ui->path, "own.yaml");
    play(ui, "- : `load other.yaml` Enter");
    assert_int_equal(journals_left, 1);
    assert_string_equal(ui->path, "other.yaml");
    assert_false(ui_is_modified(ui));
    play(ui, "u");
    assert_string_equal(ui->path, "own.yaml");
    assert_true(ui_is_modified(ui) && tp(ui) == 4);
    play(ui, "^R");
    assert_int_equal(journals_left, 2);
    assert_string_equal(ui->path, "other.yaml");
    ui_free(ui);
}

static struct questions read_last;

static const struct questions *questions_of_last(void *context)
{
    (void)context;
    return &read_last;
}

static char reopened[64];

static void reopen(void *context, const char *path, const struct questions *questions)
{
    (void)context;
    snprintf(reopened, sizeof reopened, "%.40s %d", path, questions ? questions->count : 0);
}

/* What a file left open is open again when undo goes back to it. */
static void test_undo_brings_questions_back(void **state)
{
    (void)state;
    struct ui_host reader = host;
    struct ui *ui = make(80, 24);
    reader.questions = questions_of_last;
    reader.reopen = reopen;
    ui->host = &reader;
    snprintf(ui->path, sizeof ui->path, "run.sh");
    read_last = (struct questions){
        .count = 1, .item[0] = {.variable = "TP", .decides = {PARAM_parallel_tp}, .count = 1}};
    ui->plan.from[PARAM_parallel_tp] = FROM_ASSUMED;
    history_push(&ui->history, &ui->plan, "load");
    ui->options.questions = &read_last;
    assert_int_equal(messages_open(ui), 1);
    struct questions first = read_last;
    ui->options.questions = &first;
    read_last.count = 0;
    play(ui, ": `load other.yaml` Enter");
    assert_int_equal(messages_open(ui), 0);
    play(ui, "u");
    assert_int_equal(messages_open(ui), 1);
    assert_string_equal(reopened, "run.sh 1");
    play(ui, "^R");
    assert_int_equal(messages_open(ui), 0);
    assert_string_equal(reopened, "other.yaml 0");
    ui_free(ui);
}

static void test_commands_of_the_grammar(void **state)
{
    struct ui *ui = make(80, 24);
    (void)state;
    play(ui, ": `#37` Enter");
    assert_int_equal(ui->rank, 37);
    play(ui, ": `# 12` Enter");
    assert_int_equal(ui->rank, 12);
    play(ui, ": `saveas` Enter");
    assert_non_null(strstr(ui->message, "name a file"));
    play(ui, "Esc - : `saveas mine.yaml` Enter");
    assert_string_equal(ui->path, "mine.yaml");
    assert_false(ui_is_modified(ui));
    play(ui, ": `import` Enter");
    assert_non_null(strstr(ui->message, "as in :import"));
    play(ui, "Esc : `import other.yaml` Enter");
    assert_int_equal(ui->mode, MODE_MESSAGES);
    static const char *const streams[] = {"load -", "import /dev/stdin", "baseline -", "compare /proc/self/fd/0",
                                          "saveas -", "save /dev/fd/1", "export report /dev/stdout"};
    play(ui, "q");
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        assert_false(command_run(ui, streams[i]));
        assert_non_null(strstr(ui->message, "name a file"));
    }
    setenv("HOME", "/home/me", 1);
    play(ui, ": `saveas ~/mine.yaml` Enter");
    assert_string_equal(ui->path, "/home/me/mine.yaml");
    play(ui, ": `mouse on` Enter : `mouse on` Enter");
    assert_true(ui->has_mouse);
    assert_non_null(strstr(ui->message, "mouse is on already"));
    play(ui, ": `mouse off` Enter");
    assert_false(ui->has_mouse);
    play(ui, ": `mouse maybe` Enter");
    expect(ui, "mouse: on or off");
    play(ui, "Esc : `present on` Enter : `present off` Enter");
    assert_false(ui->options.present);
    play(ui, ": `settings mouse on` Enter");
    assert_true(ui->has_mouse);
    play(ui, ": `settings mouse off` Enter b : `baseline 7` Enter");
    assert_false(ui->has_mouse);
    assert_string_equal(ui->message, "no pinned 7; 1 is the only one");
    play(ui, "Esc : `keys` Enter");
    assert_int_equal(ui->mode, MODE_SETTINGS);
    expect(ui, "undo: u");
    play(ui, "q : `plain` Enter");
    assert_false(ui->is_done);
    ui->options.plain = ui_plain_from;
    play(ui, ": `plain` Enter");
    assert_true(ui->is_done && ui->goes_plain);
    ui_free(ui);
}

static void test_quit_asks_only_with_changes(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, "q");
    assert_true(ui->is_done);
    ui_free(ui);
    ui = make(80, 24);
    play(ui, "- q");
    assert_false(ui->is_done);
    play(ui, "n - + q y");
    assert_true(ui->is_done);
    ui_free(ui);
}

static void test_baseline_and_diff(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, "b - d");
    expect(ui, "against pinned 1");
    expect(ui, "1 changed by you");
    expect(ui, "8 -> 4");
    expect(ui, "follows: dp");
    play(ui, "+ b");
    assert_true(ui->has_baseline); /* it is never unpinned by b */
    expect(ui, "pinned 1 is already this plan");
    ui_free(ui);
}

/* B has the plan and pinned ones that are others side by side, and the notes on them. */
static void test_pinned_plans_stand_side_by_side(void **state)
{
    (void)state;
    struct ui *ui = make(120, 40);
    play(ui, "b : `tp 4` Enter b : `pp 8` Enter b : `note 1 the cheapest so far` Enter B");
    expect(ui, "the cheapest so far");
    expect(ui, "the plan     pinned 1     pinned 2");
    expect(ui, "tp                                4            8            4");
    expect(ui, "pp                                8            4            4");
    play(ui, "q : `note 1` Enter");
    assert_string_equal(ui->pin[0].note, "");
    play(ui, ": `note 9 nothing` Enter");
    expect(ui, "no pinned 9; B lists what is pinned");
    ui_free(ui);
}

/* Of more stages than rows the last row has a column for each, the fullest as high as its bar is long. */
static void test_all_stages_have_a_row_in_common(void **state)
{
    (void)state;
    struct ui *ui = make(120, 40);
    play(ui, ": `tp 4` Enter : `pp 16` Enter");
    expect(ui, "0 to 15");
    expect(ui, "s15");
    ui_free(ui);
}

/* The user's changes stand first, all of them, and no key of experts where there are none; s swaps. */
static void test_diff_shows_the_users_changes_first(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, "b : `mbs=2` Enter : `sp=off` Enter : `recompute=selective` Enter d");
    expect(ui, "micro-batch");
    expect(ui, "none -> selective");
    expect(ui, "on -> off");
    char *text = kept_screen(ui);
    assert_null(strstr(text, "etp"));
    free(text);
    ui->is_view_focused = true;
    play(ui, "End");
    expect(ui, "headroom");
    play(ui, "g K");
    assert_int_equal(ui->by_key.generation, ui->generation);
    double sum = ui->by_key.memory.from;
    for (int i = 0; i < ui->by_key.memory.count; i++)
        sum += ui->by_key.memory.step[i].delta;
    assert_true(ui->by_key.memory.count >= 2 && sum == ui->by_key.memory.to);
    play(ui, "s");
    assert_true(plan_equal(&ui->plan, &start_plan));
    assert_true(ui->pin[0].plan.value[PARAM_train_micro_batch_size] == 2);
    play(ui, "s : `baseline` Enter d d");
    assert_int_equal(ui->pins, 2);
    ui->view = PANE_DIFF;
    ui->is_view_focused = true;
    play(ui, "<");
    assert_int_equal(ui->baseline_number, 1);
    play(ui, "r B Down Enter : `unpin 1` Enter");
    assert_int_equal(ui->pins, 1);
    ui_free(ui);
}

/* The list compares, swaps, goes back, names and unpins; each of these can be undone. */
static void test_baselines_are_a_list(void **state)
{
    (void)state;
    struct ui *ui = make(120, 40);
    play(ui, "B");
    expect(ui, "nothing is pinned");
    play(ui, "b : `micro_batch_size 2` Enter b : `pp 2` Enter B");
    assert_int_equal(ui->mode, MODE_BASELINES);
    expect(ui, "pp 4 -> 2, micro_batch_size 1 -> 2");
    play(ui, "Up n `wide` Enter B");
    assert_string_equal(ui->pin[0].name, "wide");
    expect(ui, "wide");
    struct plan before = ui->plan;
    play(ui, "Up s");
    assert_true(plan_equal(&ui->plan, &start_plan) && plan_equal(&ui->pin[0].plan, &before));
    play(ui, "u");
    assert_true(plan_equal(&ui->plan, &before) && plan_equal(&ui->pin[0].plan, &start_plan));
    play(ui, "C-r");
    assert_true(plan_equal(&ui->plan, &start_plan) && plan_equal(&ui->pin[0].plan, &before));
    play(ui, "u r u");
    assert_true(plan_equal(&ui->plan, &before));
    play(ui, "Del");
    assert_int_equal(ui->pins, 1);
    assert_string_equal(ui->pin[0].name, "");
    play(ui, "u");
    assert_int_equal(ui->pins, 2);
    assert_string_equal(ui->pin[0].name, "wide");
    assert_int_equal(ui->baseline_number, 1);
    play(ui, "Down Enter");
    assert_int_equal(ui->baseline_number, 2);
    assert_int_equal(ui->mode, MODE_BROWSE);
    play(ui, ": `unpin 1` Enter");
    assert_int_equal(ui->baseline_number, 1);
    assert_true(ui->baseline->plan.value[PARAM_train_micro_batch_size] == 2);
    ui_free(ui);
}

/* What was changed and what went wrong can be read later; an open question leads to its key. */
static void test_messages_stay(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, "- : `load nowhere.yaml` Enter Esc : `plain` Enter Down");
    expect(ui, "already in line mode"); /* a fault outlives a move */
    play(ui, "i");
    assert_int_equal(ui->mode, MODE_MESSAGES);
    expect(ui, "tp 8 -> 4: peak");
    expect(ui, "nowhere.yaml: cannot be opened");
    play(ui, "s"); /* as in the panes: a name is asked for */
    assert_int_equal(ui->mode, MODE_COMMAND);
    play(ui, "Esc i f f q : `tp=7` Enter i");
    expect(ui, "fault");
    play(ui, "Down Enter"); /* below the open question */
    assert_int_equal(ui_field(ui), PARAM_parallel_tp);
    assert_int_equal(ui->mode, MODE_BROWSE);
    ui_free(ui);
}

static void read_script(void *context, void (*take)(void *to, const struct ui_read *line), void *to)
{
    (void)context;
    take(to, &(struct ui_read){.text = "run.sh: a launch script", .key = -1});
    take(to, &(struct ui_read){.text = ":3  tp 8", .key = PARAM_parallel_tp, .line = 3});
}

static int read_script_line(void *context, int number, char *out, size_t size)
{
    static const char *const script[] = {"#!/bin/sh", "torchrun pretrain_gpt.py \\",
                                         "  --tensor-model-parallel-size 8"};
    (void)context;
    if (number < 1 || number > 3)
        return -1;
    snprintf(out, size, "%s", script[number - 1]);
    return 0;
}

/*
 * After a file of another program that left something open the messages open by themselves, and no key is lost to them.
 */
static void test_messages_open_by_themselves(void **state)
{
    (void)state;
    struct ui_host reader = host;
    struct questions questions = {.count = 1,
                                  .item[0] = {.variable = "GPU", .assumed = "big", .decides = {PARAM_hardware_gpu},
                                              .count = 1}};
    struct ui *ui = make(80, 24);
    reader.read = read_script;
    reader.read_line = read_script_line;
    ui->host = &reader;
    messages_offer(ui);
    assert_int_equal(ui->mode, MODE_BROWSE); /* nothing is open */
    ui->plan.from[PARAM_hardware_gpu] = FROM_ASSUMED;
    ui->options.questions = &questions;
    messages_offer(ui);
    assert_int_equal(ui->mode, MODE_MESSAGES);
    expect(ui, "GPU decides gpu");
    expect(ui, "from the file");
    play(ui, "G");
    expect(ui, "--tensor-model-parallel-size 8");
    play(ui, "o");
    expect(ui, "3 >");
    expect(ui, "torchrun pretrain_gpt.py");
    play(ui, "q -"); /* back to the messages; a key of the panes leaves them */
    assert_int_equal(ui->mode, MODE_BROWSE);
    assert_true(tp(ui) == 4);
    play(ui, "i -");
    assert_int_equal(ui->mode, MODE_MESSAGES); /* opened by the user they stay */
    ui->host = &host;
    ui_free(ui);
}

/*
 * Of a plan that serves: v runs along other keys, traffic has what links cost, and no view has columns that nobody
 * knows.
 */
static void test_a_plan_that_serves_has_views_of_its_own(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, ": `workload=inference pp=1 nodes=1` Enter 2");
    assert_true(ui->is_view_focused);
    expect_not(ui, "s sort"); /* of the traffic of training */
    play(ui, "t t");
    expect(ui, "batch");
    play(ui, "v");
    expect(ui, "prompt ");
    expect(ui, " 2048 ");
    play(ui, "v");
    expect(ui, " tp ");
    char path[EXPLAIN_PATH_MAX];
    assert_true(panes[PANE_TIME]->path(ui, path) && strstr(path, "serving."));
    play(ui, "Enter"); /* the present value is selected */
    assert_true(ui->plan.value[PARAM_parallel_tp] == 8);
    play(ui, "Up Enter");
    assert_true(ui->plan.value[PARAM_parallel_tp] != 8);
    play(ui, "u 2");
    expect(ui, "tp all-reduce, 160 of ");
    play(ui, "5");
    expect(ui, "query, key, value");
    char *text = kept_screen(ui);
    assert_null(strstr(text, "?      ?"));
    free(text);
    ui_free(ui);
}

/* Left closes a block and goes from what is in one to it, Right opens it; then they go on. */
static void test_blocks_of_layers_open_and_close(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, "5 Down Left");
    expect(ui, "+ embedding");
    play(ui, "Right");
    expect(ui, "- embedding");
    play(ui, "Down Left");
    assert_true(ui->is_view_focused && ui->at[PANE_LAYERS].row == 1);
    play(ui, "Left Left");
    assert_false(ui->is_view_focused);
    ui_free(ui);
}

/* Where ranks stand needs no vocabulary; what is not known is `?`. */
static void test_a_grid_needs_no_vocabulary(void **state)
{
    (void)state;
    struct ui *ui = make(120, 40);
    struct plan plan = ui->plan;
    plan.value[PARAM_model_vocab_size] = NAN;
    plan.from[PARAM_model_vocab_size] = FROM_DEFAULT;
    struct ui_options options = {.plan = &plan};
    struct ui *bare = ui_create(&host, &options, 120, 40);
    assert_non_null(bare);
    play(bare, "3 z : `rank 37` Enter");
    expect(bare, "Rank 37  node 4, GPU 5: stage 2");
    expect(bare, "5 21 37 53");
    expect(bare, "? GiB");
    play(bare, "Down H H v");
    expect(bare, "Rank 45  node 5, GPU 5");
    ui_free(bare);
    ui_free(ui);
}

/* What was said has the time of day. */
static void test_log_lines_have_their_time(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    const struct log_line *line;
    play(ui, "-");
    assert_string_equal(log_at(&ui->log, 0)->clock, ""); /* no clock runs */
    ui->clock_ms = 1000;
    play(ui, "+");
    line = log_at(&ui->log, 0);
    assert_int_equal(strlen(line->clock), 5);
    play(ui, "i");
    expect(ui, line->clock);
    ui_free(ui);
}

/* q closes and asks; asked, it does nothing more. A q right after one that closed something does not leave. */
static void test_quit_loses_nothing(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, "- q");
    expect(ui, "1 change not saved");
    play(ui, "q q");
    assert_false(ui->is_done);
    play(ui, "Esc u");
    ui->clock_ms = 1000;
    play(ui, "e q");
    ui->clock_ms = 1100;
    play(ui, "q");
    assert_false(ui->is_done);
    ui->clock_ms = 1300;
    play(ui, "q");
    ui->clock_ms = 1500; /* the same press goes on */
    play(ui, "q");
    assert_false(ui->is_done);
    static const char *const openers[] = {"?", "1 e Enter Enter", "i", "w", "b B", "0"};
    for (size_t i = 0; i < sizeof openers / sizeof *openers; i++) {
        ui->clock_ms += 1000;
        play(ui, openers[i]);
        for (int k = 0; k < 5; k++, ui->clock_ms += 30)
            play(ui, "q");
        if (ui->is_done || ui->mode != MODE_BROWSE)
            fail_msg("after %s five q leave, or do not close it", openers[i]);
    }
    ui->clock_ms += 500;
    play(ui, "q");
    assert_true(ui->is_done);
    ui_free(ui);
}

/* Nothing but an answer ends the question before leaving: no other key, no press, not the list of what differs. */
static void test_the_question_before_leaving_stays(void **state)
{
    (void)state;
    for (int is_listed = 0; is_listed < 2; is_listed++)
        for (int key = 1; key <= KEY_F12; key = key == '~' ? KEY_FIRST : key + 1) {
            struct ui *ui = make(80, 24);
            play(ui, is_listed ? "- q d" : "- q");
            unsigned generation = ui->generation;
            enum mode asked = ui->mode;
            ui_key(ui, key);
            if (key != 'y' && key != 's' && key != 'n' && key != 'd' && key != KEY_ESCAPE && ui->mode != asked)
                fail_msg("key %d ends the question", key);
            if (ui->pins > 0 || ui->generation != generation || ui->is_done != (key == 'y' || key == KEY_CTRL('C')))
                fail_msg("key %d does something", key);
            ui_free(ui);
        }
    struct ui *ui = make(80, 24);
    play(ui, "- q d");
    expect(ui, "tp                         8 -> 4");
    expect(ui, "1 change not saved");
    for (int y = 0; y < 24; y++)
        for (int x = 0; x < 80; x += 3)
            if (y != 23)
                ui_event(ui, &(struct event){.key = KEY_MOUSE_EVENT, .button = MOUSE_LEFT, .x = x, .y = y});
    assert_int_equal(ui->mode, MODE_CHANGES);
    play(ui, "d");
    assert_int_equal(ui->mode, MODE_QUIT);
    play(ui, "d Esc");
    assert_int_equal(ui->mode, MODE_BROWSE);
    assert_false(ui->is_done);
    ui_free(ui);
}

/* A line that sets more than there is room for keeps what it gives; a wider screen says more of the keys. */
static void test_long_lines_say_what_they_give(void **state)
{
    static const int widths[] = {80, 200};
    (void)state;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        struct ui *ui = make(widths[i], 24);
        play(ui, ": `hidden_size 4096 num_layers 32 seq_length 4096 global_batch_size 64 micro_batch_size 2`");
        expect(ui, widths[i] < 200 ? "~: " : "micro_batch_size 2: ");
        expect(ui, "faster");
        ui_free(ui);
    }
    struct ui *ui = make(40, 12); /* one row: behind the line */
    play(ui, ": `tp 4`");
    expect(ui, ":tp 4  tp 4: ");
    play(ui, "Esc : `xyz` Enter");
    expect(ui, ":xyz  'xyz' is ");
    ui_free(ui);
}

/* `s` there asks what ^S asks: the first time in the plan's own file. */
static void test_leaving_saves_as_saving_does(void **state)
{
    static const char *const ways[] = {"^S", "q s", ": `wq` Enter", ": `w` Enter"};
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct ui *ui = make(80, 24);
        saves = 0;
        snprintf(ui->path, sizeof ui->path, "own.yaml");
        play(ui, "-");
        play(ui, ways[i]);
        assert_int_equal(ui->mode, MODE_QUESTION);
        expect(ui, "own.yaml: 1 value changes: tp 8 -> 4");
        assert_int_equal(saves, 0);
        play(ui, "y");
        assert_int_equal(saves, 1);
        assert_true(ui->is_done == (strpbrk(ways[i], "q") != NULL));
        ui_free(ui);
        ui = make(80, 24); /* under another name, too */
        saves = 0;
        snprintf(ui->path, sizeof ui->path, "own.yaml");
        play(ui, "-");
        play(ui, ways[i]);
        play(ui, "a `other.yaml` Enter");
        assert_string_equal(ui->path, "other.yaml");
        assert_true(ui->is_done == (strpbrk(ways[i], "q") != NULL));
        ui_free(ui);
    }
}

/* An answer that is the assumed value is worth saving, and undone it is not. */
static void test_an_answer_is_a_change(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    ui->plan.from[PARAM_parallel_tp] = ui->saved.from[PARAM_parallel_tp] = FROM_ASSUMED;
    history_push(&ui->history, &ui->plan, "load");
    assert_false(ui_is_modified(ui));
    play(ui, ": `tp 8` Enter");
    assert_true(ui_is_modified(ui));
    play(ui, "q");
    expect(ui, "tp open -> 8");
    play(ui, "Esc u");
    assert_false(ui_is_modified(ui));
    ui_free(ui);
}

/* Releases, motion and other buttons change nothing and say nothing. */
static void test_the_mouse_makes_no_errors(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    for (int button = 0; button < 80; button++)
        for (int last = 'M'; last <= 'm'; last += 'm' - 'M') {
            struct input input = {0};
            struct event event;
            char text[32];
            snprintf(text, sizeof text, "\033[<%d;5;10%c", button, last);
            for (const char *p = text; *p; p++)
                if (input_byte(&input, (unsigned char)*p, &event)) {
                    ui_update(ui);
                    ui_event(ui, &event);
                }
            assert_null(strstr(ui->message, "does nothing"));
        }
    ui->mode = MODE_BROWSE;
    ui->clock_ms = 1000;
    struct event press = {.key = KEY_MOUSE_EVENT, .button = MOUSE_LEFT, .x = 3, .y = 10};
    ui_event(ui, &press);
    ui_event(ui, &press);
    assert_int_equal(ui->mode, MODE_EDIT); /* a second press opens the field */
    ui_free(ui);
}

/* A click on a tab, a figure or a hint does what its key does. */
static void click(struct ui *ui, const char *text, int row)
{
    struct event event = {.key = KEY_MOUSE_EVENT, .button = MOUSE_LEFT, .y = row};
    char *screen = kept_screen(ui), *line = screen;
    for (int y = 0; y < row; y++)
        line = strchr(line, '\n') + 1;
    char *at = strstr(line, text);
    if (!at)
        fail_msg("row %d has no '%s':\n%s", row, text, screen);
    for (const char *p = line; p < at;) {
        utf8_next(&p);
        event.x++;
    }
    free(screen);
    ui_event(ui, &event);
}

/* Every button on cells all over the screen, in every view and overlay. */
static void test_clicks_anywhere_are_silent(void **state)
{
    static const struct { int width, height, step; } sizes[] = {{20, 6, 3}, {40, 12, 5}, {80, 24, 7}, {120, 40, 17}};
    static const char *const places[] = {"1", "t", "2", "3", "4", "5", "d", "e", "i", "/", "L", ": tp"};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
            struct ui *ui = make(sizes[s].width, sizes[s].height);
            for (int at = (int)p % 3; at < ui->width * ui->height; at += sizes[s].step * 11) {
                ui->mode = MODE_BROWSE;
                play(ui, places[p]);
                struct event event = {.key = KEY_MOUSE_EVENT, .x = at % ui->width, .y = at / ui->width,
                                      .button = (enum mouse_button[]){MOUSE_LEFT, MOUSE_WHEEL_UP,
                                                                      MOUSE_WHEEL_DOWN}[at % 3]};
                ui_event(ui, &event);
                assert_null(strstr(ui->message, "does nothing"));
                free(kept_screen(ui));
            }
            ui_free(ui);
        }
}

/* A label of many changes ends in how many more there are; no value is cut. */
static void test_changes_are_named_whole(void **state)
{
    (void)state;
    struct ui *ui = make(120, 40);
    play(ui, ": `set seq_length 4096 num_layers 40 hidden_size 4096 num_attention_heads 32` Enter");
    assert_non_null(strstr(ui->message, ", +1"));
    assert_non_null(strstr(ui->message, "num_layers"));
    play(ui, "u");
    assert_non_null(strstr(ui->message, ", +1"));
    assert_non_null(strstr(ui->message, "4096 -> 8192"));
    ui_free(ui);
}

/* What was clicked is what is selected, wherever the view has scrolled to. */
static void click_device(struct ui *ui, const char *name, int column)
{
    char *text = kept_screen(ui), *at = strstr(text, name), *line = text;
    int row = 0, x = 0;
    if (!at)
        fail_msg("no line of %s:\n%s", name, text);
    for (char *end; (end = strchr(line, '\n')) && end < at; line = end + 1)
        row++;
    for (const char *p = line; p < at; x++)
        utf8_next(&p);
    free(text);
    struct event event = {.key = KEY_MOUSE_EVENT, .button = MOUSE_LEFT, .x = x + column, .y = row};
    ui_event(ui, &event);
}

static void test_rows_and_bars_are_clicked(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, "1 1");
    click(ui, "optimizer", 12);
    char path[EXPLAIN_PATH_MAX];
    assert_true(panes[PANE_MEMORY]->path(ui, path) && strstr(path, "optimizer_bytes"));
    click(ui, "\xe2\x96\x91", 5); /* of the second stage */
    assert_int_equal(ui->stage, 1);
    assert_true(panes[PANE_MEMORY]->path(ui, path) && strstr(path, "stages.1.activations_bytes"));
    ui_resize(ui, 120, 50);
    play(ui, "t");
    click(ui, "\xe2\x96\x91", 19); /* the traffic of the third stage */
    assert_true(panes[PANE_TIME]->path(ui, path) && strstr(path, "stages.2.tp_s"));
    ui_resize(ui, 80, 24);
    play(ui, "z 5");
    click(ui, "output projection", 10);
    assert_int_equal(ui->at[PANE_LAYERS].row, 5);
    play(ui, "4");
    click(ui, "stage 2", 8);
    assert_int_equal(ui->stage, 2);
    click(ui, "GiB", 0); /* the verdict */
    assert_true(ui->view == PANE_MEMORY && panes[PANE_MEMORY]->path(ui, path) && strstr(path, "headroom_bytes"));
    play(ui, "e");
    ui->clock_ms = 1000;
    click_device(ui, "device_bytes 50", 0);
    assert_true(ui->page[0].row > 0);
    click_device(ui, "device_bytes 50", 0); /* again opens it */
    assert_int_equal(ui->depth, 2);
    play(ui, "2"); /* the keys of the views stay */
    assert_true(ui->mode == MODE_BROWSE && ui->view == PANE_COMM);
    ui_free(ui);
}

/* Presses what stands for this GPU in the line of the devices that begins with `name`: a cell of the grid. */

/* Cells of nodes, of nodes that are folded, and of nodes that are cells themselves. */
static void test_devices_are_clicked(void **state)
{
    struct ui *ui = make(100, 30);
    (void)state;
    play(ui, "3");
    click_device(ui, "n4 ", 5 + 1 + 3 * 5);
    assert_int_equal(ui->rank, 37);
    click_device(ui, "n6 ", 1); /* its name */
    assert_int_equal(ui->rank, 53);
    play(ui, ": `nodes=128` Enter 3");
    expect(ui, "n32   - n63    x32");
    click_device(ui, "n32 ", 20 + 1 + 3 * 2);
    assert_int_equal(ui->rank, 32 * 8 + 2);
    play(ui, "Down Down");
    click_device(ui, "n0 ", 1);
    assert_int_equal(ui->rank, 2);
    play(ui, ": `nodes=1024 gbs=1024` Enter v v 3"); /* dp: no two nodes alike */
    click_device(ui, "n0 ", 5 + 1 + 6 * 3);
    assert_int_equal(ui->rank, 3 * 8 + 2);
    play(ui, "Enter");
    expect(ui, "one by one");
    click_device(ui, "n4 ", 5 + 1 + 5 * 5);
    assert_int_equal(ui->rank, 4 * 8 + 5);
    ui_free(ui);
}

static void test_tabs_figures_and_hints_are_clicked(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, "2");
    click(ui, "3", 2);
    assert_int_equal(ui->view, PANE_GRID);
    click(ui, "shade", 23);
    assert_int_equal(ui->heat, HEAT_MEMORY);
    click(ui, "MFU", 1);
    assert_int_equal(ui->view, PANE_TIME);
    play(ui, "Esc Esc");
    double before = tp(ui);
    click(ui, "- +", 23);
    assert_true(tp(ui) < before);
    click(ui, "undo", 23);
    assert_true(tp(ui) == before);
    click(ui, "find", 23);
    assert_int_equal(ui->mode, MODE_FIND);
    click(ui, "back", 23);
    assert_int_equal(ui->mode, MODE_BROWSE);
    ui_free(ui);
}

static void test_the_legend_has_every_letter(void **state)
{
    (void)state;
    struct ui *ui = make(80, 60);
    play(ui, "? ? ?");
    assert_int_equal(ui->mode, MODE_LEGEND);
    static const char *const rows[] = {"W weights", "D driver", "c computing", "h offloading", "TIGHT ", ".:-=#"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(ui, rows[i]);
    play(ui, "q : `help legend` Enter");
    assert_int_equal(ui->mode, MODE_LEGEND);
    ui_free(ui);
}

static void test_help_is_searched_and_run(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, "? baseline Enter");
    assert_int_equal(ui->mode, MODE_BROWSE);
    assert_true(ui->has_baseline);
    ui_free(ui);
    ui = make(80, 24);
    play(ui, "2 ?"); /* what keys mean here comes first */
    expect(ui, "sort");
    play(ui, "Enter");
    assert_int_equal(ui->traffic.sort, TRAFFIC_BY_VOLUME);
    ui_free(ui);
}

static void test_explain_opens_inputs(void **state)
{
    (void)state;
    struct ui *ui = make(120, 40);
    play(ui, "1 Down Down Down e");
    assert_int_equal(ui->mode, MODE_EXPLAIN);
    expect(ui, "activations_bytes");
    play(ui, "Enter");
    assert_true(ui->depth == 2 || ui->mode == MODE_BROWSE);
    play(ui, "q q q");
    assert_int_equal(ui->mode == MODE_EXPLAIN, false);
    ui_free(ui);
}

/* Only what counts, with units that can be multiplied by hand; against a baseline and between stages. */
static void test_explanations_are_for_people(void **state)
{
    (void)state;
    struct ui *ui = make(120, 40);
    play(ui, ": `explain memory.stages.0.activations_bytes` Enter");
    expect(ui, "20 layers x 4 passes x 268.3 MiB = 20.96 GiB");
    expect(ui, "80 layers / 4 stages");
    expect(ui, "exact: counted");
    expect(ui, "not live here");
    play(ui, "a");
    expect(ui, "at_step ? 0 : ");
    play(ui, "a >");
    expect(ui, "memory.stages.1.activations_bytes");
    play(ui, "< w");
    assert_int_equal(ui->mode, MODE_STAGES);
    expect(ui, "more than stage 3");
    expect(ui, "4 alive against 1");
    expect(ui, "+15.7");
    play(ui, "> y q : `mbs 2` Enter");
    assert_int_equal(ui->mode, MODE_BROWSE);
    assert_true(ui->plan.value[PARAM_train_micro_batch_size] == 2);
    play(ui, "u b + : `explain time.iteration_s` Enter c");
    expect(ui, " in pinned 1, ");
    char *text = kept_screen(ui);
    assert_null(strstr(text, "measured"));
    free(text);
    ui_free(ui);
}

/* A step that leaves another key wrong says which, and no figures of a plan that does not work. */
static void test_steps_of_a_wrong_plan_say_what_stays_wrong(void **state)
{
    (void)state;
    struct ui *ui = make(120, 40);
    play(ui, ": `pp 3` Enter : `global_batch_size 7` Enter : `go pp` Enter");
    expect(ui, "not valid: global_batch_size");
    ui_free(ui);
}

/* A stage's time is asked about like its memory: another stage's, why it is longer, and what no baseline has. */
static void test_times_of_stages_are_explained(void **state)
{
    (void)state;
    struct ui *ui = make(120, 40);
    play(ui, "t e");
    expect(ui, "time.stages.3.compute_s");
    play(ui, "w");
    assert_int_equal(ui->mode, MODE_STAGES);
    expect(ui, "stage 3 works ");
    expect(ui, "= busy");
    expect(ui, " on both; idle: ");
    play(ui, "Enter");
    expect(ui, "time.stages.3.");
    play(ui, ">");
    expect(ui, "time.stages.0.");
    play(ui, ": `explain time.mfu` Enter >");
    expect(ui, "not a figure of a stage");
    play(ui, "q q q q b : `pp 8` Enter : `explain time.stages.7.compute_s` Enter c");
    expect(ui, "pinned 1 has no such figure");
    ui_free(ui);
}

/*
 * Chains end in keys, all of them or how many more; c says which changed keys made what of the difference, in their
 * order.
 */
static void test_explanations_end_in_keys_and_say_what_changed(void **state)
{
    (void)state;
    struct ui *ui = make(120, 40);
    play(ui, ": `explain time.dp_exposed_s` Enter");
    expect(ui, "dp reduce_scatter");
    expect(ui, "inter_node_gb_s 50");
    play(ui, "q : `explain memory.stages.0.device_bytes` Enter");
    expect(ui, "num_query_groups 8 ");
    assert_true(ui->explained.count > 15 && ui->explained.is_whole);
    play(ui, "q b : `micro_batch_size 2` Enter : `pp 2` Enter 0 Right c");
    assert_int_equal(ui->mode, MODE_EXPLAIN);
    expect(ui, "changed, in the order you made them");
    expect(ui, "  micro_batch_size 1 -> 2");
    expect(ui, "pp 4 -> 2");
    expect(ui, "any order");
    expect(ui, " more");
    const struct waterfall *change = &ui->explained.change;
    double sum = change->from;
    for (int i = 0; i < change->count; i++)
        sum += change->step[i].delta;
    assert_int_equal(change->count, 2);
    assert_true(fabs(sum - ui->now->step.iteration_s) < 1e-9);
    for (int height = 3; height < 16; height++) {
        ui_resize(ui, 120, height);
        free(kept_screen(ui));
    }
    ui_resize(ui, 120, 40);
    play(ui, "c");
    assert_int_equal(ui->explained.change.count, 0);
    play(ui, "q 0 : `pp 6` Enter 0 Right c");
    expect(ui, "the last valid plan");
    ui_free(ui);
}

static void test_pasted_text_runs_no_command(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    struct event event = {.key = 'q', .is_pasted = true};
    play(ui, "1");
    ui_event(ui, &event);
    assert_false(ui->is_done);
    expect(ui, "press Enter first");
    play(ui, "Left / `tp` Enter"); /* a field is in use: the text begins its value */
    event.key = '4';
    ui_event(ui, &event);
    assert_int_equal(ui->mode, MODE_EDIT);
    event.key = '\r';
    ui_event(ui, &event);
    assert_int_equal(ui->mode, MODE_EDIT); /* nothing is taken by what is pasted */
    play(ui, "Enter");
    assert_true(tp(ui) == 4);
    ui_free(ui);
}

static void test_a_number_without_enter_is_no_command(void **state)
{
    (void)state;
    struct ui *ui = make(80, 24);
    play(ui, "b / `hidden_size` Enter");
    ui->clock_ms = 1000;
    play(ui, "4");
    assert_int_equal(ui->view, PANE_SCHEDULE);
    ui->clock_ms += 200;
    play(ui, "0");
    assert_true(ui->view == PANE_MEMORY && !ui->is_view_focused && !ui->is_zoomed);
    ui->clock_ms += 200;
    play(ui, "9 6");
    expect(ui, "Enter first: Enter 4096");
    ui->clock_ms += 700;
    play(ui, "2");
    ui->clock_ms += 700;
    play(ui, "3");
    assert_int_equal(ui->view, PANE_GRID);
    ui_free(ui);
}

/* Two views one after the other where no value of the field begins so; a number where one does. */
static void test_digits_are_views_where_the_field_takes_no_such_number(void **state)
{
    (void)state;
    static const struct {
        const char *field, *keys;
        enum pane_id view;
        const char *said;
    } cases[] = {{"tp", "4 7", PANE_SWEEP, NULL},          {"tp", "1 6", PANE_MEMORY, "Enter first: Enter 16"},
                 {"tp", "2 4", PANE_SCHEDULE, NULL},       {"sp", "1 6", PANE_WHATIF, NULL},
                 {"schedule", "3 5", PANE_LAYERS, NULL},   {"hidden_size", "4 7", PANE_MEMORY, "Enter first: Enter 47"},
                 {"hidden_size", "4 k", PANE_MEMORY, "Enter first: Enter 4k"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ui *ui = make(80, 24);
        char keys[64];
        snprintf(keys, sizeof keys, "/ `%s` Enter", cases[i].field);
        play(ui, keys);
        ui->clock_ms = 1000;
        play(ui, cases[i].keys);
        assert_int_equal(ui->view, cases[i].view);
        if (cases[i].said)
            expect(ui, cases[i].said);
        else
            assert_null(strstr(ui->message, "Enter first"));
        ui_free(ui);
    }
}

/* ---- any keys, any size ------------------------------------------------------------------------------------------ */

static int random_key(void)
{
    unsigned r = (unsigned)rand();
    if (r % 3 == 0)
        return map.at[r / 3 % (unsigned)map.count].key;
    return r % 3 == 1 ? (int)(' ' + r / 3 % 95) : "+-uj k\t\r0123456789x/"[r / 3 % 20];
}

static void test_random_keys_at_random_sizes(void **state)
{
    (void)state;
    srand(42);
    for (int round = 0; round < check_cases(12); round++) {
        struct ui *ui = make(1 + rand() % 220, 1 + rand() % 70);
        for (int i = 0; i < 300; i++) {
            if (rand() % 40 == 0)
                ui_resize(ui, 1 + rand() % 220, 1 + rand() % 70);
            press(ui, random_key());
            if (ui->is_done || ui->mode == MODE_QUIT) {
                ui->is_done = false;
                ui->mode = MODE_BROWSE;
            }
            if (i % 5 == 0)
                free(kept_screen(ui));
        }
        while (ui->history.now > 0)
            ui_do(ui, ACTION_undo);
        assert_true(plan_equal(&ui->plan, &start_plan) || ui->history.count == HISTORY_MAX);
        ui_free(ui);
    }
}

static void test_every_view_at_every_size(void **state)
{
    (void)state;
    static const char *const scripts[] = {"", "2", "3 Right v", "5", "b - d", "e", "?", "Enter 16", ": `set tp`",
                                          "Right e", "z"};
    for (size_t s = 0; s < sizeof scripts / sizeof *scripts; s++) {
        struct ui *ui = make(80, 24);
        play(ui, scripts[s]);
        for (int width = 1; width <= 210; width += width < 30 ? 1 : 7)
            for (int height = 1; height <= 64; height += height < 26 ? 1 : 6) {
                ui_resize(ui, width, height);
                char *text = kept_screen(ui);
                assert_true(strlen(text) > (size_t)height);
                free(text);
            }
        ui_free(ui);
    }
}

int main(void)
{
    bindings_default(&map);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_action_has_a_name_help_and_key),
        cmocka_unit_test(test_every_action_is_in_the_palette),
        cmocka_unit_test(test_no_key_means_two_things),
        cmocka_unit_test(test_views_have_keys_of_their_own),
        cmocka_unit_test(test_keys_can_be_others),
        cmocka_unit_test(test_every_hint_has_a_key),
        cmocka_unit_test(test_overlays_answer_to_their_keys),
        cmocka_unit_test(test_every_hint_of_an_overlay_has_a_key),
        cmocka_unit_test(test_every_key_of_the_plan_is_in_one_form),
        cmocka_unit_test(test_step_edit_and_undo),
        cmocka_unit_test(test_expressions_and_relative_values),
        cmocka_unit_test(test_bad_text_stays_for_correction),
        cmocka_unit_test(test_invalid_value_stays_and_results_are_stale),
        cmocka_unit_test(test_views_and_absent_keys),
        cmocka_unit_test(test_time_is_a_view_and_figures_are_fields),
        cmocka_unit_test(test_communication_says_where_and_adds_up),
        cmocka_unit_test(test_the_schedule_is_a_chart_and_a_table),
        cmocka_unit_test(test_the_scale_of_the_schedule_ends_where_all_is_shown),
        cmocka_unit_test(test_grid_speaks_in_ranks),
        cmocka_unit_test(test_a_group_opens_into_its_members),
        cmocka_unit_test(test_ranks_are_completed),
        cmocka_unit_test(test_layers_add_up_to_the_stage),
        cmocka_unit_test(test_batches_have_a_curve),
        cmocka_unit_test(test_small_screens_have_a_field_and_its_steps),
        cmocka_unit_test(test_presenting_has_high_bars),
        cmocka_unit_test(test_a_lecture_has_few_words_and_high_bars),
        cmocka_unit_test(test_a_lecture_goes_on_by_space),
        cmocka_unit_test(test_a_lecture_is_legible_at_every_size),
        cmocka_unit_test(test_previews_are_what_follows),
        cmocka_unit_test(test_changed_panes_are_all_that_is_drawn),
        cmocka_unit_test(test_command_line),
        cmocka_unit_test(test_refused_lines_stay),
        cmocka_unit_test(test_lines_set_keys),
        cmocka_unit_test(test_lines_say_what_they_did),
        cmocka_unit_test(test_command_line_shows_effects_and_remembers),
        cmocka_unit_test(test_names_step_and_are_checked),
        cmocka_unit_test(test_the_first_save_asks),
        cmocka_unit_test(test_settings_are_commands),
        cmocka_unit_test(test_the_command_q_leaves),
        cmocka_unit_test(test_an_assumed_value_is_confirmed),
        cmocka_unit_test(test_a_theme_is_taken_before_the_first_frame),
        cmocka_unit_test(test_loading_loses_nothing),
        cmocka_unit_test(test_undo_brings_questions_back),
        cmocka_unit_test(test_the_question_before_leaving_stays),
        cmocka_unit_test(test_long_lines_say_what_they_give),
        cmocka_unit_test(test_leaving_saves_as_saving_does),
        cmocka_unit_test(test_an_answer_is_a_change),
        cmocka_unit_test(test_commands_of_the_grammar),
        cmocka_unit_test(test_quit_asks_only_with_changes),
        cmocka_unit_test(test_baseline_and_diff),
        cmocka_unit_test(test_diff_shows_the_users_changes_first),
        cmocka_unit_test(test_messages_stay),
        cmocka_unit_test(test_messages_open_by_themselves),
        cmocka_unit_test(test_log_lines_have_their_time),
        cmocka_unit_test(test_a_grid_needs_no_vocabulary),
        cmocka_unit_test(test_a_plan_that_serves_has_views_of_its_own),
        cmocka_unit_test(test_blocks_of_layers_open_and_close),
        cmocka_unit_test(test_quit_loses_nothing),
        cmocka_unit_test(test_the_mouse_makes_no_errors),
        cmocka_unit_test(test_clicks_anywhere_are_silent),
        cmocka_unit_test(test_changes_are_named_whole),
        cmocka_unit_test(test_rows_and_bars_are_clicked),
        cmocka_unit_test(test_devices_are_clicked),
        cmocka_unit_test(test_tabs_figures_and_hints_are_clicked),
        cmocka_unit_test(test_the_legend_has_every_letter),
        cmocka_unit_test(test_help_is_searched_and_run),
        cmocka_unit_test(test_baselines_are_a_list),
        cmocka_unit_test(test_explain_opens_inputs),
        cmocka_unit_test(test_steps_of_a_wrong_plan_say_what_stays_wrong),
        cmocka_unit_test(test_times_of_stages_are_explained),
        cmocka_unit_test(test_explanations_end_in_keys_and_say_what_changed),
        cmocka_unit_test(test_explanations_are_for_people),
        cmocka_unit_test(test_pasted_text_runs_no_command),
        cmocka_unit_test(test_a_number_without_enter_is_no_command),
        cmocka_unit_test(test_digits_are_views_where_the_field_takes_no_such_number),
        cmocka_unit_test(test_pinned_plans_stand_side_by_side),
        cmocka_unit_test(test_all_stages_have_a_row_in_common),
        cmocka_unit_test(test_random_keys_at_random_sizes),
        cmocka_unit_test(test_every_view_at_every_size),
    };
    return cmocka_run_group_tests_name("ui/keys", tests, NULL, NULL) != 0;
}
