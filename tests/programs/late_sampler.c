// Lets the recorder's sampler begin only when FILE is open and written to, waits until it has left the program's table
// of descriptors, and deletes the file. Ends with 77 where it does not leave within 20 s.
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int may_begin, sampler;

// The sampler calls it before it leaves, to name itself; here in place of libc's.
int prctl(int option, ...) {
    (void)option;
    while (!may_begin) sched_yield();
    sampler = gettid();
    return 0;
}

static int shares(int thread, int fd, const char* path) {
    char link[64], target[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/task/%d/fd/%d", thread, fd);
    const ssize_t length = readlink(link, target, sizeof target);
    return length == (ssize_t)strlen(path) && memcmp(target, path, (size_t)length) == 0;
}

static void give_up(int signal) {
    (void)signal;
    _exit(77);
}

int main(int count, char** words) {
    if (count != 2) return 2;
    const int fd = open(words[1], O_RDWR | O_CREAT, 0600);
    if (fd < 0 || write(fd, "words", 5) != 5) return 3;
    signal(SIGALRM, give_up);
    alarm(20);
    may_begin = 1;
    while (sampler == 0 || shares(sampler, fd, words[1])) sched_yield();
    char word[5];
    if (pread(fd, word, 5, 0) != 5 || memcmp(word, "words", 5) != 0) return 4;
    return close(fd) == 0 && unlink(words[1]) == 0 ? 0 : 5;
}
