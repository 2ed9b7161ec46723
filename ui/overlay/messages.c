/* What is open, what was found, what was read and what was said: messages that stay. */
#include "core/estimate/range.h"
#include "core/plan/param.h"
#include "core/plan/question.h"
#include "ui/command/assign.h"
#include "ui/command/browse.h"
#include "ui/command/keymap.h"
#include "ui/overlay/overlay.h"
#include "ui/widget/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 700, SECTION = 6 /* columns */, ROW_TEXT = 2000 };

#define KEY(key, id) {MODE_MESSAGES, key, ACTION_##id}
static const struct binding own_keys[] = {
    KEY(KEY_RETURN, accept), KEY('e', accept), KEY(KEY_ARROW_UP, up), KEY('k', up), KEY(KEY_ARROW_DOWN, down),
    KEY('j', down), KEY(KEY_PAGE_UP, page_up), KEY(KEY_PAGE_DOWN, page_down), KEY('g', top), KEY(KEY_TO_HOME, top),
    KEY('G', bottom), KEY(KEY_TO_END, bottom), KEY('f', complete), KEY('y', copy), KEY('s', save), KEY('x', export),
    KEY('q', cancel), KEY('i', cancel),
    KEY(KEY_ESCAPE, cancel), KEY(KEY_CTRL('C'), cancel), KEY(KEY_ARROW_LEFT, cancel), KEY('h', cancel), KEY('?', help),
    KEY(KEY_CTRL('L'), redraw), KEY(KEY_CTRL('Z'), suspend),
    {0},
};

static const struct hint own_hints[] = {
    {MODE_MESSAGES, ACTION_accept, ACTION_NONE, "go to the key", 0},
    {MODE_MESSAGES, ACTION_complete, ACTION_NONE, "one kind", 0},
    {MODE_MESSAGES, ACTION_down, ACTION_up, "select", 0},
    {MODE_MESSAGES, ACTION_copy, ACTION_NONE, "copy", 0},
    {MODE_MESSAGES, ACTION_save, ACTION_export, "save/export", 0},
    {MODE_MESSAGES, ACTION_cancel, ACTION_NONE, "back", 0},
    {0},
};

/* Kinds of messages, in the order of the list. */
enum section { SECTION_OPEN, SECTION_FAULT, SECTION_WARN, SECTION_NOTE, SECTION_READ, SECTION_LOG, SECTIONS };

static const struct {
    const char *name;
    enum role role;
} sections[SECTIONS] = {
    [SECTION_OPEN] = {"open", ROLE_WARN}, [SECTION_FAULT] = {"fault", ROLE_BAD}, [SECTION_WARN] = {"warn", ROLE_WARN},
    [SECTION_NOTE] = {"note", ROLE_TEXT}, [SECTION_READ] = {"read", ROLE_TEXT}, [SECTION_LOG] = {"log", ROLE_MUTED},
};

/* One message. */
struct row {
    enum section section;
    int key;  /* enum param, or -1 */
    int line; /* of the file that was read, 0 for none */
    char clock[CLOCK_MAX], text[ROW_TEXT];
};

/* All of them, those of one section, or row number `wanted` alone. */
struct rows {
    const struct ui *ui;
    int section; /* -1: all */
    int count, wanted;
    int of[SECTIONS];
    bool has_origins;
    struct row row; /* number `wanted` */
    struct question question; /* of it; without a variable where it is none */
};

/* ---- gathering -------------------------------------------------------------------------------------------------- */

/* Returns whether it is the wanted one. */
static bool add(struct rows *rows, enum section section, int key, const char *text)
{
    rows->of[section]++;
    if (rows->section >= 0 && rows->section != (int)section)
        return false;
    if (rows->count++ != rows->wanted)
        return false;
    rows->row = (struct row){.section = section, .key = key};
    snprintf(rows->row.text, ROW_TEXT, "%s", text);
    return true;
}

/* The line behind the last colon of "run.sh:117"; 0 for none. */
static int line_in(const char *where)
{
    const char *colon = strrchr(where, ':');
    return colon ? atoi(colon + 1) : 0;
}

