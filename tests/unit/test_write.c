/* The one writer on every kind of target, cut off at every one of its calls, and on a full disk. */
#include "tests/check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/process.h"
#include "src/text/text.h"
#include "src/text/write.h"

static char folder[64];

/* ---- what the writer asks of the system: a process may be killed at any of it ------------------------------------ */

ssize_t __real_write(int fd, const void *bytes, size_t size);
int __real_ftruncate(int fd, off_t size);
int __real_rename(const char *from, const char *to);
int __real_unlink(const char *path);
int __real_close(int fd);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);
int __wrap_ftruncate(int fd, off_t size);
int __wrap_rename(const char *from, const char *to);
int __wrap_unlink(const char *path);
int __wrap_close(int fd);
int __wrap_fsync(int fd);

static int calls_left; /* before the kill; 0: there is none */

static int calls_until_fault; /* 0: none fails */

/* Counts a call; true, with an errno, for the one that fails. */
static bool is_failing(void)
{
    errno = EIO;
    return calls_until_fault > 0 && --calls_until_fault == 0;
}

/* Counts a call; true for the one at which the process dies. */
static bool is_killed(void)
{
    return calls_left > 0 && --calls_left == 0;
}

static void die_here(void)
{
    if (is_killed())
        raise(SIGKILL);
}

/* Half of the bytes arrive. */
ssize_t __wrap_write(int fd, const void *bytes, size_t size)
{
    if (is_killed() && __real_write(fd, bytes, size / 2) >= 0)
        raise(SIGKILL);
    if (is_failing())
        return -1;
    return __real_write(fd, bytes, size);
}

int __wrap_ftruncate(int fd, off_t size)
{
    die_here();
    return is_failing() ? -1 : __real_ftruncate(fd, size);
}

int __wrap_rename(const char *from, const char *to)
{
    die_here();
    return is_failing() ? -1 : __real_rename(from, to);
}

int __wrap_unlink(const char *path)
{
    die_here();
    return is_failing() ? -1 : __real_unlink(path);
}

int __wrap_close(int fd)
{
    die_here();
    int result = __real_close(fd);
    return is_failing() ? -1 : result;
}

/* No power fails here: nobody waits for the disk. */
int __wrap_fsync(int fd)
{
    (void)fd;
    die_here();
    return is_failing() ? -1 : 0;
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* A name in the test's own folder; valid until it was called four more times. */
static const char *in(const char *name)
{
    static char path[4][256];
    static int at;
    at = (at + 1) % 4;
    snprintf(path[at], sizeof path[at], "%s/%s", folder, name);
    return path[at];
}

static int begin(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/test_write.XXXXXX");
    assert_non_null(mkdtemp(folder));
    setenv("XDG_STATE_HOME", in("state"), 1);
    return 0;
}

static int end(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) == 0 ? 0 : -1;
}

static int put(const char *path, const char *text)
{
    struct errors errors = {0};
    int result = write_file(path, text, strlen(text), WRITE_DURABLE, &errors);
    assert_int_equal(result != 0, errors_any(&errors));
    errors_free(&errors);
    return result;
}

static void expect(const char *path, const char *text)
{
    struct errors errors = {0};
    size_t size;
    char *got = file_read(path, &size, &errors);
    assert_that(got && strcmp(got, text) == 0, "%s holds '%s', not '%s'", path, got ? got : "(nothing)", text);
    free(got);
    errors_free(&errors);
}

/* Gives the file a second name. */
static void twin(const char *path, const char *second)
{
    assert_int_equal(link(path, second), 0);
}

static struct stat status_of(const char *path)
{
    struct stat info;
    assert_int_equal(lstat(path, &info), 0);
    return info;
}

/* Files of the folder that are temporary ones. */
static int leftovers(void)
{
    int count = 0;
    DIR *entries = opendir(folder);
    for (const struct dirent *entry; (entry = readdir(entries));)
        count += text_ends_with(entry->d_name, ".shardtop");
    closedir(entries);
    return count;
}

/* ---- regular files -------------------------------------------------------------------------------------------- */

