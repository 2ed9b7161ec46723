/* Lines `key=value` on a plan: refusals leave it alone, and what a key prints reads back the same. */
#include "core/plan/nearest.h"
#include "core/plan/param.h"
#include "core/plan/step.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_key(struct plan *plan, enum param id, const char *value, bool relative)
{
    struct plan before = *plan;
    char why[PARAM_WHY_MAX] = "", text[PARAM_TEXT_MAX];
    if (param_parse(plan, id, value, FROM_SET, relative, why) != 0) {
        if (!why[0] || !memchr(why, '\0', sizeof why) || memcmp(plan, &before, sizeof before) != 0)
            abort();
        return;
    }
    struct plan again = *plan;
    param_print(plan, id, text, sizeof text);
    if (param_parse(&again, id, text, FROM_SET, false, why) != 0 || !plan_equal(plan, &again))
        abort();
    param_step(plan, id, 1);
    param_step(plan, id, -1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 4096)
        return 0;
    char *text = malloc(size + 1), *rest = NULL;
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    static struct plan plan;
    plan_clear(&plan);
    int lines = 0;
    for (char *line = strtok_r(text, "\n", &rest); line && lines < 32; line = strtok_r(NULL, "\n", &rest), lines++) {
        char *value = strchr(line, '=');
        if (!value)
            continue;
        bool relative = value > line && value[-1] == '+';
        value[relative ? -1 : 0] = '\0';
        int id = param_find(line);
        if (id >= 0)
            check_key(&plan, (enum param)id, value + 1, relative);
        else
            param_nearest(&(struct nearest){.typed = line});
    }
    free(text);
    return 0;
}
