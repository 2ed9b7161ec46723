/* What the plan is and whether it fits; below it the headline figures, and what they are. */
#include "core/base.h"
#include "core/plan/param.h"
#include "core/show/components.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/lesson_marks.h"
#include "ui/pane/pane.h"
#include "ui/state/result.h"
#include "ui/widget/big.h"
#include "ui/widget/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BITS_MAX = 8, BIT_MAX = 96, LEFT = 1 /* columns before the first word */,
       RANGED = 140 /* columns from which the caption of an iteration has its range */,
       NAME_LEAST = 12 /* columns that a name keeps beside a fault */, FIGURE = 13 /* of "28.4 GiB free" */ };

/* ---- the verdict ------------------------------------------------------------------------------------------------ */

/* "lora under megatron-2023": what is not modelled together. */
static void say_pair(const struct plan *p, char *out, size_t size)
{
    char method[FIELD_TEXT_MAX], framework[FIELD_TEXT_MAX];
    bool tunes = p->value[PARAM_train_peft] > PEFT_NONE;
    form_value(p, PARAM_train_peft, method);
    form_value(p, PARAM_framework_name, framework);
    if (tunes)
        snprintf(out, size, "%.16s under %.24s", method, framework);
    else
        snprintf(out, size, "under %.24s", framework);
}

/* The verdict, or what is wrong with the plan; returns how it is painted. */
static enum role say_verdict(const struct ui *ui, struct verdict_text *out)
{
    const struct diag *error = ui_first_error(ui);
    *out = result_verdict_text(ui->shown);
    if (messages_asked(ui) > 0) {
        snprintf(out->word, sizeof out->word, "UNKNOWN");
        messages_say_asked(ui, out->detail, sizeof out->detail);
        return ROLE_WARN;
    }
    if (error) {
        snprintf(out->word, sizeof out->word, "NOT VALID");
        snprintf(out->detail, sizeof out->detail, "%.40s", param_rows[error->param].key);
        return ROLE_BAD;
    }
    if (ui->mode == MODE_START) {
        snprintf(out->word, sizeof out->word, "NO PLAN");
        return ROLE_WARN;
    }
    if (ui->shown->is_computed && !ui->shown->is_modelled && !ui->shown->is_serving) {
        snprintf(out->word, sizeof out->word, "NOT MODELLED");
        say_pair(&ui->shown->plan, out->detail, sizeof out->detail);
        return ROLE_WARN;
    }
    return verdict_role(out->verdict);
}

/*
 * The pill and its words at the right end, with room for all digits of a figure so that the pill stays where it is; of
 * a fault as much as there is room for. Returns where it begins.
 */
static int draw_verdict(const struct ui *ui, struct canvas *canvas, int width)
{
    struct verdict_text text;
    char wordings[DIAG_TEXT_MAX + 96];
    enum role role = say_verdict(ui, &text);
    const struct diag *error = ui_first_error(ui);
    int pill = (int)strlen(text.word) + 2, room = width - pill - 2 - LEFT;
    snprintf(wordings, sizeof wordings, "%s|", text.detail);
    if (error && messages_asked(ui) == 0)
        snprintf(wordings, sizeof wordings, "%.*s|%s|", (int)strcspn(finding_text(error).text, ";|"),
                 finding_text(error).text, text.detail);
    char detail[DIAG_TEXT_MAX + 96];
    text_pick(wordings, error ? room - NAME_LEAST : room, detail, sizeof detail);
    int words = text_width(detail), least = words > 0 && room >= FIGURE ? FIGURE : words;
    int at = width - pill - (words > least ? words : least) - (words > 0) - LEFT;
    bool is_selected = ui->mode == MODE_FIGURES && ui->figure == RESULT_HEADROOM;
    at = at < 0 ? 0 : at;
    int end = canvas_format(canvas, at, 0, is_selected ? ROLE_FOCUS : verdict_pill(role), " %s ", text.word);
    end = canvas_text(canvas, end + 1, 0, role, detail);
    canvas_link(canvas, at, 0, end - at, LINK_FIGURES + RESULT_HEADROOM);
    return at;
}

