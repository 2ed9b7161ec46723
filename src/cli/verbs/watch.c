/* `shardtop watch PLAN LOG`: a growing log beside the estimate, on a small screen or line by line. */
#include "src/cli/verbs/verbs.h"

#include "core/show/figure.h"
#include "src/runs/watch.h"
#include "src/text/errors.h"
#include "src/text/json_out.h"
#include "src/text/text.h"
#include "ui/ui.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 16, LOOK_MS = 500 };

/* A log that is followed. */
struct follow {
    const char *path;
    int fd;
    bool is_stream; /* ends for good when it ends */
    off_t at;
    struct watch *watch;
};

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/* Whether the file begins as a plan does, which no run appends to. */
static bool is_plan(const struct follow *follow)
{
    enum plan_kind kind = follow->is_stream ? KIND_UNKNOWN : plan_recognise_head(follow->fd);
    return kind == KIND_YAML || kind == KIND_JSON;
}

static int refuse_plan(const char *path, struct errors *errors)
{
    errors_add(errors, path, 0, NULL, "is a plan; give the log after it: shardtop watch %s train.log", path);
    return -1;
}

static int begin(struct follow *follow, const char *path, struct errors *errors)
{
    bool is_stdin = strcmp(path, "-") == 0;
    struct stat about;
    follow->path = path;
    follow->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    bool is_open = follow->fd >= 0 && fstat(follow->fd, &about) == 0;
    if (!is_open || S_ISDIR(about.st_mode) || (S_ISCHR(about.st_mode) && !is_stdin && !isatty(follow->fd))) {
        errors_add(errors, path, 0, NULL, "cannot be followed: %s; give the log of a run",
                   !is_open                  ? strerror(errno)
                   : S_ISDIR(about.st_mode) ? "it is a folder"
                                             : "it is a device");
        return -1;
    }
    follow->is_stream = !S_ISREG(about.st_mode);
    return is_plan(follow) ? refuse_plan(path, errors) : 0;
}

