/* tests/fuzz/host.h - a host of the screen that touches no file. */
#pragma once

#include "core/plan/plan.h"
#include "ui/ui.h"

#include <stdio.h>

static int refuse(char *message)
{
    snprintf(message, UI_MESSAGE_MAX, "nothing here; this is a test");
    return -1;
}

static int load(void *context, const char *path, struct plan *plan, char *message)
{
    (void)context;
    if (path[0] != 'a')
        return refuse(message);
    plan_clear(plan);
    return 0;
}

static enum ui_write save(void *context, const char *path, const struct plan *plan, bool is_confirmed, char *message)
{
    (void)context, (void)plan;
    refuse(message);
    return path[0] == 'a'                    ? UI_WRITTEN
           : path[0] == 'b' && !is_confirmed ? UI_WRITE_ASKS
           : path[0] == 'c'                  ? UI_WRITE_ELSEWHERE
                                             : UI_WRITE_FAILED;
}

static int keep(void *context, const char *path, const struct plan *plan, const struct plan *saved, char *message)
{
    (void)context, (void)path, (void)plan, (void)saved, (void)message;
    return 0;
}

static int preset(void *context, enum param key, const char *name, struct plan *plan, char *message)
{
    (void)context, (void)key, (void)plan;
    return name[0] == 'a' ? 0 : refuse(message);
}

static size_t names(void *context, enum param key, const char *const **out)
{
    static const char *const list[] = {"alpha", "beta", "gamma"};
    (void)context, (void)key;
    *out = list;
    return 3;
}

static int theme(void *context, const char *name, struct theme *out, char *message)
{
    (void)context;
    if (name[0] != 'a')
        return refuse(message);
    theme_default(out);
    return 0;
}

static size_t theme_names(void *context, const char *const **out)
{
    return names(context, PARAM_COUNT, out);
}

static const struct ui_host host = {.load = load,
                                    .save = save,
                                    .preset = preset,
                                    .names = names,
                                    .theme = theme,
                                    .theme_names = theme_names,
                                    .autosave = keep,
                                    .export_report = save};