void header_draw_tiny(const struct ui *ui, struct canvas *canvas)
{
    struct verdict_text text;
    enum role role = say_verdict(ui, &text);
    canvas_clip(canvas, ui->layout.header);
    canvas_text(canvas, 0, 0, role, text.word);
}

/* ---- what it is ------------------------------------------------------------------------------------------------- */

/* "H100 80 GB" of h100-sxm-80, "RTX 4090" of rtx-4090. */
static void say_gpu(const struct plan *p, bool has_memory, char *out, size_t size)
{
    const char *name = p->gpu.name[0] ? p->gpu.name : "GPU";
    size_t length = strcspn(name, "-");
    bool is_word = strcspn(name, "0123456789") >= length;
    if (is_word && name[length] == '-')
        length += 1 + strcspn(name + length + 1, "-");
    int used = snprintf(out, size, "%.*s", (int)length, name);
    for (char *at = out; *at; at++)
        *at = *at == '-' ? ' ' : (char)toupper((unsigned char)*at);
    double gib = p->value[PARAM_hardware_memory_gib];
    if (has_memory && gib > 0 && used > 0 && (size_t)used < size)
        snprintf(out + used, size - (size_t)used, " %.0f GB", gib);
}

/* "tp 8  pp 4  dp 2": what is cut more than once, tp always. */
static void say_layout(const struct plan *p, char *out, size_t size)
{
    static const struct {
        enum param id;
        const char *name;
    } axes[] = {{PARAM_parallel_tp, "tp"}, {PARAM_parallel_pp, "pp"}, {PARAM_parallel_vpp, "vpp"},
                {PARAM_parallel_cp, "cp"}, {PARAM_parallel_ep, "ep"}, {PARAM_parallel_dp, "dp"}};
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < LENGTH(axes) && used < size; i++) {
        double value = p->value[axes[i].id];
        if (value != 1 || i == 0)
            used += (size_t)snprintf(out + used, size - used, isnan(value) ? "%s%s ?" : "%s%s %.0f", used ? "  " : "",
                                     axes[i].name, value);
    }
}

/* "8,192 tokens, batch 128"; of a plan that serves "512 tokens, 16 prompts". */
static void say_work(const struct estimate *e, char *out, size_t size)
{
    const struct plan *p = &e->plan;
    enum param length = e->is_serving ? PARAM_serve_prompt_tokens : PARAM_train_seq_length,
               batch = e->is_serving ? PARAM_serve_batch_size : PARAM_train_global_batch_size;
    snprintf(out, size, !e->is_serving ? "%s tokens, batch %s" : p->value[batch] == 1 ? "%s tokens, %s prompt"
                                                                                      : "%s tokens, %s prompts",
             figure(FIGURE_EXACT, p->value[length]).text, figure(FIGURE_EXACT, p->value[batch]).text);
}

/* What follows the name, the most important first; those at the end are left out where there is no room. */
static int say_bits(const struct ui *ui, int width, char bit[BITS_MAX][BIT_MAX])
{
    enum { ROOMY = 160 };
    const struct plan *p = &ui->now->plan;
    char gpu[48], value[FIELD_TEXT_MAX];
    int count = 0;
    bool is_guess = p->from[PARAM_hardware_gpu] <= FROM_ASSUMED;
    say_gpu(p, width >= NAMES_WIDTH && !ui->options.present, gpu, sizeof gpu);
    snprintf(bit[count++], BIT_MAX, "%s %s %s%s", figure(FIGURE_EXACT, ui_gpus(ui)).text,
             ui->utf8 ? "\xc3\x97" : "x", gpu, is_guess ? "?" : "");
    say_layout(p, bit[count++], BIT_MAX);
    if (ui->options.present)
        return count;
    if (width >= NAMES_WIDTH)
        say_work(ui->now, bit[count++], BIT_MAX);
    if (width < ROOMY)
        return count;
    form_value(p, PARAM_train_dtype, bit[count++]);
    form_value(p, PARAM_train_recompute, value);
    if (!ui->now->is_serving)
        snprintf(bit[count++], BIT_MAX, "recompute %.60s", value);
    form_value(p, PARAM_framework_name, bit[count++]);
    if (ui->path[0])
        snprintf(bit[count++], BIT_MAX, "%.90s", strrchr(ui->path, '/') ? strrchr(ui->path, '/') + 1 : ui->path);
    return count;
}

