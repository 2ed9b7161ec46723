/* ui/widget/form.h - the editable panes: which plan keys each holds, in which order, and how they are written. */
#pragma once

#include "core/plan/param.h"
#include "ui/widget/layout.h"

#include <stdbool.h>
#include <stddef.h>

/** One form. */
struct form {
    const char *title;       /* "Layout" */
    enum param_group group;  /* its keys follow those of `first` */
    const enum param *first; /* the keys most looked at, ending with PARAM_COUNT; of any group */
};

/** The forms in their order. */
extern const struct form forms[PANE_FORMS];

enum { FORM_FIELDS_MAX = 128, FIELD_TEXT_MAX = 96 };

/** The keys of a form, those of `first` in front; every key of the table is in exactly one form. Returns how many. */
int form_fields(enum pane_id form, enum param out[FORM_FIELDS_MAX]);

/** Writes the name of a field as people say it: "tp   tensor"; where that has no room the key. */
void form_label(enum param id, int room, char out[64]);

/** Writes what a change of it is called: "tp", "micro-batch". */
void form_name(enum param id, char out[64]);

/**
 * Writes what a plan changes of a resolved one, in words: "tp 4, cp 2, +2"; as many changes as there is room for and
 * how many more there are, the first always. "" where nothing differs.
 */
void form_changes(const struct plan *now, const struct plan *plan, int room, char *out, size_t size);

/** How many of them are shown where there is little room, of a plan that trains or serves. */
int form_brief(enum pane_id form, bool is_serving);

/** Writes the value of a key as lists show it: lengths and counts with commas. */
void form_shown(const struct plan *resolved, enum param id, char out[FIELD_TEXT_MAX]);

/** Writes the value of a key as the screen shows it: on/off, "?" when unknown. */
void form_value(const struct plan *resolved, enum param id, char out[FIELD_TEXT_MAX]);
