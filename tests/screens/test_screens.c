/*
 * The screen as text, without files: the states of states.h drawn at every size, plans of every kind in every view, and
 * scripts of keys with the texts that follow them. test_golden compares whole screens.
 */
#include "tests/check.h"
#include "tests/host.h"
#include "tests/screens/states.h"
#include "tests/screens/structure.h"

#include "core/show/components.h"
#include "core/show/time_parts.h"
#include "ui/command/action.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/pane.h"
#include "ui/state/advisor.h"
#include "ui/term/canvas.h"
#include "ui/ui.h"

#include <locale.h>
#include <unistd.h>

static void load(struct plan *plan, const char *path)
{
    char message[UI_MESSAGE_MAX] = "";
    plan_clear(plan);
    assert_that(test_host()->load(test_session(), path, plan, message) == 0, "%s: %s", path, message);
}

/* ---- every size ------------------------------------------------------------------------------------------------- */

/* A screen that is drawn at many sizes. */
struct drawn {
    struct ui *ui;
    struct canvas glyphs, ascii;
    const char *keys;
    int lines; /* looked at */
    bool has_verdict;
    char peak[16]; /* as the headline has it, "" when it does not */
};

/* What a letter of a bar stands for has a row in the tables of memory or of time. */
static bool is_letter(char letter, bool is_memory)
{
    for (int i = 0; is_memory && i < stage_components.count + serving_components.count; i++) {
        int other = i - stage_components.count;
        if ((other < 0 ? stage_components.row[i] : serving_components.row[other]).letter == letter)
            return true;
    }
    for (int i = 0; !is_memory && i < TIME_PARTS_MAX; i++)
        if (time_parts[i].letter == letter)
            return true;
    return letter == '.' || (!is_memory && strchr("fbw", letter)); /* passes of a schedule */
}

