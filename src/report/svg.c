/* src/report/svg.c - which figure a section has, and the marks that figures are made of. */
#include "src/report/svg.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/plan/param.h"
#include "src/report/svg_draw.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LETTER = 7 }; /* pixels of a letter of a legend, about */

/* ---- marks ------------------------------------------------------------------------------------------------------ */

/* Any text as XML character data: no control characters, no markup, none of the characters that XML forbids. */
static void put_escaped(struct buffer *out, const char *text)
{
    static const struct {
        char sign;
        const char *name;
    } entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    char clean[SVG_TEXT_MAX];
    text_clean(text, clean, sizeof clean);
    for (const char *p = clean; *p; p++) {
        size_t i = 0;
        while (i < LENGTH(entities) && entities[i].sign != *p)
            i++;
        if (i < LENGTH(entities)) {
            buffer_puts(out, entities[i].name);
        } else if (strlen(p) >= 3 && (memcmp(p, "\xef\xbf\xbe", 3) == 0 || memcmp(p, "\xef\xbf\xbf", 3) == 0)) {
            buffer_puts(out, "?");
            p += 2;
        } else {
            buffer_add(out, p, 1);
        }
    }
}

void svg_text(struct buffer *out, double x, double y, const char *look, const char *format, ...)
{
    char text[SVG_TEXT_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    buffer_printf(out, "<text x=\"%.2f\" y=\"%.2f\" %s>", x, y, look);
    put_escaped(out, text);
    buffer_puts(out, "</text>\n");
}

void svg_rect(struct buffer *out, const char *name, double x, double y, double width, double height, const char *fill)
{
    buffer_printf(out, "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n", name,
                  x, y, width, height, fill);
}

void svg_line(struct buffer *out, const char *name, double x, double y, double to_x, double to_y, const char *look)
{
    buffer_printf(out, "<line class=\"%s\" x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" %s/>\n", name, x, y, to_x,
                  to_y, look);
}

struct cell svg_known(struct cell cell)
{
    static const struct cell unknown = {"unknown"};
    return strcmp(cell.text, "n/a") == 0 ? unknown : cell;
}

double svg_key(struct buffer *out, double x, double y, const char *label, const char *fill)
{
    svg_rect(out, "key", x, y - 11, 13, 13, fill);
    svg_text(out, x + 19, y, SVG_NORMAL, "%s", label);
    return x + 19 + LETTER * text_columns(label) + 18;
}

double svg_step(double range, int parts)
{
    double least = range / parts, power = pow(10, floor(log10(least)));
    double digits = least / power;
    return power * (digits <= 1 ? 1 : digits <= 2 ? 2 : digits <= 5 ? 5 : 10);
}

/* ---- document --------------------------------------------------------------------------------------------------- */

/* "2 nodes x 8 h100-sxm-80; tp 2, pp 2, ..." */
static void describe_layout(const struct plan *plan, char out[SVG_TEXT_MAX])
{
    static const struct {
        enum param id;
        const char *before;
    } sizes[] = {{PARAM_hardware_nodes, ""}, {PARAM_hardware_gpus_per_node, " x "}, {PARAM_hardware_gpu, " "},
                 {PARAM_parallel_tp, "; tp "}, {PARAM_parallel_pp, ", pp "}, {PARAM_parallel_vpp, ", vpp "},
                 {PARAM_parallel_cp, ", cp "}, {PARAM_parallel_ep, ", ep "}, {PARAM_parallel_dp, ", dp "},
                 {PARAM_train_micro_batch_size, "; micro-batch "}, {PARAM_train_global_batch_size, ", global batch "}};
    size_t at = 0;
    for (size_t i = 0; i < LENGTH(sizes) && at < SVG_TEXT_MAX; i++) {
        char value[PARAM_TEXT_MAX];
        const char *blank = sizes[i].id == PARAM_hardware_gpu ? "GPUs" : "unknown";
        int size = param_print(plan, sizes[i].id, value, sizeof value);
        at += (size_t)snprintf(out + at, SVG_TEXT_MAX - at, "%s%.64s", sizes[i].before, size > 0 ? value : blank);
    }
}

void svg_open(struct buffer *out, const struct estimate *e, double width, double height, const char *subject)
{
    char layout[SVG_TEXT_MAX];
    const char *model = e->plan.text[TEXT_MODEL][0] ? e->plan.text[TEXT_MODEL] : "a model without a name";
    describe_layout(&e->plan, layout);
    buffer_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%.0f\" height=\"%.0f\" "
                       "viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" fill=\"" SVG_BLACK "\">\n<title>",
                  width, height, width, height);
    put_escaped(out, model);
    buffer_printf(out, ": %s</title>\n", subject);
    svg_rect(out, "page", 0, 0, width, height, SVG_WHITE);
    svg_text(out, 20, 32, "font-size=\"20\" " SVG_BOLD, "%s: %s", model, subject);
    svg_text(out, 20, 54, "font-size=\"14\" fill=\"#404040\"", "%s", layout);
}

void svg_close(struct buffer *out)
{
    buffer_puts(out, "</svg>\n");
}

/* The first is that of the whole report. */
static const struct svg_figure *const figures[] = {&svg_memory, &svg_time, &svg_comm, &svg_grid, &svg_layers};

int report_svg(struct buffer *out, const struct estimate *const estimates[], size_t count, enum report_section section)
{
    for (size_t i = 0; i < LENGTH(figures); i++)
        if (figures[i]->section == section || section == SECTION_ALL) {
            figures[i]->draw(out, &(struct estimates){estimates, count});
            return 0;
        }
    return -1;
}