/* True for a question that one value answers; words of a script are answered where it is read. */
static bool is_picked_here(const struct question *question)
{
    bool is_one = question->count == 1 || question->kind == QUESTION_GPU_COUNT;
    return is_one && !question->has_words && question->kind != QUESTION_MODEL;
}

/* Choice number `n` of a question, from 1; returns its length, 0 for none. */
static int choice_at(const struct question *question, int n, const char **choice)
{
    const char *p = question->choices;
    for (int i = 1; i < n && *p; i++)
        p += strcspn(p, " "), p += *p == ' ';
    *choice = p;
    return (int)strcspn(p, " ");
}

/* `; pick 1: 8, 2: 16`, or the words that a script knows. */
static void put_choices(const struct question *question, char *text, size_t used, size_t size)
{
    const char *choice;
    bool is_picked = is_picked_here(question);
    for (int i = 1, n; i < 10 && used < size && (n = choice_at(question, i, &choice)) > 0; i++) {
        const char *before = i > 1 ? ", " : is_picked ? "; pick " : "; one of ";
        used += is_picked ? (size_t)snprintf(text + used, size - used, "%s%d: %.*s", before, i, n, choice)
                          : (size_t)snprintf(text + used, size - used, "%s%.*s", before, n, choice);
    }
}

/* A verdict that hangs on what nobody knows is a question. */
static void add_tight(struct rows *rows)
{
    const struct estimate *e = rows->ui->shown;
    char text[ROW_TEXT], value[FIELD_TEXT_MAX];
    if (e->is_serving || !e->is_computed || range_verdict(e) != VERDICT_TIGHT)
        return;
    form_value(&e->plan, PARAM_hardware_fragmentation, value);
    snprintf(text, sizeof text,
             "fragmentation decides whether it fits: %s is assumed, which fits with %.0f %%; your own is torch's "
             "reserved over allocated memory at their maximum", value, 100 * range_fit_probability(e));
    add(rows, SECTION_OPEN, PARAM_hardware_fragmentation, text);
}

/* What the input left open, until its keys are set: what was assumed, where it stands, how it is answered. */
static void add_questions(struct rows *rows)
{
    if (!rows->ui->options.questions)
        return;
    struct questions left = *rows->ui->options.questions;
    questions_settle(&left, &rows->ui->plan);
    for (int i = 0; i < left.count; i++) {
        const struct question *it = &left.item[i];
        char text[ROW_TEXT];
        size_t used = (size_t)snprintf(text, sizeof text, "%s decides", it->variable);
        for (int k = 0; k < it->count && used < sizeof text; k++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s %s", k ? "," : "",
                                     param_rows[it->decides[k]].key);
        if (used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "; %s%s%s%s%s%s%s",
                                     it->has_words ? "the branch of " : "", it->assumed[0] ? it->assumed : "nothing",
                                     it->has_words      ? " is taken"
                                     : it->is_uncertain ? " was read"
                                                        : " is assumed",
                                     it->where[0] ? "; " : "", it->where, it->how[0] ? "; set the key here, or " : "",
                                     it->how);
        put_choices(it, text, used, sizeof text);
        if (add(rows, SECTION_OPEN, it->decides[0], text)) {
            rows->question = *it;
            rows->row.line = line_in(it->where);
        }
    }
}

static void add_findings(struct rows *rows)
{
    static const enum section of_level[] = {
        [DIAG_ERROR] = SECTION_FAULT, [DIAG_WARNING] = SECTION_WARN, [DIAG_NOTE] = SECTION_NOTE};
    const struct diags *diags = &rows->ui->now->diags;
    char text[ROW_TEXT];
    for (int i = 0; i < diags->count; i++) {
        const struct diag *it = &diags->item[i];
        snprintf(text, sizeof text, "%s: %s", param_rows[it->param].key, finding_text(it).text);
        add(rows, of_level[it->level], it->param, text);
    }
}

static void add_remark(void *to, const char *line)
{
    add(to, SECTION_READ, -1, line);
}

