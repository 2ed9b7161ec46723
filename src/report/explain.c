/* A number opened, as text or JSON: its formula, its inputs, and in turn what these come from. */
#include "core/estimate/estimate.h"
#include "core/explain/live.h"
#include "core/plan/param.h"
#include "core/search/diff_text.h"
#include "src/report/data.h"
#include "src/report/format.h"
#include "src/report/report.h"
#include "src/text/json_out.h"
#include "src/text/text.h"
#include "src/text/version.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is explained: a figure, or a key of the plan (-1: none). */
struct opened {
    const struct plan *plan;
    const struct estimate *estimate;
    int key;
};

/* ---- what is open ----------------------------------------------------------------------------------------------- */

/* Paths in the order in which they were met: each value opens once, however many formulas use it. */
struct met {
    char (*path)[EXPLAIN_PATH_MAX];
    size_t count;
};

/* Remembers a path; false when it was met before. */
static bool meet(struct met *met, const char *path)
{
    for (size_t i = 0; i < met->count; i++)
        if (strcmp(met->path[i], path) == 0)
            return false;
    met->path = xrealloc(met->path, (met->count + 1) * sizeof *met->path);
    snprintf(met->path[met->count++], sizeof *met->path, "%s", path);
    return true;
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

/* A value with its unit as people write it, and exactly. */
static void print_value(struct buffer *out, double value, const char *unit)
{
    bool is_bytes = strcmp(unit, "bytes") == 0, is_seconds = strcmp(unit, "s") == 0;
    char exact[48];
    snprintf(exact, sizeof exact, "%.10g", value);
    if (!isfinite(value))
        buffer_puts(out, "n/a");
    else if (is_bytes && fabs(value) >= 1024)
        buffer_printf(out, "%s (%s bytes)", cell_bytes(value).text, cell_count(value).text);
    else if (strcmp(unit, "share") == 0)
        buffer_printf(out, "%.4g %% (%s)", 100 * value, exact);
    else if (is_seconds && value != 0)
        buffer_printf(out, "%s (%s s)", cell_seconds(value).text, exact);
    else
        buffer_printf(out, "%s%s%s", value == round(value) ? cell_count(value).text : exact, unit[0] ? " " : "", unit);
}

static void print_input(struct buffer *out, const struct explain_input *input)
{
    struct buffer value = {0};
    print_value(&value, input->value, input->unit);
    buffer_printf(out, "  %-22s = %-36s %s", input->name, value.text, input->label);
    if (input->is_key)
        buffer_printf(out, " (key %s)", input->path);
    buffer_puts(out, "\n");
    buffer_free(&value);
}

static void print_part(struct buffer *out, const char *name, const char *text)
{
    if (text && text[0])
        buffer_printf(out, "%s\n  %s\n", name, text);
}

/* The 80 % range, and what makes it as wide. */
static void print_range(struct buffer *out, const struct explanation *e)
{
    if (!isfinite(e->range.low) || !isfinite(e->value) || e->value == 0)
        return;
    buffer_puts(out, "80 % range\n  ");
    print_value(out, e->range.low, e->unit);
    buffer_puts(out, " to ");
    print_value(out, e->range.high, e->unit);
    buffer_printf(out, "%s\n", e->is_unseen ? ", wide: no measured run is like this plan" : "");
    buffer_printf(out, "why %+.1f %% to %+.1f %%\n", 100 * (e->range.low / e->value - 1),
                  100 * (e->range.high / e->value - 1));
    for (int i = 0; i < e->reasons; i++) {
        const struct range_reason *reason = &e->reason[i];
        char share[24] = "";
        if (!isnan(reason->share))
            snprintf(share, sizeof share, "%.1f %% of the time", 100 * reason->share);
        buffer_printf(out, "  %-52s %-20s alone %+.1f %% to %+.1f %%\n", reason->label, share, 100 * reason->low,
                      100 * reason->high);
        if (reason->remedy && reason->remedy[0])
            buffer_printf(out, "    sigma %.3f, widens x%.2g; removed by %s\n", reason->sigma, reason->widens,
                          reason->remedy);
    }
}

static void print_explanation(struct buffer *out, const struct estimate *estimate, const struct explanation *e)
{
    const struct diag *doubt = finding_doubts(&estimate->diags, e->path);
    buffer_printf(out, "%s: %s\n  ", e->path, e->label);
    print_value(out, e->value, e->unit);
    buffer_puts(out, "\n");
    print_part(out, "formula", e->formula);
    print_part(out, "with values", e->substituted);
    if (e->inputs > 0)
        buffer_puts(out, "where\n");
    for (int i = 0; i < e->inputs; i++)
        print_input(out, &e->input[i]);
    print_range(out, e);
    print_part(out, "source", e->source);
    print_part(out, "basis", basis_names[explain_basis(estimate, e)]);
    print_part(out, "not included", e->not_included);
    print_part(out, "doubted", doubt ? finding_text(doubt).text : "");
}

/* The value; with `full` also its inputs, theirs and so on down to keys of the plan. */
static void explain_text(struct buffer *out, const struct estimate *estimate, struct explanation *e, bool full)
{
    struct met met = {0};
    meet(&met, e->path);
    print_explanation(out, estimate, e);
    for (size_t next = 1; full; next++) {
        for (int i = 0; i < e->inputs; i++)
            if (!e->input[i].is_key && e->input[i].path[0])
                meet(&met, e->input[i].path);
        if (next == met.count)
            break;
        buffer_puts(out, "\n");
        if (explain_value(estimate, met.path[next], e) == 0)
            print_explanation(out, estimate, e);
    }
    free(met.path);
}

typedef void each_value_fn(void *to, enum param id, double value, const struct plan_diff *diff);

/* Calls `each` with what each other value of a switch or a choice would give. */
static void each_value(const struct opened *opened, each_value_fn *each, void *to)
{
    struct estimate *scratch = xmalloc(sizeof *scratch);
    struct plan_diff *diff = xmalloc(sizeof *diff);
    for (int value = 0; opened->key >= 0 && value < plan_diff_values((enum param)opened->key); value++)
        if (value != opened->estimate->plan.value[opened->key]) {
            plan_diff_value(opened->plan, opened->estimate, (enum param)opened->key, value, scratch, diff);
            each(to, (enum param)opened->key, value, diff);
        }
    free(diff);
    free(scratch);
}

static void print_one(void *out, enum param id, double value, const struct plan_diff *diff)
{
    static const struct diff_units units = {figure, figure_delta};
    char lines[DIFF_VALUE_MAX];
    diff_text_value(diff, id, value, &units, lines);
    buffer_puts(out, lines);
}

static void print_values(struct buffer *out, const struct opened *opened)
{
    if (opened->key >= 0 && plan_diff_values((enum param)opened->key) > 0)
        buffer_puts(out, "other values\n");
    each_value(opened, print_one, out);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

#define SHAPES "src/report/explain.def"
#include "src/text/json_writers.def"

static void write_value(void *json, enum param id, double value, const struct plan_diff *diff)
{
    PUT(other_value, NULL, id, value, diff);
}

#include "src/text/json_writers.def"

static void explain_json(struct buffer *out, const struct opened *opened, const struct explanation *e)
{
    struct json writer = {.out = out, .lines = 2}, *json = &writer;
    struct met met = {0};
    meet(&met, e->path);
    PUT(explanation, NULL, opened, e, &met);
    buffer_puts(out, "\n");
    free(met.path);
}

/* The key that parallel.tp, or plan.parallel.tp.value as answers have it, is; -1 for a figure. */
static int key_of(const char *path)
{
    static const char head[] = "plan.", tail[] = ".value";
    char name[EXPLAIN_PATH_MAX];
    bool is_answer = strncmp(path, head, sizeof head - 1) == 0;
    snprintf(name, sizeof name, "%s", path + (is_answer ? sizeof head - 1 : 0));
    size_t n = strlen(name), end = sizeof tail - 1;
    if (is_answer && n > end && strcmp(name + n - end, tail) == 0)
        name[n - end] = '\0';
    return strchr(name, '.') ? param_find(name) : -1;
}

int report_explain(struct buffer *out, const struct plan *plan, const struct estimate *estimate, const char *path,
                   bool json, bool full)
{
    struct explanation *explanation = xmalloc(sizeof *explanation);
    struct opened opened = {plan, estimate, key_of(path)};
    int found = opened.key >= 0 ? 0 : explain_value(estimate, path, explanation);
    if (found != 0)
        opened.key = param_find_alias(path);
    if (opened.key >= 0) {
        explain_key(estimate, (enum param)opened.key, explanation);
        found = 0;
    }
    if (found == 0 && json)
        explain_json(out, &opened, explanation);
    else if (found == 0)
        explain_text(out, estimate, explanation, full);
    if (!json)
        print_values(out, &opened);
    free(explanation);
    return found;
}
