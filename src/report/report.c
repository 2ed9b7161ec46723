#include "src/report/report.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "src/report/data.h"
#include "src/report/format.h"
#include "src/report/text.h"
#include "src/text/json_out.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const report_section_names[SECTION_COUNT] = {
    [SECTION_ALL] = "all",           [SECTION_SUMMARY] = "summary",   [SECTION_DIAGNOSTICS] = "diagnostics",
    [SECTION_LAYERS] = "layers",     [SECTION_MEMORY] = "memory",     [SECTION_GRID] = "grid",
    [SECTION_COMMUNICATION] = "communication", [SECTION_TIME] = "time", [SECTION_TRAINING] = "training",
    [SECTION_CHECKPOINT] = "checkpoint", [SECTION_SERVING] = "serving"};

int report_section_find(const char *name)
{
    for (int i = 0; i < SECTION_COUNT; i++)
        if (strcmp(report_section_names[i], name) == 0)
            return i;
    return -1;
}

static bool is_wanted(const struct report_options *options, enum report_section section)
{
    return options->section == SECTION_ALL || options->section == section;
}

/* ---- text --------------------------------------------------------------------------------------------------------- */

/* The parts of a text report in their order; a section may have several. */
static const struct {
    enum report_section section;
    void (*write)(struct page *page, const struct estimates *all);
} parts[] = {
    {SECTION_SUMMARY, report_summary},          {SECTION_SUMMARY, report_questions},
    {SECTION_DIAGNOSTICS, report_diagnostics},
    {SECTION_LAYERS, report_layers},            {SECTION_LAYERS, report_products},
    {SECTION_COMMUNICATION, report_traffic},
    {SECTION_MEMORY, report_memory},            {SECTION_MEMORY, report_timeline},
    {SECTION_GRID, report_grid},
    {SECTION_COMMUNICATION, report_communication}, {SECTION_TIME, report_time},
    {SECTION_TRAINING, report_training},        {SECTION_CHECKPOINT, report_checkpoint},
    {SECTION_SERVING, report_serving},          {SECTION_DIAGNOSTICS, report_assumptions},
};

/* Of a whole report, serving leaves out the parts about training, and training the one about serving. */
static bool has_part(const struct report_options *options, enum report_section section, bool is_serving)
{
    bool is_training = section == SECTION_MEMORY || section == SECTION_COMMUNICATION || section == SECTION_TIME ||
                       section == SECTION_TRAINING || section == SECTION_CHECKPOINT;
    return options->section != SECTION_ALL || !(is_serving ? is_training : section == SECTION_SERVING);
}

static void write_text(struct buffer *out, const struct estimates *all, const struct report_options *options)
{
    struct page page = page_on(out, options);
    if (options->brief) {
        report_summary(&page, all);
        report_questions(&page, all);
        report_diagnostics(&page, all);
        report_brief(&page, all);
        return;
    }
    for (size_t i = 0; i < LENGTH(parts); i++)
        if (is_wanted(options, parts[i].section) && has_part(options, parts[i].section, all->item[0]->is_serving))
            parts[i].write(&page, all);
}

/* ---- JSON --------------------------------------------------------------------------------------------------------- */

static void write_json(struct buffer *out, const struct estimates *all, const struct report_options *options)
{
    enum { LINES = 3 }; /* results, their members, and the members' members stand on lines */
    struct json json = {.out = out, .lines = LINES + (all->count > 1)};
    if (all->count > 1)
        json_open(&json, NULL, '[');
    for (size_t i = 0; i < all->count; i++)
        json_result(&json, NULL, all->item[i], options);
    if (all->count > 1)
        json_close(&json, ']');
    buffer_puts(out, "\n");
}

void report_write(struct buffer *out, const struct estimate *const estimates[], size_t count,
                  const struct report_options *options)
{
    static void (*const write[])(struct buffer *, const struct estimates *, const struct report_options *) = {
        [REPORT_TEXT] = write_text, [REPORT_JSON] = write_json, [REPORT_CSV] = report_tables,
        [REPORT_MARKDOWN] = report_tables};
    const struct estimates all = {estimates, count};
    write[options->format](out, &all, options);
}
