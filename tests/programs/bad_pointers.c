// Calls functions of libc with pointers that the kernel cannot read or write, each in a process of its own, and says
// what came of it: a result and errno, or a signal. Whoever stands between the program and libc must change none of it.
//   bad_pointers FOLDER
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

static void* volatile bad;  // what is wrong: so that the compiler does not know
static const char* good;    // an existing file
static int fd, listener;

// The two ends of each: `p` as a path, `q` as a buffer.
#define p ((char*)bad)
#define q ((void*)bad)
// clang-format off: a call a line
#define CALLS(X)                                                     \
    X(open, open(p, O_RDONLY))                                       \
    X(open_new, open(p, O_CREAT | O_RDWR, 0600))                     \
    X(openat, openat(AT_FDCWD, p, O_RDONLY))                         \
    X(creat, creat(p, 0600))                                         \
    X(opendir, opendir(p) == NULL ? -1 : 0)                          \
    X(truncate, truncate(p, 1))                                      \
    X(unlink, unlink(p))                                             \
    X(unlinkat, unlinkat(AT_FDCWD, p, 0))                            \
    X(remove, remove(p))                                             \
    X(mkdir, mkdir(p, 0700))                                         \
    X(rmdir, rmdir(p))                                               \
    X(rename_from, rename(p, "elsewhere"))                           \
    X(rename_to, rename(good, p))                                    \
    X(renameat, renameat(AT_FDCWD, good, AT_FDCWD, p))               \
    X(renameat2, renameat2(AT_FDCWD, p, AT_FDCWD, "elsewhere", 0))   \
    X(link_from, link(p, "elsewhere"))                               \
    X(link_to, link(good, p))                                        \
    X(linkat, linkat(AT_FDCWD, good, AT_FDCWD, p, 0))                \
    X(stat_path, stat(p, &status))                                   \
    X(stat_to, stat(good, q))                                        \
    X(lstat_path, lstat(p, &status))                                 \
    X(lstat_to, lstat(good, q))                                      \
    X(fstat_to, fstat(fd, q))                                        \
    X(fstatat_path, fstatat(AT_FDCWD, p, &status, 0))                \
    X(fstatat_to, fstatat(AT_FDCWD, good, q, 0))                     \
    X(statx_path, statx(AT_FDCWD, p, 0, STATX_SIZE, &extended))      \
    X(statx_to, statx(AT_FDCWD, good, 0, STATX_SIZE, q))             \
    X(access, access(p, F_OK))                                       \
    X(faccessat, faccessat(AT_FDCWD, p, F_OK, 0))                    \
    X(chmod, chmod(p, 0600))                                         \
    X(fchmodat, fchmodat(AT_FDCWD, p, 0600, 0))                      \
    X(chown, chown(p, 0, 0))                                         \
    X(lchown, lchown(p, 0, 0))                                       \
    X(fchownat, fchownat(AT_FDCWD, p, 0, 0, 0))                      \
    X(utime_path, utime(p, NULL))                                    \
    X(utime_times, utime(good, q))                                   \
    X(utimes_path, utimes(p, NULL))                                  \
    X(lutimes, lutimes(p, NULL))                                     \
    X(utimensat_path, utimensat(AT_FDCWD, p, NULL, 0))               \
    X(utimensat_times, utimensat(AT_FDCWD, good, q, 0))              \
    X(futimens, futimens(fd, q))                                     \
    X(setxattr_path, setxattr(p, "user.a", "b", 1, 0))               \
    X(setxattr_name, setxattr(good, p, "b", 1, 0))                   \
    X(lsetxattr, lsetxattr(p, "user.a", "b", 1, 0))                  \
    X(fsetxattr, fsetxattr(fd, p, "b", 1, 0))                        \
    X(read, read(fd, q, 100))                                        \
    X(read_much, read(fd, q, 100000))                                \
    X(readv, readv(fd, q, 2))                                        \
    X(readv_to, readv(fd, parts, 2))                                 \
    X(pread, pread(fd, q, 100, 3))                                   \
    X(preadv, preadv(fd, q, 2, 3))                                   \
    X(preadv_to, preadv(fd, parts, 2, 3))                            \
    X(preadv2, preadv2(fd, parts, 2, -1, 0))                         \
    X(write, write(fd, q, 100))                                      \
    X(write_much, write(fd, q, 100000))                              \
    X(writev, writev(fd, q, 2))                                      \
    X(writev_from, writev(fd, parts, 2))                             \
    X(pwrite, pwrite(fd, q, 100, 3))                                 \
    X(pwritev, pwritev(fd, q, 2, 3))                                 \
    X(pwritev_from, pwritev(fd, parts, 2, 3))                        \
    X(pwritev2, pwritev2(fd, parts, 2, -1, 0))                       \
    X(sendfile, sendfile(listener, fd, q, 10))                       \
    X(copy_file_range, copy_file_range(fd, q, fd, NULL, 10, 0))      \
    X(splice, splice(fd, q, listener, NULL, 10, 0))                  \
    X(lock, fcntl(fd, F_SETLK, q))                                   \
    X(ask_lock, fcntl(fd, F_GETLK, q))                               \
    X(ioctl, ioctl(fd, FIONREAD, q))                                 \
    X(socketpair, socketpair(AF_UNIX, SOCK_STREAM, 0, q))            \
    X(connect, connect(listener, q, 16))                             \
    X(accept, accept(listener, q, q))                                \
    X(accept4, accept4(listener, q, q, 0))                           \
    X(setsockopt, setsockopt(listener, SOL_SOCKET, SO_SNDBUF, q, 4)) \
    X(sendmsg, sendmsg(listener, q, 0))                              \
    X(pipe, pipe(q))                                                 \
    X(pipe2, pipe2(q, 0))                                            \
    X(execve, execve(p, none, none))                                 \
    X(execv, execv(p, none))                                         \
    X(execve_variables, execve("/nowhere", none, q))                 \
    X(execveat, execveat(AT_FDCWD, p, none, none, 0))                \
    X(sigaction_new, sigaction(SIGUSR1, q, NULL))                    \
    X(setrlimit, setrlimit(RLIMIT_CORE, q))                          \
    X(prlimit, prlimit(0, RLIMIT_CORE, q, NULL))                     \
    X(raw_open, syscall(SYS_openat, AT_FDCWD, p, O_RDONLY))          \
    X(raw_read, syscall(SYS_read, fd, q, 100))                       \
    X(raw_write, syscall(SYS_write, fd, q, 100))                     \
    X(raw_stat, syscall(SYS_newfstatat, AT_FDCWD, p, &status, 0))    \
    X(raw_uring, syscall(SYS_io_uring_setup, 4, q))                  \
    X(raw_unlink, syscall(SYS_unlink, p))                            \
    X(fopen, fopen(p, "r") ? 0 : -1)