/* The current plan, even if figures are of an older one; unsaved changes come last. */
static void draw_name(const struct ui *ui, struct canvas *canvas, int end)
{
    enum { ALWAYS = 2 /* GPUs and layout */ };
    static const char unsaved[] = "not saved";
    char bit[BITS_MAX][BIT_MAX], name[BIT_MAX];
    const struct plan *p = &ui->now->plan;
    int count = say_bits(ui, ui->width, bit);
    const char *model = p->text[TEXT_MODEL][0] ? p->text[TEXT_MODEL] : "no model";
    snprintf(name, sizeof name, "%.60s", text_width(model) <= end - LEFT - 1 ? model : "");
    int x = *name ? canvas_text(canvas, LEFT, 0, ROLE_STRONG, name)
                  : canvas_fit(canvas, LEFT, 0, end - LEFT - 1, ROLE_STRONG, model);
    for (int i = 0; i < count; i++) {
        int more = i < ALWAYS || !ui_is_modified(ui) ? 0 : 3 + text_width(unsaved);
        if (x + 3 + text_width(bit[i]) + more + 2 <= end)
            x = canvas_text(canvas, x + 3, 0, ROLE_TEXT, bit[i]);
    }
    if (ui_is_modified(ui) && x + 3 + text_width(unsaved) + 2 <= end)
        canvas_text(canvas, x + 3, 0, ROLE_TEXT, unsaved);
}

/* ---- figures ---------------------------------------------------------------------------------------------------- */

static enum role figure_role(const struct ui *ui, int id)
{
    bool is_selected = (ui->mode == MODE_FIGURES && ui->figure == id) || lesson_marks_figure(ui, id);
    return is_selected ? ROLE_FOCUS : ui->shown != ui->now ? ROLE_MUTED : ROLE_STRONG;
}

/* What the fullest GPU holds, in the colours of the memory panel. */
static int gauge_parts(const struct estimate *e, struct bar_part out[COMPONENTS_MAX])
{
    const struct component_list *list = e->is_serving ? &serving_components : &stage_components;
    int parts = 0;
    for (int i = 0; i < list->count; i++)
        if (list->row[i].kind == COMPONENT_PART)
            out[parts++] = component_part(&list->row[i], e->is_serving
                                                             ? serving_component(&list->row[i], &e->serving)
                                                             : stage_held(&list->row[i], e, &e->stage[e->peak_stage]));
    return parts;
}

static void draw_gauge(const struct ui *ui, struct canvas *canvas, int x, int width)
{
    const struct estimate *e = ui->shown;
    struct bar_part parts[COMPONENTS_MAX];
    double used = result_value(RESULT_PEAK, e), room = e->is_serving ? e->serving.room_bytes : e->usable_bytes;
    struct bar bar = {.part = parts, .scale = fmax(used, room), .limit = room};
    if (!(used > 0) || !(room > 0))
        return;
    bar.parts = gauge_parts(e, parts);
    if (e->is_rl) {
        bar.parts = 1;
        parts[0] = (struct bar_part){'P', ROLE_ACTIVATIONS, used, NULL};
        bar.low = used - e->rl.band_bytes;
        bar.high = used + e->rl.band_bytes;
    } else if (!e->is_serving) {
        struct memory_range range;
        range_memory(e, e->peak_stage, &range);
        bar.low = range.device_low;
        bar.high = range.device_high;
    }
    bar_draw(&bar, canvas, (struct rect){x, 0, width, 1});
}

