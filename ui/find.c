/* `/` without a screen: what a phrase finds. */
#include "ui/command/palette.h"
#include "ui/ui.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_value(struct ui_found *found, const char *name, const char *text, double number)
{
    if (found->values < UI_VALUES_MAX && ((text && *text) || (!text && isfinite(number))))
        found->value[found->values++] = (struct ui_value){name, text, number};
}

/* What the phrase says of a goal, by the goal's options. */
static void add_figures(struct ui_found *found, const struct inquiry *inquiry)
{
    add_value(found, "model", inquiry->model, NAN);
    add_value(found, "gpu", inquiry->gpu, NAN);
    add_value(found, "framework", inquiry->framework, NAN);
    add_value(found, "method", inquiry->method, NAN);
#define FIGURE(name) add_value(found, #name, NULL, inquiry->name);
    INQUIRY_FIGURES(FIGURE)
#undef FIGURE
}

/* The keys that a phrase sets, as files have them. */
static void add_keys(struct ui_found *found, const struct assigned *assigned, char text[UI_VALUES_MAX][PLAN_TEXT_MAX])
{
    for (int i = 0; i < assigned->count && i < UI_VALUES_MAX; i++) {
        enum param id = assigned->id[i];
        bool is_number = param_type(id)->is_number && param_type(id)->json == PARAM_JSON_NUMBER;
        char value[PARAM_TEXT_MAX];
        param_print(&assigned->plan, id, value, sizeof value);
        memcpy(text[i], value, PLAN_TEXT_MAX - 1);
        text[i][PLAN_TEXT_MAX - 1] = '\0';
        add_value(found, param_rows[id].dotted, is_number ? NULL : text[i], assigned->plan.value[id]);
    }
}

static void describe(const struct palette *palette, const struct palette_item *item, struct ui_found *out,
                     char text[UI_VALUES_MAX][PLAN_TEXT_MAX])
{
    *out = (struct ui_found){palette_kind_names[item->kind], palette_item_name(item), item->help, 0, {{0}}};
    if (item->kind == ITEM_GOAL)
        add_figures(out, &palette->inquiry);
    if (item->kind == ITEM_GPU)
        out->kind = "gpu";
    if (item->kind == ITEM_COMMAND)
        out->kind = "action";
    if (item->kind == ITEM_SET) {
        out->kind = "field";
        out->item = param_rows[palette->assigned.id[0]].dotted;
        out->text = item->name;
        add_keys(out, &palette->assigned, text);
    }
}

/* "learning rate" changes neither memory nor time: the answer stands before what is called alike. */
static int find_answer(const struct palette *palette, void (*each)(void *, const struct ui_found *), void *context)
{
    const struct ui_found answer = {"answer", "no-effect", "changes neither memory nor time", 0, {{0}}};
    if (!palette->is_ignored)
        return 0;
    each(context, &answer);
    return 1;
}

int ui_find(const struct ui_host *host, const struct ui_options *options, const char *phrase, int most,
            void (*each)(void *context, const struct ui_found *found), void *context)
{
    struct ui *ui = ui_create(host, options, 80, 24);
    struct palette *palette = calloc(1, sizeof *palette);
    char text[UI_VALUES_MAX][PLAN_TEXT_MAX];
    int count = ui && palette ? 0 : -1;
    if (count == 0) {
        struct ui_found found;
        palette_fill(palette, ui);
        palette_find(palette, ui, phrase);
        count = find_answer(palette, each, context);
        for (int i = 0; palette_at(palette, i) && count < most; i++, count++) {
            describe(palette, palette_at(palette, i), &found, text);
            each(context, &found);
        }
        palette_free(palette);
    }
    free(palette);
    if (ui)
        ui_free(ui);
    return count;
}
