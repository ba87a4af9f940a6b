// Opens and closes again and again, and says whether each got the number that a program alone would get.
// Usage: lowest_free FOLDER MILLISECONDS
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    int wrong = 0;
    char path[4096];
    snprintf(path, sizeof path, "%s/cached", argv[1]);
    const int kept = open(path, O_RDWR | O_CREAT, 0600);
    if (kept != 3 || write(kept, "x", 1) != 1) return 3;
    for (const double end_ms = now_ms() + atof(argv[2]); now_ms() < end_ms;) {
        const int first = open("/dev/null", O_RDONLY), second = dup(first), third = open(path, O_RDONLY);
        wrong += first != 4 || second != 5 || third != 6;
        wrong += close(second) != 0 || close(first) != 0 || close(third) != 0;
    }
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    int others = 0;
    for (int fd = 4; fd < (int)limit.rlim_cur; ++fd) others += fcntl(fd, F_GETFD) != -1;
    printf("wrong %d, others %d\n", wrong, others);
    return 0;
}
