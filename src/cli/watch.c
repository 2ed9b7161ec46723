#include "src/cli/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/show/figure.h"
#include "src/runs/watch.h"
#include "src/text/errors.h"
#include "src/text/json_out.h"
#include "src/text/text.h"
#include "ui/canvas.h"
#include "ui/term.h"

enum { BLOCK = 1 << 16, LOOK_MS = 500 };

/** A log that is followed. */
struct follow {
    const char *path;
    int fd;
    bool is_stream; /* ends for good when it ends */
    off_t at;
    struct watch *watch;
};

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static int begin(struct follow *follow, const char *path, struct errors *errors)
{
    bool is_stdin = strcmp(path, "-") == 0;
    struct stat about;
    follow->path = path;
    follow->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (follow->fd < 0 || fstat(follow->fd, &about) != 0 || S_ISDIR(about.st_mode)) {
        errors_add(errors, path, 0, NULL, "cannot be followed: %s; give the log that the run writes",
                   follow->fd >= 0 ? "it is a folder" : strerror(errno));
        return -1;
    }
    follow->is_stream = !S_ISREG(about.st_mode);
    return 0;
}

/* A log that is shorter than what was read, or another file of the same name, begins again. */
static void check_replaced(struct follow *follow)
{
    struct stat open_now, named;
    if (follow->is_stream || fstat(follow->fd, &open_now) != 0)
        return;
    bool is_other = stat(follow->path, &named) == 0 && (named.st_ino != open_now.st_ino || named.st_dev != open_now.st_dev);
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
        if (view.rows && (view.step != before.step || view.rows != before.rows || view.is_out_of_memory != before.is_out_of_memory)) {
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

static void draw_rows(struct canvas *canvas, const struct watch_view *view, int width)
{
    int y = 2;
    for (int i = 0; i < view->rows; i++, y++) {
        struct buffer text = {0};
        watch_row_text(&text, &view->row[i]);
        canvas_fit(canvas, 1, y, width - 2, view->row[i].is_beyond ? ROLE_WARN : ROLE_TEXT, text.text);
        buffer_free(&text);
    }
    if (!view->rows)
        canvas_fit(canvas, 1, y++, width - 2, ROLE_DIM, "nothing is measured yet: the log has no iteration and no memory");
    else if (!view->is_judged)
        canvas_fit(canvas, 1, y++, width - 2, ROLE_DIM, "times are compared after a few more iterations");
    if (view->cause[0])
        canvas_wrap(canvas, 1, y + 1, width - 2, ROLE_WARN, view->cause);
}

static void draw(struct canvas *canvas, const struct follow *follow, const struct watch_view *view)
{
    int width, height;
    char name[200], left[80] = "";
    term_size(&width, &height);
    canvas_clear(canvas);
    text_clean(follow->path, name, sizeof name);
    int x = canvas_format(canvas, 1, 0, ROLE_TITLE, "%s, %s", name, view->kind);
    if (view->steps > view->step && isfinite(view->iteration_s))
        snprintf(left, sizeof left, ", %s left", figure(FIGURE_SECONDS, (view->steps - view->step) * view->iteration_s).text);
    if (view->step >= 0)
        canvas_format(canvas, x + 2, 0, ROLE_TEXT, view->steps > 0 ? "step %d of %d%s" : "step %d", view->step, view->steps, left);
    draw_rows(canvas, view, width);
    if (isfinite(view->last_s))
        canvas_format(canvas, 1, height - 2, ROLE_DIM, "the last iteration %s; %s tokens/s on all GPUs", figure(FIGURE_SECONDS, view->last_s).text,
                      figure(FIGURE_EXACT, round(view->tokens_per_s)).text);
    canvas_text(canvas, 1, height - 1, ROLE_DIM, "q leaves; the run goes on");
    term_show(canvas);
}

/* True when a key asks to leave. */
static bool is_left(void)
{
    unsigned char keys[64];
    int n = term_read(keys, sizeof keys);
    for (int i = 0; i < n; i++)
        if (keys[i] == 'q' || keys[i] == 3 || (keys[i] == 27 && n == 1))
            return true;
    return false;
}

static void follow_on_screen(struct follow *follow, struct canvas *canvas)
{
    struct watch_view view;
    int width, height;
    for (bool is_done = false; !is_done;) {
        term_size(&width, &height);
        if (canvas_resize(canvas, width, height) != 0)
            return;
        while (take_block(follow) > 0 && !term_has_input())
            continue;
        check_replaced(follow);
        watch_look(follow->watch, &view);
        draw(canvas, follow, &view);
        unsigned woken = term_wait(LOOK_MS);
        if (woken & TERM_RESIZED) {
            term_size(&width, &height);
            term_resize(width, height);
        }
        if (woken & TERM_STOP)
            term_suspend();
        if (woken & (TERM_STOP | TERM_CONTINUED))
            term_forget();
        is_done = (woken & (TERM_GONE | TERM_SIGNAL)) || (woken & TERM_INPUT && is_left());
    }
}

static int show_screen(const struct cli *cli, struct follow *follow, struct errors *errors)
{
    char message[200];
    const char *no_color = getenv("NO_COLOR");
    struct canvas canvas = {0};
    struct theme theme;
    struct term_options wanted = {.name = cli->term, .no_color = cli->color == COLOR_NEVER || (no_color && *no_color)};
    if (term_open(&wanted, message, sizeof message) != 0) {
        errors_add(errors, "shardtop", 0, NULL, "%s", message);
        return STATUS_INPUT;
    }
    theme_default(&theme);
    term_theme(&theme);
    follow_on_screen(follow, &canvas);
    term_close();
    canvas_free(&canvas);
    return STATUS_DONE;
}

int watch_run(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
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
