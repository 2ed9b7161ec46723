#include "src/text/write.h"

#include "core/base.h"
#include "src/text/errors.h"
#include "src/text/paths.h"
#include "src/text/process.h"
#include "src/text/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif
#include <unistd.h>

/* A regular file that is to be written, or made. */
struct target {
    char *path; /* without links */
    struct stat info;
    bool exists;
};

static int write_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, text, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        text += n;
        size -= (size_t)n;
    }
    return 0;
}

/* Closes; returns `result`, or -1 when closing is what fails. Keeps the errno of what failed first. */
static int close_after(int fd, int result)
{
    int why = errno;
    if (close(fd) != 0 && result == 0)
        return -1;
    errno = why;
    return result;
}

/* ---- names ---------------------------------------------------------------------------------------------------- */

static const char ending[] = ".shardtop"; /* of temporary files: .NAME.HOST-PID-COUNT.shardtop */

/* `path` up to and with its last slash, in fresh memory. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? xstrndup(path, (size_t)(slash + 1 - path)) : xstrdup("./");
}

/* The name that `path` ends at through symbolic links, whether it exists or not; NULL when they go round in circles. */
static char *follow(const char *path)
{
    enum { LINKS_MAX = 40 };
    char *at = xstrdup(path);
    for (int i = 0; i < LINKS_MAX; i++) {
        char to[PATH_MAX];
        ssize_t n = readlink(at, to, sizeof to - 1);
        if (n < 0)
            return at;
        to[n] = '\0';
        char *folder = folder_of(at);
        free(at);
        at = to[0] == '/' ? xstrdup(to) : xasprintf("%s%s", folder, to);
        free(folder);
    }
    free(at);
    errno = ELOOP;
    return NULL;
}

/* Temporary files that this process has made, whose number is part of the next one's name. */
static _Atomic unsigned made;

/* Makes a new file beside `path`; its name goes to `name`, fresh memory. Returns its descriptor, -1 for a failure. */
static int make_temporary(const char *path, mode_t mode, char **name)
{
    enum { KEPT = 100 /* bytes of the file's name */, TRIES = 1000 };
    char *folder = folder_of(path);
    const char *base = path + strlen(folder) * (strchr(path, '/') != NULL);
    int fd = -1;
    *name = NULL;
    for (int i = 0; i < TRIES && (i == 0 || (fd < 0 && errno == EEXIST)); i++) {
        free(*name);
        *name = xasprintf("%s.%.*s.%s-%ld-%06u%s", folder, KEPT, base, process_host(), (long)getpid(),
                          made++ % 1000000, ending);
        fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    }
    free(folder);
    return fd;
}

/* True for a temporary file of this machine whose process has ended. */
static bool is_leftover(const char *name)
{
    enum { DIGITS = 6 };
    char stem[NAME_MAX + 1], host[HOST_NAME_MAX + 2];
    if (name[0] != '.' || !text_ends_with(name, ending))
        return false;
    snprintf(stem, sizeof stem, "%.*s", (int)(strlen(name) - strlen(ending)), name);
    char *count = strrchr(stem, '-');
    if (!count || strlen(count + 1) != DIGITS)
        return false;
    *count = '\0';
    char *pid = strrchr(stem, '-');
    if (!pid || !pid[1] || pid[1 + strspn(pid + 1, "0123456789")])
        return false;
    *pid++ = '\0';
    snprintf(host, sizeof host, ".%s", process_host());
    return text_ends_with(stem, host) && !process_exists(atol(pid));
}

static void clean_folder(DIR *entries)
{
    for (const struct dirent *entry; (entry = readdir(entries));)
        if (is_leftover(entry->d_name))
            unlinkat(dirfd(entries), entry->d_name, 0);
    rewinddir(entries);
}

void write_clean(const char *path)
{
    char *target = follow(path), *folder = folder_of(target ? target : path);
    DIR *entries = opendir(folder);
    if (entries) {
        clean_folder(entries);
        closedir(entries);
    }
    free(folder);
    free(target);
}

/* ---- what is no regular file ---------------------------------------------------------------------------------- */

