// Other namespaces, which the kernel gives to a process of one thread only: at once and again and again, in a child,
// and not where the program has a second thread itself.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int refused_of_20(int (*ask)(int), int what) {
    int refused = 0;
    for (int i = 0; i < 20; ++i) refused += ask(what) != 0;
    return refused;
}

static int join_mounts(int fd) { return setns(fd, CLONE_NEWNS); }

static void* waiting(void* nothing) {
    pause();
    return nothing;
}

int main(void) {
    const int mounts = open("/proc/self/ns/mnt", O_RDONLY);
    printf("unshare %d, setns %d\n", refused_of_20(unshare, CLONE_THREAD), refused_of_20(join_mounts, mounts));
    errno = 0;
    printf("nothing to join: %d", setns(-1, 0));
    printf(" %s\n", strerror(errno));

    int status = 0;
    const pid_t child = fork();
    if (child == 0) _exit(unshare(CLONE_NEWUSER) != 0);
    waitpid(child, &status, 0);
    printf("in a child %d, itself %d\n", status, unshare(CLONE_NEWUSER));

    pthread_t thread;
    if (pthread_create(&thread, NULL, waiting, NULL) != 0) return 1;
    errno = 0;
    printf("with a second thread %d", unshare(CLONE_NEWUSER));
    printf(" %s\n", strerror(errno));
    usleep(1000000);  // ten of the recorder's looks, fewer where other programs are in its way
    return 3;
}
