// Writes a file, forbids itself all system calls but those that it makes, and goes on with the file.
// Usage: sandboxed FILE WAY
//   kills    by prctl; any other call ends the program
//   threads  by seccomp, for all threads there are
//   number   by seccomp, without PR_SET_NO_NEW_PRIVS, which takes rights
//   refuses  by prctl; any other call is EPERM
//   strict   nothing but read and write
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ALLOWED(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static int forbid_others(unsigned otherwise, const char* way) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOWED(SYS_read),
        ALLOWED(SYS_write),
        ALLOWED(SYS_openat),
        ALLOWED(SYS_close),
        ALLOWED(SYS_lseek),
        ALLOWED(SYS_fstat),
        ALLOWED(SYS_newfstatat),
        ALLOWED(SYS_unlink),
        ALLOWED(SYS_unlinkat),
        ALLOWED(SYS_clock_nanosleep),
        ALLOWED(SYS_rt_sigreturn),
        ALLOWED(SYS_exit_group),
        BPF_STMT(BPF_RET | BPF_K, otherwise),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    const int by_number = strcmp(way, "threads") == 0 || strcmp(way, "number") == 0;
    if (strcmp(way, "number") != 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 0;
    if (!by_number) return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
    const unsigned flags = strcmp(way, "threads") == 0 ? SECCOMP_FILTER_FLAG_TSYNC : 0;
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) == 0;
}

static void append(int fd, char with) {
    char block[4096];
    memset(block, with, sizeof block);
    for (int i = 0; i < 20; ++i)
        if (write(fd, block, sizeof block) != sizeof block) printf("not written\n");
}

static void look_around(int fd, const char* path) {
    struct stat status;
    char read_back[4] = "";
    char beside[4096];
    const struct timespec while_others_look = {0, 700000000};  // the keeper does twice a second
    nanosleep(&while_others_look, NULL);
    append(fd, 'b');
    lseek(fd, 20 * 4096 - 1, SEEK_SET);
    if (read(fd, read_back, 2) == 2) printf("%s\n", read_back);
    if (fstat(fd, &status) == 0) printf("%ld bytes\n", (long)status.st_size);
    printf("closed %d\n", close(fd));
    snprintf(beside, sizeof beside, "%s.beside", path);
    const int other = open(beside, O_RDWR | O_CREAT, 0600);
    append(other, 'c');
    close(other);
    printf("missing %d, stat %d, deleted %d\n", open("/nonexistent", O_RDONLY), stat(beside, &status), unlink(beside));
}

int main(int count, char** words) {
    if (count < 3) return 2;
    const char* way = words[2];
    const int fd = open(words[1], O_RDWR | O_CREAT, 0600);
    append(fd, 'a');
    printf("open\n");  // the stream has its buffer
    fflush(stdout);
    if (strcmp(way, "strict") == 0) {
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) return 4;
        append(fd, 'b');
        syscall(SYS_exit, 0);
    }
    if (!forbid_others(strcmp(way, "refuses") == 0 ? SECCOMP_RET_ERRNO | 1 : SECCOMP_RET_KILL_PROCESS, way)) return 4;
    look_around(fd, words[1]);
    return 5;
}