/* A log that is shorter than what was read, or another file of the same name, begins again. */
static void check_replaced(struct follow *follow)
{
    struct stat open_now, named;
    if (follow->is_stream || fstat(follow->fd, &open_now) != 0)
        return;
    bool is_other =
        stat(follow->path, &named) == 0 && (named.st_ino != open_now.st_ino || named.st_dev != open_now.st_dev);
    if (!is_other && open_now.st_size >= follow->at)
        return;
    int fd = is_other ? open(follow->path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : -1;
    if (fd >= 0) {
        close(follow->fd);
        follow->fd = fd;
    } else if (lseek(follow->fd, 0, SEEK_SET) < 0) {
        return;
    }
    follow->at = 0;
    watch_restart(follow->watch);
}

/* Takes one block of what is there. Returns its size, 0 at the end (so far), -1 when reading failed. */
static ssize_t take_block(struct follow *follow)
{
    char block[BLOCK];
    ssize_t n = read(follow->fd, block, sizeof block);
    if (n < 0 && errno == EINTR)
        return take_block(follow);
    if (n > 0) {
        follow->at += n;
        watch_feed(follow->watch, block, (size_t)n);
    }
    return n;
}

/* ---- line by line ----------------------------------------------------------------------------------------------- */

static void put_view(struct buffer *out, const struct watch_view *view, bool is_json)
{
    struct json json = {.out = out};
    if (is_json)
        watch_json(&json, view);
    else
        watch_line(out, view);
    buffer_puts(out, is_json ? "\n" : "");
}

static int look_once(struct follow *follow, bool is_json, struct buffer *out)
{
    struct watch_view view;
    while (take_block(follow) > 0)
        continue;
    watch_look(follow->watch, &view);
    put_view(out, &view, is_json);
    return STATUS_DONE;
}

/* Prints a line for each look that has something new, until the input ends or the output cannot be written. */
static int print_lines(struct follow *follow, bool is_json, struct errors *errors)
{
    struct watch_view view, before = {.step = -2};
    int status = STATUS_DONE;
    while (status == STATUS_DONE) {
        ssize_t n = take_block(follow);
        watch_look(follow->watch, &view);
        if (view.rows && (view.step != before.step || view.rows != before.rows ||
                          view.is_out_of_memory != before.is_out_of_memory)) {
            struct buffer line = {0};
            put_view(&line, &view, is_json);
            status = cli_print(&line, errors);
            buffer_free(&line);
            before = view;
        }
        if (n < 0 || (n == 0 && follow->is_stream))
            break;
        if (n == 0) {
            poll(NULL, 0, LOOK_MS);
            check_replaced(follow);
        }
    }
    return status;
}

/* ---- on a terminal ---------------------------------------------------------------------------------------------- */

static void put_note(struct ui_note *note, const char *text, bool is_warning, bool is_dim)
{
    *note = (struct ui_note){.is_warning = is_warning, .is_dim = is_dim};
    text_clean(text, note->text, sizeof note->text);
}

static void put_title(const struct follow *follow, const struct watch_view *view, struct ui_note *note)
{
    char step[80] = "", left[80] = "", *title;
    if (view->steps > view->step && isfinite(view->iteration_s))
        snprintf(left, sizeof left, ", %s left",
                 figure(FIGURE_SECONDS, (view->steps - view->step) * view->iteration_s).text);
    if (view->step >= 0)
        snprintf(step, sizeof step, view->steps > 0 ? "  step %d of %d%s" : "  step %d", view->step, view->steps, left);
    title = xasprintf("%s, %s%s", follow->path, view->kind, step);
    put_note(note, title, false, false);
    free(title);
}

/* What the small screen shows. */
static int look(void *context, struct ui_note *notes)
{
    struct follow *follow = context;
    struct watch_view view;
    int count = 1;
    while (take_block(follow) > 0)
        continue;
    check_replaced(follow);
    watch_look(follow->watch, &view);
    put_title(follow, &view, &notes[0]);
    for (int i = 0; i < view.rows; i++) {
        struct buffer text = {0};
        watch_row_text(&text, &view.row[i]);
        put_note(&notes[count++], text.text, view.row[i].is_beyond, false);
        buffer_free(&text);
    }
    if (!view.rows)
        put_note(&notes[count++], "nothing measured yet: the log has no iteration and no memory", false, true);
    else if (!view.is_judged)
        put_note(&notes[count++], "times are compared after a few more iterations", false, true);
    if (view.cause[0])
        put_note(&notes[count++], view.cause, true, false);
    if (isfinite(view.last_s)) {
        char *pace =
            xasprintf("the last iteration %s; %s tokens/s on all GPUs", figure(FIGURE_SECONDS, view.last_s).text,
                      figure(FIGURE_EXACT, round(view.tokens_per_s)).text);
        put_note(&notes[count++], pace, false, true);
        free(pace);
    }
    return count;
}

static int show_screen(const struct cli *cli, struct follow *follow, struct errors *errors)
{
    char message[200];
    const char *no_color = getenv("NO_COLOR");
    struct ui_follow screen = {.term = cli->term, .no_color = cli->color == COLOR_NEVER || (no_color && *no_color),
                               .look = look, .context = follow};
    if (ui_follow(&screen, message, sizeof message) == 0)
        return STATUS_DONE;
    errors_add(errors, "shardtop", 0, NULL, "%s", message);
    return STATUS_INPUT;
}

int verb_watch(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    struct follow follow = {.fd = -1};
    if (cli->word_count == 0 || begin(&follow, cli->words[cli->word_count - 1], errors) != 0) {
        if (cli->word_count == 0)
            errors_add(errors, "shardtop", 0, "watch", "has no log; write shardtop watch plan.yaml train.log");
        return STATUS_INPUT;
    }
    follow.watch = watch_open(plan);
    bool has_screen = isatty(STDOUT_FILENO) && follow.fd != STDIN_FILENO && !cli->json && !cli->output;
    int status = cli->once    ? look_once(&follow, cli->json, out)
                 : has_screen ? show_screen(cli, &follow, errors)
                              : print_lines(&follow, cli->json, errors);
    watch_close(follow.watch);
    if (follow.fd != STDIN_FILENO)
        close(follow.fd);
    return status;
}
