/* src/report/json.c - an estimate as JSON: the members that src/report/result.def describes. */
#include "core/base.h"
#include "core/estimate/load.h"
#include "core/estimate/iteration.h"
#include "core/estimate/range.h"
#include "core/estimate/timeline.h"
#include "core/explain/detail.h"
#include "core/explain/explain.h"
#include "core/plan/number.h"
#include "core/plan/param.h"
#include "core/plan/question.h"
#include "core/show/columns.h"
#include "core/show/components.h"
#include "core/show/quantity.h"
#include "core/show/time_parts.h"
#include "src/report/data.h"
#include "src/report/report.h"
#include "src/report/text.h"
#include "src/text/comment.h"
#include "src/text/errors.h"
#include "src/text/json_out.h"
#include "src/text/keyval.h"
#include "src/text/text.h"
#include "src/text/version.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHAPES "src/report/result.def"
#include "src/text/json_writers.def"

/* Whether a part of the result is asked for, by the section and by the paths that are wanted. */
static bool is_asked(const struct json *json, const struct report_options *options, enum report_section section,
                     const char *member)
{
    return (options->section == SECTION_ALL || options->section == section) && json_wants(json, member);
}

/* ---- lists of quantities ---------------------------------------------------------------------------------------- */

static void write_quantity(struct json *json, const char *name, double value)
{
    size_t n = strlen(name), suffix = strlen("_bytes");
    bool is_bytes = n >= suffix && strcmp(name + n - suffix, "_bytes") == 0;
    (is_bytes ? json_bytes : json_number)(json, name, value);
}

/* The rows of a list below `group`; "" for those of the section, one of which is the object of the exposed traffic. */
static void write_quantities(struct json *json, const struct estimate *e, const struct quantity_list *list,
                             const char *group)
{
    size_t n = strlen(group);
    bool is_exposed = false;
    for (int i = 0; i < list->count; i++) {
        const char *name = strchr(list->row[i].path, '.') + 1;
        bool is_in = strncmp(name, group, n) == 0, is_deeper = is_in && strchr(name + n, '.');
        if (is_in && !is_deeper && json_wants(json, name + n))
            write_quantity(json, name + n, quantity_value(&list->row[i], e));
        else if (is_deeper && !is_exposed)
            PUT(exposed, "exposed_communication_s", e);
        is_exposed |= is_deeper;
    }
}

/* The range of time, where any of `members`, separated by blanks, is wanted: it costs as much as the estimate. */
static void find_time_range(const struct json *json, const struct estimate *e, const char *members,
                            struct time_range *out)
{
    char name[32];
    int used;
    *out = (struct time_range){.sigma = NAN};
    for (; sscanf(members, "%31s%n", name, &used) == 1; members += used)
        if (json_wants(json, name)) {
            range_time(e, out);
            return;
        }
}

/* The 80 % ranges of the rows that follow the time of the iteration. */
static void write_time_range(struct json *json, const struct estimate *e, const struct time_range *time,
                             const struct quantity_list *const lists[], int count)
{
    if (isnan(time->sigma)) {
        json_null(json, "range");
        return;
    }
    json_open(json, "range", '{');
    for (int i = 0; i < count; i++)
        for (int k = 0; k < lists[i]->count; k++) {
            const struct quantity *row = &lists[i]->row[k];
            struct interval ends = range_of(time, quantity_value(row, e), quantity_power(row));
            if (isfinite(ends.low))
                json_ends(json, strchr(row->path, '.') + 1, &ends, time->level == LEVEL_FAR);
        }
    json_close(json, '}');
}

/* ---- plan ------------------------------------------------------------------------------------------------------- */

static void write_set(struct json *json, const char *name, const struct param_row *row, unsigned mask)
{
    json_open(json, name, '[');
    for (int i = 0; row->choices[i]; i++)
        if (mask & 1u << i)
            json_text(json, NULL, row->choices[i]);
    json_close(json, ']');
}

static void write_layout(struct json *json, const char *name, const struct pipeline_layout *layout)
{
    if (layout->chunks == 0) {
        json_text(json, name, "auto");
        return;
    }
    json_open(json, name, '[');
    for (int i = 0; i < layout->chunks; i++) {
        if (layout->per_stage && i % layout->per_stage == 0)
            json_open(json, NULL, '[');
        json_number(json, NULL, layout->layers[i]);
        if (layout->per_stage && (i + 1) % layout->per_stage == 0)
            json_close(json, ']');
    }
    json_close(json, ']');
}

