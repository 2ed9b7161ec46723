#include "ui/term/term.h"

#include "core/base.h"
#include "ui/term/paint.h"

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

/* Signal handlers can reach nothing but globals: this is the program's one terminal. */
static struct {
    int in, out;           /* the same file but where standard input and output are the terminal */
    int pipe[2];           /* signal handlers write here */
    struct termios before; /* the line as it was found */
    bool is_open, has_mouse, has_sync, has_status, follows_ground;
    char reset[256]; /* gives the terminal back, safe in a signal handler */
    size_t reset_length;
    int ending_signal;
    volatile sig_atomic_t is_writing;
    unsigned waiting; /* enum term_wake bits that came while suspended */
    char set[256]; /* takes it over */
    size_t set_length;
    struct paint paint; /* what it shows */
    int colors;         /* how many it has */
    bool has_colors;    /* they are used */
    bool is_xterm_like; /* it knows the switches of xterm */
} term = {.in = -1, .out = -1, .pipe = {-1, -1}};

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

/* Drops what the terminal has not taken, so that a write that waits for it goes on; nothing where none does. */
static void on_alarm(int number)
{
    int kept = errno;
    (void)number;
    if (term.is_writing)
        tcflush(term.out, TCOFLUSH);
    alarm(1);
    errno = kept;
}

