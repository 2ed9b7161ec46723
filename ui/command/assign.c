#include "ui/command/assign.h"

#include "core/base.h"
#include "core/plan/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { KEY_WORDS_MAX = 4, KEY_TEXT_MAX = 64, GPUS = PARAM_COUNT /* `gpus N` is no key but sets two */ };

/* One assignment of the line. */
struct part {
    int id; /* enum param, or GPUS */
    int at, value_at, value_length;
    char value[FIELD_TEXT_MAX];
};

/* ---- reading words ---------------------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t,");
}

/* The end of the word at `at`; a list in brackets is one word, with the commas of numbers such as 8,192. */
static const char *word_end(const char *at, const char *stop)
{
    for (int depth = 0; *at; at++) {
        depth += (*at == '[') - (*at == ']');
        bool is_in_number = *at == ',' && isdigit((unsigned char)at[1]) && isdigit((unsigned char)at[-1]);
        if (depth <= 0 && !is_in_number && strchr(stop, *at))
            return at;
    }
    return at;
}

/* The key that a name means, GPUS, or -1. */
static int find_key(const char *name)
{
    char joined[KEY_TEXT_MAX];
    snprintf(joined, sizeof joined, "%s", name);
    for (char *p = joined; *p; p++)
        *p = *p == ' ' ? '_' : *p;
    return param_names_gpus(joined) ? GPUS : param_find_alias(joined);
}

/* Where the first words at `at` end, up to four of them; returns how many. */
static int word_ends(const char *at, const char *end[KEY_WORDS_MAX])
{
    int count = 0;
    for (const char *p = at; *p && count < KEY_WORDS_MAX; p += strspn(p, " ")) {
        p = word_end(p, " \t,=:");
        end[count++] = p;
        if (*p != ' ')
            break;
    }
    return count;
}

/* The key of which a preset is meant, with the preset's name. -1 when there is none. */
static int find_preset(const struct ui *ui, const char *word, const char **name)
{
    static const enum param keys[] = {PARAM_model_name, PARAM_hardware_gpu, PARAM_plan_cluster};
    for (size_t i = 0; i < LENGTH(keys); i++)
        if ((*name = ui_preset(ui, keys[i], word)))
            return (int)keys[i];
    return -1;
}

/*
 * The key that the words at `at` mean, the longest name first, or with `preset` the key of the preset that they name;
 * `*length` gets its bytes. -1 when there is none.
 */
static int read_name(const struct ui *ui, const char *at, int *length, const char **preset)
{
    const char *end[KEY_WORDS_MAX];
    for (int count = word_ends(at, end); count-- > 0;) {
        char name[KEY_TEXT_MAX];
        *length = (int)(end[count] - at);
        if (*length >= KEY_TEXT_MAX)
            continue;
        snprintf(name, sizeof name, "%.*s", *length, at);
        int id = preset ? find_preset(ui, name, preset) : find_key(name);
        if (id >= 0)
            return id;
    }
    *length = (int)(word_end(at, " \t,=:") - at);
    return -1;
}

/* ---- reading a line --------------------------------------------------------------------------------------------- */

static enum assign fault(struct assigned *out, int at, int length, const char *why)
{
    snprintf(out->why, sizeof out->why, "%.250s", why);
    out->fault_at = at;
    out->fault_length = length;
    return ASSIGN_FAULT;
}

/* True when the word at `at` belongs to the value before it: a unit, or the rest of an expression. */
static bool goes_on(const struct ui *ui, const struct part *part, const char *value_end, const char *at)
{
    const char *name;
    int length;
    size_t n = (size_t)(word_end(at, " \t,") - at);
    const char *unit = part->id < PARAM_COUNT ? param_rows[part->id].unit : "";
    bool is_step = strchr("+-", value_end[-1]) && value_end[-2] == ' ';
    if (!*at || is_step || memchr(value_end, ',', (size_t)(at - value_end)))
        return false;
    if (strchr("*/", *at) || strchr("*/+-", value_end[-1]) ||
        (*unit && strlen(unit) == n && strncasecmp(at, unit, n) == 0))
        return true;
    const char *next = skip_blanks(at + n); /* one more word may be a unit; two are a name with a slip, and its value */
    bool is_last = !*next || read_name(ui, next, &length, NULL) >= 0;
    return is_last && read_name(ui, at, &length, NULL) < 0 && read_name(ui, at, &length, &name) < 0;
}

/* The value at `at`: a word, and those that go on with it. Returns its end. */
static const char *read_value(const struct ui *ui, const char *line, const char *at, struct part *part)
{
    const char *end = word_end(at, " \t,");
    while (end > at && goes_on(ui, part, end, skip_blanks(end)))
        end = word_end(skip_blanks(end), " \t,");
    part->value_at = (int)(at - line);
    part->value_length = (int)(end - at);
    snprintf(part->value, sizeof part->value, "%.*s", part->value_length, at);
    if (strcasecmp(part->value, "default") == 0)
        part->value[0] = '\0';
    return end;
}

