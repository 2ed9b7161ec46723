#include "src/course/handout.h"

#include "core/estimate/estimate.h"
#include "core/show/glossary.h"
#include "src/course/answer.h"
#include "src/course/draft.h"
#include "src/course/play.h"
#include "src/plan/plan_io.h"
#include "src/report/svg.h"
#include "src/text/keyval.h"
#include "src/text/node.h"
#include "src/text/text.h"
#include "src/text/version.h"
#include "src/text/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is being written: the page, and where figures go. */
struct handout {
    struct play *play;
    const struct lesson *lesson;
    const char *folder;
    struct buffer page;
    struct errors *errors;
};

static void put_filled(struct handout *h, const struct moment *moment, const char *text)
{
    char *filled = play_text(moment, text);
    buffer_puts(&h->page, filled);
    free(filled);
}

static int put_file(const struct handout *h, const char *name, const struct buffer *text)
{
    char *path = xasprintf("%s/%s", h->folder, name);
    int result = write_file(path, text->text, text->size, WRITE_DURABLE, h->errors);
    free(path);
    return result;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

/* The section that a view's figure is of; SECTION_COUNT for a view without one. */
static enum report_section figure_of(enum lesson_view view)
{
    static const enum report_section sections[LESSON_VIEW_COUNT] = {
        [LESSON_VIEW_MEMORY] = SECTION_MEMORY,     [LESSON_VIEW_COMMUNICATION] = SECTION_COMMUNICATION,
        [LESSON_VIEW_GRID] = SECTION_GRID,         [LESSON_VIEW_SCHEDULE] = SECTION_TIME,
        [LESSON_VIEW_LAYERS] = SECTION_LAYERS,     [LESSON_VIEW_TIME] = SECTION_TIME,
        [LESSON_VIEW_SERVING] = SECTION_MEMORY,    [LESSON_VIEW_ESTIMATORS] = SECTION_COUNT,
        [LESSON_VIEW_SWEEP] = SECTION_COUNT,
    };
    return view == LESSON_VIEW_AS_IT_IS ? SECTION_COUNT : sections[view];
}

/* A plan as a file beside the page. */
static int put_plan(struct handout *h, const char *name, const struct plan *plan)
{
    struct buffer text = {0};
    plan_emit(&text, plan, NULL, NULL);
    int result = put_file(h, name, &text);
    buffer_free(&text);
    return result;
}

/*
 * The command that draws a step's figure: from the plan before the first step, or, where that takes much, from a file.
 */
static int put_command(struct handout *h, int step, enum report_section section)
{
    enum { SETTINGS_MOST = 10 };
    struct keyvals first = {0}, now = {0}, change = {0};
    const char *lesson = h->lesson->name->text;
    int result = 0;
    draft_settings(&h->play->plan[0][PLAY_START], &first);
    draft_settings(&h->play->plan[step][PLAY_START], &now);
    if (draft_difference(&first, &now, &change) && change.count <= SETTINGS_MOST) {
        buffer_printf(&h->page, "`shardtop show %s.yaml", lesson);
        for (size_t i = 0; i < change.count; i++) {
            const char *quote = strpbrk(change.item[i].value, "[]* ") ? "'" : "";
            buffer_printf(&h->page, " --set %s%s=%s%s", quote, change.item[i].key, change.item[i].value, quote);
        }
    } else {
        char *name = xasprintf("%s-%s.yaml", lesson, h->lesson->step[step].id->text);
        buffer_printf(&h->page, "`shardtop show %s", name);
        result = put_plan(h, name, &h->play->plan[step][PLAY_START]);
        free(name);
    }
    buffer_printf(&h->page, " --svg --section %s`\n\n", report_section_names[section]);
    keyvals_free(&first);
    keyvals_free(&now);
    keyvals_free(&change);
    return result;
}

/* A step's figure into its file, its place in the page, and the command below it. A plan that is refused has none. */
static int put_figure(struct handout *h, int step)
{
    enum report_section section = figure_of(lesson_view_of(h->lesson, step));
    struct estimate *estimate = xmalloc(sizeof *estimate);
    struct buffer svg = {0};
    char *name = xasprintf("%s-%s.svg", h->lesson->name->text, h->lesson->step[step].id->text);
    estimate_plan(&h->play->plan[step][PLAY_START], estimate);
    if (estimate->is_serving && section != SECTION_COUNT)
        section = SECTION_MEMORY;
    bool has_figure = section != SECTION_COUNT && estimate->is_computed && estimate->diags.errors == 0;
    int result = 0;
    if (has_figure && report_svg(&svg, (const struct estimate *const[]){estimate}, 1, section) == 0) {
        result = put_file(h, name, &svg);
        buffer_printf(&h->page, "![%s of step %d](%s)\n\n",
                      section == SECTION_TIME ? "schedule" : report_section_names[section], step + 1, name);
        if (result == 0)
            result = put_command(h, step, section);
    }
    buffer_free(&svg);
    free(name);
    free(estimate);
    return result;
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

static void put_settings(struct handout *h, const struct node *set, const char *separator)
{
    struct keyvals list = {0};
    lesson_settings(set, &list);
    for (size_t i = 0; i < list.count; i++) {
        bool is_blank = !*list.item[i].value;
        buffer_printf(&h->page, "%s`%s%s%s`%s", i ? separator : "", list.item[i].key, is_blank ? "" : "=",
                      list.item[i].value, is_blank ? " by default" : "");
    }
    keyvals_free(&list);
}

static void put_head(struct handout *h)
{
    const struct lesson *l = h->lesson;
    struct buffer plan = {0};
    buffer_printf(&h->page, "# %s\n\n%s\n\n%s minutes.", l->title->text, l->goal->text, l->minutes->text);
    for (int i = 0; lesson_item(l->needs, i); i++)
        buffer_printf(&h->page, "%s%s", i ? ", " : " Needs: ", lesson_item(l->needs, i));
    buffer_printf(&h->page, "\n\nThe plan before the first step, as `shardtop` reads it from `%s.yaml`:\n\n```yaml\n",
                  l->name->text);
    plan_emit(&plan, &h->play->plan[0][PLAY_START], NULL, NULL);
    buffer_puts(&h->page, plan.text + strspn(plan.text, "\n"));
    buffer_puts(&h->page, "```\n\n");
    buffer_free(&plan);
}

static void put_question(struct handout *h, int step)
{
    const struct lesson_ask *ask = &h->lesson->step[step].ask;
    struct moment now = {h->play, step, PLAY_START};
    buffer_puts(&h->page, "**Question.** ");
    put_filled(h, &now, ask->q->text);
    buffer_puts(&h->page, "\n\n");
    for (int i = 0; i < ask->choice_count; i++) {
        buffer_printf(&h->page, "%c. ", '1' + i);
        put_filled(h, &now, ask->choice[i].text->text);
        buffer_puts(&h->page, "\n");
    }
    buffer_puts(&h->page, ask->choice_count ? "\n" : "Answer: ______________________\n\n");
}

static void put_task(struct handout *h, const struct lesson_task *task)
{
    buffer_puts(&h->page, "**Task.** Reach ");
    for (int i = 0; lesson_item(task->until, i); i++)
        buffer_printf(&h->page, "%s`%s`", i ? " and " : "", lesson_item(task->until, i));
    buffer_puts(&h->page, " by changing ");
    for (int i = 0; lesson_item(task->free, i); i++)
        buffer_printf(&h->page, "%s`%s`", i ? ", " : "", lesson_item(task->free, i));
    buffer_puts(&h->page, ".\n\nSettings: ______________________\n\n");
}

static int put_step(struct handout *h, int step)
{
    const struct lesson_step *s = &h->lesson->step[step];
    struct moment now = {h->play, step, PLAY_START};
    buffer_printf(&h->page, "## %d. %s\n\n", step + 1, s->id->text);
    if (s->plan || s->set) {
        buffer_puts(&h->page, s->plan ? "Another plan: " : s->from ? "From an earlier step, set " : "Set ");
        put_settings(h, s->plan ? s->plan : s->set, ", ");
        buffer_puts(&h->page, ".\n\n");
    }
    put_filled(h, &now, s->note->text);
    buffer_puts(&h->page, "\n\n");
    int result = put_figure(h, step);
    if (s->ask.line)
        put_question(h, step);
    if (s->task.line)
        put_task(h, &s->task);
    return result;
}

/* The words that the lesson teaches. */
static void put_words(struct handout *h)
{
    const char *before = "## Words\n\n";
    for (int i = 0; i < glossary_count; i++)
        if (strcmp(glossary[i].lesson, h->lesson->name->text) == 0) {
            buffer_printf(&h->page, "%s- **%s**: %s%s%s%s\n", before, glossary[i].term, glossary[i].sentence,
                          *glossary[i].formula ? " `" : "", glossary[i].formula, *glossary[i].formula ? "`" : "");
            before = "";
        }
    buffer_puts(&h->page, *before ? "" : "\n");
}

static void put_answer(struct handout *h, int step)
{
    const struct lesson_ask *ask = &h->lesson->step[step].ask;
    struct moment moment = play_ask_moment(h->play, ask);
    char *answer = answer_text(h->play, ask);
    buffer_printf(&h->page, "%d. %s%s", step + 1, answer, ask->because ? " - " : "");
    if (ask->because)
        put_filled(h, &moment, ask->because->text);
    buffer_puts(&h->page, "\n");
    free(answer);
}

static void put_answers(struct handout *h)
{
    buffer_puts(&h->page, "## Answers\n\nBy step.\n\n");
    for (int i = 0; i < h->lesson->steps; i++) {
        const struct lesson_task *task = &h->lesson->step[i].task;
        struct moment done = {h->play, i, PLAY_DONE};
        if (h->lesson->step[i].ask.line)
            put_answer(h, i);
        if (!task->line)
            continue;
        buffer_printf(&h->page, "%d. ", i + 1);
        put_settings(h, task->solution, ", ");
        buffer_puts(&h->page, task->after ? ": " : "");
        if (task->after)
            put_filled(h, &done, task->after->text);
        buffer_puts(&h->page, "\n");
    }
    buffer_puts(&h->page, "\n");
}

static void put_foot(struct handout *h)
{
    buffer_puts(&h->page, "## Sources\n\n");
    for (int i = 0; lesson_item(h->lesson->sources, i); i++)
        buffer_printf(&h->page, "- %s\n", lesson_item(h->lesson->sources, i));
    buffer_printf(
        &h->page,
        "\nWritten by shardtop %s: `shardtop lesson %s --handout`. The command below each figure redraws it.\n",
        version_number, h->lesson->name->text);
}

int handout_write(struct play *play, const char *folder, bool answers, struct errors *errors)
{
    struct handout h = {.play = play, .lesson = &play->lesson, .folder = folder, .errors = errors};
    int result = 0;
    put_head(&h);
    for (int i = 0; i < h.lesson->steps && result == 0; i++)
        result = put_step(&h, i);
    buffer_printf(&h.page, "## To take away\n\n%s\n\n", h.lesson->take->text);
    put_words(&h);
    if (answers)
        put_answers(&h);
    put_foot(&h);
    char *name = xasprintf("%s.md", h.lesson->name->text), *plan = xasprintf("%s.yaml", h.lesson->name->text);
    if (result == 0)
        result = put_plan(&h, plan, &play->plan[0][PLAY_START]);
    if (result == 0)
        result = put_file(&h, name, &h.page);
    free(plan);
    free(name);
    buffer_free(&h.page);
    return result;
}
