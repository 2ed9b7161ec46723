#include "src/course/follow.h"

#include "src/course/paragraph.h"
#include "src/course/plain.h"
#include "src/course/progress.h"
#include "src/course/tutor.h"
#include "src/text/node.h"
#include "src/text/text.h"

#include <poll.h>
#include <stdlib.h>

enum { LOOK_MS = 100, COLUMNS = 79 };

static void put_line(struct buffer *out, char *line)
{
    paragraph_add(out, line, COLUMNS);
    free(line);
}

/* Where the lesson goes from here. */
static void put_next(struct tutor *tutor, struct buffer *out)
{
    int here = tutor->step;
    struct buffer change = {0};
    if (!tutor_go(tutor, here + 1)) {
        buffer_puts(out, "next: the end\n");
        return;
    }
    buffer_printf(&change, "next: %s", tutor_step(tutor)->id->text);
    if (tutor_step(tutor)->set || tutor_step(tutor)->plan) {
        buffer_puts(&change, ", ");
        plain_set(tutor_step(tutor), &change);
    }
    put_line(out, xstrdup(change.text));
    buffer_free(&change);
    tutor_go(tutor, here);
}

void follow_look(struct tutor *tutor, int *shown, FILE *out)
{
    struct buffer text = {0};
    int step = progress_step(tutor);
    if (step < 0 || step == *shown)
        return;
    *shown = step;
    tutor_go(tutor, step);
    plain_step(tutor, &text);
    if (tutor_step(tutor)->ask.line || tutor_step(tutor)->task.line)
        put_line(&text, tutor_reveal(tutor));
    put_next(tutor, &text);
    fwrite(text.text, 1, text.size, out);
    fflush(out);
    buffer_free(&text);
}

void follow_play(struct tutor *tutor, FILE *out)
{
    int shown = -1;
    while (!ferror(out)) {
        follow_look(tutor, &shown, out);
        poll(NULL, 0, LOOK_MS);
    }
}