/* The open descriptor that `path` stands for, -1 for none. */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    struct stat named, open_now;
    for (size_t i = 0; i < LENGTH(folders); i++) {
        const char *number = path + strlen(folders[i]);
        if (strncmp(path, folders[i], strlen(folders[i])) == 0 && *number && !number[strspn(number, "0123456789")])
            return atoi(number);
    }
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (stat(path, &named) == 0 && fstat(fd, &open_now) == 0 && named.st_dev == open_now.st_dev &&
            named.st_ino == open_now.st_ino)
            return fd;
    return -1;
}

static int write_through(const char *path, const char *text, size_t size, bool is_patient)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 && errno == ENXIO && is_patient)
        fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return -1;
    int failed = fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) != 0 || write_all(fd, text, size) != 0;
    return close_after(fd, failed ? -1 : 0);
}

/* ---- replacing ------------------------------------------------------------------------------------------------ */

static void sync_folder(const char *path)
{
    char *folder = folder_of(path);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd); /* not every file system can */
        close(fd);
    }
    free(folder);
}

void write_sync(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    sync_folder(path);
}

#ifdef __linux__
enum { NAMES_MAX = 65536, VALUE_MAX = 65536 }; /* XATTR_LIST_MAX, XATTR_SIZE_MAX */

/* Gives a new file one attribute of the old one, unless it has that value already. */
static bool copy_attribute(int fd, const char *path, const char *name, char *value, char *own)
{
    ssize_t size = getxattr(path, name, value, VALUE_MAX), has = fgetxattr(fd, name, own, VALUE_MAX);
    bool is_equal = size >= 0 && size == has && memcmp(value, own, (size_t)size) == 0;
    return is_equal || (size >= 0 && fsetxattr(fd, name, value, (size_t)size, 0) == 0);
}

/*
 * Gives a new file the extended attributes of the one that it replaces, with access lists among them, and takes away an
 * access list that only the folder gave it. False when one cannot be kept.
 */
static bool copy_attributes(int fd, const char *path)
{
    static const char access_list[] = "system.posix_acl_access";
    char *names = xmalloc(NAMES_MAX), *value = xmalloc(VALUE_MAX), *own = xmalloc(VALUE_MAX);
    ssize_t size = listxattr(path, names, NAMES_MAX);
    bool is_kept = size >= 0 || errno == ENOTSUP, has_list = false;
    for (const char *name = names; is_kept && name < names + (size > 0 ? size : 0); name += strlen(name) + 1) {
        has_list |= strcmp(name, access_list) == 0;
        is_kept = copy_attribute(fd, path, name, value, own);
    }
    if (is_kept && !has_list && fremovexattr(fd, access_list) != 0)
        is_kept = errno == ENODATA || errno == ENOTSUP;
    free(names);
    free(value);
    free(own);
    return is_kept;
}
#else
static bool copy_attributes(int fd, const char *path)
{
    return (void)fd, (void)path, true;
}
#endif

/* Gives a new file the owner, attributes and mode of the one that it replaces. False when one cannot be kept. */
static bool take_over(int fd, const struct target *target)
{
    struct stat fresh;
    if (!target->exists)
        return true;
    bool is_ours = fstat(fd, &fresh) == 0 && fresh.st_uid == target->info.st_uid && fresh.st_gid == target->info.st_gid;
    if (!is_ours && fchown(fd, target->info.st_uid, target->info.st_gid) != 0)
        return false;
    return copy_attributes(fd, target->path) && fchmod(fd, target->info.st_mode & 07777) == 0;
}

enum replaced { REPLACED, REPLACE_FAILED, REPLACE_IN_PLACE };

/* What a failure to make or rename the temporary file means: folders that refuse it may hold a file that does not. */
static enum replaced replace_failed(const struct target *target)
{
    bool is_refused = errno == EACCES || errno == EPERM || errno == EROFS || errno == EBUSY;
    return target->exists && is_refused ? REPLACE_IN_PLACE : REPLACE_FAILED;
}

