// A thread that computes, or two that wake each other all the time: says how many rings of samples the kernel has for
// them in the end.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int there[2], back[2];

static void* answer(void* unused) {
    char byte;
    while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1) {
    }
    return unused;
}

static int rings(void) {
    char line[4096];
    int number = 0;
    FILE* maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) number += strstr(line, "perf_event") != NULL;
    if (maps != NULL) fclose(maps);
    return number;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// "computes": until the kernel samples it, at most so many seconds. "wakes": for so many seconds.
int main(int count, char** arguments) {
    const int wakes = count > 1 && strcmp(arguments[1], "wakes") == 0;
    const double begin = now(), end = begin + (count > 2 ? atof(arguments[2]) : 1);
    pthread_t other;
    char byte = 0;
    int last = 0;
    long switches = 0;
    if (pipe(there) != 0 || pipe(back) != 0 || pthread_create(&other, NULL, answer, NULL) != 0) return 1;
    while (now() < end && (wakes || last == 0)) {
        for (int i = 0; wakes && i < 2000; ++i, ++switches)
            if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1) return 1;
        for (volatile int i = 0; !wakes && i < 20000000; ++i) {
        }
        last = rings();
    }
    printf("rings %d, switches in a second %.0f\n", last, (double)switches / (now() - begin));
    return 0;
}