/* Where the values of the plan come from, once something was read. */
static void add_origins(struct rows *rows)
{
    static const char *const words[ORIGIN_COUNT] = {
        [FROM_FILE] = "from the file",  [FROM_SET] = "set here",     [FROM_PRESET] = "from presets",
        [FROM_ASSUMED] = "assumed",     [FROM_DERIVED] = "that follow", [FROM_DEFAULT] = "that are defaults",
    };
    char text[ROW_TEXT];
    size_t used = (size_t)snprintf(text, sizeof text, "keys:");
    for (int origin = FROM_SET; origin >= FROM_DEFAULT; origin--) {
        int count = 0;
        for (int i = 0; i < PARAM_COUNT; i++)
            count += rows->ui->now->plan.from[i] == origin;
        if (count > 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s %d %s", used > 5 ? "," : "", count,
                                     words[origin]);
    }
    add(rows, SECTION_READ, -1, text);
}

static void add_read(void *to, const struct ui_read *line)
{
    struct rows *rows = to;
    if (add(rows, SECTION_READ, line->key, line->text))
        rows->row.line = line->line;
    if (line->line == 0 && line->key < 0 && !rows->has_origins)
        add_origins(rows);
    rows->has_origins = true;
}

static void add_log(struct rows *rows)
{
    const struct log_line *line;
    for (int i = 0; (line = log_at(&rows->ui->log, i)) && rows->count < ROWS_MAX; i++)
        if (add(rows, SECTION_LOG, -1, line->text))
            snprintf(rows->row.clock, CLOCK_MAX, "%s", line->clock);
}

static void gather(struct rows *rows)
{
    const struct ui_host *host = rows->ui->host;
    add_tight(rows);
    add_questions(rows);
    add_findings(rows);
    if (host->remarks)
        host->remarks(host->context, add_remark, rows);
    if (host->read)
        host->read(host->context, add_read, rows);
    add_log(rows);
}

/* Row number `wanted` of those shown, with the counts; its text is "" past the end. */
static void find(const struct ui *ui, int wanted, struct rows *out)
{
    *out = (struct rows){.ui = ui, .section = ui->messages.section - 1, .wanted = wanted};
    gather(out);
}

int messages_open(const struct ui *ui)
{
    struct rows rows = {.ui = ui, .section = -1, .wanted = -1};
    add_tight(&rows);
    add_questions(&rows);
    return rows.of[SECTION_OPEN];
}

/* ---- what has to be answered first ------------------------------------------------------------------------------- */

/* Values without which nothing can be computed, and the key of the first. */
static int missing(const struct ui *ui, enum param *first)
{
    static const char words[] = "is not given";
    const struct diags *diags = &ui->now->diags;
    int count = 0;
    for (int i = 0; i < diags->count && !ui->now->is_computed; i++) {
        const struct diag *it = &diags->item[i];
        if (it->level != DIAG_ERROR || strncmp(finding_text(it).text, words, strlen(words)) != 0)
            continue;
        *first = count++ ? *first : (enum param)it->param;
    }
    return count;
}

/* Where a value is given: shapes by the name of a model. */
static enum param asked_key(const struct ui *ui)
{
    enum param key = PARAM_model_name;
    missing(ui, &key);
    return param_rows[key].group_id == GROUP_model ? PARAM_model_name : key;
}

int messages_asked(const struct ui *ui)
{
    enum param key;
    int count = missing(ui, &key);
    bool is_open = ui->options.questions && ui->now->is_computed && range_verdict(ui->now) == VERDICT_UNKNOWN;
    int open = count > 0 || is_open ? messages_open(ui) : 0;
    return open > 0 ? open : count > 0;
}

void messages_say_asked(const struct ui *ui, char *out, size_t size)
{
    enum param key;
    int open = messages_open(ui), count = missing(ui, &key);
    if (open > 0)
        snprintf(out, size, "%d answer%s missing", open, open == 1 ? "" : "s");
    else
        snprintf(out, size, "%d value%s missing", count, count == 1 ? "" : "s");
}

