/*
 * Before there is a plan: what somebody may want, what can be opened, and the answer to the selected row. Enter goes
 * on with it; any other key works as on the screen of the default plan.
 */
#include "core/base.h"
#include "core/plan/param.h"
#include "ui/command/command.h"
#include "ui/command/keymap.h"
#include "ui/command/preview.h"
#include "ui/overlay/overlay.h"
#include "ui/state/result.h"
#include "ui/widget/bar.h"
#include "ui/widget/rule.h"
#include "ui/widget/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MOST = 6, WAYS = 4, WAY_BAR = 26 /* columns before the bars */, UNKNOWN = -1,
       ROOMY = 36 /* rows with blanks between goals */, LISTS_LEAST = 18 };

#define KEY(key, id) {MODE_START, key, ACTION_##id}
static const struct binding own_keys[] = {
    KEY(KEY_RETURN, accept), KEY(KEY_ARROW_DOWN, down), KEY('j', down), KEY(KEY_ARROW_UP, up), KEY('k', up),
    KEY(KEY_TAB, complete), KEY(KEY_ARROW_RIGHT, complete), KEY('/', find), KEY(KEY_CTRL('O'), open), KEY('C', lesson),
    KEY(':', command), KEY('?', help), KEY('q', quit), KEY(KEY_ESCAPE, cancel), KEY(KEY_CTRL('C'), interrupt),
    KEY(KEY_CTRL('L'), redraw), KEY(KEY_CTRL('Z'), suspend),
    {0},
};

static const struct hint own_hints[] = {
    {MODE_START, ACTION_accept, ACTION_NONE, "go on with the answer|go on", 0},
    {MODE_START, ACTION_down, ACTION_up, "choose", 0},
    {MODE_START, ACTION_find, ACTION_NONE, "find anything|find", 0},
    {MODE_START, ACTION_open, ACTION_NONE, "open a file|open", 0},
    {MODE_START, ACTION_lesson, ACTION_NONE, "lessons", 0},
    {MODE_START, ACTION_cancel, ACTION_NONE, "the default plan", 0},
    {MODE_START, ACTION_quit, ACTION_NONE, "leave", 90},
    {0},
};

/* What somebody may want: as it is asked with figures, and what `/` finds for that. */
static const struct want {
    int key;
    const char *name, *about, *words;
    const char *goal;   /* of `shardtop goal`; NULL: none */
    enum action action; /* what Enter does where there is no goal to answer */
} wants[] = {
    {'f', "Does my run fit?",
     "model, GPUs and layout, or the launch script that you have|a launch script, or model and GPUs", "", NULL,
     ACTION_open},
    {'t', "Train by a date",
     "\"1.5T tokens of llama3-70b in 30 days\": how many GPUs, what it costs|how many GPUs, what it costs",
     "1.5T tokens of llama3-70b in 30 days", "train", ACTION_time},
    {'u', "Fine-tune on a card",
     "\"llama3-8b with LoRA on an RTX 4090\": method, sequence, batch that fit|method, sequence and batch that fit",
     "fine-tune llama3-8b on a rtx-4090", "tune", ACTION_memory},
    {'s', "Serve users",
     "\"200 users at 4k within 50 ms a token\": GPUs, batch, cost of a million tokens|"
     "GPUs, batch, cost of a million tokens",
     "serve llama3-70b to 200 users at 4k context within 50 ms", "serve", ACTION_serving},
    {'l', "Largest that fits",
     "\"the largest model on 8 h100\": models by size, what is free|models by size, what is free",
     "the largest model on 8 h100", "size", ACTION_whatif},
    {'c', "Learn", "lessons on parallelism, from what fills a GPU to two capstones|lessons on parallelism", "", NULL,
     ACTION_lesson},
};
enum { WANTS = LENGTH(wants), TUNE = 2 };

/* Shipped plans to begin from. */
static const struct {
    const char *name, *about;
} plans[] = {{"llama3-70b-64h100", "pretraining, 64 H100|64 H100"},
             {"llama3.1-405b-16k", "16,384 GPUs"},
             {"deepseek-v3-2048h800", "64-way experts, fp8|experts, fp8"},
             {"llama3-70b-too-big", "what would make it fit?|does not fit"},
             {"llama3-8b-serving", "one L40S, 16 prompts|one L40S"},
             {"first-steps", "tp 2, pp 2, dp 2 on 8 GPUs|8 GPUs"}};
enum { PLANS = LENGTH(plans) };

/* A way to fine-tune, and whether it fits. */
struct way {
    struct plan plan;
    double bytes, room, tokens_per_s;
    struct verdict_text verdict;
};

