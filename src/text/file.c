#include "src/text/file.h"

#include "core/base.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int file_check(const char *path, const char *text, size_t size, struct errors *errors)
{
    int line = 1;
    if (size > FILE_MAX) {
        errors_add(errors, path, 0, NULL, "is larger than 4 MiB");
        return -1;
    }
    for (size_t i = 0; i < size;) {
        if (text[i] == '\0') {
            errors_add(errors, path, line, NULL,
                       "contains a NUL byte and is not a text file; give a plan or a launch script");
            return -1;
        }
        size_t n = utf8_length((const unsigned char *)text + i, size - i);
        if (n == 0) {
            errors_add(errors, path, line, NULL, "is not UTF-8 text; convert it, or give another file");
            return -1;
        }
        line += text[i] == '\n';
        i += n;
    }
    return 0;
}

static int read_all(int fd, struct buffer *out)
{
    char block[65536];
    ssize_t n;
    while ((n = read(fd, block, sizeof block)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        buffer_add(out, block, (size_t)n);
        if (out->size > FILE_MAX)
            return 0;
    }
    return 0;
}

/* The descriptor behind a path such as /dev/fd/63 (`<(command)` in a shell); -1 for other paths. */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0)
        return STDIN_FILENO;
    for (size_t i = 0; i < LENGTH(folders); i++) {
        const char *number = path + strlen(folders[i]);
        bool is_below = strncmp(path, folders[i], strlen(folders[i])) == 0;
        if (is_below && *number && strlen(number) < 7 && !number[strspn(number, "0123456789")])
            return atoi(number);
    }
    return -1;
}

bool file_is_fifo(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISFIFO(info.st_mode);
}

int file_open(const char *path, enum file_patience patience, const char **name, struct errors *errors)
{
    int given = descriptor_of(path), fd = -1;
    bool waits = patience == FILE_WAITS && given < 0 && file_is_fifo(path);
    struct stat info;
    *name = given == STDIN_FILENO ? "standard input" : path;
    fd = given >= 0 ? fcntl(given, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK));
    if (fd < 0) {
        errors_add(errors, *name, 0, NULL, "cannot be opened: %s; check the path", strerror(errno));
        return -1;
    }
    if (fstat(fd, &info) == 0 &&
        (given >= 0 ? !S_ISDIR(info.st_mode) : S_ISREG(info.st_mode) || (waits && S_ISFIFO(info.st_mode))))
        return fd;
    errors_add(errors, *name, 0, NULL, "is not a regular file; give a file");
    close(fd);
    return -1;
}

static void close_file(void *fd)
{
    close(*(int *)fd);
}

static char *read_file(const char *path, enum file_patience patience, size_t *size, struct errors *errors)
{
    const char *name;
    struct buffer all = {0};
    int fd = file_open(path, patience, &name, errors);
    if (fd < 0)
        return NULL;
    memory_hold(&fd, close_file);
    buffer_add(&all, "", 0);
    bool is_read = read_all(fd, &all) == 0;
    if (!is_read)
        errors_add(errors, name, 0, NULL, "cannot be read: %s; check the file", strerror(errno));
    bool is_good = is_read && file_check(name, all.text, all.size, errors) == 0;
    memory_drop(&fd);
    close(fd);
    if (!is_good)
        buffer_free(&all);
    *size = all.size;
    return all.text;
}

char *file_read(const char *path, size_t *size, struct errors *errors)
{
    return read_file(path, FILE_AT_ONCE, size, errors);
}

char *file_read_waiting(const char *path, size_t *size, struct errors *errors)
{
    return read_file(path, FILE_WAITS, size, errors);
}

#ifdef __APPLE__
#define st_mtim st_mtimespec
#endif

struct file_mark file_mark(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return (struct file_mark){0};
    return (struct file_mark){true, info.st_dev, info.st_ino, info.st_size, info.st_mtim};
}

bool file_mark_equal(const struct file_mark *a, const struct file_mark *b)
{
    return a->exists == b->exists && a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}
