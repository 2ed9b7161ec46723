/*
 * What a lesson says: a bar below the panes, or a column beside them where there is room; its note, question and
 * answers.
 */
#include "ui/overlay/overlay.h"
#include "ui/widget/rule.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ui_lesson *page_of(const struct ui *ui)
{
    return ui->host->lessons->page(ui->host->context);
}

/* ---- sentences --------------------------------------------------------------------------------------------------- */

/* Where the first `count` sentences of a text end. */
static size_t sentences_end(const char *text, int count)
{
    const char *at = text;
    for (; *at; at++)
        if (strchr(".?!", *at) && at[1] == ' ' && !islower((unsigned char)at[2]) && --count == 0)
            return (size_t)(at - text) + 1;
    return (size_t)(at - text);
}

bool lesson_has_more(const struct ui *ui)
{
    const struct ui_lesson *page = page_of(ui);
    return ui->options.present && page->note[sentences_end(page->note, ui->lesson.sentences)];
}

/* The note as far as it is shown, in fresh memory. */
static char *note_of(const struct ui *ui, const struct ui_lesson *page)
{
    size_t end = ui->options.present ? sentences_end(page->note, ui->lesson.sentences) : strlen(page->note);
    return strndup(page->note, ui->lesson.is_blank ? 0 : end);
}

/* The question with its choices, a line each or all in one, in fresh memory. */
static char *ask_of(const struct ui_lesson *page, const char *before)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs(page->ask, out);
    for (int i = 0; i < page->choices && i < UI_CHOICES_MAX; i++)
        fprintf(out, "%s(%c) %s", i || *page->ask ? before : "", page->first_choice + i, page->choice[i]);
    fclose(out);
    return text;
}

/* ---- the bar ----------------------------------------------------------------------------------------------------- */

static int lines_of(const char *text, int width)
{
    struct canvas nothing = {0};
    return *text ? canvas_wrap(&nothing, 0, 0, width, ROLE_TEXT, text) : 0;
}

/* Rows of the question with its choices. */
static int ask_lines(const struct ui_lesson *page, int width)
{
    char *ask = ask_of(page, page->is_hidden ? "\n" : "  ");
    int lines = ask ? lines_of(ask, width) : 0;
    free(ask);
    return lines;
}

int lesson_rows(const struct ui *ui)
{
    const struct ui_lesson *page = page_of(ui);
    return 1 + lines_of(page->note, ui->width) + ask_lines(page, ui->width) + lines_of(page->said, ui->width);
}

/* "pipeline 5/15 stage0", what the step sets, and the score, over a line that sets the lesson off. */
static void draw_rule(const struct ui *ui, struct canvas *canvas, const struct ui_lesson *page, int width)
{
    bool is_yours = !plan_equal(&ui->plan, page->plan);
    const char *right = ui->mode == MODE_BROWSE ? " C goes to the lesson " : page->score;
    canvas_repeat(canvas, 0, 0, ROLE_MUTED, ui->utf8 ? 0x2500 : '-', width);
    int x = page->steps ? canvas_format(canvas, 2, 0, ROLE_TITLE, " %s %d/%d %s ", page->name, page->step + 1,
                                        page->steps, page->id)
                        : canvas_format(canvas, 2, 0, ROLE_TITLE, " %s %d %s ", page->name, page->step + 1, page->id);
    int room = width - x - text_width(right) - 6;
    if (is_yours)
        x = canvas_text(canvas, x, 0, ROLE_WARN, " yours: r resets ");
    else if (*page->change && room > 0 && width > LESSON_COLUMN)
        x = canvas_fit(canvas, x, 0, room, ROLE_TEXT, page->change);
    if (x + text_width(right) + 2 < width)
        canvas_right(canvas, width - 2, 0, ROLE_MUTED, right);
}

/* The note in what question and answer leave of `height` rows; returns how many it takes. */
static int draw_note(const struct ui *ui, struct canvas *canvas, struct rect r, const struct ui_lesson *page)
{
    char *note = note_of(ui, page);
    int lines = note ? lines_of(note, r.width) : 0;
    r.height -= ask_lines(page, r.width) + lines_of(page->said, r.width);
    r.height = r.height < 0 ? 0 : r.height < lines ? r.height : lines;
    canvas_clip(canvas, r);
    if (note)
        canvas_wrap(canvas, 0, 0, r.width, ROLE_TEXT, note);
    if (r.height > 0 && r.height < lines)
        canvas_text(canvas, r.width - 1, r.height - 1, ROLE_MUTED, "~");
    free(note);
    return r.height;
}