/* Writes all, also where the file does not wait, at most so long for the terminal to take some (-1: for ever). */
static bool write_all(const char *bytes, size_t length, int patience_ms)
{
    while (length > 0) {
        struct pollfd file = {.fd = term.out, .events = POLLOUT};
        term.is_writing = true;
        ssize_t n = write(term.out, bytes, length);
        term.is_writing = false;
        bool is_full = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        if (is_full && poll(&file, 1, patience_ms) == 0)
            return false;
        if (n < 0 && !is_full && errno != EINTR)
            return false;
        bytes += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Gives the terminal back with nothing that a signal handler may not call. */
static void restore_raw(void)
{
    enum { PATIENCE_MS = 1000 };
    if (!term.is_open)
        return;
    term.is_open = false;
    write_all(term.reset, term.reset_length, PATIENCE_MS);
    tcsetattr(term.in, TCSANOW, &term.before);
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
        term.in = 0;
        term.out = 1;
        return 0;
    }
    term.in = term.out = open("/dev/tty", O_RDWR | O_CLOEXEC);
    if (term.in >= 0)
        return 0;
    return refuse(message, size,
                  "no terminal; `shardtop show` prints the report, `shardtop --plain` is the line mode");
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
    if (term.in > 0)
        close(term.in);
    term.in = term.out = -1;
    return -1;
}

/* A text of the terminal's description; "" where it has none. */
static const char *word(const char *capability)
{
    const char *text = tigetstr(capability);
    return text && text != (const char *)-1 ? text : "";
}

/* The same where nothing is to be filled in; what such a text works out by itself is worked out. */
static const char *plain_word(const char *capability)
{
    const char *text = word(capability), *worked_out = strchr(text, '%') ? tiparm(text) : text;
    return worked_out ? worked_out : "";
}

/* Copies a text without marks of padding; returns how long it is then. */
static size_t copy_word(const char *text, char *out, size_t size)
{
    size_t used = 0;
    while (*text && used + 1 < size) {
        if (text[0] == '$' && text[1] == '<' && strchr(text, '>'))
            text = strchr(text, '>') + 1;
        else
            out[used++] = *text++;
    }
    out[used] = '\0';
    return used;
}

static void move_by_description(int x, int y, char out[PAINT_WORD_MAX])
{
    const char *text = tiparm(word("cup"), y, x);
    copy_word(text ? text : "", out, PAINT_WORD_MAX);
}

/* The terminal's own character set is chosen once, and never left: the bytes for it are saved. */
static void keep_charset(char plain[PAINT_WORD_MAX])
{
    static const char *const ways[] = {"\033(B", "\017"};
    for (size_t i = 0; i < LENGTH(ways); i++) {
        char *at = strstr(plain, ways[i]);
        if (at)
            memmove(at, at + strlen(ways[i]), strlen(at + strlen(ways[i])) + 1);
    }
}

/* A sequence that only chooses looks: ESC [ numbers m; or nothing. */
static bool is_look(const char *text)
{
    size_t length = strlen(text);
    return length == 0 || (length > 2 && memcmp(text, "\033[", 2) == 0 &&
                           strspn(text + 2, "0123456789;:") == length - 3 && text[length - 1] == 'm');
}

/* The words for looks; none where each of them takes a cell of the screen. */
static void read_looks(struct paint_words *words)
{
    const struct {
        const char *capability;
        char *out;
    } all[] = {{"sgr0", words->plain}, {"smul", words->underline}, {"rev", words->reverse},
               {"dim", words->dim},    {"bold", words->bold}};
    bool takes_cells = tigetnum("xmc") > 0;
    int not_in_color = tigetnum("ncv");
    words->joins = true;
    for (size_t i = 0; i < LENGTH(all) && !takes_cells; i++) {
        copy_word(plain_word(all[i].capability), all[i].out, PAINT_WORD_MAX);
        if (i == 0)
            keep_charset(words->plain);
        words->joins &= is_look(all[i].out);
    }
    words->not_in_color = not_in_color > 0 ? (unsigned)not_in_color : 0;
    term.colors = takes_cells ? 0 : tigetnum("colors");
}

/* Whether the terminal does something as nearly all do. */
static bool is_word(const char *capability, const char *usual)
{
    char text[PAINT_WORD_MAX];
    copy_word(word(capability), text, sizeof text);
    return strcmp(text, usual) == 0;
}

static void read_words(struct paint_words *words)
{
    read_looks(words);
    copy_word(plain_word("clear"), words->clear, sizeof words->clear);
    copy_word(plain_word("el"), words->erase_rest, sizeof words->erase_rest);
    if (is_word("rmso", "\033[27m") && is_word("rev", "\033[7m"))
        copy_word("\033[27m", words->unreverse, sizeof words->unreverse);
    if (is_word("op", "\033[39;49m")) {
        copy_word("\033[39m", words->own_fg, sizeof words->own_fg);
        copy_word("\033[49m", words->own_bg, sizeof words->own_bg);
    }
    words->has_erase = is_word("ech", "\033[%p1%dX");
    words->has_erase_in_color = words->has_erase && tigetflag("bce") > 0;
    words->is_ansi = is_word("cup", "\033[%i%p1%d;%p2%dH");
    words->has_column = is_word("hpa", "\033[%i%p1%dG");
    words->has_steps = is_word("cuf", "\033[%p1%dC") && is_word("cub", "\033[%p1%dD") && is_word("cub1", "\b") &&
                       is_word("cud", "\033[%p1%dB") && is_word("cuu", "\033[%p1%dA") && is_word("cud1", "\n") &&
                       is_word("cr", "\r");
    words->has_tabs = is_word("ht", "\t") && tigetnum("it") == 8;
    /* tmux and screen repeat nothing but ASCII, whatever TERM says inside them */
    words->has_repeat = is_word("rep", "%p1%c\033[%p2%{1}%-%db") && !getenv("TMUX") && !getenv("STY");
    words->has_corner = tigetflag("am") <= 0 || tigetflag("xenl") > 0;
    words->move = move_by_description;
}

/* The terminal as it is described on this machine, else as the program itself does. */
static bool open_known(const char *name, const struct term_options *options)
{
    int status;
    if (setupterm(name, term.out, &status) == OK)
        return true;
    const char *inside = options->describe ? options->describe(name) : NULL;
    return inside && setenv("TERMINFO", inside, 1) == 0 && setupterm(name, term.out, &status) == OK;
}

/* The terminal by name; one that is not known is taken for the nearest common one. */
static int open_description(const char *name, const struct term_options *options, char *message, size_t size)
{
    char known[64];
    bool is_inside = name && (strncmp(name, "screen", 6) == 0 || strncmp(name, "tmux", 4) == 0);
    const char *fallback = is_inside ? "screen-256color" : "xterm-256color";
    snprintf(known, sizeof known, "%s", name ? name : "");
    message[0] = '\0';
    if (!known[0] || !open_known(known, options)) {
        if (!open_known(fallback, options))
            return refuse(message, size,
                          "no terminal description is installed; `shardtop show` and `--plain` need none");
        snprintf(message, size,
                 "terminal '%.40s' is unknown; using %s instead; choose another with --term NAME", known,
                 fallback);
    }
    term.has_status = strncmp(word("cup"), "\033[", 2) == 0;
    if (*word("cup"))
        return 0;
    del_curterm(cur_term);
    snprintf(message, size, "terminal '%.40s' cannot place the cursor; use `shardtop --plain` or `shardtop show`",
             known);
    return -1;
}

static bool is_xterm_like(const char *name)
{
    static const char *const plain[] = {"vt", "linux", "dumb", "ansi", "cons", "sun", "wy"};
    for (size_t i = 0; name && i < LENGTH(plain); i++)
        if (strncmp(name, plain[i], strlen(plain[i])) == 0)
            return false;
    return true;
}

/* Appends words of the description to a text that switches much at once. */
static void add_words(char out[256], size_t *length, const char *const capabilities[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        *length += copy_word(plain_word(capabilities[i]), out + *length, 256 - *length);
}

/* What takes the terminal over, and what gives back all that a frame may have left on. */
static void prepare_switches(void)
{
    static const char *const set[] = {"smcup", "sgr0", "rmir", "smam"},
                      *const reset[] = {"sgr0", "op", "rmkx", "rmcup", "cnorm"};
    term.set_length = term.reset_length = 0;
    add_words(term.set, &term.set_length, set, LENGTH(set));
    if (term.is_xterm_like)
        term.reset_length = copy_word("\033[?2026l\033[?2031l\033[?1006l\033[?1000l\033[?2004l", term.reset,
                                      sizeof term.reset);
    add_words(term.reset, &term.reset_length, reset, LENGTH(reset));
    term.reset_length += copy_word("\r", term.reset + term.reset_length, sizeof term.reset - term.reset_length);
    if (!*word("rmcup")) /* the last row stays, and the prompt stands in it */
        add_words(term.reset, &term.reset_length, (const char *const[]){"el"}, 1);
}

/* Every byte as it is, in both directions; signals come as keys. */
static void set_line(void)
{
    struct termios raw = term.before;
    raw.c_iflag &= ~(tcflag_t)(BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON);
    raw.c_oflag &= ~(tcflag_t)OPOST;
    raw.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(term.in, TCSADRAIN, &raw);
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

/* Makes the terminal and its line what the program needs; what it shows then is not known. */
static void take_over(void)
{
    set_line();
    term_write(term.set, term.set_length);
    if (term.has_sync)
        term_write("\033[?2004h", 8);
    term_forget();
}

/* Gives them back as they were found. */
static void hand_back(void)
{
    if (term.has_mouse)
        term_mouse(false);
    term.paint.used = 0;
    paint_move(&term.paint, 0, term.paint.height > 0 ? term.paint.height - 1 : 0);
    term_write(term.paint.out, term.paint.used);
    term_write(term.reset, term.reset_length);
    tcsetattr(term.in, TCSADRAIN, &term.before);
}

int term_open(const struct term_options *options, char *message, size_t size)
{
    const char *name = options->name ? options->name : getenv("TERM");
    if (open_files(message, size) != 0)
        return give_up();
    if (open_pipe(term.pipe) != 0 || tcgetattr(term.in, &term.before) != 0) {
        refuse(message, size, "the terminal cannot be set up; use `shardtop show`");
        return give_up();
    }
    install_handlers();
    if (open_description(name, options, message, size) != 0)
        return give_up();
    term.is_xterm_like = is_xterm_like(name);
    term.has_sync = term.is_xterm_like && !options->slow;
    prepare_switches();
    read_words(&term.paint.words);
    term.has_colors =
        term.colors >= 8 && *word("setaf") && *word("setab") && (!options->no_color || options->always_color);
    take_over();
    term.follows_ground = false; /* it has not been asked */
    term.is_open = true;
    return 0;
}

void term_close(void)
{
    if (!term.is_open)
        return;
    hand_back();
    term.is_open = false;
    alarm(0);
    del_curterm(cur_term);
    paint_free(&term.paint);
}

/* ---- size ------------------------------------------------------------------------------------------------------- */

bool term_has_colors(void)
{
    return term.has_colors;
}

enum { PALETTE = 256 };

bool term_has_palette(void)
{
    return term.has_colors && term.colors >= PALETTE;
}

void term_size(int *width, int *height)
{
    struct winsize size = {0};
    if (ioctl(term.in, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
        *width = tigetnum("cols") > 0 ? tigetnum("cols") : 80;
        *height = tigetnum("lines") > 0 ? tigetnum("lines") : 24;
        return;
    }
    *width = size.ws_col > 1000 ? 1000 : size.ws_col;
    *height = size.ws_row > 500 ? 500 : size.ws_row;
}

/* ---- colours ---------------------------------------------------------------------------------------------------- */

/* The words for a colour of the palette, also where there are more colours than it has; "" for the terminal's own. */
static void color_word(bool is_background, int color, char out[PAINT_WORD_MAX])
{
    const char *capability = word(is_background ? "setab" : "setaf");
    const char *text = color >= 0 && term.colors <= PALETTE ? tiparm(capability, color) : NULL;
    copy_word(text ? text : "", out, PAINT_WORD_MAX);
    if (color >= 0 && term.colors > PALETTE)
        snprintf(out, PAINT_WORD_MAX, "\033[%d;5;%dm", is_background ? 48 : 38, color);
    term.paint.words.joins &= is_look(out);
}

void term_theme(const struct theme *theme)
{
    for (int role = 0; role < ROLE_COUNT; role++) {
        struct look look = theme_look(theme, (enum role)role, term.colors > PALETTE ? PALETTE : term.colors);
        struct paint_look *out = &term.paint.look[role];
        unsigned a = (look.bold ? PAINT_BOLD : 0u) | (look.underline ? PAINT_UNDERLINE : 0u);
        a |= (look.reverse ? PAINT_REVERSE : 0u) | (look.dim ? PAINT_DIM : 0u);
        if (!term.has_colors && look.bg256 >= 0 && !role_fill((enum role)role))
            a |= PAINT_REVERSE; /* what only a background told apart */
        out->fg = term.has_colors ? look.fg256 : -1;
        out->bg = term.has_colors ? look.bg256 : -1;
        out->attributes = a;
        color_word(false, out->fg, out->fg_word);
        color_word(true, out->bg, out->bg_word);
        color_word(false, out->bg, out->bar_word);
        out->fill = role_fill((enum role)role);
    }
    term_forget();
}

/* ---- frames ----------------------------------------------------------------------------------------------------- */

void term_forget(void)
{
    term.paint.is_forgotten = true;
}

struct term_sent term_show(const struct canvas *canvas, const struct rect first[], int bytes, bool by_looks)
{
    enum { LARGE_FRAME = 1000 }; /* what is smaller comes in one piece, and cannot tear */
    static const char start[] = "\033[?2026h", stop[] = "\033[?2026l";
    size_t skipped = sizeof start - 1;
    int x, y;
    canvas_selected(canvas, &x, &y);
    term.paint.used = 0;
    paint_bytes(&term.paint, start, skipped);
    bool is_whole = paint_frame(&term.paint, canvas, first, bytes, by_looks);
    paint_move(&term.paint, x, y);
    struct term_sent sent = {(int)(term.paint.used - skipped), is_whole};
    if (term.has_sync && sent.bytes > LARGE_FRAME && sent.is_whole) {
        paint_bytes(&term.paint, stop, sizeof stop - 1);
        skipped = 0;
    }
    if (sent.bytes > 0)
        term_write(term.paint.out + skipped, term.paint.used - skipped);
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
    struct pollfd files[2] = {{.fd = term.in, .events = POLLIN}, {.fd = term.pipe[0], .events = POLLIN}};
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
    struct pollfd file = {.fd = term.in, .events = POLLIN};
    return wait_for(&file, 1, 0) > 0;
}

int term_read(unsigned char *bytes, int size)
{
    ssize_t n;
    do
        n = read(term.in, bytes, (size_t)size);
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
    if (!write_all(bytes, length, -1))
        term_forget();
}

void term_mouse(bool on)
{
    if (on && term.is_xterm_like)
        term_write("\033[?1000h\033[?1006h", 16);
    else if (term.is_xterm_like)
        term_write("\033[?1006l\033[?1000l", 16);
    term.has_mouse = on;
}

bool term_follow_ground(bool on)
{
    static const char ask[] = "\033[?2031h\033]11;?\033\\\033[5n", stop[] = "\033[?2031l";
    bool can = term.is_xterm_like && term_has_palette(), was_on = term.follows_ground;
    term.follows_ground = on && can;
    if (term.follows_ground && !was_on)
        term_write(ask, sizeof ask - 1);
    else if (!term.follows_ground && was_on)
        term_write(stop, sizeof stop - 1);
    return term.follows_ground && !was_on;
}

void term_resume(void)
{
    take_over();
    term.follows_ground = false; /* it may be another terminal now */
    if (term.has_mouse)
        term_mouse(true);
}

void term_suspend(void)
{
    bool had_mouse = term.has_mouse;
    hand_back();
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
    if (!out || !term.is_xterm_like) {
        free(out);
        return;
    }
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