/* A fault of the name at `at`: "tp has no value". */
static enum assign name_fault(const char *line, const char *at, int length, const char *what, struct assigned *out)
{
    char why[UI_MESSAGE_MAX];
    snprintf(why, sizeof why, "%.*s %s", length < KEY_TEXT_MAX ? length : KEY_TEXT_MAX, at, what);
    return fault(out, (int)(at - line), length, why);
}

static enum assign unknown_word(const char *line, const char *at, struct assigned *out)
{
    char word[KEY_TEXT_MAX], why[UI_MESSAGE_MAX];
    int length = (int)(word_end(at, " \t,=:") - at);
    snprintf(word, sizeof word, "%.*s", length, at);
    struct nearest near = {.typed = word};
    param_nearest(&near);
    snprintf(why, sizeof why, near.count ? "'%s' is not a key; did you mean %s?" : "'%s' is not a key; / finds one",
             word, near.name[0]);
    return fault(out, (int)(at - line), length, why);
}

/* Reads the assignment at `*at` and moves on. */
static enum assign read_part(const struct ui *ui, const char *line, const char **at, struct part *part,
                             struct assigned *out)
{
    const char *name = NULL, *p = *at;
    int length;
    part->at = (int)(p - line);
    part->id = read_name(ui, p, &length, NULL);
    const char *after = part->id < 0 ? p : p + length + strspn(p + length, " ");
    bool is_marked = after > p && (*after == '=' || *after == ':');
    after += is_marked;
    after += after > p ? strspn(after, " ") : 0;
    if (part->id >= 0 && *after && *after != ',') {
        *at = read_value(ui, line, after, part);
        return ASSIGN_READ;
    }
    if (part->id >= 0 && is_marked) {
        *at = after;
        return name_fault(line, p, length, "has no value; `default` makes a key blank", out);
    }
    int preset = read_name(ui, p, &length, &name);
    if (preset < 0)
        return part->id < 0 ? unknown_word(line, p, out) : name_fault(line, p, length, "has no value", out);
    part->id = preset;
    part->value_at = part->at;
    part->value_length = length;
    snprintf(part->value, sizeof part->value, "%s", name);
    *at = p + length;
    return ASSIGN_READ;
}

/* ---- setting ---------------------------------------------------------------------------------------------------- */

/* Presets come first, then what stands for itself, then what may name other keys. */
static int turn_of(const struct part *part)
{
    if (part->id < PARAM_COUNT && param_rows[part->id].type == TYPE_NAME)
        return 0;
    bool is_number = part->id < PARAM_COUNT && param_type((enum param)part->id)->is_number;
    return 1 + (is_number && strpbrk(part->value, "abcdefghijklmnopqrstuvwxyz+-/") != NULL);
}

/* `batch_size` alone is serving's; who trains means another key. */
static bool is_ambiguous(const struct ui *ui, const char *line, const struct part *part)
{
    return part->id == PARAM_serve_batch_size && !ui->now->is_serving && strncasecmp(line + part->at, "batch", 5) == 0;
}

static int set_part(const struct ui *ui, const char *line, const struct part *part, struct plan *plan, char *why)
{
    enum param id = (enum param)part->id;
    bool is_step = strcmp(part->value, "+") == 0 || strcmp(part->value, "-") == 0;
    if (part->id == GPUS)
        return param_set_gpus(plan, part->value, (double)NAN, why);
    if (is_ambiguous(ui, line, part)) {
        snprintf(why, UI_MESSAGE_MAX, "could be micro_batch_size or global_batch_size; write one of them");
        return -1;
    }
    if (!is_step)
        return ui_parse(ui, plan, id, part->value, why);
    if (ui_step(ui, plan, id, part->value[0] == '+' ? 1 : -1) == 0)
        return 0;
    snprintf(why, UI_MESSAGE_MAX, "no further value works");
    return -1;
}

static enum assign set_all(const struct ui *ui, const char *line, const struct part *parts, struct assigned *out)
{
    char why[UI_MESSAGE_MAX], text[UI_MESSAGE_MAX + KEY_TEXT_MAX];
    for (int turn = 0; turn < 3; turn++)
        for (int i = 0; i < out->count; i++) {
            const struct part *part = &parts[i];
            if (turn_of(part) != turn || set_part(ui, line, part, &out->plan, why) == 0)
                continue;
            snprintf(text, sizeof text, "%s: %s", part->id == GPUS ? "gpus" : param_rows[part->id].key, why);
            return fault(out, part->value_at, part->value_length, text);
        }
    return ASSIGN_READ;
}

/* The key that an assignment is about; `gpus` is about nodes first. */
static enum param key_of(const struct part *part)
{
    return part->id == GPUS ? PARAM_hardware_nodes : (enum param)part->id;
}

