/* src/report/svg_layers.c - the operators on one rank: what each keeps for backward, and how long its forward takes. */
#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/explain/explain.h"
#include "core/show/columns.h"
#include "src/report/data.h"
#include "src/report/svg_draw.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>
#include <string.h>

enum { ROW = 24, LABELS = 330, BARS = 300, GAP = 120, ROWS_MAX = 48, FIRST = SVG_TOP + 40 };

/* The two columns of bars. */
static const struct bars {
    const char *name, *title, *fill;
    double x;
} columns[] = {{"saved_bytes", "kept for backward, of one micro-batch", SVG_ORANGE, LABELS},
               {"forward_s", "time of its forward", SVG_SKY, LABELS + BARS + GAP}};

/* The operators in the order of the model. */
struct rows {
    enum op_id id[ROWS_MAX];
    int count;
};

static double value_of(const struct estimate *e, enum op_id id, const struct bars *bars)
{
    for (int i = 0; i < layer_shown_count; i++)
        if (strcmp(layer_shown[i].name, bars->name) == 0)
            return layer_shown[i].of(e, id);
    return NAN;
}

static struct rows read_rows(const struct estimate *e)
{
    struct rows rows = {.count = 0};
    enum op_id id;
    for (int i = 0; e->is_computed && rows.count < ROWS_MAX && explain_layer_row(e, i, &id); i++)
        rows.id[rows.count++] = id;
    return rows;
}

static void draw_bars(struct buffer *out, const struct estimate *e, const struct rows *rows, const struct bars *bars)
{
    double most = 0;
    for (int i = 0; i < rows->count; i++)
        most = fmax(most, value_of(e, rows->id[i], bars));
    for (int i = 0; i < rows->count; i++) {
        double value = value_of(e, rows->id[i], bars), y = FIRST + i * ROW,
               width = most > 0 && value > 0 ? BARS * value / most : 0;
        svg_rect(out, bars->name, bars->x, y, width, ROW - 7, bars->fill);
        if (value > 0)
            svg_text(out, bars->x + width + 6, y + 13, SVG_SMALL, "%s",
                     bars == columns ? cell_bytes(value).text : cell_seconds(value).text);
    }
}

static void draw(struct buffer *out, const struct estimates *all)
{
    const struct estimate *e = all->item[0];
    struct rows rows = read_rows(e);
    char path[REPORT_PATH_MAX];
    svg_open(out, e, SVG_WIDTH, FIRST + ROW * fmax(rows.count, 1) + SVG_LINE, "operators on one rank");
    for (size_t i = 0; i < LENGTH(columns) && rows.count; i++) {
        svg_text(out, columns[i].x, SVG_TOP + 18, SVG_NORMAL " " SVG_BOLD, "%s", columns[i].title);
        draw_bars(out, e, &rows, &columns[i]);
    }
    for (int i = 0; i < rows.count; i++) {
        report_layer_path(rows.id[i], path);
        svg_text(out, LABELS - 10, FIRST + i * ROW + 13, SVG_SMALL " " SVG_END, "%s", path);
    }
    if (rows.count == 0)
        svg_text(out, 20, FIRST + 16, SVG_NORMAL, "unknown");
    svg_close(out);
}

const struct svg_figure svg_layers = {SECTION_LAYERS, draw};