enum role messages_say_question(const struct ui *ui, int row, char name[QUESTION_TEXT_MAX], char text[UI_MESSAGE_MAX])
{
    struct rows rows = {.ui = ui, .section = SECTION_OPEN, .wanted = row};
    size_t used = 0;
    add_tight(&rows);
    add_questions(&rows);
    const struct question *it = &rows.question;
    if (rows.count <= row) {
        bool is_model = asked_key(ui) == PARAM_model_name;
        snprintf(name, QUESTION_TEXT_MAX, "%s", is_model ? "model" : param_rows[asked_key(ui)].key);
        snprintf(text, UI_MESSAGE_MAX, is_model ? "not given: Enter lists models" : "not given");
        return ROLE_WARN;
    }
    snprintf(name, QUESTION_TEXT_MAX, "%s", it->variable);
    *text = '\0';
    if (it->assumed[0])
        used = (size_t)snprintf(text, UI_MESSAGE_MAX, "%s %s; decides", it->assumed,
                                it->is_uncertain ? "was read" : "is assumed");
    else
        used = (size_t)snprintf(text, UI_MESSAGE_MAX, "unknown: decides");
    for (int i = 0; i < it->count && used < UI_MESSAGE_MAX; i++)
        used += (size_t)snprintf(text + used, UI_MESSAGE_MAX - used, "%s %s", i ? "," : "",
                                 param_rows[it->decides[i]].key);
    if (used < UI_MESSAGE_MAX)
        snprintf(text + used, UI_MESSAGE_MAX - used, it->assumed[0] ? "|%s is assumed|%s" : "|unknown", it->assumed,
                 it->assumed);
    return it->assumed[0] ? ROLE_TEXT : ROLE_WARN;
}

void messages_answer(struct ui *ui, int row)
{
    struct rows rows = {.ui = ui, .section = SECTION_OPEN, .wanted = row};
    add_tight(&rows);
    add_questions(&rows);
    bool is_model = rows.question.kind == QUESTION_MODEL && rows.count > row;
    ui->is_view_focused = false;
    ui_select(ui, is_model ? PARAM_model_name : rows.count > row ? (enum param)rows.row.key : asked_key(ui));
    ui_do(ui, ACTION_edit);
}

/* ---- the overlay ------------------------------------------------------------------------------------------------ */

static void open(struct ui *ui)
{
    ui->mode = MODE_MESSAGES;
    ui->messages.row = ui->messages.section = ui->messages.line = 0;
    ui->messages.is_offer = false;
}

void messages_offer(struct ui *ui)
{
    struct rows rows = {.ui = ui, .section = -1, .wanted = -1};
    gather(&rows);
    bool is_foreign = rows.has_origins || (ui->options.questions && ui->options.questions->count > 0);
    if (!is_foreign || ui->mode != MODE_BROWSE ||
        rows.of[SECTION_OPEN] + rows.of[SECTION_FAULT] + rows.of[SECTION_WARN] == 0)
        return;
    open(ui);
    ui->messages.is_offer = true;
}

/* ---- the lines of the file -------------------------------------------------------------------------------------- */

struct sought {
    int key, line;
};

static void seek(void *to, const struct ui_read *line)
{
    struct sought *sought = to;
    if (line->key == sought->key && line->line > 0)
        sought->line = line->line;
}

/* The line of the file behind a message, of its key where it has none of its own; 0 for none. */
static int line_of(const struct ui *ui, const struct row *row)
{
    struct sought sought = {.key = row->key, .line = row->line};
    if (row->line == 0 && row->key >= 0 && ui->host->read)
        ui->host->read(ui->host->context, seek, &sought);
    return sought.line;
}

static int read_line(const struct ui *ui, int number, char *out, size_t size)
{
    return ui->host->read_line ? ui->host->read_line(ui->host->context, number, out, size) : -1;
}

