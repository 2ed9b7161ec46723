/*
 * The screen as text: golden screens of `shardtop --screen`, and every size drawn once.
 * UPDATE=1 rewrites tests/screens/golden; review the difference before a commit.
 */
#include "tests/check.h"

#include "core/show/components.h"
#include "core/show/time_parts.h"
#include "src/cli/host.h"
#include "ui/ui.h"

#include <locale.h>
#include <unistd.h>
#include <wchar.h>

static const struct {
    int width, height;
} sizes[] = {{20, 6}, {40, 12}, {80, 24}, {100, 30}, {120, 40}, {160, 50}, {200, 60}};

/* What is shown, and the keys that lead there. */
static const struct {
    const char *name, *keys;
} views[] = {{"memory", "1"},
             {"time", "t"},
             {"communication", "2"},
             {"grid", "3"},
             {"schedule", "4"},
             {"layers", "5"},
             {"estimators", "E"},
             {"palette", "/ `rec`"},
             {"explain", ": `explain memory.stages.0.activations_bytes` ENTER"},
             {"diff", "b - d"},
             {"messages", "i"},
             {"legend", "L"},
             {"keys", "?"},
             {"figures", "0 RIGHT"},
             {"stages", "1 w"},
             {"presented", ": present ENTER t"},
             /* these take too long for thousands of sizes */
             {"what-if", "6"},
             {"changed", "b - : `pp 8` ENTER : `explain time.iteration_s` ENTER c"},
             {"baselines", "b - : `pp 8` ENTER b + B"},
             {"time-passes", ": `schedule zb-h1` ENTER t ENTER DOWN"},
             {"sweep", ": `sweep tp=1,2,4,8 pp=1..8` ENTER"},
             {"tuner", "8"}};
enum { QUICK_VIEWS = (int)COUNT(views) - 6 };

#define MEGATRON_1T \
    "--model megatron-1t --gpu h100-sxm-80 --gpus 1024 --set tp=8 --set pp=128 --set sp=true --set seq_length=2048 "   \
    "--set global_batch_size=512"

/* A step of a lesson. */
#define STAGE0 ": `lesson pipeline` ENTER : `lesson stage0` ENTER "

/* What is shown of other plans and over the views, in all sizes. */
static const struct {
    const char *name, *arguments, *keys;
} places[] = {{"serving", "llama3-8b-serving", "1"},
              {"serving-time", "llama3-8b-serving", "t"},
              {"script-open", "tests/scripts/moe_slurm.sh", "i"},
              {"lesson", "tests/screens/plan.yaml", STAGE0},
              {"lessons", "tests/screens/plan.yaml", "C"},
              {"export", "tests/screens/plan.yaml", "x"},
              {"themes", "tests/screens/plan.yaml", "T"},
              {"quit", "tests/screens/plan.yaml", "+ q"}};

