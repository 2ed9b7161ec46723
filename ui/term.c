#include "ui/term.h"

#include "core/base.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

/* Curses keeps its state in globals, and signal handlers can reach nothing else: this is the program's one terminal. */
static struct {
    SCREEN *screen;
    FILE *in, *out;
    int fd;                /* for reading and escape sequences */
    int pipe[2];           /* signal handlers write here */
    struct termios before; /* as it was found */
    bool is_open, has_mouse, has_sync, has_status;
    char reset[256]; /* gives the terminal back, safe in a signal handler */
    size_t reset_length;
    int ending_signal;
    unsigned waiting; /* enum term_wake bits that came while suspended */
    struct cell *shown; /* what the terminal shows */
    int shown_width, shown_height;
    int cursor_x, cursor_y; /* where its cursor stands */
    size_t shown_room;
    bool is_forgotten;
    char charset[16]; /* gives the terminal its own character set */
    attr_t attributes[ROLE_COUNT];
    bool shows_nothing[ROLE_COUNT]; /* on a blank */
    bool has_colors;
} term = {.fd = -1, .pipe = {-1, -1}};

/* ---- signals ---------------------------------------------------------------------------------------------------- */

static void on_signal(int number)
{
    int kept = errno;
    unsigned char byte = (unsigned char)number;
    if (write(term.pipe[1], &byte, 1) < 0)
        errno = kept;
    errno = kept;
}

/* A signal that ends the program; a terminal that takes nothing must not keep it. */
static void on_ending(int number)
{
    on_signal(number);
    alarm(1);
}

/* Drops what the terminal has not taken, so that a write that waits for it goes on. */
static void on_alarm(int number)
{
    int kept = errno;
    (void)number;
    tcflush(term.fd, TCOFLUSH);
    alarm(1);
    errno = kept;
}

/* Gives the terminal back with nothing but write() and tcsetattr(). */
static void restore_raw(void)
{
    if (!term.is_open)
        return;
    term.is_open = false;
    for (size_t at = 0; at < term.reset_length;) {
        ssize_t n = write(term.fd, term.reset + at, term.reset_length - at);
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    tcsetattr(term.fd, TCSANOW, &term.before);
}

static void on_crash(int number)
{
    static const char note[] = "shardtop: internal error. Start it with --restore to go on with the last plan.\n";
    restore_raw();
    if (write(2, note, sizeof note - 1) < 0)
        _exit(3);
    raise(number); /* SA_RESETHAND: the default action now */
}

static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static const int event_signals[] = {SIGWINCH, SIGTSTP, SIGCONT};
static const int ending_signals[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};
static const int crash_signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};

static void handle_all(const int numbers[], size_t count, void (*handler)(int), int flags)
{
    for (size_t i = 0; i < count; i++)
        handle(numbers[i], handler, flags);
}

static void install_handlers(void)
{
    handle_all(event_signals, LENGTH(event_signals), on_signal, SA_RESTART);
    handle_all(ending_signals, LENGTH(ending_signals), on_ending, SA_RESTART);
    handle_all(crash_signals, LENGTH(crash_signals), on_crash, (int)SA_RESETHAND | SA_NODEFER);
    handle(SIGALRM, on_alarm, SA_RESTART);
    handle(SIGPIPE, SIG_IGN, 0);
}

