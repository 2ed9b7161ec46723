#include "src/plan/save.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "src/plan/left_open.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/json_out.h"
#include "src/text/spans.h"
#include "src/text/splice.h"
#include "src/text/text.h"
#include "src/text/yaml.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text that becomes the wanted plan, one key at a time; it is read again after every change. */
struct editor {
    const struct plan *wanted;
    const struct questions *open; /* what its inputs left open; may be NULL */
    struct plan now; /* what the text reads as */
    struct buffer text;
    bool is_json;
};

/* A change of one key in a text; false where it cannot be made. */
typedef bool change(const struct editor *editor, const struct spans *spans, enum param id, struct buffer *text);

static int read_text(const struct buffer *text, struct plan *plan)
{
    struct errors errors = {0};
    plan_clear(plan);
    int result = plan_read(plan, text->text, text->size, "", NULL, &errors);
    plan_finish(plan);
    errors_free(&errors);
    return result;
}

static int count_differences(const struct plan *a, const struct plan *b)
{
    int count = 0;
    for (int i = 0; i < PARAM_COUNT; i++)
        count += !param_equal(a, b, (enum param)i);
    return count;
}

/* ---- places in the text --------------------------------------------------------------------------------------- */

static int key_of(const struct span *span)
{
    return strcmp(span->path, "framework") == 0 ? PARAM_framework_name : param_find(span->path);
}

static bool is_preset_name(const struct span *span)
{
    return !span->is_mapping && strcmp(span->path, "model") == 0;
}

/* The setting of a key, NULL when the text has none. */
static const struct span *find_setting(const struct spans *spans, enum param id)
{
    for (size_t i = 1; i < spans->count; i++)
        if (!spans->item[i].is_mapping && key_of(&spans->item[i]) == (int)id)
            return &spans->item[i];
    return NULL;
}

static int find_path(const struct spans *spans, const char *path)
{
    for (size_t i = 1; i < spans->count; i++)
        if (strcmp(spans->item[i].path, path) == 0)
            return (int)i;
    return -1;
}

/* The last setting at the top that belongs to a group: `model: NAME`, `parallel.tp: 4`, `tp: 4`. */
static int last_of_group(const struct spans *spans, enum param_group group)
{
    for (int i = (int)spans->count - 1; i > 0; i--) {
        const struct span *span = &spans->item[i];
        int id = key_of(span);
        bool is_member = is_preset_name(span) ? group == GROUP_model : id >= 0 && param_rows[id].group_id == group;
        if (span->parent == 0 && !span->is_mapping && is_member && group != GROUP_plan)
            return i;
    }
    return -1;
}

/* ---- words ---------------------------------------------------------------------------------------------------- */

/* The wanted value as the text's language writes it. */
static void put_value(const struct editor *editor, enum param id, struct buffer *out)
{
    char text[PARAM_TEXT_MAX];
    enum param_type_id type = param_rows[id].type;
    param_print(editor->wanted, id, text, sizeof text);
    bool is_bare = type == TYPE_INT || type == TYPE_REAL || type == TYPE_BOOL;
    if (!*text)
        buffer_puts(out, editor->is_json || type == TYPE_NAME ? "null" : "auto");
    else if (editor->is_json && !is_bare)
        json_text(&(struct json){.out = out}, NULL, text);
    else if (type == TYPE_NAME || type == TYPE_PATTERN)
        yaml_scalar(out, text);
    else
        buffer_puts(out, text);
}

/* `key:`, with quotes in JSON. */
static void put_key(const struct editor *editor, const char *key, struct buffer *out)
{
    buffer_printf(out, editor->is_json ? "\"%s\":" : "%s:", key);
}

/* ---- changes -------------------------------------------------------------------------------------------------- */

/* Puts the wanted value in the place of a setting's. */
static bool put_at(const struct editor *editor, const struct span *span, enum param id, struct buffer *text)
{
    struct buffer value = {0};
    put_value(editor, id, &value);
    bool is_put = splice_value(text, span, value.text);
    buffer_free(&value);
    return is_put;
}

