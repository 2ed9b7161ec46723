/* src/report/unknown.c - whose an estimate is, and why it does not know a number. */
#include "core/estimate/estimate.h"
#include "core/plan/framework.h"
#include "core/plan/param.h"
#include "src/report/text.h"

#include <stdio.h>

const char *report_framework(const struct estimate *estimate)
{
    return frameworks[(int)estimate->plan.value[PARAM_framework_name]].name;
}

const struct diag *report_first_error(const struct estimate *e)
{
    for (int i = 0; i < e->diags.count; i++)
        if (e->diags.item[i].level == DIAG_ERROR)
            return &e->diags.item[i];
    return NULL;
}

const char *report_why_unknown(const struct estimate *e, const char *key, char *out, size_t size)
{
    const struct diag *fault = report_first_error(e);
    int id = key ? param_find(key) : -1;
    if (!e->is_computed && fault)
        snprintf(out, size, "%s %s", param_rows[fault->param].dotted, finding_text(fault).text);
    else if (!e->is_modelled)
        snprintf(out, size, "%s with these settings is not modelled yet (see the findings)", report_framework(e));
    else if (id >= 0 && param_blank(&e->plan, (enum param)id))
        snprintf(out, size, "%s is unknown", key);
    else
        snprintf(out, size, "a required number is unknown (see the findings)");
    return out;
}
