/* Opens a file twice, the second time past a cache: with flags that it does not serve, by a name that is not chosen, by
 * number. The kernel grants this program no leases, as some network file systems do.
 *
 *   io_unleased FOLDER
 *
 * Exit code 77: it cannot be had so here. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int refuse_leases(void) {
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_SETLEASE, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int main(int count, char** arguments) {
    char path[4096], other[4200];
    if (count == 2) { /* once more, behind the filter: a program that sets one itself is not served */
        if (refuse_leases()) execl("/proc/self/exe", arguments[0], arguments[1], "refused", NULL);
        return 77;
    }
    snprintf(path, sizeof path, "%s/file", arguments[1]);
    snprintf(other, sizeof other, "%s.other", arguments[1]); /* beside the folder */
    for (int way = 0; way < 4; ++way) {
        const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
        if (write(fd, "written", 7) != 7) return 1;
        unlink(other);
        if (symlink(path, other) != 0) return 2;
        const int again = way == 0   ? open(path, O_RDWR | O_SYNC)
                          : way == 1 ? open(other, O_RDWR)
                          : way == 2 ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR)
                                     : open(path, O_RDWR);
        char bytes[100] = "";
        printf("way %d reads %zd", way, read(again, bytes, sizeof bytes));
        printf(" %s, writes %zd", bytes, pwrite(again, "WR", 2, 0));
        memset(bytes, 0, sizeof bytes);
        printf(", reads %zd", pread(fd, bytes, sizeof bytes, 0));
        printf(" %s\n", bytes);
        close(fd);
        close(again);
        unlink(path);
    }
    return 0;
}
