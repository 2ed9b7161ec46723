#include "src/cli/session/command_history.h"

#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/paths.h"
#include "src/text/text.h"
#include "src/text/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { KEPT = 200, LINE_ROOM = 256 /* bytes */ };

/* The file's text, or NULL; its path in fresh memory, or NULL. */
static char *read_file(char **path)
{
    struct errors errors = {0};
    struct stat info;
    size_t size;
    *path = paths_state("lines");
    char *text = *path && stat(*path, &info) == 0 ? file_read(*path, &size, &errors) : NULL;
    errors_free(&errors);
    return text;
}

/* Calls `take` with each line of a text that is short and has nothing that a terminal would obey. */
static void each_line(const char *text, void (*take)(void *to, const char *line), void *to)
{
    for (; text && *text; text += strcspn(text, "\n"), text += *text == '\n') {
        char line[LINE_ROOM], clean[4 * LINE_ROOM];
        size_t n = strcspn(text, "\n");
        if (n == 0 || n >= sizeof line)
            continue;
        snprintf(line, sizeof line, "%.*s", (int)n, text);
        text_clean(line, clean, sizeof clean);
        if (strcmp(line, clean) == 0)
            take(to, line);
    }
}

void lines_read(void (*take)(void *to, const char *line), void *to)
{
    char *path, *text = read_file(&path);
    each_line(text, take, to);
    free(text);
    free(path);
}

static void count_line(void *count, const char *line)
{
    (void)line;
    ++*(int *)count;
}

struct tail {
    struct buffer text;
    int skip;
};

static void add_line(void *to, const char *line)
{
    struct tail *tail = to;
    if (tail->skip-- <= 0)
        buffer_printf(&tail->text, "%s\n", line);
}

void lines_keep(const char *line)
{
    struct errors errors = {0};
    struct tail tail = {.skip = 1 - KEPT};
    char *path, *text = read_file(&path);
    each_line(text, count_line, &tail.skip);
    each_line(text, add_line, &tail);
    buffer_printf(&tail.text, "%s\n", line);
    if (path && paths_make_parents(path, &errors) == 0)
        worker_keep(path, tail.text.text, tail.text.size);
    buffer_free(&tail.text);
    errors_free(&errors);
    free(text);
    free(path);
}
