#include "src/text/pager.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int lines_of_terminal(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

static bool is_longer(const char *text, size_t size, int lines)
{
    const char *end = text + size;
    while (lines > 0 && text < end && (text = memchr(text, '\n', (size_t)(end - text)))) {
        text++;
        lines--;
    }
    return text && text < end && lines == 0;
}

static void exec_pager(const char *pager, const int ends[2])
{
    setenv("LESS", "FRX", 0); /* quit if it fits on one screen, pass colours, keep the text on exit */
    setenv("LV", "-c", 0);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
    _exit(127);
}

/* Writes all of the text, or until the reader quits. */
static void write_all(int fd, const char *text, size_t size)
{
    ssize_t written;
    for (; size > 0 && (written = write(fd, text, size)) > 0; size -= (size_t)written)
        text += written;
}

bool pager_shows(const char *text, size_t size)
{
    enum { NOT_FOUND = 126 }; /* exit statuses from here on: the shell could not start it */
    const char *named = getenv("PAGER"), *pager = named ? named : "command -v less >/dev/null || exit 127; exec less";
    int ends[2], status = 0;
    if (!isatty(STDOUT_FILENO) || !*pager || strcmp(pager, "cat") == 0 ||
        !is_longer(text, size, lines_of_terminal() - 1) || pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0)
        exec_pager(pager, ends);
    close(ends[0]);
    void (*pipe_before)(int) = signal(SIGPIPE, SIG_IGN), (*interrupt_before)(int) = signal(SIGINT, SIG_IGN);
    if (child > 0)
        write_all(ends[1], text, size);
    close(ends[1]);
    bool has_ended = child > 0 && waitpid(child, &status, 0) == child;
    signal(SIGPIPE, pipe_before);
    signal(SIGINT, interrupt_before);
    return has_ended && !(WIFEXITED(status) && WEXITSTATUS(status) >= NOT_FOUND);
}