/* Behind the name of a stage, cells of which each letter is one run: then it is a bar, whose letters are all known. */
static void check_bar(const char *line, const char *cells)
{
    enum { LEAST = 8 };
    size_t length = strspn(cells, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.");
    for (size_t i = 1; i < length; i++)
        if (cells[i] != cells[i - 1] && memchr(cells, cells[i], i))
            return;
    char first = cells[strspn(cells, ".")];
    bool is_memory = first >= 'A' && first <= 'Z';
    for (size_t i = 0; length >= LEAST && i < length; i++)
        assert_that(is_letter(cells[i], is_memory), "'%c' stands for nothing: %s", cells[i], line);
}

static void check_bars(const char *line)
{
    for (const char *at = line; (at = strchr(at, 's')); at++) {
        size_t digits = strspn(at + 1, "0123456789"), blanks = strspn(at + 1 + digits, " ");
        bool is_name = digits > 0 && blanks > 0 && (at == line || at[-1] == ' ' || at[-1] == '>');
        if (is_name)
            check_bar(line, at + 1 + digits + blanks);
    }
}

/* Copies the figure before `unit`, which ends it: digits and points. */
static void copy_figure(const char *line, const char *unit, char out[16])
{
    const char *end = strstr(line, unit), *start = end;
    while (start && start > line && strchr("0123456789.", start[-1]))
        start--;
    if (start && end > start)
        snprintf(out, 16, "%.*s", (int)(end - start), start);
}

/* The same figure is written the same way wherever it stands: in the headline and in the row of the table. */
static void check_figures(struct drawn *drawn, const char *line)
{
    const char *device = strstr(line, "= on the device");
    if (drawn->lines == 1)
        copy_figure(line, strstr(line, " GiB") ? " of " : "\n", drawn->peak);
    bool is_shown = device && !overlays[drawn->ui->mode]->draw && drawn->peak[0];
    if (is_shown && strlen(drawn->peak) < 8) /* what is longer has no room between columns */
        assert_that(strstr(device, drawn->peak), "%dx%d '%s': %s of the figures is not in: %s", drawn->ui->width,
                    drawn->ui->height, drawn->keys, drawn->peak, device);
}

/* A number is never cut in its digits. */
static void check_cuts(const char *line)
{
    for (const char *at = line; (at = strchr(at, '~')); at++)
        if (at[1] == '~')
            at++; /* rounds of a schedule that are left out */
        else
            assert_that(at == line || at[-1] < '0' || at[-1] > '9', "a number is cut: %s", line);
}

static void check_line(struct drawn *drawn, const char *line)
{
    drawn->has_verdict |= strpbrk(line, "FTDNU") != NULL; /* fits, tight, does not fit, not valid, unknown */
    assert_that(!strstr(line, "FITS +") && !strstr(line, "NO -"), "headroom has a sign: %s", line);
    check_cuts(line);
    check_bars(line);
    check_figures(drawn, line);
    drawn->lines++;
}

enum { STATE_STRIDE = 60 /* of the sizes, one of these */ };

static void press_key(void *ui, int key)
{
    ui_update(ui);
    advisor_settle(ui);
    ui_key(ui, key);
}

/* Opens a plan and plays keys; close with close_drawn(). */
static void open_drawn(struct drawn *drawn, const struct plan *plan, const char *keys)
{
    struct ui_options options = {.plan = plan, .keys = keys, .width = 80, .height = 24};
    *drawn = (struct drawn){.ui = ui_create(test_host(), &options, 80, 24), .keys = keys};
    assert_non_null(drawn->ui);
    while (key_script_next(&keys, press_key, drawn->ui))
        ;
    ui_update(drawn->ui);
    advisor_settle(drawn->ui);
}

static void close_drawn(struct drawn *drawn)
{
    canvas_free(&drawn->glyphs);
    canvas_free(&drawn->ascii);
    ui_free(drawn->ui);
}

static void draw_canvas(struct drawn *drawn, struct canvas *canvas, bool has_glyphs)
{
    drawn->ui->utf8 = has_glyphs;
    assert_int_equal(canvas_resize(canvas, drawn->ui->width, drawn->ui->height), 0);
    ui_draw(drawn->ui, canvas);
}

static bool is_bar(const struct cell *cell)
{
    return role_fill((enum role)cell->role) || cell->ground || cell->role == ROLE_LIMIT;
}

/* Beyond ASCII there are lines, blocks, arrows and dots alone, and bars have letters there; the rest is the same. */
static void check_cells(const struct drawn *drawn)
{
    const struct canvas *c = &drawn->glyphs;
    for (int i = 0; i < c->width * c->height; i++) {
        const struct cell *cell = &c->cells[i], *ascii = &drawn->ascii.cells[i];
        bool is_drawn = (cell->glyph >= 0x2500 && cell->glyph < 0x25A0) || cell->glyph == 0xD7 ||
                        cell->glyph == 0x2192 || cell->glyph == 0x2026 ||
                        cell->glyph == 0x25CB || cell->glyph == 0x25CF,
             is_same = ascii->glyph == cell->glyph && cell->glyph < 0x7f;
        assert_that(ascii->glyph >= ' ' && ascii->glyph < 0x7f && (is_same || is_drawn || is_bar(cell)),
                    "%dx%d '%s': glyph %#x is %#x in ASCII, line %d", c->width, c->height, drawn->keys, cell->glyph,
                    ascii->glyph, i / c->width + 1);
        assert_that(cell->role < ROLE_COUNT && (cell->role == ascii->role || (is_bar(cell) && is_bar(ascii))),
                    "%dx%d '%s': role %d is %d in ASCII, line %d", c->width, c->height, drawn->keys, cell->role,
                    ascii->role, i / c->width + 1);
    }
}

static void draw(struct drawn *drawn, int width, int height)
{
    static char line[4 * 1000 + 1];
    ui_resize(drawn->ui, width, height);
    ui_update(drawn->ui);
    draw_canvas(drawn, &drawn->glyphs, true);
    draw_canvas(drawn, &drawn->ascii, false);
    drawn->lines = 0;
    drawn->has_verdict = false;
    for (int y = 0; y < height; y++) {
        canvas_line(&drawn->ascii, y, line, sizeof line);
        check_line(drawn, line);
    }
    check_cells(drawn);
    structure_check(drawn->ui, &drawn->ascii, drawn->keys);
    assert_that(drawn->has_verdict, "%dx%d '%s': no verdict", width, height, drawn->keys);
}

/* Every size from 1x1 to 250x80 in some state, and every state at some hundreds of sizes; fewer in a slow build. */
static void every_state_is_drawn_at_every_size(void **state)
{
    (void)state;
    static struct plan plan;
    for (size_t i = 0; i < COUNT(states); i++) {
        struct drawn drawn;
        if (states[i].plan[0] == '-')
            continue;
        load(&plan, states[i].plan);
        open_drawn(&drawn, &plan, states[i].keys);
        int stride = check_is_slow() ? 16 * STATE_STRIDE : STATE_STRIDE;
        for (int height = 1; height <= 80; height++)
            for (int width = 1; width <= 250; width++)
                if ((width + 7 * height + (int)i) % stride == 0)
                    draw(&drawn, width, height);
        close_drawn(&drawn);
    }
}

/* The overlays and modes at the sizes where they are tight; each at a third of them in a slow build. */
static void every_mode_is_drawn_within_its_bounds(void **state)
{
    (void)state;
    static struct plan plan;
    static const char *const keys[] = {
        "?",   "ENTER", "ENTER `99999999`", ": `set tp `",    "/ `hid` Down",      "b + d",   "e ENTER ENTER",
        "+ q", "z",     "3 v v v",          "5 RIGHT DOWN e", "2 RIGHT DOWN DOWN", "TAB TAB", "G",
        "E G",  "E DOWN ENTER", "+ E j j", "0 RIGHT e", "0 RIGHT RIGHT", "4 RIGHT n ]", "4 w m", "t DOWN RIGHT",
        "b - t"};
    load(&plan, L70);
    for (size_t i = 0; i < COUNT(keys); i++) {
        struct drawn drawn;
        open_drawn(&drawn, &plan, keys[i]);
        for (int width = 1; width <= 200; width += width < 30 ? 1 : 13)
            for (int height = 1; height <= 60; height += height < 14 ? 1 : 9)
                if (!check_is_slow() || ((size_t)(width + height) + i) % 6 == 0)
                    draw(&drawn, width, height);
        close_drawn(&drawn);
    }
}

static const struct {
    int width, height;
} sizes[] = {{20, 6}, {40, 12}, {80, 24}, {100, 30}, {120, 40}, {160, 50}, {200, 60}};

static void draw_states(const struct plan *plan, int share)
{
    for (size_t i = 0; i < COUNT(states); i++) {
        struct drawn drawn;
        if (strcmp(states[i].plan, L70) != 0 || strstr(states[i].keys, "lesson"))
            continue;
        open_drawn(&drawn, plan, states[i].keys);
        for (size_t j = 0; j < COUNT(sizes); j++)
            if ((i + j) % (size_t)share == 0)
                draw(&drawn, sizes[j].width, sizes[j].height);
        close_drawn(&drawn);
    }
}

/* Plans with nothing to show still draw: blank, invalid, not modelled, one stage, a great many stages. */
static void every_kind_of_plan_is_drawn(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "",
        "tp=3",
        LLAMA3_8B "tp=3 pp=7",
        LLAMA3_8B "workload=inference",
        LLAMA3_8B "framework.name=nanotron",
        "num_layers=512 hidden_size=65536 num_attention_heads=512 vocab_size=1000000 seq_length=1M pp=256 nodes=512",
        DEEPSEEK_V3 "ep=64 nodes=256 zero_stage=1 pp=1",
        LLAMA3_8B "tp=1 micro_batch_size=1000 global_batch_size=8000"};
    for (size_t i = 0; i < COUNT(settings); i++) {
        static struct plan plan;
        if (settings[i][0])
            check_plan(&plan, settings[i]);
        else
            plan_clear(&plan);
        draw_states(&plan, 1);
    }
}

