/* src/report/questions.c - what the inputs left open, with what was assumed and how it is answered. */
#include "core/plan/param.h"
#include "core/plan/question.h"
#include "src/report/format.h"
#include "src/report/report.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <stdio.h>

/* "num_layers hidden_size ffn_hidden_size +7": the keys without their groups. */
static void put_keys(struct buffer *out, const struct question *question)
{
    enum { SHOWN = 4 };
    for (int k = 0; k < question->count && k < SHOWN; k++)
        buffer_printf(out, "%s%s", k ? " " : "", param_rows[question->decides[k]].key);
    if (question->count > SHOWN)
        buffer_printf(out, " +%d", question->count - SHOWN);
}

static void print_question(struct page *page, const struct question *question)
{
    struct buffer line = {0};
    buffer_printf(&line, "%s: ", question->variable);
    put_keys(&line, question);
    if (*question->assumed)
        buffer_printf(&line, ", %s %s", question->assumed, question->is_uncertain ? "taken" : "assumed");
    else
        buffer_puts(&line, ", nothing assumed");
    if (*question->where)
        buffer_printf(&line, " (%s)", question->where);
    buffer_printf(&line, "; answer with %s", question->how);
    if (*question->choices)
        buffer_printf(&line, ", such as %s", question->choices);
    if (question->effect_bytes > 0)
        buffer_printf(&line, " (%s between them)", cell_bytes(question->effect_bytes).text);
    page_prose(page, 2, "%s", line.text);
    buffer_free(&line);
}

void report_questions(struct page *page, const struct estimates *all)
{
    enum { SHOWN = 5 };
    const struct questions *questions = page->options->questions;
    bool is_whole = page->options->section == SECTION_DIAGNOSTICS;
    int keys = 0, shown;
    (void)all;
    for (int i = 0; questions && i < questions->count; i++)
        keys += questions->item[i].count;
    if (keys == 0)
        return;
    shown = is_whole || questions->count <= SHOWN ? questions->count : SHOWN;
    buffer_printf(page->out, "open: %d question%s decide%s %d setting%s\n", questions->count, questions->count > 1 ? "s" : "",
                  questions->count > 1 ? "" : "s", keys, keys > 1 ? "s" : "");
    for (int i = 0; i < shown; i++)
        print_question(page, &questions->item[i]);
    if (shown < questions->count)
        buffer_printf(page->out, "  and %d more (--section diagnostics)\n", questions->count - shown);
}