/* Plans of other kinds, where they look different. */
static const struct {
    const char *name, *arguments, *keys;
    int width, height;
} others[] = {{"script", "tests/scripts/gpt_2023.sh", "1", 80, 24},
              {"script-messages", "tests/scripts/gpt_2023.sh", "i", 80, 24},
              {"128-stages", MEGATRON_1T, "4 w", 120, 40},
              {"128-stages-memory", MEGATRON_1T, "1", 80, 24},
              {"16384-gpus", "llama3.1-405b-16k", "3 z", 120, 40},
              {"16384-gpus-beside", "llama3.1-405b-16k", "3 H", 120, 40},
              {"16384-gpus-all", "llama3.1-405b-16k", "1", 200, 60},
              {"serving-small", "llama3-8b-serving", "", 40, 12},
              {"experts-grid", "deepseek-v3-2048h800", "3", 80, 24},
              {"16384-gpus-opened", "llama3.1-405b-16k", "3 z Down ENTER", 120, 40},
              {"tight", "tests/screens/tight.yaml", "1", 80, 24},
              {"tight-messages", "tests/screens/tight.yaml", "i", 80, 24},
              {"guess", "--model llama3-8b --gpus 8 --set pp=8 --set schedule=zb-h1 --set seq_length=8192", "t", 160,
               50},
              {"layers-shapes", "tests/screens/plan.yaml", "5 c", 80, 24},
              {"layers-operations", "tests/screens/plan.yaml", "5 c c", 80, 24},
              {"invalid", "tests/screens/plan.yaml", "Enter 6 Enter", 80, 24},
              {"invalid-small", "tests/screens/plan.yaml", "Enter 6 Enter", 40, 12},
              {"presenting", "tests/screens/plan.yaml", ": present Enter +", 80, 24},
              {"small-figures", "tests/screens/plan.yaml", "0 Right", 40, 12},
              {"small-form", "tests/screens/plan.yaml", "Down", 40, 12},
              {"tiny-form", "tests/screens/plan.yaml", "Down", 20, 6},
              {"narrow-form", "tests/screens/plan.yaml", "Down", 63, 30},
              {"passes", "tests/screens/plan.yaml", "4 v Down", 80, 24},
              {"layers-sorted", "tests/screens/plan.yaml", "5 s s", 80, 24},
              {"heat", "tests/screens/plan.yaml", "3 H m", 80, 24},
              {"units", "tests/screens/plan.yaml", ": `settings units GB` ENTER 1", 80, 24},
              {"saving", "tests/screens/plan.yaml", "+ ^S", 80, 24},
              {"lesson-schedule", "tests/screens/plan.yaml", STAGE0 "4 ENTER", 80, 24},
              {"lesson-traffic", "tests/screens/plan.yaml", ": `lesson zero` ENTER : `lesson traffic` ENTER", 80, 24},
              {"lesson-grid", "tests/screens/plan.yaml", ": `lesson moe` ENTER : `lesson edp` ENTER", 80, 24},
              {"lesson-task", "tests/screens/plan.yaml", ": `lesson capstone-70b` ENTER : `lesson fit` ENTER", 80, 24},
              {"lesson-present", "tests/screens/plan.yaml", "F11 " STAGE0 "SPACE", 80, 24}};

struct golden {
    char name[80], command[400];
    int width, height;
    bool is_ascii;
};

/* Columns of a line of UTF-8; -1 when it is broken or has control characters. */
static int columns_of(const char *line)
{
    int columns = 0;
    mbstate_t shift;
    memset(&shift, 0, sizeof shift);
    for (const char *p = line; *p;) {
        wchar_t c;
        size_t n = mbrtowc(&c, p, MB_CUR_MAX, &shift);
        if (n == 0 || n > 8 || wcwidth(c) < 0)
            return -1;
        columns += wcwidth(c);
        p += n;
    }
    return columns;
}

static bool is_plain_ascii(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text >= 0x7f || ((unsigned char)*text < 0x20 && *text != '\n'))
            return false;
    return true;
}

/* ---- golden screens --------------------------------------------------------------------------------------------- */

static char *read_all(FILE *file)
{
    static char text[1 << 18];
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[n] = '\0';
    return text;
}

static void check_shape(const struct golden *golden, const char *screen)
{
    static char copy[1 << 18];
    int lines = 0;
    snprintf(copy, sizeof copy, "%s", screen);
    for (char *line = copy, *end; *line; line = end + 1, lines++) {
        end = strchr(line, '\n');
        assert_that(end, "the last line has no end");
        *end = '\0';
        int columns = columns_of(line);
        assert_that(columns >= 0 && columns <= golden->width, "line %d has %d columns: %s", lines + 1, columns, line);
    }
    assert_that(lines == golden->height, "%d lines, not %d", lines, golden->height);
    assert_that(!golden->is_ascii || is_plain_ascii(screen), "not ASCII");
}

static void print_difference(const char *expected, const char *actual)
{
    for (int line = 1; *expected || *actual; line++) {
        size_t n = strcspn(expected, "\n"), m = strcspn(actual, "\n");
        if (n != m || memcmp(expected, actual, n) != 0)
            print_error("%3d - %.*s\n    + %.*s\n", line, (int)n, expected, (int)m, actual);
        expected += n + (expected[n] != '\0');
        actual += m + (actual[m] != '\0');
    }
}