static void a_new_file_has_the_mode_of_the_mask(void **state)
{
    (void)state;
    mode_t mask = umask(027);
    assert_int_equal(put(in("new"), "a"), 0);
    umask(mask);
    assert_int_equal(status_of(in("new")).st_mode & 07777, 0640);
    expect(in("new"), "a");
}

static void a_replaced_file_keeps_mode_and_owner(void **state)
{
    (void)state;
    put(in("file"), "a");
    chmod(in("file"), 0604);
    bool is_root = geteuid() == 0 && chown(in("file"), 12345, 23456) == 0;
    ino_t before = status_of(in("file")).st_ino;
    assert_int_equal(put(in("file"), "b"), 0);
    struct stat after = status_of(in("file"));
    assert_int_equal(after.st_mode & 07777, 0604);
    assert_true(after.st_ino != before);
    assert_true(!is_root || (after.st_uid == 12345 && after.st_gid == 23456));
    expect(in("file"), "b");
}

static void a_symbolic_link_stays_one(void **state)
{
    (void)state;
    put(in("file"), "a");
    assert_int_equal(symlink("file", in("link")), 0);
    assert_int_equal(symlink(in("link"), in("link2")), 0);
    assert_int_equal(put(in("link2"), "b"), 0);
    assert_true(S_ISLNK(status_of(in("link")).st_mode) && S_ISLNK(status_of(in("link2")).st_mode));
    expect(in("file"), "b");
}

static void a_link_to_nothing_makes_what_it_names(void **state)
{
    (void)state;
    assert_int_equal(symlink("later", in("link")), 0);
    assert_int_equal(put(in("link"), "b"), 0);
    assert_true(S_ISLNK(status_of(in("link")).st_mode));
    expect(in("later"), "b");
    assert_int_equal(symlink("round", in("round")), 0);
    assert_int_equal(put(in("round"), "b"), -1);
    assert_true(S_ISLNK(status_of(in("round")).st_mode));
}

static void a_file_with_two_names_keeps_both(void **state)
{
    (void)state;
    put(in("file"), "a long first text");
    twin(in("file"), in("twin"));
    assert_int_equal(put(in("file"), "short"), 0);
    expect(in("twin"), "short");
    assert_int_equal(put(in("twin"), "another, longer than all before"), 0);
    expect(in("file"), "another, longer than all before");
    assert_int_equal(status_of(in("file")).st_nlink, 2);
    assert_int_equal(rmdir(in("state/shardtop/unfinished")), 0); /* no journal stays */
}

static void what_may_not_be_written_stays(void **state)
{
    (void)state;
    mkdir(in("sub"), 0700);
    assert_int_equal(put(in("sub"), "x"), -1);
    assert_true(S_ISDIR(status_of(in("sub")).st_mode));
    assert_int_equal(put(in("none/file"), "x"), -1);
    if (geteuid() == 0)
        return;
    put(in("locked"), "a");
    chmod(in("locked"), 0444);
    assert_int_equal(put(in("locked"), "b"), -1);
    expect(in("locked"), "a");
}

/* An access list in which user 1000 reads and writes, the group nothing, and the mask is rw. */
static const unsigned char access_list[] = {2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2, 0, 6, 0, 232, 3, 0, 0, 4, 0,
                                            0, 0, 255, 255, 255, 255, 16, 0, 6, 0, 255, 255, 255, 255, 32, 0, 0, 0,
                                            255, 255, 255, 255};
static const char access_name[] = "system.posix_acl_access";