/* Writes a temporary file and gives it the target's name. */
static enum replaced replace(const struct target *target, const char *text, size_t size, bool is_durable)
{
    char *temporary;
    int fd = make_temporary(target->path, target->exists ? 0600 : 0666, &temporary);
    enum replaced result = fd < 0 ? replace_failed(target) : REPLACE_FAILED;
    if (fd >= 0) {
        bool is_same = take_over(fd, target);
        bool is_written = is_same && write_all(fd, text, size) == 0 && (!is_durable || fsync(fd) == 0);
        is_written = close_after(fd, is_written ? 0 : -1) == 0;
        bool is_named = is_written && rename(temporary, target->path) == 0;
        result = is_named ? REPLACED : !is_same ? REPLACE_IN_PLACE : is_written ? replace_failed(target) : result;
        int why = errno;
        if (!is_named)
            unlink(temporary);
        else if (is_durable)
            sync_folder(target->path);
        errno = why;
    }
    free(temporary);
    return result;
}

/* ---- in place ------------------------------------------------------------------------------------------------- */

/* A journal is this head, the path, the old content and the new one. The inode tells whether the path is still it. */
static const char journal_head[] = "shardtop in place 1: inode %llu path %zu old %zu new %zu\n";

struct journal {
    unsigned long long inode;
    size_t path_size, old_size, new_size;
    const char *path, *old, *fresh;
};

/* All bytes of an open file. */
static int read_content(int fd, struct buffer *out)
{
    char block[65536];
    for (;;) {
        ssize_t n = read(fd, block, sizeof block);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return (int)n;
        buffer_add(out, block, (size_t)n);
    }
}

/* The journal of this process in fresh memory, NULL without a home directory. */
static char *journal_path(void)
{
    char *folder = paths_state("unfinished");
    char *path = folder ? xasprintf("%s/%s@%ld", folder, process_host(), (long)getpid()) : NULL;
    free(folder);
    return path;
}

static int write_journal(const char *journal, const struct target *target, const struct buffer *old, const char *text,
                         size_t size)
{
    struct errors errors = {0};
    struct buffer all = {0};
    char *whole = realpath(target->path, NULL);
    struct target place = {.path = (char *)journal};
    int failed = !whole || paths_make_parents(journal, &errors) != 0;
    if (!failed) {
        buffer_printf(&all, journal_head, (unsigned long long)target->info.st_ino, strlen(whole), old->size, size);
        buffer_puts(&all, whole);
        buffer_add(&all, old->text ? old->text : "", old->size);
        buffer_add(&all, text, size);
        failed = replace(&place, all.text, all.size, true) != REPLACED;
    }
    errors_free(&errors);
    buffer_free(&all);
    free(whole);
    return failed ? -1 : 0;
}

/* Takes room for a file of this size; 0, or why there is none. Where that cannot be asked, writing finds out. */
static int reserve(int fd, off_t size)
{
#ifdef __APPLE__
    return (void)fd, (void)size, 0;
#else
    return posix_fallocate(fd, 0, size);
#endif
}

/* Puts a text into an open file; room for it is taken first, so that a full disk changes nothing. */
static int overwrite(int fd, off_t old_size, const char *text, size_t size)
{
    int why = (off_t)size > old_size ? reserve(fd, (off_t)size) : 0;
    if (why != 0 && why != EINVAL && why != EOPNOTSUPP) {
        (void)!ftruncate(fd, old_size);
        errno = why;
        return -1;
    }
    if (lseek(fd, 0, SEEK_SET) != 0 || write_all(fd, text, size) != 0 || ftruncate(fd, (off_t)size) != 0)
        return -1;
    return fsync(fd);
}

static int write_in_place(const struct target *target, const char *text, size_t size)
{
    struct buffer old = {0};
    char *journal = journal_path();
    int fd = open(target->path, O_RDWR | O_CLOEXEC), result = -1;
    errno = fd >= 0 && !journal ? ENOENT : errno;
    if (fd >= 0 && journal && read_content(fd, &old) == 0 && write_journal(journal, target, &old, text, size) == 0) {
        result = overwrite(fd, target->info.st_size, text, size);
        int why = errno;
        if (result == 0 || overwrite(fd, (off_t)old.size, old.text ? old.text : "", old.size) == 0)
            unlink(journal);
        errno = why;
    }
    int why = errno;
    if (fd >= 0)
        close(fd); /* the content is on the disk by now, or the old one is back */
    errno = why;
    buffer_free(&old);
    free(journal);
    return result;
}