/* The lines around the one that is looked at. */
static void draw_lines(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    char text[512];
    int first = ui->messages.line - height / 2 > 1 ? ui->messages.line - height / 2 : 1;
    for (int y = 0; y < height && read_line(ui, first + y, text, sizeof text) == 0; y++) {
        bool is_it = first + y == ui->messages.line;
        canvas_format(canvas, 0, y, ROLE_MUTED, "%5d%s", first + y, is_it ? " >" : "");
        canvas_fit(canvas, 8, y, width - 8, is_it ? ROLE_TITLE : ROLE_TEXT, text);
    }
}

static void title(const struct ui *ui, char text[OVERLAY_TITLE_MAX], char remark[OVERLAY_REMARK_MAX])
{
    struct rows rows;
    size_t used = (size_t)snprintf(text, OVERLAY_TITLE_MAX, "Messages");
    find(ui, -1, &rows);
    for (int i = 0; i < SECTIONS && used < OVERLAY_TITLE_MAX; i++)
        if (rows.of[i] > 0)
            used += (size_t)snprintf(text + used, OVERLAY_TITLE_MAX - used, i == rows.section ? "  [%d %s]" : "  %d %s",
                                     rows.of[i], sections[i].name);
    snprintf(remark, OVERLAY_REMARK_MAX, "q back");
}

/* Rows that a message takes in this width. */
static int lines_of(const struct row *row, int width)
{
    struct canvas nowhere = {0};
    return canvas_wrap(&nowhere, SECTION, 0, width - SECTION, ROLE_TEXT, row->text);
}

static void draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    struct rows rows;
    if (ui->messages.line > 0) {
        draw_lines(ui, canvas, width, height);
        return;
    }
    int top = ui->messages.row, room = height;
    for (int i = ui->messages.row; i >= 0 && room >= 0;
         i--) { /* as many before the selected one as there is room for */
        find(ui, i, &rows);
        room -= lines_of(&rows.row, width);
        if (room >= 0)
            top = i;
    }
    if (rows.count == 0)
        canvas_wrap(canvas, 0, 0, width, ROLE_TEXT, "No open questions and no messages yet.");
    for (int i = top, y = 0, count = rows.count; i < count && y < height; i++) {
        find(ui, i, &rows);
        enum role role = sections[rows.row.section].role;
        canvas_fit(canvas, 0, y, SECTION - 1, role,
                   rows.row.clock[0] ? rows.row.clock : sections[rows.row.section].name);
        int end = canvas_wrap(canvas, SECTION, y, width - SECTION, role == ROLE_MUTED ? ROLE_TEXT : role,
                              rows.row.text);
        if (i == ui->messages.row)
            canvas_paint(canvas, 0, y, SECTION - 1, ROLE_FOCUS, 0);
        end = end > y ? end : y + 1;
        for (; y < end; y++)
            canvas_link(canvas, 0, y, width, LINK_ROWS + i);
    }
}

static int *row_of(struct ui *ui)
{
    return &ui->messages.row;
}

static void move(struct ui *ui, int dx, int dy)
{
    struct rows rows;
    (void)dx;
    find(ui, -1, &rows);
    ui->messages.row = row_within(ui->messages.row + dy, rows.count);
}

/* To the key; of an open question into its editor. */
static void accept(struct ui *ui)
{
    struct rows rows;
    find(ui, ui->messages.row, &rows);
    if (rows.row.key < 0 || !rows.row.text[0]) {
        ui_say(ui, ROLE_MUTED, "this message belongs to no key");
        return;
    }
    ui->mode = MODE_BROWSE;
    ui->is_view_focused = false;
    ui_select(ui, (enum param)rows.row.key);
    if (rows.row.section == SECTION_OPEN)
        messages_answer(ui, ui->messages.row);
}

/* The lines of the file behind the selected message, and back. */
static void look(struct ui *ui)
{
    struct rows rows;
    find(ui, ui->messages.row, &rows);
    int line = ui->messages.line > 0 ? 0 : line_of(ui, &rows.row);
    if (line == 0 && ui->messages.line == 0)
        ui_say(ui, ROLE_MUTED, "this message belongs to no line of a file");
    ui->messages.line = line;
}

