/* A program that uses its table of descriptors to the last one, closes what is not its own, and puts descriptors where
 * it likes.
 *
 *   io_limits FOLDER SOFT HARD */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static const char* folder;
static int numbered; /* as without us: where the cache's own descriptors find place beyond the limit */

static int opened(int number) {
    char name[4096];
    snprintf(name, sizeof name, "%s/%d", folder, number);
    return open(name, O_RDWR | O_CREAT, 0600);
}

static int fill(void) { /* with files; whether each is its own */
    int fds[5000], count = 0, wrong = 0;
    char text[64] = "", again[64];
    while (count < 5000 && (fds[count] = opened(count)) >= 0) {
        snprintf(text, sizeof text, "file %d", count);
        wrong += pwrite(fds[count], text, 64, 0) != 64 || (numbered && fds[count] != count + 3);
        ++count;
    }
    printf("%d files, errno %d", count, errno);
    for (int i = 0; i < count; ++i) {
        snprintf(text, sizeof text, "file %d", i);
        wrong += pread(fds[i], again, 64, 0) != 64 || strcmp(text, again) != 0;
        wrong += close(fds[i]) != 0;
    }
    return wrong;
}

int main(int count, char** arguments) {
    (void)count;
    folder = arguments[1];
    struct rlimit limit = {(rlim_t)atoi(arguments[2]), (rlim_t)atoi(arguments[3])}, now;
    setrlimit(RLIMIT_NOFILE, &limit);
    numbered = limit.rlim_cur < limit.rlim_max;
    printf(", wrong %d\n", fill());
    for (int i = 0; i < 5; ++i) opened(i);
    getrlimit(RLIMIT_NOFILE, &now);
    printf("limit the same %d\n", now.rlim_cur == limit.rlim_cur && now.rlim_max == limit.rlim_max);
    int sockets = 0;
    while (socket(AF_UNIX, SOCK_STREAM, 0) >= 0) ++sockets;
    printf("%d sockets\n", sockets);
    closefrom(3);
    for (int i = 0; i < 5; ++i) opened(i);
    int streams = 0, copies = 0;
    while (fopen("/dev/null", "r") != NULL) ++streams;
    closefrom(3);
    for (int i = 0; i < 5; ++i) opened(i);
    while ((copies % 2 ? dup(0) : fcntl(0, F_DUPFD, 3)) >= 0) ++copies;
    printf("%d streams, %d copies\n", streams, copies);
    closefrom(3);
    int fd = opened(0), other = opened(1), wrong = 0;
    char text[64] = "kept", again[64];
    for (int at = 8; at < (int)limit.rlim_cur; ++at) wrong += dup2(other, at) != at; /* over whatever is there */
    wrong += pwrite(fd, text, 64, 0) != 64 || pread(fd, again, 64, 0) != 64 || strcmp(again, "kept") != 0;
    wrong += dup2(fd, (int)limit.rlim_cur) != -1;
    close_range(8, ~0U, 0);
    for (int at = 3; at < 70000; ++at) /* as old daemons do */
        if (at != fd) close(at);
    wrong += pread(fd, again, 64, 0) != 64 || strcmp(again, "kept") != 0;
    printf("fd %d, wrong %d\n", fd, wrong);
    printf(", wrong %d\n", (close(fd), fill()));
    return 0;
}