/* "50.7 of 79.1 GiB", its gauge and the share; returns the column after. */
static int draw_memory(const struct ui *ui, struct canvas *canvas, int width)
{
    const struct estimate *e = ui->shown;
    double used = result_value(RESULT_PEAK, e), room = e->is_serving ? e->serving.room_bytes : e->usable_bytes;
    int gauge = width < 80 ? 0 : width < 100 ? width - 66 : width < 140 ? 21 : width < 180 ? 34 : 48;
    int x = canvas_text(canvas, LEFT, 0, figure_role(ui, RESULT_PEAK), units_figure(FIGURE_GIB, used).text);
    x = canvas_format(canvas, x, 0, ROLE_TEXT, " of %s %s", units_figure(FIGURE_GIB, room).text, units_name());
    if (gauge > 0) {
        draw_gauge(ui, canvas, x + 1, gauge);
        x += gauge + 1;
        x = used > 0 && room > 0 ? canvas_format(canvas, x + 1, 0, ROLE_TEXT, "%.0f %%", 100 * used / room) : x;
    }
    canvas_link(canvas, LEFT, 0, x - LEFT, LINK_FIGURES + RESULT_PEAK);
    return x;
}

static void draw_first_question(const struct ui *ui, struct canvas *canvas)
{
    char name[QUESTION_TEXT_MAX], text[UI_MESSAGE_MAX];
    messages_say_question(ui, 0, name, text);
    canvas_text(canvas, canvas_text(canvas, LEFT, 1, ROLE_WARN, name) + 1, 1, ROLE_MUTED, "is not known");
}

/* While the plan is not valid: the plan that the figures describe, by what was changed. */
static void draw_whose(const struct ui *ui, struct canvas *canvas, int width)
{
    char changes[96], text[320];
    form_changes(&ui->now->plan, &ui->shown->plan, 12, changes, sizeof changes);
    snprintf(text, sizeof text,
             "figures are those of %s, the last valid plan|figures of %s, the last valid plan|of the last valid plan",
             changes, changes);
    canvas_pick(canvas, LEFT, 1, width, ROLE_MUTED, *changes ? text : "figures are those of the last valid plan|");
}

/* Below the memory: which stage it is of, and its range; while the plan is invalid whose figures these are. */
static void draw_memory_caption(const struct ui *ui, struct canvas *canvas, int width)
{
    const struct estimate *e = ui->shown;
    char stage[40] = "one GPU", text[400], range[96] = "";
    if (messages_asked(ui) > 0 && ui->shown == ui->now) {
        draw_first_question(ui, canvas);
        return;
    }
    if (ui->shown != ui->now) {
        draw_whose(ui, canvas, width);
        return;
    }
    if (e->is_computed && !e->is_modelled && !e->is_serving)
        canvas_pick(canvas, LEFT, 1, width, ROLE_MUTED,
                    "memory and time are not known for this pair|not known for this pair|not known");
    if (!e->is_computed || isnan(result_value(RESULT_PEAK, e)))
        return;
    if (e->is_serving) {
        canvas_pick(canvas, LEFT, 1, width, ROLE_MUTED, "the fullest GPU of a replica");
        return;
    }
    if (e->is_rl) {
        const char *phase = rl_phase(&e->rl, rl_largest(&e->rl)).name;
        snprintf(text, sizeof text, "%s, the largest phase; +-%s|%s; +-%s|%s", phase,
                 units_figure(FIGURE_GIB, e->rl.band_bytes).text, phase,
                 units_figure(FIGURE_GIB, e->rl.band_bytes).text, phase);
        canvas_pick(canvas, LEFT, 1, width, ROLE_MUTED, text);
        return;
    }
    struct memory_range ends;
    range_memory(e, e->peak_stage, &ends);
    if (e->stages > 1)
        snprintf(stage, sizeof stage, "stage %d", e->peak_stage);
    if (ends.device_high > ends.device_low)
        snprintf(range, sizeof range, "; %s-%s in 8 of 10 runs", units_figure(FIGURE_GIB, ends.device_low).text,
                 units_figure(FIGURE_GIB, ends.device_high).text);
    snprintf(text, sizeof text, "fullest GPU, in %s%s|%s%s|%s", stage, range, stage, range, stage);
    canvas_pick(canvas, LEFT, 1, width, ROLE_MUTED, e->stages > 1 ? text : strchr(text, '|') + 1);
}

