/* src/report/svg_draw.h - marks, colours and the title that the figures of src/report_svg*.c are made of. */
#pragma once

#include "src/report/format.h"

struct estimates;

/* Colours that people with any colour vision tell apart. Source: Okabe and Ito 2008, "Color Universal Design". */
#define SVG_ORANGE     "#e69f00"
#define SVG_SKY        "#56b4e9"
#define SVG_GREEN      "#009e73"
#define SVG_YELLOW     "#f0e442"
#define SVG_BLUE       "#0072b2"
#define SVG_VERMILLION "#d55e00"
#define SVG_PURPLE     "#cc79a7"
#define SVG_BLACK      "#000000"
#define SVG_WHITE      "#ffffff"
#define SVG_PALE       "#e8e8e8"
#define SVG_GREY       "#bdbdbd"
#define SVG_DARK       "#6e6e6e"

/* Attributes of texts. */
#define SVG_SMALL  "font-size=\"12\""
#define SVG_NORMAL "font-size=\"13\""
#define SVG_BOLD   "font-weight=\"bold\""
#define SVG_MIDDLE "text-anchor=\"middle\""
#define SVG_END    "text-anchor=\"end\""
#define SVG_RED    "fill=\"" SVG_VERMILLION "\""

/** Pixels: room for labels at the left, the end of the title, the least width, from line to line; bytes of a text. */
enum { SVG_LEFT = 84, SVG_TOP = 76, SVG_WIDTH = 1200, SVG_LINE = 18, SVG_TEXT_MAX = 512 };

/** A text at a place; `look` holds further attributes. The text may come from anywhere: it is made safe. */
void svg_text(struct buffer *out, double x, double y, const char *look, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/** A rectangle; its class `name` says what it stands for. */
void svg_rect(struct buffer *out, const char *name, double x, double y, double width, double height, const char *fill);

/** A line from (x, y) to (to_x, to_y). */
void svg_line(struct buffer *out, const char *name, double x, double y, double to_x, double to_y, const char *look);

/** One entry of a legend row; returns where the next one starts. */
double svg_key(struct buffer *out, double x, double y, const char *label, const char *fill);

/** The cell, or "unknown" when it has no number. */
struct cell svg_known(struct cell cell);

/** The next round number (1, 2 or 5 times a power of ten) that cuts `range` into at most `parts`. */
double svg_step(double range, int parts);

/** Opens a document with the model's name, `subject` (plain words) and the layout as its title. */
void svg_open(struct buffer *out, const struct estimate *estimate, double width, double height, const char *subject);

/** Closes it. */
void svg_close(struct buffer *out);

/** A figure: the section that it is of, and what appends it. */
struct svg_figure {
    enum report_section section;
    void (*draw)(struct buffer *out, const struct estimates *all);
};

/** Of all estimates; of the first one. */
extern const struct svg_figure svg_memory, svg_time;
extern const struct svg_figure svg_comm, svg_grid, svg_layers;