/* Note, question and what was said to the answer; `gap` rows between them. */
static void draw_words(const struct ui *ui, struct canvas *canvas, struct rect r, const struct ui_lesson *page, int gap)
{
    int lines = draw_note(ui, canvas, r, page);
    r = rect_below(r, lines + (lines ? gap : 0));
    canvas_clip(canvas, r);
    char *ask = ask_of(page, page->is_hidden ? "\n" : "  ");
    bool is_asked = ask && *ask && !lesson_has_more(ui) && !ui->lesson.is_blank;
    int y = is_asked ? canvas_wrap(canvas, 0, 0, r.width, ROLE_TITLE, ask) + gap : 0;
    free(ask);
    if (!ui->lesson.is_blank)
        canvas_wrap(canvas, 0, y, r.width, ROLE_TEXT, page->said);
}

/* ---- the column -------------------------------------------------------------------------------------------------- */

/* The steps with what became of them, as many as `rows` around the present one; returns the row after. */
static int draw_chain(struct canvas *canvas, const struct ui_lesson *page, int rows, int width)
{
    int first = page->step - rows / 2, last = page->steps - rows;
    first = first > last ? last : first;
    first = first < 0 ? 0 : first;
    for (int i = 0; i < rows && first + i < page->steps; i++) {
        const struct ui_lesson_step *step = &page->chain[first + i];
        canvas_format(canvas, 0, i, ROLE_MUTED, "%c", step->mark);
        canvas_format(canvas, 2, i, first + i == page->step ? ROLE_FOCUS : ROLE_TEXT, "%2d %-*.*s", first + i + 1,
                      width - 6, width - 6, step->id);
    }
    return rows < page->steps ? rows : page->steps;
}

static void draw_column(const struct ui *ui, struct canvas *canvas, struct rect r, const struct ui_lesson *page)
{
    enum { CHAIN_MOST = 20, LEGEND = 1 };
    int words = lines_of(page->note, r.width) + ask_lines(page, r.width) + lines_of(page->said, r.width) + 4;
    int room = r.height - words - lines_of(page->change, r.width) - LEGEND - 3;
    canvas_clip(canvas, (struct rect){r.x - 2, r.y, 1, r.height});
    for (int y = 0; y < r.height; y++)
        canvas_repeat(canvas, 0, y, ROLE_TEXT, ui->utf8 ? 0x2502 : '|', 1);
    canvas_clip(canvas, r);
    draw_rule(ui, canvas, page, r.width);
    r = rect_below(r, 1);
    canvas_clip(canvas, r);
    int y = draw_chain(canvas, page, room < CHAIN_MOST ? room : CHAIN_MOST, r.width);
    if (page->steps)
        canvas_fit(canvas, 0, y, r.width, ROLE_MUTED, "+ right  - shown, not found  . seen");
    y = canvas_wrap(canvas, 0, y + 2, r.width, ROLE_KEY, page->change);
    draw_words(ui, canvas, rect_below(r, y + 1), page, 1);
}

/* ---- half of the screen ------------------------------------------------------------------------------------------ */

bool lesson_is_halved(const struct ui *ui)
{
    return ui->aside && ui->lesson.has_keys && ui->width >= LESSON_WIDTH && ui->height >= LESSON_HEIGHT &&
           !ui->options.present && !page_of(ui)->is_hidden;
}

bool lesson_has_waterfall(const struct ui *ui)
{
    return page_of(ui)->is_timed && !ui->now->is_serving;
}

/* The lesson's title, a dot for each step, and the score. */
static void draw_title(const struct ui *ui, struct canvas *canvas, const struct ui_lesson *page)
{
    enum { GAP = 3 };
    char right[96];
    canvas_clip(canvas, (struct rect){0, 0, ui->width, 1});
    if (page->steps)
        snprintf(right, sizeof right, "step %d of %d  %s", page->step + 1, page->steps, page->score);
    else
        snprintf(right, sizeof right, "question %d  %s", page->step + 1, page->score);
    int end = canvas_text(canvas, 1, 0, ROLE_TITLE, *page->title ? page->title : page->name);
    int x = ui->width - 1 - text_width(right) - page->steps - GAP;
    for (int i = 0; i < page->steps && x > end + 1; i++, x++) {
        char mark = page->chain[i].mark;
        enum role role = i == page->step ? ROLE_KEY : mark == '+' ? ROLE_GOOD : mark == '-' ? ROLE_WARN : ROLE_MUTED;
        bool is_done = i == page->step || mark != ' ';
        canvas_repeat(canvas, x, 0, role, !ui->utf8 ? is_done ? '*' : '.' : is_done ? 0x25cf : 0x25cb, 1);
    }
    canvas_right(canvas, ui->width - 1, 0, ROLE_MUTED, right);
}

