#include "src/report/data.h"

#include "core/plan/param.h"
#include "core/search/plan_diff.h"
#include "core/show/components.h"
#include "src/report/report.h"
#include "src/text/json_out.h"

#include <stdio.h>
#include <string.h>

bool report_lists_ranks(const struct estimate *estimate, const struct report_options *options)
{
    return estimate->is_computed && (options->full || estimate->grid.world <= REPORT_RANKS_MAX);
}

/* ---- operators -------------------------------------------------------------------------------------------------- */

void report_layer_path(enum op_id id, char out[REPORT_PATH_MAX])
{
    bool is_layer = op_rows[id].kind <= OP_MOE;
    snprintf(out, REPORT_PATH_MAX, "%s%s", is_layer ? "decoder/layer/" : "", op_rows[id].path);
}

/* ---- communication ---------------------------------------------------------------------------------------------- */

bool comm_walk_next(struct comm_walk *walk)
{
    for (; walk->estimate->is_computed && walk->stage < walk->estimate->stages; walk->stage++, walk->seen = 0) {
        if (walk->seen == 0)
            estimate_comm(walk->estimate, walk->stage, walk->comm);
        while (walk->seen < COMM_COUNT)
            if (walk->comm[walk->seen++].when != 0) {
                walk->id = (enum comm_id)(walk->seen - 1);
                return true;
            }
    }
    return false;
}

double report_comm_calls(const struct estimate *estimate, const struct comm *row, enum comm_id id)
{
    double ranks = estimate->symbols.world / estimate->symbols.p;
    return row->count * ranks / (comm_rows[id].op == COMM_SEND_RECV ? 1 : row->group_size);
}

/* ---- stages ----------------------------------------------------------------------------------------------------- */

void report_stage_rounded(const struct estimate *estimate, int stage, struct stage *out)
{
    *out = estimate->stage[stage];
    stage_round(estimate, out);
}

double report_headroom(const struct estimate *estimate)
{
    struct stage fullest;
    if (estimate->is_serving || !isfinite(estimate->headroom_bytes))
        return estimate->headroom_bytes;
    report_stage_rounded(estimate, estimate->peak_stage, &fullest);
    return fullest.headroom_bytes;
}

bool report_stages_equal(const struct estimate *estimate, int one, int other)
{
    struct stage a = estimate->stage[one], b = estimate->stage[other];
    a.stage = b.stage = 0;
    return memcmp(&a, &b, sizeof a) == 0 && estimate->split[one].layers == estimate->split[other].layers &&
           estimate->stage_params_all[one] == estimate->stage_params_all[other];
}

/* ---- changes ---------------------------------------------------------------------------------------------------- */

static void write_marked(struct json *json, const char *name, const struct plan *plan,
                         const bool is_marked[PARAM_COUNT])
{
    json_open(json, name, '{');
    for (int i = 0; i < PARAM_COUNT; i++)
        if (is_marked[i])
            json_value(json, param_rows[i].dotted, plan, (enum param)i);
    json_close(json, '}');
}

void json_changes(struct json *json, const struct plan *a, const struct plan *b)
{
    struct diff_keys keys;
    plan_diff_keys(a, b, &keys);
    write_marked(json, "changes", b, keys.set);
    write_marked(json, "follows", b, keys.follows);
}

/* ---- by name ---------------------------------------------------------------------------------------------------- */

double report_step(const struct estimate *estimate, const char *name)
{
    const struct term *term = term_find(step_terms, step_term_count, name, strlen(name));
    return term && estimate->is_computed ? term_value(term, &estimate->step) : NAN;
}
