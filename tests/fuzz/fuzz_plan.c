/*
 * Any bytes as a plan (YAML, JSON or a script): no crash, no leak, clean messages, and what is read can be saved and
 * read again.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/plan/param.h"
#include "core/plan/plan.h"
#include "core/plan/step.h"
#include "src/plan/plan_io.h"
#include "src/plan/save.h"
#include "src/text/errors.h"
#include "src/text/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A message must not hold anything that a terminal obeys. */
static void check_messages(const struct errors *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        for (const unsigned char *p = (const unsigned char *)errors->line[i]; *p; p++)
            if (*p < 0x20 || *p == 0x7f)
                abort();
}

static void check_round_trip(struct plan *plan)
{
    struct buffer text = {0};
    struct errors errors = {0};
    struct plan again;
    plan_finish(plan);
    plan_clear(&again);
    plan_emit(&text, plan, NULL, "saved");
    if (text.size > 10 && plan_read(&again, text.text, text.size, "again", NULL, &errors) == 0) {
        plan_finish(&again);
        if (!plan_equal(plan, &again))
            abort();
    } else if (plan_recognise(text.text, text.size) != KIND_EMPTY) {
        abort();
    }
    errors_free(&errors);
    buffer_free(&text);
}

/* A changed plan goes into the text so that it reads as that plan, or not at all. */
static void check_edit(struct plan *plan, const char *text)
{
    struct buffer out = {0};
    struct errors errors = {0};
    struct plan again;
    param_step(plan, (enum param)(strlen(text) % PARAM_COUNT), 1);
    plan_clear(&again);
    if (plan_edit(plan, NULL, text, strlen(text), &out) >= 0) {
        if (plan_read(&again, out.text, out.size, "edited", NULL, &errors) != 0)
            abort();
        plan_finish(&again);
        if (!plan_equal(plan, &again))
            abort();
    }
    errors_free(&errors);
    buffer_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = xstrndup((const char *)data, size); /* ends at a NUL, as file_read() refuses them */
    struct errors errors = {0};
    struct plan plan;
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    plan_clear(&plan);
    struct plan before = plan;
    int result = plan_read(&plan, text, strlen(text), "fuzz", NULL, &errors);
    if ((result == 0) == errors_any(&errors) || (result != 0 && memcmp(&plan, &before, sizeof plan) != 0))
        abort();
    check_messages(&errors);
    if (result == 0) {
        check_round_trip(&plan);
        check_edit(&plan, text);
    }
    errors_free(&errors);
    free(text);
    return 0;
}
