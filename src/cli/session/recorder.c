#include "src/cli/session/recorder.h"

#include "core/plan/plan.h"
#include "src/course/draft.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "src/text/write.h"
#include "ui/ui.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int recorder_begin(struct recorder *recorder, const char *path, struct errors *errors)
{
    char *copy = xstrdup(path), *base = basename(copy), *ending = strrchr(base, '.');
    if (ending)
        *ending = '\0';
    snprintf(recorder->name, sizeof recorder->name, "%s", lesson_is_name(base) ? base : "my-lesson");
    free(copy);
    if (access(path, F_OK) == 0) {
        errors_add(errors, path, 0, NULL, "already exists; name a new file");
        return -1;
    }
    recorder->path = xstrdup(path);
    recorder->plan = xmalloc(LESSON_STEPS_MAX * sizeof *recorder->plan);
    return 0;
}

/* Puts a plan behind the others; false where it changes nothing. */
static bool add(struct recorder *recorder, const struct plan *plan)
{
    int last = recorder->count - 1;
    if (last >= 0 && plan_equal(plan, &recorder->plan[last]))
        return false;
    if (last >= 1 && plan_equal(plan, &recorder->plan[last - 1]))
        recorder->count--;
    else
        recorder->plan[recorder->count++] = *plan;
    return true;
}

int recorder_take(struct recorder *recorder, const struct plan *plan, char *message)
{
    struct errors errors = {0};
    struct buffer text = {0};
    if (recorder->count == LESSON_STEPS_MAX) {
        snprintf(message, UI_MESSAGE_MAX, "%.80s: a lesson has %d steps, this is one more; record another",
                 recorder->path, LESSON_STEPS_MAX);
        return -1;
    }
    if (!add(recorder, plan))
        return 0;
    draft_write(&text, recorder->name, recorder->plan, recorder->count);
    int result = write_file(recorder->path, text.text, text.size, 0, &errors);
    if (result != 0)
        snprintf(message, UI_MESSAGE_MAX, "%s", errors.count ? errors.line[0] : "the lesson cannot be written");
    errors_free(&errors);
    buffer_free(&text);
    return result;
}

void recorder_free(struct recorder *recorder)
{
    free(recorder->path);
    free(recorder->plan);
    *recorder = (struct recorder){0};
}