static void remove_handlers(void)
{
    alarm(0);
    handle_all(event_signals, LENGTH(event_signals), SIG_DFL, 0);
    handle_all(ending_signals, LENGTH(ending_signals), SIG_DFL, 0);
    handle_all(crash_signals, LENGTH(crash_signals), SIG_DFL, 0);
    handle(SIGALRM, SIG_DFL, 0);
    handle(SIGPIPE, SIG_DFL, 0);
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

static int refuse(char *message, size_t size, const char *text)
{
    snprintf(message, size, "%s", text);
    return -1;
}

/* Standard input and output when both are the terminal, else /dev/tty. */
static int open_files(char *message, size_t size)
{
    if (isatty(0) && isatty(1)) {
        term.in = stdin;
        term.out = stdout;
        term.fd = 0;
        return 0;
    }
    term.fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
    if (term.fd < 0)
        return refuse(message, size,
                      "there is no terminal; `shardtop show` prints the report, `shardtop --plain` is the line mode");
    term.in = fdopen(dup(term.fd), "r");
    term.out = fdopen(dup(term.fd), "w");
    return term.in && term.out ? 0 : refuse(message, size, "the terminal cannot be opened; use `shardtop show`");
}

/* Undoes what was set up before the screen could be opened. */
static int give_up(void)
{
    remove_handlers();
    for (int i = 0; i < 2; i++) {
        if (term.pipe[i] >= 0)
            close(term.pipe[i]);
        term.pipe[i] = -1;
    }
    if (term.in && term.in != stdin)
        fclose(term.in);
    if (term.out && term.out != stdout)
        fclose(term.out);
    if (term.fd > 0)
        close(term.fd);
    term.in = term.out = NULL;
    term.fd = -1;
    return -1;
}

/* True for a size that no terminal has, where curses runs out of memory. */
static bool is_boundless(void)
{
    struct winsize size = {0};
    return ioctl(term.fd, TIOCGWINSZ, &size) == 0 && (size.ws_col > 10000 || size.ws_row > 10000);
}

/* The terminal as it is described on this machine, else as the program itself does. */
static SCREEN *open_known(const char *name, const struct term_options *options)
{
    SCREEN *screen = newterm(name, term.out, term.in);
    const char *inside = !screen && options->describe ? options->describe(name) : NULL;
    if (!inside || setenv("TERMINFO", inside, 1) != 0)
        return screen;
    return newterm(name, term.out, term.in);
}

/* The terminal by name; one that is not known is taken for the nearest common one. */
static int open_screen(const char *name, const struct term_options *options, char *message, size_t size)
{
    char known[64];
    bool is_inside = name && (strncmp(name, "screen", 6) == 0 || strncmp(name, "tmux", 4) == 0);
    const char *fallback = is_inside ? "screen-256color" : "xterm-256color";
    snprintf(known, sizeof known, "%s", name ? name : "");
    message[0] = '\0';
    if (known[0])
        term.screen = open_known(known, options);
    if (!term.screen) {
        term.screen = open_known(fallback, options);
        snprintf(message, size,
                 "terminal '%.40s' is not known here, so it is taken for %s; --term NAME names another", known, fallback);
    }
    if (!term.screen)
        return refuse(message, size,
                      is_boundless() ? "the terminal does not know its size; set it with `stty rows 40 cols 120`"
                                     : "no terminal description is installed; `shardtop show` and `--plain` need none");
    set_term(term.screen);
    const char *move = tigetstr("cup");
    term.has_status = move && move != (const char *)-1 && strncmp(move, "\033[", 2) == 0;
    if (!move || move == (const char *)-1) {
        endwin();
        delscreen(term.screen);
        term.screen = NULL;
        tcsetattr(term.fd, TCSANOW, &term.before);
        snprintf(message, size, "terminal '%.40s' cannot place the cursor; use `shardtop --plain` or `shardtop show`",
                 known);
        return -1;
    }
    return 0;
}

/* Cuts a part out of a capability where it has it; returns true when it did. */
static bool cut(const char *capability, const char *part)
{
    char *text = tigetstr(capability), *at = text && text != (char *)-1 ? strstr(text, part) : NULL;
    if (at)
        memmove(at, at + strlen(part), strlen(at + strlen(part)) + 1);
    return at;
}

/*
 * Curses leaves a second character set with every change of colours. Nothing here enters it: said once, bytes are
 * saved.
 */
static void keep_charset(void)
{
    static const struct {
        const char *leave, *choose;
    } ways[] = {{"\033(B", "%?%p9%t\033(0%e\033(B%;"}, {"\017", "%?%p9%t\016%e\017%;"}};
    for (size_t i = 0; i < LENGTH(ways); i++)
        if (cut("sgr", ways[i].choose) && cut("sgr0", ways[i].leave))
            snprintf(term.charset, sizeof term.charset, "%s", ways[i].leave);
}

/* Appends a capability without its padding marks. */
static void add_reset(const char *text)
{
    if (!text || text == (const char *)-1)
        return;
    while (*text && term.reset_length + 1 < sizeof term.reset) {
        if (text[0] == '$' && text[1] == '<' && strchr(text, '>'))
            text = strchr(text, '>') + 1;
        else
            term.reset[term.reset_length++] = *text++;
    }
}

/* Everything that a frame may have left on. */
static void prepare_reset(bool is_xterm_like)
{
    term.reset_length = 0;
    if (is_xterm_like)
        add_reset("\033[?2026l\033[?1006l\033[?1000l\033[?2004l");
    add_reset(tigetstr("sgr0"));
    add_reset(tigetstr("op"));
    add_reset(tigetstr("rmkx"));
    add_reset(tigetstr("rmcup"));
    add_reset(tigetstr("cnorm"));
    add_reset("\r");
}

static bool is_xterm_like(const char *name)
{
    static const char *const plain[] = {"vt", "linux", "dumb", "ansi", "cons", "sun", "wy"};
    for (size_t i = 0; name && i < LENGTH(plain); i++)
        if (strncmp(name, plain[i], strlen(plain[i])) == 0)
            return false;
    return true;
}

static void set_modes(const struct term_options *options)
{
    raw();
    noecho();
    nonl();
    intrflush(stdscr, FALSE);
    typeahead(-1); /* frames are skipped by the loop, not half-way by curses */
    scrollok(stdscr, FALSE);
    term.has_colors = has_colors() && (!options->no_color || options->always_color);
    if (term.has_colors) {
        start_color();
        use_default_colors();
    }
}

/* A pipe that signals can write to: never waiting, and not handed to other programs. */
static int open_pipe(int ends[2])
{
    if (pipe(ends) != 0)
        return -1;
    int failed = 0;
    for (int i = 0; i < 2; i++)
        failed |= fcntl(ends[i], F_SETFD, FD_CLOEXEC) | fcntl(ends[i], F_SETFL, O_NONBLOCK);
    return failed;
}

int term_open(const struct term_options *options, char *message, size_t size)
{
    const char *name = options->name ? options->name : getenv("TERM");
    if (open_files(message, size) != 0)
        return give_up();
    if (open_pipe(term.pipe) != 0 || tcgetattr(term.fd, &term.before) != 0) {
        refuse(message, size, "the terminal cannot be set up; use `shardtop show`");
        return give_up();
    }
    install_handlers();
    if (open_screen(name, options, message, size) != 0)
        return give_up();
    term.has_sync = is_xterm_like(name) && !options->slow;
    prepare_reset(is_xterm_like(name));
    keep_charset();
    set_modes(options);
    term.is_open = true;
    term.is_forgotten = true;
    if (is_xterm_like(name))
        term_write("\033[?2004h", 8);
    return 0;
}

void term_close(void)
{
    if (!term.is_open)
        return;
    if (term.has_mouse)
        term_mouse(false);
    if (term.has_sync)
        term_write("\033[?2004l", 8);
    endwin();
    term.is_open = false;
    tcsetattr(term.fd, TCSANOW, &term.before);
    alarm(0);
    delscreen(term.screen);
    free(term.shown);
    term.shown = NULL;
    term.screen = NULL;
}

/* ---- size ------------------------------------------------------------------------------------------------------- */

void term_size(int *width, int *height)
{
    struct winsize size = {0};
    if (ioctl(term.fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
        *width = COLS > 0 ? COLS : 80;
        *height = LINES > 0 ? LINES : 24;
        return;
    }
    *width = size.ws_col > 1000 ? 1000 : size.ws_col;
    *height = size.ws_row > 500 ? 500 : size.ws_row;
}

void term_resize(int width, int height)
{
    resizeterm(height, width);
    term_forget();
}

/* ---- colours ---------------------------------------------------------------------------------------------------- */

void term_theme(const struct theme *theme)
{
    for (int role = 0; role < ROLE_COUNT; role++) {
        struct look look = theme_look(theme, (enum role)role, COLORS);
        attr_t a = (look.bold ? A_BOLD : 0) | (look.underline ? A_UNDERLINE : 0);
        a |= (look.reverse ? A_REVERSE : 0) | (look.dim ? A_DIM : 0);
        if (term.has_colors && (look.fg256 >= 0 || look.bg256 >= 0) && role + 1 < COLOR_PAIRS) {
            init_pair((short)(role + 1), look.fg256, look.bg256);
            a |= COLOR_PAIR(role + 1);
        } else if (!term.has_colors && look.bg256 >= 0) {
            a |= A_REVERSE; /* what only a background told apart */
        }
        term.attributes[role] = a;
        term.shows_nothing[role] = look.bg256 < 0 && !(a & (A_REVERSE | A_UNDERLINE));
    }
    term_forget();
}

/* ---- frames ----------------------------------------------------------------------------------------------------- */

void term_forget(void)
{
    term.is_forgotten = true;
}

/* Makes `shown` as large as the canvas; its content is then worthless. */
static bool fit_shown(const struct canvas *canvas)
{
    size_t need = (size_t)canvas->width * (size_t)canvas->height;
    if (need > term.shown_room) {
        free(term.shown);
        term.shown = malloc(need * sizeof *term.shown);
        term.shown_room = term.shown ? need : 0;
    }
    bool is_same = term.shown && term.shown_width == canvas->width && term.shown_height == canvas->height;
    term.shown_width = canvas->width;
    term.shown_height = canvas->height;
    return is_same;
}

/* Which cells of a row differ from what is shown: the first, the one past the last, and how many. */
struct changed {
    int from, to, count;
};

static struct changed changes_of(const struct canvas *canvas, int y)
{
    const struct cell *row = &canvas->cells[(size_t)y * (size_t)canvas->width],
                      *shown = &term.shown[row - canvas->cells];
    struct changed out = {0};
    if (memcmp(row, shown, (size_t)canvas->width * sizeof *row) == 0)
        return out;
    for (int x = 0; x < canvas->width; x++)
        if (memcmp(&row[x], &shown[x], sizeof *row) != 0) {
            out.from = out.count++ == 0 ? x : out.from;
            out.to = x + 1;
        }
    while (out.from > 0 && row[out.from].glyph == 0) /* not from the middle of a wide letter, nor to it */
        out.from--;
    while (out.to < canvas->width && row[out.to].glyph == 0)
        out.to++;
    return out;
}

static attr_t attributes_of(const struct cell *cell)
{
    attr_t a = term.attributes[cell->role];
    a |= (cell->mark & CELL_STRONG ? A_BOLD : 0) | (cell->mark & CELL_UNDER ? A_UNDERLINE : 0);
    return a ^ (cell->mark & CELL_INVERSE ? A_REVERSE : 0);
}

/* A blank that looks like any other. */
static bool is_clear(const struct cell *cell)
{
    return cell->glyph == ' ' && term.shows_nothing[cell->role] && !(cell->mark & (CELL_INVERSE | CELL_UNDER));
}

/* The column after the last cell that is not clear. */
static int end_of_row(const struct cell *row, int width)
{
    while (width > 0 && is_clear(&row[width - 1]))
        width--;
    return width;
}

/*
 * Hands the changed part of a row to curses, in runs of the same look; clear cells between take the look before them,
 * which saves two changes of it. The last cell of the screen is inserted, for it must not scroll. Returns the runs.
 */
static int put_row(const struct canvas *canvas, int y, const struct changed *part)
{
    const struct cell *row = &canvas->cells[(size_t)y * (size_t)canvas->width];
    wchar_t text[1024];
    int corner = y == canvas->height - 1 ? canvas->width - 1 : canvas->width,
        last = part->to < corner ? part->to : corner;
    int end = end_of_row(row, corner), runs = 0;
    for (int x = part->from; x < last; runs++) {
        int n = 0, start = x;
        attr_t look = attributes_of(&row[x]);
        bool is_bare = !(look & (A_REVERSE | A_UNDERLINE)) && term.shows_nothing[row[x].role];
        for (; x < last && n < 1000 && (attributes_of(&row[x]) == look || (is_bare && x < end && is_clear(&row[x])));
             x++)
            if (row[x].glyph != 0)
                text[n++] = (wchar_t)row[x].glyph;
        attrset((int)look);
        mvaddnwstr(y, start, text, n);
    }
    if (corner < part->to && row[corner].glyph != 0) {
        text[0] = (wchar_t)row[corner].glyph;
        attrset((int)attributes_of(&row[corner]));
        mvins_nwstr(y, corner, text, 1);
    }
    return runs;
}

/* What the terminal shows is not known: all will be sent. */
static void unlearn(void)
{
    if (term.is_forgotten) {
        term_write(term.charset, strlen(term.charset));
        clearok(curscr, TRUE);
        erase();
    }
    if (term.shown)
        memset(term.shown, 0xff, (size_t)term.shown_width * (size_t)term.shown_height * sizeof *term.shown);
    term.is_forgotten = false;
}

/* Hands a row to curses when it has changed and is within the room; a first one always is. */
static void send_row(const struct canvas *canvas, int y, int bytes, struct term_sent *sent)
{
    enum { ROW_BYTES = 8, RUN_BYTES = 6 }; /* for going there, and for choosing a look */
    size_t at = (size_t)y * (size_t)canvas->width;
    struct changed part = {.to = canvas->width, .count = canvas->width};
    part = term.shown ? changes_of(canvas, y) : part;
    if (part.count == 0 || y >= LINES)
        return;
    if (sent->bytes > 0 && sent->bytes + part.count + ROW_BYTES > bytes) {
        sent->is_whole = false;
        return;
    }
    sent->bytes += part.count + ROW_BYTES + RUN_BYTES * put_row(canvas, y, &part);
    if (term.shown)
        memcpy(&term.shown[at], &canvas->cells[at], (size_t)canvas->width * sizeof *term.shown);
}

struct term_sent term_show(const struct canvas *canvas, int bytes)
{
    enum { LARGE_FRAME = 180, CURSOR_BYTES = 8 };
    struct term_sent sent = {.is_whole = true};
    int x, y;
    canvas_selected(canvas, &x, &y);
    if (!fit_shown(canvas) || term.is_forgotten)
        unlearn();
    const int first[] = {0, canvas->height > 1, y};
    for (size_t i = 0; i < LENGTH(first); i++)
        send_row(canvas, first[i], bytes, &sent);
    for (int row = 0; row < canvas->height; row++)
        send_row(canvas, row, bytes, &sent);
    if (sent.bytes == 0 && x == term.cursor_x && y == term.cursor_y)
        return sent;
    term.cursor_x = x;
    term.cursor_y = y;
    move(y < LINES ? y : LINES - 1, x < COLS ? x : COLS - 1);
    bool is_marked = term.has_sync && sent.bytes >= LARGE_FRAME && sent.is_whole; /* small frames cannot tear */
    if (is_marked)
        term_write("\033[?2026h", 8);
    refresh();
    if (is_marked)
        term_write("\033[?2026l", 8);
    sent.bytes += CURSOR_BYTES;
    return sent;
}

bool term_ask(void)
{
    if (term.has_status)
        term_write("\033[5n", 4);
    return term.has_status;
}

/* ---- waiting and reading ---------------------------------------------------------------------------------------- */

/* What the signals that arrived ask for. */
static unsigned read_signals(void)
{
    unsigned char numbers[64];
    unsigned wake = 0;
    ssize_t n = read(term.pipe[0], numbers, sizeof numbers);
    for (ssize_t i = 0; i < n; i++) {
        int number = numbers[i];
        if (number == SIGWINCH)
            wake |= TERM_RESIZED;
        else if (number == SIGCONT)
            wake |= TERM_RESIZED | TERM_CONTINUED;
        else if (number == SIGTSTP)
            wake |= TERM_STOP;
        else {
            wake |= TERM_SIGNAL;
            term.ending_signal = number;
        }
    }
    return wake;
}

/* As poll(); macOS cannot poll a terminal by the name /dev/tty, but select it. */
static int wait_for(struct pollfd *files, nfds_t count, int milliseconds)
{
#if defined(__APPLE__) || defined(SELECT_TERMINAL)
    struct timeval most = {milliseconds / 1000, milliseconds % 1000 * 1000};
    fd_set ready;
    int last = 0;
    FD_ZERO(&ready);
    for (nfds_t i = 0; i < count; i++) {
        FD_SET(files[i].fd, &ready);
        last = files[i].fd > last ? files[i].fd : last;
    }
    int n = select(last + 1, &ready, NULL, NULL, milliseconds < 0 ? NULL : &most);
    for (nfds_t i = 0; i < count; i++)
        files[i].revents = n > 0 && FD_ISSET(files[i].fd, &ready) ? POLLIN : 0;
    return n;
#else
    return poll(files, count, milliseconds);
#endif
}

unsigned term_wait(int milliseconds)
{
    struct pollfd files[2] = {{.fd = term.fd, .events = POLLIN}, {.fd = term.pipe[0], .events = POLLIN}};
    unsigned waiting = term.waiting;
    int n = wait_for(files, 2, waiting ? 0 : milliseconds);
    term.waiting = 0;
    if (waiting)
        return waiting;
    if (n == 0)
        return TERM_QUIET;
    if (n < 0)
        return errno == EINTR ? 0 : TERM_GONE;
    unsigned wake = files[1].revents ? read_signals() : 0;
    if (files[0].revents & (POLLHUP | POLLERR | POLLNVAL))
        return wake | TERM_GONE;
    return wake | (files[0].revents & POLLIN ? TERM_INPUT : 0u);
}

bool term_has_input(void)
{
    struct pollfd file = {.fd = term.fd, .events = POLLIN};
    return wait_for(&file, 1, 0) > 0;
}

int term_read(unsigned char *bytes, int size)
{
    ssize_t n;
    do
        n = read(term.fd, bytes, (size_t)size);
    while (n < 0 && errno == EINTR);
    return n > 0 ? (int)n : 0;
}

int term_signal(void)
{
    return term.ending_signal;
}

/* ---- the rest --------------------------------------------------------------------------------------------------- */

void term_write(const char *bytes, size_t length)
{
    int fd = term.out ? fileno(term.out) : term.fd;
    while (length > 0) {
        ssize_t n = write(fd, bytes, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        bytes += n;
        length -= (size_t)n;
    }
}

void term_mouse(bool on)
{
    if (on)
        term_write("\033[?1000h\033[?1006h", 16);
    else
        term_write("\033[?1006l\033[?1000l", 16);
    term.has_mouse = on;
}

void term_resume(void)
{
    reset_prog_mode();
    if (term.has_sync)
        term_write("\033[?2004h", 8);
    if (term.has_mouse)
        term_mouse(true);
    term_forget();
}

void term_suspend(void)
{
    bool had_mouse = term.has_mouse;
    if (had_mouse)
        term_mouse(false);
    if (term.has_sync)
        term_write("\033[?2004l", 8);
    endwin();
    tcsetattr(term.fd, TCSANOW, &term.before);
    handle(SIGTSTP, SIG_DFL, 0);
    kill(0, SIGTSTP); /* the whole job, as the shell expects */
    handle(SIGTSTP, on_signal, SA_RESTART);
    term.has_mouse = had_mouse;
    term_resume();
    term.waiting |= read_signals() & ~(unsigned)TERM_CONTINUED; /* the SIGCONT of this very stop */
}

static size_t base64(const char *text, size_t length, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t used = 0;
    for (size_t i = 0; i < length; i += 3) {
        unsigned v = (unsigned)(unsigned char)text[i] << 16;
        v |= i + 1 < length ? (unsigned)(unsigned char)text[i + 1] << 8 : 0;
        v |= i + 2 < length ? (unsigned)(unsigned char)text[i + 2] : 0;
        for (int j = 0; j < 4; j++)
            out[used++] = i + (size_t)j > length ? '=' : digits[v >> (18 - 6 * j) & 63];
    }
    return used;
}

void term_copy(const char *text, size_t length)
{
    size_t room = length / 3 * 4 + 64;
    char *out = malloc(room);
    const char *name = getenv("TERM");
    if (!out)
        return;
    size_t n = (size_t)snprintf(out, room, "\033]52;c;");
    n += base64(text, length, out + n);
    out[n++] = 7;
    term_write(out, n); /* tmux with set-clipboard takes it, others too */
    if (getenv("TMUX")) {
        term_write("\033Ptmux;\033", 8);
        term_write(out, n);
        term_write("\033\\", 2);
    } else if (name && strncmp(name, "screen", 6) == 0) {
        term_write("\033P", 2);
        term_write(out, n);
        term_write("\033\\", 2);
    }
    free(out);
}

bool term_is_slow(void)
{
    static const speed_t slow[] = {B50, B75, B110, B134, B150, B200, B300, B600, B1200, B1800, B2400, B4800, B9600,
                                   B19200};
    speed_t speed = cfgetospeed(&term.before);
    for (size_t i = 0; i < LENGTH(slow); i++)
        if (speed == slow[i])
            return true;
    return false; /* pseudo-terminals say 38400, whatever the line */
}