/* The change of a figure against the baseline, signed; "" without one. */
static enum role say_change(const struct ui *ui, enum result_id id, char out[40])
{
    const struct result *row = result_row(id, ui->shown);
    out[0] = '\0';
    if (!ui->has_baseline)
        return ROLE_MUTED;
    double delta = result_delta(id, ui->baseline, ui->shown);
    struct figure change = units_delta(row->kind, delta);
    bool is_same = change.text[0] == '=' || change.text[0] == '?';
    snprintf(out, 40, "%s", change.text);
    return is_same || !row->better ? ROLE_MUTED : (delta > 0) == (row->better > 0) ? ROLE_GOOD : ROLE_BAD;
}

/* A headline figure and its caption, short or long. */
struct card {
    enum result_id id;
    char number[40], caption[64];
};

static void say_caption(const struct ui *ui, const struct card *card, bool is_long, char out[64])
{
    char tokens[FIELD_TEXT_MAX];
    const char *caption = result_row(card->id, ui->shown)->caption;
    const char *brief = strrchr(caption, '|') ? strrchr(caption, '|') + 1 : caption;
    bool is_iteration = card->id == RESULT_ITERATION && !ui->shown->is_serving && !ui->shown->is_rl;
    bool has_range = is_iteration && ui->range.generation == ui->generation && ui->range.text[0];
    if (is_iteration && result_is_measured(ui->shown))
        snprintf(out, 64, "measured");
    else if (is_long && has_range && ui->width >= RANGED)
        snprintf(out, 64, "an iteration, %s", ui->range.text);
    else if (is_long && card->id == RESULT_MFU && !ui->shown->is_serving && ui->shown->is_computed &&
             estimate_counts_causal(ui->shown))
        snprintf(out, 64, "MFU, %s causal", figure(FIGURE_PERCENT, ui->shown->step.mfu_causal).text);
    else if (card->id == RESULT_SPAN && !ui->shown->is_serving) {
        form_value(&ui->shown->plan, PARAM_train_total_tokens, tokens);
        double count = ui->shown->plan.value[PARAM_train_total_tokens];
        snprintf(out, 64, "for %.24s tokens", strlen(tokens) < 6 ? tokens : figure(FIGURE_COUNT, count).text);
    } else
        snprintf(out, 64, "%.*s", is_long ? (int)strcspn(caption, "|") : 60, is_long ? caption : brief);
}

static int list_cards(const struct ui *ui, bool is_long, struct card out[RESULT_COUNT])
{
    int count = 0;
    for (int i = RESULT_PEAK + 1; i < RESULT_COUNT; i++) {
        struct card card = {.id = (enum result_id)i};
        if (!result_row(card.id, ui->shown)->caption || !result_in_line(card.id, ui->shown, ui->width))
            continue;
        snprintf(card.number, sizeof card.number, "%s", result_headline(card.id, ui->shown).text);
        if (card.id == RESULT_TFLOPS && is_long && !ui->shown->is_serving)
            snprintf(card.number, sizeof card.number, "%.12s of %.12s", result_headline(card.id, ui->shown).text,
                     figure(FIGURE_EXACT, ui->shown->symbols.peak).text);
        say_caption(ui, &card, is_long, card.caption);
        out[count++] = card;
    }
    return count;
}