static bool replace_value(const struct editor *editor, const struct spans *spans, enum param id, struct buffer *text)
{
    const struct span *span = find_setting(spans, id);
    return span && put_at(editor, span, id, text);
}

/* Takes the line of a setting away; what is remarked in it stays. */
static bool remove_span(const struct spans *spans, const struct span *span, struct buffer *text)
{
    if (span && spans->item[span->parent].is_flow)
        return splice_leave(span, text);
    if (!span || !splice_begins_line(text, span->key))
        return false;
    size_t begin = splice_line_begin(text, span->key), end = splice_line_end(text, span->value_end);
    size_t comment = span->value_end + strspn(text->text + span->value_end, " \t");
    if (memchr(text->text + span->key, '#', span->value_end - span->key))
        return false;
    if (text->text[comment] == '#') {
        splice_text(text, span->key, comment, "");
        return true;
    }
    end += text->text[end] == '\r';
    end += text->text[end] == '\n';
    splice_text(text, begin, end, "");
    return comment <= end;
}

static bool remove_line(const struct editor *editor, const struct spans *spans, enum param id, struct buffer *text)
{
    (void)editor;
    return remove_span(spans, find_setting(spans, id), text);
}

/* Adds a group with one member at the end. */
static bool add_group(const struct editor *editor, const struct spans *spans, const char *group, const char *what,
                      struct buffer *text)
{
    struct buffer more = {0};
    bool has_gaps = strstr(text->text, "\n\n") != NULL, is_flow = spans->item[0].is_flow;
    buffer_puts(&more, has_gaps && !is_flow ? "\n" : "");
    put_key(editor, group, &more);
    if (is_flow)
        buffer_printf(&more, " {%s}", what);
    else
        buffer_printf(&more, "%s  %s", splice_break(text), what);
    bool is_added = splice_member(spans, 0, spans->item[0].last, more.text, text);
    buffer_free(&more);
    return is_added;
}

/* Adds a key to its group, beside others of it at the top, or with a group of its own. */
static bool add_key(const struct editor *editor, const struct spans *spans, enum param id, struct buffer *text)
{
    const struct param_row *row = &param_rows[id];
    int group = row->group_id == GROUP_plan ? 0 : find_path(spans, row->group);
    int beside = last_of_group(spans, row->group_id);
    bool is_inside = group >= 0 && !is_preset_name(&spans->item[group]), is_added;
    struct buffer what = {0};
    put_key(editor, is_inside || beside < 0 ? row->key : row->dotted, &what);
    buffer_puts(&what, " ");
    put_value(editor, id, &what);
    if (is_inside && spans->item[group].is_mapping)
        is_added = splice_member(spans, group, spans->item[group].last, what.text, text);
    else if (is_inside)
        is_added = splice_first(&spans->item[group], what.text, text);
    else if (beside >= 0)
        is_added = splice_member(spans, 0, beside, what.text, text);
    else
        is_added = add_group(editor, spans, row->group, what.text, text);
    buffer_free(&what);
    return is_added;
}

/* Names the model's preset, `model: NAME`, where the text names one or has no model. */
static bool name_model(const struct editor *editor, const struct spans *spans, enum param id, struct buffer *text)
{
    int at = find_path(spans, "model");
    if (at >= 0)
        return !spans->item[at].is_mapping && put_at(editor, &spans->item[at], id, text);
    struct buffer what = {0};
    put_key(editor, "model", &what);
    buffer_puts(&what, " ");
    put_value(editor, id, &what);
    bool is_added = splice_member(spans, 0, spans->item[0].last, what.text, text);
    buffer_free(&what);
    return is_added;
}

/* ---- what is open ----------------------------------------------------------------------------------------------- */

