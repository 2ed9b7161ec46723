/* tests/host.h - the program's own host (src/cli/session/host.h) for tests of the screen; one for a test program. */
#pragma once

#include "tests/check.h"

#include "src/cli/session/host.h"
#include "ui/pane/pane.h"
#include "ui/state/state.h"

#include <locale.h>

static inline struct host *test_session(void)
{
    static struct host host;
    return &host;
}

static inline const struct ui_host *test_host(void)
{
    static struct ui_host functions;
    functions = host_functions(test_session());
    return &functions;
}

/* A screen with 70B on 64 H100. */
static inline struct ui *test_ui_at(int width, int height)
{
    static struct plan plan;
    char why[UI_MESSAGE_MAX];
    plan_clear(&plan);
    assert_int_equal(test_host()->load(test_session(), "llama3-70b-64h100", &plan, why), 0);
    struct ui_options options = {.plan = &plan};
    setlocale(LC_CTYPE, "C.UTF-8");
    struct ui *ui = ui_create(test_host(), &options, width, height);
    assert_non_null(ui);
    ui_update(ui);
    return ui;
}