struct start {
    int row; /* of what is wanted, then the files, then the plans */
    int files;
    char file[FILES_MOST][PATH_MAX_BYTES];
    int answered; /* the row that the answer is of */
    bool has_answer;
    char text[UI_MESSAGE_MAX]; /* the answer, or why it is missing */
    struct preview preview;    /* of a file or a plan */
    struct way way[WAYS];
};

/* ---- opening ---------------------------------------------------------------------------------------------------- */

static void take_file(void *to, const char *path)
{
    struct start *start = to;
    if (start->files < FILES_MOST && !strchr(path, '/'))
        snprintf(start->file[start->files++], PATH_MAX_BYTES, "%s", path);
}

static void open(struct ui *ui)
{
    if (!ui->start && !(ui->start = calloc(1, sizeof *ui->start)))
        return;
    struct start *start = ui->start;
    *start = (struct start){.row = TUNE, .answered = UNKNOWN};
    if (ui->host->files)
        ui->host->files(ui->host->context, "", take_file, start);
    ui->mode = MODE_START;
    ui->is_starting = true;
}

void start_open(struct ui *ui) { open(ui); }

/* The file or the plan of a row; NULL for what is wanted. */
static const char *file_at(const struct start *start, int row)
{
    return row < WANTS                  ? NULL
           : row < WANTS + start->files ? start->file[row - WANTS]
                                        : plans[row - WANTS - start->files].name;
}

/* ---- the answer ------------------------------------------------------------------------------------------------- */

/* Adapters with and without a base in 4 bits, each with and without full recomputation. */
static void compare_ways(struct ui *ui, const struct plan *answer)
{
    for (int i = 0; i < WAYS; i++) {
        struct way *way = &ui->start->way[i];
        way->plan = *answer;
        param_set(&way->plan, PARAM_train_peft, i < 2 ? PEFT_LORA : PEFT_QLORA);
        param_set(&way->plan, PARAM_train_recompute, i % 2 ? RECOMPUTE_FULL : RECOMPUTE_NONE);
        estimate_plan(&way->plan, ui->scratch);
        way->bytes = result_value(RESULT_PEAK, ui->scratch);
        way->room = ui->scratch->usable_bytes;
        way->tokens_per_s = result_value(RESULT_TOKENS, ui->scratch);
        way->verdict = result_verdict_text(ui->scratch);
    }
}

static void answer_want(struct ui *ui, const struct want *want)
{
    struct start *start = ui->start;
    struct plan answer;
    start->has_answer = want->goal && find_goal_plan(ui, want->words, want->goal, &answer, start->text);
    if (start->has_answer && strcmp(want->goal, "tune") == 0)
        compare_ways(ui, &answer);
}

static void update(struct ui *ui)
{
    struct start *start = ui->start;
    const char *file = file_at(start, start->row);
    if (start->answered == start->row || ui->is_hurried)
        return;
    start->answered = start->row;
    start->has_answer = false;
    start->text[0] = '\0';
    if (!file) {
        answer_want(ui, &wants[start->row]);
        return;
    }
    const struct palette_item item = {.kind = ITEM_FILE, .name = file, .path = file, .help = ""};
    preview_of(ui, NULL, &item, &start->preview);
    start->has_answer = true;
}

/* ---- keys ------------------------------------------------------------------------------------------------------- */

/* Enter: the answer becomes the plan, or what leads to one opens. */
static void accept(struct ui *ui)
{
    struct start *start = ui->start;
    const char *file = file_at(start, start->row);
    char line[PATH_MAX_BYTES + 8];
    ui->mode = MODE_BROWSE;
    if (file) {
        snprintf(line, sizeof line, "load %s", file);
        command_run(ui, line);
        return;
    }
    const struct want *want = &wants[start->row];
    if (want->goal)
        find_goal(ui, want->words, want->goal, want->action);
    else
        ui_do(ui, want->action);
}

/* A letter: the goal of its row with fields that can be changed, or what it leads to. */
static void choose(struct ui *ui, int row)
{
    ui->start->row = row;
    if (wants[row].goal)
        find_goal_fields(ui, wants[row].words, wants[row].goal);
    else
        accept(ui);
}

/* Keys of the screen work at once. */
static bool type(struct ui *ui, int key, bool is_pasted)
{
    if (is_pasted)
        return false;
    for (int i = 0; i < WANTS; i++)
        if (wants[i].key == key) {
            choose(ui, i);
            return true;
        }
    ui->mode = MODE_BROWSE;
    ui->is_starting = false;
    ui_key(ui, key);
    return true;
}

static void move(struct ui *ui, int dx, int dy)
{
    int row = ui->start->row + dy, rows = WANTS + ui->start->files + PLANS;
    (void)dx;
    ui->start->row = row < 0 ? 0 : row < rows ? row : rows - 1;
}

