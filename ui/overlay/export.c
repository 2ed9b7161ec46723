/* Flags and configurations for a framework, as a text to read, copy or write to a file. */
#include "core/plan/param.h"
#include "ui/command/browse.h"
#include "ui/command/keymap.h"
#include "ui/overlay/overlay.h"
#include "ui/widget/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY(key, id) {MODE_EXPORT, key, ACTION_##id}
static const struct binding own_keys[] = {
    KEY(KEY_ARROW_RIGHT, right), KEY('l', right), KEY(KEY_TAB, right), KEY(KEY_ARROW_LEFT, left), KEY('h', left),
    KEY(KEY_ARROW_UP, up), KEY('k', up), KEY(KEY_ARROW_DOWN, down), KEY('j', down), KEY(KEY_PAGE_UP, page_up),
    KEY(KEY_PAGE_DOWN, page_down), KEY('g', top), KEY(KEY_TO_HOME, top), KEY('G', bottom), KEY(KEY_TO_END, bottom),
    KEY('y', copy), KEY(KEY_RETURN, accept), KEY('s', accept), KEY('q', cancel), KEY('x', cancel),
    KEY(KEY_ESCAPE, cancel), KEY(KEY_CTRL('C'), cancel), KEY(KEY_CTRL('L'), redraw), KEY(KEY_CTRL('Z'), suspend),
    {0},
};

static const struct hint own_hints[] = {
    {MODE_EXPORT, ACTION_copy, ACTION_NONE, "copy", 0},
    {MODE_EXPORT, ACTION_accept, ACTION_NONE, "write to a file", 0},
    {MODE_EXPORT, ACTION_right, ACTION_left, "other formats", 0},
    {MODE_EXPORT, ACTION_down, ACTION_up, "scroll", 0},
    {MODE_EXPORT, ACTION_cancel, ACTION_NONE, "back", 0},
    {0},
};

static size_t formats(const struct ui *ui, const char *const **names)
{
    return ui->host->export_names ? ui->host->export_names(ui->host->context, names) : 0;
}

static const char *format_name(const struct ui *ui)
{
    const char *const *names = NULL;
    size_t count = formats(ui, &names);
    return ui->exported.format < (int)count ? names[ui->exported.format] : "";
}

void text_show(struct ui *ui, char *text)
{
    free(ui->exported.text);
    ui->exported.text = text;
    ui->exported.top = 0;
    ui->exported.lines = 0;
    for (const char *p = ui->exported.text; p && *p; p += strcspn(p, "\n"), p += *p == '\n')
        ui->exported.lines++;
}

bool export_is_refused(struct ui *ui, const char *format)
{
    bool is_model = strcmp(format, "hf") == 0; /* a config.json has nothing else */
    bool is_own = strcmp(format, "patch") == 0 || strcmp(format, "script") == 0; /* the fault may stand in the file */
    bool is_file = !is_own && ui->mode != MODE_EXPORT;
    const struct diags *diags = &ui->now->diags;
    for (int i = 0; i < diags->count; i++) {
        const struct diag *it = &diags->item[i];
        if (it->level != DIAG_ERROR || it->is_missing || (is_model && param_rows[it->param].group_id != GROUP_model))
            continue;
        ui_say(ui, ROLE_BAD, "no framework would start with this plan%s: %s: %.120s",
               is_file ? ", so no file is written" : "", param_rows[it->param].key, finding_text(it).text);
        return is_file;
    }
    return false;
}

/* Writes the text anew; where it cannot be, the text is the reason. */
static void write_text(struct ui *ui)
{
    char why[UI_MESSAGE_MAX], *text = NULL;
    if (ui->host->export_text(ui->host->context, format_name(ui), &ui->plan, &text, why) != 0)
        text = strdup(why);
    text_show(ui, text);
    export_is_refused(ui, format_name(ui));
}

bool export_open(struct ui *ui, const char *name)
{
    const char *const *names = NULL;
    size_t count = formats(ui, &names);
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) {
            ui->exported.format = (int)i;
            ui->mode = MODE_EXPORT;
            write_text(ui);
            return true;
        }
    return false;
}

