/* A file that a process shares with a child made by libc's clone, which no handler of fork hears of.
 *
 *   io_clones FILE FLAGS: "vm", "files", both, or neither */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char stack[1 << 18];
static int fd;

static int in_child(void* found) {
    char text[8] = "";
    *(int*)found = pread(fd, text, 7, 0) == 7 && strcmp(text, "header\n") == 0;
    if (write(fd, "child\n", 6) != 6) return 1;
    return *(int*)found ? 7 : 2;
}

static pid_t cloned(int flags, int* found) { return clone(in_child, stack + sizeof stack, flags | SIGCHLD, found); }

int main(int count, char** arguments) {
    if (count < 3) return 1;
    int flags = (strstr(arguments[2], "vm") ? CLONE_VM : 0) | (strstr(arguments[2], "files") ? CLONE_FILES : 0);
    int found = 0, ended = 0;
    fd = open(arguments[1], O_RDWR | O_CREAT, 0600);
    if (write(fd, "header\n", 7) != 7) return 1;
    waitpid(cloned(flags, &found), &ended, 0);
    printf("child %d, at %d\n", WEXITSTATUS(ended), (int)lseek(fd, 0, SEEK_CUR));
    if (write(fd, "footer\n", 7) != 7) return 1;
    printf("ends at %d\n", (int)lseek(fd, 0, SEEK_END));
    return 0;
}