static void a_replaced_file_keeps_access_list_and_attributes(void **state)
{
    (void)state;
    unsigned char got[256];
    put(in("file"), "a");
    if (setxattr(in("file"), access_name, access_list, sizeof access_list, 0) != 0 ||
        setxattr(in("file"), "user.note", "kept", 4, 0) != 0)
        skip(); /* not every file system has them */
    assert_int_equal(put(in("file"), "b"), 0);
    expect(in("file"), "b");
    assert_int_equal(getxattr(in("file"), access_name, got, sizeof got), sizeof access_list);
    assert_memory_equal(got, access_list, sizeof access_list);
    assert_int_equal(getxattr(in("file"), "user.note", got, sizeof got), 4);
    assert_int_equal(status_of(in("file")).st_mode & 07777, 0660);
    /* what only the folder would give a new file does not widen the access of an old one */
    assert_int_equal(removexattr(in("file"), access_name), 0);
    chmod(in("file"), 0600);
    mkdir(in("shared"), 0700);
    put(in("shared/file"), "a");
    chmod(in("shared/file"), 0660);
    assert_int_equal(setxattr(in("shared"), "system.posix_acl_default", access_list, sizeof access_list, 0), 0);
    assert_int_equal(put(in("shared/file"), "b"), 0);
    assert_int_equal(getxattr(in("shared/file"), access_name, got, sizeof got), -1);
    assert_int_equal(status_of(in("shared/file")).st_mode & 07777, 0660);
}

/* As a user who may write the file and not its folder. */
static void a_folder_that_refuses_new_files_is_written_in_place(void **state)
{
    (void)state;
    int status;
    mkdir(in("folder"), 0755);
    put(in("folder/file"), "a");
    chmod(folder, 0777);
    chmod(in("folder/file"), 0666);
    ino_t before = status_of(in("folder/file")).st_ino;
    chmod(in("folder"), 0555);
    pid_t child = fork();
    if (child == 0)
        _exit(geteuid() == 0 && setuid(65534) != 0 ? 2 : put(in("folder/file"), "written in place") == 0 ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    chmod(in("folder"), 0755);
    assert_int_equal(status, 0);
    expect(in("folder/file"), "written in place");
    assert_true(status_of(in("folder/file")).st_ino == before);
}

/* ---- what is no regular file ---------------------------------------------------------------------------------- */

static void a_fifo_is_written_into(void **state)
{
    (void)state;
    char got[16] = "";
    struct errors errors = {0};
    assert_int_equal(mkfifo(in("fifo"), 0600), 0);
    assert_int_equal(put(in("fifo"), "x"), -1); /* nobody reads */
    pid_t child = fork();
    if (child == 0)
        _exit(write_file(in("fifo"), "text", 4, WRITE_PATIENT, &errors) != 0);
    int fd = open(in("fifo"), O_RDONLY), status;
    assert_int_equal(read(fd, got, sizeof got), 4);
    close(fd);
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_string_equal(got, "text");
    assert_true(S_ISFIFO(status_of(in("fifo")).st_mode));
}

/* A node of our own with the numbers of /dev/full and /dev/null; no device of the system is opened for writing. */
static void a_device_stays_one(void **state)
{
    (void)state;
    if (mknod(in("null"), S_IFCHR | 0600, makedev(1, 3)) != 0 || mknod(in("full"), S_IFCHR | 0600, makedev(1, 7)) != 0)
        skip();
    int fd = open(in("null"), O_WRONLY);
    if (fd < 0)
        skip(); /* a file system without devices */
    close(fd);
    assert_int_equal(put(in("null"), "x"), 0);
    assert_true(S_ISCHR(status_of(in("null")).st_mode));
    assert_int_equal(put(in("full"), "x"), -1);
    assert_true(S_ISCHR(status_of(in("full")).st_mode));
}

static void an_open_descriptor_is_written_to(void **state)
{
    (void)state;
    char name[32], got[8] = "";
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
    assert_int_equal(put(name, "text"), 0);
    assert_int_equal(read(ends[0], got, sizeof got), 4);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(put(name, "text"), -1);
}

/* ---- killed runs ---------------------------------------------------------------------------------------------- */

static void leftovers_of_the_dead_are_removed(void **state)
{
    (void)state;
    char dead[128], alive[128], other[64];
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    snprintf(dead, sizeof dead, ".file.%.60s-%d-000001.shardtop", process_host(), (int)child);
    snprintf(alive, sizeof alive, ".file.%.60s-%d-000001.shardtop", process_host(), (int)getpid());
    snprintf(other, sizeof other, ".file.elsewhere-%d-000001.shardtop", (int)child);
    const char *const names[] = {dead, alive, other, ".file.shardtop", "file-1-000001.shardtop"};
    for (size_t i = 0; i < COUNT(names); i++)
        close(open(in(names[i]), O_CREAT | O_WRONLY, 0600));
    put(in("file"), "a");
    assert_int_equal(access(in(dead), F_OK), -1);
    for (size_t i = 1; i < COUNT(names); i++)
        assert_that(access(in(names[i]), F_OK) == 0, "%s was removed", names[i]);
}

/* Its parent has not asked for its status, as the first process of many containers never does. */
static void a_dead_process_is_dead_before_anyone_asks(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    assert_true(access("/proc/self/stat", R_OK) != 0 || !process_lives(child));
    waitpid(child, NULL, 0);
    assert_false(process_lives(child));
    assert_true(process_lives(getpid()));
}

static void two_texts(char *even, char *odd, size_t size)
{
    memset(even, 'e', size);
    memset(odd, 'o', size / 2);
    even[size] = odd[size / 2] = '\0';
}

static void write_both(const char *path, const char *odd, const char *even)
{
    struct errors errors = {0};
    write_file(path, odd, strlen(odd), 0, &errors);
    write_file(path, even, strlen(even), 0, &errors);
}

/* A process that writes two texts is killed at its nth call; returns whether it had that many. */
static bool is_killed_at(int call, const char *path, const char *odd, const char *even)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        calls_left = call;
        write_both(path, odd, even);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) || WTERMSIG(status) == SIGKILL);
    return WIFSIGNALED(status);
}

