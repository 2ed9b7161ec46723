#include "src/cli/lesson.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/cli/list.h"
#include "src/lesson/audit.h"
#include "src/lesson/handout.h"
#include "src/lesson/plain.h"
#include "src/lesson/progress.h"
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

static int play_on_lines(const struct cli *cli, struct errors *errors)
{
    struct tutor *tutor = xmalloc(sizeof *tutor);
    bool is_terminal = isatty(STDIN_FILENO);
    int result = tutor_begin(tutor, cli->words[0], errors) == 0 ? STATUS_DONE : STATUS_INPUT;
    if (is_terminal && !cli->no_progress) /* what a script plays is nobody's progress */
        progress_on();
    if (result == STATUS_DONE)
        progress_resume(tutor);
    if (result == STATUS_DONE && cli->step && !tutor_go(tutor, tutor_find(tutor, cli->step))) {
        errors_add(errors, program, 0, "--step", "'%.40s' is no step of this lesson; give its number or its name", cli->step);
        result = STATUS_INPUT;
    }
    if (result == STATUS_DONE)
        plain_play(tutor, stdin, is_terminal, stdout);
    tutor_free(tutor);
    free(tutor);
    return result;
}

/* The screen opens over the plan that it opens over without a lesson. */
static int play_on_screen(const struct cli *cli, struct buffer *out, struct errors *errors)
{
    struct cli own = *cli;
    struct plan plan;
    struct lesson lesson = {0};
    own.verb = VERB_SCREEN;
    own.word_count = 0;
    own.lesson = cli->words[0];
    int result = lesson_load(own.lesson, &lesson, errors); /* said before the screen opens */
    if (result == 0 && cli->step && strspn(cli->step, "0123456789") < strlen(cli->step) && lesson_step_find(&lesson, cli->step, strlen(cli->step)) < 0) {
        errors_add(errors, program, 0, "--step", "'%.40s' is no step of this lesson; give its number or its name", cli->step);
        result = -1;
    }
    lesson_free(&lesson);
    return result == 0 && cli_plan(&own, &plan, &own.made, errors) == 0 ? cli_screen(&own, &plan, out, errors) : STATUS_INPUT;
}

static int write_handout(const struct cli *cli, struct errors *errors)
{
    struct play *play = xmalloc(sizeof *play);
    memset(play, 0, sizeof *play);
    int result = play_load(play, cli->words[0], errors) == 0 && handout_write(play, cli->output ? cli->output : ".", cli->answers, errors) == 0;
    play_free(play);
    free(play);
    return result ? STATUS_DONE : STATUS_INPUT;
}

int lesson_run(const struct cli *cli, const struct plan *none, struct buffer *out, struct errors *errors)
{
    (void)none;
    bool is_screen = cli->width || (!cli->plain && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO));
    if (cli->check)
        return check_files(cli, out, errors);
    if (cli->word_count == 0)
        return list_write(out, "lessons", false, errors) == 0 ? STATUS_DONE : STATUS_INPUT;
    if (cli->word_count > 1) {
        errors_add(errors, program, 0, "lesson", "takes one name; `shardtop lesson` lists them");
        return STATUS_INPUT;
    }
    if (cli->handout)
        return write_handout(cli, errors);
    return is_screen ? play_on_screen(cli, out, errors) : play_on_lines(cli, errors);
}
