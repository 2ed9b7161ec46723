/* `shardtop` without a command: the interactive screen, as lines or drawn as text too. */
#include "src/cli/verbs/verbs.h"

#include "core/base.h"
#include "src/cli/session/host.h"
#include "src/cli/session/preferences.h"
#include "src/cli/terminals.h"
#include "src/course/progress.h"
#include "src/import/import.h"
#include "src/text/errors.h"
#include "src/text/paths.h"
#include "src/text/text.h"
#include "src/text/worker.h"
#include "src/text/write.h"
#include "ui/state/settings.h"
#include "ui/ui.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void screen_line(void *context, const char *text)
{
    buffer_printf(context, "%s\n", text);
}

/* What ncurses may be told of a terminal that this machine does not describe. */
static const char *describe_terminal(const char *name)
{
    const struct terminal *it = terminals;
    while (it->name && strcmp(it->name, name) != 0)
        it++;
    return it->description;
}

/* True while there is nothing of the screen's own in the state folder. */
static bool is_new_here(void)
{
    static const char *const traces[] = {"lines", "sessions", "lessons.yaml"};
    bool is_new = true;
    for (size_t i = 0; i < LENGTH(traces); i++) {
        char *path = paths_state(traces[i]);
        is_new &= path && access(path, F_OK) != 0;
        free(path);
    }
    return is_new;
}

/* What the screen is told; `saved` is the copy of a session that ended early, or NULL. */
static struct ui_options options_of(const struct cli *cli, const struct plan *plan, const struct settings *settings,
                                    const struct plan *saved, const struct errors *errors)
{
    const char *no_color = getenv("NO_COLOR");
    return (struct ui_options){
        .plan = plan,
        .saved = saved,
        .path = cli->made.path,
        .questions = &cli->made.questions,
        .settings = settings,
        .theme = cli->theme,
        .term = cli->term,
        .describe = describe_terminal,
        .notice = errors->count && !cli->plain ? errors->line[0] : NULL, /* on lines it was printed */
        .is_empty = cli->made.is_of_nothing && !saved,
        .is_new = is_new_here(),
        .keys = cli->keys,
        .lesson = cli->lesson,
        .step = cli->step,
        .width = cli->width,
        .height = cli->height,
        .shot = cli->output,
        .is_settled = true,
        .is_spoken = cli->verbose,
        .ascii = cli->report.ascii,
        .no_color = cli->color == COLOR_NEVER || (cli->color == COLOR_AUTO && no_color && *no_color),
        .always_color = cli->color == COLOR_ALWAYS,
        .no_mouse = cli->no_mouse,
        .present = cli->present,
        .slow = cli->slow,
    };
}

void verb_read_again(const struct cli *cli, const char *path, struct reading *reading)
{
    const struct import_options options = {.env = &cli->env, .use_env = cli->use_env, .argument = cli->arguments,
                                           .arguments = cli->argument_count, .command = cli->command};
    reading_given(reading, path, &options);
}

/* What was read before the screen opens. */
static void begin_host(const struct cli *cli, const struct plan *plan, const struct errors *errors, struct host *host)
{
    host_remember(host, errors);
    host->left_open = cli->made.questions;
    host->offered_model = cli->made.is_of_nothing ? NULL : plan->text[TEXT_MODEL];
    if (cli->made.opened)
        saving_note_as(&host->saving, cli->made.opened, &cli->made.opened_mark);
    verb_read_again(cli, cli->made.foreign ? cli->made.path : NULL, &host->reading);
}

static int run_screen(const struct cli *cli, struct ui_options *options, const struct session *session,
                      struct host *host, struct buffer *out)
{
    enum { FINISH_MS = 2000 }; /* for what is still to be written at the end */
    struct ui_host functions = host_functions(host);
    if (cli->width)
        return ui_screen(&functions, options, screen_line, out);
    if (options->saved && !session->is_running) /* else a copy is opened: it stays the other's */
        journal_take(&host->journal, session);
    sessions_expire(options->settings->recovery_days);
    if (cli->made.path)
        write_clean(cli->made.path);
    options->plain = ui_plain_from;
    int status = cli->plain ? ui_plain(&functions, options) : ui_run(&functions, options);
    worker_finish(FINISH_MS);
    return status;
}

static int open_screen(const struct cli *cli, const struct plan *plan, const struct settings *settings,
                       struct buffer *out, struct errors *errors)
{
    struct plan kept, saved;
    struct host host = {0};
    const struct session *session = cli->restore ? session_named(&cli->made.sessions, cli->restore, errors) : NULL;
    bool has_saved = session && session_load(session, &kept, &saved, NULL, errors) == 0;
    struct ui_options options = options_of(cli, plan, settings, has_saved ? &saved : NULL, errors);
    if (cli->record && recorder_begin(&host.recorder, cli->record, errors) != 0)
        return STATUS_INPUT;
    begin_host(cli, plan, errors, &host);
    if (!cli->width && !cli->no_progress)
        progress_on();
    int status = run_screen(cli, &options, session, &host, out);
    host_free(&host);
    return status;
}

int cli_screen(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    struct settings settings;
    preferences_load(&settings, errors);
    if (!cli->width)
        cli_print_errors(cli, errors);
    int status = open_screen(cli, plan, &settings, out, errors);
    errors_free(errors);
    return status;
}

/* Whether the screen is asked for: on a terminal, drawn as text or line by line. */
bool verb_opens_screen(const struct cli *cli)
{
    return cli->verb == VERB_SCREEN && (cli->width || cli->plain || isatty(STDOUT_FILENO));
}

int verb_screen(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    return verb_opens_screen(cli) ? cli_screen(cli, plan, out, errors) : verb_show(cli, plan, out, errors);
}