/* It is killed at each of its calls in turn; afterwards one of the texts stands there, whole. */
static void killed_while_writing(const char *path, int least_calls)
{
    enum { SIZE = 200000 };
    static char even[SIZE + 1], odd[SIZE + 1];
    int call = 0;
    two_texts(even, odd, SIZE);
    put(path, even);
    while (is_killed_at(++call, path, odd, even)) {
        struct errors errors = {0};
        size_t size;
        write_recover();
        char *got = file_read(path, &size, &errors);
        assert_that(got && (strcmp(got, even) == 0 || strcmp(got, odd) == 0), "call %d leaves %zu bytes: half a file",
                    call, got ? size : 0);
        free(got);
    }
    assert_that(call > least_calls, "%d calls", call);
    put(path, "end");
    expect(path, "end");
    assert_int_equal(leftovers(), 0);
}

static void never_half_a_file_after_a_kill(void **state)
{
    (void)state;
    killed_while_writing(in("file"), 6);
}

static void never_half_a_file_with_two_names_after_a_kill(void **state)
{
    (void)state;
    put(in("file"), "a");
    twin(in("file"), in("twin"));
    killed_while_writing(in("file"), 12);
    assert_int_equal(status_of(in("twin")).st_nlink, 2);
    expect(in("twin"), "end");
}

/* Each of the writer's calls fails in turn: the file has the new content if it says so, else the old one. */
static void failed_while_writing(const char *path, int least_calls)
{
    int call = 0;
    bool has_failed = true;
    while (has_failed) {
        put(path, "the old content");
        calls_until_fault = ++call;
        struct errors errors = {0};
        int result = write_file(path, "new content", strlen("new content"), WRITE_DURABLE, &errors);
        has_failed = calls_until_fault == 0;
        calls_until_fault = 0;
        expect(path, result == 0 ? "new content" : "the old content");
        assert_int_equal(result != 0, errors_any(&errors));
        errors_free(&errors);
        put(path, "the journal of this process goes");
    }
    assert_that(call > least_calls, "%d calls", call);
}

static void a_failed_call_leaves_old_or_new_content(void **state)
{
    (void)state;
    failed_while_writing(in("file"), 4);
    put(in("first"), "a");
    twin(in("first"), in("second"));
    failed_while_writing(in("first"), 8);
    assert_int_equal(status_of(in("first")).st_nlink, 2);
}

