#include "src/report/html.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/estimate/range.h"
#include "core/show/figure.h"
#include "src/report/report.h"
#include "src/report/svg.h"
#include "src/text/text.h"

#include <stdio.h>

static const char style[] =
    "body{margin:2em auto;max-width:76em;padding:0 1em;font-family:system-ui,sans-serif;color:#222;background:#fff}"
    "h1{font-size:1.5em}h2{font-size:1.1em;border-bottom:1px solid #ccc;margin-top:2em}"
    ".pill{padding:.1em .6em;border-radius:.3em;font-weight:bold;color:#fff}.fits{background:#00695c}"
    ".tight,.unknown{background:#ffaf00;color:#000}.no{background:#d70000}"
    "dl{display:flex;flex-wrap:wrap;gap:2em;margin:1em 0}dt{color:#555}dd{margin:0;font-size:1.4em;font-weight:bold}"
    "div.figure{overflow-x:auto}svg{max-width:100%;height:auto}"
    "pre{background:#f6f6f4;padding:1em;overflow-x:auto;font-size:.85em;line-height:1.35}"
    "@media print{pre{white-space:pre-wrap}}";

static void put_escaped(struct buffer *out, const char *text)
{
    for (; *text; text++)
        if (*text == '&')
            buffer_puts(out, "&amp;");
        else if (*text == '<')
            buffer_puts(out, "&lt;");
        else if (*text == '>')
            buffer_puts(out, "&gt;");
        else
            buffer_printf(out, "%c", *text);
}

/* ---- the headline ----------------------------------------------------------------------------------------------- */

static const struct {
    const char *class_name, *word;
} verdicts[VERDICT_COUNT] = {[VERDICT_FITS] = {"fits", "fits"},
                             [VERDICT_TIGHT] = {"tight", "tight"},
                             [VERDICT_NO] = {"no", "does not fit"},
                             [VERDICT_UNKNOWN] = {"unknown", "unknown"}};

static void put_card(struct buffer *out, const char *what, const char *figure_text)
{
    buffer_printf(out, "<div><dt>%s</dt><dd>", what);
    put_escaped(out, figure_text);
    buffer_puts(out, "</dd></div>");
}

/* What the plan amounts to, of one that trains or serves. */
static void put_cards(struct buffer *out, const struct estimate *e)
{
    const struct step *step = &e->step;
    char memory[80];
    double used = e->is_serving ? e->serving.needed_bytes
                  : e->is_rl    ? e->rl.peak_bytes
                                : e->stage[e->peak_stage].device_bytes,
           room = e->is_serving ? e->serving.room_bytes : e->usable_bytes;
    snprintf(memory, sizeof memory, "%s of %s GiB", figure(FIGURE_GIB, used).text, figure(FIGURE_GIB, room).text);
    buffer_puts(out, "<dl>");
    put_card(out, "fullest GPU", memory);
    if (e->is_serving) {
        put_card(out, "a token", figure(FIGURE_SECONDS, e->serving.per_token_s).text);
        put_card(out, "first token", figure(FIGURE_SECONDS, e->serving.time_to_first_token_s).text);
        put_card(out, "tokens/s", figure(FIGURE_COUNT, e->serving.tokens_per_s).text);
    } else if (e->is_rl) {
        put_card(out, "an iteration", figure(FIGURE_SECONDS, e->rl.iteration_s).text);
        put_card(out, "rollout", figure(FIGURE_SECONDS, e->rl.rollout_s).text);
        put_card(out, "update", figure(FIGURE_SECONDS, e->rl.update_s).text);
        put_card(out, "tokens/s", figure(FIGURE_COUNT, e->rl.iteration_tokens / e->rl.iteration_s).text);
    } else {
        put_card(out, "an iteration", figure(FIGURE_SECONDS, step->iteration_s).text);
        put_card(out, "MFU", figure(FIGURE_PERCENT, step->mfu).text);
        put_card(out, "tokens/s", figure(FIGURE_COUNT, step->tokens_per_s).text);
        put_card(out, "per 1T tokens", figure(FIGURE_MONEY, step->cost_per_1t_tokens).text);
    }
    buffer_puts(out, "</dl>\n");
}

static void put_headline(struct buffer *out, const struct estimate *e, const char *name)
{
    enum verdict verdict = range_verdict(e);
    bool is_valid = e->diags.errors == 0;
    buffer_puts(out, "<h1>");
    put_escaped(out, name);
    buffer_printf(out, " on %d GPU%s <span class=\"pill %s\">%s</span></h1>\n", e->grid.world,
                  e->grid.world == 1 ? "" : "s", is_valid ? verdicts[verdict].class_name : "no",
                  is_valid ? verdicts[verdict].word : "not valid");
    if (e->is_computed)
        put_cards(out, e);
}

/* ---- its parts -------------------------------------------------------------------------------------------------- */

/* The figures that exist for a plan. */
static void put_figures(struct buffer *out, const struct estimate *e)
{
    static const enum report_section sections[] = {SECTION_MEMORY, SECTION_TIME, SECTION_COMMUNICATION};
    const struct estimate *const all[] = {e};
    for (size_t i = 0; i < LENGTH(sections) && e->is_computed; i++) {
        if (e->is_serving && sections[i] == SECTION_COMMUNICATION)
            continue;
        buffer_puts(out, "<div class=\"figure\">\n");
        report_svg(out, all, 1, sections[i]);
        buffer_puts(out, "</div>\n");
    }
}

static void put_text(struct buffer *out, const char *title, const char *text)
{
    buffer_printf(out, "<h2>%s</h2>\n<pre>", title);
    put_escaped(out, text ? text : "");
    buffer_puts(out, "</pre>\n");
}

void report_html(struct buffer *out, const struct estimate *e, const struct html_parts *parts)
{
    const struct estimate *const all[] = {e};
    const struct report_options options = {0};
    const char *name = e->plan.text[TEXT_MODEL][0] ? e->plan.text[TEXT_MODEL] : "a plan";
    struct buffer report = {0};
    report_write(&report, all, 1, &options);
    buffer_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
    put_escaped(out, name);
    buffer_printf(out, " - shardtop</title>\n<style>%s</style>\n</head>\n<body>\n", style);
    put_headline(out, e, name);
    put_figures(out, e);
    put_text(out, "Report", report.text);
    put_text(out, "Plan: save it as plan.yaml", parts->plan);
    put_text(out, "Command", parts->command);
    buffer_puts(out, "</body>\n</html>\n");
    buffer_free(&report);
}
