/* src/report/findings.c - what is wrong with a plan or worth knowing, and the values that nobody gave. */
#include "core/estimate/estimate.h"
#include "core/plan/param.h"
#include "src/report/format.h"
#include "src/report/text.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <stdio.h>

static void print_finding(struct page *page, const struct diag *diag)
{
    static const enum style styles[] = {
        [DIAG_ERROR] = STYLE_BAD, [DIAG_WARNING] = STYLE_WARN, [DIAG_NOTE] = STYLE_PLAIN};
    char message[DIAG_MESSAGE_MAX];
    text_clean(diag->message, message, sizeof message);
    page_styled(page, styles[diag->level], diag_level_names[diag->level]);
    buffer_printf(page->out, "  %s: %s\n", param_rows[diag->param].dotted, message);
}

/* What was said of the files of a plan while they were read. */
static void print_remarks(struct page *page, const struct errors *remarks)
{
    for (size_t i = 0; remarks && i < remarks->count; i++) {
        bool is_warning = remarks->level[i] != MESSAGE_NOTE;
        page_styled(page, is_warning ? STYLE_WARN : STYLE_PLAIN, is_warning ? "warning" : "note");
        buffer_printf(page->out, "  %s\n", remarks->line[i]);
    }
}

void report_diagnostics(struct page *page, const struct estimates *all)
{
    const struct errors *remarks = page->options->remarks;
    bool is_read = remarks && remarks->count > 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct diags *diags = &all->item[i]->diags;
        if (diags->count == 0 && (i > 0 || (page->options->section == SECTION_ALL && !is_read)))
            continue;
        if (all->count > 1)
            page_heading(page, "Findings for %s", report_framework(all->item[i]));
        else
            page_heading(page, "Findings");
        for (int k = 0; k < diags->count; k++)
            print_finding(page, &diags->item[k]);
        if (diags->count == 0 && !is_read)
            buffer_puts(page->out, "none\n");
        if (i == 0)
            print_remarks(page, remarks);
    }
}

static void list_from(struct page *page, const struct plan *plan, enum origin from, const char *title)
{
    struct buffer line = {0};
    bool is_training = plan->value[PARAM_plan_workload] == WORKLOAD_TRAIN;
    for (int i = 0; i < PARAM_COUNT; i++) {
        char text[PARAM_TEXT_MAX], clean[PARAM_TEXT_MAX];
        bool is_moot = is_training && param_rows[i].group_id == GROUP_serve;
        if (plan->from[i] != from || is_moot || param_print(plan, (enum param)i, text, sizeof text) <= 0)
            continue;
        text_clean(text, clean, sizeof clean);
        buffer_printf(&line, "%s%s=%s", line.size ? " " : "", param_rows[i].dotted, clean);
    }
    if (line.size) {
        buffer_printf(page->out, "%s\n", title);
        page_prose(page, 2, "%s", line.text);
    }
    buffer_free(&line);
}

void report_assumptions(struct page *page, const struct estimates *all)
{
    const struct plan *plan = &all->item[0]->plan;
    page_heading(page, "Values that nobody gave");
    list_from(page, plan, FROM_ASSUMED, "assumed, because an input leaves them open");
    list_from(page, plan, FROM_DEFAULT, "defaults");
    list_from(page, plan, FROM_DERIVED, "derived from other values");
    list_from(page, plan, FROM_PRESET, "from presets (model, GPU, cluster)");
}