int header_draw_line(const struct ui *ui, struct canvas *canvas, int x, int width)
{
    struct card card[RESULT_COUNT];
    int count = list_cards(ui, false, card);
    for (int i = 0; i < count; i++) {
        int need = text_width(card[i].number) + text_width(card[i].caption) + (card[i].caption[0] != '\0');
        if (x + 2 + need > width)
            continue;
        int from = x + 2;
        x = canvas_text(canvas, from, 0, figure_role(ui, (int)card[i].id), card[i].number);
        x = card[i].caption[0] ? canvas_text(canvas, x + 1, 0, ROLE_MUTED, card[i].caption) : x;
        canvas_link(canvas, from, 0, x - from, LINK_FIGURES + (int)card[i].id);
    }
    return x;
}

/* Columns of a card whatever its figures are, so that the cards beside it stay where they are. */
static int least_width(const struct ui *ui, const struct card *card)
{
    enum { NUMBER = 6, CHANGE = 7, IN_RANGE = 23 /* "an iteration, 17.6-20.5" */ };
    bool has_range = card->id == RESULT_ITERATION && !ui->shown->is_serving && !ui->shown->is_rl && ui->width >= RANGED;
    int caption = has_range ? IN_RANGE : text_width(card->caption);
    caption += ui->has_baseline ? 2 + CHANGE : 0;
    return caption > NUMBER ? caption : NUMBER;
}

/* Figures side by side, below each what it is and how it changed. */
static int draw_cards(const struct ui *ui, struct canvas *canvas, int x, int width)
{
    enum { GAP = 3, GAP_MOST = 7 };
    struct card card[RESULT_COUNT];
    char change[40];
    int count = list_cards(ui, true, card), all = 0, wide[RESULT_COUNT] = {0};
    for (int i = 0; i < count; i++) {
        say_change(ui, card[i].id, change);
        int below = text_width(card[i].caption) + (change[0] ? 2 + text_width(change) : 0);
        wide[i] = text_width(card[i].number) > below ? text_width(card[i].number) : below;
        wide[i] = wide[i] < least_width(ui, &card[i]) ? least_width(ui, &card[i]) : wide[i];
        all += wide[i];
    }
    int gap = count > 0 ? (width - x - 3 - all) / count : GAP;
    gap = gap < GAP ? GAP : gap > GAP_MOST ? GAP_MOST : gap;
    for (int i = 0; i < count && x + gap + wide[i] <= width; i++) {
        x += gap;
        canvas_text(canvas, x, 0, figure_role(ui, (int)card[i].id), card[i].number);
        enum role role = say_change(ui, card[i].id, change);
        int end = canvas_text(canvas, x, 1, ROLE_MUTED, card[i].caption);
        canvas_text(canvas, end + 2, 1, role, change);
        canvas_link(canvas, x, 0, wide[i], LINK_FIGURES + (int)card[i].id);
        x += wide[i];
    }
    return x;
}

/* A figure that is read from afar, what it is beside its foot; returns the column after. */
static int draw_big(const struct ui *ui, struct canvas *canvas, int x, enum result_id id, const char *number,
                    const char *caption)
{
    char digits[40];
    size_t length = strspn(number, "0123456789.,-");
    int from = x;
    snprintf(digits, sizeof digits, "%.*s", (int)length, number);
    x = big_draw(canvas, x, 1, figure_role(ui, (int)id), digits);
    x = canvas_text(canvas, x + 2, BIG_ROWS, ROLE_STRONG, *digits ? number + length + (number[length] == ' ') : number);
    x = canvas_text(canvas, x + 1, BIG_ROWS, ROLE_TEXT, caption);
    canvas_link(canvas, from, BIG_ROWS, x - from, LINK_FIGURES + (int)id);
    return x;
}

