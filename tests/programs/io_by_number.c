/* System calls by number, on files that libc's names opened: the same answers with the files in a cache.
 *
 *   io_by_number FOLDER [ring] */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char text[20000], again[20000];
#define SHOW(call) (errno = 0, printf("%s: %ld %d\n", #call, (long)(call), errno))

static const char* in(const char* folder, const char* name) {
    static char path[8][4096];
    static int next;
    char* to = path[next++ % 8];
    snprintf(to, sizeof path[0], "%s/%s", folder, name);
    return to;
}

static int made(const char* folder, const char* name) {
    int fd = open(in(folder, name), O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (write(fd, text, sizeof text) != sizeof text) exit(1);
    return fd;
}

static int through_ring(int fd) { /* what a read through io_uring finds; -1: there is no such thing here */
    struct io_uring_params asked = {0};
    int ring = (int)syscall(SYS_io_uring_setup, 4, &asked);
    if (ring < 0) return -1;
    char* entries = mmap(0, asked.sq_off.array + 64, 3, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQ_RING);
    char* results = mmap(0, asked.cq_off.cqes + 8 * sizeof(struct io_uring_cqe), 3, MAP_SHARED | MAP_POPULATE, ring,
                         IORING_OFF_CQ_RING);
    struct io_uring_sqe* one = mmap(0, 4 * sizeof *one, 3, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQES);
    memset(one, 0, sizeof *one);
    one->opcode = IORING_OP_READ;
    one->fd = fd;
    one->addr = (uintptr_t)again;
    one->len = 50;
    *(unsigned*)(entries + asked.sq_off.array) = 0;
    __sync_synchronize();
    *(unsigned*)(entries + asked.sq_off.tail) = 1;
    syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, 0, 0);
    return ((struct io_uring_cqe*)(results + asked.cq_off.cqes))->res;
}

static volatile int signals;
struct kernel_action {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};
static void on_signal(int number) { signals += number == SIGUSR1; }

int main(int count, char** arguments) {
    const char* folder = arguments[1];
    for (size_t i = 0; i < sizeof text; ++i) text[i] = (char)('a' + i % 23);
    int fd = made(folder, "a"), other;
    if (count > 2) {
        int read_bytes = through_ring(fd);
        if (read_bytes < 0) return 77;
        printf("%d of 50, same %d\n", read_bytes, memcmp(text, again, 50) == 0);
        return 0;
    }
    struct iovec parts[2] = {{again, 3000}, {again + 3000, 4000}};
    SHOW(syscall(SYS_pread64, fd, again, 5000, 1000L));
    SHOW(memcmp(again, text + 1000, 5000));
    SHOW(syscall(SYS_pwrite64, fd, "by number", 9, 19996L));
    SHOW(pread(fd, again, 9, 19996));
    SHOW(memcmp(again, "by number", 9));
    SHOW(syscall(SYS_lseek, fd, 100L, SEEK_SET));
    SHOW(syscall(SYS_read, fd, again, 50));
    SHOW(syscall(SYS_readv, fd, parts, 2));
    SHOW(syscall(SYS_write, fd, "x", 1));
    SHOW(syscall(SYS_writev, fd, parts, 2));
    SHOW(lseek(fd, 0, SEEK_CUR));
    SHOW(syscall(SYS_preadv, fd, parts, 2, 7L, 0L));
    SHOW(syscall(SYS_pwritev, fd, parts, 2, 30000L, 0L));
    SHOW(syscall(SYS_preadv2, fd, parts, 2, 7L, 0L, 0));
    SHOW(syscall(SYS_preadv2, fd, parts, 2, -1L, -1L, 0));
    SHOW(syscall(SYS_pread64, fd, again, 5, -5L));
    SHOW(syscall(SYS_read, 9999, again, 5));
    SHOW(syscall(SYS_ftruncate, fd, 25000L));
    SHOW(syscall(SYS_fallocate, fd, 0, 0L, 26000L));
    SHOW(lseek(fd, 0, SEEK_END));
    struct stat status;
    SHOW(syscall(SYS_fstat, fd, &status));
    SHOW(status.st_size);
    SHOW(syscall(SYS_newfstatat, AT_FDCWD, in(folder, "a"), &status, 0));
    SHOW(status.st_size);
    SHOW(syscall(SYS_fsync, fd));
    SHOW(syscall(SYS_fcntl, fd, F_GETFL, 0) & (O_ACCMODE | O_APPEND));
    SHOW(other = (int)syscall(SYS_dup, fd) > 0);
    SHOW(syscall(SYS_dup3, fd, 77, O_CLOEXEC));
    SHOW(write(77, "copy", 4));
    SHOW(lseek(fd, 0, SEEK_CUR));
    SHOW(syscall(SYS_close, 77));
    SHOW(write(77, "copy", 4));
    SHOW(syscall(SYS_unlinkat, AT_FDCWD, in(folder, "none"), 0));
    /* six arguments, and a call that the cache knows nothing of with a file of its among them */
    char* mapped = (char*)syscall(SYS_mmap, NULL, 8192L, PROT_READ, MAP_SHARED, fd, 4096L);
    SHOW(pread(fd, again, 4096, 4096));
    SHOW(memcmp(mapped, again, 4096));
    int second = made(folder, "b");
    SHOW(syscall(SYS_copy_file_range, second, NULL, fd, NULL, 100L, 0));
    SHOW(lseek(second, 0, SEEK_SET));
    SHOW(syscall(SYS_sendfile, fd, second, NULL, 300L));
    /* processes */
    int third = made(folder, "c");
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
        if (write(third, "child", 5) != 5) _exit(1);
        syscall(SYS_exit_group, 7);
    }
    int ended;
    waitpid(child, &ended, 0);
    SHOW(WEXITSTATUS(ended));
    SHOW(lseek(third, 0, SEEK_CUR));
    struct kernel_action action, before;
    memset(&action, 0, sizeof action);
    action.handler = on_signal;
    SHOW(syscall(SYS_rt_sigaction, SIGUSR1, NULL, &before, 8));
    signal(SIGUSR1, on_signal);
    SHOW(syscall(SYS_rt_sigaction, SIGUSR1, NULL, &before, 8));
    SHOW(before.handler == on_signal);
    raise(SIGUSR1);
    SHOW(signals);
    /* wrong sizes, memory that is not there, signals that libc keeps to itself, and such as there are none of */
    SHOW(syscall(SYS_rt_sigaction, SIGUSR2, &action, NULL, 4L));
    SHOW(syscall(SYS_rt_sigaction, SIGUSR2, &action, NULL, 16L));
    SHOW(syscall(SYS_rt_sigaction, SIGUSR2, -1L, NULL, 8L));
    SHOW(syscall(SYS_rt_sigaction, SIGUSR2, &action, -1L, 8L));
    SHOW(syscall(SYS_rt_sigaction, SIGUSR2, NULL, &before, 8L));
    SHOW(before.handler == on_signal);
    SHOW(syscall(SYS_rt_sigaction, 32, NULL, &before, 8L));
    SHOW(syscall(SYS_rt_sigaction, SIGKILL, &action, NULL, 8L));
    SHOW(syscall(SYS_rt_sigaction, 65, NULL, &before, 8L));
    SHOW(syscall(SYS_getpid) == getpid());
    fflush(stdout);
    int last = made(folder, "d");
    if (write(last, "the end", 7) != 7) return 1;
    syscall(SYS_exit_group, 3); /* nothing of ours runs after this */
}
