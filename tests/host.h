/* tests/host.h - the program's own host (src/cli/session/host.h) for tests of the screen; one for a test program. */
#pragma once

#include "src/cli/session/host.h"

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
