#include "tests/pty/line.h"

#include "tests/check.h"

#include "src/cli/cli.h"

#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <vterm.h>

enum {
    OUTPUT_MAX = 1 << 22,
    INPUT_BYTES = 1 << 16,
    ANSWERS_MAX = 256,
    BUFFER_BYTES = 4096, /* that the line takes before the program is kept waiting */
    SETTLED_MS = 4000,   /* in which nothing is sent: all has been */
};

/* A look for keys between two slices of work takes the time of such a slice. */
static const double slice_ms = 0.5;

struct answer {
    double at_ms;
    size_t length;
};

/* The one line. Program and test run in turn: whoever has the baton may touch it. */
static struct {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t moved;
    bool is_programs_turn, has_ended, is_lost;
    int status;
    double now_ms, until_ms; /* when it is the test's turn again */
    double began_ms;         /* by the machine's clock */
    struct line_options options;
    double next_ms;    /* when the next byte arrives */
    double arrived_ms; /* when the last one did */
    char *sent;
    size_t used, arrived, drawn;
    unsigned char input[INPUT_BYTES];
    size_t typed, read; /* of the input, what is there, and what the program has taken */
    unsigned char said[INPUT_BYTES]; /* by the terminal */
    size_t said_used, said_taken;
    struct answer answer[ANSWERS_MAX];
    int answers, answered;
    VTerm *vterm;
    VTermScreen *screen;
    char home[64], row[4096], words[1024];
} line;

static _Thread_local bool is_program;

/* In both threads: a test cannot fail in the other one. */
static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "line: %s\n", what);
    abort();
}

/* ---- taking turns ----------------------------------------------------------------------------------------------- */

/* Lets the other go on, and waits until it is this one's turn again. */
static void hand_over(bool to_program)
{
    pthread_mutex_lock(&line.mutex);
    line.is_programs_turn = to_program;
    pthread_cond_broadcast(&line.moved);
    while (line.is_programs_turn == to_program && !(to_program && line.has_ended))
        pthread_cond_wait(&line.moved, &line.mutex);
    pthread_mutex_unlock(&line.mutex);
}