/* A title with a rule, as panels have it, a blank row before it; returns the row below. */
static int draw_heading(struct canvas *canvas, int y, int width, const char *name, bool is_focused)
{
    const struct rule rule = {.name = name, .about = "", .note = "", .is_focused = is_focused};
    rule_draw(canvas, y + 1, width, &rule);
    return y + 2;
}

/* The question, a choice a row, and what was said to the last answer; returns the row below. */
static int draw_question(struct canvas *canvas, int y, int width, const struct ui_lesson *page)
{
    enum { INDENT = 4 };
    if (*page->ask || page->choices) {
        y = draw_heading(canvas, y, width, page->choices || page->takes_number ? "Question" : "Task", true);
        y = canvas_wrap(canvas, 0, y, width, ROLE_TEXT, page->ask + (strncmp(page->ask, "? ", 2) == 0 ? 2 : 0));
    }
    y += page->choices > 0;
    for (int i = 0; i < page->choices && i < UI_CHOICES_MAX; i++) {
        enum role role = i == page->right ? ROLE_GOOD : ROLE_TEXT;
        canvas_format(canvas, 1, y, ROLE_KEY, "%c", page->first_choice + i);
        y = canvas_wrap(canvas, INDENT, y, width - INDENT, role, page->choice[i]);
    }
    enum role said = page->is_right ? ROLE_GOOD : page->is_wrong ? ROLE_WARN : ROLE_TEXT;
    return *page->said ? canvas_wrap(canvas, 0, y + 1, width, said, page->said) : y;
}

static void draw_half(const struct ui *ui, struct canvas *canvas, struct rect r, const struct ui_lesson *page)
{
    draw_title(ui, canvas, page);
    r.x++;
    r.width--;
    canvas_clip(canvas, r);
    int y = ui->lesson.is_blank ? 0 : canvas_wrap(canvas, 0, 0, r.width, ROLE_TEXT, page->note);
    if (!ui->lesson.is_blank)
        y = draw_question(canvas, y, r.width, page);
    bool is_yours = !plan_equal(&ui->plan, page->plan);
    if (!*page->change && !is_yours)
        return;
    y = draw_heading(canvas, y, r.width, is_yours ? "Your plan" : "This step changes", false);
    canvas_wrap(canvas, 0, y, r.width, is_yours ? ROLE_WARN : ROLE_TEXT,
                is_yours ? "r goes back to the plan of this step" : page->change);
}

/* ---- alone ------------------------------------------------------------------------------------------------------- */

bool lesson_is_hidden(const struct ui *ui)
{
    return ui->aside && page_of(ui)->is_hidden;
}

static void draw_alone(const struct ui *ui, struct canvas *canvas, const struct ui_lesson *page)
{
    enum { READABLE = 100 };
    struct rect r = {0, 0, ui->width < READABLE ? ui->width : READABLE, ui->layout.message.y};
    canvas_clip(canvas, (struct rect){0, 0, ui->width, ui->layout.message.y});
    canvas_format(canvas, 0, 0, ROLE_TITLE, "%s %d: %s", page->name, page->step + 1, page->id);
    canvas_right(canvas, ui->width, 0, ROLE_MUTED, page->score);
    bool is_low = ui->height < 20;
    canvas_clip(canvas, rect_below(r, 1));
    canvas_wrap(canvas, 0, 0, r.width, ROLE_MUTED, page->change);
    draw_words(ui, canvas, rect_below(r, is_low ? 2 : 4), page, !is_low);
}

void lesson_draw(const struct ui *ui, struct canvas *canvas)
{
    const struct ui_lesson *page = page_of(ui);
    struct rect r = ui->layout.bar;
    if (page->is_hidden) {
        draw_alone(ui, canvas, page);
        return;
    }
    if (ui->layout.is_halved) {
        draw_half(ui, canvas, r, page);
        return;
    }
    if (r.x > 0) {
        draw_column(ui, canvas, r, page);
        return;
    }
    canvas_clip(canvas, r);
    draw_rule(ui, canvas, page, r.width);
    draw_words(ui, canvas, rect_below(r, 1), page, 0);
}
