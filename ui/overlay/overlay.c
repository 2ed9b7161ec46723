#include "ui/overlay/overlay.h"

#include "ui/pane/pane.h"

const struct overlay *const overlays[MODE_COUNT] = {
    [MODE_BROWSE] = &overlay_browse,
    [MODE_QUESTION] = &overlay_question,
    [MODE_SETTINGS] = &overlay_settings,
    [MODE_CHANGES] = &overlay_changes,
    [MODE_START] = &overlay_start,
    [MODE_GOAL] = &overlay_goal,
#define OVERLAY(id, MODE, key, help) [MODE_##MODE] = &overlay_##id,
#include "ui/command/action.def"
};

struct rect overlay_rect(const struct ui *ui)
{
    struct rect r = overlays[ui->mode]->is_in_corner ? ui->layout.corner : ui->layout.results;
    bool takes_forms = overlays[ui->mode]->is_wide && ui->width >= NAMES_WIDTH;
    int most = overlays[ui->mode]->rows ? overlays[ui->mode]->rows(ui) : r.height;
    if (takes_forms)
        return (struct rect){0, r.y, r.x + r.width, r.height < most ? r.height : most};
    return pane_has_tabs(ui) ? rect_below(r, 1) : r; /* the names of the views stay */
}

void overlay_open(struct ui *ui, enum mode mode, const char *text, bool is_selected)
{
    ui->mode = mode;
    edit_start(&ui->edit, text, is_selected);
}
