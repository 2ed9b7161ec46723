/* src/report/html.h - one page with all of a plan: verdict, figures, report, plan and command, for any browser. */
#pragma once

struct buffer;
struct estimate;

/** What a page shows beside the estimate. */
struct html_parts {
    const char *plan;    /* the plan as YAML */
    const char *command; /* the command that gives the same report */
};

/**
 * Appends a page for an estimate to `out`: HTML that needs no script, no network and no other file, with the figures of
 * memory, time and traffic as SVG inside. Texts from plans are safe in it.
 */
void report_html(struct buffer *out, const struct estimate *estimate, const struct html_parts *parts);