/* Tab: from what is wanted to the files, to the plans, and back. */
static void complete(struct ui *ui)
{
    struct start *start = ui->start;
    int first[] = {0, WANTS, WANTS + start->files};
    for (size_t i = 0; i < LENGTH(first); i++)
        if (first[i] > start->row) {
            start->row = first[i];
            return;
        }
    start->row = 0;
}

static void back(struct ui *ui)
{
    ui->is_starting = false;
    ui->mode = MODE_BROWSE;
}

static int *row(struct ui *ui) { return &ui->start->row; }

/* ---- drawing ---------------------------------------------------------------------------------------------------- */

static void draw_header(struct canvas *canvas, int width)
{
    static const char pill[] = " NO PLAN ", why[] = "no file, no model yet";
    bool has_why = width >= 64;
    int end = width - 1 - (int)strlen(pill) - (has_why ? 2 + (int)strlen(why) : 0);
    int x = canvas_text(canvas, 1, 0, ROLE_STRONG, "shardtop");
    canvas_pick(canvas, x + 2, 0, end - x - 3, ROLE_MUTED,
                "what training or serving a language model needs, before you queue it|what a language model needs");
    x = canvas_text(canvas, end, 0, ROLE_PILL_WARN, pill);
    if (has_why)
        canvas_text(canvas, x + 2, 0, ROLE_WARN, why);
}

static void draw_row(const struct ui *ui, struct canvas *canvas, int x, int y, int width, int row)
{
    canvas_link(canvas, x, y, width, LINK_ROWS + row);
    if (row == ui->start->row)
        canvas_paint(canvas, x, y, width, ROLE_SELECT, 0);
}

/* What may be wanted; returns the row below. */
static int draw_wants(const struct ui *ui, struct canvas *canvas, int y, int width)
{
    int gap = ui->height >= ROOMY ? 2 : 1, column = width >= NAMES_WIDTH ? 30 : 26;
    const struct rule rule = {.key = '/', .name = "What do you want?", .about = "type it, or choose", .note = ""};
    rule_draw(canvas, y++, width, &rule);
    for (int i = 0; i < WANTS; i++, y += gap) {
        canvas_format(canvas, 2, y, ROLE_KEY, "%c", wants[i].key);
        canvas_text(canvas, 5, y, ROLE_STRONG, wants[i].name);
        canvas_pick(canvas, column, y, width - column, ROLE_MUTED, wants[i].about);
        draw_row(ui, canvas, 0, y, width, i);
    }
    return y + (gap == 1);
}

/* Files of this folder beside shipped plans, `most` of each; returns the row below. */
static int draw_lists(const struct ui *ui, struct canvas *canvas, int y, int width, int most)
{
    const struct start *start = ui->start;
    const struct rule open = {.name = "Open", .about = "files of this folder", .note = ""};
    const struct rule begin = {.name = "Begin from", .about = "shipped plans", .note = ""};
    int half = (width - 3) / 2, right = half + 3;
    rule_draw(canvas, y, half, &open);
    canvas_clip(canvas, (struct rect){1 + right, 0, width - right, ui->height});
    rule_draw(canvas, y, width - right, &begin);
    for (int i = 0; i < PLANS && i < most; i++) {
        canvas_text(canvas, 2, y + 1 + i, ROLE_TEXT, plans[i].name);
        canvas_pick(canvas, 24, y + 1 + i, width - right - 24, ROLE_MUTED, plans[i].about);
        draw_row(ui, canvas, 0, y + 1 + i, width - right, WANTS + start->files + i);
    }
    canvas_clip(canvas, (struct rect){1, 0, width, ui->height});
    for (int i = 0; i < start->files && i < most; i++) {
        canvas_fit(canvas, 2, y + 1 + i, half - 2, ROLE_TEXT, start->file[i]);
        draw_row(ui, canvas, 0, y + 1 + i, half, WANTS + i);
    }
    if (start->files == 0)
        canvas_pick(canvas, 2, y + 1, half - 2, ROLE_MUTED, "none here that shardtop reads; ^O opens others|none here");
    return y + 1 + (PLANS < most ? PLANS : most);
}

