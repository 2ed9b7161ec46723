/* Any bytes as a lesson, its templates, claims and answers: no crash, no leak, bounded time; clean messages. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/course/audit.h"
#include "src/course/tutor.h"
#include "src/text/errors.h"
#include "src/text/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_clean(const struct errors *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        for (const unsigned char *p = (const unsigned char *)errors->line[i]; *p; p++)
            if (*p < 0x20 || *p == 0x7f)
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct play play;
    struct lesson lesson = {0};
    struct errors errors = {0};
    char *text = xstrndup((const char *)data, size);
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
    free(text);
    return 0;
}
