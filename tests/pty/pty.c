#include "tests/pty/pty.h"

#include "tests/check.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <vterm.h>

enum { PATIENCE_MS = 60000, CHUNK = 65536 };

static const char sync_key[] = "\033[?9999~", mark_start[] = "\033]5151;", mark_end[] = "\033\\";

struct pty {
    int master, slave;
    int reports, orders; /* from and to the shim */
    pid_t shim, program;
    bool is_stopped, has_exited, is_alternate, has_own_home, is_mute, is_unwaiting;
    int wait_status;
    struct termios before;
    VTerm *vterm;
    VTermScreen *screen;
    int rows, columns;
    char *output;
    size_t used, size, marks_bytes, drawn; /* of the output, what the screen has been given */
    char row_text[4096];
    char home[64];
};

double pty_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* ---- the shim: a session leader between the test and the program, as a shell is ---------------------------------- */

struct report {
    char kind; /* S stopped, C continued, X ended, P process id */
    int value;
};

static void say(int fd, char kind, int value)
{
    struct report report;
    memset(&report, 0, sizeof report);
    report.kind = kind;
    report.value = value;
    if (write(fd, &report, sizeof report) < 0)
        _exit(0);
}

static void shim_main(struct pty *pty, int reports, int orders, char **argv, char **envp)
{
    int flags = fcntl(pty->slave, F_GETFL);
    fcntl(pty->slave, F_SETFL, pty->is_unwaiting ? flags | O_NONBLOCK : flags);
    signal(SIGHUP, SIG_IGN);
    signal(SIGTTOU, SIG_IGN);
    signal(SIGTSTP, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    setsid();
    ioctl(pty->slave, TIOCSCTTY, 0);
    pid_t program = fork();
    if (program == 0) {
        static const int signals[] = {SIGHUP, SIGTTOU, SIGTSTP, SIGINT, SIGQUIT, SIGPIPE};
        for (size_t i = 0; i < COUNT(signals); i++)
            signal(signals[i], SIG_DFL);
        setpgid(0, 0);
        signal(SIGTTOU, SIG_IGN);
        tcsetpgrp(pty->slave, getpid());
        signal(SIGTTOU, SIG_DFL);
        for (int i = 0; i < 3; i++)
            dup2(pty->slave, i);
        for (int fd = 3; fd < 64; fd++)
            close(fd);
        if (chdir(pty->home) == 0)
            execve(argv[0], argv, envp);
        _exit(127);
    }
    setpgid(program, program);
    tcsetpgrp(pty->slave, program);
    for (int fd = 3; fd < 64; fd++)
        if (fd != reports && fd != orders && fd != pty->slave)
            close(fd);
    say(reports, 'P', program);
    for (;;) {
        int status;
        struct pollfd wait = {.fd = orders, .events = POLLIN};
        if (waitpid(program, &status, WUNTRACED | WCONTINUED | WNOHANG) == program) {
            if (WIFSTOPPED(status)) {
                tcsetpgrp(pty->slave, getpid());
                say(reports, 'S', 0);
            } else if (WIFCONTINUED(status)) {
                say(reports, 'C', 0);
            } else {
                say(reports, 'X', status);
                _exit(0);
            }
        }
        if (poll(&wait, 1, 1) > 0) {
            char order;
            if (read(orders, &order, 1) != 1) {
                kill(-program, SIGKILL);
                _exit(0);
            }
            if (order == 'f') {
                tcsetpgrp(pty->slave, program);
                kill(-program, SIGCONT);
            }
        }
    }
}

static void take_reports(struct pty *pty, int ms)
{
    struct pollfd wait = {.fd = pty->reports, .events = POLLIN};
    while (!pty->has_exited && poll(&wait, 1, ms) > 0) {
        struct report report;
        if (read(pty->reports, &report, sizeof report) != (ssize_t)sizeof report) {
            pty->has_exited = true;
            return;
        }
        pty->is_stopped = report.kind == 'S' || (pty->is_stopped && report.kind == 'P');
        if (report.kind == 'P')
            pty->program = report.value;
        if (report.kind == 'X') {
            pty->has_exited = true;
            pty->wait_status = report.value;
        }
        ms = 0;
    }
}

/* ---- start and end ---------------------------------------------------------------------------------------------- */

static int set_property(VTermProp property, VTermValue *value, void *user)
{
    struct pty *pty = user;
    if (property == VTERM_PROP_ALTSCREEN)
        pty->is_alternate = value->boolean;
    return 1;
}

static VTermScreenCallbacks screen_callbacks = {.settermprop = set_property};

static void set_size(struct pty *pty, int rows, int columns)
{
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    pty->rows = rows;
    pty->columns = columns;
    ioctl(pty->slave, TIOCSWINSZ, &size);
}

static char **words_of(const char *program, const char *arguments, char *store, size_t size)
{
    static char *argv[32];
    int n = 0;
    char *rest = NULL;
    argv[n++] = (char *)(uintptr_t)program;
    snprintf(store, size, "%s", arguments ? arguments : "");
    for (char *word = strtok_r(store, " ", &rest); word && n < 31; word = strtok_r(NULL, " ", &rest))
        argv[n++] = word;
    argv[n] = NULL;
    return argv;
}

static char **environment_of(const struct pty_options *options, const char *home)
{
    static char store[24][512];
    static char *envp[25];
    int n = 0;
    snprintf(store[n++], 512, "TERM=%s", options->term ? options->term : "xterm-256color");
    snprintf(store[n++], 512, "LC_ALL=%s", options->locale ? options->locale : "C.UTF-8");
    snprintf(store[n++], 512, "HOME=%s", home);
    snprintf(store[n++], 512, "TZ=UTC");
    snprintf(store[n++], 512, "PATH=/usr/bin:/bin");
    snprintf(store[n++], 512, "ESCDELAY=%d", PATIENCE_MS); /* what comes in parts is never broken off */
    snprintf(store[n++], 512,
             "ASAN_OPTIONS=handle_segv=1:handle_abort=0"); /* the program's own handlers are what is tested */
    char known[PATH_MAX];
    if (realpath("tests/pty/lsan.supp", known))
        snprintf(store[n++], 512, "LSAN_OPTIONS=print_suppressions=0:suppressions=%.400s", known);
    for (int i = 0; i < 8 && options->env[i]; i++)
        snprintf(store[n++], 512, "%s", options->env[i]);
    if (!options->has_no_sync)
        snprintf(store[n++], 512, "SHARDTOP_TEST_SYNC=1"); /* of two the first counts */
    for (int i = 0; i < n; i++)
        envp[i] = store[i];
    envp[n] = NULL;
    return envp;
}

const char *pty_room(void)
{
    return access("/dev/shm", R_OK | W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp";
}

struct pty *pty_start(const struct pty_options *options)
{
    static char program[PATH_MAX];
    char store[1024];
    const char *named = getenv("SHARDTOP") ? getenv("SHARDTOP") : "build/shardtop";
    assert_that(realpath(named, program), "cannot find %s", named);
    struct pty *pty = calloc(1, sizeof *pty);
    int reports[2], orders[2];
    assert_non_null(pty);
    signal(SIGPIPE, SIG_IGN);
    pty->has_own_home = !options->home;
    pty->is_mute = options->is_mute;
    pty->is_unwaiting = options->is_unwaiting;
    snprintf(pty->home, sizeof pty->home, options->home ? "%s" : "%s/shardtop-test-XXXXXX",
             options->home ? options->home : pty_room());
    assert_true(options->home || mkdtemp(pty->home));
    assert_int_equal(openpty(&pty->master, &pty->slave, NULL, NULL, NULL), 0);
    fcntl(pty->master, F_SETFL, O_NONBLOCK);
    set_size(pty, options->rows ? options->rows : 24, options->columns ? options->columns : 80);
    tcgetattr(pty->slave, &pty->before);
    assert_int_equal(pipe(reports) | pipe(orders), 0);
    pty->shim = fork();
    if (pty->shim == 0) {
        close(pty->master);
        close(reports[0]);
        close(orders[1]);
        shim_main(pty, reports[1], orders[0], words_of(program, options->arguments, store, sizeof store),
                  environment_of(options, pty->home));
    }
    close(reports[1]);
    close(orders[0]);
    pty->reports = reports[0];
    pty->orders = orders[1];
    pty->vterm = vterm_new(pty->rows, pty->columns);
    vterm_set_utf8(pty->vterm, 1);
    pty->screen = vterm_obtain_screen(pty->vterm);
    vterm_screen_set_callbacks(pty->screen, &screen_callbacks, pty);
    vterm_screen_enable_altscreen(pty->screen, 1);
    vterm_screen_reset(pty->screen, 1);
    while (!pty->program && !pty->has_exited)
        take_reports(pty, PATIENCE_MS);
    return pty;
}

static int remove_one(const char *path, const struct stat *info, int flag, struct FTW *where)
{
    (void)info, (void)flag, (void)where;
    return remove(path);
}

void pty_end(struct pty *pty)
{
    if (!pty)
        return;
    if (!pty->has_exited && pty->program > 0)
        kill(-pty->program, SIGKILL);
    for (double until = pty_now() + PATIENCE_MS; !pty->has_exited && pty_now() < until;)
        take_reports(pty, 50); /* the shim collects the program, and ends */
    close(pty->orders);
    close(pty->reports);
    if (pty->master >= 0)
        close(pty->master);
    close(pty->slave);
    kill(pty->shim, SIGKILL);
    waitpid(pty->shim, NULL, 0);
    vterm_free(pty->vterm);
    if (pty->has_own_home)
        nftw(pty->home, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(pty->output);
    free(pty);
}

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

static void keep(struct pty *pty, const char *bytes, size_t count)
{
    if (pty->used + count + 1 > pty->size) {
        pty->size = 2 * (pty->used + count + CHUNK);
        pty->output = realloc(pty->output, pty->size);
        assert_non_null(pty->output);
    }
    memcpy(pty->output + pty->used, bytes, count);
    pty->used += count;
    pty->output[pty->used] = '\0';
}

/* Gives the screen all whole characters: libvterm shows halves of one that comes in two parts behind other text. */
static void draw(struct pty *pty)
{
    size_t end = pty->used;
    while (end > pty->drawn && pty->used - end < 3 && (pty->output[end - 1] & 0xc0) == 0x80)
        end--;
    unsigned char first = end > pty->drawn ? (unsigned char)pty->output[end - 1] : 0;
    size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    end = length == 1 || end - 1 + length <= pty->used ? pty->used : end - 1;
    vterm_input_write(pty->vterm, pty->output + pty->drawn, end - pty->drawn);
    pty->drawn = end;
}

/* Reads what is there after waiting at most `ms` for it; false when nothing came. */
static bool take_some(struct pty *pty, int ms, size_t most)
{
    static char bytes[CHUNK];
    struct pollfd wait = {.fd = pty->master, .events = POLLIN};
    if (pty->master < 0 || poll(&wait, 1, ms) <= 0)
        return false;
    ssize_t n = read(pty->master, bytes, most < sizeof bytes ? most : sizeof bytes);
    if (n <= 0)
        return false;
    keep(pty, bytes, (size_t)n);
    draw(pty);
    char answer[256];
    size_t count = vterm_output_read(pty->vterm, answer, sizeof answer);
    if (count > 0 && !pty->is_mute)
        pty_write(pty, answer, count);
    return true;
}

static bool take_output(struct pty *pty, int ms)
{
    return take_some(pty, ms, CHUNK);
}

void pty_write(struct pty *pty, const char *bytes, size_t count)
{
    double end = pty_now() + PATIENCE_MS;
    while (count > 0 && pty->master >= 0 && pty_now() < end) {
        ssize_t n = write(pty->master, bytes, count);
        if (n > 0) {
            bytes += n;
            count -= (size_t)n;
        } else if (errno == EAGAIN) {
            take_output(pty, 1);
        } else {
            return;
        }
    }
}

/* Whether a mark, the answer to the sync key, has come since byte `from`; its bytes don't count as the program's. */
static bool has_answered(struct pty *pty, size_t from)
{
    if (pty->used <= from)
        return false;
    const char *end = pty->output + pty->used, *mark;
    mark = memmem(pty->output + from, pty->used - from, mark_start, sizeof mark_start - 1);
    const char *stop = mark ? memmem(mark, (size_t)(end - mark), mark_end, sizeof mark_end - 1) : NULL;
    if (stop)
        pty->marks_bytes += (size_t)(stop - mark) + sizeof mark_end - 1;
    return stop;
}

bool pty_sync(struct pty *pty)
{
    size_t from = pty->used;
    double end = pty_now() + PATIENCE_MS;
    pty_write(pty, sync_key, sizeof sync_key - 1);
    while (pty_now() < end) {
        if (has_answered(pty, from))
            return true;
        if (!take_output(pty, 5)) {
            take_reports(pty, 0);
            if (pty->has_exited || pty->is_stopped)
                return false;
        }
    }
    char *screen = pty_screen(pty);
    print_error("no answer to the sync key within %d ms; the screen:\n%s", PATIENCE_MS, screen);
    free(screen);
    fail();
    return false;
}

int pty_unread(struct pty *pty)
{
    int unread = 0;
    return ioctl(pty->slave, FIONREAD, &unread) == 0 ? unread : 0;
}

/* Whether the program sleeps, as /proc has it. */
static bool is_asleep(const struct pty *pty)
{
    char path[64], state = '?';
    snprintf(path, sizeof path, "/proc/%d/stat", pty->program);
    FILE *file = fopen(path, "r");
    int read = file ? fscanf(file, "%*d (%*[^)]) %c", &state) : 0;
    if (file)
        fclose(file);
    return read == 1 && state == 'S';
}

bool pty_fill(struct pty *pty)
{
    static const char redraw[] = "\014\033[0n"; /* with the answer to the frame before */
    for (double end = pty_now() + PATIENCE_MS; pty_now() < end; poll(NULL, 0, 1)) {
        int unread = pty_unread(pty);
        if (!is_asleep(pty))
            continue; /* nothing is drawn while keys come in, so none comes before it waits for one */
        if (unread > 0)
            return true;
        pty_write(pty, redraw, sizeof redraw - 1);
    }
    return false;
}

void pty_type(struct pty *pty, const char *text)
{
    pty_write(pty, text, strlen(text));
    pty_sync(pty); /* which tells a lone Esc from a sequence */
}

void pty_resize(struct pty *pty, int rows, int columns)
{
    while (take_output(pty, 0))
        continue;
    vterm_set_size(pty->vterm, rows, columns);
    set_size(pty, rows, columns);
}

void pty_signal(struct pty *pty, int signal_number)
{
    kill(pty->program, signal_number);
}

void pty_drop(struct pty *pty)
{
    close(pty->master);
    pty->master = -1;
}

void pty_foreground(struct pty *pty)
{
    if (write(pty->orders, "f", 1) == 1)
        pty->is_stopped = false;
}

/* ---- the screen ------------------------------------------------------------------------------------------------- */

void pty_settle(struct pty *pty, int quiet_ms)
{
    while (take_output(pty, quiet_ms))
        continue;
}

double pty_trickle(struct pty *pty, double bytes_per_s, int ms)
{
    double start = pty_now(), last = 0, taken = 0;
    while (pty_now() < start + ms) {
        double allowed = (pty_now() - start) / 1e3 * bytes_per_s - taken;
        size_t before = pty->used;
        if (allowed >= 1 && take_some(pty, 0, (size_t)allowed)) {
            taken += (double)(pty->used - before);
            last = pty_now() - start;
        } else if (allowed > bytes_per_s / 50) {
            taken += allowed; /* an idle line saves nothing up */
        }
        poll(NULL, 0, 2);
    }
    return last;
}

const char *pty_row(struct pty *pty, int row)
{
    VTermRect rect = {.start_row = row, .end_row = row + 1, .start_col = 0, .end_col = pty->columns};
    size_t n = vterm_screen_get_text(pty->screen, pty->row_text, sizeof pty->row_text - 1, rect);
    while (n > 0 && pty->row_text[n - 1] == ' ')
        n--;
    pty->row_text[n] = '\0';
    return pty->row_text;
}

char *pty_screen(struct pty *pty)
{
    size_t size = (size_t)pty->rows * ((size_t)pty->columns * 4 + 2) + 1, used = 0;
    char *text = calloc(1, size);
    assert_non_null(text);
    for (int row = 0; row < pty->rows; row++)
        used += (size_t)snprintf(text + used, size - used, "%s\n", pty_row(pty, row));
    return text;
}

bool pty_find(struct pty *pty, const char *text, int *row, int *column)
{
    for (*row = 0; *row < pty->rows; ++*row) {
        const char *line = pty_row(pty, *row), *at = strstr(line, text);
        if (!at)
            continue;
        *column = 0;
        for (const char *p = line; p < at; p++)
            *column += (*p & 0xc0) != 0x80;
        return true;
    }
    return false;
}

bool pty_shows(struct pty *pty, const char *text)
{
    int row, column;
    return pty_find(pty, text, &row, &column);
}

bool pty_wait_for(struct pty *pty, const char *text, int ms)
{
    for (double end = pty_now() + ms; pty_now() < end;) {
        if (pty_shows(pty, text))
            return true;
        take_output(pty, 5);
    }
    return pty_shows(pty, text);
}

void pty_expect(struct pty *pty, const char *text)
{
    if (pty_shows(pty, text))
        return;
    char *screen = pty_screen(pty);
    print_error("'%s' is not on the screen:\n%s", text, screen);
    free(screen);
    fail();
}

bool pty_cursor(struct pty *pty, int *row, int *column)
{
    VTermPos at;
    vterm_state_get_cursorpos(vterm_obtain_state(pty->vterm), &at);
    *row = at.row;
    *column = at.col;
    return !strstr(pty_leftovers(pty), "cursor");
}

static bool has_colour(const VTermScreenCell *cell)
{
    return !VTERM_COLOR_IS_DEFAULT_FG(&cell->fg) || !VTERM_COLOR_IS_DEFAULT_BG(&cell->bg);
}

bool pty_has_colour(struct pty *pty)
{
    VTermScreenCell cell;
    for (int row = 0; row < pty->rows; row++)
        for (int column = 0; column < pty->columns; column++)
            if (vterm_screen_get_cell(pty->screen, (VTermPos){row, column}, &cell) && has_colour(&cell))
                return true;
    return false;
}

bool pty_is_marked(struct pty *pty, int row, int column)
{
    VTermScreenCell cell;
    return vterm_screen_get_cell(pty->screen, (VTermPos){row, column}, &cell) &&
           (cell.attrs.bold || cell.attrs.reverse || cell.attrs.underline || has_colour(&cell));
}

const char *pty_output(struct pty *pty, size_t *count)
{
    *count = pty->used;
    return pty->output ? pty->output : "";
}

size_t pty_bytes(struct pty *pty)
{
    return pty->used - pty->marks_bytes;
}

bool pty_is_alternate(struct pty *pty)
{
    return pty->is_alternate;
}

/* The last setting of each private mode against what a fresh terminal has. */
const char *pty_leftovers(struct pty *pty)
{
    static const struct {
        const char *number, *name;
        char found;
    } modes[] = {{"1049", "alternate screen", 'l'},
                 {"47", "alternate screen", 'l'},
                 {"25", "cursor", 'h'},
                 {"1000", "mouse", 'l'},
                 {"1002", "mouse", 'l'},
                 {"1003", "mouse", 'l'},
                 {"1006", "mouse", 'l'},
                 {"2004", "paste", 'l'},
                 {"2026", "synchronised update", 'l'},
                 {"1004", "focus reports", 'l'},
                 {"1", "cursor keys", 'l'}};
    static char out[256];
    out[0] = '\0';
    for (size_t i = 0; i < COUNT(modes); i++) {
        char last = modes[i].found;
        for (const char *p = pty->output; p && (p = strstr(p, "\033[?")); p++) {
            /* several modes may be set at once: \033[?1006;1000h */
            const char *number = p + 3, *end = number + strspn(number, "0123456789;");
            for (; number < end; number += strcspn(number, ";hl") + 1)
                if (strcspn(number, ";hl") == strlen(modes[i].number) &&
                    memcmp(number, modes[i].number, strlen(modes[i].number)) == 0 && (*end == 'h' || *end == 'l'))
                    last = *end;
        }
        if (last != modes[i].found)
            snprintf(out + strlen(out), sizeof out - strlen(out), "%s%s", out[0] ? ", " : "", modes[i].name);
    }
    return out;
}

/* ---- the process ------------------------------------------------------------------------------------------------ */

int pty_wait_exit(struct pty *pty, int ms)
{
    for (double end = pty_now() + ms; !pty->has_exited && pty_now() < end;) {
        take_output(pty, 0);
        take_reports(pty, 1);
    }
    while (take_output(pty, 0))
        continue;
    if (!pty->has_exited)
        return -1;
    return WIFEXITED(pty->wait_status) ? WEXITSTATUS(pty->wait_status) : 128 + WTERMSIG(pty->wait_status);
}

bool pty_ends_unread(struct pty *pty, int ms)
{
    for (double end = pty_now() + ms; !pty->has_exited && pty_now() < end;)
        take_reports(pty, ms);
    return pty->has_exited;
}

bool pty_wait_stopped(struct pty *pty, int ms)
{
    for (double end = pty_now() + ms; !pty->is_stopped && !pty->has_exited && pty_now() < end;) {
        take_output(pty, 0);
        take_reports(pty, 1);
    }
    while (take_output(pty, 0))
        continue;
    return pty->is_stopped;
}

bool pty_is_restored(struct pty *pty)
{
    struct termios now;
    tcgetattr(pty->slave, &now);
    return now.c_iflag == pty->before.c_iflag && now.c_oflag == pty->before.c_oflag &&
           now.c_cflag == pty->before.c_cflag && now.c_lflag == pty->before.c_lflag &&
           memcmp(now.c_cc, pty->before.c_cc, sizeof now.c_cc) == 0;
}

int pty_pid(struct pty *pty)
{
    return pty->program;
}

const char *pty_home(struct pty *pty)
{
    return pty->home;
}