static void golden_screen(void **state)
{
    const struct golden *golden = *state;
    char path[160];
    FILE *pipe = popen(golden->command, "r");
    assert_non_null(pipe);
    static char actual[1 << 18];
    strcpy(actual, read_all(pipe));
    int status = pclose(pipe);
    assert_that(status == 0, "'%s' ends with %d", golden->command, status);
    check_shape(golden, actual);
    snprintf(path, sizeof path, "tests/screens/golden/%s.txt", golden->name);
    if (getenv("UPDATE")) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(actual, file);
        fclose(file);
        return;
    }
    FILE *file = fopen(path, "r");
    assert_that(file, "no %s; `make snapshots` writes it", path);
    const char *expected = read_all(file);
    fclose(file);
    if (strcmp(expected, actual) != 0) {
        print_difference(expected, actual);
        print_error("`make snapshots` takes the new screens over\n");
        fail();
    }
}

/* ---- every size ------------------------------------------------------------------------------------------------- */

struct drawn {
    int width, height, lines;
    bool has_verdict, is_ascii;
    const char *keys;
    char peak[16], iteration[16]; /* as the line of figures has them, "" when it does not */
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

/* The same figure is written the same way wherever it stands: in the line of figures and in the row of the table. */
static void check_figures(struct drawn *drawn, const char *line)
{
    const char *device = strstr(line, "= device"), *iteration = strstr(line, "= iteration  ");
    if (drawn->lines == 1) {
        copy_figure(line, strstr(line, " GiB s") ? " of " : "\n", drawn->peak);
        copy_figure(line, " s |", drawn->iteration);
    }
    if (device && drawn->peak[0] && strlen(drawn->peak) < 8) /* what is longer has no room between columns */
        assert_that(strstr(device, drawn->peak), "%s of the figures is not in: %s", drawn->peak, device);
    if (iteration && drawn->iteration[0]) {
        double figure = atof(drawn->iteration), row = atof(iteration + strlen("= iteration"));
        const char *point = strchr(drawn->iteration, '.');
        double digit = pow(10, point ? -(double)strlen(point + 1) : 0);
        assert_that(fabs(figure - row) <= 0.5001 * digit, "%s s of the figures is %g: %s", drawn->iteration, row,
                    iteration);
    }
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

static void take_line(void *context, const char *line)
{
    struct drawn *drawn = context;
    int columns = columns_of(line);
    assert_that(columns >= 0 && columns <= drawn->width, "%dx%d '%s': line %d has %d columns: %s", drawn->width,
                drawn->height, drawn->keys, drawn->lines + 1, columns, line);
    assert_that(!drawn->is_ascii || is_plain_ascii(line), "%dx%d '%s': line %d is not ASCII: %s", drawn->width,
                drawn->height, drawn->keys, drawn->lines + 1, line);
    drawn->has_verdict |= strpbrk(line, "FTNSI?") != NULL; /* fits, tight, no, stale, invalid, not known */
    assert_that(!strstr(line, "FITS +") && !strstr(line, "NO -"), "room is signed: %s", line);
    check_cuts(line);
    check_bars(line);
    check_figures(drawn, line);
    drawn->lines++;
}

static void draw(const struct plan *plan, int width, int height, const char *keys, bool is_ascii)
{
    struct drawn drawn = {.width = width, .height = height, .is_ascii = is_ascii, .keys = keys};
    struct ui_options options = {.plan = plan, .keys = keys, .width = width, .height = height, .ascii = is_ascii};
    assert_int_equal(ui_screen(&host_functions, &options, take_line, &drawn), 0);
    assert_that(drawn.lines == height, "%dx%d '%s': %d lines", width, height, keys, drawn.lines);
    assert_that(drawn.has_verdict, "%dx%d '%s': no verdict", width, height, keys);
}

static void load(struct plan *plan, const char *path)
{
    char message[UI_MESSAGE_MAX] = "";
    plan_clear(plan);
    assert_that(host_functions.load(host_functions.context, path, plan, message) == 0, "%s: %s", path, message);
}

/* All sizes from 1x1 to 250x80; in a slow build all small ones and every seventh column. */
static void every_size_is_drawn_within_its_bounds(void **state)
{
    (void)state;
    static struct plan plan;
    load(&plan, "tests/screens/plan.yaml");
    bool is_slow = check_is_slow();
    int drawn = 0;
    for (int height = 1; height <= 80; height++)
        for (int width = 1; width <= 250; width++) {
            if (is_slow && (width > 45 || height > 26) && (width % 7 != 0 || height % 5 != 0))
                continue;
            draw(&plan, width, height, views[(width + height) % QUICK_VIEWS].keys, drawn % 2);
            drawn++;
        }
    assert_true(drawn > 1000);
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
    load(&plan, "tests/screens/plan.yaml");
    for (size_t i = 0; i < COUNT(keys); i++)
        for (int width = 1; width <= 200; width += width < 30 ? 1 : 13)
            for (int height = 1; height <= 60; height += height < 14 ? 1 : 9) {
                if (check_is_slow() && ((size_t)(width + height) + i) % 3 != 0)
                    continue;
                draw(&plan, width, height, keys[i], (width + height) % 2);
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
    for (size_t i = 0; i < COUNT(settings); i++)
        for (size_t j = 0; j < COUNT(sizes); j++)
            for (size_t k = 0; k < COUNT(views); k++) {
                static struct plan plan;
                if (k >= QUICK_VIEWS && sizes[j].width != 80)
                    continue;
                if (settings[i][0])
                    check_plan(&plan, settings[i]);
                else
                    plan_clear(&plan);
                struct drawn drawn = {.width = sizes[j].width, .height = sizes[j].height, .keys = views[k].keys};
                struct ui_options options = {
                    .plan = &plan, .keys = views[k].keys, .width = drawn.width, .height = drawn.height};
                assert_int_equal(ui_screen(&host_functions, &options, take_line, &drawn), 0);
                assert_int_equal(drawn.lines, drawn.height);
            }
}

/* Every view of plans of every kind, at the seven sizes. */
static void every_plan_is_drawn_in_every_view(void **state)
{
    (void)state;
    static const char *const plans[] = {"tests/screens/plan.yaml",    "tests/screens/tight.yaml",
                                        "tests/scripts/gpt_2023.sh",
                                        "tests/scripts/moe_slurm.sh", "llama3.1-405b-16k",        "llama3-8b-serving",
                                        "deepseek-v3-2048h800"};
    for (size_t i = 0; i < COUNT(plans); i++)
        for (size_t j = 0; j < COUNT(sizes); j++)
            for (size_t k = 0; k < QUICK_VIEWS; k++) {
                static struct plan plan;
                if (check_is_slow() && (i + j + k) % 7 != 0)
                    continue;
                load(&plan, plans[i]);
                draw(&plan, sizes[j].width, sizes[j].height, views[k].keys, k % 2);
            }
}

/* ---- scripts of keys -------------------------------------------------------------------------------------------- */

#define L70 "tests/screens/plan.yaml"

/* Keys from the default view, texts that the screen then has, and one that it lacks. */
static const struct {
    const char *plan, *settings;
    int width, height;
    const char *keys, *has[5], *lacks;
} scripts[] = {
    {"tests/screens/tight.yaml", "", 80, 24, "1",
     {"TIGHT 44 % 0.3 GiB over", "= allocated (torch maximum)", "needs 77.1 .. 83.0 GiB of 79.1"}, "FITS"},
    {"tests/screens/tight.yaml", "", 80, 24, "+", {"FITS", "tp2"}, "TIGHT"},
    {"tests/screens/tight.yaml", "hardware.fragmentation=1.0", 80, 24, "1", {"FITS"}, "TIGHT"},
    {"tests/screens/tight.yaml", "", 80, 24, "i", {"1 open", "1.045 is assumed, which fits with 44 %"}, NULL},
    {"tests/screens/tight.yaml", "", 80, 24, "i ENTER C-u `1.0` ENTER", {"FITS"}, "TIGHT"},
    {L70, "", 80, 24, "-", {"NO 7.1 GiB over"}, "FITS"},
    {L70, "", 80, 24, "ENTER C-u 6 ENTER", {"INVALID", "STALE", "64 x h100-sxm-80", "tp8", "+ 8: 50.7 GiB, ="}, NULL},
    {L70, "", 80, 24, "t",
     {"c compute          52.75  73.9%", "t tensor tp        17.50  24.5%", ". bubble, waits     0.79   1.1%",
      "= iteration        71.41", "x e h: none in this plan"}, "e expert"},
    {L70, "", 80, 24, "t", {"* decides; number: busy seconds            < > stage", "+10% NVLink"}, "+10% network"},
    {L70, "", 120, 40, "t", {"part, stage 3 < >      s  share    s0    s1\n", "+10% NVLink"}, "* decides"},
    {L70, "", 80, 24, "0 RIGHT RIGHT e", {"time.mfu", "model operations over the peak"}, "unknown"},
    {L70, "", 80, 24, "b : `tp=4 pp=8` ENTER t", {"-9.79", "+1.67", "-7.42"}, NULL},
    {"deepseek-v3-2048h800", "", 80, 24, "t", {"e expert ep         9.27"}, NULL},
    {L70, "", 80, 24, "4", {"s0     f0fff1ffff2fff", "20 ms a column", "peak 46.9 in b0"}, NULL},
    {L70, "", 80, 24, "4 RIGHT RIGHT RIGHT RIGHT",
     {"event 5 of 512: b0  0.888 .. 1.064 s", "waited 539 ms for b0 of stage 1"}, "no wait"},
    {L70, "", 80, 24, "4",
     {" 1 Memory t Time 2 Comm 3 Grid[4 Schedule]5 Layers 6 If 7 Sweep 8 Tuner d Diff\n", "    50\n",
      "    45               ###", "    20  ===="}, "|1\n"},
    {L70, "", 80, 24, "b : `recompute=full` ENTER 4", {"4 alive, peak 27.5 in b0; = 25.7 stays; - b1 46.9\n"}, NULL},
    {L70, "tp=4 pp=16", 80, 24, ": present ENTER 1",
     {"5 of 16 bars", "\ns0  WW", "\ns3  WW", "\ns15 WW", " activations "}, "\ns1  WW"},
    {L70, "tp=4 pp=16", 80, 24, ": present ENTER 1 RIGHT RIGHT RIGHT RIGHT", {"\ns0  WW", "\ns4  WW"}, "\ns3  WW"},
    {L70, "tp=4 pp=16", 80, 24, ": present ENTER 4", {"  4 a row  ", "\n        f", "\n>s0-3   f"}, "event"},
    {L70, "", 80, 24, "2", {"= all  exposed 17.8 s of 71.4 s                25.0%\n"}, NULL},
    {L70, "", 100, 30, "2", {"| -----------", "= all  exposed 17.8 s of 71.4 s "}, NULL},
    {L70, "", 80, 24, "3", {"cp      1  -\n", "edp     -  the same as dp: no experts\n", "world 64: 0-63\n"}, "alone"},
    {"deepseek-v3-2048h800", "", 80, 24, "3", {"alone in tp cp; world 2048: 0-2047\n"}, "same as dp"},
    {L70, "", 80, 24, "L", {"c computing: forward, backward, repeated forward\n"}, "~"},
    {L70, "", 80, 24, "L END", {"INVALID  the plan breaks a rule: the line below says\n"}, "Marks and words"},
    {L70, "", 40, 12, "+ q", {"1 not saved: s save, d show, y leave\n"}, NULL},
    {L70, "", 80, 24, "4 END", {"event 512 of 512: b255"}, NULL},
    {L70, "schedule=zb-h1", 80, 24, "4 ]", {"zb-h1  pp 4", "w0"}, NULL},
    {L70, "", 80, 24, "6",
     {"one change from here", "pp 4 > 2 (dp 4)            69.9 s  -1.52 s", "-1.43 s computing",
      "recompute none > selective 72.8 s", "+10 % of   FLOPS -5.6%  NVLink -2.0%  HBM -0.3%\n"}, "~"},
    {L70, "", 80, 24, "b : `pp=2` ENTER d", {"b1 against now\n", "  d data dp                   +421 ms  "}, "~"},
    {"llama3.1-405b-16k", "", 80, 24, "6", {"vpp 8 > 1 (schedule 1f1b)", " pp 16 > 32, vpp 8 > 4 ..\n"}, NULL},
    {L70, "", 160, 50, "8", {" tp 8 > 2, sp true > false ..\n"}, "(sch"},
    {"llama3-8b-serving", "", 100, 30, "1",
     {"  longest context ", "  with a full queue ", "! over; up to 79, context "}, "~"},
    {L70, "", 80, 24, "6 ENTER", {"69.9 s", "pp2"}, "71.4 s |"},
    {L70, "", 80, 24, "6 ENTER u", {"71.4 s |", "pp4"}, "69.9 s |"},
    {L70, "", 80, 24, ": `sweep tp=2,4,8,16 pp=1..16` ENTER", {"64.00.*", "[71.41", "--", "53.23!"}, NULL},
    {L70, "", 80, 24, ": `search energy max-memory=70GiB` ENTER",
     {"by energy, 187 Wh a Mtoken: 2042 of 15840 valid within max-memory=70GiB",
      "~tp4 sp cp2 pp4 vpp5 mbs1 selective zero1 ", "the best by energy with max-memory=70GiB"},
     "tp2 sp cp4 pp8 vpp5"},
    {L70, "", 80, 24, ": `search max-memory=9GiB` ENTER",
     {"No layout is within max-memory=9GiB: 15840 are", "ruled out by max-memory", "8 no layout is within"},
     NULL},
    {L70, "", 80, 24, ": `search fit=t` TAB", {":search fit=tight"}, NULL},
    {L70, "", 80, 24, ": `search where=mf` TAB", {":search where=mfu"}, NULL},
    {L70, "", 120, 50, "6", {"dtype bf16 > fp32", " min +", " min  "}, "m~"},
    {L70, "", 80, 24, ": `tp 6` ENTER",
     {"STALE INVALID", "tp 8 -> 6: invalid, tp: tp 6 does not divide 64 heads; works: 1 2 4 8 16;",
      "figures are those of the last valid plan"}, NULL},
    {L70, "", 80, 24, ": `tp 6` ENTER 6",
     {"STALE INVALID", "vs valid", "tp 6 > 8 ", "invalid, tp: tp 6 does not divide 64",
      "of the last valid plan"}, "?"},
    {L70, "", 80, 24, ": `tp 6` ENTER 8", {"vs valid", "-11.", "invalid, tp: tp 6 does not", "of the last valid plan"},
     "-4"},
    {L70, "", 80, 24, "b : `tp 6` ENTER d", {"b1 against the last valid plan", "invalid, tp: tp 6 does not"}, NULL},
    {L70, "", 120, 30, ": present ENTER : `tp 6` ENTER",
     {"tp 8 -> 6: invalid, tp: tp 6 does not divide 64 heads; works: 1 2 4 8 16; figures are those of the last valid"},
     "71.4 s ->"},
    {L70, "", 80, 24, ": `go tp` ENTER a", {":sweep tp=*", "tp: 1 2 4 8 16; Enter tries them"}, NULL},
    {L70, "", 80, 24, "2 a", {"all stages"}, ":sweep"}, /* there it has its own meaning */
    {L70, "", 80, 24, "8", {"tp4 sp pp8 mbs1 zero1", "64.0 s -10.4%  74.4"}, NULL},
    {L70, "", 80, 24, ": `explain memory.stages.0.activations_bytes` ENTER",
     {"20 layers x 4 passes x 268.3 MiB", "20.96", "80 layers / 4 stages"}, "moe_"},
    {L70, "", 80, 24, ": `explain time.iteration_s` ENTER", {"256 micro-batches x 274.9 ms", "bubble_s"}, "measured"},
    {L70, "", 80, 24, "1 w > > >",
     {"Why  stage 0 holds 15.5 GiB more than stage 3", "+15.72", "4 alive against 1"}, NULL},
    {L70, "", 80, 24, "3 : `rank 37` ENTER", {"32-39", "37 45", "5 21 37 53", "n4 g5"}, "tensor-parallel size"},
    {"llama3.1-405b-16k", "", 120, 40, "3", {"n128  - n255   x128"}, NULL},
    {"llama3.1-405b-16k", "", 120, 40, "3 z : `rank 4133` ENTER", {"dp 4", "4128-4135", "37 1061 2085 .. 15397"}, NULL},
    {"deepseek-v3-2048h800", "", 80, 24, "3", {"edp     2  0 64", "7 more"}, "tensor-parallel size"},
    {"llama3-70b-64h100", "", 80, 24, ": `explain schedule` ENTER", {"= no\n", "ms fits\n", "ms no\n"}, NULL},
    {"llama3-70b-64h100", "", 40, 12, "1 w", {"differs\n", "+15.46\n"}, NULL},
    {"llama3-70b-64h100", "", 20, 6, "1 w", {"differs\n"}, NULL},
    {L70, "", 80, 24, "b : `mbs=2` ENTER : `sp=off` ENTER : `recompute=selective` ENTER d",
     {"3 changed by you", "sp                    on -> off", "micro_batch_size      1 -> 2",
      "recompute             none -> selective"}, "etp"},
    {L70, "", 80, 24, "b : `mbs=2` ENTER : `sp=off` ENTER : `recompute=selective` ENTER d s",
     {"sp                    off -> on", "micro_batch_size      2 -> 1"}, "etp"},
    {L70, "", 80, 24, "b b +", {"vs b1 "}, "b2"},
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
        assert_int_equal(ui_screen(&host_functions, &options, keep_line, &text), 0);
        for (size_t j = 0; j < COUNT(scripts[i].has) && scripts[i].has[j]; j++)
            assert_that(strstr(text.lines, scripts[i].has[j]), "%s '%s' has no '%s':\n%s", scripts[i].plan,
                        scripts[i].keys, scripts[i].has[j], text.lines);
        assert_that(!scripts[i].lacks || !strstr(text.lines, scripts[i].lacks), "%s '%s' has '%s':\n%s",
                    scripts[i].plan, scripts[i].keys, scripts[i].lacks, text.lines);
    }
}

/* One golden screen; `ascii` beside the one with all glyphs. */
static void make_golden(struct golden *golden, const char *name, const char *arguments, const char *keys, int width,
                        int height, bool ascii)
{
    const char *program = getenv("SHARDTOP") ? getenv("SHARDTOP") : "build/shardtop";
    *golden = (struct golden){.width = width, .height = height, .is_ascii = ascii};
    snprintf(golden->name, sizeof golden->name, "%dx%d-%s%s", width, height, name, ascii ? "-ascii" : "");
    snprintf(golden->command, sizeof golden->command, "%s --screen %dx%d --keys '%s'%s %s </dev/null 2>/dev/null",
             program, width, height, keys, ascii ? " --ascii" : "", arguments);
}

int main(void)
{
    enum { GOLDENS = 2 * (COUNT(sizes) * (COUNT(views) + COUNT(places)) + COUNT(others)) };
    static struct CMUnitTest tests[5 + GOLDENS];
    static struct golden goldens[GOLDENS];
    size_t n = 0, count = 0;
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("HOME", "/dev/null", 1);
    unsetenv("NO_COLOR");
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("XDG_STATE_HOME");
    setlocale(LC_CTYPE, "C.UTF-8");
    static const struct CMUnitTest others_than_golden[] = {cmocka_unit_test(every_size_is_drawn_within_its_bounds),
                                                           cmocka_unit_test(every_mode_is_drawn_within_its_bounds),
                                                           cmocka_unit_test(every_kind_of_plan_is_drawn),
                                                           cmocka_unit_test(every_plan_is_drawn_in_every_view),
                                                           cmocka_unit_test(scripts_of_keys_lead_where_they_should)};
    for (size_t i = 0; i < COUNT(others_than_golden) && !getenv("UPDATE"); i++)
        tests[count++] = others_than_golden[i];
    for (int ascii = 0; ascii < 2; ascii++) {
        for (size_t i = 0; i < COUNT(sizes); i++) {
            for (size_t j = 0; j < COUNT(views); j++)
                make_golden(&goldens[n++], views[j].name, "tests/screens/plan.yaml", views[j].keys, sizes[i].width,
                            sizes[i].height, ascii);
            for (size_t j = 0; j < COUNT(places); j++)
                make_golden(&goldens[n++], places[j].name, places[j].arguments, places[j].keys, sizes[i].width,
                            sizes[i].height, ascii);
        }
        for (size_t i = 0; i < COUNT(others); i++)
            make_golden(&goldens[n++], others[i].name, others[i].arguments, others[i].keys, others[i].width,
                        others[i].height, ascii);
    }
    for (size_t i = 0; i < n; i++) /* a slow build draws each with all glyphs or without, in turn */
        if (!check_is_slow() || goldens[i].is_ascii == i % (n / 2) % 2)
            tests[count++] = (struct CMUnitTest){goldens[i].name, golden_screen, NULL, NULL, &goldens[i]};
    return _cmocka_run_group_tests("screens", tests, count, NULL, NULL) != 0;
}