/* Memory and two figures of time, a third of the width each. */
static void draw_bigs(const struct ui *ui, struct canvas *canvas, int width)
{
    enum { FIGURES = 3 };
    static const enum result_id of_training[] = {RESULT_ITERATION, RESULT_MFU},
                                of_serving[] = {(enum result_id)SERVING_FIRST_TOKEN, (enum result_id)SERVING_TOKEN};
    const struct estimate *e = ui->shown;
    char caption[64];
    double room = e->is_serving ? e->serving.room_bytes : e->usable_bytes;
    snprintf(caption, sizeof caption, "of %s %s", units_figure(FIGURE_GIB, room).text, units_name());
    struct figure peak = units_figure(FIGURE_GIB, result_value(RESULT_PEAK, e));
    int x = draw_big(ui, canvas, LEFT, RESULT_PEAK, peak.text, caption);
    for (int i = 0; i + 1 < FIGURES; i++) {
        enum result_id id = (e->is_serving ? of_serving : of_training)[i];
        int at = LEFT + (i + 1) * width / FIGURES;
        const char *words = result_row(id, e)->caption;
        snprintf(caption, sizeof caption, "%.*s", (int)strcspn(words, "|"), words);
        x = draw_big(ui, canvas, at > x + 2 ? at : x + 2, id, result_headline(id, e).text, caption);
    }
}

/* "2 open" at the right of the figures, "2?" where there is less room; a click lists the questions. */
static void draw_open(const struct ui *ui, struct canvas *canvas, int from, int width)
{
    char text[64], wordings[64];
    int count = messages_open(ui);
    if (count == 0)
        return;
    snprintf(wordings, sizeof wordings, "i %d open question%s|i %d open|%d open|%d?", count, count == 1 ? "" : "s",
             count, count, count);
    text_pick(wordings, width - from - 2, text, sizeof text);
    canvas_right(canvas, width - LEFT, 0, ROLE_WARN, text);
    canvas_link(canvas, width - LEFT - text_width(text), 0, text_width(text), (int)ACTION_messages);
}

/* On low screens the changes have a row of their own. */
static void draw_changes(const struct ui *ui, struct canvas *canvas, int width)
{
    int x = canvas_format(canvas, LEFT, 0, ROLE_MUTED, "against pinned %d", ui->baseline_number), count = 0;
    for (int i = 0; i < RESULT_COUNT; i++) {
        char change[40];
        const char *caption = i == RESULT_PEAK ? units_name() : result_row((enum result_id)i, ui->shown)->caption;
        if (!caption || !result_in_line((enum result_id)i, ui->shown, ui->width))
            continue;
        enum role role = say_change(ui, (enum result_id)i, change);
        const char *brief = strrchr(caption, '|') ? strrchr(caption, '|') + 1 : caption;
        if (change[0] == '=' || x + 3 + text_width(change) + text_width(brief) > width)
            continue;
        x = canvas_text(canvas, x + 2, 0, role, change);
        x = canvas_text(canvas, x + (*brief != '\0'), 0, ROLE_MUTED, brief);
        count++;
    }
    if (count == 0)
        canvas_text(canvas, x + 2, 0, ROLE_MUTED, "no difference");
}

void header_draw(const struct ui *ui, struct canvas *canvas)
{
    const struct layout *l = &ui->layout;
    canvas_clip(canvas, l->header);
    draw_name(ui, canvas, draw_verdict(ui, canvas, l->header.width));
    canvas_clip(canvas, l->figures);
    if (l->figures.height == BIG_FIGURES) {
        draw_bigs(ui, canvas, ui->width);
    } else if (l->figures.height > 0) {
        bool has_captions = l->figures.height > 1;
        int x = draw_memory(ui, canvas, ui->width);
        if (has_captions)
            draw_memory_caption(ui, canvas, x - LEFT + 1);
        x = has_captions ? draw_cards(ui, canvas, x, ui->width) : header_draw_line(ui, canvas, x, ui->width);
        draw_open(ui, canvas, x, ui->width);
    }
    canvas_clip(canvas, l->delta);
    if (l->delta.height > 0)
        draw_changes(ui, canvas, ui->width);
}
