/*
 * Any bytes as a lesson, its templates, claims and answers: no crash, no leak, bounded time; clean messages. Before a
 * NUL stands the lesson, or the name of a shipped one, behind it how it is used and what is typed.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/course/audit.h"
#include "src/course/draft.h"
#include "src/course/expanded.h"
#include "src/course/follow.h"
#include "src/course/handout.h"
#include "src/course/plain.h"
#include "src/course/progress.h"
#include "src/course/tutor.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "tests/json.h"
#include "tests/scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_clean(const struct errors *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        for (const unsigned char *p = (const unsigned char *)errors->line[i]; *p; p++)
            if (*p < 0x20 || *p == 0x7f)
                abort();
}

static void audit(const char *text)
{
    static struct play play;
    struct lesson lesson = {0};
    struct errors errors = {0};
    int result = lesson_read(text, strlen(text), "fuzz", &lesson, &errors);
    if ((result == 0) == errors_any(&errors))
        abort();
    if (result != 0)
        lesson_free(&lesson);
    else if (play_begin(&play, &lesson, &errors) == 0)
        lesson_audit(&play, &errors);
    check_clean(&errors);
    play_free(&play);
    errors_free(&errors);
}

/* As JSON, on paper, and as a lesson to write. */
static void write_out(struct tutor *tutor, bool answers)
{
    struct plan plans[2] = {tutor->play.plan[0][PLAY_START], tutor->own};
    struct buffer out = {0};
    struct errors errors = {0};
    expanded_json(&out, &tutor->play, answers);
    if (!json_is_valid(out.text, out.size))
        abort();
    if ((handout_write(&tutor->play, scratch_path(""), answers, &errors) == 0) == errors_any(&errors))
        abort();
    draft_write(&out, "draft", plans, 2);
    check_clean(&errors);
    buffer_free(&out);
    errors_free(&errors);
}

/* A learner who types these lines, and a presenter who looks on; later the lesson goes on where it was left. */
static void learn(struct tutor *tutor, const char *typed, bool is_terminal)
{
    FILE *in = *typed ? fmemopen((void *)(uintptr_t)typed, strlen(typed), "r") : fopen("/dev/null", "r");
    FILE *out = fopen("/dev/null", "w");
    int shown = -1;
    if (!in || !out)
        abort();
    progress_on();
    progress_resume(tutor);
    plain_play(tutor, in, is_terminal, out);
    progress_keep(tutor);
    follow_look(tutor, &shown, out);
    fclose(in);
    fclose(out);
}

static void use(const char *text, const char *typed)
{
    static struct tutor tutor;
    struct errors errors = {0};
    scratch_begin();
    const char *lesson = lesson_is_name(text) ? text : scratch_put("lesson.yaml", text, strlen(text));
    if (tutor_begin(&tutor, lesson, &errors) == 0) {
        if (strcmp(typed, "H") == 0 || strcmp(typed, "HA") == 0)
            write_out(&tutor, typed[1] == 'A');
        else
            learn(&tutor, *typed ? typed + 1 : "", *typed == 'T');
    }
    check_clean(&errors);
    tutor_free(&tutor);
    errors_free(&errors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = xstrndup((const char *)data, size), *typed = NULL;
    size_t length = strlen(text);
    if (length < size)
        typed = xstrndup((const char *)data + length + 1, size - length - 1);
    if (typed)
        use(text, typed);
    else
        audit(text);
    free(typed);
    free(text);
    return 0;
}