void json_value(struct json *json, const char *name, const struct plan *plan, enum param id)
{
    const struct param_row *row = &param_rows[id];
    char text[PARAM_TEXT_MAX];
    enum param_json kind = row->suffix == SUFFIX_VERSION ? PARAM_JSON_TEXT : param_type(id)->json;
    if (kind == PARAM_JSON_LAYOUT)
        write_layout(json, name, &plan->layout);
    else if (param_blank(plan, id))
        json_null(json, name);
    else if (kind == PARAM_JSON_BOOL)
        json_bool(json, name, plan->value[id] > 0);
    else if (kind == PARAM_JSON_SET)
        write_set(json, name, row, (unsigned)plan->value[id]);
    else if (kind == PARAM_JSON_TEXT)
        json_text(json, name, param_print(plan, id, text, sizeof text) > 0 ? text : NULL);
    else
        json_number(json, name, plan->value[id]);
}

static void write_plan(struct json *json, const struct plan *plan)
{
    int lines = json->lines; /* a key stands on one line */
    json->lines -= lines > 1;
    json_open(json, "plan", '{');
    for (int i = 0; i < PARAM_COUNT; i++)
        PUT(setting, param_rows[i].dotted, plan, (enum param)i);
    json_close(json, '}');
    json->lines = lines;
}

/* Words separated by blanks, numbers as such. */
static void write_words(struct json *json, const char *name, const char *words)
{
    char word[QUESTION_TEXT_MAX];
    int used;
    json_open(json, name, '[');
    for (; sscanf(words, "%95s%n", word, &used) == 1; words += used)
        json_word(json, NULL, word);
    json_close(json, ']');
}

/* ---- model ------------------------------------------------------------------------------------------------------ */

/* A weight's shape: nothing for an operator without weights, one number for a vector. */
static void write_shape(struct json *json, const char *name, const struct op *op, double rows, double columns)
{
    const double shape[2] = {rows, columns};
    json_numbers(json, name, shape, op->times == 0 || rows == 0 ? 0 : columns == 1 && op->m == 0 ? 1 : 2);
}