static void *run_program(void *unused)
{
    static char *argv[32];
    int argc = 0;
    char *rest = NULL;
    (void)unused;
    is_program = true;
    pthread_mutex_lock(&line.mutex);
    while (!line.is_programs_turn)
        pthread_cond_wait(&line.moved, &line.mutex);
    pthread_mutex_unlock(&line.mutex);
    argv[argc++] = (char *)(uintptr_t) "shardtop";
    for (char *word = strtok_r(line.words, " ", &rest); word && argc < 31; word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    argv[argc] = NULL;
    int status = cli_run(argc, argv);
    pthread_mutex_lock(&line.mutex);
    line.status = status;
    line.has_ended = true;
    line.is_programs_turn = false;
    pthread_cond_broadcast(&line.moved);
    pthread_mutex_unlock(&line.mutex);
    return NULL;
}

/* ---- the line --------------------------------------------------------------------------------------------------- */

/* Gives the screen what arrived, in whole characters, and keeps what it answers. */
static void show_arrived(void)
{
    size_t end = line.arrived;
    while (end > line.drawn && end < line.used && ((unsigned char)line.sent[end] & 0xc0) == 0x80)
        end--;
    vterm_input_write(line.vterm, line.sent + line.drawn, end - line.drawn);
    line.drawn = end;
    char text[512];
    size_t n = vterm_output_read(line.vterm, text, sizeof text);
    if (n == 0 || line.options.is_mute)
        return;
    must(line.answers < ANSWERS_MAX && line.said_used + n <= sizeof line.said, "too many answers");
    memcpy(line.said + line.said_used, text, n);
    line.said_used += n;
    line.answer[line.answers++] = (struct answer){line.arrived_ms + line.options.delay_ms, n};
}

/* What has arrived by now, either way. */
static void bring_up_to_date(void)
{
    while (line.arrived < line.used && line.next_ms <= line.now_ms) {
        line.arrived_ms = line.next_ms;
        line.arrived++;
        line.next_ms += line.options.bytes_per_s > 0 ? 1000 / line.options.bytes_per_s : 0;
        if (line.sent[line.arrived - 1] == 'n' || line.arrived == line.used || line.next_ms > line.now_ms)
            show_arrived(); /* at each question, for the moment of its answer */
    }
    for (; line.answered < line.answers && line.answer[line.answered].at_ms <= line.now_ms; line.answered++) {
        size_t n = line.answer[line.answered].length;
        must(line.typed + n <= sizeof line.input, "too much is said");
        memcpy(line.input + line.typed, line.said + line.said_taken, n);
        line.said_taken += n;
        line.typed += n;
    }
    if (line.answered == line.answers) /* all that was said has been heard */
        line.answers = line.answered = 0, line.said_used = line.said_taken = 0;
}

/* When the next answer comes in; for ever where none is under way. */
static double next_answer_ms(void)
{
    return line.answered < line.answers ? line.answer[line.answered].at_ms
           : line.arrived < line.used   ? line.next_ms
                                        : INFINITY;
}

/* The program waits until then, or for the next thing that happens on the line; the test goes on in its time. */
static void wait_until(double ms)
{
    double next = fmin(ms, next_answer_ms());
    if (next > line.until_ms) {
        line.now_ms = line.until_ms;
        bring_up_to_date();
        hand_over(false);
    } else {
        line.now_ms = fmax(line.now_ms, next);
        bring_up_to_date();
    }
}

/* ---- what the program asks for ---------------------------------------------------------------------------------- */

int __real_poll(struct pollfd *files, nfds_t count, int ms);
ssize_t __real_read(int fd, void *bytes, size_t size);
ssize_t __real_write(int fd, const void *bytes, size_t size);
int __real_clock_gettime(clockid_t clock, struct timespec *out);
int __real_isatty(int fd);
int __real_tcgetattr(int fd, struct termios *out);
int __real_tcsetattr(int fd, int when, const struct termios *settings);
int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_poll(struct pollfd *files, nfds_t count, int ms);
ssize_t __wrap_read(int fd, void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out);
int __wrap_isatty(int fd);
int __wrap_tcgetattr(int fd, struct termios *out);
int __wrap_tcsetattr(int fd, int when, const struct termios *settings);
int __wrap_ioctl(int fd, unsigned long request, ...);

static bool is_terminal(int fd)
{
    return is_program && (fd == 0 || fd == 1);
}

/* Whether there is something to do for a program that polls these files: how many of them. */
static int ready(struct pollfd *files, nfds_t count)
{
    int found = 0;
    for (nfds_t i = 0; i < count; i++) {
        if (!is_terminal(files[i].fd)) {
            found += __real_poll(&files[i], 1, 0) > 0;
            continue;
        }
        files[i].revents = line.is_lost ? POLLHUP : line.read < line.typed ? POLLIN & files[i].events : 0;
        files[i].revents = (short)(files[i].revents | (files[i].events & POLLOUT));
        found += files[i].revents != 0;
    }
    return found;
}

int __wrap_poll(struct pollfd *files, nfds_t count, int ms)
{
    if (!is_program)
        return __real_poll(files, count, ms);
    double end = ms < 0 ? INFINITY : line.now_ms + (ms == 0 ? slice_ms : ms);
    bring_up_to_date();
    int found = ready(files, count);
    while (found == 0 && line.now_ms < end) {
        wait_until(end);
        found = ready(files, count);
    }
    return found;
}

ssize_t __wrap_read(int fd, void *bytes, size_t size)
{
    if (!is_terminal(fd))
        return __real_read(fd, bytes, size);
    size_t n = line.typed - line.read < size ? line.typed - line.read : size;
    memcpy(bytes, line.input + line.read, n);
    line.read += n;
    if (line.read == line.typed)
        line.read = line.typed = 0;
    return (ssize_t)n;
}

ssize_t __wrap_write(int fd, const void *bytes, size_t size)
{
    if (!is_terminal(fd))
        return __real_write(fd, bytes, size);
    bring_up_to_date();
    while (line.used - line.arrived + size > BUFFER_BYTES && line.used > line.arrived && !line.is_lost)
        wait_until(line.next_ms);
    must(line.used + size <= OUTPUT_MAX, "too much output");
    if (line.arrived == line.used)
        line.next_ms = line.now_ms + (line.options.bytes_per_s > 0 ? 1000 / line.options.bytes_per_s : 0);
    memcpy(line.sent + line.used, bytes, size);
    line.used += size;
    return (ssize_t)size;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *out)
{
    if (!is_program || clock != CLOCK_MONOTONIC)
        return __real_clock_gettime(clock, out);
    double ms = line.began_ms + line.now_ms;
    out->tv_sec = (time_t)(ms / 1e3);
    out->tv_nsec = (long)((ms - (double)out->tv_sec * 1e3) * 1e6);
    return 0;
}

int __wrap_isatty(int fd)
{
    return is_terminal(fd) ? 1 : __real_isatty(fd);
}

int __wrap_tcgetattr(int fd, struct termios *out)
{
    if (!is_terminal(fd))
        return __real_tcgetattr(fd, out);
    memset(out, 0, sizeof *out);
    cfsetospeed(out, B38400);
    return 0;
}

int __wrap_tcsetattr(int fd, int when, const struct termios *settings)
{
    return is_terminal(fd) ? 0 : __real_tcsetattr(fd, when, settings);
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    if (!is_terminal(fd) || request != TIOCGWINSZ)
        return __real_ioctl(fd, request, argument);
    *(struct winsize *)argument = (struct winsize){.ws_row = (unsigned short)line.options.rows,
                                                   .ws_col = (unsigned short)line.options.columns};
    return 0;
}

/* ---- for tests -------------------------------------------------------------------------------------------------- */

static void set_environment(void)
{
    static const char *const gone[] = {"XDG_STATE_HOME", "XDG_CONFIG_HOME", "NO_COLOR",  "SHARDTOP_TEST_SYNC",
                                       "ESCDELAY",       "TMUX",            "COLORTERM", "TERMINFO"};
    for (size_t i = 0; i < COUNT(gone); i++)
        unsetenv(gone[i]);
    setenv("HOME", line.home, 1);
    setenv("TERM", "xterm-256color", 1);
}

void line_start(const struct line_options *options)
{
    memset(&line, 0, sizeof line);
    line.options = *options;
    line.options.rows = options->rows ? options->rows : 24;
    line.options.columns = options->columns ? options->columns : 80;
    snprintf(line.words, sizeof line.words, "%s", options->arguments ? options->arguments : "");
    snprintf(line.home, sizeof line.home, "/tmp/shardtop-line-XXXXXX");
    assert_non_null(mkdtemp(line.home));
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    line.began_ms = (double)now.tv_sec * 1e3;
    line.sent = calloc(1, OUTPUT_MAX + 1);
    assert_non_null(line.sent);
    line.vterm = vterm_new(line.options.rows, line.options.columns);
    vterm_set_utf8(line.vterm, 1);
    line.screen = vterm_obtain_screen(line.vterm);
    vterm_screen_enable_altscreen(line.screen, 1);
    vterm_screen_reset(line.screen, 1);
    set_environment();
    pthread_mutex_init(&line.mutex, NULL);
    pthread_cond_init(&line.moved, NULL);
    assert_int_equal(pthread_create(&line.thread, NULL, run_program, NULL), 0);
}

static int remove_one(const char *path, const struct stat *info, int flag, struct FTW *where)
{
    (void)info, (void)flag, (void)where;
    return remove(path);
}

int line_end(void)
{
    if (!line.vterm)
        return 0;
    line.is_lost = true;
    while (!line.has_ended)
        line_run(10);
    pthread_join(line.thread, NULL);
    vterm_free(line.vterm);
    line.vterm = NULL;
    free(line.sent);
    nftw(line.home, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return line.status;
}

bool line_is_up(void)
{
    return !line.has_ended;
}

void line_type(const char *keys)
{
    size_t n = strlen(keys);
    assert_true(line.typed + n <= sizeof line.input);
    memcpy(line.input + line.typed, keys, n);
    line.typed += n;
}

void line_run(double ms)
{
    line.until_ms = line.now_ms + ms;
    if (!line.has_ended)
        hand_over(true);
    line.now_ms = line.until_ms;
    bring_up_to_date();
}

double line_until(const char *text, double most_ms)
{
    enum { STEP_MS = 5 };
    double start = line.now_ms;
    while (!line_shows(text) && line.now_ms < start + most_ms)
        line_run(STEP_MS);
    line_expect(text);
    return line.now_ms - start;
}

double line_settle(void)
{
    double start = line.now_ms, last = start;
    for (size_t before = 0; line.now_ms < last + SETTLED_MS || line.arrived < line.used;) {
        before = line.arrived;
        line_run(100);
        last = line.arrived > before ? line.arrived_ms : last;
    }
    return last - start;
}

void line_resize(int rows, int columns)
{
    line.options.rows = rows;
    line.options.columns = columns;
    vterm_set_size(line.vterm, rows, columns);
    raise(SIGWINCH);
}

void line_mute(bool is_mute)
{
    line.options.is_mute = is_mute;
}

const char *line_row(int row)
{
    VTermRect rect = {.start_row = row, .end_row = row + 1, .start_col = 0, .end_col = line.options.columns};
    size_t n = vterm_screen_get_text(line.screen, line.row, sizeof line.row - 1, rect);
    while (n > 0 && line.row[n - 1] == ' ')
        n--;
    line.row[n] = '\0';
    return line.row;
}

bool line_shows(const char *text)
{
    for (int row = 0; row < line.options.rows; row++)
        if (strstr(line_row(row), text))
            return true;
    return false;
}

void line_expect(const char *text)
{
    if (line_shows(text))
        return;
    print_error("'%s' is not on the screen after %.0f ms:\n", text, line.now_ms);
    for (int row = 0; row < line.options.rows; row++)
        print_error("%s\n", line_row(row));
    fail();
}

const char *line_sent(size_t *count)
{
    *count = line.used;
    return line.sent;
}

size_t line_unread(void)
{
    return line.typed - line.read;
}

double line_now(void)
{
    return line.now_ms;
}