/* The format whose name the framework's begins with, else the first. */
static void open(struct ui *ui)
{
    const char *const *names = NULL;
    size_t count = formats(ui, &names), chosen = 0;
    char framework[FIELD_TEXT_MAX];
    form_value(&ui->now->plan, PARAM_framework_name, framework);
    for (size_t i = 0; i < count; i++)
        if (strncmp(framework, names[i], strlen(names[i])) == 0)
            chosen = i;
    if (count == 0 || !export_open(ui, names[chosen]))
        ui_say(ui, ROLE_MUTED, "nothing can be exported here");
}

static void title(const struct ui *ui, char text[OVERLAY_TITLE_MAX], char remark[OVERLAY_REMARK_MAX])
{
    const char *const *names = NULL;
    size_t count = formats(ui, &names), used = (size_t)snprintf(text, OVERLAY_TITLE_MAX, "Export");
    for (size_t i = 0; i < count && used < OVERLAY_TITLE_MAX;
         i++) /* the chosen one first, where there is room for it */
        used += (size_t)snprintf(text + used, OVERLAY_TITLE_MAX - used, i == 0 ? " [%s]" : "  %s ",
                                 names[((size_t)ui->exported.format + i) % count]);
    snprintf(remark, OVERLAY_REMARK_MAX, "%d lines  q back", ui->exported.lines);
}

void text_draw(const struct ui *ui, struct canvas *canvas, int width, int height)
{
    const char *line = ui->exported.text ? ui->exported.text : "";
    for (int y = -ui->exported.top; *line && y < height; y++) {
        char text[512];
        size_t n = strcspn(line, "\n");
        snprintf(text, sizeof text, "%.*s", (int)(n < sizeof text ? n : sizeof text - 1), line);
        if (y >= 0)
            canvas_fit(canvas, 0, y, width, ROLE_TEXT, text);
        line += n + (line[n] == '\n');
    }
}

void text_move(struct ui *ui, int dy)
{
    ui->exported.top = row_within(ui->exported.top + dy, ui->exported.lines);
}

static void move(struct ui *ui, int dx, int dy)
{
    const char *const *names = NULL;
    int count = (int)formats(ui, &names);
    if (dx != 0 && count > 0) {
        ui->exported.format = (ui->exported.format + dx + count) % count;
        write_text(ui);
    }
    text_move(ui, dy);
}

/* `export patch run.sh` changes the file itself, `export script run-new.sh` writes one beside it. */
static void accept(struct ui *ui)
{
    char line[EDIT_MAX];
    const char *name = format_name(ui), *own = ui->host->patched ? ui->host->patched(ui->host->context) : NULL;
    const char *slash = own ? strrchr(own, '/') : NULL, *dot = own ? strrchr(slash ? slash : own, '.') : NULL;
    bool is_patch = own && strcmp(name, "patch") == 0, is_script = own && strcmp(name, "script") == 0;
    int stem = dot ? (int)(dot - own) : own ? (int)strlen(own) : 0;
    snprintf(line, sizeof line, "export %s ", name);
    size_t used = strlen(line);
    if (is_patch)
        snprintf(line + used, sizeof line - used, "%.1000s", own);
    if (is_script)
        snprintf(line + used, sizeof line - used, "%.*s-new%.40s", stem < 900 ? stem : 900, own, dot ? dot : "");
    overlay_open(ui, MODE_COMMAND, line, false);
}

size_t text_copy(const struct ui *ui, char *out, size_t size)
{
    size_t n = (size_t)snprintf(out, size, "%s", ui->exported.text ? ui->exported.text : "");
    return n < size ? n : size - 1;
}

const struct overlay overlay_export = {
    .keys = own_keys, .hints = own_hints, .open = open, .title = title, .draw = text_draw, .move = move,
    .page = browse_page, .accept = accept, .copy = text_copy,
};