static void write_layers(struct json *json, const struct estimate *e)
{
    enum op_id id;
    if (e->is_computed)
        ARRAY("layers", (int i = 0; explain_layer_row(e, i, &id); i++), PUT(operator, NULL, e, id))
    else
        json_null(json, "layers");
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* Points as [event, bytes]; the event names pass, micro-batch and, with several chunks, the chunk. */
static void write_timeline(struct json *json, const struct estimate *e, int stage)
{
    struct timeline_point *points = xmalloc(TIMELINE_POINTS_MAX * sizeof *points);
    int count = timeline_of(e, stage, points, TIMELINE_POINTS_MAX);
    if (count == 0)
        json_null(json, "timeline");
    else
        json_open(json, "timeline", '[');
    for (int i = 0; i < count; i++) {
        char event[64];
        char *end = stpcpy(event, timeline_event_names[points[i].event]);
        if (points[i].micro_batch >= 0)
            end = stpcpy(end, " "), end += number_whole(points[i].micro_batch, end);
        if (points[i].micro_batch >= 0 && e->schedule.chunks > 1)
            end = stpcpy(end, " chunk "), number_whole(points[i].chunk, end);
        json_open(json, NULL, '[');
        json_text(json, NULL, event);
        json_bytes(json, NULL, points[i].bytes);
        json_close(json, ']');
    }
    if (count > 0)
        json_close(json, ']');
    free(points);
}

static void write_components(struct json *json, const struct estimate *e, const struct stage *stage)
{
    for (int i = 0; i < stage_components.count; i++)
        if (stage_components.row[i].kind != COMPONENT_ROOM && json_wants(json, stage_components.row[i].term))
            json_bytes(json, stage_components.row[i].term, stage_component(&stage_components.row[i], e, stage));
}

/* ---- grid ------------------------------------------------------------------------------------------------------- */

static void write_group(struct json *json, const struct rank_grid *grid, enum rank_axis axis, int first)
{
    json_open(json, NULL, '[');
    for (int k = 0; k < grid->size[axis]; k++)
        json_number(json, NULL, first + k * grid->stride[axis]);
    json_close(json, ']');
}

static void write_groups(struct json *json, const struct rank_grid *grid)
{
    json_open(json, "groups", '{');
    for (enum rank_axis axis = 0; axis < AXIS_COUNT; axis++)
        ARRAY(rank_axis_names[axis], (int i = 0; i < rank_group_count(grid, axis); i++),
              write_group(json, grid, axis, rank_group_first(grid, axis, i)))
    json_close(json, '}');
}

/* ---- communication, time ---------------------------------------------------------------------------------------- */

static void write_comm_column(struct json *json, const struct comm_column *column, const struct comm_walk *walk)
{
    const struct comm *row = &walk->comm[walk->id];
    size_t rank = 0;
    while (rank < LENGTH(row->shape) && row->shape[rank] > 0)
        rank++;
    if (column->content == CONTENT_STAGE)
        json_number(json, column->name, walk->stage);
    else if (column->content == CONTENT_TEXT)
        json_text(json, column->name, column->text(walk->id));
    else if (column->content == CONTENT_YES_NO)
        json_bool(json, column->name, row->crosses_nodes);
    else if (column->content == CONTENT_SHAPE)
        json_numbers(json, column->name, row->shape, rank);
    else
        write_quantity(json, column->name, comm_number(column, row));
}

static void write_communication(struct json *json, const struct estimate *e)
{
    struct comm_walk walk = {.estimate = e};
    if (e->is_computed)
        ARRAY("communication", (; comm_walk_next(&walk);), PUT(traffic, NULL, &walk))
    else
        json_null(json, "communication");
}

static void write_serving_term(struct json *json, const struct term *term, const struct estimate *e)
{
    const double whole = 16; /* fewer are of one value, whose type may take half a byte */
    bool is_bytes = strcmp(term->unit, "bytes") == 0 && term->text[0] && !(term_value(term, &e->serving) < whole);
    (is_bytes ? json_bytes : json_number)(json, term->name, term_value(term, &e->serving));
}

static void put_load(struct json *json, const char *name, const struct estimate *e,
                     void (*find)(const struct estimate *, struct load *))
{
    struct load load = {NAN, NAN, NAN, NAN, NAN, NAN};
    if (e->serving.has_engine > 0)
        find(e, &load);
    if (isfinite(load.batch))
        PUT(load, name, &load);
    else
        json_null(json, name);
}

static void write_rl_term(struct json *json, const struct term *term, const struct estimate *e)
{
    (strcmp(term->unit, "bytes") == 0 ? json_bytes : json_number)(json, term->name, term_value(term, &e->rl));
}

static void write_rl_or_null(struct json *json, const struct estimate *e)
{
    if (e->is_rl)
        PUT(rl, "rl", e);
    else
        json_null(json, "rl");
}

static void write_why(struct json *json, const struct estimate *e)
{
    char why[SERVING_TEXT];
    json_text(json, "why", report_serving_why(e, why));
}

static void write_serving_or_null(struct json *json, const struct estimate *e)
{
    if (e->is_serving && e->is_computed)
        PUT(serving, "serving", e);
    else
        json_null(json, "serving");
}

/* ---- the check -------------------------------------------------------------------------------------------------- */

static void write_assumed(struct json *json, const struct estimate *e)
{
    json_open(json, "assumed", '[');
    for (const enum param *key = report_rests_on; *key != PARAM_COUNT; key++)
        if (report_is_assumed(e, *key))
            json_text(json, NULL, param_rows[*key].dotted);
    json_close(json, ']');
}

static void write_check_line(struct json *json, const struct check *check)
{
    struct buffer line = {0};
    report_named_check(&line, check);
    line.text[line.size - 1] = '\0'; /* the line's end */
    json_text(json, "message", line.text);
    buffer_free(&line);
}

/* ---- the objects ------------------------------------------------------------------------------------------------ */

#include "src/text/json_writers.def"

void json_ends(struct json *json, const char *name, const struct interval *ends, bool is_unseen)
{
    PUT(ends, name, ends, is_unseen);
}

void json_check(struct json *json, const struct check *check)
{
    PUT(check, NULL, check);
}

void json_result(struct json *json, const char *name, const struct estimate *e, const struct report_options *options)
{
    PUT(result, name, e, options);
}
