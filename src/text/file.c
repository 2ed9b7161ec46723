#include "src/text/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/text/errors.h"
#include "src/text/text.h"

static int check_text(const char *path, const char *text, size_t size, struct errors *errors)
{
    int line = 1;
    for (size_t i = 0; i < size;) {
        if (text[i] == '\0') {
            errors_add(errors, path, line, NULL, "has a NUL byte, so it is no text file; give a plan or a launch script");
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

char *file_read(const char *path, size_t *size, struct errors *errors)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "standard input" : path;
    struct buffer all = {0};
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        errors_add(errors, name, 0, NULL, "cannot be opened: %s; check the path", strerror(errno));
        return NULL;
    }
    struct stat info;
    buffer_add(&all, "", 0);
    if (!is_stdin && (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)))
        errors_add(errors, name, 0, NULL, "is not a regular file; give a file");
    else if (read_all(fd, &all) != 0)
        errors_add(errors, name, 0, NULL, "cannot be read: %s; check the file", strerror(errno));
    else if (all.size > FILE_MAX)
        errors_add(errors, name, 0, NULL, "is larger than 4 MiB; a plan is a few lines");
    else if (check_text(name, all.text, all.size, errors) == 0) {
        if (!is_stdin)
            close(fd);
        *size = all.size;
        return all.text;
    }
    if (!is_stdin)
        close(fd);
    buffer_free(&all);
    return NULL;
}

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