/* Takes a journal apart; false when it is not a whole one. */
static bool read_journal(const struct buffer *all, struct journal *out)
{
    const char *end = all->text ? strchr(all->text, '\n') : NULL;
    if (!end || sscanf(all->text, journal_head, &out->inode, &out->path_size, &out->old_size, &out->new_size) != 4)
        return false;
    size_t left = all->size - (size_t)(end + 1 - all->text);
    out->path = end + 1;
    out->old = out->path + out->path_size;
    out->fresh = out->old + out->old_size;
    return out->path_size <= left && out->old_size <= left && out->new_size <= left &&
           out->path_size + out->old_size + out->new_size == left;
}

/* True when a file is what a cut-off writing leaves: the new content up to some byte, then the old one, then zeros. */
static bool is_half(const struct journal *journal, const struct buffer *now)
{
    size_t at = 0, most = now->size < journal->new_size ? now->size : journal->new_size;
    while (at < most && now->text[at] == journal->fresh[at])
        at++;
    for (; at < now->size; at++)
        if (now->text[at] != (at < journal->old_size ? journal->old[at] : '\0'))
            return false;
    return true;
}

static void complete(const struct journal *journal)
{
    struct buffer now = {0};
    struct stat info;
    char *path = xstrndup(journal->path, journal->path_size);
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0) {
        bool is_it = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_ino == journal->inode;
        if (is_it && read_content(fd, &now) == 0 && is_half(journal, &now))
            overwrite(fd, info.st_size, journal->fresh, journal->new_size);
        close(fd);
    }
    buffer_free(&now);
    free(path);
}

/* True for a journal of this machine whose process has ended. */
static bool is_abandoned(const char *name)
{
    const char *pid = strrchr(name, '@');
    size_t host = pid ? (size_t)(pid - name) : 0;
    bool is_ours = host == strlen(process_host()) && strncmp(name, process_host(), host) == 0;
    return is_ours && !process_exists(atol(pid + 1));
}

void write_recover(void)
{
    char *folder = paths_state("unfinished");
    DIR *entries = folder ? opendir(folder) : NULL;
    if (entries)
        clean_folder(entries);
    for (const struct dirent *entry; entries && (entry = readdir(entries));) {
        struct buffer all = {0};
        struct journal journal;
        int fd = is_abandoned(entry->d_name) ? openat(dirfd(entries), entry->d_name, O_RDONLY | O_CLOEXEC) : -1;
        if (fd < 0)
            continue;
        if (read_content(fd, &all) == 0 && read_journal(&all, &journal))
            complete(&journal);
        unlinkat(dirfd(entries), entry->d_name, 0);
        close(fd);
        buffer_free(&all);
    }
    if (entries)
        closedir(entries);
    free(folder);
}

/* ---- the one writer ------------------------------------------------------------------------------------------- */

static int write_target(const struct target *target, const char *text, size_t size, unsigned how)
{
    if (target->exists && !S_ISREG(target->info.st_mode))
        return write_through(target->path, text, size, how & WRITE_PATIENT);
    if (target->exists && faccessat(AT_FDCWD, target->path, W_OK, AT_EACCESS) != 0)
        return -1;
    bool has_names = target->exists && target->info.st_nlink > 1;
    if (how & WRITE_DURABLE)
        write_clean(target->path);
    enum replaced replaced = has_names ? REPLACE_IN_PLACE : replace(target, text, size, how & WRITE_DURABLE);
    return replaced == REPLACE_IN_PLACE ? write_in_place(target, text, size) : replaced == REPLACED ? 0 : -1;
}

int write_file(const char *path, const char *text, size_t size, unsigned how, struct errors *errors)
{
    struct target target = {.path = follow(path)};
    int fd = descriptor_of(path), result = -1;
    target.exists = target.path && stat(target.path, &target.info) == 0;
    if (fd >= 0)
        result = fd == STDOUT_FILENO && fflush(stdout) != 0 ? -1 : write_all(fd, text, size);
    else if (target.path)
        result = write_target(&target, text, size, how);
    int why = errno;
    bool has_old = target.exists && S_ISREG(target.info.st_mode);
    if (result != 0)
        errors_add(errors, path, 0, NULL, "cannot be written: %s; %s", strerror(why),
                   has_old ? "the old file is unchanged" : "check the path and the space left");
    free(target.path);
    return result;
}
