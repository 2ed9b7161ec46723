#include "src/cli/lesson.h"

#include <stdlib.h>
#include <stdio.h>
#include <unistd.h>

#include "src/cli/list.h"
#include "src/lesson/audit.h"
#include "src/lesson/plain.h"
#include "src/lesson/tutor.h"
#include "src/text/errors.h"
#include "src/text/text.h"

static const char program[] = "shardtop";

/* Judges files; a good one is one line. */
static int check_files(const struct cli *cli, struct buffer *out, struct errors *errors)
{
    struct play *play = xmalloc(sizeof *play);
    for (int i = 0; i < cli->word_count; i++) {
        size_t faults = errors->faults;
        if (play_load(play, cli->words[i], errors) == 0)
            lesson_audit(play, errors);
        if (errors->faults == faults)
            buffer_printf(out, "%s: good, %d steps\n", cli->words[i], play->lesson.steps);
        play_free(play);
    }
    free(play);
    return errors_any(errors) ? STATUS_INPUT : STATUS_DONE;
}

static int play(struct tutor *tutor, const struct cli *cli, struct errors *errors)
{
    int step = cli->step ? tutor_find(tutor, cli->step) : 0;
    if (step < 0) {
        errors_add(errors, program, 0, "--step", "'%.40s' is no step of this lesson; give its number or its name", cli->step);
        return STATUS_INPUT;
    }
    tutor_go(tutor, step);
    plain_play(tutor, stdin, isatty(STDIN_FILENO), stdout);
    return STATUS_DONE;
}

int lesson_run(const struct cli *cli, const struct plan *none, struct buffer *out, struct errors *errors)
{
    (void)none;
    if (cli->check)
        return check_files(cli, out, errors);
    if (cli->word_count == 0)
        return list_write(out, "lessons", false, errors) == 0 ? STATUS_DONE : STATUS_INPUT;
    if (cli->word_count > 1) {
        errors_add(errors, program, 0, "lesson", "takes one name; `shardtop lesson` lists them");
        return STATUS_INPUT;
    }
    struct tutor *tutor = xmalloc(sizeof *tutor);
    int result = tutor_begin(tutor, cli->words[0], errors) == 0 ? play(tutor, cli, errors) : STATUS_INPUT;
    tutor_free(tutor);
    free(tutor);
    return result;
}
