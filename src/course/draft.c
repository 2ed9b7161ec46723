#include "src/course/draft.h"

#include "src/course/lesson.h"
#include "src/course/outcome.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/node.h"
#include "src/text/text.h"
#include "src/text/yaml.h"

#include <stdlib.h>
#include <string.h>

/* ---- settings ---------------------------------------------------------------------------------------------------- */

static void flatten(const struct node *mapping, const char *group, struct keyvals *out)
{
    for (const struct node *child = mapping->child; child; child = child->next) {
        char *key = *group ? xasprintf("%s.%s", group, child->key) : xstrdup(child->key);
        if (child->kind == NODE_MAPPING) {
            flatten(child, key, out);
        } else {
            char *value = lesson_value_text(child);
            keyvals_add(out, key, value, 0);
            free(value);
        }
        free(key);
    }
}

void draft_settings(const struct plan *plan, struct keyvals *out)
{
    static const struct node_limits limits = {20000, 20000, "", ""};
    struct errors errors = {0};
    struct node_parse parse = {.limits = &limits, .file = "", .errors = &errors};
    struct buffer text = {0};
    plan_emit(&text, plan, NULL, NULL);
    struct node *root = yaml_parse(text.text, text.size, &parse, NULL);
    if (root)
        flatten(root, "", out);
    node_free(root);
    buffer_free(&text);
    errors_free(&errors);
}

/* `{key: value, ...}`; a blank value is null. */
static void put_settings(struct buffer *out, const struct keyvals *list)
{
    buffer_puts(out, "{");
    for (size_t i = 0; i < list->count; i++) {
        const char *value = list->item[i].value;
        buffer_printf(out, "%s%s: ", i ? ", " : "", list->item[i].key);
        bool is_word =
            value[strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-")] == '\0';
        if (is_word || *value == '[')
            buffer_puts(out, *value ? value : "null");
        else
            yaml_scalar(out, value);
    }
    buffer_puts(out, "}");
}

bool draft_difference(const struct keyvals *before, const struct keyvals *after, struct keyvals *out)
{
    bool is_said = true;
    for (size_t i = 0; i < after->count; i++) {
        const struct keyval *old = keyvals_last(before, after->item[i].key);
        if (!old || strcmp(old->value, after->item[i].value) != 0)
            keyvals_add(out, after->item[i].key, after->item[i].value, 0);
    }
    for (size_t i = 0; i < before->count; i++)
        if (!keyvals_last(after, before->item[i].key)) {
            keyvals_add(out, before->item[i].key, "", 0);
            is_said &= strchr(before->item[i].key, '.') != NULL;
        }
    return is_said;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static const char head[] = "title: What this lesson is about\n"
                           "goal: What the reader can do afterwards.\n"
                           "minutes: 5\n";

static const char tail[] = "take: The takeaway.\n"
                           "sources: [sources of its facts]\n";

static void put_change(struct buffer *out, const struct keyvals *before, const struct keyvals *after)
{
    struct keyvals change = {0};
    bool is_said = draft_difference(before, after, &change);
    buffer_puts(out, is_said ? "  set: " : "  plan: ");
    put_settings(out, is_said ? &change : after);
    buffer_puts(out, "\n");
    keyvals_free(&change);
}

static void put_step(struct buffer *out, const struct plan plans[], int step, const struct keyvals *before,
                     const struct keyvals *now)
{
    struct outcome *outcome = outcome_make(&plans[step]);
    if (step == 0)
        buffer_puts(out, "- id: start\n  view: memory\n");
    else
        buffer_printf(out, "- id: step_%d\n", step + 1);
    if (step > 0)
        put_change(out, before, now);
    if (outcome_errors(outcome) > 0)
        buffer_puts(out, "  invalid: true\n  note: No framework starts this plan.\n");
    else
        buffer_puts(out, "  note: \"{device|GiB} on the fullest GPU, {it|s} an iteration.\"\n");
    outcome_free(outcome);
}

void draft_write(struct buffer *out, const char *name, const struct plan plans[], int count)
{
    struct keyvals now = {0}, before;
    draft_settings(&plans[0], &now);
    buffer_printf(out, "schema: 1\nname: %s\n%splan: ", name, head);
    put_settings(out, &now);
    buffer_puts(out, "\nsteps:\n");
    for (int i = 0; i < count; i++) {
        before = now;
        now = (struct keyvals){0};
        draft_settings(&plans[i], &now);
        put_step(out, plans, i, &before, &now);
        keyvals_free(&before);
    }
    buffer_puts(out, tail);
    keyvals_free(&now);
}
