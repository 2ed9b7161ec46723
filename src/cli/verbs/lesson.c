/* `shardtop lesson`: the lessons, one played, or files of one's own checked. */
#include "src/cli/verbs/verbs.h"

#include "src/cli/verbs/list.h"
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

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char program[] = "shardtop";

/* Judges files; a good one is one line. */
static int check_files(const struct cli *cli, struct buffer *out, struct errors *errors)
{
    struct play *play = xmalloc(sizeof *play);
    if (cli->word_count == 0)
        errors_add(errors, program, 0, "--check", "no lesson to check; give files or names");
    for (int i = 0; i < cli->word_count; i++) {
        size_t faults = errors->faults;
        memset(play, 0, sizeof *play);
        if (play_load(play, cli->words[i], errors) == 0)
            lesson_audit(play, errors);
        if (errors->faults == faults)
            buffer_printf(out, "%s: good, %d step%s\n", cli->words[i], play->lesson.steps,
                          play->lesson.steps == 1 ? "" : "s");
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
    if (is_terminal && !cli->no_progress && !cli->follow) /* what a script plays is nobody's progress */
        progress_on();
    if (result == STATUS_DONE)
        progress_resume(tutor);
    if (result == STATUS_DONE && cli->step && !tutor_go(tutor, tutor_find(tutor, cli->step))) {
        errors_add(errors, program, 0, "--step", "unknown step '%.40s'; use its number or its name",
                   cli->step);
        result = STATUS_INPUT;
    }
    if (result == STATUS_DONE && cli->follow)
        follow_play(tutor, stdout);
    else if (result == STATUS_DONE)
        plain_play(tutor, stdin, is_terminal, stdout);
    tutor_free(tutor);
    free(tutor);
    return result;
}

/* The plan of the words from `first` on, or the plan that is shown without any. */
static int read_plan(const struct cli *cli, int first, struct cli *own, struct plan *plan, struct errors *errors)
{
    *own = *cli;
    own->verb = VERB_SCREEN;
    own->words += first;
    own->word_count -= first;
    return cli_plan(own, plan, &own->made, errors);
}

/* The screen opens over the plan that it opens over without a lesson. */
static int play_on_screen(const struct cli *cli, struct buffer *out, struct errors *errors)
{
    struct cli own;
    struct plan plan;
    struct lesson lesson = {0};
    int result = lesson_load(cli->words[0], &lesson, errors); /* said before the screen opens */
    if (result == 0 && cli->step && strspn(cli->step, "0123456789") < strlen(cli->step) &&
        lesson_step_find(&lesson, cli->step, strlen(cli->step)) < 0) {
        errors_add(errors, program, 0, "--step", "unknown step '%.40s'; use its number or its name",
                   cli->step);
        result = -1;
    }
    lesson_free(&lesson);
    if (result != 0 || read_plan(cli, cli->word_count, &own, &plan, errors) != 0)
        return STATUS_INPUT;
    own.lesson = cli->words[0];
    return cli_screen(&own, &plan, out, errors);
}

/* A lesson on paper, or for other programs. */
static int write_out(const struct cli *cli, struct buffer *out, struct errors *errors)
{
    struct play *play = xmalloc(sizeof *play);
    memset(play, 0, sizeof *play);
    int result = play_load(play, cli->words[0], errors);
    if (result == 0 && cli->handout)
        result = handout_write(play, cli->output ? cli->output : ".", cli->answers, errors);
    else if (result == 0)
        expanded_json(out, play, cli->answers);
    play_free(play);
    free(play);
    return result == 0 ? STATUS_DONE : STATUS_INPUT;
}

/* Prints a lesson to write. */
static int write_new(const struct cli *cli, struct buffer *out, struct errors *errors)
{
    struct cli own;
    struct plan plan;
    if (cli->word_count == 0 || !lesson_is_name(cli->words[0])) {
        errors_add(errors, program, 0, "--new",
                   "needs a name of a-z, 0-9 and -, such as shardtop lesson --new my-lesson plan.yaml");
        return STATUS_INPUT;
    }
    if (read_plan(cli, 1, &own, &plan, errors) != 0)
        return STATUS_INPUT;
    draft_write(out, cli->words[0], &plan, 1);
    return STATUS_DONE;
}

static int record(const struct cli *cli, struct buffer *out, struct errors *errors)
{
    struct cli own;
    struct plan plan;
    if (read_plan(cli, 0, &own, &plan, errors) != 0)
        return STATUS_INPUT;
    return cli_screen(&own, &plan, out, errors);
}

int verb_lesson(const struct cli *cli, const struct plan *none, struct buffer *out, struct errors *errors)
{
    (void)none;
    bool is_json = cli->report.format == REPORT_JSON;
    bool is_screen = cli->width || (!cli->plain && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO));
    if (cli->check)
        return check_files(cli, out, errors);
    if (cli->is_new)
        return write_new(cli, out, errors);
    if (cli->record)
        return record(cli, out, errors);
    if (cli->word_count == 0)
        return list_write(out, "lessons", is_json, errors) == 0 ? STATUS_DONE : STATUS_INPUT;
    if (cli->word_count > 1) {
        errors_add(errors, program, 0, "lesson", "takes one name; `shardtop lesson` lists them");
        return STATUS_INPUT;
    }
    if (cli->handout || is_json)
        return write_out(cli, out, errors);
    return is_screen ? play_on_screen(cli, out, errors) : play_on_lines(cli, errors);
}
