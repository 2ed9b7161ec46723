#include "ui/pane/small.h"

#include "ui/state/effect.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/pane.h"

#include <stdio.h>
#include <string.h>

enum { ROOMY = 40 /* columns from which there are bars and the group's name */ };

/* ---- the two lines above ---------------------------------------------------------------------------------------- */

/* "50.7 of 79.1 GiB" */
static void say_peak(const struct ui *ui, const char *between, char *out, size_t size)
{
    const struct estimate *e = ui->shown;
    out[0] = '\0';
    if (e->is_computed && !e->is_serving)
        snprintf(out, size, "%s%s%s %s", units_figure(FIGURE_GIB, result_value(RESULT_PEAK, e)).text, between,
                 units_figure(FIGURE_GIB, e->usable_bytes).text, units_name());
}

static void draw_verdict(const struct ui *ui, struct canvas *canvas, int width)
{
    char text[VERDICT_MAX + 64], peak[64];
    enum role role = verdict_role(result_verdict(ui->shown, text));
    const struct diag *error = ui_first_error(ui);
    if (error) {
        snprintf(text, sizeof text, "NOT VALID %s", param_rows[error->param].key);
        role = ROLE_BAD;
    }
    int x = canvas_fit(canvas, 0, 0, width, role, text);
    say_peak(ui, " of ", peak, sizeof peak);
    if (width >= ROOMY && x + 2 + text_width(peak) <= width)
        canvas_right(canvas, width, 0, ROLE_TEXT, peak);
}

/* Figures that fit; where there is less room, memory and time. */
static void draw_figures(const struct ui *ui, struct canvas *canvas, int width)
{
    char peak[64];
    int x = 0;
    if (width < ROOMY) {
        say_peak(ui, "/", peak, sizeof peak);
        x = canvas_text(canvas, 0, 0, ROLE_TEXT, peak) + 2 * (*peak != '\0');
        canvas_fit(canvas, x, 0, width - x, ROLE_TEXT, result_text(RESULT_ITERATION, ui->shown).text);
        return;
    }
    header_draw_line(ui, canvas, -2, width);
}

/* ---- the field -------------------------------------------------------------------------------------------------- */

/* "[Layout] tp - 8 +" */
static void draw_field(const struct ui *ui, struct canvas *canvas, int width)
{
    enum param id = ui_field(ui);
    const struct hints *h = effect_hints(ui);
    const struct overlay *overlay = overlays[ui->mode];
    const struct diag *finding = ui_finding(ui, id);
    char value[FIELD_TEXT_MAX];
    int x = width >= ROOMY ? canvas_format(canvas, 0, 0, ROLE_TITLE, "[%s] ", forms[ui->form].title) : 0;
    enum role role = finding && finding->level == DIAG_ERROR ? ROLE_BAD : ROLE_TEXT;
    x = canvas_fit(canvas, x, 0, width - x - 8, role, param_rows[id].key) + 1;
    if (overlay->value) {
        overlay->value(ui, canvas, x, 0, width - x);
        return;
    }
    form_value(&ui->now->plan, id, value);
    int from = x;
    x = canvas_text(canvas, x, 0, ROLE_KEY, !h || h->down.exists ? "- " : "");
    x = canvas_fit(canvas, x, 0, width - x - 2, ROLE_TEXT, value);
    x = canvas_text(canvas, x, 0, ROLE_KEY, !h || h->up.exists ? " +" : "");
    canvas_paint(canvas, from, 0, x - from, ROLE_FOCUS, 0);
}

/* "1 2 4 <8> 16" */
static void draw_valid(const struct ui *ui, struct canvas *canvas, int y, int width)
{
    const struct hints *h = effect_hints(ui);
    double now = ui->now->plan.value[ui_field(ui)];
    for (int i = 0, x = 2; h && i < h->valid_count; i++) {
        char text[FIELD_TEXT_MAX];
        param_number(h->field, h->valid[i], text);
        int end = x + text_width(text) + 2 * (h->valid[i] == now);
        if (end > width)
            return;
        x = canvas_format(canvas, x, y, ROLE_TEXT, h->valid[i] == now ? "<%s> " : "%s ", text);
    }
}

/* "- 4: 86.2 GiB, 7.1 over, -12.8 s (dp 4)", or where there is less room "- 4: 7.1 over". */
static void draw_effect(const struct ui *ui, struct canvas *canvas, int y, int width, const struct effect *effect,
                        const char *sign)
{
    char text[160];
    int indent = width >= ROOMY ? 2 : 0;
    if (width >= ROOMY || !effect->exists || isnan(effect->headroom_bytes))
        effect_text(ui, effect, sign, width - indent, text, sizeof text);
    else
        snprintf(text, sizeof text, "%s %.8s: %s %s", sign, effect->value,
                 units_figure(FIGURE_GIB, fabs(effect->headroom_bytes)).text,
                 effect->headroom_bytes < 0 ? "over" : "free");
    canvas_fit(canvas, indent, y, width - indent, ROLE_TEXT, text);
}

/* Values that work, where there is room or need; and what the next ones would do. */
static void draw_steps(const struct ui *ui, struct canvas *canvas, struct rect r)
{
    const struct hints *h = effect_hints(ui);
    int y = 1;
    if (r.height >= 4 || ui_first_error(ui))
        draw_valid(ui, canvas, y++, r.width);
    if (h && y < r.height)
        draw_effect(ui, canvas, y++, r.width, &h->down, "-");
    if (h && y < r.height)
        draw_effect(ui, canvas, y, r.width, &h->up, "+");
}

/* ---- everything ------------------------------------------------------------------------------------------------- */

void small_draw(const struct ui *ui, struct canvas *canvas)
{
    const struct layout *l = &ui->layout;
    canvas_clip(canvas, l->header);
    draw_verdict(ui, canvas, l->header.width);
    canvas_clip(canvas, l->figures);
    if (l->figures.height > 0)
        draw_figures(ui, canvas, l->figures.width);
    canvas_clip(canvas, l->field);
    if (l->field.height > 0)
        draw_field(ui, canvas, l->field.width);
    draw_steps(ui, canvas, l->field);
    canvas_clip(canvas, l->body);
    if (l->body.height > 0)
        panes[PANE_MEMORY]->draw(ui, canvas, l->body.width, l->body.height);
}