/* Where it opened by itself, a key that means nothing here does what it does in the panes. */
static bool put_off(struct ui *ui, int key, bool is_pasted)
{
    bool is_own = keymap_find(&ui->settings.bindings, MODE_MESSAGES, key) != ACTION_NONE;
    if (!ui->messages.is_offer || is_pasted || is_own)
        return false;
    ui->mode = MODE_BROWSE;
    ui_key(ui, key);
    return true;
}

/* A digit takes a choice of the open question, Space what was assumed, o shows the line of the file. */
static bool type(struct ui *ui, int key, bool is_pasted)
{
    struct rows rows;
    struct assigned assigned;
    const char *choice = "";
    char line[2 * QUESTION_TEXT_MAX];
    bool is_digit = key >= '1' && key <= '9';
    find(ui, ui->messages.row, &rows);
    if (key == 'o' && !is_pasted) {
        look(ui);
        return true;
    }
    if (is_pasted || (!is_digit && key != ' ') || !rows.question.variable[0])
        return put_off(ui, key, is_pasted);
    const struct question *it = &rows.question;
    int n = is_digit ? choice_at(it, key - '0', &choice) : (int)strlen(choice = it->assumed);
    if (!is_picked_here(it) || n == 0) {
        ui_say(ui, ROLE_MUTED,
               n == 0 ? "no such choice; Enter goes to the key" : "set the key with Enter, or answer with %s",
               it->how);
        return true;
    }
    const char *name = it->kind == QUESTION_GPU_COUNT && is_digit ? "gpus" : param_rows[it->decides[0]].dotted;
    snprintf(line, sizeof line, "%s %.*s", name, n, choice);
    if (assign_read(ui, line, &assigned) == ASSIGN_READ)
        assign_take(ui, &assigned);
    else
        ui_say(ui, ROLE_BAD, "%s", assigned.why);
    ui->mode = MODE_MESSAGES;
    move(ui, 0, 0);
    return true;
}

/* All, then each kind of which there is one. */
static void complete(struct ui *ui)
{
    struct rows rows;
    find(ui, -1, &rows);
    do
        ui->messages.section = (ui->messages.section + 1) % (SECTIONS + 1);
    while (ui->messages.section > 0 && rows.of[ui->messages.section - 1] == 0);
    ui->messages.row = 0;
}

static size_t copy(const struct ui *ui, char *out, size_t size)
{
    struct rows rows;
    size_t used = 0;
    out[0] = '\0';
    find(ui, -1, &rows);
    for (int i = 0, count = rows.count; i < count && used + ROW_TEXT + 16 < size; i++) {
        find(ui, i, &rows);
        used += (size_t)snprintf(out + used, size - used, "%s: %s%s%s\n", sections[rows.row.section].name,
                                 rows.row.clock, rows.row.clock[0] ? " " : "", rows.row.text);
    }
    return used;
}

/* The line of the file behind the selected message. */
static int message(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    char text[512];
    struct rows rows;
    find(ui, ui->messages.row, &rows);
    int line = line_of(ui, &rows.row);
    if (ui->message[0] || line == 0 || read_line(ui, line, text, sizeof text) != 0)
        return 0;
    int at = canvas_format(canvas, 0, 0, ROLE_MUTED, ":%d  ", line);
    canvas_fit(canvas, at, 0, width - at, ROLE_TEXT, text + strspn(text, " \t"));
    if (height > 1)
        canvas_fit(canvas, 0, 1, width, ROLE_MUTED,
                   ui->messages.line > 0 ? "o goes back to the messages" : "o shows the lines around it");
    return 2;
}

static void back(struct ui *ui)
{
    if (ui->messages.line == 0)
        ui->mode = MODE_BROWSE;
    ui->messages.line = 0;
}

const struct overlay overlay_messages = {
    .keys = own_keys, .hints = own_hints, .open = open, .title = title, .draw = draw, .row = row_of, .move = move,
    .page = browse_page, .accept = accept, .complete = complete, .copy = copy, .type = type,
    .message = message, .back = back,
};
