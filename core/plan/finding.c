#include "core/plan/finding.h"

#include "core/plan/param.h"
#include "core/plan/rule.h"
#include "core/plan/step.h"

#include <stdio.h>
#include <string.h>

const char *const diag_level_names[] = {"error", "warning", "note"};

void finding_fill(const char *message, bool (*print)(const char *, size_t, const void *, char[FINDING_VALUE_MAX]),
                  const void *context, char *out, size_t size)
{
    size_t used = 0;
    for (const char *p = message; *p && used + 1 < size;) {
        const char *end = *p == '{' ? strchr(p, '}') : NULL;
        char text[FINDING_VALUE_MAX];
        if (end && print(p + 1, (size_t)(end - p - 1), context, text)) {
            size_t n = strlen(text);
            n = n < size - 1 - used ? n : size - 1 - used;
            memcpy(out + used, text, n);
            used += n;
            p = end + 1;
        } else {
            out[used++] = *p++;
        }
    }
    out[used] = '\0';
}

void finding_add(struct diags *diags, const struct diag *diag)
{
    int at = diags->count;
    if (diags->count == DIAG_MAX)
        return;
    for (; at > 0 && diags->item[at - 1].level > diag->level; at--)
        diags->item[at] = diags->item[at - 1];
    diags->item[at] = *diag;
    diags->count++;
    diags->errors += diag->level == DIAG_ERROR;
    diags->warnings += diag->level == DIAG_WARNING;
}

/* True when `path` is one of the words of `list`. */
static bool has_word(const char *list, const char *path)
{
    size_t n = strlen(path);
    for (const char *at = list; at && (at = strstr(at, path)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

const struct diag *finding_doubts(const struct diags *diags, const char *path)
{
    for (int i = 0; i < diags->count; i++)
        if (has_word(diags->item[i].doubts, path))
            return &diags->item[i];
    return NULL;
}

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
        int first = count > 1 && param_follows(plan, id, values[0]); /* dp 0 stands for one of the others */
        for (int i = first; i < count && used < size; i++)
            used += (size_t)snprintf(out + used, size - used, "%s%.10g", i > first ? " " : "; works: ", values[i]);
        return;
    }
    bool is_first = true;
    for (int direction = -1; direction <= 1; direction += 2) {
        struct plan other = *plan;
        if (param_step(&other, id, direction) == 0 && used < size) {
            used += (size_t)snprintf(out + used, size - used, "%s%.10g", is_first ? "; nearest that work: " : ", ",
                                     other.value[id]);
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

void findings_of(const struct plan *plan, const struct plan *resolved, const struct symbols *symbols,
                 struct diags *diags)
{
    rule_check(resolved, symbols, diags);
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