/* A way: its memory against the card, and whether that fits. */
static void draw_way(const struct way *way, const char *name, struct canvas *canvas, int y, int width, double scale)
{
    enum { NAME = 2, NUMBER = 7 };
    int cells = width / 4 < 28 ? width / 4 : 28, number = WAY_BAR + cells + NUMBER;
    enum verdict verdict = way->verdict.verdict;
    const char *detail = way->verdict.detail;
    enum role role = verdict == VERDICT_FITS ? ROLE_STRONG : ROLE_TEXT;
    char text[160];
    struct bar_part part = {'#', verdict == VERDICT_FITS ? ROLE_USEFUL : ROLE_ACTIVATIONS, way->bytes, NULL};
    const struct bar bar = {.part = &part, .parts = 1, .scale = scale, .limit = way->room};
    canvas_text(canvas, NAME, y, role, name);
    bar_draw(&bar, canvas, (struct rect){WAY_BAR, y, cells, 1});
    canvas_right(canvas, number, y, role, units_figure(FIGURE_GIB, way->bytes).text);
    if (verdict == VERDICT_FITS)
        snprintf(text, sizeof text, "fits, %s; %s tokens/s|fits, %s|fits", detail,
                 figure(FIGURE_COUNT, way->tokens_per_s).text, detail);
    else
        snprintf(text, sizeof text, verdict == VERDICT_NO ? "does not fit, %s|%s" : "%s", detail, detail);
    canvas_pick(canvas, number + 2, y, width - number - 2, verdict_role(verdict), text);
}

/* All ways on one scale. */
static void draw_ways(const struct ui *ui, struct canvas *canvas, int y, int width)
{
    static const char *const names[WAYS] = {"LoRA", "LoRA, full recompute", "QLoRA", "QLoRA, full recompute"};
    const struct way *way = ui->start->way;
    double most = way[0].room;
    for (int i = 0; i < WAYS; i++)
        most = fmax(most, way[i].bytes);
    for (int i = 0; i < WAYS; i++)
        draw_way(&way[i], names[i], canvas, y + i, width, bar_scale_of(way[0].room, most));
    canvas_format(canvas, WAY_BAR, y + WAYS, ROLE_MUTED, "%s on one card, the line: %s usable", units_name(),
                  units_figure(FIGURE_GIB, way[0].room).text);
}

/* What Enter gives. */
static void draw_answer(const struct ui *ui, struct canvas *canvas, int y, int width)
{
    static const char *const leads[] = {[0] = "Enter lists plans, scripts and configurations to open; Esc shows the "
                                              "default plan, whose model and GPUs you can set",
                                        [5] = "Enter lists the lessons; each takes ten to twenty minutes"};
    const struct start *start = ui->start;
    bool is_want = start->row < WANTS, is_known = start->answered == start->row;
    const char *name = is_want ? wants[start->row].name : file_at(start, start->row);
    const struct rule rule = {.name = name, .note = "",
                              .about = is_want && wants[start->row].goal ? "the answer, before you choose" : ""};
    rule_draw(canvas, y++, width, &rule);
    if (is_want && *wants[start->row].words && ui->height >= ROOMY)
        canvas_format(canvas, 2, y++, ROLE_MUTED, "\"%s\"", wants[start->row].words);
    if (!is_known)
        canvas_text(canvas, 2, y, ROLE_MUTED, "working it out");
    else if (start->row == TUNE && start->has_answer)
        draw_ways(ui, canvas, y, width);
    else if (is_want && wants[start->row].goal)
        canvas_wrap(canvas, 2, y, width - 2, start->has_answer ? ROLE_GOOD : ROLE_WARN, start->text);
    else if (is_want)
        canvas_wrap(canvas, 2, y, width - 2, ROLE_TEXT, leads[start->row]);
    for (int i = 0; !is_want && is_known && i < start->preview.count; i++)
        canvas_fit(canvas, 2, y + i, width - 2, i ? ROLE_TEXT : ROLE_STRONG, start->preview.line[i]);
}

static void draw_whole(const struct ui *ui, struct canvas *canvas)
{
    enum { ANSWER = 1 + WAYS + 1 };
    int width = ui->width - 2, height = ui->layout.hint.y, gap = ui->height >= ROOMY;
    canvas_clip(canvas, (struct rect){0, 0, ui->width, 1});
    draw_header(canvas, ui->width);
    canvas_clip(canvas, (struct rect){1, 0, width, height});
    int y = draw_wants(ui, canvas, 1 + (height > LISTS_LEAST), width), most = height - y - gap - ANSWER - 2;
    if (most > 0)
        y = draw_lists(ui, canvas, y, width, most) + 1 + gap;
    canvas_clip(canvas, (struct rect){1, 0, width, height});
    draw_answer(ui, canvas, y, width);
    if (ui->message[0])
        canvas_fit(canvas, 0, height - 1, width, ui->message_role, ui->message);
}

const struct overlay overlay_start = {
    .keys = own_keys, .hints = own_hints, .open = open, .update = update, .draw_whole = draw_whole, .move = move,
    .accept = accept, .complete = complete, .back = back, .type = type, .row = row,
};
