/* core/show/components.h - the memory of a GPU as it is shown: a row for each component, in the report's order. */
#pragma once

#include "core/estimate/estimate.h"

/** What a row is to the rows above it. */
enum component_kind {
    COMPONENT_PART,   /* bytes that the sums below it hold */
    COMPONENT_SUM,    /* all parts above it */
    COMPONENT_DETAIL, /* bytes inside the part above it: for programs, and for people where weights are frozen */
    COMPONENT_ROOM,   /* what the parts may take */
    COMPONENT_LEFT    /* the room less the last sum */
};

/** How a row is set apart. */
enum component_style {
    COMPONENT_PLAIN,
    COMPONENT_RULED, /* reports draw a line above it */
    COMPONENT_JOINED /* on screens in the row of the part above it; in reports left out where it is nothing */
};

/** What a part is painted with; themes and figures have one look for each. */
enum component_color {
    COLOR_NONE, COLOR_WEIGHTS, COLOR_GRADIENTS, COLOR_OPTIMIZER, COLOR_ACTIVATIONS, COLOR_TRANSIENT, COLOR_SCRATCH,
    COLOR_CACHE, COLOR_DRIVER, COLOR_LINKS, COLOR_COUNT
};

/** One row. */
struct component {
    const char *term;  /* in core/estimate/stage.def, or serving.def: its name in JSON and CSV, the end of its path */
    size_t offset;     /* of its double in that sheet */
    const char *label; /* in reports */
    const char *name;  /* in figures */
    const char *words; /* on screens; "" for programs only */
    const char *brief; /* on screens where there is little room */
    char letter;       /* on screens, capital for what takes memory; 0: not there */
    enum component_color color;
    enum component_kind kind;
    enum component_style style;
    enum peak_at peak; /* when a detail is in its part; PEAK_COUNT: whenever the stage peaks */
};

enum { COMPONENTS_MAX = 32 }; /* rows of a list */

/** The components of a workload. */
struct component_list {
    const struct component *row;
    int count;
};

/** Those of a stage that trains. */
extern const struct component_list stage_components;

/** Those of the fullest GPU that serves. */
extern const struct component_list serving_components;

/** Bytes of a row of `stage_components`; `stage` is one of the estimate's, or one with rounded bytes. */
double stage_component(const struct component *row, const struct estimate *estimate, const struct stage *stage);

/** The same at the stage's peak: nothing of a detail that is not there then. */
double stage_held(const struct component *row, const struct estimate *estimate, const struct stage *stage);

/** True for rows that people see: details only where weights are frozen, and one of the stages holds them. */
bool stage_lists(const struct component *row, const struct estimate *estimate);

/** Writes the types of the weights as they are stored: "bf16", or "nf4+bf16" where some are quantised. */
void weights_type(const struct estimate *estimate, char *out, size_t size);

/** Writes what stands behind the words of a row: " nf4+bf16, frozen" of the base's weights, "" of others. */
void component_note(const struct component *row, const struct estimate *estimate, char *out, size_t size);

/** Bytes of a row of `serving_components`. */
double serving_component(const struct component *row, const struct serving *serving);

/** The same for people: what lies outside PyTorch is NAN, unknown, without serve.engine, where sums leave it out. */
double serving_figure(const struct component *row, const struct serving *serving);

/** The row of a term, or NULL. */
const struct component *component_find(const struct component_list *list, const char *term);

/** The sum that screens show: all that lies on the device. */
const struct component *component_total(const struct component_list *list);

/** Rounds the parts of a stage to whole bytes and takes its sums over them, so that they add up as printed. */
void stage_round(const struct estimate *estimate, struct stage *stage);
