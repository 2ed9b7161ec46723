#include "core/plan/finding.h"

#include "core/plan/param.h"
#include "core/plan/rule.h"
#include "core/plan/step.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const diag_level_names[] = {"error", "warning", "note"};

/* ---- sentences -------------------------------------------------------------------------------------------------- */

static const char framework_name[] = "framework";

/* The next {name} of a sentence, without its braces; NULL for none. */
static const char *next_name(const char *p, size_t *length)
{
    const char *open = strchr(p, '{'), *close = open ? strchr(open, '}') : NULL;
    *length = close ? (size_t)(close - open - 1) : 0;
    return close ? open + 1 : NULL;
}

static bool is_framework(const char *name, size_t length)
{
    return length == strlen(framework_name) && memcmp(name, framework_name, length) == 0;
}

void finding_fill(struct diag *diag, double (*find)(const char *, size_t, const void *), const void *context)
{
    size_t length;
    int count = 0;
    for (const char *name = diag->sentence; (name = next_name(name, &length)) && count < DIAG_NUMBERS_MAX;)
        if (!is_framework(name, length))
            diag->number[count++] = find(name, length, context);
}

__attribute__((format(printf, 2, 3))) static void append(struct finding_text *out, const char *format, ...)
{
    size_t used = strlen(out->text);
    va_list args;
    va_start(args, format);
    vsnprintf(out->text + used, sizeof out->text - used, format, args);
    va_end(args);
}

static void append_sentence(struct finding_text *out, const struct diag *diag)
{
    const char *rest = diag->sentence, *name;
    size_t length;
    for (int at = 0; (name = next_name(rest, &length)) && at < DIAG_NUMBERS_MAX; rest = name + length + 1) {
        append(out, "%.*s", (int)(name - 1 - rest), rest);
        if (is_framework(name, length))
            append(out, "%s", diag->name);
        else
            append(out, "%.*g", diag->digits, diag->number[at++]);
        static const char many[] = " GPUs";
        bool is_one = !is_framework(name, length) && diag->number[at - 1] == 1;
        if (is_one && strncmp(name + length + 1, many, strlen(many)) == 0) {
            append(out, " GPU");
            length += strlen(many);
        }
    }
    append(out, "%s", rest);
}

struct finding_text finding_text(const struct diag *diag)
{
    struct finding_text out = {""};
#ifdef MESSAGES_AS_IDS
    append(&out, "%s", diag->rule);
    if (false)
#endif
        append_sentence(&out, diag);
    bool is_all = diag->valid_kind == DIAG_VALID_ALL;
    for (int i = 0; i < diag->valid_count; i++)
        append(&out, "%s%.10g", i ? is_all ? " " : ", " : is_all ? "; works: " : "; nearest that work: ",
               diag->valid[i]);
    return out;
}

/* ---- lists ------------------------------------------------------------------------------------------------------ */

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

/* Lists the values that work: all for sizes of the layout, else the nearest below and above. */
static void list_valid(const struct plan *plan, struct diag *diag)
{
    enum { LISTED = 9 };
    enum param id = (enum param)diag->param;
    double values[LISTED];
    if (!param_type(id)->is_number || !param_type(id)->is_counted)
        return;
    if (param_rows[id].step == STEP_UNIT) {
        int count = param_valid(plan, id, values, LISTED);
        int first = count > 1 && param_follows(plan, id, values[0]); /* dp 0 stands for one of the others */
        for (int i = first; i < count; i++)
            diag->valid[diag->valid_count++] = values[i];
        diag->valid_kind = diag->valid_count > 0 ? DIAG_VALID_ALL : DIAG_VALID_UNKNOWN;
        return;
    }
    for (int direction = -1; direction <= 1; direction += 2) {
        struct plan other = *plan;
        if (param_step(&other, id, direction) == 0)
            diag->valid[diag->valid_count++] = other.value[id];
    }
    diag->valid_kind = diag->valid_count > 0 ? DIAG_VALID_NEAREST : DIAG_VALID_UNKNOWN;
}

/* The first of `count` findings about the same key that lists values, or NULL. */
static const struct diag *find_earlier(const struct diags *diags, int count, int param)
{
    for (int i = 0; i < count; i++)
        if (diags->item[i].param == param && diags->item[i].valid_count > 0)
            return &diags->item[i];
    return NULL;
}

void findings_of(const struct plan *plan, const struct plan *resolved, const struct symbols *symbols,
                 struct diags *diags)
{
    rule_check(resolved, symbols, diags);
    for (int i = 0; i < diags->errors; i++) {
        struct diag *diag = &diags->item[i];
        const struct diag *earlier = find_earlier(diags, i, diag->param);
        if (earlier && !diag->is_missing) {
            diag->valid_kind = earlier->valid_kind;
            diag->valid_count = earlier->valid_count;
            memcpy(diag->valid, earlier->valid, sizeof diag->valid);
        } else if (!diag->is_missing) {
            list_valid(plan, diag);
        }
    }
}