/* The key that a setting says to be open; -1 for any other setting. */
static int open_key_of(const struct span *span, enum left_open group)
{
    size_t n = strlen(left_open_names[group]);
    bool is_member = strncmp(span->path, left_open_names[group], n) == 0 && span->path[n] == '.' && !span->is_mapping;
    return is_member ? param_find(span->path + n + 1) : -1;
}

static const struct span *find_open(const struct spans *spans, enum left_open group, enum param id)
{
    for (size_t i = 1; i < spans->count; i++)
        if (open_key_of(&spans->item[i], group) == (int)id)
            return &spans->item[i];
    return NULL;
}

/* The first setting of the groups that is no longer so, or a group that holds nothing; NULL for none. */
static const struct span *find_answered(const struct editor *editor, const struct spans *spans)
{
    for (size_t i = 1; i < spans->count; i++)
        for (int group = 0; group < LEFT_KINDS; group++) {
            const struct span *span = &spans->item[i];
            int id = open_key_of(span, (enum left_open)group);
            bool is_empty = strcmp(span->path, left_open_names[group]) == 0 && span->last < 0;
            if (is_empty || (id >= 0 && !left_open_still(editor->wanted, (enum left_open)group, (enum param)id)))
                return span;
        }
    return NULL;
}

/* Says in its group that a key is open. */
static bool add_open(const struct editor *editor, const struct spans *spans, enum left_open group, enum param id,
                     const char *decides, struct buffer *text)
{
    int at = find_path(spans, left_open_names[group]);
    struct buffer what = {0};
    bool is_added = false;
    put_key(editor, param_rows[id].dotted, &what);
    buffer_puts(&what, " ");
    if (editor->is_json)
        json_text(&(struct json){.out = &what}, NULL, decides);
    else if (*decides)
        yaml_scalar(&what, decides);
    if (at < 0)
        is_added = add_group(editor, spans, left_open_names[group], what.text, text);
    else if (spans->item[at].is_mapping)
        is_added = splice_member(spans, at, spans->item[at].last, what.text, text);
    buffer_free(&what);
    return is_added;
}

/* Makes one change of the groups. Returns whether one was due; `*is_made` becomes false where it cannot be made. */
static bool edit_open(struct editor *editor, bool *is_made)
{
    struct spans spans = {0};
    bool is_due = false;
    *is_made = spans_read(editor->text.text, editor->text.size, &spans) == 0;
    const struct span *answered = *is_made ? find_answered(editor, &spans) : NULL;
    if (answered) {
        is_due = true;
        *is_made = remove_span(&spans, answered, &editor->text);
    }
    for (int i = 0; *is_made && i < PARAM_COUNT && !is_due; i++) {
        char decides[LEFT_TEXT_MAX];
        enum left_open group = left_open_of(editor->wanted, editor->open, (enum param)i, decides);
        is_due = group != LEFT_KINDS && !find_open(&spans, group, (enum param)i);
        if (is_due)
            *is_made = add_open(editor, &spans, group, (enum param)i, decides, &editor->text);
    }
    spans_free(&spans);
    return is_due;
}

/* Takes keys that were given since out of the list of defaults. Returns as edit_groups(). */
static int edit_defaults(struct editor *editor)
{
    struct spans spans = {0};
    struct buffer old = {0}, list = {0};
    int all = left_open_defaults(&old, &editor->now, &editor->now, editor->is_json),
        left = left_open_defaults(&list, &editor->now, editor->wanted, editor->is_json);
    bool is_due = left < all && spans_read(editor->text.text, editor->text.size, &spans) == 0, is_made = false;
    int at = is_due ? find_path(&spans, RECOGNISE_DEFAULTS) : -1;
    if (at >= 0 && left > 0)
        is_made = splice_value(&editor->text, &spans.item[at], list.text);
    else if (at >= 0)
        is_made = remove_span(&spans, &spans.item[at], &editor->text);
    spans_free(&spans);
    buffer_free(&old);
    buffer_free(&list);
    return at < 0 ? 0 : is_made ? 1 : -1;
}