/* What a run leaves that was killed between two bytes of a file in place. */
static void leave_half(const char *now)
{
    char name[128], text[512];
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    put(in("file"), now);
    put(in("file2"), "other");
    twin(in("file"), in("twin"));
    put(in("twin"), now); /* makes the folder of journals */
    snprintf(name, sizeof name, "state/shardtop/unfinished/%.60s@%d", process_host(), (int)child);
    const char *path = in("file");
    snprintf(text, sizeof text, "shardtop in place 1: inode %llu path %zu old 6 new 8\n%soldoldnewnewne",
             (unsigned long long)status_of(path).st_ino, strlen(path), path);
    put(in(name), text);
    write_recover();
    assert_int_equal(access(in(name), F_OK), -1);
}

static void a_file_in_place_is_completed_at_the_next_start(void **state)
{
    (void)state;
    leave_half("newold");
    expect(in("twin"), "newnewne");
}

static void a_file_changed_since_is_left_alone(void **state)
{
    (void)state;
    leave_half("edited since");
    expect(in("twin"), "edited since");
}

/* ---- a full disk ---------------------------------------------------------------------------------------------- */

static void expect_old(const char *path)
{
    static char large[300000];
    memset(large, 'x', sizeof large - 1);
    assert_int_equal(put(path, large), -1);
    expect(path, "old");
}

static void a_file_beyond_the_limit_leaves_the_old_one(void **state)
{
    (void)state;
    struct rlimit before, small;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small = (struct rlimit){100000, before.rlim_max};
    put(in("file"), "old");
    put(in("first"), "old");
    twin(in("first"), in("second"));
    setrlimit(RLIMIT_FSIZE, &small);
    expect_old(in("file"));
    expect_old(in("second"));
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(leftovers(), 0);
}

static void a_full_disk_leaves_the_old_file(void **state)
{
    (void)state;
    mkdir(in("disk"), 0700);
    if (mount("none", in("disk"), "tmpfs", 0, "size=128k") != 0)
        skip(); /* only root may */
    put(in("disk/file"), "old");
    put(in("disk/first"), "old");
    twin(in("disk/first"), in("disk/second"));
    expect_old(in("disk/file"));
    expect_old(in("disk/second"));
    umount(in("disk"));
    assert_int_equal(rmdir(in("disk")), 0);
}

/* ---- marks ---------------------------------------------------------------------------------------------------- */

static void a_mark_tells_that_a_file_has_changed(void **state)
{
    (void)state;
    struct file_mark none = file_mark(in("file"));
    assert_false(none.exists);
    put(in("file"), "a");
    struct file_mark one = file_mark(in("file")), again = file_mark(in("file"));
    assert_true(file_mark_equal(&one, &again));
    assert_false(file_mark_equal(&one, &none));
    put(in("file"), "b");
    struct file_mark two = file_mark(in("file"));
    assert_false(file_mark_equal(&one, &two));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(a_new_file_has_the_mode_of_the_mask),
        TEST(a_replaced_file_keeps_mode_and_owner),
        TEST(a_replaced_file_keeps_access_list_and_attributes),
        TEST(a_folder_that_refuses_new_files_is_written_in_place),
        TEST(a_symbolic_link_stays_one),
        TEST(a_link_to_nothing_makes_what_it_names),
        TEST(a_file_with_two_names_keeps_both),
        TEST(what_may_not_be_written_stays),
        TEST(a_fifo_is_written_into),
        TEST(a_device_stays_one),
        TEST(an_open_descriptor_is_written_to),
        TEST(leftovers_of_the_dead_are_removed),
        TEST(a_dead_process_is_dead_before_anyone_asks),
        TEST(never_half_a_file_after_a_kill),
        TEST(never_half_a_file_with_two_names_after_a_kill),
        TEST(a_failed_call_leaves_old_or_new_content),
        TEST(a_file_in_place_is_completed_at_the_next_start),
        TEST(a_file_changed_since_is_left_alone),
        TEST(a_file_beyond_the_limit_leaves_the_old_one),
        TEST(a_full_disk_leaves_the_old_file),
        TEST(a_mark_tells_that_a_file_has_changed),
    };
    return cmocka_run_group_tests_name("write", tests, NULL, NULL) != 0;
}