/* Every view of plans of every kind, at the seven sizes. */
static void every_plan_is_drawn_in_every_view(void **state)
{
    (void)state;
    static const char *const plans[] = {"tests/screens/tight.yaml",   "tests/scripts/gpt_2023.sh",
                                        "tests/scripts/moe_slurm.sh", "llama3.1-405b-16k",
                                        "llama3-8b-serving",          "deepseek-v3-2048h800"};
    for (size_t i = 0; i < COUNT(plans); i++) {
        static struct plan plan;
        load(&plan, plans[i]);
        draw_states(&plan, check_is_slow() ? 14 : 1);
    }
}

/* ---- scripts of keys -------------------------------------------------------------------------------------------- */

/* Keys from the default view, texts that the screen then has, and one that it lacks. */
static const struct {
    const char *plan, *settings;
    int width, height;
    const char *keys, *has[5], *lacks;
} scripts[] = {
    {"tests/screens/tight.yaml", "", 80, 24, "1 1",
     {"TIGHT  fits in 47 of 100 runs", "= allocated (torch maximum)"}, "FITS"},
    {"tests/screens/tight.yaml", "", 80, 24, "+", {"FITS", "tp 2"}, "TIGHT"},
    {"tests/screens/tight.yaml", "hardware.fragmentation=1.0", 80, 24, "1", {"FITS"}, "TIGHT"},
    {"tests/screens/tight.yaml", "", 80, 24, "i", {"1 open", "decides whether it fits: 1.045 is"}, NULL},
    {"tests/screens/tight.yaml", "", 80, 24, "i ENTER C-u `1.0` ENTER", {"FITS"}, "TIGHT"},
    {L70, "", 80, 24, "-", {"DOES NOT FIT  7.1 GiB over"}, "FITS"},
    {L70, "", 80, 24, "ENTER C-u 6 ENTER", {"NOT VALID", "64 x H100", "28.4 GiB free; as fast"}, NULL},
    {L70, "", 80, 24, "t t",
     {"c compute          52.75  73.9%", "t tensor tp        17.50  24.5%", ". bubble, waiting   0.79   1.1%",
      "= iteration        71.41"}, "e expert"},
    {L70, "", 80, 24, "t", {"= an iteration      71.41 100 %  ", "kernels below peak  18.73  26 %"}, "+10%"},
    {L70, "", 80, 34, "t t", {"= iteration        71.41 100.0%", "10 % more           FLOPS"}, NULL},
    {L70, "", 120, 40, "1", {"slowest is stage 3: busy 70.6 of 71.4 s", "saves, s "}, "* decides"},
    {L70, "", 80, 24, "0 RIGHT RIGHT e", {"time.mfu", "model operations over the peak"}, "unknown"},
    {L70, "", 80, 24, "b : `tp=4 pp=8` ENTER t t", {"-9.79", "+1.67", "-7.42"}, NULL},
    {"deepseek-v3-2048h800", "", 80, 24, "t t", {"e expert ep         9.27"}, NULL},
    {L70, "", 80, 24, "4", {"stage 0 f0fff1ffff2fff", "46.9 at the peak"}, NULL},
    {L70, "", 80, 24, "4 RIGHT RIGHT RIGHT RIGHT",
     {"Pass 5 of 512 on stage 0", "micro-batch 0: 0.888 to 1.064 s", "waited 539 ms for backward 0 of stage 1"},
     "not w"},
    {L70, "", 80, 24, "4",
     {"0 1 t 2 3  Schedule  5 6 7 8 d\n", "   79.1", "   25.7 ", "        ===="}, "|1\n"},
    {L70, "", 80, 24, "b : `recompute=full` ENTER 4", {"25.7 stays, 27.5 at the peak; pinned 1: 46.9\n"}, NULL},
    {L70, "tp=4 pp=16", 80, 24, ": present ENTER 1",
     {"\nstage 0  WW", "\nstage 3  WW", "\nstage 15 WW", " activations "}, "\nstage 1  WW"},
    {L70, "tp=4 pp=16", 80, 24, ": present ENTER 1 RIGHT RIGHT RIGHT RIGHT",
     {"\nstage 0  WW", "\nstage 4  WW"}, "\nstage 3  WW"},
    {L70, "tp=4 pp=16", 80, 24, ": present ENTER 4", {"s0-3 ", "\n        f", "\ns0-3    f"}, "event"},
    {L70, "", 80, 24, "2", {"=   waited "}, NULL},
    {L70, "", 100, 30, "2", {"=   waited "}, NULL},
    {L70, "", 80, 24, "3", {"cp      1  -\n", "edp     -  the same as dp: no experts\n", "world 64: 0-63\n"}, "alone"},
    {"deepseek-v3-2048h800", "", 80, 24, "3", {"alone in tp cp; world 2048: 0-2047\n"}, "same as dp"},
    {L70, "", 80, 24, "L", {"c computing: forward, backward, repeated forward\n"}, "~"},
    {L70, "", 80, 24, "L END", {"NOT VALID  the plan breaks a rule; 6 mends it\n"}, NULL},
    {L70, "", 40, 12, "+ q", {"1 not saved: s save, d show, y leave\n"}, NULL},
    {L70, "", 80, 24, "4 END", {"Pass 512 of 512 on stage 0"}, NULL},
    {L70, "schedule=zb-h1", 80, 24, "4 ]", {"zb-h1, 256 micro-batches", "w0"}, NULL},
    {L70, "", 80, 24, "6 6",
     {"one change", " your layout\n", "pp 2, dp 4 ", "recompute selective ", "pp 2, dp 4: -1.52 s"}, "~"},
    {L70, "", 120, 40, "6 6", {"  micro-batch                  1          2          2\n", " bubble\n"}, "~"},
    {L70, "", 80, 24, "b : `pp=2` ENTER d",
     {"pinned 1 against this plan ", "  d data dp                   +421 ms  "}, "~"},
    {"llama3.1-405b-16k", "", 80, 24, "6 6",
     {"vpp 4 ", "best: "}, NULL},
    {L70, "", 160, 50, "8", {"  as good "}, "(sch"},
    {L70, "", 120, 40, "/ `llama3-8b 4090 lora`",
     {"QLoRA, full recompute, 4096 tokens: 14.4 of 23.6 GiB", "    23.1 GiB over",
      "shardtop goal tune --model llama3-8b"}, "~"},
    {L70, "", 80, 24, "/ `llama3-8b 100B 30 days` RIGHT", {"8 GPUs, 1 node: ", " days, $", "or:", "goal train "}, "~"},
    {"llama3-8b-serving", "", 100, 30, "1 1",
     {"  longest context ", "  with a full queue "}, "~"},
    {"llama3-8b-serving", "", 100, 30, "t t", {"over: 128; up to 79 users, context 12,781 tokens"}, "~"},
    {"llama3-8b-serving", "gpus_per_node=2 tp=2", 120, 40, "", {"launches and host", "= a token", "; a token "}, "~"},
    {"tinyllama-workstation", "workload=rl framework.name=fsdp2 fsdp=full", 120, 40, "",
     {"the largest phase; +-", "log-probabilities ", "rewards, data", "= an iteration"}, "MFU"},
    {L70, "", 120, 40, ": `model nemotron-nano-9b-v2` ENTER 5",
     {"14 layers: 8 Mamba-2, 6 feed-forward", "- mixers "}, "~"},
    {L70, "", 80, 24, "6 ENTER", {"69.9 s", "pp 2"}, "71.4 s"},
    {L70, "", 80, 24, "6 ENTER u", {"71.4 s", "pp 4"}, NULL},
    {L70, "", 80, 24, ": `sweep tp=2,4,8,16 pp=1..16` ENTER", {"64.00. ", "69.85.*", "[71.41", "--", "53.23!"}, NULL},
    {L70, "", 80, 24, ": `search energy max-memory=70GiB` ENTER",
     {"as good  4  on  2  1  4   5    2    1     1 selective ", "the best by energy with max-memory=70GiB"},
     "  2  4  1  8   5 "},
    {L70, "", 80, 24, ": `search max-memory=9GiB` ENTER",
     {"No layout is within max-memory=9GiB: ", "ruled out by max-memory", "8 no layout is within"},
     NULL},
    {L70, "", 80, 24, ": `search fit=t` TAB", {":search fit=tight"}, NULL},
    {L70, "", 80, 24, ": `search where=mf` TAB", {":search where=mfu"}, NULL},
    {L70, "", 120, 50, "6 6", {"precision fp8 ", " other hardware\n"}, "m~"},
    {L70, "", 80, 24, ": `tp 6` ENTER",
     {"NOT VALID", "tp 8 -> 6: invalid, tp: tp 6 does not divide 64 heads; works: 1 2 4 8 16;",
      "figures are those of the last valid plan"}, NULL},
    {L70, "", 80, 24, ": `tp 6` ENTER 6 6",
     {"NOT VALID", "  tp 8 ", "invalid, tp: tp 6 does not divide 64",
      "the last valid plan"}, "?"},
    {L70, "", 80, 24, ": `tp 6` ENTER 8", {"-11.", "invalid, tp: tp 6 does not", "the last valid plan"},
     "-4"},
    {L70, "", 80, 24, "b : `tp 6` ENTER d",
     {"pinned 1 against the last valid plan", "invalid, tp: tp 6 does not"}, NULL},
    {L70, "", 120, 30, ": present ENTER : `tp 6` ENTER",
     {"tp 8 -> 6: invalid, tp: tp 6 does not divide 64 heads; works: 1 2 4 8 16; figures are those of the last valid"},
     "71.4 s ->"},
    {L70, "", 80, 24, ": `go tp` ENTER a", {":sweep tp=*", "tp: 1 2 4 8 16; Enter tries them"}, NULL},
    {L70, "", 80, 24, "2 a", {"all stages"}, ":sweep"}, /* there it has its own meaning */
    {L70, "", 80, 24, "8", {"4  on  2  1  4   1 ", "63.1 s  -11.6%   65.7"}, NULL},
    {L70, "", 80, 24, ": `explain memory.stages.0.activations_bytes` ENTER",
     {"20 layers x 4 passes x 268.3 MiB", "20.96", "80 layers / 4 stages"}, "moe_"},
    {L70, "", 80, 24, ": `explain time.iteration_s` ENTER", {"256 micro-batches x 274.9 ms", "bubble_s"}, "measured"},
    {L70, "", 80, 24, "1 w > > >",
     {"Why  stage 0 holds 15.5 GiB more than stage 3", "+15.72", "4 alive against 1"}, NULL},
    {L70, "", 80, 24, "3 : `rank 37` ENTER", {"32-39", "37 45", "5 21 37 53", "n4 g5"}, "tensor-parallel size"},
    {"llama3.1-405b-16k", "", 120, 40, "3", {"n128  - n255   x128"}, NULL},
    {"llama3.1-405b-16k", "", 120, 40, "3 z : `rank 4133` ENTER", {"dp 4", "4128-4135", "37 1061 2085 .. 15397"}, NULL},
    {"llama3.1-405b-16k", "nodes=12800 global_batch_size=25600", 120, 40, "3 END",
     {"n12000-n12799 x800", "[15]", "rank 96000 = n12000 g0: stage 15"}, "n4095"},
    {"llama3.1-405b-16k",
     "nodes=12800 global_batch_size=25600",
     120,
     40,
     "3 END o END",
     {"n12799", "rank 102392 ="},
     NULL},
    {"deepseek-v3-2048h800", "", 80, 24, "3", {"edp     2  0 64", "7 more"}, "tensor-parallel size"},
    {"llama3-70b-64h100", "", 80, 24, ": `explain schedule` ENTER", {"= no\n", "ms tight\n", "ms no\n"}, NULL},
    {"llama3-70b-64h100", "", 40, 12, "1 w", {"differs\n", "+15.46\n"}, NULL},
    {"llama3-70b-64h100", "", 20, 6, "1 w", {"differs\n"}, NULL},
    {L70, "", 80, 24, "b : `mbs=2` ENTER : `sp=off` ENTER : `recompute=selective` ENTER d",
     {"3 changed by you", "sp                    on -> off", "micro-batch           1 -> 2",
      "recompute             none -> selective"}, "etp"},
    {L70, "", 80, 24, "b : `mbs=2` ENTER : `sp=off` ENTER : `recompute=selective` ENTER d s",
     {"sp                    off -> on", "micro-batch           2 -> 1"}, "etp"},
    {L70, "", 80, 24, "b b +", {"against pinned 1"}, "pinned 2"},
    {L70, "", 80, 24, "+ q", {"1 change not saved"}, NULL},
};

