#include "core/plan/finding.h"

#include "core/plan/param.h"
#include "core/plan/rule.h"
#include "core/plan/step.h"

#include <stdio.h>
#include <string.h>

const char *const diag_level_names[] = {"error", "warning", "note"};

/* Adds the values that work: a short list for sizes of the layout, else the nearest below and above. */
static void add_working_values(const struct plan *plan, enum param id, char *out, size_t size)
{
    enum { LIST = 9 };
    double values[LIST];
    size_t used = strlen(out);
    if (!param_type(id)->is_number || !param_type(id)->is_counted)
        return;
    if (param_rows[id].step == STEP_UNIT) {
        int count = param_valid(plan, id, values, LIST);
        for (int i = 0; i < count && used < size; i++)
            used += (size_t)snprintf(out + used, size - used, "%s%.10g", i ? " " : "; works: ", values[i]);
        return;
    }
    bool is_first = true;
    for (int direction = -1; direction <= 1; direction += 2) {
        struct plan other = *plan;
        if (param_step(&other, id, direction) == 0 && used < size) {
            used += (size_t)snprintf(out + used, size - used, "%s%.10g", is_first ? "; nearest that work: " : ", ", other.value[id]);
            is_first = false;
        }
    }
}

/* The values that work as one of the first `count` findings about the same key has them, or NULL. */
static const char *values_of_earlier(const struct diags *diags, int count, int param)
{
    for (int i = 0; i < count; i++) {
        const char *values = diags->item[i].param == param ? strstr(diags->item[i].message, "; works: ") : NULL;
        if (!values && diags->item[i].param == param)
            values = strstr(diags->item[i].message, "; nearest that work: ");
        if (values)
            return values;
    }
    return NULL;
}

void findings_of(const struct plan *plan, const struct plan *resolved, struct diags *diags)
{
    rule_check(resolved, diags);
    for (int i = 0; i < diags->errors; i++) {
        struct diag *diag = &diags->item[i];
        const char *values = values_of_earlier(diags, i, diag->param);
        size_t used = strlen(diag->message);
        if (values && !diag->is_missing)
            snprintf(diag->message + used, sizeof diag->message - used, "%s", values);
        else if (!diag->is_missing)
            add_working_values(plan, (enum param)diag->param, diag->message, sizeof diag->message);
    }
}