// clang-format on

struct Call {
    const char* name;
    long (*make)(void);
};
static struct stat status;
static struct statx extended;
static char room[64];
static struct iovec parts[2];
static char* none[1];

#define FUNCTION(name, call) \
    static long call_##name(void) { return (long)(call); }
CALLS(FUNCTION)
#define ROW(name, call) {#name, call_##name},
static const struct Call calls[] = {CALLS(ROW)};

static void one(const struct Call* call, const char* kind) {
    int both[2];
    if (pipe(both) != 0) exit(2);
    const pid_t child = fork();
    if (child == 0) {
        errno = 0;
        long said[3] = {call->make(), errno, 0};
        struct stat after;
        said[2] = fstat(fd, &after) == 0 ? (long)after.st_size + 1000 * (long)lseek(fd, 0, SEEK_CUR) : -1;
        if (said[0] > 2 && said[1] == 0 && said[0] < 100) said[0] = 3;  // any descriptor
        if (write(both[1], said, sizeof said) < 0) _exit(3);
        _exit(0);
    }
    close(both[1]);
    long said[3] = {0, 0, 0};
    const ssize_t came = read(both[0], said, sizeof said);
    close(both[0]);
    int ended = 0;
    waitpid(child, &ended, 0);
    if (WIFSIGNALED(ended))
        printf("%s %s: signal %d\n", call->name, kind, WTERMSIG(ended));
    else
        printf("%s %s: %ld errno %ld file %ld%s\n", call->name, kind, said[0], said[1], said[2],
               came == sizeof said ? "" : " ?");
    fflush(stdout);
}

int main(int count, char** arguments) {
    if (count < 2 || chdir(arguments[1]) != 0) return 2;
    char* pages = mmap(NULL, 2 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + (1 << 16), 1 << 16, PROT_NONE);
    memset(pages, 'a', 1 << 16);
    char* end = pages + (1 << 16) - 10;  // ten characters, and then none that may be read
    const struct {
        const char* name;
        void* value;
    } kinds[] = {{"null", NULL},
                 {"one", (void*)1},
                 {"forbidden", pages + (1 << 16)},
                 {"cut", end},
                 {"kernel", (void*)(~0ul << 20)}};
    listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; ++kind) {
        for (size_t at = 0; at < sizeof calls / sizeof *calls; ++at) {
            char name[64];
            snprintf(name, sizeof name, "file-%zu-%zu", kind, at);
            good = name;
            fd = open(name, O_CREAT | O_RDWR | O_TRUNC, 0600);
            if (write(fd, "0123456789abcdefghij0123456789", 30) != 30) return 2;
            lseek(fd, 5, SEEK_SET);
            bad = kinds[kind].value;
            parts[0] = (struct iovec){room, 4};
            parts[1] = (struct iovec){bad, 12};
            one(&calls[at], kinds[kind].name);
            close(fd);
        }
    }
    return 0;
}