/* All lines of a screen. */
struct text {
    char lines[1 << 15];
    size_t used;
};

static void keep_line(void *context, const char *line)
{
    struct text *text = context;
    text->used += (size_t)snprintf(text->lines + text->used, sizeof text->lines - text->used, "%s\n", line);
}

static void scripts_of_keys_lead_where_they_should(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(scripts); i++) {
        static struct plan plan;
        static struct text text;
        struct ui_options options = {.plan = &plan, .keys = scripts[i].keys, .ascii = true,
                                     .width = scripts[i].width, .height = scripts[i].height};
        load(&plan, scripts[i].plan);
        if (strcmp(scripts[i].plan, L70) == 0)
            check_set(&plan, "global_batch_size=512 recompute=none");
        check_set(&plan, scripts[i].settings);
        text.used = 0;
        assert_int_equal(ui_screen(test_host(), &options, keep_line, &text), 0);
        for (size_t j = 0; j < COUNT(scripts[i].has) && scripts[i].has[j]; j++)
            assert_that(strstr(text.lines, scripts[i].has[j]), "%s '%s' has no '%s':\n%s", scripts[i].plan,
                        scripts[i].keys, scripts[i].has[j], text.lines);
        assert_that(!scripts[i].lacks || !strstr(text.lines, scripts[i].lacks), "%s '%s' has '%s':\n%s",
                    scripts[i].plan, scripts[i].keys, scripts[i].lacks, text.lines);
    }
}

int main(void)
{
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("HOME", "/dev/null", 1);
    unsetenv("NO_COLOR");
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("XDG_STATE_HOME");
    setlocale(LC_CTYPE, "C.UTF-8");
    static const struct CMUnitTest tests[] = {cmocka_unit_test(every_state_is_drawn_at_every_size),
                                              cmocka_unit_test(every_mode_is_drawn_within_its_bounds),
                                              cmocka_unit_test(every_kind_of_plan_is_drawn),
                                              cmocka_unit_test(every_plan_is_drawn_in_every_view),
                                              cmocka_unit_test(scripts_of_keys_lead_where_they_should)};
    return cmocka_run_group_tests_name("screens", tests, NULL, NULL);
}