/* Makes the groups of what is open say what is. Returns how many lines were changed, -1 where they cannot be. */
static int edit_groups(struct editor *editor)
{
    int changed = edit_defaults(editor);
    bool is_made = changed >= 0;
    while (is_made && changed <= 2 * PARAM_COUNT && edit_open(editor, &is_made))
        changed++;
    return is_made && read_text(&editor->text, &editor->now) == 0 && plan_equal(&editor->now, editor->wanted) ? changed
                                                                                                              : -1;
}

/* ---- editing -------------------------------------------------------------------------------------------------- */

/* Tries a change in a copy of the text. Returns how many keys then differ from the wanted plan, INT_MAX for no plan. */
static int try_change(const struct editor *editor, change *make, enum param id, struct editor *result)
{
    struct spans spans = {0};
    *result = (struct editor){.wanted = editor->wanted, .open = editor->open, .is_json = editor->is_json};
    buffer_add(&result->text, editor->text.text, editor->text.size);
    bool is_made = spans_read(result->text.text, result->text.size, &spans) == 0 &&
                   make(editor, &spans, id, &result->text) && read_text(&result->text, &result->now) == 0 &&
                   param_equal(&result->now, editor->wanted, id);
    spans_free(&spans);
    return is_made ? count_differences(&result->now, editor->wanted) : INT_MAX;
}

/* Makes the change of a key after which the fewest keys differ, the first of several. Returns false when none works. */
static bool change_key(struct editor *editor, enum param id)
{
    static change *const ways[] = {remove_line, replace_value, add_key, name_model};
    bool is_given = !param_blank(editor->wanted, id) && editor->wanted->from[id] >= FROM_FILE;
    struct editor best = {0};
    int least = INT_MAX;
    for (size_t i = 0; i < LENGTH(ways); i++) {
        struct editor next;
        bool is_idle = (ways[i] == remove_line && is_given) || (ways[i] == name_model && id != PARAM_model_name);
        if (is_idle)
            continue;
        int differ = try_change(editor, ways[i], id, &next);
        struct editor *worse = differ < least ? &best : &next;
        buffer_free(&worse->text);
        if (differ < least) {
            best = next;
            least = differ;
        }
    }
    if (least == INT_MAX)
        return false;
    buffer_free(&editor->text);
    *editor = best;
    return true;
}

/* Changes keys until the text reads as the wanted plan. Returns how many were changed, -1 when it never does. */
static int edit(struct editor *editor)
{
    static const enum param presets[] = {PARAM_model_name, PARAM_plan_cluster, PARAM_hardware_gpu};
    enum { NAMES = LENGTH(presets), ROUNDS = 3 };
    int changed = 0;
    for (int round = 0; round < ROUNDS && !plan_equal(&editor->now, editor->wanted); round++)
        for (int i = 0; i < NAMES + PARAM_COUNT; i++) {
            enum param id = i < NAMES ? presets[i] : (enum param)(i - NAMES);
            if (param_equal(&editor->now, editor->wanted, id))
                continue;
            if (!change_key(editor, id))
                return -1;
            changed++;
        }
    return plan_equal(&editor->now, editor->wanted) ? changed : -1;
}

int plan_edit(const struct plan *plan, const struct questions *open, const char *text, size_t size, struct buffer *out)
{
    enum plan_kind kind = plan_recognise(text, size);
    struct editor editor = {.wanted = plan, .open = open, .is_json = kind == KIND_JSON};
    int changed = -1;
    buffer_add(&editor.text, text, size);
    if ((kind == KIND_YAML || kind == KIND_JSON) && size <= EDIT_TEXT_MAX && read_text(&editor.text, &editor.now) == 0)
        changed = edit(&editor);
    int groups = changed >= 0 ? edit_groups(&editor) : 0;
    changed = groups < 0 ? -1 : changed + groups;
    if (changed >= 0)
        buffer_add(out, editor.text.text, editor.text.size);
    buffer_free(&editor.text);
    return changed;
}
