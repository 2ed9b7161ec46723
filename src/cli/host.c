#include "src/cli/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/estimate/estimate.h"
#include "src/cli/compare.h"
#include "src/plan/plan_io.h"
#include "src/plan/preset.h"
#include "src/report/report.h"
#include "src/report/svg.h"
#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/paths.h"
#include "src/text/text.h"
#include "src/text/write.h"

/* Hands the first fault over as a message and forgets the rest. Returns `result`. */
static int answer(int result, struct errors *errors, char *message)
{
    message[0] = '\0';
    if (result != 0)
        snprintf(message, UI_MESSAGE_MAX, "%s", errors->count ? errors->line[0] : "failed for an unknown reason");
    errors_free(errors);
    return result;
}

static int host_load(void *context, const char *path, struct plan *plan, char *message)
{
    (void)context;
    struct errors errors = {0};
    struct plan fresh;
    plan_clear(&fresh);
    int result = plan_load(&fresh, path, NULL, &errors);
    plan_finish(&fresh);
    if (result == 0)
        *plan = fresh;
    return answer(result, &errors, message);
}

static int host_save(void *context, const char *path, const struct plan *plan, char *message)
{
    (void)context;
    struct errors errors = {0};
    return answer(plan_save(plan, path, &errors), &errors, message);
}

static int host_preset(void *context, enum param key, const char *name, struct plan *plan, char *message)
{
    (void)context;
    struct errors errors = {0};
    struct place place = {NULL, 0, param_rows[key].dotted};
    int result = preset_apply(plan, key, name, FROM_SET, &place, &errors);
    if (result == 0)
        plan_finish(plan);
    return answer(result, &errors, message);
}

static size_t host_names(void *context, enum param key, const char *const **names)
{
    (void)context;
    return preset_names(preset_kind_of(key), names);
}

char *host_session_path(void)
{
    return paths_state("session.yaml");
}

static int host_autosave(void *context, const struct plan *plan, char *message)
{
    (void)context;
    struct errors errors = {0};
    char *path = host_session_path();
    int result = -1;
    if (!path)
        errors_add(&errors, NULL, 0, NULL, "there is no home directory to keep the session in; set HOME");
    else if (paths_make_parents(path, &errors) == 0)
        result = plan_save(plan, path, &errors);
    free(path);
    return answer(result, &errors, message);
}

/* ---- themes -------------------------------------------------------------------------------------------------------- */

static void theme_line(struct theme *theme, const struct keyval *kv, const char *path, struct errors *errors)
{
    char why[THEME_MESSAGE_MAX];
    if (strcmp(kv->key, "name") == 0)
        return;
    if (strcmp(kv->key, "about") == 0)
        text_clean(kv->value, theme->about, sizeof theme->about);
    else if (strcmp(kv->key, "light") == 0)
        theme->is_light = strcmp(kv->value, "true") == 0;
    else if (theme_set(theme, kv->key, kv->value, why) != 0)
        errors_add(errors, path, kv->line, kv->key, "%s", why);
}

static int host_theme(void *context, const char *name, struct theme *theme, char *message)
{
    (void)context;
    struct errors errors = {0};
    struct keyvals list = {0};
    struct theme fresh;
    char *path = NULL;
    theme_default(&fresh);
    int result = 0;
    if (strcmp(name, "default") != 0 || preset_known(PRESET_THEME, name)) {
        result = preset_read(PRESET_THEME, name, &list, &path, &(struct place){NULL, 0, "theme"}, &errors);
        for (size_t i = 0; i < list.count && result == 0; i++)
            theme_line(&fresh, &list.item[i], path, &errors);
        snprintf(fresh.name, sizeof fresh.name, "%.*s", THEME_NAME_MAX - 1, name);
    }
    result = errors_any(&errors) ? -1 : result;
    if (result == 0)
        *theme = fresh;
    keyvals_free(&list);
    free(path);
    return answer(result, &errors, message);
}

static size_t host_theme_names(void *context, const char *const **names)
{
    (void)context;
    return preset_names(PRESET_THEME, names);
}

/* ---- report -------------------------------------------------------------------------------------------------------- */

static const char svg[] = ".svg";

/* The form that a file's ending asks for; false when the report has no such form. Without an ending it is text. */
static bool format_of(const char *path, enum report_format *format)
{
    static const struct {
        const char *ending;
        enum report_format format;
    } forms[] = {{".json", REPORT_JSON}, {".csv", REPORT_CSV}, {".md", REPORT_MARKDOWN}, {".txt", REPORT_TEXT}, {svg, REPORT_TEXT}};
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    *format = REPORT_TEXT;
    for (size_t i = 0; dot && i < sizeof forms / sizeof *forms; i++)
        if (strcasecmp(dot, forms[i].ending) == 0)
            return *format = forms[i].format, true;
    return !dot;
}

static int host_export(void *context, const char *path, const struct plan *plan, char *message)
{
    (void)context;
    struct errors errors = {0};
    struct buffer out = {0};
    struct report_options options = {0};
    size_t length = strlen(path), ending = strlen(svg);
    bool is_svg = length > ending && strcasecmp(path + length - ending, svg) == 0;
    if (!format_of(path, &options.format)) {
        errors_add(&errors, path, 0, NULL, "the report has no such form; end the name in .txt, .json, .csv, .md or .svg");
        return answer(-1, &errors, message);
    }
    struct estimate *estimate = xmalloc(sizeof *estimate);
    const struct estimate *const all[] = {estimate};
    estimate_plan(plan, estimate);
    if (is_svg)
        report_svg(&out, all, 1, SECTION_MEMORY);
    else
        report_write(&out, all, 1, &options);
    int result = write_file(path, out.text ? out.text : "", out.size, WRITE_DURABLE, &errors);
    buffer_free(&out);
    free(estimate);
    return answer(result, &errors, message);
}

static void host_estimators(void *context, const struct estimate *estimate,
                            void (*take)(void *to, const struct ui_comparison *comparison), void *to)
{
    (void)context;
    compare_each(estimate, take, to);
}

const struct ui_host host_functions = {
    .load = host_load,
    .save = host_save,
    .preset = host_preset,
    .names = host_names,
    .theme = host_theme,
    .theme_names = host_theme_names,
    .autosave = host_autosave,
    .export_report = host_export,
    .estimators = host_estimators,
};