static bool names_key(const struct assigned *assigned, enum param id)
{
    for (int i = 0; i < assigned->count; i++)
        if (assigned->id[i] == id)
            return true;
    return false;
}

enum assign assign_read(const struct ui *ui, const char *line, struct assigned *out)
{
    struct part parts[ASSIGN_MAX];
    char why[UI_MESSAGE_MAX];
    const char *at = skip_blanks(line);
    *out = (struct assigned){.plan = ui->plan};
    if (strncmp(at, "set ", 4) == 0)
        at = skip_blanks(at + 4);
    for (; *at; at = skip_blanks(at)) {
        struct part *part = &parts[out->count];
        if (out->count == ASSIGN_MAX)
            return fault(out, (int)(at - line), (int)strlen(at),
                         "too many settings in one line; set the rest in a second one");
        if (read_part(ui, line, &at, part, out) != ASSIGN_READ)
            return out->count == 0 && !strchr(line, '=') ? ASSIGN_NONE : ASSIGN_FAULT;
        if (names_key(out, key_of(part))) {
            snprintf(why, sizeof why, "%s is set twice", param_rows[key_of(part)].key);
            return fault(out, part->at, part->value_at + part->value_length - part->at, why);
        }
        out->id[out->count++] = key_of(part);
    }
    return out->count ? set_all(ui, line, parts, out) : ASSIGN_NONE;
}

/* ---- saying what it does ---------------------------------------------------------------------------------------- */

/* Appends "tp 4"; a key made blank is said with the value that follows. */
static size_t say_key(const struct plan *plan, const struct plan *resolved, enum param id, char *out, size_t size,
                      size_t used)
{
    char value[FIELD_TEXT_MAX];
    form_value(resolved, id, value);
    used += (size_t)snprintf(out + used, size - used, "%s%s %.40s%s", used ? ", " : "", param_rows[id].key, value,
                             param_blank(plan, id) ? " (default)" : "");
    return used < size ? used : size - 1;
}

/* Appends keys that a preset or a number of GPUs sets beside: three of them, or how many. */
static size_t say_others(const struct ui *ui, const struct assigned *assigned, const struct plan *after, char *out,
                         size_t size, size_t used)
{
    enum { SAID = 3 };
    enum param other[PARAM_COUNT];
    int count = 0;
    for (int id = 0; id < PARAM_COUNT; id++)
        if (!names_key(assigned, (enum param)id) && !param_equal(&ui->plan, &assigned->plan, (enum param)id) &&
            !param_equal(&ui->now->plan, after, (enum param)id))
            other[count++] = (enum param)id;
    for (int i = 0; i < count && count <= SAID; i++)
        used = say_key(&assigned->plan, after, other[i], out, size, used);
    if (count > SAID)
        used += (size_t)snprintf(out + used, size - used, ", %d more", count);
    return used < size ? used : size - 1;
}

void assign_text(const struct ui *ui, const struct assigned *assigned, char *out, size_t size)
{
    static const enum param nodes = PARAM_hardware_nodes, each = PARAM_hardware_gpus_per_node;
    struct plan after;
    size_t used = 0;
    plan_resolve(&assigned->plan, &after);
    for (int i = 0; i < assigned->count; i++)
        used = say_key(&assigned->plan, &after, assigned->id[i], out, size, used);
    used = say_others(ui, assigned, &after, out, size, used);
    double gpus = after.value[nodes] * after.value[each];
    bool is_about_gpus = names_key(assigned, nodes) || names_key(assigned, each) || gpus != ui->now->grid.world;
    if (is_about_gpus && !isnan(gpus))
        snprintf(out + used, size - used, " (%.0f GPU%s)", gpus, gpus == 1 ? "" : "s");
}

/* Whether a value that was assumed is given now, the same maybe. */
static bool confirms(const struct ui *ui, const struct assigned *assigned)
{
    bool is_given = false;
    for (int i = 0; i < assigned->count; i++)
        is_given |= ui_is_answer(ui, &ui->plan, &assigned->plan, assigned->id[i]);
    return is_given;
}

void assign_take(struct ui *ui, const struct assigned *assigned)
{
    if (plan_equal(&assigned->plan, &ui->plan) && !confirms(ui, assigned)) {
        ui_select(ui, assigned->id[0]);
        ui_say(ui, ROLE_TEXT, "%s: nothing changes", param_rows[assigned->id[0]].key);
        return;
    }
    ui_change_keys(ui, &assigned->plan, assigned->id, assigned->count);
    ui_select(ui, assigned->id[0]);
    const char *label = history_at(&ui->history, ui->history.now)->label;
    if (!ui->message[0] && !ui_say_stale(ui, label))
        ui_say(ui, ROLE_TEXT, "%s", label);
}
